// Completion for shells, from the command table: what can stand for an argument, or for the value
// of an option, follows from how the table calls it (SCENE, DIR, PATH=VALUE, ...).
#include "cli.h"
#include "pliant/scene.h"
#include "pliant/validate.h"

#include <stdio.h>
#include <string.h>

// what a word of the command line is completed with
typedef enum kind { NOTHING, WORDS, FILES, FOLDERS } kind;

typedef void word_fn(void *ctx, const char *word, const char *text);

static void scenes(word_fn *put, void *ctx) {
  enum { MOST = 200 };
  static char name[MOST][CLI_NAME];
  int n = cli_gallery_names(name, MOST);
  for (int k = 0; k < n; k++) {
    char word[CLI_NAME + 8];
    snprintf(word, sizeof word, "gallery/%.60s", name[k]);
    put(ctx, word, "scene of the gallery");
  }
}

static void starters(word_fn *put, void *ctx) {
  for (int k = 0; k < pl_scene_starter_count; k++)
    put(ctx, pl_scene_starters[k].name, pl_scene_starters[k].text);
}

static void protocols(word_fn *put, void *ctx) {
  for (int k = 0; k < pl_protocol_count; k++)
    put(ctx, pl_protocol_table[k]->name, pl_protocol_table[k]->text);
}

static void lists(word_fn *put, void *ctx) {
  for (int k = 0; cli_lists[k]; k++) put(ctx, cli_lists[k], "");
}

static void shells(word_fn *put, void *ctx);

static void paths(word_fn *put, void *ctx) {
  pl_scene_paths(put, ctx);
}

// By names of the table. Others are files where a command's arguments are meant, and nothing that
// could be known where an option's value is.
static const struct {
  const char *name;
  kind kind;
  void (*words)(word_fn *put, void *ctx);
} places[] = {
    {"SCENE", FILES, scenes}, {"KIND", WORDS, starters},    {"PROTOCOL", WORDS, protocols},
    {"WHAT", WORDS, lists},   {"SHELL", WORDS, shells},     {"DIR", FOLDERS, NULL},
    {"FILE", FILES, NULL},    {"PATH=VALUE", WORDS, paths},
};
enum { PLACES = sizeof places / sizeof places[0] };

// the row of `[PROTOCOL]` or `SCENE [OUT]`, by its first name; -1: not in the table
static int place_of(const char *args) {
  args += strspn(args, "[");
  // parameters, which scenes name themselves, or paths
  if (strncmp(args, "NAME=", 5) == 0) args = "PATH=VALUE";
  size_t n = strcspn(args, "] .");
  for (int k = 0; k < PLACES; k++)
    if (strlen(places[k].name) == n && strncmp(places[k].name, args, n) == 0) return k;
  return -1;
}

static kind argument_kind(const cli_command *c) {
  int k = place_of(c->args);
  if (c->max_args == 0) return NOTHING;
  return k < 0 ? FILES : places[k].kind;
}

static kind value_kind(const cli_option *o) {
  int k = o->arg ? place_of(o->arg) : -1;
  return k < 0 ? NOTHING : places[k].kind;
}

static void put_words(const char *args, word_fn *put, void *ctx) {
  int k = place_of(args);
  if (k >= 0 && places[k].words) places[k].words(put, ctx);
}

// text in single quotes, on one line
static void quoted(const char *s) {
  putchar('\'');
  for (; *s; s++) {
    if (*s == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*s == '\n' ? ' ' : *s);
  }
  putchar('\'');
}

// ---- bash ---------------------------------------------------------------------------------------

static void bash_word(void *ctx, const char *word, const char *text) {
  (void)text;
  printf(" %s%s", word, (const char *)ctx);
}

static void bash_pattern(const cli_option *o) {
  printf("--%s", o->name);
  if (o->letter) printf("|-%c", o->letter);
}

// values of options: `case $prev in --set|-s) ... ;;`
static void bash_values(const cli_command *c) {
  for (int k = 0; k < CLI_OPTIONS && c->option[k].name; k++) {
    const cli_option *o = &c->option[k];
    kind what = value_kind(o);
    if (!o->arg) continue;
    printf("        ");
    bash_pattern(o);
    if (what == WORDS)
      printf(") words=$_pliant_paths; compopt -o nospace ;;\n");
    else
      printf(") kind=%s ;;\n", what == FILES ? "-f" : what == FOLDERS ? "-d" : "-");
  }
}

