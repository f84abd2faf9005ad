#include "report_impl.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COL_MAX = 100000 };

struct pl_table {
  pl_env *env;
  int ncol, nrow, cap;
  char **name, **unit; // [ncol]
  double *data;        // [nrow][ncol]
  int line;            // of the header in its file, 0: none
};

pl_status pl_table_create(pl_env *env, int ncol, pl_table **out) {
  *out = NULL;
  if (ncol < 1 || ncol > COL_MAX)
    return pl_fail(env, PL_E_ARG, "a table has 1..%d columns, not %d", COL_MAX, ncol);
  pl_table *t = pl_alloc(env, 1, sizeof *t);
  if (!t) return PL_E_NOMEM;
  t->env = env;
  t->ncol = ncol;
  t->name = pl_alloc(env, (size_t)ncol, sizeof *t->name);
  t->unit = pl_alloc(env, (size_t)ncol, sizeof *t->unit);
  if (!t->name || !t->unit) {
    pl_table_free(t);
    return PL_E_NOMEM;
  }
  *out = t;
  return PL_OK;
}

void pl_table_free(pl_table *t) {
  if (!t) return;
  for (int c = 0; c < t->ncol; c++) {
    if (t->name) pl_free(t->env, t->name[c]);
    if (t->unit) pl_free(t->env, t->unit[c]);
  }
  pl_free(t->env, t->name);
  pl_free(t->env, t->unit);
  pl_free(t->env, t->data);
  pl_free(t->env, t);
}

void pl_table_set(pl_table *t, int row, int col, double value) {
  if (row < 0 || row >= t->nrow || col < 0 || col >= t->ncol) return;
  t->data[(size_t)row * (size_t)t->ncol + (size_t)col] = value;
}

pl_status pl_table_column(pl_table *t, int col, const char *name, const char *unit) {
  if (col < 0 || col >= t->ncol)
    return pl_fail(t->env, PL_E_ARG, "column %d of a table with %d columns", col, t->ncol);
  char *n = pl_strdup(t->env, name ? name : "");
  char *u = pl_strdup(t->env, unit ? unit : "");
  if (!n || !u) {
    pl_free(t->env, n);
    pl_free(t->env, u);
    return PL_E_NOMEM;
  }
  pl_free(t->env, t->name[col]);
  pl_free(t->env, t->unit[col]);
  t->name[col] = n;
  t->unit[col] = u;
  return PL_OK;
}

pl_status pl_table_row(pl_table *t, const double *values) {
  size_t size = (size_t)t->ncol * sizeof *values;
  PL_TRY(pl_grow(t->env, &t->data, t->nrow, &t->cap, size));
  memcpy(t->data + (size_t)t->nrow * (size_t)t->ncol, values, size);
  t->nrow++;
  return PL_OK;
}

int pl_table_rows(const pl_table *t) {
  return t->nrow;
}

int pl_table_line(const pl_table *t) {
  return t->line;
}

int pl_table_cols(const pl_table *t) {
  return t->ncol;
}

const double *pl_table_data(const pl_table *t) {
  return t->data;
}

const char *pl_table_name(const pl_table *t, int col) {
  return t->name[col] ? t->name[col] : "";
}

int pl_table_find(const pl_table *t, const char *name) {
  for (int c = 0; c < pl_table_cols(t); c++)
    if (strcmp(pl_table_name(t, c), name) == 0) return c;
  return -1;
}

const char *pl_table_unit(const pl_table *t, int col) {
  return t->unit[col] ? t->unit[col] : "";
}

// ---- units as words ---------------------------------------------------------------------------

// non-ASCII signs and others that become letters
static const struct {
  const char *sign, *word;
} sign_word[] = {{"\xc2\xb2", "2"},    {"\xc2\xb3", "3"},   {"\xc2\xb5", "u"},
                 {"\xce\xbc", "u"},    {"\xc2\xb0", "deg"}, {"^", ""},
                 {"%", "percent"},     {"(", ""},           {")", ""},
                 {"\xe2\x81\xbb", "-"}};

