
// what headers hold for C++: functions, inline functions, tables, callbacks
#include <cstdio>
#include <string>
#include <vector>

static void hear(void *ctx, const pl_diag *d) {
  *static_cast<std::string *>(ctx) = d->text;
}

int main() {
  pl_env env;
  pl_env_init(&env);
  std::string heard;
  env.diag = hear;
  env.diag_ctx = &heard;
  if (pl_fail(&env, PL_E_ARG, "told to C++") != PL_E_ARG || heard != "told to C++") return 1;
  bool listed = false;
  for (int k = 0; k < PL_ELEM_COUNT; k++)
    listed |= std::string(pl_elem_table[k]->name) == "spring1";
  std::vector<double> a{1, 2, 2};
  pl_complex z = 0;
  (void)z;
  std::printf("%g %d\n", pl_norm3(a.data()), listed ? pl_elem_find("spring1")->ndof : -1);
}
