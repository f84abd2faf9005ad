// Motions in time within limits of stretch: energies, certificates, and other methods beside them.
#include "run_cloth.h"

#include "checkpoint.h"
#include "limit_page.h"
#include "pliant/math.h"
#include "run_transient.h"

#include <stdio.h>
#include <string.h>

// ---- a row of every step ------------------------------------------------------------------------

#define ENERGY_LIST(E)                                                                             \
  E(time, "s")                                                                                     \
  E(kinetic, "J")                                                                                  \
  E(elastic, "J")                                                                                  \
  E(outer, "J")                                                                                    \
  E(limiter, "J") E(contact, "J") E(damping, "J") E(driven, "J") E(loss, "J") E(total, "J")
#define LIMIT_LIST(E)                                                                              \
  E(projections, "")                                                                               \
  E(iterations, "")                                                                                \
  E(violation, "")                                                                                 \
  E(gap, "")                                                                                       \
  E(distance_rms, "m")                                                                             \
  E(active, "")                                                                                    \
  E(momentum_x, "kg.m")                                                                            \
  E(momentum_y, "kg.m")                                                                            \
  E(momentum_z, "kg.m")                                                                            \
  E(angular_x, "kg.m^2")                                                                           \
  E(angular_y, "kg.m^2")                                                                           \
  E(angular_z, "kg.m^2")                                                                           \
  E(between, "")                                                                                   \
  E(overlap, "m")                                                                                  \
  E(layer_gap, "")                                                                                 \
  E(contacts, "")                                                                                  \
  E(newton, "")                                                                                    \
  E(solve, "s")                                                                                    \
  E(project, "s")

#define E(name, unit) COL_##name,
enum { ENERGY_LIST(E) COL_LIMITS, COL_before_limits = COL_LIMITS - 1, LIMIT_LIST(E) COLS };
#undef E
#define E(name, unit) {#name, unit},
static const table_column columns[COLS] = {ENERGY_LIST(E) LIMIT_LIST(E)};
#undef E

static void method_name(int method, char *buf, size_t size) {
  for (int k = 0; k < pl_transient_option_count; k++) {
    const char *c = pl_transient_option_table[k].choices;
    if (strcmp(pl_transient_option_table[k].name, "method") != 0) continue;
    for (; method > 0; method--) c = strchr(c, '|') + 1;
    snprintf(buf, size, "%.*s", (int)strcspn(c, "|"), c);
  }
}

pl_status cloth_log(motion *r) {
  method_name(r->opts.method, r->method, sizeof r->method);
  return job_table_open(r->j, COLS, columns, &r->log);
}

static void fill_energies(const pl_limit_step *e, double *row) {
  row[COL_kinetic] = e->kinetic;
  row[COL_elastic] = e->elastic;
  row[COL_outer] = e->outer;
  row[COL_limiter] = e->limiter;
  row[COL_contact] = e->contact;
  row[COL_damping] = e->damping;
  row[COL_driven] = e->driven;
  row[COL_loss] = e->loss;
  row[COL_total] = e->kinetic + e->elastic + e->outer;
}

static void fill_limits(const pl_limit_step *e, double *row) {
  const pl_project_info *p = &e->project;
  row[COL_projections] = e->nproject;
  row[COL_iterations] = e->niter;
  row[COL_violation] = e->violation;
  row[COL_gap] = p->objective > 0 ? fmax(0, 1 - p->bound / p->objective) : 0;
  row[COL_distance_rms] = p->rms;
  row[COL_active] = p->nactive;
  memcpy(row + COL_momentum_x, p->momentum, sizeof p->momentum);
  memcpy(row + COL_angular_x, p->angular, sizeof p->angular);
  row[COL_between] = e->between;
  row[COL_overlap] = e->overlap;
  row[COL_layer_gap] = e->layer_gap;
  row[COL_contacts] = e->ncontact;
  row[COL_newton] = e->newton;
  row[COL_solve] = e->seconds_step;
  row[COL_project] = e->seconds_project;
}

int cloth_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *e) {
  motion *r = ctx;
  double row[COLS], taken = 0 - e->damping - e->contact - e->limiter;
  const step_energy now = {e->kinetic, e->elastic, e->elastic + e->outer, taken};
  (void)c;
  row[COL_time] = s->t;
  fill_energies(e, row);
  fill_limits(e, row);
  r->status = pl_table_row(r->log, row);
  return motion_record(r, s, &now);
}

