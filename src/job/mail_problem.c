// Design of interlocking materials as least squares: limits that are wanted, and what must be kept:
// gaps at rest, the thinnest wire and mass repel with a weight that goes to zero, or are drawn back
// where the start does not keep them.
#include "mail_design.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

static const double HARD = 100;  // weight of what must be kept and is not
static const double RANGE = 0.3; // of the repulsion, over the thinnest wire or what is kept

static const double ROUNDING = 1e-9; // strain, of a change of a whole length

// ---- rays and rows ------------------------------------------------------------------------------

int mail_is_bent(int limit) {
  return limit >= PL_CURVATURE_UP;
}

pl_taut_goal mail_ray(const mail_design *d, double angle, int side) {
  if (side == LONGEST) return pl_taut_along(angle, 1);
  pl_taut_goal g =
      side == SHORTEST ? pl_taut_along(angle, -1) : pl_taut_bend(angle, side == BENT_UP ? 1 : -1);
  // bent ways begin alone, and leaning on the strains
  g.starts = side == SHORTEST || d->o->starts < 3 ? d->o->starts : 3;
  return g;
}

static int find_ray(mail_design *d, double angle, int side) {
  angle = fmod(angle, PL_PI);
  if (angle < 0) angle += PL_PI;
  for (int k = 0; k < d->nray; k++)
    if (d->ray[k].side == side && fabs(d->ray[k].angle - angle) < 1e-9) return k;
  d->ray[d->nray] = (ray){angle, side};
  d->goal[d->nray] = mail_ray(d, angle, side);
  return d->nray++;
}

static void add_want(mail_design *d, int goal, double angle) {
  int limit = d->plan->goal[goal].limit, bent = mail_is_bent(limit);
  int first = limit != PL_STRAIN_MIN && limit != PL_CURVATURE_DOWN;
  int second = limit != PL_STRAIN_MAX && limit != PL_CURVATURE_UP;
  d->want[d->nwant++] = (residual){goal,
                                   {first ? find_ray(d, angle, bent ? BENT_UP : LONGEST) : -1,
                                    second ? find_ray(d, angle, bent ? BENT_DOWN : SHORTEST) : -1}};
}

static int goal_directions(const mail_design *d, const pl_mail_goal *g) {
  return g->nangle ? g->nangle : d->o->directions;
}

static void list_wants(mail_design *d) {
  for (int g = 0; g < d->plan->ngoal; g++) {
    const pl_mail_goal *goal = &d->plan->goal[g];
    int n = goal_directions(d, goal);
    for (int i = 0; i < n; i++) add_want(d, g, goal->nangle ? goal->angle[i] : PL_PI * i / n);
  }
  d->nrow = d->nwant + GAPS + 2;
}

// ---- values -------------------------------------------------------------------------------------

double mail_limit(const attempt *t, const residual *w, int limit) {
  double first = w->ray[0] >= 0 ? t->taut[w->ray[0]].value : 0;
  double second = w->ray[1] >= 0 ? t->taut[w->ray[1]].value : 0;
  switch (limit) {
  case PL_PLAY:
    return (first + second) / (1 - second);
  case PL_STRAIN_MIN:
    return -second;
  case PL_CURVATURE_DOWN:
    return second;
  case PL_ASYMMETRY:
    return first / second;
  default:
    return first;
  }
}

// that of a tube: its section times the length of its middle
static double piece_volume(const pl_piece *p) {
  enum { N = 256 };
  double length = 0;
  if (p->kind == PL_PIECE_FACETS) {
    pl_env env;
    double volume, centre[3];
    int upper;
    pl_env_init(&env);
    return pl_mail_volume(&env, &(pl_mail_element){1, p}, &volume, centre, &upper) == PL_OK ? volume
                                                                                            : 0;
  }
  if (p->kind == PL_PIECE_RING) return 2 * PL_PI * PL_PI * p->major * p->radius * p->height;
  for (int i = 0; i < N; i++) {
    pl_swept s;
    pl_piece_at(p, (double[2]){2 * PL_PI * i / N, 0}, &s);
    length += pl_norm3(s.d[0]) * 2 * PL_PI / N;
  }
  return PL_PI * p->radius * p->radius * length;
}