static void bash_command(const cli_command *c) {
  kind what = argument_kind(c);
  printf("    %s)\n      case $prev in\n", c->name);
  bash_values(c);
  printf("        *)\n          words='");
  for (int k = 0; k < CLI_OPTIONS && c->option[k].name; k++) printf(" --%s", c->option[k].name);
  if (what != NOTHING) put_words(c->args, bash_word, "");
  printf("'\n");
  if (what == FILES) printf("          kind=-f\n");
  printf("          ;;\n      esac\n      ;;\n");
}

static void bash_script(void) {
  printf("# completion of pliant for bash: source <(pliant completion bash)\n_pliant_paths='");
  pl_scene_paths(bash_word, "=");
  printf("'\n_pliant() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= kind=\n"
         "  # --name=value comes in three words\n"
         "  if [[ $word == = ]]; then\n    word=\n"
         "  elif [[ $prev == = && ${COMP_WORDS[COMP_CWORD-2]} == --* ]]; then\n"
         "    prev=${COMP_WORDS[COMP_CWORD-2]}\n  fi\n"
         "  if [[ $COMP_CWORD == 1 ]]; then\n    words='");
  for (int k = 0; k < cli_command_count; k++) printf("%s ", cli_commands[k].name);
  printf("--help --version'\n  else\n    case ${COMP_WORDS[1]} in\n");
  for (int k = 0; k < cli_command_count; k++) bash_command(&cli_commands[k]);
  printf("    esac\n  fi\n  COMPREPLY=()\n"
         "  [[ $kind == - ]] && return\n"
         "  [[ $words ]] && mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  if [[ $kind && $word != -* ]]; then\n"
         "    local found\n    mapfile -t found < <(compgen $kind -- \"$word\")\n"
         "    compopt -o filenames\n    COMPREPLY+=(\"${found[@]}\")\n  fi\n"
         "}\ncomplete -F _pliant pliant\n");
}

// ---- zsh ----------------------------------------------------------------------------------------

// within `name:text` and '[text]'
static void zsh_text(const char *s) {
  for (; *s; s++) {
    if (strchr("[]:\\", *s)) putchar('\\');
    if (*s == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*s == '\n' ? ' ' : *s);
  }
}

static void zsh_word(void *ctx, const char *word, const char *text) {
  (void)text;
  printf("%s%s ", word, (const char *)ctx);
}

// `:message:action`, what follows an option or stands for arguments
static void zsh_action(const char *args, kind what) {
  int k = place_of(args);
  printf(":");
  zsh_text(args);
  if (what == WORDS && k >= 0 && places[k].words == paths) {
    printf(":_pliant_paths");
  } else if (what == WORDS) {
    printf(":(");
    put_words(args, zsh_word, "");
    printf(")");
  } else if (what == FILES && k >= 0 && places[k].words) {
    printf(":_pliant_scenes");
  } else {
    printf(":%s", what == FILES ? "_files" : what == FOLDERS ? "_files -/" : " ");
  }
}

static void zsh_option(const cli_option *o, int letter) {
  printf(" \\\n        '*%s", letter ? "-" : "--");
  if (letter)
    putchar(o->letter);
  else
    printf("%s%s", o->name, o->arg ? "=" : "");
  printf("[");
  zsh_text(o->text);
  printf("]");
  if (o->arg) zsh_action(o->arg, value_kind(o));
  printf("'");
}

static void zsh_command(const cli_command *c) {
  printf("    %s)\n      _arguments -S", c->name);
  for (int k = 0; k < CLI_OPTIONS && c->option[k].name; k++) {
    zsh_option(&c->option[k], 0);
    if (c->option[k].letter) zsh_option(&c->option[k], 1);
  }
  if (c->max_args > 0) {
    printf(" \\\n        '*");
    zsh_action(c->args, argument_kind(c));
    printf("'");
  }
  printf("\n      ;;\n");
}

