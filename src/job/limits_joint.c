// Strain and curvature at once: how much of both limits a disk of elements reaches together, where
// sheets keep each on its own.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UP, DOWN };
enum { ALONG, ACROSS, WAYS }; // strains along the angle of bending, and across it
enum { CASES = SIDES * WAYS };
static const double TRUE_ENOUGH = 0.98;

typedef struct joint {
  limits_keeper *keep;
  job *j;
  const pl_analysis *a;
  int n, across;      // angles; elements across the disk
  pl_taut_goal *goal; // [all of them, one after the other]
  pl_taut *taut;      // those of bending, of strain, of strain on the disk, of both
  int *solved;        //
  pl_taut *bent, *strain, *alone, *both; // [SIDES n], [WAYS n], [WAYS n], [CASES n]
  int *bent_solved, *strain_solved, *alone_solved, *both_solved;
} joint;

static int count(const joint *k) {
  return (SIDES + 2 * WAYS + CASES) * k->n;
}

static double angle_of(const joint *k, int i) {
  return PL_PI * i / k->n;
}

static double size_of(const double k[3]) {
  return sqrt(k[0] * k[0] + k[1] * k[1] + 2 * k[2] * k[2]);
}

// curvature and strain grow together, to both limits at 1
static pl_taut_goal grow(const double curvature[3], const double strain[3]) {
  pl_taut_goal g = {.n = 1, .goal = {1}, .shape = PL_TAUT_PARABOLOID};
  double size = size_of(curvature) > 0 ? size_of(curvature) : size_of(strain);
  for (int c = 0; c < 3; c++) {
    g.basis[0][c] = curvature[c] / size;
    g.strain[c] = strain[c] / size;
  }
  return g;
}

static double fraction_of(const pl_taut *t, const double curvature[3], const double strain[3]) {
  return t->value / (size_of(curvature) > 0 ? size_of(curvature) : size_of(strain));
}

// ---- goals --------------------------------------------------------------------------------------

static pl_status solve_some(joint *k, const pl_taut_opts *o, int across, int n, pl_taut *taut,
                            int *solved) {
  PL_TRY(keeper_solve(k->keep, o, across, n, k->goal, taut, solved));
  return limits_check(k->keep, across, n, taut, solved);
}

static pl_status solve_alone(joint *k, const pl_taut_opts *o) {
  int n = k->n;
  for (int i = 0; i < SIDES * n; i++)
    k->goal[i] = pl_taut_bend_disk(angle_of(k, i / SIDES), i % SIDES == UP ? 1 : -1);
  PL_TRY(solve_some(k, o, k->across, SIDES * n, k->bent, k->bent_solved));
  for (int i = 0; i < WAYS * n; i++)
    k->goal[i] = pl_taut_along(angle_of(k, i / WAYS) + (i % WAYS == ACROSS ? PL_PI / 2 : 0), 1);
  PL_TRY(solve_some(k, o, 0, WAYS * n, k->strain, k->strain_solved));
  static const double flat[3] = {0};
  for (int i = 0; i < WAYS * n; i++) k->goal[i] = grow(flat, k->strain[i].stretch);
  return solve_some(k, o, k->across, WAYS * n, k->alone, k->alone_solved);
}

// Is there something to compare? Folds and what nothing holds have no limits.
static int is_case(const joint *k, int i) {
  int b = i / CASES * SIDES + i % CASES / WAYS, s = i / CASES * WAYS + i % WAYS;
  return k->bent_solved[b] && !k->bent[b].folds && k->strain_solved[s] && !k->strain[s].open;
}

static const double *curvature_of(const joint *k, int i) {
  return k->bent[i / CASES * SIDES + i % CASES / WAYS].curvature;
}

static const double *strain_of(const joint *k, int i) {
  return k->strain[i / CASES * WAYS + i % WAYS].stretch;
}

