#include "reference.h"
#include "sample_models.h"

static pl_env env;

// ---- one harmonic: everything in closed form ---------------------------------------------------

// with a = A^2, W = omega^2, kappa = k + 3/4 gamma a:
//   G = ((kappa - W)^2 + c^2 W) a - F^2 = 0, folds where dG/da = 0, peaks where dG/dW = 0
typedef struct duffing {
  double k, g, c, F;
} duffing;

static double fold_residual(const duffing *d, double a, int side, double *W) {
  double kappa = d->k + 0.75 * d->g * a, half = kappa - d->c * d->c / 2;
  double disc = half * half - kappa * kappa + d->F * d->F / a;
  *W = half + side * sqrt(fmax(0, disc));
  return (kappa - *W) * (kappa - *W) + d->c * d->c * *W + 1.5 * d->g * a * (kappa - *W);
}

// a of the peak: 3/4 gamma c^2 a^2 + (c^2 k - c^4/4) a - F^2 = 0
static double peak_square(const duffing *d) {
  double A = 0.75 * d->g * d->c * d->c, B = d->c * d->c * (d->k - d->c * d->c / 4),
         C = -d->F * d->F;
  return 2 * -C / (B + sqrt(B * B - 4 * A * C));
}

static int closed_folds(const duffing *d, double most, double *omega, double *size) {
  enum { GRID = 20000 };
  int n = 0;
  for (int side = -1; side <= 1; side += 2) {
    double W, last = fold_residual(d, most / GRID, side, &W);
    for (int i = 1; i < GRID; i++) {
      double lo = most * i / GRID, hi = most * (i + 1) / GRID, f = fold_residual(d, hi, side, &W);
      if ((f > 0) == (last > 0)) continue;
      for (int it = 0; it < 200; it++) {
        double mid = (lo + hi) / 2;
        if ((fold_residual(d, mid, side, &W) > 0) == (last > 0))
          lo = mid;
        else
          hi = mid;
      }
      last = f;
      size[n] = sqrt(lo);
      omega[n++] = sqrt(W);
    }
  }
  return n;
}

static void check_duffing(const duffing *d, double from, double to) {
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, d->k, 0, d->g, d->c, d->F, 1);
  ref_model(&r, &env, &kit, &b);
  pl_response_opts o = ref_opts(from, to, 1);
  pl_curve *c;
  int node = 0;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &c));
  assert_int_equal(c->reason, PL_STOP_END);
  for (int i = 0; i < c->npoint; i++) {
    const pl_orbit *p = c->point[i].orbit;
    double a = p->z[1] * p->z[1] + p->z[2] * p->z[2], W = p->omega * p->omega;
    double kappa = d->k + 0.75 * d->g * a;
    check_rel(((kappa - W) * (kappa - W) + d->c * d->c * W) * a, d->F * d->F, 1e-6);
    check_less(c->point[i].residual, o.rtol);
  }
  check_close(c->point[0].orbit->omega, from, 0);
  check_close(c->point[c->npoint - 1].orbit->omega, to, 0);
  const pl_special *f[4], *p[4];
  double a = peak_square(d), w[4], A[4];
  assert_int_equal(count_special(c, PL_PEAK, p, 4), 1);
  check_rel(p[0]->omega, sqrt(d->k + 0.75 * d->g * a - d->c * d->c / 2), 1e-9);
  check_rel(p[0]->amplitude, 4 * sqrt(a), 1e-9);
  assert_int_equal(closed_folds(d, 1.01 * a, w, A), 2);
  assert_int_equal(count_special(c, PL_FOLD, f, 4), 2);
  for (int i = 0; i < 2; i++) {
    int j = fabs(f[i]->omega - w[0]) < fabs(f[i]->omega - w[1]) ? 0 : 1;
    check_rel(f[i]->omega, w[j], 1e-9);
    check_rel(f[i]->amplitude, 4 * A[j], 1e-7);
  }
  assert_int_equal(count_special(c, PL_BRANCH_POINT, f, 4), 0);
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

