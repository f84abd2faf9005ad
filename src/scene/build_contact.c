// Obstacles, the nodes that feel them, and shells that feel themselves.
#include "build_body.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- obstacles --------------------------------------------------------------------------------

static void put(const vec *from, double *to) {
  for (int c = 0; c < from->n; c++) to[c] = from->v[c].v;
}

static void set_rotation(reader *r, const rotate_def *d, pl_obstacle *o) {
  double axis[3] = {0, 0, 1};
  if (d->axis.at) put(&d->axis, axis);
  if (!(pl_norm3(axis) > 0) || (r->b->dim < 3 && (axis[0] != 0 || axis[1] != 0)))
    problem(r, d->axis.at, r->b->dim == 2 ? "in two dimensions it is [0, 0, 1]" : NULL,
            "axis cannot be this direction");
  else
    pl_quat_from_axis(axis, d->angle.v, o->rotation);
}

// Messages of files go to the user; what is wrong with their contents is told at the scene's key.
typedef struct relay {
  void (*diag)(void *ctx, const pl_diag *d);
  void *ctx;
} relay;

static void pass_on(void *ctx, const pl_diag *d) {
  const relay *to = ctx;
  if (to->diag && (d->file[0] || d->level != PL_ERROR)) to->diag(to->ctx, d);
}

static pl_status make_shape(reader *r, const pl_shape_source *in, pl_obstacle *o) {
  pl_env *env = r->env;
  relay user = {env->diag, env->diag_ctx};
  env->diag = pass_on;
  env->diag_ctx = &user;
  pl_status s = o->kind->make(env, in, o);
  env->diag = user.diag;
  env->diag_ctx = user.ctx;
  return s;
}

// "plane, sphere or box": kinds for models of that dimension
static void list_kinds(int dim, const char *mark, const char *last, char *out, size_t size) {
  int n = 0, k = 0;
  size_t used = 0;
  for (int i = 0; i < PL_OBSTACLE_COUNT; i++) n += pl_obstacle_table[i]->dim <= dim;
  out[0] = 0;
  for (int i = 0; i < PL_OBSTACLE_COUNT && used < size; i++) {
    if (pl_obstacle_table[i]->dim > dim) continue;
    const char *before = k == 0 ? "" : k == n - 1 ? last : ", ";
    int wrote = snprintf(out + used, size - used, "%s%s%s%s", before, mark,
                         pl_obstacle_table[i]->name, mark);
    used += wrote > 0 ? (size_t)wrote : size;
    k++;
  }
}

// what the keys give; returns 0 when one that is needed is missing, or a file cannot be had
static int read_shape(reader *r, const shape_def *d, const pl_obstacle_kind *kind, double *value,
                      char *path, size_t size, pl_shape_source *in, pl_obstacle *o) {
  int n = 0, ok = 1;
  for (int k = 0; k < kind->nkey; k++) {
    const pl_key *key = &kind->key[k];
    const key_value *v = &d->v[k];
    if (key->type == PL_KEY_NUMBER) value[n++] = v->number.v;
    if (key->type == PL_KEY_CHOICE) value[n++] = v->choice.v;
    if (key->type == PL_KEY_RADIUS) o->radius = v->number.v;
    if (key->type == PL_KEY_CENTRE) put(&v->vector, o->centre);
    if (key->type == PL_KEY_VECTOR) {
      put(&v->vector, value + n);
      n += 3;
    }
    if (key->type == PL_KEY_ROTATION && v->rotate) set_rotation(r, v->rotate, o);
    if (key->type == PL_KEY_FILE && v->text.at) {
      ok &= scene_file(r, v->text.at, kind->name, path, size);
      in->file = path;
    }
    if (key->type == PL_KEY_GRID && v->raw) ok &= read_grid(r, v->raw, key->name, in);
    if (key->type == PL_KEY_FILE_UNIT && v->text.at)
      ok &= read_length_unit(r, &v->text, key->name, &in->file_unit);
  }
  return ok;
}

