// Locking: a strip of few cells sags at Gamma = 1 however thin it is; H/W over that of the
// elastica.
#include "scene_model.h"

static pl_status sag(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  strip s;
  double range, drop, right;
  PL_TRY(pl_master_cantilever(env, 1, &right));
  PL_TRY(strip_create(env,
                      &(strip_desc){.kind = (strip_kind)m->kind,
                                    .n = t->resolution,
                                    .thickness = t->x,
                                    .nu = t->nu,
                                    .units = t->units},
                      &s));
  pl_status st = strip_hang(&s, 1);
  strip_tip(&s, &range, &drop);
  *value = drop / range / right;
  strip_free(&s);
  return st;
}

static pl_status master(pl_env *env, double nu, double x, double *value) {
  (void)env, (void)nu, (void)x;
  *value = 1;
  return PL_OK;
}

static const double points[] = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
static const double quick[] = {1e-5, 1e-3, 1e-1};

static const pl_protocol_model models[] = {
    {"rod", "discrete elastic rod", 16, 16, 8, 500, PL_EXPECT_OK, sag, .kind = STRIP_ROD},
    {"midedge", "membrane with bending at mid-edges", 16, 16, 8, 500, PL_EXPECT_OK, sag,
     .kind = STRIP_MIDEDGE},
    {"hinge", "membrane with hinges", 16, 16, 8, 500, PL_EXPECT_OK, sag, .kind = STRIP_HINGE},
    {"hex8", "trilinear solid, two cells thick: it locks in shear", 16, 16, 8, 500, PL_EXPECT_KO,
     sag, .kind = STRIP_HEX8, .nu_most = 0.4999},
    {"scene-shell", "strip as in a scene by its default: width L/10, equilateral", 16, 16, 8, 100,
     PL_EXPECT_OK, scene_thin, .kind = SCENE_SHELL, .nu_zero = 1},
    {"scene-shell-irregular", "the same on a mesh without order", 16, 16, 8, 100, PL_EXPECT_OK,
     scene_thin, .kind = SCENE_SHELL_IRREGULAR, .nu_zero = 1},
    {"scene-tet", "bar as in a scene: width L/10, one layer of tetrahedra", 16, 16, 8, 100,
     PL_EXPECT_OK, scene_thin, .kind = SCENE_TET, .judged = {3e-3, 0.1}, .nu_zero = 1},
    {"scene-hex", "the same of hexahedra", 16, 16, 8, 100, PL_EXPECT_OK, scene_thin,
     .kind = SCENE_HEX, .judged = {3e-3, 0.1}, .nu_zero = 1},
};

const pl_protocol protocol_locking = {
    .name = "locking",
    .text = "a strip of few cells sags the same however thin it is",
    .nvalue = 1,
    .column = {"h_over_L", "H_over_theory", "master"},
    .xlabel = "h/L",
    .ylabel = "H/W over theory",
    .nu = 0,
    .lo = 1e-5,
    .hi = 0.1,
    .judged = {1e-5, 0.1},
    .bar = 0.02,
    .logx = 1,
    .npoint = COUNT(points),
    .point = points,
    .nquick = COUNT(quick),
    .quick = quick,
    .ncurve = 2,
    .master = master,
    .nmodel = COUNT(models),
    .model = models,
};
