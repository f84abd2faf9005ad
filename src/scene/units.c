#include "scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What a number without a unit means: `units:` of the scene, and warnings where that is easily
// taken for something else.

// ---- systems ----------------------------------------------------------------------------------

// Units as equations in the logarithms of kg, m and s, kept as products so that round factors stay
// exact: row k says prod base[i]^e[i] = factor.
typedef struct equations {
  int n;
  unit row[8];
} equations;

// removes base unit c from an equation
static void eliminate(unit *u, const unit *from, int c) {
  int top = u->dim.e[c], low = from->dim.e[c];
  if (top == 0) return;
  // both to whole powers: u^low / from^top
  for (int i = 0; i < 3; i++) u->dim.e[i] = u->dim.e[i] * low - from->dim.e[i] * top;
  u->factor = pow(u->factor, low) * pow(from->factor, -top);
}

static int is_plain(const unit_dim *d) {
  return d->e[0] == 0 && d->e[1] == 0 && d->e[2] == 0;
}

// kg, m and s from units of independent dimensions; returns 0 when they contradict each other, -1
// when they are too few
static int solve_base(equations *q, double base[3]) {
  int pivot[3] = {-1, -1, -1};
  for (int k = 0; k < q->n; k++) {
    unit *u = &q->row[k];
    for (int c = 0; c < 3; c++)
      if (pivot[c] >= 0) eliminate(u, &q->row[pivot[c]], c);
    if (is_plain(&u->dim)) {
      if (fabs(u->factor - 1) > 1e-9) return 0;
      continue;
    }
    int c = u->dim.e[1] ? 1 : u->dim.e[0] ? 0 : 2;
    pivot[c] = k;
    for (int j = 0; j < 3; j++)
      if (j != c && pivot[j] >= 0) eliminate(&q->row[pivot[j]], u, c);
  }
  for (int c = 0; c < 3; c++) {
    if (pivot[c] < 0) return -1;
    const unit *u = &q->row[pivot[c]];
    int e = u->dim.e[c];
    base[c] = e == 1 ? u->factor : e == -1 ? 1 / u->factor : pow(u->factor, 1.0 / e);
  }
  return 1;
}

const char *unit_system_parse(const char *text, unit_scale *out) {
  equations q = {0};
  unit_scale_init(out);
  out->system = 1;
  if (strcmp(text, "SI") == 0) return NULL;
  int timed = 0;
  for (const char *p = text; p;) {
    size_t n = strcspn(p, "-");
    unit u;
    if (n == 0 || !unit_parse(p, n, &u)) return "it holds something that is no unit";
    if (unit_is_frequency(&u.dim) && out->n < UNIT_QUANTITIES_MAX)
      out->set[out->n++] = u;
    else if (is_plain(&u.dim) && u.dim.e[3] == 1)
      out->base[3] = u.factor;
    else if (!is_plain(&u.dim) && u.dim.e[3] == 0 && q.n < COUNT(q.row) - 1)
      q.row[q.n++] = u;
    else
      return "it holds a unit that cannot make a system";
    timed |= u.dim.e[0] == 0 && u.dim.e[1] == 0 && u.dim.e[2] == 1;
    p = p[n] ? p + n + 1 : NULL;
  }
  if (!timed) q.row[q.n++] = (unit){.dim = {{0, 0, 1, 0}}, .factor = 1};
  int solved = solve_base(&q, out->base);
  if (solved < 0) return "it needs units of length and of mass, force or stress";
  return solved ? NULL : "its units contradict each other";
}

// ---- `units:` ---------------------------------------------------------------------------------

static const char system_hint[] = "known: SI, mm-N-MPa (mass in t), mm-g-s, mm-kg-ms, cm-g-s, "
                                  "in-lbf-psi and the like, or {length: mm, force: N, ...}";

static void read_system(reader *r, const pl_node *at) {
  char buf[MESSAGE_QUOTE + 8];
  unit_scale found;
  const char *wrong = unit_system_parse(at->text, &found);
  if (wrong)
    problem(r, at, system_hint, "'%s' is no system of units: %s", quote(at->text, buf, sizeof buf),
            wrong);
  else
    r->scale = found;
}

