#include "taut_impl.h"

#include <float.h>
#include <string.h>

// Lattices for elements of any size: the smallest gap is made largest over the keys that place them
// (Nelder and Mead, begun anew until that gains nothing).

enum { PLACES = 4, STEPS = 400, AGAIN = 12 };

typedef struct fitting {
  pl_env *env;
  const pl_mail_family *f;
  double value[PL_KEY_MAX], size[PLACES]; // of a step along each
  int n, key[PLACES];
  double cut;
  pl_status status;
} fitting;

static pl_cell *cell_of(fitting *t, const double *value, pl_mail_data *data) {
  pl_cell *c = NULL;
  t->f->make(value, data);
  if (pl_mail_fault(&data->m)) return NULL;
  pl_status s = pl_cell_create(t->env, &data->m, 1, 1, &c);
  if (s != PL_OK) t->status = s;
  return c;
}

// smallest gap, up to a cut; where elements do not make sense there is none
static double gap_at(fitting *t, const double *x) {
  pl_mail_data data;
  double value[PL_KEY_MAX];
  memcpy(value, t->value, sizeof value);
  for (int k = 0; k < t->n; k++) {
    const pl_key *key = &t->f->key[t->key[k]];
    value[t->key[k]] = x[k];
    if (!(x[k] >= key->lo && x[k] <= key->hi) || (key->lo_open && x[k] == key->lo)) return -DBL_MAX;
  }
  pl_cell *c = cell_of(t, value, &data);
  if (!c) return -DBL_MAX;
  double gap = cell_gap_within(c, t->cut, NULL);
  pl_cell_free(c);
  return fmin(gap, t->cut);
}

// links of all elements, as one number
static int links_at(fitting *t, const double *value) {
  pl_mail_data data;
  int sum = 0;
  pl_cell *c = cell_of(t, value, &data);
  for (int e = 0; c && e < data.m.nelem; e++) sum = 100 * sum + pl_cell_links(c, e);
  pl_cell_free(c);
  return sum;
}

// ---- the search ---------------------------------------------------------------------------------

typedef struct corner {
  double x[PLACES], gap;
} corner;

static void sort_corners(int n, corner *s) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && s[j].gap > s[j - 1].gap; j--) {
      corner swap = s[j];
      s[j] = s[j - 1];
      s[j - 1] = swap;
    }
}

// from the worst corner through the middle of the others, and as far beyond
static corner beyond(fitting *t, const corner *s, double far) {
  corner out = {{0}, 0};
  for (int k = 0; k < t->n; k++) {
    double mid = 0;
    for (int i = 0; i < t->n; i++) mid += s[i].x[k] / t->n;
    out.x[k] = mid + far * (mid - s[t->n].x[k]);
  }
  out.gap = gap_at(t, out.x);
  return out;
}

static void simplex_step(fitting *t, corner *s) {
  int n = t->n;
  corner a = beyond(t, s, 1);
  if (a.gap > s[0].gap) {
    corner b = beyond(t, s, 2);
    s[n] = b.gap > a.gap ? b : a;
  } else if (a.gap > s[n - 1].gap) {
    s[n] = a;
  } else {
    corner b = beyond(t, s, a.gap > s[n].gap ? 0.5 : -0.5);
    if (b.gap > fmax(a.gap, s[n].gap)) {
      s[n] = b;
    } else {
      for (int i = 1; i <= n; i++) {
        for (int k = 0; k < n; k++) s[i].x[k] = (s[i].x[k] + s[0].x[k]) / 2;
        s[i].gap = gap_at(t, s[i].x);
      }
    }
  }
  sort_corners(n + 1, s);
}

static double spread(const fitting *t, const corner *s) {
  double most = 0;
  for (int i = 1; i <= t->n; i++)
    for (int k = 0; k < t->n; k++) most = fmax(most, fabs(s[i].x[k] - s[0].x[k]) / t->size[k]);
  return most;
}

static void climb(fitting *t, corner *best) {
  double wide = 1;
  for (int again = 0; again < AGAIN && t->status == PL_OK; again++) {
    corner s[PLACES + 1];
    double before = best->gap;
    s[0] = *best;
    for (int i = 1; i <= t->n; i++) {
      s[i] = *best;
      s[i].x[i - 1] += wide * t->size[i - 1] * (again % 2 ? -1 : 1);
      s[i].gap = gap_at(t, s[i].x);
    }
    sort_corners(t->n + 1, s);
    for (int k = 0; k < STEPS && spread(t, s) > 1e-9; k++) simplex_step(t, s);
    *best = s[0];
    if (again > 1 && best->gap - before < 1e-9 * t->cut) return;
    wide = fmax(wide / 4, 0.01);
  }
}

// ---- families -----------------------------------------------------------------------------------

// The default's places, as large as the elements are; of several sizes of the lattice that link as
// the default does, the one with the largest gap.
static int begin(fitting *t, double ratio, corner *best) {
  double given[PL_KEY_MAX], plain[PL_KEY_MAX];
  int found = 0;
  for (int k = 0; k < t->f->nkey; k++) plain[k] = t->f->key[k].value;
  int want = links_at(t, plain);
  memcpy(given, t->value, sizeof given);
  for (int i = -6; i <= 6; i++) {
    corner c;
    for (int k = 0; k < t->n; k++) {
      const pl_key *key = &t->f->key[t->key[k]];
      int length = key->unit[0] == 'm';
      c.x[k] = key->value * (length ? ratio * (1 + 0.07 * i) : 1);
      t->size[k] = length ? 0.05 * c.x[k] : 0.1;
      given[t->key[k]] = c.x[k];
    }
    c.gap = gap_at(t, c.x);
    if ((found && c.gap <= best->gap) || links_at(t, given) != want) continue;
    *best = c;
    found = 1;
  }
  return found;
}

static int left_out(const pl_mail_family *f, const int *given) {
  int others = 0;
  for (int k = 0; k < f->nkey; k++) {
    if (given[k] && f->lattice >> k & 1) return 0;
    others |= given[k];
  }
  return others && f->lattice;
}

pl_status pl_mail_fit(pl_env *env, const pl_mail_family *f, const int *given, double *value,
                      double *gap) {
  fitting t = {.env = env, .f = f};
  pl_mail_data data;
  corner best = {{0}, -DBL_MAX};
  *gap = DBL_MAX;
  if (!left_out(f, given)) return PL_OK;
  memcpy(t.value, value, (size_t)f->nkey * sizeof *value);
  for (int k = 0; k < f->nkey; k++)
    if (f->lattice >> k & 1) t.key[t.n++] = k;
  // the first key is the size of an element
  double ratio = value[0] / f->key[0].value;
  t.cut = 0.5 * value[0];
  f->make(value, &data);
  if (pl_mail_fault(&data.m)) return PL_OK;
  if (begin(&t, ratio, &best)) climb(&t, &best);
  for (int k = 0; k < t.n; k++) value[t.key[k]] = best.x[k];
  *gap = best.gap;
  return t.status;
}
