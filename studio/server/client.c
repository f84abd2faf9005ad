// Pages at their WebSockets. Each has a thread that sends what waits in its queues; nobody else
// waits for a page.
#include "server_impl.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HELLO_WITHIN 5.0 // s
#define PLACE_WITHIN 1.0 // s; a page that is loaded again comes before its former self has gone
#define FRAME_WITHIN 1.0 // s, after which a frame counts as shown though the page did not say so

enum {
  EVENTS_MAX = 4096,          // that wait, of one page
  EVENT_BYTES_MAX = 16 << 20, // of those
  REPLIES_MAX = 64,           // a page with more is not read from until it has taken some
  FRAMES_MAX = 4,             // runs whose newest frame waits
  CREDIT = 2                  // frames on the way
};

typedef struct waiting {
  message *m;
  struct waiting *next;
} waiting;

typedef struct queue {
  waiting *first, **end;
  size_t n, bytes;
} queue;

typedef struct client {
  studio *s;
  http_socket *socket;
  uint64_t number;
  int greeted, dead;
  double since;
  pthread_t sender;
  pthread_cond_t more, room;
  queue replies, events;
  message *frame[FRAMES_MAX];
  double sent[CREDIT]; // when frames left that are on the way, 0: none
  int turn;            // of frames, after an event
} client;

struct clients {
  pthread_mutex_t lock;
  pthread_cond_t left; // one has
  client *all[SOCKETS_MAX];
  uint64_t next;
};

static void cond_init(pthread_cond_t *cond) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(cond, &attr);
  pthread_condattr_destroy(&attr);
}

pl_status clients_create(studio *s) {
  s->clients = pl_alloc(&s->host, 1, sizeof *s->clients);
  if (!s->clients) return PL_E_NOMEM;
  pthread_mutex_init(&s->clients->lock, NULL);
  cond_init(&s->clients->left);
  return PL_OK;
}

void clients_free(studio *s) {
  if (!s->clients) return;
  pthread_cond_destroy(&s->clients->left);
  pthread_mutex_destroy(&s->clients->lock);
  pl_free(&s->host, s->clients);
  s->clients = NULL;
}

// ---- queues; all with the lock ------------------------------------------------------------------

static void queue_init(queue *q) {
  *q = (queue){.end = &q->first};
}

static message *queue_pop(queue *q) {
  waiting *w = q->first;
  if (!w) return NULL;
  message *m = w->m;
  q->first = w->next;
  if (!q->first) q->end = &q->first;
  q->n--;
  q->bytes -= m->n;
  free(w);
  return m;
}

static void queue_clear(queue *q) {
  for (message *m; (m = queue_pop(q));) message_release(m);
}

// keeps a reference of its own; 0: memory ends
static int queue_add(queue *q, message *m) {
  for (waiting *w = m->key[0] ? q->first : NULL; w; w = w->next) {
    if (strcmp(w->m->key, m->key) != 0) continue;
    q->bytes += m->n - w->m->n;
    message_release(w->m);
    __atomic_add_fetch(&m->refs, 1, __ATOMIC_RELAXED);
    w->m = m;
    return 1;
  }
  waiting *w = malloc(sizeof *w);
  if (!w) return 0;
  *w = (waiting){.m = m};
  __atomic_add_fetch(&m->refs, 1, __ATOMIC_RELAXED);
  *q->end = w;
  q->end = &w->next;
  q->n++;
  q->bytes += m->n;
  return 1;
}

// the newest of its run; the first run's makes room for a fifth one
static void frame_add(client *c, message *m) {
  int k = 0;
  while (k < FRAMES_MAX && c->frame[k] && strcmp(c->frame[k]->key, m->key) != 0) k++;
  if (k == FRAMES_MAX) k = 0;
  message_release(c->frame[k]);
  __atomic_add_fetch(&m->refs, 1, __ATOMIC_RELAXED);
  c->frame[k] = m;
}

// a page that cannot keep up is told to fetch anew what it knows of runs
static void event_add(client *c, message *m) {
  int full = c->events.n >= EVENTS_MAX || c->events.bytes + m->n > EVENT_BYTES_MAX;
  if (!full && queue_add(&c->events, m)) return;
  queue_clear(&c->events);
  message *lost = message_text(MESSAGE_EVENT, "lost", json_pack("{s:s}", "event", "lost"));
  if (!lost || !queue_add(&c->events, lost)) c->dead = 1;
  message_release(lost);
}

