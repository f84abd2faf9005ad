#include "report_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT = 1000000, FRAMES = 72, FEWEST = 10, EXPOSURES = 6 };

// a moving picture: every shape is one path whose data are animated
typedef struct motion {
  rp_picture *p;
  int nframe; // shown
  double *P;  // [nframe][nvert][3] projected
  int closed; // the last frame leads on to the first
  int total;  // frames there are, of which nframe are shown
  char timing[96];
  unsigned *colour; // [nframe][nface] 0xrrggbb
  char *keep;       // [nface] drawn
  int *rank;        // [nface] place in the order of drawing
  rp_item *item;    // [nface]
  double *normal, *scratch;
  int *joint, njoint;
  size_t start; // of the picture in the text
} motion;

static const double *frame(const motion *a, int k) {
  return a->P + (size_t)k * 3 * (size_t)a->p->mesh->nvert;
}

// ---- one shape --------------------------------------------------------------------------------

typedef void (*outline)(const motion *a, rp_pen *pen, const double *P, int index);

static void values(const motion *a, outline shape, int index) {
  // a closed motion returns to its first frame, an open one rests at its last
  int n = a->nframe + (a->closed ? 1 : 2);
  for (int k = 0; k < n; k++) {
    int f = k < a->nframe ? k : a->closed ? 0 : a->nframe - 1;
    rp_pen pen = rp_pen_new(a->p->t, 1);
    if (k > 0) rp_str(a->p->t, ";");
    shape(a, &pen, frame(a, f), index);
  }
}

static void animated(motion *a, const char *attributes, outline shape, int index,
                     const unsigned *fill) {
  pl_text *t = a->p->t;
  rp_pen pen = rp_pen_new(t, 1);
  pl_text_add(t, "<path %s d=\"", attributes);
  shape(a, &pen, frame(a, 0), index);
  pl_text_add(t, "\"><animate attributeName=\"d\" %s values=\"", a->timing);
  values(a, shape, index);
  rp_str(t, "\"/>");
  if (fill) {
    pl_text_add(t, "<animate attributeName=\"%s\" %s values=\"", a->p->face ? "color" : "fill",
                a->timing);
    int n = a->nframe + (a->closed ? 1 : 2);
    for (int k = 0; k < n; k++) {
      int f = k < a->nframe ? k : a->closed ? 0 : a->nframe - 1;
      pl_text_add(t, "%s#%06x", k > 0 ? ";" : "", fill[(size_t)f * (size_t)a->p->shape.nface]);
    }
    rp_str(t, "\"/>");
  }
  rp_str(t, "</path>\n");
}

static void face_shape(const motion *a, rp_pen *pen, const double *P, int index) {
  const rp_face *f = &a->p->shape.face[index];
  for (int k = 0; k < f->n; k++) {
    const double *q = P + 3 * (size_t)f->v[k];
    if (k == 0)
      rp_move(pen, q[0], q[1]);
    else
      rp_line(pen, q[0], q[1]);
  }
  rp_close(pen);
}

static void line_between(rp_pen *pen, const double *P, const int v[2]) {
  const double *a = P + 3 * (size_t)v[0], *b = P + 3 * (size_t)v[1];
  rp_move(pen, a[0], a[1]);
  rp_line(pen, b[0], b[1]);
}

// 1 when a sharp edge (boundary or crease at the first frame) is drawn with this face
static int owns(const motion *a, int face, int corner) {
  const rp_shape *s = &a->p->shape;
  const rp_edge *e = &s->edge[s->face_edge[face][corner]];
  int other = e->face[0] == face ? e->face[1] : e->face[0];
  if (e->nface != 2) return 1;
  if (a->keep[other] && a->rank[other] > a->rank[face]) return 0;
  const double *n = a->normal + 3 * (size_t)face, *m = a->normal + 3 * (size_t)other;
  double cosine = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
  return (e->flipped ? -cosine : cosine) < 0.7;
}

static void sharp_shape(const motion *a, rp_pen *pen, const double *P, int index) {
  const rp_shape *s = &a->p->shape;
  for (int k = 0; k < s->face[index].n; k++)
    if (owns(a, index, k)) line_between(pen, P, s->edge[s->face_edge[index][k]].v);
}

