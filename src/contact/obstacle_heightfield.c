// Ground z <= h(x, y): heights on a grid, bilinear between them or smooth (bicubic, Catmull and
// Rom), going on beyond the grid as they end. The nearest place is found cell by cell.
#include "contact_impl.h"

#include <limits.h>
#include <string.h>

// Where the nearest place of two faces is on the edge between them, directions from points this
// close, over the grid's spacing, are rounding.
static const double CLOSE = 1e-9;
enum { FAR = 100 };              // lengths of a row that it goes on for faces and edges
enum { STEPS = 40, STARTS = 5 }; // Newton's method in a cell

struct pl_obstacle_heights {
  pl_env *env;
  int nx, ny, smooth;
  int ring;           // cells around the grid; the outermost go on without end
  double spacing;     // m
  double lo, hi;      // of all cells
  double *h;          // [ny][nx] m
  double (*range)[2]; // [cells along y][cells along x] lowest and highest
};

// ---- heights ----------------------------------------------------------------------------------

// height and its derivatives in units of the spacing
typedef struct place {
  double x, y, h;
  double hx, hy, hxx, hxy, hyy;
} place;

static double height_at(const pl_obstacle_heights *m, int i, int j) {
  i = i < 0 ? 0 : i >= m->nx ? m->nx - 1 : i;
  j = j < 0 ? 0 : j >= m->ny ? m->ny - 1 : j;
  return m->h[(size_t)j * (size_t)m->nx + (size_t)i] / m->spacing;
}

// weights of the neighbours -1, 0, 1 and 2 at 0 <= t <= 1, with two derivatives
static void weights(int smooth, double t, double w[3][4]) {
  memset(w, 0, 12 * sizeof(double));
  if (!smooth) {
    w[0][1] = 1 - t;
    w[0][2] = t;
    w[1][1] = -1;
    w[1][2] = 1;
    return;
  }
  static const double c[4][4] = {// of 1, t, t^2, t^3
                                 {0, -0.5, 1, -0.5},
                                 {1, 0, -2.5, 1.5},
                                 {0, 0.5, 2, -1.5},
                                 {0, 0, -0.5, 0.5}};
  for (int k = 0; k < 4; k++) {
    w[0][k] = c[k][0] + t * (c[k][1] + t * (c[k][2] + t * c[k][3]));
    w[1][k] = c[k][1] + t * (2 * c[k][2] + 3 * t * c[k][3]);
    w[2][k] = 2 * c[k][2] + 6 * t * c[k][3];
  }
}

// at x, y in cell i, j, by its own function on its edges, too
static place look(const pl_obstacle_heights *m, int i, int j, double x, double y) {
  double u[3][4], v[3][4], sum[6] = {0};
  weights(m->smooth, fmin(1, fmax(0, x - i)), u);
  weights(m->smooth, fmin(1, fmax(0, y - j)), v);
  for (int b = m->smooth ? 0 : 1; b < (m->smooth ? 4 : 3); b++)
    for (int a = m->smooth ? 0 : 1; a < (m->smooth ? 4 : 3); a++) {
      double h = height_at(m, i + a - 1, j + b - 1);
      sum[0] += h * u[0][a] * v[0][b];
      sum[1] += h * u[1][a] * v[0][b];
      sum[2] += h * u[0][a] * v[1][b];
      sum[3] += h * u[2][a] * v[0][b];
      sum[4] += h * u[1][a] * v[1][b];
      sum[5] += h * u[0][a] * v[2][b];
    }
  return (place){x, y, sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]};
}

// cells are numbered from -ring to n - 2 + ring
static int cell_of(double at, int n, int ring) {
  return (int)fmin(n - 2 + ring, fmax(-ring, floor(at)));
}

static int ncell(int n, int ring) {
  return n - 1 + 2 * ring;
}

static const double *range_of(const pl_obstacle_heights *m, int i, int j) {
  size_t row = (size_t)(j + m->ring) * (size_t)ncell(m->nx, m->ring);
  return m->range[row + (size_t)(i + m->ring)];
}

// the hull of a cubic: its Bezier points
static void hull(const double p[4], double out[4]) {
  out[0] = p[1];
  out[1] = p[1] + (p[2] - p[0]) / 6;
  out[2] = p[2] - (p[3] - p[1]) / 6;
  out[3] = p[2];
}

