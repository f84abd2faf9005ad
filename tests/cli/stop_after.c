// Preloaded: the process sends itself the signal STOP_SIGNAL once it has written STOP_AFTER
// checkpoints, which it does by giving them their names.
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

int rename(const char *from, const char *to) {
  static atomic_long count;
  int (*next)(const char *, const char *) =
      (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  int failed = next(from, to);
  const char *after = getenv("STOP_AFTER"), *sig = getenv("STOP_SIGNAL");
  if (!failed && after && sig && ends_with(to, ".checkpoint") &&
      atomic_fetch_add(&count, 1) + 1 == atol(after))
    kill(getpid(), atoi(sig));
  return failed;
}
