// Measured limits of interlocking materials over computed ones, at the angles that were measured.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SAME = 1e-9; // rad
static const char *const words[PL_MEASURED_LIMITS] = {"longest", "shortest", "play"};
static const char *const columns[PL_MEASURED_LIMITS] = {"strain_max", "strain_min", "play"};

static int find_angle(int n, const double *angle, double a) {
  for (int i = 0; i < n; i++)
    if (fabs(angle[i] - a) < SAME) return i;
  return -1;
}

int measured_angles(const pl_analysis *a, int n, double *angle) {
  int more = 0;
  for (int k = 0; k < a->nmeasured_limits; k++)
    for (int i = 0; i < a->measured_limits[k].n; i++) {
      double at = a->measured_limits[k].angle[i], step = PL_PI / n;
      if (fabs(at - step * round(at / step)) < SAME || find_angle(more, angle, at) >= 0) continue;
      angle[more++] = at;
    }
  return more;
}

// ---- over the figures ---------------------------------------------------------------------------

static pl_status make_series(pl_env *env, const pl_measured_limits *m, int what, const char *name,
                             pl_polar_series *out) {
  size_t n = (size_t)m->n;
  double *v = pl_alloc(env, 6 * n, sizeof *v);
  char *own = pl_strdup(env, name);
  if (!v || !own) {
    pl_free(env, v);
    pl_free(env, own);
    return PL_E_NOMEM;
  }
  for (int i = 0; i < 2 * m->n; i++) {
    int from = i % m->n;
    v[i] = m->angle[from] + (i < m->n ? 0 : PL_PI);
    v[2 * m->n + i] = 1 + m->value[what][from];
    v[4 * m->n + i] = m->deviation[what] ? m->deviation[what][from] : 0;
  }
  *out = (pl_polar_series){.name = own,
                           .n = 2 * m->n,
                           .angle = v,
                           .stretch = v + 2 * n,
                           .points = 1,
                           .colour = -1,
                           .error = m->deviation[what] ? v + 4 * n : NULL};
  return PL_OK;
}

pl_status measured_series(const survey *k, int nwhat, const int *what, int *n,
                          pl_polar_series **out) {
  pl_env *env = k->j->env;
  size_t most = (size_t)(k->a->nmeasured_limits * nwhat) + 1;
  *n = 0;
  if (!(*out = pl_alloc(env, most, sizeof **out))) return PL_E_NOMEM;
  for (int i = 0; i < k->a->nmeasured_limits; i++)
    for (int w = 0; w < nwhat; w++) {
      const pl_measured_limits *m = &k->a->measured_limits[i];
      char name[PL_TEXT];
      if (!m->value[what[w]]) continue;
      snprintf(name, sizeof name, nwhat > 1 ? "%.60s, %s" : "%.60s", m->name, words[what[w]]);
      PL_TRY(make_series(env, m, what[w], name, &(*out)[*n]));
      ++*n;
    }
  return PL_OK;
}

void measured_series_free(pl_env *env, int n, pl_polar_series *s) {
  for (int k = 0; s && k < n; k++) {
    pl_free(env, (double *)s[k].angle);
    pl_free(env, (char *)s[k].name);
  }
  pl_free(env, s);
}

// ---- differences --------------------------------------------------------------------------------

typedef struct difference {
  int n, known, within; // rows; those with a deviation; those that it explains
  double square, most, mean;
} difference;

static difference differ(const survey *k, const pl_measured_limits *m, int what) {
  difference d = {0};
  for (int i = 0; m->value[what] && i < m->n; i++) {
    double v =
        survey_value(k, find_angle(k->nall, k->angle, m->angle[i]), what) - m->value[what][i];
    if (!isfinite(v)) continue;
    d.n++;
    d.mean += v;
    d.square += v * v;
    d.most = fmax(d.most, fabs(v));
    if (!m->deviation[what]) continue;
    d.known++;
    d.within += fabs(v) <= 2 * m->deviation[what][i];
  }
  return d;
}

