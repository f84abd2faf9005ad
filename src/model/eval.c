#include "model_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// one call of pl_eval, as the threads see it
typedef struct task {
  const pl_model *m;
  const pl_params *p;
  const pl_state *s;
  unsigned want;
  pl_coef coef;
  double alpha, beta;
  pl_work *w;
} task;

typedef struct element { // scratch of one element
  double q[PL_NDOF_MAX], v[PL_NDOF_MAX], g[PL_NDOF_MAX], f[PL_NDOF_MAX];
  double H[PL_NDOF_MAX * PL_NDOF_MAX], T[PL_NDOF_MAX * PL_NDOF_MAX], C[PL_NDOF_MAX * PL_NDOF_MAX];
  double rest[PL_NREST_MAX], Hv[PL_NDOF_MAX];
  double W;
  int third; // 1: C is d(H v)/dq
  int ahead; // 1: H v is known, and H is that of q + b v, with its own share of the tangent
} element;

// what stiffness damping makes of the share of K in the tangent: ck + beta cd
static double own_share(const task *t) {
  return t->coef.k + (1 + t->coef.more) * t->beta * t->coef.d;
}

// Under pressure K may be indefinite, and damping by it drives. Where it does, K v less its part
// along the velocities w within the element, which gives no power: K v - (v'K v/w'w) w. Returns the
// stiffness -v'K v/w'w.
static double leave_out_driving(const pl_elem_kind *k, element *x) {
  double power = 0, size = 0, mean[3] = {0}, w[PL_NDOF_MAX];
  int nplace = k->nvert * k->vdim;
  for (int i = 0; i < nplace; i++) mean[i % k->vdim] += x->v[i] / k->nvert;
  for (int i = 0; i < k->ndof; i++) {
    w[i] = x->v[i] - (i < nplace ? mean[i % k->vdim] : 0);
    power += x->v[i] * x->Hv[i];
    size += w[i] * w[i];
  }
  double stiff = power < 0 && size > 0 ? -power / size : 0;
  for (int i = 0; stiff > 0 && i < k->ndof; i++) x->Hv[i] += stiff * w[i];
  return stiff;
}

// adds that stiffness to the tangent: by for every velocity within the element
static void add_within(const pl_elem_kind *k, double by, double *T) {
  int n = k->ndof, nplace = k->nvert * k->vdim;
  for (int i = 0; i < n; i++) T[i * n + i] += by;
  for (int i = 0; i < nplace; i++)
    for (int j = i % k->vdim; j < nplace; j += k->vdim) T[i * n + j] -= by / k->nvert;
}

// adds beta K v and its share of the tangent: (ck + beta cd) K + ck beta d(K v)/dq
static int add_stiffness_damping(const task *t, const pl_elem_kind *k, const double *par,
                                 const double *rest, element *x, double *power) {
  int n = k->ndof;
  double beta = (1 + t->coef.more) * t->beta;
  for (int i = 0; i < n && !x->ahead; i++) {
    x->Hv[i] = 0;
    for (int j = 0; j < n; j++) x->Hv[i] += x->H[i * n + j] * x->v[j];
  }
  double stiff = t->want & PL_PASSIVE ? leave_out_driving(k, x) : 0;
  for (int i = 0; i < n; i++) {
    x->g[i] += beta * x->Hv[i];
    *power += t->beta * x->Hv[i] * x->v[i];
  }
  if (!(t->want & PL_WANT_TANGENT)) return 0;
  double own = own_share(t);
  for (int i = 0; i < n * n; i++) x->T[i] = own * x->H[i];
  if (stiff > 0) add_within(k, beta * t->coef.d * stiff, x->T);
  if (x->ahead || !(t->want & (PL_EXACT | PL_NEAR))) return 0;
  if (!x->third && pl_elem_third(k, x->q, x->v, par, rest, x->C) != PL_OK) return 1;
  for (int i = 0; i < n * n; i++) x->T[i] += t->coef.k * beta * x->C[i];
  return 0;
}

