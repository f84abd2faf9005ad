#include "scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Selectors: NAME | all | [NAME] where x < 2 mm and ... | [NAME] nearest [x, y, z] |
// [NAME] box [..] [..] | [NAME] group NAME | [NAME] boundary | not S | S and S | S or S | (S)

typedef struct parser {
  reader *r;
  const pl_node *at;
  const char *what, *text, *p;
  int depth;
  int conditions; // inside `where`: comparisons only
} parser;

enum { PAREN_MAX = 32, TEXT_MAX = 1000, SET_DEPTH_MAX = 50 };
static const unsigned choosable = 1u << NAME_NODE | 1u << NAME_SET | 1u << NAME_BODY;

static int parse_or(parser *s, const node_list *scope, node_list *out);

int axis_index(const char *s) {
  if (strlen(s) != 1) return -1;
  return s[0] == 'x' ? 0 : s[0] == 'y' ? 1 : s[0] == 'z' ? 2 : -1;
}

static void complain(const parser *s, const char *hint, const char *why) {
  char buf[MESSAGE_QUOTE + 8], rest[MESSAGE_QUOTE + 8];
  problem(s->r, s->at, hint, "%s: %s at '%s' in '%s'", s->what, why,
          *s->p ? quote(s->p, rest, sizeof rest) : "the end", quote(s->text, buf, sizeof buf));
}

// memory that lasts until the selector is done
static void *scratch(reader *r, size_t count, size_t size) {
  void *p = pl_arena_alloc(r->scratch, count, size);
  if (!p) r->failed = PL_E_NOMEM;
  return p;
}

// ---- sorted lists -----------------------------------------------------------------------------

static int compare_int(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int all_nodes(reader *r, node_list *out) {
  out->n = 0;
  out->v = scratch(r, (size_t)r->b->nnode + 1, sizeof *out->v);
  if (!out->v) return 0;
  for (int i = 0; i < r->b->nnode; i++) out->v[out->n++] = i;
  return 1;
}

// op 'u': union, 'i': intersection, 'd': a without b
static int combine(reader *r, char op, const node_list *a, const node_list *b, node_list *out) {
  int i = 0, j = 0, n = 0;
  int *v = scratch(r, (size_t)a->n + (size_t)b->n + 1, sizeof *v);
  if (!v) return 0;
  while (i < a->n || j < b->n) {
    int in_a = i < a->n && (j >= b->n || a->v[i] <= b->v[j]);
    int in_b = j < b->n && (i >= a->n || b->v[j] <= a->v[i]);
    int at = in_a ? a->v[i] : b->v[j];
    if (op == 'u' || (op == 'i' && in_a && in_b) || (op == 'd' && in_a && !in_b)) v[n++] = at;
    i += in_a;
    j += in_b;
  }
  *out = (node_list){.n = n, .v = v};
  return 1;
}

// sorts and removes repeats
static void tidy(node_list *l) {
  qsort(l->v, (size_t)l->n, sizeof *l->v, compare_int);
  int n = 0;
  for (int i = 0; i < l->n; i++)
    if (n == 0 || l->v[n - 1] != l->v[i]) l->v[n++] = l->v[i];
  l->n = n;
}

// ---- words and values -------------------------------------------------------------------------

static void skip(parser *s) {
  while (*s->p == ' ' || *s->p == '\n') s->p++;
}

static int is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// the word at p into out without moving; returns its length
static size_t peek(parser *s, char *out, size_t size) {
  skip(s);
  size_t n = 0;
  if (*s->p && is_word(*s->p) && *s->p != '-' && !(*s->p >= '0' && *s->p <= '9'))
    while (is_word(s->p[n])) n++;
  if (n >= size) n = size - 1;
  memcpy(out, s->p, n);
  out[n] = 0;
  return n;
}

static int accept_word(parser *s, const char *word) {
  char got[64];
  size_t n = peek(s, got, sizeof got);
  if (n == 0 || strcmp(got, word) != 0) return 0;
  s->p += n;
  return 1;
}

// a length: NUMBER [UNIT], up to a separator
static int parse_length(parser *s, const char *stop, double *out) {
  char text[128];
  unit_dim length = {{0, 1, 0, 0}};
  num v;
  double ignored;
  skip(s);
  size_t n = pl_number_scan(s->p, strlen(s->p), &ignored);
  if (n == 0) {
    complain(s, "write lengths like '2' or '2 mm'; parameters are not possible here",
             "a length is wanted");
    return 0;
  }
  // the unit: up to a separator or a word that joins conditions
  size_t m = n;
  while (s->p[m] == ' ') m++;
  size_t u = m;
  while (s->p[u] && !strchr(stop, s->p[u]) && s->p[u] != ' ') u++;
  char word[8];
  snprintf(word, sizeof word, "%.*s", (int)(u - m < 7 ? u - m : 7), s->p + m);
  if (strcmp(word, "and") != 0 && strcmp(word, "or") != 0) n = u;
  snprintf(text, sizeof text, "%.*s", (int)(n < 127 ? n : 127), s->p);
  if (!read_num_text(s->r, s->at, s->what, text, &length, &v)) return 0;
  s->p += n;
  *out = v.v;
  return 1;
}

// [x, y, z] with as many entries as dimensions (3 in 3D, 2 in 2D)
static int parse_point(parser *s, double *x) {
  int dim = s->r->b->dim;
  memset(x, 0, 3 * sizeof *x);
  skip(s);
  if (*s->p != '[') {
    complain(s, "write points like [10, 0, 5 mm]", "a point in brackets is wanted");
    return 0;
  }
  s->p++;
  for (int k = 0; k < dim; k++) {
    if (!parse_length(s, ",]", &x[k])) return 0;
    skip(s);
    if (*s->p != (k + 1 < dim ? ',' : ']')) {
      complain(s, "a point has as many coordinates as the scene has dimensions",
               "the point has too few or too many entries");
      return 0;
    }
    s->p++;
  }
  return 1;
}

// ---- choosing by place ------------------------------------------------------------------------

static double model_size(const reader *r) {
  double lo[3], hi[3], d = 0;
  for (int c = 0; c < 3; c++) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
    for (int i = 0; i < r->b->nnode; i++) {
      lo[c] = fmin(lo[c], r->b->X[3 * i + c]);
      hi[c] = fmax(hi[c], r->b->X[3 * i + c]);
    }
    if (r->b->nnode > 0) d = fmax(d, hi[c] - lo[c]);
  }
  return d;
}

