// What a job tells while it runs: rows of tables that grow, steps of designs, motions of the points
// of a curve. Pages that come later ask for it.
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- rows ---------------------------------------------------------------------------------------

static live_table *find_table(live *l, const char *name) {
  for (int k = 0; k < l->ntable; k++)
    if (strcmp(l->table[k].name, name) == 0) return &l->table[k];
  return NULL;
}

static live_table *open_table(live *l, const char *name, const pl_table *t) {
  live_table *of = find_table(l, name);
  if (of) return of;
  if (l->ntable == l->cap_table) {
    int cap = l->cap_table ? 2 * l->cap_table : 4;
    live_table *more = realloc(l->table, (size_t)cap * sizeof *more);
    if (!more) return NULL;
    l->table = more;
    l->cap_table = cap;
  }
  double *row = malloc((size_t)LIVE_ROWS * (size_t)pl_table_cols(t) * sizeof *row);
  if (!row) return NULL;
  of = &l->table[l->ntable++];
  *of = (live_table){.columns = part_columns(t), .ncol = pl_table_cols(t), .every = 1, .row = row};
  snprintf(of->name, sizeof of->name, "%s", name);
  return of;
}

// every second row stays
static void thin_rows(live_table *of) {
  size_t each = (size_t)of->ncol;
  for (int i = 0; 2 * i < of->n; i++)
    memcpy(of->row + (size_t)i * each, of->row + 2 * (size_t)i * each, each * sizeof *of->row);
  of->n = (of->n + 1) / 2;
  of->every *= 2;
  of->sent = 0;
}

// The rows from `first` on are those of t; of many only some are kept.
static void take_rows(live_table *of, const pl_table *t, int first) {
  size_t each = (size_t)of->ncol;
  if (first == 0) of->every = 1;
  int kept = (first + of->every - 1) / of->every;
  if (kept < of->n) of->n = kept;
  if (of->sent > of->n) of->sent = of->n;
  for (int i = of->n * of->every; i < pl_table_rows(t); i = of->n * of->every) {
    memcpy(of->row + (size_t)of->n++ * each, pl_table_data(t) + (size_t)i * each,
           each * sizeof *of->row);
    if (of->n == LIVE_ROWS) thin_rows(of);
  }
}

static void send_rows(const job *r, live_table *of) {
  json_t *event = json_object(), *rows = json_array();
  for (int i = of->sent; i < of->n; i++)
    json_array_append_new(rows, part_reals(of->ncol, of->row + (size_t)i * (size_t)of->ncol));
  part_set(event, "event", json_string("rows"));
  part_set(event, "run", json_integer(r->number));
  part_set(event, "table", part_words(of->name));
  part_set(event, "columns", json_incref(of->columns));
  part_set(event, "first", json_integer(of->sent));
  part_set(event, "every", json_integer(of->every));
  part_set(event, "rows", rows);
  of->sent = of->n;
  push_event(r->s, event);
}

void live_flush(job *r, int all) {
  double now = pl_wall_time();
  if (!all && now - r->live.told < ROWS_PAUSE) return;
  // the tables are the job's alone, others read them under the lock
  for (int k = 0; k < r->live.ntable; k++)
    if (r->live.table[k].sent < r->live.table[k].n) {
      send_rows(r, &r->live.table[k]);
      r->live.told = now;
    }
}

void live_rows(job *r, const char *name, const pl_table *t, int first) {
  runs_lock(r->s);
  live_table *of = open_table(&r->live, name, t);
  if (of) take_rows(of, t, first);
  runs_unlock(r->s);
  live_flush(r, 0);
}

void live_end(job *r, const char *name) {
  live *l = &r->live;
  live_flush(r, 1);
  runs_lock(r->s);
  live_table *of = find_table(l, name);
  if (of) {
    json_decref(of->columns);
    free(of->row);
    *of = l->table[--l->ntable];
  }
  runs_unlock(r->s);
}

// ---- steps of designs ---------------------------------------------------------------------------

void live_iterate(job *r, json_t *event, size_t bytes) {
  if (!event) return;
  runs_lock(r->s);
  r->live.iterate_bytes += bytes;
  // of very many, the first and the latest
  if (json_array_size(r->live.iterates) >= LIVE_ITERATES) json_array_remove(r->live.iterates, 1);
  json_array_append(r->live.iterates, event);
  push_event(r->s, event);
  runs_unlock(r->s);
}

// ---- motions of curves --------------------------------------------------------------------------

static void group_of(const job *r, const kept_motion *k, char group[64]) {
  snprintf(group, 64, "%s/motion/%d", r->group, k->number);
}

static void drop_motion(job *r, int at) {
  live *l = &r->live;
  char group[64];
  group_of(r, &l->motion[at], group);
  data_drop(r->s, group);
  json_decref(l->motion[at].orbit);
  l->motion_bytes -= l->motion[at].bytes;
  memmove(l->motion + at, l->motion + at + 1, (size_t)(--l->nmotion - at) * sizeof *l->motion);
}

