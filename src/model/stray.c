// How far elements are from where they were expected.
#include "model_impl.h"

#include "pliant/math.h"

// of the edge between two vertices of an element, by its length at rest: what its change from q0 to
// q1 has beyond the foretold one, or the change itself when that is less; dof[.]: of the vertices
static double edge_stray(const pl_model *m, const double *X, const int *a, const int *b, int dim,
                         const double *q0, const double *q1, const double *foretold) {
  double length = 0, off = 0, change = 0;
  for (int c = 0; c < dim; c++) {
    int i = a[c], j = b[c];
    // none in the plane, or of ground
    if (i < 0 && j < 0) continue;
    if (i < 0 || j < 0) return 0;
    double di = q1[i] - q0[i], dj = q1[j] - q0[j];
    // drives are known
    double fi = m->free_index[i] < 0 ? di : foretold[i],
           fj = m->free_index[j] < 0 ? dj : foretold[j];
    length += (X[j] - X[i]) * (X[j] - X[i]);
    change += (dj - di) * (dj - di);
    off += (dj - di - fj + fi) * (dj - di - fj + fi);
  }
  return length > 0 ? sqrt(fmin(off, change) / length) : 0;
}

double pl_stray(const pl_model *m, const pl_params *p, const double *q0, const double *q1,
                const double *foretold, int *group_no, int *elem) {
  double most = 0;
  for (int k = 0; k < m->ngroup; k++) {
    const group *g = &m->group[k];
    int n = g->kind->nvert, dim = g->kind->vdim;
    if (!g->kind->d.mass || n < 2) continue;
    for (int e = 0; e < g->nelem; e++) {
      const int *dof = g->dof + e * g->kind->ndof;
      for (int a = 0; a < n; a++) {
        int b = (a + 1) % n;
        double far = edge_stray(m, p->X, dof + a * dim, dof + b * dim, dim, q0, q1, foretold);
        if (far <= most) continue;
        most = far;
        if (group_no) *group_no = k;
        if (elem) *elem = e;
      }
    }
  }
  return most;
}
