#include "faces.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

enum { SUPPORTS = 32 }; // selectors in `fixed` that become supports of their own

// ---- drives -----------------------------------------------------------------------------------

// components named by fix: [x, y]; all when it is left out
static int read_mask(reader *r, const pl_node *at, int *mask) {
  *mask = (1 << r->b->dim) - 1;
  if (!at) return 1;
  if (at->kind == NODE_SCALAR && strcmp(at->text, "all") == 0) return 1;
  int m = 0;
  const pl_node *d = at->kind == NODE_SCALAR ? at : at->first;
  for (; d; d = at->kind == NODE_SCALAR ? NULL : d->next) {
    int c = d->kind == NODE_SCALAR ? axis_index(d->text) : -1;
    if (c < 0 || c >= r->b->dim || at->kind == NODE_MAP) {
      problem(r, d,
              r->b->dim == 3   ? "known: x y z"
              : r->b->dim == 2 ? "known: x y"
                               : "known: x",
              "fix: there is no such component");
      return 0;
    }
    m |= 1 << c;
  }
  if (m == 0) {
    problem(r, at, "e.g. [x, y]", "fix names no component");
    return 0;
  }
  *mask = m;
  return 1;
}

// the selector of a drive or support, NULL: a list of them
static const char *chosen(const pl_node *at) {
  if (at->kind == NODE_SCALAR) return at->text;
  const pl_node *d = node_get(at, "nodes");
  if (!d) d = node_get(at, "node");
  return d && d->kind == NODE_SCALAR ? d->text : NULL;
}

// how to leave the nodes of a drive out of one before, or of itself where others are left
static void twice_hint(const reader *r, const int *owner, const pl_node *first, const pl_node *at,
                       const pl_drive_desc *d, int c, char *hint, size_t size) {
  const char *a = chosen(at), *b = chosen(first);
  int left = 0;
  for (int i = 0; i < d->nnode; i++) {
    int o = owner[d->node[i] * r->b->dim + c];
    left |= !o || o == r->b->ndrive;
  }
  if (!a || !b)
    snprintf(hint, size, "leave the node out of one of them");
  else if (left)
    snprintf(hint, size, "leave the nodes out of one of them, here: '(%.80s) and not (%.80s)'", a,
             b);
  else
    snprintf(hint, size,
             "leave the nodes out of one of them, in line %d: '(%.80s) and not (%.80s)'",
             first->line, b, a);
}

// every component may be prescribed once; owner[nnode][dim] is the drive's number + 1
static void claim(reader *r, int *owner, const pl_node **where, const pl_node *at,
                  const pl_drive_desc *d) {
  char buf[128], hint[PL_TEXT];
  for (int i = 0; i < d->nnode && !d->off; i++)
    for (int c = 0; c < r->b->dim; c++) {
      if (!(d->mask >> c & 1)) continue;
      int *o = &owner[d->node[i] * r->b->dim + c];
      if (*o) {
        twice_hint(r, owner, where[*o - 1], at, d, c, hint, sizeof hint);
        problem(r, at, hint, "%s is driven twice along %c, the first time in line %d",
                pl_build_node_text(r->b, d->node[i], buf, sizeof buf), "xyz"[c],
                where[*o - 1] -> line);
        return;
      }
      *o = r->b->ndrive;
    }
}

// terms are filled by the caller, on whose stack they are
static pl_drive_desc drive_desc(const txt *name, const node_list *nodes, int mask, int nterm,
                                const pl_term *term) {
  return (pl_drive_desc){.name = name->s[0] ? name->s : NULL,
                         .nnode = nodes->n,
                         .node = nodes->v,
                         .mask = mask,
                         .nterm = nterm,
                         .term = term};
}

// a factor over time goes on terms that are constant
static int read_over(reader *r, const drive_def *d, const char *si, pl_drive_desc *desc) {
  if (!d->over.at) return 1;
  for (int k = 0; k < desc->nterm; k++)
    if (desc->term[k].harmonic > 0 || desc->nterm > 1) {
      problem(r, d->over.at, "leave out harmonic and terms",
              "a drive follows either a file over time or harmonics");
      return 0;
    }
  desc->over = read_series(r, &d->over, si, 1);
  return desc->over != NULL;
}

static void drive_add(reader *r, const drive_def *d, const pl_drive_desc *given) {
  pl_drive_desc own = *given, *desc = &own;
  own.off = d->off.v;
  if (pl_build_drive(r->b, desc, d->clamp.v ? PL_HOLD_CLAMP : PL_HOLD_NODES, d->clamp.at) < 0)
    r->failed = PL_E_NOMEM;
}

