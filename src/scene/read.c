#include "scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double VALUE_MAX = 1e100; // of anything that has a unit, SI

static const char *const kind_text[] = {"a value", "a list", "a mapping"};

static int is_empty(const pl_node *at) {
  return at->kind == NODE_SCALAR && !at->quoted && at->text[0] == 0;
}

// the text of a scalar, or NULL and a problem
static const char *scalar(reader *r, const pl_node *at, const char *what) {
  if (at->kind != NODE_SCALAR) {
    problem(r, at, NULL, "%s must be one value, got %s", what, kind_text[at->kind]);
    return NULL;
  }
  if (is_empty(at)) {
    problem(r, at, NULL, "%s has no value", what);
    return NULL;
  }
  return at->text;
}

// ---- numbers ----------------------------------------------------------------------------------

static void wrong_number(reader *r, const pl_node *at, const char *what, const char *text,
                         const unit_dim *want, double value, const unit *got) {
  char name[64], other[64], hint[160], buf[MESSAGE_QUOTE + 8];
  unit_article(want, name, sizeof name);
  unit_hint(want, value, hint, sizeof hint);
  quote(text, buf, sizeof buf);
  if (!got) {
    problem(r, at, hint, "%s must be %s, got '%s'", what, name, buf);
    return;
  }
  unit_name(&got->dim, other, sizeof other);
  problem(r, at, hint, "%s must be %s, got '%s' (%s)", what, name, buf, other);
}

// NUMBER [UNIT]
static int plain_value(reader *r, const pl_node *at, const char *what, const char *text,
                       const unit_dim *want, double *out) {
  double v;
  unit got;
  while (*text == ' ') text++;
  size_t n = pl_number_scan(text, strlen(text), &v);
  if (n == 0) {
    wrong_number(r, at, what, text, want, 1, NULL);
    return 0;
  }
  const char *rest = text + n;
  while (*rest == ' ') rest++;
  size_t len = strlen(rest);
  while (len > 0 && rest[len - 1] == ' ') len--;
  if (len == 0) {
    *out = v * unit_scale_of(&r->scale, want);
    if (isfinite(*out)) note_bare(r, at, what, v, want);
  } else if (!unit_parse(rest, len, &got)) {
    char buf[MESSAGE_QUOTE + 8], hint[160];
    unit_hint(want, v, hint, sizeof hint);
    problem(r, at, hint, "%s: '%s' is no unit that is known", what, quote(rest, buf, sizeof buf));
    return 0;
  } else if (!unit_fits(want, &got.dim)) {
    wrong_number(r, at, what, text, want, v, &got);
    return 0;
  } else {
    *out = v * got.factor;
  }
  // squares of what is measured must not overflow
  static const unit_dim none = {{0}};
  if (isfinite(*out) && (unit_same(want, &none) || fabs(*out) <= VALUE_MAX)) return 1;
  problem(r, at, "check its exponent and its unit", "%s is too large", what);
  return 0;
}

static int find_param(reader *r, const pl_node *at, const char *name) {
  if (r->params.n == 0)
    for (int k = 0; k < r->def.parameters.n; k++) {
      const param_def *p = (const param_def *)r->def.parameters.item + k;
      if (!name_add(r, &r->params, p->name.s, NAME_NODE, k, p->name.at)) break;
    }
  const name_entry *e = name_find(&r->params, name);
  if (e) return e->index;
  char hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  name_hint(r, &r->params, name, ~0u, hint, sizeof hint);
  problem(r, at, hint, "'$%s' is not among the parameters", quote(name, buf, sizeof buf));
  return -1;
}

// the factor before '$': nothing, a sign, or NUMBER '*'
static int leading_factor(const char *s, size_t n, double *coef) {
  while (n > 0 && s[n - 1] == ' ') n--;
  *coef = 1;
  if (n == 0) return 1;
  if (n == 1 && (s[0] == '-' || s[0] == '+')) {
    *coef = s[0] == '-' ? -1 : 1;
    return 1;
  }
  if (s[n - 1] != '*') return 0;
  size_t used = pl_number_scan(s, strlen(s), coef);
  while (s[used] == ' ') used++;
  return used > 0 && used == n - 1 && isfinite(*coef);
}

