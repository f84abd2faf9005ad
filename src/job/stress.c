// Stress in results: the largest values and where they are, the estimate of the discretisation
// error, pictures, columns of probed places, and what a periodic motion does over its period.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Estimates of the relative error in the energy norm beyond which results are warned of: by its
// square displacements under loads are too small, by half of that frequencies are too high.
static const double ERROR_FAR = 0.25;

static const char *const layer_name[PL_LAYER_COUNT] = {"middle", "bottom", "top"};

static pl_threads *threads(const job *j) {
  return j->work ? j->work->threads : NULL;
}

pl_status job_recover_open(job *j) {
  const pl_scene *sc = j->scene;
  if (!j->output.stress) return PL_OK;
  PL_TRY(pl_recover_create(j->env, sc->model, sc->params, sc->mesh, sc->cells, &j->recover));
  if (j->recover->nslot > 0) return PL_OK;
  pl_recover_free(j->recover);
  j->recover = NULL;
  return PL_OK;
}

pl_status job_recover(job *j, const pl_state *s, int stays) {
  if (j->recovered == s) return PL_OK;
  j->recovered = stays ? s : NULL;
  return pl_recover_stress(j->recover, j->scene->params, s, threads(j));
}

// ---- the largest --------------------------------------------------------------------------------

typedef enum measure { VON_MISES, FIRST, THIRD, ENERGY, MEASURES } measure;

static const struct {
  const char *key, *text;
} measure_name[MEASURES] = {{"von_mises_Pa", "von Mises"},
                            {"principal_max_Pa", "largest principal"},
                            {"principal_min_Pa", "smallest principal"},
                            {"energy_density_J_m3", "energy density"}};

static double measured(measure m, const pl_stress *s) {
  double p[3];
  if (m == VON_MISES) return pl_von_mises(s->stress);
  if (m == ENERGY) return s->energy;
  pl_principal(s->stress, p);
  return m == FIRST ? p[0] : p[2];
}

typedef struct peak {
  double value;
  int slot, layer;
} peak;

static peak find_peak(const pl_recover *r, measure m) {
  peak best = {.slot = -1};
  double sign = m == THIRD ? -1 : 1;
  for (int layer = 0; layer < r->nlayer; layer++)
    for (int i = 0; i < r->nslot; i++) {
      double v = measured(m, &r->at[layer][i]);
      if (best.slot < 0 || sign * v > sign * best.value) best = (peak){v, i, layer};
    }
  return best;
}

const char *job_body_name(const job *j, int node) {
  for (int b = 0; b < j->scene->nbody; b++)
    for (int i = 0; i < j->scene->body[b].n; i++)
      if (j->scene->body[b].node[i] == node) return j->scene->body[b].name;
  return "";
}

// a coordinate at rest; what rounding left of zero is zero
static double coordinate(const job *j, int node, int c) {
  double x = j->scene->mesh->X[3 * (size_t)node + (size_t)c];
  return fabs(x) < 1e-9 * job_size(j) ? 0 : x;
}

static json_t *place(const job *j, const peak *p) {
  const pl_recover *r = j->recover;
  int at = r->node[p->slot];
  json_t *o = json_pack("{s:f, s:s, s:i, s:i, s:[f, f, f]}", "value", p->value, "body",
                        job_body_name(j, r->node[p->slot]), "node", r->node[p->slot], "cell",
                        r->cell[p->slot], "position_m", coordinate(j, at, 0), coordinate(j, at, 1),
                        coordinate(j, at, 2));
  if (r->nlayer > 1) job_set(o, "layer", json_string(layer_name[p->layer]));
  return o;
}

// a stress in a unit that suits it
static const char *stress_unit(double most, double *si) {
  static const struct {
    const char *name;
    double si;
  } unit[] = {{"GPa", 1e9}, {"MPa", 1e6}, {"kPa", 1e3}, {"Pa", 1}};
  int k = 0;
  while (k < 3 && most < unit[k].si) k++;
  *si = unit[k].si;
  return unit[k].name;
}

