// Paths of SVG: numbers, transforms, curves cut into lines, lines made wide.
#include "drawing.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES_MAX = 2000 }; // of one curve

affine affine_times(affine a, affine b) {
  const double *p = a.m, *q = b.m;
  return (affine){{p[0] * q[0] + p[2] * q[1], p[1] * q[0] + p[3] * q[1], p[0] * q[2] + p[2] * q[3],
                   p[1] * q[2] + p[3] * q[3], p[0] * q[4] + p[2] * q[5] + p[4],
                   p[1] * q[4] + p[3] * q[5] + p[5]}};
}

static void skip_gap(const char **at, const char *end) {
  while (*at < end && (pl_is_space(**at) || **at == ',')) ++*at;
}

int svg_number(const char **at, const char *end, double *out) {
  skip_gap(at, end);
  const char *p = *at;
  double sign = 1;
  if (p < end && (*p == '+' || *p == '-')) sign = *p++ == '-' ? -1 : 1;
  // a sign stands at the front alone
  if (p < end && (*p == '+' || *p == '-')) return 0;
  size_t n = pl_number_scan(p, (size_t)(end - p), out);
  if (n == 0 || !isfinite(*out) || fabs(*out) > 1e30) return 0;
  *out *= sign;
  *at = p + n;
  return 1;
}

// ---- transforms -------------------------------------------------------------------------------

static affine rotate_about(double degrees, double x, double y) {
  double a = degrees * PL_PI / 180, c = cos(a), s = sin(a);
  affine r = {{c, s, -s, c, x - c * x + s * y, y - s * x - c * y}};
  return r;
}

static int one_transform(const char *name, size_t length, int n, const double *v, affine *out) {
#define IS(word) (length == strlen(word) && memcmp(name, word, length) == 0)
  *out = (affine){{1, 0, 0, 1, 0, 0}};
  if (IS("matrix") && n == 6)
    memcpy(out->m, v, sizeof out->m);
  else if (IS("translate") && (n == 1 || n == 2))
    *out = (affine){{1, 0, 0, 1, v[0], n > 1 ? v[1] : 0}};
  else if (IS("scale") && (n == 1 || n == 2))
    *out = (affine){{v[0], 0, 0, n > 1 ? v[1] : v[0], 0, 0}};
  else if (IS("rotate") && (n == 1 || n == 3))
    *out = rotate_about(v[0], n > 1 ? v[1] : 0, n > 1 ? v[2] : 0);
  else if (IS("skewX") && n == 1)
    out->m[2] = tan(v[0] * PL_PI / 180);
  else if (IS("skewY") && n == 1)
    out->m[1] = tan(v[0] * PL_PI / 180);
  else
    return 0;
  return 1;
#undef IS
}

int svg_transform(const char *at, const char *end, affine *out) {
  *out = (affine){{1, 0, 0, 1, 0, 0}};
  for (skip_gap(&at, end); at < end; skip_gap(&at, end)) {
    const char *name = at;
    double v[6];
    int n = 0;
    while (at < end && *at != '(' && !pl_is_space(*at)) at++;
    size_t length = (size_t)(at - name);
    while (at < end && pl_is_space(*at)) at++;
    if (at == end || *at++ != '(') return 0;
    while (n < 6 && svg_number(&at, end, &v[n])) n++;
    skip_gap(&at, end);
    affine one;
    if (at == end || *at++ != ')' || !one_transform(name, length, n, v, &one)) return 0;
    *out = affine_times(*out, one);
  }
  return 1;
}

// ---- lines ------------------------------------------------------------------------------------

static pl_status put(trace *t, double x, double y) {
  const double *m = t->to.m;
  PL_TRY(pl_grow(t->env, &t->x, t->n, &t->cap, sizeof *t->x));
  if (t->n >= DRAWING_POINTS)
    return pl_fail(t->env, PL_E_INPUT, "an outline has more than %d points", DRAWING_POINTS);
  t->x[t->n][0] = m[0] * x + m[2] * y + m[4];
  t->x[t->n++][1] = m[1] * x + m[3] * y + m[5];
  return PL_OK;
}

pl_status trace_move(trace *t, double x, double y) {
  PL_TRY(pl_grow(t->env, &t->sub, t->nsub, &t->cap_sub, sizeof *t->sub));
  t->sub[t->nsub][0] = t->n;
  t->sub[t->nsub++][1] = 0;
  return put(t, x, y);
}

pl_status trace_line(trace *t, double x, double y) {
  return put(t, x, y);
}

void trace_close(trace *t) {
  if (t->nsub > 0) t->sub[t->nsub - 1][1] = 1;
}

void trace_free(trace *t) {
  pl_free(t->env, t->x);
  pl_free(t->env, t->sub);
}

