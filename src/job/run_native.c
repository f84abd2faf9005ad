// native: where a patch of linked elements comes to rest.
#include "run_native.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pl_status native_poses(const native *k, const char *suffix) {
  static const char *const column[][2] = {
      {"element", ""}, {"x", "m"},          {"y", "m"},          {"z", "m"},
      {"qw", ""},      {"qx", ""},          {"qy", ""},          {"qz", ""},
      {"held", ""},    {"reaction_x", "N"}, {"reaction_y", "N"}, {"reaction_z", "N"}};
  enum { N = sizeof column / sizeof *column };
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(pl_table_create(k->j->env, N, &t));
  pl_status s = PL_OK;
  for (int c = 0; s == PL_OK && c < N; c++) s = pl_table_column(t, c, column[c][0], column[c][1]);
  for (int i = 0; s == PL_OK && i < k->p.n; i++) {
    const pl_pose *p = &k->pose[i];
    double row[N] = {i + 1, p->x[0], p->x[1], p->x[2], 0, 0, 0, 0, k->p.held[i]};
    pl_pose_quaternion(p, row + 4);
    for (int c = 0; k->rest.reaction && k->p.held[i] && c < 3; c++)
      row[9 + c] = k->rest.reaction[i][c];
    s = pl_table_row(t, row);
  }
  if (s == PL_OK) s = job_table(k->j, t, k->a->name, suffix);
  pl_table_free(t);
  return s;
}

static pl_status write_contacts(const native *k) {
  static const char *const column[][2] = {
      {"first", ""},    {"second", ""},   {"obstacle", ""}, {"x", "m"},     {"y", "m"},  {"z", "m"},
      {"normal_x", ""}, {"normal_y", ""}, {"normal_z", ""}, {"force", "N"}, {"gap", "m"}};
  enum { N = sizeof column / sizeof *column };
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(pl_table_create(k->j->env, N, &t));
  pl_status s = PL_OK;
  for (int c = 0; s == PL_OK && c < N; c++) s = pl_table_column(t, c, column[c][0], column[c][1]);
  for (int i = 0; s == PL_OK && i < k->rest.ncontact; i++) {
    const pl_rest_contact *c = &k->rest.contact[i];
    int other = c->elem[1];
    const double row[N] = {c->elem[0] + 1,
                           other < 0 ? 0 : other + 1,
                           other < 0 ? -other : 0,
                           c->point[0],
                           c->point[1],
                           c->point[2],
                           c->normal[0],
                           c->normal[1],
                           c->normal[2],
                           c->force,
                           c->at.gap};
    s = pl_table_row(t, row);
  }
  if (s == PL_OK) s = job_table(k->j, t, k->a->name, "-contacts.csv");
  pl_table_free(t);
  return s;
}

// ---- what is told -------------------------------------------------------------------------------

static json_t *triple(const double *x) {
  return json_pack("[f, f, f]", x[0], x[1], x[2]);
}

// the box about all origins
void native_extent(const native *k, double lo[3], double hi[3]) {
  for (int c = 0; c < 3; c++) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
    for (int i = 0; i < k->p.n; i++) {
      lo[c] = fmin(lo[c], k->pose[i].x[c]);
      hi[c] = fmax(hi[c], k->pose[i].x[c]);
    }
  }
}

static double balance(const native *k) {
  double sum[3];
  for (int c = 0; c < 3; c++) sum[c] = k->rest.weight[c] + k->rest.hold[c];
  return pl_norm3(sum);
}

static void set_figures(const native *k, json_t *f) {
  const pl_rest *r = &k->rest;
  double lo[3], hi[3], size[3];
  native_extent(k, lo, hi);
  pl_sub3(hi, lo, size);
  job_set(f, "patch", json_string(k->patch->name));
  job_set(f, "elements", json_integer(k->p.n));
  job_set(f, "held", json_integer(k->patch->nheld));
  job_set(f, "height", json_real(size[2]));
  job_set(f, "extent", triple(size));
  job_set(f, "lowest", json_real(lo[2]));
  job_set(f, "highest", json_real(hi[2]));
  job_set(f, "load", triple(r->weight));
  job_set(f, "reaction", triple(r->hold));
  job_set(f, "unbalanced", json_real(balance(k)));
  job_set(f, "residual", json_real(r->residual));
  job_set(f, "energy", json_real(r->energy));
  job_set(f, "bound", json_real(r->bound));
  job_set(f, "gap", json_real(r->gap));
  job_set(f, "contacts", json_integer(r->ncontact));
  job_set(f, "links", json_integer(r->links));
  job_set(f, "links_start", json_integer(r->links_start));
  job_set(f, "iterations", json_integer(r->iterations));
}

