// Two analyses of one model at the same time: a frequency response and a transient of one duffing
// oscillator, each with a host, scratch and state of its own, in threads of their own. Both give
// what they give alone, to the bit.
#include "pliant/pliant.h"

#include <pthread.h>
#include <stdio.h>

typedef struct task {
  const pl_built *m;
  int transient;
  pl_status status;
  double value; // frequency of the peak, or place at the end
} task;

static pl_status respond(const pl_built *m, pl_work *w, double *peak) {
  pl_response_opts o = pl_response_defaults();
  pl_curve *c = NULL;
  o.from = 0.3;
  o.to = 3;
  pl_status s = pl_response(&o, m->model, m->params, w, 1, (int[]){0}, NULL, &c);
  if (s == PL_OK) *peak = pl_curve_peak(c);
  pl_curve_free(c);
  return s;
}

static pl_status swing(const pl_built *m, pl_work *w, double *place) {
  pl_transient_opts o = pl_transient_defaults();
  pl_state *state;
  o.duration = 200;
  o.step = 0.02;
  o.frequency = 1.5;
  PL_TRY(pl_state_create(m->model, m->params, &state));
  pl_status s = pl_transient(&o, m->model, m->params, state, NULL, w, NULL, NULL, NULL);
  *place = state->q[0];
  pl_state_free(m->model, state);
  return s;
}

static void *work_on(void *ctx) {
  task *t = ctx;
  pl_env host;
  pl_work *w;
  pl_env_init(&host);
  t->status = pl_work_create_for(&host, t->m->model, 1, &w);
  if (t->status != PL_OK) return NULL;
  t->status = t->transient ? swing(t->m, w, &t->value) : respond(t->m, w, &t->value);
  pl_work_free(w);
  return NULL;
}

static pl_status build(pl_built *out) {
  pl_builder *b;
  PL_TRY(pl_builder_create(NULL, 1, &b));
  int node = pl_build_node(b, (double[3]){0}, "mass");
  const pl_setting spring[] = {{"cubic", {.v = 0.5}}, {"damping", {.v = 0.1}}, {0}};
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, spring); // -1: the ground
  pl_build_element(b, pl_elem_find("mass1"), &node, NULL);
  pl_build_load(b, &(pl_load_desc){.nnode = 1, .node = &node, .term = {1, {0.3}, 0}});
  return pl_build_all(b, 1, out);
}

int main(void) {
  pl_built m;
  if (build(&m) != PL_OK) return 1;
  task together[2] = {{.m = &m}, {.m = &m, .transient = 1}}, alone[2] = {together[0], together[1]};
  pthread_t thread[2];
  for (int k = 0; k < 2; k++)
    if (pthread_create(&thread[k], NULL, work_on, &together[k]) != 0) return 1;
  for (int k = 0; k < 2; k++) pthread_join(thread[k], NULL);
  for (int k = 0; k < 2; k++) work_on(&alone[k]);
  int same = together[0].value == alone[0].value && together[1].value == alone[1].value;
  printf("peak  %.8f rad/s\nplace %.8f m\nsame  %d\n", together[0].value, together[1].value, same);
  pl_built_free(&m);
  return together[0].status != PL_OK || together[1].status != PL_OK;
}

/* TEST
command: 09-two-threads
same: 1
*/
