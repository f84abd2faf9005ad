// PNG by zlib alone: all depths and kinds of colours, interlaced or not. What is dark or coloured
// is material; colours name it.
#include "drawing.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

typedef struct png {
  pl_load *in;
  pl_drawing *d;
  unsigned w, h;
  int depth, kind, interlaced; // bits of a channel; PNG's colour type
  int npalette, nalpha;
  unsigned char palette[256][3], alpha[256];
  int key[3]; // the transparent colour, -1: none
  const unsigned char *data;
  z_stream z;
  int started;
  unsigned char *line[2]; // this line and the one before
  double threshold;
} png;

static uint32_t big32(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// ---- colours ----------------------------------------------------------------------------------

static const char *const colour_name[] = {"black", "red",  "yellow", "green",
                                          "cyan",  "blue", "magenta"};

// 0: paper, 1: black or grey, 2 ... the six colours by their hue
static unsigned char classify(const png *p, const double rgb[3], double alpha) {
  double lo = fmin(rgb[0], fmin(rgb[1], rgb[2])), hi = fmax(rgb[0], fmax(rgb[1], rgb[2]));
  if (alpha < 0.5 || !(lo < p->threshold)) return 0;
  if (hi - lo < 0.25) return 1;
  int most = rgb[0] == hi ? 0 : rgb[1] == hi ? 1 : 2;
  double hue = 2 * most + (rgb[(most + 1) % 3] - rgb[(most + 2) % 3]) / (hi - lo);
  int k = (int)floor(hue + 0.5);
  return (unsigned char)(2 + (k + 6) % 6);
}

static int sample(const png *p, const unsigned char *line, unsigned at) {
  if (p->depth == 16) return line[2 * at] << 8 | line[2 * at + 1];
  if (p->depth == 8) return line[at];
  unsigned per = 8u / (unsigned)p->depth, shift = (per - 1 - at % per) * (unsigned)p->depth;
  return line[at / per] >> shift & ((1 << p->depth) - 1);
}

static const int channels[7] = {1, 0, 3, 1, 2, 0, 4};

static unsigned char pixel_of(const png *p, const unsigned char *line, unsigned x) {
  int n = channels[p->kind], v[4] = {0}, transparent = p->key[0] >= 0;
  double most = (1 << p->depth) - 1, rgb[3], alpha = 1;
  for (int c = 0; c < n; c++) v[c] = sample(p, line, x * (unsigned)n + (unsigned)c);
  if (p->kind == 3) {
    for (int c = 0; c < 3; c++) rgb[c] = p->palette[v[0]][c] / 255.0;
    return classify(p, rgb, v[0] < p->nalpha ? p->alpha[v[0]] / 255.0 : 1);
  }
  for (int c = 0; c < 3; c++) rgb[c] = v[n >= 3 ? c : 0] / most;
  if (p->kind == 4 || p->kind == 6) alpha = v[n - 1] / most;
  for (int c = 0; c < (n >= 3 ? 3 : 1); c++) transparent &= v[c] == p->key[c];
  return classify(p, rgb, transparent ? 0 : alpha);
}

// ---- chunks -----------------------------------------------------------------------------------

static pl_status read_header(png *p, const char *data, size_t size) {
  static const int depths[7] = {1 | 2 | 4 | 8 | 16, 0, 8 | 16, 1 | 2 | 4 | 8, 8 | 16, 0, 8 | 16};
  if (size != 13) return pl_load_fail(p->in, NULL, "the header has %zu bytes, not 13", size);
  p->w = big32(data);
  p->h = big32(data + 4);
  p->depth = (unsigned char)data[8];
  p->kind = (unsigned char)data[9];
  p->interlaced = (unsigned char)data[12];
  if (p->kind > 6 || !(depths[p->kind] & p->depth) || (p->depth & (p->depth - 1)) != 0 ||
      data[10] || data[11] || p->interlaced > 1)
    return pl_load_fail(p->in, NULL, "colours of type %d with %d bits are not known", p->kind,
                        p->depth);
  if (p->w == 0 || p->h == 0 || (double)p->w * p->h > DRAWING_PIXELS || p->w > 1 << 24)
    return pl_load_fail(p->in, "make the picture smaller",
                        "a picture of %u x %u pixels; at least one and at most %d", p->w, p->h,
                        DRAWING_PIXELS);
  return PL_OK;
}

static pl_status read_small(png *p, const char *type, const char *data, size_t size) {
  if (memcmp(type, "PLTE", 4) == 0) {
    if (size % 3 || size > sizeof p->palette)
      return pl_load_fail(p->in, NULL, "a palette of %zu bytes", size);
    memcpy(p->palette, data, size);
    p->npalette = (int)size / 3;
  } else if (memcmp(type, "tRNS", 4) == 0) {
    const unsigned char *b = (const unsigned char *)data;
    if (p->kind == 3) {
      p->nalpha = size > 256 ? 256 : (int)size;
      memcpy(p->alpha, data, (size_t)p->nalpha);
    }
    if (p->kind == 0 && size >= 2) p->key[0] = b[0] << 8 | b[1];
    for (int c = 0; c < 3 && p->kind == 2 && size >= 6; c++)
      p->key[c] = b[2 * c] << 8 | b[2 * c + 1];
  } else if (memcmp(type, "pHYs", 4) == 0 && size == 9 && data[8] == 1) {
    double per = big32(data);
    if (per > 0 && big32(data) == big32(data + 4)) p->d->unit = 1 / per;
  }
  return PL_OK;
}

// ---- lines ------------------------------------------------------------------------------------

static size_t line_bytes(const png *p, unsigned w) {
  return ((size_t)w * (size_t)channels[p->kind] * (size_t)p->depth + 7) / 8;
}

static int paeth(int a, int b, int c) {
  int pa = b - c, pb = a - c, pc = pa + pb;
  pa = pa < 0 ? -pa : pa;
  pb = pb < 0 ? -pb : pb;
  pc = pc < 0 ? -pc : pc;
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static int undo_filter(int filter, size_t n, size_t step, const unsigned char *up,
                       unsigned char *v) {
  if (filter > 4) return 0;
  for (size_t i = 0; i < n; i++) {
    int a = i >= step ? v[i - step] : 0, b = up[i], c = i >= step ? up[i - step] : 0;
    int add[5] = {0, a, b, (a + b) / 2, paeth(a, b, c)};
    v[i] = (unsigned char)(v[i] + add[filter]);
  }
  return 1;
}

// the next bytes of the picture, from one data chunk after the other
static pl_status store_array(png *p, unsigned char *to, size_t n) {
  p->z.next_out = to;
  p->z.avail_out = (unsigned)n;
  while (p->z.avail_out > 0) {
    if (p->z.avail_in == 0) {
      const char *at = p->in->at;
      if (p->in->end - at < 12 || memcmp(at + 4, "IDAT", 4) != 0 ||
          big32(at) > (size_t)(p->in->end - at) - 12)
        return pl_load_fail(p->in, "the file may be cut off", "the data of the picture end early");
      p->z.next_in = (unsigned char *)(uintptr_t)(at + 8);
      p->z.avail_in = big32(at);
      p->in->at += 12 + (size_t)big32(at);
      if (p->z.avail_in == 0) continue;
    }
    int r = inflate(&p->z, Z_NO_FLUSH);
    if (r == Z_STREAM_END && p->z.avail_out > 0)
      return pl_load_fail(p->in, "the file may be cut off", "the data of the picture end early");
    if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
      return pl_load_fail(p->in, NULL, "the data of the picture are damaged");
  }
  return PL_OK;
}

// one pass: every dx-th pixel from x0 on, every dy-th line from y0 on
static pl_status read_pass(png *p, unsigned x0, unsigned y0, unsigned dx, unsigned dy) {
  unsigned w = p->w > x0 ? (p->w - x0 + dx - 1) / dx : 0;
  if (w == 0) return PL_OK;
  size_t n = line_bytes(p, w), step = (size_t)(channels[p->kind] * p->depth + 7) / 8;
  memset(p->line[1], 0, n);
  for (unsigned y = y0; y < p->h; y += dy) {
    unsigned char filter;
    PL_TRY(store_array(p, &filter, 1));
    PL_TRY(store_array(p, p->line[0], n));
    if (!undo_filter(filter, n, step, p->line[1], p->line[0]))
      return pl_load_fail(p->in, NULL, "line %u has the filter %d, which does not exist", y + 1,
                          filter);
    for (unsigned i = 0; i < w; i++)
      p->d->pixel[(size_t)y * p->w + x0 + (size_t)i * dx] = pixel_of(p, p->line[0], i);
    unsigned char *swap = p->line[0];
    p->line[0] = p->line[1];
    p->line[1] = swap;
    if (y % 256 == 0) PL_TRY(pl_report_progress(p->in->env, "picture", (double)y / p->h, NULL));
  }
  return PL_OK;
}

static pl_status read_lines(png *p) {
  static const unsigned pass[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                      {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  if (p->kind == 3 && p->npalette == 0) return pl_load_fail(p->in, NULL, "there is no palette");
  // what is not in the file is not believed: zlib cannot pass 1032 to 1
  double need = (double)line_bytes(p, p->w) * p->h;
  if (need > 1040.0 * (double)(p->in->end - p->in->begin))
    return pl_load_fail(p->in, "the file may be cut off",
                        "a picture of %u x %u pixels in %zu bytes", p->w, p->h,
                        (size_t)(p->in->end - p->in->begin));
  p->d->cols = (int)p->w;
  p->d->rows = (int)p->h;
  p->d->pixel = pl_alloc(p->in->env, (size_t)p->w * p->h, 1);
  for (int k = 0; k < 2; k++) p->line[k] = pl_alloc(p->in->env, line_bytes(p, p->w) + 8, 1);
  if (!p->d->pixel || !p->line[0] || !p->line[1]) return PL_E_NOMEM;
  if (inflateInit(&p->z) != Z_OK) return pl_fail(p->in->env, PL_E_NOMEM, "no memory for zlib");
  p->started = 1;
  if (!p->interlaced) return read_pass(p, 0, 0, 1, 1);
  for (int k = 0; k < 7; k++) PL_TRY(read_pass(p, pass[k][0], pass[k][1], pass[k][2], pass[k][3]));
  return PL_OK;
}

static pl_status read_chunks(png *p) {
  pl_load *in = p->in;
  static const char mark[8] = "\x89PNG\r\n\x1a\n";
  in->line = 0;
  if (in->end - in->begin < 8 || memcmp(in->begin, mark, 8) != 0)
    return pl_load_fail(in, NULL, "this is not a PNG file");
  in->at = in->begin + 8;
  for (;;) {
    if (in->end - in->at < 12)
      return pl_load_fail(in, "the file may be cut off", "the file ends before the picture");
    size_t size = big32(in->at);
    const char *type = in->at + 4, *data = in->at + 8;
    if (size > (size_t)(in->end - data) - 4)
      return pl_load_fail(in, "the file may be cut off", "a part of %zu bytes does not fit", size);
    if (memcmp(type, "IHDR", 4) == 0)
      PL_TRY(read_header(p, data, size));
    else if (p->w == 0)
      return pl_load_fail(in, NULL, "the header does not come first");
    else if (memcmp(type, "IDAT", 4) == 0)
      return read_lines(p);
    else
      PL_TRY(read_small(p, type, data, size));
    in->at = data + size + 4;
  }
}

pl_status drawing_png(pl_load *in, double threshold, pl_drawing *d) {
  png p = {.in = in, .d = d, .key = {-1, -1, -1}, .threshold = threshold > 0 ? threshold : 0.5};
  int name;
  pl_status s = PL_OK;
  for (int k = 0; s == PL_OK && k < 7; k++)
    s = drawing_name(d, colour_name[k], strlen(colour_name[k]), &name);
  if (s == PL_OK) s = read_chunks(&p);
  if (p.started) inflateEnd(&p.z);
  pl_free(in->env, p.line[0]);
  pl_free(in->env, p.line[1]);
  return s;
}
