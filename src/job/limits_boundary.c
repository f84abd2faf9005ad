// The boundary of all strains that an interlocking material can have, shear included, and of all
// curvatures of a patch, twist included: how far it goes from rest along rays in all directions.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void limits_green(const double S[3], double E[3]) {
  double u = 1 + S[0], v = 1 + S[1];
  E[0] = (u * u + S[2] * S[2] - 1) / 2;
  E[1] = (v * v + S[2] * S[2] - 1) / 2;
  E[2] = S[2] * (u + v) / 2;
}

typedef struct boundary {
  job *j;
  limits_keeper *keep;
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
      limits_green(S, row + 3);
      s = pl_table_row(t, row);
    }
  }
  return s;
}

static pl_status write_table(const boundary *b) {
  static const table_column strain[] = {{"stretch_xx", ""}, {"stretch_yy", ""}, {"stretch_xy", ""},
                                        {"green_xx", ""},   {"green_yy", ""},   {"green_xy", ""},
                                        {"bound", ""},      {"contacts", ""},   {"certified", ""},
                                        {"unbounded", ""}};
  static const table_column bent[] = {
      {"curvature_xx", "1/m"}, {"curvature_yy", "1/m"}, {"curvature_xy", "1/m"}, {"folds", ""},
      {"bound", "1/m"},        {"contacts", ""},        {"certified", ""}};
  const table_column *column = b->across ? bent : strain;
  int n = b->across ? 7 : 10;
  pl_table *t;
  if (!job_tables(b->j)) return PL_OK;
  PL_TRY(job_table_open(b->j, n, column, &t));
  return job_table_end(b->j, t, add_rows(b, t), b->a->name,
                       b->across ? "-patch-boundary.csv" : "-boundary.csv");
}

