// SVG as far as outlines go: paths and basic shapes with transforms, fills and strokes, groups with
// names. What has no outline (texts, pictures, uses) is told and left out.
#include "drawing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 128, REPORTED_MAX = 3, CLASS_MAX = 64 };

typedef enum colour { COLOUR_NONE, COLOUR_PAPER, COLOUR_INK } colour;

// what elements hand down to those in them
typedef struct look {
  colour fill, stroke;
  double width;
  int evenodd, hidden;
  line_join join;
  line_cap cap;
  affine to;
  int nname, name[DRAWING_NAMES];
} look;

typedef struct span {
  const char *at;
  size_t n;
} span;

typedef struct tag {
  span name, attr;
  int close, empty; // </x>, <x/>
} tag;

typedef struct svg {
  pl_load *in;
  pl_drawing *d;
  int depth, skip; // skip: depth of an element whose inside is passed over, 0: none
  span open[DEPTH_MAX];
  look look[DEPTH_MAX + 1];
  span css; // text of style elements, the first one
  double fine;
  int reported;
} svg;

// ---- XML --------------------------------------------------------------------------------------

static int is(span s, const char *word) {
  return s.n == strlen(word) && memcmp(s.at, word, s.n) == 0;
}

static void move_to(pl_load *in, const char *to) {
  for (const char *p = in->at; p < to && (p = memchr(p, '\n', (size_t)(to - p))) != NULL; p++)
    in->line++;
  in->at = to;
}

static pl_status skip_past(pl_load *in, const char *mark) {
  const char *hit = memmem(in->at, (size_t)(in->end - in->at), mark, strlen(mark));
  if (!hit) return pl_load_fail(in, "the file may be cut off", "no '%s' to the end", mark);
  move_to(in, hit + strlen(mark));
  return PL_OK;
}

static int begins(const pl_load *in, const char *mark) {
  size_t n = strlen(mark);
  return (size_t)(in->end - in->at) >= n && memcmp(in->at, mark, n) == 0;
}

// <!DOCTYPE ... [ ... ]>
static pl_status skip_doctype(pl_load *in) {
  int brackets = 0;
  for (const char *p = in->at; p < in->end; p++) {
    brackets += *p == '[' ? 1 : *p == ']' ? -1 : 0;
    if (*p != '>' || brackets > 0) continue;
    move_to(in, p + 1);
    return PL_OK;
  }
  return pl_load_fail(in, "the file may be cut off", "no '>' to the end");
}

// the end of a tag: '>' outside quotes
static const char *tag_end(const pl_load *in) {
  char quote = 0;
  for (const char *p = in->at; p < in->end; p++) {
    if (quote)
      quote = *p == quote ? 0 : quote;
    else if (*p == '"' || *p == '\'')
      quote = *p;
    else if (*p == '>')
      return p;
  }
  return NULL;
}

// The next tag; name.n 0: the text has ended.
static pl_status next_tag(pl_load *in, tag *t) {
  *t = (tag){{NULL, 0}, {NULL, 0}, 0, 0};
  for (;;) {
    const char *p = memchr(in->at, '<', (size_t)(in->end - in->at));
    if (!p) {
      move_to(in, in->end);
      return PL_OK;
    }
    move_to(in, p);
    if (begins(in, "<!--"))
      PL_TRY(skip_past(in, "-->"));
    else if (begins(in, "<![CDATA["))
      PL_TRY(skip_past(in, "]]>"));
    else if (begins(in, "<?"))
      PL_TRY(skip_past(in, "?>"));
    else if (begins(in, "<!"))
      PL_TRY(skip_doctype(in));
    else
      break;
  }
  const char *stop = tag_end(in), *p = in->at + 1;
  if (!stop) return pl_load_fail(in, "the file may be cut off", "a tag has no end");
  t->close = p < stop && *p == '/';
  t->empty = stop[-1] == '/' && !t->close;
  t->name.at = p += t->close;
  while (p < stop && !pl_is_space(*p) && *p != '/') p++;
  t->name.n = (size_t)(p - t->name.at);
  t->attr = (span){p, (size_t)(stop - t->empty - p)};
  if (stop - t->empty < p) t->attr.n = 0;
  if (t->name.n == 0) return pl_load_fail(in, NULL, "a tag has no name");
  return PL_OK;
}