static const char *place_text(const job *j, const peak *p, char buf[PL_TEXT]) {
  const pl_recover *r = j->recover;
  const length_unit *u = job_length((job *)j, 0);
  int n = snprintf(buf, PL_TEXT, "%.100s, node %d at ", job_body_name(j, r->node[p->slot]),
                   r->node[p->slot]);
  for (int c = 0; c < j->scene->dim; c++)
    n += snprintf(buf + n, PL_TEXT - (size_t)n, c ? ", %.4g" : "%.4g",
                  coordinate(j, r->node[p->slot], c) / u->si);
  snprintf(buf + n, PL_TEXT - (size_t)n, " %s%s%s", u->name, r->nlayer > 1 ? ", " : "",
           r->nlayer > 1 ? layer_name[p->layer] : "");
  return buf;
}

static void report_peaks(const job *j, const pl_analysis *a, json_t *figures) {
  static const char *const head[] = {"stress", "value", "where"};
  json_t *all = json_object();
  double si;
  peak p = find_peak(j->recover, VON_MISES);
  const char *unit = stress_unit(p.value, &si);
  char text[PL_TEXT];
  if (p.value > 0)
    job_note(j, "%s: largest von Mises stress %.4g %s (%s)", a->name, p.value / si, unit,
             place_text(j, &p, text));
  job_heading(j, "Stress");
  grid g = job_grid(j, 3, head);
  for (measure m = 0; m < MEASURES; m++) {
    p = find_peak(j->recover, m);
    job_set(all, measure_name[m].key, place(j, &p));
    grid_add(&g, "%s", measure_name[m].text);
    if (m == ENERGY)
      grid_add(&g, "%.5g J/m^3", p.value);
    else
      grid_add(&g, "%.5g %s", p.value / si, unit);
    grid_add(&g, "%s", place_text(j, &p, text));
  }
  grid_end(&g);
  job_set(figures, "stress", all);
}

// ---- values on vertices -------------------------------------------------------------------------

// of several parts that with the largest von Mises stress in any layer: slot[nvert], -1: none
void job_stress_slots(const pl_recover *r, int nvert, int *slot) {
  for (int i = 0; i < nvert; i++) slot[i] = -1;
  for (int i = 0; i < r->nslot; i++) {
    int *at = &slot[r->node[i]];
    double own = 0, other = -1;
    for (int layer = 0; layer < r->nlayer; layer++) {
      own = fmax(own, pl_von_mises(r->at[layer][i].stress));
      if (*at >= 0) other = fmax(other, pl_von_mises(r->at[layer][*at].stress));
    }
    if (own > other) *at = i;
  }
}

static pl_status draw_stress(job *j, const pl_analysis *a, const pl_state *s) {
  const pl_recover *r = j->recover;
  int n = j->scene->mesh->nvert;
  char name[PL_TEXT], label[64], caption[PL_TEXT];
  int *slot = pl_alloc(j->env, (size_t)n, sizeof *slot);
  double *colour = pl_alloc(j->env, (size_t)n, sizeof *colour), si, most = 0;
  if (!slot || !colour || !job_figures(j) || !j->drawable) {
    int failed = !slot || !colour;
    pl_free(j->env, slot);
    pl_free(j->env, colour);
    return failed ? PL_E_NOMEM : PL_OK;
  }
  job_stress_slots(r, n, slot);
  for (int i = 0; i < n; i++) {
    for (int layer = 0; slot[i] >= 0 && layer < r->nlayer; layer++)
      colour[i] = fmax(colour[i], pl_von_mises(r->at[layer][slot[i]].stress));
    most = fmax(most, colour[i]);
  }
  const char *unit = stress_unit(most, &si);
  for (int i = 0; i < n; i++) colour[i] /= si;
  snprintf(label, sizeof label, "von Mises stress (%s)", unit);
  double factor = job_exaggeration(j, job_displacements(j, s->q, j->colour));
  job_positions(j, s->q, factor, j->x);
  pl_view view = job_view(j);
  view.x = j->x;
  view.colour = colour;
  view.colour_label = label;
  view.hi = most / si;
  snprintf(name, sizeof name, "%.100s-stress", a->name);
  snprintf(caption, sizeof caption, "Von Mises stress%s.",
           r->nlayer > 1 ? ", the largest over the thickness" : "");
  if (factor != 1)
    snprintf(caption + strlen(caption), sizeof caption - strlen(caption),
             " Displacements are drawn %.3g times as large.", factor);
  pl_status st = most > 0 ? job_values(j, name, &view, caption) : PL_OK;
  pl_free(j->env, slot);
  pl_free(j->env, colour);
  return st;
}

