// Obstacles, the nodes that feel them, and shells that feel themselves.
#include "build_body.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Overlaps at the start that are rounding of a mesh file, over the size of the scene.
static const double OVERLAP = 1e-7;

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

// the node of a key, or of the shape when it is left out
static const pl_node *key_at(const pl_node *at, const char *key) {
  const pl_node *found = node_get(at, key);
  return found ? found : at;
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
    const pl_shape_key *key = &kind->key[k];
    const shape_value *v = &d->v[k];
    if (key->type == PL_SHAPE_NUMBER) value[n++] = v->number.v;
    if (key->type == PL_SHAPE_CHOICE) value[n++] = v->choice.v;
    if (key->type == PL_SHAPE_RADIUS) o->radius = v->number.v;
    if (key->type == PL_SHAPE_CENTRE) put(&v->vector, o->centre);
    if (key->type == PL_SHAPE_VECTOR) {
      put(&v->vector, value + n);
      n += 3;
    }
    if (key->type == PL_SHAPE_ROTATION && v->rotate) set_rotation(r, v->rotate, o);
    if (key->type == PL_SHAPE_FILE && v->text.at) {
      ok &= scene_file(r, v->text.at, kind->name, path, size);
      in->file = path;
    }
    if (key->type == PL_SHAPE_GRID && v->raw) ok &= read_grid(r, v->raw, key->name, in);
    if (key->type == PL_SHAPE_FILE_UNIT && v->text.at)
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
  double value[3 * PL_SHAPE_KEY_MAX] = {0};
  char path[4096], text[PL_TEXT], hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  const pl_node *where = at;
  for (int k = 0; k < kind->nkey; k++)
    if (kind->key[k].type == PL_SHAPE_FILE || kind->key[k].type == PL_SHAPE_GRID)
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

static int find_name(const char *const *names, int n, const char *name) {
  for (int k = 0; k < n; k++)
    if (strcmp(names[k], name) == 0) return k;
  return -1;
}

// the name given, or its shape's with a number when it is taken
static const char *name_obstacle(reader *r, const obstacle_def *d, const char *const *names, int k,
                                 const char *shape) {
  char text[64];
  if (d->name.at) {
    if (find_name(names, k, d->name.s) >= 0)
      problem(r, d->name.at, NULL, "another obstacle is called '%.60s' already", d->name.s);
    return d->name.s;
  }
  snprintf(text, sizeof text, "%s", shape);
  for (int i = 2; find_name(names, k, text) >= 0; i++)
    snprintf(text, sizeof text, "%s-%d", shape, i);
  return scene_strdup(r, text, strlen(text));
}

static void build_obstacle(reader *r, const obstacle_def *d, const pl_node *at, pl_obstacle *o) {
  int ways = 0, which = 0;
  for (int k = 0; k < PL_OBSTACLE_COUNT; k++) {
    if (d->shape[k]) which = k;
    ways += d->shape[k] != NULL;
  }
  *o = (pl_obstacle){.kind = pl_obstacle_table[which], .mu = d->friction.v};
  put(&d->velocity, o->velocity);
  if (ways == 1) {
    put_shape(r, d->shape[which], node_get(at, o->kind->name), o);
    return;
  }
  char kinds[PL_TEXT];
  list_kinds(3, "'", ", ", kinds, sizeof kinds);
  problem(r, at, "e.g. plane: {normal: [0, 0, 1]}", "obstacle needs exactly one of %.300s", kinds);
}

// ---- nodes ------------------------------------------------------------------------------------

// what is gathered of all entries
typedef struct contact_nodes {
  int n;
  int *node;
  double *radius, *mu; // [n], [n][nobstacle]
  const pl_node **at;  // [n] entry that names it
  const pl_node **by;  // [nnode] the same by node, NULL: in none
} contact_nodes;

// components of every node that are prescribed
static int *held_masks(reader *r) {
  int *held = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *held);
  for (int k = 0; held && k < r->b->ndrive; k++)
    for (int i = 0; i < r->b->drive[k].nnode; i++)
      if (r->b->drive[k].node[i] < r->b->nnode) held[r->b->drive[k].node[i]] |= r->b->drive[k].mask;
  return held;
}

