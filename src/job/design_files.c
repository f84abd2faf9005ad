// What a design writes: tables, plots, pictures, and the scene with the values found.
#include "run_design.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

const char *const side_name[SIDES] = {"before", "after"};

const char *design_file(const designing *t, const char *what, int point, char buf[PL_TEXT]) {
  if (point == 0)
    snprintf(buf, PL_TEXT, "%.100s-%.150s", t->a->name, what);
  else
    snprintf(buf, PL_TEXT, "%.100s-%.150s-%d", t->a->name, what, point + 1);
  return buf;
}

// ---- tables -----------------------------------------------------------------------------------

static pl_status convergence_columns(const designing *t, pl_table *table) {
  static const char *const names[] = {"iteration",   "value",    "gradient", "step",
                                      "evaluations", "failures", "newton",   "factorisations"};
  int n = sizeof names / sizeof names[0];
  for (int k = 0; k < n; k++) PL_TRY(pl_table_column(table, k, names[k], ""));
  PL_TRY(pl_table_column(table, n, "seconds", "s"));
  for (int k = 0; k < t->nvar; k++)
    PL_TRY(pl_table_column(table, n + 1 + k, t->name[k], t->unit[k]));
  return PL_OK;
}

static pl_status write_convergence(const designing *t) {
  enum { FIXED = 9 };
  const pl_design_result *r = t->r;
  pl_table *table = NULL;
  char name[PL_TEXT];
  double *row = pl_alloc(t->j->env, FIXED + (size_t)t->nvar, sizeof *row);
  pl_status st = row ? pl_table_create(t->j->env, FIXED + t->nvar, &table) : PL_E_NOMEM;
  if (st == PL_OK) st = convergence_columns(t, table);
  for (int i = 0; st == PL_OK && i < r->nstep; i++) {
    const pl_design_step *s = &r->step[i];
    double head[FIXED] = {i,           s->value,  s->gradient,       s->step,   s->evaluations,
                          s->failures, s->newton, s->factorisations, s->seconds};
    memcpy(row, head, sizeof head);
    memcpy(row + FIXED, r->path + (size_t)i * (size_t)t->nvar, (size_t)t->nvar * sizeof *row);
    st = pl_table_row(table, row);
  }
  if (st == PL_OK) st = job_table(t->j, table, design_file(t, "convergence", 0, name), ".csv");
  pl_table_free(table);
  pl_free(t->j->env, row);
  return st;
}

static pl_status write_parameters(const designing *t) {
  const pl_design_result *r = t->r;
  pl_text out;
  char name[PL_TEXT];
  pl_text_init(&out, t->j->env);
  pl_text_add(&out, "name,unit,before,after,min,max,gradient,at_bound\n");
  for (int k = 0; k < t->nvar; k++)
    pl_text_add(&out, "%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%d\n", t->name[k], t->unit[k],
                r->before[k], r->after[k], t->lo[k], t->hi[k], r->gradient[k], r->bound[k]);
  return job_text(t->j, design_file(t, "parameters", 0, name), &out);
}

// ---- trajectories -----------------------------------------------------------------------------

pl_status trace_orbit(job *j, const pl_orbit *o, int node, double phase, int n, double *x) {
  const pl_scene *sc = j->scene;
  pl_state *s;
  PL_TRY(pl_state_create(sc->model, sc->params, &s));
  for (int i = 0; i < n; i++) {
    pl_orbit_state(sc->model, sc->params, o, phase + 2 * PL_PI * i / (n - 1), s);
    memcpy(x + (size_t)i * (size_t)sc->dim, s->q + (size_t)node * (size_t)sc->dim,
           (size_t)sc->dim * sizeof *x);
  }
  pl_state_free(sc->model, s);
  return PL_OK;
}

// the two widest axes of all traces, ascending
static void widest_axes(int dim, int ntrace, const trace *t, int axis[2]) {
  double extent[3] = {0};
  for (int c = 0; c < dim; c++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int k = 0; k < ntrace; k++)
      for (int i = 0; i < t[k].n; i++) {
        lo = fmin(lo, t[k].x[i * dim + c]);
        hi = fmax(hi, t[k].x[i * dim + c]);
      }
    extent[c] = hi - lo;
  }
  int skip = 2;
  for (int c = 0; dim == 3 && c < 2; c++)
    if (extent[c] < extent[skip]) skip = c;
  axis[0] = skip == 0;
  axis[1] = skip == 2 ? 1 : 2;
}

