// jump: one free body from launch through flight and landings to rest, and what it comes to.
#include "run_transient.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double UPRIGHT = PL_PI / 12; // rad; leaning less, it stands as it stood
static const double LEFT_BEHIND = 0.05;   // of the kinetic energy, at hand-overs: is warned of
enum { LAUNCH = 1, AIR, FLIGHT, LANDING };
static const char *const stage_name[] = {"", "launch", "air", "flight", "landing"};

// columns of the table after those of all motions
enum { STAGE = MOTION_COLUMNS, CENTRE, VELOCITY = CENTRE + 3, ROT = VELOCITY + 3 };
enum { ANGLE = ROT + 3, COLUMNS };
// and of the stages
enum { BEGIN, WHICH, MOTION, VIBRATION, ELASTIC, STAGE_COLUMNS };

int jump_columns(const table_column **own) {
  static const table_column all[COLUMNS] = {
      {"time", "s"},         {"kinetic", "J"},    {"elastic", "J"},      {"potential", "J"},
      {"total", "J"},        {"dissipated", "J"}, {"stage", ""},         {"centre_x", "m"},
      {"centre_y", "m"},     {"centre_z", "m"},   {"velocity_x", "m/s"}, {"velocity_y", "m/s"},
      {"velocity_z", "m/s"}, {"turn_x", "rad"},   {"turn_y", "rad"},     {"turn_z", "rad"},
      {"angle", "rad"}};
  *own = all;
  return COLUMNS;
}

// forces besides gravity at the start
static pl_status find_loads(const job *j, int *any) {
  const pl_scene *sc = j->scene;
  int nq = pl_model_nq(sc->model);
  double *f = pl_alloc(j->env, (size_t)nq, sizeof *f);
  if (!f) return PL_E_NOMEM;
  pl_load(sc->model, sc->params, &(pl_clock){.scale = 1, .timed = 1}, f);
  *any = pl_max_abs(nq, f) > 0;
  pl_free(j->env, f);
  return PL_OK;
}

// Is there one free body of solids?
static pl_status check_body(job *j, const pl_analysis *a) {
  const pl_scene *sc = j->scene;
  pl_sound *bodies = NULL;
  int n = 0, loads;
  if (pl_model_nq(sc->model) != 3 * pl_model_nnode(sc->model))
    return pl_fail_at(j->env, PL_E_INPUT, sc->path, a->line, a->col, "use solids, or a transient",
                      "%s: jumps are of solids, the model has unknowns besides the places of its "
                      "nodes (shells, rods, joins, pressures)",
                      a->name);
  PL_TRY(pl_sound_create(sc->model, sc->params, j->work, &bodies));
  for (int b = 0; b < bodies->nbody; b++) n += bodies->mass[b] > 0;
  pl_sound_free(bodies);
  if (n != 1)
    return pl_fail_at(j->env, PL_E_INPUT, sc->path, a->line, a->col,
                      n ? "one body to a jump; join parts that belong together, or use a transient"
                        : "give the body a density",
                      "%s: the scene has %d free bodies with mass", a->name, n);
  if (sc->params->par[PL_PAR_ALPHA] > 0)
    pl_report(
        j->env, PL_WARNING, sc->path, a->line, a->col, "use stiffness damping alone",
        "%s: damping by mass slows the fall of elements, and not the flight of the rigid body",
        a->name);
  PL_TRY(find_loads(j, &loads));
  if (loads)
    pl_report(j->env, PL_WARNING, sc->path, a->line, a->col,
              "switch them off where it is let go, e.g. change: {push: off}",
              "%s: loads besides gravity act: finite elements go all the way", a->name);
  return PL_OK;
}

// ---- on the way ---------------------------------------------------------------------------------

pl_status jump_table_open(motion *r) {
  PL_TRY(pl_table_create(r->j->env, STAGE_COLUMNS, &r->hands));
  for (int c = 0; c < STAGE_COLUMNS; c++) PL_TRY(pl_table_column(r->hands, c, "", ""));
  return PL_OK;
}

static int stage_of(const pl_jump_state *k) {
  if (k->stage == PL_JUMP_RIGID) return FLIGHT;
  if (k->stage == PL_JUMP_AIR) return AIR;
  return k->nflight > 0 ? LANDING : LAUNCH;
}

