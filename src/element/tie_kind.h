// The kind tieN: MASTERS, KIND, NAME and BODY are set. BODY "tie.inc".
#define BODY "tie.inc"
#include "kernel.h"
#include "element_impl.h"

#include <stdio.h>

#define WEIGHT(n) PAR("weight" #n, 0, -1e3, 1e3, "", "share of a vertex")
static const pl_option par_options[] = {
    PAR("stiffness", 1e6, 0, 1e30, "N/m", "force per violation, a penalty"),
    PAR("count", 3, 1, MASTERS, "", "vertices that it stays beside"),
    WEIGHT(1),
    WEIGHT(2),
    WEIGHT(3),
    WEIGHT(4),
#if MASTERS > 4
    WEIGHT(5),
    WEIGHT(6),
    WEIGHT(7),
    WEIGHT(8),
    WEIGHT(9),
#endif
#if MASTERS > 9
    WEIGHT(10),
    WEIGHT(11),
    WEIGHT(12),
    WEIGHT(13),
    WEIGHT(14),
    WEIGHT(15),
    WEIGHT(16),
    WEIGHT(17),
    WEIGHT(18),
    WEIGHT(19),
#endif
};

static const pl_field_info field_info[] = {
    {"violation", "", "distance from where it is tied to, over the size of the cells there"},
    {"force", "N", "force of the tie"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  double lean[MASTERS][2], g[3], size, d[3];
  jet_d r[3];
  value[0] = value[1] = 0;
  if (offset_d(par, rest, lean, g, &size)) return;
  int n = (int)(par[1] + 0.5);
  if (misfit_d(q, par, n, n < 3 ? NULL : lean, g, r)) return;
  double v[3] = {r[0].v, r[1].v, r[2].v};
  pl_sub3(rest + (n < 2 ? 0 : 6), rest + 3, d);
  value[1] = par[0] * pl_norm3(v);
  value[0] = pl_norm3(d) > 0 ? pl_norm3(v) / pl_norm3(d) : 0;
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  double shape[3 * (MASTERS + 1)] = {0.4, 0.3, 0.2 * (seed % 3)};
  int n = 2 + (int)(seed % (MASTERS - 1));
  double sum = 0;
  for (int k = 0; k < MASTERS; k++) {
    shape[3 + 3 * k] = k % 5 + (k == 2);
    shape[4 + 3 * k] = k / 5 + (k == 2 || k == 3);
    shape[5 + 3 * k] = 0.1 * (k % 3);
  }
  pl_sample_shape(seed, MASTERS + 1, 3, shape, 0.1, X, q, v);
  par[0] = 3 + 0.1 * (seed % 10);
  par[1] = n;
  for (int k = 0; k < MASTERS; k++) {
    par[2 + k] = k < n ? 0.2 + 0.1 * ((k + seed) % 5) : 0;
    sum += par[2 + k];
  }
  for (int k = 0; k < n; k++) par[2 + k] /= sum;
  // two vertices carry no offset
  for (int i = 0; i < 3 && n < 3; i++) {
    X[i] = 0;
    for (int k = 0; k < n; k++) X[i] += par[2 + k] * X[3 + 3 * k + i];
  }
}

const pl_elem_kind KIND = {
    .name = NAME,
    .text = "nearly rigid tie of a point to a weighted mean of others, offset by their frame",
    .nvert = MASTERS + 1,
    .vdim = 3,
    .ndof = 3 * (MASTERS + 1),
    .npar = COUNT(par_options),
    .nrest = 3 * (MASTERS + 1),
    .rigid = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, NULL},
    .z = {prepare_z, eval_z, NULL, NULL},
    .nfield = COUNT(field_info),
    .field_info = field_info,
    .field = field,
    .sample = sample,
};