static int attribute(const tag *t, const char *name, span *out) {
  const char *p = t->attr.at, *end = p + t->attr.n;
  while (p < end) {
    while (p < end && pl_is_space(*p)) p++;
    span key = {p, 0};
    while (p < end && *p != '=' && !pl_is_space(*p)) p++;
    key.n = (size_t)(p - key.at);
    while (p < end && (pl_is_space(*p) || *p == '=')) p++;
    if (p >= end || (*p != '"' && *p != '\'')) return 0;
    const char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
    if (!close) return 0;
    if (is(key, name)) {
      *out = (span){p + 1, (size_t)(close - p - 1)};
      return 1;
    }
    p = close + 1;
  }
  return 0;
}

// ---- properties -------------------------------------------------------------------------------

static span trim(const char *from, const char *to) {
  while (from < to && pl_is_space(*from)) from++;
  while (to > from && pl_is_space(to[-1])) to--;
  return (span){from, (size_t)(to - from)};
}

// the value of a property in "a: b; c: d"; the last one counts
static int declared(span list, const char *name, span *out) {
  const char *p = list.at, *end = list.at + list.n;
  int found = 0;
  while (p < end) {
    const char *stop = memchr(p, ';', (size_t)(end - p));
    if (!stop) stop = end;
    const char *colon = memchr(p, ':', (size_t)(stop - p));
    if (colon && is(trim(p, colon), name)) {
      *out = trim(colon + 1, stop);
      found = 1;
    }
    p = stop + 1;
  }
  return found;
}

// 1: one of the selectors of a rule is the class
static int selects(span rule, span class) {
  const char *p = rule.at, *end = rule.at + rule.n;
  while (p < end) {
    const char *stop = memchr(p, ',', (size_t)(end - p));
    if (!stop) stop = end;
    span one = trim(p, stop);
    if (one.n == class.n + 1 && one.at[0] == '.' && memcmp(one.at + 1, class.at, class.n) == 0)
      return 1;
    p = stop + 1;
  }
  return 0;
}

// rules of plain classes, as drawing programs write them
static int of_class(span css, span class, const char *name, span *out) {
  const char *p = css.at, *end = css.at + css.n;
  int found = 0;
  while (p < end) {
    const char *open = memchr(p, '{', (size_t)(end - p));
    const char *stop = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
    if (!stop) return found;
    span rule = trim(p, open), body = {open + 1, (size_t)(stop - open - 1)};
    if (selects(rule, class)) found |= declared(body, name, out);
    p = stop + 1;
  }
  return found;
}

// of the element alone: attribute, then classes, then style
static int property(const svg *s, const tag *t, const char *name, span *out) {
  span list;
  int found = attribute(t, name, out);
  if (s->css.n > 0 && attribute(t, "class", &list)) {
    const char *p = list.at, *end = p + list.n;
    for (int k = 0; p < end && k < CLASS_MAX; k++) {
      while (p < end && pl_is_space(*p)) p++;
      span class = {p, 0};
      while (p < end && !pl_is_space(*p)) p++;
      class.n = (size_t)(p - class.at);
      if (class.n > 0) found |= of_class(s->css, class, name, out);
    }
  }
  if (attribute(t, "style", &list)) found |= declared(list, name, out);
  return found;
}

// white is paper, which covers what was drawn before
static colour read_colour(span v) {
  if (is(v, "none") || is(v, "transparent")) return COLOUR_NONE;
  if (is(v, "white") || (v.n == 4 && strncasecmp(v.at, "#fff", 4) == 0) ||
      (v.n == 7 && strncasecmp(v.at, "#ffffff", 7) == 0))
    return COLOUR_PAPER;
  return COLOUR_INK;
}

