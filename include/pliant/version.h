#ifndef PLIANT_VERSION_H
#define PLIANT_VERSION_H

// The one place where the version stands; CMake reads it from here.
#define PL_VERSION_MAJOR 0
#define PL_VERSION_MINOR 1
#define PL_VERSION_PATCH 0
#define PL_VERSION       "0.1.0"

// Returns the version of the library that is linked, to compare with PL_VERSION.
const char *pl_version(void);
// The commit that it was built from, "" when that was not known.
const char *pl_version_commit(void);

#endif
