// native with a duration: a patch of linked elements in time.
#include "run_native.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GLB_BYTES (48L << 20)
enum { POINTS = 60000 }; // of the surface of all elements, in a film

static const table_column column[] = {
    {"time", "s"},     {"kinetic", "J"},     {"potential", "J"}, {"repulsion", "J"},
    {"friction", "J"}, {"damping", "J"},     {"scheme", "J"},    {"lowest", "m"},
    {"highest", "m"},  {"mean_height", "m"}, {"speed", "m/s"},   {"gap", "m"},
    {"contacts", ""},  {"iterations", ""},   {"unbalanced", "N"}};
enum { COLUMNS = sizeof column / sizeof *column };

typedef struct film {
  native *k;
  pl_table *table;
  double frame_step, next_frame, next_row;
  int n, cap;
  double *time;         // [cap]
  pl_pose *pose;        // [cap][p.n]
  pl_mail_verdict seen; // the worst of all frames
  uint64_t hash;        // of the patch
} film;

// ---- what is kept -------------------------------------------------------------------------------

static pl_status write_checkpoint(const film *f, const pl_patch_state *s) {
  checkpoint c;
  size_t n = (size_t)s->n, rows = (size_t)pl_table_rows(f->table);
  const double head[] = {
      s->t,         s->rubbed,     s->damped,   s->scheme,   (double)f->n,
      (double)rows, f->next_frame, f->next_row, f->seen.gap, f->seen.links_changed,
      s->energy};
  checkpoint_begin(f->k->j, f->k->a, &c);
  checkpoint_put(&c, &f->hash, 1, sizeof f->hash);
  checkpoint_put(&c, head, sizeof head / sizeof *head, sizeof *head);
  checkpoint_put(&c, s->pose, n, sizeof *s->pose);
  checkpoint_put(&c, s->v, n, sizeof *s->v);
  checkpoint_put(&c, s->spin, n, sizeof *s->spin);
  checkpoint_put(&c, f->time, (size_t)f->n, sizeof *f->time);
  checkpoint_put(&c, f->pose, (size_t)f->n * n, sizeof *f->pose);
  checkpoint_put(&c, pl_table_data(f->table), rows * COLUMNS, sizeof(double));
  return checkpoint_end(&c);
}

static pl_status read_all(checkpoint *c, film *f, pl_patch_state *s) {
  double head[11], *rows;
  uint64_t hash;
  size_t n = (size_t)s->n;
  PL_TRY(checkpoint_read(c, &hash, 1, sizeof hash));
  if (hash != f->hash) return native_refuse(c);
  PL_TRY(checkpoint_read(c, head, 11, sizeof *head));
  long frames = checkpoint_count(head[4]), nrow = checkpoint_count(head[5]);
  if (frames < 0 || frames > f->cap || nrow < 0) return PL_E_INPUT;
  PL_TRY(checkpoint_read(c, s->pose, n, sizeof *s->pose));
  PL_TRY(checkpoint_read(c, s->v, n, sizeof *s->v));
  PL_TRY(checkpoint_read(c, s->spin, n, sizeof *s->spin));
  PL_TRY(checkpoint_read(c, f->time, (size_t)frames, sizeof *f->time));
  PL_TRY(checkpoint_read(c, f->pose, (size_t)frames * n, sizeof *f->pose));
  PL_TRY(checkpoint_read_new(c, (size_t)nrow * COLUMNS, sizeof *rows, &rows));
  pl_status st = PL_OK;
  for (long r = 0; st == PL_OK && r < nrow; r++) st = pl_table_row(f->table, rows + r * COLUMNS);
  pl_free(c->j->env, rows);
  s->t = head[0];
  s->rubbed = head[1];
  s->damped = head[2];
  s->scheme = head[3];
  s->energy = head[10];
  f->n = (int)frames;
  f->next_frame = head[6];
  f->next_row = head[7];
  f->seen = (pl_mail_verdict){head[8], (int)head[9]};
  return st;
}

