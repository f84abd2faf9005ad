#ifndef RUN_CLOTH_H
#define RUN_CLOTH_H

// Sheets with limits of stretch, in transients and drapes.
#include "job_impl.h"

// What confines the motion, and what it is made of; zero-initialise.
typedef struct cloth {
  pl_constraints constraints;
  double *weight; // [nvert]
} cloth;
// Sheet and layers of the scene; contact is the caller's. PL_E_INPUT names supports that are too
// far apart at the state s. The sheet becomes the job's until cloth_close.
pl_status cloth_open(job *j, const pl_analysis *a, const pl_state *s, pl_contact *contact,
                     cloth *c);
void cloth_close(job *j, cloth *c);
const pl_project_opts *cloth_project(const pl_analysis *a, pl_project_opts *defaults);

// How well limits hold at a violation: "exactly", "to 1.0e-12".
const char *cloth_kept(double violation, char buf[32]);
// How far the worst direction between samples goes, as pl_sheet_between; nothing for exact limits.
void cloth_report_between(const job *j, double between);

// A transient that pl_limit_transient runs. Its log; the first row of it, from energies in the
// job's work; rows of steps, as pl_limit_observe_fn.
struct motion;
int is_cloth(const pl_scene *s, const pl_analysis *a);
pl_status cloth_log(struct motion *r);
pl_status cloth_log_start(struct motion *r, const pl_state *s);
int cloth_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_limit_step *e);
// What its log tells: figures, words, tables, pictures.
void cloth_figures(const struct motion *r, json_t *f);
void cloth_report(const struct motion *r);
pl_status cloth_tables(const struct motion *r);
pl_status cloth_pictures(const struct motion *r, const pl_state *s);
// Other methods and steps beside it, if the analysis has some.
pl_status cloth_compare(const struct motion *main, const pl_constraints *k, json_t *figures);

// Pictures of the job's sheet at q: stretch over limit of all cells of the mesh (0: no limit); part
// of the allowed strain of its triangles (NaN: no limit), and the same on vertices, 0 to 1.
pl_status cloth_ratio(const job *j, const double *q, double *cell);
pl_status cloth_faces(const job *j, const double *q, double *face);
void cloth_colours(const job *j, const double *face, double *vertex);
// Colours a view by faces, NULL: leaves it as it is.
void cloth_view(const double *face, pl_view *view);

#endif
