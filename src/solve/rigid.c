#include "solve_impl.h"

#include <stdio.h>
#include <string.h>

enum { LOOK = 12 }; // zero modes counted at most

pl_status identity_matrix(pl_env *env, int n, pl_csc *out) {
  int *at = pl_alloc(env, (size_t)n, sizeof *at);
  double *one = pl_alloc(env, (size_t)n, sizeof *one);
  pl_status s = at && one ? PL_OK : PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < n; i++) {
    at[i] = i;
    one[i] = 1;
  }
  if (s == PL_OK) s = pl_csc_from_triplets(env, n, 1, n, at, at, one, out);
  pl_free(env, at);
  pl_free(env, one);
  return s;
}

static int largest(int n, const double *x) {
  int at = 0;
  for (int i = 1; i < n; i++)
    if (fabs(x[i]) > fabs(x[at])) at = i;
  return at;
}

static void classify(const pl_model *m, const pl_csc *K, double floor_, int nfound,
                     const double *lambda, const double *x, zero_modes *z) {
  int n = K->n;
  *z = (zero_modes){.dof = -1};
  for (int k = 0; k < nfound; k++) {
    // x'x = 1, so lambda = x'Kx; rounding in K moves it by at most about eps x'|K|x
    double noise = 64 * DBL_EPSILON * abs_form(K, x + (size_t)k * n) + floor_;
    if (fabs(lambda[k]) <= noise) {
      if (z->count++ == 0) z->dof = pl_model_free_dofs(m)[largest(n, x + (size_t)k * n)];
    } else if (lambda[k] < 0)
      z->nneg++;
  }
  z->more = nfound > 0 && z->count + z->nneg == nfound && nfound < n;
}

pl_status zero_modes_find(const pl_model *m, pl_work *w, double residual, double extent, int nneg,
                          zero_modes *z) {
  int n = pl_model_nfree(m), nev = nneg + LOOK < n ? nneg + LOOK : n;
  *z = (zero_modes){.dof = -1};
  if (n == 0) return PL_OK;
  pl_csc unit = {0};
  double *lambda = pl_alloc(w->env, (size_t)nev, sizeof *lambda);
  size_t size;
  double *x = pl_mul_size((size_t)nev, (size_t)n, &size) ? NULL : pl_alloc(w->env, size, sizeof *x);
  pl_status s = lambda && x ? identity_matrix(w->env, n, &unit) : PL_E_NOMEM;
  pl_eigen_info info = {0};
  if (s == PL_OK)
    s = pl_eigen_lowest(w->env, &w->A, &unit, nev, pl_threads_size(w->threads), lambda, x, &info);
  // a turn of a body that is out of balance by r has a stiffness of about r / extent
  double floor_ = extent > 0 ? 4 * residual / extent : 0;
  if (s == PL_OK) classify(m, &w->A, floor_, info.nfound, lambda, x, z);
  pl_csc_free(w->env, &unit);
  pl_free(w->env, x);
  pl_free(w->env, lambda);
  return s;
}

pl_status zero_modes_fail(const pl_model *m, pl_env *env, const zero_modes *z) {
  char place[PLACE_TEXT];
  return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0,
                    "fix more nodes or directions, or let something stiff or heavy hold them",
                    "static: %s%d %s without stiffness (free to move or a mechanism); %s moves "
                    "most in the first",
                    z->more ? "at least " : "", z->count, z->count == 1 ? "mode" : "modes",
                    unknown_name(m, z->dof, place));
}
