// Drawings: areas of known outlines, what SVG and PNG say, and what is refused.
#include "mesh_tools.h"

#include <zlib.h>

static pl_env env;
static heard said;

static pl_mesh *extrude(const char *format, const char *data, size_t size, double thick,
                        double width, double edge, pl_voxel_info *info) {
  pl_drawing *d;
  pl_mesh *m;
  check_ok(&env, pl_drawing_parse(&env, format, "test", data, size, 0, &d));
  check_ok(&env, pl_drawing_voxels(d, thick, width, &(pl_voxel_opts){.size = edge, .allow_thin = 1},
                                   info, &m));
  pl_drawing_free(d);
  check_ok(&env, pl_mesh_check(m));
  check_close(tool_total(m, PL_HEX8), info->volume, 1e-12 * info->volume);
  return m;
}

#define PAGE "<svg width='100mm' height='50mm' viewBox='0 0 100 50'>"

// area of what is drawn, mm^2
static double area(const char *body) {
  char text[2000];
  pl_voxel_info info;
  snprintf(text, sizeof text, PAGE "%s</svg>", body);
  pl_mesh_free(extrude("svg", text, strlen(text), 0.01, 0, 1e-3, &info));
  return 1e6 * info.exact / 0.01;
}

// the survey of areas has cells of an eighth of a millimetre; exact ones along lines
static void areas(void **state) {
  (void)state;
  const double r = PL_PI;
  check_close(area("<rect x='10' y='5' width='30' height='20'/>"), 600, 0.01);
  check_close(area("<circle cx='30' cy='20' r='10'/>"), 100 * r, 0.1);
  check_close(area("<ellipse cx='30' cy='20' rx='20' ry='10'/>"), 200 * r, 0.2);
  check_close(area("<polygon points='0,0 40,0 0,30'/>"), 600, 0.1);
  // holes by either rule
  check_close(area("<path d='M0 0h40v40h-40z M10 10v20h20v-20z'/>"), 1200, 0.01);
  check_close(area("<path d='M0 0h40v40h-40z M10 10h20v20h-20z'/>"), 1600, 0.01);
  check_close(area("<path fill-rule='evenodd' d='M0 0h40v40h-40z M10 10h20v20h-20z'/>"), 1200,
              0.01);
  // white covers, what is hidden does not count, shapes that overlap are one
  check_close(area("<rect width='40' height='40'/><rect x='10' y='10' width='20' height='20' "
                   "style='fill:#FFFFFF'/>"),
              1200, 0.01);
  check_close(area("<rect width='40' height='40'/><rect width='90' height='20' fill='none'/>"
                   "<g display='none'><rect width='90' height='20'/></g>"),
              1600, 0.01);
  check_close(area("<rect width='40' height='40'/><rect x='20' width='40' height='40'/>"), 2400,
              0.01);
  // half a disk by an arc with flags that touch, a cubic over the same half within 0.03 %
  check_close(area("<path d='M10 20A10 10 0 0130 20z'/>"), 50 * r, 0.1);
  check_close(area("<path d='M10 20c0-5.5228 4.4772-10 10-10s10 4.4772 10 10z'/>"), 50 * r, 0.15);
  // a parabola cuts two thirds of its box
  check_close(area("<path d='M10 30Q25 -10 40 30z'/>"), 2.0 / 3 * 30 * 20, 0.1);
  check_close(area("<path d='M0 10q10 -20 20 0t20 0L40 40H0Z'/>"), 1200, 0.2);
  // classes and transforms: scaled twice, turned, moved, skewed
  check_close(area("<style>.a,.b{fill:none} .c{fill:black}</style><rect class='b' width='90' "
                   "height='40'/><rect class='a c' width='10' height='10'/>"),
              100, 0.01);
  check_close(area("<g transform='translate(20 10) scale(2)'><rect width='10' height='5' "
                   "transform='rotate(30)'/></g>"),
              200, 0.2);
  check_close(area("<rect width='30' height='20' transform='translate(10) skewX(30)'/>"), 600, 0.3);
  check_close(area("<rect x='10' y='5' width='30' height='20' rx='5'/>"), 600 - (100 - 25 * r),
              0.1);
}

static void strokes(void **state) {
  (void)state;
  const double r = PL_PI;
  check_close(area("<line x1='10' y1='10' x2='50' y2='10' stroke='black' stroke-width='2'/>"), 80,
              0.01);
  check_close(area("<path d='M10 10h40' fill='none' stroke='red' stroke-width='2' "
                   "stroke-linecap='square'/>"),
              84, 0.01);
  check_close(area("<path d='M10 10h40' fill='none' stroke='red' stroke-width='4' "
                   "stroke-linecap='round'/>"),
              160 + 4 * r, 0.1);
  // a frame: mitred corners, rounded ones
  check_close(area("<rect x='10' y='10' width='30' height='20' fill='none' stroke='black' "
                   "stroke-width='2'/>"),
              32 * 22 - 28 * 18, 0.01);
  check_close(area("<rect x='10' y='10' width='30' height='20' fill='none' stroke='black' "
                   "stroke-width='4' stroke-linejoin='round'/>"),
              34 * 24 - 26 * 16 - (16 - 4 * r), 0.1);
  check_close(area("<circle cx='30' cy='25' r='10' fill='none' stroke='black' stroke-width='2'/>"),
              40 * r, 0.1);
}

