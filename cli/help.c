// Help, manual page and completion: all from the command table.
#include "cli.h"
#include "pliant/scene.h"
#include "pliant/validate.h"
#include "pliant/version.h"

#include <stdio.h>
#include <string.h>

static const struct {
  int code;
  const char *text;
} codes[] = {
#define X(name, code, text) {code, text},
    EXIT_LIST(X)
#undef X
};

void help_all(void) {
  printf("pliant %s: simulate and design compliant mechanical systems\n\n", pl_version());
  for (int k = 0; k < cli_command_count; k++) {
    const cli_command *c = &cli_commands[k];
    printf("  pliant %-10s %-10s %s\n", c->name, c->args, c->text);
  }
  printf("\n  pliant COMMAND --help   options of a command\n  pliant --version        version and "
         "BLAS kernels\n");
  printf("\nExit codes:\n");
  for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++)
    printf("  %3d  %s\n", codes[k].code, codes[k].text);
}

// `-o, --output DIR`
static void option_words(const cli_option *o, char *out, size_t size) {
  char letter[8] = "    ";
  if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
  snprintf(out, size, "%s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
}

void help_command(const cli_command *c) {
  printf("pliant %s%s%s [options]: %s\n\n%s\n\n", c->name, *c->args ? " " : "", c->args, c->text,
         c->detail);
  for (int k = 0; k < CLI_OPTIONS && c->option[k].name; k++) {
    char words[64];
    option_words(&c->option[k], words, sizeof words);
    printf("  %-24s %s\n", words, c->option[k].text);
  }
}

// roff wants backslashes and leading dots escaped
static void roff(const char *s) {
  int start = 1;
  for (; *s; s++) {
    if (start && (*s == '.' || *s == '\'')) fputs("\\&", stdout);
    if (*s == '\\' || *s == '-') putchar('\\');
    putchar(*s);
    start = *s == '\n';
  }
}

int cmd_man(const cli_args *a) {
  (void)a;
  printf(".TH PLIANT 1 \"\" \"pliant %s\" \"User Commands\"\n", pl_version());
  printf(".SH NAME\npliant \\- simulate and design compliant mechanical systems\n.SH SYNOPSIS\n");
  for (int k = 0; k < cli_command_count; k++)
    printf(".B pliant %s\n%s [options]\n.br\n", cli_commands[k].name, cli_commands[k].args);
  printf(".SH COMMANDS\n");
  for (int k = 0; k < cli_command_count; k++) {
    const cli_command *c = &cli_commands[k];
    printf(".SS %s %s\n", c->name, c->args);
    roff(c->text);
    printf(".\n");
    roff(c->detail);
    printf("\n");
    for (int i = 0; i < CLI_OPTIONS && c->option[i].name; i++) {
      char words[64];
      option_words(&c->option[i], words, sizeof words);
      printf(".TP\n.B ");
      roff(words + strspn(words, " "));
      printf("\n");
      roff(c->option[i].text);
      printf("\n");
    }
  }
  printf(".SH ANALYSES\n");
  for (int k = 0; k < PL_ANALYSIS_COUNT; k++) {
    printf(".TP\n.B %s\n", pl_analysis_table[k].name);
    roff(pl_analysis_table[k].text);
    printf("\n");
  }
  printf(".SH EXIT STATUS\n");
  for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++)
    printf(".TP\n.B %d\n%s\n", codes[k].code, codes[k].text);
  return CODE_DONE;
}

static void add_word(void *ctx, const char *name, const char *text) {
  (void)ctx;
  (void)text;
  printf(" %s=", name);
}

int cmd_completion(const cli_args *a) {
  if (strcmp(a->pos[0], "bash") != 0) {
    fprintf(stderr, "pliant: error: no completion for '%s'\n  hint: known: bash\n", a->pos[0]);
    return CODE_USAGE;
  }
  printf("# completion of pliant for bash: source <(pliant completion bash)\n_pliant() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  if [ \"$COMP_CWORD\" = 1 ]; then\n    words='");
  for (int k = 0; k < cli_command_count; k++) printf("%s ", cli_commands[k].name);
  printf(
      "--help --version'\n  elif [ \"$prev\" = --set ] || [ \"$prev\" = -s ]; then\n    words='");
  pl_scene_paths(add_word, NULL);
  printf("'\n    compopt -o nospace\n  else\n    case ${COMP_WORDS[1]} in\n");
  for (int k = 0; k < cli_command_count; k++) {
    printf("      %s) words='", cli_commands[k].name);
    for (int i = 0; i < CLI_OPTIONS && cli_commands[k].option[i].name; i++)
      printf("--%s ", cli_commands[k].option[i].name);
    if (strcmp(cli_commands[k].name, "new") == 0)
      for (int i = 0; i < pl_scene_starter_count; i++) printf("%s ", pl_scene_starters[i].name);
    if (strcmp(cli_commands[k].name, "validate") == 0)
      for (int i = 0; i < pl_protocol_count; i++) printf("%s ", pl_protocol_table[i]->name);
    printf("' ;;\n");
  }
  printf("    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  case ${COMP_WORDS[1]} in check|run) [[ $word != -* ]] && COMPREPLY+=($(compgen -f -- "
         "\"$word\")) ;; esac\n"
         "}\ncomplete -o filenames -F _pliant pliant\n");
  return CODE_DONE;
}
