// limits: how far an interlocking material stretches and shrinks, in all directions.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum { LONGEST, SHORTEST, SIDES };
static const double LEFT = 1e-4; // strain that may be left without a word

typedef struct survey {
  job *j;
  const pl_analysis *a;
  const pl_mail *m;
  int n, nfailed; // directions over half a turn; goals that were not solved
  double *angle;  // [2 n] over a whole turn, as the figures want it
  double *strain; // [SIDES][2 n]
  pl_taut_goal *goal;
  pl_taut *taut; // [SIDES n] longest and shortest of each direction
  int *solved;
} survey;

static const pl_taut *result(const survey *k, int direction, int side) {
  return &k->taut[SIDES * direction + side];
}

// how far it goes from its shortest to its longest, over the shortest
static double play(const survey *k, int direction) {
  double most = result(k, direction, LONGEST)->value,
         least = -result(k, direction, SHORTEST)->value;
  return (most - least) / (1 + least);
}

static void fill(survey *k) {
  for (int i = 0; i < k->n; i++) k->angle[i] = PL_PI * i / k->n;
  for (int i = 0; i < k->n; i++)
    for (int side = 0; side < SIDES; side++) {
      pl_taut_goal *g = &k->goal[SIDES * i + side];
      *g = pl_taut_along(k->angle[i], side == LONGEST ? 1 : -1);
      if (side == SHORTEST) g->starts = k->a->opts.limits_.starts;
    }
}

// the same over the other half of the turn
static void collect(survey *k) {
  for (int i = 0; i < 2 * k->n; i++) {
    k->angle[i] = PL_PI * i / k->n;
    for (int side = 0; side < SIDES; side++) {
      double v = result(k, i % k->n, side)->value;
      k->strain[2 * side * k->n + i] = 1 + (side == LONGEST ? v : -v);
      k->nfailed += i < k->n && !isfinite(v);
    }
  }
}

static pl_status write_table(const survey *k) {
  static const char *const column[][2] = {
      {"angle", "deg"},     {"strain_max", ""},        {"strain_across_max", ""},
      {"strain_min", ""},   {"strain_across_min", ""}, {"play", ""},
      {"bound_max", ""},    {"bound_min", ""},         {"contacts_max", ""},
      {"contacts_min", ""}, {"spread_min", ""}};
  enum { N = sizeof column / sizeof *column };
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(pl_table_create(k->j->env, N, &t));
  pl_status s = PL_OK;
  for (int c = 0; s == PL_OK && c < N; c++) s = pl_table_column(t, c, column[c][0], column[c][1]);
  for (int i = 0; s == PL_OK && i < k->n; i++) {
    const pl_taut *most = result(k, i, LONGEST), *least = result(k, i, SHORTEST);
    const double row[N] = {180.0 * i / k->n, most->value,     most->e[1],   -least->value,
                           least->e[1],      play(k, i),      most->bound,  least->bound,
                           most->ncontact,   least->ncontact, least->spread};
    s = pl_table_row(t, row);
  }
  if (s == PL_OK) s = job_table(k->j, t, k->a->name, ".csv");
  pl_table_free(t);
  return s;
}

static pl_status draw(const survey *k) {
  const pl_polar_series series[SIDES] = {{.name = "longest",
                                          .n = 2 * k->n,
                                          .angle = k->angle,
                                          .stretch = k->strain,
                                          .fill = 1,
                                          .colour = -1},
                                         {.name = "shortest",
                                          .n = 2 * k->n,
                                          .angle = k->angle,
                                          .stretch = k->strain + 2 * k->n,
                                          .colour = -1}};
  const pl_polar_plot p = {.title = "limits of strain", .nseries = SIDES, .series = series};
  return job_polar(k->j, k->a->name, &p,
                   "Strain at which the material is taut, and at which it is packed, along each "
                   "direction; the strain across is free.");
}

