// Lines of obstacles behind pictures.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <string.h>

typedef struct pencil {
  pl_env *env;
  pl_status status;
  int n, capacity;
  double (*line)[2][3], (*drift)[3];
  double lo[3], hi[3]; // of the model and around it: what lies outside is not drawn
  double way[3];       // of the obstacle
} pencil;

static void grow(pencil *p) {
  size_t n = p->capacity > 0 ? 2 * (size_t)p->capacity : 256;
  void *line = pl_realloc(p->env, p->line, n, sizeof *p->line);
  if (line) p->line = line;
  void *drift = line ? pl_realloc(p->env, p->drift, n, sizeof *p->drift) : NULL;
  if (drift) p->drift = drift;
  if (drift)
    p->capacity = (int)n;
  else
    p->status = PL_E_NOMEM;
}

static void draw(void *ctx, const double *a, const double *b) {
  pencil *p = ctx;
  for (int c = 0; c < 3; c++) {
    // what comes into the picture or leaves it is drawn where it begins
    double lo = p->lo[c] - fmax(p->way[c], 0), hi = p->hi[c] - fmin(p->way[c], 0);
    if (!(a[c] >= lo && a[c] <= hi && b[c] >= lo && b[c] <= hi)) return;
  }
  if (p->n == p->capacity) grow(p);
  if (p->status != PL_OK) return;
  memcpy(p->line[p->n][0], a, 3 * sizeof *a);
  memcpy(p->line[p->n][1], b, 3 * sizeof *b);
  memcpy(p->drift[p->n++], p->way, sizeof p->way);
}

pl_status job_backdrop(const job *j, double t, double until, int npos, const double *x,
                       pl_view *view) {
  const pl_contact_desc *d = &j->scene->contact;
  size_t count = (size_t)npos * (size_t)j->scene->mesh->nvert;
  double size[3];
  if (d->nnode == 0) return PL_OK;
  pencil p = {.env = j->env};
  pl_picture_box(count, x, p.lo, p.hi);
  pl_sub3(p.hi, p.lo, size);
  for (int k = 0; k < d->nobstacle && p.status == PL_OK; k++) {
    const pl_obstacle *o = &d->obstacle[k];
    for (int c = 0; c < 3; c++) p.way[c] = (until - t) * o->velocity[c];
    // what only passes by at great speed would make the body small
    if (pl_norm3(p.way) > pl_norm3(size)) continue;
    pl_obstacle_draw(o, j->scene->dim, t, count, x, draw, &p);
  }
  if (p.status == PL_OK) {
    view->nline = p.n;
    view->line = (const double *)p.line;
    view->drift = until > t ? (const double *)p.drift : NULL;
    if (view->drift) return PL_OK;
  } else {
    pl_free(j->env, p.line);
  }
  pl_free(j->env, p.drift);
  return p.status;
}

void job_backdrop_free(const job *j, pl_view *view) {
  // made here, and shown as const
  pl_free(j->env, (double *)(uintptr_t)view->line);
  pl_free(j->env, (double *)(uintptr_t)view->drift);
  view->line = view->drift = NULL;
  view->nline = 0;
}
