#include "report_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 4500 }; // of colour, over the whole picture
#define TIE "#b5651d"

// ---- shading ----------------------------------------------------------------------------------

static const rp_rgb no_value = {0.72, 0.74, 0.77};

// Newell's normal of a face in camera coordinates (right, up, towards)
static void face_normal(const rp_face *f, const double *P, double n[3]) {
  n[0] = n[1] = n[2] = 0;
  for (int k = 0; k < f->n; k++) {
    const double *a = P + 3 * (size_t)f->v[k], *b = P + 3 * (size_t)f->v[(k + 1) % f->n];
    n[0] -= (a[1] - b[1]) * (a[2] + b[2]);
    n[1] += (a[2] - b[2]) * (a[0] + b[0]);
    n[2] -= (a[0] - b[0]) * (a[1] + b[1]);
  }
  double len = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int k = 0; k < 3; k++) n[k] = len > 0 && isfinite(len) ? n[k] / len : k == 2;
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void find_normals(const rp_shape *s, const double *P, int soften, double *normal,
                         double *scratch) {
  double *raw = soften ? scratch : normal;
  for (int f = 0; f < s->nface; f++) face_normal(&s->face[f], P, raw + 3 * (size_t)f);
  if (!soften) return;
  memcpy(normal, raw, (size_t)s->nface * 3 * sizeof *raw);
  for (int i = 0; i < s->nedge; i++) {
    const rp_edge *e = &s->edge[i];
    if (e->nface != 2) continue;
    const double *a = raw + 3 * (size_t)e->face[0], *b = raw + 3 * (size_t)e->face[1];
    double sign = e->flipped ? -1 : 1;
    // about 40 degrees: blunt enough to look curved
    if (sign * dot(a, b) < 0.77) continue;
    for (int k = 0; k < 3; k++) {
      normal[3 * (size_t)e->face[0] + k] += sign * b[k];
      normal[3 * (size_t)e->face[1] + k] += sign * a[k];
    }
  }
  for (int f = 0; f < s->nface; f++) {
    double *n = normal + 3 * (size_t)f, len = sqrt(dot(n, n));
    for (int k = 0; k < 3; k++) n[k] /= len;
  }
}

// Border, crease or outline seen from the camera.
static int rp_edge_sharp(const double *normal, const rp_edge *e) {
  if (e->nface != 2) return 1;
  const double *a = normal + 3 * (size_t)e->face[0], *b = normal + 3 * (size_t)e->face[1];
  double sign = e->flipped ? -1 : 1;
  if (sign * dot(a, b) < 0.7) return 1;
  // one face towards the viewer, the other away: the outline
  return a[2] * sign * b[2] < 0 && fabs(a[2] - sign * b[2]) > 0.02;
}

// a colour in the light; plain: none is given
static rp_rgb shade(const rp_picture *p, const rp_rgb *c, const double n[3], int solid) {
  // soft light from the upper left, in front
  static const double light[3] = {-0.36, 0.52, 0.775};
  static const rp_rgb dark[2] = {{0.30, 0.42, 0.55}, {0.45, 0.40, 0.36}};
  static const rp_rgb bright[2] = {{0.89, 0.935, 0.98}, {0.96, 0.93, 0.89}};
  int back = n[2] < 0 && !p->camera.flat && !solid;
  double s = (n[2] < 0 && !solid ? -1 : 1) * dot(n, light);
  if (p->camera.flat) s = fmax(s, fabs(dot(n, light)));
  // light wraps round, so that the dark side keeps its form
  s = fmax(0, (s + 0.4) / 1.4);
  if (!c) return rp_mix(dark[back], bright[back], s);
  // light colours bear deeper shade, which shows folds
  double f = p->face ? 0.52 + 0.57 * s : 0.70 + 0.39 * s;
  if (back) f *= 0.93;
  return (rp_rgb){c->r * f, c->g * f, c->b * f};
}

