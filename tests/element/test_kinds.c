// Derivatives and invariants of every kind in the table, over random samples.
#include "kind_checks.h"

#include <string.h>

typedef struct path {
  const sample *s;
  int i;           // unknown that moves
  const double *x; // vector that a matrix is applied to
} path;

static void energy_at(const void *ctx, double t, double *f) {
  const path *p = ctx;
  sample s = *p->s;
  s.q[p->i] += t;
  assert_int_equal(s.kind->d.eval(s.q, s.par, s.rest, f, NULL, NULL), 0);
}

static void grad_at(const void *ctx, double t, double *f) {
  const path *p = ctx;
  sample s = *p->s;
  s.q[p->i] += t;
  assert_int_equal(s.kind->d.eval(s.q, s.par, s.rest, NULL, f, NULL), 0);
}

static void stiffness_times(const void *ctx, double t, double *f) {
  const path *p = ctx;
  sample s = *p->s;
  double K[NHESS];
  s.q[p->i] += t;
  assert_int_equal(s.kind->d.eval(s.q, s.par, s.rest, NULL, NULL, K), 0);
  for (int i = 0; i < s.n; i++) f[i] = pl_dot(s.n, K + i * s.n, p->x);
}

// A[n][n] with column j the derivative of fn by unknown j
static void columns(const sample *s, curve fn, const double *x, double *A) {
  double column[PL_NDOF_MAX];
  for (int j = 0; j < s->n; j++) {
    differentiate(fn, &(path){s, j, x}, s->n, column);
    for (int i = 0; i < s->n; i++) A[i * s->n + j] = column[i];
  }
}

static void check_symmetric(const sample *s, const char *what, const double *A) {
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < i; j++)
      if (A[i * s->n + j] != A[j * s->n + i])
        fail_msg("%s, seed %u: %s is not symmetric at %d, %d", s->kind->name, s->seed, what, i, j);
}

static void gradient(void **state) {
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(*state, seed);
    double e, e1, g[PL_NDOF_MAX], g1[PL_NDOF_MAX], K[NHESS], want[PL_NDOF_MAX];
    assert_int_equal(s.kind->d.eval(s.q, s.par, s.rest, &e, g, K), 0);
    for (int i = 0; i < s.n; i++) differentiate(energy_at, &(path){&s, i, NULL}, 1, want + i);
    compare(&s, "grad", s.n, g, want, 1e-7);

    // what is asked for does not change what comes out
    assert_int_equal(s.kind->d.eval(s.q, s.par, s.rest, &e1, g1, NULL), 0);
    compare(&s, "energy alone", 1, &e1, &e, 1e-14);
    compare(&s, "grad alone", s.n, g1, g, 1e-14);
  }
}

static void hessian(void **state) {
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(*state, seed);
    double K[NHESS], want[NHESS];
    assert_int_equal(s.kind->d.eval(s.q, s.par, s.rest, NULL, NULL, K), 0);
    columns(&s, grad_at, NULL, want);
    compare(&s, "hess", s.n * s.n, K, want, 1e-7);
    check_symmetric(&s, "hess", K);
  }
}

// the double kernel against the complex one: gradient from energy, Hessian from gradient
static void complex_step(void **state) {
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(*state, seed);
    double complex q[PL_NDOF_MAX], X[PL_NDOF_MAX], par[PL_NPAR_MAX], rest[PL_NREST_MAX];
    double complex e, g[PL_NDOF_MAX], K[NHESS];
    double g0[PL_NDOF_MAX], K0[NHESS], g1[PL_NDOF_MAX], K1[NHESS], K2[NHESS], rest1[PL_NREST_MAX];
    for (int i = 0; i < s.n; i++) q[i] = s.q[i], X[i] = s.X[i];
    for (int i = 0; i < s.kind->npar; i++) par[i] = s.par[i];
    assert_int_equal(s.kind->z.prepare(X, rest), 0);
    for (int i = 0; i < s.kind->nrest; i++) rest1[i] = creal(rest[i]);
    compare(&s, "complex rest", s.kind->nrest, rest1, s.rest, 1e-13);

    assert_int_equal(s.kind->d.eval(s.q, s.par, s.rest, NULL, g0, K0), 0);
    for (int j = 0; j < s.n; j++) {
      q[j] = s.q[j] + 1e-40 * I;
      assert_int_equal(s.kind->z.eval(q, par, rest, &e, g, K), 0);
      q[j] = s.q[j];
      g1[j] = cimag(e) * 1e40;
      for (int i = 0; i < s.n; i++) K1[i * s.n + j] = cimag(g[i]) * 1e40;
    }
    for (int i = 0; i < s.n * s.n; i++) K2[i] = creal(K[i]);
    compare(&s, "grad by complex step", s.n, g1, g0, 1e-13);
    compare(&s, "hess by complex step", s.n * s.n, K1, K0, 1e-13);
    compare(&s, "complex hess", s.n * s.n, K2, K0, 1e-13);
  }
}

