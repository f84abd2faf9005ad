// More about files below a folder, for operations that deal with them.
#ifndef FILES_H
#define FILES_H

#include "studio_impl.h"

// Could a file below the folder be called so?
int path_good(const char *path);
int file_exists(studio *s, const char *path);
// As file_read, from another folder.
int file_read_at(int root, const char *path, char **data, size_t *n, failure *f);
// A folder below another one, to be closed; -1 with the failure filled in.
int folder_open_at(int root, const char *path, failure *f);
// Random bytes that nobody can foresee; 0: there are none.
int secret_bytes(void *out, size_t n);

#endif
