// The analysis search: keys of the scene by their paths, goals for figures, scatter, checks.
#include "scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double RUNS_MOST = 1e6;

// NUMBER [UNIT] as it stands in the scene
typedef struct quantity {
  double v;
  const char *text; // of the unit, "" for none
  unit u;
} quantity;

static int read_quantity(reader *r, const pl_node *at, const char *what, quantity *out) {
  char buf[MESSAGE_QUOTE + 8];
  const char *text = at->kind == NODE_SCALAR ? at->text : "";
  *out = (quantity){.u = {.factor = 1}};
  while (*text == ' ') text++;
  size_t n = pl_number_scan(text, strlen(text), &out->v);
  if (n == 0 || !isfinite(out->v)) {
    problem(r, at, "it must be a number, with a unit or without", "%.100s: '%s' is no number", what,
            quote(text, buf, sizeof buf));
    return 0;
  }
  text += n;
  while (*text == ' ') text++;
  n = strlen(text);
  while (n > 0 && text[n - 1] == ' ') n--;
  out->text = scene_strdup(r, text, n);
  if (!out->text) return 0;
  if (n == 0 || unit_parse(text, n, &out->u)) return 1;
  problem(r, at, "e.g. 2 mm", "%.100s: '%s' is no unit that is known", what,
          quote(text, buf, sizeof buf));
  return 0;
}

// the first unit that is written among n quantities; others are changed to it
static int share_unit(reader *r, const pl_node *at, const char *what, int n, quantity **q) {
  const quantity *with = NULL;
  for (int k = 0; k < n; k++)
    if (!with && q[k]->text[0]) with = q[k];
  if (!with) return 1;
  quantity own = *with;
  for (int k = 0; k < n; k++) {
    double factor = q[k]->text[0] ? q[k]->u.factor : unit_scale_of(&r->scale, &own.u.dim);
    if (q[k]->text[0] && !unit_same(&q[k]->u.dim, &own.u.dim)) {
      problem(r, at, "give all of them in the same unit",
              "%.100s: '%.20s' does not go with '%.20s'", what, q[k]->text, own.text);
      return 0;
    }
    // what is in this unit already stays to the bit
    if (factor != own.u.factor) q[k]->v *= factor / own.u.factor;
    q[k]->u = own.u;
    q[k]->text = own.text;
  }
  return 1;
}

// ---- keys of the scene --------------------------------------------------------------------------

typedef struct place {
  const char *name;
  int npath;
  const char **path;
  const pl_node *value;   // of the first
  const param_def *param; // NULL: by path
} place;

static void hint_keys(const pl_node *above, const char *part, char *hint, size_t size) {
  const char *names[64];
  int n = 0;
  hint[0] = 0;
  for (const pl_node *e = above->first; e && n < COUNT(names); e = e->next) {
    const pl_node *name = node_get(e, "name");
    if (above->kind == NODE_MAP)
      names[n++] = e->key;
    else if (name && name->kind == NODE_SCALAR)
      names[n++] = name->text;
    else if (e->kind == NODE_MAP && e->n == 1)
      names[n++] = e->first->key;
  }
  if (n > 0)
    pl_name_hint(part, n, names, hint, size);
  else if (above->kind == NODE_LIST)
    snprintf(hint, size, "entries of this list are counted from 0 to %d", above->n - 1);
}

// the entry; where it may be new, what it would stand in. NULL: reported
static const pl_node *find_path(reader *r, const pl_node *at, const char *path, int is_new) {
  char hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  const char *part = path;
  const pl_node *above = r->root, *found = tree_find(r, path, &part, &above);
  if (r->failed) return NULL;
  if (found) return found;
  const char *dot = strrchr(path, '.');
  if (is_new && above->kind == NODE_MAP && strcmp(part, dot ? dot + 1 : path) == 0) return above;
  hint_keys(above, part, hint, sizeof hint);
  problem(r, at, hint, "path: there is no '%.60s' in the scene, at '%.60s'",
          quote(path, buf, sizeof buf), part);
  return NULL;
}

