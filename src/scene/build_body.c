#include "build_body.h"

#include "pliant/math.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS_MAX = 10000000 }; // along a side

// ---- meshes -----------------------------------------------------------------------------------

// file names are relative to the scene's folder
int scene_file(reader *r, const pl_node *at, const char *what, char *out, size_t size) {
  char buf[MESSAGE_QUOTE + 8], hint[PL_TEXT];
  if (r->limit.no_files) {
    problem(r, at, NULL, "%s: files cannot be opened here", what);
    return 0;
  }
  int here = at->text[0] == '/' || strcmp(r->folder, ".") == 0;
  int n = snprintf(out, size, "%s%s%s", here ? "" : r->folder, here ? "" : "/", at->text);
  if (n < 0 || n >= (int)size || access(out, R_OK) != 0) {
    snprintf(hint, sizeof hint, "file names are relative to the scene's folder, '%.200s'",
             r->folder);
    problem(r, at, hint, "%s: cannot open the file '%s'", what, quote(at->text, buf, sizeof buf));
    return 0;
  }
  char real[PATH_MAX];
  if (r->limit.root && (!path_within(r->limit.root, out, real) || strlen(real) >= size)) {
    problem(r, at, "put a copy of it there",
            "%s: the file '%s' is not within '%.200s', beyond "
            "which nothing is read",
            what, quote(at->text, buf, sizeof buf), r->limit.root);
    return 0;
  }
  // what was looked at is what will be opened
  if (r->limit.root) snprintf(out, size, "%s", real);
  int k = 0;
  while (k < r->nopened && strcmp(r->opened[k], out) != 0) k++;
  if (k < r->nopened || k == OPENED_MAX) return 1;
  r->opened[k] = scene_strdup(r, out, strlen(out));
  r->nopened += r->opened[k] != NULL;
  return 1;
}

int worked(reader *r, pl_status s) {
  if (s == PL_E_NOMEM) r->failed = s;
  return s == PL_OK;
}

// The least that a node takes while a model is built and solved, bytes; most take twice as much.
static const double NODE_BYTES = 2000;

int check_count(reader *r, const pl_node *at, double nvert) {
  double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  double need = (nvert + r->b->nnode) * NODE_BYTES;
  if (need > have && nvert + r->b->nnode <= r->limit.nodes) {
    problem(r, at, "use fewer cells, or a machine with more memory",
            "the mesh would have %.3g nodes, which take at least %.3g GB; this machine has %.3g",
            nvert, 1e-9 * need, 1e-9 * have);
    return 0;
  }
  if (nvert + r->b->nnode <= r->limit.nodes) return 1;
  problem(r, at, "use fewer cells", "the mesh would have %.3g nodes, more than the limit of %d",
          nvert, r->limit.nodes);
  return 0;
}

int read_length_unit(reader *r, const txt *text, const char *what, double *factor) {
  unit u;
  if (!unit_parse(text->s, strlen(text->s), &u) || u.dim.e[1] != 1 || u.dim.e[0] || u.dim.e[2] ||
      u.dim.e[3]) {
    problem(r, text->at, "e.g. mm", "%s must be a unit of length, got '%.60s'", what, text->s);
    return 0;
  }
  *factor = u.factor;
  return 1;
}

// in metres, not yet placed; *out is freed by the caller even when this fails
static int read_mesh_file(reader *r, const geometry_def *g, pl_mesh **out) {
  char path[4096];
  double factor = r->scale.base[1];
  if (g->mesh_units.at && !read_length_unit(r, &g->mesh_units, "mesh_units", &factor)) return 0;
  if (!scene_file(r, g->mesh, "mesh", path, sizeof path)) return 0;
  if (!worked(r, pl_mesh_read_most(r->env, path, r->limit.nodes, out))) return 0;
  if (factor != 1) pl_mesh_transform(*out, factor, NULL, NULL);
  return check_count(r, g->mesh, (*out)->nvert);
}

// n lengths > 0
static int read_size(reader *r, const pl_node *at, int n, double *l) {
  vec v;
  if (!read_vec(r, at, "size", "m", n, n, &v)) return 0;
  for (int k = 0; k < n; k++) {
    if (v.v[k].par >= 0) {
      problem(r, v.v[k].at, NULL, "size cannot depend on a parameter");
      return 0;
    }
    if (!(v.v[k].v > 0)) {
      problem(r, v.v[k].at, NULL, "size must be > 0, got '%.60s'", v.v[k].at->text);
      return 0;
    }
    l[k] = v.v[k].v;
  }
  return 1;
}

