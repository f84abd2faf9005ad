// Drawings: outlines and pictures, and the voxels that they make when they are extruded.
#include "drawing.h"
#include "voxel_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- what readers fill ------------------------------------------------------------------------

pl_status drawing_name(pl_drawing *d, const char *name, size_t n, int *out) {
  for (*out = 0; *out < d->nname; ++*out)
    if (strlen(d->name[*out]) == n && memcmp(d->name[*out], name, n) == 0) return PL_OK;
  PL_TRY(pl_grow(d->env, &d->name, d->nname, &d->cap_name, sizeof *d->name));
  char *copy = pl_alloc(d->env, n + 1, 1);
  if (!copy) return PL_E_NOMEM;
  for (size_t i = 0; i < n; i++) copy[i] = (unsigned char)name[i] < ' ' ? '_' : name[i];
  if (!pl_load_utf8(copy, n))
    for (size_t i = 0; i < n; i++)
      if ((unsigned char)copy[i] > 126) copy[i] = '_';
  d->name[d->nname++] = copy;
  return PL_OK;
}

pl_status drawing_contour(pl_drawing *d) {
  PL_TRY(pl_grow(d->env, &d->contour, d->ncontour, &d->cap_contour, sizeof *d->contour));
  d->contour[d->ncontour++] = d->npoint;
  d->shape[d->nshape - 1].ncontour++;
  return PL_OK;
}

pl_status drawing_point(pl_drawing *d, double x, double y) {
  if (!(fabs(x) < 1e30) || !(fabs(y) < 1e30))
    return pl_fail_at(d->env, PL_E_INPUT, d->source, 0, 0, NULL,
                      "a point of an outline is too far away (%g, %g)", x, y);
  if (d->npoint >= DRAWING_POINTS)
    return pl_fail_at(d->env, PL_E_INPUT, d->source, 0, 0, NULL,
                      "outlines have more than %d points", DRAWING_POINTS);
  PL_TRY(pl_grow(d->env, &d->point, d->npoint, &d->cap_point, sizeof *d->point));
  d->point[d->npoint][0] = x;
  d->point[d->npoint++][1] = y;
  return PL_OK;
}

void pl_drawing_free(pl_drawing *d) {
  if (!d) return;
  for (int k = 0; k < d->nname; k++) pl_free(d->env, d->name[k]);
  pl_free(d->env, d->name);
  pl_free(d->env, d->shape);
  pl_free(d->env, d->contour);
  pl_free(d->env, d->point);
  pl_free(d->env, d->pixel);
  pl_free(d->env, d->source);
  pl_free(d->env, d);
}

pl_status pl_drawing_parse(pl_env *env, const char *format, const char *name, const char *data,
                           size_t size, double threshold, pl_drawing **out) {
  pl_load in = {.env = env, .name = name, .begin = data, .at = data, .end = data + size, .line = 1};
  *out = NULL;
  pl_drawing *d = pl_alloc(env, 1, sizeof *d);
  if (!d) return PL_E_NOMEM;
  d->env = env;
  d->source = pl_strdup(env, name);
  pl_status s = !d->source                       ? PL_E_NOMEM
                : strcasecmp(format, "svg") == 0 ? drawing_svg(&in, d)
                                                 : drawing_png(&in, threshold, d);
  if (s == PL_OK)
    *out = d;
  else
    pl_drawing_free(d);
  return s;
}

pl_status pl_drawing_read(pl_env *env, const char *path, double threshold, pl_drawing **out) {
  char *data;
  size_t size;
  const char *dot = strrchr(path, '.');
  *out = NULL;
  if (!pl_is_drawing(path))
    return pl_fail_at(env, PL_E_INPUT, path, 0, 0, NULL, "a drawing is an .svg or a .png file");
  PL_TRY(pl_file_read(env, path, 0, &data, &size));
  pl_status s = pl_drawing_parse(env, dot + 1, path, data, size, threshold, out);
  pl_free(env, data);
  return s;
}

int pl_is_drawing(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (strcasecmp(dot, ".svg") == 0 || strcasecmp(dot, ".png") == 0);
}

// ---- stretches of lines -----------------------------------------------------------------------

// stretches [n][2] of a line, rising and apart
typedef struct stretches {
  int n, cap;
  double (*at)[2];
} stretches;

typedef struct cross {
  double x;
  int way;
} cross;

