// macro: the sheet beside the elements themselves, element by element.
#include "run_macro.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ANGLES = 180 };
static const double FAR = 0.1; // of outlines, over the size of the patch, from which on it is told

void macro_extent(int n, const pl_pose *pose, double lo[3], double hi[3]) {
  for (int c = 0; c < 3; c++) {
    lo[c] = INFINITY;
    hi[c] = -INFINITY;
    for (int i = 0; i < n; i++) {
      lo[c] = fmin(lo[c], pose[i].x[c]);
      hi[c] = fmax(hi[c], pose[i].x[c]);
    }
  }
}

// Largest distance of the outlines, as hulls, seen along an axis: of how far they reach in a
// direction.
static double outlines(int n, const pl_pose *a, const pl_pose *b, int along) {
  double most = 0;
  for (int k = 0; k < ANGLES; k++) {
    double t = 2 * PL_PI * k / ANGLES, d[3] = {0}, range[2] = {-INFINITY, -INFINITY};
    d[(along + 1) % 3] = cos(t);
    d[(along + 2) % 3] = sin(t);
    for (int i = 0; i < n; i++) {
      range[0] = fmax(range[0], pl_dot3(d, a[i].x));
      range[1] = fmax(range[1], pl_dot3(d, b[i].x));
    }
    most = fmax(most, fabs(range[1] - range[0]));
  }
  return most;
}

beside macro_compare(const macro *k, const pl_pose *native) {
  beside b = {0};
  int n = k->patch->p.n;
  double lo[3], hi[3];
  macro_extent(n, k->patch->p.pose, lo, hi);
  for (int c = 0; c < 3; c++) b.size = fmax(b.size, hi[c] - lo[c]);
  macro_extent(n, native, lo, hi);
  pl_sub3(hi, lo, b.native);
  macro_extent(n, k->pose, lo, hi);
  pl_sub3(hi, lo, b.macro);
  for (int along = 0; along < 3; along++)
    b.silhouette = fmax(b.silhouette, outlines(n, native, k->pose, along));
  for (int i = 0; i < n; i++) {
    double d[3];
    pl_sub3(k->pose[i].x, native[i].x, d);
    b.apart = fmax(b.apart, pl_norm3(d));
    b.mean += pl_norm3(d) / n;
  }
  return b;
}

json_t *macro_beside_figures(const beside *b, const char *name) {
  json_t *o = json_object();
  job_set(o, "native", json_string(name));
  job_set(o, "size", json_real(b->size));
  job_set(o, "height_native", json_real(b->native[2]));
  job_set(o, "height", json_real(b->macro[2]));
  job_set(o, "extent_native", json_pack("[f, f, f]", b->native[0], b->native[1], b->native[2]));
  job_set(o, "extent", json_pack("[f, f, f]", b->macro[0], b->macro[1], b->macro[2]));
  job_set(o, "silhouette", json_real(b->silhouette));
  job_set(o, "apart_most", json_real(b->apart));
  job_set(o, "apart_mean", json_real(b->mean));
  return o;
}

void macro_beside_table(const macro *k, const beside *b, const char *what) {
  const char *const head[] = {"", what, "macro", "differ by", "of the size (%)"};
  static const char *const axis[] = {"extent x", "extent y", "height"};
  char native[48], own[48], apart[48];
  grid g = job_grid(k->j, 5, head);
  for (int c = 0; c < 3; c++) {
    double d = b->macro[c] - b->native[c];
    grid_add(&g, "%s", axis[c]);
    grid_add(&g, "%s", job_length_text(k->j, b->native[c], native));
    grid_add(&g, "%s", job_length_text(k->j, b->macro[c], own));
    grid_add(&g, "%s", job_length_text(k->j, d, apart));
    grid_add(&g, "%.2f", 100 * d / b->size);
  }
  const struct {
    const char *name;
    double v;
  } row[] = {{"silhouettes", b->silhouette}, {"elements, most", b->apart}, {"mean", b->mean}};
  for (int i = 0; i < 3; i++) {
    grid_add(&g, "%s", row[i].name);
    grid_add(&g, "%s", "");
    grid_add(&g, "%s", "");
    grid_add(&g, "%s", job_length_text(k->j, row[i].v, apart));
    grid_add(&g, "%.2f", 100 * row[i].v / b->size);
  }
  grid_end(&g);
}

pl_status macro_beside(const macro *k, json_t *figures) {
  const char *name = NULL;
  const pl_pose *native = job_native_kept(k->j, k->a->patch, &name);
  if (!native) return PL_OK;
  beside b = macro_compare(k, native);
  double wide = 0;
  for (int c = 0; c < 2; c++) wide = fmax(wide, fabs(b.macro[c] - b.native[c]));
  char high[48], own[48];
  job_set(figures, "beside", macro_beside_figures(&b, name));
  job_say(k->j, "Origins of elements beside those of %s; the patch is %s long.", name,
          job_length_text(k->j, b.size, own));
  macro_beside_table(k, &b, "native");
  job_note(k->j,
           "%s: beside %s: height %s and %s (%+.1f %% of the size), extent %.1f %%, silhouette "
           "%.1f %%, elements %.1f %%",
           k->a->name, name, job_length_text(k->j, b.native[2], high),
           job_length_text(k->j, b.macro[2], own), 100 * (b.macro[2] - b.native[2]) / b.size,
           100 * wide / b.size, 100 * b.silhouette / b.size, 100 * b.apart / b.size);
  if (b.silhouette > FAR * b.size)
    pl_report(k->j->env, PL_WARNING, k->j->scene->path, k->a->line, k->a->col,
              "trust native of this patch; joint: yes tells whether elements could be where the "
              "sheet is",
              "%s: the sheet is not where its elements are: outlines differ by %.0f %% of the size",
              k->a->name, 100 * b.silhouette / b.size);
  return PL_OK;
}
