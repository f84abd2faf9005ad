#include "interlock_impl.h"

#include <float.h>
#include <string.h>

// A periodic cell of rigid elements. Unknowns: translation and rotation of each element (the first
// is not translated), and strains of the lattice. Limits are found on the central path of a
// barrier: the goal is made largest while every gap repels with a weight that goes to zero.

static const double SHRINK = 0.3; // no cell is compressed further than to this
static const double GOOD = 1e-3;  // strain; what may be left of a limit, which is told
enum {
  ROUGH = 20,  // iterations of weights that are not the last ones
  GUARDS = 200 // most of them, all in all
};

typedef struct pair {
  int i, j;        // elements
  int cell[2];     // of the second
  double shift[2]; // its lattice vector
} pair;

typedef struct contact {
  int pair, piece[2];
  pl_touch at;
} contact;

struct pl_cell {
  pl_env *env;
  int nelem, npair, cap_pair;
  const pl_mail_element **elem; // [nelem]
  pl_pose *ref;                 // [nelem]
  double lattice[2][2];
  double thin, reach; // the thinnest wire; a ball about an element's origin
  pair *pair;
};

// ---- the cell -----------------------------------------------------------------------------------

static pl_status add_pair(pl_cell *c, int i, int j, int k, int l) {
  PL_TRY(pl_grow(c->env, &c->pair, c->npair, &c->cap_pair, sizeof *c->pair));
  pair *p = &c->pair[c->npair++];
  *p = (pair){.i = i, .j = j, .cell = {k, l}};
  for (int d = 0; d < 2; d++) p->shift[d] = k * c->lattice[0][d] + l * c->lattice[1][d];
  return PL_OK;
}

// pairs that may meet until the lattice shrinks to SHRINK, one of each two that are the same
static pl_status find_pairs(pl_cell *c) {
  double far = 2 * c->reach / SHRINK;
  double area = fabs(c->lattice[0][0] * c->lattice[1][1] - c->lattice[0][1] * c->lattice[1][0]);
  int most[2];
  for (int d = 0; d < 2; d++) {
    const double *other = c->lattice[1 - d];
    double high = area / hypot(other[0], other[1]); // of the cell over its other side
    most[d] = (int)ceil((far + c->reach) / high) + 1;
  }
  for (int i = 0; i < c->nelem; i++)
    for (int j = i; j < c->nelem; j++)
      for (int k = -most[0]; k <= most[0]; k++)
        for (int l = -most[1]; l <= most[1]; l++) {
          if (i == j && (k < 0 || (k == 0 && l <= 0))) continue;
          double w[2];
          for (int d = 0; d < 2; d++)
            w[d] = c->ref[j].x[d] - c->ref[i].x[d] + k * c->lattice[0][d] + l * c->lattice[1][d];
          if (hypot(w[0], w[1]) < far) PL_TRY(add_pair(c, i, j, k, l));
        }
  return PL_OK;
}

// the thinnest wire, and a ball about the origin of every element
static void measure(const pl_mail *m, double *thin, double *reach) {
  *thin = DBL_MAX;
  *reach = 0;
  for (int i = 0; i < m->nkind; i++)
    for (int k = 0; k < m->kind[i].npiece; k++) {
      const pl_piece *p = &m->kind[i].piece[k];
      double from[3], far = piece_reach(p, from);
      *thin = fmin(*thin, p->kind == PL_PIECE_RING ? fmin(p->radius, p->height) : p->radius);
      *reach = fmax(*reach, far + pl_norm3(from));
    }
}

const char *pl_mail_fault(const pl_mail *m) {
  double thin, reach, most = 0;
  const double *a = m->lattice[0], *b = m->lattice[1];
  for (int i = 0; i < m->nkind; i++)
    for (int k = 0; k < m->kind[i].npiece; k++) {
      const pl_piece *p = &m->kind[i].piece[k];
      if (p->kind == PL_PIECE_RING && p->radius >= p->major) return "a ring has no hole";
    }
  measure(m, &thin, &reach);
  for (int d = 0; d < 2; d++) most = fmax(most, hypot(m->lattice[d][0], m->lattice[d][1]));
  if (!(fabs(a[0] * b[1] - a[1] * b[0]) > 0.02 * reach * most))
    return "the lattice is far too fine for its elements";
  return NULL;
}

