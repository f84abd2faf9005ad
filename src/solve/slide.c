// What slides without end: pieces of a model that nothing but obstacles holds, and that loads move
// along them more strongly than friction can oppose.
#include "solve_impl.h"

#include <string.h>

static const double ALIKE = 1 - 1e-8;  // cosine between normals of one flat face
static const double BEYOND = 1 + 1e-6; // of what friction can bear, before it is too little
static const double NOTHING = 1e-9;    // of all loads on a piece: what does not move it

// contacts that press on a piece, and the loads on it
typedef struct pressed {
  int count, slip, flat; // flat: all normals are one
  int obstacle, node;
  double normal[3], mu;
  double load[3], size; // N
} pressed;

static void add_contact(const contact_set *t, int k, pressed *p) {
  const pl_contact_row *row = &t->row[k];
  if (p->count == 0) {
    p->flat = 1;
    p->obstacle = t->set[k] >= 0 ? t->k->pair[t->set[k]].obstacle : SURFACE - t->set[k];
    memcpy(p->normal, row->frame[0], (size_t)t->dim * sizeof *p->normal);
  }
  p->count++;
  p->slip += t->status[k] == PL_SLIP;
  p->flat &= pl_dot(t->dim, p->normal, row->frame[0]) > ALIKE;
  p->mu = fmax(p->mu, row->mu);
}

// forces between nodes of a piece add up to nothing: what is left of r is minus the loads
static void add_loads(const equil *e, const int *root, pressed *all) {
  int dim = pl_model_dim(e->m);
  for (int i = 0; i < pl_model_nnode(e->m); i++) {
    if (root[i] < 0) continue;
    pressed *p = &all[root[i]];
    for (int c = 0; c < dim; c++) {
      p->load[c] -= e->w->r[i * dim + c];
      p->size += fabs(e->w->r[i * dim + c]);
    }
  }
}

// On one flat face no friction below |load_T|/load_N holds a piece, wherever it is; elsewhere it is
// told by its contacts, all of which slip.
static void judge(const pressed *p, int dim, pl_slide *out) {
  double along[3], press = -pl_dot(dim, p->normal, p->load);
  for (int c = 0; c < dim; c++) along[c] = p->load[c] + press * p->normal[c];
  double slide = pl_norm(dim, along);
  int beyond = press > 0 && slide > NOTHING * p->size && slide > BEYOND * p->mu * press;
  if (p->flat ? !beyond : p->slip < p->count) return;
  *out = (pl_slide){.found = 1,
                    .node = p->node,
                    .obstacle = p->obstacle,
                    .mu = p->mu,
                    .needed = p->flat ? slide / press : 0};
}

pl_status find_slide(equil *e, double scale, pl_slide *out) {
  const contact_set *t = e->contacts;
  int n = pl_model_nnode(e->m);
  int *root = pl_alloc(e->env, (size_t)n, sizeof *root);
  pressed *all = pl_alloc(e->env, (size_t)n, sizeof *all);
  pl_status s = root && all ? find_unheld(e->m, e->env, e->x->q, root) : PL_E_NOMEM;
  *out = (pl_slide){0};
  for (int k = 0; s == PL_OK && k < t->nset; k++) {
    int node = t->row[k].vert[0];
    if (!(t->f[k * t->dim] > 0) || root[node] < 0) continue;
    all[root[node]].node = node;
    add_contact(t, k, &all[root[node]]);
  }
  double before = e->clock.scale;
  e->clock.scale = scale;
  if (s == PL_OK) s = equil_eval(e, PL_WANT_FORCE);
  e->clock.scale = before;
  if (s == PL_OK) add_loads(e, root, all);
  for (int i = 0; s == PL_OK && !out->found && i < n; i++)
    if (all[i].count > 0) judge(&all[i], t->dim, out);
  pl_free(e->env, root);
  pl_free(e->env, all);
  return s < 0 ? s : PL_OK;
}
