// Limits of stretch: what the scene says of them.
#include "scene_impl.h"

#include "pliant/math.h"
#include "pliant/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Strains that an engineer would wonder about.
static const double STRAIN_SMALL = 5e-4, STRAIN_LARGE = 0.5;
// Between samples of a curve, rad.
static const double GAP_MOST = PL_PI / 3;
// How far two samples of one direction may differ.
static const double SAME = 1e-6;

enum { COMPARE_MAX = 8 };

// ---- what an analysis is told -------------------------------------------------------------------

static const pl_option *method_option(void) {
  for (int k = 0; k < pl_transient_option_count; k++)
    if (strcmp(pl_transient_option_table[k].name, "method") == 0)
      return &pl_transient_option_table[k];
  return NULL;
}

static const char *method_name(int method, char *buf, size_t size) {
  return choice_name(method_option()->choices, method, buf, size) ? buf : "";
}

// a list, or one thing alone
static int list_length(reader *r, const pl_node *at, const char *what, const char *hint) {
  int n = at->kind == NODE_LIST ? at->n : 1;
  if (at->kind != NODE_MAP && n > 0 && n <= COMPARE_MAX) return n;
  if (n == 0)
    problem(r, at, hint, "%s is empty: name what to compare with, or leave it out", what);
  else if (n > COMPARE_MAX)
    problem(r, at, NULL, "%s: at most %d are possible, got %d", what, COMPARE_MAX, n);
  else
    problem(r, at, hint, "%s must be a list", what);
  return 0;
}

static const pl_node *list_first(const pl_node *at) {
  return at->kind == NODE_LIST ? at->first : at;
}

static void read_methods(reader *r, const analysis_def *d, pl_cloth_plan *p) {
  const pl_node *at = d->compare;
  char buf[64];
  int n = list_length(r, at, "compare", "e.g. compare: [implicit-euler, project]");
  int *method = scene_alloc(r, (size_t)n + 1, sizeof *method);
  if (!method || n == 0) return;
  p->method = method;
  for (const pl_node *e = list_first(at); e; e = at->kind == NODE_LIST ? e->next : NULL) {
    int m, again = 0;
    if (!read_choice(r, e, "compare", method_option()->choices, &m)) continue;
    again = m == d->a.opts.transient_.method;
    for (int k = 0; k < p->nmethod; k++) again |= method[k] == m;
    if (again)
      problem(r, e, NULL, "compare: %s is run already", method_name(m, buf, sizeof buf));
    else
      method[p->nmethod++] = m;
  }
}

static void read_steps(reader *r, const analysis_def *d, pl_cloth_plan *p) {
  const pl_node *at = d->compare_steps;
  const pl_transient_opts *o = &d->a.opts.transient_;
  int n = list_length(r, at, "compare_steps", "e.g. compare_steps: [2 ms, 10 ms]");
  double *step = scene_alloc(r, (size_t)n + 1, sizeof *step);
  if (!step || n == 0) return;
  p->step = step;
  for (const pl_node *e = list_first(at); e; e = at->kind == NODE_LIST ? e->next : NULL) {
    num v;
    if (!read_num(r, e, "compare_steps", "s", &v)) continue;
    int again = v.v == o->step;
    for (int k = 0; k < p->nstep; k++) again |= step[k] == v.v;
    if (v.par >= 0)
      problem(r, e, NULL, "compare_steps cannot depend on a parameter");
    else if (!(v.v > 0) || (o->duration > 0 && o->duration / v.v > 1e9))
      problem(r, e, "e.g. 2 ms", "compare_steps: '%.60s' is no good step", e->text);
    else if (again)
      problem(r, e, NULL, "compare_steps: '%.60s' is run already", e->text);
    else
      step[p->nstep++] = v.v;
  }
}

void build_cloth(reader *r, analysis_def *d) {
  pl_cloth_plan *p = scene_alloc(r, 1, sizeof *p);
  if (!p) return;
  if (d->projection)
    p->project = d->projection->opts;
  else
    pl_opts_default(pl_project_option_table, pl_project_option_count, &p->project);
  p->plain = d->weights.v;
  d->a.cloth = p;
  if (d->compare) read_methods(r, d, p);
  if (d->compare_steps) read_steps(r, d, p);
}

