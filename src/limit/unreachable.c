// Pins that are too far apart: no path of edges between two fixed vertices can be stretched to more
// than the sum of what its edges can, and the sheet between them no further than its shortest path.
#include "limit_impl.h"

#include <math.h>
#include <string.h>

enum { PINS_LEAST = 32, PINS_MOST = 1500 };
static const double WORK = 2e6;   // vertices visited in all; more pins are thinned out
static const double SLACK = 1e-6; // relative; less is the solver's business

// lengths are what edges can be stretched to
typedef struct span {
  int a, b;
  double length;
} span;

struct path {
  int nspan, cap;
  span *span; // fixed vertices and the shortest way between them that meets no other
  int ntri;
  int *tri; // triangles with three fixed corners
};

void path_free(pl_env *env, struct path *p) {
  if (!p) return;
  pl_free(env, p->span);
  pl_free(env, p->tri);
  pl_free(env, p);
}

// ---- graph of edges -----------------------------------------------------------------------------

typedef struct item {
  double far;
  int vert;
} item;

typedef struct graph {
  pl_sheet *s;
  int *first; // [nvert + 1]
  span *edge; // by vertex a
  char *pin;  // [nvert] 1: fixed in all components and not thinned out
  int npin;
  double *far; // [nvert] from the pin of this search
  int *seen;   // [nvert] the last search that reached it, from 1
  int nheap, cap;
  item *heap;
} graph;

// edges of a triangle in the axes of the material, from the gradients: g_i . e_j = delta_ij
static void edge_vectors(const double *g, double e[3][2]) {
  double det = g[2] * g[5] - g[3] * g[4];
  e[0][0] = g[5] / det, e[0][1] = -g[4] / det;
  e[2][0] = g[3] / det, e[2][1] = -g[2] / det;
  for (int c = 0; c < 2; c++) e[1][c] = -e[0][c] - e[2][c];
}

// edge k of triangle t, from corner k to the next, at its longest; infinite without a limit
static double longest(const pl_sheet *s, int t, int k) {
  double e[3][2];
  if (s->limit_of[t] < 0) return INFINITY;
  edge_vectors(s->grad + 6 * t, e);
  return hypot(e[k][0], e[k][1]) *
         pl_limit_stretch(&s->limit[s->limit_of[t]], atan2(e[k][1], e[k][0]));
}

static void make_graph(graph *g) {
  const pl_sheet *s = g->s;
  for (int t = 0; t < s->ntri; t++)
    for (int k = 0; k < 3; k++) g->first[s->tri[3 * t + k] + 1] += 2;
  for (int i = 0; i < s->nvert; i++) g->first[i + 1] += g->first[i];
  int *fill = g->seen;
  memcpy(fill, g->first, (size_t)s->nvert * sizeof *fill);
  for (int t = 0; t < s->ntri; t++)
    for (int k = 0; k < 3; k++) {
      int a = s->tri[3 * t + k], b = s->tri[3 * t + (k + 1) % 3];
      double length = longest(s, t, k);
      g->edge[fill[a]++] = (span){a, b, length};
      g->edge[fill[b]++] = (span){b, a, length};
    }
  memset(g->seen, 0, (size_t)s->nvert * sizeof *g->seen);
}

// ---- heap, the nearest first --------------------------------------------------------------------

static pl_status push(graph *g, int vert, double far) {
  PL_TRY(pl_grow(g->s->env, &g->heap, g->nheap, &g->cap, sizeof *g->heap));
  int i = g->nheap++;
  for (; i > 0 && g->heap[(i - 1) / 2].far > far; i = (i - 1) / 2)
    g->heap[i] = g->heap[(i - 1) / 2];
  g->heap[i] = (item){far, vert};
  return PL_OK;
}

