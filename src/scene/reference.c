#include "scene_impl.h"

#include <stdio.h>
#include <string.h>

// ---- Markdown from the tables -----------------------------------------------------------------

enum { SEEN_MAX = 200 };

// maps in the order in which they are met
typedef struct sections {
  const map_keys *map[SEEN_MAX];
  char path[SEEN_MAX][192];
  int n;
} sections;

static void list_maps(sections *w, const map_keys *m, const char *path) {
  for (int k = 0; k < w->n; k++)
    if (w->map[k] == m) return;
  PL_ASSERT(w->n < SEEN_MAX);
  w->map[w->n] = m;
  snprintf(w->path[w->n++], sizeof w->path[0], "%s", path);
  for (int k = 0; k < map_nrow(m); k++) {
    char below[160];
    row r = map_row(m, k);
    if (!r.sub) continue;
    snprintf(below, sizeof below, "%s%s%s%s", path, path[0] ? "." : "", r.key,
             r.type == T_LIST    ? "[]"
             : r.type == T_NAMED ? ".NAME"
                                 : "");
    list_maps(w, r.sub, below);
  }
}

static void put_cell(pl_text *out, const char *s) {
  for (; *s; s++)
    if (*s == '|')
      pl_text_put(out, "\\|", 2);
    else
      pl_text_put(out, s, 1);
}

static void put_value_type(pl_text *out, const char *unit_text) {
  unit u = {0};
  char name[64];
  if (unit_text && unit_text[0]) unit_parse(unit_text, strlen(unit_text), &u);
  unit_name(&u.dim, name, sizeof name);
  if (unit_text && unit_text[0])
    pl_text_add(out, "%s (%s)", name, unit_text);
  else
    pl_text_add(out, "number");
}

static void put_type(pl_text *out, const row *r) {
  switch (r->type) {
  case T_NUM:
  case T_PAR:
    put_value_type(out, r->unit);
    break;
  case T_INT:
    pl_text_add(out, "integer");
    break;
  case T_CHOICE:
    put_cell(out, r->choices);
    break;
  case T_WORD:
    pl_text_add(out, "name");
    break;
  case T_TEXT:
    pl_text_add(out, "text");
    break;
  case T_VEC:
  case T_VEC3:
    pl_text_add(out, "vector, ");
    put_value_type(out, r->unit);
    break;
  case T_MAP:
    pl_text_add(out, "mapping: [%s](#%s)", r->sub->what, r->sub->what);
    break;
  case T_LIST:
    pl_text_add(out, "list of [%s](#%s)", r->sub->what, r->sub->what);
    break;
  case T_NAMED:
    pl_text_add(out, "names to [%s](#%s)", r->sub->what, r->sub->what);
    break;
  case T_RAW:
    put_cell(out, r->choices);
    if (r->sub) pl_text_add(out, ", [%s](#%s)", r->sub->what, r->sub->what);
    break;
  }
}

static void put_default(pl_text *out, const row *r) {
  char name[64];
  if (r->need)
    pl_text_add(out, "needed");
  else if (r->type == T_CHOICE && choice_name(r->choices, (int)r->value, name, sizeof name))
    pl_text_add(out, "%s", name);
  else if (r->type == T_PAR && r->choices)
    pl_text_add(out, "%s", r->choices);
  else if (r->type == T_INT || r->type == T_PAR || (r->type == T_NUM && r->value >= 0))
    pl_text_add(out, "%g", r->value);
  else if (r->type == T_RAW && r->value != 0)
    pl_text_add(out, "%g", r->value);
}

static void put_range(pl_text *out, double lo, double hi, int lo_open) {
  if (!(lo < hi)) return;
  int low = lo > -1e29, high = hi < 1e29;
  if (low && high)
    pl_text_add(out, "%s %g, <= %g", lo_open ? ">" : ">=", lo, hi);
  else if (low)
    pl_text_add(out, "%s %g", lo_open ? ">" : ">=", lo);
  else if (high)
    pl_text_add(out, "<= %g", hi);
}

// of: what it belongs to, as "peak, fold: "
static void put_opt(pl_text *out, const char *of, const pl_option *o) {
  char name[64];
  pl_text_add(out, "| `%s` | ", o->name);
  if (o->type == PL_OPT_CHOICE)
    put_cell(out, strcmp(o->choices, "no|yes") == 0 ? "yes or no" : o->choices);
  else if (o->type == PL_OPT_INT)
    pl_text_add(out, "integer");
  else
    put_value_type(out, o->unit);
  pl_text_add(out, " | ");
  if (o->type == PL_OPT_CHOICE && choice_name(o->choices, (int)o->value, name, sizeof name))
    pl_text_add(out, "%s", name);
  else
    pl_text_add(out, "%g", o->value);
  pl_text_add(out, " | ");
  if (o->type != PL_OPT_CHOICE) put_range(out, o->lo, o->hi, 0);
  pl_text_add(out, " | %s", of);
  put_cell(out, o->text);
  pl_text_add(out, " |\n");
}

