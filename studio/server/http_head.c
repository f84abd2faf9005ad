// The head of an HTTP request (RFC 9112), strictly: a browser sends nothing that is refused here.
#include "http_impl.h"

#include <string.h>
#include <strings.h>

static int is_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c && strchr("!#$%&'*+-.^_`|~", c));
}

// cuts the line that begins at *at; NULL: it is not ended by CRLF, or holds a control character
static char *next_line(char **at, const char *end) {
  char *line = *at, *p = line;
  while (p < end && ((unsigned char)*p >= ' ' || *p == '\t') && *p != 127) p++;
  if (end - p < 2 || p[0] != '\r' || p[1] != '\n') return NULL;
  *p = 0;
  *at = p + 2;
  return line;
}

// METHOD /path?query HTTP/1.1
static int request_line(char *line, http_head *out) {
  char *p = line;
  while (is_token(*p)) p++;
  if (p == line || *p != ' ') return 0;
  *p++ = 0;
  out->method = line;
  out->path = p;
  if (*p != '/') return 0;
  char *query = NULL;
  for (; *p > ' '; p++)
    if (*p == '?' && !query) query = p;
  if (strcmp(p, " HTTP/1.1") != 0 && strcmp(p, " HTTP/1.0") != 0) return 0;
  *p = 0;
  if (query) *query = 0;
  return 1;
}

static int field_line(char *line, http_head *out) {
  char *p = line;
  while (is_token(*p)) p++;
  if (p == line || *p != ':' || out->nfield == FIELDS_MAX) return 0;
  *p++ = 0;
  p += strspn(p, " \t");
  size_t n = strlen(p);
  while (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t')) n--;
  p[n] = 0;
  out->name[out->nfield] = line;
  out->value[out->nfield++] = p;
  return 1;
}

int head_parse(char *text, size_t n, http_head *out) {
  char *at = text, *end = text + n, *line = next_line(&at, end);
  out->nfield = 0;
  if (!line || !request_line(line, out)) return 0;
  while ((line = next_line(&at, end)) && *line)
    if (!field_line(line, out)) return 0;
  return line && at == end;
}

int head_has(const http_head *h, const char *name) {
  for (int k = 0; k < h->nfield; k++)
    if (strcasecmp(h->name[k], name) == 0) return 1;
  return 0;
}

const char *head_field(const http_head *h, const char *name) {
  const char *found = NULL;
  for (int k = 0; k < h->nfield; k++) {
    if (strcasecmp(h->name[k], name) != 0) continue;
    if (found) return NULL;
    found = h->value[k];
  }
  return found;
}

int list_has(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',') {
    p += strspn(p, " \t");
    size_t m = strcspn(p, ", \t");
    if (m == n && strncasecmp(p, word, n) == 0) return 1;
  }
  return 0;
}
