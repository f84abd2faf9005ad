// Linear modes about a state: K x = omega^2 M x.
#include "solve_impl.h"

#include <string.h>

static const double MASS_LEAST = 1e-150; // kg; its square is divided by
// of eps x'|K|x: rounding in x'Kx is below the first for certain, and a tenth of the second as a
// rule; bending of thin solids lies between them, when only its shape tells it from a rigid motion
static const double NOISE_MOST = 256, NOISE_LIKELY = 4;
static const double RIGID = 0.01; // of a shape that is no rigid motion

// x'Mx = 1, so lambda = x'Kx: is it zero to rounding, which moves it by about `noise`?
static pl_status is_rigid(const pl_model *m, pl_work *w, const double *q, double lambda,
                          double noise, const double *shape, int *rigid) {
  double beyond;
  *rigid = fabs(lambda) <= NOISE_LIKELY * noise;
  if (*rigid || fabs(lambda) > NOISE_MOST * noise) return PL_OK;
  PL_TRY(shape_beyond_rigid(m, w->env, q, shape, &beyond));
  *rigid = beyond <= RIGID;
  return PL_OK;
}

// Twice the elastic energy of a small motion along a shape to both sides, over its square: of thin
// bodies far more exact than x'Kx, where stretching cancels. 0: the state is under stress, whose
// energy cancels here.
static pl_status energy_of(const pl_model *m, const pl_params *p, pl_work *w, const pl_state *s,
                           const double *shape, double *lambda) {
  const double STEP = 1e-6; // of the size: bending, not its square, and far above rounding
  double most = pl_max_abs(pl_model_nnode(m) * pl_model_dim(m), shape), sum = 0, rest = 0;
  double step = most > 0 ? STEP * model_extent(m, s->q) / most : 0;
  pl_state *x = NULL;
  pl_status st = pl_state_create(m, p, &x);
  for (int side = -1; st == PL_OK && side <= 1; side++) {
    pl_state_copy(x, s);
    pl_axpy(s->nq, side * step, shape, s->q, x->q);
    st = pl_eval(m, p, x, &(pl_clock){.t = s->t, .scale = 1}, PL_WANT_ENERGY, NULL, w);
    if (st == PL_OK) *(side ? &sum : &rest) += w->elastic;
  }
  pl_state_free(m, x);
  *lambda = st == PL_OK && rest < 1e-6 * sum && step > 0 ? sum / (step * step) : 0;
  return st == PL_DOMAIN ? PL_OK : st;
}

// what rounding hides of the stiffness of bodies that are held their energy tells
static pl_status look_closer(const pl_model *m, const pl_params *p, pl_work *w, const pl_state *s,
                             const double *shape, double *lambda, double *noise) {
  double better;
  PL_TRY(energy_of(m, p, w, s, shape, &better));
  if (!(better > 0)) return PL_OK;
  // what is left comes with the square of what other modes the shape has of
  *noise = fmin(*noise, *noise * *noise / better);
  *lambda = better;
  return PL_OK;
}

// omega = sqrt(lambda), -sqrt(-lambda) when unstable, 0 when zero to rounding
static pl_status classify(const pl_model *m, const pl_params *p, pl_work *w, const pl_state *s,
                          int count, double *omega, const double *x, const double *shape,
                          pl_modes_info *info) {
  const pl_csc *K = &w->A;
  int held;
  PL_TRY(all_is_held(m, w->env, s->q, &held));
  for (int k = 0; k < count; k++) {
    const double *own = shape + (size_t)k * pl_model_nq(m);
    double lambda = omega[k], noise = DBL_EPSILON * abs_form(K, x + (size_t)k * K->n);
    int rigid;
    PL_TRY(is_rigid(m, w, s->q, lambda, noise, own, &rigid));
    if (held && fabs(lambda) <= NOISE_MOST * noise) {
      PL_TRY(look_closer(m, p, w, s, own, &lambda, &noise));
      rigid &= !(lambda > 0);
    }
    if (rigid) {
      info->nrigid++;
      omega[k] = 0;
    } else {
      info->nunstable += lambda < 0;
      info->rounding = fmax(info->rounding, 0.5 * noise / fabs(lambda));
      omega[k] = lambda < 0 ? -sqrt(-lambda) : sqrt(lambda);
    }
  }
  return PL_OK;
}

