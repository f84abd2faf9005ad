// A transient's checkpoint: magic, sizes, then raw doubles of this machine. It holds all that is
// needed to go on as if there had been no stop: state, stepper history, recorded rows and frames.
#include "job_impl.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = {'p', 'l', 'i', 'a', 'n', 't', 'c', '1'};

typedef struct header {
  char magic[8];
  int nq, nnode3, method, steps_per_period;
  int nframe, rows, cols, has_q1, has_v1, has_period;
  double t, opt_step, frequency, power, dissipated;
  pl_history history; // its pointers mean nothing here
} header;

static header make_header(const job *j, const pl_transient_opts *o, const pl_state *s,
                          const pl_history *h, const kept *k, const pl_table *t) {
  header head;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, magic, sizeof magic);
  head.nq = s->nq;
  head.nnode3 = 3 * pl_model_nnode(j->scene->model);
  head.method = o->method;
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
  if (k->n) put(&out, k->x, (size_t)k->n * (size_t)head.nnode3);
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
  n += (size_t)h->nframe * (1 + (size_t)h->nnode3) + (size_t)h->rows * (size_t)h->cols;
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
    PL_TRY(take(j->env, &at, (size_t)head->nframe, &k->time));
    PL_TRY(take(j->env, &at, (size_t)head->nframe * (size_t)head->nnode3, &k->x));
    k->n = k->cap = head->nframe;
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
           head.nnode3 == want.nnode3 && head.method == want.method && head.cols == want.cols &&
           head.steps_per_period == want.steps_per_period && head.opt_step == want.opt_step &&
           head.frequency == want.frequency && head.rows >= 0 && head.nframe >= 0 &&
           head.history.nsample >= 0 && size == sizeof head + body_size(&head);
  }
  if (!fits)
    st = pl_fail_at(j->env, PL_E_INPUT, path, 0, 0, "run without --resume, or into another folder",
                    "the checkpoint belongs to another scene, or is damaged");
  if (st == PL_OK) st = unpack(j, &head, data + sizeof head, s, h, k, table);
  if (st == PL_OK) *found = 1;
  pl_free(j->env, data);
  return st;
}
