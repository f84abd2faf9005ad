// The nearest state within all limits: a primal-dual interior point in quadratic form, with
// predictor, corrector and one of Gondzio's corrections on one factor, and a bound from the dual.
#include "program.h"

#include <string.h>

enum {
  ROUNDS = 6, // of friction, at most
  MORE = 4,   // iterations for the sake of places, when the gap is small enough
  STALLED = 4 // iterations that bring no smaller gap, when rounding may be what is left
};

static const double RESTART = 10;     // how much further from the boundary the last attempt begins
static const double NEAR = 1e-5;      // gap over objective from which the bound is looked at
static const double AHEAD = 100;      // gaps over what is asked for that one whole step may end
static const double ROUNDING = 1e-10; // the same that is good enough when nothing more is gained
static const double PRECISE = 1e-8;   // gap below which forces must balance as well
static const double ROUGH = 1e-4;     // certified gap over objective that friction may leave
static const double SLIPPED = 1e-8;   // over the length of edges: friction has settled
static const double SMALL = 1e-7;     // moves below this part of the sheet need no more digits

#define OPT_STRUCT pl_project_opts
const pl_option pl_project_option_table[] = {PL_PROJECT_OPTS(PL_OPT_ROW_X, PL_OPT_ROW_C)};
const int pl_project_option_count =
    sizeof pl_project_option_table / sizeof *pl_project_option_table;

const char *pl_project_stop_text(pl_project_stop s) {
  static const char *const text[] = {
      "converged",           "inside of all limits already",         "as close as rounding allows",
      "too many iterations", "no state within the limits was found", "cancelled"};
  return text[s];
}

typedef struct solve {
  const pl_project_opts *o;
  program *p;
  pl_env *env;
  pl_warm_start *warm_start;
  pl_project_info *info;
  double *x;      // [nvert][3] iterate
  double floor;   // objectives below count as nothing
  double closest; // smallest certified gap so far
  int hold;       // 1: offsets of friction stay
  int friction;   // 1: some barrier has friction
  int spent;      // iterations of rounds before
  int more;       // iterations after the gap was small enough
  int near;       // 1: the next whole step may end it
  int ended;      // 1: it did
} solve;

// ---- matrix -------------------------------------------------------------------------------------

// components that are given are not coupled to anything
static void leave_out_given(program *p) {
  const blocks *b = &p->b;
  for (int k = 0; k < b->n; k++)
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) {
        int apart = (p->fixed[b->row[k]] >> r & 1) || (p->fixed[b->col[k]] >> c & 1);
        if (apart && !(b->row[k] == b->col[k] && r == c)) p->slot[9 * k + 3 * r + c] = -1;
      }
}

static pl_status make_matrix(program *p) {
  pl_env *env = p->env;
  const blocks *b = &p->b;
  pl_factor_free(p->factor);
  p->factor = NULL;
  p->built = p->pattern;
  pl_csc_free(env, &p->H);
  pl_free(env, p->slot);
  PL_TRY(pl_csc_from_blocks(env, p->nfree, 3, b->n, b->row, b->col, &p->H, &p->slot));
  leave_out_given(p);
  return pl_factor_create_on(env, PL_CHOLESKY, &p->H, 3, p->sheet->threads, &p->factor);
}

// H = M + cones, factored; lost definiteness near the end: a little more on the diagonal
static pl_status factorise(void *ctx) {
  solve *v = ctx;
  program *p = v->p;
  program_assemble(p, p->slot, p->mass, p->H.val);
  v->info->factorisations++;
  pl_status s = pl_factor_numeric(p->factor, &p->H);
  for (double more = 1e-13; s == PL_SINGULAR && more < 1e-8; more *= 100) {
    double trace = 0;
    for (int i = 0; i < p->H.n; i++) trace += *pl_csc_diagonal(&p->H, i);
    for (int i = 0; i < p->H.n; i++) *pl_csc_diagonal(&p->H, i) += more * trace / p->H.n;
    v->info->factorisations++;
    s = pl_factor_numeric(p->factor, &p->H);
  }
  return s;
}

