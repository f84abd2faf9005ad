// coarsen: the largest voxels that keep the first mode shapes, and the moduli that make up for the
// stiffness that they bring.
#include "checkpoint.h"
#include "coarsen.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODES_MAX = 20, EXTRA = 4, TRIALS_MAX = 24, MATERIALS_MAX = 8, SWEEPS = 3 };
// solutions of the coarse mesh for its moduli
enum { SOLVES_MAX = SWEEPS * (1 + MATERIALS_MAX) + 1 };

// one size of voxels
typedef struct trial {
  double edge[3];
  int nvoxel, good;
  double mac, distance, error; // smallest, largest, mean over the modes of |frequency / fine - 1|
  char why[PL_TEXT];           // it could not be made
} trial;

// All that is solved, in its order.
typedef struct steps {
  int ntrial;
  trial trial[TRIALS_MAX];
  // the coarsest one that is good
  double size;
  trial best;
  mode_match match[MODES_MAX];
  double before[MODES_MAX]; // rad/s
  int nsolve;
  double omega[SOLVES_MAX][MODES_MAX]; // rad/s
} steps;

typedef struct coarsening {
  job *j;
  const pl_analysis *a;
  pl_coarsen_opts *o; // own: with what the record says
  pl_coarsen_opts own;
  pl_env quiet; // trials that cannot be built are no errors
  int n;        // modes that are compared
  coarse_modes fine;
  double measured; // squared frequency that was measured over that of the fine mesh, 1: none
  steps done;
  steps kept;              // by an earlier run that this one goes on with
  double after[MODES_MAX]; // rad/s
  int nmaterial;
  const pl_scene_material *material[MATERIALS_MAX];
  double factor[MATERIALS_MAX]; // numerical modulus over the scene's
} coarsening;

// ---- checkpoints ------------------------------------------------------------------------------

static pl_status keep(coarsening *k, int last) {
  checkpoint c;
  if (!last && !checkpoint_due(k->j)) return PL_OK;
  checkpoint_begin(k->j, k->a, &c);
  checkpoint_put(&c, &k->done, 1, sizeof k->done);
  return checkpoint_end(&c);
}

static pl_status recall(coarsening *k) {
  checkpoint c;
  int found;
  PL_TRY(checkpoint_open(k->j, k->a, &c, &found));
  return found ? checkpoint_close(&c, checkpoint_read(&c, &k->kept, 1, sizeof k->kept)) : PL_OK;
}

// ---- coarse scenes ----------------------------------------------------------------------------

// the scene with voxels of a size, and moduli times factors
static pl_status load(coarsening *k, double size, const double *factor, pl_scene **out) {
  char set[2 + MATERIALS_MAX][PL_TEXT];
  const char *list[2 + MATERIALS_MAX];
  const char *body = k->fine.body->name;
  int n = 0;
  snprintf(set[n++], PL_TEXT, "bodies.%.200s.solid.mesh.voxels.size=%.17g m", body, size);
  if (k->o->plain) snprintf(set[n++], PL_TEXT, "bodies.%.200s.solid.formulation=plain", body);
  for (int i = 0; factor && i < k->nmaterial; i++)
    snprintf(set[n++], PL_TEXT, "materials.%.200s.young=%.17g Pa", k->material[i]->name,
             factor[i] * k->material[i]->young);
  for (int i = 0; i < n; i++) list[i] = set[i];
  return pl_scene_again(&k->quiet, k->j->scene, n, list, out);
}

static pl_status solve(coarsening *k, double size, const double *factor, pl_scene **sc,
                       coarse_modes *m) {
  *m = (coarse_modes){0};
  *sc = NULL;
  PL_TRY(load(k, size, factor, sc));
  return modes_find(&k->quiet, *sc, k->n + EXTRA, pl_threads_size(k->j->work->threads), m);
}

static double mean_error(const coarsening *k, const coarse_modes *m, const mode_match *match) {
  double sum = 0;
  for (int i = 0; i < k->n; i++)
    sum += match[i].mode < 0 ? 1 : fabs(m->omega[match[i].mode] / k->fine.omega[i] - 1);
  return sum / k->n;
}

