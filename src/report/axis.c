#include "report_impl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- ranges -----------------------------------------------------------------------------------

static void range_log(double *lo, double *hi, double pad) {
  if (*lo > *hi) {
    *lo = 0.1;
    *hi = 10;
    return;
  }
  double a = log10(*lo), b = log10(*hi);
  double more = b - a < 1e-9 ? 0.5 : pad * (b - a);
  *lo = fmax(pow(10, a - more), DBL_MIN);
  *hi = fmin(pow(10, b + more), DBL_MAX);
}

void rp_range(double *lo, double *hi, int log, double pad, int zero) {
  if (log) {
    range_log(lo, hi, pad);
    return;
  }
  if (*lo > *hi) {
    *lo = 0;
    *hi = 1;
    return;
  }
  double m = fmax(fabs(*lo), fabs(*hi));
  if (m < 1e-300) {
    *lo = -1;
    *hi = 1;
    return;
  }
  // constant up to rounding: a tenth on either side
  if (*hi / m - *lo / m < 1e-13) {
    double mid = *lo / 2 + *hi / 2;
    *lo = fmax(mid - 0.1 * m, -DBL_MAX);
    *hi = fmin(mid + 0.1 * m, DBL_MAX);
    return;
  }
  if (zero && *lo > 0 && *lo < 0.25 * *hi) *lo = 0;
  if (zero && *hi < 0 && *hi > 0.25 * *lo) *hi = 0;
  // an end at zero is a natural limit (energy, time): nothing beyond it
  double more = pad * *hi - pad * *lo;
  if (*lo != 0) *lo = fmax(*lo - more, -DBL_MAX);
  if (*hi != 0) *hi = fmin(*hi + more, DBL_MAX);
}

double rp_step(double range, int want, int *decimals) {
  double raw = range / (want > 1 ? want : 1);
  int e = pl_floor_int(log10(raw));
  double m = raw / pow(10, e);
  double round = m <= 1 + 1e-9 ? 1 : m <= 2 + 1e-9 ? 2 : m <= 5 + 1e-9 ? 5 : 10;
  if (round > 5) {
    round = 1;
    e++;
  }
  *decimals = e < 0 ? -e : 0;
  // powers with negative exponents are not exact: divide by the exact ones
  return e < 0 && e >= -22 ? round / pow(10, -e) : round * pow(10, e);
}

// ---- units ------------------------------------------------------------------------------------

static const struct {
  const char *symbol;
  int lo, hi; // powers of ten that have a usual prefix
} scalable[] = {{"m", -9, 3},  {"s", -9, 0},  {"N", -9, 9}, {"Pa", -6, 12}, {"J", -12, 9},
                {"W", -12, 9}, {"Hz", -3, 9}, {"V", -9, 6}, {"A", -9, 3},   {"rad", -6, 0}};

// the unit of "name (unit)": where it begins and its length; 0 when there is none
static size_t find_unit(const char *label, const char **unit) {
  size_t n = strlen(label);
  const char *open = strrchr(label, '(');
  if (n < 3 || label[n - 1] != ')' || !open || open == label) return 0;
  *unit = open + 1;
  return (size_t)(label + n - 1 - *unit);
}

// the prefix for 10^power before a unit that begins with a scalable symbol, or NULL
static const char *prefix_for(const char *unit, size_t n, int power) {
  static const char *const prefix[] = {"p", "n", "\xc2\xb5", "m", "", "k", "M", "G", "T"};
  if (power < -12 || power > 12 || power % 3 != 0) return NULL;
  for (size_t k = 0; k < sizeof scalable / sizeof *scalable; k++) {
    size_t w = strlen(scalable[k].symbol);
    if (w > n || strncmp(unit, scalable[k].symbol, w) != 0) continue;
    // "m/s" and "N.m" scale, "m^2" and "min" do not
    if (w < n && !strchr("/. *", unit[w]) && strncmp(unit + w, "\xc2\xb7", 2) != 0) continue;
    if (power < scalable[k].lo || power > scalable[k].hi) return NULL;
    return prefix[power / 3 + 4];
  }
  return NULL;
}

// the power of ten of the unit that the page shows this one in
static int page_power(const char *length, const char *unit, size_t n) {
  static const struct {
    const char *name;
    int power;
  } known[] = {{"km", 3}, {"mm", -3}, {"um", -6}, {"nm", -9}};
  for (size_t k = 0; n == 1 && *unit == 'm' && k < sizeof known / sizeof *known; k++)
    if (strcmp(known[k].name, length) == 0) return known[k].power;
  return 0;
}

