// The program of a sheet: its unknowns, the blocks of its matrix, sums over triangles.
#include "program.h"

#include <stdlib.h>
#include <string.h>

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !defined(PL_SANITIZED)
#pragma GCC optimize("O3")
#endif

enum { ROWS = 64 }; // blocks or vertices that one thread takes at a time
#ifdef PL_SHARE_ALL
enum { SHARED = 0 };
#else
enum { SHARED = 600 }; // triangles from which threads pay
#endif

// ---- pattern ------------------------------------------------------------------------------------

// one triangle's part of a block of the matrix
typedef struct part_of {
  int row, col, from; // from -1: a barrier's
} part_of;

static int by_place(const void *a, const void *b) {
  const part_of *p = a, *q = b;
  if (p->col != q->col) return p->col < q->col ? -1 : 1;
  if (p->row != q->row) return p->row < q->row ? -1 : 1;
  return p->from < q->from ? -1 : p->from > q->from;
}

static void free_blocks(pl_env *env, blocks *b) {
  pl_free(env, b->row);
  pl_free(env, b->col);
  pl_free(env, b->start);
  pl_free(env, b->from);
  *b = (blocks){0};
}

// lower block of two unknown vertices, in the order of the triangle's corners
static void put_part(part_of *list, int *n, int va, int vb, int t, int a, int b) {
  if (va < 0 || vb < 0) return;
  list[(*n)++] =
      va >= vb ? (part_of){va, vb, 16 * t + 4 * a + b} : (part_of){vb, va, 16 * t + 4 * b + a};
}

static int list_parts(const program *p, part_of *list) {
  int n = 0;
  for (int i = 0; i < p->nfree; i++) list[n++] = (part_of){i, i, -1};
  for (int i = 0; i < p->nt; i++) {
    const int *v = p->sheet->tri + 3 * p->t[i];
    for (int a = 0; a < 3; a++)
      for (int b = 0; b <= a; b++) put_part(list, &n, p->place[v[a]], p->place[v[b]], i, a, b);
  }
  for (int i = 0; i < p->nwall; i++)
    for (int a = 0; a < p->wall[i].n; a++)
      for (int b = 0; b < a; b++) {
        int va = p->place[p->wall[i].vert[a]], vb = p->place[p->wall[i].vert[b]];
        if (va < 0 || vb < 0) continue;
        list[n++] = (part_of){va > vb ? va : vb, va > vb ? vb : va, -1};
      }
  return n;
}

static pl_status build_blocks(program *p, part_of *list, int n) {
  blocks *b = &p->b;
  int nblock = 0, nfrom = 0;
  qsort(list, (size_t)n, sizeof *list, by_place);
  for (int i = 0; i < n; i++) {
    nblock += i == 0 || list[i].row != list[i - 1].row || list[i].col != list[i - 1].col;
    nfrom += list[i].from >= 0;
  }
  b->row = pl_alloc(p->env, (size_t)nblock, sizeof *b->row);
  b->col = pl_alloc(p->env, (size_t)nblock, sizeof *b->col);
  b->start = pl_alloc(p->env, (size_t)nblock + 1, sizeof *b->start);
  b->from = pl_alloc(p->env, (size_t)nfrom, sizeof *b->from);
  if (!b->row || !b->col || !b->start || !b->from) return PL_E_NOMEM;
  for (int i = 0, k = 0; i < n; i++) {
    if (i == 0 || list[i].row != list[i - 1].row || list[i].col != list[i - 1].col) {
      b->row[b->n] = list[i].row;
      b->col[b->n] = list[i].col;
      b->start[b->n++] = k;
    }
    if (list[i].from >= 0) b->from[k++] = list[i].from;
  }
  b->start[b->n] = nfrom;
  return PL_OK;
}

static pl_status make_blocks(program *p) {
  p->pattern++;
  free_blocks(p->env, &p->b);
  size_t most = (size_t)p->nfree + 6 * (size_t)p->nt + 6 * (size_t)p->nwall;
  part_of *list = pl_alloc(p->env, most, sizeof *list);
  if (!list) return PL_E_NOMEM;
  pl_status s = build_blocks(p, list, list_parts(p, list));
  pl_free(p->env, list);
  return s;
}

// Number of the block of two unknown vertices, -1: none.
static int program_block(const program *p, int row, int col) {
  if (row < col) return program_block(p, col, row);
  int lo = 0, hi = p->b.n - 1;
  while (lo <= hi) {
    int mid = (lo + hi) / 2, c = p->b.col[mid], r = p->b.row[mid];
    if (c == col && r == row) return mid;
    if (c < col || (c == col && r < row))
      lo = mid + 1;
    else
      hi = mid - 1;
  }
  return -1;
}

