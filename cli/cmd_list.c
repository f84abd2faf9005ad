#include "cli.h"
#include "pliant/scene.h"
#include "pliant/validate.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// lists are gathered once and printed as text or JSON
typedef struct listing {
  json_t *all; // NULL: text
  json_t *section;
} listing;

static void begin(listing *l, const char *name) {
  if (l->all) {
    l->section = json_object();
    json_object_set_new(l->all, name, l->section);
  } else {
    printf("%s\n", name);
  }
}

static void item(void *ctx, const char *name, const char *text) {
  listing *l = ctx;
  if (l->all)
    json_object_set_new(l->section, name, json_string(text));
  else
    printf("  %-18s %s\n", name, text);
}

static int wanted(const cli_args *a, const char *name) {
  return a->npos == 0 ? strcmp(name, "paths") != 0 : strcmp(a->pos[0], name) == 0;
}

// title of a scene without building it: the first line that begins with it
static void read_title(const char *path, char *out, size_t size) {
  char line[512];
  FILE *f = fopen(path, "r");
  out[0] = 0;
  while (f && fgets(line, sizeof line, f)) {
    if (strncmp(line, "title:", 6) != 0) continue;
    char *from = line + 6, *end = from + strlen(from);
    from += strspn(from, " \"'");
    while (end > from && strchr(" \"'\r\n", end[-1])) *--end = 0;
    snprintf(out, size, "%s", from);
    break;
  }
  if (f) fclose(f);
}

static void list_gallery(listing *l) {
  enum { MOST = 200 };
  static char name[MOST][CLI_NAME];
  char folder[PL_TEXT], path[PL_TEXT], title[256], text[256];
  int n = cli_gallery_names(name, MOST);
  cli_gallery(folder);
  for (int k = 0; k < n; k++) {
    snprintf(path, sizeof path, "%.400s/%.60s/scene.yaml", folder, name[k]);
    read_title(path, title, sizeof title);
    item(l, name[k], pl_printable(title, text, sizeof text));
  }
}

// protocols with the names of their models
static void list_protocols(listing *l) {
  for (int k = 0; k < pl_protocol_count; k++) {
    const pl_protocol *p = pl_protocol_table[k];
    char text[PL_TEXT];
    size_t at = (size_t)snprintf(text, sizeof text, "%.300s (", p->text);
    for (int i = 0; i < p->nmodel && at < sizeof text - 40; i++)
      at +=
          (size_t)snprintf(text + at, sizeof text - at, "%s%.30s", i ? ", " : "", p->model[i].name);
    snprintf(text + at, sizeof text - at, ")");
    item(l, p->name, text);
  }
}

const char *const cli_lists[] = {"gallery",   "elements", "analyses", "objectives",
                                 "protocols", "starters", "paths",    NULL};

int cmd_list(const cli_args *a) {
  int good = a->npos == 0;
  for (int k = 0; cli_lists[k]; k++) good |= a->npos && strcmp(a->pos[0], cli_lists[k]) == 0;
  if (!good) {
    fprintf(stderr, "pliant: error: unknown list '%s'\n  hint:", a->pos[0]);
    for (int k = 0; cli_lists[k]; k++) fprintf(stderr, " %s", cli_lists[k]);
    fprintf(stderr, "\n");
    return CODE_USAGE;
  }
  listing l = {.all = cli_value(a, "json") ? json_object() : NULL};
  if (wanted(a, "gallery")) {
    begin(&l, "gallery");
    list_gallery(&l);
  }
  if (wanted(a, "elements")) {
    begin(&l, "elements");
    for (int k = 0; k < PL_ELEM_COUNT; k++)
      item(&l, pl_elem_table[k]->name, pl_elem_table[k]->text);
  }
  if (wanted(a, "analyses")) {
    begin(&l, "analyses");
    for (int k = 0; k < PL_ANALYSIS_COUNT; k++)
      item(&l, pl_analysis_table[k].name, pl_analysis_table[k].text);
  }
  if (wanted(a, "objectives")) {
    begin(&l, "objectives");
    for (int k = 0; k < PL_OBJECTIVE_COUNT; k++)
      item(&l, pl_objective_table[k]->name, pl_objective_table[k]->text);
  }
  if (wanted(a, "protocols")) {
    begin(&l, "protocols");
    list_protocols(&l);
  }
  if (wanted(a, "starters")) {
    begin(&l, "starters");
    for (int k = 0; k < pl_scene_starter_count; k++)
      item(&l, pl_scene_starters[k].name, pl_scene_starters[k].text);
  }
  if (wanted(a, "paths")) {
    begin(&l, "paths");
    pl_scene_paths(item, &l);
  }
  if (l.all) {
    char *text = json_dumps(l.all, JSON_INDENT(2));
    if (text) puts(text);
    free(text);
    json_decref(l.all);
  }
  return CODE_DONE;
}

int cmd_new(const cli_args *a) {
  const char *names[64] = {0};
  int n = pl_scene_starter_count < 64 ? pl_scene_starter_count : 64;
  for (int k = 0; k < n; k++) {
    names[k] = pl_scene_starters[k].name;
    if (strcmp(names[k], a->pos[0]) == 0) {
      fputs(pl_scene_starters[k].yaml, stdout);
      return CODE_DONE;
    }
  }
  char hint[PL_TEXT];
  pl_name_hint(a->pos[0], n, names, hint, sizeof hint);
  fprintf(stderr, "pliant: error: no starter scene '%s'\n  hint: %s\n", a->pos[0], hint);
  return CODE_USAGE;
}

int cmd_reference(const cli_args *a) {
  pl_text t;
  pl_text_init(&t, a->env);
  pl_scene_reference(&t);
  if (t.s) fputs(t.s, stdout);
  int failed = t.failed;
  pl_text_free(&t);
  return failed ? CODE_INTERNAL : CODE_DONE;
}