static rp_rgb rp_shaded(const rp_picture *p, double value, const double n[3], int solid) {
  rp_rgb c = isnan(value) ? no_value : rp_viridis(value);
  return shade(p, p->view->colour ? &c : NULL, n, solid);
}

static double scaled(const rp_picture *p, double v) {
  if (isnan(v)) return NAN;
  return fmin(fmax((v / 2 - p->lo / 2) / (p->hi / 2 - p->lo / 2), 0), 1);
}

static double value_at(const rp_picture *p, int vertex) {
  return p->view->colour ? scaled(p, p->view->colour[vertex]) : NAN;
}

// in steps that the eye does not see: faces alike share one path
static rp_rgb face_tone(const rp_picture *p, const rp_face *f) {
  double v = f->tri >= 0 ? p->face[f->tri] : NAN, limit = p->view->limit;
  if (isnan(v)) return no_value;
  if (limit > 0 && v > 1.01 * limit) return rp_beyond;
  if (limit > 0 && v >= 0.99 * limit) return rp_at_limit;
  double t = (floor(48 * scaled(p, v)) + 0.5) / 48;
  return limit > 0 ? rp_light(t) : rp_viridis(t);
}

static rp_rgb face_colour(const rp_picture *p, const rp_face *f, const double n[3]) {
  if (p->face) {
    rp_rgb c = face_tone(p, f);
    return shade(p, &c, n, f->solid);
  }
  double mean = 0;
  for (int k = 0; k < f->n; k++) mean += value_at(p, f->v[k]) / f->n;
  return rp_shaded(p, mean, n, f->solid);
}

// twice the area that the camera sees, negative from behind, NaN when a corner is nowhere
static double seen_area(const rp_face *f, const double *P) {
  double area = 0;
  for (int k = 0; k < f->n; k++) {
    const double *a = P + 3 * (size_t)f->v[k], *b = P + 3 * (size_t)f->v[(k + 1) % f->n];
    area += b[0] * a[1] - a[0] * b[1];
  }
  return area;
}

static int face_seen(const rp_face *f, const double *P) {
  double area = seen_area(f, P);
  return !isnan(area) && (!f->solid || area > 0);
}

typedef struct item {
  double depth;
  int kind, index; // 0 face, 1 segment, 2 joint, 3 sharp edge
} item;

