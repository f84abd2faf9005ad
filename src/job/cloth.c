// Sheets with limits of stretch: made from a scene, checked before the start, shown in pictures.
#include "limit_page.h"
#include "run_cloth.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

enum { TIMES = 128 }; // of drives that are looked at

// ---- weights ------------------------------------------------------------------------------------

static pl_status fill_weights(const job *j, const pl_analysis *a, double *weight) {
  const pl_scene *sc = j->scene;
  if (a->cloth && a->cloth->plain) {
    for (int i = 0; i < sc->sheet.nvert; i++) weight[i] = 1;
    return PL_OK;
  }
  int light = pl_sheet_weights(&sc->sheet, sc->model, sc->params, weight);
  if (light < 0) return PL_OK;
  return pl_fail_at(j->env, PL_E_INPUT, sc->path, a->line, a->col,
                    "give its material a density, or the analysis 'weights: plain'",
                    "%s: node %d of a sheet with limits has no mass", a->name, light);
}

// ---- supports that are too far apart ------------------------------------------------------------

static const char *body_of(const pl_scene *sc, int node) {
  for (int k = 0; k < sc->nbody; k++)
    for (int i = 0; i < sc->body[k].n; i++)
      if (sc->body[k].node[i] == node) return sc->body[k].name;
  return "";
}

// the smallest set that a node is in
static const char *set_of(const pl_scene *sc, int node) {
  const pl_node_set *best = NULL;
  for (int k = 0; k < sc->nset; k++)
    for (int i = 0; i < sc->set[k].n; i++)
      if (sc->set[k].node[i] == node && (!best || sc->set[k].n < best->n)) best = &sc->set[k];
  return best ? best->name : NULL;
}

// the drive or support that holds a node
static const char *drive_of(const pl_scene *sc, int node) {
  const char *name = NULL;
  for (int k = 0; k < sc->ndrive; k++)
    for (int i = 0; i < sc->drive[k].nnode; i++)
      if (sc->drive[k].node[i] == node) name = sc->drive[k].name;
  return name;
}

static const char *support_text(const pl_scene *sc, int node, const double *q, char *buf,
                                size_t size) {
  const char *name = pl_model_node_name(sc->model, node);
  if (!name) name = drive_of(sc, node);
  if (!name) name = set_of(sc, node);
  const double *x = q + 3 * (size_t)node;
  snprintf(buf, size, "%s%.60s%s%.60s at [%.4g, %.4g, %.4g] m", name ? "'" : "", name ? name : "",
           name ? "' of " : "", body_of(sc, node), x[0], x[1], x[2]);
  return buf;
}

static pl_status check_supports(const job *j, const pl_analysis *a, pl_sheet *sheet,
                                const pl_state *s) {
  pl_unreachable far;
  char one[256], other[256], when[64] = "";
  PL_TRY(pl_sheet_unreachable(sheet, s->q, &far));
  if (far.a < 0) return PL_OK;
  if (s->t > 0) snprintf(when, sizeof when, " at t = %.4g s", s->t);
  return pl_fail_at(
      j->env, PL_E_INPUT, j->scene->path, a->line, a->col,
      "move the supports together, or allow more stretch",
      "%s: %s and %s are %.6g m apart%s, but the sheet between them is %.6g m long at "
      "its limits",
      a->name, support_text(j->scene, far.a, s->q, one, sizeof one),
      support_text(j->scene, far.b, s->q, other, sizeof other), far.apart, when, far.range);
}

// drives on their way: all of a motion, or a period of it at full size
static pl_status check_drives(const job *j, const pl_analysis *a, pl_sheet *sheet,
                              const pl_state *start) {
  const pl_scene *sc = j->scene;
  if (a->kind != PL_ANALYSIS_transient || !(a->opts.transient_.frequency > 0)) return PL_OK;
  const pl_transient_opts *o = &a->opts.transient_;
  double period = 2 * PL_PI / o->frequency, end = o->ramp + period;
  end = fmin(end, o->duration > 0 ? o->duration : o->periods * period);
  pl_state *s;
  PL_TRY(pl_state_create(sc->model, sc->params, &s));
  pl_state_copy(s, start);
  pl_status st = PL_OK;
  for (int k = 1; st == PL_OK && k <= TIMES; k++) {
    s->t = start->t + end * k / TIMES;
    pl_clock c = {.t = s->t, .omega = o->frequency, .scale = 1, .ramp = o->ramp, .timed = 1};
    pl_drive(sc->model, sc->params, &c, s);
    st = check_supports(j, a, sheet, s);
  }
  pl_state_free(sc->model, s);
  return st;
}

