// Solids against solids: closed forms of blocks and bars that slide, hit and rest on each other.
#include "contact_bench.h"

static pl_env env;
static model_kit kit;

enum { BLOCKS = 3 };

typedef struct block {
  int n[3];
  double side[3], at[3]; // m; at: the corner of the least coordinates
  double young, poisson, density;
  double v[3]; // m/s
} block;

// a bench on which blocks stand
typedef struct pile {
  bench t;
  pl_mesh *mesh[BLOCKS];
  int nblock, first[BLOCKS + 1]; // nodes of each
  int *tri, ntri;
  double inset; // m
} pile;

static void add_surface(pile *p, int b, int first) {
  int n, *tri;
  check_ok(&env, pl_mesh_surface(p->mesh[b], &n, &tri, NULL));
  p->tri = realloc(p->tri, (size_t)(p->ntri + n) * 3 * sizeof *p->tri);
  for (int i = 0; i < 3 * n; i++) p->tri[3 * p->ntri + i] = tri[i] + first;
  p->ntri += n;
  pl_free(&env, tri);
}

// nodes, elements and triangles of all blocks
static void pile_mesh(pile *p, const char *kind, int nblock, const block *b) {
  int hex = strncmp(kind, "hex", 3) == 0, type = hex ? PL_HEX8 : PL_TET4, per = hex ? 8 : 4;
  kit_init(&kit, &env, 3);
  p->nblock = nblock;
  for (int i = 0; i < nblock; i++) {
    check_ok(&env, (hex ? pl_gen_hex_box : pl_gen_tet_box)(&env, b[i].n, b[i].side, &p->mesh[i]));
    p->first[i + 1] = p->first[i] + p->mesh[i]->nvert;
  }
  kit.d.nnode = p->first[nblock];
  kit.X = kit_keep(&kit, 3 * kit.d.nnode, sizeof *kit.X);
  kit.d.X = kit.X;
  for (int i = 0; i < nblock; i++) {
    const double par[3] = {b[i].young, b[i].poisson, b[i].density};
    const pl_cells *c = &p->mesh[i]->cell[type];
    int *v = kit_keep(&kit, per * c->n, sizeof *v);
    for (int k = 0; k < 3 * p->mesh[i]->nvert; k++)
      kit.X[3 * p->first[i] + k] = p->mesh[i]->X[k] + b[i].at[k % 3];
    for (int k = 0; k < per * c->n; k++) v[k] = c->v[k] + p->first[i];
    kit_group(&kit, i == 0 ? "a" : i == 1 ? "b" : "c", kind, c->n, v, 1, par);
    add_surface(p, i, p->first[i]);
  }
}

// surfaces that start closer than the thickness are looked at from inside
static pl_layers_desc pile_layers(const pile *p, double thickness, double mu) {
  return (pl_layers_desc){.nvert = kit.d.nnode,
                          .ntri = p->ntri,
                          .tri = p->tri,
                          .X = kit.X,
                          .thickness = thickness,
                          .mu = mu,
                          .solid = 1,
                          .inset = p->inset};
}

// block `held` does not move, -1: all do
static void pile_open(pile *p, const block *b, int held, double thickness, double mu) {
  if (held >= 0) {
    int n = p->first[held + 1] - p->first[held], *node = kit_keep(&kit, n, sizeof *node);
    for (int i = 0; i < n; i++) node[i] = p->first[held] + i;
    kit_drive(&kit, n, node);
  }
  bench *t = &p->t;
  t->kit = &kit;
  kit_build(&kit, 1, &t->b);
  pl_layers_desc layers = pile_layers(p, thickness, mu);
  check_ok(&env, pl_contact_create(&env, t->b.m, &(pl_contact_desc){.bodies = &layers}, &t->k));
  for (int i = 0; i < p->nblock; i++)
    for (int k = 3 * p->first[i]; k < 3 * p->first[i + 1]; k++) t->b.s->v[k] = b[i].v[k % 3];
}

static void pile_close(pile *p) {
  for (int i = 0; i < p->nblock; i++) pl_mesh_free(p->mesh[i]);
  free(p->tri);
  bench_close(&p->t);
  memset(p, 0, sizeof *p);
}

// mean of a component over the mass of a block
static double mean_of(const pile *p, int b, const double *x, int c) {
  int nq = p->t.b.s->nq;
  double *e = calloc((size_t)nq, sizeof *e), *y = malloc((size_t)nq * sizeof *y), sum, mass;
  for (int i = p->first[b]; i < p->first[b + 1]; i++) e[3 * i + c] = 1;
  pl_csc_mul(&p->t.b.p->M, 1, e, 0, y);
  sum = pl_dot(nq, y, x);
  mass = pl_dot(nq, y, e);
  free(e);
  free(y);
  return sum / mass;
}

