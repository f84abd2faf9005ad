// A load step whose energy book does not close: taken in parts, until each of them does or is a
// jump to another path.
#include "solve_impl.h"

static const double LEAST = 1.0 / 1024;  // of the load step: so short a part tells jumps from bends
static const double TINY = LEAST / 1024; // what is still open then is a jump
static const double FALLS = 0.5;      // of what is open: less is left in a shorter part of a bend
static const double SHORT = 1.0 / 64; // of what is left: the shortest first part
static const double SAME = 1e-6;      // of the model: states that are the same
enum { PATIENCE = 20, MORE = 200 };   // iterations: a multiple of those of the whole step, and more

// The end of a part that left the book open.
typedef struct barrier {
  book_entry end;
  double from, open;
} barrier;

typedef struct parts {
  equil *e;
  book *k;
  pl_state *here, *direct; // the last good part; what the whole step found
  book_entry end;          // of that
  double at, to, span;
  barrier bar; // the next one
  int most;    // iterations at which it is given up
  int there;   // 1: the parts lead to what the whole step found
  double work;
} parts;

// one part from `here`; its entry and what the book says of it
static pl_status try_part(parts *w, double next, book_entry *b, book_step *step) {
  equil *e = w->e;
  pl_state_copy(e->x, w->here);
  e->clock.scale = next;
  e->tau = 0;
  PL_TRY(equil_predict(e));
  PL_TRY(equil_minimise(e));
  PL_TRY(book_entry_make(w->k, e, b));
  *step = book_compare(w->k, e, b, w->here->q);
  return PL_OK;
}

static void keep_part(parts *w, const book_entry *b, const book_step *step) {
  equil *e = w->e;
  if (!step->closed) book_jump(e->info, 0.5 * (w->at + b->scale), step->open);
  w->work += step->work;
  pl_commit(e->m, e->p, e->x);
  pl_state_copy(w->here, e->x);
  book_rotation(w->k, b);
  w->at = b->scale;
  if (w->at >= w->bar.end.scale) w->bar = (barrier){w->end, w->at, INFINITY};
}

// what the whole step found may be next on the path
static int leads_there(parts *w) {
  pl_state_copy(w->e->x, w->direct);
  book_step step = book_compare(w->k, w->e, &w->end, w->here->q);
  if (!step.closed) return 0;
  w->work += step.work;
  book_rotation(w->k, &w->end);
  return 1;
}

// Towards the barrier: half way, or as far as the linear answer takes to what was found there; next
// to it, to it.
static double choose(const parts *w) {
  const book_entry *a = &w->k->at, *b = &w->bar.end;
  double left = b->scale - w->at;
  if (left <= LEAST * w->span && w->at > w->bar.from) return b->scale;
  double part = a->sloped ? (b->power - a->power) / (a->slope * left) : SHORT;
  return w->at + left * (part > 0 ? fmin(0.5, fmax(part, SHORT)) : 0.5);
}

// PL_UNSOLVED: a part has no solution, or it takes too long
static pl_status go(parts *w) {
  while (w->at < w->to && !w->there) {
    double next = choose(w), part = (next - w->at) / w->span;
    book_entry b = {0};
    book_step step = {0};
    pl_status s = try_part(w, next, &b, &step);
    if (s < 0 || s == PL_CANCELLED) return s;
    // a jump leaves open what it does, however short the part
    int stays = part <= LEAST && fabs(step.open) > FALLS * fabs(w->bar.open);
    if (s == PL_OK && (step.closed || stays || part <= TINY)) {
      keep_part(w, &b, &step);
      w->there = w->at < w->to && leads_there(w);
      continue;
    }
    if (part <= TINY || w->e->info->iterations > w->most) return PL_UNSOLVED;
    b.scale = next;
    w->bar = (barrier){b, w->at, s == PL_OK ? step.open : w->bar.open};
  }
  return PL_OK;
}

// places alone: scalars may be measured from other anchors
static int is_direct(const parts *w) {
  const equil *e = w->e;
  int n = pl_model_nnode(e->m) * pl_model_dim(e->m);
  double far = 0;
  if (n == 0) n = e->nq;
  for (int i = 0; i < n; i++) far = fmax(far, fabs(w->here->q[i] - w->direct->q[i]));
  return far <= SAME * equil_size(e);
}

static pl_status store_parts(parts *w, const book_step *whole) {
  equil *e = w->e;
  pl_static_info *info = e->info;
  const pl_static_info before = *info;
  const book begin = *w->k;
  pl_state_copy(w->direct, e->x);
  pl_status s = go(w);
  int same = s != PL_OK || w->there || is_direct(w);
  pl_state_copy(e->x, same ? w->direct : w->here);
  e->clock.scale = w->to;
  if (s == PL_OK) {
    info->work += w->work;
    info->elsewhere += !same;
    return PL_OK;
  }
  if (s != PL_UNSOLVED) return s;
  // where it was lost is told, with what the whole step left open
  info->njump = before.njump;
  info->released = before.released;
  info->work += whole->work;
  book_jump(info, w->at, whole->open);
  *w->k = begin;
  book_rotation(w->k, &w->end);
  return PL_OK;
}

pl_status book_parts(equil *e, book *k, const pl_state *from, const book_entry *end,
                     const book_step *whole, int iterations) {
  parts w = {.e = e, .k = k, .end = *end, .at = k->at.scale, .to = end->scale};
  w.span = w.to - w.at;
  w.bar = (barrier){*end, w.at, whole->open};
  w.most = e->info->iterations + PATIENCE * iterations + MORE;
  e->info->in_parts++;
  pl_status s = pl_state_create(e->m, e->p, &w.here);
  if (s == PL_OK) s = pl_state_create(e->m, e->p, &w.direct);
  if (s == PL_OK) {
    pl_state_copy(w.here, from);
    s = store_parts(&w, whole);
  }
  if (w.here) pl_state_free(e->m, w.here);
  if (w.direct) pl_state_free(e->m, w.direct);
  return s;
}
