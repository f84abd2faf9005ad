// Derivatives of the limits of an interlocking material by the keys of its family.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>

static const double BALANCED = 1e-3; // of forces, where the goal is 1
static const char *const side_name[SIDES] = {"strain_max", "strain_min"};

typedef struct slopes {
  survey *k;
  const pl_mail_family *f;
  int nkey;
  double *rate; // [SIDES nall][nkey] of the goals of strains, 1/m or 1/rad
  double *left; // [SIDES nall] of the balance
} slopes;

static double rate_of(const slopes *s, int direction, int side, int key) {
  double v = s->rate[(SIDES * direction + side) * s->nkey + key];
  return side == LONGEST ? v : -v;
}

// of n limits by all keys of the family: rate[n][nkey]; left[n] of their balance
static pl_status differentiate(job *j, const pl_analysis *a, int n, const pl_taut_goal *goal,
                               pl_taut *taut, const int *solved, double *rate, double *left) {
  const pl_scene_mail *mail = &j->scene->mail[a->mail];
  const int copies[2] = {a->opts.limits_.copies, a->opts.limits_.copies}, nkey = mail->of->nkey;
  for (int i = 0; i < n; i++)
    if (solved[i]) PL_TRY(pl_taut_balance(j->env, mail->m, copies, &goal[i], &taut[i], &left[i]));
  for (int key = 0; key < nkey; key++) {
    pl_mail_data by;
    pl_mail_rate(mail->of, mail->value, key, &by);
    for (int i = 0; i < n; i++)
      rate[i * nkey + key] = solved[i] ? pl_taut_rate(mail->m, copies, &taut[i], &by.m) : NAN;
  }
  return PL_OK;
}

// ---- what is told -------------------------------------------------------------------------------

static pl_status write_table(const slopes *s) {
  double row[1 + SIDES * (PL_KEY_MAX + 1)];
  pl_table *t;
  if (!job_tables(s->k->j)) return PL_OK;
  PL_TRY(pl_table_create(s->k->j->env, 1 + SIDES * (s->nkey + 1), &t));
  pl_status st = pl_table_column(t, 0, "angle", "deg");
  for (int side = 0, c = 1; side < SIDES; side++)
    for (int key = 0; st == PL_OK && key <= s->nkey; key++, c++) {
      char name[96];
      int last = key == s->nkey;
      snprintf(name, sizeof name, last ? "%s_balance" : "%s_by_%s", side_name[side],
               last ? "" : s->f->key[key].name);
      st = pl_table_column(t, c, name, last ? "" : s->f->key[key].unit[0] == 'm' ? "1/m" : "1/rad");
    }
  for (int i = 0; st == PL_OK && i < s->k->nall; i++) {
    int c = 0;
    row[c++] = s->k->angle[i] * 180 / PL_PI;
    for (int side = 0; side < SIDES; side++) {
      for (int key = 0; key < s->nkey; key++) row[c++] = rate_of(s, i, side, key);
      row[c++] = s->left[SIDES * i + side];
    }
    st = pl_table_row(t, row);
  }
  return job_table_end(s->k->j, t, st, s->k->a->name, "-gradients.csv");
}

// the direction that stretches, or shrinks, most
static int find_farthest(const survey *k, int side) {
  int best = 0;
  for (int i = 1; i < k->n; i++)
    if (survey_result(k, i, side)->value > survey_result(k, best, side)->value) best = i;
  return best;
}

static void set_figures(const slopes *s, json_t *figures) {
  json_t *all = json_object();
  for (int side = 0; side < SIDES; side++) {
    json_t *one = json_object();
    int at = find_farthest(s->k, side);
    job_set(one, "angle_deg", json_real(s->k->angle[at] * 180 / PL_PI));
    for (int key = 0; key < s->nkey; key++) {
      char name[64];
      snprintf(name, sizeof name, "%s_per_%s", s->f->key[key].name, s->f->key[key].unit);
      job_set(one, name, json_real(rate_of(s, at, side, key)));
    }
    job_set(all, side_name[side], one);
  }
  job_set(figures, "gradients", all);
}