static void one_harmonic(void **state) {
  (void)state;
  const duffing hard = {1, 0.5, 0.05, 0.2}, soft = {1, -0.05, 0.04, 0.06},
                sharp = {4, 30, 0.01, 0.01};
  check_duffing(&hard, 0.3, 2.5);
  check_duffing(&hard, 2.5, 0.3);
  check_duffing(&soft, 0.4, 1.6);
  check_duffing(&soft, 1.6, 0.4);
  check_duffing(&sharp, 1, 4);
}

static void linear_peak(void **state) {
  (void)state;
  const double k = 9, c = 0.3, F = 2;
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, k, 0, 0, c, F, 3);
  ref_model(&r, &env, &kit, &b);
  pl_response_opts o = ref_opts(1, 6, 0);
  pl_curve *cu;
  int node = 0;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &cu));
  const pl_special *p[2];
  assert_int_equal(cu->nspecial, 1);
  assert_int_equal(count_special(cu, PL_PEAK, p, 2), 1);
  check_rel(p[0]->omega, sqrt(k - c * c / 2), 1e-9);
  check_rel(p[0]->amplitude, 4 * F / (c * sqrt(k - c * c / 4)), 1e-10);
  pl_curve_free(cu);
  // a branch that still rises at the end has no peak
  o.to = 2.9;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &cu));
  assert_int_equal(cu->nspecial, 0);
  pl_curve_free(cu);
  kit_model_free(&b);
  kit_free(&kit);
}

// ---- several harmonics: the independent balance -------------------------------------------------

// every fold and peak of the curve against the reference, at equal truncation
static void check_reference(const reference *r, double from, double to, int dof, int nfold,
                            int npeak) {
  model_kit kit;
  kit_model b;
  ref_model(r, &env, &kit, &b);
  pl_response_opts o = ref_opts(from, to, r->H);
  o.stability = 0;
  pl_curve *c;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &dof, NULL, &c));
  const pl_special *s[16];
  double z[REF_MAX], path;
  size_t bytes = (size_t)ref_size(r) * sizeof(double);
  assert_int_equal(count_special(c, PL_FOLD, s, 16), nfold);
  for (int i = 0; i < nfold; i++) {
    memcpy(z, s[i]->orbit->z, bytes);
    check_rel(s[i]->omega, ref_fold(r, dof, z, s[i]->omega), 1e-9);
    check_rel(s[i]->amplitude, ref_path(r, dof, z, NULL), 1e-6);
  }
  assert_int_equal(count_special(c, PL_PEAK, s, 16), npeak);
  for (int i = 0; i < npeak; i++) {
    memcpy(z, s[i]->orbit->z, bytes);
    check_rel(s[i]->omega, ref_peak(r, dof, z, s[i]->omega, &path), 1e-8);
    check_rel(s[i]->amplitude, path, 1e-9);
  }
  // points lie on the reference's curve
  for (int i = 0; i < c->npoint; i += 7) {
    double w = c->point[i].orbit->omega;
    memcpy(z, c->point[i].orbit->z, bytes);
    check_less(ref_newton(r, -1, 0, z, &w, NULL), 1e-10);
    check_array(ref_size(r), c->point[i].orbit->z, z, 1e-6 * pl_max_abs(ref_size(r), z));
  }
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

static void several_harmonics(void **state) {
  (void)state;
  reference r;
  ref_oscillator(&r, 1, 0, 1, 0.1, 0.3, 5);
  check_reference(&r, 0.8, 2.5, 0, 2, 1);
  ref_oscillator(&r, 1, 0, -0.05, 0.05, 0.08, 5);
  check_reference(&r, 1.5, 0.6, 0, 2, 1);
  // quadratic and cubic: softening at first, a mean offset, even harmonics
  ref_oscillator(&r, 1, 0.6, 0.3, 0.05, 0.06, 6);
  check_reference(&r, 0.7, 1.4, 0, 2, 1);
}

static void two_unknowns(void **state) {
  (void)state;
  reference r = {.n = 2, .H = 5, .mass = {1, 1}, .load = {0.15, 0}};
  ref_spring(&r, -1, 0, 1, 0, 0.5, 0.02);
  ref_spring(&r, 0, 1, 1, 0, 0.1, 0.02);
  ref_spring(&r, -1, 1, 1, 0, 0, 0.02);
  check_reference(&r, 0.8, 2.4, 0, 4, 2);
}