// ---- friction -----------------------------------------------------------------------------------

// A block on a block that stands on a slope: 2.3562872 m/s^2 at 30 degrees and mu 0.3, and rest
// where mu is 0.6. Meshes do not match. Drawn the thickness apart, or touching.
static void slide(int touching) {
  const double thick = 1e-4, angle = PL_PI / 6;
  const block b[2] = {
      {{4, 3, 1}, {0.3, 0.2, 0.02}, {-0.05, -0.05, -0.02}, 1e6, 0.3, 1000, {0}},
      {{3, 2, 1}, {0.1, 0.08, 0.05}, {0, 0, touching ? 0 : thick}, 1e6, 0.3, 1000, {0}}};
  for (int way = 0; way < 3; way++) {
    pile p = {.inset = touching ? thick / 2 : 0};
    int slides = way > 0, method = way == 1 ? PL_IMPLICIT_EULER : PL_NEWMARK;
    pile_mesh(&p, way == 2 ? "tet4" : "hex8", 2, b);
    kit.d.gravity[0] = GRAVITY * sin(angle);
    kit.d.gravity[2] = -GRAVITY * cos(angle);
    kit.d.beta = method == PL_NEWMARK ? 5e-4 : 1e-4;
    pile_open(&p, b, 0, thick, slides ? 0.3 : 0.6);
    bench_run(&p.t, method, 1e-3, slides ? 0.15 : 0.25);
    const double *v = p.t.b.s->v;
    double before = mean_of(&p, 1, v, 0), weight = 0.4 * GRAVITY;
    bench_run(&p.t, method, 1e-3, 0.02);
    double a = (mean_of(&p, 1, v, 0) - before) / 0.02;
    if (slides)
      check_rel(a, 2.3562872, 1e-6);
    else
      check_less(pl_max_abs(p.t.b.s->nq, v), 1e-12);
    assert_int_equal(slides ? p.t.k->bodies_stick : p.t.k->bodies_slip, 0);
    check_rel(p.t.k->bodies_normal, weight * cos(angle), 1e-7);
    check_less(p.t.k->residual, 1e-11);
    pile_close(&p);
  }
}

static void incline(void **state) {
  (void)state;
  slide(0);
}

static void incline_touching(void **state) {
  (void)state;
  slide(1);
}

// Two equal blocks node on node, one of them held: at rest each node of the lower face presses
// once, and on a slope the other slides over them, past node after node. Drawn apart and touching.
static void node_on_node(void **state) {
  (void)state;
  const double thick = 1e-4;
  for (int way = 0; way < 4; way++) {
    int touching = way % 2, slides = way / 2;
    double angle = slides ? PL_PI / 6 : 0, weight = 0.064 * GRAVITY;
    const block b[2] = {{{4, 4, 4}, {0.04, 0.04, 0.04}, {0, 0, -0.04}, 1e6, 0.3, 1000, {0}},
                        {{4, 4, 4},
                         {0.04, 0.04, 0.04},
                         {slides ? -0.03 : 0, 0, touching ? 0 : thick},
                         1e6,
                         0.3,
                         1000,
                         {slides ? 0.4 : 0}}};
    pile p = {.inset = touching ? thick / 2 : 0};
    pile_mesh(&p, "hex8", 2, b);
    kit.d.gravity[0] = GRAVITY * sin(angle);
    kit.d.gravity[2] = -GRAVITY * cos(angle);
    kit.d.beta = 5e-4;
    pile_open(&p, b, 0, thick, 0.3);
    bench_run(&p.t, PL_NEWMARK, 1e-3, slides ? 0.05 : 0.1);
    if (slides) {
      // 20 mm from one row of nodes to the third, of a block that rocks a little
      check_rel(mean_of(&p, 1, p.t.b.s->v, 0), 0.4 + 0.05 * 2.3562872, 0.02);
      assert_int_equal(p.t.k->bodies_stick, 0);
    } else {
      check_less(pl_max_abs(p.t.b.s->nq, p.t.b.s->v), 1e-5);
      check_rel(p.t.k->bodies_normal, weight, 1e-3);
      assert_int_equal(p.t.k->bodies_stick, 25);
    }
    check_less(p.t.k->residual, 1e-11);
    pile_close(&p);
  }
}

