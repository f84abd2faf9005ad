#include "build_body.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What an engineer would wonder about. Warnings only.

static const double HINGE_STIFF = 1.15; // energy of hinges over that of the plate
static const double WALL = 0.53;        // thickness of a shell over its width

// a number without a unit
static int is_bare(const num *v) {
  double ignored;
  return v->at && v->at->text[pl_number_scan(v->at->text, strlen(v->at->text), &ignored)] == 0;
}

static void bare_hint(const reader *r, const num *v, const char *si, const char *sane, char *out,
                      size_t size) {
  unit u;
  unit_parse(si, strlen(si), &u);
  double factor = unit_scale_of(&r->scale, &u.dim);
  if (is_bare(v))
    snprintf(out, size, "%s; a bare number here is in units of %.3g %s", sane, factor, si);
  else
    snprintf(out, size, "%s", sane);
}

static void check_material(reader *r, const material_def *m) {
  char hint[PL_TEXT];
  if (m->density.v != 0 && (m->density.v < 0.5 || m->density.v > 30000)) {
    bare_hint(r, &m->density, "kg/m^3", "water has 1000 kg/m^3, steel 7850", hint, sizeof hint);
    warning(r, m->density.at ? m->density.at : m->name.at, hint,
            "material '%s': a density of %.3g kg/m^3 looks like a wrong unit", m->name.s,
            m->density.v);
  }
  if (m->young.v != 0 && (m->young.v < 100 || m->young.v > 2e12)) {
    bare_hint(r, &m->young, "Pa", "soft rubber has about 1 MPa, steel 210 GPa", hint, sizeof hint);
    warning(r, m->young.at ? m->young.at : m->name.at, hint,
            "material '%s': a Young's modulus of %.3g Pa looks like a wrong unit", m->name.s,
            m->young.v);
  }
}

// Most files are in mm; without a word about lengths they are read in m.
static int unit_forgotten(const reader *r, const body_slot *b, double size) {
  const double LARGE = 20; // m, of parts
  const body_def *d = b->def;
  const geometry_def *g = d->shell ? d->shell : d->plane ? d->plane : d->solid ? d->solid : d->rod;
  const pl_node *units = node_get(r->root, "units");
  int reported =
      units && units->kind == NODE_MAP && (node_get(units, "length") || node_get(units, "system"));
  return g && g->mesh->kind == NODE_SCALAR && !reported && !g->mesh_units.at &&
         r->scale.base[1] == 1 && size > LARGE;
}

// A bar of a rectangular section twists as if it were (1 - 0.63 t / b) as stiff as a thin strip.
static void check_walls(reader *r, const body_slot *b, double size) {
  const geometry_def *g = b->def->shell;
  double width;
  if (!g || r->failed || !b->mesh || has_limits(g)) return;
  if (!worked(r, pl_mesh_width(b->mesh, &width))) return;
  width = fmin(width, size);
  if (!(g->thickness.v > WALL * width)) return;
  warning(r, g->thickness.at,
          "shells are for walls thinner than a tenth of their width: take a solid or a rod",
          "shell '%s': a thickness of %.3g m at a width of about %.3g m: it twists by half or more "
          "too stiffly",
          b->def->name.s, g->thickness.v, width);
}

static void check_body(reader *r, const body_slot *b) {
  double lo[3], hi[3], size = 0;
  pl_mesh_bounds(b->mesh, lo, hi);
  for (int c = 0; c < 3; c++) size = fmax(size, hi[c] - lo[c]);
  const char *hint = "mesh files are read in the scene's length unit; see units and mesh_units";
  int odd = size > 1000 || size < 1e-6;
  if (odd)
    warning(r, b->at, hint, "body '%s' is %.3g m large; this looks like a wrong unit",
            b->def->name.s, size);
  else if (unit_forgotten(r, b, size))
    warning(r, b->at, "mesh_units: mm, or mesh_units: m where it is right",
            "body '%s' is %.3g m large: its mesh file is read in metres", b->def->name.s, size);
  const geometry_def *g = b->def->shell;
  // a bare number of metres in a scene of millimetres
  double thin = g && is_bare(&g->thickness) ? 1e-4 : 1e-5;
  if (g && !odd && g->thickness.v > 0 && g->thickness.v < thin * size) {
    char more[PL_TEXT];
    bare_hint(r, &g->thickness, "m", "sheet metal of this size has millimetres, foil 10 um", more,
              sizeof more);
    warning(r, g->thickness.at, more,
            "shell '%s': a thickness of %.3g m at a size of %.3g m looks like a wrong unit",
            b->def->name.s, g->thickness.v, size);
  }
  if (!odd) check_walls(r, b, size);
  if (!b->rod) return;
  double wide = b->rod->wide;
  if (wide > 0.5 * size)
    warning(r, b->at, NULL, "rod '%s': a section of %.3g m at a size of %.3g m", b->def->name.s,
            wide, size);
}

