// Measured quantities at steady motions. A harmonic s sin + c cos is the real part of
// (c - i s) e^(i k omega t); a derivative multiplies by i k omega; phases count from the
// excitation.
#include "frf.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

// ---- excitation -------------------------------------------------------------------------------

enum { PHASES = 256 }; // samples a period; harmonics of drives and loads are far fewer

static void add_loads(const pl_model *m, const pl_params *p, double *f, double complex *e) {
  int dim = pl_model_dim(m), nnode = pl_model_nnode(m);
  for (int i = 0; i < PHASES; i++) {
    double phase = 2 * PL_PI * i / PHASES;
    pl_clock c = {.t = phase, .omega = 1, .scale = 1};
    pl_load(m, p, &c, f);
    for (int n = 0; n < nnode * dim; n++) e[n % dim] += 2 * f[n] * cexp(-I * phase) / PHASES;
  }
}

// the driven node that moves most
static void add_drive(const pl_model *m, const pl_params *p, double complex *e) {
  int dim = pl_model_dim(m);
  double most = 0;
  for (int n = 0; n < pl_model_nnode(m); n++) {
    double complex one[3] = {0};
    double size = 0;
    for (int i = 0; i < PHASES; i++) {
      double phase = 2 * PL_PI * i / PHASES, x[3] = {0}, v[3], a[3];
      pl_clock c = {.t = phase, .omega = 1, .scale = 1};
      if (!pl_drive_node(m, p, &c, n, x, v, a)) break;
      for (int k = 0; k < dim; k++) one[k] += 2 * x[k] * cexp(-I * phase) / PHASES;
    }
    for (int k = 0; k < dim; k++) size += pow(cabs(one[k]), 2);
    if (size <= most * (1 + 1e-9)) continue;
    most = size;
    memcpy(e, one, sizeof one);
  }
}

int pl_excitation(pl_env *env, const pl_model *m, const pl_params *p, pl_frf_per per, double e[2]) {
  double complex sum[3] = {0};
  double size = 0, scale = 0;
  if (per != PL_PER_DRIVE) {
    double *f = pl_alloc(env, (size_t)pl_model_nq(m), sizeof *f);
    if (f) add_loads(m, p, f, sum);
    pl_free(env, f);
  }
  for (int k = 0; k < 3; k++) scale += pow(cabs(sum[k]), 2);
  if (per == PL_PER_DRIVE || (per == PL_PER_NOTHING && scale == 0)) add_drive(m, p, sum);
  int most = 0;
  for (int k = 0; k < 3; k++) {
    size += pow(cabs(sum[k]), 2);
    if (cabs(sum[k]) > cabs(sum[most])) most = k;
  }
  size = sqrt(size);
  double angle = carg(sum[most]);
  e[0] = size * cos(angle);
  e[1] = size * sin(angle);
  return size > 1e-300;
}

// ---- values -----------------------------------------------------------------------------------

pl_status frf_look(pl_env *env, const pl_model *m, const pl_params *p, const pl_frf *f,
                   frf_view *v) {
  double e[2];
  *v = (frf_view){.f = f, .size = 1};
  if (f->per == PL_PER_NOTHING && f->kind != PL_FRF_COMPLEX) return PL_OK;
  if (!pl_excitation(env, m, p, f->per, e))
    return pl_fail_at(
        env, PL_E_INPUT, NULL, 0, 0, "give a load or drive an amplitude with 'harmonic: 1'",
        "%s: there is no %s to which the data could be referred", f->name ? f->name : "measured",
        f->per == PL_PER_FORCE   ? "oscillating force"
        : f->per == PL_PER_DRIVE ? "oscillating drive"
                                 : "excitation");
  v->angle = atan2(e[1], e[0]);
  if (f->per != PL_PER_NOTHING) v->size = hypot(e[0], e[1]);
  return PL_OK;
}

int frf_width(const pl_frf *f) {
  return f->kind == PL_FRF_COMPLEX ? 2 : 1;
}

static double complex gain(const frf_view *v, double omega) {
  double k = v->f->harmonic;
  double complex g = cexp(-I * (k * v->angle)) / v->size;
  for (int i = 0; i < v->f->order; i++) g *= I * (k * omega);
  return g;
}

// coefficients of the measured unknown
static const double *series_of(const pl_model *m, const pl_orbit *o, const pl_frf *f, int *at) {
  int i = pl_model_free_index(m)[f->node * pl_model_dim(m) + f->axis], L = 2 * o->nharm + 1;
  *at = i * L;
  return i < 0 ? NULL : o->z + *at;
}