typedef struct scan {
  const pl_drawing *d;
  stretches now, own, next;
  int ncross, cap_cross;
  cross *cross;
  double (*range)[2]; // [nshape] lowest and highest y of each
} scan;

static pl_status push(pl_env *env, stretches *s, double from, double to) {
  if (!(to > from)) return PL_OK;
  if (s->n > 0 && s->at[s->n - 1][1] >= from) {
    s->at[s->n - 1][1] = fmax(to, s->at[s->n - 1][1]);
    return PL_OK;
  }
  PL_TRY(pl_grow(env, &s->at, s->n, &s->cap, sizeof *s->at));
  s->at[s->n][0] = from;
  s->at[s->n++][1] = to;
  return PL_OK;
}

static int compare_cross(const void *a, const void *b) {
  const cross *p = a, *q = b;
  return p->x < q->x ? -1 : p->x > q->x ? 1 : p->way - q->way;
}

static pl_status cross_shape(scan *s, const shape *f, double y) {
  const pl_drawing *d = s->d;
  s->ncross = 0;
  for (int k = f->contour; k < f->contour + f->ncontour; k++) {
    int first = d->contour[k], end = k + 1 < d->ncontour ? d->contour[k + 1] : d->npoint;
    for (int i = first; i < end; i++) {
      const double *a = d->point[i], *b = d->point[i + 1 < end ? i + 1 : first];
      if ((a[1] <= y) == (b[1] <= y)) continue;
      PL_TRY(pl_grow(d->env, &s->cross, s->ncross, &s->cap_cross, sizeof *s->cross));
      double x = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
      s->cross[s->ncross++] = (cross){x, a[1] <= y ? 1 : -1};
    }
  }
  return PL_OK;
}

// what of a line is inside a shape
static pl_status inside_shape(scan *s, const shape *f, pl_fill_rule rule, double y) {
  int wind = 0, evenodd = rule == PL_FILL_AUTO ? f->evenodd : rule == PL_FILL_EVENODD;
  PL_TRY(cross_shape(s, f, y));
  s->own.n = 0;
  if (s->ncross > 0) qsort(s->cross, (size_t)s->ncross, sizeof *s->cross, compare_cross);
  for (int k = 0; k + 1 < s->ncross; k++) {
    wind += s->cross[k].way;
    if (evenodd ? k % 2 == 0 : wind != 0)
      PL_TRY(push(s->d->env, &s->own, s->cross[k].x, s->cross[k + 1].x));
  }
  return PL_OK;
}

static pl_status add_own(scan *s) {
  int i = 0, k = 0;
  s->next.n = 0;
  while (i < s->now.n || k < s->own.n) {
    int first = k == s->own.n || (i < s->now.n && s->now.at[i][0] <= s->own.at[k][0]);
    const double *at = first ? s->now.at[i++] : s->own.at[k++];
    PL_TRY(push(s->d->env, &s->next, at[0], at[1]));
  }
  return PL_OK;
}

static pl_status cut_own(scan *s) {
  s->next.n = 0;
  for (int i = 0, k = 0; i < s->now.n; i++) {
    double from = s->now.at[i][0], to = s->now.at[i][1];
    while (k < s->own.n && s->own.at[k][1] <= from) k++;
    for (int j = k; j < s->own.n && s->own.at[j][0] < to; j++) {
      PL_TRY(push(s->d->env, &s->next, from, fmin(to, s->own.at[j][0])));
      from = fmax(from, s->own.at[j][1]);
    }
    PL_TRY(push(s->d->env, &s->next, from, to));
  }
  return PL_OK;
}

static int has_name(const shape *f, int name) {
  for (int k = 0; k < f->nname; k++)
    if (f->name[k] == name) return 1;
  return 0;
}

// name -1: the material at y; else what the shapes of that name cover
static pl_status scan_line(scan *s, pl_fill_rule rule, int name, double y) {
  s->now.n = 0;
  for (int k = 0; k < s->d->nshape; k++) {
    const shape *f = &s->d->shape[k];
    if (y < s->range[k][0] || y >= s->range[k][1]) continue;
    if (name < 0 ? f->paint == PAINT_LABEL : f->paint == PAINT_CUT || !has_name(f, name)) continue;
    PL_TRY(inside_shape(s, f, rule, y));
    if (s->own.n == 0) continue;
    PL_TRY(name < 0 && f->paint == PAINT_CUT ? cut_own(s) : add_own(s));
    stretches swap = s->now;
    s->now = s->next;
    s->next = swap;
  }
  return PL_OK;
}