static void find_range(const pl_obstacle_heights *m, int i, int j, double out[2]) {
  double p[4][4], q[4][4], column[4], bezier[4];
  for (int b = 0; b < 4; b++) {
    for (int a = 0; a < 4; a++) p[b][a] = height_at(m, i + a - 1, j + b - 1);
    hull(p[b], q[b]);
  }
  out[0] = INFINITY;
  out[1] = -INFINITY;
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 4; b++) column[b] = q[b][a];
    hull(column, bezier);
    for (int b = 0; b < 4; b++) {
      double h = m->smooth ? bezier[b] : p[1 + b / 2 % 2][1 + b % 2];
      out[0] = fmin(out[0], h);
      out[1] = fmax(out[1], h);
    }
  }
}

// ---- the nearest place ------------------------------------------------------------------------

// where it may be
typedef struct rectangle {
  double lo[2], hi[2];
} rectangle;

// how far a point at x is from lo..hi
static double beside(double x, double lo, double hi) {
  return x < lo ? lo - x : x > hi ? x - hi : 0;
}

static double apart(const place *p, const double *x) {
  double d[3] = {x[0] - p->x, x[1] - p->y, x[2] - p->h};
  return 0.5 * pl_dot3(d, d);
}

// A step of Newton's method on half the squared distance, within the rectangle; directions that its
// sides stop are left out. 0: there is nowhere to go.
static int newton_step(const place *p, const double *x, const rectangle *r, double *step) {
  double up = p->h - x[2], g[2] = {p->x - x[0] + up * p->hx, p->y - x[1] + up * p->hy};
  double at[2] = {p->x, p->y}, slope[2] = {p->hx, p->hy};
  double H[3] = {1 + p->hx * p->hx + up * p->hxx, p->hx * p->hy + up * p->hxy,
                 1 + p->hy * p->hy + up * p->hyy};
  int on[2];
  for (int k = 0; k < 2; k++)
    on[k] = !((at[k] <= r->lo[k] && g[k] >= 0) || (at[k] >= r->hi[k] && g[k] <= 0));
  // beyond the centre of curvature: without it
  if (!(H[0] > 0.1 && H[2] > 0.1 && H[0] * H[2] - H[1] * H[1] > 0.01 * H[0] * H[2])) {
    H[0] = 1 + slope[0] * slope[0];
    H[1] = slope[0] * slope[1];
    H[2] = 1 + slope[1] * slope[1];
  }
  if (!on[0] || !on[1]) H[1] = 0;
  double det = H[0] * H[2] - H[1] * H[1];
  step[0] = on[0] ? -(H[2] * (on[0] * g[0]) - H[1] * (on[1] * g[1])) / det : 0;
  step[1] = on[1] ? -(H[0] * (on[1] * g[1]) - H[1] * (on[0] * g[0])) / det : 0;
  return on[0] || on[1];
}

// from x, y down to a place of the cell that is nearest among its neighbours
static place descend(const pl_obstacle_heights *m, int i, int j, const rectangle *r,
                     const double *x, double from_x, double from_y) {
  place p = look(m, i, j, from_x, from_y);
  for (int k = 0; k < STEPS; k++) {
    double step[2], before = apart(&p, x), s = 1;
    if (!newton_step(&p, x, r, step)) break;
    place next = p;
    for (; s > 1e-9; s *= 0.5) {
      next = look(m, i, j, fmin(r->hi[0], fmax(r->lo[0], p.x + s * step[0])),
                  fmin(r->hi[1], fmax(r->lo[1], p.y + s * step[1])));
      // the last steps change it by rounding alone
      if (apart(&next, x) <= before * (1 + 4 * DBL_EPSILON)) break;
    }
    double way = fabs(next.x - p.x) + fabs(next.y - p.y);
    if (s <= 1e-9) break;
    p = next;
    if (way <= 4 * DBL_EPSILON * (fabs(p.x) + fabs(p.y) + 1)) break;
  }
  return p;
}

typedef struct nearest {
  double half; // half of its squared distance
  place at;
  int edge; // on the boundary of its cell
} nearest;

static rectangle cell_rectangle(const pl_obstacle_heights *m, int i, int j) {
  rectangle r = {{i, j}, {i + 1, j + 1}};
  if (i == -m->ring) r.lo[0] = -INFINITY;
  if (j == -m->ring) r.lo[1] = -INFINITY;
  if (i == m->nx - 2 + m->ring) r.hi[0] = INFINITY;
  if (j == m->ny - 2 + m->ring) r.hi[1] = INFINITY;
  return r;
}

