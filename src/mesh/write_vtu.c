#include "grid_impl.h"
#include "mesh_impl.h"
#include "vtk_impl.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { VTU_BLOCK = 1 << 18 }; // bytes compressed at a time

typedef struct writer {
  pl_env *env;
  pl_text text;
  pl_threads *threads;
  unsigned char *packed; // [cap] compressed blocks of the array in hand, one every `bound` bytes
  size_t cap, bound;
} writer;

// ---- text and numbers -------------------------------------------------------------------------

static void put_base64(pl_text *t, const unsigned char *data, size_t n) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char quad[4 * 256];
  size_t fill = 0;
  for (size_t i = 0; i < n; i += 3) {
    unsigned bits = (unsigned)data[i] << 16;
    if (i + 1 < n) bits |= (unsigned)data[i + 1] << 8;
    if (i + 2 < n) bits |= (unsigned)data[i + 2];
    quad[fill++] = digit[bits >> 18 & 63];
    quad[fill++] = digit[bits >> 12 & 63];
    quad[fill++] = i + 1 < n ? digit[bits >> 6 & 63] : '=';
    quad[fill++] = i + 2 < n ? digit[bits & 63] : '=';
    if (fill == sizeof quad) {
      pl_text_put(t, quad, fill);
      fill = 0;
    }
  }
  pl_text_put(t, quad, fill);
}

static void put_escaped(pl_text *t, const char *s) {
  for (; *s; s++) {
    if (*s == '&')
      pl_text_add(t, "&amp;");
    else if (*s == '<')
      pl_text_add(t, "&lt;");
    else if (*s == '>')
      pl_text_add(t, "&gt;");
    else if (*s == '"')
      pl_text_add(t, "&quot;");
    else if ((unsigned char)*s < ' ')
      pl_text_add(t, "_"); // control characters have no place in XML
    else
      pl_text_put(t, s, 1);
  }
}

static const char *byte_order(void) {
  const unsigned short one = 1;
  return *(const unsigned char *)&one ? "LittleEndian" : "BigEndian";
}

// ---- arrays -----------------------------------------------------------------------------------

// an array on its way into blocks; head: count of blocks, size of a block, of a last partial one,
// then sizes as compressed
typedef struct packing {
  writer *w;
  const unsigned char *data;
  size_t size;
  uint64_t *head;
} packing;

static void pack_block(void *ctx, int k, int thread) {
  const packing *p = ctx;
  size_t at = (size_t)k * VTU_BLOCK, left = p->size - at;
  uLongf got = (uLongf)p->w->bound;
  (void)thread;
  int z = compress2(p->w->packed + (size_t)k * p->w->bound, &got, p->data + at,
                    (uLong)(left < VTU_BLOCK ? left : VTU_BLOCK), 1);
  p->head[3 + k] = z == Z_OK ? got : 0;
}

static pl_status pack(writer *w, const unsigned char *data, size_t size, uint64_t *head) {
  size_t nblock = head[0];
  w->bound = compressBound(VTU_BLOCK);
  if (nblock * w->bound > w->cap) {
    unsigned char *grown = pl_realloc(w->env, w->packed, nblock, w->bound);
    if (!grown) return PL_E_NOMEM;
    w->packed = grown;
    w->cap = nblock * w->bound;
  }
  packing p = {w, data, size, head};
  pl_threads_run(w->threads, (int)nblock, pack_block, &p);
  for (size_t k = 0, used = 0; k < nblock; used += head[3 + k++]) {
    if (head[3 + k] == 0) return pl_fail(w->env, PL_E_NOMEM, "zlib failed to compress");
    memmove(w->packed + used, w->packed + k * w->bound, head[3 + k]);
  }
  return PL_OK;
}

