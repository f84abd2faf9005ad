#ifndef PLIANT_READ_IMPL_H
#define PLIANT_READ_IMPL_H

#include "pliant/mesh.h"

// ---- limits -----------------------------------------------------------------------------------

enum {
  PL_READ_MAX = 50000000,     // vertices, and cells of one type
  PL_READ_SETS = 10000,       // named sets
  PL_READ_NAME = 255,         // bytes of a set's name
  PL_READ_POLYGON = 255,      // corners of one polygon
  PL_READ_SLOT = 1 << 15,     // hash slots for set names: a power of two, over 2 * PL_READ_SETS
  PL_READ_PROGRESS = 1 << 20, // cells or vertices between two progress calls
  PL_READ_WORD = 48,          // a word of the file as shown in a message
};

// Cells of a file beside those of meshes, split into tetrahedra when it is read, and the list of
// vertices in a set.
enum {
  PL_READ_WEDGE6 = PL_GRID_WEDGE6,
  PL_READ_PYRAMID5 = PL_GRID_PYRAMID5,
  PL_READ_WEDGE15 = PL_GRID_WEDGE15, // corners, then a vertex on every edge, as in VTK
  PL_READ_PYRAMID13 = PL_GRID_PYRAMID13,
  PL_READ_VERTEX = PL_GRID_TYPES,
  PL_READ_LIST
};

static const double PL_READ_FAR = 1e100; // largest coordinate

// ---- what a reader fills ----------------------------------------------------------------------

// A growing list of index runs [first, last), in the order in which they were met.
typedef struct pl_load_runs {
  int n, cap;
  int (*run)[2];
} pl_load_runs;

typedef struct pl_load_set {
  char *name;
  pl_load_runs list[PL_READ_LIST];
} pl_load_set;

typedef struct pl_load_cells {
  int n, cap;
  int *v; // [n][pl_load_nvert(type)]
} pl_load_cells;

// The file in memory, the place in it, and the mesh as far as it is known.
typedef struct pl_load {
  pl_env *env;
  const char *name;             // for messages
  const char *begin, *at, *end; // at walks from begin to end; nothing terminates the text
  int line;                     // 1-based line of at; 0: a binary part, messages give the byte
  int most;                     // vertices that are wanted at most
  int from_file;                // name is a path, and files beside it may be read
  int keep; // for a grid: cells stay whole, fields are read, and what is passed over is told
  int nvert, cap_vert;
  double (*X)[3];
  pl_load_cells cell[PL_READ_VERTEX];
  int nset, cap_set;
  pl_load_set *set;
  int *slot;    // [PL_READ_SLOT] set number + 1 by hash of its name, made with the first set
  size_t size;  // bytes of the file
  int npolygon; // cut into triangles
  double field_bytes;
  int nfield, cap_field;
  pl_grid_field *field; // of a grid, in the order of its cells
} pl_load;