static void set_figures(const difference *d, const char *name, json_t *f) {
  json_t *o = json_object();
  job_set(o, "mean", json_real(d->mean / d->n));
  job_set(o, "rms", json_real(sqrt(d->square / d->n)));
  job_set(o, "largest", json_real(d->most));
  if (d->known) job_set(o, "within_two_deviations", json_integer(d->within));
  job_set(f, name, o);
}

static pl_status write_table(const survey *k) {
  enum { N = 2 + 3 * PL_MEASURED_LIMITS };
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(pl_table_create(k->j->env, N, &t));
  pl_status s = pl_table_column(t, 0, "file", "");
  if (s == PL_OK) s = pl_table_column(t, 1, "angle", "deg");
  for (int w = 0; s == PL_OK && w < PL_MEASURED_LIMITS; w++) {
    static const char *const ending[3] = {"", "_measured", "_sd"};
    for (int c = 0; s == PL_OK && c < 3; c++) {
      char name[64];
      snprintf(name, sizeof name, "%s%s", columns[w], ending[c]);
      s = pl_table_column(t, 2 + 3 * w + c, name, "");
    }
  }
  for (int f = 0; f < k->a->nmeasured_limits; f++) {
    const pl_measured_limits *m = &k->a->measured_limits[f];
    for (int i = 0; s == PL_OK && i < m->n; i++) {
      int at = find_angle(k->nall, k->angle, m->angle[i]);
      double row[N] = {f + 1, m->angle[i] * 180 / PL_PI};
      for (int w = 0; w < PL_MEASURED_LIMITS; w++) {
        row[2 + 3 * w] = survey_value(k, at, w);
        row[3 + 3 * w] = m->value[w] ? m->value[w][i] : NAN;
        row[4 + 3 * w] = m->deviation[w] ? m->deviation[w][i] : NAN;
      }
      s = pl_table_row(t, row);
    }
  }
  return job_table_end(k->j, t, s, k->a->name, "-measured.csv");
}

pl_status measured_differences(const survey *k, json_t *figures) {
  static const char *const head[] = {"compared with", "limit",       "directions",
                                     "mean (%)",      "largest (%)", "within 2 deviations"};
  if (k->a->nmeasured_limits == 0) return PL_OK;
  json_t *list = json_array();
  grid g = job_grid(k->j, 6, head);
  for (int f = 0; f < k->a->nmeasured_limits; f++) {
    const pl_measured_limits *m = &k->a->measured_limits[f];
    json_t *o = json_object();
    job_set(o, "file", json_string(m->file));
    job_set(o, "name", json_string(m->name));
    for (int w = 0; w < PL_MEASURED_LIMITS; w++) {
      difference d = differ(k, m, w);
      if (d.n == 0) continue;
      set_figures(&d, columns[w], o);
      grid_add(&g, "%s", m->name);
      grid_add(&g, "%s", words[w]);
      grid_add(&g, "%d", d.n);
      grid_add(&g, "%+.3f", 100 * d.mean / d.n);
      grid_add(&g, "%.3f", 100 * d.most);
      if (d.known)
        grid_add(&g, "%d of %d", d.within, d.known);
      else
        grid_add(&g, "not known");
      if (w == PL_PLAY)
        job_note(k->j, "%s: play differs from %s by %.4f (root mean square), %.4f at most",
                 k->a->name, m->name, sqrt(d.square / d.n), d.most);
    }
    json_array_append_new(list, o);
  }
  grid_end(&g);
  for (int f = 0; f < k->a->nmeasured_limits; f++)
    if (k->a->measured_limits[f].note)
      job_say(k->j, "%s: %s", k->a->measured_limits[f].name, k->a->measured_limits[f].note);
  job_set(figures, "measured", list);
  return write_table(k);
}
