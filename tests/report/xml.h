#ifndef TESTS_XML_H
#define TESTS_XML_H

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// A small well-formedness check of its own: tags nest, attributes are quoted and not repeated,
// only the four entities occur, bytes are UTF-8 without control characters, one root element.
// Returns NULL or what is wrong.
typedef struct xml {
  const char *at, *why;
  char open[64][32]; // names of open elements
  int depth, nroot;
} xml;

static inline int xml_name(int c) {
  return isalnum(c) || c == '-' || c == '_' || c == ':';
}

static inline const char *xml_bytes(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  while (*u) {
    int more = *u < 0x80 ? 0 : *u >= 0xf0 && *u < 0xf5 ? 3 : *u >= 0xe0 ? 2 : *u >= 0xc2 ? 1 : -1;
    if (more < 0 || *u >= 0xf5 || (*u < 0x20 && *u != '\n' && *u != '\t' && *u != '\r'))
      return "byte";
    for (u++; more > 0; more--, u++)
      if ((*u & 0xc0) != 0x80) return "continuation byte";
  }
  return NULL;
}

static inline int xml_entity(const char *s) {
  static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
  for (int k = 0; k < 4; k++)
    if (strncmp(s, known[k], strlen(known[k])) == 0) return 1;
  return 0;
}

static inline void xml_attributes(xml *x) {
  char seen[16][32];
  int n = 0;
  while (!x->why) {
    while (isspace((unsigned char)*x->at)) x->at++;
    if (*x->at == '>' || *x->at == '/' || *x->at == 0) return;
    int len = 0;
    while (xml_name((unsigned char)x->at[len])) len++;
    if (len == 0 || len > 31 || n == 16 || x->at[len] != '=' || x->at[len + 1] != '"') {
      x->why = "attribute";
      return;
    }
    snprintf(seen[n], sizeof seen[n], "%.*s", len, x->at);
    for (int k = 0; k < n; k++)
      if (strcmp(seen[k], seen[n]) == 0) x->why = "repeated attribute";
    n++;
    for (x->at += len + 2; *x->at && *x->at != '"'; x->at++)
      if (*x->at == '<' || (*x->at == '&' && !xml_entity(x->at))) x->why = "attribute value";
    if (*x->at++ != '"') x->why = "open attribute";
  }
}

static inline void xml_tag(xml *x) {
  int end = x->at[1] == '/';
  x->at += 1 + end;
  int len = 0;
  while (xml_name((unsigned char)x->at[len])) len++;
  char name[32];
  snprintf(name, sizeof name, "%.*s", len, x->at);
  x->at += len;
  if (len == 0 || len > 31 || x->depth == 63) {
    x->why = "tag name";
    return;
  }
  if (end) {
    if (x->depth == 0 || strcmp(x->open[--x->depth], name) != 0) x->why = "closing tag";
  } else {
    xml_attributes(x);
    if (x->depth == 0) x->nroot++;
    if (*x->at == '/')
      x->at++;
    else
      snprintf(x->open[x->depth++], sizeof x->open[0], "%s", name);
  }
  if (*x->at++ != '>') x->why = "tag end";
}

static inline const char *xml_wrong(const char *s) {
  xml x = {.at = s, .why = xml_bytes(s)};
  while (*x.at && !x.why) {
    if (strncmp(x.at, "<?", 2) == 0 || strncmp(x.at, "<!DOCTYPE", 9) == 0) {
      while (*x.at && *x.at != '>') x.at++;
      if (*x.at) x.at++;
    } else if (*x.at == '<')
      xml_tag(&x);
    else {
      if (*x.at == '&' && !xml_entity(x.at)) x.why = "entity";
      if (x.depth == 0 && !isspace((unsigned char)*x.at)) x.why = "text outside";
      x.at++;
    }
  }
  if (!x.why && x.depth != 0) x.why = "open element";
  if (!x.why && x.nroot != 1) x.why = "roots";
  return x.why;
}

static inline int xml_count(const char *s, const char *word) {
  int n = 0;
  for (s = strstr(s, word); s; s = strstr(s + 1, word)) n++;
  return n;
}

// Points of path data as the library writes it (M, l, h0, z) as [][2]; *nmove counts the M.
static inline int xml_path(const char *d, int max, double (*p)[2], int *nmove) {
  int n = 0;
  char command = 0;
  double x = 0, y = 0;
  *nmove = 0;
  while (*d && *d != '"' && *d != ';') {
    if (isalpha((unsigned char)*d)) {
      command = *d++;
      if (command == 'M') ++*nmove;
      if (command == 'h') d++;
      continue;
    }
    char *end;
    double a = strtod(d, &end), b = strtod(end, &end);
    if (end == d) break;
    x = command == 'M' ? a : x + a;
    y = command == 'M' ? b : y + b;
    if (n < max) {
      p[n][0] = x;
      p[n][1] = y;
    }
    n++;
    d = end;
  }
  return n;
}

#endif
