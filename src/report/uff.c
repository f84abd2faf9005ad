// Universal files: dataset 58 (functions at nodal degrees of freedom) and 164 (units), as text of
// fixed columns.
#include "report_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_ = 400, POINTS_MAX = 50000000, FUNCTIONS_MAX = 100000 };

typedef struct reader {
  pl_env *env;
  const char *path, *at, *end;
  int line;             // of the text below
  char text[LINE_MAX_]; // without its end
  double length, force; // universal file units in SI units
  pl_uff *out;
  int cap;
} reader;

static pl_status wrong(const reader *r, const char *hint, const char *what) {
  return pl_fail_at(r->env, PL_E_INPUT, r->path, r->line, 0, hint, "%s", what);
}

// the next line; 0: the file ends
static int next_line(reader *r) {
  if (r->at >= r->end) return 0;
  const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
  size_t n = stop ? (size_t)(stop - r->at) : (size_t)(r->end - r->at);
  const char *from = r->at;
  r->at = stop ? stop + 1 : r->end;
  r->line++;
  while (n > 0 && from[n - 1] == '\r') n--;
  if (n >= LINE_MAX_) n = LINE_MAX_ - 1;
  memcpy(r->text, from, n);
  for (size_t i = 0; i < n; i++)
    if (r->text[i] == 0) r->text[i] = ' ';
  r->text[n] = 0;
  return 1;
}

static pl_status need_line(reader *r) {
  if (next_line(r)) return PL_OK;
  return wrong(r, "the file may have been cut off", "the file ends inside of a dataset");
}

static int is_mark(const reader *r) {
  int v;
  char rest;
  return sscanf(r->text, "%d %c", &v, &rest) == 1 && v == -1;
}

// columns from..from + width of the line, without spaces around; Fortran's D becomes E
static char *field(const reader *r, int from, int width, char *out) {
  int len = (int)strlen(r->text), n = 0;
  for (int i = from; i < from + width && i < len; i++) out[n++] = r->text[i];
  while (n > 0 && (out[n - 1] == ' ' || out[n - 1] == '\t')) n--;
  out[n] = 0;
  char *s = out;
  while (*s == ' ' || *s == '\t') s++;
  for (char *p = s; *p; p++)
    if (*p == 'D' || *p == 'd') *p = 'E';
  return s;
}

static pl_status read_integer(const reader *r, int from, int width, int *out) {
  char buf[LINE_MAX_], *s = field(r, from, width, buf), *end;
  long v = strtol(s, &end, 10);
  *out = 0;
  if (*s == 0) return PL_OK;
  if (*end || v < -2147483647 || v > 2147483647)
    return pl_fail_at(r->env, PL_E_INPUT, r->path, r->line, from + 1,
                      "columns of universal files are fixed",
                      "columns %d to %d: '%.40s' is not an integer", from + 1, from + width, s);
  *out = (int)v;
  return PL_OK;
}

static pl_status read_real(const reader *r, int from, int width, double *out) {
  char buf[LINE_MAX_], *s = field(r, from, width, buf);
  size_t n = pl_number_scan(s, strlen(s), out);
  if (n > 0 && !s[n] && isfinite(*out)) return PL_OK;
  return pl_fail_at(r->env, PL_E_INPUT, r->path, r->line, from + 1,
                    "columns of universal files are fixed",
                    "columns %d to %d: '%.40s' is not a number", from + 1, from + width, s);
}

// ---- units ------------------------------------------------------------------------------------

// values in SI are those of the file over these factors
static pl_status read_units(reader *r) {
  PL_TRY(need_line(r));
  PL_TRY(need_line(r));
  PL_TRY(read_real(r, 0, 25, &r->length));
  PL_TRY(read_real(r, 25, 25, &r->force));
  if (!(r->length > 0) || !(r->force > 0))
    return wrong(r, NULL, "dataset 164: factors of units must be above 0");
  r->out->units = 1;
  return PL_OK;
}

// ---- functions --------------------------------------------------------------------------------

