// What scenes name by `given`, of the caller's.
#include "facade_impl.h"

#include <stdlib.h>
#include <string.h>

given_thing *given_create(const char *name) {
  given_thing *g = calloc(1, sizeof *g);
  if (!g) return NULL;
  atomic_init(&g->users, 1);
  atomic_init(&g->stop, 0);
  pl_env_init(&g->env);
  g->name = strdup(name);
  if (g->name) return g;
  free(g);
  return NULL;
}

void given_release(given_thing *g) {
  if (!g || atomic_fetch_sub(&g->users, 1) > 1) return;
  if (g->mesh) {
    // not ours
    g->mesh->X = NULL;
    for (int t = 0; t < PL_CELL_COUNT; t++) g->mesh->cell[t].v = NULL;
    pl_mesh_free(g->mesh);
  }
  if (g->what == GIVEN_LOAD) load_release(g);
  free(g->name);
  free(g->unit);
  free(g);
}

static void release(object *o) {
  given_release(((given_object *)o)->given);
  messages_free(&o->messages);
  free(o);
}

int given_put(given_thing *g, int64_t *out) {
  given_object *o = calloc(1, sizeof *o);
  if (!o) {
    given_release(g);
    return fail(PL_FACADE_NOMEM, NULL, "out of memory");
  }
  o->base.kind = OBJECT_GIVEN;
  o->base.free = release;
  o->given = g;
  return handle_put(&o->base, out);
}
