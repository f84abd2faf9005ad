// How good designs are.
#include "search.h"

#include <math.h>

static const double MERIT_MOST = 1e12;
static const double FAILED = 10; // times the penalty

// how far a figure is from a target, by its modulo
static double difference(const pl_search_goal *g, double figure) {
  double d = figure - g->value;
  return g->modulo > 0 ? d - g->modulo * floor(d / g->modulo + 0.5) : d;
}

search_mark search_mark_of(const searching *k, const outcome *o, const double *figure) {
  search_mark m = {.goal = NAN, .merit = FAILED * k->o->penalty};
  double goal = 0, missing = 0;
  if (!o->done || !o->solved) return m;
  m.success = 1;
  for (int i = 0; i < k->p->ngoal; i++) {
    const pl_search_goal *g = &k->p->goal[i];
    double d = difference(g, figure[i]), lacks = g->aim == PL_AIM_LEAST ? -d : d;
    switch (g->aim) {
    case PL_AIM_TARGET:
      goal += g->weight * (d / g->scale) * (d / g->scale);
      if (g->within > 0 && fabs(d) > g->within) m.success = 0;
      break;
    case PL_AIM_LEAST:
    case PL_AIM_MOST:
      if (lacks > 0) missing += g->weight * lacks / g->scale;
      break;
    case PL_AIM_UP:
      goal -= g->weight * figure[i] / k->scale[i];
      break;
    case PL_AIM_DOWN:
      goal += g->weight * figure[i] / k->scale[i];
      break;
    }
  }
  m.feasible = !(missing > 0);
  m.success &= m.feasible;
  m.goal = goal;
  m.merit = fmin(fmax(goal + k->o->penalty * missing, -MERIT_MOST), MERIT_MOST);
  return m;
}

// what is to be large or small is measured by the first value that was found, in the order of the
// designs, so that merits do not depend on what comes later
static void find_scales(searching *k) {
  const pl_search_plan *p = k->p;
  int first = -1;
  for (int i = 0; i < k->n * k->nrun && first < 0; i++)
    if (k->out[i].done && k->out[i].solved) first = i;
  for (int g = 0; g < p->ngoal; g++) {
    double f = first >= 0 ? fabs(k->figure[first * p->ngoal + g]) : 0;
    int asked = p->goal[g].scale_given || !(f > 0);
    k->scale[g] = asked ? p->goal[g].scale : f;
  }
}

void search_judge(searching *k) {
  find_scales(k);
  k->best = -1;
  for (int i = 0; i < k->n; i++) {
    double sum = 0;
    for (int r = 0; r < k->nrun; r++) {
      int at = i * k->nrun + r;
      search_mark m = search_mark_of(k, &k->out[at], k->figure + at * k->p->ngoal);
      if (r == 0) k->mark[i] = m;
      sum += m.merit;
    }
    k->merit[i] = sum / k->nrun;
    if (!k->out[i * k->nrun].solved) continue;
    const search_mark *now = &k->mark[i], *was = k->best >= 0 ? &k->mark[k->best] : NULL;
    if (!was || now->feasible > was->feasible ||
        (now->feasible == was->feasible && k->merit[i] < k->merit[k->best]))
      k->best = i;
  }
}

double search_part(const searching *k, int i) {
  int n = 0;
  for (int r = 0; r < k->nrun; r++) {
    int at = i * k->nrun + r;
    n += search_mark_of(k, &k->out[at], k->figure + at * k->p->ngoal).success;
  }
  return (double)n / k->nrun;
}
