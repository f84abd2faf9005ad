// Materials: what a law needs, constants from tests, and parts of bodies that are made of them.
#include "build_body.h"
#include "faces.h"
#include "hyper_fit.h"

#include "pliant/math.h"
#include "pliant/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const law_name[] = {"svk",        "neo-hookean", "mooney-rivlin", "yeoh",
                                       "polynomial", "ogden",       "orthotropic"};
static const char *const c_name[6] = {"c10", "c01", "c20", "c11", "c02", "c30"};
static const char *const ogden_name[6] = {"mu1", "alpha1", "mu2", "alpha2", "mu3", "alpha3"};
static const char *const test_name[HYPER_KINDS] = {"uniaxial", "biaxial", "planar"};

int is_hyper(const material_def *m) {
  return m->law.v >= LAW_MOONEY_RIVLIN && m->law.v <= LAW_OGDEN;
}

static const num *constants(const material_def *m) {
  return m->law.v == LAW_OGDEN ? m->ogden : m->c;
}

double hyper_shear(const material_def *m) {
  if (m->law.v == LAW_OGDEN) return m->ogden[0].v + m->ogden[2].v + m->ogden[4].v;
  return 2 * (m->c[0].v + m->c[1].v);
}

// constants that a law has, as bits
static int law_mask(const material_def *m) {
  return m->law.v == LAW_MOONEY_RIVLIN ? HYPER_MASK_MOONEY
         : m->law.v == LAW_YEOH        ? HYPER_MASK_YEOH
                                       : HYPER_MASK_ALL;
}

// ---- tests --------------------------------------------------------------------------------------

// a column called a or b, with a unit behind it or without; -1: there is none
static int find_column(const pl_table *t, const char *a, const char *b) {
  for (int k = 0; k < pl_table_cols(t); k++)
    for (int i = 0; i < 2; i++) {
      const char *name = pl_table_name(t, k), *want = i ? b : a;
      size_t n = want ? strlen(want) : 0;
      if (!want || strncmp(name, want, n) != 0) continue;
      char text[UNIT_WORD];
      column_text(t, k, text);
      if (!name[n] || (name[n] == '_' && text[0])) return k;
    }
  return -1;
}

static int fill_test(reader *r, const char *path, const pl_table *t, hyper_test *to) {
  static const char header[] = "the header is e.g. stretch,stress_MPa or strain,stress_MPa";
  int x = find_column(t, "stretch", "strain"), y = find_column(t, "stress", NULL);
  int rows = pl_table_rows(t), cols = pl_table_cols(t);
  double unit_x, unit_y;
  if (x < 0 || y < 0 || rows < 2) {
    problem_at(
        r, path, pl_table_line(t), 0, header,
        "a test needs a column 'stretch' or 'strain', a column 'stress', and 2 or more rows");
    return 0;
  }
  if (!column_unit(r, path, t, x, "", header, &unit_x) ||
      !column_scale(r, path, t, y, "Pa", header, &unit_y))
    return 0;
  int strain = strncmp(pl_table_name(t, x), "strain", 6) == 0;
  double *stretch = scene_alloc(r, (size_t)rows, sizeof *stretch);
  double *stress = scene_alloc(r, (size_t)rows, sizeof *stress);
  if (!stretch || !stress) return 0;
  for (int i = 0; i < rows; i++) {
    stretch[i] = strain + unit_x * pl_table_data(t)[cols * i + x];
    stress[i] = unit_y * pl_table_data(t)[cols * i + y];
    if (stretch[i] > 0 && isfinite(stretch[i]) && isfinite(stress[i])) continue;
    problem_at(r, path, pl_table_line(t) + 1 + i, 0, header,
               "stretches must be > 0 and stresses finite, got %g and %g", stretch[i], stress[i]);
    return 0;
  }
  *to = (hyper_test){.kind = to->kind, .n = rows, .stretch = stretch, .stress = stress};
  return 1;
}

static int read_test(reader *r, const txt *file, hyper_kind kind, hyper_test *to) {
  char path[PL_TEXT];
  pl_table *t;
  to->kind = kind;
  if (!read_csv(r, file->at, test_name[kind], path, &t)) return 0;
  int ok = fill_test(r, path, t, to);
  pl_table_free(t);
  return ok;
}

