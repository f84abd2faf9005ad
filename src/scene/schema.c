#include "schema.h"

#include <string.h>

// Every mapping of the scene format: this drives parsing, hints, range checks, --set completion and
// the reference page. Rows are read in their order.

static const row parameter_rows[] = {
    ROW(param_def, value, "value", T_RAW, .need = 1, .choices = "value",
        .text = "initial value; its dimension follows from where $name is used"),
    ROW(param_def, min, "min", T_RAW, .choices = "value",
        .text = "lower bound for design; none when left out"),
    ROW(param_def, max, "max", T_RAW, .choices = "value",
        .text = "upper bound for design; none when left out"),
};
static const map_keys map_parameter = {
    .what = "parameter",
    .text = "A number with a name, to be used as `$name` wherever a model quantity is wanted: "
            "masses, stiffnesses, materials, coordinates, drives, loads, damping. Also as "
            "`2*$name`, `$name/3`, `$name + 2 mm`.",
    .size = sizeof(param_def),
    ROWS(parameter_rows)};

static const row each_rows[] = {
    ROW(each_def, value, "value", T_RAW, .need = 1, .choices = "value | [value, ...]",
        .text = "initial value of all elements, or of each in the order of the mesh"),
    ROW(each_def, min, "min", T_RAW, .choices = "value", .text = "lower bound for design"),
    ROW(each_def, max, "max", T_RAW, .choices = "value", .text = "upper bound for design"),
};
const map_keys map_each = {
    .what = "each",
    .text = "`{each: {value: ..., min: ..., max: ...}}` in the place of a material's young or "
            "density, of a thickness or of sizes of a section gives every element of a body a "
            "parameter of its own, called BODY.young.0, BODY.young.1, and so on. Hinges take the "
            "mean of their two triangles, bends of rods that of their two edges.",
    .size = sizeof(each_def),
    ROWS(each_rows)};

// ---- mechanism and lumped parts ---------------------------------------------------------------

static const row link_rows[] = {
    NAME_ROW(link_def),
    ROW(link_def, joints, "joints", T_RAW, .need = 1, .choices = "[joint, joint]",
        .text = "its two ends"),
    ROW(link_def, length, "length", T_NUM, .unit = "m", .lo = 0, .hi = 1e9, .lo_open = 1,
        .text = "moves the second joint, and all that hangs on it, along the link to this length"),
    ROW(link_def, stiffness, "stiffness", T_PAR, .elem = PL_ELEM_link),
    ROW(link_def, mass, "mass", T_PAR, .elem = PL_ELEM_link),
};
static const map_keys map_link = {.what = "link",
                                  .text = "A nearly rigid link between two joints.",
                                  .size = sizeof(link_def),
                                  ROWS(link_rows)};
static const row angle_rows[] = {
    NAME_ROW(angle_def),
    ROW(angle_def, joints, "joints", T_RAW, .need = 1, .choices = "[joint, joint, joint]",
        .text = "the angle is at the second"),
    ROW(angle_def, stiffness, "stiffness", T_PAR, .elem = PL_ELEM_angle),
};
static const map_keys map_angle = {.what = "angle",
                                   .text = "A nearly rigid joint angle (dimension 2).",
                                   .size = sizeof(angle_def),
                                   ROWS(angle_rows)};

static const row spring_rows[] = {
    NAME_ROW(spring_def),
    ROW(spring_def, nodes, "nodes", T_RAW, .choices = "[end, end]",
        .text = "its two ends; or from and to"),
    ROW(spring_def, from, "from", T_RAW, .choices = "end",
        .text = "node, `link@0.4` (a point along a link), `node.x` or `ground`"),
    ROW(spring_def, to, "to", T_RAW, .choices = "end", .text = "the other end"),
    ROW(spring_def, from_offset, "from_offset", T_PAR, .elem = PL_ELEM_spring, .par = "offset0"),
    ROW(spring_def, to_offset, "to_offset", T_PAR, .elem = PL_ELEM_spring, .par = "offset1"),
    ROW(spring_def, stiffness, "stiffness", T_PAR, .need = 1, .elem = PL_ELEM_spring1),
    ROW(spring_def, quadratic, "quadratic", T_PAR, .elem = PL_ELEM_spring1),
    ROW(spring_def, cubic, "cubic", T_PAR, .elem = PL_ELEM_spring1),
    ROW(spring_def, damping, "damping", T_PAR, .elem = PL_ELEM_spring1),
    ROW(spring_def, rest, "rest", T_PAR, .elem = PL_ELEM_spring, .choices = "distance of its ends"),
};
static const map_keys map_spring = {
    .what = "spring",
    .text = "In one dimension, or between ends such as `tip.y` and `ground`: a spring of one "
            "unknown, with quadratic and cubic terms. Otherwise an axial spring between points, "
            "with rest length (left out: the distance of its ends at rest).",
    .size = sizeof(spring_def),
    ROWS(spring_rows)};

