#include "read_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- messages ---------------------------------------------------------------------------------

pl_status pl_load_fail(pl_load *in, const char *hint, const char *fmt, ...) {
  char text[PL_TEXT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  if (in->line) return pl_fail_at(in->env, PL_E_INPUT, in->name, in->line, 0, hint, "%s", text);
  return pl_fail_at(in->env, PL_E_INPUT, in->name, 0, 0, hint, "%s (at byte %zu)", text,
                    (size_t)(in->at - in->begin));
}

// ---- scanning ---------------------------------------------------------------------------------

void pl_skip_line(pl_load *in) {
  const char *stop = memchr(in->at, '\n', (size_t)(in->end - in->at));
  in->at = stop ? stop + 1 : in->end;
  if (stop && in->line) in->line++;
}

size_t pl_word_length(const pl_load *in) {
  const char *p = in->at;
  while (p < in->end && !pl_is_space(*p)) p++;
  return (size_t)(p - in->at);
}

int pl_word_is(const pl_load *in, const char *word) {
  size_t n = strlen(word);
  return (size_t)(in->end - in->at) >= n && strncasecmp(in->at, word, n) == 0 &&
         (in->at + n == in->end || pl_is_space(in->at[n]));
}

const char *pl_word_show(const pl_load *in, char *out) {
  // room for three dots and the end
  size_t n = pl_word_length(in), keep = n < PL_READ_WORD - 4 ? n : PL_READ_WORD - 4;
  for (size_t i = 0; i < keep; i++) out[i] = in->at[i] >= ' ' && in->at[i] < 127 ? in->at[i] : '?';
  snprintf(out + keep, PL_READ_WORD - keep, "%s", n > keep ? "..." : "");
  return out;
}

int pl_scan_real(pl_load *in, double *out) {
  size_t n = pl_word_length(in);
  if (!pl_number_word(in->at, n, out)) return 0;
  in->at += n;
  return 1;
}

const int pl_number_size[PL_NUMBER_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

double pl_number_decode(pl_number type, const void *bytes) {
  union {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
  } u;
  memcpy(&u, bytes, (size_t)pl_number_size[type]);
  switch (type) {
  case PL_I8:
    return u.i8;
  case PL_U8:
    return u.u8;
  case PL_I16:
    return u.i16;
  case PL_U16:
    return u.u16;
  case PL_I32:
    return u.i32;
  case PL_U32:
    return u.u32;
  case PL_I64:
    return (double)u.i64;
  case PL_U64:
    return (double)u.u64;
  case PL_F32:
    return (double)u.f32;
  default:
    return u.f64;
  }
}

// ---- what a reader fills ----------------------------------------------------------------------

pl_status pl_load_vertex(pl_load *in, double x, double y, double z) {
  // NaN is caught where it is born
  if (!isfinite(x) || !isfinite(y) || !isfinite(z))
    return pl_load_fail(in, NULL, "vertex %d has a coordinate that is not finite (%g, %g, %g)",
                        in->nvert + 1, x, y, z);
  // squares of distances must not overflow
  if (fabs(x) > PL_READ_FAR || fabs(y) > PL_READ_FAR || fabs(z) > PL_READ_FAR)
    return pl_load_fail(in, NULL, "vertex %d is too far away (%g, %g, %g)", in->nvert + 1, x, y, z);
  if (in->nvert >= in->most) return pl_load_fail(in, NULL, "more than %d vertices", in->most);
  PL_TRY(pl_grow(in->env, &in->X, in->nvert, &in->cap_vert, sizeof in->X[0]));
  double *X = in->X[in->nvert++];
  X[0] = x;
  X[1] = y;
  X[2] = z;
  if (in->nvert % PL_READ_PROGRESS == 0) PL_TRY(pl_report_progress(in->env, "read mesh", -1, NULL));
  return PL_OK;
}

pl_status pl_load_cell(pl_load *in, int type, const int *v) {
  pl_load_cells *c = &in->cell[type];
  size_t size = (size_t)pl_load_nvert(type) * sizeof *v;
  if (c->n >= PL_READ_MAX)
    return pl_load_fail(in, NULL, "more than %d cells of one type", PL_READ_MAX);
  PL_TRY(pl_grow(in->env, &c->v, c->n, &c->cap, size));
  memcpy(c->v + (size_t)c->n * (size_t)pl_load_nvert(type), v, size);
  c->n++;
  if (c->n % PL_READ_PROGRESS == 0) PL_TRY(pl_report_progress(in->env, "read mesh", -1, NULL));
  return PL_OK;
}

pl_status pl_load_polygon(pl_load *in, int n, const int *v) {
  if (n < 3) return pl_load_fail(in, NULL, "a face needs 3 vertices or more, got %d", n);
  if (n == 4) return pl_load_cell(in, PL_QUAD4, v);

  in->npolygon += n > 4;

  // right for convex polygons, which is what modellers write
  for (int k = 1; k + 1 < n; k++) {
    int tri[3] = {v[0], v[k], v[k + 1]};
    PL_TRY(pl_load_cell(in, PL_TRI3, tri));
  }
  return PL_OK;
}

pl_status pl_load_find_set(pl_load *in, const char *name, size_t n, int *set) {
  if (n > PL_READ_NAME)
    return pl_load_fail(in, NULL, "a name of %zu bytes; at most %d", n, PL_READ_NAME);
  if (!in->slot) in->slot = pl_alloc(in->env, PL_READ_SLOT, sizeof *in->slot);
  if (!in->slot) return PL_E_NOMEM;
  size_t at = pl_hash(0, name, n) % PL_READ_SLOT;
  for (; in->slot[at]; at = (at + 1) % PL_READ_SLOT) {
    *set = in->slot[at] - 1;
    if (strlen(in->set[*set].name) == n && memcmp(in->set[*set].name, name, n) == 0) return PL_OK;
  }
  // a new name; the limit keeps the table at most a third full
  if (in->nset >= PL_READ_SETS)
    return pl_load_fail(in, "remove the groups that are not needed",
                        "more than %d groups or named sets", PL_READ_SETS);
  PL_TRY(pl_grow(in->env, &in->set, in->nset, &in->cap_set, sizeof *in->set));
  char *copy = pl_alloc(in->env, n + 1, 1);
  if (!copy) return PL_E_NOMEM;
  memcpy(copy, name, n);
  in->set[in->nset] = (pl_load_set){.name = copy};
  *set = in->nset++;
  in->slot[at] = in->nset;
  return PL_OK;
}

static int compare_run(const void *a, const void *b) {
  const int *p = a, *q = b;
  return (p[0] > q[0]) - (p[0] < q[0]);
}

void pl_load_merge(pl_load_runs *r) {
  int n = 0;
  if (r->n > 1) qsort(r->run, (size_t)r->n, sizeof r->run[0], compare_run);
  for (int k = 0; k < r->n; k++) {
    int *run = r->run[k], *last = n > 0 ? r->run[n - 1] : NULL;
    if (last && run[0] <= last[1]) {
      if (run[1] > last[1]) last[1] = run[1];
      continue;
    }
    memmove(r->run[n++], run, sizeof r->run[0]);
  }
  r->n = n;
}

pl_status pl_load_put(pl_load *in, int set, int list, int first, int last) {
  if (first >= last) return PL_OK;

  // files keep the members of a group together, so most calls only lengthen the last run
  pl_load_runs *r = &in->set[set].list[list];
  if (r->n > 0 && r->run[r->n - 1][1] == first) {
    r->run[r->n - 1][1] = last;
    return PL_OK;
  }
  // repeats are taken out before there is more room: it grows with what is in the set
  if (r->n == r->cap) {
    pl_load_merge(r);
    if (2 * r->n >= r->cap) PL_TRY(pl_grow(in->env, &r->run, r->cap, &r->cap, sizeof r->run[0]));
  }
  r->run[r->n][0] = first;
  r->run[r->n][1] = last;
  r->n++;
  return PL_OK;
}

pl_status pl_load_name_set(pl_load *in, const char *name, size_t n, int *set) {
  char clean[PL_READ_NAME];
  if (n > sizeof clean) return pl_load_find_set(in, name, n, set);
  int utf8 = pl_load_utf8(name, n);
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)name[i];
    clean[i] = c < 32 || c == 127 || (!utf8 && c > 127) ? '_' : name[i];
  }
  if (!utf8)
    pl_report(in->env, PL_WARNING, in->name, in->line, 0, "save the file as UTF-8",
              "the group name is not UTF-8; it is kept as '%.*s'", (int)n, clean);
  return pl_load_find_set(in, clean, n, set);
}