static void client_add(client *c, message *m) {
  if (c->dead) return;
  if (m->kind == MESSAGE_FRAME)
    frame_add(c, m);
  else if (m->kind == MESSAGE_EVENT)
    event_add(c, m);
  else if (!queue_add(&c->replies, m))
    c->dead = 1;
  pthread_cond_signal(&c->more);
}

void clients_send(studio *s, message *m) {
  struct clients *all = s->clients;
  if (!m) return;
  pthread_mutex_lock(&all->lock);
  for (int k = 0; k < SOCKETS_MAX; k++)
    if (all->all[k] && all->all[k]->greeted) client_add(all->all[k], m);
  pthread_mutex_unlock(&all->lock);
  message_release(m);
}

void client_send(studio *s, uint64_t number, message *m) {
  struct clients *all = s->clients;
  if (!m) return;
  pthread_mutex_lock(&all->lock);
  for (int k = 0; k < SOCKETS_MAX; k++)
    if (all->all[k] && all->all[k]->number == number) client_add(all->all[k], m);
  pthread_mutex_unlock(&all->lock);
  message_release(m);
}

// ---- the thread that sends ----------------------------------------------------------------------

// a free place among the frames on the way, or -1 and when one will be
static int credit(client *c, double now, double *until) {
  for (int k = 0; k < CREDIT; k++) {
    if (c->sent[k] + FRAME_WITHIN <= now) return k;
    if (c->sent[k] + FRAME_WITHIN < *until) *until = c->sent[k] + FRAME_WITHIN;
  }
  return -1;
}

static message *next_frame(client *c, double now, double *until) {
  int have = 0;
  while (have < FRAMES_MAX && c->frame[have]) have++;
  int place = have ? credit(c, now, until) : -1;
  if (place < 0) return NULL;
  message *m = c->frame[0];
  memmove(c->frame, c->frame + 1, (FRAMES_MAX - 1) * sizeof *c->frame);
  c->frame[FRAMES_MAX - 1] = NULL;
  c->sent[place] = now;
  return m;
}

// what is sent next: replies first, frames and events by turns. NULL: nothing before `until`
static message *next_message(client *c, double now, double *until) {
  message *m = queue_pop(&c->replies);
  if (m) return m;
  if (c->turn || !c->events.first) m = next_frame(c, now, until);
  c->turn = !m;
  return m ? m : queue_pop(&c->events);
}

static void wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, double now, double until) {
  if (until - now > 1e6) {
    pthread_cond_wait(cond, lock);
    return;
  }
  struct timespec t = {.tv_sec = (time_t)until};
  t.tv_nsec = (long)((until - (double)t.tv_sec) * 1e9);
  pthread_cond_timedwait(cond, lock, &t);
}

static void *send_all(void *ctx) {
  client *c = ctx;
  pthread_mutex_t *lock = &c->s->clients->lock;
  pl_leave_signals();
  pthread_mutex_lock(lock);
  while (!c->dead) {
    double now = pl_wall_time(), until = now + 1e9;
    message *m = next_message(c, now, &until);
    if (!m) {
      if (!c->greeted) until = c->since + HELLO_WITHIN;
      if (until <= now) break;
      wait_until(&c->more, lock, now, until);
      continue;
    }
    pthread_cond_signal(&c->room);
    pthread_mutex_unlock(lock);
    int last = m->kind == MESSAGE_LAST;
    int ok = http_send(c->socket, m->kind == MESSAGE_FRAME, m->data, m->n);
    message_release(m);
    pthread_mutex_lock(lock);
    if (!ok || last) break;
  }
  c->dead = 1;
  pthread_cond_signal(&c->room);
  pthread_mutex_unlock(lock);
  http_close(c->socket, 1008);
  return NULL;
}

// ---- opened, spoken, closed ---------------------------------------------------------------------

// where there is no place left, the socket that has said nothing for longest loses its own
static void enter(struct clients *all, client *c) {
  int place = -1;
  pthread_mutex_lock(&all->lock);
  for (int k = 0; k < SOCKETS_MAX; k++) {
    const client *other = all->all[k];
    if (!other || (!other->greeted &&
                   (place < 0 || (all->all[place] && other->number < all->all[place]->number))))
      place = k;
    if (!other) break;
  }
  if (all->all[place]) {
    all->all[place]->dead = 1;
    pthread_cond_signal(&all->all[place]->more);
  }
  all->all[place] = c;
  c->number = ++all->next;
  pthread_mutex_unlock(&all->lock);
}

