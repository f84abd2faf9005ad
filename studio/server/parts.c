// Parts of messages that several of them have.
#include "studio_impl.h"

#include "pliant/report.h"
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

// ---- solids -------------------------------------------------------------------------------------

static json_t *surface_of(studio *s, const char *group, const pl_mesh *m) {
  json_t *one = json_object();
  const pl_cells *t = &m->cell[PL_TRI3];
  part_set(one, "x", data_keep_real(s, group, m->X, 2, (size_t[]){(size_t)m->nvert, 3}));
  part_set(one, "triangles", data_keep(s, group, DATA_I32, t->v, 2, (size_t[]){(size_t)t->n, 3}));
  return one;
}

json_t *part_solids(studio *s, const char *group, const pl_solids *all) {
  size_t n = (size_t)all->n;
  int *of = calloc(2 * n + 1, sizeof *of);
  double(*at)[12] = calloc(n + 1, sizeof *at);
  json_t *out = NULL, *meshes = json_array();
  for (int k = 0; k < all->nmesh; k++)
    json_array_append_new(meshes, surface_of(s, group, all->mesh[k]));
  for (size_t i = 0; of && at && i < n; i++) {
    of[2 * i] = all->solid[i].mesh;
    of[2 * i + 1] = all->solid[i].tone;
    memcpy(at[i], all->solid[i].x, 3 * sizeof(double));
    memcpy(at[i] + 3, all->solid[i].Q, 9 * sizeof(double));
  }
  if (of && at) {
    out = json_object();
    part_set(out, "meshes", json_incref(meshes));
    part_set(out, "of", data_keep(s, group, DATA_I32, of, 2, (size_t[]){n, 2}));
    part_set(out, "poses", data_keep_real(s, group, &at[0][0], 2, (size_t[]){n, 12}));
  }
  json_decref(meshes);
  free(of);
  free(at);
  return out;
}