static pl_status scan_open(const pl_drawing *d, scan *s) {
  *s = (scan){.d = d};
  s->range = pl_alloc(d->env, (size_t)d->nshape + 1, sizeof *s->range);
  if (!s->range) return PL_E_NOMEM;
  for (int k = 0; k < d->nshape; k++) {
    const shape *f = &d->shape[k];
    int last = f->contour + f->ncontour;
    int first = f->ncontour ? d->contour[f->contour] : 0;
    int end = f->ncontour == 0 ? 0 : last < d->ncontour ? d->contour[last] : d->npoint;
    s->range[k][0] = INFINITY;
    s->range[k][1] = -INFINITY;
    for (int i = first; i < end; i++) {
      s->range[k][0] = fmin(s->range[k][0], d->point[i][1]);
      s->range[k][1] = fmax(s->range[k][1], d->point[i][1]);
    }
  }
  return PL_OK;
}

static void scan_close(scan *s) {
  pl_free(s->d->env, s->now.at);
  pl_free(s->d->env, s->own.at);
  pl_free(s->d->env, s->next.at);
  pl_free(s->d->env, s->cross);
  pl_free(s->d->env, s->range);
}

// ---- filling a layer of voxels ----------------------------------------------------------------

enum { LINES = 16 }; // through a voxel

// a flat grid over the drawing: y of the drawing runs down, that of voxels up
typedef struct sheet {
  const pl_drawing *d;
  pl_fill_rule rule;
  double lo[2], hi[2]; // of what is drawn, units of the drawing
  int n[2];
  double h[2];
} sheet;

static void cover(const sheet *g, double from, double to, double weight, float *row) {
  double a = fmax((from - g->lo[0]) / g->h[0], 0), b = fmin((to - g->lo[0]) / g->h[0], g->n[0]);
  for (int i = pl_floor_int(a); i < g->n[0] && i < b; i++)
    row[i] += (float)(weight * (fmin(b, i + 1) - fmax(a, i)));
}

static pl_status cover_shapes(const sheet *g, int name, float *part) {
  scan s;
  pl_status st = scan_open(g->d, &s);
  for (int j = 0; st == PL_OK && j < g->n[1]; j++) {
    for (int l = 0; st == PL_OK && l < LINES; l++) {
      double y = g->hi[1] - g->h[1] * (j + (l + 0.5) / LINES);
      st = scan_line(&s, g->rule, name, y);
      for (int k = 0; st == PL_OK && k < s.now.n; k++)
        cover(g, s.now.at[k][0], s.now.at[k][1], 1.0 / LINES, part + (size_t)j * (size_t)g->n[0]);
    }
    if (st == PL_OK && j % 16 == 0) st = pl_report_progress(g->d->env, "voxels", -1, NULL);
  }
  scan_close(&s);
  return st;
}

// pixels are squares: areas are exact
static void cover_pixels(const sheet *g, int name, float *part) {
  const pl_drawing *d = g->d;
  for (int y = 0; y < d->rows; y++) {
    double top = (g->hi[1] - y) / g->h[1], low = (g->hi[1] - y - 1) / g->h[1];
    double a = fmax(low, 0), b = fmin(top, g->n[1]);
    for (int x = 0; x < d->cols; x++) {
      int from = x, is = d->pixel[(size_t)y * (size_t)d->cols + (size_t)x];
      if (name < 0 ? is == 0 : is != name + 1) continue;
      // a run of pixels at once
      while (x + 1 < d->cols) {
        int next = d->pixel[(size_t)y * (size_t)d->cols + (size_t)x + 1];
        if (name < 0 ? next == 0 : next != name + 1) break;
        x++;
      }
      for (int j = pl_floor_int(a); j < g->n[1] && j < b; j++)
        cover(g, from, x + 1, fmin(b, j + 1) - fmax(a, j), part + (size_t)j * (size_t)g->n[0]);
    }
  }
}

static pl_status cover_sheet(const sheet *g, int name, float *part) {
  if (!g->d->pixel) return cover_shapes(g, name, part);
  cover_pixels(g, name, part);
  return PL_OK;
}

// ---- bounds -----------------------------------------------------------------------------------

