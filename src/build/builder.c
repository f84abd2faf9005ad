// The builder: memory, nodes, elements, drives, loads, parameters.
#include "build_impl.h"

#include "pliant/math.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 15 }; // small things share pieces of this size

static pl_status create_in(pl_env *env, int dim, pl_builder **out) {
  if (dim < 1 || dim > 3)
    return pl_fail(env, PL_E_ARG, "a model has dimension 1, 2 or 3, got %d", dim);
  pl_builder *b = pl_alloc(env, 1, sizeof *b);
  if (!b) return PL_E_NOMEM;
  b->env = env;
  b->dim = dim;
  b->impl = pl_alloc(env, 1, sizeof *b->impl);
  pl_status s = b->impl ? pl_arena_create(env, 4096, &b->impl->arena) : PL_E_NOMEM;
  if (s == PL_OK)
    *out = b;
  else
    pl_builder_free(b);
  return s;
}

pl_status pl_builder_create(pl_env *env, int dim, pl_builder **out) {
  *out = NULL;
  if (env) return create_in(env, dim, out);
  pl_env *own = build_host_create();
  pl_status s = own ? create_in(own, dim, out) : PL_E_NOMEM;
  if (s == PL_OK)
    (*out)->impl->own = own;
  else
    build_host_free(own);
  return s;
}

void pl_builder_free(pl_builder *b) {
  if (!b) return;
  pl_env *env = b->env, *own = b->impl ? b->impl->own : NULL;
  for (int i = 0; b->impl && i < b->impl->nmesh; i++) pl_mesh_free(b->impl->mesh[i]);
  if (b->impl) pl_arena_free(b->impl->arena);
  pl_free(env, b->impl);
  pl_free(env, b);
  build_host_free(own);
}

// ---- memory -----------------------------------------------------------------------------------

void *pl_build_keep(pl_builder *b, size_t count, size_t size) {
  struct builder_impl *i = b->impl;
  size_t bytes;
  if (pl_mul_size(count, size, &bytes) || bytes > SIZE_MAX / 2) bytes = SIZE_MAX / 2;
  bytes = (bytes + 15) & ~(size_t)15;
  char *p = NULL;
  if (bytes > BLOCK / 4) {
    p = pl_arena_alloc(i->arena, bytes, 1);
  } else {
    // the arena rounds everything up
    if (bytes > i->block_left) {
      i->block = pl_arena_alloc(i->arena, BLOCK, 1);
      i->block_left = i->block ? BLOCK : 0;
    }
    if (bytes <= i->block_left) {
      p = i->block;
      i->block += bytes;
      i->block_left -= bytes;
    }
  }
  if (p)
    memset(p, 0, bytes);
  else
    b->failed = PL_E_NOMEM;
  return p;
}

int pl_build_grow(pl_builder *b, void *array, int n, int *cap, size_t size) {
  if (n < *cap) return 1;
  int want = *cap ? 2 * *cap : 16;
  void *grown = want > 0 ? pl_build_keep(b, (size_t)want, size) : NULL, *old;
  if (!grown) {
    b->failed = PL_E_NOMEM;
    return 0;
  }
  memcpy(&old, array, sizeof old);
  if (n > 0) memcpy(grown, old, (size_t)n * size);
  memcpy(array, &grown, sizeof grown);
  *cap = want;
  return 1;
}

void *keep_copy(pl_builder *b, int n, size_t size, const void *from) {
  void *p = pl_build_keep(b, (size_t)n + 1, size);
  if (p && n > 0) memcpy(p, from, (size_t)n * size);
  return p;
}

char *build_strdup(pl_builder *b, const char *s) {
  return keep_copy(b, (int)strlen(s), 1, s);
}

void build_problem(pl_builder *b, const void *origin, const char *hint, const char *fmt, ...) {
  char text[PL_TEXT];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  b->nproblem++;
  if (b->problem)
    b->problem(b->ctx, origin, hint, text);
  else
    pl_fail(b->env, PL_E_INPUT, "%s%s%s", text, hint ? "; " : "", hint ? hint : "");
}

static int usable(const pl_builder *b) {
  return b->failed == PL_OK && (b->nproblem == 0 || b->problem);
}

