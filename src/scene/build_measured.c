// Measured frequency responses: CSV files with units in their headers, and universal files.
#include "build_design.h"

#include "pliant/math.h"
#include "pliant/report.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum part { FREQUENCY, AMPLITUDE, PHASE, REAL, IMAG, PARTS } part;
static const char *const part_names[PARTS][10] = {
    [FREQUENCY] = {"frequency", "freq", "f", "omega", "w"},
    [AMPLITUDE] = {"amplitude", "amp", "magnitude", "mag", "abs", "displacement", "velocity",
                   "acceleration", "a"},
    [PHASE] = {"phase", "angle", "phi"},
    [REAL] = {"real", "re"},
    [IMAG] = {"imag", "imaginary", "im"},
};

// ---- columns ----------------------------------------------------------------------------------

typedef struct column {
  char name[128], unit[UNIT_WORD];
} column;

// name and unit of a header cell: amplitude_mm, "Amplitude (mm/N)", "Amplitude [mm/N]"
static void split_header(const pl_table *t, int col, const char *prefix, column *c) {
  char text[128];
  snprintf(text, sizeof text, "%.127s", pl_table_name(t, col));
  snprintf(c->unit, sizeof c->unit, "%.63s", pl_table_unit(t, col));
  char *open = strpbrk(text, "(["), *close = open ? strpbrk(open, ")]") : NULL;
  if (!c->unit[0] && close) {
    *close = 0;
    snprintf(c->unit, sizeof c->unit, "%.63s", open + 1);
    *open = 0;
  }
  // of real_mm_N the table knows the N alone
  if (!close) text[unit_word(text, c->unit)] = 0;
  char *s = text;
  size_t n = strlen(prefix);
  if (n && strncasecmp(s, prefix, n) == 0 && (s[n] == '_' || s[n] == '.' || s[n] == ' '))
    s += n + 1;
  while (*s == ' ') s++;
  for (n = strlen(s); n > 0 && s[n - 1] == ' ';) s[--n] = 0;
  for (char *p = s; *p; p++) *p = (char)tolower((unsigned char)*p);
  snprintf(c->name, sizeof c->name, "%s", s);
}

static int find_part(int n, const column *c, part p) {
  for (int k = 0; k < 10 && part_names[p][k]; k++)
    for (int i = 0; i < n; i++)
      if (strcmp(c[i].name, part_names[p][k]) == 0) return i;
  return -1;
}

// ---- dimensions -------------------------------------------------------------------------------

static unit known_unit(const char *text) {
  unit u;
  PL_ASSERT(unit_parse(text, strlen(text), &u));
  return u;
}

// what a unit of amplitudes says: derivatives in time, and what it is divided by; 0: none of these
static int understand(const unit_dim *d, int *order, pl_frf_per *per) {
  static const char *const plain[3] = {"m", "m/s", "m/s^2"};
  for (int k = 0; k < 3; k++) {
    unit u = known_unit(plain[k]), force = known_unit("N");
    *order = k;
    *per = PL_PER_NOTHING;
    if (unit_same(d, &u.dim)) return 1;
    for (int i = 0; i < 4; i++) u.dim.e[i] -= force.dim.e[i];
    *per = PL_PER_FORCE;
    if (unit_same(d, &u.dim)) return 1;
  }
  *order = 0;
  *per = PL_PER_DRIVE;
  return unit_same(d, &(unit_dim){{0}});
}

static const char *const quantity_name[] = {"auto", "displacement", "velocity", "acceleration"};
static const char *const per_name[] = {"auto", "nothing", "force", "drive"};

