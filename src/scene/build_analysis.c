#include "scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ANALYSES_MAX = 200, ANALYSIS_NAME_MAX = 40 };

// ---- watches ----------------------------------------------------------------------------------

// {name: node} or {name: node.x}; extra: room for that many more behind
static pl_probe *read_probes(reader *r, const pl_node *at, int extra, int *n) {
  int own = at && at->kind == NODE_MAP ? at->n : 0;
  pl_probe *w = scene_alloc(r, (size_t)own + (size_t)extra + 1, sizeof *w);
  *n = 0;
  if (!w || !at) return w;
  if (at->kind != NODE_MAP) {
    problem(r, at, "e.g. {tip: wing nearest [1, 0, 0]}", "watch must map names to nodes");
    return w;
  }
  for (const pl_node *d = at->first; d; d = d->next) {
    int dof, node;
    const char *dot = d->kind == NODE_SCALAR ? strrchr(d->text, '.') : NULL;
    if (!name_valid(d->key)) {
      problem_key(r, d, name_rule, "watch: '%.60s' is no good name", d->key);
    } else if (dot && axis_index(dot + 1) >= 0) {
      if (select_dof(r, d, "watch", &dof))
        w[(*n)++] = (pl_probe){d->key, dof / r->b->dim, dof % r->b->dim};
    } else if (select_one(r, d, "watch", &node)) {
      w[(*n)++] = (pl_probe){d->key, node, -1};
    }
  }
  return w;
}

// ---- one analysis -----------------------------------------------------------------------------

static int find_kind(reader *r, const pl_node *at, const char *name, int at_key) {
  const char *names[PL_ANALYSIS_COUNT];
  char hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  for (int k = 0; k < PL_ANALYSIS_COUNT; k++) {
    names[k] = pl_analysis_table[k].name;
    if (strcmp(name, names[k]) == 0) return k;
  }
  pl_name_hint(name, PL_ANALYSIS_COUNT, names, hint, sizeof hint);
  (at_key ? problem_key : problem)(r, at, hint, "unknown analysis '%s'",
                                   quote(name, buf, sizeof buf));
  return -1;
}

static int find_analysis(const analysis_def *d, int n, const char *name) {
  for (int k = 0; k < n; k++)
    if (strcmp(d[k].a.name, name) == 0) return k;
  return -1;
}

// the name given, or the kind's with a number when it is taken
static void name_analysis(reader *r, analysis_def *d, int k) {
  analysis_def *a = &d[k];
  const char *kind = pl_analysis_table[a->a.kind].name;
  char text[64];
  a->a.name = a->name.at ? a->name.s : kind;
  int same = find_analysis(d, k, a->a.name);
  if (same < 0) return;
  if (a->name.at) {
    problem(r, a->name.at, NULL, "another analysis is called '%.60s' already, in line %d",
            a->name.s, d[same].a.line);
    return;
  }
  for (int i = 2; same >= 0; i++) {
    snprintf(text, sizeof text, "%s-%d", kind, i);
    same = find_analysis(d, k, text);
  }
  const char *kept = scene_strdup(r, text, strlen(text));
  if (kept) a->a.name = kept;
}

static void check_name(reader *r, const analysis_def *a) {
  char buf[MESSAGE_QUOTE + 8];
  if (strlen(a->a.name) > ANALYSIS_NAME_MAX)
    problem(r, a->name.at, NULL, "the name of an analysis can have %d letters, '%s' has %zu",
            ANALYSIS_NAME_MAX, quote(a->a.name, buf, sizeof buf), strlen(a->a.name));
}

// its result is a state of rest
static int settles(const pl_analysis *a) {
  return a->kind == PL_ANALYSIS_static || a->kind == PL_ANALYSIS_drape ||
         a->kind == PL_ANALYSIS_load_path;
}

