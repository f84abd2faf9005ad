// A steel cantilever of hexahedra: mesh generator, static deflection under its weight, natural
// frequencies; beside them what beam theory says.
#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>

static const double young = 200e9, density = 7850, g = 9.81;   // Pa, kg/m^3, m/s^2
static const double length = 0.2, width = 0.02, height = 0.01; // m
enum { MODES = 3 };

typedef struct figures {
  double sag; // m
  int stable;
  double hz[MODES];
} figures;

static pl_status analyse(pl_env *env, pl_mesh *mesh, figures *out) {
  pl_builder *b;
  int nleft, *left = NULL;
  PL_TRY(pl_builder_create(env, 3, &b));
  pl_build_body(b, &(pl_body_desc){.name = "beam",
                                   .kind = PL_BODY_SOLID,
                                   .mesh = mesh,
                                   .young = {.v = young},
                                   .density = {.v = density},
                                   .consistent = 1});
  // all nodes of the set `left` are held
  if (pl_mesh_set_vertices(mesh, "left", &nleft, &left) == PL_OK)
    pl_build_fix(b, nleft, left, PL_HOLD_NODES);
  pl_free(env, left);
  b->gravity[2] = -g;

  pl_static_opts static_opts;
  pl_opts_default(pl_static_option_table, pl_static_option_count, &static_opts);
  pl_modes_opts modes_opts = {.count = MODES};
  pl_static_info info;
  pl_modes_info modes_info;
  pl_built m;
  double *shape = NULL, omega[MODES];
  pl_status s = pl_build_all(b, 2, &m);
  if (s == PL_OK) {
    shape = pl_alloc(env, MODES, (size_t)pl_model_nq(m.model) * sizeof(double));
    if (!shape) s = PL_E_NOMEM;
  }
  // frequencies about rest, then the equilibrium
  if (s == PL_OK)
    s = pl_modes(&modes_opts, m.model, m.params, m.state, m.work, omega, shape, &modes_info);
  if (s == PL_OK)
    s = pl_static(&static_opts, m.model, m.params, m.state, m.work, NULL, NULL, &info);
  if (s == PL_OK) {
    const double tip[3] = {length, width / 2, height / 2};
    int node = pl_mesh_nearest_vertex(mesh, tip, 0, NULL);
    out->sag = mesh->X[3 * node + 2] - m.state->q[3 * node + 2];
    out->stable = info.stable;
    for (int j = 0; j < MODES; j++) out->hz[j] = omega[j] / (2 * PL_PI);
  }
  pl_free(env, shape);
  pl_built_free(&m);
  return s;
}

int main(void) {
  pl_env env;
  pl_env_init(&env);
  // full integration is too stiff in bending by about (cell length / height)^2 / 2: short cells
  const int cells[3] = {160, 1, 4};
  const double size[3] = {length, width, height};
  pl_mesh *mesh = NULL;
  figures f = {0};
  pl_status s = pl_gen_hex_box(&env, cells, size, &mesh);
  if (s == PL_OK) s = analyse(&env, mesh, &f);
  pl_mesh_free(mesh);
  if (s != PL_OK) {
    fprintf(stderr, "%s: %s\n", pl_status_text(s), env.error.text);
    return 1;
  }
  // Euler-Bernoulli: w = rho A g L^4 / (8 E I), f = 3.516 / (2 pi L^2) sqrt(E I / (rho A))
  double ratio = young * height * height / (12 * density); // E I / (rho A), m^4/s^2
  double first = 3.51602 / (2 * PL_PI * length * length) * sqrt(ratio);
  printf("sag         %.4f um (beam theory %.4f um)\n", 1e6 * f.sag,
         1e6 * g * pow(length, 4) / (8 * ratio));
  printf("stable      %d\n", f.stable);
  printf("mode1       %.4f Hz (beam theory %.4f Hz)\n", f.hz[0], first);
  printf("mode2       %.4f Hz (beam theory %.4f Hz, sideways)\n", f.hz[1], first * width / height);
  printf("mode3       %.4f Hz (beam theory %.4f Hz)\n", f.hz[2], first * 6.26689);
  return 0;
}

/* TEST
command: 02-cantilever
sag: 9.241 +- 0.1
stable: 1
mode1: 203.85 +- 1
mode2: 407.69 +- 4
mode3: 1277.5 +- 15
*/
