// One implicit time step: r(q, v(q), a(q)) = 0 in the free unknowns at the end of the step.
// Newmark: harmonic-balance paper, eqs. 47-51.
#include "solve_impl.h"

#include <string.h>

enum { STALE = 2 }; // iterations without a smaller residual before rounding is suspected
static const double CHORD = 0.03;  // a correction that leaves less: its factor serves again
static const double LIGHT = 1e-16; // mass over stiffness times a step squared that is none

// some element has forces that depend on velocities
static int is_damped(const pl_model *m, const pl_params *p) {
  if (p->par[PL_PAR_BETA] != 0) return 1;
  for (int g = 0; g < pl_model_ngroup(m); g++)
    if (pl_model_group_kind(m, g)->d.visc) return 1;
  return 0;
}

pl_status stepper_open(stepper *st) {
  size_t n = (size_t)st->n, nq = (size_t)st->nq;
  PL_TRY(pl_state_create(st->m, st->p, &st->x));
  PL_TRY(pl_state_create(st->m, st->p, &st->base));
  PL_TRY(pl_state_create(st->m, st->p, &st->first));
  PL_TRY(pl_free_mass(st->env, st->m, st->p, &st->M));
  st->heavy = pl_alloc(st->env, nq, sizeof *st->heavy);
  st->factored = pl_alloc(st->env, (size_t)st->w->A.nnz, sizeof *st->factored);
  st->g = pl_alloc(st->env, n, sizeof *st->g);
  st->d = pl_alloc(st->env, n, sizeof *st->d);
  st->ma = pl_alloc(st->env, nq, sizeof *st->ma);
  st->audit.g0 = pl_alloc(st->env, nq, sizeof *st->audit.g0);
  st->audit.d0 = pl_alloc(st->env, nq, sizeof *st->audit.d0);
  if (!st->heavy || !st->factored || !st->g || !st->d || !st->ma || !st->audit.g0 || !st->audit.d0)
    return PL_E_NOMEM;
  st->damped = is_damped(st->m, st->p);
  for (int i = 0; i < st->nq; i++) st->heavy[i] = *pl_csc_diagonal(&st->p->M, i) > 0;
  return whole_open(st);
}

void stepper_close(stepper *st) {
  whole_close(st);
  pl_state_free(st->m, st->x);
  pl_state_free(st->m, st->base);
  pl_state_free(st->m, st->first);
  pl_csc_free(st->env, &st->M);
  pl_factor_free(st->chol);
  pl_factor_free(st->ldl);
  pl_factor_free(st->mass);
  pl_sound_free(st->sound);
  pl_free(st->env, st->heavy);
  pl_free(st->env, st->factored);
  pl_free(st->env, st->g);
  pl_free(st->env, st->d);
  pl_free(st->env, st->ma);
  pl_free(st->env, st->audit.g0);
  pl_free(st->env, st->audit.d0);
  pl_free(st->env, st->fit);
}

pl_status stepper_eval(stepper *st, const pl_state *x, unsigned want, const rule *u) {
  pl_clock c = {x->t, st->o->frequency, 1, st->o->ramp, 1};
  pl_coef coef = u ? (pl_coef){.m = u->da, .d = u->dv, .k = 1} : (pl_coef){0};
  if (st->late > 0 && st->o->method == PL_NEWMARK) coef.more = u ? 1 / u->gamma - 1 : -1;
  if (st->late > 0) want |= PL_PASSIVE;
  st->tangent = 0;
  return pl_eval(st->m, st->p, x, &c, want | PL_DYNAMIC | PL_NEAR, &coef, st->w);
}

pl_status stepper_start(stepper *st, const rule *u) {
  st->pace = NEWTON_FIRST;
  st->left = st->displaced = st->before = INFINITY;
  PL_TRY(stepper_eval(st, st->x, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT, u));
  st->tangent = 1;
  return PL_OK;
}

