#ifndef SCHEMA_H
#define SCHEMA_H

#include "scene_impl.h"

// Rows of the tables that describe mappings.
#define ROWS(table) COUNT(table), table
#define SUB(map)    .sub = &map
#define ANY         .lo = 0, .hi = 0 // no range

#define ROW(def, field, key_, type_, ...)                                                          \
  { .key = key_, .type = type_, .offset = offsetof(def, field), __VA_ARGS__ }

#endif
