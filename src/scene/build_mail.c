#include "build_body.h"
#include "scene_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Interlocking materials.

enum { LINKS_MAX = 256 };

static const char *const keys[] = {
#define X(name_, key_) key_,
    PL_MAIL_LIST(X)
#undef X
};

static int family_of(const mail_def *d) {
  for (int k = 0; k < PL_MAIL_COUNT; k++)
    if (d->family[k]) return k;
  return -1;
}

const char *mail_name(const mail_def *d) {
  int family = family_of(d);
  return d->name.at ? d->name.s : family >= 0 ? keys[family] : d->own ? "own" : "";
}

// *loose: an element that no other holds, -1: none
static void find_links(reader *r, const pl_cell *c, pl_scene_mail *m, int *loose) {
  *loose = -1;
  pl_mail_link *link = scene_alloc(r, LINKS_MAX, sizeof *link);
  if (!link) return;
  m->link = link;
  m->nlink = pl_cell_link_list(c, LINKS_MAX, link);
  for (int e = 0; e < m->m->nelem; e++) {
    int n = 0;
    for (int k = 0; k < m->nlink && k < LINKS_MAX; k++)
      n += (link[k].elem[0] == e) + (link[k].elem[1] == e);
    if (n == 0 && *loose < 0) *loose = e;
    if (e == 0 || n < m->links) m->links = n;
    if (n > m->most_links) m->most_links = n;
  }
}

static void weigh(reader *r, const mail_def *d, pl_scene_mail *m) {
  const double(*L)[2] = m->m->lattice;
  m->density = d->density.v;
  m->printable_gap = d->printable_gap.v;
  m->area = fabs(L[0][0] * L[1][1] - L[0][1] * L[1][0]);
  double *of = scene_alloc(r, (size_t)m->m->nkind + 1, sizeof *of);
  if (!of) return;
  m->kind_volume = of;
  for (int k = 0; k < m->m->nkind; k++) {
    double centre[3];
    int upper;
    if (!worked(r, pl_mail_volume(r->env, &m->m->kind[k], &of[k], centre, &upper))) return;
    m->volume_is_upper |= upper;
  }
  for (int e = 0; e < m->m->nelem; e++) m->volume += of[m->m->kind_of[e]];
}

// Whether elements that touch do so in every lattice that links them: *gap is the largest one
// there.
static int fits_nowhere(reader *r, const pl_scene_mail *m, double *gap) {
  int given[PL_KEY_MAX];
  double value[PL_KEY_MAX];
  if (!m->of || !m->of->lattice) return 0;
  for (int k = 0; k < m->of->nkey; k++) {
    given[k] = !(m->of->lattice >> k & 1);
    value[k] = m->value[k];
  }
  return worked(r, pl_mail_fit(r->env, m->of, given, value, gap)) && *gap <= 0 && *gap > -1e3;
}

static void report_touching(reader *r, const pl_node *at, const pl_scene_mail *m,
                            const pl_taut_contact *where) {
  char hint[PL_TEXT];
  double best;
  snprintf(hint, sizeof hint, "%smake the wire thinner, the rings larger, or change the lattice",
           m->smooth ? "take more facets, " : "");
  if (fits_nowhere(r, m, &best))
    snprintf(hint, sizeof hint,
             "no lattice has room for this wire: make its radius at least %.3g mm smaller, or the "
             "rings larger",
             -1e3 * best / 2);
  problem(r, at, hint,
          "interlocking material '%.60s': element %d touches element %d of cell (%d, %d), %.3g mm "
          "deep",
          m->name, where->elem[0] + 1, where->elem[1] + 1, where->cell[0], where->cell[1],
          1e3 * fabs(m->gap));
}

// elements of the reference state are apart, and hold each other
static void check_mail(reader *r, const pl_node *at, pl_scene_mail *m) {
  pl_cell *c;
  pl_taut_contact where = {0};
  int loose;
  if (pl_cell_create(r->env, m->m, 1, 1, &c) != PL_OK) {
    r->failed = PL_E_NOMEM;
    return;
  }
  m->gap = pl_cell_gap(c, &where);
  find_links(r, c, m, &loose);
  pl_cell_free(c);
  if (r->failed) return;
  if (m->gap <= 0)
    report_touching(r, at, m, &where);
  else if (m->links == 0)
    problem(r, at,
            "bring the elements closer, or make them larger; open polylines hold nothing (closed: "
            "yes)",
            "interlocking material '%.60s': element %d of its cell is linked with no other",
            m->name, loose + 1);
}

