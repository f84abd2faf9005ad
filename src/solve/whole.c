// Bodies that keep their shape in Newmark's steps. Elements keep it at the ends of steps, but the
// trapezoidal rule knows no more of it: what velocities lack of a rigid motion changes sign in
// every step, and a body that turns feeds it. So steps end with the velocities of the rigid motion
// of the same momentum and angular momentum, the nearest one by mass, which no kinetic energy is
// gained by, and with the accelerations that go with it. What is left of elasticity then holds the
// body in one step and remembers nothing, as if it had six unknowns; its turning keeps energy to (h
// omega)^6 a step.
#include "solve_impl.h"

#include <string.h>

enum { CENTRE = 0, VELOCITY = 3, RATE = 6, MOMENTS = 9, PART = 18 };

static int body_of(const stepper *st, int i) {
  return st->whole.body[i / 3];
}

// M x, which is as much by the bodies alone where x is zero elsewhere
static const double *mass_times(stepper *st, const double *x) {
  pl_mass_mul(st->p, x, st->w, st->ma);
  return st->ma;
}

// ---- which --------------------------------------------------------------------------------------

static void join_nodes(const stepper *st, int *up, char *in) {
  for (int g = 0; g < pl_model_ngroup(st->m); g++) {
    const pl_elem_kind *k = pl_model_group_kind(st->m, g);
    const int *stencil = pl_model_group_stencil(st->m, g);
    int width = k->nvert + k->nscal;
    if (!pl_model_group_rigid(st->m, g) || k->nvert < 4) continue;
    for (int e = 0; e < pl_model_group_size(st->m, g); e++)
      for (int i = 0; i < k->nvert; i++) {
        const int *v = stencil + (size_t)e * (size_t)width;
        in[v[i]] = 1;
        pl_unite(up, v[0], v[i]);
      }
  }
}

// the mass of a body is its own: what its nodes do moves no others
static int is_alone(stepper *st, const int *up, int root) {
  double *x = st->whole.field;
  int n = pl_model_nnode(st->m), alone = 1;
  for (int i = 0; i < st->nq; i++) x[i] = i < 3 * n && i % 3 == 0 && up[i / 3] == root;
  const double *mx = mass_times(st, x);
  for (int i = 0; i < st->nq; i++)
    if (mx[i] != 0 && (i >= 3 * n || up[i / 3] != root)) alone = 0;
  return alone;
}

// bodies with a node that something holds, or whose mass others share, are left as they are
static void leave_out(stepper *st, const int *up, char *in) {
  const int *index = pl_model_free_index(st->m);
  int n = pl_model_nnode(st->m);
  for (int i = 0; i < 3 * n; i++)
    if (in[i / 3] && index[i] < 0) in[up[i / 3]] = 2;
  for (int i = 0; i < n; i++)
    if (in[i] == 1 && up[i] == i && !is_alone(st, up, i)) in[i] = 2;
  for (int i = 0; i < n; i++)
    if (up[i] != i && in[up[i]] == 2) in[i] = 0;
  for (int i = 0; i < n; i++)
    if (in[i] == 2) in[i] = 0;
}

static void number_bodies(rigid_set *k, int n, const int *up, const char *in) {
  for (int i = 0; i < n; i++)
    if (in[i] && up[i] == i) k->body[i] = k->n++;
  for (int i = 0; i < n; i++) k->body[i] = in[i] ? k->body[up[i]] : -1;
}

static pl_status find_bodies(stepper *st, int n) {
  rigid_set *k = &st->whole;
  int *up = pl_alloc(st->env, (size_t)n, sizeof *up);
  char *in = pl_alloc(st->env, (size_t)n, 1);
  k->body = pl_alloc(st->env, (size_t)n, sizeof *k->body);
  pl_status s = up && in && k->body ? PL_OK : PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < n; i++) up[i] = i;
  if (s == PL_OK) {
    join_nodes(st, up, in);
    for (int i = 0; i < n; i++) up[i] = pl_root(up, i);
    leave_out(st, up, in);
    number_bodies(k, n, up, in);
  }
  pl_free(st->env, up);
  pl_free(st->env, in);
  return s;
}

