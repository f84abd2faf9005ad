// Forces between two ends: elastic stops, dry friction, tables.
#include "scene_impl.h"

#include "pliant/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 1000 }; // of a table

// the two ends: unknowns (-1: ground), or nodes
typedef struct ends {
  int ok, scalar;
  int at[2];
} ends;

static ends read_ends(reader *r, const pl_node *nodes, const char *what) {
  ends e = {0};
  if (!nodes) return e;
  if (nodes->kind != NODE_LIST || nodes->n != 2) {
    problem(r, nodes, "e.g. [ground, m]", "nodes of a %s must be a list of its two ends", what);
    return e;
  }
  const pl_node *end[2] = {nodes->first, nodes->last};
  e.scalar = r->b->dim == 1 || is_scalar_end(end[0]) || is_scalar_end(end[1]);
  e.ok = 1;
  for (int i = 0; i < 2; i++)
    e.ok &=
        e.scalar ? select_dof(r, end[i], "end", &e.at[i]) : select_one(r, end[i], "end", &e.at[i]);
  if (!e.ok) return e;
  if (e.at[0] == e.at[1]) {
    problem(r, nodes, NULL, "both ends of the %s are the same", what);
    e.ok = 0;
  } else if (!e.scalar && memcmp(r->b->X + 3 * (size_t)e.at[0], r->b->X + 3 * (size_t)e.at[1],
                                 3 * sizeof(double)) == 0) {
    problem(r, nodes, "name one direction, e.g. [a.x, b.x]",
            "the two ends of the %s are at one place: their line has no direction", what);
    e.ok = 0;
  }
  return e;
}

// Elements of two kinds, for unknowns and for nodes.
typedef struct sorter {
  reader *r;
  int group[2], done[2], *stencil[2];
} sorter;

// count[scalar] elements of a kind each
static int sorter_open(reader *r, const char *name, const int *count, const int *kind, sorter *s) {
  *s = (sorter){.r = r, .group = {-1, -1}};
  for (int i = 0; i < 2; i++)
    if (count[i] > 0) s->group[i] = group_add(r, name, kind[i], count[i], &s->stencil[i]);
  return !r->failed;
}

// the next element; returns its number
static int sorter_add(sorter *s, const ends *e) {
  int k = s->done[e->scalar]++, *to = s->stencil[e->scalar] + 2 * k;
  to[0] = e->at[0];
  to[1] = e->at[1];
  if (k == 0 || memcmp(to, to - 2, 2 * sizeof *to) != 0)
    if (!e->scalar || (s->r->b->dim == 1 && to[0] >= 0 && to[1] >= 0))
      pl_build_line(s->r->b, to[0], to[1]);
  return k;
}

static void put_value(sorter *s, const ends *e, int k, const char *name, double value) {
  num v = {.v = value, .par = -1};
  put_par(s->r, s->group[e->scalar], k, name, &v);
}

void build_stops(reader *r) {
  const items *list = &r->def.stops;
  const stop_def *d = list->item;
  ends *e = scene_alloc(r, (size_t)list->n + 1, sizeof *e);
  int count[2] = {0};
  sorter s;
  if (!e || list->n == 0) return;
  for (int k = 0; k < list->n; k++) {
    e[k] = read_ends(r, d[k].nodes, "stop");
    count[e[k].scalar] += e[k].ok;
  }
  if (!sorter_open(r, "stops", count, (int[]){PL_ELEM_stop, PL_ELEM_stop1}, &s)) return;
  for (int k = 0; k < list->n; k++) {
    if (!e[k].ok) continue;
    int i = sorter_add(&s, &e[k]), g = s.group[e[k].scalar];
    put_par(r, g, i, "stiffness", &d[k].stiffness);
    put_par(r, g, i, "gap", &d[k].gap);
    put_value(&s, &e[k], i, "side", d[k].side.v ? -1 : 1);
  }
}

// ---- friction -----------------------------------------------------------------------------------

enum { JENKINS, TANH }; // as in the schema

static int check_friction(reader *r, const friction_def *d, const pl_node *at) {
  const num *need = d->law.v == TANH ? &d->velocity : &d->stiffness;
  const num *other = d->law.v == TANH ? &d->stiffness : &d->velocity;
  const char *law = d->law.v == TANH ? "tanh" : "jenkins";
  if (other->at)
    problem(r, other->at, NULL, "%s is not for the law '%s'",
            d->law.v == TANH ? "stiffness" : "velocity", law);
  if (need->at) return !other->at;
  problem(r, at, d->law.v == TANH ? "e.g. velocity: 1 mm/s" : "e.g. stiffness: 1e5 N/m",
          "friction of the law '%s' needs '%s'", law, d->law.v == TANH ? "velocity" : "stiffness");
  return 0;
}