typedef enum compare_op { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL } compare_op;

static int holds(double x, compare_op op, double v, double tol) {
  switch (op) {
  case LESS:
    return x < v;
  case LESS_EQUAL:
    return x <= v + tol;
  case GREATER:
    return x > v;
  case GREATER_EQUAL:
    return x >= v - tol;
  case EQUAL:
    return fabs(x - v) <= tol;
  }
  return 0;
}

static int parse_op(parser *s, compare_op *op) {
  skip(s);
  if (s->p[0] == '<' || s->p[0] == '>') {
    *op = s->p[0] == '<' ? LESS : GREATER;
    s->p++;
    if (*s->p == '=') {
      *op = *op == LESS ? LESS_EQUAL : GREATER_EQUAL;
      s->p++;
    }
    return 1;
  }
  if (s->p[0] == '=') {
    *op = EQUAL;
    s->p += 1 + (s->p[1] == '=');
    return 1;
  }
  complain(s, "use < <= > >= =", "a comparison is wanted");
  return 0;
}

static void keep(reader *r, node_list *l, int axis, compare_op op, double v) {
  double tol = (op == EQUAL ? 1e-6 : 1e-9) * model_size(r);
  int n = 0;
  for (int i = 0; i < l->n; i++)
    if (holds(r->b->X[3 * l->v[i] + axis], op, v, tol)) l->v[n++] = l->v[i];
  l->n = n;
}

// axis op length, or length op axis [op length]
static int parse_comparison(parser *s, const node_list *scope, node_list *out) {
  static const compare_op mirror[] = {GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, EQUAL};
  static const node_list none = {0};
  char word[64];
  compare_op op;
  double v, first = 0;
  compare_op first_op = EQUAL;
  int two = 0;
  if (!combine(s->r, 'u', scope, &none, out)) return 0;
  if (peek(s, word, sizeof word) == 0) {
    if (!parse_length(s, "<>=", &first) || !parse_op(s, &first_op)) return 0;
    two = 1;
  }
  size_t n = peek(s, word, sizeof word);
  int axis = axis_index(word);
  if (axis < 0 || axis >= s->r->b->dim) {
    complain(s, s->r->b->dim == 1 ? "only x exists in one dimension" : "compare x, y or z",
             "a coordinate is wanted");
    return 0;
  }
  s->p += n;
  if (two) keep(s->r, out, axis, mirror[first_op], first);
  skip(s);
  if (two && !strchr("<>=", *s->p)) return 1;
  if (two && *s->p == 0) return 1;
  if (!parse_op(s, &op) || !parse_length(s, "<>=)", &v)) return 0;
  keep(s->r, out, axis, op, v);
  return 1;
}