// PL_OK whatever comes out unless memory or patience ends
static pl_status solve_size(coarsening *k, double size) {
  pl_scene *sc;
  coarse_modes m;
  mode_match match[MODES_MAX] = {{0}};
  steps *d = &k->done;
  trial *t = &d->trial[d->ntrial];
  *t = (trial){.edge = {size, size, size}, .mac = 1};
  pl_status st = solve(k, size, NULL, &sc, &m);
  if (st == PL_OK) st = modes_match(&k->quiet, &k->fine, &m, k->n, match);
  if (st == PL_OK) {
    t->nvoxel = m.body->voxels->nvoxel;
    memcpy(t->edge, m.body->voxels->edge, sizeof t->edge);
    t->error = mean_error(k, &m, match);
    for (int i = 0; i < k->n; i++) {
      t->mac = fmin(t->mac, match[i].mac);
      t->distance = fmax(t->distance, match[i].distance);
    }
    t->good = t->distance <= k->o->tolerance && t->mac >= k->o->mac;
  } else if (st == PL_E_INPUT || st == PL_DOMAIN || st == PL_SINGULAR || st == PL_UNSOLVED) {
    snprintf(t->why, sizeof t->why, "%.400s", st == PL_E_INPUT ? k->quiet.error.text : "no modes");
    st = PL_OK;
  }
  if (st == PL_OK && t->good) {
    d->size = size;
    d->best = *t;
    memcpy(d->match, match, sizeof match);
    for (int i = 0; i < k->n; i++) d->before[i] = m.omega[match[i].mode];
  }
  modes_free(&k->quiet, &m);
  pl_scene_free(sc);
  return st;
}

// what an earlier run has found of the next size
static void recall_size(coarsening *k, double size) {
  steps *d = &k->done;
  const steps *had = &k->kept;
  d->trial[d->ntrial] = had->trial[d->ntrial];
  if (!d->trial[d->ntrial].good) return;
  d->size = size;
  d->best = d->trial[d->ntrial];
  // those of the last good one, which comes last here, too
  memcpy(d->match, had->match, sizeof d->match);
  memcpy(d->before, had->before, sizeof d->before);
}

static pl_status try_size(coarsening *k, double size, int *good) {
  steps *d = &k->done;
  if (d->ntrial < k->kept.ntrial)
    recall_size(k, size);
  else
    PL_TRY(solve_size(k, size));
  *good = d->trial[d->ntrial++].good;
  return keep(k, 0);
}

// from the coarsest on, then between what is good and what is not, by halves of the ratio
static pl_status bisect(coarsening *k) {
  const double *e = k->fine.body->voxels->edge;
  double fine = cbrt(e[0] * e[1] * e[2]), most = k->o->coarsest > 0 ? k->o->coarsest : 8 * fine;
  double low = fine, high = most;
  int good;
  if (!(most > fine)) return PL_OK;
  PL_TRY(try_size(k, high, &good));
  if (good) return PL_OK;
  for (int i = 1; i < k->o->trials && i < TRIALS_MAX && high / low > 1.02; i++) {
    double size = sqrt(low * high);
    PL_TRY(pl_report_progress(k->j->env, "coarsen", (double)i / k->o->trials, NULL));
    PL_TRY(try_size(k, size, &good));
    if (good)
      low = size;
    else
      high = size;
  }
  return PL_OK;
}

// ---- moduli -----------------------------------------------------------------------------------

static pl_status solve_frequencies(coarsening *k, const double *factor, double *omega) {
  pl_scene *sc;
  coarse_modes m;
  mode_match match[MODES_MAX];
  pl_status st = solve(k, k->done.size, factor, &sc, &m);
  if (st == PL_OK) st = modes_match(&k->quiet, &k->fine, &m, k->n, match);
  for (int i = 0; st == PL_OK && i < k->n; i++)
    omega[i] = match[i].mode >= 0 ? m.omega[match[i].mode] : m.omega[i];
  modes_free(&k->quiet, &m);
  pl_scene_free(sc);
  return st;
}

// frequencies of the coarse mesh with moduli times factors, in the order of the fine modes
static pl_status frequencies(coarsening *k, const double *factor, double *omega) {
  steps *d = &k->done;
  double *now = d->omega[d->nsolve];
  if (d->nsolve < k->kept.nsolve)
    memcpy(now, k->kept.omega[d->nsolve], sizeof *d->omega);
  else
    PL_TRY(solve_frequencies(k, factor, now));
  d->nsolve++;
  memcpy(omega, now, (size_t)k->n * sizeof *omega);
  return keep(k, 0);
}