pl_status pl_load_ids_add(pl_load *in, pl_load_ids *ids, int64_t id, int index) {
  PL_TRY(pl_grow(in->env, &ids->at, ids->n, &ids->cap, sizeof *ids->at));
  ids->at[ids->n++] = (pl_load_id){.id = id, .index = index, .line = in->line};
  return PL_OK;
}

static int compare_id(const void *a, const void *b) {
  const pl_load_id *p = a, *q = b;
  return p->id != q->id ? (p->id > q->id) - (p->id < q->id)
                        : (p->index > q->index) - (p->index < q->index);
}

pl_status pl_load_ids_sort(pl_load *in, pl_load_ids *ids, const char *what) {
  int sorted = 1;
  for (int k = 1; k < ids->n && sorted; k++) sorted = ids->at[k - 1].id < ids->at[k].id;
  if (sorted) return PL_OK;
  qsort(ids->at, (size_t)ids->n, sizeof *ids->at, compare_id);
  for (int k = 1; k < ids->n; k++)
    if (ids->at[k - 1].id == ids->at[k].id) {
      in->line = ids->at[k].line;
      return pl_load_fail(in, NULL, "%s %lld is there twice", what, (long long)ids->at[k].id);
    }
  return PL_OK;
}

int pl_load_ids_find(const pl_load_ids *ids, int64_t id) {
  // numbers mostly run without gaps
  int64_t guess = ids->n > 0 && id >= ids->at[0].id ? id - ids->at[0].id : ids->n;
  if (guess < ids->n && ids->at[guess].id == id) return ids->at[guess].index;
  int lo = 0, hi = ids->n;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (ids->at[mid].id < id)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < ids->n && ids->at[lo].id == id ? ids->at[lo].index : -1;
}

