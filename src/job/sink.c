// What a job tells to who looks on, and the files that hold the same.
#include "job_impl.h"

#include <string.h>

static const pl_sink *sink_of(const job *j) {
  static const pl_sink none = {0};
  return j->opts->sink ? j->opts->sink : &none;
}

int job_tables(const job *j) {
  const pl_sink *k = sink_of(j);
  return j->output.csv || k->table || k->rows;
}

// "transient" and "-energy.csv" make "transient-energy"
static const char *table_name(const char *name, const char *suffix, char out[PL_TEXT]) {
  size_t n = strlen(suffix);
  if (n >= 4 && strcmp(suffix + n - 4, ".csv") == 0) n -= 4;
  snprintf(out, PL_TEXT, "%s%.*s", name, (int)n, suffix);
  return out;
}

pl_status job_table(const job *j, const pl_table *t, const char *name, const char *suffix) {
  const pl_sink *k = sink_of(j);
  char path[PL_TEXT];
  if (k->table) k->table(k->ctx, table_name(name, suffix, path), t);
  return j->output.csv ? pl_table_write(t, job_path(j, name, suffix, path)) : PL_OK;
}

pl_status job_table_append(const job *j, const pl_table *t, const char *name, const char *suffix,
                           int first) {
  char path[PL_TEXT];
  job_rows(j, t, name, first);
  return j->output.csv ? pl_table_append(t, job_path(j, name, suffix, path), first) : PL_OK;
}

void job_rows(const job *j, const pl_table *t, const char *name, int first) {
  const pl_sink *k = sink_of(j);
  if (k->rows && k->rows(k->ctx, name, t, first)) atomic_store(j->stop, 1);
}

int job_stopped(const job *j) {
  return atomic_load(j->stop);
}

pl_status job_text(const job *j, const char *path, const char *s, size_t n) {
  const pl_sink *k = sink_of(j);
  const char *slash = strrchr(path, '/');
  char name[PL_TEXT];
  if (k->text) k->text(k->ctx, table_name("", slash ? slash + 1 : path, name), s ? s : "", n);
  return j->output.csv ? pl_file_write(j->env, path, s, n) : PL_OK;
}

void sink_plot(const job *j, const char *name, const char *caption, const pl_plot *p) {
  const pl_sink *k = sink_of(j);
  if (k->plot) k->plot(k->ctx, name, caption, p);
}

void sink_state(const job *j, const pl_analysis *a, const pl_state *s) {
  const pl_sink *k = sink_of(j);
  if (k->state) k->state(k->ctx, a, s);
}

void sink_begin(const job *j, const pl_analysis *a) {
  const pl_sink *k = sink_of(j);
  if (k->begin) k->begin(k->ctx, a);
}

void sink_end(const job *j, const pl_analysis *a, const json_t *figures, pl_status status) {
  const pl_sink *k = sink_of(j);
  if (k->figures) k->figures(k->ctx, a, figures);
  if (k->end) k->end(k->ctx, a, status);
}

void sink_summary(const job *j, const char *json) {
  const pl_sink *k = sink_of(j);
  if (k->summary) k->summary(k->ctx, json);
}