// [NUMBER *] $name [* NUMBER | / NUMBER] [(+ | -) VALUE]
static int expression(reader *r, const pl_node *at, const char *what, const char *text,
                      const unit_dim *want, num *out) {
  const char *dollar = strchr(text, '$'), *s = dollar + 1;
  char name[64], buf[MESSAGE_QUOTE + 8];
  size_t n = 0;
  while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
         (s[n] >= '0' && s[n] <= '9') || s[n] == '_')
    n++;
  double coef = 1, factor = 1, offset = 0;
  int ok = n > 0 && n < sizeof name && leading_factor(text, (size_t)(dollar - text), &coef);
  s += n;
  while (*s == ' ') s++;
  if (ok && (*s == '*' || *s == '/')) {
    char op = *s++;
    while (*s == ' ') s++;
    size_t used = pl_number_scan(s, strlen(s), &factor);
    ok = used > 0 && isfinite(factor) && factor != 0;
    if (op == '/') factor = 1 / factor;
    s += used;
    while (*s == ' ') s++;
  }
  if (!ok || (*s && *s != '+' && *s != '-')) {
    problem(r, at, "parameters enter as '$name', '2*$name' or '$name/2 + 3 mm'",
            "%s: cannot read '%s'", what, quote(text, buf, sizeof buf));
    return 0;
  }
  if (*s) {
    int minus = *s == '-';
    if (!plain_value(r, at, what, s + 1, want, &offset)) return 0;
    if (minus) offset = -offset;
  }
  memcpy(name, dollar + 1, n);
  name[n] = 0;
  int par = find_param(r, at, name);
  if (par < 0) return 0;
  refer_param(r, at, par, want);
  out->par = par;
  out->coef = coef * factor;
  out->v = out->coef * ((const param_def *)r->def.parameters.item)[par].v + offset;
  return 1;
}

int read_num_text(reader *r, const pl_node *at, const char *what, const char *text,
                  const unit_dim *want, num *out) {
  *out = (num){.par = -1, .at = at};
  if (strchr(text, '$')) return expression(r, at, what, text, want, out);
  return plain_value(r, at, what, text, want, &out->v);
}

int kind_unit(reader *r, const pl_node *at, const char *what, const char *text, unit *out) {
  *out = (unit){.factor = 1};
  if (!text || !text[0] || unit_parse(text, strlen(text), out)) return 1;
  r->failed = pl_fail_at(r->env, PL_E_INTERNAL, r->file, at->line, at->col, NULL,
                         "%s: the table of its kind gives it the unit '%s', which is not known",
                         what, text);
  return 0;
}

int read_num(reader *r, const pl_node *at, const char *what, const char *unit_text, num *out) {
  unit want;
  if (!kind_unit(r, at, what, unit_text, &want)) return 0;
  const char *text = scalar(r, at, what);
  if (!text) return 0;
  return read_num_text(r, at, what, text, &want.dim, out);
}

int read_vec(reader *r, const pl_node *at, const char *what, const char *unit_text, int nmin,
             int nmax, vec *out) {
  char item[80];
  int ok = 1;
  *out = (vec){.at = at};
  for (int k = 0; k < 3; k++) out->v[k].par = -1;
  if (at->kind == NODE_SCALAR && nmin == 1) {
    out->n = 1;
    return read_num(r, at, what, unit_text, &out->v[0]);
  }
  if (at->kind != NODE_LIST || at->n < nmin || at->n > nmax) {
    char got[32] = "a mapping";
    if (at->kind == NODE_SCALAR) snprintf(got, sizeof got, "one value");
    if (at->kind == NODE_LIST) snprintf(got, sizeof got, "%d", at->n);
    problem(r, at, nmax == 3 ? "write it like [0, 0, 1]" : NULL, "%s needs %d numbers, got %s",
            what, nmin, got);
    return 0;
  }
  static const char axis[] = "xyz";
  for (const pl_node *d = at->first; d; d = d->next, out->n++) {
    snprintf(item, sizeof item, "%.60s (%c)", what, axis[out->n]);
    ok &= read_num(r, d, item, unit_text, &out->v[out->n]);
  }
  return ok;
}

int read_int(reader *r, const pl_node *at, const char *what, double lo, double hi, int *out) {
  char buf[MESSAGE_QUOTE + 8];
  const char *text = scalar(r, at, what);
  if (!text) return 0;
  double v;
  size_t n = pl_number_scan(text, strlen(text), &v);
  if (n == 0 || text[n] || v != floor(v)) {
    problem(r, at, NULL, "%s must be a whole number, got '%s'", what, quote(text, buf, sizeof buf));
    return 0;
  }
  if (!(v >= lo && v <= hi)) {
    problem(r, at, NULL, "%s must be in %.0f..%.0f, got '%s'", what, lo, hi,
            quote(text, buf, sizeof buf));
    return 0;
  }
  *out = (int)v;
  return 1;
}

