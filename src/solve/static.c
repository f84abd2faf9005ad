// Static equilibrium: load steps, what to do when one fails, stability of the result.
#include "solve_impl.h"

#include <stdio.h>
#include <string.h>

enum { PARTS = 6 };          // how often a step is halved because nodes slide far in it
static const double FAR = 2; // over what drives move

typedef struct run {
  equil e;
  pl_state *s;   // the caller's: start, then the last good load step
  int nneg;      // negative eigenvalues there, when stability is tracked
  int ninverted; // elements turned inside out at the start
  // before the load step
  int iterations, ncritical;
  double released; // J
  book book;
} run;

// one load step from the last good state
static pl_status load_step(run *r, double from, double to) {
  equil *e = &r->e;
  pl_state_copy(e->x, r->s);
  e->clock.scale = to;
  e->tau = 0;
  r->iterations = e->info->iterations;
  r->ncritical = e->info->ncritical;
  r->released = e->info->released;
  if (e->contacts) return equil_contact(e, r->s);
  int circulates = pl_model_circulatory(e->m);
  if (e->o->critical && e->n > 0 && !circulates) return critical_track(e, from, to, &r->nneg);
  PL_TRY(equil_predict(e));
  if (circulates) return equil_circulate(e);
  return equil_minimise(e);
}

// elements turned inside out at s that were not so at the start
static int count_inverted(run *r, const pl_state *s) {
  pl_static_info *info = r->e.info;
  int n = pl_count_inverted(r->e.m, r->e.p, s, &info->bad_group, &info->bad_elem);
  info->ninverted = n > r->ninverted ? n - r->ninverted : 0;
  return info->ninverted;
}

// laws of finite energy have equilibria of crushed elements too: such a step counts as failed
static pl_status sound_step(run *r, double from, double to) {
  equil *e = &r->e;
  int nneg = r->nneg;
  PL_TRY(load_step(r, from, to));
  if (count_inverted(r, e->x) == 0) return PL_OK;
  r->nneg = nneg;
  e->info->ncritical = r->ncritical;
  e->info->released = r->released;
  e->why = PL_STOP_INVERTED;
  return PL_UNSOLVED;
}

// whether a body slides at a load factor on what it presses against since the last step tried
static pl_status look_for_slide(run *r, double scale, int *slides) {
  pl_slide at;
  pl_state_copy(r->e.x, r->s);
  PL_TRY(find_slide(&r->e, scale, &at));
  *slides = at.needed > 0;
  return PL_OK;
}

// once a body slid, steps to where it still does are not tried
static pl_status slide_step(run *r, double from, double to, int *slides) {
  int slid = *slides;
  pl_status s = slid ? PL_UNSOLVED : sound_step(r, from, to);
  if (s != PL_UNSOLVED || !r->e.contacts) return s;
  PL_TRY(look_for_slide(r, to, slides));
  return slid && !*slides ? sound_step(r, from, to) : s;
}

// The step to e->x goes to the energy book; one that leaves it open is taken in parts, unless loads
// were tracked in it at which the path changes or ends: then it is known what jumps release.
static pl_status enter(run *r) {
  equil *e = &r->e;
  pl_static_info *info = e->info;
  book *k = &r->book;
  book_entry b;
  if (!k->open) return PL_OK;
  PL_TRY(book_entry_make(k, e, &b));
  book_step step = book_compare(k, e, &b, r->s->q);
  double stored = step.work - step.open;
  if (!k->kept) {
    info->booked = 0;
    info->work += stored;
  } else if (b.scale == k->at.scale) {
    // stepped off an unstable equilibrium
    info->work += step.work;
    info->released += step.open;
  } else if (step.closed) {
    info->work += step.work;
  } else if (r->nneg > 0 || info->ncritical > r->ncritical) {
    info->work += stored + info->released - r->released;
  } else
    return book_parts(e, k, r->s, &b, &step, info->iterations - r->iterations);
  book_rotation(k, &b);
  k->kept = 1;
  return PL_OK;
}

static pl_status accept_state(run *r, double scale, pl_observe_fn observe, void *ctx) {
  equil *e = &r->e;
  e->clock.scale = scale;
  PL_TRY(enter(r));
  PL_TRY(equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE));
  balance b = equil_balance(e);
  // with contact the iteration has told it, as r is not zero where obstacles push
  if (!e->contacts) e->info->residual = b.force > 0 ? b.residual / b.force : 0;
  e->info->energy = b.energy;
  e->info->scale = scale;
  e->info->nstep++;
  if (e->contacts) PL_TRY(contact_set_accept(e->contacts));
  pl_commit(e->m, e->p, e->x);
  pl_state_copy(r->s, e->x);
  return observe && observe(ctx, r->s, &e->clock, e->w) ? PL_CANCELLED : PL_OK;
}

