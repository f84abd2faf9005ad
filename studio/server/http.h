// The few functions that the studio needs of an HTTP library: http_plain.c has them on sockets of
// its own, and nothing else knows how.
#ifndef HTTP_H
#define HTTP_H

#include "pliant/base.h"

typedef struct http http;
typedef struct http_request http_request;
typedef struct http_socket http_socket; // a WebSocket

// Called by several threads at a time; those of one socket come one by one.
typedef struct http_handler {
  void *ctx;
  // Answers with http_reply, or returns 1: the request, a WebSocket's handshake, is welcome.
  int (*request)(void *ctx, http_request *r);
  // Returns what the next two get as `client`; NULL: close it.
  void *(*opened)(void *ctx, http_socket *w);
  // A whole message; 0: close the socket.
  int (*message)(void *client, int binary, const char *data, size_t n);
  // The socket may not be used any more once this has returned.
  void (*closed)(void *client);
  size_t message_max; // bytes; longer ones close the socket
} http_handler;

// Takes a port at an IPv4 address; clients wait until http_serve.
pl_status http_listen(pl_env *env, const char *address, int port, http **out);
int http_port(const http *h);
pl_status http_serve(pl_env *env, http *h, const http_handler *handler);
// Ends all connections and waits for the threads. NULL is allowed.
void http_stop(pl_env *env, http *h);

const char *http_method(const http_request *r);
const char *http_path(const http_request *r); // as sent, without the query
// NULL: not there, or there twice.
const char *http_field(const http_request *r, const char *name);
int http_upgrades(const http_request *r); // wants to become a WebSocket
// fields: whole lines of the head, each with its CRLF.
void http_reply(http_request *r, int code, const char *type, const char *fields, const void *body,
                size_t n);

// Waits for a client that is slow, but not for ever; 0: it is gone. From one thread at a time.
int http_send(http_socket *w, int binary, const void *data, size_t n);
// Ends the socket soon, with a code of RFC 6455; `closed` follows. From any thread.
void http_close(http_socket *w, int code);

#endif
