// What the network half of the server shares: server.c, client.c, push.c, dispatch.c, assets.c.
#ifndef SERVER_IMPL_H
#define SERVER_IMPL_H

#include "http.h"
#include "studio_impl.h"

// open pages; those and sockets that have not said hello
enum { PAGES_MAX = 4, SOCKETS_MAX = 12 };

// ---- messages to pages --------------------------------------------------------------------------

typedef enum message_kind {
  MESSAGE_REPLY,
  MESSAGE_EVENT,
  MESSAGE_FRAME,
  MESSAGE_LAST
} message_kind;

// Shared by the queues of all pages, never changed.
typedef struct message {
  int refs; // atomic
  message_kind kind;
  char key[48]; // newest wins; empty: none
  size_t n;
  char data[];
} message;
// The text of json, which is freed; NULL where memory ends.
message *message_text(message_kind kind, const char *key, json_t *json);
message *message_make(message_kind kind, const char *key, size_t n);
void message_release(message *m);

// ---- the pages (client.c) -----------------------------------------------------------------------

pl_status clients_create(studio *s);
void clients_free(studio *s);
void *client_opened(void *ctx, http_socket *w);
int client_message(void *client, int binary, const char *data, size_t n);
void client_closed(void *client);
// Puts a message into the queues of all pages, or of one, and releases it; NULL is allowed.
void clients_send(studio *s, message *m);
void client_send(studio *s, uint64_t client, message *m);

// ---- requests -----------------------------------------------------------------------------------

typedef struct request {
  json_int_t id;
  const char *op;
  json_t *args; // an object
  json_t *json; // holds them
} request;
// Understands n bytes; 0: f says why not, id is 0 where even that is unknown.
int request_parse(const char *text, size_t n, request *r, failure *f);
void request_free(request *r);

pl_status worker_create(studio *s);
void worker_stop(studio *s); // waits for the operation that is running
void worker_free(studio *s);
// Answers a request of a page, at once or later; what it holds is then taken from it.
void request_run(studio *s, uint64_t client, request *r);
void request_refuse(studio *s, uint64_t client, json_int_t id, const failure *f, int last);

int equal_secret(const char *a, const char *b); // in a time that tells nothing of the contents

// ---- the page (assets.c) ------------------------------------------------------------------------

typedef struct asset {
  const char *path, *type;
  const unsigned char *bytes, *end; // gzip
} asset;
// NULL: there is none.
const asset *asset_find(const char *path);
// The tar of the gallery.
extern const asset asset_gallery;

#endif
