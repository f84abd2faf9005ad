// Figures of cloth: what is allowed, what is used of it, where the energy goes.
#include "limit_page.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

enum {
  FINE = 3600,  // directions over half a turn for which the allowed strain is known
  COARSE = 20,  // of these every so many are tried first
  AROUND = 360, // directions of polar figures, over a turn
  DOTS = 1500,  // triangles shown one by one
  SERIES = 16,  // curves in a figure of energies
};

static int shown(const job *j) {
  return j->scene->sheet.nlimit > 0 && job_figures(j);
}

static int limit_of(const job *j, int t) {
  const pl_sheet_desc *d = &j->scene->sheet;
  return d->limit_of ? d->limit_of[t] : 0;
}

// ---- used part of the limit ---------------------------------------------------------------------

// Cosines and sines are found once, not for every triangle: they would take most of the time.
typedef struct direction {
  double x, y;
} direction;

static direction direction_of(double angle) {
  return (direction){cos(angle), sin(angle)};
}

// principal stretches of a triangle, and the direction of the first
typedef struct strain {
  double first, second;
  direction along;
} strain;

// s: as pl_sheet_stretch has it
static strain strain_of(const double *s) {
  return (strain){s[0], s[1], direction_of(s[2])};
}

// square of the stretch in a direction
static double squared(const strain *s, direction d) {
  double c = d.x * s->along.x + d.y * s->along.y;
  double k = s->first * s->first, l = s->second * s->second;
  return l + (k - l) * c * c;
}

static double part(const strain *s, direction d, double allowed) {
  double stretch = sqrt(squared(s, d));
  if (!isfinite(allowed)) return 0;
  // no stretch is allowed at all: half way there is nowhere
  if (allowed < 1 + 1e-12) return stretch < allowed * (1 - 1e-6) ? 0 : stretch / allowed;
  return (stretch - 1) / (allowed - 1);
}

// bound[FINE]: stretches allowed in d[FINE], over half a turn; angle: of the first principal one
static double worst_part(const pl_limit *l, const direction *d, const double *bound,
                         const strain *s, double angle) {
  double most = 0;
  int at = 0;
  for (int i = 0; i < FINE; i += COARSE) {
    double p = part(s, d[i], bound[i]);
    if (p > most) most = p, at = i;
  }
  for (int i = at - COARSE; i <= at + COARSE; i++) {
    int k = (i + FINE) % FINE;
    most = fmax(most, part(s, d[k], bound[k]));
  }
  // bounds have a kink at each of these
  for (int i = 0; i < l->ndirection; i++)
    most = fmax(most, part(s, direction_of(l->angle[i]), pl_limit_stretch(l, l->angle[i])));
  return fmax(most, part(s, s->along, pl_limit_stretch(l, angle)));
}

pl_status limit_page_used(const job *j, const double *stretch, double *used) {
  const pl_sheet_desc *d = &j->scene->sheet;
  double *bound = pl_alloc(j->env, (size_t)d->nlimit * FINE, sizeof *bound);
  direction *fan = pl_alloc(j->env, FINE, sizeof *fan);
  for (int i = 0; bound && fan && i < FINE; i++) {
    double angle = PL_PI * i / FINE;
    fan[i] = direction_of(angle);
    for (int l = 0; l < d->nlimit; l++)
      bound[(size_t)l * FINE + (size_t)i] = pl_limit_stretch(&d->limit[l], angle);
  }
  for (int t = 0; bound && fan && t < d->ntri; t++) {
    int l = limit_of(j, t);
    const strain s = strain_of(stretch + 3 * (size_t)t);
    used[t] = l < 0 ? NAN
                    : worst_part(&d->limit[l], fan, bound + (size_t)l * FINE, &s,
                                 stretch[3 * (size_t)t + 2]);
  }
  pl_status st = bound && fan ? PL_OK : PL_E_NOMEM;
  pl_free(j->env, bound);
  pl_free(j->env, fan);
  return st;
}

// ---- map of the sheet ---------------------------------------------------------------------------

