#include "read_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Gmsh MSH 2.x and 4.1, ASCII and binary. The sections are found first, by their $End lines, and
// then read in the order in which they are needed. Version 4.1 binary has the shape of its text,
// number for number, so both go through get_int, get_size and get_real.

// fields may stand there several times
typedef enum part {
  FORMAT,
  NAMES,
  ENTITIES,
  NODES,
  ELEMENTS,
  NODE_DATA,
  ELEMENT_DATA,
  PART_COUNT
} part;
static const char *const part_name[PART_COUNT] = {
    "MeshFormat", "PhysicalNames", "Entities", "Nodes", "Elements", "NodeData", "ElementData"};

typedef struct section {
  const char *begin, *end;
  int line; // 0: not there
} section;

enum { SET_UNKNOWN = -1, TAG_MAX = 64, NAME_WORD = 64 };

typedef struct data_section { // a field
  part which;
  section at;
} data_section;

typedef struct physical { // a named group
  int dim, tag, set;
  const char *name; // in the file's text
  size_t length;
} physical;

typedef struct entity {
  int dim, tag;
  int first, n; // its physical tags
} entity;

typedef struct msh {
  pl_load *in;
  section part[PART_COUNT];
  part now; // section being read
  int major, binary, swap;
  int nname, cap_name;
  physical *name; // [nname] sorted by dimension and tag
  int nentity, cap_entity;
  entity *entity; // [nentity] sorted likewise
  int ntag, cap_tag;
  int *tag; // [ntag] physical tags of the entities
  pl_load_ids node;
  pl_load_hash hash[PL_READ_VERTEX]; // of the cells, version 2 only
  int inner;                         // some nodes are within faces or cells
  // of a grid
  int ndata, cap_data;
  data_section *data;
  int64_t id;          // of the element that is read
  pl_load_ids element; // index * PL_READ_VERTEX + type
} msh;

// ---- sections ---------------------------------------------------------------------------------

// the line that ends a section: "$End" and its name, alone at the start of a line
static const char *find_end(const pl_load *in, const char *from, const char *needle, size_t n) {
  while (from < in->end) {
    const char *hit = memmem(from, (size_t)(in->end - from), needle, n);
    if (!hit) return NULL;
    if (hit[-1] == '\n' && (hit + n == in->end || pl_is_space(hit[n]))) return hit;
    from = hit + 1;
  }
  return NULL;
}

static pl_status find_section(msh *m) {
  pl_load *in = m->in;
  char word[PL_READ_WORD], needle[NAME_WORD + 8];
  size_t n = pl_word_length(in);
  if (*in->at != '$' || n < 2 || n > NAME_WORD || memchr(in->at, 0, n))
    return pl_load_fail(in, NULL, "expected a section such as $Nodes, got '%s'",
                        pl_word_show(in, word));
  if (pl_word_is(in, "$NOD") || pl_word_is(in, "$ELM"))
    return pl_load_fail(in, "convert it: gmsh old.msh -save -format msh41 -o new.msh",
                        "MSH version 1 is not read");
  snprintf(needle, sizeof needle, "$End%.*s", (int)n - 1, in->at + 1);
  section s = {.line = in->line + 1};
  int which = -1;
  for (int k = 0; k < PART_COUNT; k++)
    if (strcmp(needle + 4, part_name[k]) == 0) which = k;
  if (which >= 0 && which < NODE_DATA && m->part[which].line)
    return pl_load_fail(in, NULL, "a second section $%s", part_name[which]);
  pl_skip_line(in);
  s.begin = in->at;
  s.end = find_end(in, in->at, needle, strlen(needle));
  if (!s.end) return pl_load_fail(in, "the file may be cut off", "the section has no %s", needle);
  if (which >= 0) m->part[which] = s;
  if (which >= NODE_DATA && in->keep) {
    PL_TRY(pl_grow(in->env, &m->data, m->ndata, &m->cap_data, sizeof *m->data));
    m->data[m->ndata++] = (data_section){(part)which, s};
  }
  if (which < 0 && strcmp(needle, "$EndComments") != 0)
    pl_load_lost(in, NULL, "the section $%s is left out", needle + 4);
  for (const char *p = s.begin; (p = memchr(p, '\n', (size_t)(s.end - p))) != NULL; p++) in->line++;
  in->at = s.end;
  pl_skip_line(in);
  return PL_OK;
}