// from the place beside x, from the corners, and only where the cell may be nearer
static void search_cell(const pl_obstacle_heights *m, int i, int j, const double *x,
                        nearest *best) {
  rectangle r = cell_rectangle(m, i, j);
  const double *range = range_of(m, i, j);
  double far[3] = {beside(x[0], r.lo[0], r.hi[0]), beside(x[1], r.lo[1], r.hi[1]),
                   beside(x[2], range[0], range[1])};
  if (0.5 * pl_dot3(far, far) >= best->half) return;
  double side[2] = {fmin(r.hi[0], fmax(r.lo[0], x[0])), fmin(r.hi[1], fmax(r.lo[1], x[1]))};
  for (int k = 0; k < STARTS; k++) {
    double from[2] = {k & 1 ? i : i + 1, k & 2 ? j : j + 1};
    const double *at = k == 0 ? side : from;
    place p = descend(m, i, j, &r, x, at[0], at[1]);
    double half = apart(&p, x);
    if (!(half < best->half)) continue;
    *best = (nearest){half, p, 0};
    best->edge = p.x <= r.lo[0] || p.x >= r.hi[0] || p.y <= r.lo[1] || p.y >= r.hi[1];
    // flat: there is but one
    if (range[0] == range[1]) break;
  }
}

// rings of cells around the one below x, as far as they may be nearer
static nearest search(const pl_obstacle_heights *m, const double *x) {
  int i0 = cell_of(x[0], m->nx, m->ring), j0 = cell_of(x[1], m->ny, m->ring);
  int lo[2] = {-m->ring, -m->ring}, hi[2] = {m->nx - 2 + m->ring, m->ny - 2 + m->ring};
  int most = 0, to[4] = {i0 - lo[0], hi[0] - i0, j0 - lo[1], hi[1] - j0};
  for (int k = 0; k < 4; k++) most = to[k] > most ? to[k] : most;
  place below = look(m, i0, j0, x[0], x[1]);
  nearest best = {apart(&below, x), below, 0};
  double above = beside(x[2], m->lo, m->hi);
  best.half = nextafter(best.half, INFINITY);
  for (int ring = 0; ring <= most; ring++) {
    double way = ring > 1 ? ring - 1 : 0;
    if (ring > 0 && 0.5 * (way * way + above * above) >= best.half) break;
    for (int j = j0 - ring; j <= j0 + ring; j++) {
      if (j < lo[1] || j > hi[1]) continue;
      int inner = j > j0 - ring && j < j0 + ring;
      for (int i = i0 - ring; i <= i0 + ring; i += inner && ring > 0 ? 2 * ring : 1)
        if (i >= lo[0] && i <= hi[0]) search_cell(m, i, j, x, &best);
    }
  }
  return best;
}

static double distance(const pl_obstacle *o, int dim, const double *x, double *n) {
  const pl_obstacle_heights *m = o->data;
  double s = m->spacing, at[3] = {x[0] / s, dim == 3 ? x[1] / s : 0, x[dim - 1] / s};
  nearest best = search(m, at);
  const place *p = &best.at;
  double d[3] = {at[0] - p->x, at[1] - p->y, at[2] - p->h}, size = pl_norm3(d);
  double up[3] = {-p->hx, -p->hy, 1}, length = pl_norm3(up);
  for (int c = 0; c < 3; c++) up[c] /= length;
  // on the edge of two faces the way there is the direction
  if (best.edge && !m->smooth && size > CLOSE) {
    int i = cell_of(at[0], m->nx, m->ring), j = cell_of(at[1], m->ny, m->ring);
    double side = at[2] >= look(m, i, j, at[0], at[1]).h ? 1 : -1;
    for (int c = 0; c < 3; c++) up[c] = side * d[c] / size;
  }
  n[0] = up[0];
  if (dim == 3) n[1] = up[1];
  n[dim - 1] = up[2];
  return s * pl_dot3(d, up);
}

// ---- making -----------------------------------------------------------------------------------

static pl_status check_heights(pl_env *env, int nx, int ny, double spacing, const double *h) {
  if (nx < 2 || ny < 1 || nx > 100000 || ny > 100000)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "give each row at least two",
                      "%d rows of %d heights are no ground", ny, nx);
  if (!(spacing > 0) || !isfinite(spacing))
    return pl_fail(env, PL_E_INPUT, "the spacing of heights must be > 0, got %g m", spacing);
  for (int k = 0; k < nx * ny; k++)
    if (!isfinite(h[k]))
      return pl_fail(env, PL_E_INPUT, "height %d of row %d is not finite", k % nx + 1, k / nx + 1);
  return PL_OK;
}