static pl_status solve_both(joint *k, const pl_taut_opts *o) {
  int n = 0;
  for (int i = 0; i < CASES * k->n; i++)
    if (is_case(k, i)) k->goal[n++] = grow(curvature_of(k, i), strain_of(k, i));
  PL_TRY(solve_some(k, o, k->across, n, k->both, k->both_solved));
  // to the places of their cases, from the last on
  for (int i = CASES * k->n - 1; i >= 0; i--) {
    int from = is_case(k, i) ? --n : -1;
    if (from == i) continue;
    k->both[i] = from >= 0 ? k->both[from] : (pl_taut){.value = NAN};
    k->both_solved[i] = from >= 0 ? k->both_solved[from] : 0;
    if (from >= 0) k->both[from] = (pl_taut){.value = NAN};
  }
  return PL_OK;
}

// ---- what is told -------------------------------------------------------------------------------

// part of both limits that is reached at once
static double fraction(const joint *k, int i) {
  if (!is_case(k, i) || !k->both_solved[i]) return NAN;
  return fraction_of(&k->both[i], curvature_of(k, i), strain_of(k, i));
}

static double strain_fraction(const joint *k, int i) {
  static const double flat[3] = {0};
  int at = i / CASES * WAYS + i % WAYS;
  return k->alone_solved[at] ? fraction_of(&k->alone[at], flat, strain_of(k, i)) : NAN;
}

