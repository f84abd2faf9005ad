// Rigid motions that supports leave to the pieces of a model, told before any step.
#include "solve_impl.h"

#include <string.h>

static const double SMALL = 1e-9; // of the largest: no motion, no force

// ---- pieces -------------------------------------------------------------------------------------

// A connected piece, by its first node. Motions are a shift and a turn about the middle of the
// piece: six numbers, lengths over its size.
typedef struct piece {
  int nnode, body; // body: it has elements of a continuum
  int held;        // components that are held at some node
  int clamped;     // directions are held
  double mid[3], size;
  double hold[36], all[36]; // sums of what a motion does to held components, and to all
} piece;

typedef struct pieces {
  const pl_model *m;
  const double *q;
  int nnode, dim;
  int *up;      // [nnode] towards the first node of its piece
  int *ground;  // [nnode] elements hold it
  piece *piece; // [nnode] of first nodes
} pieces;

// joins the nodes of every element; ground: where the ground or a scalar element acts
static void join_group(pieces *k, int g) {
  const pl_elem_kind *kind = pl_model_group_kind(k->m, g);
  const int *stencil = pl_model_group_stencil(k->m, g);
  int ns = kind->nvert + kind->nscal;
  if (kind->outer) return;
  for (int e = 0; e < pl_model_group_size(k->m, g); e++, stencil += ns) {
    int first = -1, ground = kind->inert;
    for (int i = 0; i < ns; i++) {
      int node = stencil[i];
      if (node >= 0 && i >= kind->nvert) node = node < k->nnode * k->dim ? node / k->dim : -1;
      if (node < 0)
        ground |= i < kind->nvert;
      else if (first < 0)
        first = node;
      else
        pl_unite(k->up, first, node);
    }
    // one vertex alone is held by where it is
    ground |= kind->nvert == 1 && kind->nscal == 0 && !kind->d.mass;
    if (ground && first >= 0) k->ground[first] = 1;
  }
}

// bodies, and directions that are held
static void look_group(pieces *k, int g) {
  const pl_elem_kind *kind = pl_model_group_kind(k->m, g);
  const int *stencil = pl_model_group_stencil(k->m, g), *index = pl_model_free_index(k->m);
  int ns = kind->nvert + kind->nscal;
  if (kind->outer || kind->nvert == 0) return;
  for (int e = 0; e < pl_model_group_size(k->m, g); e++, stencil += ns) {
    if (stencil[0] < 0) continue;
    piece *p = &k->piece[pl_root(k->up, stencil[0])];
    p->body |= kind->stress != NULL;
    for (int i = kind->nvert; i < ns; i++)
      p->clamped |= stencil[i] >= k->nnode * k->dim && index[stencil[i]] < 0;
  }
}

static void find_middles(pieces *k) {
  for (int i = 0; i < k->nnode; i++) {
    piece *p = &k->piece[pl_root(k->up, i)];
    p->nnode++;
    for (int c = 0; c < k->dim; c++) p->mid[c] += k->q[i * k->dim + c];
  }
  for (int i = 0; i < k->nnode; i++)
    for (int c = 0; c < 3 && k->piece[i].nnode > 0; c++) k->piece[i].mid[c] /= k->piece[i].nnode;
  for (int i = 0; i < k->nnode; i++) {
    piece *p = &k->piece[pl_root(k->up, i)];
    for (int c = 0; c < k->dim; c++)
      p->size = fmax(p->size, fabs(k->q[i * k->dim + c] - p->mid[c]));
  }
}

// row[6]: component c of what a motion does to a node
static void motion_row(const pieces *k, const piece *p, int node, int c, double *row) {
  double d[3] = {0}, e[3] = {0};
  for (int i = 0; i < k->dim; i++)
    d[i] = p->size > 0 ? (k->q[node * k->dim + i] - p->mid[i]) / p->size : 0;
  e[c] = 1;
  memcpy(row, e, sizeof e);
  pl_cross3(d, e, row + 3);
}

// A[6][6] += row row'
static void add_square(const double *row, double *A) {
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++) A[6 * a + b] += row[a] * row[b];
}

static void add_rows(pieces *k) {
  const int *index = pl_model_free_index(k->m);
  for (int i = 0; i < k->nnode; i++) {
    piece *p = &k->piece[pl_root(k->up, i)];
    for (int c = 0; c < k->dim; c++) {
      double row[6];
      int held = k->ground[i] || index[i * k->dim + c] < 0;
      motion_row(k, p, i, c, row);
      p->held |= held << c;
      add_square(row, p->all);
      if (held) add_square(row, p->hold);
    }
  }
}

