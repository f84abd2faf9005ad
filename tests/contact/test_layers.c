// Near pairs of sheets: against all pairs by other formulas, and closed forms.
#include "pliant/mesh.h"
#include "problems.h"

// ---- all pairs, by regions and clamps (Ericson, Real-Time Collision Detection, 5.1) -------------

// weights of the point of triangle a b c nearest to p
static void on_triangle(const double *p, const double *a, const double *b, const double *c,
                        double w[3]) {
  double ab[3], ac[3], ap[3], bp[3], cp[3];
  pl_sub3(b, a, ab);
  pl_sub3(c, a, ac);
  pl_sub3(p, a, ap);
  pl_sub3(p, b, bp);
  pl_sub3(p, c, cp);
  double d1 = pl_dot3(ab, ap), d2 = pl_dot3(ac, ap), d3 = pl_dot3(ab, bp), d4 = pl_dot3(ac, bp);
  double d5 = pl_dot3(ab, cp), d6 = pl_dot3(ac, cp);
  double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  w[0] = w[1] = w[2] = 0;
  if (d1 <= 0 && d2 <= 0)
    w[0] = 1;
  else if (d3 >= 0 && d4 <= d3)
    w[1] = 1;
  else if (vc <= 0 && d1 >= 0 && d3 <= 0)
    w[0] = 1 - (w[1] = d1 / (d1 - d3));
  else if (d6 >= 0 && d5 <= d6)
    w[2] = 1;
  else if (vb <= 0 && d2 >= 0 && d6 <= 0)
    w[0] = 1 - (w[2] = d2 / (d2 - d6));
  else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    w[1] = 1 - (w[2] = (d4 - d3) / (d4 - d3 + d5 - d6));
  else
    w[0] = 1 - (w[1] = vb / (va + vb + vc)) - (w[2] = vc / (va + vb + vc));
}

static double clamp(double s) {
  return s < 0 ? 0 : s > 1 ? 1 : s;
}

// places s, t of the nearest points of p q and a b
static void on_segments(const double *p, const double *q, const double *a, const double *b,
                        double *s, double *t) {
  double d[3], g[3], r[3];
  pl_sub3(q, p, d);
  pl_sub3(b, a, g);
  pl_sub3(p, a, r);
  double dd = pl_dot3(d, d), gg = pl_dot3(g, g), dg = pl_dot3(d, g), f = pl_dot3(g, r);
  double c = pl_dot3(d, r), det = dd * gg - dg * dg;
  *s = det > 0 ? clamp((dg * f - c * gg) / det) : 0;
  *t = (dg * *s + f) / gg;
  if (*t < 0) *s = dd > 0 ? clamp(-c / dd) : 0;
  if (*t > 1) *s = dd > 0 ? clamp((dg - c) / dd) : 0;
  *t = clamp(*t);
}

// A pair in the form of the library, from signed weights of up to four vertices: those without
// weight dropped.
static pl_layer_pair reduce(const double *x, int n, const int *vert, const double *weight) {
  pl_layer_pair p = {0};
  int plus[4], minus[4], np = 0, nm = 0;
  double wp[4], wm[4], y[3] = {0};
  for (int i = 0; i < n; i++) {
    if (weight[i] > 0) {
      wp[np] = weight[i];
      plus[np++] = vert[i];
    } else if (weight[i] < 0) {
      wm[nm] = weight[i];
      minus[nm++] = vert[i];
    }
    for (int c = 0; c < 3; c++) y[c] += weight[i] * x[3 * vert[i] + c];
  }
  // a vertex comes first, and of two vertices the lower one
  int swap = np > nm || (np == 1 && nm == 1 && minus[0] < plus[0]);
  p.n = np + nm;
  for (int k = 0; k < p.n; k++) {
    int first = swap ? k < nm : k < np, i = first ? k : k - (swap ? nm : np);
    p.vert[k] = first == swap ? minus[i] : plus[i];
    p.weight[k] = (swap ? -1 : 1) * (first == swap ? wm[i] : wp[i]);
  }
  for (int k = p.n; k < 4; k++) p.vert[k] = p.vert[p.n - 1];
  p.distance = pl_norm3(y);
  return p;
}

static pl_layer_pair vertex_triangle(const double *x, int v, const int *f) {
  double w[3];
  on_triangle(x + 3 * v, x + 3 * f[0], x + 3 * f[1], x + 3 * f[2], w);
  return reduce(x, 4, (int[]){v, f[0], f[1], f[2]}, (double[]){1, -w[0], -w[1], -w[2]});
}

