// Pictures of many solids: drawn into a buffer of depths, kept as PNG within the SVG.
#include "report_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

enum { FINE = 2, MARGIN = 16, BELOW = 34 }; // samples a pixel along each axis; pixels

typedef struct canvas {
  const pl_solids *s;
  int w, h; // samples
  double R[3][3], lo[3], hi[3], scale;
  double *seen;         // [3 vertices] of the solid that is drawn
  float *depth, *shade; // [h][w]
  unsigned char *tone;  // [h][w] which colour, 0: nothing
} canvas;

static void place(const pl_solid *p, const double *X, double *x) {
  for (int c = 0; c < 3; c++) x[c] = p->x[c] + pl_dot3(p->Q + 3 * c, X);
}

// right, up and towards the viewer, from above and a little from the side
static void look(double R[3][3]) {
  double a = 25 * PL_PI / 180, b = 24 * PL_PI / 180;
  const double rows[3][3] = {{cos(a), sin(a), 0},
                             {-sin(a) * sin(b), cos(a) * sin(b), cos(b)},
                             {sin(a) * cos(b), -cos(a) * cos(b), sin(b)}};
  memcpy(R, rows, sizeof rows);
}

static size_t most_vertices(const pl_solids *s) {
  size_t most = 1;
  for (int k = 0; k < s->nmesh; k++)
    if ((size_t)s->mesh[k]->nvert > most) most = (size_t)s->mesh[k]->nvert;
  return most;
}

static void measure(canvas *c) {
  for (int d = 0; d < 3; d++) {
    c->lo[d] = INFINITY;
    c->hi[d] = -INFINITY;
  }
  for (int i = 0; i < c->s->n; i++) {
    const pl_mesh *m = c->s->mesh[c->s->solid[i].mesh];
    for (int k = 0; k < m->nvert; k++) {
      double x[3];
      place(&c->s->solid[i], m->X + 3 * (size_t)k, x);
      for (int d = 0; d < 3; d++) {
        double v = pl_dot3(c->R[d], x);
        c->lo[d] = fmin(c->lo[d], v);
        c->hi[d] = fmax(c->hi[d], v);
      }
    }
  }
}

// where a + b x >= 0; a sample on an edge belongs to the triangles on both sides, rounded or not
static void narrow(double a, double b, double *first, double *last) {
  const double slack = 1e-9;
  if (b > 0) *first = fmax(*first, -a / b - slack);
  if (b < 0) *last = fmin(*last, -a / b + slack);
  if (b == 0 && a < 0) *last = *first - 1;
}

