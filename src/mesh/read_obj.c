#include "read_impl.h"

#include <string.h>

// Wavefront OBJ: v, f, l, g and o; every other statement is passed over. Faces and lines may name
// vertices that come later, so the largest number is checked at the end.

enum { ACTIVE_MAX = 16 }; // groups that one g statement can open

typedef struct obj {
  pl_load *in;
  int ngroup, group[ACTIVE_MAX]; // sets of the open groups
  int object;                    // set of the open object, -1: none
  int64_t far;                   // largest vertex number beyond those read so far
  int far_line;
  char passed[PL_READ_WORD]; // first statement that is passed over
  int npassed;
} obj;

// Skips blanks and continued line ends; returns 0 at the end of the statement.
static int more(pl_load *in) {
  while (pl_skip_blank(in)) {
    const char *p = in->at;
    if (*p == '#') return 0;
    if (*p++ != '\\') return 1;
    while (p < in->end && pl_is_blank(*p)) p++;
    if (p < in->end && *p != '\n') return 1;
    in->at = p < in->end ? p + 1 : p;
    in->line += p < in->end;
  }
  return 0;
}

static pl_status vertex(obj *o) {
  pl_load *in = o->in;
  double x[3];
  char word[PL_READ_WORD];
  for (int k = 0; k < 3; k++) {
    if (!more(in)) return pl_load_fail(in, NULL, "a vertex needs 3 coordinates, got %d", k);
    if (!pl_scan_real(in, &x[k]))
      return pl_load_fail(in, NULL, "'%s' is not a number", pl_word_show(in, word));
  }
  return pl_load_vertex(in, x[0], x[1], x[2]);
}

// one corner: a vertex number, and texture and normal numbers behind slashes that do not matter
static pl_status corner(obj *o, int *v) {
  pl_load *in = o->in;
  const char *first = in->at;
  int64_t k;
  int ok = pl_scan_int(in, &k);
  while (ok && in->at < in->end && !pl_is_space(*in->at) && *in->at != '\\') {
    char c = *in->at++;
    ok = c == '/' || c == '-' || (c >= '0' && c <= '9');
  }
  if (!ok) {
    char word[PL_READ_WORD];
    in->at = first;
    return pl_load_fail(in, "corners are v, v/vt, v//vn or v/vt/vn with whole numbers",
                        "'%s' is not a corner", pl_word_show(in, word));
  }
  // negative numbers count back from the last vertex so far
  if (k == 0 || k < -in->nvert || k > PL_READ_MAX)
    return pl_load_fail(in, k == 0 ? "OBJ counts from 1" : NULL,
                        "vertex %lld is out of range: %d %s so far", (long long)k, in->nvert,
                        pl_plural(in->nvert, "vertex", "vertices"));
  if (k > in->nvert && k > o->far) {
    o->far = k;
    o->far_line = in->line;
  }
  *v = (int)(k > 0 ? k - 1 : k + in->nvert);
  return PL_OK;
}

// puts what a statement added to a cell type into the open groups and the open object
static pl_status join(obj *o, pl_cell_type type, int first) {
  int last = o->in->cell[type].n;
  for (int k = 0; k < o->ngroup; k++)
    PL_TRY(pl_load_put(o->in, o->group[k], (int)type, first, last));
  if (o->object >= 0) PL_TRY(pl_load_put(o->in, o->object, (int)type, first, last));
  return PL_OK;
}

static pl_status face(obj *o) {
  pl_load *in = o->in;
  int v[PL_READ_POLYGON], n = 0;
  while (more(in)) {
    if (n == PL_READ_POLYGON)
      return pl_load_fail(in, "triangulate the faces when exporting",
                          "a face of more than %d vertices", PL_READ_POLYGON);
    PL_TRY(corner(o, &v[n++]));
  }
  // the polygon may become triangles or a quad
  int ntri = in->cell[PL_TRI3].n, nquad = in->cell[PL_QUAD4].n;
  PL_TRY(pl_load_polygon(in, n, v));
  PL_TRY(join(o, PL_TRI3, ntri));
  return join(o, PL_QUAD4, nquad);
}