static double stretch_of(const affine *a) {
  const double *m = a->m;
  return sqrt(fmax(m[0] * m[0] + m[1] * m[1], m[2] * m[2] + m[3] * m[3]));
}

static int pieces_for(double count) {
  return count < 1 ? 1 : count > PIECES_MAX ? PIECES_MAX : (int)ceil(count);
}

// Beziers of degree n over p[n + 1]; chords are off by |p''| / 8 over the square of their number
static pl_status bezier(trace *t, int n, const double (*p)[2]) {
  double bend = 0;
  for (int k = 0; k + 2 <= n; k++)
    bend = fmax(bend, hypot(p[k][0] - 2 * p[k + 1][0] + p[k + 2][0],
                            p[k][1] - 2 * p[k + 1][1] + p[k + 2][1]));
  int pieces = pieces_for(sqrt(stretch_of(&t->to) * bend * n * (n - 1) / (8 * t->fine)));
  for (int i = 1; i <= pieces; i++) {
    double s = (double)i / pieces, q[4][2];
    memcpy(q, p, (size_t)(n + 1) * sizeof *q);
    for (int r = n; r > 0; r--)
      for (int k = 0; k < r; k++)
        for (int c = 0; c < 2; c++) q[k][c] += s * (q[k + 1][c] - q[k][c]);
    PL_TRY(put(t, i == pieces ? p[n][0] : q[0][0], i == pieces ? p[n][1] : q[0][1]));
  }
  return PL_OK;
}

// from angle a over d, about c, axes r turned by phi
static pl_status sweep(trace *t, const double *c, const double *r, double phi, double a, double d) {
  double size = stretch_of(&t->to) * fmax(r[0], r[1]);
  double step = size > t->fine ? 2 * acos(1 - t->fine / size) : 1;
  int pieces = pieces_for(fmax(fabs(d) / step, fabs(d)));
  for (int i = 1; i <= pieces; i++) {
    double w = a + d * i / pieces, x = r[0] * cos(w), y = r[1] * sin(w);
    PL_TRY(put(t, c[0] + cos(phi) * x - sin(phi) * y, c[1] + sin(phi) * x + cos(phi) * y));
  }
  return PL_OK;
}

pl_status trace_ellipse(trace *t, double cx, double cy, double rx, double ry) {
  PL_TRY(trace_move(t, cx + rx, cy));
  PL_TRY(sweep(t, (double[]){cx, cy}, (double[]){rx, ry}, 0, 0, 2 * PL_PI));
  trace_close(t);
  return PL_OK;
}

// appendix B of SVG 2: radii that are too small grow, one that is zero makes a line
static pl_status arc(trace *t, const double *from, const double *v, const double *to) {
  double r[2] = {fabs(v[0]), fabs(v[1])}, phi = v[2] * PL_PI / 180, c = cos(phi), s = sin(phi);
  double dx = 0.5 * (from[0] - to[0]), dy = 0.5 * (from[1] - to[1]);
  double x = c * dx + s * dy, y = -s * dx + c * dy;
  if (dx == 0 && dy == 0) return PL_OK;
  if (!(r[0] > 0) || !(r[1] > 0)) return put(t, to[0], to[1]);
  double big = x * x / (r[0] * r[0]) + y * y / (r[1] * r[1]);
  if (big > 1) {
    r[0] *= sqrt(big);
    r[1] *= sqrt(big);
    big = 1;
  }
  double f = sqrt(fmax(0, 1 / big - 1)) * ((v[3] != 0) == (v[4] != 0) ? -1 : 1);
  double mx = f * r[0] * y / r[1], my = -f * r[1] * x / r[0];
  double centre[2] = {c * mx - s * my + 0.5 * (from[0] + to[0]),
                      s * mx + c * my + 0.5 * (from[1] + to[1])};
  double a = atan2((y - my) / r[1], (x - mx) / r[0]);
  double d = atan2((-y - my) / r[1], (-x - mx) / r[0]) - a;
  if (v[4] != 0 && d < 0) d += 2 * PL_PI;
  if (v[4] == 0 && d > 0) d -= 2 * PL_PI;
  if (!isfinite(a) || !isfinite(d)) return put(t, to[0], to[1]);
  return sweep(t, centre, r, phi, a, d);
}

// ---- path data --------------------------------------------------------------------------------

typedef struct pen {
  double at[2], begin[2], last[2]; // place, begin of the part, control point before
  char before;                     // command, in capitals
} pen;

// flags of arcs are one digit each, and need nothing between them
static int read_flag(const char **at, const char *end, double *out) {
  skip_gap(at, end);
  if (*at >= end || (**at != '0' && **at != '1')) return 0;
  *out = *(*at)++ - '0';
  return 1;
}

