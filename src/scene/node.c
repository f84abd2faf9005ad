#include "scene_impl.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FYAML_BUFFER = 1 << 20 }; // bytes that the parser may want at once

pl_node *node_new(reader *r, node_kind kind, const char *text, size_t n) {
  pl_node *d = scene_alloc(r, 1, sizeof *d);
  if (!d) return NULL;
  d->kind = kind;
  d->text = text ? scene_strdup(r, text, n) : "";
  return d->text ? d : NULL;
}

pl_node *tree_copy(reader *r, const pl_node *from) {
  pl_node *d = node_new(r, from->kind, from->text, from->text ? strlen(from->text) : 0);
  if (!d) return NULL;
  d->line = from->line, d->col = from->col;
  d->key_line = from->key_line, d->key_col = from->key_col;
  d->quoted = from->quoted;
  if (from->key) d->key = scene_strdup(r, from->key, strlen(from->key));
  if (from->origin) d->origin = scene_strdup(r, from->origin, strlen(from->origin));
  for (const pl_node *c = from->first; c && !r->failed; c = c->next) {
    pl_node *own = tree_copy(r, c);
    if (own) node_append(d, own);
  }
  r->ntree++;
  return r->failed ? NULL : d;
}

void node_append(pl_node *parent, pl_node *child) {
  child->next = NULL;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
  parent->n++;
}

const pl_node *node_get(const pl_node *map, const char *key) {
  if (!map || map->kind != NODE_MAP) return NULL;
  for (const pl_node *d = map->first; d; d = d->next)
    if (strcmp(d->key, key) == 0) return d;
  return NULL;
}

const pl_node *key_at(const pl_node *map, const char *key) {
  const pl_node *found = node_get(map, key);
  return found ? found : map;
}

// ---- the text before YAML sees it -------------------------------------------------------------

typedef struct source {
  const char *s; // as YAML sees it
  size_t n;
  size_t *inserted; // [ninserted] places of quotes that were put in
  int ninserted;
  // the last place asked for
  size_t pos;
  int line, col, next;
} source;

// refuses what is no text, and tabs; the first place is enough
static int check_text(reader *r, const char *file, const char *data, size_t size) {
  int line = 1, col = 1;
  for (size_t i = 0; i < size;) {
    unsigned char c = (unsigned char)data[i];
    size_t n = pl_utf8_length(data + i, size - i);
    if (n == 0) {
      problem_at(r, file, line, col, "save the file as UTF-8", "byte 0x%02x is not UTF-8", c);
      return 0;
    }
    if (c == '\t') {
      problem_at(r, file, line, col, "use spaces", "tab character");
      return 0;
    }
    if ((c < 0x20 && c != '\n' && c != '\r') || c == 0x7f) {
      problem_at(r, file, line, col, "a scene is a text file in YAML or JSON",
                 "control character 0x%02x", c);
      return 0;
    }
    i += n;
    col++;
    if (c == '\n') {
      line++;
      col = 1;
    }
  }
  return 1;
}

static int ends_word(const char *s, size_t start, size_t end, const char *last) {
  size_t n = strlen(last);
  while (end > start && s[end - 1] == ' ') end--;
  return end >= start + n && memcmp(s + end - n, last, n) == 0 &&
         (end == start + n || s[end - n - 1] == ' ' || s[end - n - 1] == '(');
}

// end of an unquoted selector inside [ ] or { } whose points are written with brackets
static size_t selector_end(const char *s, size_t i, size_t n) {
  int depth = 0;
  for (; i < n && s[i] != '\n' && s[i] != '\r'; i++) {
    if (s[i] == '\'' || s[i] == '"' || s[i] == '\\' || s[i] == '{') return 0;
    if (s[i] == '#' && s[i - 1] == ' ') break;
    if (depth == 0 && (s[i] == ',' || s[i] == '}' || s[i] == ']')) break;
    depth += (s[i] == '[') - (s[i] == ']');
  }
  while (i > 0 && s[i - 1] == ' ') i--;
  return depth == 0 ? i : 0;
}

