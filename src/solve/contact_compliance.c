// W = slope G'A^-1 G of a contact set, from the entries of A^-1 between the unknowns of its rows:
// these stay while the factor does, whatever frames and pairs become of the rows.
#include "solve_impl.h"

#include <string.h>

enum { ENTRIES = 12 };           // of a row: four nodes
static const double LARGE = 1e5; // entries of a factor that takes time

// Fortran LAPACK: everything by address
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);

void compliance_close(contact_set *t) {
  compliance *c = &t->known;
  void *all[] = {c->dof, c->at, c->B, c->column, c->row};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) pl_free(t->env, all[i]);
  *c = (compliance){0};
}

pl_status compliance_open(contact_set *t) {
  compliance *c = &t->known;
  size_t n = (size_t)t->n;
  c->dof = pl_alloc(t->env, n, sizeof *c->dof);
  c->at = pl_alloc(t->env, n, sizeof *c->at);
  c->column = pl_alloc(t->env, n, sizeof *c->column);
  if (!c->dof || !c->at || !c->column) return PL_E_NOMEM;
  for (int i = 0; i < t->n; i++) c->at[i] = -1;
  return PL_OK;
}

void compliance_forget(contact_set *t) {
  compliance *c = &t->known;
  for (int i = 0; i < c->n; i++) c->at[c->dof[i]] = -1;
  c->n = c->nrow = 0;
  c->A = NULL;
}

// entries of row i of G that are not zero; returns their number
static int entries(const contact_set *t, int i, int *dof, double *val) {
  const pl_contact_row *r = &t->row[i / t->dim];
  const int *index = pl_model_free_index(t->m);
  int n = 0;
  for (int a = 0; a < r->n; a++)
    for (int c = 0; c < t->dim; c++) {
      dof[n] = index[t->dim * r->vert[a] + c];
      val[n] = r->weight[a] * r->frame[i % t->dim][c];
      n += dof[n] >= 0 && r->weight[a] != 0;
    }
  return n;
}

// unknowns of a contact that are not yet among those known; returns how many
static int choose(contact_set *t, int k) {
  compliance *c = &t->known;
  const pl_contact_row *r = &t->row[k];
  const int *index = pl_model_free_index(t->m);
  int before = c->n;
  for (int a = 0; a < r->n; a++)
    for (int b = 0; b < t->dim && r->weight[a] != 0; b++) {
      int dof = index[t->dim * r->vert[a] + b];
      if (dof < 0 || c->at[dof] >= 0) continue;
      c->at[dof] = c->n;
      c->dof[c->n++] = dof;
    }
  return c->n - before;
}

static pl_status reserve(pl_env *env, double **x, size_t *cap, size_t m) {
  size_t count;
  if (pl_mul_size(m, m, &count)) count = SIZE_MAX / 16;
  if (count <= *cap) return PL_OK;
  double *more = pl_realloc(env, *x, count, sizeof **x);
  if (!more) return PL_E_NOMEM;
  *x = more;
  *cap = count;
  return PL_OK;
}

// entries of A^-1 between the unknowns of contacts 0, step, 2 step ...
static pl_status know(contact_set *t, pl_factor *A, int step) {
  compliance *c = &t->known;
  pl_factor_info info = pl_factor_stats(A);
  if (c->A != A || c->numeric != info.nnumeric) compliance_forget(t);
  int more = 0;
  for (int k = 0; k < t->nset; k += step) more += choose(t, k);
  if (more == 0 && c->A) return PL_OK;
  c->A = NULL;
  if (info.nnz > LARGE) PL_TRY(pl_report_progress(t->env, NULL, -1, NULL));
  PL_TRY(reserve(t->env, &c->B, &c->cap, (size_t)c->n));
  PL_TRY(pl_factor_inverse(A, c->n, c->dof, c->B));
  c->A = A;
  c->numeric = info.nnumeric;
  return PL_OK;
}

