// A star-shaped body in a space of three numbers: in a box with an axis for each, its shadows on
// the walls behind it.
#include "report_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 620, HEIGHT = 520, SHADOW = 240, TICKS = 5 };

typedef struct stage {
  pl_text *t;
  const pl_body_plot *p;
  double w, h, scale, middle[2];
  double R[3][3]; // right, up and towards the viewer
  rp_axis axis[3];
  double (*at)[3]; // [nvert] within the box: from -1/2 to 1/2
  double home[3];  // where all three numbers are zero
} stage;

// ---- places -------------------------------------------------------------------------------------

static void look(double R[3][3]) {
  double a = 32 * PL_PI / 180, b = 24 * PL_PI / 180;
  const double rows[3][3] = {{cos(a), sin(a), 0},
                             {-sin(a) * sin(b), cos(a) * sin(b), cos(b)},
                             {sin(a) * cos(b), -cos(a) * cos(b), sin(b)}};
  memcpy(R, rows, sizeof rows);
}

static void project(const stage *s, const double x[3], double out[2]) {
  out[0] = s->middle[0] + s->scale * pl_dot3(s->R[0], x);
  out[1] = s->middle[1] - s->scale * pl_dot3(s->R[1], x);
}

static void set_axes(stage *s) {
  for (int c = 0; c < 3; c++) {
    double lo = 0, hi = 0;
    for (int i = 0; i < s->p->nvert; i++) {
      lo = fmin(lo, s->p->x[i][c]);
      hi = fmax(hi, s->p->x[i][c]);
    }
    rp_range(&lo, &hi, 0, 0.06, 0);
    rp_axis_make(&s->axis[c], lo, hi, TICKS, &(rp_look){.label = s->p->label[c]});
    s->home[c] = rp_axis_at(&s->axis[c], 0) - 0.5;
    for (int i = 0; i < s->p->nvert; i++)
      s->at[i][c] = rp_axis_at(&s->axis[c], s->p->x[i][c]) - 0.5;
  }
}

// ---- the box ------------------------------------------------------------------------------------

// walls that are seen: across each axis, at one of its ends
static const double wall[3] = {-0.5, 0.5, -0.5};

static void put_path(const stage *s, int n, const double (*x)[3], const char *more) {
  rp_str(s->t, "<path d=\"");
  rp_pen pen = rp_pen_new(s->t, 1);
  for (int i = 0; i < n; i++) {
    double at[2];
    project(s, x[i], at);
    if (i == 0)
      rp_move(&pen, at[0], at[1]);
    else
      rp_line(&pen, at[0], at[1]);
  }
  pl_text_add(s->t, "%s\" %s/>\n", n > 2 ? "z" : "", more);
}

static void put_wall(const stage *s, int across) {
  int u = (across + 1) % 3, v = (across + 2) % 3;
  double corner[4][3];
  for (int k = 0; k < 4; k++) {
    corner[k][across] = wall[across];
    corner[k][u] = k == 1 || k == 2 ? 0.5 : -0.5;
    corner[k][v] = k > 1 ? 0.5 : -0.5;
  }
  put_path(s, 4, (const double(*)[3])corner, "fill=\"none\" stroke=\"" RP_AXIS "\"");
  for (int d = 0; d < 2; d++) {
    int on = d ? v : u, off = d ? u : v;
    for (int k = 0; k < s->axis[on].ntick; k++) {
      double line[2][3];
      for (int e = 0; e < 2; e++) {
        line[e][across] = wall[across];
        line[e][on] = rp_axis_shown(&s->axis[on], s->axis[on].tick[k]) - 0.5;
        line[e][off] = e ? 0.5 : -0.5;
      }
      put_path(s, 2, (const double(*)[3])line, "fill=\"none\" stroke=\"" RP_GRID "\"");
    }
  }
}

// numbers along the edges of the box that stand free: two below in front, one at the side
static void put_numbers(const stage *s, int c) {
  static const double edge[3][3] = {{0, -0.5, -0.5}, {0.5, 0, -0.5}, {-0.5, -0.5, 0}};
  static const double away[3][2] = {{-6, 17}, {8, 15}, {-9, 4}};
  static const double label[3][2] = {{-26, 42}, {34, 34}, {-46, 4}};
  double at[2], x[3];
  for (int k = 0; k < s->axis[c].ntick; k++) {
    memcpy(x, edge[c], sizeof x);
    x[c] = rp_axis_shown(&s->axis[c], s->axis[c].tick[k]) - 0.5;
    project(s, x, at);
    rp_label(s->t, "pl-mute", at[0] + away[c][0], at[1] + away[c][1], 11, c == 1 ? 's' : 'e',
             s->axis[c].text[k]);
  }
  project(s, edge[c], at);
  rp_label(s->t, "pl-ink", at[0] + label[c][0], at[1] + label[c][1], 12.5, c == 1 ? 's' : 'e',
           s->axis[c].label);
}

// ---- the body -----------------------------------------------------------------------------------

