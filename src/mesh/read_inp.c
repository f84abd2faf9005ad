#include "inp_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// Abaqus and CalculiX input files: *NODE, *ELEMENT, *NSET, *ELSET, *SURFACE of a flat file or of
// one part, and of files that they include; other keywords and their data are passed over. Nodes,
// elements and sets may stand in any order, so the text is walked once for each.

typedef enum pass { NODES, ELEMENTS, SETS, SURFACES, PASS_COUNT } pass;

typedef struct span { // a piece of the text, without blanks around it
  const char *s;
  size_t n;
} span;

enum {
  PARAMETER_MAX = 32,
  ID_MAX = 2000000000,
  DEPTH_MAX = 8,
  FILES_MAX = 1000,
  PASSED = -2 // an element that is not read
};

// a file that another one includes, kept for all passes
typedef struct included {
  char *path, *data;
  size_t size;
} included;

typedef struct place { // in one of the open files
  const char *name, *next, *end;
  int count;
} place;

typedef struct inp {
  pl_load *in;
  const char *main; // the file that is read
  pass now;
  place at;  // start of the line after this one, and lines before it
  int depth; // files around it
  place around[DEPTH_MAX];
  included *file; // [nfile]
  int nfile, cap_file;
  int more, open; // there is a line; data of the block may follow
  span line;      // as far as it is not read yet
  int nparameter; // of the keyword line
  span parameter[PARAMETER_MAX], value[PARAMETER_MAX];
  pl_load_ids node, element; // element: index * PL_READ_VERTEX + type
  int npart, ninstance, in_assembly;
  span instance; // its name, which may stand in front of numbers and of names of sets
  char (*name)[PL_READ_NAME + 1]; // [nname] sets by their names in small letters
  int *set;                       // [nname] number of the set
  int nname, cap_name, cap_set;
  pl_load_hash by_name;
  char passed[PL_TEXT / 2]; // keywords that are passed over, for grids
  char types[PL_TEXT / 2];  // types of elements whose names say more than a grid holds
  int nsurface;
} inp;

static const char flat[] = "write the file without parts and assemblies";

// ---- lines and fields -------------------------------------------------------------------------

static span trim(const char *s, const char *end) {
  while (s < end && pl_is_space(*s)) s++;
  while (end > s && pl_is_space(end[-1])) end--;
  return (span){s, (size_t)(end - s)};
}

static int is(span s, const char *word) {
  return s.n == strlen(word) && strncasecmp(s.s, word, s.n) == 0;
}

// the next line that is neither empty nor a comment; 0 at the end
static int next_line(inp *k) {
  for (;;) {
    while (k->at.next == k->at.end && k->depth > 0) k->at = k->around[--k->depth];
    if (k->at.next == k->at.end) return 0;
    const char *stop = memchr(k->at.next, '\n', (size_t)(k->at.end - k->at.next));
    k->line = trim(k->at.next, stop ? stop : k->at.end);
    k->at.next = stop ? stop + 1 : k->at.end;
    k->in->line = ++k->at.count;
    k->in->name = k->at.name;
    if (k->line.n > 0 && !(k->line.n > 1 && k->line.s[0] == '*' && k->line.s[1] == '*')) return 1;
  }
}

// goes to the next data line of the block; 0: a keyword or the end
static int data_line(inp *k) {
  k->more = next_line(k);
  k->open = k->more && k->line.s[0] != '*';
  return k->open;
}

// takes the field before the next comma off the line; commas may stand in quotes. *last: no comma
// followed it
static span read_field(inp *k, int *last) {
  const char *s = k->line.s, *end = s + k->line.n, *p = s;
  for (int quoted = 0; p < end && (quoted || *p != ','); p++) quoted ^= *p == '"';
  *last = p == end;
  k->line = trim(p < end ? p + 1 : p, end);
  return trim(s, p);
}

