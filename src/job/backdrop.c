// Lines of obstacles behind pictures.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { ROOM = 220, ROUND = 32, PIECES = 16, GRID = 6, HATCH = 24 }; // lines of one obstacle; parts
enum { MESH_ROOM = 2400, COARSE = 300, LEVELS = 9 }; // lines and triangles of a mesh; sections
static const double SMOOTH = 0.996; // cosine: edges that bend less are not drawn, 5 degrees

typedef struct pencil {
  int dim, n;
  double (*line)[2][3], (*drift)[3];
  double lo[3], hi[3]; // of the model and around it: what lies outside is not drawn
} pencil;

static void draw(pencil *p, const double *a, const double *b) {
  for (int c = 0; c < 3; c++)
    if (!(a[c] >= p->lo[c] && a[c] <= p->hi[c] && b[c] >= p->lo[c] && b[c] <= p->hi[c])) return;
  memcpy(p->line[p->n][0], a, 3 * sizeof *a);
  memcpy(p->line[p->n++][1], b, 3 * sizeof *b);
}

// straight, in pieces of which some may lie outside
static void draw_edge(pencil *p, const double *a, const double *b) {
  double from[3], to[3];
  for (int i = 0; i < PIECES; i++) {
    for (int c = 0; c < 3; c++) {
      from[c] = a[c] + (b[c] - a[c]) * i / PIECES;
      to[c] = a[c] + (b[c] - a[c]) * (i + 1) / PIECES;
    }
    draw(p, from, to);
  }
}

// n parts of a circle about m, from angle `from` on; u, v: its radii
static void draw_arc(pencil *p, const double *m, const double *u, const double *v, double from,
                     int n) {
  double at[2][3];
  for (int i = 0; i <= n; i++) {
    double a = from + 2 * PL_PI * i / ROUND;
    for (int c = 0; c < 3; c++) at[i & 1][c] = m[c] + cos(a) * u[c] + sin(a) * v[c];
    if (i > 0) draw(p, at[(i + 1) & 1], at[i & 1]);
  }
}

// a grid on what lies behind the model; in two dimensions a line with hatches
static void draw_plane(pencil *p, const double *m, const pl_gap *g, const double *x, size_t count) {
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY}, a[3], b[3];
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) {
      double d[3], at;
      pl_sub3(x + 3 * i, m, d);
      at = pl_dot3(d, g->frame[k + 1]);
      lo[k] = fmin(lo[k], at);
      hi[k] = fmax(hi[k], at);
    }
  double margin = 0.1 * fmax(hi[0] - lo[0], hi[1] - lo[1]);
  if (!isfinite(margin)) return;
  if (p->dim == 2) {
    double from[3], to[3], step = (hi[0] - lo[0] + 2 * margin) / HATCH;
    for (int i = 0; i < HATCH; i++)
      for (int c = 0; c < 3; c++) {
        double t = g->frame[1][c], s = lo[0] - margin + i * step;
        from[c] = m[c] + s * t;
        to[c] = from[c] + step * t;
        b[c] = from[c] - 0.5 * step * (t + g->frame[0][c]);
        if (c < 2) continue;
        draw(p, from, to);
        draw(p, from, b);
      }
    return;
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i <= GRID; i++) {
      double s = lo[k] - margin + (hi[k] - lo[k] + 2 * margin) * i / GRID;
      for (int c = 0; c < 3; c++) {
        a[c] = m[c] + s * g->frame[k + 1][c] + (lo[1 - k] - margin) * g->frame[2 - k][c];
        b[c] = m[c] + s * g->frame[k + 1][c] + (hi[1 - k] + margin) * g->frame[2 - k][c];
      }
      draw(p, a, b);
    }
}

static void draw_sphere(pencil *p, const pl_obstacle *o, const double *m) {
  double e[3][3] = {{o->radius, 0, 0}, {0, o->radius, 0}, {0, 0, o->radius}};
  for (int k = 0; k < (p->dim == 2 ? 1 : 3); k++) draw_arc(p, m, e[k], e[(k + 1) % 3], 0, ROUND);
}

static void draw_box(pencil *p, const pl_obstacle *o, const double *m) {
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, corner[8][3];
  if (pl_norm(4, o->rotation) > 0) pl_quat_to_mat(o->rotation, R);
  for (int k = 0; k < 8; k++)
    for (int c = 0; c < 3; c++) {
      corner[k][c] = m[c];
      for (int j = 0; j < p->dim; j++)
        corner[k][c] += R[3 * c + j] * (k >> j & 1 ? 1 : -1) * (o->half[j] + o->radius);
    }
  for (int k = 0; k < (p->dim == 2 ? 4 : 8); k++)
    for (int j = 0; j < p->dim; j++)
      if (!(k >> j & 1)) draw_edge(p, corner[k], corner[k | 1 << j]);
}

