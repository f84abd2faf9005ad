#include "inp_impl.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// Words of Abaqus and CalculiX input files.

const char *const inp_cell_name[PL_GRID_TYPES] = {"T3D2", "S3",   "S4",    "C3D4",  "C3D8",
                                                  "T3D3", "S6",   "S8R",   "C3D10", "C3D20",
                                                  "C3D6", "C3D5", "C3D15", "C3D13"};

// Types by the start of their names; letters behind it tell how they are integrated.
static const struct {
  const char *name;
  int type;
} types[] = {
    {"T2D2", PL_SEG2},
    {"T3D2", PL_SEG2},
    {"B21", PL_SEG2},
    {"B23", PL_SEG2},
    {"B31", PL_SEG2},
    {"B33", PL_SEG2},
    {"S3", PL_TRI3},
    {"STRI3", PL_TRI3},
    {"CPS3", PL_TRI3},
    {"CPE3", PL_TRI3},
    {"M3D3", PL_TRI3},
    {"R3D3", PL_TRI3},
    {"SFM3D3", PL_TRI3},
    {"S4", PL_QUAD4},
    {"CPS4", PL_QUAD4},
    {"CPE4", PL_QUAD4},
    {"M3D4", PL_QUAD4},
    {"R3D4", PL_QUAD4},
    {"SFM3D4", PL_QUAD4},
    {"C3D4", PL_TET4},
    {"C3D8", PL_HEX8},
    {"S6", PL_TRI6},
    {"STRI65", PL_TRI6},
    {"CPS6", PL_TRI6},
    {"CPE6", PL_TRI6},
    {"M3D6", PL_TRI6},
    {"SFM3D6", PL_TRI6},
    {"S8", PL_QUAD8},
    {"CPS8", PL_QUAD8},
    {"CPE8", PL_QUAD8},
    {"M3D8", PL_QUAD8},
    {"SFM3D8", PL_QUAD8},
    {"C3D10", PL_TET10},
    {"C3D20", PL_HEX20},
    {"T2D3", PL_SEG3},
    {"T3D3", PL_SEG3},
    {"B22", PL_SEG3},
    {"B32", PL_SEG3},
    {"S9", INP_SECOND_ORDER},
    {"C3D15", PL_READ_WEDGE15},
    {"C3D27", INP_SECOND_ORDER},
    {"C3D6", PL_READ_WEDGE6},
    {"C3D5", PL_READ_PYRAMID5},
    {"C3D13", PL_READ_PYRAMID13},
};

// elements without a shape, letters in either case
static const char *const shapeless[] = {"MASS", "ROTARYI", "SPRING", "DASHPOT", "DCOUP",
                                        "GAP",  "CONN",    "DIST",   "ITT",     "HEATCAP"};

int inp_cell_type(const char *s, size_t n) {
  int type = INP_UNKNOWN;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    size_t length = strlen(types[i].name);
    if (n < length || strncasecmp(s, types[i].name, length) != 0) continue;
    if (n == length || s[length] < '0' || s[length] > '9') type = types[i].type;
  }
  for (size_t i = 0; i < sizeof shapeless / sizeof shapeless[0] && type == INP_UNKNOWN; i++) {
    size_t length = strlen(shapeless[i]);
    if (n >= length && strncasecmp(s, shapeless[i], length) == 0) type = INP_SHAPELESS;
  }
  return type;
}

void inp_note(char *list, size_t size, const char *word) {
  const char *hit = list;
  size_t n = strlen(word), at = strlen(list);
  while ((hit = strstr(hit, word)) != NULL) {
    if ((hit == list || hit[-1] == ' ') && (hit[n] == 0 || hit[n] == ' ')) return;
    hit += n;
  }
  if (at + n + 6 < size)
    snprintf(list + at, size - at, "%s%s", at ? " " : "", word);
  else if (at > 4 && strcmp(list + at - 3, "...") != 0)
    snprintf(list + at, size - at, " ...");
}
