// What a design tells: figures of the summary, and the words and tables of the page.
#include "run_design.h"

#include "pliant/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARS_MOST = 40, BARS_SHOWN = 12 }; // all up to 40, else the 12 that changed most

// ---- summary ----------------------------------------------------------------------------------

// KEY_UNIT: value in that unit
static void set_quantity(json_t *one, const char *key, const pl_objective_kind *kind, double v) {
  char name[80];
  double si;
  const char *unit = quantity_unit(kind, &si);
  snprintf(name, sizeof name, "%.50s%s%.20s", key, unit[0] ? "_" : "", unit);
  job_set(one, name, json_real(v / si));
}

static void set_quantities(const designing *t, int k, json_t *one) {
  const pl_objective *o = &t->plan->problem.objective[k];
  double before = t->quantity[0][k], after = t->quantity[1][k];
  char key[64];
  if (!isfinite(before) || !isfinite(after)) return;
  snprintf(key, sizeof key, "%.50s_before", pl_objective_quantity(o->kind));
  set_quantity(one, key, o->kind, before);
  set_quantity(one, pl_objective_quantity(o->kind), o->kind, after);
  if (quantity_has_ratio(o->kind)) job_set(one, "ratio", json_real(after / before));
  if (o->goal == PL_GOAL_TARGET) set_quantity(one, "target", o->kind, o->target);
}

static json_t *objective_json(const designing *t, int k) {
  const pl_objective *o = &t->plan->problem.objective[k];
  char words[PL_TEXT];
  json_t *one = json_pack("{s:s, s:s, s:f, s:f, s:f}", "kind", o->kind->name, "name",
                          objective_words(t, k, words), "weight", o->weight, "value_before",
                          t->r->objective_before[k], "value", t->r->objective[k]);
  set_quantities(t, k, one);
  if (o->kind->curves) {
    job_set(one, "tracking_error_before", json_real(t->error[0][k]));
    job_set(one, "tracking_error", json_real(t->error[1][k]));
  }
  if (o->kind->scope == PL_SCOPE_WINDOW && t->track[1][k] > 0) {
    job_set(one, "frequency_before_Hz", json_real(t->track[0][k] / (2 * PL_PI)));
    job_set(one, "frequency_Hz", json_real(t->track[1][k] / (2 * PL_PI)));
  }
  return one;
}

double design_tracking(const designing *t, int side, int *n) {
  double sum = 0;
  *n = 0;
  for (int k = 0; k < t->nobj; k++) {
    if (!t->plan->problem.objective[k].kind->curves) continue;
    sum += t->error[side][k] * t->error[side][k];
    ++*n;
  }
  return *n ? sqrt(sum / *n) : 0;
}

static json_t *variables_json(const designing *t) {
  json_t *all = json_object();
  for (int k = 0; k < t->nvar; k++) {
    json_t *one = json_pack("{s:f, s:f, s:s, s:i}", "before", t->r->before[k], "after",
                            t->r->after[k], "unit", t->unit[k], "at_bound", t->r->bound[k]);
    if (isfinite(t->lo[k])) job_set(one, "min", json_real(t->lo[k]));
    if (isfinite(t->hi[k])) job_set(one, "max", json_real(t->hi[k]));
    json_object_set_new(all, t->name[k], one);
  }
  return all;
}

// what is known of the window of a peak height
static json_t *window_json(const designing *t, int i) {
  const pl_window *f = &t->proof[i].found.window;
  char words[PL_TEXT];
  json_t *one =
      json_pack("{s:s, s:b, s:f, s:f, s:b, s:i}", "objective",
                objective_words(t, t->proof[i].objective, words), "followed", f->followed > 0,
                "largest_m", f->height, "frequency_Hz", f->omega / (2 * PL_PI), "followed_beyond",
                f->beyond, "detached_looked_for_at", f->looks);
  if (f->detached >= 0) job_set(one, "detached_higher", json_boolean(f->detached));
  if (f->detached > 0) job_set(one, "detached_m", json_real(f->other));
  if (f->detached > 0) job_set(one, "detached_Hz", json_real(f->other_omega / (2 * PL_PI)));
  return one;
}

