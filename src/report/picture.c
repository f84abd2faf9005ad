#include "report_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- camera -----------------------------------------------------------------------------------

static void add_bounds(int nvert, const double *x, double lo[3], double hi[3]) {
  for (int v = 0; v < nvert; v++) {
    const double *p = x + 3 * (size_t)v;
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) continue;
    for (int k = 0; k < 3; k++) {
      lo[k] = fmin(lo[k], p[k]);
      hi[k] = fmax(hi[k], p[k]);
    }
  }
}

static void look_along(rp_camera *c, int right, int up, int towards, double sign) {
  memset(c->R, 0, sizeof c->R);
  c->R[0][right] = 1;
  c->R[1][up] = 1;
  c->R[2][towards] = sign;
  c->flat = 1;
}

// z stays upright; the longer horizontal extent runs across, seen from the side and from above
static void aim(rp_camera *c, const double lo[3], const double hi[3], int flat) {
  double e[3], most = 0;
  for (int k = 0; k < 3; k++) {
    e[k] = hi[k] - lo[k];
    most = fmax(most, e[k]);
  }
  double none = 1e-6 * most;
  if (flat || !(e[2] > none)) {
    look_along(c, 0, 1, 2, 1);
    return;
  }
  if (e[1] <= none) {
    look_along(c, 0, 2, 1, -1);
    return;
  }
  if (e[0] <= none) {
    look_along(c, 1, 2, 0, 1);
    return;
  }
  double across = fmax(e[0], e[1]), along = fmin(e[0], e[1]);
  double angle = along < 0.35 * across ? 24 : 32, above = e[2] < 0.3 * along ? 34 : 21;
  angle *= M_PI / 180;
  above *= M_PI / 180;
  double s = sin(angle), k = cos(angle), up = sin(above), level = cos(above);
  const double right[2][2] = {{k, s}, {-s, k}}, towards[2][2] = {{s, -k}, {k, s}};
  int y_across = e[1] > e[0];
  const double *r = right[y_across], *t = towards[y_across];
  const double R[3][3] = {
      {r[0], r[1], 0}, {-up * t[0], -up * t[1], level}, {level * t[0], level * t[1], up}};
  memcpy(c->R, R, sizeof R);
  c->flat = 0;
}

static double row_dot(const double r[3], const double *x) {
  return r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
}

void rp_project(const rp_camera *c, int nvert, const double *x, double *out) {
  for (int v = 0; v < nvert; v++) {
    const double *p = x + 3 * (size_t)v;
    double *q = out + 3 * (size_t)v;
    q[0] = c->centre[0] + c->scale * (row_dot(c->R[0], p) - c->mid[0]);
    q[1] = c->centre[1] - c->scale * (row_dot(c->R[1], p) - c->mid[1]);
    q[2] = c->scale * row_dot(c->R[2], p);
    if (!isfinite(q[0]) || !isfinite(q[1]) || !isfinite(q[2])) q[0] = q[1] = q[2] = NAN;
  }
}

// extents of all position sets as the camera sees them
static void seen_bounds(const rp_camera *c, int nvert, int npos, const double *const *pos,
                        double lo[2], double hi[2]) {
  for (int k = 0; k < 2; k++) {
    lo[k] = INFINITY;
    hi[k] = -INFINITY;
    for (int i = 0; i < npos; i++)
      for (int v = 0; v < nvert; v++) {
        double u = row_dot(c->R[k], pos[i] + 3 * (size_t)v);
        if (!isfinite(u)) continue;
        lo[k] = fmin(lo[k], u);
        hi[k] = fmax(hi[k], u);
      }
    if (lo[k] > hi[k]) lo[k] = hi[k] = 0;
  }
}

// ---- layout -----------------------------------------------------------------------------------

