#ifndef RUN_IMPL_H
#define RUN_IMPL_H

#include "pliant/validate.h"

// ---- tasks ------------------------------------------------------------------------------------

// One point to be computed: by a model, or on the master curve.
typedef struct task {
  const pl_protocol *protocol;
  const pl_protocol_model *model; // NULL: the master curve
  pl_sample *sample;
} task;

// Works through tasks on several threads, each with models of its own. A task that finds no answer
// says so in its sample; PL_CANCELLED leaves the others undone.
pl_status pool_run(pl_env *env, int threads, int ntask, const task *tasks);

// ---- judging ----------------------------------------------------------------------------------

// Fills errors of samples from the master curve, then worst, distance, verdict.
pl_status judge(pl_env *env, pl_score *s, const pl_master *c);
// Fills refined, rescaled and the verdict from the checks.
void judge_checks(pl_score *s, const pl_master *c);
// 1: the bar counts at x for this model.
int judged_at(const pl_protocol *p, const pl_protocol_model *m, double x);
// 1: errors grew when cells became half as long.
int diverges(const pl_score *s);

// ---- files ------------------------------------------------------------------------------------

// Writes report.html, summary.json, plots and tables into a folder.
pl_status report_write(pl_validation *v, const char *folder);
// `0.12 %`, or `3.1e-12` of protocols with absolute errors; `-` for NaN
const char *error_text(const pl_protocol *p, double error, char out[32]);
const char *verdict_text(const pl_score *s);
// columns of the table of scores
enum { SCORE_COLUMNS = 9, SCORE_CELL = 48 };
void score_cells(const pl_score *s, char cell[SCORE_COLUMNS][SCORE_CELL]);
extern const char *const score_heads[SCORE_COLUMNS];

#endif
