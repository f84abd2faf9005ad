// More about files below a folder, for operations that deal with them.
#ifndef FILES_H
#define FILES_H

#include "studio_impl.h"

// Could a file below the folder be called so?
int path_good(const char *path);
int file_exists(studio *s, const char *path);
// "scene", "mesh" or "data", by the ending of the name; NULL: not of interest.
const char *file_kind(const char *path);
// Random bytes that nobody can foresee; 0: there are none.
int secret_bytes(void *out, size_t n);

#endif