// all samples of a triangle that are nearer than what is there
static void fill(canvas *c, double p[3][3], double light, int tone) {
  double area =
      (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
  if (!(fabs(area) > 1e-12)) return;
  int from[2], to[2];
  for (int d = 0; d < 2; d++) {
    int most = (d ? c->h : c->w) - 1;
    from[d] = pl_floor_int(fmin(p[0][d], fmin(p[1][d], p[2][d])));
    to[d] = pl_floor_int(fmax(p[0][d], fmax(p[1][d], p[2][d]))) + 1;
    if (from[d] < 0) from[d] = 0;
    if (to[d] > most) to[d] = most;
  }
  // u = u0 + ux x + uy y and v alike: parts of the corners 0 and 1
  double ux = (p[1][1] - p[2][1]) / area, uy = (p[2][0] - p[1][0]) / area;
  double vx = (p[2][1] - p[0][1]) / area, vy = (p[0][0] - p[2][0]) / area;
  for (int y = from[1]; y <= to[1]; y++) {
    double u = uy * (y - p[2][1]) - ux * p[2][0], v = vy * (y - p[2][1]) - vx * p[2][0];
    double first = from[0], last = to[0];
    narrow(u, ux, &first, &last);
    narrow(v, vx, &first, &last);
    narrow(1 - u - v, -ux - vx, &first, &last);
    if (!(first <= last)) continue;
    size_t at = (size_t)y * (size_t)c->w;
    for (int x = (int)ceil(first); x <= last; x++) {
      double z = p[2][2] + (u + ux * x) * (p[0][2] - p[2][2]) + (v + vx * x) * (p[1][2] - p[2][2]);
      if (c->tone[at + x] && c->depth[at + x] >= (float)z) continue;
      c->depth[at + x] = (float)z;
      c->shade[at + x] = (float)light;
      c->tone[at + x] = (unsigned char)tone;
    }
  }
}

static void draw_solid(canvas *c, const pl_solid *s) {
  static const double sun[3] = {-0.35, 0.55, 0.76};
  const pl_mesh *m = c->s->mesh[s->mesh];
  for (int k = 0; k < m->nvert; k++) {
    double x[3];
    place(s, m->X + 3 * (size_t)k, x);
    for (int d = 0; d < 3; d++)
      c->seen[3 * (size_t)k + d] = c->scale * (pl_dot3(c->R[d], x) - c->lo[d]);
  }
  for (int t = 0; t < m->cell[PL_TRI3].n; t++) {
    double p[3][3], a[3], b[3], n[3];
    for (int k = 0; k < 3; k++)
      memcpy(p[k], c->seen + 3 * (size_t)m->cell[PL_TRI3].v[3 * t + k], sizeof p[k]);
    pl_sub3(p[1], p[0], a);
    pl_sub3(p[2], p[0], b);
    pl_cross3(a, b, n);
    double l = pl_norm3(n), up = l > 0 ? pl_dot3(n, sun) / l : 0, face = l > 0 ? n[2] / l : 0;
    double light = 0.25 + 0.55 * fmax(up, 0) + 0.2 * fabs(face) + 0.25 * pow(fmax(up, 0), 24);
    // pixels count downwards
    for (int k = 0; k < 3; k++) {
      p[k][0] += FINE * MARGIN;
      p[k][1] = c->h - 1 - FINE * BELOW - p[k][1];
    }
    fill(c, p, light, 1 + s->tone);
  }
}

// What lies well behind a neighbour is in its shadow: that tells wires apart.
static double shadow(const canvas *c, int x, int y) {
  double here = (double)c->depth[(size_t)y * (size_t)c->w + (size_t)x], dark = 0;
  int far = 2 * FINE;
  for (int dy = -far; dy <= far; dy += FINE)
    for (int dx = -far; dx <= far; dx += FINE) {
      int u = x + dx, v = y + dy;
      if (u < 0 || v < 0 || u >= c->w || v >= c->h) continue;
      size_t at = (size_t)v * (size_t)c->w + (size_t)u;
      double before = c->tone[at] ? (double)c->depth[at] - here : 0;
      if (before > 2 * FINE) dark += fmin(1, before / (16.0 * FINE)) / 25;
    }
  return 1 - 0.75 * dark;
}

static void sample_colour(const canvas *c, int x, int y, double out[4]) {
  static const double tones[PL_TONES][3] = {
      {0.62, 0.67, 0.73}, {0.80, 0.52, 0.25}, {0.75, 0.25, 0.22}};
  size_t at = (size_t)y * (size_t)c->w + (size_t)x;
  if (!c->tone[at]) return;
  double light = (double)c->shade[at] * shadow(c, x, y);
  for (int d = 0; d < 3; d++) out[d] += fmin(1, light * 1.25 * tones[c->tone[at] - 1][d]);
  out[3] += 1;
}

// rows of a PNG: a filter byte, then red, green, blue and opacity
static void put_rows(const canvas *c, unsigned char *out) {
  for (int y = 0; y < c->h / FINE; y++) {
    *out++ = 0;
    for (int x = 0; x < c->w / FINE; x++) {
      double sum[4] = {0};
      for (int k = 0; k < FINE * FINE; k++)
        sample_colour(c, FINE * x + k % FINE, FINE * y + k / FINE, sum);
      for (int d = 0; d < 3; d++)
        *out++ = (unsigned char)(sum[3] > 0 ? 255 * sum[d] / sum[3] + 0.5 : 0);
      *out++ = (unsigned char)(255 * sum[3] / (FINE * FINE) + 0.5);
    }
  }
}

// ---- PNG ----------------------------------------------------------------------------------------

static void put_u32(pl_text *t, unsigned long v) {
  const unsigned char b[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16),
                              (unsigned char)(v >> 8), (unsigned char)v};
  pl_text_put(t, (const char *)b, 4);
}

static void put_chunk(pl_text *t, const char *type, const unsigned char *data, size_t n) {
  uLong crc = crc32(crc32(0, (const Bytef *)type, 4), data, (uInt)n);
  put_u32(t, (unsigned long)n);
  pl_text_put(t, type, 4);
  pl_text_put(t, (const char *)data, n);
  put_u32(t, crc);
}

