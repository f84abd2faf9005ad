#include "scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What `pliant check` tells: the scene as it was understood, in SI and in units that read well.

// ---- counts -----------------------------------------------------------------------------------

void pl_scene_count(const pl_scene *s, pl_scene_counts *out) {
  *out = (pl_scene_counts){.nodes = s->mesh->nvert,
                           .dofs = pl_model_nq(s->model),
                           .free_dofs = pl_model_nfree(s->model)};
  for (int g = 0; g < pl_model_ngroup(s->model); g++)
    for (int k = 0; k < PL_ELEM_COUNT; k++)
      if (pl_model_group_kind(s->model, g) == pl_elem_table[k])
        out->elements[k] += pl_model_group_size(s->model, g);

  // one direction of every node counts each mass once; angles of rods have none
  const pl_csc *M = &s->params->M;
  int nodes = pl_model_nnode(s->model) * s->dim;
  for (pl_entry e = {.k = -1}; pl_csc_next(M, &e);) {
    if (e.i % s->dim != 0 || e.j % s->dim != 0 || e.i >= nodes || e.j >= nodes) continue;
    out->mass += (e.i == e.j ? 1 : 2) * M->val[e.k];
  }
  for (int g = 0; g < pl_model_ngroup(s->model); g++) {
    const pl_elem_kind *kind = pl_model_group_kind(s->model, g);
    if (kind != pl_elem_table[PL_ELEM_point] && kind != pl_elem_table[PL_ELEM_mass1]) continue;
    for (int e = 0; e < pl_model_group_size(s->model, g); e++, out->point_masses++)
      out->point_mass += pl_model_group_par(s->model, s->params, g, e)[0];
  }
  pl_mesh_bounds(s->mesh, out->lo, out->hi);
}

int pl_drive_size(const pl_scene *s, const pl_drive_desc *d, int *nnode) {
  int n = 0;
  *nnode = 0;
  // copies of nodes that clamps carry do not count
  for (int i = 0; i < d->nnode; i++) *nnode += d->node[i] < s->mesh->nvert;
  for (int c = 0; c < s->dim; c++) n += d->mask >> c & 1;
  return n * *nnode;
}

