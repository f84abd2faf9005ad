#include "scene_impl.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

// ---- links ------------------------------------------------------------------------------------

// exactly n nodes of a list
static int read_joints(reader *r, const pl_node *at, const char *what, int n, int *node) {
  int k = 0, ok = 1;
  if (at->kind != NODE_LIST || at->n != n) {
    problem(r, at, NULL, "%s: joints needs %d %s", what, n, pl_plural(n, "name", "names"));
    return 0;
  }
  for (const pl_node *d = at->first; d; d = d->next) ok &= select_one(r, d, "joint", &node[k++]);
  for (int i = 0; ok && i < n; i++)
    for (int j = 0; j < i; j++)
      if (node[i] == node[j]) {
        problem(r, at, NULL, "%s names a joint twice", what);
        return 0;
      }
  return ok;
}

// links at each node: ptr[nnode + 1], entry = 2 link + end
static int build_graph(reader *r, int **ptr, int **entry) {
  *ptr = scene_alloc(r, (size_t)r->b->nnode + 2, sizeof **ptr);
  *entry = scene_alloc(r, 2 * (size_t)r->nlink + 1, sizeof **entry);
  if (!*ptr || !*entry) return 0;
  int *p = *ptr;
  for (int k = 0; k < 2 * r->nlink; k++) p[r->link_joint[k / 2][k % 2] + 2]++;
  for (int i = 0; i < r->b->nnode; i++) p[i + 2] += p[i + 1];
  for (int k = 0; k < 2 * r->nlink; k++) (*entry)[p[r->link_joint[k / 2][k % 2] + 1]++] = k;
  return 1;
}

// marks what hangs on the second joint of a link when the link is cut; 0: the first joint too
static int downstream(const reader *r, const int *ptr, const int *entry, int link, int *mark,
                      int *stack, int *n) {
  *n = 0;
  stack[(*n)++] = r->link_joint[link][1];
  mark[stack[0]] = link + 1;
  for (int i = 0; i < *n; i++)
    for (int k = ptr[stack[i]]; k < ptr[stack[i] + 1]; k++) {
      int other = r->link_joint[entry[k] / 2][1 - entry[k] % 2];
      if (entry[k] / 2 == link || mark[other] == link + 1) continue;
      mark[other] = link + 1;
      stack[(*n)++] = other;
    }
  return mark[r->link_joint[link][0]] != link + 1;
}

// a given length moves the second joint, and all that hangs on it, along the link; directions are
// those of the joints as written, so that several lengths add up
static void move_joints(reader *r) {
  int *ptr, *entry, n, many = 0;
  for (int k = 0; k < r->nlink; k++) many += r->link[k]->length.at != NULL;
  if (many == 0 || !build_graph(r, &ptr, &entry)) return;
  int *mark = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *mark);
  int *stack = scene_alloc(r, (size_t)r->b->nnode + 1, sizeof *stack);
  double *shift = scene_alloc(r, 3 * (size_t)r->b->nnode + 1, sizeof *shift);
  if (!mark || !stack || !shift) return;
  if ((double)many * r->nlink > 1e8) {
    problem(r, r->link[0]->joints, NULL, "too many links with a length");
    return;
  }
  for (int k = 0; k < r->nlink; k++) {
    const num *length = &r->link[k]->length;
    if (!length->at) continue;
    double d[3];
    pl_sub3(r->b->X + 3 * (size_t)r->link_joint[k][1], r->b->X + 3 * (size_t)r->link_joint[k][0],
            d);
    double l = pl_norm3(d);
    if (!(l > 0)) continue;
    if (!downstream(r, ptr, entry, k, mark, stack, &n)) {
      problem(r, length->at, "move the joints instead",
              "the link is part of a loop, so its length cannot be given");
      continue;
    }
    for (int i = 0; i < n; i++)
      for (int c = 0; c < r->b->dim; c++) {
        shift[3 * (size_t)stack[i] + c] += (length->v - l) * d[c] / l;
        follow(r, PL_AT_X, stack[i], c, 0, length, d[c] / l);
      }
  }
  for (int i = 0; i < 3 * r->b->nnode; i++) r->b->X[i] += shift[i];
}

