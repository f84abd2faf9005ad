// Motions in a page: the picture that stands for one, and what its player needs.
#include "report_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

enum {
  FACES = 50000,  // of the player
  RAW = 1200000,  // bytes of positions before they are packed
  FRAMES = 120,   // of a motion that is no period
  FEWEST = 24,    // thinning the mesh comes before having less
  MOMENTS = 5,    // outlines in the picture
  STROKES = 4000, // lines of all outlines, about
  SOME = 1000,    // vertices that tell how many harmonics there are
};

static const pl_view standard = {0};

static const double *frame(const pl_moving *m, int k) {
  return m->frames + (size_t)k * 3 * (size_t)m->mesh->nvert;
}

// number of the k-th of n frames spread over all
static int spread(const pl_moving *m, int k, int n) {
  if (n <= 1) return 0;
  return (int)(m->period > 0 ? (long long)k * m->nframe / n
                             : (long long)k * (m->nframe - 1) / (n - 1));
}

// ---- the picture --------------------------------------------------------------------------------

// 1 when no moment of it is anywhere else
static int at_rest(const pl_moving *m) {
  size_t n = 3 * (size_t)m->mesh->nvert;
  for (int k = 1; k < m->nframe; k++)
    if (memcmp(m->frames, frame(m, k), n * sizeof(double)) != 0) return 0;
  return 1;
}

static pl_status draw_moments(rp_picture *p, const pl_moving *m) {
  size_t n = 3 * (size_t)m->mesh->nvert;
  double *P = pl_alloc(p->env, n, sizeof *P);
  if (!P) return PL_E_NOMEM;
  pl_status s = PL_OK;
  int count = STROKES / (p->shape.nseg + p->shape.nface / 10 + 1);
  count = at_rest(m) ? 0 : count > MOMENTS ? MOMENTS : count;
  // of a period those after the first, of others those before the last
  for (int k = 0; k < count && s == PL_OK; k++) {
    int at = spread(m, m->period > 0 ? count - k : k, count + 1);
    rp_project(&p->camera, m->mesh->nvert, frame(m, at), P);
    s = rp_picture_outline(p, P, 0.35 + 0.35 * k / count);
  }
  int last = m->period > 0 ? 0 : m->nframe - 1;
  if (p->view->face) p->face = p->view->face + (size_t)last * (size_t)m->mesh->cell[PL_TRI3].n;
  rp_project(&p->camera, m->mesh->nvert, frame(m, last), P);
  if (s == PL_OK) s = rp_picture_whole(p, P);
  pl_free(p->env, P);
  return s;
}

// lines of the backdrop where they are at the end
static pl_status drifted(pl_env *env, const pl_moving *m, pl_view *view, double **line) {
  *line = NULL;
  if (!view->drift || m->period > 0) return PL_OK;
  *line = pl_alloc(env, (size_t)view->nline, 6 * sizeof **line);
  if (!*line) return PL_E_NOMEM;
  for (int k = 0; k < 6 * view->nline; k++)
    (*line)[k] = view->line[k] + view->drift[3 * (k / 6) + k % 3];
  view->line = *line;
  return PL_OK;
}

pl_status pl_moving_svg(pl_text *t, const pl_moving *m) {
  if (m->nframe < 1 || !m->frames || (m->nframe > 1 && !m->time && !(m->period > 0)))
    return pl_fail(t->env, PL_E_ARG, "a motion needs frames and their times");
  pl_view view = m->view ? *m->view : standard;
  size_t start = t->n;
  double *line;
  const double **pos = pl_alloc(t->env, (size_t)m->nframe, sizeof *pos);
  if (!pos) return PL_E_NOMEM;
  for (int k = 0; k < m->nframe; k++) pos[k] = frame(m, k);
  rp_picture p;
  pl_status s = drifted(t->env, m, &view, &line);
  if (s == PL_OK) s = rp_picture_open(&p, t, m->mesh, &view, RP_FACES, m->nframe, pos);
  if (s == PL_OK) {
    s = draw_moments(&p, m);
    rp_picture_free(&p);
    if (s != PL_OK) t->failed = 1;
    s = rp_svg_close(t, start);
  }
  pl_free(t->env, pos);
  pl_free(t->env, line);
  return s;
}

