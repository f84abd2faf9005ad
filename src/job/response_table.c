// Tables of curves: a row a point, a row a special point, Fourier coefficients of both.
#include "run_response.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *unit;
} fixed[] = {{"frequency", "Hz"}, {"omega", "rad/s"}, {"stable", ""}, {"harmonics", ""},
             {"residual", ""},    {"branch", ""},     {"periods", ""}};
enum { FIXED = sizeof fixed / sizeof fixed[0] };

const char *curve_file(const pl_analysis *a, const char *what, char buf[PL_TEXT]) {
  if (strcmp(a->name, "response") == 0)
    snprintf(buf, PL_TEXT, "%s", what);
  else
    snprintf(buf, PL_TEXT, "%.100s-%s", a->name, what);
  return buf;
}

// ---- one motion -------------------------------------------------------------------------------

// path, and of every axis: largest deviation, root mean square, harmonics
static int columns_of(const curve_out *c, const pl_probe *w) {
  return 1 + probe_axes(c->j, w) * (2 + 2 * c->harmonics);
}

// of the path length of a probed place
static int first_column(const curve_out *c, int probe) {
  int at = FIXED + c->energy;
  for (int k = 0; k < probe; k++) at += columns_of(c, &c->a->probe[k]);
  return at;
}

static pl_status name_columns(const curve_out *c, const pl_probe *w, int at) {
  static const char *const of_axis[2] = {"max", "rms"};
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%.400s_path", w->name);
  PL_TRY(pl_table_column(c->table, at++, name, "m"));
  for (int what = 0; what < 2; what++)
    for (int x = 0; x < c->j->scene->dim; x++) {
      if (!probe_has(w, x)) continue;
      snprintf(name, sizeof name, "%.400s_%s_%c", w->name, of_axis[what], "xyz"[x]);
      PL_TRY(pl_table_column(c->table, at++, name, "m"));
    }
  for (int h = 1; h <= c->harmonics; h++)
    for (int x = 0; x < c->j->scene->dim; x++) {
      if (!probe_has(w, x)) continue;
      snprintf(name, sizeof name, "%.400s_h%d_%c", w->name, h, "xyz"[x]);
      PL_TRY(pl_table_column(c->table, at++, name, "m"));
      snprintf(name, sizeof name, "%.400s_phase%d_%c", w->name, h, "xyz"[x]);
      PL_TRY(pl_table_column(c->table, at++, name, "deg"));
    }
  return PL_OK;
}

static double root_mean_square(const double *z, int nharm) {
  double sum = 0;
  for (int k = 1; k <= 2 * nharm; k++) sum += 0.5 * z[k] * z[k];
  return sqrt(sum);
}

// the measures of a probed place; returns the next free one of row
static double *measure(const curve_out *c, const pl_orbit *o, const pl_probe *w, double *row) {
  const pl_scene *sc = c->j->scene;
  int dim = sc->dim, sub = o->sub > 1 ? o->sub : 1;
  double z[3][2 * 64 + 1];
  pl_measure path = probe_measure(w, PL_MEASURE_PATH, 0);
  *row++ = pl_orbit_measure(sc->model, sc->params, o, &path, NULL);
  for (int x = 0; x < dim; x++)
    if (probe_has(w, x)) pl_orbit_series(sc->model, sc->params, o, w->node, x, z[x]);
  for (int x = 0; x < dim; x++)
    if (probe_has(w, x)) *row++ = pl_orbit_max(sc->model, sc->params, o, w->node, x, NULL);
  for (int x = 0; x < dim; x++)
    if (probe_has(w, x)) *row++ = root_mean_square(z[x], o->nharm);
  for (int h = 1; h <= c->harmonics; h++)
    for (int x = 0; x < dim; x++) {
      if (!probe_has(w, x)) continue;
      int k = h * sub, has = k <= o->nharm;
      // x = A sin(k omega t + phase), as drives are told
      *row++ = has ? hypot(z[x][2 * k - 1], z[x][2 * k]) : 0;
      *row++ = has ? atan2(z[x][2 * k], z[x][2 * k - 1]) * 180 / PL_PI : 0;
    }
  return row;
}

// ---- points -----------------------------------------------------------------------------------

static pl_status open_table(curve_out *c) {
  int ncol = first_column(c, c->a->nprobe);
  PL_TRY(pl_table_create(c->j->env, ncol, &c->table));
  for (int k = 0; k < FIXED; k++)
    PL_TRY(pl_table_column(c->table, k, fixed[k].name, fixed[k].unit));
  if (c->energy) PL_TRY(pl_table_column(c->table, FIXED, "energy", "J"));
  for (int k = 0; k < c->a->nprobe; k++)
    PL_TRY(name_columns(c, &c->a->probe[k], first_column(c, k)));
  return PL_OK;
}

static void fill_row(const curve_out *c, const pl_curve_point *p, double *row) {
  double omega = orbit_drive(p->orbit);
  const double all[FIXED] = {omega / (2 * PL_PI), omega,     p->stable,     p->orbit->nharm,
                             p->residual,         p->branch, p->subharmonic};
  memcpy(row, all, sizeof all);
  row += FIXED;
  if (c->energy) *row++ = p->energy;
  for (int k = 0; k < c->a->nprobe; k++) row = measure(c, p->orbit, &c->a->probe[k], row);
}

