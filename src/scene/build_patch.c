#include "scene_impl.h"

#include "pliant/math.h"
#include "pliant/report.h"

#include <string.h>

// Patches of interlocking materials.

enum { OUTLINE_MAX = 10000 };
enum { LEFT, RIGHT, FRONT, BACK, RIM }; // as in the schema

const char *patch_name(const reader *r, const patch_def *d) {
  const mail_def *m = r->def.interlocking.item;
  if (d->name.at) return d->name.s;
  return d->of.at ? d->of.s : r->def.interlocking.n > 0 ? mail_name(&m[0]) : "";
}

static int find_material(reader *r, const patch_def *d, const pl_node *at) {
  const mail_def *m = r->def.interlocking.item;
  int n = r->def.interlocking.n;
  if (n == 0)
    problem(r, at, "e.g. interlocking: [{four-in-one: {}}]",
            "a patch needs an interlocking material, there is none");
  if (n == 0 || !d->of.at) return n > 0 ? 0 : -1;
  for (int k = 0; k < n; k++)
    if (strcmp(mail_name(&m[k]), d->of.s) == 0) return k;
  problem(r, d->of.at, NULL, "of: there is no interlocking material '%.60s'", d->of.s);
  return -1;
}

// ---- what is cut out ----------------------------------------------------------------------------

static int read_cells(reader *r, const pl_node *at, int out[2]) {
  const pl_node *e = at->first;
  if (at->kind != NODE_LIST || at->n != 2) {
    problem(r, at, "e.g. cells: [8, 8]", "cells are two whole numbers");
    return 0;
  }
  for (int k = 0; k < 2; k++, e = e->next)
    if (!read_int(r, e, "cells", 1, PL_PATCH_MAX, &out[k])) return 0;
  return 1;
}

static double side_of(const double a[2], const double b[2], const double p[2]) {
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

// two sides of a polygon that cross each other; 0: there are none
static int find_crossing(int n, const double (*x)[2], int out[2]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j + 1 < i; j++) {
      const double *a = x[i], *b = x[(i + 1) % n], *c = x[j], *d = x[j + 1];
      if (side_of(a, b, c) * side_of(a, b, d) >= 0 || side_of(c, d, a) * side_of(c, d, b) >= 0)
        continue;
      out[0] = j + 1;
      out[1] = i + 1;
      return 1;
    }
  return 0;
}

// corners of a CSV file: its first two columns
static int read_outline_file(reader *r, const pl_node *at, pl_cut *c) {
  static const char *const hint = "the header is e.g. x_mm,y_mm, a row for each corner";
  char path[PL_TEXT];
  pl_table *t = NULL;
  double scale[2], (*point)[2] = NULL;
  int ok = read_csv(r, at, "outline", path, &t), n = ok ? pl_table_rows(t) : 0;
  if (ok && (n < 3 || n > OUTLINE_MAX || pl_table_cols(t) < 2)) {
    problem_at(r, path, pl_table_line(t), 0, hint,
               "an outline has 3 to %d corners, x and y of each", OUTLINE_MAX);
    ok = 0;
  }
  for (int k = 0; ok && k < 2; k++) ok = column_scale(r, path, t, k, "m", hint, &scale[k]);
  if (ok) ok = (point = scene_alloc(r, (size_t)n, sizeof *point)) != NULL;
  for (int i = 0; ok && i < n; i++)
    for (int k = 0; k < 2; k++)
      point[i][k] = scale[k] * pl_table_data(t)[(size_t)i * (size_t)pl_table_cols(t) + (size_t)k];
  pl_table_free(t);
  c->npoint = n;
  c->point = (const double(*)[2])point;
  return ok;
}