static int read_cells(reader *r, const pl_node *at, int n, int *cells) {
  int k = 0, ok = 1;
  if (at->kind != NODE_LIST || at->n != n) {
    problem(r, at, NULL, "cells needs %d whole numbers", n);
    return 0;
  }
  for (const pl_node *d = at->first; d; d = d->next)
    ok &= read_int(r, d, "cells", 1, CELLS_MAX, &cells[k++]);
  return ok;
}

// hinges bend rightly on equilateral triangles: rows 0.866 of a side apart
static void check_equilateral(reader *r, const grid_def *d, const int n[2], const double l[2]) {
  double ratio = l[1] / n[1] / (l[0] / n[0]), off;
  if (fabs(ratio / 0.8660254 - 1) < 0.05) return;
  char hint[PL_TEXT];
  double rows = fmax(1, rint(l[1] / (0.8660254 * l[0] / n[0]))) - 1, cells;
  // coarse grids cannot come near: more rows, until they do
  do {
    rows++;
    cells = fmax(1, rint(l[0] * 0.8660254 * rows / l[1]));
    off = fabs(l[1] * cells / (l[0] * rows) / 0.8660254 - 1);
  } while (off >= 0.05 && rows < CELLS_MAX);
  int fits = off < 0.05 && rows <= CELLS_MAX && cells <= CELLS_MAX;
  snprintf(hint, sizeof hint, "write cells: [%.0f, %.0f]", cells, rows);
  warning(r, d->cells, fits ? hint : "make the rectangle less narrow",
          "these cells make triangles %.2f times as high as equilateral ones; hinges then bend too "
          "stiffly or too softly",
          ratio / 0.8660254);
}

static int make_grid(reader *r, const geometry_def *g, const grid_def *d, pl_mesh **out) {
  int n[3];
  double l[3], per = d->pattern.v == PL_CROSSED ? 2 : 1;
  if (!read_size(r, d->size_at, 2, l) || !read_cells(r, d->cells, 2, n)) return 0;
  if (r->b->dim == 3 && g->bending.v == BENDING_HINGE && d->pattern.v == PL_EQUILATERAL)
    check_equilateral(r, d, n, l);
  return check_count(r, g->mesh, (n[0] + 2.0) * (n[1] + 1.0) * per) &&
         worked(r, pl_gen_grid(r->env, n[0], n[1], l[0], l[1], (pl_pattern)d->pattern.v, out));
}

// the generator must make cells of the body's type
static int generator_fits(reader *r, const geometry_def *g, const mesh_def *m, int type) {
  int lines = (m->line != NULL) + (m->points != NULL) + (m->arc != NULL) + (m->helix != NULL);
  int solid = (m->box != NULL) + (m->voxels != NULL) + (m->sphere != NULL) + (m->cylinder != NULL);
  int makes = lines ? PL_SEG2 : solid ? PL_TET4 : PL_TRI3;
  int given = m->given.at != NULL;
  if ((m->grid != NULL) + (m->disk != NULL) + solid + lines + given != 1) {
    problem(
        r, g->mesh,
        "known: grid disk box voxels sphere cylinder, for rods line points arc helix, and given",
        "mesh must be a file or exactly one generator");
    return 0;
  }
  if (given) return 1; // cells are looked for as in a file
  if (makes == type) return 1;
  problem(r, g->mesh, NULL, "%s",
          type == PL_SEG2   ? "a rod needs a line, points, an arc or a helix"
          : type == PL_TET4 ? "a solid needs a box, a sphere, a cylinder or voxels"
          : m->box          ? "a box makes a solid, not a surface"
          : m->voxels       ? "voxels make a solid, not a surface"
          : solid           ? "spheres and cylinders make a solid, not a surface"
                            : "this makes a rod, not a surface");
  return 0;
}

// closed surfaces made on the spot, filled
static int make_round(reader *r, const geometry_def *g, const mesh_def *m, pl_mesh **out) {
  const ball_def *d = m->sphere ? m->sphere : m->cylinder;
  double faces = m->sphere ? 20 * pow(4, d->level.v - 1) : 4.0 * d->sides.v;
  pl_mesh *skin = NULL;
  if (!check_count(r, g->mesh, faces / 2 + 3)) return 0;
  int ok =
      worked(r, m->sphere ? pl_gen_icosphere(r->env, d->level.v, &skin)
                          : pl_gen_cylinder(r->env, d->sides.v, d->radius.v, d->length.v, &skin));
  if (ok && m->sphere) pl_mesh_transform(skin, d->radius.v, NULL, NULL);
  ok = ok && worked(r, pl_mesh_cone(skin, out));
  pl_mesh_free(skin);
  return ok;
}