// skips a quoted scalar; n + 1: it has no end
static size_t quoted_end(const char *s, size_t i, size_t n) {
  char q = s[i++];
  for (; i < n; i++) {
    if (q == '"' && s[i] == '\\')
      i++;
    else if (s[i] == q)
      return i + 1;
  }
  return n + 1;
}

// a quote that is never closed, at its place
static int open_quote(reader *r, const char *file, const char *s, size_t at) {
  int line = 1, col = 1;
  for (size_t i = 0; i < at; i++) {
    col = s[i] == '\n' ? 1 : col + (((unsigned char)s[i] & 0xc0) != 0x80);
    line += s[i] == '\n';
  }
  problem_at(r, file, line, col, "put the same quote at its end", "the quote is never closed");
  return 0;
}

// YAML ends a plain scalar of a flow collection at a bracket, and libfyaml refuses what follows
// ("missing comma in flow mapping"). But `{tip: wing nearest [1, 2, 0]}` is part of the format:
// such selectors are found here and put into quotes. Nothing in YAML can be told to do it, as the
// error comes before any event of the scalar.
static int find_selectors(reader *r, const char *file, const char *s, size_t n, size_t **mark,
                          int *nmark) {
  int depth = 0, start = 1, cap = 0;
  *nmark = 0;
  *mark = NULL;
  for (size_t i = 0; i < n;) {
    char c = s[i];
    if (c == ' ' || c == '\n' || c == '\r') {
      start |= c != ' ';
      i++;
    } else if (c == '#' && (i == 0 || s[i - 1] == ' ' || s[i - 1] == '\n')) {
      while (i < n && s[i] != '\n') i++;
    } else if (start && (c == '"' || c == '\'')) {
      size_t end = quoted_end(s, i, n);
      if (end > n) return open_quote(r, file, s, i);
      i = end;
      start = 0;
    } else if ((start || depth > 0) && strchr("[]{},", c)) {
      depth += (c == '[' || c == '{') - (c == ']' || c == '}');
      if (depth < 0) return 1;
      start = c != ']' && c != '}';
      i++;
    } else if (c == ':' || (start && (c == '-' || c == '?') && i + 1 < n && s[i + 1] == ' ')) {
      start = i + 1 >= n || s[i + 1] == ' ' || s[i + 1] == '\n' || depth > 0;
      i++;
    } else if (start && depth == 0 && (c == '|' || c == '>')) {
      // a block of text: what follows cannot be told apart here, and needs no quotes
      return 1;
    } else {
      // a plain scalar: up to what ends it
      size_t from = i, end = 0;
      while (i < n && s[i] != '\n' && s[i] != '\r' &&
             !(s[i] == ':' && i + 1 < n && s[i + 1] == ' ') && !(s[i] == '#' && s[i - 1] == ' ') &&
             !(depth > 0 && strchr("[]{},:", s[i])))
        i++;
      if (depth > 0 && start && i < n && s[i] == '[' &&
          (ends_word(s, from, i, "nearest") || ends_word(s, from, i, "box")))
        end = selector_end(s, i, n);
      start = 0;
      if (end == 0) {
        if (i == from) i++;
        continue;
      }
      // marks come in pairs and capacities are even
      if (!scene_grow(r, mark, *nmark, &cap, sizeof **mark)) return 0;
      (*mark)[(*nmark)++] = from;
      (*mark)[(*nmark)++] = end;
      i = end;
    }
  }
  return 1;
}

