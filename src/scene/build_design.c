// Statements of explore and design: variables, operating points, objectives.
#include "build_design.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

// ---- variables --------------------------------------------------------------------------------

typedef struct list { // of variables while they are read
  int n, cap;
  pl_variable *v;
} list;

static const char *const special_name[] = {"alpha", "beta", "frequency"};
static const pl_variable_kind special_kind[] = {PL_VARIABLE_ALPHA, PL_VARIABLE_BETA,
                                                PL_VARIABLE_FREQUENCY};
static const char *const special_unit[] = {"1/s", "s", "rad/s"};

static int find_listed(const list *l, pl_variable_kind kind, int index) {
  for (int k = 0; k < l->n; k++)
    if (l->v[k].kind == kind && l->v[k].index == index) return k;
  return -1;
}

static int add_variable(reader *r, list *l, const pl_variable *v) {
  if (!scene_grow(r, &l->v, l->n, &l->cap, sizeof *l->v)) return 0;
  l->v[l->n++] = *v;
  return 1;
}

// optional bounds of a variable in its own dimension
static int read_bounds(reader *r, const variable_def *d, const unit_dim *dim, pl_variable *v,
                       double lo, double hi) {
  num x;
  if (!d->min && !d->max) return 1;
  const pl_node *at[2] = {d->min, d->max};
  double *to[2] = {&v->min, &v->max};
  v->min = lo;
  v->max = hi;
  for (int k = 0; k < 2; k++) {
    if (!at[k]) continue;
    if (at[k]->kind != NODE_SCALAR) {
      problem(r, at[k], NULL, "%s must be a value", k ? "max" : "min");
      return 0;
    }
    if (!read_num_text(r, at[k], k ? "max" : "min", at[k]->text, dim, &x)) return 0;
    *to[k] = x.v;
  }
  if (v->min < v->max) return 1;
  problem(r, d->max ? d->max : d->min, NULL, "variable '%s': min must be below max", d->name.s);
  return 0;
}

// a parameter as a variable; a design needs both of its bounds
static int add_parameter(reader *r, const plan *p, list *l, int k, const variable_def *d,
                         const pl_node *at) {
  const param_def *q = (const param_def *)r->def.parameters.item + k;
  char hint[PL_TEXT];
  pl_variable v = {.kind = PL_VARIABLE_DESIGN, .index = k};
  if (!q->used) {
    problem(r, at, "use it as $name somewhere", "parameter '%s' acts nowhere", q->name.s);
    return 0;
  }
  double lo = q->lo, hi = q->hi;
  if (d) {
    v.scale = (pl_variable_scale)d->scale.v;
    if (!read_bounds(r, d, &q->dim, &v, lo, hi)) return 0;
    if (d->min || d->max) {
      lo = v.min;
      hi = v.max;
    }
  }
  if (p->design && (!isfinite(lo) || !isfinite(hi) || !(lo < hi))) {
    int none = !isfinite(lo) || !isfinite(hi);
    snprintf(hint, sizeof hint, "e.g. %.60s: {value: ..., min: ..., max: ...}", q->name.s);
    problem(r, at, hint, none ? "variable '%s' has no bounds" : "variable '%s': min is max",
            q->name.s);
    return 0;
  }
  if (find_listed(l, PL_VARIABLE_DESIGN, k) >= 0) {
    problem(r, at, NULL, "variable '%s' is in the list already", q->name.s);
    return 0;
  }
  return add_variable(r, l, &v);
}

static int add_all(reader *r, const plan *p, list *l, const pl_node *at) {
  const param_def *q = r->def.parameters.item;
  int before = r->nproblem;
  // hundreds of elements share their bounds: one message is enough
  for (int k = 0; k < r->def.parameters.n && r->nproblem == before; k++)
    if (q[k].used) add_parameter(r, p, l, k, NULL, at);
  if (l->n == 0 && r->nproblem == before)
    problem(r, at, "give the scene parameters: {m1: {value: 1 g, min: 0 g, max: 5 g}}",
            "%s: there are no variables", p->what);
  return r->nproblem == before;
}

