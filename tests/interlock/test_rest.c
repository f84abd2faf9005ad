#include "mails.h"

#include <stdlib.h>

// Patches of elements at rest.

enum { MANY = 400 };

typedef struct sample_patch {
  sample_mail s;
  pl_patch p;
  const pl_mail_element *elem[MANY];
  pl_pose pose[MANY];
  char held[MANY];
  double load[MANY][3];
} sample_patch;

static void cut_patch(sample_patch *t, const pl_cut *c) {
  pl_env env;
  pl_cut_element *e;
  pl_env_init(&env);
  check_ok(&env, pl_mail_cut(&env, &t->s.m, c, &t->p.n, &e));
  assert_true(t->p.n <= MANY);
  for (int i = 0; i < t->p.n; i++) {
    t->elem[i] = &t->s.kind[t->s.m.kind_of[e[i].elem]];
    t->pose[i] = e[i].pose;
    t->held[i] = 0;
  }
  pl_free(&env, e);
  memset(t->load, 0, sizeof t->load);
  t->p = (pl_patch){.n = t->p.n,
                    .elem = t->elem,
                    .pose = t->pose,
                    .held = t->held,
                    .load = (const double(*)[3])t->load,
                    .density = 1000,
                    .gravity = {0, 0, -10}};
}

static pl_rest_opts rest_defaults(void) {
  pl_rest_opts o;
  pl_opts_default(pl_rest_option_table, pl_rest_option_count, &o);
  return o;
}

static pl_rest come_to_rest(const sample_patch *t, pl_threads *threads) {
  pl_env env;
  pl_rest r;
  pl_rest_opts o = rest_defaults();
  pl_env_init(&env);
  check_ok(&env, pl_patch_rest(&env, &t->p, &o, threads, NULL, &r));
  assert_int_equal(r.links, r.links_start);
  assert_true(r.gap > 0);
  return r;
}

static void done(pl_rest *r) {
  pl_env env;
  pl_env_init(&env);
  pl_rest_free(&env, r);
}

static double volume_of(const pl_mail_element *e) {
  pl_env env;
  double volume, centre[3];
  int upper;
  pl_env_init(&env);
  check_ok(&env, pl_mail_volume(&env, e, &volume, centre, &upper));
  return volume;
}

static double weight(const sample_patch *t, int i) {
  return 10 * 1000 * volume_of(t->elem[i]);
}

// what holds the patch is what pulls at it
static void check_balance(const pl_rest *r, double within) {
  for (int c = 0; c < 3; c++) check_close(r->hold[c], -r->weight[c], within * pl_norm3(r->weight));
}

// Rings of R 0.4 and r 0.1, at several scales: every pitch is 2 (R - r), and every contact carries
// what hangs below it.
static void hanging_chain(void **state) {
  (void)state;
  sample_patch t;
  for (double scale = 1; scale > 0.005; scale /= 10) {
    pl_mail_table[PL_MAIL_chain]->make(
        (double[]){0.4 * scale, 0.1 * scale, 0.55 * scale, 2 * scale}, &t.s);
    cut_patch(&t, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {6, 1}});
    t.held[0] = 1;
    pl_rest r = come_to_rest(&t, NULL);
    for (int i = 2; i < t.p.n; i++) {
      double w[3];
      pl_sub3(r.pose[i - 1].x, r.pose[i].x, w);
      check_close(pl_norm3(w) / scale, 0.6, 2e-6);
      check_close(w[2] / scale, 0.6, 2e-6);
    }
    double below[MANY] = {0}, one = weight(&t, 0);
    for (int k = 0; k < r.ncontact; k++) below[r.contact[k].elem[1]] += r.contact[k].force;
    for (int i = 1; i < t.p.n; i++) check_close(below[i] / one, t.p.n - i, 1e-5);
    check_balance(&r, 1e-8);
    check_less(r.residual, 1e-6 * one);
    // gaps times forces: the weight of the repulsion, once a contact
    check_less(r.bound, 1.1e-5 * (t.p.n - 1) * one * 0.1 * scale);
    done(&r);
  }
}