pl_status pl_cell_create(pl_env *env, const pl_mail *m, int copies0, int copies1, pl_cell **out) {
  *out = NULL;
  pl_cell *c = pl_alloc(env, 1, sizeof *c);
  if (!c) return PL_E_NOMEM;
  const int copies[2] = {copies0, copies1};
  *c = (pl_cell){.env = env};
  size_t nelem = (size_t)(m->nelem * copies0 * copies1);
  c->ref = pl_alloc(env, nelem, sizeof *c->ref);
  c->elem = pl_alloc(env, nelem, sizeof *c->elem);
  if (!c->ref || !c->elem) {
    pl_cell_free(c);
    return PL_E_NOMEM;
  }
  for (int k = 0; k < copies0; k++)
    for (int l = 0; l < copies1; l++)
      for (int i = 0; i < m->nelem; i++) {
        c->elem[c->nelem] = &m->kind[m->kind_of[i]];
        pl_pose *p = &c->ref[c->nelem++];
        *p = m->pose[i];
        for (int d = 0; d < 2; d++) p->x[d] += k * m->lattice[0][d] + l * m->lattice[1][d];
      }
  for (int k = 0; k < 2; k++)
    for (int d = 0; d < 2; d++) c->lattice[k][d] = copies[k] * m->lattice[k][d];
  measure(m, &c->thin, &c->reach);
  pl_status s = find_pairs(c);
  if (s == PL_OK)
    *out = c;
  else
    pl_cell_free(c);
  return s;
}

void pl_cell_free(pl_cell *c) {
  if (!c) return;
  pl_env *env = c->env;
  pl_free(env, c->ref);
  pl_free(env, c->elem);
  pl_free(env, c->pair);
  pl_free(env, c);
}

int pl_cell_nelem(const pl_cell *c) {
  return c->nelem;
}

static int are_linked(const pl_cell *c, const pair *p) {
  const pl_mail_element *first = c->elem[p->i], *second = c->elem[p->j];
  pl_pose b = c->ref[p->j];
  double w[3];
  for (int d = 0; d < 2; d++) b.x[d] += p->shift[d];
  pl_sub3(b.x, c->ref[p->i].x, w);
  if (pl_norm3(w) > 2 * c->reach) return 0;
  for (int k = 0; k < first->npiece; k++)
    for (int l = 0; l < second->npiece; l++)
      if (pl_piece_links(&first->piece[k], &c->ref[p->i], &second->piece[l], &b)) return 1;
  return 0;
}

int pl_cell_links(const pl_cell *c, int elem) {
  int n = 0;
  for (int k = 0; k < c->npair; k++) {
    const pair *p = &c->pair[k];
    int ends = (p->i == elem) + (p->j == elem);
    if (ends && are_linked(c, p)) n += ends;
  }
  return n;
}

// ---- a state ------------------------------------------------------------------------------------

typedef struct state {
  double e[3];
  pl_pose *pose;
} state;

typedef struct taut {
  pl_cell *c;
  const pl_taut_opts *o;
  const pl_taut_goal *g;
  int nz;       // unknowns: six an element but for the first translation, then strains
  double reach; // of the repulsion
  state now, trial;
  double *grad, *H, *step, *eig, *V;
  double *scale; // [nz] a unit of an unknown moves points by about this (m)
  int ncontact, cap_contact;
  contact *contact; // of the state that was evaluated last
  int nlast, cap_last;
  contact *last; // those before them
  double gap;    // smallest of them
  double left;   // what another step would gain
  // Places where a step would have made pieces overlap without any minimum near them before it:
  // they keep their distance, too.
  int nguard, cap_guard;
  contact *guard;
  pl_taut *out;
} taut;