// one DataArray; scalars go without a component count, which some readers make a matrix of
static pl_status put_array(writer *w, const char *type, const char *name, int ncomp,
                           const void *data, size_t size) {
  size_t nblock = (size + VTU_BLOCK - 1) / VTU_BLOCK, packed = 0;
  uint64_t *head = pl_alloc(w->env, 3 + nblock, sizeof *head);
  if (!head) return PL_E_NOMEM;
  head[0] = nblock;
  head[1] = VTU_BLOCK;
  head[2] = size % VTU_BLOCK;
  pl_status s = pack(w, data, size, head);
  if (s == PL_OK) {
    pl_text *t = &w->text;
    pl_text_add(t, "        <DataArray type=\"%s\" Name=\"", type);
    put_escaped(t, name);
    pl_text_add(t, "\"");
    if (ncomp > 1) pl_text_add(t, " NumberOfComponents=\"%d\"", ncomp);
    pl_text_add(t, " format=\"binary\">\n");
    put_base64(t, (const unsigned char *)head, (3 + nblock) * sizeof *head);
    for (size_t k = 0; k < nblock; k++) packed += head[3 + k];
    put_base64(t, w->packed, packed);
    pl_text_add(t, "\n        </DataArray>\n");
  }
  pl_free(w->env, head);
  return s;
}

static pl_status put_cells(writer *w, const pl_grid *m) {
  static const unsigned char vtk_type[PL_GRID_TYPES] = {3,  5,  9,  10, 12, 21, 22,
                                                        23, 24, 25, 13, 14, 26, 27};
  size_t ncell = 0, nvert = 0;
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    ncell += (size_t)m->cell[t].n;
    nvert += (size_t)m->cell[t].n * (size_t)pl_grid_nvert(t);
  }
  int *all = pl_alloc(w->env, nvert, sizeof *all);
  int64_t *offset = pl_alloc(w->env, ncell, sizeof *offset);
  unsigned char *type = pl_alloc(w->env, ncell, 1);
  pl_status s = all && offset && type ? PL_OK : PL_E_NOMEM;
  size_t c = 0, v = 0;
  for (int t = 0; t < PL_GRID_TYPES && s == PL_OK; t++) {
    size_t nv = (size_t)pl_grid_nvert(t), n = (size_t)m->cell[t].n;
    if (n > 0) memcpy(all + v, m->cell[t].v, n * nv * sizeof *all);
    // the first triangle of VTK's prisms is turned outwards
    for (size_t i = 0; t == PL_GRID_WEDGE6 && i < n; i++) vtk_turn_prism(all + v + 6 * i);
    for (size_t i = 0; i < n; i++, c++) {
      v += nv;
      offset[c] = (int64_t)v;
      type[c] = vtk_type[t];
    }
  }
  if (s == PL_OK) s = put_array(w, "Int32", "connectivity", 1, all, nvert * sizeof *all);
  if (s == PL_OK) s = put_array(w, "Int64", "offsets", 1, offset, ncell * sizeof *offset);
  if (s == PL_OK) s = put_array(w, "UInt8", "types", 1, type, ncell);
  pl_free(w->env, all);
  pl_free(w->env, offset);
  pl_free(w->env, type);
  return s;
}

// sets of vertices or of cells, 1 where they are; a name in several types of cells is one array
static pl_status put_groups(writer *w, const pl_grid *m, int on_cells) {
  size_t count = (size_t)(on_cells ? pl_grid_ncell(m) : m->nvert);
  unsigned char *in = pl_alloc(w->env, count + 1, 1);
  pl_status s = in ? PL_OK : PL_E_NOMEM;
  for (int k = 0; s == PL_OK && k < m->nset; k++) {
    int seen = m->set[k].type < 0 ? on_cells : !on_cells;
    for (int i = 0; i < k && !seen; i++)
      seen = strcmp(m->set[i].name, m->set[k].name) == 0 && (m->set[i].type >= 0) == on_cells;
    if (seen) continue;
    memset(in, 0, count);
    for (int i = k; i < m->nset; i++) {
      const pl_set *set = &m->set[i];
      if ((set->type >= 0) != on_cells || strcmp(set->name, m->set[k].name) != 0) continue;
      size_t first = 0;
      for (int t = 0; t < set->type; t++) first += (size_t)m->cell[t].n;
      for (int e = 0; e < set->n; e++) in[first + (size_t)set->index[e]] = 1;
    }
    char name[PL_TEXT];
    snprintf(name, sizeof name, "group:%.400s", m->set[k].name);
    s = put_array(w, "UInt8", name, 1, in, count);
  }
  pl_free(w->env, in);
  return s;
}