static const char *show(span f, char *word) {
  pl_load text = {.at = f.s, .end = f.s + f.n};
  return pl_word_show(&text, word);
}

static int is_whole(span f, int64_t *out) {
  pl_load text = {.at = f.s, .end = f.s + f.n};
  return f.n > 0 && pl_scan_int(&text, out) && text.at == text.end;
}

static pl_status whole(inp *k, span f, const char *what, int64_t *out) {
  char word[PL_READ_WORD];
  if (is_whole(f, out) && *out > 0 && *out <= ID_MAX) return PL_OK;
  return pl_load_fail(k->in, NULL, "'%s' is not %s", show(f, word), what);
}

// a coordinate: one that is left out is 0, and exponents may have Fortran's D
static pl_status real(inp *k, span f, double *out) {
  char word[PL_READ_WORD], text[64];
  *out = 0;
  if (f.n == 0) return PL_OK;
  for (size_t i = 0; i < f.n && i < sizeof text; i++)
    text[i] = (char)(f.s[i] == 'D' || f.s[i] == 'd' ? 'e' : f.s[i]);
  if (f.n <= sizeof text && pl_number_scan(text, f.n, out) == f.n) return PL_OK;
  return pl_load_fail(k->in, NULL, "'%s' is not a number", show(f, word));
}

// ---- keywords ---------------------------------------------------------------------------------

// the keyword of the line and its parameters; a comma at the end continues the line
static pl_status read_keyword(inp *k, char *keyword, size_t size) {
  int last;
  span f = read_field(k, &last);
  size_t n = 0;
  // blanks inside do not matter
  for (size_t i = 1; i < f.n; i++)
    if (!pl_is_blank(f.s[i]) && n + 1 < size) keyword[n++] = f.s[i];
  keyword[n] = 0;
  k->nparameter = 0;
  while (!last) {
    if (k->line.n == 0 && !next_line(k)) break;
    f = read_field(k, &last);
    if (k->nparameter == PARAMETER_MAX)
      return pl_load_fail(k->in, NULL, "more than %d parameters", PARAMETER_MAX);
    const char *equal = memchr(f.s, '=', f.n), *end = f.s + f.n;
    span v = equal ? trim(equal + 1, end) : (span){end, 0};
    if (v.n > 1 && v.s[0] == '"' && v.s[v.n - 1] == '"') v = trim(v.s + 1, v.s + v.n - 1);
    k->parameter[k->nparameter] = trim(f.s, equal ? equal : end);
    k->value[k->nparameter++] = v;
  }
  return PL_OK;
}

// the value of a parameter, NULL: it is not given
static const span *find_parameter(const inp *k, const char *name) {
  for (int i = 0; i < k->nparameter; i++)
    if (is(k->parameter[i], name)) return &k->value[i];
  return NULL;
}

// ---- sets -------------------------------------------------------------------------------------

// the set of a name, letters in either case; *set is -1 for one that is not there and not to be
// made
static pl_status find_set(inp *k, span name, int make, int *set) {
  char key[PL_READ_NAME + 1] = {0};
  int *slot;
  *set = -1;
  if (name.n == 0) return pl_load_fail(k->in, NULL, "a set without a name");
  if (name.n > PL_READ_NAME)
    return pl_load_fail(k->in, NULL, "a name of %zu bytes; at most %d", name.n, PL_READ_NAME);
  for (size_t i = 0; i < name.n; i++)
    key[i] = (char)(name.s[i] >= 'A' && name.s[i] <= 'Z' ? name.s[i] + 32 : name.s[i]);
  PL_TRY(pl_load_find(k->in->env, &k->by_name, k->name, sizeof key, k->nname, key, &slot));
  if (*slot) {
    *set = k->set[*slot - 1];
    return PL_OK;
  }
  if (!make) return PL_OK;
  PL_TRY(pl_load_name_set(k->in, name.s, name.n, set));
  PL_TRY(pl_grow(k->in->env, &k->name, k->nname, &k->cap_name, sizeof key));
  PL_TRY(pl_grow(k->in->env, &k->set, k->nname, &k->cap_set, sizeof *k->set));
  memcpy(k->name[k->nname], key, sizeof key);
  k->set[k->nname++] = *set;
  *slot = k->nname;
  return PL_OK;
}