static int has_needed(const pl_obstacle_kind *kind, const pl_node *at) {
  for (int k = 0; k < kind->nkey; k++)
    if (kind->key[k].need && !node_get(at, kind->key[k].name)) return 0;
  return 1;
}

static void put_shape(reader *r, const shape_def *d, const pl_node *at, pl_obstacle *o) {
  const pl_obstacle_kind *kind = o->kind;
  double value[3 * PL_KEY_MAX] = {0};
  char path[4096], text[PL_TEXT], hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  const pl_node *where = at;
  for (int k = 0; k < kind->nkey; k++)
    if (kind->key[k].type == PL_KEY_FILE || kind->key[k].type == PL_KEY_GRID)
      where = key_at(at, kind->key[k].name);
  if (!has_needed(kind, at)) return;
  if (r->b->dim < kind->dim) {
    list_kinds(r->b->dim, "", " or ", text, sizeof text);
    snprintf(hint, sizeof hint, "use %.200s", text);
    problem(r, where, hint, "a %s as obstacle needs dimension %d, the scene has %d", kind->name,
            kind->dim, r->b->dim);
    return;
  }
  pl_shape_source in = {.value = value, .file_unit = r->scale.base[1], .file_most = r->limit.nodes};
  // what is wrong with a key was told when it was read
  if (!read_shape(r, d, kind, value, path, sizeof path, &in, o) || has_problem(r, at)) return;
  if (!kind->make) memcpy(o->par, value, sizeof o->par);
  pl_status s = kind->make ? make_shape(r, &in, o) : PL_OK;
  if (s == PL_E_NOMEM) r->failed = s;
  if (s == PL_E_INPUT && !r->env->error.file[0]) {
    snprintf(text, sizeof text, "%s", r->env->error.text);
    snprintf(hint, sizeof hint, "%s", r->env->error.hint);
    problem(r, where, hint, "%s%s%s%s: %.300s", kind->name, in.file ? " '" : "",
            in.file ? quote(where->text, buf, sizeof buf) : "", in.file ? "'" : "", text);
  }
  pl_shape_fault fault = {0};
  if (s == PL_OK && kind->check && kind->check(o, r->b->dim, &fault))
    problem(r, key_at(at, fault.key), fault.hint, "%s", fault.text);
}

// the name given, or its shape's with a number when it is taken
static const char *name_obstacle(reader *r, const obstacle_def *d, const char *shape, char *text,
                                 size_t size) {
  int taken, i = 1;
  do {
    if (i == 1)
      snprintf(text, size, "%s", d->name.at ? d->name.s : shape);
    else
      snprintf(text, size, "%s-%d", shape, i);
    taken = 0;
    for (int k = 0; k < r->b->nobstacle; k++) taken |= strcmp(r->b->obstacle_name[k], text) == 0;
    i++;
  } while (taken && !d->name.at);
  if (taken) problem(r, d->name.at, NULL, "another obstacle is called '%.60s' already", d->name.s);
  return text;
}

static void build_obstacle(reader *r, const obstacle_def *d, const pl_node *at) {
  int ways = 0, which = 0;
  char name[PL_TEXT];
  for (int k = 0; k < PL_OBSTACLE_COUNT; k++) {
    if (d->shape[k]) which = k;
    ways += d->shape[k] != NULL;
  }
  pl_obstacle o = {.kind = pl_obstacle_table[which], .mu = d->friction.v};
  put(&d->velocity, o.velocity);
  int k = pl_build_obstacle(r->b, name_obstacle(r, d, o.kind->name, name, sizeof name), &o);
  if (k < 0) {
    r->failed = r->b->failed;
    return;
  }
  // its data is freed with the scene's builder
  if (ways == 1) {
    put_shape(r, d->shape[which], node_get(at, o.kind->name), &r->b->obstacle[k]);
    return;
  }
  char kinds[PL_TEXT];
  list_kinds(3, "'", ", ", kinds, sizeof kinds);
  problem(r, at, "e.g. plane: {normal: [0, 0, 1]}", "obstacle needs exactly one of %.300s", kinds);
}