static void find_about(reader *r, analysis_def *d, int k) {
  const txt *about = &d[k].about;
  const char *names[32];
  char hint[PL_TEXT];
  int n = 0;
  d[k].a.about = -1;
  if (!about->at || strcmp(about->s, "rest") == 0) return;
  int i = find_analysis(d, k, about->s);
  if (i >= 0 && settles(&d[i].a)) {
    d[k].a.about = i;
    return;
  }
  names[n++] = "rest";
  for (int j = 0; j < k && n < COUNT(names); j++)
    if (settles(&d[j].a)) names[n++] = d[j].a.name;
  pl_name_hint(about->s, n, names, hint, sizeof hint);
  problem(r, about->at, hint, "about: there is no earlier static analysis or drape '%.60s'",
          about->s);
}

int oscillates(const reader *r) {
  for (int k = 0; k < r->b->nload; k++)
    if (r->b->load[k].term.harmonic > 0) return 1;
  for (int k = 0; k < r->b->ndrive; k++)
    for (int i = 0; i < r->b->drive[k].nterm; i++)
      if (r->b->drive[k].term[i].harmonic > 0) return 1;
  return 0;
}

static void check_transient(reader *r, const pl_transient_opts *o, const pl_node *at) {
  if (!(o->duration > 0) && o->periods == 0)
    problem(r, at, "give 'duration', or 'frequency' and 'periods'",
            "transient: nothing says when it ends");
  else if (!(o->frequency > 0) && (o->periods > 0 || oscillates(r)))
    problem(r, at, "e.g. frequency: 2 Hz",
            o->periods > 0 ? "transient: periods need a frequency"
                           : "transient: drives or loads oscillate, but there is no frequency");
  else if (!(o->step > 0) && !(o->frequency > 0))
    problem(r, at, "e.g. step: 1 ms", "transient needs 'step' where there is no frequency");
  else if (o->step > 0 && o->duration > 0 && o->duration / o->step > 1e9)
    problem(r, at, "check the units of step and duration", "transient: %.3g steps are too many",
            o->duration / o->step);
}

static void check_jump(reader *r, const pl_jump_opts *o, const pl_node *at) {
  if (!(o->step > 0) || !(o->duration > 0))
    problem(r, at, "e.g. step: 0.1 ms, duration: 2 s", "jump: %s must be above zero",
            o->step > 0 ? "the duration, which is its time limit," : "the step");
  else if (o->duration / o->step > 1e9)
    problem(r, at, "check the units of step and duration", "jump: %.3g steps are too many",
            o->duration / o->step);
  if (oscillates(r))
    problem(r, at, "use transient, or give drives and loads 'harmonic: 0'",
            "jump: drives or loads oscillate, and it knows no frequency");
}

static void check_periodic(reader *r, double frequency, const char *what, const pl_node *at) {
  if (!(frequency > 0))
    problem(r, at, "e.g. frequency: 2 Hz", "%s: the frequency must be above zero", what);
  else if (!oscillates(r))
    problem(r, at, "give a drive or load an amplitude and 'harmonic: 1'",
            "%s: no drive and no load oscillates", what);
}

static void check_samples(reader *r, int harmonics, int samples, const char *what,
                          const pl_node *at) {
  if (samples > 0 && samples < 2 * harmonics + 1)
    problem(r, at, "leave samples out: enough are taken",
            "%s: %d harmonics need at least %d samples, got %d", what, harmonics, 2 * harmonics + 1,
            samples);
}

static void check_response(reader *r, const pl_response_opts *o, const pl_node *at) {
  if (!(o->from > 0) || !(o->to > 0) || o->from == o->to)
    problem(r, at, "e.g. from: 1 Hz, to: 10 Hz",
            "response needs 'from' and 'to', both above zero and different");
  else
    check_periodic(r, o->from, "response", at);
  check_samples(r, o->harmonics, o->samples, "response", at);
}

// ---- measurements -----------------------------------------------------------------------------