// one `quantity: unit`
static void read_unit(reader *r, const pl_node *d, const char *const *names) {
  char hint[PL_TEXT], name[64], buf[MESSAGE_QUOTE + 8];
  unit want, got;
  int k = 0;
  while (k < unit_quantity_count && strcmp(d->key, names[k]) != 0) k++;
  if (k == unit_quantity_count) {
    pl_name_hint(d->key, unit_quantity_count + 1, names, hint, sizeof hint);
    problem_key(r, d, hint, "unknown key '%s' in units", quote(d->key, buf, sizeof buf));
    return;
  }
  unit_parse(unit_quantities[k].si, strlen(unit_quantities[k].si), &want);
  if (d->kind != NODE_SCALAR || !unit_parse(d->text, strlen(d->text), &got) ||
      !unit_fits(&want.dim, &got.dim)) {
    unit_article(&want.dim, name, sizeof name);
    problem(r, d, NULL, "the unit of %s must be that of %s, got '%s'", d->key, name,
            d->kind == NODE_SCALAR ? quote(d->text, buf, sizeof buf) : "something else");
    return;
  }
  // the first four are the base: length, mass, time, angle
  static const int base[] = {1, 0, 2, 3};
  if (k < 4) {
    r->scale.base[base[k]] = got.factor;
    r->scale.name[base[k]] = d->text;
  } else if (r->scale.n < UNIT_QUANTITIES_MAX) {
    // over one that the system brought
    for (int i = 0; i < r->scale.n; i++)
      if (unit_same(&r->scale.set[i].dim, &want.dim)) r->scale.set[i] = r->scale.set[--r->scale.n];
    r->scale.set[r->scale.n++] = (unit){want.dim, got.factor};
  }
}

void read_units(reader *r) {
  const pl_node *at = node_get(r->root, "units");
  const char *names[UNIT_QUANTITIES_MAX];
  unit_scale_init(&r->scale);
  if (!at) return;
  if (at->kind == NODE_SCALAR) {
    read_system(r, at);
    return;
  }
  if (at->kind != NODE_MAP) {
    problem(r, at, "write it like {length: mm, mass: g} or mm-N-MPa",
            "units must be a system or a mapping, got a list");
    return;
  }
  for (int k = 0; k < unit_quantity_count; k++) names[k] = unit_quantities[k].name;
  names[unit_quantity_count] = "system";
  const pl_node *system = node_get(at, "system");
  if (system && system->kind == NODE_SCALAR) read_system(r, system);
  for (const pl_node *d = at->first; d; d = d->next)
    if (d != system) read_unit(r, d, names);
}

// ---- bare numbers -----------------------------------------------------------------------------

// Does a number of this dimension, left without a unit, mean something that a reader may not
// expect? A named system says what it means, and so does a unit given for the quantity.
static int surprising(const unit_scale *s, const unit_dim *d) {
  int parts = 0, changed = 0;
  if (s->system) return 0;
  for (int k = 0; k < s->n; k++)
    if (unit_same(&s->set[k].dim, d)) return 0;
  for (int k = 0; k < 4; k++) {
    parts += d->e[k] != 0;
    changed |= s->base[k] != 1;
  }
  return unit_is_frequency(d) || (parts > 1 && changed);
}

void note_bare(reader *r, const pl_node *at, const char *what, double value, const unit_dim *d) {
  if (value == 0 || !surprising(&r->scale, d)) return;
  int k = 0;
  while (k < r->nbare && !unit_same(&r->bare[k].dim, d)) k++;
  if (k == COUNT(r->bare)) return;
  if (k == r->nbare) {
    what = scene_strdup(r, what, strlen(what));
    r->bare[r->nbare++] = (bare_note){.dim = *d, .at = at, .what = what, .value = value};
  }
  // values of options may be read twice
  if (r->bare[k].last != at) r->bare[k].count++;
  r->bare[k].last = at;
}

// the system that the scene's length and mass suggest
static const char *likely_system(const unit_scale *s) {
  if (s->base[1] == 1 && s->base[0] == 1) return "SI";
  return s->base[1] == 1e-3 && s->base[0] == 1e-3 ? "mm-g-s" : "mm-N-MPa";
}

void warn_bare(reader *r) {
  for (int k = 0; k < r->nbare; k++) {
    const bare_note *b = &r->bare[k];
    char hint[PL_TEXT], means[128], in[80] = "", more[64] = "", example[160];
    double factor = unit_scale_of(&r->scale, &b->dim);
    unit_show(&b->dim, b->value * factor, means, sizeof means);
    if (factor != 1) {
      int n = snprintf(in, sizeof in, "%.6g ", b->value);
      unit_scale_name(&r->scale, &b->dim, in + n, sizeof in - (size_t)n);
      n = (int)strlen(in);
      snprintf(in + n, sizeof in - (size_t)n, " = ");
    }
    unit_hint_bare(&b->dim, b->value, example, sizeof example);
    if (b->count > 1) snprintf(more, sizeof more, "; %d more like it", b->count - 1);
    if (unit_is_frequency(&b->dim))
      snprintf(hint, sizeof hint, "%s, or 'frequency: Hz' under units", example);
    else
      snprintf(hint, sizeof hint, "%s, or name a system for the whole scene: 'units: %s'", example,
               likely_system(&r->scale));
    warning(r, b->at, hint, "%s: %.6g without a unit is %s%s%s", b->what, b->value, in, means,
            more);
  }
}

double pl_length_unit(const char *text) {
  static const unit_dim length = {{0, 1, 0, 0}};
  unit u;
  return unit_parse(text, strlen(text), &u) && unit_same(&u.dim, &length) ? u.factor : 0;
}