// ---- make ---------------------------------------------------------------------------------------

void program_free(pl_env *env, program *p) {
  if (!p) return;
  free_blocks(env, &p->b);
  pl_csc_free(env, &p->H);
  pl_factor_free(p->factor);
  void *own[] = {p->corners,   p->round_at, p->flat_at, p->round_of,   p->flat_of,    p->t,
                 p->round_ptr, p->flat_ptr, p->round,   p->flat,       p->K,          p->r,
                 p->P,         p->cone,     p->Kw,      p->rw,         p->wall_block, p->vert,
                 p->place,     p->fixed,    p->part,    p->corner_ptr, p->corner,     p->mass,
                 p->xhat,      p->now,      p->step,    p->trial,      p->rhs,        p->sol,
                 p->slot,      p->best,     p->end};
  for (size_t k = 0; k < sizeof own / sizeof *own; k++) pl_free(env, own[k]);
  pl_free(env, p);
}

static pl_status list_triangles(program *p) {
  const pl_sheet *s = p->sheet;
  p->t = pl_alloc(p->env, (size_t)s->ntri, sizeof *p->t);
  p->round_ptr = pl_alloc(p->env, (size_t)s->ntri + 1, sizeof *p->round_ptr);
  p->flat_ptr = pl_alloc(p->env, (size_t)s->ntri + 1, sizeof *p->flat_ptr);
  if (!p->t || !p->round_ptr || !p->flat_ptr) return PL_E_NOMEM;
  int round = 0, flat = 0;
  double area = 0;
  for (int t = 0; t < s->ntri; t++) {
    p->round_ptr[p->nt] = round;
    p->flat_ptr[p->nt] = flat;
    while (round < s->nround && s->round_tri[round] == t) round++;
    while (flat < s->nflat && s->flat_tri[flat] == t) flat++;
    if (round == p->round_ptr[p->nt] && flat == p->flat_ptr[p->nt]) continue;
    p->t[p->nt++] = t;
    area += s->area[t];
  }
  p->round_ptr[p->nt] = round;
  p->flat_ptr[p->nt] = flat;
  p->edge = s->edge;
  p->length = area > 0 ? sqrt(area) : s->edge;
  if (p->nt >= SHARED) p->threads = s->threads;
  return PL_OK;
}

// Returns how many cones group g holds side by side, the most of one of its triangles; at: their
// places, those of the group begin at first.
static int group_cones(const program *p, int g, const int *ptr, int first, int *at) {
  int most = 0;
  for (int l = 0; l < LANES && g * LANES + l < p->nt; l++) {
    int t = g * LANES + l, n = ptr[t + 1] - ptr[t];
    for (int j = 0; j < n; j++) at[ptr[t] + j] = (first + j) * LANES + l;
    if (n > most) most = n;
  }
  return most;
}

static void fill_group(program *p, int g) {
  const pl_sheet *s = p->sheet;
  for (int l = 0; l < LANES; l++) {
    int t = g * LANES + l, of = t < p->nt ? t : p->nt - 1;
    for (int a = 0; a < 3; a++) p->corners[(3 * g + a) * LANES + l] = s->tri[3 * p->t[of] + a];
    if (t >= p->nt) continue;
    for (int k = p->round_ptr[t]; k < p->round_ptr[t + 1]; k++) {
      round_cone *c = &p->round[p->round_at[k] / LANES];
      for (int e = 0; e < 6; e++) c->g[e][l] = s->round[6 * k + e];
      c->on[l] = -1;
    }
    for (int k = p->flat_ptr[t]; k < p->flat_ptr[t + 1]; k++) {
      flat_cone *c = &p->flat[p->flat_at[k] / LANES];
      for (int e = 0; e < 3; e++) c->h[e][l] = s->flat[3 * k + e];
      c->on[l] = -1;
    }
  }
}