static pl_layer_pair edge_edge(const double *x, const int *e, const int *f) {
  double s, t;
  on_segments(x + 3 * e[0], x + 3 * e[1], x + 3 * f[0], x + 3 * f[1], &s, &t);
  return reduce(x, 4, (int[]){e[0], e[1], f[0], f[1]}, (double[]){1 - s, s, t - 1, -t});
}

static int edge_pair(const pl_layer_pair *p) {
  return p->n == 4 && p->weight[1] > 0;
}

// distance at rest of the parts that make a pair
static double rest_distance(const double *X, const pl_layer_pair *p) {
  if (edge_pair(p)) return edge_edge(X, p->vert, p->vert + 2).distance;
  if (p->n == 4) return vertex_triangle(X, p->vert[0], p->vert + 1).distance;
  if (p->n == 3) return edge_edge(X, (int[]){p->vert[0], p->vert[0]}, p->vert + 1).distance;
  double d[3];
  pl_sub3(X + 3 * p->vert[0], X + 3 * p->vert[1], d);
  return pl_norm3(d);
}

typedef struct sheet {
  int nvert, ntri, nedge;
  double *X, *x;
  int *tri, *edge, *part;
} sheet;

typedef struct pairs {
  int n, cap;
  pl_layer_pair *p;
} pairs;

static int same(const pl_layer_pair *p, const pl_layer_pair *q) {
  return p->n == q->n && edge_pair(p) == edge_pair(q) &&
         memcmp(p->vert, q->vert, sizeof p->vert) == 0;
}

static int in_one_triangle(const sheet *s, const pl_layer_pair *p) {
  for (int t = 0; t < s->ntri; t++) {
    int count = 0;
    for (int i = 0; i < p->n; i++)
      for (int k = 0; k < 3; k++) count += s->tri[3 * t + k] == p->vert[i];
    if (count == p->n) return 1;
  }
  return 0;
}

static void collect(const sheet *s, const pl_layer_pair *p, double thickness, double bound,
                    pairs *to) {
  if (!(p->distance < bound) || in_one_triangle(s, p)) return;
  if (s->part[p->vert[0]] == s->part[p->vert[p->n - 1]] && rest_distance(s->X, p) < thickness)
    return;
  for (int i = 0; i < to->n; i++)
    if (same(p, &to->p[i])) return;
  assert_true(to->n < to->cap);
  to->p[to->n++] = *p;
}

static void sort3(const int *v, int *f) {
  memcpy(f, v, 3 * sizeof *f);
  for (int a = 0; a < 3; a++)
    for (int b = a + 1; b < 3; b++)
      if (f[b] < f[a]) {
        int keep = f[a];
        f[a] = f[b];
        f[b] = keep;
      }
}

static void brute_force(const sheet *s, double thickness, double bound, pairs *to) {
  to->n = 0;
  for (int v = 0; v < s->nvert; v++)
    for (int t = 0; t < s->ntri; t++) {
      int f[3];
      sort3(s->tri + 3 * t, f);
      if (f[0] == v || f[1] == v || f[2] == v) continue;
      pl_layer_pair p = vertex_triangle(s->x, v, f);
      collect(s, &p, thickness, bound, to);
    }
  for (int i = 0; i < s->nedge; i++)
    for (int j = i + 1; j < s->nedge; j++) {
      const int *e = s->edge + 2 * i, *f = s->edge + 2 * j;
      if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) continue;
      pl_layer_pair p = edge_edge(s->x, e, f);
      collect(s, &p, thickness, bound, to);
    }
}

// ---- sheets -------------------------------------------------------------------------------------

static void sheet_open(sheet *s, int nvert, int ntri) {
  *s = (sheet){.nvert = nvert, .ntri = ntri};
  s->X = calloc((size_t)nvert, 3 * sizeof(double));
  s->x = calloc((size_t)nvert, 3 * sizeof(double));
  s->part = calloc((size_t)nvert, sizeof(int));
  s->tri = calloc((size_t)ntri, 3 * sizeof(int));
  s->edge = calloc((size_t)ntri, 6 * sizeof(int));
}

static void sheet_close(sheet *s) {
  free(s->X);
  free(s->x);
  free(s->part);
  free(s->tri);
  free(s->edge);
}