pl_status whole_open(stepper *st) {
  rigid_set *k = &st->whole;
  int n = pl_model_nnode(st->m), any = 0;
  for (int g = 0; g < pl_model_ngroup(st->m); g++) any |= pl_model_group_rigid(st->m, g);
  if (!any || pl_model_dim(st->m) != 3 || st->o->method != PL_NEWMARK) return PL_OK;
  k->field = pl_alloc(st->env, (size_t)st->nq, sizeof *k->field);
  if (!k->field) return PL_E_NOMEM;
  PL_TRY(find_bodies(st, n));
  if (k->n == 0) return PL_OK;
  k->mass = pl_alloc(st->env, (size_t)k->n, sizeof *k->mass);
  k->part = pl_alloc(st->env, (size_t)k->n, PART * sizeof *k->part);
  k->r = pl_alloc(st->env, (size_t)st->nq, sizeof *k->r);
  k->next = pl_alloc(st->env, (size_t)st->nq, sizeof *k->next);
  if (!k->mass || !k->part || !k->r || !k->next) return PL_E_NOMEM;
  for (int i = 0; i < st->nq; i++) k->field[i] = i < 3 * n && i % 3 == 0 && body_of(st, i) >= 0;
  const double *m = mass_times(st, k->field);
  for (int i = 0; i < n; i++)
    if (k->body[i] >= 0) k->mass[k->body[i]] += m[3 * i];
  return PL_OK;
}

void whole_close(stepper *st) {
  rigid_set *k = &st->whole;
  void *all[] = {k->body, k->mass, k->part, k->r, k->field, k->next};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(st->env, all[i]);
  *k = (rigid_set){0};
}

// ---- rigid motions ------------------------------------------------------------------------------

// mean by mass of x over every body, to entries of its part
static void means(stepper *st, const double *x, int to) {
  rigid_set *k = &st->whole;
  const double *mx = mass_times(st, x);
  for (int b = 0; b < k->n; b++) memset(k->part + PART * b + to, 0, 3 * sizeof *k->part);
  for (int i = 0; i < 3 * pl_model_nnode(st->m); i++)
    if (body_of(st, i) >= 0) k->part[PART * body_of(st, i) + to + i % 3] += mx[i];
  for (int b = 0; b < k->n; b++)
    for (int c = 0; c < 3; c++) k->part[PART * b + to + c] /= k->mass[b];
}

// sum of r x M y over every body
static void moments_of(stepper *st, const double *y, int to, int stride) {
  rigid_set *k = &st->whole;
  const double *my = mass_times(st, y);
  for (int b = 0; b < k->n; b++)
    for (int c = 0; c < 3; c++) k->part[PART * b + to + stride * c] = 0;
  for (int i = 0; i < pl_model_nnode(st->m); i++) {
    if (k->body[i] < 0) continue;
    double l[3];
    pl_cross3(k->r + 3 * (size_t)i, my + 3 * (size_t)i, l);
    for (int c = 0; c < 3; c++) k->part[PART * k->body[i] + to + stride * c] += l[c];
  }
}

// places less centres, and moments of inertia
static void place(stepper *st) {
  rigid_set *k = &st->whole;
  int n = pl_model_nnode(st->m);
  means(st, st->x->q, CENTRE);
  for (int i = 0; i < 3 * n; i++)
    k->r[i] =
        body_of(st, i) >= 0 ? st->x->q[i] - k->part[PART * body_of(st, i) + CENTRE + i % 3] : 0;
  for (int c = 0; c < 3; c++) {
    const double axis[3] = {c == 0, c == 1, c == 2};
    memset(k->field, 0, (size_t)st->nq * sizeof *k->field);
    for (int i = 0; i < n; i++)
      if (k->body[i] >= 0) pl_cross3(axis, k->r + 3 * (size_t)i, k->field + 3 * (size_t)i);
    moments_of(st, k->field, MOMENTS + c, 3);
  }
}

