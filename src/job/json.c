// Jansson drops what it has no memory for and goes on. Here its allocations are tracked, so that a
// summary with keys missing is never written. Its hooks belong to the process and serve all
// threads; each thread has its own mark.
#include "job_impl.h"

#include <stdlib.h>

static _Thread_local int failed;

static void *tracked_malloc(size_t size) {
  void *p = malloc(size);
  if (!p) failed = 1;
  return p;
}

void json_errors_begin(void) {
  json_malloc_t now;
  json_free_t release;
  json_get_alloc_funcs(&now, &release);
  // a host with an allocator of its own keeps it
  if (now == malloc) json_set_alloc_funcs(tracked_malloc, release);
  failed = 0;
}

int json_errors_failed(void) {
  return failed;
}
