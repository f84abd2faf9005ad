#include "pliant/job.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// Meshes, scenes and results from one format into another.

static int is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static int has_file(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

static const char *ending_of(const char *path) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  return dot ? dot + 1 : "";
}

static int is_scene(const char *path, const pl_convert_opts *o) {
  static const char *const known[] = {"yaml", "yml", "json", "scene"};
  const char *ending = o->from ? o->from : ending_of(path);
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
    if (strcasecmp(ending, known[k]) == 0) return 1;
  return 0;
}

// ---- scenes -------------------------------------------------------------------------------------

// cells of a body are those of its nodes alone; in[nvert]: 1 where they are
static pl_status cells_of_body(const pl_mesh *m, const char *in, int *to, pl_mesh *out) {
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    int nv = pl_cell_nvert[t], n = 0;
    for (int pass = 0; pass < 2; pass++) {
      if (pass == 1) PL_TRY(pl_mesh_set_cells(out, (pl_cell_type)t, n));
      n = 0;
      for (int i = 0; i < m->cell[t].n; i++) {
        const int *v = m->cell[t].v + (size_t)i * (size_t)nv;
        int inside = 1;
        for (int c = 0; c < nv; c++) inside &= in[v[c]];
        to[i] = inside ? n : -1;
        if (pass == 1 && inside)
          memcpy(out->cell[t].v + (size_t)n * (size_t)nv, v, (size_t)nv * sizeof *v);
        n += inside;
      }
    }
    for (int k = 0; k < m->nset; k++) {
      const pl_set *s = &m->set[k];
      for (int i = 0; s->type == t && i < s->n; i++)
        if (to[s->index[i]] >= 0) PL_TRY(pl_mesh_add_set(out, s->name, t, 1, &to[s->index[i]]));
    }
  }
  return PL_OK;
}

static pl_status fill_body(const pl_mesh *m, const char *in, int *to, pl_mesh *out) {
  memcpy(out->X, m->X, (size_t)m->nvert * 3 * sizeof *m->X);
  PL_TRY(cells_of_body(m, in, to, out));
  for (int k = 0; k < m->nset; k++) {
    const pl_set *s = &m->set[k];
    int n = 0;
    for (int i = 0; s->type < 0 && i < s->n; i++)
      if (in[s->index[i]]) to[n++] = s->index[i];
    if (n > 0) PL_TRY(pl_mesh_add_set(out, s->name, -1, n, to));
  }
  return pl_mesh_drop_unused(out, NULL);
}

static pl_status no_body(const pl_scene *sc, const char *word) {
  const char *names[64];
  char hint[PL_TEXT];
  int n = sc->nbody < 64 ? sc->nbody : 64;
  for (int k = 0; k < n; k++) names[k] = sc->body[k].name;
  pl_name_hint(word, n, names, hint, sizeof hint);
  return pl_fail_at(sc->mesh->env, PL_E_ARG, sc->path, 0, 0, hint, "there is no body '%.60s'",
                    word);
}

// the part of a mesh that is a body
static pl_status take_body(const pl_scene *sc, const char *name, pl_mesh **mesh) {
  const pl_scene_body *b = NULL;
  pl_mesh *m = *mesh, *out = NULL;
  int most = m->nvert;
  for (int k = 0; k < sc->nbody; k++)
    if (strcmp(sc->body[k].name, name) == 0) b = &sc->body[k];
  if (!b) return no_body(sc, name);
  for (int t = 0; t < PL_CELL_COUNT; t++)
    if (m->cell[t].n > most) most = m->cell[t].n;
  char *in = pl_alloc(m->env, (size_t)m->nvert, 1);
  int *to = pl_alloc(m->env, (size_t)most, sizeof *to);
  pl_status s = in && to ? pl_mesh_create(m->env, m->source, m->nvert, &out) : PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < b->n; i++) in[b->node[i]] = 1;
  if (s == PL_OK) s = fill_body(m, in, to, out);
  pl_free(m->env, in);
  pl_free(m->env, to);
  if (s != PL_OK) {
    pl_mesh_free(out);
    return s;
  }
  pl_mesh_free(m);
  *mesh = out;
  return PL_OK;
}

