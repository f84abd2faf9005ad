// The manual page, from the command table.
#include "cli.h"
#include "pliant/scene.h"
#include "pliant/version.h"

#include <stdio.h>
#include <string.h>

// Text for roff: its own characters escaped, n bytes. Lines are filled, so those of the table end
// where sentences do or anywhere else.
static void put_text(const char *s, size_t n) {
  int start = 1;
  for (size_t k = 0; k < n; k++) {
    if (start && (s[k] == '.' || s[k] == '\'')) fputs("\\&", stdout);
    start = s[k] == '\n';
    switch (s[k]) {
    case '\\':
      fputs("\\e", stdout);
      break;
    case '-':
      fputs("\\-", stdout);
      break;
    case '`': // what is typed, in bold: `pliant list`
      fputs(memchr(s + k + 1, '`', n - k - 1) && (k == 0 || strchr(" (\n", s[k - 1])) ? "\\fB"
                                                                                      : "\\fR",
            stdout);
      break;
    default:
      putchar(s[k]);
    }
  }
}

static void put(const char *s) {
  put_text(s, strlen(s));
}

static void put_option(const cli_option *o) {
  printf(".TP\n");
  if (o->letter) printf("\\fB\\-%c\\fR, ", o->letter);
  printf("\\fB\\-\\-");
  put(o->name);
  printf("\\fR");
  if (o->arg) {
    printf(" \\fI");
    put(o->arg);
    printf("\\fR");
  }
  printf("\n");
  put(o->text);
  printf("\n");
}

static void put_command(const cli_command *c) {
  printf(".SS pliant %s %s\n", c->name, c->args);
  put(c->text);
  printf(".\n");
  put(c->detail);
  printf("\n");
  for (int k = 0; k < CLI_OPTIONS && c->option[k].name; k++) put_option(&c->option[k]);
}

// files and variables that no table holds
static const char files[] =
    ".SH FILES\n"
    ".TP\n.I scene.yaml\nwhat to simulate; \\fBpliant new\\fR prints one to begin with, and "
    "\\fBpliant reference\\fR tells all keys\n"
    ".TP\n.I NAME.results\nresults of \\fBpliant run\\fR: \\fIreport.html\\fR, "
    "\\fIsummary.json\\fR, tables, files for ParaView, and checkpoints to go on from\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B OPENBLAS_CORETYPE\nkernels of OpenBLAS; without it pliant chooses those for the "
    "processor (\\fBpliant \\-\\-version\\fR names them)\n";

int cmd_man(const cli_args *a) {
  (void)a;
  printf(".\\\" made by `pliant man` from its tables\n"
         ".TH PLIANT 1 \"\" \"pliant %s\" \"User Commands\"\n.SH NAME\n"
         "pliant \\- simulate and design compliant mechanical systems\n.SH SYNOPSIS\n",
         pl_version());
  for (int k = 0; k < cli_command_count; k++) {
    const cli_command *c = &cli_commands[k];
    printf("%s\\fBpliant %s\\fR%s%s [\\fIoptions\\fR]\n", k ? ".br\n" : "", c->name,
           *c->args ? " " : "", c->args);
  }
  printf(".br\n\\fBpliant \\-\\-version\\fR\n"
         ".SH DESCRIPTION\n"
         "Reads scenes of rods, shells, cloth, solids, springs and mechanisms, runs the analyses "
         "that they ask for, and writes reports and tables.\n.SH COMMANDS\n");
  for (int k = 0; k < cli_command_count; k++) put_command(&cli_commands[k]);
  printf(".SH ANALYSES\n");
  for (int k = 0; k < PL_ANALYSIS_COUNT; k++) {
    printf(".TP\n.B %s\n", pl_analysis_table[k].name);
    put(pl_analysis_table[k].text);
    printf("\n");
  }
  printf(".SH EXIT STATUS\n");
  for (int k = 0; k < cli_code_count; k++) {
    printf(".TP\n.B %d\n", cli_codes[k].code);
    put(cli_codes[k].text);
    printf("\n");
  }
  fputs(files, stdout);
  return CODE_DONE;
}
