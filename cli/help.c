// Help from the command table.
#include "cli.h"
#include "pliant/version.h"

#include <stdio.h>

const cli_code cli_codes[] = {
#define X(name, code, text) {code, text},
    EXIT_LIST(X)
#undef X
};
const int cli_code_count = sizeof cli_codes / sizeof cli_codes[0];

void help_all(void) {
  printf("pliant %s: simulate and design compliant mechanical systems\n\n", pl_version());
  for (int k = 0; k < cli_command_count; k++) {
    const cli_command *c = &cli_commands[k];
    printf("  pliant %-10s %-10s %s\n", c->name, c->args, c->text);
  }
  printf("\n  pliant COMMAND --help   options of a command\n  pliant --version        version and "
         "BLAS kernels\n");
  printf("\nExit codes:\n");
  for (int k = 0; k < cli_code_count; k++)
    printf("  %3d  %s\n", cli_codes[k].code, cli_codes[k].text);
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