static void draw_capsule(pencil *p, const pl_obstacle *o, const double *m) {
  double along[3] = {1, 0, 0}, e[2][3], end[2][3], len = pl_norm3(o->axis);
  pl_gap g;
  for (int c = 0; len > 0 && c < 3; c++) along[c] = o->axis[c] / len;
  // two directions across: those of a plane with the axis as normal
  const pl_obstacle across = {.kind = PL_PLANE, .axis = {along[0], along[1], along[2]}};
  pl_obstacle_gap(&across, p->dim, 0, m, 0, &g);
  for (int c = 0; c < 3; c++) {
    for (int k = 0; k < 2; k++) e[k][c] = o->radius * g.frame[k + 1][c];
    end[0][c] = m[c] - o->axis[c];
    end[1][c] = m[c] + o->axis[c];
    along[c] *= o->radius;
  }
  for (int k = 0; k < p->dim - 1; k++) {
    double a[3], b[3];
    for (int sign = -1; sign < 2; sign += 2) {
      for (int c = 0; c < 3; c++) {
        a[c] = end[0][c] + sign * e[k][c];
        b[c] = end[1][c] + sign * e[k][c];
      }
      draw_edge(p, a, b);
    }
    draw_arc(p, end[0], along, e[k], PL_PI / 2, ROUND / 2);
    draw_arc(p, end[1], along, e[k], -PL_PI / 2, ROUND / 2);
  }
  for (int k = 0; p->dim == 3 && k < 2; k++) draw_arc(p, end[k], e[0], e[1], 0, ROUND);
}

// a triangle of a mesh about m, where it stands
static void mesh_triangle(const pl_obstacle *o, const double *m, int t, const double *v[3],
                          double x[3][3], double *n) {
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, a[3], b[3];
  if (pl_norm(4, o->rotation) > 0) pl_quat_to_mat(o->rotation, R);
  pl_obstacle_mesh_corners(o->mesh, t, v);
  for (int i = 0; i < 9; i++) x[i / 3][i % 3] = m[i % 3] + pl_dot3(R + 3 * (i % 3), v[i / 3]);
  pl_sub3(x[1], x[0], a);
  pl_sub3(x[2], x[0], b);
  pl_cross3(a, b, n);
  double size = pl_norm3(n);
  for (int c = 0; c < 3; c++) n[c] /= size;
}

// the edges of a coarse mesh that bend
static void draw_net(pencil *p, const pl_obstacle *o, const double *m) {
  const double *v[3], *w[3];
  double x[3][3], y[3][3], n[3], k[3];
  int ntri = pl_obstacle_mesh_ntri(o->mesh), pieces = 3 * ntri / 2 * PIECES <= MESH_ROOM;
  for (int t = 0; t < ntri; t++) {
    mesh_triangle(o, m, t, v, x, n);
    for (int u = t + 1; u < ntri; u++) {
      mesh_triangle(o, m, u, w, y, k);
      if (pl_dot3(n, k) > SMOOTH) continue;
      // the neighbour runs along the edge the other way
      for (int i = 0; i < 9; i++) {
        int a = i / 3, b = (a + 1) % 3, c = i % 3;
        if (v[a] != w[(c + 1) % 3] || v[b] != w[c]) continue;
        if (pieces)
          draw_edge(p, x[a], x[b]);
        else
          draw(p, x[a], x[b]);
      }
    }
  }
}

// a section of a triangle; returns 0 when there is none. p NULL: it is not drawn
static int draw_cut(pencil *p, double x[3][3], int axis, double level) {
  double end[3][3];
  int cuts = 0;
  for (int a = 0; a < 3; a++) {
    const double *from = x[a], *to = x[(a + 1) % 3];
    if ((from[axis] < level) == (to[axis] < level)) continue;
    double s = (level - from[axis]) / (to[axis] - from[axis]);
    for (int c = 0; c < 3; c++) end[cuts][c] = from[c] + s * (to[c] - from[c]);
    cuts++;
  }
  if (cuts == 2 && p) draw(p, end[0], end[1]);
  return cuts == 2;
}

// n sections across each axis; returns of how many lines they are
static long draw_cuts(pencil *p, const pl_obstacle *o, const double *m, const double *lo,
                      const double *hi, int n) {
  const double *v[3];
  double x[3][3], normal[3];
  long count = 0;
  for (int t = 0; t < pl_obstacle_mesh_ntri(o->mesh); t++) {
    mesh_triangle(o, m, t, v, x, normal);
    for (int i = 0; i < 3 * n; i++) {
      int c = i % 3;
      count += draw_cut(p, x, c, lo[c] + (hi[c] - lo[c]) * (i / 3 + 0.5) / n);
    }
  }
  return count;
}