// adds dashpots: force, cd dforce/dv and the symmetric part of ck dforce/dq
static int add_dashpots(const task *t, const pl_elem_kind *k, const double *par, const double *rest,
                        element *x, double *power) {
  int n = k->ndof, tangent = (t->want & PL_WANT_TANGENT) != 0;
  int exact = (t->want & (PL_EXACT | PL_NEAR)) || k->circulatory;
  double S[PL_NDOF_MAX * PL_NDOF_MAX];
  if (k->d.visc(x->q, x->v, par, rest, x->f, tangent ? x->C : NULL, tangent ? S : NULL)) return 1;
  for (int i = 0; i < n; i++) {
    x->g[i] += x->f[i];
    *power += x->f[i] * x->v[i];
  }
  if (!tangent) return 0;
  double ck = exact ? 0.5 * t->coef.k : 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x->T[i * n + j] += 0.5 * t->coef.d * (x->C[i * n + j] + x->C[j * n + i]) +
                         ck * (S[i * n + j] + S[j * n + i]);
  return 0;
}

// what a slider has lost since it was left: the rest of its potential is stored, f^2/(2k)
static double slip_loss(const pl_elem_kind *k, const double *q, const double *par,
                        const double *rest, double W) {
  double value[8];
  k->field(q, par, rest, value);
  return W - 0.5 * value[0] * value[0] / par[0];
}

// sums over the elements of a block
typedef struct sums {
  double energy, power, slip;
  double grown; // dW by the unknown that growth follows
} sums;

// what a call wants of the elements of a kind
typedef struct wish {
  int force, tangent, damped, dashpots;
  int third; // d(beta K v)/dq in the tangent, by packs
  int ahead; // packs: forces by derivatives along v, the tangent by a Hessian ahead
} wish;

static wish make_wish(const task *t, const group *g) {
  const pl_elem_kind *k = g->kind;
  int dynamic = (t->want & PL_DYNAMIC) != 0;
  wish w = {.force = (t->want & PL_WANT_FORCE) != 0, .tangent = (t->want & PL_WANT_TANGENT) != 0};
  w.damped = dynamic && group_beta(g, t->p->par) != 0;
  w.dashpots = (dynamic || k->circulatory) && k->d.visc != NULL;
  w.ahead = w.damped && k->along && !(t->want & PL_EXACT);
  w.third =
      w.tangent && w.damped && !w.ahead && (t->want & (k->p.third ? PL_EXACT | PL_NEAR : PL_NEAR));
  return w;
}

// adds the element's matrix T, in which entries of one unknown are joined, to A
static void scatter(const task *t, const group *g, int e, double *T) {
  int n = g->kind->ndof;
  double *val = t->w->A.val;
  if (g->twin) {
    const int *twin = g->twin + (size_t)e * (size_t)n;
    for (int i = 0; i < n; i++) {
      if (twin[i] < 0) continue;
      for (int j = 0; j < n; j++) T[twin[i] * n + j] += T[i * n + j];
      for (int j = 0; j < n; j++) T[j * n + twin[i]] += T[j * n + i];
    }
  }
  const int *slot = t->m->slot + g->slot0 + (size_t)e * ((size_t)n * ((size_t)n + 1) / 2);
  // the bin for entries of held unknowns, their diagonals too, is no place for several threads
  int nnz = t->w->A.nnz, held = 0;
  for (int i = 0, at = 0; i < n; at += ++i + 1) held |= slot[at] == nnz;
  for (int i = 0; i < n && !held; i++)
    for (int j = 0; j <= i; j++) val[*slot++] += T[i * n + j];
  for (int i = 0; i < n && held; i++)
    for (int j = 0; j <= i; j++, slot++)
      if (*slot < nnz) val[*slot] += T[i * n + j];
}