static int read_values(char command, const char **at, const char *end, double *v) {
  static const char known[] = "MLHVCSQTAZ";
  static const int count[] = {2, 2, 1, 1, 6, 4, 4, 2, 7, 0};
  int n = count[strchr(known, command) - known];
  for (int k = 0; k < n; k++) {
    int flag = command == 'A' && (k == 3 || k == 4);
    if (flag ? !read_flag(at, end, &v[k]) : !svg_number(at, end, &v[k])) return -1;
  }
  return n;
}

// relative values become absolute ones
static void make_absolute(const pen *p, char command, int n, double *v) {
  if (command == 'H') v[0] += p->at[0];
  if (command == 'V') v[0] += p->at[1];
  if (command == 'H' || command == 'V') return;
  for (int k = command == 'A' ? 5 : 0; k < n; k++)
    v[k] += p->at[command == 'A' ? (k + 1) % 2 : k % 2];
}

static pl_status curve(trace *t, pen *p, char command, const double *v) {
  int degree = command == 'C' || command == 'S' ? 3 : 2;
  int smooth = command == 'S' || command == 'T';
  int follows =
      degree == 3 ? p->before == 'C' || p->before == 'S' : p->before == 'Q' || p->before == 'T';
  double x[4][2] = {{p->at[0], p->at[1]}};
  for (int c = 0; c < 2; c++) x[1][c] = follows ? 2 * p->at[c] - p->last[c] : p->at[c];
  memcpy(x[1 + smooth], v, (size_t)(degree - smooth) * sizeof *x);
  memcpy(p->last, x[degree - 1], sizeof p->last);
  memcpy(p->at, x[degree], sizeof p->at);
  return bezier(t, degree, (const double(*)[2])x);
}

static pl_status draw(trace *t, pen *p, char command, const double *v) {
  double from[2] = {p->at[0], p->at[1]};
  switch (command) {
  case 'M':
    memcpy(p->at, v, sizeof p->at);
    memcpy(p->begin, v, sizeof p->begin);
    return trace_move(t, v[0], v[1]);
  case 'Z':
    trace_close(t);
    memcpy(p->at, p->begin, sizeof p->at);
    return PL_OK;
  case 'H':
    p->at[0] = v[0];
    return put(t, p->at[0], p->at[1]);
  case 'V':
    p->at[1] = v[0];
    return put(t, p->at[0], p->at[1]);
  case 'L':
    memcpy(p->at, v, sizeof p->at);
    return put(t, v[0], v[1]);
  case 'A':
    memcpy(p->at, v + 5, sizeof p->at);
    return arc(t, from, v, v + 5);
  default:
    return curve(t, p, command, v);
  }
}

pl_status trace_path(trace *t, const char **at, const char *end) {
  pen p = {.before = 0};
  char command = 0;
  int relative = 0;
  for (skip_gap(at, end); *at < end; skip_gap(at, end)) {
    char c = **at, big = (char)(c & ~32);
    int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) {
      if (!strchr("MLHVCSQTAZ", big)) return PL_DOMAIN;
      command = big;
      relative = c != big;
      ++*at;
    } else if (command == 0 || command == 'Z') {
      return PL_DOMAIN;
    }
    // a path begins with a move; after it further pairs are lines
    if (p.before == 0 && command != 'M') return PL_DOMAIN;
    if (!letter && command == 'M') command = 'L';
    double v[7];
    int n = read_values(command, at, end, v);
    if (n < 0) return PL_DOMAIN;
    if (relative) make_absolute(&p, command, n, v);
    // after a close, the next part begins where the closed one did
    if (p.before == 'Z' && command != 'M' && command != 'Z')
      PL_TRY(trace_move(t, p.at[0], p.at[1]));
    PL_TRY(draw(t, &p, command, v));
    p.before = command;
  }
  return PL_OK;
}

// ---- what is painted --------------------------------------------------------------------------

static int sub_end(const trace *t, int k) {
  return k + 1 < t->nsub ? t->sub[k + 1][0] : t->n;
}

pl_status trace_fill(const trace *t, pl_drawing *d) {
  for (int k = 0; k < t->nsub; k++) {
    PL_TRY(drawing_contour(d));
    for (int i = t->sub[k][0]; i < sub_end(t, k); i++)
      PL_TRY(drawing_point(d, t->x[i][0], t->x[i][1]));
  }
  return PL_OK;
}

// a convex polygon, turned one way
static pl_status put_polygon(pl_drawing *d, int n, const double (*x)[2]) {
  double area = 0;
  for (int i = 0; i < n; i++) {
    const double *a = x[i], *b = x[(i + 1) % n];
    area += a[0] * b[1] - b[0] * a[1];
  }
  PL_TRY(drawing_contour(d));
  for (int i = 0; i < n; i++) {
    const double *a = x[area < 0 ? n - 1 - i : i];
    PL_TRY(drawing_point(d, a[0], a[1]));
  }
  return PL_OK;
}