// 1 when a vertex is somewhere in every frame
static int always_there(const motion *a, int v) {
  for (int k = 0; k < a->nframe; k++)
    if (isnan(frame(a, k)[3 * (size_t)v])) return 0;
  return 1;
}

static void segment_shape(const motion *a, rp_pen *pen, const double *P, int index) {
  const rp_shape *s = &a->p->shape;
  // index -1: all of them
  for (int i = index < 0 ? 0 : index; i < (index < 0 ? s->nseg : index + 1); i++)
    if (always_there(a, s->seg[i][0]) && always_there(a, s->seg[i][1]))
      line_between(pen, P, s->seg[i]);
}

static void dots(const motion *a, rp_pen *pen, const double *P, int n, const int *v) {
  for (int k = 0; k < n; k++)
    if (always_there(a, v[k])) rp_dot(pen, P[3 * (size_t)v[k]], P[3 * (size_t)v[k] + 1]);
}

static void joint_shape(const motion *a, rp_pen *pen, const double *P, int index) {
  (void)index;
  dots(a, pen, P, a->njoint, a->joint);
}

static void lone_shape(const motion *a, rp_pen *pen, const double *P, int index) {
  (void)index;
  dots(a, pen, P, a->p->shape.nlone, a->p->shape.lone);
}

static void tie_shape(const motion *a, rp_pen *pen, const double *P, int index) {
  (void)index;
  for (int k = 0; k < a->p->view->ntie; k++) rp_tie_shape(a->p, pen, P, &a->p->view->tie[k]);
}

static void mark_shape(const motion *a, rp_pen *pen, const double *P, int index) {
  (void)index;
  dots(a, pen, P, a->p->view->nmark, a->p->view->mark);
}

// ---- the model --------------------------------------------------------------------------------

// far enough beyond the limit that going on is of no use
static int too_long(const motion *a) {
  return a->p->t->n - a->start > 2 * LIMIT;
}

static void draw_faces(motion *a) {
  const rp_shape *s = &a->p->shape;
  pl_text *t = a->p->t;
  int fine = rp_typical_face(s, a->P) < 5;
  pl_text_add(t, "<g stroke-linejoin=\"round\" stroke-width=\".6\"%s>\n",
              a->p->face ? " fill=\"currentColor\" stroke=\"currentColor\"" : "");
  for (int i = 0; i < s->nface && !too_long(a); i++) {
    int f = a->item[i].index, moving = 0, sharp = 0;
    if (!a->keep[f]) continue;
    const unsigned *c = a->colour + f;
    // shading that changes by less than can be seen stays as it is
    for (int k = 1; k < a->nframe; k++)
      for (int shift = 0; shift <= 16; shift += 8) {
        int was = (int)(c[0] >> shift & 255),
            is = (int)(c[(size_t)k * (size_t)s->nface] >> shift & 255);
        if (is - was > 5 || was - is > 5) moving = 1;
      }
    // edges a little darker than the face, opaque: they seal the seams
    char fill[64], edge[8];
    static const rp_rgb line = {0.11, 0.16, 0.23};
    rp_rgb face = {(c[0] >> 16) / 255.0, (c[0] >> 8 & 255) / 255.0, (c[0] & 255) / 255.0};
    if (a->p->face)
      // edges change their colour with the face
      snprintf(fill, sizeof fill, "color=\"#%06x\"", c[0]);
    else
      snprintf(fill, sizeof fill, "fill=\"#%06x\" stroke=\"%s\"", c[0],
               rp_hex(edge, rp_mix(face, line, fine ? 0 : 0.2)));
    animated(a, fill, face_shape, f, moving ? c : NULL);
    for (int k = 0; k < s->face[f].n; k++) sharp |= owns(a, f, k);
    if (sharp)
      animated(a,
               "class=\"pl-edge\" fill=\"none\" stroke=\"" RP_LINE
               "\" stroke-opacity=\".8\" stroke-width=\"1.1\" "
               "stroke-linecap=\"round\"",
               sharp_shape, f, NULL);
  }
  rp_str(t, "</g>\n");
}

static void round_stroke(char *out, size_t size, const char *cls, const char *colour,
                         double width) {
  snprintf(out, size,
           "class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d.%d\" "
           "stroke-linecap=\"round\"",
           cls, colour, (int)width, (int)(10 * width) % 10);
}