// ---- a polar curve ------------------------------------------------------------------------------

typedef struct sample {
  double angle, stretch;
} sample;

static int compare_angle(const void *a, const void *b) {
  const sample *p = a, *q = b;
  return (p->angle > q->angle) - (p->angle < q->angle);
}

// samples in the half turn from 0 on, ascending, each direction once
static int sort_samples(reader *r, const char *path, sample *s, int *n) {
  int kept = 0;
  for (int i = 0; i < *n; i++) {
    s[i].angle = fmod(s[i].angle, PL_PI);
    if (s[i].angle < -SAME) s[i].angle += PL_PI;
    if (fabs(s[i].angle - PL_PI) < SAME) s[i].angle = 0;
  }
  qsort(s, (size_t)*n, sizeof *s, compare_angle);
  for (int i = 0; i < *n; i++) {
    if (kept == 0 || s[i].angle - s[kept - 1].angle > SAME) {
      s[kept++] = s[i];
      continue;
    }
    if (fabs(s[i].stretch / s[kept - 1].stretch - 1) <= SAME) continue;
    problem_at(r, path, 0, 0, "a direction and its opposite are stretched alike",
               "the curve has two values at %.4g deg: stretch %.6g and %.6g",
               s[i].angle * 180 / PL_PI, s[kept - 1].stretch, s[i].stretch);
    return 0;
  }
  *n = kept;
  for (int i = 0; i < kept; i++) {
    double next = i + 1 < kept ? s[i + 1].angle : s[0].angle + PL_PI;
    if (next - s[i].angle <= GAP_MOST + SAME) continue;
    problem_at(r, path, 0, 0, "give samples over half a turn, at most 60 deg apart",
               "the curve has no samples between %.4g and %.4g deg", s[i].angle * 180 / PL_PI,
               next * 180 / PL_PI);
    return 0;
  }
  return 1;
}

static int read_samples(reader *r, const char *path, const pl_table *t, sample *s, int *n) {
  int cols = pl_table_cols(t), angle = pl_table_find(t, "angle"),
      ratio = pl_table_find(t, "stretch");
  int strain = pl_table_find(t, "strain"), col = ratio >= 0 ? ratio : strain;
  const char *hint = "the header is e.g. angle_deg,stretch or angle_rad,strain_percent";
  double rot, part;
  if (angle < 0 || col < 0 || (ratio >= 0 && strain >= 0)) {
    problem_at(r, path, pl_table_line(t), 0, hint,
               "a curve has the columns 'angle', and 'stretch' or 'strain'");
    return 0;
  }
  if (!column_unit(r, path, t, angle, "rad", hint, &rot) ||
      !column_unit(r, path, t, col, "", hint, &part))
    return 0;
  *n = pl_table_rows(t);
  if (*n == 0)
    problem_at(r, path, pl_table_line(t), 0, "give samples over half a turn, at most 60 deg apart",
               "the curve has a header and no samples");
  for (int i = 0; i < *n; i++) {
    const double *d = pl_table_data(t) + (size_t)i * (size_t)cols;
    s[i] = (sample){rot * d[angle], part * d[col] + (ratio >= 0 ? 0 : 1)};
    if (isfinite(s[i].angle) && s[i].stretch > 1 && s[i].stretch <= 11) continue;
    problem_at(r, path, pl_table_line(t) + 1 + i, 0, "a stretch is above 1, a strain above 0",
               "'%s' cannot be %.6g in a limit", pl_table_name(t, col), d[col]);
    return 0;
  }
  return *n > 0 && sort_samples(r, path, s, n);
}

