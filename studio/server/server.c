// The server: start, stop, and who gets what.
#include "files.h"
#include "gallery.h"
#include "server_impl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

// pieces with a state of their own, in the order in which they begin
static const struct {
  pl_status (*create)(studio *s);
  void (*free)(studio *s);
} parts[] = {
    {data_create, data_free},       {gallery_create, gallery_free},
    {upload_create, upload_free},   {clients_create, clients_free},
    {worker_create, worker_free},   {models_create, models_free},
    {journal_create, journal_free}, {explorations_create, explorations_free},
    {runs_create, runs_free},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

// ---- secrets ------------------------------------------------------------------------------------

int secret_bytes(void *out, size_t n) {
  return getrandom(out, n, 0) == (ssize_t)n;
}

static int make_secret(char out[TOKEN_SIZE]) {
  unsigned char b[(TOKEN_SIZE - 1) / 2];
  if (!secret_bytes(b, sizeof b)) return 0;
  for (size_t k = 0; k < sizeof b; k++) snprintf(out + 2 * k, 3, "%02x", b[k]);
  return 1;
}

int equal_secret(const char *a, const char *b) {
  size_t n = strlen(b);
  if (strlen(a) != n) return 0;
  unsigned char differ = 0;
  for (size_t k = 0; k < n; k++) differ |= (unsigned char)(a[k] ^ b[k]);
  return differ == 0;
}

// ---- requests -----------------------------------------------------------------------------------

// of every reply
#define SAFE                                                                                       \
  "X-Content-Type-Options: nosniff\r\n"                                                            \
  "Referrer-Policy: no-referrer\r\n"                                                               \
  "Cross-Origin-Resource-Policy: same-origin\r\n"                                                  \
  "Cross-Origin-Opener-Policy: same-origin\r\n"                                                    \
  "X-Frame-Options: DENY\r\n"                                                                      \
  "Cache-Control: no-store\r\n"
#define NOTHING "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"

static void reply_text(http_request *r, int code, const char *text) {
  http_reply(r, code, "text/plain; charset=utf-8", SAFE NOTHING, text, strlen(text));
}

// The name by which the browser knows this server; with another one, it was led here. A server of
// all addresses takes numbers, which no name service gives out.
static int good_host(const studio *s, const char *host) {
  if (!host) return 0;
  if (!s->any_host) return strcmp(host, s->name) == 0;
  char address[64];
  struct in_addr in;
  const char *colon = strchr(host, ':');
  size_t n = colon ? (size_t)(colon - host) : 0;
  if (n == 0 || n >= sizeof address || strcmp(colon, strchr(s->name, ':')) != 0) return 0;
  memcpy(address, host, n);
  address[n] = 0;
  return inet_pton(AF_INET, address, &in) == 1;
}

// pages of this server alone; browsers leave the field out of plain requests to one's own server
static int good_origin(const char *origin, const char *host, int needed) {
  if (!origin) return !needed;
  return strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0;
}

static void reply_asset(const studio *s, http_request *r, const asset *a) {
  char fields[2 * PL_TEXT];
  const char *host = http_field(r, "Host");
  snprintf(fields, sizeof fields,
           SAFE "Content-Encoding: gzip\r\n"
                "Content-Security-Policy: default-src 'self'; script-src 'self'; "
                "style-src 'self' 'nonce-%s'; img-src 'self' blob: data:; connect-src 'self' "
                "ws://%.80s; object-src 'none'; base-uri 'none'; form-action 'none'; "
                "frame-ancestors 'none'\r\n",
           s->nonce, host);
  http_reply(r, 200, a->type, fields, a->bytes, (size_t)(a->end - a->bytes));
}

static int has_token(const studio *s, const http_request *r) {
  const char *field = http_field(r, "Authorization");
  return field && strncmp(field, "Bearer ", 7) == 0 && equal_secret(field + 7, s->token);
}

static void reply_data(studio *s, http_request *r) {
  const blob *b = data_find(s, http_path(r));
  if (b)
    http_reply(r, 200, b->type, SAFE NOTHING, b->bytes, b->n);
  else
    reply_text(r, 404, "There is nothing here.\n");
  data_release(s, b);
}

static void reply_picture(studio *s, http_request *r, const char *name) {
  size_t n;
  const char *picture = gallery_picture(s, name, &n);
  if (picture)
    http_reply(r, 200, "image/webp", SAFE NOTHING, picture, n);
  else
    reply_text(r, 404, "There is nothing here.\n");
}

static int answer(void *ctx, http_request *r) {
  studio *s = ctx;
  const char *host = http_field(r, "Host"), *path = http_path(r), *method = http_method(r);
  int socket = strcmp(path, "/socket") == 0;
  const asset *a = asset_find(path);
  if (!good_host(s, host))
    reply_text(r, 421, "Open the address that pliant studio printed.\n");
  else if (!good_origin(http_field(r, "Origin"), host, socket))
    reply_text(r, 403, "Other pages may not use this server.\n");
  else if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
    reply_text(r, 405, "This server answers GET alone.\n");
  else if (socket != http_upgrades(r))
    reply_text(r, 400, "This is no WebSocket, or nothing else.\n");
  else if (socket)
    return 1;
  else if (a)
    reply_asset(s, r, a);
  else if (strncmp(path, "/data/", 6) != 0 && strncmp(path, "/gallery/", 9) != 0)
    reply_text(r, 404, "There is nothing here.\n");
  else if (!has_token(s, r))
    reply_text(r, 401, "The token is missing or wrong.\n");
  else if (path[1] == 'd')
    reply_data(s, r);
  else
    reply_picture(s, r, path + 9);
  return 0;
}

// ---- start and stop -----------------------------------------------------------------------------

static int stop_asked(void *ctx, const pl_progress *p) {
  (void)p;
  return studio_stopping(ctx);
}

int studio_stopping(studio *s) {
  return __atomic_load_n(&s->stopping, __ATOMIC_RELAXED);
}

pl_env studio_env(studio *s) {
  pl_env env;
  pl_env_init(&env);
  env.progress = stop_asked;
  env.progress_ctx = s;
  return env;
}

static pl_status copy_text(studio *s, const char *from, char **out) {
  *out = from ? pl_strdup(&s->host, from) : NULL;
  return from && !*out ? PL_E_NOMEM : PL_OK;
}

static pl_status copy_opts(studio *s, const pl_studio_opts *o) {
  const char *folder = o->folder ? o->folder : ".";
  char *full = realpath(folder, NULL);
  pl_status status = full ? copy_text(s, full, &s->folder) : PL_OK;
  free(full);
  PL_TRY(status);
  if (s->folder) s->folder_fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (s->folder_fd < 0)
    return pl_fail_at(&s->host, PL_E_IO, folder, 0, 0, NULL, "the folder cannot be opened: %s",
                      strerror(errno));
  PL_TRY(copy_text(s, o->scene, &s->scene));
  PL_TRY(copy_text(s, o->results, &s->results));
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  s->processors = n > 0 ? (int)n : 1;
  s->threads = o->threads > 0 ? o->threads : s->processors;
  if (!make_secret(s->token) || !make_secret(s->nonce))
    return pl_fail(&s->host, PL_E_INTERNAL, "the system gives no random numbers");
  return PL_OK;
}

// gallery/NAME: a copy of it in the folder
static pl_status take_from_gallery(studio *s) {
  failure f;
  if (!s->scene || strncmp(s->scene, "gallery/", 8) != 0 || file_exists(s, s->scene)) return PL_OK;
  json_t *args = json_pack("{s:s}", "gallery", s->scene + 8);
  json_t *reply = args ? dispatch(s, "open", args, &f) : NULL;
  pl_status status = PL_OK;
  if (!reply)
    status = pl_fail_at(&s->host, PL_E_IO, NULL, 0, 0, "pliant list gallery", "%s", f.text);
  else
    pl_free(&s->host, s->scene);
  if (reply) status = copy_text(s, arg_text(reply, "path"), &s->scene);
  json_decref(reply);
  json_decref(args);
  return status;
}

static pl_status listen_at(studio *s, const pl_studio_opts *o) {
  const http_handler handler = {.ctx = s,
                                .request = answer,
                                .opened = client_opened,
                                .message = client_message,
                                .closed = client_closed,
                                .message_max = MESSAGE_MAX};
  const char *bind = o->bind ? o->bind : "127.0.0.1";
  struct in_addr in;
  if (inet_pton(AF_INET, bind, &in) != 1)
    return pl_fail_at(&s->host, PL_E_ARG, NULL, 0, 0, "e.g. 127.0.0.1",
                      "'%.60s' is no IPv4 address", bind);
  if (o->port < 0 || o->port > 65535)
    return pl_fail(&s->host, PL_E_ARG, "a port is a number from 0 to 65535");
  s->any_host = in.s_addr == INADDR_ANY;
  PL_TRY(http_listen(&s->host, bind, o->port, &s->http));
  snprintf(s->name, sizeof s->name, "%.40s:%d", bind, http_port(s->http));
  snprintf(s->address, sizeof s->address, "http://%s/#%s", s->name, s->token);
  return http_serve(&s->host, s->http, &handler);
}

static pl_status make(pl_env *env, const pl_studio_opts *o, int listens, studio **out) {
  *out = NULL;
  studio *s = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->host = *env;
  s->folder_fd = -1;
  pl_status status = copy_opts(s, o);
  for (int k = 0; k < PARTS && status == PL_OK; k++) status = parts[k].create(s);
  if (status == PL_OK && listens) status = take_from_gallery(s);
  if (status == PL_OK && listens) status = listen_at(s, o);
  env->error = s->host.error;
  env->nerror = s->host.nerror;
  if (status != PL_OK) {
    pl_studio_stop(s);
    return status;
  }
  *out = s;
  return PL_OK;
}

pl_status studio_make(pl_env *env, const pl_studio_opts *o, studio **out) {
  return make(env, o, 0, out);
}

pl_status pl_studio_start(pl_env *env, const pl_studio_opts *o, pl_studio **out) {
  return make(env, o, 1, out);
}

const char *pl_studio_address(const pl_studio *s) {
  return s->address;
}

void pl_studio_stop(pl_studio *s) {
  if (!s) return;
  __atomic_store_n(&s->stopping, 1, __ATOMIC_RELAXED);
  http_stop(&s->host, s->http);
  worker_stop(s);
  for (int k = PARTS - 1; k >= 0; k--) parts[k].free(s);
  if (s->folder_fd >= 0) close(s->folder_fd);
  pl_env env = s->host;
  pl_free(&env, s->folder);
  pl_free(&env, s->scene);
  pl_free(&env, s->results);
  pl_free(&env, s);
}
