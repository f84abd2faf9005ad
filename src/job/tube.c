// Animations with rods as tubes: every edge is a prism with the rod's section, and its corners move
// with the edge in the same linear way as morph targets do.
#include "job_impl.h"

#include "pliant/math.h"

#include <string.h>

enum { SIDES = 8, TUBE_BYTES = 32 << 20 };

typedef struct tubes {
  const pl_scene *sc;
  int n, nside; // edges; corners of a section
  int *end;     // [n][2] vertices
  double *ring; // [n][nside][2] corners along the directors
  double *m1;   // [n][3] first director at rest
  double *t;    // [n][3] direction at rest
} tubes;

static int count_edges(const pl_scene *sc) {
  int n = 0;
  for (int g = 0; g < pl_model_ngroup(sc->model); g++)
    if (pl_model_group_kind(sc->model, g) == pl_elem_find("rod_edge"))
      n += pl_model_group_size(sc->model, g);
  return n;
}

static void direction(const double *x, const int *end, double *t) {
  pl_sub3(x + 3 * (size_t)end[1], x + 3 * (size_t)end[0], t);
  double l = pl_norm3(t);
  for (int c = 0; c < 3 && l > 0; c++) t[c] /= l;
}

// parameters young poisson density width height hollow shape
static void put_ring(const double *par, int nside, double *ring) {
  for (int k = 0; k < nside; k++) {
    double a = 2 * PL_PI * k / nside, c = cos(a), s = sin(a);
    // on a square for rectangles: corners and middles of its sides
    double out = par[6] > 0.5 ? 1 / fmax(fabs(c), fabs(s)) : 1;
    ring[2 * k] = par[3] / 2 * c * out;
    ring[2 * k + 1] = par[4] / 2 * s * out;
  }
}

static void read_edges(tubes *b) {
  const pl_scene *sc = b->sc;
  int at = 0;
  for (int g = 0; g < pl_model_ngroup(sc->model); g++) {
    if (pl_model_group_kind(sc->model, g) != pl_elem_find("rod_edge")) continue;
    const int *v = pl_model_group_stencil(sc->model, g);
    for (int e = 0; e < pl_model_group_size(sc->model, g); e++, v += 3, at++) {
      double *t = b->t + 3 * (size_t)at, *m = b->m1 + 3 * (size_t)at, d[3], w[3];
      double theta = sc->params->X[v[2]];
      memcpy(b->end + 2 * (size_t)at, v, 2 * sizeof *v);
      put_ring(pl_model_group_par(sc->model, sc->params, g, e), b->nside,
               b->ring + 2 * (size_t)(at * b->nside));
      direction(sc->params->X, v, t);
      pl_rod_director(t, d);
      pl_cross3(t, d, w);
      for (int c = 0; c < 3; c++) m[c] = cos(theta) * d[c] + sin(theta) * w[c];
    }
  }
}

// a corner of edge e at positions x, away from its axis
static void corner(const tubes *b, int e, int k, const double *x, double *t, double *out) {
  double m1[3], m2[3];
  const double *ring = b->ring + 2 * (size_t)(e * b->nside + k);
  const double *rest = b->t + 3 * (size_t)e;
  direction(x, b->end + 2 * (size_t)e, t);
  if (1 + pl_dot3(rest, t) > 1e-6)
    pl_rod_transport(rest, t, b->m1 + 3 * (size_t)e, m1);
  else
    pl_rod_director(t, m1);
  pl_cross3(t, m1, m2);
  for (int c = 0; c < 3; c++) out[c] = ring[0] * m1[c] + ring[1] * m2[c];
}

// positions (u NULL) or displacements u of all vertices: those of the scene, then the corners. Seen
// from its axis a corner r turns by -(r.de) t/l when the edge changes by de.
static void put_places(const tubes *b, const double *x, const double *u, double *out) {
  int n = b->sc->mesh->nvert;
  memcpy(out, u ? u : x, 3 * (size_t)n * sizeof *out);
  out += 3 * (size_t)n;
  for (int e = 0; e < b->n; e++) {
    const int *v = b->end + 2 * (size_t)e;
    double de[3] = {0}, span[3];
    pl_sub3(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], span);
    if (u) pl_sub3(u + 3 * (size_t)v[1], u + 3 * (size_t)v[0], de);
    for (int k = 0; k < b->nside; k++) {
      double t[3], r[3];
      corner(b, e, k, x, t, r);
      double l = pl_norm3(span), tilt = u && l > 0 ? pl_dot3(r, de) / l : 0;
      for (int side = 0; side < 2; side++, out += 3)
        for (int c = 0; c < 3; c++)
          out[c] = (u ? u : x)[3 * v[side] + c] + (u ? -tilt * t[c] : r[c]);
    }
  }
}

