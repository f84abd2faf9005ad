// W = k/2 |r|^2 of a point beside at most 9 others, see tie.inc.
#define MASTERS 9
#define KIND    pl_elem_tie10
#define NAME    "tie10"
#include "tie_kind.h"