static pl_status group_triangles(program *p) {
  const pl_sheet *s = p->sheet;
  int n = p->ngroup = (p->nt + LANES - 1) / LANES;
  p->corners = pl_alloc(p->env, 3 * LANES * (size_t)n, sizeof *p->corners);
  p->round_at = pl_alloc(p->env, (size_t)s->nround, sizeof *p->round_at);
  p->flat_at = pl_alloc(p->env, (size_t)s->nflat, sizeof *p->flat_at);
  p->round_of = pl_alloc(p->env, (size_t)n + 1, sizeof *p->round_of);
  p->flat_of = pl_alloc(p->env, (size_t)n + 1, sizeof *p->flat_of);
  if (!p->corners || !p->round_at || !p->flat_at || !p->round_of || !p->flat_of) return PL_E_NOMEM;
  for (int g = 0; g < n; g++) {
    int *r = p->round_of + g, *f = p->flat_of + g;
    r[1] = r[0] + group_cones(p, g, p->round_ptr, r[0], p->round_at);
    f[1] = f[0] + group_cones(p, g, p->flat_ptr, f[0], p->flat_at);
  }
  p->round = pl_alloc(p->env, (size_t)p->round_of[n], sizeof *p->round);
  p->flat = pl_alloc(p->env, (size_t)p->flat_of[n], sizeof *p->flat);
  if (!p->round || !p->flat) return PL_E_NOMEM;
  for (int g = 0; g < n; g++) fill_group(p, g);
  return PL_OK;
}

// all vertices with something free are unknowns: barriers may come at any of them
static pl_status list_vertices(program *p) {
  const pl_sheet *s = p->sheet;
  double sum = 0;
  p->vert = pl_alloc(p->env, (size_t)s->nvert, sizeof *p->vert);
  p->place = pl_alloc(p->env, (size_t)s->nvert, sizeof *p->place);
  p->fixed = pl_alloc(p->env, (size_t)s->nvert, sizeof *p->fixed);
  if (!p->vert || !p->place || !p->fixed) return PL_E_NOMEM;
  for (int i = 0; i < s->nvert; i++) {
    p->place[i] = -1;
    if (s->fixed[i] == 7) continue;
    p->fixed[p->nfree] = s->fixed[i];
    p->vert[p->nfree] = i;
    p->place[i] = p->nfree++;
    sum += s->weight[i];
  }
  p->scale = p->nfree > 0 ? sum / p->nfree : 1;
  return PL_OK;
}

static pl_status list_corners(program *p) {
  const pl_sheet *s = p->sheet;
  p->corner_ptr = pl_alloc(p->env, (size_t)p->nfree + 2, sizeof *p->corner_ptr);
  p->corner = pl_alloc(p->env, 3 * (size_t)p->nt, sizeof *p->corner);
  if (!p->corner_ptr || !p->corner) return PL_E_NOMEM;
  int *at = p->corner_ptr + 1;
  for (int i = 0; i < p->nt; i++)
    for (int a = 0; a < 3; a++) {
      int v = p->place[s->tri[3 * p->t[i] + a]];
      if (v >= 0) at[v + 1]++;
    }
  for (int v = 0; v < p->nfree; v++) at[v + 1] += at[v];
  for (int i = 0; i < p->nt; i++)
    for (int a = 0; a < 3; a++) {
      int v = p->place[s->tri[3 * p->t[i] + a]];
      if (v >= 0) p->corner[at[v]++] = 4 * i + a;
    }
  return PL_OK;
}

static pl_status fill(program *p) {
  const pl_sheet *s = p->sheet;
  pl_env *env = p->env;
  PL_TRY(list_triangles(p));
  PL_TRY(group_triangles(p));
  PL_TRY(list_vertices(p));
  PL_TRY(list_corners(p));
  size_t nt = LANES * (size_t)p->ngroup, nx = 3 * (size_t)s->nvert, nf = 3 * (size_t)p->nfree;
  p->K = pl_alloc(env, 21 * nt, sizeof *p->K);
  p->r = pl_alloc(env, 6 * nt, sizeof *p->r);
  p->P = pl_alloc(env, 6 * nt, sizeof *p->P);
  p->part = pl_alloc(env, nt + 1, sizeof *p->part);
  p->mass = pl_alloc(env, nf, sizeof *p->mass);
  p->rhs = pl_alloc(env, nf, sizeof *p->rhs);
  p->sol = pl_alloc(env, nf, sizeof *p->sol);
  p->xhat = pl_alloc(env, nx, sizeof *p->xhat);
  p->now = pl_alloc(env, nx, sizeof *p->now);
  p->step = pl_alloc(env, nx, sizeof *p->step);
  p->trial = pl_alloc(env, nx, sizeof *p->trial);
  p->best = pl_alloc(env, nx, sizeof *p->best);
  p->end = pl_alloc(env, nx, sizeof *p->end);
  if (!p->K || !p->r || !p->P || !p->part || !p->mass || !p->rhs || !p->sol || !p->xhat ||
      !p->now || !p->step || !p->trial || !p->best || !p->end)
    return PL_E_NOMEM;
  // a component that is given has no coupling: its row is that of the unit matrix
  for (int i = 0; i < p->nfree; i++)
    for (int c = 0; c < 3; c++)
      p->mass[3 * i + c] = p->fixed[i] >> c & 1 ? 1 : s->weight[p->vert[i]] / p->scale;
  return make_blocks(p);
}

