// Motions as pages that play them.
#include "facade_impl.h"

#include <string.h>

static pl_status write_page(scene_object *s, const char *title, const pl_moving *m, pl_text *out) {
  pl_page *p;
  PL_TRY(pl_page_create(&s->env, title, &p));
  pl_page_moving(p, m, NULL);
  pl_status st = pl_page_html(p, out);
  pl_page_free(p);
  return st;
}

static int make(scene_object *s, const char *title, const pl_moving *m, const char **html) {
  pl_text_free(&s->page);
  pl_text_init(&s->page, &s->env);
  messages before = s->base.messages;
  s->base.messages = (messages){0};
  pl_status st = write_page(s, title, m, &s->page);
  messages told = s->base.messages;
  s->base.messages = before;
  if (st == PL_OK) {
    messages_free(&told);
    *html = s->page.s;
    return PL_FACADE_OK;
  }
  return messages_fail(&told, st);
}

int pl_facade_page(int64_t scene, const char *title, int64_t nframe, int64_t nvertex,
                   const double *frames, const double *time, double period, const char *label,
                   const double *colour, const char **html) {
  object *o;
  *html = "";
  if (!frames || nframe < 1 || nframe > 100000 || (nframe > 1 && !time && !(period > 0)))
    return fail(PL_FACADE_ARG, NULL, "1 to 100000 frames are wanted, and times or a period");
  int st = handle_take(scene, OBJECT_SCENE, 1, &o);
  if (st != PL_FACADE_OK) return st;
  scene_object *s = (scene_object *)o;
  const pl_view view = {.colour = colour, .colour_label = label, .flat = s->scene->dim == 2};
  const pl_moving m = {.mesh = s->scene->mesh,
                       .view = &view,
                       .nframe = (int)nframe,
                       .frames = frames,
                       .time = time,
                       .period = period};
  if (nvertex == s->scene->mesh->nvert)
    st = make(s, title ? title : "", &m, html);
  else
    st = fail(PL_FACADE_ARG, NULL, "frames of %lld vertices: the scene has %d", (long long)nvertex,
              s->scene->mesh->nvert);
  handle_give(scene);
  return st;
}
