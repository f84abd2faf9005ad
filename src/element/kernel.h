// Builds the kernel file BODY twice: names FN(x) become x_d with real = double, and x_z with
// real = double complex. A body defines FN(prepare), FN(eval) and, if it has them, FN(visc),
// FN(mass). A body must be analytic: sqrt(dot) not fabs or hypot, atan of a half-angle, and
// branches only on ABOVE(a, b), a > b in the real part, or creal(...) of a value. PACKED: also x_p
// for packs of elements, built for every instruction set; a real is then set to zero by {0}, and
// ABOVE(a, b), NONE(a), a <= 0, and ZERO(a) hold for all elements or do not hold. NO_THIRD: packs
// without FN(third); ALONG: with FN(along).

#include "pliant/element.h"

#include <stddef.h>
#include <string.h>
#include <tgmath.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
// unrolled and vectorised, half the time of -O2; not an option of the build, so -O0 stays -O0
#pragma GCC optimize("O3")
#define UNROLL 1
#endif

// for eval: one copy per instruction set, chosen when the program is loaded
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#define KERNEL                                                                                     \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), unused)) static int
#else
#define KERNEL __attribute__((unused)) static int
#endif
// helpers of a kernel must be inlined, so that each copy gets its own code
#define INLINE static inline __attribute__((always_inline, unused))

#define ABOVE(a, b) (creal((a) - (b)) > 0)
#define NONE(a)     (!(creal(a) > 0))
#define ZERO(a)     (creal(a) == 0)
#define real        double
#define FN(name)    name##_d
#include BODY
#undef real
#undef FN
#if defined(UNROLL)
// gcc 12.2 gives wrong imaginary parts when it vectorises such loops for AVX-512 (membrane)
#pragma GCC push_options
#pragma GCC optimize("no-tree-loop-vectorize")
#endif
#define real     double complex
#define FN(name) name##_z
#include BODY
#if defined(UNROLL)
#pragma GCC pop_options
#endif
#undef real
#undef FN
#undef ABOVE
#undef NONE
#undef ZERO

#if defined(PACKED)
#include "packs.h"
#endif

// rows of a parameter table: PAR("young", 1e9, 0, 1e15, "Pa", "Young's modulus")
#define PAR(name_, value_, lo_, hi_, unit_, text_)                                                 \
  {                                                                                                \
    .name = name_, .type = PL_OPT_REAL, .value = value_, .lo = lo_, .hi = hi_, .unit = unit_,      \
    .text = text_, .choices = NULL                                                                 \
  }
#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))
