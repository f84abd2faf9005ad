#include "report_impl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEGEND_ROW = 21, SWATCH = 24 };

// a plot being drawn: its area in pixels and its axes
typedef struct chart {
  pl_text *t;
  const pl_plot *p;
  int w, h;
  double left, top, right, bottom;
  double lo[2], hi[2]; // of the axes, in data units
  int empty, dots;     // nothing to draw; some series has markers
  rp_axis x, y;
  rp_look look[2];
} chart;

static int clamp(int v, int standard, int lo, int hi) {
  if (v == 0) return standard;
  return v < lo ? lo : v > hi ? hi : v;
}

static int drawable(double v, int log) {
  return isfinite(v) && (!log || v >= DBL_MIN);
}

// figures without a unit that are whole numbers have whole ticks
static int is_whole(const chart *c, int axis) {
  const pl_plot *p = c->p;
  const char *label = axis ? p->ylabel : p->xlabel;
  int seen = 0;
  if (label && strchr(label, '(')) return 0;
  for (int s = 0; s < p->nseries; s++)
    for (int i = 0; i < p->series[s].n; i++) {
      double v = axis ? p->series[s].y[i] : p->series[s].x[i];
      if (isfinite(v) && v != floor(v)) return 0;
      seen |= isfinite(v);
    }
  return seen;
}

static void choose_looks(chart *c) {
  const pl_plot *p = c->p;
  for (int k = 0; k < 2; k++)
    c->look[k] = (rp_look){.label = k ? p->ylabel : p->xlabel,
                           .length = p->length,
                           .log = k ? p->logy : p->logx,
                           .whole = is_whole(c, k)};
  // the same scale on both axes reads in the same unit
  for (int k = 0; p->equal && !c->empty && k < 2; k++)
    for (int i = 0; i < 2; i++)
      c->look[k].most = fmax(c->look[k].most, fmax(fabs(c->lo[i]), fabs(c->hi[i])));
}

static void data_range(chart *c) {
  const pl_plot *p = c->p;
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
  for (int s = 0; s < p->nseries; s++) {
    const pl_series *e = &p->series[s];
    if (e->points) c->dots = 1;
    for (int i = 0; i < e->n; i++) {
      if (!drawable(e->x[i], p->logx) || !drawable(e->y[i], p->logy)) continue;
      lo[0] = fmin(lo[0], e->x[i]);
      hi[0] = fmax(hi[0], e->x[i]);
      lo[1] = fmin(lo[1], e->y[i]);
      hi[1] = fmax(hi[1], e->y[i]);
    }
  }
  c->empty = lo[0] > hi[0];
  rp_range(&lo[0], &hi[0], p->logx, c->dots || p->equal ? 0.04 : 0, 0);
  rp_range(&lo[1], &hi[1], p->logy, 0.05, !p->equal);
  for (int k = 0; k < 2; k++) {
    c->lo[k] = lo[k];
    c->hi[k] = hi[k];
  }
}

// ---- layout -----------------------------------------------------------------------------------

// the legend names what has a name and a point that is drawn
static int named(const chart *c, const pl_series *e) {
  if (!e->name || !*e->name) return 0;
  for (int i = 0; i < e->n; i++)
    if (drawable(e->x[i], c->p->logx) && drawable(e->y[i], c->p->logy)) return 1;
  return 0;
}

static double entry_width(const pl_series *e) {
  return SWATCH + 7 + rp_width(e->name, 12.5) + 20;
}

// rows the legend takes in the given width
static int legend_rows(const chart *c, double width) {
  double x = 0;
  int rows = 0;
  for (int s = 0; s < c->p->nseries; s++) {
    const pl_series *e = &c->p->series[s];
    if (!named(c, e)) continue;
    double w = entry_width(e);
    if (rows == 0 || x + w > width) {
      rows++;
      x = 0;
    }
    x += w;
  }
  return rows;
}

static double widest(const rp_axis *a) {
  double w = 0;
  for (int k = 0; k < a->ntick; k++) w = fmax(w, rp_width(a->text[k], 12));
  return w;
}

