// Checkpoints: magic, sizes, then raw numbers of this machine. They hold all that is needed to go
// on as if there had been no stop: of a transient state, stepper history, recorded rows and frames;
// of a design what the optimiser tells.
#include "job_impl.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = {'p', 'l', 'i', 'a', 'n', 't', 'c', '4'};

enum { TOUCH = 7 }; // numbers kept of a pair: status, force, slide

typedef struct header {
  char magic[8];
  int nq, nhist, moved, steps_per_period;
  uint64_t model, options; // fingerprints
  int nframe, rows, cols, has_q1, has_v1, has_period, npair;
  double t, opt_step, frequency, power, dissipated;
  pl_history history; // its pointers mean nothing here
} header;

// FNV-1a
static uint64_t hash(uint64_t h, const void *data, size_t size) {
  const unsigned char *p = data;
  for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * 0x100000001b3u;
  return h;
}

// limits of stretch and where they hold
static uint64_t limits_print(const pl_sheet_desc *d, uint64_t h) {
  h = hash(h, d->rest, 6 * (size_t)d->ntri * sizeof *d->rest);
  h = hash(h, d->limit_of, (size_t)d->ntri * sizeof *d->limit_of);
  for (int k = 0; k < d->nlimit; k++) {
    const pl_limit *l = &d->limit[k];
    if (l->nellipse) h = hash(h, l->B, (size_t)l->nellipse * sizeof *l->B);
    if (l->ndirection == 0) continue;
    h = hash(h, l->angle, (size_t)l->ndirection * sizeof *l->angle);
    h = hash(h, l->bound, (size_t)l->ndirection * sizeof *l->bound);
  }
  return h;
}

static uint64_t obstacle_print(const pl_obstacle *o, uint64_t h) {
  int kind = (int)o->kind;
  h = hash(h, &kind, sizeof kind);
  // all between them is numbers
  h = hash(h, o->centre, offsetof(pl_obstacle, mesh) - offsetof(pl_obstacle, centre));
  for (int e = 0; o->mesh && e < pl_obstacle_mesh_ntri(o->mesh); e++) {
    const double *corner[3];
    pl_obstacle_mesh_corners(o->mesh, e, corner);
    for (int c = 0; c < 3; c++) h = hash(h, corner[c], 3 * sizeof(double));
  }
  return h;
}

// all numbers that the model depends on
static uint64_t model_print(const job *j) {
  const pl_scene *sc = j->scene;
  const pl_params *p = sc->params;
  uint64_t h = hash(0xcbf29ce484222325u, p->par, (size_t)p->npar * sizeof(double));
  h = hash(h, p->X, (size_t)p->nref * sizeof(double));
  h = hash(h, p->rest, (size_t)p->nrest * sizeof(double));
  h = hash(h, p->M.val, (size_t)p->M.nnz * sizeof(double));
  if (sc->sheet.nlimit > 0) h = limits_print(&sc->sheet, h);
  if (sc->has_layers) {
    h = hash(h, &sc->layers.thickness, sizeof sc->layers.thickness);
    h = hash(h, &sc->layers.mu, sizeof sc->layers.mu);
  }
  const pl_contact_desc *d = &sc->contact;
  if (d->nnode == 0) return h;
  for (int k = 0; k < d->nobstacle; k++) h = obstacle_print(&d->obstacle[k], h);
  h = hash(h, d->node, (size_t)d->nnode * sizeof *d->node);
  h = hash(h, d->radius, (size_t)d->nnode * sizeof *d->radius);
  return hash(h, d->mu, (size_t)d->nnode * (size_t)d->nobstacle * sizeof *d->mu);
}

// the options, but for those that only say how long to go on
static uint64_t options_print(const pl_transient_opts *o) {
  pl_transient_opts same;
  memset(&same, 0, sizeof same);
  for (int k = 0; k < pl_transient_info_count; k++) {
    const pl_opt_info *i = &pl_transient_info_table[k];
    if (strcmp(i->name, "duration") == 0 || strcmp(i->name, "periods") == 0) continue;
    size_t size = i->type == PL_OPT_REAL ? sizeof(double) : sizeof(int);
    memcpy((char *)&same + i->offset, (const char *)o + i->offset, size);
  }
  return hash(0xcbf29ce484222325u, &same, sizeof same);
}