// slot of the record that equals key, or the free one where it belongs
static int find_slot(const pl_load_hash *h, const char *base, size_t size, const char *key) {
  size_t mask = (size_t)h->nslot - 1, code = pl_hash(0, key, size) & mask;
  while (h->slot[code] && memcmp(base + (size_t)(h->slot[code] - 1) * size, key, size) != 0)
    code = (code + 1) & mask;
  return (int)code;
}

pl_status pl_load_find(pl_env *env, pl_load_hash *h, const void *base, size_t size, int n,
                       const void *key, int **slot) {
  // doubled before it is more than half full
  if (2 * (n + 1) > h->nslot) {
    pl_load_hash more = {.nslot = h->nslot ? 2 * h->nslot : 1024};
    more.slot = pl_alloc(env, (size_t)more.nslot, sizeof *more.slot);
    if (!more.slot) return PL_E_NOMEM;
    for (int i = 0; i < n; i++)
      more.slot[find_slot(&more, base, size, (const char *)base + (size_t)i * size)] = i + 1;
    pl_free(env, h->slot);
    *h = more;
  }
  *slot = &h->slot[find_slot(h, base, size, key)];
  return PL_OK;
}

int pl_load_utf8(const char *s, size_t n) {
  for (size_t i = 0; i < n;) {
    size_t len = pl_utf8_length(s + i, n - i);
    if (!len) return 0;
    i += len;
  }
  return 1;
}

// to[i]: 1 where a vertex is in a cell or a set
static void mark_used(const pl_load *in, int *to) {
  for (int t = 0; t < PL_READ_VERTEX; t++)
    for (int i = 0; i < in->cell[t].n * pl_load_nvert(t); i++) to[in->cell[t].v[i]] = 1;
  for (int k = 0; k < in->nset; k++) {
    const pl_load_runs *r = &in->set[k].list[PL_READ_VERTEX];
    for (int i = 0; i < r->n; i++)
      for (int v = r->run[i][0]; v < r->run[i][1]; v++) to[v] = 1;
  }
}

pl_status pl_load_compact(pl_load *in) {
  int *to = pl_alloc(in->env, (size_t)in->nvert + 1, sizeof *to), n = 0;
  if (!to) return PL_E_NOMEM;
  mark_used(in, to);
  for (int i = 0; i < in->nvert; i++) {
    int used = to[i];
    to[i] = n;
    if (used) memmove(in->X[n++], in->X[i], sizeof in->X[0]);
  }
  for (int t = 0; t < PL_READ_VERTEX; t++)
    for (int i = 0; i < in->cell[t].n * pl_load_nvert(t); i++)
      in->cell[t].v[i] = to[in->cell[t].v[i]];
  for (int k = 0; k < in->nset; k++) {
    pl_load_runs *r = &in->set[k].list[PL_READ_VERTEX];
    for (int i = 0; i < r->n; i++) {
      int last = to[r->run[i][1] - 1] + 1;
      r->run[i][0] = to[r->run[i][0]];
      r->run[i][1] = last;
    }
  }
  in->nvert = n;
  pl_free(in->env, to);
  return PL_OK;
}

