// macro: where a patch comes to rest as a sheet within the limits of its material.
#include "run_macro.h"

#include "elements.h"

#include "pliant/math.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FINE = 480 };    // triangles, at most, where nothing is said about it
enum { PATIENCE = 40 }; // iterations of plain statics
enum { SHARP = 200 };   // of the last weight

// ---- the sheet ----------------------------------------------------------------------------------

static pl_status find_material(macro *k) {
  const char *why;
  k->m = &k->own;
  if (k->a->material) return pl_sheet_material_read(k->j->env, k->a->material, &k->own);
  // it is not run without
  k->m = job_sheet_kept(k->j, k->a->limits, &why);
  PL_ASSERT(k->m);
  return PL_OK;
}

static pl_status make_sheet(macro *k) {
  const pl_scene_patch *p = k->patch;
  pl_env *env = k->j->env;
  const pl_mail *m = k->j->scene->mail[p->mail].m;
  int refine = k->a->opts.macro_.refine;
  pl_status s =
      pl_patch_sheet_make(env, m, p->p.n, p->cut, p->p.held, refine < 0 ? 0 : refine, &k->sheet);
  if (s == PL_OK && refine < 0) {
    for (int n = 4 * k->sheet.mesh->cell[PL_TRI3].n; n <= FINE; n *= 4) refine++;
    pl_patch_sheet_free(env, &k->sheet);
    s = pl_patch_sheet_make(env, m, p->p.n, p->cut, p->p.held, refine + 1, &k->sheet);
  }
  if (s == PL_DOMAIN)
    return pl_fail_at(
        env, PL_E_INPUT, k->j->scene->path, k->a->line, k->a->col, "native knows such patches",
        "%s: elements of the material are above each other: there is no sheet of it", k->a->name);
  PL_TRY(s);
  pl_mesh *mesh = k->sheet.mesh;
  for (int i = 0; i < mesh->nvert; i++) mesh->X[3 * i + 2] = k->sheet.z;
  return PL_OK;
}

static double area(const pl_mesh *m) {
  double sum = 0;
  for (int t = 0; t < m->cell[PL_TRI3].n; t++) {
    const int *v = m->cell[PL_TRI3].v + 3 * t;
    double e[3], f[3], n[3];
    pl_sub3(m->X + 3 * v[1], m->X + 3 * v[0], e);
    pl_sub3(m->X + 3 * v[2], m->X + 3 * v[0], f);
    pl_cross3(e, f, n);
    sum += pl_norm3(n) / 2;
  }
  return sum;
}

// ---- its model ----------------------------------------------------------------------------------

static const double SOFT = 2;     // Young's modulus over the mean stress of gravity and loads
static const double PLAIN = 1250; // Pa, where there are none

static double size_of(const macro *k) {
  double lo[3], hi[3], size = k->m->thickness;
  macro_extent(k->patch->p.n, k->patch->p.pose, lo, hi);
  for (int c = 0; c < 3; c++) size = fmax(size, hi[c] - lo[c]);
  return size;
}

// Soft beside what pulls at the patch, whatever its size and units.
static double soft(const macro *k) {
  const pl_patch *p = &k->patch->p;
  double force = k->patch->mass * pl_norm3(p->gravity);
  for (int i = 0; p->load && i < p->n; i++) force += pl_norm3(p->load[i]);
  return force > 0 ? SOFT * force / (k->m->thickness * size_of(k)) : PLAIN;
}

// the mass of the elements; limits in the axes of the material
static void add_body(macro *k, pl_builder *b, pl_mesh *placed) {
  const pl_macro_opts *o = &k->a->opts.macro_;
  const pl_scene_patch *p = k->patch;
  double density = p->mass / (area(placed) * k->m->thickness);
  k->young = o->young > 0 ? o->young : soft(k);
  pl_body_desc d = {.name = p->name,
                    .kind = PL_BODY_SHELL,
                    .mesh = placed,
                    .young = {.v = k->young},
                    .poisson = {.v = o->poisson},
                    .density = {.v = density},
                    .thickness = {.v = k->m->thickness},
                    .warp = {p->rot[0], p->rot[3], p->rot[6]}};
  int body = pl_build_body(b, &d);
  double weight = o->weight * k->young * k->m->thickness;
  if (body < 0) return;
  pl_build_strain_limit(b, body, k->strain, weight);
  if (k->bend) pl_build_bend_limit(b, body, k->bend, weight);
}

