#include "mails.h"

#include <stdlib.h>

// Derivatives of gaps and limits by shapes.

// ---- gaps ---------------------------------------------------------------------------------------

static pl_pose random_pose(pl_rng *r, double far) {
  double axis[3];
  for (int i = 0; i < 3; i++) axis[i] = pl_rng_uniform(r, -1, 1);
  pl_pose p = pose_at(0, 0, 0, axis, pl_rng_uniform(r, -180, 180));
  for (int i = 0; i < 3; i++) p.x[i] = pl_rng_uniform(r, -far, far);
  return p;
}

// a piece with room for its harmonics
typedef struct shape {
  pl_piece p;
  double cosine[5][3], sine[5][3];
} shape;

static void make(int kind, shape *s) {
  sample_mail knot;
  torus_knot(&knot, 0.5);
  memcpy(s->cosine, knot.cosine, sizeof s->cosine);
  memcpy(s->sine, knot.sine, sizeof s->sine);
  s->p = kind == 0   ? ring(0.3, -0.2, 0.5, 1, 2, 2, 4, 0.4, 0.4)
         : kind == 1 ? ring(0.3, -0.2, 0.5, 2, -1, 2, 4, 0.4, 0.7)
         : kind == 2 ? ring(-0.1, 0.4, 0.2, 0, 0, 1, 4, 0.7, 0.4)
                     : knot.piece[0];
  s->p.cosine = (const double(*)[3])s->cosine;
  s->p.sine = (const double(*)[3])s->sine;
}

// a random change of all that a piece is made of, by a weight; rings keep a unit axis
static void change(const shape *from, const shape *rate, double w, shape *to) {
  *to = *from;
  for (int i = 0; i < 3; i++) to->p.centre[i] += w * rate->p.centre[i];
  if (from->p.kind == PL_PIECE_RING) {
    double axis[3];
    for (int i = 0; i < 3; i++) axis[i] = from->p.axis[i] + w * rate->p.axis[i];
    to->p = pl_piece_ring(to->p.centre, axis, from->p.major + w * rate->p.major,
                          from->p.radius + w * rate->p.radius, from->p.height + w * rate->p.height);
  } else
    to->p.radius += w * rate->p.radius;
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 3; i++) {
      to->cosine[k][i] += w * rate->cosine[k][i];
      to->sine[k][i] += w * rate->sine[k][i];
    }
  to->p.cosine = (const double(*)[3])to->cosine;
  to->p.sine = (const double(*)[3])to->sine;
}

static void random_rate(pl_rng *r, shape *d) {
  memset(d, 0, sizeof *d);
  for (int i = 0; i < 3; i++) {
    d->p.centre[i] = pl_rng_uniform(r, -1, 1);
    d->p.axis[i] = pl_rng_uniform(r, -1, 1);
  }
  d->p.major = pl_rng_uniform(r, -1, 1);
  d->p.radius = pl_rng_uniform(r, -0.3, 0.3);
  d->p.height = pl_rng_uniform(r, -0.3, 0.3);
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 3; i++) {
      d->cosine[k][i] = pl_rng_uniform(r, -0.3, 0.3);
      d->sine[k][i] = pl_rng_uniform(r, -0.3, 0.3);
    }
  d->p.cosine = (const double(*)[3])d->cosine;
  d->p.sine = (const double(*)[3])d->sine;
}

