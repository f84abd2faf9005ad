#ifndef INP_IMPL_H
#define INP_IMPL_H

#include "mesh_impl.h"
#include "read_impl.h"

// Elements that are not read: of second order, without a shape such as masses and springs, others.
enum { INP_SECOND_ORDER = PL_READ_VERTEX, INP_SHAPELESS = -1, INP_UNKNOWN = -2 };
// The type of cell that a name of n bytes means.
int inp_cell_type(const char *s, size_t n);
// Names under which cells are written.
extern const char *const inp_cell_name[PL_GRID_TYPES];
// Adds a word to a list of them, each once; cut where there is no room.
void inp_note(char *list, size_t size, const char *word);

#endif
