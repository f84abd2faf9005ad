// Time stepping beside a periodic motion.
#include "run_orbit.h"

#include "pliant/math.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = ORBIT_STEPS, STEPS_MOST = 4 * STEPS, PERIODS = 40 };
static const double STEADY = 1e-6; // of the motion: e_p of two periods that are the same

typedef struct newmark {
  job *j;
  const pl_analysis *a;
  const pl_orbit *orbit;
  pl_state *s;
  int steps, failing; // a period; a step had to be cut
  pl_history history; // its period: the last one, entry i at step i + 1
  pl_transient_info info;
  double size;            // of the motion from its mean, as e_p (eq. 28) measures it, a step (m)
  double distance;        // root mean square of all free nodes, over the size of the motion
  pl_table *full, *other; // probed places over a period
} newmark;

static void orbit_at(const newmark *k, int i) {
  const pl_scene *sc = k->j->scene;
  pl_orbit_state(sc->model, sc->params, k->orbit, 2 * PL_PI * i / STEPS, k->s);
}

// mean over a period of |q - mean| of places: e_p is held against the sum
static pl_status measure_size(newmark *k) {
  const pl_model *m = k->j->scene->model;
  int nq = pl_model_nnode(m) ? pl_model_nnode(m) * pl_model_dim(m) : k->s->nq;
  double *mean = pl_alloc(k->j->env, (size_t)nq, sizeof *mean);
  if (!mean) return PL_E_NOMEM;
  for (int i = 0; i < STEPS; i++) {
    orbit_at(k, i);
    pl_axpy(nq, 1.0 / STEPS, k->s->q, mean, mean);
  }
  for (int i = 0; i < STEPS; i++) {
    orbit_at(k, i);
    pl_axpy(nq, -1, mean, k->s->q, k->s->q);
    k->size += pl_norm(nq, k->s->q) / STEPS;
  }
  pl_free(k->j->env, mean);
  return PL_OK;
}

// Newmark's method hardly damps modes far above its step. Where a step must be cut, more steps from
// the start do better than going on in ever smaller parts.
static int on_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  newmark *k = ctx;
  (void)s;
  (void)c;
  (void)w;
  k->failing = k->steps < STEPS_MOST && k->info.rejected > 0;
  return k->failing;
}

static pl_status run_with(newmark *k, int steps) {
  const pl_scene *sc = k->j->scene;
  pl_transient_opts o;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.frequency = k->orbit->omega;
  o.periods = PERIODS;
  o.steps_per_period = k->steps = steps;
  o.steady = fmin(1, fmax(DBL_MIN, STEADY * k->size * steps));
  k->failing = 0;
  pl_history_free(k->j->env, &k->history);
  k->history = (pl_history){0};
  PL_TRY(pl_orbit_settle(sc->model, sc->params, k->orbit, steps, k->j->work, k->s));
  return pl_transient(&o, sc->model, sc->params, k->s, &k->history, k->j->work, on_step, k,
                      &k->info);
}

static pl_status step_through(newmark *k) {
  pl_status st = PL_UNSOLVED;
  double seconds = 0;
  for (int n = STEPS; n <= STEPS_MOST && (st == PL_UNSOLVED || k->failing); n *= 2) {
    st = run_with(k, n);
    seconds += k->info.seconds;
  }
  k->info.seconds = seconds;
  return st;
}

// positions of the last period at a phase 2 pi i / STEPS, i = 1..STEPS
static const double *stepped(const newmark *k, int i) {
  return k->history.period + (size_t)(i * (k->steps / STEPS) - 1) * (size_t)k->s->nq;
}

// ---- comparison -------------------------------------------------------------------------------