static int read_outline_list(reader *r, const pl_node *at, pl_cut *c) {
  if (at->kind != NODE_LIST || at->n < 3 || at->n > OUTLINE_MAX) {
    problem(r, at, "e.g. outline: [[0, 0], [60 mm, 0], [0, 60 mm]], or a CSV file of them",
            "an outline has 3 to %d corners", OUTLINE_MAX);
    return 0;
  }
  double(*point)[2] = scene_alloc(r, (size_t)at->n, sizeof *point);
  if (!point) return 0;
  for (const pl_node *e = at->first; e; e = e->next, c->npoint++) {
    vec v = {0};
    if (!read_vec(r, e, "outline", "m", 2, 2, &v)) return 0;
    for (int k = 0; k < 2; k++) point[c->npoint][k] = v.v[k].v;
  }
  c->point = (const double(*)[2])point;
  return 1;
}

static int read_outline(reader *r, const pl_node *at, pl_cut *c) {
  int cross[2];
  if (!(at->kind == NODE_SCALAR ? read_outline_file(r, at, c) : read_outline_list(r, at, c)))
    return 0;
  if (!find_crossing(c->npoint, c->point, cross)) return 1;
  problem(r, at, "give its corners in order, round about",
          "outline: its sides from corners %d and %d on cross each other", cross[0], cross[1]);
  return 0;
}

static int read_cut(reader *r, const patch_def *d, const pl_node *at, pl_cut *c) {
  int ways = (d->cells != NULL) + (d->shells.at != NULL) + (d->disk.at != NULL) +
             (d->rectangle != NULL) + (d->outline != NULL);
  *c = (pl_cut){.kind = PL_CUT_CELLS, .shells = d->shells.v, .size = {d->disk.v}};
  if (ways != 1) {
    problem(r, at, "e.g. cells: [8, 8]",
            "a patch needs exactly one of cells, shells, disk, rectangle and outline");
    return 0;
  }
  if (d->cells) return read_cells(r, d->cells, c->cells);
  if (d->shells.at) c->kind = PL_CUT_SHELLS;
  if (d->disk.at) c->kind = PL_CUT_DISK;
  if (d->outline) {
    c->kind = PL_CUT_OUTLINE;
    return read_outline(r, d->outline, c);
  }
  if (!d->rectangle) return 1;
  vec v = {0};
  c->kind = PL_CUT_RECTANGLE;
  if (!read_vec(r, d->rectangle, "rectangle", "m", 2, 2, &v)) return 0;
  for (int k = 0; k < 2; k++) c->size[k] = v.v[k].v;
  if (!(c->size[0] > 0) || !(c->size[1] > 0)) {
    problem(r, d->rectangle, NULL, "sides of a rectangle must be > 0");
    return 0;
  }
  return 1;
}

// ---- which elements -----------------------------------------------------------------------------

typedef struct layout {
  int n;
  const pl_cut_element *e; // where the material lies
  const pl_pose *pose;     // where the patch lies
  double ball;             // of an element, about
} layout;

static void pick_edge(const layout *l, int edge, char *out) {
  int axis = edge == FRONT || edge == BACK;
  double sign = edge == LEFT || edge == FRONT ? -1 : 1, most = -INFINITY;
  for (int i = 0; i < l->n; i++) most = fmax(most, sign * l->e[i].pose.x[axis]);
  for (int i = 0; i < l->n; i++)
    out[i] = edge == RIM ? l->e[i].rim != 0 : sign * l->e[i].pose.x[axis] > most - l->ball / 4;
}

static void pick_near(const layout *l, const double x[3], char *out) {
  double least = INFINITY;
  int best = 0;
  for (int i = 0; i < l->n; i++) {
    double w[3];
    pl_sub3(l->pose[i].x, x, w);
    if (!(pl_norm3(w) < least * (1 - 1e-9))) continue;
    least = pl_norm3(w);
    best = i;
  }
  out[best] = 1;
}

static void pick_box(const layout *l, const vec *from, const vec *to, char *out) {
  for (int i = 0; i < l->n; i++) {
    out[i] = 1;
    for (int c = 0; c < 3; c++) {
      double a = from->v[c].v, b = to->v[c].v, x = l->pose[i].x[c];
      out[i] &= x >= fmin(a, b) && x <= fmax(a, b);
    }
  }
}

