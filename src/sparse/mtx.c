#include "sparse_impl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ORDER_MAX = 1 << 24 }; // larger orders would need terabytes later; refuse them early

// a cursor in the text of a file
typedef struct reader {
  pl_env *env;
  const char *path;
  const char *p, *end;
  int line;
} reader;

typedef struct header {
  int array, symmetric;
  int n;
  long long nentry; // lines to follow
} header;

static pl_status bad(const reader *r, const char *hint, const char *text) {
  return pl_fail_at(r->env, PL_E_INPUT, r->path, r->line, 0, hint, "%s", text);
}

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void skip_blanks(reader *r) {
  while (r->p < r->end && is_blank(*r->p)) r->p++;
}

static int at_line_end(const reader *r) {
  return r->p >= r->end || *r->p == '\n';
}

static void skip_line(reader *r) {
  while (r->p < r->end && *r->p != '\n') r->p++;
  if (r->p < r->end) r->p++;
  r->line++;
}

// moves to the first character of the next line that holds something; 0 at the end of the file
static int next_content(reader *r) {
  for (;;) {
    skip_blanks(r);
    if (r->p >= r->end) return 0;
    if (*r->p != '\n' && *r->p != '%') return 1;
    skip_line(r);
  }
}

static int read_integer(reader *r, long long *out) {
  skip_blanks(r);
  if (at_line_end(r)) return 0;
  char *stop;
  *out = strtoll(r->p, &stop, 10);
  if (stop == r->p || stop > r->end || !(stop == r->end || is_blank(*stop) || *stop == '\n'))
    return 0;
  r->p = stop;
  return 1;
}

static int read_number(reader *r, double *out) {
  skip_blanks(r);
  if (at_line_end(r)) return 0;
  const char *word = r->p;
  while (!at_line_end(r) && !is_blank(*r->p)) r->p++;
  size_t n = (size_t)(r->p - word);
  return pl_number_scan(word, n, out) == n && isfinite(*out);
}

static pl_status end_line(reader *r) {
  skip_blanks(r);
  if (!at_line_end(r)) return bad(r, NULL, "more on this line than expected");
  skip_line(r);
  return PL_OK;
}

// copies the next word of the line, lower case, cut to fit
static void read_word(reader *r, char *word, size_t size) {
  size_t n = 0;
  skip_blanks(r);
  for (; !at_line_end(r) && !is_blank(*r->p); r->p++)
    if (n + 1 < size) word[n++] = (char)(*r->p >= 'A' && *r->p <= 'Z' ? *r->p + 32 : *r->p);
  word[n] = 0;
}

static pl_status read_banner(reader *r, header *h) {
  char word[5][32];
  for (int k = 0; k < 5; k++) read_word(r, word[k], sizeof word[k]);
  if (strcmp(word[0], "%%matrixmarket") != 0)
    return bad(r, "the first line reads '%%MatrixMarket matrix coordinate real general'",
               "not a Matrix Market file");
  if (strcmp(word[1], "matrix") != 0) return bad(r, NULL, "only 'matrix' objects are read");
  h->array = strcmp(word[2], "array") == 0;
  if (!h->array && strcmp(word[2], "coordinate") != 0)
    return bad(r, NULL, "the format must be 'coordinate' or 'array'");
  if (strcmp(word[3], "real") != 0 && strcmp(word[3], "integer") != 0)
    return bad(r, "complex and pattern matrices are not supported",
               "the values must be 'real' or 'integer'");
  h->symmetric = strcmp(word[4], "symmetric") == 0;
  if (!h->symmetric && strcmp(word[4], "general") != 0)
    return bad(r, "skew-symmetric and hermitian matrices are not supported",
               "the symmetry must be 'general' or 'symmetric'");
  return end_line(r);
}