// puts a node, or an element, into a set
static pl_status put_member(inp *k, int set, int nodes, int64_t id) {
  int at = pl_load_ids_find(nodes ? &k->node : &k->element, id);
  if (at == PASSED) return PL_OK;
  if (at < 0)
    return pl_load_fail(k->in, NULL, "a set names %s %lld, which is not there",
                        nodes ? "node" : "element", (long long)id);
  int list = nodes ? PL_READ_VERTEX : at % PL_READ_VERTEX, i = nodes ? at : at / PL_READ_VERTEX;
  return pl_load_put(k->in, set, list, i, i + 1);
}

// puts what a set holds into another
static pl_status put_set(inp *k, int set, int other) {
  for (int list = 0; list < PL_READ_LIST && other != set; list++)
    for (int i = 0; i < k->in->set[other].list[list].n; i++) {
      const int *run = k->in->set[other].list[list].run[i];
      PL_TRY(pl_load_put(k->in, set, list, run[0], run[1]));
    }
  return PL_OK;
}

// a name as it stands on a data line: without quotes, and without the instance in front
static span bare_name(const inp *k, span f) {
  if (f.n > 1 && f.s[0] == '"' && f.s[f.n - 1] == '"') f = trim(f.s + 1, f.s + f.n - 1);
  size_t n = k->instance.n;
  if (n > 0 && f.n > n + 1 && f.s[n] == '.' && strncasecmp(f.s, k->instance.s, n) == 0)
    f = (span){f.s + n + 1, f.n - n - 1};
  return f;
}

static pl_status put_named(inp *k, int set, span name) {
  char word[PL_READ_WORD];
  int other;
  PL_TRY(find_set(k, name, 0, &other));
  if (other < 0)
    return pl_load_fail(k->in, "a set must stand before the sets that name it",
                        "'%s' is neither a number nor a set", show(name, word));
  return put_set(k, set, other);
}

// The nodes of the elements of a set; scenes take the elements for them, which choose the same.
static pl_status put_nodes_of(inp *k, int set, span name) {
  int other;
  PL_TRY(find_set(k, name, 0, &other));
  if (other < 0 || other == set) return put_named(k, set, name);
  for (int t = 0; t < PL_READ_VERTEX; t++)
    for (int i = 0; i < k->in->set[other].list[t].n; i++) {
      const int *run = k->in->set[other].list[t].run[i], nv = pl_load_nvert(t);
      for (int c = run[0] * nv; c < run[1] * nv; c++) {
        int v = k->in->cell[t].v[c];
        PL_TRY(pl_load_put(k->in, set, PL_READ_VERTEX, v, v + 1));
      }
    }
  return PL_OK;
}

// `first, last, step` of GENERATE
static pl_status generate(inp *k, int set, int nodes) {
  int64_t v[3] = {0, 0, 1};
  int n = 0, last = 0;
  for (; n < 3 && !last && k->line.n > 0; n++)
    PL_TRY(whole(k, read_field(k, &last), "a number of a range", &v[n]));
  if (n < 2 || k->line.n > 0 || v[1] < v[0])
    return pl_load_fail(k->in, NULL, "a range is FIRST, LAST or FIRST, LAST, STEP");
  for (int64_t id = v[0]; id <= v[1]; id += v[2]) PL_TRY(put_member(k, set, nodes, id));
  return PL_OK;
}

