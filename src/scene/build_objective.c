// Objectives of a design.
#include "build_design.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

// ---- nodes and axes ---------------------------------------------------------------------------

int free_mask(const reader *r, int node) {
  int mask = (1 << r->b->dim) - 1;
  for (int k = 0; k < r->b->ndrive; k++)
    for (int i = 0; i < r->b->drive[k].nnode; i++)
      if (r->b->drive[k].node[i] == node) mask &= ~r->b->drive[k].mask;
  return mask;
}

// letters of one word
static int axes_of(reader *r, const pl_node *at, int *mask) {
  for (const char *c = at->kind == NODE_SCALAR ? at->text : "?"; *c; c++) {
    char one[2] = {*c, 0};
    int axis = axis_index(one);
    if (axis < 0 || axis >= r->b->dim) {
      problem(r, at, "e.g. y, xy or [x, y]", "axes: the scene has no such direction");
      return 0;
    }
    *mask |= 1 << axis;
  }
  return 1;
}

int read_axes(reader *r, const pl_node *at, int *mask) {
  *mask = 0;
  if (!at) return 1;
  if (at->kind != NODE_LIST) return axes_of(r, at, mask);
  for (const pl_node *d = at->first; d; d = d->next)
    if (!axes_of(r, d, mask)) return 0;
  if (*mask) return 1;
  problem(r, at, "e.g. [x, y]", "axes names no direction");
  return 0;
}

static int check_free(reader *r, const pl_node *at, int n, const int *node, int mask) {
  char buf[128];
  for (int i = 0; i < n; i++) {
    if (free_mask(r, node[i]) & (mask ? mask : 7)) continue;
    problem(r, at, "choose a node that is free to move",
            "%s is fixed or driven%s, no design moves it",
            pl_build_node_text(r->b, node[i], buf, sizeof buf), mask ? " along these axes" : "");
    return 0;
  }
  return 1;
}

// nodes in the order of the list: a trajectory belongs to each
static int ordered_nodes(reader *r, const pl_node *at, node_list *out) {
  if (at->kind != NODE_LIST) return select_nodes(r, at, "nodes", out);
  out->n = 0;
  out->v = scene_alloc(r, (size_t)at->n + 1, sizeof *out->v);
  if (!out->v) return 0;
  for (const pl_node *d = at->first; d; d = d->next)
    if (!select_one(r, d, "nodes", &out->v[out->n++])) return 0;
  return 1;
}

static int read_nodes(reader *r, const objective_def *d, const pl_node *whole, pl_objective *o) {
  node_list l;
  int ordered = o->kind->nodes == PL_NODES_ALL && d->nodes && !d->node;
  int ok = ordered ? ordered_nodes(r, d->nodes, &l)
                   : select_either(r, d->node, d->nodes, whole, o->kind->name, &l);
  if (!ok) return 0;
  o->nnode = l.n;
  o->node = l.v;
  return check_free(r, d->node ? d->node : d->nodes, l.n, l.v, o->mask);
}

// ---- values -----------------------------------------------------------------------------------

// max, min or a value, which is above zero unless it is an angle
static int read_goal(reader *r, const pl_node *at, pl_objective *o) {
  num v;
  const pl_objective_kind *kind = o->kind;
  const char *text = at->kind == NODE_SCALAR ? at->text : "";
  int may_max = (kind->goals & PL_GOALS_MOST) != 0, may_min = (kind->goals & PL_GOALS_LEAST) != 0;
  o->goal = PL_GOAL_TARGET;
  if (strcmp(text, "min") == 0 && may_min) o->goal = PL_GOAL_LEAST;
  if (strcmp(text, "max") == 0 && may_max) o->goal = PL_GOAL_MOST;
  if (o->goal != PL_GOAL_TARGET) return 1;
  if (strcmp(text, "max") == 0 && may_min) {
    problem(r, at, "write 'min' or a limit", "%s cannot be made as large as possible", kind->name);
    return 0;
  }
  if (!read_num(r, at, kind->name, kind->unit, &v)) return 0;
  o->target = v.v;
  int angle = kind->form == PL_FORM_ANGLE;
  if (v.par < 0 && (v.v > 0 || angle)) return 1;
  problem(r, at,
          may_max   ? "write max, min or a value above 0"
          : may_min ? "write min or a value above 0"
          : angle   ? "write an angle"
                    : "write a value above 0",
          "%s: the target must be %sa plain value", kind->name, angle ? "" : "above 0 and ");
  return 0;
}

