#include "model_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- flat parameter vector: globals, drive terms, loads, groups ---------------------------------

int pl_par_drive(const pl_model_desc *d, int which, int term) {
  int at = PL_PAR_FIRST;
  for (int k = 0; k < which; k++) at += 4 * d->drive[k].nterm;
  return at + 4 * term;
}

int pl_par_load(const pl_model_desc *d, int which) {
  return pl_par_drive(d, d->ndrive, 0) + 4 * which;
}

int pl_par_group(const pl_model_desc *d, int which, int elem) {
  int at = pl_par_load(d, d->nload);
  for (int k = 0; k < which; k++)
    at += d->group[k].kind->npar * (d->group[k].shared ? 1 : d->group[k].nelem);
  return at + (d->group[which].shared ? 0 : elem * d->group[which].kind->npar);
}

// one entry past the parameters of all groups
static int par_end(const pl_model_desc *d) {
  if (d->ngroup == 0) return pl_par_load(d, d->nload);
  const pl_group_desc *last = &d->group[d->ngroup - 1];
  return pl_par_group(d, d->ngroup - 1, 0) + last->kind->npar * (last->shared ? 1 : last->nelem);
}

int pl_par_grow(const pl_model_desc *d, int which, int elem) {
  int at = par_end(d);
  for (int k = 0; k < which; k++)
    if (d->grow && d->grow[k]) at += d->group[k].shared ? 1 : d->group[k].nelem;
  return at + (which < d->ngroup && d->group[which].shared ? 0 : elem);
}

// ---- checks of a description --------------------------------------------------------------------

static pl_status check_nodes(pl_env *env, const pl_model_desc *d, const char *what,
                             const char *name, int n, const int *node) {
  for (int k = 0; k < n; k++)
    if (node[k] < 0 || node[k] >= d->nnode)
      return pl_fail(env, PL_E_INPUT, "%s '%s': node %d is outside 0..%d", what, name ? name : "",
                     node[k], d->nnode - 1);
  return PL_OK;
}

// A kind from outside may be larger than the arrays that every element fits into.
static pl_status check_kind(pl_env *env, const pl_elem_kind *k) {
  const struct {
    const char *what;
    int n, most;
  } size[] = {{"vdim", k->vdim, 3},
              {"ndof", k->ndof, PL_NDOF_MAX},
              {"npar", k->npar, PL_NPAR_MAX},
              {"nrest", k->nrest, PL_NREST_MAX},
              {"nhist", k->nhist, k->nrest},
              {"nfield", k->nfield, PL_NFIELD_MAX},
              {"nlevel", k->nlevel, PL_LEVEL_MAX}};
  for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
    if (size[i].n < 0 || size[i].n > size[i].most)
      return pl_fail(env, PL_E_ARG, "element kind %s: %s must be in 0..%d, got %d", k->name,
                     size[i].what, size[i].most, size[i].n);
  if (k->nvert < 0 || k->nscal < 0 || k->ndof != k->vdim * k->nvert + k->nscal)
    return pl_fail(env, PL_E_ARG, "element kind %s: ndof is %d, vdim * nvert + nscal is %d",
                   k->name, k->ndof, k->vdim * k->nvert + k->nscal);
  if (k->eval_law) return PL_OK;
  if (!k->z.eval || !k->d.prepare != !k->z.prepare || !k->d.visc != !k->z.visc ||
      !k->d.mass != !k->z.mass || (k->nrest > 0 && !k->d.prepare))
    return pl_fail_at(env, PL_E_ARG, NULL, 0, 0,
                      "only eval for double and, without rest data, prepare may be left out",
                      "element kind %s: a kernel is missing", k->name);
  return PL_OK;
}

