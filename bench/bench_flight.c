// Rigid flight of a free top: steps a second of CPU time. Prints CSV: what, value, unit.
#include "bench.h"

#include <time.h>

int main(void) {
  enum { STEPS = 2000000 };
  pl_flight k = {.mass = 1,
                 .inertia = {0.6, 0.8, 1.0},
                 .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                 .rot = {1, 0, 0, 0},
                 .spin = {1.8, 0.4, -0.9}};
  double energy = pl_flight_energy(&k);
  pl_env_init(&env);
  clock_t start = clock();
  for (int i = 0; i < STEPS; i++) pl_flight_step(&k, 1e-3);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  printf("flight,%.3g,steps/s\nflight-energy,%.2g,drift\n", STEPS / seconds,
         pl_flight_energy(&k) / energy - 1);
  return 0;
}