// ---- nodes ------------------------------------------------------------------------------------

int pl_build_node(pl_builder *b, const double *x, const char *name) {
  if (b->node_limit > 0 && b->nnode >= b->node_limit) return -1;
  if (!pl_build_grow(b, &b->label, b->nnode, &b->impl->label_cap, sizeof *b->label)) return -1;
  if (!pl_build_grow(b, &b->X, b->nnode, &b->impl->node_cap, 3 * sizeof *b->X)) return -1;
  memcpy(b->X + 3 * (size_t)b->nnode, x, 3 * sizeof *x);
  b->label[b->nnode] = name;
  return b->nnode++;
}

const char *pl_build_node_text(const pl_builder *b, int node, char *buf, size_t size) {
  const double *x = b->X + 3 * (size_t)node;
  if (b->label[node])
    snprintf(buf, size, "node '%.60s'", b->label[node]);
  else
    snprintf(buf, size, "the node at [%.4g, %.4g, %.4g] m", x[0], x[1], x[2]);
  return buf;
}

typedef struct by_x {
  double x;
  int node;
} by_x;

static int compare_x(const void *a, const void *b) {
  const by_x *p = a, *q = b;
  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : p->node - q->node;
}

// the earlier node within tol of x, or -1
static int match(const pl_builder *b, const by_x *sorted, int n, const double *x, double tol) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (sorted[mid].x < x[0] - tol)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo < n && sorted[lo].x <= x[0] + tol; lo++) {
    double d[3];
    pl_sub3(b->X + 3 * (size_t)sorted[lo].node, x, d);
    if (pl_norm3(d) <= tol) return sorted[lo].node;
  }
  return -1;
}

int pl_build_mesh_nodes(pl_builder *b, const pl_mesh *m, double weld, int *node) {
  int before = b->nnode, done = 0;
  by_x *sorted = NULL;
  if (weld >= 0) {
    sorted = pl_alloc(b->env, (size_t)before + 1, sizeof *sorted);
    if (!sorted) {
      b->failed = PL_E_NOMEM;
      return 0;
    }
    for (int i = 0; i < before; i++) sorted[i] = (by_x){b->X[3 * (size_t)i], i};
    qsort(sorted, (size_t)before, sizeof *sorted, compare_x);
  }
  for (int i = 0; i < m->nvert; i++, done++) {
    const double *x = m->X + 3 * (size_t)i;
    int same = weld >= 0 ? match(b, sorted, before, x, weld) : -1;
    node[i] = same >= 0 ? same : pl_build_node(b, x, NULL);
    if (node[i] < 0) break;
  }
  pl_free(b->env, sorted);
  return done == m->nvert;
}

// ---- elements ---------------------------------------------------------------------------------

int pl_build_group(pl_builder *b, const char *name, const pl_elem_kind *kind, int nelem, int shared,
                   int lumped, int **stencil) {
  struct builder_impl *m = b->impl;
  if (!pl_build_grow(b, &b->group, b->ngroup, &m->group_cap, sizeof *b->group)) return -1;
  if (!pl_build_grow(b, &b->cells, b->ngroup, &m->cells_cap, sizeof *b->cells)) return -1;
  if (!pl_build_grow(b, &b->law, b->ngroup, &m->law_cap, sizeof *b->law)) return -1;
  if (!pl_build_grow(b, &b->grow, b->ngroup, &m->grow_cap, sizeof *b->grow)) return -1;
  if (!pl_build_grow(b, &b->grow_by, b->ngroup, &m->grow_by_cap, sizeof *b->grow_by)) return -1;
  if (!pl_build_grow(b, &b->rigid, b->ngroup, &m->rigid_cap, sizeof *b->rigid)) return -1;
  int nset = shared ? 1 : nelem;
  int *to = pl_build_keep(b, (size_t)nelem * (size_t)(kind->nvert + kind->nscal) + 1, sizeof *to);
  double *par = pl_build_keep(b, (size_t)nset * (size_t)kind->npar + 1, sizeof *par);
  char *copy = build_strdup(b, name);
  if (!to || !par || !copy) return -1;
  for (int e = 0; e < nset; e++)
    for (int i = 0; i < kind->npar; i++) par[e * kind->npar + i] = kind->par[i].value;
  b->law[b->ngroup] = NULL;
  b->grow[b->ngroup] = NULL;
  b->grow_by[b->ngroup] = -1;
  b->rigid[b->ngroup] = 0;
  b->cells[b->ngroup] = (pl_group_cells){.body = -1, .type = -1};
  b->group[b->ngroup] = (pl_group_desc){.name = copy,
                                        .kind = kind,
                                        .nelem = nelem,
                                        .stencil = to,
                                        .shared = shared,
                                        .par = par,
                                        .lumped = lumped};
  *stencil = to;
  return b->ngroup++;
}

