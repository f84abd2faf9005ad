// Smooth maximum of the strain over elements and period:
//   P = (1/N sum_i sum_e |strain_e(t_i)|^p)^(1/p),
// elements' derivatives by central differences of their strain field.
#include "design_impl.h"

#include <string.h>

static const double EXPONENT = 12;
static const double STEP = 1e-6; // of the element's size, or of a parameter

typedef struct gauge {
  pl_design *d;
  int N, nq, H;
  double exponent;
  double *q;        // [N][nq] positions at the samples
  double *gq;       // [N][nq] derivatives of P
  double most, sum; // largest strain, sum of (strain / most)^p / N
} gauge;

static int strain_field(const pl_elem_kind *k) {
  for (int f = 0; !k->rigid && f < k->nfield; f++)
    if (strcmp(k->field_info[f].name, "strain") == 0) return f;
  return -1;
}

// ---- one element ------------------------------------------------------------------------------

typedef struct cell {
  const pl_elem_kind *kind;
  int field, dof[PL_NDOF_MAX];
  double X[PL_NDOF_MAX], q[PL_NDOF_MAX], rest[PL_NREST_MAX], size;
  const double *par;
} cell;

// by size: where tension and compression are equal, the sign jumps and the size does not
static double cell_strain(const cell *c) {
  double all[PL_NFIELD_MAX];
  c->kind->field(c->q, c->par, c->rest, all);
  return fabs(all[c->field]);
}

static void cell_at(const cell *c, const double *q, double *to) {
  for (int i = 0; i < c->kind->ndof; i++) to[i] = c->dof[i] < 0 ? 0 : q[c->dof[i]];
}

static int cell_open(const gauge *g, int group, int e, cell *c) {
  const pl_design *d = g->d;
  const pl_elem_kind *k = pl_model_group_kind(d->m, group);
  int nent = k->nvert + k->nscal, dim = pl_model_dim(d->m);
  const int *at = pl_model_group_stencil(d->m, group) + (size_t)e * (size_t)nent;
  *c = (cell){.kind = k, .field = strain_field(k), .par = pl_model_group_par(d->m, d->p, group, e)};
  for (int i = 0; i < k->nvert; i++)
    for (int b = 0; b < k->vdim; b++)
      c->dof[i * k->vdim + b] = at[i] < 0 || b >= dim ? -1 : at[i] * dim + b;
  for (int i = 0; i < k->nscal; i++) c->dof[k->nvert * k->vdim + i] = at[k->nvert + i];
  cell_at(c, d->p->X, c->X);
  for (int i = 0; i < k->nvert * k->vdim; i++)
    c->size = fmax(c->size, fabs(c->X[i] - c->X[i % k->vdim]));
  if (!(c->size > 0)) c->size = 1;
  return k->d.prepare ? k->d.prepare(c->X, c->rest) : 0;
}

// dP of the strain at a sample: P^(1-p) |strain|^(p-1) / N
static double weight_of(const gauge *g, double strain) {
  double root = pow(g->sum, 1 / g->exponent - 1);
  return root * pow(strain / g->most, g->exponent - 1) / g->N;
}

// adds the element's derivatives by its unknowns
static void cell_gradient(gauge *g, cell *c, int i) {
  double *gq = g->gq + (size_t)i * (size_t)g->nq, h = STEP * c->size;
  cell_at(c, g->q + (size_t)i * (size_t)g->nq, c->q);
  double w = weight_of(g, cell_strain(c));
  if (w < 1e-14) return;
  for (int a = 0; a < c->kind->ndof; a++) {
    if (c->dof[a] < 0) continue;
    double q = c->q[a];
    c->q[a] = q + h;
    double up = cell_strain(c);
    c->q[a] = q - h;
    gq[c->dof[a]] += w * (up - cell_strain(c)) / (2 * h);
    c->q[a] = q;
  }
}

// ---- all elements -----------------------------------------------------------------------------

typedef void (*cell_fn)(gauge *g, cell *c, int i);

static void measure(gauge *g, cell *c, int i) {
  cell_at(c, g->q + (size_t)i * (size_t)g->nq, c->q);
  g->most = fmax(g->most, cell_strain(c));
}

static void add(gauge *g, cell *c, int i) {
  cell_at(c, g->q + (size_t)i * (size_t)g->nq, c->q);
  g->sum += pow(cell_strain(c) / g->most, g->exponent) / g->N;
}

static pl_status each(gauge *g, cell_fn fn) {
  cell c;
  for (int k = 0; k < pl_model_ngroup(g->d->m); k++) {
    if (strain_field(pl_model_group_kind(g->d->m, k)) < 0) continue;
    for (int e = 0; e < pl_model_group_size(g->d->m, k); e++) {
      if (cell_open(g, k, e, &c)) return PL_DOMAIN;
      for (int i = 0; i < g->N; i++) fn(g, &c, i);
    }
  }
  return PL_OK;
}

