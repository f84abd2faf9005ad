// What pages are told: in order, the newest of a kind, never waited for.
#include "studios.h"

// other tests of this program look at what is sent instead
void __real_push_event(studio *s, json_t *event);
void __real_push_latest(studio *s, const char *key, json_t *event);
void __real_push_frame(studio *s, int run, double t, int n, const float *values);
#define push_event  __real_push_event
#define push_latest __real_push_latest
#define push_frame  __real_push_frame

static json_t *event(const char *name, int n) {
  return json_pack("{s:s, s:i}", "event", name, "n", n);
}

static int number_of(const test_page *p, const char *name) {
  json_t *json = json_loads(p->data, 0, NULL);
  assert_non_null(json);
  const char *is = json_string_value(json_object_get(json, "event"));
  int n = is && strcmp(is, name) == 0 ? (int)json_integer_value(json_object_get(json, "n")) : -1;
  json_decref(json);
  return n;
}

static void in_order(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_push_order");
  // nobody listens yet
  push_event(s, event("early", 0));
  test_page a = page_open(s, 0), b = page_open(s, 0);
  for (int k = 0; k < 1000; k++) push_event(s, event("e", k));
  for (int k = 0; k < 1000; k++) {
    page_next(&a);
    assert_int_equal(number_of(&a, "e"), k);
    page_next(&b);
    assert_int_equal(number_of(&b, "e"), k);
  }
  page_close(&a);
  page_close(&b);
  pl_studio_stop(s);
}

// a frame's head, and that two are on the way until the page says that it has shown one
static void frames(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_push_frames");
  test_page p = page_open(s, 0);
  const float x[6] = {1, 2, 3, 4, 5, 6};
  double begin = pl_wall_time();
  for (int k = 0; k < 2; k++) {
    push_frame(s, 7, 0.5 * k, 6, x);
    page_next(&p);
    assert_int_equal(p.code, 2);
    assert_int_equal(p.n, 24 + sizeof x);
    assert_memory_equal(p.data, "PLN1\1\0\0\0\7\0\0\0\6\0\0\0", 16);
    double t;
    memcpy(&t, p.data + 16, sizeof t);
    check_close(t, 0.5 * k, 0);
    assert_memory_equal(p.data + 24, x, sizeof x);
  }
  for (int k = 2; k < 50; k++) push_frame(s, 7, k, 6, x);
  struct pollfd f = {.fd = p.fd, .events = POLLIN};
  // nothing, unless this machine slept for so long that the page counts as forgetful
  if (poll(&f, 1, 200) && pl_wall_time() - begin < 0.9) fail_msg("a third frame came");
  page_say(&p, "{\"op\":\"shown\"}");
  page_next(&p);
  double t;
  memcpy(&t, p.data + 16, sizeof t);
  check_close(t, 49, 0);
  page_close(&p);
  pl_studio_stop(s);
}

// A page that does not read costs those who tell nothing, and learns that it has missed something.
static void slow_page(void **state) {
  (void)state;
  enum { N = 40000 };
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_push_slow");
  test_page slow = page_open(s, 4096), good = page_open(s, 0);
  char text[1001];
  memset(text, 'x', 1000);
  text[1000] = 0;
  double longest = 0;
  int seen = 0;
  for (int k = 0; k < N; k++) {
    double t = pl_wall_time();
    push_event(s, json_pack("{s:s, s:i, s:s}", "event", "e", "n", k, "text", text));
    t = pl_wall_time() - t;
    longest = t > longest ? t : longest;
    // the other page goes on reading, now and then
    if (k % 1000 != 999) continue;
    for (; seen <= k; seen++) {
      page_next(&good);
      assert_int_equal(number_of(&good, "e"), seen);
    }
  }
  check_less(longest, 1);
  int last = -1, lost = 0;
  while (last < N - 1) {
    page_next(&slow);
    int n = number_of(&slow, "e");
    if (n < 0) {
      assert_non_null(strstr(slow.data, "\"lost\""));
      lost++;
      continue;
    }
    assert_true(n > last);
    // what is missing was told
    assert_true(n == last + 1 || lost > 0);
    last = n;
  }
  assert_true(lost > 0);
  page_close(&slow);
  page_close(&good);
  pl_studio_stop(s);
}

static void newest(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_push_newest");
  test_page p = page_open(s, 4096);
  char *text = calloc(1, (4 << 20) + 1);
  // what fills all buffers on the way, so that the following wait
  memset(text, 'x', 4 << 20);
  push_event(s, json_pack("{s:s, s:s}", "event", "big", "text", text));
  push_event(s, json_pack("{s:s, s:s}", "event", "big", "text", text));
  free(text);
  usleep(100000);
  for (int k = 0; k < 100; k++) push_latest(s, "a", event("a", k));
  for (int k = 0; k < 100; k++) push_latest(s, "b", event("b", k));
  push_event(s, event("end", 1));
  page_next(&p);
  page_next(&p);
  page_next(&p);
  assert_int_equal(number_of(&p, "a"), 99);
  page_next(&p);
  assert_int_equal(number_of(&p, "b"), 99);
  page_next(&p);
  assert_int_equal(number_of(&p, "end"), 1);
  page_close(&p);
  pl_studio_stop(s);
}

// pages come and go while things are told; the fifth is refused, and a place is free again soon
static void pages(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  studio *s = studio_for(&env, "test_push_pages");
  test_page four[4];
  for (int k = 0; k < 4; k++) four[k] = page_open(s, 0);
  test_page fifth = page_connect(s, 0);
  char text[128];
  snprintf(text, sizeof text, "{\"id\":1,\"op\":\"hello\",\"args\":{\"token\":\"%s\"}}", s->token);
  page_say(&fifth, text);
  page_next(&fifth);
  assert_non_null(strstr(fifth.data, "4 pages are open already"));
  page_next(&fifth);
  assert_int_equal(fifth.code, 8);
  page_close(&fifth);
  for (int k = 0; k < 200; k++) {
    page_close(&four[k % 4]);
    push_event(s, event("e", k));
    test_page next = page_connect(s, 0);
    page_say(&next, text);
    page_next(&next);
    // the place of the one that left may be taken for a moment
    while (!strstr(next.data, "\"version\"")) {
      page_close(&next);
      usleep(1000);
      next = page_connect(s, 0);
      page_say(&next, text);
      page_next(&next);
    }
    four[k % 4] = next;
  }
  for (int k = 0; k < 4; k++) page_close(&four[k]);
  pl_studio_stop(s);
}

int test_push(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(frames),
                                     cmocka_unit_test(slow_page), cmocka_unit_test(newest),
                                     cmocka_unit_test(pages)};
  return cmocka_run_group_tests_name("studio.push", tests, NULL, NULL);
}
