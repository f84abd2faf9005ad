// Loads: forces on nodes and faces, pressures, moments, the acceleration of the base; tendons and
// springs to the ground.
#include "faces.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what they come to --------------------------------------------------------------------------

void note(reader *r, const char *kind, const char *name, const char *fmt, ...) {
  char text[PL_TEXT];
  va_list args;
  int n = snprintf(text, sizeof text, "%-11s%s%s", kind, name, name[0] ? ": " : "");
  va_start(args, fmt);
  vsnprintf(text + n, sizeof text - (size_t)n, fmt, args);
  va_end(args);
  if (!scene_grow(r, &r->load_note, r->nload_note, &r->load_note_cap, sizeof *r->load_note)) return;
  r->load_note[r->nload_note++] = scene_strdup(r, text, strlen(text));
}

// how a load goes with time
static const char *course(const timing_def *t, char *buf, size_t size) {
  if (t->over.at)
    snprintf(buf, size, "over %.80s", t->over.s);
  else if (t->harmonic.v)
    snprintf(buf, size, "harmonic %d", t->harmonic.v);
  else
    snprintf(buf, size, "constant");
  return buf;
}

// ---- time ---------------------------------------------------------------------------------------

// a factor over time instead of a harmonic; 0: reported
static int read_timing(reader *r, const timing_def *t, const char *si, const pl_course **over) {
  *over = NULL;
  if (!t->over.at) return 1;
  if (t->harmonic.v > 0 || t->phase.at) {
    problem(r, t->over.at, "leave out harmonic and phase",
            "a load follows either a file over time or a harmonic");
    return 0;
  }
  *over = read_series(r, &t->over, si, 0);
  return *over != NULL;
}

// an amplitude of outer forces; returns its unknown, -1: failed
static int amplitude(reader *r, const char *name, const num *value, const timing_def *t,
                     const pl_course *over) {
  pl_term term = {.harmonic = t->harmonic.v, .amplitude = {value->v}, .phase = t->phase.v};
  int drive = r->b->ndrive, at = pl_build_amplitude(r->b, name, &term, over);
  if (at < 0) r->failed = PL_E_NOMEM;
  follow(r, PL_AT_DRIVE, drive, 0, 0, value, 1);
  follow(r, PL_AT_DRIVE, drive, 0, 3, &t->phase, 1);
  return at;
}

// ---- pressure -----------------------------------------------------------------------------------

// components that supports hold at their place
static int held_mask(const reader *r, int node) {
  int mask = 0;
  for (int k = 0; k < r->b->ndrive; k++) {
    const pl_drive_desc *d = &r->b->drive[k];
    for (int i = 0; d->nterm == 0 && !d->off && i < d->nnode; i++)
      if (d->node[i] == node) mask |= d->mask;
  }
  return mask;
}

static void put_centre(reader *r, int group, int elem, double share, const double *c) {
  static const char *const name[3] = {"centre_x", "centre_y", "centre_z"};
  put_par(r, group, elem, "share", &(num){.v = share, .par = -1});
  for (int m = 0; m < 3; m++) put_par(r, group, elem, name[m], &(num){.v = c[m], .par = -1});
}

// an edge of the boundary of faces
typedef struct boundary {
  int n, node[3], held[3]; // its ends, the node between them; components that supports hold
  int axis;                // across a plane in which it slides, 3: it is held, -1: it is free
  double height;           // m, from the centre to the plane
} boundary;

// planes in which supports keep all nodes; of two the one through the centre
static void find_plane(const reader *r, double size, const double *centre, boundary *e) {
  int all = 7;
  for (int i = 0; i < e->n; i++) all &= e->held[i];
  e->axis = all == 7 ? 3 : -1;
  e->height = 0;
  for (int m = 2; m >= 0 && e->axis < 3; m--) {
    const double *X = r->b->X + m;
    double at = X[3 * (size_t)e->node[0]], off = 0;
    for (int i = 1; i < e->n; i++) off = fmax(off, fabs(X[3 * (size_t)e->node[i]] - at));
    if (!(all >> m & 1) || off > 1e-9 * size) continue;
    if (e->axis >= 0 && fabs(e->height) <= 1e-9 * size) continue;
    e->axis = m;
    e->height = at - centre[m];
  }
}

