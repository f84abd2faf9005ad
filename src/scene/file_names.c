// Files of analyses: all are called after their analysis, NAME.csv or NAME-what.svg. A name may
// continue another's, unless the other one could write the same file.
#include "scene_impl.h"

#include <string.h>

// what analyses write besides files of probed places, obstacles and numbers
static const char *const known[] = {
    "before",      "after",      "boundary",    "contacts", "content",    "convergence", "damping",
    "end",         "energy",     "harmonics",   "impacts",  "limit",      "limits",      "linear",
    "material",    "measured",   "multipliers", "newmark",  "parameters", "predicted",   "response",
    "sensitivity", "shape",      "record",      "sizes",    "solved",     "special",     "strain",
    "stress",      "trajectory", "values",      "works"};

// what single kinds of analyses write besides
static const char *const of_limits[] = {"bending", "flat",   "joint",    "longest", "patch", "play",
                                        "poses",   "refine", "shortest", "states",  "sweep"};
static const char *const of_macro[] = {"sheet", "joint", "nearest"};
static const char *const of_jump[] = {"angle", "height", "path", "stages"};
static const char *const of_search[] = {"course", "runs"};

// files of a curve whose analysis has its kind's name
static const char *const plain[] = {"special", "harmonics", "multipliers"};

// what follows `other` and a dash in a name, NULL: it does not continue it
static const char *rest_of(const char *name, const char *other) {
  size_t n = strlen(other);
  return strncmp(name, other, n) == 0 && name[n] == '-' ? name + n + 1 : NULL;
}

// the same name, or one that continues the other
static int meet(const char *a, const char *b) {
  return strcmp(a, b) == 0 || rest_of(a, b) || rest_of(b, a);
}

static int meets_any(const char *name, const char *const *list, int n) {
  for (int k = 0; k < n; k++)
    if (list[k] && meet(name, list[k])) return 1;
  return 0;
}

// what it varies has a plot each
static int may_search(const pl_analysis *a, const char *what) {
  for (int k = 0; a->search && k < a->search->nvariable; k++)
    if (meet(what, a->search->variable[k].name)) return 1;
  return a->kind == PL_ANALYSIS_search && meets_any(what, of_search, COUNT(of_search));
}

// could the analysis write a file that is called NAME-what, or continues that?
static int may_write(const pl_scene *s, const pl_analysis *a, const char *what) {
  size_t digits = strspn(what, "0123456789");
  int counts = a->kind == PL_ANALYSIS_modes || a->kind == PL_ANALYSIS_fit_damping;
  if (counts && digits > 0 && (what[digits] == 0 || what[digits] == '-')) return 1;
  if (meets_any(what, known, COUNT(known))) return 1;
  if (a->kind == PL_ANALYSIS_limits && meets_any(what, of_limits, COUNT(of_limits))) return 1;
  if (a->kind == PL_ANALYSIS_macro && meets_any(what, of_macro, COUNT(of_macro))) return 1;
  if (may_search(a, what)) return 1;
  if (a->kind == PL_ANALYSIS_jump && meets_any(what, of_jump, COUNT(of_jump))) return 1;
  for (int k = 0; k < a->nprobe; k++)
    if (meet(what, a->probe[k].name)) return 1;
  return meets_any(what, s->obstacle_name, s->contact.nobstacle);
}

static int writes_plainly(const pl_analysis *a) {
  return (a->kind == PL_ANALYSIS_response || a->kind == PL_ANALYSIS_backbone) &&
         strcmp(a->name, pl_analysis_table[a->kind].name) == 0;
}

// names that were given by us are numbered, and nothing but fit-damping has files like that
static int is_chosen(const analysis_def *d) {
  return d->name.at || d->a.kind == PL_ANALYSIS_fit_damping;
}

// could a write a file of b?
static int mixes(const pl_scene *s, const analysis_def *a, const analysis_def *b) {
  const char *what = rest_of(b->a.name, a->a.name);
  if (what) return is_chosen(b) && may_write(s, &a->a, what);
  return writes_plainly(&a->a) && meets_any(b->a.name, plain, COUNT(plain));
}

void check_file_names(reader *r, const pl_scene *s) {
  char buf[MESSAGE_QUOTE + 8];
  if (r->failed) return;
  for (int k = 0; k < r->nanalysis; k++) {
    const analysis_def *b = &r->analysis[k];
    const pl_node *at = b->name.at ? b->name.at : b->at;
    int finds = b->a.kind == PL_ANALYSIS_design || b->a.kind == PL_ANALYSIS_fit_response;
    if (finds && strcmp(b->a.name, "scene") == 0)
      problem(r, at, "choose another name",
              "scene.yaml is the scene that is run, not what is found");
    for (int i = 0; i < k; i++) {
      const analysis_def *a = &r->analysis[i];
      if (!mixes(s, a, b) && !mixes(s, b, a)) continue;
      problem(r, at, "choose names that do not continue each other",
              "the files of '%s' and '%s' would be mixed", a->a.name,
              quote(b->a.name, buf, sizeof buf));
      break;
    }
  }
}
