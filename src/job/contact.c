// Contact in results: forces of obstacles and how many nodes touch them.
#include "run_cloth.h"

#include "pliant/math.h"

#include <stdio.h>
#include <string.h>

enum { COUNTS = 3 }; // columns open, stick, slip; before them two for each obstacle
enum { BODIES = 2 }; // contacts of bodies with each other and what they press with; last

pl_status job_contact_make(const job *j, const pl_analysis *a, pl_contact **out) {
  const pl_scene *sc = j->scene;
  pl_contact_desc d = sc->contact;
  *out = NULL;
  if (a && (a->kind == PL_ANALYSIS_transient || a->kind == PL_ANALYSIS_jump) &&
      sc->layers.nvert > 0 && !is_cloth(sc, a))
    d.bodies = &sc->layers;
  if (d.nnode == 0) d.nobstacle = 0;
  if (d.nnode == 0 && !d.bodies) return PL_OK;
  return pl_contact_create(j->env, sc->model, &d, out);
}

static int count_obstacles(const pl_contact *k) {
  return k && k->nobstacle > 0 ? 2 * k->nobstacle + COUNTS : 0;
}

int job_contact_count(const pl_contact *k) {
  return count_obstacles(k) + (k && k->bodies ? BODIES : 0);
}

pl_status job_contact_columns(const job *j, const pl_contact *k, pl_table *t, int first) {
  static const char *const part[] = {"normal", "friction"};
  static const char *const count[COUNTS] = {"contacts_open", "contacts_stick", "contacts_slip"};
  char name[PL_TEXT];
  for (int o = 0; k && o < k->nobstacle; o++)
    for (int c = 0; c < 2; c++) {
      snprintf(name, sizeof name, "%.60s_%s", j->scene->obstacle_name[o], part[c]);
      PL_TRY(pl_table_column(t, first++, name, "N"));
    }
  for (int c = 0; k && k->nobstacle > 0 && c < COUNTS; c++)
    PL_TRY(pl_table_column(t, first++, count[c], ""));
  if (!k || !k->bodies) return PL_OK;
  PL_TRY(pl_table_column(t, first, "bodies_contacts", ""));
  return pl_table_column(t, first + 1, "bodies_normal", "N");
}

// of one obstacle: sum of normal forces, size of the sum of friction
typedef struct total {
  double normal, friction;
  int count[COUNTS]; // by pl_contact_status
} total;

static total total_of(const pl_contact *k, int obstacle) {
  total s = {0};
  double sum[3] = {0};
  for (int i = obstacle; i < k->npair; i += k->nobstacle) {
    const pl_contact_pair *a = &k->pair[i];
    s.normal += a->force[0];
    s.count[a->status]++;
    for (int c = 0; c < 3; c++)
      sum[c] += a->force[1] * a->place.frame[1][c] + a->force[2] * a->place.frame[2][c];
  }
  for (int c = 0; c < 3; c++) sum[c] += k->total[obstacle].friction[c];
  s.normal += k->total[obstacle].normal;
  s.count[PL_STICK] += k->total[obstacle].stick;
  s.count[PL_SLIP] += k->total[obstacle].slip;
  s.friction = pl_norm3(sum);
  return s;
}

void job_contact_row(const pl_contact *k, double *row) {
  if (!k) return;
  double *count = row + 2 * k->nobstacle, *bodies = row + count_obstacles(k);
  if (k->nobstacle > 0) memset(count, 0, COUNTS * sizeof *count);
  for (int o = 0; o < k->nobstacle; o++) {
    total s = total_of(k, o);
    row[2 * o] = s.normal;
    row[2 * o + 1] = s.friction;
    for (int c = 0; c < COUNTS; c++) count[c] += s.count[c];
  }
  if (!k->bodies) return;
  bodies[0] = k->bodies_stick + k->bodies_slip;
  bodies[1] = k->bodies_normal;
}

// Steps with limits or layers solve contact along with the motion, and have no residual of its own.
static int has_residual(const pl_contact *k) {
  return k->solves > 0 && k->residual > 0;
}