static int compare_edges(const void *a, const void *b) {
  const int *p = a, *q = b;
  return p[0] != q[0] ? p[0] - q[0] : p[1] - q[1];
}

static void sheet_edges(sheet *s) {
  for (int i = 0; i < 3 * s->ntri; i++) {
    int a = s->tri[i], b = s->tri[i / 3 * 3 + (i + 1) % 3];
    s->edge[2 * i] = a < b ? a : b;
    s->edge[2 * i + 1] = a < b ? b : a;
  }
  qsort(s->edge, 3 * (size_t)s->ntri, 2 * sizeof(int), compare_edges);
  s->nedge = 0;
  for (int i = 0; i < 3 * s->ntri; i++)
    if (s->nedge == 0 || compare_edges(s->edge + 2 * i, s->edge + 2 * (s->nedge - 1)) != 0)
      memmove(s->edge + 2 * s->nedge++, s->edge + 2 * i, 2 * sizeof(int));
}

// two sheets of nx by ny squares of unit side, one above the other
static void two_grids(pl_env *env, sheet *s, int nx, int ny, double above) {
  pl_mesh *m;
  check_ok(env, pl_gen_grid(env, nx, ny, nx, ny, PL_ALTERNATING, &m));
  int n = m->nvert, nt = m->cell[PL_TRI3].n;
  sheet_open(s, 2 * n, 2 * nt);
  for (int i = 0; i < 6 * n; i++) s->X[i] = m->X[i % (3 * n)] + (i % 3 == 2 && i >= 3 * n) * above;
  for (int i = 0; i < 6 * nt; i++)
    s->tri[i] = m->cell[PL_TRI3].v[i % (3 * nt)] + (i >= 3 * nt ? n : 0);
  for (int i = 0; i < n; i++) s->part[n + i] = 1;
  memcpy(s->x, s->X, 6 * (size_t)n * sizeof(double));
  sheet_edges(s);
  pl_mesh_free(m);
}

static pl_layers *layers_of(pl_env *env, const sheet *s, double thickness) {
  pl_layers_desc d = {.nvert = s->nvert,
                      .ntri = s->ntri,
                      .tri = s->tri,
                      .X = s->X,
                      .thickness = thickness,
                      .mu = 0.3};
  pl_layers *l;
  check_ok(env, pl_layers_create(env, &d, &l));
  check_close(pl_layers_thickness(l), thickness, 0);
  check_close(pl_layers_mu(l), 0.3, 0);
  return l;
}

// what holds for every pair: y is the sum, the normal its direction, weights sum to zero
static void check_pair(const double *x, const pl_layer_pair *p) {
  double y[3] = {0}, sum = 0;
  for (int i = 0; i < 4; i++) {
    sum += p->weight[i];
    if (i >= p->n) check_close(p->weight[i], 0, 0);
    for (int c = 0; c < 3; c++) y[c] += p->weight[i] * x[3 * p->vert[i] + c];
  }
  check_close(sum, 0, 1e-15);
  check_close(pl_norm3(p->normal), 1, 1e-14);
  check_close(pl_norm3(y), p->distance, 1e-14);
  if (p->distance > 1e-6) check_close(pl_dot3(y, p->normal), p->distance, 1e-14);
}

// ---- tests --------------------------------------------------------------------------------------

