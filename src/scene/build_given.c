// Meshes that a program gives as arrays, objectives and loads that it gives as functions.
#include "build_body.h"
#include "build_design.h"
#include "faces.h"

#include <stdio.h>
#include <string.h>

enum { MESH, OBJECTIVE, LOAD };

static int is_a(const pl_scene_given *g, int what) {
  return what == MESH ? g->mesh != NULL : what == LOAD ? g->load != NULL : g->objective != NULL;
}

// what is given under a name; NULL: reported
static const pl_scene_given *find_given(reader *r, const txt *name, int what) {
  static const char *const word[] = {"mesh", "objective", "load"};
  static const char *const thing[] = {"meshes", "objectives", "loads"};
  static const char *const made[] = {"Mesh(points, triangles)", "Objective(function)",
                                     "Load(function)"};
  const pl_scene_limits *l = &r->limit;
  const char *names[32];
  char hint[PL_TEXT];
  int n = 0;
  for (int k = 0; k < l->ngiven; k++) {
    if (!is_a(&l->given[k], what)) continue;
    if (strcmp(l->given[k].name, name->s) == 0) return &l->given[k];
    if (n < COUNT(names)) names[n++] = l->given[k].name;
  }
  snprintf(hint, sizeof hint, "in Python: pliant.open(..., %s={'%.60s': pliant.%s})%s", thing[what],
           name->s, made[what], what == MESH ? "; the command takes files: mesh: FILE" : "");
  if (n > 0) pl_name_hint(name->s, n, names, hint, sizeof hint);
  problem(r, name->at, hint, "no %s was given under the name '%.60s'", word[what], name->s);
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
  const pl_scene_given *given = find_given(r, name, MESH);
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
  const pl_scene_given *given = find_given(r, name, OBJECTIVE);
  if (!given) return 0;
  o->kind = given->objective;
  o->data = given->data;
  return 1;
}

void add_given_load(reader *r, const load_def *d, int n, const int *node, int strength) {
  const pl_scene_given *given = find_given(r, &d->given, LOAD);
  int *stencil;
  if (!given) return;
  const char *name = d->name.s[0] ? d->name.s : given->name;
  int g = pl_build_group(r->b, name, &given->load[r->b->dim - 1], n, 1, 0, &stencil);
  if (g < 0) {
    r->failed = r->b->failed;
    return;
  }
  for (int i = 0; i < n; i++) {
    stencil[2 * i] = node[i];
    stencil[2 * i + 1] = strength;
  }
  pl_build_par(r->b, g, 0, given->load->par->name, &(pl_value){.v = given->par});
  note(r, "given", name, "on %d %s", n, pl_plural(n, "node", "nodes"));
}
