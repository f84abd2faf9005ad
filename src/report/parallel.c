// Many cases at once: an axis for each quantity, a line through all axes for each case.
#include "report_impl.h"

#include <math.h>
#include <stdio.h>

enum { TOP = 112, HEIGHT = 300, BOTTOM = 26, SIDE = 60, BINS = 24, LINES = 2000 };

typedef struct board {
  pl_text *t;
  const pl_parallel *p;
  rp_axis *axis;
  double w, gap;
} board;

static double at_x(const board *b, int axis) {
  return SIDE + b->gap * axis;
}

// place of a value on an axis from the top, in pixels
static double at_y(const board *b, int axis, double v) {
  int n = b->p->axis[axis].nword;
  double f = n ? (n > 1 ? v / (n - 1) : 0.5) : rp_axis_at(&b->axis[axis], v);
  return TOP + HEIGHT * (1 - f);
}

static double value(const board *b, int line, int axis) {
  return b->p->x[(size_t)line * (size_t)b->p->naxis + (size_t)axis];
}

static void make_axis(board *b, int axis) {
  const pl_parallel_axis *a = &b->p->axis[axis];
  double lo = INFINITY, hi = -INFINITY;
  for (int k = 0; k < b->p->n; k++) {
    double v = value(b, k, axis);
    if (!isfinite(v) || (a->log && !(v > 0))) continue;
    lo = fmin(lo, v);
    hi = fmax(hi, v);
  }
  rp_range(&lo, &hi, a->log, 0, 0);
  rp_axis_make(&b->axis[axis], lo, hi, 6, &(rp_look){.label = a->label, .log = a->log});
}

// the colour of a line, by the axis that gives it; -1: it is not drawn
static int bin_of(const board *b, int line) {
  for (int i = 0; i < b->p->naxis; i++)
    if (!isfinite(at_y(b, i, value(b, line, i)))) return -1;
  double y = at_y(b, b->p->colour, value(b, line, b->p->colour));
  int k = pl_floor_int((1 - (y - TOP) / HEIGHT) * BINS);
  return k < 0 ? 0 : k < BINS ? k : BINS - 1;
}

static void draw_lines(const board *b) {
  int stride = (b->p->n + LINES - 1) / LINES;
  char hex[8];
  for (int bin = 0; bin < BINS; bin++) {
    pl_text_add(b->t,
                "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.1\" stroke-opacity=\"%s\" d=\"",
                rp_hex(hex, rp_viridis((bin + 0.5) / BINS)), b->p->n > 200 ? "0.45" : "0.8");
    rp_pen pen = rp_pen_new(b->t, 1);
    for (int k = 0; k < b->p->n; k += stride) {
      if (bin_of(b, k) != bin) continue;
      rp_move(&pen, at_x(b, 0), at_y(b, 0, value(b, k, 0)));
      for (int i = 1; i < b->p->naxis; i++) rp_line(&pen, at_x(b, i), at_y(b, i, value(b, k, i)));
    }
    rp_str(b->t, "\"/>\n");
  }
}

static void draw_tick(const board *b, int axis, double y, const char *text) {
  double x = at_x(b, axis);
  rp_pen pen = rp_pen_new(b->t, 1);
  rp_str(b->t, "<path class=\"pl-axis\" fill=\"none\" stroke=\"" RP_AXIS "\" d=\"");
  rp_move(&pen, x, y);
  rp_line(&pen, x - 5, y);
  double width = rp_width(text, 11.5);
  // readable before the lines
  pl_text_add(b->t,
              "\"/>\n<rect class=\"pl-back\" fill=\"#fff\" fill-opacity=\"0.8\" x=\"%.1f\" "
              "y=\"%.1f\" width=\"%.1f\" height=\"13\"/>\n",
              x - 9 - width, y - 6.5, width + 2);
  rp_label(b->t, "pl-ink", x - 8, y + 4.2, 11.5, 'e', text);
}

static void draw_axis(const board *b, int axis) {
  const pl_parallel_axis *a = &b->p->axis[axis];
  const rp_axis *of = &b->axis[axis];
  double x = at_x(b, axis);
  rp_pen pen = rp_pen_new(b->t, 1);
  rp_str(b->t,
         "<path class=\"pl-axis\" fill=\"none\" stroke=\"" RP_AXIS "\" stroke-width=\"1.4\" d=\"");
  rp_move(&pen, x, TOP);
  rp_line(&pen, x, TOP + HEIGHT);
  rp_str(b->t, "\"/>\n");
  for (int k = 0; k < a->nword; k++) draw_tick(b, axis, at_y(b, axis, k), a->word[k]);
  for (int k = 0; !a->nword && k < of->ntick; k++)
    draw_tick(b, axis, TOP + HEIGHT * (1 - rp_axis_shown(of, of->tick[k])), of->text[k]);
  // neighbours' labels stand at different heights, those at the ends within the picture
  const char *label = a->nword ? a->label : of->label;
  double half = rp_width(label, 12.5) / 2;
  double middle = fmin(fmax(x, half + 6), b->w - half - 6);
  rp_label(b->t, "pl-ink", middle, TOP - 14 - 20 * (axis % 3), 12.5, 'm', label);
}

pl_status pl_parallel_svg(pl_text *t, const pl_parallel *p) {
  if (p->naxis < 2 || p->colour < 0 || p->colour >= p->naxis)
    return pl_fail(t->env, PL_E_ARG, "parallel coordinates need two axes, one of which colours");
  size_t start = t->n;
  board b = {.t = t, .p = p};
  b.gap = fmin(fmax(700.0 / (p->naxis - 1), 110), 320);
  b.w = 2 * SIDE + b.gap * (p->naxis - 1);
  b.axis = pl_alloc(t->env, (size_t)p->naxis, sizeof *b.axis);
  if (!b.axis) return PL_E_NOMEM;
  for (int i = 0; i < p->naxis; i++) make_axis(&b, i);
  rp_svg_open(t, b.w, TOP + HEIGHT + BOTTOM, p->title);
  rp_label(t, "pl-ink", 12, 26, 15, 's', p->title);
  draw_lines(&b);
  for (int i = 0; i < p->naxis; i++) draw_axis(&b, i);
  pl_free(t->env, b.axis);
  return rp_svg_close(t, start);
}
