// A response or a backbone under way as one array of numbers, to go on from later: the curve so
// far, the points and tangents at hand, and what the steps have learnt.
#include "curve_impl.h"

#include <string.h>

// ---- numbers and plain structs in a row -------------------------------------------------------

typedef struct row {
  pl_env *env;
  double *x;     // [cap]
  size_t n, cap; // in use: written, or to be read
  size_t at;     // read so far
  int failed;
} row;

static size_t doubles(size_t bytes) {
  return (bytes + sizeof(double) - 1) / sizeof(double);
}

static void put(row *r, const void *data, size_t bytes) {
  size_t n = doubles(bytes);
  if (r->failed || n == 0) return;
  if (r->n + n > r->cap) {
    size_t cap = 2 * (r->n + n);
    double *x = pl_alloc(r->env, cap, sizeof *x);
    r->failed = !x;
    if (!x) return;
    if (r->n) memcpy(x, r->x, r->n * sizeof *x);
    pl_free(r->env, r->x);
    r->x = x;
    r->cap = cap;
  }
  memset(r->x + r->n, 0, n * sizeof *r->x);
  memcpy(r->x + r->n, data, bytes);
  r->n += n;
}

static void fetch(row *r, void *to, size_t bytes) {
  size_t n = doubles(bytes);
  if (n > r->n - r->at) r->failed = 1;
  if (r->failed || n == 0) return;
  memcpy(to, r->x + r->at, bytes);
  r->at += n;
}

#define PUT(r, v)   put(r, &(v), sizeof(v))
#define FETCH(r, v) fetch(r, &(v), sizeof(v))

// ---- orbits and curves ------------------------------------------------------------------------

static size_t orbit_size(const pl_orbit *o) {
  return (size_t)o->nfree * (2 * (size_t)o->nharm + 1) * sizeof(double);
}

static void put_orbit(row *r, const pl_orbit *o) {
  PUT(r, o->nharm);
  PUT(r, o->sub);
  PUT(r, o->omega);
  put(r, o->z, orbit_size(o));
}

static void read_orbit(row *r, const pl_model *m, pl_orbit **out) {
  int H = 0;
  *out = NULL;
  FETCH(r, H);
  if (H < 1 || H > HARMONICS_MAX) r->failed = 1;
  if (r->failed || pl_orbit_create(r->env, m, H, out) != PL_OK) r->failed = 1;
  if (r->failed) return;
  FETCH(r, (*out)->sub);
  FETCH(r, (*out)->omega);
  fetch(r, (*out)->z, orbit_size(*out));
}

static const char *const starts[] = {
    "", "none", "given", "rest", "amplitude", "rigid-follow", "transient", "far end", "mode"};

static int start_number(const char *name) {
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
    if (strcmp(starts[i], name) == 0) return (int)i;
  return 0;
}

static void put_curve(row *r, const pl_curve *c) {
  int start = start_number(c->start);
  PUT(r, *c);
  PUT(r, start);
  for (int i = 0; i < c->npoint; i++) {
    PUT(r, c->point[i]);
    put_orbit(r, c->point[i].orbit);
  }
  for (int i = 0; i < c->nspecial; i++) {
    PUT(r, c->special[i]);
    put_orbit(r, c->special[i].orbit);
  }
}

static void read_curve(row *r, const pl_model *m, pl_curve *c) {
  pl_curve k = {0};
  int start = 0;
  FETCH(r, k);
  FETCH(r, start);
  if (start < 0 || start >= (int)(sizeof starts / sizeof starts[0])) r->failed = 1;
  if (r->failed) return;
  int npoint = k.npoint, nspecial = k.nspecial;
  k.env = c->env;
  k.npoint = k.nspecial = k.cap = k.cap_special = 0;
  k.point = NULL;
  k.special = NULL;
  k.start = starts[start];
  *c = k;
  while (!r->failed && c->npoint < npoint) {
    pl_curve_point p = {0};
    FETCH(r, p);
    read_orbit(r, m, &p.orbit);
    if (pl_grow(c->env, &c->point, c->npoint, &c->cap, sizeof *c->point) != PL_OK) r->failed = 1;
    if (r->failed)
      pl_orbit_free(p.orbit);
    else
      c->point[c->npoint++] = p;
  }
  while (!r->failed && c->nspecial < nspecial) {
    pl_special s = {0};
    FETCH(r, s);
    read_orbit(r, m, &s.orbit);
    if (pl_grow(c->env, &c->special, c->nspecial, &c->cap_special, sizeof *c->special) != PL_OK)
      r->failed = 1;
    if (r->failed)
      pl_orbit_free(s.orbit);
    else
      c->special[c->nspecial++] = s;
  }
}

// ---- the way ----------------------------------------------------------------------------------

static void write_curve_point(row *r, const continuation *k, const curve_point *s) {
  PUT(r, *s);
  put(r, s->z, (2 * (size_t)k->n + 2 * (size_t)k->nprobe) * sizeof(double));
}

static void read_curve_point(row *r, const continuation *k, curve_point *s) {
  curve_point t = {0};
  FETCH(r, t);
  if (r->failed) return;
  t.z = s->z;
  t.tz = s->tz;
  t.slope = s->slope;
  t.path = s->path;
  *s = t;
  fetch(r, s->z, (2 * (size_t)k->n + 2 * (size_t)k->nprobe) * sizeof(double));
}

