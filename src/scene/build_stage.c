// Loads and supports of one analysis after another: each changes those of the one it is about.
#include "scene_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// a stage that is being made
typedef struct making {
  double *load, *drive;
  char *off, *hold;
  pl_stage *s;
} making;

// as the scene has it, or a copy
static int stage_make(reader *r, const pl_stage *from, making *m) {
  int nload = r->b->nload, ndrive = r->b->ndrive;
  m->load = scene_alloc(r, (size_t)nload + 1, sizeof *m->load);
  m->drive = scene_alloc(r, (size_t)ndrive + 1, sizeof *m->drive);
  m->off = scene_alloc(r, (size_t)ndrive + 1, 1);
  m->hold = scene_alloc(r, (size_t)ndrive + 1, 1);
  m->s = scene_alloc(r, 1, sizeof *m->s);
  if (!m->load || !m->drive || !m->off || !m->hold || !m->s) return 0;
  *m->s = (pl_stage){.load = m->load,
                     .drive = m->drive,
                     .off = m->off,
                     .hold = m->hold,
                     .gravity = from ? from->gravity : 1};
  for (int k = 0; k < nload; k++) m->load[k] = from ? from->load[k] : 1;
  for (int k = 0; k < ndrive; k++) {
    m->drive[k] = from ? from->drive[k] : 1;
    m->off[k] = from ? from->off[k] : (char)r->b->drive[k].off;
    m->hold[k] = from ? from->hold[k] : 0;
  }
  return 1;
}

static int is_named(const char *name, const char *want) {
  return name && strcmp(name, want) == 0;
}

static int is_motion(const pl_drive_desc *d) {
  return d->kind != PL_DRIVE_AMPLITUDE;
}

static int holds(const pl_drive_desc *d, int node) {
  for (int i = 0; i < d->nnode; i++)
    if (d->node[i] == node) return 1;
  return 0;
}

// the potential of a pressure knows what holds the boundary of its faces
static int bears_pressure(const reader *r, const pl_drive_desc *d) {
  for (int g = 0; g < r->b->ngroup; g++) {
    const pl_group_desc *p = &r->b->group[g];
    int nv = p->kind->nvert;
    if (p->kind != pl_elem_table[PL_ELEM_pressure_lid] &&
        p->kind != pl_elem_table[PL_ELEM_pressure_lid3])
      continue;
    for (int e = 0; e < p->nelem; e++)
      for (int i = 0; i < nv; i++)
        if (holds(d, p->stencil[(nv + 1) * e + i])) return 1;
  }
  return 0;
}

// what an entry says of a drive
typedef enum action { ACT_FACTOR, ACT_OFF, ACT_HOLD } action;

// a support that goes or comes; 0: reported
static int check_switch(reader *r, const pl_node *at, int k, action act) {
  const pl_drive_desc *d = &r->b->drive[k];
  if (pl_build_mirrors(r->b, k)) {
    problem(r, at, "model the whole part", "change: '%.60s' is a plane of symmetry, which stays",
            at->key);
    return 0;
  }
  if (act == ACT_OFF && !pl_build_releases(r->b, k)) {
    problem(r, at,
            "bending: shell6, or hold it by a second row of nodes, or by 'fixed' without clamp",
            "change: '%.60s' builds in edges of a shell with bending midedge, which cannot be "
            "released",
            at->key);
    return 0;
  }
  if (act != ACT_OFF && !pl_build_grips(r->b, k)) {
    problem(r, at, "let it hold places alone, or from the begin",
            "change: '%.60s' holds directions of rods, joins or midedge shells, and these cannot "
            "be taken hold of later",
            at->key);
    return 0;
  }
  if (act == ACT_OFF && bears_pressure(r, d)) {
    problem(r, at, "end the faces of the pressure elsewhere",
            "change: '%.60s' holds the border of faces under pressure, and cannot be released",
            at->key);
    return 0;
  }
  return 1;
}

static void switch_drive(reader *r, const pl_node *at, int k, action act, double factor,
                         making *m) {
  const pl_drive_desc *d = &r->b->drive[k];
  int off = act == ACT_OFF, hold = act == ACT_HOLD;
  // what does not move holds its nodes where they are
  if (hold && !m->off[k] && d->nterm == 0) return;
  if ((m->off[k] != off || hold) && !check_switch(r, at, k, act)) return;
  m->off[k] = (char)off;
  m->hold[k] = (char)hold;
  if (!off) m->drive[k] = hold ? 0 : factor;
}