static void set_figures(const survey *k, json_t *f) {
  double most = -INFINITY, least = INFINITY, wide = -INFINITY, narrow = INFINITY, bound = 0;
  for (int i = 0; i < k->n; i++) {
    most = fmax(most, result(k, i, LONGEST)->value);
    least = fmin(least, -result(k, i, SHORTEST)->value);
    wide = fmax(wide, play(k, i));
    narrow = fmin(narrow, play(k, i));
    for (int side = 0; side < SIDES; side++) bound = fmax(bound, result(k, i, side)->bound);
  }
  job_set(f, "material", json_string(k->j->scene->mail[k->a->mail].name));
  job_set(f, "directions", json_integer(k->n));
  job_set(f, "copies", json_integer(k->a->opts.limits_.copies));
  job_set(f, "strain_max", json_real(most));
  job_set(f, "strain_min", json_real(least));
  job_set(f, "play_max", json_real(wide));
  job_set(f, "play_min", json_real(narrow));
  job_set(f, "bound", json_real(bound));
  job_set(f, "unsolved", json_integer(k->nfailed));
  job_note(k->j, "%s: strains from %.4f to %.4f, play %.4f to %.4f (%d %s, %.0e left)", k->a->name,
           least, most, narrow, wide, k->n, pl_plural(k->n, "direction", "directions"), bound);
  if (bound > LEFT)
    pl_report(k->j->env, PL_WARNING, k->j->scene->path, k->a->line, k->a->col,
              "see the columns bound_max and bound_min; more iterations (max_iter) may help",
              "%s: some limits may lie up to %.1e further", k->a->name, bound);
  if (k->nfailed) job_alarm(k->j, "%d of %d limits were not found.", k->nfailed, SIDES * k->n);
}

static void report(const survey *k) {
  static const char *const head[] = {"angle (deg)",  "longest (%)", "across (%)",
                                     "shortest (%)", "across (%)",  "play (%)"};
  int step = (k->n + 17) / 18;
  job_say(k->j,
          "%s, a cell of %d x %d lattice vectors, no friction. Nothing that is feasible nearby "
          "goes further than what is told here by more than the bound of the table.",
          k->j->scene->mail[k->a->mail].family, k->a->opts.limits_.copies,
          k->a->opts.limits_.copies);
  grid g = job_grid(k->j, 6, head);
  for (int i = 0; i < k->n; i += step) {
    const pl_taut *most = result(k, i, LONGEST), *least = result(k, i, SHORTEST);
    grid_add(&g, "%.4g", 180.0 * i / k->n);
    grid_add(&g, "%.3f", 100 * most->value);
    grid_add(&g, "%.3f", 100 * most->e[1]);
    grid_add(&g, "%.3f", -100 * least->value);
    grid_add(&g, "%.3f", 100 * least->e[1]);
    grid_add(&g, "%.3f", 100 * play(k, i));
  }
  grid_end(&g);
}

static pl_status survey_open(survey *k) {
  pl_env *env = k->j->env;
  size_t n = (size_t)k->n;
  k->angle = pl_alloc(env, 2 * n, sizeof *k->angle);
  k->strain = pl_alloc(env, SIDES * 2 * n, sizeof *k->strain);
  k->goal = pl_alloc(env, SIDES * n, sizeof *k->goal);
  k->taut = pl_alloc(env, SIDES * n, sizeof *k->taut);
  k->solved = pl_alloc(env, SIDES * n, sizeof *k->solved);
  return k->angle && k->strain && k->goal && k->taut && k->solved ? PL_OK : PL_E_NOMEM;
}

static void survey_close(survey *k) {
  pl_env *env = k->j->env;
  for (int i = 0; k->taut && i < SIDES * k->n; i++) pl_taut_free(env, &k->taut[i]);
  void *all[] = {k->angle, k->strain, k->goal, k->taut, k->solved};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(env, all[i]);
}

pl_status job_limits(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  const pl_limits_opts *o = &a->opts.limits_;
  const pl_taut_opts taut = {o->barrier, o->weight, o->max_iter};
  survey k = {.j = j, .a = a, .m = j->scene->mail[a->mail].m, .n = o->directions};
  pl_status s = survey_open(&k);
  if (s == PL_OK) {
    fill(&k);
    s = pl_mail_taut(j->env, k.m, (const int[]){o->copies, o->copies}, &taut, SIDES * k.n, k.goal,
                     pl_threads_size(j->work->threads), k.taut, k.solved);
  }
  if (s == PL_OK) {
    collect(&k);
    set_figures(&k, figures);
    report(&k);
    s = write_table(&k);
  }
  if (s == PL_OK) s = draw(&k);
  int rays = 0;
  if (s == PL_OK && o->boundary > 0) s = job_limits_boundary(j, a, &taut, &rays);
  if (s == PL_OK && o->boundary > 0) job_set(figures, "unsolved_rays", json_integer(rays));
  if (s == PL_OK && k.nfailed + rays > 0) s = PL_UNSOLVED;
  survey_close(&k);
  return s;
}