// alpha, beta and frequency; -1: none of them
static int find_special(const char *name) {
  for (int k = 0; k < COUNT(special_name); k++)
    if (strcmp(name, special_name[k]) == 0) return k;
  return -1;
}

static int add_special(reader *r, const plan *p, list *l, int s, const variable_def *d,
                       const pl_node *at) {
  unit u;
  int n = special_kind[s] == PL_VARIABLE_FREQUENCY ? p->out.problem.npoint : 1, ok = 1;
  PL_ASSERT(unit_parse(special_unit[s], strlen(special_unit[s]), &u));
  if (n == 0) {
    problem(r, at, "leave it out", "%s: frequencies come with the %s", p->what, p->given);
    return 0;
  }
  for (int i = 0; i < n && ok; i++) {
    pl_variable v = {.kind = special_kind[s], .index = i};
    double w = s == 2 ? p->out.problem.point[i].omega : 0;
    if (d) {
      v.scale = (pl_variable_scale)d->scale.v;
      ok = read_bounds(r, d, &u.dim, &v, s == 2 ? 0.5 * w : 0, s == 2 ? 2 * w : 1e12);
    }
    if (find_listed(l, v.kind, i) >= 0) {
      problem(r, at, NULL, "variable '%s' is in the list already", special_name[s]);
      return 0;
    }
    ok = ok && add_variable(r, l, &v);
  }
  return ok;
}

static void unknown_variable(reader *r, const pl_node *at, const char *name) {
  const param_def *q = r->def.parameters.item;
  const char *names[64];
  char hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  int n = 0;
  for (int k = 0; k < r->def.parameters.n && n < COUNT(names) - 3; k++) names[n++] = q[k].name.s;
  for (int k = 0; k < COUNT(special_name); k++) names[n++] = special_name[k];
  pl_name_hint(name, n, names, hint, sizeof hint);
  int is_key = at->key && strcmp(at->key, name) == 0;
  (is_key ? problem_key : problem)(r, at, hint, "'%s' is not among the parameters",
                                   quote(name, buf, sizeof buf));
}

// a parameter by its name, all parameters of a body's elements by theirs, or a special one
static int add_named(reader *r, const plan *p, list *l, const char *name, const variable_def *d,
                     const pl_node *at) {
  const param_def *q = r->def.parameters.item;
  int before = r->nproblem, found = 0, s;
  size_t len;
  if (name[0] == '$') name++;
  len = strlen(name);
  for (int k = 0; k < r->def.parameters.n && r->nproblem == before; k++) {
    int own = q[k].nslot && strncmp(q[k].name.s, name, len) == 0 && q[k].name.s[len] == '.' &&
              !strchr(q[k].name.s + len + 1, '.');
    if (!own && strcmp(q[k].name.s, name) != 0) continue;
    found = 1;
    add_parameter(r, p, l, k, d, at);
  }
  if (found) return r->nproblem == before;
  s = find_special(name);
  if (s >= 0) return add_special(r, p, l, s, d, at);
  unknown_variable(r, at, name);
  return 0;
}

static int read_variable(reader *r, const plan *p, list *l, const pl_node *at) {
  variable_def d = {0};
  if (at->kind == NODE_SCALAR) return add_named(r, p, l, at->text, NULL, at);
  return read_map(r, at, &map_variable, &d) && add_named(r, p, l, d.name.s, &d, at);
}

static int read_variables(reader *r, plan *p, const pl_node *at, const pl_node *whole, list *l) {
  int ok = 1;
  if (!at) return add_all(r, p, l, whole);
  if (at->kind == NODE_SCALAR && strcmp(at->text, "all") == 0) return add_all(r, p, l, at);
  if (at->kind != NODE_LIST) return read_variable(r, p, l, at);
  for (const pl_node *d = at->first; d; d = d->next) ok &= read_variable(r, p, l, d);
  if (at->n == 0) {
    problem(r, at, "name parameters, or write 'all'", "%s: there are no variables", p->what);
    return 0;
  }
  return ok;
}

