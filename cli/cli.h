#ifndef CLI_H
#define CLI_H

#include "pliant/base.h"

// exit codes, the same for every command; docs/exit-codes.md and the manual are made from this list
#define EXIT_LIST(X)                                                                               \
  X(DONE, 0, "done")                                                                               \
  X(INTERNAL, 1, "internal error, or out of memory")                                               \
  X(USAGE, 2, "wrong use of the command")                                                          \
  X(INPUT, 3, "bad scene or mesh")                                                                 \
  X(UNSOLVED, 4, "not converged; partial results are written")                                     \
  X(IO, 5, "a file could not be read or written")                                                  \
  X(VALIDATION, 6, "a validation did not end as expected")                                         \
  X(INTERRUPTED, 130, "interrupted; partial results are written")
#define X(name, code, text) CODE_##name = code,
enum { EXIT_LIST(X) };
#undef X

typedef struct cli_code {
  int code;
  const char *text;
} cli_code;

extern const cli_code cli_codes[]; // all exit codes
extern const int cli_code_count;

enum { CLI_OPTIONS = 24, CLI_VALUES = 256, CLI_NAME = 64 };

typedef struct cli_option {
  const char *name; // long name without dashes
  char letter;      // short form, 0: none
  const char *arg;  // name of its value, NULL: a flag
  const char *text;
} cli_option;

typedef struct cli_args cli_args;

typedef struct cli_command {
  const char *name, *args, *text;
  const char *detail; // paragraphs for --help and the manual
  int min_args, max_args;
  int blas; // wants fast BLAS kernels
  int (*run)(const cli_args *a);
  cli_option option[CLI_OPTIONS]; // ends with a NULL name
} cli_command;

extern const cli_command cli_commands[];
extern const int cli_command_count;

// a parsed command line
struct cli_args {
  pl_env *env;
  const cli_command *command;
  int npos, nval;
  const char *pos[CLI_VALUES];
  int option[CLI_VALUES]; // index of each given option
  const char *value[CLI_VALUES];
};

// Value of an option (the last given), NULL when absent; flags give "".
const char *cli_value(const cli_args *a, const char *name);
// All values of a repeatable option; returns their count.
int cli_values(const cli_args *a, const char *name, const char **out);
int cli_exit_code(pl_status s);

// The scene file that a word means: a file, a folder with scene.yaml in it, or gallery/NAME.
const char *cli_scene(const char *word, char out[PL_TEXT]);
// NAME.suffix for results of a scene; NAME is that of the folder for scenes called scene.yaml.
void cli_folder(const char *scene, const char *suffix, char out[PL_TEXT]);
// Folder of the gallery, "" when there is none, and the scenes in it, sorted; returns their count.
const char *cli_gallery(char out[PL_TEXT]);
int cli_gallery_names(char name[][CLI_NAME], int most);
// What `pliant list` knows, ends with NULL.
extern const char *const cli_lists[];
// Loads a scene within --root, to be explored when e is not NULL; one that is not there gets a
// suggestion.
struct pl_scene;
struct pl_exploration;
pl_status cli_load(const cli_args *a, const char *path, int nset, const char *const *set,
                   const struct pl_exploration *e, struct pl_scene **out);
// Prints a job's summary, for --json.
void cli_summary(void *ctx, const char *json);
// Threads of an option; 0: not given, -1: nonsense, reported.
int cli_threads(const cli_args *a);

int cmd_check(const cli_args *a);
int cmd_run(const cli_args *a);
int cmd_explore(const cli_args *a);
int cmd_sweep(const cli_args *a);
int cmd_uncertainty(const cli_args *a);
int cmd_sensitivity(const cli_args *a);
int cmd_validate(const cli_args *a);
int cmd_studio(const cli_args *a);
int cmd_new(const cli_args *a);
int cmd_list(const cli_args *a);
int cmd_reference(const cli_args *a);
int cmd_convert(const cli_args *a);
int cmd_schema(const cli_args *a);
int cmd_man(const cli_args *a);
int cmd_completion(const cli_args *a);

void help_all(void);
void help_command(const cli_command *c);

// messages and the progress line, on stderr
void screen_attach(pl_env *env, int quiet);
void screen_clear(void); // wipes a half-drawn progress line

#endif
