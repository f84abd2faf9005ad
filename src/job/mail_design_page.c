// What a design of an interlocking material found: both materials characterised anew, the first and
// the last one, as figures, tables, a polar plot and a scene.
#include "mail_design.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FINER = 3, BEFORE = 0, AFTER = 1, BOTH = 2 }; // curves have more directions than goals
static const double MISSED = 1e-2;                   // of what is wanted
static const double SAME = 2e-4; // strain, or part of a curvature, of two ways to the same limit

const char *const mail_limit_name[PL_DESIGN_LIMITS] = {
    "stretch", "shrink", "play", "curvature_up", "curvature_down", "asymmetry"};

// Limits of both materials: those that goals ask for, then all around.
typedef struct portrait {
  mail_design *d;
  int n;              // directions over half a turn
  int sides;          // limits of each: both strains, and where some goal is of bending curvatures
  pl_taut_goal *goal; // [nray + sides n]
  attempt side[BOTH];
  double apart; // from the limits of the design, at most
  int failed;
} portrait;

static int ray_count(const portrait *p) {
  return p->d->nray + p->sides * p->n;
}

static double around(const portrait *p, int which, int direction, int limit) {
  int first = p->d->nray + p->sides * direction + (mail_is_bent(limit) ? BENT_UP : LONGEST);
  const residual w = {0, {first, first + 1}};
  return mail_limit(&p->side[which], &w, limit);
}

// of a goal all around: what folds has no curvature
static double around_or_none(const portrait *p, int which, int direction, int limit) {
  const pl_taut *t = p->side[which].taut + p->d->nray + p->sides * direction;
  int bent = mail_is_bent(limit), side = limit == PL_CURVATURE_DOWN ? BENT_DOWN : BENT_UP;
  return bent && t[side].folds ? NAN : around(p, which, direction, limit);
}

static double angle_of(const mail_design *d, const residual *w) {
  return d->ray[w->ray[w->ray[0] >= 0 ? 0 : 1]].angle;
}

// of a limit as it is shown: percent of strains, curvatures in 1/m
static double shown_as(int limit) {
  return limit == PL_STRAIN_MIN ? -100 : mail_is_bent(limit) ? 1 : 100;
}

static const char *shown_unit(int limit) {
  return limit == PL_ASYMMETRY ? "" : mail_is_bent(limit) ? " 1/m" : " %";
}

// how far the largest and the smallest of a goal's limits are apart, over their mean
static double goal_spread(const portrait *p, int which, int goal) {
  double most = -INFINITY, least = INFINITY, sum = 0;
  int n = 0;
  for (int i = 0; i < p->d->nwant; i++) {
    if (p->d->want[i].goal != goal) continue;
    double v = mail_limit(&p->side[which], &p->d->want[i], p->d->plan->goal[goal].limit);
    most = fmax(most, v);
    least = fmin(least, v);
    sum += v;
    n++;
  }
  return fabs((most - least) * n / sum);
}

// by how much a goal is missed in the worst of its directions, over what is wanted
static double goal_miss(const portrait *p, int goal) {
  const pl_mail_goal *g = &p->d->plan->goal[goal];
  double most = 0;
  for (int i = 0; i < p->d->nwant; i++)
    if (p->d->want[i].goal == goal)
      most = fmax(most, fabs(mail_limit(&p->side[AFTER], &p->d->want[i], g->limit) - g->value));
  return most / fabs(g->value);
}

// ---- characterisation ---------------------------------------------------------------------------

// another repulsion than the design's, and all ways to pack, so that it is another path
static pl_status characterise(portrait *p, int which) {
  mail_design *d = p->d;
  attempt *t = &p->side[which];
  pl_taut_opts o = d->taut;
  o.barrier *= 0.75;
  t->data = pl_alloc(d->j->env, 1, sizeof *t->data);
  t->taut = pl_alloc(d->j->env, (size_t)ray_count(p), sizeof *t->taut);
  t->solved = pl_alloc(d->j->env, (size_t)ray_count(p), sizeof *t->solved);
  if (!t->data || !t->taut || !t->solved) return PL_E_NOMEM;
  memcpy(t->value, which == BEFORE ? d->start->value : d->now.value,
         (size_t)d->start->of->nkey * sizeof *t->value);
  pl_mail_make(d->start->of, t->value, t->data);
  PL_TRY(keeper_solve_of(d->keep, &t->data->m, &o, ray_count(p), p->goal, t->taut, t->solved));
  for (int i = 0; i < ray_count(p); i++) p->failed += !t->solved[i];
  return PL_OK;
}

