#ifndef PLIANT_REPORT_IMPL_H
#define PLIANT_REPORT_IMPL_H

#include "pliant/report.h"

// ---- writing ----------------------------------------------------------------------------------

// A fixed-point number with at most `decimals` (0..4) places and no trailing zeros, for SVG.
void rp_num(pl_text *t, double v, int decimals);
void rp_str(pl_text *t, const char *s);
// Text for XML and HTML: escaped; bytes that are not UTF-8 and control characters become U+FFFD.
void rp_escape(pl_text *t, const char *s);
// Width in pixels of a line of text in a sans-serif font, estimated a little wide.
double rp_width(const char *s, double size);
// Fixed places with a true minus sign; |v| < 1e9.
void rp_fixed(char *out, size_t size, double v, int decimals);
// Up to `digits` significant digits, a true minus sign, powers as 1.5x10^-5 with superscripts.
void rp_general(char *out, size_t size, double v, int digits);
// 10^e as text with superscripts.
void rp_power(char *out, size_t size, int e);
// The shortest text that strtod reads back to the same double, in the C locale's form.
void rp_shortest(char *out, size_t size, double v);

// A string of JSON with its quotes, safe within a script of a page.
void rp_json(pl_text *t, const char *s);
void rp_base64(pl_text *t, const unsigned char *s, size_t n);

// `<svg ...>` with its background, and the title line when there is one. The font is inherited.
void rp_svg_open(pl_text *t, double w, double h, const char *title);
// A line of text; anchor is 's', 'm' or 'e'; class as in the page's style sheet.
void rp_label(pl_text *t, const char *cls, double x, double y, double size, char anchor,
              const char *s);
// The same, turned to read upwards.
void rp_label_up(pl_text *t, const char *cls, double x, double y, double size, const char *s);
// Ends an SVG; when memory ended on the way, cuts the text back to `start` and fails.
pl_status rp_svg_close(pl_text *t, size_t start);

// A pen for path data: absolute moves, relative lines on a grid of 10^-decimals pixels.
typedef struct rp_pen {
  pl_text *t;
  int decimals;
  long x, y;    // where it is, in grid units
  char command; // the last letter written
} rp_pen;
rp_pen rp_pen_new(pl_text *t, int decimals);
void rp_move(rp_pen *p, double x, double y);
void rp_line(rp_pen *p, double x, double y);
void rp_dot(rp_pen *p, double x, double y); // a line of no length: a dot with round caps
void rp_close(rp_pen *p);

// ---- colours ----------------------------------------------------------------------------------

enum { RP_PALETTE = 8 };
extern const char *const rp_palette[RP_PALETTE];
typedef struct rp_rgb {
  double r, g, b; // 0..1
} rp_rgb;
rp_rgb rp_mix(rp_rgb a, rp_rgb b, double t);
rp_rgb rp_viridis(double t); // t is clamped to 0..1
rp_rgb rp_light(double t);   // the same from nearly white to blue
extern const rp_rgb rp_at_limit, rp_beyond;
const char *rp_hex(char out[8], rp_rgb c); // "#rrggbb"
#define RP_INK  "#20262d"
#define RP_MUTE "#5b6570"
#define RP_GRID "#e4e7eb"
#define RP_AXIS "#8b949e"
#define RP_LINE "#1b2a3a" // edges of faces

// ---- axes -------------------------------------------------------------------------------------

enum { RP_TICK = 32, RP_MINOR = 128, RP_LABEL = 256 };

// A linear axis shows (value - offset) / 10^power; a logarithmic one log10(value / 10^power).
typedef struct rp_axis {
  int log, power, base;  // base: the part of power that the unit's prefix tells
  double ten;            // 10^power
  double offset, lo, hi; // lo < hi in shown units
  int ntick, nminor;
  double tick[RP_TICK], minor[RP_MINOR]; // in shown units
  char text[RP_TICK][64];
  char label[RP_LABEL]; // with the unit's prefix, the power and the offset worked in
} rp_axis;

// Widens the range of data to the range of an axis: pad on both sides, zero included when it is
// near (zero = 1), something of non-zero length for constant data. lo > hi: no data.
void rp_range(double *lo, double *hi, int log, double pad, int zero);
// How an axis is to look.
typedef struct rp_look {
  const char *label;  // with its unit, "tip (m)"
  const char *length; // as in pl_plot
  int log, whole;     // whole: ticks at whole numbers only
  double most;        // figures as large as this stand beside: one prefix for both; 0: none
} rp_look;
// Ticks at 1, 2 or 5 times powers of ten, at most about `want`.
void rp_axis_make(rp_axis *a, double lo, double hi, int want, const rp_look *look);
// Place of a value along the axis: 0 at lo, 1 at hi; NaN when it cannot be shown.
double rp_axis_at(const rp_axis *a, double value);
// Place of a tick's shown value.
double rp_axis_shown(const rp_axis *a, double shown);
// The step 1, 2 or 5 x 10^k that gives at most `want` steps in range; *decimals its places.
double rp_step(double range, int want, int *decimals);