// some unknown has neither mass nor stiffness, so that any number is its frequency
static pl_status report_singular(const pl_model *m, pl_work *w, const pl_csc *M) {
  const pl_csc *K = &w->A;
  char place[PLACE_TEXT];
  int at = 0;
  while (at < K->n && (*pl_csc_diagonal(K, at) != 0 || *pl_csc_diagonal(M, at) != 0)) at++;
  if (at == K->n)
    pl_report(w->env, PL_WARNING, NULL, 0, 0, "give all nodes a mass, or fix what nothing holds",
              "modes: stiffness and mass are singular together");
  else
    pl_report(w->env, PL_WARNING, NULL, 0, 0, "give it a mass, hold it by an element, or fix it",
              "modes: %s has no mass and nothing holds it",
              unknown_name(m, pl_model_free_dofs(m)[at], place));
  return PL_UNSOLVED;
}

static pl_status find(const pl_model *m, const pl_params *p, pl_work *w, const pl_state *state,
                      const pl_csc *M, int count, double *omega, double *x, double *shape,
                      pl_modes_info *info) {
  int n = pl_model_nfree(m), nq = pl_model_nq(m);
  const int *dof = pl_model_free_dofs(m);
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, *pl_csc_diagonal(M, i));
  if (!(most > 0))
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0,
                      "give the elements a density or add point masses",
                      "modes: the free part of the model has no mass");
  if (most < MASS_LEAST)
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, "check the units of densities and masses",
                      "modes: a largest mass of %g kg is too small for numbers", most);
  PL_TRY(pl_report_progress(w->env, "modes", -1, NULL));
  pl_eigen_info eigen = {0};
  pl_status s =
      pl_eigen_lowest(w->env, &w->A, M, count, pl_threads_size(w->threads), omega, x, &eigen);
  if (s == PL_SINGULAR) return report_singular(m, w, M);
  PL_TRY(s);
  info->nfound = eigen.nfound;
  info->residual = eigen.residual;
  for (int k = 0; k < info->nfound; k++)
    for (int i = 0; i < n; i++) shape[(size_t)k * nq + dof[i]] = x[(size_t)k * n + i];
  return classify(m, p, w, state, info->nfound, omega, x, shape, info);
}

pl_status pl_modes(const pl_modes_opts *o, const pl_model *m, const pl_params *p, const pl_state *s,
                   pl_work *w, double *omega, double *shape, pl_modes_info *info) {
  pl_modes_info own;
  const pl_modes_opts usual = pl_modes_defaults();
  if (!info) info = &own;
  if (!o) o = &usual;
  *info = (pl_modes_info){0};
  double start = pl_wall_time();
  PL_TRY(solve_opts_check(w->env, pl_modes_option_table, pl_modes_option_count, o));
  int n = pl_model_nfree(m), count = o->count < n ? o->count : n;
  memset(omega, 0, (size_t)o->count * sizeof *omega);
  if (shape) memset(shape, 0, (size_t)o->count * (size_t)pl_model_nq(m) * sizeof *shape);
  if (n == 0)
    return pl_fail(w->env, PL_E_INPUT, "modes: every unknown is driven, nothing can vibrate");
  pl_status st = pl_eval(m, p, s, &(pl_clock){.t = s->t, .scale = 1},
                         PL_WANT_FORCE | PL_WANT_TANGENT, &(pl_coef){.k = 1}, w);
  if (st == PL_DOMAIN) return fail_domain(m, w, "modes");
  PL_TRY(st);
  pl_csc M = {0};
  PL_TRY(pl_free_mass(w->env, m, p, &M));
  double *x = pl_alloc(w->env, (size_t)count * (size_t)n, sizeof *x);
  // shapes are looked at whether they are wanted or not
  double *own_shape =
      shape ? NULL : pl_alloc(w->env, (size_t)o->count * (size_t)pl_model_nq(m), sizeof *x);
  if (!shape) shape = own_shape;
  st = x && shape ? find(m, p, w, s, &M, count, omega, x, shape, info) : PL_E_NOMEM;
  pl_free(w->env, x);
  pl_free(w->env, own_shape);
  pl_csc_free(w->env, &M);
  info->seconds = pl_wall_time() - start;
  return st;
}