pl_status stepper_forces(stepper *st, const rule *u) {
  int both = st->pace == NEWTON_SLOW && st->p->par[PL_PAR_BETA] != 0;
  unsigned want = PL_WANT_ENERGY | PL_WANT_FORCE | (both ? PL_WANT_TANGENT : 0);
  PL_TRY(stepper_eval(st, st->x, want, u));
  st->tangent = both;
  return PL_OK;
}

// residuals that have come down to rounding fall no longer, corrections do
void stepper_observe(stepper *st, double residual) {
  int fast = residual <= CHORD * st->left;
  fast |= st->before < INFINITY && st->displaced <= CHORD * st->before;
  if (st->left < INFINITY) st->pace = fast ? NEWTON_FAST : NEWTON_SLOW;
  st->left = residual;
  st->before = st->displaced;
}

int stepper_keeps_factor(const stepper *st) {
  return st->pace == NEWTON_FAST && st->which == 1;
}

pl_status stepper_tangent(stepper *st, const rule *u) {
  return st->tangent ? PL_OK : stepper_eval(st, st->x, PL_WANT_TANGENT, u);
}

// ---- start ------------------------------------------------------------------------------------

// unknowns without mass get a mass of their own
static pl_status mass_factor(stepper *st) {
  pl_csc *M = &st->M;
  pl_status s = PL_SINGULAR;
  for (int i = 0; i < st->n; i++)
    if (!st->heavy[st->dof[i]]) *pl_csc_diagonal(M, i) = 1;
  PL_TRY(pl_factor_create_on(st->env, PL_CHOLESKY, M, 1, st->w->threads, &st->mass));
  // a mass matrix that is only semidefinite: as little more as makes it definite
  for (double more = 0; s == PL_SINGULAR && more<1e-3; more = more> 0 ? 100 * more : 1e-13) {
    for (int i = 0; i < st->n; i++) *pl_csc_diagonal(M, i) *= 1 + more;
    s = pl_factor_numeric(st->mass, M);
  }
  if (s == PL_SINGULAR)
    return pl_fail(st->env, PL_E_INPUT, "transient: the mass matrix is singular");
  return s;
}

pl_status stepper_mass_factor(stepper *st) {
  return st->mass ? PL_OK : mass_factor(st);
}

pl_status stepper_mass_solve(stepper *st) {
  PL_TRY(stepper_mass_factor(st));
  for (int i = 0; i < st->n; i++)
    if (!st->heavy[st->dof[i]]) st->g[i] = 0;
  return factor_solve(st->env, st->mass, 1, st->g, st->d);
}

// A mass that does not change a digit of the step's matrix is none: its inertia would only go on
// ringing, from step to step, with the force that it began with.
pl_status stepper_leave_out_light(stepper *st, double h) {
  rule u = {.h = h, .dv = 1 / h};
  pl_status s = stepper_eval(st, st->s, PL_WANT_TANGENT, &u);
  // the beginning tells it
  if (s == PL_DOMAIN) return PL_OK;
  PL_TRY(s);
  const pl_csc *K = &st->w->A;
  for (int i = 0; i < st->n; i++)
    if (*pl_csc_diagonal(&st->M, i) < LIGHT * h * h * fabs(*pl_csc_diagonal(K, i)))
      st->heavy[st->dof[i]] = 0;
  return PL_OK;
}

pl_status stepper_accelerate(stepper *st, pl_state *x) {
  for (int i = 0; i < st->n; i++) x->a[st->dof[i]] = 0;
  PL_TRY(stepper_eval(st, x, PL_WANT_ENERGY | PL_WANT_FORCE, NULL));
  if (st->n == 0) return PL_OK;
  for (int i = 0; i < st->n; i++) st->g[i] = -st->w->r[st->dof[i]];
  PL_TRY(stepper_mass_solve(st));
  for (int i = 0; i < st->n; i++) x->a[st->dof[i]] = st->d[i];
  return PL_OK;
}

