// One implicit solve, as schemes of other layers need it: the rule is given by its coefficients.
#include "solve_impl.h"

struct pl_implicit {
  pl_transient_opts o;
  pl_transient_info info;
  stepper st;
};

pl_status pl_implicit_create(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                             pl_work *w, pl_implicit **out) {
  *out = NULL;
  PL_TRY(solve_opts_check(w->env, pl_transient_option_table, pl_transient_option_count, o));
  pl_implicit *k = pl_alloc(w->env, 1, sizeof *k);
  if (!k) return PL_E_NOMEM;
  k->o = *o;
  k->st = (stepper){.o = &k->o,
                    .m = m,
                    .p = p,
                    .w = w,
                    .info = &k->info,
                    .env = w->env,
                    .n = pl_model_nfree(m),
                    .nq = pl_model_nq(m),
                    .dof = pl_model_free_dofs(m)};
  pl_status s = stepper_open(&k->st);
  if (s != PL_OK) {
    pl_implicit_free(k);
    return s;
  }
  *out = k;
  return PL_OK;
}

void pl_implicit_free(pl_implicit *k) {
  if (!k) return;
  pl_env *env = k->st.env;
  stepper_close(&k->st);
  pl_free(env, k);
}

void pl_implicit_exactly(pl_implicit *k, int iterations) {
  k->st.exactly = iterations;
}

void pl_implicit_motion(pl_implicit *k, pl_motion *motion) {
  k->st.motion = motion;
}

pl_status pl_implicit_accelerate(pl_implicit *k, pl_state *x) {
  return stepper_accelerate(&k->st, x);
}

pl_status pl_implicit_solve(pl_implicit *k, double t, double dv, double da, const double *vc,
                            const double *ac, pl_state *x, int *iterations) {
  stepper *st = &k->st;
  pl_state *own = st->x;
  rule u = {.t = t, .dv = dv, .da = da};
  long before = k->info.iterations;
  x->t = t;
  for (int i = 0; i < st->n; i++) {
    int q = st->dof[i];
    x->v[q] = dv * x->q[q] + vc[q];
    x->a[q] = da * x->q[q] + ac[q];
  }
  pl_drive(st->m, st->p, &(pl_clock){t, k->o.frequency, 1, k->o.ramp, 1}, x);
  st->x = st->s = x;
  pl_status s = stepper_newton(st, &u, NEWTON_SURE);
  st->x = own;
  st->s = NULL;
  if (iterations) *iterations = (int)(k->info.iterations - before);
  return s;
}
