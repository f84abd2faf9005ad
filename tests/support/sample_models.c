#include "sample_models.h"

#include "check.h"

#include <string.h>

// ---- models that between them hold every element kind -----------------------------------------

// a plane mechanism whose springs share joints, so that unknowns stand twice in one element
void sample_mechanism(model_kit *k, pl_env *env) {
  static const double X[] = {0, 0, 0.1, -0.6, 0.25, -1.1, 0.6, -1.15, 0.2, 0.3};
  static const int links[] = {0, 1, 1, 2, 2, 3}, angles[] = {0, 1, 2}, points[] = {1, 2, 3};
  static const int springs[] = {0, 1, 1, 2, 1, 2, 2, 3, 4, 4, 1, 2};
  static const double link_par[] = {1e3, 0.2}, angle_par[] = {3}, point_par[] = {0.1, 0.2, 0.3};
  static const double spring_init[] = {70, 0.3, 0.4,  0.5, 0.02, 0.8, 0, 16, 0.2, 0.1,  0.3,
                                       0,  0.4, 0.03, 25,  0.7,  0,   0, 0,  0.5, -0.02};
  static double spring_par[21];
  memcpy(spring_par, spring_init, sizeof spring_par);
  kit_init(k, env, 2);
  k->d.nnode = 5;
  k->d.X = X;
  kit_group(k, "links", "link", 3, links, 1, link_par);
  kit_group(k, "angles", "angle", 1, angles, 1, angle_par);
  kit_group(k, "springs", "spring", 3, springs, 0, spring_par);
  kit_group(k, "masses", "point", 3, points, 0, point_par);
  static const pl_term hip[] = {
      {1, {0.02, 0.05, 0}, 0.3}, {3, {0.01, 0, 0}, 1.1}, {0, {0.01, 0, 0}, 0}};
  static const pl_term rot[] = {{1, {0.4, 0, 0}, 0.2}, {2, {0.1, 0, 0}, 0}};
  int zero = 0, four = 4;
  pl_drive_desc *d = kit_drive(k, 1, &zero);
  d->nterm = 3;
  d->term = hip;
  d = kit_drive(k, 1, &four);
  d->kind = PL_DRIVE_ROTATION;
  d->axis[2] = 2;
  d->centre[0] = 0.1;
  d->nterm = 2;
  d->term = rot;
  static const int loaded[] = {3, 2};
  k->load[k->d.nload++] =
      (pl_load_desc){.name = "push", .nnode = 2, .node = loaded, .term = {2, {0.3, -0.2, 0}, 0.7}};
  k->load[k->d.nload++] =
      (pl_load_desc){.name = "weight", .nnode = 1, .node = loaded, .term = {0, {0.1, 0.4, 0}, 0}};
  k->d.gravity[1] = -9.81;
  k->d.alpha = 0.5;
  k->d.beta = 0.01;
  kit_design(k, "alpha", 0, PL_PAR_ALPHA, 1, 0.5);
  kit_design(k, "beta", 0, PL_PAR_BETA, 1, 0.01);
  kit_design(k, "gravity", 0, PL_PAR_GRAVITY + 1, 2, 0);
  kit_design(k, "hip amplitude", 0, pl_par_drive(&k->d, 0, 0) + 1, 1, 0);
  kit_design(k, "hip phase", 0, pl_par_drive(&k->d, 0, 1) + 3, 1, 0);
  kit_design(k, "angle amplitude", 0, pl_par_drive(&k->d, 1, 0), 1, 0);
  kit_design(k, "angle phase", 0, pl_par_drive(&k->d, 1, 1) + 3, 1, 0);
  kit_design(k, "force", 0, pl_par_load(&k->d, 0), 1, 0);
  kit_design(k, "force phase", 0, pl_par_load(&k->d, 0) + 3, 1, 0);
  kit_design(k, "stiffness", 0, pl_par_group(&k->d, 2, 1), 3, 0);
  kit_design(k, "rest length", 0, pl_par_group(&k->d, 2, 0) + 1, 1, 0);
  kit_design(k, "attachment", 0, pl_par_group(&k->d, 2, 2) + 5, 1, 0);
  kit_design(k, "offset", 0, pl_par_group(&k->d, 2, 0) + 4, 1, 0);
  kit_design(k, "mass", 0, pl_par_group(&k->d, 3, 1), 1, 0);
  kit_design(k, "joint", 1, 2 * 2 + 1, 1, 0);
  kit_design(k, "driven joint", 1, 4 * 2, 1, 0);
}