static void measure_distance(newmark *k) {
  const pl_model *m = k->j->scene->model;
  const int *index = pl_model_free_index(m);
  int n = pl_model_dim(m) * pl_model_nnode(m), node = -1, moving = 0;
  double sum = 0, size = pl_orbit_size(m, k->orbit);
  for (int q = 0; q < n; q++)
    if (index[q] >= 0 && q / pl_model_dim(m) != node) {
      node = q / pl_model_dim(m);
      moving++;
    }
  for (int i = 1; i <= STEPS; i++) {
    const double *x = stepped(k, i);
    orbit_at(k, i);
    for (int q = 0; q < n; q++)
      if (index[q] >= 0) sum += (x[q] - k->s->q[q]) * (x[q] - k->s->q[q]);
  }
  k->distance = size > 0 ? sqrt(sum / STEPS / moving) / size : 0;
}

// the last period; its end stands at its beginning, too
static pl_status make_table(newmark *k) {
  job *j = k->j;
  int ncol = 1 + job_probe_count(j, k->a);
  double *row = pl_alloc(j->env, (size_t)ncol, sizeof *row);
  pl_status st = row ? pl_table_create(j->env, ncol, &k->other) : PL_E_NOMEM;
  if (st == PL_OK) st = pl_table_column(k->other, 0, "time", "s");
  if (st == PL_OK && job_probe_columns(j, k->a, k->other, 1) < 0) st = PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i <= STEPS; i++) {
    memcpy(k->s->q, stepped(k, i ? i : STEPS), (size_t)k->s->nq * sizeof(double));
    row[0] = 2 * PL_PI * i / (STEPS * k->orbit->omega);
    job_probe_row(j, k->a, k->s, row + 1);
    st = pl_table_row(k->other, row);
  }
  pl_free(j->env, row);
  return st;
}

// of one probed place with columns first .. first + count - 1: root mean square of the distance
// over that of the path from its mean (0: it stands still), and the largest distance (m)
static void probe_distance(const newmark *k, int first, int count, double *rms, double *most) {
  int cols = pl_table_cols(k->full);
  const double *x = pl_table_data(k->full), *y = pl_table_data(k->other);
  double sum = 0, size = 0, mean[3] = {0};
  for (int i = 1; i <= STEPS; i++)
    for (int c = 0; c < count; c++) mean[c] += x[i * cols + first + c] / STEPS;
  *most = 0;
  for (int i = 1; i <= STEPS; i++) {
    double far = 0;
    for (int c = 0; c < count; c++) {
      int at = i * cols + first + c;
      far += (x[at] - y[at]) * (x[at] - y[at]);
      size += (x[at] - mean[c]) * (x[at] - mean[c]);
    }
    sum += far;
    *most = fmax(*most, sqrt(far));
  }
  *rms = size > 0 ? sqrt(sum / size) : 0;
}

static int settled(const newmark *k) {
  return k->info.reason == PL_STOP_STEADY;
}

static double relative_change(const newmark *k) {
  return k->size > 0 ? k->info.period_change / (k->size * k->steps) : 0;
}

static void set_figures(const newmark *k, json_t *figures) {
  json_t *f = json_object();
  job_set(f, "reason", json_string(pl_stop_text(k->info.reason)));
  job_set(f, "settled", json_boolean(settled(k)));
  job_set(f, "steps_per_period", json_integer(k->steps));
  job_set(f, "periods", json_integer(k->info.nperiod));
  job_set(f, "steps", json_integer(k->info.nstep));
  if (k->info.period_change >= 0) {
    job_set(f, "period_change_m", json_real(k->info.period_change));
    job_set(f, "period_change", json_real(relative_change(k)));
  }
  if (k->other) job_set(f, "distance", json_real(k->distance));
  job_set(f, "seconds", json_real(k->info.seconds));
  job_set(figures, "newmark", f);
}