// Smallest gaps of all pairs of kinds; a round section may become an ellipse. Nearest points of
// pieces whose frames turn lie at other parameters, so that gaps are found anew.
static void gaps(void **state) {
  (void)state;
  const double h = 1e-4;
  pl_rng r;
  pl_rng_seed(&r, 7);
  int checked = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int trial = 0; trial < 60; trial++) {
        shape s[2], d[2], q[2];
        pl_approach approach[PL_APPROACH_MAX], near[PL_APPROACH_MAX];
        pl_pose at = random_pose(&r, 3), bt = random_pose(&r, 3);
        double side[4];
        static const double w[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
        int kinds[2] = {i, j}, ok = 1;
        for (int k = 0; k < 2; k++) {
          make(kinds[k], &s[k]);
          random_rate(&r, &d[k]);
        }
        if (pl_piece_gaps(&s[0].p, &at, &s[1].p, &bt, 5, approach) == 0 || approach[0].gap < 1e-3)
          continue;
        // another minimum could become the smallest
        for (int k = 0; k < 4; k++) {
          for (int b = 0; b < 2; b++) change(&s[b], &d[b], w[k] * h, &q[b]);
          ok &= pl_piece_gaps(&q[0].p, &at, &q[1].p, &bt, 5, near) > 0;
          side[k] = near[0].gap;
        }
        double exact =
            pl_piece_gap_rate(&s[0].p, &at, &d[0].p, &s[1].p, &bt, &d[1].p, &approach[0]);
        double found = pl_dot(4, weight, side) / (12 * h);
        if (!ok || pl_piece_gaps(&s[0].p, &at, &s[1].p, &bt, approach[0].gap + 0.01, near) > 1)
          continue;
        check_close(exact, found, 1e-6);
        checked++;
      }
  assert_true(checked > 250);
}

// ---- limits -------------------------------------------------------------------------------------

static double limit_at(const pl_mail_family *f, const double *value, const pl_taut_goal *g,
                       pl_taut *out) {
  sample_mail s;
  pl_env env;
  pl_cell *c;
  pl_taut_opts o = taut_defaults();
  o.weight = 1e-9;
  pl_env_init(&env);
  f->make(value, &s);
  check_ok(&env, pl_cell_create(&env, &s.m, 1, 1, &c));
  check_ok(&env, pl_cell_taut(c, &o, g, out));
  pl_cell_free(c);
  return out->value;
}

static double difference(const pl_mail_family *f, const double *value, int key,
                         const pl_taut_goal *g, double h) {
  static const double w[2] = {8.0 / 12, -1.0 / 12};
  double v[PL_KEY_MAX], sum = 0;
  pl_env env;
  pl_env_init(&env);
  memcpy(v, value, (size_t)f->nkey * sizeof *v);
  for (int k = -2; k <= 2; k++) {
    pl_taut t;
    if (k == 0) continue;
    v[key] = value[key] + k * h;
    sum += (k > 0 ? 1 : -1) * w[abs(k) - 1] * limit_at(f, v, g, &t) / h;
    pl_taut_free(&env, &t);
  }
  return sum;
}

// By every key of a family against limits that are solved again, where a key changes by its own
// size; curvatures times unit.
static void check_limit(const pl_mail_family *f, const pl_taut_goal *g, double unit) {
  static const int one[2] = {1, 1};
  double value[PL_KEY_MAX], left;
  sample_mail s, rate;
  pl_taut t;
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < f->nkey; k++) value[k] = f->key[k].value;
  f->make(value, &s);
  limit_at(f, value, g, &t);
  assert_true(t.certified && !t.folds && !t.open);
  check_ok(&env, pl_taut_balance(&env, &s.m, one, g, &t, &left));
  check_less(left, 1e-5);
  for (int k = 0; k < f->nkey; k++) {
    double size = value[k] != 0 ? value[k] : 1;
    pl_mail_rate(f, value, k, &rate);
    check_close(unit * size * pl_taut_rate(&s.m, one, &t, &rate.m),
                unit * size * difference(f, value, k, g, 1e-3 * size), 1e-5);
  }
  pl_taut_free(&env, &t);
}

// Not where another way to pack takes over within the differences.
static void limits(void **state) {
  (void)state;
  static const struct {
    int family;
    double angle, sign;
  } list[] = {
      {PL_MAIL_four_in_one, 0, 1},   {PL_MAIL_four_in_one, 90, 1}, {PL_MAIL_four_in_one, 60, 1},
      {PL_MAIL_four_in_one, 30, -1}, {PL_MAIL_threefold, 0, 1},    {PL_MAIL_threefold, 30, 1},
      {PL_MAIL_torus_knot, 0, 1},    {PL_MAIL_torus_knot, 30, 1},  {PL_MAIL_torus_knot, 0, -1},
      {PL_MAIL_japanese, 0, 1},      {PL_MAIL_chain, 0, 1}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    pl_taut_goal g = along(list[i].angle, list[i].sign);
    check_limit(pl_mail_table[list[i].family], &g, 1);
  }
}

