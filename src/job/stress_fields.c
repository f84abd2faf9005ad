// Stress as fields of VTU files: tensors at nodes and cells, layers and sections of shells,
// sections of rods.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { FULL = 17, LAYER = 7, BRIEF = 4, CELL = 6, SECTION = 12, ROD = 5 }; // numbers of an entity

// the next field, whose numbers are taken from *at
static double *add(stress_fields *f, const char *name, int on_cells, int ncomp, size_t count,
                   double **at) {
  double *data = *at;
  f->field[f->n++] = (pl_field){name, on_cells, ncomp, data};
  *at += count * (size_t)ncomp;
  return data;
}

// von Mises stress, the largest over the thickness, and principal stresses where it is
static void put_brief(stress_fields *f, const pl_recover *r, int n, const int *slot, double **at) {
  double *mises = add(f, "von_mises", 0, 1, (size_t)n, at);
  double *principal = add(f, "principal_stress", 0, 3, (size_t)n, at);
  for (int i = 0; i < n; i++)
    for (int layer = 0; slot[i] >= 0 && layer < r->nlayer; layer++) {
      const double *t = r->at[layer][slot[i]].stress;
      double v = pl_von_mises(t);
      if (layer > 0 && v <= mises[i]) continue;
      mises[i] = v;
      pl_principal(t, principal + 3 * i);
    }
}

static void put_full(stress_fields *f, const pl_recover *r, int n, const int *slot, double **at) {
  double *stress = add(f, "stress_tensor", 0, 6, (size_t)n, at);
  double *strain = add(f, "strain_tensor", 0, 6, (size_t)n, at);
  double *energy = add(f, "energy_density", 0, 1, (size_t)n, at);
  for (int i = 0; i < n; i++) {
    if (slot[i] < 0) continue;
    const pl_stress *s = &r->at[PL_LAYER_MIDDLE][slot[i]];
    memcpy(stress + 6 * i, s->stress, sizeof s->stress);
    memcpy(strain + 6 * i, s->strain, sizeof s->strain);
    energy[i] = s->energy;
  }
}

static void put_layer(stress_fields *f, const pl_stress *s, const char *tensor, const char *mises,
                      int n, const int *slot, double **at) {
  double *stress = add(f, tensor, 0, 6, (size_t)n, at), *v = add(f, mises, 0, 1, (size_t)n, at);
  for (int i = 0; i < n; i++) {
    if (slot[i] < 0) continue;
    memcpy(stress + 6 * i, s[slot[i]].stress, sizeof s->stress);
    v[i] = pl_von_mises(s[slot[i]].stress);
  }
}

static void put_cells(stress_fields *f, const pl_recover *r, double **at) {
  double *stress = add(f, "cell_stress", 1, 6, (size_t)r->ncell, at);
  for (int c = 0; c < r->ncell; c++)
    if (r->known[c]) memcpy(stress + 6 * c, r->mean[0][c].stress, 6 * sizeof *stress);
  if (r->nlayer == 1) return;
  // N = h sigma of the middle, M = h^2/12 (sigma of the top - that of the bottom)
  double *force = add(f, "section_force", 1, 6, (size_t)r->ncell, at);
  double *moment = add(f, "section_moment", 1, 6, (size_t)r->ncell, at);
  for (int c = 0; c < r->ncell; c++)
    for (int k = 0; k < 6 && r->thickness[c] > 0; k++) {
      double h = r->thickness[c];
      force[6 * c + k] = h * r->mean[PL_LAYER_MIDDLE][c].stress[k];
      moment[6 * c + k] =
          h * h / 12 * (r->mean[PL_LAYER_TOP][c].stress[k] - r->mean[PL_LAYER_BOTTOM][c].stress[k]);
    }
}

// ---- rods ---------------------------------------------------------------------------------------

typedef struct rods {
  int any, first;                 // cells of segments in the order of all
  const int *v;                   // [n][2]
  int n, *around, *start;         // segments of each vertex
  double (*end)[2][3];            // [n] moments at either end
  double *axial, *moment, *mises; // [ncell], [ncell][3], [ncell]
} rods;