// three times the floor of a third of the decimal exponent; differences of the largest numbers are
// infinite
static int thirds(double m) {
  int e = 3 * (int)floor(fmin(log10(m), 308) / 3);
  return e < -300 ? -300 : e;
}

// the power of ten, a multiple of three, that makes numbers up to m readable; a->base: the part of
// it that is told by the unit's prefix
static void choose_power(rp_axis *a, double m, const rp_look *look) {
  const char *unit = "";
  size_t n = look->label ? find_unit(look->label, &unit) : 0;
  if (look->length) {
    // one unit for the whole page, whatever the figures
    a->base = a->power = page_power(look->length, unit, n);
    double in_unit = m / pow(10, a->base);
    if (in_unit > 0 && (in_unit < 2e-3 || in_unit >= 1e5)) a->power += thirds(in_unit);
    return;
  }
  if (m == 0 || (m >= 0.1 && m < 1e4)) return;
  int e = thirds(m), prefix = n > 0 && prefix_for(unit, n, e);
  if (prefix || m < 0.01 || m >= 1e5) a->power = e;
  if (prefix) a->base = e;
}

// "m^2" -> the superscript two
static void raise_powers(char *label, size_t size) {
  char out[RP_LABEL];
  size_t n = 0;
  for (const char *s = label; *s && n + 8 < sizeof out; s++) {
    char *end;
    if (*s != '^' || !(strchr("-0123456789", s[1]) && s[1])) {
      out[n++] = *s;
      continue;
    }
    long e = strtol(s + 1, &end, 10);
    if (end == s + 1 || labs(e) > 999) {
      out[n++] = *s;
      continue;
    }
    char power[24];
    rp_power(power, sizeof power, (int)e);
    n += (size_t)snprintf(out + n, sizeof out - n, "%s", power + 2);
    s = end - 1;
  }
  out[n] = 0;
  snprintf(label, size, "%s", out);
}

// "tip (m)" -> "tip (mm)", "area (m^2)" -> "area (10^-6 m^2)", with what was taken off
static void make_label(rp_axis *a, const rp_look *look) {
  const char *label = look->label ? look->label : "", *unit = label + strlen(label);
  size_t n = find_unit(label, &unit);
  const char *prefix = n > 0 && a->base != 0 ? prefix_for(unit, n, a->base) : "";
  char power[40] = "", offset[80] = "";
  if (a->power != a->base) rp_power(power, sizeof power, a->power - a->base);
  if (a->offset != 0) {
    char number[48];
    rp_general(number, sizeof number, fabs(a->offset) / (look->length ? pow(10, a->base) : 1), 15);
    snprintf(offset, sizeof offset, " %s %s%s%s%.*s", a->offset > 0 ? "\xe2\x88\x92" : "+", number,
             n > 0 ? " " : "", look->length ? prefix : "", n < 16 ? (int)n : 0, unit);
  }
  int stem = (int)(n > 0 ? unit - 1 - label : unit - label);
  while (stem > 0 && label[stem - 1] == ' ') stem--;
  if (n > 0)
    snprintf(a->label, sizeof a->label, "%.*s%s (%s%s%s%.*s)", stem, label, offset, power,
             *power ? " " : "", prefix, (int)n, unit);
  else if (*power)
    snprintf(a->label, sizeof a->label, "%.*s%s%s\xc3\x97%s%s", stem, label, offset,
             stem > 0 ? " (" : "", power, stem > 0 ? ")" : "");
  else
    snprintf(a->label, sizeof a->label, "%.*s%s", stem, label, offset);
  raise_powers(a->label, sizeof a->label);
}

// ---- linear -----------------------------------------------------------------------------------

static double shown(const rp_axis *a, double v) {
  return (v - a->offset) / a->ten;
}

static void make_linear(rp_axis *a, double lo, double hi, int want, const rp_look *look) {
  double m = fmax(fabs(lo), fabs(hi));
  double range = hi / m - lo / m;
  // figures that all begin with the same four digits: take them off, say so in the label
  if (m > 0 && range < 1e-4) {
    double unit = pow(10, ceil(log10(range) + log10(m)));
    a->offset = isnormal(unit) ? floor(lo / unit) * unit : 0;
    m = fmax(fabs(lo - a->offset), fabs(hi - a->offset));
  }
  choose_power(a, fmax(m, look->most), look);
  a->ten = pow(10, a->power);
  a->lo = shown(a, lo);
  a->hi = shown(a, hi);
  int decimals;
  double step = rp_step(a->hi - a->lo, want, &decimals);
  if (look->whole && a->power == 0 && step < 1) {
    step = 1;
    decimals = 0;
  }
  double first = ceil(a->lo / step - 1e-6), last = floor(a->hi / step + 1e-6);
  for (double k = first; k <= last && a->ntick < RP_TICK; k++) {
    a->tick[a->ntick] = k * step;
    rp_fixed(a->text[a->ntick], sizeof a->text[0], k * step, decimals);
    a->ntick++;
  }
  make_label(a, look);
}