typedef struct map {
  double *stretch; // [ntri][3]
  double *used;    // [ntri]
  double *face;    // [triangles of the mesh] percent
  double *x;       // [2][nvert][3] now and at rest
} map;

// a sheet that is plane at rest is laid into the axes of its material: warp to the right, weft up
static void lay_flat(const job *j, double *x) {
  const pl_sheet_desc *d = &j->scene->sheet;
  const double *r = d->rest, *o = x + 3 * (size_t)d->tri[0];
  double a[3], b[3], e[3][3], origin[3], size = 0, off = 0;
  double p[2] = {r[2] - r[0], r[3] - r[1]}, q[2] = {r[4] - r[0], r[5] - r[1]};
  double det = p[0] * q[1] - p[1] * q[0];
  pl_sub3(x + 3 * (size_t)d->tri[1], o, a);
  pl_sub3(x + 3 * (size_t)d->tri[2], o, b);
  for (int c = 0; c < 3; c++) {
    e[0][c] = (a[c] * q[1] - b[c] * p[1]) / det;
    e[1][c] = (b[c] * p[0] - a[c] * q[0]) / det;
    origin[c] = o[c];
  }
  pl_cross3(e[0], e[1], e[2]);
  for (int pass = 0; pass < 2; pass++)
    for (int v = 0; v < j->scene->mesh->nvert; v++) {
      double *at = x + 3 * (size_t)v, to[3], along[3];
      pl_sub3(at, origin, to);
      for (int c = 0; c < 3; c++) along[c] = pl_dot3(to, e[c]);
      size = fmax(size, pl_norm3(to));
      off = fmax(off, fabs(along[2]));
      // not a plane: it stays as it is
      if (pass && off > 1e-6 * size) return;
      if (pass) memcpy(at, (double[3]){along[0], along[1], 0}, 3 * sizeof *at);
    }
}

static pl_status map_make(const job *j, const pl_sheet *sheet, const double *q, map *m) {
  const pl_scene *sc = j->scene;
  size_t ntri = (size_t)sc->sheet.ntri, nface = (size_t)sc->mesh->cell[PL_TRI3].n;
  size_t n = 3 * (size_t)sc->mesh->nvert;
  m->stretch = pl_alloc(j->env, ntri, 3 * sizeof(double));
  m->used = pl_alloc(j->env, ntri, sizeof(double));
  m->face = pl_alloc(j->env, nface, sizeof(double));
  m->x = pl_alloc(j->env, 2 * n, sizeof(double));
  if (!m->stretch || !m->used || !m->face || !m->x) return PL_E_NOMEM;
  pl_sheet_stretch(sheet, q, m->stretch);
  PL_TRY(limit_page_used(j, m->stretch, m->used));
  for (size_t f = 0; f < nface; f++) m->face[f] = NAN;
  for (size_t t = 0; t < ntri; t++) {
    int cell = sc->sheet_cell ? sc->sheet_cell[t] : (int)t;
    m->face[cell] = 100 * m->used[t];
  }
  job_positions(j, q, 1, m->x);
  job_positions(j, sc->params->X, 1, m->x + n);
  lay_flat(j, m->x + n);
  return PL_OK;
}

static void map_free(const job *j, map *m) {
  pl_free(j->env, m->stretch);
  pl_free(j->env, m->used);
  pl_free(j->env, m->face);
  pl_free(j->env, m->x);
}

static void map_caption(const job *j, const map *m, char *out, size_t size) {
  int n = 0, most = 0, at = 0, beyond = 0;
  for (int t = 0; t < j->scene->sheet.ntri; t++) {
    if (isnan(m->used[t])) continue;
    n++;
    at += m->used[t] >= 0.99 && m->used[t] <= 1.01;
    beyond += m->used[t] > 1.01;
    if (!(m->used[t] <= m->used[most])) most = t;
  }
  int k = snprintf(out, size,
                   "Strain in the worst direction of every triangle, as a part of the strain that "
                   "its limit allows there. %d of %d triangles are at their limit",
                   at, n);
  if (beyond)
    snprintf(out + k, size - (size_t)k, ", %d are beyond; the worst is at %.4g times it.", beyond,
             m->used[most]);
  else
    snprintf(out + k, size - (size_t)k, ", none is beyond.");
}

