// Files of interlocking materials: what a sheet of one needs to know, as JSON.
#include "facets.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, RAYS_MOST = 200000, BYTES_MOST = 100000000, POINTS = 180 };
static const char again[] = "make it anew by limits with boundary";

void pl_boundary_free(pl_env *env, pl_boundary *b) {
  pl_free(env, b->ray);
  pl_free(env, b->distance);
  pl_free(env, b->left);
  pl_free(env, b->open);
  pl_free(env, b->face);
  *b = (pl_boundary){0};
}

pl_status pl_boundary_alloc(pl_env *env, int n, int nface, pl_boundary *b) {
  *b = (pl_boundary){.n = n, .nface = nface};
  b->ray = pl_alloc(env, (size_t)n, sizeof *b->ray);
  b->distance = pl_alloc(env, (size_t)n, sizeof *b->distance);
  b->left = pl_alloc(env, (size_t)n, sizeof *b->left);
  b->open = pl_alloc(env, (size_t)n, sizeof *b->open);
  b->face = pl_alloc(env, (size_t)nface, sizeof *b->face);
  if (b->ray && b->distance && b->left && b->open && b->face) return PL_OK;
  pl_boundary_free(env, b);
  return PL_E_NOMEM;
}

pl_status pl_boundary_star(pl_env *env, const pl_boundary *b, pl_star **out) {
  *out = NULL;
  double(*p)[3] = pl_alloc(env, (size_t)b->n, sizeof *p);
  if (!p) return PL_E_NOMEM;
  for (int i = 0; i < b->n; i++)
    for (int c = 0; c < 3; c++) p[i][c] = b->centre[c] + b->distance[i] * b->ray[i][c];
  pl_status s = pl_star_create(env, b->n, (const double(*)[3])p, b->nface, (const int(*)[3])b->face,
                               b->centre, out);
  if (s == PL_OK) pl_star_mark(*out, (const int(*)[3])b->face, b->open);
  pl_free(env, p);
  return s;
}

// the place p of an element, within rho of which it is
static void extend_to(const pl_pose *at, const double p[3], double rho, double *lo, double *hi) {
  double z = at->x[2] + pl_dot3(at->Q + 6, p);
  *lo = fmin(*lo, z - rho);
  *hi = fmax(*hi, z + rho);
}

static void extend(const pl_piece *p, const pl_pose *at, double *lo, double *hi) {
  for (int i = 0; p->kind == PL_PIECE_FACETS && i < p->facets->nvert; i++) {
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = p->centre[c] + p->facets->x[i][c];
    extend_to(at, x, p->radius, lo, hi);
  }
  if (p->kind == PL_PIECE_FACETS) return;
  for (int i = 0; i < POINTS; i++)
    for (int k = 0; k < (pl_piece_nu(p) > 1 ? POINTS : 1); k++) {
      pl_swept s;
      pl_piece_at(p, (const double[]){2 * PL_PI * i / POINTS, 2 * PL_PI * k / POINTS}, &s);
      extend_to(at, s.p, s.rho, lo, hi);
    }
}

double pl_mail_thickness(const pl_mail *m) {
  double lo = INFINITY, hi = -INFINITY;
  for (int e = 0; e < m->nelem; e++) {
    const pl_mail_element *k = &m->kind[m->kind_of[e]];
    for (int i = 0; i < k->npiece; i++) extend(&k->piece[i], &m->pose[e], &lo, &hi);
  }
  return hi - lo;
}

// ---- write --------------------------------------------------------------------------------------

// 17 digits bring back the same number
static void put_rows(pl_text *t, const char *key, int n, int width, const double *v) {
  pl_text_add(t, ",\n    \"%s\": [", key);
  for (int i = 0; i < n; i++) {
    pl_text_add(t, "%s%s", i ? ",\n      " : "\n      ", width > 1 ? "[" : "");
    for (int c = 0; c < width; c++) pl_text_add(t, "%s%.17g", c ? ", " : "", v[width * i + c]);
    pl_text_add(t, "%s", width > 1 ? "]" : "");
  }
  pl_text_add(t, "\n    ]");
}

// rays that nothing holds; where all are held there is no such entry
static void put_open(pl_text *t, const pl_boundary *b) {
  int any = 0;
  for (int i = 0; i < b->n; i++)
    if (b->open[i]) pl_text_add(t, any++ ? ", %d" : ",\n    \"unbounded\": [%d", i);
  if (any) pl_text_add(t, "]");
}