// ---- series -----------------------------------------------------------------------------------

// Path data of a line through pixels xy[n][2], thinned to what can be seen; NaN breaks it.
pl_status rp_thin_line(rp_pen *pen, int n, const double *xy);
// Path data of dots, one per pixel of a width x height picture when there are many.
pl_status rp_thin_dots(rp_pen *pen, int n, const double *xy, int width, int height);

// ---- shapes of meshes -------------------------------------------------------------------------

enum { RP_FACES = 12000 }; // in a still

typedef struct rp_face {
  int v[4], n;
  int solid; // on the boundary of a solid: seen from outside only
  int tri;   // number of the triangle of the mesh that it is, -1: none
} rp_face;

typedef struct rp_edge {
  int v[2], face[2]; // second face -1: boundary
  int nface;
  int flipped; // the two faces wind in opposite senses: their normals do not agree
} rp_edge;

// What a picture draws of a mesh: faces, their edges, segments, vertices in no cell. Vertex
// numbers are the mesh's; meshes of more than `most` faces are thinned by merging near vertices.
typedef struct rp_shape {
  pl_env *env;
  int nvert, nface, nedge, nseg, nlone;
  rp_face *face;
  rp_edge *edge;
  int (*seg)[2];
  int *lone;
} rp_shape;
pl_status rp_shape_create(pl_env *env, const pl_mesh *m, int most, rp_shape *out);
void rp_shape_free(rp_shape *s);

// ---- pictures ---------------------------------------------------------------------------------

// An orthographic camera: pixel = centre + scale * (rows of R times x), y downwards.
typedef struct rp_camera {
  double R[3][3]; // right, up, towards the viewer
  double scale, mid[2], centre[2];
  int flat; // looks straight along an axis
} rp_camera;

typedef struct rp_picture {
  pl_text *t;
  pl_env *env;
  const pl_mesh *mesh;
  const pl_view *view;
  rp_shape shape;
  rp_camera camera;
  double w, h, left, top, right, bottom; // size, and the area of the model
  double lo, hi;                         // colour range
  const double *face;                    // [triangles] values shown now, NULL: none
  int decimals;
} rp_picture;

// Chooses camera and size so that npos position sets are all seen, and writes the SVG's opening
// with everything that lies behind the model.
pl_status rp_picture_open(rp_picture *p, pl_text *t, const pl_mesh *m, const pl_view *v, int most,
                          int npos, const double *const *pos);
// Writes colour bar, triad, scale bar; closes the SVG.
void rp_picture_decor(rp_picture *p);
void rp_picture_free(rp_picture *p);
// Pixel coordinates and depth (pixels, larger is nearer) of positions: out [nvert][3].
void rp_project(const rp_camera *c, int nvert, const double *x, double *out);
// The model's outline only, at projected positions P.
pl_status rp_picture_outline(rp_picture *p, const double *P, double opacity);
// The model with its springs, dots and marks at projected positions, and what tells its size.
pl_status rp_picture_whole(rp_picture *p, const double *P);

enum { RP_JOINTED = 40 }; // the most segments that have joints

// ---- motions that are played ------------------------------------------------------------------

// Arrays for the player, one after the other: bytes of the same weight stand together, which packs
// well.
void rp_pack_int(pl_text *raw, size_t n, const int *v);      // differences from the one before
void rp_pack_float(pl_text *raw, size_t n, const double *v); // single precision
// Numbers of 16 bits in `planes` of n: differences from the one `stride` before, and, with `chain`,
// of these from the plane before.
void rp_pack_short(pl_text *raw, int planes, size_t n, size_t stride, int chain, const short *v);
// All of them deflated, as base64.
void rp_pack_close(pl_text *t, pl_text *raw);
// Round values of lo..hi to -32767..32767; what is not finite becomes -32768.
short rp_pack_round(double v, double lo, double hi);

typedef struct rp_played {
  pl_env *env;
  const pl_moving *m;
  rp_shape shape;
  int n, *old; // vertices that are drawn, their numbers in the mesh
  int *now;    // [nvert] their numbers there, -1: none
  int *joint, njoint;
  int nframe; // that are kept
  int nharm;  // of a period
} rp_played;
pl_status rp_played_create(pl_env *env, const pl_moving *m, rp_played *out);
void rp_played_free(rp_played *p);
// What stays the same, as JSON, and the motion itself, which names it.
void rp_played_mesh(const rp_played *p, pl_text *t);
pl_status rp_played_motion(const rp_played *p, const char *mesh, pl_text *t);

// The player's script, gzipped; NULL: this library was built without.
const unsigned char *rp_player(size_t *n);

#endif
