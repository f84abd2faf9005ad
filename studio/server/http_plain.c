// HTTP on sockets: a thread for each connection, one request or one WebSocket per connection. All
// waiting ends at some time, and a connection that has asked nothing yet makes room for new ones.
#include "http.h"
#include "http_impl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define HEAD_WITHIN    5.0  // s for a request to come in
#define MESSAGE_WITHIN 30.0 // s for a message to come in, from its first byte
#define TAKE_WITHIN    10.0 // s in which a client takes some of what is sent
#define LINGER         0.5  // s for a client to end after the reply

enum { CONNECTIONS_MAX = 64, BACKLOG = 128, BODY_DROPPED = 1 << 20 };

struct http {
  http_handler handler;
  int listener, wake, port;
  pthread_t thread;
  int serving;
  pthread_mutex_t lock; // of the following
  pthread_cond_t gone;
  struct connection *first;
  int n, stop;
};

struct http_request {
  struct connection *c;
  http_head head;
};

struct http_socket {
  struct connection *c;
  pthread_mutex_t send; // whole frames
  int ended;            // atomic
};

typedef enum stage { ASKING, ANSWERED, SOCKET } stage;

typedef struct connection {
  http *h;
  struct connection *next;
  int fd;
  stage stage; // of the lock
  size_t n;    // bytes in
  char in[HEAD_MAX + 1];
} connection;

// ---- bytes --------------------------------------------------------------------------------------

// 0: not ready before the time `until`; negative: for ever
static int wait_for(int fd, short what, double until) {
  struct pollfd p = {.fd = fd, .events = what};
  for (;;) {
    double left = until < 0 ? 0 : until - pl_wall_time();
    if (left < 0) return 0;
    int k = poll(&p, 1, until < 0 ? -1 : (int)(left * 1000) + 1);
    if (k > 0) return 1;
    if (k < 0 && errno != EINTR) return 0;
  }
}

// some bytes more; 0: the end, or it is too late
static size_t receive(int fd, void *out, size_t room, double until) {
  for (;;) {
    ssize_t k = recv(fd, out, room, 0);
    if (k >= 0) return (size_t)k;
    if (errno == EINTR) continue;
    if (errno != EAGAIN || !wait_for(fd, POLLIN, until)) return 0;
  }
}

// 0: the client is gone, or has taken nothing for too long
static int deliver(int fd, struct iovec *v, int n) {
  double until = pl_wall_time() + TAKE_WITHIN;
  while (n > 0) {
    struct msghdr m = {.msg_iov = v, .msg_iovlen = (size_t)n};
    ssize_t k = sendmsg(fd, &m, MSG_NOSIGNAL);
    if (k < 0 && errno == EINTR) continue;
    if (k < 0 && (errno != EAGAIN || !wait_for(fd, POLLOUT, until))) return 0;
    if (k < 0) continue;
    until = pl_wall_time() + TAKE_WITHIN;
    for (; n > 0 && (size_t)k >= v->iov_len; v++, n--) k -= (ssize_t)v->iov_len;
    if (n > 0) {
      v->iov_base = (char *)v->iov_base + k;
      v->iov_len -= (size_t)k;
    }
  }
  return 1;
}

// forgets n bytes at the beginning
static void consume(connection *c, size_t n) {
  c->n -= n;
  memmove(c->in, c->in + n, c->n);
}

// ---- a request ----------------------------------------------------------------------------------

const char *http_method(const http_request *r) {
  return r->head.method;
}

const char *http_path(const http_request *r) {
  return r->head.path;
}

const char *http_field(const http_request *r, const char *name) {
  return head_field(&r->head, name);
}

int http_upgrades(const http_request *r) {
  return head_has(&r->head, "Upgrade");
}

static const char *reason(int code) {
  static const struct {
    int code;
    const char *text;
  } all[] = {{200, "OK"},
             {400, "Bad Request"},
             {401, "Unauthorized"},
             {403, "Forbidden"},
             {404, "Not Found"},
             {405, "Method Not Allowed"},
             {413, "Content Too Large"},
             {421, "Misdirected Request"}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
    if (all[k].code == code) return all[k].text;
  return "Unknown";
}

static void reply(connection *c, int head_only, int code, const char *type, const char *fields,
                  const void *body, size_t n) {
  char head[4 * PL_TEXT];
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                        "Connection: close\r\n%s\r\n",
                        code, reason(code), type, n, fields);
  PL_ASSERT(length > 0 && length < (int)sizeof head);
  struct iovec v[2] = {{head, (size_t)length}, {(void *)body, n}};
  deliver(c->fd, v, head_only || n == 0 ? 1 : 2);
}