static int find_paths(reader *r, const pl_node *at, place *p) {
  int many = at->kind == NODE_LIST;
  p->path = scene_alloc(r, (size_t)(many ? at->n : 1) + 1, sizeof *p->path);
  if (!p->path) return 0;
  for (const pl_node *e = many ? at->first : at; e; e = many ? e->next : NULL) {
    if (e->kind != NODE_SCALAR || !e->text[0] || strchr(e->text, '=')) {
      problem(r, e, "e.g. obstacles.floor.friction", "path: one key of the scene is wanted");
      return 0;
    }
    const pl_node *value = find_path(r, e, e->text, 0);
    if (!value) return 0;
    if (p->npath == 0) p->value = value;
    p->path[p->npath++] = e->text;
  }
  if (p->npath > 0) return 1;
  problem(r, at, "e.g. obstacles.floor.friction", "path: there is none");
  return 0;
}

static const param_def *find_named(const reader *r, const char *name) {
  const param_def *p = r->def.parameters.item;
  for (int k = 0; k < r->def.parameters.n; k++)
    if (strcmp(p[k].name.s, name) == 0) return &p[k];
  return NULL;
}

// the last two words of a path, more where the first of them is a number, as a name
static const char *path_name(reader *r, const char *path) {
  const char *from = strrchr(path, '.');
  for (int more = 1; from && from > path && more;) {
    from--;
    while (from > path && from[-1] != '.') from--;
    more = *from >= '0' && *from <= '9';
  }
  char *name = (char *)scene_strdup(r, from ? from : path, strlen(from ? from : path));
  for (char *c = name; c && *c; c++)
    if (*c == '.') *c = '_';
  return name;
}

// by path, or by the name of a parameter
static int find_place(reader *r, const txt *name, const pl_node *path, const pl_node *at,
                      place *p) {
  char text[PL_TEXT];
  *p = (place){.name = name->s};
  if (path) {
    if (!find_paths(r, path, p)) return 0;
    if (!name->at) p->name = path_name(r, p->path[0]);
    return p->name != NULL;
  }
  p->param = name->at ? find_named(r, name->s) : NULL;
  if (!p->param) {
    problem(r, name->at ? name->at : at, "e.g. path: obstacles.floor.friction",
            name->at ? "'%.60s' is no parameter of the scene, and there is no path"
                     : "there is no path%s",
            name->s);
    return 0;
  }
  snprintf(text, sizeof text, "parameters.%.100s.value", name->s);
  p->path = scene_alloc(r, 1, sizeof *p->path);
  if (!p->path) return 0;
  p->path[0] = scene_strdup(r, text, strlen(text));
  p->npath = p->path[0] != NULL;
  p->value = p->param->value;
  return p->npath;
}

// ---- variables ----------------------------------------------------------------------------------

static int read_bounds(reader *r, const search_variable_def *d, const place *p, const pl_node *at,
                       pl_search_variable *v) {
  quantity start, lo, hi, *all[3] = {&start, &lo, &hi};
  const pl_node *min = d->min ? d->min : p->param ? p->param->min : NULL;
  const pl_node *max = d->max ? d->max : p->param ? p->param->max : NULL;
  if (!min || !max || !p->value) {
    problem(r, at, "e.g. min: 0.2, max: 0.8", "vary: '%.60s' needs min and max", p->name);
    return 0;
  }
  if (!read_quantity(r, p->value, p->path[0], &start) || !read_quantity(r, min, "min", &lo) ||
      !read_quantity(r, max, "max", &hi) || !share_unit(r, at, p->name, 3, all))
    return 0;
  *v = (pl_search_variable){.name = p->name,
                            .npath = p->npath,
                            .path = p->path,
                            .unit = start.text,
                            .lo = lo.v,
                            .hi = hi.v,
                            .start = start.v,
                            .log = d->scale.v};
  if (!(v->lo < v->hi) || v->start < v->lo || v->start > v->hi) {
    problem(r, at, "bounds lie about the value of the scene, which is tried first",
            "vary: '%.60s' begins at %.6g %s, its bounds are %.6g and %.6g", v->name, v->start,
            v->unit, v->lo, v->hi);
    return 0;
  }
  if (v->log && !(v->lo > 0)) {
    problem(r, at, "use scale: linear", "vary: '%.60s' by ratios must stay above zero", v->name);
    return 0;
  }
  return 1;
}

