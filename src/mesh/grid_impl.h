#ifndef GRID_IMPL_H
#define GRID_IMPL_H

#include "pliant/mesh.h"

// Writers of grids; what a format cannot hold was told before.
pl_status grid_write_vtu(const pl_grid *g, const char *path);
pl_status grid_write_inp(const pl_grid *g, const char *path);
pl_status grid_write_msh(const pl_grid *g, const char *path, const pl_grid_opts *o);

// Warns of a loss, with the path of the file.
void grid_lost(const pl_grid *g, const char *path, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

// Names of sets as a format has them: other[k] is that of set k, and the same for equal names.
typedef struct grid_names {
  char **other; // [nset]
} grid_names;
// odd(letter): 1 where it becomes '_'. same(a, b): 1 where the format takes two names for one; of
// different names that become the same the later ones get a number. Names beyond `most` bytes are
// cut. Changes are told.
pl_status grid_names_make(const pl_grid *g, const char *path, int (*odd)(char c), int any_case,
                          size_t most, grid_names *out);
void grid_names_free(const pl_grid *g, grid_names *n);

// First number of the cells of a type among all.
size_t grid_first(const pl_grid *g, int type);

#endif
