// Solves over the tree of fronts, both sweeps in one job: threads take steps from one list, in
// which each comes after those that it needs, and wait for moments for what others have not done
// yet. Subtrees and small fronts are a step each; large fronts have many.
#include "sweeps.h"

#include "pliant/tally.h"

#include <stdatomic.h>

typedef enum kind { TASK, WHOLE, PART } kind;

typedef struct step {
  int kind, down;
  int front; // or task
  int stage, part;
  int after; // steps of the front in this sweep that must be done
  int last;  // 1: no stage comes after its own, which has this part alone
} step;

struct sweeps {
  const front_tree *t;
  const sweep_fns *fns;
  void *s;
  pl_threads *threads;
  int nstep, cap;
  step *step;
  int *nchild; // [nfront]
  atomic_int next;
  // [nfront] on the way up children that are done and it itself, on the way down 1: done; steps of
  // large fronts on either way
  atomic_int *up, *down, *count[2];
};

// ---- the list -----------------------------------------------------------------------------------

static pl_status append(pl_env *env, sweeps *a, step x) {
  if (a->nstep == a->cap) {
    int cap = 2 * a->cap + 256;
    step *more = pl_realloc(env, a->step, (size_t)cap, sizeof *more);
    if (!more) return PL_E_NOMEM;
    a->step = more;
    a->cap = cap;
  }
  a->step[a->nstep++] = x;
  return PL_OK;
}

// the steps of front f in a stage, which wait for the *before of those before it; *left: 1 where
// more stages come
static pl_status list_stage(pl_env *env, sweeps *a, int f, int down, int stage, int *before,
                            int *left) {
  int all = a->fns->stages(a->s, f, down), n = 1;
  if (stage > 0 && stage >= all) return PL_OK;
  step x = {.front = f, .down = down, .stage = stage, .after = *before, .last = stage == all - 1};
  x.kind = all > 0 ? PART : WHOLE;
  if (all > 0) n = a->fns->parts(a->s, f, down, stage);
  for (x.part = 0; x.part < n; x.part++) PL_TRY(append(env, a, x));
  *before += n;
  *left |= stage < all - 1;
  return PL_OK;
}

// fronts of a level side by side
static pl_status list_level(pl_env *env, sweeps *a, int h, int down, int *before) {
  const front_tree *t = a->t;
  for (int stage = 0, left = 1; left; stage++) {
    left = 0;
    for (int k = t->level_ptr[h]; k < t->level_ptr[h + 1]; k++)
      PL_TRY(list_stage(env, a, t->task_front[k], down, stage, &before[t->task_front[k]], &left));
  }
  return PL_OK;
}

static pl_status list_sweep(pl_env *env, sweeps *a, int down) {
  const front_tree *t = a->t;
  int *before = pl_alloc(env, (size_t)t->nfront, sizeof *before);
  pl_status s = before ? PL_OK : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < t->ntask && !down; k++)
    s = append(env, a, (step){.front = k, .kind = TASK});
  for (int h = 0; s == PL_OK && h < t->nlevel; h++)
    s = list_level(env, a, down ? t->nlevel - 1 - h : h, down, before);
  for (int k = 0; s == PL_OK && k < t->ntask && down; k++)
    s = append(env, a, (step){.front = k, .kind = TASK, .down = 1});
  pl_free(env, before);
  return s;
}

pl_status sweeps_create(pl_env *env, const front_tree *t, const sweep_fns *fns, void *s,
                        pl_threads *threads, sweeps **out) {
  size_t n = (size_t)t->nfront;
  sweeps *a = *out = pl_alloc(env, 1, sizeof *a);
  if (!a) return PL_E_NOMEM;
  a->t = t;
  a->fns = fns;
  a->s = s;
  a->threads = threads;
  a->nchild = pl_alloc(env, n, sizeof *a->nchild);
  a->up = pl_alloc(env, 4 * n, sizeof *a->up);
  if (!a->nchild || !a->up) return PL_E_NOMEM;
  a->down = a->up + n;
  a->count[0] = a->down + n;
  a->count[1] = a->count[0] + n;
  for (int f = 0; f < t->nfront; f++)
    if (t->front[f].parent >= 0) a->nchild[t->front[f].parent]++;
  PL_TRY(list_sweep(env, a, 0));
  return list_sweep(env, a, 1);
}

