#include "mesh_impl.h"

#include <limits.h>
#include <string.h>

// candidates for the surface: the mesh's own flat cells first, then the faces of its solids; of
// each first order, then second
typedef struct faces {
  int width;    // corners of a face, 3 or 4
  int type[4];  // cell types: two flat, two solid
  int start[5]; // first candidate of each, and their count
  int nface, nflat, n;
  char *keep; // [n]
} faces;

static faces faces_of(const pl_mesh *m, int width) {
  faces f = {.width = width, .nface = width == 3 ? 4 : 6};
  static const int type[2][4] = {{PL_TRI3, PL_TRI6, PL_TET4, PL_TET10},
                                 {PL_QUAD4, PL_QUAD8, PL_HEX8, PL_HEX20}};
  memcpy(f.type, type[width - 3], sizeof f.type);
  f.nflat = m->cell[f.type[0]].n + m->cell[f.type[1]].n;
  return f;
}

// corners of candidate i, and behind them the vertices on its edges where the cell has those; the
// cell it belongs to, and which of the four types that is
static int face_vertices(const pl_mesh *m, const faces *f, int i, int *v, int *which) {
  int w = 0, nf = f->nface;
  while (i >= f->start[w + 1]) w++;
  int type = f->type[w], c = i - f->start[w], side = 0;
  if (which) *which = w;
  if (w >= 2) {
    side = c % nf;
    c /= nf;
  }
  const int *cell = m->cell[type].v + (size_t)pl_cell_nvert[type] * (size_t)c;
  if (w < 2) {
    memcpy(v, cell, (size_t)pl_cell_nvert[type] * sizeof *v);
    return c;
  }
  const int *local = f->width == 3 ? mesh_tet_face[side] : mesh_hex_face[side];
  for (int k = 0; k < f->width; k++) {
    v[k] = cell[local[k]];
    if (w == 3) v[f->width + k] = mesh_middle(type, cell, local[k], local[(k + 1) % f->width]);
  }
  return c;
}

// triangles that candidate i is cut into
static int face_triangles(const faces *f, int i) {
  int first = i < f->start[1] || (i >= f->start[2] && i < f->start[3]);
  return first ? f->width - 2 : f->width == 3 ? 4 : 6;
}

// order[a..b) are equal faces: one solid's face stays, two cancel, own cells stay without solids
static pl_status judge(const pl_mesh *m, faces *f, const int *order, int a, int b) {
  int nsolid = 0;
  for (int i = a; i < b; i++) nsolid += order[i] >= f->nflat;
  for (int i = a; i < b; i++)
    f->keep[order[i]] = nsolid == 0 || (nsolid == 1 && order[i] >= f->nflat);
  if (nsolid <= 2) return PL_OK;
  int v[8], which;
  int c = face_vertices(m, f, order[b - 1], v, &which);
  return pl_fail_at(m->env, PL_E_INPUT, m->source, 0, 0, "remove repeated or overlapping cells",
                    "a face of %s %d (vertices %d, %d, %d) belongs to %d cells",
                    pl_cell_name[f->type[which]], c + 1, v[0] + 1, v[1] + 1, v[2] + 1, nsolid);
}

static pl_status choose(const pl_mesh *m, faces *f, int *key, int *order, int *id) {
  f->keep = pl_alloc(m->env, (size_t)f->n, 1);
  if (!f->keep || !key || !order || !id) return PL_E_NOMEM;
  for (int i = 0; i < f->n; i++) {
    int v[8];
    face_vertices(m, f, i, v, NULL);
    mesh_sort_row(f->width, v);
    memcpy(key + (size_t)i * (size_t)f->width, v, (size_t)f->width * sizeof *v);
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
  long long n = f->nflat, solids = m->cell[f->type[2]].n + (long long)m->cell[f->type[3]].n;
  n += f->nface * solids;
  if (n > INT_MAX / 6) return pl_fail(m->env, PL_E_NOMEM, "%s: too many faces: %lld", m->source, n);
  f->n = (int)n;
  for (int w = 0; w < 4; w++)
    f->start[w + 1] = f->start[w] + m->cell[f->type[w]].n * (w < 2 ? 1 : f->nface);
  int *key = pl_alloc(m->env, (size_t)n, (size_t)f->width * sizeof *key);
  int *order = pl_alloc(m->env, (size_t)n, sizeof *order);
  int *id = pl_alloc(m->env, (size_t)n, sizeof *id);
  pl_status s = choose(m, f, key, order, id);
  pl_free(m->env, key);
  pl_free(m->env, order);
  pl_free(m->env, id);
  return s;
}

// writes the kept candidates of one of the four types as triangles from number at on; returns the
// next number
static int emit(const pl_mesh *m, const faces *f, int which, int at, int *tri, int *cell) {
  int offset = 0;
  for (int t = 0; t < f->type[which]; t++) offset += m->cell[t].n;
  for (int i = f->start[which]; i < f->start[which + 1]; i++) {
    if (!f->keep[i]) continue;
    int v[8], owner = offset + face_vertices(m, f, i, v, NULL), n = face_triangles(f, i);
    int *to = tri + 3 * (size_t)at;
    if (which % 2)
      mesh_face_pieces(f->type[which % 2], v, to);
    else if (n == 1)
      memcpy(to, v, 3 * sizeof *v);
    else
      mesh_split_quad(m->X, v, to);
    for (int k = 0; k < n && cell; k++) cell[at + k] = owner;
    at += n;
  }
  return at;
}

static pl_status collect(const pl_mesh *m, faces f[2], int *ntri, int **tri, int **cell) {
  long long n = 0;
  for (int w = 0; w < 2; w++) {
    PL_TRY(find(m, &f[w]));
    for (int i = 0; i < f[w].n; i++) n += f[w].keep[i] * face_triangles(&f[w], i);
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
  // flat ones first
  for (int solid = 0; solid < 4; solid += 2)
    for (int second = 0; second < 2; second++)
      for (int w = 0; w < 2; w++)
        at = emit(m, &f[w], solid + second, at, *tri, cell ? *cell : NULL);
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

// rows of `face` from number at on: how many vertices, corners first, then those on its edges
static int emit_faces(const pl_mesh *m, const faces *f, int which, int at, int *face) {
  for (int i = f->start[which]; i < f->start[which + 1]; i++) {
    if (!f->keep[i]) continue;
    int *to = face + PL_FACE_ROW * (size_t)at++;
    to[0] = which % 2 ? 2 * f->width : f->width;
    face_vertices(m, f, i, to + 1, NULL);
  }
  return at;
}

static pl_status collect_faces(const pl_mesh *m, faces f[2], int *nface, int **face) {
  int n = 0;
  for (int w = 0; w < 2; w++) {
    PL_TRY(find(m, &f[w]));
    for (int i = 0; i < f[w].n; i++) n += f[w].keep[i];
  }
  *face = pl_alloc(m->env, (size_t)n + 1, PL_FACE_ROW * sizeof **face);
  if (!*face) return PL_E_NOMEM;
  for (int w = 0; w < 2; w++)
    for (int which = 0; which < 4; which++) *nface = emit_faces(m, &f[w], which, *nface, *face);
  return PL_OK;
}

pl_status pl_mesh_faces(const pl_mesh *m, int *nface, int **face) {
  *nface = 0;
  *face = NULL;
  PL_TRY(mesh_check_indices(m));
  faces f[2] = {faces_of(m, 3), faces_of(m, 4)};
  pl_status s = collect_faces(m, f, nface, face);
  for (int w = 0; w < 2; w++) pl_free(m->env, f[w].keep);
  return s;
}
