#include "mesh_impl.h"

#include "pliant/math.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

// glTF 2.0: primitive modes, component types, buffer targets
enum { MODE_POINTS = 0, MODE_LINES = 1, MODE_TRIANGLES = 4 };
enum { TYPE_U16 = 5123, TYPE_U32 = 5125, TYPE_F32 = 5126 };
enum { TARGET_NONE = 0, TARGET_VERTEX = 34962, TARGET_INDEX = 34963 };

// what is drawn: output vertices, each at a mesh vertex, and indices into them
typedef struct primitive {
  int mode, nout, nindex;
  int *source; // [nout]
  int *index;  // [nindex]
} primitive;

typedef struct glb {
  pl_env *env;
  const pl_mesh *m;
  const char *path;
  const double *base, *frame, *colour;
  int nframe, nkey;
  const double *time, *weight;
  const pl_glb_lines *lines; // NULL: none
  pl_text bin;
  json_t *views, *accessors, *primitives;
  float *scratch;    // [3 * nout] of the primitive in hand
  double *displaced; // [nvert][3] base + frame
} glb;

// ---- primitives -------------------------------------------------------------------------------

static void triangle_normal(const double *x, const int *v, double *n) {
  double e[3], f[3];
  pl_sub3(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], e);
  pl_sub3(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], f);
  pl_cross3(e, f, n);
}

// an output vertex stands for the corners at a mesh vertex whose triangles point roughly the same
// way (within 40 degrees of the first), so that smooth normals keep sharp edges sharp
static int corner_vertex(primitive *p, int v, const double *n, int *head, int *next,
                         double *first) {
  const double crease = 0.766;
  for (int k = head[v]; k >= 0; k = next[k])
    if (pl_dot3(first + 3 * (size_t)k, n) >= crease) return k;
  int k = p->nout++;
  p->source[k] = v;
  memcpy(first + 3 * (size_t)k, n, 3 * sizeof *n);
  next[k] = head[v];
  head[v] = k;
  return k;
}

static pl_status share_corners(const glb *g, const int *tri, primitive *p, int *head, int *next,
                               double *first) {
  if (!head || !next || !first || !p->source || !p->index) return PL_E_NOMEM;
  for (int v = 0; v < g->m->nvert; v++) head[v] = -1;
  for (int t = 0; t < p->nindex; t += 3) {
    double n[3];
    triangle_normal(g->base, tri + t, n);
    double norm = pl_norm3(n);
    for (int d = 0; d < 3; d++) n[d] = norm > 0 ? n[d] / norm : 0;
    for (int k = 0; k < 3; k++)
      p->index[t + k] = corner_vertex(p, tri[t + k], n, head, next, first);
  }
  return PL_OK;
}

static pl_status make_triangles(const glb *g, primitive *p) {
  int ntri, *tri;
  PL_TRY(pl_mesh_surface(g->m, &ntri, &tri, NULL));
  size_t n = 3 * (size_t)ntri;
  *p = (primitive){.mode = MODE_TRIANGLES, .nindex = 3 * ntri};
  p->source = pl_alloc(g->env, n, sizeof *p->source);
  p->index = pl_alloc(g->env, n, sizeof *p->index);
  int *head = pl_alloc(g->env, (size_t)g->m->nvert, sizeof *head);
  int *next = pl_alloc(g->env, n, sizeof *next);
  double *first = pl_alloc(g->env, n, 3 * sizeof *first);
  pl_status s = share_corners(g, tri, p, head, next, first);
  pl_free(g->env, tri);
  pl_free(g->env, head);
  pl_free(g->env, next);
  pl_free(g->env, first);
  return s;
}