static pl_status read_checkpoint(film *f, pl_patch_state *s) {
  checkpoint c;
  int found;
  PL_TRY(checkpoint_open(f->k->j, f->k->a, &c, &found));
  return found ? checkpoint_close(&c, read_all(&c, f, s)) : PL_OK;
}

// ---- steps --------------------------------------------------------------------------------------

static pl_status add_row(film *f, const pl_patch_state *s, const pl_move_step *k) {
  double lo[3], hi[3], mean = 0, speed = 0;
  native_extent(f->k, lo, hi);
  for (int i = 0; i < s->n; i++) {
    mean += s->pose[i].x[2] / s->n;
    speed = fmax(speed, pl_norm3(s->v[i]));
  }
  const double row[COLUMNS] = {s->t,      k->kinetic, k->potential, k->repulsion,  s->rubbed,
                               s->damped, s->scheme,  lo[2],        hi[2],         mean,
                               speed,     k->gap,     k->contacts,  k->iterations, k->unbalanced};
  return pl_table_row(f->table, row);
}

static pl_status add_frame(film *f, const pl_patch_state *s) {
  pl_mail_verdict v;
  if (f->n == f->cap) return PL_OK;
  PL_TRY(pl_patch_verify(f->k->j->env, &f->k->p, s->pose, f->k->j->work->threads, &v));
  f->seen.gap = fmin(f->seen.gap, v.gap);
  f->seen.links_changed += v.links_changed;
  f->time[f->n] = s->t;
  memcpy(f->pose + (size_t)f->n++ * (size_t)s->n, s->pose, (size_t)s->n * sizeof *s->pose);
  return PL_OK;
}

static pl_status on_step(void *ctx, const pl_patch_state *s, const pl_move_step *k) {
  film *f = ctx;
  job *j = f->k->j;
  double slack = 1e-9 * (s->t + f->frame_step), end = f->k->a->opts.native_.duration;
  int last = s->t + slack >= end;
  f->k->pose = s->pose;
  if (s->t + slack >= f->next_row || last) {
    PL_TRY(add_row(f, s, k));
    f->next_row =
        j->output.every > 0 ? j->output.every * (floor((s->t + slack) / j->output.every) + 1) : 0;
  }
  if (s->t + slack >= f->next_frame || last) {
    PL_TRY(add_frame(f, s));
    f->next_frame = f->frame_step * (floor((s->t + slack) / f->frame_step) + 1);
  }
  if (checkpoint_due(j) || (job_stopped(j) && !last)) PL_TRY(write_checkpoint(f, s));
  return job_stopped(j) ? PL_CANCELLED : PL_OK;
}

// ---- files --------------------------------------------------------------------------------------

static pl_status write_frames(const film *f, elements e, const shapes *g, const pl_mesh *m,
                              const double *number) {
  native *k = f->k;
  job *j = k->j;
  char path[PL_TEXT], (*name)[64] = pl_alloc(j->env, (size_t)f->n, sizeof *name);
  const char **list = pl_alloc(j->env, (size_t)f->n, sizeof *list);
  double *x = pl_alloc(j->env, 3 * (size_t)m->nvert, sizeof *x);
  pl_status s =
      name && list && x ? pl_dir_make(j->env, job_path(j, k->a->name, "", path)) : PL_E_NOMEM;
  const pl_field field = {"element", 1, 1, number};
  for (int i = 0; s == PL_OK && i < f->n; i++) {
    snprintf(name[i], sizeof name[i], "%.40s/frame-%04d.vtu", k->a->name, i);
    list[i] = name[i];
    e.pose = f->pose + (size_t)i * (size_t)k->p.n;
    elements_points(&e, g, x);
    s = pl_mesh_write_vtu(m, x, 1, &field, j->work->threads, job_path(j, name[i], "", path));
  }
  if (s == PL_OK)
    s = pl_pvd_write(j->env, job_path(j, k->a->name, ".pvd", path), f->n, f->time, list);
  pl_free(j->env, name);
  pl_free(j->env, list);
  pl_free(j->env, x);
  return s;
}