// Whether nodes slid much farther over obstacles than drives moved in the step: in a smaller one
// they may stick, and friction keeps what came first.
static int slides_far(const run *r) {
  const equil *e = &r->e;
  double driven = 0;
  if (!e->contacts || !e->o->book) return 0;
  const int *unknown = pl_model_free_index(e->m);
  for (int i = 0; i < e->nq; i++)
    if (unknown[i] < 0) driven = fmax(driven, fabs(e->x->q[i] - r->s->q[i]));
  return driven > 0 && contact_set_slid(e->contacts) > FAR * driven;
}

// from nothing to the full load; a failed step is halved and grows back
static pl_status load_steps(run *r, pl_observe_fn observe, void *ctx) {
  equil *e = &r->e;
  pl_static_info *info = e->info;
  double at = info->scale, part = info->part;
  int cuts = info->cuts, slides = 0, parts_left = PARTS;
  for (int k = 1; k <= e->o->steps; k++, part = 1, cuts = 0) {
    double target = (double)k / e->o->steps;
    if (target <= at) continue;
    while (at < target) {
      double to = part < 1 ? fmin(target, at + part / e->o->steps) : target;
      pl_status s = slide_step(r, at, to, &slides);
      if (s == PL_OK && parts_left > 0 && cuts < e->o->cuts && slides_far(r)) {
        parts_left--;
        s = PL_UNSOLVED;
      }
      if (s == PL_UNSOLVED && cuts < e->o->cuts) {
        part /= 2;
        cuts++;
        continue;
      }
      int known =
          e->why == PL_STOP_SINGULAR || e->why == PL_STOP_DOMAIN || e->why == PL_STOP_INVERTED;
      if (s == PL_UNSOLVED && cuts > 0 && !known) e->why = PL_STOP_STEP;
      PL_TRY(s);
      at = to;
      info->part = part = at < target ? fmin(1, 2 * part) : 1;
      info->cuts = at < target ? cuts : 0;
      PL_TRY(accept_state(r, at, observe, ctx));
    }
  }
  return PL_OK;
}

// inertia of K at the iterate; zero modes are an error
static pl_status inertia(equil *e) {
  pl_static_info *info = e->info;
  pl_status s = equil_eval(e, PL_WANT_FORCE | PL_WANT_TANGENT);
  PL_TRY(s);
  balance b = equil_balance(e);
  info->nneg = info->nzero = 0;
  info->stable = 1;
  // Cholesky is several times cheaper, and where it succeeds there is nothing to count
  s = e->n > 0 ? equil_cholesky(e) : PL_OK;
  if (s != PL_SINGULAR) return s;
  s = equil_ldl(e);
  if (s < 0 || s == PL_CANCELLED) return s;
  info->nneg = e->nneg;
  if (s == PL_SINGULAR || pl_factor_stats(e->ldl).nzero > 0) {
    // a pivot of zero may also be bad scaling: look at the modes themselves
    zero_modes z;
    PL_TRY(zero_modes_find(e->m, e->w, b.residual, e->extent, info->nneg, &z));
    info->nneg = z.nneg;
    info->nzero = z.count;
  }
  info->stable = info->nneg == 0 && info->nzero == 0;
  return PL_OK;
}

// the same, where zero modes end the analysis
static pl_status inertia_or_fail(equil *e) {
  PL_TRY(inertia(e));
  if (e->info->nzero == 0) return PL_OK;
  zero_modes z;
  e->info->reason = PL_STOP_SINGULAR;
  PL_TRY(zero_modes_find(e->m, e->w, equil_balance(e).residual, e->extent, e->info->nneg, &z));
  return zero_modes_fail(e->m, e->env, &z);
}

