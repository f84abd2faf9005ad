#include "check.h"

#include "pliant/math.h"
#include "scene_impl.h"

#include <stdio.h>
#include <string.h>

// unit, factor to SI, exponents of kg m s rad
typedef struct unit_case {
  const char *text;
  double factor;
  int e[4];
} unit_case;

static const unit_case good[] = {
    {"m", 1, {0, 1, 0, 0}},
    {"mm", 1e-3, {0, 1, 0, 0}},
    {"cm", 1e-2, {0, 1, 0, 0}},
    {"um", 1e-6, {0, 1, 0, 0}},
    {"\xc2\xb5m", 1e-6, {0, 1, 0, 0}},
    {"\xce\xbcm", 1e-6, {0, 1, 0, 0}},
    {"nm", 1e-9, {0, 1, 0, 0}},
    {"km", 1e3, {0, 1, 0, 0}},
    {"in", 0.0254, {0, 1, 0, 0}},
    {"ft", 0.3048, {0, 1, 0, 0}},
    {"kg", 1, {1, 0, 0, 0}},
    {"g", 1e-3, {1, 0, 0, 0}},
    {"mg", 1e-6, {1, 0, 0, 0}},
    {"t", 1e3, {1, 0, 0, 0}},
    {"s", 1, {0, 0, 1, 0}},
    {"ms", 1e-3, {0, 0, 1, 0}},
    {"us", 1e-6, {0, 0, 1, 0}},
    {"min", 60, {0, 0, 1, 0}},
    {"h", 3600, {0, 0, 1, 0}},
    {"N", 1, {1, 1, -2, 0}},
    {"mN", 1e-3, {1, 1, -2, 0}},
    {"kN", 1e3, {1, 1, -2, 0}},
    {"MN", 1e6, {1, 1, -2, 0}},
    {"lbf", 4.4482216152605, {1, 1, -2, 0}},
    {"Pa", 1, {1, -1, -2, 0}},
    {"kPa", 1e3, {1, -1, -2, 0}},
    {"MPa", 1e6, {1, -1, -2, 0}},
    {"GPa", 1e9, {1, -1, -2, 0}},
    {"bar", 1e5, {1, -1, -2, 0}},
    {"J", 1, {1, 2, -2, 0}},
    {"mJ", 1e-3, {1, 2, -2, 0}},
    {"W", 1, {1, 2, -3, 0}},
    {"Hz", 2 * PL_PI, {0, 0, -1, 1}},
    {"kHz", 2e3 * PL_PI, {0, 0, -1, 1}},
    {"rpm", PL_PI / 30, {0, 0, -1, 1}},
    {"rad/s", 1, {0, 0, -1, 1}},
    {"deg/s", PL_PI / 180, {0, 0, -1, 1}},
    {"rad", 1, {0, 0, 0, 1}},
    {"mrad", 1e-3, {0, 0, 0, 1}},
    {"deg", PL_PI / 180, {0, 0, 0, 1}},
    {"\xc2\xb0", PL_PI / 180, {0, 0, 0, 1}},
    {"rev", 2 * PL_PI, {0, 0, 0, 1}},
    {"%", 0.01, {0, 0, 0, 0}},
    {"N/m", 1, {1, 0, -2, 0}},
    {"N/mm", 1e3, {1, 0, -2, 0}},
    {"N.s/m", 1, {1, 0, -1, 0}},
    {"N*s/m", 1, {1, 0, -1, 0}},
    {"N\xc2\xb7s/m", 1, {1, 0, -1, 0}},
    {"N.mm", 1e-3, {1, 2, -2, 0}},
    {"kg/m^3", 1, {1, -3, 0, 0}},
    {"g/cm^3", 1e3, {1, -3, 0, 0}},
    {"kg/m\xc2\xb3", 1, {1, -3, 0, 0}},
    {"kg/m**3", 1, {1, -3, 0, 0}},
    {"N.m/rad", 1, {1, 2, -2, -1}},
    {"N.m/deg", 180 / PL_PI, {1, 2, -2, -1}},
    {"1/s", 1, {0, 0, -1, 0}},
    {"s^-1", 1, {0, 0, -1, 0}},
    {"m/s^2", 1, {0, 1, -2, 0}},
    {"mm/s/s", 1e-3, {0, 1, -2, 0}},
    {"m / s", 1, {0, 1, -1, 0}},
    {"N/m^3", 1, {1, -2, -2, 0}},
    {"kg.m^2.s^-2", 1, {1, 2, -2, 0}},
};

static const char *const wrong[] = {
    "",    "x",  "mmm", "kkg", "N/",  "/s",  "N..s", "m^",    "m^x",  "m^99",  "kmin",
    "Mhz", "hz", "KG",  "5",   "1e3", "m m", "N(m)", "mdeg/", "krpm", "m^1.5", "GPa GPa"};

static void known_units(void **state) {
  (void)state;
  for (int k = 0; k < COUNT(good); k++) {
    unit u;
    if (!unit_parse(good[k].text, strlen(good[k].text), &u)) fail_msg("'%s'", good[k].text);
    check_rel(u.factor, good[k].factor, 1e-14);
    for (int i = 0; i < 4; i++)
      if (u.dim.e[i] != good[k].e[i]) fail_msg("'%s': exponent %d", good[k].text, i);
  }
}

static void refused_units(void **state) {
  (void)state;
  for (int k = 0; k < COUNT(wrong); k++) {
    unit u;
    if (unit_parse(wrong[k], strlen(wrong[k]), &u)) fail_msg("'%s' was taken", wrong[k]);
  }
}

static void fits(void **state) {
  (void)state;
  unit a, b, hz, rate;
  unit_parse("N.m/rad", 7, &a);
  unit_parse("N.m", 3, &b);
  unit_parse("Hz", 2, &hz);
  unit_parse("1/s", 3, &rate);
  assert_true(unit_fits(&a.dim, &b.dim));
  assert_false(unit_fits(&b.dim, &a.dim));
  assert_false(unit_fits(&hz.dim, &rate.dim));
  assert_false(unit_fits(&rate.dim, &hz.dim));
}

// bare numbers: by base units, and by derived ones that are set
static void bare_numbers(void **state) {
  (void)state;
  unit_scale s;
  unit stress, force, frequency;
  unit_parse("Pa", 2, &stress);
  unit_parse("N", 1, &force);
  unit_parse("rad/s", 5, &frequency);
  unit_scale_init(&s);
  check_rel(unit_scale_of(&s, &stress.dim), 1, 1e-15);
  s.base[0] = 1e-3;                                    // g
  s.base[1] = 1e-3;                                    // mm
  check_rel(unit_scale_of(&s, &stress.dim), 1, 1e-15); // g/(mm s^2)
  check_rel(unit_scale_of(&s, &force.dim), 1e-6, 1e-15);
  s.set[s.n++] = (unit){stress.dim, 1e9};
  check_rel(unit_scale_of(&s, &stress.dim), 1e9, 1e-15);
  check_rel(unit_scale_of(&s, &frequency.dim), 1, 1e-15);
}

int test_unit(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_units),
      cmocka_unit_test(refused_units),
      cmocka_unit_test(fits),
      cmocka_unit_test(bare_numbers),
  };
  return cmocka_run_group_tests_name("scene.unit", tests, NULL, NULL);
}
