#include "solve_impl.h"

#include <stdio.h>

static const double LARGE = 1e5; // entries of a factor that solves take time with

int ticker_due(ticker *t) {
  if (!t->env->progress) return 0;
  double now = pl_wall_time();
  if (t->last > 0 && now - t->last < 0.05) return 0;
  t->last = now;
  return 1;
}

pl_status ticker_progress(ticker *t, double done, const char *text) {
  return pl_report_progress(t->env, t->what, done, text);
}

pl_status factor_solve(pl_env *env, pl_factor *f, int nrhs, const double *b, double *x) {
  if (pl_factor_stats(f).nnz > LARGE) PL_TRY(pl_report_progress(env, NULL, -1, NULL));
  return pl_factor_solve(f, nrhs, b, x);
}

void gather_free(const pl_model *m, const double *full, double *out) {
  const int *dof = pl_model_free_dofs(m);
  int n = pl_model_nfree(m);
  for (int i = 0; i < n; i++) out[i] = full[dof[i]];
}

double model_extent(const pl_model *m, const double *q) {
  int dim = pl_model_dim(m), nnode = pl_model_nnode(m);
  double extent = 0;
  for (int c = 0; c < dim && nnode > 0; c++) {
    double lo = q[c], hi = q[c];
    for (int i = 1; i < nnode; i++) {
      lo = fmin(lo, q[i * dim + c]);
      hi = fmax(hi, q[i * dim + c]);
    }
    extent = fmax(extent, hi - lo);
  }
  return extent;
}

const char *unknown_name(const pl_model *m, int dof, char out[PLACE_TEXT]) {
  int dim = pl_model_dim(m);
  static const char *const axis[] = {" in x", " in y", " in z"};
  if (dof >= pl_model_nnode(m) * dim) {
    snprintf(out, PLACE_TEXT, "unknown %d", dof);
    return out;
  }
  const char *name = pl_model_node_name(m, dof / dim), *in = dim > 1 ? axis[dof % dim] : "";
  if (name)
    snprintf(out, PLACE_TEXT, "node '%.48s'%s", name, in);
  else
    snprintf(out, PLACE_TEXT, "node %d%s", dof / dim, in);
  return out;
}

// sizes of places and of scalar unknowns, which are angles and the like
static void unknown_sizes(const pl_model *m, const double *q, double size[2]) {
  int places = pl_model_nnode(m) * pl_model_dim(m);
  size[0] = pl_max_abs(places, q);
  size[1] = fmax(1, pl_max_abs(pl_model_nq(m) - places, q + places));
}

int is_negligible(const pl_model *m, const double *q, const double *d) {
  const int *dof = pl_model_free_dofs(m);
  int n = pl_model_nfree(m), places = pl_model_nnode(m) * pl_model_dim(m);
  double size[2];
  unknown_sizes(m, q, size);
  for (int i = 0; i < n; i++)
    if (fabs(d[i]) > 4 * DBL_EPSILON * size[dof[i] >= places]) return 0;
  return 1;
}

int at_rounding(const pl_model *m, const pl_csc *A, const double *q, const double *g, double *sum) {
  const int *dof = pl_model_free_dofs(m);
  int n = pl_model_nfree(m), places = pl_model_nnode(m) * pl_model_dim(m);
  double size[2];
  unknown_sizes(m, q, size);
  for (int i = 0; i < n; i++) sum[i] = 0;
  for (pl_entry e = {.k = -1}; pl_csc_next(A, &e);) {
    double a = fabs(A->val[e.k]);
    sum[e.i] += a * size[dof[e.j] >= places];
    if (e.i != e.j) sum[e.j] += a * size[dof[e.i] >= places];
  }
  for (int i = 0; i < n; i++)
    if (fabs(g[i]) > 16 * DBL_EPSILON * sum[i]) return 0;
  return 1;
}

double abs_form(const pl_csc *A, const double *x) {
  double s = 0;
  for (pl_entry e = {.k = -1}; pl_csc_next(A, &e);) {
    double a = fabs(A->val[e.k] * x[e.i] * x[e.j]);
    s += A->sym && e.i != e.j ? 2 * a : a;
  }
  return s;
}

pl_status fail_domain(const pl_model *m, const pl_work *w, const char *what) {
  const char *hint = "start from a state without inverted or zero-length elements";
  if (w->bad_group < 0 || w->bad_group >= pl_model_ngroup(m))
    return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, hint,
                      "%s: the start is not a number somewhere", what);
  const char *name = pl_model_group_name(m, w->bad_group);
  return pl_fail_at(w->env, PL_E_INPUT, NULL, 0, 0, hint,
                    "%s: element %d of group '%s' is outside its domain at the start", what,
                    w->bad_elem, name ? name : "");
}