int par_index(const pl_elem_kind *k, const char *name) {
  int i = 0;
  while (i < k->npar && strcmp(k->par[i].name, name) != 0) i++;
  return i < k->npar ? i : -1;
}

void pl_build_par(pl_builder *b, int group, int elem, const char *name, const pl_value *value) {
  if (group < 0) return;
  const pl_group_desc *g = &b->group[group];
  int i = par_index(g->kind, name);
  if (i < 0) return;
  // the description holds const arrays; they are ours
  ((double *)g->par)[(g->shared ? 0 : elem) * g->kind->npar + i] = value->v;
  pl_build_follow(b, PL_AT_GROUP, group, elem, i, value, 1);
}

int pl_build_element(pl_builder *b, const pl_elem_kind *kind, const int *node,
                     const pl_setting *par) {
  int *stencil;
  if (!kind) build_problem(b, NULL, NULL, "an element is of no known kind");
  int group = kind ? pl_build_group(b, kind->name, kind, 1, 1, 0, &stencil) : -1;
  if (group < 0) return -1;
  memcpy(stencil, node, (size_t)(kind->nvert + kind->nscal) * sizeof *stencil);
  for (; par && par->name; par++) {
    if (par_index(kind, par->name) < 0)
      build_problem(b, NULL, NULL, "a %s has no parameter '%s'", kind->name, par->name);
    pl_build_par(b, group, 0, par->name, &par->value);
  }
  return group;
}

int pl_build_line(pl_builder *b, int node0, int node1) {
  struct builder_impl *m = b->impl;
  if (!pl_build_grow(b, &m->line, m->nline, &m->line_cap, 2 * sizeof *m->line)) return -1;
  m->line[2 * m->nline] = node0;
  m->line[2 * m->nline + 1] = node1;
  return m->nline++;
}

// lines follow the segments of all bodies, which are counted in the end
void pl_build_lines_of(pl_builder *b, int group, int first) {
  if (group >= 0 && first >= 0) b->cells[group] = (pl_group_cells){-1, PL_SEG2, first};
}

// ---- drives and loads -------------------------------------------------------------------------

static const pl_course *keep_course(pl_builder *b, const pl_course *from) {
  pl_course *s = from ? keep_copy(b, 1, sizeof *s, from) : NULL;
  if (!s) return NULL;
  s->t = keep_copy(b, s->n, sizeof *s->t, from->t);
  s->v = keep_copy(b, s->n, sizeof *s->v, from->v);
  if (from->rate) s->rate = keep_copy(b, s->n, sizeof *s->rate, from->rate);
  return s;
}

int pl_build_drive(pl_builder *b, const pl_drive_desc *d, int clamp, const void *origin) {
  static const char unnamed[] = "";
  struct builder_impl *m = b->impl;
  if (!pl_build_grow(b, &b->drive, b->ndrive, &m->drive_cap, sizeof *b->drive)) return -1;
  if (!pl_build_grow(b, &b->clamp, b->ndrive, &m->clamp_cap, sizeof *b->clamp)) return -1;
  pl_drive_desc *to = &b->drive[b->ndrive];
  *to = *d;
  to->node = keep_copy(b, d->nnode, sizeof *d->node, d->node);
  to->term = keep_copy(b, d->nterm, sizeof *d->term, d->term);
  to->scal = d->nscal > 0 ? keep_copy(b, d->nscal, sizeof *d->scal, d->scal) : NULL;
  to->edge = d->edge ? keep_copy(b, 2 * d->nscal, sizeof *d->edge, d->edge) : NULL;
  to->over = keep_course(b, d->over);
  b->clamp[b->ndrive] = clamp == PL_HOLD_CLAMP ? origin ? origin : unnamed : NULL;
  return b->failed ? -1 : b->ndrive++;
}

