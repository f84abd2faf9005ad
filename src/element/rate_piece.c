// Piece of a force given by a table over the rate of elongation, along the line of two vertices.
#define AXIAL 1
#define RATE  1
#include "piece_kind.h"

const pl_elem_kind pl_elem_rate_piece = {
    .name = "rate_piece",
    .text = "piece of a force given by a table over the rate of elongation, along the line of two "
            "vertices",
    PIECE_KIND,
};
