// Parts of messages that several of them have.
#include "studio_impl.h"

#include "pliant/scene.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *part_number(double v) {
  return isfinite(v) ? json_real(v) : json_null();
}

float part_float(double v) {
  return fabs(v) > FLT_MAX ? (v > 0 ? INFINITY : -INFINITY) : (float)v;
}

json_t *part_words(const char *s) {
  if (!s) return json_null();
  size_t size = 2 * strlen(s) + 8;
  char *clean = malloc(size);
  json_t *out = clean ? json_string(pl_printable(s, clean, size)) : NULL;
  free(clean);
  return out;
}

json_t *part_reals(int n, const double *v) {
  json_t *out = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(out, part_number(v[i]));
  return out;
}

void part_set(json_t *object, const char *key, json_t *value) {
  json_object_set_new(object, key, value ? value : json_null());
}

json_t *part_orbit(studio *s, const char *group, const pl_scene *scene, const pl_model *m,
                   const pl_params *p, const pl_orbit *o, const char *name, const char *title) {
  size_t n = (size_t)scene->mesh->nvert, L = 2 * (size_t)o->nharm + 1;
  double *z = calloc(n * 3 * L + 1, sizeof *z);
  if (!z) return NULL;
  for (size_t i = 0; i < n; i++)
    for (int c = 0; c < scene->dim; c++)
      pl_orbit_series(m, p, o, (int)i, c, z + (3 * i + (size_t)c) * L);
  json_t *out = json_object();
  part_set(out, "kind", json_string("orbit"));
  part_set(out, "name", part_words(name));
  part_set(out, "title", part_words(title ? title : ""));
  part_set(out, "omega", part_number(o->omega));
  part_set(out, "harmonics", json_integer(o->nharm));
  part_set(out, "coefficients", data_keep_real(s, group, z, 3, (size_t[]){n, 3, L}));
  free(z);
  return out;
}

json_t *part_parameters(const pl_scene *scene, const pl_params *p) {
  json_t *all = json_array();
  for (int k = 0; k < pl_model_ndesign(scene->model); k++) {
    const pl_design_desc *d = pl_model_design(scene->model, k);
    json_t *one = json_object();
    part_set(one, "name", part_words(d->name));
    part_set(one, "unit", part_words(scene->shown[k].unit));
    part_set(one, "factor", part_number(scene->shown[k].factor));
    part_set(one, "value", part_number(p->design[k]));
    part_set(one, "min", part_number(d->min));
    part_set(one, "max", part_number(d->max));
    json_array_append_new(all, one);
  }
  return all;
}