// column of A^-1 G from row i of G, over the unknowns known
static void find_column(contact_set *t, int i) {
  compliance *c = &t->known;
  int dof[ENTRIES];
  double val[ENTRIES];
  int n = entries(t, i, dof, val);
  memset(c->column, 0, (size_t)c->n * sizeof *c->column);
  for (int e = 0; e < n; e++) {
    const double *row = c->B + (size_t)c->at[dof[e]] * (size_t)c->n;
    for (int j = 0; j < c->n; j++) c->column[j] += val[e] * row[j];
  }
}

static double along_column(const contact_set *t, int i) {
  const compliance *c = &t->known;
  int dof[ENTRIES];
  double val[ENTRIES], sum = 0;
  int n = entries(t, i, dof, val);
  for (int e = 0; e < n; e++) sum += val[e] * c->column[c->at[dof[e]]];
  return sum;
}

// W is that of the rows as they are
static int is_formed(const contact_set *t, pl_factor *A, double slope) {
  const compliance *c = &t->known;
  size_t size = (size_t)t->nset * sizeof *c->row;
  return c->A == A && c->numeric == pl_factor_stats(A).nnumeric && c->slope == slope &&
         t->nset > 0 && c->nrow == t->nset && memcmp(c->row, t->row, size) == 0;
}

static pl_status keep_rows(contact_set *t, double slope) {
  compliance *c = &t->known;
  size_t n = (size_t)t->nset;
  c->nrow = 0;
  pl_contact_row *row = pl_realloc(t->env, c->row, n, sizeof *row);
  if (!row) return PL_E_NOMEM;
  c->row = row;
  memcpy(row, t->row, n * sizeof *row);
  c->nrow = t->nset;
  c->slope = slope;
  return PL_OK;
}

pl_status compliance_form(contact_set *t, pl_factor *A, double slope) {
  int m = t->nset * t->dim;
  if (is_formed(t, A, slope)) return PL_OK;
  t->known.nrow = 0;
  PL_TRY(know(t, A, 1));
  PL_TRY(reserve(t->env, &t->W, &t->capW, (size_t)m));
  for (int j = 0; j < m; j++) {
    find_column(t, j);
    for (int i = 0; i <= j; i++)
      t->W[(size_t)i * m + j] = t->W[(size_t)j * m + i] = slope * along_column(t, i);
  }
  return keep_rows(t, slope);
}

pl_status compliance_sample(contact_set *t, pl_factor *A, double slope, int most) {
  int step = (t->nset + most - 1) / most, n = (t->nset + step - 1) / step;
  double sum[3] = {0};
  PL_TRY(know(t, A, step));
  for (int k = 0; k < t->nset; k += step)
    for (int c = 0; c < t->dim; c++) {
      find_column(t, k * t->dim + c);
      sum[c] += slope * along_column(t, k * t->dim + c) / n;
    }
  for (int i = 0; i < t->nset * t->dim; i++)
    t->about[i] = sum[i % t->dim] > 0 ? sum[i % t->dim] : 1;
  return PL_OK;
}

pl_status compliance_definite(contact_set *t, int *definite) {
  static const double ALMOST = 1e-10; // less than nothing by so much of the diagonal is nothing
  int m = t->nset * t->dim, info;
  size_t size = (size_t)m;
  PL_TRY(reserve(t->env, &t->factor, &t->capL, size));
  memcpy(t->factor, t->W, size * size * sizeof *t->factor);
  *definite = 1;
  for (size_t i = 0; i < size; i++) {
    double *own = &t->factor[i * (size + 1)];
    if (*own < 0) *definite = 0;
    // what nothing can move has a row of zeros
    *own = *own > 0 ? (1 + ALMOST) * *own : 1;
  }
  dpotrf_("L", &m, t->factor, &m, &info, 1);
  if (info != 0) *definite = 0;
  return PL_OK;
}