// Of one hinge bent to a cylinder of curvature 1, mean over all directions: theta^2. Unfolded, its
// edge lies from (0, 0) to (l, 0), and triangle s has its other vertex at a[s] along it and at a
// height h[s]; a cylinder at an angle turns it by theta = A cos^2 + B sin^2 + C sin cos.
static double mean_fold(double l, const double a[2], const double h[2]) {
  double A = 0.5 * (a[0] * (a[0] - l) / h[0] + a[1] * (a[1] - l) / h[1]);
  double B = 0.5 * (h[0] + h[1]), C = a[0] - a[1];
  return (3 * (A * A + B * B) + 2 * A * B + C * C) / 8;
}

// Energy of the hinges of a mesh bent to cylinders over that of the plate: 1 for equilateral
// triangles, and more the less regular they are. 0: there are none.
static double hinge_stiffness(const pl_mesh *m, const pl_topology *t) {
  double energy = 0, plate = 0;
  for (int k = 0; k < t->nhinge; k++) {
    const int *v = t->hinge + 4 * k;
    double e[3], a[2], h[2], area = 0;
    pl_sub3(m->X + 3 * v[1], m->X + 3 * v[0], e);
    double l = pl_norm3(e);
    for (int s = 0; s < 2; s++) {
      double d[3];
      pl_sub3(m->X + 3 * v[2 + s], m->X + 3 * v[0], d);
      a[s] = pl_dot3(d, e) / l;
      h[s] = sqrt(fmax(pl_dot3(d, d) - a[s] * a[s], 0));
      area += 0.5 * l * h[s];
    }
    if (!(h[0] > 0 && h[1] > 0)) continue;
    energy += l * l / area * mean_fold(l, a, h);
    plate += area / 3;
  }
  return plate > 0 ? energy / plate : 0;
}

// hinges on a mesh of the user's, of a shell whose stiffness counts
static void check_hinges(reader *r, const body_slot *b) {
  const geometry_def *g = b->def->shell;
  pl_topology *t;
  if (!g || r->failed || g->bending.v != BENDING_HINGE || g->mesh->kind != NODE_SCALAR ||
      has_limits(g))
    return;
  if (!worked(r, pl_topology_create(b->mesh, &t))) return;
  double stiff = hinge_stiffness(b->mesh, t);
  pl_topology_free(t);
  if (stiff < HINGE_STIFF) return;
  warning(r, g->bending.at, "leave bending out, or use shell6, right on every mesh",
          "shell '%s': bending by hinges needs equilateral triangles: on these it is %.0f %% too "
          "stiff in the mean",
          b->def->name.s, 100 * (stiff - 1));
}

// 9.81 written without its unit in a scene of millimetres
static void check_gravity(reader *r) {
  double size = sqrt(r->b->gravity[0] * r->b->gravity[0] + r->b->gravity[1] * r->b->gravity[1] +
                     r->b->gravity[2] * r->b->gravity[2]);
  if (size == 0 || (size > 0.5 && size < 500)) return;
  for (int c = 0; c < 3; c++) {
    const num *v = &r->def.gravity.v[c];
    if (v->v == 0 || !v->at) continue;
    char hint[PL_TEXT];
    bare_hint(r, v, "m/s^2", "the earth has 9.81 m/s^2", hint, sizeof hint);
    warning(r, v->at, hint, "gravity of %.3g m/s^2 looks like a wrong unit", size);
    return;
  }
}