// The same of links with straight sides, turned by a right angle each: pitches are 2 (R - r) and
// the length of a side.
static void chain_of_links(void **state) {
  (void)state;
  static sample_patch t;
  const double none[3] = {0};
  pl_piece piece[2] = {pl_piece_link(none, Z_AXIS, X_AXIS, 0.4, 0.5, 0.1),
                       pl_piece_link(none, (double[]){0, 1, 0}, X_AXIS, 0.4, 0.5, 0.1)};
  const pl_mail_element elem[2] = {{1, &piece[0]}, {1, &piece[1]}};
  // the wire's length times its section
  check_close(volume_of(&elem[0]), (2 * PL_PI * 0.4 + 2 * 0.5) * PL_PI * 0.01, 1e-9);
  chain(&t.s, 5.5, 4, 1);
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {3, 1}});
  for (int i = 0; i < t.p.n; i++) {
    t.elem[i] = &elem[i % 2];
    t.pose[i] = pose_at(1.02 * i, 0, 0, X_AXIS, 0);
    t.held[i] = i == 0;
  }
  pl_rest r = come_to_rest(&t, NULL);
  assert_int_equal(r.links, t.p.n - 1);
  for (int i = 2; i < t.p.n; i++) {
    check_close(r.pose[i - 1].x[2] - r.pose[i].x[2], 1.1, 5e-6);
    check_close(r.pose[i - 1].x[0], r.pose[i].x[0], 1e-3);
  }
  check_balance(&r, 1e-6);
  done(&r);
}

// A square net of flat and upright rings, held at two sides: no rings that are linked are further
// apart than R1 - r1 + R2 - r2, and what holds it is its weight.
static void net(void **state) {
  (void)state;
  static sample_patch t;
  pl_threads *threads;
  pl_env env;
  pl_env_init(&env);
  pl_mail_table[PL_MAIL_japanese]->make((double[]){5e-3, 1e-3, 4e-3, 0.8e-3, 13.6e-3}, &t.s);
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {5, 5}});
  double left = 0, right = 0;
  for (int i = 0; i < t.p.n; i++) {
    left = fmin(left, t.pose[i].x[0]);
    right = fmax(right, t.pose[i].x[0]);
  }
  for (int i = 0; i < t.p.n; i++)
    t.held[i] = t.pose[i].x[0] < left + 1e-3 || t.pose[i].x[0] > right - 1e-3;
  pl_rest r = come_to_rest(&t, NULL);
  // some contacts are about to split, where forces are known less well
  check_balance(&r, 1e-5);
  for (int k = 0; k < r.ncontact; k++) {
    const pl_rest_contact *c = &r.contact[k];
    int i = c->elem[0], j = c->elem[1];
    double w[3];
    pl_sub3(r.pose[i].x, r.pose[j].x, w);
    if (pl_piece_links(t.elem[i]->piece, &r.pose[i], t.elem[j]->piece, &r.pose[j]))
      check_less(pl_norm3(w), 7.2e-3 + 1e-9);
  }
  // the same bits on several threads
  check_ok(&env, pl_threads_create(&env, 3, &threads));
  pl_rest other = come_to_rest(&t, threads);
  assert_memory_equal(r.pose, other.pose, (size_t)t.p.n * sizeof *r.pose);
  assert_memory_equal(r.reaction, other.reaction, (size_t)t.p.n * sizeof *r.reaction);
  pl_threads_free(threads);
  done(&r);
  done(&other);
}

// Nets of rings of R 0.4 and r 0.1 that swing down from flat, held at a side, at several scales:
// they hang as far down as their links allow, forces balance, and all of them look the same.
static void check_hanging_net(int family, double step) {
  static sample_patch t;
  static const double size[2][5] = {{0.4, 0.1, 0.4, 0.1, 1.1}, {0.4, 0.5, 0.1, 2, 1.55}};
  double first = 0;
  for (double scale = 1; scale > 0.005; scale /= 10) {
    double back = 0, low = 0, own[5];
    for (int k = 0; k < 5; k++) own[k] = scale * size[family == PL_MAIL_link_net][k];
    pl_mail_table[family]->make(own, &t.s);
    cut_patch(&t, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {4, 4}});
    for (int i = 0; i < t.p.n; i++) back = fmax(back, t.pose[i].x[1]);
    for (int i = 0; i < t.p.n; i++) t.held[i] = t.pose[i].x[1] > back - 0.25 * scale;
    pl_rest r = come_to_rest(&t, NULL);
    check_balance(&r, 1e-5);
    check_less(r.residual, 1e-3 * weight(&t, 0));
    for (int i = 0; i < t.p.n; i++) low = fmin(low, r.pose[i].x[2]);
    check_less(-low, step * scale);
    check_less(0.95 * step * scale, -low);
    if (first == 0) first = low;
    check_close(low / scale / first, 1, 1e-4);
    done(&r);
  }
}