static void put_term(reader *r, int term, pl_term *t, int harmonic, const num *phase, int n,
                     const num *amplitude) {
  int drive = r->b->ndrive; // the one that is being made
  t->harmonic = harmonic;
  t->phase = phase->v;
  follow(r, PL_AT_DRIVE, drive, term, 3, phase, 1);
  for (int c = 0; c < n; c++) {
    t->amplitude[c] = amplitude[c].v;
    follow(r, PL_AT_DRIVE, drive, term, c, &amplitude[c], 1);
  }
}

static int check_term_count(reader *r, const items *terms) {
  if (terms->n <= PL_TERM_MAX) return 1;
  problem(r, terms->at, NULL, "at most %d terms are possible, got %d", PL_TERM_MAX, terms->n);
  return 0;
}

// degrees written as radians
static void check_rotation(reader *r, const num *angle) {
  if (fabs(angle->v) > 7)
    warning(r, angle->at, "write e.g. 20 deg; a bare number is in the scene's unit of angle",
            "a rotation by %.3g rad is more than a turn", angle->v);
}

static void add_rotation(reader *r, const drive_def *d, const pl_node *at, const node_list *nodes) {
  const rotation_def *t = d->rotation;
  const term_def *terms = t->terms.item;
  pl_term term[PL_TERM_MAX] = {0};
  if (r->b->dim == 1) {
    problem(r, at, NULL, "nothing rotates in one dimension");
    return;
  }
  if (d->fix) problem(r, d->fix, NULL, "a rotation prescribes all components");
  if (!t->amplitude.at == !t->terms.at) {
    problem(r, at, NULL, "rotation needs either 'amplitude' or 'terms'");
    return;
  }
  if (!check_term_count(r, &t->terms)) return;
  int nterm = t->terms.at ? t->terms.n : 1;
  int own = d->over.at && !t->harmonic.at ? 0 : t->harmonic.v;
  pl_drive_desc out = drive_desc(&d->name, nodes, (1 << r->b->dim) - 1, nterm, term);
  out.kind = PL_DRIVE_ROTATION;
  out.axis[2] = 1;
  for (int c = 0; t->axis.at && c < 3; c++) out.axis[c] = t->axis.v[c].v;
  for (int c = 0; c < t->through.n; c++) out.centre[c] = t->through.v[c].v;
  if (r->b->dim == 3 && !t->axis.at)
    problem(r, at, "e.g. axis: [0, 1, 0]", "rotation needs the key 'axis'");
  else if (!(pl_norm3(out.axis) > 0) ||
           (r->b->dim == 2 && (out.axis[0] != 0 || out.axis[1] != 0 || !(out.axis[2] > 0))))
    problem(r, t->axis.at, r->b->dim == 2 ? "in two dimensions it is [0, 0, 1]" : NULL,
            "axis cannot be this direction");
  for (int k = 0; k < nterm; k++) {
    const num *angle = t->terms.at ? &terms[k].angle : &t->amplitude;
    if (!angle->at || (t->terms.at && terms[k].translation.at))
      problem(r, t->terms.at, NULL, "terms of a rotation need 'angle'");
    else
      check_rotation(r, angle);
    put_term(r, k, &term[k], t->terms.at ? terms[k].harmonic.v : own,
             t->terms.at ? &terms[k].phase : &t->phase, 1, angle);
  }
  if (read_over(r, d, "rad", &out)) drive_add(r, d, &out);
}

static void add_translation(reader *r, const drive_def *d, const node_list *nodes) {
  const term_def *terms = d->terms.item;
  pl_term term[PL_TERM_MAX] = {0};
  int mask, nterm = d->terms.at ? d->terms.n : d->translation.at != NULL;
  if (!read_mask(r, d->fix, &mask) || !check_term_count(r, &d->terms)) return;
  for (int k = 0; k < nterm; k++) {
    if (!d->terms.at) {
      put_term(r, k, &term[k], d->over.at && !d->harmonic.at ? 0 : d->harmonic.v, &d->phase,
               d->translation.n, d->translation.v);
      continue;
    }
    if (!terms[k].translation.at || terms[k].angle.at)
      problem(r, d->terms.at, NULL, "terms of a drive need 'translation'");
    put_term(r, k, &term[k], terms[k].harmonic.v, &terms[k].phase, terms[k].translation.n,
             terms[k].translation.v);
  }
  pl_drive_desc out = drive_desc(&d->name, nodes, mask, nterm, term);
  if (read_over(r, d, "m", &out)) drive_add(r, d, &out);
}