// ---- the discretisation error -------------------------------------------------------------------

// Hinges have no strain energy by curvature.
static int is_apart(const pl_elem_kind *k) {
  return k->nside == 2;
}

// A mixed form has stress of its own, in balance with the loads rather than from displacements: by
// the energy of its error displacements would be too large and frequencies too low; what stiffens
// shell6 against that leaves a part of it, of either sign.
static int is_mixed(const pl_elem_kind *k) {
  return k->stress && k->curvature;
}

// Bending by normals at edges of triangles that stay plane is too soft, and their stretching too
// stiff.
static int is_plain(const pl_elem_kind *k) {
  return !k->stress && k->curvature && k->nside == 1;
}

static int has_kind(const job *j, int (*is)(const pl_elem_kind *k)) {
  const pl_model *m = j->scene->model;
  for (int g = 0; g < pl_model_ngroup(m); g++)
    if (pl_model_group_size(m, g) > 0 && is(pl_model_group_kind(m, g))) return 1;
  return 0;
}

// limits of cloth have no elasticity: nothing to judge
static int is_judged(const job *j) {
  return !has_kind(j, is_apart) && !j->sheet && j->scene->sheet.nlimit == 0;
}

static const char *remedy(const job *j, int group) {
  const char *kind = pl_model_group_kind(j->scene->model, group)->name;
  if (has_kind(j, is_plain)) return "bending: shell6, or a finer mesh there";
  if (strncmp(kind, "tet4", 4) == 0) return "order: 2, or a finer mesh there";
  return "a finer mesh there; fillets where corners are sharp, whose stress has no limit";
}

static void warn_error(const job *j, const pl_analysis *a, const pl_error_estimate *e,
                       const char *what, double by) {
  int cell = e->cell, t = 0;
  while (cell >= j->scene->mesh->cell[t].n) cell -= j->scene->mesh->cell[t++].n;
  const int *v = j->scene->mesh->cell[t].v + (size_t)cell * (size_t)pl_cell_nvert[t];
  const length_unit *u = job_length((job *)j, 0);
  pl_report(j->env, PL_WARNING, j->scene->path, a->line, a->col, remedy(j, e->group),
            "%s: the mesh is coarse: %s by about %.2g %% (estimated error %.2g %% in the energy "
            "norm, most of it near %.4g %.4g %.4g %s, %s %d of '%s')",
            a->name, what, 100 * by, 100 * e->relative, coordinate(j, v[0], 0) / u->si,
            coordinate(j, v[0], 1) / u->si, coordinate(j, v[0], 2) / u->si, u->name,
            pl_cell_name[t], e->elem + 1, pl_model_group_name(j->scene->model, e->group));
}

static json_t *error_figures(const pl_error_estimate *e) {
  return json_pack("{s:f, s:f, s:f, s:i, s:f}", "relative", e->relative, "energy_J", e->energy,
                   "elastic_J", e->elastic, "worst_cell", e->cell, "worst_share", e->share);
}