// the boundary; the centre is put into planes in which it slides
static boundary *list_boundary(reader *r, const face_list *f, double *centre, int *n) {
  face_edge *edge = face_boundary(r, f, n);
  int put[3] = {0};
  boundary *list = edge ? scene_alloc(r, (size_t)*n + 1, sizeof *list) : NULL;
  memcpy(centre, f->centre, sizeof f->centre);
  for (int k = 0; list && k < *n; k++) {
    const face_edge *e = &edge[k];
    list[k] = (boundary){.n = e->middle < 0 ? 2 : 3, .node = {e->from, e->to, e->middle}};
    for (int i = 0; i < list[k].n; i++) list[k].held[i] = held_mask(r, list[k].node[i]);
    find_plane(r, sqrt(f->area), centre, &list[k]);
    int m = list[k].axis;
    if (m >= 0 && m < 3 && !put[m]++) centre[m] += list[k].height;
  }
  for (int k = 0; list && k < *n; k++) find_plane(r, sqrt(f->area), centre, &list[k]);
  return list;
}

// How many edges have no potential: those that are free, or all that move when planes meet that are
// both away from the centre.
static int count_free(reader *r, double size, int n, const boundary *list) {
  boundary *at = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *at);
  int nfree = 0, nslide = 0, corners = 0;
  for (int k = 0; at && k < n; k++) {
    nfree += list[k].axis < 0;
    nslide += list[k].axis < 3;
    for (int i = 0; i < 2 && list[k].axis < 3; i++) {
      boundary *met = &at[list[k].node[i]];
      corners += met->n > 0 && met->axis != list[k].axis &&
                 fabs(met->height * list[k].height) > 1e-9 * size * size;
      *met = list[k];
    }
  }
  return nfree > 0 ? nfree : corners > 0 ? nslide : 0;
}

static void put_lid(reader *r, int group, int elem, const boundary *e) {
  static const char *const height[3] = {"height_x", "height_y", "height_z"};
  static const char *const held[9] = {"held_0x", "held_0y", "held_0z", "held_1x", "held_1y",
                                      "held_1z", "held_2x", "held_2y", "held_2z"};
  if (e->axis >= 0 && e->axis < 3)
    put_par(r, group, elem, height[e->axis], &(num){.v = e->height, .par = -1});
  for (int i = 0; i < 3 * e->n; i++)
    put_par(r, group, elem, held[i], &(num){.v = e->held[i / 3] >> i % 3 & 1, .par = -1});
}

// The potential of a pressure is that of the volume between its faces and a centre. At the boundary
// of the faces that lacks something: what supports feel where they hold it, the volume up to the
// planes in which it slides, and where it is free a force that has no potential. Returns how many
// edges are free.
static int add_boundary(reader *r, const char *name, const face_list *f, int unknown,
                        double *centre) {
  static const int kind[4] = {PL_ELEM_pressure_lid, PL_ELEM_pressure_edge, PL_ELEM_pressure_lid3,
                              PL_ELEM_pressure_edge3};
  int n = 0, count[4] = {0}, group[4], *stencil[4];
  boundary *list = list_boundary(r, f, centre, &n);
  int nfree = list ? count_free(r, sqrt(f->area), n, list) : 0;
  for (int k = 0; list && k < n; k++) count[2 * (list[k].n - 2) + (nfree && list[k].axis < 3)]++;
  for (int i = 0; i < 4; i++) {
    if (count[i]) group[i] = group_add(r, name, kind[i], count[i], &stencil[i]);
    count[i] = 0;
  }
  for (int k = 0; list && k < n && !r->failed; k++) {
    int lid = !(nfree && list[k].axis < 3), nv = list[k].n, i = 2 * (nv - 2) + !lid;
    int e = count[i]++, *to = stencil[i] + (nv + 1) * e;
    memcpy(to, list[k].node, (size_t)nv * sizeof *to);
    to[nv] = unknown;
    put_centre(r, group[i], e, 1, centre);
    if (lid) put_lid(r, group[i], e, &list[k]);
  }
  return nfree;
}

// the faces themselves
static void add_volumes(reader *r, const char *name, const face_list *f, int unknown,
                        const double *centre) {
  face_volume rule[9];
  int n = 0, *stencil;
  for (int k = 3; k <= 8; k++)
    if (k != 5 && k != 7) face_volumes(k, &rule[k]);
  for (int k = 0; k < f->n; k++) n += rule[f->v[k].n].n;
  int g = r->failed ? -1 : group_add(r, name, PL_ELEM_pressure, n, &stencil);
  for (int k = 0, e = 0; g >= 0 && k < f->n; k++) {
    const face_volume *v = &rule[f->v[k].n];
    for (int t = 0; t < v->n; t++, e++) {
      for (int i = 0; i < 3; i++) stencil[4 * e + i] = f->v[k].node[v->tri[t][i]];
      stencil[4 * e + 3] = unknown;
      put_centre(r, g, e, v->share[t], centre);
    }
  }
}

