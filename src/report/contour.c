// A quantity over a grid of two others: bands of colour, lines between them, a colour bar.
#include "report_impl.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 720, HEIGHT = 460, LEFT = 84, TOP = 44, BOTTOM = 54, BAR = 16, RIGHT = 120 };
enum { LEVELS = RP_TICK + 2, CORNERS = 8 };

typedef struct map {
  pl_text *t;
  const pl_contour *p;
  rp_axis x, y, z;
  int nlevel;           // ends of bands
  double level[LEVELS]; // ascending
} map;

// a corner of a polygon: place in pixels, value
typedef struct corner {
  double x, y, z;
} corner;

// ---- axes
// -----------------------------------------------------------------------------------------

static void range_of(size_t n, const double *v, double *lo, double *hi) {
  *lo = INFINITY;
  *hi = -INFINITY;
  for (size_t k = 0; k < n; k++) {
    if (!isfinite(v[k])) continue;
    *lo = fmin(*lo, v[k]);
    *hi = fmax(*hi, v[k]);
  }
}

static void make_axes(map *m) {
  const pl_contour *p = m->p;
  double lo, hi;
  range_of((size_t)p->nx, p->x, &lo, &hi);
  rp_axis_make(&m->x, lo, hi, 8, &(rp_look){.label = p->xlabel, .log = p->logx});
  range_of((size_t)p->ny, p->y, &lo, &hi);
  rp_axis_make(&m->y, lo, hi, 6, &(rp_look){.label = p->ylabel, .log = p->logy});
  range_of((size_t)p->nx * (size_t)p->ny, p->z, &lo, &hi);
  rp_range(&lo, &hi, 0, 0, 0);
  rp_axis_make(&m->z, lo, hi, 10, &(rp_look){.label = p->zlabel});
  m->level[m->nlevel++] = lo;
  for (int k = 0; k < m->z.ntick; k++) {
    double v = m->z.tick[k] * m->z.ten + m->z.offset;
    if (v > lo + 1e-9 * (hi - lo) && v < hi - 1e-9 * (hi - lo)) m->level[m->nlevel++] = v;
  }
  m->level[m->nlevel++] = hi;
}

static double at_x(const map *m, double v) {
  return LEFT + (WIDTH - LEFT - RIGHT) * rp_axis_at(&m->x, v);
}

static double at_y(const map *m, double v) {
  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rp_axis_at(&m->y, v);
}

// ---- bands
// ----------------------------------------------------------------------------------------

// what of a polygon is above the level, or below it; returns its corners
static int clip(int n, const corner *in, double level, int above, corner *out) {
  int count = 0;
  for (int k = 0; k < n; k++) {
    const corner *a = &in[k], *b = &in[(k + 1) % n];
    int has_a = above ? a->z >= level : a->z <= level;
    int has_b = above ? b->z >= level : b->z <= level;
    if (has_a) out[count++] = *a;
    if (has_a == has_b) continue;
    double s = (level - a->z) / (b->z - a->z);
    out[count++] = (corner){a->x + s * (b->x - a->x), a->y + s * (b->y - a->y), level};
  }
  return count;
}

static void put_polygon(rp_pen *pen, int n, const corner *c) {
  if (n < 3) return;
  rp_move(pen, c[0].x, c[0].y);
  for (int k = 1; k < n; k++) rp_line(pen, c[k].x, c[k].y);
  rp_close(pen);
}

static corner corner_at(const map *m, int i, int j) {
  const pl_contour *p = m->p;
  return (corner){at_x(m, p->x[i]), at_y(m, p->y[j]), p->z[(size_t)j * (size_t)p->nx + (size_t)i]};
}

// the four triangles of a cell about its middle; 0: a corner has no value
static int triangles(const map *m, int i, int j, corner out[4][3]) {
  corner c[4] = {corner_at(m, i, j), corner_at(m, i + 1, j), corner_at(m, i + 1, j + 1),
                 corner_at(m, i, j + 1)};
  corner mid = {0, 0, 0};
  for (int k = 0; k < 4; k++) {
    if (!isfinite(c[k].z)) return 0;
    mid.x += c[k].x / 4;
    mid.y += c[k].y / 4;
    mid.z += c[k].z / 4;
  }
  for (int k = 0; k < 4; k++) {
    out[k][0] = c[k];
    out[k][1] = c[(k + 1) % 4];
    out[k][2] = mid;
  }
  return 1;
}

static void draw_band(const map *m, int band) {
  char hex[8];
  double lo = m->level[band], hi = m->level[band + 1];
  rp_hex(hex, rp_viridis((band + 0.5) / (m->nlevel - 1)));
  // its own stroke covers the seams between triangles
  pl_text_add(m->t, "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"0.6\" d=\"", hex, hex);
  rp_pen pen = rp_pen_new(m->t, 1);
  for (int j = 0; j + 1 < m->p->ny; j++)
    for (int i = 0; i + 1 < m->p->nx; i++) {
      corner t[4][3], a[CORNERS], b[CORNERS];
      if (!triangles(m, i, j, t)) continue;
      for (int k = 0; k < 4; k++) {
        int n = clip(3, t[k], lo, 1, a);
        n = clip(n, a, hi, 0, b);
        put_polygon(&pen, n, b);
      }
    }
  rp_str(m->t, "\"/>\n");
}

