// Models of protocols as scenes: see scene_model.h.
#include "scene_model.h"

#include "pliant/scene.h"

#include <string.h>

typedef struct scened {
  pl_env *env;
  pl_scene *scene;
  pl_contact *contact; // NULL: the scene has none
  pl_state *s;         // at rest, then where the analysis ended
  pl_work *w;
} scened;

static void scened_close(scened *o) {
  pl_work_free(o->w);
  pl_contact_free(o->contact);
  if (o->scene) pl_state_free(o->scene->model, o->s);
  pl_scene_free(o->scene);
}

static pl_status scened_open(pl_env *env, const pl_text *text, scened *o) {
  *o = (scened){.env = env};
  if (text->failed) return PL_E_NOMEM;
  PL_TRY(pl_scene_parse(env, "protocol", ".", text->s, strlen(text->s), 0, NULL, NULL, &o->scene));
  const pl_scene *sc = o->scene;
  pl_status s = pl_state_create(sc->model, sc->params, &o->s);
  if (s == PL_OK) s = pl_work_create(sc->model, 1, &o->w);
  if (s == PL_OK && sc->contact.nnode)
    s = pl_contact_create(sc->env, sc->model, &sc->contact, &o->contact);
  if (s != PL_OK) scened_close(o);
  return s;
}

// the first analysis, a static one, as a run does it
static pl_status scened_static(scened *o, pl_observe_fn observe, void *ctx, pl_static_info *info) {
  const pl_scene *sc = o->scene;
  return pl_static_contact(&sc->analysis[0].opts.static_, sc->model, sc->params, o->contact, o->s,
                           o->w, observe, ctx, info);
}

// the mean place of the nodes of a set (m)
static void mean_place(const scened *o, const char *name, double x[3]) {
  const pl_node_set *set = &o->scene->set[pl_scene_find_set(o->scene, name)];
  for (int c = 0; c < 3; c++) {
    x[c] = 0;
    for (int i = 0; i < set->n; i++) x[c] += o->s->q[3 * set->node[i] + c] / set->n;
  }
}

// ---- texts --------------------------------------------------------------------------------------

static void put_head(pl_text *t, const dims *u, double nu) {
  pl_text_add(t, "pliant: 1\ntitle: protocol\nmaterials: {m: {young: %.17g Pa, poisson: %.17g, ",
              u->young, nu);
  pl_text_add(t, "density: %.17g kg/m^3}}\nbodies:\n  - name: it\n", u->density);
}

static int is_solid(const pl_protocol_model *m) {
  return m->kind == SCENE_TET || m->kind == SCENE_HEX;
}

static int rows_of(double w, double cell) {
  int rows = (int)lround(w / cell);
  return rows > 1 ? rows : 1;
}

// n cells along a length of L from x = 0, w wide; hinges have one more, before it
static void put_shell(pl_text *t, const pl_protocol_model *m, int n, double L, double w, double h) {
  int hinge = m->kind == SCENE_HINGE || m->kind == SCENE_HINGE_IRREGULAR;
  int even = m->kind == SCENE_MIDEDGE || m->kind == SCENE_HINGE || m->kind == SCENE_SHELL;
  int own = m->kind == SCENE_SHELL || m->kind == SCENE_SHELL_IRREGULAR;
  double cell = L / n;
  pl_text_add(
      t, "    shell: {mesh: {grid: {size: [%.17g m, %.17g m], cells: [%d, %d], pattern: %s}}, ",
      L + hinge * cell, w, n + hinge, rows_of(w, even ? cell * sqrt(0.75) : cell),
      even ? "equilateral" : "irregular");
  pl_text_add(t, "translate: [%.17g m, 0 m, 0 m], material: m, thickness: %.17g m, bending: %s}\n",
              -hinge * cell, h,
              hinge ? "hinge"
              : own ? "auto"
                    : "midedge");
}