static int read_data_file(reader *r, const pl_node *at, pl_data_file *out) {
  char path[PL_TEXT];
  const pl_node *file = at;
  if (at->kind == NODE_MAP) {
    data_def d = {0};
    if (!read_map(r, at, &map_data, &d)) return 0;
    file = d.file.at;
    out->frequency = d.frequency.v;
  } else if (at->kind != NODE_SCALAR || !at->text[0]) {
    problem(r, at, "e.g. data: measured.csv", "data must name files");
    return 0;
  }
  if (!scene_file(r, file, "data", path, sizeof path)) return 0;
  out->path = scene_strdup(r, path, strlen(path));
  return out->path != NULL;
}

static void read_data(reader *r, const pl_node *at, double frequency, pl_analysis *a) {
  int many = at->kind == NODE_LIST;
  pl_data_file *d = scene_alloc(r, (size_t)(many ? at->n : 1) + 1, sizeof *d);
  if (!d) return;
  a->data = d;
  for (const pl_node *e = many ? at->first : at; e; e = many ? e->next : NULL) {
    if (!read_data_file(r, e, &d[a->ndata])) continue;
    if (!(d[a->ndata].frequency > 0)) d[a->ndata].frequency = frequency;
    if (!(d[a->ndata].frequency > 0))
      problem(r, e, "give 'frequency' here, or once for all files",
              "fit-damping: nothing says the frequency of this file");
    a->ndata++;
  }
  if (many && at->n == 0) problem(r, at, "e.g. data: measured.csv", "data must name files");
}

static int find_parameter(reader *r, const pl_node *at) {
  const param_def *p = r->def.parameters.item;
  const char *names[64];
  char hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  int n = r->def.parameters.n;
  const char *name = at->kind == NODE_SCALAR ? at->text : "";
  // as it is written elsewhere, too
  if (name[0] == '$') name++;
  for (int k = 0; k < n; k++)
    if (strcmp(p[k].name.s, name) == 0) return k;
  for (int k = 0; k < n && k < COUNT(names); k++) names[k] = p[k].name.s;
  pl_name_hint(name, n < COUNT(names) ? n : COUNT(names), names, hint, sizeof hint);
  problem(r, at, hint, "'%s' is not among the parameters", quote(name, buf, sizeof buf));
  return -1;
}

static void read_parameters(reader *r, const pl_node *at, pl_analysis *a) {
  int many = at->kind == NODE_LIST;
  int *list = scene_alloc(r, (size_t)(many ? at->n : 1) + 1, sizeof *list);
  if (!list) return;
  a->parameter = list;
  for (const pl_node *e = many ? at->first : at; e; e = many ? e->next : NULL) {
    int k = find_parameter(r, e), again = 0;
    for (int i = 0; i < a->nparameter; i++) again |= list[i] == k;
    if (k >= 0 && again) problem(r, e, NULL, "this parameter is in the list already");
    if (k >= 0 && !again) list[a->nparameter++] = k;
  }
}

static void check_fit(reader *r, analysis_def *d, const pl_node *at) {
  const pl_fit_damping_opts *o = &d->a.opts.fit_damping_;
  read_data(r, d->data, o->frequency, &d->a);
  if (d->parameters) read_parameters(r, d->parameters, &d->a);
  if (!oscillates(r))
    problem(r, at, "give a drive or load an amplitude and 'harmonic: 1'",
            "fit-damping: no drive and no load oscillates");
  if (!o->alpha && !o->beta && !d->parameters)
    problem(r, at, "set alpha or beta to yes, or name parameters",
            "fit-damping: there is nothing to fit");
  check_samples(r, o->harmonics, o->samples, "fit-damping", at);
}

