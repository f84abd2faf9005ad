// Mappings of limits of stretch.
#include "schema.h"

#include <string.h>

const pl_key *limit_key(int k) {
  for (int f = 0; f < PL_LIMIT_FORM_COUNT; f++)
    for (int i = 0; i < pl_limit_form_table[f]->nkey; i++) {
      const pl_key *key = &pl_limit_form_table[f]->key[i];
      // the first form that has it tells it
      int first = 1;
      for (int g = 0; g < f; g++) first &= limit_form_key(pl_limit_form_table[g], key->name) < 0;
      if (first && k-- == 0) return key;
    }
  return NULL;
}

int limit_form_key(const pl_limit_form *f, const char *name) {
  for (int i = 0; i < f->nkey; i++)
    if (strcmp(f->key[i].name, name) == 0) return i;
  return -1;
}

// needed or not depends on the form
static row limit_row(int k) {
  const pl_key *key = limit_key(k);
  row w = {0};
  if (key) w = key_row(key, k);
  w.need = 0;
  return w;
}

const map_keys map_limit = {
    .what = "limit",
    .text = "How far a shell can be stretched: elastic below, no further beyond. Limits are "
            "strains: 1 % lets 1 m become 1.01 m. A limit has exactly one form "
            "and the keys of that. `drape` and `transient` (all methods but implicit-euler) keep "
            "them; other analyses do not know them.",
    .size = sizeof(limit_def),
    .row_of = limit_row};

static const row region_rows[] = {
    ROW(region_def, nodes, "nodes", T_RAW, .choices = "selector",
        .text = "cells with all corners among these nodes; nodes or group must be given"),
    ROW(region_def, group, "group", T_TEXT,
        .text = "cells of a group of the mesh: physical group of an MSH file, ELSET of INP, group "
                "or object of OBJ"),
    ROW(region_def, material, "material", T_WORD, .text = "their material"),
    ROW(region_def, thickness, "thickness", T_PAR, .elem = PL_ELEM_membrane,
        .text = "their thickness, of shells and planes"),
    ROW(region_def, section, "section", T_MAP, SUB(map_section), .text = "their section, of rods"),
    ROW(region_def, swelling, "swelling", T_NUM, .unit = "", .lo = -0.99, .hi = 1e3,
        .text = "their swelling, instead of the body's"),
    ROW(region_def, temperature, "temperature", T_NUM, .unit = "", .lo = -1e6, .hi = 1e6,
        .text = "their change of temperature in kelvin, instead of the body's"),
    ROW(region_def, swelling_through, "swelling_through", T_NUM, .unit = "", .lo = -1, .hi = 1,
        .text = "as that of a shell"),
    ROW(region_def, temperature_through, "temperature_through", T_NUM, .unit = "", .lo = -1e6,
        .hi = 1e6, .text = "as that of a shell"),
    ROW(region_def, warp, "warp", T_VEC3, .plain = 1, .unit = "",
        .text = "first axis of their material, instead of the body's"),
    ROW(region_def, weft, "weft", T_VEC3, .plain = 1, .unit = "",
        .text = "on the side of their second axis, of solids"),
    ROW(region_def, angle, "angle", T_NUM, .unit = "rad", ANY,
        .text = "by which these axes are turned about the third one"),
    ROW(region_def, limit, "limit", T_MAP, SUB(map_limit),
        .text = "limit of stretch of a shell, instead of the shell's; with nodes"),
};
const map_keys map_region = {.what = "region",
                             .text = "A part of a body with a material, thickness, section, "
                                     "swelling or limit of its own; what is left out is the "
                                     "body's.",
                             .size = sizeof(region_def),
                             ROWS(region_rows)};

const map_keys map_projection = {.what = "projection",
                                 .text = "How the nearest state within all limits is found.",
                                 .size = sizeof(projection_def),
                                 .opt = pl_project_option_table,
                                 .nopt = &pl_project_option_count,
                                 .opt_offset = offsetof(projection_def, opts)};
