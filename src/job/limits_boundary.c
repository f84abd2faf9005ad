// The boundary of all strains that an interlocking material can have, shear included: how far it
// goes from rest along rays in all directions.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// a ball whose corners lie on rays all around; level 1: an icosahedron
static pl_status make_rays(pl_env *env, int level, pl_mesh **out) {
  enum { CORNERS = 12, FACES = 20 };
  static const int face[FACES][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  const double g = (1 + sqrt(5)) / 2;
  const double corner[CORNERS][3] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                     {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                     {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  PL_TRY(pl_mesh_create(env, "boundary", CORNERS, out));
  memcpy((*out)->X, corner, sizeof corner);
  pl_status s = pl_mesh_set_cells(*out, PL_TRI3, FACES);
  if (s == PL_OK) memcpy((*out)->cell[PL_TRI3].v, face, sizeof face);
  for (int k = 1; s == PL_OK && k < level; k++) {
    pl_mesh *fine;
    s = pl_mesh_refine(*out, &fine);
    if (s != PL_OK) break;
    pl_mesh_free(*out);
    *out = fine;
  }
  for (int i = 0; s == PL_OK && i < (*out)->nvert; i++) {
    double *x = (*out)->X + 3 * i, length = pl_norm3(x);
    for (int c = 0; c < 3; c++) x[c] /= length;
  }
  return s;
}

// Green's strain (xx, yy, xy) of a stretch U = I + S: (U^2 - I) / 2
static void green(const double S[3], double E[3]) {
  double u = 1 + S[0], v = 1 + S[1];
  E[0] = (u * u + S[2] * S[2] - 1) / 2;
  E[1] = (v * v + S[2] * S[2] - 1) / 2;
  E[2] = S[2] * (u + v) / 2;
}

static pl_status write_table(job *j, const pl_analysis *a, int n, const double (*S)[3],
                             const pl_taut *taut) {
  static const char *const name[] = {"stretch_xx", "stretch_yy", "stretch_xy", "green_xx",
                                     "green_yy",   "green_xy",   "bound",      "contacts"};
  enum { N = sizeof name / sizeof *name };
  pl_table *t;
  if (!job_tables(j)) return PL_OK;
  PL_TRY(pl_table_create(j->env, N, &t));
  pl_status s = PL_OK;
  for (int c = 0; s == PL_OK && c < N; c++) s = pl_table_column(t, c, name[c], "");
  for (int i = 0; s == PL_OK && i < n; i++) {
    double row[N] = {1 + S[i][0], 1 + S[i][1], S[i][2], 0, 0, 0, taut[i].bound, taut[i].ncontact};
    green(S[i], row + 3);
    s = pl_table_row(t, row);
  }
  if (s == PL_OK) s = job_table(j, t, a->name, "-boundary.csv");
  pl_table_free(t);
  return s;
}

// the surface in Green's strain, where all of it was found
static pl_status write_surface(job *j, const pl_analysis *a, pl_mesh *m, const double (*S)[3]) {
  char path[PL_TEXT];
  if (!j->output.vtu) return PL_OK;
  for (int i = 0; i < m->nvert; i++) {
    if (!isfinite(S[i][0])) return PL_OK;
    green(S[i], m->X + 3 * i);
  }
  return pl_mesh_write_vtu(m, NULL, 0, NULL, NULL, job_path(j, a->name, "-boundary.vtu", path));
}

static pl_status solve(job *j, const pl_analysis *a, const pl_taut_opts *o, pl_mesh *m,
                       pl_taut_goal *goal, pl_taut *taut, int *solved, double (*S)[3],
                       int *unsolved) {
  int n = m->nvert, copies = a->opts.limits_.copies;
  for (int i = 0; i < n; i++) {
    goal[i] = (pl_taut_goal){.n = 1, .goal = {1}};
    memcpy(goal[i].basis[0], m->X + 3 * i, sizeof goal[i].basis[0]);
  }
  PL_TRY(pl_mail_taut(j->env, j->scene->mail[a->mail].m, (const int[]){copies, copies}, o, n, goal,
                      pl_threads_size(j->work->threads), taut, solved));
  for (int i = 0; i < n; i++) {
    *unsolved += !solved[i];
    for (int c = 0; c < 3; c++) S[i][c] = taut[i].value * goal[i].basis[0][c];
  }
  return PL_OK;
}

pl_status job_limits_boundary(job *j, const pl_analysis *a, const pl_taut_opts *o, int *unsolved) {
  pl_mesh *m = NULL;
  pl_status s = make_rays(j->env, a->opts.limits_.boundary, &m);
  size_t n = s == PL_OK ? (size_t)m->nvert : 0;
  pl_taut_goal *goal = pl_alloc(j->env, n, sizeof *goal);
  pl_taut *taut = pl_alloc(j->env, n, sizeof *taut);
  int *solved = pl_alloc(j->env, n, sizeof *solved);
  double(*S)[3] = pl_alloc(j->env, n, sizeof *S);
  if (s == PL_OK && (!goal || !taut || !solved || !S)) s = PL_E_NOMEM;
  if (s == PL_OK) s = solve(j, a, o, m, goal, taut, solved, S, unsolved);
  if (s == PL_OK) s = write_table(j, a, (int)n, (const double(*)[3])S, taut);
  if (s == PL_OK) s = write_surface(j, a, m, (const double(*)[3])S);
  for (size_t i = 0; taut && i < n; i++) pl_taut_free(j->env, &taut[i]);
  pl_free(j->env, goal);
  pl_free(j->env, taut);
  pl_free(j->env, solved);
  pl_free(j->env, S);
  pl_mesh_free(m);
  return s;
}