static void third(void **state) {
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(*state, seed);
    double T[NHESS], want[NHESS], zero[PL_NDOF_MAX] = {0};
    assert_int_equal(pl_elem_third(s.kind, s.q, s.v, s.par, s.rest, T), PL_OK);
    columns(&s, stiffness_times, s.v, want);
    compare(&s, "third", s.n * s.n, T, want, 1e-7);
    check_symmetric(&s, "third", T);
    assert_int_equal(pl_elem_third(s.kind, s.q, zero, s.par, s.rest, T), PL_OK);
    for (int i = 0; i < s.n * s.n; i++) assert_true(T[i] == 0);
  }
}

// y = R x + c for every vertex; in the plane when the kind lives there. Scalars stay.
static void move(const pl_elem_kind *kind, const double *R, const double *c, const double *x,
                 double *y) {
  int d = kind->vdim;
  for (int a = 0; a < kind->nvert; a++)
    for (int i = 0; i < d; i++) {
      y[a * d + i] = c[i];
      for (int j = 0; j < d; j++) y[a * d + i] += R[3 * i + j] * x[a * d + j];
    }
  for (int i = kind->nvert * d; i < kind->ndof; i++) y[i] = x[i];
}

// scalar unknowns of a kind that measures them from anchors, turned by an angle t about axis i
typedef struct spin {
  const sample *s;
  const double *q;
  int axis;
} spin;

static void scalars_at(const void *ctx, double t, double *f) {
  const spin *p = ctx;
  double axis[3] = {p->axis == 0, p->axis == 1, p->axis == 2}, R[9];
  pl_rotation3(axis, t, R);
  p->s->kind->rotate(R, p->q, p->s->par, p->s->rest, p->s->rest, 0, f);
}

// sums of forces and of moments about the origin; scalars that turn with the rest have a share
static void balance(const sample *s, const double *q, const double *g) {
  const pl_elem_kind *k = s->kind;
  double sum[6] = {0}, zero[6] = {0}, size = 0.01;
  int d = k->vdim, first = k->nvert * d;
  for (int a = 0; a < k->nvert; a++) {
    double x[3] = {0}, f[3] = {0}, m[3];
    memcpy(x, q + a * d, d * sizeof *x);
    memcpy(f, g + a * d, d * sizeof *f);
    pl_cross3(x, f, m);
    for (int i = 0; i < 3; i++) sum[i] += f[i];
    for (int i = 0; i < 3; i++) sum[3 + i] += k->planar && i < 2 ? 0 : m[i];
    size = fmax(size, fmax(1, pl_norm3(x)) * pl_norm3(f));
  }
  for (int i = 0; k->rotate && i < 3; i++) {
    double rate[PL_NDOF_MAX];
    differentiate(scalars_at, &(spin){s, q, i}, k->nscal, rate);
    sum[3 + i] += pl_dot(k->nscal, rate, g + first);
  }
  for (int i = 0; i < 6; i++) sum[i] *= 0.01 / size;
  // differences of fourth order in the share of scalars: about 1e-12 times their fifth derivative
  compare(s, "sums of forces and moments", 6, sum, zero, k->rotate ? 1e-8 : 1e-12);
}

static void rigid_motion(void **state) {
  const pl_elem_kind *kind = *state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed);
    pl_rng r;
    pl_rng_seed(&r, seed);
    double axis[3], c[3], R[9], q[PL_NDOF_MAX], e[2], g[PL_NDOF_MAX], want[PL_NDOF_MAX];
    double none[3] = {0};
    random_vector(&r, 3, axis);
    random_vector(&r, 3, c);
    if (kind->planar || kind->vdim == 2) axis[0] = axis[1] = 0;
    pl_rotation3(axis, pl_rng_uniform(&r, -3, 3), R);
    move(kind, R, c, s.q, q);
    if (kind->rotate) kind->rotate(R, s.q, s.par, s.rest, s.rest, 0, q + kind->nvert * kind->vdim);

    assert_int_equal(kind->d.eval(s.q, s.par, s.rest, e, g, NULL), 0);
    balance(&s, s.q, g);
    move(kind, R, none, g, want);
    assert_int_equal(kind->d.eval(q, s.par, s.rest, e + 1, g, NULL), 0);
    balance(&s, q, g);
    compare(&s, "energy after a rigid motion", 1, e + 1, e, 1e-12);
    // forces at fixed scalars do not turn where those are measured from anchors that stay
    if (!kind->rotate) compare(&s, "turned grad", s.n, g, want, 1e-12);
  }
}

// smallest pivot of M + shift, without pivoting
static double least_pivot(int n, const double *M, double shift) {
  double A[NHESS], least = INFINITY;
  memcpy(A, M, (size_t)(n * n) * sizeof *A);
  for (int k = 0; k < n; k++) A[k * n + k] += shift;
  for (int k = 0; k < n; k++) {
    least = fmin(least, A[k * n + k]);
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i * n + j] -= A[i * n + k] * A[k * n + j] / A[k * n + k];
  }
  return least;
}