static pl_status put_disk(pl_drawing *d, const double *c, double r) {
  enum { SIDES = 48 };
  double x[SIDES][2];
  for (int i = 0; i < SIDES; i++) {
    x[i][0] = c[0] + r * cos(2 * PL_PI * i / SIDES);
    x[i][1] = c[1] + r * sin(2 * PL_PI * i / SIDES);
  }
  return put_polygon(d, SIDES, (const double(*)[2])x);
}

static int direction(const double *a, const double *b, double *e) {
  double l = hypot(b[0] - a[0], b[1] - a[1]);
  if (!(l > 0)) return 0;
  e[0] = (b[0] - a[0]) / l;
  e[1] = (b[1] - a[1]) / l;
  return 1;
}

// between two lines of half width r that meet in c, in the directions e and f
static pl_status put_join(pl_drawing *d, const double *c, double r, const double *e,
                          const double *f, line_join join) {
  static const double miter_limit = 4;
  double rot = e[0] * f[1] - e[1] * f[0], along = e[0] * f[0] + e[1] * f[1];
  double s = rot > 0 ? -r : r; // towards the outer side, left of the direction
  double a[2] = {c[0] - s * e[1], c[1] + s * e[0]}, b[2] = {c[0] - s * f[1], c[1] + s * f[0]};
  if (join == JOIN_ROUND && along < 0.999) return put_disk(d, c, r);
  double x[4][2] = {{c[0], c[1]}, {a[0], a[1]}, {0}, {b[0], b[1]}};
  double half = sqrt(fmax(0, 0.5 * (1 + along))); // cosine of half the turn
  if (join != JOIN_MITER || half * miter_limit < 1) {
    memcpy(x[2], x[3], sizeof x[2]);
    return put_polygon(d, 3, (const double(*)[2])x);
  }
  for (int k = 0; k < 2; k++) x[2][k] = c[k] + (a[k] + b[k] - 2 * c[k]) / (2 * half * half);
  return put_polygon(d, 4, (const double(*)[2])x);
}

// one part of a trace; x: its points without repeats
static pl_status stroke_part(pl_drawing *d, int n, const double (*x)[2], int closed, double r,
                             line_join join, line_cap cap) {
  double e[2], f[2];
  if (n == 1) return cap == CAP_ROUND ? put_disk(d, x[0], r) : PL_OK;
  for (int i = 0; i + !closed < n; i++) {
    const double *a = x[i], *b = x[(i + 1) % n];
    if (!direction(a, b, e)) continue;
    double back = cap == CAP_SQUARE && !closed && i == 0 ? r : 0;
    double on = cap == CAP_SQUARE && !closed && i + 2 == n ? r : 0;
    const double q[4][2] = {{a[0] - back * e[0] - r * e[1], a[1] - back * e[1] + r * e[0]},
                            {b[0] + on * e[0] - r * e[1], b[1] + on * e[1] + r * e[0]},
                            {b[0] + on * e[0] + r * e[1], b[1] + on * e[1] - r * e[0]},
                            {a[0] - back * e[0] + r * e[1], a[1] - back * e[1] - r * e[0]}};
    PL_TRY(put_polygon(d, 4, q));
    if ((closed || i + 2 < n) && direction(b, x[(i + 2) % n], f))
      PL_TRY(put_join(d, b, r, e, f, join));
  }
  if (cap != CAP_ROUND || closed) return PL_OK;
  PL_TRY(put_disk(d, x[0], r));
  return put_disk(d, x[n - 1], r);
}

pl_status trace_stroke(const trace *t, double width, line_join join, line_cap cap, pl_drawing *d) {
  const double *m = t->to.m;
  double r = 0.5 * width * sqrt(fabs(m[0] * m[3] - m[1] * m[2]));
  if (!(r > 0)) return PL_OK;
  double(*x)[2] = pl_alloc(t->env, (size_t)t->n + 1, sizeof *x);
  if (!x) return PL_E_NOMEM;
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < t->nsub; k++) {
    int n = 0, closed = t->sub[k][1];
    for (int i = t->sub[k][0]; i < sub_end(t, k); i++)
      if (n == 0 || memcmp(x[n - 1], t->x[i], sizeof *x) != 0) memcpy(x[n++], t->x[i], sizeof *x);
    if (closed && n > 1 && memcmp(x[0], x[n - 1], sizeof *x) == 0) n--;
    if (n > 0) s = stroke_part(d, n, (const double(*)[2])x, closed && n > 2, r, join, cap);
  }
  pl_free(t->env, x);
  return s;
}
