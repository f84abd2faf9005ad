#include "read_support.h"

#include <stdio.h>
#include <stdlib.h>

// Grids: what files say beyond a mesh. tests/cli/run_convert.py reads them with other programs.

#define NPZ SOURCE_DIR "/tests/fuzz/corpus/npz/"

static const char *const format[] = {"vtu", "msh", "inp", "npz", "obj", "stl", "ply", "glb"};
enum { NFORMAT = sizeof format / sizeof *format };

static const char *file_of(int k, char name[64]) {
  snprintf(name, 64, "test_grid.%s", format[k]);
  return name;
}

// a prism, a pyramid, a brick and a triangle of second order side by side, with sets and a field
static pl_grid *mixed(pl_env *env) {
  static const char text[] =
      "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,0,1\n6,0,1,1\n7,1,1,0\n8,1,1,1\n9,2,0,0\n"
      "10,2,1,0\n11,2,0,1\n12,2,1,1\n13,3,.5,.5\n14,.5,0,0\n15,.5,.5,0\n16,0,.5,0\n"
      "*ELEMENT,TYPE=C3D6,ELSET=all\n1,1,2,3,4,5,6\n*ELEMENT,TYPE=C3D8,ELSET=all\n"
      "2,2,9,10,7,5,11,12,8\n*ELEMENT,TYPE=C3D5,ELSET=tip\n3,9,10,12,11,13\n"
      "*ELEMENT,TYPE=S6,ELSET=skin\n4,1,2,3,14,15,16\n*NSET,NSET=left\n1,3,4,6,16\n";
  pl_grid *g;
  double *data;
  check_ok(env, pl_grid_parse(env, "inp", "mixed", text, sizeof text - 1, &g));
  check_ok(env, pl_grid_add_field(g, "u", 0, 3, &data));
  for (int i = 0; i < 3 * g->nvert; i++) data[i] = sin(i);
  check_ok(env, pl_grid_add_field(g, "e", 1, 1, &data));
  for (int i = 0; i < pl_grid_ncell(g); i++) data[i] = i + 0.5;
  return g;
}

static void same_grid(const pl_grid *a, const pl_grid *b) {
  assert_int_equal(a->nvert, b->nvert);
  check_array(3 * a->nvert, a->X, b->X, 0);
  for (int t = 0; t < PL_GRID_TYPES; t++) {
    assert_int_equal(a->cell[t].n, b->cell[t].n);
    if (a->cell[t].n > 0)
      assert_memory_equal(a->cell[t].v, b->cell[t].v,
                          (size_t)(a->cell[t].n * pl_grid_nvert(t)) * sizeof(int));
  }
  assert_int_equal(a->nset, b->nset);
  for (int k = 0; k < a->nset; k++) {
    int found = 0;
    for (int i = 0; i < b->nset; i++)
      found += a->set[k].type == b->set[i].type && a->set[k].n == b->set[i].n &&
               strcmp(a->set[k].name, b->set[i].name) == 0 &&
               memcmp(a->set[k].index, b->set[i].index, (size_t)a->set[k].n * sizeof(int)) == 0;
    assert_int_equal(found, 1);
  }
}

// the formats that hold all of it give back the same numbers, fields too
static void round_trips(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_grid *g = mixed(&env), *r;
  for (int k = 0; k < 4; k++) {
    char name[64];
    for (int way = 0; way < (k == 1 ? 4 : 1); way++) {
      const pl_grid_opts o = {.text = way & 1, .old = way >> 1};
      check_ok(&env, pl_grid_write(g, file_of(k, name), NULL, &o));
      check_ok(&env, pl_grid_read(&env, name, NULL, &r));
      same_grid(g, r);
      assert_int_equal(r->nfield, strcmp(format[k], "inp") == 0 ? 0 : 2);
      for (int f = 0; f < r->nfield; f++) {
        const pl_grid_field *x = &g->field[f], *y = &r->field[f];
        if (strcmp(x->name, y->name) != 0) y = &r->field[1 - f];
        assert_string_equal(x->name, y->name);
        check_array((x->on_cells ? pl_grid_ncell(g) : g->nvert) * x->ncomp, x->data, y->data, 0);
      }
      pl_grid_free(r);
      remove(name);
    }
  }
  pl_grid_free(g);
}

// what meshes split is whole in a grid, and split when it becomes a mesh
static void becomes_mesh(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_grid *g = mixed(&env);
  pl_mesh *m;
  assert_int_equal(g->cell[PL_GRID_WEDGE6].n, 1);
  assert_int_equal(g->cell[PL_GRID_PYRAMID5].n, 1);
  check_ok(&env, pl_grid_mesh(g, &m));
  assert_int_equal(m->cell[PL_HEX8].n, 0);
  double volume = 0;
  for (int i = 0; i < m->cell[PL_TET4].n; i++) volume += cell_measure(m, PL_TET4, i);
  check_close(volume, 0.5 + 1 + 1. / 3, 1e-14);
  pl_mesh_free(m);
  pl_grid_free(g);
}

