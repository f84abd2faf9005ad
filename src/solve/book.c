// Energy book of load steps: the work of loads and drives on a path of equilibria against the
// change of stored energy.
#include "solve_impl.h"

#include <string.h>

static const double NUDGE = 1e-5;   // of a load step: by which drives are differentiated
static const double CURVE = 0.02;   // of the box around the path: error of the rule
static const double PART = 0.08;    // of the stored energy: the same, at most
static const double SMALL = 1e-4;   // of the stored energy: less is not told
static const double SETTLED = 1e-6; // of the forces: an equilibrium

pl_status book_open(book *k, equil *e) {
  size_t nq = (size_t)e->nq;
  // power is that of forces that grow with the load and have a potential
  int plain = !pl_model_timed(e->m) && !pl_model_circulatory(e->m);
  if (!e->o->book || e->contacts || e->n == 0 || !plain) return PL_OK;
  k->F = pl_alloc(e->env, nq, sizeof *k->F);
  k->rate = pl_alloc(e->env, nq, sizeof *k->rate);
  k->r = pl_alloc(e->env, nq, sizeof *k->r);
  if (!k->F || !k->rate || !k->r) return PL_E_NOMEM;
  PL_TRY(pl_state_create(e->m, e->p, &k->x));
  k->open = 1;
  return PL_OK;
}

void book_close(book *k, equil *e) {
  pl_free(e->env, k->F);
  pl_free(e->env, k->rate);
  pl_free(e->env, k->r);
  if (k->x) pl_state_free(e->m, k->x);
}

// ---- entries ----------------------------------------------------------------------------------

// k->x: e->x moved along k->rate in the free unknowns, with the drives at another load; its forces
// in w
static pl_status nudge(book *k, equil *e, double by, const double *rate) {
  static const pl_coef none = {0};
  pl_clock c = {.scale = e->clock.scale + by};
  pl_state_copy(k->x, e->x);
  for (int i = 0; i < e->n && rate; i++) k->x->q[e->dof[i]] += by * rate[e->dof[i]];
  pl_drive(e->m, e->p, &c, k->x);
  return pl_eval(e->m, e->p, k->x, &c, PL_WANT_FORCE, &none, e->w);
}

// velocity of the driven unknowns with the load into k->rate; returns 1 when some move
static int drive_rates(book *k, equil *e, double by) {
  pl_clock c = {.scale = e->clock.scale + by};
  const int *index = pl_model_free_index(e->m);
  int moving = 0;
  pl_state_copy(k->x, e->x);
  pl_drive(e->m, e->p, &c, k->x);
  memcpy(k->rate, k->x->q, (size_t)e->nq * sizeof *k->rate);
  c.scale -= 2 * by;
  pl_drive(e->m, e->p, &c, k->x);
  for (int i = 0; i < e->nq; i++) {
    k->rate[i] = index[i] < 0 ? (k->rate[i] - k->x->q[i]) / (2 * by) : 0;
    moving |= k->rate[i] != 0;
  }
  return moving;
}

// work of loads at full scale since the reference shape
static double load_work(const book *k, const equil *e, const double *q) {
  double sum = 0;
  for (int i = 0; i < e->nq; i++) sum += k->F[i] * (q[i] - e->p->X[i]);
  return sum;
}

// d potential / d scale on the path: reactions r times the rates of drives, less the work of loads
static double power(const book *k, const equil *e, const double *q, const double *r,
                    const double *rate) {
  const int *index = pl_model_free_index(e->m);
  double sum = -load_work(k, e, q);
  for (int i = 0; i < e->nq; i++)
    if (index[i] < 0) sum += r[i] * rate[i];
  return sum;
}