// a fine mesh by as many sections as there is room for
static void draw_sections(pencil *p, const pl_obstacle *o, const double *m) {
  const double *v[3];
  double x[3][3], n[3], lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3];
  for (int c = 0; c < 3; c++) hi[c] = -INFINITY;
  for (int t = 0; t < pl_obstacle_mesh_ntri(o->mesh); t++) {
    mesh_triangle(o, m, t, v, x, n);
    for (int i = 0; i < 9; i++) {
      lo[i % 3] = fmin(lo[i % 3], x[i / 3][i % 3]);
      hi[i % 3] = fmax(hi[i % 3], x[i / 3][i % 3]);
    }
  }
  int levels = LEVELS;
  while (levels > 0 && draw_cuts(NULL, o, m, lo, hi, levels) > MESH_ROOM) levels--;
  if (levels > 0) draw_cuts(p, o, m, lo, hi, levels);
}

// the model's box, and as much again around it
static void frame(pencil *p, const double *x, size_t count) {
  double size[3];
  for (int c = 0; c < 3; c++) {
    p->lo[c] = INFINITY;
    p->hi[c] = -INFINITY;
  }
  for (size_t i = 0; i < 3 * count; i++) {
    p->lo[i % 3] = fmin(p->lo[i % 3], x[i]);
    p->hi[i % 3] = fmax(p->hi[i % 3], x[i]);
  }
  pl_sub3(p->hi, p->lo, size);
  double around = 0.75 * pl_norm3(size);
  for (int c = 0; c < 3; c++) {
    p->lo[c] -= around;
    p->hi[c] += around;
  }
}

static void draw_obstacle(pencil *p, const pl_obstacle *o, double t, const double *x,
                          size_t count) {
  double m[3];
  pl_gap g;
  for (int c = 0; c < 3; c++) m[c] = o->centre[c] + t * o->velocity[c];
  pl_obstacle_gap(o, p->dim, t, m, 0, &g);
  if (o->kind == PL_PLANE)
    draw_plane(p, m, &g, x, count);
  else if (o->kind == PL_SPHERE)
    draw_sphere(p, o, m);
  else if (o->kind == PL_BOX)
    draw_box(p, o, m);
  else if (o->kind == PL_CAPSULE)
    draw_capsule(p, o, m);
  else if (pl_obstacle_mesh_ntri(o->mesh) <= COARSE)
    draw_net(p, o, m);
  else
    draw_sections(p, o, m);
}

pl_status job_backdrop(const job *j, double t, double until, int npos, const double *x,
                       pl_view *view) {
  const pl_contact_desc *d = &j->scene->contact;
  size_t count = (size_t)npos * (size_t)j->scene->mesh->nvert;
  if (d->nnode == 0) return PL_OK;
  size_t capacity = 0;
  for (int k = 0; k < d->nobstacle; k++)
    capacity += d->obstacle[k].kind == PL_MESH ? MESH_ROOM : ROOM;
  // one allocation: the lines, then how far each goes
  double *all = pl_alloc(j->env, capacity, sizeof *((pencil *)0)->line + 3 * sizeof *all);
  if (!all) return PL_E_NOMEM;
  pencil p = {.dim = j->scene->dim,
              .line = (double(*)[2][3])all,
              .drift = (double(*)[3])(all + 6 * capacity)};
  frame(&p, x, count);
  for (int k = 0; k < d->nobstacle; k++) {
    const pl_obstacle *o = &d->obstacle[k];
    pencil wide = p;
    double way[3], size[3];
    for (int c = 0; c < 3; c++) {
      way[c] = (until - t) * o->velocity[c];
      // what comes into the picture or leaves it is drawn where it begins
      wide.lo[c] -= fmax(way[c], 0);
      wide.hi[c] -= fmin(way[c], 0);
    }
    pl_sub3(p.hi, p.lo, size);
    // what only passes by at great speed would make the body small
    if (pl_norm3(way) > pl_norm3(size)) continue;
    draw_obstacle(&wide, o, t, x, count);
    for (; p.n < wide.n; p.n++) memcpy(p.drift[p.n], way, sizeof way);
  }
  view->nline = p.n;
  view->line = (const double *)p.line;
  view->drift = until > t ? (const double *)p.drift : NULL;
  return PL_OK;
}

void job_backdrop_free(const job *j, pl_view *view) {
  // made here, and shown as const
  pl_free(j->env, (double *)(uintptr_t)view->line);
  view->line = view->drift = NULL;
  view->nline = 0;
}
