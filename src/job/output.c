#include "run_cloth.h"

#include "pliant/math.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *job_path(const job *j, const char *name, const char *suffix, char buf[PL_TEXT]) {
  snprintf(buf, PL_TEXT, "%s/%s%s", j->opts->folder ? j->opts->folder : ".", name, suffix);
  return buf;
}

void job_set(json_t *figures, const char *key, json_t *value) {
  json_object_set_new(figures, key, value);
}

// springs that are drawn: dashpots within a rigid body are none
static int has_ties(const pl_model *m, int g) {
  return pl_model_group_kind(m, g) == pl_elem_find("spring") && !pl_model_group_rigid(m, g);
}

pl_status job_ties(job *j) {
  const pl_model *m = j->scene->model;
  int n = 0;
  for (int g = 0; g < pl_model_ngroup(m); g++)
    if (has_ties(m, g)) n += pl_model_group_size(m, g);
  // again after springs have moved
  pl_free(j->env, j->tie);
  j->ntie = 0;
  j->tie = pl_alloc(j->env, (size_t)n, sizeof *j->tie);
  if (!j->tie) return PL_E_NOMEM;
  for (int g = 0; g < pl_model_ngroup(m); g++) {
    if (!has_ties(m, g)) continue;
    for (int e = 0; e < pl_model_group_size(m, g); e++) {
      const int *v = pl_model_group_stencil(m, g) + 4 * e;
      // parameters: stiffness rest damping s0 offset0 s1 offset1
      const double *par = pl_model_group_par(m, j->scene->params, g, e);
      if (v[0] < 0 || v[1] < 0 || v[2] < 0 || v[3] < 0) continue;
      j->tie[j->ntie++] = (pl_tie){
          .a = {v[0], v[2]}, .b = {v[1], v[3]}, .s = {par[3], par[5]}, .o = {par[4], par[6]}};
    }
  }
  return PL_OK;
}

pl_status job_rods(job *j) {
  const pl_scene *sc = j->scene;
  const pl_elem_kind *point = pl_elem_find("point");
  j->bare = pl_alloc(j->env, (size_t)sc->mesh->nvert, 1);
  j->bead = pl_alloc(j->env, (size_t)sc->mesh->nvert, sizeof *j->bead);
  if (!j->bare || !j->bead) return PL_E_NOMEM;
  for (int k = 0; k < sc->nbody; k++)
    for (int i = 0; strcmp(sc->body[k].kind, "rod") == 0 && i < sc->body[k].n; i++)
      j->bare[sc->body[k].node[i]] = 1;
  for (int g = 0; g < pl_model_ngroup(sc->model); g++) {
    const int *node = pl_model_group_stencil(sc->model, g);
    if (pl_model_group_kind(sc->model, g) != point) continue;
    for (int e = 0; e < pl_model_group_size(sc->model, g); e++) {
      // each once, however many masses it has
      if (j->bare[node[e]] == 1) j->bead[j->nbead++] = node[e];
      if (j->bare[node[e]]) j->bare[node[e]] = 2;
    }
  }
  return PL_OK;
}

pl_view job_view(job *j) {
  return (pl_view){.flat = j->scene->dim == 2,
                   .length = job_length(j, 0)->key,
                   .ntie = j->ntie,
                   .tie = j->tie,
                   .bare = j->bare,
                   .nmark = j->nbead,
                   .mark = j->bead};
}

void job_positions(const job *j, const double *q, double factor, double *x) {
  int dim = j->scene->dim, n = j->scene->mesh->nvert;
  const double *X = j->scene->params->X;
  memset(x, 0, (size_t)n * 3 * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int c = 0; c < dim; c++)
      x[3 * i + c] = X[i * dim + c] + factor * (q[i * dim + c] - X[i * dim + c]);
}

double job_displacements(const job *j, const double *q, double *size) {
  int dim = j->scene->dim, n = j->scene->mesh->nvert;
  const double *X = j->scene->params->X;
  double most = 0;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int c = 0; c < dim; c++) s += pow(q[i * dim + c] - X[i * dim + c], 2);
    size[i] = sqrt(s);
    if (size[i] > most) most = size[i];
  }
  return most;
}

double job_exaggeration(const job *j, double most) {
  double f = j->output.exaggerate;
  if (f > 0) return f;
  // 0: as much as shows, a tenth of the body
  return most > 0 ? 0.1 * job_size(j) / most : 1;
}

static pl_threads *job_threads(const job *j) {
  return j->work ? j->work->threads : NULL;
}

// ---- element fields on cells ------------------------------------------------------------------

static int field_of(const pl_elem_kind *k, const char *name) {
  for (int f = 0; f < k->nfield; f++)
    if (strcmp(k->field_info[f].name, name) == 0) return f;
  return -1;
}

// fills value[ncell] with the field of that name of all groups whose elements are the mesh's cells
static void cell_field(const job *j, const pl_state *s, const char *name, double *value, int *any) {
  const pl_scene *sc = j->scene;
  int offset[PL_CELL_COUNT], at = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) {
    offset[t] = at;
    at += sc->mesh->cell[t].n;
  }
  for (int g = 0; g < pl_model_ngroup(sc->model); g++) {
    const pl_group_cells *c = &sc->cells[g];
    int f = field_of(pl_model_group_kind(sc->model, g), name);
    if (c->type < 0 || f < 0) continue;
    pl_eval_field(sc->model, sc->params, s, g, f, job_threads(j),
                  value + offset[c->type] + c->first);
    *any = 1;
  }
}