static pl_status find_segments(const job *j, rods *k) {
  const pl_mesh *m = j->scene->mesh;
  k->n = m->cell[PL_SEG2].n;
  k->v = m->cell[PL_SEG2].v;
  k->start = pl_alloc(j->env, (size_t)m->nvert + 2, sizeof(int));
  k->around = pl_alloc(j->env, 2 * (size_t)k->n, sizeof(int));
  k->end = pl_alloc(j->env, (size_t)k->n, sizeof *k->end);
  if (!k->start || !k->around || !k->end) return PL_E_NOMEM;
  for (int i = 0; i < 2 * k->n; i++) k->start[k->v[i] + 2]++;
  for (int i = 0; i <= m->nvert; i++) k->start[i + 1] += k->start[i];
  for (int i = 0; i < 2 * k->n; i++) k->around[k->start[k->v[i] + 1]++] = i / 2;
  return PL_OK;
}

// the moment at vertex `at` of the segment to `to`
static void put_moment(rods *k, int at, int to, const double *moment) {
  for (int i = k->start[at]; i < k->start[at + 1]; i++) {
    int e = k->around[i], end = k->v[2 * e] == at ? 0 : 1;
    if (k->v[2 * e + 1 - end] == to) memcpy(k->end[e][end], moment, sizeof k->end[e][end]);
  }
}

static void sample_moments(const job *j, const pl_state *s, int g, rods *k) {
  const pl_model *m = j->scene->model;
  const pl_elem_kind *kind = pl_model_group_kind(m, g);
  int nvert = j->scene->mesh->nvert;
  for (int e = 0; e < pl_model_group_size(m, g); e++) {
    const int *v = pl_model_group_stencil(m, g) + (size_t)e * (size_t)(kind->nvert + kind->nscal);
    double force[4];
    int known = 1;
    for (int a = 0; a < kind->nvert; a++) known &= v[a] >= 0 && v[a] < nvert;
    if (!known) continue;
    pl_eval_section(m, j->scene->params, s, g, e, force);
    if (kind->nvert == 3) {
      put_moment(k, v[1], v[0], force + 1);
      put_moment(k, v[1], v[2], force + 1);
    } else {
      put_moment(k, v[0], v[1], force + 1);
    }
  }
}

// axial force, the moments of the end that is loaded more, and the largest stress of the section
static void sample_edges(const job *j, const pl_state *s, int g, rods *k) {
  const pl_model *m = j->scene->model;
  const pl_group_cells *c = &j->scene->cells[g];
  for (int e = 0; c->type == PL_SEG2 && e < pl_model_group_size(m, g); e++) {
    const double *par = pl_model_group_par(m, j->scene->params, g, e);
    double force[4];
    int at = k->first + c->first + e;
    pl_eval_section(m, j->scene->params, s, g, e, force);
    k->axial[at] = force[0];
    k->mises[at] = -1;
    for (int end = 0; end < 2; end++) {
      double normal, shear;
      memcpy(force + 1, k->end[c->first + e][end], 3 * sizeof *force);
      pl_rod_stress(par, force, &normal, &shear);
      double v = sqrt(normal * normal + 3 * shear * shear);
      if (v <= k->mises[at]) continue;
      k->mises[at] = v;
      memcpy(k->moment + 3 * at, force + 1, 3 * sizeof *force);
    }
    k->any = 1;
  }
}