static void draw_line(const map *m, double level) {
  rp_str(m->t, "<path fill=\"none\" stroke=\"#fff\" stroke-opacity=\"0.75\" d=\"");
  rp_pen pen = rp_pen_new(m->t, 1);
  for (int j = 0; j + 1 < m->p->ny; j++)
    for (int i = 0; i + 1 < m->p->nx; i++) {
      corner t[4][3];
      if (!triangles(m, i, j, t)) continue;
      for (int k = 0; k < 4; k++) {
        int n = 0;
        for (int e = 0; e < 3; e++) {
          const corner *a = &t[k][e], *b = &t[k][(e + 1) % 3];
          if ((a->z < level) == (b->z < level)) continue;
          double s = (level - a->z) / (b->z - a->z);
          double x = a->x + s * (b->x - a->x), y = a->y + s * (b->y - a->y);
          (n++ ? rp_line : rp_move)(&pen, x, y);
        }
      }
    }
  rp_str(m->t, "\"/>\n");
}

static void draw_dots(const map *m) {
  rp_str(m->t, "<path fill=\"none\" stroke=\"#fff\" stroke-opacity=\"0.85\" stroke-width=\"2.4\" "
               "stroke-linecap=\"round\" d=\"");
  rp_pen pen = rp_pen_new(m->t, 1);
  for (int j = 0; j < m->p->ny; j++)
    for (int i = 0; i < m->p->nx; i++) {
      corner c = corner_at(m, i, j);
      if (isfinite(c.z)) rp_dot(&pen, c.x, c.y);
    }
  rp_str(m->t, "\"/>\n");
}

// ---- beside
// ---------------------------------------------------------------------------------------

static void draw_axes(const map *m) {
  rp_pen pen = rp_pen_new(m->t, 1);
  double bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
  rp_str(m->t, "<path class=\"pl-axis\" fill=\"none\" stroke=\"" RP_AXIS "\" d=\"");
  rp_move(&pen, LEFT, TOP);
  rp_line(&pen, LEFT, bottom);
  rp_line(&pen, right, bottom);
  for (int k = 0; k < m->x.ntick; k++) {
    double x = LEFT + (right - LEFT) * rp_axis_shown(&m->x, m->x.tick[k]);
    rp_move(&pen, x, bottom);
    rp_line(&pen, x, bottom + 5);
  }
  for (int k = 0; k < m->y.ntick; k++) {
    double y = bottom - (bottom - TOP) * rp_axis_shown(&m->y, m->y.tick[k]);
    rp_move(&pen, LEFT, y);
    rp_line(&pen, LEFT - 5, y);
  }
  rp_str(m->t, "\"/>\n");
  for (int k = 0; k < m->x.ntick; k++)
    rp_label(m->t, "pl-mute", LEFT + (right - LEFT) * rp_axis_shown(&m->x, m->x.tick[k]),
             bottom + 19, 12, 'm', m->x.text[k]);
  for (int k = 0; k < m->y.ntick; k++)
    rp_label(m->t, "pl-mute", LEFT - 9,
             bottom - (bottom - TOP) * rp_axis_shown(&m->y, m->y.tick[k]) + 4.2, 12, 'e',
             m->y.text[k]);
  rp_label(m->t, "pl-ink", (LEFT + right) / 2, bottom + 42, 13, 'm', m->x.label);
  rp_label_up(m->t, "pl-ink", 22, (TOP + bottom) / 2, 13, m->y.label);
}

static void draw_bar(const map *m) {
  double x = WIDTH - RIGHT + 24, height = HEIGHT - TOP - BOTTOM, bottom = HEIGHT - BOTTOM, wide = 0;
  char hex[8];
  for (int k = 0; k + 1 < m->nlevel; k++) {
    double lo = rp_axis_at(&m->z, m->level[k]), hi = rp_axis_at(&m->z, m->level[k + 1]);
    pl_text_add(m->t, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n", x,
                bottom - height * hi, BAR, height * (hi - lo),
                rp_hex(hex, rp_viridis((k + 0.5) / (m->nlevel - 1))));
  }
  for (int k = 0; k < m->z.ntick; k++) {
    double y = bottom - height * rp_axis_shown(&m->z, m->z.tick[k]);
    rp_label(m->t, "pl-mute", x + BAR + 6, y + 4.2, 12, 's', m->z.text[k]);
    wide = fmax(wide, rp_width(m->z.text[k], 12));
  }
  rp_label_up(m->t, "pl-ink", x + BAR + 9 + wide + 14, (TOP + bottom) / 2, 13, m->z.label);
}

pl_status pl_contour_svg(pl_text *t, const pl_contour *p) {
  if (p->nx < 2 || p->ny < 2) return pl_fail(t->env, PL_E_ARG, "contours need two values each way");
  size_t start = t->n;
  map m = {.t = t, .p = p};
  make_axes(&m);
  rp_svg_open(t, WIDTH, HEIGHT, p->title);
  rp_label(t, "pl-ink", LEFT, 26, 15, 's', p->title);
  for (int k = 0; k + 1 < m.nlevel; k++) draw_band(&m, k);
  for (int k = 1; k + 1 < m.nlevel; k++) draw_line(&m, m.level[k]);
  draw_dots(&m);
  draw_axes(&m);
  draw_bar(&m);
  return rp_svg_close(t, start);
}