// forces and tangent of an element whose energy, gradient and Hessian are in x
static int put_element(const task *t, const group *g, int e, const wish *w, const double *rest,
                       element *x, sums *sum) {
  const pl_elem_kind *k = g->kind;
  int n = k->ndof;
  const int *dof = g->dof + (size_t)e * (size_t)n;
  const double *par = group_par(g, t->p->par, e);
  sum->energy += x->W;
  int convex = w->tangent && (t->want & PL_CONVEX) != 0, damped = w->damped || w->dashpots;
  if (convex && k->convex_law) k->convex_law(g->law, x->q, par, rest, x->H);
  if (k->slider.d) sum->slip += slip_loss(k, x->q, par, rest, x->W);
  if (!w->force && !w->tangent) return 0;
  if (w->force && g->grow_by >= 0) sum->grown += growth_force(g, t->p, t->s, e, x->q, par, rest);
  // plain stiffness is scattered as it is
  double *T = !damped && t->coef.k == 1 ? x->H : x->T;
  if (w->tangent && !w->damped && T == x->T)
    for (int i = 0; i < n * n; i++) T[i] = t->coef.k * x->H[i];
  for (int i = 0; damped && i < n; i++)
    if (dof[i] >= 0) t->w->f_damp[dof[i]] -= x->g[i];
  if (w->damped && add_stiffness_damping(t, k, par, rest, x, &sum->power)) return 1;
  if (w->dashpots && add_dashpots(t, k, par, rest, x, &sum->power)) return 1;

  for (int i = 0; i < n; i++)
    if (dof[i] >= 0) t->w->f_inner[dof[i]] += x->g[i];
  for (int i = 0; damped && i < n; i++)
    if (dof[i] >= 0) t->w->f_damp[dof[i]] += x->g[i];
  if (!w->tangent) return 0;
  // what is not a number shows on the diagonal
  double trace = 0;
  for (int i = 0; i < n; i++) trace += T[i * n + i];
  if (!isfinite(trace)) return 1;
  if (convex && !k->convex_law) convex_part(n, T);
  scatter(t, g, e, T);
  return 0;
}

static void gather_element(const task *t, const group *g, int e, element *x) {
  int n = g->kind->ndof;
  const int *dof = g->dof + (size_t)e * (size_t)n;
  gather(n, dof, t->s->q, x->q);
  if ((t->want & PL_DYNAMIC) || g->kind->circulatory) gather(n, dof, t->s->v, x->v);
}

static int eval_element(const task *t, const group *g, int e, const wish *w, element *x,
                        sums *sum) {
  const double *par = group_par(g, t->p->par, e);
  const double *rest = group_rest(g, t->p, t->s, e, x->rest);
  gather_element(t, g, e, x);
  x->W = 0;
  x->third = x->ahead = 0;
  if (group_eval(g, x->q, par, rest, &x->W, w->force || w->tangent ? x->g : NULL,
                 w->tangent || w->damped ? x->H : NULL))
    return 1;
  return put_element(t, g, e, w, rest, x, sum);
}

// ---- packs of elements --------------------------------------------------------------------------

// Parts of an element by which it moves: for a difference of Hessians, and at most where a single
// one ahead stands for both. A turn by that angle, taken straight, is a strain of half its square,
// which must be little beside that of slender parts that bend.
static const double NEAR = 1e-6, AHEAD = 1e-3;

typedef struct packed {
  pl_pack q[PL_NDOF_MAX], v[PL_NDOF_MAX], par[PL_NPAR_MAX], rest[PL_NREST_MAX];
  pl_pack W, g[PL_NDOF_MAX], H[PL_NDOF_MAX * PL_NDOF_MAX], C[PL_NDOF_MAX * PL_NDOF_MAX];
  pl_pack Hv[PL_NDOF_MAX];
} packed;

// such elements have rest data of their own alone, and no forces but those of their potential
static int is_packed(const group *g) {
  const pl_elem_kind *k = g->kind;
  return k->p.eval && !k->eval_law && !k->d.visc && !k->slider.d && k->nhist == 0 &&
         g->grow_by < 0 && !k->convex_law;
}