// ---- what is drawn of the mesh ------------------------------------------------------------------

static void use(rp_played *p, int v) {
  p->now[v] = 0;
}

static pl_status number(rp_played *p) {
  const pl_view *view = p->m->view ? p->m->view : &standard;
  const rp_shape *s = &p->shape;
  int nvert = p->m->mesh->nvert;
  p->now = pl_alloc(p->env, (size_t)nvert, sizeof *p->now);
  p->old = pl_alloc(p->env, (size_t)nvert, sizeof *p->old);
  if (!p->now || !p->old) return PL_E_NOMEM;
  for (int v = 0; v < nvert; v++) p->now[v] = -1;
  for (int f = 0; f < s->nface; f++)
    for (int k = 0; k < s->face[f].n; k++) use(p, s->face[f].v[k]);
  for (int k = 0; k < 2 * s->nseg; k++) use(p, s->seg[k / 2][k % 2]);
  for (int k = 0; k < s->nlone; k++) use(p, s->lone[k]);
  for (int k = 0; k < view->nmark; k++) use(p, view->mark[k]);
  for (int k = 0; k < 2 * view->ntie; k++) {
    use(p, view->tie[k / 2].a[k % 2]);
    use(p, view->tie[k / 2].b[k % 2]);
  }
  p->n = 0;
  for (int v = 0; v < nvert; v++) {
    if (p->now[v] < 0) continue;
    p->now[v] = p->n;
    p->old[p->n++] = v;
  }
  return PL_OK;
}

// ends of segments, once each; those of chains of many short ones look better without
static pl_status find_joints(rp_played *p) {
  const pl_view *view = p->m->view ? p->m->view : &standard;
  char *taken = pl_alloc(p->env, (size_t)p->n, 1);
  p->joint = pl_alloc(p->env, (size_t)p->n, sizeof *p->joint);
  if (!taken || !p->joint) {
    pl_free(p->env, taken);
    return PL_E_NOMEM;
  }
  for (int k = 0; k < 2 * p->shape.nseg && p->shape.nseg <= RP_JOINTED; k++) {
    int v = p->shape.seg[k / 2][k % 2], i = p->now[v];
    if (!taken[i] && !(view->bare && view->bare[v])) p->joint[p->njoint++] = i;
    taken[i] = 1;
  }
  pl_free(p->env, taken);
  return PL_OK;
}

// what frame i of N adds to coefficient k: mean, first sine, first cosine, second sine ...
static double part(int k, int i, int N) {
  double phase = 2 * PL_PI * i * ((k + 1) / 2) / N;
  return (k == 0 ? 1.0 : k % 2 ? 2 * sin(phase) : 2 * cos(phase)) / N;
}

// The harmonics that are more than a ten-thousandth of the size, as far as some of the vertices
// tell.
static int harmonics(const pl_moving *m) {
  int n = m->mesh->nvert, every = 1 + n / SOME, N = m->nframe, most = (N - 1) / 2;
  double size = 0, lo[3], hi[3];
  if (most < 1) return 1;
  for (int c = 0; c < 3; c++) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
  }
  for (int i = 0; i < N; i++)
    for (int q = 0; q < 3 * n; q++) {
      lo[q % 3] = fmin(lo[q % 3], frame(m, i)[q]);
      hi[q % 3] = fmax(hi[q % 3], frame(m, i)[q]);
    }
  for (int c = 0; c < 3; c++) size = fmax(size, hi[c] - lo[c]);
  for (; most > 1; most--)
    for (int v = 0; v < n; v += every)
      for (int q = 3 * v; q < 3 * v + 3; q++) {
        double sine = 0, cosine = 0;
        for (int i = 0; i < N; i++) {
          sine += part(2 * most - 1, i, N) * frame(m, i)[q];
          cosine += part(2 * most, i, N) * frame(m, i)[q];
        }
        if (fmax(fabs(sine), fabs(cosine)) > 1e-4 * size) return most;
      }
  return most;
}

static pl_status thinned(rp_played *p, int most) {
  PL_TRY(rp_shape_create(p->env, p->m->mesh, most, &p->shape));
  return number(p);
}