static const row mechanism_rows[] = {
    {.key = "joints",
     .type = T_RAW,
     .offset = offsetof(mechanism_def, joints),
     .need = 1,
     .choices = "{name: [x, y]}",
     .text = "joints and their rest positions"},
    ROW(mechanism_def, links, "links", T_LIST, SUB(map_link), .text = "links"),
    ROW(mechanism_def, angles, "angles", T_LIST, SUB(map_angle), .text = "joints that do not turn"),
    ROW(mechanism_def, springs, "springs", T_LIST, SUB(map_spring), .text = "springs"),
};
static const map_keys map_mechanism = {.what = "mechanism",
                                       .text = "Joints, links and springs.",
                                       .size = sizeof(mechanism_def),
                                       ROWS(mechanism_rows)};

static const row mass_rows[] = {
    NAME_ROW(mass_def),
    SELECT_ROWS(mass_def),
    ROW(mass_def, mass, "mass", T_PAR, .elem = PL_ELEM_point,
        .text = "mass on every node; mass or total must be given"),
    ROW(mass_def, total, "total", T_PAR, .elem = PL_ELEM_point, .par = "mass",
        .text = "mass shared equally by the nodes"),
};
static const map_keys map_mass = {
    .what = "mass", .text = "Point masses.", .size = sizeof(mass_def), ROWS(mass_rows)};

static const row potential_rows[] = {
    NAME_ROW(potential_def),
    ROW(potential_def, coefficient, "coefficient", T_RAW, .need = 1, .choices = "value",
        .text = "factor, an energy per length to the sum of the powers"),
    {.key = "powers",
     .type = T_RAW,
     .offset = offsetof(potential_def, powers),
     .need = 1,
     .choices = "{unknown: integer}",
     .text = "power of the displacement of each unknown (at most 8)"},
};
static const map_keys map_potential = {
    .what = "potential",
    .text = "One term of a polynomial potential: coefficient times a product of powers of "
            "displacements.",
    .size = sizeof(potential_def),
    ROWS(potential_rows)};

static const row matrices_rows[] = {
    NAME_ROW(matrices_def),
    ROW(matrices_def, dofs, "dofs", T_RAW, .choices = "[unknown, ...]",
        .text = "rows and columns; in one dimension all nodes in order"),
    ROW(matrices_def, mass, "mass", T_RAW, .choices = "[[value, ...], ...] | file",
        .text = "symmetric, kg"),
    ROW(matrices_def, damping, "damping", T_RAW, .choices = "[[value, ...], ...] | file",
        .text = "N.s/m; its skew part is gyroscopic"),
    ROW(matrices_def, stiffness, "stiffness", T_RAW, .choices = "[[value, ...], ...] | file",
        .text = "symmetric, N/m"),
};
static const map_keys map_matrices = {
    .what = "matrices",
    .text = "Linear parts given as matrices, inline or as Matrix Market files beside the scene.",
    .size = sizeof(matrices_def),
    ROWS(matrices_rows)};

// ---- drives and loads -------------------------------------------------------------------------

#define HARMONIC_ROW(def, value_, text_)                                                           \
  ROW(def, harmonic, "harmonic", T_INT, .value = value_, .lo = 0, .hi = 1000, .text = text_)
#define PHASE_ROW(def)                                                                             \
  ROW(def, phase, "phase", T_NUM, .unit = "rad", ANY,                                              \
      .text = "phase of amplitude sin(harmonic omega t + phase)")

static const row term_rows[] = {
    HARMONIC_ROW(term_def, 1, "multiple of the base frequency; 0: constant"),
    PHASE_ROW(term_def),
    ROW(term_def, translation, "translation", T_VEC, .unit = "m",
        .text = "amplitude of a translation"),
    ROW(term_def, angle, "angle", T_NUM, .unit = "rad", ANY, .text = "amplitude of a rotation"),
};
static const map_keys map_term = {
    .what = "term", .text = "One harmonic of a drive.", .size = sizeof(term_def), ROWS(term_rows)};
