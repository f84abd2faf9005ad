// What becomes of a free body that touches nothing when a motion ends: its flight as a rigid body
// to the next obstacle.
#include "run_transient.h"

#include "pliant/math.h"

#include <math.h>

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
  return 1;
}

static double spin_rate(const pl_flight *k) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += pow(k->spin[i] / k->inertia[i], 2);
  return sqrt(sum);
}

static pl_status follow(job *j, const pl_contact *c, double h, pl_state *x, landing *l) {
  const pl_scene *sc = j->scene;
  double down = pl_norm3(l->start.gravity), speed = pl_norm3(l->start.momentum) / l->start.mass;
  // short steps of elements would not lead to the ground
  if (down > 0) h = fmax(h, speed / down / RISING);
  l->end = l->start;
  for (int i = 0; i < STEPS && !l->meets; i++) {
    double t = l->end.t, d[3];
    PL_TRY(
        pl_flight_to_contact(sc->model, sc->params, c, j->work, &l->end, h, t + h, x, &l->meets));
    l->angle += spin_rate(&l->end) * (l->end.t - t);
    pl_sub3(l->end.centre, l->start.centre, d);
    if (down > 0) l->apex = fmax(l->apex, -pl_dot3(d, l->start.gravity) / down);
  }
  return PL_OK;
}

static json_t *vector(const double *x) {
  return json_pack("[f, f, f]", x[0], x[1], x[2]);
}

static void report(job *j, const pl_analysis *a, const landing *l, const pl_flight_loss *lost,
                   json_t *figures) {
  const pl_flight *s = &l->start, *e = &l->end;
  double v[3], d[3], down = pl_norm3(s->gravity), along = 0;
  for (int c = 0; c < 3; c++) v[c] = s->momentum[c] / s->mass;
  pl_sub3(e->centre, s->centre, d);
  for (int c = 0; c < 3 && down > 0; c++) along += d[c] * s->gravity[c] / down;
  double far = sqrt(fmax(0, pl_dot3(d, d) - along * along));
  json_t *f = json_object();
  job_set(f, "velocity_m_s", vector(v));
  job_set(f, "centre_m", vector(s->centre));
  job_set(f, "turning_rad_s", json_real(spin_rate(s)));
  job_set(f, "motion_J", json_real(lost->motion));
  job_set(f, "vibration_J", json_real(lost->vibration));
  job_set(f, "elastic_J", json_real(lost->elastic));
  job_set(f, "rise_m", json_real(l->apex));
  job_set(f, "lands", json_boolean(l->meets));
  job_set(f, "time_s", json_real(e->t - s->t));
  job_set(f, "distance_m", json_real(far));
  job_set(f, "angle_rad", json_real(l->angle));
  job_set(f, "landing_centre_m", vector(e->centre));
  job_set(figures, "flight", f);
  job_note(j,
           "%s: off the ground at %.4g m/s, turning at %.4g rad/s; as a rigid body it rises by "
           "%.4g mm more%s",
           a->name, pl_norm3(v), spin_rate(s), 1e3 * l->apex, l->meets ? "" : " and does not land");
  if (l->meets)
    job_note(j, "%s: it lands after %.4g s, %.4g mm away, having turned by %.4g rad (%.3g turns)",
             a->name, e->t - s->t, 1e3 * far, l->angle, l->angle / (2 * PL_PI));
}

pl_status job_flight_report(job *j, const pl_analysis *a, const pl_contact *c, const pl_state *s,
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
  if (st == PL_OK) st = follow(j, c, h, x, &l);
  if (st == PL_OK) report(j, a, &l, &lost, figures);
  pl_state_free(sc->model, x);
  // points and straight chains do not fly as bodies that turn
  return st == PL_DOMAIN ? PL_OK : st;
}