static void add_pressure(reader *r, const load_def *d, const pl_node *at) {
  const char *name = d->name.s[0] ? d->name.s : "pressure";
  face_list f;
  const pl_course *over;
  char when[160];
  if (!d->faces) {
    problem(r, at, "e.g. faces: body group inner", "a pressure needs 'faces'");
    return;
  }
  if (!select_faces(r, d->faces, "pressure", &f)) return;
  if (!read_timing(r, &d->time, "Pa", &over)) return;
  int unknown = amplitude(r, name, &d->pressure, &d->time, over);
  double centre[3];
  int nfree = add_boundary(r, name, &f, unknown, centre);
  add_volumes(r, name, &f, unknown, centre);
  double p = d->pressure.v;
  note(r, "pressure", d->name.s,
       "%.6g Pa on %d %s, area %.6g m^2, force at rest [%.6g, %.6g, %.6g] N, %s%s", p, f.n,
       pl_plural(f.n, "face", "faces"), f.area, p * f.vector[0], p * f.vector[1], p * f.vector[2],
       course(&d->time, when, sizeof when),
       nfree ? "; its free edge makes it a force without potential" : "");
}

// ---- forces -------------------------------------------------------------------------------------

static void add_load(reader *r, const load_def *d, const vec *force, double share,
                     pl_load_desc *out, const pl_load_form *form) {
  out->name = d->name.s[0] ? d->name.s : NULL;
  out->term.harmonic = d->time.harmonic.v;
  out->term.phase = d->time.phase.v;
  for (int c = 0; c < force->n; c++) {
    out->term.amplitude[c] = force->v[c].v * share;
    follow(r, PL_AT_LOAD, r->b->nload, 0, c, &force->v[c], share);
  }
  follow(r, PL_AT_LOAD, r->b->nload, 0, 3, &d->time.phase, 1);
  if (pl_build_load_form(r->b, out, form) < 0) r->failed = PL_E_NOMEM;
}

// traction, or a total spread over faces
static void add_on_faces(reader *r, const load_def *d) {
  const vec *force = d->traction.at ? &d->traction : &d->total;
  face_list f;
  pl_load_desc out = {0};
  pl_load_form form = {0};
  if (!select_faces(r, d->faces, d->traction.at ? "traction" : "total", &f)) return;
  if (!read_timing(r, &d->time, d->traction.at ? "Pa" : "N", &form.over)) return;
  double *all = face_shares(r, &f, 0), moment[3], F[3] = {0};
  int *node = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *node);
  double *share = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *share);
  if (!all || !node || !share) return;
  for (int i = 0; i < r->b->nnode; i++) {
    if (all[i] == 0) continue;
    node[out.nnode] = i;
    share[out.nnode++] = d->traction.at ? all[i] : all[i] / f.area;
  }
  out.node = node;
  form.share = share;
  for (int c = 0; c < force->n; c++) F[c] = force->v[c].v * (d->traction.at ? f.area : 1);
  pl_cross3(f.centre, F, moment);
  note(r, d->traction.at ? "traction" : "spread", d->name.s,
       "%d %s, area %.6g m^2, moment about the origin [%.6g, %.6g, %.6g] N.m", f.n,
       pl_plural(f.n, "face", "faces"), f.area, moment[0], moment[1], moment[2]);
  add_load(r, d, force, 1, &out, &form);
}

static void add_force(reader *r, const load_def *d, const pl_node *at) {
  const vec *force = d->force.at ? &d->force : &d->total;
  pl_load_desc out = {0};
  pl_load_form form = {0};
  node_list nodes;
  if (!select_either(r, d->node, d->nodes, at, "load", &nodes)) return;
  if (!read_timing(r, &d->time, "N", &form.over)) return;
  out.nnode = nodes.n;
  out.node = nodes.v;
  add_load(r, d, force, d->total.at ? 1.0 / nodes.n : 1, &out, &form);
}