void job_contact_figures(const job *j, const pl_contact *k, json_t *figures) {
  if (!k) return;
  json_t *all = json_object(), *obstacles = json_object();
  for (int o = 0; o < k->nobstacle; o++) {
    total s = total_of(k, o);
    double force[3];
    pl_contact_force(k, o, force);
    json_t *world = json_array();
    for (int c = 0; c < k->dim; c++) json_array_append_new(world, json_real(force[c]));
    json_object_set_new(obstacles, j->scene->obstacle_name[o],
                        json_pack("{s:f, s:f, s:o, s:i, s:i, s:i}", "normal_N", s.normal,
                                  "friction_N", s.friction, "force_N", world, "open",
                                  s.count[PL_OPEN], "stick", s.count[PL_STICK], "slip",
                                  s.count[PL_SLIP]));
  }
  job_set(all, "obstacles", obstacles);
  if (k->bodies)
    job_set(all, "bodies",
            json_pack("{s:f, s:i, s:i}", "normal_N", k->bodies_normal, "stick", k->bodies_stick,
                      "slip", k->bodies_slip));
  job_set(all, "most_contacts", json_integer(k->most));
  if (has_residual(k)) job_set(all, "worst_residual", json_real(k->residual));
  job_set(all, "solves", json_integer(k->solves));
  job_set(figures, "contact", all);
}

void job_contact_report(job *j, const pl_analysis *a, const pl_contact *k) {
  for (int o = 0; k && o < k->nobstacle; o++) {
    total s = total_of(k, o);
    const char *name = j->scene->obstacle_name[o];
    job_note(j, "%s: %s presses with %.6g N, friction %.6g N; nodes: %d stick, %d slip", a->name,
             name, s.normal, s.friction, s.count[PL_STICK], s.count[PL_SLIP]);
    job_say(j,
            "At the end obstacle %s presses with %.6g N in all; friction adds up to %.6g N. "
            "Nodes: %d stick, %d slip, %d are free of it.",
            name, s.normal, s.friction, s.count[PL_STICK], s.count[PL_SLIP], s.count[PL_OPEN]);
  }
  if (k && k->bodies) {
    job_note(j, "%s: bodies press on each other with %.6g N; pairs: %d stick, %d slip", a->name,
             k->bodies_normal, k->bodies_stick, k->bodies_slip);
    job_say(j,
            "At the end bodies press on each other with %.6g N in all. Pairs: %d stick, %d slip.",
            k->bodies_normal, k->bodies_stick, k->bodies_slip);
  }
  if (k && has_residual(k))
    job_say(j, "Coulomb's law holds with a residual of at most %.1e.", k->residual);
}

// normal force and friction of an obstacle over a table's column
static pl_status force_plot(job *j, const pl_analysis *a, const pl_table *t, int obstacle,
                            int column, double *xy, const char *xlabel) {
  static const char *const part[] = {"normal", "friction"};
  size_t rows = (size_t)pl_table_rows(t), cols = (size_t)pl_table_cols(t);
  pl_series series[2];
  double most = 0;
  for (size_t i = 0; i < rows; i++) xy[i] = pl_table_data(t)[i * cols];
  for (size_t c = 0; c < 2; c++) {
    double *y = xy + (c + 1) * rows;
    for (size_t i = 0; i < rows; i++) y[i] = pl_table_data(t)[i * cols + (size_t)column + c];
    series[c] = (pl_series){.name = part[c], .n = (int)rows, .x = xy, .y = y, .colour = (int)c};
    most = fmax(most, pl_max_abs((int)rows, y));
  }
  // what was never touched has no curve
  if (most == 0) return PL_OK;
  char name[PL_TEXT], title[PL_TEXT];
  snprintf(name, sizeof name, "%s-%.60s-force", a->name, j->scene->obstacle_name[obstacle]);
  snprintf(title, sizeof title, "contact with %.60s", j->scene->obstacle_name[obstacle]);
  pl_plot plot = {
      .title = title, .xlabel = xlabel, .ylabel = "force (N)", .nseries = 2, .series = series};
  return job_plot(j, name, &plot,
                  "Sum of the normal forces of the obstacle, and size of the sum of its friction. "
                  "An impact is a force of one step that grows as the step shrinks.");
}

pl_status job_contact_plots(job *j, const pl_analysis *a, const pl_contact *k, const pl_table *t,
                            int first, const char *xlabel) {
  int rows = pl_table_rows(t);
  if (!k || rows < 3) return PL_OK;
  double *xy = pl_alloc(j->env, 3 * (size_t)rows, sizeof *xy);
  if (!xy) return PL_E_NOMEM;
  pl_status s = PL_OK;
  for (int o = 0; s == PL_OK && o < k->nobstacle; o++)
    s = force_plot(j, a, t, o, first + 2 * o, xy, xlabel);
  pl_free(j->env, xy);
  return s;
}
