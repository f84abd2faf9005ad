// Measured limits of interlocking materials: CSV files with a row for each direction.
#include "scene_impl.h"

#include "pliant/math.h"
#include "pliant/report.h"

#include <math.h>
#include <string.h>

static const char *const hint =
    "the header is e.g. angle_deg,strain_max,strain_min,strain_max_sd,strain_min_sd or "
    "angle_deg,play_percent";

// as pliant calls them, and as the paper does
static const char *const names[PL_MEASURED_LIMITS][2] = {
    {"strain_max", "eps_max"}, {"strain_min", "eps_min"}, {"play", "c"}};
static const char *const deviations[PL_MEASURED_LIMITS][2] = {
    {"strain_max_sd", "eps_max_sd"}, {"strain_min_sd", "eps_min_sd"}, {"play_sd", "c_sd"}};
static const char *const angles[2] = {"angle", "theta"};

static int find(const pl_table *t, const char *const name[2]) {
  int col = pl_table_find(t, name[0]);
  return col >= 0 ? col : pl_table_find(t, name[1]);
}

// a column in SI within a range; *out NULL: there is none
static int read_column(reader *r, const char *path, const pl_table *t, const char *const name[2],
                       const char *si, double lo, double hi, const double **out) {
  int col = find(t, name), n = pl_table_rows(t), cols = pl_table_cols(t);
  double factor, *v;
  *out = NULL;
  if (col < 0) return 1;
  if (!column_unit(r, path, t, col, si, hint, &factor)) return 0;
  if (!(v = scene_alloc(r, (size_t)n + 1, sizeof *v))) return 0;
  for (int i = 0; i < n; i++) {
    v[i] = factor * pl_table_data(t)[(size_t)i * (size_t)cols + (size_t)col];
    if (v[i] >= lo && v[i] <= hi) continue;
    problem_at(r, path, pl_table_line(t) + 1 + i, 0,
               si[0] ? "leave out directions that were not measured"
                     : "strains are parts of a length: 0.05, or 5 in a column ..._percent",
               "'%s' cannot be %.6g", pl_table_name(t, col),
               pl_table_data(t)[(size_t)i * (size_t)cols + (size_t)col]);
    return 0;
  }
  *out = v;
  return 1;
}

// into the half turn from 0 on
static void fold_angles(const pl_measured_limits *m, double *angle) {
  for (int i = 0; i < m->n; i++) {
    angle[i] = fmod(m->angle[i], PL_PI);
    if (angle[i] < -1e-9) angle[i] += PL_PI;
    if (fabs(angle[i] - PL_PI) < 1e-9 || fabs(angle[i]) < 1e-9) angle[i] = 0;
  }
}

// the play of two strains, with its deviation where theirs are independent
static int derive_play(reader *r, pl_measured_limits *m) {
  const double *most = m->value[PL_STRAIN_MAX], *least = m->value[PL_STRAIN_MIN];
  const double *dm = m->deviation[PL_STRAIN_MAX], *dl = m->deviation[PL_STRAIN_MIN];
  if (m->value[PL_PLAY] || !most || !least) return 1;
  double *v = scene_alloc(r, (size_t)m->n, sizeof *v), *d = scene_alloc(r, (size_t)m->n, sizeof *d);
  if (!v || !d) return 0;
  for (int i = 0; i < m->n; i++) {
    double shortest = 1 + least[i], longest = 1 + most[i];
    v[i] = (longest - shortest) / shortest;
    if (dm && dl) d[i] = hypot(dm[i] / shortest, longest * dl[i] / (shortest * shortest));
  }
  m->value[PL_PLAY] = v;
  if (dm && dl) m->deviation[PL_PLAY] = d;
  return 1;
}

