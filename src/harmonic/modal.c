// Linear response about the static equilibrium: (K + i w D - w^2 M) u = f at w = k omega for every
// harmonic k of drives and loads, for all unknowns or for modes. A motion u = s sin + c cos has the
// two real equations
//   (K - w^2 M) s - w D c = f_s,   (K - w^2 M) c + w D s = f_c.
#include "harmonic_impl.h"
#include "strain_impl.h"

#include <float.h>
#include <limits.h>
#include <string.h>

struct pl_modal {
  pl_env *env;
  const pl_model *m;
  const pl_params *p;
  pl_work *w;
  pl_state *rest; // equilibrium
  int nfree, nq, H;
  const int *free_index, *free_dof;
  // free unknowns, full storage: P is the pattern
  pl_csc P;
  double *M, *D, *K; // [P.nnz + 1]; D includes alpha M
  // per harmonic and part (sine, cosine): what the driven unknowns do, then what all do without
  // inertia and damping; the rest of the motion is solved for
  double *guide;        // [2H][nq]
  double *f0, *fd, *fm; // [2H][nfree] right side f0 - d/dt fd - d2/dt2 fm
  // the system that is solved: all unknowns or modes, with the pattern S
  int n, nmode;
  pl_csc S;
  double *sm, *sd, *sk;  // its matrices; those above when there are no modes
  double *b0, *bd, *bm;  // [2H][n] its right sides; likewise
  double *omega, *shape; // [nmode], [nmode][nfree]
  pl_blocks A;           // of order 2 n: sine and cosine of an unknown side by side
  pl_factor *lu;
  double *x; // [2 n]
};

// ---- drives and loads to first order ----------------------------------------------------------

// Coefficients of harmonics 1..H of drives. Amplitudes are scaled down so far that rates have no
// second-order part left, and none of a constant place either: they are exact, and u = int v.
static pl_status linear_drives(pl_modal *l, pl_state *s) {
  const double tiny = 1e-100;
  int N = 2 * l->H + 2;
  pl_params view;
  PL_TRY(pl_params_view(l->p, &view));
  pl_params_scale_harmonic(l->m, &view, tiny);
  for (int i = 0; i < N; i++) {
    pl_clock c = {.t = 2 * PL_PI * i / N, .omega = 1, .scale = 1};
    pl_drive(l->m, &view, &c, s);
    for (int k = 1; k <= l->H; k++) {
      double *sn = l->guide + (size_t)(2 * k - 2) * (size_t)l->nq, *cs = sn + l->nq;
      double f = 2.0 / (N * k * tiny), a = f * cos(k * c.t), b = f * sin(k * c.t);
      for (int q = 0; q < l->nq; q++) {
        if (l->free_index[q] >= 0) continue;
        // v = k (s cos - c sin)
        sn[q] += a * s->v[q];
        cs[q] -= b * s->v[q];
      }
    }
  }
  pl_params_view_free(&view);
  return PL_OK;
}

// harmonic loads; constant ones are left out by their scale
static pl_status linear_loads(pl_modal *l) {
  int N = 2 * l->H + 2;
  double *f = pl_alloc(l->env, (size_t)l->nq, sizeof *f);
  if (!f) return PL_E_NOMEM;
  for (int i = 0; i < N; i++) {
    pl_clock c = {.t = 2 * PL_PI * i / N, .omega = 1, .scale = 0};
    pl_load(l->m, l->p, &c, f);
    for (int k = 1; k <= l->H; k++) {
      double *sn = l->f0 + (size_t)(2 * k - 2) * (size_t)l->nfree, *cs = sn + l->nfree;
      for (int j = 0; j < l->nfree; j++) {
        sn[j] += 2.0 / N * sin(k * c.t) * f[l->free_dof[j]];
        cs[j] += 2.0 / N * cos(k * c.t) * f[l->free_dof[j]];
      }
    }
  }
  pl_free(l->env, f);
  return PL_OK;
}

// ---- matrices ---------------------------------------------------------------------------------

