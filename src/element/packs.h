// Builds the kernel file BODY for packs of elements: names FN(x) become x_p, which goes to the copy
// for the processor at hand. Generic vectors are split up before a function is cloned, so that
// target_clones would not do.

// packs are passed to inlined functions only; the warning comes at the end of the file
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" // mass, prepare
#undef KERNEL
#undef sqrt
#undef atan
#undef creal
#define KERNEL      __attribute__((unused)) static int
#define real        pl_pack
#define sqrt(x)     FN(root)(x)
#define atan(x)     FN(arctan)(x)
#define ABOVE(a, b) FN(positive)((a) - (b))
#define NONE(a)     FN(negative)(a)
#define ZERO(a)     FN(naught)(a)
#define IN_PACKS

#define COPY "pack.inc"
#include "pliant/copies.h"

static int eval_p(const pl_pack *q, const pl_pack *par, const pl_pack *rest, pl_pack *energy,
                  pl_pack *grad, pl_pack *hess) {
  return PICK(eval)(q, par, rest, energy, grad, hess);
}

#if !defined(NO_THIRD)
static int third_p(const pl_pack *q, const pl_pack *v, const pl_pack *par, const pl_pack *rest,
                   pl_pack *out) {
  return PICK(third)(q, v, par, rest, out);
}
#endif

#if defined(MIXED)
static void mixed_p(const pl_pack *q, const pl_pack *q0, const pl_pack *dq, const pl_pack *par,
                    const pl_pack *rest, pl_pack *out) {
  PICK(mixed)(q, q0, dq, par, rest, out);
}
#endif

#if defined(VISC)
static int visc_p(const pl_pack *q, const pl_pack *v, const pl_pack *par, const pl_pack *rest,
                  pl_pack *force, pl_pack *damp, pl_pack *stiff) {
  return PICK(visc)(q, v, par, rest, force, damp, stiff);
}
#endif

#if defined(ALONG)
static int along_p(const pl_pack *q, const pl_pack *v, const pl_pack *par, const pl_pack *rest,
                   pl_pack *energy, pl_pack *grad, pl_pack *out) {
  return PICK(along)(q, v, par, rest, energy, grad, out);
}
#endif

#undef real
#undef sqrt
#undef atan
#undef ABOVE
#undef NONE
#undef ZERO
#undef IN_PACKS
#pragma GCC diagnostic pop