// the rate of turning of a moment at `to`, in its place; a body on a line has none about it
static void rot(rigid_set *k, int to) {
  for (int b = 0; b < k->n; b++) {
    double *p = k->part + PART * b, lambda[3], V[9], rate[3] = {0};
    pl_eig3(p + MOMENTS, lambda, V);
    for (int e = 0; e < 3; e++) {
      const double axis[3] = {V[e], V[3 + e], V[6 + e]};
      double size = lambda[e] > 1e-9 * lambda[2] ? pl_dot3(axis, p + to) / lambda[e] : 0;
      for (int c = 0; c < 3; c++) rate[c] += size * axis[c];
    }
    memcpy(p + to, rate, sizeof rate);
  }
}

void whole_settle(stepper *st) {
  rigid_set *k = &st->whole;
  double *v = st->x->v;
  if (k->n == 0) return;
  place(st);
  means(st, v, VELOCITY);
  moments_of(st, v, RATE, 1);
  rot(k, RATE);
  memset(k->field, 0, (size_t)st->nq * sizeof *k->field);
  for (int i = 0; i < pl_model_nnode(st->m); i++) {
    if (k->body[i] < 0) continue;
    const double *p = k->part + PART * k->body[i];
    double swing[3];
    pl_cross3(p + RATE, k->r + 3 * (size_t)i, swing);
    for (int c = 0; c < 3; c++) {
      double rigid = p[VELOCITY + c] + swing[c];
      k->field[3 * i + c] = v[3 * i + c] - rigid;
      v[3 * i + c] = rigid;
    }
  }
  // what vibration had is lost
  double vibration = 0.5 * pl_dot(st->nq, k->field, mass_times(st, k->field));
  st->audit.dissipated += vibration;
  st->audit.kinetic -= vibration;
  st->audit.work -= vibration;
}

// after whole_settle at the same place
void whole_accelerate(stepper *st) {
  rigid_set *k = &st->whole;
  double *a = st->x->a;
  if (k->n == 0) return;
  int n = pl_model_nnode(st->m);
  memcpy(k->next, a, (size_t)st->nq * sizeof *a);
  // what turning alone gives
  memset(k->field, 0, (size_t)st->nq * sizeof *k->field);
  for (int i = 0; i < n; i++) {
    if (k->body[i] < 0) continue;
    const double *w = k->part + PART * k->body[i] + RATE;
    double swing[3];
    pl_cross3(w, k->r + 3 * (size_t)i, swing);
    pl_cross3(w, swing, k->field + 3 * (size_t)i);
    for (int c = 0; c < 3; c++) a[3 * i + c] -= k->field[3 * i + c];
  }
  means(st, a, VELOCITY);
  moments_of(st, a, RATE, 1);
  rot(k, RATE);
  for (int i = 0; i < n; i++) {
    if (k->body[i] < 0) continue;
    const double *p = k->part + PART * k->body[i];
    double swing[3];
    pl_cross3(p + RATE, k->r + 3 * (size_t)i, swing);
    for (int c = 0; c < 3; c++) a[3 * i + c] = p[VELOCITY + c] + swing[c] + k->field[3 * i + c];
  }
  for (int i = 0; i < st->nq; i++) k->field[i] = a[i] - k->next[i];
  memcpy(k->next, mass_times(st, k->field), (size_t)st->nq * sizeof *a);
}

double whole_spared(const stepper *st) {
  const rigid_set *k = &st->whole;
  double sum = 0;
  for (int i = 0; k->n > 0 && i < st->nq; i++)
    sum += 0.5 * st->hist->spared[i] * (st->x->q[i] - st->s->q[i]);
  return sum;
}

void whole_accept(stepper *st) {
  rigid_set *k = &st->whole;
  if (k->n > 0) memcpy(st->hist->spared, k->next, (size_t)st->nq * sizeof *k->next);
  k->fresh = 0;
}