static void leave(struct clients *all, const client *c) {
  pthread_mutex_lock(&all->lock);
  for (int k = 0; k < SOCKETS_MAX; k++)
    if (all->all[k] == c) all->all[k] = NULL;
  pthread_cond_broadcast(&all->left);
  pthread_mutex_unlock(&all->lock);
}

static void client_free(client *c) {
  queue_clear(&c->replies);
  queue_clear(&c->events);
  for (int k = 0; k < FRAMES_MAX; k++) message_release(c->frame[k]);
  pthread_cond_destroy(&c->more);
  pthread_cond_destroy(&c->room);
  free(c);
}

void *client_opened(void *ctx, http_socket *w) {
  studio *s = ctx;
  client *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  cond_init(&c->more);
  cond_init(&c->room);
  queue_init(&c->replies);
  queue_init(&c->events);
  for (int k = 0; k < CREDIT; k++) c->sent[k] = -1e9;
  c->s = s;
  c->socket = w;
  c->since = pl_wall_time();
  enter(s->clients, c);
  if (pthread_create(&c->sender, NULL, send_all, c) != 0) {
    leave(s->clients, c);
    client_free(c);
    return NULL;
  }
  return c;
}

// with the lock
static int pages_open(const struct clients *all) {
  int n = 0;
  for (int k = 0; k < SOCKETS_MAX; k++) n += all->all[k] && all->all[k]->greeted;
  return n;
}

// 0: there are as many pages as there may be
static int greet(client *c) {
  struct clients *all = c->s->clients;
  double now = pl_wall_time(), until = now + PLACE_WITHIN;
  pthread_mutex_lock(&all->lock);
  while (!c->dead && pages_open(all) >= PAGES_MAX && now < until) {
    wait_until(&all->left, &all->lock, now, until);
    now = pl_wall_time();
  }
  int ok = !c->dead && pages_open(all) < PAGES_MAX;
  c->greeted = ok;
  pthread_cond_signal(&c->more);
  pthread_mutex_unlock(&all->lock);
  return ok;
}

// the first message must be a hello with the token
static int first_message(client *c, const request *r) {
  failure f = {.code = "bad-token"};
  const char *token = arg_text(r->args, "token");
  if (strcmp(r->op, "hello") != 0 || !token || !equal_secret(token, c->s->token)) {
    refuse(&f, "bad-token", "open the address that pliant studio printed, with its token",
           "this page does not have the server's token");
  } else if (!greet(c)) {
    refuse(&f, "busy", "close one of them and load this one again", "%d pages are open already",
           PAGES_MAX);
  } else {
    return 1;
  }
  request_refuse(c->s, c->number, r->id, &f, 1);
  return 0;
}

// a page that does not take its replies is not read from
static int wait_for_room(client *c) {
  pthread_mutex_t *lock = &c->s->clients->lock;
  pthread_mutex_lock(lock);
  while (!c->dead && c->replies.n >= REPLIES_MAX) pthread_cond_wait(&c->room, lock);
  int alive = !c->dead;
  pthread_mutex_unlock(lock);
  return alive;
}

// one of the frames on the way has been shown
static void shown(client *c) {
  pthread_mutex_lock(&c->s->clients->lock);
  int oldest = 0;
  for (int k = 1; k < CREDIT; k++)
    if (c->sent[k] > -1e9 && (c->sent[oldest] <= -1e9 || c->sent[k] < c->sent[oldest])) oldest = k;
  c->sent[oldest] = -1e9;
  pthread_cond_signal(&c->more);
  pthread_mutex_unlock(&c->s->clients->lock);
}

int client_message(void *ctx, int binary, const char *data, size_t n) {
  client *c = ctx;
  request r;
  failure f = {0};
  if (binary || !wait_for_room(c)) return 0;
  if (!request_parse(data, n, &r, &f)) {
    request_refuse(c->s, c->number, r.id, &f, !c->greeted);
    return 1;
  }
  if (!c->greeted) {
    if (first_message(c, &r)) request_run(c->s, c->number, &r);
  } else if (strcmp(r.op, "shown") == 0) {
    shown(c);
  } else {
    request_run(c->s, c->number, &r);
  }
  request_free(&r);
  return 1;
}

void client_closed(void *ctx) {
  client *c = ctx;
  struct clients *all = c->s->clients;
  pthread_mutex_lock(&all->lock);
  c->dead = 1;
  pthread_cond_signal(&c->more);
  pthread_mutex_unlock(&all->lock);
  pthread_join(c->sender, NULL);
  leave(all, c);
  client_free(c);
}