// the text with quotes at marks
static int insert_quotes(reader *r, const char *file, const char *data, size_t size, source *src) {
  size_t *mark;
  int nmark;
  src->s = data;
  src->n = size;
  if (!find_selectors(r, file, data, size, &mark, &nmark)) return 0;
  if (nmark == 0) return 1;
  char *text = scene_alloc(r, size + (size_t)nmark + 1, 1);
  src->inserted = scene_alloc(r, (size_t)nmark, sizeof *src->inserted);
  if (!text || !src->inserted) return 0;
  size_t at = 0, from = 0;
  for (int k = 0; k < nmark; k++) {
    memcpy(text + at, data + from, mark[k] - from);
    at += mark[k] - from;
    from = mark[k];
    src->inserted[src->ninserted++] = at;
    text[at++] = '\'';
  }
  memcpy(text + at, data + from, size - from);
  src->s = text;
  src->n = at + size - from;
  return 1;
}

// line and column, 1-based, of a place in the text that YAML saw; places mostly ascend
static void place(source *src, size_t pos, int *line, int *col) {
  if (pos < src->pos) {
    src->pos = 0;
    src->line = src->col = 1;
    src->next = 0;
  }
  for (; src->pos < pos && src->pos < src->n; src->pos++) {
    // inserted quotes do not count, nor do the later bytes of a character
    unsigned char c = (unsigned char)src->s[src->pos];
    if (src->next < src->ninserted && src->inserted[src->next] == src->pos)
      src->next++;
    else if (c == '\n')
      src->line++, src->col = 1;
    else
      src->col += (c & 0xc0) != 0x80;
  }
  *line = src->line;
  *col = src->col;
}

// ---- events to tree ---------------------------------------------------------------------------

typedef struct grower {
  reader *r;
  source *src;
  const char *file, *origin;
  int depth, ndoc, stop;
  pl_node *stack[DEPTH_MAX];
  pl_node *root;
  // key of the entry that follows, when the innermost is a map
  const char *key;
  int key_line, key_col;
  int line, col; // of the last event that had a place
} grower;

static void refuse(grower *g, const char *hint, const char *text) {
  problem_at(g->r, g->file, g->line, g->col, hint, "%s", text);
  g->stop = 1;
}

static int compare_keys(const void *a, const void *b) {
  const pl_node *p = *(pl_node *const *)a, *q = *(pl_node *const *)b;
  int c = strcmp(p->key, q->key);
  if (c) return c;
  return p->key_line != q->key_line ? (p->key_line > q->key_line) - (p->key_line < q->key_line)
                                    : (p->key_col > q->key_col) - (p->key_col < q->key_col);
}

static void check_duplicates(grower *g, const pl_node *map) {
  if (map->n < 2) return;
  pl_node **sorted = pl_alloc(g->r->env, (size_t)map->n, sizeof *sorted);
  if (!sorted) {
    g->r->failed = PL_E_NOMEM;
    return;
  }
  int n = 0;
  for (pl_node *d = map->first; d; d = d->next) sorted[n++] = d;
  qsort(sorted, (size_t)n, sizeof *sorted, compare_keys);
  char buf[MESSAGE_QUOTE + 8];
  for (int k = 1; k < n; k++)
    if (strcmp(sorted[k]->key, sorted[k - 1]->key) == 0) {
      sorted[k]->twice = 1;
      problem_key(g->r, sorted[k], "remove one of them", "key '%s' was given before, in line %d",
                  quote(sorted[k]->key, buf, sizeof buf), sorted[k - 1]->key_line);
    }
  pl_free(g->r->env, sorted);
}

// a scalar where a key is due
static int read_key(grower *g, const char *text, size_t n) {
  if (n == 0) {
    refuse(g, NULL, "empty key");
    return 0;
  }
  if (n == 2 && memcmp(text, "<<", 2) == 0) {
    refuse(g, "write the entries out", "merge keys ('<<') are not allowed");
    return 0;
  }
  g->key = scene_strdup(g->r, text, n);
  g->key_line = g->line;
  g->key_col = g->col;
  return g->key != NULL;
}