void pl_load_release(pl_load *in) {
  for (int k = 0; k < in->nset; k++) {
    for (int t = 0; t < PL_READ_LIST; t++) pl_free(in->env, in->set[k].list[t].run);
    pl_free(in->env, in->set[k].name);
  }
  for (int k = 0; k < in->nfield; k++) {
    pl_free(in->env, in->field[k].name);
    pl_free(in->env, in->field[k].data);
  }
  pl_free(in->env, in->field);
  for (int t = 0; t < PL_READ_VERTEX; t++) pl_free(in->env, in->cell[t].v);
  pl_free(in->env, in->set);
  pl_free(in->env, in->slot);
  pl_free(in->env, in->X);
}

static pl_status finish_set(pl_load *in, const pl_load_set *set, int list, pl_mesh *m) {
  const pl_load_runs *r = &set->list[list];
  size_t n = 0;
  for (int k = 0; k < r->n; k++) n += (size_t)(r->run[k][1] - r->run[k][0]);
  if (n == 0) return PL_OK;
  // repeats are possible: one vertex may be marked by many point elements
  if (n > INT32_MAX) return pl_load_fail(in, NULL, "set '%s' has too many members", set->name);
  int *index = pl_alloc(in->env, n, sizeof *index);
  if (!index) return PL_E_NOMEM;
  int at = 0;
  for (int k = 0; k < r->n; k++)
    for (int i = r->run[k][0]; i < r->run[k][1]; i++) index[at++] = i;
  pl_status s = pl_mesh_add_set(m, set->name, list == PL_READ_VERTEX ? -1 : list, at, index);
  pl_free(in->env, index);
  return s;
}

static pl_status finish_parts(pl_load *in, pl_mesh *m) {
  memcpy(m->X, in->X, (size_t)in->nvert * sizeof in->X[0]);
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    if (in->cell[t].n == 0) continue;
    PL_TRY(pl_mesh_set_cells(m, (pl_cell_type)t, in->cell[t].n));
    memcpy(m->cell[t].v, in->cell[t].v,
           (size_t)in->cell[t].n * (size_t)pl_cell_nvert[t] * sizeof(int));
  }
  for (int k = 0; k < in->nset; k++)
    for (int t = 0; t < PL_READ_LIST; t++) PL_TRY(finish_set(in, &in->set[k], t, m));
  return PL_OK;
}

pl_status pl_load_mesh(pl_load *in, pl_mesh **out) {
  PL_TRY(pl_mesh_create(in->env, in->name, in->nvert, out));
  pl_status s = finish_parts(in, *out);
  if (s != PL_OK) {
    pl_mesh_free(*out);
    *out = NULL;
  }
  return s;
}

// ---- formats ----------------------------------------------------------------------------------

typedef struct reader {
  const char *ending, *title;
  pl_status (*read)(pl_load *in);
} reader;

#define ROW(ending, title) {#ending, title, pl_read_##ending},
static const reader formats[] = {PL_MESH_FORMATS(ROW)};
#undef ROW
enum { NFORMAT = sizeof formats / sizeof formats[0] };

static int format_by_ending(const char *ending) {
  for (int k = 0; k < NFORMAT; k++)
    if (strcasecmp(ending, formats[k].ending) == 0) return k;
  return -1;
}

// the format that the first bytes speak of, as an index; -1: they do not say
static int format_by_content(const char *s, size_t n) {
  static const struct {
    const char *magic, *ending;
  } known[] = {{"ply\n", "ply"}, {"ply\r", "ply"},    {"$MeshFormat", "msh"}, {"$NOD", "msh"},
               {"<?xml", "vtu"}, {"<VTKFile", "vtu"}, {"solid ", "stl"},      {"PK\3\4", "npz"}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    size_t len = strlen(known[k].magic);
    if (n >= len && memcmp(s, known[k].magic, len) == 0) return format_by_ending(known[k].ending);
  }
  return -1;
}

static pl_status confirm(pl_load *in, int want) {
  size_t n = (size_t)(in->end - in->at);
  if (n == 0) return pl_fail_at(in->env, PL_E_INPUT, in->name, 0, 0, NULL, "the file is empty");
  if (n > 2 && memcmp(in->at, "\x1f\x8b", 2) == 0)
    return pl_fail_at(in->env, PL_E_INPUT, in->name, 0, 0, "unpack it with gunzip",
                      "the file is compressed with gzip");
  if (n > 5 && memcmp(in->at, "# vtk", 5) == 0)
    return pl_fail_at(in->env, PL_E_INPUT, in->name, 0, 0, "save it as VTU (XML) instead",
                      "legacy VTK files are not read");

  // a binary STL may begin with anything
  if (formats[want].read == pl_read_stl) return PL_OK;
  if (n > 2 && (memcmp(in->at, "\xff\xfe", 2) == 0 || memcmp(in->at, "\xfe\xff", 2) == 0))
    return pl_fail_at(in->env, PL_E_INPUT, in->name, 0, 0, "save it as plain text or UTF-8",
                      "the file is UTF-16 text");
  int found = format_by_content(in->at, n);
  if (found >= 0 && found != want) {
    char hint[PL_READ_WORD];
    snprintf(hint, sizeof hint, "rename it to end in .%s", formats[found].ending);
    return pl_fail_at(in->env, PL_E_INPUT, in->name, 0, 0, hint, "the content is %s, not %s",
                      formats[found].title, formats[want].title);
  }
  return PL_OK;
}

