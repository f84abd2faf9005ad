#ifndef PLIANT_VERSION_H
#define PLIANT_VERSION_H

#include "pliant/linkage.h"

PL_DECLS_BEGIN

// The one place where the version stands; CMake reads it from here.
#define PL_VERSION_MAJOR 0
#define PL_VERSION_MINOR 1
#define PL_VERSION_PATCH 0
#define PL_VERSION       "0.1.0"

// Number of the binary interface, which the shared library has in its soname. A release that only
// adds functions, or constants at the end of an enumeration, keeps it. One that takes away or
// changes a function, moves a field of a public struct or makes a struct larger raises it by one,
// also within one major version: programs then say at start that they want the other library.
#define PL_ABI 0

// Returns the version of the library that is linked, to compare with PL_VERSION.
const char *pl_version(void);
// The commit that it was built from, "" when that was not known.
const char *pl_version_commit(void);

PL_DECLS_END

#endif