// how far a ray from the middle goes in the shadow across an axis
static double range_of(const stage *s, int u, int v, double angle) {
  double far = 0, d[2] = {cos(angle), sin(angle)};
  for (int k = 0; k < 3 * s->p->nface; k++) {
    const int *f = s->p->face[k / 3];
    const double *a = s->at[f[k % 3]], *b = s->at[f[(k + 1) % 3]];
    double p[2] = {a[u] - s->home[u], a[v] - s->home[v]}, q[2] = {b[u] - a[u], b[v] - a[v]};
    double det = d[1] * q[0] - d[0] * q[1];
    if (det == 0) continue;
    double t = (p[1] * q[0] - p[0] * q[1]) / det, on = (d[0] * p[1] - d[1] * p[0]) / det;
    if (on >= 0 && on <= 1) far = fmax(far, t);
  }
  return far;
}

static void put_shadow(const stage *s, int across) {
  int u = (across + 1) % 3, v = (across + 2) % 3;
  double x[SHADOW][3];
  for (int k = 0; k < SHADOW; k++) {
    double angle = 2 * PL_PI * k / SHADOW, far = range_of(s, u, v, angle);
    x[k][across] = wall[across];
    x[k][u] = s->home[u] + far * cos(angle);
    x[k][v] = s->home[v] + far * sin(angle);
  }
  put_path(s, SHADOW, (const double(*)[3])x,
           "fill=\"" RP_AXIS "\" fill-opacity=\"0.25\" stroke=\"" RP_AXIS
           "\" stroke-opacity=\"0.6\"");
}

typedef struct seen {
  int face;
  double depth, light;
} seen;

static int by_depth(const void *a, const void *b) {
  double x = ((const seen *)a)->depth, y = ((const seen *)b)->depth;
  return (x > y) - (x < y);
}

// faces that look at the viewer; how many
static int find_seen(const stage *s, seen *out) {
  static const double sun[3] = {-0.35, 0.6, 0.72};
  int n = 0;
  for (int k = 0; k < s->p->nface; k++) {
    const int *f = s->p->face[k];
    double a[3], b[3], normal[3], view[3];
    pl_sub3(s->at[f[1]], s->at[f[0]], a);
    pl_sub3(s->at[f[2]], s->at[f[0]], b);
    pl_cross3(a, b, normal);
    double size = pl_norm3(normal);
    for (int c = 0; c < 3; c++) view[c] = pl_dot3(s->R[c], normal) / size;
    if (!(view[2] > 0)) continue;
    out[n].face = k;
    out[n].light = fmin(1, 0.25 + 0.75 * fmax(0, pl_dot3(view, sun)));
    out[n++].depth = pl_dot3(s->R[2], s->at[f[0]]) + pl_dot3(s->R[2], s->at[f[1]]) +
                     pl_dot3(s->R[2], s->at[f[2]]);
  }
  if (n > 0) qsort(out, (size_t)n, sizeof *out, by_depth);
  return n;
}

static pl_status put_body(const stage *s) {
  static const rp_rgb dark = {0.10, 0.22, 0.36}, bright = {0.62, 0.80, 0.95};
  seen *list = pl_alloc(s->t->env, (size_t)s->p->nface, sizeof *list);
  if (!list) return PL_E_NOMEM;
  int n = find_seen(s, list);
  rp_str(s->t, "<g stroke=\"#ffffff\" stroke-opacity=\"0.3\" stroke-width=\"0.5\">\n");
  for (int k = 0; k < n; k++) {
    const int *f = s->p->face[list[k].face];
    double x[3][3];
    char hex[8], more[32] = "fill=\"";
    for (int i = 0; i < 3; i++) memcpy(x[i], s->at[f[i]], sizeof x[i]);
    strcat(more, rp_hex(hex, rp_mix(dark, bright, list[k].light)));
    strcat(more, "\"");
    put_path(s, 3, (const double(*)[3])x, more);
  }
  rp_str(s->t, "</g>\n");
  pl_free(s->t->env, list);
  return PL_OK;
}

pl_status pl_body_svg(pl_text *t, const pl_body_plot *p) {
  size_t start = t->n;
  stage s = {.t = t, .p = p, .w = WIDTH, .h = HEIGHT, .scale = 330, .middle = {318, 265}};
  s.at = pl_alloc(t->env, (size_t)p->nvert, sizeof *s.at);
  if (!s.at) return PL_E_NOMEM;
  look(s.R);
  set_axes(&s);
  rp_svg_open(t, s.w, s.h, p->title);
  for (int c = 0; c < 3; c++) put_wall(&s, c);
  for (int c = 0; c < 3; c++) put_shadow(&s, c);
  pl_status st = put_body(&s);
  for (int c = 0; c < 3; c++) put_numbers(&s, c);
  pl_free(t->env, s.at);
  if (st != PL_OK) {
    t->n = start;
    return st;
  }
  return rp_svg_close(t, start);
}
