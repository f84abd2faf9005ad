// Lines for rods: made on the spot, and what every line must be.
#include "build_body.h"

#include "pliant/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- meshes -----------------------------------------------------------------------------------

// n edges one after the other over n + 1 vertices, or n in a ring
static int begin_curve(reader *r, const geometry_def *g, const char *what, double n, int closed,
                       pl_mesh **out) {
  if (!check_count(r, g->mesh, n + 1)) return 0;
  int nvert = (int)n + !closed, end = nvert - 1;
  if (!worked(r, pl_mesh_create(r->env, what, nvert, out))) return 0;
  if (!worked(r, pl_mesh_set_cells(*out, PL_SEG2, (int)n))) return 0;
  for (int i = 0; i < 2 * (int)n; i++) (*out)->cell[PL_SEG2].v[i] = (i / 2 + i % 2) % nvert;
  if (!worked(r, pl_mesh_add_set(*out, "start", -1, 1, &(int){0}))) return 0;
  return closed || worked(r, pl_mesh_add_set(*out, "end", -1, 1, &end));
}

static int make_line(reader *r, body_slot *b, const geometry_def *g, const line_def *d) {
  double a[3], c[3];
  if (!d->from.at || !d->to.at || !check_count(r, g->mesh, d->segments.v + 1.0)) return 0;
  for (int k = 0; k < 3; k++) {
    a[k] = d->from.v[k].v;
    c[k] = d->to.v[k].v;
  }
  if (memcmp(a, c, sizeof a) == 0) {
    problem(r, d->to.at, NULL, "rod '%s' has no length", b->def->name.s);
    return 0;
  }
  return worked(r, pl_gen_chain(r->env, d->segments.v, a, c, &b->mesh));
}

static void add_pull(reader *r, rod_curve *c, int vertex, int axis, const num *value,
                     double weight) {
  if (value->par < 0 || weight == 0) return;
  if (!scene_grow(r, &c->pull, c->npull, &c->pull_cap, sizeof *c->pull)) return;
  pull *p = &c->pull[c->npull++];
  *p = (pull){.vertex = vertex, .value = *value};
  p->weight[axis] = weight;
}

static int read_points(reader *r, const pl_node *at, vec *x) {
  int n = 0, ok = 1;
  for (const pl_node *d = at->first; d; d = d->next) ok &= read_vec(r, d, "at", "m", 3, 3, &x[n++]);
  return ok;
}

// x = (1 - s) a + s b on the leg from a to b
static void put_leg(reader *r, body_slot *b, int vertex, int n, const vec *from, const vec *to) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      double s = (double)i / n;
      b->mesh->X[3 * (vertex + i) + k] = (1 - s) * from->v[k].v + s * to->v[k].v;
      add_pull(r, b->rod, vertex + i, k, &from->v[k], 1 - s);
      add_pull(r, b->rod, vertex + i, k, &to->v[k], s);
    }
}

static int make_points(reader *r, body_slot *b, const geometry_def *g, const points_def *d) {
  int closed = d->closed.v, n = d->at->n, least = closed ? 3 : 2, leg = d->segments.v;
  if (d->at->kind != NODE_LIST || n < least) {
    problem(r, d->at, "e.g. [[0, 0, 0], [1, 0, 0]]", "points: a %s needs at least %d points",
            closed ? "closed line" : "line", least);
    return 0;
  }
  vec *x = scene_alloc(r, (size_t)n, sizeof *x);
  int *corner = scene_alloc(r, (size_t)n, sizeof *corner), nleg = n - !closed;
  if (!x || !corner || !read_points(r, d->at, x)) return 0;
  if (!begin_curve(r, g, "points", (double)nleg * leg, closed, &b->mesh)) return 0;
  for (int k = 0; k < n; k++) corner[k] = k * leg;
  for (int k = 0; k < nleg; k++) put_leg(r, b, k * leg, leg, &x[k], &x[(k + 1) % n]);
  if (!closed) put_leg(r, b, nleg * leg, 1, &x[n - 1], &x[n - 1]);
  return worked(r, pl_mesh_add_set(b->mesh, "corners", -1, n, corner));
}

