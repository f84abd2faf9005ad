// The boundary of all strains that an interlocking material can have, shear included, and of all
// curvatures of a patch, twist included: how far it goes from rest along rays in all directions.
#include "run_limits.h"

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

typedef struct boundary {
  job *j;
  const pl_analysis *a;
  int across; // elements across a disk that is bent; 0: strains of a periodic cell
  pl_mesh *m;
  int nknown; // states that are known to be feasible
  const pl_taut *known;
  pl_taut_goal *goal; // [nvert + nknown] rays, and those to known states
  pl_taut *taut;
  int *solved;
  double (*S)[3]; // [nvert] stretches minus I, or curvatures (xx, yy, xy)
} boundary;

static const double PAST = 1.01; // of a ray's limit: what lies beyond it by that is past it

static pl_status add_rows(const boundary *b, pl_table *t) {
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < b->m->nvert; i++) {
    const double *S = b->S[i], bound = b->taut[i].bound;
    int contacts = b->taut[i].ncontact, certified = b->taut[i].certified;
    if (b->across) {
      const double row[] = {S[0], S[1], S[2], b->taut[i].folds, bound, contacts, certified};
      s = pl_table_row(t, row);
    } else {
      double row[] = {1 + S[0], 1 + S[1], S[2],     0,         0,
                      0,        bound,    contacts, certified, b->taut[i].open};
      green(S, row + 3);
      s = pl_table_row(t, row);
    }
  }
  return s;
}

static pl_status write_table(const boundary *b) {
  static const char *const strain[][2] = {
      {"stretch_xx", ""}, {"stretch_yy", ""}, {"stretch_xy", ""}, {"green_xx", ""},
      {"green_yy", ""},   {"green_xy", ""},   {"bound", ""},      {"contacts", ""},
      {"certified", ""},  {"unbounded", ""}};
  static const char *const bent[][2] = {
      {"curvature_xx", "1/m"}, {"curvature_yy", "1/m"}, {"curvature_xy", "1/m"}, {"folds", ""},
      {"bound", "1/m"},        {"contacts", ""},        {"certified", ""}};
  const char *const(*column)[2] = b->across ? bent : strain;
  int n = b->across ? 7 : 10;
  pl_table *t;
  if (!job_tables(b->j)) return PL_OK;
  PL_TRY(pl_table_create(b->j->env, n, &t));
  pl_status s = PL_OK;
  for (int c = 0; s == PL_OK && c < n; c++) s = pl_table_column(t, c, column[c][0], column[c][1]);
  if (s == PL_OK) s = add_rows(b, t);
  if (s == PL_OK)
    s = job_table(b->j, t, b->a->name, b->across ? "-patch-boundary.csv" : "-boundary.csv");
  pl_table_free(t);
  return s;
}

// the surface in Green's strain or in curvatures, where all of it was found
static pl_status write_surface(const boundary *b) {
  char path[PL_TEXT];
  pl_mesh *m = b->m;
  if (!b->j->output.vtu) return PL_OK;
  for (int i = 0; i < m->nvert; i++) {
    if (!isfinite(b->S[i][0])) return PL_OK;
    if (b->across)
      memcpy(m->X + 3 * i, b->S[i], sizeof b->S[i]);
    else
      green(b->S[i], m->X + 3 * i);
  }
  job_path(b->j, b->a->name, b->across ? "-patch-boundary.vtu" : "-boundary.vtu", path);
  return pl_mesh_write_vtu(m, NULL, 0, NULL, NULL, path);
}

static pl_taut_goal ray(const boundary *b, const double *to) {
  pl_taut_goal g = {.n = 1, .goal = {1}, .shape = b->across ? PL_TAUT_PARABOLOID : PL_TAUT_FLAT};
  double length = pl_norm3(to);
  for (int c = 0; c < 3; c++) g.basis[0][c] = length > 0 ? to[c] / length : c == 0;
  return g;
}

static const double *known_state(const boundary *b, int i) {
  return b->across ? b->known[i].curvature : b->known[i].stretch;
}

static pl_status solve(boundary *b, const pl_taut_opts *o, int *unsolved) {
  pl_env *env = b->j->env;
  const pl_mail *m = b->j->scene->mail[b->a->mail].m;
  int nray = b->m->nvert, n = nray + b->nknown;
  int nthread = pl_threads_size(b->j->work->threads);
  for (int i = 0; i < n; i++)
    b->goal[i] = ray(b, i < nray ? b->m->X + 3 * i : known_state(b, i - nray));
  if (b->across)
    PL_TRY(pl_mail_taut_disk(env, m, b->across, o, n, b->goal, nthread, b->taut, b->solved));
  else
    PL_TRY(limits_solve(b->j, b->a, o, n, b->goal, b->taut, b->solved, &(int){0}));
  for (int i = 0; i < nray; i++) {
    *unsolved += !b->solved[i];
    for (int c = 0; c < 3; c++) b->S[i][c] = b->taut[i].value * b->goal[i].basis[0][c];
  }
  return PL_OK;
}

// A ray ends where its way does. Where a feasible state is known that lies past its end, the set is
// not star-shaped about rest.
static void look_past(const boundary *b, json_t *figures) {
  int past = 0;
  double most = 1;
  for (int i = 0; i < b->nknown; i++) {
    int k = b->m->nvert + i;
    double ratio = pl_norm3(known_state(b, i)) / b->taut[k].value;
    if (!b->solved[k] || !(ratio > PAST)) continue;
    past++;
    most = fmax(most, ratio);
  }
  job_set(figures, b->across ? "patch_past_rays" : "past_rays", json_integer(past));
  if (past)
    job_note(b->j,
             "%s: the boundary%s is not star-shaped about rest, or rays end too soon: %d of %d "
             "feasible states lie past the end of their ray, by up to %.0f %%",
             b->a->name, b->across ? " of curvatures" : "", past, b->nknown, 100 * (most - 1));
}

pl_status job_limits_boundary(job *j, const pl_analysis *a, const pl_taut_opts *o, int across,
                              int nknown, const pl_taut *known, json_t *figures, int *unsolved) {
  const pl_limits_opts *l = &a->opts.limits_;
  boundary b = {.j = j, .a = a, .across = across, .nknown = nknown, .known = known};
  pl_status s = make_rays(j->env, across ? l->patch_boundary : l->boundary, &b.m);
  size_t n = s == PL_OK ? (size_t)(b.m->nvert + nknown) : 0;
  b.goal = pl_alloc(j->env, n, sizeof *b.goal);
  b.taut = pl_alloc(j->env, n, sizeof *b.taut);
  b.solved = pl_alloc(j->env, n, sizeof *b.solved);
  b.S = pl_alloc(j->env, n, sizeof *b.S);
  if (s == PL_OK && (!b.goal || !b.taut || !b.solved || !b.S)) s = PL_E_NOMEM;
  int lost = 0;
  if (s == PL_OK) s = solve(&b, o, &lost);
  if (s == PL_OK) {
    job_set(figures, across ? "patch_unsolved_rays" : "unsolved_rays", json_integer(lost));
    look_past(&b, figures);
    s = write_table(&b);
  }
  if (s == PL_OK) s = write_surface(&b);
  for (size_t i = 0; b.taut && i < n; i++) pl_taut_free(j->env, &b.taut[i]);
  pl_free(j->env, b.goal);
  pl_free(j->env, b.taut);
  pl_free(j->env, b.solved);
  pl_free(j->env, b.S);
  pl_mesh_free(b.m);
  *unsolved += lost;
  return s;
}