static pl_status read_identity(reader *r, pl_uff_function *f) {
  PL_TRY(need_line(r));
  PL_TRY(read_integer(r, 0, 5, &f->type));
  PL_TRY(read_integer(r, 41, 10, &f->response_node));
  PL_TRY(read_integer(r, 51, 4, &f->response_direction));
  PL_TRY(read_integer(r, 66, 10, &f->reference_node));
  return read_integer(r, 76, 4, &f->reference_direction);
}

// kind and powers of length and force of an axis
static pl_status read_axis(reader *r, int *kind, int power[2]) {
  PL_TRY(need_line(r));
  PL_TRY(read_integer(r, 0, 10, kind));
  PL_TRY(read_integer(r, 10, 5, &power[0]));
  PL_TRY(read_integer(r, 15, 5, &power[1]));
  // who leaves the powers out means those of the kind
  if (power[0] == 0 && power[1] == 0) {
    power[0] = *kind == 8 || *kind == 11 || *kind == 12;
    power[1] = *kind == 9 || *kind == 13;
  }
  return PL_OK;
}

// columns of one value: where reals are double they take 20, abscissas always 13
typedef struct layout {
  int uneven, parts, wide, per_line; // numbers a line
} layout;

static pl_status read_values(reader *r, const layout *l, double from, double step,
                             pl_uff_function *f) {
  int per = l->uneven + l->parts, count = 0, at = 0;
  for (int i = 0; i < f->n * per; i++) {
    if (count == 0) {
      PL_TRY(need_line(r));
      if (is_mark(r))
        return pl_fail_at(r->env, PL_E_INPUT, r->path, r->line, 0,
                          "the count of values stands in record 7",
                          "the dataset ends after %d of %d values", i / per, f->n);
      at = 0;
    }
    int which = i % per, abscissa = l->uneven && which == 0;
    int width = l->wide && !abscissa ? 20 : 13, k = i / per;
    double v;
    PL_TRY(read_real(r, at, width, &v));
    at += width;
    if (abscissa)
      f->x[k] = v;
    else if (which - l->uneven == 0)
      f->re[k] = v;
    else
      f->im[k] = v;
    if (!l->uneven) f->x[k] = from + step * k;
    count = (count + 1) % l->per_line;
  }
  return PL_OK;
}

// records 7 and 12
static pl_status check_form(const reader *r, int form, int spacing, layout *l) {
  if (form != 2 && form != 4 && form != 5 && form != 6)
    return wrong(r, "2, 4: real, 5, 6: complex", "record 7: unknown kind of ordinates");
  if (spacing != 0 && spacing != 1)
    return wrong(r, "0: uneven, 1: even", "record 7: unknown spacing of abscissas");
  *l = (layout){
      .uneven = spacing == 0, .parts = form > 4 ? 2 : 1, .wide = form % 2 == 0 && form > 2};
  int even = l->wide ? 4 : 6, uneven = !l->wide ? 6 : l->parts == 2 ? 3 : 4;
  l->per_line = l->uneven ? uneven : even;
  return PL_OK;
}

static pl_status allocate(reader *r, pl_uff_function *f, int n) {
  // every value takes a few bytes of the file at least
  if (n < 1 || n > POINTS_MAX || (size_t)n > (size_t)(r->end - r->at))
    return wrong(r, NULL, "record 7: the count of values does not fit the file");
  f->x = pl_alloc(r->env, 3 * (size_t)n, sizeof(double));
  if (!f->x) return PL_E_NOMEM;
  f->re = f->x + n;
  f->im = f->re + n;
  f->n = n;
  return PL_OK;
}