static void fill_row(const pl_flight *f, const double *rot, int stage, double *row) {
  row[STAGE] = stage;
  for (int c = 0; c < 3; c++) {
    row[CENTRE + c] = f->centre[c];
    row[VELOCITY + c] = f->momentum[c] / f->mass;
    row[ROT + c] = rot[c];
  }
}

pl_status jump_start(motion *r, const pl_state *s, double *row) {
  const pl_scene *sc = r->j->scene;
  static const double none[3] = {0};
  pl_flight f;
  pl_status st = pl_flight_begin(sc->model, sc->params, s, r->j->work, &f, NULL);
  // bodies that cannot turn are refused where steps begin
  if (st == PL_DOMAIN) return PL_OK;
  PL_TRY(st);
  fill_row(&f, none, LAUNCH, row);
  row[ANGLE] = 0;
  return pl_table_row(r->hands, (double[STAGE_COLUMNS]){[BEGIN] = s->t, [WHICH] = LAUNCH});
}

// By the balance of the energies, as the work of damping is known at the ends of steps alone.
double jump_lost(const pl_history *h) {
  const pl_jump_state *k = &h->jump;
  return k->energy + h->ledger.made + h->ledger.obstacles - k->now[0] - k->now[2];
}

pl_status jump_step(motion *r, const pl_history *h, double *row) {
  const pl_jump_state *k = &h->jump;
  int n = pl_table_rows(r->hands), stage = stage_of(k);
  double axis[3];
  fill_row(&k->body, k->rot, stage, row);
  pl_jump_axis(k, axis);
  row[ANGLE] = pl_dot3(k->rot, axis);
  int last = n > 0 ? (int)pl_table_data(r->hands)[(size_t)(n - 1) * STAGE_COLUMNS + WHICH] : 0;
  if (stage == last) return PL_OK;
  double add[STAGE_COLUMNS] = {[BEGIN] = k->body.t, [WHICH] = stage};
  if (stage == FLIGHT) {
    add[MOTION] = k->loss.motion;
    add[VIBRATION] = k->loss.vibration;
    add[ELASTIC] = k->loss.elastic;
  }
  return pl_table_row(r->hands, add);
}

// ---- what it came to ----------------------------------------------------------------------------

typedef struct outcome {
  const pl_jump_state *k;
  const pl_transient_info *info;
  double axis[3], angle, landing_angle; // rad; about the axis
  double distance, landing_distance;    // m; sideways from the start
  char face[3], face_start[3];
  double up[3];      // what points up, in the axes of the body
  double lean, tilt; // rad; of the face from up; from how it stood
  double damping;    // J; what is lost and not by contact or at hand-overs
} outcome;

// between -pi and pi
static double wrap(double angle) {
  return remainder(angle, 2 * PL_PI);
}

static double sideways(const pl_jump_state *k, const pl_flight *f) {
  double d[3];
  pl_sub3(f->centre, k->start.centre, d);
  double along = pl_dot3(d, k->up);
  return sqrt(fmax(0, pl_dot3(d, d) - along * along));
}

// the direction of the body that points up
static void up_in_body(const pl_flight *f, const double *up, double *b) {
  double R[9];
  pl_flight_rotation(f, R);
  for (int c = 0; c < 3; c++) b[c] = R[c] * up[0] + R[3 + c] * up[1] + R[6 + c] * up[2];
}

// its axis nearest to that, with the angle between them
static double face_of(const double *b, char name[3]) {
  int most = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(b[c]) > fabs(b[most])) most = c;
  snprintf(name, 3, "%c%c", b[most] < 0 ? '-' : '+', "xyz"[most]);
  return acos(fmin(1, fabs(b[most])));
}

static outcome measure(const pl_history *h, const pl_transient_info *i) {
  const pl_jump_state *k = &h->jump;
  outcome o = {.k = k, .info = i};
  double *b = o.up, b0[3], cross[3];
  pl_jump_axis(k, o.axis);
  o.angle = pl_dot3(k->rot, o.axis);
  o.landing_angle = pl_dot3(k->landing_rotation, o.axis);
  o.distance = sideways(k, &k->body);
  if (k->landing.mass > 0) o.landing_distance = sideways(k, &k->landing);
  up_in_body(&k->start, k->up, b0);
  up_in_body(&k->body, k->up, b);
  face_of(b0, o.face_start);
  o.lean = face_of(b, o.face);
  pl_cross3(b0, b, cross);
  o.tilt = atan2(pl_norm3(cross), pl_dot3(b0, b));
  o.damping = jump_lost(h) - i->contact_lost - k->lost;
  return o;
}

