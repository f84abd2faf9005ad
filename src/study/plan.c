// The values of all cases: a design of experiments, or samples of distributions.
#include "study_impl.h"

enum { SAMPLES = 128 }; // of uncertain inputs, unless told

static pl_status fail(const study *s, const char *hint, const char *what) {
  return pl_fail_at(s->env, PL_E_ARG, NULL, 0, 0, hint, "%s", what);
}

// the value of an input at a point of the unit interval; of levels the index
static double value_at(const input *p, int uncertain, double u) {
  if (uncertain) return round_value(pl_distribution_quantile(&p->of, u));
  if (p->nlevel) {
    int k = pl_floor_int(u * p->nlevel);
    return k < p->nlevel ? k : p->nlevel - 1;
  }
  return range_value(p, u);
}

static pl_status make_room(study *s, double n) {
  if (n > CASES_MOST)
    return pl_fail_at(s->env, PL_E_ARG, NULL, 0, 0, "fewer values, or --design latin with --cases",
                      "%.0f cases are more than the %d that are possible", n, CASES_MOST);
  s->ncase = (int)n;
  s->value = pl_alloc(s->env, (size_t)s->ncase * (size_t)s->ninput, sizeof *s->value);
  return s->value ? PL_OK : PL_E_NOMEM;
}

static pl_status factorial(study *s) {
  double n = 1;
  for (int i = 0; i < s->ninput; i++) n *= s->input[i].nlevel;
  if (s->o->cases > 0 && s->o->cases != n)
    return fail(s, "leave it out, or use --design latin or sobol",
                "--cases: a factorial design has as many as its values give");
  PL_TRY(make_room(s, n));
  for (int k = 0; k < s->ncase; k++) {
    int rest = k;
    for (int i = s->ninput - 1; i >= 0; i--) {
      s->value[(size_t)k * (size_t)s->ninput + (size_t)i] = rest % s->input[i].nlevel;
      rest /= s->input[i].nlevel;
    }
  }
  return PL_OK;
}

static pl_status sample(const study *s, int n, int dim, double *u) {
  // a point at zero has no quantile
  unsigned long long seed = s->o->seed + (s->o->uncertain != 0);
  switch (s->o->design) {
  case PL_STUDY_LATIN:
    return pl_sample_latin(s->env, n, dim, seed, u);
  case PL_STUDY_SOBOL:
    return pl_sample_sobol(s->env, n, dim, seed, u);
  case PL_STUDY_FACTORIAL:
  case PL_STUDY_RANDOM:
    break;
  }
  pl_sample_random(n, dim, seed, u);
  return PL_OK;
}

// one case a point
static void lay_points(study *s, const double *u) {
  for (size_t k = 0; k < (size_t)s->ncase * (size_t)s->ninput; k++)
    s->value[k] = value_at(&s->input[k % (size_t)s->ninput], s->o->uncertain, u[k]);
}

// points a and b, and those of a with one input from b, row by row
static void lay_rows(study *s, int rows, const double *u) {
  size_t d = (size_t)s->ninput;
  for (size_t r = 0; r < (size_t)rows; r++)
    for (size_t k = 0; k < d + 2; k++)
      for (size_t i = 0; i < d; i++) {
        int from_b = k == 1 || k == i + 2;
        s->value[(r * (d + 2) + k) * d + i] =
            value_at(&s->input[i], 1, u[r * 2 * d + (from_b ? d : 0) + i]);
      }
}

pl_status plan_make(study *s) {
  const pl_study_opts *o = s->o;
  if (o->design == PL_STUDY_FACTORIAL) return factorial(s);
  int cases = o->cases > 0 ? o->cases : o->uncertain ? SAMPLES : 0;
  if (cases < 1)
    return fail(s, "e.g. --cases 64", "this design needs the number of its cases: --cases");
  int dim = s->ninput * (o->indices ? 2 : 1);
  if (o->design == PL_STUDY_SOBOL && dim > PL_SOBOL_MOST)
    return fail(s, "--design latin has no bound", "Sobol points have at most 64 dimensions");
  PL_TRY(make_room(s, (double)cases * (o->indices ? s->ninput + 2 : 1)));
  double *u = pl_alloc(s->env, (size_t)cases * (size_t)dim, sizeof *u);
  if (!u) return PL_E_NOMEM;
  pl_status st = sample(s, cases, dim, u);
  if (st == PL_OK && o->indices)
    lay_rows(s, cases, u);
  else if (st == PL_OK)
    lay_points(s, u);
  pl_free(s->env, u);
  return st;
}
