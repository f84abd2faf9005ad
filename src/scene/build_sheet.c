// Sheets of interlocking materials: shells that stay within the limits of a .material file.
#include "build_body.h"

#include "pliant/math.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// soft, so that limits and weight decide (Tang et al. 2023)
static const double YOUNG = 1250, POISSON = 0.4, DENSITY = 250;
// of the barrier, over Young's modulus times thickness: where paths of weights end
static const double WEIGHT = 1e-6;

static int read_material(reader *r, const geometry_def *g, pl_sheet_material *out) {
  char path[4096];
  return scene_file(r, g->interlocking.at, "interlocking", path, sizeof path) &&
         worked(r, pl_sheet_material_read(r->env, path, out));
}

// the scene's elasticity, or one that hardly matters
static int fill_elasticity(reader *r, const geometry_def *g, const pl_sheet_material *m,
                           pl_body_desc *d) {
  double thickness = g->thickness.at ? g->thickness.v : m->thickness;
  d->thickness = (pl_value){.v = thickness};
  d->young = (pl_value){.v = YOUNG};
  d->poisson = (pl_value){.v = POISSON};
  d->density = (pl_value){.v = m->mass > 0 ? m->mass / thickness : DENSITY};
  if (!g->material.at) return 1;
  const material_def *own = find_material(r, &g->material);
  if (!own) return 0;
  d->young = value_of(&own->young);
  d->poisson = value_of(&own->poisson);
  d->density = value_of(&own->density);
  return 1;
}

static void add_limit(reader *r, const body_slot *b, const pl_boundary *of, double weight,
                      int (*build)(pl_builder *, int, const pl_star *, double)) {
  pl_star *set;
  if (!worked(r, pl_boundary_star(r->env, of, &set))) return;
  if (build(r->b, b->number, set, weight) >= 0) return;
  pl_star_free(set);
  r->failed = r->b->failed;
}

static void add_sheet(reader *r, body_slot *b, const geometry_def *g, const pl_sheet_material *m) {
  static const pl_variant variant[] = {PL_VARIANT_SIN, PL_VARIANT_TAN, PL_VARIANT_THETA};
  pl_body_desc d = {.kind = PL_BODY_SHELL,
                    .consistent = g->mass.v != 0,
                    .bending = shell_bending(r, g),
                    .variant = variant[g->variant.v]};
  if (g->limit || g->regions.n > 0) {
    problem(r, g->interlocking.at, "leave out one of both",
            "shell '%.60s': limits of stretch do not go with an interlocking material",
            b->def->name.s);
    return;
  }
  if (d.bending == PL_BENDING_SHELL6) {
    problem(r, g->bending.at, "leave bending out: hinges are taken",
            "shell '%.60s': interlocking materials need triangles of first order, not bending: "
            "shell6",
            b->def->name.s);
    return;
  }
  if (!fill_elasticity(r, g, m, &d)) return;
  read_warp(r, g, d.warp);
  add_body(r, b, &d);
  if (r->failed) return;
  double weight = WEIGHT * d.young.v * d.thickness.v;
  add_limit(r, b, &m->membrane, weight, pl_build_strain_limit);
  if (!r->failed && m->bending.n > 0) add_limit(r, b, &m->bending, weight, pl_build_bend_limit);
}

void build_mail_sheet(reader *r, body_slot *b, const geometry_def *g) {
  pl_sheet_material m = {0};
  if (read_material(r, g, &m)) add_sheet(r, b, g, &m);
  pl_sheet_material_free(r->env, &m);
}

void check_mail_sheets(reader *r, const pl_scene *s) {
  const pl_node *at = NULL;
  for (int k = 0; k < r->nbody && !at; k++)
    if (r->body[k].def->shell) at = r->body[k].def->shell->interlocking.at;
  for (int k = 0; at && k < s->nanalysis; k++) {
    const pl_analysis *a = &s->analysis[k];
    if (a->kind != PL_ANALYSIS_static && a->kind != PL_ANALYSIS_transient &&
        a->kind != PL_ANALYSIS_drape && a->kind != PL_ANALYSIS_limits &&
        a->kind != PL_ANALYSIS_native && a->kind != PL_ANALYSIS_macro)
      problem_at(r, r->file, a->line, a->col, "use static, drape or transient",
                 "%s does not know sheets of interlocking materials",
                 pl_analysis_table[a->kind].name);
  }
}

// of which material a patch is
static int patch_material(const reader *r, int patch) {
  const patch_def *p = r->def.patches.item;
  const mail_def *m = r->def.interlocking.item;
  for (int k = 0; p[patch].of.at && k < r->def.interlocking.n; k++)
    if (strcmp(mail_name(&m[k]), p[patch].of.s) == 0) return k;
  return 0;
}

// limits of another shape are those of another material, whatever it is called
static void check_shape(reader *r, const pl_scene *s, const analysis_def *own,
                        const pl_sheet_material *m) {
  static const char again[] = "make the file anew by limits with boundary of '%.60s'";
  char hint[PL_TEXT];
  const pl_node *at = own->material.at;
  if (own->a.patch < 0 || own->a.patch >= s->npatch) return;
  const pl_scene_mail *mail = &s->mail[s->patch[own->a.patch].mail];
  if (!mail->m) return;
  snprintf(hint, sizeof hint, again, mail->name);
  if (!m->fingerprint)
    warning(r, at, hint,
            "material: the file, of a material '%.60s', does not tell the shape of its elements: "
            "whether it is that of '%.60s' is not known",
            m->name, mail->name);
  else if (m->fingerprint != pl_mail_fingerprint(mail->m))
    problem(r, at, hint,
            "material: the file has the limits of another material, '%.60s' (%016" PRIx64
            "), not of '%.60s' (%016" PRIx64 ")",
            m->name, m->fingerprint, mail->name, pl_mail_fingerprint(mail->m));
}

void find_sheet_material(reader *r, const pl_scene *s, analysis_def *d, int n) {
  analysis_def *own = &d[n];
  char path[4096];
  pl_sheet_material m;
  own->a.limits = -1;
  if (own->material.at) {
    if (!scene_file(r, own->material.at, "material", path, sizeof path) ||
        !worked(r, pl_sheet_material_read(r->env, path, &m)))
      return;
    check_shape(r, s, own, &m);
    pl_sheet_material_free(r->env, &m);
    own->a.material = scene_strdup(r, path, strlen(path));
    return;
  }
  for (int k = 0; k < n && r->def.patches.n > 0; k++)
    if (d[k].a.kind == PL_ANALYSIS_limits && d[k].a.opts.limits_.boundary > 0 &&
        d[k].a.mail == patch_material(r, own->a.patch))
      own->a.limits = k;
  if (own->a.limits < 0 && r->def.patches.n > 0)
    problem(r, own->at, "e.g. analyses: [limits: {boundary: 4, patch_boundary: 3}, macro: {}]",
            "macro: no 'material' is given, and no 'limits' with 'boundary' of the patch's "
            "material is before it");
}