static pl_status add_supports(macro *k, pl_builder *b) {
  const pl_patch *p = &k->patch->p;
  int nvert = k->sheet.mesh->nvert, n = 0, nfree = 0;
  int *node = pl_alloc(k->j->env, 2 * (size_t)nvert, sizeof *node), *rest = node + nvert;
  if (!node) return PL_E_NOMEM;
  for (int i = 0; i < nvert; i++) {
    if (k->sheet.held[i])
      node[n++] = i;
    else
      rest[nfree++] = i;
  }
  if (n > 0) pl_build_fix(b, n, node, PL_HOLD_NODES);
  for (int i = 0; p->load && i < p->n; i++) {
    pl_load_desc d = {.name = "load", .nnode = 1, .node = &i};
    if (!(pl_norm3(p->load[i]) > 0)) continue;
    memcpy(d.term.amplitude, p->load[i], sizeof p->load[i]);
    pl_build_load(b, &d);
  }
  const pl_contact_desc *c = &k->j->scene->contact;
  for (int i = 0; i < c->nobstacle; i++)
    pl_build_obstacle(b, k->j->scene->obstacle_name[i], &c->obstacle[i]);
  // as elements in native, which know no friction
  if (c->nobstacle > 0) pl_build_contact(b, nfree, rest, k->m->thickness / 2, 0, NULL);
  memcpy(b->gravity, p->gravity, sizeof b->gravity);
  pl_free(k->j->env, node);
  return PL_OK;
}

// Half a turn of a sheet about its own thickness brings it back to itself: what is nearer along it
// does not meet.
static pl_status find_layers(macro *k, pl_mesh *placed) {
  const pl_cells *t = &placed->cell[PL_TRI3];
  pl_layers_desc d = {.nvert = placed->nvert, .ntri = t->n, .tri = t->v, .X = placed->X};
  d.thickness = k->m->thickness;
  pl_mesh_transform(placed, 2 / PL_PI, NULL, NULL);
  k->among.contact = k->built.constraints.contact;
  return pl_layers_create(k->j->env, &d, &k->among.layers);
}

static pl_status make_model(macro *k) {
  const pl_scene_patch *p = k->patch;
  pl_env *env = k->j->env;
  pl_builder *b;
  pl_mesh *placed;
  PL_TRY(pl_boundary_star(env, &k->m->membrane, &k->strain));
  if (k->m->bending.n > 0) PL_TRY(pl_boundary_star(env, &k->m->bending, &k->bend));
  PL_TRY(pl_mesh_copy(k->sheet.mesh, &placed));
  pl_mesh_transform(placed, 1, p->rot, p->at);
  pl_status s = pl_builder_create(env, 3, &b);
  if (s == PL_OK) {
    add_body(k, b, placed);
    s = add_supports(k, b);
    pl_status built = pl_build_all(b, pl_threads_size(k->j->work->threads), &k->built);
    if (s == PL_OK) s = built;
  }
  if (s == PL_OK) s = find_layers(k, placed);
  pl_mesh_free(placed);
  return s;
}

// ---- rest ---------------------------------------------------------------------------------------

// Where nothing touches the sheet, plain statics are as fast or faster; where they do not come to
// an end soon, the other way does more often.
static pl_status solve_with(macro *k, double rtol, int most) {
  const pl_built *b = &k->built;
  pl_static_opts so = {.steps = 1, .rtol = rtol, .min_step = 1e-12};
  so.max_iter = k->a->opts.macro_.max_iter;
  if (!k->repels) most = PATIENCE;
  if (so.max_iter > most) so.max_iter = most;
  pl_status s = k->repels
                    ? pl_repel_static(&so, k->weight, b->model, b->params, &k->among, b->state,
                                      b->work, &k->info)
                    : pl_static(&so, b->model, b->params, b->state, b->work, NULL, NULL, &k->info);
  k->iterations += k->info.iterations;
  return s;
}

// on the way balance need not be exact
static pl_status solve_roughly(void *ctx) {
  macro *k = ctx;
  pl_status s = solve_with(k, fmax(k->a->opts.macro_.rtol, 1e-1), INT_MAX);
  k->weight *= 0.1;
  return s;
}

static pl_status solve_once(macro *k) {
  const pl_macro_opts *o = &k->a->opts.macro_;
  double mass = k->patch->mass / area(k->sheet.mesh), *q = k->built.state->q;
  size_t nq = (size_t)k->built.state->nq;
  k->weight = 1e4 * o->weight * k->young * k->m->thickness / mass;
  PL_TRY(barrier_narrow(k->built.model, k->built.params, solve_roughly, k));
  double *before = pl_alloc(k->j->env, nq, sizeof *before);
  if (!before) return PL_E_NOMEM;
  memcpy(before, q, nq * sizeof *q);
  pl_status s = solve_with(k, o->rtol, SHARP);
  // where limits are met so sharply that steps have no room left, the weight before is the last one
  if (s == PL_UNSOLVED) {
    memcpy(q, before, nq * sizeof *q);
    barrier_scale(k->built.model, k->built.params, 10);
    k->weight *= 10;
    s = solve_with(k, o->rtol, INT_MAX);
    if (s == PL_UNSOLVED) barrier_scale(k->built.model, k->built.params, 0.1);
  }
  pl_free(k->j->env, before);
  return s;
}