static void colour_range(rp_picture *p) {
  const pl_view *v = p->view;
  const double *value = v->face ? v->face : v->colour;
  p->lo = v->lo;
  p->hi = v->hi;
  if (!value || p->lo < p->hi) return;
  p->lo = INFINITY;
  p->hi = -INFINITY;
  for (int k = 0; k < (v->face ? p->mesh->cell[PL_TRI3].n : p->mesh->nvert); k++) {
    if (!isfinite(value[k])) continue;
    p->lo = fmin(p->lo, value[k]);
    p->hi = fmax(p->hi, value[k]);
  }
  if (!(p->lo < p->hi)) rp_range(&p->lo, &p->hi, 0, 0, 0);
}

static void bar_axis(const rp_picture *p, rp_axis *a) {
  const rp_look look = {.label = p->view->colour_label, .length = p->view->length};
  rp_axis_make(a, p->lo, p->hi, 5, &look);
}

static double bar_width(const rp_picture *p) {
  if (!p->view->colour && !p->face) return 24;
  rp_axis a;
  bar_axis(p, &a);
  double w = 0;
  for (int k = 0; k < a.ntick; k++) w = fmax(w, rp_width(a.text[k], 12));
  return 24 + 14 + 9 + w + (a.label[0] ? 26 : 12);
}

static int clamp(int v, int standard, int lo, int hi) {
  if (v == 0) return standard;
  return v < lo ? lo : v > hi ? hi : v;
}

// the model fills its area; a low model makes a low picture unless a height is asked for
static void fit(rp_picture *p, int npos, const double *const *pos) {
  const pl_view *v = p->view;
  p->w = clamp(v->width, 720, 200, 4000);
  p->h = clamp(v->height, 480, 200, 4000);
  p->left = 26;
  p->top = v->title && *v->title ? 48 : 22;
  p->right = p->w - bar_width(p);
  double lo[2], hi[2], below = 70;
  seen_bounds(&p->camera, p->mesh->nvert, npos, pos, lo, hi);
  for (int i = 0; i < 2 * v->nline; i++)
    for (int k = 0; k < 2; k++) {
      double u = row_dot(p->camera.R[k], v->line + 3 * (size_t)i);
      lo[k] = fmin(lo[k], u);
      hi[k] = fmax(hi[k], u);
    }
  double e[2] = {hi[0] - lo[0], hi[1] - lo[1]};
  double scale = fmin((p->right - p->left) / e[0], (p->h - p->top - below) / e[1]);
  // a point, or nothing at all
  if (!isfinite(scale) || !(scale > 0)) scale = 1;
  if (v->height == 0) p->h = fmax(220, fmin(p->h, ceil(p->top + below + scale * e[1])));
  p->bottom = p->h - below;
  p->camera.scale = scale;
  for (int k = 0; k < 2; k++) p->camera.mid[k] = lo[k] / 2 + hi[k] / 2;
  p->camera.centre[0] = (p->left + p->right) / 2;
  p->camera.centre[1] = (p->top + p->bottom) / 2;
}

static void draw_backdrop(rp_picture *p) {
  if (p->view->nline == 0) return;
  rp_pen pen = rp_pen_new(p->t, 1);
  rp_str(p->t, "<path class=\"pl-ghost\" fill=\"none\" stroke=\"#8793a0\" stroke-width=\".9\" "
               "stroke-opacity=\".55\" d=\"");
  for (int i = 0; i < p->view->nline; i++) {
    double P[6];
    rp_project(&p->camera, 2, p->view->line + 6 * (size_t)i, P);
    if (isnan(P[0]) || isnan(P[3])) continue;
    rp_move(&pen, P[0], P[1]);
    rp_line(&pen, P[3], P[4]);
  }
  rp_str(p->t, "\"/>\n");
}