static void stretch_of(const pl_taut_goal *g, const double *e, double out[3]) {
  for (int c = 0; c < 3; c++) {
    out[c] = g->offset[c];
    for (int k = 0; k < g->n; k++) out[c] += e[k] * g->basis[k][c];
  }
}

// S x for S = (xx, yy, xy)
static void apply(const double S[3], const double x[2], double out[3]) {
  out[0] = S[0] * x[0] + S[2] * x[1];
  out[1] = S[2] * x[0] + S[1] * x[1];
  out[2] = 0;
}

// the second element of a pair, where its cell is
static pl_pose image(const taut *t, const state *s, const pair *p) {
  double S[3], move[3];
  pl_pose out = s->pose[p->j];
  stretch_of(t->g, s->e, S);
  apply(S, p->shift, move);
  for (int d = 0; d < 2; d++) out.x[d] += p->shift[d] + move[d];
  return out;
}

static const pl_piece *piece_of(const pl_cell *c, const contact *k, int which) {
  const pair *p = &c->pair[k->pair];
  return &c->elem[which ? p->j : p->i]->piece[k->piece[which]];
}

// gap of a contact in another state, where it has moved to; 0: it is gone
static int follow(const taut *t, const state *s, contact *k) {
  const pair *p = &t->c->pair[k->pair];
  pl_pose b = image(t, s, p);
  return pl_piece_follow(piece_of(t->c, k, 0), &s->pose[p->i], piece_of(t->c, k, 1), &b, &k->at);
}

static void keep_last(taut *t) {
  contact *swap = t->last;
  int cap = t->cap_last;
  t->last = t->contact;
  t->nlast = t->ncontact;
  t->cap_last = t->cap_contact;
  t->contact = swap;
  t->cap_contact = cap;
  t->ncontact = 0;
}

static int is_known(const taut *t, const contact *k) {
  for (int i = 0; i < t->ncontact; i++) {
    const contact *o = &t->contact[i];
    double far = 0;
    if (o->pair != k->pair || o->piece[0] != k->piece[0] || o->piece[1] != k->piece[1]) continue;
    for (int j = 0; j < 4; j += 2)
      far = fmax(far, fabs(remainder(o->at.u[j] - k->at.u[j], 2 * PL_PI)));
    for (int j = 1; j < 4; j += 2) far = fmax(far, fabs(o->at.u[j] - k->at.u[j]));
    if (far < 1e-6) return 1;
  }
  return 0;
}

// contacts that were there before and have not been found again
static pl_status follow_last(taut *t, const state *s) {
  for (int i = 0; i < t->nlast; i++) {
    contact k = t->last[i];
    if (k.at.still || !follow(t, s, &k) || k.at.gap > t->reach || is_known(t, &k)) continue;
    PL_TRY(pl_grow(t->c->env, &t->contact, t->ncontact, &t->cap_contact, sizeof *t->contact));
    t->contact[t->ncontact++] = k;
    t->gap = fmin(t->gap, k.at.gap);
  }
  return PL_OK;
}

// All contacts of a state within reach. PL_DOMAIN: some pieces overlap.
static pl_status find_contacts(taut *t, const state *s) {
  pl_cell *c = t->c;
  keep_last(t);
  t->gap = DBL_MAX;
  for (int k = 0; k < c->npair; k++) {
    pl_pose b = image(t, s, &c->pair[k]);
    double w[3];
    pl_sub3(s->pose[c->pair[k].i].x, b.x, w);
    if (pl_norm3(w) > 2 * c->reach + t->reach) continue;
    const pl_mail_element *first = c->elem[c->pair[k].i], *second = c->elem[c->pair[k].j];
    for (int p = 0; p < first->npiece; p++)
      for (int q = 0; q < second->npiece; q++) {
        pl_touch touch[PL_TOUCH_MAX];
        int n = pl_piece_gaps(&first->piece[p], &s->pose[c->pair[k].i], &second->piece[q], &b,
                              t->reach, touch);
        for (int i = 0; i < n; i++) {
          PL_TRY(pl_grow(c->env, &t->contact, t->ncontact, &t->cap_contact, sizeof *t->contact));
          t->contact[t->ncontact++] = (contact){k, {p, q}, touch[i]};
          t->gap = fmin(t->gap, touch[i].gap);
        }
      }
  }
  t->out->evaluations++;
  PL_TRY(follow_last(t, s));
  return t->gap > 0 ? PL_OK : PL_DOMAIN;
}

