// Impacts of a motion: where and how fast bodies met obstacles, whether steps resolved it, and what
// came back.
#include "run_transient.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SLOW = 1e-6;    // of the speed of sound: approaches that are no impact
static const double COARSE = 0.2;   // step over the time of sound: the law decides, not the body
static const double THROUGH = 2;    // times sound goes through a body: what meets then is the same
static const double SOFTEST = 0.01; // of approaches: slower ones are not warned of

// The log: rows of meetings and of partings, so that a run that goes on later has what it needs.
enum {
  WHAT, // 0: meets, 1: parts
  TIME,
  OBSTACLE, // from 1 on
  BODY,     // by its first node
  PLACE_X,
  PLACE_Y,
  PLACE_Z,
  NORMAL_X,
  NORMAL_Y,
  NORMAL_Z,
  SPEED, // m/s; of the fastest node towards the obstacle
  MEAN,  // m/s; of the body along the normal from the obstacle, before meeting and after parting
  SOUND, // s; that it takes through the body, 0: not known
  STEP,  // s
  LOGGED // columns
};

void impacts_close(impacts *k) {
  if (!k->j) return;
  pl_free(k->j->env, k->met);
  pl_free(k->j->env, k->face);
  pl_free(k->j->env, k->v);
  pl_sound_free(k->sound);
  pl_table_free(k->log);
}

// whose row i of those that press is
static impact_face face_of(const impacts *k, int i) {
  const pl_contact_row *r = &k->contact->press[i];
  return (impact_face){r->tag[0], k->sound->body[r->vert[0]]};
}

// faces or edges of the body touched the obstacle at the last step
static int has_face(const impacts *k, impact_face f) {
  for (int i = 0; i < k->nface; i++)
    if (k->face[i].obstacle == f.obstacle && k->face[i].body == f.body) return 1;
  return 0;
}

void impacts_start(impacts *k, const pl_state *s) {
  if (!k->j) return;
  memcpy(k->v, s->v, (size_t)s->nq * sizeof *k->v);
  for (int i = 0; i < k->contact->npair; i++) k->met[i] = k->contact->pair[i].status != PL_OPEN;
  k->nface = 0;
  for (int i = 0; i < k->contact->npress && k->status == PL_OK; i++) {
    impact_face now = face_of(k, i);
    if (has_face(k, now)) continue;
    k->status = pl_grow(k->j->env, &k->face, k->nface, &k->capface, sizeof *k->face);
    if (k->status == PL_OK) k->face[k->nface++] = now;
  }
}

static const double *row_of(const pl_table *t, int i) {
  return pl_table_data(t) + (size_t)i * LOGGED;
}

// the last row of a body and an obstacle; NULL: none
static const double *last_row(const impacts *k, int body, int obstacle) {
  for (int i = pl_table_rows(k->log); i-- > 0;) {
    const double *r = row_of(k->log, i);
    if ((int)r[BODY] == body && (int)r[OBSTACLE] == obstacle + 1) return r;
  }
  return NULL;
}

static double mean_along(const impacts *k, int body, int obstacle, const double *v,
                         const double *n) {
  const job *j = k->j;
  int nq = pl_model_nq(j->scene->model), dim = k->contact->dim;
  double *mv = k->v + nq, mean[3] = {0};
  pl_mass_mul(j->scene->params, v, j->work, mv);
  pl_sound_mean(k->sound, body, mv, mean);
  for (int c = 0; c < dim; c++) mean[c] -= k->contact->obstacle[obstacle].velocity[c];
  return pl_dot(dim, mean, n);
}

// the pair that met fastest among those of its body and obstacle in this step; -1: not this one
static int is_fastest(const impacts *k, int i, double *speed) {
  const pl_contact *c = k->contact;
  int best = -1, body = k->sound->body[c->pair[i].node];
  *speed = 0;
  for (int o = 0; o < c->npair; o++) {
    const pl_contact_pair *a = &c->pair[o];
    if (a->obstacle != c->pair[i].obstacle || k->sound->body[a->node] != body) continue;
    if (k->met[o] || a->status == PL_OPEN) continue;
    double fast = 0;
    for (int x = 0; x < c->dim; x++)
      fast -= a->place.frame[0][x] *
              (k->v[a->node * c->dim + x] - c->obstacle[a->obstacle].velocity[x]);
    if (best >= 0 && fast <= *speed) continue;
    best = o;
    *speed = fast;
  }
  return best == i;
}

// what meets an obstacle: a node, or a place of a face or an edge
typedef struct meeting {
  int body, obstacle;
  double x[3], n[3], speed;
} meeting;