static const row rotation_rows[] = {
    ROW(rotation_def, axis, "axis", T_VEC3, .plain = 1, .unit = "",
        .text = "direction of the axis; in two dimensions left out"),
    ROW(rotation_def, through, "through", T_VEC, .plain = 1, .unit = "m",
        .text = "a point on the axis, the origin when left out"),
    ROW(rotation_def, amplitude, "amplitude", T_NUM, .unit = "rad", ANY,
        .text = "angle; amplitude or terms must be given"),
    HARMONIC_ROW(rotation_def, 1, "multiple of the base frequency; 0: constant"),
    PHASE_ROW(rotation_def),
    ROW(rotation_def, terms, "terms", T_LIST, SUB(map_term),
        .text = "several harmonics, each with angle"),
};
static const map_keys map_rotation = {.what = "rotation",
                                      .text = "A prescribed rotation.",
                                      .size = sizeof(rotation_def),
                                      ROWS(rotation_rows)};
#define CLAMP_ROW                                                                                  \
  ROW(drive_def, clamp, "clamp", T_CHOICE, .choices = "no|yes",                                    \
      .text = "edges of shells (but for hinge) between these nodes, and rods at these nodes, are " \
              "built in: they cannot turn, nor can points of joins; no: they are hinged")
#define OFF_ROW                                                                                    \
  ROW(drive_def, off, "off", T_CHOICE, .choices = "no|yes",                                        \
      .text = "it drives and holds nothing until an analysis changes that, see "                   \
              "[steps](steps.md)")
static const row drive_rows[] = {
    NAME_ROW(drive_def),
    SELECT_ROWS(drive_def),
    ROW(drive_def, fix, "fix", T_RAW, .choices = "[x, y, z]",
        .text = "the components that are prescribed, all when left out; alone: held at rest"),
    ROW(drive_def, translation, "translation", T_VEC, .unit = "m",
        .text = "amplitude of a translation"),
    ROW(drive_def, rotation, "rotation", T_MAP, SUB(map_rotation),
        .text = "rotation about an axis"),
    HARMONIC_ROW(drive_def, 1, "of the translation: multiple of the base frequency; 0: constant"),
    PHASE_ROW(drive_def),
    ROW(drive_def, terms, "terms", T_LIST, SUB(map_term),
        .text = "several harmonics, each with translation"),
    OVER_ROW(drive_def, over),
    CLAMP_ROW,
    OFF_ROW,
};
static const map_keys map_drive = {
    .what = "drive",
    .text = "Prescribed motion of nodes: one of fix, translation, rotation, terms.",
    .size = sizeof(drive_def),
    ROWS(drive_rows)};
static const row fixed_rows[] = {
    NAME_ROW(drive_def),
    SELECT_ROWS(drive_def),
    ROW(drive_def, fix, "fix", T_RAW, .choices = "[x, y, z]",
        .text = "the components that are held, all when left out"),
    ROW(drive_def, symmetry, "symmetry", T_CHOICE, .choices = "no|x|y|z",
        .text = "the nodes are in a symmetry plane with this normal, behind which the other half "
                "is: nothing moves through it, shells (shell6) and ends of rods keep their "
                "direction to it; nodes may be held by other entries too"),
    CLAMP_ROW,
    OFF_ROW,
};
const map_keys map_fixed = {.what = "fixed",
                            .text = "Nodes that do not move. `fixed: SELECTOR` for short.",
                            .size = sizeof(drive_def),
                            ROWS(fixed_rows)};

static const row spin_rows[] = {
    ROW(spin_def, axis, "axis", T_VEC3, .plain = 1, .unit = "",
        .text = "direction of the axis; in two dimensions left out"),
    ROW(spin_def, through, "through", T_VEC, .plain = 1, .unit = "m",
        .text = "a point on the axis, the origin when left out"),
    ROW(spin_def, rate, "rate", T_NUM, .plain = 1, .need = 1, .unit = "rad/s", ANY,
        .text = "angular velocity"),
};
static const map_keys map_spin = {.what = "spin",
                                  .text = "Velocities of a rigid rotation.",
                                  .size = sizeof(spin_def),
                                  ROWS(spin_rows)};
