// Signed bars with names, longest first or as they come.
#include "report_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 22, TOP = 44, BOTTOM = 46, WIDTH = 720 };

static void put_bar(pl_text *t, double x0, double x1, double y, int colour) {
  double left = fmin(x0, x1), width = fmax(fabs(x1 - x0), 0.6);
  pl_text_add(t, "<rect fill=\"%s\" rx=\"1.5\" x=\"", rp_palette[colour]);
  rp_num(t, left, 2);
  rp_str(t, "\" y=\"");
  rp_num(t, y - ROW / 2.0 + 4, 2);
  rp_str(t, "\" width=\"");
  rp_num(t, width, 2);
  pl_text_add(t, "\" height=\"%d\"/>\n", ROW - 8);
}

static void put_line(pl_text *t, const char *cls, const char *colour, double x, double y0,
                     double y1) {
  pl_text_add(t, "<path class=\"%s\" fill=\"none\" stroke=\"%s\" d=\"M%.1f %.1fV%.1f\"/>\n", cls,
              colour, x, y0, y1);
}

pl_status pl_bars_svg(pl_text *t, const pl_chart *c) {
  size_t start = t->n;
  int n = c->n;
  const double *value = c->value;
  double lo = 0, hi = 0, left = 60;
  for (int k = 0; k < n; k++) {
    if (isfinite(value[k])) lo = fmin(lo, value[k]), hi = fmax(hi, value[k]);
    left = fmax(left, rp_width(c->name[k], 12) + 20);
  }
  if (left > 260) left = 260;
  rp_range(&lo, &hi, 0, 0.04, 1);
  double right = WIDTH - 20, bottom = TOP + ROW * (double)n;
  rp_axis a;
  rp_axis_make(&a, lo, hi, 8, &(rp_look){.label = c->label, .length = c->length});
  rp_svg_open(t, WIDTH, bottom + BOTTOM, c->title);
  rp_label(t, "pl-ink", left, 26, 15, 's', c->title);
  for (int k = 0; k < a.ntick; k++) {
    double x = left + (right - left) * rp_axis_shown(&a, a.tick[k]);
    put_line(t, "pl-grid", RP_GRID, x, TOP, bottom);
    rp_label(t, "pl-mute", x, bottom + 16, 12, 'm', a.text[k]);
  }
  double zero = left + (right - left) * rp_axis_at(&a, 0);
  for (int k = 0; k < n; k++) {
    double y = TOP + ROW * (k + 0.5), f = rp_axis_at(&a, value[k]);
    rp_label(t, "pl-ink", left - 10, y + 4, 12, 'e', c->name[k]);
    if (isfinite(f)) put_bar(t, zero, left + (right - left) * f, y, value[k] < 0);
  }
  put_line(t, "pl-axis", RP_AXIS, zero, TOP, bottom);
  rp_label(t, "pl-mute", (left + right) / 2, bottom + 36, 12, 'm', a.label);
  return rp_svg_close(t, start);
}