static int make_mesh(reader *r, body_slot *b, const geometry_def *g, int type) {
  mesh_def m = {0};
  double l[3];
  int n[3];
  pl_mesh **out = &b->mesh;
  if (!read_map(r, g->mesh, &map_mesh, &m) || !generator_fits(r, g, &m, type)) return 0;
  if (m.given.at) return take_given(r, g, &m.given, out);
  if (type == PL_SEG2) return make_curve(r, b, g, &m);
  if (m.grid) return make_grid(r, g, m.grid, out);
  if (m.voxels) return make_voxels(r, b, g, m.voxels);
  if (m.sphere || m.cylinder) return make_round(r, g, &m, out);
  if (m.disk)
    return check_count(r, g->mesh, 3.0 * m.disk->rings.v * (m.disk->rings.v + 1.0) + 1) &&
           worked(r, pl_gen_disk(r->env, m.disk->rings.v, m.disk->radius.v, out));
  return read_size(r, m.box->size_at, 3, l) && read_cells(r, m.box->cells, 3, n) &&
         check_count(r, g->mesh, (n[0] + 1.0) * (n[1] + 1.0) * (n[2] + 1.0)) &&
         worked(r, m.box->cell.v ? pl_gen_tet_box(r->env, n, l, out)
                                 : pl_gen_hex_box(r->env, n, l, out));
}

// Rubber beside other laws, whose membranes only triangles of first order have apart.
static int first_order(reader *r, const geometry_def *g) {
  const region_def *d = g->regions.item;
  const material_def *m = r->def.materials.item;
  int rubber = 0, other = 0;
  for (int k = -1; k < g->regions.n; k++) {
    const char *name = k < 0 ? g->material.s : d[k].material.s;
    for (int i = 0; i < r->def.materials.n; i++) {
      if (strcmp(m[i].name.s, name) != 0) continue;
      int is = m[i].law.v > LAW_NEO_HOOKEAN && m[i].law.v != LAW_ORTHOTROPIC;
      rubber |= is;
      other |= !is;
    }
  }
  return rubber && other;
}

int has_limits(const geometry_def *g) {
  const region_def *d = g->regions.item;
  int any = g->limit || g->interlocking.at;
  for (int k = 0; k < g->regions.n; k++) any |= d[k].limit != NULL;
  return any;
}

pl_bending shell_bending(reader *r, const geometry_def *g) {
  static const pl_bending all[] = {[BENDING_AUTO] = PL_BENDING_SHELL6,
                                   [BENDING_HINGE] = PL_BENDING_HINGE,
                                   [BENDING_MIDEDGE] = PL_BENDING_MIDEDGE,
                                   [BENDING_SHELL6] = PL_BENDING_SHELL6,
                                   [BENDING_NONE] = PL_BENDING_NONE};
  // limits are for triangles of first order, whose own bending matters little
  if (g->bending.v == BENDING_AUTO && has_limits(g)) return PL_BENDING_HINGE;
  if (g->bending.v == BENDING_AUTO && first_order(r, g)) return PL_BENDING_MIDEDGE;
  return all[g->bending.v];
}

// cells that a body of a dimension is made of
static int makes_body(int type, int dim) {
  return dim == 3   ? pl_cell_dim[type] == 3
         : dim == 2 ? type == PL_TRI3 || type == PL_TRI6
                    : type == PL_SEG2;
}

// only the cells that make the body, and all sets as sets of vertices and of these cells
static int strip(reader *r, pl_mesh **mesh, int dim) {
  pl_mesh *m = *mesh, *out = NULL;
  int ok = worked(r, pl_mesh_create(r->env, m->source, m->nvert, &out));
  if (ok) memcpy(out->X, m->X, 3 * (size_t)m->nvert * sizeof *m->X);
  for (int t = 0; ok && t < PL_CELL_COUNT; t++) {
    if (!makes_body(t, dim)) continue;
    ok = worked(r, pl_mesh_set_cells(out, t, m->cell[t].n));
    if (ok && m->cell[t].n > 0)
      memcpy(out->cell[t].v, m->cell[t].v,
             (size_t)m->cell[t].n * (size_t)pl_cell_nvert[t] * sizeof(int));
  }
  for (int k = 0; ok && k < m->nset; k++) {
    int n, *index = NULL;
    ok = worked(r, pl_mesh_set_vertices(m, m->set[k].name, &n, &index));
    if (ok && n > 0) ok = worked(r, pl_mesh_add_set(out, m->set[k].name, -1, n, index));
    pl_free(r->env, index);
    // regions are made of cells
    const pl_set *set = &m->set[k];
    if (ok && set->type >= 0 && makes_body(set->type, dim))
      ok = worked(r, pl_mesh_add_set(out, set->name, set->type, set->n, set->index));
  }
  if (!ok) {
    pl_mesh_free(out);
    return 0;
  }
  pl_mesh_free(m);
  *mesh = out;
  return 1;
}

