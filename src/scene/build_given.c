// Meshes that a program gives as arrays, and objectives that it gives as functions.
#include "build_body.h"
#include "build_design.h"

#include <stdio.h>
#include <string.h>

// what is given under a name, as a mesh or as an objective; NULL: reported
static const pl_scene_given *find_given(reader *r, const txt *name, int mesh) {
  const pl_scene_limits *l = &r->limit;
  const char *names[32], *what = mesh ? "mesh" : "objective";
  char hint[PL_TEXT];
  int n = 0;
  for (int k = 0; k < l->ngiven; k++) {
    if (!(mesh ? (void *)l->given[k].mesh : (void *)l->given[k].objective)) continue;
    if (strcmp(l->given[k].name, name->s) == 0) return &l->given[k];
    if (n < COUNT(names)) names[n++] = l->given[k].name;
  }
  if (n > 0)
    pl_name_hint(name->s, n, names, hint, sizeof hint);
  else if (mesh)
    snprintf(hint, sizeof hint,
             "in Python: pliant.open(..., meshes={'%.60s': pliant.Mesh(points, triangles)}); the "
             "command takes files: mesh: FILE",
             name->s);
  else
    snprintf(hint, sizeof hint,
             "in Python: pliant.open(..., objectives={'%.60s': pliant.Objective(function)})",
             name->s);
  problem(r, name->at, hint, "no %s was given under the name '%.60s'", what, name->s);
  return NULL;
}

// numbers of vertices, which everything after relies on
static int check_given(reader *r, const txt *name, const pl_mesh *m) {
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    const pl_cells *c = &m->cell[t];
    size_t per = (size_t)pl_cell_nvert[t];
    for (size_t i = 0; i < (size_t)c->n * per; i++) {
      if (c->v[i] >= 0 && c->v[i] < m->nvert) continue;
      problem(r, name->at, "vertices are counted from 0",
              "given mesh '%.60s': %s %zu has vertex %d, there are %d", name->s, pl_cell_name[t],
              i / per, c->v[i], m->nvert);
      return 0;
    }
  }
  return 1;
}

int take_given(reader *r, const geometry_def *g, const txt *name, pl_mesh **out) {
  double factor = r->scale.base[1];
  const pl_scene_given *given = find_given(r, name, 1);
  if (!given) return 0;
  if (g->mesh_units.at && !read_length_unit(r, &g->mesh_units, "mesh_units", &factor)) return 0;
  pl_mesh view = *given->mesh;
  view.env = r->env;
  if (!check_count(r, g->mesh, view.nvert) || !worked(r, pl_mesh_copy(&view, out))) return 0;
  if (!check_given(r, name, *out)) return 0;
  if (factor != 1) pl_mesh_transform(*out, factor, NULL, NULL);
  return 1;
}

int take_given_objective(reader *r, const txt *name, pl_objective *o) {
  const pl_scene_given *given = find_given(r, name, 0);
  if (!given) return 0;
  o->kind = given->objective;
  o->data = given->data;
  return 1;
}