static void make_y(chart *c) {
  int want = (int)((c->bottom - c->top) / 48);
  rp_axis_make(&c->y, c->lo[1], c->hi[1], want > 2 ? want : 2, &c->look[1]);
}

// a tick for each name
static void make_names(chart *c) {
  rp_axis *a = &c->x;
  *a = (rp_axis){.ten = 1, .lo = -0.5, .hi = c->p->nword - 0.5};
  snprintf(a->label, sizeof a->label, "%.200s", c->p->xlabel ? c->p->xlabel : "");
  for (; a->ntick < c->p->nword && a->ntick < RP_TICK; a->ntick++) {
    a->tick[a->ntick] = a->ntick;
    snprintf(a->text[a->ntick], sizeof a->text[0], "%.60s", c->p->word[a->ntick]);
  }
}

// as many ticks as their labels leave room for
static void make_x(chart *c) {
  if (c->p->nword > 0) {
    make_names(c);
    return;
  }
  double width = c->right - c->left;
  for (int want = (int)(width / 64); want > 0; want--) {
    rp_axis_make(&c->x, c->lo[0], c->hi[0], want > 2 ? want : 2, &c->look[0]);
    if (c->x.ntick * (widest(&c->x) + 22) <= width || want <= 2) return;
  }
}

// an end just short of a round value goes there, so that the last tick is seen
static void round_ends(chart *c) {
  const rp_axis *a = &c->x;
  if (a->log || a->ntick < 2 || c->dots || c->p->equal || c->p->nword > 0) return;
  double step = a->tick[1] - a->tick[0], slack = 0.02 * (a->hi - a->lo);
  double before = a->tick[0] - step, after = a->tick[a->ntick - 1] + step;
  int widen = 0;
  if (a->lo > before && a->lo - before < slack) {
    c->lo[0] = before * a->ten + a->offset;
    widen = 1;
  }
  if (a->hi < after && after - a->hi < slack) {
    c->hi[0] = after * a->ten + a->offset;
    widen = 1;
  }
  if (widen) make_x(c);
}

// the axis with more pixels to the unit is widened about its middle
static void make_equal(chart *c) {
  double span[2] = {c->hi[0] - c->lo[0], c->hi[1] - c->lo[1]};
  double pixels[2] = {c->right - c->left, c->bottom - c->top};
  int narrow = span[0] / pixels[0] < span[1] / pixels[1] ? 0 : 1;
  double want = span[!narrow] / pixels[!narrow] * pixels[narrow];
  double mid = c->lo[narrow] / 2 + c->hi[narrow] / 2;
  if (!isfinite(want) || !isfinite(mid - want) || !isfinite(mid + want)) return;
  c->lo[narrow] = mid - want / 2;
  c->hi[narrow] = mid + want / 2;
}

static void layout(chart *c) {
  const pl_plot *p = c->p;
  c->w = clamp(p->width, 720, 200, 4000);
  c->h = clamp(p->height, 420, 150, 4000);
  data_range(c);
  choose_looks(c);
  // a label may come of itself, as a power of ten
  rp_axis_make(&c->x, c->lo[0], c->hi[0], 5, &c->look[0]);
  int rows = legend_rows(c, c->w - 100);
  c->top = 18 + (p->title && *p->title ? 26 : 0) + rows * LEGEND_ROW + (rows ? 4 : 0);
  c->bottom = c->h - (c->x.label[0] ? 50 : 32);
  if (c->bottom < c->top + 40) c->bottom = c->top + 40;
  make_y(c);
  c->left = 18 + (c->y.label[0] ? 22 : 0) + widest(&c->y) + 6;
  c->right = c->w - 22;
  if (p->equal && !p->logx && !p->logy && !c->empty) {
    // room for labels that the wider range may bring
    c->left += 14;
    make_equal(c);
    make_y(c);
  }
  make_x(c);
  round_ends(c);
}

// ---- drawing ----------------------------------------------------------------------------------

static double at_x(const chart *c, double fraction) {
  return c->left + fraction * (c->right - c->left);
}

static double at_y(const chart *c, double fraction) {
  return c->bottom - fraction * (c->bottom - c->top);
}