// metres in a unit of lengths, 0: it has none or is a part of something
static double unit_of(span v, double pixel) {
  static const struct {
    const char *name;
    double metres;
  } unit[] = {{"mm", 1e-3},       {"cm", 1e-2},   {"in", 0.0254}, {"pt", 0.0254 / 72},
              {"pc", 0.0254 / 6}, {"Q", 0.25e-3}, {"q", 0.25e-3}, {"px", 0}};
  for (size_t k = 0; k < sizeof unit / sizeof *unit; k++)
    if (is(v, unit[k].name)) return unit[k].metres > 0 ? unit[k].metres : pixel;
  return v.n == 0 ? pixel : 0;
}

static int read_length(span v, double pixel, double *value, double *unit) {
  const char *p = v.at, *end = v.at + v.n;
  if (!svg_number(&p, end, value)) return 0;
  *unit = unit_of(trim(p, end), pixel);
  return 1;
}

// a length in units of the drawing
static double user_length(const svg *s, const tag *t, const char *name, double none) {
  static const double pixel = 0.0254 / 96;
  span v;
  double value, unit;
  if (!property(s, t, name, &v) || !read_length(v, pixel, &value, &unit)) return none;
  return unit > 0 ? value * unit / pixel : none;
}

// ---- what an element looks like ----------------------------------------------------------------

static pl_status read_name(svg *s, const tag *t, look *l) {
  span v;
  if (!attribute(t, "inkscape:label", &v) && !attribute(t, "id", &v)) return PL_OK;
  if (v.n == 0 || v.n > PL_READ_NAME || l->nname == DRAWING_NAMES) return PL_OK;
  return drawing_name(s->d, v.at, v.n, &l->name[l->nname++]);
}

static void read_line(const svg *s, const tag *t, look *l) {
  span v;
  l->width = user_length(s, t, "stroke-width", l->width);
  if (property(s, t, "stroke-linejoin", &v))
    l->join = is(v, "round") ? JOIN_ROUND : is(v, "bevel") ? JOIN_BEVEL : JOIN_MITER;
  if (property(s, t, "stroke-linecap", &v))
    l->cap = is(v, "round") ? CAP_ROUND : is(v, "square") ? CAP_SQUARE : CAP_BUTT;
}

static pl_status read_look(svg *s, const tag *t, look *l) {
  span v;
  const char *p;
  double value;
  if (property(s, t, "fill", &v) && !is(v, "inherit")) l->fill = read_colour(v);
  if (property(s, t, "stroke", &v) && !is(v, "inherit")) l->stroke = read_colour(v);
  if (property(s, t, "fill-rule", &v)) l->evenodd = is(v, "evenodd");
  if (property(s, t, "display", &v)) l->hidden |= is(v, "none");
  if (property(s, t, "visibility", &v)) l->hidden |= is(v, "hidden");
  if (property(s, t, "opacity", &v) && (p = v.at, svg_number(&p, v.at + v.n, &value)))
    l->hidden |= value == 0;
  read_line(s, t, l);
  affine own;
  if (property(s, t, "transform", &v)) {
    if (!svg_transform(v.at, v.at + v.n, &own))
      return pl_load_fail(s->in, "e.g. translate(10, 20) rotate(30)",
                          "<%.*s>: the transform '%.*s' is not understood", (int)t->name.n,
                          t->name.at, v.n > 40 ? 40 : (int)v.n, v.at);
    l->to = affine_times(l->to, own);
  }
  return read_name(s, t, l);
}

// ---- shapes -----------------------------------------------------------------------------------

