// Piece of a force given by a table over the elongation, along the line of two vertices.
#define AXIAL 1
#define RATE  0
#include "piece_kind.h"

const pl_elem_kind pl_elem_piece = {
    .name = "piece",
    .text = "piece of a force given by a table over the elongation, along the line of two vertices",
    PIECE_KIND,
};