static item pop(graph *g) {
  item top = g->heap[0], last = g->heap[--g->nheap];
  int i = 0;
  for (int k = 1; k < g->nheap; i = k, k = 2 * k + 1) {
    if (k + 1 < g->nheap && g->heap[k + 1].far < g->heap[k].far) k++;
    if (g->heap[k].far >= last.far) break;
    g->heap[i] = g->heap[k];
  }
  g->heap[i] = last;
  return top;
}

// ---- paths --------------------------------------------------------------------------------------

// Dijkstra from one pin. Ways through another pin are left out: their parts are spans themselves.
static pl_status search(graph *g, struct path *p, int from, int mark) {
  pl_env *env = g->s->env;
  int left = g->npin - 1;
  g->nheap = 0;
  g->seen[from] = mark;
  g->far[from] = 0;
  PL_TRY(push(g, from, 0));
  while (g->nheap > 0 && left > 0) {
    item at = pop(g);
    int v = at.vert;
    if (at.far > g->far[v]) continue;
    if (g->pin[v] && v != from) {
      left--;
      // each span once
      if (v < from) continue;
      PL_TRY(pl_grow(env, &p->span, p->nspan, &p->cap, sizeof *p->span));
      p->span[p->nspan++] = (span){from, v, at.far};
      continue;
    }
    for (int i = g->first[v]; i < g->first[v + 1]; i++) {
      int b = g->edge[i].b;
      double far = at.far + g->edge[i].length;
      if (!(far < INFINITY) || (g->seen[b] == mark && g->far[b] <= far)) continue;
      g->seen[b] = mark;
      g->far[b] = far;
      PL_TRY(push(g, b, far));
    }
  }
  return PL_OK;
}

// marks pins, of very many only some
static void choose_pins(graph *g) {
  const pl_sheet *s = g->s;
  int n = 0, seen = 0;
  for (int i = 0; i < s->nvert; i++) n += s->fixed[i] == 7;
  double most = fmin(fmax(WORK / (s->nvert + 1), PINS_LEAST), PINS_MOST);
  double keep = fmin(1, most / (n + 1));
  for (int i = 0; i < s->nvert; i++) {
    if (s->fixed[i] != 7) continue;
    g->pin[i] = (int)(keep * (seen + 1)) > (int)(keep * seen) || keep == 1;
    g->npin += g->pin[i];
    seen++;
  }
}

// edges between fixed vertices, whether thinned out or not, and triangles that cannot move
static pl_status add_near(graph *g, struct path *p) {
  const pl_sheet *s = g->s;
  for (int t = 0; t < s->ntri; t++) {
    const int *v = s->tri + 3 * t;
    int n = 0;
    for (int k = 0; k < 3; k++) {
      int a = v[k], b = v[(k + 1) % 3];
      n += s->fixed[a] == 7;
      if (s->fixed[a] != 7 || s->fixed[b] != 7 || (g->pin[a] && g->pin[b])) continue;
      double length = longest(s, t, k);
      if (!(length < INFINITY)) continue;
      PL_TRY(pl_grow(s->env, &p->span, p->nspan, &p->cap, sizeof *p->span));
      p->span[p->nspan++] = (span){a, b, length};
    }
    if (n == 3) p->tri[p->ntri++] = t;
  }
  return PL_OK;
}

static pl_status make_paths(graph *g, struct path *p) {
  pl_sheet *s = g->s;
  size_t nvert = (size_t)s->nvert, ntri = (size_t)s->ntri;
  g->first = pl_alloc(s->env, nvert + 1, sizeof *g->first);
  g->edge = pl_alloc(s->env, 6 * ntri, sizeof *g->edge);
  g->pin = pl_alloc(s->env, nvert, 1);
  g->far = pl_alloc(s->env, nvert, sizeof *g->far);
  g->seen = pl_alloc(s->env, nvert, sizeof *g->seen);
  p->tri = pl_alloc(s->env, ntri, sizeof *p->tri);
  if (!g->first || !g->edge || !g->pin || !g->far || !g->seen || !p->tri) return PL_E_NOMEM;
  choose_pins(g);
  if (g->npin < 2) return PL_OK;
  make_graph(g);
  int mark = 0;
  for (int i = 0; i < s->nvert; i++) {
    if (!g->pin[i]) continue;
    PL_TRY(pl_report_progress(s->env, NULL, -1, NULL));
    PL_TRY(search(g, p, i, ++mark));
  }
  return add_near(g, p);
}

