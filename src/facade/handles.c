// Handles: numbers of slots in one table, with the generation of what is in the slot.
#include "facade_impl.h"

#include "pliant/sparse.h"
#include "pliant/version.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_BITS = 24, INDEX_MASK = (1 << INDEX_BITS) - 1 };

typedef struct slot {
  object *o; // NULL: free
  uint32_t generation;
  int users; // readers; -1: one call has it alone
  int next;  // free slot after this one, -1: none
} slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static slot *table;
static int nslot, first_free = -1;
static int64_t live;

static const char *const kind_text[] = {[OBJECT_GIVEN] = "a mesh, an objective or a load",
                                        [OBJECT_SCENE] = "a scene",
                                        [OBJECT_RESULT] = "a result"};

// a free slot; -1: memory ended. Under the lock.
static int free_slot(void) {
  if (first_free < 0) {
    int more = nslot ? 2 * nslot : 64;
    if (more > INDEX_MASK) return -1;
    slot *grown = realloc(table, (size_t)more * sizeof *grown);
    if (!grown) return -1;
    table = grown;
    for (int k = more - 1; k >= nslot; k--) {
      table[k] = (slot){.generation = 1, .next = first_free};
      first_free = k;
    }
    nslot = more;
  }
  int k = first_free;
  first_free = table[k].next;
  return k;
}

int handle_put(object *o, int64_t *out) {
  pthread_mutex_lock(&lock);
  int k = free_slot();
  if (k >= 0) {
    table[k].o = o;
    table[k].users = 0;
    *out = (int64_t)table[k].generation << INDEX_BITS | (k + 1);
    live++;
  }
  pthread_mutex_unlock(&lock);
  if (k >= 0) return PL_FACADE_OK;
  *out = 0;
  o->free(o);
  return fail(PL_FACADE_NOMEM, NULL, "out of memory");
}

// the slot of a handle, NULL: there is none. Under the lock.
static slot *find(int64_t handle) {
  int64_t k = (handle & INDEX_MASK) - 1;
  if (handle <= 0 || k < 0 || k >= nslot) return NULL;
  slot *s = &table[k];
  return s->o && (int64_t)s->generation == handle >> INDEX_BITS ? s : NULL;
}

static int freed(void) {
  return fail(PL_FACADE_FREED, NULL, "it was freed before, or there never was such a thing");
}

static int busy(object_kind kind) {
  return fail(PL_FACADE_BUSY,
              "wait until that call returns, or open one of its own for each thread",
              "another call is using %s", kind == OBJECT_COUNT ? "it" : kind_text[kind]);
}

int handle_take(int64_t handle, object_kind kind, int whole, object **out) {
  pthread_mutex_lock(&lock);
  slot *s = find(handle);
  object_kind is = s ? s->o->kind : OBJECT_COUNT;
  int right = kind == OBJECT_COUNT || kind == is, free = s && (whole ? !s->users : s->users >= 0);
  if (s && right && free) {
    s->users = whole ? -1 : s->users + 1;
    *out = s->o;
  }
  pthread_mutex_unlock(&lock);
  if (!s) return freed();
  if (!right)
    return fail(PL_FACADE_KIND, NULL, "the handle is %s, not %s", kind_text[is], kind_text[kind]);
  return free ? PL_FACADE_OK : busy(is);
}

void handle_give(int64_t handle) {
  pthread_mutex_lock(&lock);
  slot *s = find(handle);
  if (s) s->users = s->users > 0 ? s->users - 1 : 0;
  pthread_mutex_unlock(&lock);
}

int pl_facade_free(int64_t handle) {
  object *o = NULL;
  pthread_mutex_lock(&lock);
  slot *s = find(handle);
  int used = s && s->users != 0;
  if (s && !used) {
    o = s->o;
    s->o = NULL;
    s->generation = s->generation < INT32_MAX ? s->generation + 1 : 1;
    s->next = first_free;
    first_free = (int)(s - table);
    live--;
  }
  pthread_mutex_unlock(&lock);
  if (!s) return freed();
  if (used) return busy(OBJECT_COUNT);
  o->free(o);
  return PL_FACADE_OK;
}

int64_t pl_facade_live(void) {
  pthread_mutex_lock(&lock);
  int64_t n = live;
  pthread_mutex_unlock(&lock);
  return n;
}

// ---- the library --------------------------------------------------------------------------------

int pl_facade_version(void) {
  return PL_FACADE_VERSION;
}

const char *pl_facade_release(void) {
  return pl_version();
}

const char *pl_facade_commit(void) {
  return pl_version_commit();
}

int64_t pl_facade_size(const char *name) {
  static const struct {
    const char *name;
    size_t size;
  } all[] = {{"pl_facade_message", sizeof(pl_facade_message)},
             {"pl_facade_array", sizeof(pl_facade_array)},
             {"pl_facade_hooks", sizeof(pl_facade_hooks)},
             {"pl_facade_item", sizeof(pl_facade_item)}};
  for (size_t k = 0; name && k < sizeof all / sizeof all[0]; k++)
    if (strcmp(all[k].name, name) == 0) return (int64_t)all[k].size;
  return 0;
}

const char *pl_facade_status_text(int status) {
  switch (status) {
  case PL_FACADE_FREED:
    return "freed";
  case PL_FACADE_KIND:
    return "wrong kind of handle";
  case PL_FACADE_BUSY:
    return "in use";
  default:
    return status >= PL_E_INTERNAL && status <= PL_UNSOLVED ? pl_status_text((pl_status)status)
                                                            : "unknown status";
  }
}

const char *pl_facade_blas(void) {
  return pl_blas_core();
}

const char *pl_facade_blas_wanted(void) {
  const char *core = pl_blas_core_wanted();
  return core ? core : "";
}