static void read_variables(reader *r, const items *list, pl_search_plan *p) {
  const search_variable_def *d = list->item;
  const pl_node *at = items_first(list);
  if (list->n > PL_SEARCH_MOST) {
    problem(r, list->at, "use the design of adjoint gradients for many parameters",
            "vary: at most %d keys are possible, got %d", PL_SEARCH_MOST, list->n);
    return;
  }
  pl_search_variable *v = scene_alloc(r, (size_t)list->n + 1, sizeof *v);
  p->variable = v;
  for (int k = 0; v && k < list->n && !r->failed; k++, at = at->next) {
    place where;
    if (!find_place(r, &d[k].name, d[k].path, at, &where) ||
        !read_bounds(r, &d[k], &where, at, &v[p->nvariable]))
      continue;
    for (int i = 0; i < p->nvariable; i++)
      if (strcmp(v[i].name, where.name) == 0)
        problem(r, at, "give it another 'name'", "vary: '%.60s' is there twice", where.name);
    p->nvariable++;
  }
}

// ---- goals --------------------------------------------------------------------------------------

// the analysis that a figure belongs to, -1: reported
static int find_owner(reader *r, const analysis_def *d, int n, const txt *figure,
                      const char **key) {
  const char *names[32], *dot = strchr(figure->s, '.');
  char hint[PL_TEXT], word[64];
  int nname = 0;
  size_t len = dot ? (size_t)(dot - figure->s) : strlen(figure->s);
  for (int k = 0; k < n; k++) {
    if (d[k].a.kind == PL_ANALYSIS_search) continue;
    if (nname < COUNT(names)) names[nname++] = d[k].a.name;
    if (!dot || !dot[1] || strlen(d[k].a.name) != len || strncmp(d[k].a.name, figure->s, len) != 0)
      continue;
    *key = dot + 1;
    return k;
  }
  snprintf(word, sizeof word, "%.*s", (int)(len < 60 ? len : 60), figure->s);
  if (nname > 0)
    pl_name_hint(word, nname, names, hint, sizeof hint);
  else
    snprintf(hint, sizeof hint, "add one to the analyses of the scene");
  problem(r, figure->at, hint,
          dot ? "figure: there is no analysis '%.60s'"
              : "figure: '%.60s' must be the name of an analysis, a dot and a figure of it",
          word);
  return -1;
}

// what the unit at the end of a figure's name is in SI
static double figure_unit(const char *key) {
  unit u;
  const char *end = strrchr(key, '_'), *dot = strrchr(key, '.');
  size_t n = end ? strcspn(end + 1, ".") : 0;
  if (dot && end && dot > end && strspn(dot + 1, "0123456789") != strlen(dot + 1)) return 1;
  return n > 0 && unit_parse(end + 1, n, &u) ? u.factor : 1;
}

static int read_aim(reader *r, const pl_node *at, const char *what, const char *key, double *out) {
  quantity q;
  if (!at) return 1;
  if (!read_quantity(r, at, what, &q)) return 0;
  *out = q.text[0] ? q.v * q.u.factor / figure_unit(key) : q.v;
  return 1;
}

static int read_positive(reader *r, const pl_node *at, const char *what, const char *key,
                         double *out) {
  if (!at) return 1;
  if (!read_aim(r, at, what, key, out)) return 0;
  if (*out > 0) return 1;
  problem(r, at, NULL, "%s must be above zero", what);
  return 0;
}

