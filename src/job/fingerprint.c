// Fingerprints of what a checkpoint must not differ in.
#include "checkpoint.h"

#include "pliant/math.h"

#include <stddef.h>
#include <string.h>

// every step is invertible, so that no single change is lost
static uint64_t mix(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 32);
}

uint64_t print_bytes(uint64_t h, const void *data, size_t size) {
  const char *p = data;
  size_t left = size;
  h = mix(h, size);
  for (; left >= sizeof h; left -= sizeof h, p += sizeof h) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    h = mix(h, word);
  }
  if (left == 0) return h;
  uint64_t last = 0;
  memcpy(&last, p, left);
  return mix(h, last);
}

static uint64_t print_text(uint64_t h, const char *s) {
  return print_bytes(h, s ? s : "", s ? strlen(s) : 0);
}

static uint64_t print_reals(uint64_t h, const double *x, int n) {
  return print_bytes(h, x, x ? (size_t)n * sizeof *x : 0);
}

static uint64_t print_ints(uint64_t h, const int *x, int n) {
  return print_bytes(h, x, x ? (size_t)n * sizeof *x : 0);
}

// ---- the model ----------------------------------------------------------------------------------

// limits of stretch and where they hold
static uint64_t print_limits(uint64_t h, const pl_sheet_desc *d) {
  h = print_reals(h, d->rest, 6 * d->ntri);
  h = print_ints(h, d->limit_of, d->ntri);
  for (int k = 0; k < d->nlimit; k++) {
    const pl_limit *l = &d->limit[k];
    h = print_bytes(h, l->B, (size_t)l->nellipse * sizeof *l->B);
    h = print_reals(h, l->angle, l->ndirection);
    h = print_reals(h, l->bound, l->ndirection);
  }
  return h;
}

static void print_more(void *ctx, int n, const double *x) {
  *(uint64_t *)ctx = print_reals(*(uint64_t *)ctx, x, n);
}

static uint64_t print_obstacle(uint64_t h, const pl_obstacle *o) {
  h = print_text(h, o->kind->name);
  // all between them is numbers
  h = print_bytes(h, o->centre, offsetof(pl_obstacle, data) - offsetof(pl_obstacle, centre));
  if (o->data && o->kind->digest) o->kind->digest(o->data, print_more, &h);
  return h;
}

static uint64_t print_contact(uint64_t h, const pl_contact_desc *d) {
  if (d->nnode == 0) return h;
  for (int k = 0; k < d->nobstacle; k++) h = print_obstacle(h, &d->obstacle[k]);
  h = print_ints(h, d->node, d->nnode);
  h = print_reals(h, d->radius, d->nnode);
  h = print_ints(h, d->tri, 3 * d->ntri);
  h = print_ints(h, d->segment, 2 * d->nsegment);
  return print_reals(h, d->mu, d->nnode * d->nobstacle);
}

// Drives and loads by what they do at two moments, whatever they are made of.
static pl_status print_motion(const job *j, uint64_t *h) {
  static const pl_clock probe[2] = {{.t = 0.37, .omega = 1.7, .scale = 1},
                                    {.t = 1.93, .omega = 2.9, .scale = 1}};
  const pl_scene *sc = j->scene;
  pl_state *s;
  PL_TRY(pl_state_create(sc->model, sc->params, &s));
  double *force = pl_alloc(j->env, (size_t)s->nq, sizeof *force);
  for (int k = 0; force && k < 2; k++) {
    pl_drive(sc->model, sc->params, &probe[k], s);
    pl_load(sc->model, sc->params, &probe[k], force);
    *h = print_reals(*h, s->q, 3 * s->nq);
    *h = print_reals(*h, force, s->nq);
  }
  *h = print_ints(*h, pl_model_free_index(sc->model), s->nq);
  *h = print_reals(*h, sc->u0, s->nq);
  *h = print_reals(*h, sc->v0, s->nq);
  pl_status st = force ? PL_OK : PL_E_NOMEM;
  pl_free(j->env, force);
  pl_state_free(sc->model, s);
  return st;
}