const char *pl_group_quote(const char *name, char *out, size_t size) {
  int plain = name[0] != 0;
  for (const char *p = name; *p; p++)
    plain &= (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
             *p == '_' || *p == '-' || *p == '.';
  const char *q = plain ? "" : strchr(name, '"') ? "'" : "\"";
  snprintf(out, size, "%s%s%s", q, name, q);
  return out;
}

// ---- words ------------------------------------------------------------------------------------

// a value of a dimension given by an SI unit
static void put(pl_text *out, const char *si, double value) {
  char text[128];
  unit u = {.factor = 1};
  if (si[0]) unit_parse(si, strlen(si), &u);
  unit_show(&u.dim, value, text, sizeof text);
  pl_text_add(out, "%s", text);
}

static void put_vector(pl_text *out, int n, const double *v, const char *si) {
  double size = 0;
  pl_text_add(out, "[");
  for (int c = 0; c < n; c++) {
    pl_text_add(out, "%s%.6g", c ? ", " : "", v[c]);
    size = hypot(size, v[c]);
  }
  pl_text_add(out, "] %s, size ", si);
  put(out, si, size);
}

static void put_axes(pl_text *out, int dim, int mask) {
  for (int c = 0; c < dim; c++)
    if (mask >> c & 1) pl_text_add(out, " %c", "xyz"[c]);
}

static void describe_bodies(const pl_scene *s, pl_text *out) {
  char name[300];
  for (int k = 0; k < s->nmaterial; k++) {
    const pl_scene_material *m = &s->material[k];
    pl_text_add(out, "material   %s: young ", m->name);
    put(out, "Pa", m->young);
    pl_text_add(out, ", poisson %.6g, density ", m->poisson);
    put(out, "kg/m^3", m->density);
    pl_text_add(out, ", %s\n", m->law);
  }
  for (int k = 0; k < s->nbody; k++) {
    const pl_scene_body *b = &s->body[k];
    pl_text_add(out, "body       %s: %s with %d %s", b->name, b->kind, b->n,
                pl_plural(b->n, "node", "nodes"));
    if (b->npiece > 1) pl_text_add(out, " in %d pieces", b->npiece);
    pl_text_add(out, "\n");
    describe_voxels(b, out);
    for (int i = 0; i < b->ngroup; i++)
      pl_text_add(out, "group      %s group %s: %d %s\n", b->name,
                  pl_group_quote(b->group[i].name, name, sizeof name), b->group[i].n,
                  pl_plural(b->group[i].n, "node", "nodes"));
  }
  for (int k = 0; k < s->nset; k++)
    pl_text_add(out, "set        %s: %d %s\n", s->set[k].name, s->set[k].n,
                pl_plural(s->set[k].n, "node", "nodes"));
}

static void put_term(pl_text *out, int dim, const pl_drive_desc *d, const pl_term *t) {
  if (d->kind == PL_DRIVE_ROTATION) {
    pl_text_add(out, ", rotation ");
    put(out, "rad", t->amplitude[0]);
  } else {
    pl_text_add(out, ", translation ");
    put_vector(out, dim, t->amplitude, "m");
  }
  if (t->harmonic)
    pl_text_add(out, ", harmonic %d", t->harmonic);
  else
    pl_text_add(out, ", constant");
}

void pl_scene_describe_drive(const pl_scene *s, int drive, pl_text *out) {
  const pl_drive_desc *d = &s->drive[drive];
  int nnode, ndof = pl_drive_size(s, d, &nnode);
  if (nnode == 0 && d->nscal > 0) {
    pl_text_add(out, "%d %s", d->nscal, pl_plural(d->nscal, "angle", "angles"));
    return;
  }
  pl_text_add(out, "%d %s,", nnode, pl_plural(nnode, "node", "nodes"));
  put_axes(out, s->dim, d->mask);
  pl_text_add(out, " (%d %s)", ndof, pl_plural(ndof, "unknown", "unknowns"));
  for (int i = 0; i < d->nterm && i < 4; i++) put_term(out, s->dim, d, &d->term[i]);
  if (d->nterm > 4)
    pl_text_add(out, " and %d %s", d->nterm - 4,
                pl_plural(d->nterm - 4, "more term", "more terms"));
}

static void describe_drives(const pl_scene *s, pl_text *out) {
  for (int k = 0; k < s->ndrive; k++) {
    const pl_drive_desc *d = &s->drive[k];
    pl_text_add(out, d->nterm ? "drive      " : "fixed      ");
    if (d->name && strcmp(d->name, "fixed") != 0) pl_text_add(out, "%s: ", d->name);
    pl_scene_describe_drive(s, k, out);
    pl_text_add(out, "\n");
  }
}

void pl_scene_describe_load(const pl_scene *s, int load, pl_text *out) {
  const pl_load_desc *d = &s->load[load];
  const pl_load_form *form = &s->load_form[load];
  double total[3], sum = form->share ? 0 : d->nnode;
  for (int i = 0; form->share && i < d->nnode; i++) sum += form->share[i];
  for (int c = 0; c < 3; c++) total[c] = sum * d->term.amplitude[c];
  pl_text_add(out, "%d %s, total ", d->nnode, pl_plural(d->nnode, "node", "nodes"));
  put_vector(out, s->dim, total, "N");
  if (d->term.harmonic)
    pl_text_add(out, ", harmonic %d", d->term.harmonic);
  else
    pl_text_add(out, form->over ? ", over time" : ", constant");
}

static void describe_loads(const pl_scene *s, pl_text *out) {
  double size = hypot(hypot(s->gravity[0], s->gravity[1]), s->gravity[2]);
  for (int k = 0; k < s->nload; k++) {
    if (s->load_form[k].inertial) continue;
    pl_text_add(out, "load       ");
    if (s->load[k].name) pl_text_add(out, "%s: ", s->load[k].name);
    pl_scene_describe_load(s, k, out);
    pl_text_add(out, "\n");
  }
  for (int k = 0; k < s->nload_note; k++) pl_text_add(out, "%s\n", s->load_note[k]);
  if (size == 0) return;
  pl_text_add(out, "gravity    ");
  put_vector(out, s->dim, s->gravity, "m/s^2");
  pl_text_add(out, "\n");
}

static void describe_contact(const pl_scene *s, pl_text *out) {
  for (int k = 0; k < s->contact.nobstacle; k++)
    pl_text_add(out, "obstacle   %s, friction %.6g\n", s->obstacle_name[k],
                s->contact.obstacle[k].mu);
  if (s->contact.nnode)
    pl_text_add(out, "contact    %d %s\n", s->contact.nnode,
                pl_plural(s->contact.nnode, "node", "nodes"));
  if (s->layers.ntri > 0)
    pl_text_add(out, "layers     %d %s, %.6g m thick, friction %.6g\n", s->layers.ntri,
                pl_plural(s->layers.ntri, "triangle", "triangles"), s->layers.thickness,
                s->layers.mu);
  if (s->layers.nrod > 0)
    pl_text_add(out, "layers     %d %s of rods, friction %.6g\n", s->layers.nrod,
                pl_plural(s->layers.nrod, "segment", "segments"), s->layers.mu);
  for (int k = 0; k < s->sheet.nlimit; k++)
    pl_text_add(out, "limit      %s: %s\n", s->limit_note[k].name, s->limit_note[k].text);
}

static void describe_parameters(const pl_scene *s, pl_text *out) {
  for (int k = 0; k < pl_model_ndesign(s->model); k++) {
    const pl_design_desc *d = pl_model_design(s->model, k);
    const param_def *p = &s->impl->param[k];
    // those of elements are told once
    if (p->nslot && p->slot > 0) continue;
    pl_text_add(out, "parameter  %s = %.6g %s", d->name, d->value, d->unit);
    if (p->nslot)
      pl_text_add(out, " and so on for %d %s", p->nslot,
                  pl_plural(p->nslot, "element", "elements"));
    if (isfinite(d->min)) pl_text_add(out, ", min %.6g", d->min);
    if (isfinite(d->max)) pl_text_add(out, ", max %.6g", d->max);
    pl_text_add(out, " (acts in %d %s)\n", d->ntarget, pl_plural(d->ntarget, "place", "places"));
  }
}

// with what was given in units
static void describe_analysis(const pl_scene *s, const pl_analysis *a, pl_text *out) {
  const pl_analysis_kind *kind = &pl_analysis_table[a->kind];
  pl_text_add(out, "analysis   %s", a->name);
  if (strcmp(a->name, kind->name) != 0) pl_text_add(out, " (%s)", kind->name);
  if (a->about >= 0) pl_text_add(out, ", about %s", s->analysis[a->about].name);
  for (int i = 0; i < *kind->noption; i++) {
    const pl_option *o = &kind->option[i];
    if (o->type != PL_OPT_REAL || !o->unit[0]) continue;
    double v = *(const double *)(const void *)((const char *)&a->opts + o->offset);
    if (v == o->value) continue;
    pl_text_add(out, ", %s ", o->name);
    put(out, o->unit, v);
  }
  pl_text_add(out, "\n");
}

enum { LINKS_LISTED = 12 };

// gaps that close and wires that break in a printer
static void describe_print(const pl_scene_mail *m, pl_text *out) {
  double least = m->printable_gap, wire = 2 * pl_mail_thinnest(m->m);
  if (!(least > 0)) return;
  pl_text_add(out, "           ");
  if (m->gap >= least && wire >= least)
    pl_text_add(out, "printable where gaps of %.3g mm stay open; thinnest wire %.3g mm\n",
                1e3 * least, 1e3 * wire);
  else if (m->gap < least)
    pl_text_add(
        out,
        "not printable where gaps below %.3g mm (printable_gap) close: there is one of %.3g mm\n",
        1e3 * least, 1e3 * m->gap);
  else
    pl_text_add(out,
                "not printable: the thinnest wire, %.3g mm, is below %.3g mm (printable_gap)\n",
                1e3 * wire, 1e3 * least);
}

static void describe_mail(const pl_scene_mail *m, pl_text *out) {
  const double(*L)[2] = m->m->lattice;
  pl_text_add(out, "material   %s: %s, %d %s in a cell of ", m->name, m->family, m->m->nelem,
              pl_plural(m->m->nelem, "element", "elements"));
  put(out, "m", hypot(L[0][0], L[0][1]));
  pl_text_add(out, " by ");
  put(out, "m", hypot(L[1][0], L[1][1]));
  pl_text_add(out, ", each linked with %d ", m->links);
  if (m->most_links > m->links) pl_text_add(out, "to %d ", m->most_links);
  pl_text_add(out, "others, smallest gap ");
  put(out, "m", m->gap);
  pl_text_add(out, "\n           linking numbers");
  for (int k = 0; k < m->nlink && k < LINKS_LISTED; k++) {
    const pl_mail_link *l = &m->link[k];
    pl_text_add(out, "%s %d-%d(%d, %d) %+d", k ? "," : "", l->elem[0] + 1, l->elem[1] + 1,
                l->cell[0], l->cell[1], l->number);
  }
  if (m->nlink > LINKS_LISTED) pl_text_add(out, " and %d more", m->nlink - LINKS_LISTED);
  pl_text_add(
      out, "\n           %.4g kg/m^2 at %.4g kg/m^3%s: elements of a cell have %s%.4g mm^3\n",
      m->density * m->volume / m->area, m->density, m->density == 1010 ? " (polyamide 12)" : "",
      m->volume_is_upper ? "at most " : "", 1e9 * m->volume);
  describe_print(m, out);
}

static void describe_patch(const pl_scene *s, const pl_scene_patch *p, pl_text *out) {
  pl_text_add(out, "patch      %s: %d %s of %s, ", p->name, p->p.n,
              pl_plural(p->p.n, "element", "elements"), s->mail[p->mail].name);
  put(out, "kg", p->mass);
  pl_text_add(out, ", %d held, %d loaded\n", p->nheld, p->nloaded);
}

void pl_scene_describe(const pl_scene *s, pl_text *out) {
  pl_scene_counts c;
  pl_scene_count(s, &c);
  if (s->title[0]) pl_text_add(out, "title      %s\n", s->title);
  for (int k = 0; k < s->nmail; k++) describe_mail(&s->mail[k], out);
  for (int k = 0; k < s->npatch; k++) describe_patch(s, &s->patch[k], out);
  if (c.nodes == 0) {
    for (int k = 0; k < s->nanalysis; k++) describe_analysis(s, &s->analysis[k], out);
    return;
  }
  pl_text_add(out, "dimension  %d\nnodes      %d\nunknowns   %d, of which %d are free\n", s->dim,
              c.nodes, c.dofs, c.free_dofs);
  pl_text_add(out, "size       %.4g x %.4g x %.4g m\nmass       ", c.hi[0] - c.lo[0],
              c.hi[1] - c.lo[1], c.hi[2] - c.lo[2]);
  put(out, "kg", c.mass);
  if (c.point_masses) {
    pl_text_add(out, ", of which ");
    put(out, "kg", c.point_mass);
    pl_text_add(out, " on %d %s", c.point_masses, pl_plural(c.point_masses, "node", "nodes"));
  }
  pl_text_add(out, "\n");
  for (int k = 0; k < PL_ELEM_COUNT; k++)
    if (c.elements[k])
      pl_text_add(out, "elements   %d %s (%s)\n", c.elements[k], pl_elem_table[k]->name,
                  pl_elem_table[k]->text);
  describe_bodies(s, out);
  describe_quality(s, out);
  describe_drives(s, out);
  describe_loads(s, out);
  describe_contact(s, out);
  describe_parameters(s, out);
  for (int k = 0; k < s->nanalysis; k++) describe_analysis(s, &s->analysis[k], out);
}