// Records PL_E_INPUT at the current line, or with the current byte in a binary part.
pl_status pl_load_fail(pl_load *in, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// Adds a vertex; refuses coordinates that are not finite.
pl_status pl_load_vertex(pl_load *in, double x, double y, double z);
// Adds a cell; the caller answers for its vertex numbers.
pl_status pl_load_cell(pl_load *in, int type, const int *v);
// Adds a polygon: a triangle, a quad, or a fan of triangles around the first corner. The cells are
// those that the counts of PL_TRI3 and PL_QUAD4 grew by.
pl_status pl_load_polygon(pl_load *in, int n, const int *v);
// Finds or adds a set by name of n bytes; its number in *set.
pl_status pl_load_find_set(pl_load *in, const char *name, size_t n, int *set);
// Puts [first, last) of a run list (a cell type, or PL_READ_VERTEX) into a set.
pl_status pl_load_put(pl_load *in, int set, int list, int first, int last);
// Finds or adds a set by a name as the file has it: control characters, and bytes that are not
// UTF-8, become
// '_', the latter with a warning.
pl_status pl_load_name_set(pl_load *in, const char *name, size_t n, int *set);
// Sorts runs so that they ascend and do not touch.
void pl_load_merge(pl_load_runs *r);

// The ending of a name, which must be that of a format.
pl_status pl_load_ending(pl_env *env, const char *path, const char **ending);
// Reads by an ending; begin, end, name and from_file are set, and in->most limits vertices.
// Whatever comes of it, pl_load_release frees it.
pl_status pl_load_read(pl_load *in, const char *ending);
void pl_load_release(pl_load *in);
// What in has, as a mesh.
pl_status pl_load_mesh(pl_load *in, pl_mesh **out);
// Warns of what a grid does not get.
void pl_load_lost(pl_load *in, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// A field of a grid, zeroed, of count rows; one of a name is there once.
pl_status pl_load_field(pl_load *in, const char *name, int on_cells, int ncomp, int64_t count,
                        double **data);

// Corners, edges and faces of a cell of the file that has a volume; sides in the order of *SURFACE.
typedef struct pl_load_shape {
  int ncorner, nedge, nface;
  signed char edge[12][2];
  signed char face[6][4]; // -1 last: a triangle
} pl_load_shape;
const pl_load_shape *pl_load_shape_of(int type); // NULL: lines, faces
// Vertices of a cell.
int pl_load_nvert(int type);
// Edge e of a cell of VTK's is Gmsh's of this number, NULL: the same; *corners is then set.
const int *msh_edge_order(int type, int *corners);
// Drops vertices that are in no cell and no set.
pl_status pl_load_compact(pl_load *in);
// Where there are prisms or pyramids, splits all solids and quads along the diagonals from the
// lowest vertex of a face, so that neighbours fit; members of sets follow.
pl_status pl_load_split(pl_load *in);

// Numbers that a file gives to its nodes or elements, and ours.
typedef struct pl_load_id {
  int64_t id;
  int index, line; // line of the file, 0: a binary part
} pl_load_id;
typedef struct pl_load_ids {
  pl_load_id *at; // [n] sorted by id, once pl_load_ids_sort was called
  int n, cap;
} pl_load_ids;
pl_status pl_load_ids_add(pl_load *in, pl_load_ids *ids, int64_t id, int index);
// Sorts; fails on a number that is there twice.
pl_status pl_load_ids_sort(pl_load *in, pl_load_ids *ids, const char *what);
// Our number, -1: it is not there.
int pl_load_ids_find(const pl_load_ids *ids, int64_t id);

// Numbers of records by their bytes: open addressing, at most half full.
typedef struct pl_load_hash {
  int *slot; // [nslot] record + 1, 0: free
  int nslot; // a power of two
} pl_load_hash;
// Finds the record among base[n][size] (size a multiple of 4) that equals key: *slot points to its
// number + 1, or to a 0 which the caller sets to n + 1 when it adds the record.
pl_status pl_load_find(pl_env *env, pl_load_hash *h, const void *base, size_t size, int n,
                       const void *key, int **slot);
// Non-zero when n bytes are well-formed UTF-8.
int pl_load_utf8(const char *s, size_t n);

// Numbers in binary files.
typedef enum pl_number {
  PL_I8,
  PL_U8,
  PL_I16,
  PL_U16,
  PL_I32,
  PL_U32,
  PL_I64,
  PL_U64,
  PL_F32, // from here on not integers
  PL_F64,
  PL_NUMBER_COUNT
} pl_number;
extern const int pl_number_size[PL_NUMBER_COUNT];
// The number in these bytes, which need no alignment but have the host's order.
double pl_number_decode(pl_number type, const void *bytes);

// One reader per format; begin, at, end and line are set.
#define PL_MESH_READER(ending, title) pl_status pl_read_##ending(pl_load *in);
PL_MESH_FORMATS(PL_MESH_READER)
#undef PL_MESH_READER

// ---- scanning ---------------------------------------------------------------------------------

static inline int pl_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static inline int pl_is_space(char c) {
  return pl_is_blank(c) || c == '\n';
}

// Skips blanks and newlines; returns 0 at the end.
static inline int pl_skip_space(pl_load *in) {
  for (; in->at < in->end; in->at++) {
    if (*in->at == '\n' && in->line)
      in->line++;
    else if (!pl_is_space(*in->at))
      return 1;
  }
  return 0;
}

// Skips blanks; returns 0 at the end of the line or of the text.
static inline int pl_skip_blank(pl_load *in) {
  while (in->at < in->end && pl_is_blank(*in->at)) in->at++;
  return in->at < in->end && *in->at != '\n';
}

// Skips to the start of the next line.
void pl_skip_line(pl_load *in);
// Length of the word at the current place; the place stays.
size_t pl_word_length(const pl_load *in);
// Non-zero when the word at the current place is this one, letters in either case.
int pl_word_is(const pl_load *in, const char *word);
// Copies the word at the current place for a message: cut to PL_READ_WORD, odd bytes as '?'.
const char *pl_word_show(const pl_load *in, char *out);

// Reads a signed whole number and stops behind its last digit; 0 when there is none or it is
// beyond 18 digits.
static inline int pl_scan_int(pl_load *in, int64_t *out) {
  const char *p = in->at;
  int neg = 0;
  if (p < in->end && (*p == '-' || *p == '+')) neg = *p++ == '-';
  const char *first = p;
  int64_t v = 0;
  while (p < in->end && (unsigned char)(*p - '0') < 10 && p - first < 18) v = 10 * v + (*p++ - '0');
  if (p == first || (p < in->end && (unsigned char)(*p - '0') < 10)) return 0;
  in->at = p;
  *out = neg ? -v : v;
  return 1;
}

// Reads a number that ends at a space or the end of the text; 0 when the word is none.
int pl_scan_real(pl_load *in, double *out);

#endif
