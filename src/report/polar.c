// Stretch over the direction: zero strain is a circle of its own, so that limits of 1 % show.
#include "report_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 460, ROW = 21, SWATCH = 18, SIDE = 58, SPOKES = 12 };

// a figure being drawn: radii are strains in percent or another quantity, `centre` in the middle,
// `rim` outside
typedef struct rose {
  pl_text *t;
  const pl_polar_plot *p;
  double w, h, x, y, radius;
  double centre, rim, step;
  int decimals, empty;
} rose;

static int drawable(const pl_polar_series *e, int i) {
  return isfinite(e->angle[i]) && isfinite(e->stretch[i]);
}

// what its circles count: strain in percent, or the quantity itself
static double value_of(const rose *r, const pl_polar_series *e, int i) {
  return r->p->unit ? e->stretch[i] : 100 * (e->stretch[i] - 1);
}

// half the length of an error bar
static double error_of(const rose *r, const pl_polar_series *e, int i) {
  double half = e->error && e->error[i] > 0 && isfinite(e->error[i]) ? e->error[i] : 0;
  return r->p->unit ? half : 100 * half;
}

// ---- layout -----------------------------------------------------------------------------------

// round steps outwards from zero; a third of the radius lies below it, more when data do
static void choose_range(rose *r) {
  double lo = INFINITY, hi = -INFINITY;
  for (int s = 0; s < r->p->nseries; s++) {
    const pl_polar_series *e = &r->p->series[s];
    for (int i = 0; e->points != 2 && i < e->n; i++) {
      if (!drawable(e, i)) continue;
      lo = fmin(lo, value_of(r, e, i) - error_of(r, e, i));
      hi = fmax(hi, value_of(r, e, i) + error_of(r, e, i));
    }
  }
  r->empty = lo > hi;
  // nothing, or nothing that can be told from the length at rest
  if (r->empty || hi < 1e-6) hi = 1;
  hi = fmin(hi, 1e8);
  r->step = rp_step(hi, 4, &r->decimals);
  r->rim = ceil(hi / r->step - 0.01) * r->step;
  // no length at all is the lowest that there is
  r->centre =
      r->p->unit ? fmin(lo, 0) : fmax(fmin(-0.45 * r->rim, fmin(lo, 0)), fmax(-100, -2 * r->rim));
}

static double entry_width(const pl_polar_series *e) {
  return SWATCH + 7 + rp_width(e->name, 12.5) + 12;
}

// draws the legend from height y on, or only measures it; returns the height below it
static double legend(rose *r, double y, int draw);

static void layout(rose *r) {
  double top = r->p->title && *r->p->title ? 36 : 10;
  r->w = r->p->width > 0 ? fmin(fmax(r->p->width, 240), 4000) : WIDTH;
  top = legend(r, top, 0);
  r->radius = r->w / 2 - SIDE;
  r->x = r->w / 2;
  r->y = top + 26 + r->radius;
  r->h = ceil(r->y + r->radius + 34);
}

// ---- drawing ----------------------------------------------------------------------------------

static double radius_of(const rose *r, double strain) {
  return r->radius * fmin(fmax((strain - r->centre) / (r->rim - r->centre), 0), 1.02);
}

static void place(const rose *r, double angle, double radius, double out[2]) {
  out[0] = r->x + radius * cos(angle);
  out[1] = r->y - radius * sin(angle);
}

static void circle(rose *r, double radius, const char *cls, const char *colour, double width) {
  pl_text_add(r->t, "<circle class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"", cls,
              colour);
  rp_num(r->t, width, 2);
  rp_str(r->t, "\" cx=\"");
  rp_num(r->t, r->x, 2);
  rp_str(r->t, "\" cy=\"");
  rp_num(r->t, r->y, 2);
  rp_str(r->t, "\" r=\"");
  rp_num(r->t, radius, 2);
  rp_str(r->t, "\"/>\n");
}

static void draw_spokes(rose *r) {
  rp_pen pen = rp_pen_new(r->t, 1);
  rp_str(r->t, "<path class=\"pl-grid\" fill=\"none\" stroke=\"" RP_GRID "\" d=\"");
  for (int k = 0; k < SPOKES; k++) {
    double a = 2 * M_PI * k / SPOKES, end[2];
    place(r, a, r->radius, end);
    rp_move(&pen, r->x, r->y);
    rp_line(&pen, end[0], end[1]);
  }
  rp_str(r->t, "\"/>\n");
  for (int k = 0; k < SPOKES; k++) {
    char text[24];
    const char *name = k == 0 ? r->p->first : k == SPOKES / 4 ? r->p->second : NULL;
    double a = 2 * M_PI * k / SPOKES, at[2], side = cos(a);
    snprintf(text, sizeof text, "%d\xc2\xb0", 360 * k / SPOKES);
    place(r, a, r->radius + 10, at);
    rp_label(r->t, name ? "pl-ink" : "pl-mute", at[0], at[1] + 4.2 - 4 * sin(a), 12,
             side > 0.1    ? 's'
             : side < -0.1 ? 'e'
                           : 'm',
             name ? name : text);
  }
}

