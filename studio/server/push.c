// Messages to pages: made once, in the thread that has something to tell.
#include "server_impl.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

message *message_make(message_kind kind, const char *key, size_t n) {
  message *m = malloc(sizeof *m + n + 1);
  if (!m) return NULL;
  m->refs = 1;
  m->kind = kind;
  m->n = n;
  snprintf(m->key, sizeof m->key, "%s", key);
  return m;
}

message *message_text(message_kind kind, const char *key, json_t *json) {
  char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
  message *m = text ? message_make(kind, key, strlen(text)) : NULL;
  if (m) memcpy(m->data, text, m->n);
  free(text);
  json_decref(json);
  return m;
}

void message_release(message *m) {
  if (m && __atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL) == 0) free(m);
}

void push_event(studio *s, json_t *event) {
  clients_send(s, message_text(MESSAGE_EVENT, "", event));
}

void push_latest(studio *s, const char *key, json_t *event) {
  clients_send(s, message_text(MESSAGE_EVENT, key, event));
}

void push_frame(studio *s, int run, double t, int n, const float *values) {
  enum { HEAD = 24, POSITIONS = 1 };
  char key[32];
  snprintf(key, sizeof key, "%d", run);
  message *m = message_make(MESSAGE_FRAME, key, HEAD + (size_t)n * sizeof *values);
  if (!m) return;
  uint32_t head[3] = {htole32(POSITIONS), htole32((uint32_t)run), htole32((uint32_t)n)};
  memcpy(m->data, "PLN1", 4);
  memcpy(m->data + 4, head, sizeof head);
  memcpy(m->data + 16, &t, sizeof t);
  if (n) memcpy(m->data + HEAD, values, (size_t)n * sizeof *values);
  clients_send(s, m);
}