static int nearer(const void *a, const void *b) {
  const item *p = a, *q = b;
  if (p->depth != q->depth) return p->depth < q->depth ? -1 : 1;
  if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

static void sort_items(int n, item *items) {
  qsort(items, (size_t)n, sizeof *items, nearer);
}

// ---- one picture ------------------------------------------------------------------------------

// what drawing the model needs besides the picture
typedef struct drawing {
  rp_picture *p;
  const double *P;
  double *normal, *soft; // [nface][3] true and softened
  char *seen;            // [nface] drawn at all
  double *front;         // [nvert] depth of the nearest face drawn at a vertex
  item *item;
  int nitem;
  double grain;       // typical size of a face in pixels
  int edges, levels;  // thin edges drawn; bands of colour over the range, 0: one colour a face
  double seg_len;     // typical, in pixels
  int *joint, njoint; // vertices shown as joints
} drawing;

static double seg_length(const rp_shape *s, const double *P) {
  double sum = 0;
  int n = 0;
  for (int i = 0; i < s->nseg; i++) {
    const double *a = P + 3 * (size_t)s->seg[i][0], *b = P + 3 * (size_t)s->seg[i][1];
    if (isnan(a[0]) || isnan(b[0])) continue;
    sum += hypot(a[0] - b[0], a[1] - b[1]);
    n++;
  }
  return n > 0 ? sum / n : 0;
}

static double typical_face(const rp_shape *s, const double *P) {
  double area = 0;
  int n = 0;
  for (int f = 0; f < s->nface; f++) {
    const rp_face *g = &s->face[f];
    double twice = 0;
    for (int k = 0; k < g->n; k++) {
      const double *a = P + 3 * (size_t)g->v[k], *b = P + 3 * (size_t)g->v[(k + 1) % g->n];
      twice += b[0] * a[1] - a[0] * b[1];
    }
    if (isnan(twice) || twice == 0) continue;
    area += fabs(twice) / 2;
    n++;
  }
  return n > 0 ? sqrt(area / n) : 0;
}

static double value_span(const rp_picture *p, const rp_face *f) {
  double lo = 1, hi = 0;
  for (int k = 0; k < f->n; k++) {
    double v = value_at(p, f->v[k]);
    if (isnan(v)) return 0;
    lo = fmin(lo, v);
    hi = fmax(hi, v);
  }
  return hi - lo;
}

// bands of colour: as many as the picture can carry, none when faces are small
static int choose_levels(const drawing *d) {
  if (!d->p->view->colour || d->p->face || d->grain < 5) return 0;
  double span = 0;
  const rp_shape *s = &d->p->shape;
  for (int f = 0; f < s->nface; f++)
    if (d->seen[f]) span += value_span(d->p, &s->face[f]);
  static const int levels[] = {96, 64, 48, 32, 24, 16};
  for (int k = 0; k < 6; k++)
    if (s->nface + span * levels[k] < PIECES) return levels[k];
  return 0;
}

static double seg_width(double length) {
  return fmin(fmax(1.5 + 0.03 * length, 1.8), 4.2);
}

// chains of many short segments look better without
static double joint_radius(int nseg, double length) {
  double r = fmin(0.13 * length, 4.6);
  return r < 1.9 || nseg > RP_JOINTED ? 0 : r;
}

// ends of segments, once each
static pl_status find_joints(drawing *d) {
  const rp_shape *s = &d->p->shape;
  if (joint_radius(s->nseg, d->seg_len) == 0) return PL_OK;
  char *taken = pl_alloc(d->p->env, (size_t)s->nvert, 1);
  d->joint = pl_alloc(d->p->env, (size_t)s->nseg, 2 * sizeof *d->joint);
  for (int k = 0; taken && d->joint && k < 2 * s->nseg; k++) {
    int v = s->seg[k / 2][k % 2];
    int bare = d->p->view->bare && d->p->view->bare[v];
    if (!taken[v] && !bare && !isnan(d->P[3 * (size_t)v])) d->joint[d->njoint++] = v;
    taken[v] = 1;
  }
  pl_status status = taken && d->joint ? PL_OK : PL_E_NOMEM;
  pl_free(d->p->env, taken);
  return status;
}

static void collect_faces(drawing *d) {
  const rp_shape *s = &d->p->shape;
  for (int v = 0; v < s->nvert; v++) d->front[v] = -INFINITY;
  for (int f = 0; f < s->nface; f++) {
    const rp_face *g = &s->face[f];
    d->seen[f] = (char)face_seen(g, d->P);
    if (!d->seen[f]) continue;
    double depth = 0;
    for (int k = 0; k < g->n; k++) depth += d->P[3 * (size_t)g->v[k] + 2] / g->n;
    for (int k = 0; k < g->n; k++) d->front[g->v[k]] = fmax(d->front[g->v[k]], depth);
    d->item[d->nitem++] = (item){.depth = depth, .kind = 0, .index = f};
  }
  // sharp edges follow the last face at either end, so that none covers half of their width
  for (int i = 0; i < s->nedge; i++) {
    const rp_edge *e = &s->edge[i];
    int seen = d->seen[e->face[0]] || (e->face[1] >= 0 && d->seen[e->face[1]]);
    if (!seen || !rp_edge_sharp(d->normal, e)) continue;
    double depth = fmax(d->front[e->v[0]], d->front[e->v[1]]);
    d->item[d->nitem++] = (item){.depth = depth, .kind = 3, .index = i};
  }
}

// faces in one plane have no order of depth: those of one colour follow each other, edges come last
static void order_by_colour(drawing *d) {
  const rp_shape *s = &d->p->shape;
  double lo = INFINITY, hi = -INFINITY;
  for (int i = 0; i < d->nitem; i++) {
    lo = fmin(lo, d->item[i].depth);
    hi = fmax(hi, d->item[i].depth);
  }
  if (!d->p->face || s->nseg > 0 || !(hi - lo < 1e-3)) return;
  for (int i = 0; i < d->nitem; i++) {
    char hex[8];
    int k = d->item[i].index;
    d->item[i].depth = d->item[i].kind ? INFINITY : 0;
    if (d->item[i].kind) continue;
    rp_hex(hex, face_colour(d->p, &s->face[k], d->soft + 3 * (size_t)k));
    d->item[i].depth = (double)strtol(hex + 1, NULL, 16);
  }
}

static void collect(drawing *d) {
  const rp_shape *s = &d->p->shape;
  collect_faces(d);
  order_by_colour(d);
  // lines lie just in front of faces at their depth, joints in front of their lines
  for (int i = 0; i < s->nseg; i++) {
    const double *a = d->P + 3 * (size_t)s->seg[i][0], *b = d->P + 3 * (size_t)s->seg[i][1];
    if (isnan(a[0]) || isnan(b[0])) continue;
    d->item[d->nitem++] = (item){.depth = a[2] / 2 + b[2] / 2 + 2, .kind = 1, .index = i};
  }
  for (int j = 0; j < d->njoint; j++)
    d->item[d->nitem++] = (item){
        .depth = d->P[3 * (size_t)d->joint[j] + 2] + 3 + 0.6 * d->seg_len, .kind = 2, .index = j};
  sort_items(d->nitem, d->item);
}

static pl_status prepare(drawing *d) {
  const rp_shape *s = &d->p->shape;
  size_t n = (size_t)s->nface;
  d->normal = pl_alloc(d->p->env, n, 3 * sizeof *d->normal);
  d->soft = pl_alloc(d->p->env, n, 3 * sizeof *d->soft);
  d->seen = pl_alloc(d->p->env, n, 1);
  d->front = pl_alloc(d->p->env, (size_t)s->nvert, sizeof *d->front);
  d->item = pl_alloc(d->p->env, n + (size_t)s->nedge + 3 * (size_t)s->nseg, sizeof *d->item);
  if (!d->normal || !d->soft || !d->seen || !d->front || !d->item) return PL_E_NOMEM;
  d->seg_len = seg_length(s, d->P);
  d->grain = typical_face(s, d->P);
  d->edges = d->grain >= 5;
  PL_TRY(find_joints(d));
  find_normals(s, d->P, 1, d->soft, d->normal);
  find_normals(s, d->P, 0, d->normal, NULL);
  collect(d);
  d->levels = choose_levels(d);
  if (d->levels) d->p->decimals = 1;
  return PL_OK;
}

static void drawing_free(drawing *d) {
  pl_free(d->p->env, d->normal);
  pl_free(d->p->env, d->soft);
  pl_free(d->p->env, d->seen);
  pl_free(d->p->env, d->front);
  pl_free(d->p->env, d->item);
  pl_free(d->p->env, d->joint);
}

static void polygon(const drawing *d, int n, const int *v) {
  rp_pen pen = rp_pen_new(d->p->t, d->p->decimals);
  for (int k = 0; k < n; k++) {
    const double *q = d->P + 3 * (size_t)v[k];
    if (k == 0)
      rp_move(&pen, q[0], q[1]);
    else
      rp_line(&pen, q[0], q[1]);
  }
  rp_close(&pen);
}

static void thin_stroke(pl_text *t, double grain) {
  rp_str(t, "stroke=\"" RP_LINE "\" stroke-width=\".6\" stroke-opacity=\"");
  rp_num(t, fmin(fmax((grain - 2) / 40, 0.1), 0.32), 2);
  rp_str(t, "\"");
}

// the part of a triangle where the value is at least c, of constant colour
static void band(drawing *d, const int v[3], const double value[3], double c, const char *hex) {
  rp_pen pen = rp_pen_new(d->p->t, d->p->decimals);
  pl_text_add(d->p->t, "<path color=\"%s\" d=\"", hex);
  int n = 0;
  for (int k = 0; k < 3; k++) {
    int j = (k + 1) % 3;
    const double *a = d->P + 3 * (size_t)v[k], *b = d->P + 3 * (size_t)v[j];
    double at[2][2];
    int here = 0;
    if (value[k] >= c) {
      at[here][0] = a[0];
      at[here++][1] = a[1];
    }
    if ((value[k] >= c) != (value[j] >= c)) {
      double s = (c - value[k]) / (value[j] - value[k]);
      at[here][0] = a[0] + s * (b[0] - a[0]);
      at[here++][1] = a[1] + s * (b[1] - a[1]);
    }
    for (int i = 0; i < here; i++, n++)
      if (n == 0)
        rp_move(&pen, at[i][0], at[i][1]);
      else
        rp_line(&pen, at[i][0], at[i][1]);
  }
  rp_str(d->p->t, "z\"/>");
}

// a triangle in its lowest colour, then every higher band over it: no seams
static void banded(drawing *d, const rp_face *f, const int v[3], const double n[3]) {
  double value[3], lo = 1, hi = 0;
  for (int k = 0; k < 3; k++) {
    value[k] = value_at(d->p, v[k]);
    lo = fmin(lo, value[k]);
    hi = fmax(hi, value[k]);
  }
  char hex[8];
  int first = (int)(lo * d->levels), last = (int)(hi * d->levels);
  for (int k = first; k <= last; k++) {
    rp_hex(hex, rp_shaded(d->p, (k + 0.5) / d->levels, n, f->solid));
    if (k > first)
      band(d, v, value, (double)k / d->levels, hex);
    else {
      pl_text_add(d->p->t, "<path color=\"%s\" d=\"", hex);
      polygon(d, 3, v);
      rp_str(d->p->t, "\"/>");
    }
  }
}

static void draw_face(drawing *d, int index) {
  const rp_face *f = &d->p->shape.face[index];
  const double *n = d->soft + 3 * (size_t)index;
  double span = d->levels ? value_span(d->p, f) * d->levels : 0;
  if (span > 0) {
    int v[2][3] = {{f->v[0], f->v[1], f->v[2]}, {f->v[0], f->v[2], f->v[3]}};
    for (int k = 0; k < f->n - 2; k++) banded(d, f, v[k], n);
  } else {
    char hex[8];
    pl_text_add(d->p->t, "<path %s=\"%s\" d=\"", d->levels || !d->edges ? "color" : "fill",
                rp_hex(hex, face_colour(d->p, f, n)));
    polygon(d, f->n, f->v);
    rp_str(d->p->t, "\"/>");
  }
  if (d->levels) {
    rp_str(d->p->t, "<path fill=\"none\" ");
    thin_stroke(d->p->t, d->grain);
    rp_str(d->p->t, " d=\"");
    polygon(d, f->n, f->v);
    rp_str(d->p->t, "\"/>");
  }
  rp_str(d->p->t, "\n");
}

// opens a path of faces; edges a little darker, opaque: they seal the seams
static void open_alike(drawing *d, rp_rgb c) {
  static const rp_rgb line = {0.11, 0.16, 0.23};
  char hex[8], edge[8];
  rp_hex(hex, c);
  if (d->edges)
    pl_text_add(d->p->t, "<path fill=\"%s\" stroke=\"%s\" d=\"", hex,
                rp_hex(edge, rp_mix(c, line, 0.2)));
  else
    pl_text_add(d->p->t, "<path color=\"%s\" d=\"", hex);
}

// one path for faces of one colour that follow each other; returns the number of the last
static int draw_alike(drawing *d, int first) {
  char hex[8], other[8];
  int i = first;
  for (; i < d->nitem && d->item[i].kind == 0; i++) {
    const rp_face *f = &d->p->shape.face[d->item[i].index];
    rp_rgb c = face_colour(d->p, f, d->soft + 3 * (size_t)d->item[i].index);
    if (strcmp(rp_hex(i > first ? other : hex, c), hex) != 0) break;
    if (i == first) open_alike(d, c);
    // all in one sense, or faces that overlap would cut holes into each other
    int v[4], flip = seen_area(f, d->P) < 0;
    for (int k = 0; k < f->n; k++) v[k] = f->v[flip ? f->n - 1 - k : k];
    polygon(d, f->n, v);
  }
  rp_str(d->p->t, "\"/>\n");
  return i - 1;
}

// sharp edges that follow each other in the order; returns the number of the last
static int draw_sharp(drawing *d, int first) {
  rp_pen pen = rp_pen_new(d->p->t, d->p->decimals);
  rp_str(d->p->t, "<path class=\"pl-edge\" fill=\"none\" stroke=\"" RP_LINE
                  "\" stroke-opacity=\".8\" stroke-width=\"1.1\" stroke-linecap=\"round\" d=\"");
  int i = first;
  for (; i < d->nitem && d->item[i].kind == 3; i++) {
    const int *v = d->p->shape.edge[d->item[i].index].v;
    const double *a = d->P + 3 * (size_t)v[0], *b = d->P + 3 * (size_t)v[1];
    rp_move(&pen, a[0], a[1]);
    rp_line(&pen, b[0], b[1]);
  }
  rp_str(d->p->t, "\"/>\n");
  return i - 1;
}

static void draw_segment(drawing *d, int index) {
  const int *v = d->p->shape.seg[index];
  const double *a = d->P + 3 * (size_t)v[0], *b = d->P + 3 * (size_t)v[1];
  double va = value_at(d->p, v[0]), vb = value_at(d->p, v[1]);
  int n = isnan(va) || isnan(vb) ? 1 : 1 + (int)fmin(fabs(va - vb) * 48, 24);
  for (int k = 0; k < n; k++) {
    double s = (double)k / n, e = (k + 1.0) / n;
    char hex[8];
    pl_text_add(
        d->p->t, "<path %s stroke=\"%s\" stroke-opacity=\"1\" stroke-width=\"",
        d->p->view->colour ? "fill=\"none\"" : "class=\"pl-seg\"",
        !d->p->view->colour
            ? "#2f4a66"
            : rp_hex(hex, isnan(va + vb) ? no_value : rp_viridis(va + (s + e) / 2 * (vb - va))));
    rp_num(d->p->t, seg_width(d->seg_len), 2);
    rp_str(d->p->t, "\" stroke-linecap=\"round\" d=\"");
    rp_pen pen = rp_pen_new(d->p->t, 2);
    rp_move(&pen, a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]));
    rp_line(&pen, a[0] + e * (b[0] - a[0]), a[1] + e * (b[1] - a[1]));
    rp_str(d->p->t, "\"/>\n");
  }
}