pl_status rp_played_create(pl_env *env, const pl_moving *m, rp_played *out) {
  *out = (rp_played){.env = env, .m = m, .shape = {.env = env}};
  int period = m->period > 0, all = m->nframe, nharm = period ? harmonics(m) : 0;
  int want = period ? 2 * nharm + 1 : all < FEWEST ? all : FEWEST;
  pl_status s = thinned(out, FACES);
  for (int most = FACES / 2; s == PL_OK && most > 200; most /= 2) {
    if (6L * out->n * want <= RAW) break;
    rp_played_free(out);
    s = thinned(out, most);
  }
  if (s == PL_OK) s = find_joints(out);
  if (s != PL_OK) {
    rp_played_free(out);
    return s;
  }
  out->nharm = nharm;
  long room = RAW / (6L * (out->n > 0 ? out->n : 1));
  out->nframe = period || all <= FRAMES ? all : FRAMES;
  if (!period && out->nframe > room) out->nframe = room < 2 ? 2 : (int)room;
  return PL_OK;
}

void rp_played_free(rp_played *p) {
  rp_shape_free(&p->shape);
  pl_free(p->env, p->old);
  pl_free(p->env, p->now);
  pl_free(p->env, p->joint);
  p->old = p->now = p->joint = NULL;
  p->n = p->njoint = 0;
}

// corners of the faces that have so many
static int pack_faces(const rp_played *p, int corners, pl_text *raw) {
  int n = 0, *v = pl_alloc(p->env, (size_t)p->shape.nface, 4 * sizeof *v);
  if (!v) {
    raw->failed = 1;
    return 0;
  }
  for (int f = 0; f < p->shape.nface; f++)
    for (int k = 0; k < corners && p->shape.face[f].n == corners; k++)
      v[n++] = p->now[p->shape.face[f].v[k]];
  rp_pack_int(raw, (size_t)n, v);
  pl_free(p->env, v);
  return n / corners;
}

static void pack_list(const rp_played *p, int n, const int *old, pl_text *raw) {
  int *v = pl_alloc(p->env, (size_t)n, sizeof *v);
  if (!v) {
    raw->failed = 1;
    return;
  }
  for (int k = 0; k < n; k++) v[k] = p->now[old[k]];
  rp_pack_int(raw, (size_t)n, v);
  pl_free(p->env, v);
}

// ends: between which vertices, what part of the way, how far to the left
static void pack_ties(const rp_played *p, const pl_view *view, pl_text *raw) {
  size_t n = (size_t)view->ntie;
  int *v = pl_alloc(p->env, n, 4 * sizeof *v);
  double *at = pl_alloc(p->env, n, 4 * sizeof *at);
  for (size_t k = 0; v && at && k < 2 * n; k++) {
    const pl_tie *t = &view->tie[k / 2];
    v[2 * k] = p->now[t->a[k % 2]];
    v[2 * k + 1] = p->now[t->b[k % 2]];
    at[2 * k] = t->s[k % 2];
    at[2 * k + 1] = view->flat ? t->o[k % 2] : 0;
  }
  if (v && at) {
    rp_pack_int(raw, 4 * n, v);
    rp_pack_float(raw, 4 * n, at);
  } else
    raw->failed = 1;
  pl_free(p->env, v);
  pl_free(p->env, at);
}

void rp_played_mesh(const rp_played *p, pl_text *t) {
  const pl_view *view = p->m->view ? p->m->view : &standard;
  const rp_shape *s = &p->shape;
  pl_text raw;
  pl_text_init(&raw, p->env);
  int ntri = pack_faces(p, 3, &raw), nquad = pack_faces(p, 4, &raw);
  pack_list(p, 2 * s->nseg, s->nseg > 0 ? s->seg[0] : NULL, &raw);
  pack_list(p, s->nlone, s->lone, &raw);
  pack_list(p, view->nmark, view->mark, &raw);
  rp_pack_int(&raw, (size_t)p->njoint, p->joint);
  pack_ties(p, view, &raw);
  pl_text_add(t,
              "{\"vertices\":%d,\"triangles\":%d,\"quads\":%d,\"segments\":%d,\"points\":%d,"
              "\"marks\":%d,\"joints\":%d,\"springs\":%d,\"flat\":%s,\"data\":\"",
              p->n, ntri, nquad, s->nseg, s->nlone, view->nmark, p->njoint, view->ntie,
              view->flat ? "true" : "false");
  rp_pack_close(t, &raw);
  rp_str(t, "\"}");
  pl_text_free(&raw);
}