static pl_status enter(msh *m, part which) {
  pl_load *in = m->in;
  const section *s = &m->part[which];
  if (!s->line) {
    in->line = 1;
    return pl_load_fail(in, NULL, "there is no section $%s", part_name[which]);
  }
  m->now = which;
  in->at = s->begin;
  in->end = s->end;
  in->line = s->line;
  return PL_OK;
}

static pl_status early(msh *m) {
  return pl_load_fail(m->in, NULL, "section $%s ends before its last entry", part_name[m->now]);
}

// nothing but space may be left of a section
static pl_status leave(msh *m) {
  if (!pl_skip_space(m->in)) return PL_OK;
  return pl_load_fail(m->in, NULL, "section $%s holds more than its counts say", part_name[m->now]);
}

// ---- numbers ----------------------------------------------------------------------------------

static pl_status get_bytes(msh *m, void *out, int n) {
  pl_load *in = m->in;
  if (in->end - in->at < n) return early(m);
  char *to = out;
  for (int k = 0; k < n; k++) to[k] = in->at[m->swap ? n - 1 - k : k];
  in->at += n;
  return PL_OK;
}

static pl_status get_text_int(msh *m, int64_t *out) {
  pl_load *in = m->in;
  char word[PL_READ_WORD];
  *out = 0;
  if (!pl_skip_space(in)) return early(m);
  const char *first = in->at;
  if (pl_scan_int(in, out) && (in->at == in->end || pl_is_space(*in->at))) return PL_OK;
  in->at = first;
  return pl_load_fail(in, NULL, "'%s' is not a whole number", pl_word_show(in, word));
}

// a C int in binary files
static pl_status get_int(msh *m, int *out) {
  int32_t v = 0;
  int64_t wide;
  *out = 0;
  if (m->binary) {
    PL_TRY(get_bytes(m, &v, 4));
    *out = v;
    return PL_OK;
  }
  PL_TRY(get_text_int(m, &wide));
  if (wide < INT32_MIN || wide > INT32_MAX)
    return pl_load_fail(m->in, NULL, "%lld is out of range", (long long)wide);
  *out = (int)wide;
  return PL_OK;
}

// a size_t in binary files
static pl_status get_size(msh *m, int64_t *out) {
  *out = 0;
  if (m->binary)
    PL_TRY(get_bytes(m, out, 8));
  else
    PL_TRY(get_text_int(m, out));
  if (*out < 0) return pl_load_fail(m->in, NULL, "a count or number is negative");
  return PL_OK;
}

static pl_status get_real(msh *m, double *out) {
  pl_load *in = m->in;
  char word[PL_READ_WORD];
  *out = 0;
  if (m->binary) return get_bytes(m, out, 8);
  if (!pl_skip_space(in)) return early(m);
  if (pl_scan_real(in, out)) return PL_OK;
  return pl_load_fail(in, NULL, "'%s' is not a number", pl_word_show(in, word));
}

// A count must be possible with the bytes that are left: size each in binary, in text two for each
// of the words.
static pl_status check_count(msh *m, int64_t n, int size, int words) {
  int64_t left = m->in->end - m->in->at, each = m->binary ? size : 2 * words;
  if (n <= left / each) return PL_OK;
  return pl_load_fail(m->in, "the file may be cut off",
                      "section $%s announces %lld entries but has %lld bytes left",
                      part_name[m->now], (long long)n, (long long)left);
}

// the count that opens a section of version 2 is text in binary files too
static pl_status get_text_count(msh *m, int64_t *n) {
  PL_TRY(get_text_int(m, n));
  if (*n < 0) return pl_load_fail(m->in, NULL, "a negative count");
  pl_skip_line(m->in);
  if (m->binary) m->in->line = 0;
  return PL_OK;
}

