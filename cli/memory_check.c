// OpenBLAS takes memory while the program is loaded and tries forever where it gets none. This
// looks first: functions of .preinit_array run before those of libraries.
#include "cli.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const size_t BASE = (size_t)200 << 20, A_THREAD = (size_t)60 << 20; // bytes that it wants

static int fits(long nthread) {
  size_t size = BASE + (size_t)nthread * A_THREAD;
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return 0;
  munmap(p, size);
  return 1;
}

static void check_memory(int argc, char **argv, char **envp) {
  static const char text[] =
      "pliant: error: out of memory: the limit of address space leaves linear algebra no room\n"
      "  hint: allow at least 400 MB, e.g. ulimit -v 400000\n";
  struct rlimit limit;
  (void)argc, (void)argv, (void)envp;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (fits(sysconf(_SC_NPROCESSORS_ONLN))) return;
  if (fits(1)) {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    return;
  }
  ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
  (void)n;
  _exit(CODE_INTERNAL);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = check_memory;