static void draw_lines(motion *a) {
  const rp_shape *s = &a->p->shape;
  char style[160], hex[8];
  double length = rp_seg_length(s, a->P), width = rp_seg_width(length);
  round_stroke(style, sizeof style, "pl-seg", "#2f4a66", width);
  if (s->nseg > 0 && !a->p->view->colour) animated(a, style, segment_shape, -1, NULL);
  for (int i = 0; a->p->view->colour && i < s->nseg && !too_long(a); i++) {
    double v = (rp_value(a->p, s->seg[i][0]) + rp_value(a->p, s->seg[i][1])) / 2;
    round_stroke(style, sizeof style, "pl-value", isnan(v) ? "#b8bdc4" : rp_hex(hex, rp_viridis(v)),
                 width);
    animated(a, style, segment_shape, i, NULL);
  }
  double r = rp_joint_radius(s->nseg, length);
  if (r > 0 && a->njoint > 0) {
    round_stroke(style, sizeof style, "pl-seg", "#2f4a66", 2 * r + 1.5);
    animated(a, style, joint_shape, 0, NULL);
    round_stroke(style, sizeof style, "pl-rim", "#fff", 2 * r - 1.5);
    animated(a, style, joint_shape, 0, NULL);
  }
  round_stroke(style, sizeof style, "pl-tie", RP_TIE, 1.5);
  if (a->p->view->ntie > 0) animated(a, style, tie_shape, 0, NULL);
  round_stroke(style, sizeof style, "pl-seg", "#2f4a66", 8);
  if (s->nlone > 0) animated(a, style, lone_shape, 0, NULL);
  if (a->p->view->nmark > 0) {
    round_stroke(style, sizeof style, "pl-white", "#fff", 11);
    animated(a, style, mark_shape, 0, NULL);
    round_stroke(style, sizeof style, "pl-mark", "#d55e00", 8);
    animated(a, style, mark_shape, 0, NULL);
  }
}

// lines of the backdrop that go along, each batch as far as its drift
static void draw_drift(motion *a) {
  rp_picture *p = a->p;
  double go[2];
  for (int from = 0, to; from < p->view->nline; from = to) {
    to = rp_picture_drift(p, from, go);
    if (go[0] == 0 && go[1] == 0) continue;
    pl_text_add(p->t,
                "<g><animateTransform attributeName=\"transform\" type=\"translate\" %s values=\"",
                a->timing);
    int n = a->nframe + (a->closed ? 1 : 2), last = a->closed ? a->nframe : a->nframe - 1;
    for (int k = 0; k < n; k++) {
      double f = (double)(k < last ? k : last) / last;
      if (k > 0) rp_str(p->t, ";");
      rp_num(p->t, f * go[0], 2);
      rp_str(p->t, " ");
      rp_num(p->t, f * go[1], 2);
    }
    rp_str(p->t, "\"/>\n");
    rp_picture_lines(p, from, to);
    rp_str(p->t, "</g>\n");
  }
}

static unsigned pack(rp_rgb c) {
  char hex[8];
  unsigned v = 0;
  for (const char *d = rp_hex(hex, c) + 1; *d; d++)
    v = v << 4 | (unsigned)(*d <= '9' ? *d - '0' : *d - 'a' + 10);
  return v;
}

// number of the k-th of n frames spread over all nframe
static int spread(int k, int n, int nframe, int closed) {
  if (n <= 1) return 0;
  return (int)(closed ? (long long)k * nframe / n : (long long)k * (nframe - 1) / (n - 1));
}

// the values of faces at a frame
static void show_faces(rp_picture *p, int number) {
  if (p->view->face) p->face = p->view->face + (size_t)number * (size_t)p->mesh->cell[PL_TRI3].n;
}

