// Shapes and periodic motions drawn: pictures, and files for ParaView and for viewers of glTF.
#include "run_cloth.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES_MIN = 24, SWING = 32 }; // of a period; steps of a mode's

// ---- shapes -------------------------------------------------------------------------------------

typedef struct drawn {
  job *j;
  const pl_shape *s;
  double *q;         // [nq] what is shown
  double *rest;      // [nvert][3] what it is compared with, and behind it
  double *x;         // [nvert][3] what is shown, enlarged
  double most;       // largest displacement, m
  double factor;     // that displacements are enlarged by
  pl_view obstacles; // its lines
} drawn;

// a mode's largest displacement is a tenth of the body
static void displace(drawn *d) {
  const pl_scene *sc = d->j->scene;
  double most = 0;
  for (int i = 0; i < pl_model_nnode(sc->model) * sc->dim; i += sc->dim)
    most = fmax(most, pl_norm(sc->dim, d->s->mode + i));
  double f = most > 0 ? 0.1 * job_size(d->j) / most : 0;
  pl_axpy(d->s->state->nq, f, d->s->mode, d->s->state->q, d->q);
}

static pl_status make(drawn *d) {
  job *j = d->j;
  const pl_state *s = d->s->state;
  size_t n = 3 * (size_t)j->scene->mesh->nvert;
  d->q = pl_alloc(j->env, (size_t)s->nq + 2 * n, sizeof(double));
  if (!d->q) return PL_E_NOMEM;
  d->rest = d->q + s->nq;
  d->x = d->rest + n;
  if (d->s->mode) {
    displace(d);
    job_positions(j, s->q, 1, d->rest);
    job_positions(j, d->q, 1, d->x);
    return PL_OK;
  }
  memcpy(d->q, s->q, (size_t)s->nq * sizeof(double));
  d->most = job_displacements(j, s->q, j->colour);
  d->factor = job_exaggeration(j, d->most);
  job_positions(j, j->scene->params->X, 1, d->rest);
  job_positions(j, s->q, d->factor, d->x);
  // enlarged displacements do not stay out of obstacles
  return d->factor == 1 ? job_backdrop(j, s->t, s->t, 2, d->rest, &d->obstacles) : PL_OK;
}

static pl_status write_mode_vtu(const drawn *d, const char *path) {
  const pl_scene *sc = d->j->scene;
  int n = sc->mesh->nvert, dim = sc->dim;
  double *u = pl_alloc(d->j->env, (size_t)n * 3, sizeof(double));
  if (!u) return PL_E_NOMEM;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < dim; c++) u[3 * i + c] = d->q[i * dim + c] - d->s->state->q[i * dim + c];
  const pl_field field = {.name = "mode", .ncomp = 3, .data = u};
  pl_status s = pl_mesh_write_vtu(sc->mesh, d->rest, 1, &field, NULL, path);
  pl_free(d->j->env, u);
  return s;
}

// a part of the displacement, or of the strain that limits allow
static pl_status glb_colours(const drawn *d, double *colour) {
  const pl_mesh *m = d->j->scene->mesh;
  for (int i = 0; i < m->nvert; i++) colour[i] = d->most > 0 ? d->j->colour[i] / d->most : 0;
  if (!d->j->sheet) return PL_OK;
  double *face = pl_alloc(d->j->env, (size_t)m->cell[PL_TRI3].n, sizeof(double));
  pl_status s = face ? cloth_faces(d->j, d->q, face) : PL_E_NOMEM;
  if (s == PL_OK) cloth_colours(d->j, face, colour);
  pl_free(d->j->env, face);
  return s;
}