static void open_pack(const task *t, const group *g, int first, int n, packed *x) {
  const pl_elem_kind *k = g->kind;
  int rates = (t->want & PL_DYNAMIC) != 0;
  for (int l = 0; l < PL_LANES; l++) {
    int e = first + (l < n ? l : n - 1);
    const double *par = group_par(g, t->p->par, e);
    const double *rest = t->p->rest + g->rest0 + (size_t)e * (size_t)k->nrest;
    const int *dof = g->dof + (size_t)e * (size_t)k->ndof;
    for (int i = 0; i < k->ndof; i++) {
      x->q[i][l] = dof[i] >= 0 ? t->s->q[dof[i]] : 0;
      x->v[i][l] = rates && dof[i] >= 0 ? t->s->v[dof[i]] : 0;
    }
    for (int i = 0; i < k->npar; i++) x->par[i][l] = par[i];
    for (int i = 0; i < k->nrest; i++) x->rest[i][l] = rest[i];
  }
}

// largest rate of the element within itself over its size, 1/s
static double own_rate(const pl_elem_kind *k, const packed *x, int lane) {
  double size = 0, fast = 0;
  for (int i = 0; i < k->ndof; i++) {
    size = fmax(size, fabs(x->q[i][lane] - x->q[i % k->vdim][lane]));
    fast = fmax(fast, fabs(x->v[i][lane] - x->v[i % k->vdim][lane]));
  }
  return size > 0 ? fast / size : 0;
}

// times by which elements move along v for a difference
static pl_pack near_steps(const pl_elem_kind *k, const packed *x) {
  pl_pack step;
  for (int l = 0; l < PL_LANES; l++) {
    double rate = own_rate(k, x, l);
    step[l] = rate > 0 ? NEAR / rate : 1;
  }
  return step;
}

// d(H v)/dq, by the kernel or by a difference along v
static int third_pack(const pl_elem_kind *k, packed *x) {
  int n = k->ndof, nn = n * n;
  pl_pack step = near_steps(k, x), displaced[PL_NDOF_MAX];
  if (k->p.third) return k->p.third(x->q, x->v, x->par, x->rest, x->C);
  for (int i = 0; i < n; i++) displaced[i] = x->q[i] + step * x->v[i];
  if (k->p.eval(displaced, x->par, x->rest, NULL, NULL, x->C)) return 1;
  for (int i = 0; i < nn; i++) x->C[i] = (x->C[i] - x->H[i]) / step;
  return 0;
}

// Forces with H v, and the tangent own H(q) + ck beta d(H v)/dq as own H(q + ck beta/own v), which
// it is but for terms of second order in v: where these count, by a difference
static int eval_ahead(const task *t, const pl_elem_kind *k, const wish *w, packed *x) {
  pl_pack displaced[PL_NDOF_MAX], step;
  double by = 0, own = own_share(t), most = 0;
  int n = k->ndof;
  if (k->along(x->q, x->v, x->par, x->rest, &x->W, x->g, x->Hv)) return 1;
  if (!w->tangent) return 0;
  if ((t->want & PL_NEAR) && own > 0) by = t->coef.k * (1 + t->coef.more) * t->beta / own;
  for (int l = 0; l < PL_LANES; l++) most = fmax(most, by * own_rate(k, x, l));
  if (most <= AHEAD) {
    for (int i = 0; i < n; i++) displaced[i] = x->q[i] + by * x->v[i];
    return k->p.eval(displaced, x->par, x->rest, NULL, NULL, x->H);
  }
  step = near_steps(k, x);
  for (int i = 0; i < n; i++) displaced[i] = x->q[i] + step * x->v[i];
  if (k->p.eval(x->q, x->par, x->rest, NULL, NULL, x->H) ||
      k->p.eval(displaced, x->par, x->rest, NULL, NULL, x->C))
    return 1;
  for (int i = 0; i < n * n; i++) x->H[i] += by / step * (x->C[i] - x->H[i]);
  return 0;
}

