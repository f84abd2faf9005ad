// Derivatives of results by parameters: what they are asked of, and how they are told.
#include "gradients.h"

#include "pliant/math.h"
#include "run_cloth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLS = 5, ROWS_MOST = 40 };

// ---- parameters ---------------------------------------------------------------------------------

const char *gradients_name(const job_gradients *t, int k) {
  const pl_variable *v = &t->var[k];
  return v->kind == PL_VARIABLE_ALPHA  ? "alpha"
         : v->kind == PL_VARIABLE_BETA ? "beta"
                                       : pl_model_design(t->j->scene->model, v->index)->name;
}

static const char *unit_of(const job_gradients *t, int k) {
  const pl_variable *v = &t->var[k];
  const char *unit =
      v->kind == PL_VARIABLE_DESIGN ? pl_model_design(t->j->scene->model, v->index)->unit : NULL;
  return v->kind == PL_VARIABLE_ALPHA  ? "1/s"
         : v->kind == PL_VARIABLE_BETA ? "s"
         : unit                        ? unit
                                       : "";
}

double gradients_value(const job_gradients *t, int k) {
  const pl_params *p = t->j->scene->params;
  const pl_variable *v = &t->var[k];
  return v->kind == PL_VARIABLE_ALPHA  ? p->par[PL_PAR_ALPHA]
         : v->kind == PL_VARIABLE_BETA ? p->par[PL_PAR_BETA]
                                       : p->design[v->index];
}

// ---- object -------------------------------------------------------------------------------------

static int holds(const pl_analysis *a, int ndrive) {
  for (int k = 0; a->stage && a->stage->hold && k < ndrive; k++)
    if (a->stage->hold[k]) return 1;
  return 0;
}

// why there are no derivatives, and what helps; NULL: there are
static const char *lacks(const job *j, const pl_analysis *a, const char **hint) {
  const pl_scene *sc = j->scene;
  const pl_analysis *from = a->about >= 0 ? &sc->analysis[a->about] : NULL;
  *hint = "leave gradients out, or take differences: pliant sensitivity";
  if (sc->contact.nnode > 0 || sc->layers.nvert > 0)
    return "bodies touch, and which contacts are closed is no smooth function of parameters";
  if (a->kind == PL_ANALYSIS_transient && is_cloth(sc, a))
    return "limits of stretch are kept, and which of them are reached is no "
           "smooth function of parameters";
  if (holds(a, sc->ndrive)) return "nodes are held where an earlier analysis left them";
  if (a->kind != PL_ANALYSIS_transient) return NULL;
  if (a->opts.transient_.adaptive) {
    *hint = "take fixed steps: adaptive: no";
    return "steps adapt to the motion, and which are taken is no smooth function of parameters";
  }
  if (!from) return NULL;
  *hint =
      "let the motion begin at rest, or about a static with the loads and supports of the scene";
  if (from->kind != PL_ANALYSIS_static) return "it does not start from rest or from a static";
  return a->stage || from->stage ? "it starts from a static with other loads or supports" : NULL;
}

static pl_status make_gradient(job_gradients *t) {
  static const pl_target damping[2] = {{0, PL_PAR_ALPHA, 1}, {0, PL_PAR_BETA, 1}};
  const pl_model *m = t->j->scene->model;
  pl_direction *dir = pl_alloc(t->j->env, (size_t)t->n, sizeof *dir);
  if (!dir) return PL_E_NOMEM;
  for (int k = 0; k < t->n; k++) {
    const pl_variable *v = &t->var[k];
    dir[k] = (pl_direction){1, &damping[v->kind == PL_VARIABLE_BETA]};
    if (v->kind != PL_VARIABLE_DESIGN) continue;
    const pl_design_desc *desc = pl_model_design(m, v->index);
    dir[k] = (pl_direction){desc->ntarget, desc->target};
  }
  pl_status s = pl_gradient_create(t->j->env, m, t->j->scene->params,
                                   pl_threads_size(t->j->work->threads), t->n, dir, &t->g);
  pl_free(t->j->env, dir);
  return s;
}