// what an entry says: a factor, on, off or hold; 0: reported
static int read_entry(reader *r, const pl_node *at, double *factor, action *act) {
  const char *text = at->kind == NODE_SCALAR ? at->text : "";
  int off = strcmp(text, "off") == 0 || strcmp(text, "no") == 0, hold = strcmp(text, "hold") == 0;
  *act = off ? ACT_OFF : hold ? ACT_HOLD : ACT_FACTOR;
  *factor = off ? 0 : 1;
  if (off || hold || strcmp(text, "on") == 0 || strcmp(text, "yes") == 0) return 1;
  num v;
  if (at->kind != NODE_SCALAR || isalpha((unsigned char)*text)) {
    problem(r, at, "e.g. {pull: 0.5, clip: off}",
            "change: '%.60s' takes a factor, on, off or hold%s%.60s%s", at->key,
            *text ? ", got '" : "", text, *text ? "'" : "");
    return 0;
  }
  if (!read_num(r, at, at->key, "", &v)) return 0;
  if (v.par >= 0) {
    problem(r, at, "make the load itself follow it", "change: factors follow no parameter");
    return 0;
  }
  *factor = v.v;
  return 1;
}

static int names_one(const pl_node *first, const char *name) {
  for (const pl_node *e = first; e; e = e->next) {
    const pl_node *at = e->kind == NODE_MAP ? node_get(e, "name") : e;
    if (at && at->kind == NODE_SCALAR && strcmp(at->text, name) == 0) return 1;
  }
  return 0;
}

// one that is there but wrong was reported already
static int was_reported(const reader *r, const char *name) {
  const pl_node *fixed = r->def.fixed;
  if (r->nproblem == 0) return 0;
  return names_one(items_first(&r->def.drives), name) ||
         names_one(items_first(&r->def.loads), name) ||
         (fixed && names_one(fixed->kind == NODE_LIST ? fixed->first : fixed, name));
}

static void unknown_name(reader *r, const pl_node *at) {
  const char *names[64] = {"gravity"};
  char hint[PL_TEXT], buf[MESSAGE_QUOTE + 8];
  int n = 1;
  for (int k = 0; k < r->b->ndrive && n < COUNT(names); k++)
    if (r->b->drive[k].name && strcmp(r->b->drive[k].name, "spin") != 0)
      names[n++] = r->b->drive[k].name;
  for (int k = 0; k < r->b->nload && n < COUNT(names); k++)
    if (r->b->load[k].name) names[n++] = r->b->load[k].name;
  pl_name_hint(at->key, n, names, hint, sizeof hint);
  problem_key(r, at, hint, "change: no load, drive or support is called '%s'",
              quote(at->key, buf, sizeof buf));
}

static void apply(reader *r, const pl_node *at, making *m) {
  double factor;
  action act;
  int found = strcmp(at->key, "gravity") == 0, load = found;
  if (at->twice || !read_entry(r, at, &factor, &act)) return;
  if (found) m->s->gravity = factor;
  for (int k = 0; k < r->b->nload; k++)
    if (is_named(r->b->load[k].name, at->key)) {
      m->load[k] = factor;
      found = load = 1;
    }
  for (int k = 0; k < r->b->ndrive; k++) {
    const pl_drive_desc *d = &r->b->drive[k];
    if (!is_named(d->name, at->key)) continue;
    found = 1;
    if (is_motion(d))
      switch_drive(r, at, k, act, factor, m);
    else
      m->drive[k] = factor;
    load |= !is_motion(d);
  }
  if (!found && !was_reported(r, at->key)) unknown_name(r, at);
  if (load && act == ACT_HOLD)
    problem(r, at, "a load keeps its value when it is not named",
            "change: '%.60s' is a load; hold is for drives and supports", at->key);
}

// no place is driven twice
static void check_once(reader *r, const pl_node *at, const making *m) {
  int dim = r->b->dim;
  char *owner = scene_alloc(r, (size_t)r->b->nnode + (size_t)r->b->ncopy + 1, 1), buf[128];
  for (int k = 0; owner && k < r->b->ndrive; k++) {
    const pl_drive_desc *d = &r->b->drive[k];
    int mask = d->kind == PL_DRIVE_ROTATION ? (1 << dim) - 1 : d->mask;
    for (int i = 0; i < d->nnode && !m->off[k]; i++) {
      if (owner[d->node[i]] & mask) {
        problem(r, at, "switch the other one off",
                "change: '%.60s' drives %s, which another drive drives", d->name ? d->name : "",
                pl_build_node_text(r->b, d->node[i], buf, sizeof buf));
        return;
      }
      owner[d->node[i]] |= (char)mask;
    }
  }
}

void build_stage(reader *r, analysis_def *d, int n) {
  pl_analysis *a = &d[n].a;
  const pl_node *at = d[n].change;
  const pl_stage *from = a->about >= 0 ? d[a->about].a.stage : NULL;
  making m;
  a->stage = from;
  if (!at) return;
  if (at->kind != NODE_MAP) {
    problem(r, at, "e.g. change: {pull: 0.5, clip: off}",
            "change must map names of loads, drives and supports to factors");
    return;
  }
  if (a->kind == PL_ANALYSIS_load_path && a->about >= 0) {
    problem(r, at, "change them in the analysis that it is about, or leave out 'about'",
            "path: loads grow from nothing, so that none change on the way");
    return;
  }
  if (!stage_make(r, from, &m)) return;
  for (const pl_node *e = at->first; e && !r->failed; e = e->next) apply(r, e, &m);
  check_once(r, at, &m);
  a->stage = m.s;
}