pl_status program_open(pl_sheet *s, program **out) {
  *out = s->program;
  if (s->program) return PL_OK;
  program *p = pl_alloc(s->env, 1, sizeof *p);
  if (!p) return PL_E_NOMEM;
  p->env = s->env;
  p->sheet = s;
  pl_status status = fill(p);
  if (status != PL_OK) {
    program_free(s->env, p);
    return status;
  }
  *out = s->program = p;
  return PL_OK;
}

int program_ncone(const program *p) {
  return p->sheet->nround + p->sheet->nflat + p->nwall;
}

// ---- barriers -----------------------------------------------------------------------------------

static pl_status grow_walls(program *p, int n) {
  if (n <= p->cap) return PL_OK;
  size_t cap = (size_t)n + (size_t)n / 2 + 16;
  pl_free(p->env, p->cone);
  pl_free(p->env, p->Kw);
  pl_free(p->env, p->rw);
  pl_free(p->env, p->wall_block);
  p->cap = 0;
  p->cone = pl_alloc(p->env, cap, sizeof *p->cone);
  p->Kw = pl_alloc(p->env, 6 * cap, sizeof *p->Kw);
  p->rw = pl_alloc(p->env, 3 * cap, sizeof *p->rw);
  p->wall_block = pl_alloc(p->env, 10 * cap, sizeof *p->wall_block);
  if (!p->cone || !p->Kw || !p->rw || !p->wall_block) return PL_E_NOMEM;
  p->cap = (int)cap;
  return PL_OK;
}

// 0: some pair of vertices has no block
static int find_wall_blocks(program *p) {
  int all = 1;
  for (int i = 0; i < p->nwall; i++) {
    const pl_contact_row *w = &p->wall[i];
    for (int a = 0, k = 0; a < w->n; a++)
      for (int b = 0; b <= a; b++, k++) {
        int va = p->place[w->vert[a]], vb = p->place[w->vert[b]];
        p->wall_block[10 * i + k] = va < 0 || vb < 0 ? -1 : program_block(p, va, vb);
        all &= va < 0 || vb < 0 || p->wall_block[10 * i + k] >= 0;
      }
  }
  return all;
}

static pl_status check_wall(pl_env *env, const pl_contact_row *w, int nvert, int i) {
  int bad = w->n < 1 || w->n > 4 || !(w->mu >= 0) || !(w->give >= 0) || !isfinite(w->offset);
  for (int a = 0; !bad && a < w->n; a++)
    bad = w->vert[a] < 0 || w->vert[a] >= nvert || !isfinite(w->weight[a]);
  for (int c = 0; c < 3; c++)
    for (int d = 0; d < 3; d++) bad |= !isfinite(w->frame[c][d]) || !isfinite(w->from[d]);
  return bad ? pl_fail(env, PL_E_ARG, "projection: barrier %d is not filled", i) : PL_OK;
}

pl_status program_walls(program *p, int n, pl_contact_row *wall) {
  for (int i = 0; i < n; i++) PL_TRY(check_wall(p->env, &wall[i], p->sheet->nvert, i));
  p->nwall = 0;
  PL_TRY(grow_walls(p, n));
  p->wall = wall;
  p->nwall = n;
  for (int i = 0; i < n; i++)
    p->cone[i] = (wall_cone){.size = wall[i].mu > 0 ? 3 : 1,
                             .give = wall[i].give * p->scale / (p->edge * p->edge)};
  if (find_wall_blocks(p)) return PL_OK;
  PL_TRY(make_blocks(p));
  find_wall_blocks(p);
  return PL_OK;
}

// ---- sums ---------------------------------------------------------------------------------------

typedef struct gathering {
  program *p;
  const double *from; // [nt][6]
  double *out;
} gathering;

static void gather_rows(void *ctx, int chunk, int thread) {
  const gathering *g = ctx;
  const program *p = g->p;
  int first = chunk * ROWS, last = first + ROWS < p->nfree ? first + ROWS : p->nfree;
  (void)thread;
  for (int v = first; v < last; v++) {
    double sum[3] = {0};
    for (int k = p->corner_ptr[v]; k < p->corner_ptr[v + 1]; k++) {
      const double *r = g->from + 6 * (p->corner[k] >> 2);
      int a = p->corner[k] & 3;
      for (int c = 0; c < 3; c++) sum[c] += a == 0 ? -(r[c] + r[3 + c]) : r[3 * (a - 1) + c];
    }
    for (int c = 0; c < 3; c++)
      if (!(p->fixed[v] >> c & 1)) g->out[3 * v + c] += sum[c];
  }
}

