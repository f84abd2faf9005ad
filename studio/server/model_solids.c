// Elements of interlocking materials in a model: those of its patches, or a few cells of a material
// that has none; and one cell of every material.
#include "model.h"

#include "pliant/math.h"

#include <string.h>

enum { SHAPES_MAX = 64, POINTS = 200000, CELLS = 3 };

typedef struct gathering {
  const making *m;
  int n, nshape;
  const pl_mail_element *shape[SHAPES_MAX];
  pl_mesh *mesh[SHAPES_MAX];
  pl_solid *solid;
} gathering;

static int count_elements(const pl_scene *sc) {
  int n = 0;
  for (int k = 0; k < sc->npatch; k++) n += sc->patch[k].p.n;
  for (int k = 0; sc->npatch == 0 && k < sc->nmail; k++) n += CELLS * CELLS * sc->mail[k].m->nelem;
  return n;
}

// elements that look the same share a mesh; -1: there are too many kinds
static int shape_of(gathering *g, const pl_mail_element *e) {
  for (int k = 0; k < g->nshape; k++)
    if (g->shape[k] == e) return k;
  if (g->nshape == SHAPES_MAX) return -1;
  g->shape[g->nshape] = e;
  return g->nshape++;
}

static void add(gathering *g, const pl_mail_element *e, const pl_pose *at, int tone) {
  int shape = shape_of(g, e);
  if (shape < 0) return;
  pl_solid *s = &g->solid[g->n++];
  *s = (pl_solid){.mesh = shape, .tone = tone};
  memcpy(s->x, at->x, sizeof s->x);
  memcpy(s->Q, at->Q, sizeof s->Q);
}

static void add_patch(gathering *g, const pl_patch *p) {
  for (int i = 0; i < p->n; i++) {
    int loaded = p->load && pl_norm3(p->load[i]) > 0;
    add(g, p->elem[i], &p->pose[i], p->held && p->held[i] ? 1 : loaded ? 2 : 0);
  }
}

static void add_cells(gathering *g, const pl_mail *m, int along) {
  for (int i = 0; i < along * along; i++)
    for (int e = 0; e < m->nelem; e++) {
      pl_pose at = m->pose[e];
      for (int c = 0; c < 2; c++)
        at.x[c] += i % along * m->lattice[0][c] + i / along * m->lattice[1][c];
      add(g, &m->kind[m->kind_of[e]], &at, 0);
    }
}

// fine enough for their number
static pl_status make_meshes(gathering *g) {
  int along = POINTS / (10 * g->n);
  along = along > 48 ? 48 : along < 16 ? 16 : along;
  for (int k = 0; k < g->nshape; k++) {
    // knots need more points than rings
    int wind = g->shape[k]->piece[0].kind == PL_PIECE_CURVE ? 2 : 1;
    PL_TRY(pl_mail_element_mesh(g->m->env, g->shape[k], wind * along, along > 24 ? 12 : 8,
                                &g->mesh[k]));
  }
  return PL_OK;
}

// What was gathered, which is freed; NULL: there is nothing, or no memory.
static json_t *gathered(gathering *g) {
  json_t *out = NULL;
  if (g->n > 0 && make_meshes(g) == PL_OK) {
    const pl_solids s = {
        .nmesh = g->nshape, .n = g->n, .mesh = (const pl_mesh *const *)g->mesh, .solid = g->solid};
    out = part_solids(g->m->s, g->m->group, &s);
  }
  for (int k = 0; k < g->nshape; k++) pl_mesh_free(g->mesh[k]);
  pl_free(g->m->env, g->solid);
  return out;
}

json_t *model_solids(const making *m) {
  const pl_scene *sc = m->scene;
  gathering g = {.m = m};
  int n = count_elements(sc);
  if (n == 0) return json_null();
  g.solid = pl_alloc(m->env, (size_t)n, sizeof *g.solid);
  if (!g.solid) return NULL;
  for (int k = 0; k < sc->npatch; k++) add_patch(&g, &sc->patch[k].p);
  for (int k = 0; sc->npatch == 0 && k < sc->nmail; k++) add_cells(&g, sc->mail[k].m, CELLS);
  return gathered(&g);
}

// ---- materials ----------------------------------------------------------------------------------

static json_t *material(const making *m, const pl_scene_mail *mail) {
  gathering g = {.m = m};
  json_t *lattice = json_array();
  g.solid = pl_alloc(m->env, (size_t)mail->m->nelem, sizeof *g.solid);
  if (g.solid) add_cells(&g, mail->m, 1);
  json_t *out = gathered(&g);
  for (int k = 0; k < 2; k++) json_array_append_new(lattice, part_reals(2, mail->m->lattice[k]));
  if (out) {
    part_set(out, "name", part_words(mail->name));
    part_set(out, "lattice", json_incref(lattice));
  }
  json_decref(lattice);
  return out;
}

json_t *model_materials(const making *m) {
  json_t *all = json_array();
  for (int k = 0; k < m->scene->nmail; k++) {
    json_t *one = material(m, &m->scene->mail[k]);
    if (one) json_array_append_new(all, one);
  }
  return all;
}