// K and D of an element at rest: among free unknowns into the matrices, times drives into forces
static int add_element(void *ctx, const pl_element *e, int thread) {
  (void)thread;
  pl_modal *l = ctx;
  int n = e->ndof;
  double q[PL_NDOF_MAX] = {0}, v[PL_NDOF_MAX] = {0}, f[PL_NDOF_MAX];
  double K[PL_NDOF_MAX * PL_NDOF_MAX], D[PL_NDOF_MAX * PL_NDOF_MAX];
  for (int a = 0; a < n; a++) q[a] = e->dof[a] < 0 ? 0 : l->rest->q[e->dof[a]];
  if (pl_element_eval(e, q, v, f, K, D)) return 1;
  for (int a = 0; a < n; a++) {
    int i = e->dof[a] < 0 ? -1 : l->free_index[e->dof[a]];
    for (int b = 0; i >= 0 && b < n; b++) {
      if (e->dof[b] < 0) continue;
      int j = l->free_index[e->dof[b]];
      if (j >= 0) {
        int at = pl_csc_find(&l->P, i, j);
        l->K[at] += K[a * n + b];
        l->D[at] += D[a * n + b];
        continue;
      }
      for (int h = 0; h < 2 * l->H; h++) {
        double u = l->guide[(size_t)h * (size_t)l->nq + (size_t)e->dof[b]];
        size_t at = (size_t)h * (size_t)l->nfree + (size_t)i;
        l->f0[at] -= K[a * n + b] * u;
        l->fd[at] += D[a * n + b] * u;
      }
    }
  }
  return 0;
}

static void add_mass_entry(pl_modal *l, int i, int j, double mass) {
  int fi = l->free_index[i], fj = l->free_index[j];
  double alpha = l->p->par[PL_PAR_ALPHA];
  if (fi < 0) return;
  if (fj >= 0) {
    int at = pl_csc_find(&l->P, fi, fj);
    l->M[at] += mass;
    l->D[at] += alpha * mass;
    return;
  }
  for (int h = 0; h < 2 * l->H; h++) {
    double u = l->guide[(size_t)h * (size_t)l->nq + (size_t)j];
    size_t at = (size_t)h * (size_t)l->nfree + (size_t)fi;
    l->fd[at] += alpha * mass * u;
    l->fm[at] += mass * u;
  }
}

static pl_status assemble(pl_modal *l) {
  const pl_csc *M = &l->p->M;
  pl_status s = pl_model_each_element(l->m, l->p, l->w, add_element, l);
  if (s == PL_DOMAIN)
    return pl_fail_at(l->env, PL_E_INPUT, NULL, 0, 0, "check the loads and the start",
                      "linear response: an element is outside its domain at the equilibrium");
  PL_TRY(s);
  for (pl_entry e = {.k = -1}; pl_csc_next(M, &e);) {
    if (M->val[e.k] == 0) continue;
    add_mass_entry(l, e.i, e.j, M->val[e.k]);
    if (e.i != e.j) add_mass_entry(l, e.j, e.i, M->val[e.k]);
  }
  return PL_OK;
}

static pl_csc with_values(const pl_csc *P, double *val) {
  pl_csc A = *P;
  A.val = val;
  return A;
}

// ---- modes ------------------------------------------------------------------------------------

// moves what drives and loads do without inertia and damping, K u = f0, from the right side into
// the guide; with a singular K (free to move) nothing is moved
static pl_status guide_statically(pl_modal *l) {
  pl_csc D = with_values(&l->P, l->D), M = with_values(&l->P, l->M);
  pl_blocks K = {.P = &l->P, .size = 1, .val = l->K};
  pl_factor *lu = NULL;
  double *u = pl_alloc(l->env, (size_t)l->nfree, sizeof *u);
  if (!u) return PL_E_NOMEM;
  pl_status s = pl_factor_create_blocks_on(l->env, &K, l->w->threads, &lu);
  if (s == PL_OK) s = pl_factor_numeric_blocks(lu, &K);
  for (int h = 0; s == PL_OK && h < 2 * l->H; h++) {
    size_t at = (size_t)h * (size_t)l->nfree;
    s = pl_factor_solve(lu, 1, l->f0 + at, u);
    if (s != PL_OK) break;
    pl_csc_mul(&D, 1, u, 1, l->fd + at);
    pl_csc_mul(&M, 1, u, 1, l->fm + at);
    for (int i = 0; i < l->nfree; i++) {
      l->guide[(size_t)h * (size_t)l->nq + (size_t)l->free_dof[i]] = u[i];
      l->f0[at + (size_t)i] = 0;
    }
  }
  pl_factor_free(lu);
  pl_free(l->env, u);
  return s == PL_SINGULAR ? PL_OK : s;
}

