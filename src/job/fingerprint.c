// Fingerprints of what a checkpoint must not differ in.
#include "checkpoint.h"

#include "pliant/math.h"

#include <stddef.h>
#include <string.h>

static uint64_t hash_text(uint64_t h, const char *s) {
  return pl_hash(h, s ? s : "", s ? strlen(s) : 0);
}

static uint64_t hash_reals(uint64_t h, const double *x, int n) {
  return pl_hash(h, x, x ? (size_t)n * sizeof *x : 0);
}

static uint64_t hash_ints(uint64_t h, const int *x, int n) {
  return pl_hash(h, x, x ? (size_t)n * sizeof *x : 0);
}

// ---- the model ----------------------------------------------------------------------------------

// limits of stretch and where they hold
static uint64_t hash_limits(uint64_t h, const pl_sheet_desc *d) {
  h = hash_reals(h, d->rest, 6 * d->ntri);
  h = hash_ints(h, d->limit_of, d->ntri);
  for (int k = 0; k < d->nlimit; k++) {
    const pl_limit *l = &d->limit[k];
    h = pl_hash(h, l->B, (size_t)l->nellipse * sizeof *l->B);
    h = hash_reals(h, l->angle, l->ndirection);
    h = hash_reals(h, l->bound, l->ndirection);
  }
  return h;
}

static void hash_more(void *ctx, int n, const double *x) {
  *(uint64_t *)ctx = hash_reals(*(uint64_t *)ctx, x, n);
}

static uint64_t hash_obstacle(uint64_t h, const pl_obstacle *o) {
  h = hash_text(h, o->kind->name);
  // all between them is numbers
  h = pl_hash(h, o->centre, offsetof(pl_obstacle, data) - offsetof(pl_obstacle, centre));
  if (o->data && o->kind->digest) o->kind->digest(o->data, hash_more, &h);
  return h;
}

static uint64_t hash_contact(uint64_t h, const pl_contact_desc *d) {
  if (d->nnode == 0) return h;
  for (int k = 0; k < d->nobstacle; k++) h = hash_obstacle(h, &d->obstacle[k]);
  h = hash_ints(h, d->node, d->nnode);
  h = hash_reals(h, d->radius, d->nnode);
  h = hash_ints(h, d->tri, 3 * d->ntri);
  h = hash_ints(h, d->segment, 2 * d->nsegment);
  return hash_reals(h, d->mu, d->nnode * d->nobstacle);
}

// Drives and loads by what they do at two moments, whatever they are made of.
static pl_status hash_motion(const job *j, uint64_t *h) {
  static const pl_clock probe[2] = {{.t = 0.37, .omega = 1.7, .scale = 1},
                                    {.t = 1.93, .omega = 2.9, .scale = 1}};
  const pl_scene *sc = j->scene;
  pl_state *s;
  PL_TRY(pl_state_create(sc->model, sc->params, &s));
  double *force = pl_alloc(j->env, (size_t)s->nq, sizeof *force);
  for (int k = 0; force && k < 2; k++) {
    pl_drive(sc->model, sc->params, &probe[k], s);
    pl_load(sc->model, sc->params, &probe[k], force);
    *h = hash_reals(*h, s->q, 3 * s->nq);
    *h = hash_reals(*h, force, s->nq);
  }
  *h = hash_ints(*h, pl_model_free_index(sc->model), s->nq);
  *h = hash_reals(*h, sc->u0, s->nq);
  *h = hash_reals(*h, sc->v0, s->nq);
  pl_status st = force ? PL_OK : PL_E_NOMEM;
  pl_free(j->env, force);
  pl_state_free(sc->model, s);
  return st;
}