// Seven links below the row that is held, and rings between these, are 0.6 apart at most. Links
// with straight sides of 0.5 all turn their length downwards, and are 1.1 apart.
static void hanging_nets(void **state) {
  (void)state;
  check_hanging_net(PL_MAIL_japanese, 8 * 0.6);
  check_hanging_net(PL_MAIL_link_net, 8 * 1.1);
}

// Rings of classic chainmail lie along each other while they fall, where contacts split and merge
// in valleys that samples do not tell: a sheet that is let go from flat hangs from its edge.
static void hanging_sheet(void **state) {
  (void)state;
  static sample_patch t;
  double back = 0;
  four_in_one(&t.s);
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {5, 10}});
  for (int i = 0; i < t.p.n; i++) back = fmax(back, t.pose[i].x[1]);
  for (int i = 0; i < t.p.n; i++) t.held[i] = t.pose[i].x[1] > back - 1e-6;
  pl_rest r = come_to_rest(&t, NULL);
  check_balance(&r, 1e-5);
  // rows are at most 6.875823 apart, in pairs
  double low = 0;
  for (int i = 0; i < t.p.n; i++) low = fmin(low, r.pose[i].x[2]);
  check_less(-low, 10 * 6.875823);
  check_less(9 * 6.875823, -low);
  done(&r);
}

// A ring that falls flat on a plane lies on its wire; one about a peg hangs on it.
static void obstacles(void **state) {
  (void)state;
  static sample_patch t;
  const pl_obstacle plane = {.kind = &pl_obstacle_plane, .par = {0, 0, 1}};
  const pl_obstacle peg = {.kind = &pl_obstacle_capsule, .radius = 1e-3, .par = {0, 20e-3, 0}};
  pl_mail_table[PL_MAIL_chain]->make((double[]){4e-3, 1e-3, 5.5e-3, 20e-3}, &t.s);
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {1, 1}});
  t.p.n = 1;
  t.p.nobstacle = 1;
  t.p.obstacle = &plane;
  t.pose[0] = pose_at(1e-3, 2e-3, 12e-3, (double[]){1, 2, 0.3}, 20);
  pl_rest r = come_to_rest(&t, NULL);
  check_close(r.pose[0].x[2], 1e-3, 1e-6);
  check_close(fabs(r.pose[0].Q[8]), 1, 1e-6);
  check_balance(&r, 1e-8);
  done(&r);
  t.p.obstacle = &peg;
  t.pose[0] = pose_at(0.2e-3, 1e-3, 0.5e-3, X_AXIS, 70);
  r = come_to_rest(&t, NULL);
  check_close(r.pose[0].x[0], 0, 1e-6);
  check_close(r.pose[0].x[2], -2e-3, 1e-7);
  check_balance(&r, 1e-8);
  done(&r);
}

// elements of patches are counted
static void cuts(void **state) {
  (void)state;
  static sample_patch t;
  static const double square[4][2] = {{-1, -1}, {20, -1}, {20, 20}, {-1, 20}};
  threefold(&t.s, 1.5, 1.4);
  for (int k = 0; k < 5; k++) {
    cut_patch(&t, &(pl_cut){.kind = PL_CUT_SHELLS, .shells = k});
    assert_int_equal(t.p.n, 1 + 3 * k * (k + 1));
  }
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_DISK, .size = {11.2}});
  assert_int_equal(t.p.n, 7);
  torus_knot(&t.s, 1.5);
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {4, 3}});
  assert_int_equal(t.p.n, 12);
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_RECTANGLE, .size = {30, 10}});
  assert_int_equal(t.p.n, 3);
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_OUTLINE, .npoint = 4, .point = square});
  assert_int_equal(t.p.n, 4);
}

// Surfaces are closed, turned outwards, and bound the volume that pieces have.
static void surfaces(void **state) {
  (void)state;
  static sample_mail s;
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < 3; k++) {
    if (k == 0) four_in_one(&s);
    if (k == 1) torus_knot(&s, 1.5);
    if (k == 2) threefold(&s, 1.5, 1.4);
    pl_mesh *m;
    double sum = 0, volume = 0;
    for (int i = 0; i < s.kind[0].npiece; i++)
      volume += volume_of(&(pl_mail_element){1, &s.kind[0].piece[i]});
    check_ok(&env, pl_mail_element_mesh(&env, &s.kind[0], 96, 32, &m));
    for (int t = 0; t < m->cell[PL_TRI3].n; t++) {
      const int *v = m->cell[PL_TRI3].v + 3 * t;
      double n[3];
      pl_cross3(m->X + 3 * v[0], m->X + 3 * v[1], n);
      sum += pl_dot3(n, m->X + 3 * v[2]) / 6;
    }
    check_close(sum / volume, 1, 0.02);
    pl_mesh_free(m);
  }
}