static int by_ends(const void *a, const void *b) {
  const int *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

// Edges of triangles that no other one has the other way round: 0 of a closed surface; -1: no
// memory.
static int open_edges(pl_env *env, int n, const int *tri) {
  int(*edge)[2] = pl_alloc(env, 3 * (size_t)n, sizeof *edge), open = 0;
  if (!edge) return -1;
  for (int k = 0; k < 3 * n; k++) {
    edge[k][0] = tri[k];
    edge[k][1] = tri[k / 3 * 3 + (k + 1) % 3];
  }
  qsort(edge, 3 * (size_t)n, sizeof *edge, by_ends);
  for (int k = 0; k < 3 * n; k++) {
    const int back[2] = {edge[k][1], edge[k][0]};
    int twice = k > 0 && by_ends(edge[k], edge[k - 1]) == 0;
    open += twice || !bsearch(back, edge, 3 * (size_t)n, sizeof *edge, by_ends);
  }
  pl_free(env, edge);
  return open;
}

// Is it closed, with each edge in two triangles, once either way, and outwards?
static void report_surface(const boundary *b, json_t *figures) {
  const pl_mesh *m = b->m;
  int n = m->cell[PL_TRI3].n, open = open_edges(b->j->env, n, m->cell[PL_TRI3].v), inwards = 0;
  double volume = 0;
  for (int k = 0; k < n; k++) {
    const int *v = m->cell[PL_TRI3].v + 3 * k;
    double across[3];
    pl_cross3(m->X + 3 * v[0], m->X + 3 * v[1], across);
    double part = pl_dot3(across, m->X + 3 * v[2]) / 6;
    volume += part;
    inwards += part <= 0;
  }
  json_t *f = json_object();
  job_set(f, "triangles", json_integer(n));
  job_set(f, "open_edges", json_integer(open));
  job_set(f, "inward_triangles", json_integer(inwards));
  job_set(f, "volume", json_real(volume));
  job_set(figures, b->across ? "patch_surface" : "surface", f);
  if (open == 0 && inwards == 0)
    job_say(b->j, "The boundary is a closed surface of %d triangles, all of them outwards.", n);
  else
    job_alarm(b->j, "The boundary of %d triangles has %d open edges and %d triangles inwards.", n,
              open, inwards);
}

// The surface in Green's strain or in curvatures, where all of it was found: a file, a figure. It
// is closed as the sphere of its rays is, and outwards as these do not cross.
static pl_status show_surface(const boundary *b, json_t *figures) {
  static const char *const strain[3] = {"E_xx", "E_yy", "E_xy"};
  static const char *const bent[3] = {"k_xx (1/m)", "k_yy (1/m)", "k_xy (1/m)"};
  char path[PL_TEXT], name[PL_TEXT];
  const char *suffix = b->across ? "-patch-boundary" : "-boundary";
  pl_mesh *m = b->m;
  for (int i = 0; i < m->nvert; i++) {
    if (!isfinite(b->S[i][0])) return PL_OK;
    if (b->across)
      memcpy(m->X + 3 * i, b->S[i], sizeof b->S[i]);
    else
      limits_green(b->S[i], m->X + 3 * i);
  }
  report_surface(b, figures);
  snprintf(name, sizeof name, "%.200s%s", b->a->name, suffix);
  const pl_body_plot plot = {.title = b->across ? "boundary of curvatures" : "boundary of strains",
                             .label = {b->across ? bent[0] : strain[0],
                                       b->across ? bent[1] : strain[1],
                                       b->across ? bent[2] : strain[2]},
                             .nvert = m->nvert,
                             .x = (const double(*)[3])m->X,
                             .nface = m->cell[PL_TRI3].n,
                             .face = (const int(*)[3])m->cell[PL_TRI3].v};
  PL_TRY(job_body(b->j, name, &plot,
                  b->across ? "All curvatures that the patch can have, from rest in the middle, "
                              "and what they look like along each axis."
                            : "All strains of Green that the material can have, shear included, "
                              "from rest in the middle, and what they look like along each axis."));
  if (!b->j->output.vtu) return PL_OK;
  job_path(b->j, b->a->name, b->across ? "-patch-boundary.vtu" : "-boundary.vtu", path);
  return pl_mesh_write_vtu(m, NULL, 0, NULL, NULL, path);
}

// of strains: Green's; directions that nothing holds count as far as was looked
static void fill_boundary(const boundary *b, pl_boundary *out) {
  memcpy(out->face, b->m->cell[PL_TRI3].v, (size_t)out->nface * sizeof *out->face);
  for (int i = 0; i < out->n; i++) {
    double E[3];
    if (b->across)
      memcpy(E, b->S[i], sizeof E);
    else
      limits_green(b->S[i], E);
    out->distance[i] = pl_norm3(E);
    out->left[i] = b->taut[i].bound;
    out->open[i] = b->taut[i].open || b->taut[i].folds;
    for (int c = 0; c < 3; c++) out->ray[i][c] = E[c] / out->distance[i];
  }
}

// limits of plain tension are corners of the boundary, which rays pass by
static pl_status add_tension(const boundary *b, pl_boundary *out) {
  for (int i = 0; i < b->nknown; i += 2) {
    double E[3];
    if (!isfinite(b->known[i].value) || b->known[i].open) continue;
    limits_green(b->known[i].stretch, E);
    PL_TRY(job_boundary_insert(b->j->env, E, b->known[i].bound, out));
  }
  job_boundary_ridges(out);
  return PL_OK;
}

// what sheets of the material need, where all of the boundary was found and something holds it
static pl_status keep(const boundary *b, json_t *figures, pl_boundary *out) {
  int whole = 1, open = 0;
  for (int i = 0; i < b->m->nvert; i++) {
    whole &= b->solved[i];
    open += b->taut[i].open || b->taut[i].folds;
  }
  job_set(figures, b->across ? "patch_unbounded_rays" : "unbounded_rays", json_integer(open));
  if (!whole || open == b->m->nvert) return PL_OK;
  PL_TRY(pl_boundary_alloc(b->j->env, b->m->nvert, b->m->cell[PL_TRI3].n, out));
  fill_boundary(b, out);
  return b->across ? PL_OK : add_tension(b, out);
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
  int nray = b->m->nvert, n = nray + b->nknown;
  for (int i = 0; i < n; i++)
    b->goal[i] = ray(b, i < nray ? b->m->X + 3 * i : known_state(b, i - nray));
  pl_status s = limits_solve(b->keep, o, b->across, n, b->goal, b->taut, b->solved, &(int){0});
  for (int i = 0; s >= 0 && i < nray; i++) {
    *unsolved += !b->solved[i];
    for (int c = 0; c < 3; c++)
      b->S[i][c] = b->solved[i] ? b->taut[i].value * b->goal[i].basis[0][c] : NAN;
  }
  return s;
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

static pl_status report(const boundary *b, int lost, json_t *figures, pl_boundary *out) {
  int n = b->m->nvert, across = b->across;
  job_set(figures, across ? "patch_unsolved_rays" : "unsolved_rays", json_integer(lost));
  look_past(b, figures);
  PL_TRY(write_table(b));
  PL_TRY(keep(b, figures, out));
  limits_verified(b->keep, across ? "patch_boundary_" : "boundary_", figures);
  PL_TRY(limits_states(b->j, b->a, across ? "-patch-boundary" : "-boundary", 1, n, b->taut,
                       b->solved));
  return show_surface(b, figures);
}

pl_status limits_boundary(limits_keeper *k, const pl_taut_opts *o, int across, int nknown,
                          const pl_taut *known, json_t *figures, int *unsolved, pl_boundary *out) {
  const pl_limits_opts *l = &k->a->opts.limits_;
  pl_env *env = k->j->env;
  boundary b = {
      .j = k->j, .keep = k, .a = k->a, .across = across, .nknown = nknown, .known = known};
  pl_status s = pl_gen_icosphere(env, across ? l->patch_boundary : l->boundary, &b.m);
  size_t n = s == PL_OK ? (size_t)(b.m->nvert + nknown) : 0;
  b.goal = pl_alloc(env, n, sizeof *b.goal);
  b.taut = pl_alloc(env, n, sizeof *b.taut);
  b.solved = pl_alloc(env, n, sizeof *b.solved);
  b.S = pl_alloc(env, n, sizeof *b.S);
  if (s == PL_OK && (!b.goal || !b.taut || !b.solved || !b.S)) s = PL_E_NOMEM;
  int lost = 0;
  if (s == PL_OK) s = solve(&b, o, &lost);
  if (s == PL_OK) {
    s = report(&b, lost, figures, out);
  } else if (s == PL_CANCELLED) {
    pl_status reported = write_table(&b);
    if (reported != PL_OK) s = reported;
  }
  for (size_t i = 0; b.taut && i < n; i++) pl_taut_free(env, &b.taut[i]);
  pl_free(env, b.goal);
  pl_free(env, b.taut);
  pl_free(env, b.solved);
  pl_free(env, b.S);
  pl_mesh_free(b.m);
  *unsolved += lost;
  return s;
}
