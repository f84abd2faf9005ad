#define BODY  "piece.inc"
#define NHIST 0
#include "pair_kind.h"

#if RATE
#define UNIT_X "m/s"
#define UNIT_S "N.s/m"
#else
#define UNIT_X "m"
#define UNIT_S "N/m"
#endif

static const pl_option par_options[] = {
    PAR("from", 0, -1e30, 1e30, UNIT_X, "where the piece begins"),
    PAR("to", 1, -1e30, 1e30, UNIT_X, "where it ends"),
    PAR("base", 0, -1e30, 1e30, "N", "force before it"),
    PAR("rise", 1, -1e30, 1e30, "N", "change of the force over it"),
    PAR("slope_from", 1, -1e30, 1e30, UNIT_S, "slope at its beginning"),
    PAR("slope_to", 1, -1e30, 1e30, UNIT_S, "slope at its end"),
    PAR("open_from", 0, 0, 1, "", "1: the force goes on along the slope before the piece"),
    PAR("open_to", 0, 0, 1, "", "1: and behind it"),
    PAR("factor", 1, -1e30, 1e30, "", "on the force"),
};

static void levels(const double *par, double *level) {
  level[0] = par[0];
  level[1] = par[1];
}

// before, in and behind the piece, well away from its ends
static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double place[3] = {-0.4, 0.4, 1.3};
  double x = sample_pair(seed, X, q, v);
  par[0] = x - 0.8 * place[seed % 3];
  par[1] = par[0] + 0.8;
  for (int i = 2; i < 6; i++) par[i] = 0.3 * i - 0.1 * ((seed + (unsigned)i) % 5);
  par[6] = seed / 3 % 2;
  par[7] = seed / 6 % 2;
  par[8] = 1.5;
}

#define PIECE_KIND PAIR_KIND, .nlevel = 2, .levels = levels