// every second one stays
static void thin(job *r) {
  live *l = &r->live;
  l->stride *= 2;
  for (int k = l->nmotion - 1; k >= 0; k--)
    if (l->motion[k].row % l->stride != 0) drop_motion(r, k);
}

int live_wants(job *r, const char *table, int row, char group[64]) {
  live *l = &r->live;
  runs_lock(r->s);
  while (l->motion_bytes > MOTION_BYTES && l->stride < 1 << 20) thin(r);
  // a curve that is told anew
  for (int k = l->nmotion - 1; k >= 0; k--)
    if (l->motion[k].row == row && strcmp(l->motion[k].table, table) == 0) drop_motion(r, k);
  int wanted = row % l->stride == 0;
  snprintf(group, 64, "%s/motion/%d", r->group, l->next);
  runs_unlock(r->s);
  return wanted;
}

void live_motion(job *r, const char *table, int row, json_t *orbit, size_t bytes) {
  live *l = &r->live;
  if (!orbit) return;
  runs_lock(r->s);
  if (l->nmotion == l->cap_motion) {
    int cap = l->cap_motion ? 2 * l->cap_motion : 64;
    kept_motion *more = realloc(l->motion, (size_t)cap * sizeof *more);
    if (more) {
      l->motion = more;
      l->cap_motion = cap;
    }
  }
  if (l->nmotion < l->cap_motion) {
    kept_motion *k = &l->motion[l->nmotion++];
    *k = (kept_motion){.row = row, .number = l->next, .bytes = bytes, .orbit = orbit};
    snprintf(k->table, sizeof k->table, "%s", table);
    l->motion_bytes += bytes;
  } else {
    json_decref(orbit);
  }
  l->next++;
  runs_unlock(r->s);
}

// arrays of one answer to `live`
static void live_group(const job *r, int k, char group[64]) {
  snprintf(group, 64, "%s/live/%d", r->group, k);
}

void live_free(job *r) {
  live *l = &r->live;
  char group[64];
  for (int k = 0; k < LIVE_ASKED && l->asked > 0; k++) {
    live_group(r, k, group);
    data_drop(r->s, group);
  }
  while (l->nmotion) drop_motion(r, l->nmotion - 1);
  for (int k = 0; k < l->ntable; k++) {
    json_decref(l->table[k].columns);
    free(l->table[k].row);
  }
  free(l->motion);
  free(l->table);
  json_decref(l->iterates);
}

// ---- requests -----------------------------------------------------------------------------------

json_t *op_motion(studio *s, const json_t *args, failure *f) {
  const char *table = arg_text(args, "table");
  json_int_t row = json_integer_value(json_object_get(args, "row"));
  const kept_motion *best = NULL;
  json_t *out = NULL;
  if (!table) return refuse(f, "bad-request", "", "motions are those of a table");
  runs_lock(s);
  const job *r = runs_find(s, json_integer_value(json_object_get(args, "run")));
  for (int k = 0; r && k < r->live.nmotion; k++) {
    const kept_motion *m = &r->live.motion[k];
    if (strcmp(m->table, table) != 0) continue;
    if (!best || llabs(m->row - row) < llabs(best->row - row)) best = m;
  }
  if (r) {
    out = json_object();
    part_set(out, "row", json_integer(best ? best->row : -1));
    part_set(out, "orbit", best ? json_incref(best->orbit) : json_null());
  }
  runs_unlock(s);
  return out ? out : refuse(f, "not-found", "", "there is no such run");
}

static json_t *table_so_far(studio *s, const char *group, const live_table *t) {
  json_t *out = json_object();
  part_set(out, "kind", json_string("table"));
  part_set(out, "name", part_words(t->name));
  part_set(out, "columns", json_incref(t->columns));
  part_set(out, "rows", json_integer(t->n));
  part_set(out, "every", json_integer(t->every));
  part_set(out, "data",
           data_keep_real(s, group, t->row, 2, (size_t[]){(size_t)t->n, (size_t)t->ncol}));
  return out;
}

json_t *op_live(studio *s, const json_t *args, failure *f) {
  char group[64];
  json_t *out = NULL;
  runs_lock(s);
  job *r = runs_find(s, json_integer_value(json_object_get(args, "run")));
  if (r) {
    json_t *tables = json_array();
    // what others were told just now may still be on its way to them
    live_group(r, r->live.asked++ % LIVE_ASKED, group);
    data_drop(s, group);
    for (int k = 0; k < r->live.ntable; k++)
      json_array_append_new(tables, table_so_far(s, group, &r->live.table[k]));
    out = json_object();
    part_set(out, "tables", tables);
    part_set(out, "iterates", json_copy(r->live.iterates));
  }
  runs_unlock(s);
  return out ? out : refuse(f, "not-found", "", "there is no such run");
}