static int make_arc(reader *r, body_slot *b, const geometry_def *g, const arc_def *d, int helix) {
  double angle = helix ? 2 * PL_PI * d->turns.v : d->angle.v;
  int n = d->segments.v, closed = !helix && fabs(angle) > 2 * PL_PI * (1 - 1e-9);
  if (!d->radius.at || (helix && (!d->pitch.at || !d->turns.at))) return 0;
  if (helix ? d->pitch.v == 0 : angle == 0) {
    problem(r, helix ? d->pitch.at : d->angle.at, helix ? "use arc" : NULL, "%s must not be zero",
            helix ? "pitch" : "angle");
    return 0;
  }
  if ((closed && n < 3) || fabs(angle) >= PL_PI * n) {
    problem(r, d->segments.at ? d->segments.at : g->mesh, NULL,
            "%d %s cannot follow a turn by %.3g degrees", n, pl_plural(n, "segment", "segments"),
            angle * 180 / PL_PI);
    return 0;
  }
  if (!begin_curve(r, g, helix ? "helix" : "arc", n, closed, &b->mesh)) return 0;
  for (int i = 0; i < b->mesh->nvert; i++) {
    double s = (double)i / n, *x = b->mesh->X + 3 * (size_t)i;
    x[0] = d->radius.v * cos(s * angle);
    x[1] = d->radius.v * sin(s * angle);
    x[2] = helix ? s * d->turns.v * d->pitch.v : 0;
  }
  return 1;
}

int make_curve(reader *r, body_slot *b, const geometry_def *g, const mesh_def *m) {
  if (m->line) return make_line(r, b, g, m->line);
  if (m->points) return make_points(r, b, g, m->points);
  return make_arc(r, b, g, m->arc ? m->arc : m->helix, m->helix != NULL);
}

// ---- coordinates that follow parameters ---------------------------------------------------------

void place_curve(rod_curve *c, double scale, const double *R) {
  for (int k = 0; k < c->npull; k++) {
    double w[3], *to = c->pull[k].weight;
    memcpy(w, to, sizeof w);
    for (int i = 0; i < 3; i++) to[i] = scale * (R ? pl_dot3(R + 3 * i, w) : w[i]);
  }
}

void move_curve(reader *r, const body_slot *b) {
  for (int k = 0; k < b->rod->npull; k++) {
    const pull *p = &b->rod->pull[k];
    for (int i = 0; i < 3; i++)
      if (p->weight[i] != 0) follow(r, PL_AT_X, b->node[p->vertex], i, 0, &p->value, p->weight[i]);
  }
}

// ---- checks -----------------------------------------------------------------------------------

typedef struct pair {
  int lo, hi, edge;
} pair;

static int compare_pairs(const void *a, const void *b) {
  const pair *p = a, *q = b;
  if (p->lo != q->lo) return p->lo < q->lo ? -1 : 1;
  if (p->hi != q->hi) return p->hi < q->hi ? -1 : 1;
  return p->edge - q->edge;
}

// no edge twice; parameters in coordinates need vertices that stay what they are
int check_curve(reader *r, const body_slot *b, const geometry_def *g) {
  const pl_cells *c = &b->mesh->cell[PL_SEG2];
  if (b->rod->npull && (g->merge.at || g->refine.v)) {
    problem(r, g->merge.at ? g->merge.at : g->refine.at, "use segments",
            "points that are parameters cannot be merged or refined");
    return 0;
  }
  pair *all = pl_alloc(r->env, (size_t)c->n, sizeof *all);
  if (!all) {
    r->failed = PL_E_NOMEM;
    return 0;
  }
  for (int e = 0; e < c->n; e++) {
    int u = c->v[2 * e], v = c->v[2 * e + 1];
    all[e] = (pair){u < v ? u : v, u < v ? v : u, e};
  }
  qsort(all, (size_t)c->n, sizeof *all, compare_pairs);
  int ok = 1;
  for (int e = 1; ok && e < c->n; e++) {
    if (all[e].lo != all[e - 1].lo || all[e].hi != all[e - 1].hi) continue;
    problem(r, g->mesh, "remove one of them",
            "rod '%s': lines %d and %d of the mesh have the same two ends, vertices %d and %d",
            b->def->name.s, all[e - 1].edge + 1, all[e].edge + 1, all[e].lo + 1, all[e].hi + 1);
    ok = 0;
  }
  pl_free(r->env, all);
  return ok;
}
