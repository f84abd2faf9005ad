#include "pliant/math.h"

int pl_root(int *up, int i) {
  // every second one is put closer to the root on the way
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

void pl_unite(int *up, int a, int b) {
  a = pl_root(up, a);
  b = pl_root(up, b);
  up[a > b ? a : b] = a < b ? a : b;
}
