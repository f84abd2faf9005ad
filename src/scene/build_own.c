#include "scene_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

// Interlocking materials of elements of one's own. Their sizes and places may follow parameters of
// the scene, which are keys of the material then, as those of a family are.

enum { ELEMENTS_MAX = 16, PIECES_MAX = 32, HARMONICS_MAX = 64 }; // of a cell, an element, a curve

// A material of one's own at values of its parameters.
typedef struct own_shape {
  const own_mail_def *def;
  const pl_mail *m; // as the scene has it
  int nkey;
  const param_def *param;
  int par[PL_KEY_MAX]; // parameter of a key
  const double *value; // [nkey] those of keys; NULL: as in the scene
  pl_key key[PL_KEY_MAX];
  pl_mail_family family;
} own_shape;

// ---- pieces -------------------------------------------------------------------------------------

static double number(const own_shape *o, const num *n) {
  for (int k = 0; o->value && n->par >= 0 && k < o->nkey; k++)
    if (o->par[k] == n->par) return n->v + n->coef * (o->value[k] - o->param[n->par].v);
  return n->v;
}

static void put(const own_shape *o, const vec *v, double out[3]) {
  for (int c = 0; c < 3; c++) out[c] = v->at ? number(o, &v->v[c]) : 0;
}

static pl_piece ring_at(const own_shape *o, const ring_def *d) {
  double centre[3], axis[3] = {0, 0, 1}, wire = number(o, &d->wire);
  put(o, &d->centre, centre);
  if (d->axis.at) put(o, &d->axis, axis);
  double height = d->height.v > 0 ? number(o, &d->height) : wire;
  return pl_piece_ring(centre, axis, number(o, &d->radius), wire, height);
}

static pl_piece link_at(const own_shape *o, const chain_link_def *d) {
  double centre[3], axis[3] = {0, 0, 1}, along[3] = {1, 0, 0};
  put(o, &d->centre, centre);
  if (d->axis.at) put(o, &d->axis, axis);
  if (d->along.at) put(o, &d->along, along);
  return pl_piece_link(centre, axis, along, number(o, &d->radius), number(o, &d->straight),
                       number(o, &d->wire));
}

// coefficients go to c and s
static pl_piece curve_at(const own_shape *o, const curve_def *d, double (*c)[3], double (*s)[3]) {
  const harmonic_def *h = d->harmonics.item;
  pl_piece p = {.kind = PL_PIECE_CURVE,
                .radius = number(o, &d->wire),
                .nharmonic = d->harmonics.n,
                .cosine = (const double(*)[3])c,
                .sine = (const double(*)[3])s};
  for (int k = 0; k < d->harmonics.n; k++) {
    put(o, &h[k].cosine, c[k]);
    put(o, &h[k].sine, s[k]);
  }
  put(o, &d->centre, p.centre);
  return p;
}

static pl_pose placed(const own_shape *o, const cell_def *d) {
  pl_pose out;
  double axis[3] = {0, 0, 1}, angle = d->rotate ? number(o, &d->rotate->angle) : 0;
  if (d->rotate && d->rotate->axis.at) put(o, &d->rotate->axis, axis);
  put(o, &d->at, out.x);
  pl_rotation3(axis, angle, out.Q);
  return out;
}

static void make_ring(reader *r, const own_shape *o, const ring_def *d, pl_piece *out) {
  double axis[3] = {0, 0, 1};
  if (d->axis.at) put(o, &d->axis, axis);
  if (!(pl_norm3(axis) > 0)) problem(r, d->axis.at, NULL, "axis cannot be this direction");
  *out = ring_at(o, d);
}

static void make_link(reader *r, const own_shape *o, const chain_link_def *d, pl_piece *out) {
  double axis[3] = {0, 0, 1}, along[3] = {1, 0, 0}, across[3];
  if (d->axis.at) put(o, &d->axis, axis);
  if (d->along.at) put(o, &d->along, along);
  pl_cross3(axis, along, across);
  if (!(pl_norm3(axis) > 0))
    problem(r, d->axis.at, NULL, "axis cannot be this direction");
  else if (!(pl_norm3(across) > 1e-6 * pl_norm3(axis) * pl_norm3(along)))
    problem(r, d->along.at ? d->along.at : d->axis.at, "give along across the axis",
            "along cannot be the direction of the axis");
  else
    *out = link_at(o, d);
}