// the unit, and whether it agrees with what the scene says
static int read_unit(reader *r, const measured_def *d, const char *path, int line, const char *text,
                     pl_measured *out) {
  unit u;
  int order;
  pl_frf_per per;
  if (d->unit.at) text = d->unit.s;
  if (!text[0] || !unit_parse(text, strlen(text), &u) || !understand(&u.dim, &order, &per)) {
    const char *hint = "e.g. amplitude_mm, amplitude_m_s2, amplitude_mm_N, or 'unit: mm/N' here";
    if (d->unit.at)
      problem(r, d->unit.at, "e.g. mm, m/s^2, mm/N, or 1 per motion of the drive",
              "unit: '%.40s' is none of a displacement, velocity or acceleration", text);
    else
      problem_at(r, path, line, 0, hint,
                 text[0] ? "'%.40s' is no unit of a displacement, velocity or acceleration"
                         : "no unit is given for the amplitudes%.0s",
                 text);
    return 0;
  }
  if ((d->quantity.v > 0 && d->quantity.v - 1 != order && per != PL_PER_DRIVE) ||
      (d->per.v > 0 && d->per.v - 1 != (int)per)) {
    problem(r, d->quantity.v > 0 ? d->quantity.at : d->per.at, NULL,
            "the unit %.40s is that of a %s per %s", text, quantity_name[order + 1],
            per_name[per + 1]);
    return 0;
  }
  out->f.order = order;
  out->f.per = per;
  out->factor = u.factor;
  out->unit = scene_strdup(r, text, strlen(text));
  return out->unit != NULL;
}

// ---- CSV --------------------------------------------------------------------------------------

static int column_factor(reader *r, const char *path, int line, const column *c, const char *si,
                         const char *example, double *factor) {
  unit u, want = known_unit(si);
  if (c->unit[0] && unit_parse(c->unit, strlen(c->unit), &u) && unit_same(&u.dim, &want.dim)) {
    *factor = u.factor;
    return 1;
  }
  problem_at(r, path, line, 0, example, "column '%.60s' says no unit of its kind", c->name);
  return 0;
}

static int check_count_of(reader *r, int n, double **omega, double **re, double **im) {
  *omega = scene_alloc(r, 3 * (size_t)n + 1, sizeof **omega);
  if (!*omega) return 0;
  *re = *omega + n;
  *im = *re + n;
  return 1;
}

// 1: the sample counts, 0: not, -1: a problem was reported
static int sample_counts(reader *r, const measured_def *d, const char *path, int line, double omega,
                         double a, double b) {
  if (omega < 0 || !isfinite(omega) || !isfinite(a) || !isfinite(b)) {
    problem_at(r, path, line, 0, "leave out samples that were not measured",
               "this sample is not a number, or has a frequency below 0");
    return -1;
  }
  // the first line of many transforms stands at zero
  if (omega == 0 || (d->from.at && omega < d->from.v)) return 0;
  return !(d->to.at && omega > d->to.v);
}

typedef struct layout {
  int col[PARTS];
  double factor[PARTS];
} layout;

static int read_layout(reader *r, const measured_def *d, const char *path, const pl_table *t,
                       pl_measured *out, layout *l) {
  int n = pl_table_cols(t), line = pl_table_line(t);
  column *c = scene_alloc(r, (size_t)n + 1, sizeof *c);
  if (!c) return 0;
  for (int k = 0; k < n; k++) split_header(t, k, out->probe, &c[k]);
  for (int p = 0; p < PARTS; p++) l->col[p] = find_part(n, c, (part)p);
  int complex_ = l->col[REAL] >= 0 && l->col[IMAG] >= 0, size = complex_ ? REAL : AMPLITUDE;
  if (l->col[FREQUENCY] < 0 || l->col[size] < 0) {
    problem_at(r, path, line, 0,
               "the header is e.g. frequency_Hz,amplitude_mm,phase_deg or "
               "frequency_Hz,real_mm_N,imag_mm_N",
               "there is no column for the %s",
               l->col[FREQUENCY] < 0 ? "frequency" : "amplitude, or for real and imaginary part");
    return 0;
  }
  if (!column_factor(r, path, line, &c[l->col[FREQUENCY]], "rad/s",
                     "call it frequency_Hz or omega_rad_s", &l->factor[FREQUENCY]))
    return 0;
  if (!complex_ && l->col[PHASE] >= 0 &&
      !column_factor(r, path, line, &c[l->col[PHASE]], "rad", "call it phase_deg or phase_rad",
                     &l->factor[PHASE]))
    return 0;
  if (!read_unit(r, d, path, line, c[l->col[size]].unit, out)) return 0;
  out->f.kind = complex_ || l->col[PHASE] >= 0 ? PL_FRF_COMPLEX : PL_FRF_AMPLITUDE;
  return 1;
}

