// Scores as a table for people, as JSON for programs, and points as CSV.
#include "run_impl.h"

#include "pliant/report.h"
#include "pliant/version.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *error_text(const pl_protocol *p, double error, char out[32]) {
  if (isnan(error))
    snprintf(out, 32, "-");
  else if (p->absolute)
    snprintf(out, 32, "%.1e", error);
  else
    snprintf(out, 32, "%.3g %%", 100 * error);
  return out;
}

const char *verdict_text(const pl_score *s) {
  if (s->verdict == PL_VERDICT_NONE) return "not judged";
  if (s->verdict == PL_VERDICT_OK) return s->expected ? "OK" : "OK (KO expected)";
  // what passed at first
  int passed = s->nfailed == 0 && s->worst <= s->protocol->bar;
  if (passed && s->refined > s->protocol->bar) return "KO on finer cells";
  if (passed && diverges(s)) return "KO, worse when finer";
  if (passed) return "KO in other units";
  return s->model->expect == PL_EXPECT_KO ? "KO (expected)" : "KO";
}

const char *const score_heads[SCORE_COLUMNS] = {
    "protocol", "model", "verdict", "cells", "worst error", "at", "bar", "5 % figure", "seconds"};

void score_cells(const pl_score *s, char cell[SCORE_COLUMNS][SCORE_CELL]) {
  const pl_protocol *p = s->protocol;
  char text[32];
  int failed = s->nfailed;
  snprintf(cell[0], SCORE_CELL, "%s", p->name);
  snprintf(cell[1], SCORE_CELL, "%s", s->model->name);
  snprintf(cell[2], SCORE_CELL, "%s", verdict_text(s));
  snprintf(cell[3], SCORE_CELL, "%d", s->resolution);
  if (failed)
    snprintf(cell[4], SCORE_CELL, "%d unsolved", failed);
  else
    snprintf(cell[4], SCORE_CELL, "%s", error_text(p, s->worst, text));
  if (isnan(s->where))
    snprintf(cell[5], SCORE_CELL, "-");
  else
    snprintf(cell[5], SCORE_CELL, "%s=%.4g", p->column[0], s->where);
  snprintf(cell[6], SCORE_CELL, "%s", error_text(p, p->bar, text));
  if (isnan(s->distance))
    snprintf(cell[7], SCORE_CELL, "-");
  else
    snprintf(cell[7], SCORE_CELL, "%.2g %%", 100 * s->distance);
  snprintf(cell[8], SCORE_CELL, "%.1f", s->seconds);
}

void pl_validation_print(const pl_validation *v, pl_text *t) {
  size_t width[SCORE_COLUMNS];
  char cell[SCORE_COLUMNS][SCORE_CELL];
  for (int c = 0; c < SCORE_COLUMNS; c++) width[c] = strlen(score_heads[c]);
  for (int k = 0; k < v->nscore; k++) {
    score_cells(&v->score[k], cell);
    for (int c = 0; c < SCORE_COLUMNS; c++)
      if (strlen(cell[c]) > width[c]) width[c] = strlen(cell[c]);
  }
  for (int k = -1; k < v->nscore; k++) {
    if (k >= 0) score_cells(&v->score[k], cell);
    // a line between protocols
    if (k > 0 && v->score[k].protocol != v->score[k - 1].protocol) pl_text_add(t, "\n");
    for (int c = 0; c < SCORE_COLUMNS; c++) {
      int last = c == SCORE_COLUMNS - 1;
      pl_text_add(t, "%-*s%s", last ? 0 : (int)width[c], k < 0 ? score_heads[c] : cell[c],
                  last ? "\n" : "  ");
    }
  }
}

// ---- JSON -------------------------------------------------------------------------------------

static json_t *number(double x) {
  return isfinite(x) ? json_real(x) : json_null();
}

static json_t *numbers(int n, const double *x) {
  json_t *a = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(a, number(x[i]));
  return a;
}

