// cases.jsonl: a line for each case that is done, appended as it comes, so that whatever ends the
// study loses no more than the cases that were running.
#include "study_impl.h"

#include "pliant/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *study_path(const study *s, const char *name, char out[4096]) {
  snprintf(out, 4096, "%.3900s/%.100s", s->o->folder, name);
  return out;
}

// ---- what an earlier study left
// -------------------------------------------------------------------

// the same case: number and overrides
static int find_case(const study *s, const json_t *record) {
  json_int_t k = json_integer_value(json_object_get(record, "case")) - 1;
  if (k < 0 || k >= s->ncase) return -1;
  json_t *own = case_lost(s, (int)k, "", "", 0);
  int same = json_equal(json_object_get(own, "set"), json_object_get(record, "set"));
  json_decref(own);
  return same ? (int)k : -1;
}

// what ended a process, or memory that was short, may not come again
static int is_final(const json_t *record) {
  const char *status = json_string_value(json_object_get(record, "status"));
  return status && json_object_get(record, "figures") &&
         strcmp(status, pl_status_text(PL_E_NOMEM)) != 0;
}

static pl_status take_line(study *s, const char *line, size_t n, int *other) {
  json_t *record = json_loadb(line, n, 0, NULL);
  const char *stamp = json_string_value(json_object_get(record, "stamp"));
  int mine = stamp && strcmp(stamp, s->stamp) == 0, k = mine ? find_case(s, record) : -1;
  *other += stamp && !mine;
  if (k >= 0 && is_final(record) && !s->record[k]) {
    s->record[k] = json_incref(record);
    s->result->nearlier++;
  }
  json_decref(record);
  return PL_OK;
}

static pl_status take_up(study *s, const char *path) {
  char *data;
  size_t size;
  int other = 0;
  if (access(path, F_OK) != 0) return PL_OK;
  PL_TRY(pl_file_read(s->env, path, 0, &data, &size));
  pl_status st = PL_OK;
  // the last line may have no end
  for (char *at = data, *end; st == PL_OK && (end = strchr(at, '\n')); at = end + 1)
    st = take_line(s, at, (size_t)(end - at), &other);
  pl_free(s->env, data);
  if (st == PL_OK && other)
    st = pl_fail_at(s->env, PL_E_INPUT, path, 0, 0, "run without --resume, or into another folder",
                    "its cases are of another scene, other settings or another pliant");
  return st;
}

// ---- keeping
// --------------------------------------------------------------------------------------

static pl_status fail(const study *s, const char *path) {
  return pl_fail_at(s->env, PL_E_IO, path, 0, 0, NULL, "cannot write: %s", strerror(errno));
}

static pl_status put_record(const json_t *record, pl_text *out) {
  char *text = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));
  if (!text) return PL_E_NOMEM;
  pl_text_add(out, "%s\n", text);
  free(text);
  return out->failed ? PL_E_NOMEM : PL_OK;
}

pl_status log_write(study *s) {
  char path[4096];
  pl_text all;
  pl_text_init(&all, s->env);
  pl_status st = PL_OK;
  for (int k = 0; st == PL_OK && k < s->ncase; k++)
    if (s->record[k]) st = put_record(s->record[k], &all);
  if (st == PL_OK)
    st = pl_file_write(s->env, study_path(s, "cases.jsonl", path), all.s ? all.s : "", all.n);
  pl_text_free(&all);
  return st;
}

pl_status log_open(study *s, int *fd) {
  char path[4096];
  study_path(s, "cases.jsonl", path);
  if (s->o->resume) PL_TRY(take_up(s, path));
  // without the half line, and records of other cases
  PL_TRY(log_write(s));
  *fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  return *fd < 0 ? fail(s, path) : PL_OK;
}

pl_status log_add(study *s, int fd, int k, json_t *record) {
  char path[4096];
  pl_text line;
  json_decref(s->record[k]);
  s->record[k] = record;
  pl_text_init(&line, s->env);
  pl_status st = put_record(record, &line);
  // one write, so that a line is there or is not; the disk has it when it likes
  if (st == PL_OK && write(fd, line.s, line.n) != (ssize_t)line.n)
    st = fail(s, study_path(s, "cases.jsonl", path));
  pl_text_free(&line);
  return st;
}