pl_status traces_plot(job *j, const char *file, const char *title, int ntrace, const trace *t,
                      double period, const char *caption) {
  static const char *const labels[] = {"x (m)", "y (m)", "z (m)"};
  int dim = j->scene->dim, axis[2] = {0, 0}, total = 0;
  pl_series series[8];
  for (int k = 0; k < ntrace; k++) total += t[k].n;
  double *xy = pl_alloc(j->env, 2 * (size_t)total + 1, sizeof *xy), *at = xy;
  if (!xy) return PL_E_NOMEM;
  if (dim > 1) widest_axes(dim, ntrace, t, axis);
  for (int k = 0; k < ntrace; k++) {
    double *y = at + t[k].n;
    for (int i = 0; i < t[k].n; i++) {
      at[i] = dim > 1 ? t[k].x[i * dim + axis[0]] : period * i / (t[k].n - 1);
      y[i] = t[k].x[i * dim + axis[1]];
    }
    series[k] = (pl_series){.name = t[k].name,
                            .n = t[k].n,
                            .x = at,
                            .y = y,
                            .dashed = t[k].dashed,
                            .colour = t[k].colour};
    at = y + t[k].n;
  }
  pl_plot plot = {.title = title,
                  .xlabel = dim > 1 ? labels[axis[0]] : "time (s)",
                  .ylabel = labels[axis[1]],
                  .equal = dim > 1,
                  .nseries = ntrace,
                  .series = series,
                  .height = dim > 1 ? 480 : 0};
  pl_status st = job_plot(j, file, &plot, caption);
  pl_free(j->env, xy);
  return st;
}

// the trajectory objective that has a node, -1: none
static int find_target(const designing *t, int point, int node, int *which) {
  for (int k = 0; k < t->nobj; k++) {
    const pl_objective *o = &t->plan->problem.objective[k];
    if (!o->kind->curves || o->point != point) continue;
    for (int i = 0; i < o->nnode; i++)
      if (o->node[i] == node) {
        *which = i;
        return k;
      }
  }
  return -1;
}

// the target over one period; where places do not count it is drawn about the motion's mean
static void trace_target(const designing *t, int k, int which, const double *motion, double *x) {
  const pl_objective *o = &t->plan->problem.objective[k];
  int dim = t->j->scene->dim, L = 2 * o->nharm + 1;
  for (int c = 0; c < dim; c++) {
    const double *z = o->coef + (size_t)(which * dim + c) * (size_t)L;
    double mean = 0;
    for (int i = 0; i < TRACE - 1; i++) mean += motion[i * dim + c] / (TRACE - 1);
    for (int i = 0; i < TRACE; i++) {
      double phase = 2 * PL_PI * i / (TRACE - 1), v = o->means ? z[0] : mean;
      for (int h = 1; h <= o->nharm; h++)
        v += z[2 * h - 1] * sin(h * phase) + z[2 * h] * cos(h * phase);
      x[i * dim + c] = v;
    }
  }
}

// motions of a probed node before and after, and its target: [3][TRACE][dim]; with a target all
// begin where it begins
static pl_status read_traces(const designing *t, int point, int probe, double *x, int *target) {
  int dim = t->j->scene->dim, node = t->a->probe[probe].node, which = 0;
  size_t per = TRACE * (size_t)dim;
  *target = find_target(t, point, node, &which);
  for (int side = 0; side < SIDES; side++) {
    double phase = *target >= 0 ? t->phase[side][*target] : 0;
    PL_TRY(job_use(t->j, t->state[side]));
    PL_TRY(trace_orbit(t->j, t->orbit[side][point], node, phase, TRACE, x + (size_t)side * per));
  }
  if (*target >= 0) trace_target(t, *target, which, x + per, x + 2 * per);
  return PL_OK;
}

static pl_status plot_traces(const designing *t, int point, int probe, const double *x,
                             int target) {
  int dim = t->j->scene->dim;
  size_t per = TRACE * (size_t)dim;
  double omega = t->orbit[1][point]->omega;
  // the smaller motion is mostly the one before: it is drawn on top
  trace list[3] = {
      {.name = "after", .x = x + per, .n = TRACE, .colour = 0},
      {.name = "before", .x = x, .n = TRACE, .dashed = 1, .colour = 1},
      {.name = "target", .x = x + 2 * per, .n = TRACE, .dashed = 2, .colour = 3},
  };
  char title[PL_TEXT], what[PL_TEXT], name[PL_TEXT];
  snprintf(title, sizeof title, "%s of %.100s at %.5g Hz", dim > 1 ? "path" : "motion",
           t->a->probe[probe].name, omega / (2 * PL_PI));
  snprintf(what, sizeof what, "%.100s-path", t->a->probe[probe].name);
  return traces_plot(t->j, design_file(t, what, point, name), title, target >= 0 ? 3 : 2, list,
                     2 * PL_PI / omega, "One period before and after the design.");
}