static header make_header(const job *j, const pl_transient_opts *o, const pl_state *s,
                          const pl_history *h, const kept *k, const pl_table *t) {
  header head;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, magic, sizeof magic);
  head.nq = s->nq;
  head.nhist = s->nhist;
  head.moved = s->moved;
  head.model = model_print(j);
  head.options = options_print(o);
  head.steps_per_period = o->steps_per_period;
  head.nframe = k->n;
  head.rows = pl_table_rows(t);
  head.cols = pl_table_cols(t);
  head.has_q1 = h->q1 != NULL;
  head.has_v1 = h->v1 != NULL;
  head.has_period = h->period != NULL;
  head.npair = k->contact ? k->contact->npair : 0;
  head.t = s->t;
  head.power = k->power;
  head.dissipated = k->dissipated;
  head.history = *h;
  head.history.q1 = head.history.v1 = head.history.period = NULL;
  head.opt_step = o->step;
  head.frequency = o->frequency;
  return head;
}

static void put(pl_text *out, const double *x, size_t n) {
  pl_text_put(out, (const char *)x, n * sizeof(double));
}

// pairs that do not touch are zeros
static void put_touches(pl_text *out, const pl_contact *k) {
  for (int i = 0; k && i < k->npair; i++) {
    const pl_touch *a = &k->pair[i];
    const double all[TOUCH] = {a->status,   a->force[0], a->force[1], a->force[2],
                               a->slide[0], a->slide[1], a->slide[2]};
    put(out, all, TOUCH);
  }
  if (k) put(out, &k->residual, 1);
}

static void take_touches(pl_contact *k, const pl_state *s, const double *x) {
  pl_contact_place(k, s->t, s->q);
  for (int i = 0; i < k->npair; i++, x += TOUCH) {
    pl_touch *a = &k->pair[i];
    a->status = x[0] == PL_SLIP ? PL_SLIP : x[0] == PL_STICK ? PL_STICK : PL_OPEN;
    memcpy(a->force, x + 1, sizeof a->force);
    memcpy(a->slide, x + 4, sizeof a->slide);
  }
  k->residual = x[0];
}

pl_status checkpoint_write(const job *j, const char *path, const pl_transient_opts *o,
                           const pl_state *s, const pl_history *h, const kept *k,
                           const pl_table *table) {
  header head = make_header(j, o, s, h, k, table);
  size_t nq = (size_t)s->nq;
  pl_text out;
  pl_text_init(&out, j->env);
  pl_text_put(&out, (const char *)&head, sizeof head);
  put(&out, s->q, 3 * nq + (size_t)s->nhist);
  if (h->q1) put(&out, h->q1, nq);
  if (h->v1) put(&out, h->v1, nq);
  if (h->period) put(&out, h->period, nq * (size_t)h->nsample);
  if (k->n) put(&out, k->time, (size_t)k->n);
  if (k->n) put(&out, k->qv, (size_t)k->n * 2 * nq);
  put(&out, pl_table_data(table), (size_t)head.rows * (size_t)head.cols);
  put_touches(&out, k->contact);
  pl_status st = out.failed ? PL_E_NOMEM : pl_file_write(j->env, path, out.s, out.n);
  pl_text_free(&out);
  return st;
}

// takes n doubles from the file into a new or given array
static pl_status take(pl_env *env, const char **at, size_t n, double **to) {
  if (!*to) *to = pl_alloc(env, n, sizeof(double));
  if (!*to) return PL_E_NOMEM;
  memcpy(*to, *at, n * sizeof(double));
  *at += n * sizeof(double);
  return PL_OK;
}

static size_t body_size(const header *h) {
  size_t nq = (size_t)h->nq, n = 3 * nq + (size_t)h->nhist;
  n += nq * ((size_t)(h->has_q1 != 0) + (size_t)(h->has_v1 != 0));
  if (h->has_period) n += nq * (size_t)h->history.nsample;
  n += (size_t)h->nframe * (1 + 2 * nq) + (size_t)h->rows * (size_t)h->cols;
  if (h->npair) n += TOUCH * (size_t)h->npair + 1;
  return n * sizeof(double);
}