static pl_status portrait_make(portrait *p) {
  mail_design *d = p->d;
  p->goal = pl_alloc(d->j->env, (size_t)ray_count(p), sizeof *p->goal);
  if (!p->goal) return PL_E_NOMEM;
  memcpy(p->goal, d->goal, (size_t)d->nray * sizeof *p->goal);
  for (int i = 0; i < p->sides * p->n; i++)
    p->goal[d->nray + i] = mail_ray(d, PL_PI * (i / p->sides) / p->n, i % p->sides);
  PL_TRY(characterise(p, BEFORE));
  PL_TRY(characterise(p, AFTER));
  for (int i = 0; i < d->nray; i++) {
    double was = d->now.taut[i].value, unit = d->ray[i].side < SIDES ? 1 : fabs(was);
    p->apart = fmax(p->apart, fabs(p->side[AFTER].taut[i].value - was) / unit);
  }
  return PL_OK;
}

static void portrait_free(portrait *p) {
  pl_env *env = p->d->j->env;
  for (int k = 0; k < BOTH; k++) {
    attempt *t = &p->side[k];
    for (int i = 0; t->taut && i < ray_count(p); i++) pl_taut_free(env, &t->taut[i]);
    pl_free(env, t->data);
    pl_free(env, t->taut);
    pl_free(env, t->solved);
  }
  pl_free(env, p->goal);
}

// ---- figures ------------------------------------------------------------------------------------

static double smallest_gap(const mail_design *d) {
  pl_taut_contact k;
  double cut = d->gap;
  while (pl_mail_gaps(&d->now.data->m, cut, 1, &k) == 0) cut *= 2;
  return k.at.gap;
}

static json_t *variable_figures(const mail_design *d) {
  json_t *all = json_object();
  for (int k = 0; k < d->plan->nvariable; k++) {
    const pl_mail_variable *v = &d->plan->variable[k];
    job_set(all, d->start->of->key[v->key].name,
            json_pack("{s:f, s:f, s:f, s:f, s:s}", "before", d->start->value[v->key], "after",
                      d->now.value[v->key], "min", v->lo, "max", v->hi, "unit",
                      d->start->of->key[v->key].unit));
  }
  return all;
}

static json_t *goal_figures(const portrait *p) {
  const mail_design *d = p->d;
  json_t *list = json_array();
  for (int i = 0; i < d->nwant; i++) {
    const pl_mail_goal *g = &d->plan->goal[d->want[i].goal];
    const residual *w = &d->want[i];
    json_t *o = json_object();
    job_set(o, "limit", json_string(mail_limit_name[g->limit]));
    job_set(o, "angle_deg", json_real(angle_of(d, w) * 180 / PL_PI));
    if (!g->alike) job_set(o, "wanted", json_real(g->value));
    job_set(o, "before", json_real(mail_limit(&p->side[BEFORE], w, g->limit)));
    job_set(o, "after", json_real(mail_limit(&p->side[AFTER], w, g->limit)));
    json_array_append_new(list, o);
  }
  return list;
}