// elements first, first + 1, ... one lane each; 1: some are outside of their domain, or a
// difference is, and they are evaluated one by one
static int eval_pack(const task *t, const group *g, int first, const wish *w, int n, packed *x) {
  int hess = w->tangent || w->damped;
  open_pack(t, g, first, n, x);
  if (w->ahead) return eval_ahead(t, g->kind, w, x);
  if (g->kind->p.eval(x->q, x->par, x->rest, &x->W, w->force || w->tangent ? x->g : NULL,
                      hess ? x->H : NULL))
    return 1;
  return w->third && third_pack(g->kind, x);
}

static int put_pack(const task *t, const group *g, int first, const wish *w, int n, const packed *x,
                    element *one, sums *sum) {
  int nd = g->kind->ndof, nn = w->tangent || (w->damped && !w->ahead) ? nd * nd : 0;
  for (int l = 0; l < n; l++) {
    const double *rest = t->p->rest + g->rest0 + (size_t)(first + l) * (size_t)g->kind->nrest;
    one->W = x->W[l];
    one->third = w->third;
    one->ahead = w->ahead;
    for (int i = 0; i < nd; i++) {
      one->q[i] = x->q[i][l];
      one->v[i] = x->v[i][l];
      one->g[i] = x->g[i][l];
      if (w->ahead) one->Hv[i] = x->Hv[i][l];
    }
    for (int i = 0; i < nn; i++) one->H[i] = x->H[i][l];
    for (int i = 0; i < nn && w->third; i++) one->C[i] = x->C[i][l];
    if (put_element(t, g, first + l, w, rest, one, sum)) return l + 1;
  }
  return 0;
}

static void eval_block(void *ctx, int b, int thread) {
  (void)thread;
  const task *t = ctx;
  const block *blk = &t->m->block[b];
  const group *g = &t->m->group[blk->group];
  wish w = make_wish(t, g);
  element x;
  packed many;
  sums sum = {0};
  int end = blk->first + blk->n, packs = is_packed(g), bad = 0;
  for (int e = blk->first; e < end && !bad;) {
    int n = packs && end - e > 2 ? end - e : 1;
    if (n > PL_LANES) n = PL_LANES;
    int one = n == 1 || eval_pack(t, g, e, &w, n, &many);
    if (!one) bad = put_pack(t, g, e, &w, n, &many, &x, &sum);
    for (int l = 0; one && l < n && !bad; l++)
      if (eval_element(t, g, e + l, &w, &x, &sum)) bad = l + 1;
    if (bad) bad += e;
    e += n;
  }
  t->w->impl->bad[b] = bad;
  t->w->impl->energy[b] = sum.energy;
  t->w->impl->power[b] = sum.power;
  t->w->impl->slip[b] = sum.slip;
  t->w->impl->grown[b] = sum.grown;
}

// all elements; sums in block order, so that the bits do not depend on threads
static pl_status eval_elements(task *t) {
  const pl_model *m = t->m;
  pl_work *w = t->w;
  model_each_block(m, w, m->few ? NULL : w->threads, 0, eval_block, t);
  for (int b = 0; b < m->nblock; b++) {
    if (w->impl->bad[b]) {
      w->bad_group = m->block[b].group;
      w->bad_elem = w->impl->bad[b] - 1;
      return PL_DOMAIN;
    }
    const group *g = &m->group[m->block[b].group];
    *(g->kind->outer ? &w->outer : &w->elastic) += w->impl->energy[b];
    if (g->grow_by >= 0) w->f_inner[g->grow_by] += w->impl->grown[b];
    w->dissipated += w->impl->power[b];
    w->slipped += w->impl->slip[b];
  }
  return PL_OK;
}

void pl_mass_mul(const pl_params *p, const double *x, pl_work *w, double *y) {
  pl_mul_run(w->impl->mass, w->threads, &p->M, 1, x, 0, y);
}

