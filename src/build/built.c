// What was built: analyses of it, other threads' shares in it, its end.
#include "build_impl.h"

pl_env *build_host_create(void) {
  pl_env plain;
  pl_env_init(&plain);
  pl_env *own = pl_alloc(&plain, 1, sizeof *own);
  if (own) pl_env_init(own);
  return own;
}

void build_host_free(pl_env *own) {
  pl_env plain;
  pl_env_init(&plain);
  pl_free(&plain, own);
}

pl_status pl_built_share(const pl_built *m, int nthread, pl_built *out) {
  *out = (pl_built){.model = m->model, .params = m->params, .mesh = m->mesh, .shared = 1};
  out->env = build_host_create();
  if (!out->env) return PL_E_NOMEM;
  const pl_constraints *k = &m->constraints;
  if (k->contact || k->layers || k->sheet)
    return pl_fail(out->env, PL_E_ARG, "a model with obstacles, layers or limits is not shared");
  PL_TRY(pl_state_create(m->model, m->params, &out->state));
  return pl_work_create_for(out->env, m->model, nthread, &out->work);
}

const char *pl_built_error(const pl_built *m) {
  const pl_env *env = m->work ? m->work->env : m->env;
  return env ? env->error.text : "";
}

void pl_built_free(pl_built *m) {
  pl_env *own = m->env;
  pl_contact_free(m->constraints.contact);
  pl_layers_free(m->constraints.layers);
  pl_sheet_free(m->constraints.sheet);
  pl_work_free(m->work);
  if (m->model) pl_state_free(m->model, m->state);
  if (!m->shared) {
    pl_params_free(m->params);
    pl_model_free(m->model);
    pl_mesh_free(m->mesh);
  }
  build_host_free(own);
  *m = (pl_built){0};
}

// ---- analyses -----------------------------------------------------------------------------------

static pl_status check_suits(const pl_built *m) {
  if (!m->constraints.sheet && !m->constraints.layers) return PL_OK;
  return pl_fail_at(m->work->env, PL_E_ARG, NULL, 0, 0, "call pl_limit_transient or pl_drape",
                    "layers and limits of stretch are not known to this analysis");
}

pl_status pl_built_static(pl_built *m, const pl_static_opts *o) {
  PL_TRY(check_suits(m));
  return pl_static_contact(o, m->model, m->params, m->constraints.contact, m->state, m->work, NULL,
                           NULL, NULL);
}

pl_status pl_built_transient(pl_built *m, const pl_transient_opts *o, pl_observe_fn observe,
                             void *ctx) {
  PL_TRY(check_suits(m));
  return pl_transient_contact(o, m->model, m->params, m->constraints.contact, m->state, NULL,
                              m->work, observe, ctx, NULL);
}

pl_status pl_built_modes(pl_built *m, int count, double *omega, double *shape) {
  const pl_modes_opts o = {.count = count};
  return pl_modes(&o, m->model, m->params, m->state, m->work, omega, shape, NULL);
}