static void order_and_dimension(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_grid *g = mixed(&env);
  // both orders are there
  check_status(&env, pl_grid_order(g, 2), PL_E_INPUT);
  check_status(&env, pl_grid_keep(g, 1), PL_E_INPUT);
  check_ok(&env, pl_grid_keep(g, 3));
  assert_int_equal(g->nvert, 13);
  assert_int_equal(g->cell[PL_TRI6].n, 0);
  check_ok(&env, pl_grid_order(g, 2));
  assert_int_equal(g->cell[PL_HEX20].n + g->cell[PL_GRID_WEDGE15].n + g->cell[PL_GRID_PYRAMID13].n,
                   3);
  // edges: 12 of the brick, 9 of the prism of which it has one, 8 of the pyramid of which it has 4
  assert_int_equal(g->nvert, 13 + 12 + 8 + 4);
  for (int k = 0; k < g->nfield; k++)
    if (g->field[k].on_cells) check_close(g->field[k].data[1], 2.5, 0);
  check_ok(&env, pl_grid_order(g, 1));
  assert_int_equal(g->nvert, 13);
  pl_grid_free(g);
}

// ---- NumPy files --------------------------------------------------------------------------------

// Every byte of a file changed, and the file cut short behind each: nothing but an answer, and what
// is read had its checksum.
static void damaged_bytes(void **state) {
  (void)state;
  static const char *const name[] = {NPZ "stored.npz", NPZ "deflated.npz", NPZ "ours.npz"};
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < 3; k++) {
    char *data;
    size_t size;
    pl_grid *g;
    check_ok(&env, pl_file_read(&env, name[k], 0, &data, &size));
    for (size_t i = 0; i < size; i++) {
      char old = data[i];
      data[i] = (char)(old ^ 0x41);
      pl_status s = pl_grid_parse(&env, "npz", "damaged", data, size, &g);
      assert_true(s == PL_OK || s == PL_E_INPUT);
      if (g) assert_int_equal(g->nvert, 4);
      pl_grid_free(g);
      data[i] = old;
      char *cut = malloc(i + 1);
      memcpy(cut, data, i);
      check_status(&env, pl_grid_parse(&env, "npz", "cut", cut, i, &g), PL_E_INPUT);
      assert_null(g);
      free(cut);
    }
    pl_free(&env, data);
  }
}

static void npz_is_all_or_nothing(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_npz *z;
  const double x[2] = {1, 2};
  check_status(&env, pl_npz_create(&env, "no/such/folder/x.npz", &z), PL_E_IO);
  assert_null(z);
  check_ok(&env, pl_npz_create(&env, "test_grid.npz", &z));
  check_ok(&env, pl_npz_put(z, "x", "f8", 1, (int64_t[]){2}, x));
  check_ok(&env, pl_npz_close(z, 0));
  assert_null(fopen("test_grid.npz", "rb"));
  // a disk that is full
  if (pl_npz_create(&env, "/dev/full/x.npz", &z) == PL_OK) fail();
}

// ---- memory -------------------------------------------------------------------------------------

typedef struct task {
  const char *data;
  size_t size;
  int format, text, old;
} task;

static pl_status converting(pl_env *env, void *ctx) {
  const task *t = ctx;
  const pl_grid_opts o = {.text = t->text, .old = t->old, .length = "m"};
  char name[64];
  pl_grid *g, *r = NULL;
  PL_TRY(pl_grid_parse(env, "npz", "task", t->data, t->size, &g));
  pl_status s = pl_grid_write(g, file_of(t->format, name), NULL, &o);
  if (s == PL_OK && strcmp(format[t->format], "glb") != 0) s = pl_grid_read(env, name, NULL, &r);
  pl_grid_free(g);
  pl_grid_free(r);
  return s;
}

static pl_status changing(pl_env *env, void *ctx) {
  const task *t = ctx;
  pl_grid *g;
  pl_mesh *m = NULL;
  PL_TRY(pl_grid_parse(env, "npz", "task", t->data, t->size, &g));
  pl_status s = pl_grid_mesh(g, &m);
  if (s == PL_OK) s = pl_grid_order(g, 2);
  if (s == PL_OK) s = pl_grid_keep(g, 3);
  pl_mesh_free(m);
  pl_grid_free(g);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  char *data;
  task t = {.format = 0};
  check_ok(&env, pl_file_read(&env, NPZ "deflated.npz", 0, &data, &t.size));
  t.data = data;
  for (t.format = 0; t.format < NFORMAT; t.format++)
    for (t.old = 0; t.old < (t.format == 1 ? 2 : 1); t.old++) {
      char name[64];
      t.text = t.old;
      check_allocations(converting, &t);
      assert_int_equal(remove(file_of(t.format, name)), 0);
    }
  check_allocations(changing, &t);
  pl_free(&env, data);
}

int test_grid(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips),           cmocka_unit_test(becomes_mesh),
      cmocka_unit_test(order_and_dimension),   cmocka_unit_test(damaged_bytes),
      cmocka_unit_test(npz_is_all_or_nothing), cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("mesh.grid", tests, NULL, NULL);
}