static int check_order(reader *r, const char *path, const pl_table *t,
                       const pl_measured_limits *m) {
  const double *most = m->value[PL_STRAIN_MAX], *least = m->value[PL_STRAIN_MIN];
  for (int i = 0; most && least && i < m->n; i++) {
    if (least[i] <= most[i]) continue;
    problem_at(r, path, pl_table_line(t) + 1 + i, 0, "compression is negative",
               "the shortest strain %.6g is above the longest %.6g", least[i], most[i]);
    return 0;
  }
  return 1;
}

static int is_known(const pl_table *t, int col) {
  int known = find(t, angles) == col;
  for (int k = 0; k < PL_MEASURED_LIMITS; k++)
    known |= find(t, names[k]) == col || find(t, deviations[k]) == col;
  return known;
}

// such as strain_max_percent_sd: a deviation that would be missed in silence
static void warn_unknown(reader *r, const char *path, const pl_table *t) {
  for (int col = 0; col < pl_table_cols(t); col++)
    if (!is_known(t, col))
      pl_report(r->env, PL_WARNING, path, pl_table_line(t), 0, hint,
                "column '%s' is not one of measured limits, and is left out",
                pl_table_name(t, col));
}

static int read_table(reader *r, const char *path, const pl_table *t, pl_measured_limits *m) {
  int any = 0;
  m->n = pl_table_rows(t);
  for (int k = 0; k < PL_MEASURED_LIMITS; k++) any |= find(t, names[k]) >= 0;
  if (find(t, angles) < 0 || !any || m->n == 0) {
    problem_at(r, path, pl_table_line(t), 0, hint,
               any && find(t, angles) >= 0
                   ? "the file has a header and no rows"
                   : "measured limits have the columns 'angle', and 'strain_max', 'strain_min' or "
                     "'play'");
    return 0;
  }
  warn_unknown(r, path, t);
  if (!read_column(r, path, t, angles, "rad", -100, 100, &m->angle)) return 0;
  // limits are looked for up to twice the length, and down to a third of it
  for (int k = 0; k < PL_MEASURED_LIMITS; k++)
    if (!read_column(r, path, t, names[k], "", k == PL_PLAY ? 0 : -0.99, k == PL_PLAY ? 5 : 1,
                     &m->value[k]) ||
        !read_column(r, path, t, deviations[k], "", 0, k == PL_PLAY ? 5 : 1, &m->deviation[k]))
      return 0;
  double *angle = scene_alloc(r, (size_t)m->n, sizeof *angle);
  if (!angle || !check_order(r, path, t, m) || !derive_play(r, m)) return 0;
  fold_angles(m, angle);
  m->angle = angle;
  return 1;
}

static int read_one(reader *r, const pl_node *at, pl_measured_limits *out) {
  measured_limits_def d = {0};
  const pl_node *file = at;
  char path[PL_TEXT];
  pl_table *t;
  if (at->kind == NODE_MAP) {
    if (!read_map(r, at, &map_measured_limits, &d) || !d.file.at) return 0;
    file = d.file.at;
  } else if (at->kind != NODE_SCALAR) {
    problem(r, at, "e.g. measured: limits.csv", "measured must name a file");
    return 0;
  }
  if (!read_csv(r, file, "measured", path, &t)) return 0;
  *out = (pl_measured_limits){.file = scene_strdup(r, file->text, strlen(file->text)),
                              .name = d.name.at ? d.name.s : "measured",
                              .note = d.note.at ? d.note.s : NULL};
  int ok = out->file && read_table(r, path, t, out);
  pl_table_free(t);
  return ok;
}

void build_measured_limits(reader *r, const pl_node *at, pl_analysis *a) {
  int many = at->kind == NODE_LIST;
  pl_measured_limits *m = scene_alloc(r, (size_t)(many ? at->n : 1) + 1, sizeof *m);
  if (!m) return;
  a->measured_limits = m;
  for (const pl_node *e = many ? at->first : at; e && !r->failed; e = many ? e->next : NULL)
    if (read_one(r, e, &m[a->nmeasured_limits])) a->nmeasured_limits++;
  if (many && at->n == 0) problem(r, at, "e.g. measured: limits.csv", "measured must name files");
}