// ---- words ------------------------------------------------------------------------------------

static int read_flag(reader *r, const pl_node *at, const char *what, int *out) {
  static const char *const names[] = {"no", "yes", "false", "true", "off", "on"};
  char buf[MESSAGE_QUOTE + 8];
  const char *text = scalar(r, at, what);
  if (!text) return 0;
  for (int k = 0; k < COUNT(names); k++)
    if (strcmp(text, names[k]) == 0) {
      *out = k % 2;
      return 1;
    }
  problem(r, at, "write yes or no", "%s must be yes or no, got '%s'", what,
          quote(text, buf, sizeof buf));
  return 0;
}

int choice_name(const char *choices, int k, char *out, size_t size) {
  for (; k > 0; k--) {
    choices = strchr(choices, '|');
    if (!choices) return 0;
    choices++;
  }
  size_t n = strcspn(choices, "|");
  if (n >= size) return 0;
  memcpy(out, choices, n);
  out[n] = 0;
  return 1;
}

enum { CHOICE_NUMBERS = 32 }; // the largest number where choices end in "integer"

// 1: the choices end in "integer", and the text is a number
static int is_number_of(const char *text, const char *choices) {
  size_t n = strlen(choices), word = strlen("integer");
  return n > word && strcmp(choices + n - word, "integer") == 0 && text[0] &&
         text[strspn(text, "+-0123456789.")] == 0;
}

int read_choice(reader *r, const pl_node *at, const char *what, const char *choices, int *out) {
  if (strcmp(choices, "no|yes") == 0) return read_flag(r, at, what, out);
  char names[16][32], hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  const char *pointer[16];
  int n = 0;
  const char *text = scalar(r, at, what);
  if (!text) return 0;
  int numbered = is_number_of(text, choices), k;
  while (n < 16 && choice_name(choices, n, names[n], sizeof names[n])) {
    pointer[n] = names[n];
    if (numbered && strcmp(names[n], "integer") == 0) {
      if (!read_int(r, at, what, 1, CHOICE_NUMBERS, &k)) return 0;
      *out = n + k - 1;
      return 1;
    }
    if (strcmp(text, names[n]) == 0 && strcmp(text, "integer") != 0) {
      *out = n;
      return 1;
    }
    n++;
  }
  pl_name_hint(text, n, pointer, hint, sizeof hint);
  problem(r, at, hint, "%s cannot be '%s'", what, quote(text, buf, sizeof buf));
  return 0;
}

static int read_word(reader *r, const pl_node *at, const char *what, int any, txt *out) {
  char buf[MESSAGE_QUOTE + 8];
  const char *text = scalar(r, at, what);
  if (!text) return 0;
  if (!any && !name_valid(text)) {
    problem(r, at, name_rule, "%s: '%s' is no good name", what, quote(text, buf, sizeof buf));
    return 0;
  }
  *out = (txt){.s = text, .at = at};
  return 1;
}

// ---- rows -------------------------------------------------------------------------------------

// the number that stands there has no unit
static int is_bare(const pl_node *at) {
  double ignored;
  size_t n = pl_number_scan(at->text, strlen(at->text), &ignored);
  return n > 0 && at->text[n + strspn(at->text + n, " ")] == 0;
}

static void check_range(reader *r, const row *w, const num *v) {
  char buf[MESSAGE_QUOTE + 8], means[128] = "", hint[PL_TEXT] = "", bound[32] = "0";
  if (!(w->lo < w->hi) || !v->at) return;
  int low = v->v < w->lo || (w->lo_open && v->v <= w->lo), high = v->v > w->hi;
  if (!low && !high) return;
  const char *u = w->unit ? w->unit : "";
  double b = low ? w->lo : w->hi;
  if (b != 0) snprintf(bound, sizeof bound, "%.6g%s%s", b, u[0] ? " " : "", u);

  // in a scene of millimetres a number without a unit is not what it seems
  unit want;
  if (b != 0 && u[0] && unit_parse(u, strlen(u), &want) && is_bare(v->at)) {
    snprintf(means, sizeof means, ", which is %.6g %s", v->v, u);
    double number;
    pl_number_scan(v->at->text, strlen(v->at->text), &number);
    unit_hint_bare(&want.dim, number, hint, sizeof hint);
  }
  problem(r, v->at, hint[0] ? hint : NULL, "%s must be %s %s, got '%s'%s", w->key,
          low ? (w->lo_open ? ">" : ">=") : "<=", bound, quote(v->at->text, buf, sizeof buf),
          means);
}