// the sheet as it is, or laid out as it was at rest, where obstacles have no place
static pl_status map_draw(job *j, const map *m, int rest, double t, const char *stem,
                          const char *title, const char *caption) {
  char name[PL_TEXT];
  pl_view view = {.x = m->x + (rest ? 3 * (size_t)j->scene->mesh->nvert : 0),
                  .face = m->face,
                  .lo = 0,
                  .hi = 100,
                  .limit = 100,
                  .colour_label = "part of the limit (%)",
                  .title = title};
  pl_status s = rest ? PL_OK : job_backdrop(j, t, t, 1, m->x, &view);
  snprintf(name, sizeof name, "%s-strain%s", stem, rest ? "-flat" : "");
  if (s == PL_OK) s = job_values(j, name, &view, caption);
  job_backdrop_free(j, &view);
  return s;
}

pl_status limit_page_strain(job *j, const pl_sheet *sheet, const double *q, double t,
                            const char *stem) {
  if (!shown(j) || !j->drawable) return PL_OK;
  map m = {0};
  char caption[PL_TEXT];
  pl_status s = map_make(j, sheet, q, &m);
  if (s == PL_OK) {
    map_caption(j, &m, caption, sizeof caption);
    job_row(j);
    s = map_draw(j, &m, 0, t, stem, "as it is", caption);
    if (s == PL_OK)
      s = map_draw(j, &m, 1, t, stem, "laid out",
                   "The same on the sheet at rest, warp to the right where it is plane.");
    job_row_end(j);
  }
  map_free(j, &m);
  return s;
}

// ---- polar figures ------------------------------------------------------------------------------

typedef struct polar { // arrays of one figure
  double angle[AROUND], allowed[AROUND], reached[AROUND], given[AROUND];
  int ntri;               // triangles of this limit
  int nsample;            // both halves of the turn
  double *sample, *bound; // [nsample]
  int ndot;
  double *dot, *length; // [ndot] principal stretches
} polar;

static void fill_reached(const job *j, int l, const double *stretch, polar *p) {
  const pl_sheet_desc *d = &j->scene->sheet;
  direction around[AROUND];
  for (int i = 0; i < AROUND; i++) around[i] = direction_of(p->angle[i]);
  for (int t = 0; t < d->ntri; t++) {
    const double *s = stretch + 3 * (size_t)t;
    const strain own = strain_of(s);
    if (limit_of(j, t) != l) continue;
    for (int i = 0; i < AROUND; i++) p->reached[i] = fmax(p->reached[i], squared(&own, around[i]));
    for (int k = 0; p->dot && k < 2; k++) {
      p->dot[p->ndot] = s[2] + k * PL_PI;
      p->length[p->ndot++] = s[0];
    }
  }
  for (int i = 0; i < AROUND; i++) p->reached[i] = sqrt(p->reached[i]);
}

static pl_status polar_make(const job *j, int l, const double *stretch, polar *p) {
  const pl_sheet_desc *d = &j->scene->sheet;
  const pl_limit *limit = &d->limit[l];
  const pl_polar *curve = &j->scene->limit_note[l].curve;
  for (int t = 0; t < d->ntri; t++) p->ntri += limit_of(j, t) == l;
  p->nsample = 2 * limit->ndirection;
  p->sample = pl_alloc(j->env, (size_t)p->nsample, sizeof(double));
  p->bound = pl_alloc(j->env, (size_t)p->nsample, sizeof(double));
  if (!p->sample || !p->bound) return PL_E_NOMEM;
  if (stretch && p->ntri <= DOTS) {
    p->dot = pl_alloc(j->env, 2 * (size_t)p->ntri, sizeof(double));
    p->length = pl_alloc(j->env, 2 * (size_t)p->ntri, sizeof(double));
    if (!p->dot || !p->length) return PL_E_NOMEM;
  }
  for (int i = 0; i < AROUND; i++) {
    p->angle[i] = 2 * PL_PI * i / AROUND;
    p->allowed[i] = pl_limit_stretch(limit, p->angle[i]);
    if (curve->n > 0) p->given[i] = pl_polar_at(curve, p->angle[i]);
  }
  for (int i = 0; i < p->nsample; i++) {
    int k = i % limit->ndirection;
    p->sample[i] = limit->angle[k] + (i < limit->ndirection ? 0 : PL_PI);
    p->bound[i] = limit->bound[k];
  }
  if (stretch) fill_reached(j, l, stretch, p);
  return PL_OK;
}