static void chain_of_ten(void **state) {
  (void)state;
  reference r = {.n = 10, .H = 3, .load = {[9] = 0.01}};
  for (int i = 0; i < 10; i++) {
    r.mass[i] = 1;
    ref_spring(&r, i - 1, i, 1, 0, 0.5, 0.02);
  }
  check_reference(&r, 0.1, 0.8, 9, 6, 4);
}

// a lightly damped chain with a free end has a peak near every mode 2 sin((2j - 1) pi / 42),
// however narrow they are against the range
static void no_peak_is_missed(void **state) {
  (void)state;
  reference r = {.n = 10, .H = 1, .load = {[9] = 0.001}};
  model_kit kit;
  kit_model b;
  for (int i = 0; i < 10; i++) {
    r.mass[i] = 1;
    ref_spring(&r, i - 1, i, 1, 0, 0, 0.002);
  }
  ref_model(&r, &env, &kit, &b);
  pl_response_opts o = ref_opts(0.05, 2.2, 1);
  o.stability = 0;
  pl_curve *c;
  int node = 9;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &c));
  assert_int_equal(c->nspecial, 10);
  for (int j = 0; j < 10; j++) {
    assert_int_equal(c->special[j].kind, PL_PEAK);
    check_rel(c->special[j].omega, 2 * sin((2 * j + 1) * PL_PI / 42), 2e-3);
  }
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

// ---- the same curve, told differently ---------------------------------------------------------

static void both_directions(void **state) {
  (void)state;
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, 1, 0.2, 0.8, 0.08, 0.25, 4);
  ref_model(&r, &env, &kit, &b);
  pl_response_opts o = ref_opts(0.7, 2.2, 4);
  pl_curve *up, *down, *half;
  int node = 0;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &up));
  o.from = 2.2;
  o.to = 0.7;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &down));
  assert_int_equal(up->nspecial, down->nspecial);
  for (int i = 0; i < up->nspecial; i++) {
    const pl_special *a = &up->special[i], *z = &down->special[down->nspecial - 1 - i];
    assert_int_equal(a->kind, z->kind);
    check_rel(a->omega, z->omega, 1e-9);
    check_rel(a->amplitude, z->amplitude, 1e-7);
  }
  // begun in the middle from a given motion
  o.from = 1.2;
  o.to = 2.2;
  const pl_orbit *on = NULL;
  for (int i = 0; i < up->npoint; i++)
    if (!on || fabs(up->point[i].orbit->omega - 1.2) < fabs(on->omega - 1.2))
      on = up->point[i].orbit;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, on, &half));
  assert_string_equal(half->start, "given");
  const pl_special *p[2], *q[2];
  assert_int_equal(count_special(half, PL_PEAK, p, 2), 1);
  assert_int_equal(count_special(up, PL_PEAK, q, 2), 1);
  check_rel(p[0]->omega, q[0]->omega, 1e-9);
  pl_curve_free(up);
  pl_curve_free(down);
  pl_curve_free(half);
  kit_model_free(&b);
  kit_free(&kit);
}

// up and down again: the same folds; returns how many, the first ones in fold
static int folds_both_ways(const reference *r, double lo, double hi, double *fold, int most) {
  model_kit kit;
  kit_model b;
  pl_curve *c[2];
  int n[2];
  ref_model(r, &env, &kit, &b);
  for (int way = 0; way < 2; way++) {
    pl_response_opts o = ref_opts(way ? hi : lo, way ? lo : hi, r->H);
    o.stability = 0;
    check_ok(&env, pl_response(&o, b.m, b.p, b.w, 0, NULL, NULL, &c[way]));
    assert_int_equal(c[way]->reason, PL_STOP_END);
    check_close(c[way]->point[0].orbit->omega, o.from, 0);
    check_close(c[way]->point[c[way]->npoint - 1].orbit->omega, o.to, 0);
  }
  const pl_special *s[2][64];
  for (int way = 0; way < 2; way++) n[way] = count_special(c[way], PL_FOLD, s[way], 64);
  assert_int_equal(n[0], n[1]);
  for (int i = 0; i < n[0]; i++) {
    check_rel(s[0][i]->omega, s[1][n[0] - 1 - i]->omega, r->H ? 1e-8 : 1e-4);
    if (i < most) fold[i] = s[0][i]->omega;
  }
  for (int way = 0; way < 2; way++) pl_curve_free(c[way]);
  kit_model_free(&b);
  kit_free(&kit);
  return n[0];
}

