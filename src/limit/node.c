// Nodes of a model as vertices of a sheet.
#include "step_impl.h"

#include <string.h>

static const double CORNER = 1e-6; // of an entry of the diagonal: a row that sums up to nothing

// Hinton, Rock and Zienkiewicz 1976
static int share_diagonal(const pl_model *m, const pl_params *p, double *mass) {
  int dim = pl_model_dim(m), n = pl_model_nnode(m), corners = 0;
  double total = 0, diagonal = 0;
  for (int v = 0; v < n; v++) {
    double own = *pl_csc_diagonal(&p->M, v * dim);
    total += mass[v];
    diagonal += own;
    corners |= own > 0 && mass[v] < CORNER * own;
  }
  for (int v = 0; corners && v < n; v++)
    mass[v] = *pl_csc_diagonal(&p->M, v * dim) * (total / diagonal);
  return corners;
}

int pl_node_masses(const pl_model *m, const pl_params *p, double *mass) {
  const pl_csc *M = &p->M;
  int dim = pl_model_dim(m), n = dim * pl_model_nnode(m);
  memset(mass, 0, (size_t)pl_model_nnode(m) * sizeof *mass);
  // one component speaks for all; one triangle of the matrix is stored
  for (pl_entry e = {.k = -1}; pl_csc_next(M, &e);) {
    if (e.i >= n || e.i % dim != 0 || e.j >= n || e.j % dim != 0) continue;
    mass[e.i / dim] += M->val[e.k];
    if (e.i != e.j) mass[e.j / dim] += M->val[e.k];
  }
  return share_diagonal(m, p, mass);
}

int pl_sheet_weights(const pl_sheet_desc *d, const pl_model *m, const pl_params *p,
                     double *weight) {
  double sum = 0;
  int n = 0, light = d->nvert;
  pl_node_masses(m, p, weight);
  for (int i = 0; i < 3 * d->ntri; i++) {
    int v = d->tri[i];
    if (!(weight[v] > 0) && !(d->fixed && d->fixed[v] == 7) && v < light) light = v;
  }
  if (light < d->nvert) return light;
  for (int i = 0; i < d->nvert; i++) {
    if (weight[i] > 0) sum += weight[i];
    n += weight[i] > 0;
  }
  for (int i = 0; i < d->nvert; i++)
    if (!(weight[i] > 0)) weight[i] = n ? sum / n : 1;
  return -1;
}

pl_status loose_sheet(pl_env *env, const pl_model *m, const double *mass, pl_sheet **out) {
  const int *free_index = pl_model_free_index(m);
  int n = pl_model_nnode(m);
  *out = NULL;
  int *fixed = pl_alloc(env, (size_t)n, sizeof *fixed);
  double *weight = pl_alloc(env, (size_t)n, sizeof *weight);
  pl_status s = fixed && weight ? PL_OK : PL_E_NOMEM;
  for (int v = 0; v < n && s == PL_OK; v++) {
    for (int c = 0; c < 3; c++) fixed[v] |= (free_index[3 * v + c] < 0) << c;
    weight[v] = mass[v] > 0 ? mass[v] : 1;
    if (fixed[v] != 7 && !(mass[v] > 0))
      s = pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "give it a mass, or fix it",
                     "node %d has no mass: contact cannot hold it", v);
  }
  pl_sheet_desc d = {.nvert = n, .weight = weight, .fixed = fixed};
  if (s == PL_OK) s = pl_sheet_create(env, &d, 1, out);
  pl_free(env, fixed);
  pl_free(env, weight);
  return s;
}