static int stop(void *ctx, const pl_progress *p) {
  (void)p;
  return ++*(int *)ctx > 5;
}

static void refused(void **state) {
  (void)state;
  sample_patch t;
  pl_env env;
  pl_rest r;
  pl_rest_opts o = rest_defaults();
  pl_env_init(&env);
  pl_mail_table[PL_MAIL_chain]->make((double[]){0.4, 0.1, 0.55, 2}, &t.s);
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {2, 2}});
  t.held[0] = 1;
  check_status(&env, pl_patch_rest(&env, &t.p, &o, NULL, NULL, &r), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "element 3 "));
  assert_non_null(strstr(env.error.text, "linked to nothing that is held"));
  t.held[2] = 1;
  t.pose[4].x[0] -= 0.1;
  check_status(&env, pl_patch_rest(&env, &t.p, &o, NULL, NULL, &r), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "overlap"));
  t.pose[4].x[0] += 0.1;
  int asked = 0;
  env.progress = stop;
  env.progress_ctx = &asked;
  check_status(&env, pl_patch_rest(&env, &t.p, &o, NULL, NULL, &r), PL_CANCELLED);
  // nobody waits for forces and links of a state that is none of rest
  assert_null(r.contact);
  pl_rest_free(&env, &r);
}

// ---- what is kept -------------------------------------------------------------------------------

typedef struct kept {
  int n; // times
  size_t size[64];
  double *x[64];
} kept;

static pl_status keep(void *ctx, size_t n, const double *x) {
  kept *k = ctx;
  if (k->n == 64) return PL_OK;
  k->size[k->n] = n;
  k->x[k->n] = malloc(n * sizeof *x);
  memcpy(k->x[k->n++], x, n * sizeof *x);
  return PL_OK;
}

// From whatever was kept the same bits follow; numbers of another patch are refused.
static void goes_on(void **state) {
  (void)state;
  sample_patch t;
  kept all = {0};
  pl_env env;
  pl_rest whole, again;
  pl_rest_opts o = rest_defaults();
  pl_rest_keeper k = {.keep = keep, .ctx = &all};
  pl_env_init(&env);
  torus_knot(&t.s, 1.5);
  cut_patch(&t, &(pl_cut){.kind = PL_CUT_CELLS, .cells = {2, 2}});
  t.held[0] = 1;
  check_ok(&env, pl_patch_rest(&env, &t.p, &o, NULL, &k, &whole));
  assert_true(all.n > 2);
  for (int i = 0; i < all.n; i += all.n / 3) {
    k = (pl_rest_keeper){.nfrom = all.size[i], .from = all.x[i]};
    check_ok(&env, pl_patch_rest(&env, &t.p, &o, NULL, &k, &again));
    assert_int_equal(again.iterations, whole.iterations);
    assert_memory_equal(again.pose, whole.pose, (size_t)t.p.n * sizeof *whole.pose);
    assert_int_equal(again.ncontact, whole.ncontact);
    for (int c = 0; c < whole.ncontact; c++)
      assert_true(again.contact[c].force == whole.contact[c].force);
    done(&again);
  }
  all.x[0][0] = 3;
  k = (pl_rest_keeper){.nfrom = all.size[0], .from = all.x[0]};
  check_status(&env, pl_patch_rest(&env, &t.p, &o, NULL, &k, &again), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "of another patch"));
  done(&whole);
  for (int i = 0; i < all.n; i++) free(all.x[i]);
}

int test_rest(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hanging_chain), cmocka_unit_test(chain_of_links),
      cmocka_unit_test(net),           cmocka_unit_test(hanging_nets),
      cmocka_unit_test(hanging_sheet), cmocka_unit_test(obstacles),
      cmocka_unit_test(cuts),          cmocka_unit_test(surfaces),
      cmocka_unit_test(refused),       cmocka_unit_test(goes_on)};
  return cmocka_run_group_tests_name("rest", tests, NULL, NULL);
}
