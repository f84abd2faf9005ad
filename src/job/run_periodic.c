#include "gradients.h"
#include "run_linear.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void set_figures(json_t *f, const pl_periodic_info *i) {
  job_set(f, "reason", json_string(pl_stop_text(i->reason)));
  job_set(f, "harmonics", json_integer(i->nharm));
  job_set(f, "samples", json_integer(i->nsample));
  job_set(f, "start", json_string(i->start ? i->start : ""));
  if (i->motions) job_set(f, "motions", json_integer(i->motions));
  job_set(f, "residual", json_real(i->residual));
  if (i->change >= 0) job_set(f, "harmonics_change", json_real(i->change));
  job_set(f, "newton_iterations", json_integer(i->iterations));
  job_set(f, "factorisations", json_integer(i->factorisations));
  job_set(f, "krylov_iterations", json_integer(i->krylov));
  job_set(f, "last_good_Hz", json_real(i->last_good / (2 * PL_PI)));
  job_set(f, "seconds", json_real(i->seconds));
}

static void set_amplitudes(const job *j, const pl_analysis *a, const pl_orbit *o, json_t *f) {
  const pl_scene *sc = j->scene;
  json_t *all = json_object();
  for (int k = 0; k < a->nprobe; k++) {
    json_t *one = json_object();
    int node = a->probe[k].node;
    json_object_set_new(one, "path_m",
                        json_real(pl_orbit_path(sc->model, sc->params, o, node, 0, NULL)));
    for (int c = 0; c < sc->dim; c++) {
      char name[16];
      snprintf(name, sizeof name, "max_%c_m", "xyz"[c]);
      json_object_set_new(one, name,
                          json_real(pl_orbit_max(sc->model, sc->params, o, node, c, NULL)));
    }
    json_object_set_new(all, a->probe[k].name, one);
  }
  job_set(f, "amplitude", all);
}

static void set_stability(const pl_floquet *fl, json_t *f) {
  job_set(f, "stable", json_boolean(fl->stable));
  json_t *list = json_array();
  for (int k = 0; k < fl->n && k < 8; k++)
    json_array_append_new(list, json_pack("[f, f]", fl->re[k], fl->im[k]));
  job_set(f, "multipliers", list);
}

static pl_status write_files(job *j, const pl_analysis *a, const pl_orbit *o) {
  char name[PL_TEXT];
  pl_table *period = NULL, *harmonics = NULL;
  pl_status st = orbit_period(j, a, o, &period);
  if (st == PL_OK) st = job_table(j, period, a->name, ".csv");
  if (st == PL_OK) st = orbit_harmonics_open(j, a, &harmonics);
  if (st == PL_OK) st = orbit_harmonics_add(j, a, o, 0, harmonics);
  snprintf(name, sizeof name, "%.100s-harmonics", a->name);
  if (st == PL_OK) st = job_table(j, harmonics, name, ".csv");
  if (st == PL_OK) st = job_orbit(j, o, a->name, NULL);
  if (st == PL_OK) st = job_probe_plots(j, a, period, 0, 1, "time (s)");
  if (st == PL_OK) st = job_path_plots(j, a, period, 1);
  snprintf(name, sizeof name, "%.100s-content", a->name);
  if (st == PL_OK) st = orbit_content_plot(j, harmonics, name);
  pl_table_free(period);
  pl_table_free(harmonics);
  return st;
}

// fl NULL: stability is not known
static void report_result(job *j, const pl_analysis *a, const pl_periodic_info *i,
                          const pl_floquet *fl) {
  if (i->reason == PL_STOP_CONVERGED)
    job_note(j, "%s: %d %s, residual %.1e, %s", a->name, i->nharm,
             pl_plural(i->nharm, "harmonic", "harmonics"), i->residual,
             !fl          ? "stability unknown"
             : fl->stable ? "stable"
                          : "unstable");
  if (i->reason != PL_STOP_CONVERGED) {
    job_warn(j, "%s: no periodic motion found (%s); last good point at %.6g Hz.", a->name,
             pl_stop_text(i->reason), i->last_good / (2 * PL_PI));
    return;
  }
  job_say(j,
          "Periodic motion with %d %s and %d samples, residual %.1e of the dynamic forces, "
          "started from '%s'.",
          i->nharm, pl_plural(i->nharm, "harmonic", "harmonics"), i->nsample, i->residual,
          i->start);
  if (!fl)
    job_warn(j, "%s: the stability of the motion could not be found.", a->name);
  else if (fl->stable)
    job_say(j, "It is stable (largest multiplier %.6g).", fl->n ? hypot(fl->re[0], fl->im[0]) : 0);
  else
    job_warn(j, "%s: the motion is unstable: nature does not show it.", a->name);
}

static pl_status strains(job *j, const pl_orbit *o, json_t *figures) {
  pl_strain most;
  PL_TRY(pl_orbit_strain(j->scene->model, j->scene->params, j->work, o, 0, NULL, &most));
  strain_set(j, figures, "max_strain", &most);
  if (most.value != 0) job_say(j, "Largest strain over a period: %.4g.", fabs(most.value));
  return PL_OK;
}

pl_status job_periodic(job *j, int index, json_t *figures) {
  const pl_scene *sc = j->scene;
  const pl_analysis *a = &sc->analysis[index];
  pl_orbit *o = NULL;
  pl_periodic_info info = {0};
  pl_floquet fl = {.stable = 1};
  job_gradients slopes;
  int known = 0;
  pl_status st = gradients_open(j, a, &slopes);
  if (st == PL_OK) st = pl_periodic(&a->opts.periodic_, sc->model, sc->params, j->work, &o, &info);
  if (st >= 0) set_figures(figures, &info);
  if (st == PL_OK) {
    // a motion whose multipliers cannot be had is still a motion
    pl_status f = pl_orbit_floquet(sc->model, sc->params, j->work, o, PL_FLOQUET_AUTO, &fl);
    if (f == PL_OK) set_stability(&fl, figures);
    if (f < 0 || f == PL_CANCELLED) st = f;
    known = f == PL_OK;
    if (known && fl.n > 0 && hypot(fl.re[0], fl.im[0]) > 1e3)
      pl_report(j->env, PL_WARNING, NULL, 0, 0, "use more harmonics",
                "%s: a multiplier of %.1e says that the motion has too few harmonics to tell "
                "whether it is stable",
                a->name, hypot(fl.re[0], fl.im[0]));
    set_amplitudes(j, a, o, figures);
  }
  if (st >= 0) report_result(j, a, &info, known ? &fl : NULL);
  if (st == PL_OK) st = gradients_periodic(&slopes, o, info.nsample, figures);
  if (st == PL_OK) st = strains(j, o, figures);
  if (st == PL_OK) st = job_stress_period(j, o, a->name, figures);
  if (st == PL_OK) st = write_files(j, a, o);
  if (st == PL_OK && a->opts.periodic_.linear) st = linear_compare(j, a, o, figures);
  if (st == PL_OK && a->opts.periodic_.convergence)
    st = convergence_study(j, a, o, info.nsample, figures);
  if (st == PL_OK && a->opts.periodic_.newmark)
    st = newmark_compare(j, a, o, known ? fl.stable : -1, figures);
  pl_orbit_free(o);
  gradients_close(&slopes);
  return st;
}
