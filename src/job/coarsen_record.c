// coarsen: a measured free decay, split into its modes, and the material that it identifies.
#include "coarsen.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 4000 }; // samples in tables and plots, about

static const double CANCEL = 3; // energy of modes over that of their sum

// ---- records that cannot serve ----------------------------------------------------------------

static pl_status refuse(job *j, const pl_record *r, const pl_decay *d) {
  static const struct {
    const char *what, *hint;
  } words[] = {
      [PL_DECAY_GOOD] = {"", ""},
      [PL_DECAY_SHORT] = {"too few samples",
                          "record for several periods, with ten samples or more in each"},
      [PL_DECAY_STILL] = {"all samples are the same: nothing moves",
                          "another column or marker, or an earlier start"},
      [PL_DECAY_NOISE] = {"no damped vibration stands out of it",
                          "let start be a time after the release, strike harder, or give frequency "
                          "and decay by hand"},
      [PL_DECAY_PERIODS] = {"fewer than two periods of its strongest vibration",
                            "record for longer; let start be the time of the release"},
      [PL_DECAY_STEADY] = {"its strongest vibration does not decay, by less than 1 % in all",
                           "record for longer, without a drive; of a part without damping give the "
                           "frequency alone"},
      [PL_DECAY_GROWS] = {"its strongest vibration grows",
                          "let start be a time after the release: nothing may push it from then "
                          "on"},
  };
  char found[PL_TEXT] = "";
  if (d->n > 0 && d->fault != PL_DECAY_NOISE)
    snprintf(found, sizeof found, " (%.4g Hz, decay %.3g 1/s, over %.4g s)",
             d->mode[d->first].omega / (2 * PL_PI), d->mode[d->first].decay, d->span);
  return pl_fail_at(j->env, PL_E_INPUT, r->path, r->line, 0, words[d->fault].hint,
                    "record from %.4g s on: %s%s", r->first, words[d->fault].what, found);
}

// ---- what it shows ----------------------------------------------------------------------------

static void report_modes(job *j, const pl_record *r, const pl_decay *d) {
  char amplitude[96] = "amplitude";
  const char *const head[] = {"frequency, Hz", "decay, 1/s", "ratio, %",
                              amplitude,       "energy, %",  ""};
  if (r->unit[0]) snprintf(amplitude, sizeof amplitude, "amplitude, %.60s", r->unit);
  grid g = job_grid(j, 6, head);
  job_heading(j, "Measured decay");
  for (int i = 0; i < d->nterm; i++) {
    const pl_decay_mode *m = &d->mode[i];
    grid_add(&g, i < d->n ? "%.6g" : "%.2g", m->omega / (2 * PL_PI));
    grid_add(&g, "%.5g", m->decay);
    grid_add(&g, "%.3g", 100 * m->decay / hypot(m->omega, m->decay));
    grid_add(&g, "%.4g", m->amplitude);
    grid_add(&g, "%.3g", 100 * m->energy);
    grid_add(&g, "%s", i == d->first ? "taken as the first mode" : i < d->n ? "" : "drift");
  }
  grid_end(&g);
  job_say(j,
          "%d samples of %s from %.5g s on, a constant of %.5g %s taken away. What is left is "
          "%.3g %% of the motion (root mean square). The lowest vibration with 1 %% of the "
          "strongest one's energy or more is the first mode.",
          r->n, r->file, r->first, d->offset, r->unit, 100 * d->error / d->rms);
}

static void set_figures(const pl_record *r, const pl_decay *d, json_t *figures) {
  json_t *modes = json_array(), *one = json_object();
  for (int i = 0; i < d->n; i++) {
    const pl_decay_mode *m = &d->mode[i];
    json_array_append_new(modes, json_pack("{s:f, s:f, s:f, s:f}", "frequency_Hz",
                                           m->omega / (2 * PL_PI), "decay_1_s", m->decay,
                                           "amplitude", m->amplitude, "energy", m->energy));
  }
  job_set(one, "file", json_string(r->file));
  job_set(one, "unit", json_string(r->unit));
  job_set(one, "samples", json_integer(r->n));
  job_set(one, "start_s", json_real(r->first));
  job_set(one, "frequency_Hz", json_real(d->mode[d->first].omega / (2 * PL_PI)));
  job_set(one, "decay_1_s", json_real(d->mode[d->first].decay));
  job_set(one, "offset", json_real(d->offset));
  job_set(one, "error", json_real(d->error / d->rms));
  job_set(one, "modes", modes);
  job_set(figures, "record", one);
}