static pl_status check_group(pl_env *env, const pl_model_desc *d, const pl_group_desc *g, int nq) {
  const pl_elem_kind *k = g->kind;
  PL_TRY(check_kind(env, k));
  if (k->vdim == 2 && d->dim != 2)
    return pl_fail(env, PL_E_INPUT, "group '%s': kind %s needs a model of dimension 2", g->name,
                   k->name);
  int nent = k->nvert + k->nscal;
  for (int e = 0; e < g->nelem; e++)
    for (int i = 0; i < nent; i++) {
      int at = g->stencil[e * nent + i], most = i < k->nvert ? d->nnode : nq;
      if (at < -1 || at >= most)
        return pl_fail(env, PL_E_INPUT, "group '%s' (%s), element %d: index %d is outside 0..%d",
                       g->name, k->name, e + 1, at, most - 1);
    }
  int nset = g->shared ? 1 : g->nelem;
  for (int e = 0; e < nset; e++)
    for (int i = 0; i < k->npar; i++) {
      double v = g->par[e * k->npar + i];
      if (!(v >= k->par[i].lo && v <= k->par[i].hi))
        return pl_fail(
            env, PL_E_INPUT, "group '%s' (%s), element %d: %s must be in %g..%g %s, got %g",
            g->name, k->name, e + 1, k->par[i].name, k->par[i].lo, k->par[i].hi, k->par[i].unit, v);
    }
  return PL_OK;
}

// the node is one of the drive's; of a drive without a rotation any will do
static int drives_node(const pl_model_desc *d, const pl_drive_desc *dr, int node) {
  if (dr->kind != PL_DRIVE_ROTATION) return node >= 0 && node < d->nnode;
  for (int i = 0; i < dr->nnode; i++)
    if (dr->node[i] == node) return 1;
  return 0;
}

static pl_status check_scalars(pl_env *env, const pl_model_desc *d, const pl_drive_desc *dr) {
  const char *name = dr->name ? dr->name : "";
  for (int i = 0; i < dr->nscal; i++) {
    if (dr->scal[i] < 0 || dr->scal[i] >= d->nextra)
      return pl_fail(env, PL_E_INPUT, "drive '%s': scalar unknown %d is outside 0..%d", name,
                     dr->scal[i], d->nextra - 1);
    if (!dr->edge) continue;
    const int *edge = dr->edge + 2 * i;
    if (edge[0] == PL_SCALAR_STAYS) continue;
    if (edge[0] <= PL_SCALAR_VECTOR
            ? edge[1] < 0 || edge[1] > 2
            : edge[0] == edge[1] || !drives_node(d, dr, edge[0]) || !drives_node(d, dr, edge[1]))
      return pl_fail_at(
          env, PL_E_INPUT, NULL, 0, 0, "drive both nodes of the edge with it",
          "drive '%s': scalar unknown %d cannot turn with the edge from node %d to %d", name,
          dr->scal[i], edge[0], edge[1]);
  }
  return PL_OK;
}

static pl_status check_growth(pl_env *env, const pl_model_desc *d, int k) {
  const pl_group_desc *g = &d->group[k];
  const double *grow = d->grow ? d->grow[k] : NULL;
  for (int e = 0; grow && e < (g->shared ? 1 : g->nelem); e++)
    if (!(grow[e] > 0 && isfinite(grow[e])))
      return pl_fail(env, PL_E_INPUT, "group '%s' (%s), element %d: growth must be > 0, got %g",
                     g->name, g->kind->name, e + 1, grow[e]);
  return PL_OK;
}

static pl_status check_growth_by(pl_env *env, const pl_model_desc *d, int k) {
  int by = d->grow_by ? d->grow_by[k] : -1;
  if (by < d->nnode * d->dim + d->nextra) return PL_OK;
  return pl_fail(env, PL_E_ARG, "group '%s': its growth follows unknown %d, of which there is none",
                 d->group[k].name, by);
}

static pl_status check_course(pl_env *env, const char *what, const char *name, const pl_course *s) {
  if (!s) return PL_OK;
  int ok = s->n >= 2;
  for (int i = 0; ok && i < s->n; i++)
    ok = isfinite(s->t[i]) && isfinite(s->v[i]) && (i == 0 || s->t[i] > s->t[i - 1]);
  if (ok) return PL_OK;
  return pl_fail(env, PL_E_INPUT, "%s '%s': a factor over time needs two or more rising times",
                 what, name ? name : "");
}