pl_status stepper_begin(stepper *st) {
  pl_clock c = {st->s->t, st->o->frequency, 1, st->o->ramp, 1};
  pl_drive(st->m, st->p, &c, st->s);
  pl_status s = stepper_accelerate(st, st->s);
  if (s == PL_DOMAIN) return fail_domain(st->m, st->w, "transient");
  if (s != PL_OK || st->whole.n == 0) return s;
  // bodies that turn from the start are not stretched by it yet
  pl_state_copy(st->x, st->s);
  whole_settle(st);
  whole_accelerate(st);
  whole_accept(st);
  st->whole.fresh = 1;
  pl_state_copy(st->s, st->x);
  return PL_OK;
}

// ---- rule -------------------------------------------------------------------------------------

static rule make_rule(const stepper *st, double h, double t) {
  rule u = {.method = st->o->method, .h = h, .t = t};
  u.beta = st->o->newmark_beta;
  u.gamma = st->o->newmark_gamma;
  if (u.method == PL_BDF2 && !(st->hist->last_step > 0)) {
    // no state before: one step of the trapezoidal rule, which is of second order too. With contact
    // its accelerations would be without the forces there.
    u.method = st->contacts ? PL_IMPLICIT_EULER : PL_NEWMARK;
    u.beta = 0.25;
    u.gamma = 0.5;
  }
  if (u.method == PL_NEWMARK) {
    u.dv = u.gamma / (u.beta * h);
    u.da = 1 / (u.beta * h * h);
  } else if (u.method == PL_IMPLICIT_EULER) {
    u.dv = 1 / h;
    u.da = 1 / (h * h);
  } else {
    u.rho = h / st->hist->last_step;
    u.c0 = (1 + 2 * u.rho) / (1 + u.rho);
    u.dv = u.c0 / h;
    u.da = u.dv * u.dv;
  }
  return u;
}

// x with accelerations kept (keep = 1) or zero (keep = 0), satisfying the rule: later corrections
// of q, v and a by d, dv d and da d lose no digits, as (q_new - q)/h^2 would
void stepper_predict(stepper *st, const rule *u, double keep) {
  const pl_state *s = st->s;
  pl_state *x = st->x;
  double h = u->h;
  pl_state_copy(x, s); // anchors
  for (int i = 0; i < st->nq; i++) {
    double a = keep * s->a[i];
    if (u->method == PL_NEWMARK) {
      x->q[i] = s->q[i] + h * s->v[i] + h * h * ((0.5 - u->beta) * s->a[i] + u->beta * a);
      x->v[i] = s->v[i] + h * ((1 - u->gamma) * s->a[i] + u->gamma * a);
    } else if (u->method == PL_IMPLICIT_EULER) {
      x->v[i] = s->v[i] + h * a;
      x->q[i] = s->q[i] + h * x->v[i];
    } else {
      // c0 q_new = h v_new + (1 + rho) q - rho^2/(1 + rho) q1, and the same for v
      double c2 = u->rho * u->rho / (1 + u->rho);
      x->v[i] = s->v[i] + (h * a + c2 * (s->v[i] - st->hist->v1[i])) / u->c0;
      x->q[i] = s->q[i] + (h * x->v[i] + c2 * (s->q[i] - st->hist->q1[i])) / u->c0;
    }
    x->a[i] = a;
    if (!st->heavy[i]) {
      // rates of unknowns without mass say little: start from where they are
      double d = s->q[i] - x->q[i];
      x->q[i] += d;
      x->v[i] += u->dv * d;
      x->a[i] += u->da * d;
    }
  }
  x->t = u->t;
  pl_drive(st->m, st->p, &(pl_clock){u->t, st->o->frequency, 1, st->o->ramp, 1}, x);
}

pl_status stepper_progress(stepper *st) {
  return st->motion ? pl_motion_progress(st->motion) : PL_OK;
}

// ---- Newton -----------------------------------------------------------------------------------