// colours of all frames; order by the mean depth; faces that are never seen are left out
static void prepare_faces(motion *a) {
  const rp_shape *s = &a->p->shape;
  for (int f = 0; f < s->nface; f++) {
    const rp_face *g = &s->face[f];
    double depth = 0;
    int there = 1;
    for (int j = 0; j < g->n; j++) there &= always_there(a, g->v[j]);
    for (int k = 0; k < a->nframe && there; k++) {
      a->keep[f] |= (char)rp_face_seen(g, frame(a, k));
      for (int j = 0; j < g->n; j++) depth += frame(a, k)[3 * (size_t)g->v[j] + 2] / g->n;
    }
    a->item[f] = (rp_item){.depth = depth, .index = f};
  }
  rp_items_sort(s->nface, a->item);
  for (int i = 0; i < s->nface; i++) a->rank[a->item[i].index] = i;
  for (int k = 0; k < a->nframe; k++) {
    show_faces(a->p, spread(k, a->nframe, a->total, a->closed));
    rp_normals(s, frame(a, k), 1, a->normal, a->scratch);
    for (int f = 0; f < s->nface; f++)
      a->colour[(size_t)k * (size_t)s->nface + f] =
          pack(rp_face_colour(a->p, &s->face[f], a->normal + 3 * (size_t)f));
  }
  rp_normals(s, a->P, 0, a->normal, NULL);
}

static pl_status prepare(motion *a) {
  const rp_shape *s = &a->p->shape;
  pl_env *env = a->p->env;
  size_t n = (size_t)s->nface;
  a->colour = pl_alloc(env, (size_t)a->nframe * n, sizeof *a->colour);
  a->keep = pl_alloc(env, n, 1);
  a->rank = pl_alloc(env, n, sizeof *a->rank);
  a->item = pl_alloc(env, n, sizeof *a->item);
  a->normal = pl_alloc(env, n, 3 * sizeof *a->normal);
  a->scratch = pl_alloc(env, n, 3 * sizeof *a->scratch);
  a->joint = pl_alloc(env, 2 * (size_t)s->nseg, sizeof *a->joint);
  char *taken = pl_alloc(env, (size_t)s->nvert, 1);
  int ok = a->colour && a->keep && a->rank && a->item && a->normal && a->scratch && a->joint;
  for (int k = 0; ok && taken && k < 2 * s->nseg; k++) {
    int v = s->seg[k / 2][k % 2];
    int bare = a->p->view->bare && a->p->view->bare[v];
    if (!taken[v] && !bare) a->joint[a->njoint++] = v;
    taken[v] = 1;
  }
  pl_free(env, taken);
  if (!ok || !taken) return PL_E_NOMEM;
  prepare_faces(a);
  return PL_OK;
}

static void motion_free(motion *a) {
  pl_env *env = a->p->env;
  pl_free(env, a->P);
  pl_free(env, a->colour);
  pl_free(env, a->keep);
  pl_free(env, a->rank);
  pl_free(env, a->item);
  pl_free(env, a->normal);
  pl_free(env, a->scratch);
  pl_free(env, a->joint);
}

// ---- frames -----------------------------------------------------------------------------------

static double farthest(int n, const double *a, const double *b) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

// a motion is periodic when its last frame is a step away from the first
static int is_closed(int nvert, int nframe, const double *frames) {
  size_t n = 3 * (size_t)nvert;
  double step = 0;
  for (int k = 1; k < nframe; k++)
    step = fmax(step, farthest(3 * nvert, frames + ((size_t)k - 1) * n, frames + (size_t)k * n));
  return nframe > 2 && farthest(3 * nvert, frames + ((size_t)nframe - 1) * n, frames) <= 1.5 * step;
}

// Draws with nshow frames; returns PL_DOMAIN, and draws nothing, when the text would be too long.
static pl_status draw_motion(rp_picture *p, int nshow, int nframe, const double *frames,
                             double seconds, int closed, size_t start, size_t *size) {
  size_t n = 3 * (size_t)p->mesh->nvert, before = p->t->n;
  motion a = {.p = p, .nframe = nshow, .total = nframe, .closed = closed, .start = start};
  double total = closed ? seconds : seconds * (nshow + 1) / (nshow - 1);
  snprintf(a.timing, sizeof a.timing, "dur=\"%dms\" calcMode=\"linear\" repeatCount=\"indefinite\"",
           (int)fmin(1000 * total, 1e9));
  a.P = pl_alloc(p->env, (size_t)nshow * n, sizeof *a.P);
  pl_status s = a.P ? PL_OK : PL_E_NOMEM;
  for (int k = 0; k < nshow && s == PL_OK; k++)
    rp_project(&p->camera, p->mesh->nvert, frames + (size_t)spread(k, nshow, nframe, closed) * n,
               a.P + (size_t)k * n);
  if (s == PL_OK) s = prepare(&a);
  if (s == PL_OK) {
    draw_drift(&a);
    draw_faces(&a);
    draw_lines(&a);
  }
  motion_free(&a);
  *size = p->t->n - start;
  if (s != PL_OK || p->t->failed) return PL_E_NOMEM;
  if (*size + 12000 <= LIMIT) return PL_OK;
  p->t->n = before;
  p->t->s[before] = 0;
  return PL_DOMAIN;
}

