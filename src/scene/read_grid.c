// Tables of numbers in scenes: lists of lists, CSV files without a header, grey images (PGM).
#include "build_body.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRID_MOST = 4000000 }; // numbers of a table

// ---- lists ------------------------------------------------------------------------------------

static int read_list_grid(reader *r, const pl_node *at, const char *what, pl_shape_source *in) {
  int nested = at->n > 0 && at->first->kind == NODE_LIST, k = 0;
  in->nrow = nested ? at->n : 1;
  in->ncol = nested ? at->first->n : at->n;
  if (in->ncol == 0 || (long)in->nrow * in->ncol > GRID_MOST) {
    problem(r, at, "e.g. [[0, 1], [2, 1]]", "%s: %d rows of %d numbers", what, in->nrow, in->ncol);
    return 0;
  }
  double *v = scene_alloc(r, (size_t)in->nrow * (size_t)in->ncol, sizeof *v);
  in->grid = v;
  if (!v) return 0;
  for (const pl_node *line = nested ? at->first : at; line; line = nested ? line->next : NULL) {
    if (line->kind != NODE_LIST || line->n != in->ncol) {
      problem(r, line, NULL, "%s: a row of %d numbers after rows of %d", what,
              line->kind == NODE_LIST ? line->n : 1, in->ncol);
      return 0;
    }
    for (const pl_node *d = line->first; d; d = d->next) {
      num x;
      if (!read_num(r, d, what, "m", &x)) return 0;
      if (x.par >= 0) {
        problem(r, d, NULL, "%s cannot depend on a parameter", what);
        return 0;
      }
      v[k++] = x.v;
    }
  }
  return 1;
}

// ---- files ------------------------------------------------------------------------------------

// numbers of a file so far
typedef struct grid_file {
  reader *r;
  const char *path, *s, *end;
  const char *start; // of the line
  int line;
  double *v; // the scene's
  int n;
} grid_file;

// CSV: numbers between commas, semicolons or blanks, as many in every line
static int read_csv_line(grid_file *f, const char *stop, int *count) {
  char word[MESSAGE_QUOTE], buf[MESSAGE_QUOTE + 8];
  *count = 0;
  while (f->s < stop) {
    double v;
    size_t n = pl_number_scan(f->s, (size_t)(stop - f->s), &v);
    if (n == 0 || !isfinite(v)) {
      snprintf(word, sizeof word, "%.*s", (int)strcspn(f->s, " \t\r\n,;"), f->s);
      problem_at(f->r, f->path, f->line, (int)(f->s - f->start) + 1,
                 "numbers alone, without a header", "'%s' is no number",
                 quote(word, buf, sizeof buf));
      return 0;
    }
    f->s += n;
    f->v[f->n++] = v;
    ++*count;
    int comma = 0;
    for (; f->s < stop && strchr(" \t\r,;", *f->s); f->s++) comma += *f->s == ',' || *f->s == ';';
    if (comma > 1 || (comma == 1 && f->s == stop)) {
      problem_at(f->r, f->path, f->line, 0, "numbers alone, without gaps", "a number is missing");
      return 0;
    }
  }
  return 1;
}

static int read_csv_grid(grid_file *f, pl_shape_source *in) {
  size_t most = 1;
  for (const char *c = f->s; c < f->end; c++) most += strchr(" \t\n,;", *c) != NULL;
  if (most > 4 * (size_t)GRID_MOST) {
    problem_at(f->r, f->path, 0, 0, "give every second of them", "the file has too many numbers");
    return 0;
  }
  f->v = scene_alloc(f->r, most + 1, sizeof *f->v);
  if (!f->v) return 0;
  in->grid = f->v;
  while (f->s < f->end) {
    const char *stop = memchr(f->s, '\n', (size_t)(f->end - f->s));
    int count;
    if (!stop) stop = f->end;
    f->line++;
    f->start = f->s;
    while (f->s < stop && strchr(" \t\r", *f->s)) f->s++;
    if (f->s < stop && *f->s != '#') {
      if (!read_csv_line(f, stop, &count)) return 0;
      if (in->nrow > 0 && count != in->ncol) {
        problem_at(f->r, f->path, f->line, 0, NULL, "%d numbers, the lines above have %d", count,
                   in->ncol);
        return 0;
      }
      in->ncol = count;
      in->nrow++;
    }
    f->s = stop + 1;
  }
  for (int k = 0; k < f->n; k++) f->v[k] *= f->r->scale.base[1];
  return 1;
}