static void put_boundary(pl_text *t, const char *key, const char *of, const pl_boundary *b) {
  pl_text_add(t, ",\n  \"%s\": {\n    \"of\": \"%s\",\n    \"centre\": [%.17g, %.17g, %.17g]", key,
              of, b->centre[0], b->centre[1], b->centre[2]);
  put_rows(t, "rays", b->n, 3, &b->ray[0][0]);
  put_rows(t, "distances", b->n, 1, b->distance);
  put_rows(t, "left", b->n, 1, b->left);
  put_open(t, b);
  pl_text_add(t, ",\n    \"triangles\": [");
  for (int i = 0; i < b->nface; i++)
    pl_text_add(t, "%s[%d, %d, %d]", i ? ", " : "", b->face[i][0], b->face[i][1], b->face[i][2]);
  pl_text_add(t, "]\n  }");
}

void pl_sheet_material_write(const pl_sheet_material *m, pl_text *out) {
  pl_text_add(out, "{\n  \"pliant_material\": %d,\n  \"name\": \"%s\",\n  \"copies\": %d,\n",
              VERSION, m->name, m->copies);
  if (m->mass > 0) pl_text_add(out, "  \"mass_per_area\": %.17g,\n", m->mass);
  if (m->fingerprint) pl_text_add(out, "  \"fingerprint\": \"%016" PRIx64 "\",\n", m->fingerprint);
  pl_text_add(out, "  \"thickness\": %.17g", m->thickness);
  put_boundary(out, "membrane", "Green's strain (xx, yy, xy)", &m->membrane);
  if (m->bending.n > 0) put_boundary(out, "bending", "curvature (xx, yy, xy), 1/m", &m->bending);
  pl_text_add(out, "\n}\n");
}

// ---- read ---------------------------------------------------------------------------------------

typedef struct file {
  pl_env *env;
  const char *path;
} file;

static pl_status bad(const file *f, const char *hint, const char *where, const char *what) {
  return pl_fail_at(f->env, PL_E_INPUT, f->path, 0, 0, hint, "material: %s: %s", where, what);
}

static pl_status bad_row(const file *f, const char *block, const char *key, size_t i,
                         const char *what) {
  char where[80];
  snprintf(where, sizeof where, "%s.%s[%zu]", block, key, i);
  return bad(f, again, where, what);
}

// rows of numbers of one width, or plain numbers (width 1)
static pl_status read_rows(const file *f, const json_t *from, const char *block, const char *key,
                           int n, int width, double *out) {
  const json_t *list = json_object_get(from, key);
  char where[80];
  snprintf(where, sizeof where, "%s.%s", block, key);
  if (!json_is_array(list) || json_array_size(list) != (size_t)n)
    return bad(f, again, where, "must be a list, of as many entries as there are rays");
  for (size_t i = 0; i < (size_t)n; i++)
    for (int c = 0; c < width; c++) {
      const json_t *row = json_array_get(list, i);
      if (width > 1 && (!json_is_array(row) || json_array_size(row) != (size_t)width))
        return bad_row(f, block, key, i, width == 3 ? "must be three numbers" : "must be a row");
      const json_t *v = width > 1 ? json_array_get(row, (size_t)c) : row;
      if (!json_is_number(v) || !isfinite(json_number_value(v)))
        return bad_row(f, block, key, i, "must be a number");
      out[i * (size_t)width + (size_t)c] = json_number_value(v);
    }
  return PL_OK;
}

static pl_status read_open(const file *f, const json_t *from, const char *block, pl_boundary *b) {
  const json_t *list = json_object_get(from, "unbounded");
  if (list && !json_is_array(list)) return bad(f, again, block, "unbounded must be a list of rays");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *v = json_array_get(list, i);
    json_int_t k = json_is_integer(v) ? json_integer_value(v) : -1;
    if (k < 0 || k >= b->n)
      return bad_row(f, block, "unbounded", i, "must be the number of a ray, from 0 on");
    b->open[k] = 1;
  }
  return PL_OK;
}

static pl_status read_faces(const file *f, const json_t *list, const char *block, pl_boundary *b) {
  for (int i = 0; i < b->nface; i++)
    for (int c = 0; c < 3; c++) {
      const json_t *row = json_array_get(list, (size_t)i), *v = json_array_get(row, (size_t)c);
      json_int_t k = json_is_integer(v) && json_array_size(row) == 3 ? json_integer_value(v) : -1;
      if (k < 0 || k >= b->n)
        return bad_row(f, block, "triangles", (size_t)i,
                       "must be three numbers of rays, from 0 on");
      b->face[i][c] = (int)k;
    }
  return PL_OK;
}

