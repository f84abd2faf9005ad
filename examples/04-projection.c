// A sheet that is stretched too far, and the nearest state in which it is not: mesh, limits of
// stretch, projection, and what its certificate says.
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

static const double side = 0.5, surface = 0.1; // m, kg/m^2
enum { CELLS = 20 };

// a third of the mass of every triangle to each of its corners, kg
static void share_mass(int ntri, const int *tri, const double *rest, double *weight) {
  for (int t = 0; t < ntri; t++) {
    const double *r = rest + 6 * t;
    double area = fabs((r[2] - r[0]) * (r[5] - r[1]) - (r[4] - r[0]) * (r[3] - r[1])) / 2;
    for (int a = 0; a < 3; a++) weight[tri[3 * t + a]] += surface * area / 3;
  }
}

// largest extent along an axis, m
static double extent(int nvert, const double *x, int axis) {
  double lo = INFINITY, hi = -INFINITY;
  for (int v = 0; v < nvert; v++) {
    lo = fmin(lo, x[3 * v + axis]);
    hi = fmax(hi, x[3 * v + axis]);
  }
  return hi - lo;
}

static void show(const pl_sheet *sheet, const double *xhat, const double *x,
                 const pl_project_info *info) {
  int n = pl_sheet_nvert(sheet);
  double gap = (info->objective - info->bound) / info->objective;
  printf("before      %.6f of the limit\n", 1 + pl_sheet_violation(sheet, xhat, NULL));
  printf("after       %.6f of the limit, %d of %d triangles there\n", 1 + info->violation,
         info->nactive, pl_sheet_ntri(sheet));
  printf("width       %.6f m\n", extent(n, x, 0));
  printf("height      %.6f m\n", extent(n, x, 1));
  // no state within the limits is nearer than the bound: the true projection is this close
  printf("objective   %.6e kg m^2, at least %.6e\n", info->objective, info->bound);
  printf("certified   %d (gap %.1e)\n", gap <= 1e-6, gap);
  printf("rms         %.3f um at most from the true projection\n", 1e6 * info->rms);
  printf("momentum    %.1e kg m\n", pl_norm3(info->momentum));
  printf("stopped     %s after %d iterations\n", pl_project_stop_text(info->reason),
         info->iterations);
}

static pl_status project(pl_env *env, const pl_mesh *mesh) {
  int nvert = mesh->nvert, ntri = mesh->cell[PL_TRI3].n;
  const int *tri = mesh->cell[PL_TRI3].v;
  pl_project_opts opts;
  pl_opts_default(pl_project_option_table, pl_project_option_count, &opts);
  pl_project_info info;
  pl_sheet *sheet = NULL;
  double *rest = pl_alloc(env, 6 * (size_t)ntri, sizeof *rest);
  double *weight = pl_alloc(env, (size_t)nvert, sizeof *weight);
  double *xhat = pl_alloc(env, 3 * (size_t)nvert, sizeof *xhat);
  double *x = pl_alloc(env, 3 * (size_t)nvert, sizeof *x);
  pl_status s = rest && weight && xhat && x ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    // the warp is along x: 1 % at most; the weft gives 10 %
    double B[1][3];
    pl_limit_ellipse(1.01, 1.10, 0, B[0]);
    const pl_limit limit = {.nellipse = 1, .B = (const double(*)[3])B};
    pl_sheet_flatten(ntri, tri, mesh->X, (const double[3]){1, 0, 0}, rest);
    share_mass(ntri, tri, rest, weight);
    const pl_sheet_desc desc = {.nvert = nvert,
                                .ntri = ntri,
                                .tri = tri,
                                .rest = rest,
                                .weight = weight,
                                .nlimit = 1,
                                .limit = &limit};
    s = pl_sheet_create(env, &desc, 1, &sheet);
  }
  if (s == PL_OK) {
    // 30 % too long in all directions; free as it is, it ends evenly at both limits
    for (int i = 0; i < 3 * nvert; i++) xhat[i] = 1.3 * mesh->X[i];
    s = pl_project(&opts, sheet, xhat, 0, NULL, NULL, x, &info);
  }
  if (s == PL_OK) show(sheet, xhat, x, &info);
  pl_sheet_free(sheet);
  pl_free(env, rest);
  pl_free(env, weight);
  pl_free(env, xhat);
  pl_free(env, x);
  return s;
}

int main(void) {
  pl_env env;
  pl_env_init(&env);
  pl_mesh *mesh = NULL;
  pl_status s = pl_gen_grid(&env, CELLS, CELLS, side, side, PL_ALTERNATING, &mesh);
  if (s == PL_OK) s = project(&env, mesh);
  pl_mesh_free(mesh);
  if (s != PL_OK) {
    fprintf(stderr, "%s: %s\n", pl_status_text(s), env.error.text);
    return 1;
  }
  return 0;
}

/* TEST
command: 04-projection
before: 1.287129 +- 1e-6
after: 1 +- 1e-6
width: 0.505 +- 1e-5
height: 0.55 +- 1e-5
certified: 1
momentum: 0 +- 1e-12
*/