// ---- steps --------------------------------------------------------------------------------------

static double objective(const program *p, const double *x) {
  double sum = 0;
  for (int i = 0; i < p->nfree; i++)
    for (int c = 0; c < 3; c++) {
      double d = x[3 * p->vert[i] + c] - p->xhat[3 * p->vert[i] + c];
      sum += p->mass[3 * i + c] * d * d;
    }
  return sum / 2 + program_wall_cost(p, x);
}

// rhs = own ? -M (x - xhat) : 0, plus what the cones hold; dx of all vertices
static pl_status direction(void *ctx, int own, double *dx) {
  solve *v = ctx;
  program *p = v->p;
  for (int i = 0; i < p->nfree; i++)
    for (int c = 0; c < 3; c++) {
      int k = 3 * i + c, at = 3 * p->vert[i] + c;
      p->rhs[k] = own ? -p->mass[k] * (v->x[at] - p->xhat[at]) : 0;
    }
  program_gather(p, 0, p->rhs);
  PL_TRY(pl_factor_solve(p->factor, 1, p->rhs, p->sol));
  for (int i = 0; i < p->nfree; i++) memcpy(dx + 3 * p->vert[i], p->sol + 3 * i, 3 * sizeof *dx);
  return PL_OK;
}

// ---- bound --------------------------------------------------------------------------------------

// what no state within the limits can be below, from the stresses at x with multipliers z
// *most: largest violation; *out: size of the forces that are out of balance there
static double bound(program *p, const double *x, multipliers z, double *most, double *out) {
  partial at = program_support(p, x, z);
  memset(p->rhs, 0, 3 * (size_t)p->nfree * sizeof *p->rhs);
  program_gather(p, 1, p->rhs);
  *most = at.most;
  *out = 0;
  for (int i = 0; i < p->nfree; i++)
    for (int c = 0; c < 3; c++) {
      int k = 3 * i + c, place = 3 * p->vert[i] + c;
      double r = p->mass[k] * (x[place] - p->xhat[place]) + p->rhs[k];
      at.gap -= p->rhs[k] * p->rhs[k] / (2 * p->mass[k]);
      if (!(p->fixed[i] >> c & 1)) *out += r * r / p->mass[k];
    }
  *out = sqrt(*out);
  return fmax(at.gap, 0);
}

static void keep_best(solve *v, const double *x, double value, double low) {
  v->closest = value - low;
  v->info->objective = value;
  v->info->bound = low;
  memcpy(v->p->best, x, 3 * (size_t)v->p->sheet->nvert * sizeof *x);
}

// A whole step leaves the interior, where the next could not begin, but is closer to the solution
// than the part of it that stays inside: it may be the last one.
static int ends(void *ctx, multipliers z, const double *dx) {
  solve *v = ctx;
  double *x = v->p->end;
  if (!v->near) return 0;
  for (int i = 0; i < 3 * v->p->sheet->nvert; i++) x[i] = v->x[i] + dx[i];
  double most, out, value = objective(v->p, x), low = fmin(bound(v->p, x, z, &most, &out), value);
  v->ended = value - low <= v->o->gap * (value + v->floor) && most <= v->o->violation;
  if (v->ended) keep_best(v, x, value, low);
  return v->ended;
}

// One iteration from the scaling at x; *a: step taken. Products that fall far below what is asked
// for would leave no room for what friction still moves.
static pl_status iterate(solve *v, double gap, double push, double *a) {
  program *p = v->p;
  double allowed = v->o->gap * (objective(p, v->x) + v->floor);
  double least = fmax(0.05 * allowed, 0.1 * push) / program_ncone(p);
  smooth f = {v, factorise, direction, ends};
  int n = 3 * p->sheet->nvert;
  v->near = gap <= AHEAD * allowed && !v->friction && v->o->gap >= PRECISE;
  PL_TRY(interior_step(p, &f, v->o->correct, gap, least, n, p->step, p->trial, a));
  for (int i = 0; i < n; i++) v->x[i] += *a * p->step[i];
  return PL_OK;
}