static int parse_nearest(parser *s, const node_list *scope, node_list *out) {
  double x[3], best = 0;
  if (!parse_point(s, x)) return 0;
  out->v = scratch(s->r, 1, sizeof *out->v);
  if (!out->v) return 0;
  out->n = scope->n > 0;
  for (int i = 0; i < scope->n; i++) {
    const double *X = s->r->b->X + 3 * scope->v[i];
    double d = 0;
    for (int c = 0; c < 3; c++) d += (X[c] - x[c]) * (X[c] - x[c]);
    if (i == 0 || d < best) {
      best = d;
      out->v[0] = scope->v[i];
    }
  }
  double size = model_size(s->r);
  if (scope->n > 1 && size > 0 && sqrt(best) > size)
    warning(s->r, s->at, "check the unit; bare numbers take the scene's length unit",
            "%s: the nearest node is %.3g m away from the point, in a model of %.3g m", s->what,
            sqrt(best), size);
  return 1;
}

static int parse_box(parser *s, const node_list *scope, node_list *out) {
  static const node_list none = {0};
  double a[3], b[3];
  if (!parse_point(s, a) || !parse_point(s, b) || !combine(s->r, 'u', scope, &none, out)) return 0;
  for (int c = 0; c < s->r->b->dim; c++) {
    keep(s->r, out, c, GREATER_EQUAL, fmin(a[c], b[c]));
    keep(s->r, out, c, LESS_EQUAL, fmax(a[c], b[c]));
  }
  return 1;
}

// ---- choosing by mesh -------------------------------------------------------------------------

// adds the nodes of body vertices
static int add_vertices(reader *r, const body_slot *b, int n, const int *vertex, node_list *out) {
  node_list more = {.n = n, .v = scratch(r, (size_t)n + 1, sizeof *more.v)}, sum;
  if (!more.v) return 0;
  for (int i = 0; i < n; i++) more.v[i] = b->node[vertex[i]];
  tidy(&more);
  if (!combine(r, 'u', out, &more, &sum)) return 0;
  *out = sum;
  return 1;
}

// name of a group: a word, or quoted
static int parse_group_name(parser *s, char *out, size_t size) {
  skip(s);
  char q = *s->p == '"' || *s->p == '\'' ? *s->p++ : 0;
  size_t n = 0;
  while (s->p[n] && (q ? s->p[n] != q : s->p[n] != ' ' && s->p[n] != ')')) n++;
  if (n == 0 || n >= size || (q && s->p[n] != q)) {
    complain(s, "names with spaces stand in quotes: group \"left face\"",
             "the name of a group is wanted");
    return 0;
  }
  memcpy(out, s->p, n);
  out[n] = 0;
  s->p += n + (q != 0);
  return 1;
}

static void unknown_group(parser *s, const char *name, int only) {
  const char *names[64];
  char hint[PL_TEXT], quoted[300], buf[MESSAGE_QUOTE + 8];
  int n = 0;
  for (int k = 0; k < s->r->nbody; k++)
    for (int i = 0; (only < 0 || only == k) && i < s->r->body[k].mesh->nset && n < 64; i++) {
      pl_group_quote(s->r->body[k].mesh->set[i].name, quoted, sizeof quoted);
      int known = 0; // of nodes and of cells, or in several bodies: one name
      for (int o = 0; o < n && !known; o++) known = strcmp(names[o], quoted) == 0;
      if (!known && (names[n] = scene_strdup(s->r, quoted, strlen(quoted)))) n++;
    }
  pl_name_hint(name, n, names, hint, sizeof hint);
  problem(s->r, s->at, hint, "%s: no mesh has a group '%s'", s->what, quote(name, buf, sizeof buf));
}

static int parse_group(parser *s, int only, node_list *out) {
  char name[256];
  int found = 0;
  *out = (node_list){0};
  if (!parse_group_name(s, name, sizeof name)) return 0;
  for (int k = 0; k < s->r->nbody; k++) {
    const body_slot *b = &s->r->body[k];
    int n, *vertex;
    if (only >= 0 && only != k) continue;
    if (b->bad) return 0;
    if (pl_mesh_set_vertices(b->mesh, name, &n, &vertex) != PL_OK) {
      s->r->failed = PL_E_NOMEM;
      return 0;
    }
    found |= vertex != NULL;
    int ok = n == 0 || add_vertices(s->r, b, n, vertex, out);
    pl_free(s->r->env, vertex);
    if (!ok) return 0;
  }
  if (!found) unknown_group(s, name, only);
  return found;
}

