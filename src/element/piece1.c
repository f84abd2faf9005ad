// Piece of a force given by a table over the elongation, between two scalar unknowns.
#define AXIAL 0
#define RATE  0
#include "piece_kind.h"

const pl_elem_kind pl_elem_piece1 = {
    .name = "piece1",
    .text = "piece of a force given by a table over the elongation, between two scalar unknowns",
    PIECE_KIND,
};