static pl_status add_meeting(impacts *k, const meeting *a, const pl_state *s, double h) {
  double time = pl_sound_time(k->sound, a->body, s->q, a->n);
  if (!(a->speed > SLOW * pl_sound_speed(k->sound, a->body, a->n))) return PL_OK;
  const double *old = last_row(k, a->body, a->obstacle);
  if (old && old[WHAT] == 0 && s->t <= old[TIME] + THROUGH * old[SOUND]) return PL_OK;
  double row[LOGGED] = {[TIME] = s->t,
                        [OBSTACLE] = a->obstacle + 1,
                        [BODY] = a->body,
                        [SPEED] = a->speed,
                        [SOUND] = time,
                        [STEP] = h,
                        [MEAN] = mean_along(k, a->body, a->obstacle, k->v, a->n)};
  memcpy(row + PLACE_X, a->x, (size_t)k->contact->dim * sizeof *row);
  memcpy(row + NORMAL_X, a->n, (size_t)k->contact->dim * sizeof *row);
  return pl_table_row(k->log, row);
}

static meeting of_pair(const impacts *k, int i, const pl_state *s, double speed) {
  const pl_contact *c = k->contact;
  const pl_contact_pair *a = &c->pair[i];
  meeting m = {.body = k->sound->body[a->node], .obstacle = a->obstacle, .speed = speed};
  memcpy(m.x, s->q + a->node * c->dim, (size_t)c->dim * sizeof *m.x);
  memcpy(m.n, a->place.frame[0], sizeof m.n);
  return m;
}

static meeting of_face(const impacts *k, int i, const pl_state *s) {
  const pl_contact *c = k->contact;
  const pl_contact_row *r = &c->press[i];
  impact_face f = face_of(k, i);
  meeting m = {.body = f.body, .obstacle = f.obstacle};
  double v[3];
  pl_contact_row_point(r, c->dim, s->q, m.x);
  pl_contact_row_point(r, c->dim, k->v, v);
  memcpy(m.n, r->frame[0], sizeof m.n);
  for (int x = 0; x < c->dim; x++) m.speed -= m.n[x] * (v[x] - c->obstacle[f.obstacle].velocity[x]);
  return m;
}

// nodes of the body touched the obstacle at the last step
static int has_node(const impacts *k, impact_face f) {
  const pl_contact *c = k->contact;
  for (int i = 0; i < c->npair; i++)
    if (k->met[i] && c->pair[i].obstacle == f.obstacle && k->sound->body[c->pair[i].node] == f.body)
      return 1;
  return 0;
}

static int in_contact(const impacts *k, impact_face f) {
  const pl_contact *c = k->contact;
  for (int o = 0; o < c->npair; o++)
    if (c->pair[o].obstacle == f.obstacle && k->sound->body[c->pair[o].node] == f.body &&
        c->pair[o].status != PL_OPEN)
      return 1;
  for (int i = 0; i < c->npress; i++) {
    impact_face now = face_of(k, i);
    if (now.obstacle == f.obstacle && now.body == f.body) return 1;
  }
  return 0;
}

// a body that met an obstacle and touches it no more
static pl_status add_parting(impacts *k, impact_face f, const pl_state *s) {
  if (in_contact(k, f)) return PL_OK;
  const double *old = last_row(k, f.body, f.obstacle);
  if (!old || old[WHAT] == 1) return PL_OK;
  double row[LOGGED];
  memcpy(row, old, sizeof row);
  row[WHAT] = 1;
  row[TIME] = s->t;
  row[MEAN] = mean_along(k, f.body, f.obstacle, s->v, row + NORMAL_X);
  return pl_table_row(k->log, row);
}

// the fastest of the faces and edges of each body that touched nothing of an obstacle before
static pl_status add_faces(impacts *k, const pl_state *s, double h) {
  for (int i = 0; i < k->contact->npress; i++) {
    impact_face f = face_of(k, i);
    if (has_face(k, f) || has_node(k, f)) continue;
    meeting best = of_face(k, i, s);
    for (int o = 0; o < k->contact->npress; o++) {
      meeting other = of_face(k, o, s);
      if (other.obstacle != f.obstacle || other.body != f.body) continue;
      if (other.speed > best.speed) best = other;
    }
    PL_TRY(add_meeting(k, &best, s, h));
  }
  return PL_OK;
}

static pl_status add_rows(impacts *k, const pl_state *s, double h) {
  const pl_contact *c = k->contact;
  double speed;
  for (int i = 0; i < c->npair; i++) {
    int now = c->pair[i].status != PL_OPEN;
    if (now && !k->met[i] && is_fastest(k, i, &speed)) {
      meeting m = of_pair(k, i, s, speed);
      PL_TRY(add_meeting(k, &m, s, h));
    }
    impact_face f = {c->pair[i].obstacle, k->sound->body[c->pair[i].node]};
    if (!now && k->met[i]) PL_TRY(add_parting(k, f, s));
  }
  PL_TRY(add_faces(k, s, h));
  for (int i = 0; i < k->nface; i++) PL_TRY(add_parting(k, k->face[i], s));
  return PL_OK;
}

static void on_part(void *ctx, const pl_state *s, double h) {
  impacts *k = ctx;
  if (k->status == PL_OK) k->status = add_rows(k, s, h);
  impacts_start(k, s);
}