static void build_drive(reader *r, const drive_def *d, const pl_node *at, int *owner,
                        const pl_node **where) {
  node_list nodes;
  int before = r->b->ndrive;
  if (!select_either(r, d->node, d->nodes, at, "drive", &nodes)) return;
  int ways = (d->translation.at != NULL) + (d->rotation != NULL) + (d->terms.at != NULL);
  if (ways > 1 || (ways == 0 && !d->fix)) {
    problem(r, at, NULL, "drive needs exactly one of 'fix', 'translation', 'rotation', 'terms'");
    return;
  }
  if (d->over.at && ways == 0) {
    problem(r, d->over.at, "give a translation or rotation", "what is held follows no file");
    return;
  }
  if (d->rotation)
    add_rotation(r, d, at, &nodes);
  else
    add_translation(r, d, &nodes);
  if (r->b->ndrive == before) return;
  where[before] = at;
  claim(r, owner, where, at, &r->b->drive[before]);
}

// the nodes that no entry of `fixed` before holds
static void drop_held(reader *r, const int *owner, node_list *nodes) {
  int n = 0, *left = scene_alloc(r, (size_t)nodes->n + 1, sizeof *left);
  if (!left) return;
  for (int i = 0; i < nodes->n; i++) {
    int o = owner[nodes->v[i] * r->b->dim];
    if (!o || r->b->drive[o - 1].nterm > 0) left[n++] = nodes->v[i];
  }
  *nodes = (node_list){n, left};
}

static int is_plane(const pl_node *at) {
  for (const pl_node *c = at->kind == NODE_MAP ? at->first : NULL; c; c = c->next)
    if (strcmp(c->key, "symmetry") == 0 && strcmp(c->text ? c->text : "", "no") != 0) return 1;
  return 0;
}

// a motion through the plane breaks the symmetry
static int check_crossing(reader *r, const pl_node *at, const pl_drive_desc *d, int axis) {
  double off = 0, axial = 0, size = 0;
  for (int t = 0; t < d->nterm; t++) off = fmax(off, fabs(d->term[t].amplitude[axis]));
  for (int c = 0; c < 3; c++) size = fmax(size, fabs(d->axis[c]));
  axial = fabs(d->axis[axis]);
  int rotates = d->kind == PL_DRIVE_ROTATION && d->nterm > 0;
  if (rotates ? axial >= (1 - 1e-12) * size : off == 0) return 1;
  problem(r, at, "leave out symmetry and model the whole part",
          "symmetry: drive '%.60s' moves nodes of the plane along %c", d->name ? d->name : "",
          "xyz"[axis]);
  return 0;
}

// nodes in a plane of symmetry, some of which others hold already
static void build_plane(reader *r, const pl_node *at, const drive_def *d, const int *owner,
                        const node_list *nodes) {
  int axis = d->symmetry.v - 1, n = 0, *left = scene_alloc(r, (size_t)nodes->n + 1, sizeof *left);
  if (!left || nodes->n == 0) return;
  if (d->fix || d->clamp.v || d->off.v) {
    problem(r, at, "leave out fix, clamp and off", "symmetry says itself what is held");
    return;
  }
  if (axis >= r->b->dim) {
    problem(r, d->symmetry.at, NULL, "the model has no %c", "xyz"[axis]);
    return;
  }
  for (int i = 0; i < nodes->n; i++) {
    int o = owner[nodes->v[i] * r->b->dim + axis];
    if (!o) left[n++] = nodes->v[i];
    if (o && !check_crossing(r, at, &r->b->drive[o - 1], axis)) return;
  }
  const node_list own = {n, left};
  pl_drive_desc out = drive_desc(&d->name, &own, 1 << axis, 0, NULL);
  int k = r->b->ndrive;
  drive_add(r, d, &out);
  if (r->b->ndrive > k) pl_build_mirror(r->b, k, nodes->n, nodes->v, axis, at);
}

// several: the entry of a list of selectors, which stand for all their nodes together
static void build_hold(reader *r, const pl_node *at, int several, int *owner,
                       const pl_node **where) {
  drive_def *d = scene_alloc(r, 1, sizeof *d);
  int before = r->b->ndrive, mask;
  node_list nodes;
  if (!d) return;
  if (at->kind == NODE_MAP) {
    if (!read_map(r, at, &map_fixed, d)) return;
    if (!select_either(r, d->node, d->nodes, at, "fixed", &nodes)) return;
  } else {
    d->name.s = several ? at->text : "fixed";
    if (!select_nodes(r, at, "fixed", &nodes)) return;
    if (several) drop_held(r, owner, &nodes);
    if (nodes.n == 0) return;
  }
  if (d->symmetry.v)
    build_plane(r, at, d, owner, &nodes);
  else {
    if (!read_mask(r, d->fix, &mask)) return;
    pl_drive_desc out = drive_desc(&d->name, &nodes, mask, 0, NULL);
    drive_add(r, d, &out);
  }
  if (r->b->ndrive == before) return;
  where[before] = at;
  claim(r, owner, where, at, &r->b->drive[before]);
}

