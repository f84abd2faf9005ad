// Reactions in results: what each support and each drive holds with.
#include "gradients.h"

#include "pliant/math.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 32 }; // supports and drives with columns in tables; figures have all

// amplitudes of loads hold nothing
static int nholding(const job *j) {
  return j->scene->ndrive;
}

static int nnamed(const job *j) {
  int n = nholding(j);
  return n < COLUMNS ? n : COLUMNS;
}

int job_reaction_count(const job *j) {
  return nnamed(j) * j->scene->dim;
}

// letters and digits of the name of a drive, the others as _, or its number; all different
static const char *plain_name(const job *j, int k, char *buf, size_t size) {
  const pl_model *m = j->scene->model;
  const char *name = pl_model_drive_name(m, k);
  size_t n = 0;
  int same = 0;
  for (const char *c = name; *c && n + 8 < size; c++) {
    int letter = isalnum((unsigned char)*c) || (unsigned char)*c > 127;
    if (letter || (n > 0 && buf[n - 1] != '_')) buf[n++] = (char)(letter ? *c : '_');
  }
  while (n > 0 && buf[n - 1] == '_') n--;
  buf[n] = 0;
  if (n == 0) n = (size_t)snprintf(buf, size, "%s", pl_model_drive_holds(m, k) ? "fixed" : "drive");
  for (int i = 0; i < k; i++) same += strcmp(pl_model_drive_name(m, i), name) == 0;
  if (same) snprintf(buf + n, size - n, "_%d", same + 1);
  return buf;
}

const char *job_reaction_name(const job *j, int drive, char *buf, size_t size) {
  return plain_name(j, drive, buf, size);
}

pl_status job_reaction_columns(const job *j, pl_table *t, int first) {
  char name[PL_TEXT], one[64];
  for (int k = 0; k < nnamed(j); k++)
    for (int c = 0; c < j->scene->dim; c++) {
      snprintf(name, sizeof name, "reaction_%s_%c", plain_name(j, k, one, sizeof one), "xyz"[c]);
      PL_TRY(pl_table_column(t, first++, name, "N"));
    }
  return PL_OK;
}

void job_reaction_row(const job *j, const pl_state *s, const pl_work *w, const pl_contact *contact,
                      double *row) {
  double force[3], moment[3], pushed[3] = {0};
  int dim = j->scene->dim;
  for (int k = 0; k < nnamed(j); k++) {
    pl_drive_reaction(j->scene->model, s, w->r, k, force, moment);
    if (contact) pl_drive_reaction(j->scene->model, s, contact->push, k, pushed, moment);
    for (int c = 0; c < dim; c++) *row++ = force[c] - pushed[c];
  }
}

static json_t *vector(int n, const double *v) {
  json_t *list = json_array();
  for (int c = 0; c < n; c++) json_array_append_new(list, json_real(v[c]));
  return list;
}

// ---- sets ---------------------------------------------------------------------------------------

static void set_sets(const job *j, const pl_state *s, const pl_work *w, json_t *f) {
  const pl_model *m = j->scene->model;
  json_t *all = json_object();
  char *in = pl_alloc(j->env, (size_t)pl_model_nnode(m), 1);
  double force[3], moment[3];
  int dim = j->scene->dim;
  if (!in) files_failed(j, PL_E_NOMEM);
  for (int k = 0; in && k < j->scene->nset; k++) {
    const pl_node_set *set = &j->scene->set[k];
    memset(in, 0, (size_t)pl_model_nnode(m));
    for (int i = 0; i < set->n; i++) in[set->node[i]] = 1;
    if (!pl_held_reaction(m, s, w->r, in, force, moment)) continue;
    json_t *one = json_object();
    job_set(one, "force_N", vector(dim, force));
    if (dim > 1) job_set(one, "moment_Nm", dim == 2 ? json_real(moment[2]) : vector(3, moment));
    job_set(all, set->name, one);
  }
  if (json_object_size(all) > 0)
    job_set(f, "set_reactions", all);
  else
    json_decref(all);
  pl_free(j->env, in);
}

// ---- balance ------------------------------------------------------------------------------------

// components of a node that drives and supports hold, NULL: there is no memory, which is told
static char *held(const job *j) {
  char *mask = pl_alloc(j->env, (size_t)pl_model_nnode(j->scene->model), 1);
  if (!mask) files_failed(j, PL_E_NOMEM);
  for (int k = 0; mask && k < j->scene->ndrive; k++) {
    const pl_drive_desc *d = &j->scene->drive[k];
    for (int i = 0; i < d->nnode; i++)
      mask[d->node[i]] |= (char)(d->kind == PL_DRIVE_ROTATION ? 7 : d->mask);
  }
  return mask;
}

static void add_nodes(const job *j, const double *r, double sum[3]) {
  int dim = j->scene->dim, n = pl_model_nnode(j->scene->model);
  memset(sum, 0, 3 * sizeof *sum);
  for (int i = 0; i < n * dim; i++) sum[i % dim] += r[i];
}