// ---- the motion ---------------------------------------------------------------------------------

typedef struct planes {
  const rp_played *p;
  pl_text *t, raw;
  size_t n; // numbers of a plane
} planes;

// ends of the values along each axis: the scale, which is told
static void limits(const planes *a, const double *x, double lo[3], double hi[3]) {
  for (size_t i = 0; i < a->n; i++) {
    if (!isfinite(x[i])) continue;
    lo[i % 3] = fmin(lo[i % 3], x[i]);
    hi[i % 3] = fmax(hi[i % 3], x[i]);
  }
}

static void begin(double lo[3], double hi[3]) {
  for (int c = 0; c < 3; c++) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
  }
}

static void put_scale(pl_text *t, double lo[3], double hi[3]) {
  for (int c = 0; c < 3; c++) {
    if (!(lo[c] <= hi[c])) lo[c] = hi[c] = 0;
    char a[32], b[32];
    rp_shortest(a, sizeof a, lo[c]);
    rp_shortest(b, sizeof b, hi[c]);
    pl_text_add(t, "%s%s,%s", c > 0 ? "," : "", a, b);
  }
}

static void round_all(const planes *a, const double *x, const double lo[3], const double hi[3],
                      short *out) {
  for (size_t i = 0; i < a->n; i++) out[i] = rp_pack_round(x[i], lo[i % 3], hi[i % 3]);
}

// positions of the vertices that are drawn
static void gather(const planes *a, int at, double *x) {
  const double *all = frame(a->p->m, at);
  for (int v = 0; v < a->p->n; v++)
    memcpy(x + 3 * (size_t)v, all + 3 * (size_t)a->p->old[v], 3 * sizeof *x);
}

// harmonics by sums over the frames; c [2H+1][n]
static void transform(const planes *a, int H, double *x, double *c) {
  int N = a->p->m->nframe;
  for (int i = 0; i < N; i++) {
    gather(a, i, x);
    for (int k = 0; k <= 2 * H; k++) {
      double w = part(k, i, N), *to = c + (size_t)k * a->n;
      for (size_t q = 0; q < a->n; q++) to[q] += w * x[q];
    }
  }
}

static pl_status put_orbit(planes *a) {
  const pl_moving *m = a->p->m;
  int H = a->p->nharm;
  double *c = pl_alloc(a->p->env, (size_t)(2 * H + 1) * a->n, sizeof *c);
  double *x = pl_alloc(a->p->env, a->n, sizeof *x);
  short *q = pl_alloc(a->p->env, (size_t)(2 * H + 1) * a->n, sizeof *q);
  pl_status s = c && x && q ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    char omega[32];
    transform(a, H, x, c);
    rp_shortest(omega, sizeof omega, 2 * PL_PI / m->period);
    pl_text_add(a->t, "\"harmonics\":%d,\"omega\":%s,\"scale\":[", H, omega);
    for (int k = 0; k <= 2 * H; k++) {
      double lo[3], hi[3];
      begin(lo, hi);
      limits(a, c + (size_t)k * a->n, lo, hi);
      round_all(a, c + (size_t)k * a->n, lo, hi, q + (size_t)k * a->n);
      rp_str(a->t, k > 0 ? "," : "");
      put_scale(a->t, lo, hi);
    }
    rp_str(a->t, "],");
    rp_pack_short(&a->raw, 2 * H + 1, a->n, 3, 0, q);
  }
  pl_free(a->p->env, c);
  pl_free(a->p->env, x);
  pl_free(a->p->env, q);
  return s;
}