// x'' + 0.05 x' + x + 0.1 x^3 = P cos, far below the resonance: many superharmonic ones, and no
// start that three harmonics hold; folds of P = 3 with a fixed number of 17 to 48 harmonics
static void strong_drives(void **state) {
  (void)state;
  static const double known[] = {0.457133, 0.450766, 4.128698, 1.630797};
  double fold[64];
  reference r;
  ref_oscillator(&r, 1, 0, 0.1, 0.05, 3, 0);
  assert_int_equal(folds_both_ways(&r, 0.1, 8, fold, 64), 4);
  for (int i = 0; i < 4; i++) check_close(fold[i], known[i], 2e-6);
  ref_oscillator(&r, 1, 0, 0.1, 0.05, 10, 0);
  assert_int_equal(folds_both_ways(&r, 0.1, 8, fold, 64), 12);
}

// quadratic and cubic with five harmonics: curves pass each other closely
static void no_jumps(void **state) {
  (void)state;
  double fold[64];
  reference r;
  ref_oscillator(&r, 1, -0.369, 0.49, 0.045, 9.401, 5);
  assert_int_equal(folds_both_ways(&r, 0.15, 5, fold, 64), 10);
  ref_oscillator(&r, 1, 0.989, 0.265, 0.043, 4.991, 5);
  assert_int_equal(folds_both_ways(&r, 0.15, 5, fold, 64), 14);
}

// the number of harmonics follows the motion: the curve agrees with one of many harmonics
static void harmonics_adapt(void **state) {
  (void)state;
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, 1, 0.3, 1, 0.1, 1.2, 24);
  ref_model(&r, &env, &kit, &b);
  pl_response_opts o = ref_opts(3, 0.25, 0);
  o.adapt = 1e-4;
  o.stability = 0;
  pl_curve *c;
  int node = 0;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &c));
  assert_true(c->point[c->npoint - 1].orbit->nharm > c->point[0].orbit->nharm);
  double worst = 0;
  for (int i = 0; i < c->npoint; i += 5) {
    pl_orbit *full;
    check_ok(&env, pl_orbit_copy(c->point[i].orbit, 24, &full));
    double z[REF_MAX], w = full->omega, d = 0, s = 0;
    memcpy(z, full->z, 49 * sizeof *z);
    check_less(ref_newton(&r, -1, 0, z, &w, NULL), 1e-10);
    for (int k = 1; k < 49; k++) {
      int h = (k + 1) / 2;
      d += h * h * (z[k] - full->z[k]) * (z[k] - full->z[k]);
      s += h * h * z[k] * z[k];
    }
    worst = fmax(worst, sqrt(d / s));
    pl_orbit_free(full);
  }
  check_less(worst, 1e-3);
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

