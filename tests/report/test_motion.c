// Motions of a page: their pictures, and what their player reads, read back here.
#include "check.h"
#include "report_impl.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <zlib.h>

#include "xml.h"

enum { NFRAME = 16 };

static void well_formed(const pl_text *t) {
  const char *wrong = xml_wrong(t->s);
  if (wrong) fail_msg("not well-formed: %s", wrong);
  assert_null(strstr(t->s, "nan"));
}

// a grid that waves: one period, or ever on
static double *wave(const pl_mesh *m, int nframe, int closed) {
  double *x = calloc((size_t)nframe * 3 * (size_t)m->nvert, sizeof *x);
  for (int f = 0; f < nframe; f++)
    for (int i = 0; i < m->nvert; i++) {
      double *q = x + 3 * ((size_t)f * (size_t)m->nvert + (size_t)i);
      double phase = closed ? 2 * M_PI * f / nframe : 1.0 * f / nframe;
      q[0] = m->X[3 * i];
      q[1] = m->X[3 * i + 1];
      q[2] = 0.1 * sin(5 * q[0] + phase) + (closed ? 0 : phase);
    }
  return x;
}

static double *moments(int n) {
  double *t = calloc((size_t)n, sizeof *t);
  for (int k = 0; k < n; k++) t[k] = 0.5 + 0.1 * k;
  return t;
}

// ---- reading
// --------------------------------------------------------------------------------------

typedef struct reader {
  unsigned char *bytes;
  size_t n, at;
} reader;

static reader open_data(const char *text) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t len = strlen(text), n = 0;
  unsigned char *packed = calloc(len + 1, 1);
  for (size_t i = 0; i < len; i += 4) {
    unsigned v = 0;
    for (int k = 0; k < 4; k++)
      v = v << 6 | (text[i + k] == '=' ? 0 : (unsigned)(strchr(digit, text[i + k]) - digit));
    for (int k = 0; k < 3; k++) packed[n++] = (unsigned char)(v >> (16 - 8 * k));
  }
  reader r = {.n = 1 << 22};
  r.bytes = calloc(r.n, 1);
  uLongf size = (uLongf)r.n;
  assert_int_equal(uncompress(r.bytes, &size, packed, (uLong)n), Z_OK);
  r.n = size;
  free(packed);
  return r;
}

static unsigned word(const reader *r, size_t n, int size, size_t i) {
  unsigned v = 0;
  for (int b = 0; b < size; b++) v |= (unsigned)r->bytes[r->at + (size_t)b * n + i] << 8 * b;
  return v;
}

static void read_ints(reader *r, size_t n, int *out) {
  for (size_t i = 0; i < n; i++)
    out[i] = (int)(word(r, n, 4, i) + (i > 0 ? (unsigned)out[i - 1] : 0));
  r->at += 4 * n;
}

static void read_floats(reader *r, size_t n, float *out) {
  for (size_t i = 0; i < n; i++) {
    unsigned v = word(r, n, 4, i);
    memcpy(&out[i], &v, sizeof v);
  }
  r->at += 4 * n;
}

static void read_shorts(reader *r, int planes, size_t n, size_t stride, int chain, short *out) {
  for (int k = 0; k < planes; k++)
    for (size_t i = 0; i < n; i++) {
      short *to = out + (size_t)k * n + i;
      unsigned d = word(r, (size_t)planes * n, 2, (size_t)k * n + i);
      if (i >= stride) d += (unsigned)to[-(long)stride];
      if (chain && k > 0) {
        d += (unsigned)to[-(long)n];
        if (i >= stride) d -= (unsigned)to[-(long)(n + stride)];
      }
      *to = (short)d;
    }
  r->at += 2 * (size_t)planes * n;
}

typedef struct packed {
  json_t *mesh, *motion;
  reader m, x; // their data
  int nvert;
} packed;

static packed pack(pl_env *env, const pl_moving *m) {
  rp_played played;
  pl_text t[2];
  packed out;
  json_error_t e;
  for (int k = 0; k < 2; k++) pl_text_init(&t[k], env);
  check_ok(env, rp_played_create(env, m, &played));
  rp_played_mesh(&played, &t[0]);
  check_ok(env, rp_played_motion(&played, "it", &t[1]));
  out.nvert = played.n;
  rp_played_free(&played);
  out.mesh = json_loads(t[0].s, 0, &e);
  out.motion = json_loads(t[1].s, 0, &e);
  assert_non_null(out.mesh);
  assert_non_null(out.motion);
  for (int k = 0; k < 2; k++) {
    const char *data = json_string_value(json_object_get(k ? out.motion : out.mesh, "data"));
    *(k ? &out.x : &out.m) = open_data(data);
    pl_text_free(&t[k]);
  }
  return out;
}

