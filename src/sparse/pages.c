// Memory that threads write for the first time. Those that meet on one large page would each have
// the kernel clear it, so that they take whole ones.
#include "sparse_impl.h"

#include <string.h>

enum { PAGE = 1 << 18 }; // numbers

// of a page that come before `x`
static size_t page_offset(const double *x) {
  return (uintptr_t)x / sizeof *x % PAGE;
}

int pl_pages(const double *x, size_t n) {
  return n ? (int)((page_offset(x) + n + PAGE - 1) / PAGE) : 0;
}

void pl_page_clear(double *x, size_t n, int i) {
  size_t before = page_offset(x), end = (size_t)(i + 1) * PAGE - before;
  size_t first = i ? (size_t)i * PAGE - before : 0;
  memset(x + first, 0, ((end < n ? end : n) - first) * sizeof *x);
}

typedef struct clearing {
  double *x;
  size_t n;
} clearing;

static void clear_page(void *ctx, int i, int thread) {
  const clearing *c = ctx;
  (void)thread;
  pl_page_clear(c->x, c->n, i);
}

void pl_pages_clear(pl_threads *threads, double *x, size_t n) {
  clearing c = {x, n};
  pl_threads_run(threads, pl_pages(x, n), clear_page, &c);
}