static pl_status put_fields(writer *w, const pl_grid *m, int nfield, const pl_field *field,
                            int on_cells) {
  const char *tag = on_cells ? "CellData" : "PointData";
  size_t count = (size_t)(on_cells ? pl_grid_ncell(m) : m->nvert);
  pl_text_add(&w->text, "      <%s>\n", tag);
  for (int k = 0; k < nfield; k++) {
    const pl_field *f = &field[k];
    if (!f->on_cells != !on_cells) continue;
    PL_TRY(put_array(w, "Float64", f->name, f->ncomp, f->data,
                     count * (size_t)f->ncomp * sizeof *f->data));
  }
  PL_TRY(put_groups(w, m, on_cells));
  pl_text_add(&w->text, "      </%s>\n", tag);
  return PL_OK;
}

static pl_status put_mesh(writer *w, const pl_grid *m, const double *x, int nfield,
                          const pl_field *field) {
  pl_text *t = &w->text;
  pl_text_add(t,
              "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
              "byte_order=\"%s\" header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n"
              "  <UnstructuredGrid>\n"
              "    <Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n      <Points>\n",
              byte_order(), m->nvert, pl_grid_ncell(m));
  PL_TRY(put_array(w, "Float64", "Points", 3, x ? x : m->X, (size_t)m->nvert * 3 * sizeof *x));
  pl_text_add(t, "      </Points>\n      <Cells>\n");
  PL_TRY(put_cells(w, m));
  pl_text_add(t, "      </Cells>\n");
  PL_TRY(put_fields(w, m, nfield, field, 0));
  PL_TRY(put_fields(w, m, nfield, field, 1));
  pl_text_add(t, "    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n");
  return t->failed ? PL_E_NOMEM : PL_OK;
}

static pl_status write_grid(const pl_grid *g, const double *x, int nfield, const pl_field *field,
                            pl_threads *threads, const char *path) {
  writer w = {.env = g->env, .threads = threads};
  pl_text_init(&w.text, g->env);
  pl_status s = put_mesh(&w, g, x, nfield, field);
  if (s == PL_OK) s = pl_file_write(g->env, path, w.text.s, w.text.n);
  pl_text_free(&w.text);
  pl_free(g->env, w.packed);
  return s;
}

pl_status pl_mesh_write_vtu(const pl_mesh *m, const double *x, int nfield, const pl_field *field,
                            pl_threads *threads, const char *path) {
  for (int k = 0; k < nfield; k++)
    if (!field[k].name || (field[k].ncomp != 1 && field[k].ncomp != 3 && field[k].ncomp != 6))
      return pl_fail(m->env, PL_E_ARG, "%s: field '%s': components must be 1, 3 or 6, got %d", path,
                     field[k].name ? field[k].name : "", field[k].ncomp);
  PL_TRY(mesh_check_indices(m));
  pl_grid g = {.env = m->env, .nvert = m->nvert, .X = m->X, .nset = m->nset, .set = m->set};
  memcpy(g.cell, m->cell, sizeof m->cell);
  return write_grid(&g, x, nfield, field, threads, path);
}

pl_status grid_write_vtu(const pl_grid *g, const char *path) {
  pl_field *field = pl_alloc(g->env, (size_t)g->nfield, sizeof *field);
  if (!field) return PL_E_NOMEM;
  for (int k = 0; k < g->nfield; k++) {
    const pl_grid_field *f = &g->field[k];
    field[k] = (pl_field){f->name, f->on_cells, f->ncomp, f->data};
  }
  pl_status s = write_grid(g, NULL, g->nfield, field, NULL, path);
  pl_free(g->env, field);
  return s;
}

pl_status pl_pvd_write(pl_env *env, const char *path, int n, const double *time,
                       const char *const *files) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t,
              "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
              "byte_order=\"%s\">\n  <Collection>\n",
              byte_order());
  for (int k = 0; k < n; k++) {
    pl_text_add(&t, "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"", time[k]);
    put_escaped(&t, files[k]);
    pl_text_add(&t, "\"/>\n");
  }
  pl_text_add(&t, "  </Collection>\n</VTKFile>\n");
  pl_status s = t.failed ? PL_E_NOMEM : pl_file_write(env, path, t.s, t.n);
  pl_text_free(&t);
  return s;
}