// the tests of a fit; returns how many, 0: reported
static int read_tests(reader *r, const pl_node *at, fit_def *d, hyper_test *to) {
  if (at->kind == NODE_SCALAR)
    *d = (fit_def){.uniaxial = {at->text, at}, .terms = {1, NULL}};
  else if (!read_map(r, at, &map_fit, d))
    return 0;
  const txt *file[HYPER_KINDS] = {&d->uniaxial, &d->biaxial, &d->planar};
  int n = 0;
  for (int k = 0; k < HYPER_KINDS; k++) {
    if (!file[k]->at) continue;
    if (!read_test(r, file[k], (hyper_kind)k, &to[n])) return 0;
    n++;
  }
  if (n == 0)
    problem(r, at, "e.g. fit: uniaxial.csv", "fit needs a uniaxial, biaxial or planar test");
  return n;
}

static void stretch_range(int ntest, const hyper_test *test, double *lo, double *hi) {
  for (int t = 0; t < ntest; t++)
    for (int i = 0; i < test[t].n; i++) {
      *lo = fmin(*lo, test[t].stretch[i]);
      *hi = fmax(*hi, test[t].stretch[i]);
    }
}

static void report_fit(reader *r, const material_def *m, int ntest, const hyper_test *test,
                       const hyper_fit *f) {
  char text[PL_TEXT] = "";
  const char *const *name = m->law.v == LAW_OGDEN ? ogden_name : c_name;
  int n = 0;
  for (int k = 0; k < 6; k++) {
    if (f->c[k] == 0) continue;
    int pure = m->law.v == LAW_OGDEN && k % 2;
    n += snprintf(text + n, sizeof text - (size_t)n, "%s%s %.6g%s", n ? ", " : "", name[k], f->c[k],
                  pure ? "" : " Pa");
  }
  int rows = 0;
  for (int t = 0; t < ntest; t++) rows += test[t].n;
  note(r, "fit", m->name.s,
       "%s to %d rows: %s; stresses are off by %.4g Pa (rms), %.3g %% of the "
       "largest",
       law_name[m->law.v], rows, text, f->rms, f->most > 0 ? 100 * f->rms / f->most : 0);
}

// its constants; lo, hi: the range of stretches of the tests
static void fit_material(reader *r, material_def *m, double *lo, double *hi) {
  hyper_test test[HYPER_KINDS];
  hyper_fit f;
  fit_def d = {0};
  int n = read_tests(r, m->fit, &d, test), ogden = m->law.v == LAW_OGDEN;
  if (n == 0) return;
  if (d.terms.at && !ogden)
    problem(r, d.terms.at, NULL, "material '%s': terms are those of ogden", m->name.s);
  if (!(ogden ? hyper_fit_ogden(d.terms.v, n, test, &f)
              : hyper_fit_polynomial(law_mask(m), n, test, &f))) {
    problem(r, m->fit,
            m->law.v == LAW_POLYNOMIAL ? "add a biaxial test, or use mooney-rivlin or yeoh"
                                       : "give more rows, over a wider range of stretches",
            "material '%s': the tests do not determine the constants of %s", m->name.s,
            law_name[m->law.v]);
    return;
  }
  for (int k = 0; k < 6; k++)
    (ogden ? m->ogden : m->c)[k] = (num){.v = f.c[k], .par = -1, .at = f.c[k] != 0 ? m->fit : NULL};
  report_fit(r, m, n, test, &f);
  stretch_range(n, test, lo, hi);
}

// ---- laws ---------------------------------------------------------------------------------------

// constants that the law does not know
static void check_foreign(reader *r, const material_def *m) {
  int hyper = is_hyper(m), ogden = m->law.v == LAW_OGDEN, ortho = m->law.v == LAW_ORTHOTROPIC;
  const pl_node *bad = NULL;
  for (int k = 0; k < 6; k++) {
    if (m->c[k].at && (!hyper || ogden || !(law_mask(m) >> k & 1))) bad = m->c[k].at;
    if (m->ogden[k].at && !ogden) bad = m->ogden[k].at;
  }
  for (int k = 0; k < 3; k++) {
    const num *own[] = {&m->along[k], &m->across[k], &m->shear[k]};
    for (int i = 0; i < 3; i++)
      if (own[i]->at && !ortho) bad = own[i]->at;
  }
  if (!hyper && m->bulk.at) bad = m->bulk.at;
  if (!hyper && m->fit) bad = m->fit;
  if ((hyper || ortho) && m->young.at) bad = m->young.at;
  if (ortho && m->poisson.at) bad = m->poisson.at;
  if (bad)
    problem_key(r, bad, "see the keys of each law in docs/materials.md",
                "material '%s': the law %s has no such constant", m->name.s, law_name[m->law.v]);
}