// ---- format, names, entities ------------------------------------------------------------------

static pl_status read_format(msh *m) {
  static const char *const convert = "convert it: gmsh old.msh -save -format msh41 -o new.msh";
  pl_load *in = m->in;
  double version;
  int64_t binary, size;
  PL_TRY(enter(m, FORMAT));
  PL_TRY(get_real(m, &version));
  if (!(version >= 2 && version < 2.3) && version != 4.1)
    return pl_load_fail(in, convert, "MSH version %g is not read, only 2.2 and 4.1", version);
  m->major = version < 3 ? 2 : 4;
  PL_TRY(get_text_int(m, &binary));
  PL_TRY(get_text_int(m, &size));
  if (binary < 0 || binary > 1 || size != 8)
    return pl_load_fail(in, NULL, "file type %lld and data size %lld; only 0 or 1, and 8",
                        (long long)binary, (long long)size);
  if (!binary) return leave(m);

  // the number 1 tells the byte order
  int one;
  m->binary = 1;
  pl_skip_line(in);
  PL_TRY(get_int(m, &one));
  if (one != 1 && one != 0x01000000)
    return pl_load_fail(in, NULL, "the byte order mark is %d, not 1", one);
  m->swap = one != 1;
  return leave(m);
}

static int compare_name(const void *a, const void *b) {
  const physical *p = a, *q = b;
  return p->dim != q->dim ? (p->dim > q->dim) - (p->dim < q->dim)
                          : (p->tag > q->tag) - (p->tag < q->tag);
}

static pl_status read_name(msh *m) {
  pl_load *in = m->in;
  int64_t dim, tag;
  PL_TRY(get_text_int(m, &dim));
  PL_TRY(get_text_int(m, &tag));
  if (dim < 0 || dim > 3 || tag < INT32_MIN || tag > INT32_MAX)
    return pl_load_fail(in, NULL, "dimension %lld or tag %lld is out of range", (long long)dim,
                        (long long)tag);
  physical p = {.dim = (int)dim, .tag = (int)tag, .set = SET_UNKNOWN};
  if (!pl_skip_blank(in) || *in->at != '"')
    return pl_load_fail(in, NULL, "a physical name must stand in quotes");
  p.name = ++in->at;
  while (in->at < in->end && *in->at != '"' && *in->at != '\n') in->at++;
  if (in->at == in->end || *in->at != '"')
    return pl_load_fail(in, NULL, "a physical name without its closing quote");
  p.length = (size_t)(in->at++ - p.name);
  if (p.length == 0) return pl_load_fail(in, NULL, "a physical name is empty");
  int plain = pl_load_utf8(p.name, p.length);
  for (size_t i = 0; i < p.length; i++) plain &= (unsigned char)p.name[i] >= 32;
  if (!plain)
    return pl_load_fail(in, "save the file as UTF-8", "a physical name is not UTF-8 text");
  PL_TRY(pl_grow(in->env, &m->name, m->nname, &m->cap_name, sizeof p));
  m->name[m->nname++] = p;
  return PL_OK;
}

// always text
static pl_status read_names(msh *m) {
  int64_t n;
  if (!m->part[NAMES].line) return PL_OK;
  PL_TRY(enter(m, NAMES));
  PL_TRY(get_text_int(m, &n));
  for (int64_t k = 0; k < n; k++) PL_TRY(read_name(m));
  PL_TRY(leave(m));
  if (m->nname > 0) qsort(m->name, (size_t)m->nname, sizeof *m->name, compare_name);
  for (int k = 1; k < m->nname; k++)
    if (compare_name(&m->name[k - 1], &m->name[k]) == 0)
      return pl_load_fail(m->in, NULL, "physical group %d of dimension %d is named twice",
                          m->name[k].tag, m->name[k].dim);
  return PL_OK;
}