// sum over harmonics of (k omega)^(2 order) (s^2 + c^2) / 2
static double mean_square(const pl_orbit *o, const double *z, int order) {
  double sum = 0;
  for (int k = 1; k <= o->nharm; k++) {
    double s = z[2 * k - 1], c = z[2 * k];
    sum += 0.5 * pow(k * o->omega, 2 * order) * (s * s + c * c);
  }
  return sum;
}

void frf_value(const pl_model *m, const pl_params *p, const pl_orbit *o, const frf_view *v,
               double y[2]) {
  const pl_frf *f = v->f;
  int at, k = f->harmonic;
  const double *z = series_of(m, o, f, &at);
  y[0] = y[1] = 0;
  if (!z) return;
  if (f->kind == PL_FRF_MAX) {
    y[0] = pl_orbit_max(m, p, o, f->node, f->axis, NULL) / v->size;
  } else if (f->kind == PL_FRF_RMS) {
    y[0] = sqrt(mean_square(o, z, f->order)) / v->size;
  } else if (k <= o->nharm) {
    double complex Y = gain(v, o->omega) * (z[2 * k] - I * z[2 * k - 1]);
    y[0] = f->kind == PL_FRF_COMPLEX ? creal(Y) : cabs(Y);
    y[1] = f->kind == PL_FRF_COMPLEX ? cimag(Y) : 0;
  }
}

void frf_gradient(const pl_model *m, const pl_params *p, const pl_orbit *o, const frf_view *v,
                  const double row[2], double *gz) {
  const pl_frf *f = v->f;
  int at, k = f->harmonic, L = 2 * o->nharm + 1;
  const double *z = series_of(m, o, f, &at);
  memset(gz, 0, (size_t)o->nfree * (size_t)L * sizeof *gz);
  if (!z) return;
  double *g = gz + at;
  if (f->kind == PL_FRF_MAX) {
    pl_orbit_max(m, p, o, f->node, f->axis, gz);
    for (int i = 0; i < o->nfree * L; i++) gz[i] /= v->size;
  } else if (f->kind == PL_FRF_RMS) {
    double size = sqrt(mean_square(o, z, f->order)) * v->size;
    for (int j = 1; size > 0 && j < L; j++)
      g[j] = 0.5 * pow((j + 1) / 2 * o->omega, 2 * f->order) * z[j] / size;
  } else if (k <= o->nharm) {
    // Re Y = g_r c + g_i s, Im Y = g_i c - g_r s
    double complex G = gain(v, o->omega);
    double s = z[2 * k - 1], c = z[2 * k], size = hypot(s, c);
    if (f->kind == PL_FRF_COMPLEX) {
      g[2 * k] = row[0] * creal(G) + row[1] * cimag(G);
      g[2 * k - 1] = row[0] * cimag(G) - row[1] * creal(G);
    } else if (size > 0) {
      g[2 * k] = cabs(G) * c / size;
      g[2 * k - 1] = cabs(G) * s / size;
    }
  }
}

void pl_frf_value(pl_env *env, const pl_model *m, const pl_params *p, const pl_orbit *o,
                  const pl_frf *f, double *re, double *im) {
  frf_view v;
  double y[2] = {NAN, NAN};
  if (frf_look(env, m, p, f, &v) == PL_OK) frf_value(m, p, o, &v, y);
  *re = y[0];
  *im = y[1];
}

// ---- motions of a response --------------------------------------------------------------------

enum { CROSSINGS = 16 };

// where the curve passes a frequency: part s of the way from point i to the next; arcs are counted
// from fold to fold
typedef struct crossing {
  int i, arc;
  double s, off;
} crossing;

static int find_crossings(const pl_curve *c, double omega, crossing *out) {
  int n = 0, arc = 0, way = 0;
  for (int i = 0; i + 1 < c->npoint; i++) {
    const pl_curve_point *a = &c->point[i], *b = &c->point[i + 1];
    if (a->branch || b->branch) break;
    double step = b->orbit->omega - a->orbit->omega;
    int sign = step > 0 ? 1 : -1;
    if (step == 0) continue;
    if (way && sign != way) arc++;
    way = sign;
    double s = (omega - a->orbit->omega) / step;
    // the end of one step is the begin of the next
    if (s < 0 || s > 1 || (s == 0 && n > 0 && out[n - 1].i == i - 1)) continue;
    if (n < CROSSINGS) out[n++] = (crossing){.i = i, .arc = arc, .s = s};
  }
  return n;
}