// the sheet must not be in an obstacle to begin with
static pl_status check_start(const macro *k) {
  const pl_contact *c = k->among.contact;
  const pl_contact_pair *deep = NULL;
  char depth[48], half[48];
  if (!c) return PL_OK;
  pl_contact_place(k->among.contact, 0, k->built.state->q);
  for (int i = 0; i < c->npair; i++)
    if (!deep || c->pair[i].place.gap < deep->place.gap) deep = &c->pair[i];
  if (!deep || deep->place.gap > 0) return PL_OK;
  job_length_text(k->j, -deep->place.gap, depth);
  job_length_text(k->j, k->m->thickness / 2, half);
  return pl_fail_at(k->j->env, PL_E_INPUT, k->j->scene->path, k->a->line, k->a->col,
                    "move the patch away from it (at)",
                    "%s: the sheet is %s too near to obstacle '%s', from which it keeps half its "
                    "thickness (%s)",
                    k->a->name, depth, k->j->scene->obstacle_name[deep->obstacle], half);
}

static pl_status solve(macro *k) {
  double start = pl_wall_time();
  size_t size = (size_t)k->built.state->nq * sizeof(double);
  PL_TRY(check_start(k));
  k->repels = k->among.contact != NULL;
  pl_status s = solve_once(k);
  if (!k->repels && s >= 0 && s != PL_CANCELLED &&
      (s != PL_OK || pl_layers_least(k->among.layers, k->built.state->q) < 1)) {
    k->repels = 1;
    memcpy(k->built.state->q, k->built.params->X, size);
    s = solve_once(k);
  }
  k->seconds = pl_wall_time() - start;
  return s;
}

// ---- what is told -------------------------------------------------------------------------------

static void set_figures(const macro *k, json_t *f) {
  double lo[3], hi[3], size[3];
  macro_extent(k->patch->p.n, k->pose, lo, hi);
  pl_sub3(hi, lo, size);
  job_set(f, "patch", json_string(k->patch->name));
  job_set(f, "elements", json_integer(k->patch->p.n));
  job_set(f, "mass_kg", json_real(k->patch->mass));
  job_set(f, "young_Pa", json_real(k->young));
  job_set(f, "triangles", json_integer(k->sheet.mesh->cell[PL_TRI3].n));
  job_set(f, "height", json_real(size[2]));
  job_set(f, "extent", json_pack("[f, f, f]", size[0], size[1], size[2]));
  job_set(f, "lowest", json_real(lo[2]));
  job_set(f, "highest", json_real(hi[2]));
  job_set(f, "residual", json_real(k->info.residual));
  job_set(f, "iterations", json_integer(k->iterations));
  job_set(f, "seconds", json_real(k->seconds));
}

// how near the sheet is to obstacles and to itself
static void report_gaps(const macro *k, json_t *f) {
  const pl_contact *c = k->among.contact;
  double gap = INFINITY, least = pl_layers_least(k->among.layers, k->built.state->q);
  char text[48];
  for (int i = 0; c && i < c->npair; i++) gap = fmin(gap, c->pair[i].place.gap);
  if (c) job_set(f, "obstacle_gap", json_real(gap));
  if (isfinite(least)) job_set(f, "layer_distance", json_real(least * k->m->thickness));
  if (c) {
    job_contact_figures(k->j, c, f);
    job_contact_report(k->j, k->a, c);
    job_note(k->j, "%s: the least gap between sheet and obstacles is %s", k->a->name,
             job_length_text(k->j, gap, text));
  }
  if (least < 1.5)
    job_note(k->j, "%s: layers of the sheet are %.4f of its thickness apart or more", k->a->name,
             least);
}

static void report(const macro *k, pl_status solved) {
  job *j = k->j;
  double lo[3], hi[3];
  char high[48];
  macro_extent(k->patch->p.n, k->pose, lo, hi);
  job_length_text(j, hi[2] - lo[2], high);
  job_note(j, "%s: %d elements as a sheet of %d triangles, %s high, %d iterations", k->a->name,
           k->patch->p.n, k->sheet.mesh->cell[PL_TRI3].n, high, k->iterations);
  job_say(j,
          "%d elements of %s as a sheet of %d triangles, within its limits of strain%s; held where "
          "all elements around are, with the mass of the elements and the same loads.",
          k->patch->p.n, j->scene->mail[k->patch->mail].family, k->sheet.mesh->cell[PL_TRI3].n,
          k->bend ? " and of curvature" : "; it knows none of curvature");
  if (solved != PL_OK)
    job_alarm(j, "The iteration ended before the sheet came to rest: %s (residual %.2g).",
              pl_stop_text(k->info.reason), k->info.residual);
}