// work of gravity and of constant loads since the reference position
static double load_work(const pl_model *m, const pl_params *p, const pl_state *s, const pl_clock *c,
                        pl_work *w) {
  double *u = w->impl->tmp, *g = w->impl->f, work = 0;
  pl_axpy(m->nq, -1, p->X, s->q, u);
  pl_clock still = {.t = 0, .omega = 0, .scale = c->scale, .timed = c->timed ? -1 : 0};
  pl_load(m, p, &still, g);
  work += pl_dot(m->nq, g, u);
  const double *gravity = p->par + PL_PAR_GRAVITY;
  memset(g, 0, (size_t)m->nq * sizeof(double));
  for (int i = 0; i < m->nnode * m->dim; i++) g[i] = c->scale * gravity[i % m->dim];
  pl_mass_mul(p, u, w, w->r);
  return work + pl_dot(m->nq, g, w->r);
}

// r = M (a + alpha v - g), and the load f
static void put_outer(const task *t, const pl_clock *c) {
  const pl_model *m = t->m;
  pl_work *w = t->w;
  double *x = w->impl->tmp;
  const double *gravity = t->p->par + PL_PAR_GRAVITY;
  int dynamic = (t->want & PL_DYNAMIC) != 0, heavy = dynamic;
  for (int i = 0; i < 3; i++) heavy |= c->scale * gravity[i] != 0;
  for (int i = 0; i < m->nq; i++) {
    x[i] = dynamic ? t->s->a[i] + t->alpha * t->s->v[i] : 0;
    if (i < m->nnode * m->dim) x[i] -= c->scale * gravity[i % m->dim];
  }
  // weightless statics need no mass
  if (heavy)
    pl_mass_mul(t->p, x, w, w->r);
  else
    memset(w->r, 0, (size_t)m->nq * sizeof(double));
  pl_load(m, t->p, c, w->impl->f);
}

void pl_eval_outer(const pl_model *m, const pl_params *p, const pl_state *s, const pl_clock *c,
                   pl_work *w) {
  task t = {.m = m, .p = p, .s = s, .want = PL_DYNAMIC, .w = w, .alpha = p->par[PL_PAR_ALPHA]};
  put_outer(&t, c);
  for (int i = 0; i < m->nq; i++) w->r[i] -= w->impl->f[i];
}

static void add_kinetic(const task *t) {
  pl_work *w = t->w;
  pl_mass_mul(t->p, t->s->v, w, w->impl->tmp);
  double vMv = pl_dot(t->m->nq, t->s->v, w->impl->tmp);
  w->kinetic = 0.5 * vMv;
  w->dissipated += t->alpha * vMv;
}

enum { SHARE = 1 << 14 }; // entries of a matrix that one thread takes

static int shares(int n) {
  return (n + SHARE - 1) / SHARE;
}

static int share_end(int i, int n) {
  return n - i * SHARE < SHARE ? n : (i + 1) * SHARE;
}

static void clear_share(void *ctx, int i, int thread) {
  const task *t = ctx;
  int first = i * SHARE, end = share_end(i, t->w->A.nnz);
  (void)thread;
  memset(t->w->A.val + first, 0, (size_t)(end - first) * sizeof(double));
}

// entries of unknowns that are given go nowhere
static void add_mass_share(void *ctx, int i, int thread) {
  const task *t = ctx;
  const pl_csc *M = &t->p->M;
  pl_csc *A = &t->w->A;
  double cm = t->coef.m + t->alpha * t->coef.d;
  (void)thread;
  for (int k = i * SHARE; k < share_end(i, M->nnz); k++)
    if (t->m->mass_to_free[k] < A->nnz) A->val[t->m->mass_to_free[k]] += cm * M->val[k];
}

