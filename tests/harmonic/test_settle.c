// Where time stepping starts on a periodic motion: a wire that hardly stretches is out of balance
// in a short series, which implicit Euler steps put right.
#include "check.h"
#include "rod_models.h"

#include "pliant/harmonic.h"
#include "pliant/math.h"

#include <string.h>

static pl_env env;

enum { N = 6 };

// steel wire, 0.4 mm, on a clamp that swings by 25 degrees
typedef struct wire {
  rod_kit k;
  kit_model b;
  pl_term term;
  int edge[6];
  pl_orbit *orbit;
} wire;

static void open_wire(wire *r) {
  static const double steel[7] = {200e9, 0.3, 7800, 4e-4, 4e-4, 0, 0};
  pl_periodic_opts o;
  pl_periodic_info info;
  memset(r, 0, sizeof *r);
  rods_init(&r->k, &env, steel);
  rods_line(&r->k, N, (double[]){0, 0, 0}, (double[]){0.2, 0, 0});
  pl_drive_desc *d = rods_clamp(&r->k, 0);
  r->term = (pl_term){1, {25 * PL_PI / 180, 0, 0}, 0.7};
  for (int c = 0; c < 6; c++) r->edge[c] = c % 2 ? c / 2 : PL_SCALAR_VECTOR;
  d->kind = PL_DRIVE_ROTATION;
  d->axis[1] = 1;
  d->axis[2] = 0.3;
  d->nterm = 1;
  d->term = &r->term;
  d->edge = r->edge;
  r->k.alpha = 5;
  r->k.beta = 1e-5;
  rods_build(&r->k, 1, &r->b);
  pl_opts_default(pl_periodic_option_table, pl_periodic_option_count, &o);
  o.frequency = 25;
  o.harmonics = 3;
  check_ok(&env, pl_periodic(&o, r->b.m, r->b.p, r->b.w, &r->orbit, &info));
}

static void close_wire(wire *r) {
  pl_orbit_free(r->orbit);
  kit_model_free(&r->b);
  rods_free(&r->k);
}

// largest acceleration by which the state is out of balance, over nodes that are free
static double unrest(wire *r) {
  pl_clock c = {.t = r->b.s->t, .omega = r->orbit->omega, .scale = 1};
  double most = 0;
  check_ok(&env, pl_eval(r->b.m, r->b.p, r->b.s, &c, PL_WANT_FORCE | PL_DYNAMIC, NULL, r->b.w));
  const pl_csc *M = &r->b.p->M;
  for (int i = 3; i < 3 * (N + 1); i++) most = fmax(most, fabs(r->b.w->r[i]) / M->val[M->ptr[i]]);
  return most;
}

static void in_balance(void **state) {
  (void)state;
  wire r;
  open_wire(&r);
  int n = 3 * (N + 1);
  pl_state *at;
  check_ok(&env, pl_state_create(r.b.m, r.b.p, &at));
  pl_orbit_state(r.b.m, r.b.p, r.orbit, 0, r.b.s);
  pl_state_copy(at, r.b.s);
  double size = pl_max_abs(n, at->a), before = unrest(&r);
  check_ok(&env, pl_orbit_settle(r.b.m, r.b.p, r.orbit, 256, r.b.w, r.b.s));
  check_close(r.b.s->t, 0, 0);
  // a thousand times the accelerations of the motion itself; then what Newton's method leaves
  check_less(100 * size, before);
  check_less(unrest(&r), 1e-6 * size);
  // what moves is the stretch, before/(E A/(m h)) = 3e-6 m an edge, and 8 short Euler steps of the
  // motion, h^2 a/2 = 2e-8 m each; accelerations are no longer those of three harmonics alone
  check_array(n, r.b.s->q, at->q, 2e-5);
  check_less(pl_max_abs(n, r.b.s->a), 3 * size);
  pl_state_free(r.b.m, at);
  close_wire(&r);
}

int test_settle(void) {
  pl_env_init(&env);
  const struct CMUnitTest tests[] = {cmocka_unit_test(in_balance)};
  return cmocka_run_group_tests_name("harmonic.settle", tests, NULL, NULL);
}