static const double MOVED = 0.05; // of the size, from which on it matters what holds a sheet

// A sheet that hangs is held by its limits; where none is reached it is held by what is only to
// keep slack parts in place.
static void warn_slack(const macro *k, const json_t *figures) {
  const double near = json_number_value(json_object_get(figures, "limit_near")) +
                      json_number_value(json_object_get(figures, "bend_near"));
  double high = 0;
  char young[48];
  for (int i = 0; i < k->patch->p.n; i++)
    for (int c = 0; c < 3; c++) high = fmax(high, fabs(k->pose[i].x[c] - k->patch->p.pose[i].x[c]));
  if (near > 0 || k->among.contact || high < MOVED * size_of(k)) return;
  snprintf(young, sizeof young, "e.g. young: %.1g Pa", k->young / 10);
  pl_report(k->j->env, PL_WARNING, k->j->scene->path, k->a->line, k->a->col, young,
            "%s: no triangle of the sheet reaches its limits: it is held by its elasticity "
            "(young, %.3g Pa), which is only to keep slack parts in place, not by its links",
            k->a->name, k->young);
}

static pl_status write_poses(const macro *k) {
  const elements e = {.n = k->patch->p.n, .pose = k->pose, .held = k->patch->p.held};
  return elements_poses(k->j, k->a->name, ".csv", &e, 0, NULL);
}

// the sheet itself, and how near to its limits it is
static pl_status write_sheet(const macro *k) {
  char path[PL_TEXT];
  const pl_model *m = k->built.model;
  pl_field field[2];
  double *value[2] = {NULL, NULL};
  int n = 0, ntri = k->sheet.mesh->cell[PL_TRI3].n;
  if (!k->j->output.vtu) return PL_OK;
  pl_status s = PL_OK;
  for (int g = 0; s == PL_OK && g < pl_model_ngroup(m); g++) {
    const pl_elem_kind *kind = pl_model_group_kind(m, g);
    if (!kind->eval_law || n == 2) continue;
    value[n] = pl_alloc(k->j->env, (size_t)ntri, sizeof **value);
    if (!value[n]) s = PL_E_NOMEM;
    if (s == PL_OK) pl_eval_field(m, k->built.params, k->built.state, g, 0, NULL, value[n]);
    field[n] = (pl_field){kind->field_info[0].name, 1, 1, value[n]};
    n++;
  }
  if (s == PL_OK)
    s = pl_mesh_write_vtu(k->sheet.mesh, k->built.state->q, n, field, NULL,
                          job_path(k->j, k->a->name, "-sheet.vtu", path));
  for (int i = 0; i < 2; i++) pl_free(k->j->env, value[i]);
  return s;
}

static pl_status report_all(macro *k, pl_status solved, json_t *figures) {
  const pl_patch *p = &k->patch->p;
  char caption[PL_TEXT];
  k->pose = pl_alloc(k->j->env, (size_t)p->n, sizeof *k->pose);
  if (!k->pose) return PL_E_NOMEM;
  PL_TRY(pl_patch_sheet_poses(k->j->env, &k->sheet, k->built.state->q, k->patch->cut, k->pose));
  set_figures(k, figures);
  report(k, solved);
  report_gaps(k, figures);
  PL_TRY(
      barrier_report(k->j, k->a->name, k->built.model, k->built.params, k->built.state, figures));
  if (solved == PL_OK) warn_slack(k, figures);
  PL_TRY(macro_beside(k, figures));
  PL_TRY(macro_joint(k, figures));
  PL_TRY(write_poses(k));
  PL_TRY(write_sheet(k));
  snprintf(caption, sizeof caption,
           "The sheet at rest, by its elements; those that are held are copper%s.",
           k->patch->nloaded ? ", those with loads red" : "");
  const elements e = {p->n, p->elem, k->pose, p->held, p->load, k->patch->name, caption};
  return elements_show(k->j, k->a->name, &e);
}

pl_status job_macro(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  macro k = {.j = j, .a = a, .patch = &j->scene->patch[a->patch]};
  pl_status s = find_material(&k);
  if (s == PL_OK) s = make_sheet(&k);
  if (s == PL_OK) s = make_model(&k);
  if (s == PL_OK) {
    s = solve(&k);
    pl_status reported = s >= 0 && s != PL_CANCELLED ? report_all(&k, s, figures) : PL_OK;
    if (reported != PL_OK) s = reported;
  }
  pl_built_free(&k.built);
  pl_layers_free(k.among.layers);
  pl_star_free(k.strain);
  pl_star_free(k.bend);
  pl_patch_sheet_free(j->env, &k.sheet);
  pl_sheet_material_free(j->env, &k.own);
  pl_free(j->env, k.pose);
  return s;
}