// `fixed: SELECTOR`, or a list of selectors and mappings, each a support of its own; a long list of
// selectors is one. planes: those of symmetry, else the others
static void build_fixed(reader *r, const pl_node *at, int planes, int *owner,
                        const pl_node **where) {
  int maps = 0, plain = 0;
  for (const pl_node *d = at->first; at->kind == NODE_LIST && d; d = d->next) {
    maps += d->kind == NODE_MAP;
    plain += d->kind == NODE_SCALAR;
  }
  if (maps == 0 && (plain < 2 || plain < at->n || plain > SUPPORTS)) {
    if (is_plane(at) == planes) build_hold(r, at, 0, owner, where);
    return;
  }
  for (const pl_node *d = at->first; d; d = d->next)
    if (is_plane(d) == planes) build_hold(r, d, maps == 0, owner, where);
}

void build_drives(reader *r) {
  const items *drives = &r->def.drives;
  const pl_node *at = items_first(drives), *fixed = r->def.fixed;
  size_t most = (size_t)drives->n + (fixed && fixed->kind == NODE_LIST ? (size_t)fixed->n : 0) + 2;
  int *owner = scene_alloc(r, (size_t)r->b->nnode * (size_t)r->b->dim + 1, sizeof *owner);
  const pl_node **where = scene_alloc(r, most, sizeof *where);
  if (!owner || !where) return;
  if (fixed) build_fixed(r, fixed, 0, owner, where);
  for (int k = 0; k < drives->n && !r->failed; k++, at = at->next)
    build_drive(r, (const drive_def *)drives->item + k, at, owner, where);
  // nodes that others hold stay theirs
  if (fixed && !r->failed) build_fixed(r, fixed, 1, owner, where);
}

// ---- initial state ----------------------------------------------------------------------------

static void add_spin(reader *r, const spin_def *d, const pl_node *at, const node_list *nodes) {
  double axis[3] = {0, 0, 1}, centre[3] = {0};
  if (r->b->dim == 1 || (r->b->dim == 3 && !d->axis.at)) {
    problem(r, at, NULL,
            r->b->dim == 1 ? "nothing rotates in one dimension" : "spin needs the key 'axis'");
    return;
  }
  for (int c = 0; d->axis.at && c < 3; c++) axis[c] = d->axis.v[c].v;
  for (int c = 0; c < d->through.n; c++) centre[c] = d->through.v[c].v;
  double len = pl_norm3(axis);
  if (!(len > 0)) {
    problem(r, d->axis.at, NULL, "axis must not be zero");
    return;
  }
  for (int i = 0; i < nodes->n; i++) {
    double arm[3], v[3];
    pl_sub3(r->b->X + 3 * (size_t)nodes->v[i], centre, arm);
    pl_cross3(axis, arm, v);
    for (int c = 0; c < r->b->dim; c++)
      r->v0[nodes->v[i] * r->b->dim + c] += d->rate.v * v[c] / len;
  }
  for (int c = 0; c < 3; c++) axis[c] *= d->rate.v / len;
  pl_build_spin(r->b, nodes->n, nodes->v, axis, r->v0);
}

void build_initial(reader *r) {
  const items *list = &r->def.initial;
  const pl_node *at = items_first(list);
  if (list->n == 0) return;
  size_t nq =
      ((size_t)r->b->nnode + (size_t)r->b->ncopy) * (size_t)r->b->dim + (size_t)r->b->nextra;
  r->u0 = scene_alloc(r, nq + 1, sizeof *r->u0);
  r->v0 = scene_alloc(r, nq + 1, sizeof *r->v0);
  if (!r->u0 || !r->v0) return;
  for (int k = 0; k < list->n; k++, at = at->next) {
    const initial_def *d = (const initial_def *)list->item + k;
    node_list nodes;
    if (!d->displacement.at && !d->velocity.at && !d->spin)
      problem(r, at, NULL, "initial needs 'displacement', 'velocity' or 'spin'");
    if (!select_either(r, d->node, d->nodes, at, "initial", &nodes)) continue;
    for (int i = 0; i < nodes.n; i++)
      for (int c = 0; c < r->b->dim; c++) {
        r->u0[nodes.v[i] * r->b->dim + c] += d->displacement.at ? d->displacement.v[c].v : 0;
        r->v0[nodes.v[i] * r->b->dim + c] += d->velocity.at ? d->velocity.v[c].v : 0;
      }
    if (d->spin) add_spin(r, d->spin, at, &nodes);
  }
}