// a tetrahedral block driven by rotation, with a hinge between faces and scalar elements on named
// unknowns
void sample_block(model_kit *k, pl_env *env, const char *kind) {
  static const int n[3] = {3, 2, 2};
  static const double l[3] = {0.5, 0.3, 0.2}, par[3] = {1e4, 0.3, 1200};
  static const int scalar[] = {-1, 3 * 20 + 1, 3 * 20 + 1, 3 * 25 + 2},
                   mono[] = {62, 70, -1, -1, -1, -1, -1, -1};
  static const double spring_par[] = {20, 30, 1e3, 0.5}, mono_par[] = {40, 2, 1, 0, 0, 0, 0, 0, 0};
  static const int pair[] = {61, 77}, lump[] = {50, 61};
  static const double pair_par[] = {5, 0.1, -0.1, 0.02}, lump_par[] = {0.3, 0.4};
  kit_init(k, env, 3);
  kit_box(k, kind, n, l, par);
  kit_group(k, "grounded", "spring1", 2, scalar, 1, spring_par);
  kit_group(k, "potential", "monomial", 1, mono, 1, mono_par);
  kit_group(k, "pair", "coupling", 1, pair, 1, pair_par);
  kit_group(k, "lumps", "mass1", 2, lump, 0, lump_par);
  const pl_set *left = pl_mesh_find_set(k->mesh, "left");
  static const pl_term rot[] = {{1, {0.3, 0, 0}, 0.2}};
  pl_drive_desc *d = kit_drive(k, left->n, left->index);
  d->kind = PL_DRIVE_ROTATION;
  d->axis[0] = 1;
  d->axis[1] = 2;
  d->nterm = 1;
  d->term = rot;
  k->d.gravity[2] = -9.81;
  k->d.alpha = 0.5;
  k->d.beta = 0.002;
  kit_design(k, "young", 0, pl_par_group(&k->d, 0, 0), 1e3, 0);
  kit_design(k, "poisson", 0, pl_par_group(&k->d, 0, 0) + 1, 1, 0);
  kit_design(k, "density", 0, pl_par_group(&k->d, 0, 0) + 2, 100, 0);
  kit_design(k, "cubic", 0, pl_par_group(&k->d, 1, 0) + 2, 100, 0);
  kit_design(k, "coefficient", 0, pl_par_group(&k->d, 2, 0), 1, 0);
  kit_design(k, "corner", 1, 3 * 20 + 1, 1, 0);
  kit_design(k, "driven corner", 1, 3 * left->index[1] + 2, 1, 0);
  kit_design(k, "amplitude", 0, pl_par_drive(&k->d, 0, 0), 1, 0);
}

void sample_shell(model_kit *k, pl_env *env) {
  static const double par[4] = {1e6, 0.3, 1000, 0.01};
  kit_init(k, env, 3);
  kit_grid(k, 5, 3, 0.5, 0.3, PL_ALTERNATING, par);
  kit_fix(k, "left");
  k->d.gravity[2] = -9.81;
  k->d.alpha = 0.1;
  k->d.beta = 0.003;
  kit_design(k, "thickness", 0, pl_par_group(&k->d, 0, 0) + 3, 0.01, 0);
  kit_design(k, "corner", 1, 3 * 10 + 2, 1, 0);
}

void sample_midedge(model_kit *k, pl_env *env) {
  static const double par[4] = {1e6, 0.3, 1000, 0.01};
  static const pl_term term = {.harmonic = 1, .amplitude = {0.3}, .phase = 0.4};
  kit_init(k, env, 3);
  check_ok(env, pl_gen_grid(env, 5, 3, 0.5, 0.3, PL_ALTERNATING, &k->mesh));
  int *clamp = kit_keep(k, k->mesh->nvert, sizeof *clamp);
  for (int i = 0; i < k->mesh->nvert; i++) {
    double *x = k->mesh->X + 3 * i;
    clamp[i] = x[0] < 1e-9 ? 0 : -1;
    x[2] = 0.2 * x[0] * x[0];
  }
  kit_shell(k, par, 1, clamp);
  k->drive[0].kind = PL_DRIVE_ROTATION;
  k->drive[0].axis[1] = 1;
  k->drive[0].nterm = 1;
  k->drive[0].term = &term;
  k->d.gravity[2] = -9.81;
  k->d.alpha = 0.1;
  k->d.beta = 0.003;
  kit_design(k, "thickness", 0, pl_par_group(&k->d, 1, 0) + 2, 0.01, 0);
  // not next to the clamp, where the copy would have to go along
  kit_design(k, "corner", 1, 3 * 10 + 2, 1, 0);
  kit_design(k, "angle", 0, pl_par_drive(&k->d, 0, 0), 1, 0);
}