// ---- all of it ----------------------------------------------------------------------------------

static pl_status open_sheet(job *j, const pl_analysis *a, const pl_state *s, cloth *c) {
  pl_sheet_desc d = j->scene->sheet;
  if (d.nlimit == 0) return PL_OK;
  c->weight = pl_alloc(j->env, (size_t)d.nvert, sizeof *c->weight);
  if (!c->weight) return PL_E_NOMEM;
  PL_TRY(fill_weights(j, a, c->weight));
  d.weight = c->weight;
  d.threads = j->work->threads;
  PL_TRY(pl_sheet_create(j->env, &d, 1, &c->constraints.sheet));
  j->sheet = c->constraints.sheet;
  PL_TRY(check_supports(j, a, j->sheet, s));
  return check_drives(j, a, j->sheet, s);
}

pl_status cloth_open(job *j, const pl_analysis *a, const pl_state *s, pl_contact *contact,
                     cloth *c) {
  c->constraints.contact = contact;
  PL_TRY(open_sheet(j, a, s, c));
  if (j->scene->layers.nvert == 0) return PL_OK;
  return pl_layers_create(j->env, &j->scene->layers, &c->constraints.layers);
}

void cloth_close(job *j, cloth *c) {
  j->sheet = NULL;
  pl_sheet_free(c->constraints.sheet);
  pl_layers_free(c->constraints.layers);
  pl_free(j->env, c->weight);
}

const pl_project_opts *cloth_project(const pl_analysis *a, pl_project_opts *defaults) {
  if (a->cloth) return &a->cloth->project;
  pl_opts_default(pl_project_option_table, pl_project_option_count, defaults);
  return defaults;
}

const char *cloth_kept(double violation, char buf[32]) {
  if (violation > 0)
    snprintf(buf, 32, "to %.1e", violation);
  else
    snprintf(buf, 32, "exactly");
  return buf;
}

void cloth_report_between(const job *j, double between) {
  if (between > 0)
    job_say(j,
            "Between the sampled directions the curve is exceeded by up to %.3g %%; `form: "
            "guarded` or more directions make this smaller.",
            100 * between);
  else if (between > -1)
    job_say(j, "The curve holds between the sampled directions too (360 looked at).");
}

// ---- pictures -----------------------------------------------------------------------------------

pl_status cloth_ratio(const job *j, const double *q, double *cell) {
  const pl_scene *sc = j->scene;
  int first = 0;
  for (int t = 0; t < PL_TRI3; t++) first += sc->mesh->cell[t].n;
  double *ratio = pl_alloc(j->env, (size_t)sc->sheet.ntri, sizeof *ratio);
  if (!ratio) return PL_E_NOMEM;
  pl_sheet_ratio(j->sheet, q, ratio);
  for (int e = 0; e < sc->sheet.ntri; e++) cell[first + sc->sheet_cell[e]] = ratio[e];
  pl_free(j->env, ratio);
  return PL_OK;
}

pl_status cloth_faces(const job *j, const double *q, double *face) {
  const pl_scene *sc = j->scene;
  size_t n = (size_t)sc->sheet.ntri;
  double *stretch = pl_alloc(j->env, 3 * n, sizeof *stretch);
  double *used = pl_alloc(j->env, n, sizeof *used);
  pl_status st = stretch && used ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) {
    pl_sheet_stretch(j->sheet, q, stretch);
    st = limit_page_used(j, stretch, used);
  }
  for (int e = 0; e < sc->mesh->cell[PL_TRI3].n; e++) face[e] = NAN;
  for (int e = 0; st == PL_OK && e < sc->sheet.ntri; e++) face[sc->sheet_cell[e]] = used[e];
  pl_free(j->env, stretch);
  pl_free(j->env, used);
  return st;
}

// the largest of its triangles
void cloth_colours(const job *j, const double *face, double *vertex) {
  const pl_mesh *m = j->scene->mesh;
  memset(vertex, 0, (size_t)m->nvert * sizeof *vertex);
  for (int e = 0; e < m->cell[PL_TRI3].n; e++)
    for (int i = 0; i < 3 && face[e] > 0; i++) {
      double *v = &vertex[m->cell[PL_TRI3].v[3 * e + i]];
      *v = fmax(*v, fmin(face[e], 1));
    }
}

void cloth_view(const double *face, pl_view *view) {
  if (!face) return;
  view->face = face;
  view->colour_label = "part of the allowed strain";
  view->lo = 0;
  view->hi = 1;
  view->limit = 1;
}
