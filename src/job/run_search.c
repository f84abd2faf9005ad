// search: values of the scene's keys for which figures of other analyses reach goals.
#include "search.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double Z_MOST = 3; // standard deviations

// ---- values -------------------------------------------------------------------------------------

static double to_value(const pl_search_variable *v, double u) {
  return v->log ? v->lo * pow(v->hi / v->lo, u) : v->lo + u * (v->hi - v->lo);
}

static double from_value(const pl_search_variable *v, double x) {
  double u = v->log ? log(x / v->lo) / log(v->hi / v->lo) : (x - v->lo) / (v->hi - v->lo);
  return fmin(fmax(u, 0), 1);
}

// the same numbers for all designs
static pl_status draw(searching *k) {
  const pl_search_plan *p = k->p;
  int runs = p->runs > p->during ? p->runs : p->during;
  pl_rng rng;
  k->z = pl_alloc(k->j->env, (size_t)runs * (size_t)p->nscatter + 1, sizeof *k->z);
  if (!k->z) return PL_E_NOMEM;
  pl_rng_seed(&rng, (unsigned long long)k->o->seed);
  for (int i = 0; i < runs * p->nscatter; i++) {
    double *z = &k->z[i];
    *z = p->scatter[i % p->nscatter].uniform ? pl_rng_uniform(&rng, -1, 1) : Z_MOST + 1;
    while (fabs(*z) > Z_MOST) *z = pl_rng_normal(&rng);
  }
  return PL_OK;
}

// ---- what is run --------------------------------------------------------------------------------

static int starts_from(const pl_scene *sc, int k, int from) {
  for (int i = job_source(&sc->analysis[k]); i >= 0; i = job_source(&sc->analysis[i]))
    if (i == from) return 1;
  return 0;
}

// analyses with figures, but for those that others of them start from
static pl_status find_leaves(searching *k) {
  const pl_search_plan *p = k->p;
  k->leaf = pl_alloc(k->j->env, (size_t)p->ngoal, sizeof *k->leaf);
  if (!k->leaf) return PL_E_NOMEM;
  for (int g = 0; g < p->ngoal; g++) {
    int of = p->goal[g].analysis, covered = 0;
    for (int i = 0; i < k->nleaf; i++) covered |= k->leaf[i] == of;
    for (int i = 0; i < p->ngoal; i++) covered |= starts_from(k->j->scene, p->goal[i].analysis, of);
    if (!covered) k->leaf[k->nleaf++] = of;
    k->stress |= strstr(p->goal[g].key, "stress") != NULL;
  }
  return PL_OK;
}

// ---- the search ---------------------------------------------------------------------------------

// the runs of designs from `first` on
static pl_status run_designs(searching *k, int first) {
  int nrun = k->nrun, n = (k->n - first) * nrun;
  search_task *task = pl_alloc(k->j->env, (size_t)n, sizeof *task);
  if (!task) return PL_E_NOMEM;
  for (int i = 0; i < n; i++) {
    int at = first * nrun + i;
    task[i] = (search_task){.x = k->x + (size_t)(at / nrun) * (size_t)k->p->nvariable,
                            .scatter = at % nrun,
                            .to = &k->out[at],
                            .figure = k->figure + (size_t)at * (size_t)k->p->ngoal};
  }
  pl_status s = search_run(k, n, task);
  pl_free(k->j->env, task);
  return s;
}

static pl_status add_designs(searching *k, int n, const double *u, const int *phase) {
  size_t nv = (size_t)k->p->nvariable, at = (size_t)k->n;
  PL_TRY(search_grow(k, k->n + n));
  memcpy(k->u + at * nv, u, (size_t)n * nv * sizeof *u);
  memcpy(k->phase + at, phase, (size_t)n * sizeof *phase);
  memset(k->out + at * (size_t)k->nrun, 0, (size_t)n * (size_t)k->nrun * sizeof *k->out);
  memset(k->figure + at * (size_t)(k->nrun * k->p->ngoal), 0,
         (size_t)n * (size_t)(k->nrun * k->p->ngoal) * sizeof *k->figure);
  for (size_t i = 0; i < (size_t)n * nv; i++) {
    const pl_search_variable *v = &k->p->variable[i % nv];
    k->x[at * nv + i] = phase[i / nv] == PL_SEARCH_START ? v->start : to_value(v, u[i]);
  }
  k->n += n;
  return PL_OK;
}