static int place_mesh(reader *r, body_slot *b, const geometry_def *g) {
  pl_mesh *m = b->mesh;
  double R[9], t[3] = {0}, axis[3] = {0, 0, 1};
  if (g->rotate) {
    for (int c = 0; g->rotate->axis.at && c < 3; c++) axis[c] = g->rotate->axis.v[c].v;
    if (!(pl_norm3(axis) > 0)) {
      problem(r, g->rotate->axis.at, NULL, "axis must not be zero");
      return 0;
    }
    pl_rotation3(axis, g->rotate->angle.v, R);
  }
  for (int c = 0; c < g->translate.n; c++) t[c] = g->translate.v[c].v;
  pl_mesh_transform(m, g->scale.v, g->rotate ? R : NULL, t);
  if (b->rod) place_curve(b->rod, g->scale.v, g->rotate ? R : NULL);
  if (pl_all_finite(3 * m->nvert, m->X)) return 1;
  problem(r, g->mesh, NULL, "the mesh has places that are not finite");
  return 0;
}

// done: how often it was refined before
static int refine_mesh(reader *r, const geometry_def *g, int type, int done, pl_mesh **m) {
  double times = type == PL_SEG2 ? 2 : type == PL_TRI3 ? 4 : 8;
  for (int k = done; k < g->refine.v; k++) {
    pl_mesh *fine;
    if (!check_count(r, g->refine.at, (*m)->nvert * times)) return 0;
    if (!worked(r, pl_mesh_refine(*m, &fine))) return 0;
    pl_mesh_free(*m);
    *m = fine;
  }
  return 1;
}

// a sheet of dimension 2 lies in z = 0
static int check_flat(reader *r, const geometry_def *g, pl_mesh *m) {
  double lo[3], hi[3];
  pl_mesh_bounds(m, lo, hi);
  double size = fmax(hi[0] - lo[0], hi[1] - lo[1]);
  if (fmax(fabs(lo[2]), fabs(hi[2])) > 1e-6 * size) {
    problem(r, g->mesh, "turn it into the xy plane by 'rotate'",
            "plane: the mesh does not lie in z = 0");
    return 0;
  }
  for (int i = 0; i < m->nvert; i++) m->X[3 * i + 2] = 0;
  return 1;
}

static void replace_mesh(pl_mesh **m, pl_mesh *with) {
  pl_mesh_free(*m);
  *m = with;
}

// Nodes on the edges of solids as the scene wants them, while faces still tell which edges are
// theirs; lines and faces of order 2 are cut at such nodes.
static int order_cells(reader *r, const geometry_def *g, int solid, pl_mesh **m) {
  const pl_cells *c = (*m)->cell;
  pl_mesh *out = NULL;
  int second = 0;
  for (int t = PL_SEG3; t < PL_CELL_COUNT; t++) second += c[t].n > 0;
  if (!solid || g->order.v == 1) {
    if (second && !worked(r, pl_mesh_lower(*m, solid, &out))) return 0;
    if (second) replace_mesh(m, out);
    return 1;
  }
  int tets = c[PL_TET4].n > 0, hexes = c[PL_HEX8].n > 0 && g->order.v == 2;
  if (!tets && !hexes) return 1;
  double edges = 7.0 / 6 * c[PL_TET4].n + (hexes ? 3.0 * c[PL_HEX8].n : 0);
  if (!check_count(r, g->mesh, (*m)->nvert + edges)) return 0;
  if (!worked(r, pl_mesh_raise(*m, tets, hexes, &out))) return 0;
  replace_mesh(m, out);
  return 1;
}

// Shells of second order: from a mesh that is so, with curved edges; or from one of first order
// after it was refined, when the middles of edges are added. *refined: faces were cut in four.
static int raise_faces(reader *r, const geometry_def *g, pl_mesh **m, int *refined) {
  const pl_cells *c = (*m)->cell;
  pl_mesh *out = NULL;
  *refined = 0;
  if (c[PL_TRI6].n + c[PL_QUAD8].n == 0) return 1;
  if (g->refine.v > 0) {
    *refined = 1;
    return order_cells(r, g, 0, m);
  }
  if (!worked(r, pl_mesh_raise_surface(*m, &out))) return 0;
  replace_mesh(m, out);
  return 1;
}

static const double CREASE = 35 * PL_PI / 180; // folds that are meant

static int raise_shell(reader *r, const geometry_def *g, pl_mesh **m) {
  pl_mesh *out = NULL;
  if ((*m)->cell[PL_TRI3].n == 0) return 1;
  if (!check_count(r, g->mesh, (*m)->nvert + 1.5 * (*m)->cell[PL_TRI3].n)) return 0;
  if (!worked(r, pl_mesh_raise(*m, 1, 0, &out))) return 0;
  replace_mesh(m, out);
  return !g->curved.v || worked(r, pl_mesh_round(*m, CREASE));
}