static pl_status find_modes(pl_modal *l, int nmode) {
  size_t nq = (size_t)l->nq, n = (size_t)l->nfree;
  pl_modes_opts o = {.count = nmode < l->nfree ? nmode : l->nfree};
  pl_modes_info info;
  double *full = pl_alloc(l->env, (size_t)o.count * nq, sizeof *full);
  l->omega = pl_alloc(l->env, (size_t)o.count, sizeof *l->omega);
  l->shape = pl_alloc(l->env, (size_t)o.count * n, sizeof *l->shape);
  pl_status s = full && l->omega && l->shape ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) s = pl_modes(&o, l->m, l->p, l->rest, l->w, l->omega, full, &info);
  if (s == PL_OK) l->nmode = info.nfound;
  for (int k = 0; k < l->nmode; k++)
    for (size_t i = 0; i < n; i++)
      l->shape[(size_t)k * n + i] = full[(size_t)k * nq + (size_t)l->free_dof[i]];
  pl_free(l->env, full);
  return s;
}

// out[2H][nmode] = shapes times in[2H][nfree]
static void project(const pl_modal *l, const double *in, double *out) {
  for (int h = 0; h < 2 * l->H; h++)
    for (int k = 0; k < l->nmode; k++)
      out[h * l->nmode + k] = pl_dot(l->nfree, l->shape + (size_t)k * (size_t)l->nfree,
                                     in + (size_t)h * (size_t)l->nfree);
}

// the system of modes: M = 1, K = omega^2, D full
static pl_status reduce(pl_modal *l) {
  size_t n = (size_t)l->nmode, nf = (size_t)l->nfree;
  pl_csc D = with_values(&l->P, l->D);
  double **all[] = {&l->sm, &l->sd, &l->sk, &l->b0, &l->bd, &l->bm};
  for (int k = 0; k < 6; k++)
    *all[k] = pl_alloc(l->env, k < 3 ? n * n : 2 * (size_t)l->H * n, sizeof(double));
  double *Dx = pl_alloc(l->env, nf, sizeof *Dx);
  pl_status s = Dx ? pl_csc_full(l->env, l->nmode, &l->S) : PL_E_NOMEM;
  for (int k = 0; k < 6; k++)
    if (!*all[k]) s = PL_E_NOMEM;
  for (int j = 0; s == PL_OK && j < l->nmode; j++) {
    pl_csc_mul(&D, 1, l->shape + (size_t)j * nf, 0, Dx);
    for (int i = 0; i < l->nmode; i++) {
      int at = j * l->nmode + i;
      l->sm[at] = i == j;
      l->sk[at] = i == j ? l->omega[i] * fabs(l->omega[i]) : 0;
      l->sd[at] = pl_dot(l->nfree, l->shape + (size_t)i * nf, Dx);
    }
  }
  if (s == PL_OK) {
    project(l, l->f0, l->b0);
    project(l, l->fd, l->bd);
    project(l, l->fm, l->bm);
  }
  pl_free(l->env, Dx);
  return s;
}

// ---- set up -----------------------------------------------------------------------------------

static pl_status build_big(pl_modal *l) {
  l->x = pl_alloc(l->env, 2 * (size_t)l->n, sizeof *l->x);
  if (!l->x) return PL_E_NOMEM;
  PL_TRY(pl_blocks_create(l->env, &l->S, 2, &l->A));
  return pl_factor_create_blocks_on(l->env, &l->A, l->w->threads, &l->lu);
}

static pl_status allocate(pl_modal *l) {
  size_t h = 2 * (size_t)l->H, nf = (size_t)l->nfree;
  PL_TRY(pl_csc_expand(l->env, &l->w->A, &l->P, NULL));
  size_t nnz = (size_t)l->P.nnz + 1;
  struct {
    double **p;
    size_t n;
  } all[] = {{&l->M, nnz},     {&l->D, nnz},     {&l->K, nnz},    {&l->guide, h * (size_t)l->nq},
             {&l->f0, h * nf}, {&l->fd, h * nf}, {&l->fm, h * nf}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    *all[k].p = pl_alloc(l->env, all[k].n, sizeof(double));
    if (!*all[k].p) return PL_E_NOMEM;
  }
  return PL_OK;
}