// vertices with one segment
static int free_ends(reader *r, const body_slot *b, node_list *out) {
  const pl_cells *c = &b->mesh->cell[PL_SEG2];
  int *count = scratch(r, (size_t)b->n + 1, sizeof *count), n = 0;
  int *ends = scratch(r, (size_t)b->n + 1, sizeof *ends);
  if (!count || !ends) return 0;
  for (int i = 0; i < b->n; i++) count[i] = 0;
  for (int i = 0; i < 2 * c->n; i++) count[c->v[i]]++;
  for (int i = 0; i < b->n; i++)
    if (count[i] == 1) ends[n++] = i;
  return add_vertices(r, b, n, ends, out);
}

// free edges of surfaces, the skin of solids, the ends of lines
static int body_boundary(reader *r, const body_slot *b, node_list *out) {
  int n = 0, *tri = NULL, ok;
  if (b->mesh->cell[PL_SEG2].n > 0) return free_ends(r, b, out);
  if (b->def->solid) {
    if (pl_mesh_surface(b->mesh, &n, &tri, NULL) != PL_OK) return 0;
    ok = add_vertices(r, b, 3 * n, tri, out);
    pl_free(r->env, tri);
    return ok;
  }
  if (pl_mesh_boundary(b->mesh, &n, &tri) != PL_OK) return 0;
  ok = add_vertices(r, b, n, tri, out);
  pl_free(r->env, tri);
  return ok;
}

static int parse_boundary(parser *s, int only, node_list *out) {
  *out = (node_list){0};
  for (int k = 0; k < s->r->nbody; k++) {
    if (only >= 0 && only != k) continue;
    if (s->r->body[k].bad) return 0;
    if (!body_boundary(s->r, &s->r->body[k], out)) {
      if (s->r->env->error.status == PL_E_NOMEM) s->r->failed = PL_E_NOMEM;
      return 0;
    }
  }
  return 1;
}

// ---- grammar ----------------------------------------------------------------------------------

// nodes of a name; *body: its index when it is a body
static int parse_name(parser *s, const char *name, node_list *out, int *index) {
  reader *r = s->r;
  const name_entry *e = name_find(&r->names, name);
  char hint[PL_TEXT];
  *index = -1;
  if (!e || e->kind == NAME_LINK) {
    name_hint(r, &r->names, name, choosable, hint, sizeof hint);
    problem(r, s->at, hint, "%s: there is no node, set or body '%s'", s->what, name);
    return 0;
  }
  if (e->kind == NAME_SET) {
    set_slot *set = set_resolve(r, e->index);
    if (set->state != 2) return 0;
    *out = set->nodes;
    return 1;
  }
  const body_slot *b = e->kind == NAME_BODY ? &r->body[e->index] : NULL;
  if (b && b->bad) return 0;
  int n = b ? b->n : 1;
  *out = (node_list){.n = n, .v = scratch(r, (size_t)n + 1, sizeof *out->v)};
  if (!out->v) return 0;
  memcpy(out->v, b ? b->node : &e->index, (size_t)n * sizeof *out->v);
  if (b) *index = e->index;
  tidy(out);
  return 1;
}

// does a comparison begin here?
static int at_comparison(parser *s) {
  char word[64];
  size_t n = peek(s, word, sizeof word);
  if (n == 0) return *s->p && strchr("+-.0123456789", *s->p) != NULL;
  const char *q = s->p + n;
  while (*q == ' ') q++;
  return axis_index(word) >= 0 && *q && strchr("<>=", *q);
}

// what may follow a name, or stand alone: chooses within the scope
static int parse_chooser(parser *s, const node_list *scope, int only, int *done, node_list *out) {
  node_list found;
  *done = 1;
  if (accept_word(s, "where")) {
    int before = s->conditions, ok;
    s->conditions = 1;
    ok = parse_or(s, scope, out);
    s->conditions = before;
    return ok;
  }
  if (accept_word(s, "nearest")) return parse_nearest(s, scope, out);
  if (accept_word(s, "box")) return parse_box(s, scope, out);
  if (accept_word(s, "group"))
    return parse_group(s, only, &found) && combine(s->r, 'i', scope, &found, out);
  if (accept_word(s, "boundary"))
    return parse_boundary(s, only, &found) && combine(s->r, 'i', scope, &found, out);
  *done = 0;
  return 1;
}