// segments as lines, or all vertices as points; only the vertices in use
static pl_status make_simple(const glb *g, int mode, primitive *p) {
  int n = mode == MODE_LINES ? 2 * g->m->cell[PL_SEG2].n : g->m->nvert;
  *p = (primitive){.mode = mode, .nindex = n};
  p->source = pl_alloc(g->env, (size_t)g->m->nvert, sizeof *p->source);
  p->index = pl_alloc(g->env, (size_t)n, sizeof *p->index);
  int *number = pl_alloc(g->env, (size_t)g->m->nvert, sizeof *number);
  pl_status s = p->source && p->index && number ? PL_OK : PL_E_NOMEM;
  for (int i = 0; i < n && s == PL_OK; i++) {
    int v = mode == MODE_LINES ? g->m->cell[PL_SEG2].v[i] : i;
    if (number[v] == 0) {
      p->source[p->nout] = v;
      number[v] = ++p->nout;
    }
    p->index[i] = number[v] - 1;
  }
  pl_free(g->env, number);
  return s;
}

// ---- accessors --------------------------------------------------------------------------------

// notes the bytes from start to the end of the buffer as an accessor; bounds may be NULL
static int add_accessor(glb *g, size_t start, int component, int count, const char *type,
                        int target, json_t *bounds) {
  json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)start,
                           "byteLength", (json_int_t)(g->bin.n - start));
  if (target) json_object_set_new(view, "target", json_integer(target));
  json_t *a = json_pack("{s:i, s:i, s:i, s:s}", "bufferView", (int)json_array_size(g->views),
                        "componentType", component, "count", count, "type", type);
  if (component == TYPE_U16) json_object_set_new(a, "normalized", json_true());
  if (bounds) json_object_update(a, bounds);
  json_decref(bounds);
  json_array_append_new(g->views, view);
  json_array_append_new(g->accessors, a);
  return (int)json_array_size(g->accessors) - 1;
}

static json_t *bounds_of(int n, int ncomp, const float *x) {
  json_t *lo = json_array(), *hi = json_array();
  for (int d = 0; d < ncomp; d++) {
    float a = x[d], b = x[d];
    for (int i = 1; i < n; i++) {
      float v = x[(size_t)i * (size_t)ncomp + (size_t)d];
      if (v < a) a = v;
      if (v > b) b = v;
    }
    json_array_append_new(lo, json_real((double)a));
    json_array_append_new(hi, json_real((double)b));
  }
  return json_pack("{s:o, s:o}", "min", lo, "max", hi);
}

static int add_floats(glb *g, int n, int ncomp, const float *x, int target, int bounds) {
  size_t start = g->bin.n, count = (size_t)n * (size_t)ncomp;
  for (size_t i = 0; i < count; i++) mesh_put_f32(&g->bin, (double)x[i]);
  return add_accessor(g, start, TYPE_F32, n, ncomp == 3 ? "VEC3" : "SCALAR", target,
                      bounds ? bounds_of(n, ncomp, x) : NULL);
}

static int add_indices(glb *g, const primitive *p) {
  size_t start = g->bin.n;
  for (int i = 0; i < p->nindex; i++) mesh_put_u32(&g->bin, (uint32_t)p->index[i]);
  return add_accessor(g, start, TYPE_U32, p->nindex, "SCALAR", TARGET_INDEX, NULL);
}

// the viridis map at eleven even places, sRGB
static const unsigned char viridis[11][3] = {
    {68, 1, 84},    {72, 36, 117},  {65, 68, 135},  {53, 95, 141},  {42, 120, 142}, {33, 145, 140},
    {34, 168, 132}, {68, 191, 112}, {122, 209, 81}, {189, 223, 38}, {253, 231, 37}};

