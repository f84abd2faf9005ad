// Lateral buckling: a plate clamped upright at one side bends out of its plane when its weight,
// Gamma* = rho h g L^3/D, passes a threshold that depends on its width.
#include "scene_model.h"

#include <string.h>

static const double THIN = 2e-3;                        // thickness over the length
static const double FIRST = 6, LAST = 1e3, STEP = 1.25; // loads to be tried
static const double FLAT = 1e-3; // relaxed states that leave the plane less are flat, over L
static const double PUSH = 1e-2; // out of plane at the tip before relaxing, over L
enum { X_Y = 3, Z = 4 };         // components of nodes, as masks
enum { LEAST = 12 };             // cells across

// ---- plates -----------------------------------------------------------------------------------

typedef struct outline {
  pl_mesh *mesh;
  int *clamp; // [nvert] 1: built in
} outline;

typedef struct plate {
  pl_env *env;
  pl_trial *trial;
  double length;
  double gravity;    // m/s^2 that makes Gamma* one
  pl_built flat;     // its membrane, which moves in the plane
  pl_built bend;     // moves out of the plane only, or also
  pl_factor *factor; // of the stiffness of flat,
  pl_factor *pivots; // and of bend
} plate;

static void outline_free(outline *o, pl_env *env) {
  pl_mesh_free(o->mesh);
  pl_free(env, o->clamp);
}

// Squares for mid-edge shells, clamped at a line. Hinges want equilateral triangles and two columns
// of nodes, with the clamp in the middle of the cells between.
static pl_status draw(pl_env *env, const pl_trial *t, int midedge, double L, outline *o) {
  int n = t->resolution;
  double w = t->x * L, lx = midedge ? L : L * n / (n - 0.5), d = lx / n;
  int ny = (int)lround(midedge ? w / d : w / (d * sqrt(0.75)));
  memset(o, 0, sizeof *o);
  int least = midedge ? LEAST : 2;
  PL_TRY(pl_gen_grid(env, n, ny > least ? ny : least, lx, w, midedge ? PL_CROSSED : PL_EQUILATERAL,
                     &o->mesh));
  o->clamp = pl_alloc(env, (size_t)o->mesh->nvert, sizeof *o->clamp);
  if (!o->clamp) return PL_E_NOMEM;
  double range = midedge ? 0 : 1.01 * d;
  for (int i = 0; i < o->mesh->nvert; i++) o->clamp[i] = o->mesh->X[3 * i] <= range;
  return PL_OK;
}

// the clamp by all components, the other nodes by a mask
static void hold(pl_builder *d, const outline *o, int mask, int hold_as) {
  int n = o->mesh->nvert, nclamp = 0, nrest = 0;
  int *clamp = pl_build_keep(d, (size_t)n, sizeof *clamp);
  int *rest = pl_build_keep(d, (size_t)n, sizeof *rest);
  if (!clamp || !rest) return;
  for (int i = 0; i < n; i++)
    if (o->clamp[i])
      clamp[nclamp++] = i;
    else
      rest[nrest++] = i;
  hold_nodes(d, nclamp, clamp, 7, hold_as);
  if (mask) hold_nodes(d, nrest, rest, mask, PL_HOLD_NODES);
}

static pl_status build(plate *p, const outline *o, pl_bending bending, int mask, pl_built *b) {
  const pl_trial *t = p->trial;
  const dims *u = protocol_dims(t->units);
  pl_builder *d;
  PL_TRY(pl_builder_create(p->env, 3, &d));
  d->gravity[1] = -p->gravity;
  pl_build_body(d, &(pl_body_desc){.name = "plate",
                                   .mesh = o->mesh,
                                   .young = {.v = u->young},
                                   .poisson = {.v = t->nu},
                                   .density = {.v = u->density},
                                   .consistent = 1,
                                   .thickness = {.v = THIN * u->length},
                                   .bending = bending});
  hold(d, o, mask, bending == PL_BENDING_MIDEDGE ? PL_HOLD_CLAMP : PL_HOLD_NODES);
  return pl_build_all(d, 1, b);
}

static void plate_free(plate *p) {
  pl_factor_free(p->factor);
  pl_factor_free(p->pivots);
  pl_built_free(&p->flat);
  pl_built_free(&p->bend);
}

