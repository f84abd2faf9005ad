// Loads that are functions of the caller's: elements of one node and a strength, whose forces have
// no potential. An element finds its function by the number of a slot, its parameter.
#include "facade_impl.h"

#include "pliant/math.h"

#include <complex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // of the slots
static pthread_mutex_t calls = PTHREAD_MUTEX_INITIALIZER; // functions are called one at a time
static given_thing *slot[SLOTS];

// ---- kernels ------------------------------------------------------------------------------------

// A force at a place and, where dx is given, its derivatives; 1: there is none.
static int call(const double *par, int dim, const double *q, const double *v, double *force,
                double *dx, double *dv, double *ds) {
  // elements live as long as their scene, and that keeps what stands in its slot
  given_thing *g = slot[(int)par[0]];
  if (atomic_load(&g->stop)) return 1;
  pthread_mutex_lock(&calls);
  int answer = g->load(g->ctx, dim, q, v, q[dim], force, dx, dv, ds);
  pthread_mutex_unlock(&calls);
  if (answer != 0 && answer != 1) atomic_store(&g->stop, 1);
  int sound = answer == 0 && pl_all_finite(dim, force);
  if (sound && dx)
    sound = pl_all_finite(dim * dim, dx) && pl_all_finite(dim * dim, dv) && pl_all_finite(dim, ds);
  return !sound;
}

static int prepare(const double *X, double *rest) {
  (void)X, (void)rest;
  return 0;
}

static int prepare_z(const pl_complex *X, pl_complex *rest) {
  (void)X, (void)rest;
  return 0;
}

// no potential
static int none(int ndof, double *energy, double *grad, double *hess) {
  if (energy) *energy = 0;
  for (int i = 0; grad && i < ndof; i++) grad[i] = 0;
  for (int i = 0; hess && i < ndof * ndof; i++) hess[i] = 0;
  return 0;
}

static int none_z(int ndof, pl_complex *energy, pl_complex *grad, pl_complex *hess) {
  if (energy) *energy = 0;
  for (int i = 0; grad && i < ndof; i++) grad[i] = 0;
  for (int i = 0; hess && i < ndof * ndof; i++) hess[i] = 0;
  return 0;
}

// forces of elements resist, as gradients do
static int resist(const double *q, const double *v, const double *par, int dim, double *force,
                  double *damp, double *stiff) {
  int ndof = dim + 1;
  double f[3], dx[9], dv[9], ds[3];
  if (call(par, dim, q, v, f, damp || stiff ? dx : NULL, dv, ds)) return 1;
  for (int i = 0; force && i < ndof; i++) force[i] = i < dim ? -f[i] : 0;
  for (int i = 0; damp && i < ndof * ndof; i++) damp[i] = 0;
  for (int i = 0; stiff && i < ndof * ndof; i++) stiff[i] = 0;
  for (int i = 0; i < dim; i++) {
    for (int c = 0; damp && c < dim; c++) damp[i * ndof + c] = -dv[i * dim + c];
    for (int c = 0; stiff && c < dim; c++) stiff[i * ndof + c] = -dx[i * dim + c];
    if (stiff) stiff[i * ndof + dim] = -ds[i];
  }
  return 0;
}

// Of complex places: the force at the real ones and, to first order, what the imaginary parts add,
// which is what the complex step looks at.
static int resist_z(const pl_complex *q, const pl_complex *v, const pl_complex *par, int dim,
                    pl_complex *force, pl_complex *damp, pl_complex *stiff) {
  int ndof = dim + 1;
  double x[4], rate[4], p = creal(par[0]), f[4], D[16], K[16];
  for (int i = 0; i < ndof; i++) {
    x[i] = creal(q[i]);
    rate[i] = creal(v[i]);
  }
  if (resist(x, rate, &p, dim, f, D, K)) return 1;
  for (int i = 0; force && i < ndof; i++) {
    double slope = 0;
    for (int c = 0; c < ndof; c++)
      slope += K[i * ndof + c] * cimag(q[c]) + D[i * ndof + c] * cimag(v[c]);
    force[i] = CMPLX(f[i], slope);
  }
  for (int i = 0; damp && i < ndof * ndof; i++) damp[i] = D[i];
  for (int i = 0; stiff && i < ndof * ndof; i++) stiff[i] = K[i];
  return 0;
}