const pl_node *items_first(const items *list) {
  return list->n == 0 ? NULL : list->at->kind == NODE_MAP ? list->at : list->at->first;
}

static int read_list(reader *r, const pl_node *at, const row *w, items *out) {
  const map_keys *sub = w->sub;
  int named = w->type == T_NAMED, single = at->kind == NODE_MAP && !named, ok = 1;
  out->at = at;
  if (named ? at->kind != NODE_MAP : at->kind == NODE_SCALAR) {
    if (named)
      problem(r, at, NULL, "%s must map names to mappings, got %s", w->key, kind_text[at->kind]);
    else
      problem(r, at, NULL, "%s must be a list of mappings, got %s", w->key, kind_text[at->kind]);
    return 0;
  }
  int n = single ? 1 : at->n;
  char *item = scene_alloc(r, (size_t)n + 1, sub->size);
  if (!item) return 0;
  out->item = item;
  for (const pl_node *d = single ? at : at->first; d; d = single ? NULL : d->next) {
    if (d->twice) continue;
    if (named && !name_valid(d->key))
      problem_key(r, d, name_rule, "%s: '%s' is no good name", w->key, d->key);
    ok &= read_map(r, d, sub, item + (size_t)out->n * sub->size);
    if (named) *(txt *)(void *)(item + (size_t)out->n * sub->size) = (txt){d->key, d};
    out->n++;
  }
  return ok;
}

// some quantities shape the model and cannot be moved by a design
static int refuse_param(reader *r, const row *w, int n, const num *v) {
  for (int k = 0; w->plain && k < n; k++)
    if (v[k].par >= 0) {
      problem(r, v[k].at, NULL, "%s cannot depend on a parameter", w->key);
      return 0;
    }
  return 1;
}

// Vectors without a unit are directions: of any length, so squares must neither overflow nor
// vanish. A power of two leaves the direction's bits alone.
static void scale_direction(vec *v) {
  double most = 0;
  int e;
  for (int c = 0; c < v->n; c++) most = fmax(most, fabs(v->v[c].v));
  if (most == 0 || (most > 1e-50 && most < 1e50)) return;
  frexp(most, &e);
  for (int c = 0; c < v->n; c++) v->v[c].v = ldexp(v->v[c].v, -e);
}

static int read_vec_row(reader *r, const pl_node *at, const row *w, vec *v) {
  int least = w->type == T_VEC ? r->b->dim : r->b->dim == 2 ? 2 : 3;
  int most = w->type == T_VEC ? r->b->dim : 3;
  if (!read_vec(r, at, w->key, w->unit, least, most, v) || !refuse_param(r, w, v->n, v->v))
    return 0;
  if (!w->unit || !w->unit[0]) scale_direction(v);
  return 1;
}

static int read_row(reader *r, const pl_node *at, const row *w, char *field) {
  pick *p = (pick *)(void *)field;
  num *v = (num *)(void *)field;
  int ok;
  switch (w->type) {
  case T_NUM:
  case T_PAR:
    if (w->each && at->kind == NODE_MAP) return read_each(r, at, w, v);
    ok = read_num(r, at, w->key, w->unit, v) && refuse_param(r, w, 1, v);
    if (ok) check_range(r, w, v);
    if (!ok) *v = (num){.v = w->value, .par = -1, .at = at};
    return ok;
  case T_INT:
    p->at = at;
    return read_int(r, at, w->key, w->lo, w->hi, &p->v);
  case T_CHOICE:
    p->at = at;
    return read_choice(r, at, w->key, w->choices, &p->v);
  case T_WORD:
  case T_TEXT:
    return read_word(r, at, w->key, w->type == T_TEXT, (txt *)(void *)field);
  case T_VEC:
  case T_VEC3:
    return read_vec_row(r, at, w, (vec *)(void *)field);
  case T_MAP: {
    void *sub = scene_alloc(r, 1, w->sub->size);
    if (!sub) return 0;
    memcpy(field, &sub, sizeof sub);
    return read_map(r, at, w->sub, sub);
  }
  case T_LIST:
  case T_NAMED:
    return read_list(r, at, w, (items *)(void *)field);
  case T_RAW:
    memcpy(field, &at, sizeof at);
    return 1;
  }
  return 0;
}

