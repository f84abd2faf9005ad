// Key figures of cases as columns, by the names that searches have for them, and the table.
#include "study_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- by name
// --------------------------------------------------------------------------------------

static void flatten(const char *name, const json_t *v, json_t *to) {
  char at[PL_TEXT];
  const char *key;
  json_t *e;
  size_t i;
  if (json_is_boolean(v)) {
    json_object_set_new(to, name, json_integer(json_is_true(v)));
  } else if (json_is_number(v)) {
    json_object_set(to, name, (json_t *)(uintptr_t)v);
  } else if (json_is_array(v) && json_array_size(v) <= LIST_MOST) {
    json_array_foreach(v, i, e) {
      snprintf(at, sizeof at, "%.400s.%zu", name, i);
      flatten(at, e, to);
    }
  } else if (json_is_object(v)) {
    json_object_foreach((json_t *)(uintptr_t)v, key, e) {
      // how long it took is no property of the case
      if (strncmp(key, "seconds", 7) == 0) continue;
      snprintf(at, sizeof at, "%.300s.%.200s", name, key);
      flatten(at, e, to);
    }
  }
}

void figures_flatten(const char *analysis, const json_t *figures, json_t *to) {
  flatten(analysis, figures, to);
}

// ---- columns
// --------------------------------------------------------------------------------------

static pl_status add_column(columns *c, const char *name) {
  PL_TRY(pl_grow(c->env, &c->name, c->n, &c->cap, sizeof *c->name));
  c->name[c->n] = pl_strdup(c->env, name);
  if (!c->name[c->n]) return PL_E_NOMEM;
  c->n++;
  return PL_OK;
}

// those that are asked for, or all, in the order in which cases bring them
static pl_status find_names(const study *s, columns *c) {
  const char *name;
  json_t *v, *seen = json_object();
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < s->o->nfigure; i++) st = add_column(c, s->o->figure[i]);
  for (int k = 0; st == PL_OK && s->o->nfigure == 0 && k < s->ncase; k++)
    json_object_foreach(json_object_get(s->record[k], "figures"), name, v) {
      if (st != PL_OK || json_object_get(seen, name)) continue;
      json_object_set(seen, name, v);
      st = add_column(c, name);
    }
  json_decref(seen);
  return st;
}

pl_status columns_make(const study *s, columns *c) {
  *c = (columns){.env = s->env, .ncase = s->ncase};
  PL_TRY(find_names(s, c));
  c->value = pl_alloc(s->env, (size_t)c->n * (size_t)s->ncase, sizeof *c->value);
  if (!c->value) return PL_E_NOMEM;
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < s->ncase; k++) {
      const json_t *v = json_object_get(json_object_get(s->record[k], "figures"), c->name[i]);
      c->value[(size_t)i * (size_t)s->ncase + (size_t)k] = v ? json_number_value(v) : NAN;
    }
  return PL_OK;
}

void columns_free(columns *c) {
  for (int i = 0; i < c->n; i++) pl_free(c->env, c->name[i]);
  pl_free(c->env, c->name);
  pl_free(c->env, c->value);
}

const double *column_of(const columns *c, int i) {
  return c->value + (size_t)i * (size_t)c->ncase;
}

void figures_check(const study *s, const json_t *record) {
  const json_t *figures = json_object_get(record, "figures");
  for (int i = 0; i < s->o->nfigure; i++) {
    const char *names[256], *name;
    char hint[PL_TEXT];
    json_t *v;
    int n = 0, near;
    if (json_object_get(figures, s->o->figure[i])) continue;
    json_object_foreach((json_t *)(uintptr_t)figures, name, v) if (n < 256) names[n++] = name;
    near = n ? pl_closest(s->o->figure[i], n, names) : -1;
    snprintf(hint, sizeof hint,
             near >= 0 ? "did you mean '%.100s'?" : "cases.jsonl names all figures of a case",
             near >= 0 ? names[near] : "");
    pl_report(s->env, PL_WARNING, NULL, 0, 0, hint, "the first case has no figure '%.100s'",
              s->o->figure[i]);
  }
}

// ---- what pages show
// ------------------------------------------------------------------------------

static int varies(const columns *c, int i) {
  double lo = INFINITY, hi = -INFINITY;
  for (int k = 0; k < c->ncase; k++) {
    lo = fmin(lo, column_of(c, i)[k]);
    hi = fmax(hi, column_of(c, i)[k]);
  }
  return hi - lo > 1e-9 * fmax(fabs(lo), fabs(hi));
}

int is_everywhere(const study *s, const columns *c, int i) {
  for (int k = 0; k < c->ncase; k++)
    if (s->record[k] && case_is_solved(s->record[k]) && !isfinite(column_of(c, i)[k])) return 0;
  return 1;
}