static pl_status build(pl_modal *l, int nmode) {
  pl_state *s = NULL;
  int balanced;
  PL_TRY(allocate(l));
  PL_TRY(start_static(l->m, l->p, l->w, &l->rest, &balanced));
  if (!balanced)
    pl_report(l->env, PL_WARNING, NULL, 0, 0, "run a static analysis to see why",
              "linear response: no equilibrium under the constant loads was found, the motion is "
              "that about the reference shape");
  PL_TRY(pl_state_create(l->m, l->p, &s));
  pl_status st = linear_drives(l, s);
  pl_state_free(l->m, s);
  PL_TRY(st);
  PL_TRY(linear_loads(l));
  PL_TRY(assemble(l));
  if (nmode > 0) {
    PL_TRY(guide_statically(l));
    PL_TRY(find_modes(l, nmode));
  }
  if (l->nmode > 0) {
    PL_TRY(reduce(l));
    l->n = l->nmode;
  } else {
    l->n = l->nfree;
    l->S = l->P;
    l->sm = l->M;
    l->sd = l->D;
    l->sk = l->K;
    l->b0 = l->f0;
    l->bd = l->fd;
    l->bm = l->fm;
  }
  return build_big(l);
}

pl_status pl_modal_create(const pl_model *m, const pl_params *p, pl_work *w, int nmode,
                          pl_modal **out) {
  *out = NULL;
  pl_env *env = w->env;
  int H = pl_model_max_harmonic(m);
  if (nmode < 0 || nmode > 1000)
    return pl_fail(env, PL_E_ARG, "linear response: modes must be 0..1000, got %d", nmode);
  if (H < 1)
    return pl_fail_at(env, PL_E_INPUT, NULL, 0, 0,
                      "give a drive or a load a term with harmonic 1 or more",
                      "linear response: nothing in the model oscillates");
  if (pl_model_nfree(m) == 0)
    return pl_fail(env, PL_E_INPUT, "linear response: all unknowns are driven");
  pl_modal *l = pl_alloc(env, 1, sizeof *l);
  if (!l) return PL_E_NOMEM;
  *l = (pl_modal){.env = env,
                  .m = m,
                  .p = p,
                  .w = w,
                  .H = H,
                  .nfree = pl_model_nfree(m),
                  .nq = pl_model_nq(m),
                  .free_index = pl_model_free_index(m),
                  .free_dof = pl_model_free_dofs(m)};
  pl_status s = build(l, nmode);
  if (s != PL_OK) {
    pl_modal_free(l);
    return s;
  }
  *out = l;
  return PL_OK;
}

void pl_modal_free(pl_modal *l) {
  if (!l) return;
  pl_env *env = l->env;
  if (l->rest) pl_state_free(l->m, l->rest);
  pl_factor_free(l->lu);
  pl_blocks_free(env, &l->A);
  // without modes the reduced system is the whole one
  if (l->sm != l->M) {
    pl_csc_free(env, &l->S);
    void *own[] = {l->sm, l->sd, l->sk, l->b0, l->bd, l->bm};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) pl_free(env, own[k]);
  }
  pl_csc_free(env, &l->P);
  void *all[] = {l->M, l->D, l->K, l->guide, l->f0, l->fd, l->fm, l->omega, l->shape, l->x, l};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
}

int pl_modal_count(const pl_modal *l) {
  return l->nmode;
}

const double *pl_modal_omega(const pl_modal *l) {
  return l->omega;
}

// ---- one frequency ----------------------------------------------------------------------------

// K - w^2 M of one entry; what cancels but for rounding is zero, as at an undamped resonance
static double dynamic(double k, double wwm) {
  double d = k - wwm;
  return fabs(d) > 4 * DBL_EPSILON * (fabs(k) + fabs(wwm)) ? d : 0;
}

static void fill(pl_modal *l, double w) {
  for (pl_entry e = {.k = -1}; pl_csc_next(&l->S, &e);) {
    int stride;
    double *s = pl_blocks_at(&l->A, e.j, e.k, &stride), *c = s + stride;
    s[0] = c[1] = dynamic(l->sk[e.k], w * w * l->sm[e.k]);
    s[1] = w * l->sd[e.k];
    c[0] = -s[1];
  }
}