// the curve, turned
static int read_curve(reader *r, const pl_node *at, double rot, pl_polar *out) {
  char path[PL_TEXT];
  pl_table *t;
  if (!read_csv(r, at, "curve", path, &t)) return 0;
  int n = pl_table_rows(t), ok = 0;
  sample *s = scene_alloc(r, (size_t)n + 1, sizeof *s);
  double *angle = scene_alloc(r, (size_t)n + 1, sizeof *angle);
  double *stretch = scene_alloc(r, (size_t)n + 1, sizeof *stretch);
  if (s && angle && stretch) ok = read_samples(r, path, t, s, &n);
  pl_table_free(t);
  for (int i = 0; ok && i < n; i++) {
    angle[i] = s[i].angle + rot;
    stretch[i] = s[i].stretch;
  }
  *out = (pl_polar){.n = n, .angle = angle, .stretch = stretch};
  return ok;
}

// ---- one limit ----------------------------------------------------------------------------------

static void check_strain(reader *r, const num *v, const char *key) {
  if (!v->at || (v->v >= STRAIN_SMALL && v->v <= STRAIN_LARGE)) return;
  warning(r, v->at, "limits are strains: 1 % lets 1 m become 1.01 m",
          "%s: a limit of %.3g %% is unusual", key, 100 * v->v);
}

// the one form that is given; NULL: none, or several
static const pl_limit_form *find_form(reader *r, const pl_node *at) {
  const pl_limit_form *form = NULL;
  char names[PL_TEXT] = "";
  size_t len = 0;
  int n = 0;
  for (int k = 0; k < PL_LIMIT_FORM_COUNT; k++) {
    const char *name = pl_limit_form_table[k]->name;
    if (len < sizeof names)
      len += (size_t)snprintf(names + len, sizeof names - len, "%s'%s'", k ? ", " : "", name);
    if (!node_get(at, name)) continue;
    form = pl_limit_form_table[k];
    n++;
  }
  if (n == 1) return form;
  problem(r, at, "e.g. limit: {stretch: 1 %}", "limit needs exactly one of %s", names);
  return NULL;
}

// all keys that are given are the form's, and none that it needs is missing
static int check_form(reader *r, const pl_limit_form *f, const pl_node *at) {
  int before = r->nproblem;
  for (const pl_node *d = at->first; d; d = d->next)
    if (limit_form_key(f, d->key) < 0)
      problem(r, d, NULL, "limit: '%s' does not go with '%s'", d->key, f->name);
  for (int k = 0; k < f->nkey; k++)
    if (f->key[k].need && !node_get(at, f->key[k].name))
      problem(r, at, NULL, "limit needs both '%s' and '%s'", f->name, f->key[k].name);
  return r->nproblem == before;
}

// what the keys of a form give; 0: a file cannot be had
static int read_form(reader *r, const pl_limit_form *f, const limit_def *d, const pl_node *at,
                     pl_limit_source *in) {
  const pl_node *polar = NULL;
  const pl_key *key;
  int angle = limit_form_key(f, "angle");
  for (int k = 0; (key = limit_key(k)) != NULL; k++) {
    int i = limit_form_key(f, key->name);
    const key_value *v = &d->v[k];
    if (i < 0) continue;
    in->given[i] = node_get(at, key->name) != NULL;
    if (key->type == PL_KEY_NUMBER || key->type == PL_KEY_STRAIN) in->value[i] = v->number.v;
    if (key->type == PL_KEY_INTEGER || key->type == PL_KEY_CHOICE) in->value[i] = v->choice.v;
    if (key->type == PL_KEY_STRAIN) check_strain(r, &v->number, key->name);
    if (key->type != PL_KEY_POLAR) continue;
    polar = v->text.at;
    in->file = v->text.s;
  }
  return !polar || read_curve(r, polar, angle >= 0 ? in->value[angle] : 0, &in->curve);
}