// contacts of the current state, those that guard it included
static pl_status refresh(taut *t) {
  PL_TRY(find_contacts(t, &t->now));
  for (int i = 0; i < t->nguard; i++) {
    contact k = t->guard[i];
    if (!follow(t, &t->now, &k) || k.at.gap > t->reach || k.at.gap <= 0) continue;
    PL_TRY(pl_grow(t->c->env, &t->contact, t->ncontact, &t->cap_contact, sizeof *t->contact));
    t->contact[t->ncontact++] = k;
  }
  return PL_OK;
}

// contacts of a step that went too far
static pl_status add_guards(taut *t, double least) {
  for (int i = 0; i < t->ncontact && t->nguard < GUARDS; i++) {
    if (t->contact[i].at.gap > least || t->contact[i].at.still) continue;
    PL_TRY(pl_grow(t->c->env, &t->guard, t->nguard, &t->cap_guard, sizeof *t->guard));
    t->guard[t->nguard] = t->contact[i];
    t->guard[t->nguard++].at.still = 1;
  }
  return PL_OK;
}

// ---- the barrier --------------------------------------------------------------------------------

// -(1 - x)^2 log x with x = gap / reach, and its derivatives by the gap
static double barrier(double gap, double reach, double d[2]) {
  double x = gap / reach, y = 1 - x, l = log(x);
  d[0] = (2 * y * l - y * y / x) / reach;
  d[1] = (-2 * l + 4 * y / x + y * y / (x * x)) / (reach * reach);
  return -y * y * l;
}

// unknown of an element's motion, -1: none
static int unknown(int elem, int k) {
  return 6 * elem + k - 3;
}

// where the derivatives of a pair's gap go, in twelve motions and n strains; coefficients of the
// latter by the second translation are in by[]
static int scatter_map(const taut *t, const pair *p, int to[15], double by[3][3]) {
  for (int k = 0; k < 6; k++) {
    to[k] = unknown(p->i, k);
    to[6 + k] = unknown(p->j, k);
  }
  for (int k = 0; k < t->g->n; k++) {
    to[12 + k] = 6 * t->c->nelem - 3 + k;
    apply(t->g->basis[k], p->shift, by[k]);
  }
  return 12 + t->g->n;
}

// gradient and Hessian of one gap in all that it depends on
static int gap_slopes(const taut *t, const state *s, const contact *k, int to[15], double g[15],
                      double H[15][15]) {
  const pair *p = &t->c->pair[k->pair];
  pl_pose b = image(t, s, p);
  double by[3][3], small[12][12];
  int n = scatter_map(t, p, to, by);
  pl_piece_derivatives(piece_of(t->c, k, 0), &s->pose[p->i], piece_of(t->c, k, 1), &b, &k->at, g,
                       small);
  for (int i = 12; i < n; i++) g[i] = pl_dot3(g + 6, by[i - 12]);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) H[i][j] = small[i][j];
  for (int i = 12; i < n; i++) {
    for (int j = 0; j < 12; j++) H[i][j] = H[j][i] = pl_dot3(small[j] + 6, by[i - 12]);
    for (int j = 12; j <= i; j++) H[i][j] = H[j][i] = pl_dot3(&H[j][6], by[i - 12]);
  }
  return n;
}