void sample_rods(model_kit *k, pl_env *env) {
  static const double X[] = {0,    0,    0,   0.1, 0.01, 0,   0.2,  0.03, 0.02, 0.3, 0.03,
                             0.05, 0.35, 0.1, 0,   0.39, 0.2, 0.01, 0.3,  -0.1, 0.1};
  static const double angle[12] = {0.2, 0.1, -0.1, 0.3, 0.2, -0.4};
  // scalars come after 21 coordinates; the edge 6 3 leads towards the junction at 3
  enum { S = 21 };
  static const int edges[] = {0, 1, S,     1, 2, S + 1, 2, 3, S + 2,
                              3, 4, S + 3, 4, 5, S + 4, 6, 3, S + 5};
  static const int bends[] = {0, 1, 2, S, S + 1, 1, 2, 3, S + 1, S + 2, 3, 4, 5, S + 3, S + 4};
  static const int joints[] = {3,     2,     S + 2, S + 6, S + 7, S + 8, 3,      4,
                               S + 3, S + 6, S + 7, S + 8, 3,     6,     S + 5,  S + 6,
                               S + 7, S + 8, 6,     3,     S + 5, S + 9, S + 10, S + 11};
  static const double section[7] = {1e6, 0.3, 1100, 0.02, 0.012, 0.3, 1};
  static const int reversed[4] = {1, 0, 1, 0};
  double bend[11] = {0}, joint[4][11] = {{0}};
  memcpy(bend, section, sizeof section);
  bend[7] = 0.4, bend[8] = -0.3, bend[9] = 0.5;
  for (int i = 0; i < 4; i++) {
    memcpy(joint[i], section, sizeof section);
    joint[i][7] = reversed[i];
    joint[i][9] = 0.2;
  }
  kit_init(k, env, 3);
  k->d.nnode = 7;
  k->d.X = X;
  k->d.nextra = 12;
  k->d.extra = angle;
  kit_group(k, "edges", "rod_edge", 6, edges, 1, section);
  kit_group(k, "bends", "rod_bend", 3, bends, 1, bend);
  kit_group(k, "joints", "rod_joint", 4, joints, 0, joint[0]);
  static const pl_term rot[] = {{1, {0.5, 0, 0}, 0.4}, {2, {0.3, 0, 0}, 0}};
  static const int first[2] = {0, 1}, end = 6, theta = 0, vector[3] = {9, 10, 11};
  static const int whole[6] = {PL_SCALAR_VECTOR, 0, PL_SCALAR_VECTOR, 1, PL_SCALAR_VECTOR, 2};
  for (int i = 0; i < 2; i++) {
    pl_drive_desc *d = kit_drive(k, i ? 1 : 2, i ? &end : first);
    *d = (pl_drive_desc){.name = "turn",
                         .kind = PL_DRIVE_ROTATION,
                         .nnode = d->nnode,
                         .node = d->node,
                         .axis = {0.6, 0.3, 1},
                         .centre = {0.1, 0, 0.2},
                         .nterm = 2,
                         .term = rot,
                         .nscal = i ? 3 : 1,
                         .scal = i ? vector : &theta,
                         .edge = i ? whole : first};
  }
  k->d.gravity[2] = -9.81;
  k->d.alpha = 0.1;
  k->d.beta = 0.003;
  kit_design(k, "amplitude", 0, pl_par_drive(&k->d, 0, 0), 1, 0);
  kit_design(k, "phase", 0, pl_par_drive(&k->d, 0, 1) + 3, 1, 0);
  kit_design(k, "angle of the end", 0, pl_par_drive(&k->d, 1, 0), 1, 0);
  kit_design(k, "driven node", 1, 3 + 2, 1, 0);
  kit_design(k, "node", 1, 3 * 4 + 1, 1, 0);
  kit_design(k, "junction", 1, 3 * 3, 1, 0);
  kit_design(k, "driven angle", 1, S, 1, 0);
  kit_design(k, "angle", 1, S + 3, 1, 0);
  kit_design(k, "width", 0, pl_par_group(&k->d, 1, 0) + 3, 0.1, 0);
  kit_design(k, "hollow", 0, pl_par_group(&k->d, 0, 0) + 5, 1, 0);
  kit_design(k, "curvature", 0, pl_par_group(&k->d, 1, 0) + 7, 10, 0);
  kit_design(k, "young of a joint", 0, pl_par_group(&k->d, 2, 2), 1e5, 0);
}