static pl_status sample(gauge *g, const pl_orbit *o) {
  pl_state *s;
  PL_TRY(pl_state_create(g->d->m, g->d->p, &s));
  for (int i = 0; i < g->N; i++) {
    pl_orbit_state(g->d->m, g->d->p, o, 2 * PL_PI * i / g->N, s);
    memcpy(g->q + (size_t)i * (size_t)g->nq, s->q, (size_t)g->nq * sizeof(double));
  }
  pl_state_free(g->d->m, s);
  return PL_OK;
}

// ---- derivatives ------------------------------------------------------------------------------

// by the coefficients of free unknowns
static void by_motion(const gauge *g, double by, double *gz) {
  const int *dof = pl_model_free_dofs(g->d->m);
  int nfree = pl_model_nfree(g->d->m), L = 2 * g->H + 1;
  for (int i = 0; i < g->N; i++) {
    double basis[2 * 64 + 1], phase = 2 * PL_PI * i / g->N;
    basis[0] = 1;
    for (int k = 1; k <= g->H; k++) {
      basis[2 * k - 1] = sin(k * phase);
      basis[2 * k] = cos(k * phase);
    }
    for (int j = 0; j < nfree; j++) {
      double w = by * g->gq[(size_t)i * (size_t)g->nq + (size_t)dof[j]];
      for (int a = 0; w != 0 && a < L; a++) gz[j * L + a] += w * basis[a];
    }
  }
}

// through driven nodes
static void by_drive(const gauge *g, double by, double *gx) {
  pl_design *d = g->d;
  const int *index = pl_model_free_index(d->m);
  int dim = pl_model_dim(d->m);
  for (int node = 0; node < pl_model_nnode(d->m); node++) {
    int driven = 0;
    for (int c = 0; c < dim; c++) driven |= index[node * dim + c] < 0;
    for (int k = 0; driven && k < d->nvar; k++)
      for (int i = 0; i < g->N; i++) {
        pl_clock c = {.t = 2 * PL_PI * i / g->N, .omega = 1, .scale = 1};
        double dx[3], dv[3], da[3];
        if (!pl_directions_drive(d->directions, 0, d->p, &c, k, node, dx, dv, da)) break;
        for (int b = 0; b < dim; b++)
          if (index[node * dim + b] < 0)
            gx[k] += by * dx[b] * g->gq[(size_t)i * (size_t)g->nq + (size_t)(node * dim + b)];
      }
  }
}

// the same for driven scalars
static void by_driven_scalar(const gauge *g, double by, double *gx) {
  pl_design *d = g->d;
  const int *index = pl_model_free_index(d->m);
  for (int at = pl_model_nnode(d->m) * pl_model_dim(d->m); at < g->nq; at++)
    for (int k = 0; index[at] < 0 && k < d->nvar; k++)
      for (int i = 0; i < g->N; i++) {
        pl_clock c = {.t = 2 * PL_PI * i / g->N, .omega = 1, .scale = 1};
        double dx;
        if (!pl_directions_scalar(d->directions, 0, d->p, &c, k, at, &dx)) break;
        gx[k] += by * dx * g->gq[(size_t)i * (size_t)g->nq + (size_t)at];
      }
}

static void shift(pl_design *d, int k, double h) {
  const pl_design_desc *desc = pl_model_design(d->m, d->var[k].index);
  for (int t = 0; t < desc->ntarget; t++)
    (desc->target[t].on_ref ? d->p->X : d->p->par)[desc->target[t].index] +=
        h * desc->target[t].coef;
}

// sum of weights times strains of what a variable affects, at fixed positions
static int affected_sum(gauge *g, int k, const double *weight, double *sum) {
  const int *list;
  int n = pl_directions_elements(g->d->directions, k, &list);
  cell c;
  *sum = 0;
  for (int t = 0; t < n; t++) {
    if (strain_field(pl_model_group_kind(g->d->m, list[2 * t])) < 0) continue;
    if (cell_open(g, list[2 * t], list[2 * t + 1], &c)) return 1;
    for (int i = 0; i < g->N; i++) {
      cell_at(&c, g->q + (size_t)i * (size_t)g->nq, c.q);
      *sum += weight[(size_t)t * (size_t)g->N + (size_t)i] * cell_strain(&c);
    }
  }
  return 0;
}