static int has_key(const pl_objective_kind *kind, const pl_option *o) {
  for (int k = 0; k < kind->nkey; k++)
    if (strcmp(kind->key[k].name, o->name) == 0 && strcmp(kind->key[k].text, o->text) == 0)
      return 1;
  return 0;
}

// keys of their own, each once, with the kinds that have it
static void put_objective_keys(pl_text *out) {
  const pl_objective_kind *const *kind = pl_objective_table;
  for (int k = 0; k < PL_OBJECTIVE_COUNT; k++)
    for (int i = 0; i < kind[k]->nkey; i++) {
      const pl_option *o = &kind[k]->key[i];
      pl_text of = {.env = out->env};
      int first = 1;
      for (int a = 0; a < k; a++) first &= !has_key(kind[a], o);
      for (int a = k; a < PL_OBJECTIVE_COUNT; a++)
        if (has_key(kind[a], o)) pl_text_add(&of, "%s%s", a > k ? ", " : "", kind[a]->name);
      pl_text_add(&of, ": ");
      if (first) put_opt(out, of.s ? of.s : "", o);
      pl_text_free(&of);
    }
}

static void put_map(pl_text *out, const map_keys *m, const char *path) {
  pl_text_add(out, "\n### %s\n\n", m->what);
  if (path[0]) pl_text_add(out, "At `%s`. ", path);
  pl_text_add(out, "%s\n\n| key | value | default | range (SI) | |\n|---|---|---|---|---|\n",
              map_text(m));
  for (int k = 0; k < map_nrow(m); k++) {
    row r = map_row(m, k);
    pl_text_add(out, "| `%s` | ", r.key);
    put_type(out, &r);
    pl_text_add(out, " | ");
    put_default(out, &r);
    pl_text_add(out, " | ");
    if (r.type == T_NUM || r.type == T_PAR || r.type == T_INT)
      put_range(out, r.lo, r.hi, r.lo_open);
    pl_text_add(out, " | ");
    put_cell(out, r.text);
    if (r.objective && (r.objective->keys[0] || r.objective->nkey > 0)) {
      pl_text_add(out, "; with ");
      objective_keys(r.objective, out);
    }
    pl_text_add(out, " |\n");
  }
  for (int k = 0; m->nopt && k < *m->nopt; k++) put_opt(out, "", &m->opt[k]);
  if (m == &map_objective) put_objective_keys(out);
}

static const char intro[] =
    "# Scene reference\n"
    "\n"
    "Made from the tables that parse scenes; do not edit by hand.\n"
    "\n"
    "A scene is a YAML 1.2 or JSON file. Its first key is `pliant: 1`. Unknown and duplicate "
    "keys,\n"
    "tabs, anchors, aliases, tags, merge keys and several documents in a file are refused. All\n"
    "problems are told at once, with line, column and a hint.\n"
    "\n"
    "## Values\n"
    "\n"
    "A value is `NUMBER [UNIT]`, for example `3.3 GPa`, `8 Hz`, `0.02 N.s/m`, `5 %`. Units are\n"
    "products, quotients and powers of: m in ft, g t lb, s min h, rad deg rev, Hz rpm, N lbf, Pa "
    "bar\n"
    "psi, J, W, with the prefixes p n u m c k M G T where usual. Dimensions are checked; an angle "
    "is a\n"
    "dimension of its own: 1 Hz = 2 pi rad/s, and `1/s` is not a frequency. Bare numbers take the\n"
    "scene's `units`:\n"
    "\n"
    "    units: {length: mm, mass: g}     # also time, angle, and derived ones:";

