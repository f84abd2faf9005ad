// Meshes that are given as arrays.
#include "facade_impl.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *const cell_word[PL_CELL_COUNT] = {
    [PL_SEG2] = "seg2",   [PL_TRI3] = "tri3",  [PL_QUAD4] = "quad4", [PL_TET4] = "tet4",
    [PL_HEX8] = "hex8",   [PL_SEG3] = "seg3",  [PL_TRI6] = "tri6",   [PL_QUAD8] = "quad8",
    [PL_TET10] = "tet10", [PL_HEX20] = "hex20"};

static given_thing *make(const char *name, const double *points, int n) {
  char source[PL_TEXT];
  given_thing *g = given_create(name);
  snprintf(source, sizeof source, "given mesh '%.100s'", name);
  if (!g || pl_mesh_create(&g->env, source, 0, &g->mesh) != PL_OK) {
    given_release(g);
    return NULL;
  }
  pl_free(&g->env, g->mesh->X);
  g->mesh->nvert = n;
  // only read: bodies take copies
  g->mesh->X = (double *)(uintptr_t)points;
  return g;
}

int pl_facade_mesh(const char *name, const double *points, int64_t npoint, int64_t *mesh) {
  *mesh = 0;
  if (!name || !name[0]) return fail(PL_FACADE_ARG, NULL, "a mesh needs a name");
  if (!points || npoint < 1 || npoint > INT_MAX / 3)
    return fail(PL_FACADE_ARG, NULL, "mesh '%.60s': 1 to %d points are wanted, not %lld", name,
                INT_MAX / 3, (long long)npoint);
  given_thing *g = make(name, points, (int)npoint);
  return g ? given_put(g, mesh) : fail(PL_FACADE_NOMEM, NULL, "out of memory");
}

// PL_CELL_COUNT: reported
static int cell_type(const char *name, const char *mesh) {
  char hint[PL_TEXT];
  for (int t = 0; name && t < PL_CELL_COUNT; t++)
    if (strcmp(cell_word[t], name) == 0) return t;
  pl_name_hint(name ? name : "", PL_CELL_COUNT, cell_word, hint, sizeof hint);
  fail(PL_FACADE_ARG, hint, "mesh '%.60s': there is no cell type '%.60s'", mesh, name ? name : "");
  return PL_CELL_COUNT;
}

static int add_cells(given_thing *g, const char *type, const int32_t *vertices, int64_t ncell,
                     int64_t k) {
  int t = cell_type(type, g->name);
  if (t == PL_CELL_COUNT) return PL_FACADE_ARG;
  if (k != pl_cell_nvert[t])
    return fail(PL_FACADE_ARG, NULL, "mesh '%.60s': a %s has %d vertices, not %lld", g->name, type,
                pl_cell_nvert[t], (long long)k);
  if (ncell < 0 || ncell > INT_MAX / k || (ncell > 0 && !vertices))
    return fail(PL_FACADE_ARG, NULL, "mesh '%.60s': 0 to %lld cells are wanted, not %lld", g->name,
                (long long)(INT_MAX / k), (long long)ncell);
  for (int64_t i = 0; i < ncell * k; i++)
    if (vertices[i] < 0 || vertices[i] >= g->mesh->nvert)
      return fail(PL_FACADE_ARG, "vertices are counted from 0",
                  "mesh '%.60s': %s %lld has vertex %d, there are %d", g->name, type,
                  (long long)(i / k), (int)vertices[i], g->mesh->nvert);
  g->mesh->cell[t].n = (int)ncell;
  g->mesh->cell[t].v = (int *)(uintptr_t)vertices;
  return PL_FACADE_OK;
}

// opened scenes share it
static int check_alone(const given_thing *g) {
  if (!g->mesh) return fail(PL_FACADE_KIND, NULL, "'%.60s' is no mesh", g->name);
  if (atomic_load(&g->users) == 1) return PL_FACADE_OK;
  return fail(PL_FACADE_BUSY, "make another mesh",
              "mesh '%.60s': scenes were opened with it already", g->name);
}

int pl_facade_mesh_cells(int64_t mesh, const char *type, const int32_t *vertices, int64_t ncell,
                         int64_t k) {
  object *o;
  int s = handle_take(mesh, OBJECT_GIVEN, 1, &o);
  if (s != PL_FACADE_OK) return s;
  given_thing *g = ((given_object *)o)->given;
  s = check_alone(g);
  if (s == PL_FACADE_OK) s = add_cells(g, type, vertices, ncell, k);
  handle_give(mesh);
  return s;
}

static int add_set(given_thing *g, const char *name, const char *type, const int32_t *index,
                   int64_t n) {
  int t = type && type[0] ? cell_type(type, g->name) : -1;
  if (t == PL_CELL_COUNT) return PL_FACADE_ARG;
  int most = t < 0 ? g->mesh->nvert : g->mesh->cell[t].n;
  if (!name || !name[0])
    return fail(PL_FACADE_ARG, NULL, "mesh '%.60s': a set needs a name", g->name);
  if (n < 1 || n > INT_MAX || !index)
    return fail(PL_FACADE_ARG, NULL, "mesh '%.60s': set '%.60s' is empty", g->name, name);
  for (int64_t i = 0; i < n; i++)
    if (index[i] < 0 || index[i] >= most)
      return fail(PL_FACADE_ARG, "they are counted from 0",
                  "mesh '%.60s': set '%.60s' has %s %d, there are %d", g->name, name,
                  t < 0 ? "vertex" : cell_word[t], (int)index[i], most);
  if (pl_mesh_add_set(g->mesh, name, t, (int)n, index) != PL_OK)
    return fail(g->env.error.status, g->env.error.hint, "%s", g->env.error.text);
  return PL_FACADE_OK;
}

int pl_facade_mesh_set(int64_t mesh, const char *name, const char *type, const int32_t *index,
                       int64_t n) {
  object *o;
  int s = handle_take(mesh, OBJECT_GIVEN, 1, &o);
  if (s != PL_FACADE_OK) return s;
  given_thing *g = ((given_object *)o)->given;
  s = check_alone(g);
  if (s == PL_FACADE_OK) s = add_set(g, name, type, index, n);
  handle_give(mesh);
  return s;
}