static void report(const slopes *s) {
  enum { COLS = 5 };
  static const double angle[COLS - 1] = {0, 30, 60, 90};
  static const char *const head[COLS] = {"by", "0 deg", "30 deg", "60 deg", "90 deg"};
  const survey *k = s->k;
  job_say(k->j,
          "Strains change by so many percent when a length of the material grows by 0.1 mm, or "
          "an angle by a degree: the longest, then the shortest.");
  grid g = job_grid(k->j, COLS, head);
  for (int key = 0; key < s->nkey; key++) {
    double step = s->f->key[key].unit[0] == 'm' ? 1e-4 : PL_PI / 180;
    grid_add(&g, "%s", s->f->key[key].name);
    for (int c = 0; c < COLS - 1; c++) {
      int i = (int)lround(angle[c] / 180 * k->n);
      if (i >= k->nall || fabs(k->angle[i] * 180 / PL_PI - angle[c]) > 1e-6)
        grid_add(&g, "-");
      else
        grid_add(&g, "%+.3f, %+.3f", 100 * step * rate_of(s, i, LONGEST, key),
                 100 * step * rate_of(s, i, SHORTEST, key));
    }
  }
  grid_end(&g);
}

static void warn_unbalanced(const slopes *s) {
  const survey *k = s->k;
  int bad = 0;
  for (int i = 0; i < SIDES * k->nall; i++) bad += k->solved[i] && s->left[i] > BALANCED;
  if (bad)
    pl_report(k->j->env, PL_WARNING, k->j->scene->path, k->a->line, k->a->col,
              "see the columns ..._balance of the table of gradients",
              "%s: forces of %d of %d limits do not balance, so that these are not the last ones "
              "along their direction",
              k->a->name, bad, SIDES * k->nall);
}

pl_status limits_gradients(survey *k, json_t *figures) {
  slopes s = {.k = k, .f = k->j->scene->mail[k->a->mail].of};
  s.nkey = s.f->nkey;
  size_t n = (size_t)(SIDES * k->nall);
  s.rate = pl_alloc(k->j->env, n * (size_t)s.nkey, sizeof *s.rate);
  s.left = pl_alloc(k->j->env, n, sizeof *s.left);
  pl_status st = s.rate && s.left ? differentiate(k->j, k->a, (int)n, k->goal, k->taut, k->solved,
                                                  s.rate, s.left)
                                  : PL_E_NOMEM;
  if (st == PL_OK) {
    set_figures(&s, figures);
    report(&s);
    warn_unbalanced(&s);
    st = write_table(&s);
  }
  pl_free(k->j->env, s.rate);
  pl_free(k->j->env, s.left);
  return st;
}

// ---- curvatures ---------------------------------------------------------------------------------

static pl_status write_bending(job *j, const pl_analysis *a, int n, const double *rate,
                               const double *left) {
  static const char *const side_of[SIDES] = {"up", "down"};
  const pl_mail_family *f = j->scene->mail[a->mail].of;
  double row[1 + SIDES * (PL_KEY_MAX + 1)];
  pl_table *t;
  PL_TRY(pl_table_create(j->env, 1 + SIDES * (f->nkey + 1), &t));
  pl_status s = pl_table_column(t, 0, "angle", "deg");
  for (int side = 0, c = 1; side < SIDES; side++)
    for (int key = 0; s == PL_OK && key <= f->nkey; key++, c++) {
      char name[96];
      int last = key == f->nkey;
      snprintf(name, sizeof name, last ? "curvature_%s_balance" : "curvature_%s_by_%s",
               side_of[side], last ? "" : f->key[key].name);
      s = pl_table_column(t, c, name, last ? "" : f->key[key].unit[0] == 'm' ? "1/m^2" : "1/m/rad");
    }
  for (int i = 0; s == PL_OK && i < n; i++) {
    int c = 0;
    row[c++] = 180.0 * i / n;
    for (int side = 0; side < SIDES; side++) {
      const double *of = rate + (size_t)((SIDES * i + side) * f->nkey);
      for (int key = 0; key < f->nkey; key++) row[c++] = side ? -of[key] : of[key];
      row[c++] = left[SIDES * i + side];
    }
    s = pl_table_row(t, row);
  }
  return job_table_end(j, t, s, a->name, "-bending-gradients.csv");
}

pl_status limits_bend_gradients(job *j, const pl_analysis *a, int n, const pl_taut_goal *goal,
                                pl_taut *taut, const int *solved) {
  size_t all = (size_t)(SIDES * n), nkey = (size_t)j->scene->mail[a->mail].of->nkey;
  if (!job_tables(j)) return PL_OK;
  double *rate = pl_alloc(j->env, all * nkey, sizeof *rate);
  double *left = pl_alloc(j->env, all, sizeof *left);
  pl_status s =
      rate && left ? differentiate(j, a, (int)all, goal, taut, solved, rate, left) : PL_E_NOMEM;
  if (s == PL_OK) s = write_bending(j, a, n, rate, left);
  pl_free(j->env, rate);
  pl_free(j->env, left);
  return s;
}