// the only support or drive that holds all of n nodes; -1: none, or several
static int holder_of(const reader *r, int n, const int *node) {
  int found = -1, count = 0;
  for (int k = 0; k < r->b->ndrive; k++) {
    const pl_drive_desc *d = &r->b->drive[k];
    int held = 0;
    for (int i = 0; i < n; i++)
      for (int a = 0; a < d->nnode; a++) held += d->node[a] == node[i];
    if (held < n) continue;
    found = k;
    count++;
  }
  return count == 1 ? found : -1;
}

// the same for a node or set by its name
static int holder_called(const reader *r, const char *word) {
  for (int i = 0; i < r->b->nnode; i++)
    if (r->b->label[i] && strcmp(r->b->label[i], word) == 0) return holder_of(r, 1, &i);
  for (int k = 0; k < r->nset; k++)
    if (strcmp(r->set[k].name, word) == 0)
      return holder_of(r, r->set[k].nodes.n, r->set[k].nodes.v);
  return -1;
}

// the support or drive of that name, or of a node or set of that name
static int read_drive(reader *r, const pl_node *at, const pl_node *whole, pl_objective *o) {
  const char *names[64], *word = at && at->kind == NODE_SCALAR ? at->text : "";
  char hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  int n = r->nmotion < COUNT(names) ? r->nmotion : COUNT(names);
  for (int k = 0; k < r->nmotion; k++) {
    const char *name = r->b->drive[k].name;
    if (!name || !name[0]) name = r->b->drive[k].nterm ? "drive" : "fixed";
    if (k < n) names[k] = name;
    o->drive = k;
    if (strcmp(name, word) == 0) return 1;
  }
  if (!at && r->nmotion == 1) return 1;
  o->drive = holder_called(r, word);
  if (at && o->drive >= 0) return 1;
  pl_name_hint(word, n, names, hint, sizeof hint);
  if (n == 0) problem(r, whole, NULL, "%s: nothing is fixed or driven", o->kind->name);
  if (n > 0 && !at)
    problem(r, whole, hint, "%s needs the key 'of': there are several supports and drives",
            o->kind->name);
  if (n > 0 && at)
    problem(r, at, hint, "of: '%s' is no support and no drive", quote(word, buf, sizeof buf));
  return 0;
}

static int read_track(reader *r, const pl_node *at, const pl_node *whole, pl_objective *o) {
  num v;
  const char *what = o->kind->name;
  if (!read_num(r, at, what, "rad/s", &v)) return 0;
  if (!(v.v > 0) || v.par >= 0) {
    problem(r, at, "e.g. 2.5 Hz", "%s: the frequency must be above zero", what);
    return 0;
  }
  o->target = v.v;
  const pl_node *from = node_get(whole, "from"), *to = node_get(whole, "to");
  if (!from) o->from = 0.5 * v.v;
  if (!to) o->to = 2 * v.v;
  if (o->from > 0 && o->to > 0 && o->from != o->to) return 1;
  problem(r, from ? from : to, "e.g. from: 1 Hz, to: 5 Hz",
          "%s: the window from..to must be above zero and not empty", what);
  return 0;
}

// the band in which the largest peak counts
static int read_window(reader *r, const pl_node *at, const pl_node *whole, const pl_objective *o) {
  const pl_node *from = node_get(whole, "from"), *to = node_get(whole, "to");
  if (o->from > 0 && o->to > o->from) return 1;
  problem(r,
          from ? from
          : to ? to
               : at,
          "e.g. from: 1 Hz, to: 5 Hz",
          "peak_height needs the window from..to, above zero and rising");
  return 0;
}

static int read_yes(reader *r, const pl_node *at, const char *what) {
  int v = 0;
  if (!read_choice(r, at, what, "no|yes", &v)) return 0;
  if (!v) problem(r, at, "leave it out", "%s: an objective cannot be 'no'", what);
  return v;
}