// Loads and weight (and inertia), what elements put on the whole from outside (pressure, springs to
// the ground, tendons), and what holds it: together they are as near to zero as the forces of free
// nodes are. Last: r is another then.
static void set_balance(const job *j, const pl_state *s, const pl_clock *c, json_t *f) {
  int dim = j->scene->dim, n = pl_model_nnode(j->scene->model);
  double all[3], applied[3], elements[3], reaction[3] = {0}, gross[3] = {0}, size = 0, rest = 0;
  char *mask = held(j);
  // forces of contact are not in r
  if (!mask || j->scene->contact.nnode > 0 || j->scene->layers.nvert > 0) {
    pl_free(j->env, mask);
    return;
  }
  add_nodes(j, j->work->r, all);
  for (int i = 0; i < n * dim; i++)
    if (mask[i / dim] >> (i % dim) & 1) {
      reaction[i % dim] += j->work->r[i];
      gross[i % dim] += fabs(j->work->r[i]);
    }
  pl_free(j->env, mask);
  pl_eval_outer(j->scene->model, j->scene->params, s, c, j->work);
  add_nodes(j, j->work->r, applied);
  for (int k = 0; k < dim; k++) {
    double left = all[k] - reaction[k];
    elements[k] = applied[k] - all[k];
    applied[k] = -applied[k];
    // supports and drives that work against each other have a sum of nothing
    size = fmax(size, fmax(gross[k], fmax(fabs(applied[k]), fabs(elements[k]))));
    rest = hypot(rest, left);
  }
  json_t *one = json_object();
  job_set(one, "applied_N", vector(dim, applied));
  job_set(one, "elements_N", vector(dim, elements));
  job_set(one, "reactions_N", vector(dim, reaction));
  job_set(one, "left_over", json_real(size > 0 ? rest / size : 0));
  job_set(f, "balance", one);
}

static void set_figures(const job *j, const pl_state *s, const pl_work *w, json_t *f) {
  const pl_model *m = j->scene->model;
  int dim = j->scene->dim;
  double sum[3] = {0}, force[3], moment[3];
  json_t *all = json_object();
  for (int k = 0; k < nholding(j); k++) {
    char name[64];
    pl_drive_reaction(m, s, w->r, k, force, moment);
    for (int c = 0; c < dim; c++) sum[c] += force[c];
    json_t *one = json_object();
    job_set(one, "force_N", vector(dim, force));
    if (dim > 1) job_set(one, "moment_Nm", dim == 2 ? json_real(moment[2]) : vector(3, moment));
    job_set(all, plain_name(j, k, name, sizeof name), one);
  }
  job_set(f, "reaction_N", vector(dim, sum));
  job_set(f, "reactions", all);
}

// the entries in a row; those that are rounding beside the largest of all are 0
static const char *put_vector(int n, const double *v, double least, char buf[96]) {
  int at = 0;
  for (int c = 0; c < n; c++)
    at += snprintf(buf + at, 96 - (size_t)at, c ? ", %.6g" : "%.6g", fabs(v[c]) > least ? v[c] : 0);
  return buf;
}

// reach of the model, m
static double range(const job *j) {
  const double *X = j->scene->params->X;
  int dim = j->scene->dim, n = pl_model_nnode(j->scene->model);
  double most = 0;
  for (int i = 0; i < n * dim; i++) most = fmax(most, fabs(X[i] - X[i % dim]));
  return most;
}

static void put_table(const job *j, const pl_state *s, const pl_work *w) {
  static const double rounding = 1e-9;
  static const char *const head[] = {"support or drive", "force (N)",
                                     "moment about its middle (N m)"};
  const pl_model *m = j->scene->model;
  int n = nnamed(j), dim = j->scene->dim;
  double f[3], t[3], force = 0, moment = 0;
  if (n == 0) return;
  for (int k = 0; k < n; k++) {
    pl_drive_reaction(m, s, w->r, k, f, t);
    force = fmax(force, pl_max_abs(dim, f));
    if (dim > 1) moment = fmax(moment, pl_max_abs(3, t));
  }
  moment = fmax(moment, force * range(j));
  job_heading(j, "Reactions");
  grid g = job_grid(j, 3, head);
  for (int k = 0; k < n; k++) {
    char text[96];
    pl_drive_reaction(m, s, w->r, k, f, t);
    grid_add(&g, "%s", plain_name(j, k, text, 64));
    grid_add(&g, "%s", put_vector(dim, f, rounding * force, text));
    text[0] = 0;
    if (dim > 1) put_vector(dim == 2 ? 1 : 3, dim == 2 ? t + 2 : t, rounding * moment, text);
    grid_add(&g, "%s", text);
  }
  grid_end(&g);
}

void job_reaction_report(const job *j, const pl_state *s, const pl_clock *c,
                         const pl_contact *contact, json_t *figures) {
  for (int i = 0; contact && i < contact->nq; i++) j->work->r[i] -= contact->push[i];
  set_figures(j, s, j->work, figures);
  set_sets(j, s, j->work, figures);
  put_table(j, s, j->work);
  set_balance(j, s, c, figures);
}