// ---- nodes ------------------------------------------------------------------------------------

static void add_entry(reader *r, const contact_def *d, const pl_node *at, const pl_node **by) {
  char buf[128];
  node_list nodes;
  if (!select_either(r, d->node, d->nodes, at, "contact", &nodes)) return;
  for (int i = 0; i < nodes.n; i++) {
    int node = nodes.v[i];
    if (by[node]) {
      problem(r, at, "leave the node out of one of them",
              "%s is in two entries of contact, the first in line %d",
              pl_build_node_text(r->b, node, buf, sizeof buf), by[node]->line);
      return;
    }
    by[node] = at;
  }
  int n = pl_build_contact(r->b, nodes.n, nodes.v, d->radius.v, d->friction.at ? d->friction.v : -1,
                           at);
  r->ncontact += n;
  if (n == 0 && nodes.n > 0)
    warning(r, at, "name nodes that are free to move",
            "all these nodes are fixed or driven, so that obstacles do nothing to them");
}

int drive_lets_go(const reader *r, const pl_scene *s, int drive) {
  int off = r->b->drive[drive].off;
  for (int i = 0; i < s->nanalysis; i++)
    off |= s->analysis[i].stage && s->analysis[i].stage->off[drive];
  return off;
}

// what some analysis lets go of feels obstacles then
static void let_go(reader *r, const pl_scene *s) {
  for (int k = 0; k < r->nmotion; k++)
    if (drive_lets_go(r, s, k)) pl_build_let_go(r->b, k);
}

static void build_contact_nodes(reader *r, const pl_scene *s) {
  const items *list = &r->def.contact;
  const contact_def *d = list->item;
  const pl_node *at = items_first(list);
  // entries by node, NULL: it is in none
  const pl_node **by = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *by);
  let_go(r, s);
  for (int k = 0; by && k < list->n && !r->failed; k++, at = at->next) add_entry(r, &d[k], at, by);
}

// ---- what does not go together ----------------------------------------------------------------

// whether some analysis starts at rest, or where transients start
static void starts(const reader *r, const pl_scene *s, int *rest, int *displaced) {
  *rest = *displaced = 0;
  for (int k = 0; k < s->nanalysis; k++) {
    const pl_analysis *a = &s->analysis[k];
    if (a->about >= 0) continue;
    if ((a->kind == PL_ANALYSIS_transient || a->kind == PL_ANALYSIS_jump) && r->u0)
      *displaced = 1;
    else
      *rest = 1;
  }
  if (!*displaced) *rest = 1;
}

static void check_static(reader *r, const pl_analysis *a) {
  if (a->opts.static_.critical || a->opts.static_.perturb)
    problem_at(r, r->file, a->line, a->col, "leave them out, or leave out contact",
               "static: critical and perturb do not know contact");
}

static void check_analysis(reader *r, const pl_analysis *a) {
  const char *kind = pl_analysis_table[a->kind].name;
  if (a->kind == PL_ANALYSIS_static) {
    check_static(r, a);
  } else if (a->kind == PL_ANALYSIS_modes || a->kind == PL_ANALYSIS_coarsen) {
    pl_report(r->env, PL_WARNING, r->file, a->line, a->col,
              "fix nodes that rest on an obstacle to have the modes of the body held there",
              "%s: modes do not know contact: these are of the body without obstacles", a->name);
  } else if (a->kind != PL_ANALYSIS_drape && a->kind != PL_ANALYSIS_transient &&
             a->kind != PL_ANALYSIS_jump && a->kind != PL_ANALYSIS_native &&
             a->kind != PL_ANALYSIS_macro && a->kind != PL_ANALYSIS_search) {
    problem_at(r, r->file, a->line, a->col,
               "use transient with frequency, periods and steady, or leave out contact",
               "%s does not know contact", kind);
  }
}