// the works begin at nothing
pl_status cloth_log_start(motion *r, const pl_state *s) {
  const pl_work *w = r->j->work;
  double row[COLS] = {[COL_time] = s->t,
                      [COL_kinetic] = w->kinetic,
                      [COL_elastic] = w->elastic,
                      [COL_outer] = w->potential - w->elastic,
                      [COL_total] = w->kinetic + w->potential};
  if (r->j->sheet) {
    row[COL_violation] = pl_sheet_violation(r->j->sheet, s->q, NULL);
    row[COL_between] = pl_sheet_between(r->j->sheet, s->q);
  }
  return pl_table_row(r->log, row);
}

// another method or step, from the same start; nothing of it is drawn but its energies
static pl_status run_other(motion *r, const pl_constraints *main) {
  job *j = r->j;
  pl_state *s = NULL;
  pl_history h = {0};
  pl_constraints k = *main;
  k.contact = NULL;
  pl_status st = cloth_log(r);
  if (st == PL_OK) st = job_start(j, r->a, &s);
  if (st == PL_OK) st = job_contact_make(j, NULL, &k.contact);
  if (st == PL_OK) st = motion_start(r, s);
  if (st == PL_OK) st = cloth_log_start(r, s);
  if (st == PL_OK) st = motion_steps(r, &k, s, &h);
  pl_contact_free(k.contact);
  pl_history_free(j->env, &h);
  pl_state_free(j->scene->model, s);
  return st;
}

// ---- figures ------------------------------------------------------------------------------------

static const double *last_row(const motion *r) {
  return pl_table_data(r->log) + (size_t)(pl_table_rows(r->log) - 1) * COLS;
}

static double iterations_a_step(const motion *r) {
  return (double)r->info.niter / (double)(r->info.nstep > 0 ? r->info.nstep : 1);
}

static double energy_change(const motion *r) {
  return last_row(r)[COL_total] - pl_table_data(r->log)[COL_total];
}

// works that are not zero, "limits -0.12 J, time step -0.03 J"
static const char *works_text(const motion *r, char *buf, size_t size) {
  static const char *const name[] = {"limits", "contact", "damping", "drives", "time step"};
  size_t n = 0;
  snprintf(buf, size, "nothing did work");
  for (int c = COL_limiter; c <= COL_loss; c++)
    if (last_row(r)[c] != 0 && n < size)
      n += (size_t)snprintf(buf + n, size - n, "%s%s %+.3g J", n ? ", " : "", name[c - COL_limiter],
                            last_row(r)[c]);
  return buf;
}

// what the time step took, over the largest energy on the way
static double relative_loss(const motion *r) {
  return r->info.scale > 0 ? last_row(r)[COL_loss] / r->info.scale : 0;
}

// what there is none of in the scene is left out
static int is_reported(const pl_scene *sc, int col) {
  int sampled = 0;
  for (int k = 0; k < sc->sheet.nlimit; k++) sampled |= sc->sheet.limit[k].ndirection > 0;
  if (col == COL_between) return sampled;
  if (col == COL_violation || col == COL_active) return sc->sheet.nlimit > 0;
  if (col == COL_overlap) return sc->contact.nnode > 0;
  if (col == COL_contacts) return sc->contact.nnode > 0 || sc->layers.nvert > 0;
  return col != COL_layer_gap || sc->layers.nvert > 0;
}

void cloth_figures(const motion *r, json_t *f) {
  const pl_transient_info *i = &r->info;
  const double *end = last_row(r);
  json_t *energy = json_object();
  for (int c = COL_kinetic; c <= COL_total; c++)
    job_set(energy, columns[c].name, json_real(end[c]));
  job_set(f, "method", json_string(r->method));
  job_set(f, "energy_J", energy);
  job_set(f, "energy_change_J", json_real(energy_change(r)));
  job_set(f, "loss_over_energy", json_real(relative_loss(r)));
  if (r->j->sheet) job_set(f, "worst_violation", json_real(i->worst_violation));
  if (is_reported(r->j->scene, COL_between))
    job_set(f, "worst_between_directions", json_real(i->worst_between));
  job_set(f, "worst_gap", json_real(i->worst_gap));
  job_set(f, "worst_distance_rms_m", json_real(i->worst_distance_rms));
  job_set(f, "projections", json_integer(i->nproject));
  job_set(f, "projection_iterations", json_integer(i->niter));
  job_set(f, "unsolved_projections", json_integer(i->nunsolved));
  job_set(f, "lifted_projections", json_integer(i->nlifted));
  job_set(f, "frictionless_projections", json_integer(i->neased));
  job_set(f, "seconds_step", json_real(i->seconds_step));
  job_set(f, "seconds_project", json_real(i->seconds_project));
}

static int keeps_limits(const motion *r) {
  return r->j->sheet && r->opts.method != PL_IMPLICIT_EULER;
}

