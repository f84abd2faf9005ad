#include "scene_impl.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A JSON Schema (draft 2020-12) of scenes, from the tables that parse them, for editors that
// complete and check while one types. It takes every scene that the parser takes; what values mean
// together is checked by the parser alone.

enum { MAPS_MAX = 250, DEF_NAME = 80 };

typedef struct schema {
  pl_env *env;
  json_t *defs;
  int n;
  const map_keys *map[MAPS_MAX]; // [n] those that have a definition
  char name[MAPS_MAX][DEF_NAME];
} schema;

static json_t *map_ref(schema *s, const map_keys *m);

static json_t *ref(const char *name) {
  return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", name));
}

static json_t *any_of(json_t *a, json_t *b) {
  return json_pack("{s:[o,o]}", "anyOf", a, b);
}

static json_t *list_of(json_t *item) {
  return json_pack("{s:s, s:o}", "type", "array", "items", item);
}

// ---- quantities ---------------------------------------------------------------------------------

// units of one symbol that do not fit, as alternatives of a pattern
static void put_wrong_units(const unit_dim *want, pl_text *t) {
  char name[16];
  unit u;
  for (int k = 0, n = 0; unit_single(k, name, &u); k++)
    if (name[0] && !unit_fits(want, &u.dim)) pl_text_add(t, "%s%s", n++ ? "|" : "", name);
}

#define NUMBER "[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"
#define FACTOR "([A-Za-z%\xc2\xb5\xce\xbc\xc2\xb0]+|1)((\\^|\\*\\*)-?[0-9]+|[\xc2\xb2\xc2\xb3])?"

// NUMBER [UNIT], or a text with $name in it
static json_t *quantity_def(schema *s, const unit_dim *want, int plain) {
  pl_text wrong, pattern;
  char name[64];
  pl_text_init(&wrong, s->env);
  pl_text_init(&pattern, s->env);
  put_wrong_units(want, &wrong);
  pl_text_add(&pattern, "^ *%s *((?!(%s) *$)%s( *[./*\xc2\xb7] *%s)* *)?$%s", NUMBER,
              wrong.s ? wrong.s : "", FACTOR, FACTOR, plain ? "" : "|\\$[A-Za-z0-9_]");
  unit_name(want, name, sizeof name);
  json_t *text = json_pack("{s:s, s:s}", "type", "string", "pattern", pattern.s ? pattern.s : "");
  json_t *out = any_of(json_pack("{s:s}", "type", "number"), text);
  json_object_set_new(out, "title", json_string(name));
  pl_text_free(&wrong);
  pl_text_free(&pattern);
  return out;
}

// the definition of quantities of a dimension, made at its first use
static json_t *quantity(schema *s, const char *unit_text, int plain) {
  unit u = {0};
  char name[64], def[96];
  if (unit_text && unit_text[0]) unit_parse(unit_text, strlen(unit_text), &u);
  unit_name(&u.dim, name, sizeof name);
  int number = !unit_text || !unit_text[0];
  snprintf(def, sizeof def, "quantity_%s%s", number ? "number" : name, plain ? "_fixed" : "");
  // a pointer ends at a slash
  for (char *p = def; *p; p++)
    if (strchr("/ ~^", *p)) *p = '_';
  if (!json_object_get(s->defs, def))
    json_object_set_new(s->defs, def, quantity_def(s, &u.dim, plain));
  return ref(def);
}

// ---- what is told of a value --------------------------------------------------------------------

static void add_range(pl_text *t, const char *unit_text, double lo, double hi, int lo_open) {
  const char *u = unit_text ? unit_text : "", *gap = u[0] ? " " : "";
  if (!(lo < hi)) return;
  if (lo > -1e29) pl_text_add(t, "; %s %g%s%s", lo_open ? ">" : ">=", lo, gap, u);
  if (hi < 1e29) pl_text_add(t, "%s <= %g%s%s", lo > -1e29 ? "," : ";", hi, gap, u);
}