static const pl_mail *make_family(reader *r, const mail_def *d, int which, const pl_node *at,
                                  double *value) {
  const pl_mail_family *f = pl_mail_table[which];
  int given[PL_KEY_MAX];
  double gap;
  for (int k = 0; k < f->nkey; k++) {
    value[k] = d->family[which]->v[k].number.v;
    given[k] = d->family[which]->v[k].number.at != NULL;
  }
  if (!worked(r, pl_mail_fit(r->env, f, given, value, &gap))) return NULL;
  if (gap <= 0) {
    char hint[PL_TEXT];
    int far = gap < -1e3;
    snprintf(hint, sizeof hint,
             "make the wire's radius at least %.3g mm smaller, or the rings larger",
             -1e3 * gap / 2);
    problem(r, at, far ? "make the rings larger, or their sizes more alike" : hint,
            "interlocking material '%.60s': the wire is too thick for its rings: there is no "
            "lattice in which they are linked and do not touch",
            mail_name(d));
    return NULL;
  }
  pl_mail_data *data = scene_alloc(r, 1, sizeof *data);
  if (!data) return NULL;
  f->make(value, data);
  return &data->m;
}

// ---- facets -------------------------------------------------------------------------------------

static int read_rotations(reader *r, const pl_node *at, pl_facet_plan *f) {
  if (!at) return 1;
  int many = at->kind == NODE_LIST;
  double *rot = scene_alloc(r, (size_t)(many ? at->n : 1) + 1, sizeof *rot);
  if (!rot) return 0;
  f->rot = rot;
  for (const pl_node *e = many ? at->first : at; e; e = many ? e->next : NULL) {
    num v;
    if (!read_num(r, e, "turn", "", &v)) return 0;
    if (v.par >= 0 || !(fabs(v.v) <= 1)) {
      problem(r, e, "e.g. turn: 0.5", "turn: a part of a segment from -1 to 1 is wanted");
      return 0;
    }
    rot[f->nrot++] = v.v;
  }
  return 1;
}

// corners of all pieces of an element stay as few as those of meshes
static const pl_mail *make_faceted(reader *r, const facets_def *d, const pl_node *at,
                                   const pl_mail *smooth, pl_facet_plan *f) {
  enum { TRIANGLES_MAX = 20000 };
  const pl_mail *m = NULL;
  *f = (pl_facet_plan){.segments = d->segments.v, .points = d->points.v};
  if (!read_rotations(r, d->rot, f)) return NULL;
  for (int k = 0; k < smooth->nkind; k++)
    if (2 * f->segments * f->points * smooth->kind[k].npiece > TRIANGLES_MAX) {
      problem(r, at, "take fewer segments or points",
              "facets: an element has at most %d triangles, got %d", TRIANGLES_MAX,
              2 * f->segments * f->points * smooth->kind[k].npiece);
      return NULL;
    }
  void *buffer = scene_alloc(r, pl_mail_faceted_size(smooth, f), 1);
  if (!buffer || !worked(r, pl_mail_faceted(r->env, smooth, f, buffer, &m))) return NULL;
  return m;
}

static void build_mail(reader *r, const mail_def *d, const pl_node *at, pl_scene_mail *out) {
  int ways = d->own != NULL, which = family_of(d);
  for (int k = 0; k < PL_MAIL_COUNT; k++) ways += d->family[k] != NULL;
  if (ways != 1) {
    problem(r, at, "e.g. four-in-one: {radius: 4.9 mm, wire: 1.15 mm}",
            "an interlocking material needs exactly one family");
    return;
  }
  if (has_problem(r, at)) return;
  const pl_node *where = node_get(at, d->own ? "own" : keys[which]);
  int before = r->nproblem;
  double *value = scene_alloc(r, PL_KEY_MAX, sizeof *value);
  if (!value) return;
  const pl_mail_family *of = d->own ? NULL : pl_mail_table[which];
  const pl_mail *m =
      d->own ? make_own(r, d->own, value, &of) : make_family(r, d, which, where, value);
  if (!m || r->failed || r->nproblem > before) return;
  const char *fault = pl_mail_fault(m);
  if (fault) {
    problem(r, where, "check the units of its lengths, the wire's radius and the lattice",
            "interlocking material '%.60s': %s", mail_name(d), fault);
    return;
  }
  *out = (pl_scene_mail){.name = mail_name(d),
                         .family = d->own ? "elements of one's own" : pl_mail_table[which]->brief,
                         .m = m,
                         .of = d->facets ? NULL : of,
                         .value = value};
  if (d->facets) {
    out->smooth = m;
    out->m = make_faceted(r, d->facets, node_get(at, "facets"), m, &out->facets);
    if (!out->m) return;
  }
  check_mail(r, where, out);
  weigh(r, d, out);
}

void build_mails(reader *r, pl_scene *s) {
  const items *list = &r->def.interlocking;
  const mail_def *d = list->item;
  const pl_node *at = items_first(list);
  pl_scene_mail *mail = scene_alloc(r, (size_t)list->n + 1, sizeof *mail);
  if (!mail) return;
  s->mail = mail;
  for (int k = 0; k < list->n && !r->failed; k++, at = at->next) {
    for (int i = 0; i < k; i++)
      if (strcmp(mail_name(&d[i]), mail_name(&d[k])) == 0)
        problem(r, at, "give it a name", "another interlocking material is called '%.60s' already",
                mail_name(&d[k]));
    build_mail(r, &d[k], at, &mail[s->nmail++]);
  }
}