pl_status pl_obstacle_heights_create(pl_env *env, int nx, int ny, double spacing, const double *h,
                                     int smooth, pl_obstacle_heights **out) {
  *out = NULL;
  if ((long)nx * ny > INT_MAX / 16)
    return pl_fail(env, PL_E_INPUT, "%d times %d heights are too many", nx, ny);
  PL_TRY(check_heights(env, nx, ny, spacing, h));
  pl_obstacle_heights *m = pl_alloc(env, 1, sizeof *m);
  if (!m) return PL_E_NOMEM;
  *m = (pl_obstacle_heights){.env = env,
                             .nx = nx,
                             .ny = ny,
                             .smooth = smooth,
                             .ring = smooth ? 2 : 1,
                             .spacing = spacing,
                             .lo = INFINITY,
                             .hi = -INFINITY};
  size_t count = (size_t)ncell(nx, m->ring) * (size_t)ncell(ny, m->ring);
  m->h = pl_alloc(env, (size_t)nx * (size_t)ny, sizeof *m->h);
  m->range = pl_alloc(env, count, sizeof *m->range);
  if (!m->h || !m->range) {
    pl_obstacle_heights_free(m);
    return PL_E_NOMEM;
  }
  memcpy(m->h, h, (size_t)nx * (size_t)ny * sizeof *h);
  for (size_t k = 0; k < count; k++) {
    int across = ncell(nx, m->ring);
    find_range(m, (int)k % across - m->ring, (int)k / across - m->ring, m->range[k]);
    m->lo = fmin(m->lo, m->range[k][0]);
    m->hi = fmax(m->hi, m->range[k][1]);
  }
  *out = m;
  return PL_OK;
}

void pl_obstacle_heights_free(pl_obstacle_heights *m) {
  if (!m) return;
  pl_free(m->env, m->h);
  pl_free(m->env, m->range);
  pl_free(m->env, m);
}

// ---- lines ------------------------------------------------------------------------------------

enum { LINES = 2400, MOST = 40 }; // pieces of lines; lines across each axis

static void point_at(const pl_obstacle_heights *m, int dim, double x, double y, double *out) {
  int i = cell_of(x, m->nx, m->ring), j = cell_of(y, m->ny, m->ring);
  double h = m->spacing * look(m, i, j, x, y).h;
  out[0] = m->spacing * x;
  out[1] = dim == 3 ? m->spacing * y : h;
  out[2] = dim == 3 ? h : 0;
}

// along x (or y) at the other place
static void draw_line(const pl_obstacle_heights *m, const pl_pen *p, int along_x, double other,
                      int pieces) {
  double at[2][3], length = (along_x ? m->nx : m->ny) - 1;
  for (int k = 0; k <= pieces; k++) {
    double s = length * k / pieces;
    point_at(m, p->dim, along_x ? s : other, along_x ? other : s, at[k & 1]);
    if (k > 0) pl_pen_line(p, at[(k + 1) & 1], at[k & 1]);
  }
}

// so many lines each way as there are cells, or fewer; corners of pieces are at corners of cells
static void draw(const pl_obstacle *o, pl_pen *p) {
  const pl_obstacle_heights *m = o->data;
  const int n[2] = {m->nx - 1, m->ny - 1};
  for (int k = 0; k < (p->dim == 3 && m->ny > 1 ? 2 : 1); k++) {
    int across = n[1 - k] < MOST ? n[1 - k] : MOST, each = LINES / 2 / (across + 1);
    int pieces = n[k] * (m->smooth ? 4 : 1);
    if (pieces > each) pieces = n[k] < each ? n[k] : each;
    for (int i = 0; i <= across; i++)
      draw_line(m, p, k == 0, across ? (double)n[1 - k] * i / across : 0, pieces);
  }
}

// ---- the kind ---------------------------------------------------------------------------------

enum { SPACING, SMOOTH, HEIGHT }; // values

