// Which of the solvers with constraints serves a motion or a load step.
#include "limit_impl.h"

int pl_needs_program(int method, int limits, int layers, int solid) {
  int exact = solid && (method == PL_NEWMARK || method == PL_IMPLICIT_EULER);
  return method > PL_BDF2 || limits || (layers && !exact);
}

// some unknown of an element of a group can move
static int is_free(const pl_model *m, int g) {
  const int *dof = pl_model_group_dofs(m, g), *index = pl_model_free_index(m);
  int n = pl_model_group_size(m, g) * pl_model_group_kind(m, g)->ndof;
  for (int i = 0; i < n; i++)
    if (dof[i] >= 0 && index[dof[i]] >= 0) return 1;
  return 0;
}

pl_status pl_unfit_masses(pl_env *env, int method, const pl_model *m, const pl_params *p,
                          const char **what) {
  *what = NULL;
  if (method <= PL_BDF2 || method == PL_COUPLED) return PL_OK;
  double *mass = pl_alloc(env, (size_t)pl_model_nnode(m), sizeof *mass);
  if (!mass) return PL_E_NOMEM;
  if (pl_node_masses(m, p, mass)) *what = "elements of second order";
  for (int g = 0; g < pl_model_ngroup(m); g++)
    if (pl_model_group_rigid(m, g) && is_free(m, g)) *what = "a rigid body";
  pl_free(env, mass);
  return PL_OK;
}

// contact has the layers as its bodies
static int has_bodies(const pl_constraints *k) {
  return k->contact && k->contact->bodies;
}

typedef struct follower {
  pl_limit_observe_fn observe;
  void *ctx;
} follower;

static int on_step(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w) {
  const follower *f = ctx;
  (void)w;
  return f->observe(f->ctx, s, c, NULL);
}

pl_status pl_constrained_transient(const pl_transient_opts *o, const pl_project_opts *po,
                                   const pl_model *m, const pl_params *p, const pl_constraints *k,
                                   pl_state *s, pl_history *history, pl_work *w,
                                   pl_limit_observe_fn observe, void *ctx,
                                   pl_transient_info *info) {
  follower f = {observe, ctx};
  if (k->together ||
      pl_needs_program(o->method, k->sheet != NULL, k->layers != NULL, has_bodies(k)))
    return pl_limit_transient(o, po, m, p, k, s, history, w, observe, ctx, info);
  return pl_transient_contact(o, m, p, k->contact, s, history, w, observe ? on_step : NULL, &f,
                              info);
}

pl_status pl_constrained_static(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                                const pl_constraints *k, const pl_static_info *from, pl_state *s,
                                pl_work *w, pl_observe_fn observe, void *ctx,
                                pl_static_info *info) {
  if (pl_needs_program(PL_IMPLICIT_EULER, k->sheet != NULL, k->layers != NULL, 0))
    return pl_limit_static(o, m, p, k, from, s, w, observe, ctx, info);
  if (from) return pl_static_resumed(o, m, p, k->contact, NULL, from, s, w, observe, ctx, info);
  return pl_static_contact(o, m, p, k->contact, s, w, observe, ctx, info);
}
