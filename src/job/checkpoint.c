#include "checkpoint.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = {'p', 'l', 'i', 'a', 'n', 't', 'c', 'p'};

enum { VERSION = 13, ORDER = 0x01020304 };
static const double SMALL_PART = 0.05; // of the time that writing may take

// raw numbers of this machine; no padding
typedef struct header {
  char magic[8];
  uint32_t version, order; // of bytes
  char kind[24];
  uint64_t scene, model, analysis; // fingerprints
  uint64_t size;                   // of what follows
  uint64_t sum;                    // of all, with 0 in its place
} header;

static header make_header(const job *j, const pl_analysis *a) {
  header h;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, magic, sizeof magic);
  h.version = VERSION;
  h.order = ORDER;
  strncpy(h.kind, pl_analysis_table[a->kind].name, sizeof h.kind - 1);
  h.scene = j->scene_hash;
  h.model = j->model_hash;
  h.analysis = hash_analysis(j, a);
  return h;
}

static uint64_t checksum(header h, const char *body) {
  h.sum = 0;
  return pl_hash(pl_hash(0, &h, sizeof h), body, h.size);
}

static const char *path_of(const job *j, const pl_analysis *a, char path[PL_TEXT]) {
  return job_path(j, a->name, ".checkpoint", path);
}

// ---- writing ------------------------------------------------------------------------------------

void checkpoint_begin(const job *j, const pl_analysis *a, checkpoint *c) {
  *c = (checkpoint){.j = j, .a = a};
  header h = make_header(j, a);
  pl_text_init(&c->out, j->env);
  pl_text_put(&c->out, (const char *)&h, sizeof h);
}

void checkpoint_put(checkpoint *c, const void *data, size_t count, size_t size) {
  if (count > 0) pl_text_put(&c->out, data, count * size);
}

pl_status checkpoint_end(checkpoint *c) {
  char path[PL_TEXT];
  header h;
  double start = pl_wall_time();
  pl_status s = c->out.failed ? PL_E_NOMEM : PL_OK;
  if (s == PL_OK && c->j->opts->folder) {
    memcpy(&h, c->out.s, sizeof h);
    h.size = c->out.n - sizeof h;
    h.sum = checksum(h, c->out.s + sizeof h);
    memcpy(c->out.s, &h, sizeof h);
    s = pl_file_save(c->j->env, path_of(c->j, c->a, path), c->out.s, c->out.n);
  }
  pl_text_free(&c->out);
  c->j->pace->written = pl_wall_time();
  c->j->pace->seconds = c->j->pace->written - start;
  return s;
}

int checkpoint_due(const job *j) {
  if (!j->opts->folder) return 0;
  double every = j->opts->checkpoint > 0 ? j->opts->checkpoint : PL_JOB_CHECKPOINT;
  // negative: whenever it can be
  if (j->opts->checkpoint < 0) return 1;
  if (j->pace->seconds > SMALL_PART * every) every = j->pace->seconds / SMALL_PART;
  return pl_wall_time() - j->pace->written >= every;
}

// ---- reading ------------------------------------------------------------------------------------

static pl_status refuse(const job *j, const char *path, const char *why) {
  return pl_fail_at(j->env, PL_E_INPUT, path, 0, 0,
                    "run without --resume, or into another folder; nothing was changed", "%s", why);
}

// what stands against going on, NULL: nothing
static const char *fault(const checkpoint *c, int early) {
  header want = make_header(c->j, c->a), h;
  if (c->size < sizeof h) return "the checkpoint is damaged: it is too short";
  memcpy(&h, c->data, sizeof h);
  if (memcmp(h.magic, magic, sizeof magic) != 0)
    return "this is no checkpoint, or one of an earlier version of pliant, or it is damaged";
  if (h.version != VERSION || h.order != ORDER)
    return "the checkpoint is of another version of pliant or another machine, or damaged";
  if (h.size != c->size - sizeof h)
    return "the checkpoint is damaged: it is not as long as it was written";
  if (h.sum != checksum(h, c->data + sizeof h))
    return "the checkpoint is damaged: its checksum is wrong";
  if (memcmp(h.kind, want.kind, sizeof h.kind) != 0)
    return "the checkpoint belongs to an analysis of another kind";
  if (h.scene != want.scene) return "the checkpoint belongs to another scene: its model differs";
  if (h.analysis != want.analysis) return "the checkpoint belongs to other options of the analysis";
  // what analyses before it find belongs to the model, too
  if (!early && h.model != want.model)
    return "the checkpoint belongs to other values of the model than those found before it";
  return NULL;
}

static pl_status load(const job *j, const pl_analysis *a, int early, checkpoint *c, int *found) {
  char path[PL_TEXT];
  *c = (checkpoint){.j = j, .a = a};
  *found = 0;
  if (!j->opts->resume || access(path_of(j, a, path), F_OK) != 0) return PL_OK;
  PL_TRY(pl_file_read(j->env, path, 0, &c->data, &c->size));
  const char *why = fault(c, early);
  if (why) {
    pl_free(j->env, c->data);
    return refuse(j, path, why);
  }
  c->at = sizeof(header);
  *found = 1;
  return PL_OK;
}