static void assemble(taut *t, const state *s, double weight) {
  int nz = t->nz;
  memset(t->grad, 0, (size_t)nz * sizeof *t->grad);
  memset(t->H, 0, (size_t)nz * (size_t)nz * sizeof *t->H);
  for (int k = 0; k < t->g->n; k++) t->grad[6 * t->c->nelem - 3 + k] = -t->g->goal[k];
  for (int c = 0; c < t->ncontact; c++) {
    int to[15];
    double g[15], H[15][15], d[2];
    int n = gap_slopes(t, s, &t->contact[c], to, g, H);
    barrier(t->contact[c].at.gap, t->reach, d);
    for (int i = 0; i < n; i++) {
      if (to[i] < 0) continue;
      t->grad[to[i]] += weight * d[0] * g[i];
      for (int j = 0; j < n; j++)
        if (to[j] >= 0) t->H[to[i] * nz + to[j]] += weight * (d[1] * g[i] * g[j] + d[0] * H[i][j]);
    }
  }
}

// ---- steps --------------------------------------------------------------------------------------

// Newton's direction in lengths where all curvatures are positive; 0: they are not, or it goes far
static int plain_direction(taut *t) {
  int n = t->nz;
  double top = 0;
  for (int i = 0; i < n; i++) {
    t->step[i] = -t->grad[i] / t->scale[i];
    top = fmax(top, t->eig[i * n + i]);
  }
  // rings turn freely in themselves: there is no curvature then, and no force
  for (int i = 0; i < n; i++) t->eig[i * n + i] += 1e-11 * top;
  if (!(pl_cholesky(n, t->eig) > 0)) return 0;
  pl_cholesky_solve(n, t->eig, t->step);
  return pl_max_abs(n, t->step) < t->c->thin;
}

// the same with curvatures taken for their sizes; no part of it moves anything by more than a wire
static void bounded_direction(taut *t) {
  int n = t->nz;
  double *lambda = t->V + n * n, top = 0;
  pl_eig(n, t->eig, lambda, t->V);
  for (int e = 0; e < n; e++) top = fmax(top, fabs(lambda[e]));
  memset(t->step, 0, (size_t)n * sizeof *t->step);
  for (int e = 0; e < n; e++) {
    const double *v = t->V + e * n;
    double down = 0;
    for (int i = 0; i < n; i++) down -= v[i] * t->grad[i] / t->scale[i];
    double at = down / fmax(fabs(lambda[e]), 1e-14 * top);
    at = fmax(-t->c->thin, fmin(t->c->thin, at));
    for (int i = 0; i < n; i++) t->step[i] += at * v[i];
  }
}

static void scaled_curvature(taut *t) {
  int n = t->nz;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) t->eig[i * n + j] = t->H[i * n + j] / (t->scale[i] * t->scale[j]);
}

// a step down; returns its slope
static double direction(taut *t) {
  scaled_curvature(t);
  if (!plain_direction(t)) {
    scaled_curvature(t);
    bounded_direction(t);
  }
  for (int i = 0; i < t->nz; i++) t->step[i] /= t->scale[i];
  return pl_dot(t->nz, t->grad, t->step);
}

static void turn_by(const double *w, double scale, const double *Q, double *out) {
  double R[9], angle = scale * pl_norm3(w);
  pl_rotation3(w, angle, R);
  pl_mul3(R, Q, out);
}

static void move(const taut *t, double by, state *to) {
  for (int i = 0; i < t->c->nelem; i++) {
    const pl_pose *from = &t->now.pose[i];
    for (int k = 0; k < 3; k++) {
      int at = unknown(i, k);
      to->pose[i].x[k] = from->x[k] + (at < 0 ? 0 : by * t->step[at]);
    }
    turn_by(t->step + unknown(i, 3), by, from->Q, to->pose[i].Q);
  }
  for (int k = 0; k < t->g->n; k++) to->e[k] = t->now.e[k] + by * t->step[6 * t->c->nelem - 3 + k];
}

// Most that any point of an element moves in a whole step.
static double travel(const taut *t, int i) {
  double dx = 0, w = pl_norm3(t->step + unknown(i, 3));
  for (int k = 0; k < 3; k++) {
    int at = unknown(i, k);
    if (at >= 0) dx += t->step[at] * t->step[at];
  }
  return sqrt(dx) + w * t->c->reach;
}

