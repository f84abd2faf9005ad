#include "build_body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- pieces of a model ------------------------------------------------------------------------

int group_add(reader *r, const char *name, int kind, int nelem, int **stencil) {
  int g = pl_build_group(r->b, name, pl_elem_table[kind], nelem, 0, 0, stencil);
  if (g < 0) r->failed = r->b->failed;
  return g;
}

pl_value value_of(const num *n) {
  return (pl_value){.v = n->v, .par = n->par + 1, .coef = n->coef};
}

void put_par(reader *r, int group, int elem, const char *name, const num *value) {
  pl_value v = value_of(value);
  pl_build_par(r->b, group, elem, name, &v);
}

void follow(reader *r, pl_place place, int i, int j, int k, const num *value, double factor) {
  pl_value v = value_of(value);
  pl_build_follow(r->b, place, i, j, k, &v, factor);
}

// ---- named nodes ------------------------------------------------------------------------------

// a map {name: coordinates}, for nodes and joints
static void named_points(reader *r, const pl_node *map, const char *what) {
  if (map->kind != NODE_MAP) {
    problem(r, map, "e.g. {tip: [0, 0, 1]}", "%s must map names to coordinates", what);
    return;
  }
  for (const pl_node *d = map->first; d; d = d->next) {
    vec x;
    double p[3] = {0};
    if (d->twice) continue;
    if (!name_valid(d->key) || strcmp(d->key, "ground") == 0 || strcmp(d->key, "all") == 0)
      problem_key(r, d, name_rule, "%s: '%.60s' is no good name", what, d->key);

    // known even when wrong, so that its uses are not reported as well
    int ok = read_vec(r, d, d->key, "m", r->b->dim, r->b->dim, &x);
    for (int c = 0; ok && c < x.n; c++) p[c] = x.v[c].v;
    int node = pl_build_node(r->b, p, d->key);
    if (node < 0) {
      if (r->b->failed)
        r->failed = r->b->failed;
      else
        problem(r, d, NULL, "too many nodes");
      return;
    }
    name_add(r, &r->names, d->key, NAME_NODE, node, d);
    for (int c = 0; ok && c < x.n; c++) follow(r, PL_AT_X, node, c, 0, &x.v[c], 1);
  }
}

static void build_nodes(reader *r) {
  if (r->def.nodes) named_points(r, r->def.nodes, "nodes");
  const mechanism_def *m = r->def.mechanism;
  if (!m || !m->joints) return;
  if (r->b->dim == 1)
    problem(r, m->joints, "use nodes and springs", "a mechanism needs dimension 2 or 3");
  else
    named_points(r, m->joints, "joints");
}

// ---- sets -------------------------------------------------------------------------------------

static void build_sets(reader *r) {
  const pl_node *at = r->def.sets;
  if (!at) return;
  if (at->kind != NODE_MAP) {
    problem(r, at, "e.g. {root: wing where x < 2 mm}", "sets must map names to selectors");
    return;
  }
  r->set = scene_alloc(r, (size_t)at->n + 1, sizeof *r->set);
  if (!r->set) return;
  for (const pl_node *d = at->first; d; d = d->next) {
    if (d->twice) continue;
    if (!name_valid(d->key) || strcmp(d->key, "ground") == 0 || strcmp(d->key, "all") == 0) {
      problem_key(r, d, name_rule, "sets: '%.60s' is no good name", d->key);
      continue;
    }
    r->set[r->nset] = (set_slot){.name = d->key, .at = d};
    if (name_add(r, &r->names, d->key, NAME_SET, r->nset, d)) r->nset++;
  }
  for (int k = 0; k < r->nset; k++) set_resolve(r, k);
}

// ---- gravity and damping ----------------------------------------------------------------------

// two plain values, or one for both; above zero, or not below it
static int read_pair(reader *r, const pl_node *at, const char *what, const char *unit_text, int one,
                     double out[2]) {
  if (at->kind == NODE_MAP || (at->kind == NODE_LIST ? at->n != 2 : !one)) {
    problem(r, at, one ? "e.g. 2 %, or [2 %, 3 %]" : "e.g. [10 Hz, 50 Hz]",
            one ? "damping: %s must be one value or two" : "damping: %s must be two values", what);
    return 0;
  }
  const pl_node *d = at->kind == NODE_LIST ? at->first : at;
  for (int k = 0; k < 2; k++) {
    num v;
    if (!read_num(r, d, what, unit_text, &v)) return 0;
    if (v.par >= 0 || v.v < 0 || (!one && v.v == 0)) {
      problem(r, d, NULL, "damping: %s must be above zero and plain values", what);
      return 0;
    }
    out[k] = v.v;
    if (at->kind == NODE_LIST) d = d->next;
  }
  return 1;
}

