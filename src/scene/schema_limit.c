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

const map_info map_limit = {
    .what = "limit",
    .text = "How far a shell can be stretched: elastic below, no further beyond. Limits are "
            "strains: 1 % lets 1 m become 1.01 m. A limit has exactly one form "
            "and the keys of that. `drape` and `transient` (all methods but implicit-euler) keep "
            "them; other analyses do not know them.",
    .size = sizeof(limit_def),
    .row_of = limit_row};

static const row region_rows[] = {
    ROW(region_def, nodes, "nodes", T_RAW, .need = 1, .choices = "selector",
        .text = "triangles with all three corners among these nodes"),
    ROW(region_def, limit, "limit", T_MAP, .need = 1, SUB(map_limit),
        .text = "their limit, instead of the shell's"),
};
const map_info map_region = {.what = "region",
                             .text = "A part of a shell with a limit of its own.",
                             .size = sizeof(region_def),
                             ROWS(region_rows)};

const map_info map_projection = {.what = "projection",
                                 .text = "How the nearest state within all limits is found.",
                                 .size = sizeof(projection_def),
                                 .opt = pl_project_option_table,
                                 .nopt = &pl_project_option_count,
                                 .opt_offset = offsetof(projection_def, opts)};