// Whether the stress comes from loads and drives: where it comes from swelling, or is rounding,
// displacements do not follow from its energy.
static int is_loaded(const pl_recover *r, const pl_error_estimate *e, const json_t *figures) {
  const double SELF = 0.1, ROUNDING = 1e-10; // part of the energy; strain
  const json_t *work = json_object_get(figures, "work_J");
  double most = 0;
  if (work && fabs(json_number_value(work)) < SELF * e->elastic) return 0;
  for (int i = 0; i < r->nslot; i++)
    most = fmax(most, pl_max_abs(6, r->at[PL_LAYER_MIDDLE][i].strain));
  for (int i = 0; i < r->nslot && r->nlayer > 1; i++)
    most = fmax(most, pl_max_abs(6, r->at[PL_LAYER_TOP][i].strain));
  return most > ROUNDING;
}

static pl_status judge(job *j, const pl_analysis *a, const pl_state *s, json_t *figures) {
  pl_error_estimate e;
  if (!is_judged(j)) return PL_OK;
  PL_TRY(pl_recover_error(j->recover, j->scene->params, s, NULL, threads(j), NULL, &e));
  if (!(e.elastic > 0) || !is_loaded(j->recover, &e, figures)) return PL_OK;
  job_set(figures, "discretisation_error", error_figures(&e));
  double part = e.relative * e.relative;
  if (has_kind(j, is_mixed)) {
    job_say(j,
            "Estimated discretisation error: stress is off by %.2g %% in the energy norm, "
            "displacements under loads by at most about %.2g %%.",
            100 * e.relative, 100 * part);
    if (e.relative > ERROR_FAR)
      warn_error(j, a, &e, "its stress may be off, and displacements under loads at most", part);
    return PL_OK;
  }
  if (has_kind(j, is_plain)) {
    double by = part / (1 - fmin(part, 0.5));
    job_say(j,
            "Estimated discretisation error: %.2g %% in the energy norm, displacements under loads "
            "are off by about %.2g %%.",
            100 * e.relative, 100 * by);
    if (e.relative > ERROR_FAR)
      warn_error(j, a, &e, "displacements under loads may be off, where it bends too large,", by);
    return PL_OK;
  }
  job_say(j,
          "Estimated discretisation error: %.2g %% in the energy norm; a finer mesh would have "
          "about %.2g %% more energy.",
          100 * e.relative, 100 * part);
  if (e.relative > ERROR_FAR)
    warn_error(j, a, &e, "its elastic energy, and displacements with it, may be too small", part);
  return PL_OK;
}

// a Rayleigh quotient is too large by the energy of the error; of a mixed form it is off by that,
// and what is too soft has that energy too little
static double frequency_error(const job *j, const pl_error_estimate *e) {
  double part = e->elastic > 0 ? fmin(e->energy / e->elastic, 0.99) : 0;
  double share = sqrt(1 - fmax(part, 0));
  return has_kind(j, is_plain) ? 1 - share : 1 / share - 1;
}

pl_status job_stress_modes(job *j, const pl_analysis *a, const pl_state *s, int n,
                           const double *omega, const double *shape, json_t *figures) {
  json_t *list;
  pl_error_estimate e, first = {.cell = -1}, worst = {.cell = -1};
  int which = 0, most = has_kind(j, is_mixed), plain = has_kind(j, is_plain);
  const char *off = most || plain ? "off" : "too high";
  char what[120];
  if (!j->recover || !is_judged(j)) return PL_OK;
  list = json_array();
  for (int k = 0; k < n; k++) {
    pl_status st = pl_report_progress(j->env, "stress", (double)k / n, NULL);
    if (st == PL_OK)
      st = pl_recover_error(j->recover, j->scene->params, s, shape + (size_t)k * (size_t)s->nq,
                            threads(j), NULL, &e);
    if (st != PL_OK) {
      json_decref(list);
      return st;
    }
    // rigid motions have no energy to speak of
    int rigid = !(omega[k] > 1e-3 * fabs(omega[n - 1]));
    json_array_append_new(list, json_real(rigid ? 0 : frequency_error(j, &e)));
    if (rigid) continue;
    if (first.cell < 0) first = e;
    if (worst.cell < 0 || e.relative > worst.relative) {
      worst = e;
      which = k;
    }
  }
  job_set(figures, "frequency_error", list);
  if (first.cell < 0) return PL_OK;
  job_say(j,
          "Estimated discretisation error: the first elastic frequency is %sabout %.2g %% %s, all "
          "of them by at most %.2g %%.",
          most ? "at most " : "", 100 * frequency_error(j, &first), off,
          100 * frequency_error(j, &worst));
  snprintf(what, sizeof what, "frequency %d of %d, %.5g Hz, may be %s%s", which + 1, n,
           omega[which] / (2 * PL_PI), off,
           most    ? " at most"
           : plain ? ", where it bends too low,"
                   : "");
  if (worst.relative > ERROR_FAR) warn_error(j, a, &worst, what, frequency_error(j, &worst));
  return PL_OK;
}