// glTF wants linear light
static double linear_light(double s) {
  return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static int add_colours(glb *g, const primitive *p) {
  size_t start = g->bin.n;
  for (int i = 0; i < p->nout; i++) {
    double c = g->colour[p->source[i]], at = 10 * (c > 0 ? c < 1 ? c : 1 : 0);
    int k = at < 9 ? (int)at : 9;
    uint32_t v[4] = {0, 0, 0, 65535};
    for (int d = 0; d < 3; d++) {
      double s = viridis[k][d] + (at - k) * (viridis[k + 1][d] - viridis[k][d]);
      v[d] = (uint32_t)(65535 * linear_light(s / 255) + 0.5);
    }
    mesh_put_u32(&g->bin, v[0] | v[1] << 16);
    mesh_put_u32(&g->bin, v[2] | v[3] << 16);
  }
  return add_accessor(g, start, TYPE_U16, p->nout, "VEC4", TARGET_VERTEX, NULL);
}

// ---- vertex data ------------------------------------------------------------------------------

static pl_status add_positions(glb *g, const primitive *p, const double *x, int *accessor) {
  for (int i = 0; i < p->nout; i++)
    for (int d = 0; d < 3; d++) {
      float v = (float)x[3 * (size_t)p->source[i] + (size_t)d];
      if (!isfinite(v))
        return pl_fail_at(g->env, PL_E_INPUT, g->path, 0, 0, NULL,
                          "vertex %d has a position or displacement that is not finite",
                          p->source[i] + 1);
      g->scratch[3 * (size_t)i + (size_t)d] = v;
    }
  *accessor = add_floats(g, p->nout, 3, g->scratch, TARGET_VERTEX, 1);
  return PL_OK;
}

// unit normals of the output vertices at positions x, weighted by area
static void normals_at(const primitive *p, const double *x, float *out) {
  memset(out, 0, (size_t)p->nout * 3 * sizeof *out);
  for (int t = 0; t < p->nindex; t += 3) {
    int v[3];
    double n[3];
    for (int k = 0; k < 3; k++) v[k] = p->source[p->index[t + k]];
    triangle_normal(x, v, n);

    // sums of areas may leave the range of float, directions do not
    double most = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
    double scale = most > 1e-30 && most < 1e30 ? 1 : most > 0 && isfinite(most) ? 1 / most : 0;
    for (int k = 0; k < 9; k++)
      out[3 * (size_t)p->index[t + k / 3] + (size_t)(k % 3)] += (float)(scale * n[k % 3]);
  }
  for (int i = 0; i < p->nout; i++) {
    float *n = out + 3 * (size_t)i;
    double norm = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
    for (int d = 0; d < 3; d++) n[d] = norm > 0 ? (float)(n[d] / norm) : (float)(d == 2);
  }
}

// displacements and changes of normals of frame k as a morph target
static pl_status add_target(glb *g, const primitive *p, const float *normal, int k,
                            json_t *target) {
  size_t n = 3 * (size_t)g->m->nvert;
  const double *u = g->frame + n * (size_t)k;
  int a;
  PL_TRY(add_positions(g, p, u, &a));
  json_object_set_new(target, "POSITION", json_integer(a));
  if (p->mode != MODE_TRIANGLES) return PL_OK;
  for (size_t i = 0; i < n; i++) g->displaced[i] = g->base[i] + u[i];
  normals_at(p, g->displaced, g->scratch);
  for (size_t i = 0; i < 3 * (size_t)p->nout; i++) g->scratch[i] -= normal[i];
  a = add_floats(g, p->nout, 3, g->scratch, TARGET_VERTEX, 0);
  json_object_set_new(target, "NORMAL", json_integer(a));
  return PL_OK;
}

static pl_status fill_primitive(glb *g, const primitive *p, float *normal, json_t *out) {
  json_t *attribute = json_object(), *targets = json_array();
  json_object_set_new(out, "attributes", attribute);
  json_object_set_new(out, "mode", json_integer(p->mode));
  json_object_set_new(out, "material", json_integer(0));
  if (g->nframe > 0)
    json_object_set_new(out, "targets", targets);
  else
    json_decref(targets);
  int a;
  PL_TRY(add_positions(g, p, g->base, &a));
  json_object_set_new(attribute, "POSITION", json_integer(a));
  if (p->mode == MODE_TRIANGLES) {
    normals_at(p, g->base, normal);
    a = add_floats(g, p->nout, 3, normal, TARGET_VERTEX, 0);
    json_object_set_new(attribute, "NORMAL", json_integer(a));
  }
  if (g->colour) json_object_set_new(attribute, "COLOR_0", json_integer(add_colours(g, p)));
  json_object_set_new(out, "indices", json_integer(add_indices(g, p)));
  for (int k = 0; k < g->nframe; k++) {
    json_t *target = json_object();
    json_array_append_new(targets, target);
    PL_TRY(add_target(g, p, normal, k, target));
    PL_TRY(pl_report_progress(g->env, "glb", (k + 1.0) / g->nframe, NULL));
  }
  return PL_OK;
}

static pl_status add_primitive(glb *g, const primitive *p) {
  if (p->nout == 0) return PL_OK;
  json_t *out = json_object();
  json_array_append_new(g->primitives, out);
  float *normal = pl_alloc(g->env, (size_t)p->nout, 3 * sizeof *normal);
  g->scratch = pl_alloc(g->env, (size_t)p->nout, 3 * sizeof *g->scratch);
  pl_status s = normal && g->scratch ? fill_primitive(g, p, normal, out) : PL_E_NOMEM;
  pl_free(g->env, normal);
  pl_free(g->env, g->scratch);
  g->scratch = NULL;
  return s;
}

static pl_status add_primitives(glb *g) {
  for (int k = 0; k < 3; k++) {
    primitive p = {0};

    // points only when there is nothing else
    pl_status s = PL_OK;
    if (k == 0)
      s = make_triangles(g, &p);
    else if (k == 1)
      s = make_simple(g, MODE_LINES, &p);
    else if (json_array_size(g->primitives) == 0)
      s = make_simple(g, MODE_POINTS, &p);
    if (s == PL_OK) s = add_primitive(g, &p);
    pl_free(g->env, p.source);
    pl_free(g->env, p.index);
    PL_TRY(s);
  }
  return PL_OK;
}

// ---- animation and file -----------------------------------------------------------------------

static pl_status add_animation(glb *g, json_t *root) {
  if (g->nframe == 0 || g->nkey == 0) return PL_OK;
  size_t n = (size_t)g->nkey * (size_t)g->nframe;
  float *x = pl_alloc(g->env, n, sizeof *x);
  if (!x) return PL_E_NOMEM;
  int bad = 0;
  for (int k = 0; k < g->nkey; k++) {
    x[k] = (float)g->time[k];
    bad |= !(isfinite(x[k]) && x[k] >= 0 && (k == 0 || x[k] > x[k - 1]));
  }
  int input = bad ? 0 : add_floats(g, g->nkey, 1, x, TARGET_NONE, 1);
  for (size_t i = 0; i < n && !bad; i++) {
    x[i] = (float)g->weight[i];
    bad = !isfinite(x[i]);
  }
  int output = bad ? 0 : add_floats(g, (int)n, 1, x, TARGET_NONE, 0);
  pl_free(g->env, x);
  if (bad)
    return pl_fail_at(g->env, PL_E_ARG, g->path, 0, 0, NULL,
                      "times must be >= 0 s and rise, and weights be finite");
  json_t *animation = json_pack("[{s:[{s:i, s:i, s:s}], s:[{s:i, s:{s:i, s:s}}]}]", "samplers",
                                "input", input, "output", output, "interpolation", "LINEAR",
                                "channels", "sampler", 0, "target", "node", 0, "path", "weights");
  json_object_set_new(root, "animations", animation);
  return PL_OK;
}

// ---- lines beside the mesh --------------------------------------------------------------------

// ends of lines, or how far both go
static pl_status add_ends(glb *g, const double *x, int each, int *accessor) {
  int n = 2 * g->lines->n;
  float *out = pl_alloc(g->env, (size_t)n, 3 * sizeof *out);
  if (!out) return PL_E_NOMEM;
  int bad = 0;
  for (int i = 0; i < 3 * n; i++) {
    out[i] = (float)x[each ? i : i / 6 * 3 + i % 3];
    bad |= !isfinite(out[i]);
  }
  *accessor = bad ? 0 : add_floats(g, n, 3, out, TARGET_VERTEX, 1);
  pl_free(g->env, out);
  if (!bad) return PL_OK;
  return pl_fail_at(g->env, PL_E_INPUT, g->path, 0, 0, NULL, "a line is not finite");
}

// their motion as a second channel of the animation
static void animate_lines(glb *g, json_t *root) {
  json_t *animation = json_array_get(json_object_get(root, "animations"), 0);
  const float time[2] = {(float)g->time[0], (float)g->time[g->nkey - 1]}, weight[2] = {0, 1};
  int input = add_floats(g, 2, 1, time, TARGET_NONE, 1);
  int output = add_floats(g, 2, 1, weight, TARGET_NONE, 0);
  json_array_append_new(
      json_object_get(animation, "samplers"),
      json_pack("{s:i, s:i, s:s}", "input", input, "output", output, "interpolation", "LINEAR"));
  json_array_append_new(
      json_object_get(animation, "channels"),
      json_pack("{s:i, s:{s:i, s:s}}", "sampler", 1, "target", "node", 1, "path", "weights"));
}

static pl_status add_lines(glb *g, json_t *root) {
  const pl_glb_lines *l = g->lines;
  int ends, drift, moves = l && l->n > 0 && l->drift && g->nframe > 0 && g->nkey > 1;
  if (!l || l->n == 0) return PL_OK;
  PL_TRY(add_ends(g, l->line, 1, &ends));
  json_t *mesh = json_pack("{s:[{s:{s:i}, s:i, s:i}]}", "primitives", "attributes", "POSITION",
                           ends, "mode", MODE_LINES, "material", 1);
  json_array_append_new(json_object_get(root, "meshes"), mesh);
  if (moves) {
    PL_TRY(add_ends(g, l->drift, 0, &drift));
    json_object_set_new(json_array_get(json_object_get(mesh, "primitives"), 0), "targets",
                        json_pack("[{s:i}]", "POSITION", drift));
    json_object_set_new(mesh, "weights", json_pack("[i]", 0));
    animate_lines(g, root);
  }
  json_t *nodes = json_object_get(root, "nodes"), *node = json_deep_copy(json_array_get(nodes, 0));
  json_object_set_new(node, "mesh", json_integer(1));
  json_object_set_new(node, "name", json_string(l->name));
  json_array_append_new(nodes, node);
  json_t *scene = json_array_get(json_object_get(root, "scenes"), 0);
  json_array_append_new(json_object_get(scene, "nodes"), json_integer(1));
  json_array_append_new(json_object_get(root, "materials"),
                        json_pack("{s:{s:[f, f, f, f], s:f, s:f}}", "pbrMetallicRoughness",
                                  "baseColorFactor", 0.35, 0.35, 0.35, 1.0, "metallicFactor", 0.0,
                                  "roughnessFactor", 1.0));
  return PL_OK;
}

static pl_status put_file(glb *g, json_t *root) {
  if (g->bin.failed) return PL_E_NOMEM;
  char *json = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
  if (!json) return pl_fail(g->env, PL_E_NOMEM, "%s: JSON could not be written", g->path);

  // both chunks end on multiples of four bytes: blanks, zeros (all our data has such sizes)
  size_t njson = strlen(json), pad = (4 - njson % 4) % 4, size = 28 + njson + pad + g->bin.n;
  pl_text t;
  pl_text_init(&t, g->env);
  if (size <= UINT32_MAX) {
    const uint32_t head[5] = {0x46546c67u, 2, (uint32_t)size, (uint32_t)(njson + pad), 0x4e4f534au};
    for (int k = 0; k < 5; k++) mesh_put_u32(&t, head[k]);
    pl_text_put(&t, json, njson);
    pl_text_put(&t, "   ", pad);
    mesh_put_u32(&t, (uint32_t)g->bin.n);
    mesh_put_u32(&t, 0x004e4942u);
    pl_text_put(&t, g->bin.s, g->bin.n);
  }
  free(json);
  pl_status s = PL_OK;
  if (size > UINT32_MAX)
    s = pl_fail_at(g->env, PL_E_INPUT, g->path, 0, 0, "write fewer frames",
                   "GLB files end at 4 GiB, this one has %zu bytes", size);
  else if (t.failed)
    s = PL_E_NOMEM;
  if (s == PL_OK) s = pl_file_write(g->env, g->path, t.s, t.n);
  pl_text_free(&t);
  return s;
}

static pl_status compose(glb *g, json_t *root) {
  g->displaced = pl_alloc(g->env, g->nframe ? (size_t)g->m->nvert : 0, 3 * sizeof *g->displaced);
  if (!g->displaced) return PL_E_NOMEM;
  PL_TRY(add_primitives(g));
  PL_TRY(add_animation(g, root));
  json_t *mesh = json_pack("{s:O}", "primitives", g->primitives);
  if (g->nframe > 0) {
    json_t *weights = json_array();
    for (int k = 0; k < g->nframe; k++)
      json_array_append_new(weights, json_real(g->nkey ? g->weight[k] : 0));
    json_object_set_new(mesh, "weights", weights);
  }
  json_object_set_new(root, "meshes", json_pack("[o]", mesh));
  PL_TRY(add_lines(g, root));
  json_object_set(root, "accessors", g->accessors);
  json_object_set(root, "bufferViews", g->views);
  json_object_set_new(root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)g->bin.n));
  return put_file(g, root);
}

