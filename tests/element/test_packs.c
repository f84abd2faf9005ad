// Closed forms of d(K v)/dq against the complex step, and kernels for packs of elements against
// those for one.
#include "kind_checks.h"

#include "pliant/math.h"

#include <string.h>

// Im K(q + i s v)/s
static void third_by_step(const sample *s, double *out) {
  double complex q[PL_NDOF_MAX], par[PL_NPAR_MAX], rest[PL_NREST_MAX];
  static double complex K[NHESS];
  for (int i = 0; i < s->n; i++) q[i] = s->q[i] + 1e-40 * s->v[i] * I;
  for (int i = 0; i < s->kind->npar; i++) par[i] = s->par[i];
  for (int i = 0; i < s->kind->nrest; i++) rest[i] = s->rest[i];
  assert_int_equal(s->kind->z.eval(q, par, rest, NULL, NULL, K), 0);
  for (int i = 0; i < s->n * s->n; i++) out[i] = cimag(K[i]) / 1e-40;
}

static void third(void **state) {
  const pl_elem_kind *kind = *state;
  double got[NHESS], want[NHESS];
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed);
    third_by_step(&s, want);
    assert_int_equal(pl_elem_third(kind, s.q, s.v, s.par, s.rest, got), PL_OK);
    compare(&s, "d(K v)/dq", s.n * s.n, got, want, 1e-12);
    for (int i = 0; i < s.n; i++)
      for (int j = 0; j < i; j++) assert_true(got[i * s.n + j] == got[j * s.n + i]);
  }
}

static void fill_lane(pl_pack *to, int lane, int n, const double *from) {
  for (int i = 0; i < n; i++) to[i][lane] = from[i];
}

static void check_lane(const sample *s, const char *what, int lane, int n, const pl_pack *got,
                       const double *want) {
  double x[NHESS];
  for (int i = 0; i < n; i++) x[i] = got[i][lane];
  compare(s, what, n, x, want, 1e-12);
}

typedef struct batch {
  sample s[PL_LANES];
  pl_pack q[PL_NDOF_MAX], v[PL_NDOF_MAX], q0[PL_NDOF_MAX];
  pl_pack par[PL_NPAR_MAX], rest[PL_NREST_MAX];
} batch;

static void make_batch(const pl_elem_kind *kind, unsigned seed, batch *l) {
  for (int k = 0; k < PL_LANES; k++) {
    sample *s = &l->s[k];
    *s = sample_make(kind, seed + (unsigned)k);
    fill_lane(l->q, k, s->n, s->q);
    fill_lane(l->v, k, s->n, s->v);
    fill_lane(l->q0, k, s->n, s->X);
    fill_lane(l->par, k, kind->npar, s->par);
    fill_lane(l->rest, k, kind->nrest, s->rest);
  }
}

// energy, gradient and H v of one call are those of the Hessian
static void check_along(const batch *l, int k, const double *g1, const double *H1) {
  static pl_pack W, g[PL_NDOF_MAX], Hv[PL_NDOF_MAX];
  const sample *s = &l->s[k];
  double W1, want[PL_NDOF_MAX];
  assert_int_equal(s->kind->d.eval(s->q, s->par, s->rest, &W1, NULL, NULL), 0);
  assert_int_equal(s->kind->along(l->q, l->v, l->par, l->rest, &W, g, Hv), 0);
  for (int i = 0; i < s->n; i++) want[i] = pl_dot(s->n, H1 + i * s->n, s->v);
  check_lane(s, "energy along v", k, 1, &W, &W1);
  check_lane(s, "gradient along v", k, s->n, g, g1);
  check_lane(s, "H v of a pack", k, s->n, Hv, want);
}

static void lanes(void **state) {
  const pl_elem_kind *kind = *state;
  static batch l;
  static pl_pack W, g[PL_NDOF_MAX], H[NHESS], T[NHESS], C[NHESS];
  double W1, g1[PL_NDOF_MAX], H1[NHESS], T1[NHESS];
  for (unsigned seed = 1; seed <= NSEED; seed += PL_LANES) {
    make_batch(kind, seed, &l);
    assert_int_equal(kind->p.eval(l.q, l.par, l.rest, &W, g, H), 0);
    if (kind->p.third) assert_int_equal(kind->p.third(l.q, l.v, l.par, l.rest, T), 0);
    if (kind->p.mixed) kind->p.mixed(l.q, l.q0, l.v, l.par, l.rest, C);
    for (int k = 0; k < PL_LANES; k++) {
      sample *s = &l.s[k];
      int nn = s->n * s->n;
      assert_int_equal(kind->d.eval(s->q, s->par, s->rest, &W1, g1, H1), 0);
      check_lane(s, "energy of a pack", k, 1, &W, &W1);
      check_lane(s, "gradient of a pack", k, s->n, g, g1);
      check_lane(s, "Hessian of a pack", k, nn, H, H1);
      if (kind->p.third) {
        third_by_step(s, T1);
        check_lane(s, "d(K v)/dq of a pack", k, nn, T, T1);
      }
      if (kind->along) check_along(&l, k, g1, H1);
      if (!kind->mixed) continue;
      kind->mixed(s->q, s->X, s->v, s->par, s->rest, H1);
      check_lane(s, "mixed stresses in a pack", k, nn, C, H1);
    }
  }
}

static void dashpots(void **state) {
  const pl_elem_kind *kind = *state;
  static batch l;
  static pl_pack f[PL_NDOF_MAX], D[NHESS], S[NHESS];
  double f1[PL_NDOF_MAX], D1[NHESS], S1[NHESS];
  for (unsigned seed = 1; seed <= NSEED; seed += PL_LANES) {
    make_batch(kind, seed, &l);
    assert_int_equal(kind->p.visc(l.q, l.v, l.par, l.rest, f, D, S), 0);
    for (int k = 0; k < PL_LANES; k++) {
      sample *s = &l.s[k];
      assert_int_equal(kind->d.visc(s->q, s->v, s->par, s->rest, f1, D1, S1), 0);
      check_lane(s, "dashpots of a pack", k, s->n, f, f1);
      check_lane(s, "their derivatives by rates", k, s->n * s->n, D, D1);
      check_lane(s, "their derivatives by places", k, s->n * s->n, S, S1);
    }
  }
}

// one element outside its domain must not pass in company
static void outside(void **state) {
  const pl_elem_kind *kind = *state;
  static batch l;
  static pl_pack H[NHESS];
  double H1[NHESS], q[PL_NDOF_MAX] = {0};
  for (int k = 0; k < PL_LANES; k++) {
    make_batch(kind, 1, &l);
    fill_lane(l.q, k, kind->ndof, q); // all vertices in one place
    int want = kind->d.eval(q, l.s[k].par, l.s[k].rest, NULL, NULL, H1);
    assert_int_equal(kind->p.eval(l.q, l.par, l.rest, NULL, NULL, H), want);
  }
}

static int has_packs(const pl_elem_kind *kind) {
  return kind->p.eval != NULL;
}

static int has_visc(const pl_elem_kind *kind) {
  return kind->p.visc != NULL;
}

int test_packs(void) {
  static const kind_test tests[] = {{"third derivatives", third, NULL},
                                    {"lanes", lanes, has_packs},
                                    {"dashpots", dashpots, has_visc},
                                    {"outside the domain", outside, has_packs}};
  return run_kinds("element.packs", tests, (int)(sizeof tests / sizeof tests[0]));
}