// kg/m^2 of a cell, of pieces that do not overlap
static double area_mass(const pl_mail *m, double density) {
  double sum = 0;
  const double *a = m->lattice[0], *b = m->lattice[1];
  for (int e = 0; e < m->nelem; e++) {
    const pl_mail_element *el = &m->kind[m->kind_of[e]];
    for (int k = 0; k < el->npiece; k++) sum += piece_volume(&el->piece[k]);
  }
  return density * sum / fabs(a[0] * b[1] - a[1] * b[0]);
}

static double thinnest(const pl_mail *m, double unused) {
  double thin = INFINITY;
  (void)unused;
  for (int i = 0; i < m->nkind; i++)
    for (int k = 0; k < m->kind[i].npiece; k++) {
      const pl_piece *p = &m->kind[i].piece[k];
      thin = fmin(thin, p->kind == PL_PIECE_RING ? fmin(p->radius, p->height) : p->radius);
    }
  return thin;
}

// ---- residuals ----------------------------------------------------------------------------------

// of a goal's limits, v its value: what is wanted, and by what it is divided
static void goal_scale(const mail_design *d, const attempt *t, int goal, double *wanted,
                       double *scale) {
  const pl_mail_goal *g = &d->plan->goal[goal];
  double sum = 0;
  int n = 0;
  for (int i = 0; i < d->nwant; i++)
    if (d->want[i].goal == goal) {
      sum += t->limit[i];
      n++;
    }
  *wanted = g->alike ? sum / n : g->value;
  *scale = sqrt(g->weight / n) / fmax(fabs(*wanted), 1e-3);
}

// All that must be kept as parts that must be at least 1.
enum { GAP, WIRE, MASS, KEPT };

static int kind_of_row(int row) {
  return row < GAPS ? GAP : row == GAPS ? WIRE : MASS;
}

static int is_kept(const mail_design *d, const attempt *t, int row) {
  return row < GAPS ? row < t->ngap : row == GAPS ? d->o->thinnest > 0 : d->o->mass > 0;
}

static double part_of(const mail_design *d, const attempt *t, int row) {
  if (row < GAPS) return t->gap[row].at.gap / d->gap;
  return row == GAPS ? t->thin / d->o->thinnest : 2 - t->mass / d->o->mass;
}

static double range_of(const mail_design *d, int kind) {
  return kind == GAP ? fmax(1, RANGE * d->thin / d->gap) : RANGE;
}

// residual of a part and its derivative; INFINITY: it is beyond the floor
static double hold(const mail_design *d, int kind, double part, double *slope) {
  double range = range_of(d, kind), x = (part - d->floor[kind]) / range, y = 1 - x;
  double short_ = HARD * fmax(0, 1 - part), sum = short_ * short_, rise = -2 * HARD * short_;
  *slope = 0;
  if (x <= 0) return INFINITY;
  if (x < 1) {
    sum -= d->weight * y * y * log(x);
    rise += d->weight * (2 * y * log(x) - y * y / x) / range;
  }
  if (sum > 0) *slope = rise / (2 * sqrt(sum));
  return sqrt(sum);
}

double mail_residuals(const mail_design *d, attempt *t) {
  double cost = 0;
  memset(t->r, 0, (size_t)d->nrow * sizeof *t->r);
  for (int i = 0; i < d->nwant; i++)
    t->limit[i] = mail_limit(t, &d->want[i], d->plan->goal[d->want[i].goal].limit);
  for (int i = 0; i < d->nwant; i++) {
    double wanted, scale;
    goal_scale(d, t, d->want[i].goal, &wanted, &scale);
    t->r[i] = scale * (t->limit[i] - wanted);
  }
  for (int i = 0; i < GAPS + 2; i++) {
    double unused;
    if (is_kept(d, t, i)) t->r[d->nwant + i] = hold(d, kind_of_row(i), part_of(d, t, i), &unused);
  }
  for (int i = 0; i < d->nrow; i++) cost += t->r[i] * t->r[i];
  return cost;
}

// all neighbours still hold each other
static pl_status is_linked(const mail_design *d, const pl_mail *m, int *linked) {
  pl_cell *c;
  *linked = 1;
  PL_TRY(pl_cell_create(d->j->env, m, 1, 1, &c));
  for (int e = 0; e < m->nelem; e++) *linked &= pl_cell_links(c, e) >= d->links;
  pl_cell_free(c);
  return PL_OK;
}