// alpha and beta with alpha / (2 w) + beta w / 2 = zeta at two frequencies
static void damping_by_ratio(reader *r, const damping_def *d) {
  double zeta[2], w[2];
  if (!d->ratio || !d->at) {
    problem(r, d->ratio ? d->ratio : d->at, "e.g. damping: {ratio: 2 %, at: [10 Hz, 50 Hz]}",
            "damping: ratio and at belong together");
    return;
  }
  if (!read_pair(r, d->ratio, "ratio", "", 1, zeta) || !read_pair(r, d->at, "at", "rad/s", 0, w))
    return;
  double wide = w[1] * w[1] - w[0] * w[0];
  if (fabs(wide) <= 1e-12 * w[0] * w[0]) {
    problem(r, d->at, NULL, "damping: the two frequencies must differ");
    return;
  }
  double alpha = 2 * w[0] * w[1] * (zeta[0] * w[1] - zeta[1] * w[0]) / wide;
  double beta = 2 * (zeta[1] * w[1] - zeta[0] * w[0]) / wide;
  if (alpha < 0 || beta < 0) {
    char hint[PL_TEXT];
    double far = alpha < 0 ? w[1] / w[0] : w[0] / w[1];
    snprintf(hint, sizeof hint,
             "the second ratio over the first must lie between %.4g and %.4g at these frequencies",
             fmin(far, 1 / far), fmax(far, 1 / far));
    problem(r, d->ratio, hint, "damping: these ratios need a negative %s (%.4g %s)",
            alpha < 0 ? "alpha, the part by mass" : "beta, the part by stiffness",
            alpha < 0 ? alpha : beta, alpha < 0 ? "1/s" : "s");
    return;
  }
  if (!d->mass.at) r->b->alpha = alpha;
  if (!d->stiffness.at) r->b->beta = beta;
}

static void build_globals(reader *r) {
  const vec *g = &r->def.gravity;
  for (int c = 0; g->at && c < g->n; c++) {
    r->b->gravity[c] = g->v[c].v;
    follow(r, PL_AT_PAR, PL_PAR_GRAVITY + c, 0, 0, &g->v[c], 1);
  }
  const damping_def *d = r->def.damping;
  if (!d) return;
  r->b->alpha = d->mass.v;
  r->b->beta = d->stiffness.v;
  if (d->ratio || d->at) damping_by_ratio(r, d);
  follow(r, PL_AT_PAR, PL_PAR_ALPHA, 0, 0, &d->mass, 1);
  follow(r, PL_AT_PAR, PL_PAR_BETA, 0, 0, &d->stiffness, 1);
}

// ---- model ------------------------------------------------------------------------------------

// the unit that stands behind a number; of a bare one that of its quantity in `units`
static pl_shown shown_unit(reader *r, const param_def *p, const char *si) {
  const pl_node *units = node_get(r->root, "units"), *d;
  const char *text = p->value && p->value->kind == NODE_SCALAR ? p->value->text : "";
  double number;
  unit u;
  text += pl_number_scan(text, strlen(text), &number);
  while (*text == ' ') text++;
  if (*text && unit_parse(text, strlen(text), &u) && unit_same(&u.dim, &p->dim))
    return (pl_shown){text, u.factor};
  for (d = units && units->kind == NODE_MAP ? units->first : NULL; d; d = d->next)
    if (d->kind == NODE_SCALAR && unit_parse(d->text, strlen(d->text), &u) &&
        unit_same(&u.dim, &p->dim))
      return (pl_shown){d->text, u.factor};
  return (pl_shown){si, 1};
}

static int is_set(const reader *r, const char *name) {
  for (int k = 0; k < r->nset; k++)
    if (strcmp(r->set[k].name, name) == 0) return 1;
  return 0;
}

// A group of a body as a set of the whole mesh, whose cells of each type are those of one body
// after the other; with several bodies BODY.GROUP. Sets of the scene keep their names.
static pl_status add_group(reader *r, const body_slot *b, const pl_set *g, const int *first,
                           pl_mesh *mesh) {
  char name[PL_TEXT];
  int *index = scene_alloc(r, (size_t)g->n + 1, sizeof *index);
  if (!index) return PL_E_NOMEM;
  snprintf(name, sizeof name, "%.200s%s%.250s", r->nbody > 1 ? b->def->name.s : "",
           r->nbody > 1 ? "." : "", g->name);
  if (is_set(r, name)) return PL_OK;
  for (int i = 0; i < g->n; i++)
    index[i] = g->type < 0 ? b->node[g->index[i]] : first[g->type] + g->index[i];
  return pl_mesh_add_set(mesh, name, g->type, g->n, index);
}