// three motions of a Duffing oscillator with one harmonic: roots of ((kappa - W)^2 + c^2 W) a = F^2
static void a_branch_is_chosen(void **state) {
  (void)state;
  const double k = 1, g = 0.05, c = 0.1, F = 0.5, w = 1.2;
  double root[4], last = -F * F;
  int n = 0;
  for (int i = 1; i < 400000 && n < 4; i++) {
    double a = i * 1e-4, d = k + 0.75 * g * a - w * w, G = (d * d + c * c * w * w) * a - F * F;
    if ((G > 0) != (last > 0)) root[n++] = sqrt(a);
    last = G;
  }
  assert_int_equal(n, 3);
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, k, 0, g, c, F, 1);
  ref_model(&r, &env, &kit, &b);
  const int branch[] = {PL_BRANCH_LOWER,     PL_BRANCH_MIDDLE,    PL_BRANCH_UPPER,
                        PL_BRANCH_FIRST,     PL_BRANCH_FIRST + 1, PL_BRANCH_FIRST + 2,
                        PL_BRANCH_FIRST + 3, PL_BRANCH_NEAR};
  for (int i = 0; i < 8; i++) {
    pl_periodic_opts o;
    pl_periodic_info info;
    pl_orbit *m = NULL;
    pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
    o.frequency = w;
    o.harmonics = 1;
    o.branch = branch[i];
    o.near = 1.1 * root[1];
    // there is no fourth one
    if (i == 6) {
      assert_int_equal(pl_periodic(&o, b.m, b.p, b.w, &m, &info), PL_E_INPUT);
      assert_non_null(strstr(env.error.text, "3 were found"));
      assert_null(m);
      continue;
    }
    check_ok(&env, pl_periodic(&o, b.m, b.p, b.w, &m, &info));
    assert_int_equal(info.motions, 3);
    assert_string_equal(info.start, "branch");
    check_rel(hypot(m->z[1], m->z[2]), root[i < 6 ? i % 3 : 1], 2e-4);
    pl_orbit_free(m);
  }
  kit_model_free(&b);
  kit_free(&kit);
}

// ---- a driven mechanism -----------------------------------------------------------------------

// largest coefficient of the time-domain residual over that of the inertia forces
static double projected(const kit_model *b, const pl_orbit *o) {
  enum { N = 128 };
  int L = 2 * o->nharm + 1;
  const int *dof = pl_model_free_dofs(b->m);
  double most = 0, size = 0;
  for (int j = 0; j < o->nfree; j++)
    for (int a = 0; a < L; a++) {
      double sum = 0;
      for (int i = 0; i < N; i++) {
        double phase = 2 * PL_PI * i / N;
        pl_orbit_state(b->m, b->p, o, phase, b->s);
        pl_clock c = {.t = phase / o->omega, .omega = o->omega, .scale = 1};
        check_ok(&env, pl_eval(b->m, b->p, b->s, &c, PL_WANT_FORCE | PL_DYNAMIC, NULL, b->w));
        sum += 2.0 / N * ref_basis(a, phase) * b->w->r[dof[j]];
        size = fmax(size, fabs(b->w->f_inner[dof[j]]));
      }
      most = fmax(most, fabs(sum));
    }
  return most / size;
}

static void driven_mechanism(void **state) {
  (void)state;
  model_kit kit;
  kit_model b;
  sample_mechanism(&kit, &env);
  kit_build(&kit, 1, &b);
  pl_response_opts o = ref_opts(2, 9, 4);
  // as many samples as the check takes, so that both alias the same
  o.samples = 128;
  pl_curve *c;
  int node = 3;
  check_ok(&env, pl_response(&o, b.m, b.p, b.w, 1, &node, NULL, &c));
  for (int i = 0; i < c->npoint; i += 10) check_less(projected(&b, c->point[i].orbit), 1e-8);
  const pl_special *p[8];
  int n = count_special(c, PL_PEAK, p, 8);
  assert_true(n >= 1);
  for (int i = 0; i < n && i < 8; i++)
    for (int side = -1; side <= 1; side += 2) {
      // beside the peak the node moves less
      pl_periodic_opts po;
      pl_periodic_info info;
      pl_orbit *at;
      pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &po);
      po.frequency = p[i]->omega * (1 + side * 2e-5);
      po.harmonics = 4;
      po.samples = 128;
      check_ok(&env, pl_orbit_copy(p[i]->orbit, 4, &at));
      check_ok(&env, pl_periodic(&po, b.m, b.p, b.w, &at, &info));
      assert_true(pl_orbit_path(b.m, b.p, at, node, 0, NULL) < p[i]->amplitude);
      pl_orbit_free(at);
    }
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

// ---- refusals, cancelling, memory -------------------------------------------------------------

static int stop_later(void *ctx, const pl_progress *p) {
  (void)p;
  return --*(int *)ctx < 0;
}