static void set_figures(const portrait *p, json_t *f) {
  const mail_design *d = p->d;
  json_t *spread = json_array();
  job_set(f, "material", json_string(d->start->name));
  job_set(f, "variables", variable_figures(d));
  job_set(f, "goals", goal_figures(p));
  for (int g = 0; g < d->plan->ngoal; g++)
    if (d->plan->goal[g].alike)
      json_array_append_new(spread, json_pack("{s:s, s:f, s:f}", "limit",
                                              mail_limit_name[d->plan->goal[g].limit], "before",
                                              goal_spread(p, BEFORE, g), "after",
                                              goal_spread(p, AFTER, g)));
  job_set(f, "anisotropy", spread);
  double miss = 0;
  for (int g = 0; g < d->plan->ngoal; g++)
    if (!d->plan->goal[g].alike) miss = fmax(miss, goal_miss(p, g));
  job_set(f, "missed_by", json_real(miss));
  job_set(f, "smallest_gap_m", json_real(smallest_gap(d)));
  job_set(f, "thinnest_wire_m", json_real(d->now.thin));
  job_set(f, "mass_kg_m2", json_real(d->now.mass));
  job_set(f, "value_before", json_real(d->cost[0]));
  job_set(f, "value", json_real(d->cost[1]));
  job_set(f, "steps", json_integer(d->steps));
  job_set(f, "evaluations", json_integer(d->evaluations));
  job_set(f, "converged", json_boolean(d->converged));
  job_set(f, "verified_to", json_real(p->apart));
  job_set(f, "verified", json_boolean(p->apart < SAME && p->failed == 0));
}

// ---- tables and plots ---------------------------------------------------------------------------

static pl_status write_table(const portrait *p) {
  static const struct {
    const char *name, *unit;
    int limit;
  } column[] = {{"strain_max", "", PL_STRAIN_MAX},
                {"strain_min", "", PL_STRAIN_MIN},
                {"play", "", PL_PLAY},
                {"curvature_up", "1/m", PL_CURVATURE_UP},
                {"curvature_down", "1/m", PL_CURVATURE_DOWN}};
  int each = p->sides > SIDES ? 5 : 3;
  pl_table *t;
  if (!job_tables(p->d->j)) return PL_OK;
  PL_TRY(pl_table_create(p->d->j->env, 1 + BOTH * each, &t));
  pl_status s = pl_table_column(t, 0, "angle", "deg");
  for (int c = 0; s == PL_OK && c < BOTH * each; c++) {
    char name[64];
    snprintf(name, sizeof name, c < each ? "%s_before" : "%s", column[c % each].name);
    s = pl_table_column(t, 1 + c, name, column[c % each].unit);
  }
  for (int i = 0; s == PL_OK && i < p->n; i++) {
    double row[1 + BOTH * 5] = {180.0 * i / p->n};
    for (int c = 0; c < BOTH * each; c++)
      row[1 + c] = around_or_none(p, c >= each, i, column[c % each].limit);
    s = pl_table_row(t, row);
  }
  return job_table_end(p->d->j, t, s, p->d->a->name, ".csv");
}

// what is wanted, over a whole turn
static int goal_points(const portrait *p, int limit, double *angle, double *stretch) {
  const mail_design *d = p->d;
  int n = 0;
  for (int i = 0; i < 2 * d->nwant; i++) {
    const residual *w = &d->want[i % d->nwant];
    const pl_mail_goal *g = &d->plan->goal[w->goal];
    if (g->limit != limit || g->alike) continue;
    angle[n] = angle_of(d, w) + (i < d->nwant ? 0 : PL_PI);
    stretch[n++] = (mail_is_bent(limit) ? 0 : 1) + g->value;
  }
  return n;
}

// limits of both materials, and what is wanted of them
static int limit_series(const portrait *p, int limit, int colour, char names[3][64], double *buffer,
                        pl_polar_series *out) {
  static const char *const words[] = {"longest", "shortest", "play", "up", "down"};
  int nangle = 2 * p->n, n = 0, strain = !mail_is_bent(limit);
  double *angle = buffer, *goals = buffer + (1 + BOTH) * nangle;
  for (int which = BEFORE; which < BOTH; which++, n++) {
    double *v = buffer + (1 + which) * nangle;
    for (int i = 0; i < nangle; i++) {
      angle[i] = PL_PI * i / p->n;
      v[i] = strain + around_or_none(p, which, i % p->n, limit);
    }
    snprintf(names[n], sizeof names[n], "%s, %s", words[limit],
             which == BEFORE ? "start" : "found");
    out[n] = (pl_polar_series){.name = names[n],
                               .n = nangle,
                               .angle = angle,
                               .stretch = v,
                               .dashed = which == BEFORE,
                               .fill = which == AFTER && colour == 0,
                               .colour = colour};
  }
  int ngoal = goal_points(p, limit, goals, goals + 2 * p->d->nwant);
  if (ngoal == 0) return n;
  snprintf(names[n], sizeof names[n], "%s, wanted", words[limit]);
  out[n] = (pl_polar_series){.name = names[n],
                             .n = ngoal,
                             .angle = goals,
                             .stretch = goals + 2 * p->d->nwant,
                             .points = 1,
                             .colour = colour};
  return n + 1;
}