int pl_build_fix(pl_builder *b, int n, const int *node, int clamp) {
  const pl_drive_desc d = {.name = "fixed", .nnode = n, .node = node, .mask = (1 << b->dim) - 1};
  return pl_build_drive(b, &d, clamp, NULL);
}

int pl_build_shake(pl_builder *b, int n, const int *node, const double *amplitude, int clamp) {
  pl_term term = {.harmonic = 1};
  for (int c = 0; c < b->dim; c++) term.amplitude[c] = amplitude[c];
  const pl_drive_desc d = {.name = "shaker",
                           .nnode = n,
                           .node = node,
                           .mask = (1 << b->dim) - 1,
                           .nterm = 1,
                           .term = &term};
  return pl_build_drive(b, &d, clamp, NULL);
}

int pl_build_load_form(pl_builder *b, const pl_load_desc *d, const pl_load_form *form) {
  struct builder_impl *m = b->impl;
  if (!pl_build_grow(b, &b->load, b->nload, &m->load_cap, sizeof *b->load)) return -1;
  if (!pl_build_grow(b, &b->form, b->nload, &m->form_cap, sizeof *b->form)) return -1;
  pl_load_form *to = &b->form[b->nload];
  b->load[b->nload] = *d;
  b->load[b->nload].node = keep_copy(b, d->nnode, sizeof *d->node, d->node);
  *to = *form;
  if (form->share) to->share = keep_copy(b, d->nnode, sizeof *form->share, form->share);
  to->over = keep_course(b, form->over);
  return b->failed ? -1 : b->nload++;
}

int pl_build_load(pl_builder *b, const pl_load_desc *d) {
  return pl_build_load_form(b, d, &(pl_load_form){0});
}

int pl_build_amplitude(pl_builder *b, const char *name, const pl_term *term,
                       const pl_course *over) {
  int scal = b->nextra;
  const pl_drive_desc d = {.name = name,
                           .kind = PL_DRIVE_AMPLITUDE,
                           .nterm = 1,
                           .term = term,
                           .nscal = 1,
                           .scal = &scal,
                           .over = over};
  if (b->extra) {
    double *more = pl_build_keep(b, (size_t)b->nextra + 1, sizeof *more);
    if (!more) return -1;
    memcpy(more, b->extra, (size_t)b->nextra * sizeof *more);
    b->extra = more;
  }
  if (pl_build_drive(b, &d, PL_HOLD_NODES, NULL) < 0) return -1;
  b->nextra++;
  return (b->nnode + b->ncopy) * b->dim + scal;
}

void pl_build_swell(pl_builder *b, int group, const pl_value *value, const double *each) {
  if (group < 0) return;
  const pl_group_desc *g = &b->group[group];
  int n = g->shared ? 1 : g->nelem;
  double *grow = pl_build_keep(b, (size_t)n + 1, sizeof *grow);
  for (int e = 0; grow && e < n; e++) {
    grow[e] = each && !g->shared ? each[e] : value->v;
    pl_build_follow(b, PL_AT_GROW, group, e, 0, value, 1);
  }
  b->grow[group] = grow;
}

void pl_build_swell_over(pl_builder *b, int body, int amplitude) {
  for (int g = 0; g < b->ngroup; g++)
    if (b->cells[g].body == body && b->grow[g]) b->grow_by[g] = amplitude;
}

// ---- parameters -------------------------------------------------------------------------------

int pl_build_parameter(pl_builder *b, const char *name, const char *unit, double value, double min,
                       double max) {
  struct builder_impl *m = b->impl;
  if (!pl_build_grow(b, &m->parameter, m->nparameter, &m->parameter_cap, sizeof *m->parameter))
    return 0;
  m->parameter[m->nparameter] = (pl_design_desc){.name = build_strdup(b, name),
                                                 .unit = build_strdup(b, unit),
                                                 .value = value,
                                                 .min = min,
                                                 .max = max};
  return b->failed ? 0 : ++m->nparameter;
}