// nothing is to be made as large or small as possible, and a design is a success
static int is_enough(const searching *k) {
  if (!k->o->stop || k->best < 0 || !k->mark[k->best].success) return 0;
  for (int g = 0; g < k->p->ngoal; g++)
    if (k->p->goal[g].aim >= PL_AIM_UP ||
        (k->p->goal[g].aim == PL_AIM_TARGET && !(k->p->goal[g].within > 0)))
      return 0;
  return search_part(k, k->best) >= 1;
}

// the designs from `first` on, which have been judged
static pl_status tell_designs(const searching *k, int first) {
  const pl_search_plan *p = k->p;
  if (!job_iterates(k->j)) return PL_OK;
  size_t nv = (size_t)p->nvariable, ng = (size_t)p->ngoal;
  const char **words = pl_alloc(k->j->env, 2 * nv + ng, sizeof *words);
  if (!words) return PL_E_NOMEM;
  for (size_t i = 0; i < nv; i++) {
    words[i] = p->variable[i].name;
    words[nv + i] = p->variable[i].unit;
  }
  for (size_t g = 0; g < ng; g++) words[2 * nv + g] = p->goal[g].figure;
  pl_status s = PL_OK;
  for (int i = first; s == PL_OK && i < k->n; i++) {
    const search_task task = {.x = k->x + (size_t)i * nv};
    const outcome *o = &k->out[(size_t)i * (size_t)k->nrun];
    pl_text set;
    pl_text_init(&set, k->j->env);
    pl_iterate it = {.iteration = i,
                     .value = o->solved ? k->merit[i] : NAN,
                     .best = i == k->best,
                     .n = p->nvariable,
                     .name = words,
                     .unit = words + nv,
                     .x = task.x,
                     .nset = search_overrides(k, &task, &set),
                     .nfigure = p->ngoal,
                     .figure = words + 2 * nv,
                     .reached = k->figure + (size_t)i * (size_t)k->nrun * ng};
    s = job_iterate_set(k->j, k->a, &it, &set);
    pl_text_free(&set);
  }
  pl_free(k->j->env, words);
  return s;
}

// A figure that no design can have is told by the first one; one that none of the first designs
// has, though their analyses were done, after these.
static pl_status check_names(const searching *k) {
  int ng = k->p->ngoal, seen[PL_SEARCH_GOALS] = {0}, at = -1;
  for (int i = 0; i < k->n * k->nrun; i++)
    for (int g = 0; g < ng; g++) seen[g] |= k->out[i].done && isfinite(k->figure[i * ng + g]);
  for (int i = 0; i < k->n * k->nrun && at < 0; i++) {
    const outcome *o = &k->out[i];
    if (o->missed > 0 && ((i == 0 && o->wrong) || !seen[o->missed - 1])) at = i;
  }
  if (at < 0) return PL_OK;
  return pl_fail_at(k->j->env, PL_E_INPUT, k->j->scene->path, k->a->line, k->a->col,
                    "figures are those of summary.json after a run of the analysis alone", "%s: %s",
                    k->a->name, k->out[at].why);
}