// Triangles of a shell in four, at vertices on the surface that the shell has in the end: what it
// comes to is that surface, not the triangles of the file.
static int refine_shell(reader *r, const geometry_def *g, int done, pl_mesh **m) {
  if (!g->curved.v) return refine_mesh(r, g, PL_TRI3, done, m);
  for (int k = done; k < g->refine.v; k++) {
    pl_mesh *fine;
    if (!check_count(r, g->refine.at, (*m)->nvert * 4.0)) return 0;
    if (!raise_shell(r, g, m) || !worked(r, pl_mesh_lower(*m, 0, &fine))) return 0;
    replace_mesh(m, fine);
  }
  return 1;
}

static int count_cells(const pl_mesh *m, int dim) {
  int n = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) n += makes_body(t, dim) ? m->cell[t].n : 0;
  return n;
}

// Files of solids hold some faces, those with names: a shell of them is seldom what is meant,
// unless a solid of the scene takes the rest.
static void warn_solids(reader *r, const body_slot *b, const geometry_def *g) {
  const body_def *d = r->def.bodies.item;
  int solids = count_cells(b->mesh, 3), faces = count_cells(b->mesh, 2);
  if (g->mesh->kind != NODE_SCALAR || solids == 0 || faces == 0) return;
  for (int k = 0; k < r->def.bodies.n; k++) {
    const pl_node *at = d[k].solid ? d[k].solid->mesh : NULL;
    if (at && at->kind == NODE_SCALAR && strcmp(at->text, g->mesh->text) == 0) return;
  }
  warning(r, g->mesh, "a 'solid' is made of tetrahedra and hexahedra",
          "%s '%s' takes the %d %s of the mesh and leaves out %d %s", b->kind, b->def->name.s,
          faces, pl_plural(faces, "face", "faces"), solids, pl_plural(solids, "solid", "solids"));
}

// a closed surface becomes a solid
static int fill_skin(reader *r, const geometry_def *g, pl_mesh **m) {
  pl_mesh *out = NULL;
  if (g->merge.at && !worked(r, pl_mesh_weld(*m, g->merge.v, NULL))) return 0;
  if (!worked(r, pl_mesh_cone(*m, &out))) return 0;
  replace_mesh(m, out);
  return 1;
}

static int load_geometry(reader *r, body_slot *b, const geometry_def *g) {
  int solid = b->def->solid != NULL, rod = b->def->rod != NULL, dim = solid ? 3 : rod ? 1 : 2;
  int first = solid ? PL_TET4 : rod ? PL_SEG2 : PL_TRI3, refined = 0;
  int second = b->def->shell && shell_bending(r, g) == PL_BENDING_SHELL6;
  if (!g->mesh) return 0;
  if (rod && !(b->rod = scene_alloc(r, 1, sizeof *b->rod))) return 0;
  int ok =
      g->mesh->kind == NODE_SCALAR ? read_mesh_file(r, g, &b->mesh) : make_mesh(r, b, g, first);
  if (ok && (b->def->shell || b->def->plane)) warn_solids(r, b, g);
  if (ok) ok = second ? raise_faces(r, g, &b->mesh, &refined) : order_cells(r, g, solid, &b->mesh);
  int skin = b->def->rigid && ok && count_cells(b->mesh, 3) == 0;
  if (ok && (skin || first == PL_TRI3) && b->mesh->cell[PL_QUAD4].n > 0)
    ok = worked(r, pl_mesh_split_quads(b->mesh));
  if (ok && skin && b->mesh->cell[PL_TRI3].n > 0) ok = fill_skin(r, g, &b->mesh);
  if (ok) ok = strip(r, &b->mesh, dim);
  if (!ok) return 0;
  if (count_cells(b->mesh, dim) == 0) {
    problem(
        r, g->mesh,
        solid
            ? "a closed surface is filled by mesh: {voxels: {file: ...}} or by gmsh -3; else use a "
              "shell"
        : rod ? "lines of an OBJ file are written 'l 1 2 3'"
              : "save the surface, or use a solid for cells and a rod for lines",
        "%s '%s': the mesh has no %s", b->kind, b->def->name.s,
        solid ? "tetrahedra or hexahedra"
        : rod ? "lines"
              : "triangles");
    return 0;
  }
  ok = stretch_groups(r, b, g) && morph_mesh(r, b, g);
  if (ok && g->merge.at) ok = worked(r, pl_mesh_weld(b->mesh, g->merge.v, NULL));
  ok = ok && worked(r, pl_mesh_check(b->mesh)) && worked(r, pl_mesh_drop_unused(b->mesh, NULL));
  ok = ok && check_pieces(r, b, g->mesh);
  ok = ok && (!rod || check_curve(r, b, g));
  ok = ok && (second ? refine_shell(r, g, refined, &b->mesh)
                     : refine_mesh(r, g, first, refined, &b->mesh));
  ok = ok && place_mesh(r, b, g);
  ok = ok && (!second || raise_shell(r, g, &b->mesh));
  return ok && (!b->def->plane || check_flat(r, g, b->mesh));
}

