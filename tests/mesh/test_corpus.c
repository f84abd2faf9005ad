#include "../fuzz/fuzz_drawing.h"
#include "../fuzz/fuzz_labels.h"
#include "read_support.h"

#include <dirent.h>
#include <stdio.h>

static void replay_mesh(pl_env *env, const char *format, const char *path, const char *data,
                        size_t n) {
  pl_mesh *m;
  pl_status s = pl_mesh_parse(env, format, path, data, n, &m);
  assert_true(s == PL_OK || s == PL_E_INPUT);
  assert_true((s == PL_OK) == (m != NULL));
  double u[4][3];
  if (strcmp(format, "vtu") == 0) {
    pl_status v = pl_vtu_vectors(env, path, data, n, "mode", 4, u);
    assert_true(v == PL_OK || v == PL_E_INPUT || v == PL_E_NOMEM);
  }
  for (int t = 0; m && t < PL_CELL_COUNT; t++)
    for (int i = 0; i < m->cell[t].n * pl_cell_nvert[t]; i++)
      assert_in_range(m->cell[t].v[i], 0, m->nvert - 1);
  pl_mesh_free(m);
  // with prisms and pyramids whole, and fields
  pl_grid *g;
  s = pl_grid_parse(env, format, path, data, n, &g);
  assert_true(s == PL_OK || s == PL_E_INPUT);
  assert_true((s == PL_OK) == (g != NULL));
  for (int t = 0; g && t < PL_GRID_TYPES; t++)
    for (int i = 0; i < g->cell[t].n * pl_grid_nvert(t); i++)
      assert_in_range(g->cell[t].v[i], 0, g->nvert - 1);
  pl_grid_free(g);
}

// Reads a file of a corpus, and every tenth of it cut short: any answer but a crash, a leak or a
// broken mesh will do.
static void replay(const char *format, const char *path) {
  pl_env env;
  pl_env_init(&env);
  char *data;
  size_t size;
  check_ok(&env, pl_file_read(&env, path, 0, &data, &size));
  for (int part = 1; part <= 10; part++) {
    pl_env inner;
    failing_alloc count;
    pl_env_init(&inner);
    failing_alloc_install(&inner, &count, -1);
    size_t n = size * (size_t)part / 10;
    // a copy of its own size lets the sanitizer see a step beyond the end
    char *copy = pl_alloc(&env, n, 1);
    assert_non_null(copy);
    memcpy(copy, data, n);
    if (pl_is_drawing(path))
      fuzz_drawing(&inner, format, copy, n);
    else if (pl_is_labels(path))
      fuzz_labels(&inner, copy, n);
    else
      replay_mesh(&inner, format, path, copy, n);
    pl_free(&env, copy);
    assert_int_equal(count.live, 0);
  }
  pl_free(&env, data);
}

static void replay_folder(const char *format) {
  char folder[512];
  int n = 0;
  snprintf(folder, sizeof folder, SOURCE_DIR "/tests/fuzz/corpus/%s", format);
  DIR *dir = opendir(folder);
  if (!dir) fail_msg("no folder %s", folder);
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    char path[1024];
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    replay(format, path);
    n++;
  }
  closedir(dir);
  assert_true(n > 0);
}

static void corpus_obj(void **state) {
  (void)state;
  replay_folder("obj");
}

static void corpus_stl(void **state) {
  (void)state;
  replay_folder("stl");
}

static void corpus_ply(void **state) {
  (void)state;
  replay_folder("ply");
}

static void corpus_msh(void **state) {
  (void)state;
  replay_folder("msh");
}

static void corpus_vtu(void **state) {
  (void)state;
  replay_folder("vtu");
}

static void corpus_inp(void **state) {
  (void)state;
  replay_folder("inp");
}

static void corpus_npz(void **state) {
  (void)state;
  replay_folder("npz");
}

static void corpus_svg(void **state) {
  (void)state;
  replay_folder("svg");
}

static void corpus_png(void **state) {
  (void)state;
  replay_folder("png");
}

static void corpus_vti(void **state) {
  (void)state;
  replay_folder("vti");
}

int test_corpus(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corpus_obj), cmocka_unit_test(corpus_stl), cmocka_unit_test(corpus_ply),
      cmocka_unit_test(corpus_msh), cmocka_unit_test(corpus_vtu), cmocka_unit_test(corpus_inp),
      cmocka_unit_test(corpus_npz), cmocka_unit_test(corpus_svg), cmocka_unit_test(corpus_png),
      cmocka_unit_test(corpus_vti),
  };
  return cmocka_run_group_tests_name("mesh.corpus", tests, NULL, NULL);
}