static pl_status draw_limits(const portrait *p, int nlimit, const int *limit, const char *name,
                             const char *title) {
  char names[6][64];
  pl_polar_series series[6];
  size_t size = (size_t)(2 * (1 + BOTH) * p->n + 4 * p->d->nwant);
  double *buffer = pl_alloc(p->d->j->env, 2 * size, sizeof *buffer);
  int n = 0;
  if (!buffer) return PL_E_NOMEM;
  for (int l = 0; l < nlimit; l++)
    n += limit_series(p, limit[l], l, names + n, buffer + size * (size_t)l, series + n);
  const pl_polar_plot plot = {.title = title,
                              .nseries = n,
                              .series = series,
                              .unit = mail_is_bent(limit[0]) ? "1/m" : NULL};
  pl_status s = job_polar(p->d->j, name, &plot,
                          "The material that the design began with, and the one that it found; "
                          "both characterised anew.");
  pl_free(p->d->j->env, buffer);
  return s;
}

static pl_status draw(const portrait *p) {
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%s-play", p->d->a->name);
  job_row(p->d->j);
  pl_status s = draw_limits(p, 2, (const int[]){PL_STRAIN_MAX, PL_STRAIN_MIN}, p->d->a->name,
                            "limits of strain");
  if (s == PL_OK) s = draw_limits(p, 1, (const int[]){PL_PLAY}, name, "play");
  snprintf(name, sizeof name, "%s-bending", p->d->a->name);
  if (s == PL_OK && p->sides > SIDES)
    s = draw_limits(p, 2, (const int[]){PL_CURVATURE_UP, PL_CURVATURE_DOWN}, name,
                    "bending limits");
  job_row_end(p->d->j);
  return s;
}

// ---- words --------------------------------------------------------------------------------------

static double shown(const pl_key *k, const char **unit) {
  int length = strcmp(k->unit, "m") == 0, angle = strcmp(k->unit, "rad") == 0;
  *unit = length ? "mm" : angle ? "deg" : k->unit;
  return length ? 1e3 : angle ? 180 / PL_PI : 1;
}

static void report_variables(const mail_design *d) {
  static const char *const head[] = {"variable", "before", "after", "bounds"};
  grid g = job_grid(d->j, 4, head);
  for (int k = 0; k < d->plan->nvariable; k++) {
    const pl_mail_variable *v = &d->plan->variable[k];
    const pl_key *key = &d->start->of->key[v->key];
    const char *unit;
    double f = shown(key, &unit);
    grid_add(&g, "%s", key->name);
    grid_add(&g, "%.5g %s", f * d->start->value[v->key], unit);
    grid_add(&g, "%.5g %s", f * d->now.value[v->key], unit);
    grid_add(&g, "%.4g ... %.4g %s", f * v->lo, f * v->hi, unit);
  }
  grid_end(&g);
}

static void report_goals(const portrait *p) {
  static const char *const head[] = {"goal", "angle (deg)", "wanted", "before", "after"};
  const mail_design *d = p->d;
  grid g = job_grid(d->j, 5, head);
  for (int i = 0; i < d->nwant; i++) {
    const pl_mail_goal *goal = &d->plan->goal[d->want[i].goal];
    const residual *w = &d->want[i];
    double as = shown_as(goal->limit);
    const char *unit = shown_unit(goal->limit);
    grid_add(&g, "%s", mail_limit_name[goal->limit]);
    grid_add(&g, "%.4g", angle_of(d, w) * 180 / PL_PI);
    if (goal->alike)
      grid_add(&g, "alike");
    else
      grid_add(&g, "%.3f%s", as * goal->value, unit);
    grid_add(&g, "%.3f%s", as * mail_limit(&p->side[BEFORE], w, goal->limit), unit);
    grid_add(&g, "%.3f%s", as * mail_limit(&p->side[AFTER], w, goal->limit), unit);
  }
  grid_end(&g);
}