static pl_status check_some(pl_load *in) {
  int ncell = 0;
  for (int t = 0; t < PL_READ_VERTEX; t++) ncell |= in->cell[t].n;
  if (in->nvert == 0)
    return pl_fail_at(in->env, PL_E_INPUT, in->name, 0, 0, NULL, "there are no vertices");
  if (ncell == 0)
    return pl_fail_at(in->env, PL_E_INPUT, in->name, 0, 0, NULL,
                      "there are %d vertices but no lines, faces or solids", in->nvert);
  return PL_OK;
}

pl_status pl_load_read(pl_load *in, const char *ending) {
  int want = format_by_ending(ending);
  if (want < 0)
    return pl_fail(in->env, PL_E_ARG, "unknown mesh format '%s'; known:" PL_MESH_ENDINGS, ending);
  in->at = in->begin;
  in->line = 1;
  in->size = (size_t)(in->end - in->begin);
  if (in->most <= 0 || in->most > PL_READ_MAX) in->most = PL_READ_MAX;
  // the byte order mark that some editors put before text
  if (in->end - in->at >= 3 && memcmp(in->at, "\xef\xbb\xbf", 3) == 0) in->at += 3;
  PL_TRY(confirm(in, want));
  PL_TRY(formats[want].read(in));
  in->line = 0;
  if (in->npolygon > 0)
    pl_load_lost(in, NULL, "%d %s of more than four corners %s cut into triangles", in->npolygon,
                 pl_plural(in->npolygon, "face", "faces"), pl_plural(in->npolygon, "is", "are"));
  return check_some(in);
}

static pl_status parse(pl_env *env, const char *ending, const char *name, const char *data,
                       size_t size, int from_file, int most, pl_mesh **out) {
  pl_load in = {.env = env,
                .name = name,
                .begin = data,
                .end = data + size,
                .from_file = from_file,
                .most = most};
  pl_status s = pl_load_read(&in, ending);
  if (s == PL_OK) s = pl_load_split(&in);
  if (s == PL_OK) s = pl_load_mesh(&in, out);
  pl_load_release(&in);
  return s;
}

pl_status pl_mesh_parse(pl_env *env, const char *format, const char *name, const char *data,
                        size_t size, pl_mesh **out) {
  *out = NULL;
  return parse(env, format, name, data, size, 0, 0, out);
}

// shapes that a mesher reads
static int is_geometry(const char *dot) {
  static const char *const ending[] = {".step", ".stp", ".iges", ".igs", ".brep", ".geo"};
  for (int k = 0; dot && k < (int)(sizeof ending / sizeof *ending); k++)
    if (strcasecmp(dot, ending[k]) == 0) return 1;
  return 0;
}

pl_status pl_mesh_read(pl_env *env, const char *path, pl_mesh **out) {
  return pl_mesh_read_most(env, path, 0, out);
}

pl_status pl_load_ending(pl_env *env, const char *path, const char **ending) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash ? slash : path, '.');
  *ending = dot ? dot + 1 : "";
  if (format_by_ending(*ending) >= 0) return PL_OK;
  return pl_fail_at(env, PL_E_INPUT, path, 0, 0,
                    is_geometry(dot)
                        ? "mesh it first, e.g. gmsh -3 part.step -o part.msh (-2 for a shell)"
                        : "meshes are read from files that end in" PL_MESH_ENDINGS,
                    "the name's ending '%s' is not that of a mesh file", dot ? dot : "");
}

pl_status pl_mesh_read_most(pl_env *env, const char *path, int most, pl_mesh **out) {
  const char *ending;
  *out = NULL;
  PL_TRY(pl_load_ending(env, path, &ending));
  char *data;
  size_t size;
  PL_TRY(pl_file_read(env, path, 0, &data, &size));
  pl_status s = parse(env, ending, path, data, size, 1, most, out);
  pl_free(env, data);
  return s;
}
