// Elements of interlocking materials where they are: pictures and files of them.
#include "elements.h"

#include "pliant/math.h"

#include <string.h>

pl_status elements_shapes(job *j, const elements *e, int points, shapes *g) {
  int along = points / (10 * e->n), pieces = e->elem[0]->npiece;
  along /= pieces > 0 ? pieces : 1;
  along = along > 48 ? 48 : along < 16 ? 16 : along;
  g->of = pl_alloc(j->env, (size_t)e->n, sizeof *g->of);
  if (!g->of) return PL_E_NOMEM;
  for (int i = 0; i < e->n; i++) {
    int m = 0;
    while (m < g->n && g->elem[m] != e->elem[i]) m++;
    if (m == SHAPES_MAX) return PL_E_NOMEM;
    if (m == g->n) {
      // knots need more points than rings
      int wind = e->elem[i]->piece[0].kind == PL_PIECE_CURVE ? 2 : 1;
      PL_TRY(
          pl_mail_element_mesh(j->env, e->elem[i], wind * along, along > 24 ? 12 : 8, &g->mesh[m]));
      g->elem[g->n++] = e->elem[i];
    }
    g->of[i] = m;
  }
  return PL_OK;
}

pl_status elements_draw(job *j, const char *name, const elements *e, const shapes *g) {
  pl_solid *solid = pl_alloc(j->env, (size_t)e->n, sizeof *solid);
  if (!solid) return PL_E_NOMEM;
  for (int i = 0; i < e->n; i++) {
    int loaded = e->load && pl_norm3(e->load[i]) > 0;
    solid[i] = (pl_solid){.mesh = g->of[i], .tone = e->held && e->held[i] ? 1 : loaded ? 2 : 0};
    memcpy(solid[i].x, e->pose[i].x, sizeof solid[i].x);
    memcpy(solid[i].Q, e->pose[i].Q, sizeof solid[i].Q);
  }
  const pl_solids s = {.nmesh = g->n,
                       .n = e->n,
                       .mesh = (const pl_mesh *const *)g->mesh,
                       .solid = solid,
                       .title = e->title};
  pl_status st = job_solids(j, name, &s, e->caption);
  pl_free(j->env, solid);
  return st;
}

static pl_status write_glb(job *j, const char *name, const elements *e, const shapes *g) {
  char path[PL_TEXT];
  if (!j->output.glb) return PL_OK;
  pl_glb_place *place = pl_alloc(j->env, (size_t)e->n, sizeof *place);
  if (!place) return PL_E_NOMEM;
  for (int i = 0; i < e->n; i++) {
    place[i].mesh = g->of[i];
    memcpy(place[i].x, e->pose[i].x, sizeof place[i].x);
    memcpy(place[i].Q, e->pose[i].Q, sizeof place[i].Q);
  }
  pl_status s = pl_glb_write_places(j->env, g->n, (const pl_mesh *const *)g->mesh, 0, e->n, place,
                                    job_path(j, name, ".glb", path));
  pl_free(j->env, place);
  return s;
}

void elements_points(const elements *e, const shapes *g, double *x) {
  for (int i = 0; i < e->n; i++) {
    const pl_mesh *m = g->mesh[g->of[i]];
    const pl_pose *p = &e->pose[i];
    for (int c = 0; c < m->nvert; c++, x += 3)
      for (int d = 0; d < 3; d++) x[d] = p->x[d] + pl_dot3(p->Q + 3 * d, m->X + 3 * c);
  }
}

pl_status elements_merge(job *j, const elements *e, const shapes *g, pl_mesh **out,
                         double **number) {
  int nvert = 0, ntri = 0, v = 0, t = 0;
  for (int i = 0; i < e->n; i++) {
    nvert += g->mesh[g->of[i]]->nvert;
    ntri += g->mesh[g->of[i]]->cell[PL_TRI3].n;
  }
  PL_TRY(pl_mesh_create(j->env, "elements", nvert, out));
  *number = pl_alloc(j->env, (size_t)ntri, sizeof **number);
  pl_status s = *number ? pl_mesh_set_cells(*out, PL_TRI3, ntri) : PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < e->n; i++) {
    const pl_mesh *m = g->mesh[g->of[i]];
    for (int c = 0; c < 3 * m->cell[PL_TRI3].n; c++)
      (*out)->cell[PL_TRI3].v[3 * t + c] = v + m->cell[PL_TRI3].v[c];
    for (int c = 0; c < m->cell[PL_TRI3].n; c++) (*number)[t++] = i + 1;
    v += m->nvert;
  }
  if (s == PL_OK) elements_points(e, g, (*out)->X);
  return s;
}

