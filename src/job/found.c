// The scene with the values that an analysis found for its variables.
#include "job_impl.h"

#include <stdio.h>
#include <string.h>

// what overrides the scene with a variable that is no parameter
static void put_override(const pl_analysis *a, const pl_variable *v, double x, char out[PL_TEXT]) {
  if (v->kind == PL_VARIABLE_ALPHA)
    snprintf(out, PL_TEXT, "damping.mass=%.17g 1/s", x);
  else if (v->kind == PL_VARIABLE_BETA)
    snprintf(out, PL_TEXT, "damping.stiffness=%.17g s", x);
  else if (a->plan->problem.npoint == 1)
    snprintf(out, PL_TEXT, "analyses.%.100s.frequency=%.17g rad/s", a->name, x);
  else
    snprintf(out, PL_TEXT, "analyses.%.100s.frequencies.%d=%.17g rad/s", a->name, v->index, x);
}

static pl_status write_design(const job *j, const pl_analysis *a, const double *x, double *design,
                              char (*set)[PL_TEXT], const char **list, pl_text *out) {
  const pl_design_problem *p = &a->plan->problem;
  int n = 0;
  memcpy(design, j->scene->params->design, (size_t)j->scene->params->ndesign * sizeof *design);
  for (int k = 0; k < p->nvariable; k++) {
    const pl_variable *v = &p->variable[k];
    if (v->kind == PL_VARIABLE_DESIGN) {
      design[v->index] = x[k];
      continue;
    }
    put_override(a, v, x[k], set[n]);
    list[n] = set[n];
    n++;
  }
  pl_text_add(out, "# the scene with the values that '%s' found\n", a->name);
  return pl_scene_write_design(j->scene, design, n, list, out);
}

pl_status job_found(const job *j, const pl_analysis *a, const double *x) {
  const pl_design_problem *p = &a->plan->problem;
  size_t own = 0;
  for (int k = 0; k < p->nvariable; k++) own += p->variable[k].kind != PL_VARIABLE_DESIGN;
  double *design = pl_alloc(j->env, (size_t)j->scene->params->ndesign + 1, sizeof *design);
  char(*set)[PL_TEXT] = pl_alloc(j->env, own + 1, sizeof *set);
  const char **list = pl_alloc(j->env, own + 1, sizeof *list);
  pl_text out;
  pl_text_init(&out, j->env);
  pl_status s = design && set && list ? write_design(j, a, x, design, set, list, &out) : PL_E_NOMEM;
  if (s == PL_OK && out.failed) s = PL_E_NOMEM;
  if (s == PL_OK) s = job_send_scene(j, a->name, &out);
  pl_text_free(&out);
  pl_free(j->env, design);
  pl_free(j->env, set);
  pl_free(j->env, list);
  return s;
}