void pl_build_follow(pl_builder *b, pl_place place, int i, int j, int k, const pl_value *value,
                     double factor) {
  struct builder_impl *m = b->impl;
  if (value->par <= 0) return;
  if (!pl_build_grow(b, &m->target, m->ntarget, &m->target_cap, sizeof *m->target)) return;
  m->target[m->ntarget++] = (target_desc){place, i, j, k, value->par, value->coef * factor};
}

// what the layout of parameters depends on
static pl_model_desc describe(const pl_builder *b) {
  pl_model_desc d = {.dim = b->dim,
                     .nnode = b->nnode + b->ncopy,
                     .nextra = b->nextra,
                     .extra = b->extra,
                     .alias = b->impl->alias,
                     .ngroup = b->ngroup,
                     .ndrive = b->ndrive,
                     .nload = b->nload,
                     .ndesign = b->impl->nparameter,
                     .group = b->group,
                     .law = b->law,
                     .grow = b->grow,
                     .grow_by = b->grow_by,
                     .rigid = b->rigid,
                     .drive = b->drive,
                     .load = b->load,
                     .form = b->form,
                     .alpha = b->alpha,
                     .beta = b->beta};
  memcpy(d.gravity, b->gravity, sizeof d.gravity);
  return d;
}

static int index_of(const pl_model_desc *d, pl_place place, int i, int j, int k) {
  switch (place) {
  case PL_AT_GROUP:
    return pl_par_group(d, i, j) + k;
  case PL_AT_GROW:
    return pl_par_grow(d, i, j);
  case PL_AT_DRIVE:
    return pl_par_drive(d, i, j) + k;
  case PL_AT_LOAD:
    return pl_par_load(d, i) + k;
  case PL_AT_PAR:
    return i;
  case PL_AT_X:
    return i * d->dim + j;
  }
  return -1;
}

int pl_build_index(const pl_builder *b, pl_place place, int i, int j, int k) {
  pl_model_desc d = describe(b);
  return index_of(&d, place, i, j, k);
}

// parameters with all places where they act
static pl_design_desc *designs(pl_builder *b, const pl_model_desc *d) {
  const struct builder_impl *m = b->impl;
  int n = m->nparameter;
  pl_design_desc *design = keep_copy(b, n, sizeof *design, m->parameter);
  pl_target **list = pl_build_keep(b, (size_t)n + 1, sizeof *list);
  if (!design || !list) return NULL;
  for (int k = 0; k < m->ntarget; k++) design[m->target[k].par - 1].ntarget++;
  for (int k = 0; k < n; k++) {
    list[k] = pl_build_keep(b, (size_t)design[k].ntarget + 1, sizeof **list);
    if (!list[k]) return NULL;
    design[k].target = list[k];
    design[k].ntarget = 0;
  }
  for (int k = 0; k < m->ntarget; k++) {
    const target_desc *t = &m->target[k];
    pl_design_desc *to = &design[t->par - 1];
    list[t->par - 1][to->ntarget++] =
        (pl_target){t->place == PL_AT_X, index_of(d, t->place, t->i, t->j, t->k), t->coef};
  }
  return design;
}

// ---- the model --------------------------------------------------------------------------------

static double *coordinates(pl_builder *b) {
  int n = b->nnode + b->ncopy;
  double *X = pl_build_keep(b, (size_t)n * (size_t)b->dim + 1, sizeof *X);
  for (int i = 0; X && i < n; i++) {
    size_t at = (size_t)(i < b->nnode ? i : b->copy[i - b->nnode]);
    for (int c = 0; c < b->dim; c++) X[i * b->dim + c] = b->X[3 * at + c];
    int axis = i >= b->nnode && b->impl->copy_axis ? b->impl->copy_axis[i - b->nnode] : -1;
    if (axis >= 0) X[i * b->dim + axis] = b->impl->copy_place[i - b->nnode];
  }
  return X;
}