static void add_entry(reader *r, const contact_def *d, const pl_node *at, const node_list *nodes,
                      const int *held, pl_scene *s, contact_nodes *f) {
  char buf[128];
  int nobstacle = s->contact.nobstacle, before = f->n;
  for (int i = 0; i < nodes->n; i++) {
    int node = nodes->v[i];
    if (f->by[node]) {
      problem(r, at, "leave the node out of one of them",
              "%s is in two entries of contact, the first in line %d",
              pl_build_node_text(r->b, node, buf, sizeof buf), f->by[node]->line);
      return;
    }
    f->by[node] = at;
    // no force moves it
    if (held[node] == (1 << r->b->dim) - 1) continue;
    f->node[f->n] = node;
    f->radius[f->n] = d->radius.v;
    f->at[f->n] = at;
    for (int k = 0; k < nobstacle; k++)
      f->mu[f->n * nobstacle + k] = d->friction.at ? d->friction.v : s->contact.obstacle[k].mu;
    f->n++;
  }
  if (f->n == before && nodes->n > 0)
    warning(r, at, "name nodes that are free to move",
            "all these nodes are fixed or driven, so that obstacles do nothing to them");
}

static int build_contact_nodes(reader *r, pl_scene *s, contact_nodes *f) {
  const items *list = &r->def.contact;
  const contact_def *d = list->item;
  const pl_node *at = items_first(list);
  size_t n = 1, npair;
  node_list *nodes = scene_alloc(r, (size_t)list->n, sizeof *nodes);
  for (int k = 0; nodes && k < list->n; k++, at = at->next) {
    if (!select_either(r, d[k].node, d[k].nodes, at, "contact", &nodes[k])) nodes[k].n = 0;
    n += (size_t)nodes[k].n;
  }
  if (pl_mul_size(n, (size_t)s->contact.nobstacle + 1, &npair) || npair > 100000000) {
    problem(r, list->at, NULL, "contact: too many pairs of nodes and obstacles");
    return 0;
  }
  int *held = held_masks(r);
  f->node = scene_alloc(r, n, sizeof *f->node);
  f->radius = scene_alloc(r, n, sizeof *f->radius);
  f->at = scene_alloc(r, n, sizeof *f->at);
  f->by = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *f->by);
  f->mu = scene_alloc(r, npair, sizeof *f->mu);
  if (!nodes || !held || !f->node || !f->radius || !f->at || !f->by || !f->mu) return 0;
  at = items_first(list);
  for (int k = 0; k < list->n && !r->failed; k++, at = at->next)
    add_entry(r, &d[k], at, &nodes[k], held, s, f);
  s->contact.nnode = f->n;
  s->contact.node = f->node;
  s->contact.radius = f->radius;
  s->contact.mu = f->mu;
  return 1;
}

// ---- what does not go together ----------------------------------------------------------------

static double extent(const reader *r) {
  double lo[3] = {0}, hi[3] = {0}, size[3];
  for (int i = 0; i < r->b->nnode; i++)
    for (int c = 0; c < 3; c++) {
      lo[c] = i ? fmin(lo[c], r->b->X[3 * i + c]) : r->b->X[c];
      hi[c] = i ? fmax(hi[c], r->b->X[3 * i + c]) : r->b->X[c];
    }
  pl_sub3(hi, lo, size);
  return pl_norm3(size);
}

// the deepest node of every entry; displaced: where transients start
static void check_inside(reader *r, const pl_scene *s, const contact_nodes *f, int displaced) {
  double allowed = OVERLAP * extent(r), deepest = 0;
  int worst = -1, obstacle = 0, count = 0;
  char buf[128];
  for (int i = 0; i < f->n; i++) {
    double x[3], least = -allowed;
    int node = f->node[i];
    memcpy(x, r->b->X + 3 * (size_t)node, sizeof x);
    for (int c = 0; displaced && c < r->b->dim; c++) x[c] += r->u0[node * r->b->dim + c];
    for (int k = 0; k < s->contact.nobstacle; k++) {
      pl_gap g;
      pl_obstacle_gap(&s->contact.obstacle[k], r->b->dim, 0, x, f->radius[i], &g);
      count += g.gap < -allowed && least == -allowed;
      if (g.gap < least && g.gap < deepest) {
        deepest = g.gap;
        worst = node;
        obstacle = k;
      }
      least = fmin(least, g.gap);
    }
    if (i + 1 < f->n && f->at[i + 1] == f->at[i]) continue;
    if (worst >= 0)
      problem(r, f->at[i], "move the body or the obstacle until they touch at most",
              "%s starts %.3g m inside of obstacle '%.60s'%s%s",
              pl_build_node_text(r->b, worst, buf, sizeof buf), -deepest,
              s->obstacle_name[obstacle], f->radius[i] > 0 ? " (its radius counted)" : "",
              count > 1 ? ", others too" : "");
    deepest = 0;
    worst = -1;
    count = 0;
  }
}

