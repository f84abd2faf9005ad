#include "build_body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What an engineer would wonder about. Warnings only.

static void bare_hint(const reader *r, const num *v, const char *si, const char *sane, char *out,
                      size_t size) {
  unit u;
  double ignored;
  unit_parse(si, strlen(si), &u);
  double factor = unit_scale_of(&r->scale, &u.dim);
  int bare = v->at && v->at->text[number_scan(v->at->text, &ignored)] == 0;
  if (bare)
    snprintf(out, size, "%s; a bare number here is in units of %.3g %s", sane, factor, si);
  else
    snprintf(out, size, "%s", sane);
}

static void check_material(reader *r, const material_def *m) {
  char hint[PL_TEXT];
  if (m->density.v != 0 && (m->density.v < 0.5 || m->density.v > 30000)) {
    bare_hint(r, &m->density, "kg/m^3", "water has 1000 kg/m^3, steel 7850", hint, sizeof hint);
    warning(r, m->density.at ? m->density.at : m->name.at, hint,
            "material '%s': a density of %.3g kg/m^3 looks like a wrong unit", m->name.s,
            m->density.v);
  }
  if (m->young.v != 0 && (m->young.v < 100 || m->young.v > 2e12)) {
    bare_hint(r, &m->young, "Pa", "soft rubber has about 1 MPa, steel 210 GPa", hint, sizeof hint);
    warning(r, m->young.at ? m->young.at : m->name.at, hint,
            "material '%s': a Young's modulus of %.3g Pa looks like a wrong unit", m->name.s,
            m->young.v);
  }
}

static void check_body(reader *r, const body_slot *b) {
  double lo[3], hi[3], size = 0;
  pl_mesh_bounds(b->mesh, lo, hi);
  for (int c = 0; c < 3; c++) size = fmax(size, hi[c] - lo[c]);
  const char *hint = "mesh files are read in the scene's length unit; see units and mesh_units";
  if (size > 1000 || size < 1e-6)
    warning(r, b->at, hint, "body '%s' is %.3g m large; this looks like a wrong unit",
            b->def->name.s, size);
  const geometry_def *g = b->def->shell;
  if (g && g->thickness.v > 0.5 * size)
    warning(r, g->thickness.at, NULL, "shell '%s': a thickness of %.3g m at a size of %.3g m",
            b->def->name.s, g->thickness.v, size);
  if (!b->rod) return;
  double wide = fmax(b->rod->value[PAR_WIDTH].v, b->rod->value[PAR_HEIGHT].v);
  if (wide > 0.5 * size)
    warning(r, b->at, NULL, "rod '%s': a section of %.3g m at a size of %.3g m", b->def->name.s,
            wide, size);
}

// 9.81 written without its unit in a scene of millimetres
static void check_gravity(reader *r) {
  double size = sqrt(r->gravity[0] * r->gravity[0] + r->gravity[1] * r->gravity[1] +
                     r->gravity[2] * r->gravity[2]);
  if (size == 0 || (size > 0.5 && size < 500)) return;
  for (int c = 0; c < 3; c++) {
    const num *v = &r->def.gravity.v[c];
    if (v->v == 0 || !v->at) continue;
    char hint[PL_TEXT];
    bare_hint(r, v, "m/s^2", "the earth has 9.81 m/s^2", hint, sizeof hint);
    warning(r, v->at, hint, "gravity of %.3g m/s^2 looks like a wrong unit", size);
    return;
  }
}

// degrees written as radians
static void check_drives(reader *r) {
  for (int k = 0; k < r->ndrive; k++)
    for (int i = 0; i < r->drive[k].nterm; i++)
      if (r->drive[k].kind == PL_DRIVE_ROTATION && fabs(r->drive[k].term[i].amplitude[0]) > 7)
        warning(r, NULL, "write e.g. 20 deg; a bare number is in the scene's unit of angle",
                "drive %d: a rotation by %.3g rad is more than a turn", k + 1,
                r->drive[k].term[i].amplitude[0]);
}

static void check_nodes(reader *r) {
  if (r->dim == 1) return;
  // named nodes and joints at one place
  for (int i = 0; i < r->nnode && i < 2000; i++)
    for (int j = 0; r->label[i] && j < i; j++)
      if (r->label[j] && memcmp(r->X + 3 * i, r->X + 3 * j, 3 * sizeof *r->X) == 0) {
        const name_entry *e = name_find(&r->names, r->label[i]);
        warning(r, e->at, NULL, "nodes '%s' and '%s' are at one place", r->label[j], r->label[i]);
        return;
      }
}

void check_plausible(reader *r) {
  warn_bare(r);
  const material_def *m = r->def.materials.item;
  for (int k = 0; k < r->def.materials.n; k++) check_material(r, &m[k]);
  for (int k = 0; k < r->nbody; k++) check_body(r, &r->body[k]);
  const param_def *p = r->def.parameters.item;
  for (int k = 0; k < r->def.parameters.n; k++)
    if (!p[k].used) warning(r, p[k].name.at, NULL, "parameter '%s' is used nowhere", p[k].name.s);
  if (r->weakest_at && r->weakest_link < 100 * r->stiffest)
    warning(r, r->weakest_at, "links stand for rigid bars: make them at least 100 times stiffer",
            "the stiffness of a link (%.3g N/m) is close to that of the springs (%.3g N/m)",
            r->weakest_link, r->stiffest);
  check_gravity(r);
  check_drives(r);
  check_nodes(r);
}