static pl_status unpack(const job *j, const header *head, const char *at, pl_state *s,
                        pl_history *h, kept *k, pl_table *table) {
  size_t nq = (size_t)head->nq;
  double *q = s->q, *rows = NULL;
  s->t = head->t;
  k->power = head->power;
  k->dissipated = head->dissipated;
  s->moved = head->moved;
  PL_TRY(take(j->env, &at, 3 * nq + (size_t)head->nhist, &q));
  *h = head->history;
  h->q1 = h->v1 = h->period = NULL;
  if (head->has_q1) PL_TRY(take(j->env, &at, nq, &h->q1));
  if (head->has_v1) PL_TRY(take(j->env, &at, nq, &h->v1));
  if (head->has_period) PL_TRY(take(j->env, &at, nq * (size_t)h->nsample, &h->period));
  if (head->nframe) {
    k->cap = j->scene->output.frames + 1;
    if (head->nframe > k->cap) k->cap = head->nframe;
    k->time = pl_alloc(j->env, (size_t)k->cap, sizeof(double));
    k->qv = pl_alloc(j->env, (size_t)k->cap * 2 * nq, sizeof(double));
    if (!k->time || !k->qv) return PL_E_NOMEM;
    PL_TRY(take(j->env, &at, (size_t)head->nframe, &k->time));
    PL_TRY(take(j->env, &at, (size_t)head->nframe * 2 * nq, &k->qv));
    k->n = head->nframe;
  }
  PL_TRY(take(j->env, &at, (size_t)head->rows * (size_t)head->cols, &rows));
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < head->rows; i++)
    st = pl_table_row(table, rows + (size_t)i * (size_t)head->cols);
  pl_free(j->env, rows);
  if (st != PL_OK || !k->contact) return st;
  double *touch = NULL;
  PL_TRY(take(j->env, &at, TOUCH * (size_t)head->npair + 1, &touch));
  take_touches(k->contact, s, touch);
  pl_free(j->env, touch);
  return PL_OK;
}

pl_status checkpoint_read(const job *j, const char *path, const pl_transient_opts *o, pl_state *s,
                          pl_history *h, kept *k, pl_table *table, int *found) {
  *found = 0;
  if (access(path, F_OK) != 0) return PL_OK;
  char *data;
  size_t size;
  PL_TRY(pl_file_read(j->env, path, 0, &data, &size));
  header want = make_header(j, o, s, h, k, table), head;
  pl_status st = PL_OK;
  int fits = size >= sizeof head;
  if (fits) {
    memcpy(&head, data, sizeof head);
    fits = memcmp(head.magic, magic, sizeof magic) == 0 && head.nq == want.nq &&
           head.nhist == want.nhist && head.model == want.model && head.options == want.options &&
           head.cols == want.cols && head.npair == want.npair &&
           head.steps_per_period == want.steps_per_period && head.opt_step == want.opt_step &&
           head.frequency == want.frequency && head.rows >= 0 && head.nframe >= 0 &&
           head.history.nsample >= 0 && size == sizeof head + body_size(&head);
  }
  if (!fits)
    st = pl_fail_at(j->env, PL_E_INPUT, path, 0, 0, "run without --resume, or into another folder",
                    "the checkpoint belongs to another scene or other options, or is damaged");
  if (st == PL_OK) st = unpack(j, &head, data + sizeof head, s, h, k, table);
  if (st == PL_OK) *found = 1;
  pl_free(j->env, data);
  return st;
}

// ---- designs ----------------------------------------------------------------------------------

static const char design_magic[8] = {'p', 'l', 'i', 'a', 'n', 't', 'd', '1'};

typedef struct design_header {
  char magic[8];
  uint64_t model, plan;
  int nint, nreal;
} design_header;