static json_t *vector(const double *x) {
  return json_pack("[f, f, f]", x[0], x[1], x[2]);
}

static double kinetic_of(const pl_flight *f) {
  return pl_flight_energy(f) + f->mass * pl_dot3(f->gravity, f->centre);
}

// a moment of the way
static json_t *moment(const pl_flight *f) {
  double v[3], omega[3];
  json_t *m = json_object();
  for (int c = 0; c < 3; c++) v[c] = f->momentum[c] / f->mass;
  pl_flight_omega(f, omega);
  job_set(m, "time_s", json_real(f->t));
  job_set(m, "centre_m", vector(f->centre));
  job_set(m, "velocity_m_s", vector(v));
  job_set(m, "speed_m_s", json_real(pl_norm3(v)));
  job_set(m, "turning_rad_s", vector(omega));
  job_set(m, "motion_J", json_real(kinetic_of(f)));
  return m;
}

static json_t *stages(const pl_table *t, double end) {
  json_t *list = json_array();
  for (int i = 0, n = pl_table_rows(t); i < n; i++) {
    const double *x = pl_table_data(t) + (size_t)i * STAGE_COLUMNS;
    json_t *s = json_pack("{s:s, s:f, s:f}", "stage", stage_name[(int)x[WHICH]], "from_s", x[BEGIN],
                          "to_s", i + 1 < n ? x[STAGE_COLUMNS + BEGIN] : end);
    if (x[WHICH] == FLIGHT) {
      job_set(s, "motion_J", json_real(x[MOTION]));
      job_set(s, "lost_vibration_J", json_real(x[VIBRATION]));
      job_set(s, "lost_elastic_J", json_real(x[ELASTIC]));
    }
    json_array_append_new(list, s);
  }
  return list;
}

static json_t *energies(const outcome *o) {
  const pl_jump_state *k = o->k;
  json_t *e = json_object();
  job_set(e, "loaded_J", json_real(k->elastic));
  job_set(e, "launched_J", json_real(k->takeoff.mass > 0 ? kinetic_of(&k->takeoff) : 0));
  job_set(e, "contact_J", json_real(o->info->contact_lost));
  job_set(e, "damping_J", json_real(o->damping));
  job_set(e, "handover_J", json_real(k->lost));
  job_set(e, "made_J", json_real(o->info->energy_made));
  job_set(e, "start_J", json_real(k->energy));
  job_set(e, "end_J", json_real(k->now[0] + k->now[2]));
  job_set(e, "end_kinetic_J", json_real(k->now[0]));
  job_set(e, "end_elastic_J", json_real(k->now[1]));
  return e;
}

// whole turns; an eighth may be missing
static int flips_of(double angle) {
  return (int)fmin(1e9, floor(fabs(angle) / (2 * PL_PI) + 0.125));
}

static void set_figures(const motion *r, const outcome *o, json_t *figures) {
  const pl_jump_state *k = o->k;
  json_t *f = json_object();
  job_set(f, "left_ground", json_boolean(k->nflight > 0));
  job_set(f, "landed", json_boolean(k->landing.mass > 0));
  job_set(f, "at_rest", json_boolean(k->over));
  job_set(f, "rise_m", json_real(k->rise));
  job_set(f, "clearance_m", json_real(k->clearance - k->low));
  job_set(f, "top_m", json_real(k->top));
  job_set(f, "distance_m", json_real(o->distance));
  job_set(f, "angle_rad", json_real(o->angle));
  job_set(f, "angle_mod_rad", json_real(wrap(o->angle)));
  job_set(f, "axis", vector(o->axis));
  job_set(f, "flips", json_integer(flips_of(o->angle)));
  job_set(f, "face", json_string(o->face));
  job_set(f, "up", vector(o->up));
  job_set(f, "face_start", json_string(o->face_start));
  job_set(f, "face_lean_rad", json_real(o->lean));
  job_set(f, "tilt_rad", json_real(o->tilt));
  job_set(f, "upright", json_boolean(o->tilt < UPRIGHT));
  job_set(f, "flights", json_integer(k->nflight));
  job_set(f, "bounces", json_integer(k->nflight > 0 ? k->nflight - 1 : 0));
  if (k->takeoff.mass > 0) job_set(f, "takeoff", moment(&k->takeoff));
  if (k->landing.mass > 0) {
    json_t *l = moment(&k->landing);
    job_set(l, "distance_m", json_real(o->landing_distance));
    job_set(l, "angle_rad", json_real(o->landing_angle));
    job_set(l, "angle_mod_rad", json_real(wrap(o->landing_angle)));
    job_set(f, "landing", l);
  }
  job_set(f, "end", moment(&k->body));
  job_set(f, "energy", energies(o));
  job_set(f, "handovers", json_integer(k->nhand));
  job_set(f, "handover_momentum_error", json_real(k->momentum));
  job_set(f, "stages", stages(r->hands, o->info->t));
  job_set(figures, "jump", f);
}

