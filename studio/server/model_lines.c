// Lines and points of a model: edges of its cells, segments, joints, springs, obstacles.
#include "model.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *pairs(const making *m, const int *v, int n) {
  return data_keep(m->s, m->group, DATA_I32, v, 2, (size_t[]){(size_t)n, 2});
}

// ---- edges --------------------------------------------------------------------------------------

static int compare_pairs(const void *a, const void *b) {
  const int *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

static int put_pair(int (*pair)[2], int n, int a, int b) {
  pair[n][0] = a < b ? a : b;
  pair[n][1] = a < b ? b : a;
  return n + 1;
}

// of one face, whose sides have a vertex between their ends where the face is of second order
static int put_face(int (*pair)[2], int n, const int *row) {
  int second = row[0] > 4, corners = second ? row[0] / 2 : row[0];
  for (int i = 0; i < corners; i++) {
    int a = row[1 + i], b = row[1 + (i + 1) % corners];
    if (second) {
      n = put_pair(pair, n, a, row[1 + corners + i]);
      a = row[1 + corners + i];
    }
    n = put_pair(pair, n, a, b);
  }
  return n;
}

json_t *model_edges(const making *m) {
  int nface, *face, n = 0, kept = 0;
  if (pl_mesh_faces(m->mesh, &nface, &face) != PL_OK) return NULL;
  int(*pair)[2] = pl_alloc(m->env, 8 * (size_t)nface + 1, sizeof *pair);
  for (int k = 0; pair && k < nface; k++) n = put_face(pair, n, face + (size_t)k * PL_FACE_ROW);
  if (pair) qsort(pair, (size_t)n, sizeof *pair, compare_pairs);
  for (int k = 0; k < n; k++)
    if (k == 0 || compare_pairs(pair[k], pair[kept - 1]) != 0)
      memmove(pair[kept++], pair[k], sizeof *pair);
  json_t *out = pair ? pairs(m, &pair[0][0], kept) : NULL;
  pl_free(m->env, pair);
  pl_free(m->mesh->env, face);
  return out;
}

json_t *model_segments(const making *m) {
  const pl_cells *one = &m->mesh->cell[PL_SEG2], *two = &m->mesh->cell[PL_SEG3];
  int(*pair)[2] = pl_alloc(m->env, (size_t)one->n + 2 * (size_t)two->n + 1, sizeof *pair), n = 0;
  if (!pair) return NULL;
  for (int k = 0; k < one->n; k++, n++) memcpy(pair[n], one->v + 2 * k, sizeof *pair);
  for (int k = 0; k < two->n; k++) {
    const int *v = two->v + 3 * k;
    memcpy(pair[n++], (int[]){v[0], v[2]}, sizeof *pair);
    memcpy(pair[n++], (int[]){v[2], v[1]}, sizeof *pair);
  }
  json_t *out = pairs(m, &pair[0][0], n);
  pl_free(m->env, pair);
  return out;
}

// ---- points -------------------------------------------------------------------------------------

enum { IN_CELL = 1, ON_ROD = 2, POINT = 4 };

// ends of segments that are no rods, and point masses on rods
static void mark_joints(const making *m, char *is) {
  const pl_scene *sc = m->scene;
  for (int k = 0; k < sc->nbody; k++)
    for (int i = 0; strcmp(sc->body[k].kind, "rod") == 0 && i < sc->body[k].n; i++)
      is[sc->body[k].node[i]] |= ON_ROD;
  const pl_cells *s = &m->mesh->cell[PL_SEG2];
  for (int k = 0; k < 2 * s->n; k++)
    if (!(is[s->v[k]] & ON_ROD)) is[s->v[k]] |= POINT;
  for (int g = 0; g < pl_model_ngroup(sc->model); g++) {
    const int *node = pl_model_group_stencil(sc->model, g);
    if (pl_model_group_kind(sc->model, g) != pl_elem_find("point")) continue;
    for (int e = 0; e < pl_model_group_size(sc->model, g); e++)
      if (node[e] < m->mesh->nvert && is[node[e]] & ON_ROD) is[node[e]] |= POINT;
  }
}

json_t *model_points(const making *m) {
  int nvert = m->mesh->nvert, n = 0;
  char *is = pl_alloc(m->env, (size_t)nvert, 1);
  int *point = pl_alloc(m->env, (size_t)nvert, sizeof *point);
  json_t *out = NULL;
  if (is && point) {
    for (int t = 0; t < PL_CELL_COUNT; t++)
      for (int k = 0; k < m->mesh->cell[t].n * pl_cell_nvert[t]; k++)
        is[m->mesh->cell[t].v[k]] |= IN_CELL;
    mark_joints(m, is);
    for (int i = 0; i < nvert; i++)
      if (!(is[i] & IN_CELL) || is[i] & POINT) point[n++] = i;
    out = data_keep(m->s, m->group, DATA_I32, point, 1, (size_t[]){(size_t)n});
  }
  pl_free(m->env, is);
  pl_free(m->env, point);
  return out;
}

// ---- springs ------------------------------------------------------------------------------------

typedef struct spring {
  int v[4];        // first end between v[0] and v[1], second one between v[2] and v[3]
  double at[2][2]; // part of the way from one to the other, and distance to the left of it, m
} spring;

// as the pictures of a report have them; dashpots within a rigid body are none
static int find_springs(const making *m, spring *out) {
  const pl_model *model = m->scene->model;
  int n = 0;
  for (int g = 0; g < pl_model_ngroup(model); g++) {
    if (pl_model_group_kind(model, g) != pl_elem_find("spring") || pl_model_group_rigid(model, g))
      continue;
    for (int e = 0; e < pl_model_group_size(model, g); e++) {
      const int *v = pl_model_group_stencil(model, g) + 4 * e;
      const double *par = pl_model_group_par(model, m->scene->params, g, e);
      int whole = 1;
      for (int i = 0; i < 4; i++) whole &= v[i] >= 0 && v[i] < m->mesh->nvert;
      if (!whole) continue;
      // parameters: stiffness rest damping s0 offset0 s1 offset1
      if (out) {
        memcpy(out[n].v, v, sizeof out[n].v);
        memcpy(out[n].at, par + 3, sizeof out[n].at);
      }
      n++;
    }
  }
  return n;
}

static void spring_end(const making *m, const spring *s, int end, double out[3]) {
  const double *a = m->mesh->X + 3 * s->v[2 * end], *b = m->mesh->X + 3 * s->v[2 * end + 1];
  double d[3], len;
  pl_sub3(b, a, d);
  len = hypot(d[0], d[1]);
  double o = len > 0 && m->scene->dim == 2 ? s->at[end][1] / len : 0;
  for (int c = 0; c < 3; c++) out[c] = a[c] + s->at[end][0] * d[c];
  out[0] -= o * d[1];
  out[1] += o * d[0];
}

json_t *model_springs(const making *m) {
  size_t n = (size_t)find_springs(m, NULL);
  spring *all = pl_alloc(m->env, n, sizeof *all);
  double(*end)[2][3] = pl_alloc(m->env, n, sizeof *end),
  (*at)[2][2] = pl_alloc(m->env, n, sizeof *at);
  int(*v)[2][2] = pl_alloc(m->env, n, sizeof *v);
  json_t *out = NULL;
  if (all && end && at && v) {
    find_springs(m, all);
    for (size_t k = 0; k < n; k++) {
      for (int e = 0; e < 2; e++) spring_end(m, &all[k], e, end[k][e]);
      memcpy(at[k], all[k].at, sizeof at[k]);
      memcpy(v[k], all[k].v, sizeof v[k]);
    }
    out = json_object();
    part_set(out, "ends", data_keep_real(m->s, m->group, &end[0][0][0], 3, (size_t[]){n, 2, 3}));
    part_set(out, "nodes",
             data_keep(m->s, m->group, DATA_I32, &v[0][0][0], 3, (size_t[]){n, 2, 2}));
    part_set(out, "at", data_keep_real(m->s, m->group, &at[0][0][0], 3, (size_t[]){n, 2, 2}));
  }
  pl_free(m->env, all);
  pl_free(m->env, end);
  pl_free(m->env, at);
  pl_free(m->env, v);
  return out;
}

// ---- obstacles ----------------------------------------------------------------------------------

typedef struct pencil {
  pl_env *env;
  int n, cap, failed;
  double (*line)[2][3];
  double lo[3], hi[3]; // of the model and around it: what lies outside is not drawn
} pencil;

static void draw(void *ctx, const double *a, const double *b) {
  pencil *p = ctx;
  for (int c = 0; c < 3; c++)
    if (!(fmin(a[c], b[c]) >= p->lo[c] && fmax(a[c], b[c]) <= p->hi[c])) return;
  if (pl_grow(p->env, &p->line, p->n, &p->cap, sizeof *p->line) != PL_OK) {
    p->failed = 1;
    return;
  }
  memcpy(p->line[p->n][0], a, 3 * sizeof *a);
  memcpy(p->line[p->n++][1], b, 3 * sizeof *b);
}

static json_t *obstacle(const making *m, int k, size_t n, const double *near, pencil *p) {
  const pl_obstacle *o = &m->scene->contact.obstacle[k];
  json_t *out = json_object();
  p->n = 0;
  pl_obstacle_draw(o, m->scene->dim, 0, n, near, draw, p);
  part_set(out, "name", part_words(m->scene->obstacle_name[k]));
  part_set(out, "lines",
           p->failed ? NULL
                     : data_keep_real(m->s, m->group, (const double *)p->line, 3,
                                      (size_t[]){(size_t)p->n, 2, 3}));
  part_set(out, "velocity", part_reals(3, o->velocity));
  return out;
}

// of the mesh, and of elements
static double *all_places(const making *m, size_t *n) {
  const pl_scene *sc = m->scene;
  *n = (size_t)m->mesh->nvert;
  for (int k = 0; k < sc->npatch; k++) *n += (size_t)sc->patch[k].p.n;
  double *x = pl_alloc(m->env, 3 * *n, sizeof *x), *at = x;
  if (!x) return NULL;
  memcpy(at, m->mesh->X, 3 * (size_t)m->mesh->nvert * sizeof *x);
  at += 3 * (size_t)m->mesh->nvert;
  for (int k = 0; k < sc->npatch; k++)
    for (int i = 0; i < sc->patch[k].p.n; i++, at += 3)
      memcpy(at, sc->patch[k].p.pose[i].x, 3 * sizeof *x);
  return x;
}

json_t *model_obstacles(const making *m) {
  json_t *all = json_array();
  pencil p = {.env = m->env};
  size_t n;
  double *x = all_places(m, &n);
  if (x && n) pl_picture_box(n, x, p.lo, p.hi);
  for (int k = 0; x && k < m->scene->contact.nobstacle; k++)
    json_array_append_new(all, obstacle(m, k, n, x, &p));
  pl_free(m->env, x);
  pl_free(m->env, p.line);
  return all;
}