// components of nodes that supports and, if they count, drives prescribe in all analyses
static char *prescribed(reader *r, const pl_scene *s, int drives) {
  char *mask = scene_alloc(r, (size_t)r->b->nnode + (size_t)r->b->ncopy + 1, 1);
  for (int k = 0; mask && k < r->b->ndrive; k++) {
    const pl_drive_desc *d = &r->b->drive[k];
    int passed = (k < r->nmotion && drive_lets_go(r, s, k)) || (d->nterm > 0 && !drives);
    for (int i = 0; i < d->nnode && !passed; i++)
      mask[d->node[i]] |= (char)(d->kind == PL_DRIVE_ROTATION ? 7 : d->mask);
  }
  return mask;
}

static int is_held(const reader *r, const char *mask, int node) {
  return mask[node] == (1 << r->b->dim) - 1;
}

// all of several chosen nodes are held in all directions
static int all_held(reader *r, const pl_node *nodes, const pl_node *at, const char *mask) {
  node_list l;
  if (!nodes || !select_either(r, NULL, nodes, at, "load", &l) || l.n < 2) return 0;
  for (int i = 0; i < l.n; i++)
    if (!is_held(r, mask, l.v[i])) return 0;
  return 1;
}

// forces that go into supports at once
static void check_loads(reader *r, const pl_scene *s) {
  const pl_node *at = items_first(&r->def.loads);
  char *mask = prescribed(r, s, 1);
  const load_def *def = r->def.loads.item;
  for (int k = 0, i = 0; mask && i < r->def.loads.n; i++, at = at->next) {
    // pressures, moments and what a program gives are elements
    if (def[i].pressure.at || def[i].moment.at || def[i].given.at) {
      const load_def *d = &def[i];
      if (all_held(r, d->pressure.at ? d->faces : d->node ? d->node : d->nodes, at, mask))
        warning(r, at, "put it on nodes that can move",
                "load %d does nothing: all its nodes are held, or driven", i + 1);
      continue;
    }
    const pl_load_desc *out = &r->b->load[k];
    if (r->b->form[k++].inertial) continue;
    int along = 0, moves = 0;
    for (int c = 0; c < r->b->dim; c++) along |= (out->term.amplitude[c] != 0) << c;
    for (int n = 0; n < out->nnode; n++) moves |= along & ~mask[out->node[n]];
    if (along && !moves)
      warning(r, at, "put it on nodes that can move",
              "load %d does nothing: all its nodes are held, or driven, along it", i + 1);
  }
}

// tendons and springs to the ground between what does not move
static void check_pulls(reader *r, const pl_scene *s) {
  const items *tendons = &r->def.tendons, *beds = &r->def.foundations;
  const pl_node *at = items_first(tendons);
  char *mask = tendons->n + beds->n > 0 ? prescribed(r, s, 0) : NULL;
  for (int k = 0; mask && k < tendons->n; k++, at = at->next) {
    const tendon_def *d = (const tendon_def *)tendons->item + k;
    int node, moves = 0;
    for (const pl_node *p = d->through->first; p && !moves; p = p->next)
      moves = !select_one(r, p, "through", &node) || !is_held(r, mask, node);
    if (!moves)
      warning(r, at, "lead it through nodes that can move",
              "tendon %d does nothing: all its points are held", k + 1);
  }
  at = items_first(beds);
  for (int k = 0; mask && k < beds->n; k++, at = at->next) {
    const foundation_def *d = (const foundation_def *)beds->item + k;
    if (all_held(r, d->nodes ? d->nodes : d->faces, at, mask))
      warning(r, at, "put it on nodes that can move",
              "foundation %d does nothing: all its nodes are held", k + 1);
  }
}

static void check_nodes(reader *r) {
  if (r->b->dim == 1) return;
  // named nodes and joints at one place
  for (int i = 0; i < r->b->nnode && i < 2000; i++)
    for (int j = 0; r->b->label[i] && j < i; j++)
      if (r->b->label[j] && memcmp(r->b->X + 3 * i, r->b->X + 3 * j, 3 * sizeof *r->b->X) == 0) {
        const name_entry *e = name_find(&r->names, r->b->label[i]);
        warning(r, e->at, NULL, "nodes '%s' and '%s' are at one place", r->b->label[j],
                r->b->label[i]);
        return;
      }
}