// sets of the scene and groups of bodies, which files of results tell
static pl_status name_sets(reader *r, pl_mesh *mesh) {
  int first[PL_CELL_COUNT] = {0};
  for (int k = 0; k < r->nset; k++)
    PL_TRY(pl_mesh_add_set(mesh, r->set[k].name, -1, r->set[k].nodes.n, r->set[k].nodes.v));
  for (int number = 0; number < r->b->nbody; number++)
    for (int k = 0; k < r->nbody; k++) {
      const body_slot *b = &r->body[k];
      if (b->number != number || !b->mesh) continue;
      for (int i = 0; i < b->mesh->nset; i++)
        PL_TRY(add_group(r, b, &b->mesh->set[i], first, mesh));
      for (int t = 0; t < PL_CELL_COUNT; t++) first[t] += b->mesh->cell[t].n;
    }
  return PL_OK;
}

static pl_status build_model(reader *r, pl_scene *s) {
  const param_def *p = r->def.parameters.item;
  int n = r->def.parameters.n;
  pl_shown *shown = scene_alloc(r, (size_t)n + 1, sizeof *shown);
  if (!shown) return PL_E_NOMEM;
  for (int k = 0; k < n; k++) {
    char si[64];
    unit_si(&p[k].dim, si, sizeof si);
    const char *unit_text = scene_strdup(r, si, strlen(si));
    if (!unit_text) return PL_E_NOMEM;
    pl_build_parameter(r->b, p[k].name.s, si, p[k].v, p[k].lo, p[k].hi);
    shown[k] = shown_unit(r, &p[k], unit_text);
  }
  s->shown = shown;
  pl_built built;
  PL_TRY(pl_build_model(r->b, &built));
  s->model = built.model;
  s->params = built.params;
  s->mesh = built.mesh;
  s->cells = r->b->cells;
  return name_sets(r, s->mesh);
}

// ---- result -----------------------------------------------------------------------------------

static pl_status fill_groups(reader *r, const body_slot *b, pl_scene_body *out) {
  const pl_mesh *m = b->mesh;
  pl_scene_group *g = scene_alloc(r, (size_t)m->nset + 1, sizeof *g);
  if (!g) return PL_E_NOMEM;
  for (int k = 0; k < m->nset; k++) {
    int n, *vertex, seen = 0;
    // cells of several types share a name
    for (int i = 0; i < out->ngroup; i++) seen |= strcmp(g[i].name, m->set[k].name) == 0;
    if (seen) continue;
    const char *name = scene_strdup(r, m->set[k].name, strlen(m->set[k].name));
    if (!name) return PL_E_NOMEM;
    PL_TRY(pl_mesh_set_vertices(m, name, &n, &vertex));
    pl_free(r->env, vertex);
    g[out->ngroup++] = (pl_scene_group){name, n};
  }
  out->group = g;
  return PL_OK;
}

static int is_in_solid(const reader *r, const material_def *d) {
  for (int k = 0; k < r->nbody; k++) {
    const geometry_def *g = r->body[k].def->solid;
    const region_def *part = g ? g->regions.item : NULL;
    if (g && g->material.at && strcmp(g->material.s, d->name.s) == 0) return 1;
    for (int i = 0; g && i < g->regions.n; i++)
      if (part[i].material.at && strcmp(part[i].material.s, d->name.s) == 0) return 1;
  }
  return 0;
}

// of other laws what they are at rest, of orthotropic ones along the first axis
static pl_scene_material describe_material(const reader *r, const material_def *d,
                                           const char *law) {
  pl_scene_material m = {d->name.s, law, d->young.v, d->poisson.v, d->density.v};
  if (d->law.v == LAW_ORTHOTROPIC) {
    m.young = d->along[0].v;
    m.poisson = d->across[0].v;
  }
  if (!is_hyper(d)) return m;
  double mu = hyper_shear(d), K = d->bulk.v;
  if (d->bulk.at)
    m.poisson = (3 * K - 2 * mu) / (6 * K + 2 * mu);
  else if (!d->poisson.at)
    m.poisson = is_in_solid(r, d) ? POISSON_RUBBER : 0.5;
  m.young = 2 * mu * (1 + m.poisson);
  return m;
}

