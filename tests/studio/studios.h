#ifndef TESTS_STUDIOS_H
#define TESTS_STUDIOS_H

#include "check.h"

#include "studio_impl.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// A studio for a new folder below the working one.
static inline studio *studio_for(pl_env *env, const char *folder) {
  const pl_studio_opts o = {.folder = folder};
  char command[256];
  studio *s;
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(mkdir(folder, 0755), 0);
  check_ok(env, pl_studio_start(env, &o, &s));
  return s;
}

// A page in C that only understands what the tests need. Reads wait 10 s at most.
typedef struct test_page {
  int fd;
  char *data; // of the last message
  size_t n;
  int code; // 1: text, 2: binary, 8: the end
} test_page;

static inline void page_read(test_page *p, void *out, size_t n) {
  for (size_t got = 0; got < n;) {
    struct pollfd f = {.fd = p->fd, .events = POLLIN};
    assert_int_equal(poll(&f, 1, 10000), 1);
    ssize_t k = recv(p->fd, (char *)out + got, n - got, 0);
    assert_true(k > 0);
    got += (size_t)k;
  }
}

static inline void page_next(test_page *p) {
  unsigned char head[10];
  page_read(p, head, 2);
  int extra = head[1] == 126 ? 2 : head[1] == 127 ? 8 : 0;
  page_read(p, head + 2, (size_t)extra);
  p->code = head[0] & 15;
  p->n = extra ? 0 : head[1];
  for (int k = 0; k < extra; k++) p->n = p->n << 8 | head[2 + k];
  free(p->data);
  p->data = malloc(p->n + 1);
  assert_non_null(p->data);
  page_read(p, p->data, p->n);
  p->data[p->n] = 0;
}

static inline void page_say(const test_page *p, const char *text) {
  unsigned char head[8] = {0x81};
  size_t n = strlen(text), m = n < 126 ? 2 : 4;
  head[1] = (unsigned char)(0x80 | (n < 126 ? n : 126));
  if (m == 4) head[2] = (unsigned char)(n >> 8), head[3] = (unsigned char)n;
  // a mask of zeros
  assert_int_equal(send(p->fd, head, m + 4, MSG_NOSIGNAL), m + 4);
  assert_int_equal(send(p->fd, text, n, MSG_NOSIGNAL), n);
}

// receive: bytes that the system keeps for the page, 0: as ever
static inline test_page page_connect(const studio *s, int receive) {
  test_page p = {.fd = socket(AF_INET, SOCK_STREAM, 0)};
  struct sockaddr_in in = {.sin_family = AF_INET};
  char text[512], answer[512];
  const char *colon = strchr(s->name, ':');
  in.sin_port = htons((uint16_t)atoi(colon + 1));
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  setsockopt(p.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (receive) setsockopt(p.fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof receive);
  assert_int_equal(connect(p.fd, (struct sockaddr *)&in, sizeof in), 0);
  int n = snprintf(text, sizeof text,
                   "GET /socket HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                   s->name, s->name);
  assert_int_equal(send(p.fd, text, (size_t)n, MSG_NOSIGNAL), n);
  page_read(&p, answer, 129);
  assert_memory_equal(answer, "HTTP/1.1 101", 12);
  assert_memory_equal(answer + 125, "\r\n\r\n", 4);
  return p;
}

static inline test_page page_open(const studio *s, int receive) {
  test_page p = page_connect(s, receive);
  char text[128];
  snprintf(text, sizeof text, "{\"id\":1,\"op\":\"hello\",\"args\":{\"token\":\"%s\"}}", s->token);
  page_say(&p, text);
  page_next(&p);
  assert_non_null(strstr(p.data, "\"reply\""));
  return p;
}

static inline void page_close(test_page *p) {
  close(p->fd);
  free(p->data);
  p->data = NULL;
}

#endif