// mask: what bend holds of nodes that are not clamped
static pl_status plate_create(pl_env *env, pl_trial *t, pl_bending bending, int mask, plate *p) {
  const dims *u = protocol_dims(t->units);
  double h = THIN * u->length, L = u->length;
  *p = (plate){.env = env, .trial = t, .length = L};
  p->gravity = u->young * h * h / (12 * (1 - t->nu * t->nu)) / (u->density * L * L * L);
  outline o;
  pl_status s = draw(env, t, bending == PL_BENDING_MIDEDGE, L, &o);
  if (s == PL_OK) s = build(p, &o, PL_BENDING_NONE, Z, &p->flat);
  if (s == PL_OK) s = build(p, &o, bending, mask, &p->bend);
  if (s == PL_OK) s = pl_factor_create(env, PL_CHOLESKY, &p->flat.work->A, 1, 1, &p->factor);
  if (s == PL_OK) s = pl_factor_create(env, PL_CHOLESKY, &p->bend.work->A, 1, 1, &p->pivots);
  outline_free(&o, env);
  if (s != PL_OK) plate_free(p);
  return s;
}

// The equilibrium in the plane, into both models. It is a gentle one: plain Newton steps.
static pl_status settle(plate *p, double gamma) {
  static const pl_coef stiffness = {.k = 1};
  const pl_clock clock = {.scale = 1};
  pl_built *b = &p->flat;
  int n = pl_model_nfree(b->model);
  const int *dof = pl_model_free_dofs(b->model);
  double *d = pl_alloc(p->env, (size_t)n, sizeof *d), most = INFINITY;
  pl_status s = d ? PL_OK : PL_E_NOMEM;
  b->params->par[PL_PAR_GRAVITY + 1] = p->bend.params->par[PL_PAR_GRAVITY + 1] =
      -p->gravity * gamma;
  for (int it = 0; s == PL_OK && most > 1e-12 * p->length; it++) {
    s = it < 20 ? pl_eval(b->model, b->params, b->state, &clock, PL_WANT_FORCE | PL_WANT_TANGENT,
                          &stiffness, b->work)
                : PL_UNSOLVED;
    if (s == PL_OK) s = pl_factor_numeric(p->factor, &b->work->A);
    for (int i = 0; s == PL_OK && i < n; i++) d[i] = -b->work->r[dof[i]];
    if (s == PL_OK) s = pl_factor_solve(p->factor, 1, d, d);
    for (int i = 0; s == PL_OK && i < n; i++) b->state->q[dof[i]] += d[i];
    most = s == PL_OK ? pl_max_abs(n, d) : 0;
  }
  // nodes come first in both; the copies of a wall do not move
  if (s == PL_OK) memcpy(p->bend.state->q, b->state->q, (size_t)b->state->nq * sizeof *b->state->q);
  pl_free(p->env, d);
  return s;
}

// ---- thresholds -------------------------------------------------------------------------------

typedef pl_status (*side_fn)(plate *p, double gamma, int *beyond);

// The state in the plane is stable while the stiffness out of it, which is not coupled with that in
// it, has a Cholesky factor: all of its eigenvalues are positive.
static pl_status unstable(plate *p, double gamma, int *beyond) {
  static const pl_coef stiffness = {.k = 1};
  const pl_clock clock = {.scale = 1};
  pl_built *b = &p->bend;
  PL_TRY(settle(p, gamma));
  PL_TRY(pl_eval(b->model, b->params, b->state, &clock, PL_WANT_TANGENT, &stiffness, b->work));
  pl_status s = pl_factor_numeric(p->pivots, &b->work->A);
  *beyond = s == PL_SINGULAR;
  return s == PL_SINGULAR ? PL_OK : s;
}

// Pushes the plate out of its plane and lets it fall back, or farther out.
static pl_status leaves(plate *p, double gamma, int *beyond) {
  pl_trial *t = p->trial;
  pl_built *b = &p->bend;
  int n = pl_model_nnode(b->model), first = pl_model_nq(p->flat.model);
  double most = 0;
  pl_static_opts o;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &o);
  o.book = 0; // the master curve tells
  PL_TRY(settle(p, gamma));
  for (int i = first; i < b->state->nq; i++) b->state->q[i] = b->params->X[i];
  for (int i = 0; i < n; i++) {
    double x = b->params->X[3 * i] / p->length;
    if (pl_model_free_index(b->model)[3 * i + 2] >= 0)
      b->state->q[3 * i + 2] = PUSH * p->length * x * x;
  }
  PL_TRY(pl_static(&o, b->model, b->params, b->state, b->work, NULL, NULL, NULL));
  for (int i = 0; i < n; i++) most = fmax(most, fabs(b->state->q[3 * i + 2]));
  *beyond = most > FLAT * p->length;
  if (t->nlabel < PL_TRIAL_LABELS)
    t->label[t->nlabel++] = (pl_label){.x = t->x, .y = gamma, .beyond = *beyond};
  return PL_OK;
}

