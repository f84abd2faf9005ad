// Mappings of obstacles and of the nodes that feel them.
#include "schema.h"

#define LENGTH_ROW(def, field, key_, text_)                                                        \
  ROW(def, field, key_, T_NUM, .plain = 1, .need = 1, .unit = "m", .lo = 0, .hi = 1e9,             \
      .lo_open = 1, .text = text_)

row key_row(const pl_key *k, int number) {
  static const row_type type[] = {
      [PL_KEY_NUMBER] = T_NUM,     [PL_KEY_STRAIN] = T_NUM, [PL_KEY_INTEGER] = T_INT,
      [PL_KEY_CHOICE] = T_CHOICE,  [PL_KEY_VECTOR] = T_VEC, [PL_KEY_CENTRE] = T_VEC,
      [PL_KEY_ROTATION] = T_MAP,   [PL_KEY_RADIUS] = T_NUM, [PL_KEY_FILE] = T_TEXT,
      [PL_KEY_FILE_UNIT] = T_TEXT, [PL_KEY_GRID] = T_RAW,   [PL_KEY_POLAR] = T_TEXT};
  return (row){.key = k->name,
               .type = type[k->type],
               .offset = (size_t)number * sizeof(key_value),
               .need = k->need,
               .plain = 1,
               .unit = k->unit,
               .value = k->value,
               .lo = k->lo,
               .hi = k->hi,
               .lo_open = k->lo_open,
               .choices = k->type == PL_KEY_GRID ? "[[length, ...], ...] | file" : k->choices,
               .sub = k->type == PL_KEY_ROTATION ? &map_rotate : NULL,
               .text = k->text};
}

static key_list obstacle_keys(int which) {
  const pl_obstacle_kind *k = pl_obstacle_table[which];
  return (key_list){k->brief, k->text, k->nkey, k->key};
}

#define X(name_)                                                                                   \
  [PL_OBSTACLE_##name_] = {.what = "obstacle-" #name_,                                             \
                           .size = sizeof(shape_def),                                              \
                           .keys = obstacle_keys,                                                  \
                           .which = PL_OBSTACLE_##name_},
static const map_keys map_shape[PL_OBSTACLE_COUNT] = {PL_OBSTACLE_LIST(X)};
#undef X

#define X(name_)                                                                                   \
  ROW(obstacle_def, shape[PL_OBSTACLE_##name_], #name_, T_MAP, SUB(map_shape[PL_OBSTACLE_##name_])),
static const row obstacle_rows[] = {
    ROW(obstacle_def, name, "name", T_WORD,
        .text = "name for messages, results and --set; that of its shape when left out"),
    PL_OBSTACLE_LIST(X)
        ROW(obstacle_def, friction, "friction", T_NUM, .plain = 1, .unit = "", .lo = 0, .hi = 1e6,
            .text = "Coulomb's coefficient; from 1000 on: what presses sticks"),
    ROW(obstacle_def, velocity, "velocity", T_VEC, .plain = 1, .unit = "m/s",
        .text = "it moves at this velocity from time 0 on (transients)"),
};
#undef X
const map_keys map_obstacle = {
    .what = "obstacle",
    .text = "A rigid body that nodes of [contact](#contact) cannot enter, of exactly one shape.",
    .size = sizeof(obstacle_def),
    ROWS(obstacle_rows)};

static const row contact_rows[] = {
    ROW(contact_def, node, "node", T_RAW, .choices = "selector",
        .text = "one node; node or nodes must be given"),
    ROW(contact_def, nodes, "nodes", T_RAW, .choices = "selector",
        .text = "several nodes, each treated alike"),
    ROW(contact_def, radius, "radius", T_NUM, .plain = 1, .unit = "m", .lo = 0, .hi = 1e9,
        .text = "of a ball about each node, e.g. half the thickness of a shell"),
    ROW(contact_def, friction, "friction", T_NUM, .plain = 1, .unit = "", .value = -1, .lo = 0,
        .hi = 1e6,
        .text = "Coulomb's coefficient of these nodes; that of the obstacle when left out"),
};
const map_keys map_contact = {
    .what = "contact",
    .text = "Nodes that feel the obstacles. `static`, `drape` and `transient` take them "
            "into account; other analyses do not know contact.",
    .size = sizeof(contact_def),
    ROWS(contact_rows)};

static const row self_contact_rows[] = {
    ROW(self_contact_def, thickness, "thickness", T_NUM, .plain = 1, .unit = "m", .lo = 0,
        .hi = 1e9, .lo_open = 1,
        .text = "distance that shells and surfaces keep; not needed for rods alone, and of solids "
                "alone 1 % of their shortest edge, or what they start with where that is less"),
    ROW(self_contact_def, friction, "friction", T_NUM, .plain = 1, .unit = "", .lo = 0, .hi = 1e6,
        .text = "Coulomb's coefficient"),
    ROW(self_contact_def, exact, "exact", T_CHOICE, .choices = "no|yes",
        .text = "solids alone, newmark and implicit-euler: Coulomb's law exactly, in one problem "
                "with obstacles; no: pairs yield a little"),
};
const map_keys map_self_contact = {
    .what = "self_contact",
    .text = "All triangles of all shells and surfaces of solids keep a distance from each other, "
            "but for those that are closer at rest along one sheet. Rods keep the sum of their "
            "radii, and on surfaces their radius and half the thickness. `static`, `drape` and "
            "`transient` take it into account.",
    .size = sizeof(self_contact_def),
    ROWS(self_contact_rows)};
