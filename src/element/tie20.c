// W = k/2 |r|^2 of a point beside at most 19 others, see tie.inc.
#define MASTERS 19
#define KIND    pl_elem_tie20
#define NAME    "tie20"
#include "tie_kind.h"
