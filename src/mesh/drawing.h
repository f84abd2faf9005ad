#ifndef DRAWING_H
#define DRAWING_H

#include "read_impl.h"

enum {
  DRAWING_NAMES = 16,         // names of a shape: its own and those of the groups around it
  DRAWING_SHAPES = 200000,    // of a drawing
  DRAWING_POINTS = 20000000,  // of all outlines
  DRAWING_PIXELS = 100000000, // of a picture
};

// What a shape does to what lies below it.
typedef enum paint { PAINT_MATERIAL, PAINT_CUT, PAINT_LABEL } paint;

// A filled outline; contours are closed.
typedef struct shape {
  paint paint;
  int evenodd;
  int contour, ncontour; // first of the drawing's
  int nname, name[DRAWING_NAMES];
} shape;

struct pl_drawing {
  pl_env *env;
  char *source;
  double unit; // metres in a unit of the points or in a pixel, 0: not known
  int nname, cap_name;
  char **name;
  // outlines, y down
  int nshape, cap_shape, ncontour, cap_contour, npoint, cap_point;
  shape *shape;
  int *contour; // [ncontour] first point of each
  double (*point)[2];
  // a picture instead: [rows][cols] 0: empty, else the number of a name + 1
  int cols, rows;
  unsigned char *pixel;
};

// Finds or adds a name.
pl_status drawing_name(pl_drawing *d, const char *name, size_t n, int *out);
// Begins a contour of the last shape; adds a point to the last contour.
pl_status drawing_contour(pl_drawing *d);
pl_status drawing_point(pl_drawing *d, double x, double y);

// One reader for each format; begin, at, end and line are set.
pl_status drawing_svg(pl_load *in, pl_drawing *d);
pl_status drawing_png(pl_load *in, double threshold, pl_drawing *d);

// ---- paths of SVG -----------------------------------------------------------------------------

// x' = m[0] x + m[2] y + m[4], y' = m[1] x + m[3] y + m[5]
typedef struct affine {
  double m[6];
} affine;

typedef enum line_join { JOIN_MITER, JOIN_ROUND, JOIN_BEVEL } line_join;
typedef enum line_cap { CAP_BUTT, CAP_ROUND, CAP_SQUARE } line_cap;

// Lines of a path after curves were cut, before it is filled or stroked.
typedef struct trace {
  pl_env *env;
  affine to;   // where points go
  double fine; // how far chords may be from curves
  int n, cap, nsub, cap_sub;
  double (*x)[2];
  int (*sub)[2]; // [nsub] first point of each part, and whether it is closed
} trace;

affine affine_times(affine a, affine b); // first b, then a
// Numbers and what separates them; 0: there is none.
int svg_number(const char **at, const char *end, double *out);
// A list of transforms; 0: wrong.
int svg_transform(const char *at, const char *end, affine *out);
// Path data, and the basic shapes; PL_DOMAIN: wrong, *at is where.
pl_status trace_path(trace *t, const char **at, const char *end);
pl_status trace_move(trace *t, double x, double y);
pl_status trace_line(trace *t, double x, double y);
pl_status trace_ellipse(trace *t, double cx, double cy, double rx, double ry);
void trace_close(trace *t);
void trace_free(trace *t);
// Adds the inside of a trace, or its line of some width, to the last shape of a drawing.
pl_status trace_fill(const trace *t, pl_drawing *d);
pl_status trace_stroke(const trace *t, double width, line_join join, line_cap cap, pl_drawing *d);

#endif