static void describe(schema *s, json_t *to, const char *text, const char *unit_text, double lo,
                     double hi, int lo_open) {
  pl_text t;
  pl_text_init(&t, s->env);
  pl_text_add(&t, "%s", text ? text : "");
  if (unit_text && unit_text[0]) pl_text_add(&t, " (%s)", unit_text);
  add_range(&t, unit_text, lo, hi, lo_open);
  if (t.n > 0) json_object_set_new(to, "description", json_string(t.s));
  pl_text_free(&t);
}

// Bounds of bare numbers: those that hold in any unit.
static void bound(json_t *to, const char *unit_text, double lo, double hi, int lo_open) {
  int pure = !unit_text || !unit_text[0];
  if (!(lo < hi)) return;
  if (lo == 0 || (pure && lo > -1e29))
    json_object_set_new(to, lo_open ? "exclusiveMinimum" : "minimum", json_real(lo));
  if (hi == 0 || (pure && hi < 1e29)) json_object_set_new(to, "maximum", json_real(hi));
}

static void set_default(json_t *to, const char *unit_text, double value) {
  json_object_set_new(to, "default",
                      unit_text && unit_text[0] ? json_sprintf("%.6g %s", value, unit_text)
                                                : json_real(value));
}

// ---- kinds of values ----------------------------------------------------------------------------

static json_t *flag(void) {
  return json_pack("{s:[b,b,s,s,s,s,s,s]}", "enum", 1, 0, "yes", "no", "true", "false", "on",
                   "off");
}

static json_t *choice(const char *choices, double value, int is_default) {
  char name[64];
  json_t *names = json_array(), *number = NULL;
  if (strcmp(choices, "no|yes") == 0) {
    json_decref(names);
    json_t *out = flag();
    if (is_default) json_object_set_new(out, "default", json_boolean(value != 0));
    return out;
  }
  for (int k = 0; choice_name(choices, k, name, sizeof name); k++) {
    if (strcmp(name, "integer") == 0) {
      number = json_pack("{s:s, s:i, s:i}", "type", "integer", "minimum", 1, "maximum", 32);
      continue;
    }
    json_array_append_new(names, json_string(name));
    // words that other readers of YAML take for something else
    char *end;
    double x = strtod(name, &end);
    if (!*end) json_array_append_new(names, json_real(x));
  }
  json_t *out = json_pack("{s:o}", "enum", names);
  if (number) out = any_of(out, number);
  if (is_default && choice_name(choices, (int)value, name, sizeof name))
    json_object_set_new(out, "default", json_string(name));
  return out;
}

static json_t *word(void) {
  return json_pack("{s:s, s:s}", "type", "string", "pattern", "^[A-Za-z_][A-Za-z0-9_-]{0,59}$");
}

static json_t *any_text(void) {
  return json_pack("{s:[s,s,s]}", "type", "string", "number", "boolean");
}

static json_t *vector(schema *s, const row *r) {
  json_t *list = list_of(quantity(s, r->unit, r->plain));
  json_object_set_new(list, "minItems", json_integer(r->type == T_VEC ? 1 : 2));
  json_object_set_new(list, "maxItems", json_integer(3));
  return r->type == T_VEC ? any_of(list, quantity(s, r->unit, r->plain)) : list;
}

// what its own code reads: mappings have the keys of sub, the rest is free
static json_t *raw(schema *s, const row *r) {
  const char *c = r->choices ? r->choices : "";
  if (r->objective) return json_object();
  if (r->sub) {
    json_t *item = json_pack("{s:[o,o,o]}", "anyOf", any_text(),
                             json_pack("{s:s}", "type", "array"), map_ref(s, r->sub));
    return json_pack("{s:[o,o,o]}", "anyOf", any_text(), map_ref(s, r->sub), list_of(item));
  }
  if (strcmp(c, "integer") == 0) return json_pack("{s:s}", "type", "integer");
  if (strcmp(c, "value") == 0) return json_pack("{s:[s,s]}", "type", "number", "string");
  if (strcmp(c, "selector") == 0) return json_pack("{s:[s,s]}", "type", "string", "array");
  if (c[0] == '{' && !strstr(c, "|")) return json_pack("{s:s}", "type", "object");
  return json_object();
}