static void warn_limit(const motion *r, const outcome *o) {
  const pl_jump_state *k = o->k;
  char hint[PL_TEXT];
  if (k->over || o->info->reason != PL_STOP_END) return;
  snprintf(hint, sizeof hint, "give it more time, e.g. duration: %.3g s", 2 * r->jump->duration);
  pl_report(r->j->env, PL_WARNING, r->j->scene->path, r->a->line, r->a->col, hint,
            "%s: at its time limit of %.4g s the body %s, with %.2g of its largest kinetic energy",
            r->a->name, r->jump->duration,
            k->stage == PL_JUMP_GROUND ? "touches the ground and is not at rest" : "still flies",
            k->most > 0 ? k->now[0] / k->most : 0);
}

// Damped parts of velocities that impacts leave behind change their sign from step to step, and a
// body that turns makes energy of them.
static void warn_stuck(const motion *r, const outcome *o) {
  double b = r->j->scene->params->par[PL_PAR_BETA];
  if (o->info->reason != PL_STOP_STEP || r->jump->impact == PL_IMPACT_NONE || b < r->jump->step)
    return;
  pl_report(
      r->j->env, PL_WARNING, r->j->scene->path, r->a->line, r->a->col,
      "impact: none leaves out what their law does to velocities; or shorter steps",
      "%s: impacts of so stiff and damped a body (stiffness damping %.3g s) are not followed in "
      "steps of %.3g s",
      r->a->name, b, r->jump->step);
}

// vibration that was waited for in vain is gone after a hand-over, and would have come back in part
static void warn_vibration(const motion *r) {
  double most = 0;
  for (int i = 0, n = pl_table_rows(r->hands); i < n; i++) {
    const double *x = pl_table_data(r->hands) + (size_t)i * STAGE_COLUMNS;
    if (x[WHICH] == FLIGHT && x[MOTION] > 0)
      most = fmax(most, (x[VIBRATION] + x[ELASTIC]) / x[MOTION]);
  }
  if (!(most > LEFT_BEHIND)) return;
  pl_report(r->j->env, PL_WARNING, r->j->scene->path, r->a->line, r->a->col,
            "wait longer, e.g. wait: 0.2 s, or rigid: no",
            "%s: a flight begins while the body vibrates: %.0f %% of its kinetic energy are left "
            "behind",
            r->a->name, 100 * most);
}