// normal equations J'J x = J'r with a little weight on small changes: [n][MATERIALS_MAX]
static void solve_normal(int n, double (*A)[MATERIALS_MAX], double *b) {
  double trace = 0;
  for (int i = 0; i < n; i++) trace += A[i][i];
  for (int i = 0; i < n; i++) A[i][i] += 1e-9 * trace + 1e-300;
  for (int i = 0; i < n; i++)
    for (int r = i + 1; r < n; r++) {
      double f = A[r][i] / A[i][i];
      for (int c = i; c < n; c++) A[r][c] -= f * A[i][c];
      b[r] -= f * b[i];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int c = i + 1; c < n; c++) b[i] -= A[i][c] * b[c];
    b[i] /= A[i][i];
  }
}

// several materials: log of the eigenvalues by log of the moduli, least squares over the modes
static pl_status fit_moduli(coarsening *k) {
  static const double step = 0.02;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double J[MODES_MAX][MATERIALS_MAX], A[MATERIALS_MAX][MATERIALS_MAX] = {{0}}, b[MATERIALS_MAX];
    double now[MODES_MAX], displaced[MODES_MAX];
    PL_TRY(frequencies(k, k->factor, now));
    for (int p = 0; p < k->nmaterial; p++) {
      double factor[MATERIALS_MAX];
      memcpy(factor, k->factor, sizeof factor);
      factor[p] *= exp(step);
      PL_TRY(frequencies(k, factor, displaced));
      for (int i = 0; i < k->n; i++) J[i][p] = 2 * log(displaced[i] / now[i]) / step;
    }
    for (int p = 0; p < k->nmaterial; p++) {
      b[p] = 0;
      for (int i = 0; i < k->n; i++) {
        b[p] += J[i][p] * 2 * log(k->fine.omega[i] / now[i]);
        for (int q = 0; q < k->nmaterial; q++) A[p][q] += J[i][p] * J[i][q];
      }
    }
    solve_normal(k->nmaterial, A, b);
    for (int p = 0; p < k->nmaterial; p++) k->factor[p] *= exp(fmax(-1, fmin(1, b[p])));
  }
  return PL_OK;
}

// A vibration exp(-d t) sin(2 pi f t) of the first mode: its eigenvalue is (2 pi f)^2 + d^2, and
// with stiffness damping b alone d = b lambda / 2. All modes of the fine mesh follow its modulus.
static double eigenvalue(const pl_coarsen_opts *o) {
  return o->frequency * o->frequency + o->decay * o->decay;
}

static void read_measured(coarsening *k) {
  k->measured = 1;
  if (!(k->o->frequency > 0)) return;
  k->measured = eigenvalue(k->o) / (k->fine.omega[0] * k->fine.omega[0]);
  for (int i = 0; i < k->n; i++) k->fine.omega[i] *= sqrt(k->measured);
}

// those whose modulus says all of their stiffness
static void list_materials(coarsening *k) {
  const pl_scene *sc = k->j->scene;
  for (int i = 0; i < sc->nmaterial && k->nmaterial < MATERIALS_MAX; i++) {
    int plain = strcmp(sc->material[i].law, "St. Venant-Kirchhoff") == 0 ||
                strcmp(sc->material[i].law, "neo-Hookean") == 0;
    if (!plain) continue;
    k->factor[k->nmaterial] = 1;
    k->material[k->nmaterial++] = &sc->material[i];
  }
}

static pl_status find_moduli(coarsening *k) {
  memcpy(k->after, k->done.before, sizeof k->after);
  if (k->nmaterial == 0) return PL_OK;
  // one modulus: all eigenvalues follow it
  double ratio = k->fine.omega[0] / k->done.before[0];
  if (k->nmaterial == 1)
    k->factor[0] = ratio * ratio;
  else
    PL_TRY(fit_moduli(k));
  return frequencies(k, k->factor, k->after);
}

// ---- results ----------------------------------------------------------------------------------

static double percent(double a, double b) {
  return 100 * (a / b - 1);
}

