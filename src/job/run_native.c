// native: where a patch of linked elements comes to rest.
#include "run_native.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pl_status native_poses(const native *k, const char *suffix) {
  const elements e = {.n = k->p.n, .pose = k->pose, .held = k->p.held};
  return elements_poses(k->j, k->a->name, suffix, &e, 1, (const double(*)[3])k->rest.reaction);
}

static pl_status write_contacts(const native *k) {
  static const table_column column[] = {
      {"first", ""},    {"second", ""},   {"obstacle", ""}, {"x", "m"},     {"y", "m"},  {"z", "m"},
      {"normal_x", ""}, {"normal_y", ""}, {"normal_z", ""}, {"force", "N"}, {"gap", "m"}};
  enum { N = sizeof column / sizeof *column };
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(job_table_open(k->j, N, column, &t));
  pl_status s = PL_OK;
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
  return job_table_end(k->j, t, s, k->a->name, "-contacts.csv");
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
  job_note(j, "%s: %d elements %s after %d iterations, %s high, smallest gap %s, %d %s", k->a->name,
           k->p.n, k->solved == PL_UNSOLVED ? "not yet at rest" : "at rest", r->iterations, high,
           gap, r->links, pl_plural(r->links, "link", "links"));
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

pl_status native_verdict(const job *j, const pl_analysis *a, const char *who,
                         const pl_mail_verdict *v, json_t *f) {
  char text[PL_TEXT], overlap[64] = "";
  job_set(f, "verified_gap", json_real(v->gap));
  job_set(f, "links_changed", json_integer(v->links_changed));
  if (v->gap > 0 && !v->links_changed) return PL_OK;
  if (!(v->gap > 0))
    snprintf(overlap, sizeof overlap, "elements overlap by %.3g mm", -1e3 * v->gap);
  snprintf(text, sizeof text, "%s%s", overlap, *overlap && v->links_changed ? ", " : "");
  size_t at = strlen(text);
  if (v->links_changed)
    snprintf(text + at, sizeof text - at, "%d %s linked otherwise than at the start",
             v->links_changed,
             pl_plural(v->links_changed, "pair of elements is", "pairs of elements are"));
  job_set(f, "reason", json_string(text));
  job_alarm(j, "Not to be trusted: %s.", text);
  pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col,
            "a smaller weight, or another barrier, may help", "%s is not to be trusted: %s", who,
            text);
  return PL_UNSOLVED;
}

// ---- what is kept -------------------------------------------------------------------------------

static uint64_t hash_piece(uint64_t h, const pl_piece *a) {
  const double size[] = {a->centre[0], a->centre[1], a->centre[2], a->axis[0],  a->axis[1],
                         a->axis[2],   a->radius,    a->major,     a->straight, a->height};
  size_t many = (size_t)a->nharmonic;
  h = pl_hash(h, size, sizeof size);
  if (many) h = pl_hash(h, a->cosine, many * sizeof *a->cosine);
  if (many) h = pl_hash(h, a->sine, many * sizeof *a->sine);
  if (a->kind != PL_PIECE_FACETS) return h;
  int n;
  const double(*x)[3] = pl_facets_corners(a->facets, &n);
  return pl_hash(h, x, (size_t)n * sizeof *x);
}

uint64_t hash_patch(const pl_patch *p) {
  size_t n = (size_t)p->n;
  uint64_t h = pl_hash(0, p->pose, n * sizeof *p->pose);
  h = pl_hash(h, p->held, n);
  if (p->load) h = pl_hash(h, p->load, n * sizeof *p->load);
  h = pl_hash(h, p->gravity, sizeof p->gravity);
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < p->elem[i]->npiece; k++) h = hash_piece(h, &p->elem[i]->piece[k]);
  return pl_hash(h, &p->density, sizeof p->density);
}

pl_status native_refuse(const checkpoint *c) {
  return pl_fail_at(c->j->env, PL_E_INPUT, c->j->scene->path, c->a->line, c->a->col,
                    "run without --resume, or into another folder",
                    "%s: the checkpoint is of another patch", c->a->name);
}