static pl_status make(pl_sheet *s) {
  graph g = {.s = s};
  struct path *p = pl_alloc(s->env, 1, sizeof *p);
  if (!p) return PL_E_NOMEM;
  pl_status status = make_paths(&g, p);
  pl_free(s->env, g.first);
  pl_free(s->env, g.edge);
  pl_free(s->env, g.pin);
  pl_free(s->env, g.far);
  pl_free(s->env, g.seen);
  pl_free(s->env, g.heap);
  if (status == PL_OK)
    s->path = p;
  else
    path_free(s->env, p);
  return status;
}

// ---- compare ------------------------------------------------------------------------------------

// stretch over limit of a triangle, in its worst direction
static double ratio(const pl_sheet *s, int t, const double *x) {
  double F[6], most = 0;
  const pl_limit *l = &s->limit[s->limit_of[t]];
  sheet_gradient(s, t, s->grad + 6 * t, x, F);
  for (int i = 0; i < l->nellipse; i++) {
    // largest eigenvalue of B^-1 C
    const double *B = l->B[i];
    double a = pl_dot3(F, F), b = pl_dot3(F + 3, F + 3), c = pl_dot3(F, F + 3), n[3];
    double det = B[0] * B[1] - B[2] * B[2];
    double half = (B[1] * a + B[0] * b - 2 * B[2] * c) / (2 * det);
    pl_cross3(F, F + 3, n);
    most = fmax(most, half + sqrt(fmax(0, half * half - pl_dot3(n, n) / det)));
  }
  for (int i = 0; i < l->ndirection; i++) {
    double y[3], d[2] = {cos(l->angle[i]) / l->bound[i], sin(l->angle[i]) / l->bound[i]};
    for (int c = 0; c < 3; c++) y[c] = F[c] * d[0] + F[3 + c] * d[1];
    most = fmax(most, pl_dot3(y, y));
  }
  return sqrt(most);
}

static void compare(const span *k, const double *x, double *worst, pl_unreachable *out) {
  double d[3];
  pl_sub3(x + 3 * k->a, x + 3 * k->b, d);
  double apart = pl_dot3(d, d);
  if (!(apart > *worst * *worst * k->length * k->length)) return;
  *out = (pl_unreachable){k->a, k->b, sqrt(apart), k->length};
  *worst = out->apart / k->length;
}

pl_status pl_sheet_unreachable(pl_sheet *s, const double *x, pl_unreachable *out) {
  *out = (pl_unreachable){-1, -1, 0, 0};
  if (!s->path) PL_TRY(make(s));
  const struct path *p = s->path;
  double worst = 1 + SLACK;
  for (int k = 0; k < p->nspan; k++) compare(&p->span[k], x, &worst, out);
  for (int i = 0; i < p->ntri; i++) {
    int t = p->tri[i];
    if (s->limit_of[t] < 0) continue;
    double r = ratio(s, t, x), edge = 0;
    if (!(r > worst)) continue;
    // of a triangle stretched in a direction between its edges the edge that comes nearest
    worst = r;
    for (int k = 0; k < 3; k++) {
      double d[3], length = longest(s, t, k);
      int a = s->tri[3 * t + k], b = s->tri[3 * t + (k + 1) % 3];
      pl_sub3(x + 3 * a, x + 3 * b, d);
      if (!(pl_norm3(d) / length >= edge)) continue;
      edge = pl_norm3(d) / length;
      *out = (pl_unreachable){a, b, pl_norm3(d), pl_norm3(d) / r};
    }
  }
  return PL_OK;
}
