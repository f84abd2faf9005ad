#include "scene_impl.h"

#include <string.h>

// text that needs no quotes where a value or key stands
static int is_plain(const char *s) {
  size_t n = strlen(s);
  if (n == 0 || s[n - 1] == ' ' || strchr("-?:,[]{}#&*!|>'\"%@` =~<", s[0])) {
    // numbers may begin with a sign
    if (!(s[0] == '-' && ((s[1] >= '0' && s[1] <= '9') || s[1] == '.' || s[1] == '$'))) return 0;
  }
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c < 0x20 || c == 0x7f || strchr(",[]{}\"'\\#", c)) return 0;
    if (c == ':' && (s[i + 1] == ' ' || s[i + 1] == 0)) return 0;
  }
  return strcmp(s, "---") != 0 && strcmp(s, "...") != 0;
}

static void put_scalar(const char *s, int quoted, pl_text *out) {
  // nothing at all stands for a mapping without keys, and nowhere else does a scene hold it
  if (!quoted && !*s) {
    pl_text_put(out, "{}", 2);
    return;
  }
  if (!quoted && is_plain(s)) {
    pl_text_add(out, "%s", s);
    return;
  }
  pl_text_put(out, "\"", 1);
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      pl_text_add(out, "\\%c", c);
    else if (c == '\n')
      pl_text_add(out, "\\n");
    else if (c < 0x20 || c == 0x7f)
      pl_text_add(out, "\\x%02x", c);
    else
      pl_text_put(out, s, 1);
  }
  pl_text_put(out, "\"", 1);
}

static void put_flow(const pl_node *d, pl_text *out) {
  if (d->kind == NODE_SCALAR) {
    put_scalar(d->text, d->quoted, out);
    return;
  }
  pl_text_put(out, d->kind == NODE_MAP ? "{" : "[", 1);
  for (const pl_node *c = d->first; c; c = c->next) {
    if (d->kind == NODE_MAP) {
      put_scalar(c->key, 0, out);
      pl_text_put(out, ": ", 2);
    }
    put_flow(c, out);
    if (c->next) pl_text_put(out, ", ", 2);
  }
  pl_text_put(out, d->kind == NODE_MAP ? "}" : "]", 1);
}

static int has_collections(const pl_node *d) {
  for (const pl_node *c = d->first; c; c = c->next)
    if (c->kind != NODE_SCALAR) return 1;
  return 0;
}

// two levels as blocks, so that the file reads well; what lies below in one line
static void put_block(const pl_node *d, int indent, pl_text *out) {
  for (const pl_node *c = d->first; c; c = c->next) {
    pl_text_add(out, "%*s", indent, "");
    if (d->kind == NODE_MAP) {
      put_scalar(c->key, 0, out);
      pl_text_put(out, ":", 1);
    } else {
      pl_text_put(out, "-", 1);
    }
    if (indent < 2 && c->kind != NODE_SCALAR && has_collections(c)) {
      pl_text_put(out, "\n", 1);
      put_block(c, indent + 2, out);
    } else {
      pl_text_put(out, " ", 1);
      put_flow(c, out);
      pl_text_put(out, "\n", 1);
    }
  }
}

void node_write(const pl_node *root, pl_text *out) {
  if (root && root->kind != NODE_SCALAR) put_block(root, 0, out);
}