static int is_flat(const glb *g) {
  for (int i = 0; i < g->m->nvert; i++) {
    if (g->base[3 * (size_t)i + 2] != 0) return 0;
    for (int k = 0; k < g->nframe; k++)
      if (g->frame[3 * ((size_t)k * (size_t)g->m->nvert + (size_t)i) + 2] != 0) return 0;
  }
  return 1;
}

pl_status pl_glb_write(const pl_mesh *m, const double *base, int nframe, const double *frame,
                       int nkey, const double *time, const double *weight, const double *colour,
                       const char *path) {
  return pl_glb_write_lines(m, base, nframe, frame, nkey, time, weight, colour, NULL, path);
}

pl_status pl_glb_write_lines(const pl_mesh *m, const double *base, int nframe, const double *frame,
                             int nkey, const double *time, const double *weight,
                             const double *colour, const pl_glb_lines *lines, const char *path) {
  if (nframe < 0 || nkey < 0 || (nframe > 0 && nkey > INT_MAX / nframe))
    return pl_fail(m->env, PL_E_ARG, "%s: bad counts: %d frames, %d keys", path, nframe, nkey);
  if (m->nvert == 0)
    return pl_fail_at(m->env, PL_E_INPUT, path, 0, 0, NULL, "the mesh has no vertices to draw");
  glb g = {.env = m->env,
           .m = m,
           .path = path,
           .base = base ? base : m->X,
           .frame = frame,
           .colour = colour,
           .nframe = nframe,
           .nkey = nkey,
           .time = time,
           .weight = weight,
           .lines = lines,
           .views = json_array(),
           .accessors = json_array(),
           .primitives = json_array()};
  pl_text_init(&g.bin, m->env);
  double tone[3] = {0.30, 0.45, 0.65};
  if (colour) tone[0] = tone[1] = tone[2] = 1;
  json_t *root = json_pack(
      "{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:[{s:i, s:s}], s:[{s:b, s:{s:[f, f, f, f], s:f, s:f}}]}",
      "asset", "version", "2.0", "generator", "pliant", "scene", 0, "scenes", "nodes", 0, "nodes",
      "mesh", 0, "name", "mesh", "materials", "doubleSided", 1, "pbrMetallicRoughness",
      "baseColorFactor", tone[0], tone[1], tone[2], 1.0, "metallicFactor", 0.0, "roughnessFactor",
      0.7);
  // glTF's up is y, ours z: models in space are turned, flat ones stay as drawn
  if (root && !is_flat(&g)) {
    json_t *node = json_array_get(json_object_get(root, "nodes"), 0);
    json_object_set_new(node, "rotation", json_pack("[f, i, i, f]", -sqrt(0.5), 0, 0, sqrt(0.5)));
  }
  pl_status s = PL_E_NOMEM;
  if (root && g.views && g.accessors && g.primitives)
    s = compose(&g, root);
  else
    pl_fail(m->env, s, "%s: out of memory", path);
  json_decref(root);
  json_decref(g.views);
  json_decref(g.accessors);
  json_decref(g.primitives);
  pl_free(m->env, g.displaced);
  pl_text_free(&g.bin);
  return s;
}

