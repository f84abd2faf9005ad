// macro: whether elements can be where the sheet is. Its limits of strain and of curvature are
// apart, while elements know both at once, and whether strains fit to curvatures far away.
#include "run_macro.h"
#include "run_native.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

static const double LIES =
    0.05; // of the size, by which elements miss the sheet: separate limits lie
static const double BOTH = 0.5; // of both limits, from which on it is worth asking

typedef struct joint {
  const macro *k;
  pl_patch p;
  pl_nearest near;
  pl_rest rest; // from there
  pl_status approached, rested;
} joint;

// ---- where it was not asked for -----------------------------------------------------------------

// how many triangles are far on the way to both limits
static pl_status count_both(const macro *k, int *both) {
  const pl_model *m = k->built.model;
  int ntri = k->sheet.mesh->cell[PL_TRI3].n, n = 0;
  double *value = pl_alloc(k->j->env, 2 * (size_t)ntri, sizeof *value);
  *both = 0;
  if (!value) return PL_E_NOMEM;
  for (int g = 0; g < pl_model_ngroup(m) && n < 2; g++)
    if (pl_model_group_kind(m, g)->eval_law)
      pl_eval_field(m, k->built.params, k->built.state, g, 0, NULL, value + ntri * n++);
  for (int t = 0; n == 2 && t < ntri; t++) *both += value[t] > BOTH && value[ntri + t] > BOTH;
  pl_free(k->j->env, value);
  return PL_OK;
}

static pl_status hint(const macro *k, json_t *figures) {
  int both;
  if (!k->bend) return PL_OK;
  PL_TRY(count_both(k, &both));
  job_set(figures, "both_near", json_integer(both));
  if (both > 0)
    job_note(k->j,
             "%s: %d of %d triangles are beyond half of both limits, of strain and of curvature, "
             "which are true one at a time: joint: yes tells how near elements come to it",
             k->a->name, both, k->sheet.mesh->cell[PL_TRI3].n);
  return PL_OK;
}

// ---- both states --------------------------------------------------------------------------------

static pl_status find_states(joint *f) {
  const macro *k = f->k;
  pl_env *env = k->j->env;
  pl_rest_opts o;
  pl_opts_default(pl_rest_option_table, pl_rest_option_count, &o);
  double(*want)[3] = pl_alloc(env, (size_t)f->p.n, sizeof *want);
  if (!want) return PL_E_NOMEM;
  for (int i = 0; i < f->p.n; i++) memcpy(want[i], k->pose[i].x, sizeof want[i]);
  f->approached =
      pl_patch_nearest(env, &f->p, (const double(*)[3])want, &o, k->j->work->threads, &f->near);
  pl_free(env, want);
  if (f->approached != PL_OK && f->approached != PL_UNSOLVED) return f->approached;
  pl_patch from = f->p;
  from.pose = f->near.pose;
  f->rested = pl_patch_rest(env, &from, &o, k->j->work->threads, NULL, &f->rest);
  return f->rested == PL_UNSOLVED ? PL_OK : f->rested;
}

// ---- what is told -------------------------------------------------------------------------------

