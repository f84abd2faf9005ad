// Why no step was short enough.
#include "step_impl.h"

// height over the longest edge of a triangle that numbers suffer by
static const double THIN = 1e-4;

// The thinnest triangle with its height over its longest edge at rest: heights are 1/|gradient|.
static double thinnest(const pl_sheet *s, int *tri) {
  double least = INFINITY;
  for (int t = 0; t < s->ntri; t++) {
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, pl_norm(2, s->grad + 6 * t + 2 * k));
    double thin = 1 / (2 * s->area[t] * most * most);
    if (thin < least) *tri = t;
    least = fmin(least, thin);
  }
  return least;
}

void report_unsolved(pl_env *env, const unsolved *u) {
  int tri = -1;
  const pl_project_info *p = u->project;
  double thin = u->sheet ? thinnest(u->sheet, &tri) : INFINITY;
  if (thin < THIN)
    pl_report(env, PL_WARNING, NULL, 0, 0,
              "mesh the sheet without slivers, or join vertices that are close to each other",
              "%s was solved: triangle %d is a sliver, %.1g of its longest edge high", u->what,
              tri + 1, thin);
  else if (u->crowded)
    pl_report(env, PL_WARNING, NULL, 0, 0, "take shorter steps, or a finer mesh where they meet",
              "%s was solved: nodes that are kept out of one place enter another", u->what);
  else if (!p)
    pl_report(env, PL_WARNING, NULL, 0, 0, "look for elements that turn inside out",
              "%s was solved", u->what);
  else
    pl_report(env, PL_WARNING, NULL, 0, 0,
              u->pulled
                  ? "look for drives or obstacles that pull the sheet further than its "
                    "limits allow"
                  : "look for elements that turn inside out, and for loads that are too large",
              "%s was solved: %s; triangle %d is at %.6g of its limit", u->what,
              pl_project_stop_text(p->reason), p->worst + 1, 1 + p->violation);
}
