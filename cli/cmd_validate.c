#include "cli.h"
#include "pliant/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong(const char *option, const char *want, const char *got) {
  fprintf(stderr, "pliant: error: --%s must be %s, got '%s'\n  hint: pliant validate --help\n",
          option, want, got);
  return 0;
}

static int read_real(const char *text, const char **end, double *out) {
  size_t n = pl_number_scan(text, strlen(text), out);
  *end = text + n;
  return n > 0 && isfinite(*out);
}

// `0.37,12,4500`; returns 0 on wrong use
static int read_list(const cli_args *a, double **at, int *n) {
  const char *text = cli_value(a, "at"), *p = text;
  *at = NULL;
  *n = 0;
  if (!text) return 1;
  size_t most = 1;
  for (; *p; p++) most += *p == ',';
  *at = pl_alloc(a->env, most, sizeof **at);
  if (!*at) return wrong("at", "a shorter list", text);
  for (p = text;; p++) {
    if (!read_real(p, &p, &(*at)[*n]) || (*p && *p != ','))
      return wrong("at", "numbers with commas between, e.g. 0.37,12,4500", text);
    (*n)++;
    if (!*p) return 1;
  }
}

static int read_whole(const cli_args *a, const char *name, int *out) {
  const char *text = cli_value(a, name);
  char *end;
  *out = 0;
  if (!text) return 1;
  long n = strtol(text, &end, 10);
  if (*end || end == text || n < 1 || n > 100000) return wrong(name, "a whole number", text);
  *out = (int)n;
  return 1;
}

static int read_nu(const cli_args *a, double *nu) {
  const char *text = cli_value(a, "nu"), *end;
  *nu = NAN;
  if (!text) return 1;
  if (!read_real(text, &end, nu) || *end) return wrong("nu", "a number", text);
  return 1;
}

// a table holds the points of one model: the one that is named, or the protocol's first
static int choose_csv(const cli_args *a, pl_validate_opts *o) {
  if (!cli_value(a, "csv")) return 1;
  const pl_protocol *p = o->protocol ? pl_protocol_find(o->protocol) : NULL;
  if (!p && (!o->protocol || strcmp(o->protocol, "all") == 0)) {
    fprintf(stderr, "pliant: error: --csv holds the points of one protocol\n  hint: e.g. pliant "
                    "validate cantilever --model rod --csv points.csv\n");
    return 0;
  }
  if (p && !o->model) o->model = p->model[0].name;
  return 1;
}

static int read_opts(const cli_args *a, pl_validate_opts *o, double **at) {
  *o = (pl_validate_opts){.protocol = a->npos ? a->pos[0] : NULL,
                          .model = cli_value(a, "model"),
                          .quick = cli_value(a, "quick") != NULL};
  o->threads = cli_threads(a);
  if (o->threads < 0 || !read_whole(a, "resolution", &o->resolution) || !read_nu(a, &o->nu) ||
      !read_list(a, at, &o->nat) || !choose_csv(a, o))
    return 0;
  o->at = *at;
  return 1;
}

// the folder that is asked for; none for single points and their table
static const char *choose_folder(const cli_args *a, const pl_validate_opts *o, char out[PL_TEXT]) {
  const char *folder = cli_value(a, "output");
  if (folder) return folder;
  if (o->nat || cli_value(a, "csv")) return NULL;
  snprintf(out, PL_TEXT, "%.200s.validation", o->protocol ? o->protocol : "all");
  return out;
}

static pl_status show(const cli_args *a, const pl_validation *v) {
  pl_text t;
  pl_text_init(&t, a->env);
  pl_status s = PL_OK;
  if (cli_value(a, "json"))
    s = pl_validation_json(v, &t);
  else
    pl_validation_print(v, &t);
  if (t.failed) s = PL_E_NOMEM;
  if (s == PL_OK) printf("%s%s", t.s ? t.s : "", cli_value(a, "json") ? "\n" : "");
  if (s == PL_OK && !cli_value(a, "json") && v->report[0]) printf("\n%s\n", v->report);
  pl_text_free(&t);
  return s;
}

static void report_end(const pl_validation *v) {
  if (v->cancelled) fprintf(stderr, "pliant: interrupted; this is what there is\n");
  if (v->nsurprise)
    fprintf(stderr, "pliant: %d %s not as expected\n", v->nsurprise,
            pl_plural(v->nsurprise, "verdict is", "verdicts are"));
}

int cmd_validate(const cli_args *a) {
  pl_validate_opts o;
  double *at = NULL;
  char folder[PL_TEXT];
  if (!read_opts(a, &o, &at)) {
    pl_free(a->env, at);
    return CODE_USAGE;
  }
  o.folder = choose_folder(a, &o, folder);
  screen_attach(a->env, cli_value(a, "quiet") != NULL);
  pl_validation *v = NULL;
  pl_status s = pl_validate(a->env, &o, &v);
  screen_clear();
  int code = cli_exit_code(s);
  if (v) {
    pl_status w = PL_OK;
    if (cli_value(a, "csv") && v->nscore == 1)
      w = pl_score_write(a->env, &v->score[0], cli_value(a, "csv"));
    if (w == PL_OK) w = show(a, v);
    if (!cli_value(a, "quiet")) report_end(v);
    if (w != PL_OK)
      code = cli_exit_code(w);
    else if (s == PL_OK && v->nsurprise)
      code = CODE_VALIDATION;
  }
  pl_validation_free(v);
  pl_free(a->env, at);
  return code;
}
