#include "scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- masses -----------------------------------------------------------------------------------

void build_masses(reader *r) {
  const items *masses = &r->def.masses;
  const mass_def *d = masses->item;
  node_list *chosen = scene_alloc(r, (size_t)masses->n + 1, sizeof *chosen);
  int total = 0, *stencil, at_elem = 0;
  if (!chosen) return;
  const pl_node *at = items_first(masses);
  for (int k = 0; k < masses->n; k++, at = at->next) {
    if (!select_either(r, d[k].node, d[k].nodes, at, "mass", &chosen[k])) chosen[k].n = 0;
    if (!d[k].mass.at == !d[k].total.at)
      problem(r, at, NULL, "mass needs either 'mass' (of every node) or 'total'");
    total += chosen[k].n;
  }
  if (total == 0) return;
  int one = r->b->dim == 1;
  int g = group_add(r, "masses", one ? PL_ELEM_mass1 : PL_ELEM_point, total, &stencil);
  for (int k = 0; g >= 0 && k < masses->n; k++) {
    num m = d[k].mass.at ? d[k].mass : d[k].total;
    if (d[k].total.at) {
      m.v /= chosen[k].n;
      m.coef /= chosen[k].n;
    }
    for (int i = 0; i < chosen[k].n; i++) {
      stencil[at_elem] = chosen[k].v[i];
      put_par(r, g, at_elem++, "mass", &m);
    }
  }
}

// ---- potentials -------------------------------------------------------------------------------

enum { UNKNOWNS_MAX = 8, POWER_MAX = 16 };

// unknowns and powers of a term; returns the sum of the powers, 0: wrong
static int read_powers(reader *r, const pl_node *at, int *dof, int *power) {
  int n = 0, sum = 0, ok = 1;
  if (at->kind != NODE_MAP || at->n < 1 || at->n > UNKNOWNS_MAX) {
    problem(r, at, "e.g. {m: 3} or {tip.x: 2, tip.y: 2}",
            "powers must map 1 to %d unknowns to their powers", UNKNOWNS_MAX);
    return 0;
  }
  for (const pl_node *d = at->first; d; d = d->next, n++) {
    pl_node key = {.kind = NODE_SCALAR,
                   .text = d->key,
                   .line = d->key_line,
                   .col = d->key_col,
                   .origin = d->origin};
    pl_node *kept = scene_alloc(r, 1, sizeof *kept);
    if (!kept) return 0;
    *kept = key;
    ok &=
        select_dof(r, kept, "powers", &dof[n]) && read_int(r, d, "power", 0, POWER_MAX, &power[n]);
    if (!ok) continue;
    if (dof[n] < 0) problem_key(r, d, NULL, "the ground does not move");
    for (int i = 0; i < n; i++)
      if (dof[i] == dof[n]) problem_key(r, d, NULL, "the unknown stands twice in powers");
    sum += power[n];
  }
  return ok ? sum : 0;
}

void build_potentials(reader *r) {
  const items *terms = &r->def.potentials;
  const potential_def *d = terms->item;
  int *stencil, done = 0;
  if (terms->n == 0) return;
  int g = group_add(r, "potential", PL_ELEM_monomial, terms->n, &stencil);
  for (int k = 0; g >= 0 && k < terms->n; k++) {
    int dof[UNKNOWNS_MAX] = {0}, power[UNKNOWNS_MAX] = {0};
    num c;
    if (!d[k].coefficient || !d[k].powers) continue;
    int sum = read_powers(r, d[k].powers, dof, power);
    if (sum == 0) continue;
    // an energy per length^sum
    unit_dim want = {{1, 2 - sum, -2, 0}};
    if (d[k].coefficient->kind != NODE_SCALAR) {
      problem(r, d[k].coefficient, NULL, "coefficient must be one value");
      continue;
    }
    if (!read_num_text(r, d[k].coefficient, "coefficient", d[k].coefficient->text, &want, &c))
      continue;
    for (int i = 0; i < UNKNOWNS_MAX; i++) {
      char name[16];
      snprintf(name, sizeof name, "power_%d", i + 1);
      stencil[done * UNKNOWNS_MAX + i] = i < d[k].powers->n ? dof[i] : -1;
      put_par(r, g, done, name, &(num){.v = power[i], .par = -1});
    }
    put_par(r, g, done++, "coefficient", &c);
  }
}

// ---- matrices ---------------------------------------------------------------------------------

typedef enum matrix_kind { MASS, DAMPING, STIFFNESS } matrix_kind;
static const char *const matrix_name[] = {"mass", "damping", "stiffness"};
static const char *const matrix_unit[] = {"kg", "N.s/m", "N/m"};

typedef struct entry {
  int i, j; // row, column
  matrix_kind kind;
  num v;
} entry;

