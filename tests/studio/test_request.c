// Requests: what is one, what is not, and the operations on files.
#include "studios.h"

#include "files.h"
#include "server_impl.h"

static int parses(const char *text, request *r) {
  failure f;
  return request_parse(text, strlen(text), r, &f);
}

static void requests(void **state) {
  (void)state;
  request r;
  assert_true(parses("{\"id\": 7, \"op\": \"open\", \"args\": {\"path\": \"a\"}}", &r));
  assert_true(r.id == 7 && strcmp(r.op, "open") == 0);
  assert_string_equal(arg_text(r.args, "path"), "a");
  assert_null(arg_text(r.args, "other"));
  request_free(&r);
  assert_true(parses("{\"op\": \"shown\"}", &r));
  assert_true(r.id == 0 && json_is_object(r.args));
  request_free(&r);
  static const char *const bad[] = {
      "",
      "{}",
      "[]",
      "7",
      "null",
      "{\"op\": 3}",
      "{\"id\": \"a\", \"op\": \"open\"}",
      "{\"id\": 1.5, \"op\": \"open\"}",
      "{\"id\": 99999999999999999999, \"op\": \"open\"}",
      "{\"id\": 1, \"op\": \"open\", \"args\": []}",
      "{\"id\": 1, \"op\": \"open\", \"args\": null}",
      "{\"id\": 1, \"id\": 2, \"op\": \"open\"}",
      "{\"id\": 1, \"op\": \"a\\u0000b\"}",
      "{\"id\": 1, \"op\": \"\xff\"}",
      "{\"id\": 1, \"op\": \"open\"} x",
      "{\"id\": 1, \"op\": \"open\"",
  };
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
    if (parses(bad[k], &r)) fail_msg("a request: %s", bad[k]);
}

static void depth(void **state) {
  (void)state;
  request r;
  failure f;
  // brackets in texts do not count
  assert_true(parses(
      "{\"op\": \"a\", \"args\": {\"a\": \"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[\"}}", &r));
  request_free(&r);
  size_t n = MESSAGE_MAX;
  char *text = malloc(n + 2);
  assert_non_null(text);
  memset(text, '[', n + 1);
  text[n + 1] = 0;
  assert_false(request_parse(text, n, &r, &f));
  memset(text, ' ', n + 1);
  memcpy(text, "{\"op\":\"a\"}", 10);
  assert_true(request_parse(text, n, &r, &f));
  request_free(&r);
  assert_false(request_parse(text, n + 1, &r, &f));
  free(text);
}

static void refused(studio *s, const char *op, json_t *args, const char *code) {
  failure f;
  json_t *reply = dispatch(s, op, args, &f);
  assert_null(reply);
  assert_string_equal(f.code, code);
  assert_true(f.text[0] != 0);
  json_decref(args);
}

static json_t *done(studio *s, const char *op, json_t *args) {
  failure f;
  json_t *reply = dispatch(s, op, args, &f);
  if (!reply) fail_msg("%s: %s", op, f.text);
  json_decref(args);
  return reply;
}

static void files(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_request.folder");
  refused(s, "nonsense", json_object(), "bad-request");
  refused(s, "open", json_object(), "bad-request");
  refused(s, "open", json_pack("{s:s}", "path", "none.yaml"), "not-found");
  refused(s, "open", json_pack("{s:i}", "path", 7), "bad-request");
  refused(s, "open", json_pack("{s:s}", "gallery", "../../etc"), "not-found");
  refused(s, "open", json_pack("{s:s}", "starter", "nonsense"), "not-found");
  refused(s, "save", json_pack("{s:s, s:s}", "path", "a.sh", "text", "x"), "bad-request");
  refused(s, "save", json_pack("{s:s}", "path", "a.yaml"), "bad-request");
  refused(s, "write", json_pack("{s:s, s:s}", "path", "a.yaml", "data", "x"), "bad-request");
  json_decref(done(s, "save", json_pack("{s:s, s:s}", "path", "sub/a.yaml", "text", "ä: 1\n")));
  json_decref(done(s, "write", json_pack("{s:s, s:s}", "path", "b.csv", "data", "1,2\n")));
  json_t *reply = done(s, "open", json_pack("{s:s}", "path", "sub/a.yaml"));
  assert_string_equal(arg_text(reply, "text"), "ä: 1\n");
  json_decref(reply);
  reply = done(s, "files", json_object());
  assert_int_equal(json_array_size(json_object_get(reply, "files")), 2);
  json_decref(reply);
  reply = done(s, "open", json_pack("{s:s}", "starter", "shell"));
  assert_string_equal(arg_text(reply, "path"), "shell.yaml");
  json_decref(reply);
  // what is no text is no scene
  failure f;
  assert_true(file_write(s, "bad.yaml", "\xff\xfe", 2, &f));
  refused(s, "open", json_pack("{s:s}", "path", "bad.yaml"), "bad-scene");
  pl_studio_stop(s);
}

static json_t *next_piece(int upload, const char *path, int at, int total, const char *base64) {
  return json_pack("{s:i, s:s, s:i, s:i, s:s}", "upload", upload, "path", path, "at", at, "total",
                   total, "base64", base64);
}

static json_t *piece(const char *path, int at, int total, const char *base64) {
  return next_piece(0, path, at, total, base64);
}

// its number
static int begin_upload(studio *s, const char *path, int total, const char *base64) {
  json_t *reply = done(s, "upload", piece(path, 0, total, base64));
  int number = (int)json_integer_value(json_object_get(reply, "upload"));
  json_decref(reply);
  assert_true(number > 0);
  return number;
}