static void report(const motion *r, const outcome *o) {
  const pl_jump_state *k = o->k;
  const char *name = r->a->name;
  job *j = r->j;
  char rise[48], far[48];
  if (k->nflight == 0) {
    job_note(j, "%s: it does not leave the ground", name);
  } else {
    job_note(j, "%s: leaves the ground at %.4g s with %.4g m/s, its centre rises by %s", name,
             k->takeoff.t, pl_norm3(k->takeoff.momentum) / k->takeoff.mass,
             job_length_text(j, k->rise, rise));
    if (k->landing.mass > 0)
      job_note(j, "%s: lands at %.4g s, %s away, having turned by %.4g rad (%.3g turns); %d %s",
               name, k->landing.t, job_length_text(j, o->landing_distance, far), o->landing_angle,
               o->landing_angle / (2 * PL_PI), k->nflight - 1,
               pl_plural(k->nflight - 1, "bounce", "bounces"));
  }
  job_note(j,
           "%s: %s at %.4g s, %s from the start, turned by %.4g rad; its %s points up (%s at the "
           "start)%s",
           name, k->over ? "at rest" : "ends", o->info->t, job_length_text(j, o->distance, far),
           o->angle, o->face, o->face_start, o->tilt < UPRIGHT ? ", it stands as it stood" : "");
  if (k->nhand > 0)
    job_say(j,
            "Hand-overs between finite elements and a rigid body: %d. They lost %.3g J in all; "
            "momenta changed by %.1e of their size.",
            k->nhand, k->lost, k->momentum);
  job_say(j,
          "Energy: %.4g J at the start, %.4g J of it elastic; %.3g J lost in contact, %.3g J to "
          "damping, %.3g J at hand-overs; %.4g J at the end. The steps made %.1e J.",
          k->energy, k->elastic, o->info->contact_lost, o->damping, k->lost, k->now[0] + k->now[2],
          o->info->energy_made);
}

// ---- tables and plots ---------------------------------------------------------------------------

static pl_status stage_table(const motion *r, double end) {
  static const char *const head[] = {"stage", "from (s)", "to (s)", "left behind (J)"};
  grid g = job_grid(r->j, 4, head);
  for (int i = 0, n = pl_table_rows(r->hands); i < n; i++) {
    const double *x = pl_table_data(r->hands) + (size_t)i * STAGE_COLUMNS;
    grid_add(&g, "%s", stage_name[(int)x[WHICH]]);
    grid_add(&g, "%.6g", x[BEGIN]);
    grid_add(&g, "%.6g", i + 1 < n ? x[STAGE_COLUMNS + BEGIN] : end);
    if (x[WHICH] == FLIGHT)
      grid_add(&g, "%.3g", x[VIBRATION] + x[ELASTIC]);
    else
      grid_add(&g, "%s", "");
  }
  grid_end(&g);
  return PL_OK;
}

enum { KINDS = 4 };
// y over x, a line for every kind of stage; both columns by their values [rows]
static pl_status staged_plot(const motion *r, const double *x, const double *y, const char *suffix,
                             pl_plot *plot, const char *caption) {
  static const char *const label[KINDS] = {"launch", "off the ground", "rigid flight", "landing"};
  const pl_table *t = r->record->t.table;
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  char name[PL_TEXT];
  pl_series line[KINDS];
  double *all = pl_alloc(r->j->env, (size_t)rows * KINDS, sizeof *all);
  if (!all) return PL_E_NOMEM;
  int n = 0;
  for (int k = 0; k < KINDS; k++) {
    double *own = all + (size_t)k * (size_t)rows;
    int any = 0;
    for (int i = 0; i < rows; i++) {
      int here = (int)pl_table_data(t)[(size_t)i * (size_t)cols + STAGE] == k + 1;
      // lines meet where stages do
      int next =
          i + 1 < rows && (int)pl_table_data(t)[(size_t)(i + 1) * (size_t)cols + STAGE] == k + 1;
      own[i] = here || next ? y[i] : NAN;
      any |= here;
    }
    if (any) line[n++] = (pl_series){.name = label[k], .n = rows, .x = x, .y = own, .colour = k};
  }
  snprintf(name, sizeof name, "%.100s-%s", r->a->name, suffix);
  plot->nseries = n;
  plot->series = line;
  pl_status st = job_plot(r->j, name, plot, caption);
  pl_free(r->j->env, all);
  return st;
}

// the horizontal direction in which it went furthest
static void way_of(const pl_jump_state *k, double *e) {
  const pl_flight *f = k->landing.mass > 0 ? &k->landing : &k->body;
  double d[3], other[3] = {0};
  pl_sub3(f->centre, k->start.centre, d);
  double along = pl_dot3(d, k->up);
  for (int c = 0; c < 3; c++) e[c] = d[c] - along * k->up[c];
  if (!(pl_norm3(e) > 1e-9 * (fabs(along) + k->high - k->low))) {
    other[fabs(k->up[0]) < 0.5 ? 0 : 1] = 1;
    along = pl_dot3(other, k->up);
    for (int c = 0; c < 3; c++) e[c] = other[c] - along * k->up[c];
  }
  double size = pl_norm3(e);
  for (int c = 0; c < 3; c++) e[c] /= size;
}