typedef struct matrix_reader {
  reader *r;
  int n; // order
  int nentry, cap;
  entry *list;
  const pl_node *at[3];
} matrix_reader;

static int entry_add(matrix_reader *m, int i, int j, matrix_kind kind, const num *v) {
  if (v->v == 0 && v->par < 0) return 1;
  if (!scene_grow(m->r, &m->list, m->nentry, &m->cap, sizeof *m->list)) return 0;
  m->list[m->nentry++] = (entry){i, j, kind, *v};
  return 1;
}

static int read_inline(matrix_reader *m, const pl_node *at, matrix_kind kind) {
  reader *r = m->r;
  int i = 0, ok = 1;
  if (at->n != m->n) {
    problem(r, at, NULL, "%s needs %d %s, got %d", matrix_name[kind], m->n,
            pl_plural(m->n, "row", "rows"), at->n);
    return 0;
  }
  for (const pl_node *d = at->first; d; d = d->next, i++) {
    int j = 0;
    if (d->kind != NODE_LIST || d->n != m->n) {
      problem(r, d, NULL, "row %d of %s needs %d %s", i + 1, matrix_name[kind], m->n,
              pl_plural(m->n, "entry", "entries"));
      ok = 0;
      continue;
    }
    for (const pl_node *e = d->first; e; e = e->next, j++) {
      num v;
      if (!read_num(r, e, matrix_name[kind], matrix_unit[kind], &v))
        ok = 0;
      else if (!entry_add(m, i, j, kind, &v))
        return 0;
    }
  }
  return ok;
}

static int read_matrix_file(matrix_reader *m, const pl_node *at, matrix_kind kind) {
  reader *r = m->r;
  char path[4096];
  int n, ntrip, *ri, *ci, ok = 1;
  double *val;
  unit u;
  if (!scene_file(r, at, matrix_name[kind], path, sizeof path)) return 0;
  pl_status s = pl_csc_read_mtx(r->env, path, &n, &ntrip, &ri, &ci, &val);
  if (s == PL_E_NOMEM) r->failed = s;
  if (s != PL_OK) return 0;
  // bare numbers take the scene's units
  unit_parse(matrix_unit[kind], strlen(matrix_unit[kind]), &u);
  double factor = unit_scale_of(&r->scale, &u.dim);
  note_bare(r, at, matrix_name[kind], 1, &u.dim);
  if (n != m->n) {
    problem(r, at, NULL, "%s: the matrix has order %d, but there are %d %s", matrix_name[kind], n,
            m->n, pl_plural(m->n, "dof", "dofs"));
    ok = 0;
  }
  for (int k = 0; ok && k < ntrip; k++) {
    num v = {.v = val[k] * factor, .par = -1, .at = at};
    ok = entry_add(m, ri[k], ci[k], kind, &v);
  }
  pl_free(r->env, ri);
  pl_free(r->env, ci);
  pl_free(r->env, val);
  return ok;
}

// by place (lower triangle), then matrix, then lower before upper
static int compare_entries(const void *a, const void *b) {
  const entry *p = a, *q = b;
  int pi = p->i > p->j ? p->i : p->j, pj = p->i + p->j - pi;
  int qi = q->i > q->j ? q->i : q->j, qj = q->i + q->j - qi;
  if (pi != qi) return pi - qi;
  if (pj != qj) return pj - qj;
  if (p->kind != q->kind) return (int)p->kind - (int)q->kind;
  return q->i - p->i;
}

// one place of the matrices: values[kind][0: lower or diagonal, 1: upper]
typedef struct place {
  int i, j;
  num v[3][2];
} place;

// sums entries of one place (files may repeat them); returns entries used
static int gather_place(const matrix_reader *m, int first, place *p) {
  const entry *e = &m->list[first];
  *p = (place){.i = e->i > e->j ? e->i : e->j, .j = e->i > e->j ? e->j : e->i};
  for (int k = 0; k < 6; k++) p->v[k / 2][k % 2].par = -1;
  int n = 0;
  for (; first + n < m->nentry; n++) {
    const entry *f = &m->list[first + n];
    if ((f->i > f->j ? f->i : f->j) != p->i || (f->i > f->j ? f->j : f->i) != p->j) break;
    num *v = &p->v[f->kind][f->i < f->j];
    double sum = v->v + f->v.v;
    *v = f->v;
    v->v = sum;
  }
  return n;
}

static void check_symmetric(matrix_reader *m, const place *p) {
  for (int k = 0; k < 3; k++) {
    const num *a = &p->v[k][0], *b = &p->v[k][1];
    if (k == DAMPING || p->i == p->j) continue;
    if (fabs(a->v - b->v) <= 1e-10 * fmax(fabs(a->v), fabs(b->v)) && a->par == b->par &&
        a->coef == b->coef)
      continue;
    problem(m->r, a->at ? a->at : b->at, NULL,
            "%s must be symmetric, but entries (%d, %d) and (%d, %d) are %.6g and %.6g in SI units",
            matrix_name[k], p->i + 1, p->j + 1, p->j + 1, p->i + 1, a->v, b->v);
  }
  if (p->i == p->j && p->v[MASS][0].v < 0)
    problem(m->r, p->v[MASS][0].at, NULL, "mass entry (%d, %d) must be >= 0", p->i + 1, p->i + 1);
}