static void default_row(const row *w, char *field) {
  if (w->type == T_NUM || w->type == T_PAR)
    *(num *)(void *)field = (num){.v = w->value, .par = -1};
  else if (w->type == T_INT || w->type == T_CHOICE)
    *(pick *)(void *)field = (pick){.v = (int)w->value};
  else if (w->type == T_WORD || w->type == T_TEXT)
    *(txt *)(void *)field = (txt){.s = ""};
  else if (w->type == T_VEC || w->type == T_VEC3)
    for (int k = 0; k < 3; k++) ((vec *)(void *)field)->v[k].par = -1;
}

static int read_opt(reader *r, const pl_node *at, const pl_option *o, char *opts) {
  void *field = opts + o->offset;
  num v;
  if (o->type == PL_OPT_CHOICE) return read_choice(r, at, o->name, o->choices, field);
  // where zero stands for "choose", the word may be written
  if (o->value == 0 && o->lo == 0 && at->kind == NODE_SCALAR && strcmp(at->text, "auto") == 0) {
    if (o->type == PL_OPT_INT)
      *(int *)field = 0;
    else
      *(double *)field = 0;
    return 1;
  }
  if (o->type == PL_OPT_INT) return read_int(r, at, o->name, o->lo, o->hi, field);
  if (!read_num(r, at, o->name, o->unit, &v)) return 0;
  if (v.par >= 0) {
    problem(r, at, NULL, "%s cannot depend on a parameter", o->name);
    return 0;
  }
  row w = {.key = o->name, .lo = o->lo, .hi = o->hi, .unit = o->unit};
  check_range(r, &w, &v);
  *(double *)field = v.v;
  return 1;
}

// ---- maps -------------------------------------------------------------------------------------

static void unknown_key(reader *r, const pl_node *d, const map_keys *m) {
  const char *names[64];
  char hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  int n = 0;
  for (int k = 0; k < map_nrow(m); k++) names[n++] = map_row(m, k).key;
  for (int k = 0; m->nopt && k < *m->nopt; k++) names[n++] = m->opt[k].name;
  if (m->tried && strcmp(d->key, m->tried) == 0)
    snprintf(hint, sizeof hint, "%s", m->instead);
  else
    pl_name_hint(d->key, n, names, hint, sizeof hint);
  problem_key(r, d, hint, "unknown key '%s' in %s", quote(d->key, buf, sizeof buf), m->what);
}

static int find_row(const map_keys *m, const char *key) {
  for (int k = 0; k < map_nrow(m); k++)
    if (strcmp(map_row(m, k).key, key) == 0) return k;
  for (int k = 0; m->nopt && k < *m->nopt; k++)
    if (strcmp(m->opt[k].name, key) == 0) return m->nrow + k;
  return -1;
}

int read_map(reader *r, const pl_node *at, const map_keys *m, void *out) {
  int ok = 1;
  char *base = out;
  const pl_node *found[64] = {0};
  for (int k = 0; k < map_nrow(m); k++) {
    row w = map_row(m, k);
    default_row(&w, base + w.offset);
  }
  if (m->nopt) pl_opts_default(m->opt, *m->nopt, base + m->opt_offset);
  if (at->kind != NODE_MAP && !is_empty(at)) {
    problem(r, at, NULL, "%s must be a mapping of keys to values, got %s", m->what,
            kind_text[at->kind]);
    return 0;
  }
  for (const pl_node *d = at->first; d; d = d->next) {
    int k = find_row(m, d->key);
    if (k < 0) {
      unknown_key(r, d, m);
      ok = 0;
    } else if (!found[k]) {
      found[k] = d;
    }
  }
  // in the order of the table: parameters before what uses them
  for (int k = 0; k < map_nrow(m); k++) {
    row w = map_row(m, k);
    if (found[k])
      ok &= read_row(r, found[k], &w, base + w.offset);
    else if (w.need) {
      problem(r, at, NULL, "%s needs the key '%s'", m->what, w.key);
      ok = 0;
    }
  }
  for (int k = 0; m->nopt && k < *m->nopt; k++)
    if (found[m->nrow + k]) ok &= read_opt(r, found[m->nrow + k], &m->opt[k], base + m->opt_offset);
  return ok;
}