static void zsh_script(void) {
  printf("#compdef pliant\n# completion of pliant for zsh: in a folder of $fpath, as _pliant\n"
         "_pliant_paths() {\n  local -a words=(");
  pl_scene_paths(zsh_word, "=");
  printf(")\n  compadd -S '' -a words\n}\n_pliant_scenes() {\n  local -a words=(");
  scenes(zsh_word, "");
  printf(")\n  compadd -a words\n  _files\n}\n_pliant() {\n"
         "  local curcontext=$curcontext state line\n"
         "  _arguments -C '1:command:->command' '*::argument:->argument'\n"
         "  if [[ $state == command ]]; then\n    local -a commands=(");
  for (int k = 0; k < cli_command_count; k++) {
    printf("\n      '%s:", cli_commands[k].name);
    zsh_text(cli_commands[k].text);
    printf("'");
  }
  printf("\n      '--help:show this help' '--version:version and BLAS kernels')\n"
         "    _describe command commands\n    return\n  fi\n  case $words[1] in\n");
  for (int k = 0; k < cli_command_count; k++) zsh_command(&cli_commands[k]);
  // read as a file it is the function of a first call, by source it is made known
  printf("  esac\n}\nif [[ $funcstack[1] == _pliant ]]; then\n  _pliant \"$@\"\nelse\n"
         "  compdef _pliant pliant\nfi\n");
}

// ---- fish ---------------------------------------------------------------------------------------

static void fish_word(void *ctx, const char *word, const char *text) {
  (void)ctx;
  (void)text;
  printf("%s ", word);
}

static void fish_path(void *ctx, const char *word, const char *text) {
  (void)ctx;
  (void)text;
  printf("%s= ", word);
}

static void fish_option(const cli_command *c, const cli_option *o) {
  kind what = value_kind(o);
  printf("complete -c pliant -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
  if (o->letter) printf(" -s %c", o->letter);
  if (o->arg) printf(what == FILES ? " -r -F" : " -x");
  if (what == FOLDERS) printf(" -a '(__fish_complete_directories)'");
  if (what == WORDS) printf(" -a $_pliant_paths");
  printf(" -d ");
  quoted(o->text);
  printf("\n");
}

static void fish_command(const cli_command *c) {
  kind what = argument_kind(c);
  printf("complete -c pliant -n __fish_use_subcommand -f -a %s -d ", c->name);
  quoted(c->text);
  printf("\ncomplete -c pliant -n '__fish_seen_subcommand_from %s' %s", c->name,
         what == FILES ? "-F" : "-f");
  if (what == WORDS || what == FILES) {
    printf(" -a '");
    put_words(c->args, fish_word, NULL);
    printf("'");
  }
  printf("\n");
  for (int k = 0; k < CLI_OPTIONS && c->option[k].name; k++) fish_option(c, &c->option[k]);
}

static void fish_script(void) {
  printf(
      "# completion of pliant for fish: pliant completion fish | source\nset -g _pliant_paths '");
  pl_scene_paths(fish_path, NULL);
  printf("'\ncomplete -c pliant -n __fish_use_subcommand -f -l help -s h -d 'show this help'\n"
         "complete -c pliant -n __fish_use_subcommand -f -l version -d 'version and BLAS "
         "kernels'\n");
  for (int k = 0; k < cli_command_count; k++) fish_command(&cli_commands[k]);
}

// ---- the command --------------------------------------------------------------------------------

static const struct {
  const char *name;
  void (*script)(void);
} known[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
enum { KNOWN = sizeof known / sizeof known[0] };

static void shells(word_fn *put, void *ctx) {
  for (int k = 0; k < KNOWN; k++) put(ctx, known[k].name, "");
}

int cmd_completion(const cli_args *a) {
  for (int k = 0; k < KNOWN; k++) {
    if (strcmp(a->pos[0], known[k].name) != 0) continue;
    known[k].script();
    return CODE_DONE;
  }
  fprintf(stderr, "pliant: error: no completion for '%s'\n  hint: known: bash zsh fish\n",
          a->pos[0]);
  return CODE_USAGE;
}
