#ifndef SCHEMA_H
#define SCHEMA_H

#include "scene_impl.h"

// Rows of the tables that describe mappings.
#define ROWS(table) COUNT(table), table
#define SUB(map)    .sub = &map
#define ANY         .lo = 0, .hi = 0 // no range

#define ROW(def, field, key_, type_, ...)                                                          \
  { .key = key_, .type = type_, .offset = offsetof(def, field), __VA_ARGS__ }

#define NAME_ROW(def) ROW(def, name, "name", T_WORD, .text = "name for messages, results and --set")
#define SELECT_ROWS(def)                                                                           \
  ROW(def, node, "node", T_RAW, .choices = "selector",                                             \
      .text = "one node; node or nodes must be given"),                                            \
      ROW(def, nodes, "nodes", T_RAW, .choices = "selector",                                       \
          .text = "several nodes, each treated alike")
#define OVER_ROW(def, field_)                                                                      \
  ROW(def, field_, "over", T_TEXT,                                                                 \
      .text = "CSV file beside the scene with a time and a factor in every row, instead of "       \
              "harmonic; a factor with a unit is in that of the amplitude, changed to SI")

// Segments of a line, of meshes and of chains.
#define SEGMENTS_ROW(def, value_, text_)                                                           \
  ROW(def, segments, "segments", T_INT, .value = value_, .lo = 1, .hi = 10000000, .text = text_)

#endif