static int load_chain(reader *r, body_slot *b, const chain_def *c) {
  double from[3] = {0}, to[3] = {0};
  if (!c->from.at || !c->to.at || !check_count(r, b->at, c->segments.v + 1.0)) return 0;
  for (int k = 0; k < r->b->dim; k++) {
    from[k] = c->from.v[k].v;
    to[k] = c->to.v[k].v;
  }
  if (memcmp(from, to, sizeof from) == 0) {
    problem(r, c->to.at, NULL, "chain '%s' has no length", b->def->name.s);
    return 0;
  }
  return worked(r, pl_gen_chain(r->env, c->segments.v, from, to, &b->mesh));
}

// ---- nodes ------------------------------------------------------------------------------------

static int body_nodes(reader *r, body_slot *b) {
  b->n = b->mesh->nvert;
  b->node = scene_alloc(r, (size_t)b->n + 1, sizeof *b->node);
  if (!b->node) return 0;
  if (pl_build_mesh_nodes(r->b, b->mesh, r->def.weld.at ? r->def.weld.v : -1, b->node)) return 1;
  if (r->b->failed)
    r->failed = r->b->failed;
  else
    problem(r, b->at, NULL, "too many nodes");
  return 0;
}

static int dimension_fits(reader *r, const body_slot *b) {
  int want = strcmp(b->kind, "plane") == 0 ? 2 : strcmp(b->kind, "chain") == 0 ? r->b->dim : 3;
  if (r->b->dim == want && r->b->dim > 1) return 1;
  problem(r, b->at, r->b->dim == 2 ? "a flat sheet is a 'plane'" : NULL,
          "body '%s': a %s needs dimension %d, the scene has %d", b->def->name.s, b->kind,
          want > 1 ? want : 2, r->b->dim);
  return 0;
}

static const geometry_def *body_geometry(const body_def *d) {
  return d->shell ? d->shell : d->plane ? d->plane : d->solid ? d->solid : d->rod;
}

static void load_body(reader *r, body_slot *b, const pl_node *at) {
  const body_def *d = b->def;
  const geometry_def *g = body_geometry(d);
  int count = (d->shell != NULL) + (d->plane != NULL) + (d->solid != NULL) + (d->chain != NULL) +
              (d->rod != NULL);
  b->at = at;
  b->bad = 1;
  b->kind = d->shell   ? "shell"
            : d->plane ? "plane"
            : d->rigid ? "rigid"
            : d->solid ? "solid"
            : d->rod   ? "rod"
                       : "chain";
  if (count != 1) {
    problem(r, at, "known: shell plane solid rigid chain rod",
            "body '%s' must be exactly one kind of body", d->name.s);
    return;
  }
  if (!dimension_fits(r, b)) return;
  if (!(g ? load_geometry(r, b, g) : load_chain(r, b, d->chain))) return;
  b->bad = !body_nodes(r, b);
  if (b->rod && !b->bad) move_curve(r, b);
}

void build_bodies(reader *r) {
  const items *list = &r->def.bodies;
  if (list->n == 0) return;
  r->body = scene_alloc(r, (size_t)list->n, sizeof *r->body);
  if (!r->body) return;
  const pl_node *at = items_first(list);
  for (int k = 0; k < list->n && !r->failed; k++, at = at->next) {
    body_slot *b = &r->body[r->nbody++];
    body_def *d = (body_def *)list->item + k;
    b->number = -1;
    b->def = d;
    if (d->rigid && d->solid)
      problem(r, at, "leave one of them out", "body '%s' cannot be both solid and rigid",
              d->name.s);
    if (d->rigid) d->solid = rigid_solid(d->rigid);
    if (b->def->name.at) name_add(r, &r->names, b->def->name.s, NAME_BODY, k, b->def->name.at);
    load_body(r, b, at);
  }
}

// ---- elements ---------------------------------------------------------------------------------

const material_def *find_material(reader *r, const txt *name) {
  const material_def *m = r->def.materials.item;
  const char *names[64];
  char hint[PL_TEXT];
  int n = 0;
  for (int k = 0; k < r->def.materials.n; k++) {
    if (strcmp(m[k].name.s, name->s) == 0) return &m[k];
    if (n < COUNT(names)) names[n++] = m[k].name.s;
  }
  pl_name_hint(name->s, n, names, hint, sizeof hint);
  problem(r, name->at, hint, "there is no material '%.60s'", name->s);
  return NULL;
}