static pl_status put_frames(planes *a) {
  const rp_played *p = a->p;
  double lo[3], hi[3], *x = pl_alloc(p->env, a->n, sizeof *x);
  short *q = pl_alloc(p->env, (size_t)p->nframe * a->n, sizeof *q);
  begin(lo, hi);
  if (x && q) {
    rp_str(a->t, "\"time\":[");
    for (int k = 0; k < p->nframe; k++) {
      char time[32];
      int at = spread(p->m, k, p->nframe);
      rp_shortest(time, sizeof time, p->m->time ? p->m->time[at] : 0);
      pl_text_add(a->t, "%s%s", k > 0 ? "," : "", time);
      gather(a, at, x);
      limits(a, x, lo, hi);
    }
    rp_str(a->t, "],\"scale\":[");
    put_scale(a->t, lo, hi);
    rp_str(a->t, "],");
    for (int k = 0; k < p->nframe; k++) {
      gather(a, spread(p->m, k, p->nframe), x);
      round_all(a, x, lo, hi, q + (size_t)k * a->n);
    }
    rp_pack_short(&a->raw, p->nframe, a->n, 3, 1, q);
  }
  pl_free(p->env, x);
  pl_free(p->env, q);
  return x && q ? PL_OK : PL_E_NOMEM;
}

static void range(const pl_view *view, size_t n, double *lo, double *hi) {
  *lo = view->lo;
  *hi = view->hi;
  if (*lo < *hi) return;
  *lo = INFINITY;
  *hi = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(view->face[i])) continue;
    *lo = fmin(*lo, view->face[i]);
    *hi = fmax(*hi, view->face[i]);
  }
  if (!(*lo < *hi)) rp_range(lo, hi, 0, 0, 0);
}

// one value a triangle and frame, in the order of the triangles; those beyond the limit stay beyond
static pl_status put_values(planes *a, const pl_view *view) {
  const rp_played *p = a->p;
  size_t ntri = 0, all = (size_t)p->m->mesh->cell[PL_TRI3].n;
  double lo, hi;
  range(view, all * (size_t)p->m->nframe, &lo, &hi);
  for (int f = 0; f < p->shape.nface; f++) ntri += p->shape.face[f].n == 3;
  double most = view->limit > 0 ? fmax(hi, 1.05 * view->limit) : hi;
  short *q = pl_alloc(p->env, (size_t)p->nframe * ntri, sizeof *q);
  if (!q) return PL_E_NOMEM;
  for (int k = 0; k < p->nframe; k++) {
    const double *v = view->face + (size_t)spread(p->m, k, p->nframe) * all;
    size_t i = (size_t)k * ntri;
    for (int f = 0; f < p->shape.nface; f++)
      if (p->shape.face[f].n == 3)
        q[i++] = rp_pack_round(p->shape.face[f].tri >= 0 ? v[p->shape.face[f].tri] : NAN, lo, most);
  }
  rp_pack_short(&a->raw, p->nframe, ntri, 1, 1, q);
  pl_free(p->env, q);
  char text[4][32];
  const double value[4] = {lo, hi, most, view->limit};
  for (int k = 0; k < 4; k++) rp_shortest(text[k], sizeof text[k], value[k]);
  pl_text_add(a->t, "\"values\":{\"lo\":%s,\"hi\":%s,\"most\":%s,\"limit\":%s,\"label\":", text[0],
              text[1], text[2], text[3]);
  rp_json(a->t, view->colour_label);
  rp_str(a->t, "},");
  return PL_OK;
}

pl_status rp_played_motion(const rp_played *p, const char *mesh, pl_text *t) {
  const pl_view *view = p->m->view ? p->m->view : &standard;
  planes a = {.p = p, .t = t, .n = 3 * (size_t)p->n};
  pl_text_init(&a.raw, p->env);
  rp_str(t, "{\"mesh\":");
  rp_json(t, mesh);
  rp_str(t, ",\"unit\":");
  rp_json(t, view->length ? view->length : "");
  rp_str(t, ",\"title\":");
  rp_json(t, view->title);
  pl_text_add(t, ",\"lines\":%d,\"drift\":%s,", view->nline, view->drift ? "true" : "false");
  rp_pack_float(&a.raw, 6 * (size_t)view->nline, view->line);
  if (view->drift) rp_pack_float(&a.raw, 3 * (size_t)view->nline, view->drift);
  pl_status s = p->m->period > 0 ? put_orbit(&a) : put_frames(&a);
  if (s == PL_OK && view->face && !(p->m->period > 0)) s = put_values(&a, view);
  rp_str(t, "\"data\":\"");
  rp_pack_close(t, &a.raw);
  rp_str(t, "\"}");
  pl_text_free(&a.raw);
  return s == PL_OK && t->failed ? PL_E_NOMEM : s;
}
