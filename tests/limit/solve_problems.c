// Reads problems of projection from standard input, as numbers in the order below, solves them and
// writes what it found; cvxopt_check.py makes them and compares.
#include "pliant/limit.h"

#include <stdio.h>
#include <stdlib.h>

static double number(void) {
  double v;
  if (scanf("%lf", &v) != 1) exit(2);
  return v;
}

static double *numbers(int n) {
  double *v = calloc((size_t)n + 1, sizeof *v);
  for (int i = 0; i < n; i++) v[i] = number();
  return v;
}

static int *integers(int n) {
  int *v = calloc((size_t)n + 1, sizeof *v);
  for (int i = 0; i < n; i++) v[i] = (int)number();
  return v;
}

static void read_limit(pl_limit *l) {
  l->nellipse = (int)number();
  l->B = (const double(*)[3])numbers(3 * l->nellipse);
  l->ndirection = (int)number();
  l->angle = numbers(l->ndirection);
  l->bound = numbers(l->ndirection);
}

static void read_barrier(pl_contact_row *b) {
  *b = (pl_contact_row){.n = (int)number()};
  for (int i = 0; i < b->n; i++) b->vert[i] = (int)number();
  for (int i = 0; i < b->n; i++) b->weight[i] = number();
  for (int i = 0; i < 9; i++) b->frame[i / 3][i % 3] = number();
  b->offset = number();
  for (int i = 0; i < 3; i++) b->from[i] = number();
  b->mu = number();
  b->give = number();
}

// status, reason, iterations, objective, bound, distance, violation, x, forces of barriers
static void solve(pl_env *env, const pl_sheet_desc *d, const double *xhat, double tol, int nbarrier,
                  pl_contact_row *barrier) {
  double *x = calloc(3 * (size_t)d->nvert, sizeof *x);
  pl_project_opts o;
  pl_project_info info = {0};
  pl_sheet *s = NULL;
  pl_opts_default(pl_project_option_table, pl_project_option_count, &o);
  o.gap = o.violation = tol;
  pl_status status = pl_sheet_create(env, d, 1, &s);
  if (status == PL_OK) status = pl_project(&o, s, xhat, nbarrier, barrier, NULL, x, &info);
  if (status < 0) fprintf(stderr, "%s\n", env->error.text);
  printf("%d %d %d %.17g %.17g %.17g %.17g\n", status, (int)info.reason, info.iterations,
         info.objective, info.bound, info.distance, info.violation);
  for (int i = 0; i < 3 * d->nvert; i++) printf("%.17g ", x[i]);
  for (int k = 0; k < nbarrier; k++)
    for (int i = 0; i < 3; i++) printf("%.17g ", barrier[k].force[i]);
  printf("\n");
  pl_sheet_free(s);
  free(x);
}

static void problem(pl_env *env) {
  pl_sheet_desc d = {.nvert = (int)number()};
  d.ntri = (int)number();
  d.nlimit = (int)number();
  int nbarrier = (int)number();
  double tol = number();
  d.tri = integers(3 * d.ntri);
  d.rest = numbers(6 * d.ntri);
  d.limit_of = integers(d.ntri);
  d.weight = numbers(d.nvert);
  d.fixed = integers(d.nvert);
  double *xhat = numbers(3 * d.nvert);
  pl_limit *limit = calloc((size_t)d.nlimit + 1, sizeof *limit);
  pl_contact_row *barrier = calloc((size_t)nbarrier + 1, sizeof *barrier);
  for (int k = 0; k < d.nlimit; k++) read_limit(&limit[k]);
  for (int k = 0; k < nbarrier; k++) read_barrier(&barrier[k]);
  d.limit = limit;
  solve(env, &d, xhat, tol, nbarrier, barrier);
  for (int k = 0; k < d.nlimit; k++) {
    free((void *)limit[k].B);
    free((void *)limit[k].angle);
    free((void *)limit[k].bound);
  }
  free((void *)d.tri);
  free((void *)d.rest);
  free((void *)d.limit_of);
  free((void *)d.weight);
  free((void *)d.fixed);
  free(xhat);
  free(limit);
  free(barrier);
}

int main(void) {
  pl_env env;
  pl_env_init(&env);
  for (int n = (int)number(); n > 0; n--) problem(&env);
  return 0;
}
