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
  if (s == PL_OK && sc->contact.nnode) s = pl_contact_create(sc->model, &sc->contact, &o->contact);
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

// n cells along a length of L from a clamp at x = 0, w wide. Hinges are held by a row more, inside
// the wall.
static void put_shell(pl_text *t, const pl_protocol_model *m, int n, double L, double w, double h) {
  int hinge = m->kind == SCENE_HINGE || m->kind == SCENE_HINGE_IRREGULAR;
  int even = m->kind == SCENE_MIDEDGE || m->kind == SCENE_HINGE || m->kind == SCENE_SHELL;
  int own = m->kind == SCENE_SHELL || m->kind == SCENE_SHELL_IRREGULAR;
  double cell = L / n;
  int rows = (int)lround(w / cell / (even ? sqrt(0.75) : 1));
  pl_text_add(
      t, "    shell: {mesh: {grid: {size: [%.17g m, %.17g m], cells: [%d, %d], pattern: %s}}, ",
      L + hinge * cell, w, n + hinge, rows > 1 ? rows : 1, even ? "equilateral" : "irregular");
  pl_text_add(t, "translate: [%.17g m, 0 m, 0 m], material: m, thickness: %.17g m, bending: %s}\n",
              -hinge * cell, h,
              hinge ? "hinge"
              : own ? "auto"
                    : "midedge");
  // irregular rows lie up to a fifth of a cell off
  if (hinge)
    pl_text_add(t, "fixed: [{nodes: 'it where x < %.17g m'}]\n", 0.25 * cell);
  else
    pl_text_add(t, "fixed: [{nodes: it group left, clamp: yes}]\n");
}

static void put_gravity(pl_text *t, int axis, double g) {
  const double v[3] = {axis == 0 ? -g : 0, axis == 1 ? -g : 0, axis == 2 ? -g : 0};
  pl_text_add(t, "gravity: [%.17g m/s^2, %.17g m/s^2, %.17g m/s^2]\n", v[0], v[1], v[2]);
}

// ---- cantilever ---------------------------------------------------------------------------------

static const double SAG_THIN = 2e-3; // over the length; its weight stretches it by 2e-4 at 1e3
static const double SAG_WIDE = 0.1;

static void sag_text(const pl_protocol_model *m, const pl_trial *t, pl_text *text) {
  const dims *u = protocol_dims(t->units);
  int round = m->kind == SCENE_ROD;
  // thinner rods, for larger weights
  double L = u->length, h = L * (round ? SAG_THIN / 10 : SAG_THIN);
  double bend = u->young * h * h / (round ? 16 : 12 * (1 - t->nu * t->nu));
  put_head(text, u, t->nu);
  if (round)
    pl_text_add(text,
                "    rod: {mesh: {line: {from: [0, 0, 0], to: [%.17g m, 0, 0], segments: %d}}, "
                "material: m, section: {round: %.17g m}}\n"
                "fixed: [{nodes: it group start, clamp: yes}]\nsets: {tip: it group end}\n",
                L, t->resolution, h);
  else
    put_shell(text, m, t->resolution, L, SAG_WIDE * L, h);
  if (!round) pl_text_add(text, "sets: {tip: it group right}\n");
  put_gravity(text, 2, t->x * bend / (u->density * L * L * L));
  // without the energy book: what is judged is the shape
  pl_text_add(text, "analyses: [{static: {book: no}}]\n");
}

pl_status scene_sag(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  scened o;
  pl_text text;
  double x[3];
  pl_text_init(&text, env);
  sag_text(m, t, &text);
  pl_status s = scened_open(env, &text, &o);
  pl_text_free(&text);
  PL_TRY(s);
  s = scened_static(&o, NULL, NULL, NULL);
  mean_place(&o, "tip", x);
  *value = -x[2] / x[0];
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
  put_shell(&text, m, t->resolution, L, t->x * L, h);
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
  double L = u->length, d = CURL_THIN * L, turn = 2 * PL_PI * t->x, x = X * turn;
  int n = t->resolution;
  // the chord of an edge whose n pieces make the length
  double each = turn / n, radius = L / n / (2 * sin(0.5 * each));
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
enum { PRESS_STEPS = 340 };

// upright on a floor and drawn with a slight bulge, though straight by nature
static void press_text(const pl_trial *t, double mu, pl_text *text) {
  const dims *u = protocol_dims(t->units);
  double L = u->length;
  int n = t->resolution;
  put_head(text, u, 0);
  pl_text_add(text, "    rod: {mesh: {points: {at: [");
  for (int i = 0; i <= n; i++) {
    double s = (double)i / n;
    pl_text_add(text, "%s[%.17g m, 0 m, %.17g m]", i ? ", " : "", PRESS_BULGE * L * s * s * (1 - s),
                L * (1 - s));
  }
  pl_text_add(text, "]}}, material: m, section: {rectangle: [%.17g m, %.17g m]}, ", PRESS_THICK * L,
              PRESS_WIDE * L);
  pl_text_add(text, "up: [0, 1, 0], natural: {straight: yes}}\n");
  pl_text_add(text,
              "drives: [{name: clamp, nodes: it group start, clamp: yes, harmonic: 0, "
              "translation: [0 m, 0 m, %.17g m]}]\n",
              -PRESS_END * L);
  pl_text_add(text, "obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: %.17g}]\n",
              mu);
  pl_text_add(text, "contact: {nodes: it group end}\nanalyses: [{static: {steps: %d}}]\n",
              PRESS_STEPS);
}

typedef struct slip {
  const scened *o;
  int n;                   // steps that stick
  double eps[2], force[2]; // the last two of them, and Q/P there
  int slips;
} slip;

static int find_slip(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  slip *k = ctx;
  const pl_contact_pair *p = &k->o->contact->pair[0];
  (void)s, (void)w;
  k->slips = p->status != PL_STICK;
  if (k->slips) return 1;
  k->eps[0] = k->eps[1];
  k->force[0] = k->force[1];
  k->eps[1] = c->scale * PRESS_END;
  k->force[1] = hypot(p->force[1], p->force[2]) / p->force[0];
  k->n++;
  return 0;
}

pl_status scene_press(pl_env *env, const pl_protocol_model *m, pl_trial *t, double *value) {
  (void)m;
  scened o;
  pl_text text;
  pl_text_init(&text, env);
  press_text(t, t->x, &text);
  pl_status s = scened_open(env, &text, &o);
  pl_text_free(&text);
  PL_TRY(s);
  slip k = {.o = &o};
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