static const row initial_rows[] = {
    SELECT_ROWS(initial_def),
    ROW(initial_def, displacement, "displacement", T_VEC, .plain = 1, .unit = "m",
        .text = "displacement at the start"),
    ROW(initial_def, velocity, "velocity", T_VEC, .plain = 1, .unit = "m/s",
        .text = "velocity at the start"),
    ROW(initial_def, spin, "spin", T_MAP, SUB(map_spin),
        .text = "rotation at the start, added to velocity"),
};
static const map_keys map_initial = {.what = "initial",
                                     .text = "How transients from rest start; entries add up.",
                                     .size = sizeof(initial_def),
                                     ROWS(initial_rows)};

static const row damping_rows[] = {
    ROW(damping_def, mass, "mass", T_NUM, .unit = "1/s", .lo = 0, .hi = 1e12,
        .text = "alpha of D = alpha M + beta K"),
    ROW(damping_def, stiffness, "stiffness", T_NUM, .unit = "s", .lo = 0, .hi = 1e12,
        .text = "beta of D = alpha M + beta K, K at the current position"),
    ROW(damping_def, ratio, "ratio", T_RAW, .choices = "number | [number, number]",
        .text =
            "damping ratio at two frequencies, e.g. 2 %, or one for each; alpha and beta follow, "
            "unless they are given"),
    ROW(damping_def, at, "at", T_RAW, .choices = "[frequency, frequency]",
        .text = "the frequencies of ratio"),
};
static const map_keys map_damping = {.what = "damping",
                                     .text = "Rayleigh damping of the whole model.",
                                     .size = sizeof(damping_def),
                                     ROWS(damping_rows)};

static const map_keys map_output = {.what = "output",
                                    .text = "What a run writes besides summary.json.",
                                    .size = sizeof(output_def),
                                    .opt = pl_output_option_table,
                                    .nopt = &pl_output_option_count,
                                    .opt_offset = offsetof(output_def, opts)};

#define X(type_, name_, value_, lo_, hi_, unit_, text_)                                            \
  {#name_, PL_OPT_KIND_##type_, offsetof(pl_output_opts, name_), value_, lo_, hi_, unit_, text_,   \
   NULL},