static int read_table(reader *r, const measured_def *d, const char *path, const pl_table *t,
                      pl_measured *out) {
  layout l;
  double *omega, *re, *im;
  int rows = pl_table_rows(t), n = 0;
  size_t cols = (size_t)pl_table_cols(t);
  if (!read_layout(r, d, path, t, out, &l) || !check_count_of(r, rows, &omega, &re, &im)) return 0;
  int complex_ = l.col[REAL] >= 0 && l.col[IMAG] >= 0;
  for (int i = 0; i < rows; i++) {
    const double *x = pl_table_data(t) + (size_t)i * cols;
    double a = x[l.col[complex_ ? REAL : AMPLITUDE]] * out->factor, b = 0;
    double w = x[l.col[FREQUENCY]] * l.factor[FREQUENCY];
    if (complex_) b = x[l.col[IMAG]] * out->factor;
    if (!complex_ && l.col[PHASE] >= 0) {
      double phase = x[l.col[PHASE]] * l.factor[PHASE];
      b = a * sin(phase);
      a *= cos(phase);
    }
    int counts = sample_counts(r, d, path, pl_table_line(t) + 1 + i, w, a, b);
    if (counts < 0) return 0;
    if (!counts) continue;
    omega[n] = w;
    re[n] = a;
    im[n++] = b;
  }
  out->f.n = n;
  out->f.omega = omega;
  out->f.re = re;
  out->f.im = im;
  return 1;
}

// ---- universal files --------------------------------------------------------------------------

// functions of frequency: responses, transmissibilities, spectra
static int of_frequency(const pl_uff_function *f) {
  return (f->type == 4 || f->type == 5 || f->type == 12 || f->type == 0) &&
         (f->abscissa == 18 || f->abscissa == 0);
}

static const pl_uff_function *choose_function(reader *r, const measured_def *d, const char *path,
                                              const pl_uff *u) {
  const pl_uff_function *found = NULL;
  char hint[PL_TEXT];
  size_t len = 0;
  int n = 0;
  hint[0] = 0;
  if (d->function.v > u->n) {
    problem(r, d->function.at, NULL, "function: the file has %d", u->n);
    return NULL;
  }
  if (d->function.v > 0) return &u->function[d->function.v - 1];
  for (int k = 0; k < u->n; k++) {
    const pl_uff_function *f = &u->function[k];
    if (!of_frequency(f)) continue;
    found = f;
    n++;
    if (len + 80 < sizeof hint)
      len += (size_t)snprintf(hint + len, sizeof hint - len, "%sfunction: %d (node %d, %+d)",
                              len ? ", " : "", k + 1, f->response_node, f->response_direction);
  }
  if (n == 1) return found;
  problem_at(r, path, 1, 0, n ? hint : NULL,
             n ? "the file has %d functions of frequency: say which"
               : "the file has no function of frequency (%d)",
             n);
  return NULL;
}

static int kind_order(int kind) {
  return kind == 8 ? 0 : kind == 11 ? 1 : kind == 12 ? 2 : -1;
}