// all cells of all bodies, and the lines; copies of nodes stay out of sight
static pl_status make_mesh(pl_builder *b, pl_mesh **out) {
  const struct builder_impl *m = b->impl;
  int segments = 0;
  PL_TRY(pl_mesh_create(b->env, "model", b->nnode, out));
  if (b->nnode > 0) memcpy((*out)->X, b->X, 3 * (size_t)b->nnode * sizeof(double));
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    int n = t == PL_SEG2 ? m->nline : 0, nv = pl_cell_nvert[t], at = 0;
    for (int k = 0; k < b->nbody; k++) n += b->body[k].desc.mesh->cell[t].n;
    if (t == PL_SEG2) segments = n - m->nline;
    if (n == 0) continue;
    PL_TRY(pl_mesh_set_cells(*out, t, n));
    int *v = (*out)->cell[t].v;
    for (int k = 0; k < b->nbody; k++) {
      const pl_cells *c = &b->body[k].desc.mesh->cell[t];
      for (int g = 0; g < b->ngroup; g++)
        if (b->cells[g].body == k && b->cells[g].type == t) b->cells[g].first += at / nv;
      for (int i = 0; i < c->n * nv; i++) v[at++] = b->body[k].node[c->v[i]];
    }
    if (t == PL_SEG2 && m->nline > 0) memcpy(v + at, m->line, 2 * (size_t)m->nline * sizeof *v);
  }
  for (int g = 0; g < b->ngroup; g++)
    if (b->cells[g].body < 0 && b->cells[g].type == PL_SEG2) b->cells[g].first += segments;
  return PL_OK;
}

pl_status pl_build_join(pl_builder *b) {
  if (b->impl->joined) return PL_OK;
  b->impl->joined = 1;
  if (!usable(b)) return b->failed ? b->failed : PL_E_INPUT;
  joins_prepare(b);
  if (!usable(b)) return b->failed ? b->failed : PL_E_INPUT;
  PL_TRY(join_shells(b));
  PL_TRY(join_rods(b));
  return joins_finish(b);
}

// of nodes and of the copies that clamps have of them
static const char **names(pl_builder *b) {
  const char **name = pl_build_keep(b, (size_t)(b->nnode + b->ncopy), sizeof *name);
  for (int i = 0; name && i < b->nnode + b->ncopy; i++)
    name[i] = b->label[i < b->nnode ? i : b->copy[i - b->nnode]];
  return name;
}

// off[ndrive]: shells whose clamp has let go look at the nodes that its copies stood for
static void loosen_edges(pl_builder *b, const char *off, pl_model_desc *d) {
  char *loose = pl_build_keep(b, (size_t)b->ncopy + 1, 1);
  int any = 0;
  for (int k = 0; loose && k < b->ndrive; k++) {
    const pl_drive_desc *p = &b->drive[k];
    for (int i = p->nplace; off[k] && p->nplace > 0 && i < p->nnode; i++)
      any = loose[p->node[i] - b->nnode] = 1;
  }
  pl_group_desc *own = any ? keep_copy(b, b->ngroup, sizeof *own, b->group) : NULL;
  for (int g = 0; own && g < b->ngroup; g++) {
    int nv = own[g].kind->nvert, width = nv + own[g].kind->nscal, n = own[g].nelem * width;
    if (!is_shell6(own[g].kind)) continue;
    int *stencil = keep_copy(b, n, sizeof *stencil, own[g].stencil);
    for (int i = 0; stencil && i < n; i++) {
      int copy = i % width < nv ? stencil[i] - b->nnode : -1;
      if (copy >= 0 && loose[copy]) stencil[i] = b->copy[copy];
    }
    own[g].stencil = stencil;
  }
  if (own) d->group = own;
}

// drives that are off at first hold no edges
static void loosen_first(pl_builder *b, pl_model_desc *d) {
  char *off = pl_build_keep(b, (size_t)b->ndrive + 1, 1);
  for (int k = 0; off && k < b->ndrive; k++) off[k] = (char)b->drive[k].off;
  if (off) loosen_edges(b, off, d);
}

pl_status pl_build_model(pl_builder *b, pl_built *out) {
  *out = (pl_built){0};
  pl_status s = pl_build_constraints(b);
  if (b->failed) return b->failed;
  if (b->nproblem > 0) return PL_E_INPUT;
  PL_TRY(s);
  pl_model_desc d = describe(b);
  loosen_first(b, &d);
  d.X = coordinates(b);
  d.name = names(b);
  d.design = designs(b, &d);
  if (!d.X || !d.name || !d.design) return PL_E_NOMEM;
  s = joins_stiffen(b, &d);
  if (s == PL_OK) s = pl_model_create(b->env, &d, &out->model);
  if (s == PL_OK) s = pl_params_create(out->model, &out->params);
  if (s == PL_OK) s = make_mesh(b, &out->mesh);
  if (s != PL_OK) pl_built_free(out);
  return s;
}