static void pixel_bounds(const pl_drawing *d, double *lo, double *hi) {
  for (int y = 0; y < d->rows; y++)
    for (int x = 0; x < d->cols; x++) {
      if (!d->pixel[(size_t)y * (size_t)d->cols + (size_t)x]) continue;
      lo[0] = fmin(lo[0], x);
      lo[1] = fmin(lo[1], y);
      hi[0] = fmax(hi[0], x + 1);
      hi[1] = fmax(hi[1], y + 1);
    }
}

static void shape_bounds(const pl_drawing *d, double *lo, double *hi) {
  for (int k = 0; k < d->nshape; k++) {
    const shape *f = &d->shape[k];
    if (f->paint != PAINT_MATERIAL) continue;
    for (int c = f->contour; c < f->contour + f->ncontour; c++) {
      int end = c + 1 < d->ncontour ? d->contour[c + 1] : d->npoint;
      for (int i = d->contour[c]; i < end; i++)
        for (int a = 0; a < 2; a++) {
          lo[a] = fmin(lo[a], d->point[i][a]);
          hi[a] = fmax(hi[a], d->point[i][a]);
        }
    }
  }
}

// ---- voxels -----------------------------------------------------------------------------------

typedef struct extrusion {
  const pl_drawing *d;
  const pl_voxel_opts *o;
  double thickness, unit; // m; metres in a unit of the drawing
  sheet sheet;
  voxels grid;
} extrusion;

static pl_status find_size(extrusion *e, double width) {
  const pl_drawing *d = e->d;
  sheet *g = &e->sheet;
  for (int c = 0; c < 2; c++) {
    g->lo[c] = INFINITY;
    g->hi[c] = -INFINITY;
  }
  if (d->pixel)
    pixel_bounds(d, g->lo, g->hi);
  else
    shape_bounds(d, g->lo, g->hi);
  if (!(g->hi[0] > g->lo[0]) || !(g->hi[1] > g->lo[1]))
    return pl_fail_at(d->env, PL_E_INPUT, d->source, 0, 0,
                      "material is what is filled or stroked and not white",
                      "nothing is drawn in it");
  e->unit = width > 0 ? width / (g->hi[0] - g->lo[0]) : fabs(d->unit);
  if (!(e->unit > 0))
    return pl_fail_at(d->env, PL_E_INPUT, d->source, 0, 0, "give the width of what is drawn",
                      "how large a pixel is is not known");
  if (!(width > 0) && d->unit < 0)
    pl_report(d->env, PL_WARNING, d->source, 0, 0,
              "give the width of what is drawn, or write the page's width in mm",
              "its page has no size in mm: a unit is taken as 1/96 inch, and what is drawn is %.4g "
              "mm wide",
              1e3 * e->unit * (g->hi[0] - g->lo[0]));
  return PL_OK;
}

// area and length of the outline at a resolution of 1000 cells or so, and pieces of what is drawn
static pl_status survey(extrusion *e, double size, double *area, double *around, int *npiece) {
  sheet fine = e->sheet;
  double w = fine.hi[0] - fine.lo[0], h = fine.hi[1] - fine.lo[1];
  double cell = size > 0 ? fmax(size / e->unit / 8, sqrt(w * h / 4e6)) : sqrt(w * h / 1e6);
  cell = fmax(cell, fmax(w, h) / 2e4);
  const double lo[3] = {0, 0, 0}, hi[3] = {w, h, cell};
  voxels g;
  pl_status s = voxels_open(&g, e->d->env, e->d->source, lo, hi, fmin(cell, fmin(w, h)));
  if (s == PL_OK) {
    memcpy(fine.n, g.n, sizeof fine.n);
    memcpy(fine.h, g.h, sizeof fine.h);
    s = cover_sheet(&fine, -1, g.part);
  }
  *area = *around = 0;
  for (size_t at = 0; s == PL_OK && at < voxel_count(&g); at++) {
    *area += (double)g.part[at] * g.h[0] * g.h[1];
    g.full[at] = g.part[at] >= 0.5f;
  }
  for (int j = 0; s == PL_OK && j < g.n[1]; j++)
    for (int i = 0; i < g.n[0]; i++) {
      int own = g.full[voxel_at(&g, i, j, 0)];
      *around += (i + 1 < g.n[0] ? own != g.full[voxel_at(&g, i + 1, j, 0)] : own) * g.h[1];
      *around += (j + 1 < g.n[1] ? own != g.full[voxel_at(&g, i, j + 1, 0)] : own) * g.h[0];
      *around += own * ((i == 0) * g.h[1] + (j == 0) * g.h[0]);
    }
  if (s == PL_OK) s = voxels_pieces(&g, npiece);
  voxels_close(&g);
  // steps of cells are longer than the outline, in the mean by 4 / pi
  *around *= 0.785398 * e->unit;
  *area *= e->unit * e->unit;
  return s;
}