#define C(name_, value_, choices_, text_)                                                          \
  {#name_, PL_OPT_CHOICE, offsetof(pl_output_opts, name_), value_, 0, 1, "", text_, choices_},
const pl_option pl_output_option_table[] = {PL_OUTPUT_OPTS(X, C)};
#undef X
#undef C
const int pl_output_option_count = COUNT(pl_output_option_table);

// ---- the scene --------------------------------------------------------------------------------

static const row root_rows[] = {
    ROW(root_def, format, "pliant", T_RAW, .choices = "1",
        .text = "format number, needed; must be the first key"),
    ROW(root_def, title, "title", T_TEXT, .text = "one line for reports"),
    ROW(root_def, files, "files", T_TEXT,
        .text = "folder of the files that the scene names, relative to its own; its own when left "
                "out"),
    ROW(root_def, units, "units", T_RAW, .choices = "SI | mm-N-MPa | ... | {quantity: unit}",
        .text =
            "units of bare numbers and of mesh files: a system, or units of quantities; SI when "
            "left out"),
    ROW(root_def, dimension_at, "dimension", T_RAW, .choices = "integer", .value = 3,
        .text = "1: scalar unknowns, 2: the xy plane, 3: space (when left out)"),
    ROW(root_def, parameters, "parameters", T_NAMED, SUB(map_parameter),
        .text = "design parameters"),
    ROW(root_def, materials, "materials", T_NAMED, SUB(map_material), .text = "materials"),
    ROW(root_def, nodes, "nodes", T_RAW, .choices = "{name: [x, y, z]}",
        .text = "single nodes; in one dimension {name: x}"),
    ROW(root_def, bodies, "bodies", T_LIST, SUB(map_body),
        .text = "shells, sheets, solids, chains, rods"),
    ROW(root_def, mechanism, "mechanism", T_MAP, SUB(map_mechanism),
        .text = "joints, links and springs"),
    ROW(root_def, weld, "weld", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9, .value = -1,
        .text = "nodes of different bodies closer than this become one, which passes forces, and "
                "moments between rods alone; never when left out"),
    ROW(root_def, springs, "springs", T_LIST, SUB(map_spring), .text = "springs between nodes"),
    ROW(root_def, stops, "stops", T_LIST, SUB(map_stop),
        .text = "elastic stops: unilateral springs with a gap"),
    ROW(root_def, friction, "friction", T_LIST, SUB(map_friction),
        .text = "dry friction between nodes"),
    ROW(root_def, tables, "tables", T_LIST, SUB(map_table),
        .text = "forces given by tables over elongation or rate"),
    ROW(root_def, masses, "masses", T_LIST, SUB(map_mass), .text = "point masses"),
    ROW(root_def, potentials, "potentials", T_LIST, SUB(map_potential),
        .text = "terms of a polynomial potential"),
    ROW(root_def, matrices, "matrices", T_LIST, SUB(map_matrices),
        .text = "mass, damping and stiffness matrices"),
    ROW(root_def, sets, "sets", T_RAW, .choices = "{name: selector}",
        .text = "named sets of nodes"),
    ROW(root_def, fixed, "fixed", T_RAW, .choices = "selector | list", .sub = &map_fixed,
        .text = "nodes that do not move"),
    ROW(root_def, drives, "drives", T_LIST, SUB(map_drive), .text = "prescribed motions"),
    ROW(root_def, loads, "loads", T_LIST, SUB(map_load),
        .text = "forces, pressures, moments, acceleration of the base"),
    ROW(root_def, tendons, "tendons", T_LIST, SUB(map_tendon), .text = "cables through points"),
    ROW(root_def, foundations, "foundations", T_LIST, SUB(map_foundation),
        .text = "springs to the ground"),
    ROW(root_def, joins, "joins", T_LIST, SUB(map_join),
        .text = "rigid couplings, mean motions, ties of nodes to faces"),
    ROW(root_def, obstacles, "obstacles", T_LIST, SUB(map_obstacle), .text = "rigid obstacles"),
    ROW(root_def, contact, "contact", T_LIST, SUB(map_contact),
        .text = "nodes that feel the obstacles"),
    ROW(root_def, self_contact, "self_contact", T_MAP, SUB(map_self_contact),
        .text = "shells, solids and rods that cannot pass through themselves and each other"),
    ROW(root_def, interlocking, "interlocking", T_LIST, SUB(map_mail),
        .text = "materials of linked elements, such as chainmail"),
    ROW(root_def, patches, "patches", T_LIST, SUB(map_patch),
        .text = "finite patches of those, for the analyses native and macro"),
    ROW(root_def, gravity, "gravity", T_VEC, .unit = "m/s^2", .text = "acceleration of free fall"),
    ROW(root_def, damping, "damping", T_MAP, SUB(map_damping), .text = "Rayleigh damping"),
    ROW(root_def, initial, "initial", T_LIST, SUB(map_initial), .text = "start of transients"),
    ROW(root_def, probe, "watch", T_RAW, .choices = "{name: node}",
        .text = "nodes whose motion is recorded, `node.x` for one component"),
    ROW(root_def, output, "output", T_MAP, SUB(map_output), .text = "what a run writes"),
    ROW(root_def, analyses, "analyses", T_RAW, .choices = "[{analysis: mapping}]",
        .text = "what to do, in order"),
};
const map_keys map_root = {
    .what = "scene", .text = "The whole file.", .size = sizeof(root_def), ROWS(root_rows)};

static row row_resolved(const row *r) {
  row out = *r;
  if (r->sub && r->sub->keys) out.text = r->sub->keys(r->sub->which).brief;
  if (r->objective) {
    out.choices = r->objective->value;
    out.text = r->objective->about;
  }
  if (r->type != T_PAR) return out;
  const pl_elem_kind *kind = pl_elem_table[r->elem];
  const char *name = r->par ? r->par : r->key;
  int k = 0;
  while (k < kind->npar && strcmp(kind->par[k].name, name) != 0) k++;
  PL_ASSERT(k < kind->npar);
  out.unit = kind->par[k].unit;
  out.value = kind->par[k].value;
  out.lo = kind->par[k].lo;
  out.hi = kind->par[k].hi;
  if (!out.text) out.text = kind->par[k].text;
  return out;
}

int map_nrow(const map_keys *m) {
  int n = 0;
  if (m->row_of)
    while (m->row_of(n).key) n++;
  return m->row_of ? n : m->keys ? m->keys(m->which).n : m->nrow;
}

row map_row(const map_keys *m, int k) {
  if (m->row_of) return m->row_of(k);
  return m->keys ? key_row(&m->keys(m->which).key[k], k) : row_resolved(&m->row[k]);
}

const char *map_text(const map_keys *m) {
  return m->keys ? m->keys(m->which).text : m->text;
}