// every frame is a morph target with weight one at its time
static pl_status write_glb(const film *f, elements e, const shapes *g, const pl_mesh *m) {
  native *k = f->k;
  size_t per = 3 * (size_t)m->nvert;
  int stride = 1;
  char path[PL_TEXT];
  while ((long)(f->n / stride) * (long)per * 4 > GLB_BYTES || f->n / stride > 120) stride++;
  int n = (f->n + stride - 1) / stride;
  double *delta = pl_alloc(k->j->env, (size_t)n * per + per, sizeof *delta), *base = delta;
  double *time = pl_alloc(k->j->env, (size_t)n * (size_t)(n + 1), sizeof *time);
  pl_status s = delta && time ? PL_OK : PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < n; i++) {
    double *x = delta + (size_t)(i + 1) * per;
    e.pose = f->pose + (size_t)(i * stride) * (size_t)k->p.n;
    if (i == 0) elements_points(&e, g, base);
    elements_points(&e, g, x);
    for (size_t c = 0; c < per; c++) x[c] -= base[c];
    time[i] = f->time[i * stride];
    for (int l = 0; l < n; l++) time[n + i * n + l] = i == l;
  }
  if (s == PL_OK)
    s = pl_glb_write(m, base, n, delta + per, n, time, time + n, NULL,
                     job_path(k->j, k->a->name, ".glb", path));
  pl_free(k->j->env, delta);
  pl_free(k->j->env, time);
  return s;
}

static pl_status plot_columns(film *f, const char *suffix, const char *ylabel, int n, const int *of,
                              const char *caption) {
  enum { MOST = 6 };
  pl_series series[MOST];
  int rows = pl_table_rows(f->table);
  char name[PL_TEXT];
  const double *data = pl_table_data(f->table);
  double *x = pl_alloc(f->k->j->env, (size_t)rows * (MOST + 1), sizeof *x);
  if (!x) return PL_E_NOMEM;
  for (int r = 0; r < rows; r++) x[r] = data[r * COLUMNS];
  for (int i = 0; i < n; i++) {
    double *y = x + (size_t)(i + 1) * (size_t)rows;
    for (int r = 0; r < rows; r++) y[r] = data[r * COLUMNS + of[i]];
    series[i] = (pl_series){.name = column[of[i]].name, .n = rows, .x = x, .y = y, .colour = -1};
  }
  const pl_plot p = {.xlabel = "time (s)", .ylabel = ylabel, .nseries = n, .series = series};
  snprintf(name, sizeof name, "%.80s-%s", f->k->a->name, suffix);
  pl_status s = job_plot(f->k->j, name, &p, caption);
  pl_free(f->k->j->env, x);
  return s;
}

static pl_status show(film *f, const pl_pose *end) {
  static const int energies[] = {1, 2, 3, 4, 5, 6}, heights[] = {7, 8, 9};
  native *k = f->k;
  shapes fine = {0}, coarse = {0};
  pl_mesh *m = NULL;
  double *number = NULL;
  char caption[PL_TEXT];
  k->pose = end;
  const elements e = native_elements(k, caption);
  pl_status s = job_tables(k->j) ? job_table(k->j, f->table, k->a->name, ".csv") : PL_OK;
  if (s == PL_OK) s = native_poses(k, "-poses.csv");
  if (s == PL_OK) s = elements_shapes(k->j, &e, SHAPE_POINTS, &fine);
  if (s == PL_OK) s = elements_draw(k->j, k->a->name, &e, &fine);
  if (s == PL_OK)
    s = plot_columns(f, "heights", "height (m)", 3, heights, "Heights of elements' origins.");
  if (s == PL_OK)
    s = plot_columns(f, "energies", "energy (J)", 6, energies,
                     "Energies, and what friction, damping and the steps have taken.");
  if (s == PL_OK && (k->j->output.vtu || k->j->output.glb)) {
    s = elements_shapes(k->j, &e, POINTS, &coarse);
    if (s == PL_OK) s = elements_merge(k->j, &e, &coarse, &m, &number);
    if (s == PL_OK && k->j->output.vtu) s = write_frames(f, e, &coarse, m, number);
    if (s == PL_OK && k->j->output.glb) s = write_glb(f, e, &coarse, m);
  }
  elements_shapes_free(k->j, &fine);
  elements_shapes_free(k->j, &coarse);
  pl_mesh_free(m);
  pl_free(k->j->env, number);
  return s;
}