static pl_status pieces_open(pieces *k, pl_env *env) {
  size_t n = (size_t)k->nnode;
  k->up = pl_alloc(env, n, sizeof *k->up);
  k->ground = pl_alloc(env, n, sizeof *k->ground);
  k->piece = pl_alloc(env, n, sizeof *k->piece);
  if (!k->up || !k->ground || !k->piece) return PL_E_NOMEM;
  for (int i = 0; i < k->nnode; i++) k->up[i] = i;
  for (int g = 0; g < pl_model_ngroup(k->m); g++) join_group(k, g);
  for (int g = 0; g < pl_model_ngroup(k->m); g++) look_group(k, g);
  find_middles(k);
  add_rows(k);
  return PL_OK;
}

static void pieces_close(pieces *k, pl_env *env) {
  pl_free(env, k->up);
  pl_free(env, k->ground);
  pl_free(env, k->piece);
}

// ---- shapes -------------------------------------------------------------------------------------

// b[6] of each piece becomes the rigid motion nearest to a shape in the mean
static void fit_motions(pieces *k, const double *shape, double (*b)[6]) {
  for (int i = 0; i < k->nnode; i++) {
    int first = pl_root(k->up, i);
    for (int c = 0; c < k->dim; c++) {
      double row[6];
      motion_row(k, &k->piece[first], i, c, row);
      for (int a = 0; a < 6; a++) b[first][a] += row[a] * shape[i * k->dim + c];
    }
  }
  for (int i = 0; i < k->nnode; i++) {
    double A[36], trace = 0;
    if (k->piece[i].nnode == 0) continue;
    memcpy(A, k->piece[i].all, sizeof A);
    // turns about a line of nodes, and what there is not in a plane, move nothing
    for (int a = 0; a < 6; a++) trace += A[7 * a];
    for (int a = 0; a < 6; a++) A[7 * a] += 1e-12 * trace;
    pl_cholesky(6, A);
    pl_cholesky_solve(6, A, b[i]);
  }
}

pl_status shape_beyond_rigid(const pl_model *m, pl_env *env, const double *q, const double *shape,
                             double *part) {
  pieces k = {.m = m, .q = q, .nnode = pl_model_nnode(m), .dim = pl_model_dim(m)};
  double(*b)[6] = pl_alloc(env, (size_t)k.nnode + 1, sizeof *b), all = 0, rest = 0;
  pl_status s = b ? pieces_open(&k, env) : PL_E_NOMEM;
  if (s == PL_OK) fit_motions(&k, shape, b);
  for (int i = 0; s == PL_OK && i < k.nnode; i++) {
    int first = pl_root(k.up, i);
    for (int c = 0; c < k.dim; c++) {
      double row[6], x = shape[i * k.dim + c], y = x;
      motion_row(&k, &k.piece[first], i, c, row);
      for (int a = 0; a < 6; a++) y -= row[a] * b[first][a];
      all += x * x;
      rest += y * y;
    }
  }
  *part = all > 0 ? sqrt(rest / all) : 0;
  pieces_close(&k, env);
  pl_free(env, b);
  return s;
}

// ---- motions ------------------------------------------------------------------------------------

// Motions v[][6] that are left to a piece, of those that move its nodes; their number.
static int left_over(const piece *p, double (*v)[6]) {
  double A[36], lambda[6], V[36], B[6][6], C[36] = {0}, mu[6], U[36];
  int n = 0, count = 0;
  memcpy(A, p->all, sizeof A);
  pl_eig(6, A, lambda, V);
  for (int k = 0; k < 6; k++) {
    if (!(lambda[k] > SMALL * lambda[5])) continue;
    for (int i = 0; i < 6; i++) B[n][i] = V[6 * k + i] / sqrt(lambda[k]);
    n++;
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int i = 0; i < 36; i++) C[a * n + b] += B[a][i / 6] * p->hold[i] * B[b][i % 6];
  if (n > 0) pl_eig(n, C, mu, U);
  for (int k = 0; k < n; k++) {
    if (mu[k] > SMALL * mu[n - 1]) continue;
    for (int i = 0; i < 6; i++) {
      v[count][i] = 0;
      for (int a = 0; a < n; a++) v[count][i] += U[n * k + a] * B[a][i];
    }
    count++;
  }
  return count;
}

