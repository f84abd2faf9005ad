#ifndef PLIANT_REPORT_H
#define PLIANT_REPORT_H

#include "pliant/base.h"
#include "pliant/linkage.h"
#include "pliant/mesh.h"

PL_DECLS_BEGIN

// ---- tables -----------------------------------------------------------------------------------

// Columns of numbers with names and units, grown row by row. Header cells are `name_unit` with the
// unit made a word (`tip_x_m`, `energy_J`, `frequency_Hz`, `omega_rad_s`), or `name` without unit.
typedef struct pl_table pl_table;
pl_status pl_table_create(pl_env *env, int ncol, pl_table **out);
void pl_table_free(pl_table *t);
pl_status pl_table_column(pl_table *t, int col, const char *name, const char *unit);
pl_status pl_table_row(pl_table *t, const double *values); // [ncol]
// Changes a number that is there; nothing happens outside.
void pl_table_set(pl_table *t, int row, int col, double value);
int pl_table_rows(const pl_table *t);
int pl_table_line(const pl_table *t); // line of the header in the file it was read from; 0: none
int pl_table_cols(const pl_table *t);
const double *pl_table_data(const pl_table *t); // [rows][ncol]
const char *pl_table_name(const pl_table *t, int col);
int pl_table_find(const pl_table *t, const char *name); // its column, -1: there is none
const char *pl_table_unit(const pl_table *t, int col);
// A header cell: name and unit as they stand in a file. Cut where out ends.
char *pl_table_cell(const pl_table *t, int col, char *out, size_t size);
// A unit as a word, of at most size - 1 letters: "m/s" -> "m_s", "1/s" -> "per_s", "N.s/m" ->
// "N_s_m", "kg/m^3" -> "kg_m3".
void pl_unit_word(const char *unit, char *out, size_t size);
// Cuts the unit's word and the sign before it off a header cell; returns the unit, "" when none is
// known.
const char *pl_unit_split(char *cell);
// Writes CSV with 17 significant digits (the shortest text that reads back to the same double).
pl_status pl_table_write(const pl_table *t, const char *path);
// Appends the rows from `first` on to a file that has those before; 0: writes it whole.
pl_status pl_table_append(const pl_table *t, const char *path, int first);
// Reads a CSV of numbers with such a header; lines before it that begin with "# " are remarks.
// Errors name file and line.
pl_status pl_table_read(pl_env *env, const char *path, pl_table **out);
// The same from memory; path stands in messages.
pl_status pl_table_parse(pl_env *env, const char *path, const char *data, size_t size,
                         pl_table **out);

// Packs tables, figures, shapes and motions of a result folder into one NumPy file: see
// docs/convert.md for the names of its arrays.
pl_status pl_results_pack(pl_env *env, const char *folder, const char *path);

// A function of a universal file (dataset 58, "function at nodal DOF").
typedef struct pl_uff_function {
  char title[81];
  int line; // of its first record
  int type; // 1 time response, 4 frequency response function, 5 transmissibility, 12 spectrum ...
  int response_node, response_direction; // +-1 +-2 +-3: along x y z; 0: scalar
  int reference_node, reference_direction;
  int abscissa;               // specific data type: 18 frequency, 17 time, 0 unknown
  int numerator, denominator; // 8 displacement, 11 velocity, 12 acceleration, 13 force, 0 unknown
  int complex_;               // im holds values
  int n;
  double *x, *re, *im; // [n]; lengths and forces in SI where the file has its units (dataset 164)
} pl_uff_function;
typedef struct pl_uff {
  pl_env *env;
  int n, units; // units: dataset 164 was found
  pl_uff_function *function;
} pl_uff;
// Reads all functions of an ASCII universal file; other datasets are passed over. Errors name file
// and line.
pl_status pl_uff_read(pl_env *env, const char *path, pl_uff **out);
// The same from memory; path stands in messages.
pl_status pl_uff_parse(pl_env *env, const char *path, const char *data, size_t size, pl_uff **out);
void pl_uff_free(pl_uff *u);

// ---- plots ------------------------------------------------------------------------------------

typedef struct pl_series {
  const char *name; // for the legend, which names what is drawn; NULL: none
  int n;
  const double *x, *y; // NaN breaks the line
  int dashed, points;  // line style: 1 dashed, 2 dotted; markers only when points = 1, both when 2
  int colour;          // index into the palette, -1: next
} pl_series;

typedef struct pl_plot {
  const char *title, *xlabel, *ylabel; // labels carry their unit, e.g. "time (s)"
  int logx, logy, equal;               // equal: same scale on both axes
  int nseries;
  const pl_series *series;
  int width, height; // pixels, 0: 720 x 420
  // Unit that metres are shown in, "mm" or "um", all other units as the labels have them: the same
  // on every figure of a page, with powers of ten where they are needed. NULL: by the figures.
  const char *length;
  // Names instead of numbers along x: they stand at 0, 1, 2 ... [nword]
  int nword;
  const char *const *word;
} pl_plot;