static pl_status read_set(inp *k, int nodes) {
  const span *name = find_parameter(k, nodes ? "NSET" : "ELSET");
  const span *of = nodes ? find_parameter(k, "ELSET") : NULL;
  int ranges = find_parameter(k, "GENERATE") != NULL, set;
  if (!name) return pl_load_fail(k->in, NULL, "a set without a name");
  PL_TRY(find_set(k, *name, 1, &set));
  if (of) PL_TRY(k->in->keep ? put_nodes_of(k, set, *of) : put_named(k, set, *of));
  while (data_line(k)) {
    if (ranges) {
      PL_TRY(generate(k, set, nodes));
      continue;
    }
    for (int last = 0; !last && k->line.n > 0;) {
      int64_t id;
      span f = bare_name(k, read_field(k, &last));
      if (f.n == 0) continue;
      PL_TRY(is_whole(f, &id) ? put_member(k, set, nodes, id) : put_named(k, set, f));
    }
  }
  return PL_OK;
}

static pl_status read_nset(inp *k) {
  return read_set(k, 1);
}

static pl_status read_elset(inp *k) {
  return read_set(k, 0);
}

// ---- surfaces ---------------------------------------------------------------------------------

// the nodes of a side of a cell; of lines and faces all of them
static pl_status put_side(inp *k, int set, int type, int cell, int side) {
  const pl_load_shape *shape = pl_load_shape_of(type);
  int nv = pl_load_nvert(type), on[PL_CELL_VERT_MAX] = {0};
  const int *v = k->in->cell[type].v + (size_t)cell * (size_t)nv;
  if (shape && (side < 1 || side > shape->nface))
    return pl_load_fail(k->in, NULL, "sides of this element are S1 to S%d", shape->nface);
  for (int c = 0; shape && c < 4; c++)
    if (shape->face[side - 1][c] >= 0) on[shape->face[side - 1][c]] = 1;
  for (int e = 0; shape && shape->ncorner + e < nv; e++)
    on[shape->ncorner + e] = on[shape->edge[e][0]] && on[shape->edge[e][1]];
  for (int a = 0; a < nv; a++)
    if (on[a] || !shape) PL_TRY(pl_load_put(k->in, set, PL_READ_VERTEX, v[a], v[a] + 1));
  return PL_OK;
}

// `element or set, S2`
static pl_status read_side(inp *k, int set) {
  char word[PL_READ_WORD];
  int last, side = 0, other;
  int64_t id;
  span of = bare_name(k, read_field(k, &last)),
       name = last ? (span){k->line.s, 0} : read_field(k, &last);
  if (name.n == 2 && (name.s[0] == 'S' || name.s[0] == 's')) side = name.s[1] - '0';
  if (is_whole(of, &id)) {
    int at = pl_load_ids_find(&k->element, id);
    if (at == PASSED) return PL_OK;
    if (at >= 0) return put_side(k, set, at % PL_READ_VERTEX, at / PL_READ_VERTEX, side);
    return pl_load_fail(k->in, NULL, "a surface names element %lld, which is not there",
                        (long long)id);
  }
  PL_TRY(find_set(k, of, 0, &other));
  if (other < 0)
    return pl_load_fail(k->in, "a set must stand before the surfaces that name it",
                        "'%s' is neither a number nor a set", show(of, word));
  for (int t = 0; t < PL_READ_VERTEX && other != set; t++)
    for (int i = 0; i < k->in->set[other].list[t].n; i++) {
      // lists move when the surface's own grows
      const int from = k->in->set[other].list[t].run[i][0],
                to = k->in->set[other].list[t].run[i][1];
      for (int e = from; e < to; e++) PL_TRY(put_side(k, set, t, e, side));
    }
  return PL_OK;
}