static pl_status trajectory_columns(const designing *t, const int *target, pl_table *table) {
  int at = 1, dim = t->j->scene->dim;
  char name[PL_TEXT];
  PL_TRY(pl_table_column(table, 0, "time", "s"));
  for (int k = 0; k < t->a->nprobe; k++)
    for (int side = 0; side < 2 + (target[k] >= 0); side++)
      for (int c = 0; c < dim; c++) {
        snprintf(name, sizeof name, "%.200s_%c_%s", t->a->probe[k].name, "xyz"[c],
                 side == 2 ? "target" : side_name[side]);
        PL_TRY(pl_table_column(table, at++, name, "m"));
      }
  return PL_OK;
}

static pl_status write_trajectories(const designing *t, int point, const double *x,
                                    const int *target) {
  int dim = t->j->scene->dim, ncol = 1;
  size_t per = TRACE * (size_t)dim;
  pl_table *table = NULL;
  char name[PL_TEXT];
  for (int k = 0; k < t->a->nprobe; k++) ncol += dim * (2 + (target[k] >= 0));
  double *row = pl_alloc(t->j->env, (size_t)ncol, sizeof *row);
  pl_status st = row ? pl_table_create(t->j->env, ncol, &table) : PL_E_NOMEM;
  if (st == PL_OK) st = trajectory_columns(t, target, table);
  for (int i = 0; st == PL_OK && i < TRACE; i++) {
    int at = 1;
    row[0] = 2 * PL_PI / t->orbit[1][point]->omega * i / (TRACE - 1);
    for (int k = 0; k < t->a->nprobe; k++)
      for (int side = 0; side < 2 + (target[k] >= 0); side++)
        for (int c = 0; c < dim; c++)
          row[at++] = x[(size_t)(3 * k + side) * per + (size_t)(i * dim + c)];
    st = pl_table_row(table, row);
  }
  if (st == PL_OK) st = job_table(t->j, table, design_file(t, "trajectory", point, name), ".csv");
  pl_table_free(table);
  pl_free(t->j->env, row);
  return st;
}

static pl_status show_trajectories(const designing *t) {
  int nw = t->a->nprobe, dim = t->j->scene->dim;
  size_t per = TRACE * (size_t)dim;
  double *x = pl_alloc(t->j->env, 3 * per * (size_t)nw + 1, sizeof *x);
  int *target = pl_alloc(t->j->env, (size_t)nw + 1, sizeof *target);
  pl_status st = x && target ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK && nw) job_heading(t->j, "Trajectories");
  for (int i = 0; st == PL_OK && nw && i < t->npoint; i++) {
    for (int k = 0; st == PL_OK && k < nw; k++) {
      st = read_traces(t, i, k, x + 3 * per * (size_t)k, &target[k]);
      if (st == PL_OK) st = plot_traces(t, i, k, x + 3 * per * (size_t)k, target[k]);
    }
    if (st == PL_OK && job_tables(t->j)) st = write_trajectories(t, i, x, target);
  }
  pl_free(t->j->env, x);
  pl_free(t->j->env, target);
  return st;
}

// ---- what objectives look at ------------------------------------------------------------------

// over one period, before and after
static pl_status plot_objective(const designing *t, int k) {
  const pl_objective *o = &t->plan->problem.objective[k];
  double si, *x = pl_alloc(t->j->env, 3 * TRACE, sizeof *x);
  const char *unit = quantity_unit(o->kind, &si);
  if (!x) return PL_E_NOMEM;
  for (int i = 0; i < TRACE; i++) {
    x[i] = (double)i / (TRACE - 1);
    for (int side = 0; side < SIDES; side++)
      x[(1 + side) * TRACE + i] = t->trace[side][k * TRACE + i] / si;
  }
  pl_series series[SIDES] = {
      {.name = "after", .n = TRACE, .x = x, .y = x + 2 * TRACE},
      {.name = "before", .n = TRACE, .x = x, .y = x + TRACE, .dashed = 1, .colour = 1}};
  char title[PL_TEXT], what[PL_TEXT], name[PL_TEXT], label[PL_TEXT];
  objective_words(t, k, title);
  snprintf(what, sizeof what, "%.60s-%d", o->kind->name, k + 1);
  snprintf(label, sizeof label, "%.60s (%.20s)", pl_objective_quantity(o->kind), unit);
  pl_plot plot = {.title = title,
                  .xlabel = "time over the period",
                  .ylabel = label,
                  .nseries = SIDES,
                  .series = series};
  pl_status st = job_plot(t->j, design_file(t, what, 0, name), &plot,
                          "One period before and after the design.");
  pl_free(t->j->env, x);
  return st;
}

static pl_status show_objectives(const designing *t) {
  for (int k = 0; k < t->nobj; k++)
    if (t->plan->problem.objective[k].kind->trace && isfinite(t->quantity[1][k]))
      PL_TRY(plot_objective(t, k));
  return PL_OK;
}

// ---- pictures ---------------------------------------------------------------------------------