// multiples of the step from the centre outwards; that of zero strain is drawn stronger
static void draw_circles(rose *r) {
  for (int k = (int)ceil(r->centre / r->step + 0.25); k * r->step <= r->rim * (1 + 1e-9); k++)
    circle(r, radius_of(r, k * r->step), k == 0 ? "pl-axis" : "pl-grid", k == 0 ? RP_AXIS : RP_GRID,
           k == 0 ? 1.3 : 1);
}

// figures inside of their circles, between the spokes at 60 and 90 degrees, with a rim of the
// page's colour
static void draw_figures(rose *r) {
  for (int k = 0; k * r->step <= r->rim * (1 + 1e-9); k++) {
    char text[64], number[32];
    double at[2];
    rp_fixed(number, sizeof number, k * r->step, r->decimals);
    snprintf(text, sizeof text, "%s %s", k == 0 ? "0" : number, r->p->unit ? r->p->unit : "%");
    place(r, 75 * M_PI / 180, radius_of(r, k * r->step) - 9, at);
    rp_str(r->t, "<text class=\"pl-mute pl-rim\" fill=\"" RP_MUTE "\" stroke=\"#fff\" "
                 "stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\" "
                 "font-size=\"11\" text-anchor=\"middle\" x=\"");
    rp_num(r->t, at[0], 1);
    rp_str(r->t, "\" y=\"");
    rp_num(r->t, at[1] + 4, 1);
    pl_text_add(r->t, "\">%s</text>\n", text);
  }
}

static int colour_of(const pl_polar_series *e, int index) {
  return (e->colour >= 0 ? e->colour : index) % RP_PALETTE;
}

static void stroke_open(rose *r, const char *cls, int colour, double width, const char *more) {
  pl_text_add(r->t, "<path class=\"%s%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"", cls, colour,
              colour < RP_PALETTE ? rp_palette[colour] : "#fff");
  rp_num(r->t, width, 2);
  pl_text_add(r->t, "\" stroke-linecap=\"round\" stroke-linejoin=\"round\" %s d=\"", more);
}

// lines are closed unless something is missing
static void curve(rose *r, const pl_polar_series *e) {
  rp_pen pen = rp_pen_new(r->t, 2);
  int down = 0, whole = 1;
  for (int i = 0; i < e->n; i++) {
    double at[2];
    whole &= drawable(e, i);
    if (!drawable(e, i)) {
      down = 0;
      continue;
    }
    place(r, e->angle[i], radius_of(r, value_of(r, e, i)), at);
    if (down)
      rp_line(&pen, at[0], at[1]);
    else
      rp_move(&pen, at[0], at[1]);
    down = 1;
  }
  if (whole && e->n > 0) rp_close(&pen);
}

// from end to end, with caps across them
static void error_bars(rose *r, const pl_polar_series *e) {
  const double cap = 4; // pixels
  rp_pen pen = rp_pen_new(r->t, 2);
  for (int i = 0; i < e->n; i++) {
    double at[2][2], strain = value_of(r, e, i), half = error_of(r, e, i);
    if (!drawable(e, i) || !(half > 0)) continue;
    for (int k = 0; k < 2; k++)
      place(r, e->angle[i], radius_of(r, strain + (k ? half : -half)), at[k]);
    rp_move(&pen, at[0][0], at[0][1]);
    rp_line(&pen, at[1][0], at[1][1]);
    double across[2] = {cap * sin(e->angle[i]), cap * cos(e->angle[i])};
    for (int k = 0; k < 2; k++) {
      rp_move(&pen, at[k][0] - across[0], at[k][1] - across[1]);
      rp_line(&pen, at[k][0] + across[0], at[k][1] + across[1]);
    }
  }
}