static pl_status add_shape(svg *s, const look *l, colour c, int evenodd) {
  pl_drawing *d = s->d;
  if (d->nshape >= DRAWING_SHAPES)
    return pl_load_fail(s->in, NULL, "more than %d shapes", DRAWING_SHAPES);
  PL_TRY(pl_grow(s->in->env, &d->shape, d->nshape, &d->cap_shape, sizeof *d->shape));
  shape *to = &d->shape[d->nshape++];
  *to = (shape){.evenodd = evenodd, .contour = d->ncontour, .nname = l->nname};
  to->paint = c == COLOUR_INK ? PAINT_MATERIAL : c == COLOUR_PAPER ? PAINT_CUT : PAINT_LABEL;
  memcpy(to->name, l->name, sizeof to->name);
  return PL_OK;
}

// shapes without fill and stroke are no material but name what lies in them
static pl_status paint_trace(svg *s, const look *l, const trace *t) {
  int line = l->stroke != COLOUR_NONE && l->width > 0;
  if (l->fill != COLOUR_NONE || (!line && l->nname > 0)) {
    PL_TRY(add_shape(s, l, l->fill, l->evenodd));
    PL_TRY(trace_fill(t, s->d));
  }
  if (!line) return PL_OK;
  PL_TRY(add_shape(s, l, l->stroke, 0));
  return trace_stroke(t, l->width, l->join, l->cap, s->d);
}

static pl_status bad_data(svg *s, const tag *t, span all, const char *at) {
  size_t left = all.n - (size_t)(at - all.at);
  return pl_load_fail(
      s->in, NULL, "<%.*s>: what begins with '%.*s' (character %zu) is not understood",
      (int)t->name.n, t->name.at, left > 20 ? 20 : (int)left, at, (size_t)(at - all.at) + 1);
}

static pl_status trace_points(svg *s, const tag *t, trace *to) {
  span v;
  double x, y;
  int n = 0;
  if (!attribute(t, "points", &v)) return PL_OK;
  const char *p = v.at, *end = v.at + v.n;
  while (svg_number(&p, end, &x)) {
    if (!svg_number(&p, end, &y)) return bad_data(s, t, v, p);
    PL_TRY(n++ == 0 ? trace_move(to, x, y) : trace_line(to, x, y));
  }
  while (p < end && pl_is_space(*p)) p++;
  if (p < end) return bad_data(s, t, v, p);
  if (is(t->name, "polygon")) trace_close(to);
  return PL_OK;
}

static pl_status trace_rect(const svg *s, const tag *t, trace *to) {
  double x = user_length(s, t, "x", 0), y = user_length(s, t, "y", 0);
  double w = user_length(s, t, "width", 0), h = user_length(s, t, "height", 0);
  double rx = user_length(s, t, "rx", -1), ry = user_length(s, t, "ry", -1);
  if (!(w > 0) || !(h > 0)) return PL_OK;
  if (rx < 0) rx = ry > 0 ? ry : 0;
  if (ry < 0) ry = rx;
  rx = fmin(rx, 0.5 * w);
  ry = fmin(ry, 0.5 * h);
  char path[800];
  if (rx > 0 && ry > 0)
    snprintf(path, sizeof path,
             "M%.17g %.17g h%.17g a%.17g %.17g 0 0 1 %.17g %.17g v%.17g a%.17g %.17g 0 0 1 %.17g "
             "%.17g h%.17g a%.17g %.17g 0 0 1 %.17g %.17g v%.17g a%.17g %.17g 0 0 1 %.17g %.17gz",
             x + rx, y, w - 2 * rx, rx, ry, rx, ry, h - 2 * ry, rx, ry, -rx, ry, 2 * rx - w, rx, ry,
             -rx, -ry, 2 * ry - h, rx, ry, rx, -ry);
  else
    snprintf(path, sizeof path, "M%.17g %.17g h%.17g v%.17g h%.17gz", x, y, w, h, -w);
  const char *p = path;
  return trace_path(to, &p, path + strlen(path));
}

