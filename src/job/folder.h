#ifndef FOLDER_H
#define FOLDER_H

#include "pliant/job.h"

// A result folder that a run writes into.
typedef struct pl_folder {
  pl_env *env;
  const char *path;
  int fd; // of the list of files, which is locked
  int n, cap;
  char **name;      // [n] files that this run and those it goes on with have written
  int ended;        // 1: the earlier run came to its end
  pl_status status; // of the list
  // the host's, called as well
  void (*file)(void *ctx, const char *path);
  void *ctx;
} folder;

// Makes the folder and takes it for this run alone; files that env writes into it are noted from
// here on. PL_E_IO: another run has it, or it cannot be written.
pl_status folder_open(pl_env *env, const char *path, folder *f);
// Removes all files of the list, those of the earlier run, and nothing else.
pl_status folder_clear(folder *f);
// Goes on with the earlier run: its files belong to this one.
pl_status folder_continue(folder *f);
// Removes a file of this run.
void folder_remove(folder *f, const char *path);
// Gives the folder free. ended: the run came to its end.
pl_status folder_close(folder *f, int ended);

#endif