// which operating point: its number from 1, or its frequency
static int read_at(reader *r, const plan *p, const pl_node *at, int *point) {
  num v;
  const pl_design_problem *q = &p->out.problem;
  *point = 0;
  if (!at) return 1;
  if (at->kind == NODE_SCALAR && at->text[0] &&
      strspn(at->text, "0123456789") == strlen(at->text)) {
    int k;
    if (!read_int(r, at, "at", 1, q->npoint, &k)) return 0;
    *point = k - 1;
    return 1;
  }
  if (!read_num(r, at, "at", "rad/s", &v)) return 0;
  for (int i = 0; i < q->npoint; i++)
    if (fabs(q->point[i].omega - v.v) <= 1e-6 * v.v) {
      *point = i;
      return 1;
    }
  problem(r, at, "write one of them, or its number from 1", "at: this is none of the frequencies");
  return 0;
}

// ---- trajectories -----------------------------------------------------------------------------

static const pl_node *target_of(const pl_node *at, int k) {
  if (at->kind != NODE_LIST) return at;
  const pl_node *d = at->first;
  while (d && k-- > 0) d = d->next;
  return d;
}

static int read_trajectory(reader *r, const plan *p, const pl_node *at, const pl_node *whole,
                           pl_objective *o) {
  int ntarget = at->kind == NODE_LIST ? at->n : 1;
  double *coef[64], omega = p->out.problem.point[o->point].omega;
  if (ntarget != o->nnode) {
    problem(r, at, "give a list with one curve for each of 'nodes'", "trajectory: %d %s for %d %s",
            ntarget, pl_plural(ntarget, "curve", "curves"), o->nnode,
            pl_plural(o->nnode, "node", "nodes"));
    return 0;
  }
  if (ntarget > COUNT(coef)) {
    problem(r, at, NULL, "trajectory: at most %d curves are possible", COUNT(coef));
    return 0;
  }
  // the first curve decides on the harmonics, the others must tell as many
  if (o->nharm == 0) o->nharm = p->harmonics;
  for (int k = 0; k < ntarget; k++)
    if (!read_target(r, p, target_of(at, k), whole, omega, o, &coef[k])) return 0;
  size_t per = (size_t)r->b->dim * (2 * (size_t)o->nharm + 1);
  double *all = scene_alloc(r, per * (size_t)ntarget + 1, sizeof *all);
  if (!all) return 0;
  for (int k = 0; k < ntarget; k++) memcpy(all + (size_t)k * per, coef[k], per * sizeof *all);
  o->coef = all;
  return 1;
}

// ---- one objective ----------------------------------------------------------------------------

// 1: a word stands in a list of words
static int lists(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *c = strstr(list, word); c; c = strstr(c + 1, word))
    if ((c == list || c[-1] == ' ') && (c[n] == ' ' || c[n] == 0)) return 1;
  return 0;
}

static int own_key(const pl_objective_kind *kind, const char *word) {
  for (int k = 0; k < kind->nkey; k++)
    if (strcmp(kind->key[k].name, word) == 0) return 1;
  return 0;
}

// what is no key of any objective is told when the rest is read
static int known_key(const char *word) {
  int known = lists("node nodes axes of at", word);
  for (int k = 0; k < PL_OBJECTIVE_COUNT; k++) known |= own_key(pl_objective_table[k], word);
  return known;
}

void objective_keys(const pl_objective_kind *kind, pl_text *out) {
  pl_text_add(out, "%s", kind->keys);
  for (int k = 0; k < kind->nkey; k++)
    pl_text_add(out, "%s%s", k || kind->keys[0] ? " " : "", kind->key[k].name);
}

static int check_keys(reader *r, const pl_node *at, const pl_objective_kind *kind) {
  for (const pl_node *d = at->first; d; d = d->next) {
    if (!known_key(d->key) || lists(kind->keys, d->key) || own_key(kind, d->key)) continue;
    pl_text hint = {.env = r->env};
    pl_text_add(&hint, "keys of %s: name weight ", kind->name);
    objective_keys(kind, &hint);
    problem_key(r, d, hint.s, "'%s' is not for the objective %s", d->key, kind->name);
    pl_text_free(&hint);
    return 0;
  }
  return 1;
}

// the one kind that is there, PL_OBJECTIVE_COUNT: a program gives it; -1: none, or several
static int find_objective(reader *r, const pl_node *at) {
  char hint[PL_TEXT] = "one of:";
  int kind = -1, n = 0;
  size_t len = strlen(hint);
  for (int k = 0; k < PL_OBJECTIVE_COUNT; k++) {
    len += (size_t)snprintf(hint + len, sizeof hint - len, " %s", pl_objective_table[k]->name);
    if (!node_get(at, pl_objective_table[k]->name)) continue;
    kind = k;
    n++;
  }
  if (node_get(at, "given")) {
    kind = PL_OBJECTIVE_COUNT;
    n++;
  }
  if (n == 1) return kind;
  problem(r, at, hint, n ? "an objective must be one thing" : "this objective says nothing");
  return -1;
}