// The same of curvatures, times 5 mm, about the reach of an element.
static void curvatures(void **state) {
  (void)state;
  static const struct {
    int family;
    double angle, sign;
  } list[] = {{PL_MAIL_torus_knot, 0, 1},
              {PL_MAIL_torus_knot, 20, -1},
              {PL_MAIL_threefold, 20, 1},
              {PL_MAIL_scale_mail, 0, 1},
              {PL_MAIL_scale_mail, 0, -1}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    pl_taut_goal g = pl_taut_bend(list[i].angle * PL_PI / 180, list[i].sign);
    check_limit(pl_mail_table[list[i].family], &g, 5e-3);
  }
}

// The pitch of a chain is 2 (R - r) at most, so that a strain of it changes by -2 / p by the wire
// of all rings; a cell of 2 x 2 knows its longer lattice vectors.
static void larger_cell(void **state) {
  (void)state;
  const int two[2] = {2, 1};
  const pl_mail_family *f = pl_mail_table[PL_MAIL_chain];
  const double value[4] = {8, 2, 11, 40}, want[4] = {2.0 / 11, -2.0 / 11, -12.0 / 121, 0};
  pl_taut_goal g = along(0, 1);
  pl_taut_opts o = taut_defaults();
  sample_mail s, rate;
  pl_env env;
  pl_cell *c;
  pl_taut t;
  double left;
  pl_env_init(&env);
  f->make(value, &s);
  check_ok(&env, pl_cell_create(&env, &s.m, 2, 1, &c));
  check_ok(&env, pl_cell_taut(c, &o, &g, &t));
  check_ok(&env, pl_taut_balance(&env, &s.m, two, &g, &t, &left));
  for (int k = 0; k < 4; k++) {
    pl_mail_rate(f, value, k, &rate);
    check_close(pl_taut_rate(&s.m, two, &t, &rate.m), want[k], 1e-6);
  }
  pl_taut_free(&env, &t);
  pl_cell_free(c);
}

// Gaps at rest by all keys of all families, poses included; the smallest as the cell has it.
static void at_rest(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int i = 0; i < PL_MAIL_COUNT; i++) {
    enum { GAPS = 6 };
    const pl_mail_family *f = pl_mail_table[i];
    double value[PL_KEY_MAX], v[PL_KEY_MAX];
    pl_taut_contact k[GAPS], displaced[GAPS];
    sample_mail s, rate;
    pl_cell *c;
    for (int n = 0; n < f->nkey; n++) value[n] = v[n] = f->key[n].value;
    f->make(value, &s);
    int n = pl_mail_gaps(&s.m, 1e-3, GAPS, k);
    assert_true(n > 0);
    check_ok(&env, pl_cell_create(&env, &s.m, 1, 1, &c));
    check_close(k[0].at.gap, pl_cell_gap(c, NULL), 1e-12);
    pl_cell_free(c);
    for (int key = 0; key < f->nkey; key++) {
      double h = 1e-5 * (value[key] != 0 ? value[key] : 1), side[2];
      pl_mail_rate(f, value, key, &rate);
      for (int e = 0; e < 2; e++) {
        v[key] = value[key] + (e ? h : -h);
        f->make(v, &s);
        assert_true(pl_mail_gaps(&s.m, 1e-3, GAPS, displaced) > 0);
        side[e] = displaced[0].at.gap;
      }
      v[key] = value[key];
      f->make(value, &s);
      check_close(pl_mail_gap_rate(&s.m, &k[0], &rate.m), (side[1] - side[0]) / (2 * h), 1e-6);
    }
  }
}

int test_shape(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gaps), cmocka_unit_test(limits),
                                     cmocka_unit_test(curvatures), cmocka_unit_test(larger_cell),
                                     cmocka_unit_test(at_rest)};
  return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