static pl_status write_table(const joint *f) {
  static const table_column column[] = {
      {"element", ""},      {"x", "m"},          {"y", "m"},          {"z", "m"},
      {"qw", ""},           {"qx", ""},          {"qy", ""},          {"qz", ""},
      {"off", "m"},         {"released_x", "m"}, {"released_y", "m"}, {"released_z", "m"},
      {"released_qw", ""},  {"released_qx", ""}, {"released_qy", ""}, {"released_qz", ""},
      {"released_off", "m"}};
  enum { N = sizeof column / sizeof *column };
  const macro *k = f->k;
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(job_table_open(k->j, N, column, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < f->p.n; i++) {
    const pl_pose *pose[] = {&f->near.pose[i], &f->rest.pose[i]};
    double row[N] = {i + 1}, off[3];
    for (int e = 0; e < 2; e++) {
      double *to = row + 1 + 8 * e;
      memcpy(to, pose[e]->x, sizeof pose[e]->x);
      pl_pose_quaternion(pose[e], to + 3);
      pl_sub3(pose[e]->x, k->pose[i].x, off);
      to[7] = pl_norm3(off);
    }
    s = pl_table_row(t, row);
  }
  return job_table_end(k->j, t, s, k->a->name, "-joint.csv");
}

// The sheet's own state does not follow from these: they are told alone.
static pl_status verify(const joint *f, const char *which, const pl_pose *at, json_t *o) {
  const job *j = f->k->j;
  char who[PL_TEXT];
  pl_mail_verdict v;
  PL_TRY(pl_patch_verify(j->env, &f->p, at, j->work->threads, &v));
  snprintf(who, sizeof who, "%s, elements %s,", f->k->a->name, which);
  native_verdict(j, f->k->a, who, &v, o);
  return PL_OK;
}

static pl_status set_figures(const joint *f, const beside *near, const beside *rest,
                             json_t *figures) {
  json_t *o = json_object(), *n = macro_beside_figures(near, "nearest");
  json_t *r = macro_beside_figures(rest, "released");
  job_set(o, "nearest", n);
  job_set(o, "released", r);
  job_set(o, "missed_by", json_real(near->apart / near->size));
  job_set(o, "met", json_boolean(f->approached == PL_OK));
  job_set(o, "separate_limits_lie",
          json_boolean(f->approached == PL_OK && near->apart > LIES * near->size));
  job_set(figures, "joint", o);
  job_set(n, "left", json_real(f->near.left));
  job_set(n, "iterations", json_integer(f->near.iterations));
  job_set(r, "iterations", json_integer(f->rest.iterations));
  PL_TRY(verify(f, "nearest to the sheet", f->near.pose, n));
  return verify(f, "let go from it", f->rest.pose, r);
}

// in the report and where the run is watched; parts of the size
static void warn_apart(const joint *f, double near, double rest) {
  const pl_analysis *a = f->k->a;
  const job *j = f->k->j;
  if (f->approached != PL_OK)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "place the patch nearer to where it comes to rest",
              "%s: elements were not brought to the sheet, from which they are %.2g %% of the size "
              "at most: an obstacle is in their way, or the iteration ended early; nothing is "
              "known of separate limits",
              a->name, 100 * near);
  else if (near > LIES)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "trust native of this patch instead",
              "%s: separate limits of strain and curvature lie here: elements cannot be where the "
              "sheet is, by %.2g %% of the size",
              a->name, 100 * near);
  else if (rest > LIES)
    pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
              "trust native of this patch instead",
              "%s: elements can be where the sheet is, but do not stay there: let go, they end "
              "%.2g %% of the size from it",
              a->name, 100 * rest);
}

static void report(const joint *f, const beside *near, const beside *rest) {
  job *j = f->k->j;
  const char *name = f->k->a->name;
  char most[48], mean[48];
  job_length_text(j, near->apart, most);
  job_length_text(j, near->mean, mean);
  job_say(j, "Elements as near to the sheet as they come, without gravity and loads:");
  macro_beside_table(f->k, near, "nearest");
  job_say(j, "Elements that are let go from there, under the same gravity and loads:");
  macro_beside_table(f->k, rest, "released");
  job_note(
      j,
      "%s: elements come as near to the sheet as %s (%.2g %% of the size; in the mean %s); let "
      "go from there they end %.2g %% from it, height %+.2g %%",
      name, most, 100 * near->apart / near->size, mean, 100 * rest->apart / rest->size,
      100 * (rest->native[2] - rest->macro[2]) / rest->size);
  warn_apart(f, near->apart / near->size, rest->apart / rest->size);
  if (f->rested == PL_UNSOLVED) job_alarm(j, "Elements that were let go did not come to rest.");
}

static pl_status emit(const joint *f, json_t *figures) {
  const macro *k = f->k;
  char name[PL_TEXT];
  beside near = macro_compare(k, f->near.pose), rest = macro_compare(k, f->rest.pose);
  report(f, &near, &rest);
  PL_TRY(set_figures(f, &near, &rest, figures));
  PL_TRY(write_table(f));
  snprintf(name, sizeof name, "%s-nearest", k->a->name);
  const elements e = {f->p.n,
                      f->p.elem,
                      f->near.pose,
                      f->p.held,
                      f->p.load,
                      k->patch->name,
                      "Elements as near to the sheet as they come."};
  return elements_show(k->j, name, &e);
}

pl_status macro_joint(const macro *k, json_t *figures) {
  if (!k->a->opts.macro_.joint) return hint(k, figures);
  joint f = {.k = k, .p = k->patch->p};
  f.p.nobstacle = k->j->scene->contact.nobstacle;
  f.p.obstacle = k->j->scene->contact.obstacle;
  pl_status s = find_states(&f);
  if (s == PL_OK) s = emit(&f, figures);
  pl_nearest_free(k->j->env, &f.near);
  pl_rest_free(k->j->env, &f.rest);
  return s;
}
