#include "cli.h"
#include "pliant/sensitivity.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 12, PARAMETERS = 30 }; // that are printed

static void put_number(double x) {
  if (isnan(x))
    printf(" %13s", "-");
  else
    printf(" %13.6g", x);
}

static void print_figure(const pl_sensitivity *s, int f, int *order) {
  printf("%s%s = %.10g\n", f ? "\n" : "", s->figure[f], s->base[f]);
  printf("  %-24s %13s %13s %13s %13s %13s %13s\n", "parameter", "low", "high", "at low", "at high",
         "slope", "exact");
  pl_sensitivity_order(s, f, order);
  for (int k = 0; k < s->nparameter && k < PARAMETERS; k++) {
    const pl_sensitivity_parameter *p = &s->parameter[order[k]];
    const pl_sensitivity_effect *e = &s->effect[f * s->nparameter + order[k]];
    char name[64];
    snprintf(name, sizeof name, "%.40s%s%.16s", p->name, p->unit[0] ? ", " : "", p->unit);
    printf("  %-24s", name);
    const double row[] = {p->low, p->high, e->low, e->high, e->slope, e->gradient};
    for (size_t c = 0; c < sizeof row / sizeof row[0]; c++) put_number(row[c]);
    printf("\n");
  }
  if (s->nparameter > PARAMETERS) printf("  ... and %d more\n", s->nparameter - PARAMETERS);
}

static void print_failures(const pl_sensitivity *s) {
  for (int i = 0; i < s->nparameter; i++)
    for (int high = 0; high < 2; high++) {
      const pl_sensitivity_parameter *p = &s->parameter[i];
      const char *why = high ? p->why_high : p->why_low;
      if (why[0])
        fprintf(stderr, "pliant: warning: %s = %.6g %s gave no result: %s\n", p->name,
                high ? p->high : p->low, p->unit, why);
    }
}

static int print_text(const pl_sensitivity *s) {
  int *order = malloc(((size_t)s->nparameter + 1) * sizeof *order);
  if (!order) return CODE_INTERNAL;
  for (int f = 0; f < s->nfigure && f < FIGURES; f++) print_figure(s, f, order);
  if (s->nfigure == 0) printf("no figure changes\n");
  if (s->nfigure > FIGURES)
    printf("\n... and %d more figures; --figure chooses some\n", s->nfigure - FIGURES);
  if (s->report[0]) printf("\n%s\n", s->report);
  free(order);
  return CODE_DONE;
}

// what is not known is null
static json_t *number(double x) {
  return isfinite(x) ? json_real(x) : json_null();
}

static json_t *effects(const pl_sensitivity *s, int f) {
  json_t *all = json_object();
  for (int i = 0; i < s->nparameter; i++) {
    const pl_sensitivity_effect *e = &s->effect[f * s->nparameter + i];
    json_object_set_new(all, s->parameter[i].name,
                        json_pack("{s:o, s:o, s:o, s:o}", "low", number(e->low), "high",
                                  number(e->high), "slope", number(e->slope), "exact",
                                  number(e->gradient)));
  }
  return all;
}

static int print_json(const pl_sensitivity *s) {
  json_t *parameters = json_object(), *figures = json_object();
  for (int i = 0; i < s->nparameter; i++) {
    const pl_sensitivity_parameter *p = &s->parameter[i];
    json_object_set_new(parameters, p->name,
                        json_pack("{s:s, s:f, s:f, s:f, s:s, s:s}", "unit", p->unit, "low", p->low,
                                  "value", p->base, "high", p->high, "failed_low", p->why_low,
                                  "failed_high", p->why_high));
  }
  for (int f = 0; f < s->nfigure; f++)
    json_object_set_new(figures, s->figure[f],
                        json_pack("{s:f, s:o}", "value", s->base[f], "by", effects(s, f)));
  json_t *all = json_pack("{s:o, s:o}", "parameters", parameters, "figures", figures);
  char *text = all ? json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
  if (text) puts(text);
  free(text);
  json_decref(all);
  return text ? CODE_DONE : CODE_INTERNAL;
}

// "5 %", "5%" or 0.05; 0: nonsense
static int read_step(const cli_args *a, double *step) {
  const char *word = cli_value(a, "step");
  *step = 0;
  if (!word) return 1;
  size_t n = pl_number_scan(word, strlen(word), step), end = n;
  while (word[end] == ' ') end++;
  if (n > 0 && word[end] == '%') {
    *step /= 100;
    end++;
  }
  if (n > 0 && !word[end] && *step > 0 && *step < 1) return 1;
  fprintf(stderr, "pliant: error: --step takes a part of the values, e.g. 5%%, not '%s'\n", word);
  return 0;
}

int cmd_sensitivity(const cli_args *a) {
  const char *set[CLI_VALUES], *by[CLI_VALUES], *figure[CLI_VALUES];
  char folder[PL_TEXT], file[PL_TEXT];
  const char *path = cli_scene(a->pos[0], file);
  int nset = cli_values(a, "set", set), json = cli_value(a, "json") != NULL;
  cli_folder(path, "sensitivity", folder);
  pl_sensitivity_opts o = {.folder = cli_value(a, "output"),
                           .only = cli_value(a, "only"),
                           .nparameter = cli_values(a, "by", by),
                           .parameter = by,
                           .nfigure = cli_values(a, "figure", figure),
                           .figure = figure,
                           .threads = cli_threads(a)};
  if (!o.folder) o.folder = folder;
  if (o.threads < 0 || !read_step(a, &o.step)) return CODE_USAGE;
  screen_attach(a->env, cli_value(a, "quiet") != NULL);
  pl_scene *scene = NULL;
  pl_sensitivity *s = NULL;
  pl_status st = cli_load(a, path, nset, set, NULL, &scene);
  if (st == PL_OK) st = pl_sensitivity_run(a->env, scene, &o, &s);
  screen_clear();
  int code = s ? (json ? print_json : print_text)(s) : CODE_DONE;
  if (s) print_failures(s);
  pl_sensitivity_free(s);
  pl_scene_free(scene);
  return code != CODE_DONE ? code : cli_exit_code(st);
}