static void packed_free(packed *p) {
  json_decref(p->mesh);
  json_decref(p->motion);
  free(p->m.bytes);
  free(p->x.bytes);
}

static int count(const json_t *o, const char *key) {
  return (int)json_integer_value(json_object_get(o, key));
}

static double scale(const packed *p, int k) {
  return json_number_value(json_array_get(json_object_get(p->motion, "scale"), (size_t)k));
}

static double unrounded(short q, double lo, double hi) {
  return q == -32768 ? NAN : lo / 2 + hi / 2 + (hi / 2 - lo / 2) * q / 32767;
}

// ---- numbers
// --------------------------------------------------------------------------------------

static void rounding(void **state) {
  (void)state;
  assert_int_equal(rp_pack_round(1, 1, 3), -32767);
  assert_int_equal(rp_pack_round(3, 1, 3), 32767);
  assert_int_equal(rp_pack_round(2, 1, 3), 0);
  assert_int_equal(rp_pack_round(9, 1, 3), 32767);
  assert_int_equal(rp_pack_round(5, 5, 5), 0);
  assert_int_equal(rp_pack_round(NAN, 0, 1), -32768);
  assert_int_equal(rp_pack_round(INFINITY, 0, 1), -32768);
}

// all numbers of 16 bits come back, whatever their differences
static void arrays_come_back(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  enum { N = 30, PLANES = 4 };
  short q[PLANES * N], got[PLANES * N];
  int v[N], w[N];
  double f[N];
  float g[N];
  for (int k = 0; k < PLANES * N; k++) q[k] = (short)(k * 7919 % 65536 - 32768);
  for (int k = 0; k < N; k++) {
    v[k] = k * 104729 * (k % 2 ? 1 : -1);
    f[k] = sin(k) * pow(10, k - 15);
  }
  for (int chain = 0; chain < 2; chain++) {
    pl_text raw, t;
    pl_text_init(&raw, &env);
    pl_text_init(&t, &env);
    rp_pack_int(&raw, N, v);
    rp_pack_short(&raw, PLANES, N, 3, chain, q);
    rp_pack_float(&raw, N, f);
    rp_pack_close(&t, &raw);
    reader r = open_data(t.s);
    read_ints(&r, N, w);
    read_shorts(&r, PLANES, N, 3, chain, got);
    read_floats(&r, N, g);
    assert_int_equal(r.at, r.n);
    assert_memory_equal(v, w, sizeof v);
    assert_memory_equal(q, got, sizeof q);
    for (int k = 0; k < N; k++) assert_true(g[k] == (float)f[k]);
    free(r.bytes);
    pl_text_free(&raw);
    pl_text_free(&t);
  }
}

// ---- motions
// --------------------------------------------------------------------------------------

static void films_come_back(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 5, 4, 1, 1, PL_RIGHT, &m));
  double *x = wave(m, NFRAME, 0), *t = moments(NFRAME);
  x[3 * 7] = NAN; // not there yet
  int nvert = m->nvert, ntri = m->cell[PL_TRI3].n, *tri = calloc(3 * (size_t)ntri, sizeof *tri);
  packed p = pack(&env, &(pl_moving){.mesh = m, .nframe = NFRAME, .frames = x, .time = t});
  assert_int_equal(p.nvert, nvert);
  assert_int_equal(count(p.mesh, "triangles"), ntri);
  read_ints(&p.m, 3 * (size_t)ntri, tri);
  for (int k = 0; k < 3 * ntri; k++) assert_in_range(tri[k], 0, nvert - 1);
  json_t *time = json_object_get(p.motion, "time");
  assert_int_equal(json_array_size(time), NFRAME);
  check_close(json_number_value(json_array_get(time, NFRAME - 1)), t[NFRAME - 1], 0);
  short *q = calloc((size_t)NFRAME * 3 * (size_t)nvert, sizeof *q);
  read_shorts(&p.x, NFRAME, 3 * (size_t)nvert, 3, 1, q);
  for (int i = 0; i < NFRAME * 3 * nvert; i++) {
    double lo = scale(&p, 2 * (i % 3)), hi = scale(&p, 2 * (i % 3) + 1);
    if (isnan(x[i]))
      assert_int_equal(q[i], -32768);
    else
      check_close(unrounded(q[i], lo, hi), x[i], (hi - lo) / 65534 + 1e-15);
  }
  packed_free(&p);
  free(q);
  free(tri);
  free(t);
  free(x);
  pl_mesh_free(m);
}