// A block thrown and spinning at a slab that is held moves as at a plane where the slab's top is,
// less the thickness between them; the slab may be drawn before or after it.
static void as_on_an_obstacle(void **state) {
  (void)state;
  const double thick = 1e-3, w[3] = {2, 5, -3};
  const block slab = {{1, 1, 1}, {2, 2, 0.1}, {-1.7, -0.3, -0.1 - thick}, 1e7, 0.3, 1000, {0}};
  const block top = {{2, 2, 1}, {0.1, 0.08, 0.05}, {0, 0, 0.01}, 2e5, 0.3, 1000, {0.3, 0, -0.5}};
  for (int way = 0; way < 3; way++) {
    block b[2] = {way == 1 ? top : slab, way == 1 ? slab : top};
    double v[6];
    for (int alone = 0; alone < 2; alone++) {
      pile p = {0};
      pile_mesh(&p, "tet4", alone ? 1 : 2, alone ? &top : b);
      kit.d.beta = 1e-4;
      pl_obstacle o = plane_of(0, 0, 1, 0.4);
      int at = alone || way == 1 ? 0 : 1;
      if (alone)
        bench_open(&p.t, &kit, 1, &o, 0, NULL, NULL);
      else
        pile_open(&p, b, 1 - at, thick, 0.4);
      double *q = p.t.b.s->q;
      for (int i = p.first[at]; i < p.first[at + 1]; i++) {
        pl_cross3(w, q + 3 * i, p.t.b.s->v + 3 * i);
        for (int c = 0; c < 3; c++) p.t.b.s->v[3 * i + c] += top.v[c];
      }
      bench_run(&p.t, way % 2, 1e-3, 0.05);
      for (int c = 0; c < 3; c++) v[3 * alone + c] = mean_of(&p, at, p.t.b.s->v, c);
      pile_close(&p);
    }
    check_array(3, v, v + 3, 1e-9);
  }
}

// ---- impact -------------------------------------------------------------------------------------

// A bar hits an equal one at rest: contact lasts 2 L/c with the pressure rho c V/2, and then the
// second has the velocity of the first (8.4 of the notes).
static void bars(void **state) {
  (void)state;
  const double thick = 1e-5, V = 0.03, L = 0.2, side = 0.02, E = 1e6, rho = 1000;
  const double c = sqrt(E / rho), h = 0.01 * L / c;
  const block b[2] = {{{20, 1, 1}, {L, side, side}, {-L, 0, 0}, E, 0, rho, {V, 0, 0}},
                      {{20, 1, 1}, {L, side, side}, {thick, 0.003, 0.002}, E, 0, rho, {0}}};
  pile p = {0};
  pile_mesh(&p, "hex8", 2, b);
  pile_open(&p, b, -1, thick, 0);
  double sum = 0, last = 0;
  for (int i = 0; i < 250; i++) {
    bench_run(&p.t, PL_NEWMARK, h, h);
    if (i < 150) sum += p.t.k->bodies_normal / 150;
    if (p.t.k->bodies_normal > 0) last = (i + 1) * h;
  }
  double first = mean_of(&p, 0, p.t.b.s->v, 0), second = mean_of(&p, 1, p.t.b.s->v, 0);
  // steps of sound on 20 cells ring
  check_rel(sum, rho * c * V / 2 * side * side, 0.03);
  check_rel(last, 2 * L / c, 0.03);
  check_rel(second, V, 0.04);
  check_close(first + second, V, 1e-12 * V);
  pile_close(&p);
}