static void find_mail(reader *r, analysis_def *d, const pl_node *at) {
  const mail_def *m = r->def.interlocking.item;
  const char *names[32];
  char hint[PL_TEXT];
  int n = r->def.interlocking.n;
  if (n == 0) {
    problem(r, at, "e.g. interlocking: [{four-in-one: {}}]",
            "%s: the scene has no interlocking material", pl_analysis_table[d->a.kind].name);
    return;
  }
  for (int k = 0; d->of.at && k < n; k++)
    if (strcmp(mail_name(&m[k]), d->of.s) == 0) {
      d->a.mail = k;
      return;
    }
  if (!d->of.at) return;
  for (int k = 0; k < n && k < COUNT(names); k++) names[k] = mail_name(&m[k]);
  pl_name_hint(d->of.s, n < COUNT(names) ? n : COUNT(names), names, hint, sizeof hint);
  problem(r, d->of.at, hint, "of: there is no interlocking material '%.60s'", d->of.s);
}

static void find_patch(reader *r, analysis_def *d, const pl_node *at) {
  const patch_def *p = r->def.patches.item;
  const char *names[32];
  char hint[PL_TEXT];
  int n = r->def.patches.n;
  if (n == 0) {
    problem(r, at, "e.g. patches: [{cells: [8, 8], held: {edge: left}}]",
            "%s: the scene has no patch of an interlocking material",
            pl_analysis_table[d->a.kind].name);
    return;
  }
  for (int k = 0; d->of.at && k < n; k++)
    if (strcmp(patch_name(r, &p[k]), d->of.s) == 0) {
      d->a.patch = k;
      return;
    }
  if (!d->of.at) return;
  for (int k = 0; k < n && k < COUNT(names); k++) names[k] = patch_name(r, &p[k]);
  pl_name_hint(d->of.s, n < COUNT(names) ? n : COUNT(names), names, hint, sizeof hint);
  problem(r, d->of.at, hint, "of: there is no patch '%.60s'", d->of.s);
}

// Patches need something that pulls at them, and those that come to rest something that holds them.
static void check_patch(reader *r, const pl_analysis *a, const pl_scene_patch *p,
                        const pl_node *at) {
  int native = a->kind == PL_ANALYSIS_native, moves = native && a->opts.native_.duration > 0;
  if (!p->p.elem || r->nproblem > 0) return;
  if (native && !(pl_norm3(p->p.gravity) > 0) && p->nloaded == 0)
    problem(r, at, "e.g. gravity: [0, 0, -9.81], or loads: [{force: [0, 0, -0.5 N]}] of the patch",
            "%s: nothing pulls at the patch '%.60s'", a->name, p->name);
  if (!moves && p->nheld == 0 && r->def.obstacles.n == 0)
    problem(r, at, "hold some of its elements (held: {edge: left}), or put an obstacle below them",
            "%s: nothing holds the patch '%.60s', and there is no obstacle to fall on", a->name,
            p->name);
}

// what goes by a file over time has no period and no load factor
static void check_over(reader *r, const pl_analysis *a, const pl_node *at) {
  int fits = a->kind == PL_ANALYSIS_static || a->kind == PL_ANALYSIS_transient ||
             a->kind == PL_ANALYSIS_jump || a->kind == PL_ANALYSIS_modes ||
             a->kind == PL_ANALYSIS_drape || a->kind == PL_ANALYSIS_limits ||
             a->kind == PL_ANALYSIS_native || a->kind == PL_ANALYSIS_mail_design ||
             a->kind == PL_ANALYSIS_search;
  if (!r->over_at || fits) return;
  problem(r, at, "use a transient or static for it, and 'harmonic' for periodic motions",
          "%s: a drive or load follows the file of line %d over time",
          pl_analysis_table[a->kind].name, r->over_at->line);
}

// what the ranges of single options cannot tell, for each kind
static void check_limits(reader *r, const pl_analysis *a, const pl_node *at) {
  if (r->def.interlocking.n == 0) return;
  const mail_def *m = (const mail_def *)r->def.interlocking.item + a->mail;
  if (a->opts.limits_.refine > 0 && !m->facets)
    problem(r, at, "e.g. facets: {segments: 12, points: 16} in the material, or leave refine out",
            "limits: refine is for materials with facets");
}