// amplitudes are the last scalar unknowns, each driven once
static pl_status check_amplitudes(pl_env *env, const pl_model_desc *d) {
  int n = 0, least = d->nextra;
  for (int k = 0; k < d->ndrive; k++)
    for (int i = 0; d->drive[k].kind == PL_DRIVE_AMPLITUDE && i < d->drive[k].nscal; i++, n++)
      least = d->drive[k].scal[i] < least ? d->drive[k].scal[i] : least;
  if (n == 0 || least == d->nextra - n) return PL_OK;
  return pl_fail(env, PL_E_ARG, "amplitudes of outer forces must be the last scalar unknowns");
}

static pl_status check_desc(pl_env *env, const pl_model_desc *d) {
  if (d->dim < 1 || d->dim > 3)
    return pl_fail(env, PL_E_INPUT, "dimension must be 1, 2 or 3, got %d", d->dim);
  if (d->nnode < 0 || d->nextra < 0 || d->nnode > (1 << 28) || d->nextra > (1 << 28))
    return pl_fail(env, PL_E_INPUT, "too many nodes: %d", d->nnode);
  int nq = d->nnode * d->dim + d->nextra;
  for (int i = 0; i < d->nnode * d->dim; i++)
    if (!isfinite(d->X[i]))
      return pl_fail(env, PL_E_INPUT, "node %d: coordinate is not a finite number", i / d->dim);
  for (int k = 0; k < d->ngroup; k++) {
    PL_TRY(check_group(env, d, &d->group[k], nq));
    PL_TRY(check_growth(env, d, k));
    PL_TRY(check_growth_by(env, d, k));
  }
  for (int i = 0; d->extra && i < d->nextra; i++)
    if (!isfinite(d->extra[i]))
      return pl_fail(env, PL_E_INPUT,
                     "scalar unknown %d: its reference value is not a finite number", i);
  for (int k = 0; k < d->ndrive; k++) {
    PL_TRY(check_nodes(env, d, "drive", d->drive[k].name, d->drive[k].nnode, d->drive[k].node));
    PL_TRY(check_scalars(env, d, &d->drive[k]));
    PL_TRY(check_course(env, "drive", d->drive[k].name, d->drive[k].over));
  }
  for (int k = 0; k < d->nload; k++) {
    PL_TRY(check_nodes(env, d, "load", d->load[k].name, d->load[k].nnode, d->load[k].node));
    PL_TRY(check_course(env, "load", d->load[k].name, d->form ? d->form[k].over : NULL));
  }
  return check_amplitudes(env, d);
}

// ---- copies -----------------------------------------------------------------------------------

static void *copy_bytes(pl_env *env, const void *from, size_t count, size_t size) {
  void *p = pl_alloc(env, count, size);
  if (p && count) memcpy(p, from, count * size);
  return p;
}

static void local_dofs(const pl_model *m, const int *alias, const pl_elem_kind *k,
                       const int *entity, int *dof) {
  for (int a = 0; a < k->nvert; a++)
    for (int c = 0; c < k->vdim; c++) {
      int at = entity[a] < 0 || c >= m->dim ? -1 : entity[a] * m->dim + c;
      dof[a * k->vdim + c] = alias && at >= 0 ? alias[at] : at;
    }
  for (int s = 0; s < k->nscal; s++) dof[k->nvert * k->vdim + s] = entity[k->nvert + s];
}

// an unknown named twice by one element is added up before the scatter
static int find_twins(int n, const int *dof, int *twin) {
  int found = 0;
  for (int i = 0; i < n; i++) {
    twin[i] = -1;
    for (int j = 0; j < i && twin[i] < 0; j++)
      if (dof[i] >= 0 && dof[j] == dof[i]) twin[i] = j;
    found |= twin[i] >= 0;
  }
  return found;
}