// unknowns of harmonic k into x; *any = 0: it is not excited
static pl_status solve_harmonic(pl_modal *l, int k, double w, int *any) {
  size_t n = (size_t)l->n, at = (size_t)(2 * k - 2) * n;
  const double *fs = l->b0 + at, *fc = fs + n, *ds = l->bd + at, *dc = ds + n, *ms = l->bm + at,
               *mc = ms + n;
  *any = 0;
  for (size_t i = 0; i < n; i++) {
    l->x[2 * i] = fs[i] + w * dc[i] + w * w * ms[i];
    l->x[2 * i + 1] = fc[i] - w * ds[i] + w * w * mc[i];
    *any |= l->x[2 * i] != 0 || l->x[2 * i + 1] != 0;
  }
  if (!*any) return PL_OK;
  fill(l, w);
  PL_TRY(pl_factor_numeric_blocks(l->lu, &l->A));
  return pl_factor_solve(l->lu, 1, l->x, l->x);
}

// adds guide and solution of harmonic k to an orbit
static void put_harmonic(const pl_modal *l, int k, int any, pl_orbit *o) {
  size_t L = 2 * (size_t)o->nharm + 1, at = 2 * (size_t)k - 1, n = (size_t)l->nfree;
  const double *gs = l->guide + (size_t)(2 * k - 2) * (size_t)l->nq, *gc = gs + l->nq;
  for (size_t i = 0; i < n; i++) {
    o->z[i * L + at] = gs[l->free_dof[i]];
    o->z[i * L + at + 1] = gc[l->free_dof[i]];
  }
  for (size_t j = 0; any && j < (size_t)l->n; j++) {
    double s = l->x[2 * j], c = l->x[2 * j + 1];
    if (l->nmode == 0) {
      o->z[j * L + at] += s;
      o->z[j * L + at + 1] += c;
      continue;
    }
    const double *shape = l->shape + j * n;
    for (size_t i = 0; i < n; i++) {
      o->z[i * L + at] += s * shape[i];
      o->z[i * L + at + 1] += c * shape[i];
    }
  }
}

pl_status pl_modal_response(pl_modal *l, double omega, pl_orbit **out) {
  *out = NULL;
  if (!(omega > 0))
    return pl_fail(l->env, PL_E_INPUT, "linear response: frequency must be > 0, got %g rad/s",
                   omega);
  pl_orbit *o;
  PL_TRY(pl_orbit_create(l->env, l->m, l->H, &o));
  o->omega = omega;
  size_t L = 2 * (size_t)l->H + 1;
  for (size_t i = 0; i < (size_t)l->nfree; i++) o->z[i * L] = l->rest->q[l->free_dof[i]];
  for (int k = 1; k <= l->H; k++) {
    int any;
    pl_status s = solve_harmonic(l, k, k * omega, &any);
    if (s != PL_OK) {
      pl_orbit_free(o);
      return s;
    }
    put_harmonic(l, k, any, o);
  }
  *out = o;
  return PL_OK;
}

void pl_modal_state(const pl_modal *l, const pl_orbit *o, double phase, pl_state *s) {
  size_t L = 2 * (size_t)o->nharm + 1, nq = (size_t)l->nq;
  s->t = phase / o->omega;
  for (size_t q = 0; q < nq; q++) {
    int i = l->free_index[q];
    s->q[q] = l->rest->q[q];
    s->v[q] = s->a[q] = 0;
    for (int k = 1; k <= o->nharm; k++) {
      double w = k * o->omega, sn = sin(k * phase), cs = cos(k * phase), a, b;
      const double *z = i < 0 ? NULL : o->z + (size_t)i * L;
      a = z ? z[2 * k - 1] : l->guide[(size_t)(2 * k - 2) * nq + q];
      b = z ? z[2 * k] : l->guide[(size_t)(2 * k - 1) * nq + q];
      s->q[q] += a * sn + b * cs;
      s->v[q] += w * (a * cs - b * sn);
      s->a[q] -= w * w * (a * sn + b * cs);
    }
  }
}

typedef struct linear_motion {
  const pl_modal *l;
  const pl_orbit *o;
} linear_motion;

static void linear_state(const void *ctx, double phase, pl_state *s) {
  const linear_motion *t = ctx;
  pl_modal_state(t->l, t->o, phase, s);
}

pl_status pl_modal_strain(const pl_modal *l, const pl_orbit *o, int nsample, double *each,
                          pl_strain *most) {
  linear_motion t = {l, o};
  return strain_over_period(l->m, l->p, l->w, linear_state, &t, nsample ? nsample : 64, each, most);
}