pl_status curve_table(curve_out *c, const pl_curve *curve) {
  pl_env *env = c->j->env;
  if (!c->table) PL_TRY(open_table(c));
  double *row = pl_alloc(env, (size_t)pl_table_cols(c->table), sizeof *row);
  pl_status st = row ? PL_OK : PL_E_NOMEM;
  for (int i = pl_table_rows(c->table); st == PL_OK && i < curve->npoint; i++) {
    fill_row(c, &curve->point[i], row);
    st = pl_table_row(c->table, row);
  }
  pl_free(env, row);
  return st;
}

void curve_motions(const curve_out *c, const pl_curve *curve, int first) {
  for (int i = first; i < curve->npoint; i++)
    job_motion_of_row(c->j, c->a->name, i, curve->point[i].orbit);
}

pl_status curve_append(curve_out *c, const pl_curve *curve) {
  if (c->table && (c->seen != curve || curve->npoint <= c->rows)) {
    pl_table_free(c->table);
    c->table = NULL;
    c->rows = 0;
  }
  PL_TRY(curve_table(c, curve));
  if (job_tables(c->j)) PL_TRY(job_table_append(c->j, c->table, c->a->name, ".csv", c->rows));
  curve_motions(c, curve, c->rows);
  c->rows = pl_table_rows(c->table);
  c->seen = curve;
  return PL_OK;
}

// ---- special points ---------------------------------------------------------------------------

static void add_special(const curve_out *c, pl_text *t, const pl_special *s, const pl_probe *w) {
  double row[1 + 3 * (2 + 2 * 64)], *at = row;
  int dim = c->j->scene->dim, n = probe_axes(c->j, w);
  double omega = s->omega;
  measure(c, s->orbit, w, row);
  pl_text_add(t, "%s,%d,%.17g,%.17g,%s,%.17g", pl_special_name[s->kind], s->after,
              omega / (2 * PL_PI), omega, w->name, *at++);
  for (int what = 0; what < 2; what++)
    for (int x = 0; x < dim; x++) {
      if (probe_has(w, x))
        pl_text_add(t, ",%.17g", *at++);
      else
        pl_text_add(t, ",");
    }
  for (int h = 0; h < c->harmonics; h++, at += 2 * n)
    for (int x = 0, i = 0; x < dim; x++) {
      if (!probe_has(w, x)) {
        pl_text_add(t, ",,");
        continue;
      }
      pl_text_add(t, ",%.17g,%.17g", at[2 * i], at[2 * i + 1]);
      i++;
    }
}

static void add_leading(pl_text *t, const pl_leading *l) {
  if (l->n)
    pl_text_add(t, ",%.17g,%.17g\n", l->re[0], l->im[0]);
  else
    pl_text_add(t, ",,\n");
}

pl_status curve_special(curve_out *c, const pl_curve *curve) {
  pl_text t;
  char name[PL_TEXT];
  int dim = c->j->scene->dim;
  pl_text_init(&t, c->j->env);
  pl_text_add(&t, "kind,after_point,frequency_Hz,omega_rad_s,watch,path_m");
  for (int x = 0; x < dim; x++) pl_text_add(&t, ",max_%c_m", "xyz"[x]);
  for (int x = 0; x < dim; x++) pl_text_add(&t, ",rms_%c_m", "xyz"[x]);
  for (int h = 1; h <= c->harmonics; h++)
    for (int x = 0; x < dim; x++)
      pl_text_add(&t, ",h%d_%c_m,phase%d_%c_deg", h, "xyz"[x], h, "xyz"[x]);
  pl_text_add(&t, ",multiplier_real,multiplier_imag\n");
  for (int i = 0; i < curve->nspecial; i++) {
    const pl_special *s = &curve->special[i];
    // places that are not peaks are told for every probed place
    for (int k = 0; k < c->a->nprobe; k++) {
      if (s->kind == PL_PEAK && s->probe != k) continue;
      add_special(c, &t, s, &c->a->probe[k]);
      add_leading(&t, &s->leading);
    }
    if (c->a->nprobe) continue;
    pl_text_add(&t, "%s,%d,%.17g,%.17g,,", pl_special_name[s->kind], s->after,
                s->omega / (2 * PL_PI), s->omega);
    for (int x = 0; x < dim * (2 + 2 * c->harmonics); x++) pl_text_add(&t, ",");
    add_leading(&t, &s->leading);
  }
  return job_text(c->j, curve_file(c->a, "special", name), &t);
}

// ---- Fourier coefficients ---------------------------------------------------------------------

static pl_status write_table(curve_out *c, pl_table *t, const char *what) {
  char name[PL_TEXT];
  return job_table(c->j, t, curve_file(c->a, what, name), ".csv");
}

pl_status curve_harmonics(curve_out *c, const pl_curve *curve) {
  pl_table *t = NULL, *special = NULL;
  pl_status st = orbit_harmonics_open(c->j, c->a, &t);
  if (st == PL_OK) st = orbit_harmonics_open(c->j, c->a, &special);
  for (int i = 0; st == PL_OK && i < curve->npoint; i++)
    st = orbit_harmonics_add(c->j, c->a, curve->point[i].orbit, i, t);
  for (int i = 0; st == PL_OK && i < curve->nspecial; i++)
    st = orbit_harmonics_add(c->j, c->a, curve->special[i].orbit, i, special);
  if (st == PL_OK) st = write_table(c, t, "harmonics");
  if (st == PL_OK && curve->nspecial) st = write_table(c, special, "special-harmonics");
  pl_table_free(t);
  pl_table_free(special);
  return st;
}
