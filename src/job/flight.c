// What becomes of free bodies that touch nothing when a motion ends: their flight as rigid bodies
// to the next obstacle.
#include "run_transient.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 20000, RISING = 2000 }; // of the flight, and of its way up, at most
static const double SLACK = 1e-9;

typedef struct landing {
  pl_flight start, end;
  double apex, angle; // m, of the centre above where it began; rad that it turned in all
  int meets;
} landing;

// Everything is free, in space and off the obstacles.
static int is_flying(const pl_model *m, const pl_contact *c) {
  if (!c || c->nobstacle == 0 || pl_model_dim(m) != 3 || pl_model_nfree(m) != pl_model_nq(m) ||
      pl_model_nq(m) != 3 * pl_model_nnode(m))
    return 0;
  for (int i = 0; i < c->npair; i++)
    if (c->pair[i].status != PL_OPEN) return 0;
  return c->npress == 0;
}

static double spin_rate(const pl_flight *k) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += pow(k->spin[i] / k->inertia[i], 2);
  return sqrt(sum);
}

static pl_status follow(job *j, pl_contact *c, const char *in, double h, pl_state *x, landing *l) {
  const pl_scene *sc = j->scene;
  double down = pl_norm3(l->start.gravity), speed = pl_norm3(l->start.momentum) / l->start.mass;
  // short steps of elements would not lead to the ground
  if (down > 0) h = fmax(h, speed / down / RISING);
  l->end = l->start;
  for (int i = 0; i < STEPS && !l->meets; i++) {
    double t = l->end.t, d[3];
    PL_TRY(pl_flight_to_contact(sc->model, sc->params, c, j->work, in, &l->end, h, t + h, x,
                                &l->meets));
    l->angle += spin_rate(&l->end) * (l->end.t - t);
    pl_sub3(l->end.centre, l->start.centre, d);
    if (down > 0) l->apex = fmax(l->apex, -pl_dot3(d, l->start.gravity) / down);
  }
  return PL_OK;
}

static json_t *vector(const double *x) {
  return json_pack("[f, f, f]", x[0], x[1], x[2]);
}

// m, across gravity from where it began
static double sideways(const landing *l) {
  double d[3], down = pl_norm3(l->start.gravity), along = 0;
  pl_sub3(l->end.centre, l->start.centre, d);
  for (int c = 0; c < 3 && down > 0; c++) along += d[c] * l->start.gravity[c] / down;
  return sqrt(fmax(0, pl_dot3(d, d) - along * along));
}

// lost NULL: not known
static json_t *flight_figures(const landing *l, const pl_flight_loss *lost) {
  const pl_flight *s = &l->start, *e = &l->end;
  double v[3];
  for (int c = 0; c < 3; c++) v[c] = s->momentum[c] / s->mass;
  json_t *f = json_object();
  job_set(f, "velocity_m_s", vector(v));
  job_set(f, "centre_m", vector(s->centre));
  job_set(f, "turning_rad_s", json_real(spin_rate(s)));
  if (lost) job_set(f, "motion_J", json_real(lost->motion));
  if (lost) job_set(f, "vibration_J", json_real(lost->vibration));
  if (lost) job_set(f, "elastic_J", json_real(lost->elastic));
  job_set(f, "rise_m", json_real(l->apex));
  job_set(f, "lands", json_boolean(l->meets));
  job_set(f, "time_s", json_real(e->t - s->t));
  job_set(f, "distance_m", json_real(sideways(l)));
  job_set(f, "angle_rad", json_real(l->angle));
  job_set(f, "landing_centre_m", vector(e->centre));
  return f;
}

static void emit(job *j, const char *who, const landing *l) {
  const pl_flight *s = &l->start, *e = &l->end;
  if (l->meets && !(e->t > s->t)) {
    job_note(j, "%s: is about to touch, at %.4g m/s", who, pl_norm3(s->momentum) / s->mass);
    return;
  }
  job_note(j,
           "%s: off the ground at %.4g m/s, turning at %.4g rad/s; as a rigid body it rises by "
           "%.4g mm more%s",
           who, pl_norm3(s->momentum) / s->mass, spin_rate(s), 1e3 * l->apex,
           l->meets ? "" : " and does not land");
  if (l->meets)
    job_note(j, "%s: it lands after %.4g s, %.4g mm away, having turned by %.4g rad (%.3g turns)",
             who, e->t - s->t, 1e3 * sideways(l), l->angle, l->angle / (2 * PL_PI));
}

