#ifndef PLIANT_LINKAGE_H
#define PLIANT_LINKAGE_H

// Around the declarations of a public header: what stands between is exported from the shared
// library, and C++ links it as C. Everything else is compiled with hidden visibility.
#ifdef __cplusplus
#define PL_DECLS_BEGIN _Pragma("GCC visibility push(default)") extern "C" {
#define PL_DECLS_END                                                                               \
  }                                                                                                \
  _Pragma("GCC visibility pop")
#else
#define PL_DECLS_BEGIN _Pragma("GCC visibility push(default)")
#define PL_DECLS_END   _Pragma("GCC visibility pop")
#endif

#endif