static void check_stability(reader *r, const material_def *m, double lo, double hi) {
  double c[6], stretch;
  hyper_kind kind;
  for (int k = 0; k < 6; k++) c[k] = constants(m)[k].v;
  if (hyper_stable(m->law.v == LAW_OGDEN, c, lo, hi, &stretch, &kind)) return;
  warning(r, m->fit ? m->fit : m->law.at,
          "another law, or constants above zero, stay stable (Drucker)",
          "material '%s': in a %s test its stress falls from stretch %.3g on: it gives way there",
          m->name.s, test_name[kind], stretch);
}

static void check_hyper(reader *r, material_def *m, const pl_node *at) {
  const num *c = constants(m);
  int given = 0, before = r->nproblem;
  double lo = 0.7, hi = 1.5;
  for (int k = 0; k < 6; k++) given += c[k].at != NULL;
  if (m->fit && given) {
    problem(r, m->fit, "leave out one of them", "material '%s' has both a fit and constants",
            m->name.s);
    return;
  }
  if (m->fit) fit_material(r, m, &lo, &hi);
  if (r->nproblem > before || r->failed) return;
  if (!m->fit && !c[0].at) {
    problem(r, at, NULL, "material needs the key '%s', or 'fit'",
            m->law.v == LAW_OGDEN ? ogden_name[0] : c_name[0]);
    return;
  }
  for (int k = 0; m->law.v == LAW_OGDEN && k < 6; k += 2)
    if (c[k].at && !(c[k + 1].v != 0)) {
      problem(r, c[k].at, "e.g. 2, which makes a neo-Hookean term",
              "material '%s': %s needs %s, which is not zero", m->name.s, ogden_name[k],
              ogden_name[k + 1]);
      return;
    }
  if (!(hyper_shear(m) > 0)) {
    problem(r, c[0].at, m->law.v == LAW_OGDEN ? "it is the sum of mu" : "it is 2 (c10 + c01)",
            "material '%s': its shear modulus at rest must be > 0, got %.4g Pa", m->name.s,
            hyper_shear(m));
    return;
  }
  if (m->bulk.at && m->poisson.at)
    problem(r, m->bulk.at, "leave out one of them", "material '%s' has both bulk and poisson",
            m->name.s);
  if (m->poisson.at && m->poisson.par >= 0)
    problem(r, m->poisson.at, "give bulk as the parameter",
            "material '%s': poisson of a hyperelastic law cannot follow a parameter", m->name.s);
  check_stability(r, m, lo, hi);
}

// a stretch along any axis must need work
static void check_ortho(reader *r, const material_def *m, const pl_node *at) {
  static const char *const need[] = {"young1", "young2", "poisson12", "shear12"};
  const num *got[] = {&m->along[0], &m->along[1], &m->across[0], &m->shear[0]};
  for (int k = 0; k < COUNT(need); k++)
    if (!got[k]->at) {
      problem(r, at, NULL, "material needs the key '%s' (orthotropic)", need[k]);
      return;
    }
  double E1 = m->along[0].v, E2 = m->along[1].v, E3 = m->along[2].v;
  double a = m->across[0].v, b = m->across[1].v, c = m->across[2].v;
  int whole = m->along[2].at && m->across[1].at && m->across[2].at;
  double E[3][2] = {{E1, E2}, {E1, E3}, {E2, E3}}, nu[3] = {a, b, c};
  static const char *const name[] = {"poisson12", "poisson13", "poisson23"};
  for (int k = 0; k < (whole ? 3 : 1); k++)
    if (!(E[k][0] > 0 && E[k][1] > 0 && nu[k] * nu[k] < E[k][0] / E[k][1])) {
      problem(r, m->across[k].at,
              "it is the contraction along the second axis when pulled along the first; is it "
              "that of the other way round?",
              "material '%s': %s must be below %.4g in size, the root of the ratio of the Young's "
              "moduli, got %g",
              m->name.s, name[k], sqrt(E[k][0] / E[k][1]), nu[k]);
      return;
    }
  double det = 1 - a * a * E2 / E1 - c * c * E3 / E2 - b * b * E3 / E1 - 2 * a * c * b * E3 / E1;
  if (whole && !(det > 0))
    problem(r, m->across[0].at, "make Poisson's ratios smaller",
            "material '%s': its stiffness is not positive: 1 - n12 n21 - n23 n32 - n13 n31 - 2 n21 "
            "n32 n13 = %.4g must be > 0",
            m->name.s, det);
}

void check_materials(reader *r) {
  material_def *m = r->def.materials.item;
  for (int k = 0; k < r->def.materials.n && !r->failed; k++) {
    const pl_node *at = node_get(r->def.materials.at, m[k].name.s);
    check_foreign(r, &m[k]);
    if (m[k].law.v <= LAW_NEO_HOOKEAN && !m[k].young.at)
      problem(r, at, NULL, "material needs the key 'young'");
    if (is_hyper(&m[k])) check_hyper(r, &m[k], at);
    if (m[k].law.v == LAW_ORTHOTROPIC) check_ortho(r, &m[k], at);
  }
}