// Appends an SVG element: axes with round ticks, grid, legend, readable on white and on dark pages.
// Empty or constant data make an honest plot, not a crash. Long series are thinned to what can be
// seen. Without a unit of length, large and small figures get the prefix of the label's unit, "tip
// (m)" becoming "tip (mm)", or a power of ten before it; equal axes share theirs. Whole numbers
// without a unit get whole ticks. On failure nothing is appended.
pl_status pl_plot_svg(pl_text *t, const pl_plot *p);
// Stretch over the direction, for pl_polar_svg.
typedef struct pl_polar_series {
  const char *name; // for the legend, NULL: none
  int n;
  const double *angle;   // [n] rad from the first axis
  const double *stretch; // [n] length over length at rest; a line is broken where it is not finite
  int points, dashed;    // 1: dots, 2: small faint dots that set no scale; dashed as in pl_series
  int fill;              // 1: the area within is tinted
  int colour;            // index into the palette, -1: next
  const double *error;   // [n] half the lengths of error bars, as stretch; NULL: none
} pl_polar_series;

typedef struct pl_polar_plot {
  const char *title;
  const char *first, *second; // names of the axes at 0 and 90 degrees, NULL: their angles
  int nseries;
  const pl_polar_series *series;
  int width;        // pixels, 0: 460
  const char *unit; // of another quantity, which `stretch` has then; NULL: stretch
} pl_polar_plot;

// Appends an SVG element: closed curves about a circle of zero strain, circles at round strains in
// percent, counted outwards; of other quantities zero is the middle. What is shorter than the
// centre shows is drawn there. On failure nothing is appended.
pl_status pl_polar_svg(pl_text *t, const pl_polar_plot *p);
// A body in a space of three numbers, of triangles that are outwards by the right hand; it has zero
// inside and is star-shaped about it.
typedef struct pl_body_plot {
  const char *title, *label[3]; // labels carry their units
  int nvert, nface;
  const double (*x)[3]; // [nvert]
  const int (*face)[3]; // [nface]
} pl_body_plot;
// Appends an SVG element: the body in a box with three axes, and its shadows on the walls behind
// it. On failure nothing is appended.
pl_status pl_body_svg(pl_text *t, const pl_body_plot *p);
typedef struct pl_chart {
  const char *title, *label; // the label carries its unit
  const char *length;        // as in pl_plot
  int n;
  const char *const *name; // [n]
  const double *value;     // [n]
} pl_chart;
// Appends signed horizontal bars, one for each name.
pl_status pl_bars_svg(pl_text *t, const pl_chart *c);
// An axis of parallel coordinates: numbers, or words that the values are indices of.
typedef struct pl_parallel_axis {
  const char *label; // carries its unit
  int log, nword;
  const char *const *word; // [nword]
} pl_parallel_axis;

typedef struct pl_parallel {
  const char *title;
  int naxis, n;
  const pl_parallel_axis *axis; // [naxis]
  const double *x;              // [n][naxis] a line each; it is not drawn where a number is missing
  int colour;                   // axis that lines are coloured by
} pl_parallel;

// Appends an SVG element: axes side by side, a line through them for each of n, at most 2000 of
// them. On failure nothing is appended.
pl_status pl_parallel_svg(pl_text *t, const pl_parallel *p);
// A quantity over a grid of two others.
typedef struct pl_contour {
  const char *title, *xlabel, *ylabel, *zlabel; // labels carry their units
  int logx, logy, nx, ny;                       // nx, ny >= 2
  const double *x, *y;                          // [nx], [ny] ascending
  const double *z;                              // [ny][nx] NaN: there is none
} pl_contour;

// Appends an SVG element: bands of colour between round values, dots where values are given. On
// failure nothing is appended.
pl_status pl_contour_svg(pl_text *t, const pl_contour *p);
// Writes an SVG element made by pl_plot_svg or the functions below as a file of its own.
pl_status pl_svg_write(pl_env *env, const char *path, const pl_text *svg);

// ---- pictures of meshes -----------------------------------------------------------------------

// A spring drawn as a zigzag between two points: a + s (b - a), and o (m) to the left of a -> b
// when the picture is flat.
typedef struct pl_tie {
  int a[2], b[2]; // vertices of either end
  double s[2], o[2];
} pl_tie;

typedef struct pl_view {
  const double *x;     // [nvert][3] positions, NULL: X
  const double *ghost; // [nvert][3] outline drawn lightly behind, NULL: none
  int nmoment;
  const double *moment; // [nmoment][nvert][3] earlier positions, drawn like x, in turn, behind it
  const double *colour; // [nvert] values for the colour map, NULL: plain shading
  const double *face;   // [triangles of the mesh] one value each instead; NaN: none
  const char *colour_label; // e.g. "displacement (m)", with a colour bar
  double lo, hi;            // colour range; lo >= hi: from the data
  double limit;             // > 0: values of faces within 1 % of it stand out, and those beyond
  int nmark;
  const int *mark;  // vertices shown as dots
  const char *bare; // [nvert] 1: no joint is shown here, as on rods; NULL: none of them
  int ntie;
  const pl_tie *tie; // springs
  int nline;
  const double *line;  // [nline][2][3] ends of lines drawn lightly behind everything
  const double *drift; // [nline][3] how far they go during a motion, NULL: they stay
  const char *title;
  int flat;           // 1: look straight along z (2D models)
  int width, height;  // 0: 720 wide, as high as the model needs up to 480
  const char *length; // as in pl_plot
} pl_view;