static pl_status polyline(obj *o) {
  pl_load *in = o->in;
  int v[2] = {0, 0}, n = 0, first = in->cell[PL_SEG2].n;
  for (; more(in); n++) {
    v[0] = v[1];
    PL_TRY(corner(o, &v[1]));
    if (n > 0) PL_TRY(pl_load_cell(in, PL_SEG2, v));
  }
  if (n < 2) return pl_load_fail(in, NULL, "a line needs 2 vertices or more, got %d", n);
  return join(o, PL_SEG2, first);
}

// opens the groups of a g statement in place of the last ones; none closes them
static pl_status group(obj *o) {
  pl_load *in = o->in;
  o->ngroup = 0;
  while (more(in)) {
    if (o->ngroup == ACTIVE_MAX)
      return pl_load_fail(in, NULL, "more than %d groups at once", ACTIVE_MAX);
    size_t n = pl_word_length(in);
    PL_TRY(pl_load_name_set(in, in->at, n, &o->group[o->ngroup++]));
    in->at += n;
  }
  return PL_OK;
}

// an object's name is the rest of the line, blanks included
static pl_status object(obj *o) {
  pl_load *in = o->in;
  o->object = -1;
  if (!pl_skip_blank(in)) return PL_OK;
  const char *stop = memchr(in->at, '\n', (size_t)(in->end - in->at));
  if (!stop) stop = in->end;
  while (stop > in->at && pl_is_blank(stop[-1])) stop--;
  pl_status s = pl_load_name_set(in, in->at, (size_t)(stop - in->at), &o->object);
  in->at = stop;
  return s;
}

// passes the rest of a statement over, with its continued lines
static void pass(pl_load *in) {
  int comment = *in->at == '#';
  for (;;) {
    const char *first = in->at;
    pl_skip_line(in);
    const char *p = in->at;
    while (p > first && pl_is_space(p[-1])) p--;
    if (comment || in->at == in->end || p == first || p[-1] != '\\') return;
  }
}

// one statement, at its keyword; keywords of one letter are all that matter
static pl_status statement(obj *o) {
  static const struct {
    char key;
    pl_status (*run)(obj *o);
  } table[] = {{'v', vertex}, {'f', face}, {'l', polyline}, {'g', group}, {'o', object}};
  pl_load *in = o->in;
  if (*in->at == 0)
    return pl_load_fail(in, NULL, "a zero byte: this is not a text file, so not an OBJ");
  char key = *in->at;
  int alone = in->at + 1 == in->end || pl_is_space(in->at[1]) || in->at[1] == '\\';
  for (size_t k = 0; alone && k < sizeof table / sizeof table[0]; k++) {
    if (table[k].key != key) continue;
    in->at++;
    PL_TRY(table[k].run(o));
    alone = 2;
    break;
  }
  if (alone < 2 && key != '#' && in->keep && o->npassed++ == 0) pl_word_show(in, o->passed);

  // what is left: colours and weights of a vertex, or a statement that pliant does not need
  if (in->at < in->end) pass(in);
  return PL_OK;
}

pl_status pl_read_obj(pl_load *in) {
  obj o = {.in = in, .object = -1};
  while (pl_skip_space(in)) PL_TRY(statement(&o));
  if (o.npassed > 0)
    pl_load_lost(in, NULL, "%d %s other than v, f, l, g and o %s left out, the first '%s'",
                 o.npassed, pl_plural(o.npassed, "statement", "statements"),
                 pl_plural(o.npassed, "is", "are"), o.passed);
  if (o.far > in->nvert) {
    in->line = o.far_line;
    return pl_load_fail(in, NULL, "vertex %lld is out of range: the file has %d %s",
                        (long long)o.far, in->nvert, pl_plural(in->nvert, "vertex", "vertices"));
  }
  return PL_OK;
}