static void report_limits(const motion *r) {
  const job *j = r->j;
  const pl_transient_info *i = &r->info;
  char how[32], apart[48];
  int coupled = r->opts.method == PL_COUPLED || r->opts.method <= PL_BDF2;
  if (keeps_limits(r) && coupled)
    job_say(j,
            "Limits of stretch hold %s in every step. Motion and limits were solved together "
            "%ld %s, with %.1f iterations a step; such solves have no certificate.",
            cloth_kept(i->worst_violation, how), i->nproject,
            pl_plural(i->nproject, "time", "times"), iterations_a_step(r));
  else if (keeps_limits(r))
    job_say(j,
            "Limits of stretch hold %s in every step. %ld %s %.1f iterations a step. Each is "
            "certified: its objective is within %.1e of the least possible, and the exact "
            "projection within %s (root mean square).",
            cloth_kept(i->worst_violation, how), i->nproject,
            pl_plural(i->nproject, "projection took", "projections took"), iterations_a_step(r),
            i->worst_gap, job_length_text(r->j, i->worst_distance_rms, apart));
  else if (r->j->sheet)
    job_warn(j, "%s: %s does not keep limits of stretch; they are exceeded by %.3g %%.", r->a->name,
             r->method, 100 * fmax(i->worst_violation, 0));
  if (i->nlifted > 0)
    job_say(j,
            "In %ld %s friction did not settle: there contacts that slide rose by the "
            "coefficient of friction times their way.",
            i->nlifted, pl_plural(i->nlifted, "solve", "solves"));
  if (i->nunsolved > 0)
    job_alarm(j, "%s: %ld %s cut.", r->a->name, i->nunsolved,
              pl_plural(i->nunsolved, "projection did not converge; its step was",
                        "projections did not converge; their steps were"));
  if (keeps_limits(r)) cloth_report_between(j, i->worst_between);
}

void cloth_report(const motion *r) {
  job *j = r->j;
  const pl_transient_info *i = &r->info;
  const char *name = r->a->name;
  char works[256], how[32];
  works_text(r, works, sizeof works);
  if (keeps_limits(r))
    job_note(j, "%s: limits kept %s, %ld %s, %.1f iterations a step", name,
             cloth_kept(i->worst_violation, how), i->nproject,
             pl_plural(i->nproject, "projection", "projections"), iterations_a_step(r));
  else if (j->sheet)
    job_note(j, "%s: limits exceeded by up to %.3g %% (the method does not keep them)", name,
             100 * fmax(i->worst_violation, 0));
  job_note(j, "%s: energy %+.3g J (%s); motion %.3g s, projections %.3g s", name, energy_change(r),
           works, i->seconds_step, i->seconds_project);
  if (i->neased > 0)
    pl_report(j->env, PL_WARNING, j->scene->path, r->a->line, r->a->col,
              "take shorter steps or a finer mesh",
              "%s: in %ld %s friction between layers had no solution that could be found: they "
              "slid without it",
              name, i->neased, pl_plural(i->neased, "solve", "solves"));
  report_limits(r);
  job_say(j,
          "The energy changed by %+.3g J: %s. Solving the motion took %.3g s on this machine, "
          "projections %.3g s.",
          energy_change(r), works, i->seconds_step, i->seconds_project);
}

// ---- files --------------------------------------------------------------------------------------

// columns from..to of the log, behind the time
static pl_status write_part(const motion *r, int from, int to, const char *suffix) {
  job *j = r->j;
  pl_table *t;
  int col[COLS] = {COL_time}, n = 1;
  table_column own[COLS] = {columns[COL_time]};
  double row[COLS];
  for (int c = from; c < to; c++) {
    if (!is_reported(j->scene, c)) continue;
    own[n] = columns[c];
    col[n++] = c;
  }
  PL_TRY(job_table_open(j, n, own, &t));
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < pl_table_rows(r->log); i++) {
    for (int c = 0; c < n; c++) row[c] = pl_table_data(r->log)[(size_t)i * COLS + (size_t)col[c]];
    st = pl_table_row(t, row);
  }
  return job_table_end(j, t, st, r->a->name, suffix);
}

static double step_of(const pl_transient_opts *o) {
  return o->step > 0 ? o->step : 2 * PL_PI / (o->frequency * o->steps_per_period);
}

static limit_run page_run(const motion *r) {
  const double *d = pl_table_data(r->log);
  return (limit_run){.method = r->method,
                     .step = step_of(&r->opts),
                     .n = pl_table_rows(r->log),
                     .stride = COLS,
                     .t = d + COL_time,
                     .kinetic = d + COL_kinetic,
                     .elastic = d + COL_elastic,
                     .outer = d + COL_outer,
                     .limiter = d + COL_limiter,
                     .contact = d + COL_contact,
                     .damping = d + COL_damping,
                     .driven = d + COL_driven,
                     .loss = d + COL_loss,
                     .info = &r->info};
}