// ---- solve --------------------------------------------------------------------------------------

static int warm_start_fits(const solve *v) {
  const pl_sheet *s = v->p->sheet;
  return v->warm_start && v->warm_start->dx && v->warm_start->nvert == s->nvert &&
         v->warm_start->ncone == s->nround + s->nflat;
}

// s, z and x of the start
static void begin(solve *v, int warm_start, double further) {
  program *p = v->p;
  const pl_sheet *s = p->sheet;
  memcpy(v->x, p->xhat, 3 * (size_t)s->nvert * sizeof *v->x);
  for (int i = 0; warm_start && i < p->nfree; i++)
    for (int c = 0; c < 3; c++)
      if (!(p->fixed[i] >> c & 1))
        v->x[3 * p->vert[i] + c] += v->warm_start->dx[3 * p->vert[i] + c];
  if (warm_start) interior_recall(p, v->warm_start);
  if (!v->hold) program_clear_slip(p);
  interior_begin(p, v->x, further, warm_start);
}

// the bound at x, when it is close; returns 1 when that is good enough. The best state is kept.
static int judge(solve *v, const partial *at, double slipped) {
  double most, out, value = objective(v->p, v->x), allowed = v->o->gap * (value + v->floor);
  int near = at->gap <= fmax(4 * allowed, NEAR * value), within = at->most <= v->o->violation;
  if (!near || !within || slipped > SLIPPED * v->p->edge) return 0;
  double low = fmin(bound(v->p, v->x, PRESENT, &most, &out), value);
  // gaps fall with the square of the error; who asks for a small one wants the place, too: forces
  // in balance, and stresses in line with strains
  double fine = v->o->gap / PRECISE * sqrt(2 * allowed);
  int precise = v->o->gap >= PRECISE || (out <= fine && at->rot <= fine * sqrt(2 * value));
  int close = value - low <= allowed;
  // offsets of friction that still move by nanometres cost the bound more than they do to x
  if (v->friction && at->gap <= allowed && value - low <= ROUGH * value) close = 1;
  int done = close && (precise || v->more++ >= MORE);
  if (!done && value - low >= v->closest) return 0;
  keep_best(v, v->x, value, low);
  return done;
}

// iterations of one attempt; PL_UNSOLVED: it goes nowhere
static pl_status attempt(solve *v, int warm_start, double further) {
  program *p = v->p;
  double first = 0;
  int shorts = 0, stalled = 0;
  begin(v, warm_start, further);
  for (int i = 0;; i++) {
    double a, push = 0, slipped = v->hold ? 0 : program_slip(p, v->x, &push);
    partial at = program_scale(p, v->x);
    if (i == 0) first = at.gap;
    if (!(at.gap < 1e3 * first) || !(fabs(at.most) < INFINITY) || at.lost > 0) return PL_UNSOLVED;
    double closest = v->closest;
    if (judge(v, &at, slipped)) return PL_OK;
    int rounding = v->closest <= ROUNDING * v->info->objective;
    stalled = rounding && v->closest > 0.5 * closest ? stalled + 1 : 0;
    if (stalled >= STALLED) return PL_UNSOLVED;
    if (v->info->iterations >= v->o->max_iter) {
      v->info->reason = PL_PROJECT_MAX_ITER;
      return PL_UNSOLVED;
    }
    PL_TRY(pl_report_progress(v->env, NULL, -1, NULL));
    pl_status s = iterate(v, at.gap, fmax(push, at.lag), &a);
    v->info->iterations++;
    if (s == PL_SINGULAR) return PL_UNSOLVED;
    PL_TRY(s);
    if (v->ended) return PL_OK;
    shorts = a < 1e-3 ? shorts + 1 : 0;
    if (shorts >= 2) return PL_UNSOLVED;
  }
}