// ---- stages -----------------------------------------------------------------------------------

// a factor from one value to another
static const pl_course *ramp(pl_builder *b, double from, double to) {
  pl_course *c = pl_build_keep(b, 1, sizeof *c);
  double *x = pl_build_keep(b, 4, sizeof *x);
  if (!c || !x) return NULL;
  x[1] = 1;
  x[2] = from;
  x[3] = to;
  *c = (pl_course){.n = 2, .t = x, .v = x + 2};
  return c;
}

// terms times a factor, or with a course from one to another
static const pl_term *stage_terms(pl_builder *b, int n, const pl_term *term, double factor) {
  pl_term *own = keep_copy(b, n, sizeof *own, term);
  for (int t = 0; own && t < n; t++)
    for (int c = 0; c < 3; c++) own[t].amplitude[c] *= factor;
  return own;
}

// where the nodes and scalars of a drive are: copies of nodes move with a clamp, or, when it has
// let go, are where their nodes are
static const double *places(pl_builder *b, const pl_drive_desc *d, const double *q, int loose) {
  int dim = b->dim, first = dim * (b->nnode + b->ncopy);
  double *x = pl_build_keep(b, (size_t)(d->nnode * dim + d->nscal) + 1, sizeof *x);
  for (int i = 0; x && i < d->nnode; i++) {
    int at = d->node[i];
    if (loose && at >= b->nnode) at = b->copy[at - b->nnode];
    memcpy(x + i * dim, q + at * dim, (size_t)dim * sizeof *x);
  }
  for (int i = 0; x && i < d->nscal; i++) x[d->nnode * dim + i] = q[first + d->scal[i]];
  return x;
}

// drives that take hold of nodes do it where these are
static void stage_begin(pl_builder *b, const pl_stage *to, const pl_stage *from, int k,
                        pl_drive_desc *d) {
  int loose = from && from->off && from->off[k], held = from && from->hold && from->hold[k];
  d->hold = to->hold && to->hold[k];
  if (d->off || !to->q || d->kind == PL_DRIVE_AMPLITUDE) return;
  if (d->hold || ((loose || held) && to->ramp)) d->begin = places(b, d, to->q, loose);
}

static void stage_drives(pl_builder *b, const pl_stage *to, const pl_stage *from,
                         pl_model_desc *d) {
  pl_drive_desc *own = keep_copy(b, b->ndrive, sizeof *own, b->drive);
  for (int k = 0; own && k < b->ndrive; k++) {
    own[k].off = to->off[k];
    stage_begin(b, to, from, k, &own[k]);
    if (to->ramp && !own[k].over && own[k].nterm > 0)
      own[k].over = ramp(b, from->drive[k], to->drive[k]);
    else
      own[k].term = stage_terms(b, own[k].nterm, own[k].term, to->drive[k]);
  }
  d->drive = own;
}

// gravity that changes on the way is a load on all that has mass
static void stage_loads(pl_builder *b, const pl_stage *to, const pl_stage *from, pl_model_desc *d) {
  // keep_copy leaves room for one more
  pl_load_desc *own = keep_copy(b, b->nload, sizeof *own, b->load);
  pl_load_form *form = keep_copy(b, b->nload, sizeof *form, b->form);
  for (int k = 0; own && form && k < b->nload; k++) {
    if (from && !form[k].over)
      form[k].over = ramp(b, from->load[k], to->load[k]);
    else
      for (int c = 0; c < 3; c++) own[k].term.amplitude[c] *= to->load[k];
  }
  for (int c = 0; own && form && c < 3; c++) {
    d->gravity[c] = from ? 0 : to->gravity * b->gravity[c];
    own[b->nload].term.amplitude[c] = -b->gravity[c];
  }
  d->load = own;
  d->form = form;
  if (!own || !form || !from) return;
  own[b->nload].name = "gravity";
  form[b->nload] = (pl_load_form){.inertial = 1, .over = ramp(b, from->gravity, to->gravity)};
  d->nload = b->nload + 1;
}