// whether some analysis starts at rest, or where transients start
static void starts(const reader *r, const pl_scene *s, int *rest, int *displaced) {
  *rest = *displaced = 0;
  for (int k = 0; k < s->nanalysis; k++) {
    const pl_analysis *a = &s->analysis[k];
    if (a->about >= 0) continue;
    if (a->kind == PL_ANALYSIS_transient && r->u0)
      *displaced = 1;
    else
      *rest = 1;
  }
  if (!*displaced) *rest = 1;
}

static void check_start(reader *r, const pl_scene *s, const contact_nodes *f) {
  int rest, displaced;
  starts(r, s, &rest, &displaced);
  if (rest) check_inside(r, s, f, 0);
  if (displaced) check_inside(r, s, f, 1);
}

static void check_analysis(reader *r, const pl_analysis *a) {
  const char *kind = pl_analysis_table[a->kind].name;
  if (a->kind == PL_ANALYSIS_static) {
    if (a->opts.static_.critical || a->opts.static_.perturb)
      problem_at(r, r->file, a->line, a->col, "leave them out, or leave out contact",
                 "static: critical and perturb do not know contact");
  } else if (a->kind == PL_ANALYSIS_transient) {
    if (a->opts.transient_.method == PL_BDF2)
      problem_at(r, r->file, a->line, a->col, "use method: newmark or method: implicit-euler",
                 "transient: bdf2 does not know contact");
  } else if (a->kind == PL_ANALYSIS_modes) {
    pl_report(r->env, PL_WARNING, r->file, a->line, a->col,
              "fix nodes that rest on an obstacle to have the modes of the body held there",
              "modes do not know contact: these are of the body without obstacles");
  } else if (a->kind != PL_ANALYSIS_drape) {
    problem_at(r, r->file, a->line, a->col,
               "use transient with frequency, periods and steady, or leave out contact",
               "%s does not know contact", kind);
  }
}

// ---- self contact -----------------------------------------------------------------------------

static void check_layers_analysis(reader *r, const pl_analysis *a) {
  const char *kind = pl_analysis_table[a->kind].name;
  static const char hint[] = "use drape, or transient with method: implicit-euler or project";
  if (a->kind == PL_ANALYSIS_drape) return;
  if (a->kind == PL_ANALYSIS_modes) {
    pl_report(r->env, PL_WARNING, r->file, a->line, a->col, NULL,
              "modes do not know self_contact: layers pass through each other");
  } else if (a->kind == PL_ANALYSIS_transient) {
    int method = a->opts.transient_.method;
    if (method == PL_NEWMARK || method == PL_BDF2)
      problem_at(r, r->file, a->line, a->col, hint, "transient: %s does not know self_contact",
                 method == PL_BDF2 ? "bdf2" : "newmark");
  } else {
    problem_at(r, r->file, a->line, a->col, hint, "%s does not know self_contact", kind);
  }
}

// layers that are too close where an analysis starts
static void check_apart(reader *r, const pl_scene *s, pl_layers *l, int displaced) {
  const pl_layer_pair *pair;
  int n, worst = 0;
  char buf[2][128];
  double *x = scene_alloc(r, 3 * (size_t)s->layers.nvert + 1, sizeof *x);
  if (!x) return;
  memcpy(x, s->layers.X, 3 * (size_t)s->layers.nvert * sizeof *x);
  for (int i = 0; displaced && i < 3 * r->b->nnode; i++) x[i] += r->u0[i];
  if (!worked(r, pl_layers_find(l, x, 0, &n, &pair))) return;
  for (int k = 1; k < n; k++)
    if (pair[k].distance < pair[worst].distance) worst = k;
  double allowed = s->layers.thickness - OVERLAP * extent(r);
  if (n == 0 || pair[worst].distance >= allowed) return;
  const int *v = pair[worst].vert,
            other = v[pair[worst].n == 4 && pair[worst].weight[1] > 0 ? 2 : 1];
  problem(r, r->def.self_contact->thickness.at, "move the sheets apart, or make the thickness less",
          "at the start layers are %.3g m apart, closer than their thickness of %.3g m: %s and %s",
          pair[worst].distance, s->layers.thickness,
          pl_build_node_text(r->b, v[0], buf[0], sizeof buf[0]),
          pl_build_node_text(r->b, other, buf[1], sizeof buf[1]));
}