// bytes of all kinds in pieces of six; nothing is there before it is whole
static void uploads(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_upload.folder");
  failure f;
  char *bytes;
  size_t n;
  refused(s, "upload", piece("a.sh", 0, 1, "AA=="), "bad-request");
  refused(s, "upload", piece("a.yaml", 0, 1, "AA=="), "bad-request");
  refused(s, "upload", piece("../a.stl", 0, 1, "AA=="), "bad-request");
  refused(s, "upload", piece("a.stl", 0, 1 << 29, "AA=="), "bad-request");
  refused(s, "upload", piece("a.stl", 0, -1, ""), "bad-request");
  refused(s, "upload", piece("a.stl", 0, 1, "AAA"), "bad-request");
  refused(s, "upload", piece("a.stl", 0, 1, "A?=="), "bad-request");
  refused(s, "upload", piece("a.stl", 0, 1, "AAAA"), "bad-request");
  refused(s, "upload", piece("a.stl", 6, 12, "AAAA"), "not-found");
  int number = begin_upload(s, "a.stl", 12, "AP+A/wpw");
  refused(s, "upload", piece("a.stl", 6, 12, "bGlhbnQA"), "not-found");
  refused(s, "upload", next_piece(number, "a.stl", 3, 12, "bGlhbnQA"), "not-found");
  refused(s, "upload", next_piece(number, "b.stl", 6, 12, "bGlhbnQA"), "not-found");
  assert_false(file_exists(s, "a.stl"));
  json_decref(done(s, "upload", next_piece(number, "a.stl", 6, 12, "bGlhbnQA")));
  assert_true(file_read(s, "a.stl", &bytes, &n, &f));
  assert_int_equal(n, 12);
  assert_memory_equal(bytes,
                      "\0\xff\x80\xff\np"
                      "liant\0",
                      12);
  free(bytes);
  json_decref(done(s, "upload", piece("empty.csv", 0, 0, "")));
  assert_true(file_exists(s, "empty.csv"));
  pl_studio_stop(s);
}

static void check_file(studio *s, const char *path, const char *text) {
  failure f;
  char *bytes;
  size_t n;
  assert_true(file_read(s, path, &bytes, &n, &f));
  assert_int_equal(n, strlen(text));
  assert_memory_equal(bytes, text, n);
  free(bytes);
}

// two pages, even with files of one name; of five the one that is silent longest is given up
static void uploads_side_by_side(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_upload.folder");
  int a = begin_upload(s, "a.csv", 6, "YWFh"), b = begin_upload(s, "b.csv", 6, "YmJi");
  int again = begin_upload(s, "a.csv", 6, "Y2Nj");
  // a piece that is broken ends its own file alone
  refused(s, "upload", next_piece(b, "b.csv", 3, 6, "Y!=="), "bad-request");
  refused(s, "upload", next_piece(b, "b.csv", 3, 6, "YmJi"), "not-found");
  json_decref(done(s, "upload", next_piece(again, "a.csv", 3, 6, "Y2Nj")));
  check_file(s, "a.csv", "cccccc");
  json_decref(done(s, "upload", next_piece(a, "a.csv", 3, 6, "YWFh")));
  check_file(s, "a.csv", "aaaaaa");
  int all[5];
  for (int k = 0; k < 5; k++) all[k] = begin_upload(s, "b.csv", 6, "YmJi");
  refused(s, "upload", next_piece(all[0], "b.csv", 3, 6, "YmJi"), "not-found");
  for (int k = 1; k < 5; k++)
    json_decref(done(s, "upload", next_piece(all[k], "b.csv", 3, 6, "YmJi")));
  check_file(s, "b.csv", "bbbbbb");
  pl_studio_stop(s);
}

static void secrets(void **state) {
  (void)state;
  assert_true(equal_secret("abc", "abc"));
  assert_false(equal_secret("abd", "abc"));
  assert_false(equal_secret("ab", "abc"));
  assert_false(equal_secret("", "abc"));
  assert_false(equal_secret("abcd", "abc"));
}

static void no_start(pl_env *env, pl_studio_opts o, pl_status status) {
  studio *s;
  check_status(env, pl_studio_start(env, &o, &s), status);
  assert_null(s);
}

static void starts(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_request.folder");
  studio *t = studio_for(&env, "test_request.other");
  assert_int_equal(strlen(s->token), 32);
  assert_string_not_equal(s->token, t->token);
  int port = 0;
  assert_int_equal(sscanf(s->name, "127.0.0.1:%d", &port), 1);
  // taken
  no_start(&env, (pl_studio_opts){.port = port}, PL_E_IO);
  no_start(&env, (pl_studio_opts){.folder = "not/there"}, PL_E_IO);
  no_start(&env, (pl_studio_opts){.bind = "example.org"}, PL_E_ARG);
  no_start(&env, (pl_studio_opts){.port = -1}, PL_E_ARG);
  pl_studio_stop(t);
  pl_studio_stop(s);
  pl_studio_stop(NULL);
}

int test_request(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(requests),
                                     cmocka_unit_test(depth),
                                     cmocka_unit_test(files),
                                     cmocka_unit_test(uploads),
                                     cmocka_unit_test(uploads_side_by_side),
                                     cmocka_unit_test(secrets),
                                     cmocka_unit_test(starts)};
  return cmocka_run_group_tests_name("studio.request", tests, NULL, NULL);
}