static void build_links(reader *r, const items *links) {
  const link_def *d = links->item;
  int *stencil;
  r->link = scene_alloc(r, (size_t)links->n + 1, sizeof *r->link);
  r->link_joint = scene_alloc(r, (size_t)links->n + 1, sizeof *r->link_joint);
  if (!r->link || !r->link_joint) return;
  for (int k = 0; k < links->n; k++) {
    // a link that is wrong keeps its name, so that its uses are not reported as well
    int index = -1;
    if (d[k].joints && read_joints(r, d[k].joints, "link", 2, r->link_joint[r->nlink])) {
      index = r->nlink;
      r->link[r->nlink++] = &d[k];
    }
    if (d[k].name.at) name_add(r, &r->names, d[k].name.s, NAME_LINK, index, d[k].name.at);
  }
  for (int k = 0; k < r->nlink; k++) {
    const int *j = r->link_joint[k];
    double e[3];
    pl_sub3(r->b->X + 3 * (size_t)j[1], r->b->X + 3 * (size_t)j[0], e);
    if (!(pl_norm3(e) > 0))
      problem(r, r->link[k]->joints, NULL, "the link has no length: its joints are at one place");
  }
  move_joints(r);
  if (r->nlink == 0) return;
  int g = group_add(r, "links", PL_ELEM_link, r->nlink, &stencil);
  for (int k = 0; g >= 0 && k < r->nlink; k++) {
    memcpy(stencil + 2 * k, r->link_joint[k], 2 * sizeof *stencil);
    put_par(r, g, k, "stiffness", &r->link[k]->stiffness);
    put_par(r, g, k, "mass", &r->link[k]->mass);
    int line = pl_build_line(r->b, r->link_joint[k][0], r->link_joint[k][1]);
    if (k == 0) pl_build_lines_of(r->b, g, line);
    if (r->weakest_link == 0 || r->link[k]->stiffness.v < r->weakest_link) {
      r->weakest_link = r->link[k]->stiffness.v;
      r->weakest_at = r->link[k]->stiffness.at ? r->link[k]->stiffness.at : r->link[k]->joints;
    }
  }
}

static void build_angles(reader *r, const items *angles) {
  const angle_def *d = angles->item;
  int *stencil, n = 0;
  if (angles->n == 0) return;
  if (r->b->dim != 2) {
    problem(r, angles->at, "in space, brace the joint with a third link",
            "rigid angles need dimension 2");
    return;
  }
  int g = group_add(r, "angles", PL_ELEM_angle, angles->n, &stencil);
  for (int k = 0; g >= 0 && k < angles->n; k++) {
    if (!d[k].joints || !read_joints(r, d[k].joints, "angle", 3, stencil + 3 * n)) continue;
    put_par(r, g, n++, "stiffness", &d[k].stiffness);
  }
}

void build_mechanism(reader *r) {
  const mechanism_def *m = r->def.mechanism;
  if (!m || !m->joints || r->b->dim == 1) return;
  build_links(r, &m->links);
  build_angles(r, &m->angles);
}

// ---- springs ----------------------------------------------------------------------------------

// an end of a spring: an unknown, or a point of a link (a node: both ends the same)
typedef struct spring_end {
  int dof;  // scalar springs; -1: ground
  int a, b; // axial springs
  num s;
} spring_end;

static int has_axis(const char *s) {
  const char *dot = strrchr(s, '.');
  return dot && axis_index(dot + 1) >= 0;
}

int is_scalar_end(const pl_node *at) {
  return at->kind == NODE_SCALAR && (strcmp(at->text, "ground") == 0 || has_axis(at->text));
}

static int read_link_point(reader *r, const pl_node *at, spring_end *e) {
  const char *sign = strchr(at->text, '@');
  char name[128], hint[PL_TEXT];
  unit_dim none = {{0}};
  snprintf(name, sizeof name, "%.*s", (int)(sign - at->text < 127 ? sign - at->text : 127),
           at->text);
  const name_entry *n = name_find(&r->names, name);
  if (!n || n->kind != NAME_LINK) {
    name_hint(r, &r->names, name, 1u << NAME_LINK, hint, sizeof hint);
    problem(r, at, hint, "there is no link '%s'", name);
    return 0;
  }
  if (n->index < 0) return 0;
  e->a = r->link_joint[n->index][0];
  e->b = r->link_joint[n->index][1];
  return read_num_text(r, at, "place on the link", sign + 1, &none, &e->s);
}

static int read_end(reader *r, const pl_node *at, int scalar_end, spring_end *e) {
  *e = (spring_end){.s = {.par = -1}};
  if (scalar_end) return select_dof(r, at, "end of the spring", &e->dof);
  if (at->kind == NODE_SCALAR && strchr(at->text, '@')) return read_link_point(r, at, e);
  if (!select_one(r, at, "end of the spring", &e->a)) return 0;
  e->b = e->a;
  return 1;
}

// the two ends: nodes: [a, b], or from and to
static int find_ends(reader *r, const spring_def *d, const pl_node *at, const pl_node *end[2]) {
  if (d->nodes && !d->from && !d->to) {
    if (d->nodes->kind == NODE_LIST && d->nodes->n == 2) {
      end[0] = d->nodes->first;
      end[1] = d->nodes->last;
      return 1;
    }
    problem(r, d->nodes, "e.g. [a, b]", "nodes of a spring must be a list of its two ends");
    return 0;
  }
  end[0] = d->from;
  end[1] = d->to;
  if (!d->nodes && d->from && d->to) return 1;
  problem(r, at, NULL, "spring needs 'nodes', or 'from' and 'to'");
  return 0;
}