// a mode swings; any other shape comes from rest and goes back
static pl_status write_glb(const drawn *d, const char *path) {
  int n = d->j->scene->mesh->nvert, mode = d->s->mode != NULL, nkey = mode ? SWING + 1 : 3;
  double time[SWING + 1] = {0, 1, 2}, weight[SWING + 1] = {0, 1, 0};
  double *frame = pl_alloc(d->j->env, 4 * (size_t)n, sizeof(double)), *colour = frame + 3 * n;
  pl_status s = frame ? PL_OK : PL_E_NOMEM;
  if (s == PL_OK && !mode) s = glb_colours(d, colour);
  if (s == PL_OK) {
    for (int i = 0; i < 3 * n; i++) frame[i] = d->x[i] - d->rest[i];
    for (int i = 0; mode && i <= SWING; i++) {
      time[i] = i / (double)SWING;
      weight[i] = sin(2 * PL_PI * i / SWING);
    }
    s = job_glb(d->j,
                &(job_motion){d->rest, 1, nkey, frame, time, weight, mode ? NULL : colour,
                              mode ? NULL : &d->obstacles},
                path);
  }
  pl_free(d->j->env, frame);
  return s;
}

static pl_status picture(const drawn *d) {
  job *j = d->j;
  char caption[2 * PL_TEXT];
  int n = j->scene->mesh->nvert, mode = d->s->mode != NULL;
  pl_view view = job_view(j);
  view.x = d->x;
  view.ghost = d->rest;
  view.title = d->s->title;
  view.nline = d->obstacles.nline;
  view.line = d->obstacles.line;
  view.colour = mode || d->most > 0 ? j->colour : NULL;
  view.colour_label = mode ? "relative displacement" : "displacement (m)";
  view.hi = mode ? 1 : d->most; // from 0: a body that moves as a whole has one colour
  for (int i = 0; mode && i < n; i++) {
    double u[3];
    pl_sub3(d->x + 3 * i, d->rest + 3 * i, u);
    j->colour[i] = pl_norm3(u);
  }
  double most = mode ? pl_max_abs(n, j->colour) : 0;
  for (int i = 0; i < n && most > 0; i++) j->colour[i] /= most;
  if (mode || d->factor == 1)
    snprintf(caption, sizeof caption, "%s", d->s->caption ? d->s->caption : "");
  else
    snprintf(caption, sizeof caption, "%s Displacements are drawn %.3g times as large.",
             d->s->caption, d->factor);
  j->files.picture(j, d->s->picture, caption, &view);
  return j->reported;
}

pl_status draw_shape(job *j, const pl_shape *s) {
  if (!j->drawable) return PL_OK;
  char path[PL_TEXT];
  drawn d = {.j = j, .s = s};
  pl_status st = make(&d);
  if (st == PL_OK && s->name && j->output.vtu) {
    job_path(j, s->name, ".vtu", path);
    st = s->mode ? write_mode_vtu(&d, path) : job_vtu(j, s->state, 0, path);
  }
  if (st == PL_OK && s->name && j->output.glb)
    st = write_glb(&d, job_path(j, s->name, ".glb", path));
  if (st == PL_OK && s->picture) st = picture(&d);
  job_backdrop_free(j, &d.obstacles);
  pl_free(j->env, d.q);
  return st;
}

// ---- periodic motions ---------------------------------------------------------------------------

