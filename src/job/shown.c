// Units that results are shown in: one for all lengths of a run, those of the scene for parameters.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>

static const length_unit metre = {"m", "m", 1}, millimetre = {"mm", "mm", 1e-3},
                         micrometre = {"um", "\xc2\xb5m", 1e-6};

double job_size(const job *j) {
  double lo[3], hi[3];
  pl_mesh_bounds(j->scene->mesh, lo, hi);
  double d[3] = {hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]};
  return pl_norm3(d);
}

const length_unit *job_length(job *j, double most) {
  double unit = j->scene->length, size = job_size(j);
  if (j->length) return j->length;
  if (unit < 0.1)
    j->length = unit < 1e-5 ? &micrometre : &millimetre;
  else if (size > 0)
    // a body of some metres moves by millimetres
    j->length = size < 5 ? &millimetre : &metre;
  else
    j->length = most >= 0.5 || most == 0 ? &metre : most >= 5e-4 ? &millimetre : &micrometre;
  return j->length;
}

const char *job_length_text(job *j, double v, char buf[48]) {
  const length_unit *u = job_length(j, fabs(v));
  snprintf(buf, 48, "%.4g %s", v / u->si, u->name);
  return buf;
}

double job_shown(const job *j, int design, const char **unit) {
  *unit = j->scene->shown[design].unit;
  return j->scene->shown[design].factor;
}

double job_shown_variable(const job *j, const pl_variable *v, const char **unit) {
  if (v->kind == PL_VARIABLE_DESIGN) return job_shown(j, v->index, unit);
  if (v->kind != PL_VARIABLE_FREQUENCY) return 1;
  *unit = "Hz";
  return 2 * PL_PI;
}
