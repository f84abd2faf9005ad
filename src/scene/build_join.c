// Joins: rigid couplings, mean motions, ties.
#include "scene_impl.h"

#include <stdio.h>
#include <string.h>

// nodes and point of rigid and spread; 0: reported
static int read_coupling(reader *r, const join_def *d, const pl_node *at, pl_join_desc *out,
                         node_list *nodes) {
  const pl_node *point = d->rigid ? d->rigid : d->spread;
  if (d->faces || d->tolerance.at) {
    problem(r, d->faces ? d->faces : d->tolerance.at, "give nodes",
            "join: 'faces' and 'tolerance' belong to 'tie'");
    return 0;
  }
  if (!d->nodes) {
    problem(r, at, "e.g. nodes: body where x > 99 mm", "join needs 'nodes'");
    return 0;
  }
  if (!select_one(r, point, d->rigid ? "rigid" : "spread", &out->point)) return 0;
  if (!select_nodes(r, d->nodes, "nodes", nodes)) return 0;
  if (d->spread && nodes->n < 3) {
    problem(r, d->nodes, "use 'rigid'", "spread needs three or more nodes, got %d", nodes->n);
    return 0;
  }
  return 1;
}

static int read_tie(reader *r, const join_def *d, const pl_node *at, pl_join_desc *out,
                    node_list *nodes) {
  node_list to;
  if (d->nodes) {
    problem(r, d->nodes, "tie: nodes, faces: those they lie on",
            "join: the nodes of a tie stand behind 'tie'");
    return 0;
  }
  if (!d->faces) {
    problem(r, at, "e.g. faces: body boundary", "a tie needs 'faces'");
    return 0;
  }
  if (!select_nodes(r, d->tie, "tie", nodes) || !select_nodes(r, d->faces, "faces", &to)) return 0;
  out->nto = to.n;
  out->to = to.v;
  out->tolerance = d->tolerance.v;
  return 1;
}

void build_joins(reader *r) {
  const items *joins = &r->def.joins;
  const pl_node *at = items_first(joins);
  for (int k = 0; k < joins->n && !r->failed; k++, at = at->next) {
    const join_def *d = (const join_def *)joins->item + k;
    char name[32];
    node_list nodes;
    snprintf(name, sizeof name, "join-%d", k + 1);
    pl_join_desc out = {.name = d->name.s[0] ? d->name.s : name,
                        .kind = d->rigid    ? PL_JOIN_RIGID
                                : d->spread ? PL_JOIN_SPREAD
                                            : PL_JOIN_TIE,
                        .moments = d->moments.v,
                        .stiffness = d->stiffness.v,
                        .origin = at};
    if ((d->rigid != NULL) + (d->spread != NULL) + (d->tie != NULL) != 1) {
      problem(r, at, "rigid: node, nodes: ...; or tie: nodes, faces: ...",
              "join needs exactly one of 'rigid', 'spread' and 'tie'");
      continue;
    }
    if (r->b->dim != 3) {
      problem(r, at, NULL, "joins need dimension 3");
      return;
    }
    if (!(d->tie ? read_tie : read_coupling)(r, d, at, &out, &nodes)) continue;
    out.n = nodes.n;
    out.node = nodes.v;
    if (pl_build_attach(r->b, &out) < 0) r->failed = PL_E_NOMEM;
  }
}
