// Solids against solids: closed forms of blocks and bars that slide, hit and rest on each other.
#include "touch.h"

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

static pl_layers_desc pile_layers(const pile *p, double thickness, double mu) {
  return (pl_layers_desc){.nvert = kit.d.nnode,
                          .ntri = p->ntri,
                          .tri = p->tri,
                          .X = kit.X,
                          .thickness = thickness,
                          .mu = mu,
                          .solid = 1};
}

// the first `held` blocks do not move
static void pile_open(pile *p, int nblock, const block *b, int held, double thickness, double mu) {
  if (held > 0) {
    int n = p->first[held], *node = kit_keep(&kit, n, sizeof *node);
    for (int i = 0; i < n; i++) node[i] = i;
    kit_drive(&kit, n, node);
  }
  bench *t = &p->t;
  t->kit = &kit;
  kit_build(&kit, 1, &t->b);
  pl_layers_desc layers = pile_layers(p, thickness, mu);
  check_ok(&env, pl_contact_create(t->b.m, &(pl_contact_desc){.bodies = &layers}, &t->k));
  for (int i = 0; i < nblock; i++)
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
// where mu is 0.6. Meshes do not match.
static void incline(void **state) {
  (void)state;
  const double thick = 1e-4, angle = PL_PI / 6;
  const block b[2] = {{{4, 3, 1}, {0.3, 0.2, 0.02}, {-0.05, -0.05, -0.02}, 1e6, 0.3, 1000, {0}},
                      {{3, 2, 1}, {0.1, 0.08, 0.05}, {0, 0, thick}, 1e6, 0.3, 1000, {0}}};
  for (int way = 0; way < 3; way++) {
    pile p = {0};
    int slides = way > 0, method = way == 1 ? PL_IMPLICIT_EULER : PL_NEWMARK;
    pile_mesh(&p, way == 2 ? "tet4" : "hex8", 2, b);
    kit.d.gravity[0] = GRAVITY * sin(angle);
    kit.d.gravity[2] = -GRAVITY * cos(angle);
    kit.d.beta = method == PL_NEWMARK ? 5e-4 : 1e-4;
    pile_open(&p, 2, b, 1, thick, slides ? 0.3 : 0.6);
    bench_run(&p.t, method, 1e-3, slides ? 0.2 : 0.3);
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

int test_contact_bodies(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(incline)};
  pl_env_init(&env);
  return cmocka_run_group_tests_name("solve.contact_bodies", tests, NULL, NULL);
}
