// Free flight of a spinning elastic block, Newmark: linear momentum is kept to rounding (forces of
// elements sum to zero, and the mean of accelerations is exact for constant ones), angular momentum
// to second order in the step.
#include "../golden/golden.h"

static pl_env env;

static const double SPIN[3] = {3, 8, -5}, FLY[3] = {0.4, -0.3, 0.7};

typedef struct block {
  model_kit k;
  kit_model b;
} block;

static void block_open(block *f, const char *kind, double gravity) {
  static const int n[3] = {2, 2, 3};
  static const double l[3] = {0.2, 0.3, 0.5}, par[3] = {1e5, 0.3, 1000};
  kit_init(&f->k, &env, 3);
  kit_box(&f->k, kind, n, l, par);
  f->k.d.gravity[2] = -gravity;
  kit_build(&f->k, 1, &f->b);
  for (int i = 0; i < f->k.d.nnode; i++) {
    double r[3], *v = f->b.s->v + 3 * i;
    const double mid[3] = {0.1, 0.15, 0.25};
    pl_sub3(f->b.p->X + 3 * i, mid, r);
    pl_cross3(SPIN, r, v);
    for (int c = 0; c < 3; c++) v[c] += FLY[c];
  }
}

static void block_close(block *f) {
  kit_model_free(&f->b);
  kit_free(&f->k);
}

// largest change of both momenta in a flight, over what they were
typedef struct drift {
  const kit_model *b;
  double gravity, p0[3], l0[3], lin, ang;
} drift;

static int probe(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  (void)w;
  drift *d = ctx;
  double mass, p[3], l[3];
  pl_momentum(d->b->m, d->b->p, s, &mass, p, l);
  p[2] += mass * d->gravity * c->t;
  pl_sub3(p, d->p0, p);
  pl_sub3(l, d->l0, l);
  d->lin = fmax(d->lin, pl_norm3(p) / pl_norm3(d->p0));
  d->ang = fmax(d->ang, pl_norm3(l) / pl_norm3(d->l0));
  return 0;
}

// 0.2 s are a third of a turn and some periods of the slowest vibrations
static drift fly(const char *kind, int nstep, double gravity) {
  static block f;
  double mass;
  block_open(&f, kind, gravity);
  drift d = {.b = &f.b, .gravity = gravity};
  pl_momentum(f.b.m, f.b.p, f.b.s, &mass, d.p0, d.l0);
  pl_transient_opts o = golden_transient_opts(0.2 / nstep, 0.2);
  o.rtol = 1e-12;
  check_ok(&env, pl_transient(&o, f.b.m, f.b.p, f.b.s, NULL, f.b.w, probe, &d, NULL));
  block_close(&f);
  return d;
}

static void momenta(void **state) {
  (void)state;
  static const char *const kinds[] = {"tet4", "hex8", "hex8_nh"};
  for (int k = 0; k < 3; k++) {
    double h[4], ang[4];
    for (int i = 0; i < 4; i++) {
      int nstep = 100 << i;
      h[i] = 0.2 / nstep;
      drift d = fly(kinds[k], nstep, 0);
      // some hundred steps, each with the rounding of a sum
      check_less(d.lin, 1e-13);
      ang[i] = d.ang;
    }
    check_less(1.9, order_slope(4, h, ang));
    check_less(fly(kinds[k], 100, 9.81).lin, 1e-13);
  }
}

// the centre of mass falls on Galilei's parabola whatever the step
static void falling(void **state) {
  (void)state;
  static block f;
  double x[3] = {0}, x0[3] = {0}, total = 0, T = 0.3;
  block_open(&f, "hex8", 9.81);
  int nq = f.b.s->nq;
  double *q0 = kit_keep(&f.k, nq, sizeof *q0), *mq = kit_keep(&f.k, nq, sizeof *mq);
  pl_csc_mul(&f.b.p->M, 1, f.b.s->q, 0, q0);
  pl_transient_opts o = golden_transient_opts(T / 60, T);
  o.rtol = 1e-12;
  check_ok(&env, pl_transient(&o, f.b.m, f.b.p, f.b.s, NULL, f.b.w, NULL, NULL, NULL));
  pl_csc_mul(&f.b.p->M, 1, f.b.s->q, 0, mq);
  for (int i = 0; i < nq; i++) {
    x0[i % 3] += q0[i];
    x[i % 3] += mq[i];
  }
  double lin[3], ang[3];
  pl_momentum(f.b.m, f.b.p, f.b.s, &total, lin, ang);
  for (int c = 0; c < 3; c++)
    check_close((x[c] - x0[c]) / total, FLY[c] * T - (c == 2) * 9.81 * T * T / 2, 1e-12);
  block_close(&f);
}

int test_flight(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momenta),
      cmocka_unit_test(falling),
  };
  pl_env_init(&env);
  return cmocka_run_group_tests_name("flight", tests, NULL, NULL);
}