// Appends an SVG picture of the mesh: depth-sorted shaded faces and segments, joints and vertices
// without cells as dots, axes and a scale bar (lengths are metres), from a view direction chosen so
// that the largest extents are seen, straight on when the model is flat. At most some ten thousand
// faces are drawn; more are thinned by merging near vertices. v may be NULL. A marked vertex out of
// range is PL_E_ARG. On failure nothing is appended.
pl_status pl_view_svg(pl_text *t, const pl_mesh *m, const pl_view *v);
// A motion: view->x is not used, view->face is [nframe][triangles] where it is given.
typedef struct pl_moving {
  const pl_mesh *mesh;
  const pl_view *view; // NULL: standard
  int nframe;
  const double *frames; // [nframe][nvert][3]
  const double *time;   // [nframe] s
  double period;        // > 0: frames are spread evenly over a period of so many seconds
} pl_moving;
// Appends an SVG picture of it: outlines of earlier moments, the first of a period or the last of
// all others in full. On failure nothing is appended.
pl_status pl_moving_svg(pl_text *t, const pl_moving *m);

// ---- pictures of many solids --------------------------------------------------------------------

// One of some shapes where it stands.
typedef struct pl_solid {
  int mesh;          // its shape
  double x[3], Q[9]; // m; rotation, row-major
  int tone;          // 0 .. PL_TONES - 1: steel, copper, red
} pl_solid;
enum { PL_TONES = 3 };

typedef struct pl_solids {
  int nmesh, n;
  const pl_mesh *const *mesh; // [nmesh] triangles
  const pl_solid *solid;      // [n]
  const char *title;
  int width; // pixels, 0: 900
} pl_solids;

// Appends an SVG element with a picture of them, z upwards, of any number of triangles, and a scale
// bar; nothing where there is nothing to show.
pl_status pl_solids_svg(pl_text *t, const pl_solids *s);

// ---- the page ---------------------------------------------------------------------------------

// One self-contained HTML page, built piece by piece; nothing is fetched from outside. It follows
// the reader's light or dark theme, its figures too. Memory that ends on the way is reported by
// pl_page_write. Headings of level 2 make the list of contents when there are four or more.
typedef struct pl_page pl_page;
pl_status pl_page_create(pl_env *env, const char *title, pl_page **out);
void pl_page_free(pl_page *p);
// A line below the title, in small letters: when and by what it was made.
void pl_page_origin(pl_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// A key figure: they stand together at the top, above the contents.
void pl_page_key(pl_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pl_page_heading(pl_page *p, int level, const char *text);
void pl_page_text(pl_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pl_page_warning(pl_page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); // stands out
void pl_page_alarm(pl_page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); // the same in red, for results not to be trusted
// Warnings and errors of the whole page: they stand below the key figures, above the contents.
void pl_page_top_warning(pl_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pl_page_top_error(pl_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pl_page_figure(pl_page *p, const char *svg, const char *caption);
// A figure that readers can turn and play, by a script that the page then holds once; its picture
// is that of pl_moving_svg, for paper and for those who run no scripts. Meshes of more than 50,000
// triangles are thinned by merging near vertices, and frames left out where there are many: it adds
// a megabyte at the most, or half as much again where it packs badly. Where the library was built
// without the player, the picture stands alone.
pl_status pl_page_moving(pl_page *p, const pl_moving *m, const char *caption);
// Figures from begin to end stand side by side where there is room.
void pl_page_row_begin(pl_page *p);
void pl_page_row_end(pl_page *p);

// A value that went from before to after within bounds, told in a table with a little picture.
typedef struct pl_bar {
  const char *name, *unit, *note; // note: a last column, may be NULL
  double lo, hi;                  // not finite: no picture
  double before, after;
  int log; // places on a logarithmic scale
} pl_bar;
void pl_page_bars(pl_page *p, int n, const pl_bar *bar);
// rows * cols cells, first row is the header; all text is escaped.
void pl_page_grid(pl_page *p, int rows, int cols, const char *const *cells);
// Links to n files beside the page.
void pl_page_files(pl_page *p, int n, const char *const *name);
void pl_page_code(pl_page *p, const char *text); // preformatted, folded away behind a summary line
pl_status pl_page_write(pl_page *p, const char *path);
// The same into memory: appended to out.
pl_status pl_page_html(pl_page *p, pl_text *out);

PL_DECLS_END

#endif