pl_status print_model(const job *j, uint64_t *out) {
  const pl_scene *sc = j->scene;
  const pl_params *p = sc->params;
  uint64_t h = print_reals(0, p->par, p->npar);
  h = print_reals(h, p->X, p->nref);
  h = print_reals(h, p->rest, p->nrest);
  h = print_reals(h, p->M.val, (int)p->M.nnz);
  if (sc->sheet.nlimit > 0) h = print_limits(h, &sc->sheet);
  if (sc->layers.nvert > 0) {
    h = print_reals(h, &sc->layers.thickness, 1);
    h = print_reals(h, &sc->layers.mu, 1);
  }
  h = print_contact(h, &sc->contact);
  PL_TRY(print_motion(j, &h));
  *out = h;
  return PL_OK;
}

// ---- an analysis --------------------------------------------------------------------------------

// options that say how long to go on, or what happens afterwards
static const struct {
  int kind;
  const char *name;
} free_option[] = {
    {PL_ANALYSIS_transient, "duration"}, {PL_ANALYSIS_transient, "periods"},
    {PL_ANALYSIS_jump, "duration"},      {PL_ANALYSIS_drape, "max_steps"},
    {PL_ANALYSIS_design, "max_iter"},    {PL_ANALYSIS_design, "max_eval"},
    {PL_ANALYSIS_design, "apply"},       {PL_ANALYSIS_fit_damping, "max_iter"},
    {PL_ANALYSIS_fit_damping, "apply"},  {PL_ANALYSIS_fit_response, "max_iter"},
    {PL_ANALYSIS_fit_response, "apply"}, {PL_ANALYSIS_response, "points"},
    {PL_ANALYSIS_backbone, "points"},
};

static int is_free(int kind, const char *name) {
  for (size_t k = 0; k < sizeof free_option / sizeof free_option[0]; k++)
    if (free_option[k].kind == kind && strcmp(free_option[k].name, name) == 0) return 1;
  return 0;
}

static uint64_t print_options(uint64_t h, int kind, const pl_option *table, int n,
                              const void *opts) {
  for (int k = 0; k < n; k++) {
    size_t size = table[k].type == PL_OPT_REAL ? sizeof(double) : sizeof(int);
    if (is_free(kind, table[k].name)) continue;
    h = print_text(h, table[k].name);
    h = print_bytes(h, (const char *)opts + table[k].offset, size);
  }
  return h;
}

// factors of an analysis and of those that it comes after
static uint64_t print_stages(uint64_t h, const job *j, const pl_analysis *a) {
  const pl_builder *b = pl_scene_builder(j->scene);
  for (;; a = &j->scene->analysis[a->about]) {
    if (a->stage) {
      h = print_reals(h, a->stage->load, b->nload);
      h = print_reals(h, a->stage->drive, b->ndrive);
      h = print_bytes(h, a->stage->off, (size_t)b->ndrive);
      h = print_bytes(h, a->stage->hold, (size_t)b->ndrive);
      h = print_reals(h, &a->stage->gravity, 1);
    }
    if (a->about < 0) return h;
  }
}

static uint64_t print_variable(uint64_t h, const job *j, const pl_variable *v) {
  int what[3] = {(int)v->kind, v->index, (int)v->scale};
  double bound[4] = {v->min, v->max, 0, 0};
  if (v->kind == PL_VARIABLE_DESIGN) {
    const pl_design_desc *d = pl_model_design(j->scene->model, v->index);
    bound[2] = d->min;
    bound[3] = d->max;
  }
  return print_reals(print_ints(h, what, 3), bound, 4);
}

static uint64_t print_objective(uint64_t h, const pl_objective *b, int dim) {
  int what[9] = {b->drive, b->point,  b->mask,         (int)b->goal, b->nharm,
                 b->means, b->phases, (int)b->measure, b->harmonic};
  double value[6] = {b->weight, b->target, b->sharpness, b->from, b->to, b->exponent};
  h = print_ints(print_text(h, b->kind->name), what, 9);
  h = print_reals(h, value, 6);
  h = print_ints(h, b->node, b->nnode);
  return print_reals(h, b->coef, b->nnode * dim * (2 * b->nharm + 1));
}

