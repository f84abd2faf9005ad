#include "messages.h"

#include "pliant/scene.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every bad/NNN-name.yaml must be refused with what NNN-name.expect says, line by line:
//   --set path=value        an override
//   errors: N               exactly N errors
//   LINE:COL: text          an error there with this piece of text
//   hint: text              a hint with this piece of text
//   not: text               no message holds this piece of text
//   text                    a message whose formatted form holds this piece of text

#define FOLDER SOURCE_DIR "/tests/scene/bad"

static int matches(const pl_diag *d, const char *want) {
  char formatted[3 * PL_TEXT];
  int line, col, n = 0;
  pl_diag_format(d, formatted, sizeof formatted);
  if (strncmp(want, "hint: ", 6) == 0) return strstr(d->hint, want + 6) != NULL;
  if (sscanf(want, "%d:%d: %n", &line, &col, &n) == 2 && n > 0)
    return d->line == line && d->col == col && strstr(d->text, want + n) != NULL;
  return strstr(formatted, want) != NULL;
}

static int check_line(const messages *m, const char *want) {
  int count;
  if (sscanf(want, "errors: %d", &count) == 1) return m->nerror == count;
  if (strncmp(want, "--set ", 6) == 0) return 1;
  int absent = strncmp(want, "not: ", 5) == 0;
  for (int k = 0; k < m->n; k++)
    if (matches(&m->d[k], absent ? want + 5 : want)) return !absent;
  return absent;
}

static void show(const messages *m) {
  char formatted[3 * PL_TEXT];
  for (int k = 0; k < m->n; k++) {
    pl_diag_format(&m->d[k], formatted, sizeof formatted);
    print_error("    %s\n", formatted);
  }
}

// returns the number of lines that do not hold
static int replay(const char *stem) {
  static messages m;
  char path[1024], *text;
  const char *set[1] = {NULL};
  int nset = 0, failures = 0;
  size_t size;
  pl_env env, quiet;
  pl_env_init(&quiet);
  snprintf(path, sizeof path, "%s/%s.expect", FOLDER, stem);
  check_ok(&quiet, pl_file_read(&quiet, path, 0, &text, &size));
  for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) *end = 0;
  if (strncmp(text, "--set ", 6) == 0) set[nset++] = text + 6;

  messages_env(&env, &m);
  snprintf(path, sizeof path, "%s/%s.yaml", FOLDER, stem);
  pl_scene *s;
  pl_status status = pl_scene_load(&env, path, nset, set, &s);
  if (status != PL_E_INPUT || s != NULL || env.error.status != PL_E_INPUT) {
    print_error("%s: status %d\n", stem, (int)status);
    failures++;
  }
  for (char *line = text; line < text + size; line += strlen(line) + 1)
    if (!check_line(&m, line)) {
      print_error("%s: does not hold: %s\n", stem, line);
      failures++;
    }
  if (failures) show(&m);
  pl_scene_free(s);
  pl_free(&quiet, text);
  return failures;
}

static void every_bad_scene(void **state) {
  (void)state;
  DIR *dir = opendir(FOLDER);
  int count = 0, failures = 0;
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    char *dot = strstr(e->d_name, ".expect");
    if (!dot) continue;
    *dot = 0;
    failures += replay(e->d_name);
    count++;
  }
  closedir(dir);
  assert_true(count >= 60);
  assert_int_equal(failures, 0);
}

static void missing_scene(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_scene *s;
  check_status(&env, pl_scene_load(&env, FOLDER "/no-such.yaml", 0, NULL, &s), PL_E_IO);
  assert_null(s);
}

int test_bad(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bad_scene),
      cmocka_unit_test(missing_scene),
  };
  return cmocka_run_group_tests_name("scene.bad", tests, NULL, NULL);
}