// variables, operating points and objectives, and options but for those that say how long to go on
static uint64_t plan_print(const job *j, const pl_design_plan *plan, const pl_optimise_opts *o) {
  const pl_design_problem *p = &plan->problem;
  int dim = j->scene->dim;
  uint64_t h = 0xcbf29ce484222325u;
  for (int k = 0; k < p->nvariable; k++) {
    const pl_variable *v = &p->variable[k];
    int what[3] = {(int)v->kind, v->index, (int)v->scale};
    h = hash(h, what, sizeof what);
    h = hash(h, &v->min, sizeof v->min);
    h = hash(h, &v->max, sizeof v->max);
    if (v->kind != PL_VARIABLE_DESIGN) continue;
    const pl_design_desc *d = pl_model_design(j->scene->model, v->index);
    h = hash(h, &d->min, sizeof d->min);
    h = hash(h, &d->max, sizeof d->max);
  }
  for (int k = 0; k < p->npoint; k++) h = hash(h, &p->point[k].omega, sizeof(double));
  for (int k = 0; k < p->nobjective; k++) {
    const pl_objective *b = &p->objective[k];
    int what[7] = {(int)b->kind, b->point, b->mask, (int)b->goal, b->nharm, b->means, b->phases};
    double value[6] = {b->weight, b->target, b->sharpness, b->from, b->to, b->exponent};
    size_t n = b->coef ? (size_t)(b->nnode * dim * (2 * b->nharm + 1)) : 0;
    h = hash(h, what, sizeof what);
    h = hash(h, value, sizeof value);
    h = hash(h, b->node, (size_t)b->nnode * sizeof(int));
    h = hash(h, b->coef, n * sizeof(double));
  }
  for (int k = 0; k < pl_optimise_info_count; k++) {
    const pl_opt_info *i = &pl_optimise_info_table[k];
    if (strcmp(i->name, "max_iter") == 0 || strcmp(i->name, "max_eval") == 0) continue;
    h = hash(h, (const char *)o + i->offset, i->type == PL_OPT_REAL ? sizeof(double) : sizeof(int));
  }
  return h;
}

uint64_t design_print(const job *j) {
  return model_print(j);
}

pl_status design_checkpoint_write(const job *j, const char *path, uint64_t model,
                                  const pl_design_plan *plan, const pl_optimise_opts *o,
                                  const pl_design_state *s) {
  design_header head;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, design_magic, sizeof design_magic);
  head.model = model;
  head.plan = plan_print(j, plan, o);
  head.nint = s->nint;
  head.nreal = s->nreal;
  pl_text out;
  pl_text_init(&out, j->env);
  pl_text_put(&out, (const char *)&head, sizeof head);
  put(&out, s->reals, (size_t)s->nreal);
  pl_text_put(&out, (const char *)s->ints, (size_t)s->nint * sizeof(int));
  pl_status st = out.failed ? PL_E_NOMEM : pl_file_write(j->env, path, out.s, out.n);
  pl_text_free(&out);
  return st;
}

static pl_status unpack_design(pl_env *env, const design_header *h, const char *at,
                               pl_design_state **out) {
  pl_design_state *s = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  *s = (pl_design_state){.env = env, .nint = h->nint, .nreal = h->nreal};
  s->ints = pl_alloc(env, (size_t)h->nint, sizeof(int));
  s->reals = pl_alloc(env, (size_t)h->nreal, sizeof(double));
  if (!s->ints || !s->reals) {
    pl_design_state_free(s);
    return PL_E_NOMEM;
  }
  memcpy(s->reals, at, (size_t)h->nreal * sizeof(double));
  memcpy(s->ints, at + (size_t)h->nreal * sizeof(double), (size_t)h->nint * sizeof(int));
  *out = s;
  return PL_OK;
}

pl_status design_checkpoint_read(const job *j, const char *path, uint64_t model,
                                 const pl_design_plan *plan, const pl_optimise_opts *o,
                                 pl_design_state **out) {
  *out = NULL;
  if (access(path, F_OK) != 0) return PL_OK;
  char *data;
  size_t size;
  PL_TRY(pl_file_read(j->env, path, 0, &data, &size));
  design_header head;
  pl_status st = PL_OK;
  int fits = size >= sizeof head;
  if (fits) {
    memcpy(&head, data, sizeof head);
    fits =
        memcmp(head.magic, design_magic, sizeof design_magic) == 0 && head.model == model &&
        head.plan == plan_print(j, plan, o) && head.nint >= 0 && head.nreal >= 0 &&
        size == sizeof head + (size_t)head.nint * sizeof(int) + (size_t)head.nreal * sizeof(double);
  }
  if (!fits)
    st = pl_fail_at(j->env, PL_E_INPUT, path, 0, 0, "run without --resume, or into another folder",
                    "the checkpoint belongs to another scene or other options, or is damaged");
  if (st == PL_OK) st = unpack_design(j->env, &head, data + sizeof head, out);
  pl_free(j->env, data);
  return st;
}
