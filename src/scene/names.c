#include "scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static name_entry *slot_of(const name_table *t, const char *name) {
  size_t mask = (size_t)t->cap - 1, k = pl_hash(0, name, strlen(name)) & mask;
  while (t->slot[k].name && strcmp(t->slot[k].name, name) != 0) k = (k + 1) & mask;
  return &t->slot[k];
}

const name_entry *name_find(const name_table *t, const char *name) {
  if (t->cap == 0) return NULL;
  const name_entry *e = slot_of(t, name);
  return e->name ? e : NULL;
}

static int grow_table(reader *r, name_table *t) {
  name_table big = {.cap = t->cap ? 2 * t->cap : 64};
  big.slot = scene_alloc(r, (size_t)big.cap, sizeof *big.slot);
  if (!big.slot) return 0;
  for (int k = 0; k < t->cap; k++)
    if (t->slot[k].name) *slot_of(&big, t->slot[k].name) = t->slot[k];
  big.n = t->n;
  *t = big;
  return 1;
}

static const char *const kind_text[] = {"node", "set", "body", "link"};

int name_add(reader *r, name_table *t, const char *name, name_kind kind, int index,
             const pl_node *at) {
  if (2 * (t->n + 1) > t->cap && !grow_table(r, t)) return 0;
  name_entry *e = slot_of(t, name);
  if (e->name) {
    problem_key(r, at, "nodes, joints, sets, bodies and links share their names",
                "'%s' is the name of a %s already, in line %d", name, kind_text[e->kind],
                e->at->key_line ? e->at->key_line : e->at->line);
    return 0;
  }
  *e = (name_entry){.name = name, .kind = kind, .index = index, .at = at};
  t->n++;
  return 1;
}

void name_hint(const reader *r, const name_table *t, const char *word, unsigned kinds, char *out,
               size_t size) {
  const char *names[64];
  int n = 0;
  out[0] = 0;
  if (r->nproblem >= STORE_MAX) return; // nobody will see it
  // the closest must be among those shown, whatever the order in the table
  const char *best = NULL;
  for (int k = 0; k < t->cap; k++) {
    const char *name = t->slot[k].name;
    if (!name || !(kinds >> t->slot[k].kind & 1)) continue;
    const char *pair[2] = {best ? best : name, name};
    int c = pl_closest(word, best ? 2 : 1, pair);
    if (c >= 0) best = pair[c];
    if (n < COUNT(names)) names[n++] = name;
  }
  if (best && n == COUNT(names)) names[0] = best;

  // alphabetical, so that the same scene gives the same message
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && strcmp(names[j], names[j - 1]) < 0; j--) {
      const char *swap = names[j];
      names[j] = names[j - 1];
      names[j - 1] = swap;
    }
  pl_name_hint(word, n, names, out, size);
}

// names become names of files and columns
enum { NAME_MAX_LENGTH = 60 };
const char name_rule[] =
    "letters, digits, '_' and '-', starting with a letter, at most 60; not 'ground' or 'all'";

int name_valid(const char *s) {
  if (!((s[0] >= 'a' && s[0] <= 'z') || (s[0] >= 'A' && s[0] <= 'Z') || s[0] == '_')) return 0;
  if (strlen(s) > NAME_MAX_LENGTH) return 0;
  for (; *s; s++)
    if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
          *s == '_' || *s == '-'))
      return 0;
  return 1;
}

// ---- parameters -------------------------------------------------------------------------------

// value, min or max of a parameter, in the dimension of its use
static int param_number(reader *r, const pl_node *at, const char *what, const unit_dim *want,
                        double *out) {
  num v = {.par = -1};
  char buf[MESSAGE_QUOTE + 8];
  if (at->kind != NODE_SCALAR) {
    problem(r, at, "write it like '3 g'", "%s must be a value", what);
    return 0;
  }
  if (strchr(at->text, '$')) {
    problem(r, at, NULL, "%s: a parameter cannot depend on another, got '%s'", what,
            quote(at->text, buf, sizeof buf));
    return 0;
  }
  if (!read_num_text(r, at, what, at->text, want, &v)) return 0;
  *out = v.v;
  return 1;
}

static void define_param(reader *r, param_def *p, const unit_dim *want) {
  p->dim = *want;
  p->lo = -INFINITY;
  p->hi = INFINITY;
  int ok = p->value && param_number(r, p->value, "value", want, &p->v);
  if (p->min) ok &= param_number(r, p->min, "min", want, &p->lo);
  if (p->max) ok &= param_number(r, p->max, "max", want, &p->hi);
  if (!ok) return;
  if (p->lo > p->hi)
    problem(r, p->max, NULL, "parameter '%s': max is below min", p->name.s);
  else if (p->v < p->lo || p->v > p->hi)
    problem(r, p->value, NULL, "parameter '%s': value is not between min and max", p->name.s);
}

void refer_param(reader *r, const pl_node *at, int par, const unit_dim *want) {
  param_def *p = (param_def *)r->def.parameters.item + par;
  char was[64], is[64];
  if (!p->used) {
    p->used = 1;
    p->first_use = at;
    define_param(r, p, want);
  } else if (!unit_same(&p->dim, want)) {
    unit_article(&p->dim, was, sizeof was);
    unit_article(want, is, sizeof is);
    problem(r, at, "use two parameters", "'$%s' is %s in line %d, but %s is wanted here", p->name.s,
            was, p->first_use->line, is);
  }
}