static json_t *proof_json(const designing *t, int i) {
  const pl_proof *p = &t->proof[i].found;
  json_t *one = json_pack(
      "{s:f, s:b, s:i, s:f, s:f, s:b, s:i, s:f, s:i, s:f, s:f, s:f, s:f, s:f}", "frequency_Hz",
      t->proof[i].orbit->omega / (2 * PL_PI), "good", p->good, "harmonics", p->nharm,
      "change_by_harmonics", p->change, "newmark_distance", p->newmark, "newmark_steady",
      p->newmark_done, "newmark_periods", p->newmark_periods, "period_change", p->period_change,
      "stable", p->stable, "multiplier", p->multiplier, "link_strain", p->link, "joint_turn_rad",
      p->angle, "strain", p->strain.value, "seconds", p->seconds);
  json_t *warnings = json_array();
  for (int k = 0; k < p->nwarning; k++) json_array_append_new(warnings, json_string(p->warning[k]));
  job_set(one, "warnings", warnings);
  if (t->proof[i].objective >= 0) job_set(one, "window", window_json(t, i));
  return one;
}

static json_t *points_json(const designing *t) {
  json_t *all = json_array();
  for (int i = 0; i < t->npoint; i++) {
    json_t *nodes = json_object();
    for (int k = 0; k < t->a->nprobe; k++) {
      double before = t->path[0][i * t->a->nprobe + k], after = t->path[1][i * t->a->nprobe + k];
      json_t *one = json_pack("{s:f, s:f}", "before_m", before, "after_m", after);
      if (before > 0) job_set(one, "ratio", json_real(after / before));
      json_object_set_new(nodes, t->a->probe[k].name, one);
    }
    json_t *one = json_pack("{s:f, s:f, s:i, s:o}", "frequency_before_Hz",
                            t->orbit[0][i]->omega / (2 * PL_PI), "frequency_Hz",
                            t->orbit[1][i]->omega / (2 * PL_PI), "harmonics", t->orbit[1][i]->nharm,
                            "path", nodes);
    if (t->r->reason != PL_DESIGN_CANCELLED) {
      job_set(one, "from_rest_distance", json_real(t->r->point[i].again));
      job_set(one, "from_rest_same", json_boolean(t->r->point[i].same));
    }
    json_array_append_new(all, one);
  }
  return all;
}

static int verified(const designing *t) {
  int good = t->checked;
  for (int i = 0; i < t->proved; i++)
    good &= t->proof[i].found.good && t->proof[i].found.nwarning == 0;
  return good;
}

void design_figures(const designing *t, json_t *f) {
  const pl_design_result *r = t->r;
  json_t *objectives = json_array(), *proof = json_array(), *warnings = json_array();
  for (int k = 0; k < t->nobj; k++) json_array_append_new(objectives, objective_json(t, k));
  for (int i = 0; i < t->proved; i++) json_array_append_new(proof, proof_json(t, i));
  for (int k = 0; k < r->nwarning; k++) json_array_append_new(warnings, json_string(r->warning[k]));
  job_set(f, "reason", json_string(pl_design_stop_text(r->reason)));
  job_set(f, "value_before", json_real(r->value_before));
  job_set(f, "value", json_real(r->value));
  job_set(f, "objectives", objectives);
  int n;
  double before = design_tracking(t, 0, &n), after = design_tracking(t, 1, &n);
  if (n > 0) {
    job_set(f, "tracking_error_before", json_real(before));
    job_set(f, "tracking_error", json_real(after));
  }
  job_set(f, "points", points_json(t));
  job_set(f, "variables", variables_json(t));
  job_set(f, "iterations", json_integer(r->nstep - 1));
  job_set(f, "evaluations", json_integer(r->evaluations));
  job_set(f, "failures", json_integer(r->failures));
  job_set(f, "newton_iterations", json_integer(r->newton));
  job_set(f, "factorisations", json_integer(r->factorisations));
  job_set(f, "regularised", json_integer(r->regularised));
  job_set(f, "starts", json_integer(r->nstart));
  job_set(f, "seconds", json_real(r->seconds));
  job_set(f, "proof", proof);
  job_set(f, "verified", json_boolean(verified(t)));
  design_response_figures(t, f);
  job_set(f, "warnings", warnings);
}

// ---- verdict ----------------------------------------------------------------------------------

static void report_verdict(const designing *t) {
  if (t->cancelled)
    job_alarm(t->j,
              "%s was interrupted. What follows is the best design so far; it is not "
              "verified. `--resume` goes on.",
              t->a->name);
  else if (!t->plan->prove)
    job_alarm(t->j, "The design is not verified: proof was left out.");
  for (int i = 0; i < t->proved; i++) {
    const pl_proof *p = &t->proof[i].found;
    double f = t->proof[i].orbit->omega / (2 * PL_PI);
    if (p->stable == 0)
      job_alarm(t->j,
                "The motion at %.5g Hz is unstable: a disturbance grows by %.4g a period. It "
                "will not be seen in reality.",
                f, p->multiplier);
    for (int k = 0; k < p->nwarning; k++)
      if (p->stable != 0 || !strstr(p->warning[k], "unstable"))
        job_alarm(t->j, "At %.5g Hz: %s.", f, p->warning[k]);
  }
  for (int k = 0; k < t->r->nwarning; k++) job_warn(t->j, "%s.", t->r->warning[k]);
  if (verified(t))
    job_say(t->j, "Verified: the motion stays with more harmonics and in a simulation in "
                  "time, and it is stable.");
}

