// limits: how far an interlocking material stretches and shrinks, in all directions.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LEFT = 1e-4; // strain that may be left without a word

const pl_taut *survey_result(const survey *k, int direction, int side) {
  return &k->taut[SIDES * direction + side];
}

// infinite where nothing holds it
static double longest(const survey *k, int direction) {
  const pl_taut *t = survey_result(k, direction, LONGEST);
  return t->open ? INFINITY : t->value;
}

double survey_value(const survey *k, int direction, int what) {
  double most = longest(k, direction), least = -survey_result(k, direction, SHORTEST)->value;
  if (what == PL_PLAY) return (most - least) / (1 + least);
  return what == PL_STRAIN_MAX ? most : least;
}

static void fill(survey *k) {
  for (int i = 0; i < k->n; i++) k->angle[i] = PL_PI * i / k->n;
  for (int i = 0; i < k->nall; i++)
    for (int side = 0; side < SIDES; side++) {
      pl_taut_goal *g = &k->goal[SIDES * i + side];
      *g = pl_taut_along(k->angle[i], side == LONGEST ? 1 : -1);
      if (side == SHORTEST) g->starts = k->a->opts.limits_.starts;
    }
}

static pl_status write_table(const survey *k) {
  static const table_column column[] = {
      {"angle", "deg"},      {"strain_max", ""},        {"strain_across_max", ""},
      {"strain_min", ""},    {"strain_across_min", ""}, {"play", ""},
      {"bound_max", ""},     {"bound_min", ""},         {"contacts_max", ""},
      {"contacts_min", ""},  {"spread_min", ""},        {"certified_max", ""},
      {"certified_min", ""}, {"open_max", ""},          {"open_min", ""}};
  enum { N = sizeof column / sizeof *column };
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(job_table_open(k->j, N, column, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < k->n; i++) {
    const pl_taut *most = survey_result(k, i, LONGEST), *least = survey_result(k, i, SHORTEST);
    const double row[N] = {180.0 * i / k->n, longest(k, i), most->e[1],
                           -least->value,    least->e[1],   survey_value(k, i, PL_PLAY),
                           most->bound,      least->bound,  most->ncontact,
                           least->ncontact,  least->spread, most->certified,
                           least->certified, most->open,    least->open};
    s = pl_table_row(t, row);
  }
  return job_table_end(k->j, t, s, k->a->name, ".csv");
}

// a whole turn of computed values, then what was measured
static pl_status draw_one(const survey *k, int nwhat, const int *what, const char *name,
                          const char *title, const char *caption) {
  static const char *const names[] = {"longest", "shortest", "play"};
  pl_env *env = k->j->env;
  int nangle = 2 * k->n, nlaid;
  pl_polar_series *laid = NULL;
  pl_status s = measured_series(k, nwhat, what, &nlaid, &laid);
  double *angle = pl_alloc(env, (size_t)((1 + nwhat) * nangle), sizeof *angle);
  pl_polar_series *series = pl_alloc(env, (size_t)(nwhat + nlaid), sizeof *series);
  if (s == PL_OK && (!angle || !series)) s = PL_E_NOMEM;
  for (int w = 0; s == PL_OK && w < nwhat; w++) {
    double *v = angle + (1 + w) * nangle;
    for (int i = 0; i < nangle; i++) {
      angle[i] = PL_PI * i / k->n;
      v[i] = 1 + survey_value(k, i % k->n, what[w]);
    }
    series[w] = (pl_polar_series){.name = names[what[w]],
                                  .n = nangle,
                                  .angle = angle,
                                  .stretch = v,
                                  .fill = w == 0,
                                  .colour = -1};
  }
  if (s == PL_OK) {
    memcpy(series + nwhat, laid, (size_t)nlaid * sizeof *series);
    const pl_polar_plot p = {.title = title, .nseries = nwhat + nlaid, .series = series};
    s = job_polar(k->j, name, &p, caption);
  }
  measured_series_free(env, nlaid, laid);
  pl_free(env, angle);
  pl_free(env, series);
  return s;
}

static pl_status draw(const survey *k) {
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%s-play", k->a->name);
  job_row(k->j);
  pl_status s = draw_one(
      k, 2, (const int[]){PL_STRAIN_MAX, PL_STRAIN_MIN}, k->a->name, "limits of strain",
      "Strain at which the material is taut, and at which it is packed, along each direction; the "
      "strain across is free.");
  if (s == PL_OK)
    s = draw_one(k, 1, (const int[]){PL_PLAY}, name, "play",
                 "From the shortest to the longest length, over the shortest.");
  job_row_end(k->j);
  return s;
}

static void count_failures(survey *k) {
  for (int i = 0; i < SIDES * k->nall; i++) k->nfailed += !k->solved[i];
}

// smallest and largest of what is finite
static void widen(double v, double range[2]) {
  if (!isfinite(v)) return;
  range[0] = fmin(range[0], v);
  range[1] = fmax(range[1], v);
}

// limits that are certain to first order, and that there are none
static void set_certainty(const survey *k, json_t *f) {
  int certain = 0, open = 0, n = SIDES * k->n;
  for (int i = 0; i < n; i++) {
    certain += k->solved[i] && k->taut[i].certified;
    open += k->solved[i] && k->taut[i].open;
  }
  job_set(f, "certified", json_integer(certain));
  job_set(f, "unbounded", json_integer(open));
  if (open)
    job_note(k->j,
             "%s: nothing holds the material in %d of %d limits: it stretches without bound, or "
             "shrinks below a third along some direction",
             k->a->name, open, n);
}

static void set_figures(const survey *k, json_t *f) {
  double strain[2] = {INFINITY, -INFINITY}, plays[2] = {INFINITY, -INFINITY}, bound = 0;
  for (int i = 0; i < k->n; i++) {
    widen(survey_value(k, i, PL_STRAIN_MAX), strain);
    widen(survey_value(k, i, PL_STRAIN_MIN), strain);
    widen(survey_value(k, i, PL_PLAY), plays);
    for (int side = 0; side < SIDES; side++)
      if (!survey_result(k, i, side)->open) bound = fmax(bound, survey_result(k, i, side)->bound);
  }
  double most = strain[1], least = strain[0], wide = plays[1], narrow = plays[0];
  job_set(f, "material", json_string(k->j->scene->mail[k->a->mail].name));
  job_set(f, "directions", json_integer(k->n));
  job_set(f, "copies", json_integer(k->a->opts.limits_.copies));
  job_set(f, "symmetries", json_integer(k->nsymmetry));
  job_set(f, "solved", json_integer(k->distinct));
  if (isfinite(most)) job_set(f, "strain_max", json_real(most));
  if (isfinite(least)) job_set(f, "strain_min", json_real(least));
  if (isfinite(wide)) job_set(f, "play_max", json_real(wide));
  if (isfinite(narrow)) job_set(f, "play_min", json_real(narrow));
  job_set(f, "bound", json_real(bound));
  set_certainty(k, f);
  job_set(f, "unsolved", json_integer(k->nfailed));
  char play[64] = "";
  if (isfinite(wide)) snprintf(play, sizeof play, ", play %.4f to %.4f", narrow, wide);
  job_note(k->j, "%s: strains from %.4f to %.4f%s (%d %s, %.0e left)", k->a->name, least, most,
           play, k->n, pl_plural(k->n, "direction", "directions"), bound);
  if (bound > LEFT)
    pl_report(k->j->env, PL_WARNING, k->j->scene->path, k->a->line, k->a->col,
              "see the columns bound_max and bound_min; more iterations (max_iter) may help",
              "%s: some limits may lie up to %.1e further", k->a->name, bound);
  if (k->nfailed) {
    pl_report(k->j->env, PL_WARNING, k->j->scene->path, k->a->line, k->a->col,
              "their rows say nan; more iterations (max_iter) or ways (starts) may help",
              "%s: %d of %d limits were not found", k->a->name, k->nfailed, SIDES * k->nall);
    job_alarm(k->j, "%d of %d limits were not found.", k->nfailed, SIDES * k->nall);
  }
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
  if (k->distinct < SIDES * k->nall)
    job_say(k->j,
            "%d rotations and mirrors map the material onto itself, so that %d of %d limits were "
            "solved and the others follow.",
            k->nsymmetry, k->distinct, SIDES * k->nall);
  if (k->a->opts.limits_.mode)
    job_warn(
        k->j,
        "Mode paper: strains are drawn towards %.3g against a repulsion of stiffness %.1e. They "
        "fall short of the limits, by how much depends on both and on the reach (barrier).",
        k->a->opts.limits_.target, k->a->opts.limits_.stiffness);
  grid g = job_grid(k->j, 6, head);
  for (int i = 0; i < k->n; i += step) {
    const pl_taut *most = survey_result(k, i, LONGEST), *least = survey_result(k, i, SHORTEST);
    grid_add(&g, "%.4g", 180.0 * i / k->n);
    grid_add(&g, most->open ? "> %.3f" : "%.3f", 100 * most->value);
    grid_add(&g, "%.3f", 100 * most->e[1]);
    grid_add(&g, least->open ? "< %.3f" : "%.3f", -100 * least->value);
    grid_add(&g, "%.3f", 100 * least->e[1]);
    grid_add(&g, "%.3f", 100 * survey_value(k, i, PL_PLAY));
  }
  grid_end(&g);
}

static pl_status survey_open(survey *k) {
  pl_env *env = k->j->env;
  size_t most = (size_t)k->n;
  for (int i = 0; i < k->a->nmeasured_limits; i++) most += (size_t)k->a->measured_limits[i].n;
  k->angle = pl_alloc(env, most, sizeof *k->angle);
  if (!k->angle) return PL_E_NOMEM;
  k->nall = k->n + measured_angles(k->a, k->n, k->angle + k->n);
  size_t n = (size_t)(SIDES * k->nall);
  k->goal = pl_alloc(env, n, sizeof *k->goal);
  k->taut = pl_alloc(env, n, sizeof *k->taut);
  k->solved = pl_alloc(env, n, sizeof *k->solved);
  return k->goal && k->taut && k->solved ? PL_OK : PL_E_NOMEM;
}

static void survey_close(survey *k) {
  pl_env *env = k->j->env;
  for (int i = 0; k->taut && i < SIDES * k->nall; i++) pl_taut_free(env, &k->taut[i]);
  void *all[] = {k->angle, k->goal, k->taut, k->solved};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(env, all[i]);
}

// pictures of the states that go farthest
static pl_status show_states(const survey *k) {
  PL_TRY(limits_states(k->j, k->a, "", SIDES, SIDES * k->n, k->taut, k->solved));
  for (int side = 0; side < SIDES && k->a->opts.limits_.states; side++) {
    static const char *const name[SIDES] = {"-longest", "-shortest"};
    char caption[PL_TEXT];
    int best = -1;
    for (int i = 0; i < k->n; i++)
      if (k->solved[SIDES * i + side] && !survey_result(k, i, side)->open &&
          (best < 0 || survey_result(k, i, side)->value > survey_result(k, best, side)->value))
        best = i;
    if (best < 0) continue;
    snprintf(caption, sizeof caption,
             "The material at its %s, %.4g %% along %.4g degrees; elements of one cell are copper, "
             "arrows are the forces of its contacts on both elements.",
             side == LONGEST ? "longest" : "shortest",
             (side == LONGEST ? 100 : -100) * survey_result(k, best, side)->value,
             k->angle[best] * 180 / PL_PI);
    PL_TRY(limits_picture(k->j, k->a, name[side], survey_result(k, best, side), caption));
  }
  return PL_OK;
}

static pl_status report_all(survey *k, json_t *figures) {
  count_failures(k);
  set_figures(k, figures);
  report(k);
  PL_TRY(write_table(k));
  PL_TRY(measured_differences(k, figures));
  if (k->a->opts.limits_.gradients) PL_TRY(limits_gradients(k, figures));
  PL_TRY(draw(k));
  PL_TRY(show_states(k));
  limits_verified(k->keep, "", figures);
  return PL_OK;
}

// what sheets of the material need, of strains and of curvatures
static pl_status survey_boundaries(survey *k, const pl_taut_opts *taut, json_t *figures,
                                   int *lost) {
  pl_sheet_material sheet = {0};
  pl_status s = PL_OK;
  if (k->a->opts.limits_.boundary > 0) {
    s = limits_boundary(k->keep, taut, 0, SIDES * k->n, k->taut, figures, lost, &sheet.membrane);
    if (s == PL_OK && sheet.membrane.n == 0)
      s = job_sheet_lacks(k->j, (int)(k->a - k->j->scene->analysis),
                          *lost ? "leaves no limits for sheets: rays of its boundary were not found"
                                : "leaves no limits for sheets: nothing holds the material");
  }
  if (s == PL_OK) s = limits_sweep(k->keep, taut, figures, lost);
  if (s == PL_OK) s = limits_bend(k->keep, taut, figures, lost, &sheet.bending);
  if (s == PL_OK) s = limits_material(k->j, k->a, &sheet);
  pl_sheet_material_free(k->j->env, &sheet);
  return s;
}

// what is missing; states that were left out are so from what is computed of them, too
static pl_status set_reason(const survey *k, int lost, json_t *figures) {
  char text[PL_TEXT], more[PL_TEXT] = "";
  int rejected = k->keep->rejected;
  if (lost + rejected == 0) return PL_OK;
  if (rejected)
    snprintf(more, sizeof more, "; elements overlap in %d of the states, or their links changed",
             rejected);
  snprintf(text, sizeof text, "%d %s not found%s", lost,
           pl_plural(lost, "limit was", "limits were"), more);
  job_set(figures, "reason", json_string(text));
  return PL_UNSOLVED;
}

static pl_status survey_all(survey *k, const pl_taut_opts *taut, json_t *figures) {
  pl_mail_symmetry found[PL_MAIL_SYMMETRIES];
  int lost = 0;
  PL_TRY(pl_mail_symmetries(k->j->env, k->m, 0, found, &k->nsymmetry));
  fill(k);
  pl_status s =
      limits_solve(k->keep, taut, 0, SIDES * k->nall, k->goal, k->taut, k->solved, &k->distinct);
  if (s == PL_CANCELLED) {
    pl_status reported = write_table(k);
    return reported != PL_OK ? reported : s;
  }
  PL_TRY(s);
  PL_TRY(report_all(k, figures));
  if (k->a->opts.limits_.refine > 0) PL_TRY(limits_refine(k, taut, figures));
  PL_TRY(survey_boundaries(k, taut, figures, &lost));
  PL_TRY(limits_joint(k->keep, taut, figures, &lost));
  return set_reason(k, k->nfailed + lost, figures);
}

pl_status job_limits(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  const pl_limits_opts *o = &a->opts.limits_;
  const pl_taut_opts taut = {o->barrier, o->weight, o->max_iter};
  limits_keeper keep;
  survey k = {.j = j, .keep = &keep, .a = a, .m = j->scene->mail[a->mail].m, .n = o->directions};
  pl_status s = keeper_open(j, a, o->copies, &keep);
  if (s == PL_OK) s = survey_open(&k);
  if (s == PL_OK) s = survey_all(&k, &taut, figures);
  survey_close(&k);
  return keeper_close(&keep, s);
}