static pl_status polar_draw(job *j, int l, const polar *p, int reached, const char *stem) {
  const pl_limit_note *note = &j->scene->limit_note[l];
  pl_polar_series series[5];
  int n = 0;
  if (p->ndot)
    series[n++] = (pl_polar_series){.name = "triangles",
                                    .n = p->ndot,
                                    .angle = p->dot,
                                    .stretch = p->length,
                                    .points = 2,
                                    .colour = 7};
  if (note->curve.n > 0)
    series[n++] = (pl_polar_series){.name = "given",
                                    .n = AROUND,
                                    .angle = p->angle,
                                    .stretch = p->given,
                                    .dashed = 1,
                                    .colour = 2};
  series[n++] = (pl_polar_series){.name = "allowed",
                                  .n = AROUND,
                                  .angle = p->angle,
                                  .stretch = p->allowed,
                                  .fill = 1,
                                  .colour = 0};
  if (p->nsample)
    series[n++] = (pl_polar_series){.name = "sampled",
                                    .n = p->nsample,
                                    .angle = p->sample,
                                    .stretch = p->bound,
                                    .points = 1,
                                    .colour = 0};
  if (reached)
    series[n++] = (pl_polar_series){
        .name = "reached", .n = AROUND, .angle = p->angle, .stretch = p->reached, .colour = 1};
  char name[PL_TEXT], title[PL_TEXT], caption[PL_TEXT];
  snprintf(title, sizeof title, "%s: %s", note->name, note->text);
  if (j->scene->sheet.nlimit > 1)
    snprintf(name, sizeof name, "%s-limit-%d", stem, l + 1);
  else
    snprintf(name, sizeof name, "%s-limit", stem);
  snprintf(caption, sizeof caption,
           "Strain over the direction in the material, the dark circle being the length at rest: "
           "what the limit allows%s%s.",
           reached ? ", and the largest that any of its triangles has there" : "",
           p->ndot ? "; dots are the larger principal strain of every triangle" : "");
  const pl_polar_plot plot = {
      .title = title, .first = "warp", .second = "weft", .nseries = n, .series = series};
  return job_polar(j, name, &plot, caption);
}

static pl_status polar_one(job *j, int l, const double *stretch, const char *stem) {
  polar *p = pl_alloc(j->env, 1, sizeof *p);
  if (!p) return PL_E_NOMEM;
  pl_status s = polar_make(j, l, stretch, p);
  if (s == PL_OK && p->ntri > 0) s = polar_draw(j, l, p, stretch != NULL, stem);
  pl_free(j->env, p->sample);
  pl_free(j->env, p->bound);
  pl_free(j->env, p->dot);
  pl_free(j->env, p->length);
  pl_free(j->env, p);
  return s;
}

pl_status limit_page_polar(job *j, const pl_sheet *sheet, const double *q, const char *stem) {
  if (!shown(j)) return PL_OK;
  const pl_sheet_desc *d = &j->scene->sheet;
  double *stretch = NULL;
  if (q) {
    stretch = pl_alloc(j->env, (size_t)d->ntri, 3 * sizeof(double));
    if (!stretch) return PL_E_NOMEM;
    pl_sheet_stretch(sheet, q, stretch);
  }
  pl_status s = PL_OK;
  if (d->nlimit > 1) job_row(j);
  for (int l = 0; s == PL_OK && l < d->nlimit; l++) s = polar_one(j, l, stretch, stem);
  if (d->nlimit > 1) job_row_end(j);
  pl_free(j->env, stretch);
  return s;
}