// path: a parameter in place of the load
static void read_control(reader *r, analysis_def *d) {
  const param_def *p = r->def.parameters.item;
  num v;
  d->a.control = -1;
  if (!d->control && !d->control_value) return;
  if (!d->control || !d->control_value) {
    problem(r, d->control ? d->control : d->control_value, "e.g. parameter: rise, value: 5 mm",
            "path: parameter and value belong together");
    return;
  }
  int k = find_parameter(r, d->control);
  if (k < 0) return;
  const char *text = d->control_value->kind == NODE_SCALAR ? d->control_value->text : "";
  if (!read_num_text(r, d->control_value, "value", text, &p[k].dim, &v)) return;
  if (v.par >= 0 || v.v == p[k].v) {
    problem(r, d->control_value, NULL,
            v.par >= 0 ? "path: value must be a plain number"
                       : "path: the parameter has this value already");
    return;
  }
  if (v.v < p[k].lo || v.v > p[k].hi)
    problem(r, d->control_value, "widen min and max of the parameter",
            "path: value %g is outside the bounds %g to %g of '%s'", v.v, p[k].lo, p[k].hi,
            p[k].name.s);
  d->a.control = k;
  d->a.control_value = v.v;
}

static void check_coarsen(reader *r, analysis_def *d, const pl_node *at) {
  const pl_coarsen_opts *o = &d->a.opts.coarsen_;
  int n = 0;
  if (d->record.at && (o->decay > 0 || o->frequency > 0))
    problem(r, d->record.at, "leave out frequency and decay, or the record",
            "coarsen: frequency and decay are found in the record");
  else if (d->record.at)
    d->a.record = read_record(r, &d->record, o->start);
  if (o->decay > 0 && !(o->frequency > 0))
    problem(r, at, "e.g. frequency: 320 Hz, decay: 12 1/s",
            "coarsen: a measured decay needs the frequency, too");
  for (int k = 0; k < r->nbody; k++) n += r->body[k].voxels != NULL;
  if (n != 1)
    problem(r, at, "e.g. mesh: {voxels: {file: part.stl, size: 0.5 mm}}",
            "coarsen: %s made of voxels", n ? "several bodies are" : "no body is");
}

static void check_options(reader *r, analysis_def *d, const pl_node *at) {
  const pl_analysis *a = &d->a;
  switch (a->kind) {
  case PL_ANALYSIS_transient:
    check_transient(r, &a->opts.transient_, at);
    build_cloth(r, d);
    build_plan(r, d, at);
    break;
  case PL_ANALYSIS_static:
    build_plan(r, d, at);
    break;
  case PL_ANALYSIS_drape:
    build_cloth(r, d);
    break;
  case PL_ANALYSIS_jump:
    check_jump(r, &a->opts.jump_, at);
    break;
  case PL_ANALYSIS_periodic:
    check_periodic(r, a->opts.periodic_.frequency, "periodic", at);
    check_samples(r, a->opts.periodic_.harmonics, a->opts.periodic_.samples, "periodic", at);
    build_plan(r, d, at);
    break;
  case PL_ANALYSIS_response:
    check_response(r, &a->opts.response_, at);
    build_plan(r, d, at);
    break;
  case PL_ANALYSIS_backbone:
    check_samples(r, a->opts.backbone_.harmonics, a->opts.backbone_.samples, "backbone", at);
    break;
  case PL_ANALYSIS_fit_damping:
    check_fit(r, d, at);
    break;
  case PL_ANALYSIS_fit_response:
    check_samples(r, a->opts.fit_response_.harmonics, a->opts.fit_response_.samples, "fit-response",
                  at);
    build_plan(r, d, at);
    break;
  case PL_ANALYSIS_explore:
  case PL_ANALYSIS_design:
    build_plan(r, d, at);
    break;
  case PL_ANALYSIS_mail_design:
    find_mail(r, d, at);
    break;
  case PL_ANALYSIS_limits:
    find_mail(r, d, at);
    check_limits(r, a, at);
    break;
  case PL_ANALYSIS_load_path:
    read_control(r, d);
    break;
  case PL_ANALYSIS_coarsen:
    check_coarsen(r, d, at);
    break;
  case PL_ANALYSIS_native:
  case PL_ANALYSIS_macro:
    find_patch(r, d, at);
    break;
  default:
    break;
  }
  if (r->b->nnode == 0 && r->def.interlocking.n > 0 && a->kind != PL_ANALYSIS_limits &&
      a->kind != PL_ANALYSIS_mail_design && a->kind != PL_ANALYSIS_native &&
      a->kind != PL_ANALYSIS_macro && a->kind != PL_ANALYSIS_search)
    problem(r, at, "give nodes, bodies or a mechanism",
            "%s: the scene has interlocking materials alone, for which there are 'limits', "
            "'mail-design', 'native' and 'macro'",
            pl_analysis_table[a->kind].name);
}