pl_value body_value(reader *r, const body_slot *b, const num *value, const char *key,
                    const char *path, int n) {
  char what[160];
  int first;
  if (!value->each) return value_of(value);
  snprintf(what, sizeof what, "%.120s.%s", b->def->name.s, key);
  double *each = scene_alloc(r, (size_t)n + 1, sizeof *each);
  if (!each || !each_open(r, value, what, path, n, &first)) return value_of(value);
  const param_def *p = r->def.parameters.item;
  for (int k = 0; k < n; k++) each[k] = p[first + k].v;
  return (pl_value){.v = value->v, .par = first + 1, .coef = 1, .each = each};
}

void add_body(reader *r, body_slot *b, pl_body_desc *d) {
  d->name = b->def->name.s;
  d->mesh = b->mesh;
  d->node = b->node;
  d->origin = b->at;
  b->number = pl_build_body(r->b, d);
  if (r->b->failed) r->failed = r->b->failed;
}

// Poisson's ratio from which on tetrahedra get one pressure each: on a coarse bracket plain ones
// are 4 % too stiff in frequency at 0.49 and 7 % at 0.499, with one pressure 2.5 % too soft
static const double POISSON_MEAN = 0.495;

static pl_solid_form choose_form(reader *r, const body_slot *b, const geometry_def *g, double nu) {
  enum { AUTO, PLAIN, MEAN, ENHANCED };
  const pl_cells *c = b->mesh->cell;
  int nearly = nu >= POISSON_MEAN;
  switch (g->form.v) {
  case AUTO:
    // mixed meshes: either helps where the other is not for the cells
    return c[PL_HEX8].n > 0 && !(nearly && c[PL_TET10].n > 0) ? PL_SOLID_ENHANCED
           : nearly                                           ? PL_SOLID_MEAN
                                                              : PL_SOLID_PLAIN;
  case MEAN:
    if (c[PL_TET10].n == 0)
      problem(r, g->form.at, "left out, the right one is chosen",
              "solid '%s': formulation mean is for tetrahedra of order 2, and there are none",
              b->def->name.s);
    return PL_SOLID_MEAN;
  case ENHANCED:
    if (c[PL_HEX8].n == 0)
      problem(r, g->form.at, "left out, the right one is chosen",
              "solid '%s': formulation enhanced is for hexahedra of order 1, and there are none",
              b->def->name.s);
    return PL_SOLID_ENHANCED;
  default:
    return PL_SOLID_PLAIN;
  }
}

// cells that are too stiff, and what helps
static void check_locking(reader *r, const body_slot *b, const geometry_def *g, double nu,
                          pl_solid_form form) {
  const pl_cells *c = b->mesh->cell;
  if (c[PL_TET4].n > 0)
    warning(r, g->order.at ? g->order.at : b->at, "use order: 2, or leave it out",
            "solid '%s': tetrahedra of order 1 are too stiff, in bending often by half and more%s",
            b->def->name.s, nu > 0.45 ? ", and worse at this Poisson's ratio" : "");
  if (c[PL_HEX8].n > 0 && form != PL_SOLID_ENHANCED && nu > 0.45)
    warning(r, g->form.at ? g->form.at : b->at, "use formulation: enhanced",
            "solid '%s': at Poisson's ratio %g plain hexahedra of order 1 are too stiff",
            b->def->name.s, nu);
  if (c[PL_TET10].n > 0 && form != PL_SOLID_MEAN && nu >= POISSON_MEAN)
    warning(r, g->form.at ? g->form.at : b->at, "use formulation: mean",
            "solid '%s': at Poisson's ratio %g plain tetrahedra are too stiff", b->def->name.s, nu);
  if (c[PL_HEX20].n > 0 && nu >= POISSON_MEAN)
    warning(r, b->at, "use order: 1, whose hexahedra are enhanced",
            "solid '%s': at Poisson's ratio %g hexahedra of order 2 are too stiff", b->def->name.s,
            nu);
}

// the part of a body that no region takes, with values for each of its cells
static void put_own_part(reader *r, const body_slot *b, const geometry_def *g,
                         const material_def *m, pl_body_desc *d) {
  char path[3][256];
  int n = count_cells(b->mesh, b->def->solid ? 3 : 2);
  pl_part own;
  if (!read_part(r, b, g, NULL, m, &own)) return;
  d->law = own.law;
  d->poisson = own.poisson;
  d->growth = own.growth;
  d->curl = own.curl;
  d->hyper = own.hyper;
  d->ortho = own.ortho;
  snprintf(path[0], sizeof path[0], "materials.%.100s.young.each.value", m->name.s);
  snprintf(path[1], sizeof path[1], "materials.%.100s.density.each.value", m->name.s);
  snprintf(path[2], sizeof path[2], "bodies.%.100s.%s.thickness.each.value", b->def->name.s,
           b->kind);
  d->young = body_value(r, b, &m->young, "young", path[0], n);
  d->density = body_value(r, b, &m->density, "density", path[1], n);
  if (g->thickness.at) d->thickness = body_value(r, b, &g->thickness, "thickness", path[2], n);
}

