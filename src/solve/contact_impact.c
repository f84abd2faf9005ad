// Impacts in Newmark's steps: velocities of contacts that are closed at the end of a step obey
// Coulomb's law with the impulses of the whole step, v + H^-1 G (p - p_step), places stay. Moreau's
// law asks for n'(v+ + e v) instead of n'v+, with v from before the step.
#include "solve_impl.h"

#include <string.h>

// all nodes of a row have mass
static int is_heavy(const contact_set *t, int k, const int *heavy) {
  const pl_contact_row *r = &t->row[k];
  for (int a = 0; a < r->n; a++)
    for (int c = 0; c < t->dim; c++)
      if (!heavy[r->vert[a] * t->dim + c]) return 0;
  return 1;
}

// pairs that are open, or have nodes without mass, leave the set
static void keep_closed(contact_set *t, const int *heavy) {
  int kept = 0;
  for (int k = 0; k < t->nset; k++) {
    if (t->set[k] >= 0) t->in[t->set[k]] = -1;
    if (t->status[k] != PL_OPEN && is_heavy(t, k, heavy)) contact_set_move(t, k, kept++);
  }
  t->nset = kept;
}

static double kinetic(stepper *st, const double *v) {
  pl_mass_mul(st->p, v, st->w, st->ma);
  return 0.5 * pl_dot(st->nq, v, st->ma);
}

// dv of the impulses that are new. *allow: what the change may add to the kinetic energy, as less
// pressure leaves less friction
static pl_status change(contact_set *t, pl_factor *A, double scale, double *dv, double *allow) {
  double *more = t->c; // free until the next law
  *allow = 0;
  for (int i = 0; i < t->nset * t->dim; i++) {
    more[i] = t->f[i] - t->before[i];
    if (i % t->dim == 0 && more[i] < 0)
      *allow -= t->mu[i / t->dim] * more[i] * pl_norm(t->dim - 1, t->u + i + 1);
    more[i] *= scale;
  }
  return contact_set_answer(t, A, more, dv);
}

// st->g: change of the velocities in the metric of A/scale
static pl_status attempt(stepper *st, pl_factor *A, double scale, double *allow) {
  contact_set *t = st->contacts;
  int m = t->nset * t->dim;
  const double *v = st->x->v;
  double back = st->o->impact == PL_IMPACT_MOREAU ? st->o->restitution : 0;
  contact_rule u = {.slope = scale, .drag = 1, .rate = v};
  memset(st->g, 0, (size_t)st->n * sizeof *st->g);
  contact_set_problem(t, &u, st->g);
  for (int i = 0; i < m; i += t->dim) {
    double drag = contact_set_drag(t, i), before = contact_set_along(t, i, st->s->v) - drag;
    t->c[i] = contact_set_along(t, i, v) - drag + back * fmin(0, before);
  }
  PL_TRY(contact_set_product(t, A, scale, t->before, t->u));
  for (int i = 0; i < m; i++) t->c[i] -= t->u[i];
  memcpy(t->f, t->before, (size_t)m * sizeof *t->f);
  PL_TRY(contact_set_law(t, A, scale));
  return change(t, A, scale, st->g, allow);
}

// x->v with the change, when it does not add to the energy
static int apply_change(stepper *st, double most) {
  for (int i = 0; i < st->n; i++) st->x->v[st->dof[i]] += st->g[i];
  if (kinetic(st, st->x->v) <= most) return 1;
  for (int i = 0; i < st->n; i++) st->x->v[st->dof[i]] = st->base->v[st->dof[i]];
  return 0;
}

// the metric of the step, so that stiff bodies come to rest as a whole; that of the mass, which
// cannot add energy, where it does
static pl_status settle(stepper *st, const rule *u) {
  double energy = kinetic(st, st->x->v), allow;
  // what a step takes by its timing alone may come back
  if (st->o->impact == PL_IMPACT_MOREAU) energy = fmax(energy, kinetic(st, st->s->v));
  memcpy(st->base->v, st->x->v, (size_t)st->nq * sizeof *st->x->v);
  if (st->o->impact != PL_IMPACT_MASS) {
    pl_status s = stepper_metric(st, u);
    if (s == PL_OK) s = attempt(st, st->chol, u->da, &allow);
    if (s < 0 || s == PL_CANCELLED) return s;
    if (s == PL_OK && apply_change(st, (1 + 1e-12) * energy + allow)) return PL_OK;
  }
  // damping by the mass takes its share of the impulses in the same step
  double share = 1 / (1 + st->p->par[PL_PAR_ALPHA] * u->dv / u->da);
  PL_TRY(attempt(st, st->mass, share, &allow));
  apply_change(st, INFINITY);
  return PL_OK;
}

// row i times x over what is driven alone
static double along_driven(const contact_set *t, int i, const double *x) {
  const pl_contact_row *r = &t->row[i / t->dim];
  const int *index = pl_model_free_index(t->m);
  double sum = 0;
  for (int a = 0; a < r->n; a++)
    for (int c = 0; c < t->dim; c++) {
      int k = r->vert[a] * t->dim + c;
      if (index[k] < 0) sum += r->weight[a] * r->frame[i % t->dim][c] * x[k];
    }
  return sum;
}

// What the change of impulses, and of velocities with them, takes of the energy. Directions that
// are driven have the velocity they had.
static void book_impact(stepper *st, double before) {
  const contact_set *t = st->contacts;
  double after = kinetic(st, st->x->v);
  for (int i = 0; i < t->nset * t->dim; i++) {
    double more = t->f[i] - t->before[i], pushed = more * contact_set_drag(t, i);
    st->audit.pushed += pushed;
    st->audit.contact += pushed - more * along_driven(t, i, st->x->v);
  }
  st->audit.contact += before - after;
  st->audit.kinetic += after - before;
  st->audit.work += after - before;
}

pl_status stepper_rest(stepper *st, const rule *u, int *changed) {
  contact_set *t = st->contacts;
  keep_closed(t, st->heavy);
  *changed = t->nset > 0;
  if (!*changed) return PL_OK;
  int m = t->nset * t->dim;
  double whole = u->h * t->share;
  for (int i = 0; i < m; i++) t->before[i] = whole * t->f[i];
  double energy = kinetic(st, st->x->v);
  PL_TRY(settle(st, u));
  book_impact(st, energy);
  for (int i = 0; i < m; i++) t->f[i] /= whole;
  return PL_OK;
}