void program_gather(program *p, int stress, double *out) {
  gathering g = {p, stress ? p->P : p->r, out};
  pl_threads_run(p->threads, (p->nfree + ROWS - 1) / ROWS, gather_rows, &g);
  for (int i = 0; i < p->nwall; i++) {
    const pl_contact_row *w = &p->wall[i];
    double f[3];
    memcpy(f, p->rw + 3 * i, sizeof f);
    // the gradient of what is minimised has the forces of barriers with a minus
    if (stress) program_wall_force(p, i, p->cone[i].end, f);
    for (int a = 0; a < w->n; a++) {
      int v = p->place[w->vert[a]];
      for (int c = 0; v >= 0 && c < 3; c++)
        if (!(p->fixed[v] >> c & 1)) out[3 * v + c] += (stress ? -1 : 1) * w->weight[a] * f[c];
    }
  }
}

// ---- matrix -------------------------------------------------------------------------------------

// out[9] += block of corners a and b from what is kept of the triangle, corner 0 being minus the
// sum of the others
static void add_block(const double *K, int a, int b, double *out) {
  static const int sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5},
                   transposed[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
  const double *K12 = K + 6, *K22 = K + 15;
  switch (3 * a + b) {
  case 0:
    for (int k = 0; k < 9; k++) out[k] += K[sym[k]] + K12[k] + K12[transposed[k]] + K22[sym[k]];
    return;
  case 1:
    for (int k = 0; k < 9; k++) out[k] -= K[sym[k]] + K12[transposed[k]];
    return;
  case 2:
    for (int k = 0; k < 9; k++) out[k] -= K12[k] + K22[sym[k]];
    return;
  case 3:
    for (int k = 0; k < 9; k++) out[k] -= K[sym[k]] + K12[k];
    return;
  case 4:
    for (int k = 0; k < 9; k++) out[k] += K[sym[k]];
    return;
  case 5:
    for (int k = 0; k < 9; k++) out[k] += K12[k];
    return;
  case 6:
    for (int k = 0; k < 9; k++) out[k] -= K12[transposed[k]] + K22[sym[k]];
    return;
  case 7:
    for (int k = 0; k < 9; k++) out[k] += K12[transposed[k]];
    return;
  default:
    for (int k = 0; k < 9; k++) out[k] += K22[sym[k]];
  }
}

typedef struct assembly {
  program *p;
  const int *slot;
  const double *diag;
  double *val;
} assembly;

static void assemble_rows(void *ctx, int chunk, int thread) {
  const assembly *m = ctx;
  const program *p = m->p;
  const blocks *b = &p->b;
  int first = chunk * ROWS, last = first + ROWS < b->n ? first + ROWS : b->n;
  (void)thread;
  for (int i = first; i < last; i++) {
    double sum[9] = {0};
    const int *slot = m->slot + 9 * i;
    for (int k = b->start[i]; k < b->start[i + 1]; k++)
      add_block(p->K + 21 * (b->from[k] >> 4), b->from[k] >> 2 & 3, b->from[k] & 3, sum);
    for (int k = 0; k < 9; k++)
      if (slot[k] >= 0) m->val[slot[k]] = sum[k] + (m->diag ? 0 : m->val[slot[k]]);
    for (int c = 0; m->diag && b->row[i] == b->col[i] && c < 3; c++)
      if (slot[4 * c] >= 0) m->val[slot[4 * c]] += m->diag[3 * b->row[i] + c];
  }
}

static void assemble_walls(program *p, const int *slots, double *val) {
  static const int sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  for (int i = 0; i < p->nwall; i++) {
    const pl_contact_row *w = &p->wall[i];
    for (int a = 0, n = 0; a < w->n; a++)
      for (int b = 0; b <= a; b++, n++) {
        int block = p->wall_block[10 * i + n];
        double f = w->weight[a] * w->weight[b];
        // a vertex that stands twice in a barrier meets itself
        if (a != b && w->vert[a] == w->vert[b]) f *= 2;
        for (int k = 0; block >= 0 && k < 9; k++) {
          int slot = slots[9 * block + k];
          if (slot >= 0) val[slot] += f * p->Kw[6 * i + sym[k]];
        }
      }
  }
}

void program_assemble(program *p, const int *slot, const double *diag, double *val) {
  assembly m = {p, slot, diag, val};
  pl_threads_run(p->threads, (p->b.n + ROWS - 1) / ROWS, assemble_rows, &m);
  assemble_walls(p, slot, val);
}