static void make_curve_piece(reader *r, const own_shape *o, const curve_def *d, pl_piece *out) {
  int n = d->harmonics.n;
  double(*c)[3] = scene_alloc(r, (size_t)n + 1, sizeof *c);
  double(*s)[3] = scene_alloc(r, (size_t)n + 1, sizeof *s);
  if (!c || !s) return;
  if (n > HARMONICS_MAX)
    problem(r, d->harmonics.at, NULL, "a curve has at most %d harmonics, got %d", HARMONICS_MAX, n);
  *out = curve_at(o, d, c, s);
}

static void make_piece(reader *r, const own_shape *o, const piece_def *d, const pl_node *at,
                       pl_piece *out) {
  int ways = (d->ring != NULL) + (d->link != NULL) + (d->curve != NULL) + (d->plate != NULL) +
             (d->capsules != NULL) + (d->mesh != NULL);
  int before = r->nproblem;
  if (ways != 1)
    problem(r, at, "e.g. ring: {radius: 4 mm, wire: 1 mm}",
            "a piece is one of ring, link, curve, plate, capsules, mesh");
  else if (d->ring)
    make_ring(r, o, d->ring, out);
  else if (d->link)
    make_link(r, o, d->link, out);
  else if (d->curve)
    make_curve_piece(r, o, d->curve, out);
  else if (d->plate)
    make_plate(r, d->plate, out);
  else if (d->capsules)
    make_capsules(r, d->capsules, out);
  else
    make_mesh_piece(r, d->mesh, out);
  if (r->failed || r->nproblem > before) return;
  const char *fault = pl_piece_fault(out);
  if (fault) problem(r, at, "make the wire thinner, or the ring or curve larger", "%s", fault);
}

// ---- as the scene has it ------------------------------------------------------------------------

static void make_element(reader *r, const own_shape *o, const mail_element_def *d,
                         const pl_node *at, pl_mail_element *out) {
  const piece_def *p = d->pieces.item;
  const pl_node *where = items_first(&d->pieces);
  pl_piece *piece = scene_alloc(r, (size_t)d->pieces.n + 2, sizeof *piece);
  int before = r->nproblem;
  if (!piece) return;
  *out = (pl_mail_element){d->pieces.n, piece};
  if (d->pieces.n == 0 || d->pieces.n > PIECES_MAX)
    problem(r, at, NULL, "an element has 1 to %d pieces, got %d", PIECES_MAX, d->pieces.n);
  for (int k = 0; k < d->pieces.n; k++, where = where->next)
    make_piece(r, o, &p[k], where, &piece[k]);
  if (!r->failed && r->nproblem == before) out->npiece = add_skeleton(r, d->pieces.n, p, piece);
}

static int find_element(reader *r, const own_mail_def *d, const txt *name) {
  const mail_element_def *e = d->elements.item;
  if (!name->at) return 0;
  for (int k = 0; k < d->elements.n; k++)
    if (e[k].name.at && strcmp(e[k].name.s, name->s) == 0) return k;
  problem(r, name->at, NULL, "element: there is no element '%.60s'", name->s);
  return 0;
}

static const cell_def origin = {0};

static void set_lattice(const own_shape *o, pl_mail *m) {
  for (int c = 0; c < 2; c++) {
    m->lattice[0][c] = number(o, &o->def->a.v[c]);
    m->lattice[1][c] = number(o, &o->def->b.v[c]);
  }
}

