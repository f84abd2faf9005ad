// Smoothness over neighbouring elements: mean over pairs of neighbours of the squared difference of
// their scaled variables.
#include "design_impl.h"

#include <stdlib.h>
#include <string.h>

// the variable that turns a parameter of an element of a group, -1: none
typedef struct owners {
  int nelem, npar, *var; // [nelem][npar]
} owners;

static pl_status find_owners(const pl_design *d, int g, owners *own) {
  const pl_elem_kind *kind = pl_model_group_kind(d->m, g);
  int n = pl_model_group_size(d->m, g);
  *own = (owners){.nelem = n, .npar = kind->npar};
  own->var = pl_alloc(d->env, (size_t)n * (size_t)kind->npar, sizeof(int));
  if (!own->var) return PL_E_NOMEM;
  for (int i = 0; i < n * kind->npar; i++) own->var[i] = -1;
  const double *first = pl_model_group_par(d->m, d->p, g, 0);
  if (n < 2 || pl_model_group_par(d->m, d->p, g, 1) == first) return PL_OK;
  for (int k = 0; k < d->nvar; k++) {
    if (d->var[k].kind != PL_VARIABLE_DESIGN) continue;
    const pl_design_desc *desc = pl_model_design(d->m, d->var[k].index);
    for (int t = 0; t < desc->ntarget; t++) {
      long at = desc->target[t].index - (first - d->p->par);
      if (!desc->target[t].on_ref && at >= 0 && at < (long)n * kind->npar) own->var[at] = k;
    }
  }
  return PL_OK;
}

static int shared_nodes(const pl_elem_kind *k, const int *a, const int *b) {
  int n = 0;
  for (int i = 0; i < k->nvert; i++)
    for (int j = 0; j < k->nvert; j++) n += a[i] >= 0 && a[i] == b[j];
  return n;
}

typedef struct pairs {
  int n, cap;
  int *v; // [n][2] variables
} pairs;

static pl_status add_pair(pl_design *d, pairs *o, int a, int b) {
  if (a < 0 || b < 0 || a == b) return PL_OK;
  PL_TRY(pl_grow(d->env, &o->v, o->n, &o->cap, 2 * sizeof(int)));
  o->v[2 * o->n] = a < b ? a : b;
  o->v[2 * o->n++ + 1] = a < b ? b : a;
  return PL_OK;
}

// pairs of variables on elements of a group that share a side
static pl_status group_pairs(pl_design *d, pairs *o, int g, int *head, int *next) {
  const pl_elem_kind *kind = pl_model_group_kind(d->m, g);
  const int *stencil = pl_model_group_stencil(d->m, g);
  int nent = kind->nvert + kind->nscal, side = kind->nvert < 4 ? kind->nvert - 1 : 3;
  owners own;
  pl_status st = find_owners(d, g, &own);
  for (int i = 0; i < pl_model_nnode(d->m); i++) head[i] = -1;
  // elements that were seen before hang at their nodes, one entry a vertex
  for (int e = 0; st == PL_OK && kind->nvert > 1 && e < own.nelem; e++) {
    const int *a = stencil + (size_t)e * (size_t)nent;
    for (int i = 0; st == PL_OK && i < kind->nvert; i++)
      for (int at = a[i] >= 0 ? head[a[i]] : -1; st == PL_OK && at >= 0; at = next[at]) {
        int f = at / kind->nvert;
        if (shared_nodes(kind, a, stencil + (size_t)f * (size_t)nent) < side) continue;
        for (int p = 0; st == PL_OK && p < own.npar; p++)
          st = add_pair(d, o, own.var[e * own.npar + p], own.var[f * own.npar + p]);
      }
    for (int i = 0; i < kind->nvert; i++) {
      if (a[i] < 0) continue;
      next[e * kind->nvert + i] = head[a[i]];
      head[a[i]] = e * kind->nvert + i;
    }
  }
  pl_free(d->env, own.var);
  return st;
}

static int compare_pairs(const void *a, const void *b) {
  const int *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static pl_status find_pairs(pl_design *d, pairs *o) {
  int most = 0;
  for (int g = 0; g < pl_model_ngroup(d->m); g++) {
    int n = pl_model_group_size(d->m, g) * pl_model_group_kind(d->m, g)->nvert;
    if (n > most) most = n;
  }
  int *head = pl_alloc(d->env, (size_t)pl_model_nnode(d->m), sizeof(int)),
      *next = pl_alloc(d->env, (size_t)most, sizeof(int));
  pl_status st = head && next ? PL_OK : PL_E_NOMEM;
  for (int g = 0; st == PL_OK && g < pl_model_ngroup(d->m); g++)
    st = group_pairs(d, o, g, head, next);
  pl_free(d->env, head);
  pl_free(d->env, next);
  return st;
}

static pl_status begin(const pl_objective_at *at, void **own) {
  pl_design *d = at->d;
  pairs *o = *own = pl_alloc(d->env, 1, sizeof *o);
  if (!o) return PL_E_NOMEM;
  PL_TRY(find_pairs(d, o));
  if (o->n == 0)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "give elements parameters of their own",
                      "design: objective '%s': no two variables act on neighbouring elements",
                      objective_label(at->o));
  qsort(o->v, (size_t)o->n, 2 * sizeof(int), compare_pairs);
  int n = 1;
  for (int i = 1; i < o->n; i++) {
    if (compare_pairs(o->v + 2 * i, o->v + 2 * n - 2) == 0) continue;
    memmove(o->v + 2 * n++, o->v + 2 * i, 2 * sizeof(int));
  }
  o->n = n;
  return PL_OK;
}

static void end(const pl_objective_at *at) {
  pairs *o = at->own;
  if (o) pl_free(at->d->env, o->v);
  pl_free(at->d->env, o);
}

static double difference(const pl_design *d, const int *pair) {
  return to_scaled(&d->var[pair[0]], d->x[pair[0]]) - to_scaled(&d->var[pair[1]], d->x[pair[1]]);
}

static pl_status eval(const pl_objective_at *at, int i, double *value) {
  const pairs *o = at->own;
  (void)i;
  *value = 0;
  for (int k = 0; k < o->n; k++) {
    double off = difference(at->d, o->v + 2 * k);
    *value += off * off / o->n;
  }
  return PL_OK;
}

static pl_status gradient(const pl_objective_at *at, int i, double value, double by, double *gz,
                          double *gx) {
  const pl_design *d = at->d;
  const pairs *o = at->own;
  (void)i;
  (void)value;
  (void)gz;
  for (int k = 0; k < o->n; k++) {
    int a = o->v[2 * k], b = o->v[2 * k + 1];
    double off = difference(d, o->v + 2 * k);
    gx[a] += 2 * by * off / (o->n * scaled_slope(&d->var[a], d->x[a]));
    gx[b] -= 2 * by * off / (o->n * scaled_slope(&d->var[b], d->x[b]));
  }
  return PL_OK;
}

const pl_objective_kind pl_objective_smooth = {
    .name = "smooth",
    .text = "parameters of neighbouring elements differ little",
    .value = "yes",
    .about = "parameters of neighbouring elements differ little",
    .keys = "",
    .scope = PL_SCOPE_VALUES,
    .form = PL_FORM_OWN,
    .eval = eval,
    .gradient = gradient,
    .begin = begin,
    .end = end,
};
