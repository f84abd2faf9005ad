// Motions drawn frame by frame: files for ParaView, an animation for viewers of glTF, a figure of
// the page that is turned and played.
#include "run_cloth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GLB_BYTES (48L << 20)

static void frame_state(const pl_film *f, int i, pl_state *s) {
  const double *qv = f->qv + (size_t)i * 2 * (size_t)s->nq;
  s->t = f->time[i];
  memcpy(s->q, qv, (size_t)s->nq * sizeof(double));
  memcpy(s->v, qv + s->nq, (size_t)s->nq * sizeof(double));
}

// of a motion that is stopped the last frame alone: who goes on with it gets them all
static pl_status write_vtus(job *j, const pl_analysis *a, const pl_film *f, pl_state *s) {
  char(*name)[64] = pl_alloc(j->env, (size_t)f->n, sizeof *name);
  const char **list = pl_alloc(j->env, (size_t)f->n, sizeof *list);
  char path[PL_TEXT];
  int first = job_stopped(j) ? f->n - 1 : 0, end = first, stop = 0;
  pl_status st = name && list ? pl_dir_make(j->env, job_path(j, a->name, "", path)) : PL_E_NOMEM;
  for (; st == PL_OK && end < f->n && !stop; end++) {
    snprintf(name[end], sizeof name[end], "%.40s/frame-%04d.vtu", a->name, end);
    list[end] = name[end];
    frame_state(f, end, s);
    st = job_vtu(j, s, 1, job_path(j, name[end], "", path));
    stop = pl_report_progress(j->env, "frames", (double)(end + 1) / f->n, NULL) != PL_OK;
  }
  if (st == PL_OK)
    st = pl_pvd_write(j->env, job_path(j, a->name, ".pvd", path), end - first, f->time + first,
                      list + first);
  pl_free(j->env, name);
  pl_free(j->env, list);
  return st;
}

// every frame is a morph target with weight one at its time; thinned when the file would be too
// large
static pl_status write_glb(job *j, const pl_analysis *a, const pl_film *f, const double *colour) {
  const double *x = f->x;
  size_t per = (size_t)j->scene->mesh->nvert * 3;
  int stride = 1;
  while ((long)(f->n / stride) * (long)per * 4 > GLB_BYTES || f->n / stride > 120) stride++;
  int n = (f->n + stride - 1) / stride;
  double *delta = pl_alloc(j->env, (size_t)n * per, sizeof(double));
  double *time = pl_alloc(j->env, (size_t)n, sizeof(double));
  double *weight = pl_alloc(j->env, (size_t)n * (size_t)n, sizeof(double));
  char path[PL_TEXT];
  pl_view view = {0};
  pl_status s = delta && time && weight ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK) {
    for (int k = 0; k < n; k++) {
      const double *at = x + (size_t)(k * stride) * per;
      for (size_t i = 0; i < per; i++) delta[(size_t)k * per + i] = at[i] - x[i];
      time[k] = f->time[k * stride] - f->time[0];
      weight[k * n + k] = 1;
    }
    s = job_backdrop(j, f->time[0], f->time[0] + time[n - 1], f->n, x, &view);
    if (s == PL_OK)
      s = job_glb(j, &(job_motion){x, n, n, delta, time, weight, colour, &view},
                  job_path(j, a->name, ".glb", path));
    job_backdrop_free(j, &view);
  }
  pl_free(j->env, delta);
  pl_free(j->env, time);
  pl_free(j->env, weight);
  return s;
}

static pl_status show(job *j, const pl_film *f) {
  if (!j->page || f->n < 2) return PL_OK;
  char caption[PL_TEXT];
  double first = f->time[0], last = f->time[f->n - 1];
  pl_view view = job_view(j);
  cloth_view(f->face, &view);
  pl_status s = job_backdrop(j, first, last, f->n, f->x, &view);
  snprintf(caption, sizeof caption, "Motion from %.4g s to %.4g s.", first, last);
  if (s == PL_OK)
    s = pl_page_moving(
        j->page,
        &(pl_moving){
            .mesh = j->scene->mesh, .view = &view, .nframe = f->n, .frames = f->x, .time = f->time},
        caption);
  job_backdrop_free(j, &view);
  return s;
}

pl_status draw_film(job *j, const pl_analysis *a, const pl_film *f) {
  const pl_scene *sc = j->scene;
  size_t nvert = (size_t)sc->mesh->nvert, ntri = (size_t)sc->mesh->cell[PL_TRI3].n;
  pl_state *s = NULL;
  double *colour = NULL;
  pl_status st = pl_state_create(sc->model, sc->params, &s);
  if (st == PL_OK && f->face) {
    colour = pl_alloc(j->env, nvert, sizeof *colour);
    if (!colour) st = PL_E_NOMEM;
  }
  if (st == PL_OK && colour) cloth_colours(j, f->face + (size_t)(f->n - 1) * ntri, colour);
  if (st == PL_OK && j->output.vtu) st = write_vtus(j, a, f, s);
  if (st == PL_OK && j->output.glb) st = write_glb(j, a, f, colour);
  if (st == PL_OK) st = show(j, f);
  pl_state_free(sc->model, s);
  pl_free(j->env, colour);
  return st;
}