// a load that a program gives as a function of places, rates and the strength
static void add_given(reader *r, const load_def *d, const pl_node *at) {
  node_list nodes;
  const pl_course *over;
  if (!select_either(r, d->node, d->nodes, at, "load", &nodes)) return;
  if (!read_timing(r, &d->time, "", &over)) return;
  int strength = amplitude(r, d->name.s[0] ? d->name.s : d->given.s, &d->strength, &d->time, over);
  if (!r->failed) add_given_load(r, d, nodes.n, nodes.v, strength);
}

static void add_acceleration(reader *r, const load_def *d) {
  pl_load_desc out = {0};
  pl_load_form form = {.inertial = 1};
  char when[160];
  if (d->node || d->nodes || d->faces)
    problem(r, d->acceleration.at, "leave out node, nodes and faces",
            "the acceleration of the base acts on all that has mass");
  if (!read_timing(r, &d->time, "m/s^2", &form.over)) return;
  note(r, "base", d->name.s, "accelerated by [%.6g, %.6g, %.6g] m/s^2, %s", d->acceleration.v[0].v,
       d->acceleration.v[1].v, d->acceleration.v[2].v, course(&d->time, when, sizeof when));
  add_load(r, d, &d->acceleration, 1, &out, &form);
}

// ---- moments ------------------------------------------------------------------------------------

enum { PATCH_MAX = 20000 }; // nodes of a moment

// nodes that a moment turns, with shares of the area that belong to them; all alike where they are
// not those of faces
typedef struct patch {
  node_list l;
  double *share; // [l.n]
  int *pair;     // [l.n] the one across the axis; -1: it has no share
  double middle[3];
} patch;

// 0: failed
static int weigh_patch(reader *r, patch *p) {
  const node_list *l = &p->l;
  size_t nnode = (size_t)r->b->nnode;
  char *chosen = scene_alloc(r, 2 * nnode + 1, 1), *met = chosen ? chosen + nnode : NULL;
  p->share = scene_alloc(r, (size_t)l->n, sizeof *p->share);
  p->pair = scene_alloc(r, (size_t)l->n, sizeof *p->pair);
  face_list f;
  for (int i = 0; chosen && i < l->n; i++) chosen[l->v[i]] = 1;
  if (!chosen || !p->share || !p->pair || !chosen_faces(r, chosen, &f)) return 0;
  for (int k = 0; k < f.n; k++)
    for (int i = 0; i < f.v[k].n; i++) met[f.v[k].node[i]] = 1;
  int whole = 1;
  for (int i = 0; i < l->n; i++) whole &= met[l->v[i]];
  const double *all = whole ? face_shares(r, &f, 0) : NULL;
  if (r->failed) return 0;
  double sum = 0, most = 0;
  for (int i = 0; i < l->n; i++) {
    p->share[i] = all ? all[l->v[i]] : 1;
    sum += p->share[i];
    most = fmax(most, fabs(p->share[i]));
    for (int c = 0; c < 3; c++) p->middle[c] += p->share[i] * r->b->X[3 * (size_t)l->v[i] + c];
  }
  for (int c = 0; c < 3; c++) p->middle[c] /= sum;
  for (int i = 0; i < l->n; i++)
    if (fabs(p->share[i]) < 1e-6 * most) p->share[i] = 0;
  return 1;
}

// the node of a patch nearest to where another would be, mirrored at a line along the axis through
// its middle; corners of second order, which have shares below zero, are paired with such ones
static int opposite(const reader *r, const patch *p, int axis, int i) {
  const double *x = r->b->X + 3 * (size_t)p->l.v[i];
  double best = INFINITY;
  int found = -1;
  for (int k = 0; k < p->l.n; k++) {
    const double *y = r->b->X + 3 * (size_t)p->l.v[k];
    double d = 0;
    if (!(p->share[k] * p->share[i] > 0)) continue;
    for (int c = 0; c < 3; c++) {
      double off = c == axis ? y[c] - x[c] : y[c] + x[c] - 2 * p->middle[c];
      d += off * off;
    }
    if (d < best) {
      best = d;
      found = k;
    }
  }
  return found;
}

// square of the distance of a node and the one opposite across an axis
static double lever(const reader *r, const patch *p, int i, int axis) {
  double sum = 0;
  for (int c = 0; c < 3 && p->pair[i] >= 0; c++) {
    const double *X = r->b->X + c;
    double d = X[3 * (size_t)p->l.v[p->pair[i]]] - X[3 * (size_t)p->l.v[i]];
    sum += c == axis ? 0 : d * d;
  }
  return sum;
}

