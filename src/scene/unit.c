#include "scene_impl.h"

#include "pliant/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- symbols ----------------------------------------------------------------------------------

typedef struct symbol {
  const char *name;
  int e[4]; // kg, m, s, rad
  double factor;
  int prefixed; // takes SI prefixes
} symbol;

static const symbol symbols[] = {
    {"1", {0, 0, 0, 0}, 1, 0},
    {"%", {0, 0, 0, 0}, 0.01, 0},
    {"m", {0, 1, 0, 0}, 1, 1},
    {"in", {0, 1, 0, 0}, 0.0254, 0},
    {"ft", {0, 1, 0, 0}, 0.3048, 0},
    {"g", {1, 0, 0, 0}, 1e-3, 1},
    {"t", {1, 0, 0, 0}, 1e3, 0},
    {"lb", {1, 0, 0, 0}, 0.45359237, 0},
    {"s", {0, 0, 1, 0}, 1, 1},
    {"min", {0, 0, 1, 0}, 60, 0},
    {"h", {0, 0, 1, 0}, 3600, 0},
    {"rad", {0, 0, 0, 1}, 1, 1},
    {"deg", {0, 0, 0, 1}, PL_PI / 180, 0},
    {"rev", {0, 0, 0, 1}, 2 * PL_PI, 0},
    {"Hz", {0, 0, -1, 1}, 2 * PL_PI, 1},
    {"rpm", {0, 0, -1, 1}, 2 * PL_PI / 60, 0},
    {"N", {1, 1, -2, 0}, 1, 1},
    {"lbf", {1, 1, -2, 0}, 4.4482216152605, 0},
    {"Pa", {1, -1, -2, 0}, 1, 1},
    {"bar", {1, -1, -2, 0}, 1e5, 1},
    {"psi", {1, -1, -2, 0}, 6894.757293168361, 0},
    {"J", {1, 2, -2, 0}, 1, 1},
    {"W", {1, 2, -3, 0}, 1, 1},
};

static const struct {
  char name;
  double factor;
} prefixes[] = {
    {'p', 1e-12}, {'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'c', 1e-2},
    {'k', 1e3},   {'M', 1e6},  {'G', 1e9},  {'T', 1e12},
};

static const symbol *find_symbol(const char *s, size_t n) {
  for (int k = 0; k < COUNT(symbols); k++)
    if (strlen(symbols[k].name) == n && memcmp(symbols[k].name, s, n) == 0) return &symbols[k];
  return NULL;
}

// a symbol, or a prefix and a symbol that takes one
static int parse_symbol(const char *s, size_t n, unit *out) {
  double factor = 1;
  const symbol *y = find_symbol(s, n);
  if (!y && n > 1) {
    for (int k = 0; k < COUNT(prefixes); k++)
      if (prefixes[k].name == s[0]) factor = prefixes[k].factor;
    y = find_symbol(s + 1, n - 1);
    if (factor == 1 || !y || !y->prefixed) return 0;
  }
  if (!y) return 0;
  memcpy(out->dim.e, y->e, sizeof out->dim.e);
  out->factor = factor * y->factor;
  return 1;
}

int unit_single(int k, char name[16], unit *out) {
  const symbol *y = &symbols[k / (1 + COUNT(prefixes)) % COUNT(symbols)];
  int p = k % (1 + COUNT(prefixes));
  if (k >= COUNT(symbols) * (1 + COUNT(prefixes))) return 0;
  name[0] = 0;
  if (p > 0 && !y->prefixed) return 1;
  snprintf(name, 16, "%.1s%s", p > 0 ? &prefixes[p - 1].name : "", y->name);
  // one symbol may read as another with a prefix
  if (!parse_symbol(name, strlen(name), out)) name[0] = 0;
  return 1;
}

// ---- products, quotients, powers --------------------------------------------------------------

// other spellings of the same: micro, degree, middle dot, superscripts; returns the new length
static size_t plain_spelling(const char *s, size_t n, char *out, size_t size) {
  static const struct {
    const char *from, *to;
  } pairs[] = {{"\xc2\xb5", "u"},  {"\xce\xbc", "u"},  {"\xc2\xb0", "deg"}, {"\xc2\xb7", "."},
               {"\xc2\xb2", "^2"}, {"\xc2\xb3", "^3"}, {"**", "^"}};
  size_t m = 0;
  for (size_t i = 0; i < n;) {
    const char *to = NULL;
    for (int k = 0; k < COUNT(pairs) && !to; k++)
      if (n - i >= 2 && memcmp(s + i, pairs[k].from, 2) == 0) to = pairs[k].to;
    size_t len = to ? strlen(to) : 1;
    if (m + len >= size) return 0;
    memcpy(out + m, to ? to : s + i, len);
    m += len;
    i += to ? 2 : 1;
  }
  out[m] = 0;
  return m;
}

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%';
}