// nothing moves these unknowns: no mass, no stiffness
static pl_status fail_loose(stepper *st) {
  int light = 0;
  for (int i = 0; i < st->n; i++) light |= !st->heavy[st->dof[i]];
  // a singular tangent of unknowns with mass is chance: another step length will do
  if (!light || st->looked++) return PL_UNSOLVED;
  pl_csc unit = {0};
  double lambda = 0;
  int at = 0;
  pl_eigen_info info = {0};
  pl_status s = identity_matrix(st->env, st->n, &unit);
  if (s == PL_OK)
    s = pl_eigen_lowest(st->env, &st->w->A, &unit, 1, pl_threads_size(st->w->threads), &lambda,
                        st->d, &info);
  pl_csc_free(st->env, &unit);
  if (s < 0) return s;
  if (s != PL_OK || info.nfound < 1) return PL_UNSOLVED;
  for (int i = 1; i < st->n; i++)
    if (fabs(st->d[i]) > fabs(st->d[at])) at = i;
  if (st->heavy[st->dof[at]]) return PL_UNSOLVED;
  char place[PLACE_TEXT];
  return pl_fail_at(
      st->env, PL_E_INPUT, NULL, 0, 0, "give it a mass, hold it by an element, or fix it",
      "transient: %s has no mass and nothing holds it", unknown_name(st->m, st->dof[at], place));
}

// the values in the factor at hand are those of the tangent to the bit
static int is_factored(const stepper *st) {
  const pl_csc *A = &st->w->A;
  return memcmp(st->factored, A->val, (size_t)A->nnz * sizeof *A->val) == 0;
}

static void keep_factored(stepper *st, int which) {
  const pl_csc *A = &st->w->A;
  memcpy(st->factored, A->val, (size_t)A->nnz * sizeof *A->val);
  st->which = which;
}

static pl_status cholesky(stepper *st) {
  const pl_csc *A = &st->w->A;
  if (st->which == 1 && is_factored(st)) return PL_OK;
  st->which = 0;
  st->info->factorisations++;
  if (!st->chol) PL_TRY(pl_factor_create_on(st->env, PL_CHOLESKY, A, 1, st->w->threads, &st->chol));
  PL_TRY(pl_factor_numeric(st->chol, A));
  keep_factored(st, 1);
  return PL_OK;
}

pl_status stepper_metric(stepper *st, const rule *u) {
  const pl_clock c = {st->x->t, st->o->frequency, 1, st->o->ramp, 1};
  const pl_coef coef = {.m = u->da, .d = u->dv, .k = 1};
  pl_status s = st->which == 1 ? PL_OK : PL_SINGULAR;
  for (unsigned more = 0; s == PL_SINGULAR && more <= PL_CONVEX; more += PL_CONVEX) {
    st->tangent = 0;
    s = pl_eval(st->m, st->p, st->x, &c, PL_WANT_TANGENT | PL_DYNAMIC | more, &coef, st->w);
    if (s == PL_OK) s = cholesky(st);
  }
  return s;
}

// Cholesky, or LDL when indefinite; the factor at hand when the values are the same to the bit
pl_status stepper_factor(stepper *st) {
  const pl_csc *A = &st->w->A;
  if (st->which == 2 && is_factored(st)) return PL_OK;
  pl_status s = cholesky(st);
  if (s != PL_SINGULAR) return s;
  if (!st->ldl) PL_TRY(pl_factor_create_on(st->env, PL_LDL, A, 1, st->w->threads, &st->ldl));
  s = pl_factor_numeric(st->ldl, A);
  if (s == PL_SINGULAR) return fail_loose(st);
  PL_TRY(s);
  keep_factored(st, 2);
  return PL_OK;
}

// sizes after an evaluation: largest residual, and of the forces that it is the sum of
void stepper_measure(stepper *st, double *residual, double *force) {
  const pl_work *w = st->w;
  *residual = *force = 0;
  pl_mass_mul(st->p, st->x->a, st->w, st->ma);
  for (int i = 0; i < st->nq - pl_model_namplitude(st->m); i++) {
    double inner = w->f_inner[i], ma = st->ma[i], outer = ma + inner - w->r[i];
    *force = fmax(*force, fmax(fabs(inner), fmax(fabs(ma), fabs(outer))));
  }
  for (int i = 0; i < st->n; i++) {
    st->g[i] = -w->r[st->dof[i]];
    *residual = fmax(*residual, fabs(st->g[i]));
  }
}