// the nodes of sides of elements, or of sets of nodes, under the surface's name
static pl_status read_surface(inp *k) {
  const span *name = find_parameter(k, "NAME"), *type = find_parameter(k, "TYPE");
  int nodes = type && is(*type, "NODE"), set;
  if (!name) return pl_load_fail(k->in, NULL, "a surface without a name");
  if (type && !nodes && !is(*type, "ELEMENT")) return PL_OK;
  PL_TRY(find_set(k, *name, 1, &set));
  k->nsurface++;
  while (data_line(k)) {
    int64_t id;
    if (!nodes) {
      PL_TRY(read_side(k, set));
      continue;
    }
    int last;
    span f = bare_name(k, read_field(k, &last));
    PL_TRY(is_whole(f, &id) ? put_member(k, set, 1, id) : put_named(k, set, f));
  }
  return PL_OK;
}

// ---- nodes ------------------------------------------------------------------------------------

// the set that a *NODE or *ELEMENT line names, -1: none
static pl_status block_set(inp *k, const char *parameter, int *set) {
  const span *name = find_parameter(k, parameter);
  *set = -1;
  return name ? find_set(k, *name, 1, set) : PL_OK;
}

static pl_status read_nodes(inp *k) {
  if (k->in_assembly)
    return pl_load_fail(k->in, flat,
                        "nodes of an assembly, such as reference points, are not read");
  const span *system = find_parameter(k, "SYSTEM");
  if (system && !is(*system, "R"))
    return pl_load_fail(k->in, "write nodes with x, y and z",
                        "nodes in cylindrical or spherical coordinates are not read");
  int set;
  PL_TRY(block_set(k, "NSET", &set));
  while (data_line(k)) {
    int64_t id;
    double x[3] = {0};
    int last, at = k->in->nvert;
    PL_TRY(whole(k, read_field(k, &last), "the number of a node", &id));
    for (int c = 0; c < 3 && !last; c++) PL_TRY(real(k, read_field(k, &last), &x[c]));
    PL_TRY(pl_load_ids_add(k->in, &k->node, id, at));
    PL_TRY(pl_load_vertex(k->in, x[0], x[1], x[2]));
    if (set >= 0) PL_TRY(pl_load_put(k->in, set, PL_READ_VERTEX, at, at + 1));
  }
  return PL_OK;
}

// ---- elements ---------------------------------------------------------------------------------

static pl_status cell_type(inp *k, int *type) {
  const span *name = find_parameter(k, "TYPE");
  char word[PL_READ_WORD];
  if (!name || name->n == 0) return pl_load_fail(k->in, NULL, "*ELEMENT without a TYPE");
  *type = inp_cell_type(name->s, name->n);
  if (*type == INP_SECOND_ORDER)
    return pl_load_fail(
        k->in,
        "of second order, lines, triangles (S6), quads (S8), C3D10, C3D15 and C3D20 are read",
        "elements of type %s are not read", show(*name, word));
  if (*type == INP_UNKNOWN)
    return pl_load_fail(k->in,
                        "lines (T3D2 B31), triangles (S3 S6), quads (S4 S8), C3D4, C3D6, C3D8, "
                        "C3D10, C3D15 and C3D20 are read; remove this block",
                        "unknown element type '%s'", show(*name, word));
  if (*type < 0) {
    pl_report(k->in->env, PL_WARNING, k->in->name, k->in->line, 0, NULL,
              "elements of type %s have no shape: they are left out", show(*name, word));
    return PL_OK;
  }
  if (k->in->keep && (name->n != strlen(inp_cell_name[*type]) || !is(*name, inp_cell_name[*type])))
    inp_note(k->types, sizeof k->types, show(*name, word));
  return PL_OK;
}

// numbers of elements without a shape: sets may name them
static pl_status pass_elements(inp *k) {
  for (int continued = 0; data_line(k);) {
    int64_t id;
    int last = 0, first = !continued;
    continued = k->line.s[k->line.n - 1] == ',';
    if (!first) continue;
    PL_TRY(whole(k, read_field(k, &last), "the number of an element", &id));
    PL_TRY(pl_load_ids_add(k->in, &k->element, id, PASSED));
  }
  return PL_OK;
}