// quantity and reference of a function, in SI
static int read_kinds(reader *r, const measured_def *d, const char *path, const pl_uff_function *f,
                      pl_measured *out) {
  static const char *const si[3][3] = {
      {"m", "m/N", "1"}, {"m/s", "m/s/N", "1"}, {"m/s^2", "m/s^2/N", "1"}};
  int order = d->quantity.v > 0 ? d->quantity.v - 1 : kind_order(f->numerator);
  int force = f->denominator == 13 || f->denominator == 9;
  int drive = f->type == 5 || (f->denominator && f->denominator == f->numerator);
  int per = d->per.v > 0 ? d->per.v - 1 : force ? PL_PER_FORCE : drive ? PL_PER_DRIVE : 0;
  if (d->unit.at) return read_unit(r, d, path, f->line, "", out);
  if (order < 0) {
    problem_at(r, path, f->line, 0, "say e.g. 'quantity: acceleration' and 'per: force'",
               "the function does not tell whether it is of displacements");
    return 0;
  }
  out->f.order = per == PL_PER_DRIVE ? 0 : order;
  out->f.per = (pl_frf_per)per;
  out->factor = 1;
  out->unit = si[order][per];
  return 1;
}

static int read_function(reader *r, const measured_def *d, const char *path,
                         const pl_uff_function *f, pl_measured *out) {
  double *omega, *re, *im;
  int n = 0, direction = f->response_direction;
  if (!read_kinds(r, d, path, f, out) || !check_count_of(r, f->n, &omega, &re, &im)) return 0;
  // signs of both directions: along the axes the function changes with each of them
  double sign = (direction < 0 ? -1 : 1) * (f->reference_direction < 0 ? -1 : 1) * out->factor;
  for (int i = 0; i < f->n; i++) {
    double w = 2 * PL_PI * f->x[i];
    int counts = sample_counts(r, d, path, f->line, w, f->re[i], f->im[i]);
    if (counts < 0) return 0;
    if (!counts) continue;
    omega[n] = w;
    re[n] = sign * f->re[i];
    im[n++] = sign * f->im[i];
  }
  if (!f->complex_)
    for (int i = 0; i < n; i++) re[i] = fabs(re[i]);
  out->f.kind = f->complex_ ? PL_FRF_COMPLEX : PL_FRF_AMPLITUDE;
  out->f.n = n;
  out->f.omega = omega;
  out->f.re = re;
  out->f.im = im;
  if (out->f.axis < 0 && direction != 0) out->f.axis = (direction < 0 ? -direction : direction) - 1;
  return 1;
}

// ---- one measurement --------------------------------------------------------------------------

static int is_universal(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (strcasecmp(dot, ".uff") == 0 || strcasecmp(dot, ".unv") == 0 ||
                 strcasecmp(dot, ".uf") == 0);
}

static int read_samples(reader *r, const measured_def *d, const char *path, pl_measured *out) {
  int ok = 0;
  pl_status s;
  if (is_universal(path)) {
    pl_uff *u = NULL;
    s = pl_uff_read(r->env, path, &u);
    const pl_uff_function *f = s == PL_OK ? choose_function(r, d, path, u) : NULL;
    ok = f && read_function(r, d, path, f, out);
    pl_uff_free(u);
  } else {
    pl_table *t = NULL;
    s = pl_table_read(r->env, path, &t);
    ok = s == PL_OK && read_table(r, d, path, t, out);
    pl_table_free(t);
  }
  if (s == PL_E_NOMEM) r->failed = s;
  if (!ok || out->f.n > 0) return ok;
  problem_at(r, path, 1, 0, d->from.at || d->to.at ? "widen from..to" : NULL,
             "there are no samples to compare with");
  return 0;
}

// `tip`, `tip.y`: a probe, or a node of the scene
static int find_place(reader *r, const measured_def *d, const pl_node *at, int nprobe,
                      const pl_probe *probe, pl_measured *out) {
  const pl_node *place = d->probe;
  const char *text = place && place->kind == NODE_SCALAR ? place->text : "";
  const char *dot = strrchr(text, '.');
  int axis = dot ? axis_index(dot + 1) : -1;
  size_t n = axis >= 0 ? (size_t)(dot - text) : strlen(text);
  if (!place && nprobe != 1) {
    problem(r, at, "e.g. watch: tip.y", "measured: %s",
            nprobe ? "several places are watched: say which was measured"
                   : "no place is watched: say which was measured");
    return 0;
  }
  out->f.axis = axis >= 0 ? axis : r->b->dim == 1 ? 0 : -1;
  for (int k = 0; k < nprobe; k++) {
    if (place && (strlen(probe[k].name) != n || strncmp(probe[k].name, text, n) != 0)) continue;
    out->probe = probe[k].name;
    out->f.node = probe[k].node;
    if (axis < 0 && probe[k].component >= 0) out->f.axis = probe[k].component;
    return 1;
  }
  int dof;
  out->probe = scene_strdup(r, text, n);
  if (axis < 0) return out->probe && select_one(r, place, "watch", &out->f.node);
  if (!out->probe || !select_dof(r, place, "watch", &dof)) return 0;
  out->f.node = dof / r->b->dim;
  return 1;
}