pl_status hash_model(const job *j, uint64_t *out) {
  const pl_scene *sc = j->scene;
  const pl_params *p = sc->params;
  uint64_t h = hash_reals(0, p->par, p->npar);
  h = hash_reals(h, p->X, p->nref);
  h = hash_reals(h, p->rest, p->nrest);
  h = hash_reals(h, p->M.val, (int)p->M.nnz);
  if (sc->sheet.nlimit > 0) h = hash_limits(h, &sc->sheet);
  if (sc->layers.nvert > 0) {
    h = hash_reals(h, &sc->layers.thickness, 1);
    h = hash_reals(h, &sc->layers.mu, 1);
  }
  h = hash_contact(h, &sc->contact);
  PL_TRY(hash_motion(j, &h));
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

static uint64_t hash_options(uint64_t h, int kind, const pl_option *table, int n,
                             const void *opts) {
  for (int k = 0; k < n; k++) {
    size_t size = table[k].type == PL_OPT_REAL ? sizeof(double) : sizeof(int);
    if (is_free(kind, table[k].name)) continue;
    h = hash_text(h, table[k].name);
    h = pl_hash(h, (const char *)opts + table[k].offset, size);
  }
  return h;
}

// factors of an analysis and of those that it comes after
static uint64_t hash_stages(uint64_t h, const job *j, const pl_analysis *a) {
  const pl_builder *b = pl_scene_builder(j->scene);
  for (;; a = &j->scene->analysis[a->about]) {
    if (a->stage) {
      h = hash_reals(h, a->stage->load, b->nload);
      h = hash_reals(h, a->stage->drive, b->ndrive);
      h = pl_hash(h, a->stage->off, (size_t)b->ndrive);
      h = pl_hash(h, a->stage->hold, (size_t)b->ndrive);
      h = hash_reals(h, &a->stage->gravity, 1);
    }
    if (a->about < 0) return h;
  }
}

static uint64_t hash_variable(uint64_t h, const job *j, const pl_variable *v) {
  int what[3] = {(int)v->kind, v->index, (int)v->scale};
  double bound[4] = {v->min, v->max, 0, 0};
  if (v->kind == PL_VARIABLE_DESIGN) {
    const pl_design_desc *d = pl_model_design(j->scene->model, v->index);
    bound[2] = d->min;
    bound[3] = d->max;
  }
  return hash_reals(hash_ints(h, what, 3), bound, 4);
}

static uint64_t hash_objective(uint64_t h, const pl_objective *b, int dim) {
  int what[9] = {b->drive, b->point,  b->mask,         (int)b->goal, b->nharm,
                 b->means, b->phases, (int)b->measure, b->harmonic};
  double value[6] = {b->weight, b->target, b->sharpness, b->from, b->to, b->exponent};
  h = hash_ints(hash_text(h, b->kind->name), what, 9);
  h = hash_reals(h, value, 6);
  h = hash_ints(h, b->node, b->nnode);
  return hash_reals(h, b->coef, b->nnode * dim * (2 * b->nharm + 1));
}

static uint64_t hash_problem(uint64_t h, const job *j, const pl_design_problem *p) {
  for (int k = 0; k < p->nvariable; k++) h = hash_variable(h, j, &p->variable[k]);
  for (int k = 0; k < p->npoint; k++) h = hash_reals(h, &p->point[k].omega, 1);
  for (int k = 0; k < p->nobjective; k++) h = hash_objective(h, &p->objective[k], j->scene->dim);
  return h;
}

// measured motions: the file as it is now
static uint64_t hash_data(uint64_t h, const pl_data_file *d) {
  char hex[65];
  h = hash_reals(hash_text(h, d->path), &d->frequency, 1);
  return pl_sha256_file(d->path, hex) ? hash_text(h, hex) : h;
}

static uint64_t hash_measured(uint64_t h, const pl_frf *f) {
  int what[] = {f->n,     (int)f->kind, f->harmonic,   f->node,    f->axis,
                f->order, (int)f->per,  (int)f->sweep, f->relative};
  h = hash_ints(h, what, sizeof what / sizeof *what);
  h = hash_reals(h, f->omega, f->n);
  h = hash_reals(h, f->re, f->n);
  return f->im ? hash_reals(h, f->im, f->n) : h;
}

// all numbers of an interlocking material
static uint64_t hash_mail(uint64_t h, const pl_mail *m) {
  h = hash_reals(h, m->lattice[0], 4);
  h = hash_ints(h, m->kind_of, m->nelem);
  for (int e = 0; e < m->nelem; e++) {
    h = hash_reals(h, m->pose[e].x, 3);
    h = hash_reals(h, m->pose[e].Q, 9);
  }
  for (int k = 0; k < m->nkind; k++)
    for (int i = 0; i < m->kind[k].npiece; i++) {
      const pl_piece *p = &m->kind[k].piece[i];
      const double size[4] = {p->radius, p->major, p->height, p->straight};
      int n = 0;
      const double(*x)[3] = p->facets ? pl_facets_corners(p->facets, &n) : NULL;
      h = hash_reals(hash_reals(h, size, 4), p->centre, 3);
      h = hash_reals(hash_reals(h, p->axis, 3), p->out[0], 3);
      if (p->nharmonic > 0) {
        h = hash_reals(h, p->cosine[0], 3 * p->nharmonic);
        h = hash_reals(h, p->sine[0], 3 * p->nharmonic);
      }
      if (x) h = hash_reals(h, x[0], 3 * n);
    }
  return h;
}

// a search depends on other analyses, too: on all that is written in the scene
static uint64_t hash_scene(uint64_t h, const job *j) {
  pl_text text;
  pl_text_init(&text, j->env);
  pl_scene_write(j->scene, &text);
  if (text.s) h = pl_hash(h, text.s, text.n);
  pl_text_free(&text);
  return h;
}

uint64_t hash_analysis(const job *j, const pl_analysis *a) {
  const pl_analysis_kind *kind = &pl_analysis_table[a->kind];
  uint64_t h = hash_options(0, a->kind, kind->option, *kind->noption, &a->opts);
  if (a->search) h = hash_scene(h, j);
  h = hash_ints(h, &a->about, 1);
  h = hash_stages(h, j, a);
  for (int k = 0; k < a->nprobe; k++) {
    int place[2] = {a->probe[k].node, a->probe[k].component};
    h = hash_text(hash_ints(h, place, 2), a->probe[k].name);
  }
  for (int k = 0; k < a->ndata; k++) h = hash_data(h, &a->data[k]);
  // over a response they are only laid
  for (int k = 0; a->kind == PL_ANALYSIS_fit_response && k < a->nmeasured; k++)
    h = hash_measured(h, &a->measured[k].f);
  h = hash_ints(h, a->parameter, a->nparameter);
  if (a->kind == PL_ANALYSIS_limits) h = hash_mail(h, j->scene->mail[a->mail].m);
  if (a->plan) h = hash_problem(h, j, &a->plan->problem);
  if (!a->cloth) return h;
  h = hash_ints(h, &a->cloth->plain, 1);
  return hash_options(h, -1, pl_project_option_table, pl_project_option_count, &a->cloth->project);
}