// ---- operating points -------------------------------------------------------------------------

static int read_points(reader *r, plan *p, const analysis_def *d, double frequency) {
  const pl_node *many = d->frequencies;
  int n = many && many->kind == NODE_LIST ? many->n : 1;
  pl_operating *point = scene_alloc(r, (size_t)n + 1, sizeof *point);
  if (!point) return 0;
  p->out.problem.point = point;
  if (many && frequency > 0) {
    problem(r, many, "give one of them", "%s: both frequency and frequencies are given", p->what);
    return 0;
  }
  if (!many) {
    point[0].omega = frequency;
    p->out.problem.npoint = 1;
    return 1;
  }
  if (many->kind != NODE_LIST || many->n == 0) {
    problem(r, many, "e.g. [2 Hz, 3 Hz]", "frequencies must be a list");
    return 0;
  }
  for (const pl_node *e = many->first; e; e = e->next) {
    num v;
    char name[64];
    if (!read_num(r, e, "frequencies", "rad/s", &v)) return 0;
    if (!(v.v > 0) || v.par >= 0) {
      problem(r, e, "e.g. 2 Hz", "frequencies must be above zero");
      return 0;
    }
    snprintf(name, sizeof name, "%.6g Hz", v.v / (2 * PL_PI));
    point[p->out.problem.npoint].name = scene_strdup(r, name, strlen(name));
    point[p->out.problem.npoint++].omega = v.v;
  }
  return 1;
}

// ---- response and proof -----------------------------------------------------------------------

static int is_word(const pl_node *at, const char *word) {
  return at && at->kind == NODE_SCALAR && strcmp(at->text, word) == 0;
}

// response curves show the windows of objectives when nothing else is asked for
static void show_windows(plan *p) {
  pl_response_opts *o = &p->out.response;
  if (o->from > 0 || o->to > 0) return;
  for (int k = 0; k < p->out.problem.nobjective; k++) {
    const pl_objective *q = &p->out.problem.objective[k];
    if (q->kind->scope != PL_SCOPE_WINDOW) continue;
    o->from = o->from > 0 ? fmin(o->from, q->from) : q->from;
    o->to = fmax(o->to, q->to);
  }
}

static void read_checks(reader *r, plan *p, const analysis_def *d) {
  pl_node empty = {.kind = NODE_MAP};
  response_def response = {0};
  proof_def proof = {0};
  p->out.respond = !is_word(d->response, "no");
  p->out.prove = !is_word(d->proof, "no");
  if (p->out.respond)
    read_map(r, d->response ? d->response : &empty, &map_design_response, &response);
  if (p->out.prove) read_map(r, d->proof ? d->proof : &empty, &map_proof, &proof);
  p->out.response = response.opts;
  p->out.proof = proof.opts;
  if (!node_get(d->response, "stability")) p->out.response.stability = 0;
  show_windows(p);
  if (!d->response || !p->out.respond) return;
  if (!(response.opts.from > 0) != !(response.opts.to > 0) ||
      (response.opts.from > 0 && response.opts.from == response.opts.to))
    problem(r, d->response, "e.g. {from: 1 Hz, to: 4 Hz}",
            "response needs 'from' and 'to', both above zero and different");
}

// ---- exploration ------------------------------------------------------------------------------

