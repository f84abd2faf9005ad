// Preloaded: the allocation number FAIL_AT of the process fails, FAIL_COUNT names a file for their
// count. libfyaml's input falls by itself where it gets no memory: it is left alone.
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long count;

static int is_spared(const void *caller) {
  Dl_info i;
  return dladdr(caller, &i) && i.dli_sname && strncmp(i.dli_sname, "fy_input", 8) == 0;
}

static int fails(const void *caller) {
  static long at = -2;
  if (at == -2) at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : -1;
  if (atomic_fetch_add(&count, 1) != at || is_spared(caller)) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

__attribute__((destructor)) static void emit(void) {
  const char *path = getenv("FAIL_COUNT");
  FILE *f = path ? fopen(path, "w") : NULL;
  if (!f) return;
  fprintf(f, "%ld\n", (long)count);
  fclose(f);
}
