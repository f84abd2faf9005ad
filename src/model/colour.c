#include "model_impl.h"

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

// elements in a block, whole lots of lanes
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

// counting sort by colour; empty colours vanish, the last is the serial one
static void order(pl_model *m, const block *blocks, const int *colour) {
  int count[COLOURS + 1] = {0}, start[COLOURS + 1], at = 0;
  for (int b = 0; b < m->nblock; b++) count[colour[b]]++;
  m->ncolour = 0;
  for (int c = 0; c <= COLOURS; c++) {
    start[c] = at;
    if (count[c] || c == COLOURS) m->colour_ptr[m->ncolour++] = at;
    at += count[c];
  }
  m->colour_ptr[m->ncolour] = at;
  for (int b = 0; b < m->nblock; b++) m->block[start[colour[b]]++] = blocks[b];
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
  m->colour_ptr = pl_alloc(m->env, COLOURS + 2, sizeof(int));
  block *blocks = pl_alloc(m->env, nblock, sizeof *blocks);
  int *colour = pl_alloc(m->env, nblock, sizeof(int));
  uint64_t *used = pl_alloc(m->env, (size_t)m->nq, sizeof *used);
  int ok = m->block && m->colour_ptr && blocks && colour && used;
  if (ok) {
    fill_blocks(m, blocks);
    m->few = nelem < FEW;
    paint(m, blocks, used, colour);
    order(m, blocks, colour);
  }
  pl_free(m->env, blocks);
  pl_free(m->env, colour);
  pl_free(m->env, used);
  return ok ? PL_OK : PL_E_NOMEM;
}
