#ifndef BENCH_CLOTH_H
#define BENCH_CLOTH_H

// The swinging cloth of the thesis (table 3.1) with its implicit step and its limits of stretch:
// that of gallery/swing, of any size.
#include "bench.h"

typedef struct cloth {
  int n, nvert, nq;
  double limit;
  pl_scene *scene;
  pl_work *w;
  pl_implicit *euler;
  pl_sheet *exact, *sampled;
  double *mass, *vc, *ac;
} cloth;

static inline void *buffer(int n, size_t size) {
  void *p = calloc((size_t)n + 1, size);
  if (!p) exit(1);
  return p;
}

static inline void open_sheets(cloth *k, int ndirection, int nthread) {
  double b = 1 + k->limit, B[1][3] = {{b * b, b * b, 0}}, angle[64], bound[64];
  for (int i = 0; i < ndirection; i++) {
    angle[i] = PL_PI * i / ndirection;
    bound[i] = b;
  }
  const pl_limit round = {.nellipse = 1, .B = (const double(*)[3])B};
  const pl_limit flat = {.ndirection = ndirection, .angle = angle, .bound = bound};
  pl_sheet_desc d = k->scene->sheet;
  d.weight = k->mass;
  d.threads = k->w->threads;
  d.nlimit = 1;
  d.limit_of = NULL;
  d.limit = &round;
  must(pl_sheet_create(&env, &d, nthread, &k->exact));
  d.limit = &flat;
  must(pl_sheet_create(&env, &d, nthread, &k->sampled));
}

// Squares a side, largest strain.
static inline void open_cloth(cloth *k, int n, double limit, int nthread) {
  char text[1024];
  int size =
      snprintf(text, sizeof text,
               "pliant: 1\n"
               "materials: {cloth: {young: 1800, poisson: 0.41, density: 200}}\n"
               "bodies:\n"
               "  - name: cloth\n"
               "    shell:\n"
               "      mesh: {grid: {size: [0.5, 0.5], cells: [%d, %d], pattern: alternating}}\n"
               "      material: cloth\n"
               "      thickness: 0.5 mm\n"
               "      limit: {stretch: 1 %%}\n"
               "fixed: \"cloth nearest [0, 0.5, 0] or cloth nearest [0.5, 0.5, 0]\"\n"
               "gravity: [0, 0, -9.81]\n"
               "analyses: [{transient: {method: project, duration: 1, step: 10 ms}}]\n",
               n, n);
  *k = (cloth){.n = n, .limit = limit};
  must(pl_scene_parse(&env, "cloth", ".", text, (size_t)size, 0, NULL, NULL, &k->scene));
  const pl_model *m = k->scene->model;
  k->nvert = pl_model_nnode(m);
  k->nq = pl_model_nq(m);
  must(pl_work_create(m, nthread, &k->w));
  pl_transient_opts o;
  pl_opts_default(pl_transient_option_table, pl_transient_option_count, &o);
  o.method = PL_PROJECT;
  must(pl_implicit_create(&o, m, k->scene->params, k->w, &k->euler));
  pl_implicit_exactly(k->euler, 4);
  k->mass = buffer(k->nvert, sizeof *k->mass);
  k->vc = buffer(k->nq, sizeof *k->vc);
  k->ac = buffer(k->nq, sizeof *k->ac);
  pl_node_masses(m, k->scene->params, k->mass);
  open_sheets(k, 4, nthread);
}

static inline void close_cloth(cloth *k) {
  pl_implicit_free(k->euler);
  pl_sheet_free(k->exact);
  pl_sheet_free(k->sampled);
  pl_work_free(k->w);
  pl_scene_free(k->scene);
  free(k->mass);
  free(k->vc);
  free(k->ac);
}

// An implicit Euler step of h without limits from s to x.
static inline void free_step(cloth *k, const pl_state *s, double h, pl_state *x) {
  for (int q = 0; q < k->nq; q++) {
    k->vc[q] = -s->q[q] / h;
    k->ac[q] = -(s->q[q] / h + s->v[q]) / h;
  }
  pl_state_copy(x, s);
  for (int q = 0; q < k->nq; q++) x->q[q] += h * s->v[q];
  must(pl_implicit_solve(k->euler, s->t + h, 1 / h, 1 / (h * h), k->vc, k->ac, x, NULL));
}

// The state at the end of a step that went to the positions y.
static inline void end_step(const cloth *k, const double *y, double h, pl_state *s) {
  for (int q = 0; q < 3 * k->nvert; q++) {
    s->v[q] = (y[q] - s->q[q]) / h;
    s->q[q] = y[q];
  }
  s->t += h;
}

#endif