void check_plausible(reader *r, const pl_scene *s) {
  warn_bare(r);
  const material_def *m = r->def.materials.item;
  for (int k = 0; k < r->def.materials.n; k++) check_material(r, &m[k]);
  for (int k = 0; k < r->nbody; k++) {
    check_body(r, &r->body[k]);
    check_hinges(r, &r->body[k]);
    check_quality(r, &r->body[k]);
  }
  const param_def *p = r->def.parameters.item;
  for (int k = 0; k < r->def.parameters.n; k++)
    if (!p[k].used) warning(r, p[k].name.at, NULL, "parameter '%s' is used nowhere", p[k].name.s);
  if (r->weakest_at && r->weakest_link < 100 * r->stiffest)
    warning(r, r->weakest_at, "links stand for rigid bars: make them at least 100 times stiffer",
            "the stiffness of a link (%.3g N/m) is close to that of the springs (%.3g N/m)",
            r->weakest_link, r->stiffest);
  check_gravity(r);
  check_welds(r);
  check_loads(r, s);
  check_pulls(r, s);
  check_nodes(r);
}

// weight and accelerations of the base where nothing has mass
void check_massless(reader *r, const pl_scene *s) {
  const pl_node *at = r->def.loads.item ? items_first(&r->def.loads) : NULL;
  const load_def *def = r->def.loads.item;
  const vec *g = &r->def.gravity;
  const char *what =
      g->at && (g->v[0].v != 0 || g->v[1].v != 0 || g->v[2].v != 0) ? "gravity" : NULL;
  const pl_csc *M = &s->params->M;
  if (s->nmail > 0) return; // elements of patches have their own
  if (what) at = g->at;
  for (int i = 0; !what && i < r->def.loads.n; i++, at = what ? at : at->next)
    if (def[i].acceleration.at) what = "acceleration of the base";
  for (int k = 0; what && k < M->nnz; k++)
    if (M->val[k] != 0) return;
  if (what)
    warning(r, at, "give the material a density, or masses",
            "%s does nothing: nothing here has mass", what);
}

// methods that change velocities by masses of nodes, and bodies that have none
pl_status check_masses(reader *r, const pl_scene *s) {
  for (int k = 0; k < s->nanalysis; k++) {
    const pl_analysis *a = &s->analysis[k];
    int method = a->opts.transient_.method;
    const char *what;
    if (a->kind != PL_ANALYSIS_transient || (s->contact.nnode == 0 && s->layers.nvert == 0) ||
        !pl_needs_program(method, s->sheet.nlimit > 0, s->layers.nvert > 0, s->layers.solid))
      continue;
    PL_TRY(pl_unfit_masses(r->env, method, s->model, s->params, &what));
    if (what)
      problem_at(r, s->path, a->line, a->col, "use method: newmark, bdf2 or coupled",
                 "%s: this method does not know contact of %s", a->name, what);
  }
  return PL_OK;
}

// a static that would swing bodies about a line on which alone they are held
pl_status check_rotations(reader *r, const pl_scene *s) {
  pl_loose l;
  char buf[128];
  const pl_analysis *a = NULL;
  for (int k = 0; k < s->nanalysis && !a; k++) {
    const pl_analysis *b = &s->analysis[k];
    int begins = b->kind == PL_ANALYSIS_static || b->kind == PL_ANALYSIS_load_path;
    if (begins && b->about < 0 && !b->stage) a = b;
  }
  // contacts may hold
  if (!a || s->contact.nnode > 0 || s->layers.nvert > 0) return PL_OK;
  PL_TRY(pl_find_loose(s->model, s->params, r->env, s->params->X, &l));
  if (!l.found || !l.rotates) return PL_OK;
  pl_report(r->env, PL_WARNING, s->path, a->line, a->col,
            "is it meant to be built in? hold a second row of nodes, or clamp: fixed nodes on one "
            "line let a body turn",
            "%s: nothing but loads holds the body with %s against turning about the line through "
            "[%.4g, %.4g, %.4g] m along [%.3g, %.3g, %.3g]: %s",
            a->name, pl_build_node_text(r->b, l.node, buf, sizeof buf), l.at[0], l.at[1], l.at[2],
            l.axis[0], l.axis[1], l.axis[2],
            l.round ? "there is no equilibrium, as they turn with it"
                    : "it swings until they are in line");
  return PL_OK;
}