static pl_status look(searching *k, const double *start, double *u, int *phase) {
  // what an earlier run began is ended first
  int first = 0, named = 0;
  for (;;) {
    int n;
    PL_TRY(run_designs(k, first));
    if (!named) PL_TRY(check_names(k));
    named = k->n > 0;
    search_judge(k);
    PL_TRY(tell_designs(k, first));
    if (is_enough(k)) return PL_OK;
    pl_search_table t = {.nvariable = k->p->nvariable,
                         .n = k->n,
                         .start = start,
                         .x = k->u,
                         .value = k->merit,
                         .phase = k->phase};
    PL_TRY(pl_search_ask(k->j->env, k->o, &t, u, phase, &n));
    if (n == 0) return PL_OK;
    first = k->n;
    PL_TRY(add_designs(k, n, u, phase));
  }
}

static pl_status look_for_best(searching *k) {
  size_t nv = (size_t)k->p->nvariable, batch = (size_t)k->o->batch;
  double *u = pl_alloc(k->j->env, (batch + 1) * nv, sizeof *u), *start = u + batch * nv;
  int *phase = pl_alloc(k->j->env, batch, sizeof *phase);
  pl_status s = u && phase ? PL_OK : PL_E_NOMEM;
  for (size_t i = 0; s == PL_OK && i < nv; i++)
    start[i] = from_value(&k->p->variable[i], k->p->variable[i].start);
  if (s == PL_OK) s = look(k, start, u, phase);
  pl_free(k->j->env, u);
  pl_free(k->j->env, phase);
  return s;
}

// ---- the best design once more ------------------------------------------------------------------

static pl_status look_again(searching *k) {
  if (k->best < 0 || k->nmore == 0) return PL_OK;
  search_task *task = pl_alloc(k->j->env, (size_t)k->nmore, sizeof *task);
  if (!task) return PL_E_NOMEM;
  for (int i = 0; i < k->nmore; i++) {
    int check = i < k->p->ncheck;
    task[i] = (search_task){.x = k->x + (size_t)k->best * (size_t)k->p->nvariable,
                            .scatter = check ? 0 : i - k->p->ncheck + 1,
                            .check = check ? &k->p->check[i] : NULL,
                            .to = &k->more[i],
                            .figure = k->more_figure + (size_t)i * (size_t)k->p->ngoal};
  }
  k->again = 1;
  pl_status s = search_run(k, k->nmore, task);
  pl_free(k->j->env, task);
  return s;
}

static pl_status open_search(searching *k) {
  pl_env *env = k->j->env;
  const pl_search_plan *p = k->p;
  k->nrun = 1 + (p->nscatter > 0 ? p->during : 0);
  k->nmore = p->ncheck + (p->nscatter > 0 ? p->runs : 0);
  k->best = -1;
  k->more = pl_alloc(env, (size_t)k->nmore, sizeof *k->more);
  k->more_figure = pl_alloc(env, (size_t)k->nmore * (size_t)p->ngoal, sizeof *k->more_figure);
  k->scale = pl_alloc(env, (size_t)p->ngoal, sizeof *k->scale);
  if (!k->more || !k->more_figure || !k->scale) return PL_E_NOMEM;
  PL_TRY(draw(k));
  PL_TRY(find_leaves(k));
  return search_read(k);
}

static void close_search(searching *k) {
  void *all[] = {k->u,     k->x,    k->phase,       k->out,   k->figure, k->mark,
                 k->merit, k->more, k->more_figure, k->scale, k->z,      k->leaf};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(k->j->env, all[i]);
}

pl_status job_search(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  searching k = {.j = j, .a = a, .p = a->search, .o = &a->opts.search_};
  pl_status s = open_search(&k);
  if (s == PL_OK) s = look_for_best(&k);
  if (s == PL_OK) s = look_again(&k);
  if (s == PL_CANCELLED && k.n > 0) {
    // designs that were not run are no part of what is told
    pl_status written = search_write(&k);
    if (written < 0) s = written;
  }
  if (s >= 0 && k.n > 0) {
    search_judge(&k);
    pl_status reported = search_report(&k, figures);
    if (reported < 0) s = reported;
    if (s == PL_OK && (k.best < 0 || !k.mark[k.best].feasible)) s = PL_UNSOLVED;
  }
  close_search(&k);
  return s;
}