pl_status impacts_open(job *j, pl_contact *contact, impacts *k) {
  const pl_model *m = j->scene->model;
  if (!contact) return PL_OK;
  *k = (impacts){.j = j, .contact = contact};
  k->met = pl_alloc(j->env, (size_t)contact->npair, sizeof *k->met);
  k->v = pl_alloc(j->env, 2 * (size_t)pl_model_nq(m), sizeof *k->v);
  if (!k->met || !k->v) return PL_E_NOMEM;
  PL_TRY(pl_sound_create(m, j->scene->params, j->work, &k->sound));
  PL_TRY(pl_table_create(j->env, LOGGED, &k->log));
  for (int c = 0; c < LOGGED; c++) PL_TRY(pl_table_column(k->log, c, "", ""));
  contact->ctx = k;
  contact->accepted = on_part;
  return PL_OK;
}

// ---- what is told -------------------------------------------------------------------------------

// The parting that ends a meeting, or NULL
static const double *parting(const impacts *k, int i) {
  const double *r = row_of(k->log, i);
  for (int o = i + 1; o < pl_table_rows(k->log); o++) {
    const double *p = row_of(k->log, o);
    if (p[BODY] == r[BODY] && p[OBSTACLE] == r[OBSTACLE]) return p[WHAT] == 1 ? p : NULL;
  }
  return NULL;
}

static double ratio(double a, double b) {
  return b > 0 ? a / b : NAN;
}

static pl_status make_table(const impacts *k, pl_table **out) {
  static const table_column column[] = {{"time", "s"},    {"obstacle", ""},   {"x", "m"},
                                        {"y", "m"},       {"z", "m"},         {"speed", "m/s"},
                                        {"hc_L", ""},     {"beta", ""},       {"restitution", ""},
                                        {"parting", "s"}, {"approach", "m/s"}};
  enum { N = sizeof column / sizeof column[0] };
  double damping = k->j->scene->params->par[PL_PAR_BETA];
  PL_TRY(job_table_open(k->j, N, column, out));
  for (int i = 0; i < pl_table_rows(k->log); i++) {
    const double *r = row_of(k->log, i), *p = parting(k, i);
    if (r[WHAT] == 1) continue;
    double back = p && r[MEAN] < 0 ? -p[MEAN] / r[MEAN] : NAN;
    const double row[N] = {r[TIME],
                           r[OBSTACLE],
                           r[PLACE_X],
                           r[PLACE_Y],
                           r[PLACE_Z],
                           r[SPEED],
                           ratio(r[STEP], r[SOUND]),
                           ratio(damping, r[SOUND]),
                           back,
                           p ? p[TIME] : NAN,
                           -r[MEAN]};
    PL_TRY(pl_table_row(*out, row));
  }
  return PL_OK;
}

// The worst of the impacts that count: by how much steps are too long for it; 0: none is.
static double worst_step(const impacts *k, double *damping) {
  double fastest = 0, worst = 0;
  for (int i = 0; i < pl_table_rows(k->log); i++) fastest = fmax(fastest, row_of(k->log, i)[SPEED]);
  for (int i = 0; i < pl_table_rows(k->log); i++) {
    const double *r = row_of(k->log, i);
    double part = r[SOUND] > 0 ? r[STEP] / r[SOUND] : 0;
    if (r[WHAT] == 1 || r[SPEED] < SOFTEST * fastest || part <= worst) continue;
    if (k->sound->rigid[(int)r[BODY]]) continue;
    worst = part;
    *damping = k->j->scene->params->par[PL_PAR_BETA] / r[SOUND];
  }
  return worst;
}

static void warn_coarse(const impacts *k, const pl_analysis *a, const char *law) {
  double damping = 0, worst = worst_step(k, &damping);
  if (!(worst > COARSE)) return;
  pl_report(k->j->env, PL_WARNING, k->j->scene->path, a->line, a->col,
            "let steps resolve impacts, e.g. impact_step: 0.05, or give a restitution that was "
            "measured: impact: moreau",
            "%s: steps take %.3g times as long as sound through the body that meets an obstacle: "
            "what comes back is decided by the law for impacts (%s), not by the material "
            "(damping b c/L = %.3g)",
            a->name, worst, law, damping);
}

pl_status impacts_report(const impacts *k, const pl_analysis *a, const char *law, json_t *figures) {
  pl_table *t = NULL;
  double damping;
  if (!k->j || pl_table_rows(k->log) == 0) return PL_OK;
  pl_status s = make_table(k, &t);
  if (s == PL_OK) {
    int n = pl_table_rows(t);
    char name[PL_TEXT];
    json_t *f =
        json_pack("{s:i, s:s, s:f}", "count", n, "law", law, "hc_L_most", worst_step(k, &damping));
    job_set(figures, "impacts", f);
    job_note(k->j, "%s: %d %s, the first at %.6g s", a->name, n, pl_plural(n, "impact", "impacts"),
             pl_table_data(t)[0]);
    // impacts of the other methods are plastic by design
    if (a->kind == PL_ANALYSIS_jump || a->opts.transient_.method == PL_NEWMARK)
      warn_coarse(k, a, law);
    snprintf(name, sizeof name, "%.100s-impacts", a->name);
    s = job_table(k->j, t, name, ".csv");
  }
  pl_table_free(t);
  return s;
}