static int read_value(reader *r, const plan *p, const pl_node *given, const objective_def *d,
                      const pl_node *at, pl_objective *o) {
  const pl_objective_kind *kind = o->kind;
  int follows = kind->scope == PL_SCOPE_PEAK || kind->scope == PL_SCOPE_FOLD;
  if (kind->curves) return read_nodes(r, d, at, o) && read_trajectory(r, p, given, at, o);
  if (kind->form == PL_FORM_OWN) return read_yes(r, given, kind->name);
  if (!(follows ? read_track(r, given, at, o) : read_goal(r, given, o))) return 0;
  if (kind->scope == PL_SCOPE_WINDOW && !read_window(r, given, at, o)) return 0;
  if (kind->drive && !read_drive(r, d->of, at, o)) return 0;
  if (kind->one_axis && (o->mask & (o->mask - 1) || (!o->mask && r->b->dim > 1))) {
    problem(r, d->axes ? d->axes : at, "e.g. axes: y", "%s needs one axis", kind->name);
    return 0;
  }
  return kind->nodes == PL_NODES_NONE || read_nodes(r, d, at, o);
}

// One that a program gives: a quantity of each node.
static int read_given_objective(reader *r, const plan *p, const pl_node *at, pl_objective *o) {
  objective_def d = {0};
  if (!read_map(r, at, &map_objective, &d)) return 0;
  *o = (pl_objective){.weight = d.weight.v, .name = d.name.at ? d.name.s : NULL};
  if (!take_given_objective(r, &d.own, o)) return 0;
  if (!d.goal) {
    problem(r, at, "e.g. goal: min", "objective '%.60s' needs the key 'goal'", d.own.s);
    return 0;
  }
  return read_goal(r, d.goal, o) && read_at(r, p, d.at, &o->point) &&
         read_axes(r, d.axes, &o->mask) && read_nodes(r, &d, at, o);
}

static int read_objective(reader *r, const plan *p, const pl_node *at, pl_objective *o) {
  objective_def d = {0};
  map_keys map = map_objective;
  int k = at->kind == NODE_MAP ? find_objective(r, at) : -1;
  if (k == PL_OBJECTIVE_COUNT) return read_given_objective(r, p, at, o);
  if (k < 0) return at->kind == NODE_MAP ? 0 : read_map(r, at, &map, &d);
  const pl_objective_kind *kind = pl_objective_table[k];
  map.opt = kind->key;
  map.nopt = &kind->nkey;
  map.opt_offset = offsetof(objective_def, o);
  if (!check_keys(r, at, kind) || !read_map(r, at, &map, &d)) return 0;
  if (!p->design && kind->form == PL_FORM_OWN) {
    problem(r, d.given[k], "what has a value of its own can be explored, e.g. peak_height",
            "explore: the objective %s is for designs", kind->name);
    return 0;
  }
  if (d.goal) {
    problem_key(r, d.goal, NULL, "'goal' is for objectives that a program gives");
    return 0;
  }
  *o = d.o;
  o->kind = kind;
  o->weight = d.weight.v;
  o->name = d.name.at ? d.name.s : NULL;
  if (!read_at(r, p, d.at, &o->point) || !read_axes(r, d.axes, &o->mask)) return 0;
  return read_value(r, p, d.given[k], &d, at, o);
}

void read_objectives(reader *r, plan *p, const pl_node *at) {
  int many = at->kind == NODE_LIST;
  if (at->kind == NODE_SCALAR || at->n == 0) {
    problem(r, at, "e.g. [{amplitude: max, node: tip}]", "%s: there are no objectives", p->what);
    return;
  }
  pl_objective *o = scene_alloc(r, (size_t)(many ? at->n : 1) + 1, sizeof *o);
  if (!o) return;
  p->out.problem.objective = o;
  for (const pl_node *d = many ? at->first : at; d; d = many ? d->next : NULL)
    if (read_objective(r, p, d, &o[p->out.problem.nobjective])) p->out.problem.nobjective++;
}