void http_reply(http_request *r, int code, const char *type, const char *fields, const void *body,
                size_t n) {
  reply(r->c, strcmp(r->head.method, "HEAD") == 0, code, type, fields, body, n);
}

static void reply_plain(connection *c, int code, const char *text) {
  reply(c, 0, code, "text/plain; charset=utf-8", "X-Content-Type-Options: nosniff\r\n", text,
        strlen(text));
}

// length of the head that has come in, 0: none did
static size_t read_head(connection *c) {
  double until = pl_wall_time() + HEAD_WITHIN;
  for (;;) {
    char *end = memmem(c->in, c->n, "\r\n\r\n", 4);
    if (end) return (size_t)(end - c->in) + 4;
    size_t k = c->n < HEAD_MAX ? receive(c->fd, c->in + c->n, HEAD_MAX - c->n, until) : 0;
    if (k == 0) return 0;
    c->n += k;
  }
}

// does a body follow? None is ever wanted
static int has_body(const http_head *h) {
  if (head_has(h, "Transfer-Encoding")) return 1;
  if (!head_has(h, "Content-Length")) return 0;
  const char *length = head_field(h, "Content-Length");
  return !length || strcmp(length, "0") != 0;
}

// the end of the connection arrives in good order, unless the client goes on and on
static void say_goodbye(connection *c) {
  char dropped[4096];
  double until = pl_wall_time() + LINGER;
  shutdown(c->fd, SHUT_WR);
  for (size_t all = 0, k; all < BODY_DROPPED; all += k)
    if ((k = receive(c->fd, dropped, sizeof dropped, until)) == 0) return;
}

// ---- a WebSocket --------------------------------------------------------------------------------

static int send_frame(http_socket *w, int code, const void *data, size_t n) {
  unsigned char head[FRAME_HEAD_MAX];
  struct iovec v[2] = {{head, (size_t)frame_write(code, n, head)}, {(void *)data, n}};
  pthread_mutex_lock(&w->send);
  int ok = deliver(w->c->fd, v, n ? 2 : 1);
  pthread_mutex_unlock(&w->send);
  return ok;
}

int http_send(http_socket *w, int binary, const void *data, size_t n) {
  return !__atomic_load_n(&w->ended, __ATOMIC_ACQUIRE) &&
         send_frame(w, binary ? FRAME_BINARY : FRAME_TEXT, data, n);
}

// takes the turn to send; 0: a frame is on its way and does not get on
static int lock_soon(pthread_mutex_t *lock) {
  for (int k = 0; k < 20; k++) {
    if (pthread_mutex_trylock(lock) == 0) return 1;
    usleep(10000);
  }
  return 0;
}

// the reader's thread wakes, and ends the connection
void http_close(http_socket *w, int code) {
  unsigned char out[FRAME_HEAD_MAX + 2];
  if (__atomic_exchange_n(&w->ended, 1, __ATOMIC_ACQ_REL)) return;
  int n = frame_write(FRAME_CLOSE, 2, out);
  out[n] = (unsigned char)(code >> 8);
  out[n + 1] = (unsigned char)code;
  if (lock_soon(&w->send)) {
    (void)!send(w->c->fd, out, (size_t)n + 2, MSG_NOSIGNAL | MSG_DONTWAIT);
    pthread_mutex_unlock(&w->send);
  }
  shutdown(w->c->fd, SHUT_RD);
}

// the head of the next frame; 0: the end, or *why
static int next_frame(connection *c, double until, frame *out, int *why) {
  for (;;) {
    int n = frame_read((const unsigned char *)c->in, c->n, out);
    if (n < 0) *why = 1002;
    if (n < 0) return 0;
    if (n > 0) {
      consume(c, (size_t)n);
      return 1;
    }
    size_t k = receive(c->fd, c->in + c->n, HEAD_MAX - c->n, until);
    if (k == 0) return 0;
    // the time runs from the first byte on
    if (until < 0) until = pl_wall_time() + MESSAGE_WITHIN;
    c->n += k;
  }
}

static int read_payload(connection *c, const frame *f, char *out, double until) {
  size_t n = (size_t)f->n, got = c->n < n ? c->n : n;
  memcpy(out, c->in, got);
  consume(c, got);
  while (got < n) {
    size_t k = receive(c->fd, out + got, n - got, until);
    if (k == 0) return 0;
    got += k;
  }
  for (size_t i = 0; i < n; i++) out[i] ^= (char)f->mask[i & 3];
  return 1;
}