static pl_status keep_warm_start(solve *v) {
  const pl_sheet *s = v->p->sheet;
  pl_warm_start *w = v->warm_start;
  if (!w) return PL_OK;
  if (!warm_start_fits(v)) {
    pl_warm_start_free(v->env, w);
    w->dx = pl_alloc(v->env, 3 * (size_t)s->nvert, sizeof *w->dx);
    w->dual = pl_alloc(v->env, 3 * ((size_t)s->nround + (size_t)s->nflat), sizeof *w->dual);
    if (!w->dx || !w->dual) {
      pl_warm_start_free(v->env, w);
      return PL_E_NOMEM;
    }
    w->nvert = s->nvert;
    w->ncone = s->nround + s->nflat;
  }
  for (int i = 0; i < 3 * s->nvert; i++) w->dx[i] = v->x[i] - v->p->xhat[i];
  interior_keep(v->p, w);
  return PL_OK;
}

// ---- results ------------------------------------------------------------------------------------

static void fill_info(solve *v) {
  const program *p = v->p;
  const pl_sheet *s = p->sheet;
  pl_project_info *o = v->info;
  double total = 0;
  for (int i = 0; i < p->nfree; i++) {
    int at = p->vert[i];
    double d[3], m[3];
    for (int c = 0; c < 3; c++) d[c] = s->weight[at] * (v->x[3 * at + c] - p->xhat[3 * at + c]);
    pl_cross3(v->x + 3 * at, d, m);
    for (int c = 0; c < 3; c++) {
      o->momentum[c] += d[c];
      o->angular[c] += m[c];
    }
    total += s->weight[at];
  }
  o->objective *= p->scale;
  o->bound *= p->scale;
  o->distance = sqrt(2 * fmax(o->objective - o->bound, 0));
  o->rms = total > 0 ? o->distance / sqrt(total) : 0;
  o->violation = pl_sheet_violation(s, v->x, &o->worst);
}

static pl_status check_input(pl_sheet *s, const double *xhat) {
  for (int i = 0; i < 3 * s->nvert; i++)
    if (!isfinite(xhat[i]))
      return pl_fail_at(s->env, PL_E_INPUT, NULL, 0, 0, "the step before it has failed",
                        "projection: vertex %d has no place (%g in %c)", i / 3, xhat[i],
                        "xyz"[i % 3]);
  pl_unreachable range;
  PL_TRY(pl_sheet_unreachable(s, xhat, &range));
  if (range.a < 0) return PL_OK;
  return pl_fail_at(s->env, PL_E_INPUT, NULL, 0, 0,
                    "move them together, or allow more stretch between them",
                    "projection: vertices %d and %d are held %.6g m apart, but the sheet between "
                    "them reaches %.6g m at most",
                    range.a, range.b, range.apart, range.range);
}

// one whole solve with the offsets at hand
static pl_status hold(solve *v) {
  v->closest = INFINITY;
  v->spent += v->info->iterations;
  v->info->iterations = 0;
  v->info->restarts++;
  v->info->reason = PL_PROJECT_CONVERGED;
  PL_TRY(attempt(v, 0, 1));
  memcpy(v->x, v->p->best, 3 * (size_t)v->p->sheet->nvert * sizeof *v->x);
  return PL_OK;
}

// Friction that does not settle along with the rest: whole solves with offsets that stay; at last
// without any, which is convex: contacts that slide rise a little instead of staying on their
// plane.
static pl_status rounds(solve *v) {
  program *p = v->p;
  double push;
  v->hold = 1;
  program_clear_slip(p);
  for (int k = 0; k < ROUNDS; k++) {
    PL_TRY(hold(v));
    if (program_slip(p, v->x, &push) <= SLIPPED * p->edge) return PL_OK;
  }
  program_clear_slip(p);
  v->info->lifted = 1;
  return hold(v);
}

