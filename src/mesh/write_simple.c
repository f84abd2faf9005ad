#include "mesh_impl.h"

#include "pliant/math.h"

#include <limits.h>
#include <string.h>

// ---- what flat formats can hold ---------------------------------------------------------------

// the mesh without solids: their boundary faces become triangles, inner vertices go
static pl_status shell_sets(const pl_mesh *m, pl_mesh *c, int ntri, const int *cell) {
  int offset = 0;
  int *list = pl_alloc(m->env, (size_t)ntri, sizeof *list);
  char *in = pl_alloc(m->env, (size_t)mesh_ncell(m), 1);
  pl_status s = list && in ? PL_OK : PL_E_NOMEM;
  for (int t = 0; t < PL_CELL_COUNT && s == PL_OK; offset += m->cell[t++].n)
    for (int k = 0; k < m->nset && s == PL_OK; k++) {
      const pl_set *set = &m->set[k];
      if (set->type != t || t == PL_SEG2) continue;
      int n = 0;
      for (int i = 0; i < set->n; i++) in[offset + set->index[i]] = 1;
      for (int i = 0; i < ntri; i++)
        if (in[cell[i]]) list[n++] = i;
      for (int i = 0; i < set->n; i++) in[offset + set->index[i]] = 0;
      s = pl_mesh_add_set(c, set->name, PL_TRI3, n, list);
    }
  pl_free(m->env, list);
  pl_free(m->env, in);
  return s;
}

static pl_status shell_fill(const pl_mesh *m, pl_mesh *c, int ntri, const int *tri,
                            const int *cell) {
  memcpy(c->X, m->X, (size_t)m->nvert * 3 * sizeof *m->X);
  int nseg = m->cell[PL_SEG2].n;
  PL_TRY(pl_mesh_set_cells(c, PL_SEG2, nseg));
  if (nseg > 0) memcpy(c->cell[PL_SEG2].v, m->cell[PL_SEG2].v, (size_t)nseg * 2 * sizeof(int));
  PL_TRY(pl_mesh_set_cells(c, PL_TRI3, ntri));
  if (ntri > 0) memcpy(c->cell[PL_TRI3].v, tri, (size_t)ntri * 3 * sizeof(int));
  for (int k = 0; k < m->nset; k++)
    if (m->set[k].type == PL_SEG2)
      PL_TRY(pl_mesh_add_set(c, m->set[k].name, PL_SEG2, m->set[k].n, m->set[k].index));
  PL_TRY(shell_sets(m, c, ntri, cell));
  return pl_mesh_drop_unused(c, NULL);
}

static pl_status shell_of(const pl_mesh *m, pl_mesh **out) {
  int ntri, *tri, *cell;
  *out = NULL;
  PL_TRY(pl_mesh_surface(m, &ntri, &tri, &cell));
  pl_mesh *c = NULL;
  pl_status s = pl_mesh_create(m->env, m->source, m->nvert, &c);
  if (s == PL_OK) s = shell_fill(m, c, ntri, tri, cell);
  pl_free(m->env, tri);
  pl_free(m->env, cell);
  if (s == PL_OK)
    *out = c;
  else
    pl_mesh_free(c);
  return s;
}

// calls put with the mesh, or with its shell when it has solids, and writes the text
static pl_status write_flat(const pl_mesh *m, const char *path,
                            pl_status (*put)(const pl_mesh *m, pl_text *t)) {
  PL_TRY(mesh_check_indices(m));
  pl_mesh *c = NULL;
  if (m->cell[PL_TET4].n + m->cell[PL_HEX8].n > 0) PL_TRY(shell_of(m, &c));
  pl_text t;
  pl_text_init(&t, m->env);
  pl_status s = put(c ? c : m, &t);
  if (s == PL_OK && t.failed) s = PL_E_NOMEM;
  if (s == PL_OK) s = pl_file_write(m->env, path, t.s, t.n);
  pl_text_free(&t);
  pl_mesh_free(c);
  return s;
}

// ---- OBJ --------------------------------------------------------------------------------------

// sets of each cell of one type: set[first[i] .. first[i + 1]) hold cell i
typedef struct members {
  size_t *first;
  int *set;
} members;

static pl_status find_members(const pl_mesh *m, int type, members *b) {
  size_t n = (size_t)m->cell[type].n;
  b->first = pl_alloc(m->env, n + 2, sizeof *b->first);
  if (!b->first) return PL_E_NOMEM;
  for (int k = 0; k < m->nset; k++)
    for (int i = 0; m->set[k].type == type && i < m->set[k].n; i++)
      b->first[m->set[k].index[i] + 2]++;
  for (size_t i = 2; i < n + 2; i++) b->first[i] += b->first[i - 1];
  b->set = pl_alloc(m->env, b->first[n + 1], sizeof *b->set);
  if (!b->set) return PL_E_NOMEM;
  for (int k = 0; k < m->nset; k++)
    for (int i = 0; m->set[k].type == type && i < m->set[k].n; i++)
      b->set[b->first[m->set[k].index[i] + 1]++] = k;
  return PL_OK;
}

// a g line names all sets of a cell; blanks in names would end them
static void put_group(const pl_mesh *m, const members *b, int i, pl_text *t) {
  pl_text_add(t, "g");
  for (size_t k = b->first[i]; k < b->first[i + 1]; k++) {
    pl_text_add(t, " ");
    for (const char *s = m->set[b->set[k]].name; *s; s++)
      pl_text_put(t, (unsigned char)*s <= ' ' ? "_" : s, 1);
  }
  pl_text_add(t, "\n");
}