static int control(http_socket *w, const frame *f, double until) {
  char data[125];
  if (!read_payload(w->c, f, data, until)) return 0;
  if (f->code == FRAME_PING) return send_frame(w, FRAME_PONG, data, (size_t)f->n);
  return f->code == FRAME_PONG;
}

typedef struct incoming {
  char *data;
  size_t n;
  int in_parts, binary, whole;
  double until; // negative: nothing of it is there yet
} incoming;

// one frame of a message; 0: the end, or *why
static int take_frame(http_socket *w, size_t most, incoming *m, int *why) {
  frame f;
  if (!next_frame(w->c, m->until, &f, why)) return 0;
  double until = m->in_parts ? m->until : pl_wall_time() + MESSAGE_WITHIN;
  if (f.code >= FRAME_CLOSE) return control(w, &f, until);
  *why = 1002;
  if ((f.code == FRAME_MORE) != m->in_parts) return 0;
  *why = 1009;
  if (f.n > most - m->n) return 0;
  char *more = realloc(m->data, m->n + (size_t)f.n + 1);
  if (!more) return 0;
  m->data = more;
  *why = 1000;
  if (!read_payload(w->c, &f, m->data + m->n, until)) return 0;
  if (!m->in_parts) m->binary = f.code == FRAME_BINARY;
  m->n += (size_t)f.n;
  m->until = until;
  m->in_parts = !f.last;
  m->whole = f.last;
  return 1;
}

static int read_messages(http_socket *w, void *client) {
  const http_handler *handler = &w->c->h->handler;
  incoming m = {.until = -1};
  int why = 1000;
  while (take_frame(w, handler->message_max, &m, &why)) {
    if (!m.whole) continue;
    if (!handler->message(client, m.binary, m.data, m.n)) {
      why = 1008;
      break;
    }
    free(m.data);
    m = (incoming){.until = -1};
  }
  free(m.data);
  return why;
}

static void serve_socket(connection *c, const http_head *h) {
  char accept_key[ACCEPT_SIZE], head[256];
  const char *upgrade = head_field(h, "Upgrade"), *word = head_field(h, "Connection");
  const char *version = head_field(h, "Sec-WebSocket-Version");
  const char *key = head_field(h, "Sec-WebSocket-Key");
  if (!upgrade || !list_has(upgrade, "websocket") || !word || !list_has(word, "upgrade") ||
      !version || strcmp(version, "13") != 0 || !key || !socket_accept(key, accept_key)) {
    reply_plain(c, 400, "This is no handshake of a WebSocket.\n");
    return;
  }
  int n = snprintf(head, sizeof head,
                   "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
                   accept_key);
  struct iovec v = {head, (size_t)n};
  if (!deliver(c->fd, &v, 1)) return;
  http_socket w = {.c = c};
  pthread_mutex_init(&w.send, NULL);
  void *client = c->h->handler.opened(c->h->handler.ctx, &w);
  int why = client ? read_messages(&w, client) : 1013;
  http_close(&w, why);
  if (client) c->h->handler.closed(client);
  pthread_mutex_destroy(&w.send);
}

// ---- connections --------------------------------------------------------------------------------

static void enter_stage(connection *c, stage to) {
  pthread_mutex_lock(&c->h->lock);
  c->stage = to;
  pthread_mutex_unlock(&c->h->lock);
}

static void serve(connection *c) {
  http_request r = {.c = c};
  size_t n = read_head(c);
  if (n == 0) {
    if (c->n == HEAD_MAX) reply_plain(c, 413, "The request is too long.\n");
    return;
  }
  char *text = malloc(n);
  if (!text) return;
  memcpy(text, c->in, n);
  consume(c, n);
  if (!head_parse(text, n, &r.head)) {
    reply_plain(c, 400, "This is no request.\n");
  } else if (has_body(&r.head)) {
    reply_plain(c, 413, "Requests have no body here.\n");
  } else if (c->h->handler.request(c->h->handler.ctx, &r)) {
    enter_stage(c, SOCKET);
    serve_socket(c, &r.head);
  }
  free(text);
}

static void leave(connection *c) {
  http *h = c->h;
  pthread_mutex_lock(&h->lock);
  connection **p = &h->first;
  while (*p != c) p = &(*p)->next;
  *p = c->next;
  // nobody shuts it down any more
  close(c->fd);
  free(c);
  if (--h->n == 0) pthread_cond_signal(&h->gone);
  pthread_mutex_unlock(&h->lock);
}