// ---- energy -------------------------------------------------------------------------------------

static double at(const limit_run *r, const double *v, int i) {
  return v[(size_t)i * (size_t)(r->stride ? r->stride : 1)];
}

static double total(const limit_run *r, int i) {
  return at(r, r->kinetic, i) + at(r, r->elastic, i) + at(r, r->outer, i);
}

// a curve of a run for a plot; v NULL: its total, less that of the start
static void energy_series(const limit_run *r, const double *v, const char *name, int colour,
                          double *xy, pl_series *out) {
  for (int i = 0; i < r->n; i++) {
    xy[i] = at(r, r->t, i);
    xy[r->n + i] = v ? at(r, v, i) : total(r, i) - total(r, 0);
  }
  *out = (pl_series){.name = name, .n = r->n, .x = xy, .y = xy + r->n, .colour = colour};
}

static int all_zero(const limit_run *r, const double *v) {
  for (int i = 0; i < r->n; i++)
    if (at(r, v, i) != 0) return 0;
  return 1;
}

static pl_status energy_plot(job *j, const char *stem, const char *suffix, const char *title, int n,
                             const pl_series *series, const char *caption) {
  char name[PL_TEXT];
  snprintf(name, sizeof name, "%s-%s", stem, suffix);
  return job_plot(j, name,
                  &(pl_plot){.title = title,
                             .xlabel = "time (s)",
                             .ylabel = "energy (J)",
                             .nseries = n,
                             .series = series},
                  caption);
}

pl_status limit_page_energy(job *j, const limit_run *run, const char *stem) {
  const struct {
    const char *name;
    const double *v;
  } now[] = {{"kinetic", run->kinetic}, {"elastic", run->elastic}, {"loads", run->outer}},
    work[] = {{"limiter", run->limiter},
              {"contact", run->contact},
              {"damping", run->damping},
              {"drives", run->driven},
              {"time step", run->loss}};
  if (run->n < 2 || !job_figures(j)) return PL_OK;
  double *xy = pl_alloc(j->env, (size_t)run->n * 2 * SERIES, sizeof *xy);
  if (!xy) return PL_E_NOMEM;
  size_t per = 2 * (size_t)run->n;
  pl_series series[SERIES];
  int n = 0;
  for (int k = 0; k < 3; k++) {
    energy_series(run, now[k].v, now[k].name, k, xy + per * (size_t)n, &series[n]);
    double first = k == 2 ? at(run, run->outer, 0) : 0;
    for (int i = 0; i < run->n; i++) xy[per * (size_t)n + (size_t)(run->n + i)] -= first;
    n++;
  }
  energy_series(run, NULL, "total", 3, xy + per * (size_t)n, &series[n]);
  job_row(j);
  pl_status s = energy_plot(j, stem, "energy", "energy", n + 1, series,
                            "Kinetic and elastic energy, the potential of gravity and constant "
                            "loads, and the sum, the last two less their values at the start.");
  n = 0;
  for (int k = 0; k < 5; k++) {
    if (!work[k].v || all_zero(run, work[k].v)) continue;
    energy_series(run, work[k].v, work[k].name, k, xy + per * (size_t)n, &series[n]);
    n++;
  }
  if (s == PL_OK && n > 0)
    s = energy_plot(j, stem, "works", "what changed the energy", n, series,
                    "Work done on the sheet since the start, below zero where it took energy. "
                    "\"time step\" is what the other works leave unexplained: the numerical loss.");
  job_row_end(j);
  pl_free(j->env, xy);
  return s;
}

// ---- comparison ---------------------------------------------------------------------------------

static int same_step(const limit_run *a, const limit_run *b) {
  return fabs(a->step - b->step) <= 1e-9 * fabs(a->step);
}

static void step_text(const limit_run *r, char *out, size_t size) {
  snprintf(out, size, "%.6g s", r->step);
}

