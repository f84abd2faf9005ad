#include "model_impl.h"
#include "pliant/tally.h"

#include <string.h>

enum { COLOURS = 64, SHARES = 128 }; // blocks wanted of each group
#ifdef PL_SHARE_ALL
enum { FEW = 0 };
#else
enum { FEW = 512 };
#endif

// colour of each block, greedily: the lowest one not yet used by a block that shares an unknown;
// COLOURS when all are taken (a hub with very many elements)
static void paint(const pl_model *m, const block *blocks, uint64_t *used, int *colour) {
  for (int b = 0; b < m->nblock; b++) {
    const group *g = &m->group[blocks[b].group];
    const int *dof = g->dof + (size_t)blocks[b].first * (size_t)g->kind->ndof;
    int n = blocks[b].n * g->kind->ndof;
    uint64_t taken = 0;
    for (int i = 0; i < n; i++)
      if (dof[i] >= 0) taken |= used[dof[i]];
    colour[b] = ~taken ? __builtin_ctzll(~taken) : COLOURS;
    if (colour[b] == COLOURS) continue;
    for (int i = 0; i < n; i++)
      if (dof[i] >= 0) used[dof[i]] |= (uint64_t)1 << colour[b];
  }
}

// elements in a block, whole batches of lanes
static int block_size(const group *g) {
  int n = g->nelem / SHARES / BLOCK_MIN * BLOCK_MIN;
  return n < BLOCK_MIN ? BLOCK_MIN : n > BLOCK ? BLOCK : n;
}

static void fill_blocks(pl_model *m, block *blocks) {
  int b = 0;
  for (int k = 0; k < m->ngroup; k++) {
    int size = block_size(&m->group[k]);
    for (int e = 0; e < m->group[k].nelem; e += size) {
      int left = m->group[k].nelem - e;
      blocks[b++] = (block){.group = k, .first = e, .n = left < size ? left : size};
    }
  }
}

// counting sort by colour
static void order(pl_model *m, const block *blocks, const int *colour) {
  int start[COLOURS + 2] = {0};
  for (int b = 0; b < m->nblock; b++) start[colour[b] + 1]++;
  for (int c = 0; c <= COLOURS; c++) start[c + 1] += start[c];
  for (int b = 0; b < m->nblock; b++) m->block[start[colour[b]]++] = blocks[b];
}

// The last blocks before block b that have an unknown of it, each of which has waited for those
// before it: counts them, and lists them unless list is NULL. last: [nq] of each unknown, moves on
// to b; met: [nblock] the last block for which one was counted.
static int find_waits(const pl_model *m, int b, int *last, int *met, int *list) {
  const block *x = &m->block[b];
  const group *g = &m->group[x->group];
  const int *dof = g->dof + (size_t)x->first * (size_t)g->kind->ndof;
  int n = x->n * g->kind->ndof, count = 0;
  for (int i = 0; i < n; i++) {
    if (dof[i] < 0) continue;
    int before = last[dof[i]];
    last[dof[i]] = b;
    if (before < 0 || before == b || met[before] == b) continue;
    met[before] = b;
    if (list) list[count] = before;
    count++;
  }
  return count;
}

static pl_status list_waits(pl_model *m) {
  size_t nq = (size_t)m->nq, nblock = (size_t)m->nblock;
  int *last = pl_alloc(m->env, nq + nblock, sizeof *last), *met = last + nq;
  m->wait_ptr = pl_alloc(m->env, nblock + 1, sizeof *m->wait_ptr);
  pl_status s = last && m->wait_ptr ? PL_OK : PL_E_NOMEM;
  for (int pass = 0; s == PL_OK && pass < 2; pass++) {
    for (size_t i = 0; i < nq + nblock; i++) last[i] = -1;
    for (int b = 0; b < m->nblock; b++)
      m->wait_ptr[b + 1] =
          m->wait_ptr[b] + find_waits(m, b, last, met, pass ? m->wait + m->wait_ptr[b] : NULL);
    if (pass) break;
    m->wait = pl_alloc(m->env, (size_t)m->wait_ptr[m->nblock], sizeof *m->wait);
    if (!m->wait) s = PL_E_NOMEM;
  }
  pl_free(m->env, last);
  return s;
}

pl_status model_colour(pl_model *m) {
  int nelem = 0;
  m->nblock = 0;
  for (int k = 0; k < m->ngroup; k++) {
    int size = block_size(&m->group[k]);
    m->nblock += (m->group[k].nelem + size - 1) / size;
    nelem += m->group[k].nelem;
  }
  size_t nblock = (size_t)m->nblock;
  m->block = pl_alloc(m->env, nblock, sizeof *m->block);
  block *blocks = pl_alloc(m->env, nblock, sizeof *blocks);
  int *colour = pl_alloc(m->env, nblock, sizeof(int));
  uint64_t *used = pl_alloc(m->env, (size_t)m->nq, sizeof *used);
  int ok = m->block && blocks && colour && used;
  if (ok) {
    fill_blocks(m, blocks);
    m->few = nelem < FEW;
    paint(m, blocks, used, colour);
    order(m, blocks, colour);
  }
  pl_free(m->env, blocks);
  pl_free(m->env, colour);
  pl_free(m->env, used);
  return ok ? list_waits(m) : PL_E_NOMEM;
}

// ---- visits -------------------------------------------------------------------------------------

typedef struct block_run {
  const pl_model *m;
  const pl_work *w;
  int waits;
  void (*fn)(void *ctx, int b, int thread);
  void *ctx;
} block_run;

void model_wait(const pl_model *m, const pl_work *w, int b) {
  for (int k = m->wait_ptr[b]; k < m->wait_ptr[b + 1]; k++)
    pl_threads_await(&w->impl->done[m->wait[k]], 1, NULL);
}

static void run_block(void *ctx, int b, int thread) {
  const block_run *v = ctx;
  if (!v->waits) model_wait(v->m, v->w, b);
  v->fn(v->ctx, b, thread);
  // who waits for this one takes it that those before are done, too
  if (v->waits) model_wait(v->m, v->w, b);
  atomic_store_explicit(&v->w->impl->done[b], 1, memory_order_release);
}

void model_each_block(const pl_model *m, pl_work *w, pl_threads *threads, int waits,
                      void (*fn)(void *ctx, int b, int thread), void *ctx) {
  block_run v = {m, w, waits, fn, ctx};
  for (int b = 0; b < m->nblock; b++)
    atomic_store_explicit(&w->impl->done[b], 0, memory_order_relaxed);
  pl_threads_run_list(threads, m->nblock, run_block, &v);
}