// one layer of cells
static void put_solid(pl_text *t, const pl_protocol_model *m, int n, double L, double w, double h) {
  pl_text_add(t, "    solid: {mesh: {box: {size: [%.17g m, %.17g m, %.17g m], cells: [%d, %d, 1], ",
              L, w, h, n, rows_of(w, L / n));
  pl_text_add(t, "cell: %s}}, material: m}\n", m->kind == SCENE_TET ? "tet" : "hex");
}

// A strip with a clamp at x = 0. Hinges are held by a row more, inside the wall.
static void put_strip(pl_text *t, const pl_protocol_model *m, int n, double L, double w, double h) {
  if (is_solid(m))
    put_solid(t, m, n, L, w, h);
  else
    put_shell(t, m, n, L, w, h);
  // irregular rows lie up to a fifth of a cell off
  if (m->kind == SCENE_HINGE || m->kind == SCENE_HINGE_IRREGULAR)
    pl_text_add(t, "fixed: [{nodes: 'it where x < %.17g m'}]\n", 0.25 * L / n);
  else
    pl_text_add(t, "fixed: [{nodes: it group left%s}]\n", is_solid(m) ? "" : ", clamp: yes");
  pl_text_add(t, "sets: {tip: it group right}\n");
}

static void put_gravity(pl_text *t, int axis, double g) {
  const double v[3] = {axis == 0 ? -g : 0, axis == 1 ? -g : 0, axis == 2 ? -g : 0};
  pl_text_add(t, "gravity: [%.17g m/s^2, %.17g m/s^2, %.17g m/s^2]\n", v[0], v[1], v[2]);
}

// ---- cantilever ---------------------------------------------------------------------------------

static const double SAG_THIN = 2e-3;  // over the length; its weight stretches it by 2e-4 at 1e3
static const double SAG_SOLID = 5e-3; // one layer of cells, four times as long as thick
static const double SAG_WIDE = 0.1;

// E I over the area of the section
static double bending(const pl_protocol_model *m, const pl_trial *t, double h) {
  double young = protocol_dims(t->units)->young;
  return young * h * h / (m->kind == SCENE_ROD ? 16 : 12 * (1 - t->nu * t->nu));
}

// h over the length
static void sag_text(const pl_protocol_model *m, const pl_trial *t, double gamma, double h,
                     pl_text *text) {
  const dims *u = protocol_dims(t->units);
  double L = u->length;
  put_head(text, u, t->nu);
  if (m->kind == SCENE_ROD)
    pl_text_add(text,
                "    rod: {mesh: {line: {from: [0, 0, 0], to: [%.17g m, 0, 0], segments: %d}}, "
                "material: m, section: {round: %.17g m}}\n"
                "fixed: [{nodes: it group start, clamp: yes}]\nsets: {tip: it group end}\n",
                L, t->resolution, h * L);
  else
    put_strip(text, m, t->resolution, L, SAG_WIDE * L, h * L);
  put_gravity(text, 2, gamma * bending(m, t, h * L) / (u->density * L * L * L));
  // without the energy book: what is judged is the shape
  pl_text_add(text, "analyses: [{static: {book: no}}]\n");
}

static pl_status sag(pl_env *env, const pl_protocol_model *m, pl_trial *t, double gamma, double h,
                     double *value) {
  scened o;
  pl_text text;
  double rest[3], x[3];
  pl_text_init(&text, env);
  sag_text(m, t, gamma, h, &text);
  pl_status s = scened_open(env, &text, &o);
  pl_text_free(&text);
  PL_TRY(s);
  mean_place(&o, "tip", rest);
  s = scened_static(&o, NULL, NULL, NULL);
  mean_place(&o, "tip", x);
  *value = (rest[2] - x[2]) / x[0];
  scened_close(&o);
  return s;
}

pl_status scene_sag(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  // thinner rods, for larger weights
  double h = is_solid(m) ? SAG_SOLID : m->kind == SCENE_ROD ? SAG_THIN / 10 : SAG_THIN;
  return sag(env, m, t, t->x, h, value);
}

