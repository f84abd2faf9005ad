#include "pliant/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int pl_mul_size(size_t a, size_t b, size_t *out) {
  return __builtin_mul_overflow(a, b, out);
}

int pl_memory_available(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return 0;
  munmap(p, bytes);
  return 1;
}

static void *plain_realloc(void *ctx, void *old, size_t size) {
  (void)ctx;
  if (size == 0) {
    free(old);
    return NULL;
  }
  return realloc(old, size);
}

void pl_env_init(pl_env *env) {
  memset(env, 0, sizeof *env);
  env->alloc = plain_realloc;
}

// Large pieces in large pages: fewer of them to be found again, and to be asked for, which threads
// do one after another.
static void use_large_pages(void *p, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const size_t page = (size_t)2 << 20, many = 8 * page;
  size_t skip = (page - (size_t)p % page) % page;
  if (p && bytes >= many) madvise((char *)p + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
#else
  (void)p, (void)bytes;
#endif
}

// zeroed: where the memory is the system's own, large pieces come so, page by page as they are used
static void *allocate(pl_env *env, void *old, size_t count, size_t size, int zeroed) {
  size_t bytes;
  if (pl_mul_size(count, size, &bytes)) {
    pl_fail(env, PL_E_NOMEM, "size overflow: %zu items of %zu bytes", count, size);
    return NULL;
  }
  // states of one model may be made in several threads
  __atomic_fetch_add(&env->nalloc, 1, __ATOMIC_RELAXED);
  int own = zeroed && env->alloc == plain_realloc;
  void *p = own ? calloc(bytes ? bytes : 1, 1) : env->alloc(env->alloc_ctx, old, bytes ? bytes : 1);
  if (!p) pl_fail(env, PL_E_NOMEM, "out of memory: %zu bytes", bytes);
  if (env->alloc == plain_realloc) use_large_pages(p, bytes);
  if (p && zeroed && !own) memset(p, 0, bytes);
  return p;
}

void *pl_realloc(pl_env *env, void *old, size_t count, size_t size) {
  return allocate(env, old, count, size, 0);
}

void *pl_alloc(pl_env *env, size_t count, size_t size) {
  return allocate(env, NULL, count, size, 1);
}

void pl_free(pl_env *env, void *p) {
  if (p) env->alloc(env->alloc_ctx, p, 0);
}

char *pl_strdup(pl_env *env, const char *s) {
  size_t n = strlen(s) + 1;
  char *copy = pl_alloc(env, n, 1);
  if (copy) memcpy(copy, s, n);
  return copy;
}

pl_status pl_grow(pl_env *env, void *ptr, int n, int *cap, size_t size) {
  if (n < *cap) return PL_OK;
  if (*cap > (1 << 29)) return pl_fail(env, PL_E_NOMEM, "an array would pass %d entries", *cap);
  int want = *cap ? 2 * *cap : 16;
  void *old;
  memcpy(&old, ptr, sizeof old);
  void *grown = pl_realloc(env, old, (size_t)want, size);
  if (!grown) return PL_E_NOMEM;
  memcpy(ptr, &grown, sizeof grown);
  *cap = want;
  return PL_OK;
}

// ---- arena ------------------------------------------------------------------------------------

enum { ALIGN = 64 };

typedef struct chunk {
  struct chunk *prev;
  size_t size, used;
  char *data; // aligned, inside this allocation
} chunk;

struct pl_arena {
  pl_env *env;
  chunk *top;
  chunk *spare; // the largest one released, kept so that a loop stops allocating
  size_t next;  // size of the next chunk
};

static chunk *chunk_create(pl_env *env, size_t size, chunk *prev) {
  chunk *c = pl_realloc(env, NULL, sizeof *c + size + ALIGN, 1);
  if (!c) return NULL;
  uintptr_t at = ((uintptr_t)(c + 1) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
  *c = (chunk){.prev = prev, .size = size, .data = (char *)at};
  return c;
}

pl_status pl_arena_create(pl_env *env, size_t first, pl_arena **out) {
  *out = NULL;
  pl_arena *a = pl_alloc(env, 1, sizeof *a);
  if (!a) return PL_E_NOMEM;
  a->env = env;
  a->next = first > 4096 ? first : 4096;
  a->top = chunk_create(env, a->next, NULL);
  if (!a->top) {
    pl_free(env, a);
    return PL_E_NOMEM;
  }
  *out = a;
  return PL_OK;
}

void pl_arena_free(pl_arena *a) {
  if (!a) return;
  for (chunk *c = a->top; c;) {
    chunk *prev = c->prev;
    pl_free(a->env, c);
    c = prev;
  }
  pl_free(a->env, a->spare);
  pl_free(a->env, a);
}

// A chunk on top with room for so many bytes: the spare one, or a new one.
static int arena_extend(pl_arena *a, size_t bytes) {
  chunk *c = a->spare;
  if (c && c->size >= bytes) {
    a->spare = NULL;
    c->prev = a->top;
    c->used = 0;
  } else {
    while (a->next < bytes) a->next *= 2;
    a->next *= 2;
    c = chunk_create(a->env, a->next, a->top);
    if (!c) return 0;
  }
  a->top = c;
  return 1;
}

void *pl_arena_alloc(pl_arena *a, size_t count, size_t size) {
  size_t bytes;
  if (pl_mul_size(count, size, &bytes) || bytes > SIZE_MAX / 4) {
    pl_fail(a->env, PL_E_NOMEM, "size overflow: %zu items of %zu bytes", count, size);
    return NULL;
  }
  bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  if (a->top->used + bytes > a->top->size && !arena_extend(a, bytes)) return NULL;
  void *p = a->top->data + a->top->used;
  a->top->used += bytes;
  return p;
}

pl_arena_mark pl_arena_save(const pl_arena *a) {
  return (pl_arena_mark){.chunk = a->top, .used = a->top->used};
}

void pl_arena_release(pl_arena *a, pl_arena_mark mark) {
  while (a->top != mark.chunk) {
    chunk *c = a->top;
    a->top = c->prev;
    int larger = !a->spare || c->size > a->spare->size;
    pl_free(a->env, larger ? a->spare : c);
    if (larger) a->spare = c;
  }
  a->top->used = mark.used;
}