// ---- what is told -------------------------------------------------------------------------------

static pl_status report(const film *f, const pl_patch_state *s, json_t *figures) {
  native *k = f->k;
  double lo[3], hi[3];
  char low[48];
  int rows = pl_table_rows(f->table);
  const double *last = pl_table_data(f->table) + (size_t)(rows > 0 ? rows - 1 : 0) * COLUMNS;
  native_extent(k, lo, hi);
  job_set(figures, "patch", json_string(k->patch->name));
  job_set(figures, "elements", json_integer(k->p.n));
  job_set(figures, "held", json_integer(k->patch->nheld));
  job_set(figures, "time", json_real(s->t));
  job_set(figures, "height", json_real(hi[2] - lo[2]));
  job_set(figures, "lowest", json_real(lo[2]));
  job_set(figures, "highest", json_real(hi[2]));
  for (int c = 1; rows > 0 && c < 7; c++) job_set(figures, column[c].name, json_real(last[c]));
  job_set(figures, "speed", json_real(rows > 0 ? last[10] : 0));
  job_set(figures, "frames", json_integer(f->n));
  job_length_text(k->j, lo[2], low);
  job_note(k->j, "%s: %d elements for %.4g s, lowest at %s, friction took %.3g J", k->a->name,
           k->p.n, s->t, low, s->rubbed);
  if (k->solved == PL_UNSOLVED)
    job_alarm(k->j,
              "A step could not be solved, however short; what there is until %.4g s is "
              "written. A larger moving_weight may help.",
              s->t);
  return native_verdict(k->j, k->a, k->a->name, &f->seen, figures);
}

static pl_status film_open(film *f) {
  native *k = f->k;
  pl_env *env = k->j->env;
  f->cap = k->j->output.frames + 2;
  f->frame_step = k->a->opts.native_.duration / k->j->output.frames;
  f->seen.gap = INFINITY;
  f->hash = hash_patch(&k->p);
  f->time = pl_alloc(env, (size_t)f->cap, sizeof *f->time);
  f->pose = pl_alloc(env, (size_t)f->cap * (size_t)k->p.n, sizeof *f->pose);
  if (!f->time || !f->pose) return PL_E_NOMEM;
  return job_table_open(k->j, COLUMNS, column, &f->table);
}

pl_status native_motion(native *k, json_t *figures) {
  const pl_native_opts *o = &k->a->opts.native_;
  const pl_move_opts move = {.duration = o->duration,
                             .step = o->step,
                             .friction = o->friction,
                             .creep = o->creep,
                             .damping = o->damping,
                             .barrier = o->barrier,
                             .weight = o->moving_weight,
                             .max_iter = o->max_iter};
  film f = {.k = k};
  const pl_move_observer observer = {on_step, &f};
  pl_env *env = k->j->env;
  pl_patch_state *state = NULL;
  pl_status s = film_open(&f);
  double start = pl_wall_time();
  if (s == PL_OK) s = pl_patch_state_create(env, &k->p, &state);
  if (s == PL_OK) s = read_checkpoint(&f, state);
  if (s == PL_OK) {
    k->pose = state->pose;
    s = k->solved = pl_patch_move(env, &k->p, &move, k->j->work->threads, &observer, state);
  }
  if (s == PL_OK || s == PL_UNSOLVED || s == PL_CANCELLED) {
    job_set(figures, "seconds", json_real(pl_wall_time() - start));
    pl_status seen = report(&f, state, figures), wrote = show(&f, state->pose);
    if (s == PL_OK) checkpoint_remove(k->j, k->a);
    if (s == PL_OK) s = seen;
    if (wrote != PL_OK) s = wrote;
  }
  pl_patch_state_free(env, state);
  pl_table_free(f.table);
  pl_free(env, f.time);
  pl_free(env, f.pose);
  return s;
}