// 2H morph targets whose weights are sines and cosines: any viewer plays it smoothly. Driven nodes
// turn about axes, so their coefficients come from samples like everybody's.
static pl_status orbit_glb(job *j, const pl_orbit *o, const double *frames, int nframe,
                           const char *path) {
  int H = o->nharm, nt = 2 * H, nkey = 16 * H + 1, n = j->scene->mesh->nvert;
  size_t per = (size_t)n * 3;
  double *base = pl_alloc(j->env, per, sizeof(double)),
         *target = pl_alloc(j->env, per * (size_t)nt, sizeof(double));
  double *time = pl_alloc(j->env, (size_t)nkey, sizeof(double));
  double *weight = pl_alloc(j->env, (size_t)nkey * (size_t)nt, sizeof(double));
  pl_status st = base && target && time && weight ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) {
    for (int i = 0; i < nframe; i++) {
      double phase = 2 * PL_PI * i / nframe;
      const double *x = frames + (size_t)i * per;
      for (size_t q = 0; q < per; q++) base[q] += x[q] / nframe;
      for (int k = 1; k <= H; k++) {
        double sn = 2 * sin(k * phase) / nframe, cs = 2 * cos(k * phase) / nframe;
        double *ts = target + (size_t)(2 * k - 2) * per, *tc = ts + per;
        for (size_t q = 0; q < per; q++) {
          ts[q] += sn * x[q];
          tc[q] += cs * x[q];
        }
      }
    }
    for (int i = 0; i < nkey; i++) {
      double phase = 2 * PL_PI * i / (nkey - 1);
      time[i] = phase / o->omega;
      for (int k = 1; k <= H; k++) {
        weight[i * nt + 2 * k - 2] = sin(k * phase);
        weight[i * nt + 2 * k - 1] = cos(k * phase);
      }
    }
    st = job_glb(j, &(job_motion){base, nt, nkey, target, time, weight, NULL, NULL}, path);
  }
  pl_free(j->env, base);
  pl_free(j->env, target);
  pl_free(j->env, time);
  pl_free(j->env, weight);
  return st;
}

// of a run that is stopped the first frame alone
static pl_status write_vtus(job *j, const pl_orbit *o, const char *name, pl_state *s) {
  char path[PL_TEXT];
  int n = 0, stop = 0;
  char names[FRAMES_MIN][80];
  const char *list[FRAMES_MIN];
  double time[FRAMES_MIN];
  PL_TRY(pl_dir_make(j->env, job_path(j, name, "", path)));
  for (; n < FRAMES_MIN && !stop; n++) {
    pl_orbit_state(j->scene->model, j->scene->params, o, 2 * PL_PI * n / FRAMES_MIN, s);
    snprintf(names[n], sizeof names[n], "%.50s/frame-%04d.vtu", name, n);
    list[n] = names[n];
    time[n] = s->t;
    PL_TRY(job_vtu(j, s, 1, job_path(j, names[n], "", path)));
    stop = pl_report_progress(j->env, "frames", (n + 1.0) / FRAMES_MIN, NULL) != PL_OK;
  }
  return pl_pvd_write(j->env, job_path(j, name, ".pvd", path), n, time, list);
}

static pl_status film(job *j, const pl_orbit *o, const double *frames, int n, const char *title) {
  if (!j->page) return PL_OK;
  char caption[PL_TEXT];
  pl_view view = job_view(j);
  view.title = title;
  double period = 2 * PL_PI / o->omega;
  snprintf(caption, sizeof caption, "One period of %.4g s at %.5g Hz.", period,
           o->omega / (2 * PL_PI));
  return pl_page_moving(
      j->page,
      &(pl_moving){
          .mesh = j->scene->mesh, .view = &view, .nframe = n, .frames = frames, .period = period},
      caption);
}

pl_status draw_orbit(job *j, const pl_orbit *o, const char *name, const char *title) {
  if (!j->drawable) return PL_OK;
  const pl_scene *sc = j->scene;
  int n = 4 * o->nharm > FRAMES_MIN ? 4 * o->nharm : FRAMES_MIN;
  size_t per = (size_t)sc->mesh->nvert * 3;
  double *frames = pl_alloc(j->env, (size_t)n * per, sizeof(double));
  char path[PL_TEXT];
  pl_state *s = NULL;
  pl_status st = frames ? pl_state_create(sc->model, sc->params, &s) : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < n; i++) {
    pl_orbit_state(sc->model, sc->params, o, 2 * PL_PI * i / n, s);
    job_positions(j, s->q, 1, frames + (size_t)i * per);
  }
  if (st == PL_OK && j->output.glb)
    st = orbit_glb(j, o, frames, n, job_path(j, name, ".glb", path));
  if (st == PL_OK && j->output.vtu) st = write_vtus(j, o, name, s);
  if (st == PL_OK) st = film(j, o, frames, n, title);
  if (s) pl_state_free(sc->model, s);
  pl_free(j->env, frames);
  return st;
}