static const pl_mail *make_start(reader *r, own_shape *o) {
  const own_mail_def *d = o->def;
  const mail_element_def *e = d->elements.item;
  const cell_def *cell = d->cell.n > 0 ? d->cell.item : &origin;
  const pl_node *at = items_first(&d->elements);
  int n = d->cell.n > 0 ? d->cell.n : 1;
  pl_mail *m = scene_alloc(r, 1, sizeof *m);
  pl_mail_element *kind = scene_alloc(r, (size_t)d->elements.n + 1, sizeof *kind);
  pl_pose *pose = scene_alloc(r, (size_t)n, sizeof *pose);
  int *kind_of = scene_alloc(r, (size_t)n, sizeof *kind_of);
  if (!m || !kind || !pose || !kind_of) return NULL;
  *m =
      (pl_mail){.nkind = d->elements.n, .kind = kind, .nelem = n, .kind_of = kind_of, .pose = pose};
  if (d->elements.n == 0) problem(r, d->elements.at, NULL, "a material needs elements");
  if (n > ELEMENTS_MAX)
    problem(r, d->cell.at, NULL, "a cell has at most %d elements, got %d", ELEMENTS_MAX, n);
  for (int k = 0; k < d->elements.n; k++, at = at->next) make_element(r, o, &e[k], at, &kind[k]);
  for (int k = 0; k < n; k++) {
    const rotate_def *rot = cell[k].rotate;
    double axis[3] = {0, 0, 1};
    if (rot && rot->axis.at) put(o, &rot->axis, axis);
    if (!(pl_norm3(axis) > 0)) problem(r, rot->axis.at, NULL, "axis cannot be this direction");
    kind_of[k] = find_element(r, d, &cell[k].element);
    pose[k] = placed(o, &cell[k]);
  }
  set_lattice(o, m);
  if (d->a.v[2].v != 0 || d->b.v[2].v != 0)
    problem(r, d->a.at, NULL, "lattice vectors lie in the xy plane");
  return m;
}

// ---- at other values ----------------------------------------------------------------------------

static double least_radius(int n, const pl_piece *p) {
  double least = INFINITY;
  for (int k = 0; k < n; k++)
    if (p[k].kind == PL_PIECE_FACETS) least = fmin(least, p[k].radius);
  return least;
}

// facets keep their corners; *harmonics: of the curves before
static void element_at(const own_shape *o, const mail_element_def *d, const pl_mail_element *start,
                       pl_mail_data *out, pl_piece *to, int *harmonics) {
  const piece_def *p = d->pieces.item;
  int n = d->pieces.n;
  for (int k = 0; k < n; k++) {
    to[k] = start->piece[k];
    if (p[k].ring) to[k] = ring_at(o, p[k].ring);
    if (p[k].link) to[k] = link_at(o, p[k].link);
    if (p[k].curve) {
      to[k] = curve_at(o, p[k].curve, out->cosine + *harmonics, out->sine + *harmonics);
      *harmonics += to[k].nharmonic;
    }
    if (p[k].plate) to[k].radius = number(o, &p[k].plate->radius);
    if (p[k].capsules) to[k].radius = number(o, &p[k].capsules->radius);
    if (p[k].mesh) to[k].radius = number(o, &p[k].mesh->radius);
  }
  // ways through several pieces are as thick as these
  if (start->npiece == n) return;
  to[n] = start->piece[n];
  to[n].radius *= least_radius(n, to) / least_radius(n, start->piece);
}

static void make_at(const void *of, const double *value, pl_mail_data *out) {
  own_shape o = *(const own_shape *)of;
  const mail_element_def *e = o.def->elements.item;
  const cell_def *cell = o.def->cell.n > 0 ? o.def->cell.item : &origin;
  int used = 0, harmonics = 0;
  o.value = value;
  memset(out, 0, sizeof *out);
  out->m = *o.m;
  out->m.kind = out->kind;
  out->m.kind_of = out->kind_of;
  out->m.pose = out->pose;
  for (int k = 0; k < o.m->nkind; k++) {
    out->kind[k] = (pl_mail_element){o.m->kind[k].npiece, out->piece + used};
    element_at(&o, &e[k], &o.m->kind[k], out, out->piece + used, &harmonics);
    used += o.m->kind[k].npiece;
  }
  for (int k = 0; k < o.m->nelem; k++) {
    out->kind_of[k] = o.m->kind_of[k];
    out->pose[k] = placed(&o, &cell[k]);
  }
  set_lattice(&o, &out->m);
}

// ---- keys ---------------------------------------------------------------------------------------

static void use(own_shape *o, const num *n) {
  if (n->par < 0 || o->nkey > PL_KEY_MAX) return;
  for (int k = 0; k < o->nkey; k++)
    if (o->par[k] == n->par) return;
  if (o->nkey < PL_KEY_MAX) o->par[o->nkey] = n->par;
  o->nkey++;
}

static void use_vec(own_shape *o, const vec *v) {
  for (int c = 0; v->at && c < 3; c++) use(o, &v->v[c]);
}