// a period becomes its harmonics, as many as it has
static void periods_come_back(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 5, 4, 1, 1, PL_RIGHT, &m));
  for (int H = 1; H <= 5; H += 2) {
    double *x = wave(m, NFRAME, 1);
    size_t n = 3 * (size_t)m->nvert;
    for (int f = 0; f < NFRAME; f++)
      for (size_t i = 0; i < n; i += 3)
        x[(size_t)f * n + i] += 0.02 * (double)i / (double)n * cos(H * 2 * M_PI * f / NFRAME);
    packed p = pack(&env, &(pl_moving){.mesh = m, .nframe = NFRAME, .frames = x, .period = 0.5});
    assert_int_equal(count(p.motion, "harmonics"), H);
    check_rel(json_number_value(json_object_get(p.motion, "omega")), 4 * M_PI, 1e-14);
    short *q = calloc((size_t)(2 * H + 1) * n, sizeof *q);
    read_shorts(&p.x, 2 * H + 1, n, 3, 0, q);
    assert_int_equal(p.x.at, p.x.n);
    for (int f = 0; f < NFRAME; f += 3)
      for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k <= 2 * H; k++) {
          double phase = 2 * M_PI * f * ((k + 1) / 2) / NFRAME;
          int at = 6 * k + 2 * (int)(i % 3);
          double c = unrounded(q[(size_t)k * n + i], scale(&p, at), scale(&p, at + 1));
          sum += c * (k == 0 ? 1 : k % 2 ? sin(phase) : cos(phase));
        }
        check_close(sum, x[(size_t)f * n + i], 3e-5);
      }
    free(q);
    free(x);
    packed_free(&p);
  }
  pl_mesh_free(m);
}

// of solids the surface alone, its quadrangles whole
static void inner_vertices_stay_out(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const int n[3] = {3, 3, 3};
  const double l[3] = {1, 1, 1};
  pl_mesh *m;
  check_ok(&env, pl_gen_hex_box(&env, n, l, &m));
  double *x = wave(m, NFRAME, 1);
  packed p = pack(&env, &(pl_moving){.mesh = m, .nframe = NFRAME, .frames = x, .period = 1});
  assert_int_equal(p.nvert, 64 - 8);
  assert_int_equal(count(p.mesh, "quads"), 54);
  assert_int_equal(count(p.mesh, "triangles"), 0);
  packed_free(&p);
  free(x);
  pl_mesh_free(m);
}

// links with their joints, springs, marks; lines that go along
static void what_else_is_drawn(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  const double X[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {3, 3, 0}};
  pl_mesh *m;
  check_ok(&env, pl_mesh_create(&env, "test", 4, &m));
  check_ok(&env, pl_mesh_set_cells(m, PL_SEG2, 2));
  memcpy(m->X, X, sizeof X);
  memcpy(m->cell[PL_SEG2].v, (int[]){0, 1, 1, 2}, 4 * sizeof(int));
  double *x = wave(m, NFRAME, 0), *t = moments(NFRAME);
  const double line[2][2][3] = {{{0, 0, 0}, {1, 0, 0}}, {{0, 1, 0}, {1, 1, 0}}};
  const double drift[2][3] = {{0}, {0, -0.5, 0}};
  const char bare[4] = {0, 1, 0, 0};
  const pl_tie tie = {.a = {0, 1}, .b = {1, 2}, .s = {0.25, 0.5}, .o = {-0.1, 0.2}};
  const pl_view v = {.flat = 1,
                     .nline = 2,
                     .line = &line[0][0][0],
                     .drift = &drift[0][0],
                     .nmark = 1,
                     .mark = (int[]){2},
                     .bare = bare,
                     .ntie = 1,
                     .tie = &tie};
  packed p =
      pack(&env, &(pl_moving){.mesh = m, .view = &v, .nframe = NFRAME, .frames = x, .time = t});
  int seg[4], point, mark, joint[2], hold[4];
  float at[4], lines[12], way[6];
  assert_int_equal(count(p.mesh, "joints"), 2);
  read_ints(&p.m, 4, seg);
  read_ints(&p.m, 1, &point);
  read_ints(&p.m, 1, &mark);
  read_ints(&p.m, 2, joint);
  read_ints(&p.m, 4, hold);
  read_floats(&p.m, 4, at);
  assert_int_equal(p.m.at, p.m.n);
  assert_memory_equal(seg, m->cell[PL_SEG2].v, sizeof seg);
  assert_true(point == 3 && mark == 2 && joint[0] == 0 && joint[1] == 2);
  assert_memory_equal(hold, ((int[]){0, 1, 1, 2}), sizeof hold);
  for (int k = 0; k < 4; k++)
    check_close((double)at[k], ((double[]){0.25, -0.1, 0.5, 0.2})[k], 1e-7);
  read_floats(&p.x, 12, lines);
  read_floats(&p.x, 6, way);
  check_close((double)lines[7], 1, 0);
  check_close((double)way[4], -0.5, 0);
  packed_free(&p);

  // in the picture, which shows the end, they have arrived
  pl_text a, b;
  pl_text_init(&a, &env);
  pl_text_init(&b, &env);
  check_ok(&env,
           pl_moving_svg(
               &a, &(pl_moving){.mesh = m, .view = &v, .nframe = NFRAME, .frames = x, .time = t}));
  pl_view still = v;
  still.drift = NULL;
  check_ok(&env, pl_moving_svg(
                     &b, &(pl_moving){
                             .mesh = m, .view = &still, .nframe = NFRAME, .frames = x, .time = t}));
  well_formed(&a);
  assert_true(strcmp(a.s, b.s) != 0);
  pl_text_free(&a);
  pl_text_free(&b);
  free(t);
  free(x);
  pl_mesh_free(m);
}

