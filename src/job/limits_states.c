// States of limits for the user: where all elements are, and what pushes; and pictures of them.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALONG = 36, AROUND = 10, CELLS = 1 }; // points of a picture; cells about one

static pl_status end_table(job *j, const pl_analysis *a, const char *kind, const char *what,
                           pl_table *t, pl_status s) {
  char suffix[64];
  snprintf(suffix, sizeof suffix, "%s-%s.csv", kind, what);
  return job_table_end(j, t, s, a->name, suffix);
}

static pl_status write_poses(job *j, const pl_analysis *a, const char *kind, int sides, int n,
                             const pl_taut *taut, const int *solved) {
  static const table_column columns[] = {{"row", ""}, {"side", ""}, {"element", ""}, {"x", "m"},
                                         {"y", "m"},  {"z", "m"},   {"qw", ""},      {"qx", ""},
                                         {"qy", ""},  {"qz", ""}};
  enum { N = sizeof columns / sizeof *columns };
  pl_table *t;
  PL_TRY(job_table_open(j, N, columns, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < n; i++)
    for (int e = 0; s == PL_OK && solved[i] && taut[i].pose && e < taut[i].nelem; e++) {
      const pl_pose *p = &taut[i].pose[e];
      double row[N] = {i / sides + 1, i % sides, e + 1, p->x[0], p->x[1], p->x[2]};
      pl_pose_quaternion(p, row + 6);
      s = pl_table_row(t, row);
    }
  return end_table(j, a, kind, "states", t, s);
}

static pl_status write_contacts(job *j, const pl_analysis *a, const char *kind, int sides, int n,
                                const pl_taut *taut, const int *solved) {
  static const table_column columns[] = {
      {"row", ""},      {"side", ""},     {"first", ""},       {"second", ""},
      {"cell_a", ""},   {"cell_b", ""},   {"piece_first", ""}, {"piece_second", ""},
      {"x", "m"},       {"y", "m"},       {"z", "m"},          {"normal_x", ""},
      {"normal_y", ""}, {"normal_z", ""}, {"force", ""},       {"gap", "m"}};
  enum { N = sizeof columns / sizeof *columns };
  const pl_mail *m = j->scene->mail[a->mail].m;
  const int copies[2] = {a->opts.limits_.copies, a->opts.limits_.copies};
  pl_table *t;
  PL_TRY(job_table_open(j, N, columns, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < n; i++)
    for (int c = 0; s == PL_OK && solved[i] && taut[i].pose && c < taut[i].ncontact; c++) {
      const pl_taut_contact *k = &taut[i].contact[c];
      double row[N] = {i / sides + 1, i % sides,  k->elem[0] + 1,  k->elem[1] + 1,
                       k->cell[0],    k->cell[1], k->piece[0] + 1, k->piece[1] + 1};
      pl_taut_contact_at(m, copies, &taut[i], k, row + 8, row + 11);
      row[14] = k->force;
      row[15] = k->at.gap;
      s = pl_table_row(t, row);
    }
  return end_table(j, a, kind, "contacts", t, s);
}

pl_status limits_states(job *j, const pl_analysis *a, const char *kind, int sides, int n,
                        const pl_taut *taut, const int *solved) {
  if (!a->opts.limits_.states || !job_tables(j)) return PL_OK;
  PL_TRY(write_poses(j, a, kind, sides, n, taut, solved));
  return write_contacts(j, a, kind, sides, n, taut, solved);
}

// ---- pictures -----------------------------------------------------------------------------------

typedef struct scenery {
  int nmesh, n;
  pl_mesh **mesh; // [nkind], then the arrows
  pl_solid *solid;
} scenery;

static void place(const pl_mail *m, const int copies[2], const pl_taut *t, int disk, scenery *s) {
  int far = disk ? 0 : CELLS;
  for (int k = -far; k <= far; k++)
    for (int l = -far; l <= far; l++)
      for (int e = 0; e < t->nelem; e++) {
        const int cell[2] = {k, l}, home = k == 0 && l == 0;
        pl_pose p;
        if (!pl_taut_image(m, copies, t, e, cell, &p)) continue;
        pl_solid *to = &s->solid[s->n++];
        *to = (pl_solid){.mesh = disk ? 0 : m->kind_of[e % m->nelem], .tone = !disk && home};
        memcpy(to->x, p.x, sizeof to->x);
        memcpy(to->Q, p.Q, sizeof to->Q);
      }
}

// ---- arrows -------------------------------------------------------------------------------------

enum { SIDED = 8, CORNERS = 4 * SIDED + 2 }; // of an arrow
static const double WEAK = 0.02;             // of the largest force, that is left out

static double largest_force(const pl_taut *t) {
  double most = 0;
  for (int c = 0; c < t->ncontact; c++) most = fmax(most, t->contact[c].force);
  return most;
}

// A shaft and a head along a unit vector: four rings of corners between two ends.
static void arrow_corners(const double from[3], const double n[3], double length, double wide,
                          double *x) {
  const double along[4] = {0, length - 3 * wide, length - 3 * wide, length},
               out[4] = {1, 1, 2.4, 0};
  double e[2][3], pick[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
  pl_cross3(n, pick, e[0]);
  double size = pl_norm3(e[0]);
  for (int d = 0; d < 3; d++) e[0][d] /= size;
  pl_cross3(n, e[0], e[1]);
  for (int r = 0; r < 4; r++)
    for (int k = 0; k < SIDED; k++, x += 3) {
      double a = 2 * PL_PI * k / SIDED, w = wide * out[r];
      for (int d = 0; d < 3; d++)
        x[d] = from[d] + along[r] * n[d] + w * (cos(a) * e[0][d] + sin(a) * e[1][d]);
    }
  for (int end = 0; end < 2; end++, x += 3)
    for (int d = 0; d < 3; d++) x[d] = from[d] + along[3 * end] * n[d];
}

enum { FACES = 2 * 3 * SIDED + SIDED };

static void arrow_faces(int first, int *v) {
  for (int k = 0; k < SIDED; k++) {
    int next = (k + 1) % SIDED;
    for (int r = 0; r < 3; r++, v += 6) {
      int a = first + r * SIDED, b = a + SIDED;
      const int two[6] = {a + k, a + next, b + next, a + k, b + next, b + k};
      memcpy(v, two, sizeof two);
    }
    const int back[3] = {first + 4 * SIDED, first + next, first + k};
    memcpy(v, back, sizeof back);
    v += 3;
  }
}

// Forces on both elements of every contact that pushes, from where they touch; the longest reaches
// across an element.
static pl_status make_arrows(job *j, const pl_analysis *a, const pl_taut *t, const scenery *s,
                             pl_mesh **out, double **force) {
  const pl_mail *m = j->scene->mail[a->mail].m;
  const int copies[2] = {a->opts.limits_.copies, a->opts.limits_.copies};
  double most = largest_force(t), range = 0;
  int n = 0, at = 0;
  for (int i = 0; i < 3 * s->mesh[0]->nvert; i++) range = fmax(range, fabs(s->mesh[0]->X[i]));
  for (int c = 0; c < t->ncontact; c++) n += t->contact[c].force > WEAK * most;
  PL_TRY(pl_mesh_create(j->env, "forces", 2 * n * CORNERS, out));
  PL_TRY(pl_mesh_set_cells(*out, PL_TRI3, 2 * n * FACES));
  *force = pl_alloc(j->env, (size_t)(2 * n * FACES), sizeof **force);
  if (!*force) return PL_E_NOMEM;
  for (int c = 0; c < t->ncontact; c++) {
    double f = t->contact[c].force, x[3], normal[3];
    if (!(f > WEAK * most)) continue;
    pl_taut_contact_at(m, copies, t, &t->contact[c], x, normal);
    for (int side = 0; side < 2; side++, at++) {
      for (int d = 0; d < 3; d++) normal[d] *= side ? -1 : 1;
      arrow_corners(x, normal, range * (0.4 + 0.8 * f / most), 0.045 * range,
                    (*out)->X + 3 * at * CORNERS);
      arrow_faces(at * CORNERS, (*out)->cell[PL_TRI3].v + 3 * at * FACES);
      for (int k = 0; k < FACES; k++) (*force)[at * FACES + k] = f;
    }
  }
  return PL_OK;
}

static pl_status write_glb(job *j, const char *name, const scenery *s) {
  char path[PL_TEXT];
  if (!j->output.glb) return PL_OK;
  pl_glb_place *place = pl_alloc(j->env, (size_t)s->n, sizeof *place);
  if (!place) return PL_E_NOMEM;
  for (int i = 0; i < s->n; i++) {
    place[i].mesh = s->solid[i].mesh;
    memcpy(place[i].x, s->solid[i].x, sizeof place[i].x);
    memcpy(place[i].Q, s->solid[i].Q, sizeof place[i].Q);
  }
  pl_status st = pl_glb_write_places(j->env, s->nmesh, (const pl_mesh *const *)s->mesh, 1, s->n,
                                     place, job_path(j, name, ".glb", path));
  pl_free(j->env, place);
  return st;
}

// Elements and arrows in one mesh: `element` counts those that are shown, 0: an arrow, whose force
// is beside it.
static pl_status write_vtu(job *j, const char *name, const scenery *s, const double *force) {
  char path[PL_TEXT];
  int nvert = 0, ntri = 0, v = 0, t = 0;
  pl_mesh *all;
  if (!j->output.vtu) return PL_OK;
  for (int i = 0; i < s->n; i++) {
    nvert += s->mesh[s->solid[i].mesh]->nvert;
    ntri += s->mesh[s->solid[i].mesh]->cell[PL_TRI3].n;
  }
  PL_TRY(pl_mesh_create(j->env, "state", nvert, &all));
  double *number = pl_alloc(j->env, (size_t)(2 * ntri), sizeof *number), *push = number + ntri;
  pl_status st = number ? pl_mesh_set_cells(all, PL_TRI3, ntri) : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < s->n; i++) {
    const pl_solid *p = &s->solid[i];
    const pl_mesh *m = s->mesh[p->mesh];
    int arrows = p->mesh == s->nmesh - 1;
    for (int c = 0; c < m->nvert; c++)
      for (int d = 0; d < 3; d++)
        all->X[3 * (v + c) + d] = p->x[d] + pl_dot3(p->Q + 3 * d, m->X + 3 * c);
    for (int c = 0; c < m->cell[PL_TRI3].n; c++, t++) {
      for (int d = 0; d < 3; d++)
        all->cell[PL_TRI3].v[3 * t + d] = v + m->cell[PL_TRI3].v[3 * c + d];
      number[t] = arrows ? 0 : i + 1;
      push[t] = arrows ? force[c] : 0;
    }
    v += m->nvert;
  }
  const pl_field field[2] = {{"element", 1, 1, number}, {"force", 1, 1, push}};
  if (st == PL_OK)
    st = pl_mesh_write_vtu(all, NULL, 2, field, j->work->threads, job_path(j, name, ".vtu", path));
  pl_free(j->env, number);
  pl_mesh_free(all);
  return st;
}

// The picture, and with `states` files of it, all with the arrows.
static pl_status show_scenery(job *j, const pl_analysis *a, const char *kind, const pl_taut *t,
                              const char *caption, scenery *s) {
  char name[PL_TEXT];
  double *force = NULL;
  snprintf(name, sizeof name, "%.200s%s", a->name, kind);
  pl_status st = make_arrows(j, a, t, s, &s->mesh[s->nmesh], &force);
  if (st == PL_OK) {
    s->solid[s->n++] = (pl_solid){.mesh = s->nmesh++, .tone = 2, .Q = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const pl_solids all = {.nmesh = s->nmesh,
                           .n = s->n,
                           .mesh = (const pl_mesh *const *)s->mesh,
                           .solid = s->solid,
                           .width = 620};
    st = job_solids(j, name, &all, caption);
  }
  if (st == PL_OK) st = write_glb(j, name, s);
  if (st == PL_OK) st = write_vtu(j, name, s, force);
  pl_free(j->env, force);
  return st;
}

pl_status limits_picture(job *j, const pl_analysis *a, const char *kind, const pl_taut *t,
                         const char *caption) {
  const pl_mail *m = j->scene->mail[a->mail].m;
  const int copies[2] = {a->opts.limits_.copies, a->opts.limits_.copies};
  int disk = t->shape == PL_TAUT_PARABOLOID, each = (2 * CELLS + 1) * (2 * CELLS + 1);
  scenery s = {.nmesh = m->nkind};
  // disks do not tell which element is of which kind
  if (!t->pose || (disk && m->nkind > 1)) return PL_OK;
  s.mesh = pl_alloc(j->env, (size_t)m->nkind + 1, sizeof *s.mesh);
  s.solid = pl_alloc(j->env, (size_t)(each * t->nelem + 1), sizeof *s.solid);
  pl_status st = s.mesh && s.solid ? PL_OK : PL_E_NOMEM;
  for (int k = 0; st == PL_OK && k < m->nkind; k++) {
    int wind = m->kind[k].piece[0].kind == PL_PIECE_CURVE ? 4 : 1;
    st = pl_mail_element_mesh(j->env, &m->kind[k], wind * ALONG, AROUND, &s.mesh[k]);
  }
  if (st == PL_OK) {
    place(m, copies, t, disk, &s);
    st = show_scenery(j, a, kind, t, caption, &s);
  }
  for (int k = 0; s.mesh && k <= m->nkind; k++) pl_mesh_free(s.mesh[k]);
  pl_free(j->env, s.mesh);
  pl_free(j->env, s.solid);
  return st;
}