// Moment of a pair that has 1 about the axis: where its nodes lie apart along the axis it has a
// part across, which turns with the pair.
static void unit_moment(const reader *r, const patch *p, int i, int axis, double *h) {
  const double *x = r->b->X + 3 * (size_t)p->l.v[i], *y = r->b->X + 3 * (size_t)p->l.v[p->pair[i]];
  double d[3], l2 = lever(r, p, i, axis);
  pl_sub3(y, x, d);
  for (int c = 0; c < 3; c++) h[c] = c == axis ? 1 : -d[axis] * d[c] / l2;
}

// Shares s[l.n] of pairs that grow with the square of the lever, changed as little as makes the
// whole moment that about the axis alone; then it is so after any turn about it. -1: no pair at
// all.
static int share_moment(const reader *r, const patch *p, int axis, double *s) {
  double sum = 0, most = 0, A[9] = {0}, inverse[9], left[3] = {0}, h[3], add[3];
  int n = 0;
  for (int i = 0; i < p->l.n; i++) most = fmax(most, lever(r, p, i, axis));
  for (int i = 0; i < p->l.n; i++) {
    double part = lever(r, p, i, axis);
    s[i] = part > 1e-6 * most ? p->share[i] * part : 0;
    sum += s[i];
  }
  if (!(sum > 0)) return -1;
  left[axis] = 1;
  for (int i = 0; i < p->l.n; i++) {
    s[i] /= sum;
    if (s[i] == 0) continue;
    unit_moment(r, p, i, axis, h);
    for (int c = 0; c < 3; c++) left[c] -= s[i] * h[c];
    for (int k = 0; k < 9; k++) A[k] += fabs(s[i]) * h[k / 3] * h[k % 3];
  }
  // pairs in one plane have no part out of it
  for (int k = 0; k < 3; k++) A[4 * k] += 1e-12;
  pl_inv3(A, inverse);
  for (int c = 0; c < 3; c++) add[c] = pl_dot3(inverse + 3 * c, left);
  for (int i = 0; i < p->l.n; i++) {
    if (s[i] == 0) continue;
    unit_moment(r, p, i, axis, h);
    s[i] += fabs(s[i]) * pl_dot3(add, h);
    n += s[i] != 0;
  }
  return n;
}

static void add_couples(reader *r, const load_def *d, const patch *p, int axis, const num *value,
                        const pl_course *over) {
  static const char *const name[3] = {"axis_x", "axis_y", "axis_z"};
  double *share = scene_alloc(r, (size_t)p->l.n, sizeof *share);
  int *stencil, n = share ? share_moment(r, p, axis, share) : 0;
  if (!share) return;
  if (n < 0) {
    problem(r, d->moment.at, "choose nodes beside each other across the axis, e.g. two rows",
            "moment: all nodes lie on a line along %c, about which they cannot be turned",
            "xyz"[axis]);
    return;
  }
  int unknown = amplitude(r, d->name.s[0] ? d->name.s : "moment", value, &d->time, over);
  int g = group_add(r, d->name.s[0] ? d->name.s : "moment", PL_ELEM_couple, n, &stencil);
  for (int i = 0, e = 0; g >= 0 && i < p->l.n; i++) {
    if (share[i] == 0) continue;
    stencil[3 * e] = p->l.v[i];
    stencil[3 * e + 1] = p->l.v[p->pair[i]];
    stencil[3 * e + 2] = unknown;
    put_par(r, g, e, "share", &(num){.v = share[i], .par = -1});
    for (int c = 0; c < 3; c++) put_par(r, g, e, name[c], &(num){.v = c == axis, .par = -1});
    e++;
  }
}

static int *keep_nodes(reader *r, int n, const int *node) {
  int *v = scene_alloc(r, (size_t)n, sizeof *v);
  if (v) memcpy(v, node, (size_t)n * sizeof *v);
  return v;
}