static void use_piece(own_shape *o, const piece_def *p) {
  const ring_def *ring = p->ring;
  const chain_link_def *link = p->link;
  const curve_def *curve = p->curve;
  const num *const all[] = {ring ? &ring->radius : NULL,
                            ring ? &ring->wire : NULL,
                            ring ? &ring->height : NULL,
                            link ? &link->radius : NULL,
                            link ? &link->straight : NULL,
                            link ? &link->wire : NULL,
                            curve ? &curve->wire : NULL,
                            p->plate ? &p->plate->radius : NULL,
                            p->capsules ? &p->capsules->radius : NULL,
                            p->mesh ? &p->mesh->radius : NULL};
  for (int k = 0; k < COUNT(all); k++)
    if (all[k]) use(o, all[k]);
  if (ring) use_vec(o, &ring->centre);
  if (link) use_vec(o, &link->centre);
  if (curve) use_vec(o, &curve->centre);
  for (int k = 0; curve && k < curve->harmonics.n; k++) {
    const harmonic_def *h = (const harmonic_def *)curve->harmonics.item + k;
    use_vec(o, &h->cosine);
    use_vec(o, &h->sine);
  }
}

static void find_keys(own_shape *o) {
  const mail_element_def *e = o->def->elements.item;
  const cell_def *cell = o->def->cell.item;
  for (int i = 0; i < o->def->elements.n; i++)
    for (int k = 0; k < e[i].pieces.n; k++) use_piece(o, (const piece_def *)e[i].pieces.item + k);
  for (int i = 0; i < o->def->cell.n; i++) {
    use_vec(o, &cell[i].at);
    if (cell[i].rotate) use(o, &cell[i].rotate->angle);
  }
  use_vec(o, &o->def->a);
  use_vec(o, &o->def->b);
}

// whether its data have room for all of it
static int has_capacity(const own_shape *o) {
  int pieces = 0, harmonics = 0;
  for (int i = 0; i < o->m->nkind; i++)
    for (int k = 0; k < o->m->kind[i].npiece; k++, pieces++)
      harmonics += o->m->kind[i].piece[k].nharmonic;
  return pieces <= PL_MAIL_PIECES && harmonics <= PL_MAIL_HARMONICS &&
         o->m->nkind <= PL_MAIL_ELEMENTS && o->m->nelem <= PL_MAIL_ELEMENTS;
}

static void make_keys(own_shape *o, double *value) {
  unit length;
  PL_ASSERT(unit_parse("m", 1, &length));
  for (int k = 0; k < o->nkey; k++) {
    const param_def *p = &o->param[o->par[k]];
    value[k] = p->v;
    o->key[k] = (pl_key){.name = p->name.s,
                         .type = PL_KEY_NUMBER,
                         .value = p->v,
                         .lo = p->min ? p->lo : -1e3,
                         .hi = p->max ? p->hi : 1e3,
                         .unit = unit_same(&p->dim, &length.dim) ? "m" : "rad",
                         .text = "parameter of the scene"};
  }
  o->family = (pl_mail_family){.brief = "elements of one's own",
                               .text = "",
                               .nkey = o->nkey,
                               .key = o->key,
                               .make_of = make_at,
                               .of = o};
}

const pl_mail *make_own(reader *r, const own_mail_def *d, double *value,
                        const pl_mail_family **of) {
  own_shape *o = scene_alloc(r, 1, sizeof *o);
  if (!o) return NULL;
  *o = (own_shape){.def = d, .param = r->def.parameters.item};
  int before = r->nproblem;
  o->m = make_start(r, o);
  *of = NULL;
  if (!o->m || r->failed || r->nproblem > before) return o->m;
  find_keys(o);
  if (o->nkey > PL_KEY_MAX)
    problem(r, d->elements.at, "use fewer of them",
            "elements of one's own follow at most %d parameters, got %d", PL_KEY_MAX, o->nkey);
  else if (o->nkey > 0 && !has_capacity(o))
    problem(r, d->elements.at, "write numbers in place of the parameters",
            "elements that follow parameters have at most %d pieces and %d harmonics in all, and "
            "cells %d elements",
            PL_MAIL_PIECES, PL_MAIL_HARMONICS, PL_MAIL_ELEMENTS);
  else if (o->nkey > 0) {
    make_keys(o, value);
    *of = &o->family;
  }
  return o->m;
}
