// W = k/2 |r|^2 of a point beside at most 4 others, see tie.inc.
#define MASTERS 4
#define KIND    pl_elem_tie5
#define NAME    "tie5"
#include "tie_kind.h"