// ---- parts --------------------------------------------------------------------------------------

// bulk modulus over shear modulus of a Poisson's ratio
static double bulk_ratio(double nu) {
  return 2 * (1 + nu) / (3 * (1 - 2 * nu));
}

static int read_hyper(reader *r, const body_slot *b, const geometry_def *g, const material_def *m,
                      pl_part *to) {
  double mu = hyper_shear(m), nu = m->poisson.at ? m->poisson.v : POISSON_RUBBER;
  int sheet = !b->def->solid, follows = 0;
  to->law = m->law.v == LAW_OGDEN ? PL_LAW_OGDEN : PL_LAW_POLYNOMIAL;
  for (int k = 0; k < 6; k++) {
    to->hyper.c[k] = value_of(&constants(m)[k]);
    follows |= to->hyper.c[k].par > 0;
  }
  if (m->bulk.at) {
    double K = m->bulk.v;
    to->hyper.bulk = value_of(&m->bulk);
    nu = (3 * K - 2 * mu) / (6 * K + 2 * mu);
    if (b->def->shell && shell_bending(r, g) != PL_BENDING_NONE && (follows || m->bulk.par >= 0)) {
      problem(r, m->bulk.at, "give poisson instead, or use bending: none",
              "material '%s': bending of a shell whose constants are parameters needs poisson",
              m->name.s);
      return 0;
    }
  } else if (sheet && (!m->poisson.at || nu > 0.4999995)) {
    // bulk modulus 0: the volume stays
    nu = 0.5;
  } else {
    to->hyper.ratio = bulk_ratio(nu);
  }
  if (!sheet && nu > pl_elem_table[PL_ELEM_tet4]->par[1].hi) {
    problem(r, m->poisson.at ? m->poisson.at : m->bulk.at,
            "take 0.499: what does not change its volume at all needs another kind",
            "material '%s': Poisson's ratio of a solid must be <= %g, got %g", m->name.s,
            pl_elem_table[PL_ELEM_tet4]->par[1].hi, nu);
    return 0;
  }
  to->poisson = (pl_value){.v = nu};
  to->young = (pl_value){.v = 2 * mu * (1 + nu)};
  return 1;
}

// a direction that rotate turns with the mesh
static void default_axis(const geometry_def *g, int axis, double out[3]) {
  double R[9], about[3] = {0, 0, 1};
  for (int c = 0; c < 3; c++) out[c] = c == axis;
  if (!g->rotate) return;
  for (int c = 0; g->rotate->axis.at && c < 3; c++) about[c] = g->rotate->axis.v[c].v;
  pl_rotation3(about, g->rotate->angle.v, R);
  for (int c = 0; c < 3; c++) out[c] = R[3 * c + axis];
}

static int read_axes(reader *r, const geometry_def *g, const region_def *d, pl_ortho *to) {
  const vec *warp = d && d->warp.at ? &d->warp : &g->warp;
  const vec *weft = d && d->weft.at ? &d->weft : &g->weft;
  double across[3];
  default_axis(g, 0, to->axis);
  default_axis(g, 1, to->side);
  for (int c = 0; c < 3; c++) {
    if (warp->at) to->axis[c] = warp->v[c].v;
    if (weft->at) to->side[c] = weft->v[c].v;
  }
  pl_cross3(to->axis, to->side, across);
  // any side will do where only the first axis was said
  if (warp->at && !weft->at && pl_norm3(across) < 1e-6 * pl_norm3(to->axis)) {
    default_axis(g, 2, to->side);
    pl_cross3(to->axis, to->side, across);
  }
  to->angle = value_of(d && d->angle.at ? &d->angle : &g->angle);
  if (pl_norm3(across) > 1e-6 * pl_norm3(to->axis) * pl_norm3(to->side)) return 1;
  problem(r, weft->at ? weft->at : warp->at, "e.g. warp: [1, 0, 0], weft: [0, 1, 0]",
          "warp and weft must be two directions");
  return 0;
}

