// What a search found: table of all designs, the best one as a scene, plots, checks, scatter.
#include "search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const aim_text[] = {"target", "at least", "at most", "as large as possible",
                                       "as small as possible"};
static const char *const phase_text[] = {"start", "global", "local"};

static const double *values(const searching *k, int i) {
  return k->x + (size_t)i * (size_t)k->p->nvariable;
}

// of the exact run of a design
static const outcome *exact(const searching *k, int i) {
  return &k->out[i * k->nrun];
}

static const double *figures_of(const searching *k, int i) {
  return k->figure + (size_t)(i * k->nrun) * (size_t)k->p->ngoal;
}

static const char *file_name(const searching *k, const char *suffix, char out[PL_TEXT]) {
  snprintf(out, PL_TEXT, "%.100s-%.100s", k->a->name, suffix);
  return out;
}

// "depth (mm)" or "friction"
static const char *label(const pl_search_variable *v, char out[PL_TEXT]) {
  snprintf(out, PL_TEXT, v->unit[0] ? "%.100s (%.60s)" : "%.100s%.0s", v->name, v->unit);
  return out;
}

// ---- tables -------------------------------------------------------------------------------------

// a field of words; quotes are doubled
static void put_words(pl_text *t, const char *s) {
  pl_text_put(t, "\"", 1);
  for (; *s; s++) {
    if (*s == '"') pl_text_put(t, "\"", 1);
    pl_text_put(t, *s == '\n' ? " " : s, 1);
  }
  pl_text_put(t, "\"", 1);
}

// units of the scene, such as m/s^2, as in headers of other tables
static void put_name(pl_text *t, const char *name, const char *unit) {
  pl_text_add(t, ",%s%s", name, unit[0] ? "_" : "");
  for (; *unit; unit++) pl_text_put(t, strchr("/ .*", *unit) ? "_" : unit, 1);
}

static void put_head(const searching *k, pl_text *t) {
  for (int i = 0; i < k->p->nvariable; i++)
    put_name(t, k->p->variable[i].name, k->p->variable[i].unit);
  for (int g = 0; g < k->p->ngoal; g++) pl_text_add(t, ",%s", k->p->goal[g].figure);
}

static void put_figures(const searching *k, const outcome *o, const double *figure, pl_text *t) {
  search_mark m = search_mark_of(k, o, figure);
  for (int g = 0; g < k->p->ngoal; g++)
    if (isfinite(figure[g]))
      pl_text_add(t, ",%.17g", figure[g]);
    else
      pl_text_add(t, ",");
  if (o->solved)
    pl_text_add(t, ",%.17g", m.goal);
  else
    pl_text_add(t, ",");
  pl_text_add(t, ",%d,%d", m.feasible, m.success);
}

static pl_status write_designs(const searching *k) {
  pl_text t;
  pl_text_init(&t, k->j->env);
  pl_text_add(&t, "design,phase");
  put_head(k, &t);
  pl_text_add(&t, ",goal,feasible,success,merit%s,reason\n", k->nrun > 1 ? ",part" : "");
  for (int i = 0; i < k->n; i++) {
    const outcome *o = exact(k, i);
    if (!o->done) continue;
    pl_text_add(&t, "%d,%s", i + 1, phase_text[k->phase[i]]);
    for (int v = 0; v < k->p->nvariable; v++) pl_text_add(&t, ",%.17g", values(k, i)[v]);
    put_figures(k, o, figures_of(k, i), &t);
    pl_text_add(&t, ",%.17g", k->merit[i]);
    if (k->nrun > 1) pl_text_add(&t, ",%.17g", search_part(k, i));
    pl_text_add(&t, ",");
    put_words(&t, o->why);
    pl_text_add(&t, "\n");
  }
  return job_text(k->j, k->a->name, &t);
}