// several moments in one still: outlines that grow stronger, the last in full
static pl_status draw_exposures(rp_picture *p, int nframe, const double *frames, int closed) {
  size_t n = 3 * (size_t)p->mesh->nvert;
  double *P = pl_alloc(p->env, n, sizeof *P);
  if (!P) return PL_E_NOMEM;
  int count = nframe < EXPOSURES ? nframe : EXPOSURES;
  pl_status s = PL_OK;
  for (int k = 0; k < count && s == PL_OK; k++) {
    rp_project(&p->camera, p->mesh->nvert, frames + (size_t)spread(k, count, nframe, closed) * n,
               P);
    show_faces(p, spread(k, count, nframe, closed));
    s = k + 1 < count ? rp_picture_outline(p, P, 0.3 + 0.5 * k / count) : rp_picture_model(p, P);
  }
  if (s == PL_OK) rp_picture_marks(p, P);
  pl_free(p->env, P);
  return s;
}

static pl_status draw_all(rp_picture *p, int nframe, const double *frames, double seconds,
                          size_t start) {
  const rp_shape *s = &p->shape;
  int closed = is_closed(p->mesh->nvert, nframe, frames);
  if (p->view->ghost) {
    double *P = pl_alloc(p->env, (size_t)p->mesh->nvert, 3 * sizeof *P);
    if (!P) return PL_E_NOMEM;
    rp_project(&p->camera, p->mesh->nvert, p->view->ghost, P);
    pl_status status = rp_picture_outline(p, P, 0.7);
    pl_free(p->env, P);
    PL_TRY(status);
  }
  // about 25 bytes a face and 15 a line in every frame
  int least = nframe < FEWEST ? nframe : FEWEST;
  double guess = (12.0 * s->nface + 15.0 * s->nseg) * least;
  pl_status status = PL_DOMAIN;
  int nshow = nframe < FRAMES ? nframe : FRAMES;
  while (guess < LIMIT && status == PL_DOMAIN && nshow >= least) {
    size_t size = 0;
    status = draw_motion(p, nshow, nframe, frames, seconds, closed, start, &size);
    // the size is known where the text was too long
    double fewer = size > 0 ? 0.9 * nshow * LIMIT / (double)size : 0;
    nshow = fewer < nshow ? (int)fewer : nshow - 1;
  }
  if (status == PL_DOMAIN) status = draw_exposures(p, nframe, frames, closed);
  if (status == PL_OK) rp_picture_decor(p);
  return status;
}

pl_status pl_view_animated_svg(pl_text *t, const pl_mesh *m, const pl_view *v, int nframe,
                               const double *frames, double seconds) {
  if (nframe < 1 || !frames)
    return pl_fail(t->env, PL_E_ARG, "a moving picture needs frames, got %d", nframe);
  if (!(seconds > 0 && seconds < 1e5))
    return pl_fail(t->env, PL_E_ARG, "a moving picture lasts 0..1e5 seconds, got %g", seconds);
  pl_view one = v ? *v : (pl_view){0};
  if (nframe == 1) {
    one.x = frames;
    return pl_view_svg(t, m, &one);
  }
  size_t start = t->n;
  const double **pos = pl_alloc(t->env, (size_t)nframe + 1, sizeof *pos);
  if (!pos) return PL_E_NOMEM;
  for (int k = 0; k < nframe; k++) pos[k] = frames + (size_t)k * 3 * (size_t)m->nvert;
  pos[nframe] = one.ghost;
  rp_picture p;
  pl_status s = rp_picture_open(&p, t, m, &one, RP_FILM_FACES, nframe + (one.ghost ? 1 : 0), pos);
  pl_free(t->env, pos);
  PL_TRY(s);
  s = draw_all(&p, nframe, frames, seconds, start);
  if (s != PL_OK) t->failed = 1;
  rp_picture_free(&p);
  return rp_svg_close(t, start);
}
