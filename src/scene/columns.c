// CSV files of scenes: found beside the scene, columns in their own units.
#include "scene_impl.h"

#include "pliant/report.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

int read_csv(reader *r, const pl_node *at, const char *what, char path[PL_TEXT], pl_table **out) {
  *out = NULL;
  if (!scene_file(r, at, what, path, PL_TEXT)) return 0;
  pl_status s = pl_table_read(r->env, path, out);
  if (s == PL_E_NOMEM) r->failed = s;
  return s == PL_OK;
}

// "mm_s2_N" as mm/s^2/N
static void unit_of_word(const char *word, char *out, size_t size) {
  size_t n = 0;
  if (strncmp(word, "per_", 4) == 0) {
    n = (size_t)snprintf(out, size, "1/");
    word += 4;
  }
  for (; *word && n + 3 < size; word++) {
    if (*word == '_') {
      out[n++] = '/';
    } else {
      if (isdigit((unsigned char)*word) && n > 0 && isalpha((unsigned char)out[n - 1]))
        out[n++] = '^';
      out[n++] = *word;
    }
  }
  out[n] = 0;
}

size_t unit_word(const char *name, char known[UNIT_WORD]) {
  unit u;
  for (const char *cut = strchr(name, '_'); cut; cut = strchr(cut + 1, '_')) {
    char word[64], whole[160];
    unit_of_word(cut + 1, word, sizeof word);
    snprintf(whole, sizeof whole, "%s%s%s", word, known[0] ? "/" : "", known);
    if (!unit_parse(whole, strlen(whole), &u)) continue;
    snprintf(known, UNIT_WORD, "%.*s", UNIT_WORD - 1, whole);
    return (size_t)(cut - name);
  }
  return strlen(name);
}

void column_text(const pl_table *t, int col, char text[UNIT_WORD]) {
  snprintf(text, UNIT_WORD, "%.*s", UNIT_WORD - 1, pl_table_unit(t, col));
  if (!text[0]) unit_word(pl_table_name(t, col), text);
}

static int is_unit_of(const char *text, const unit *want, unit *got) {
  return unit_parse(text, strlen(text), got) && unit_same(&want->dim, &got->dim);
}

int column_scale(reader *r, const char *path, const pl_table *t, int col, const char *si,
                 const char *hint, double *factor) {
  unit want, got;
  char text[UNIT_WORD];
  column_text(t, col, text);
  PL_ASSERT(unit_parse(si, strlen(si), &want));
  *factor = unit_scale_of(&r->scale, &want.dim);
  if (!text[0]) return 1;
  int known = is_unit_of(text, &want, &got);
  // of rate_mm_s the table knows the s alone
  if (!known) unit_word(pl_table_name(t, col), text);
  if (known || is_unit_of(text, &want, &got)) {
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