// e->d = K^-1 e->b with the stiffness in w; *solved 0: it is singular
static pl_status path_solve(equil *e, int *solved) {
  pl_status s = equil_cholesky(e);
  *solved = s == PL_OK;
  if (s == PL_OK) return factor_solve(e->env, e->chol, 1, e->b, e->d);
  if (s != PL_SINGULAR) return s;
  s = equil_ldl(e);
  if (s == PL_SINGULAR || (s == PL_OK && pl_factor_stats(e->ldl).nzero > 0)) return PL_OK;
  PL_TRY(s);
  *solved = 1;
  return factor_solve(e->env, e->ldl, 1, e->b, e->d);
}

// The slope of the power by central differences along the path, whose tangent in the free unknowns
// goes to k->rate.
static pl_status driven_slope(book *k, equil *e, double by, book_entry *out) {
  pl_status s = nudge(k, e, -by, NULL);
  memcpy(k->r, e->w->r, (size_t)e->nq * sizeof *k->r);
  if (s == PL_OK) s = nudge(k, e, by, NULL);
  if (s == PL_DOMAIN) return PL_OK;
  PL_TRY(s);
  for (int i = 0; i < e->n; i++) e->b[i] = (k->r[e->dof[i]] - e->w->r[e->dof[i]]) / (2 * by);
  int solved;
  PL_TRY(equil_eval(e, PL_WANT_TANGENT));
  PL_TRY(path_solve(e, &solved));
  if (!solved) return PL_OK;
  for (int i = 0; i < e->n; i++) k->rate[e->dof[i]] = e->d[i];
  double P[2];
  for (int side = 0; side < 2; side++) {
    double to = side ? by : -by;
    s = nudge(k, e, to, k->rate);
    if (s == PL_DOMAIN) return PL_OK;
    PL_TRY(s);
    memcpy(k->r, k->x->q, (size_t)e->nq * sizeof *k->r);
    // rates of drives there: those of a rotation turn
    pl_clock c = {.scale = e->clock.scale + 2 * to};
    pl_state_copy(k->x, e->x);
    pl_drive(e->m, e->p, &c, k->x);
    const int *index = pl_model_free_index(e->m);
    P[side] = -load_work(k, e, k->r);
    for (int i = 0; i < e->nq; i++)
      if (index[i] < 0) P[side] += e->w->r[i] * (k->x->q[i] - e->x->q[i]) / (2 * to);
  }
  out->slope = (P[1] - P[0]) / (2 * by);
  out->sloped = 1;
  return PL_OK;
}

static pl_status loaded_slope(book *k, equil *e, book_entry *out) {
  int solved;
  gather_free(e->m, k->F, e->b);
  PL_TRY(path_solve(e, &solved));
  out->sloped = solved;
  if (!solved) return PL_OK;
  gather_free(e->m, k->F, e->b);
  out->slope = -pl_dot(e->n, e->b, e->d);
  return PL_OK;
}

pl_status book_entry_make(book *k, equil *e, book_entry *out) {
  double by = NUDGE / e->o->steps;
  PL_TRY(equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT));
  balance b = equil_balance(e);
  int moving = drive_rates(k, e, by);
  *out = (book_entry){.scale = e->clock.scale,
                      .elastic = e->w->elastic,
                      .outer = e->w->outer,
                      .lost = e->w->slipped,
                      .load = load_work(k, e, e->x->q),
                      .power = power(k, e, e->x->q, e->w->r, k->rate),
                      .noise = b.noise,
                      .residual = b.residual};
  return moving ? driven_slope(k, e, by, out) : loaded_slope(k, e, out);
}