// the line of sizes; the number of entries must fit into the rest of the file
static pl_status read_sizes(reader *r, header *h) {
  long long rows, cols;
  if (!next_content(r)) return bad(r, NULL, "the file ends before the line of sizes");
  if (!read_integer(r, &rows) || !read_integer(r, &cols))
    return bad(r, NULL, "expected the numbers of rows and columns");
  if (rows != cols)
    return pl_fail_at(r->env, PL_E_INPUT, r->path, r->line, 0, "only square matrices are used",
                      "the matrix is %lld x %lld", rows, cols);
  if (rows < 0 || rows > ORDER_MAX)
    return pl_fail_at(r->env, PL_E_INPUT, r->path, r->line, 0, NULL,
                      "the order must be 0..%d, got %lld", (int)ORDER_MAX, rows);
  h->n = (int)rows;
  if (h->array)
    h->nentry = h->symmetric ? rows * (rows + 1) / 2 : rows * rows;
  else if (!read_integer(r, &h->nentry) || h->nentry < 0)
    return bad(r, NULL, "expected the number of entries");
  int line = r->line;
  PL_TRY(end_line(r));

  // an entry takes at least '1 1 1\n' (array: '1\n'), the last newline may be missing
  long long buffer = (r->end - r->p + 1) / (h->array ? 2 : 6);
  if (h->nentry > buffer)
    return pl_fail_at(r->env, PL_E_INPUT, r->path, line, 0, "is the file cut off?",
                      "%lld entries are announced, the file has room for %lld", h->nentry, buffer);
  if (h->nentry > INT_MAX / 2)
    return pl_fail_at(r->env, PL_E_INPUT, r->path, line, 0, NULL, "%lld entries are too many",
                      h->nentry);
  return PL_OK;
}

typedef struct triplets {
  int n;
  int *row, *col;
  double *val;
} triplets;

static void add(triplets *t, int symmetric, long long i, long long j, double v) {
  for (int mirror = 0; mirror <= (symmetric && i != j); mirror++) {
    t->row[t->n] = (int)(mirror ? j : i);
    t->col[t->n] = (int)(mirror ? i : j);
    t->val[t->n++] = v;
  }
}

static pl_status read_entry(reader *r, const header *h, long long *i, long long *j, double *v) {
  if (!next_content(r)) return bad(r, "is the file cut off?", "the file ends too early");
  if (!h->array) {
    if (!read_integer(r, i) || !read_integer(r, j))
      return bad(r, NULL, "expected row, column and value");
    if (*i < 1 || *i > h->n || *j < 1 || *j > h->n)
      return pl_fail_at(r->env, PL_E_INPUT, r->path, r->line, 0, "indices start at 1",
                        "entry (%lld, %lld) is outside 1..%d", *i, *j, h->n);
    if (h->symmetric && *i < *j)
      return bad(r, "keep row >= column, or call the matrix 'general'",
                 "a symmetric matrix has entries above its diagonal");
    --*i;
    --*j;
  }
  if (!read_number(r, v)) return bad(r, NULL, "expected a finite number");
  return end_line(r);
}

static pl_status read_entries(reader *r, const header *h, triplets *t) {
  long long i = 0, j = 0;
  for (long long k = 0; k < h->nentry; k++) {
    double v = 0;
    PL_TRY(read_entry(r, h, &i, &j, &v));
    if (!h->array || v != 0) add(t, h->symmetric, i, j, v);
    // array files run down the columns, from the diagonal when symmetric
    if (h->array && ++i == h->n) {
      j++;
      i = h->symmetric ? j : 0;
    }
  }
  if (next_content(r)) return bad(r, NULL, "more entries than announced");
  return PL_OK;
}

static pl_status read_text(reader *r, triplets *t, int *n) {
  header h = {0};
  PL_TRY(read_banner(r, &h));
  PL_TRY(read_sizes(r, &h));
  size_t count = (size_t)h.nentry * (h.symmetric ? 2 : 1);
  t->row = pl_alloc(r->env, count, sizeof *t->row);
  t->col = pl_alloc(r->env, count, sizeof *t->col);
  t->val = pl_alloc(r->env, count, sizeof *t->val);
  if (!t->row || !t->col || !t->val) return PL_E_NOMEM;
  *n = h.n;
  return read_entries(r, &h, t);
}

pl_status pl_csc_read_mtx(pl_env *env, const char *path, int *n, int *ntrip, int **row, int **col,
                          double **val) {
  *n = *ntrip = 0;
  *row = *col = NULL;
  *val = NULL;
  char *text;
  size_t size;
  PL_TRY(pl_file_read(env, path, 0, &text, &size));
  pl_status s = pl_csc_parse_mtx(env, path, text, size, n, ntrip, row, col, val);
  pl_free(env, text);
  return s;
}

pl_status pl_csc_parse_mtx(pl_env *env, const char *name, const char *text, size_t size, int *n,
                           int *ntrip, int **row, int **col, double **val) {
  *n = *ntrip = 0;
  *row = *col = NULL;
  *val = NULL;
  reader r = {.env = env, .path = name, .p = text, .end = text + size, .line = 1};
  triplets t = {0};
  pl_status s = read_text(&r, &t, n);
  if (s != PL_OK) {
    pl_free(env, t.row);
    pl_free(env, t.col);
    pl_free(env, t.val);
    *n = 0;
    return s;
  }
  *ntrip = t.n;
  *row = t.row;
  *col = t.col;
  *val = t.val;
  return PL_OK;
}