static void report_result(const newmark *k, int stable) {
  const pl_transient_info *i = &k->info;
  if (k->other)
    job_note(k->j, "%s: %.1e of the motion from Newmark's method, %s after %d %s", k->a->name,
             k->distance, settled(k) ? "settled" : "not settled", i->nperiod,
             pl_plural(i->nperiod, "period", "periods"));
  job_say(k->j,
          "Newmark's method from the motion's state at phase zero ran %d %s of %d steps, %ld "
          "steps in %.3g s.",
          i->nperiod, pl_plural(i->nperiod, "period", "periods"), k->steps, i->nstep, i->seconds);
  if (k->steps > STEPS)
    job_say(k->j,
            "A step failed with %d steps a period, so that it began anew with more; the time "
            "holds both.",
            k->steps / 2);
  if (!k->other) {
    job_warn(k->j, "%s: time stepping stopped at %.6g s: %s. There is nothing to compare.",
             k->a->name, i->t, pl_stop_text(i->reason));
    return;
  }
  job_say(k->j, "Its last two periods differ by %.2e of the motion (e_p of eq. 28): it has %s.",
          relative_change(k), settled(k) ? "settled" : "not settled");
  if (stable == 0)
    job_warn(k->j, "%s: the motion is unstable, so that time stepping leaves it sooner or later.",
             k->a->name);
  else if (!settled(k))
    job_warn(k->j,
             "%s: time stepping has not settled; the distance holds what is left of its "
             "transient.",
             k->a->name);
  job_say(k->j,
          "Distance of its last period from harmonic balance, over all free nodes: %.2e of the "
          "motion. Newmark's own error with %d steps is of the order of %.0e, more near a "
          "resonance.",
          k->distance, k->steps, pow(2 * PL_PI / k->steps, 2) / 6);
}

// words and figures of every probed place
static void put_probes(const newmark *k, json_t *figures) {
  job *j = k->j;
  int at = 1;
  if (k->a->nprobe == 0) return;
  json_t *all = json_object();
  const length_unit *unit = job_length(j, k->size);
  grid g = job_grid(j, 3, NULL);
  grid_add(&g, "watched place");
  grid_add(&g, "distance over size of path");
  grid_add(&g, "largest distance (%s)", unit->name);
  for (int w = 0; w < k->a->nprobe; w++) {
    int count = k->a->probe[w].component < 0 ? j->scene->dim : 1;
    double rms, most;
    probe_distance(k, at, count, &rms, &most);
    at += count;
    grid_add(&g, "%s", k->a->probe[w].name);
    grid_add(&g, "%.2e", rms);
    grid_add(&g, "%.2e", most / unit->si);
    job_set(all, k->a->probe[w].name,
            json_pack("{s:f, s:f}", "distance", rms, "max_distance_m", most));
  }
  job_set(json_object_get(figures, "newmark"), "watch", all);
  grid_end(&g);
}

static pl_status write_files(const newmark *k) {
  job *j = k->j;
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%.100s-newmark", k->a->name);
  PL_TRY(job_table(j, k->other, name, ".csv"));
  const orbit_pair pair = {.full = k->full,
                           .other = k->other,
                           .suffix = "newmark",
                           .colour = 1,
                           .legend = "Newmark",
                           .title = "harmonic balance and Newmark",
                           .caption = "The motion beside the last period of time stepping."};
  return orbit_pair_plots(j, k->a, &pair);
}

static pl_status compare(newmark *k) {
  measure_distance(k);
  PL_TRY(orbit_period(k->j, k->a, k->orbit, &k->full));
  return make_table(k);
}

pl_status newmark_compare(job *j, const pl_analysis *a, const pl_orbit *o, int stable,
                          json_t *figures) {
  newmark k = {.j = j, .a = a, .orbit = o};
  job_heading(j, "Against time stepping");
  pl_status st = pl_state_create(j->scene->model, j->scene->params, &k.s);
  if (st == PL_OK) st = measure_size(&k);
  if (st == PL_OK) st = step_through(&k);
  int ran = st == PL_OK;
  if (st == PL_UNSOLVED) st = PL_OK;
  if (ran) st = compare(&k);
  if (st == PL_OK) {
    set_figures(&k, figures);
    report_result(&k, stable);
  }
  if (st == PL_OK && ran) put_probes(&k, figures);
  if (st == PL_OK && ran) st = write_files(&k);
  pl_table_free(k.full);
  pl_table_free(k.other);
  pl_history_free(j->env, &k.history);
  if (k.s) pl_state_free(j->scene->model, k.s);
  return st;
}