// The step that leaves all links as they are: as long as no two centre lines can meet on the way,
// whatever pieces do in between. Pairs beyond the reach of the repulsion are apart by more than it.
static double safe_step(const taut *t) {
  double least = 1, S[3] = {0};
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < t->g->n; k++) S[c] += t->step[6 * t->c->nelem - 3 + k] * t->g->basis[k][c];
  for (int k = 0; k < t->c->npair; k++) {
    const pair *p = &t->c->pair[k];
    double shift[3], far = travel(t, p->i) + travel(t, p->j);
    apply(S, p->shift, shift);
    far += pl_norm3(shift);
    least = fmin(least, 2 * 0.9 * t->c->thin / fmax(far, 1e-300));
  }
  return least;
}

// How the energy changes from `now` to `trial`, in the contacts of `now`: contacts that come and go
// on the way are left out, so that the change is one of a smooth function.
static double change(const taut *t, double weight) {
  double sum = 0, d[2];
  for (int k = 0; k < t->g->n; k++) sum -= t->g->goal[k] * (t->trial.e[k] - t->now.e[k]);
  for (int i = 0; i < t->ncontact; i++) {
    contact k = t->contact[i];
    if (!follow(t, &t->trial, &k)) continue;
    if (k.at.gap <= 0) return DBL_MAX;
    double after = k.at.gap < t->reach ? barrier(k.at.gap, t->reach, d) : 0;
    sum += weight * (after - barrier(t->contact[i].at.gap, t->reach, d));
  }
  return sum;
}

static void swap_states(taut *t) {
  state swap = t->now;
  t->now = t->trial;
  t->trial = swap;
}

// Goes along the step as far as that is good. *moved -1: what it would have met guards the state
// now, and another step is to be found.
static pl_status try_step(taut *t, double weight, double slope, int *moved) {
  double gap = t->gap, by = safe_step(t);
  for (*moved = 0; by > 1e-12; by /= 2) {
    move(t, by, &t->trial);
    if (change(t, weight) > 1e-4 * by * slope + 1e-14) continue;
    pl_status s = find_contacts(t, &t->trial);
    if (s < 0) return s;
    if (s == PL_DOMAIN || t->gap < 0.02 * gap) {
      int before = t->nguard;
      PL_TRY(add_guards(t, 0.02 * gap));
      PL_TRY(refresh(t));
      if (t->nguard == before) continue;
      *moved = -1;
      return PL_OK;
    }
    swap_states(t);
    *moved = 1;
    return refresh(t);
  }
  return PL_OK;
}

// The minimum for one weight of the repulsion, from where the state is. On the way to smaller
// weights it need not be met: contacts that come and go make the energy jump by about the weight.
static pl_status centre(taut *t, double weight, int most) {
  for (int i = 0; i < most; i++) {
    int moved;
    assemble(t, &t->now, weight);
    double slope = direction(t);
    t->left = -slope;
    // the decrement over what a contact holds
    if (t->left < 1e-10 * weight) return PL_OK;
    PL_TRY(pl_report_progress(t->c->env, NULL, -1, NULL));
    PL_TRY(try_step(t, weight, slope, &moved));
    t->out->iterations++;
    // what is left is about what the weight itself leaves
    if ((moved == 0 || i >= ROUGH) && t->left < 10 * weight) return PL_OK;
    if (moved == 0) break;
  }
  return t->left < GOOD ? PL_OK : PL_UNSOLVED;
}

// ---- results ------------------------------------------------------------------------------------

static double value_of(const taut *t, const double *e) {
  return pl_dot(t->g->n, t->g->goal, e);
}

