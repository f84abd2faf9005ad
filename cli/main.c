#include "cli.h"
#include "blas_environment.h"
#include "pliant/version.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

const char *cli_value(const cli_args *a, const char *name) {
  const char *found = NULL;
  for (int k = 0; k < a->nval; k++)
    if (strcmp(a->command->option[a->option[k]].name, name) == 0) found = a->value[k];
  return found;
}

int cli_values(const cli_args *a, const char *name, const char **out) {
  int n = 0;
  for (int k = 0; k < a->nval; k++)
    if (strcmp(a->command->option[a->option[k]].name, name) == 0) out[n++] = a->value[k];
  return n;
}

int cli_exit_code(pl_status s) {
  switch (s) {
  case PL_OK:
    return CODE_DONE;
  case PL_UNSOLVED:
  case PL_DOMAIN:
  case PL_SINGULAR:
    return CODE_UNSOLVED;
  case PL_CANCELLED:
    return CODE_INTERRUPTED;
  case PL_E_INPUT:
    return CODE_INPUT;
  case PL_E_IO:
    return CODE_IO;
  case PL_E_ARG:
    return CODE_USAGE;
  case PL_E_NOMEM:
  case PL_E_INTERNAL:
    return CODE_INTERNAL;
  }
  return CODE_INTERNAL;
}

static int usage(const cli_command *c, const char *what, const char *word) {
  fprintf(stderr, "pliant: error: %s%s%s%s\n", what, *word ? " '" : "", word, *word ? "'" : "");
  if (c)
    fprintf(stderr, "  hint: pliant %s --help\n", c->name);
  else
    fprintf(stderr, "  hint: pliant --help\n");
  return CODE_USAGE;
}

static int find_option(const cli_command *c, const char *word, size_t n) {
  for (int k = 0; k < CLI_OPTIONS && c->option[k].name; k++)
    if (strlen(c->option[k].name) == n && strncmp(c->option[k].name, word, n) == 0) return k;
  return -1;
}

static int find_letter(const cli_command *c, char letter) {
  for (int k = 0; k < CLI_OPTIONS && c->option[k].name; k++)
    if (letter && c->option[k].letter == letter) return k;
  return -1;
}

// one option at argv[*at]; returns CODE_DONE or CODE_USAGE
static int read_option(cli_args *a, int argc, char **argv, int *at) {
  const cli_command *c = a->command;
  const char *word = argv[*at], *value = NULL;
  int k;
  if (word[1] == '-') {
    const char *eq = strchr(word, '=');
    k = find_option(c, word + 2, eq ? (size_t)(eq - word - 2) : strlen(word + 2));
    value = eq ? eq + 1 : NULL;
  } else {
    k = find_letter(c, word[1]);
    if (word[2]) value = word + 2;
  }
  if (k < 0) return usage(c, "unknown option", word);
  if (!c->option[k].arg && value) return usage(c, "option takes no value:", word);
  if (c->option[k].arg && !value) {
    if (*at + 1 >= argc) return usage(c, "option needs a value:", word);
    value = argv[++*at];
  }
  a->option[a->nval] = k;
  a->value[a->nval++] = value ? value : "";
  return CODE_DONE;
}

static int parse(cli_args *a, int argc, char **argv) {
  int plain = 0;
  for (int at = 2; at < argc; at++) {
    if (a->nval >= CLI_VALUES || a->npos >= CLI_VALUES)
      return usage(a->command, "too many arguments", "");
    if (!plain && strcmp(argv[at], "--") == 0) {
      plain = 1;
    } else if (!plain && argv[at][0] == '-' && argv[at][1]) {
      int code = read_option(a, argc, argv, &at);
      if (code != CODE_DONE) return code;
    } else {
      a->pos[a->npos++] = argv[at];
    }
  }
  return CODE_DONE;
}

static const cli_command *find_command(const char *name) {
  for (int k = 0; k < cli_command_count; k++)
    if (strcmp(cli_commands[k].name, name) == 0) return &cli_commands[k];
  return NULL;
}

static int unknown_command(const char *word) {
  const char *names[32] = {0};
  for (int k = 0; k < cli_command_count; k++) names[k] = cli_commands[k].name;
  int near = pl_closest(word, cli_command_count, names);
  fprintf(stderr, "pliant: error: unknown command '%s'\n", word);
  if (near >= 0)
    fprintf(stderr, "  hint: did you mean 'pliant %s'?\n", names[near]);
  else
    fprintf(stderr, "  hint: pliant --help\n");
  return CODE_USAGE;
}

static int version(void) {
  printf("pliant %s%s%s (BLAS kernels: %s)\n", pl_version(), *pl_version_commit() ? " " : "",
         pl_version_commit(), pl_blas_core());
#ifdef PL_GPL
  printf(
      "Sources: Apache-2.0. This binary links UMFPACK and CHOLMOD's supernodal module: GPL-3.0.\n");
#else
  printf("Sources: Apache-2.0. Built without GPL parts.\n");
#endif
  return CODE_DONE;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    help_all();
    return CODE_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    const cli_command *c = argc > 2 ? find_command(argv[2]) : NULL;
    if (c)
      help_command(c);
    else
      help_all();
    return CODE_DONE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    set_blas_environment(argv);
    return version();
  }
  // a file that becomes too large is an error of writing, not the end
  signal(SIGXFSZ, SIG_IGN);
  pl_env env;
  pl_env_init(&env);
  cli_args a = {.env = &env, .command = find_command(argv[1])};
  if (!a.command) return unknown_command(argv[1]);
  if (a.command->blas) set_blas_environment(argv);
  int code = parse(&a, argc, argv);
  if (code != CODE_DONE) return code;
  if (cli_value(&a, "help")) {
    help_command(a.command);
    return CODE_DONE;
  }
  if (a.npos < a.command->min_args) return usage(a.command, "missing argument:", a.command->args);
  if (a.npos > a.command->max_args)
    return usage(a.command, "too many arguments:", a.pos[a.command->max_args]);
  code = a.command->run(&a);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "pliant: error: standard output could not be written\n");
    return code == CODE_DONE ? CODE_IO : code;
  }
  return code;
}