static pl_status copy_group(pl_model *m, const pl_model_desc *d, int k) {
  const pl_group_desc *from = &d->group[k];
  const pl_elem_kind *kind = from->kind;
  group *g = &m->group[k];
  *g = (group){.kind = kind,
               .nelem = from->nelem,
               .nent = kind->nvert + kind->nscal,
               .shared = from->shared,
               .law = d->law ? d->law[k] : NULL,
               .lumped = from->lumped,
               .rigid = d->rigid && d->rigid[k],
               .par0 = pl_par_group(d, k, 0),
               .rest0 = m->nrest,
               .hist0 = m->nhist};
  if ((long)m->nrest + (long)kind->nrest * g->nelem > (1L << 30))
    return pl_fail(m->env, PL_E_INPUT, "group '%s': too many elements (%d)", from->name, g->nelem);
  m->nrest += kind->nrest * g->nelem;
  m->nhist += kind->nhist * g->nelem;
  size_t nelem = (size_t)g->nelem;
  g->name = pl_strdup(m->env, from->name ? from->name : kind->name);
  g->stencil = copy_bytes(m->env, from->stencil, nelem * (size_t)g->nent, sizeof(int));
  g->dof = pl_alloc(m->env, nelem * (size_t)kind->ndof, sizeof(int));
  g->twin = pl_alloc(m->env, nelem * (size_t)kind->ndof, sizeof(int));
  if (!g->name || !g->stencil || !g->dof || !g->twin) return PL_E_NOMEM;
  int twins = 0;
  for (int e = 0; e < g->nelem; e++) {
    local_dofs(m, d->alias, kind, g->stencil + e * g->nent, g->dof + e * kind->ndof);
    twins |= find_twins(kind->ndof, g->dof + e * kind->ndof, g->twin + e * kind->ndof);
  }
  if (!twins) {
    pl_free(m->env, g->twin);
    g->twin = NULL;
  }
  int nset = g->shared ? 1 : g->nelem;
  if (nset) memcpy(m->par0 + g->par0, from->par, (size_t)(nset * kind->npar) * sizeof(double));
  const double *grow = d->grow ? d->grow[k] : NULL;
  g->grow0 = grow ? pl_par_grow(d, k, 0) : -1;
  g->grow_by = grow && d->grow_by ? d->grow_by[k] : -1;
  if (grow) memcpy(m->par0 + g->grow0, grow, (size_t)nset * sizeof(double));
  return PL_OK;
}

static pl_status copy_course(pl_env *env, const pl_course *from, pl_course *to) {
  if (!from) return PL_OK;
  size_t n = (size_t)from->n;
  *to = (pl_course){.n = from->n,
                    .t = copy_bytes(env, from->t, n, sizeof(double)),
                    .v = copy_bytes(env, from->v, n, sizeof(double)),
                    .rate = from->rate ? copy_bytes(env, from->rate, n, sizeof(double)) : NULL};
  return to->t && to->v && (to->rate || !from->rate) ? PL_OK : PL_E_NOMEM;
}

static void free_course(pl_env *env, pl_course *s) {
  pl_free(env, (void *)s->t);
  pl_free(env, (void *)s->v);
  pl_free(env, (void *)s->rate);
}

static pl_status copy_scalars(pl_model *m, const pl_drive_desc *from, drive *to) {
  size_t n = (size_t)from->nscal;
  to->nscal = from->nscal;
  to->hist0 = m->nhist;
  if (n) m->nhist += 2 + from->nscal;
  // states fit models with other drives off
  if (from->off) to->nscal = 0, n = 0;
  to->scal = pl_alloc(m->env, n, sizeof(int));
  to->edge = pl_alloc(m->env, 2 * n, sizeof(int));
  to->part = pl_alloc(m->env, 2 * n, sizeof(int));
  if (!to->scal || !to->edge || !to->part) return PL_E_NOMEM;
  for (int i = 0; i < to->nscal; i++) {
    int at = to->scal[i] = m->nnode * m->dim + from->scal[i];
    int rotates = from->kind == PL_DRIVE_ROTATION;
    for (int k = 2 * i; k < 2 * i + 2; k++) {
      to->part[k] = from->edge ? from->edge[k] : PL_SCALAR_STAYS;
      to->edge[k] = rotates ? to->part[k] : PL_SCALAR_STAYS;
    }
    if (m->free_index[at] == -1)
      return pl_fail(m->env, PL_E_INPUT, "drive '%s': scalar unknown %d is already driven",
                     from->name ? from->name : "", from->scal[i]);
    m->free_index[at] = -1;
    m->keep[from->scal[i]] = to->edge[2 * i] < 0;
  }
  return PL_OK;
}

