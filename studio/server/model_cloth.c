// Limits of stretch of the cloth in a model: curves over the direction in the material.
#include "model.h"

#include "pliant/limit.h"
#include "pliant/math.h"

enum { AROUND = 360 };

// of a limit of sheets, or of what was given for it
static json_t *curve(const making *m, const pl_limit *limit, const pl_polar *given) {
  double at[AROUND][2];
  for (int i = 0; i < AROUND; i++) {
    at[i][0] = 2 * PL_PI * i / AROUND;
    at[i][1] = given ? pl_polar_at(given, at[i][0]) : pl_limit_stretch(limit, at[i][0]);
  }
  return data_keep_real(m->s, m->group, &at[0][0], 2, (size_t[]){AROUND, 2});
}

json_t *model_cloth(const making *m) {
  const pl_scene *sc = m->scene;
  json_t *all = json_array();
  for (int k = 0; k < sc->sheet.nlimit && sc->limit_note; k++) {
    const pl_limit_note *note = &sc->limit_note[k];
    json_t *one = json_object();
    part_set(one, "name", part_words(note->name));
    part_set(one, "text", part_words(note->text));
    part_set(one, "allowed", curve(m, &sc->sheet.limit[k], NULL));
    part_set(one, "given", note->curve.n > 0 ? curve(m, NULL, &note->curve) : json_null());
    json_array_append_new(all, one);
  }
  return all;
}