// the force at which it slips, given or mu times normal
static int read_limit(reader *r, const friction_def *d, const pl_node *at, num *limit) {
  *limit = d->limit;
  if (!d->mu.at && !d->normal.at) {
    if (!d->limit.at)
      problem(r, at, "e.g. limit: 10 N, or mu: 0.3, normal: 30 N",
              "friction needs 'limit', or 'mu' and 'normal'");
    return d->limit.at != NULL;
  }
  if (d->limit.at || !d->mu.at || !d->normal.at) {
    problem(r, d->limit.at ? d->limit.at : at, "e.g. mu: 0.3, normal: 30 N",
            "the limit of friction is either 'limit' or the product of 'mu' and 'normal'");
    return 0;
  }
  if (d->mu.par >= 0 && d->normal.par >= 0) {
    problem(r, d->normal.at, "give one of them as a number",
            "mu and normal cannot both be parameters: only their product is felt");
    return 0;
  }
  const num *one = d->mu.par >= 0 ? &d->mu : &d->normal,
            *other = one == &d->mu ? &d->normal : &d->mu;
  *limit = *one;
  limit->v *= other->v;
  limit->coef *= other->v;
  return 1;
}

void build_friction(reader *r) {
  const items *list = &r->def.friction;
  const friction_def *d = list->item;
  ends *e = scene_alloc(r, (size_t)list->n + 1, sizeof *e);
  num *limit = scene_alloc(r, (size_t)list->n + 1, sizeof *limit);
  int count[2][2] = {{0}};
  sorter s[2];
  if (!e || !limit || list->n == 0) return;
  const pl_node *at = items_first(list);
  for (int k = 0; k < list->n; k++, at = at->next) {
    e[k] = read_ends(r, d[k].nodes, "friction");
    e[k].ok &= check_friction(r, &d[k], at) & read_limit(r, &d[k], at, &limit[k]);
    count[d[k].law.v][e[k].scalar] += e[k].ok;
  }
  if (!sorter_open(r, "friction", count[JENKINS], (int[]){PL_ELEM_jenkins, PL_ELEM_jenkins1},
                   &s[JENKINS]) ||
      !sorter_open(r, "friction", count[TANH], (int[]){PL_ELEM_friction, PL_ELEM_friction1},
                   &s[TANH]))
    return;
  for (int k = 0; k < list->n; k++) {
    if (!e[k].ok) continue;
    sorter *to = &s[d[k].law.v];
    int i = sorter_add(to, &e[k]), g = to->group[e[k].scalar];
    put_par(r, g, i, "limit", &limit[k]);
    if (d[k].law.v == TANH)
      put_par(r, g, i, "velocity", &d[k].velocity);
    else
      put_par(r, g, i, "stiffness", &d[k].stiffness);
  }
}

// ---- tables -------------------------------------------------------------------------------------

typedef struct curve {
  int n;
  double *x, *f, *slope; // [n]
} curve;

static int read_curve(reader *r, const char *path, const pl_table *t, const char *si, curve *c) {
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  const double *data = pl_table_data(t);
  const char *hint = "the header is e.g. x_mm,force_N or v_m/s,force_N";
  double factor[2];
  if (cols != 2 || rows < 2 || rows > ROWS_MAX) {
    problem_at(r, path, pl_table_line(t), 0, "e.g. x_mm,force_N",
               "a table force needs two columns and 2 to %d rows, got %d %s and %d %s", ROWS_MAX,
               cols, pl_plural(cols, "column", "columns"), rows, pl_plural(rows, "row", "rows"));
    return 0;
  }
  if (!column_scale(r, path, t, 0, si, hint, &factor[0]) ||
      !column_scale(r, path, t, 1, "N", hint, &factor[1]))
    return 0;
  c->n = rows;
  c->x = scene_alloc(r, 3 * (size_t)rows, sizeof *c->x);
  if (!c->x) return 0;
  c->f = c->x + rows;
  c->slope = c->f + rows;
  for (int i = 0; i < rows; i++) {
    c->x[i] = factor[0] * data[2 * i];
    c->f[i] = factor[1] * data[2 * i + 1];
    if (isfinite(c->x[i]) && isfinite(c->f[i]) && (i == 0 || c->x[i] > c->x[i - 1])) continue;
    problem_at(r, path, pl_table_line(t) + 1 + i, 0, "sort the rows and leave out double ones",
               "the first column of a table force must rise, and its numbers must be finite");
    return 0;
  }
  return 1;
}

static int read_table(reader *r, const table_def *d, curve *c) {
  char path[PL_TEXT];
  pl_table *t;
  if (!d->file.at || !read_csv(r, d->file.at, "table", path, &t)) return 0;
  int ok = read_curve(r, path, t, d->of.v ? "m/s" : "m", c);
  pl_table_free(t);
  return ok;
}