static pl_status read_element(inp *k, int type, int set) {
  int v[PL_CELL_VERT_MAX] = {0}, last;
  int64_t id, node;
  PL_TRY(whole(k, read_field(k, &last), "the number of an element", &id));
  for (int c = 0; c < pl_load_nvert(type); c++) {
    // a comma at the end of a line continues it
    if (!last && k->line.n == 0 && !data_line(k)) last = 1;
    if (last)
      return pl_load_fail(k->in, NULL, "element %lld has %d nodes; it needs %d", (long long)id, c,
                          pl_load_nvert(type));
    PL_TRY(whole(k, read_field(k, &last), "the number of a node", &node));
    v[c] = pl_load_ids_find(&k->node, node);
    if (v[c] < 0)
      return pl_load_fail(k->in, NULL, "an element names node %lld, which is not there",
                          (long long)node);
  }
  if (k->line.n > 0)
    return pl_load_fail(k->in, NULL, "element %lld has more than %d nodes", (long long)id,
                        pl_load_nvert(type));
  // of lines of second order the middle stands second
  if (type == PL_SEG3) {
    int middle = v[1];
    v[1] = v[2];
    v[2] = middle;
  }
  int at = k->in->cell[type].n;
  if (at > (INT32_MAX - PL_READ_VERTEX) / PL_READ_VERTEX)
    return pl_load_fail(k->in, NULL, "too many elements");
  PL_TRY(pl_load_ids_add(k->in, &k->element, id, at * PL_READ_VERTEX + type));
  PL_TRY(pl_load_cell(k->in, type, v));
  return set >= 0 ? pl_load_put(k->in, set, type, at, at + 1) : PL_OK;
}

static pl_status read_elements(inp *k) {
  int type = 0, set;
  PL_TRY(cell_type(k, &type));
  PL_TRY(block_set(k, "ELSET", &set));
  if (type < 0) return pass_elements(k);
  while (data_line(k)) PL_TRY(read_element(k, type, set));
  return PL_OK;
}

// ---- parts and what is refused ----------------------------------------------------------------

static pl_status read_part(inp *k) {
  if (++k->npart > 1) return pl_load_fail(k->in, flat, "more than one part");
  return PL_OK;
}

static pl_status read_instance(inp *k) {
  const span *name = find_parameter(k, "NAME");
  if (name) k->instance = *name;
  if (++k->ninstance > 1) return pl_load_fail(k->in, flat, "more than one instance of a part");
  k->in_assembly = 0;
  if (data_line(k)) return pl_load_fail(k->in, flat, "an instance that is moved");
  return PL_OK;
}

static pl_status read_assembly(inp *k) {
  k->in_assembly = 1;
  return PL_OK;
}

// the text of an included file, read when it is met first
static pl_status load_file(inp *k, const char *path, const included **out) {
  pl_load *in = k->in;
  for (int i = 0; i < k->nfile; i++)
    if (strcmp(k->file[i].path, path) == 0) {
      *out = &k->file[i];
      return PL_OK;
    }
  if (k->nfile == FILES_MAX) return pl_load_fail(in, NULL, "more than %d files", FILES_MAX);
  PL_TRY(pl_grow(in->env, &k->file, k->nfile, &k->cap_file, sizeof *k->file));
  included f = {.path = pl_alloc(in->env, strlen(path) + 1, 1)};
  if (!f.path) return PL_E_NOMEM;
  strcpy(f.path, path);
  pl_status s = pl_file_read(in->env, path, 0, &f.data, &f.size);
  if (s != PL_OK) {
    pl_free(in->env, f.path);
    return s;
  }
  k->file[k->nfile] = f;
  *out = &k->file[k->nfile++];
  return PL_OK;
}

