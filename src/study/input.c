// NAME=VALUES of --vary and --given.
#include "study_impl.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int numbers;
  const char *example;
} distributions[PL_DISTRIBUTIONS] = {
    [PL_NORMAL] = {"normal", 2, "normal:10 N/m,1 N/m (mean and standard deviation)"},
    [PL_LOGNORMAL] = {"lognormal", 2, "lognormal:10 N/m,1 N/m (mean and standard deviation)"},
    [PL_UNIFORM] = {"uniform", 2, "uniform:0.1..0.3"},
    [PL_LOGUNIFORM] = {"loguniform", 2, "loguniform:0.1..10"},
    [PL_TRIANGULAR] = {"triangular", 3, "triangular:8,10,14 N/m (from, most likely, to)"},
};

const char *study_command(const study *s) {
  return s->o->uncertain ? "--given" : "--vary";
}

void number_text(double v, char out[NUMBER]) {
  for (int digits = 6; digits <= 17; digits++) {
    double back;
    snprintf(out, NUMBER, "%.*g", digits, v);
    if (pl_number_word(out, strlen(out), &back) && back == v) return;
  }
}

// ---- words
// ----------------------------------------------------------------------------------------

static char *copy(const study *s, const char *from, size_t n) {
  while (n > 0 && isspace((unsigned char)*from)) from++, n--;
  while (n > 0 && isspace((unsigned char)from[n - 1])) n--;
  char *out = pl_arena_alloc(s->arena, n + 1, 1);
  if (!out) return NULL;
  memcpy(out, from, n);
  out[n] = 0;
  return out;
}

// end of the item at s: a comma that no bracket and no quotes are about
static size_t item_length(const char *s) {
  int depth = 0;
  size_t n = 0;
  for (char quote = 0; s[n]; n++) {
    if (quote) {
      quote = s[n] == quote ? 0 : quote;
      continue;
    }
    if (s[n] == '"' || s[n] == '\'') quote = s[n];
    depth += (s[n] == '[') + (s[n] == '{') - (s[n] == ']') - (s[n] == '}');
    if (s[n] == ',' && depth <= 0) break;
  }
  return n;
}

// a number and its unit, which stays ""; 0: it is none
static int read_number(const char *s, size_t n, double *v, char unit[UNIT]) {
  while (n > 0 && isspace((unsigned char)*s)) s++, n--;
  while (n > 0 && isspace((unsigned char)s[n - 1])) n--;
  size_t used = pl_number_scan(s, n, v);
  if (used == 0 || !isfinite(*v)) return 0;
  while (used < n && s[used] == ' ') used++;
  if (n - used >= UNIT) return 0;
  memcpy(unit, s + used, n - used);
  unit[n - used] = 0;
  // `3x3` and `2-b` are words
  return unit[0] == 0 || isalpha((unsigned char)unit[0]) || strchr("%1\xc2\xce", unit[0]);
}

static pl_status wrong(const study *s, const char *spec, const char *hint, const char *what) {
  return pl_fail_at(s->env, PL_E_ARG, NULL, 0, 0, hint, "%s '%.100s': %s", study_command(s), spec,
                    what);
}

// the unit of several numbers: those without one have that of the others
static int share_unit(const study *s, int n, char unit[][UNIT], const char **out) {
  const char *one = "";
  for (int k = 0; k < n; k++) {
    if (!unit[k][0] || strcmp(unit[k], one) == 0) continue;
    if (one[0]) return 0;
    one = unit[k];
  }
  *out = copy(s, one, strlen(one));
  return *out != NULL;
}

// ---- ranges
// ---------------------------------------------------------------------------------------

// LO..HI[:N]; 0: it is no range
static int scan_range(const char *s, size_t n, double v[2], char unit[2][UNIT], int *count) {
  const char *dots = NULL, *colon = NULL;
  for (size_t k = 0; k + 1 < n && !dots; k++)
    if (s[k] == '.' && s[k + 1] == '.') dots = s + k;
  if (!dots || !read_number(s, (size_t)(dots - s), &v[0], unit[0])) return 0;
  const char *from = dots + 2, *end = s + n;
  for (const char *c = from; c < end; c++)
    if (*c == ':') colon = c;
  *count = 0;
  if (!read_number(from, (size_t)((colon ? colon : end) - from), &v[1], unit[1])) return 0;
  if (!colon) return 1;
  char *stop, text[16];
  snprintf(text, sizeof text, "%.*s", end - colon - 1 < 15 ? (int)(end - colon - 1) : 15,
           colon + 1);
  long many = strtol(text, &stop, 10);
  *count = *stop || stop == text || many < 2 || many > CASES_MOST ? -1 : (int)many;
  return 1;
}