static pl_status show_motions(const designing *t) {
  job *j = t->j;
  if (!j->drawable) return PL_OK;
  job_heading(j, "Motion");
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < t->npoint; i++) {
    job_row(j);
    for (int side = 0; st == PL_OK && side < SIDES; side++) {
      char name[PL_TEXT];
      st = job_use(j, t->state[side]);
      if (st == PL_OK)
        st = job_orbit(j, t->orbit[side][i], design_file(t, side_name[side], i, name),
                       side_name[side]);
    }
    job_row_end(j);
  }
  return st;
}

// group and element that a parameter of one element belongs to; 0: it is none
static int element_of(const designing *t, int variable, int *group, int *elem) {
  const pl_variable *v = &t->plan->problem.variable[variable];
  const pl_model *m = t->j->scene->model;
  const pl_params *p = t->j->scene->params;
  if (v->kind != PL_VARIABLE_DESIGN) return 0;
  const pl_design_desc *d = pl_model_design(m, v->index);
  if (d->ntarget < 1 || d->target[0].on_ref || !strchr(d->name, '.')) return 0;
  for (int g = 0; g < pl_model_ngroup(m); g++) {
    const pl_elem_kind *k = pl_model_group_kind(m, g);
    int n = pl_model_group_size(m, g);
    if (n < 2 || (k->nvert < 3 && strcmp(k->name, "rod_edge") != 0)) continue;
    long first = pl_model_group_par(m, p, g, 0) - p->par;
    long index = d->target[0].index - first;
    if (index < 0 || index >= (long)n * k->npar) continue;
    *group = g;
    *elem = (int)(index / k->npar);
    return 1;
  }
  return 0;
}

// values of elements, averaged at the nodes
pl_status design_elements(const designing *t) {
  job *j = t->j;
  const pl_model *m = j->scene->model;
  int n = pl_model_nnode(m), found = 0, positive = 1, group, elem;
  if (!j->drawable) return PL_OK;
  double *value = pl_alloc(j->env, 2 * (size_t)n, sizeof *value), *count = value + n;
  if (!value) return PL_E_NOMEM;
  for (int k = 0; k < t->nvar; k++) positive &= t->r->after[k] > 0;
  for (int k = 0; k < t->nvar; k++) {
    if (!element_of(t, k, &group, &elem)) continue;
    const pl_elem_kind *kind = pl_model_group_kind(m, group);
    int nv = kind->nvert;
    const int *node = pl_model_group_stencil(m, group) + elem * (nv + kind->nscal);
    found++;
    for (int i = 0; i < nv; i++) {
      value[node[i]] += positive ? log10(t->r->after[k]) : t->r->after[k];
      count[node[i]]++;
    }
  }
  for (int i = 0; i < n; i++) value[i] = count[i] > 0 ? value[i] / count[i] : NAN;
  job_positions(j, j->scene->params->X, 1, j->x);
  pl_view view = job_view(j);
  view.x = j->x;
  view.colour = value;
  view.colour_label = positive ? "log10 of the value found" : "value found";
  view.title = "values of elements";
  pl_status st = PL_OK;
  if (found > 8) st = job_values(j, NULL, &view, "Parameters of elements, in SI units.");
  pl_free(j->env, value);
  return st;
}

static pl_status show_convergence(const designing *t) {
  const pl_design_result *r = t->r;
  int n = r->nstep, positive = 1;
  if (n < 2) return PL_OK;
  double *x = pl_alloc(t->j->env, 2 * (size_t)n, sizeof *x), *y = x + n;
  if (!x) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) {
    x[i] = i;
    y[i] = r->step[i].value;
    positive &= y[i] > 0;
  }
  pl_series series = {.n = n, .x = x, .y = y, .points = n < 60 ? 2 : 0};
  char name[PL_TEXT];
  pl_plot plot = {.title = "convergence",
                  .xlabel = "iteration",
                  .ylabel = "value",
                  .logy = positive && r->value < 0.2 * r->value_before,
                  .nseries = 1,
                  .series = &series,
                  .height = 300};
  job_heading(t->j, "Convergence");
  pl_status st = job_plot(t->j, design_file(t, "convergence", 0, name), &plot,
                          r->nstart > 1 ? "What is minimised; every start begins anew."
                                        : "What is minimised, after every iteration.");
  pl_free(t->j->env, x);
  return st;
}

// ---- all --------------------------------------------------------------------------------------

pl_status design_files(designing *t) {
  if (job_tables(t->j)) {
    PL_TRY(write_convergence(t));
    PL_TRY(write_parameters(t));
  }
  PL_TRY(job_found(t->j, t->a, t->r->after));
  design_page_head(t);
  PL_TRY(show_motions(t));
  PL_TRY(show_trajectories(t));
  PL_TRY(show_objectives(t));
  PL_TRY(design_response_show(t));
  PL_TRY(design_page_tables(t));
  return show_convergence(t);
}