// is the file, its links resolved, in the folder of the mesh file or below? Scenes that may read
// one folder alone rely on it
static int is_below(const char *mesh, const char *path) {
  char top[PATH_MAX], real[PATH_MAX];
  if (!realpath(mesh, top) || !realpath(path, real)) return 0;
  size_t n = (size_t)(strrchr(top, '/') + 1 - top);
  return strncmp(real, top, n) == 0;
}

// goes on with the file of INPUT, named relative to the one that names it, up to its end
static pl_status include(inp *k) {
  pl_load *in = k->in;
  const span *name = find_parameter(k, "INPUT");
  char path[4096];
  const included *f = NULL;
  if (!name || name->n == 0)
    return pl_load_fail(in, "*INCLUDE, INPUT=file.inp", "a file is included without its name");
  if (!in->from_file)
    return pl_load_fail(in, "put the lines of that file here",
                        "*INCLUDE is read in files only, not in text from elsewhere");
  if (k->depth == DEPTH_MAX)
    return pl_load_fail(in, "does a file include itself?", "files include each other %d deep",
                        DEPTH_MAX);
  const char *slash = name->s[0] == '/' ? NULL : strrchr(k->at.name, '/');
  int folder = slash ? (int)(slash + 1 - k->at.name) : 0;
  int n = snprintf(path, sizeof path, "%.*s%.*s", folder, k->at.name, (int)name->n, name->s);
  if (n < 0 || (size_t)n >= sizeof path) return pl_load_fail(in, NULL, "a path that is too long");
  if (access(path, R_OK))
    return pl_load_fail(in, "names are relative to the file that has *INCLUDE",
                        "the file '%s' cannot be read", path);
  if (!is_below(k->main, path))
    return pl_load_fail(in, "put a copy of it beside the mesh file",
                        "the file '%s' is not in the folder of the mesh file", path);
  PL_TRY(load_file(k, path, &f));
  k->around[k->depth++] = k->at;
  k->at = (place){f->path, f->data, f->data + f->size, 0};
  return PL_OK;
}

static pl_status refuse_system(inp *k) {
  return pl_load_fail(k->in, "write nodes with x, y and z", "*SYSTEM is not read");
}

static pl_status refuse_made(inp *k) {
  return pl_load_fail(k->in, "write all nodes and elements out",
                      "nodes or elements that are made by a keyword are not read");
}

static const struct {
  const char *name;
  pass when;
  pl_status (*read)(inp *k);
} keywords[] = {{"NODE", NODES, read_nodes},
                {"ELEMENT", ELEMENTS, read_elements},
                {"NSET", SETS, read_nset},
                {"ELSET", SETS, read_elset},
                {"SURFACE", SURFACES, read_surface},
                {"PART", NODES, read_part},
                {"INSTANCE", NODES, read_instance},
                {"ASSEMBLY", NODES, read_assembly},
                {"ENDINSTANCE", NODES, read_assembly},
                {"SYSTEM", NODES, refuse_system},
                {"NGEN", NODES, refuse_made},
                {"NFILL", NODES, refuse_made},
                {"NCOPY", NODES, refuse_made},
                {"NMAP", NODES, refuse_made},
                {"ELGEN", NODES, refuse_made},
                {"ELCOPY", NODES, refuse_made}};

static void note_keyword(inp *k, const char *keyword) {
  static const char *const quiet[] = {"HEADING", "INCLUDE", "ENDPART", "ENDASSEMBLY", "PREPRINT"};
  for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
    if (strcasecmp(keyword, quiet[i]) == 0) return;
  char word[PL_READ_WORD + 1] = "*";
  for (int i = 0; keyword[i]; i++)
    word[1 + i] = (char)(keyword[i] >= 'a' && keyword[i] <= 'z' ? keyword[i] - 32 : keyword[i]);
  word[1 + strlen(keyword)] = 0;
  inp_note(k->passed, sizeof k->passed, word);
}