// x = base + step d
void stepper_move(stepper *st, const rule *u, double step) {
  for (int i = 0; i < st->n; i++) {
    int k = st->dof[i];
    st->x->q[k] = st->base->q[k] + step * st->d[i];
    st->x->v[k] = st->base->v[k] + step * u->dv * st->d[i];
    st->x->a[k] = st->base->a[k] + step * u->da * st->d[i];
  }
}

// evaluates x = base + step d, shortening until the residual falls when `careful`
static pl_status correct(stepper *st, const rule *u, int careful) {
  double before = pl_norm(st->n, st->g);
  pl_state_copy(st->base, st->x);
  for (double step = 1; step > 1e-4; step /= 2) {
    PL_TRY(stepper_progress(st));
    stepper_move(st, u, step);
    pl_status s = careful ? stepper_eval(st, st->x, PL_WANT_ENERGY | PL_WANT_FORCE, u)
                          : stepper_forces(st, u);
    if (s < 0) return s;
    if (!careful) return s == PL_DOMAIN ? PL_UNSOLVED : PL_OK;
    if (s == PL_DOMAIN) continue;
    gather_free(st->m, st->w->r, st->g);
    if (pl_norm(st->n, st->g) < before) return PL_OK;
  }
  return PL_UNSOLVED;
}

// f . d over the free unknowns, f[nq]
static double dot_free(const stepper *st, const double *f, const double *d) {
  double sum = 0;
  for (int i = 0; i < st->n; i++) sum += f[st->dof[i]] * d[i];
  return sum;
}

double stepper_energy_noise(const stepper *st) {
  double sum = fabs(st->w->elastic) + fabs(st->w->outer);
  for (int i = 0; i < st->nq; i++) sum += fabs(st->w->f_inner[i] * st->x->q[i]);
  return 16 * DBL_EPSILON * sum;
}

// Its gradient is r:
//   P = W - f.q + a'Ma/(2 da) + alpha v'Mv/(2 dv),
// all but W quadratic, so that their change is known without loss of digits. Forces of damping have
// no potential: with them the work of inner forces stands for W, by the trapezoidal rule.
pl_status stepper_descend(stepper *st, const rule *u) {
  const pl_work *w = st->w;
  double W = w->elastic + w->outer, inner = dot_free(st, w->f_inner, st->d),
         slope = -pl_dot(st->n, st->g, st->d);
  double alpha = st->p->par[PL_PAR_ALPHA], *Md = st->ma; // [nq], free until the next residual
  pl_csc_mul(&st->M, 1, st->d, 0, Md);
  double quad = (u->da + alpha * u->dv) * pl_dot(st->n, st->d, Md);
  pl_state_copy(st->base, st->x);
  for (double step = 1; step > 1e-10; step /= 2) {
    PL_TRY(stepper_progress(st));
    stepper_move(st, u, step);
    pl_status s = stepper_eval(st, st->x, PL_WANT_ENERGY | PL_WANT_FORCE, u);
    if (s < 0) return s;
    if (s == PL_DOMAIN) continue;
    double change = step * (slope - inner) + 0.5 * step * step * quad;
    change += st->damped ? 0.5 * step * (inner + dot_free(st, w->f_inner, st->d))
                         : w->elastic + w->outer - W;
    if (change <= 1e-4 * step * slope + stepper_energy_noise(st)) return PL_OK;
  }
  return PL_UNSOLVED;
}

pl_status stepper_convex(stepper *st, const rule *u) {
  pl_status s = PL_SINGULAR;
  for (int k = 0; k < 2 && s == PL_SINGULAR; k++) {
    s = k == 0 ? stepper_tangent(st, u) : stepper_eval(st, st->x, PL_WANT_TANGENT | PL_CONVEX, u);
    if (s == PL_OK) s = cholesky(st);
  }
  return s == PL_SINGULAR ? fail_loose(st) : s;
}

static pl_status factor_exact(stepper *st, const rule *u) {
  PL_TRY(stepper_tangent(st, u));
  return stepper_factor(st);
}