static pl_status plots(const motion *r, const outcome *o) {
  const pl_table *t = r->record->t.table;
  const pl_jump_state *k = o->k;
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  double e[3], *x = pl_alloc(r->j->env, 4 * (size_t)rows, sizeof *x);
  if (!x) return PL_E_NOMEM;
  double *way = x + rows, *height = way + rows, *angle = height + rows;
  way_of(k, e);
  for (int i = 0; i < rows; i++) {
    const double *row = pl_table_data(t) + (size_t)i * (size_t)cols;
    double d[3];
    pl_sub3(row + CENTRE, k->start.centre, d);
    x[i] = row[0];
    way[i] = pl_dot3(d, e);
    height[i] = pl_dot3(row + CENTRE, k->up);
    angle[i] = row[ANGLE];
  }
  pl_plot path = {.title = "path of the centre of mass",
                  .xlabel = "way (m)",
                  .ylabel = "height (m)",
                  .equal = 1};
  pl_plot rot = {.title = "angle about the axis", .xlabel = "time (s)", .ylabel = "angle (rad)"};
  pl_plot rise = {
      .title = "height of the centre of mass", .xlabel = "time (s)", .ylabel = "height (m)"};
  pl_status st = staged_plot(r, way, height, "path", &path, "Path of the centre of mass.");
  if (st == PL_OK) st = staged_plot(r, x, height, "height", &rise, "Height of the centre of mass.");
  if (st == PL_OK)
    st = staged_plot(r, x, angle, "angle", &rot, "How far it has turned about its main axis.");
  pl_free(r->j->env, x);
  return st;
}

// the time at which the centre is highest between two rows
static double top_between(const motion *r, int from, int to) {
  const pl_table *t = r->record->t.table;
  int cols = pl_table_cols(t);
  double most = -INFINITY, at = 0;
  for (int i = from; i <= to; i++) {
    const double *row = pl_table_data(t) + (size_t)i * (size_t)cols;
    double height = pl_dot3(row + CENTRE, r->record->history->jump.up);
    if (height > most) {
      most = height;
      at = row[0];
    }
  }
  return at;
}

int jump_moments(const motion *r, double *time) {
  const pl_table *t = r->record->t.table;
  const double *data = pl_table_data(t);
  int rows = pl_table_rows(t), cols = pl_table_cols(t), up = 0;
#define AT(row, col) data[(size_t)(row) * (size_t)cols + (col)]
  while (up < rows && AT(up, STAGE) != AIR && AT(up, STAGE) != FLIGHT) up++;
  if (up == rows) return 0;
  int down = up;
  while (down + 1 < rows && AT(down, STAGE) != LANDING) down++;
  double top = top_between(r, up, down), off = AT(up, 0), on = AT(down, 0);
  const double all[JUMP_MOMENTS] = {AT(0, 0),       off, (off + top) / 2, top,
                                    (top + on) / 2, on,  AT(rows - 1, 0)};
#undef AT
  memcpy(time, all, sizeof all);
  return JUMP_MOMENTS;
}

// the axis is known at the end alone
static void fill_angles(pl_table *t, const double *axis) {
  int cols = pl_table_cols(t);
  for (int i = 0; i < pl_table_rows(t); i++)
    pl_table_set(t, i, ANGLE, pl_dot3(pl_table_data(t) + (size_t)i * (size_t)cols + ROT, axis));
}

pl_status jump_report(motion *r, json_t *figures) {
  const outcome o = measure(r->record->history, &r->info);
  if (!(o.k->body.mass > 0)) return PL_OK;
  fill_angles(r->record->t.table, o.axis);
  set_figures(r, &o, figures);
  report(r, &o);
  warn_limit(r, &o);
  warn_stuck(r, &o);
  warn_vibration(r);
  PL_TRY(stage_table(r, o.info->t));
  return plots(r, &o);
}

pl_status job_jump(job *j, int index, json_t *figures) {
  const pl_analysis *a = &j->scene->analysis[index];
  motion r = {.j = j, .a = a, .jump = &a->opts.jump_, .opts = pl_jump_transient(&a->opts.jump_)};
  PL_TRY(check_body(j, a));
  return motion_run(&r, figures);
}