static int same_sets(const members *b, int i, int j) {
  size_t n = b->first[i + 1] - b->first[i];
  return n == b->first[j + 1] - b->first[j] &&
         memcmp(b->set + b->first[i], b->set + b->first[j], n * sizeof *b->set) == 0;
}

static pl_status put_obj_cells(const pl_mesh *m, int type, int *open, pl_text *t) {
  members b = {0};
  pl_status s = find_members(m, type, &b);
  for (int i = 0; s == PL_OK && i < m->cell[type].n; i++) {
    // a group line where the sets change, and no line while there are none
    int any = b.first[i + 1] > b.first[i];
    if (i > 0 ? !same_sets(&b, i - 1, i) : any || *open) put_group(m, &b, i, t);
    *open = any;
    pl_text_add(t, type == PL_SEG2 ? "l" : "f");
    for (int k = 0; k < pl_cell_nvert[type]; k++)
      pl_text_add(t, " %d", m->cell[type].v[pl_cell_nvert[type] * i + k] + 1);
    pl_text_add(t, "\n");
  }
  pl_free(m->env, b.first);
  pl_free(m->env, b.set);
  return s;
}

static pl_status put_obj(const pl_mesh *m, pl_text *t) {
  for (int i = 0; i < m->nvert; i++)
    pl_text_add(t, "v %.17g %.17g %.17g\n", m->X[3 * i], m->X[3 * i + 1], m->X[3 * i + 2]);
  int open = 0;
  for (int type = PL_SEG2; type <= PL_QUAD4; type++) PL_TRY(put_obj_cells(m, type, &open, t));
  return PL_OK;
}

pl_status pl_mesh_write_obj(const pl_mesh *m, const char *path) {
  return write_flat(m, path, put_obj);
}

// ---- binary numbers, little endian ------------------------------------------------------------

void mesh_put_u32(pl_text *t, uint32_t v) {
  char b[4] = {(char)(v & 255), (char)(v >> 8 & 255), (char)(v >> 16 & 255), (char)(v >> 24)};
  pl_text_put(t, b, sizeof b);
}

void mesh_put_f32(pl_text *t, double x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  mesh_put_u32(t, bits);
}

static void put_f64(pl_text *t, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  mesh_put_u32(t, (uint32_t)bits);
  mesh_put_u32(t, (uint32_t)(bits >> 32));
}

// ---- STL --------------------------------------------------------------------------------------

pl_status pl_mesh_write_stl(const pl_mesh *m, const char *path) {
  int ntri, *tri;
  PL_TRY(pl_mesh_surface(m, &ntri, &tri, NULL));
  if (ntri == 0) {
    pl_free(m->env, tri);
    return pl_fail_at(m->env, PL_E_INPUT, path, 0, 0, "write OBJ, PLY or VTU instead",
                      "STL holds triangles only and the mesh has none");
  }
  pl_text t;
  pl_text_init(&t, m->env);
  pl_text_add(&t, "%-80s", "binary STL by pliant");
  mesh_put_u32(&t, (uint32_t)ntri);
  for (int i = 0; i < ntri; i++) {
    const double *x[3];
    double e[3], f[3], n[3];
    for (int k = 0; k < 3; k++) x[k] = m->X + 3 * tri[3 * i + k];
    pl_sub3(x[1], x[0], e);
    pl_sub3(x[2], x[0], f);
    pl_cross3(e, f, n);
    double norm = pl_norm3(n);
    for (int d = 0; d < 3; d++) mesh_put_f32(&t, norm > 0 ? n[d] / norm : 0);
    for (int k = 0; k < 9; k++) mesh_put_f32(&t, x[k / 3][k % 3]);
    pl_text_put(&t, "\0", 2);
  }
  pl_status s = t.failed ? PL_E_NOMEM : pl_file_write(m->env, path, t.s, t.n);
  pl_free(m->env, tri);
  pl_text_free(&t);
  return s;
}

// ---- PLY --------------------------------------------------------------------------------------

static pl_status put_ply(const pl_mesh *m, pl_text *t) {
  int nface = m->cell[PL_TRI3].n + m->cell[PL_QUAD4].n, nseg = m->cell[PL_SEG2].n;
  pl_text_add(t,
              "ply\nformat binary_little_endian 1.0\ncomment by pliant\nelement vertex %d\n"
              "property double x\nproperty double y\nproperty double z\n",
              m->nvert);
  pl_text_add(t, "element face %d\nproperty list uchar int vertex_indices\n", nface);
  if (nseg > 0)
    pl_text_add(t, "element edge %d\nproperty int vertex1\nproperty int vertex2\n", nseg);
  pl_text_add(t, "end_header\n");
  for (int i = 0; i < 3 * m->nvert; i++) put_f64(t, m->X[i]);
  for (int type = PL_TRI3; type <= PL_QUAD4; type++) {
    int nv = pl_cell_nvert[type];
    for (int i = 0; i < m->cell[type].n * nv; i++) {
      if (i % nv == 0) pl_text_put(t, &(char){(char)nv}, 1);
      mesh_put_u32(t, (uint32_t)m->cell[type].v[i]);
    }
  }
  for (int i = 0; i < 2 * nseg; i++) mesh_put_u32(t, (uint32_t)m->cell[PL_SEG2].v[i]);
  return PL_OK;
}

pl_status pl_mesh_write_ply(const pl_mesh *m, const char *path) {
  return write_flat(m, path, put_ply);
}