// checks and scattered runs of the best design
static pl_status write_more(const searching *k) {
  const pl_search_plan *p = k->p;
  char name[PL_TEXT];
  pl_text t;
  if (k->nmore == 0) return PL_OK;
  pl_text_init(&t, k->j->env);
  pl_text_add(&t, "run");
  for (int i = 0; i < p->nscatter; i++) pl_text_add(&t, ",deviation_%s", p->scatter[i].name);
  for (int g = 0; g < p->ngoal; g++) pl_text_add(&t, ",%s", p->goal[g].figure);
  pl_text_add(&t, ",goal,feasible,success,reason\n");
  for (int i = 0; i < k->nmore; i++) {
    int run = i - p->ncheck;
    if (!k->more[i].done) continue;
    if (run < 0)
      pl_text_add(&t, "%s", p->check[i].name);
    else
      pl_text_add(&t, "%d", run + 1);
    for (int s = 0; s < p->nscatter; s++)
      pl_text_add(&t, ",%.17g", run < 0 ? 0 : p->scatter[s].by * k->z[run * p->nscatter + s]);
    put_figures(k, &k->more[i], k->more_figure + (size_t)i * (size_t)p->ngoal, &t);
    pl_text_add(&t, ",");
    put_words(&t, k->more[i].why);
    pl_text_add(&t, "\n");
  }
  return job_text(k->j, file_name(k, "runs", name), &t);
}

// ---- the best design ----------------------------------------------------------------------------

static void report_set(const searching *k, json_t *figures) {
  const search_task best = {.x = values(k, k->best)};
  pl_text set, line;
  pl_text_init(&set, k->j->env);
  pl_text_init(&line, k->j->env);
  int n = search_overrides(k, &best, &set);
  json_t *list = json_array();
  const char *at = set.s;
  for (int i = 0; !set.failed && i < n; i++, at += strlen(at) + 1) {
    json_array_append_new(list, json_string(at));
    pl_text_add(&line, " --set '%s'", at);
  }
  job_set(figures, "set", list);
  if (line.s) job_say(k->j, "The best design:%.1500s", line.s);
  pl_text_free(&set);
  pl_text_free(&line);
}

static pl_status write_scene(const searching *k) {
  const search_task best = {.x = values(k, k->best)};
  pl_text set, out;
  pl_text_init(&set, k->j->env);
  pl_text_init(&out, k->j->env);
  int n = search_overrides(k, &best, &set);
  const char **list = pl_alloc(k->j->env, (size_t)n, sizeof *list), *at = set.s;
  pl_status s = list && !set.failed ? PL_OK : PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < n; i++, at += strlen(at) + 1) list[i] = at;
  pl_text_add(&out, "# the best design of '%s'\n", k->a->name);
  if (s == PL_OK) s = pl_scene_write_found(k->j->scene, n, list, &out);
  if (s == PL_OK && out.failed) s = PL_E_NOMEM;
  if (s == PL_OK) s = job_send_scene(k->j, k->a->name, &out);
  pl_free(k->j->env, list);
  pl_text_free(&set);
  pl_text_free(&out);
  return s;
}

static void grid_figure(grid *g, const outcome *o, double v) {
  if (o->solved && isfinite(v))
    grid_add(g, "%.6g", v);
  else
    grid_add(g, "-");
}

static void page_best(const searching *k) {
  static const char *const head[] = {"", "at the start", "best", "range or goal"};
  const pl_search_plan *p = k->p;
  char name[PL_TEXT];
  grid g = job_grid(k->j, 4, head);
  for (int i = 0; i < p->nvariable; i++) {
    grid_add(&g, "%s", label(&p->variable[i], name));
    grid_add(&g, "%.6g", values(k, 0)[i]);
    grid_add(&g, "%.6g", values(k, k->best)[i]);
    grid_add(&g, "%.6g to %.6g", p->variable[i].lo, p->variable[i].hi);
  }
  for (int i = 0; i < p->ngoal; i++) {
    const pl_search_goal *q = &p->goal[i];
    grid_add(&g, "%s", q->figure);
    grid_figure(&g, exact(k, 0), figures_of(k, 0)[i]);
    grid_figure(&g, exact(k, k->best), figures_of(k, k->best)[i]);
    if (q->word)
      grid_add(&g, "is %s", q->word);
    else if (q->aim >= PL_AIM_UP)
      grid_add(&g, "%s", aim_text[q->aim]);
    else if (q->within > 0)
      grid_add(&g, "%s %.6g within %.3g", aim_text[q->aim], q->value, q->within);
    else
      grid_add(&g, "%s %.6g", aim_text[q->aim], q->value);
  }
  grid_end(&g);
}

// why designs failed, the same reasons together
static void page_failures(const searching *k) {
  static const char *const head[] = {"designs", "why they have no figures"};
  int some = 0;
  for (int i = 0; i < k->n; i++) some += exact(k, i)->done && !exact(k, i)->solved;
  if (some == 0) return;
  grid g = job_grid(k->j, 2, head);
  for (int i = 0, shown = 0; i < k->n && shown < 10; i++) {
    int same = 0, before = 0;
    if (!exact(k, i)->done || exact(k, i)->solved) continue;
    for (int m = 0; m < k->n; m++) {
      int is = exact(k, m)->done && strcmp(exact(k, m)->why, exact(k, i)->why) == 0;
      same += is;
      before += is && m < i;
    }
    if (before) continue;
    grid_add(&g, "%d", same);
    grid_add(&g, "%s", exact(k, i)->why);
    shown++;
  }
  grid_end(&g);
}