static int read_analysis(reader *r, const pl_node *at, analysis_def *d) {
  const pl_node *inner = at->first;
  pl_node *empty = NULL;
  int kind;
  if (at->kind == NODE_SCALAR) {
    // - modes: all by default
    kind = find_kind(r, at, at->text, 0);
    empty = node_new(r, NODE_MAP, NULL, 0);
    if (!empty) return 0;
    empty->line = at->line;
    empty->col = at->col;
    empty->origin = at->origin;
    inner = empty;
  } else if (at->kind == NODE_MAP && at->n == 1) {
    kind = find_kind(r, inner, inner->key, 1);
  } else {
    problem(r, at, "e.g. - static: {steps: 10}",
            "an analysis is a mapping with one key, the kind of analysis");
    return 0;
  }
  if (kind < 0) return 0;
  int ok = read_map(r, inner, &map_analysis[kind], d);
  d->a.kind = kind;
  d->a.line = inner->key_line ? inner->key_line : inner->line;
  d->a.col = inner->key_line ? inner->key_col : inner->col;
  if (ok) check_options(r, d, inner);
  if (ok) check_over(r, &d->a, inner);
  return 1;
}

// ---- nodes of objectives ----------------------------------------------------------------------

static int is_probed(const pl_probe *w, int n, int node) {
  for (int k = 0; k < n; k++)
    if (w[k].node == node && w[k].component < 0) return 1;
  return 0;
}

static int has_name(const pl_probe *w, int n, const char *name) {
  for (int k = 0; k < n; k++)
    if (strcmp(w[k].name, name) == 0) return 1;
  return 0;
}

// nodes that objectives look at are probed, called by their own names where they have one
static void probe_node(reader *r, int node, pl_probe *w, int *n) {
  char text[64];
  const char *name = r->b->label[node];
  if (is_probed(w, *n, node)) return;
  for (int k = 0; !name && k < r->nset; k++)
    if (r->set[k].nodes.n == 1 && r->set[k].nodes.v[0] == node) name = r->set[k].name;
  if (!name || has_name(w, *n, name)) {
    snprintf(text, sizeof text, "node-%d", node);
    name = scene_strdup(r, text, strlen(text));
  }
  if (name) w[(*n)++] = (pl_probe){name, node, -1};
}

static int plan_nodes(const pl_design_plan *p) {
  int n = p ? p->nalong : 0;
  for (int k = 0; p && k < p->problem.nobjective; k++) n += p->problem.objective[k].nnode;
  return n;
}

static void probe_plan(reader *r, const pl_design_plan *p, pl_probe *w, int *n) {
  for (int k = 0; p && k < p->problem.nobjective; k++)
    for (int i = 0; i < p->problem.objective[k].nnode; i++)
      probe_node(r, p->problem.objective[k].node[i], w, n);
  for (int k = 0; p && k < p->nalong; k++) probe_node(r, p->along[k].node, w, n);
}

// ---- all --------------------------------------------------------------------------------------