pl_status book_begin(book *k, equil *e) {
  if (!k->open) return PL_OK;
  e->clock.scale = 1;
  pl_status s = equil_eval(e, PL_WANT_FORCE);
  for (int i = 0; i < e->nq; i++) k->F[i] = e->w->f_inner[i] - e->w->r[i];
  e->clock.scale = 0;
  // drives of the start are where the state is, or the path does not begin there
  pl_state_copy(k->x, e->x);
  pl_drive(e->m, e->p, &e->clock, k->x);
  k->kept = memcmp(k->x->q, e->x->q, (size_t)e->nq * sizeof *e->x->q) == 0;
  if (s == PL_OK) s = equil_eval(e, PL_WANT_FORCE | PL_WANT_TANGENT);
  if (s == PL_OK) {
    double force = fmax(equil_balance(e).force, pl_max_abs(e->nq, k->F));
    gather_free(e->m, e->w->r, e->g);
    k->kept &= pl_max_abs(e->n, e->g) <= SETTLED * force || equil_at_rounding(e, e->g);
    s = book_entry_make(k, e, &k->at);
  }
  if (s < 0 || s == PL_CANCELLED) return s;
  k->kept &= s == PL_OK;
  k->start = k->at.elastic - k->at.lost;
  return PL_OK;
}

// ---- sums -------------------------------------------------------------------------------------

// Area under a curve from (0, 0) to (1, 1) with slopes m0 and m1 >= 0 there: both coordinates are
// cubic in a parameter that goes along the diagonal, so that steep and flat ends are alike.
static double area(double m0, double m1) {
  static const double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
  static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  double a0 = 2 / (1 + m0), a1 = 2 / (1 + m1), b0 = 2 - a0, b1 = 2 - a1, sum = 0;
  for (int k = 0; k < 3; k++) {
    double s = at[k], t = 1 - s;
    double y = s * s * (3 - 2 * s) + b0 * s * t * t - b1 * s * s * t;
    double dx = 6 * s * t + a0 * t * (1 - 3 * s) + a1 * s * (3 * s - 2);
    sum += weight[k] * y * dx;
  }
  return sum;
}

// the integral of the power over the load, and the size of what is curved about it
static double integral(const book_entry *a, const book_entry *b, double *box) {
  double h = b->scale - a->scale, change = b->power - a->power;
  double m0 = a->sloped ? a->slope * h / change : INFINITY;
  double m1 = b->sloped ? b->slope * h / change : INFINITY;
  *box = fabs(h * change);
  // a stable path under dead loads rises all the way
  if (m0 >= 0 && m1 >= 0) return h * (a->power + change * area(m0, m1));
  double bend = a->sloped && b->sloped ? h * h / 12 * (a->slope - b->slope) : 0;
  *box = fmax(*box, h * h * fmax(fabs(a->slope), fabs(b->slope)));
  return 0.5 * h * (a->power + b->power) + bend;
}

book_step book_compare(const book *k, const equil *e, const book_entry *b, const double *q0) {
  const book_entry *a = &k->at;
  double way = 0, box, gained = b->elastic - (a->elastic - a->lost);
  for (int i = 0; i < e->n; i++) way += fabs(e->x->q[e->dof[i]] - q0[e->dof[i]]);
  double work = integral(a, b, &box) + b->scale * b->load - a->scale * a->load;
  work -= b->outer - a->outer;
  double most = fmax(k->most, fabs(b->elastic - k->start));
  double slack = a->noise + b->noise + (a->residual + b->residual) * way;
  book_step s = {.work = work, .open = work - gained};
  double curve = fmin(CURVE * box, PART * most);
  s.closed = !(fabs(s.open) > slack + fmax(curve, SMALL * most));
  return s;
}

void book_rotation(book *k, const book_entry *b) {
  k->at = *b;
  k->most = fmax(k->most, fabs(b->elastic - k->start));
}

void book_jump(pl_static_info *info, double scale, double released) {
  if (info->njump < PL_JUMPS) info->jump[info->njump] = (pl_jump){scale, released};
  info->njump++;
  info->released += released;
}

void book_forget(const book *k, pl_static_info *info) {
  int n = 0, known = info->njump < PL_JUMPS ? info->njump : PL_JUMPS;
  for (int i = 0; i < known; i++)
    if (fabs(info->jump[i].released) > SMALL * k->most) info->jump[n++] = info->jump[i];
  info->njump -= known - n;
}