// symbol [^ integer]; returns the characters used, 0: not a factor
static size_t parse_factor(const char *s, unit *out) {
  size_t n = 0;
  while (is_letter(s[n])) n++;
  if (n == 0 && s[0] == '1') n = 1;
  if (n == 0 || !parse_symbol(s, n, out)) return 0;
  if (s[n] != '^') return n;
  char *end;
  if (s[n + 1] != '-' && (s[n + 1] < '0' || s[n + 1] > '9')) return 0;
  long p = strtol(s + n + 1, &end, 10);
  if (end == s + n + 1 || p < -9 || p > 9) return 0;
  for (int k = 0; k < 4; k++) out->dim.e[k] *= (int)p;
  out->factor = pow(out->factor, (double)p);
  return (size_t)(end - s);
}

int unit_parse(const char *text, size_t n, unit *out) {
  char buf[64], *s = buf;
  *out = (unit){.factor = 1};
  if (n == 0 || plain_spelling(text, n, buf, sizeof buf) == 0) return 0;
  for (int sign = 1;;) {
    while (*s == ' ') s++;
    unit f;
    size_t used = parse_factor(s, &f);
    if (used == 0) return 0;
    for (int k = 0; k < 4; k++) out->dim.e[k] += sign * f.dim.e[k];
    out->factor *= sign > 0 ? f.factor : 1 / f.factor;
    s += used;
    while (*s == ' ') s++;
    if (*s == 0) return 1;
    if (*s != '.' && *s != '*' && *s != '/') return 0;
    sign = *s++ == '/' ? -1 : 1;
  }
}

// ---- dimensions by name -----------------------------------------------------------------------

const unit_quantity unit_quantities[] = {
    {"length", "m", "25 mm"},
    {"mass", "kg", "3 g"},
    {"time", "s", "2 ms"},
    {"angle", "rad", "30 deg"},
    {"frequency", "rad/s", "8 Hz"},
    {"force", "N", "0.5 N"},
    {"stress", "Pa", "3300 MPa"},
    {"energy", "J", "2 mJ"},
    {"power", "W", "1 W"},
    {"velocity", "m/s", "2 m/s"},
    {"acceleration", "m/s^2", "9.81 m/s^2"},
    {"density", "kg/m^3", "1240 kg/m^3"},
    {"stiffness", "N/m", "70 N/m"},
    {"angular stiffness", "N.m/rad", "0.5 N.m/rad"},
    {"damping", "N.s/m", "0.02 N.s/m"},
    {"rate", "1/s", "0.5 1/s"},
    {"area", "m^2", "4 mm^2"},
    {"volume", "m^3", "4 mm^3"},
    {"cubic stiffness", "N/m^3", "0.05 N/m^3"},
};
const int unit_quantity_count = COUNT(unit_quantities);

int unit_same(const unit_dim *a, const unit_dim *b) {
  return memcmp(a->e, b->e, sizeof a->e) == 0;
}

int unit_is_frequency(const unit_dim *d) {
  return d->e[0] == 0 && d->e[1] == 0 && d->e[2] == -1 && d->e[3] == 1;
}

int unit_fits(const unit_dim *want, const unit_dim *got) {
  if (unit_same(want, got)) return 1;
  unit_dim loose = *want;
  if (loose.e[3] < 0 && got->e[3] == 0) loose.e[3] = 0;
  return unit_same(&loose, got);
}

static const unit_quantity *quantity_of(const unit_dim *d) {
  for (int k = 0; k < unit_quantity_count; k++) {
    unit u;
    unit_parse(unit_quantities[k].si, strlen(unit_quantities[k].si), &u);
    if (unit_same(&u.dim, d)) return &unit_quantities[k];
  }
  return NULL;
}

void unit_si(const unit_dim *d, char *out, size_t size) {
  static const char *const base[] = {"kg", "m", "s", "rad"};
  const unit_quantity *q = quantity_of(d);
  if (q) {
    snprintf(out, size, "%s", q->si);
    return;
  }
  size_t n = 0;
  out[0] = 0;
  for (int k = 0; k < 4 && n + 1 < size; k++) {
    if (d->e[k] == 0) continue;
    int m = snprintf(out + n, size - n, d->e[k] == 1 ? "%s%s" : "%s%s^%d", n ? "." : "", base[k],
                     d->e[k]);
    if (m > 0) n += (size_t)m;
  }
}

void unit_name(const unit_dim *d, char *out, size_t size) {
  const unit_quantity *q = quantity_of(d);
  if (q)
    snprintf(out, size, "%s", q->name);
  else {
    unit_si(d, out, size);
    if (out[0] == 0) snprintf(out, size, "a number without unit");
  }
}