// p = a + s (b - a) + o J u, J the quarter turn in the xy plane
static void end_point(const reader *r, const spring_end *e, double offset, double *p) {
  const double *a = r->b->X + 3 * (size_t)e->a, *b = r->b->X + 3 * (size_t)e->b;
  double d[3];
  pl_sub3(b, a, d);
  double l = pl_norm3(d);
  for (int c = 0; c < 3; c++) p[c] = a[c] + e->s.v * d[c];
  if (l > 0) {
    p[0] -= offset * d[1] / l;
    p[1] += offset * d[0] / l;
  }
}

static void refuse_keys(reader *r, const char *why, int n, const num *const *value,
                        const char *const *key) {
  for (int k = 0; k < n; k++)
    if (value[k]->at) problem(r, value[k]->at, NULL, "%s %s", key[k], why);
}

static void put_scalar(reader *r, int group, int k, const spring_def *d, const spring_end *e,
                       int *stencil) {
  refuse_keys(r, "is not for springs of one unknown", 3,
              (const num *const[]){&d->rest, &d->from_offset, &d->to_offset},
              (const char *const[]){"rest", "from_offset", "to_offset"});
  stencil[0] = e[0].dof;
  stencil[1] = e[1].dof;
  put_par(r, group, k, "stiffness", &d->stiffness);
  put_par(r, group, k, "quadratic", &d->quadratic);
  put_par(r, group, k, "cubic", &d->cubic);
  put_par(r, group, k, "damping", &d->damping);
  if (r->b->dim > 1 || e[0].dof < 0 || e[1].dof < 0) return;
  pl_build_line(r->b, e[0].dof, e[1].dof);
}

static void put_axial(reader *r, int group, int k, const spring_def *d, const spring_end *e,
                      const pl_node *at, int *stencil) {
  refuse_keys(r, "is for springs of one unknown, such as 'tip.y' to 'ground'", 2,
              (const num *const[]){&d->quadratic, &d->cubic},
              (const char *const[]){"quadratic", "cubic"});
  double p[2][3], span[3];
  end_point(r, &e[0], d->from_offset.v, p[0]);
  end_point(r, &e[1], d->to_offset.v, p[1]);
  pl_sub3(p[1], p[0], span);
  num rest = d->rest;
  if (!rest.at) rest.v = pl_norm3(span);
  if (!(pl_norm3(span) > 0) && (rest.v > 0 || d->damping.v != 0))
    problem(r, at, NULL, "the two ends of the spring are at one place");
  for (int i = 0; i < 2; i++) {
    const num *offset = i ? &d->to_offset : &d->from_offset;
    stencil[2 * i] = e[i].a;
    stencil[2 * i + 1] = e[i].b;
    if (offset->at && e[i].a == e[i].b)
      problem(r, offset->at, NULL, "an offset needs an end on a link, such as 'femur@0.5'");
    put_par(r, group, k, i ? "s1" : "s0", &e[i].s);
    put_par(r, group, k, i ? "offset1" : "offset0", offset);
  }
  put_par(r, group, k, "stiffness", &d->stiffness);
  put_par(r, group, k, "damping", &d->damping);
  put_par(r, group, k, "rest", &rest);
  if (d->stiffness.v > r->stiffest) r->stiffest = d->stiffness.v;
  if (e[0].a == e[0].b && e[1].a == e[1].b) pl_build_line(r->b, e[0].a, e[1].a);
}

void build_springs(reader *r, const items *springs) {
  const spring_def *d = springs->item;
  if (springs->n == 0) return;
  spring_end(*end)[2] = scene_alloc(r, (size_t)springs->n, sizeof *end);
  char *type = scene_alloc(r, (size_t)springs->n, 1); // 0: bad, 1: scalar, 2: axial
  int count[3] = {0}, group[3] = {0}, *stencil[3] = {0}, done[3] = {0};
  if (!end || !type) return;
  const pl_node *first = items_first(springs);
  const pl_node *at = first;
  for (int k = 0; k < springs->n; k++, at = at->next) {
    const pl_node *e[2];
    if (!find_ends(r, &d[k], at, e)) continue;
    int one = r->b->dim == 1 || is_scalar_end(e[0]) || is_scalar_end(e[1]);
    int ok = read_end(r, e[0], one, &end[k][0]) & read_end(r, e[1], one, &end[k][1]);
    if (ok && one && end[k][0].dof == end[k][1].dof) {
      problem(r, at, NULL, "both ends of the spring are the same");
      ok = 0;
    }
    if (ok) type[k] = one ? 1 : 2;
    count[(int)type[k]]++;
  }
  if (count[1] > 0) group[1] = group_add(r, "springs", PL_ELEM_spring1, count[1], &stencil[1]);
  if (count[2] > 0) group[2] = group_add(r, "springs", PL_ELEM_spring, count[2], &stencil[2]);
  if (r->failed) return;
  at = first;
  for (int k = 0; k < springs->n; k++, at = at->next) {
    int t = type[k], i = t ? done[t]++ : 0;
    if (t == 1) put_scalar(r, group[1], i, &d[k], end[k], stencil[1] + 2 * i);
    if (t == 2) put_axial(r, group[2], i, &d[k], end[k], at, stencil[2] + 4 * i);
  }
}