pl_status scene_thin(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  double right;
  PL_TRY(pl_master_cantilever(env, 1, &right));
  PL_TRY(sag(env, m, t, 1, t->x, value));
  *value /= right;
  return PL_OK;
}

// ---- vibration ----------------------------------------------------------------------------------

enum { RING_VALUES = 3, RING_MODES = 16 };

// the modes that move the tip as a whole across the strip, in order; its twisting and its bending
// in its plane do not
static int flapping(const scened *o, int nfound, const double *shape, const double *omega,
                    double *value) {
  const pl_node_set *tip = &o->scene->set[pl_scene_find_set(o->scene, "tip")];
  int n = 0;
  for (int k = 0; k < nfound && n < RING_VALUES; k++) {
    const double *v = shape + (size_t)k * (size_t)o->s->nq;
    double mean = 0, most = 0;
    for (int i = 0; i < tip->n; i++) {
      const double *at = v + 3 * tip->node[i];
      mean += at[2] / tip->n;
      most = fmax(most, sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
    }
    if (fabs(mean) > 0.5 * most) value[n++] = omega[k];
  }
  return n;
}

pl_status scene_ring(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  const dims *u = protocol_dims(t->units);
  double omega[RING_MODES], L = u->length, h = 1 / t->x;
  scened o;
  pl_text text;
  pl_modes_info info;
  pl_text_init(&text, env);
  sag_text(m, t, 0, h, &text);
  pl_status s = scened_open(env, &text, &o);
  pl_text_free(&text);
  PL_TRY(s);
  double *shape = pl_alloc(env, RING_MODES * (size_t)o.s->nq, sizeof *shape);
  s = shape ? pl_modes(&(pl_modes_opts){.count = RING_MODES}, o.scene->model, o.scene->params, o.s,
                       o.w, omega, shape, &info)
            : PL_E_NOMEM;
  if (s == PL_OK && flapping(&o, info.nfound, shape, omega, value) < RING_VALUES) s = PL_UNSOLVED;
  for (int k = 0; k < RING_VALUES; k++) value[k] *= L * L * sqrt(u->density / bending(m, t, h * L));
  pl_free(env, shape);
  scened_close(&o);
  return s;
}

// ---- lateral buckling ---------------------------------------------------------------------------

static const double BUCKLE_THIN = 2e-3;
static const double BUCKLE_MOST = 40; // load of the scene, above all thresholds
enum { BUCKLE_STEPS = 4 };

// the first threshold is what is asked
static int is_past(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  const pl_static_info *info = ctx;
  (void)s, (void)c, (void)w;
  return info->ncritical > 0;
}

pl_status scene_buckle(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  const dims *u = protocol_dims(t->units);
  double L = u->length, h = BUCKLE_THIN * L;
  double one = u->young * h * h / (12 * (1 - t->nu * t->nu)) / (u->density * L * L * L);
  scened o;
  pl_text text;
  pl_static_info info = {0};
  pl_text_init(&text, env);
  put_head(&text, u, t->nu);
  put_strip(&text, m, t->resolution, L, t->x * L, h);
  put_gravity(&text, 1, BUCKLE_MOST * one);
  pl_text_add(&text, "analyses: [{static: {steps: %d, critical: yes}}]\n", BUCKLE_STEPS);
  pl_status s = scened_open(env, &text, &o);
  pl_text_free(&text);
  PL_TRY(s);
  s = scened_static(&o, is_past, &info, &info);
  scened_close(&o);
  if (info.ncritical == 0) return s == PL_OK ? PL_UNSOLVED : s;
  *value = BUCKLE_MOST * info.critical[0].scale;
  return PL_OK;
}

// ---- bend-twist ---------------------------------------------------------------------------------

static const double CURL_THIN = 1e-3, CURL_DEEP = 1e-3;                 // over the length
static const double CURL_LEFT = 0.02, CURL_IN = 0.46, CURL_RIGHT = 0.7; // X: flat, curly, flat
static const double CURL_BRACKET = 1e-3;

// a rod of some turns drawn as it is by nature, hanging from its upper end
static void curl_text(const pl_trial *t, double X, pl_text *text) {
  const dims *u = protocol_dims(t->units);
  double L = u->length, d = CURL_THIN * L, rot = 2 * PL_PI * t->x, x = X * rot;
  int n = t->resolution;
  // the chord of an edge whose n pieces make the length
  double each = rot / n, radius = L / n / (2 * sin(0.5 * each));
  put_head(text, u, t->nu);
  pl_text_add(text, "    rod: {mesh: {points: {at: [");
  for (int i = 0; i <= n; i++)
    pl_text_add(text, "%s[%.17g m, 0 m, %.17g m]", i ? ", " : "", radius * cos(i * each),
                -radius * sin(i * each));
  pl_text_add(text, "]}}, material: m, section: {round: %.17g m}}\n", d);
  pl_text_add(text, "fixed: [{nodes: it group start, clamp: yes}]\n");
  put_gravity(text, 2, x * x * x * u->young * d * d / 16 / (u->density * L * L * L));
  pl_text_add(text, "analyses: [{static: {perturb: yes, book: no}}]\n");
}

static pl_status is_curly(pl_env *env, pl_trial *t, double X, int *curly) {
  scened o;
  pl_text text;
  double most = 0;
  pl_text_init(&text, env);
  curl_text(t, X, &text);
  pl_status s = scened_open(env, &text, &o);
  pl_text_free(&text);
  PL_TRY(s);
  s = scened_static(&o, NULL, NULL, NULL);
  for (int i = 0; i < o.scene->mesh->nvert; i++) most = fmax(most, fabs(o.s->q[3 * i + 1]));
  *curly = most > CURL_DEEP * protocol_dims(t->units)->length;
  scened_close(&o);
  return s;
}

// between a weight whose rod is flat and one whose rod is not
static pl_status curl_edge(pl_env *env, pl_trial *t, double flat, double deep, double *X) {
  int curly;
  while (fabs(flat - deep) > CURL_BRACKET * deep) {
    double mid = 0.5 * (flat + deep);
    PL_TRY(pl_report_progress(env, "bend-twist", -1, NULL));
    PL_TRY(is_curly(env, t, mid, &curly));
    *(curly ? &deep : &flat) = mid;
  }
  *X = 0.5 * (flat + deep);
  return PL_OK;
}

pl_status scene_curl(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  PL_TRY(curl_edge(env, t, CURL_LEFT, CURL_IN, &value[0]));
  return curl_edge(env, t, CURL_RIGHT, CURL_IN, &value[1]);
}

// ---- stick-slip ---------------------------------------------------------------------------------

static const double PRESS_THICK = 1e-3, PRESS_WIDE = 0.05; // of the strip, over its length
static const double PRESS_END = 0.34, PRESS_BULGE = 0.005;
static const double PRESS_WEIGHT = 1e-4; // Gamma
enum { PRESS_STEPS = 340, PRESS_SHELL_STEPS = 100 };

static void press_rod(const pl_trial *t, pl_text *text) {
  double L = protocol_dims(t->units)->length;
  int n = t->resolution;
  // drawn with a slight bulge, though straight by nature
  pl_text_add(text, "    rod: {mesh: {points: {at: [");
  for (int i = 0; i <= n; i++) {
    double s = (double)i / n;
    pl_text_add(text, "%s[%.17g m, 0 m, %.17g m]", i ? ", " : "", PRESS_BULGE * L * s * s * (1 - s),
                L * (1 - s));
  }
  pl_text_add(text, "]}}, material: m, section: {rectangle: [%.17g m, %.17g m]}, ", PRESS_THICK * L,
              PRESS_WIDE * L);
  pl_text_add(text, "up: [0, 1, 0], natural: {straight: yes}}\n");
}

static void press_shell(const pl_protocol_model *m, const pl_trial *t, pl_text *text) {
  const dims *u = protocol_dims(t->units);
  double L = u->length, h = PRESS_THICK * L;
  int even = m->kind == SCENE_SHELL, n = t->resolution;
  double cell = L / n;
  pl_text_add(text,
              "    shell: {mesh: {grid: {size: [%.17g m, %.17g m], cells: [%d, %d], pattern: %s}}, "
              "rotate: {axis: [0, 1, 0], angle: 90 deg}, translate: [0 m, 0 m, %.17g m], "
              "material: m, thickness: %.17g m}\n",
              L, PRESS_WIDE * L, n, rows_of(PRESS_WIDE * L, even ? cell * sqrt(0.75) : cell),
              even ? "equilateral" : "irregular", L, h);
  // the least weight sideways, or it stays straight; to which side it goes plays no part
  put_gravity(text, 0, -PRESS_WEIGHT * u->young * h * h / 12 / (u->density * L * L * L));
}

// upright on a floor, pressed down from above
static void press_text(const pl_protocol_model *m, const pl_trial *t, pl_text *text) {
  const dims *u = protocol_dims(t->units);
  int rod = m->kind == SCENE_ROD;
  put_head(text, u, 0);
  if (rod)
    press_rod(t, text);
  else
    press_shell(m, t, text);
  pl_text_add(text,
              "drives: [{name: clamp, nodes: it group %s, clamp: yes, harmonic: 0, "
              "translation: [0 m, 0 m, %.17g m]}]\n",
              rod ? "start" : "left", -PRESS_END * u->length);
  pl_text_add(text, "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: %.17g}]\n",
              t->x);
  pl_text_add(text, "contact: {nodes: it group %s}\nanalyses: [{static: {steps: %d}}]\n",
              rod ? "end" : "right", rod ? PRESS_STEPS : PRESS_SHELL_STEPS);
}

typedef struct slip {
  const scened *o;
  double mu;
  int n;                   // steps that stick
  double eps[2], force[2]; // the last two of them, and Q/P there
  int slips;
} slip;

// Nodes of a boundary may creep one by one while the boundary as a whole sticks: it slips when the
// sum of their forces is on the cone.
static int find_slip(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  slip *k = ctx;
  double sum[3] = {0};
  (void)s, (void)w;
  for (int i = 0; i < k->o->contact->npair; i++)
    for (int d = 0; d < 3; d++) sum[d] += k->o->contact->pair[i].force[d];
  double force = hypot(sum[1], sum[2]) / sum[0];
  k->slips = !(force < k->mu * (1 - 1e-6));
  if (k->slips) return 1;
  k->eps[0] = k->eps[1];
  k->force[0] = k->force[1];
  k->eps[1] = c->scale * PRESS_END;
  k->force[1] = force;
  k->n++;
  return 0;
}

pl_status scene_press(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  scened o;
  pl_text text;
  pl_text_init(&text, env);
  press_text(m, t, &text);
  pl_status s = scened_open(env, &text, &o);
  pl_text_free(&text);
  PL_TRY(s);
  slip k = {.o = &o, .mu = t->x};
  s = scened_static(&o, find_slip, &k, NULL);
  scened_close(&o);
  if (s == PL_OK) return PL_UNSOLVED;
  if (s != PL_CANCELLED || !k.slips || k.n < 2)
    return s == PL_CANCELLED && k.slips ? PL_UNSOLVED : s;
  // eps grows like the square of Q/P: from the last two steps to the cone
  double a = k.force[0] * k.force[0], b = k.force[1] * k.force[1];
  *value = k.eps[1] + (t->x * t->x - b) * (k.eps[1] - k.eps[0]) / (b - a);
  return PL_OK;
}