// ---- plots --------------------------------------------------------------------------------------

// goals of designs over x[n]: those that keep all limits, and others
static pl_status plot_goals(const searching *k, const double *x, double *y, const pl_plot *axes,
                            const char *name, const char *caption, const pl_series *also) {
  double *within = y, *beyond = y + k->n;
  for (int i = 0; i < k->n; i++) {
    int solved = exact(k, i)->done && exact(k, i)->solved;
    within[i] = solved && k->mark[i].feasible ? k->mark[i].goal : NAN;
    beyond[i] = solved && !k->mark[i].feasible ? k->mark[i].goal : NAN;
  }
  pl_series s[3] = {{.name = "designs", .n = k->n, .x = x, .y = within, .points = 1, .colour = -1},
                    {.name = "beyond at_least or at_most",
                     .n = k->n,
                     .x = x,
                     .y = beyond,
                     .points = 1,
                     .colour = -1}};
  pl_plot plot = *axes;
  plot.nseries = 2;
  if (also) s[plot.nseries++] = *also;
  plot.series = s;
  return job_plot(k->j, name, &plot, caption);
}

static pl_status plot_all(const searching *k, double *x, double *y) {
  char name[PL_TEXT], axis[PL_TEXT];
  double best = NAN, *so_far = y + 2 * k->n;
  for (int i = 0; i < k->n; i++) {
    x[i] = i + 1;
    const search_mark *m = &k->mark[i];
    if (exact(k, i)->solved && m->feasible && !(best <= m->goal)) best = m->goal;
    so_far[i] = best;
  }
  const pl_series line = {.name = "best so far", .n = k->n, .x = x, .y = so_far, .colour = -1};
  pl_plot axes = {.xlabel = "design", .ylabel = "goal"};
  PL_TRY(plot_goals(k, x, y, &axes, file_name(k, "course", name),
                    "Goals of the designs in the order in which they were tried.", &line));
  for (int v = 0; v < k->p->nvariable; v++) {
    const pl_search_variable *q = &k->p->variable[v];
    for (int i = 0; i < k->n; i++) x[i] = values(k, i)[v];
    axes.xlabel = label(q, axis);
    axes.logx = q->log;
    PL_TRY(plot_goals(k, x, y, &axes, file_name(k, q->name, name), "Goals of all designs.", NULL));
  }
  return PL_OK;
}

static pl_status plot(const searching *k) {
  size_t n = (size_t)k->n;
  double *x = pl_alloc(k->j->env, 4 * n, sizeof *x);
  if (!x) return PL_E_NOMEM;
  job_row(k->j);
  pl_status s = plot_all(k, x, x + n);
  job_row_end(k->j);
  pl_free(k->j->env, x);
  return s;
}

// ---- figures ------------------------------------------------------------------------------------

static json_t *figure_list(const searching *k, const outcome *o, const double *figure) {
  json_t *all = json_object();
  for (int g = 0; g < k->p->ngoal; g++)
    if (o->solved && isfinite(figure[g]))
      json_object_set_new(all, k->p->goal[g].figure, json_real(figure[g]));
  return all;
}

static void set_more(const searching *k, json_t *figures) {
  const pl_search_plan *p = k->p;
  json_t *checks = json_array();
  int done = 0, good = 0;
  for (int i = 0; i < k->nmore; i++) {
    const double *f = k->more_figure + (size_t)i * (size_t)p->ngoal;
    search_mark m = search_mark_of(k, &k->more[i], f);
    if (!k->more[i].done) continue;
    if (i < p->ncheck)
      json_array_append_new(checks, json_pack("{s:s, s:b, s:s, s:o}", "name", p->check[i].name,
                                              "success", m.success, "reason", k->more[i].why,
                                              "figures", figure_list(k, &k->more[i], f)));
    done += i >= p->ncheck;
    good += i >= p->ncheck && m.success;
  }
  if (p->ncheck > 0)
    job_set(figures, "verify", checks);
  else
    json_decref(checks);
  if (done == 0) return;
  job_set(
      figures, "scatter",
      json_pack("{s:i, s:i, s:f}", "runs", done, "successes", good, "part", (double)good / done));
  job_note(k->j, "%s: %d of %d scattered runs of the best design succeed", k->a->name, good, done);
}