pl_status job_flight_report(job *j, const pl_analysis *a, pl_contact *c, const pl_state *s,
                            double h, json_t *figures) {
  const pl_scene *sc = j->scene;
  landing l = {0};
  pl_flight_loss lost;
  pl_sound *bodies = NULL;
  pl_state *x = NULL;
  if (!is_flying(sc->model, c) || !(h > SLACK * fmax(s->t, SLACK))) return PL_OK;
  PL_TRY(pl_sound_create(sc->model, sc->params, j->work, &bodies));
  int one = bodies->nbody == 1 && bodies->mass[0] > 0;
  pl_sound_free(bodies);
  // several bodies do not fly as one
  if (!one) return PL_OK;
  pl_status st = pl_state_create(sc->model, sc->params, &x);
  if (st == PL_OK) st = pl_flight_begin(sc->model, sc->params, s, j->work, &l.start, &lost);
  if (st == PL_OK) st = follow(j, c, NULL, h, x, &l);
  if (st == PL_OK) job_set(figures, "flight", flight_figures(&l, &lost));
  if (st == PL_OK) emit(j, a->name, &l);
  pl_state_free(sc->model, x);
  // points and straight chains do not fly as bodies that turn
  return st == PL_DOMAIN ? PL_OK : st;
}

// ---- one body of several ------------------------------------------------------------------------

// A solid that nothing holds, with nodes of its own: in[nnode].
static int mark_body(const pl_scene *sc, const pl_sound *parts, const pl_scene_body *b, char *in) {
  const int *index = pl_model_free_index(sc->model);
  int solid = strcmp(b->kind, "solid") == 0 || strcmp(b->kind, "rigid") == 0, n = 0;
  memset(in, 0, (size_t)parts->nnode);
  if (!solid || b->npiece != 1 || b->n == 0) return 0;
  int part = parts->body[b->node[0]];
  for (int i = 0; i < b->n; i++) in[b->node[i]] = 1;
  for (int i = 0; i < parts->nnode; i++) n += parts->body[i] == part && !in[i];
  for (int i = 0; i < 3 * b->n; i++) n += index[3 * b->node[i / 3] + i % 3] < 0;
  return n == 0;
}

static int in_contact(const pl_contact *c, const char *in) {
  for (int i = 0; c && i < c->npair; i++)
    if (in[c->pair[i].node] && c->pair[i].status != PL_OPEN) return 1;
  // which of the bodies press on each other is not kept
  return c && c->bodies_stick + c->bodies_slip > 0;
}

static pl_status report_body(job *j, const pl_analysis *a, const pl_scene_body *b, pl_contact *c,
                             const char *in, const pl_state *s, double h, pl_state *x,
                             json_t *all) {
  const pl_scene *sc = j->scene;
  landing l = {0};
  double v[3], omega[3];
  char who[PL_TEXT];
  pl_status st = pl_flight_begin_part(sc->model, sc->params, s, j->work, in, &l.start);
  if (st != PL_OK) return st == PL_DOMAIN ? PL_OK : st;
  for (int k = 0; k < 3; k++) v[k] = l.start.momentum[k] / l.start.mass;
  pl_flight_omega(&l.start, omega);
  json_t *f = json_object();
  job_set(f, "mass_kg", json_real(l.start.mass));
  job_set(f, "centre_m", vector(l.start.centre));
  job_set(f, "velocity_m_s", vector(v));
  job_set(f, "turning_rad_s", vector(omega));
  job_set(all, b->name, f);
  if (!c || c->nobstacle == 0 || in_contact(c, in) || !(h > SLACK * fmax(s->t, SLACK)))
    return PL_OK;
  PL_TRY(follow(j, c, in, h, x, &l));
  job_set(f, "flight", flight_figures(&l, NULL));
  snprintf(who, sizeof who, "%.60s: %.60s", a->name, b->name);
  emit(j, who, &l);
  return PL_OK;
}

pl_status job_bodies_report(job *j, const pl_analysis *a, pl_contact *c, const pl_state *s,
                            double h, json_t *figures) {
  const pl_scene *sc = j->scene;
  pl_sound *parts = NULL;
  pl_state *x = NULL;
  json_t *all = json_object();
  if (sc->nbody < 2 || pl_model_dim(sc->model) != 3) {
    json_decref(all);
    return PL_OK;
  }
  char *in = pl_alloc(j->env, (size_t)pl_model_nnode(sc->model) + 1, 1);
  pl_status st = in ? pl_sound_create(sc->model, sc->params, j->work, &parts) : PL_E_NOMEM;
  if (st == PL_OK) st = pl_state_create(sc->model, sc->params, &x);
  for (int k = 0; st == PL_OK && k < sc->nbody; k++) {
    if (!mark_body(sc, parts, &sc->body[k], in)) continue;
    pl_state_copy(x, s);
    st = report_body(j, a, &sc->body[k], c, in, s, h, x, all);
  }
  if (json_object_size(all) > 0)
    job_set(figures, "bodies", all);
  else
    json_decref(all);
  pl_state_free(sc->model, x);
  pl_sound_free(parts);
  pl_free(j->env, in);
  return st;
}