static int attach(grower *g, pl_node *d) {
  d->line = g->line;
  d->col = g->col;
  d->origin = g->origin;
  if (++g->r->ntree > g->r->limit.yaml_nodes) {
    refuse(g, NULL, "the scene has too many entries");
    return 0;
  }
  if (g->depth == 0) {
    g->root = d;
    return 1;
  }
  pl_node *parent = g->stack[g->depth - 1];
  if (parent->kind == NODE_MAP) {
    d->key = g->key;
    d->key_line = g->key_line;
    d->key_col = g->key_col;
    g->key = NULL;
  }
  node_append(parent, d);
  return 1;
}

static int open_node(grower *g, node_kind kind) {
  if (g->depth > 0 && g->stack[g->depth - 1]->kind == NODE_MAP && !g->key) {
    refuse(g, NULL, "a key must be a plain word");
    return 0;
  }
  if (g->depth == DEPTH_MAX) {
    refuse(g, NULL, "nested too deeply");
    return 0;
  }
  pl_node *d = node_new(g->r, kind, NULL, 0);
  if (!d || !attach(g, d)) return 0;
  g->stack[g->depth++] = d;
  return 1;
}

static int add_scalar(grower *g, struct fy_event *e) {
  size_t n = 0;
  const char *text = e->scalar.value ? fy_token_get_text(e->scalar.value, &n) : "";
  if (!text) text = "";
  if (memchr(text, 0, n)) {
    refuse(g, NULL, "control character in a text");
    return 0;
  }
  if (g->depth > 0 && g->stack[g->depth - 1]->kind == NODE_MAP && !g->key)
    return read_key(g, text, n);
  pl_node *d = node_new(g->r, NODE_SCALAR, text, n);
  if (!d) return 0;
  d->quoted = e->scalar.value && fy_token_scalar_style(e->scalar.value) != FYSS_PLAIN;
  return attach(g, d);
}

// tells refused features of an event; returns 0 on one
static int event_allowed(grower *g, struct fy_event *e) {
  struct fy_token *anchor = NULL, *tag = NULL;
  if (e->type == FYET_SCALAR)
    anchor = e->scalar.anchor, tag = e->scalar.tag;
  else if (e->type == FYET_SEQUENCE_START)
    anchor = e->sequence_start.anchor, tag = e->sequence_start.tag;
  else if (e->type == FYET_MAPPING_START)
    anchor = e->mapping_start.anchor, tag = e->mapping_start.tag;
  if (e->type == FYET_ALIAS)
    refuse(g, "write the entry out", "aliases ('*name') are not allowed");
  else if (anchor)
    refuse(g, "write the entry out where it is needed", "anchors ('&name') are not allowed");
  else if (tag)
    refuse(g, "types follow from the keys", "tags ('!name') are not allowed");
  else if (e->type == FYET_DOCUMENT_START && g->ndoc++ > 0)
    refuse(g, "put every scene into a file of its own", "several documents in one file");
  return !g->stop;
}

static int grow(grower *g, struct fy_event *e) {
  const struct fy_mark *m = fy_event_start_mark(e);
  if (m && m->input_pos >= g->src->pos) place(g->src, m->input_pos, &g->line, &g->col);
  if (!event_allowed(g, e)) return 0;
  switch (e->type) {
  case FYET_MAPPING_START:
    return open_node(g, NODE_MAP);
  case FYET_SEQUENCE_START:
    return open_node(g, NODE_LIST);
  case FYET_MAPPING_END:
    check_duplicates(g, g->stack[g->depth - 1]);
    g->depth--;
    return !g->r->failed;
  case FYET_SEQUENCE_END:
    g->depth--;
    return 1;
  case FYET_SCALAR:
    return add_scalar(g, e);
  default:
    return 1;
  }
}