static void circle(pl_text *t, const double *q, double r, const char *style) {
  rp_str(t, "<circle cx=\"");
  rp_num(t, q[0], 2);
  rp_str(t, "\" cy=\"");
  rp_num(t, q[1], 2);
  rp_str(t, "\" r=\"");
  rp_num(t, r, 2);
  pl_text_add(t, "\" %s/>\n", style);
}

static void draw_joint(drawing *d, int index) {
  circle(d->p->t, d->P + 3 * (size_t)d->joint[index], joint_radius(d->p->shape.nseg, d->seg_len),
         "class=\"pl-joint\" fill=\"#fff\" stroke=\"#2f4a66\" stroke-width=\"1.5\" "
         "stroke-opacity=\"1\"");
}

static void draw_items(drawing *d) {
  rp_str(d->p->t, "<g stroke-linejoin=\"round\" ");
  // faces in their own colour seal the seams between them; thin edges do so too
  if (d->edges && !d->levels && !d->p->face)
    thin_stroke(d->p->t, d->grain);
  else
    pl_text_add(d->p->t, "fill=\"currentColor\" stroke=\"currentColor\" stroke-width=\"%s\"",
                !d->p->face ? ".5"
                : d->edges  ? ".6"
                            : ".9");
  rp_str(d->p->t, ">\n");
  for (int i = 0; i < d->nitem; i++) {
    int k = d->item[i].index;
    if (d->item[i].kind == 0 && d->p->face)
      i = draw_alike(d, i);
    else if (d->item[i].kind == 0)
      draw_face(d, k);
    else if (d->item[i].kind == 1)
      draw_segment(d, k);
    else if (d->item[i].kind == 2)
      draw_joint(d, k);
    else
      i = draw_sharp(d, i);
  }
  rp_str(d->p->t, "</g>\n");
}