// ---- one mesh in many places --------------------------------------------------------------------

// columns of a matrix of four by four
static json_t *matrix_of(const pl_glb_place *p) {
  json_t *m = json_array();
  for (int c = 0; c < 4; c++)
    for (int r = 0; r < 4; r++) {
      double v = r == 3 ? c == 3 : c == 3 ? p->x[r] : p->Q[3 * r + c];
      json_array_append_new(m, json_real(v));
    }
  return m;
}

// the second material, which is red
static void make_red(json_t *primitives) {
  size_t k;
  json_t *p;
  json_array_foreach(primitives, k, p) {
    json_object_set_new(p, "material", json_integer(1));
  }
}

static pl_status compose_places(glb *g, int nmesh, const pl_mesh *const *mesh, int red, int n,
                                const pl_glb_place *place, json_t *root) {
  json_t *meshes = json_array(), *nodes = json_object_get(root, "nodes");
  json_t *children = json_array();
  json_object_set_new(root, "meshes", meshes);
  json_object_set_new(json_array_get(nodes, 0), "children", children);
  for (int k = 0; k < nmesh; k++) {
    g->m = mesh[k];
    g->base = mesh[k]->X;
    g->primitives = json_array();
    pl_status s = add_primitives(g);
    if (k >= nmesh - red) make_red(g->primitives);
    json_array_append_new(meshes, json_pack("{s:o}", "primitives", g->primitives));
    g->primitives = NULL;
    PL_TRY(s);
  }
  for (int i = 0; i < n; i++) {
    json_array_append_new(children, json_integer(i + 1));
    json_array_append_new(
        nodes, json_pack("{s:i, s:o}", "mesh", place[i].mesh, "matrix", matrix_of(&place[i])));
  }
  json_object_set(root, "accessors", g->accessors);
  json_object_set(root, "bufferViews", g->views);
  json_object_set_new(root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)g->bin.n));
  return put_file(g, root);
}