static void pick_numbers(reader *r, const layout *l, const pl_node *at, char *out) {
  int many = at->kind == NODE_LIST;
  for (const pl_node *e = many ? at->first : at; e; e = many ? e->next : NULL) {
    int k;
    if (read_int(r, e, "elements", 1, l->n, &k)) out[k - 1] = 1;
  }
}

static void pick_middle(const layout *l, char *out) {
  double x[3] = {0};
  for (int i = 0; i < l->n; i++)
    for (int c = 0; c < 3; c++) x[c] += l->pose[i].x[c] / l->n;
  pick_near(l, x, out);
}

// 0: nothing says which, or it is wrong
static int choose(reader *r, const layout *l, const patch_pick_def *d, const pl_node *at, int must,
                  char *out) {
  int ways = (d->edge.at != NULL) + (d->near.at != NULL) + (d->from.at || d->to.at) +
             (d->elements != NULL);
  memset(out, 0, (size_t)l->n);
  if (ways > 1 || (must && ways == 0) || !d->from.at != !d->to.at) {
    problem(r, at, "e.g. {edge: left}, {near: [0, 0, 0]} or {from: [0, 0, 0], to: [1, 1, 1]}",
            "exactly one of edge, near, elements, and from with to says which elements");
    return 0;
  }
  double x[3];
  for (int c = 0; c < 3; c++) x[c] = d->near.v[c].v;
  if (d->edge.at) pick_edge(l, d->edge.v, out);
  if (d->near.at) pick_near(l, x, out);
  if (d->from.at) pick_box(l, &d->from, &d->to, out);
  if (d->elements) pick_numbers(r, l, d->elements, out);
  if (ways == 0) pick_middle(l, out);
  int n = 0;
  for (int i = 0; i < l->n; i++) n += out[i];
  if (n == 0 && !has_problem(r, at)) problem(r, at, NULL, "no element of the patch is chosen");
  return n > 0;
}

static void hold_elements(reader *r, const layout *l, const items *list, char *held,
                          pl_scene_patch *out) {
  const patch_pick_def *d = list->item;
  const pl_node *at = items_first(list);
  char *one = scene_alloc(r, (size_t)l->n + 1, 1);
  for (int k = 0; one && k < list->n; k++, at = at->next)
    if (choose(r, l, &d[k], at, 1, one))
      for (int i = 0; i < l->n; i++) held[i] |= one[i];
  for (int i = 0; i < l->n; i++) out->nheld += held[i];
}

static void load_elements(reader *r, const layout *l, const items *list, double (*load)[3],
                          pl_scene_patch *out) {
  const patch_pick_def *d = list->item;
  const pl_node *at = items_first(list);
  char *one = scene_alloc(r, (size_t)l->n + 1, 1);
  for (int k = 0; one && k < list->n; k++, at = at->next) {
    if (!choose(r, l, &d[k], at, 0, one)) continue;
    for (int i = 0; i < l->n; i++)
      for (int c = 0; one[i] && c < 3; c++) load[i][c] += d[k].force.v[c].v;
    for (int i = 0; i < l->n; i++) out->nloaded += one[i];
  }
}

// -----------------------------------------------------------------------------------------------

static int place(reader *r, const patch_def *d, int n, const pl_cut_element *e, pl_pose *out,
                 pl_scene_patch *of) {
  double axis[3] = {0, 0, 1}, *R = of->rot;
  for (int c = 0; d->rotate && d->rotate->axis.at && c < 3; c++) axis[c] = d->rotate->axis.v[c].v;
  if (!(pl_norm3(axis) > 0)) {
    problem(r, d->rotate->axis.at, NULL, "axis cannot be this direction");
    return 0;
  }
  pl_rotation3(axis, d->rotate ? d->rotate->angle.v : 0, R);
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++) out[i].x[c] = pl_dot3(R + 3 * c, e[i].pose.x) + d->at.v[c].v;
    pl_mul3(R, e[i].pose.Q, out[i].Q);
  }
  for (int c = 0; c < 3; c++) of->at[c] = d->at.v[c].v;
  return 1;
}

