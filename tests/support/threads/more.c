// Linked in front of what makes threads (tests/CMakeLists.txt): the tests that ask for one thread
// get PLIANT_TEST_THREADS, two when it is not set.
#include "pliant/limit.h"
#include "pliant/model.h"

#include <stdlib.h>

// weak: lower layers have less
#pragma weak __real_pl_work_create
#pragma weak __real_pl_work_create_for
#pragma weak __real_pl_directions_create
#pragma weak __real_pl_sheet_create

pl_status __real_pl_factor_create(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block,
                                  int nthread, pl_factor **out);
pl_status __wrap_pl_factor_create(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block,
                                  int nthread, pl_factor **out);
pl_status __real_pl_factor_create_blocks(pl_env *env, const pl_blocks *A, int nthread,
                                         pl_factor **out);
pl_status __wrap_pl_factor_create_blocks(pl_env *env, const pl_blocks *A, int nthread,
                                         pl_factor **out);
pl_status __real_pl_work_create(const pl_model *m, int nthread, pl_work **out);
pl_status __wrap_pl_work_create(const pl_model *m, int nthread, pl_work **out);
pl_status __real_pl_work_create_for(pl_env *host, const pl_model *m, int nthread, pl_work **out);
pl_status __wrap_pl_work_create_for(pl_env *host, const pl_model *m, int nthread, pl_work **out);
pl_status __real_pl_directions_create(pl_env *env, const pl_model *m, int nthread, int ndirection,
                                      const pl_direction *dir, pl_directions **out);
pl_status __wrap_pl_directions_create(pl_env *env, const pl_model *m, int nthread, int ndirection,
                                      const pl_direction *dir, pl_directions **out);
pl_status __real_pl_sheet_create(pl_env *env, const pl_sheet_desc *d, int nthread, pl_sheet **out);
pl_status __wrap_pl_sheet_create(pl_env *env, const pl_sheet_desc *d, int nthread, pl_sheet **out);

static int more(int nthread) {
  const char *given = getenv("PLIANT_TEST_THREADS");
  int least = given ? atoi(given) : 2;
  return nthread == 1 ? least : nthread;
}

pl_status __wrap_pl_factor_create(pl_env *env, pl_factor_kind kind, const pl_csc *A, int block,
                                  int nthread, pl_factor **out) {
  return __real_pl_factor_create(env, kind, A, block, more(nthread), out);
}

pl_status __wrap_pl_factor_create_blocks(pl_env *env, const pl_blocks *A, int nthread,
                                         pl_factor **out) {
  return __real_pl_factor_create_blocks(env, A, more(nthread), out);
}

pl_status __wrap_pl_work_create(const pl_model *m, int nthread, pl_work **out) {
  return __real_pl_work_create(m, more(nthread), out);
}

pl_status __wrap_pl_work_create_for(pl_env *host, const pl_model *m, int nthread, pl_work **out) {
  return __real_pl_work_create_for(host, m, more(nthread), out);
}

pl_status __wrap_pl_directions_create(pl_env *env, const pl_model *m, int nthread, int ndirection,
                                      const pl_direction *dir, pl_directions **out) {
  return __real_pl_directions_create(env, m, more(nthread), ndirection, dir, out);
}

pl_status __wrap_pl_sheet_create(pl_env *env, const pl_sheet_desc *d, int nthread, pl_sheet **out) {
  return __real_pl_sheet_create(env, d, more(nthread), out);
}