static void set_figures(const searching *k, json_t *figures) {
  int done = 0, failed = 0;
  json_t *start = json_object(), *best = json_object();
  for (int i = 0; i < k->n; i++) {
    done += exact(k, i)->done;
    failed += exact(k, i)->done && !exact(k, i)->solved;
  }
  job_set(figures, "designs", json_integer(done));
  job_set(figures, "failures", json_integer(failed));
  for (int v = 0; v < k->p->nvariable; v++) {
    json_object_set_new(start, k->p->variable[v].name, json_real(values(k, 0)[v]));
    if (k->best >= 0)
      json_object_set_new(best, k->p->variable[v].name, json_real(values(k, k->best)[v]));
  }
  job_set(figures, "start", start);
  job_set(figures, "start_figures", figure_list(k, exact(k, 0), figures_of(k, 0)));
  job_set(figures, "best", best);
  if (k->best < 0) return;
  const search_mark *m = &k->mark[k->best];
  job_set(figures, "best_figures", figure_list(k, exact(k, k->best), figures_of(k, k->best)));
  job_set(figures, "best_design", json_integer(k->best + 1));
  job_set(figures, "goal", json_real(m->goal));
  job_set(figures, "feasible", json_boolean(m->feasible));
  job_set(figures, "success", json_boolean(m->success));
  if (k->nrun > 1) job_set(figures, "part", json_real(search_part(k, k->best)));
}

static void report_best(const searching *k) {
  pl_text t;
  const search_mark *m = &k->mark[k->best];
  pl_text_init(&t, k->j->env);
  for (int v = 0; v < k->p->nvariable; v++)
    pl_text_add(&t, "%s%s %.6g%s%s", v ? ", " : "", k->p->variable[v].name, values(k, k->best)[v],
                k->p->variable[v].unit[0] ? " " : "", k->p->variable[v].unit);
  for (int g = 0; g < k->p->ngoal; g++)
    pl_text_add(&t, "; %s %.6g", k->p->goal[g].figure, figures_of(k, k->best)[g]);
  job_note(k->j, "%s: design %d of %d is the best: %.1200s", k->a->name, k->best + 1, k->n,
           t.s ? t.s : "");
  if (!m->feasible)
    job_alarm(k->j,
              "No design keeps all of at_least, at_most and is. Widen the ranges, or ask less.");
  else if (!m->success)
    job_warn(k->j, "The best design misses a target by more than `within`.");
  pl_text_free(&t);
}

static void report_checks(const searching *k) {
  const pl_search_plan *p = k->p;
  for (int i = 0; i < p->ncheck; i++) {
    const double *f = k->more_figure + (size_t)i * (size_t)p->ngoal;
    char text[PL_TEXT] = "";
    size_t at = 0;
    if (!k->more[i].done) continue;
    for (int g = 0; g < p->ngoal && at < sizeof text - 100; g++)
      at += (size_t)snprintf(text + at, sizeof text - at, "; %.60s %.6g", p->goal[g].figure, f[g]);
    int good = search_mark_of(k, &k->more[i], f).success, was = k->mark[k->best].success;
    job_note(k->j, "%s: %s: %s%s", k->a->name, p->check[i].name,
             !k->more[i].solved ? k->more[i].why
             : good             ? "succeeds, too"
             : was              ? "does not succeed"
                                : "no success, either",
             k->more[i].solved ? text : "");
    if (was && !good) job_alarm(k->j, "The best design does not hold in '%s'.", p->check[i].name);
  }
}

pl_status search_report(searching *k, json_t *figures) {
  set_figures(k, figures);
  PL_TRY(write_designs(k));
  if (k->best < 0) {
    job_alarm(k->j, "None of %d designs has all figures; the first: %s.", k->n, exact(k, 0)->why);
    job_set(figures, "reason", json_string(exact(k, 0)->why));
    page_failures(k);
    return PL_OK;
  }
  if (!k->mark[k->best].feasible)
    job_set(figures, "reason", json_string("no design keeps all of at_least, at_most and is"));
  report_best(k);
  page_best(k);
  report_set(k, figures);
  report_checks(k);
  set_more(k, figures);
  PL_TRY(write_more(k));
  PL_TRY(write_scene(k));
  page_failures(k);
  return job_figures(k->j) ? plot(k) : PL_OK;
}