pl_status gradients_open(job *j, const pl_analysis *a, job_gradients *t) {
  static const char *const head[COLS] = {"result", "value (SI)", "by", "derivative (SI, a unit)",
                                         "% a %"};
  const char *hint, *why;
  *t = (job_gradients){.j = j, .a = a};
  if (!a->plan) return PL_OK;
  why = lacks(j, a, &hint);
  if (why)
    return pl_fail_at(j->env, PL_E_INPUT, j->scene->path, a->line, a->col, hint,
                      "%s: there are no gradients: %s", a->name, why);
  t->n = a->plan->problem.nvariable;
  t->var = a->plan->problem.variable;
  t->all = json_object();
  t->shown = job_grid(j, COLS, head);
  pl_text_init(&t->csv, j->env);
  pl_text_add(&t->csv, "result,unit,value,parameter,parameter_unit,parameter_value,derivative,"
                       "relative\n");
  t->by = pl_alloc(j->env, (size_t)t->n, sizeof *t->by);
  t->force = pl_alloc(j->env, (size_t)t->n * (size_t)pl_model_nq(j->scene->model), sizeof *t->by);
  if (!t->by || !t->force) return PL_E_NOMEM;
  return a->kind == PL_ANALYSIS_periodic ? PL_OK : make_gradient(t);
}

void gradients_close(job_gradients *t) {
  if (t->n == 0) return;
  json_decref(t->all);
  pl_text_free(&t->csv);
  pl_text_free(&t->shown.text);
  pl_table_free(t->history);
  pl_table_free(t->values);
  pl_gradient_free(t->g);
  pl_free(t->j->env, t->by);
  pl_free(t->j->env, t->force);
  pl_free(t->j->env, t->row);
}

// ---- what is told -------------------------------------------------------------------------------

// % of change for one %; NaN: there is no such thing
static double relative(const job_gradients *t, double slope, double p, double value) {
  return fabs(value) > t->least && p != 0 ? slope * p / value : NAN;
}

static void show_row(job_gradients *t, const char *name, const char *unit, double value, int k,
                     double by) {
  double part = relative(t, by, gradients_value(t, k), value);
  const char *of = unit_of(t, k);
  if (t->nrow++ >= ROWS_MOST) {
    t->left++;
    return;
  }
  grid_add(&t->shown, "%.90s", name);
  grid_add(&t->shown, "%.6g%s%.20s", value, unit[0] ? " " : "", unit);
  grid_add(&t->shown, "%.60s%s%.20s", gradients_name(t, k), of[0] ? ", " : "", of);
  grid_add(&t->shown, "%.6g", by);
  grid_add(&t->shown, isnan(part) ? "" : "%.4g", part);
}

void gradients_tell(job_gradients *t, const char *name, const char *unit, double value,
                    const double *by) {
  json_t *slope = json_object();
  for (int k = 0; k < t->n; k++) {
    double p = gradients_value(t, k), part = relative(t, by[k], p, value);
    json_object_set_new(slope, gradients_name(t, k), json_real(by[k]));
    pl_text_add(&t->csv, "%s,%s,%.17g,%s,%s,%.17g,%.17g,", name, unit, value, gradients_name(t, k),
                unit_of(t, k), p, by[k]);
    pl_text_add(&t->csv, isnan(part) ? "\n" : "%.17g\n", part);
    show_row(t, name, unit, value, k, by[k]);
  }
  json_t *one = json_pack("{s:f, s:s}", "value", value, "unit", unit);
  job_set(one, "by", slope);
  job_set(t->all, name, one);
}

pl_status gradients_end(job_gradients *t, json_t *figures) {
  job *j = t->j;
  char name[PL_TEXT];
  job_set(figures, "gradients", json_incref(t->all));
  job_heading(j, "Gradients");
  job_say(j, "Derivatives of results by parameters, exact for the equations as they were solved; "
             "last column: %% of change for one %% of the parameter.");
  grid_end(&t->shown);
  pl_text_init(&t->shown.text, j->env);
  snprintf(name, sizeof name, "%.100s-gradients", t->a->name);
  if (t->left)
    job_say(j, "The first %d of %d rows; %s.csv has all of them.", ROWS_MOST, t->nrow, name);
  pl_status s = job_tables(j) ? job_text(j, name, &t->csv) : PL_OK;
  snprintf(name, sizeof name, "%.100s-gradient-history", t->a->name);
  if (s == PL_OK && t->history && job_tables(j)) s = job_table(j, t->history, name, ".csv");
  return s;
}
