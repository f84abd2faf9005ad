// Design of interlocking materials: what may change, and which limits are wanted.
#include "scene_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// ---- variables ----------------------------------------------------------------------------------

static int find_key(reader *r, const pl_scene_mail *m, const char *name, const pl_node *at) {
  const char *names[PL_KEY_MAX];
  char hint[PL_TEXT];
  for (int k = 0; k < m->of->nkey; k++) {
    names[k] = m->of->key[k].name;
    if (strcmp(names[k], name) == 0 && m->of->key[k].type == PL_KEY_NUMBER) return k;
  }
  pl_name_hint(name, m->of->nkey, names, hint, sizeof hint);
  problem(r, at, hint, "variables: the material '%.60s' has no key '%.60s' that is a number",
          m->name, name);
  return -1;
}

static int read_bound(reader *r, const pl_node *at, const char *what, const pl_key *key,
                      double *out) {
  num v;
  if (!at) return 1;
  if (!read_num(r, at, what, key->unit, &v)) return 0;
  if (v.par >= 0 || v.v < key->lo || v.v > key->hi) {
    problem(r, at, "give a value within the range of the key", "%s: no bound of '%s'", what,
            key->name);
    return 0;
  }
  *out = v.v;
  return 1;
}

// from half to twice the value; parameters of the scene may have their own
static pl_mail_variable own_bounds(const pl_scene_mail *m, int key) {
  const pl_key *k = &m->of->key[key];
  double value = m->value[key];
  pl_mail_variable v = {key, fmin(0.5 * value, 2 * value), fmax(0.5 * value, 2 * value)};
  if (!m->of->make_of) return v;
  if (k->lo > -1e3) v.lo = k->lo;
  if (k->hi < 1e3) v.hi = k->hi;
  return v;
}

static int read_variable(reader *r, const pl_scene_mail *m, const pl_node *at, pl_mail_plan *p,
                         pl_mail_variable *list) {
  mail_variable_def d = {0};
  int scalar = at->kind == NODE_SCALAR;
  if (!scalar && !read_map(r, at, &map_mail_variable, &d)) return 0;
  int key = find_key(r, m, scalar ? at->text : d.name.s, at);
  if (key < 0) return 0;
  double value = m->value[key];
  pl_mail_variable v = own_bounds(m, key);
  if (!read_bound(r, d.min, "min", &m->of->key[key], &v.lo) ||
      !read_bound(r, d.max, "max", &m->of->key[key], &v.hi))
    return 0;
  for (int k = 0; k < p->nvariable; k++)
    if (list[k].key == key) {
      problem(r, at, "leave one out", "variables: '%s' is there twice", m->of->key[key].name);
      return 0;
    }
  if (!(v.lo < v.hi) || value < v.lo || value > v.hi) {
    problem(r, at, "bounds lie about the value of the material",
            "variables: '%s' begins at %.6g %s, its bounds are %.6g and %.6g", m->of->key[key].name,
            value, m->of->key[key].unit, v.lo, v.hi);
    return 0;
  }
  list[p->nvariable++] = v;
  return 1;
}

static void read_variables(reader *r, const pl_scene_mail *m, const pl_node *at, pl_mail_plan *p) {
  int all = !at || (at->kind == NODE_SCALAR && strcmp(at->text, "all") == 0);
  size_t n = (size_t)(!all && at->kind == NODE_LIST ? at->n : PL_KEY_MAX);
  pl_mail_variable *list = scene_alloc(r, n + 1, sizeof *list);
  if (!list) return;
  p->variable = list;
  for (int k = 0; all && k < m->of->nkey; k++)
    if (m->of->key[k].type == PL_KEY_NUMBER && m->value[k] > 0)
      list[p->nvariable++] = own_bounds(m, k);
  if (all) return;
  if (at->kind != NODE_LIST || at->n == 0) {
    problem(r, at, "e.g. variables: [wire, {name: radius, min: 4 mm, max: 6 mm}]",
            "variables must be a list of keys");
    return;
  }
  for (const pl_node *e = at->first; e && !r->failed; e = e->next) read_variable(r, m, e, p, list);
}