// its form; NULL: something is wrong, which was told
static const pl_limit_form *build_limit(reader *r, const limit_def *d, const pl_node *at,
                                        pl_limit_made *out, pl_limit_note *note) {
  pl_limit_source in = {0};
  pl_limit_fault fault = {0};
  pl_text text = {.env = r->env};
  const pl_limit_form *f = find_form(r, at);
  if (!f || !check_form(r, f, at) || !read_form(r, f, d, at, &in)) return NULL;
  pl_status s = f->make(r->env, &in, out, &fault);
  if (s == PL_E_NOMEM) r->failed = s;
  if (fault.key)
    problem(r, key_at(at, fault.key), fault.hint[0] ? fault.hint : NULL, "%s", fault.text);
  if (s != PL_OK) return NULL;
  f->describe(&in, &text);
  note->curve = in.curve;
  note->text = scene_strdup(r, text.s ? text.s : "", text.n);
  pl_text_free(&text);
  return r->failed ? NULL : f;
}

// ---- shells with limits -------------------------------------------------------------------------

void read_warp(reader *r, const geometry_def *g, double out[3]) {
  double R[9], axis[3] = {0, 0, 1};
  out[0] = 1;
  out[1] = out[2] = 0;
  if (g->warp.at) {
    for (int c = 0; c < 3; c++) out[c] = g->warp.v[c].v;
    if (!(pl_norm3(out) > 0))
      problem(r, g->warp.at, "e.g. warp: [1, 0, 0]", "warp must not be zero");
    return;
  }
  if (!g->rotate) return;
  for (int c = 0; g->rotate->axis.at && c < 3; c++) axis[c] = g->rotate->axis.v[c].v;
  pl_rotation3(axis, g->rotate->angle.v, R);
  for (int c = 0; c < 3; c++) out[c] = R[3 * c];
}

// triangles that the axis does not lie in have none
static void check_warp(reader *r, const geometry_def *g, const body_slot *b, const double warp[3]) {
  int lost = 0, n = b->mesh->cell[PL_TRI3].n;
  for (int e = 0; e < n; e++) {
    const int *v = b->mesh->cell[PL_TRI3].v + 3 * e;
    double a[3], c[3], normal[3], across[3];
    pl_sub3(b->mesh->X + 3 * v[1], b->mesh->X + 3 * v[0], a);
    pl_sub3(b->mesh->X + 3 * v[2], b->mesh->X + 3 * v[0], c);
    pl_cross3(a, c, normal);
    pl_cross3(normal, warp, across);
    lost += pl_norm3(across) < 1e-3 * pl_norm3(normal) * pl_norm3(warp);
  }
  if (lost > 0)
    warning(r, g->warp.at ? g->warp.at : b->at, "give another direction as warp",
            "shell '%s': warp stands at right angles to %d of its %d triangles; the first edge of "
            "these is their axis",
            b->def->name.s, lost, n);
}

// returns 1 when it depends on the axes of the material
static int add_limit(reader *r, const body_slot *b, const limit_def *d, const pl_node *at,
                     int region, const node_list *nodes, pl_limit_note *note) {
  char name[160];
  pl_limit_made made = {0};
  pl_limit_note own = {0};
  const pl_limit_form *form = build_limit(r, d, node_get(at, "limit"), &made, &own);
  if (!form) return 0;
  pl_limit limit = pl_limit_of(&made);
  snprintf(name, sizeof name, region ? "%.120s-%d" : "%.120s", b->def->name.s, region);
  own.name = scene_strdup(r, name, strlen(name));
  int k =
      pl_build_limit(r->b, b->number, &limit, nodes ? nodes->n : 0, nodes ? nodes->v : NULL, at);
  if (k >= 0)
    note[k] = own;
  else
    r->failed = r->b->failed;
  return !form->isotropic;
}

static void add_limits(reader *r, const body_slot *b, const geometry_def *g, pl_limit_note *note) {
  const region_def *d = g->regions.item;
  const pl_node *at = items_first(&g->regions);
  const double *warp = r->b->body[b->number].desc.warp;
  int axes = 0, limits = g->limit != NULL;
  for (int k = 0; k < g->regions.n; k++) limits |= d[k].limit != NULL;
  if (!limits) return;
  axes |= g->warp.at != NULL;
  if (g->limit) axes |= add_limit(r, b, g->limit, node_get(b->at, "shell"), 0, NULL, note);
  for (int k = 0; k < g->regions.n && !r->failed; k++, at = at->next) {
    node_list nodes;
    if (d[k].limit && d[k].nodes && select_nodes(r, d[k].nodes, "region", &nodes))
      axes |= add_limit(r, b, d[k].limit, at, k + 1, &nodes, note);
  }
  if (axes && pl_norm3(warp) > 0) check_warp(r, g, b, warp);
}