static pl_status copy_drive(pl_model *m, const pl_model_desc *d, int k) {
  const pl_drive_desc *from = &d->drive[k];
  drive *to = &m->drive[k];
  int nplace = from->nplace > 0 ? from->nplace : from->nnode, free = from->off ? nplace : 0;
  if (from->nterm > PL_TERM_MAX)
    return pl_fail(m->env, PL_E_INPUT, "drive '%s': at most %d terms, got %d",
                   from->name ? from->name : "", PL_TERM_MAX, from->nterm);
  *to = (drive){.kind = from->kind,
                .nnode = from->nnode - free,
                .nplace = from->off ? 0 : nplace,
                .hold = from->hold,
                .mask = from->mask,
                .nterm = from->nterm,
                .par0 = pl_par_drive(d, k, 0)};
  if (from->kind == PL_DRIVE_ROTATION) to->mask = (1 << m->dim) - 1;
  if (from->kind == PL_DRIVE_AMPLITUDE) m->namplitude += from->nscal;
  memcpy(to->axis, from->axis, sizeof to->axis);
  memcpy(to->centre, from->centre, sizeof to->centre);
  to->name = pl_strdup(m->env, from->name ? from->name : "");
  to->node =
      copy_bytes(m->env, from->node ? from->node + free : NULL, (size_t)to->nnode, sizeof(int));
  if (from->carrier)
    to->carrier = copy_bytes(m->env, from->carrier, (size_t)(from->nnode - nplace), sizeof(int));
  to->harmonic = pl_alloc(m->env, (size_t)from->nterm, sizeof(int));
  if (from->begin && !from->off) {
    size_t n = (size_t)(from->nnode * m->dim + from->nscal);
    to->begin = copy_bytes(m->env, from->begin, n, sizeof(double));
    if (!to->begin) return PL_E_NOMEM;
  }
  if (!to->name || !to->node || !to->harmonic || (from->carrier && !to->carrier)) return PL_E_NOMEM;
  PL_TRY(copy_course(m->env, from->over, &to->over));
  if (from->kind == PL_DRIVE_ROTATION) {
    double len =
        sqrt(to->axis[0] * to->axis[0] + to->axis[1] * to->axis[1] + to->axis[2] * to->axis[2]);
    if (!(len > 0) || (m->dim == 2 && !(fabs(to->axis[2]) > 0)))
      return pl_fail(m->env, PL_E_INPUT, "drive '%s': rotation needs an axis that is not zero%s",
                     from->name ? from->name : "", m->dim == 2 ? ", along z in 2D" : "");
    for (int c = 0; c < 3; c++) to->axis[c] /= len;
  }
  for (int t = 0; t < from->nterm; t++) {
    to->harmonic[t] = from->term[t].harmonic;
    if (to->harmonic[t] > m->max_harmonic) m->max_harmonic = to->harmonic[t];
    memcpy(m->par0 + to->par0 + 4 * t, from->term[t].amplitude, 3 * sizeof(double));
    m->par0[to->par0 + 4 * t + 3] = from->term[t].phase;
  }
  for (int i = 0; i < to->nnode; i++)
    for (int c = 0; c < m->dim; c++) {
      if (!(to->mask >> c & 1)) continue;
      int *at = &m->free_index[to->node[i] * m->dim + c];
      if (*at == -1)
        return pl_fail(m->env, PL_E_INPUT, "drive '%s': node %d is already driven along %c",
                       from->name ? from->name : "", to->node[i], "xyz"[c]);
      *at = -1;
    }
  return copy_scalars(m, from, to);
}

static pl_status copy_load(pl_model *m, const pl_model_desc *d, int k) {
  const pl_load_desc *from = &d->load[k];
  const pl_load_form form = d->form ? d->form[k] : (pl_load_form){0};
  load *to = &m->load[k];
  size_t n = (size_t)from->nnode;
  *to = (load){.nnode = from->nnode,
               .harmonic = from->term.harmonic,
               .inertial = form.inertial,
               .par0 = pl_par_load(d, k)};
  to->node = copy_bytes(m->env, from->node, n, sizeof(int));
  if (form.share) to->share = copy_bytes(m->env, form.share, n, sizeof(double));
  if (!to->node || (form.share && !to->share)) return PL_E_NOMEM;
  PL_TRY(copy_course(m->env, form.over, &to->over));
  if (to->harmonic > m->max_harmonic) m->max_harmonic = to->harmonic;
  memcpy(m->par0 + to->par0, from->term.amplitude, 3 * sizeof(double));
  m->par0[to->par0 + 3] = from->term.phase;
  return PL_OK;
}

