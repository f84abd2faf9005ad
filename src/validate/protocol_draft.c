// Models of protocols: descriptions, and what is made of them.
#include "protocol_impl.h"

#include <string.h>

// a plastic sheet in metres, and a soft rod of a few centimetres (Romero et al. 2021, sec. 4)
static const dims dims_table[] = {{1, 1e9, 1000}, {0.037, 1.08e6, 1267}};

const dims *protocol_dims(int units) {
  return &dims_table[units != 0];
}

pl_status draft_open(pl_env *env, draft *d) {
  memset(d, 0, sizeof *d);
  d->env = env;
  d->d.dim = 3;
  return pl_arena_create(env, 1 << 16, &d->arena);
}

void draft_close(draft *d) {
  pl_arena_free(d->arena);
}

void *draft_keep(draft *d, int n, size_t size) {
  void *p = pl_arena_alloc(d->arena, (size_t)(n > 0 ? n : 1), size);
  if (!p) d->failed = 1;
  return p;
}

static void *keep_copy(draft *d, int n, size_t size, const void *from) {
  void *p = draft_keep(d, n, size);
  if (p && n > 0) memcpy(p, from, (size_t)n * size);
  return p;
}

void draft_group(draft *d, const char *kind, int nelem, const int *stencil, int npar,
                 const double *par) {
  const pl_elem_kind *k = pl_elem_find(kind);
  PL_ASSERT(k && npar <= k->npar && d->d.ngroup < COUNT(d->group));
  double all[PL_NPAR_MAX];
  for (int i = 0; i < k->npar; i++) all[i] = i < npar ? par[i] : k->par[i].value;
  d->group[d->d.ngroup++] =
      (pl_group_desc){.name = kind,
                      .kind = k,
                      .nelem = nelem,
                      .stencil = keep_copy(d, nelem * (k->nvert + k->nscal), sizeof(int), stencil),
                      .shared = npar > 0,
                      .par = npar > 0 ? keep_copy(d, k->npar, sizeof(double), all)
                                      : keep_copy(d, nelem * k->npar, sizeof(double), par)};
  d->d.group = d->group;
}

void draft_hold(draft *d, int nnode, const int *node, int mask, int nscal, const int *scal) {
  PL_ASSERT(d->d.ndrive < COUNT(d->drive));
  d->drive[d->d.ndrive++] = (pl_drive_desc){.name = "hold",
                                            .nnode = nnode,
                                            .node = keep_copy(d, nnode, sizeof(int), node),
                                            .mask = mask,
                                            .nscal = nscal,
                                            .scal = keep_copy(d, nscal, sizeof(int), scal)};
  d->d.drive = d->drive;
}

pl_status built_create(const draft *d, built *b) {
  memset(b, 0, sizeof *b);
  if (d->failed) return PL_E_NOMEM;
  pl_status s = pl_model_create(d->env, &d->d, &b->m);
  if (s == PL_OK) s = pl_params_create(b->m, &b->p);
  if (s == PL_OK) s = pl_state_create(b->m, b->p, &b->s);
  if (s == PL_OK) s = pl_work_create(b->m, 1, &b->w);
  if (s != PL_OK) built_free(b);
  return s;
}

void built_free(built *b) {
  pl_work_free(b->w);
  if (b->m) pl_state_free(b->m, b->s);
  pl_params_free(b->p);
  pl_model_free(b->m);
  memset(b, 0, sizeof *b);
}

// ---- shells -----------------------------------------------------------------------------------

static void read_places(draft *d, const pl_mesh *m, int ncopy, const int *copy) {
  double *X = draft_keep(d, 3 * (m->nvert + ncopy), sizeof *X);
  if (!X) return;
  memcpy(X, m->X, 3 * (size_t)m->nvert * sizeof *X);
  for (int k = 0; k < ncopy; k++) memcpy(X + 3 * (m->nvert + k), m->X + 3 * copy[k], 3 * sizeof *X);
  d->d.X = X;
  d->d.nnode = m->nvert + ncopy;
}

pl_status draft_shell(draft *d, const pl_mesh *m, const shell *s, const int *clamp,
                      const pl_topology *topology, pl_midedge **edges) {
  const pl_cells *tri = &m->cell[PL_TRI3];
  *edges = NULL;
  if (s->bending == SHELL_MIDEDGE) PL_TRY(pl_midedge_create(m, topology, clamp, edges));
  const pl_midedge *e = *edges;
  read_places(d, m, e ? e->ncopy : 0, e ? e->copy : NULL);
  draft_group(d, "membrane", tri->n, tri->v, 4,
              (const double[]){s->young, s->nu, s->density, s->thickness});
  const double bend[] = {s->young, s->nu, s->thickness};
  if (!e) {
    if (s->bending == SHELL_HINGE)
      draft_group(d, "hinge", topology->nhinge, topology->hinge, 3, bend);
    return d->failed ? PL_E_NOMEM : PL_OK;
  }
  d->d.nextra = e->nxi;
  int *stencil = draft_keep(d, 9 * e->ntri, sizeof *stencil);
  if (!stencil) return PL_E_NOMEM;
  pl_midedge_stencil(e, NULL, 3 * d->d.nnode, stencil);
  draft_group(d, "midedge", e->ntri, stencil, 3, bend);
  int *copies = draft_keep(d, e->ncopy, sizeof *copies);
  for (int k = 0; copies && k < e->ncopy; k++) copies[k] = m->nvert + k;
  if (copies && e->ncopy) draft_hold(d, e->ncopy, copies, 7, 0, NULL);
  return d->failed ? PL_E_NOMEM : PL_OK;
}