// do nodes, and elements type by type, have the numbers that they get where they are written?
static int keeps_numbers(const inp *k) {
  int first[PL_READ_VERTEX], all = 0, same = 1;
  for (int i = 0; i < k->node.n && same; i++)
    same = k->node.at[i].id == i + 1 && k->node.at[i].index == i;
  for (int t = 0; t < PL_READ_VERTEX; t++) {
    first[t] = all;
    all += k->in->cell[t].n;
  }
  for (int i = 0; i < k->element.n && same; i++) {
    int at = k->element.at[i].index;
    same =
        at == PASSED || k->element.at[i].id == first[at % PL_READ_VERTEX] + at / PL_READ_VERTEX + 1;
  }
  return same;
}

static void tell_passed(inp *k) {
  k->in->line = 0;
  if (!keeps_numbers(k))
    pl_report(k->in->env, PL_NOTE, k->in->name, 0, 0, NULL,
              "nodes and elements get new numbers, from 1 on and by types");
  if (k->passed[0]) pl_load_lost(k->in, NULL, "what these keywords say is left out: %s", k->passed);
  if (k->types[0])
    pl_load_lost(k->in, NULL, "how elements are integrated and what they stand for is left out: %s",
                 k->types);
  if (k->nsurface > 0)
    pl_load_lost(k->in, NULL, "%d %s the %s of their nodes", k->nsurface,
                 pl_plural(k->nsurface, "surface becomes", "surfaces become"),
                 pl_plural(k->nsurface, "set", "sets"));
}

// one keyword and its data; the line is then the next keyword
static pl_status read_block(inp *k) {
  char keyword[PL_READ_WORD], word[PL_READ_WORD];
  if (k->line.s[0] != '*')
    return pl_load_fail(k->in, NULL, "expected a keyword such as *NODE, got '%s'",
                        show(k->line, word));
  PL_TRY(read_keyword(k, keyword, sizeof keyword));
  k->open = 1;
  if (strcasecmp(keyword, "INCLUDE") == 0) {
    PL_TRY(include(k));
    k->more = next_line(k);
    return PL_OK;
  }
  int known = 0;
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
    known |= strcasecmp(keyword, keywords[i].name) == 0;
  if (!known && k->now == NODES && k->in->keep) note_keyword(k, keyword);
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
    if (keywords[i].when == k->now && strcasecmp(keyword, keywords[i].name) == 0) {
      if ((keywords[i].read == read_nodes || keywords[i].read == read_elements) &&
          find_parameter(k, "INPUT"))
        PL_TRY(include(k));
      PL_TRY(keywords[i].read(k));
    }
  // what was not read is passed over
  while (k->open) data_line(k);
  return PL_OK;
}

static pl_status read_all(inp *k) {
  const place begin = {k->in->name, k->in->at, k->in->end, 0};
  for (k->now = NODES; k->now < PASS_COUNT; k->now++) {
    k->at = begin;
    k->more = next_line(k);
    while (k->more) PL_TRY(read_block(k));
    if (k->now == NODES) PL_TRY(pl_load_ids_sort(k->in, &k->node, "node"));
    if (k->now == ELEMENTS) PL_TRY(pl_load_ids_sort(k->in, &k->element, "element"));
  }
  if (k->in->keep) tell_passed(k);
  return PL_OK;
}

pl_status pl_read_inp(pl_load *in) {
  const char *name = in->name;
  inp k = {.in = in, .main = name};
  pl_status s = read_all(&k);
  for (int i = 0; i < k.nfile; i++) {
    pl_free(in->env, k.file[i].path);
    pl_free(in->env, k.file[i].data);
  }
  in->name = name;
  pl_free(in->env, k.file);
  pl_free(in->env, k.node.at);
  pl_free(in->env, k.element.at);
  pl_free(in->env, k.name);
  pl_free(in->env, k.set);
  pl_free(in->env, k.by_name.slot);
  return s;
}