// the unit of a figure: of the last part of its name that has one, as `tip_m` in static.tip_m.0
static const char *unit_of(const char *name) {
  char cell[PL_TEXT];
  const char *unit = "";
  snprintf(cell, sizeof cell, "%.500s", name);
  for (char *part = cell, *dot; part; part = dot ? dot + 1 : NULL) {
    dot = strchr(part, '.');
    if (dot) *dot = 0;
    const char *own = pl_unit_split(part);
    if (*own) unit = own;
  }
  return unit;
}

int shown_figures(const study *s, const columns *c, int most, int *list) {
  int n = 0;
  for (int i = 0; s->o->nfigure && i < c->n && n < most; i++) list[n++] = i;
  // quantities that all cases have come first; counts and numbers of the method where there are
  // none
  for (int pass = 0; s->o->nfigure == 0 && pass < (n > 0 ? 2 : 3); pass++)
    for (int i = 0; i < c->n && n < most; i++) {
      int unit = unit_of(c->name[i])[0] != 0, rank = !unit ? 2 : is_everywhere(s, c, i) ? 0 : 1;
      if (rank == pass && varies(c, i)) list[n++] = i;
    }
  return n;
}

void input_label(const input *i, char *out, size_t size) {
  snprintf(out, size, i->unit[0] ? "%.200s (%s)" : "%.200s", i->name, i->unit);
}

void figure_label(const char *name, char *out, size_t size) {
  char cell[PL_TEXT];
  const char *unit = unit_of(name);
  snprintf(cell, sizeof cell, "%.400s", name);
  pl_unit_split(cell);
  snprintf(out, size, unit[0] ? "%s (%s)" : "%s", cell, unit);
}

// ---- the table
// ------------------------------------------------------------------------------------

static void put_cell(pl_text *t, const char *s) {
  int quoted = strpbrk(s, ",\"\r\n") != NULL;
  if (quoted) pl_text_put(t, "\"", 1);
  for (; *s; s++) {
    if (*s == '"') pl_text_put(t, "\"", 1);
    // one line a case
    pl_text_put(t, *s == '\n' || *s == '\r' ? " " : s, 1);
  }
  if (quoted) pl_text_put(t, "\"", 1);
}

static void put_head(const study *s, const columns *c, pl_text *t) {
  pl_text cell;
  char word[64];
  pl_text_init(&cell, s->env);
  pl_text_add(t, "case");
  for (int i = 0; i < s->ninput; i++) {
    cell.n = 0;
    pl_unit_word(s->input[i].unit, word, sizeof word);
    pl_text_add(&cell, "%s%s%s", s->input[i].name, word[0] ? "_" : "", word);
    pl_text_put(t, ",", 1);
    put_cell(t, cell.s ? cell.s : "");
  }
  for (int i = 0; i < c->n; i++) {
    pl_text_put(t, ",", 1);
    put_cell(t, c->name[i]);
  }
  pl_text_add(t, ",status,reason\n");
  t->failed |= cell.failed;
  pl_text_free(&cell);
}

static void put_number(pl_text *t, double v) {
  char number[NUMBER] = "";
  if (isfinite(v)) number_text(v, number);
  pl_text_add(t, ",%s", number);
}

static void put_row(const study *s, const columns *c, int k, pl_text *t) {
  const char *status = json_string_value(json_object_get(s->record[k], "status"));
  const char *reason = json_string_value(json_object_get(s->record[k], "reason"));
  pl_text_add(t, "%d", k + 1);
  for (int i = 0; i < s->ninput; i++) {
    if (!s->input[i].words) {
      put_number(t, input_value(s, k, i));
      continue;
    }
    pl_text word;
    pl_text_init(&word, s->env);
    input_text(s, k, i, &word);
    pl_text_put(t, ",", 1);
    put_cell(t, word.s ? word.s : "");
    pl_text_free(&word);
  }
  for (int i = 0; i < c->n; i++) put_number(t, column_of(c, i)[k]);
  pl_text_put(t, ",", 1);
  put_cell(t, status ? status : "");
  pl_text_put(t, ",", 1);
  put_cell(t, reason ? reason : "");
  pl_text_put(t, "\n", 1);
}

pl_status table_write(const study *s, const columns *c) {
  char path[4096];
  pl_text t;
  pl_text_init(&t, s->env);
  put_head(s, c, &t);
  for (int k = 0; k < s->ncase; k++)
    if (s->record[k]) put_row(s, c, k, &t);
  pl_status st = t.failed ? PL_E_NOMEM : PL_OK;
  study_path(s, "table.csv", path);
  if (st == PL_OK) st = pl_file_write(s->env, path, t.s, t.n);
  if (st == PL_OK && s->o->table) {
    st = pl_file_write(s->env, s->o->table, t.s, t.n);
    snprintf(path, sizeof path, "%s", s->o->table);
  }
  snprintf(s->result->table, sizeof s->result->table, "%.500s", path);
  pl_text_free(&t);
  return st;
}