static int read_set_value(reader *r, const pl_node *at, const list *l, double *out) {
  unit u;
  num v;
  unit_dim dim = {{0}};
  const param_def *q = r->def.parameters.item;
  int s = find_special(at->key);
  for (int k = 0; k < l->n; k++) {
    int own = l->v[k].kind == PL_VARIABLE_DESIGN && strcmp(q[l->v[k].index].name.s, at->key) == 0;
    if (!own && !(s >= 0 && l->v[k].kind == special_kind[s])) continue;
    if (own) dim = q[l->v[k].index].dim;
    if (!own) {
      PL_ASSERT(unit_parse(special_unit[s], strlen(special_unit[s]), &u));
      dim = u.dim;
    }
    if (at->kind != NODE_SCALAR) {
      problem(r, at, "e.g. {m1: 2 g}", "set: '%s' must be one value", at->key);
      return 0;
    }
    if (!read_num_text(r, at, at->key, at->text, &dim, &v)) return 0;
    out[k] = v.v;
    double lo = own ? q[l->v[k].index].lo : 0, hi = own ? q[l->v[k].index].hi : INFINITY;
    if (v.v >= lo && v.v <= hi) return 1;
    problem(r, at, NULL, "set: '%s' is not between its bounds %g and %g", at->key, lo, hi);
    return 0;
  }
  return 0;
}

// names that are set become variables, listed or not
static int read_set(reader *r, plan *p, const pl_node *at, list *l) {
  int ok = 1;
  if (at && at->kind != NODE_MAP) {
    problem(r, at, "e.g. {m1: 2 g}", "set must map names to values");
    return 0;
  }
  for (const pl_node *d = at ? at->first : NULL; d; d = d->next) {
    const param_def *q = r->def.parameters.item;
    int listed = 0, s = find_special(d->key);
    for (int k = 0; k < l->n; k++)
      listed |= l->v[k].kind == PL_VARIABLE_DESIGN ? strcmp(q[l->v[k].index].name.s, d->key) == 0
                                                   : s >= 0 && l->v[k].kind == special_kind[s];
    if (!listed) ok &= add_named(r, p, l, d->key, NULL, d);
  }
  double *set = scene_alloc(r, (size_t)l->n + 1, sizeof *set);
  if (!set) return 0;
  p->out.set = set;
  for (int k = 0; k < l->n; k++) set[k] = NAN;
  for (const pl_node *d = at ? at->first : NULL; d && ok; d = d->next)
    ok &= read_set_value(r, d, l, set);
  return ok;
}

static int read_along(reader *r, const pl_node *at, pl_along *out) {
  along_def d = {0};
  num v;
  unit u;
  double plain;
  if (!read_map(r, at, &map_along, &d)) return 0;
  if (!select_one(r, d.amplitude, "amplitude", &out->node)) return 0;
  if (!read_axes(r, d.axes, &out->mask)) return 0;
  out->name = d.amplitude->kind == NODE_SCALAR ? d.amplitude->text : "";
  if (!(free_mask(r, out->node) & (out->mask ? out->mask : 7))) {
    problem(r, d.amplitude, "choose a node that is free to move",
            "amplitude: the node is fixed or driven, no change moves it");
    return 0;
  }
  if (d.change->kind != NODE_SCALAR) {
    problem(r, d.change, "e.g. 50 % or 2 mm", "change must be one value");
    return 0;
  }
  const char *text = d.change->text;
  size_t n = pl_number_scan(text, strlen(text), &plain);
  while (text[n] == ' ') n++;
  PL_ASSERT(unit_parse("m", 1, &u));
  unit got;
  out->relative = !(unit_parse(text + n, strlen(text + n), &got) && unit_same(&got.dim, &u.dim));
  if (out->relative) u.dim = (unit_dim){{0}};
  if (!read_num_text(r, d.change, "change", text, &u.dim, &v)) return 0;
  if (v.par >= 0) {
    problem(r, d.change, NULL, "change cannot depend on a parameter");
    return 0;
  }
  out->change = v.v;
  return 1;
}

static void read_alongs(reader *r, plan *p, const pl_node *at) {
  if (!at) return;
  int many = at->kind == NODE_LIST;
  pl_along *a = scene_alloc(r, (size_t)(many ? at->n : 1) + 1, sizeof *a);
  if (!a) return;
  p->out.along = a;
  for (const pl_node *d = many ? at->first : at; d; d = many ? d->next : NULL)
    if (read_along(r, d, &a[p->out.nalong])) p->out.nalong++;
}

// ---- both -------------------------------------------------------------------------------------