static pl_status copy_design(pl_model *m, const pl_model_desc *d, int k) {
  const pl_design_desc *from = &d->design[k];
  pl_design_desc *to = &m->design[k];
  *to = (pl_design_desc){
      .value = from->value, .min = from->min, .max = from->max, .ntarget = from->ntarget};
  to->name = pl_strdup(m->env, from->name);
  to->unit = pl_strdup(m->env, from->unit ? from->unit : "");
  to->target = copy_bytes(m->env, from->target, (size_t)from->ntarget, sizeof *from->target);
  if (!to->name || !to->unit || !to->target) return PL_E_NOMEM;
  for (int t = 0; t < from->ntarget; t++) {
    int most = from->target[t].on_ref ? m->nq : m->npar, at = from->target[t].index;
    if (at < 0 || at >= most)
      return pl_fail(m->env, PL_E_ARG, "parameter '%s': target %d is outside 0..%d", from->name, at,
                     most - 1);
  }
  return PL_OK;
}

// ---- sparsity ---------------------------------------------------------------------------------

// stencils of all groups (mass: only those with mass) over free or all unknowns
static pl_status build_pattern(pl_model *m, int mass, pl_csc *out, int **slot) {
  pl_env *env = m->env;
  size_t nsten = 0, nent = 0, nslot = 0;
  for (int k = 0; k < m->ngroup; k++) {
    group *g = &m->group[k];
    if (mass && !g->kind->d.mass) continue;
    size_t ndof = (size_t)g->kind->ndof;
    *(mass ? &g->mslot0 : &g->slot0) = nslot;
    nsten += (size_t)g->nelem;
    nent += (size_t)g->nelem * ndof;
    nslot += (size_t)g->nelem * (ndof * (ndof + 1) / 2);
  }
  if (nsten > INT32_MAX || nent > INT32_MAX)
    return pl_fail(env, PL_E_INPUT, "too many elements: %zu", nsten);
  int *ptr = pl_alloc(env, nsten + 1, sizeof(int)), *dof = pl_alloc(env, nent, sizeof(int));
  pl_status s = ptr && dof ? PL_OK : PL_E_NOMEM;
  int at = 0, row = 0;
  for (int k = 0; s == PL_OK && k < m->ngroup; k++) {
    const group *g = &m->group[k];
    if (mass && !g->kind->d.mass) continue;
    for (int e = 0; e < g->nelem; e++) {
      for (int i = 0; i < g->kind->ndof; i++) {
        int id = e * g->kind->ndof + i, q = g->dof[id];
        if (q >= 0 && g->twin && g->twin[id] >= 0) q = -1;
        dof[at++] = q < 0 ? -1 : mass ? q : m->free_index[q];
      }
      ptr[++row] = at;
    }
  }
  if (s == PL_OK)
    s = pl_csc_from_stencils(env, mass ? m->nq : m->nfree, 1, (int)nsten, ptr, dof, out, slot);
  pl_free(env, ptr);
  pl_free(env, dof);
  return s;
}

static pl_status map_mass(pl_model *m) {
  m->mass_to_free = pl_alloc(m->env, (size_t)m->M.nnz, sizeof(int));
  if (!m->mass_to_free) return PL_E_NOMEM;
  for (pl_entry e = {.k = -1}; pl_csc_next(&m->M, &e);) {
    int a = m->free_index[e.i], b = m->free_index[e.j];
    int at = a < 0 || b < 0 ? -1 : pl_csc_find(&m->A, a > b ? a : b, a > b ? b : a);
    m->mass_to_free[e.k] = at < 0 ? m->A.nnz : at;
  }
  return PL_OK;
}

