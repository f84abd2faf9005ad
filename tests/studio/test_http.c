// Heads of requests, the handshake and frames of WebSockets: what is understood and what is
// refused.
#include "check.h"

#include "http_impl.h"

#include <string.h>

static int parse(const char *text, http_head *h) {
  static char copy[2048];
  size_t n = strlen(text);
  memcpy(copy, text, n + 1);
  return head_parse(copy, n, h);
}

static void heads(void **state) {
  (void)state;
  http_head h;
  assert_true(
      parse("GET /data/a/1?x=1?y HTTP/1.1\r\nHost: 127.0.0.1:80 \r\nX:\r\nY: a\tb\r\n\r\n", &h));
  assert_string_equal(h.method, "GET");
  assert_string_equal(h.path, "/data/a/1");
  assert_int_equal(h.nfield, 3);
  assert_string_equal(head_field(&h, "hOST"), "127.0.0.1:80");
  assert_string_equal(head_field(&h, "x"), "");
  assert_string_equal(head_field(&h, "y"), "a\tb");
  assert_null(head_field(&h, "z"));
  assert_true(parse("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", &h));
  assert_true(head_has(&h, "host"));
  // twice is as if it were not there
  assert_null(head_field(&h, "host"));
}

static void bad_heads(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",
      "\r\n\r\n",
      "GET\r\n\r\n",
      "GET /\r\n\r\n",
      "GET  / HTTP/1.1\r\n\r\n",
      "GET / HTTP/2.0\r\n\r\n",
      "GET / HTTP/1.1 \r\n\r\n",
      "GET http://127.0.0.1/ HTTP/1.1\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\n\r\n",
      "G\x01T / HTTP/1.1\r\n\r\n",
      "GET /\x01 HTTP/1.1\r\n\r\n",
      "GET /\x7f HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\n\n",
      "GET / HTTP/1.1\r\nHost a\r\n\r\n",
      "GET / HTTP/1.1\r\n: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n",
  };
  http_head h;
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
    if (parse(bad[k], &h)) fail_msg("understood: %s", bad[k]);
  char many[FIELDS_MAX * 8 + 64] = "GET / HTTP/1.1\r\n";
  for (int k = 0; k <= FIELDS_MAX; k++) strcat(many, "a: b\r\n");
  strcat(many, "\r\n");
  assert_false(parse(many, &h));
}

static void lists(void **state) {
  (void)state;
  assert_true(list_has("keep-alive, Upgrade", "upgrade"));
  assert_true(list_has(" upgrade\t,x", "Upgrade"));
  assert_false(list_has("upgrade-insecure", "upgrade"));
  assert_false(list_has("", "upgrade"));
  assert_false(list_has(",,", "upgrade"));
}

// the example of RFC 6455, section 1.3
static void handshake(void **state) {
  (void)state;
  char out[ACCEPT_SIZE];
  assert_true(socket_accept("dGhlIHNhbXBsZSBub25jZQ==", out));
  assert_string_equal(out, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  assert_false(socket_accept("", out));
  assert_false(socket_accept("dGhlIHNhbXBsZSBub25jZQ=", out));
  assert_false(socket_accept("dGhlIHNhbXBsZSBub25jZQ===", out));
  assert_false(socket_accept("dGhlIHNhbXBsZSBub25jZ!==", out));
}

// lengths at which the form of the head changes, and what frame_write makes, masked
static void frames(void **state) {
  (void)state;
  static const uint64_t lengths[] = {0, 1, 125, 126, 127, 65535, 65536, 1u << 30, INT64_MAX};
  for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
    unsigned char b[FRAME_HEAD_MAX + 4];
    frame f;
    int n = frame_write(FRAME_BINARY, lengths[k], b);
    assert_int_equal(n, lengths[k] < 126 ? 2 : lengths[k] < 65536 ? 4 : 10);
    // a server's frame is not taken for a client's
    assert_int_equal(frame_read(b, (size_t)n, &f), -1);
    b[1] |= 128;
    memcpy(b + n, "mask", 4);
    for (int m = 0; m < n + 4; m++) assert_int_equal(frame_read(b, (size_t)m, &f), 0);
    assert_int_equal(frame_read(b, (size_t)n + 4, &f), n + 4);
    assert_true(f.n == lengths[k] && f.last && f.code == FRAME_BINARY);
    assert_memory_equal(f.mask, "mask", 4);
  }
}

static void bad_frames(void **state) {
  (void)state;
  static const unsigned char bad[][2] = {
      {0xc1, 0x80}, {0xa1, 0x80}, {0x91, 0x80}, // reserved bits
      {0x83, 0x80}, {0x8b, 0x80}, {0x8f, 0x80}, // reserved codes
      {0x09, 0x80}, {0x89, 0xfe}, {0x88, 0xff}, // control frames in parts and long ones
      {0x81, 0x00},                             // not masked
  };
  frame f;
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
    assert_int_equal(frame_read(bad[k], 2, &f), -1);
  const unsigned char huge[14] = {0x81, 0xff, 0x80};
  assert_int_equal(frame_read(huge, sizeof huge, &f), -1);
}

int test_http(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(heads),  cmocka_unit_test(bad_heads),
                                     cmocka_unit_test(lists),  cmocka_unit_test(handshake),
                                     cmocka_unit_test(frames), cmocka_unit_test(bad_frames)};
  return cmocka_run_group_tests_name("studio.http", tests, NULL, NULL);
}