// ---- goals --------------------------------------------------------------------------------------

static int read_angles(reader *r, const pl_node *at, pl_mail_goal *out) {
  int many = at->kind == NODE_LIST, n = many ? at->n : 1;
  double *angle = scene_alloc(r, (size_t)n + 1, sizeof *angle);
  if (!angle) return 0;
  for (const pl_node *e = many ? at->first : at; e; e = many ? e->next : NULL) {
    num v;
    if (!read_num(r, e, "angle", "rad", &v)) return 0;
    if (v.par >= 0) {
      problem(r, e, NULL, "angle cannot depend on a parameter");
      return 0;
    }
    angle[out->nangle++] = v.v;
  }
  out->angle = angle;
  if (out->nangle >= (out->alike ? 2 : 1)) return 1;
  problem(r, at, "e.g. angle: [0 deg, 90 deg]", "angle: there are too few directions");
  return 0;
}

static int read_goal(reader *r, const pl_node *at, pl_mail_goal *out) {
  mail_goal_def d = {0};
  if (at->kind != NODE_MAP) {
    problem(r, at, "e.g. {stretch: 10 %, angle: 0 deg}", "a goal is a mapping");
    return 0;
  }
  if (!read_map(r, at, &map_mail_goal, &d)) return 0;
  const num *wanted[PL_DESIGN_LIMITS] = {&d.stretch,      &d.shrink,         &d.play,
                                         &d.curvature_up, &d.curvature_down, &d.asymmetry};
  int ways = d.isotropic.at != NULL;
  *out = (pl_mail_goal){.weight = d.weight.v};
  for (int k = 0; k < PL_DESIGN_LIMITS; k++) {
    if (!wanted[k]->at) continue;
    out->limit = k;
    out->value = k == PL_STRAIN_MIN ? -wanted[k]->v : wanted[k]->v;
    ways++;
  }
  if (d.isotropic.at) {
    out->limit = d.isotropic.v;
    out->alike = 1;
  }
  if (ways != 1) {
    problem(r, at, "e.g. {stretch: 10 %, angle: 0 deg} or {isotropic: stretch}",
            "a goal has exactly one of stretch, shrink, play, curvature_up, curvature_down, "
            "asymmetry and isotropic");
    return 0;
  }
  return !d.angle || read_angles(r, d.angle, out);
}

static void read_goals(reader *r, const pl_node *at, pl_mail_plan *p) {
  if (at->kind != NODE_LIST || at->n == 0) {
    problem(r, at, "e.g. goals: [{isotropic: stretch}]", "goals must be a list");
    return;
  }
  pl_mail_goal *goal = scene_alloc(r, (size_t)at->n, sizeof *goal);
  if (!goal) return;
  p->goal = goal;
  for (const pl_node *e = at->first; e && !r->failed; e = e->next)
    if (read_goal(r, e, &goal[p->ngoal])) p->ngoal++;
}

// why no key of a material can change it
static void refuse_keyless(reader *r, const pl_node *at, const char *what, const pl_scene_mail *m) {
  problem(r, at,
          m->smooth
              ? "leave facets out"
              : "let sizes follow parameters: radius: $R, with parameters: {R: {value: 5 mm}}",
          "%s: the material '%.60s' has %s", what, m->name,
          m->smooth ? "facets" : "elements of its own that follow no parameter");
}

void check_gradients(reader *r, const pl_analysis *a, const pl_scene_mail *m, const pl_node *at) {
  if (a->opts.limits_.gradients && m->m && !m->of) refuse_keyless(r, at, "gradients", m);
}

void build_mail_plan(reader *r, analysis_def *d, const pl_scene_mail *m, const pl_node *at) {
  pl_mail_plan *p = scene_alloc(r, 1, sizeof *p);
  if (!p || !m->m) return;
  if (!m->of) {
    refuse_keyless(r, at, "mail-design", m);
    return;
  }
  d->a.mail_plan = p;
  read_variables(r, m, d->variables, p);
  if (d->objectives) read_goals(r, d->objectives, p);
}