static void fill_patch(reader *r, const patch_def *d, const pl_scene_mail *of, int n,
                       const pl_cut_element *e, pl_scene_patch *out) {
  size_t size = (size_t)n + 1;
  const pl_mail *m = of->m;
  const pl_mail_element **elem = scene_alloc(r, size, sizeof *elem);
  pl_pose *pose = scene_alloc(r, size, sizeof *pose);
  char *held = scene_alloc(r, size, sizeof *held);
  double(*load)[3] = scene_alloc(r, size, sizeof *load);
  pl_cut_element *cut = scene_alloc(r, size, sizeof *cut);
  if (!elem || !pose || !held || !load || !cut || !place(r, d, n, e, pose, out)) return;
  for (int i = 0; i < n; i++) cut[i] = e[i];
  out->cut = cut;
  for (int i = 0; i < n; i++) elem[i] = &m->kind[m->kind_of[e[i].elem]];
  out->p = (pl_patch){.n = n,
                      .elem = elem,
                      .pose = pose,
                      .held = held,
                      .load = (const double(*)[3])load,
                      .density = of->density};
  for (int i = 0; i < n; i++) out->mass += of->density * of->kind_volume[m->kind_of[e[i].elem]];
  for (int c = 0; r->def.gravity.at && c < 3; c++) out->p.gravity[c] = r->def.gravity.v[c].v;
  layout l = {
      n, e, pose,
      fmin(hypot(m->lattice[0][0], m->lattice[0][1]), hypot(m->lattice[1][0], m->lattice[1][1]))};
  hold_elements(r, &l, &d->held, held, out);
  load_elements(r, &l, &d->loads, load, out);
}

static void build_patch(reader *r, const patch_def *d, const pl_node *at, const pl_scene *s,
                        pl_scene_patch *out) {
  pl_cut cut;
  pl_cut_element *e;
  int n, mail = find_material(r, d, at);
  out->name = patch_name(r, d);
  out->mail = mail;
  if (r->b->dim != 3) problem(r, at, NULL, "patches need dimension 3");
  if (mail < 0 || has_problem(r, at) || !read_cut(r, d, at, &cut)) return;
  const pl_mail *m = s->mail[mail].m;
  if (!m || s->mail[mail].gap <= 0) return;
  pl_status st = pl_mail_cut(r->env, m, &cut, &n, &e);
  if (st == PL_E_NOMEM) r->failed = st;
  if (st == PL_DOMAIN)
    problem(r, at, "make it smaller", "a patch has at most %d elements", PL_PATCH_MAX);
  if (st != PL_OK) return;
  if (n == 0)
    problem(r, at, "make it larger than a cell of the material", "the patch has no element");
  else
    fill_patch(r, d, &s->mail[mail], n, e, out);
  pl_free(r->env, e);
  if (n > 0 && !r->failed && out->nheld == n)
    problem(r, at, NULL, "all elements of the patch are held");
}

void build_patches(reader *r, pl_scene *s) {
  const items *list = &r->def.patches;
  const patch_def *d = list->item;
  const pl_node *at = items_first(list);
  pl_scene_patch *patch = scene_alloc(r, (size_t)list->n + 1, sizeof *patch);
  if (!patch) return;
  s->patch = patch;
  for (int k = 0; k < list->n && !r->failed; k++, at = at->next) {
    for (int i = 0; i < k; i++)
      if (strcmp(patch_name(r, &d[i]), patch_name(r, &d[k])) == 0)
        problem(r, at, "give it a name", "another patch is called '%.60s' already",
                patch_name(r, &d[k]));
    build_patch(r, &d[k], at, s, &patch[s->npatch++]);
  }
}
