// Steps of mail-design for who looks on, and the overrides that lead to a material.
#include "mail_design.h"

#include <stdio.h>
#include <string.h>

// where the scene has the values of the material: "parameters" or "interlocking.ENTRY"
static void place_of(const mail_design *d, char out[PL_TEXT]) {
  static const char *const keys[] = {
#define X(name_, key_) key_,
      PL_MAIL_LIST(X)
#undef X
  };
  const char *family = "";
  for (int k = 0; k < PL_MAIL_COUNT; k++)
    if (pl_mail_table[k] == d->start->of) family = keys[k];
  if (!family[0])
    snprintf(out, PL_TEXT, "parameters");
  else if (strcmp(d->start->name, family) == 0) // an entry of nothing but its family is that
    snprintf(out, PL_TEXT, "interlocking.%s", family);
  else
    snprintf(out, PL_TEXT, "interlocking.%.60s.%s", d->start->name, family);
}

void mail_overrides(const mail_design *d, const double *value, pl_text *out) {
  char place[PL_TEXT], set[2 * PL_TEXT];
  place_of(d, place);
  const char *inner = strcmp(place, "parameters") == 0 ? ".value" : "";
  for (int k = 0; k < d->plan->nvariable; k++) {
    int key = d->plan->variable[k].key;
    const pl_key *of = &d->start->of->key[key];
    snprintf(set, sizeof set, "%s.%s%s=%.9g %s", place, of->name, inner, value[key], of->unit);
    pl_text_put(out, set, strlen(set) + 1);
  }
}

// without the repulsion that keeps it feasible, whose weight goes down on the way
static double missed(mail_design *d) {
  double weight = d->weight, cost;
  d->weight = 0;
  cost = mail_residuals(d, &d->now);
  d->weight = weight;
  mail_residuals(d, &d->now);
  return cost;
}

static pl_status send_step(mail_design *d, int iteration, const char **words, char (*label)[80],
                           double *x, double *limit) {
  int nv = d->plan->nvariable;
  for (int k = 0; k < nv; k++) {
    int key = d->plan->variable[k].key;
    words[k] = d->start->of->key[key].name;
    words[nv + k] = d->start->of->key[key].unit;
    x[k] = d->now.value[key];
  }
  for (int i = 0; i < d->nwant; i++) {
    const residual *w = &d->want[i];
    const ray *r = &d->ray[w->ray[w->ray[0] < 0]];
    int kind = d->plan->goal[w->goal].limit;
    snprintf(label[i], sizeof *label, "%s, %.4g degrees", mail_limit_name[kind],
             r->angle * 180 / PL_PI);
    words[2 * nv + i] = label[i];
    limit[i] = mail_limit(&d->now, w, kind);
  }
  pl_text set;
  pl_text_init(&set, d->j->env);
  mail_overrides(d, d->now.value, &set);
  pl_iterate it = {.iteration = iteration,
                   .value = missed(d),
                   .n = nv,
                   .name = words,
                   .unit = words + nv,
                   .x = x,
                   .nset = nv,
                   .nfigure = d->nwant,
                   .figure = words + 2 * nv,
                   .reached = limit};
  pl_status s = job_iterate_set(d->j, d->a, &it, &set);
  pl_text_free(&set);
  return s;
}

pl_status mail_tell(mail_design *d, int iteration) {
  pl_env *env = d->j->env;
  size_t nv = (size_t)d->plan->nvariable, nw = (size_t)d->nwant;
  if (!job_iterates(d->j)) return PL_OK;
  const char **words = pl_alloc(env, 2 * nv + nw, sizeof *words);
  char(*label)[80] = pl_alloc(env, nw, sizeof *label);
  double *x = pl_alloc(env, nv + nw, sizeof *x);
  pl_status s = words && label && x ? send_step(d, iteration, words, label, x, x + nv) : PL_E_NOMEM;
  pl_free(env, words);
  pl_free(env, label);
  pl_free(env, x);
  return s;
}