// shells of second order know no limits, and one law of rubber or others
static void check_bending(reader *r, const body_slot *b, const geometry_def *g,
                          pl_bending bending) {
  if (!b->def->shell || bending != PL_BENDING_SHELL6) return;
  if (has_limits(g))
    problem(r, g->bending.at, "leave bending out: hinges are taken",
            "shell '%.60s': limits of stretch need triangles of first order, not bending: shell6",
            b->def->name.s);
  else if (first_order(r, g))
    problem(r, g->bending.at, "leave bending out, or use midedge",
            "shell '%.60s': rubber beside other materials needs triangles of first order, not "
            "bending: shell6",
            b->def->name.s);
}

// One kind bends all of a shell, either by orthotropic moduli or by those of rubber at rest.
static void check_mixture(reader *r, const body_slot *b, const geometry_def *g,
                          const pl_body_desc *d) {
  int ortho = 0, rubber = 0, follows = 0;
  for (int k = !g->material.at; k <= d->npart; k++) {
    pl_law law = k ? d->part[k - 1].law : d->law;
    ortho |= law == PL_LAW_ORTHOTROPIC;
    rubber |= law == PL_LAW_POLYNOMIAL || law == PL_LAW_OGDEN;
    follows |= law == PL_LAW_STVK && (k ? d->part[k - 1].poisson.par : d->poisson.par) > 0;
  }
  if (!b->def->shell || d->bending == PL_BENDING_NONE || !ortho) return;
  // the shear modulus of orthotropic bending does not follow it
  if (follows)
    problem(r, b->at, "two bodies joined at their edges, or poisson as a number",
            "shell '%.60s': poisson of an isotropic region beside orthotropic ones cannot be a "
            "parameter",
            b->def->name.s);
  if (rubber)
    problem(r, b->at, "two bodies joined at their edges, or bending: none",
            "shell '%.60s': regions of rubber and orthotropic ones do not bend in one body",
            b->def->name.s);
}

static void add_geometry(reader *r, body_slot *b, const geometry_def *g) {
  if (g->interlocking.at) {
    build_mail_sheet(r, b, g);
    return;
  }
  static const pl_variant variant[] = {PL_VARIANT_SIN, PL_VARIANT_TAN, PL_VARIANT_THETA};
  pl_body_desc d = {.kind = b->def->shell   ? PL_BODY_SHELL
                            : b->def->plane ? PL_BODY_PLANE
                                            : PL_BODY_SOLID,
                    .bending = shell_bending(r, g),
                    .variant = variant[g->variant.v]};
  d.consistent = b->def->shell && !g->mass.at ? d.bending == PL_BENDING_SHELL6 : g->mass.v != 0;
  int before = r->nproblem;
  if (!read_regions(r, b, g, &d)) return;
  if (b->def->shell && (!g->material.at || !g->thickness.at) && !regions_have_all(b, g, &d))
    problem(r, node_get(b->at, "shell"), NULL, "shell needs the key '%s'",
            g->material.at ? "thickness" : "material");
  const material_def *m = g->material.at ? find_material(r, &g->material) : NULL;
  if (g->material.at && !m) return;
  if (m) put_own_part(r, b, g, m, &d);
  read_profile(r, b, g, m, &d);
  if (b->def->shell) read_warp(r, g, d.warp);
  check_bending(r, b, g, d.bending);
  check_mixture(r, b, g, &d);
  double nu = m ? part_poisson(&d, 0) : 0;
  for (int k = 1; k <= d.npart; k++) nu = fmax(nu, part_poisson(&d, k));
  if (b->def->solid && r->nproblem == before) {
    d.form = choose_form(r, b, g, nu);
    check_locking(r, b, g, nu, d.form);
  }
  if (!r->failed && r->nproblem == before) add_body(r, b, &d);
}

static void add_chain(reader *r, body_slot *b, const chain_def *c) {
  pl_body_desc d = {
      .kind = PL_BODY_CHAIN, .stiffness = value_of(&c->stiffness), .mass = value_of(&c->mass)};
  add_body(r, b, &d);
}

void build_body_groups(reader *r) {
  for (int k = 0; k < r->nbody && !r->failed; k++) {
    body_slot *b = &r->body[k];
    const body_def *d = b->def;
    if (b->bad) continue;
    if (d->chain)
      add_chain(r, b, d->chain);
    else if (d->rod)
      build_rod(r, b);
    else if (d->rigid)
      build_rigid(r, b);
    else
      add_geometry(r, b, body_geometry(d));
  }
}
