// Runs protocols: the plan, its points, finer and rescaled checks of what passed, and the score.
#include "run_impl.h"

#include "pliant/job.h"
#include "pliant/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- what is asked ----------------------------------------------------------------------------

const pl_protocol *pl_protocol_find(const char *name) {
  for (int k = 0; k < pl_protocol_count; k++)
    if (strcmp(pl_protocol_table[k]->name, name) == 0) return pl_protocol_table[k];
  return NULL;
}

const pl_protocol_model *pl_protocol_find_model(const pl_protocol *p, const char *name) {
  for (int k = 0; k < p->nmodel; k++)
    if (strcmp(p->model[k].name, name) == 0) return &p->model[k];
  return NULL;
}

static int all_protocols(const pl_validate_opts *o) {
  return !o->protocol || strcmp(o->protocol, "all") == 0;
}

static int wanted(const pl_validate_opts *o, const pl_protocol *p) {
  return all_protocols(o) || strcmp(o->protocol, p->name) == 0;
}

static pl_status unknown_protocol(pl_env *env, const char *word) {
  const char *name[32] = {"all"};
  char hint[PL_TEXT];
  int n = 1;
  for (int k = 0; k < pl_protocol_count && n < 32; k++) name[n++] = pl_protocol_table[k]->name;
  pl_name_hint(word, n, name, hint, sizeof hint);
  return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, hint, "there is no protocol '%s'", word);
}

static pl_status unknown_model(pl_env *env, const pl_validate_opts *o) {
  const char *name[32];
  char hint[PL_TEXT];
  int n = 0;
  for (int k = 0; k < pl_protocol_count; k++)
    for (int i = 0; wanted(o, pl_protocol_table[k]) && i < pl_protocol_table[k]->nmodel; i++) {
      const char *word = pl_protocol_table[k]->model[i].name;
      int known = 0;
      for (int j = 0; j < n; j++) known |= strcmp(name[j], word) == 0;
      if (!known && n < 32) name[n++] = word;
    }
  pl_name_hint(o->model, n, name, hint, sizeof hint);
  return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, hint, "%s has no model '%s'",
                    all_protocols(o) ? "no protocol" : o->protocol, o->model);
}

static pl_status check_points(pl_env *env, const pl_validate_opts *o) {
  if (o->nat == 0) return PL_OK;
  if (all_protocols(o))
    return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "e.g. pliant validate cantilever --at 0.37,12",
                      "points can be chosen for one protocol only");
  const pl_protocol *p = pl_protocol_find(o->protocol);
  for (int i = 0; i < o->nat; i++)
    if (!(o->at[i] >= p->lo && o->at[i] <= p->hi))
      return pl_fail(env, PL_E_ARG, "%s: %s must lie in %g to %g, got %g", p->name, p->column[0],
                     p->lo, p->hi, o->at[i]);
  return PL_OK;
}

// has a mesh of the resolution that is asked for
static int resolves(const pl_validate_opts *o, const pl_protocol_model *m) {
  return !o->resolution || (o->resolution >= m->least && o->resolution <= m->most);
}

static pl_status check(pl_env *env, const pl_validate_opts *o) {
  if (!all_protocols(o) && !pl_protocol_find(o->protocol))
    return unknown_protocol(env, o->protocol);
  if (o->threads < 0 || o->threads > 1024)
    return pl_fail(env, PL_E_ARG, "threads must be 1..1024, got %d", o->threads);
  if (!isnan(o->nu) && !(o->nu > -1 && o->nu <= 0.5))
    return pl_fail(env, PL_E_ARG, "Poisson's ratio must lie between -1 and 0.5, got %g", o->nu);
  PL_TRY(check_points(env, o));
  const pl_protocol_model *last = NULL;
  int found = 0;
  for (int k = 0; k < pl_protocol_count; k++) {
    const pl_protocol *p = pl_protocol_table[k];
    for (int i = 0; wanted(o, p) && i < p->nmodel; i++) {
      const pl_protocol_model *m = &p->model[i];
      if (o->model && strcmp(o->model, m->name) != 0) continue;
      found |= resolves(o, m);
      last = m;
    }
  }
  if (last && !found)
    return pl_fail(env, PL_E_ARG, "%s: resolution must be %d to %d, got %d", last->name,
                   last->least, last->most, o->resolution);
  return last ? PL_OK : unknown_model(env, o);
}

