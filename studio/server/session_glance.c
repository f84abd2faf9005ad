// What small changes do, from derivatives that are kept until the motion changes.
#include "pliant/math.h"
#include "session.h"

#include <string.h>

void session_forget(session *t) {
  pl_free(&t->env, t->S);
  t->S = NULL;
}

static size_t column(const session *t) {
  const pl_orbit *o = pl_design_orbit(t->d, 0);
  return (size_t)o->nfree * (2 * (size_t)o->nharm + 1);
}

// PL_OK without t->S: it would be too large
static pl_status learn(session *t) {
  size_t n = (size_t)t->nvar * column(t);
  if (t->S || n * sizeof *t->S > GLANCE_BYTES) return PL_OK;
  double *S = pl_alloc(&t->env, n + 1, sizeof *S);
  pl_status st = S ? pl_design_sensitivity(t->d, 0, S) : PL_E_NOMEM;
  if (st == PL_OK)
    t->S = S;
  else
    pl_free(&t->env, S);
  return st;
}

// z + S dx, without its frequency
static pl_status first_order(const session *t, const double *dx, pl_orbit **out) {
  const pl_orbit *here = pl_design_orbit(t->d, 0);
  PL_TRY(pl_orbit_copy(here, here->nharm, out));
  int n = (int)column(t);
  for (int k = 0; k < t->nvar; k++)
    if (dx[k] != 0) pl_axpy(n, dx[k], t->S + (size_t)k * (size_t)n, (*out)->z, (*out)->z);
  return PL_OK;
}

pl_status session_glance(session *t, const double *x, pl_orbit **out, double *trust) {
  *out = NULL;
  // where there are no derivatives the library knows what to do, or says why not
  if (learn(t) != PL_OK || !t->S) return session_predict(t, x, out, trust);
  double *dx = session_change(t, x);
  pl_orbit *o = NULL;
  pl_status st = dx ? first_order(t, dx, &o) : PL_E_NOMEM;
  if (st == PL_OK) st = pl_design_trust(t->d, 0, dx, o, trust);
  pl_free(&t->env, dx);
  if (st == PL_OK)
    *out = o;
  else
    pl_orbit_free(o);
  return st;
}

pl_status session_sensitivity(session *t, size_t most, float **out, size_t shape[4]) {
  const pl_scene *sc = t->scene;
  const pl_orbit *o = pl_design_orbit(t->d, 0);
  size_t np = (size_t)t->nvar, n = (size_t)sc->mesh->nvert, L = 2 * (size_t)o->nharm + 1;
  size_t count = np * n * 3 * L;
  *out = NULL;
  if (count * sizeof(float) > most) return PL_OK;
  PL_TRY(learn(t));
  if (!t->S) return PL_OK;
  double z[2 * 64 + 1];
  float *f = pl_alloc(&t->env, count, sizeof *f);
  if (!f) return PL_E_NOMEM;
  for (size_t k = 0; k < np; k++)
    for (size_t i = 0; i < n; i++)
      for (int c = 0; c < sc->dim; c++) {
        float *to = f + ((k * n + i) * 3 + (size_t)c) * L;
        pl_design_series(t->d, t->S, (int)k, (int)i, c, z);
        for (size_t a = 0; a < L; a++) to[a] = (float)z[a];
      }
  memcpy(shape, (size_t[]){np, n, 3, L}, 4 * sizeof *shape);
  *out = f;
  return PL_OK;
}