static int read_goal(reader *r, const search_goal_def *d, const pl_node *at, pl_search_goal *g) {
  const pl_node *given[] = {d->target, d->at_least, d->at_most};
  static const char *const what[] = {"target", "at_least", "at_most"};
  int ways = (d->maximise.at && d->maximise.v) + (d->minimise.at && d->minimise.v);
  ways += d->is.at != NULL;
  g->aim = d->maximise.v ? PL_AIM_UP : PL_AIM_DOWN;
  g->weight = d->weight.v;
  for (int k = 0; k < 3; k++) {
    if (!given[k]) continue;
    ways++;
    g->aim = (pl_search_aim)k;
    if (!read_aim(r, given[k], what[k], g->key, &g->value)) return 0;
  }
  if (ways != 1) {
    problem(r, at, "e.g. {figure: launch.flight.rise_m, at_least: 0.2}",
            "a goal has exactly one of target, at_least, at_most, is, maximise and minimise");
    return 0;
  }
  if (d->is.at) {
    g->word = d->is.s;
    g->aim = PL_AIM_LEAST;
    g->value = 1;
  }
  const pl_node *only = d->within ? d->within : d->modulo;
  if (only && g->aim != PL_AIM_TARGET) {
    problem_key(r, only, "leave it out, or use 'target'", "'%s' is for targets",
                d->within ? "within" : "modulo");
    return 0;
  }
  if (!read_positive(r, d->within, "within", g->key, &g->within) ||
      !read_positive(r, d->modulo, "modulo", g->key, &g->modulo))
    return 0;
  g->scale = g->modulo > 0 ? g->modulo : fabs(g->value);
  g->scale_given = d->scale || g->aim <= PL_AIM_MOST;
  if (!(g->scale > 0) || g->aim > PL_AIM_MOST) g->scale = 1;
  return read_positive(r, d->scale, "scale", g->key, &g->scale);
}

static void read_goals(reader *r, analysis_def *d, int n, const items *list, pl_search_plan *p) {
  const search_goal_def *def = list->item;
  const pl_node *at = items_first(list);
  if (list->n > PL_SEARCH_GOALS) {
    problem(r, list->at, NULL, "goals: at most %d are possible, got %d", PL_SEARCH_GOALS, list->n);
    return;
  }
  pl_search_goal *g = scene_alloc(r, (size_t)list->n + 1, sizeof *g);
  p->goal = g;
  for (int k = 0; g && k < list->n && !r->failed; k++, at = at->next) {
    pl_search_goal *to = &g[p->ngoal];
    if (!def[k].figure.at) continue;
    to->figure = def[k].figure.s;
    to->analysis = find_owner(r, d, n, &def[k].figure, &to->key);
    if (to->analysis >= 0 && read_goal(r, &def[k], at, to)) p->ngoal++;
  }
}

// ---- scatter and checks -------------------------------------------------------------------------

static int find_variable(const pl_search_plan *p, const char *name) {
  for (int k = 0; k < p->nvariable; k++)
    if (strcmp(p->variable[k].name, name) == 0) return k;
  return -1;
}

static int read_by(reader *r, const search_key_def *d, quantity *value, pl_search_scatter *s) {
  static const unit_dim none = {{0}};
  quantity by, *both[2] = {value, &by};
  if (!d->by || !read_quantity(r, d->by, "by", &by)) return 0;
  s->relative = unit_same(&by.u.dim, &none);
  if (s->relative)
    s->by = by.v * by.u.factor;
  else if (share_unit(r, d->by, s->name, 2, both))
    s->by = by.v;
  else
    return 0;
  s->uniform = d->shape.v;
  s->unit = value->text;
  s->value = value->v;
  if (s->by >= 0) return 1;
  problem(r, d->by, NULL, "by must not be below zero");
  return 0;
}

static int read_scattered(reader *r, const search_key_def *d, const pl_node *at,
                          const pl_search_plan *p, pl_search_scatter *s) {
  place where;
  quantity value = {.u = {.factor = 1}};
  s->variable = d->path || !d->name.at ? -1 : find_variable(p, d->name.s);
  if (s->variable >= 0) {
    const pl_search_variable *v = &p->variable[s->variable];
    s->name = v->name;
    s->npath = v->npath;
    s->path = v->path;
    value.v = v->start;
    value.text = v->unit;
    if (v->unit[0]) unit_parse(v->unit, strlen(v->unit), &value.u);
    return read_by(r, d, &value, s) && !r->failed;
  }
  if (!find_place(r, &d->name, d->path, at, &where)) return 0;
  s->name = where.name;
  s->npath = where.npath;
  s->path = where.path;
  // what is varied under the same path scatters about its design
  for (int k = 0; k < p->nvariable; k++)
    if (strcmp(p->variable[k].path[0], s->path[0]) == 0) s->variable = k;
  return where.value && read_quantity(r, where.value, s->path[0], &value) &&
         read_by(r, d, &value, s);
}

