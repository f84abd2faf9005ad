// Solves over the tree of fronts. Where all fronts above the tasks are small, one job does both
// sweeps: threads take tasks and fronts from one list, in which each comes after those that it
// needs, and wait for moments for what others have not done yet. Where some are large, levels come
// one after another, and threads work inside of these fronts, too.
#include "pliant/tally.h"
#include "tree.h"

#include <sched.h>

struct sweeps {
  tree *s;
  int nrhs;
  int listed; // 1: all fronts above the tasks are small
  atomic_int next;
  atomic_int *up, *down; // [nfront] children that are done on the way up and it itself, 1: done
};

// ---- one job ------------------------------------------------------------------------------------

static void await(atomic_int *count, int n) {
  if (atomic_load_explicit(count, memory_order_acquire) >= n) return;
  pl_threads_pause(1);
  for (int k = 1; atomic_load_explicit(count, memory_order_acquire) < n; k++)
    // who is waited for may have no processor
    if (k % 1024 == 0) sched_yield();
  pl_threads_pause(0);
}

static void done(atomic_int *count) {
  atomic_fetch_add_explicit(count, 1, memory_order_release);
}

static int task_root(const front_tree *t, int task) {
  return t->task_front[t->task_ptr[task + 1] - 1];
}

static void tell_up(sweeps *a, int f) {
  int parent = a->s->t.front[f].parent;
  done(&a->up[f]);
  if (parent >= 0) done(&a->up[parent]);
}

// front f may go down when its parent has, or, a root, when it is up; own: what up counts then
static void await_down(sweeps *a, int f, int own) {
  int parent = a->s->t.front[f].parent;
  if (parent >= 0)
    await(&a->down[parent], 1);
  else
    await(&a->up[f], own);
}

static void forward_task(void *ctx, int task, int thread) {
  sweeps *a = ctx;
  const front_tree *t = &a->s->t;
  (void)thread;
  for (int k = t->task_ptr[task]; k < t->task_ptr[task + 1]; k++)
    tree_forward(a->s, t->task_front[k], a->nrhs, NULL);
}

static void backward_task(void *ctx, int task, int thread) {
  sweeps *a = ctx;
  const front_tree *t = &a->s->t;
  (void)thread;
  for (int k = t->task_ptr[task + 1] - 1; k >= t->task_ptr[task]; k--)
    tree_backward(a->s, t->task_front[k], a->nrhs, NULL);
}

// tasks and then fronts up, fronts and then tasks down
static void take_turn(sweeps *a, int i) {
  tree *s = a->s;
  const front_tree *t = &s->t;
  int above = t->nfront - t->task_ptr[t->ntask], turn = i - t->ntask;
  if (turn < 0) {
    forward_task(a, i, 0);
    tell_up(a, task_root(t, i));
  } else if (turn < above) {
    int f = t->task_front[t->task_ptr[t->ntask] + turn];
    await(&a->up[f], s->num[f].nchild);
    tree_forward(s, f, a->nrhs, NULL);
    tell_up(a, f);
  } else if (turn < 2 * above) {
    int f = t->task_front[t->nfront - 1 - (turn - above)];
    await_down(a, f, s->num[f].nchild + 1);
    tree_backward(s, f, a->nrhs, NULL);
    done(&a->down[f]);
  } else {
    int task = turn - 2 * above;
    await_down(a, task_root(t, task), 1);
    backward_task(a, task, 0);
  }
}

static void take_turns(void *ctx, int k, int thread) {
  sweeps *a = ctx;
  const front_tree *t = &a->s->t;
  int n = 2 * (t->ntask + t->nfront - t->task_ptr[t->ntask]);
  (void)k, (void)thread;
  for (int i; (i = atomic_fetch_add(&a->next, 1)) < n;) take_turn(a, i);
}

static void run_list(sweeps *a) {
  for (int f = 0; f < a->s->t.nfront; f++) {
    atomic_store_explicit(&a->up[f], 0, memory_order_relaxed);
    atomic_store_explicit(&a->down[f], 0, memory_order_relaxed);
  }
  atomic_store(&a->next, 0);
  pl_threads_run_list(a->s->solving, pl_threads_size(a->s->solving), take_turns, a);
}

// ---- level by level -----------------------------------------------------------------------------

// Fronts of a level, from `first` on in task_front.
typedef struct level {
  const sweeps *a;
  int first, down;
} level;

static void sweep_front(void *ctx, int k, int thread) {
  const level *l = ctx;
  int f = l->a->s->t.task_front[l->first + k];
  (void)thread;
  (l->down ? tree_backward : tree_forward)(l->a->s, f, l->a->nrhs, NULL);
}

static double entries_of(const tree *s, int k) {
  const front *x = &s->t.front[s->t.task_front[k]];
  return (double)x->p * (x->p + x->r);
}

// Whether threads that each take whole fronts of a level are done sooner than all of them inside
// one after another, where some always wait.
static int is_wide(const tree *s, int first, int last) {
  int n = pl_threads_size(s->solving), count = last - first;
  double sum = 0, most = 0;
  for (int k = first; k < last; k++) {
    sum += entries_of(s, k);
    most = fmax(most, entries_of(s, k));
  }
  double rounds = (count + n - 1) / n;
  return count > 1 && (most < TREE_LONG || fmax(most, rounds * sum / count) < 2 * sum / n);
}

// the fronts above the tasks, up to the root or down from it
static void sweep_levels(const sweeps *a, int down) {
  tree *s = a->s;
  const front_tree *t = &s->t;
  for (int k = 0; k < t->nlevel; k++) {
    int h = down ? t->nlevel - 1 - k : k, first = t->level_ptr[h], last = t->level_ptr[h + 1];
    level l = {a, first, down};
    if (is_wide(s, first, last))
      pl_threads_run(s->solving, last - first, sweep_front, &l);
    else
      for (int i = first; i < last; i++)
        (down ? tree_backward : tree_forward)(s, t->task_front[i], a->nrhs, s->solving);
  }
}

// ---- whole --------------------------------------------------------------------------------------

pl_status sweeps_create(tree *s) {
  const front_tree *t = &s->t;
  size_t n = (size_t)t->nfront;
  sweeps *a = s->sweeps = pl_alloc(s->env, 1, sizeof *a);
  if (!a) return PL_E_NOMEM;
  a->s = s;
  a->listed = 1;
  for (int k = t->task_ptr[t->ntask]; k < t->nfront; k++) a->listed &= entries_of(s, k) < TREE_LONG;
  a->up = pl_alloc(s->env, 2 * n + 1, sizeof *a->up);
  if (!a->up) return PL_E_NOMEM;
  a->down = a->up + n;
  return PL_OK;
}

void sweeps_free(pl_env *env, sweeps *a) {
  if (!a) return;
  pl_free(env, a->up);
  pl_free(env, a);
}

void sweeps_run(tree *s, int nrhs) {
  sweeps alone = {.s = s}, *a = s->sweeps ? s->sweeps : &alone;
  a->nrhs = nrhs;
  if (a->listed) {
    run_list(a);
    return;
  }
  pl_threads_run(s->solving, s->t.ntask, forward_task, a);
  sweep_levels(a, 0);
  sweep_levels(a, 1);
  pl_threads_run(s->solving, s->t.ntask, backward_task, a);
}