static pl_status write_vtu(job *j, const char *name, const elements *e, const shapes *g) {
  char path[PL_TEXT];
  pl_mesh *all = NULL;
  double *number = NULL;
  if (!j->output.vtu) return PL_OK;
  pl_status s = elements_merge(j, e, g, &all, &number);
  const pl_field field = {"element", 1, 1, number};
  if (s == PL_OK)
    s = pl_mesh_write_vtu(all, NULL, 1, &field, j->work->threads, job_path(j, name, ".vtu", path));
  pl_free(j->env, number);
  pl_mesh_free(all);
  return s;
}

void elements_shapes_free(job *j, shapes *g) {
  for (int i = 0; i < g->n; i++) pl_mesh_free(g->mesh[i]);
  pl_free(j->env, g->of);
}

pl_status elements_show(job *j, const char *name, const elements *e) {
  shapes g = {0};
  if (e->n == 0) return PL_OK;
  pl_status s = elements_shapes(j, e, SHAPE_POINTS, &g);
  if (s == PL_OK) s = elements_draw(j, name, e, &g);
  if (s == PL_OK) s = write_glb(j, name, e, &g);
  if (s == PL_OK) s = write_vtu(j, name, e, &g);
  elements_shapes_free(j, &g);
  return s;
}

// ---- what native found, for macro ---------------------------------------------------------------

struct native_kept {
  const char *name;
  pl_pose *pose;
};

pl_status job_native_keep(job *j, const pl_analysis *a, const pl_pose *pose) {
  size_t n = (size_t)j->scene->patch[a->patch].p.n;
  if (!j->native) j->native = pl_alloc(j->env, (size_t)j->scene->npatch, sizeof *j->native);
  if (!j->native) return PL_E_NOMEM;
  struct native_kept *k = &j->native[a->patch];
  if (!k->pose) k->pose = pl_alloc(j->env, n, sizeof *k->pose);
  if (!k->pose) return PL_E_NOMEM;
  memcpy(k->pose, pose, n * sizeof *pose);
  k->name = a->name;
  return PL_OK;
}

const pl_pose *job_native_kept(const job *j, int patch, const char **name) {
  if (!j->native) return NULL;
  *name = j->native[patch].name;
  return j->native[patch].pose;
}

void job_native_free(job *j) {
  for (int k = 0; j->native && k < j->scene->npatch; k++) pl_free(j->env, j->native[k].pose);
  pl_free(j->env, j->native);
  j->native = NULL;
}

pl_status elements_poses(const job *j, const char *name, const char *suffix, const elements *e,
                         int forces, const double (*reaction)[3]) {
  static const table_column column[] = {
      {"element", ""}, {"x", "m"},          {"y", "m"},          {"z", "m"},
      {"qw", ""},      {"qx", ""},          {"qy", ""},          {"qz", ""},
      {"held", ""},    {"reaction_x", "N"}, {"reaction_y", "N"}, {"reaction_z", "N"}};
  enum { N = sizeof column / sizeof *column };
  pl_table *t;
  if (!job_tables(j)) return PL_OK;
  PL_TRY(job_table_open(j, forces ? N : N - 3, column, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < e->n; i++) {
    const pl_pose *p = &e->pose[i];
    double row[N] = {i + 1, p->x[0], p->x[1], p->x[2], 0, 0, 0, 0, e->held[i]};
    pl_pose_quaternion(p, row + 4);
    if (reaction && e->held[i]) memcpy(row + N - 3, reaction[i], 3 * sizeof *row);
    s = pl_table_row(t, row);
  }
  return job_table_end(j, t, s, name, suffix);
}