double round_value(double v) {
  char text[NUMBER];
  double back;
  snprintf(text, sizeof text, "%.12g", v);
  return pl_number_word(text, strlen(text), &back) ? back : v;
}

double range_value(const input *p, double u) {
  if (u <= 0) return p->lo;
  if (u >= 1) return p->hi;
  return round_value(p->log ? p->lo * pow(p->hi / p->lo, u) : p->lo + u * (p->hi - p->lo));
}

static char *value_text(const study *s, double v, const char *unit) {
  char number[NUMBER], text[NUMBER + UNIT + 2];
  number_text(v, number);
  int n = snprintf(text, sizeof text, "%s%s%s", number, unit[0] ? " " : "", unit);
  return copy(s, text, (size_t)n);
}

static pl_status room(const study *s, input *p, int n) {
  p->text = pl_arena_alloc(s->arena, (size_t)n, sizeof *p->text);
  p->value = pl_arena_alloc(s->arena, (size_t)n, sizeof *p->value);
  return p->text && p->value ? PL_OK : PL_E_NOMEM;
}

static pl_status lay_levels(const study *s, input *p, int n) {
  PL_TRY(room(s, p, n));
  for (int k = 0; k < n; k++) {
    p->value[k] = range_value(p, (double)k / (n - 1));
    p->text[k] = value_text(s, p->value[k], p->unit);
    if (!p->text[k]) return PL_E_NOMEM;
  }
  p->nlevel = n;
  p->range = 0;
  return PL_OK;
}

// rest: what follows the range, ",log"
static pl_status read_range(const study *s, const char *spec, const double v[2], char unit[2][UNIT],
                            int count, const char *rest, input *p) {
  const int grid = s->o->design == PL_STUDY_FACTORIAL;
  *p = (input){.name = p->name, .path = p->path, .range = 1, .lo = v[0], .hi = v[1]};
  if (!share_unit(s, 2, unit, &p->unit))
    return wrong(s, spec, NULL, "both ends of a range have the same unit");
  if (strcmp(rest, ",log") == 0)
    p->log = 1;
  else if (rest[0])
    return wrong(s, spec, "LO..HI:N[,log], or a list of values alone",
                 "only 'log' can follow a range");
  if (!(v[0] < v[1])) return wrong(s, spec, "LO..HI", "a range goes upwards");
  if (p->log && !(v[0] > 0)) return wrong(s, spec, NULL, "a range by ratios stays above zero");
  if (count < 0)
    return wrong(s, spec, "e.g. 1..10:20", "the count of values is a whole number from 2 on");
  if (grid && count == 0)
    return wrong(s, spec, "e.g. 1..10:20; or --design latin or sobol with --cases",
                 "a range of a factorial design needs a count");
  if (!grid && count > 0)
    return wrong(s, spec, "leave the count out; --cases tells how many",
                 "a range of such a design has no count");
  return grid ? lay_levels(s, p, count) : PL_OK;
}

// ---- lists
// ----------------------------------------------------------------------------------------

static pl_status read_list(const study *s, const char *spec, const char *values, input *p) {
  int n = 1, numbers = 0, k = 0;
  for (const char *at = values; at[item_length(at)]; at += item_length(at) + 1) n++;
  char(*unit)[UNIT] = pl_arena_alloc(s->arena, (size_t)n, UNIT);
  if (!unit) return PL_E_NOMEM;
  PL_TRY(room(s, p, n));
  for (const char *at = values;; k++) {
    size_t len = item_length(at);
    p->text[k] = copy(s, at, len);
    if (!p->text[k]) return PL_E_NOMEM;
    if (!p->text[k][0]) return wrong(s, spec, "e.g. k=1,2,5 or k=1..10:20,log", "a value is empty");
    numbers += read_number(at, len, &p->value[k], unit[k]);
    if (!at[len]) break;
    at += len + 1;
  }
  p->nlevel = n;
  p->unit = "";
  p->words = numbers < n;
  for (k = 0; p->words && k < n; k++) p->value[k] = k;
  if (p->words) return PL_OK;
  if (!share_unit(s, n, unit, &p->unit))
    return wrong(s, spec, NULL, "all values of a list have the same unit");
  for (k = 0; k < n; k++) {
    p->text[k] = value_text(s, p->value[k], p->unit);
    if (!p->text[k]) return PL_E_NOMEM;
  }
  return PL_OK;
}