static pl_status write_table(job *j, const char *name, const pl_record *r, const pl_decay *d,
                             int stride) {
  const table_column column[] = {{"time", "s"}, {"measured", r->unit}, {"fit", r->unit}};
  pl_table *t;
  PL_TRY(job_table_open(j, 3, column, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < r->n && i * r->step <= d->span * (1 + 1e-9); i += stride)
    s = pl_table_row(
        t, (double[]){r->first + i * r->step, r->value[i], pl_decay_value(d, i * r->step)});
  return job_table_end(j, t, s, name, ".csv");
}

static pl_status plot(job *j, const char *name, const pl_record *r, const pl_decay *d, int stride) {
  char label[96] = "motion";
  int n = 0;
  double *x = pl_alloc(j->env, 3 * ((size_t)(r->n / stride) + 1), sizeof *x);
  if (!x) return PL_E_NOMEM;
  double *y = x + r->n / stride + 1, *fit = y + r->n / stride + 1;
  for (int i = 0; i < r->n && i * r->step <= d->span * (1 + 1e-9); i += stride, n++) {
    x[n] = r->first + i * r->step;
    y[n] = r->value[i];
    fit[n] = pl_decay_value(d, i * r->step);
  }
  if (r->unit[0]) snprintf(label, sizeof label, "motion (%.60s)", r->unit);
  const pl_series series[] = {
      {.name = "measured", .n = n, .x = x, .y = y, .points = 1, .colour = 3},
      {.name = "modes found", .n = n, .x = x, .y = fit, .colour = 0}};
  const pl_plot p = {.title = "measured decay and its modes",
                     .xlabel = "time (s)",
                     .ylabel = label,
                     .nseries = 2,
                     .series = series};
  pl_status st = job_plot(j, name, &p, "Measured, and the sum of the modes found.");
  pl_free(j->env, x);
  return st;
}

pl_status coarsen_record(job *j, const pl_analysis *a, pl_coarsen_opts *o, json_t *figures) {
  const pl_record *r = a->record;
  char name[PL_TEXT];
  pl_decay d;
  PL_TRY(pl_decay_find(j->env, r->n, r->step, r->value, &d));
  if (d.fault != PL_DECAY_GOOD) return refuse(j, r, &d);
  if (d.overlap > CANCEL)
    return pl_fail_at(j->env, PL_E_INPUT, r->path, r->line, 0,
                      "let start be a time after the release, or give frequency and decay by hand",
                      "record from %.4g s on: it is no free decay: the %d vibrations that make it "
                      "up cancel each other (%.3g times its energy)",
                      r->first, d.n, d.overlap);
  const pl_decay_mode *m = &d.mode[d.first];
  o->frequency = m->omega;
  o->decay = m->decay;
  job_note(j, "%s: %s: %.5g Hz, decay %.5g 1/s (%d %s found, %.2g %% left over)", a->name, r->file,
           m->omega / (2 * PL_PI), m->decay, d.n, pl_plural(d.n, "mode", "modes"),
           100 * d.error / d.rms);
  if (d.error > 0.2 * d.rms)
    pl_report(j->env, PL_WARNING, r->path, r->line, 0,
              "look at the plot; a later start, or a quieter record",
              "%.2g %% of the record are in none of the modes found", 100 * d.error / d.rms);
  report_modes(j, r, &d);
  set_figures(r, &d, figures);
  int stride = 1 + r->n / SHOWN;
  snprintf(name, sizeof name, "%.100s-record", a->name);
  if (job_tables(j)) PL_TRY(write_table(j, name, r, &d, stride));
  return plot(j, name, r, &d, stride);
}

// ---- the material -----------------------------------------------------------------------------

static void add_materials(pl_text *t, const char *prefix, int n,
                          const pl_scene_material *const *material, const double *factor,
                          double all) {
  pl_text_add(t, "%smaterials:\n", prefix);
  for (int i = 0; i < n; i++) {
    const pl_scene_material *m = material[i];
    pl_text_add(t, "%s  %s: {law: %s, young: %.9g Pa, poisson: %.9g, density: %.9g kg/m^3}\n",
                prefix, m->name, strcmp(m->law, "neo-Hookean") == 0 ? "neo-hookean" : "svk",
                m->young * all * (factor ? factor[i] : 1), m->poisson, m->density);
  }
}

pl_status coarsen_material(job *j, const pl_analysis *a, const pl_coarsen_opts *o, int n,
                           const pl_scene_material *const *material, double measured, double size,
                           const double *factor) {
  char name[PL_TEXT];
  pl_text t;
  double lambda = o->frequency * o->frequency + o->decay * o->decay;
  pl_text_init(&t, j->env);
  pl_text_add(&t, "# measured%s%s: %.6g Hz, decay %.6g 1/s\n", a->record ? " in " : "",
              a->record ? a->record->file : "", o->frequency / (2 * PL_PI), o->decay);
  pl_text_add(&t, "# for the fine voxels; other keys of the materials stay as they are\n");
  add_materials(&t, "", n, material, NULL, measured);
  pl_text_add(&t, "damping: {stiffness: %.9g s}\n", 2 * o->decay / lambda);
  if (size > 0) {
    pl_text_add(&t, "# for voxels of %.6g mm:\n", 1e3 * size);
    add_materials(&t, "# ", n, material, factor, 1);
  }
  snprintf(name, sizeof name, "%.100s-material", a->name);
  pl_status st = t.failed ? PL_E_NOMEM : job_send_scene(j, name, &t);
  pl_text_free(&t);
  return st;
}