static int compare_entity(const void *a, const void *b) {
  const entity *p = a, *q = b;
  return p->dim != q->dim ? (p->dim > q->dim) - (p->dim < q->dim)
                          : (p->tag > q->tag) - (p->tag < q->tag);
}

static pl_status read_entity(msh *m, int dim) {
  entity e = {.dim = dim, .first = m->ntag};
  double x;
  int64_t n;
  int tag;
  PL_TRY(get_int(m, &e.tag));
  // a point's place, or the corners of a box
  for (int k = 0; k < (dim == 0 ? 3 : 6); k++) PL_TRY(get_real(m, &x));
  PL_TRY(get_size(m, &n));
  PL_TRY(check_count(m, n, 4, 1));
  if (n > TAG_MAX)
    return pl_load_fail(m->in, NULL, "an entity in more than %d physical groups", TAG_MAX);
  for (; e.n < n; e.n++) {
    PL_TRY(get_int(m, &tag));
    PL_TRY(pl_grow(m->in->env, &m->tag, m->ntag, &m->cap_tag, sizeof tag));
    // a negative tag stands for the group with its orientation turned
    m->tag[m->ntag++] = tag == INT32_MIN ? 0 : abs(tag);
  }
  if (dim > 0) {
    PL_TRY(get_size(m, &n));
    PL_TRY(check_count(m, n, 4, 1));
    for (int64_t k = 0; k < n; k++) PL_TRY(get_int(m, &tag));
  }
  PL_TRY(pl_grow(m->in->env, &m->entity, m->nentity, &m->cap_entity, sizeof e));
  m->entity[m->nentity++] = e;
  return PL_OK;
}

static pl_status read_entities(msh *m) {
  int64_t n[4];
  if (m->major == 2 || !m->part[ENTITIES].line) return PL_OK;
  PL_TRY(enter(m, ENTITIES));
  if (m->binary) m->in->line = 0;
  for (int dim = 0; dim < 4; dim++) PL_TRY(get_size(m, &n[dim]));
  for (int dim = 0; dim < 4; dim++) {
    PL_TRY(check_count(m, n[dim], 36, 5));
    for (int64_t k = 0; k < n[dim]; k++) PL_TRY(read_entity(m, dim));
  }
  if (m->nentity > 0) qsort(m->entity, (size_t)m->nentity, sizeof *m->entity, compare_entity);
  return leave(m);
}

// ---- nodes ------------------------------------------------------------------------------------

static pl_status add_node(msh *m, int64_t id, int index) {
  if (m->node.n >= m->in->most) return pl_load_fail(m->in, NULL, "more than %d nodes", m->in->most);
  return pl_load_ids_add(m->in, &m->node, id, index);
}

static pl_status read_point(msh *m, int extra) {
  double x[3], u;
  for (int k = 0; k < 3; k++) PL_TRY(get_real(m, &x[k]));
  for (int k = 0; k < extra; k++) PL_TRY(get_real(m, &u));
  return pl_load_vertex(m->in, x[0], x[1], x[2]);
}

static pl_status read_nodes2(msh *m) {
  int64_t n;
  PL_TRY(get_text_count(m, &n));
  PL_TRY(check_count(m, n, 28, 4));
  for (int64_t k = 0; k < n; k++) {
    int id;
    PL_TRY(get_int(m, &id));
    PL_TRY(add_node(m, id, m->in->nvert));
    PL_TRY(read_point(m, 0));
  }
  return PL_OK;
}

// number of blocks and total of a section of version 4
static pl_status read_totals(msh *m, int64_t *nblock, int64_t *total) {
  int64_t low, high;
  if (m->binary) m->in->line = 0;
  PL_TRY(get_size(m, nblock));
  PL_TRY(get_size(m, total));
  PL_TRY(get_size(m, &low));
  return get_size(m, &high);
}

