// What a motion does to stress: the largest von Mises stress, and the range of the signed principal
// stress, which fatigue goes by.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct history { // of a slot in a layer
  double mises, high, low;
} history;

typedef struct period {
  job *j;
  pl_state *s;
  history *h; // [nlayer][nslot]
} period;

// the principal stress that is largest by size, with its sign
static double signed_principal(const double *t) {
  double p[3];
  pl_principal(t, p);
  return p[0] > -p[2] ? p[0] : p[2];
}

static void store_array(period *k) {
  const pl_recover *r = k->j->recover;
  job_recover(k->j, k->s, 0);
  for (int layer = 0; layer < r->nlayer; layer++)
    for (int i = 0; i < r->nslot; i++) {
      history *h = &k->h[(size_t)layer * (size_t)r->nslot + (size_t)i];
      const double *t = r->at[layer][i].stress;
      double p = signed_principal(t);
      h->mises = fmax(h->mises, pl_von_mises(t));
      h->high = fmax(h->high, p);
      h->low = fmin(h->low, p);
    }
}

// of all layers and parts of a vertex the largest: out[3][nvert]
static void to_vertices(const period *k, double *out) {
  const pl_recover *r = k->j->recover;
  int n = k->j->scene->mesh->nvert;
  for (int layer = 0; layer < r->nlayer; layer++)
    for (int i = 0; i < r->nslot; i++) {
      const history *h = &k->h[(size_t)layer * (size_t)r->nslot + (size_t)i];
      int v = r->node[i];
      out[v] = fmax(out[v], h->mises);
      if (h->high - h->low <= out[n + v]) continue;
      out[n + v] = h->high - h->low;
      out[2 * n + v] = 0.5 * (h->high + h->low);
    }
}

static json_t *most(const job *j, const double *value) {
  int n = j->scene->mesh->nvert, at = 0;
  for (int i = 0; i < n; i++)
    if (value[i] > value[at]) at = i;
  const double *X = j->scene->mesh->X + 3 * (size_t)at;
  return json_pack("{s:f, s:i, s:[f, f, f]}", "value", value[at], "node", at, "position_m", X[0],
                   X[1], X[2]);
}

static pl_status report(const period *k, const char *name, json_t *figures) {
  job *j = k->j;
  int n = j->scene->mesh->nvert;
  double *out = pl_alloc(j->env, 3 * (size_t)n, sizeof *out);
  char path[PL_TEXT], file[PL_TEXT];
  pl_status st = PL_OK;
  if (!out) return PL_E_NOMEM;
  to_vertices(k, out);
  json_t *range = most(j, out + n), *mises = most(j, out);
  int at = (int)json_integer_value(json_object_get(range, "node"));
  job_set(range, "mean", json_real(out[2 * n + at]));
  job_say(j,
          "Over the motion the largest von Mises stress is %.4g Pa, the largest range (peak to "
          "peak) of the signed principal stress %.4g Pa at node %d about a mean of %.4g Pa.",
          json_real_value(json_object_get(mises, "value")), out[n + at], at, out[2 * n + at]);
  job_set(figures, "stress_over_motion",
          json_pack("{s:o, s:o}", "von_mises_max_Pa", mises, "principal_range_Pa", range));
  const pl_field field[3] = {{"von_mises_max", 0, 1, out},
                             {"principal_range", 0, 1, out + n},
                             {"principal_mean", 0, 1, out + 2 * n}};
  snprintf(file, sizeof file, "%.100s-stress", name);
  if (j->output.vtu && j->drawable)
    st = pl_mesh_write_vtu(j->scene->mesh, NULL, 3, field, j->work->threads,
                           job_path(j, file, ".vtu", path));
  pl_free(j->env, out);
  return st;
}

pl_status job_stress_motion(job *j, int n, void (*at)(const void *ctx, int i, pl_state *s),
                            const void *ctx, const char *name, json_t *figures) {
  period k = {.j = j};
  if (!j->recover || n < 1) return PL_OK;
  size_t count = (size_t)j->recover->nlayer * (size_t)j->recover->nslot;
  k.h = pl_alloc(j->env, count, sizeof *k.h);
  for (size_t i = 0; k.h && i < count; i++) k.h[i] = (history){0, -INFINITY, INFINITY};
  pl_status st = k.h ? pl_state_create(j->scene->model, j->scene->params, &k.s) : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < n; i++) {
    at(ctx, i, k.s);
    store_array(&k);
    st = pl_report_progress(j->env, "stress", (double)i / n, NULL);
  }
  if (st == PL_OK) st = report(&k, name, figures);
  if (k.s) pl_state_free(j->scene->model, k.s);
  pl_free(j->env, k.h);
  return st;
}

typedef struct phases {
  const job *j;
  const pl_orbit *o;
  int n;
} phases;

static void at_phase(const void *ctx, int i, pl_state *s) {
  const phases *p = ctx;
  pl_orbit_state(p->j->scene->model, p->j->scene->params, p->o, 2 * PL_PI * i / p->n, s);
}

pl_status job_stress_period(job *j, const pl_orbit *o, const char *name, json_t *figures) {
  const phases p = {j, o, 8 * o->nharm > 64 ? 8 * o->nharm : 64};
  return job_stress_motion(j, p.n, at_phase, &p, name, figures);
}
