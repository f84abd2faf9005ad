// CSV files of scenes: found beside the scene, columns in their own units.
#include "scene_impl.h"

#include "pliant/report.h"

#include <string.h>

int read_csv(reader *r, const pl_node *at, const char *what, char path[PL_TEXT], pl_table **out) {
  *out = NULL;
  if (!scene_file(r, at, what, path, PL_TEXT)) return 0;
  pl_status s = pl_table_read(r->env, path, out);
  if (s == PL_E_NOMEM) r->failed = s;
  return s == PL_OK;
}

int column_scale(reader *r, const char *path, const pl_table *t, int col, const char *si,
                 const char *hint, double *factor) {
  unit want, got;
  const char *text = pl_table_unit(t, col);
  PL_ASSERT(unit_parse(si, strlen(si), &want));
  *factor = unit_scale_of(&r->scale, &want.dim);
  if (!text[0]) return 1;
  if (unit_parse(text, strlen(text), &got) && unit_same(&want.dim, &got.dim)) {
    *factor = got.factor;
    return 1;
  }
  problem_at(r, path, pl_table_line(t), 0, hint,
             "column %d is in %s, which cannot be changed to %s", col + 1, text, si);
  return 0;
}

int column_unit(reader *r, const char *path, const pl_table *t, int col, const char *si,
                const char *hint, double *factor) {
  unit want = {.factor = 1}, got = {.factor = 1};
  const char *text = pl_table_unit(t, col);
  if (si[0]) PL_ASSERT(unit_parse(si, strlen(si), &want));
  int known = !text[0] || unit_parse(text, strlen(text), &got);
  if (known && unit_same(&want.dim, &got.dim) && (text[0] || !si[0])) {
    *factor = got.factor;
    return 1;
  }
  problem_at(r, path, pl_table_line(t), 0, hint, "column '%.60s' is not in a unit of %s",
             pl_table_name(t, col), si[0] ? "angle" : "strain");
  return 0;
}