pl_status cloth_tables(const motion *r) {
  if (!job_tables(r->j)) return PL_OK;
  PL_TRY(write_part(r, COL_kinetic, COL_LIMITS, "-energy.csv"));
  return write_part(r, COL_LIMITS, COLS, "-limits.csv");
}

pl_status cloth_pictures(const motion *r, const pl_state *s) {
  job *j = r->j;
  const char *name = r->a->name;
  const limit_run page = page_run(r);
  PL_TRY(limit_page_energy(j, &page, name));
  if (!j->sheet) return PL_OK;
  PL_TRY(limit_page_strain(j, j->sheet, s->q, s->t, name));
  return limit_page_polar(j, j->sheet, s->q, name);
}

// ---- comparisons --------------------------------------------------------------------------------

static int count_others(const pl_analysis *a) {
  return a->cloth ? a->cloth->nmethod + a->cloth->nstep : 0;
}

static void open_other(const motion *main, int k, motion *r) {
  const pl_cloth_plan *p = main->a->cloth;
  *r = (motion){.j = main->j, .a = main->a, .opts = main->opts};
  if (k < p->nmethod)
    r->opts.method = p->method[k];
  else
    r->opts.step = p->step[k - p->nmethod];
}

static pl_status write_other(const motion *r, json_t *list) {
  char suffix[128];
  if (r->opts.step == r->a->opts.transient_.step)
    snprintf(suffix, sizeof suffix, "-energy-%s.csv", r->method);
  else
    snprintf(suffix, sizeof suffix, "-energy-%s-%gms.csv", r->method, 1e3 * r->opts.step);
  json_t *f = json_object();
  cloth_figures(r, f);
  job_set(f, "step_s", json_real(step_of(&r->opts)));
  job_set(f, "steps", json_integer(r->info.nstep));
  job_set(f, "reason", json_string(pl_stop_text(r->info.reason)));
  json_array_append_new(list, f);
  if (!job_tables(r->j)) return PL_OK;
  return write_part(r, COL_kinetic, COL_LIMITS, suffix);
}

static void report_other(const motion *r) {
  char works[256], limits[64] = "", how[32];
  double beyond = r->info.worst_violation;
  if (keeps_limits(r))
    snprintf(limits, sizeof limits, "limits kept %s, ", cloth_kept(beyond, how));
  else if (r->j->sheet)
    snprintf(limits, sizeof limits, "limits exceeded by %.3g %%, ", 100 * fmax(beyond, 0));
  job_note(r->j, "%s: %s, step %g s: %senergy %+.3g J (%s)", r->a->name, r->method,
           step_of(&r->opts), limits, energy_change(r), works_text(r, works, sizeof works));
}

// all others one after the other; a motion that stops early is shown as far as it came
pl_status cloth_compare(const motion *main, const pl_constraints *k, json_t *figures) {
  job *j = main->j;
  int n = count_others(main->a);
  if (n == 0) return PL_OK;
  motion *other = pl_alloc(j->env, (size_t)n, sizeof *other);
  limit_run *page = pl_alloc(j->env, (size_t)n + 1, sizeof *page);
  json_t *list = json_array();
  pl_status st = other && page ? PL_OK : PL_E_NOMEM, stop = PL_OK;
  int done = 0;
  for (; st == PL_OK && stop != PL_CANCELLED && done < n; done++) {
    motion *r = &other[done];
    open_other(main, done, r);
    st = run_other(r, k);
    if (st != PL_OK) continue;
    page[done + 1] = page_run(r);
    st = write_other(r, list);
    report_other(r);
    if (r->stop != PL_OK) stop = r->stop;
  }
  job_set(figures, "compare", list);
  if (st == PL_OK) {
    page[0] = page_run(main);
    st = limit_page_compare(j, done + 1, page, main->a->name);
  }
  for (int i = 0; other && i < n; i++) pl_table_free(other[i].log);
  pl_free(j->env, other);
  pl_free(j->env, page);
  return st == PL_OK ? stop : st;
}

// ---- all ----------------------------------------------------------------------------------------

int is_cloth(const pl_scene *s, const pl_analysis *a) {
  if (a->kind == PL_ANALYSIS_jump) return 0;
  return pl_needs_program(a->opts.transient_.method, s->sheet.nlimit > 0, s->layers.nvert > 0,
                          s->layers.solid) ||
         count_others(a) > 0;
}
