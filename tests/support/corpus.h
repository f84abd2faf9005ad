#ifndef CORPUS_H
#define CORPUS_H

#include "check.h"

#include <dirent.h>
#include <stdio.h>

// Gives every file of a fuzzer's corpus to fn, each with an environment of its own, and checks that
// no memory of it is left.
static inline void corpus_replay(const char *name, int least,
                                 void (*fn)(pl_env *env, const char *data, size_t size)) {
  char folder[512];
  int n = 0;
  snprintf(folder, sizeof folder, SOURCE_DIR "/tests/fuzz/corpus/%s", name);
  DIR *dir = opendir(folder);
  if (!dir) fail_msg("no folder %s", folder);
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    char path[1024], *data;
    size_t size;
    pl_env env, inner;
    failing_alloc count;
    if (e->d_name[0] == '.') continue;
    pl_env_init(&env);
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    check_ok(&env, pl_file_read(&env, path, 0, &data, &size));
    pl_env_init(&inner);
    failing_alloc_install(&inner, &count, -1);
    fn(&inner, data, size);
    if (count.live != 0) fail_msg("%s: %ld blocks are left", path, count.live);
    pl_free(&env, data);
    n++;
  }
  closedir(dir);
  assert_true(n >= least);
}

#endif