static void forget_limits(const mail_design *d, attempt *t) {
  for (int i = 0; t->taut && i < d->nray; i++) pl_taut_free(d->j->env, &t->taut[i]);
}

pl_status mail_evaluate(mail_design *d, attempt *t, double *cost) {
  const pl_mail *m = &t->data->m;
  int linked, all = 1;
  *cost = INFINITY;
  forget_limits(d, t);
  pl_mail_make(d->start->of, t->value, t->data);
  if (pl_mail_fault(m)) return PL_OK;
  t->ngap = pl_mail_gaps(m, d->gap * (1 + range_of(d, GAP)), GAPS, t->gap);
  if (t->ngap > 0 && t->gap[0].at.gap <= 0) return PL_OK;
  PL_TRY(is_linked(d, m, &linked));
  if (!linked) return PL_OK;
  t->thin = thinnest(m, 0);
  t->mass = area_mass(m, d->density);
  d->evaluations++;
  PL_TRY(keeper_solve_of(d->keep, m, &d->taut, d->nray, d->goal, t->taut, t->solved));
  for (int i = 0; i < d->nray; i++) all &= t->solved[i] && !t->taut[i].folds && !t->taut[i].open;
  if (all) *cost = mail_residuals(d, t);
  return PL_OK;
}

// ---- derivatives --------------------------------------------------------------------------------

// of a number of the material, by differences of the fourth order
static double slope(const mail_design *d, int key, double (*f)(const pl_mail *, double)) {
  static const double weight[2] = {8.0 / 12, -1.0 / 12};
  double v[PL_KEY_MAX], h = 1e-3 * (d->now.value[key] != 0 ? fabs(d->now.value[key]) : 1), sum = 0;
  pl_mail_data *at = d->trial.data;
  memcpy(v, d->now.value, sizeof v);
  for (int k = 1; k <= 2; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      v[key] = d->now.value[key] + sign * k * h;
      pl_mail_make(d->start->of, v, at);
      sum += sign * weight[k - 1] * f(&at->m, d->density) / h;
    }
  return sum;
}

// of a limit, from those of its rays
static double limit_slope(const mail_design *d, const residual *w, int limit) {
  const pl_taut *t = d->now.taut;
  double first = w->ray[0] >= 0 ? d->rate[w->ray[0]] : 0;
  double second = w->ray[1] >= 0 ? d->rate[w->ray[1]] : 0;
  switch (limit) {
  case PL_PLAY: {
    double longest = 1 + t[w->ray[0]].value, shortest = 1 - t[w->ray[1]].value;
    return first / shortest + longest * second / (shortest * shortest);
  }
  case PL_STRAIN_MIN:
    return -second;
  case PL_CURVATURE_DOWN:
    return second;
  case PL_ASYMMETRY: {
    double up = t[w->ray[0]].value, down = t[w->ray[1]].value;
    return first / down - up * second / (down * down);
  }
  default:
    return first;
  }
}

static void goal_slopes(const mail_design *d, int goal, double *J) {
  const pl_mail_goal *g = &d->plan->goal[goal];
  double wanted, scale, mean = 0;
  int n = 0;
  goal_scale(d, &d->now, goal, &wanted, &scale);
  for (int i = 0; i < d->nwant; i++)
    if (d->want[i].goal == goal) {
      J[i] = limit_slope(d, &d->want[i], g->limit);
      mean += J[i];
      n++;
    }
  mean = g->alike ? mean / n : 0;
  // of scale (v - wanted), where the scale is by what is wanted
  for (int i = 0; i < d->nwant; i++)
    if (d->want[i].goal == goal) J[i] = scale * (J[i] - mean) - d->now.r[i] * mean / wanted;
}

static void key_slopes(const mail_design *d, int key, const pl_mail *rate, double *J) {
  const attempt *t = &d->now;
  double *more = J + d->nwant;
  memset(J, 0, (size_t)d->nrow * sizeof *J);
  for (int g = 0; g < d->plan->ngoal; g++) goal_slopes(d, g, J);
  for (int i = 0; i < GAPS + 2; i++) {
    if (!is_kept(d, t, i)) continue;
    hold(d, kind_of_row(i), part_of(d, t, i), &more[i]);
    if (more[i] == 0) continue;
    more[i] *= i < GAPS    ? pl_mail_gap_rate(&t->data->m, &t->gap[i], rate) / d->gap
               : i == GAPS ? slope(d, key, thinnest) / d->o->thinnest
                           : -slope(d, key, area_mass) / d->o->mass;
  }
}

