// Arrays behind URLs: /data/START/NUMBER, where START tells this server from earlier ones.
#include "studio_impl.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_MAX = 4, GROUP = 48 };

typedef struct entry {
  blob b; // first: a blob is its entry
  int refs;
  unsigned long number;
  char group[GROUP];
} entry;

struct store {
  pthread_mutex_t lock;
  entry **all; // by number
  size_t n, cap, bytes;
  unsigned long next;
  char start[9];
};

static const struct {
  const char *name;
  size_t size;
} types[] = {{"f32", 4}, {"i32", 4}, {"u8", 1}};

pl_status data_create(studio *s) {
  s->store = pl_alloc(&s->host, 1, sizeof *s->store);
  if (!s->store) return PL_E_NOMEM;
  pthread_mutex_init(&s->store->lock, NULL);
  s->store->next = 1;
  // the nonce is no secret among those who may fetch data
  snprintf(s->store->start, sizeof s->store->start, "%.8s", s->nonce);
  return PL_OK;
}

// with the lock
static void release(struct store *d, entry *e) {
  if (--e->refs > 0) return;
  d->bytes -= e->b.n;
  free(e->b.bytes);
  free(e);
}

void data_free(studio *s) {
  struct store *d = s->store;
  if (!d) return;
  for (size_t k = 0; k < d->n; k++) release(d, d->all[k]);
  free(d->all);
  pthread_mutex_destroy(&d->lock);
  pl_free(&s->host, d);
  s->store = NULL;
}

static int add(struct store *d, entry *e) {
  if (d->n == d->cap) {
    size_t cap = d->cap ? 2 * d->cap : 64;
    entry **more = realloc(d->all, cap * sizeof *more);
    if (!more) return 0;
    d->all = more;
    d->cap = cap;
  }
  e->number = d->next++;
  d->all[d->n++] = e;
  d->bytes += e->b.n;
  return 1;
}

// takes the bytes
static json_t *keep(studio *s, const char *group, data_type type, unsigned char *bytes, size_t n,
                    int rank, const size_t *shape) {
  struct store *d = s->store;
  entry *e = calloc(1, sizeof *e);
  if (e) {
    e->b = (blob){n, "application/octet-stream", bytes};
    e->refs = 1;
    snprintf(e->group, sizeof e->group, "%s", group);
  }
  pthread_mutex_lock(&d->lock);
  int ok = e && add(d, e);
  unsigned long number = ok ? e->number : 0;
  pthread_mutex_unlock(&d->lock);
  if (!ok) {
    free(bytes);
    free(e);
    return NULL;
  }
  char url[64];
  snprintf(url, sizeof url, "/data/%s/%lu", d->start, number);
  json_t *sides = json_array();
  for (int k = 0; k < rank; k++) json_array_append_new(sides, json_integer((json_int_t)shape[k]));
  return json_pack("{s:s, s:s, s:o}", "url", url, "type", types[type].name, "shape", sides);
}

// bytes of an array, 0: too many
static int array_size(size_t one, int rank, const size_t *shape, size_t *out) {
  *out = one;
  if (rank < 1 || rank > RANK_MAX) return 0;
  for (int k = 0; k < rank; k++)
    if (pl_mul_size(*out, shape[k], out)) return 0;
  return 1;
}

json_t *data_keep(studio *s, const char *group, data_type type, const void *values, int rank,
                  const size_t *shape) {
  size_t n;
  if (!array_size(types[type].size, rank, shape, &n)) return NULL;
  unsigned char *bytes = malloc(n + 1);
  if (!bytes) return NULL;
  if (n) memcpy(bytes, values, n);
  return keep(s, group, type, bytes, n, rank, shape);
}

json_t *data_keep_real(studio *s, const char *group, const double *values, int rank,
                       const size_t *shape) {
  size_t n, size;
  if (!array_size(1, rank, shape, &n) || pl_mul_size(n, sizeof(float), &size)) return NULL;
  float *f = malloc(size + 1);
  if (!f) return NULL;
  // beyond a float's range a cast is undefined
  for (size_t k = 0; k < n; k++)
    f[k] = fabs(values[k]) > FLT_MAX ? (values[k] > 0 ? INFINITY : -INFINITY) : (float)values[k];
  return keep(s, group, DATA_F32, (unsigned char *)f, size, rank, shape);
}

void data_drop(studio *s, const char *group) {
  struct store *d = s->store;
  size_t left = 0;
  pthread_mutex_lock(&d->lock);
  for (size_t k = 0; k < d->n; k++) {
    if (strcmp(d->all[k]->group, group) == 0)
      release(d, d->all[k]);
    else
      d->all[left++] = d->all[k];
  }
  d->n = left;
  pthread_mutex_unlock(&d->lock);
}

const blob *data_find(studio *s, const char *url) {
  struct store *d = s->store;
  char prefix[32], *end;
  int n = snprintf(prefix, sizeof prefix, "/data/%s/", d->start);
  if (strncmp(url, prefix, (size_t)n) != 0 || url[n] < '1' || url[n] > '9') return NULL;
  unsigned long number = strtoul(url + n, &end, 10);
  if (*end) return NULL;
  entry *found = NULL;
  pthread_mutex_lock(&d->lock);
  for (size_t lo = 0, hi = d->n; lo < hi && !found;) {
    size_t mid = lo + (hi - lo) / 2;
    if (d->all[mid]->number == number)
      found = d->all[mid];
    else if (d->all[mid]->number < number)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (found) found->refs++;
  pthread_mutex_unlock(&d->lock);
  return found ? &found->b : NULL;
}

void data_release(studio *s, const blob *b) {
  if (!b) return;
  pthread_mutex_lock(&s->store->lock);
  release(s->store, (entry *)b);
  pthread_mutex_unlock(&s->store->lock);
}

size_t data_bytes(studio *s) {
  pthread_mutex_lock(&s->store->lock);
  size_t n = s->store->bytes;
  pthread_mutex_unlock(&s->store->lock);
  return n;
}