// ---- logarithmic ------------------------------------------------------------------------------

static void log_tick(rp_axis *a, double value, int decade) {
  double at = log10(value) + decade;
  if (a->ntick == RP_TICK || at < a->lo - 1e-9 || at > a->hi + 1e-9) return;
  a->tick[a->ntick] = at;
  char power[24];
  rp_power(power, sizeof power, decade);
  char *out = a->text[a->ntick];
  size_t size = sizeof a->text[0];
  // plain figures while they are short for the whole axis
  if (a->lo > -3.5 && a->hi < 4.5)
    rp_general(out, size, value * pow(10, decade), 6);
  else if (value == 1)
    snprintf(out, size, "%s", power);
  else
    snprintf(out, size, "%.0f\xc3\x97%s", value, power);
  a->ntick++;
}

static void log_minor(rp_axis *a, double value, int decade) {
  double at = log10(value) + decade;
  if (a->nminor < RP_MINOR && at >= a->lo && at <= a->hi) a->minor[a->nminor++] = at;
}

// less than a decade without two of 1, 2, 5 in it: round values of the linear kind
static void log_narrow(rp_axis *a, int want) {
  int e = (int)floor(a->lo), decimals;
  double lo = pow(10, a->lo - e), hi = pow(10, a->hi - e);
  double step = rp_step(hi - lo, want, &decimals);
  a->ntick = 0;
  for (double k = ceil(lo / step - 1e-9); k * step <= hi * (1 + 1e-12) && a->ntick < RP_TICK; k++) {
    char number[32], power[24];
    a->tick[a->ntick] = log10(k * step) + e;
    rp_power(power, sizeof power, e);
    rp_fixed(number, sizeof number, k * step, decimals);
    if (e > -3 && e < 4) {
      int places = decimals - e > 0 ? decimals - e : 0;
      rp_fixed(number, sizeof number, k * step * pow(10, e), places);
      power[0] = 0;
    }
    snprintf(a->text[a->ntick], sizeof a->text[0], "%s%s%s", number, power[0] ? "\xc3\x97" : "",
             power);
    a->ntick++;
  }
}

static void make_log(rp_axis *a, double lo, double hi, int want, const rp_look *look) {
  const char *unit = "";
  size_t n = look->label ? find_unit(look->label, &unit) : 0;
  a->base = a->power = look->length ? page_power(look->length, unit, n) : 0;
  a->ten = pow(10, a->power);
  a->lo = fmax(log10(lo) - a->power, -324);
  a->hi = fmin(log10(hi) - a->power, 309);
  int first = (int)floor(a->lo), last = (int)ceil(a->hi);
  int inside = (int)floor(a->hi) - (int)ceil(a->lo) + 1;
  int stride = (inside + want - 1) / (want > 1 ? want : 1);
  if (stride < 1) stride = 1;
  // strides of many decades are round too
  static const int round[] = {1, 2, 3, 5, 10, 20, 50, 100, 200};
  int r = 0;
  while (r < 8 && round[r] < stride) r++;
  stride = round[r];
  for (int d = first; d <= last; d++) {
    if (((d % stride) + stride) % stride == 0)
      log_tick(a, 1, d);
    else if (stride <= 10)
      log_minor(a, 1, d);
    for (int k = 2; k <= 9; k++) {
      if (inside <= 2 && (k == 2 || k == 5))
        log_tick(a, k, d);
      else if (stride == 1 && inside <= 10)
        log_minor(a, k, d);
    }
  }
  if (a->ntick < 2) log_narrow(a, want);
  make_label(a, look);
}

// ---- both -------------------------------------------------------------------------------------

void rp_axis_make(rp_axis *a, double lo, double hi, int want, const rp_look *look) {
  memset(a, 0, sizeof *a);
  a->log = look->log;
  if (look->log)
    make_log(a, lo, hi, want, look);
  else
    make_linear(a, lo, hi, want, look);
}

double rp_axis_shown(const rp_axis *a, double value) {
  return (value - a->lo) / (a->hi - a->lo);
}

double rp_axis_at(const rp_axis *a, double value) {
  if (!isfinite(value)) return NAN;
  if (!a->log) return rp_axis_shown(a, shown(a, value));
  return value >= DBL_MIN ? rp_axis_shown(a, log10(value) - a->power) : NAN;
}
