// Two analyses of one model at the same time: the frequency about rest and the frequency response
// of one duffing oscillator, each with a host, scratch and state of its own, in two threads. One
// harmonic alone has its peak where w^4 = w^2 + 3.375, at 1.5505 rad/s.
#include "pliant/pliant.h"

#include <pthread.h>
#include <stdio.h>

static void *find_frequency(void *model) {
  double omega;
  if (pl_built_modes(model, 1, &omega, NULL) == PL_OK) printf("frequency %.8f rad/s\n", omega);
  return NULL;
}

int main(void) {
  pl_builder *b;
  pl_built m, shared;
  pl_curve *curve = NULL;
  pthread_t thread;
  if (pl_builder_create(NULL, 1, &b) != PL_OK) return 1;
  int node = pl_build_node(b, (double[3]){0}, "mass");
  const pl_setting spring[] = {{"cubic", {.v = 0.5}}, {"damping", {.v = 0.1}}, {0}};
  pl_build_element(b, pl_elem_find("spring1"), (int[]){-1, node}, spring); // -1: the ground
  pl_build_element(b, pl_elem_find("mass1"), &node, NULL);
  pl_build_load(b, &(pl_load_desc){.nnode = 1, .node = &node, .term = {1, {0.3}, 0}});
  if (pl_build_all(b, 1, &m) != PL_OK || pl_built_share(&m, 1, &shared) != PL_OK) return 1;

  const pl_response_opts o = pl_response_between(0.6, 3); // rad/s
  if (pthread_create(&thread, NULL, find_frequency, &shared) != 0) return 1;
  if (pl_response(&o, m.model, m.params, m.work, 1, &node, NULL, &curve) == PL_OK)
    printf("peak %.8f rad/s\n", pl_curve_peak(curve));
  pthread_join(thread, NULL);
  pl_curve_free(curve);
  pl_built_free(&shared);
  pl_built_free(&m);
}

/* TEST
command: 09-two-threads
frequency: 1 +- 1e-12
peak: 1.5505 +- 0.005
*/