static void mass(void **state) {
  const pl_elem_kind *kind = *state;
  int d = kind->vdim;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed);
    double M[2][NHESS], total[2][3] = {{0}};
    for (int lumped = 0; lumped < 2; lumped++) {
      assert_int_equal(kind->d.mass(s.par, s.rest, lumped, M[lumped]), 0);
      check_symmetric(&s, "mass", M[lumped]);
      for (int i = 0; i < s.n; i++)
        for (int j = 0; j < s.n; j++) {
          double m = M[lumped][i * s.n + j];
          // directions and scalars do not mix, and a lumped mass is diagonal
          int scalar = i >= kind->nvert * d || j >= kind->nvert * d;
          if ((scalar ? i != j : i % d != j % d) || (lumped && i != j)) assert_true(m == 0);
          if (!scalar) total[lumped][i % d] += m;
        }
      check_less(0, least_pivot(s.n, M[lumped], 1e-12));
    }
    for (int i = 0; i < d; i++) {
      check_rel(total[0][i], total[0][0], 1e-14);
      check_rel(total[1][i], total[0][i], 1e-13);
    }
  }
}

static void visc_by_v(const void *ctx, double t, double *f) {
  const path *p = ctx;
  sample s = *p->s;
  s.v[p->i] += t;
  assert_int_equal(s.kind->d.visc(s.q, s.v, s.par, s.rest, f, NULL, NULL), 0);
}

static void visc_by_q(const void *ctx, double t, double *f) {
  const path *p = ctx;
  sample s = *p->s;
  s.q[p->i] += t;
  assert_int_equal(s.kind->d.visc(s.q, s.v, s.par, s.rest, f, NULL, NULL), 0);
}

static void viscous(void **state) {
  const pl_elem_kind *kind = *state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed);
    double f[PL_NDOF_MAX], D[NHESS], S[NHESS], want[NHESS];
    assert_int_equal(kind->d.visc(s.q, s.v, s.par, s.rest, f, D, S), 0);
    columns(&s, visc_by_v, NULL, want);
    compare(&s, "damp", s.n * s.n, D, want, 1e-7);
    columns(&s, visc_by_q, NULL, want);
    compare(&s, "stiff", s.n * s.n, S, want, 1e-7);
    for (int i = 0; i < s.n * s.n && !kind->damped; i++) assert_true(S[i] == 0);

    // a dashpot takes energy out; given matrix entries (coupling) need not
    for (int k = 0; k < kind->npar; k++)
      if (strcmp(kind->par[k].name, "damping") == 0) {
        s.par[k] = fabs(s.par[k]);
        assert_int_equal(kind->d.visc(s.q, s.v, s.par, s.rest, f, NULL, NULL), 0);
        assert_true(pl_dot(s.n, s.v, f) >= 0);
      }
  }
}

static void tables(void **state) {
  const pl_elem_kind *kind = *state;
  assert_ptr_equal(pl_elem_find(kind->name), kind);
  assert_int_equal(kind->ndof, kind->nvert * kind->vdim + kind->nscal);
  assert_true(kind->ndof <= PL_NDOF_MAX && kind->npar <= PL_NPAR_MAX);
  assert_true(kind->nrest <= PL_NREST_MAX && strlen(kind->text) > 0);
  for (int k = 0; k < kind->npar; k++) {
    const pl_option *p = kind->par + k;
    assert_true(p->lo <= p->value && p->value <= p->hi && strlen(p->text) > 0 && p->unit);
    for (int j = 0; j < k; j++) assert_string_not_equal(p->name, kind->par[j].name);
  }
  assert_true((kind->nfield > 0) == (kind->field != NULL));
  if (!kind->field) return;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    sample s = sample_make(kind, seed);
    double value[8];
    assert_true(kind->nfield <= 8);
    kind->field(s.q, s.par, s.rest, value);
    assert_true(pl_all_finite(kind->nfield, value));
  }
  assert_null(pl_elem_find("no such kind"));
}

static int moves(const pl_elem_kind *kind) {
  // outer forces act from outside
  return !kind->inert && !kind->outer;
}
// given matrix entries (inert kinds) need not be positive
static int has_mass(const pl_elem_kind *kind) {
  return kind->d.mass && !kind->inert;
}
static int has_dashpot(const pl_elem_kind *kind) {
  return kind->d.visc != NULL;
}

int test_kinds(void) {
  static const kind_test tests[] = {
      {"gradient", gradient, NULL},          {"hessian", hessian, NULL},
      {"complex step", complex_step, NULL},  {"third", third, NULL},
      {"rigid motion", rigid_motion, moves}, {"mass", mass, has_mass},
      {"viscous", viscous, has_dashpot},     {"tables", tables, NULL}};
  return run_kinds("element.kinds", tests, (int)(sizeof tests / sizeof tests[0]));
}