// work of forces r[nq] on the nodes of the piece of node `first` in a motion, and of what parts
static double work_of(pieces *k, int first, const double *v, const double *r, double *parts) {
  const piece *p = &k->piece[first];
  double sum = 0;
  *parts = 0;
  for (int i = 0; i < k->nnode; i++) {
    if (pl_root(k->up, i) != first) continue;
    for (int c = 0; c < k->dim; c++) {
      double row[6], u = 0;
      motion_row(k, p, i, c, row);
      for (int a = 0; a < 6; a++) u += row[a] * v[a];
      sum += u * r[i * k->dim + c];
      *parts += fabs(u * r[i * k->dim + c]);
    }
  }
  return sum;
}

// the line of a motion that is a turn; 0: it is none
static int line_of(const piece *p, const double *v, pl_loose *out) {
  double w = pl_norm3(v + 3), off[3];
  if (!(w > 1e-6 * pl_norm3(v))) return 0;
  pl_cross3(v + 3, v, off);
  for (int c = 0; c < 3; c++) {
    out->axis[c] = v[3 + c] / w;
    out->at[c] = p->mid[c] + p->size * off[c] / (w * w);
    // rounding
    if (fabs(out->axis[c]) < SMALL) out->axis[c] = 0;
    if (fabs(out->at[c]) < SMALL * p->size) out->at[c] = 0;
  }
  return 1;
}

// ---- loads --------------------------------------------------------------------------------------

static pl_status forces_at(const pieces *k, const pl_params *p, pl_work *w, pl_state *s) {
  static const pl_clock full = {.scale = 1};
  const double *q = k->q;
  // outer forces by their amplitudes; other drives would deform what is to be turned
  pl_drive(k->m, p, &full, s);
  memcpy(s->q, q, (size_t)(pl_model_nq(k->m) - pl_model_namplitude(k->m)) * sizeof *q);
  return pl_eval(k->m, p, s, &full, PL_WANT_FORCE, NULL, w);
}

// q with the piece turned about the line
static void rotate_piece(const pieces *k, int first, const pl_loose *l, double angle, double *q) {
  double R[9];
  pl_rotation3(l->axis, angle, R);
  for (int i = 0; i < k->nnode; i++) {
    if (pl_root(k->up, i) != first) continue;
    double d[3] = {0};
    for (int c = 0; c < k->dim; c++) d[c] = k->q[i * k->dim + c] - l->at[c];
    for (int c = 0; c < k->dim; c++) q[i * k->dim + c] = l->at[c] + pl_dot3(R + 3 * c, d);
  }
}

// about the line, N m
static double moment_of(const pieces *k, int first, const pl_loose *l, const double *q,
                        const double *r) {
  double sum = 0;
  for (int i = 0; i < k->nnode; i++) {
    if (pl_root(k->up, i) != first) continue;
    double d[3] = {0}, f[3] = {0}, m[3];
    for (int c = 0; c < k->dim; c++) {
      d[c] = q[i * k->dim + c] - l->at[c];
      f[c] = -r[i * k->dim + c];
    }
    pl_cross3(d, f, m);
    sum += pl_dot3(m, l->axis);
  }
  return sum;
}

// Whether the moment is the same wherever the piece has been turned to: then it turns for ever.
static pl_status goes_round(const pieces *k, const pl_params *p, pl_work *w, pl_state *s, int first,
                            pl_loose *l) {
  static const double angle[4] = {-2, -1, 1, 2};
  pieces rotated = *k;
  size_t nq = (size_t)pl_model_nq(k->m);
  double *q = pl_alloc(w->env, nq, sizeof *q);
  if (!q) return PL_E_NOMEM;
  pl_status st = PL_OK;
  l->round = k->dim == 3;
  // turns of rods are another matter
  for (int g = 0; g < pl_model_ngroup(k->m); g++)
    if (pl_model_group_kind(k->m, g)->rotate) l->round = 0;
  for (int i = 0; st == PL_OK && l->round && i < 4; i++) {
    memcpy(q, k->q, nq * sizeof *q);
    rotate_piece(k, first, l, angle[i], q);
    rotated.q = q;
    st = forces_at(&rotated, p, w, s);
    if (st == PL_OK && fabs(moment_of(k, first, l, q, w->r) - l->moment) > 0.01 * fabs(l->moment))
      l->round = 0;
    if (st == PL_DOMAIN) {
      st = PL_OK;
      l->round = 0;
    }
  }
  pl_free(w->env, q);
  return st;
}