// values of faces go along; what is beyond the limit stays beyond it
static void values_come_back(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 1, 1, 1, 1, PL_RIGHT, &m));
  double *x = wave(m, NFRAME, 0), *t = moments(NFRAME), value[NFRAME][2];
  for (int f = 0; f < NFRAME; f++) {
    value[f][0] = f == 3 ? NAN : 0.05 * f;
    value[f][1] = f < 8 ? 0.995 : 1.3;
  }
  const pl_view v = {.face = &value[0][0], .hi = 1, .limit = 1, .colour_label = "part <&> \"all\""};
  packed p =
      pack(&env, &(pl_moving){.mesh = m, .view = &v, .nframe = NFRAME, .frames = x, .time = t});
  json_t *values = json_object_get(p.motion, "values");
  double most = json_number_value(json_object_get(values, "most"));
  assert_string_equal(json_string_value(json_object_get(values, "label")), v.colour_label);
  short q[NFRAME][2], skip[NFRAME * 12];
  read_shorts(&p.x, NFRAME, 12, 3, 1, skip);
  read_shorts(&p.x, NFRAME, 2, 1, 1, &q[0][0]);
  for (int f = 0; f < NFRAME; f++) {
    double a = unrounded(q[f][0], 0, most), b = unrounded(q[f][1], 0, most);
    if (f == 3)
      assert_true(isnan(a));
    else
      check_close(a, value[f][0], 1e-4);
    assert_true(f < 8 ? b >= 0.99 && b < 1.01 : b > 1.01);
  }
  packed_free(&p);
  free(t);
  free(x);
  pl_mesh_free(m);
}

// ---- pages
// ----------------------------------------------------------------------------------------

static const char *const file = "test_report_motion.tmp.html";

static char *page_of(pl_env *env, int n, const pl_moving *m) {
  pl_page *p;
  char *html;
  size_t size;
  check_ok(env, pl_page_create(env, "x", &p));
  for (int k = 0; k < n; k++) check_ok(env, pl_page_moving(p, &m[k], "It <moves>."));
  check_ok(env, pl_page_write(p, file));
  check_ok(env, pl_file_read(env, file, 0, &html, &size));
  pl_page_free(p);
  remove(file);
  return html;
}

// pictures always; with the player one mesh and one script for all motions
static void figures(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 5, 4, 1, 1, PL_RIGHT, &m));
  double *x = wave(m, NFRAME, 1), *t = moments(NFRAME);
  const pl_moving all[2] = {{.mesh = m, .nframe = NFRAME, .frames = x, .period = 1},
                            {.mesh = m, .nframe = NFRAME, .frames = x, .time = t}};
  char *html = page_of(&env, 2, all);
  const char *wrong = xml_wrong(html);
  if (wrong) fail_msg("not well-formed: %s", wrong);
  assert_int_equal(xml_count(html, "<svg"), 2);
  assert_int_equal(xml_count(html, "It &lt;moves&gt;."), 2);
  size_t size;
  int player = rp_player(&size) != NULL;
  assert_int_equal(xml_count(html, "class=\"pl-motion\""), 2 * player);
  assert_int_equal(xml_count(html, " id=\"pl-mesh-"), player);
  assert_int_equal(xml_count(html, " id=\"pl-player\""), player);
  assert_int_equal(xml_count(html, "DecompressionStream('gzip')"), player);
  // a page without motions has no script, and nor has one of a single moment
  pl_free(&env, html);
  html = page_of(&env, 1, &(pl_moving){.mesh = m, .nframe = 1, .frames = x});
  assert_int_equal(xml_count(html, "<svg"), 1);
  assert_null(strstr(html, "<script"));
  pl_free(&env, html);
  free(t);
  free(x);
  pl_mesh_free(m);
}

