#ifndef NPZ_IMPL_H
#define NPZ_IMPL_H

// Arrays of a NumPy file in memory.
#include "read_impl.h"

enum { NPZ_DIMS = 3 };

typedef struct npz_member { // of the ZIP
  const char *name;         // [n] without .npy
  size_t n;
  int method;
  uint64_t at, packed, size; // at: of its local header
  uint32_t crc;
  int used; // set by who reads it
} npz_member;

typedef struct npz {
  pl_load *in;
  int n;
  npz_member *member; // [n]
} npz;

typedef struct npz_array {
  pl_number type; // PL_NUMBER_COUNT: text
  int ndim, swap, fortran;
  int letters; // of each text
  int64_t shape[NPZ_DIMS];
  int64_t count; // of all numbers
  char *data;
} npz_array;

// Reads the directory.
pl_status npz_open(pl_load *in, npz *z);
void npz_close(npz *z);
// The member of that name, NULL: none.
npz_member *npz_find(const npz *z, const char *name);
// Unpacks an array; data is freed by the caller, by pl_free. tight: coordinates and numbers of
// vertices, which do not pack as well as zeros.
pl_status npz_fetch(npz *z, npz_member *m, int tight, npz_array *a);
// Fails for an array, with its name.
pl_status npz_fail(npz *z, const npz_member *m, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
// Number i, j of an array of one or two indices.
double npz_value(const npz_array *a, int64_t i, int64_t j);

#endif