// The turn of a piece on which loads do most work; not found: they do none.
static pl_status look_rotations(pieces *k, const pl_params *p, pl_work *w, pl_state *s, int first,
                                pl_loose *out) {
  double v[6][6], way[6] = {0}, parts, work = 0, size = 0;
  int n = left_over(&k->piece[first], v);
  pl_status st = forces_at(k, p, w, s);
  if (st != PL_OK) return st < 0 ? st : PL_OK;
  for (int a = 0; a < n; a++) {
    double by = work_of(k, first, v[a], w->r, &parts);
    for (int i = 0; i < 6; i++) way[i] += by * v[a][i];
    work += by * by;
    size += parts * parts;
  }
  if (!(work > 1e-12 * size) || !line_of(&k->piece[first], way, out)) return PL_OK;
  out->found = out->rotates = 1;
  out->node = first;
  out->moment = moment_of(k, first, out, k->q, w->r);
  // the other way round for a moment above zero
  for (int c = 0; c < 3 && out->moment < 0; c++) out->axis[c] = 0 - out->axis[c];
  out->moment = fabs(out->moment);
  return goes_round(k, p, w, s, first, out);
}

// ---- whole --------------------------------------------------------------------------------------

// held by nothing in one direction
static int find_shift(const pieces *k, pl_loose *out) {
  int all = (1 << k->dim) - 1;
  for (int i = 0; i < k->nnode; i++)
    for (int c = 0; c < k->dim; c++)
      if (k->up[i] == i && (k->piece[i].held & all) != all && !(k->piece[i].held >> c & 1)) {
        *out = (pl_loose){.found = 1, .node = i, .dof = i * k->dim + c};
        return 1;
      }
  return 0;
}

static pl_status find_rotation(pieces *k, const pl_params *p, pl_env *env, pl_loose *out) {
  pl_work *w = NULL;
  pl_state *s = NULL;
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && !out->found && i < k->nnode; i++) {
    const piece *one = &k->piece[i];
    double v[6][6];
    if (k->up[i] != i || !one->body || one->clamped || left_over(one, v) == 0) continue;
    if (!w) st = pl_work_create_for(env, k->m, 1, &w);
    if (st == PL_OK && !s) st = pl_state_create(k->m, p, &s);
    if (st == PL_OK) st = look_rotations(k, p, w, s, i, out);
  }
  pl_state_free(k->m, s);
  pl_work_free(w);
  return st;
}

pl_status pl_find_loose(const pl_model *m, const pl_params *p, pl_env *env, const double *q,
                        pl_loose *out) {
  pieces k = {.m = m, .q = q, .nnode = pl_model_nnode(m), .dim = pl_model_dim(m)};
  *out = (pl_loose){.dof = -1};
  pl_status s = pieces_open(&k, env);
  if (s == PL_OK && !find_shift(&k, out)) s = find_rotation(&k, p, env, out);
  pieces_close(&k, env);
  return s;
}

// Held are pieces of bodies alone: what else there is, links say, may move though it is held.
pl_status all_is_held(const pl_model *m, pl_env *env, const double *q, int *held) {
  pieces k = {.m = m, .q = q, .nnode = pl_model_nnode(m), .dim = pl_model_dim(m)};
  pl_status s = pieces_open(&k, env);
  *held = s == PL_OK;
  for (int g = 0; g < pl_model_ngroup(m); g++)
    if (pl_model_group_size(m, g) > 0 && !pl_model_group_kind(m, g)->stress) *held = 0;
  for (int i = 0; s == PL_OK && i < k.nnode && *held; i++) {
    double v[6][6];
    if (k.up[i] != i) continue;
    *held = k.piece[i].body && (k.piece[i].clamped || left_over(&k.piece[i], v) == 0);
  }
  pieces_close(&k, env);
  return s;
}

