// Builds the file COPY once for each instruction set, with names FN(x); PICK(x) is the one for the
// processor at hand. For code on packs, which target_clones does not serve: generic vectors are
// split up before a function is cloned. Sources include it, once each; it is no interface.

#define FN(name) name##_p1
#include COPY
#undef FN
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define FN(name) name##_p3
#include COPY
#undef FN
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#define FN(name) name##_p4
#include COPY
#undef FN
#pragma GCC pop_options
#define PICK(name)                                                                                 \
  (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&                      \
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")                \
       ? name##_p4                                                                                 \
   : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? name##_p3                   \
                                                                     : name##_p1)
#else
#define PICK(name) name##_p1
#endif