static void nonsense_is_refused(void **state) {
  (void)state;
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, 1, 0, 0.5, 0.1, 0.1, 1);
  ref_model(&r, &env, &kit, &b);
  const double range[][2] = {{1, 1}, {0, 1}, {1, 0}, {-1, 2}, {1, -2}, {NAN, 1}, {1, INFINITY}};
  pl_curve *c;
  for (size_t i = 0; i < sizeof range / sizeof range[0]; i++) {
    pl_response_opts o = ref_opts(range[i][0], range[i][1], 1);
    check_status(&env, pl_response(&o, b.m, b.p, b.w, 0, NULL, NULL, &c), PL_E_INPUT);
    assert_null(c);
  }
  pl_response_opts o = ref_opts(0.5, 2, 5);
  o.samples = 10;
  check_status(&env, pl_response(&o, b.m, b.p, b.w, 0, NULL, NULL, &c), PL_E_INPUT);
  o = ref_opts(0.5, 2, 1);
  int outside = 1;
  check_status(&env, pl_response(&o, b.m, b.p, b.w, 1, &outside, NULL, &c), PL_E_ARG);
  // too few points: the part that was done comes back
  o.points = 5;
  check_status(&env, pl_response(&o, b.m, b.p, b.w, 0, NULL, NULL, &c), PL_UNSOLVED);
  assert_int_equal(c->npoint, 5);
  assert_int_equal(c->reason, PL_STOP_POINTS);
  pl_curve_free(c);
  o.points = 5000;
  int left = 20;
  env.progress = stop_later;
  env.progress_ctx = &left;
  check_status(&env, pl_response(&o, b.m, b.p, b.w, 0, NULL, NULL, &c), PL_CANCELLED);
  env.progress = NULL;
  assert_int_equal(c->reason, PL_STOP_CANCELLED);
  assert_true(c->npoint > 0);
  pl_curve_free(c);
  kit_model_free(&b);
  kit_free(&kit);
}

static void undamped_resonance_is_reported(void **state) {
  (void)state;
  reference r;
  model_kit kit;
  kit_model b;
  ref_oscillator(&r, 1, 0, 0, 0, 0.1, 1);
  ref_model(&r, &env, &kit, &b);
  pl_response_opts o = ref_opts(0.5, 2, 1);
  o.stability = 0;
  pl_curve *c;
  check_status(&env, pl_response(&o, b.m, b.p, b.w, 0, NULL, NULL, &c), PL_E_INPUT);
  assert_null(c);
  assert_non_null(strstr(env.error.text, "undamped"));
  kit_model_free(&b);
  kit_free(&kit);
}

static pl_status allocating(pl_env *e, void *ctx) {
  (void)ctx;
  pl_builder *d = oscillator_builder(e, (double[]){1, 0, 0.5, 0.1}, 1, 0.3);
  pl_built m = {0};
  pl_curve *c = NULL;
  pl_response_opts o = ref_opts(0.9, 0.92, 2);
  o.max_step = o.step = 1;
  int node = 0;
  pl_status st = d ? pl_build_all(d, 1, &m) : PL_E_NOMEM;
  if (st == PL_OK) st = pl_response(&o, m.model, m.params, m.work, 1, &node, NULL, &c);
  pl_curve_free(c);
  pl_built_free(&m);
  return st;
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(allocating, NULL);
}

int test_response(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_harmonic),        cmocka_unit_test(linear_peak),
      cmocka_unit_test(several_harmonics),   cmocka_unit_test(two_unknowns),
      cmocka_unit_test(chain_of_ten),        cmocka_unit_test(no_peak_is_missed),
      cmocka_unit_test(both_directions),     cmocka_unit_test(strong_drives),
      cmocka_unit_test(a_branch_is_chosen),  cmocka_unit_test(no_jumps),
      cmocka_unit_test(harmonics_adapt),     cmocka_unit_test(driven_mechanism),
      cmocka_unit_test(nonsense_is_refused), cmocka_unit_test(undamped_resonance_is_reported),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("harmonic.response", tests, NULL, NULL);
}