static void read_scatter(reader *r, const search_scatter_def *d, pl_search_plan *p) {
  const search_key_def *def = d->of.item;
  const pl_node *at = d->of.n > 0 ? items_first(&d->of) : NULL;
  pl_search_scatter *s = scene_alloc(r, (size_t)d->of.n + 1, sizeof *s);
  p->runs = d->runs.v;
  p->during = d->during.v;
  p->scatter = s;
  for (int k = 0; s && k < d->of.n && !r->failed; k++, at = at->next)
    if (read_scattered(r, &def[k], at, p, &s[p->nscatter])) p->nscatter++;
}

static int read_overrides(reader *r, const pl_node *at, pl_search_check *c) {
  if (at->kind != NODE_MAP || at->n == 0) {
    problem(r, at, "e.g. set: {analyses.launch.step: 0.05 ms}",
            "set must be a mapping of paths to values");
    return 0;
  }
  const char **set = scene_alloc(r, (size_t)at->n, sizeof *set);
  if (!set) return 0;
  c->set = set;
  for (const pl_node *e = at->first; e; e = e->next) {
    char text[PL_TEXT];
    if (e->kind != NODE_SCALAR) {
      problem(r, e, NULL, "set: '%.60s' must be one value", e->key);
      return 0;
    }
    const char *equal = strchr(e->key, '=');
    int n = snprintf(text, sizeof text, "%s=%s", e->key, e->text);
    if (equal || n >= (int)sizeof text) {
      problem(r, e, NULL, "set: '%.60s' is no path, or too long", e->key);
      return 0;
    }
    if (!find_path(r, e, e->key, 1)) return 0;
    set[c->nset] = scene_strdup(r, text, strlen(text));
    if (set[c->nset]) c->nset++;
  }
  return 1;
}

static void read_checks(reader *r, const items *list, pl_search_plan *p) {
  const search_check_def *d = list->item;
  const pl_node *at = list->n > 0 ? items_first(list) : NULL;
  pl_search_check *c = scene_alloc(r, (size_t)list->n + 1, sizeof *c);
  p->check = c;
  for (int k = 0; c && k < list->n && !r->failed; k++, at = at->next) {
    char name[32];
    pl_search_check *to = &c[p->ncheck];
    snprintf(name, sizeof name, "verify-%d", k + 1);
    to->name = d[k].name.at ? d[k].name.s : scene_strdup(r, name, strlen(name));
    if (d[k].set && to->name && read_overrides(r, d[k].set, to)) p->ncheck++;
  }
}

void build_search(reader *r, analysis_def *d, int n, int k) {
  pl_search_plan *p = scene_alloc(r, 1, sizeof *p);
  if (!p) return;
  d[k].a.search = p;
  if (d[k].vary.n > 0) read_variables(r, &d[k].vary, p);
  if (d[k].goals.n > 0) read_goals(r, d, n, &d[k].goals, p);
  if (d[k].scatter) read_scatter(r, d[k].scatter, p);
  if (d[k].verify.n > 0) read_checks(r, &d[k].verify, p);
  double runs = (double)d[k].a.opts.search_.budget * (1 + p->during);
  if (runs > RUNS_MOST)
    problem(r, d[k].at, "lower budget or scatter.during",
            "search: %.3g runs are too many, at most %.3g are possible", runs, RUNS_MOST);
  if (p->ngoal == 0 || p->nvariable == 0)
    if (r->nproblem == 0)
      problem(r, d[k].at, "e.g. vary: [{path: obstacles.floor.friction, min: 0.2, max: 0.8}]",
              "search: nothing is varied, or there is no goal");
}
