// Mapping of joins.
#include "schema.h"

static const row join_rows[] = {
    NAME_ROW(join_def),
    ROW(join_def, rigid, "rigid", T_RAW, .choices = "selector",
        .text = "a node that the nodes are rigidly coupled to: it has three rotations besides, "
                "which `clamp` holds and moments turn; rigid, spread or tie must be given"),
    ROW(join_def, spread, "spread", T_RAW, .choices = "selector",
        .text = "a node that follows the mean motion and turn of the nodes, and passes forces and "
                "moments on to them without making them stiff"),
    ROW(join_def, tie, "tie", T_RAW, .choices = "selector",
        .text = "nodes that stay where they are on faces of another body"),
    ROW(join_def, nodes, "nodes", T_RAW, .choices = "selector",
        .text = "the nodes of rigid and spread"),
    ROW(join_def, faces, "faces", T_RAW, .choices = "selector",
        .text = "of tie: faces of shells and solids all of whose nodes are chosen"),
    ROW(join_def, tolerance, "tolerance", T_NUM, .unit = "m", .lo = 0, .hi = 1e9,
        .text = "of tie: how far nodes may be from the faces; a gap stays what it is. A tenth of a "
                "face when left out"),
    ROW(join_def, moments, "moments", T_CHOICE, .choices = "no|yes", .value = 1,
        .text = "rods and borders of shells (shell6, midedge) turn with what they are joined "
                "to; no: they are hinged there"),
    ROW(join_def, stiffness, "stiffness", T_NUM, .unit = "", .value = 1000, .lo = 1, .hi = 1e9,
        .text = "of the join over that of the nodes it joins: larger ones open less and leave more "
                "rounding in the forces"),
};
const map_keys map_join = {.what = "join",
                           .text = "Exactly one of rigid, spread and tie. See [joins](joins.md).",
                           .size = sizeof(join_def),
                           ROWS(join_rows)};