static pl_status read_nodes4(msh *m) {
  int64_t nblock, total, n, id;
  PL_TRY(read_totals(m, &nblock, &total));
  PL_TRY(check_count(m, nblock, 20, 4));
  for (int64_t b = 0; b < nblock; b++) {
    int dim, tag, parametric;
    PL_TRY(get_int(m, &dim));
    PL_TRY(get_int(m, &tag));
    PL_TRY(get_int(m, &parametric));
    PL_TRY(get_size(m, &n));
    PL_TRY(check_count(m, n, 32, 4));
    if (dim < 0 || dim > 3 || parametric < 0 || parametric > 1)
      return pl_load_fail(m->in, NULL, "a block of dimension %d, parametric %d", dim, parametric);
    // all numbers of the block, then all places
    for (int64_t k = 0; k < n; k++) {
      PL_TRY(get_size(m, &id));
      PL_TRY(add_node(m, id, m->node.n));
    }
    for (int64_t k = 0; k < n; k++) PL_TRY(read_point(m, parametric ? dim : 0));
  }
  if (m->node.n != total)
    return pl_load_fail(m->in, NULL, "%lld nodes announced, %d found", (long long)total, m->node.n);
  return PL_OK;
}

static pl_status read_nodes(msh *m) {
  PL_TRY(enter(m, NODES));
  PL_TRY(m->major == 2 ? read_nodes2(m) : read_nodes4(m));
  PL_TRY(leave(m));
  return pl_load_ids_sort(m->in, &m->node, "node");
}

static pl_status find_node(msh *m, int64_t id, int *v) {
  *v = pl_load_ids_find(&m->node, id);
  if (*v < 0)
    return pl_load_fail(m->in, NULL, "an element names node %lld, which is not there",
                        (long long)id);
  return PL_OK;
}

// ---- elements ---------------------------------------------------------------------------------

enum { NODES_MAX = 27 }; // of an element that is read

// our cell type, PL_READ_VERTEX for a point; nodes within faces, as quads of 9 and hexes of 27 have
// them, are left out
static pl_status cell_type(msh *m, int gmsh, int *type, int *nvert, int *dim) {
  static const struct {
    int type, nvert, dim;
  } table[20] = {[1] = {PL_SEG2, 2, 1},
                 [2] = {PL_TRI3, 3, 2},
                 [3] = {PL_QUAD4, 4, 2},
                 [4] = {PL_TET4, 4, 3},
                 [5] = {PL_HEX8, 8, 3},
                 [8] = {PL_SEG3, 3, 1},
                 [9] = {PL_TRI6, 6, 2},
                 [10] = {PL_QUAD8, 9, 2},
                 [11] = {PL_TET10, 10, 3},
                 [12] = {PL_HEX20, 27, 3},
                 [15] = {PL_READ_VERTEX, 1, 0},
                 [16] = {PL_QUAD8, 8, 2},
                 [17] = {PL_HEX20, 20, 3},
                 [6] = {PL_READ_WEDGE6, 6, 3},
                 [7] = {PL_READ_PYRAMID5, 5, 3},
                 [13] = {PL_READ_WEDGE15, 18, 3},
                 [14] = {PL_READ_PYRAMID13, 14, 3},
                 [18] = {PL_READ_WEDGE15, 15, 3},
                 [19] = {PL_READ_PYRAMID13, 13, 3}};
  if (gmsh >= 20 && gmsh <= 140)
    return pl_load_fail(m->in, "set Mesh.ElementOrder = 2 and mesh again",
                        "elements of third or higher order (type %d) are not read", gmsh);
  if (gmsh < 1 || gmsh > 19) return pl_load_fail(m->in, NULL, "unknown element type %d", gmsh);
  *type = table[gmsh].type;
  *nvert = table[gmsh].nvert;
  *dim = table[gmsh].dim;
  return PL_OK;
}

const int *msh_edge_order(int type, int *corners) {
  static const int tet[6] = {0, 1, 2, 3, 5, 4};
  static const int hex[12] = {0, 3, 5, 1, 8, 10, 11, 9, 2, 4, 6, 7};
  static const int wedge[9] = {0, 3, 1, 6, 8, 7, 2, 4, 5};
  static const int pyramid[8] = {0, 3, 5, 1, 2, 4, 6, 7};
  const int *from = type == PL_TET10            ? tet
                    : type == PL_HEX20          ? hex
                    : type == PL_READ_WEDGE15   ? wedge
                    : type == PL_READ_PYRAMID13 ? pyramid
                                                : NULL;
  if (from) *corners = pl_load_shape_of(type)->ncorner;
  return from;
}