// Three blocks askew fall on each other and the floor: momentum, the law of the floor, energy and
// distances in every step.
static void stack(void **state) {
  (void)state;
  const double thick = 1e-4;
  const block b[3] = {
      {{3, 2, 1}, {0.12, 0.1, 0.04}, {0, 0, 0}, 1e6, 0.3, 1000, {0}},
      {{2, 3, 1}, {0.1, 0.08, 0.04}, {0.013, 0.007, 0.045}, 1e6, 0.3, 1000, {0}},
      {{2, 2, 1}, {0.08, 0.08, 0.04}, {0.017, 0.011, 0.0905}, 1e6, 0.3, 1000, {0.1, 0.05, 0}}};
  for (int method = 0; method < 2; method++) {
    pile p = {0};
    pile_mesh(&p, "hex8", 3, b);
    kit.d.gravity[2] = -GRAVITY;
    kit.d.beta = 5e-4;
    kit_build(&kit, 1, &p.t.b);
    int floor[12];
    for (int i = 0, n = 0; i < p.first[1]; i++)
      if (kit.X[3 * i + 2] == 0) floor[n++] = i;
    pl_obstacle o = plane_of(0, 0, 1, 0.5);
    pl_layers_desc layers = pile_layers(&p, thick, 0.5);
    pl_contact_desc d = {
        .nobstacle = 1, .obstacle = &o, .nnode = 12, .node = floor, .bodies = &layers};
    p.t.kit = &kit;
    check_ok(&env, pl_contact_create(&env, p.t.b.m, &d, &p.t.k));
    for (int k = 3 * p.first[2]; k < 3 * p.first[3]; k++) p.t.b.s->v[k] = b[2].v[k % 3];
    pl_transient_info info = bench_run(&p.t, method, 1e-3, method == PL_NEWMARK ? 0.055 : 0.09);
    assert_int_equal(info.rejected, 0);
    check_less(p.t.worst_momentum, 1e-12);
    check_less(p.t.worst_law, 1e-12);
    check_less(p.t.worst_gap, 1e-13);
    check_less(p.t.worst_energy, 1e-14);
    // pairs of flat edges are left out, between which faces sag a little
    assert_true(pl_layers_least(p.t.k->bodies, p.t.b.s->q) > 0.85);
    assert_true(p.t.k->bodies_normal > 0);
    pile_close(&p);
  }
}

// Two blocks drawn touching on each other and on a slab that is held stay there: what they press
// with is their weight, but for the square of how far faces tilt, and no energy comes from nothing.
static void stack_touching(void **state) {
  (void)state;
  const double thick = 2e-4;
  const block b[3] = {{{3, 2, 1}, {0.14, 0.12, 0.02}, {-0.02, -0.01, -0.02}, 1e7, 0.3, 1000, {0}},
                      {{2, 2, 1}, {0.1, 0.08, 0.04}, {0.003, 0.007, 0}, 1e7, 0.3, 1000, {0}},
                      {{2, 1, 1}, {0.07, 0.06, 0.04}, {0.017, 0.013, 0.04}, 1e7, 0.3, 1000, {0}}};
  pile p = {.inset = thick / 2};
  pile_mesh(&p, "hex8", 3, b);
  kit.d.gravity[2] = -GRAVITY;
  kit.d.beta = 5e-4;
  pile_open(&p, b, 0, thick, 0.5);
  bench_run(&p.t, PL_IMPLICIT_EULER, 2e-3, 0.15);
  double upper = 0.168 * GRAVITY, lower = 0.32 * GRAVITY;
  check_less(pl_max_abs(p.t.b.s->nq, p.t.b.s->v), 1e-9);
  check_rel(p.t.k->bodies_normal, 2 * upper + lower, 1e-6);
  check_less(p.t.worst_energy, 1e-14);
  assert_int_equal(p.t.k->bodies_slip, 0);
  pile_close(&p);
}

// A small block that moves by 20 mm, many times its size and that of the plate, in one step.
static void bullet(void **state) {
  (void)state;
  const block b[2] = {
      {{4, 4, 1}, {0.1, 0.1, 0.002}, {0, 0, 0}, 1e8, 0.3, 1000, {0}},
      {{1, 1, 1}, {0.004, 0.003, 0.002}, {0.043, 0.041, 0.011}, 1e8, 0.3, 1000, {2, 1, -20}}};
  for (int method = 0; method < 2; method++) {
    pile p = {0};
    pile_mesh(&p, "hex8", 2, b);
    kit.d.beta = 1e-4;
    pile_open(&p, b, -1, 1e-4, 0.3);
    pl_transient_info info = bench_run(&p.t, method, 1e-3, 0.01);
    double way = mean_of(&p, 1, p.t.b.s->q, 2) - mean_of(&p, 0, p.t.b.s->q, 2);
    assert_true(way > 0.002 && way < 0.01);
    assert_true(info.nstep == 10 && p.t.k->most > 0);
    check_less(p.t.worst_momentum, 1e-12);
    check_less(p.t.worst_energy, 1e-14);
    pile_close(&p);
  }
}

int test_contact_bodies(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(incline),        cmocka_unit_test(incline_touching),
      cmocka_unit_test(node_on_node),   cmocka_unit_test(as_on_an_obstacle),
      cmocka_unit_test(bars),           cmocka_unit_test(stack),
      cmocka_unit_test(stack_touching), cmocka_unit_test(bullet)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("solve.contact_bodies", tests, NULL, NULL);
}