// ---- the plan ---------------------------------------------------------------------------------

typedef struct plan {
  pl_env *env;
  const pl_validate_opts *o;
  pl_validation *v;
  int threads;
  int ntask;
  task *tasks;
} plan;

static double nu_of(const plan *p, const pl_protocol *q) {
  if (isnan(q->nu)) return 0;
  return isnan(p->o->nu) ? q->nu : p->o->nu;
}

static int points_of(const plan *p, const pl_protocol *q, const double **x) {
  *x = p->o->nat ? p->o->at : p->o->quick ? q->quick : q->point;
  return p->o->nat ? p->o->nat : p->o->quick ? q->nquick : q->npoint;
}

// point i of those that draw the master curve
static double curve_point(const pl_protocol *q, int i) {
  double at = (double)i / (q->ncurve - 1);
  int log = q->box ? q->box->logx : q->logx;
  double x = log ? q->lo * pow(q->hi / q->lo, at) : q->lo + (q->hi - q->lo) * at;
  return i == 0 ? q->lo : i == q->ncurve - 1 ? q->hi : x;
}

static pl_status plan_curve(plan *p, const pl_protocol *q) {
  const double *x;
  int npoint = points_of(p, q, &x), n = npoint + q->ncurve;
  pl_master *c = &p->v->curve[p->v->ncurve];
  c->sample = pl_alloc(p->env, (size_t)n, sizeof *c->sample);
  if (!c->sample) return PL_E_NOMEM;
  p->v->ncurve++;
  c->protocol = q;
  c->n = n;
  c->npoint = npoint;
  for (int i = 0; i < n; i++)
    c->sample[i].trial =
        (pl_trial){.x = i < npoint ? x[i] : curve_point(q, i - npoint), .nu = nu_of(p, q)};
  return PL_OK;
}

// those of the protocol, or a few, where the model answers; x[npoint]
static int points_for(const plan *p, const pl_protocol *q, const pl_protocol_model *m, double *x) {
  const double *all;
  int n = points_of(p, q, &all), k = 0;
  for (int i = 0; i < n; i++) {
    int few = !m->few;
    for (int j = 0; j < q->nquick; j++) few |= all[i] == q->quick[j];
    int own = m->judged[1] > 0 ? judged_at(q, m, all[i]) : 1;
    if (p->o->nat || (few && own)) x[k++] = all[i];
  }
  return k;
}

static pl_status plan_score(plan *p, const pl_protocol *q, const pl_protocol_model *m) {
  const double *all;
  double *x = pl_alloc(p->env, (size_t)points_of(p, q, &all), sizeof *x);
  if (!x) return PL_E_NOMEM;
  int n = points_for(p, q, m, x);
  pl_score *s = &p->v->score[p->v->nscore];
  s->sample = pl_alloc(p->env, (size_t)n, sizeof *s->sample);
  if (!s->sample) pl_free(p->env, x);
  if (!s->sample) return PL_E_NOMEM;
  p->v->nscore++;
  s->protocol = q;
  s->model = m;
  s->resolution = p->o->resolution ? p->o->resolution : p->o->quick ? m->quick : m->resolution;
  s->nsample = n;
  for (int i = 0; i < n; i++)
    s->sample[i].trial = (pl_trial){.x = x[i], .nu = nu_of(p, q), .resolution = s->resolution};
  pl_free(p->env, x);
  return PL_OK;
}

// 1: it has no answer for this Poisson's ratio or resolution, and says so
static int left_out(const plan *p, const pl_protocol *q, const pl_protocol_model *m) {
  double nu = nu_of(p, q);
  if (!resolves(p->o, m)) {
    pl_report(p->env, PL_WARNING, NULL, 0, 0, NULL,
              "%s %s is left out: its resolution must be %d to %d", q->name, m->name, m->least,
              m->most);
    return 1;
  }
  if (m->nu_zero ? nu == 0 : !(m->nu_most > 0) || nu <= m->nu_most) return 0;
  pl_report(p->env, PL_WARNING, NULL, 0, 0, NULL,
            "%s %s is left out: its Poisson's ratio must be %s%g", q->name, m->name,
            m->nu_zero ? "" : "<= ", m->nu_zero ? 0 : m->nu_most);
  return 1;
}