// nodes on edges stand in another order than VTK's
static void put_in_order(int type, int *v) {
  int corners = 0, old[PL_CELL_VERT_MAX];
  const int *from = msh_edge_order(type, &corners);
  if (!from) return;
  memcpy(old, v, (size_t)pl_load_nvert(type) * sizeof *v);
  for (int e = 0; corners + e < pl_load_nvert(type); e++) v[corners + e] = old[corners + from[e]];
}

// the set of a physical group, by its name or else as physical_<dimension>_<tag>
static pl_status find_set(msh *m, int dim, int tag, int *set) {
  physical key = {.dim = dim, .tag = tag}, *p = NULL;
  if (m->nname > 0) p = bsearch(&key, m->name, (size_t)m->nname, sizeof key, compare_name);
  if (!p) {
    char name[NAME_WORD];
    int n = snprintf(name, sizeof name, "physical_%d_%d", dim, tag);
    return pl_load_find_set(m->in, name, (size_t)n, set);
  }
  if (p->set == SET_UNKNOWN) PL_TRY(pl_load_find_set(m->in, p->name, p->length, &p->set));
  *set = p->set;
  return PL_OK;
}

// Adds a cell and gives its number. In version 2 an element of two physical groups stands twice.
static pl_status add_cell(msh *m, int type, const int *v, int *index) {
  pl_load_cells *c = &m->in->cell[type];
  int *slot = NULL;
  if (m->major == 2) {
    size_t size = (size_t)pl_load_nvert(type) * sizeof *v;
    PL_TRY(pl_load_find(m->in->env, &m->hash[type], c->v, size, c->n, v, &slot));
    *index = *slot - 1;
    if (*slot) return PL_OK;
  }
  *index = c->n;
  PL_TRY(pl_load_cell(m->in, type, v));
  if (slot) *slot = c->n;
  return PL_OK;
}

static pl_status add_element(msh *m, int type, int dim, int *v, int ntag, const int *tag) {
  int index = v[0], set = 0;
  put_in_order(type, v);
  if (type != PL_READ_VERTEX) PL_TRY(add_cell(m, type, v, &index));
  if (type != PL_READ_VERTEX && m->ndata > 0)
    PL_TRY(pl_load_ids_add(m->in, &m->element, m->id, index * PL_READ_VERTEX + type));
  for (int k = 0; k < ntag; k++) {
    if (tag[k] == 0) continue;
    PL_TRY(find_set(m, dim, tag[k], &set));
    PL_TRY(pl_load_put(m->in, set, type, index, index + 1));
  }
  return PL_OK;
}

// the tags and nodes of one element of version 2; the first tag is the physical group
static pl_status read_element2(msh *m, int gmsh, int ntag) {
  int type = 0, nvert = 0, dim = 0, first = 0, v[NODES_MAX] = {0};
  PL_TRY(cell_type(m, gmsh, &type, &nvert, &dim));
  for (int k = 0; k < ntag; k++) {
    int tag;
    PL_TRY(get_int(m, &tag));
    if (k == 0) first = tag == INT32_MIN ? 0 : abs(tag);
  }
  for (int k = 0; k < nvert; k++) {
    int id;
    PL_TRY(get_int(m, &id));
    PL_TRY(find_node(m, id, &v[k]));
  }
  m->inner |= type != PL_READ_VERTEX && nvert > pl_load_nvert(type);
  return add_element(m, type, dim, v, 1, &first);
}