// what the file could not tell, and what cannot be
static int check_place(reader *r, const measured_def *d, const pl_node *at, pl_measured *out) {
  const pl_node *where = d->probe ? d->probe : at;
  char hint[PL_TEXT];
  snprintf(hint, sizeof hint, "e.g. watch: %.60s.y", out->probe);
  if (out->f.axis < 0 || out->f.axis >= r->b->dim) {
    problem(r, where, hint, "measured: along which axis?");
    return 0;
  }
  if (!(free_mask(r, out->f.node) >> out->f.axis & 1)) {
    problem(r, where, "choose a node that is free to move",
            "measured: the node is fixed or driven along this axis");
    return 0;
  }
  if (d->amplitude.v && out->f.kind == PL_FRF_COMPLEX) {
    problem(r, d->amplitude.at, "leave phases out, or compare the harmonic",
            "measured: a phase belongs to a harmonic");
    return 0;
  }
  if (d->amplitude.v == 1 && out->f.order > 0) {
    problem(r, d->amplitude.at, NULL, "measured: largest values are those of displacements");
    return 0;
  }
  if (d->amplitude.v) out->f.kind = d->amplitude.v == 1 ? PL_FRF_MAX : PL_FRF_RMS;
  return 1;
}

static int read_one(reader *r, const pl_node *at, int nprobe, const pl_probe *probe,
                    pl_measured *out) {
  measured_def d = {0};
  char path[PL_TEXT];
  pl_node plain = {.kind = NODE_MAP, .line = at->line, .col = at->col, .n = 1}, file = *at;
  if (at->kind == NODE_SCALAR) {
    // the name of the file alone
    file.key = "file";
    file.key_line = at->line;
    file.key_col = at->col;
    file.next = NULL;
    plain.first = plain.last = &file;
  } else if (at->kind != NODE_MAP) {
    problem(r, at, "e.g. measured: {file: frf.csv, watch: tip.y}", "measured must name a file");
    return 0;
  }
  if (!read_map(r, at->kind == NODE_SCALAR ? &plain : at, &map_measured, &d)) return 0;
  if (!find_place(r, &d, at, nprobe, probe, out)) return 0;
  if (!scene_file(r, d.file.at == &file ? at : d.file.at, "measured", path, sizeof path)) return 0;
  out->file = scene_strdup(r, d.file.s, strlen(d.file.s));
  out->f.name = scene_strdup(r, path, strlen(path));
  if (!out->file || !out->f.name) return 0;
  out->f.harmonic = d.harmonic.v;
  out->f.sweep = (pl_sweep)d.sweep.v;
  out->f.relative = d.noise.v;
  if (!read_samples(r, &d, path, out)) return 0;
  return check_place(r, &d, at, out);
}

void build_measured(reader *r, const pl_node *at, int nprobe, const pl_probe *probe,
                    pl_analysis *a) {
  int many = at->kind == NODE_LIST;
  pl_measured *m = scene_alloc(r, (size_t)(many ? at->n : 1) + 1, sizeof *m);
  if (!m) return;
  a->measured = m;
  for (const pl_node *d = many ? at->first : at; d && !r->failed; d = many ? d->next : NULL)
    if (read_one(r, d, nprobe, probe, &m[a->nmeasured])) a->nmeasured++;
  if (many && at->n == 0) problem(r, at, "e.g. measured: frf.csv", "measured must name files");
}