static pl_status keep_contacts(taut *t, double weight) {
  pl_taut *out = t->out;
  out->contact = pl_alloc(t->c->env, (size_t)t->ncontact, sizeof *out->contact);
  if (!out->contact) return PL_E_NOMEM;
  for (int i = 0; i < t->ncontact; i++) {
    const contact *k = &t->contact[i];
    const pair *p = &t->c->pair[k->pair];
    double d[2];
    barrier(k->at.gap, t->reach, d);
    double force = -weight * d[0];
    // no motion gains more than that: by duality, the gaps times what they are worth
    out->bound += force * k->at.gap;
    out->contact[out->ncontact++] = (pl_taut_contact){
        {p->i, p->j}, {p->cell[0], p->cell[1]}, {k->piece[0], k->piece[1]}, k->at, force};
  }
  return PL_OK;
}

static pl_status follow_path(taut *t) {
  double last[3] = {0}, weight = 0, before = 0;
  int stages = (int)ceil(log10(0.1 / t->o->weight) - 1e-9);
  for (int k = 0; k <= stages; k++) {
    memcpy(last, t->now.e, sizeof last);
    before = weight;
    weight = k == 0 ? 0.1 : k == stages ? t->o->weight : weight / 10;
    int end = k >= stages - 1;
    // at the end of the path only what is about to touch counts
    if (k > 2 && k < stages) {
      t->reach = fmax(t->reach / 2, 0.1 * t->o->barrier * t->c->thin);
      PL_TRY(refresh(t));
    }
    pl_status s = centre(t, weight, end ? t->o->max_iter : ROUGH);
    if (s != PL_OK && (end || s != PL_UNSOLVED)) return s;
  }
  // strains are linear in the weight near its end
  for (int k = 0; k < t->g->n; k++) {
    double slope = before > 0 ? (last[k] - t->now.e[k]) / (before - weight) : 0;
    t->out->e[k] = t->now.e[k] - slope * weight;
  }
  t->out->value = value_of(t, t->out->e);
  t->out->bound = t->left;
  t->out->gap = t->gap;
  stretch_of(t->g, t->now.e, t->out->stretch);
  memcpy(t->out->pose, t->now.pose, (size_t)t->c->nelem * sizeof *t->out->pose);
  return keep_contacts(t, weight);
}

static pl_status taut_open(taut *t, pl_cell *c, const pl_taut_opts *o, const pl_taut_goal *g,
                           pl_taut *out) {
  *out = (pl_taut){0};
  size_t n = (size_t)(6 * c->nelem - 3 + g->n), ne = (size_t)c->nelem;
  *t = (taut){.c = c, .o = o, .g = g, .nz = (int)n, .reach = o->barrier * c->thin, .out = out};
  t->now.pose = pl_alloc(c->env, ne, sizeof(pl_pose));
  t->trial.pose = pl_alloc(c->env, ne, sizeof(pl_pose));
  out->pose = pl_alloc(c->env, ne, sizeof(pl_pose));
  t->grad = pl_alloc(c->env, n, sizeof(double));
  t->step = pl_alloc(c->env, n, sizeof(double));
  t->scale = pl_alloc(c->env, n, sizeof(double));
  t->H = pl_alloc(c->env, n * n, sizeof(double));
  t->eig = pl_alloc(c->env, n * n, sizeof(double));
  t->V = pl_alloc(c->env, n * n + n, sizeof(double));
  if (!t->now.pose || !t->trial.pose || !out->pose || !t->grad || !t->step || !t->scale || !t->H ||
      !t->eig || !t->V)
    return PL_E_NOMEM;
  memcpy(t->now.pose, c->ref, ne * sizeof(pl_pose));
  double size = hypot(c->lattice[0][0] + c->lattice[1][0], c->lattice[0][1] + c->lattice[1][1]);
  for (int k = 0; k < t->nz; k++) {
    int motion = (k + 3) % 6;
    t->scale[k] = k >= 6 * c->nelem - 3 ? size : motion < 3 ? 1 : c->reach;
  }
  return PL_OK;
}

static void taut_close(taut *t) {
  pl_env *env = t->c->env;
  void *all[] = {t->now.pose, t->trial.pose, t->grad,    t->step,  t->scale, t->H,
                 t->eig,      t->V,          t->contact, t->guard, t->last};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_free(env, all[i]);
}