static void sizes_and_names(void **state) {
  (void)state;
  static const char text[] =
      "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a 'b'>]>\n<!-- <x> -->"
      "<svg width='2in' viewBox='10 10 200 100'><g id='all'><rect id='a' x='10' y='10' width='100' "
      "height='100'/><rect inkscape:label='b' id='c' x='110' y='10' width='100' height='50'/></g>"
      "<rect id='top part' fill='none' x='0' y='0' width='500' height='35'/></svg>";
  pl_voxel_info info;
  pl_mesh *m = extrude("svg", text, strlen(text), 0.002, 0, 2.54e-3, &info);
  double lo[3], hi[3];
  pl_mesh_bounds(m, lo, hi);
  check_array(3, lo, ((double[]){0, 0, 0}), 1e-15);
  check_array(3, hi, ((double[]){0.0508, 0.0254, 0.002}), 1e-12);
  assert_int_equal(info.nvoxel, 150);
  assert_int_equal(pl_mesh_find_set(m, "all")->n, 150);
  assert_int_equal(pl_mesh_find_set(m, "a")->n, 100);
  assert_int_equal(pl_mesh_find_set(m, "b")->n, 50);
  assert_null(pl_mesh_find_set(m, "c"));
  // upwards: the upper rectangle is at large y
  const pl_set *top = pl_mesh_find_set(m, "top part");
  assert_int_equal(top->n, 3 * 20);
  pl_mesh_free(m);
  // by the width of what is drawn
  m = extrude("svg", text, strlen(text), 0.04, 1, 0.05, &info);
  pl_mesh_bounds(m, lo, hi);
  check_array(3, hi, ((double[]){1, 0.5, 0.04}), 1e-12);
  pl_mesh_free(m);
}

// ---- pictures ---------------------------------------------------------------------------------

static void put32(unsigned char *to, unsigned long v) {
  for (int k = 0; k < 4; k++) to[k] = (unsigned char)(v >> (24 - 8 * k));
}

static size_t put_chunk(unsigned char *to, const char *type, const unsigned char *data, size_t n) {
  put32(to, n);
  memcpy(to + 4, type, 4);
  if (n) memcpy(to + 8, data, n);
  put32(to + 8 + n, crc32(0, to + 4, (unsigned)n + 4));
  return n + 12;
}

// a picture of raw lines, each with its filter byte
static size_t make_png(unsigned char *to, unsigned w, unsigned h, int depth, int kind,
                       int interlaced, const unsigned char *palette, size_t npalette,
                       const unsigned char *raw, size_t nraw) {
  unsigned char header[13] = {0}, packed[4096];
  uLongf n = sizeof packed;
  memcpy(to, "\x89PNG\r\n\x1a\n", 8);
  put32(header, w);
  put32(header + 4, h);
  header[8] = (unsigned char)depth;
  header[9] = (unsigned char)kind;
  header[12] = (unsigned char)interlaced;
  size_t at = 8 + put_chunk(to + 8, "IHDR", header, 13);
  if (npalette) at += put_chunk(to + at, "PLTE", palette, npalette);
  assert_int_equal(compress(packed, &n, raw, nraw), Z_OK);
  // in two pieces
  at += put_chunk(to + at, "IDAT", packed, 3);
  at += put_chunk(to + at, "IDAT", packed + 3, n - 3);
  return at + put_chunk(to + at, "IEND", NULL, 0);
}