// ---- objectives -------------------------------------------------------------------------------

typedef char cell[96];

// what is wanted, and what it was and is
static void objective_cells(const designing *t, int k, cell want, cell before, cell after,
                            cell factor) {
  const pl_objective *o = &t->plan->problem.objective[k];
  static const char *const goal[] = {"", "as large as possible", "as small as possible"};
  char text[48];
  snprintf(want, sizeof(cell), "%s", goal[o->goal]);
  snprintf(before, sizeof(cell), "%.4g", t->r->objective_before[k]);
  snprintf(after, sizeof(cell), "%.4g", t->r->objective[k]);
  factor[0] = 0;
  if (o->kind->curves) {
    snprintf(want, sizeof(cell), "0 %% of the target's length");
    snprintf(before, sizeof(cell), "%.3g %%", 100 * t->error[0][k]);
    snprintf(after, sizeof(cell), "%.3g %%", 100 * t->error[1][k]);
  }
  if (o->kind->form == PL_FORM_OWN || !isfinite(t->quantity[1][k])) return;
  if (o->goal == PL_GOAL_TARGET)
    snprintf(want, sizeof(cell), "%s%s", o->kind->form == PL_FORM_LIMIT ? "below " : "",
             quantity_text(t->j, o->kind, o->target, text));
  quantity_text(t->j, o->kind, t->quantity[0][k], before);
  quantity_text(t->j, o->kind, t->quantity[1][k], after);
  if (quantity_has_ratio(o->kind))
    snprintf(factor, sizeof(cell), "%.3g times", t->quantity[1][k] / t->quantity[0][k]);
}

static void report_objectives(const designing *t) {
  static const char *const head[] = {"objective", "wanted", "before", "after", ""};
  grid g = job_grid(t->j, 5, head);
  for (int k = 0; k < t->nobj; k++) {
    char words[PL_TEXT];
    cell text[4];
    grid_add(&g, "%.90s", objective_words(t, k, words));
    objective_cells(t, k, text[0], text[1], text[2], text[3]);
    for (int c = 0; c < 4; c++) grid_add(&g, "%s", text[c]);
  }
  grid_end(&g);
}

void design_page_head(const designing *t) {
  const pl_design_result *r = t->r;
  report_verdict(t);
  report_objectives(t);
  job_say(
      t->j,
      "%d %s; what is minimised fell from %.4g to %.4g in %d %s: %s. %d %s, %d %s, %d %s, %.3g s.",
      t->nvar, pl_plural(t->nvar, "variable", "variables"), r->value_before, r->value, r->nstep - 1,
      pl_plural(r->nstep - 1, "iteration", "iterations"), pl_design_stop_text(r->reason),
      r->evaluations, pl_plural(r->evaluations, "evaluation", "evaluations"), r->newton,
      pl_plural(r->newton, "Newton step", "Newton steps"), r->factorisations,
      pl_plural(r->factorisations, "factorisation", "factorisations"), r->seconds);
}

// ---- parameters -------------------------------------------------------------------------------

static double change_of(const designing *t, int k) {
  double range = t->hi[k] - t->lo[k], by = t->r->after[k] - t->r->before[k];
  return fabs(by) / (isfinite(range) ? range : fmax(fabs(t->r->before[k]), 1e-300));
}

// those that changed most, in their own order
static int choose_bars(const designing *t, int *shown) {
  int n = 0;
  double limit = -1;
  int capacity = t->nvar > BARS_MOST ? BARS_SHOWN : BARS_MOST;
  if (t->nvar > BARS_MOST) {
    double most[BARS_SHOWN] = {0};
    for (int k = 0; k < t->nvar; k++) {
      double c = change_of(t, k);
      for (int i = 0; i < BARS_SHOWN; i++)
        if (c > most[i]) {
          memmove(most + i + 1, most + i, (size_t)(BARS_SHOWN - 1 - i) * sizeof *most);
          most[i] = c;
          break;
        }
    }
    limit = most[BARS_SHOWN - 1];
  }
  for (int k = 0; k < t->nvar && n < capacity; k++)
    if (change_of(t, k) >= limit) shown[n++] = k;
  return n;
}