void pl_unit_word(const char *unit, char *out, size_t size) {
  size_t n = 0;
  if (strncmp(unit, "1/", 2) == 0) {
    n = (size_t)snprintf(out, size, "per_");
    unit += 2;
  }
  while (*unit && n + 8 < size) {
    size_t k = 0, nsign = sizeof sign_word / sizeof *sign_word;
    while (k < nsign && strncmp(unit, sign_word[k].sign, strlen(sign_word[k].sign)) != 0) k++;
    if (k < nsign) {
      n += (size_t)snprintf(out + n, size - n, "%s", sign_word[k].word);
      unit += strlen(sign_word[k].sign);
      continue;
    }
    // every other run of signs is one underscore
    if (isalnum((unsigned char)*unit) || *unit == '-')
      out[n++] = *unit;
    else if (n > 0 && out[n - 1] != '_')
      out[n++] = '_';
    unit++;
  }
  while (n > 0 && out[n - 1] == '_') n--;
  out[n] = 0;
}

// units known when a header is read back
static const char *const known_unit[] = {
    "m",         "mm",      "s",      "ms",       "kg",     "g",      "N",      "kN",    "Pa",
    "MPa",       "GPa",     "J",      "W",        "Hz",     "rad",    "deg",    "m/s",   "m/s^2",
    "rad/s",     "rad/s^2", "deg/s",  "N/m",      "N.m",    "N/m^2",  "N.s/m",  "J/m^2", "N.m/rad",
    "N.m.s/rad", "kg/m",    "kg/m^2", "m^2",      "kg/m^3", "kg.m^2", "kg.m/s", "N/m^3", "m^3",
    "1/s",       "1/m",     "N.s",    "kg.m^2/s", "%",      "K",      "1/rad",  "rad/m"};

const char *pl_unit_split(char *cell) {
  const char *unit = "";
  size_t n = strlen(cell), best = 0;
  for (size_t k = 0; k < sizeof known_unit / sizeof *known_unit; k++) {
    char word[64];
    pl_unit_word(known_unit[k], word, sizeof word);
    size_t w = strlen(word);
    if (w > best && n > w + 1 && cell[n - w - 1] == '_' && strcmp(cell + n - w, word) == 0) {
      best = w;
      unit = known_unit[k];
    }
  }
  if (best > 0) cell[n - best - 1] = 0;
  return unit;
}

// ---- writing ----------------------------------------------------------------------------------