// Crumpled sheets: vertices thrown about by as much as their distance.
static void against_all_pairs(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_rng r;
  pl_rng_seed(&r, 51);
  pairs want = {.cap = 200000};
  want.p = calloc((size_t)want.cap, sizeof *want.p);
  int kinds[4] = {0};
  for (int trial = 0; trial < 12; trial++) {
    sheet s;
    two_grids(&env, &s, 4 + trial % 3, 3, 0.3);
    double thickness = 0.05 * (1 + trial % 4) + (trial == 11), margin = 0.1 * (trial % 3);
    pl_layers *l = layers_of(&env, &s, thickness);
    for (int place = 0; place < 3; place++) {
      double squeeze = place == 2 ? 0.4 : 1;
      for (int i = 0; i < 3 * s.nvert; i++)
        s.x[i] = squeeze * (s.X[i] + pl_rng_uniform(&r, -0.6, 0.6));
      brute_force(&s, thickness, thickness + margin, &want);
      int n, again;
      const pl_layer_pair *p, *q;
      check_ok(&env, pl_layers_find(l, s.x, margin, &n, &p));
      assert_int_equal(n, want.n);
      double least = INFINITY;
      for (int i = 0; i < n; i++) {
        int at = 0;
        while (at < want.n && !same(&p[i], &want.p[at])) at++;
        assert_true(at < want.n);
        check_close(p[i].distance, want.p[at].distance, 1e-14);
        check_array(4, p[i].weight, want.p[at].weight, 1e-9);
        check_pair(s.x, &p[i]);
        kinds[edge_pair(&p[i]) ? 3 : p[i].n - 2]++;
        least = fmin(least, p[i].distance);
      }
      // the same once more, bit by bit; the least one does not disturb the list
      pl_layer_pair *copy = calloc((size_t)n + 1, sizeof *copy);
      memcpy(copy, p, (size_t)n * sizeof *copy);
      if (n > 0 && least < 2 * thickness)
        check_close(pl_layers_least(l, s.x), least / thickness, 0);
      assert_memory_equal(copy, p, (size_t)n * sizeof *copy);
      check_ok(&env, pl_layers_find(l, s.x, margin, &again, &q));
      assert_int_equal(again, n);
      assert_memory_equal(copy, q, (size_t)n * sizeof *copy);
      free(copy);
    }
    pl_layers_free(l);
    sheet_close(&s);
  }
  // every kind of pair was met
  for (int k = 0; k < 4; k++) assert_true(kinds[k] > 100);
  free(want.p);
}

// Two sheets above each other, the upper one shifted into the triangles of the lower: each of its
// vertices stands over one face, at the distance of the sheets; nothing is nearer.
static void parallel_sheets(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  sheet s;
  const double gap = 0.07;
  two_grids(&env, &s, 6, 5, gap);
  int half = s.nvert / 2;
  for (int i = half; i < s.nvert; i++) {
    s.x[3 * i] += 0.31;
    s.x[3 * i + 1] += 0.17;
  }
  pl_layers *l = layers_of(&env, &s, 0.05);
  int n, faces = 0, over = 0;
  const pl_layer_pair *p;
  check_ok(&env, pl_layers_find(l, s.x, 0.01, &n, &p));
  assert_int_equal(n, 0);
  check_close(pl_layers_least(l, s.x), gap / 0.05, 1e-13);
  check_ok(&env, pl_layers_find(l, s.x, 0.021, &n, &p));
  for (int i = 0; i < n; i++) {
    check_pair(s.x, &p[i]);
    check_less(gap, p[i].distance + 1e-15);
    faces += p[i].n == 4 && !edge_pair(&p[i]);
    if (p[i].n < 4 || edge_pair(&p[i])) continue;
    check_close(p[i].distance, gap, 1e-15);
    check_close(fabs(p[i].normal[2]), 1, 1e-15);
    // from the lower sheet to the upper one
    check_close(p[i].normal[2], p[i].vert[0] >= half ? 1 : -1, 1e-15);
  }
  // upper vertices over the lower sheet, and lower ones under the upper sheet: 6 by 5 each
  for (int i = half; i < s.nvert; i++) over += s.x[3 * i] < 6 && s.x[3 * i + 1] < 5;
  assert_int_equal(over, 30);
  assert_int_equal(faces, 60);
  pl_layers_free(l);
  sheet_close(&s);
}

// two triangles of their own: 0 1 2 and 3 4 5
static void two_triangles(sheet *s, const double x[18]) {
  sheet_open(s, 6, 2);
  for (int i = 0; i < 6; i++) s->tri[i] = i;
  for (int i = 3; i < 6; i++) s->part[i] = 1;
  memcpy(s->X, x, 18 * sizeof *x);
  memcpy(s->x, x, 18 * sizeof *x);
  sheet_edges(s);
}

// the pairs of two triangles with a bound of 0.2
static int find_of(pl_env *env, const double x[18], pl_layer_pair *out) {
  sheet s;
  int n;
  const pl_layer_pair *p;
  two_triangles(&s, x);
  pl_layers *l = layers_of(env, &s, 0.15);
  check_ok(env, pl_layers_find(l, x, 0.05, &n, &p));
  assert_true(n <= 20);
  for (int i = 0; i < n; i++) {
    check_pair(x, &p[i]);
    out[i] = p[i];
  }
  pl_layers_free(l);
  sheet_close(&s);
  return n;
}