static void build_list(reader *r, const pl_node *at, pl_scene *s) {
  int nprobe = s->nprobe, n = 0;
  const pl_probe *shared = s->probe;
  if (at->kind != NODE_LIST) {
    problem(r, at, "e.g. [{static: {}}, {modes: {count: 10}}]",
            "analyses must be a list, each entry a mapping with one key");
    return;
  }
  if (at->n > ANALYSES_MAX) {
    problem(r, at, NULL, "at most %d analyses are possible, got %d", ANALYSES_MAX, at->n);
    return;
  }
  analysis_def *d = scene_alloc(r, (size_t)at->n + 1, sizeof *d);
  pl_analysis *a = scene_alloc(r, (size_t)at->n + 1, sizeof *a);
  if (!d || !a) return;
  for (const pl_node *e = at->first; e && !r->failed; e = e->next) {
    if (!read_analysis(r, e, &d[n])) continue;
    name_analysis(r, d, n);
    d[n].at = e;
    check_name(r, &d[n]);
    find_about(r, d, n);
    build_stage(r, d, n);
    if (d[n].a.kind == PL_ANALYSIS_macro) find_sheet_material(r, s, d, n);
    if ((d[n].a.kind == PL_ANALYSIS_macro || d[n].a.kind == PL_ANALYSIS_native) && s->npatch > 0)
      check_patch(r, &d[n].a, &s->patch[d[n].a.patch], e);
    int own;
    pl_probe *w = read_probes(r, d[n].probe, nprobe + plan_nodes(d[n].a.plan), &own);
    if (!w) return;
    for (int k = 0; k < own; k++)
      if (has_name(shared, nprobe, w[k].name))
        problem(r, d[n].probe, "leave it out here, or choose another name",
                "watch: '%s' is watched by the whole scene already", w[k].name);
    memcpy(w + own, shared, (size_t)nprobe * sizeof *w);
    d[n].a.probe = w;
    d[n].a.nprobe = own + nprobe;
    probe_plan(r, d[n].a.plan, w, &d[n].a.nprobe);
    if (d[n].a.kind == PL_ANALYSIS_mail_design && s->nmail > 0)
      build_mail_plan(r, &d[n], &s->mail[d[n].a.mail], e);
    if (d[n].a.kind == PL_ANALYSIS_limits && s->nmail > 0)
      check_gradients(r, &d[n].a, &s->mail[d[n].a.mail], e);
    if (d[n].measured && d[n].a.kind == PL_ANALYSIS_limits)
      build_measured_limits(r, d[n].measured, &d[n].a);
    else if (d[n].measured)
      build_measured(r, d[n].measured, d[n].a.nprobe, w, &d[n].a);
    if (d[n].a.kind == PL_ANALYSIS_fit_damping && own + nprobe == 0)
      problem(r, e, "e.g. watch: {tip: wing nearest [1, 0, 0]}",
              "fit-damping: no place is watched, so there is nothing to compare");
    if (d[n].a.kind == PL_ANALYSIS_explore && d[n].a.nprobe == 0 && d[n].a.plan &&
        d[n].a.plan->problem.nobjective == 0)
      problem(r, e, "e.g. watch: {tip: wing nearest [1, 0, 0]}",
              "explore: no place is watched, so there is nothing to tell");
    n++;
  }
  for (int k = 0; k < n; k++)
    if (d[k].a.kind == PL_ANALYSIS_search) build_search(r, d, n, k);
  for (int k = 0; k < n; k++) a[k] = d[k].a;
  s->analysis = a;
  s->nanalysis = n;
  r->analysis = d;
  r->nanalysis = n;
}

void build_analyses(reader *r, pl_scene *s) {
  s->probe = read_probes(r, r->def.probe, 0, &s->nprobe);
  if (!s->probe) return;
  if (r->def.analyses) build_list(r, r->def.analyses, s);
  if (!r->explore || r->nproblem || r->failed) return;
  const pl_node *at = state_exploration(r, s);
  if (at) build_list(r, at, s);
}