void unit_article(const unit_dim *d, char *out, size_t size) {
  const unit_quantity *q = quantity_of(d);
  char si[64];
  unit_si(d, si, sizeof si);
  if (q)
    snprintf(out, size, "%s %s", strchr("aeiou", q->name[0]) ? "an" : "a", q->name);
  else if (si[0])
    snprintf(out, size, "a value in %s", si);
  else
    snprintf(out, size, "a number without unit");
}

void unit_hint(const unit_dim *d, double value, char *out, size_t size) {
  const unit_quantity *q = quantity_of(d);
  char si[64];
  unit_si(d, si, sizeof si);
  if (q && strcmp(q->name, "frequency") == 0 && isfinite(value))
    snprintf(out, size, "write '%.6g Hz', '%.2g rad/s' or '%.6g rpm'", value, 2 * PL_PI * value,
             60 * value);
  else if (q && strcmp(q->name, "angle") == 0 && isfinite(value))
    snprintf(out, size, "write '%.6g deg' or '%.2g rad'", value, value * PL_PI / 180);
  else if (q)
    snprintf(out, size, "write it like '%s'", q->example);
  else if (si[0])
    snprintf(out, size, "its SI unit is %s", si);
  else
    snprintf(out, size, "write the number alone, or in %%");
}

void unit_show(const unit_dim *d, double value, char *out, size_t size) {
  // larger units first; the last one that is not too large is taken
  static const char *const friendly[][4] = {
      {"km", "m", "mm", "um"},   {"t", "kg", "g", "mg"},    {"MN", "kN", "N", "mN"},
      {"GPa", "MPa", "kPa", ""}, {"kN/mm", "N/mm", "", ""}, {"kJ", "J", "mJ", "uJ"},
      {"h", "s", "ms", "us"},    {"Hz", "", "", ""},        {"deg", "", "", ""},
  };
  char si[64];
  unit_si(d, si, sizeof si);
  int n = snprintf(out, size, "%.6g%s%s", value, si[0] ? " " : "", si);
  if (n < 0 || (size_t)n >= size || value == 0) return;
  for (int k = 0; k < COUNT(friendly); k++)
    for (int i = 0; i < 4 && friendly[k][i][0]; i++) {
      unit u;
      if (!unit_parse(friendly[k][i], strlen(friendly[k][i]), &u) || !unit_same(&u.dim, d)) break;
      int last = i == 3 || !friendly[k][i + 1][0];
      if (fabs(value) < 0.9999 * u.factor && !last) continue;
      if (strcmp(friendly[k][i], si) != 0)
        snprintf(out + n, size - (size_t)n, " (%.6g %s)", value / u.factor, friendly[k][i]);
      return;
    }
}

void unit_hint_bare(const unit_dim *d, double value, char *out, size_t size) {
  const unit_quantity *q = quantity_of(d);
  char si[64];
  unit_si(d, si, sizeof si);
  const char *u = q ? strchr(q->example, ' ') + 1 : si;
  if (q && strcmp(q->name, "frequency") == 0)
    snprintf(out, size, "write '%.6g Hz' or '%.6g rad/s'", value, value);
  else
    snprintf(out, size, "write its unit, e.g. '%.6g %s'", value, u);
}

// ---- bare numbers -----------------------------------------------------------------------------

void unit_scale_init(unit_scale *s) {
  *s = (unit_scale){.base = {1, 1, 1, 1}, .name = {"kg", "m", "s", "rad"}};
}

// product of powers: those above a line, then those below
static void put_powers(const char *const *name, const unit_dim *d, char *out, size_t size) {
  size_t n = 0;
  out[0] = 0;
  for (int sign = 1; sign >= -1; sign -= 2)
    for (int k = 0; k < 4 && n + 1 < size; k++) {
      int e = sign * d->e[k];
      if (e <= 0) continue;
      const char *join = sign > 0 ? (n ? "." : "") : n ? "/" : "1/";
      int m = snprintf(out + n, size - n, e == 1 ? "%s%s" : "%s%s^%d", join, name[k], e);
      if (m > 0) n += (size_t)m;
    }
}

void unit_scale_name(const unit_scale *s, const unit_dim *d, char *out, size_t size) {
  put_powers(s->name, d, out, size);
}

double unit_scale_of(const unit_scale *s, const unit_dim *d) {
  for (int k = 0; k < s->n; k++)
    if (unit_same(&s->set[k].dim, d)) return s->set[k].factor;
  double f = 1;
  for (int k = 0; k < 4; k++) f *= pow(s->base[k], d->e[k]);
  return f;
}