static void add_moment(reader *r, const load_def *d, const pl_node *at) {
  node_list l;
  const pl_course *over;
  char when[160];
  if (!select_either(r, d->node, d->nodes, at, "moment", &l)) return;
  // the point of a join is turned by nodes that turn with it
  int triad[4];
  if (l.n == 1 && pl_build_triad(r->b, l.v[0], triad)) {
    triad[3] = l.v[0];
    l = (node_list){.n = 4, .v = keep_nodes(r, 4, triad)};
    if (!l.v) return;
  }
  if (r->b->dim != 3 || l.n < 2 || l.n > PATCH_MAX) {
    problem(r, d->moment.at, l.n < 2 ? "choose a patch of nodes, which forces can turn" : NULL,
            r->b->dim != 3 ? "a moment needs dimension 3" : "a moment needs 2 to %d nodes, got %d",
            PATCH_MAX, l.n);
    return;
  }
  if (!read_timing(r, &d->time, "N.m", &over)) return;
  patch p = {.l = l};
  if (!weigh_patch(r, &p)) return;
  for (int axis = 0; axis < 3; axis++) {
    if (d->moment.v[axis].v == 0 && d->moment.v[axis].par < 0) continue;
    for (int i = 0; i < l.n; i++) p.pair[i] = opposite(r, &p, axis, i);
    add_couples(r, d, &p, axis, &d->moment.v[axis], over);
  }
  note(r, "moment", d->name.s, "[%.6g, %.6g, %.6g] N.m on %d %s, %s", d->moment.v[0].v,
       d->moment.v[1].v, d->moment.v[2].v, l.n, pl_plural(l.n, "node", "nodes"),
       course(&d->time, when, sizeof when));
}

void build_loads(reader *r) {
  const items *loads = &r->def.loads;
  const pl_node *at = items_first(loads);
  for (int k = 0; k < loads->n && !r->failed; k++, at = at->next) {
    const load_def *d = (const load_def *)loads->item + k;
    int ways = (d->force.at != NULL) + (d->total.at != NULL) + (d->pressure.at != NULL) +
               (d->traction.at != NULL) + (d->moment.at != NULL) + (d->acceleration.at != NULL) +
               (d->given.at != NULL);
    if (ways != 1) {
      problem(r, at, "force, total, pressure, traction, moment, acceleration or given",
              "load needs exactly one of 'force' (on every node), 'total' and the others");
      continue;
    }
    if (d->faces && (d->force.at || d->moment.at || d->given.at || d->node || d->nodes)) {
      problem(r, d->faces, "faces take total, pressure or traction",
              d->node || d->nodes ? "load: faces stand for nodes, so give one of them"
                                  : "load: forces and moments act on nodes");
      continue;
    }
    if (d->traction.at && !d->faces) {
      problem(r, at, "e.g. faces: body group top", "a traction needs 'faces'");
      continue;
    }
    if (d->strength.at && !d->given.at)
      problem(r, d->strength.at, NULL, "load: strength is for loads that are given");
    else if (d->pressure.at)
      add_pressure(r, d, at);
    else if (d->faces)
      add_on_faces(r, d);
    else if (d->acceleration.at)
      add_acceleration(r, d);
    else if (d->given.at)
      add_given(r, d, at);
    else if (d->moment.at)
      add_moment(r, d, at);
    else
      add_force(r, d, at);
  }
}

// ---- tendons ------------------------------------------------------------------------------------

enum { TENDON_POINTS = 7 }; // of one whose length is driven

// the nodes that it runs through, in order; 0: reported
static int read_path(reader *r, const pl_node *at, int *n, int **node) {
  *n = 0;
  if (!at || at->kind != NODE_LIST || at->n < 2) {
    problem(r, at ? at : r->root, "e.g. through: [ground_end, guide, tip]",
            "tendon: through must be a list of two or more nodes");
    return 0;
  }
  *node = scene_alloc(r, (size_t)at->n, sizeof **node);
  if (!*node) return 0;
  for (const pl_node *d = at->first; d; d = d->next) {
    int *to = *node + *n;
    if (!select_one(r, d, "through", to)) return 0;
    if (*n > 0 && memcmp(r->b->X + 3 * (size_t)to[0], r->b->X + 3 * (size_t)to[-1],
                         3 * sizeof(double)) == 0) {
      problem(r, d, "leave one of them out",
              "tendon: two points after each other are at one place");
      return 0;
    }
    ++*n;
  }
  return 1;
}

static double path_length(const reader *r, int n, const int *node) {
  double sum = 0;
  for (int i = 0; i + 1 < n; i++) {
    double d[3];
    pl_sub3(r->b->X + 3 * (size_t)node[i + 1], r->b->X + 3 * (size_t)node[i], d);
    sum += pl_norm3(d);
  }
  return sum;
}