// Pieces that nothing holds would run away, or turn for ever: say so before any step. Those that
// swing are turned to where they hang; Newton's method would follow the arc in hundreds of steps.
static pl_status check_held(run *r) {
  equil *e = &r->e;
  pl_loose l;
  char place[PLACE_TEXT];
  PL_TRY(pl_find_loose(e->m, e->p, e->env, r->s->q, &l));
  if (l.found && l.rotates && !l.round && !e->o->critical && !e->released) {
    PL_TRY(swing_to_rest(e->m, e->p, e->env, &l, r->s));
    pl_state_copy(e->x, r->s);
  }
  if (!l.found || (l.rotates && !l.round)) return PL_OK;
  e->info->reason = PL_STOP_SINGULAR;
  if (l.rotates) {
    const char *name = pl_model_node_name(e->m, l.node);
    if (name)
      snprintf(place, sizeof place, "node '%.48s'", name);
    else
      snprintf(place, sizeof place, "node %d", l.node);
    return pl_fail_at(
        e->env, PL_E_INPUT, NULL, 0, 0,
        "hold a second row of nodes, or clamp: fixed nodes on one line let a body turn",
        "static: the body with %s turns about the line through [%.4g, %.4g, %.4g] m along "
        "[%.3g, %.3g, %.3g] for ever: nothing stops a moment of %.4g N m that turns with it",
        place, l.at[0], l.at[1], l.at[2], l.axis[0], l.axis[1], l.axis[2], l.moment);
  }
  zero_modes z;
  PL_TRY(zero_modes_find(e->m, e->w, equil_balance(e).residual, e->extent, 0, &z));
  if (z.count == 0) z.count = 1;
  z.dof = l.dof;
  return zero_modes_fail(e->m, e->env, &z);
}

// ---- growth -------------------------------------------------------------------------------------

// Natural shapes other than those of reference: thin bodies are far from balance then, and Newton's
// method crawls. What it does not find in a few iterations is reached in parts.
enum { GROW_ITER = 60 };
static const double GROW_FIRST = 0.125, GROW_LEAST = 1.0 / 4096;

static int is_at_rest(const run *r) {
  const equil *e = &r->e;
  for (int i = 0; i < e->n; i++)
    if (r->s->q[e->dof[i]] != e->p->X[e->dof[i]]) return 0;
  return 1;
}

// the equilibrium without load with the natural shapes of e->p, from the last one
static pl_status grow_step(run *r) {
  equil *e = &r->e;
  pl_state_copy(e->x, r->s);
  e->tau = 0;
  e->limit = GROW_ITER;
  pl_status s = equil_predict(e);
  if (s == PL_OK) s = equil_minimise(e);
  e->limit = 0;
  if (s == PL_OK && pl_count_inverted(e->m, e->p, e->x, NULL, NULL) > r->ninverted)
    return PL_UNSOLVED;
  if (s != PL_OK) return s;
  pl_commit(e->m, e->p, e->x);
  pl_state_copy(r->s, e->x);
  return PL_OK;
}

static pl_status grow_parts(run *r, const pl_params *full, pl_params *some) {
  equil *e = &r->e;
  double at = 0, part = GROW_FIRST;
  while (at < 1) {
    double to = fmin(1, at + part);
    e->p = some;
    pl_status s = pl_params_grow(e->m, full, to, some);
    if (s == PL_OK) s = grow_step(r);
    e->p = full;
    if (s < 0 || s == PL_CANCELLED) return s;
    if (s == PL_OK) at = to;
    part = s == PL_OK ? 2 * part : part / 2;
    if (part < GROW_LEAST) return PL_UNSOLVED;
  }
  return PL_OK;
}

// From rest to the equilibrium without load; where there is none that way, nothing is done.
static pl_status grow(run *r) {
  equil *e = &r->e;
  const pl_params *full = e->p;
  pl_params *some = NULL;
  pl_state *start = NULL;
  if (e->n == 0 || e->released || !(pl_params_growth(e->m, e->p) > 0) || !is_at_rest(r))
    return PL_OK;
  e->clock.scale = 0;
  pl_status s = grow_step(r);
  if (s != PL_UNSOLVED) return s == PL_DOMAIN ? PL_OK : s;
  s = pl_state_create(e->m, e->p, &start);
  if (s == PL_OK) pl_state_copy(start, r->s);
  if (s == PL_OK) s = pl_params_copy(e->env, full, &some);
  if (s == PL_OK) s = grow_parts(r, full, some);
  if (s == PL_UNSOLVED || s == PL_DOMAIN) {
    pl_state_copy(r->s, start);
    s = PL_OK;
  }
  pl_state_copy(e->x, r->s);
  pl_params_free(some);
  if (start) pl_state_free(e->m, start);
  return s;
}

// ---- stability ----------------------------------------------------------------------------------