static pl_status report_rods(job *j, const pl_state *s, json_t *figures) {
  stress_fields f;
  pl_status st = job_stress_fields(j, s, 1, &f);
  if (st == PL_OK) job_rod_stress(j, &f, figures);
  pl_free(j->env, f.data);
  return st;
}

pl_status job_stress_report(job *j, const pl_analysis *a, const pl_state *s, json_t *figures) {
  PL_TRY(report_rods(j, s, figures));
  if (!j->recover) return PL_OK;
  pl_status st = job_recover(j, s, 1);
  if (st < 0) return st;
  report_peaks(j, a, figures);
  PL_TRY(draw_stress(j, a, s));
  // the estimate takes longer than all else that a run which is stopped has to tell
  return job_stopped(j) ? PL_OK : judge(j, a, s, figures);
}

// ---- probed places -----------------------------------------------------------------------------

enum { COLUMNS = 13 }; // of a layer: von Mises, six stresses, six strains

static const char *const component[6] = {"xx", "yy", "zz", "xy", "yz", "xz"};

static int has_history(const job *j) {
  return j->recover && j->output.stress == 2;
}

int job_stress_count(const job *j, const pl_analysis *a) {
  return has_history(j) ? a->nprobe * j->recover->nlayer * COLUMNS : 0;
}

pl_status job_stress_columns(const job *j, const pl_analysis *a, pl_table *t, int first) {
  char name[PL_TEXT], front[PL_TEXT];
  if (!has_history(j)) return PL_OK;
  for (int k = 0; k < a->nprobe; k++)
    for (int layer = 0; layer < j->recover->nlayer; layer++) {
      snprintf(front, sizeof front, "%.200s%s%s", a->probe[k].name,
               j->recover->nlayer > 1 ? "_" : "", j->recover->nlayer > 1 ? layer_name[layer] : "");
      snprintf(name, sizeof name, "%.300s_von_mises", front);
      PL_TRY(pl_table_column(t, first++, name, "Pa"));
      for (int c = 0; c < 12; c++) {
        snprintf(name, sizeof name, "%.300s_%c%s", front, c < 6 ? 's' : 'e', component[c % 6]);
        PL_TRY(pl_table_column(t, first++, name, c < 6 ? "Pa" : ""));
      }
    }
  return PL_OK;
}

void job_stress_row(const job *j, const pl_analysis *a, const pl_state *s, double *row) {
  pl_stress at[PL_LAYER_COUNT];
  if (!has_history(j)) return;
  for (int k = 0; k < a->nprobe; k++) {
    if (!pl_recover_node(j->recover, j->scene->params, s, a->probe[k].node, at))
      memset(at, 0, sizeof at);
    for (int layer = 0; layer < j->recover->nlayer; layer++) {
      *row++ = pl_von_mises(at[layer].stress);
      for (int c = 0; c < 6; c++) *row++ = at[layer].stress[c];
      for (int c = 0; c < 6; c++) *row++ = at[layer].strain[c];
    }
  }
}