// fills value[nvert] with curvatures of rods, which are known where two of their edges meet
static pl_status rod_curvature(const job *j, const pl_state *s, double *value, int *any) {
  const pl_model *m = j->scene->model;
  const pl_elem_kind *bend = pl_elem_find("rod_bend");
  for (int g = 0; g < pl_model_ngroup(m); g++) {
    int n = pl_model_group_size(m, g);
    if (pl_model_group_kind(m, g) != bend || n == 0) continue;
    double *each = pl_alloc(j->env, (size_t)n, sizeof *each);
    if (!each) return PL_E_NOMEM;
    pl_eval_field(m, j->scene->params, s, g, field_of(bend, "curvature"), NULL, each);
    const int *stencil = pl_model_group_stencil(m, g);
    for (int e = 0; e < n; e++) value[stencil[e * (bend->nvert + bend->nscal) + 1]] = each[e];
    pl_free(j->env, each);
    *any = 1;
  }
  return PL_OK;
}

// all that ParaView is given; arrays as in job_vtu
typedef struct shown {
  double *u, *v, *strain, *stress, *curvature, *ratio, *bend;
} shown;

static pl_status write_vtu(job *j, const pl_state *s, int with_velocity, const shown *d,
                           const char *path) {
  const pl_scene *sc = j->scene;
  int dim = sc->dim, any[5] = {0}, nf = 0;
  pl_field field[32];
  stress_fields more;
  for (int i = 0; i < sc->mesh->nvert; i++)
    for (int c = 0; c < dim; c++) {
      d->u[3 * i + c] = s->q[i * dim + c] - sc->params->X[i * dim + c];
      d->v[3 * i + c] = s->v[i * dim + c];
    }
  job_positions(j, s->q, 1, j->x);
  cell_field(j, s, "strain", d->strain, &any[0]);
  cell_field(j, s, "stress", d->stress, &any[1]);
  PL_TRY(rod_curvature(j, s, d->curvature, &any[2]));
  field[nf++] = (pl_field){.name = "displacement", .ncomp = 3, .data = d->u};
  if (with_velocity) field[nf++] = (pl_field){.name = "velocity", .ncomp = 3, .data = d->v};
  if (any[0])
    field[nf++] = (pl_field){.name = "strain", .on_cells = 1, .ncomp = 1, .data = d->strain};
  if (any[1])
    field[nf++] = (pl_field){.name = "stress", .on_cells = 1, .ncomp = 1, .data = d->stress};
  if (any[2]) field[nf++] = (pl_field){.name = "curvature", .ncomp = 1, .data = d->curvature};
  if (j->sheet) {
    PL_TRY(cloth_ratio(j, s->q, d->ratio));
    field[nf++] =
        (pl_field){.name = "stretch_over_limit", .on_cells = 1, .ncomp = 1, .data = d->ratio};
  }
  cell_field(j, s, "limit", d->ratio, &any[3]);
  if (any[3])
    field[nf++] = (pl_field){.name = "limit", .on_cells = 1, .ncomp = 1, .data = d->ratio};
  cell_field(j, s, "limit_bend", d->bend, &any[4]);
  if (any[4])
    field[nf++] = (pl_field){.name = "limit_bend", .on_cells = 1, .ncomp = 1, .data = d->bend};
  pl_status st = job_stress_fields(j, s, with_velocity, &more);
  for (int k = 0; k < more.n; k++) field[nf++] = more.field[k];
  // groups are told once, not with every frame of a motion
  pl_mesh mesh = *sc->mesh;
  if (with_velocity) mesh.nset = 0;
  if (st == PL_OK) st = pl_mesh_write_vtu(&mesh, j->x, nf, field, job_threads(j), path);
  pl_free(j->env, more.data);
  return st;
}

pl_status job_vtu(job *j, const pl_state *s, int with_velocity, const char *path) {
  size_t n = (size_t)j->scene->mesh->nvert, ncell = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) ncell += (size_t)j->scene->mesh->cell[t].n;
  shown d = {.u = pl_alloc(j->env, 3 * n, sizeof(double)),
             .v = pl_alloc(j->env, 3 * n, sizeof(double)),
             .strain = pl_alloc(j->env, ncell, sizeof(double)),
             .stress = pl_alloc(j->env, ncell, sizeof(double)),
             .curvature = pl_alloc(j->env, n, sizeof(double)),
             .ratio = pl_alloc(j->env, ncell, sizeof(double)),
             .bend = pl_alloc(j->env, ncell, sizeof(double))};
  pl_status status = PL_OK;
  if (!d.u || !d.v || !d.strain || !d.stress || !d.curvature || !d.ratio || !d.bend)
    status = PL_E_NOMEM;
  if (status == PL_OK) status = write_vtu(j, s, with_velocity, &d, path);
  pl_free(j->env, d.u);
  pl_free(j->env, d.v);
  pl_free(j->env, d.strain);
  pl_free(j->env, d.stress);
  pl_free(j->env, d.curvature);
  pl_free(j->env, d.ratio);
  pl_free(j->env, d.bend);
  return status;
}
