// Mappings of materials and of what swells them.
#include "schema.h"

#define C_ROW(k_, key_, text_)                                                                     \
  ROW(material_def, c[k_], key_, T_NUM, .unit = "Pa", .lo = -1e15, .hi = 1e15, .text = text_)
#define OGDEN_ROWS(k_, n_)                                                                         \
  ROW(material_def, ogden[2 * (k_)], "mu" n_, T_NUM, .unit = "Pa", .lo = -1e15, .hi = 1e15,        \
      .text = "ogden: mu of term " n_),                                                            \
      ROW(material_def, ogden[2 * (k_) + 1], "alpha" n_, T_NUM, .unit = "", .lo = -100, .hi = 100, \
          .text = "ogden: alpha of term " n_)
#define ORTHO_ROW(field_, key_) ROW(material_def, field_, key_, T_PAR, .elem = PL_ELEM_tet4_ortho)

static const row fit_rows[] = {
    ROW(fit_def, uniaxial, "uniaxial", T_TEXT,
        .text = "CSV of a tension or compression test: stretch or strain, force over area at rest"),
    ROW(fit_def, biaxial, "biaxial", T_TEXT, .text = "the same, stretched alike in two directions"),
    ROW(fit_def, planar, "planar", T_TEXT,
        .text = "the same of a wide strip whose width is held (pure shear)"),
    ROW(fit_def, terms, "terms", T_INT, .value = 1, .lo = 1, .hi = 3, .text = "of ogden"),
};
const map_keys map_fit = {
    .what = "fit",
    .text = "Tests that give the constants of a hyperelastic law, by least squares of stresses. A "
            "file alone is a uniaxial test. Columns are called stretch or strain and stress, with "
            "units: `stretch,stress_MPa`.",
    .size = sizeof(fit_def),
    ROWS(fit_rows)};

static const row material_rows[] = {
    ROW(material_def, young, "young", T_PAR, .each = 1, SUB(map_each), .elem = PL_ELEM_tet4,
        .text = "Young's modulus; needed by svk and neo-hookean"),
    ROW(material_def, poisson, "poisson", T_PAR, .elem = PL_ELEM_membrane,
        .text = "Poisson's ratio; of solids at most 0.4999; of hyperelastic laws that at rest, "
                "instead of bulk"),
    ROW(material_def, density, "density", T_PAR, .need = 1, .each = 1, SUB(map_each),
        .elem = PL_ELEM_tet4),
    ROW(material_def, expansion, "expansion", T_NUM, .unit = "", .lo = -1, .hi = 1,
        .text = "strain per kelvin of a body's `temperature`"),
    ROW(material_def, law, "law", T_CHOICE,
        .choices = "svk|neo-hookean|mooney-rivlin|yeoh|polynomial|ogden|orthotropic",
        .text = "St. Venant-Kirchhoff; neo-Hookean (solids only; resists being crushed); "
                "hyperelastic laws of rubber; orthotropic St. Venant-Kirchhoff"),
    ROW(material_def, bulk, "bulk", T_NUM, .unit = "Pa", .lo = 0, .hi = 1e18, .lo_open = 1,
        .text = "bulk modulus of hyperelastic laws (2/D1); without it and poisson: Poisson's ratio "
                "0.499 in solids, in sheets the volume stays"),
    C_ROW(0, "c10", "mooney-rivlin, yeoh, polynomial: factor of I1 - 3"),
    C_ROW(1, "c01", "mooney-rivlin, polynomial: factor of I2 - 3"),
    C_ROW(2, "c20", "yeoh, polynomial: factor of (I1 - 3)^2"),
    C_ROW(3, "c11", "polynomial: factor of (I1 - 3)(I2 - 3)"),
    C_ROW(4, "c02", "polynomial: factor of (I2 - 3)^2"),
    C_ROW(5, "c30", "yeoh, polynomial: factor of (I1 - 3)^3"),
    OGDEN_ROWS(0, "1"),
    OGDEN_ROWS(1, "2"),
    OGDEN_ROWS(2, "3"),
    ROW(material_def, fit, "fit", T_RAW, .choices = "file | mapping", SUB(map_fit),
        .text = "test that gives the constants of a hyperelastic law, instead of them"),
    ORTHO_ROW(along[0], "young1"),
    ORTHO_ROW(along[1], "young2"),
    ORTHO_ROW(along[2], "young3"),
    ORTHO_ROW(across[0], "poisson12"),
    ORTHO_ROW(across[1], "poisson13"),
    ORTHO_ROW(across[2], "poisson23"),
    ORTHO_ROW(shear[0], "shear12"),
    ORTHO_ROW(shear[1], "shear13"),
    ORTHO_ROW(shear[2], "shear23"),
};
const map_keys map_material = {
    .what = "material",
    .text = "An elastic material. young and density may be given for [each](#each) element. See "
            "[materials](materials.md) for the laws.",
    .size = sizeof(material_def),
    ROWS(material_rows)};

static const row profile_rows[] = {
    ROW(profile_def, axis, "axis", T_VEC3, .plain = 1, .need = 1, .unit = "",
        .text = "direction in which it changes"),
    ROW(profile_def, at, "at", T_RAW, .need = 1, .choices = "[length, length, ...]",
        .text = "places along the axis from the origin, rising"),
    ROW(profile_def, swelling, "swelling", T_RAW, .choices = "[number, ...]",
        .text = "strains at these places, linear between them and constant outside"),
    ROW(profile_def, temperature, "temperature", T_RAW, .choices = "[number, ...]",
        .text = "changes of temperature in kelvin, instead"),
};
const map_keys map_profile = {
    .what = "profile",
    .text =
        "Swelling that changes along an axis. Every cell takes the value at its middle: several "
        "cells along the axis are needed.",
    .size = sizeof(profile_def),
    ROWS(profile_rows)};