static int read_ortho(reader *r, const body_slot *b, const geometry_def *g, const region_def *d,
                      const material_def *m, pl_part *to) {
  static const char *const key[] = {"young3", "poisson13", "poisson23", "shear13", "shear23"};
  const num *got[] = {&m->along[2], &m->across[1], &m->across[2], &m->shear[1], &m->shear[2]};
  to->law = PL_LAW_ORTHOTROPIC;
  for (int k = 0; b->def->solid && k < COUNT(key); k++)
    if (!got[k]->at) {
      problem(r, m->name.at, NULL, "material '%s': of a solid it needs the key '%s'", m->name.s,
              key[k]);
      return 0;
    }
  if (b->def->shell && shell_bending(r, g) == PL_BENDING_HINGE) {
    problem(r, g->bending.at ? g->bending.at : g->material.at,
            "leave bending out, or use midedge or none",
            "shell '%s': hinges do not know orthotropic materials", b->def->name.s);
    return 0;
  }
  for (int k = 0; k < 3; k++) {
    to->ortho.young[k] = value_of(&m->along[k]);
    to->ortho.poisson[k] = value_of(&m->across[k]);
    to->ortho.shear[k] = value_of(&m->shear[k]);
  }
  return read_axes(r, g, d, &to->ortho);
}

// a swelling or warming that differs from one side of a shell to the other, as a curvature
static int read_curl(reader *r, const geometry_def *g, const region_def *d, const material_def *m,
                     pl_part *to) {
  const num *s = d && d->swelling_through.at ? &d->swelling_through : &g->swelling_through;
  const num *t = d && d->temperature_through.at ? &d->temperature_through : &g->temperature_through;
  const num *h = d && d->thickness.at ? &d->thickness : &g->thickness;
  const pl_node *at = s->at ? s->at : t->at;
  if (!at) return 1;
  pl_value grown = read_growth(r, s, t, m);
  pl_bending bending = shell_bending(r, g);
  if (bending != PL_BENDING_MIDEDGE && bending != PL_BENDING_SHELL6) {
    problem(r, at, "leave bending out, or use midedge",
            "only shells with bending: shell6 or midedge curl");
    return 0;
  }
  if (h->par >= 0 || h->each) {
    problem(r, at, "give the thickness as one number",
            "a shell that curls cannot have a thickness that is a parameter");
    return 0;
  }
  if (!(h->v > 0)) return 1;
  to->curl = (pl_value){.v = (grown.v - 1) / h->v, .par = grown.par, .coef = grown.coef / h->v};
  return 1;
}

static int law_fits(reader *r, const body_slot *b, const material_def *m) {
  double most = pl_elem_table[PL_ELEM_tet4]->par[1].hi;
  int solid = b->def->solid != NULL, rod = b->def->rod != NULL;
  if (m->law.v == LAW_NEO_HOOKEAN && !solid)
    problem(r, m->law.at, rod ? "solids can have it" : "mooney-rivlin with c10 alone is much alike",
            "the neo-Hookean law is not for a %s", b->kind);
  else if (m->law.v > LAW_NEO_HOOKEAN && rod)
    problem(r, m->law.at, "solids, shells and planes can have it", "the law %s is not for a rod",
            law_name[m->law.v]);
  else if (solid && m->law.v <= LAW_NEO_HOOKEAN && m->poisson.v > most)
    problem(r, m->poisson.at,
            "take 0.499: what does not change its volume at all needs another kind",
            "material '%s': Poisson's ratio of a solid must be <= %g, got %g", m->name.s, most,
            m->poisson.v);
  else
    return 1;
  return 0;
}

int read_part(reader *r, const body_slot *b, const geometry_def *g, const region_def *d,
              const material_def *m, pl_part *to) {
  const num *swelling = &g->swelling, *temperature = &g->temperature;
  const num *h = d && d->thickness.at ? &d->thickness : &g->thickness;
  if (d && (d->swelling.at || d->temperature.at)) {
    swelling = &d->swelling;
    temperature = &d->temperature;
  }
  *to = (pl_part){.name = d ? d->group.s : NULL,
                  .law = m->law.v == LAW_NEO_HOOKEAN ? PL_LAW_NEO_HOOKEAN : PL_LAW_STVK,
                  .young = value_of(&m->young),
                  .poisson = value_of(&m->poisson),
                  .density = value_of(&m->density),
                  .growth = read_growth(r, swelling, temperature, m)};
  if (h->at) to->thickness = value_of(h);
  if (!law_fits(r, b, m)) return 0;
  if (b->def->shell && !read_curl(r, g, d, m, to)) return 0;
  if (is_hyper(m)) return read_hyper(r, b, g, m, to);
  return m->law.v != LAW_ORTHOTROPIC || read_ortho(r, b, g, d, m, to);
}

double part_poisson(const pl_body_desc *d, int number) {
  pl_law law = number ? d->part[number - 1].law : d->law;
  if (law == PL_LAW_ORTHOTROPIC) return 0;
  return number ? d->part[number - 1].poisson.v : d->poisson.v;
}