// stencils of a cable's pieces under tension, or of the whole
static void add_cable(reader *r, const tendon_def *d, int n, const int *node, int unknown) {
  const char *name = d->name.s[0] ? d->name.s : "tendon";
  int *stencil, given = d->tension.at != NULL;
  int g = group_add(r, name, given ? PL_ELEM_tension : PL_ELEM_tendon, given ? n - 1 : 1, &stencil);
  if (g < 0) return;
  for (int i = 0; given && i + 1 < n; i++) {
    stencil[3 * i] = node[i];
    stencil[3 * i + 1] = node[i + 1];
    stencil[3 * i + 2] = unknown;
  }
  for (int i = 0; i + 1 < n; i++) {
    int line = pl_build_line(r->b, node[i], node[i + 1]);
    if (given && i == 0) pl_build_lines_of(r->b, g, line);
  }
  if (given) return;
  for (int i = 0; i < TENDON_POINTS; i++) stencil[i] = node[i < n ? i : n - 1];
  stencil[TENDON_POINTS] = unknown;
  put_par(r, g, 0, "stiffness", &d->stiffness);
  put_par(r, g, 0, "slack", &d->slack);
}

void build_tendons(reader *r) {
  const items *list = &r->def.tendons;
  const pl_node *at = items_first(list);
  for (int k = 0; k < list->n && !r->failed; k++, at = at->next) {
    const tendon_def *d = (const tendon_def *)list->item + k;
    int n, *node, given = d->tension.at != NULL;
    const pl_course *over;
    char when[160];
    if (given == (d->pull.at != NULL) || (given && (d->stiffness.at || d->slack.at)) ||
        (!given && !d->stiffness.at)) {
      problem(r, at, "e.g. tension: 5 N, or pull: 3 mm with stiffness: 1e4 N/m",
              "tendon needs either 'tension', or 'pull' and 'stiffness'");
      continue;
    }
    if (!read_path(r, d->through, &n, &node)) continue;
    if (!given && n > TENDON_POINTS) {
      problem(r, d->through, "give its tension, or leave points out",
              "a tendon that is pulled runs through at most %d points, got %d", TENDON_POINTS, n);
      continue;
    }
    if (!read_timing(r, &d->time, given ? "N" : "m", &over)) continue;
    int unknown = amplitude(r, d->name.s[0] ? d->name.s : "tendon", given ? &d->tension : &d->pull,
                            &d->time, over);
    add_cable(r, d, n, node, unknown);
    note(r, "tendon", d->name.s, "%s %.6g %s through %d points, length %.6g m, %s",
         given ? "tension" : "pulled by", given ? d->tension.v : d->pull.v, given ? "N" : "m", n,
         path_length(r, n, node), course(&d->time, when, sizeof when));
  }
}

// ---- springs to the ground ----------------------------------------------------------------------

// share[n] of the stiffness of each node, and its direction
typedef struct bed {
  int n, *node;
  double *share, (*normal)[3];
  double area;
} bed;

static int bed_nodes(reader *r, const foundation_def *d, const pl_node *at, bed *b) {
  node_list l;
  if (!select_either(r, d->node, d->nodes, at, "foundation", &l)) return 0;
  b->n = l.n;
  b->node = l.v;
  b->share = scene_alloc(r, (size_t)l.n + 1, sizeof *b->share);
  b->normal = scene_alloc(r, (size_t)l.n + 1, sizeof *b->normal);
  for (int i = 0; b->share && i < l.n; i++) b->share[i] = d->total.at ? 1.0 / l.n : 1;
  return b->share && b->normal;
}

static int bed_faces(reader *r, const foundation_def *d, bed *b) {
  face_list f;
  if (!select_faces(r, d->faces, "foundation", &f)) return 0;
  double *all = face_shares(r, &f, 1);
  double(*normal)[3] = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *normal);
  b->node = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *b->node);
  b->share = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *b->share);
  b->normal = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *b->normal);
  if (!all || !normal || !b->node || !b->share || !b->normal) return 0;
  face_normals(r, &f, normal);
  b->area = f.area;
  for (int i = 0; i < r->b->nnode; i++) {
    if (all[i] == 0) continue;
    b->node[b->n] = i;
    b->share[b->n] = d->per_area.at ? all[i] : all[i] / f.area;
    memcpy(b->normal[b->n++], normal[i], sizeof normal[i]);
  }
  return 1;
}