pl_status pl_eval(const pl_model *m, const pl_params *p, const pl_state *s, const pl_clock *c,
                  unsigned want, const pl_coef *coef, pl_work *w) {
  task t = {.m = m, .p = p, .s = s, .want = want, .w = w};
  if (coef) t.coef = *coef;
  t.alpha = p->par[PL_PAR_ALPHA];
  t.beta = p->par[PL_PAR_BETA];
  w->elastic = w->outer = w->kinetic = w->dissipated = w->slipped = 0;
  memset(w->f_inner, 0, (size_t)m->nq * sizeof(double));
  memset(w->f_damp, 0, (size_t)m->nq * sizeof(double));
  if (want & PL_WANT_TANGENT) pl_threads_run(w->threads, shares(w->A.nnz), clear_share, &t);
  PL_TRY(eval_elements(&t));
  if (want & PL_WANT_ENERGY) w->potential = w->elastic + w->outer - load_work(m, p, s, c, w);
  if (want & PL_DYNAMIC) add_kinetic(&t);
  if (want & PL_WANT_FORCE) {
    put_outer(&t, c);
    for (int i = 0; i < m->nq; i++) w->r[i] += w->f_inner[i] - w->impl->f[i];
  }
  if (want & PL_WANT_TANGENT) {
    double cm = want & PL_DYNAMIC ? t.coef.m + t.alpha * t.coef.d : 0;
    if (cm != 0) pl_threads_run(w->threads, shares(p->M.nnz), add_mass_share, &t);
    w->A.val[w->A.nnz] = 0;
  }
  // nothing that is not a number leaves this function
  w->bad_group = w->bad_elem = -1;
  if (!isfinite(w->elastic) || !isfinite(w->outer)) return PL_DOMAIN;
  if ((want & PL_WANT_FORCE) && !pl_all_finite(m->nq, w->r)) return PL_DOMAIN;
  return PL_OK;
}

// ---- work ---------------------------------------------------------------------------------------

pl_status pl_work_create(const pl_model *m, int nthread, pl_work **out) {
  return pl_work_create_for(m->env, m, nthread, out);
}

pl_status pl_work_create_for(pl_env *env, const pl_model *m, int nthread, pl_work **out) {
  *out = NULL;
  pl_work *w = pl_alloc(env, 1, sizeof *w);
  struct work_impl *i = pl_alloc(env, 1, sizeof *i);
  if (!w || !i) {
    pl_free(env, w);
    pl_free(env, i);
    return PL_E_NOMEM;
  }
  size_t nq = (size_t)m->nq, nblock = (size_t)m->nblock;
  w->env = env;
  w->impl = i;
  w->r = pl_alloc(env, nq, sizeof(double));
  w->f_inner = pl_alloc(env, nq, sizeof(double));
  w->f_damp = pl_alloc(env, nq, sizeof(double));
  i->energy = pl_alloc(env, nblock, sizeof(double));
  i->power = pl_alloc(env, nblock, sizeof(double));
  i->slip = pl_alloc(env, nblock, sizeof(double));
  i->grown = pl_alloc(env, nblock, sizeof(double));
  i->bad = pl_alloc(env, nblock, sizeof(int));
  i->done = pl_alloc(env, nblock, sizeof *i->done);
  i->f = pl_alloc(env, nq, sizeof(double));
  i->tmp = pl_alloc(env, nq, sizeof(double));
  pl_status s = pl_csc_copy(env, &m->A, &w->A);
  if (s == PL_OK && !(w->r && w->f_inner && w->f_damp && i->energy && i->power && i->slip &&
                      i->grown && i->bad && i->done && i->f && i->tmp))
    s = PL_E_NOMEM;
  if (s == PL_OK) s = direction_create(env, m, &i->along);
  if (s == PL_OK) s = pl_mul_create(env, &m->M, &i->mass);
  if (s == PL_OK && nthread > 1) s = pl_threads_create(env, nthread, &w->threads);
  if (s != PL_OK) {
    pl_work_free(w);
    return s;
  }
  *out = w;
  return PL_OK;
}

void pl_work_free(pl_work *w) {
  if (!w) return;
  pl_env *env = w->env;
  struct work_impl *i = w->impl;
  void *all[] = {i->energy, i->power, i->slip, i->grown, i->bad,     i->done,
                 i->f,      i->tmp,   i,       w->r,     w->f_inner, w->f_damp};
  pl_threads_free(w->threads);
  direction_free(env, &i->along);
  pl_mul_free(i->mass);
  pl_csc_free(env, &w->A);
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) pl_free(env, all[k]);
  pl_free(env, w);
}