static uint64_t print_problem(uint64_t h, const job *j, const pl_design_problem *p) {
  for (int k = 0; k < p->nvariable; k++) h = print_variable(h, j, &p->variable[k]);
  for (int k = 0; k < p->npoint; k++) h = print_reals(h, &p->point[k].omega, 1);
  for (int k = 0; k < p->nobjective; k++) h = print_objective(h, &p->objective[k], j->scene->dim);
  return h;
}

// measured motions: the file as it is now
static uint64_t print_data(uint64_t h, const pl_data_file *d) {
  char hex[65];
  h = print_reals(print_text(h, d->path), &d->frequency, 1);
  return pl_sha256_file(d->path, hex) ? print_text(h, hex) : h;
}

static uint64_t print_measured(uint64_t h, const pl_frf *f) {
  int what[] = {f->n,     (int)f->kind, f->harmonic,   f->node,    f->axis,
                f->order, (int)f->per,  (int)f->sweep, f->relative};
  h = print_ints(h, what, sizeof what / sizeof *what);
  h = print_reals(h, f->omega, f->n);
  h = print_reals(h, f->re, f->n);
  return f->im ? print_reals(h, f->im, f->n) : h;
}

// all numbers of an interlocking material
static uint64_t print_mail(uint64_t h, const pl_mail *m) {
  h = print_reals(h, m->lattice[0], 4);
  h = print_ints(h, m->kind_of, m->nelem);
  for (int e = 0; e < m->nelem; e++) {
    h = print_reals(h, m->pose[e].x, 3);
    h = print_reals(h, m->pose[e].Q, 9);
  }
  for (int k = 0; k < m->nkind; k++)
    for (int i = 0; i < m->kind[k].npiece; i++) {
      const pl_piece *p = &m->kind[k].piece[i];
      const double size[4] = {p->radius, p->major, p->height, p->straight};
      int n = 0;
      const double(*x)[3] = p->facets ? pl_facets_corners(p->facets, &n) : NULL;
      h = print_reals(print_reals(h, size, 4), p->centre, 3);
      h = print_reals(print_reals(h, p->axis, 3), p->out[0], 3);
      if (p->nharmonic > 0) {
        h = print_reals(h, p->cosine[0], 3 * p->nharmonic);
        h = print_reals(h, p->sine[0], 3 * p->nharmonic);
      }
      if (x) h = print_reals(h, x[0], 3 * n);
    }
  return h;
}

// a search depends on other analyses, too: on all that is written in the scene
static uint64_t print_scene(uint64_t h, const job *j) {
  pl_text text;
  pl_text_init(&text, j->env);
  pl_scene_write(j->scene, &text);
  if (text.s) h = print_bytes(h, text.s, text.n);
  pl_text_free(&text);
  return h;
}

uint64_t print_analysis(const job *j, const pl_analysis *a) {
  const pl_analysis_kind *kind = &pl_analysis_table[a->kind];
  uint64_t h = print_options(0, a->kind, kind->option, *kind->noption, &a->opts);
  if (a->search) h = print_scene(h, j);
  h = print_ints(h, &a->about, 1);
  h = print_stages(h, j, a);
  for (int k = 0; k < a->nprobe; k++) {
    int place[2] = {a->probe[k].node, a->probe[k].component};
    h = print_text(print_ints(h, place, 2), a->probe[k].name);
  }
  for (int k = 0; k < a->ndata; k++) h = print_data(h, &a->data[k]);
  // over a response they are only laid
  for (int k = 0; a->kind == PL_ANALYSIS_fit_response && k < a->nmeasured; k++)
    h = print_measured(h, &a->measured[k].f);
  h = print_ints(h, a->parameter, a->nparameter);
  if (a->kind == PL_ANALYSIS_limits) h = print_mail(h, j->scene->mail[a->mail].m);
  if (a->plan) h = print_problem(h, j, &a->plan->problem);
  if (!a->cloth) return h;
  h = print_ints(h, &a->cloth->plain, 1);
  return print_options(h, -1, pl_project_option_table, pl_project_option_count, &a->cloth->project);
}