// the direction of the springs: 0: all, 1: one for all, 2: normal to the faces; -1: reported
static int read_direction(reader *r, const foundation_def *d, double *n) {
  vec v;
  if (!d->direction) return 0;
  if (d->direction->kind == NODE_SCALAR && strcmp(d->direction->text, "normal") == 0) {
    if (d->faces) return 2;
    problem(r, d->direction, "give faces, or a direction such as [0, 0, 1]",
            "foundation: nodes have no normal");
    return -1;
  }
  if (!read_vec(r, d->direction, "direction", "", r->b->dim, 3, &v)) return -1;
  for (int c = 0; c < 3; c++) n[c] = c < v.n ? v.v[c].v : 0;
  double l = pl_norm3(n);
  for (int c = 0; c < 3 && l > 0; c++) n[c] /= l;
  if (l > 0) return 1;
  problem(r, d->direction, "e.g. [0, 0, 1]", "direction must not be zero");
  return -1;
}

static void put_bed(reader *r, int g, int e, const num *stiffness, double share, int way,
                    const double *n) {
  static const char *const name[3] = {"normal_x", "normal_y", "normal_z"};
  num k = *stiffness, none = {.par = -1};
  k.v *= share;
  k.coef *= share;
  double l = way == 2 ? pl_norm3(n) : 1;
  put_par(r, g, e, "along", &k);
  put_par(r, g, e, "across", way ? &none : &k);
  for (int c = 0; way && c < 3; c++)
    put_par(r, g, e, name[c], &(num){.v = l > 0 ? n[c] / l : 0, .par = -1});
}

void build_foundations(reader *r) {
  const items *list = &r->def.foundations;
  const pl_node *at = items_first(list);
  for (int k = 0; k < list->n && !r->failed; k++, at = at->next) {
    const foundation_def *d = (const foundation_def *)list->item + k;
    bed b = {0};
    double n[3] = {0};
    int *stencil;
    const num *value = d->stiffness.at ? &d->stiffness : d->total.at ? &d->total : &d->per_area;
    int ways = (d->stiffness.at != NULL) + (d->total.at != NULL) + (d->per_area.at != NULL);
    if (ways != 1 || (d->per_area.at && !d->faces) || (d->stiffness.at && d->faces)) {
      problem(r, at, "stiffness or total of nodes, per_area or total of faces",
              "foundation needs exactly one of 'stiffness', 'total' and 'per_area'");
      continue;
    }
    if (d->faces && (d->node || d->nodes)) {
      problem(r, d->faces, NULL, "foundation: faces stand for nodes, so give one of them");
      continue;
    }
    int way = read_direction(r, d, n);
    if (way < 0 || !(d->faces ? bed_faces(r, d, &b) : bed_nodes(r, d, at, &b))) continue;
    int g = group_add(r, d->name.s[0] ? d->name.s : "foundation", PL_ELEM_bed, b.n, &stencil);
    double sum = 0;
    for (int i = 0; g >= 0 && i < b.n; i++) {
      stencil[i] = b.node[i];
      put_bed(r, g, i, value, b.share[i], way, way == 2 ? b.normal[i] : n);
      sum += value->v * b.share[i];
    }
    note(r, "foundation", d->name.s, "%d %s, %.6g N/m together%s", b.n,
         pl_plural(b.n, "node", "nodes"), sum,
         way == 0   ? " in every direction"
         : way == 1 ? " along one direction"
                    : " normal to the faces");
  }
}

// ---- swelling -----------------------------------------------------------------------------------

pl_value read_growth(reader *r, const num *swelling, const num *temperature,
                     const material_def *m) {
  double warm_start = temperature->v, by = m->expansion.v;
  const num *all[3] = {swelling, temperature, &m->expansion};
  const double slope[3] = {1, by, warm_start};
  pl_value v = {.v = 1 + swelling->v + by * warm_start};
  if (!swelling->at && !temperature->at) return (pl_value){0};
  if (temperature->at && !m->expansion.at) {
    problem(r, temperature->at, "e.g. expansion: 1.2e-5 (per kelvin) in the material",
            "temperature: the material '%s' does not say how it expands", m->name.s);
    return v;
  }
  for (int k = 0; k < 3; k++) {
    if (all[k]->par < 0) continue;
    if (v.par)
      problem(r, all[k]->at, "give one of them as a number",
              "only one of swelling, temperature and expansion can follow a parameter");
    v.par = all[k]->par + 1;
    v.coef = all[k]->coef * slope[k];
  }
  if (!(v.v > 0))
    problem(r, swelling->at ? swelling->at : temperature->at, NULL,
            "the natural shape would shrink to nothing: %.4g of its length", v.v);
  return v;
}
