#include "build_body.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A weld makes nodes one, which passes forces and no moments: a rod that ends on a shell or solid
// hangs there by a ball joint, and sheets that meet others along a line have a hinge. Rods among
// themselves are rigidly joined.

static int bends(reader *r, const body_slot *b) {
  return b->def->shell && shell_bending(r, b->def->shell) != PL_BENDING_NONE;
}

// how many nodes of a body are marked; at[3]: one of them
static int count_shared(const reader *r, const body_slot *b, const char *in, double at[3]) {
  int n = 0;
  for (int i = 0; i < b->n; i++)
    if (in[b->node[i]] && n++ == 0) memcpy(at, r->b->X + 3 * (size_t)b->node[i], 3 * sizeof *at);
  return n;
}

// the marked nodes of a body lie in a line; far[3]: its end
static int in_line(const reader *r, const body_slot *b, const char *in, const double at[3],
                   double far[3]) {
  double most = 0, d[3], along[3], off = 0, c[3];
  for (int i = 0; i < b->n; i++) {
    const double *x = r->b->X + 3 * (size_t)b->node[i];
    if (!in[b->node[i]]) continue;
    pl_sub3(x, at, d);
    if (pl_norm3(d) <= most) continue;
    most = pl_norm3(d);
    memcpy(far, x, 3 * sizeof *far);
  }
  pl_sub3(far, at, along);
  for (int i = 0; i < b->n && most > 0; i++) {
    if (!in[b->node[i]]) continue;
    pl_sub3(r->b->X + 3 * (size_t)b->node[i], at, d);
    pl_cross3(along, d, c);
    off = fmax(off, pl_norm3(c) / most);
  }
  return most > 0 && off <= 1e-6 * most;
}

// an edge of a rod both of whose ends are marked turns with what it lies on
static int shares_edge(const body_slot *b, const char *in) {
  const pl_cells *c = &b->mesh->cell[PL_SEG2];
  for (int e = 0; e < c->n; e++)
    if (in[b->node[c->v[2 * e]]] && in[b->node[c->v[2 * e + 1]]]) return 1;
  return 0;
}

static void check_pair(reader *r, const body_slot *a, const body_slot *b, char *in) {
  double at[3] = {0}, far[3] = {0};
  const char *one = a->def->name.s, *other = b->def->name.s;
  char hint[PL_TEXT];
  memset(in, 0, (size_t)r->b->nnode);
  for (int i = 0; i < b->n; i++) in[b->node[i]] = 1;
  int n = count_shared(r, a, in, at);
  if (n == 0) return;
  snprintf(hint, sizeof hint,
           "%sjoins: [{tie: %s of %s, faces: %s}] instead of the weld passes moments",
           a->def->rod ? "" : "in one mesh such an edge is rigid; or ",
           a->def->rod ? "the end" : "the edge", one, other);
  if (a->def->rod && !shares_edge(a, in))
    warning(r, r->def.weld.at, hint,
            "rod '%s' hangs on %s '%s' by a ball joint at [%.4g, %.4g, %.4g] m: a weld passes no "
            "moment",
            one, b->kind, other, at[0], at[1], at[2]);
  else if (bends(r, a) && n > 1 && in_line(r, a, in, at, far))
    warning(r, r->def.weld.at, hint,
            "shell '%s' turns about %s '%s' along the line from [%.4g, %.4g, %.4g] to [%.4g, %.4g, "
            "%.4g] m as on a hinge: a weld passes no moment",
            one, b->kind, other, at[0], at[1], at[2], far[0], far[1], far[2]);
}

void check_welds(reader *r) {
  if (!r->def.weld.at || r->b->dim != 3) return;
  char *in = scene_alloc(r, (size_t)r->b->nnode + 1, 1);
  for (int k = 0; in && k < r->nbody; k++)
    for (int i = 0; i < r->nbody; i++) {
      const body_slot *a = &r->body[k], *b = &r->body[i];
      int rod = a->def->rod && (bends(r, b) || b->def->solid);
      int sheet = bends(r, a) && (b->def->solid || (bends(r, b) && k < i));
      if (k != i && a->mesh && b->mesh && (rod || sheet)) check_pair(r, a, b, in);
    }
}
