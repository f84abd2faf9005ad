// A sheet that is stretched too far, and the nearest state in which it is not: mesh, limits of
// stretch, projection, and what its certificate says.
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

static const double side = 0.5, thickness = 5e-4, density = 200; // m, m, kg/m^3
enum { CELLS = 20 };

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

// the warp is along x: 1 % at most; the weft gives 10 %
static pl_status build(pl_env *env, pl_mesh *mesh, pl_built *out) {
  pl_builder *b;
  PL_TRY(pl_builder_create(env, 3, &b));
  int cloth = pl_build_body(b, &(pl_body_desc){.name = "cloth",
                                               .kind = PL_BODY_SHELL,
                                               .mesh = mesh,
                                               .young = {.v = 1800},
                                               .poisson = {.v = 0.41},
                                               .density = {.v = density},
                                               .thickness = {.v = thickness}});
  double B[1][3];
  pl_limit_ellipse(1.01, 1.10, 0, B[0]);
  const pl_limit limit = {.nellipse = 1, .B = (const double(*)[3])B};
  pl_build_limit(b, cloth, &limit, 0, NULL, NULL);
  return pl_build_all(b, 1, out);
}

static pl_status project(pl_env *env, const pl_mesh *mesh, pl_sheet *sheet) {
  pl_project_opts opts;
  pl_opts_default(pl_project_option_table, pl_project_option_count, &opts);
  pl_project_info info;
  double *xhat = pl_alloc(env, 3 * (size_t)mesh->nvert, sizeof *xhat);
  double *x = pl_alloc(env, 3 * (size_t)mesh->nvert, sizeof *x);
  pl_status s = xhat && x ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    // 30 % too long in all directions; free as it is, it ends evenly at both limits
    for (int i = 0; i < 3 * mesh->nvert; i++) xhat[i] = 1.3 * mesh->X[i];
    s = pl_project(&opts, sheet, xhat, 0, NULL, NULL, x, &info);
  }
  if (s == PL_OK) show(sheet, xhat, x, &info);
  pl_free(env, xhat);
  pl_free(env, x);
  return s;
}

int main(void) {
  pl_env env;
  pl_env_init(&env);
  pl_mesh *mesh = NULL;
  pl_built m = {0};
  pl_status s = pl_gen_grid(&env, CELLS, CELLS, side, side, PL_ALTERNATING, &mesh);
  if (s == PL_OK) s = build(&env, mesh, &m);
  if (s == PL_OK) s = project(&env, mesh, m.constraints.sheet);
  pl_built_free(&m);
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
