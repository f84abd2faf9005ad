// Piece of a force given by a table over the rate of elongation, between two scalar unknowns.
#define AXIAL 0
#define RATE  1
#include "piece_kind.h"

const pl_elem_kind pl_elem_rate_piece1 = {
    .name = "rate_piece1",
    .text = "piece of a force given by a table over the rate of elongation, between two scalar "
            "unknowns",
    PIECE_KIND,
};