static int parse_primary(parser *s, const node_list *scope, node_list *out) {
  char word[256];
  int done, index = -1;
  node_list named;
  if (at_comparison(s)) return parse_comparison(s, scope, out);
  size_t n = peek(s, word, sizeof word);
  if (n == 0 || s->conditions) {
    complain(s, "e.g. 'wing where x < 2 mm', 'wing nearest [0, 0, 0]', 'wing group root'",
             s->conditions ? "a condition such as 'x < 2' is wanted" : "a name is wanted");
    return 0;
  }
  if (!parse_chooser(s, scope, -1, &done, out)) return 0;
  if (!done) {
    s->p += n;
    if (strcmp(word, "all") == 0)
      named = *scope;
    else if (!parse_name(s, word, &named, &index))
      return 0;
    if (!combine(s->r, 'i', &named, scope, out)) return 0;
  }
  // choosers may follow each other: sheet group bottom where x > 2
  do {
    named = *out;
    if (!parse_chooser(s, &named, index, &done, out)) return 0;
  } while (done);
  return 1;
}

static int parse_unary(parser *s, const node_list *scope, node_list *out) {
  node_list inner;
  int ok;
  if (++s->depth > PAREN_MAX) {
    complain(s, NULL, "nested too deeply");
    return 0;
  }
  if (accept_word(s, "not")) {
    ok = parse_unary(s, scope, &inner) && combine(s->r, 'd', scope, &inner, out);
  } else {
    skip(s);
    if (*s->p == '(') {
      s->p++;
      ok = parse_or(s, scope, out);
      skip(s);
      if (ok && *s->p != ')') {
        complain(s, NULL, "a closing bracket is wanted");
        ok = 0;
      }
      s->p += ok;
    } else {
      ok = parse_primary(s, scope, out);
    }
  }
  s->depth--;
  return ok;
}

// inside `where`, a joining word belongs to it only when a condition follows
static int joins(parser *s, const char *word) {
  const char *before = s->p;
  if (!accept_word(s, word)) return 0;
  if (!s->conditions) return 1;
  const char *after = s->p;
  char next[8];
  int more = at_comparison(s) || (peek(s, next, sizeof next) == 3 && strcmp(next, "not") == 0) ||
             *s->p == '(';
  s->p = more ? after : before;
  return more;
}

static int parse_and(parser *s, const node_list *scope, node_list *out) {
  node_list more, both;
  if (!parse_unary(s, scope, out)) return 0;
  while (joins(s, "and")) {
    if (!parse_unary(s, scope, &more) || !combine(s->r, 'i', out, &more, &both)) return 0;
    *out = both;
  }
  return 1;
}

static int parse_or(parser *s, const node_list *scope, node_list *out) {
  node_list more, both;
  if (!parse_and(s, scope, out)) return 0;
  while (joins(s, "or")) {
    if (!parse_and(s, scope, &more) || !combine(s->r, 'u', out, &more, &both)) return 0;
    *out = both;
  }
  return 1;
}

// ---- entries ----------------------------------------------------------------------------------

static int select_expression(parser *s, node_list *out) {
  // a plain name needs no list of all nodes
  const name_entry *e = name_find(&s->r->names, s->text);
  node_list scope;
  int ignored;
  if (e && e->kind != NAME_LINK) return parse_name(s, s->text, out, &ignored);
  if (!all_nodes(s->r, &scope) || !parse_or(s, &scope, out)) return 0;
  skip(s);
  if (*s->p == 0) return 1;
  complain(s, "join selectors by and, or, not", "something is left over");
  return 0;
}

static int select_text(reader *r, const pl_node *at, const char *what, const char *text,
                       node_list *out) {
  parser s = {.r = r, .at = at, .what = what, .text = text, .p = text};
  if (strlen(text) > TEXT_MAX) {
    problem(r, at, "build it from smaller sets", "%s: selector longer than %d characters", what,
            TEXT_MAX);
    return 0;
  }
  pl_arena_mark mark = pl_arena_save(r->scratch);
  node_list found;
  int ok = select_expression(&s, &found);
  *out = (node_list){0};
  if (ok) {
    out->v = scene_alloc(r, (size_t)found.n + 1, sizeof *out->v);
    ok = out->v != NULL;
  }
  if (ok) {
    memcpy(out->v, found.v, (size_t)found.n * sizeof *out->v);
    out->n = found.n;
  }
  pl_arena_release(r->scratch, mark);
  return ok;
}