static pl_status check_rays(const file *f, const char *block, pl_boundary *b) {
  for (int i = 0; i < b->n; i++) {
    double l = sqrt(pow(b->ray[i][0], 2) + pow(b->ray[i][1], 2) + pow(b->ray[i][2], 2));
    if (!(fabs(l - 1) < 1e-6))
      return bad_row(f, block, "rays", (size_t)i, "must be a direction of length 1");
    if (!(b->distance[i] > 0))
      return bad_row(f, block, "distances", (size_t)i,
                     "must be above zero: the centre is within the limits");
  }
  return PL_OK;
}

static pl_status read_boundary(const file *f, const json_t *root, const char *block,
                               pl_boundary *b) {
  const json_t *from = json_object_get(root, block);
  const json_t *rays = json_object_get(from, "rays"), *faces = json_object_get(from, "triangles");
  size_t n = json_array_size(rays), nface = json_array_size(faces);
  if (!json_is_object(from)) return bad(f, again, block, "must be a mapping");
  if (n < 4 || n > RAYS_MOST || nface != 2 * n - 4)
    return bad(f, again, block, "needs rays, and triangles between them that close a surface");
  PL_TRY(pl_boundary_alloc(f->env, (int)n, (int)nface, b));
  // one row of the list of centres, so to speak
  const json_t *centre = json_object_get(from, "centre");
  for (size_t c = 0; c < 3; c++) {
    const json_t *v = json_array_get(centre, c);
    if (!json_is_number(v)) return bad(f, again, block, "centre must be three numbers");
    b->centre[c] = json_number_value(v);
  }
  PL_TRY(read_rows(f, from, block, "rays", b->n, 3, &b->ray[0][0]));
  PL_TRY(read_rows(f, from, block, "distances", b->n, 1, b->distance));
  PL_TRY(read_rows(f, from, block, "left", b->n, 1, b->left));
  PL_TRY(read_open(f, from, block, b));
  PL_TRY(read_faces(f, faces, block, b));
  return check_rays(f, block, b);
}

// of the shape, as hexadecimal digits; files of old have none
static pl_status read_fingerprint(const file *f, const json_t *root, pl_sheet_material *m) {
  const json_t *from = json_object_get(root, "fingerprint");
  const char *text = json_string_value(from);
  if (!from) return PL_OK;
  if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
    return bad(f, again, "fingerprint", "must be 16 hexadecimal digits");
  m->fingerprint = strtoull(text, NULL, 16);
  return PL_OK;
}

static pl_status read_root(const file *f, const json_t *root, pl_sheet_material *m) {
  const json_t *version = json_object_get(root, "pliant_material");
  const char *name = json_string_value(json_object_get(root, "name"));
  if (!json_is_integer(version))
    return bad(f, "such files are written by limits with boundary", "pliant_material",
               "is missing: this is no file of a material");
  if (json_integer_value(version) != VERSION)
    return bad(f, again, "pliant_material", "is of a version that is not known here, which is 1");
  snprintf(m->name, sizeof m->name, "%s", name ? name : "");
  m->copies = (int)json_integer_value(json_object_get(root, "copies"));
  m->mass = json_number_value(json_object_get(root, "mass_per_area"));
  m->thickness = json_number_value(json_object_get(root, "thickness"));
  if (!(m->thickness > 0) || !isfinite(m->thickness))
    return bad(f, "a length in metres", "thickness", "must be above zero");
  if (!(m->mass >= 0) || !isfinite(m->mass))
    return bad(f, "kg/m^2; it may be left out", "mass_per_area", "must not be negative");
  PL_TRY(read_fingerprint(f, root, m));
  PL_TRY(read_boundary(f, root, "membrane", &m->membrane));
  if (!json_object_get(root, "bending")) return PL_OK;
  return read_boundary(f, root, "bending", &m->bending);
}

pl_status pl_sheet_material_read(pl_env *env, const char *path, pl_sheet_material *out) {
  file f = {env, path};
  json_error_t why;
  json_t *root;
  char *text;
  size_t size;
  *out = (pl_sheet_material){0};
  PL_TRY(pl_file_read(env, path, BYTES_MOST, &text, &size));
  root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
  pl_free(env, text);
  if (!root)
    return pl_fail_at(env, PL_E_INPUT, path, why.line, why.column, again, "material: %s", why.text);
  pl_status s = read_root(&f, root, out);
  json_decref(root);
  if (s != PL_OK) pl_sheet_material_free(env, out);
  return s;
}

void pl_sheet_material_free(pl_env *env, pl_sheet_material *m) {
  pl_boundary_free(env, &m->membrane);
  pl_boundary_free(env, &m->bending);
}