// lowest eigenvector of the stiffness in w into e->d, largest entry 1
static pl_status softest(equil *e) {
  pl_csc unit = {0};
  PL_TRY(identity_matrix(e->env, e->n, &unit));
  pl_eigen_info info = {0};
  double lambda;
  pl_status s = pl_eigen_lowest(e->env, &e->w->A, &unit, 1, pl_threads_size(e->w->threads), &lambda,
                                e->d, &info);
  pl_csc_free(e->env, &unit);
  if (s == PL_OK && info.nfound < 1) s = PL_UNSOLVED;
  PL_TRY(s);
  double most = pl_max_abs(e->n, e->d);
  for (int i = 0; i < e->n; i++) e->d[i] /= most;
  return PL_OK;
}

// steps off an unstable equilibrium and falls from there
static pl_status step_off(run *r) {
  equil *e = &r->e;
  PL_TRY(equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT));
  double top = e->w->potential, scale = fmax(e->extent, pl_max_abs(e->nq, e->x->q));
  PL_TRY(softest(e));
  if (!(scale > 0)) scale = 1;
  memcpy(e->q0, e->x->q, (size_t)e->nq * sizeof *e->q0);
  for (double step = 0.01 * scale; step > 1e-10 * scale; step /= 2) {
    equil_move(e, e->q0, step, e->d);
    pl_status s = equil_eval(e, PL_WANT_ENERGY);
    if (s < 0) return s;
    if (s == PL_DOMAIN || !(e->w->potential < top)) continue;
    e->tau = 0;
    e->saddle = 0;
    s = equil_minimise(e);
    e->saddle = 1;
    return s;
  }
  e->why = PL_STOP_LINE_SEARCH;
  return PL_UNSOLVED;
}

// paths begin at the equilibrium without load
static pl_status start_path(run *r) {
  equil *e = &r->e;
  e->clock.scale = 0;
  PL_TRY(equil_predict(e));
  PL_TRY(equil_minimise(e));
  pl_status s = equil_eval(e, PL_WANT_TANGENT);
  if (s == PL_OK) s = equil_ldl(e);
  if (s < 0 || s == PL_CANCELLED) return s;
  r->nneg = e->nneg;
  pl_state_copy(r->s, e->x);
  return PL_OK;
}

static pl_status solve(run *r, pl_observe_fn observe, void *ctx) {
  equil *e = &r->e;
  pl_status s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT);
  if (s == PL_DOMAIN) return fail_domain(e->m, e->w, "static");
  PL_TRY(s);
  if (e->contacts) {
    PL_TRY(load_steps(r, observe, ctx));
    return equil_contact_inertia(e);
  }
  PL_TRY(check_held(r));
  PL_TRY(grow(r));
  if (e->o->critical && e->n > 0) PL_TRY(start_path(r));
  PL_TRY(book_begin(&r->book, e));
  PL_TRY(load_steps(r, observe, ctx));
  PL_TRY(inertia_or_fail(e));
  for (int k = 0; k < 5 && e->o->perturb && e->info->nneg > 0; k++) {
    PL_TRY(step_off(r));
    PL_TRY(accept_state(r, 1, observe, ctx));
    PL_TRY(inertia_or_fail(e));
  }
  return PL_OK;
}

// leaves the last good state in s and its forces in w
static pl_status finish(run *r, pl_status s) {
  equil *e = &r->e;
  if (s == PL_CANCELLED) e->info->reason = PL_STOP_CANCELLED;
  if (s == PL_UNSOLVED) {
    e->info->reason = e->why;
    // a step that fails for want of stiffness: say what moves
    pl_state_copy(e->x, r->s);
    e->clock.scale = e->info->scale;
    pl_status t = PL_OK;
    if (e->contacts)
      t = find_slide(e, 1, &e->info->slide);
    else if (e->why == PL_STOP_SINGULAR)
      t = inertia_or_fail(e);
    if (t < 0) return t;
    if (e->info->slide.needed > 0) e->info->reason = PL_STOP_SLIDE;
  }
  pl_state_copy(e->x, r->s);
  e->clock.scale = e->info->scale;
  pl_status t = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE);
  if (t == PL_OK) e->info->energy = e->w->potential;
  return t < 0 ? t : s;
}

