#include "cli.h"
#include "pliant/job.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// a value that must be one of a few digits; 0: it is not given, -1: it is nonsense, reported
static int digit(const cli_args *a, const char *name, const char *known) {
  const char *text = cli_value(a, name);
  if (!text) return 0;
  if (strlen(text) == 1 && strchr(known, text[0])) return text[0] - '0';
  fprintf(stderr, "pliant: error: --%s must be one of %s, got '%s'\n", name, known, text);
  return -1;
}

static int old_version(const cli_args *a) {
  const char *text = cli_value(a, "msh");
  if (!text || strcmp(text, "4.1") == 0) return 0;
  if (strcmp(text, "2.2") == 0) return 1;
  fprintf(stderr, "pliant: error: --msh must be 2.2 or 4.1, got '%s'\n", text);
  return -1;
}

// results have a copy of their scene beside them: they are what is meant
static const char *input(const char *word, char out[PL_TEXT]) {
  char path[PL_TEXT];
  snprintf(path, sizeof path, "%.480s/summary.json", word);
  return access(path, F_OK) == 0 ? word : cli_scene(word, out);
}

int cmd_convert(const cli_args *a) {
  char file[PL_TEXT];
  pl_convert_opts o = {.from = cli_value(a, "from"),
                       .to = cli_value(a, "to"),
                       .unit = cli_value(a, "unit"),
                       .to_unit = cli_value(a, "to-unit"),
                       .body = cli_value(a, "body"),
                       .order = digit(a, "order", "12"),
                       .dim = digit(a, "dim", "123"),
                       .text = cli_value(a, "ascii") != NULL,
                       .old = old_version(a),
                       .root = cli_value(a, "root")};
  if (o.order < 0 || o.dim < 0 || o.old < 0) return CODE_USAGE;
  screen_attach(a->env, cli_value(a, "quiet") != NULL);
  return cli_exit_code(pl_convert(a->env, input(a->pos[0], file), a->pos[1], &o));
}