static void path_open(chart *c, const char *cls, const char *colour, double width) {
  pl_text_add(c->t, "<path class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"", cls, colour);
  rp_num(c->t, width, 2);
  rp_str(c->t, "\" d=\"");
}

static void grid_lines(chart *c, int n, const double *at, int vertical, rp_pen *pen) {
  for (int k = 0; k < n; k++) {
    double f = rp_axis_shown(vertical ? &c->x : &c->y, at[k]);
    if (vertical) {
      rp_move(pen, at_x(c, f), c->bottom);
      rp_line(pen, at_x(c, f), c->top);
    } else {
      rp_move(pen, c->left, at_y(c, f));
      rp_line(pen, c->right, at_y(c, f));
    }
  }
}

static void draw_grid(chart *c) {
  rp_pen pen = rp_pen_new(c->t, 1);
  if (c->x.nminor + c->y.nminor > 0) {
    path_open(c, "pl-grid", RP_GRID, 0.5);
    grid_lines(c, c->x.nminor, c->x.minor, 1, &pen);
    grid_lines(c, c->y.nminor, c->y.minor, 0, &pen);
    rp_str(c->t, "\"/>\n");
  }
  path_open(c, "pl-grid", RP_GRID, 1);
  grid_lines(c, c->x.ntick, c->x.tick, 1, &pen);
  grid_lines(c, c->y.ntick, c->y.tick, 0, &pen);
  rp_str(c->t, "\"/>\n");

  // the axes: left and bottom, ticks outwards, and y = 0 when it lies inside
  path_open(c, "pl-axis", RP_AXIS, 1);
  rp_move(&pen, c->left, c->top);
  rp_line(&pen, c->left, c->bottom);
  rp_line(&pen, c->right, c->bottom);
  for (int k = 0; k < c->x.ntick; k++) {
    double x = at_x(c, rp_axis_shown(&c->x, c->x.tick[k]));
    rp_move(&pen, x, c->bottom);
    rp_line(&pen, x, c->bottom + 5);
  }
  for (int k = 0; k < c->y.ntick; k++) {
    double y = at_y(c, rp_axis_shown(&c->y, c->y.tick[k]));
    rp_move(&pen, c->left, y);
    rp_line(&pen, c->left - 5, y);
  }
  double zero = c->p->logy ? NAN : rp_axis_at(&c->y, 0);
  if (zero > 0.01 && zero < 0.99) {
    rp_move(&pen, c->left, at_y(c, zero));
    rp_line(&pen, c->right, at_y(c, zero));
  }
  rp_str(c->t, "\"/>\n");
}

static void draw_labels(chart *c) {
  for (int k = 0; k < c->x.ntick; k++)
    rp_label(c->t, "pl-mute", at_x(c, rp_axis_shown(&c->x, c->x.tick[k])), c->bottom + 19, 12, 'm',
             c->x.text[k]);
  for (int k = 0; k < c->y.ntick; k++)
    rp_label(c->t, "pl-mute", c->left - 9, at_y(c, rp_axis_shown(&c->y, c->y.tick[k])) + 4.2, 12,
             'e', c->y.text[k]);
  rp_label(c->t, "pl-ink", (c->left + c->right) / 2, c->bottom + 40, 13, 'm', c->x.label);
  rp_label_up(c->t, "pl-ink", 20, (c->top + c->bottom) / 2, 13, c->y.label);
  rp_label(c->t, "pl-ink", c->left, 26, 15, 's', c->p->title);
  if (c->empty)
    rp_label(c->t, "pl-mute", (c->left + c->right) / 2, (c->top + c->bottom) / 2, 13, 'm',
             c->p->logx || c->p->logy ? "no positive data" : "no data");
}

static void stroke_open(chart *c, const char *cls, int colour, double width, const char *dash) {
  pl_text_add(c->t, "<path class=\"%s%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"", cls, colour,
              colour < RP_PALETTE ? rp_palette[colour] : "#fff");
  rp_num(c->t, width, 2);
  rp_str(c->t, "\" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
  if (dash) pl_text_add(c->t, " stroke-dasharray=\"%s\"", dash);
  rp_str(c->t, " d=\"");
}

// series beyond the palette repeat its colours in other dashes
static const char *dash_of(const pl_series *e, int index) {
  if (e->dashed) return e->dashed == 2 ? "1 5" : "6 5";
  return e->colour < 0 && index >= RP_PALETTE ? "1 4" : NULL;
}

static int colour_of(const pl_series *e, int index) {
  return (e->colour >= 0 ? e->colour : index) % RP_PALETTE;
}

static double dot_size(int n) {
  return n > 1000 ? 3 : n > 150 ? 4.5 : 6.5;
}

static pl_status draw_series(chart *c, const pl_series *e, int index) {
  double *xy = pl_alloc(c->t->env, (size_t)e->n, 2 * sizeof *xy);
  if (!xy) return PL_E_NOMEM;
  int seen = 0;
  for (int i = 0; i < e->n; i++) {
    double fx = rp_axis_at(&c->x, e->x[i]), fy = rp_axis_at(&c->y, e->y[i]);
    int ok = !isnan(fx) && !isnan(fy);
    xy[2 * i] = ok ? at_x(c, fx) : NAN;
    xy[2 * i + 1] = ok ? at_y(c, fy) : NAN;
    seen += ok;
  }
  rp_pen pen = rp_pen_new(c->t, 2);
  int colour = colour_of(e, index);
  pl_status s = PL_OK;
  if (seen > 0 && e->points != 1) {
    stroke_open(c, "pl-s", colour, seen > 5000 ? 1.2 : 1.8, dash_of(e, index));
    s = rp_thin_line(&pen, e->n, xy);
    rp_str(c->t, "\"/>\n");
  }
  // dots are lines of no length with round caps, on a rim of the page's colour
  if (s == PL_OK && seen > 0 && (e->points || seen == 1)) {
    double size = dot_size(seen);
    for (int rim = 1; s == PL_OK && rim >= 0; rim--) {
      if (rim && size < 4) continue;
      stroke_open(c, rim ? "pl-rim pl-rim" : "pl-s", rim ? RP_PALETTE : colour, size + 2 * rim,
                  NULL);
      s = rp_thin_dots(&pen, e->n, xy, c->w, c->h);
      rp_str(c->t, "\"/>\n");
    }
  }
  pl_free(c->t->env, xy);
  return s;
}

static void draw_legend(chart *c) {
  double x = c->left, y = 18 + (c->p->title && *c->p->title ? 26 : 0) + 2;
  for (int s = 0; s < c->p->nseries; s++) {
    const pl_series *e = &c->p->series[s];
    if (!named(c, e)) continue;
    double w = entry_width(e);
    if (x > c->left && x + w > c->left + c->w - 100) {
      x = c->left;
      y += LEGEND_ROW;
    }
    rp_pen pen = rp_pen_new(c->t, 1);
    if (e->points != 1) {
      stroke_open(c, "pl-s", colour_of(e, s), 2, dash_of(e, s));
      rp_move(&pen, x, y);
      rp_line(&pen, x + SWATCH, y);
      rp_str(c->t, "\"/>\n");
    }
    if (e->points) {
      stroke_open(c, "pl-s", colour_of(e, s), 6.5, NULL);
      rp_dot(&pen, x + SWATCH / 2.0, y);
      rp_str(c->t, "\"/>\n");
    }
    rp_label(c->t, "pl-ink", x + SWATCH + 7, y + 4.4, 12.5, 's', e->name);
    x += w;
  }
}

pl_status pl_plot_svg(pl_text *t, const pl_plot *p) {
  for (int s = 0; s < p->nseries; s++)
    if (p->series[s].n < 0 || (p->series[s].n > 0 && (!p->series[s].x || !p->series[s].y)))
      return pl_fail(t->env, PL_E_ARG, "series %d of a plot has no data arrays", s + 1);
  size_t start = t->n;
  chart c = {.t = t, .p = p};
  layout(&c);
  rp_svg_open(t, c.w, c.h, p->title);
  draw_grid(&c);
  draw_labels(&c);
  for (int s = 0; s < p->nseries; s++) {
    pl_status status = draw_series(&c, &p->series[s], s);
    if (status != PL_OK) t->failed = 1;
  }
  draw_legend(&c);
  return rp_svg_close(t, start);
}