static pl_status put_png(pl_env *env, int w, int h, const unsigned char *rows, pl_text *png) {
  uLong n = (uLong)h * (4 * (uLong)w + 1), packed = compressBound(n);
  unsigned char *data = pl_alloc(env, packed, 1), head[13] = {0};
  if (!data) return PL_E_NOMEM;
  for (int k = 0; k < 4; k++) {
    head[k] = (unsigned char)(w >> (24 - 8 * k));
    head[4 + k] = (unsigned char)(h >> (24 - 8 * k));
  }
  head[8] = 8; // bits
  head[9] = 6; // with opacity
  int bad = compress2(data, &packed, rows, n, 6) != Z_OK;
  pl_text_put(png, "\x89PNG\r\n\x1a\n", 8);
  put_chunk(png, "IHDR", head, sizeof head);
  put_chunk(png, "IDAT", data, packed);
  put_chunk(png, "IEND", data, 0);
  pl_free(env, data);
  return bad || png->failed ? PL_E_NOMEM : PL_OK;
}

// -------------------------------------------------------------------------------------------------

static void scale_bar(pl_text *t, const canvas *c) {
  char label[64];
  int decimals, w = c->w / FINE, h = c->h / FINE;
  double pixel = c->scale / FINE, step = rp_step(120 / pixel, 1, &decimals), long_ = step * pixel;
  const char *unit = step < 1e-3 ? "µm" : step < 1 ? "mm" : "m";
  rp_general(label, sizeof label - 8, step * (step < 1e-3 ? 1e6 : step < 1 ? 1e3 : 1), 3);
  strcat(label, " ");
  strcat(label, unit);
  pl_text_add(t, "<path d=\"M%.1f %dh%.1f\" stroke=\"" RP_AXIS "\" stroke-width=\"2\"/>\n",
              w - MARGIN - long_, h - 14, long_);
  rp_label(t, "pl-mute", w - MARGIN - long_ / 2, h - 19, 11, 'm', label);
}

static pl_status put_svg(pl_env *env, pl_text *t, const canvas *c, const char *title) {
  int w = c->w / FINE, h = c->h / FINE;
  size_t start = t->n;
  unsigned char *rows = pl_alloc(env, (size_t)h, 4 * (size_t)w + 1);
  pl_text png;
  if (!rows) return PL_E_NOMEM;
  pl_text_init(&png, env);
  put_rows(c, rows);
  pl_status s = put_png(env, w, h, rows, &png);
  pl_free(env, rows);
  if (s == PL_OK) {
    rp_svg_open(t, w, h, title);
    pl_text_add(t, "<image width=\"%d\" height=\"%d\" href=\"data:image/png;base64,", w, h);
    rp_base64(t, (const unsigned char *)png.s, png.n);
    rp_str(t, "\"/>\n");
    scale_bar(t, c);
    s = rp_svg_close(t, start);
  }
  pl_text_free(&png);
  return s;
}

pl_status pl_solids_svg(pl_text *t, const pl_solids *s) {
  pl_env *env = t->env;
  canvas c = {.s = s};
  int width = s->width > 0 ? s->width : 900, height;
  look(c.R);
  measure(&c);
  double wide = c.hi[0] - c.lo[0], high = c.hi[1] - c.lo[1];
  if (s->n == 0 || !(wide > 0) || !isfinite(wide) || !isfinite(high)) return PL_OK;
  double scale = fmin((width - 2 * MARGIN) / wide, (0.9 * width - MARGIN - BELOW) / high);
  height = (int)ceil(scale * high) + MARGIN + BELOW;
  c.lo[0] -= ((width - 2 * MARGIN) / scale - wide) / 2;
  c.scale = FINE * scale;
  c.w = FINE * width;
  c.h = FINE * height;
  size_t n = (size_t)c.w * (size_t)c.h;
  c.depth = pl_alloc(env, n, sizeof *c.depth);
  c.shade = pl_alloc(env, n, sizeof *c.shade);
  c.tone = pl_alloc(env, n, 1);
  c.seen = pl_alloc(env, most_vertices(s), 3 * sizeof *c.seen);
  pl_status st = c.depth && c.shade && c.tone && c.seen ? PL_OK : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < s->n; i++) draw_solid(&c, &s->solid[i]);
  if (st == PL_OK) st = put_svg(env, t, &c, s->title);
  pl_free(env, c.depth);
  pl_free(env, c.shade);
  pl_free(env, c.tone);
  pl_free(env, c.seen);
  return st;
}
