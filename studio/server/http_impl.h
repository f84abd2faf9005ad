// What http_plain.c understands by http_head.c and websocket.c. None of these waits or sends.
#ifndef HTTP_IMPL_H
#define HTTP_IMPL_H

#include <stddef.h>
#include <stdint.h>

enum { HEAD_MAX = 16384, FIELDS_MAX = 64, ACCEPT_SIZE = 29, FRAME_HEAD_MAX = 14 };

// The head of a request, in place: strings point into the text, which is cut up.
typedef struct http_head {
  const char *method, *path;
  int nfield;
  const char *name[FIELDS_MAX], *value[FIELDS_MAX];
} http_head;
// n bytes up to and with the empty line; 0: it is no request that a browser sends.
int head_parse(char *text, size_t n, http_head *out);
// The value of a field; NULL: not there, or there twice.
const char *head_field(const http_head *h, const char *name);
int head_has(const http_head *h, const char *name);
// Is the word one of those in a list with commas? Case does not matter.
int list_has(const char *list, const char *word);

// The answer to Sec-WebSocket-Key; 0: it is no key.
int socket_accept(const char *key, char out[ACCEPT_SIZE]);

enum { FRAME_MORE = 0, FRAME_TEXT = 1, FRAME_BINARY = 2, FRAME_CLOSE = 8, FRAME_PING, FRAME_PONG };
typedef struct frame {
  int code, last; // last of its message
  uint64_t n;     // bytes that follow the head
  unsigned char mask[4];
} frame;
// The head of a client's frame at b: its length, 0: more bytes are needed, -1: it breaks RFC 6455.
int frame_read(const unsigned char *b, size_t n, frame *out);
// The head of a frame of a server; returns its length.
int frame_write(int code, uint64_t n, unsigned char out[FRAME_HEAD_MAX]);

#endif