// diagonal: spring to ground and mass; elsewhere: coupling
static void put_places(matrix_reader *m, const int *dof) {
  reader *r = m->r;
  int ndiag = 0, noff = 0, *s1, *s2, *s3;
  place p;
  for (int k = 0; k < m->nentry; k += gather_place(m, k, &p)) {
    gather_place(m, k, &p);
    check_symmetric(m, &p);
    *(p.i == p.j ? &ndiag : &noff) += 1;
  }
  int spring = -1, mass = -1, pair = -1;
  if (ndiag > 0) {
    spring = group_add(r, "matrices", PL_ELEM_spring1, ndiag, &s1);
    mass = group_add(r, "matrices", PL_ELEM_mass1, ndiag, &s2);
  }
  if (noff > 0) pair = group_add(r, "matrices", PL_ELEM_coupling, noff, &s3);
  if (r->failed) return;
  ndiag = noff = 0;
  for (int k = 0; k < m->nentry; k += gather_place(m, k, &p)) {
    gather_place(m, k, &p);
    if (p.i == p.j) {
      s1[2 * ndiag] = -1;
      s1[2 * ndiag + 1] = s2[ndiag] = dof[p.i];
      put_par(r, spring, ndiag, "stiffness", &p.v[STIFFNESS][0]);
      put_par(r, spring, ndiag, "damping", &p.v[DAMPING][0]);
      put_par(r, mass, ndiag++, "mass", &p.v[MASS][0]);
    } else {
      s3[2 * noff] = dof[p.i];
      s3[2 * noff + 1] = dof[p.j];
      put_par(r, pair, noff, "stiffness", &p.v[STIFFNESS][0]);
      put_par(r, pair, noff, "damping_ij", &p.v[DAMPING][0]);
      put_par(r, pair, noff, "damping_ji", &p.v[DAMPING][1]);
      put_par(r, pair, noff++, "mass", &p.v[MASS][0]);
    }
  }
}

// the unknowns of rows and columns
static int read_dofs(reader *r, const matrices_def *d, const pl_node *at, int *n, int **dof) {
  int ok = 1;
  *n = 0;
  if (!d->dofs) {
    if (r->b->dim != 1) {
      problem(r, at, "e.g. dofs: [a.x, b.y]", "matrices need 'dofs' in more than one dimension");
      return 0;
    }
    *dof = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof **dof);
    for (; *dof && *n < r->b->nnode; ++*n) (*dof)[*n] = *n;
    return *dof != NULL;
  }
  if (d->dofs->kind != NODE_LIST || d->dofs->n == 0) {
    problem(r, d->dofs, "e.g. [a, b]", "dofs must be a list of unknowns");
    return 0;
  }
  *dof = scene_alloc(r, (size_t)d->dofs->n, sizeof **dof);
  char *seen = scene_alloc(r, (size_t)r->b->nnode * (size_t)r->b->dim + 1, 1);
  if (!*dof || !seen) return 0;
  for (const pl_node *e = d->dofs->first; e; e = e->next) {
    int q;
    if (!select_dof(r, e, "dofs", &q)) {
      ok = 0;
      continue;
    }
    if (q < 0 || seen[q]) {
      problem(r, e, NULL, q < 0 ? "the ground does not move" : "the unknown stands twice in dofs");
      ok = 0;
      continue;
    }
    seen[q] = 1;
    (*dof)[(*n)++] = q;
  }
  return ok;
}

void build_matrices(reader *r) {
  const items *list = &r->def.matrices;
  const pl_node *at = items_first(list);
  for (int k = 0; k < list->n && !r->failed; k++, at = at->next) {
    const matrices_def *d = (const matrices_def *)list->item + k;
    matrix_reader m = {.r = r, .at = {d->mass, d->damping, d->stiffness}};
    int *dof, ok = read_dofs(r, d, at, &m.n, &dof);
    for (int i = 0; ok && i < 3; i++) {
      if (!m.at[i]) continue;
      ok &= m.at[i]->kind == NODE_SCALAR ? read_matrix_file(&m, m.at[i], (matrix_kind)i)
                                         : read_inline(&m, m.at[i], (matrix_kind)i);
    }
    if (!ok || m.nentry == 0) continue;
    qsort(m.list, (size_t)m.nentry, sizeof *m.list, compare_entries);
    put_places(&m, dof);
  }
}
