// Events of a motion with pairs, and what sliders do to its deviations.
#include "events.h"

#include <stdlib.h>

static void note(events *e, double phase) {
  if (e->status == PL_OK) e->status = pl_grow(e->v->env, &e->at, e->nbreak, &e->cap, sizeof *e->at);
  if (e->status == PL_OK) e->at[e->nbreak++] = fmod(phase, 2 * PL_PI);
}

static void place_rows(const events *e, const pl_element *el, slide *s) {
  const int *index = pl_model_free_index(e->v->m);
  for (int a = 0; a < el->ndof; a++) {
    int i = el->dof[a] < 0 ? -1 : index[el->dof[a]];
    s->row[a] = i >= 0 && e->place ? e->place[i] : i;
  }
}

static int find_events(void *ctx, const pl_element *el, int thread) {
  events *e = ctx;
  const pl_elem_kind *kind = pl_model_group_kind(e->v->m, el->group);
  (void)thread;
  if (!kind->stretch || e->status != PL_OK) return 0;
  pair *x = &e->scratch;
  if (kind->slider.d) {
    slide *s = &e->slide[e->first[el->group] + el->elem];
    x = &s->x;
    place_rows(e, el, s);
    e->status = pair_open(e->v->env, el->ndof, 2 * e->hb.f.H, e->hb.f.N, x);
    if (e->status != PL_OK) return 0;
  }
  if (pairs_load(&e->hb, el->group, el->elem, el->dof, x)) return 1;
  for (int i = 0; i < x->nspan; i++) note(e, x->span[i].from);
  return 0;
}

static int by_phase(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

static void count_sliders(events *e) {
  for (int j = 0; j < e->nslide; j++) {
    slide *s = &e->slide[j];
    for (int i = 0; i < s->x.nspan; i++) s->used |= s->x.span[i].slip != 0;
    if (s->used) s->at = 2 * e->n + e->m++;
  }
}

// the motion: its coefficients, and samples of what is driven
static pl_status open_motion(events *e) {
  variation *v = e->v;
  pl_hb *hb = &e->hb;
  int H = v->o->nharm, N = hb_samples(H), nq = pl_model_nq(v->m);
  *hb = (pl_hb){.env = v->env, .m = v->m, .p = v->p, .zfull = v->o->z, .omega = v->o->omega};
  hb->free_index = pl_model_free_index(v->m);
  hb->f = (fourier){.H = H, .N = N, .L = 2 * H + 1};
  if (v->n == nq) return PL_OK;
  PL_TRY(fourier_create(v->env, H, N, &hb->f));
  hb->drive_q = pl_alloc(v->env, (size_t)nq * (size_t)N, sizeof(double));
  if (!hb->drive_q) return PL_E_NOMEM;
  for (int i = 0; i < N; i++) {
    pl_clock c = {.t = 2 * PL_PI * i / N, .omega = v->o->sub > 0 ? v->o->sub : 1, .scale = 1};
    pl_drive(v->m, v->p, &c, v->s);
    for (int q = 0; q < nq; q++)
      if (hb->free_index[q] < 0) hb->drive_q[(size_t)q * (size_t)N + (size_t)i] = v->s->q[q];
  }
  return PL_OK;
}

pl_status events_find(variation *v, const int *place, events *e) {
  int ng = pl_model_ngroup(v->m);
  *e = (events){.v = v, .place = place, .n = v->n};
  PL_TRY(open_motion(e));
  e->first = pl_alloc(v->env, (size_t)ng, sizeof(int));
  if (!e->first) return PL_E_NOMEM;
  for (int g = 0; g < ng; g++) {
    e->first[g] = e->nslide;
    if (pl_model_group_kind(v->m, g)->slider.d) e->nslide += pl_model_group_size(v->m, g);
  }
  e->slide = pl_alloc(v->env, (size_t)e->nslide, sizeof *e->slide);
  if (!e->slide) return PL_E_NOMEM;
  PL_TRY(pair_open(v->env, PL_NDOF_MAX, 2 * e->hb.f.H, e->hb.f.N, &e->scratch));
  // one after the other: all share the list of events
  pl_threads *threads = v->w->threads;
  v->w->threads = NULL;
  pl_status s = pl_model_each_element(v->m, v->p, v->w, find_events, e);
  v->w->threads = threads;
  PL_TRY(s);
  PL_TRY(e->status);
  note(e, 0);
  PL_TRY(e->status);
  qsort(e->at, (size_t)e->nbreak, sizeof *e->at, by_phase);
  count_sliders(e);
  return PL_OK;
}

void events_close(events *e) {
  if (!e->v) return;
  pl_env *env = e->v->env;
  for (int j = 0; e->slide && j < e->nslide; j++) pair_close(env, &e->slide[j].x);
  pair_close(env, &e->scratch);
  pl_free(env, e->first);
  pl_free(env, e->slide);
  pl_free(env, e->at);
  fourier_free(env, &e->hb.f);
  pl_free(env, e->hb.drive_q);
}

static const span *span_at(const pair *x, double phase) {
  for (int i = 0; i < x->nspan; i++) {
    const span *s = &x->span[i];
    if ((phase >= s->from && phase <= s->to) ||
        (phase + 2 * PL_PI >= s->from && phase + 2 * PL_PI <= s->to))
      return s;
  }
  return &x->span[0];
}

int slide_at(const slide *s, double phase, double *H, double *pull) {
  const pair *x = &s->x;
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], rest[PL_NREST_MAX], W, f[PL_NDOF_MAX], d;
  const span *at = span_at(x, phase);
  pair_motion(x, phase, q, v);
  pair_rest(x, at, q, rest);
  if (pl_elem_eval(x->kind, q, x->par, rest, &W, f, H) || x->kind->stretch(q, rest, &d, pull))
    return 1;
  for (int a = 0; a < x->ndof; a++) pull[a] *= s->used && !at->slip ? x->par[0] : 0;
  return 0;
}

static int slip_ends(const slide *s, double phase) {
  int ends = 0;
  for (int i = 0; s->used && i < s->x.nspan; i++) {
    double next = s->x.span[(i + 1) % s->x.nspan].from;
    ends |= s->x.span[i].slip && fmod(next, 2 * PL_PI) == phase;
  }
  return ends;
}

void events_reset(const events *e, double phase, int ncol, int across, int down, double *y) {
  for (int j = 0; j < e->nslide; j++) {
    const slide *s = &e->slide[j];
    double q[PL_NDOF_MAX], v[PL_NDOF_MAX], normal[PL_NDOF_MAX], d;
    if (!slip_ends(s, phase)) continue;
    pair_motion(&s->x, phase, q, v);
    s->x.kind->stretch(q, s->x.rest, &d, normal);
    for (int col = 0; col < ncol; col++) {
      double *c = y + (size_t)col * (size_t)across, sum = 0;
      for (int a = 0; a < s->x.ndof; a++)
        if (s->row[a] >= 0) sum += normal[a] * c[s->row[a] * down];
      c[s->at * down] = sum;
    }
  }
}