// one correction; *last: no further one can be told from rounding
static pl_status iterate(stepper *st, const rule *u, newton_way way, int *last) {
  pl_status s = PL_OK;
  if (way != NEWTON_PLAIN || !stepper_keeps_factor(st))
    s = (way == NEWTON_SURE ? stepper_convex : factor_exact)(st, u);
  if (s == PL_DOMAIN) return PL_UNSOLVED;
  PL_TRY(s);
  PL_TRY(factor_solve(st->env, st->which == 1 ? st->chol : st->ldl, 1, st->g, st->d));
  st->info->iterations++;
  st->displaced = pl_max_abs(st->n, st->d);
  *last = is_negligible(st->m, st->x->q, st->d);
  if (way == NEWTON_SURE && !*last) return stepper_descend(st, u);
  return correct(st, u, way == NEWTON_CAREFUL && !*last);
}

void stepper_stay(stepper *st, const rule *u) {
  stepper_predict(st, u, 0);
  for (int i = 0; i < st->n; i++) {
    int k = st->dof[i];
    double d = st->s->q[k] - st->x->q[k];
    st->x->q[k] += d;
    st->x->v[k] += u->dv * d;
    st->x->a[k] += u->da * d;
  }
}

// Accelerations of oscillations that the step is much too long for predict places far from any
// balance: then from where the step begins, if forces are ten times nearer to it there.
static pl_status start_near(stepper *st, const rule *u) {
  double there = 0, here = 0, force = 0;
  pl_status s = stepper_start(st, u);
  if (s == PL_OK) stepper_measure(st, &there, &force);
  if (s < 0 || (s == PL_OK && !(there > 0.5 * force))) return s;
  int outside = s == PL_DOMAIN;
  pl_state_copy(st->base, st->x);
  stepper_stay(st, u);
  s = stepper_start(st, u);
  if (s == PL_OK) stepper_measure(st, &here, &force);
  if (s < 0 || (s == PL_OK && (outside || here < 0.1 * there))) return s;
  pl_state_copy(st->x, st->base);
  return outside ? PL_DOMAIN : stepper_start(st, u);
}

pl_status stepper_newton(stepper *st, const rule *u, newton_way way) {
  double residual, force, best = INFINITY;
  int stale = 0, last = 0;
  pl_status s = way == NEWTON_PLAIN ? start_near(st, u) : stepper_start(st, u);
  if (s == PL_DOMAIN) return PL_UNSOLVED;
  PL_TRY(s);
  for (int it = 0;; it++) {
    stepper_measure(st, &residual, &force);
    stepper_observe(st, residual);
    if (st->n == 0 || last || (st->exactly > 0 && it == st->exactly)) break;
    // forces of stiff parts round off: no more can be had when they no longer fall
    stale = residual > 0.5 * best ? stale + 1 : 0;
    int done = residual <= st->o->rtol * force ||
               (stale >= STALE && at_rounding(st->m, &st->w->A, st->x->q, st->g, st->d));
    if (done && it > 0 && st->exactly == 0) break;
    if (st->exactly == 0 && it == st->o->max_iter) return PL_UNSOLVED;
    // potentials may fall while residuals rise
    if (way != NEWTON_SURE && it > 4 && residual > 1e3 * best) return PL_UNSOLVED;
    best = fmin(best, residual);
    PL_TRY(stepper_progress(st));
    PL_TRY(iterate(st, u, way, &last));
  }
  if (force > 0) st->info->residual = fmax(st->info->residual, residual / force);
  return PL_OK;
}

// The minimum of the step's potential downhill from where the step begins: from the prediction,
// which may lie in elements turned inside out, Newton's method may find another solution.
static pl_status solve_downhill(stepper *st, const rule *u) {
  stepper_stay(st, u);
  return stepper_newton(st, u, NEWTON_SURE);
}