// A jump is that of one free body in space above something.
static void check_jump(reader *r, const pl_analysis *a) {
  if (a->kind != PL_ANALYSIS_jump) return;
  if (r->def.obstacles.n == 0 || r->def.contact.n == 0)
    problem_at(r, r->file, a->line, a->col,
               "e.g. obstacles: [{plane: {normal: [0, 0, 1]}, friction: 0.5}] and contact: {nodes: "
               "all}",
               "%s: there is nothing to land on", a->name);
  if (r->b->dim != 3)
    problem_at(r, r->file, a->line, a->col, "use a solid in three dimensions, or a transient",
               "%s: jumps are in space, the scene lies in a plane", a->name);
  for (int k = 0; k < r->nmotion; k++) {
    const char *name = r->b->drive[k].name;
    if (a->stage ? a->stage->off[k] : r->b->drive[k].off) continue;
    problem_at(r, r->file, a->line, a->col, "release it, e.g. change: {finger: off} in the jump",
               "%s: %s%.60s%s holds the body on all its way", a->name, name && *name ? "'" : "",
               name && *name ? name : "a drive or a support", name && *name ? "'" : "");
    return;
  }
}

// ---- self contact -----------------------------------------------------------------------------

static void check_layers_analysis(reader *r, const pl_analysis *a) {
  const char *kind = pl_analysis_table[a->kind].name;
  if (a->kind == PL_ANALYSIS_drape || a->kind == PL_ANALYSIS_transient ||
      a->kind == PL_ANALYSIS_search)
    return;
  if (a->kind == PL_ANALYSIS_jump && r->def.self_contact->exact.v) return;
  if (a->kind == PL_ANALYSIS_static)
    check_static(r, a);
  else if (a->kind == PL_ANALYSIS_modes)
    pl_report(r->env, PL_WARNING, r->file, a->line, a->col, NULL,
              "modes do not know self_contact: layers pass through each other");
  else
    problem_at(r, r->file, a->line, a->col,
               a->kind == PL_ANALYSIS_jump ? "self_contact: {exact: yes}"
                                           : "use static, drape or transient",
               "%s does not know %sself_contact", kind,
               a->kind == PL_ANALYSIS_jump ? "layers that yield in " : "");
}

// -----------------------------------------------------------------------------------------------

static void build_obstacles(reader *r, const pl_scene *s) {
  const items *list = &r->def.obstacles;
  const pl_node *at = items_first(list);
  for (int k = 0; k < list->n && !r->failed; k++, at = at->next)
    build_obstacle(r, (const obstacle_def *)list->item + k, at);
  if (r->failed) return;
  if (r->def.contact.n == 0) {
    if (list->n > 0 && r->def.patches.n == 0)
      warning(r, list->at, "say which nodes feel them, e.g. contact: {nodes: all}",
              "the obstacles do nothing: no contact is given");
    return;
  }
  if (list->n == 0)
    problem(r, r->def.contact.at, "e.g. obstacles: [{plane: {normal: [0, 0, 1]}, friction: 0.3}]",
            "contact needs obstacles, there are none");
  else
    build_contact_nodes(r, s);
}

void build_contact(reader *r, pl_scene *s) {
  const self_contact_def *d = r->def.self_contact;
  build_obstacles(r, s);
  if (d) {
    const pl_node *at = d->thickness.at ? d->thickness.at : node_get(r->root, "self_contact");
    pl_build_self_contact(r->b, d->thickness.v, d->friction.v, d->exact.v, at);
  }
  s->obstacle_name = r->b->obstacle_name;
  s->contact.nobstacle = r->b->nobstacle;
  for (int k = 0; k < s->nanalysis; k++) {
    if (r->ncontact > 0) check_analysis(r, &s->analysis[k]);
    check_jump(r, &s->analysis[k]);
    if (d) check_layers_analysis(r, &s->analysis[k]);
  }
}