static pl_status number_free(pl_model *m) {
  for (int i = 0; i < m->nq; i++)
    if (m->free_index[i] >= 0) m->free_index[i] = m->nfree++;
  m->free_dof = pl_alloc(m->env, (size_t)m->nfree, sizeof(int));
  if (!m->free_dof) return PL_E_NOMEM;
  for (int i = 0; i < m->nq; i++)
    if (m->free_index[i] >= 0) m->free_dof[m->free_index[i]] = i;
  return PL_OK;
}

static pl_status copy_names(pl_model *m, const char *const *from) {
  if (!from) return PL_OK;
  m->name = pl_alloc(m->env, (size_t)m->nnode, sizeof *m->name);
  if (!m->name) return PL_E_NOMEM;
  for (int i = 0; i < m->nnode; i++)
    if (from[i] && !(m->name[i] = pl_strdup(m->env, from[i]))) return PL_E_NOMEM;
  return PL_OK;
}

static pl_status build(pl_model *m, const pl_model_desc *d) {
  pl_env *env = m->env;
  m->npar = pl_par_grow(d, d->ngroup, 0);
  m->par0 = pl_alloc(env, (size_t)m->npar, sizeof(double));
  m->X0 = pl_alloc(env, (size_t)m->nq, sizeof(double));
  m->free_index = pl_alloc(env, (size_t)m->nq, sizeof(int));
  m->keep = pl_alloc(env, (size_t)m->nextra, sizeof(int));
  m->group = pl_alloc(env, (size_t)d->ngroup, sizeof *m->group);
  m->drive = pl_alloc(env, (size_t)d->ndrive, sizeof *m->drive);
  m->load = pl_alloc(env, (size_t)d->nload, sizeof *m->load);
  m->design = pl_alloc(env, (size_t)d->ndesign, sizeof *m->design);
  if (!m->par0 || !m->X0 || !m->free_index || !m->keep || !m->group || !m->drive || !m->load ||
      !m->design)
    return PL_E_NOMEM;
  int nn = d->nnode * d->dim;
  memcpy(m->X0, d->X, (size_t)nn * sizeof(double));
  if (d->extra) memcpy(m->X0 + nn, d->extra, (size_t)d->nextra * sizeof(double));
  m->par0[PL_PAR_ALPHA] = d->alpha;
  m->par0[PL_PAR_BETA] = d->beta;
  memcpy(m->par0 + PL_PAR_GRAVITY, d->gravity, 3 * sizeof(double));
  // the arrays are zeroed, so a half-copied model can be freed
  PL_TRY(copy_names(m, d->name));
  m->ngroup = d->ngroup;
  m->ndrive = d->ndrive;
  m->nload = d->nload;
  m->ndesign = d->ndesign;
  for (int k = 0; k < m->ngroup; k++) PL_TRY(copy_group(m, d, k));
  for (int k = 0; k < m->ndrive; k++) PL_TRY(copy_drive(m, d, k));
  for (int k = 0; k < m->nload; k++) PL_TRY(copy_load(m, d, k));
  for (int k = 0; k < m->ndesign; k++) PL_TRY(copy_design(m, d, k));
  PL_TRY(number_free(m));
  PL_TRY(build_pattern(m, 0, &m->A, &m->slot));
  PL_TRY(build_pattern(m, 1, &m->M, &m->mslot));
  PL_TRY(map_mass(m));
  return model_colour(m);
}

pl_status pl_model_create(pl_env *env, const pl_model_desc *desc, pl_model **out) {
  *out = NULL;
  PL_TRY(check_desc(env, desc));
  pl_model *m = pl_alloc(env, 1, sizeof *m);
  if (!m) return PL_E_NOMEM;
  m->env = env;
  m->dim = desc->dim;
  m->nnode = desc->nnode;
  m->nextra = desc->nextra;
  m->nq = desc->nnode * desc->dim + desc->nextra;
  pl_status s = build(m, desc);
  if (s != PL_OK) {
    pl_model_free(m);
    return s;
  }
  *out = m;
  return PL_OK;
}