static pl_status read_function(reader *r, pl_uff_function *f) {
  int form, n, spacing, numerator[2], denominator[2], other, power[2];
  double from, step;
  layout l = {0};
  PL_TRY(need_line(r));
  f->line = r->line;
  snprintf(f->title, sizeof f->title, "%.80s", r->text);
  for (int k = 0; k < 4; k++) PL_TRY(need_line(r));
  PL_TRY(read_identity(r, f));
  PL_TRY(need_line(r));
  PL_TRY(read_integer(r, 0, 10, &form));
  PL_TRY(read_integer(r, 10, 10, &n));
  PL_TRY(read_integer(r, 20, 10, &spacing));
  PL_TRY(check_form(r, form, spacing, &l));
  PL_TRY(read_real(r, 30, 13, &from));
  PL_TRY(read_real(r, 43, 13, &step));
  f->complex_ = l.parts == 2;
  PL_TRY(allocate(r, f, n));
  PL_TRY(read_axis(r, &f->abscissa, power));
  PL_TRY(read_axis(r, &f->numerator, numerator));
  PL_TRY(read_axis(r, &f->denominator, denominator));
  PL_TRY(read_axis(r, &other, power));
  PL_TRY(read_values(r, &l, from, step, f));
  double si =
      pow(r->length, denominator[0] - numerator[0]) * pow(r->force, denominator[1] - numerator[1]);
  for (int i = 0; i < f->n; i++) {
    f->re[i] *= si;
    f->im[i] *= si;
    if (!isfinite(f->x[i]) || !isfinite(f->re[i]) || !isfinite(f->im[i]))
      return wrong(r, "check the exponents, and the units in dataset 164",
                   "a value is too large for numbers");
  }
  return PL_OK;
}

static pl_status add_function(reader *r) {
  pl_uff *u = r->out;
  if (u->n >= FUNCTIONS_MAX) return wrong(r, NULL, "more functions than can be read");
  PL_TRY(pl_grow(r->env, &u->function, u->n, &r->cap, sizeof *u->function));
  memset(&u->function[u->n], 0, sizeof *u->function);
  return read_function(r, &u->function[u->n++]);
}

// ---- file -------------------------------------------------------------------------------------

static pl_status read_dataset(reader *r) {
  char binary = 0;
  int number = 0, got = sscanf(r->text, "%d%c", &number, &binary);
  if (got < 1) return wrong(r, NULL, "a dataset begins with its number");
  if (number == 58 && got == 2 && (binary == 'b' || binary == 'B'))
    return wrong(r, "write the file as text (ASCII)", "dataset 58 is binary");
  if (number == 58) PL_TRY(add_function(r));
  if (number == 164) PL_TRY(read_units(r));
  do PL_TRY(need_line(r));
  while (!is_mark(r));
  return PL_OK;
}

static pl_status read_all(reader *r) {
  int any = 0;
  while (next_line(r)) {
    if (!is_mark(r)) {
      if (strspn(r->text, " \t") == strlen(r->text)) continue;
      return wrong(r, "datasets stand between lines with -1", "this is not a universal file");
    }
    any = 1;
    PL_TRY(need_line(r));
    PL_TRY(read_dataset(r));
  }
  if (!any) return wrong(r, NULL, "empty: a universal file is expected");
  return PL_OK;
}

pl_status pl_uff_parse(pl_env *env, const char *path, const char *data, size_t size, pl_uff **out) {
  *out = NULL;
  pl_uff *u = pl_alloc(env, 1, sizeof *u);
  reader r = {.env = env, .path = path, .at = data, .end = data + size, .length = 1, .force = 1};
  r.out = u;
  pl_status st = PL_E_NOMEM;
  if (u) {
    u->env = env;
    st = read_all(&r);
  }
  if (st == PL_OK)
    *out = u;
  else
    pl_uff_free(u);
  return st;
}

pl_status pl_uff_read(pl_env *env, const char *path, pl_uff **out) {
  *out = NULL;
  char *data;
  size_t size;
  PL_TRY(pl_file_read(env, path, (size_t)1 << 30, &data, &size));
  pl_status s = pl_uff_parse(env, path, data, size, out);
  pl_free(env, data);
  return s;
}

void pl_uff_free(pl_uff *u) {
  if (!u) return;
  for (int k = 0; k < u->n; k++) pl_free(u->env, u->function[k].x);
  pl_free(u->env, u->function);
  pl_free(u->env, u);
}