// The way to rest: what was kept of it last.
typedef struct way {
  const native *k;
  uint64_t hash;
  size_t n;
  double *x, *from; // [n]; what an earlier run has kept
  pl_rest_keeper keeper;
} way;

static pl_status write_way(const way *w) {
  checkpoint c;
  double n = (double)w->n;
  checkpoint_begin(w->k->j, w->k->a, &c);
  checkpoint_put(&c, &w->hash, 1, sizeof w->hash);
  checkpoint_put(&c, &n, 1, sizeof n);
  checkpoint_put(&c, w->x, w->n, sizeof *w->x);
  return checkpoint_end(&c);
}

static pl_status keep(void *ctx, size_t n, const double *x) {
  way *w = ctx;
  double *more = pl_realloc(w->k->j->env, w->x, n, sizeof *more);
  if (!more) return PL_E_NOMEM;
  w->x = more;
  w->n = n;
  memcpy(w->x, x, n * sizeof *x);
  return checkpoint_due(w->k->j) ? write_way(w) : PL_OK;
}

static pl_status read_way(checkpoint *c, way *w) {
  uint64_t hash;
  double n;
  PL_TRY(checkpoint_read(c, &hash, 1, sizeof hash));
  if (hash != w->hash) return native_refuse(c);
  PL_TRY(checkpoint_read(c, &n, 1, sizeof n));
  long many = checkpoint_count(n);
  if (many <= 0) return PL_E_INPUT;
  PL_TRY(checkpoint_read_new(c, (size_t)many, sizeof *w->from, &w->from));
  w->keeper.nfrom = (size_t)many;
  w->keeper.from = w->from;
  return PL_OK;
}

static pl_status way_open(way *w, const native *k) {
  checkpoint c;
  int found;
  *w = (way){.k = k, .hash = hash_patch(&k->p), .keeper = {.keep = keep, .ctx = w}};
  PL_TRY(checkpoint_open(k->j, k->a, &c, &found));
  return found ? checkpoint_close(&c, read_way(&c, w)) : PL_OK;
}

// what was stopped goes on later
static pl_status way_close(way *w, pl_status s) {
  if (s == PL_CANCELLED && w->n > 0) {
    pl_status wrote = write_way(w);
    if (wrote < 0) s = wrote;
  }
  pl_free(w->k->j->env, w->x);
  pl_free(w->k->j->env, w->from);
  return s;
}

static pl_status find_rest(native *k) {
  const pl_native_opts *o = &k->a->opts.native_;
  const pl_rest_opts rest = {o->barrier, o->weight, o->max_iter};
  way w;
  pl_status s = way_open(&w, k);
  if (s == PL_OK)
    s = pl_patch_rest(k->j->env, &k->p, &rest, k->j->work->threads, &w.keeper, &k->rest);
  return way_close(&w, s);
}

static pl_status write_rest(native *k, double seconds, json_t *figures) {
  pl_mail_verdict v;
  k->pose = k->rest.pose;
  set_figures(k, figures);
  job_set(figures, "seconds", json_real(seconds));
  report(k);
  PL_TRY(pl_patch_verify(k->j->env, &k->p, k->pose, k->j->work->threads, &v));
  pl_status seen = native_verdict(k->j, k->a, k->a->name, &v, figures);
  PL_TRY(native_poses(k, ".csv"));
  PL_TRY(write_contacts(k));
  PL_TRY(show(k));
  return seen == PL_OK ? job_native_keep(k->j, k->a, k->rest.pose) : seen;
}

pl_status job_native(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  native k = {.j = j, .a = a, .patch = &j->scene->patch[a->patch]};
  k.p = k.patch->p;
  k.p.nobstacle = j->scene->contact.nobstacle;
  k.p.obstacle = j->scene->contact.obstacle;
  if (a->opts.native_.duration > 0) return native_motion(&k, figures);
  double start = pl_wall_time();
  pl_status s = k.solved = find_rest(&k);
  if (s >= 0 && s != PL_CANCELLED) {
    pl_status wrote = write_rest(&k, pl_wall_time() - start, figures);
    if (wrote != PL_OK) s = wrote;
  }
  if (s == PL_OK) checkpoint_remove(j, a);
  pl_rest_free(j->env, &k.rest);
  return s;
}