// what the end looks like: forces that are rounding alone are none, and a residual above rtol is
// told as what it is
static pl_status judge(run *r) {
  equil *e = &r->e;
  pl_static_info *info = e->info;
  if (count_inverted(r, r->s) > 0) {
    info->reason = PL_STOP_INVERTED;
    return PL_UNSOLVED;
  }
  if (!(info->residual > e->o->rtol) || e->n == 0) return PL_OK;
  info->reason = PL_STOP_ROUNDING;
  if (e->contacts) return PL_OK;
  // nothing loads the model, and nothing strains it or, where it swells, holds it: all forces are
  // rounding
  pl_status s = equil_eval(e, PL_WANT_ENERGY | PL_WANT_FORCE | PL_WANT_TANGENT);
  if (s != PL_OK) return s < 0 ? s : PL_OK;
  balance b = equil_balance(e);
  double outer = 0;
  for (int i = 0; i < e->nq; i++) outer = fmax(outer, fabs(e->w->f_inner[i] - e->w->r[i]));
  gather_free(e->m, e->w->r, e->g);
  int free = b.force <= 100 * b.residual && equil_at_rounding(e, e->g);
  if (outer > 0 || (e->w->elastic > b.noise && !free)) return PL_OK;
  info->residual = 0;
  info->reason = PL_STOP_CONVERGED;
  return PL_OK;
}

pl_status pl_static_resumed(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                            pl_contact *k, const double *released, const pl_static_info *from,
                            pl_state *s, pl_work *w, pl_observe_fn observe, void *ctx,
                            pl_static_info *info) {
  pl_static_info own;
  const pl_static_opts usual = pl_static_defaults();
  if (!info) info = &own;
  if (!o) o = &usual;
  *info = from ? *from
               : (pl_static_info){
                     .reason = PL_STOP_CONVERGED, .part = 1, .extent = model_extent(m, s->q)};
  double start = pl_wall_time();
  PL_TRY(solve_opts_check(w->env, pl_static_option_table, pl_static_option_count, o));
  if (k && (o->critical || o->perturb))
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, "leave them out",
                      "static: critical and perturb know no contact");
  if (k && k->bodies)
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, "use pl_limit_static",
                      "static: Coulomb's law on the tangent knows no contact of bodies");
  contact_set contacts = {0};
  run r = {.s = s,
           .e = {.o = o,
                 .m = m,
                 .p = p,
                 .w = w,
                 .info = info,
                 .env = w->env,
                 .tick = {w->env, "static", 0},
                 .n = pl_model_nfree(m),
                 .nq = pl_model_nq(m),
                 .dof = pl_model_free_dofs(m),
                 .extent = info->extent,
                 .contacts = k ? &contacts : NULL,
                 .released = released,
                 .saddle = 1}};
  memset(s->v, 0, (size_t)s->nq * sizeof *s->v);
  memset(s->a, 0, (size_t)s->nq * sizeof *s->a);
  pl_status status = equil_open(&r.e);
  if (status == PL_OK && k) status = contact_set_open(&contacts, w->env, m, p, k);
  if (status == PL_OK && !released) status = book_open(&r.book, &r.e);
  info->booked = r.book.open;
  if (status == PL_OK) {
    pl_state_copy(r.e.x, s);
    r.ninverted = pl_count_inverted(m, p, s, NULL, NULL);
    status = solve(&r, observe, ctx);
    if (status >= 0) status = finish(&r, status);
    if (status == PL_OK) status = judge(&r);
  }
  if (r.book.open) book_forget(&r.book, info);
  book_close(&r.book, &r.e);
  equil_close(&r.e);
  if (k) contact_set_close(&contacts);
  info->seconds = pl_wall_time() - start;
  return status;
}

pl_status pl_static_released(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                             pl_contact *k, const double *released, pl_state *s, pl_work *w,
                             pl_observe_fn observe, void *ctx, pl_static_info *info) {
  return pl_static_resumed(o, m, p, k, released, NULL, s, w, observe, ctx, info);
}

pl_status pl_static_contact(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                            pl_contact *k, pl_state *s, pl_work *w, pl_observe_fn observe,
                            void *ctx, pl_static_info *info) {
  return pl_static_released(o, m, p, k, NULL, s, w, observe, ctx, info);
}

pl_status pl_static_release_forces(const pl_model *m, const pl_params *p, pl_state *s, pl_work *w,
                                   double *released) {
  const pl_clock begin = {.scale = 0};
  const int *free = pl_model_free_index(m);
  pl_drive(m, p, &begin, s);
  pl_status st = pl_eval(m, p, s, &begin, PL_WANT_FORCE, NULL, w);
  if (st == PL_DOMAIN) return fail_domain(m, w, "static");
  PL_TRY(st);
  for (int i = 0; i < pl_model_nq(m); i++) released[i] = free[i] < 0 ? 0 : w->r[i];
  return PL_OK;
}

pl_status pl_static(const pl_static_opts *o, const pl_model *m, const pl_params *p, pl_state *s,
                    pl_work *w, pl_observe_fn observe, void *ctx, pl_static_info *info) {
  return pl_static_contact(o, m, p, NULL, s, w, observe, ctx, info);
}
