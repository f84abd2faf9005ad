// Vibration: the first three frequencies of a strip clamped at one end, bending in one plane, over
// sqrt(E I/(rho A L^4)); Euler and Bernoulli have beta^2 with cos(beta) cosh(beta) = -1.
#include "scene_model.h"

enum { MODES = 3 };

static pl_status ring(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  strip s;
  PL_TRY(strip_create(env,
                      &(strip_desc){.kind = (strip_kind)m->kind,
                                    .n = t->resolution,
                                    .thickness = 1 / t->x,
                                    .nu = t->nu,
                                    .units = t->units,
                                    .plane = 1},
                      &s));
  pl_modes_opts o = {.count = MODES};
  pl_modes_info info;
  double *shape = pl_alloc(env, MODES * (size_t)s.b.state->nq, sizeof *shape);
  pl_status st = shape ? PL_OK : PL_E_NOMEM;
  s.b.params->par[PL_PAR_GRAVITY + 2] = 0;
  if (st == PL_OK)
    st = pl_modes(&o, s.b.model, s.b.params, s.b.state, s.b.work, value, shape, &info);
  if (st == PL_OK && info.nfound < MODES) st = PL_UNSOLVED;
  for (int k = 0; k < MODES; k++) value[k] /= s.omega;
  pl_free(env, shape);
  strip_free(&s);
  return st;
}

// Newton's method on cos(b) + 1/cosh(b), from the places of cos(b) = 0
static pl_status master(pl_env *env, double nu, double x, double *value) {
  (void)env, (void)nu, (void)x;
  for (int k = 0; k < MODES; k++) {
    double b = (k + 0.5) * PL_PI, step = 1;
    while (fabs(step) > 1e-15 * b) {
      step = (cos(b) + 1 / cosh(b)) / (-sin(b) - tanh(b) / cosh(b));
      b -= step;
    }
    value[k] = b * b;
  }
  return PL_OK;
}

static const double points[] = {20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4};
static const double quick[] = {50, 200, 1e3, 1e4};

static const pl_protocol_model models[] = {
    {"rod", "discrete elastic rod", 64, 32, 8, 1000, PL_EXPECT_OK, ring, .kind = STRIP_ROD},
    {"midedge", "membrane with bending at mid-edges", 64, 32, 8, 1000, PL_EXPECT_OK, ring,
     .kind = STRIP_MIDEDGE},
    {"hinge", "membrane with hinges", 64, 32, 8, 1000, PL_EXPECT_OK, ring, .kind = STRIP_HINGE},
    {"hex8", "trilinear solid, two cells thick: it locks in shear", 64, 32, 8, 1000, PL_EXPECT_KO,
     ring, .kind = STRIP_HEX8, .nu_most = 0.4999},
    {"scene-shell", "strip as in a scene by its default: width L/10, equilateral", 20, 20, 8, 200,
     PL_EXPECT_OK, scene_ring, .kind = SCENE_SHELL, .nu_zero = 1},
    {"scene-shell-irregular", "the same on a mesh without order", 20, 20, 8, 200, PL_EXPECT_OK,
     scene_ring, .kind = SCENE_SHELL_IRREGULAR, .nu_zero = 1},
    {"scene-tet", "bar as in a scene: width L/10, one layer of tetrahedra", 20, 20, 8, 200,
     PL_EXPECT_OK, scene_ring, .kind = SCENE_TET, .judged = {100, 500}, .nu_zero = 1},
    {"scene-hex", "the same of hexahedra", 40, 40, 8, 200, PL_EXPECT_OK, scene_ring,
     .kind = SCENE_HEX, .judged = {100, 500}, .nu_zero = 1},
};

const pl_protocol protocol_vibration = {
    .name = "vibration",
    .text = "a strip clamped at one end swings; its first three frequencies",
    .nvalue = MODES,
    .column = {"L_over_h", "omega1", "omega2", "omega3", "master1", "master2", "master3"},
    .xlabel = "L/h",
    .ylabel = "omega (sqrt(E I/(rho A L^4)))",
    .nu = 0,
    .lo = 15,
    .hi = 1e5,
    .judged = {15, 1e5},
    .bar = 0.01,
    .logx = 1,
    .logy = 1,
    .npoint = COUNT(points),
    .point = points,
    .nquick = COUNT(quick),
    .quick = quick,
    .ncurve = 2,
    .master = master,
    .nmodel = COUNT(models),
    .model = models,
};
