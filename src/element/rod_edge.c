// W = E A L/2 (l/L - 1)^2, and the mass of a rod; Bergou et al. 2008, sec. 4.
#define BODY "rod_edge.inc"
#include "kernel.h"
#include "rod_impl.h"

static const pl_option par_options[] = {SECTION_PAR};

static const pl_field_info field_info[] = {
    {"strain", "", "length over rest length, minus one"},
    {"force", "N", "axial force, > 0: tension"},
};

static void field(const double *q, const double *par, const double *rest, double *value) {
  double e[3], t[3], l = 0;
  section_d s;
  section_of_d(par, &s);
  span_d(q, e, &l, t);
  value[0] = l / rest[6] - 1;
  value[1] = s.stretch * value[0];
}

static void section(const double *q, const double *par, const double *rest, double *force) {
  double value[2];
  field(q, par, rest, value);
  memset(force, 0, 4 * sizeof *force);
  force[0] = value[1];
}

// the tension acts across the edge, force (1 - t t')/l
static void mixed(const double *q, const double *q0, const double *dq, const double *par,
                  const double *rest, double *out) {
  double e[3], l, t[3], e0[3], l0, t0[3], change = 0;
  section_d s;
  memset(out, 0, 49 * sizeof *out);
  if (span_d(q, e, &l, t) || span_d(q0, e0, &l0, t0)) return;
  section_of_d(par, &s);
  for (int i = 0; i < 3; i++) change += t0[i] * (dq[3 + i] - dq[i]);
  double force = s.stretch / rest[6] * (l0 + change - l);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double b = force / l * ((i == j) - t[i] * t[j]);
      out[7 * i + j] = out[7 * (3 + i) + 3 + j] = b;
      out[7 * i + 3 + j] = out[7 * (3 + i) + j] = -b;
    }
}

// Measured from the new anchor the rate of theta is the spin itself, theta' + spin.e', with spin =
// (t x a)/(l (1 + a.t)); its rate follows by the second derivative in FN(from_anchor).
static void commit(double *q, double *v, double *a, const double *par, double *rest,
                   unsigned keep) {
  frame_d f;
  double e[3], de[3], dde[3], c[3];
  (void)par;
  for (int i = 0; i < 3; i++) {
    e[i] = q[3 + i] - q[i];
    de[i] = v[3 + i] - v[i];
    dde[i] = a[3 + i] - a[i];
  }
  if (keep & 1 || frame_of_d(e, q[6], rest, &f)) return;
  for (int i = 0; i < 3; i++) c[i] = (1 + f.one) * f.t[i] + rest[i];
  double spin = pl_dot3(f.spin, de);
  v[6] += spin;
  a[6] += pl_dot3(f.spin, dde) - spin * pl_dot3(c, de) / (f.l * f.one);
  rod_move_anchor(e, rest);
}

static void rotate(const double *R, const double *q, const double *par, const double *from,
                   const double *to, unsigned known, double *scal) {
  double e[3];
  (void)par;
  pl_sub3(q + 3, q, e);
  if (!(known & 1)) scal[0] = rod_rotated(R, e, q[6], from, to);
}

static void sample(unsigned seed, double *X, double *q, double *v, double *par) {
  static const double shape[6] = {0, 0, 0, 1, 0.3, -0.2};
  pl_rng r;
  pl_sample_shape(seed, 2, 3, shape, 0.2, X, q, v);
  pl_rng_seed(&r, seed + 1000);
  rod_sample_angle(&r, 6, X, q, v);
  rod_sample_section(seed, par);
}

const pl_elem_kind pl_elem_rod_edge = {
    .name = "rod_edge",
    .text = "stretch and mass of one edge of a rod, whose section may twist by an angle",
    .nvert = 2,
    .vdim = 3,
    .nscal = 1,
    .ndof = 7,
    .npar = COUNT(par_options),
    .nrest = 7,
    .nhist = 6,
    .stiff = 1,
    .par = par_options,
    .d = {prepare_d, eval_d, NULL, mass_d},
    .z = {prepare_z, eval_z, NULL, mass_z},
    .nfield = COUNT(field_info),
    .field_info = field_info,
    .field = field,
    .section = section,
    .mixed = mixed,
    .commit = commit,
    .rotate = rotate,
    .sample = sample,
};