// ---- distributions
// --------------------------------------------------------------------------------

static pl_status distribution_hint(const study *s, const char *spec, int kind, const char *what) {
  char hint[PL_TEXT];
  size_t n = 0;
  if (kind < PL_DISTRIBUTIONS)
    snprintf(hint, sizeof hint, "e.g. %s", distributions[kind].example);
  else
    n += (size_t)snprintf(hint, sizeof hint, "known: ");
  for (int k = 0; kind == PL_DISTRIBUTIONS && k < kind; k++)
    n += (size_t)snprintf(hint + n, sizeof hint - n, "%s%s", k ? ", " : "",
                          distributions[k].example);
  return wrong(s, spec, hint, what);
}

// A,B[,C] or LO..HI; returns how many numbers, 0: they are none
static int scan_numbers(const char *s, double v[3], char unit[3][UNIT]) {
  int n = 0, count;
  if (scan_range(s, strlen(s), v, unit, &count)) return count ? 0 : 2;
  for (;; n++) {
    size_t len = item_length(s);
    if (n == 3 || !read_number(s, len, &v[n], unit[n])) return 0;
    if (!s[len]) return n + 1;
    s += len + 1;
  }
}

static const char *distribution_wrong(const pl_distribution *d) {
  int spread = d->kind == PL_NORMAL || d->kind == PL_LOGNORMAL;
  if (spread && !(d->b > 0)) return "a standard deviation is above zero";
  if (d->kind == PL_LOGNORMAL && !(d->a > 0)) return "the mean of a lognormal is above zero";
  if (!spread && !(d->a < (d->kind == PL_TRIANGULAR ? d->c : d->b))) return "a range goes upwards";
  if (d->kind == PL_LOGUNIFORM && !(d->a > 0)) return "a range by ratios stays above zero";
  if (d->kind == PL_TRIANGULAR && !(d->a <= d->b && d->b <= d->c))
    return "the most likely value lies within the range";
  return NULL;
}

static pl_status read_distribution(const study *s, const char *spec, const char *values, input *p) {
  double v[3] = {0};
  char unit[3][UNIT] = {"", "", ""};
  const char *colon = strchr(values, ':');
  size_t n = colon ? (size_t)(colon - values) : 0;
  int kind = 0;
  while (kind < PL_DISTRIBUTIONS &&
         (strlen(distributions[kind].name) != n || strncmp(distributions[kind].name, values, n)))
    kind++;
  if (kind == PL_DISTRIBUTIONS) return distribution_hint(s, spec, kind, "no known distribution");
  if (scan_numbers(colon + 1, v, unit) != distributions[kind].numbers)
    return distribution_hint(s, spec, kind, "the numbers of the distribution are not understood");
  // a standard deviation may be a part of the mean
  int of_mean = kind <= PL_LOGNORMAL && strcmp(unit[1], "%") == 0 && strcmp(unit[0], "%") != 0;
  if (of_mean) {
    v[1] *= 0.01 * fabs(v[0]);
    unit[1][0] = 0;
  }
  if (!share_unit(s, 3, unit, &p->unit))
    return distribution_hint(s, spec, kind, "its numbers have the same unit");
  p->of = (pl_distribution){(pl_distribution_kind)kind, v[0], v[1], v[2]};
  const char *why = distribution_wrong(&p->of);
  return why ? distribution_hint(s, spec, kind, why) : PL_OK;
}

// ---- names
// ----------------------------------------------------------------------------------------

typedef struct root_key {
  const char *name;
  int found;
} root_key;

static void look_for_root(void *ctx, const char *path, const char *text) {
  root_key *k = ctx;
  (void)text;
  size_t n = strcspn(path, ".[");
  k->found |= strlen(k->name) == n && strncmp(path, k->name, n) == 0;
}