static pl_status read_elements2(msh *m) {
  int64_t total;
  PL_TRY(get_text_count(m, &total));
  PL_TRY(check_count(m, total, 8, 4));
  for (int64_t done = 0; done < total;) {
    // in binary files a head serves a run of elements
    int id, gmsh, n = 1, ntag;
    if (!m->binary) PL_TRY(get_int(m, &id));
    PL_TRY(get_int(m, &gmsh));
    if (m->binary) PL_TRY(get_int(m, &n));
    PL_TRY(get_int(m, &ntag));
    if (n < 1 || n > total - done || ntag < 0 || ntag > 1000)
      return pl_load_fail(m->in, NULL, "a run of %d elements with %d tags", n, ntag);
    for (int k = 0; k < n; k++) {
      if (m->binary) PL_TRY(get_int(m, &id));
      m->id = id;
      PL_TRY(read_element2(m, gmsh, ntag));
    }
    done += n;
  }
  return PL_OK;
}

static pl_status read_block4(msh *m, int64_t *count) {
  entity key, *e = NULL;
  int gmsh, type = 0, nvert = 0, dim = 0, v[NODES_MAX] = {0};
  int64_t n, id;
  PL_TRY(get_int(m, &key.dim));
  PL_TRY(get_int(m, &key.tag));
  PL_TRY(get_int(m, &gmsh));
  PL_TRY(get_size(m, &n));
  PL_TRY(cell_type(m, gmsh, &type, &nvert, &dim));
  PL_TRY(check_count(m, n, 8 + 8 * nvert, 1 + nvert));
  m->inner |= type != PL_READ_VERTEX && nvert > pl_load_nvert(type);
  if (m->nentity > 0) e = bsearch(&key, m->entity, (size_t)m->nentity, sizeof key, compare_entity);
  for (int64_t k = 0; k < n; k++) {
    PL_TRY(get_size(m, &id));
    m->id = id;
    for (int c = 0; c < nvert; c++) {
      PL_TRY(get_size(m, &id));
      PL_TRY(find_node(m, id, &v[c]));
    }
    PL_TRY(add_element(m, type, dim, v, e ? e->n : 0, e ? m->tag + e->first : NULL));
  }
  *count += n;
  return PL_OK;
}

static pl_status read_elements4(msh *m) {
  int64_t nblock, total, count = 0;
  PL_TRY(read_totals(m, &nblock, &total));
  PL_TRY(check_count(m, nblock, 20, 4));
  for (int64_t b = 0; b < nblock; b++) PL_TRY(read_block4(m, &count));
  if (count != total)
    return pl_load_fail(m->in, NULL, "%lld elements announced, %lld found", (long long)total,
                        (long long)count);
  return PL_OK;
}

// ---- fields -------------------------------------------------------------------------------------

// what a section of a field says before its numbers: the name in quotes first
static pl_status read_data_head(msh *m, char name[PL_READ_NAME + 1], int *ncomp, int64_t *n) {
  pl_load *in = m->in;
  int64_t count, v;
  double x;
  int binary = m->binary;
  name[0] = 0;
  // text in binary files too
  m->binary = 0;
  PL_TRY(get_text_int(m, &count));
  for (int64_t k = 0; k < count; k++) {
    if (!pl_skip_space(in) || *in->at != '"') return early(m);
    const char *from = ++in->at, *stop = memchr(from, '"', (size_t)(in->end - from));
    if (!stop) return early(m);
    if (k == 0)
      snprintf(name, PL_READ_NAME + 1, "%.*s",
               (int)(stop - from < PL_READ_NAME ? stop - from : PL_READ_NAME), from);
    in->at = stop + 1;
  }
  PL_TRY(get_text_int(m, &count));
  for (int64_t k = 0; k < count; k++) PL_TRY(get_real(m, &x));
  PL_TRY(get_text_int(m, &count));
  *ncomp = 0;
  *n = -1;
  for (int64_t k = 0; k < count; k++) {
    PL_TRY(get_text_int(m, &v));
    if (k == 1) *ncomp = v > 0 && v < 100 ? (int)v : 0;
    if (k == 2) *n = v;
  }
  m->binary = binary;
  if (*ncomp == 0 || *n < 0 || !name[0])
    return pl_load_fail(in, NULL, "a field needs a name, components and a count");
  if (!binary) return PL_OK;
  pl_skip_line(in);
  in->line = 0;
  return PL_OK;
}