pl_status pl_glb_write_places(pl_env *env, int nmesh, const pl_mesh *const *mesh, int red, int n,
                              const pl_glb_place *place, const char *path) {
  glb g = {.env = env, .path = path, .views = json_array(), .accessors = json_array()};
  pl_text_init(&g.bin, env);
  // glTF's up is y, ours z
  json_t *root = json_pack(
      "{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:[{s:s, s:[f, i, i, f]}], s:[{s:b, s:{s:[f, f, f, f], "
      "s:f, s:f}}, {s:{s:[f, f, f, f], s:f, s:f}}]}",
      "asset", "version", "2.0", "generator", "pliant", "scene", 0, "scenes", "nodes", 0, "nodes",
      "name", "patch", "rotation", -sqrt(0.5), 0, 0, sqrt(0.5), "materials", "doubleSided", 1,
      "pbrMetallicRoughness", "baseColorFactor", 0.55, 0.58, 0.62, 1.0, "metallicFactor", 0.8,
      "roughnessFactor", 0.4, "pbrMetallicRoughness", "baseColorFactor", 0.75, 0.1, 0.08, 1.0,
      "metallicFactor", 0.0, "roughnessFactor", 0.6);
  pl_status s = PL_E_NOMEM;
  if (root && g.views && g.accessors)
    s = compose_places(&g, nmesh, mesh, red, n, place, root);
  else
    pl_fail(env, s, "%s: out of memory", path);
  json_decref(root);
  json_decref(g.views);
  json_decref(g.accessors);
  pl_text_free(&g.bin);
  return s;
}