pl_status checkpoint_open(const job *j, const pl_analysis *a, checkpoint *c, int *found) {
  return load(j, a, 0, c, found);
}

static pl_status misfit(const checkpoint *c) {
  char path[PL_TEXT];
  return refuse(c->j, path_of(c->j, c->a, path),
                "the checkpoint does not fit the analysis: it holds more or less than it should");
}

pl_status checkpoint_read(checkpoint *c, void *to, size_t count, size_t size) {
  size_t bytes;
  if (pl_mul_size(count, size, &bytes) || bytes > c->size - c->at) return misfit(c);
  if (bytes > 0) memcpy(to, c->data + c->at, bytes);
  c->at += bytes;
  return PL_OK;
}

pl_status checkpoint_read_new(checkpoint *c, size_t count, size_t size, void *out) {
  size_t bytes;
  void *to = NULL;
  memcpy(out, &to, sizeof to);
  // memory is asked for only when the file has as much
  if (pl_mul_size(count, size, &bytes) || bytes > c->size - c->at) return misfit(c);
  to = pl_alloc(c->j->env, count, size);
  if (!to) return PL_E_NOMEM;
  memcpy(out, &to, sizeof to);
  return checkpoint_read(c, to, count, size);
}

long checkpoint_count(double x) {
  return (long)fmin(fmax(x, 0), 1e12);
}

pl_status checkpoint_close(checkpoint *c, pl_status status) {
  if (status == PL_OK && c->at != c->size) status = misfit(c);
  pl_free(c->j->env, c->data);
  c->data = NULL;
  return status;
}

void checkpoint_remove(const job *j, const pl_analysis *a) {
  char path[PL_TEXT];
  if (j->opts->folder) folder_remove(j->folder, path_of(j, a, path));
}

pl_status checkpoint_check(const job *j, const pl_analysis *a) {
  checkpoint c;
  int found;
  PL_TRY(load(j, a, 1, &c, &found));
  if (found) pl_free(j->env, c.data);
  return PL_OK;
}

// ---- plain numbers ------------------------------------------------------------------------------

pl_status checkpoint_write_numbers(const job *j, const pl_analysis *a, size_t n, const double *x) {
  checkpoint c;
  checkpoint_begin(j, a, &c);
  checkpoint_put(&c, &n, 1, sizeof n);
  checkpoint_put(&c, x, n, sizeof *x);
  return checkpoint_end(&c);
}

pl_status checkpoint_read_numbers(const job *j, const pl_analysis *a, double **x, size_t *n) {
  checkpoint c;
  int found;
  *x = NULL;
  *n = 0;
  PL_TRY(checkpoint_open(j, a, &c, &found));
  if (!found) return PL_OK;
  pl_status st = checkpoint_read(&c, n, 1, sizeof *n);
  if (st == PL_OK) st = checkpoint_read_new(&c, *n, sizeof **x, x);
  st = checkpoint_close(&c, st);
  if (st == PL_OK) return PL_OK;
  pl_free(j->env, *x);
  *x = NULL;
  return st;
}

static pl_status keep_step(void *ctx, size_t n, const double *x) {
  step_keeper *k = ctx;
  double *capacity = pl_realloc(k->j->env, k->x, n, sizeof *x);
  if (!capacity) return PL_E_NOMEM;
  memcpy(capacity, x, n * sizeof *x);
  k->x = capacity;
  k->n = n;
  return checkpoint_due(k->j) ? checkpoint_write_numbers(k->j, k->a, n, x) : PL_OK;
}

static pl_status tell_step(void *ctx, const pl_fit_step *s) {
  const step_keeper *k = ctx;
  const pl_iterate i = {.iteration = s->iteration,
                        .value = s->misfit,
                        .n = s->n,
                        .name = s->name,
                        .x = s->x,
                        .norbit = s->norbit,
                        .orbit = s->orbit,
                        .params = s->params};
  return job_iterate(k->j, k->a, &i) ? PL_CANCELLED : PL_OK;
}

pl_status step_keeper_open(const job *j, const pl_analysis *a, step_keeper *k) {
  *k = (step_keeper){.j = j, .a = a, .keeper = {.keep = keep_step, .ctx = k}};
  if (job_iterates(j)) k->keeper.tell = tell_step;
  PL_TRY(checkpoint_read_numbers(j, a, &k->from, &k->keeper.nfrom));
  k->keeper.from = k->from;
  return PL_OK;
}

pl_status step_keeper_close(step_keeper *k, pl_status status) {
  pl_status st = PL_OK;
  // what ended before its end can be gone on with
  int more = status == PL_CANCELLED || status == PL_UNSOLVED;
  if (more && k->x) st = checkpoint_write_numbers(k->j, k->a, k->n, k->x);
  pl_free(k->j->env, k->from);
  pl_free(k->j->env, k->x);
  return st < 0 ? st : status;
}
