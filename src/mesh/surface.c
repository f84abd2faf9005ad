#include "mesh_impl.h"

#include <limits.h>
#include <string.h>

// candidates for the surface: the mesh's own flat cells first, then the faces of its solids
typedef struct faces {
  int width;       // vertices of a face, 3 or 4
  int flat, solid; // cell types
  int nflat, nface, n;
  char *keep; // [n]
} faces;

static faces faces_of(const pl_mesh *m, int width) {
  faces f = {.width = width,
             .flat = width == 3 ? PL_TRI3 : PL_QUAD4,
             .solid = width == 3 ? PL_TET4 : PL_HEX8,
             .nface = width == 3 ? 4 : 6};
  f.nflat = m->cell[f.flat].n;
  return f;
}

// vertices of candidate i and the cell it belongs to
static int face_vertices(const pl_mesh *m, const faces *f, int i, int *v) {
  if (i < f->nflat) {
    memcpy(v, m->cell[f->flat].v + f->width * i, (size_t)f->width * sizeof *v);
    return i;
  }
  int c = (i - f->nflat) / f->nface, side = (i - f->nflat) % f->nface;
  const int *local = f->width == 3 ? mesh_tet_face[side] : mesh_hex_face[side];
  const int *cell = m->cell[f->solid].v + pl_cell_nvert[f->solid] * c;
  for (int k = 0; k < f->width; k++) v[k] = cell[local[k]];
  return c;
}

// order[a..b) are equal faces: one solid's face stays, two cancel, own cells stay without solids
static pl_status judge(const pl_mesh *m, faces *f, const int *order, int a, int b) {
  int nsolid = 0;
  for (int i = a; i < b; i++) nsolid += order[i] >= f->nflat;
  for (int i = a; i < b; i++)
    f->keep[order[i]] = nsolid == 0 || (nsolid == 1 && order[i] >= f->nflat);
  if (nsolid <= 2) return PL_OK;
  int v[4];
  int c = face_vertices(m, f, order[b - 1], v);
  return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "remove repeated or overlapping cells",
                    "a face of %s %d (vertices %d, %d, %d) belongs to %d cells",
                    pl_cell_name[f->solid], c + 1, v[0] + 1, v[1] + 1, v[2] + 1, nsolid);
}

static pl_status choose(const pl_mesh *m, faces *f, int *key, int *order, int *id) {
  f->keep = pl_alloc(m->env, (size_t)f->n, 1);
  if (!f->keep || !key || !order || !id) return PL_E_NOMEM;
  for (int i = 0; i < f->n; i++) {
    int *v = key + (size_t)i * (size_t)f->width;
    face_vertices(m, f, i, v);
    mesh_sort_row(f->width, v);
  }
  int ngroup;
  PL_TRY(mesh_group(m->env, m->nvert, f->width, f->n, key, order, id, &ngroup));
  for (int a = 0, b; a < f->n; a = b) {
    for (b = a + 1; b < f->n && id[order[b]] == id[order[a]];) b++;
    PL_TRY(judge(m, f, order, a, b));
  }
  return PL_OK;
}

// marks the faces that are on the surface
static pl_status find(const pl_mesh *m, faces *f) {
  long long n = f->nflat + (long long)f->nface * m->cell[f->solid].n;
  if (n > INT_MAX / 4) return pl_fail(m->env, PL_E_NOMEM, "%s: too many faces: %lld", m->source, n);
  f->n = (int)n;
  int *key = pl_alloc(m->env, (size_t)n, (size_t)f->width * sizeof *key);
  int *order = pl_alloc(m->env, (size_t)n, sizeof *order);
  int *id = pl_alloc(m->env, (size_t)n, sizeof *id);
  pl_status s = choose(m, f, key, order, id);
  pl_free(m->env, key);
  pl_free(m->env, order);
  pl_free(m->env, id);
  return s;
}

// writes the kept candidates first..last-1 as triangles from number at on; returns the next number
static int emit(const pl_mesh *m, const faces *f, int flat, int at, int *tri, int *cell) {
  int type = flat ? f->flat : f->solid, offset = 0;
  for (int t = 0; t < type; t++) offset += m->cell[t].n;
  for (int i = flat ? 0 : f->nflat; i < (flat ? f->nflat : f->n); i++) {
    if (!f->keep[i]) continue;
    int v[4], owner = offset + face_vertices(m, f, i, v), n = f->width - 2;
    if (n == 1)
      memcpy(tri + 3 * (size_t)at, v, 3 * sizeof *v);
    else
      mesh_split_quad(m->X, v, tri + 3 * (size_t)at);
    for (int k = 0; k < n && cell; k++) cell[at + k] = owner;
    at += n;
  }
  return at;
}

static pl_status collect(const pl_mesh *m, faces f[2], int *ntri, int **tri, int **cell) {
  long long n = 0;
  for (int w = 0; w < 2; w++) {
    PL_TRY(find(m, &f[w]));
    for (int i = 0; i < f[w].n; i++) n += f[w].keep[i] * (w + 1);
  }
  if (n > INT_MAX / 3)
    return pl_fail(m->env, PL_E_NOMEM, "%s: too many surface triangles: %lld", m->source, n);
  *tri = pl_alloc(m->env, (size_t)n, 3 * sizeof **tri);
  if (!*tri) return PL_E_NOMEM;
  if (cell) {
    *cell = pl_alloc(m->env, (size_t)n, sizeof **cell);
    if (!*cell) return PL_E_NOMEM;
  }
  int at = 0;
  for (int flat = 1; flat >= 0; flat--)
    for (int w = 0; w < 2; w++) at = emit(m, &f[w], flat, at, *tri, cell ? *cell : NULL);
  *ntri = at;
  return PL_OK;
}

pl_status pl_mesh_surface(const pl_mesh *m, int *ntri, int **tri, int **cell) {
  *ntri = 0;
  *tri = NULL;
  if (cell) *cell = NULL;
  PL_TRY(mesh_check_indices(m));
  faces f[2] = {faces_of(m, 3), faces_of(m, 4)};
  pl_status s = collect(m, f, ntri, tri, cell);
  for (int w = 0; w < 2; w++) pl_free(m->env, f[w].keep);
  if (s != PL_OK) {
    pl_free(m->env, *tri);
    *tri = NULL;
    if (cell) {
      pl_free(m->env, *cell);
      *cell = NULL;
    }
  }
  return s;
}