// z on the line between two points of the curve
static void between(const pl_curve *c, const crossing *x, double omega, pl_orbit *o) {
  const pl_orbit *a = c->point[x->i].orbit, *b = c->point[x->i + 1].orbit;
  int L = 2 * o->nharm + 1, La = 2 * a->nharm + 1, Lb = 2 * b->nharm + 1;
  for (int i = 0; i < o->nfree; i++)
    for (int k = 0; k < L; k++) {
      double u = k < La ? a->z[(size_t)i * (size_t)La + (size_t)k] : 0;
      double v = k < Lb ? b->z[(size_t)i * (size_t)Lb + (size_t)k] : 0;
      o->z[(size_t)i * (size_t)L + (size_t)k] = u + x->s * (v - u);
    }
  o->omega = omega;
}

static int by_distance(const void *a, const void *b) {
  const crossing *p = a, *q = b;
  return p->off != q->off ? (p->off > q->off) - (p->off < q->off) : p->i - q->i;
}

// candidates in the order in which they are tried. Between folds every other arc is unstable and
// cannot be measured: those come last.
static void rank(const frf_solver *s, const pl_curve *c, const frf_view *v, int i, int arc, int n,
                 crossing *x) {
  const pl_frf *f = v->f;
  double most = 0;
  for (int k = 0; k < n; k++) {
    double y[2];
    between(c, &x[k], f->omega[i], s->scratch[0]);
    frf_value(s->m, s->p, s->scratch[0], v, y);
    x[k].off = hypot(y[0] - f->re[i], f->kind == PL_FRF_COMPLEX ? y[1] - f->im[i] : 0);
    most = fmax(most, x[k].off);
  }
  for (int k = 0; k < n; k++) {
    if (x[k].arc % 2) x[k].off += 2 * most;
    if (f->sweep != PL_SWEEP_NEAREST && x[k].arc == arc) x[k].off = -1;
  }
  qsort(x, (size_t)n, sizeof *x, by_distance);
}

// Newton's method at the frequency; a solution far from the guess is another one
static pl_status refine(frf_solver *s, const pl_curve *c, const crossing *x, double omega) {
  pl_periodic_info info = {0};
  pl_orbit *guess = s->scratch[0], *o = s->scratch[1];
  size_t n = (size_t)o->nfree * (2 * (size_t)o->nharm + 1);
  between(c, x, omega, guess);
  memcpy(o->z, guess->z, n * sizeof *o->z);
  o->omega = omega;
  pl_status st = pl_hb_newton(s->hb, s->b, o, s->rtol, 12, &info);
  if (st == PL_SINGULAR || st == PL_DOMAIN) st = PL_UNSOLVED;
  PL_TRY(st);
  double swing = swing_of(o);
  for (size_t i = 0; i < n; i++) guess->z[i] -= o->z[i];
  return pl_max_abs((int)n, guess->z) <= 0.3 * swing ? PL_OK : PL_UNSOLVED;
}

typedef struct sample {
  double omega;
  int i;
} sample;

static int rising(const void *a, const void *b) {
  const sample *p = a, *q = b;
  return p->omega != q->omega ? (p->omega > q->omega) - (p->omega < q->omega) : p->i - q->i;
}

static int falling(const void *a, const void *b) {
  return rising(b, a);
}

static pl_status one_motion(frf_solver *s, const pl_curve *c, const frf_view *v, int i, int *arc,
                            int *found) {
  crossing x[CROSSINGS];
  int n = find_crossings(c, v->f->omega[i], x);
  rank(s, c, v, i, *arc, n, x);
  *found = 0;
  for (int k = 0; k < n; k++) {
    pl_status st = refine(s, c, &x[k], v->f->omega[i]);
    if (st != PL_OK && st != PL_UNSOLVED) return st;
    if (st == PL_UNSOLVED) continue;
    *found = 1;
    *arc = x[k].arc;
    return PL_OK;
  }
  return PL_OK;
}

pl_status frf_motions(frf_solver *s, const pl_curve *curve, const frf_view *v, frf_each each,
                      void *ctx) {
  const pl_frf *f = v->f;
  pl_env *env = s->env;
  sample *order = pl_alloc(env, (size_t)f->n + 1, sizeof *order);
  if (!order) return PL_E_NOMEM;
  for (int i = 0; i < f->n; i++) order[i] = (sample){f->omega[i], i};
  // the curve may have been followed from above: a sweep begins at its own end
  crossing x[CROSSINGS];
  int arc = -1, n;
  qsort(order, (size_t)f->n, sizeof *order, f->sweep == PL_SWEEP_DOWN ? falling : rising);
  if (f->sweep != PL_SWEEP_NEAREST && f->n > 0 && (n = find_crossings(curve, order[0].omega, x))) {
    int rises = curve->point[0].orbit->omega < curve->point[curve->npoint - 1].orbit->omega;
    arc = x[rises == (f->sweep == PL_SWEEP_UP) ? 0 : n - 1].arc;
  }
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < f->n; k++) {
    int found;
    st = one_motion(s, curve, v, order[k].i, &arc, &found);
    if (st == PL_OK) st = each(ctx, order[k].i, found ? s->scratch[1] : NULL);
  }
  pl_free(env, order);
  return st;
}