static void put_cell(pl_text *t, const char *s) {
  if (!strpbrk(s, ",\"\r\n")) {
    rp_str(t, s);
    return;
  }
  rp_str(t, "\"");
  for (; *s; s++) pl_text_put(t, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
  rp_str(t, "\"");
}

char *pl_table_cell(const pl_table *t, int col, char *out, size_t size) {
  char word[64];
  pl_unit_word(pl_table_unit(t, col), word, sizeof word);
  snprintf(out, size, "%s%s%s", pl_table_name(t, col), word[0] ? "_" : "", word);
  return out;
}

static void put_header(pl_text *out, const pl_table *t) {
  pl_text cell;
  pl_text_init(&cell, t->env);
  for (int c = 0; c < t->ncol; c++) {
    char word[64];
    pl_unit_word(pl_table_unit(t, c), word, sizeof word);
    cell.n = 0;
    pl_text_add(&cell, "%s%s%s", pl_table_name(t, c), word[0] ? "_" : "", word);
    if (c > 0) rp_str(out, ",");
    put_cell(out, cell.s ? cell.s : "");
  }
  rp_str(out, "\n");
  out->failed |= cell.failed;
  pl_text_free(&cell);
}

static void put_rows(pl_text *out, const pl_table *t, int first) {
  size_t count = (size_t)t->nrow * (size_t)t->ncol;
  for (size_t k = (size_t)first * (size_t)t->ncol; k < count; k++) {
    char number[40];
    rp_shortest(number, sizeof number, t->data[k]);
    rp_str(out, number);
    rp_str(out, (int)(k % (size_t)t->ncol) == t->ncol - 1 ? "\n" : ",");
  }
}

pl_status pl_table_write(const pl_table *t, const char *path) {
  pl_text out;
  pl_text_init(&out, t->env);
  put_header(&out, t);
  put_rows(&out, t, 0);
  pl_status s = out.failed ? PL_E_NOMEM : pl_file_write(t->env, path, out.s, out.n);
  pl_text_free(&out);
  return s;
}

pl_status pl_table_append(const pl_table *t, const char *path, int first) {
  if (first == 0) return pl_table_write(t, path);
  pl_text out;
  pl_text_init(&out, t->env);
  put_rows(&out, t, first);
  if (out.failed) return PL_E_NOMEM;
  FILE *f = fopen(path, "ab");
  int bad = !f || fwrite(out.s ? out.s : "", 1, out.n, f) != out.n;
  if (f && fclose(f) != 0) bad = 1;
  pl_text_free(&out);
  return bad ? pl_fail(t->env, PL_E_IO, "%s: cannot be written: %s", path, strerror(errno)) : PL_OK;
}

// ---- reading ----------------------------------------------------------------------------------

typedef struct reader {
  pl_env *env;
  const char *path, *at, *end;
  int line;
  pl_text cell;
} reader;

// Reads one cell into r->cell; *last: it ended its line.
static pl_status next_cell(reader *r, int *last) {
  r->cell.n = 0;
  if (r->cell.s) r->cell.s[0] = 0;
  int line = r->line;
  if (r->at < r->end && *r->at == '"') {
    // a doubled quote stands for one
    for (r->at++; r->at < r->end && (*r->at != '"' || (r->at + 1 < r->end && r->at[1] == '"'));
         r->at++) {
      if (*r->at == '"') r->at++;
      if (*r->at == '\n') r->line++;
      pl_text_put(&r->cell, r->at, 1);
    }
    if (r->at == r->end)
      return pl_fail_at(r->env, PL_E_INPUT, r->path, line, 0, "close it with \"",
                        "a quoted cell has no end");
    r->at++;
  }
  const char *from = r->at;
  while (r->at < r->end && *r->at != ',' && *r->at != '\n' && *r->at != '\r') r->at++;
  pl_text_put(&r->cell, from, (size_t)(r->at - from));
  if (r->cell.failed) return PL_E_NOMEM;
  *last = r->at == r->end || *r->at != ',';
  if (r->at < r->end && *r->at == '\r') r->at++;
  if (r->at < r->end && (*r->at == '\n' || *r->at == ',')) r->at++;
  return PL_OK;
}

// lines before the header that begin with "# "
static void skip_remarks(reader *r) {
  for (; r->end - r->at > 1 && r->at[0] == '#' && r->at[1] == ' '; r->line++) {
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end ? end + 1 : r->end;
  }
}

static pl_status read_header(reader *r, pl_table **out) {
  pl_text all; // cells one after the other, each with its zero
  pl_text_init(&all, r->env);
  int ncol = 0, last = 0;
  pl_status s = PL_OK;
  while (s == PL_OK && !last) {
    s = next_cell(r, &last);
    if (s == PL_OK && ++ncol > COL_MAX)
      s = pl_fail_at(r->env, PL_E_INPUT, r->path, 1, 0, NULL, "more than %d columns", COL_MAX);
    if (s == PL_OK && r->cell.n > 0 && memchr(r->cell.s, 0, r->cell.n))
      s = pl_fail_at(r->env, PL_E_INPUT, r->path, 1, 0, NULL, "the header holds a zero byte");
    if (s == PL_OK) pl_text_put(&all, r->cell.s ? r->cell.s : "", r->cell.n + 1);
  }
  r->line++;
  if (s == PL_OK && all.failed) s = PL_E_NOMEM;
  if (s == PL_OK) s = pl_table_create(r->env, ncol, out);
  char *cell = all.s;
  for (int c = 0; s == PL_OK && c < ncol; c++) {
    size_t n = strlen(cell) + 1;
    const char *unit = pl_unit_split(cell);
    s = pl_table_column(*out, c, cell, unit);
    cell += n;
  }
  pl_text_free(&all);
  return s;
}

static const char *cell_hint(const reader *r, const char *otherwise) {
  if (!r->cell.s || !strchr(r->cell.s, ';')) return otherwise;
  return "separate cells by commas, and write decimals with a point: 0.5,1.25";
}

static pl_status read_number(reader *r, int col, double *value) {
  const char *s = r->cell.s ? r->cell.s : "";
  size_t n = r->cell.n;
  // an empty cell, and no other word than these, is a number that is not there
  while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t')) n--;
  while (n > 0 && (*s == ' ' || *s == '\t')) s++, n--;
  *value = NAN;
  if (n == 0) return PL_OK;
  if (pl_number_word(s, n, value)) return PL_OK;
  return pl_fail_at(r->env, PL_E_INPUT, r->path, r->line, 0,
                    cell_hint(r, "cells below the header hold numbers"),
                    "column %d: '%.*s' is not a number", col + 1, n > 40 ? 40 : (int)n, s);
}

static pl_status read_rows(reader *r, pl_table *t, double *row) {
  for (; r->at < r->end; r->line++) {
    if (*r->at == '\n' || *r->at == '\r') {
      r->at++;
      if (r->at[-1] == '\r' && r->at < r->end && *r->at == '\n') r->at++;
      continue;
    }
    int col = 0, last = 0, line = r->line;
    while (!last) {
      PL_TRY(next_cell(r, &last));
      if (col < t->ncol) PL_TRY(read_number(r, col, &row[col]));
      col++;
    }
    if (col != t->ncol)
      return pl_fail_at(r->env, PL_E_INPUT, r->path, line, 0, cell_hint(r, NULL),
                        "%d %s, but the header has %d %s", col, pl_plural(col, "cell", "cells"),
                        t->ncol, pl_plural(t->ncol, "column", "columns"));
    PL_TRY(pl_table_row(t, row));
  }
  return PL_OK;
}

pl_status pl_table_read(pl_env *env, const char *path, pl_table **out) {
  *out = NULL;
  char *data;
  size_t size;
  PL_TRY(pl_file_read(env, path, (size_t)1 << 30, &data, &size));
  pl_status s = pl_table_parse(env, path, data, size, out);
  pl_free(env, data);
  return s;
}

pl_status pl_table_parse(pl_env *env, const char *path, const char *data, size_t size,
                         pl_table **out) {
  *out = NULL;
  reader r = {.env = env, .path = path, .at = data, .end = data + size, .line = 1};
  pl_text_init(&r.cell, env);
  if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) r.at += 3;
  skip_remarks(&r);

  int header = r.line;
  pl_table *t = NULL;
  double *row = NULL;
  pl_status s = PL_OK;
  if (r.at == r.end)
    s = pl_fail_at(env, PL_E_INPUT, path, 1, 0, NULL, "empty: a header line is expected");
  if (s == PL_OK) s = read_header(&r, &t);
  if (s == PL_OK) t->line = header;
  if (s == PL_OK && !(row = pl_alloc(env, (size_t)t->ncol, sizeof *row))) s = PL_E_NOMEM;
  if (s == PL_OK) s = read_rows(&r, t, row);
  pl_free(env, row);
  pl_text_free(&r.cell);
  if (s == PL_OK)
    *out = t;
  else
    pl_table_free(t);
  return s;
}