static void *serve_thread(void *ctx) {
  connection *c = ctx;
  pl_leave_signals();
  serve(c);
  enter_stage(c, ANSWERED);
  say_goodbye(c);
  leave(c);
  return NULL;
}

// with the lock: the one that has asked nothing for longest, or lingers, is the last in the list
static void make_room(http *h) {
  connection *oldest = NULL;
  for (connection *c = h->first; c; c = c->next)
    if (c->stage != SOCKET) oldest = c;
  if (oldest) shutdown(oldest->fd, SHUT_RDWR);
}

static void set_up(int fd) {
  const int on = 1, idle = 30, every = 10, count = 3, lost = 20000;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // a machine that is gone without a word, which only others than this one can be
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &lost, sizeof lost);
}

// takes fd
static void begin(http *h, int fd) {
  connection *c = calloc(1, sizeof *c);
  pthread_attr_t attr;
  pthread_t thread;
  if (!c) {
    close(fd);
    return;
  }
  set_up(fd);
  c->h = h;
  c->fd = fd;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_mutex_lock(&h->lock);
  if (h->n >= CONNECTIONS_MAX) make_room(h);
  // those that were told to go may take a moment
  int ok = h->n < 2 * CONNECTIONS_MAX && !h->stop &&
           pthread_create(&thread, &attr, serve_thread, c) == 0;
  if (ok) {
    c->next = h->first;
    h->first = c;
    h->n++;
  }
  pthread_mutex_unlock(&h->lock);
  pthread_attr_destroy(&attr);
  if (ok) return;
  close(fd);
  free(c);
}

static void *accept_all(void *ctx) {
  http *h = ctx;
  struct pollfd p[2] = {{.fd = h->listener, .events = POLLIN}, {.fd = h->wake, .events = POLLIN}};
  pl_leave_signals();
  for (;;) {
    if (poll(p, 2, -1) < 0 && errno != EINTR) return NULL;
    if (p[1].revents) return NULL;
    int fd = accept4(h->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0)
      begin(h, fd);
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      // without files to be had, the client goes on waiting
      poll(p + 1, 1, 100);
  }
}

// ---- start and stop -----------------------------------------------------------------------------

static int open_listener(const char *address, int port, int *actual) {
  struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t n = sizeof in;
  const int on = 1;
  inet_pton(AF_INET, address, &in.sin_addr);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&in, sizeof in) == 0 && listen(fd, BACKLOG) == 0 &&
      getsockname(fd, (struct sockaddr *)&in, &n) == 0) {
    *actual = ntohs(in.sin_port);
    return fd;
  }
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

pl_status http_listen(pl_env *env, const char *address, int port, http **out) {
  http *h = *out = pl_alloc(env, 1, sizeof *h);
  if (!h) return PL_E_NOMEM;
  pthread_mutex_init(&h->lock, NULL);
  pthread_cond_init(&h->gone, NULL);
  h->listener = open_listener(address, port, &h->port);
  int error = errno;
  h->wake = eventfd(0, EFD_CLOEXEC);
  if (h->listener >= 0 && h->wake >= 0) return PL_OK;
  http_stop(env, h);
  *out = NULL;
  return pl_fail_at(env, PL_E_IO, NULL, 0, 0, "0 stands for any port that is free",
                    "cannot listen at %.60s:%d: %s", address, port, strerror(error));
}

int http_port(const http *h) {
  return h->port;
}

pl_status http_serve(pl_env *env, http *h, const http_handler *handler) {
  h->handler = *handler;
  h->serving = pthread_create(&h->thread, NULL, accept_all, h) == 0;
  return h->serving ? PL_OK : pl_fail(env, PL_E_NOMEM, "a thread could not be made");
}

void http_stop(pl_env *env, http *h) {
  if (!h) return;
  const uint64_t one = 1;
  if (h->serving) {
    (void)!write(h->wake, &one, sizeof one);
    pthread_join(h->thread, NULL);
  }
  pthread_mutex_lock(&h->lock);
  h->stop = 1;
  for (connection *c = h->first; c; c = c->next) shutdown(c->fd, SHUT_RDWR);
  while (h->n > 0) pthread_cond_wait(&h->gone, &h->lock);
  pthread_mutex_unlock(&h->lock);
  if (h->listener >= 0) close(h->listener);
  if (h->wake >= 0) close(h->wake);
  pthread_cond_destroy(&h->gone);
  pthread_mutex_destroy(&h->lock);
  pl_free(env, h);
}