// A solution that is not sound in x: another one, or the same when there is no better.
static pl_status look_again(stepper *st, const rule *u, verdict *v) {
  audit first = st->audit, *now = &st->audit;
  verdict old = *v;
  pl_state_copy(st->first, st->x);
  pl_status s = solve_downhill(st, u);
  if (s == PL_OK) *v = audit_step(st, u);
  if (s != PL_UNSOLVED) PL_TRY(s);
  if (s == PL_OK && (*v < old || (*v == old && fabs(now->made) <= fabs(first.made)))) return PL_OK;
  pl_state_copy(st->x, st->first);
  *now = first;
  *v = old;
  return stepper_eval(st, st->x, PL_WANT_ENERGY | PL_WANT_FORCE, u);
}

static pl_status settle_whole(stepper *st) {
  if (st->whole.n == 0) return PL_OK;
  whole_settle(st);
  PL_TRY(stepper_eval(st, st->x, PL_WANT_ENERGY | PL_WANT_FORCE, NULL));
  whole_accelerate(st);
  return PL_OK;
}

static pl_status solve_free(stepper *st, const rule *u, verdict *v) {
  stepper_predict(st, u, 1);
  pl_status s = stepper_newton(st, u, NEWTON_PLAIN);
  if (s == PL_UNSOLVED) {
    stepper_predict(st, u, 0);
    s = stepper_newton(st, u, NEWTON_CAREFUL);
  }
  int downhill = s == PL_UNSOLVED;
  if (downhill) s = solve_downhill(st, u);
  PL_TRY(s);
  *v = audit_step(st, u);
  if (*v != SOUND && !downhill) PL_TRY(look_again(st, u, v));
  return settle_whole(st);
}

pl_status stepper_try(stepper *st, double h, double t) {
  rule u = make_rule(st, h, t);
  verdict v = SOUND;
  st->audit.unsound = 0;
  st->late = st->hist->late;
  PL_TRY(audit_begin(st));
  PL_TRY(st->contacts ? late_contact(st, &u, &v) : solve_free(st, &u, &v));
  st->audit.unsound = v == UNSOUND || (v == DOUBTFUL && audit_is_gross(st));
  return st->audit.unsound ? PL_UNSOLVED : PL_OK;
}

pl_status stepper_accept(stepper *st, double h) {
  const rule u = make_rule(st, h, st->x->t);
  size_t size = (size_t)st->nq * sizeof(double);
  audit_accept(st);
  PL_TRY(pace_accept(st, &u));
  if (st->hist->q1) {
    memcpy(st->hist->q1, st->s->q, size);
    memcpy(st->hist->v1, st->s->v, size);
  }
  st->hist->last_step = h;
  st->hist->late = st->late;
  phase_accept(st);
  if (st->contacts) momentum_accept(st, &u);
  if (st->contacts && st->hist->q1)
    contact_set_forget(st->contacts, h, st->x->q, st->hist->q1, st->hist->v1);
  if (st->contacts) PL_TRY(contact_set_accept(st->contacts));
  if (st->contacts && st->contacts->k->accepted)
    st->contacts->k->accepted(st->contacts->k->ctx, st->x, h);
  if (st->gradient) PL_TRY(follow_step(st, &u));
  pl_state_copy(st->s, st->x);
  pl_commit(st->m, st->p, st->s);
  return PL_OK;
}

// ---- error ------------------------------------------------------------------------------------

double stepper_error(const stepper *st, double h, double *size) {
  const rule u = make_rule(st, h, st->x->t);
  double most = 0, keep = u.method == PL_IMPLICIT_EULER ? 0 : 1;
  for (int k = 0; k < st->n; k++) {
    int i = st->dof[k];
    if (!st->heavy[i]) continue;
    most = fmax(most, fabs(st->x->a[i] - keep * st->s->a[i]));
  }
  *size = st->hist->size;
  for (int i = 0; i < st->nq; i++) *size = fmax(*size, fabs(st->x->q[i] - st->p->X[i]));
  double error = pace_factor(&u) * h * h * most;
  if (!(error > 0)) return 0;
  return *size > 0 ? error / (st->o->tolerance * *size) : INFINITY;
}
