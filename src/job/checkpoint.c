// A transient's checkpoint: magic, sizes, then raw doubles of this machine. It holds all that is
// needed to go on as if there had been no stop: state, stepper history, recorded rows and frames.
#include "job_impl.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = {'p', 'l', 'i', 'a', 'n', 't', 'c', '1'};

typedef struct header {
  char magic[8];
  int nq, steps_per_period;
  uint64_t model, options; // fingerprints
  int nframe, rows, cols, has_q1, has_v1, has_period;
  double t, opt_step, frequency, power, dissipated;
  pl_history history; // its pointers mean nothing here
} header;

// FNV-1a
static uint64_t hash(uint64_t h, const void *data, size_t size) {
  const unsigned char *p = data;
  for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * 0x100000001b3u;
  return h;
}

// all numbers that the model depends on
static uint64_t model_print(const job *j) {
  const pl_params *p = j->scene->params;
  uint64_t h = hash(0xcbf29ce484222325u, p->par, (size_t)p->npar * sizeof(double));
  h = hash(h, p->X, (size_t)p->nref * sizeof(double));
  h = hash(h, p->rest, (size_t)p->nrest * sizeof(double));
  return hash(h, p->M.val, (size_t)p->M.nnz * sizeof(double));
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
  head.model = model_print(j);
  head.options = options_print(o);
  head.steps_per_period = o->steps_per_period;
  head.nframe = k->n;
  head.rows = pl_table_rows(t);
  head.cols = pl_table_cols(t);
  head.has_q1 = h->q1 != NULL;
  head.has_v1 = h->v1 != NULL;
  head.has_period = h->period != NULL;
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

pl_status checkpoint_write(const job *j, const char *path, const pl_transient_opts *o,
                           const pl_state *s, const pl_history *h, const kept *k,
                           const pl_table *table) {
  header head = make_header(j, o, s, h, k, table);
  size_t nq = (size_t)s->nq;
  pl_text out;
  pl_text_init(&out, j->env);
  pl_text_put(&out, (const char *)&head, sizeof head);
  put(&out, s->q, 3 * nq);
  if (h->q1) put(&out, h->q1, nq);
  if (h->v1) put(&out, h->v1, nq);
  if (h->period) put(&out, h->period, nq * (size_t)h->nsample);
  if (k->n) put(&out, k->time, (size_t)k->n);
  if (k->n) put(&out, k->qv, (size_t)k->n * 2 * nq);
  put(&out, pl_table_data(table), (size_t)head.rows * (size_t)head.cols);
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
  size_t nq = (size_t)h->nq, n = 3 * nq;
  n += nq * ((size_t)(h->has_q1 != 0) + (size_t)(h->has_v1 != 0));
  if (h->has_period) n += nq * (size_t)h->history.nsample;
  n += (size_t)h->nframe * (1 + 2 * nq) + (size_t)h->rows * (size_t)h->cols;
  return n * sizeof(double);
}

static pl_status unpack(const job *j, const header *head, const char *at, pl_state *s,
                        pl_history *h, kept *k, pl_table *table) {
  size_t nq = (size_t)head->nq;
  double *q = s->q, *rows = NULL;
  s->t = head->t;
  k->power = head->power;
  k->dissipated = head->dissipated;
  PL_TRY(take(j->env, &at, 3 * nq, &q));
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
  return st;
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
           head.model == want.model && head.options == want.options && head.cols == want.cols &&
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
