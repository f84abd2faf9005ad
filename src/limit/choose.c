// Which of the solvers with constraints serves a motion or a load step.
#include "limit_impl.h"

int pl_needs_program(int method, int limits, int layers, int solid) {
  int exact = solid && (method == PL_NEWMARK || method == PL_IMPLICIT_EULER);
  return method > PL_BDF2 || limits || (layers && !exact);
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