static void check_points(reader *r, const plan *p, const pl_node *at) {
  for (int i = 0; i < p->out.problem.npoint; i++)
    if (!(p->out.problem.point[i].omega > 0)) {
      problem(r, at, "e.g. frequency: 2 Hz", "%s: the frequency must be above zero", p->what);
      return;
    }
  if (!oscillates(r))
    problem(r, at, "give a drive or load an amplitude and 'harmonic: 1'",
            "%s: no drive and no load oscillates", p->what);
}

// a design for a peak or fold alone is driven there, one for a window at its begin
static void default_point(plan *p) {
  pl_operating *point = (pl_operating *)p->out.problem.point;
  for (int k = 0; k < p->out.problem.nobjective && !(point[0].omega > 0); k++) {
    const pl_objective *o = &p->out.problem.objective[k];
    pl_scope scope = o->kind->scope;
    if (scope == PL_SCOPE_PEAK || scope == PL_SCOPE_FOLD) point[0].omega = o->target;
    if (scope == PL_SCOPE_WINDOW) point[0].omega = o->from;
  }
}

// variables alone: frequencies come with the data, or from the response
static void plan_variables(reader *r, analysis_def *d, plan p, const pl_node *at) {
  list l = {0};
  read_variables(r, &p, is_word(d->variables, "yes") ? NULL : d->variables, at, &l);
  pl_design_plan *out = scene_alloc(r, 1, sizeof *out);
  if (!out) return;
  *out = p.out;
  out->problem.nvariable = l.n;
  out->problem.variable = l.v;
  d->a.plan = out;
}

void build_plan(reader *r, analysis_def *d, const pl_node *at) {
  if (d->a.kind == PL_ANALYSIS_response) {
    if (d->variables && !is_word(d->variables, "no"))
      plan_variables(r, d, (plan){.what = "sensitivities", .given = "response"}, d->variables);
    return;
  }
  if (d->a.kind == PL_ANALYSIS_static || d->a.kind == PL_ANALYSIS_transient ||
      d->a.kind == PL_ANALYSIS_periodic) {
    if (d->variables && !is_word(d->variables, "no"))
      plan_variables(r, d, (plan){.what = "gradients", .given = "analysis"}, d->variables);
    return;
  }
  if (d->a.kind == PL_ANALYSIS_fit_response) {
    if (!oscillates(r))
      problem(r, at, "give a drive or load an amplitude and 'harmonic: 1'",
              "fit-response: no drive and no load oscillates");
    plan_variables(r, d, (plan){.what = "fit-response", .given = "data"}, at);
    return;
  }
  int design = d->a.kind == PL_ANALYSIS_design;
  plan p = {.design = design, .what = design ? "design" : "explore"};
  list l = {0};
  double frequency = design ? d->a.opts.design_.frequency : d->a.opts.explore_.frequency;
  int samples = design ? d->a.opts.design_.samples : d->a.opts.explore_.samples;
  p.harmonics = design ? d->a.opts.design_.harmonics : d->a.opts.explore_.harmonics;
  if (samples > 0 && samples < 2 * p.harmonics + 1)
    problem(r, at, "leave samples out: enough are taken",
            "%s: %d harmonics need at least %d samples, got %d", p.what, p.harmonics,
            2 * p.harmonics + 1, samples);
  int before = r->nproblem;
  if (!read_points(r, &p, d, frequency)) return;
  if (d->objectives) read_objectives(r, &p, d->objectives);
  default_point(&p);
  if (design) read_checks(r, &p, d);
  // a wrong objective may be the one that says the frequency
  if (r->nproblem == before) check_points(r, &p, at);
  int ok = read_variables(r, &p, d->variables, at, &l);
  if (!design && ok) {
    read_set(r, &p, d->set, &l);
    read_alongs(r, &p, d->along);
  }
  pl_design_plan *out = scene_alloc(r, 1, sizeof *out);
  if (!out) return;
  *out = p.out;
  out->problem.nvariable = l.n;
  out->problem.variable = l.v;
  d->a.plan = out;
}