static const char parameters_text[] =
    "\n"
    "A derived unit that is not set follows from length, mass, time and angle: under `{length: "
    "mm}` a\n"
    "bare force is in kg.mm/s^2, that is mN, and a bare stress in kg/mm/s^2, that is kPa. Such "
    "numbers\n"
    "are warned about, one warning for each quantity with the value in SI; so are bare "
    "frequencies, which\n"
    "are in rad/s. Write the unit, give the quantity's unit in `units`, or name a whole system:\n"
    "\n"
    "| `units:` | length | mass | time | force | stress | density |\n"
    "|---|---|---|---|---|---|---|\n"
    "| `SI` | m | kg | s | N | Pa | kg/m^3 |\n"
    "| `mm-N-MPa` | mm | t | s | N | MPa | t/mm^3 (steel 7.85e-9) |\n"
    "| `mm-g-s` | mm | g | s | uN | Pa | g/mm^3 (steel 7.85e-3) |\n"
    "| `mm-kg-ms` | mm | kg | ms | kN | GPa | kg/mm^3 (steel 7.85e-6) |\n"
    "| `cm-g-s` | cm | g | s | 1e-5 N | 0.1 Pa | g/cm^3 (steel 7.85) |\n"
    "| `in-lbf-psi` | in | lbf.s^2/in | s | lbf | psi | lbf.s^2/in^4 (steel 7.35e-4) |\n"
    "\n"
    "Any units that fit together make a system (`N-mm`, `mm-kN-GPa-ms`); time is in s when it is "
    "left\n"
    "out, angles are in rad and frequencies in rad/s unless `deg` or `Hz` is named too "
    "(`mm-N-MPa-Hz`).\n"
    "`{system: mm-N-MPa, density: kg/m^3, frequency: Hz}` makes exceptions. Under a named system "
    "nothing is\n"
    "warned about. `pliant check` prints loads, masses and materials as they were understood.\n"
    "\n"
    "`$name` stands for a parameter wherever the model has a quantity, also as `2*$name`, "
    "`$name/3`\n"
    "and `$name + 2 mm`. What a parameter is measured in follows from its use.\n"
    "\n"
    "A link's `length` moves the second joint, and all joints that hang on it when the link is "
    "cut,\n"
    "along the link. Directions are those of the joints as written, so that several lengths add "
    "up.\n"
    "A link in a loop cannot have a length.\n"
    "\n"
    "## Selectors\n"
    "\n"
    "Nodes are chosen in the same way everywhere:\n"
    "\n"
    "| selector | chooses |\n"
    "|---|---|\n"
    "| `tip` | a node, joint, set, or all nodes of a body |\n"
    "| `all` | every node |\n"
    "| `wing where x < 2 mm and y >= 3` | by coordinates; also `1 < x < 2`, `x = 0`, or, not, ( ) "
    "|\n"
    "| `wing nearest [180, 40, 0]` | the node nearest to a point |\n"
    "| `wing box [0, 0, 0] [1, 1, 1]` | nodes in a box |\n"
    "| `wing group root` | a group of the mesh: named in its file, or a side of a generator "
    "|\n"
    "| `wing group \"left face\"` | the same: a name with spaces or brackets stands in quotes |\n"
    "| `wing boundary` | free edges of a surface, skin of a solid, ends of rods and chains |\n"
    "| `a or b`, `a and not b`, `(a or b) and c` | combinations |\n"
    "| `[a, b, wing nearest [0, 0, 0]]` | a list: all of them |\n"
    "\n"
    "The name in front may be left out. A selector that chooses nothing is an error. One unknown "
    "is\n"
    "`tip.y`; in one dimension the node's name alone. `ground` is what never moves. `femur@0.4` is "
    "the\n"
    "point at 0.4 of the link `femur`, for springs.\n"
    "\n"
    "## Overrides\n"
    "\n"
    "`--set path=value` changes a scene for one run: `--set analyses.static.steps=10`,\n"
    "`--set materials.pla.young=2GPa`, and `--set m1=2g` for a parameter (the same as\n"
    "`--set parameters.m1.value=2g`). Entries of lists are found by their `name`, by kind of\n"
    "analysis, or by number from 0.\n"
    "\n"
    "## Keys\n";

void pl_scene_reference(pl_text *out) {
  sections w = {0};
  pl_text_add(out, "%s", intro);
  for (int k = 4; k < unit_quantity_count; k++)
    pl_text_add(out, "%s%s", (k - 4) % 5 == 0 ? "\n                                     # " : ", ",
                unit_quantities[k].name);
  pl_text_add(out, "\n%s", parameters_text);
  list_maps(&w, &map_root, "");
  for (int k = 0; k < w.n; k++) put_map(out, w.map[k], w.path[k]);
  pl_text_add(out, "\n## Analyses\n\nEach entry of `analyses` is a mapping with one key.\n");
  int first = w.n;
  for (int k = 0; k < PL_ANALYSIS_COUNT; k++) {
    char path[96];
    snprintf(path, sizeof path, "analyses.%s", pl_analysis_table[k].name);
    list_maps(&w, &map_analysis[k], path);
  }
  for (int k = first; k < w.n; k++) put_map(out, w.map[k], w.path[k]);
}

// ---- paths ------------------------------------------------------------------------------------

void pl_scene_paths(void (*each)(void *ctx, const char *path, const char *text), void *ctx) {
  sections w = {0};
  char path[192];
  list_maps(&w, &map_root, "");
  for (int k = 0; k < PL_ANALYSIS_COUNT; k++) {
    snprintf(path, sizeof path, "analyses.%s", pl_analysis_table[k].name);
    list_maps(&w, &map_analysis[k], path);
  }
  for (int k = 0; k < w.n; k++) {
    const char *dot = w.path[k][0] ? "." : "";
    for (int i = 0; i < map_nrow(w.map[k]); i++) {
      row r = map_row(w.map[k], i);
      snprintf(path, sizeof path, "%s%s%s", w.path[k], dot, r.key);
      each(ctx, path, r.text);
    }
    for (int i = 0; w.map[k]->nopt && i < *w.map[k]->nopt; i++) {
      snprintf(path, sizeof path, "%s%s%s", w.path[k], dot, w.map[k]->opt[i].name);
      each(ctx, path, w.map[k]->opt[i].text);
    }
  }
}