static void check_layers(reader *r, const pl_scene *s) {
  int rest, displaced;
  pl_layers *l;
  for (int k = 0; k < s->nanalysis; k++) check_layers_analysis(r, &s->analysis[k]);
  if (r->nproblem > 0 || !worked(r, pl_layers_create(r->env, &s->layers, &l))) return;
  starts(r, s, &rest, &displaced);
  if (rest) check_apart(r, s, l, 0);
  if (displaced) check_apart(r, s, l, 1);
  pl_layers_free(l);
}

// triangles of all shells over all nodes, copies that clamps carry too
static void build_layers(reader *r, pl_scene *s) {
  const self_contact_def *d = r->def.self_contact;
  int ntri = 0, n = 0, nvert = r->b->nnode + r->b->ncopy, bad = 0;
  for (int k = 0; k < r->nbody; k++) {
    bad |= r->body[k].bad;
    if (r->body[k].def->shell && !r->body[k].bad) ntri += r->body[k].mesh->cell[PL_TRI3].n;
  }
  if (ntri == 0) {
    if (!bad)
      problem(r, d->thickness.at, "leave it out", "self_contact needs shells, there are none");
    return;
  }
  int *tri = scene_alloc(r, 3 * (size_t)ntri, sizeof *tri);
  double *X = scene_alloc(r, 3 * (size_t)nvert, sizeof *X);
  if (!tri || !X) return;
  memcpy(X, r->b->X, 3 * (size_t)r->b->nnode * sizeof *X);
  for (int i = 0; i < r->b->ncopy; i++)
    memcpy(X + 3 * (size_t)(r->b->nnode + i), r->b->X + 3 * (size_t)r->b->copy[i], 3 * sizeof *X);
  for (int k = 0; k < r->nbody; k++) {
    const body_slot *b = &r->body[k];
    if (!b->def->shell || b->bad) continue;
    const pl_cells *c = &b->mesh->cell[PL_TRI3];
    for (int i = 0; i < 3 * c->n; i++) tri[n++] = b->node[c->v[i]];
  }
  s->has_layers = 1;
  s->layers = (pl_layers_desc){nvert, ntri, tri, X, d->thickness.v, d->friction.v};
  check_layers(r, s);
}

// -----------------------------------------------------------------------------------------------

static void build_obstacles(reader *r, pl_scene *s) {
  const items *list = &r->def.obstacles;
  const pl_node *at = items_first(list);
  contact_nodes f = {0};
  pl_obstacle *o = scene_alloc(r, (size_t)list->n + 1, sizeof *o);
  const char **name = scene_alloc(r, (size_t)list->n + 1, sizeof *name);
  if (!o || !name) return;
  s->impl->shape = o;
  for (int k = 0; k < list->n; k++, at = at->next) {
    const obstacle_def *d = (const obstacle_def *)list->item + k;
    build_obstacle(r, d, at, &o[k]);
    s->impl->nshape = k + 1;
    name[k] = name_obstacle(r, d, name, k, o[k].kind->name);
    if (!name[k]) return;
  }
  s->obstacle_name = name;
  s->contact.obstacle = o;
  s->contact.nobstacle = list->n;
  if (r->def.contact.n == 0) {
    if (list->n > 0)
      warning(r, list->at, "say which nodes feel them, e.g. contact: {nodes: all}",
              "the obstacles do nothing: no contact is given");
    return;
  }
  if (list->n == 0) {
    problem(r, r->def.contact.at, "e.g. obstacles: [{plane: {normal: [0, 0, 1]}, friction: 0.3}]",
            "contact needs obstacles, there are none");
    return;
  }
  if (!build_contact_nodes(r, s, &f) || f.n == 0) return;
  for (int k = 0; k < s->nanalysis; k++) check_analysis(r, &s->analysis[k]);
  // with wrong numbers nothing can be said about places
  if (r->nproblem == 0) check_start(r, s, &f);
}

void build_contact(reader *r, pl_scene *s) {
  build_obstacles(r, s);
  if (r->def.self_contact) build_layers(r, s);
}