static pl_status draw_model(rp_picture *p, const double *P) {
  drawing d = {.p = p, .P = P};
  pl_status s = prepare(&d);
  if (s == PL_OK) draw_items(&d);
  drawing_free(&d);
  return s;
}

// ---- springs ------------------------------------------------------------------------------------

static void tie_end(const rp_picture *p, const double *P, const pl_tie *t, int end, double out[2]) {
  const double *a = P + 3 * (size_t)t->a[end], *b = P + 3 * (size_t)t->b[end];
  double d[2] = {b[0] - a[0], b[1] - a[1]}, len = sqrt(d[0] * d[0] + d[1] * d[1]);
  // pixels point down, so left of a -> b is (dy, -dx)
  double o = len > 0 && p->camera.flat ? p->camera.scale * t->o[end] / len : 0;
  out[0] = a[0] + t->s[end] * d[0] + o * d[1];
  out[1] = a[1] + t->s[end] * d[1] - o * d[0];
}

static void tie_shape(const rp_picture *p, rp_pen *pen, const double *P, const pl_tie *t) {
  enum { TURNS = 14 };
  double a[2], b[2];
  tie_end(p, P, t, 0, a);
  tie_end(p, P, t, 1, b);
  double d[2] = {b[0] - a[0], b[1] - a[1]}, len = sqrt(d[0] * d[0] + d[1] * d[1]);
  double wide = len > 0 ? 4 / len : 0;
  rp_move(pen, a[0], a[1]);
  for (int k = 1; k < TURNS; k++) {
    // straight ends, a zigzag between
    double x = 0.15 + 0.7 * (k - 1) / (TURNS - 2), y = k == 1 || k == TURNS - 1 ? 0
                                                       : k % 2                  ? wide
                                                                                : -wide;
    rp_line(pen, a[0] + x * d[0] - y * d[1], a[1] + x * d[1] + y * d[0]);
  }
  rp_line(pen, b[0], b[1]);
}