// groups of meshes, and sets of the scene by their names
static pl_status scene_mesh(const pl_scene *sc, const pl_convert_opts *o, pl_mesh **out) {
  PL_TRY(pl_mesh_copy(sc->mesh, out));
  pl_mesh *m = *out;
  pl_status s = PL_OK;
  int ncell = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) ncell += m->cell[t].n;
  if (ncell == 0)
    s = pl_fail_at(m->env, PL_E_INPUT, sc->path, 0, 0, NULL, "the scene has nothing with a mesh");
  for (int k = 0; k < sc->nset && s == PL_OK; k++)
    s = pl_mesh_add_set(m, sc->set[k].name, -1, sc->set[k].n, sc->set[k].node);
  if (s == PL_OK && o->body) s = take_body(sc, o->body, out);
  if (s != PL_OK) {
    pl_mesh_free(*out);
    *out = NULL;
  }
  return s;
}

static pl_status read_scene(pl_env *env, const char *path, const pl_convert_opts *o,
                            pl_grid **out) {
  pl_scene_limits limits = {.root = o->root};
  pl_scene *sc = NULL;
  pl_mesh *m = NULL;
  PL_TRY(pl_scene_load_limited(env, path, 0, NULL, &limits, &sc));
  pl_status s = scene_mesh(sc, o, &m);
  if (s == PL_OK) s = pl_grid_of_mesh(m, out);
  pl_mesh_free(m);
  pl_scene_free(sc);
  return s;
}

// ---- units --------------------------------------------------------------------------------------

static pl_status length_of(pl_env *env, const char *option, const char *text, double *metres) {
  *metres = pl_length_unit(text);
  if (*metres > 0) return PL_OK;
  return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "e.g. mm",
                    "%s must be a unit of length, got '%.60s'", option, text);
}

// In the unit that is asked for; *length: what it is then, NULL: nobody knows.
static pl_status change_unit(pl_env *env, const pl_convert_opts *o, const char *known, pl_grid *g,
                             const char *to, const char **length) {
  double from = 1, into = 1;
  const char *unit = o->unit ? o->unit : known, *wanted = o->to_unit;
  *length = unit;
  if (unit) PL_TRY(length_of(env, "--unit", unit, &from));
  // GLB is in metres
  if (!wanted && unit && strcasecmp(to, "glb") == 0) wanted = "m";
  if (!wanted) return PL_OK;
  PL_TRY(length_of(env, "--to-unit", wanted, &into));
  if (!unit)
    return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "e.g. --unit mm --to-unit m",
                      "--to-unit needs to know what the numbers are now");
  for (int i = 0; i < 3 * g->nvert && from != into; i++) g->X[i] *= from / into;
  *length = wanted;
  return PL_OK;
}

// ---- all ----------------------------------------------------------------------------------------

static pl_status write_grid(pl_env *env, const char *path, const pl_convert_opts *o,
                            const char *known, pl_grid *g) {
  const char *to = o->to ? o->to : ending_of(path);
  pl_grid_opts opts = {.text = o->text, .old = o->old};
  if (o->dim > 0) PL_TRY(pl_grid_keep(g, o->dim));
  if (o->order > 0) PL_TRY(pl_grid_order(g, o->order));
  PL_TRY(change_unit(env, o, known, g, to, &opts.length));
  return pl_grid_write(g, path, to, &opts);
}

static pl_status pack(pl_env *env, const char *folder, const char *path, const pl_convert_opts *o) {
  if (strcasecmp(o->to ? o->to : ending_of(path), "npz") != 0)
    return pl_fail_at(env, PL_E_ARG, path, 0, 0, "e.g. results.npz",
                      "results become NumPy files, which end in .npz");
  if (o->unit || o->to_unit || o->body || o->order || o->dim || o->text || o->old)
    return pl_fail_at(env, PL_E_ARG, folder, 0, 0, NULL,
                      "results are packed as they are, in SI units: options of meshes are not for "
                      "them");
  return pl_results_pack(env, folder, path);
}

pl_status pl_convert(pl_env *env, const char *from, const char *to, const pl_convert_opts *o) {
  if (is_folder(from) && has_file(from, "summary.json")) return pack(env, from, to, o);
  int scene = is_scene(from, o);
  if (o->body && !scene) return pl_fail_at(env, PL_E_ARG, from, 0, 0, NULL, "--body is for scenes");
  if (scene && o->unit)
    return pl_fail_at(env, PL_E_ARG, from, 0, 0, "give --to-unit alone",
                      "--unit is for files that do not tell it: the mesh of a scene is in metres");
  if (is_folder(from))
    return pl_fail_at(env, PL_E_INPUT, from, 0, 0, NULL,
                      "the folder has neither a scene.yaml nor a summary.json of results");
  pl_grid *g = NULL;
  PL_TRY(scene ? read_scene(env, from, o, &g) : pl_grid_read(env, from, o->from, &g));
  pl_status s = write_grid(env, to, o, scene ? "m" : NULL, g);
  pl_grid_free(g);
  return s;
}