static pl_status make_plan(plan *p) {
  size_t nscore = 0;
  for (int k = 0; k < pl_protocol_count; k++) nscore += (size_t)pl_protocol_table[k]->nmodel;
  p->v->score = pl_alloc(p->env, nscore, sizeof *p->v->score);
  p->v->curve = pl_alloc(p->env, (size_t)pl_protocol_count, sizeof *p->v->curve);
  if (!p->v->score || !p->v->curve) return PL_E_NOMEM;
  for (int k = 0; k < pl_protocol_count; k++) {
    const pl_protocol *q = pl_protocol_table[k];
    int any = 0;
    for (int i = 0; wanted(p->o, q) && i < q->nmodel; i++) {
      if (p->o->model && strcmp(p->o->model, q->model[i].name) != 0) continue;
      if (left_out(p, q, &q->model[i])) continue;
      if (!any++) PL_TRY(plan_curve(p, q));
      PL_TRY(plan_score(p, q, &q->model[i]));
    }
  }
  return PL_OK;
}

static const pl_master *curve_of(const pl_validation *v, const pl_protocol *q) {
  for (int k = 0; k < v->ncurve; k++)
    if (v->curve[k].protocol == q) return &v->curve[k];
  return NULL;
}

// ---- points, then checks ----------------------------------------------------------------------

static pl_status add_task(plan *p, int *cap, const pl_protocol *q, const pl_protocol_model *m,
                          pl_sample *s) {
  PL_TRY(pl_grow(p->env, &p->tasks, p->ntask, cap, sizeof *p->tasks));
  s->status = PL_CANCELLED;
  p->tasks[p->ntask++] = (task){q, m, s};
  return PL_OK;
}

static pl_status run_points(plan *p) {
  pl_validation *v = p->v;
  int cap = 0;
  for (int k = 0; k < v->ncurve; k++)
    for (int i = 0; i < v->curve[k].n; i++)
      PL_TRY(add_task(p, &cap, v->curve[k].protocol, NULL, &v->curve[k].sample[i]));
  for (int k = 0; k < v->nscore; k++)
    for (int i = 0; i < v->score[k].nsample; i++)
      PL_TRY(add_task(p, &cap, v->score[k].protocol, v->score[k].model, &v->score[k].sample[i]));
  return pool_run(p->env, p->threads, p->ntask, p->tasks);
}

// Cells half as long (twice, where that takes too long) at a few points, the worst among them; of
// what passed also the worst in other units. What failed, and what takes long, at the worst only.
static pl_status plan_checks(plan *p, pl_score *s) {
  const pl_protocol *q = s->protocol;
  const pl_protocol_model *m = s->model;
  int passed = s->verdict == PL_VERDICT_OK, most = q->nquick + 2;
  int coarser = 2 * s->resolution > m->most || (p->o->quick && m->few);
  int other = coarser ? (s->resolution + 1) / 2 : 2 * s->resolution;
  int wide = passed && !p->o->quick && !m->few;
  s->check = pl_alloc(p->env, (size_t)most, sizeof *s->check);
  if (!s->check) return PL_E_NOMEM;
  pl_trial t = {.x = s->where, .nu = nu_of(p, q), .resolution = s->resolution, .units = 1};
  if (passed) s->check[s->ncheck++].trial = t;
  t.units = 0;
  t.resolution = other;
  if (other >= m->least) s->check[s->ncheck++].trial = t;
  for (int i = 0; other >= m->least && wide && i < s->nsample; i++)
    for (int k = 0; k < q->nquick; k++) {
      t.x = s->sample[i].trial.x;
      if (t.x == q->quick[k] && t.x != s->where && judged_at(q, m, t.x))
        s->check[s->ncheck++].trial = t;
    }
  return PL_OK;
}