static pl_status report_parameters(const designing *t) {
  int shown[BARS_MOST], n = choose_bars(t, shown);
  pl_bar bar[BARS_MOST];
  for (int i = 0; i < n; i++) {
    int k = shown[i];
    const char *unit = t->unit[k];
    double c = job_shown_variable(t->j, &t->plan->problem.variable[k], &unit);
    bar[i] = (pl_bar){.name = t->name[k],
                      .unit = unit,
                      .lo = t->lo[k] / c,
                      .hi = t->hi[k] / c,
                      .before = t->r->before[k] / c,
                      .after = t->r->after[k] / c,
                      .log = t->lo[k] > 0 && t->hi[k] >= 99.99 * t->lo[k],
                      .note = t->r->bound[k] < 0   ? "at its lower bound"
                              : t->r->bound[k] > 0 ? "at its upper bound"
                                                   : NULL};
  }
  job_heading(t->j, "Parameters");
  PL_TRY(design_elements(t));
  job_bars(t->j, n, bar);
  if (n < t->nvar)
    job_say(t->j, "The %d of %d that changed most; all are in %s-parameters.csv.", n, t->nvar,
            t->a->name);
  return PL_OK;
}

// ---- proof ------------------------------------------------------------------------------------

static void report_window(job *j, const pl_window *f, grid *g) {
  char height[48];
  grid_add(g, "largest value of the window, followed from its end");
  if (f->followed > 0)
    grid_add(g, "%s at %.6g Hz", job_length_text(j, f->height, height), f->omega / (2 * PL_PI));
  else
    grid_add(g, "not followed to its end");
  grid_add(g, "this motion");
  grid_add(g, "higher motions on detached parts");
  if (f->detached < 0)
    grid_add(g, "not looked for: the model is too large");
  else if (f->detached == 0 && f->looks == 0)
    grid_add(g, "none that meets the curve beyond the window; others were not looked for");
  else if (f->detached == 0)
    grid_add(g, "none, looked for at %d %s", f->looks,
             pl_plural(f->looks, "frequency", "frequencies"));
  else
    grid_add(g, "%s at %.6g Hz", job_length_text(j, f->other, height),
             f->other_omega / (2 * PL_PI));
  grid_add(g, "none");
}

static void report_proof(const designing *t, int i) {
  static const char *const head[] = {"check", "found", "wanted"};
  const pl_proof *p = &t->proof[i].found;
  const pl_proof_opts *o = &t->plan->proof;
  job_say(t->j, "The motion at %.5g Hz, %.3g s:", t->proof[i].orbit->omega / (2 * PL_PI),
          p->seconds);
  grid g = job_grid(t->j, 3, head);
  grid_add(&g, "more harmonics change the motion by");
  grid_add(&g, p->change < 0 ? "not solved" : "%.2e of its length", p->change);
  grid_add(&g, "below %.2g, with %d %s", o->agree, p->nharm,
           pl_plural(p->nharm, "harmonic", "harmonics"));
  grid_add(&g, "simulation in time ends away from it by");
  grid_add(&g, p->newmark < 0 ? "not run" : "%.2e of its length", p->newmark);
  grid_add(&g, "below %.2g", o->agree);
  grid_add(&g, "simulation: change between periods");
  grid_add(&g, p->newmark < 0 ? "not run" : "%.2e after %d periods", p->period_change,
           p->newmark_periods);
  grid_add(&g, "below %.2g", o->steady);
  grid_add(&g, "largest Floquet multiplier");
  grid_add(&g, p->stable < 0 ? "not known" : "%.6g, %s", p->multiplier,
           p->stable ? "stable" : "unstable");
  grid_add(&g, "below 1");
  grid_add(&g, "rigid links change their length by");
  grid_add(&g, "%.2e", p->link);
  grid_add(&g, "below %.2g", o->rigid);
  grid_add(&g, "rigid joints turn by (rad)");
  grid_add(&g, "%.2e", p->angle);
  grid_add(&g, "below %.2g", o->rigid);
  grid_add(&g, "largest strain");
  grid_add(&g, "%.4g", fabs(p->strain.value));
  grid_add(&g, o->yield > 0 ? "below %.4g" : "no limit given", o->yield);
  if (t->proof[i].objective >= 0) report_window(t->j, &p->window, &g);
  grid_end(&g);
}

pl_status design_page_tables(const designing *t) {
  PL_TRY(report_parameters(t));
  if (t->proved) job_heading(t->j, "Proof");
  for (int i = 0; i < t->proved; i++) report_proof(t, i);
  return PL_OK;
}
