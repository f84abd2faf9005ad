// `explore` as asked for beside a scene: an analysis in the place of those that it has.
#include "scene_impl.h"

#include <stdio.h>
#include <string.h>

typedef struct root_key {
  const char *word;
  size_t n;
  int found;
} root_key;

static void compare_root(void *ctx, const char *path, const char *text) {
  root_key *k = ctx;
  (void)text;
  size_t n = strcspn(path, ".[");
  if (n == k->n && strncmp(path, k->word, n) == 0) k->found = 1;
}

int is_override(const char *assignment) {
  root_key k = {.word = assignment, .n = strcspn(assignment, ".=")};
  if (assignment[k.n] != '.') return 0;
  pl_scene_paths(compare_root, &k);
  return k.found;
}

static const char AMPLITUDE[] = "amplitude:";
enum { AMPLITUDE_LENGTH = sizeof AMPLITUDE - 1 };

pl_status check_exploration(pl_env *env, const pl_exploration *e) {
  for (int k = 0; k < e->nset; k++) {
    const char *equal = strchr(e->set[k], '=');
    if (is_override(e->set[k]) || (equal && equal > e->set[k] && equal[1])) continue;
    return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "e.g. --set m1=2g",
                      "--set '%.200s' is not understood", e->set[k]);
  }
  for (int k = 0; k < e->nalong; k++) {
    const char *equal = strrchr(e->along[k], '=');
    int known = strncmp(e->along[k], AMPLITUDE, AMPLITUDE_LENGTH) == 0;
    if (known && equal && equal > e->along[k] + AMPLITUDE_LENGTH && equal[1]) continue;
    return pl_fail_at(env, PL_E_ARG, NULL, 0, 0, "e.g. --along amplitude:tip=0.5",
                      "--along '%.200s' is not understood", e->along[k]);
  }
  return PL_OK;
}

// frequency (rad/s) and harmonics of the analysis that serves as the example
static void find_defaults(const pl_scene *s, double *omega, int *harmonics) {
  static const int order[] = {PL_ANALYSIS_explore, PL_ANALYSIS_design, PL_ANALYSIS_periodic};
  *omega = 0;
  *harmonics = 0;
  for (int i = 0; i < COUNT(order) && !(*omega > 0); i++)
    for (int k = 0; k < s->nanalysis && !(*omega > 0); k++) {
      const pl_analysis *a = &s->analysis[k];
      if (a->kind != order[i]) continue;
      if (a->kind == PL_ANALYSIS_periodic) {
        *omega = a->opts.periodic_.frequency;
        *harmonics = a->opts.periodic_.harmonics;
      } else {
        *omega = a->plan->problem.point[0].omega;
        *harmonics =
            a->kind == PL_ANALYSIS_design ? a->opts.design_.harmonics : a->opts.explore_.harmonics;
      }
    }
}

// a key and its value text[n]
static void put(reader *r, pl_node *map, const char *key, const char *origin, const char *text,
                size_t n) {
  pl_node *d = add_key(r, map, key, origin);
  if (!d) return;
  d->kind = NODE_SCALAR;
  d->quoted = origin != NULL;
  d->text = scene_strdup(r, text, n);
}

static void put_set(reader *r, pl_node *map, const char *assignment) {
  char origin[PL_TEXT];
  size_t n = strcspn(assignment, "=");
  snprintf(origin, sizeof origin, "--set %.300s", assignment);
  const char *from = scene_strdup(r, origin, strlen(origin));
  const char *key = scene_strdup(r, assignment, n);
  if (from && key) put(r, map, key, from, assignment + n + 1, strlen(assignment + n + 1));
}

static void put_along(reader *r, pl_node *list, const char *along) {
  char origin[PL_TEXT];
  const char *node = along + AMPLITUDE_LENGTH, *equal = strrchr(along, '=');
  snprintf(origin, sizeof origin, "--along %.300s", along);
  const char *from = scene_strdup(r, origin, strlen(origin));
  pl_node *map = from ? node_new(r, NODE_MAP, NULL, 0) : NULL;
  if (!map) return;
  map->origin = from;
  node_append(list, map);
  put(r, map, "amplitude", from, node, (size_t)(equal - node));
  put(r, map, "change", from, equal + 1, strlen(equal + 1));
}

// text as given with its option, or the default
static void put_given(reader *r, pl_node *map, const char *key, const char *given,
                      const char *otherwise) {
  const char *text = given ? given : otherwise;
  char origin[64];
  snprintf(origin, sizeof origin, "--%s", key);
  const char *from = given ? scene_strdup(r, origin, strlen(origin)) : NULL;
  put(r, map, key, from, text, strlen(text));
}

const pl_node *state_exploration(reader *r, const pl_scene *s) {
  const pl_exploration *e = r->explore;
  double omega;
  int harmonics;
  char frequency[64], count[16];
  find_defaults(s, &omega, &harmonics);
  if (!e->frequency && !(omega > 0)) {
    r->failed = pl_fail_at(r->env, PL_E_ARG, NULL, 0, 0,
                           "--frequency 2Hz, or an analysis explore, design or periodic in the "
                           "scene",
                           "nothing says the frequency");
    return NULL;
  }
  snprintf(frequency, sizeof frequency, "%.17g rad/s", omega);
  snprintf(count, sizeof count, "%d", harmonics);
  pl_node *list = tree_set(r, "analyses", NODE_LIST, ""), *one = node_new(r, NODE_MAP, NULL, 0);
  pl_node *map = list && one ? add_key(r, one, "explore", NULL) : NULL;
  if (!map) return NULL;
  node_append(list, one);
  put_given(r, map, "frequency", e->frequency, frequency);
  put_given(r, map, "harmonics", e->harmonics, count);
  pl_node *set = add_key(r, map, "set", NULL), *along = add_key(r, map, "along", NULL);
  if (!set || !along) return NULL;
  along->kind = NODE_LIST;
  for (int k = 0; k < e->nset; k++)
    if (!is_override(e->set[k])) put_set(r, set, e->set[k]);
  for (int k = 0; k < e->nalong; k++) put_along(r, along, e->along[k]);
  return r->failed ? NULL : list;
}