static void report(const native *k) {
  const pl_rest *r = &k->rest;
  job *j = k->j;
  double lo[3], hi[3];
  char high[48], gap[48];
  native_extent(k, lo, hi);
  job_length_text(j, hi[2] - lo[2], high);
  job_length_text(j, r->gap, gap);
  job_note(j, "%s: %d elements at rest after %d iterations, %s high, smallest gap %s, %d %s",
           k->a->name, k->p.n, r->iterations, high, gap, r->links,
           pl_plural(r->links, "link", "links"));
  job_say(j,
          "%d elements of %s, %d held. Loads and weight of all that moves are %.6g N, what holds "
          "them differs from that by %.1e N; without friction and without overlap no motion nearby "
          "lowers the energy by more than %.2g J, of %.4g J that it has come down by.",
          k->p.n, j->scene->mail[k->patch->mail].family, k->patch->nheld, pl_norm3(r->weight),
          balance(k), r->bound, -r->energy);
  if (r->links != r->links_start)
    job_alarm(j, "%d pairs of pieces are linked, %d were at the start.", r->links, r->links_start);
  if (k->solved == PL_UNSOLVED)
    job_alarm(j, "The iteration ended before the patch came to rest; more iterations (max_iter) "
                 "may help.");
}

// ---- pictures -----------------------------------------------------------------------------------

elements native_elements(const native *k, char caption[PL_TEXT]) {
  snprintf(caption, PL_TEXT, "The patch %s; elements that are held are copper%s.",
           k->solved == PL_UNSOLVED ? "where it was left" : "at its end",
           k->patch->nloaded ? ", those with loads red" : "");
  return (elements){k->p.n, k->p.elem, k->pose, k->p.held, k->p.load, k->patch->name, caption};
}

static pl_status show(const native *k) {
  char caption[PL_TEXT];
  const elements e = native_elements(k, caption);
  return elements_show(k->j, k->a->name, &e);
}

void native_verdict(const native *k, const pl_mail_verdict *v, json_t *f) {
  job_set(f, "verified_gap", json_real(v->gap));
  job_set(f, "links_changed", json_integer(v->links_changed));
  if (v->links_changed)
    job_alarm(k->j, "%d pairs of elements are linked otherwise than at the start.",
              v->links_changed);
  if (!(v->gap > 0)) job_alarm(k->j, "Elements overlap by %.3g m.", -v->gap);
}

pl_status job_native(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  const pl_native_opts *o = &a->opts.native_;
  const pl_rest_opts rest = {o->barrier, o->weight, o->max_iter};
  native k = {.j = j, .a = a, .patch = &j->scene->patch[a->patch]};
  k.p = k.patch->p;
  k.p.nobstacle = j->scene->contact.nobstacle;
  k.p.obstacle = j->scene->contact.obstacle;
  if (o->duration > 0) return native_motion(&k, figures);
  double start = pl_wall_time();
  k.solved = pl_patch_rest(j->env, &k.p, &rest, j->work->threads, &k.rest);
  pl_status s = k.solved;
  if (s >= 0 && s != PL_CANCELLED) {
    pl_mail_verdict v;
    k.pose = k.rest.pose;
    set_figures(&k, figures);
    job_set(figures, "seconds", json_real(pl_wall_time() - start));
    report(&k);
    pl_status wrote = pl_patch_verify(j->env, &k.p, k.pose, j->work->threads, &v);
    if (wrote == PL_OK) native_verdict(&k, &v, figures);
    if (wrote == PL_OK) wrote = native_poses(&k, ".csv");
    if (wrote == PL_OK) wrote = write_contacts(&k);
    if (wrote == PL_OK) wrote = show(&k);
    if (wrote == PL_OK) wrote = job_native_keep(j, a, k.rest.pose);
    if (wrote != PL_OK) s = wrote;
  }
  pl_rest_free(j->env, &k.rest);
  return s;
}