static void write_continuation(row *r, const continuation *k) {
  const double all[] = {k->sz, k->sw, k->ds, k->missed, k->bend_w, k->bend_z, k->bend_o};
  PUT(r, k->H);
  PUT(r, k->have_last);
  PUT(r, all);
  put(r, k->bend, (size_t)k->n * sizeof(double));
  write_curve_point(r, k, &k->first);
  write_curve_point(r, k, &k->last);
  write_curve_point(r, k, &k->at);
}

static pl_status read_continuation(row *r, continuation *k) {
  int H = 0;
  double all[7] = {0};
  FETCH(r, H);
  FETCH(r, k->have_last);
  FETCH(r, all);
  if (r->failed || H < 1 || H > HARMONICS_MAX) {
    r->failed = 1;
    return PL_OK;
  }
  PL_TRY(cont_open(k, H));
  k->sz = all[0];
  k->sw = all[1];
  k->ds = all[2];
  k->missed = all[3];
  k->bend_w = all[4];
  k->bend_z = all[5];
  k->bend_o = all[6];
  fetch(r, k->bend, (size_t)k->n * sizeof(double));
  read_curve_point(r, k, &k->first);
  read_curve_point(r, k, &k->last);
  read_curve_point(r, k, &k->at);
  return PL_OK;
}

// ---- all of it --------------------------------------------------------------------------------

int pl_trail_iterations(const pl_trail *t) {
  return t->c->iterations + (t->k ? t->k->iterations : 0);
}

// hands the numbers over
static pl_status give(row *r, double **out, size_t *n) {
  *out = r->failed ? NULL : r->x;
  *n = r->failed ? 0 : r->n;
  if (r->failed) pl_free(r->env, r->x);
  return r->failed ? PL_E_NOMEM : PL_OK;
}

pl_status pl_trail_pack(const pl_trail *t, double **out, size_t *n) {
  const continuation *k = t->k;
  row r = {.env = t->c->env};
  int shape[3] = {k ? k->nfree : -1, k ? k->nprobe : (int)t->nown, t->before != NULL};
  pl_curve now = *t->c;
  PUT(&r, shape);
  if (k) {
    write_continuation(&r, k);
    // the work of the way is added to the curve only at its end
    pl_bordered_info i = k->b ? pl_bordered_stats(k->b) : (pl_bordered_info){0};
    now.iterations += k->iterations;
    now.factorisations += k->factorisations + i.factorisations;
    now.krylov += k->krylov + i.iterations;
  }
  if (t->a) PUT(&r, *t->a);
  put(&r, t->own, t->nown * sizeof *t->own);
  put_curve(&r, &now);
  if (t->before) put_curve(&r, t->before);
  return give(&r, out, n);
}

pl_status pl_curve_pack(const pl_curve *c, double **out, size_t *n) {
  row r = {.env = c->env};
  put_curve(&r, c);
  return give(&r, out, n);
}

pl_status pl_curve_unpack(const pl_model *m, pl_env *env, size_t n, const double *x,
                          pl_curve **out) {
  row r = {.env = env, .x = (double *)(uintptr_t)x, .n = n};
  PL_TRY(curve_create(env, out));
  read_curve(&r, m, *out);
  if (!r.failed && r.at == n) return PL_OK;
  pl_curve_free(*out);
  *out = NULL;
  return pl_fail(env, PL_E_INPUT, "a curve that was kept is of another model");
}

int trail_reversed(size_t n, const double *x) {
  row r = {.x = (double *)(uintptr_t)x, .n = n};
  int shape[3] = {0};
  FETCH(&r, shape);
  return shape[2];
}

static pl_status other(pl_env *env) {
  return pl_fail(env, PL_E_INPUT, "what was kept of a curve to go on from is of another model");
}

pl_status trail_unpack(size_t n, const double *x, continuation *k, care *a, pl_curve *c,
                       pl_curve *before) {
  row r = {.env = k->env, .x = (double *)(uintptr_t)x, .n = n};
  int shape[3] = {0};
  FETCH(&r, shape);
  if (shape[0] != pl_model_nfree(k->m) || shape[1] != k->nprobe) r.failed = 1;
  if (!r.failed) PL_TRY(read_continuation(&r, k));
  if (a) FETCH(&r, *a);
  read_curve(&r, k->m, c);
  if (before && shape[2]) read_curve(&r, k->m, before);
  return !r.failed && c->npoint > 0 ? PL_OK : other(k->env);
}

pl_status trail_unpack_own(size_t n, const double *x, const pl_model *m, size_t nown, double *own,
                           pl_curve *c) {
  row r = {.env = c->env, .x = (double *)(uintptr_t)x, .n = n};
  int shape[3] = {0};
  FETCH(&r, shape);
  if (shape[0] != -1 || shape[1] != (int)nown) r.failed = 1;
  fetch(&r, own, nown * sizeof *own);
  read_curve(&r, m, c);
  return !r.failed && c->npoint > 0 ? PL_OK : other(c->env);
}

void pl_parcel_pass(pl_parcel *p, double *field, size_t n) {
  double *at = p->x ? p->x + p->n : NULL;
  if (at && n > 0) memcpy(p->load ? field : at, p->load ? at : field, n * sizeof *at);
  p->n += n;
}