static void draw_ties(rp_picture *p, const double *P) {
  const pl_view *v = p->view;
  if (!v->ntie) return;
  rp_str(p->t, "<path class=\"pl-tie\" fill=\"none\" stroke=\"" TIE "\" stroke-width=\"1.5\" "
               "stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"");
  rp_pen pen = rp_pen_new(p->t, p->decimals);
  for (int k = 0; k < v->ntie; k++) tie_shape(p, &pen, P, &v->tie[k]);
  rp_str(p->t, "\"/>\n");
}

static void draw_marks(rp_picture *p, const double *P) {
  for (int k = 0; k < p->shape.nlone; k++) {
    const double *q = P + 3 * (size_t)p->shape.lone[k];
    if (!isnan(q[0])) circle(p->t, q, 4, "class=\"pl-lone\" fill=\"#2f4a66\"");
  }
  for (int k = 0; k < p->view->nmark; k++) {
    const double *q = P + 3 * (size_t)p->view->mark[k];
    if (!isnan(q[0])) circle(p->t, q, 4.5, "fill=\"#d55e00\" stroke=\"#fff\" stroke-width=\"1.5\"");
  }
}

pl_status rp_picture_whole(rp_picture *p, const double *P) {
  PL_TRY(draw_model(p, P));
  draw_ties(p, P);
  draw_marks(p, P);
  rp_picture_decor(p);
  return PL_OK;
}

// ---- outlines ---------------------------------------------------------------------------------

pl_status rp_picture_outline(rp_picture *p, const double *P, double opacity) {
  const rp_shape *s = &p->shape;
  double *normal = pl_alloc(p->env, (size_t)s->nface, 3 * sizeof *normal);
  if (!normal) return PL_E_NOMEM;
  find_normals(s, P, 0, normal, NULL);
  rp_str(p->t, "<path class=\"pl-ghost\" fill=\"none\" stroke=\"#8793a0\" stroke-linecap=\"round\" "
               "stroke-width=\"1.1\" stroke-opacity=\"");
  rp_num(p->t, opacity, 2);
  rp_str(p->t, "\" d=\"");
  rp_pen pen = rp_pen_new(p->t, p->decimals);
  for (int i = 0; i < s->nedge + s->nseg; i++) {
    const int *v = i < s->nedge ? s->edge[i].v : s->seg[i - s->nedge];
    const double *a = P + 3 * (size_t)v[0], *b = P + 3 * (size_t)v[1];
    if (isnan(a[0]) || isnan(b[0])) continue;
    if (i < s->nedge && !rp_edge_sharp(normal, &s->edge[i])) continue;
    rp_move(&pen, a[0], a[1]);
    rp_line(&pen, b[0], b[1]);
  }
  rp_str(p->t, "\"/>\n");
  pl_free(p->env, normal);
  return PL_OK;
}

// ---- the picture ------------------------------------------------------------------------------

static pl_status draw_still(rp_picture *p, const double *x, const double *ghost) {
  size_t n = 3 * (size_t)p->mesh->nvert;
  double *P = pl_alloc(p->env, n, sizeof *P);
  if (!P) return PL_E_NOMEM;
  pl_status s = PL_OK;
  if (ghost) {
    rp_project(&p->camera, p->mesh->nvert, ghost, P);
    s = rp_picture_outline(p, P, 0.7);
  }
  for (int k = 0; s == PL_OK && k < p->view->nmoment; k++) {
    rp_project(&p->camera, p->mesh->nvert, p->view->moment + (size_t)k * n, P);
    s = draw_model(p, P);
  }
  rp_project(&p->camera, p->mesh->nvert, x, P);
  if (s == PL_OK) s = rp_picture_whole(p, P);
  pl_free(p->env, P);
  return s;
}

pl_status pl_view_svg(pl_text *t, const pl_mesh *m, const pl_view *v) {
  static const pl_view standard = {0};
  size_t start = t->n;
  rp_picture p;
  if (!v) v = &standard;
  const double *x = v->x ? v->x : m->X;
  const double **pos = pl_alloc(t->env, (size_t)v->nmoment + 2, sizeof *pos);
  if (!pos) return PL_E_NOMEM;
  for (int k = 0; k < v->nmoment; k++) pos[k] = v->moment + (size_t)k * 3 * (size_t)m->nvert;
  pos[v->nmoment] = x;
  pos[v->nmoment + 1] = v->ghost;
  int npos = v->nmoment + 1 + (v->ghost != NULL);
  pl_status s = rp_picture_open(&p, t, m, v, RP_FACES / (v->nmoment + 1), npos, pos);
  pl_free(t->env, pos);
  PL_TRY(s);
  s = draw_still(&p, x, v->ghost);
  if (s != PL_OK) t->failed = 1;
  rp_picture_free(&p);
  return rp_svg_close(t, start);
}
