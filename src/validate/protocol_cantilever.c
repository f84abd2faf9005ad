// Cantilever: a strip clamped level sags by its weight; H/W of its tip against Gamma.
#include "scene_model.h"

// all bending sits in a layer Gamma^(-1/2) at the clamp, 1 % of the length at 1e4
static const double GRADE = 5;

static pl_status sag(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  strip s;
  // a solid ten times as thick: thinner still, it does not bend at all
  double range, drop, thickness = m->kind == STRIP_HEX8 ? 3e-3 : 3e-4;
  // stretch by its own weight, Gamma (h/L)^2/12, is below 1e-4
  PL_TRY(strip_create(env,
                      &(strip_desc){.kind = (strip_kind)m->kind,
                                    .n = t->resolution,
                                    .grade = GRADE,
                                    .thickness = thickness,
                                    .nu = t->nu,
                                    .units = t->units},
                      &s));
  pl_status st = strip_hang(&s, t->x);
  strip_tip(&s, &range, &drop);
  *value = drop / range;
  strip_free(&s);
  return st;
}

static pl_status master(pl_env *env, double nu, double x, double *value) {
  (void)nu;
  return pl_master_cantilever(env, x, value);
}

static const double points[] = {1e-3, 3e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,   2,   5,  10,
                                20,   50,   100,  200,  500,  1e3, 2e3, 5e3, 1e4, 3e4, 1e5};
static const double quick[] = {0.01, 0.5, 10, 100, 1e3, 1e4};

static const pl_protocol_model models[] = {
    {"rod", "discrete elastic rod", 120, 60, 20, 2000, PL_EXPECT_OK, sag, .kind = STRIP_ROD},
    {"midedge", "membrane with bending at mid-edges", 120, 60, 20, 2000, PL_EXPECT_OK, sag,
     .kind = STRIP_MIDEDGE},
    {"hinge", "membrane with hinges", 120, 60, 20, 2000, PL_EXPECT_OK, sag, .kind = STRIP_HINGE},
    {"hex8", "trilinear solid, two cells thick: it locks in shear", 120, 60, 20, 2000, PL_EXPECT_KO,
     sag, .kind = STRIP_HEX8, .nu_most = 0.4999},
    {"scene-rod", "rod, as in a scene: equal edges", 320, 240, 20, 2000, PL_EXPECT_OK, scene_sag,
     .kind = SCENE_ROD},
    {"scene-shell", "strip as in a scene by its default: width L/10, equal cells, equilateral", 50,
     50, 10, 200, PL_EXPECT_OK, scene_sag, .kind = SCENE_SHELL, .judged = {1e-2, 1e3}, .few = 1,
     .nu_zero = 1},
    {"scene-shell-irregular", "the same on a mesh without order", 50, 50, 10, 200, PL_EXPECT_OK,
     scene_sag, .kind = SCENE_SHELL_IRREGULAR, .judged = {1e-2, 1e3}, .few = 1, .nu_zero = 1},
    {"scene-tet", "bar as in a scene: width L/10, one layer of tetrahedra, L/200 thick", 50, 32, 10,
     200, PL_EXPECT_OK, scene_sag, .kind = SCENE_TET, .judged = {1e-2, 10}, .few = 1, .nu_zero = 1},
    {"scene-hex", "the same of hexahedra", 50, 32, 10, 200, PL_EXPECT_OK, scene_sag,
     .kind = SCENE_HEX, .judged = {1e-2, 10}, .few = 1, .nu_zero = 1},
    {"scene-midedge", "strip as in a scene: width L/10, equal cells, equilateral", 100, 100, 10,
     400, PL_EXPECT_OK, scene_sag, .kind = SCENE_MIDEDGE, .judged = {1e-2, 1e3}, .few = 1,
     .nu_zero = 1},
    {"scene-midedge-irregular", "the same on a mesh without order", 100, 100, 10, 400, PL_EXPECT_OK,
     scene_sag, .kind = SCENE_MIDEDGE_IRREGULAR, .judged = {1e-2, 1e3}, .few = 1, .nu_zero = 1},
    {"scene-hinge", "strip as in a scene by hinges: free sides bend as of Poisson's ratio -1/3", 60,
     60, 10, 400, PL_EXPECT_KO, scene_sag, .kind = SCENE_HINGE, .judged = {1e-2, 1e3}, .few = 1,
     .nu_zero = 1},
    {"scene-hinge-irregular", "the same on a mesh without order", 60, 60, 10, 400, PL_EXPECT_KO,
     scene_sag, .kind = SCENE_HINGE_IRREGULAR, .judged = {1e-2, 1e3}, .few = 1, .nu_zero = 1},
};

const pl_protocol protocol_cantilever = {
    .name = "cantilever",
    .text = "a strip clamped level sags by its weight; drop over reach of its tip",
    .nvalue = 1,
    .column = {"Gamma", "H_over_W", "master"},
    .xlabel = "Gamma",
    .ylabel = "H/W",
    .nu = 0,
    .lo = 1e-3,
    .hi = 1e5,
    .judged = {1e-2, 1e4},
    .bar = 0.01,
    .box = &pl_master_box[PL_MASTER_CANTILEVER],
    .npoint = COUNT(points),
    .point = points,
    .nquick = COUNT(quick),
    .quick = quick,
    .ncurve = 81,
    .master = master,
    .nmodel = COUNT(models),
    .model = models,
};