// where a body ends that may slide is by chance
static void warn_sliding(reader *r, const pl_scene *s) {
  const char *body = pl_build_sliding(r->b);
  for (int k = 0; body && k < s->nanalysis; k++) {
    const pl_analysis *a = &s->analysis[k];
    if (a->kind != PL_ANALYSIS_drape && a->kind != PL_ANALYSIS_static) continue;
    pl_report(r->env, PL_WARNING, r->file, a->line, a->col, "give it friction, or hold some node",
              "%s: nothing but contact without friction holds body '%s': it may slide, and where "
              "along the contact it ends is by chance",
              a->name, body);
    return;
  }
}

// analyses that take self_contact into account by pairs that yield
static int yields(const reader *r, const pl_analysis *a) {
  const pl_layers_desc *d = &r->b->layers;
  if (a->kind != PL_ANALYSIS_transient)
    return a->kind == PL_ANALYSIS_static || a->kind == PL_ANALYSIS_drape;
  int compares = a->cloth && a->cloth->nmethod + a->cloth->nstep > 0;
  return compares ||
         pl_needs_program(a->opts.transient_.method, r->b->nlimit > 0, d->nvert > 0, d->solid);
}

// pairs that yield need a distance from the start
static void check_start_gaps(reader *r, const pl_scene *s) {
  const pl_layers_desc *d = &r->b->layers;
  for (int k = 0; d->inset > 0 && k < s->nanalysis; k++) {
    const pl_analysis *a = &s->analysis[k];
    if (!yields(r, a)) continue;
    problem_at(r, r->file, a->line, a->col,
               "use exact: yes in a transient by newmark or implicit-euler, or move them apart and "
               "give that as the thickness",
               "%s: self_contact needs bodies that start apart, these are %.3g m from each other",
               pl_analysis_table[a->kind].name, fmax(d->thickness - 2 * d->inset, 0));
  }
}

// what was asked for and is not had
static void warn_yields(reader *r, const pl_scene *s) {
  for (int k = 0; r->b->layers.solid && k < s->nanalysis; k++) {
    const pl_analysis *a = &s->analysis[k];
    if (!yields(r, a)) continue;
    pl_report(
        r->env, PL_WARNING, r->file, a->line, a->col,
        "leave exact out, or use a transient by newmark or implicit-euler, with damping where "
        "it is to come to rest",
        "%s: self_contact is not exact here: pairs of bodies yield a little, and what sticks "
        "creeps",
        a->name);
  }
}

static void warn_impacts(reader *r, const pl_scene *s) {
  for (int k = 0; k < s->nanalysis; k++) {
    const pl_analysis *a = &s->analysis[k];
    const pl_transient_opts *o = &a->opts.transient_;
    if (a->kind != PL_ANALYSIS_transient) continue;
    int alone = o->method == PL_NEWMARK && r->ncontact > 0 && !yields(r, a);
    if (o->impact_step > 0 && !alone)
      pl_report(r->env, PL_WARNING, r->file, a->line, a->col,
                "leave it out, and give a short enough step",
                "%s: impact_step does nothing: it is for newmark with obstacles, without limits "
                "and pairs of bodies that yield",
                a->name);
    if (o->restitution > 0 && o->impact != PL_IMPACT_MOREAU)
      pl_report(r->env, PL_WARNING, r->file, a->line, a->col, "impact: moreau",
                "%s: restitution does nothing without impact: moreau", a->name);
  }
}

void build_constraints(reader *r, pl_scene *s) {
  int rest, displaced;
  starts(r, s, &rest, &displaced);
  pl_status st = pl_build_constraints(r->b);
  if (st == PL_OK && rest) st = pl_build_check_apart(r->b, NULL);
  if (st == PL_OK && displaced) st = pl_build_check_apart(r->b, r->u0);
  // what is wrong was told
  if (!worked(r, st)) return;
  check_start_gaps(r, s);
  warn_yields(r, s);
  warn_impacts(r, s);
  warn_sliding(r, s);
  s->contact = r->b->contact;
  s->layers = r->b->layers;
  s->sheet = r->b->sheet;
  s->sheet_cell = r->b->sheet_cell;
}