static void affected_weights(gauge *g, int k, double *weight) {
  const int *list;
  int n = pl_directions_elements(g->d->directions, k, &list);
  cell c;
  for (int t = 0; t < n; t++) {
    if (strain_field(pl_model_group_kind(g->d->m, list[2 * t])) < 0) continue;
    cell_open(g, list[2 * t], list[2 * t + 1], &c);
    for (int i = 0; i < g->N; i++) {
      cell_at(&c, g->q + (size_t)i * (size_t)g->nq, c.q);
      weight[(size_t)t * (size_t)g->N + (size_t)i] = weight_of(g, cell_strain(&c));
    }
  }
}

// by parameters and reference shape of the elements
static pl_status by_shape(gauge *g, double by, double *gx) {
  pl_design *d = g->d;
  for (int k = 0; k < d->nvar; k++) {
    if (d->var[k].kind != PL_VARIABLE_DESIGN) continue;
    const int *list;
    int n = pl_directions_elements(d->directions, k, &list);
    double h = STEP * d->var[k].scale, up, down;
    if (d->var[k].log) h = STEP * fabs(d->x[k]);
    double *weight = pl_alloc(d->env, (size_t)n * (size_t)g->N, sizeof *weight);
    if (!weight) return PL_E_NOMEM;
    affected_weights(g, k, weight);
    shift(d, k, h);
    int bad = affected_sum(g, k, weight, &up);
    shift(d, k, -2 * h);
    bad |= affected_sum(g, k, weight, &down);
    shift(d, k, h);
    pl_free(d->env, weight);
    if (bad) return PL_DOMAIN;
    gx[k] += by * (up - down) / (2 * h);
  }
  return PL_OK;
}

// parameters that were shifted to and fro are set back exactly
static pl_status shape_gradient(gauge *g, double by, double *gx) {
  pl_params *p = g->d->p;
  size_t np = (size_t)p->npar, nX = (size_t)p->nref;
  double *keep = pl_alloc(g->d->env, np + nX, sizeof *keep);
  if (!keep) return PL_E_NOMEM;
  memcpy(keep, p->par, np * sizeof *keep);
  memcpy(keep + np, p->X, nX * sizeof *keep);
  pl_status st = by_shape(g, by, gx);
  memcpy(p->par, keep, np * sizeof *keep);
  memcpy(p->X, keep + np, nX * sizeof *keep);
  pl_free(g->d->env, keep);
  return st;
}

static pl_status measure_all(gauge *g, const pl_orbit *o, double *value) {
  PL_TRY(sample(g, o));
  PL_TRY(each(g, measure));
  *value = 0;
  if (!(g->most > 0)) return PL_OK;
  PL_TRY(each(g, add));
  *value = g->most * pow(g->sum, 1 / g->exponent);
  return PL_OK;
}

static pl_status add_gradient(gauge *g, double by, double *gz, double *gx) {
  PL_TRY(each(g, cell_gradient));
  by_motion(g, by, gz);
  by_drive(g, by, gx);
  by_driven_scalar(g, by, gx);
  return shape_gradient(g, by, gx);
}

// gz NULL: the value alone
static pl_status look(const pl_objective_at *at, double by, double *value, double *gz, double *gx) {
  const pl_orbit *orbit = at->orbit;
  pl_env *env = at->d->env;
  gauge g = {.d = at->d, .nq = pl_model_nq(at->m), .H = orbit->nharm};
  g.exponent = at->o->exponent > 0 ? at->o->exponent : EXPONENT;
  g.N = 4 * orbit->nharm > 32 ? 4 * orbit->nharm : 32;
  size_t n = (size_t)g.N * (size_t)g.nq;
  g.q = pl_alloc(env, 2 * n, sizeof *g.q);
  if (!g.q) return PL_E_NOMEM;
  g.gq = g.q + n;
  pl_status st = measure_all(&g, orbit, value);
  if (st == PL_OK && gz && g.most > 0) st = add_gradient(&g, by, gz, gx);
  pl_free(env, g.q);
  return st;
}

static pl_status eval(const pl_objective_at *at, int i, double *value) {
  (void)i;
  return look(at, 0, value, NULL, NULL);
}

static pl_status gradient(const pl_objective_at *at, int i, double value, double by, double *gz,
                          double *gx) {
  (void)i;
  return look(at, by, &value, gz, gx);
}

static const pl_option keys[] = {
    KEY_ROW_X(double, exponent, "exponent", 0, 0, 1000, "", "of the smooth maximum (0: 12)")};

const pl_objective_kind pl_objective_strain = {
    .name = "strain",
    .text = "strain over elements and period is small, or stays below a limit",
    .value = "min|number",
    .about = "largest strain over elements and period, as small as possible or below a limit",
    .keys = "at",
    .nkey = COUNT(keys),
    .key = keys,
    .quantity = "strain",
    .unit = "",
    .form = PL_FORM_LIMIT,
    .goals = PL_GOALS_TARGET | PL_GOALS_LEAST,
    .eval = eval,
    .gradient = gradient,
};