static pl_status run_checks(plan *p) {
  pl_validation *v = p->v;
  int cap = 0;
  pl_free(p->env, p->tasks);
  p->tasks = NULL;
  p->ntask = 0;
  for (int k = 0; k < v->nscore; k++) {
    pl_score *s = &v->score[k];
    if (s->verdict == PL_VERDICT_NONE || isnan(s->where)) continue;
    PL_TRY(plan_checks(p, s));
    for (int i = 0; i < s->ncheck; i++)
      PL_TRY(add_task(p, &cap, s->protocol, s->model, &s->check[i]));
  }
  pl_status st = pool_run(p->env, p->threads, p->ntask, p->tasks);
  for (int k = 0; k < v->nscore; k++)
    if (v->score[k].ncheck) judge_checks(&v->score[k], curve_of(v, v->score[k].protocol));
  return st;
}

// A negative control may well pass a few chosen points, or on a mesh of its own.
static void count_surprises(plan *p) {
  pl_validation *v = p->v;
  int chosen = p->o->nat || p->o->resolution;
  for (int k = 0; k < v->nscore; k++) {
    pl_score *s = &v->score[k];
    if (chosen && s->model->expect == PL_EXPECT_KO) s->expected = 1;
    v->nsurprise += !s->expected;
    for (int i = 0; i < s->nsample; i++)
      if (s->sample[i].status != PL_OK && s->sample[i].status != PL_CANCELLED)
        pl_report(p->env, PL_WARNING, NULL, 0, 0, NULL, "%s %s, %s = %g: %s", s->protocol->name,
                  s->model->name, s->protocol->column[0], s->sample[i].trial.x, s->sample[i].note);
  }
}

static pl_status run_plan(plan *p) {
  pl_validation *v = p->v;
  PL_TRY(make_plan(p));
  if (v->nscore == 0)
    return pl_fail_at(p->env, PL_E_ARG, NULL, 0, 0, "choose a smaller --nu, or another model",
                      "no model is left that has an answer for a Poisson's ratio of %g", p->o->nu);
  pl_status s = run_points(p);
  if (s < 0) return s;
  for (int k = 0; k < v->nscore; k++)
    PL_TRY(judge(p->env, &v->score[k], curve_of(v, v->score[k].protocol)));
  if (s == PL_OK && !p->o->nat) s = run_checks(p);
  if (s < 0) return s;
  v->cancelled = s == PL_CANCELLED;
  count_surprises(p);
  return s;
}

pl_status pl_validate(pl_env *env, const pl_validate_opts *o, pl_validation **out) {
  *out = NULL;
  PL_TRY(check(env, o));
  // a folder that cannot be made, or that another run has, is told before the work
  pl_folder *folder = NULL;
  if (o->folder) PL_TRY(pl_folder_open(env, o->folder, &folder));
  double start = pl_wall_time();
  int processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
  plan p = {.env = env, .o = o, .threads = o->threads ? o->threads : processors};
  if (p.threads < 1) p.threads = 1;
  p.v = pl_alloc(env, 1, sizeof *p.v);
  if (!p.v) {
    pl_folder_close(folder, 0);
    return PL_E_NOMEM;
  }
  p.v->env = env;
  p.v->quick = o->quick;
  pl_status s = run_plan(&p);
  pl_free(env, p.tasks);
  p.v->seconds = pl_wall_time() - start;
  if (s >= 0 && folder) {
    // what was there stays until there is something to replace it
    pl_status w = pl_folder_clear(folder);
    if (w == PL_OK) w = report_write(p.v, o->folder);
    if (w < 0) s = w;
  }
  pl_status closed = pl_folder_close(folder, s >= 0 && !p.v->cancelled);
  if (s >= 0 && closed < 0) s = closed;
  if (s < 0)
    pl_validation_free(p.v);
  else
    *out = p.v;
  return s;
}

void pl_validation_free(pl_validation *v) {
  if (!v) return;
  for (int k = 0; v->score && k < v->nscore; k++) {
    pl_free(v->env, v->score[k].sample);
    pl_free(v->env, v->score[k].check);
  }
  for (int k = 0; v->curve && k < v->ncurve; k++) pl_free(v->env, v->curve[k].sample);
  pl_free(v->env, v->score);
  pl_free(v->env, v->curve);
  pl_free(v->env, v);
}