// The middle of two loads, one on each side, that differ by the bracket. From below, so that states
// far beyond, which take long to find, are not asked for.
static pl_status threshold(plate *p, side_fn side, double bracket, double *gamma) {
  double lo = 0, hi = FIRST;
  int beyond = 0;
  while (hi < LAST) {
    PL_TRY(side(p, hi, &beyond));
    if (beyond) break;
    lo = hi;
    hi *= STEP;
  }
  while (beyond && hi - lo > bracket * hi) {
    double mid = lo + (hi - lo) / 2;
    PL_TRY(pl_report_progress(p->env, "lateral buckling", -1, NULL));
    PL_TRY(side(p, mid, &beyond));
    *(beyond ? &hi : &lo) = mid;
    beyond = 1;
  }
  *gamma = lo + (hi - lo) / 2;
  return beyond ? PL_OK : PL_UNSOLVED;
}

static pl_status find(pl_env *env, pl_trial *t, pl_bending bending, int mask, side_fn side,
                      double bracket, double *value) {
  plate p;
  PL_TRY(plate_create(env, t, bending, mask, &p));
  pl_status s = threshold(&p, side, bracket, value);
  plate_free(&p);
  return s;
}

static pl_status midedge(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  return find(env, t, PL_BENDING_MIDEDGE, X_Y, unstable, 2e-5, value);
}

static pl_status hinge(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  return find(env, t, PL_BENDING_HINGE, X_Y, unstable, 2e-5, value);
}

// the paper's way: flat or not, nothing else is asked
static pl_status relaxed(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  return find(env, t, PL_BENDING_MIDEDGE, 0, leaves, 2e-3, value);
}

// ---- the protocol -----------------------------------------------------------------------------

static pl_status master(pl_env *env, double nu, double x, double *value) {
  return pl_master_lateral(env, nu, x, value);
}

static const double points[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
static const double quick[] = {0.1, 0.4, 1};

static const pl_protocol_model models[] = {
    {"midedge", "membrane with bending at mid-edges; threshold by inertia", 48, 24, 8, 200,
     PL_EXPECT_OK, midedge, .kind = 0},
    {"relaxed", "the same shell; threshold by relaxed states, flat or not", 24, 20, 8, 100,
     PL_EXPECT_OK, relaxed, .few = 1},
    {"hinge", "membrane with hinges: a plate of Poisson's ratio -1/3", 48, 24, 8, 200, PL_EXPECT_KO,
     hinge, .kind = 0},
    {"scene-shell", "as in a scene by its default: equilateral, static with critical: yes", 16, 16,
     4, 100, PL_EXPECT_OK, scene_buckle, .kind = SCENE_SHELL, .few = 1},
    {"scene-shell-irregular", "the same on a mesh without order", 16, 16, 4, 100, PL_EXPECT_OK,
     scene_buckle, .kind = SCENE_SHELL_IRREGULAR, .few = 1},
    {"scene-midedge", "as in a scene: equilateral, static with critical: yes", 48, 32, 8, 200,
     PL_EXPECT_OK, scene_buckle, .kind = SCENE_MIDEDGE, .few = 1},
    {"scene-midedge-irregular", "the same on a mesh without order", 48, 48, 8, 200, PL_EXPECT_OK,
     scene_buckle, .kind = SCENE_MIDEDGE_IRREGULAR, .few = 1},
    {"scene-hinge-irregular", "the same by hinges", 32, 24, 8, 200, PL_EXPECT_KO, scene_buckle,
     .kind = SCENE_HINGE_IRREGULAR, .few = 1},
};

const pl_protocol protocol_lateral_buckling = {
    .name = "lateral-buckling",
    .text = "a plate clamped upright at one side leaves its plane by its weight",
    .nvalue = 1,
    .column = {"w_over_L", "Gamma_star_c", "master"},
    .xlabel = "w/L",
    .ylabel = "Gamma*",
    .nu = 0.35,
    .lo = 0.05,
    .hi = 1,
    .judged = {0.1, 1},
    .bar = 0.02,
    .box = &pl_master_box[PL_MASTER_LATERAL],
    .npoint = COUNT(points),
    .point = points,
    .nquick = COUNT(quick),
    .quick = quick,
    .ncurve = 11,
    .master = master,
    .nmodel = COUNT(models),
    .model = models,
};