// ---- what does not go together ------------------------------------------------------------------

static void check_analysis(reader *r, const pl_analysis *a, int limits, int layers,
                           int constrained) {
  const char *kind = pl_analysis_table[a->kind].name;
  int drape = a->kind == PL_ANALYSIS_drape, transient = a->kind == PL_ANALYSIS_transient;
  int method = transient ? a->opts.transient_.method : 0;
  char buf[64];
  if (drape && !constrained)
    problem_at(r, r->file, a->line, a->col,
               "use static, or give a shell a limit, e.g. limit: {stretch: 1 %}",
               "drape: no shell has a limit of stretch, and there is no contact");
  if (transient && method > PL_BDF2 && !constrained)
    problem_at(r, r->file, a->line, a->col,
               "use implicit-euler, or give a shell a limit, e.g. limit: {stretch: 1 %}",
               "transient: method '%s' is for limits of stretch or contact, there are none",
               method_name(method, buf, sizeof buf));
  int others = transient && a->cloth ? a->cloth->nmethod + a->cloth->nstep : 0;
  if (others > 0 && !constrained)
    problem_at(r, r->file, a->line, a->col, "give a shell a limit, or leave them out",
               "transient: compare and compare_steps are for limits of stretch or contact");
  if (transient && (method > PL_BDF2 || limits || layers || others > 0) &&
      (a->opts.transient_.adaptive || a->opts.transient_.steady > 0))
    problem_at(r, r->file, a->line, a->col, "leave out adaptive and steady",
               method > PL_BDF2 ? "transient: steps of method '%s' are of one length and go on to "
                                  "the end"
                                : "transient: steps of method '%s' with limits of stretch, "
                                  "self_contact or compare are of one length and go on to the end",
               method_name(method, buf, sizeof buf));
  if (limits && a->kind == PL_ANALYSIS_jump)
    problem_at(r, r->file, a->line, a->col, "use a transient",
               "jump does not know limits of stretch");
  if (!limits || drape || (transient && method != PL_IMPLICIT_EULER)) return;
  if (transient)
    pl_report(r->env, PL_WARNING, r->file, a->line, a->col, "use e.g. method: bdf2-project",
              "transient: method '%s' does not keep the limits of stretch",
              method_name(method, buf, sizeof buf));
  else
    pl_report(r->env, PL_WARNING, r->file, a->line, a->col,
              a->kind == PL_ANALYSIS_static ? "use drape" : NULL,
              "%s does not know limits of stretch: the shells are elastic here", kind);
}

void build_limits(reader *r, pl_scene *s) {
  int n = 0, before = r->nproblem;
  for (int k = 0; k < r->nbody; k++)
    if (r->body[k].def->shell) n += r->body[k].def->shell->regions.n + 1;
  pl_limit_note *note = scene_alloc(r, (size_t)n + 1, sizeof *note);
  if (!note) return;
  s->limit_note = note;
  for (int k = 0; k < r->nbody && !r->failed; k++) {
    const body_slot *b = &r->body[k];
    if (b->def->shell && b->number >= 0) add_limits(r, b, b->def->shell, note);
  }
  if (r->failed || r->nproblem > before) return;
  int limits = r->b->nlimit > 0, constrained = limits || r->ncontact > 0 || r->def.self_contact;
  for (int k = 0; k < r->nbody; k++)
    constrained |= r->body[k].def->shell && r->body[k].def->shell->interlocking.at;
  // a body that could not be made has left no limits and no contact
  for (int k = 0; k < s->nanalysis && (constrained || r->nproblem == 0); k++)
    check_analysis(r, &s->analysis[k], limits, r->def.self_contact != NULL, constrained);
}