static json_t *number(schema *s, const row *r) {
  json_t *out = quantity(s, r->unit, r->plain);
  bound(out, r->unit, r->lo, r->hi, r->lo_open);
  if (!r->need && (r->type == T_PAR ? !r->choices : r->value >= 0))
    set_default(out, r->unit, r->value);
  if (!r->each) return out;
  json_t *each = json_pack("{s:s, s:{s:o}, s:[s], s:b}", "type", "object", "properties", "each",
                           map_ref(s, &map_each), "required", "each", "additionalProperties", 0);
  return any_of(out, each);
}

static json_t *value_of_row(schema *s, const row *r) {
  switch (r->type) {
  case T_NUM:
  case T_PAR:
    return number(s, r);
  case T_INT: {
    json_t *out = json_pack("{s:s}", "type", "integer");
    bound(out, NULL, r->lo, r->hi, 0);
    if (!r->need) json_object_set_new(out, "default", json_integer((json_int_t)r->value));
    return out;
  }
  case T_CHOICE:
    return choice(r->choices, r->value, !r->need);
  case T_WORD:
    return word();
  case T_TEXT:
    return any_text();
  case T_VEC:
  case T_VEC3:
    return vector(s, r);
  case T_MAP:
    return map_ref(s, r->sub);
  case T_LIST:
    return any_of(list_of(map_ref(s, r->sub)), map_ref(s, r->sub));
  case T_NAMED:
    return json_pack("{s:s, s:o, s:o}", "type", "object", "propertyNames", word(),
                     "additionalProperties", map_ref(s, r->sub));
  default:
    return raw(s, r);
  }
}

static json_t *value_of_option(schema *s, const pl_option *o) {
  json_t *out;
  if (o->type == PL_OPT_CHOICE) return choice(o->choices, o->value, 1);
  if (o->type == PL_OPT_INT) {
    out = json_pack("{s:s}", "type", "integer");
    bound(out, NULL, o->lo, o->hi, 0);
    json_object_set_new(out, "default", json_integer((json_int_t)o->value));
  } else {
    out = quantity(s, o->unit, 1);
    bound(out, o->unit, o->lo, o->hi, 0);
    set_default(out, o->unit, o->value);
  }
  // where zero stands for "choose"
  if (o->value == 0 && o->lo == 0) out = any_of(out, json_pack("{s:s}", "const", "auto"));
  return out;
}

// ---- mappings -----------------------------------------------------------------------------------

static void add_option(schema *s, json_t *keys, const pl_option *o) {
  json_t *value = value_of_option(s, o), *before = json_object_get(keys, o->name);
  describe(s, value, o->text, o->type == PL_OPT_CHOICE ? NULL : o->unit, o->lo,
           o->type == PL_OPT_CHOICE ? o->lo : o->hi, 0);
  // kinds of objectives share names
  if (before)
    json_object_set_new(keys, o->name, any_of(json_incref(before), value));
  else
    json_object_set_new(keys, o->name, value);
}

// bare numbers by quantities, or a system of units
static json_t *units(void) {
  json_t *keys = json_pack("{s:{s:s, s:s}}", "system", "type", "string", "description",
                           "a whole system of units, e.g. mm-N-MPa");
  for (int k = 0; k < unit_quantity_count; k++) {
    const unit_quantity *q = &unit_quantities[k];
    json_object_set_new(keys, q->name,
                        json_pack("{s:s, s:o}", "type", "string", "description",
                                  json_sprintf("unit of bare numbers, e.g. %s", q->si)));
  }
  json_t *map =
      json_pack("{s:s, s:o, s:b}", "type", "object", "properties", keys, "additionalProperties", 0);
  return any_of(json_pack("{s:s}", "type", "string"), map);
}