#define KERNELS(dim)                                                                               \
  static int eval_##dim(const double *q, const double *par, const double *rest, double *energy,    \
                        double *grad, double *hess) {                                              \
    (void)q, (void)par, (void)rest;                                                                \
    return none(dim + 1, energy, grad, hess);                                                      \
  }                                                                                                \
  static int eval_z_##dim(const pl_complex *q, const pl_complex *par, const pl_complex *rest,      \
                          pl_complex *energy, pl_complex *grad, pl_complex *hess) {                \
    (void)q, (void)par, (void)rest;                                                                \
    return none_z(dim + 1, energy, grad, hess);                                                    \
  }                                                                                                \
  static int visc_##dim(const double *q, const double *v, const double *par, const double *rest,   \
                        double *force, double *damp, double *stiff) {                              \
    (void)rest;                                                                                    \
    return resist(q, v, par, dim, force, damp, stiff);                                             \
  }                                                                                                \
  static int visc_z_##dim(const pl_complex *q, const pl_complex *v, const pl_complex *par,         \
                          const pl_complex *rest, pl_complex *force, pl_complex *damp,             \
                          pl_complex *stiff) {                                                     \
    (void)rest;                                                                                    \
    return resist_z(q, v, par, dim, force, damp, stiff);                                           \
  }
KERNELS(1)
KERNELS(2)
KERNELS(3)

static const pl_option slot_option = {
    .name = "slot", .hi = SLOTS, .unit = "", .text = "number of the function"};

#define KIND(dim)                                                                                  \
  {                                                                                                \
    .name = "given", .text = "force that the program gives", .nvert = dim > 1,                     \
    .vdim = dim > 1 ? dim : 0, .nscal = dim > 1 ? 1 : 2, .ndof = dim + 1, .npar = 1, .inert = 1,   \
    .damped = 1, .circulatory = 1, .par = &slot_option,                                            \
    .d = {.prepare = prepare, .eval = eval_##dim, .visc = visc_##dim}, .z = {                      \
      .prepare = prepare_z,                                                                        \
      .eval = eval_z_##dim,                                                                        \
      .visc = visc_z_##dim                                                                         \
    }                                                                                              \
  }
const pl_elem_kind load_kind[3] = {KIND(1), KIND(2), KIND(3)};

// ---- the load -----------------------------------------------------------------------------------

void load_release(const given_thing *g) {
  pthread_mutex_lock(&lock);
  slot[g->slot] = NULL;
  pthread_mutex_unlock(&lock);
}

static int take_slot(given_thing *g) {
  int k = 0;
  pthread_mutex_lock(&lock);
  while (k < SLOTS && slot[k]) k++;
  if (k < SLOTS) slot[k] = g;
  pthread_mutex_unlock(&lock);
  g->slot = k;
  return k < SLOTS;
}

int pl_facade_load(const char *name, pl_facade_load_function function, void *ctx, int64_t *load) {
  *load = 0;
  if (!name || !name[0] || !function)
    return fail(PL_FACADE_ARG, NULL, "a load needs a name and a function");
  given_thing *g = given_create(name);
  if (!g) return fail(PL_FACADE_NOMEM, NULL, "out of memory");
  g->load = function;
  g->ctx = ctx;
  if (!take_slot(g)) {
    given_release(g);
    return fail(PL_FACADE_ARG, "free those that are not needed", "there are %d loads already",
                SLOTS);
  }
  g->what = GIVEN_LOAD;
  return given_put(g, load);
}