// how a parameter acts under the factors of a stage that is no ramp
static double stage_share(const pl_stage *to, const target_desc *t) {
  if (t->place == PL_AT_DRIVE && t->k < 3) return to->drive[t->i];
  if (t->place == PL_AT_LOAD && t->k < 3) return to->load[t->i];
  if (t->place == PL_AT_PAR && t->i >= PL_PAR_GRAVITY && t->i < PL_PAR_FIRST) return to->gravity;
  return 1;
}

static pl_status stage_model(pl_builder *b, pl_env *env, const pl_stage *stage,
                             const pl_stage *from, pl_model **model, pl_params **params) {
  struct builder_impl *m = b->impl;
  const pl_stage *before = stage->ramp ? from : NULL;
  pl_model_desc d = describe(b);
  stage_drives(b, stage, from, &d);
  stage_loads(b, stage, before, &d);
  loosen_edges(b, stage->off, &d);
  m->target = keep_copy(b, m->ntarget, sizeof *m->target, m->target);
  for (int k = 0; m->target && k < m->ntarget && !before; k++)
    m->target[k].coef *= stage_share(stage, &m->target[k]);
  d.X = coordinates(b);
  d.name = names(b);
  d.design = b->failed ? NULL : designs(b, &d);
  if (b->failed || !d.design) return PL_E_NOMEM;
  PL_TRY(pl_model_create(env, &d, model));
  return pl_params_create(*model, params);
}

int pl_build_releases(const pl_builder *b, int drive) {
  const pl_drive_desc *d = &b->drive[drive];
  char *copy = d->nplace > 0 && d->nplace < d->nnode ? pl_alloc(b->env, (size_t)b->ncopy, 1) : NULL;
  int yes = d->nplace == 0 || d->nplace == d->nnode || copy != NULL;
  for (int i = d->nplace; copy && i < d->nnode; i++) copy[d->node[i] - b->nnode] = 1;
  for (int g = 0; copy && g < b->ngroup && yes; g++) {
    const pl_group_desc *p = &b->group[g];
    int nv = p->kind->nvert, width = nv + p->kind->nscal;
    for (int i = 0; !is_shell6(p->kind) && i < p->nelem * width; i++) {
      int at = i % width < nv ? p->stencil[i] - b->nnode : -1;
      if (at >= 0 && copy[at]) yes = 0;
    }
  }
  pl_free(b->env, copy);
  return yes;
}

int pl_build_grips(const pl_builder *b, int drive) {
  const pl_drive_desc *d = &b->drive[drive];
  for (int i = 0; i < d->nscal; i++)
    if (!d->edge || d->edge[2 * i] != PL_SCALAR_STAYS) return 0;
  return pl_build_releases(b, drive);
}

pl_status pl_build_stage(const pl_builder *b, pl_env *env, const pl_stage *stage,
                         const pl_stage *before, pl_model **model, pl_params **params) {
  // memory of its own: the builder may be looked at by others
  struct builder_impl impl = *b->impl;
  pl_builder own = *b;
  own.env = env;
  own.impl = &impl;
  impl.block_left = 0;
  *model = NULL;
  *params = NULL;
  PL_TRY(pl_arena_create(env, 4096, &impl.arena));
  pl_status s = stage_model(&own, env, stage, before, model, params);
  pl_arena_free(impl.arena);
  if (s == PL_OK) return PL_OK;
  pl_model_free(*model);
  *model = NULL;
  return s;
}

pl_status pl_build_all(pl_builder *b, int nthread, pl_built *out) {
  pl_status s = pl_build_model(b, out);
  if (s == PL_OK) s = pl_state_create(out->model, out->params, &out->state);
  if (s == PL_OK) s = pl_work_create(out->model, nthread, &out->work);
  if (s == PL_OK) s = make_constraints(b, nthread, out);
  if (s != PL_OK) pl_built_free(out);
  // models outlive their builder, and so does their host
  out->env = b->impl->own;
  b->impl->own = NULL;
  pl_builder_free(b);
  return s;
}