// the next whole number of a PGM's text, -1: there is none
static long pgm_number(grid_file *f) {
  while (f->s < f->end && (isspace((unsigned char)*f->s) || *f->s == '#')) {
    if (*f->s == '#')
      while (f->s < f->end && *f->s != '\n') f->s++;
    else
      f->s++;
  }
  long v = -1;
  for (; f->s < f->end && isdigit((unsigned char)*f->s); f->s++)
    v = v > 1000000 ? v : 10 * (v < 0 ? 0 : v) + (*f->s - '0');
  return v;
}

static int read_pgm_grid(grid_file *f, pl_shape_source *in) {
  int binary = f->end - f->s > 2 && f->s[0] == 'P' && f->s[1] == '5';
  int plain = f->end - f->s > 2 && f->s[0] == 'P' && f->s[1] == '2';
  f->s += 2;
  long wide = binary || plain ? pgm_number(f) : -1, high = pgm_number(f), white = pgm_number(f);
  if (wide < 1 || high < 1 || white < 1 || white > 65535) {
    problem_at(f->r, f->path, 0, 0, "grey images (P2 or P5) are read", "the file is no PGM image");
    return 0;
  }
  if (wide > GRID_MOST || wide * high > GRID_MOST) {
    problem_at(f->r, f->path, 0, 0, "make it smaller", "%ld times %ld places are too many", wide,
               high);
    return 0;
  }
  long bytes = white > 255 ? 2 : 1, n = wide * high;
  f->s++; // one blank
  f->v = scene_alloc(f->r, (size_t)n, sizeof *f->v);
  if (!f->v) return 0;
  if (binary && f->end - f->s < n * bytes) n = -1;
  for (long k = 0; k < n; k++) {
    const unsigned char *b = (const unsigned char *)f->s + k * bytes;
    long v = plain ? pgm_number(f) : bytes == 2 ? 256 * b[0] + b[1] : b[0];
    if (v < 0 || v > white) n = -1;
    f->v[k] = (double)v / (double)white;
  }
  if (n < 0) {
    problem_at(f->r, f->path, 0, 0, NULL, "the image ends early, or has values beyond its white");
    return 0;
  }
  in->grid = f->v;
  in->ncol = (int)wide;
  in->nrow = (int)high;
  in->parts = 1;
  return 1;
}

static int read_file_grid(reader *r, const pl_node *at, const char *what, pl_shape_source *in) {
  char path[4096], *data;
  size_t size;
  if (!scene_file(r, at, what, path, sizeof path)) return 0;
  const char *dot = strrchr(path, '.');
  int image = dot && strcmp(dot, ".pgm") == 0;
  if (!image && !(dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".txt") == 0))) {
    problem(r, at, "tables are read from .csv, .txt and .pgm files",
            "%s: the file's ending is none of these", what);
    return 0;
  }
  if (!worked(r, pl_file_read(r->env, path, 256u << 20, &data, &size))) return 0;
  grid_file f = {.r = r, .path = path, .s = data, .end = data + size};
  int ok = image ? read_pgm_grid(&f, in) : read_csv_grid(&f, in);
  pl_free(r->env, data);
  if (ok && (in->nrow == 0 || (long)in->nrow * in->ncol > GRID_MOST)) {
    problem(r, at, NULL, "%s: the file has %d rows of %d numbers", what, in->nrow, in->ncol);
    return 0;
  }
  return ok;
}

int read_grid(reader *r, const pl_node *at, const char *what, pl_shape_source *in) {
  if (at->kind == NODE_SCALAR) return read_file_grid(r, at, what, in);
  if (at->kind == NODE_LIST) return read_list_grid(r, at, what, in);
  problem(r, at, "e.g. [[0, 1], [2, 1]]", "%s must be a list of rows, or the name of a file", what);
  return 0;
}