pl_status rp_picture_open(rp_picture *p, pl_text *t, const pl_mesh *m, const pl_view *v, int most,
                          int npos, const double *const *pos) {
  static const pl_view standard = {0};
  *p = (rp_picture){.t = t, .env = t->env, .mesh = m, .view = v ? v : &standard};
  p->face = p->view->face;
  for (int k = 0; k < p->view->nmark; k++)
    if (p->view->mark[k] < 0 || p->view->mark[k] >= m->nvert)
      return pl_fail(t->env, PL_E_ARG, "%s: marked vertex %d of %d", m->source ? m->source : "mesh",
                     p->view->mark[k] + 1, m->nvert);
  PL_TRY(rp_shape_create(t->env, m, most, &p->shape));
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < npos; i++) add_bounds(m->nvert, pos[i], lo, hi);
  aim(&p->camera, lo, hi, p->view->flat);
  colour_range(p);
  fit(p, npos, pos);
  p->decimals = p->shape.nface > 3000 ? 1 : 2;
  rp_svg_open(t, p->w, p->h, p->view->title);
  rp_label(t, "pl-ink", 20, 28, 15, 's', p->view->title);
  draw_backdrop(p);
  if (p->shape.nface + p->shape.nseg + p->shape.nlone == 0)
    rp_label(t, "pl-mute", p->camera.centre[0], p->camera.centre[1], 13, 'm', "nothing to draw");
  return PL_OK;
}

void rp_picture_free(rp_picture *p) {
  rp_shape_free(&p->shape);
}

// ---- decor ------------------------------------------------------------------------------------

static void rect(pl_text *t, double x, double y, double w, double h, const char *fill) {
  rp_str(t, "<rect x=\"");
  rp_num(t, x, 2);
  rp_str(t, "\" y=\"");
  rp_num(t, y, 2);
  rp_str(t, "\" width=\"");
  rp_num(t, w, 2);
  rp_str(t, "\" height=\"");
  rp_num(t, h, 2);
  pl_text_add(t, "\" fill=\"%s\"/>", fill);
}

// what stands above the bar: colours at the limit and beyond
static void limit_marks(rp_picture *p, double x, double y, double width) {
  char hex[8];
  rect(p->t, x, y - 20, width, width, rp_hex(hex, rp_at_limit));
  rect(p->t, x, y - 40, width, width, rp_hex(hex, rp_beyond));
  rp_label(p->t, "pl-mute", x + width + 8, y - 20 + width / 2 + 4.2, 12, 's', "at limit");
  rp_label(p->t, "pl-mute", x + width + 8, y - 40 + width / 2 + 4.2, 12, 's', "beyond");
}

// strips that each reach down to the bottom: no seams between them
static void colour_bar(rp_picture *p) {
  enum { STRIPS = 64, WIDTH = 14 };
  rp_axis a;
  bar_axis(p, &a);
  int marks = p->face && p->view->limit > 0;
  double x = p->right + 24, height = fmin(p->h - p->top - 40 - 44 * marks, 260);
  double y = p->top + (p->h - p->top - 16 - height + 44 * marks) / 2;
  rp_str(p->t, "<g>");
  if (marks) limit_marks(p, x, y, WIDTH);
  for (int k = 0; k < STRIPS; k++) {
    char hex[8];
    double from = height * k / STRIPS;
    double value = 1 - (k + 0.5) / STRIPS;
    rect(p->t, x, y + from, WIDTH, height - from,
         rp_hex(hex, marks ? rp_light(value) : rp_viridis(value)));
  }
  rp_str(p->t, "</g>\n<path class=\"pl-axis\" fill=\"none\" stroke=\"" RP_AXIS "\" d=\"");
  rp_pen pen = rp_pen_new(p->t, 1);
  for (int k = 0; k < a.ntick; k++) {
    double at = y + height * (1 - rp_axis_shown(&a, a.tick[k]));
    rp_move(&pen, x + WIDTH, at);
    rp_line(&pen, x + WIDTH + 4, at);
  }
  rp_str(p->t, "\"/>\n");
  double wide = 0;
  for (int k = 0; k < a.ntick; k++) {
    double at = y + height * (1 - rp_axis_shown(&a, a.tick[k]));
    rp_label(p->t, "pl-mute", x + WIDTH + 8, at + 4.2, 12, 's', a.text[k]);
    wide = fmax(wide, rp_width(a.text[k], 12));
  }
  rp_label_up(p->t, "pl-ink", x + WIDTH + 9 + wide + 15, y + height / 2, 13, a.label);
}