static pl_status write_table(const joint *k) {
  static const table_column column[] = {{"angle", "deg"},
                                        {"up", ""},
                                        {"strain_angle", "deg"},
                                        {"curvature_xx", "1/m"},
                                        {"curvature_yy", "1/m"},
                                        {"curvature_xy", "1/m"},
                                        {"stretch_xx", ""},
                                        {"stretch_yy", ""},
                                        {"stretch_xy", ""},
                                        {"fraction", ""},
                                        {"fraction_strain_alone", ""},
                                        {"bound", ""},
                                        {"contacts", ""},
                                        {"certified", ""}};
  enum { N = sizeof column / sizeof *column };
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(job_table_open(k->j, N, column, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < CASES * k->n; i++) {
    const double *K = curvature_of(k, i), *S = strain_of(k, i), angle = 180.0 * (i / CASES) / k->n;
    const pl_taut *r = &k->both[i];
    const double row[N] = {angle,
                           i % CASES / WAYS == UP,
                           angle + (i % WAYS == ACROSS ? 90 : 0),
                           K[0],
                           K[1],
                           K[2],
                           1 + S[0],
                           1 + S[1],
                           S[2],
                           fraction(k, i),
                           strain_fraction(k, i),
                           r->bound / fmax(size_of(K), 1e-300),
                           r->ncontact,
                           r->certified};
    s = pl_table_row(t, row);
  }
  return job_table_end(k->j, t, s, k->a->name, "-joint.csv");
}

static void report(const joint *k) {
  static const char *const head[] = {"bent along (deg)", "",           "curvature (1/m)",
                                     "stretched along",  "strain (%)", "both at once"};
  int step = (k->n + 8) / 9;
  job_say(k->j,
          "Strain and curvature at once, on a disk with %d elements across: it is bent towards its "
          "limit and stretched towards that of the material, both by the same part; elements move "
          "as they like otherwise, with the mean strain on the paraboloid that is told. A sheet "
          "that keeps each limit on its own goes to 100 %% of both.",
          k->across);
  grid g = job_grid(k->j, 6, head);
  for (int i = 0; i < k->n; i += step)
    for (int c = 0; c < CASES; c++) {
      int at = CASES * i + c;
      if (!isfinite(fraction(k, at))) continue;
      const pl_taut *b = &k->bent[i * SIDES + c / WAYS];
      grid_add(&g, "%.4g", 180.0 * i / k->n);
      grid_add(&g, "%s", c / WAYS == UP ? "up" : "down");
      grid_add(&g, "%.2f (%.2f)", b->e[1], b->e[0]);
      grid_add(&g, "%s", c % WAYS == ALONG ? "along" : "across");
      grid_add(&g, "%.2f", 100 * k->strain[i * WAYS + c % WAYS].value);
      grid_add(&g, "%.1f %%", 100 * fraction(k, at));
    }
  grid_end(&g);
}

static void set_figures(const joint *k, json_t *figures, int unsolved) {
  double least = INFINITY, most = 0, sum = 0;
  int n = 0, less = 0;
  for (int i = 0; i < CASES * k->n; i++) {
    double f = fraction(k, i);
    if (!isfinite(f)) continue;
    least = fmin(least, f);
    most = fmax(most, f);
    sum += f;
    less += f < TRUE_ENOUGH;
    n++;
  }
  json_t *f = json_object();
  job_set(f, "across", json_integer(k->across));
  job_set(f, "cases", json_integer(n));
  job_set(f, "unsolved", json_integer(unsolved));
  if (n > 0) {
    job_set(f, "least", json_real(least));
    job_set(f, "mean", json_real(sum / n));
    job_set(f, "most", json_real(most));
    job_set(f, "separate_limits_lie", json_integer(less));
    job_note(k->j, "%s: of strain and curvature limits %.0f to %.0f %% are reached at once",
             k->a->name, 100 * least, 100 * most);
  }
  job_set(figures, "joint", f);
  if (n == 0)
    job_say(k->j, "There is nothing to compare: the disk folds in all directions, or nothing "
                  "holds the material.");
  else if (less > 0)
    job_warn(k->j,
             "Separate limits lie in %d of %d pairs: a sheet that is bent and stretched there goes "
             "up to %.0f %% too far. Keep loads of sheets below %.0f %% of one limit where they "
             "are near the other, or use a patch of elements (native).",
             less, n, 100 * (1 / least - 1), 100 * least);
  else
    job_say(k->j, "Both limits hold at once, in all %d pairs.", n);
}

// -------------------------------------------------------------------------------------------------

static pl_status joint_open(joint *k) {
  size_t n = (size_t)count(k);
  pl_env *env = k->j->env;
  k->goal = pl_alloc(env, n, sizeof *k->goal);
  k->taut = pl_alloc(env, n, sizeof *k->taut);
  k->solved = pl_alloc(env, n, sizeof *k->solved);
  if (!k->goal || !k->taut || !k->solved) return PL_E_NOMEM;
  k->bent = k->taut;
  k->strain = k->bent + SIDES * k->n;
  k->alone = k->strain + WAYS * k->n;
  k->both = k->alone + WAYS * k->n;
  k->bent_solved = k->solved;
  k->strain_solved = k->bent_solved + SIDES * k->n;
  k->alone_solved = k->strain_solved + WAYS * k->n;
  k->both_solved = k->alone_solved + WAYS * k->n;
  return PL_OK;
}

pl_status limits_joint(limits_keeper *keep, const pl_taut_opts *o, json_t *figures, int *unsolved) {
  const pl_limits_opts *l = &keep->a->opts.limits_;
  joint k = {.keep = keep,
             .j = keep->j,
             .a = keep->a,
             .n = l->joint,
             .across = l->patch > 0 ? l->patch : PATCH};
  if (k.n == 0) return PL_OK;
  pl_status s = joint_open(&k);
  if (s == PL_OK) s = solve_alone(&k, o);
  if (s == PL_OK) s = solve_both(&k, o);
  if (s == PL_OK) {
    int lost = 0;
    for (int i = 0; i < CASES * k.n; i++) lost += is_case(&k, i) && !k.both_solved[i];
    report(&k);
    set_figures(&k, figures, lost);
    s = write_table(&k);
    *unsolved += lost;
  }
  if (s == PL_OK) limits_verified(keep, "joint_", figures);
  if (s == PL_OK) s = limits_states(k.j, k.a, "-joint", CASES, CASES * k.n, k.both, k.both_solved);
  for (int i = 0; k.taut && i < count(&k); i++) pl_taut_free(k.j->env, &k.taut[i]);
  pl_free(k.j->env, k.goal);
  pl_free(k.j->env, k.taut);
  pl_free(k.j->env, k.solved);
  return s;
}