// edges 0 1 and 3 4 cross, one above the other or in one point
static void crossing_edges(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_layer_pair p[20];
  for (int k = 0; k < 3; k++) {
    double h = k == 0 ? 0.1 : k == 1 ? 1e-9 : 0;
    const double x[18] = {-1, 0, 0, 2, 0, 0, 0, 0, -1, 0, -1, h, 0, 3, h, 0, 0, 1 + h};
    assert_int_equal(find_of(&env, x, p), 1);
    const int vert[4] = {0, 1, 3, 4};
    const double weight[4] = {2. / 3, 1. / 3, -0.75, -0.25};
    assert_memory_equal(p[0].vert, vert, sizeof vert);
    check_array(4, p[0].weight, weight, 1e-15);
    check_close(p[0].distance, h, 1e-15);
    // from the second edge, which is above, to the first; in one point either way. Weights are
    // rounded to 1e-16, a part of 1e-7 of the smallest distance, and so is the direction
    check_close(h > 0 ? -p[0].normal[2] : fabs(p[0].normal[2]), 1, 1e-13);
  }
}

// nearest points on corners and edges: each pair once, whatever it was found by
static void corners_and_edges(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_layer_pair p[20];
  // corner to corner
  const double corners[18] = {0, 0, 0, -1, 0.2, 0, -1, -0.2, 0, 0.1, 0, 0, 1, 0.2, 1, 1, -0.2, 1};
  assert_int_equal(find_of(&env, corners, p), 1);
  assert_int_equal(p[0].n, 2);
  assert_memory_equal(p[0].vert, ((int[]){0, 3, 3, 3}), sizeof p[0].vert);
  check_array(4, p[0].weight, ((double[]){1, -1, 0, 0}), 0);
  check_array(3, p[0].normal, ((double[]){-1, 0, 0}), 1e-15);
  check_close(p[0].distance, 0.1, 1e-15);
  // corner 3 before the middle of edge 0 1
  const double side[18] = {0, -1, 0, 0, 1, 0, -1, 0, 0, 0.1, 0, 0, 1, 0.2, 1, 1, -0.2, 1};
  assert_int_equal(find_of(&env, side, p), 1);
  assert_int_equal(p[0].n, 3);
  assert_memory_equal(p[0].vert, ((int[]){3, 0, 1, 1}), sizeof p[0].vert);
  check_array(4, p[0].weight, ((double[]){1, -0.5, -0.5, 0}), 1e-15);
  check_array(3, p[0].normal, ((double[]){1, 0, 0}), 1e-15);
  // parallel edges 0 1 and 3 4: both ends of the shorter one
  const double along[18] = {0, -1, 0, 0, 1, 0, -1, 0, 0, 0.1, -0.5, 0, 0.1, 0.6, 0, 1, 0, 1};
  assert_int_equal(find_of(&env, along, p), 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(p[i].n, 3);
    assert_int_equal(p[i].vert[0], 3 + i);
    check_close(p[i].distance, 0.1, 1e-15);
  }
}

// no direction from one point to the other: across what is there
static void no_distance(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_layer_pair p[20];
  // corner 3 in the triangle 0 1 2, on its edge 0 1, on its corner 0
  static const double at[3][2] = {{-0.3, 0.1}, {0, 0.3}, {0, -1}};
  for (int k = 0; k < 3; k++) {
    const double u = at[k][0], v = at[k][1];
    const double x[18] = {0, -1, 0, 0, 1, 0, -1, 0, 0, u, v, 0, u + 0.1, v, 1, u, v + 0.1, 1};
    int n = find_of(&env, x, p), zero = -1;
    for (int i = 0; i < n; i++)
      if (p[i].n == 4 - k && p[i].distance < 1e-15) zero = i;
    assert_true(zero >= 0);
    if (k < 2) assert_int_equal(p[zero].vert[0], 3);
    if (k < 2) check_close(fabs(p[zero].normal[2]), 1, 1e-15);
  }
  // triangles without area, and all in one point
  const double line[18] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0.1, 0, 1, 0.1, 0, 2, 0.1, 0};
  int n = find_of(&env, line, p);
  assert_true(n > 0);
  for (int i = 0; i < n; i++) check_close(p[i].distance, 0.1, 0.1);
  const double point[18] = {0};
  n = find_of(&env, point, p);
  assert_true(n > 0);
  for (int i = 0; i < n; i++) assert_int_equal(p[i].n, 2);
}