static pl_status put_rods(const job *j, const pl_state *s, int ncell, stress_fields *f,
                          double **at) {
  const pl_model *m = j->scene->model;
  rods k = {0};
  double *start = *at;
  int n = f->n;
  k.axial = add(f, "rod_force", 1, 1, (size_t)ncell, at);
  k.moment = add(f, "rod_moment", 1, 3, (size_t)ncell, at);
  k.mises = add(f, "rod_stress", 1, 1, (size_t)ncell, at);
  pl_status st = find_segments(j, &k);
  for (int pass = 0; st == PL_OK && pass < 2; pass++)
    for (int g = 0; g < pl_model_ngroup(m); g++) {
      const pl_elem_kind *kind = pl_model_group_kind(m, g);
      int edge = strcmp(kind->name, "rod_edge") == 0;
      if (!kind->section || edge != pass) continue;
      (edge ? sample_edges : sample_moments)(j, s, g, &k);
    }
  if (!k.any) {
    f->n = n;
    *at = start;
  }
  pl_free(j->env, k.start);
  pl_free(j->env, k.around);
  pl_free(j->env, k.end);
  return st;
}

// ---- all ----------------------------------------------------------------------------------------

static pl_status fill(job *j, const pl_state *s, int brief, int ncell, stress_fields *f) {
  const pl_recover *r = j->recover;
  int n = j->scene->mesh->nvert;
  double *at = f->data;
  if (r) {
    int *slot = pl_alloc(j->env, (size_t)n, sizeof *slot);
    if (!slot) return PL_E_NOMEM;
    job_recover(j, s, 0);
    job_stress_slots(r, n, slot);
    put_brief(f, r, n, slot, &at);
    if (!brief) {
      put_full(f, r, n, slot, &at);
      put_cells(f, r, &at);
    }
    for (int l = 1; !brief && l < r->nlayer; l++)
      put_layer(f, r->at[l], l == PL_LAYER_TOP ? "stress_tensor_top" : "stress_tensor_bottom",
                l == PL_LAYER_TOP ? "von_mises_top" : "von_mises_bottom", n, slot, &at);
    pl_free(j->env, slot);
  }
  return put_rods(j, s, ncell, f, &at);
}

static int has_rods(const job *j) {
  const pl_model *m = j->scene->model;
  int any = 0;
  for (int g = 0; g < pl_model_ngroup(m); g++)
    any |= pl_model_group_kind(m, g)->section != NULL && pl_model_group_size(m, g) > 0;
  return any;
}

pl_status job_stress_fields(job *j, const pl_state *s, int brief, stress_fields *f) {
  size_t n = (size_t)j->scene->mesh->nvert, ncell = 0;
  *f = (stress_fields){0};
  if (!j->output.stress || (!j->recover && !has_rods(j))) return PL_OK;
  for (int t = 0; t < PL_CELL_COUNT; t++) ncell += (size_t)j->scene->mesh->cell[t].n;
  f->data =
      pl_alloc(j->env, n * (FULL + 2 * LAYER) + ncell * (CELL + SECTION + ROD), sizeof(double));
  return f->data ? fill(j, s, brief, (int)ncell, f) : PL_E_NOMEM;
}

// the largest of the rods
void job_rod_stress(const job *j, const stress_fields *f, json_t *figures) {
  const pl_mesh *m = j->scene->mesh;
  for (int k = 0; k < f->n; k++) {
    if (strcmp(f->field[k].name, "rod_stress") != 0) continue;
    const double *axial = f->field[k - 2].data, *moment = f->field[k - 1].data;
    const double *v = f->field[k].data;
    int first = 0, best = 0;
    for (int t = 0; t < PL_SEG2; t++) first += m->cell[t].n;
    for (int c = first; c < first + m->cell[PL_SEG2].n; c++)
      if (v[c] > v[first + best]) best = c - first;
    const double *X = m->X + 3 * (size_t)m->cell[PL_SEG2].v[2 * best];
    int c = first + best;
    json_t *o = json_pack("{s:f, s:i, s:[f, f, f], s:f, s:[f, f], s:f}", "value", v[c], "cell", c,
                          "position_m", X[0], X[1], X[2], "axial_N", axial[c], "bending_Nm",
                          moment[3 * c], moment[3 * c + 1], "torque_Nm", moment[3 * c + 2]);
    job_set(figures, "rod_stress_Pa", o);
  }
}