static void report_miss(const portrait *p, int goal) {
  double miss = goal_miss(p, goal);
  if (!(miss > MISSED)) return;
  job_note(p->d->j,
           "%s: %s is %.3g %% off what is wanted: goals and bounds (gap, wire, mass, variables) "
           "leave no more",
           p->d->a->name, mail_limit_name[p->d->plan->goal[goal].limit], 100 * miss);
}

static void report(const portrait *p) {
  const mail_design *d = p->d;
  double gap = smallest_gap(d);
  job_note(d->j,
           "%s: value %.3g to %.3g in %d %s (%d evaluations); smallest gap %.3g mm, "
           "%.3g kg/m^2",
           d->a->name, d->cost[0], d->cost[1], d->steps, pl_plural(d->steps, "step", "steps"),
           d->evaluations, 1e3 * gap, d->now.mass);
  for (int g = 0; g < d->plan->ngoal; g++)
    if (d->plan->goal[g].alike)
      job_note(d->j, "%s: %s differs by %.3g %% of its mean over its directions, was %.3g %%",
               d->a->name, mail_limit_name[d->plan->goal[g].limit], 100 * goal_spread(p, AFTER, g),
               100 * goal_spread(p, BEFORE, g));
    else
      report_miss(p, g);
  report_variables(d);
  report_goals(p);
  job_say(d->j,
          "Both materials were characterised anew with another repulsion; limits of the found "
          "one agree with those of the design to %.1e.",
          p->apart);
  if (p->failed) job_alarm(d->j, "%d limits of the curves were not found.", p->failed);
  if (!(p->apart < SAME))
    pl_report(d->j->env, PL_WARNING, d->j->scene->path, d->a->line, d->a->col,
              "elements pack in several ways: more of them (starts), or goals of stretch alone",
              "%s: not verified: limits found anew differ by %.2g from those of the design",
              d->a->name, p->apart);
  if (!d->converged)
    pl_report(d->j->env, PL_WARNING, d->j->scene->path, d->a->line, d->a->col, "more steps",
              "%s: ended after %d %s and could go on", d->a->name, d->steps,
              pl_plural(d->steps, "step", "steps"));
  if (gap < d->gap)
    job_alarm(d->j, "The smallest gap %.3g mm is below %.3g mm.", 1e3 * gap, 1e3 * d->gap);
}

// the scene with the material that was found
static pl_status report_scene(const mail_design *d) {
  const char *list[PL_KEY_MAX];
  pl_text set, out;
  pl_text_init(&set, d->j->env);
  mail_overrides(d, d->now.value, &set);
  const char *at = set.s;
  for (int k = 0; !set.failed && k < d->plan->nvariable; k++, at += strlen(at) + 1) list[k] = at;
  pl_text_init(&out, d->j->env);
  pl_text_add(&out, "# the scene with the material that '%s' found\n", d->a->name);
  pl_status s = set.failed ? PL_E_NOMEM
                           : pl_scene_write_design(d->j->scene, d->j->scene->params->design,
                                                   d->plan->nvariable, list, &out);
  if (s == PL_OK && out.failed) s = PL_E_NOMEM;
  if (s == PL_OK) s = job_send_scene(d->j, d->a->name, &out);
  pl_text_free(&out);
  pl_text_free(&set);
  return s;
}

pl_status mail_report(mail_design *d, json_t *figures) {
  portrait p = {.d = d, .n = FINER * d->o->directions, .sides = SIDES};
  for (int i = 0; i < d->nray; i++)
    if (d->ray[i].side >= SIDES) p.sides = 2 * SIDES;
  pl_status s = portrait_make(&p);
  if (s == PL_OK) {
    set_figures(&p, figures);
    report(&p);
    s = write_table(&p);
  }
  if (s == PL_OK) s = draw(&p);
  if (s == PL_OK) s = report_scene(d);
  portrait_free(&p);
  return s;
}