static json_t *sample_json(const pl_protocol *p, const pl_sample *s) {
  json_t *o =
      json_pack("{s:o, s:i, s:i, s:o, s:o, s:o, s:s, s:f}", "x", number(s->trial.x), "resolution",
                s->trial.resolution, "units", s->trial.units, "value", numbers(p->nvalue, s->value),
                "master", numbers(p->nvalue, s->master), "error", number(s->error), "status",
                pl_status_text(s->status), "seconds", s->seconds);
  if (o && s->note[0]) json_object_set_new(o, "note", json_string(s->note));
  if (!o || s->trial.nlabel == 0) return o;
  json_t *labels = json_array();
  for (int i = 0; i < s->trial.nlabel; i++) {
    const pl_label *l = &s->trial.label[i];
    json_array_append_new(labels, json_pack("[f, f, b]", l->x, l->y, l->beyond));
  }
  json_object_set_new(o, "labels", labels);
  return o;
}

static json_t *score_json(const pl_score *s) {
  static const char *const verdict[] = {"not judged", "OK", "KO"};
  static const char *const expect[] = {"OK", "KO", "any"};
  json_t *points = json_array(), *checks = json_array();
  for (int i = 0; i < s->nsample; i++)
    json_array_append_new(points, sample_json(s->protocol, &s->sample[i]));
  for (int i = 0; i < s->ncheck; i++)
    json_array_append_new(checks, sample_json(s->protocol, &s->check[i]));
  return json_pack(
      "{s:s, s:s, s:i, s:s, s:s, s:b, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:i, s:f, "
      "s:o, s:o}",
      "protocol", s->protocol->name, "model", s->model->name, "resolution", s->resolution,
      "verdict", verdict[s->verdict], "expect", expect[s->model->expect], "as_expected",
      s->expected, "worst_error", number(s->worst), "worst_at", number(s->where), "bar",
      s->protocol->bar, "hausdorff", number(s->distance), "refined_error", number(s->refined),
      "refined_growth", number(s->growth), "rescaled_change", number(s->rescaled), "unsolved",
      s->nfailed, "seconds", s->seconds, "points", points, "checks", checks);
}

pl_status pl_validation_json(const pl_validation *v, pl_text *t) {
  json_t *scores = json_array();
  for (int k = 0; k < v->nscore; k++) json_array_append_new(scores, score_json(&v->score[k]));
  json_t *all = json_pack("{s:s, s:s, s:b, s:i, s:f, s:o}", "pliant", pl_version(), "status",
                          v->cancelled ? "cancelled" : "done", "quick", v->quick, "surprises",
                          v->nsurprise, "seconds", v->seconds, "scores", scores);
  char *text = all ? json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(all);
  if (!text) return pl_fail(v->env, PL_E_NOMEM, "out of memory while writing the summary");
  pl_text_put(t, text, strlen(text));
  free(text);
  return t->failed ? PL_E_NOMEM : PL_OK;
}

// ---- CSV --------------------------------------------------------------------------------------

static pl_status fill_table(const pl_score *s, pl_table *t) {
  const pl_protocol *p = s->protocol;
  for (int c = 0; c < 1 + 2 * p->nvalue; c++) PL_TRY(pl_table_column(t, c, p->column[c], ""));
  for (int i = 0; i < s->nsample; i++) {
    const pl_sample *q = &s->sample[i];
    double row[1 + 2 * PL_TRIAL_VALUES] = {q->trial.x};
    if (q->status == PL_CANCELLED) continue;
    for (int k = 0; k < p->nvalue; k++) {
      row[1 + k] = q->value[k];
      row[1 + p->nvalue + k] = q->master[k];
    }
    PL_TRY(pl_table_row(t, row));
  }
  return PL_OK;
}

pl_status pl_score_write(pl_env *env, const pl_score *s, const char *path) {
  pl_table *t;
  PL_TRY(pl_table_create(env, 1 + 2 * s->protocol->nvalue, &t));
  pl_status st = fill_table(s, t);
  if (st == PL_OK) st = pl_table_write(t, path);
  pl_table_free(t);
  return st;
}