void sweeps_free(pl_env *env, sweeps *a) {
  if (!a) return;
  pl_free(env, a->step);
  pl_free(env, a->nchild);
  pl_free(env, a->up);
  pl_free(env, a);
}

// ---- work ---------------------------------------------------------------------------------------

static void done(atomic_int *count) {
  atomic_fetch_add_explicit(count, 1, memory_order_release);
}

static void end_front(sweeps *a, int f, int down) {
  int parent = a->t->front[f].parent;
  done(down ? &a->down[f] : &a->up[f]);
  if (!down && parent >= 0) done(&a->up[parent]);
}

// up a front goes when its nchild children have, down when its parent has, or, a root, when it is
// up itself
static void await_front(sweeps *a, int f, int nchild, int down) {
  int parent = a->t->front[f].parent;
  if (!down)
    pl_threads_await(&a->up[f], nchild, NULL);
  else if (parent >= 0)
    pl_threads_await(&a->down[parent], 1, NULL);
  else
    pl_threads_await(&a->up[f], nchild + 1, NULL);
}

static void do_task(const front_tree *t, const sweep_fns *fns, void *s, int task, int down,
                    int thread) {
  int first = t->task_ptr[task], n = t->task_ptr[task + 1] - first;
  for (int k = 0; k < n; k++)
    fns->whole(s, t->task_front[first + (down ? n - 1 - k : k)], down, thread);
}

static void claim_task(sweeps *a, const step *x, int thread) {
  int root = a->t->task_front[a->t->task_ptr[x->front + 1] - 1];
  if (x->down) await_front(a, root, 0, 1);
  do_task(a->t, a->fns, a->s, x->front, x->down, thread);
  if (!x->down) end_front(a, root, 0);
}

static void claim_step(sweeps *a, const step *x, int thread) {
  int f = x->front;
  if (x->kind == TASK) {
    claim_task(a, x, thread);
    return;
  }
  if (x->after == 0) await_front(a, f, a->nchild[f], x->down);
  if (x->kind == WHOLE) {
    a->fns->whole(a->s, f, x->down, thread);
    end_front(a, f, x->down);
    return;
  }
  pl_threads_await(&a->count[x->down][f], x->after, NULL);
  a->fns->part(a->s, f, x->down, x->stage, x->part, thread);
  done(&a->count[x->down][f]);
  if (x->last) end_front(a, f, x->down);
}

static void claim_steps(void *ctx, int k, int thread) {
  sweeps *a = ctx;
  (void)k;
  for (int i; (i = atomic_fetch_add(&a->next, 1)) < a->nstep;) claim_step(a, &a->step[i], thread);
}

void sweeps_run(sweeps *a) {
  for (int k = 0; k < 4 * a->t->nfront; k++)
    atomic_store_explicit(&a->up[k], 0, memory_order_relaxed);
  atomic_store(&a->next, 0);
  pl_threads_run_list(a->threads, pl_threads_size(a->threads), claim_steps, a);
}

void sweeps_run_alone(const front_tree *t, const sweep_fns *fns, void *s) {
  int above = t->task_ptr[t->ntask];
  for (int k = 0; k < t->ntask; k++) do_task(t, fns, s, k, 0, 0);
  for (int k = above; k < t->nfront; k++) fns->whole(s, t->task_front[k], 0, 0);
  for (int k = t->nfront - 1; k >= above; k--) fns->whole(s, t->task_front[k], 1, 0);
  for (int k = 0; k < t->ntask; k++) do_task(t, fns, s, k, 1, 0);
}