// the row of a node or element in the field, -1: there is none
static int64_t data_row(const msh *m, int cells, int id, const int64_t *first) {
  int at = pl_load_ids_find(cells ? &m->element : &m->node, id);
  return at < 0 || !cells ? at : first[at % PL_READ_VERTEX] + at / PL_READ_VERTEX;
}

static pl_status read_data(msh *m, const data_section *d) {
  pl_load *in = m->in;
  char name[PL_READ_NAME + 1];
  int ncomp = 0, cells = d->which == ELEMENT_DATA;
  int64_t n = 0, first[PL_READ_VERTEX] = {0}, all = 0;
  m->part[d->which] = d->at;
  PL_TRY(enter(m, d->which));
  PL_TRY(read_data_head(m, name, &ncomp, &n));
  PL_TRY(check_count(m, n, 4 + 8 * ncomp, 1 + ncomp));
  for (int t = 0; t < PL_READ_VERTEX; t++) {
    first[t] = all;
    all += in->cell[t].n;
  }
  double *data, x;
  for (int k = 0; k < in->nfield; k++)
    if (in->field[k].on_cells == cells && strcmp(in->field[k].name, name) == 0) {
      pl_load_lost(in, NULL, "another moment of the field '%s' is left out", name);
      return PL_OK;
    }
  PL_TRY(pl_load_field(in, name, cells, ncomp, cells ? all : in->nvert, &data));
  for (int64_t i = 0; i < n; i++) {
    int id;
    PL_TRY(get_int(m, &id));
    int64_t row = data_row(m, cells, id, first);
    if (row < 0)
      return pl_load_fail(in, NULL, "the field '%s' names %s %d, which is not there", name,
                          cells ? "element" : "node", id);
    for (int c = 0; c < ncomp; c++) {
      PL_TRY(get_real(m, &x));
      if (data) data[row * ncomp + c] = x;
    }
  }
  return leave(m);
}

static pl_status read_fields(msh *m) {
  if (m->ndata == 0) return PL_OK;
  PL_TRY(pl_load_ids_sort(m->in, &m->element, "element"));
  for (int k = 0; k < m->ndata; k++) PL_TRY(read_data(m, &m->data[k]));
  return PL_OK;
}

static pl_status read_all(msh *m) {
  while (pl_skip_space(m->in)) PL_TRY(find_section(m));
  PL_TRY(read_format(m));
  PL_TRY(read_names(m));
  PL_TRY(read_entities(m));
  PL_TRY(read_nodes(m));
  PL_TRY(enter(m, ELEMENTS));
  PL_TRY(m->major == 2 ? read_elements2(m) : read_elements4(m));
  PL_TRY(leave(m));
  if (m->inner && m->ndata > 0) {
    m->in->line = 0;
    pl_load_lost(m->in, NULL, "fields of meshes with nodes inside faces or cells are left out");
    m->ndata = 0;
  }
  m->in->line = 0;
  for (int k = 0; k < m->nname; k++)
    if (m->name[k].set == SET_UNKNOWN)
      pl_load_lost(m->in, NULL, "the physical group '%.*s' has no elements: it is left out",
                   m->name[k].length > 200 ? 200 : (int)m->name[k].length, m->name[k].name);
  return read_fields(m);
}

pl_status pl_read_msh(pl_load *in) {
  msh m = {.in = in};
  pl_status s = read_all(&m);
  if (s == PL_OK && m.inner) s = pl_load_compact(in);
  pl_free(in->env, m.name);
  pl_free(in->env, m.entity);
  pl_free(in->env, m.tag);
  pl_free(in->env, m.node.at);
  pl_free(in->env, m.element.at);
  pl_free(in->env, m.data);
  for (int t = 0; t < PL_READ_VERTEX; t++) pl_free(in->env, m.hash[t].slot);
  return s;
}