static pl_status trace_shape(svg *s, const tag *t, trace *to) {
  span v;
  if (is(t->name, "path")) {
    if (!attribute(t, "d", &v)) return PL_OK;
    const char *p = v.at;
    pl_status st = trace_path(to, &p, v.at + v.n);
    return st == PL_DOMAIN ? bad_data(s, t, v, p) : st;
  }
  if (is(t->name, "rect")) return trace_rect(s, t, to);
  if (is(t->name, "polygon") || is(t->name, "polyline")) return trace_points(s, t, to);
  if (is(t->name, "line")) {
    PL_TRY(trace_move(to, user_length(s, t, "x1", 0), user_length(s, t, "y1", 0)));
    return trace_line(to, user_length(s, t, "x2", 0), user_length(s, t, "y2", 0));
  }
  double r = user_length(s, t, "r", 0), rx = user_length(s, t, "rx", r);
  double ry = user_length(s, t, "ry", r);
  if (!(rx > 0) || !(ry > 0)) return PL_OK;
  return trace_ellipse(to, user_length(s, t, "cx", 0), user_length(s, t, "cy", 0), rx, ry);
}

static pl_status draw_shape(svg *s, const tag *t, const look *l) {
  trace to = {.env = s->in->env, .to = l->to, .fine = s->fine};
  pl_status st = trace_shape(s, t, &to);
  if (st == PL_OK && !l->hidden) st = paint_trace(s, l, &to);
  trace_free(&to);
  return st;
}

// ---- the drawing ------------------------------------------------------------------------------

// units of the outermost element: points are in units of a pixel of 1/96 inch, or of the view box
static pl_status read_page(svg *s, const tag *t, look *l) {
  static const double pixel = 0.0254 / 96;
  span v;
  double size[2] = {0, 0}, unit[2] = {0, 0}, box[4] = {0, 0, 0, 0};
  int known = 0;
  static const char *const side[2] = {"width", "height"};
  for (int k = 0; k < 2; k++) {
    if (!attribute(t, side[k], &v) || !read_length(v, pixel, &size[k], &unit[k])) continue;
    // pixels say little about the size of a part
    known |= unit[k] > 0 && unit[k] != pixel;
    size[k] *= unit[k];
  }
  int n = 0;
  if (attribute(t, "viewBox", &v)) {
    const char *p = v.at;
    while (n < 4 && svg_number(&p, v.at + v.n, &box[n])) n++;
    if (n < 4 || !(box[2] > 0) || !(box[3] > 0))
      return pl_load_fail(s->in, "e.g. viewBox=\"0 0 60 20\"", "<svg>: the viewBox '%.*s' is wrong",
                          v.n > 40 ? 40 : (int)v.n, v.at);
  }
  double scale = 1;
  if (n == 4 && (size[0] > 0 || size[1] > 0)) {
    double x = size[0] / (box[2] * pixel), y = size[1] / (box[3] * pixel);
    scale = size[0] > 0 && size[1] > 0 ? fmin(x, y) : fmax(x, y);
  }
  double span_of = n == 4 ? hypot(box[2], box[3]) * scale : hypot(size[0], size[1]) / pixel;
  s->fine = 1e-5 * (span_of > 0 ? span_of : 1000);
  l->to = (affine){{scale, 0, 0, scale, -box[0] * scale, -box[1] * scale}};
  s->d->unit = pixel;
  if (!known) s->d->unit = -pixel;
  return PL_OK;
}

// elements whose inside is not drawn, and of these the ones that are told
static int passes_over(span name, int *reported) {
  static const char *const quiet[] = {
      "defs",   "symbol",         "clipPath",           "mask",     "pattern",
      "marker", "linearGradient", "radialGradient",     "metadata", "title",
      "desc",   "script",         "sodipodi:namedview", "style",    "filter"};
  static const char *const loud[] = {"text", "image", "use", "foreignObject"};
  *reported = 0;
  for (size_t k = 0; k < sizeof quiet / sizeof *quiet; k++)
    if (is(name, quiet[k])) return 1;
  for (size_t k = 0; k < sizeof loud / sizeof *loud; k++) *reported |= is(name, loud[k]);
  return *reported;
}