void pl_model_free(pl_model *m) {
  if (!m) return;
  pl_env *env = m->env;
  for (int k = 0; m->group && k < m->ngroup; k++) {
    pl_free(env, m->group[k].name);
    pl_free(env, m->group[k].stencil);
    pl_free(env, m->group[k].dof);
    pl_free(env, m->group[k].twin);
  }
  for (int k = 0; m->drive && k < m->ndrive; k++) {
    pl_free(env, m->drive[k].node);
    pl_free(env, m->drive[k].name);
    pl_free(env, m->drive[k].harmonic);
    pl_free(env, m->drive[k].scal);
    pl_free(env, m->drive[k].carrier);
    pl_free(env, m->drive[k].edge);
    pl_free(env, m->drive[k].part);
    pl_free(env, m->drive[k].begin);
    free_course(env, &m->drive[k].over);
  }
  for (int k = 0; m->load && k < m->nload; k++) {
    pl_free(env, m->load[k].node);
    pl_free(env, m->load[k].share);
    free_course(env, &m->load[k].over);
  }
  for (int k = 0; m->design && k < m->ndesign; k++) {
    pl_free(env, (void *)m->design[k].name);
    pl_free(env, (void *)m->design[k].unit);
    pl_free(env, (void *)m->design[k].target);
  }
  for (int i = 0; m->name && i < m->nnode; i++) pl_free(env, m->name[i]);
  void *plain[] = {m->group,      m->drive,    m->load, m->design, m->par0,         m->X0,
                   m->free_index, m->free_dof, m->slot, m->mslot,  m->mass_to_free, m->block,
                   m->wait_ptr,   m->wait,     m->keep, m->name};
  for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++) pl_free(env, plain[k]);
  pl_csc_free(env, &m->A);
  pl_csc_free(env, &m->M);
  pl_free(env, m);
}

// ---- questions --------------------------------------------------------------------------------

int pl_model_dim(const pl_model *m) {
  return m->dim;
}
int pl_model_nnode(const pl_model *m) {
  return m->nnode;
}
int pl_model_nq(const pl_model *m) {
  return m->nq;
}
int pl_model_nfree(const pl_model *m) {
  return m->nfree;
}
const int *pl_model_free_dofs(const pl_model *m) {
  return m->free_dof;
}
const char *pl_model_node_name(const pl_model *m, int node) {
  return m->name ? m->name[node] : NULL;
}
const int *pl_model_free_index(const pl_model *m) {
  return m->free_index;
}
int pl_model_max_harmonic(const pl_model *m) {
  return m->max_harmonic;
}
int pl_model_ndrive(const pl_model *m) {
  return m->ndrive;
}
int pl_model_namplitude(const pl_model *m) {
  return m->namplitude;
}
int pl_model_circulatory(const pl_model *m) {
  for (int k = 0; k < m->ngroup; k++)
    if (m->group[k].kind->circulatory && m->group[k].nelem > 0) return 1;
  return 0;
}
int pl_model_timed(const pl_model *m) {
  for (int k = 0; k < m->ndrive; k++)
    if (m->drive[k].over.n) return 1;
  for (int k = 0; k < m->nload; k++)
    if (m->load[k].over.n) return 1;
  return 0;
}
const char *pl_model_drive_name(const pl_model *m, int k) {
  return m->drive[k].name;
}
int pl_model_drive_holds(const pl_model *m, int k) {
  return m->drive[k].nterm == 0;
}
int pl_model_drive_nodes(const pl_model *m, int k, const int **node, int *mask) {
  *node = m->drive[k].node;
  *mask = m->drive[k].mask;
  return m->drive[k].nnode;
}
int pl_model_ngroup(const pl_model *m) {
  return m->ngroup;
}
const pl_elem_kind *pl_model_group_kind(const pl_model *m, int k) {
  return m->group[k].kind;
}
int pl_model_group_rigid(const pl_model *m, int k) {
  return m->group[k].rigid;
}
const char *pl_model_group_name(const pl_model *m, int k) {
  return m->group[k].name;
}
int pl_model_group_size(const pl_model *m, int k) {
  return m->group[k].nelem;
}
const int *pl_model_group_dofs(const pl_model *m, int k) {
  return m->group[k].dof;
}
const int *pl_model_group_stencil(const pl_model *m, int k) {
  return m->group[k].stencil;
}
int pl_model_ndesign(const pl_model *m) {
  return m->ndesign;
}
const pl_design_desc *pl_model_design(const pl_model *m, int k) {
  return &m->design[k];
}