pl_status find_unheld(const pl_model *m, pl_env *env, const double *q, int *root) {
  pieces k = {.m = m, .q = q, .nnode = pl_model_nnode(m), .dim = pl_model_dim(m)};
  pl_status s = pieces_open(&k, env);
  for (int i = 0; s == PL_OK && i < k.nnode; i++) root[i] = pl_root(k.up, i);
  for (int i = 0; s == PL_OK && i < k.nnode; i++)
    if (k.piece[root[i]].held || k.piece[root[i]].clamped) root[i] = -1;
  pieces_close(&k, env);
  return s;
}

// ---- swings -------------------------------------------------------------------------------------

// the moment about the line with the piece turned by an angle; q[nq] becomes where it is then
static pl_status moment_at(const pieces *k, const pl_params *p, pl_work *w, pl_state *s,
                           const pl_loose *l, double angle, double *q, double *moment) {
  pieces rotated = *k;
  int first = pl_root(k->up, l->node);
  memcpy(q, k->q, (size_t)pl_model_nq(k->m) * sizeof *q);
  rotate_piece(k, first, l, angle, q);
  rotated.q = q;
  PL_TRY(forces_at(&rotated, p, w, s));
  *moment = moment_of(k, first, l, q, w->r);
  return PL_OK;
}

// The first angle at which loads are in line: where the moment, which is above zero, becomes so no
// more. 0: there is none.
static pl_status find_rest(const pieces *k, const pl_params *p, pl_work *w, pl_state *s,
                           const pl_loose *l, double *q, double *angle) {
  const double STEP = PL_PI / 8;
  double lo = 0, hi, at_lo = l->moment, at_hi = l->moment, at;
  *angle = 0;
  for (hi = STEP; hi < 2 * PL_PI; lo = hi, at_lo = at_hi, hi += STEP) {
    PL_TRY(moment_at(k, p, w, s, l, hi, q, &at_hi));
    if (at_hi <= 0) break;
  }
  if (at_hi > 0) return PL_OK;
  // false position, halving the end that stays
  for (int i = 0, side = 0; i < 60 && hi - lo > 1e-14; i++) {
    double mid = lo + (hi - lo) * at_lo / (at_lo - at_hi);
    PL_TRY(moment_at(k, p, w, s, l, mid, q, &at));
    *angle = mid;
    if (fabs(at) < 1e-13 * l->moment) return PL_OK;
    if (at > 0) {
      lo = mid;
      at_lo = at;
      if (side > 0) at_hi /= 2;
      side = 1;
    } else {
      hi = mid;
      at_hi = at;
      if (side < 0) at_lo /= 2;
      side = -1;
    }
  }
  return PL_OK;
}

// whether nothing held has moved: supports that slide allow a small turn and no large one
static int stays_held(const pieces *k, const piece *p, const double *q) {
  const int *index = pl_model_free_index(k->m);
  for (int i = 0; i < k->nnode * k->dim; i++)
    if (index[i] < 0 && fabs(q[i] - k->q[i]) > 1e-9 * p->size) return 0;
  return 1;
}

pl_status swing_to_rest(const pl_model *m, const pl_params *p, pl_env *env, pl_loose *l,
                        pl_state *s) {
  enum { SWINGS = 32 }; // about one line after the other, of one body after the other
  pieces k = {.m = m, .q = s->q, .nnode = pl_model_nnode(m), .dim = pl_model_dim(m)};
  double angle = 1, *q = pl_alloc(env, (size_t)s->nq + 1, sizeof *q);
  pl_work *w = NULL;
  pl_state *scratch = NULL;
  pl_status st = q ? pieces_open(&k, env) : PL_E_NOMEM;
  if (st == PL_OK) st = pl_work_create_for(env, m, 1, &w);
  if (st == PL_OK) st = pl_state_create(m, p, &scratch);
  for (int g = 0; g < pl_model_ngroup(m); g++)
    if (pl_model_group_kind(m, g)->rotate) angle = 0; // turns of rods are another matter
  for (int i = 0; i < SWINGS && st == PL_OK && angle > 0 && l->rotates && !l->round; i++) {
    st = find_rest(&k, p, w, scratch, l, q, &angle);
    if (st != PL_OK || !(angle > 0) || !stays_held(&k, &k.piece[pl_root(k.up, l->node)], q)) break;
    memcpy(s->q, q, (size_t)s->nq * sizeof *q);
    st = pl_find_loose(m, p, env, s->q, l);
  }
  pieces_close(&k, env);
  pl_state_free(m, scratch);
  pl_work_free(w);
  pl_free(env, q);
  return st == PL_DOMAIN ? PL_OK : st;
}