// the three axes from one corner, those that point at the viewer left out
static void triad(rp_picture *p) {
  static const char *const name[] = {"x", "y", "z"};
  double u[3], w[3], left = 0, low = 0;
  for (int k = 0; k < 3; k++) {
    u[k] = 26 * p->camera.R[0][k];
    w[k] = -26 * p->camera.R[1][k];
    left = fmin(left, u[k]);
    low = fmax(low, w[k]);
  }
  double x = 26 - left, y = p->h - 24 - low;
  for (int k = 0; k < 3; k++) {
    double n = hypot(u[k], w[k]);
    if (n < 4) continue;
    double a = u[k] / n, b = w[k] / n;
    rp_pen pen = rp_pen_new(p->t, 1);
    rp_str(p->t, "<path class=\"pl-tool\" stroke=\"" RP_MUTE "\" fill=\"" RP_MUTE
                 "\" stroke-width=\"1.2\" d=\"");
    rp_move(&pen, x, y);
    rp_line(&pen, x + u[k] - 5 * a, y + w[k] - 5 * b);
    // arrow head of 6 by 5 pixels
    rp_move(&pen, x + u[k], y + w[k]);
    rp_line(&pen, x + u[k] - 6 * a - 2.5 * b, y + w[k] - 6 * b + 2.5 * a);
    rp_line(&pen, x + u[k] - 6 * a + 2.5 * b, y + w[k] - 6 * b - 2.5 * a);
    rp_close(&pen);
    rp_str(p->t, "\"/>\n");
    rp_label(p->t, "pl-mute", x + u[k] + 8 * a, y + w[k] + 8 * b + 4, 12, 'm', name[k]);
  }
}

// in the page's unit, or in the one that gives the fewest digits
static void length_text(char *out, size_t size, double length, const char *wanted) {
  static const struct {
    double unit;
    const char *name, *key;
  } units[] = {{1e3, "km", "km"},
               {1, "m", "m"},
               {1e-3, "mm", "mm"},
               {1e-6, "\xc2\xb5m", "um"},
               {1e-9, "nm", "nm"}};
  char number[48];
  int u = 0;
  while (u < 4 && (wanted ? strcmp(wanted, units[u].key) != 0 : length < 0.999 * units[u].unit))
    u++;
  rp_general(number, sizeof number, length / units[u].unit, 6);
  snprintf(out, size, "%s %s", number, units[u].name);
}

// a bar of round length, at most a quarter of the picture
static void scale_bar(rp_picture *p) {
  double most = fmin(0.25 * p->w, 150) / p->camera.scale;
  double e = floor(log10(most)), m = most / pow(10, e);
  double length = (m >= 5 ? 5 : m >= 2 ? 2 : 1) * pow(10, e);
  if (!isfinite(length) || !(length > 0)) return;
  double w = length * p->camera.scale, x = p->right - w, y = p->h - 24;
  char text[80];
  length_text(text, sizeof text, length, p->view->length);
  rp_pen pen = rp_pen_new(p->t, 1);
  rp_str(p->t,
         "<path class=\"pl-tool\" fill=\"none\" stroke=\"" RP_MUTE "\" stroke-width=\"1.4\" d=\"");
  rp_move(&pen, x, y - 4);
  rp_line(&pen, x, y + 4);
  rp_move(&pen, x, y);
  rp_line(&pen, x + w, y);
  rp_move(&pen, x + w, y - 4);
  rp_line(&pen, x + w, y + 4);
  rp_str(p->t, "\"/>\n");
  rp_label(p->t, "pl-mute", x + w / 2, y - 8, 12, 'm', text);
}

void rp_picture_decor(rp_picture *p) {
  if (p->view->colour || p->face) colour_bar(p);
  triad(p);
  // a single point has no scale
  if (p->mesh->nvert > 1) scale_bar(p);
}