void pl_taut_free(pl_env *env, pl_taut *t) {
  pl_free(env, t->contact);
  pl_free(env, t->pose);
  *t = (pl_taut){0};
}

// Elements are moved a little, so that a way need not keep symmetries of the start.
static pl_status disturb(taut *t, int seed) {
  pl_rng r;
  double most = 0.3 * fmin(t->gap, t->reach);
  pl_rng_seed(&r, (unsigned long long)seed);
  for (int k = 0; k < 6 * t->c->nelem - 3; k++)
    t->step[k] = most * pl_rng_uniform(&r, -1, 1) / t->scale[k];
  for (int k = 0; k < t->g->n; k++) t->step[6 * t->c->nelem - 3 + k] = 0;
  move(t, 1, &t->trial);
  pl_status s = find_contacts(t, &t->trial);
  if (s != PL_OK) return s == PL_DOMAIN ? refresh(t) : s;
  swap_states(t);
  return PL_OK;
}

// the barrier of an option, wider and narrower in turn: 1, 1/2, 2, 1/4, 4, ...
static pl_status one_way(pl_cell *c, const pl_taut_opts *o, int which, const pl_taut_goal *g,
                         pl_taut *out) {
  taut t;
  pl_status s = taut_open(&t, c, o, g, out);
  t.reach *= pow(2, which % 2 ? -(which + 1) / 2 : which / 2);
  if (s == PL_OK) s = find_contacts(&t, &t.now);
  if (s == PL_OK && which > 0) s = disturb(&t, which);
  if (s == PL_OK) s = follow_path(&t);
  taut_close(&t);
  if (s < 0) pl_taut_free(c->env, out);
  return s;
}

static void take_better(pl_env *env, pl_taut *best, pl_taut *other) {
  double worst = fmin(best->value - best->spread, other->value);
  if (other->value > best->value) {
    pl_taut swap = *best;
    *best = *other;
    *other = swap;
  }
  best->spread = best->value - worst;
  best->iterations += other->iterations;
  best->evaluations += other->evaluations;
  pl_taut_free(env, other);
}

pl_status pl_cell_taut(pl_cell *c, const pl_taut_opts *o, const pl_taut_goal *g, pl_taut *out) {
  *out = (pl_taut){0};
  PL_TRY(pl_opts_check(c->env, pl_taut_option_table, pl_taut_option_count, o));
  pl_status best = PL_UNSOLVED;
  for (int k = 0; k == 0 || k < g->starts; k++) {
    pl_taut found;
    pl_status s = one_way(c, o, k, g, &found);
    if (s < 0 || s == PL_CANCELLED) {
      pl_taut_free(c->env, out);
      if (s >= 0) pl_taut_free(c->env, &found);
      return s;
    }
    if (s == PL_OK && best == PL_OK) {
      take_better(c->env, out, &found);
    } else if (s == PL_OK || k == 0) {
      pl_taut_free(c->env, out);
      *out = found;
      best = s == PL_OK ? PL_OK : best;
    } else {
      pl_taut_free(c->env, &found);
    }
  }
  return best;
}

double pl_cell_gap(pl_cell *c, pl_taut_contact *where) {
  pl_taut out = {0};
  const pl_taut_goal still = {0};
  taut t = {.c = c, .g = &still, .reach = 1e9, .out = &out, .now = {.pose = c->ref}};
  int least = 0;
  double gap = DBL_MAX;
  if (find_contacts(&t, &t.now) >= 0)
    for (int i = 0; i < t.ncontact; i++)
      if (t.contact[i].at.gap < gap) gap = t.contact[least = i].at.gap;
  if (where && t.ncontact > 0) {
    const contact *k = &t.contact[least];
    const pair *p = &c->pair[k->pair];
    *where = (pl_taut_contact){
        {p->i, p->j}, {p->cell[0], p->cell[1]}, {k->piece[0], k->piece[1]}, k->at, 0};
  }
  pl_free(c->env, t.contact);
  pl_free(c->env, t.last);
  return gap;
}