static int is_shape(span name) {
  static const char *const known[] = {"path",     "rect",    "circle", "ellipse",
                                      "polyline", "polygon", "line"};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (is(name, known[k])) return 1;
  return 0;
}

static pl_status open_tag(svg *s, const tag *t) {
  int reported;
  look *l = &s->look[s->depth + 1];
  *l = s->look[s->depth];
  if (s->depth == 0) {
    if (!is(t->name, "svg"))
      return pl_load_fail(s->in, NULL, "the outermost element is <%.*s>, not <svg>",
                          t->name.n > 20 ? 20 : (int)t->name.n, t->name.at);
    PL_TRY(read_page(s, t, l));
  }
  if (s->skip == 0 && passes_over(t->name, &reported)) {
    s->skip = s->depth + 1;
    if (reported && s->reported++ < REPORTED_MAX)
      pl_report(s->in->env, PL_WARNING, s->in->name, s->in->line, 0,
                "convert it to a path in the drawing program",
                "<%.*s> has no outline: it is left out", (int)t->name.n, t->name.at);
    if (is(t->name, "style") && !t->empty && s->css.n == 0) {
      const char *from = tag_end(s->in) + 1;
      const char *to = memmem(from, (size_t)(s->in->end - from), "</style", 7);
      if (to) s->css = (span){from, (size_t)(to - from)};
    }
  }
  if (s->skip == 0) {
    affine page = l->to;
    PL_TRY(read_look(s, t, l));
    // the page has no transform of its own, nor a name that says anything
    if (s->depth == 0) {
      l->to = page;
      l->nname = 0;
    }
    if (is_shape(t->name)) PL_TRY(draw_shape(s, t, l));
  }
  if (t->empty) {
    if (s->skip == s->depth + 1) s->skip = 0;
    return PL_OK;
  }
  if (s->depth == DEPTH_MAX - 1)
    return pl_load_fail(s->in, NULL, "elements are nested deeper than %d", DEPTH_MAX - 1);
  s->open[s->depth++] = t->name;
  return PL_OK;
}

static pl_status close_tag(svg *s, const tag *t) {
  span *o = s->depth > 0 ? &s->open[s->depth - 1] : NULL;
  if (!o || o->n != t->name.n || memcmp(o->at, t->name.at, o->n) != 0)
    return pl_load_fail(s->in, NULL, "</%.*s> closes what was not opened",
                        t->name.n > 20 ? 20 : (int)t->name.n, t->name.at);
  if (s->skip == s->depth) s->skip = 0;
  s->depth--;
  return PL_OK;
}

pl_status drawing_svg(pl_load *in, pl_drawing *d) {
  svg *s = pl_alloc(in->env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  pl_status st = PL_OK;
  int seen = 0;
  s->in = in;
  s->d = d;
  s->look[0] = (look){.fill = COLOUR_INK, .width = 1, .to = {{1, 0, 0, 1, 0, 0}}};
  for (tag t; st == PL_OK;) {
    st = next_tag(in, &t);
    if (st != PL_OK || t.name.n == 0) break;
    seen = 1;
    st = t.close ? close_tag(s, &t) : open_tag(s, &t);
    // the place of a tag in messages is its beginning
    if (st == PL_OK) move_to(in, tag_end(in) + 1);
  }
  if (st == PL_OK && !seen) st = pl_load_fail(in, NULL, "there is no <svg> in it");
  if (st == PL_OK && s->depth > 0)
    st = pl_load_fail(in, "the file may be cut off", "<%.*s> is not closed",
                      (int)s->open[s->depth - 1].n, s->open[s->depth - 1].at);
  pl_free(in->env, s);
  return st;
}