static pl_status label_voxels(extrusion *e, pl_mesh *out) {
  size_t layer = (size_t)e->sheet.n[0] * (size_t)e->sheet.n[1];
  float *label = pl_alloc(e->d->env, voxel_count(&e->grid), sizeof *label);
  pl_status s = label ? PL_OK : PL_E_NOMEM;
  for (int name = 0; s == PL_OK && name < e->d->nname; name++) {
    double sum = 0;
    memset(label, 0, layer * sizeof *label);
    s = cover_sheet(&e->sheet, name, label);
    for (size_t at = 0; at < layer; at++) sum += (double)label[at];
    // colours that are not there, names of what is white or hidden
    if (s != PL_OK || !(sum > 0)) continue;
    for (int k = 1; k < e->grid.n[2]; k++)
      memcpy(label + (size_t)k * layer, label, layer * sizeof *label);
    s = voxels_label(&e->grid, label, e->d->name[name], out);
  }
  pl_free(e->d->env, label);
  return s;
}

static pl_status fill_layers(extrusion *e, pl_voxel_info *info) {
  double area, around;
  int npiece;
  sheet *g = &e->sheet;
  PL_TRY(survey(e, e->o->size, &area, &around, &npiece));
  double size = e->o->size;
  if (!(size > 0)) size = voxel_choose(area * e->thickness, 2 * area + around * e->thickness);
  if (!(size > 0))
    return pl_fail_at(e->d->env, PL_E_INPUT, e->d->source, 0, 0, NULL, "what is drawn has no area");
  const double lo[3] = {0, 0, 0};
  const double hi[3] = {(g->hi[0] - g->lo[0]) * e->unit, (g->hi[1] - g->lo[1]) * e->unit,
                        e->thickness};
  PL_TRY(voxels_open(&e->grid, e->d->env, e->d->source, lo, hi, size));
  for (int c = 0; c < 2; c++) {
    g->n[c] = e->grid.n[c];
    g->h[c] = (g->hi[c] - g->lo[c]) / g->n[c];
  }
  PL_TRY(cover_sheet(g, -1, e->grid.part));
  size_t layer = (size_t)g->n[0] * (size_t)g->n[1];
  for (int k = 1; k < e->grid.n[2]; k++)
    memcpy(e->grid.part + (size_t)k * layer, e->grid.part, layer * sizeof *e->grid.part);
  info->exact = area * e->thickness;
  return voxels_fill(&e->grid, e->o, npiece, info);
}

// a mesh that has the names as groups, so that sides do not take them
static pl_status names_taken(const pl_drawing *d, pl_mesh **out) {
  PL_TRY(pl_mesh_create(d->env, d->source, 1, out));
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < d->nname; k++)
    s = pl_mesh_add_set(*out, d->name[k], -1, 1, &(int){0});
  return s;
}

pl_status pl_drawing_voxels(const pl_drawing *d, double thickness, double width,
                            const pl_voxel_opts *o, pl_voxel_info *info, pl_mesh **out) {
  extrusion e = {.d = d, .o = o, .thickness = thickness, .sheet = {.d = d, .rule = o->rule}};
  pl_voxel_info own = {0};
  pl_mesh *taken = NULL;
  *out = NULL;
  e.grid.env = d->env;
  if (!(thickness > 0)) return pl_fail(d->env, PL_E_ARG, "drawing: thickness must be > 0");
  pl_status s = find_size(&e, width);
  if (s == PL_OK) s = fill_layers(&e, &own);
  if (s == PL_OK) s = names_taken(d, &taken);
  if (s == PL_OK) s = voxels_mesh(&e.grid, taken, out);
  if (s == PL_OK) s = label_voxels(&e, *out);
  pl_mesh_free(taken);
  voxels_close(&e.grid);
  if (info) *info = own;
  if (s == PL_OK) return PL_OK;
  pl_mesh_free(*out);
  *out = NULL;
  return s;
}