// a parameter of the scene by its name, anything else by its path
static pl_status find_path(const study *s, const char *spec, input *p) {
  const char *names[64];
  char hint[PL_TEXT], text[PL_TEXT], known[PL_TEXT - 64];
  int n = pl_model_ndesign(s->scene->model), shown = n < 64 ? n : 64, is_parameter = 0;
  for (int k = 0; k < n; k++) {
    const char *name = pl_model_design(s->scene->model, k)->name;
    is_parameter |= strcmp(name, p->name) == 0;
    if (k < shown) names[k] = name;
  }
  root_key root = {p->name, 0};
  pl_scene_paths(look_for_root, &root);
  p->path = p->name;
  if (strchr(p->name, '.') || (root.found && !is_parameter)) return PL_OK;
  if (is_parameter) {
    int len = snprintf(text, sizeof text, "parameters.%.300s.value", p->name);
    p->path = copy(s, text, (size_t)len);
    return p->path ? PL_OK : PL_E_NOMEM;
  }
  known[0] = 0;
  if (shown > 0) pl_name_hint(p->name, shown, names, known, sizeof known);
  snprintf(hint, sizeof hint, "%s%sa path as --set takes it names any value", known,
           known[0] ? "; " : "");
  return wrong(s, spec, hint, "the scene has no such parameter");
}

static pl_status read_input(const study *s, const char *spec, input *p) {
  const char *equal = strchr(spec, '='), *values = equal ? equal + 1 : NULL;
  char clean[PL_TEXT];
  double v[2];
  char unit[2][UNIT];
  int count;
  if (!equal || equal == spec || !values[strspn(values, " ")])
    return wrong(s, spec,
                 s->o->uncertain ? "e.g. --given 'k=normal:10 N/m,1 N/m'"
                                 : "e.g. --vary k=1..10:20,log --vary mu=0.1,0.3",
                 "NAME=VALUES is wanted");
  if (strlen(spec) < sizeof clean && strcmp(pl_printable(spec, clean, sizeof clean), spec) != 0)
    return wrong(s, clean, NULL, "it is not UTF-8");
  p->name = copy(s, spec, (size_t)(equal - spec));
  if (!p->name) return PL_E_NOMEM;
  PL_TRY(find_path(s, spec, p));
  if (s->o->uncertain) return read_distribution(s, spec, values, p);
  size_t len = item_length(values);
  if (scan_range(values, len, v, unit, &count))
    return read_range(s, spec, v, unit, count, values + len, p);
  return read_list(s, spec, values, p);
}

pl_status inputs_read(study *s) {
  const pl_study_opts *o = s->o;
  if (o->ninput < 1)
    return pl_fail_at(s->env, PL_E_ARG, NULL, 0, 0,
                      o->uncertain ? "e.g. --given 'k=normal:10 N/m,1 N/m'"
                                   : "e.g. --vary k=1..10:20,log --vary mu=0.1,0.3",
                      "nothing changes from case to case: %s is missing", study_command(s));
  if (o->ninput > INPUTS_MOST)
    return pl_fail(s->env, PL_E_ARG, "at most %d inputs are possible, not %d", INPUTS_MOST,
                   o->ninput);
  for (int i = 0; i < o->ninput; i++) {
    PL_TRY(read_input(s, o->input[i], &s->input[i]));
    for (int k = 0; k < i; k++)
      if (strcmp(s->input[k].path, s->input[i].path) == 0)
        return wrong(s, o->input[i], "give all of its values at once", "it is there twice");
    s->ninput = i + 1;
  }
  return PL_OK;
}

// ---- values of a case
// -----------------------------------------------------------------------------

double input_value(const study *s, int k, int i) {
  const input *p = &s->input[i];
  double v = s->value[(size_t)k * (size_t)s->ninput + (size_t)i];
  return p->nlevel == 0 ? v : p->words ? NAN : p->value[(int)v];
}

void input_text(const study *s, int k, int i, pl_text *out) {
  const input *p = &s->input[i];
  double v = s->value[(size_t)k * (size_t)s->ninput + (size_t)i];
  char number[NUMBER];
  if (p->nlevel) {
    pl_text_put(out, p->text[(int)v], strlen(p->text[(int)v]));
    return;
  }
  number_text(v, number);
  pl_text_add(out, "%s%s%s", number, p->unit[0] ? " " : "", p->unit);
}