static pl_status dots(rose *r, const pl_polar_series *e) {
  double *xy = pl_alloc(r->t->env, (size_t)e->n, 2 * sizeof *xy);
  if (!xy) return PL_E_NOMEM;
  for (int i = 0; i < e->n; i++) {
    double strain = value_of(r, e, i);
    place(r, e->angle[i], radius_of(r, strain), xy + 2 * (size_t)i);
    // faint ones may lie below the range
    if (!drawable(e, i) || (e->points == 2 && strain < r->centre)) xy[2 * i] = xy[2 * i + 1] = NAN;
  }
  rp_pen pen = rp_pen_new(r->t, 1);
  pl_status s = rp_thin_dots(&pen, e->n, xy, (int)r->w, (int)r->h);
  pl_free(r->t->env, xy);
  return s;
}

static pl_status draw_series(rose *r, const pl_polar_series *e, int index) {
  static const char *const dash[] = {"", "stroke-dasharray=\"6 5\"", "stroke-dasharray=\"1 5\""};
  int c = colour_of(e, index);
  pl_status s = PL_OK;
  if (e->fill) {
    pl_text_add(r->t, "<path fill=\"%s\" fill-opacity=\".1\" stroke=\"none\" d=\"", rp_palette[c]);
    curve(r, e);
    rp_str(r->t, "\"/>\n");
  }
  if (!e->points) {
    stroke_open(r, "pl-s", c, 1.9, dash[e->dashed >= 0 && e->dashed < 3 ? e->dashed : 0]);
    curve(r, e);
    rp_str(r->t, "\"/>\n");
  }
  if (e->error) {
    stroke_open(r, "pl-s", c, 1.3, "");
    error_bars(r, e);
    rp_str(r->t, "\"/>\n");
  }
  for (int rim = e->points == 1; e->points && s == PL_OK && rim >= 0; rim--) {
    stroke_open(r, rim ? "pl-rim pl-rim" : "pl-s", rim ? RP_PALETTE : c,
                e->points == 2 ? 2.4 : 6 + 2 * rim, e->points == 2 ? "stroke-opacity=\".3\"" : "");
    s = dots(r, e);
    rp_str(r->t, "\"/>\n");
  }
  return s;
}

static void legend_entry(rose *r, const pl_polar_series *e, int index, double x, double y) {
  rp_pen pen = rp_pen_new(r->t, 1);
  int c = colour_of(e, index);
  if (e->points) {
    stroke_open(r, "pl-s", c, e->points == 2 ? 3 : 6,
                e->points == 2 ? "stroke-opacity=\".6\"" : "");
    rp_dot(&pen, x + SWATCH / 2.0, y);
  } else {
    stroke_open(r, "pl-s", c, 2,
                e->dashed == 1   ? "stroke-dasharray=\"6 5\""
                : e->dashed == 2 ? "stroke-dasharray=\"1 5\""
                                 : "");
    rp_move(&pen, x, y);
    rp_line(&pen, x + SWATCH, y);
  }
  rp_str(r->t, "\"/>\n");
  rp_label(r->t, "pl-ink", x + SWATCH + 7, y + 4.4, 12.5, 's', e->name);
}

static double legend(rose *r, double y, int draw) {
  double x = 20;
  int any = 0;
  for (int s = 0; s < r->p->nseries; s++) {
    const pl_polar_series *e = &r->p->series[s];
    if (!e->name || !*e->name) continue;
    double w = entry_width(e);
    if (any && x + w > r->w - 4) {
      x = 20;
      y += ROW;
    }
    if (draw) legend_entry(r, e, s, x, y + ROW / 2.0);
    x += w;
    any = 1;
  }
  return any ? y + ROW : y;
}

pl_status pl_polar_svg(pl_text *t, const pl_polar_plot *p) {
  for (int s = 0; s < p->nseries; s++) {
    const pl_polar_series *e = &p->series[s];
    if (e->n < 0 || (e->n > 0 && (!e->angle || !e->stretch)))
      return pl_fail(t->env, PL_E_ARG, "series %d of a polar plot has no data arrays", s + 1);
  }
  size_t start = t->n;
  rose r = {.t = t, .p = p};
  choose_range(&r);
  layout(&r);
  rp_svg_open(t, r.w, r.h, p->title);
  rp_label(t, "pl-ink", 20, 26, 15, 's', p->title);
  draw_spokes(&r);
  draw_circles(&r);
  for (int s = 0; s < p->nseries; s++)
    if (draw_series(&r, &p->series[s], s) != PL_OK) t->failed = 1;
  draw_figures(&r);
  if (r.empty) rp_label(t, "pl-mute", r.x, r.y + 4, 13, 'm', "no data");
  legend(&r, p->title && *p->title ? 36 : 10, 1);
  return rp_svg_close(t, start);
}