static pl_status tube_mesh(const tubes *b, pl_mesh **out) {
  const pl_mesh *m = b->sc->mesh;
  int extra = 2 * b->n * b->nside, first = m->nvert, tri = m->cell[PL_TRI3].n;
  PL_TRY(pl_mesh_create(b->sc->env, m->source, m->nvert + extra, out));
  for (int k = 0; k < PL_CELL_COUNT; k++) {
    size_t size = (size_t)m->cell[k].n * (size_t)pl_cell_nvert[k] * sizeof(int);
    PL_TRY(pl_mesh_set_cells(*out, (pl_cell_type)k, m->cell[k].n + (k == PL_TRI3 ? extra : 0)));
    if (size) memcpy((*out)->cell[k].v, m->cell[k].v, size);
  }
  int *v = (*out)->cell[PL_TRI3].v + 3 * (size_t)tri;
  for (int e = 0; e < b->n; e++)
    for (int k = 0; k < b->nside; k++, v += 6) {
      int a = first + 2 * (e * b->nside + k), c = first + 2 * (e * b->nside + (k + 1) % b->nside);
      const int both[6] = {a, c, a + 1, a + 1, c, c + 1};
      memcpy(v, both, sizeof both);
    }
  return PL_OK;
}

static pl_status open_tubes(const job *j, tubes *b) {
  size_t n = (size_t)b->n;
  b->end = pl_alloc(j->env, n, 2 * sizeof *b->end);
  b->ring = pl_alloc(j->env, n * (size_t)b->nside, 2 * sizeof *b->ring);
  b->m1 = pl_alloc(j->env, n, 3 * sizeof *b->m1);
  b->t = pl_alloc(j->env, n, 3 * sizeof *b->t);
  if (!b->end || !b->ring || !b->m1 || !b->t) return PL_E_NOMEM;
  read_edges(b);
  return PL_OK;
}

static void close_tubes(const job *j, tubes *b) {
  pl_free(j->env, b->end);
  pl_free(j->env, b->ring);
  pl_free(j->env, b->m1);
  pl_free(j->env, b->t);
}

// corners have the colour of their vertex
static void put_colours(const tubes *b, const double *colour, double *out) {
  int n = b->sc->mesh->nvert;
  memcpy(out, colour, (size_t)n * sizeof *out);
  for (int i = 0; i < 2 * b->n * b->nside; i++)
    out[n + i] = colour[b->end[2 * (i / (2 * b->nside)) + i % 2]];
}

static pl_glb_lines backdrop_lines(const job_motion *a) {
  const pl_view *v = a->backdrop;
  return v ? (pl_glb_lines){"obstacles", v->nline, v->line, v->drift} : (pl_glb_lines){0};
}

static pl_status write_tubes(const job *j, tubes *b, const job_motion *a, const char *path) {
  pl_mesh *mesh = NULL;
  size_t per = 3 * (size_t)b->sc->mesh->nvert, all = per + 6 * (size_t)(b->n * b->nside);
  double *base = pl_alloc(j->env, all, sizeof *base);
  double *frame = pl_alloc(j->env, all * (size_t)a->nframe, sizeof *frame);
  double *colour = pl_alloc(j->env, all / 3, sizeof *colour);
  pl_status s = base && frame && colour ? open_tubes(j, b) : PL_E_NOMEM;
  if (s == PL_OK) s = tube_mesh(b, &mesh);
  if (s == PL_OK) {
    put_places(b, a->base, NULL, base);
    for (size_t k = 0; k < (size_t)a->nframe; k++)
      put_places(b, a->base, a->frame + k * per, frame + k * all);
    if (a->colour) put_colours(b, a->colour, colour);
    pl_glb_lines lines = backdrop_lines(a);
    s = pl_glb_write_lines(mesh, base, a->nframe, frame, a->nkey, a->time, a->weight,
                           a->colour ? colour : NULL, &lines, path);
  }
  pl_mesh_free(mesh);
  pl_free(j->env, base);
  pl_free(j->env, frame);
  pl_free(j->env, colour);
  return s;
}

static pl_status write_glb(const job *j, const job_motion *a, const char *path) {
  tubes b = {.sc = j->scene, .n = count_edges(j->scene), .nside = SIDES};
  // positions and normals of floats
  double bytes = 24.0 * 2 * b.n * SIDES * (a->nframe + 1);
  pl_glb_lines lines = backdrop_lines(a);
  if (b.n == 0 || bytes > TUBE_BYTES)
    return pl_glb_write_lines(j->scene->mesh, a->base, a->nframe, a->frame, a->nkey, a->time,
                              a->weight, a->colour, &lines, path);
  pl_status s = write_tubes(j, &b, a, path);
  close_tubes(j, &b);
  return s;
}

// A run that is stopped still writes what there is: the writer is not asked to stop, too.
pl_status job_glb(const job *j, const job_motion *a, const char *path) {
  int (*progress)(void *, const pl_progress *) = j->env->progress;
  j->env->progress = NULL;
  pl_status s = write_glb(j, a, path);
  j->env->progress = progress;
  return s;
}