// a list of mappings with one key, the kind, or of kinds alone
static json_t *analyses(schema *s) {
  json_t *kinds = json_object(), *names = json_array();
  for (int k = 0; k < PL_ANALYSIS_COUNT; k++) {
    json_t *one = map_ref(s, &map_analysis[k]);
    json_object_set_new(one, "description", json_string(pl_analysis_table[k].text));
    json_object_set_new(kinds, pl_analysis_table[k].name, one);
    json_array_append_new(names, json_string(pl_analysis_table[k].name));
  }
  return list_of(
      any_of(json_pack("{s:s, s:o, s:b, s:i, s:i}", "type", "object", "properties", kinds,
                       "additionalProperties", 0, "minProperties", 1, "maxProperties", 1),
             json_pack("{s:o}", "enum", names)));
}

static json_t *value_of_key(schema *s, const map_keys *m, const row *r) {
  if (m != &map_root) return value_of_row(s, r);
  if (strcmp(r->key, "pliant") == 0) return json_pack("{s:i}", "const", 1);
  if (strcmp(r->key, "dimension") == 0) return json_pack("{s:[i,i,i]}", "enum", 1, 2, 3);
  if (strcmp(r->key, "units") == 0) return units();
  if (strcmp(r->key, "analyses") == 0) return analyses(s);
  return value_of_row(s, r);
}

static json_t *map_def(schema *s, const map_keys *m) {
  json_t *keys = json_object(), *needed = json_array();
  for (int k = 0; k < map_nrow(m); k++) {
    row r = map_row(m, k);
    json_t *value = value_of_key(s, m, &r);
    int range = r.type == T_NUM || r.type == T_PAR || r.type == T_INT;
    describe(s, value, r.text, range ? r.unit : NULL, range ? r.lo : 0, range ? r.hi : 0,
             r.lo_open);
    json_object_set_new(keys, r.key, value);
    if (r.need) json_array_append_new(needed, json_string(r.key));
  }
  for (int k = 0; m->nopt && k < *m->nopt; k++) add_option(s, keys, &m->opt[k]);
  for (int k = 0; m == &map_objective && k < PL_OBJECTIVE_COUNT; k++)
    for (int i = 0; i < pl_objective_table[k]->nkey; i++)
      add_option(s, keys, &pl_objective_table[k]->key[i]);
  if (m == &map_root) json_array_append_new(needed, json_string("pliant"));
  // a mapping without keys may be left empty
  json_t *type =
      json_array_size(needed) ? json_string("object") : json_pack("[s,s]", "object", "null");
  return json_pack("{s:o, s:s, s:o, s:o, s:b}", "type", type, "description", map_text(m),
                   "properties", keys, "required", needed, "additionalProperties", 0);
}

// maps of one name are numbered
static json_t *map_ref(schema *s, const map_keys *m) {
  for (int k = 0; k < s->n; k++)
    if (s->map[k] == m) return ref(s->name[k]);
  PL_ASSERT(s->n < MAPS_MAX);
  int mine = s->n++;
  s->map[mine] = m;
  snprintf(s->name[mine], DEF_NAME, "%.60s", m->what);
  for (int i = 2, taken = 1; taken; i++) {
    taken = 0;
    for (int k = 0; k < mine; k++) taken |= strcmp(s->name[k], s->name[mine]) == 0;
    if (taken) snprintf(s->name[mine], DEF_NAME, "%.60s-%d", m->what, i);
  }
  json_object_set_new(s->defs, s->name[mine], map_def(s, m));
  return ref(s->name[mine]);
}

void pl_scene_schema(pl_text *out) {
  schema s = {.env = out->env, .defs = json_object()};
  json_t *root = map_ref(&s, &map_root);
  json_t *all = json_pack("{s:s, s:s, s:s, s:o, s:o}", "$schema",
                          "https://json-schema.org/draft/2020-12/schema", "title", "pliant scene",
                          "description",
                          "A scene of pliant, made from the tables that parse scenes. Values are "
                          "NUMBER [UNIT]; bare numbers take the scene's units.",
                          "$ref", json_incref(json_object_get(root, "$ref")), "$defs", s.defs);
  json_decref(root);
  char *text = all ? json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) : NULL;
  if (text)
    pl_text_add(out, "%s\n", text);
  else
    out->failed = 1;
  free(text);
  json_decref(all);
}