pl_status frf_solver_open(frf_solver *s, pl_env *env, const pl_model *m, const pl_params *p,
                          pl_hb *hb, pl_bordered *b, double rtol) {
  *s = (frf_solver){.env = env, .m = m, .p = p, .hb = hb, .b = b, .rtol = rtol};
  PL_TRY(pl_orbit_create(env, m, pl_hb_nharm(hb), &s->scratch[0]));
  return pl_orbit_create(env, m, pl_hb_nharm(hb), &s->scratch[1]);
}

void frf_solver_close(frf_solver *s) {
  pl_orbit_free(s->scratch[0]);
  pl_orbit_free(s->scratch[1]);
}

// ---- comparison -------------------------------------------------------------------------------

typedef struct comparing {
  frf_solver *s;
  const frf_view *v;
  pl_frf_match *out;
} comparing;

static pl_status compare_one(void *ctx, int i, const pl_orbit *o) {
  comparing *t = ctx;
  double y[2] = {NAN, NAN};
  if (o)
    frf_value(t->s->m, t->s->p, o, t->v, y);
  else
    t->out->missing++;
  t->out->re[i] = y[0];
  t->out->im[i] = y[1];
  return PL_OK;
}

void frf_sum_up(const pl_frf *f, pl_frf_match *out) {
  double size = 0, error = 0;
  int complex_ = f->kind == PL_FRF_COMPLEX, n = 0;
  for (int i = 0; i < f->n; i++) {
    double im = complex_ ? f->im[i] : 0, off = complex_ ? out->im[i] - im : 0;
    size += f->re[i] * f->re[i] + im * im;
    if (isnan(out->re[i])) continue;
    error += pow(out->re[i] - f->re[i], 2) + off * off;
    n++;
  }
  out->size = f->n ? sqrt(size / f->n) : 0;
  out->error = n ? sqrt(error / n) : NAN;
}

pl_status frf_match_create(pl_env *env, int n, pl_frf_match **out) {
  *out = NULL;
  pl_frf_match *m = pl_alloc(env, 1, sizeof *m);
  if (!m) return PL_E_NOMEM;
  m->env = env;
  m->n = n;
  m->re = pl_alloc(env, 2 * (size_t)n, sizeof(double));
  if (!m->re) {
    pl_free(env, m);
    return PL_E_NOMEM;
  }
  m->im = m->re + n;
  *out = m;
  return PL_OK;
}

void pl_frf_match_free(pl_frf_match *m) {
  if (!m) return;
  pl_free(m->env, m->re);
  pl_free(m->env, m);
}

pl_status pl_frf_compare(const pl_model *m, const pl_params *p, pl_work *w, const pl_curve *curve,
                         const pl_frf *f, pl_frf_match **out) {
  pl_hb *hb = NULL;
  pl_bordered *b = NULL;
  frf_solver s = {0};
  frf_view v;
  int H = f->harmonic;
  *out = NULL;
  for (int i = 0; i < curve->npoint; i++)
    if (curve->point[i].orbit->nharm > H) H = curve->point[i].orbit->nharm;
  PL_TRY(frf_look(w->env, m, p, f, &v));
  PL_TRY(frf_match_create(w->env, f->n, out));
  comparing t = {.s = &s, .v = &v, .out = *out};
  pl_status st = pl_hb_create(m, p, w, H, 0, &hb);
  if (st == PL_OK) st = pl_bordered_create(hb, &b);
  if (st == PL_OK) st = frf_solver_open(&s, w->env, m, p, hb, b, 1e-8);
  if (st == PL_OK) st = frf_motions(&s, curve, &v, compare_one, &t);
  if (st == PL_OK) frf_sum_up(f, *out);
  frf_solver_close(&s);
  pl_bordered_free(b);
  pl_hb_free(hb);
  if (st == PL_OK) return PL_OK;
  pl_frf_match_free(*out);
  *out = NULL;
  return st;
}
