// Phase of a harmonic of a node's motion along an axis against the excitation: with x(t) =
// Re(Y e^(i k omega t)) and the excitation Re(E e^(i omega t)) it is arg Y - k arg E.
#include "design_impl.h"

#include <string.h>

// 0: nothing oscillates with the base frequency
static int excitation(pl_env *env, const pl_model *m, const pl_params *p, double *angle) {
  double e[2];
  if (!pl_excitation(env, m, p, PL_PER_NOTHING, e)) return 0;
  *angle = atan2(e[1], e[0]);
  return 1;
}

static int axis_of(const pl_objective *o) {
  return o->mask >> 2 & 1 ? 2 : o->mask >> 1 & 1;
}

// sine and cosine of the harmonic, their sum of squares; 0: it does not move but for rounding
static double harmonic_of(const pl_objective_at *at, double *s, double *c) {
  double z[2 * 64 + 1];
  int k = at->o->harmonic, H = at->orbit->nharm;
  pl_orbit_series(at->m, at->p, at->orbit, at->o->node[0], axis_of(at->o), z);
  *s = k <= H ? z[2 * k - 1] : 0;
  *c = k <= H ? z[2 * k] : 0;
  double size = *s * *s + *c * *c;
  return sqrt(size) > 1e-13 * pl_max_abs(2 * H + 1, z) ? size : 0;
}

static pl_status eval(const pl_objective_at *at, int i, double *q) {
  double s, c, angle = 0;
  (void)i;
  if (!(harmonic_of(at, &s, &c) > 0) || !excitation(at->d->env, at->m, at->p, &angle))
    return PL_DOMAIN;
  *q = remainder(atan2(-s, c) - at->o->harmonic * angle, 2 * PL_PI);
  return PL_OK;
}

// ---- the excitation's own change --------------------------------------------------------------

// 1: a variable acts on drives, loads or, where the excitation is a drive, on places
static int may_excite(const pl_objective_at *at, const pl_design_desc *d) {
  long groups = pl_model_ngroup(at->m) > 0 ? pl_model_group_par(at->m, at->p, 0, 0) - at->p->par
                                           : at->p->npar;
  for (int t = 0; t < d->ntarget; t++)
    if (d->target[t].on_ref || d->target[t].index < groups) return 1;
  return 0;
}

// the angle at a variable moved by h; p has values of its own
static double displaced_angle(const pl_objective_at *at, pl_params *p, const pl_design_desc *d,
                              double h) {
  double angle = 0;
  memcpy(p->par, at->p->par, (size_t)p->npar * sizeof *p->par);
  memcpy(p->X, at->p->X, (size_t)p->nref * sizeof *p->X);
  for (int t = 0; t < d->ntarget; t++)
    (d->target[t].on_ref ? p->X : p->par)[d->target[t].index] += h * d->target[t].coef;
  excitation(at->d->env, at->m, p, &angle);
  return angle;
}

// entire functions of the variables: differences of fourth order leave 1e-11 or so
static void add_excitation(const pl_objective_at *at, pl_params *p, double by, double *gx) {
  for (int k = 0; k < at->nvariable; k++) {
    const variable *v = &at->d->var[k];
    if (v->kind != PL_VARIABLE_DESIGN) continue;
    const pl_design_desc *d = pl_model_design(at->m, v->index);
    if (!may_excite(at, d)) continue;
    double h = 2e-4 * scaled_slope(v, at->d->x[k]), rot[2];
    for (int i = 0; i < 2; i++)
      rot[i] = remainder(displaced_angle(at, p, d, (i + 1) * h) -
                             displaced_angle(at, p, d, -(i + 1) * h),
                         2 * PL_PI);
    gx[k] += by * (8 * rot[0] - rot[1]) / (12 * h);
  }
}

static pl_status gradient(const pl_objective_at *at, int i, double q, double by, double *gz,
                          double *gx) {
  double s, c, g[2 * 64 + 1] = {0}, size = harmonic_of(at, &s, &c);
  int k = at->o->harmonic;
  (void)i;
  (void)q;
  if (!(size > 0)) return PL_DOMAIN;
  g[2 * k - 1] = -by * c / size;
  g[2 * k] = by * s / size;
  pl_objective_add(at, at->o->node[0], axis_of(at->o), g, gz, gx);
  pl_params p = *at->p;
  p.par = pl_alloc(at->d->env, (size_t)p.npar + (size_t)p.nref, sizeof *p.par);
  if (!p.par) return PL_E_NOMEM;
  p.X = p.par + p.npar;
  add_excitation(at, &p, -by * k, gx);
  pl_free(at->d->env, p.par);
  return PL_OK;
}

// ---- the kind ---------------------------------------------------------------------------------

static pl_status check(const pl_objective_at *at) {
  const pl_objective *o = at->o;
  double angle;
  int most = at->d->o.harmonics > 0 ? at->d->o.harmonics : 64;
  if (o->harmonic < 1 || o->harmonic > most)
    return pl_fail_at(at->d->env, PL_E_INPUT, NULL, 0, 0, "use more harmonics",
                      "design: objective '%s': the motions have no harmonic %d", objective_label(o),
                      o->harmonic);
  if (excitation(at->d->env, at->m, at->p, &angle)) return PL_OK;
  return pl_fail(at->d->env, PL_E_INPUT,
                 "design: objective '%s': no load and no drive has the base frequency",
                 objective_label(o));
}

static pl_status harmonics(const pl_objective_at *at, int *H) {
  *H = at->o->harmonic;
  return PL_OK;
}

static pl_status begin(const pl_objective_at *at, void **own) {
  double s, c;
  (void)own;
  if (harmonic_of(at, &s, &c) > 0) return PL_OK;
  return pl_fail_at(at->d->env, PL_E_INPUT, NULL, 0, 0,
                    "break the symmetry, or choose another node, axis or harmonic",
                    "design: objective '%s': node %d has no harmonic %d along this axis at the "
                    "start",
                    objective_label(at->o), at->o->node[0], at->o->harmonic);
}

static const pl_option keys[] = {KEY_HARMONIC};

const pl_objective_kind pl_objective_phase = {
    .name = "phase",
    .text = "phase of a node's motion against the excitation",
    .value = "angle",
    .about = "phase of a harmonic of a node's motion along an axis against the excitation (the sum "
             "of the loads, or the drive); falling behind it is negative",
    .keys = "node axes at",
    .nkey = COUNT(keys),
    .key = keys,
    .quantity = "phase",
    .unit = "rad",
    .report_unit = "deg",
    .report_si = PL_PI / 180,
    .form = PL_FORM_ANGLE,
    .goals = PL_GOALS_TARGET,
    .nodes = PL_NODES_ONE,
    .one_axis = 1,
    .least_squares = 1,
    .eval = eval,
    .gradient = gradient,
    .check = check,
    .harmonics = harmonics,
    .begin = begin,
};