// large meshes are thinned, and frames left out, until about a megabyte is left
static void size_is_limited(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  for (int size = 20; size <= 120; size += 100)
    for (int closed = 0; closed < 2; closed++) {
      int nframe = closed ? 24 : 130;
      pl_mesh *m;
      check_ok(&env, pl_gen_grid(&env, size, size, 1, 1, PL_RIGHT, &m));
      double *x = wave(m, nframe, closed), *t = moments(nframe);
      // what packs badly
      for (int i = 0; i < 3 * nframe * m->nvert; i++) x[i] += 1e-3 * sin(1e4 * sin(i));
      const pl_moving it = {.mesh = m, .nframe = nframe, .frames = x, .time = t, .period = closed};
      packed p = pack(&env, &it);
      check_less((double)strlen(json_string_value(json_object_get(p.motion, "data"))), 1.7e6);
      if (!closed) assert_in_range(json_array_size(json_object_get(p.motion, "time")), 20, 120);
      assert_true(count(p.mesh, "triangles") > (size == 20 ? 799 : 2000));
      packed_free(&p);
      free(t);
      free(x);
      pl_mesh_free(m);
    }
}

static void mistakes(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 2, 2, 1, 1, PL_RIGHT, &m));
  double *x = wave(m, 2, 1);
  pl_text t;
  pl_text_init(&t, &env);
  check_status(&env, pl_moving_svg(&t, &(pl_moving){.mesh = m}), PL_E_ARG);
  check_status(&env, pl_moving_svg(&t, &(pl_moving){.mesh = m, .nframe = 2, .frames = x}),
               PL_E_ARG);
  assert_int_equal(t.n, 0);
  check_ok(&env, pl_moving_svg(&t, &(pl_moving){.mesh = m, .nframe = 1, .frames = x}));
  well_formed(&t);
  pl_text_free(&t);
  free(x);
  pl_mesh_free(m);
}

static pl_status allocating(pl_env *env, void *ctx) {
  const double *x = ctx;
  pl_mesh *m = NULL;
  pl_page *p = NULL;
  PL_TRY(pl_gen_grid(env, 3, 2, 1, 1, PL_RIGHT, &m));
  const double t[2] = {0, 1}, face[24] = {0.5}, line[6] = {0, 0, 0, 1, 1, 1}, drift[3] = {1};
  const pl_tie tie = {.a = {0, 1}, .b = {1, 2}};
  const pl_view v = {
      .face = face, .nline = 1, .line = line, .drift = drift, .ntie = 1, .tie = &tie};
  pl_status s = pl_page_create(env, "x", &p);
  if (s == PL_OK)
    s = pl_page_moving(p, &(pl_moving){.mesh = m, .view = &v, .nframe = 2, .frames = x, .time = t},
                       "a");
  if (s == PL_OK)
    s = pl_page_moving(p, &(pl_moving){.mesh = m, .nframe = 2, .frames = x, .period = 1}, "b");
  if (s == PL_OK) s = pl_page_write(p, file);
  pl_page_free(p);
  pl_mesh_free(m);
  return s;
}

static void failing_allocator(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_mesh *m;
  check_ok(&env, pl_gen_grid(&env, 3, 2, 1, 1, PL_RIGHT, &m));
  double *x = wave(m, 2, 0);
  check_allocations(allocating, x);
  free(x);
  pl_mesh_free(m);
  remove(file);
}

int test_motion(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounding),          cmocka_unit_test(arrays_come_back),
      cmocka_unit_test(films_come_back),   cmocka_unit_test(periods_come_back),
      cmocka_unit_test(values_come_back),  cmocka_unit_test(inner_vertices_stay_out),
      cmocka_unit_test(figures),           cmocka_unit_test(what_else_is_drawn),
      cmocka_unit_test(size_is_limited),   cmocka_unit_test(mistakes),
      cmocka_unit_test(failing_allocator),
  };
  return cmocka_run_group_tests_name("report.motion", tests, NULL, NULL);
}