static int select_any(reader *r, const pl_node *at, const char *what, node_list *out) {
  *out = (node_list){0};
  if (at->kind == NODE_SCALAR) return select_text(r, at, what, at->text, out);
  if (at->kind == NODE_MAP) {
    problem(r, at, "e.g. 'wing where x < 2 mm'", "%s must be a selector, got a mapping", what);
    return 0;
  }
  // a list is a union; gathered first, then sorted once
  int ok = 1, cap = 0;
  for (const pl_node *d = at->first; d; d = d->next) {
    node_list more;
    if (!select_any(r, d, what, &more)) {
      ok = 0;
      continue;
    }
    for (int i = 0; i < more.n; i++) {
      if (!scene_grow(r, &out->v, out->n, &cap, sizeof *out->v)) return 0;
      out->v[out->n++] = more.v[i];
    }
  }
  if (out->n > 0) tidy(out);
  return ok;
}

int select_nodes(reader *r, const pl_node *at, const char *what, node_list *out) {
  char buf[MESSAGE_QUOTE + 8];
  if (!select_any(r, at, what, out)) return 0;
  if (out->n > 0) return 1;
  if (at->kind == NODE_SCALAR)
    problem(r, at, "check units and coordinates; bare numbers take the scene's length unit",
            "%s: '%s' chooses no node", what, quote(at->text, buf, sizeof buf));
  else
    problem(r, at, NULL, "%s: no node is chosen", what);
  return 0;
}

int select_one(reader *r, const pl_node *at, const char *what, int *node) {
  node_list l;
  if (!select_nodes(r, at, what, &l)) return 0;
  if (l.n != 1) {
    problem(r, at, "choose one by 'nearest [x, y, z]'", "%s must be one node, but %d are chosen",
            what, l.n);
    return 0;
  }
  *node = l.v[0];
  return 1;
}

int select_either(reader *r, const pl_node *node, const pl_node *nodes, const pl_node *at,
                  const char *what, node_list *out) {
  *out = (node_list){0};
  if (!node == !nodes) {
    problem(r, at, NULL, "%s needs either 'node' or 'nodes'", what);
    return 0;
  }
  if (nodes) return select_nodes(r, nodes, "nodes", out);
  out->v = scene_alloc(r, 1, sizeof *out->v);
  out->n = 1;
  return out->v && select_one(r, node, "node", out->v);
}

int select_dof(reader *r, const pl_node *at, const char *what, int *dof) {
  *dof = -1;
  if (at->kind != NODE_SCALAR) {
    problem(r, at, NULL, "%s must name one unknown, e.g. 'tip.y'", what);
    return 0;
  }
  if (strcmp(at->text, "ground") == 0) return 1;
  const char *dot = strrchr(at->text, '.');
  int axis = dot ? axis_index(dot + 1) : -1;
  if (axis < 0 && r->b->dim > 1) {
    problem(r, at, "write the component, e.g. 'tip.y'", "%s must name one unknown, got '%.60s'",
            what, at->text);
    return 0;
  }
  if (axis >= r->b->dim) {
    problem(r, at, NULL, "%s: the scene has no %c direction", what, "xyz"[axis]);
    return 0;
  }
  pl_node part = *at;
  if (axis >= 0) part.text = scene_strdup(r, at->text, (size_t)(dot - at->text));
  int node;
  if (!part.text || !select_one(r, &part, what, &node)) return 0;
  *dof = node * r->b->dim + (axis < 0 ? 0 : axis);
  return 1;
}

set_slot *set_resolve(reader *r, int k) {
  set_slot *s = &r->set[k];
  if (s->state >= 2) return s;
  if (s->state == 1) {
    problem_key(r, s->at, NULL, "set '%s' is defined by itself", s->name);
    s->state = 3;
    return s;
  }
  if (r->set_depth >= SET_DEPTH_MAX) {
    problem_key(r, s->at, NULL, "sets are built on each other too deeply");
    s->state = 3;
    return s;
  }
  s->state = 1;
  r->set_depth++;
  char what[96];
  snprintf(what, sizeof what, "set '%.60s'", s->name);
  int ok = select_nodes(r, s->at, what, &s->nodes);
  r->set_depth--;
  if (s->state == 1) s->state = ok ? 2 : 3;
  return s;
}