// the parser's own complaint, at its place
static void syntax_problem(grower *g, struct fy_diag *diag) {
  void *prev = NULL;
  struct fy_diag_error *e = fy_diag_errors_iterate(diag, &prev);
  int line = g->line, col = g->col;
  if (e && e->line > 0) {
    size_t at = 0;
    for (int k = 1; k < e->line && at < g->src->n; at++) k += g->src->s[at] == '\n';
    place(g->src, at + (size_t)(e->column > 0 ? e->column - 1 : 0), &line, &col);
  }
  problem_at(g->r, g->file, line, col, "check quotes, brackets, commas and indentation",
             "not valid YAML: %.200s", e && e->msg ? e->msg : "cannot be read");
}

static void grow_tree(grower *g, struct fy_parser *p, struct fy_diag *diag) {
  for (;;) {
    struct fy_event *e = fy_parser_parse(p);
    if (!e) break;
    int ok = grow(g, e);
    fy_parser_event_free(p, e);
    if (!ok) return;
  }
  if (fy_parser_get_stream_error(p) && errno != ENOMEM) {
    syntax_problem(g, diag);
    g->stop = 1;
  }
}

static pl_status parse_source(reader *r, source *src, const char *file, const char *origin,
                              pl_node **out) {
  grower g = {.r = r, .src = src, .file = file, .origin = origin, .line = 1, .col = 1};
  struct fy_diag_cfg dc;
  fy_diag_cfg_default(&dc);
  dc.fp = NULL;
  dc.level = FYET_ERROR;
  struct fy_diag *diag = fy_diag_create(&dc);
  if (!diag) return pl_fail(r->env, PL_E_NOMEM, "out of memory in the YAML parser");
  fy_diag_set_collect_errors(diag, true);
  struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                                      FYPCF_DISABLE_ACCELERATORS | FYPCF_ALLOW_DUPLICATE_KEYS,
                             .diag = diag};
  // libfyaml drops values, or falls, where it has no memory: errno tells, and room is looked for
  void *check_count = malloc(FYAML_BUFFER);
  free(check_count);
  errno = 0;
  struct fy_parser *p = check_count ? fy_parser_create(&cfg) : NULL;
  if (!p || fy_parser_set_string(p, src->s, src->n) != 0) {
    if (p) fy_parser_destroy(p);
    fy_diag_destroy(diag);
    return pl_fail(r->env, PL_E_NOMEM, "out of memory in the YAML parser");
  }
  grow_tree(&g, p, diag);
  int full = errno == ENOMEM;
  fy_parser_destroy(p);
  fy_diag_destroy(diag);
  if (r->failed) return r->failed;
  if (full) return pl_fail(r->env, PL_E_NOMEM, "out of memory in the YAML parser");
  if (!g.stop) *out = g.root;
  return PL_OK;
}

pl_status tree_parse(reader *r, const char *data, size_t size, pl_node **out) {
  *out = NULL;
  // a byte order mark is no content
  if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) data += 3, size -= 3;
  if (!check_text(r, r->file, data, size)) return PL_OK;
  source src = {.line = 1, .col = 1};
  if (!insert_quotes(r, r->file, data, size, &src)) return r->failed;
  PL_TRY(parse_source(r, &src, r->file, NULL, out));
  if (!*out && r->nproblem == 0)
    problem_at(r, r->file, 1, 1, "start with 'pliant new KIND'", "the scene is empty");
  return PL_OK;
}

// a value from the command line: YAML, or plain text where that fails
pl_status tree_parse_value(reader *r, const char *text, const char *origin, pl_node **out) {
  *out = NULL;
  size_t n = strlen(text);
  if (!check_text(r, origin, text, n)) return PL_OK;
  const char *c = text;
  while (*c == ' ') c++;
  if (*c == '[' || *c == '{') {
    source src = {.line = 1, .col = 1};
    if (!insert_quotes(r, origin, text, n, &src)) return r->failed;
    PL_TRY(parse_source(r, &src, origin, origin, out));
  } else {
    *out = node_new(r, NODE_SCALAR, text, n);
    if (!*out) return PL_E_NOMEM;
  }
  if (*out) (*out)->origin = origin;
  return PL_OK;
}