static double secant(const curve *c, int i) {
  return (c->f[i + 1] - c->f[i]) / (c->x[i + 1] - c->x[i]);
}

// three-point slope at an end, kept monotone
static double end_slope(double h0, double h1, double s0, double s1) {
  double s = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
  if ((s > 0) != (s0 > 0)) return 0;
  return (s0 > 0) != (s1 > 0) && fabs(s) > 3 * fabs(s0) ? 3 * s0 : s;
}

// slopes of monotone cubics (Fritsch and Butland 1984): weighted harmonic means of the secants
static void fit_slopes(curve *c) {
  int n = c->n;
  const double *x = c->x;
  if (n == 2) {
    c->slope[0] = c->slope[1] = secant(c, 0);
    return;
  }
  for (int i = 1; i + 1 < n; i++) {
    double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i], s0 = secant(c, i - 1), s1 = secant(c, i);
    double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    c->slope[i] = s0 * s1 > 0 ? (w0 + w1) / (w0 / s0 + w1 / s1) : 0;
  }
  c->slope[0] = end_slope(x[1] - x[0], x[2] - x[1], secant(c, 0), secant(c, 1));
  c->slope[n - 1] =
      end_slope(x[n - 1] - x[n - 2], x[n - 2] - x[n - 3], secant(c, n - 2), secant(c, n - 3));
}

// the force at zero
static double force_at_rest(const table_def *d, const curve *c) {
  int i = 0, line = d->interpolation.v;
  while (i + 2 < c->n && c->x[i + 1] < 0) i++;
  double h = c->x[i + 1] - c->x[i], t = -c->x[i] / h, rise = c->f[i + 1] - c->f[i];
  double s0 = line ? secant(c, i) : c->slope[i], s1 = line ? secant(c, i) : c->slope[i + 1];
  if (t < 0) return c->f[i] + s0 * h * t;
  if (t > 1) return c->f[i + 1] + s1 * h * (t - 1);
  return c->f[i] +
         t * (h * s0 + t * (3 * rise - h * (2 * s0 + s1) + t * (h * (s0 + s1) - 2 * rise)));
}

// damping is nothing at rest
static int check_rest(reader *r, const table_def *d, const curve *c) {
  double f = force_at_rest(d, c), most = 0;
  for (int i = 0; i < c->n; i++) most = fmax(most, fabs(c->f[i]));
  if (!d->of.v || fabs(f) <= 1e-6 * most) return 1;
  problem(r, d->file.at, "give it a row 0,0, and a constant force as a load",
          "a table over rates must have no force at rest, but has %.6g N", f);
  return 0;
}

static void put_pieces(sorter *s, const table_def *d, const ends *e, const curve *c) {
  for (int i = 0; i + 1 < c->n; i++) {
    int k = sorter_add(s, e), line = d->interpolation.v;
    put_value(s, e, k, "from", c->x[i]);
    put_value(s, e, k, "to", c->x[i + 1]);
    put_value(s, e, k, "base", i == 0 ? c->f[0] : 0);
    put_value(s, e, k, "rise", c->f[i + 1] - c->f[i]);
    put_value(s, e, k, "slope_from", line ? secant(c, i) : c->slope[i]);
    put_value(s, e, k, "slope_to", line ? secant(c, i) : c->slope[i + 1]);
    put_value(s, e, k, "open_from", i == 0);
    put_value(s, e, k, "open_to", i + 2 == c->n);
    put_par(s->r, s->group[e->scalar], k, "factor", &d->factor);
  }
}

void build_tables(reader *r) {
  const items *list = &r->def.tables;
  const table_def *d = list->item;
  ends *e = scene_alloc(r, (size_t)list->n + 1, sizeof *e);
  curve *c = scene_alloc(r, (size_t)list->n + 1, sizeof *c);
  int count[2][2] = {{0}};
  sorter s[2];
  if (!e || !c || list->n == 0) return;
  for (int k = 0; k < list->n; k++) {
    e[k] = read_ends(r, d[k].nodes, "table");
    e[k].ok &= read_table(r, &d[k], &c[k]);
    if (e[k].ok) fit_slopes(&c[k]);
    e[k].ok = e[k].ok && check_rest(r, &d[k], &c[k]);
    if (e[k].ok) count[d[k].of.v][e[k].scalar] += c[k].n - 1;
  }
  if (!sorter_open(r, "tables", count[0], (int[]){PL_ELEM_piece, PL_ELEM_piece1}, &s[0]) ||
      !sorter_open(r, "tables", count[1], (int[]){PL_ELEM_rate_piece, PL_ELEM_rate_piece1}, &s[1]))
    return;
  for (int k = 0; k < list->n; k++)
    if (e[k].ok) put_pieces(&s[d[k].of.v], &d[k], &e[k], &c[k]);
}