static pl_status write_modes(const coarsening *k) {
  static const table_column column[] = {{"mode", ""},  {"fine", "Hz"},  {"coarse", "Hz"},
                                        {"error", ""}, {"after", "Hz"}, {"error_after", ""},
                                        {"mac", ""},   {"distance", ""}};
  pl_table *t;
  PL_TRY(job_table_open(k->j, 8, column, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < k->n; i++) {
    double f = k->fine.omega[i], w = 2 * PL_PI;
    s = pl_table_row(t, (double[]){i + 1, f / w, k->done.before[i] / w, k->done.before[i] / f - 1,
                                   k->after[i] / w, k->after[i] / f - 1, k->done.match[i].mac,
                                   k->done.match[i].distance});
  }
  return job_table_end(k->j, t, s, k->a->name, ".csv");
}

static pl_status write_sizes(const coarsening *k) {
  static const table_column column[] = {{"edge_x", "m"}, {"edge_y", "m"}, {"edge_z", "m"},
                                        {"voxels", ""},  {"mac", ""},     {"distance", ""},
                                        {"error", ""},   {"good", ""}};
  char file[PL_TEXT];
  pl_table *t;
  PL_TRY(job_table_open(k->j, 8, column, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < k->done.ntrial; i++) {
    const trial *r = &k->done.trial[i];
    double none = r->nvoxel ? 0 : NAN;
    s = pl_table_row(t, (double[]){r->edge[0], r->edge[1], r->edge[2], r->nvoxel, r->mac + none,
                                   r->distance + none, r->error + none, r->good});
  }
  snprintf(file, sizeof file, "%.100s-sizes", k->a->name);
  return job_table_end(k->j, t, s, file, ".csv");
}

static void set_figures(const coarsening *k, json_t *f) {
  const pl_voxel_info *v = k->fine.body->voxels;
  json_t *modes = json_array(), *moduli = json_object();
  job_set(f, "found", json_boolean(k->done.size > 0));
  job_set(f, "fine_voxels", json_integer(v->nvoxel));
  job_set(f, "fine_edge_m", json_pack("[f, f, f]", v->edge[0], v->edge[1], v->edge[2]));
  job_set(f, "sizes_tried", json_integer(k->done.ntrial));
  for (int i = 0; i < k->n && k->done.size > 0; i++)
    json_array_append_new(
        modes, json_pack("{s:f, s:f, s:f, s:f, s:f}", "fine_Hz", k->fine.omega[i] / (2 * PL_PI),
                         "error", k->done.before[i] / k->fine.omega[i] - 1, "error_after",
                         k->after[i] / k->fine.omega[i] - 1, "mac", k->done.match[i].mac,
                         "distance", k->done.match[i].distance));
  for (int p = 0; p < k->nmaterial && k->done.size > 0; p++)
    json_object_set_new(moduli, k->material[p]->name,
                        json_real(k->factor[p] * k->material[p]->young));
  job_set(f, "modes", modes);
  if (k->o->frequency > 0) {
    json_t *fine = json_object();
    for (int p = 0; p < k->nmaterial; p++)
      json_object_set_new(fine, k->material[p]->name,
                          json_real(k->measured * k->material[p]->young));
    job_set(f, "identified_young_Pa", fine);
    job_set(f, "stiffness_damping_s", json_real(2 * k->o->decay / eigenvalue(k->o)));
  }
  job_set(f, "numerical_young_Pa", moduli);
  if (!(k->done.size > 0)) return;
  const double *e = k->done.best.edge;
  job_set(f, "voxels", json_integer(k->done.best.nvoxel));
  job_set(f, "size_m", json_real(k->done.size));
  job_set(f, "edge_m", json_pack("[f, f, f]", e[0], e[1], e[2]));
}

static void report_modes(const coarsening *k) {
  static const char *const head[] = {"mode",           "fine, Hz", "coarse, Hz", "error, %",
                                     "calibrated, Hz", "error, %", "MAC",        "distance"};
  grid g = job_grid(k->j, 8, head);
  for (int i = 0; i < k->n; i++) {
    double f = k->fine.omega[i], w = 2 * PL_PI;
    grid_add(&g, "%d", i + 1);
    grid_add(&g, "%.5g", f / w);
    grid_add(&g, "%.5g", k->done.before[i] / w);
    grid_add(&g, "%+.2f", percent(k->done.before[i], f));
    grid_add(&g, "%.5g", k->after[i] / w);
    grid_add(&g, "%+.2f", percent(k->after[i], f));
    grid_add(&g, "%.4f", k->done.match[i].mac);
    grid_add(&g, "%.4f", k->done.match[i].distance);
  }
  grid_end(&g);
}

static void report_sizes(const coarsening *k) {
  static const char *const head[] = {"edge, mm",         "voxels",        "least MAC",
                                     "largest distance", "mean error, %", "keeps the shapes"};
  grid g = job_grid(k->j, 6, head);
  job_heading(k->j, "Sizes tried");
  for (int i = 0; i < k->done.ntrial; i++) {
    const trial *t = &k->done.trial[i];
    grid_add(&g, "%.4g", 1e3 * cbrt(t->edge[0] * t->edge[1] * t->edge[2]));
    grid_add(&g, t->nvoxel ? "%d" : "-", t->nvoxel);
    grid_add(&g, t->nvoxel ? "%.4f" : "-", t->mac);
    grid_add(&g, t->nvoxel ? "%.4f" : "-", t->distance);
    grid_add(&g, t->nvoxel ? "%.2f" : "-", 100 * t->error);
    grid_add(&g, "%.120s", t->why[0] ? t->why : t->good ? "yes" : "no");
  }
  grid_end(&g);
}

static void report(const coarsening *k) {
  job *j = k->j;
  const pl_voxel_info *v = k->fine.body->voxels;
  if (k->done.size > 0) {
    job_note(j, "%s: voxels of %.4g mm keep %d mode shapes: %d in place of %d", k->a->name,
             1e3 * k->done.size, k->n, k->done.best.nvoxel, v->nvoxel);
    for (int p = 0; p < k->nmaterial; p++)
      job_note(j, "%s: numerical modulus of %s: %.5g Pa (%.4g of %.5g)", k->a->name,
               k->material[p]->name, k->factor[p] * k->material[p]->young, k->factor[p],
               k->material[p]->young);
    report_modes(k);
  } else {
    job_warn(j, "%s: no coarser voxels keep the first %d mode shapes within %.3g", k->a->name, k->n,
             k->o->tolerance);
  }
  if (k->o->frequency > 0)
    job_note(j, "%s: measured: moduli of the fine mesh times %.5g; damping: {stiffness: %.5g s}",
             k->a->name, k->measured, 2 * k->o->decay / eigenvalue(k->o));
  job_say(j,
          "Shapes are compared at the nodes of the fine mesh, weighted by mass (MAC). The distance "
          "is the largest one of corresponding points over the largest displacement; it bounds the "
          "Hausdorff distance of the deformed shapes.");
  report_sizes(k);
}

static pl_status run(coarsening *k, json_t *figures) {
  const pl_scene *sc = k->j->scene;
  PL_TRY(recall(k));
  if (k->a->record) PL_TRY(coarsen_record(k->j, k->a, k->o, figures));
  PL_TRY(modes_find(k->j->env, sc, k->o->modes, pl_threads_size(k->j->work->threads), &k->fine));
  k->n = k->fine.n;
  if (k->n == 0 || !(k->fine.omega[0] > 0))
    return pl_fail(k->j->env, PL_E_INPUT, "%s: the fine mesh has no elastic modes", k->a->name);
  PL_TRY(bisect(k));
  read_measured(k);
  list_materials(k);
  if (k->done.size > 0) PL_TRY(find_moduli(k));
  set_figures(k, figures);
  report(k);
  if (k->done.size > 0) PL_TRY(write_modes(k));
  if (k->o->frequency > 0 && k->nmaterial > 0)
    PL_TRY(coarsen_material(k->j, k->a, k->o, k->nmaterial, k->material, k->measured, k->done.size,
                            k->factor));
  return write_sizes(k);
}

pl_status job_coarsen(job *j, int index, json_t *figures) {
  coarsening *k = pl_alloc(j->env, 1, sizeof *k);
  if (!k) return PL_E_NOMEM;
  k->j = j;
  k->a = &j->scene->analysis[index];
  k->own = k->a->opts.coarsen_;
  k->o = &k->own;
  k->quiet = *j->env;
  k->quiet.diag = NULL;
  pl_status st = run(k, figures), held = st == PL_CANCELLED ? keep(k, 1) : PL_OK;
  modes_free(j->env, &k->fine);
  pl_free(j->env, k);
  return held < 0 ? held : st;
}