// the runs that share a step (by = 0) or a method (by = 1) with the first, these by their steps
static int choose(int nrun, const limit_run *run, int by, const limit_run *pick[SERIES]) {
  int n = 0;
  for (int k = 0; k < nrun && n < SERIES; k++) {
    const limit_run *r = &run[k];
    if (by ? strcmp(r->method, run->method) != 0 : !same_step(r, run)) continue;
    int i = n++;
    for (; by && i > 0 && pick[i - 1]->step > r->step; i--) pick[i] = pick[i - 1];
    pick[i] = r;
  }
  return n;
}

static pl_status compare_plot(job *j, int nrun, const limit_run *run, int by, const char *stem) {
  const limit_run *pick[SERIES];
  pl_series series[SERIES];
  char name[SERIES][64], title[PL_TEXT], step[64];
  size_t size = 0, used = 0;
  int n = choose(nrun, run, by, pick);
  for (int k = 0; k < n; k++) size += 2 * (size_t)pick[k]->n;
  double *xy = pl_alloc(j->env, size, sizeof *xy);
  if (!xy) return PL_E_NOMEM;
  for (int k = 0; k < n; k++) {
    if (by)
      step_text(pick[k], name[k], sizeof name[k]);
    else
      snprintf(name[k], sizeof name[k], "%s", pick[k]->method);
    energy_series(pick[k], NULL, name[k], -1, xy + used, &series[k]);
    // curves of methods that agree lie on each other
    series[k].dashed = k > 4;
    used += 2 * (size_t)pick[k]->n;
  }
  step_text(run, step, sizeof step);
  snprintf(title, sizeof title, by ? "total energy by step, %s" : "total energy by method, %s",
           by ? run->method : step);
  pl_status s = PL_OK;
  if (n > 1)
    s = energy_plot(j, stem, by ? "by-step" : "by-method", title, n, series,
                    "Kinetic and elastic energy and potential of loads together, less the value "
                    "at the start, of motions that begin alike.");
  pl_free(j->env, xy);
  return s;
}

enum { COLUMNS = 7 };

static void compare_row(const limit_run *r, char cell[COLUMNS][48]) {
  double most = 0, change = r->n ? total(r, r->n - 1) - total(r, 0) : 0;
  for (int i = 0; i < r->n; i++) most = fmax(most, at(r, r->kinetic, i));
  snprintf(cell[0], 48, "%s", r->method);
  snprintf(cell[1], 48, "%.6g", r->step);
  snprintf(cell[2], 48, "%.4g", change);
  snprintf(cell[3], 48, "%.1f", most > 0 ? 100 * change / most : 0);
  for (int k = 4; k < COLUMNS; k++) cell[k][0] = 0;
  const pl_transient_info *i = r->info;
  if (!i) return;
  snprintf(cell[4], 48, "%.3g", 100 * i->worst_violation);
  if (i->nproject) snprintf(cell[5], 48, "%.1f", (double)i->niter / (double)i->nproject);
  snprintf(cell[6], 48, "%.3g", i->seconds);
}

static void compare_table(job *j, int nrun, const limit_run *run) {
  static const char *const head[COLUMNS] = {
      "method", "step (s)", "change (J)", "of kinetic (%)", "beyond (%)", "iterations", "time (s)"};
  grid g = job_grid(j, COLUMNS, head);
  for (int k = 0; k < nrun; k++) {
    char text[COLUMNS][48];
    compare_row(&run[k], text);
    for (int c = 0; c < COLUMNS; c++) grid_add(&g, "%s", text[c]);
  }
  grid_end(&g);
  job_say(j, "Change of the total energy from start to end, also as a part of the largest kinetic "
             "energy on the way; how far limits were exceeded; iterations of a projection.");
}

pl_status limit_page_compare(job *j, int nrun, const limit_run *run, const char *stem) {
  if (nrun < 2 || !job_figures(j)) return PL_OK;
  PL_TRY(compare_plot(j, nrun, run, 0, stem));
  PL_TRY(compare_plot(j, nrun, run, 1, stem));
  compare_table(j, nrun, run);
  return j->reported;
}