// On a mesh finer than the thickness a flat sheet does not touch itself, nor when it is bent gently
// (no parts of it are just beyond the thickness at rest); rolled up it does.
static void fine_mesh(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 60, 3, 6, 0.3, PL_EQUILATERAL, &m));
  pl_layers_desc d = {.nvert = m->nvert,
                      .ntri = m->cell[PL_TRI3].n,
                      .tri = m->cell[PL_TRI3].v,
                      .X = m->X,
                      .thickness = 0.23};
  pl_layers *l;
  check_ok(&env, pl_layers_create(&env, &d, &l));
  int n;
  const pl_layer_pair *p;
  check_ok(&env, pl_layers_find(l, m->X, 0, &n, &p));
  assert_int_equal(n, 0);
  double *x = calloc((size_t)m->nvert, 3 * sizeof *x);
  // a spiral r = a + b angle, unrolled to the length of the sheet; its turns are 0.2 apart
  for (int rotation = 0; rotation < 2; rotation++) {
    double a = rotation ? 0.3 : 3, b = rotation ? 0.2 / (2 * PL_PI) : 0;
    for (int i = 0; i < m->nvert; i++) {
      double length = m->X[3 * i], angle = length / a;
      for (int it = 0; b > 0 && it < 100; it++) angle = length / (a + 0.5 * b * angle);
      double r = a + b * angle;
      x[3 * i] = r * cos(angle);
      x[3 * i + 1] = r * sin(angle);
      x[3 * i + 2] = m->X[3 * i + 1];
    }
    check_ok(&env, pl_layers_find(l, x, 0, &n, &p));
    if (rotation == 0) assert_int_equal(n, 0);
    if (rotation == 1) {
      assert_true(n > 200);
      // chords of 0.1 on circles of 0.3 and more are off by 0.1^2/(8 0.3) = 0.004
      check_close(0.23 * pl_layers_least(l, x), 0.2, 0.01);
    }
  }
  free(x);
  pl_layers_free(l);
  pl_mesh_free(m);
}

// Two segments of different rods across each other, 3 mm apart, and a triangle below: pairs with
// the sums of radii and half the thickness.
static void rods_and_triangle(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double X[] = {-0.1, 0,     0,     0.1,   0,    0,     0.02,  -0.1, 3e-3, 0.02, 0.1,
                      3e-3, -0.05, -0.05, -4e-3, 0.05, -0.05, -4e-3, 0,    0.05, -4e-3};
  const int rod[] = {0, 1, 3, 2}, tri[] = {4, 5, 6};
  const double radius[] = {1e-3, 2.5e-3};
  pl_layers_desc d = {.nvert = 7,
                      .ntri = 1,
                      .nrod = 2,
                      .tri = tri,
                      .rod = rod,
                      .radius = radius,
                      .X = X,
                      .thickness = 8e-3};
  pl_layers *l;
  const pl_layer_pair *p;
  int n, found = 0;
  check_ok(&env, pl_layers_create(&env, &d, &l));
  check_close(pl_layers_thickness(l), 2e-3, 1e-18);
  // the lower rod over two edges of the triangle; the upper one is 7 mm above and keeps 6.5 mm
  check_ok(&env, pl_layers_find(l, X, 4e-4, &n, &p));
  for (int i = 0; i < n; i++) {
    check_pair(X, &p[i]);
    assert_int_equal(p[i].rod, 1);
    if (p[i].vert[2] == 2) {
      check_close(p[i].keep, 3.5e-3, 1e-15);
      check_close(p[i].distance, 3e-3, 1e-15);
      check_array(4, p[i].weight, ((double[]){0.4, 0.6, -0.5, -0.5}), 1e-12);
    } else {
      check_close(p[i].keep, 5e-3, 1e-15);
      check_close(p[i].distance, 4e-3, 1e-15);
    }
    found |= p[i].vert[2] == 2 ? 1 : 2;
  }
  assert_int_equal(found, 3);
  assert_int_equal(n, 3);
  check_close(pl_layers_least(l, X), 4 / 5., 1e-12);
  pl_layers_free(l);
}