pl_status mail_slopes(mail_design *d, double *J) {
  const int copies[2] = {d->o->copies, d->o->copies};
  const pl_mail *m = &d->now.data->m;
  pl_mail_data *rate = pl_alloc(d->j->env, 1, sizeof *rate);
  double left;
  pl_status s = rate ? PL_OK : PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < d->nray; i++)
    s = pl_taut_balance(d->j->env, m, copies, &d->goal[i], &d->now.taut[i], &left);
  for (int k = 0; s == PL_OK && k < d->plan->nvariable; k++) {
    int key = d->plan->variable[k].key;
    pl_mail_rate(d->start->of, d->now.value, key, rate);
    for (int i = 0; i < d->nray; i++) {
      d->rate[i] = pl_taut_rate(m, copies, &d->now.taut[i], &rate->m);
      double unit = d->ray[i].side < SIDES ? 1 : fmax(fabs(d->now.taut[i].value), 1);
      if (fabs(d->rate[i] * d->now.value[key]) < ROUNDING * unit) d->rate[i] = 0;
    }
    key_slopes(d, key, &rate->m, J + (size_t)k * (size_t)d->nrow);
  }
  pl_free(d->j->env, rate);
  return s;
}

// ---- memory -------------------------------------------------------------------------------------

static pl_status attempt_open(const mail_design *d, attempt *t) {
  pl_env *env = d->j->env;
  t->data = pl_alloc(env, 1, sizeof *t->data);
  t->taut = pl_alloc(env, (size_t)d->nray, sizeof *t->taut);
  t->solved = pl_alloc(env, (size_t)d->nray, sizeof *t->solved);
  t->r = pl_alloc(env, (size_t)(d->nrow + d->nwant), sizeof *t->r);
  if (!t->data || !t->taut || !t->solved || !t->r) return PL_E_NOMEM;
  t->limit = t->r + d->nrow;
  memcpy(t->value, d->start->value, (size_t)d->start->of->nkey * sizeof *t->value);
  return PL_OK;
}

static void attempt_close(const mail_design *d, attempt *t) {
  pl_env *env = d->j->env;
  forget_limits(d, t);
  void *all[] = {t->data, t->taut, t->solved, t->r};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(env, all[i]);
}

pl_status mail_open(mail_design *d) {
  pl_env *env = d->j->env;
  size_t most = 0;
  for (int g = 0; g < d->plan->ngoal; g++) most += (size_t)goal_directions(d, &d->plan->goal[g]);
  d->want = pl_alloc(env, most, sizeof *d->want);
  d->ray = pl_alloc(env, 2 * most, sizeof *d->ray);
  d->goal = pl_alloc(env, 2 * most, sizeof *d->goal);
  d->rate = pl_alloc(env, 2 * most, sizeof *d->rate);
  if (!d->want || !d->ray || !d->goal || !d->rate) return PL_E_NOMEM;
  list_wants(d);
  d->thin = thinnest(d->start->m, 0);
  d->gap = d->o->gap > 0 ? d->o->gap : 0.02 * d->thin;
  d->links = d->start->links;
  PL_TRY(attempt_open(d, &d->now));
  PL_TRY(attempt_open(d, &d->trial));
  // what the start does not keep is free until then
  d->now.ngap = pl_mail_gaps(d->start->m, 2 * d->gap, GAPS, d->now.gap);
  d->now.thin = d->thin;
  // what pieces share counts once at the start, and as that part of all later on
  d->density = d->start->density;
  d->density *=
      d->start->density * d->start->volume / d->start->area / area_mass(d->start->m, d->density);
  d->now.mass = area_mass(d->start->m, d->density);
  for (int k = 0; k < KEPT; k++) d->floor[k] = 1;
  for (int i = 0; i < GAPS + 2; i++)
    if (is_kept(d, &d->now, i) && part_of(d, &d->now, i) < 1.02) d->floor[kind_of_row(i)] = 0;
  return PL_OK;
}

void mail_close(mail_design *d) {
  pl_env *env = d->j->env;
  attempt_close(d, &d->now);
  attempt_close(d, &d->trial);
  void *all[] = {d->want, d->ray, d->goal, d->rate};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(env, all[i]);
}
