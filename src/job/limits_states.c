// States of limits for the user: where all elements are, and what pushes; and pictures of them.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALONG = 36, AROUND = 10, CELLS = 1 }; // points of a picture; cells about one

typedef struct column {
  const char *name, *unit;
} column;

static pl_status make_table(pl_env *env, int n, const column *c, pl_table **out) {
  PL_TRY(pl_table_create(env, n, out));
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < n; k++) s = pl_table_column(*out, k, c[k].name, c[k].unit);
  if (s != PL_OK) pl_table_free(*out);
  return s;
}

static pl_status end_table(job *j, const pl_analysis *a, const char *kind, const char *what,
                           pl_table *t, pl_status s) {
  char suffix[64];
  snprintf(suffix, sizeof suffix, "%s-%s.csv", kind, what);
  if (s == PL_OK) s = job_table(j, t, a->name, suffix);
  pl_table_free(t);
  return s;
}

static pl_status write_poses(job *j, const pl_analysis *a, const char *kind, int sides, int n,
                             const pl_taut *taut, const int *solved) {
  static const column columns[] = {{"row", ""}, {"side", ""}, {"element", ""}, {"x", "m"},
                                   {"y", "m"},  {"z", "m"},   {"qw", ""},      {"qx", ""},
                                   {"qy", ""},  {"qz", ""}};
  enum { N = sizeof columns / sizeof *columns };
  pl_table *t;
  PL_TRY(make_table(j->env, N, columns, &t));
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
  static const column columns[] = {
      {"row", ""},      {"side", ""},     {"first", ""},       {"second", ""},
      {"cell_a", ""},   {"cell_b", ""},   {"piece_first", ""}, {"piece_second", ""},
      {"x", "m"},       {"y", "m"},       {"z", "m"},          {"normal_x", ""},
      {"normal_y", ""}, {"normal_z", ""}, {"force", ""},       {"gap", "m"}};
  enum { N = sizeof columns / sizeof *columns };
  const pl_mail *m = j->scene->mail[a->mail].m;
  const int copies[2] = {a->opts.limits_.copies, a->opts.limits_.copies};
  pl_table *t;
  PL_TRY(make_table(j->env, N, columns, &t));
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
  pl_mesh **mesh; // [nkind]
  pl_solid *solid;
} scenery;

static int pushes(const pl_taut *t, int elem, const int cell[2]) {
  double all = 0, own = 0;
  for (int c = 0; c < t->ncontact; c++) {
    const pl_taut_contact *k = &t->contact[c];
    all = fmax(all, k->force);
    if (k->elem[1] == elem && k->cell[0] == cell[0] && k->cell[1] == cell[1])
      own = fmax(own, k->force);
    // the same contact, seen from the second element
    if (k->elem[0] == elem && k->cell[0] == -cell[0] && k->cell[1] == -cell[1])
      own = fmax(own, k->force);
  }
  return own > 1e-3 * all;
}

static void place(const pl_mail *m, const int copies[2], const pl_taut *t, int disk, scenery *s) {
  int far = disk ? 0 : CELLS;
  for (int k = -far; k <= far; k++)
    for (int l = -far; l <= far; l++)
      for (int e = 0; e < t->nelem; e++) {
        const int cell[2] = {k, l}, home = k == 0 && l == 0;
        pl_pose p;
        if (!pl_taut_image(m, copies, t, e, cell, &p)) continue;
        pl_solid *to = &s->solid[s->n++];
        *to = (pl_solid){.mesh = disk ? 0 : m->kind_of[e % m->nelem],
                         .tone = disk                 ? 0
                                 : home               ? 1
                                 : pushes(t, e, cell) ? 2
                                                      : 0};
        memcpy(to->x, p.x, sizeof to->x);
        memcpy(to->Q, p.Q, sizeof to->Q);
      }
}

pl_status limits_picture(job *j, const pl_analysis *a, const char *kind, const pl_taut *t,
                         const char *caption) {
  const pl_mail *m = j->scene->mail[a->mail].m;
  const int copies[2] = {a->opts.limits_.copies, a->opts.limits_.copies};
  int disk = t->shape == PL_TAUT_PARABOLOID, each = (2 * CELLS + 1) * (2 * CELLS + 1);
  char name[PL_TEXT];
  scenery s = {.nmesh = m->nkind};
  // disks do not tell which element is of which kind
  if (!t->pose || (disk && m->nkind > 1)) return PL_OK;
  s.mesh = pl_alloc(j->env, (size_t)m->nkind, sizeof *s.mesh);
  s.solid = pl_alloc(j->env, (size_t)(each * t->nelem), sizeof *s.solid);
  pl_status st = s.mesh && s.solid ? PL_OK : PL_E_NOMEM;
  for (int k = 0; st == PL_OK && k < m->nkind; k++) {
    int wind = m->kind[k].piece[0].kind == PL_PIECE_CURVE ? 4 : 1;
    st = pl_mail_element_mesh(j->env, &m->kind[k], wind * ALONG, AROUND, &s.mesh[k]);
  }
  if (st == PL_OK) {
    place(m, copies, t, disk, &s);
    const pl_solids all = {.nmesh = s.nmesh,
                           .n = s.n,
                           .mesh = (const pl_mesh *const *)s.mesh,
                           .solid = s.solid,
                           .width = 620};
    snprintf(name, sizeof name, "%.200s%s", a->name, kind);
    st = files_solids(j, name, &all, caption);
  }
  for (int k = 0; s.mesh && k < m->nkind; k++) pl_mesh_free(s.mesh[k]);
  pl_free(j->env, s.mesh);
  pl_free(j->env, s.solid);
  return st;
}