static void pictures(void **state) {
  (void)state;
  unsigned char file[8192], raw[4096];
  pl_voxel_info info;
  // 4 x 2 RGB: black red blue white / black green white white, second line by differences
  static const unsigned char rgb[] = {0, 0, 0, 0, 255, 0,   0, 0,   0,  255, 255, 255, 255,
                                      1, 0, 0, 0, 0,   200, 0, 255, 55, 255, 0,   0,   0};
  size_t n = make_png(file, 4, 2, 8, 2, 0, NULL, 0, rgb, sizeof rgb);
  pl_mesh *m = extrude("png", (char *)file, n, 1, 3, 1, &info);
  assert_int_equal(info.nvoxel, 5);
  assert_int_equal(pl_mesh_find_set(m, "black")->n, 2);
  assert_int_equal(pl_mesh_find_set(m, "red")->n, 1);
  assert_int_equal(pl_mesh_find_set(m, "blue")->n, 1);
  assert_int_equal(pl_mesh_find_set(m, "green")->n, 1);
  assert_null(pl_mesh_find_set(m, "cyan"));
  pl_mesh_free(m);
  // one bit of a palette: an L of 3 x 2
  static const unsigned char palette[] = {255, 255, 255, 9, 9, 9}, wide[] = {0, 0xe0, 0, 0x80};
  n = make_png(file, 3, 2, 1, 3, 0, palette, sizeof palette, wide, sizeof wide);
  m = extrude("png", (char *)file, n, 1, 3, 1, &info);
  assert_int_equal(info.nvoxel, 4);
  pl_mesh_free(m);
  // interlaced: 5 x 5 of 8 bits of grey, black but for the last pixel; passes in their order
  static const int pass[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                 {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  size_t k = 0;
  for (int p = 0; p < 7; p++)
    for (int y = pass[p][1]; y < 5; y += pass[p][3]) {
      if (pass[p][0] >= 5) continue;
      raw[k++] = 0;
      for (int x = pass[p][0]; x < 5; x += pass[p][2]) raw[k++] = x == 4 && y == 4 ? 255 : 0;
    }
  n = make_png(file, 5, 5, 8, 0, 1, NULL, 0, raw, k);
  m = extrude("png", (char *)file, n, 1, 5, 1, &info);
  assert_int_equal(info.nvoxel, 24);
  double far = 0;
  for (int e = 0; e < 24; e++) far = fmax(far, -m->X[3 * m->cell[PL_HEX8].v[8 * e] + 1]);
  check_close(far, 0, 1e-15);
  pl_mesh_free(m);
  // cut short anywhere: an error
  for (size_t cut = 0; cut < n - 12; cut++) {
    pl_drawing *d;
    check_status(&env, pl_drawing_parse(&env, "png", "cut", (char *)file, cut, 0, &d), PL_E_INPUT);
    assert_null(d);
  }
}

static void bad(const char *body, const char *text) {
  pl_drawing *d;
  check_status(&env, pl_drawing_parse(&env, "svg", "bad", body, strlen(body), 0, &d), PL_E_INPUT);
  assert_null(d);
  if (!strstr(env.error.text, text)) fail_msg("no '%s' in '%s'", text, env.error.text);
  assert_true(env.error.line > 0);
}

static void refused(void **state) {
  (void)state;
  bad("", "no <svg>");
  bad("hello", "no <svg>");
  bad("<html></html>", "not <svg>");
  bad("<svg>", "not closed");
  bad("<svg><g></svg>", "closes what was not opened");
  bad("<svg><path d='M0 0", "no end");
  bad("<svg><path d='M0 0 L 3'/></svg>", "not understood");
  bad("<svg><path d='M0 0 X 3 3'/></svg>", "'X 3 3'");
  bad("<svg><path d='L0 0'/></svg>", "not understood");
  bad("<svg><path d='M0 0 A1 1 0 2 0 3 3'/></svg>", "not understood");
  bad("<svg><polygon points='1 2 3'/></svg>", "not understood");
  bad("<svg><rect transform='turn(3)'/></svg>", "transform");
  bad("<svg viewBox='0 0 0 1'></svg>", "viewBox");
  pl_drawing *d;
  pl_mesh *m;
  static const char empty[] = "<svg width='1mm'><rect fill='white' width='1' height='1'/></svg>";
  check_ok(&env, pl_drawing_parse(&env, "svg", "empty", empty, strlen(empty), 0, &d));
  check_status(&env, pl_drawing_voxels(d, 1, 0, &(pl_voxel_opts){0}, NULL, &m), PL_E_INPUT);
  assert_non_null(strstr(env.error.text, "nothing is drawn"));
  pl_drawing_free(d);
  // no size of its own is warned of
  static const char pixels[] = "<svg><rect width='96' height='96'/></svg>";
  int before = said.count[PL_WARNING];
  pl_voxel_info info;
  pl_mesh_free(extrude("svg", pixels, strlen(pixels), 0.0254, 0, 0.00254, &info));
  assert_int_equal(info.nvoxel, 1000);
  check_rel(info.volume, 0.0254 * 0.0254 * 0.0254, 1e-12);
  assert_int_equal(said.count[PL_WARNING], before + 1);
}

static pl_status make(pl_env *e, void *ctx) {
  (void)ctx;
  static const char text[] = PAGE "<g id='a'><path stroke='red' d='M0 0h9v9z'/></g></svg>";
  pl_drawing *d;
  pl_mesh *m;
  PL_TRY(pl_drawing_parse(e, "svg", "test", text, strlen(text), 0, &d));
  pl_status s =
      pl_drawing_voxels(d, 1e-3, 0, &(pl_voxel_opts){.size = 2e-3, .allow_thin = 1}, NULL, &m);
  if (s == PL_OK) pl_mesh_free(m);
  pl_drawing_free(d);
  return s;
}

static void memory(void **state) {
  (void)state;
  check_allocations(make, NULL);
}

int test_drawing(void) {
  pl_env_init(&env);
  env.diag = hear;
  env.diag_ctx = &said;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(areas),    cmocka_unit_test(strokes), cmocka_unit_test(sizes_and_names),
      cmocka_unit_test(pictures), cmocka_unit_test(refused), cmocka_unit_test(memory),
  };
  return cmocka_run_group_tests_name("mesh.drawing", tests, NULL, NULL);
}