// warm if possible, then cold, then cold from further away; a state that is as close as rounding
// allows ends them too
static pl_status attempts(solve *v, int warm_start) {
  pl_project_info *o = v->info;
  pl_status s = PL_UNSOLVED;
  for (int k = warm_start ? 0 : 1; k < 3 && s == PL_UNSOLVED; k++) {
    if (o->reason == PL_PROJECT_MAX_ITER) break;
    if (v->closest <= ROUNDING * o->objective) break;
    o->restarts += k > (warm_start ? 0 : 1);
    s = attempt(v, k == 0, k == 2 ? RESTART : 1);
  }
  if (s == PL_UNSOLVED && v->friction && v->closest == INFINITY) s = rounds(v);
  o->iterations += v->spent;
  if (s == PL_CANCELLED) o->reason = PL_PROJECT_CANCELLED;
  if (s != PL_UNSOLVED) return s;
  if (v->closest <= ROUNDING * o->objective) {
    o->reason = PL_PROJECT_ROUNDING;
    return PL_OK;
  }
  if (o->reason != PL_PROJECT_MAX_ITER) o->reason = PL_PROJECT_INFEASIBLE;
  return s;
}

// no state within the limits was met: the one given, unless the last one is better
static void give_up(solve *v) {
  program *p = v->p;
  double last = pl_sheet_violation(p->sheet, v->x, NULL);
  if (!(last < pl_sheet_violation(p->sheet, p->xhat, NULL)))
    memcpy(v->x, p->xhat, 3 * (size_t)p->sheet->nvert * sizeof *v->x);
  v->info->objective = objective(v->p, v->x);
  v->info->bound = 0;
}

static pl_status solve_all(solve *v) {
  program *p = v->p;
  double total = 0;
  for (int k = 0; k < 3 * p->nfree; k++) total += p->mass[k] / 3;
  v->floor = total * SMALL * SMALL * p->length * p->length / 2;
  if (program_worst(p, p->xhat) <= 0) {
    memcpy(v->x, p->xhat, 3 * (size_t)p->sheet->nvert * sizeof *v->x);
    for (int i = 0; i < p->nwall; i++) {
      memset(p->wall[i].force, 0, sizeof p->wall[i].force);
      p->wall[i].status = PL_OPEN;
    }
    v->info->reason = PL_PROJECT_INSIDE;
    fill_info(v);
    return PL_OK;
  }
  pl_status s = attempts(v, warm_start_fits(v));
  if (s < 0 || s == PL_CANCELLED) return s;
  if (v->closest < INFINITY)
    memcpy(v->x, p->best, 3 * (size_t)p->sheet->nvert * sizeof *v->x);
  else
    give_up(v);
  fill_info(v);
  program_results(p, v->info);
  if (s == PL_OK && v->info->reason == PL_PROJECT_CONVERGED) PL_TRY(keep_warm_start(v));
  return s;
}

pl_status pl_project(const pl_project_opts *o, pl_sheet *s, const double *xhat, int nbarrier,
                     pl_contact_row *barrier, pl_warm_start *warm_start, double *x,
                     pl_project_info *info) {
  pl_project_info own;
  program *p;
  if (!info) info = &own;
  *info = (pl_project_info){.reason = PL_PROJECT_CONVERGED, .worst = -1};
  double started = pl_wall_time();
  PL_TRY(pl_opts_check(s->env, pl_project_option_table, pl_project_option_count, o));
  PL_TRY(check_input(s, xhat));
  PL_TRY(program_open(s, &p));
  PL_TRY(program_walls(p, nbarrier, barrier));
  if (!p->factor || p->built != p->pattern) PL_TRY(make_matrix(p));
  memcpy(p->xhat, xhat, 3 * (size_t)s->nvert * sizeof *xhat);
  memset(p->step, 0, 3 * (size_t)s->nvert * sizeof *p->step);
  memset(p->trial, 0, 3 * (size_t)s->nvert * sizeof *p->trial);
  solve v = {.o = o, .p = p, .env = s->env, .warm_start = warm_start, .info = info, .x = p->now};
  v.closest = INFINITY;
  v.friction = program_has_friction(p);
  pl_status status = solve_all(&v);
  if (status == PL_OK || status == PL_UNSOLVED) memcpy(x, p->now, 3 * (size_t)s->nvert * sizeof *x);
  info->seconds = pl_wall_time() - started;
  return status;
}