static const pl_key keys[] = {
    {.name = "heights",
     .type = PL_KEY_GRID,
     .need = 1,
     .text = "rows along x, one after the other along y: lengths, or a file of them (csv), or an "
             "image (pgm)"},
    {.name = "spacing",
     .need = 1,
     .hi = 1e9,
     .lo_open = 1,
     .unit = "m",
     .text = "distance of neighbours along x and y"},
    {.name = "smooth",
     .type = PL_KEY_CHOICE,
     .choices = "no|yes",
     .text = "bilinear between heights, or bicubic without edges"},
    {.name = "height", .hi = 1e9, .unit = "m", .text = "of an image: height of white over black"},
    {.name = "corner",
     .type = PL_KEY_CENTRE,
     .unit = "m",
     .text = "where height 0 of the first place is, the origin when left out"},
    {.name = "rotate", .type = PL_KEY_ROTATION, .text = "turn about its corner"},
};

static pl_status make(pl_env *env, const pl_shape_source *in, pl_obstacle *o) {
  double factor = in->value[HEIGHT];
  int n = in->nrow * in->ncol;
  if (in->parts && !(factor > 0))
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "e.g. height: 20 mm",
                      "an image has no lengths: give the height of white");
  if (!in->parts && factor > 0)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0, "leave it out",
                      "height is for images, these heights are lengths");
  double *h = pl_alloc(env, (size_t)n, sizeof *h);
  if (!h) return PL_E_NOMEM;
  for (int k = 0; k < n; k++) h[k] = in->grid[k] * (in->parts ? factor : 1);
  pl_obstacle_heights *heights;
  pl_status s = pl_obstacle_heights_create(env, in->ncol, in->nrow, in->value[SPACING], h,
                                           in->value[SMOOTH] != 0, &heights);
  pl_free(env, h);
  o->data = heights;
  return s;
}

static int check(const pl_obstacle *o, int dim, pl_shape_fault *fault) {
  const pl_obstacle_heights *m = o->data;
  *fault = (pl_shape_fault){"heights", "it has no heights", NULL};
  if (!m) return 1;
  *fault = (pl_shape_fault){"heights", "in two dimensions there is one row of heights", NULL};
  return dim == 2 && m->ny > 1;
}

static void digest(const void *data, void (*add)(void *ctx, int n, const double *x), void *ctx) {
  const pl_obstacle_heights *m = data;
  const double all[4] = {m->nx, m->ny, m->smooth, m->spacing};
  add(ctx, 4, all);
  add(ctx, m->nx * m->ny, m->h);
}

static void free_data(void *data) {
  pl_obstacle_heights_free(data);
}

// hills about the middle
static pl_status sample(pl_env *env, unsigned seed, int dim, pl_obstacle *o) {
  enum { N = 6 };
  double h[N * N];
  pl_rng r;
  pl_rng_seed(&r, seed);
  for (int k = 0; k < N * N; k++) h[k] = pl_rng_uniform(&r, -0.2, 0.2);
  pl_obstacle_heights *heights;
  pl_status s =
      pl_obstacle_heights_create(env, N, dim == 3 ? N : 1, 0.4, h, seed % 2 == 0, &heights);
  o->data = heights;
  return s;
}

// Heights and the lines between them. One row goes on along y, or z in two dimensions.
static void skeleton(const pl_obstacle *o, int dim, pl_skeleton *s) {
  const pl_obstacle_heights *m = o->data;
  int rows = m->ny > 1 ? m->ny : 2;
  double far = m->spacing * FAR * m->nx;
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < m->nx; i++) {
      double h = m->h[(size_t)(m->ny > 1 ? j : 0) * (size_t)m->nx + (size_t)i];
      double y = m->ny > 1 ? j * m->spacing : j > 0 ? far : -far;
      double in_space[3] = {i * m->spacing, y, h}, plane[3] = {i * m->spacing, h, -y};
      pl_skeleton_place(s, dim < 3 ? plane : in_space);
    }
  for (int j = 0; j + 1 < rows; j++)
    for (int i = 0; i + 1 < m->nx; i++) {
      int a = j * m->nx + i, face[4] = {a, a + 1, a + m->nx + 1, a + m->nx};
      pl_skeleton_face(s, 4, face);
    }
}

const pl_obstacle_kind pl_obstacle_heightfield = {
    .name = "heightfield",
    .brief = "ground by its heights",
    .text = "All that lies below heights over a grid in its own xy plane (in two dimensions: one "
            "row of heights, over x). Beyond the grid it goes on as it ends.",
    .dim = 2,
    .nkey = COUNT(keys),
    .key = keys,
    .make = make,
    .check = check,
    .distance = distance,
    .skeleton = skeleton,
    .draw = draw,
    .digest = digest,
    .free = free_data,
    .sample = sample,
};