static pl_status fill_materials(reader *r, pl_scene *s) {
  static const char *const law[] = {
      "St. Venant-Kirchhoff",     "neo-Hookean", "Mooney-Rivlin", "Yeoh",
      "polynomial of invariants", "Ogden",       "orthotropic"};
  const material_def *d = r->def.materials.item;
  pl_scene_material *m = scene_alloc(r, (size_t)r->def.materials.n + 1, sizeof *m);
  if (!m) return PL_E_NOMEM;
  for (int k = 0; k < r->def.materials.n; k++)
    m[s->nmaterial++] = describe_material(r, &d[k], law[d[k].law.v]);
  s->material = m;
  return PL_OK;
}

// of a solid of one material, 0: it has several, or one for each of its cells
static double plain_density(reader *r, const body_slot *b) {
  const geometry_def *g = b->def->solid;
  const material_def *m = r->def.materials.item;
  if (!g || !g->material.at || g->regions.n > 0) return 0;
  for (int k = 0; k < r->def.materials.n; k++)
    if (strcmp(m[k].name.s, g->material.s) == 0) return m[k].density.each ? 0 : m[k].density.v;
  return 0;
}

static pl_status fill_lists(reader *r, pl_scene *s) {
  pl_node_set *set = scene_alloc(r, (size_t)r->nset + 1, sizeof *set);
  pl_scene_body *b = scene_alloc(r, (size_t)r->nbody + 1, sizeof *b);
  if (!set || !b) return PL_E_NOMEM;
  for (int k = 0; k < r->nset; k++)
    set[s->nset++] = (pl_node_set){r->set[k].name, r->set[k].nodes.n, r->set[k].nodes.v};
  for (int k = 0; k < r->nbody; k++) {
    const body_slot *from = &r->body[k];
    b[k] = (pl_scene_body){.name = from->def->name.s,
                           .kind = from->kind,
                           .n = from->n,
                           .node = from->node,
                           .npiece = from->npiece,
                           .voxels = from->voxels,
                           .density = plain_density(r, from)};
    PL_TRY(fill_groups(r, from, &b[k]));
    s->nbody++;
  }
  PL_TRY(fill_materials(r, s));
  s->ndrive = r->nmotion;
  s->drive = r->b->drive;
  s->nload = r->b->nload;
  s->load = r->b->load;
  s->load_form = r->b->form;
  s->nload_note = r->nload_note;
  s->load_note = r->load_note;
  memcpy(s->gravity, r->b->gravity, sizeof s->gravity);
  s->set = set;
  s->body = b;
  s->title = r->def.title.s;
  s->dim = r->b->dim;
  s->u0 = r->u0;
  s->v0 = r->v0;
  if (r->def.output)
    s->output = r->def.output->opts;
  else
    pl_opts_default(pl_output_option_table, pl_output_option_count, &s->output);
  return PL_OK;
}

// what depends on how bodies and drives meet
static void join(reader *r) {
  const initial_def *d = r->def.initial.item;
  for (int k = 0; k < r->def.initial.n; k++) r->b->free_spin |= d[k].spin != NULL;
  // problems that were reported already keep it from looking further
  r->b->nproblem = r->nproblem;
  pl_build_join(r->b);
  if (r->b->failed) r->failed = r->b->failed;
}

pl_status build_scene(reader *r, pl_scene *s) {
  check_materials(r);
  build_nodes(r);
  build_bodies(r);
  build_mechanism(r);
  build_sets(r);
  build_body_groups(r);
  if (r->def.mechanism) build_springs(r, &r->def.mechanism->springs);
  build_springs(r, &r->def.springs);
  build_stops(r);
  build_friction(r);
  build_tables(r);
  build_masses(r);
  build_potentials(r);
  build_matrices(r);
  build_foundations(r);
  build_joins(r);
  build_drives(r);
  join(r);
  r->nmotion = r->b->ndrive;
  build_loads(r);
  build_tendons(r);
  build_swellings(r);
  build_globals(r);
  build_initial(r);
  build_mails(r, s);
  build_patches(r, s);
  build_analyses(r, s);
  build_contact(r, s);
  check_file_names(r, s);
  build_limits(r, s);
  check_mail_sheets(r, s);
  if (r->nproblem == 0 && !r->failed) build_constraints(r, s);
  if (r->b->nnode == 0 && s->nmail == 0 && r->nproblem == 0)
    problem(r, r->root, "give nodes, bodies, a mechanism or an interlocking material",
            "the scene has no nodes");
  if (r->failed) return r->failed;
  if (r->nproblem > 0) return PL_E_INPUT;
  check_plausible(r, s);
  PL_TRY(fill_lists(r, s));
  PL_TRY(build_model(r, s));
  check_massless(r, s);
  PL_TRY(check_masses(r, s));
  if (r->nproblem > 0) return PL_E_INPUT;
  return check_rotations(r, s);
}