// A rod in edges as long as its radius, bent to a circle of 1.2 times its radius, does not touch
// itself along the first half turn; in a helix with turns 1.8 radii apart it does, and with 2.2 it
// does not.
static void rod_along_itself(void **state) {
  (void)state;
  enum { N = 100 };
  pl_env env;
  pl_env_init(&env);
  double X[3 * (N + 1)] = {0}, x[3 * (N + 1)], radius[N];
  int rod[2 * N], n;
  const pl_layer_pair *p;
  for (int i = 0; i <= N; i++) X[3 * i] = 1.001 * i;
  for (int i = 0; i < N; i++) {
    rod[2 * i] = i;
    rod[2 * i + 1] = i + 1;
    radius[i] = 1;
  }
  pl_layers_desc d = {.nvert = N + 1, .nrod = N, .rod = rod, .radius = radius, .X = X};
  pl_layers *l;
  check_ok(&env, pl_layers_create(&env, &d, &l));
  check_ok(&env, pl_layers_find(l, X, 0, &n, &p));
  assert_int_equal(n, 0);
  const double about[] = {1.2, 6, 6}, rise[] = {20, 1.8, 2.2}; // radius, rise of a turn
  for (int k = 0; k < 3; k++) {
    double angle = 1.001 / about[k];
    for (int i = 0; i <= N; i++) {
      x[3 * i] = about[k] * cos(angle * i);
      x[3 * i + 1] = about[k] * sin(angle * i);
      x[3 * i + 2] = rise[k] * angle * i / (2 * PL_PI);
    }
    check_ok(&env, pl_layers_find(l, x, 0, &n, &p));
    assert_true(k == 1 ? n > N / 2 : n == 0);
    if (k == 1) check_close(pl_layers_least(l, x), 0.9, 0.01);
  }
  pl_layers_free(l);
}

static pl_status find_once(pl_env *env, void *ctx) {
  const sheet *s = ctx;
  pl_layers_desc d = {
      .nvert = s->nvert, .ntri = s->ntri, .tri = s->tri, .X = s->X, .thickness = 0.3};
  pl_layers *l;
  int n;
  const pl_layer_pair *p;
  pl_status status = pl_layers_create(env, &d, &l);
  if (status == PL_OK) status = pl_layers_find(l, s->x, 0.1, &n, &p);
  pl_layers_free(l);
  return status;
}

static void bad_input(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  sheet s;
  two_grids(&env, &s, 3, 3, 0.2);
  check_allocations(find_once, &s);
  pl_layers_desc good = {
      .nvert = s.nvert, .ntri = s.ntri, .tri = s.tri, .X = s.X, .thickness = 0.1};
  pl_layers_desc d = good;
  pl_layers *l;
  d.thickness = 0;
  check_status(&env, pl_layers_create(&env, &d, &l), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "thickness must be > 0"));
  assert_null(l);
  d = good;
  d.mu = -1;
  check_status(&env, pl_layers_create(&env, &d, &l), PL_E_INPUT);
  d = good;
  d.nvert--;
  check_status(&env, pl_layers_create(&env, &d, &l), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "names vertex"));
  d = good;
  d.nrod = 1;
  d.rod = (int[]){0, s.nvert};
  d.radius = (double[]){1};
  check_status(&env, pl_layers_create(&env, &d, &l), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "segment 0 names vertex"));
  d.rod = (int[]){0, 1};
  d.radius = (double[]){0};
  check_status(&env, pl_layers_create(&env, &d, &l), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "radius of segment 0"));
  // nothing at all is no error
  d = (pl_layers_desc){.thickness = 1};
  check_ok(&env, pl_layers_create(&env, &d, &l));
  int n;
  const pl_layer_pair *p;
  check_ok(&env, pl_layers_find(l, NULL, 0, &n, &p));
  assert_int_equal(n, 0);
  pl_layers_free(l);
  check_ok(&env, pl_layers_create(&env, &good, &l));
  check_status(&env, pl_layers_find(l, s.x, -1, &n, &p), PL_E_ARG);
  s.x[4] = NAN;
  check_status(&env, pl_layers_find(l, s.x, 0, &n, &p), PL_E_INPUT);
  assert_true(isinf(pl_layers_least(l, s.x)));
  pl_layers_free(l);
  sheet_close(&s);
}

int test_layers(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_all_pairs), cmocka_unit_test(parallel_sheets),
      cmocka_unit_test(crossing_edges),    cmocka_unit_test(corners_and_edges),
      cmocka_unit_test(no_distance),       cmocka_unit_test(fine_mesh),
      cmocka_unit_test(rods_and_triangle), cmocka_unit_test(rod_along_itself),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests_name("contact.layers", tests, NULL, NULL);
}
