#include "report_impl.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rp_str(pl_text *t, const char *s) {
  pl_text_put(t, s, strlen(s));
}

// writes n / 10^decimals, without the zeros that say nothing
static void put_grid(pl_text *t, long n, int decimals) {
  char buf[32];
  int at = sizeof buf;
  unsigned long u = n < 0 ? 0UL - (unsigned long)n : (unsigned long)n;
  int k = decimals;
  for (; k > 0 && u % 10 == 0; k--) u /= 10;
  for (int d = 0; d < k; d++) {
    buf[--at] = (char)('0' + u % 10);
    u /= 10;
  }
  if (k > 0) buf[--at] = '.';
  if (u == 0 && k == 0) buf[--at] = '0';
  for (; u > 0; u /= 10) buf[--at] = (char)('0' + u % 10);
  if (n < 0) buf[--at] = '-';
  pl_text_put(t, buf + at, sizeof buf - (size_t)at);
}

static long to_grid(double v, int decimals) {
  static const double ten[] = {1, 10, 100, 1000, 10000};
  if (isnan(v)) return 0;
  return lround(fmin(fmax(v, -1e9), 1e9) * ten[decimals]);
}

void rp_num(pl_text *t, double v, int decimals) {
  put_grid(t, to_grid(v, decimals), decimals);
}

// ---- text -------------------------------------------------------------------------------------

// Length of the UTF-8 character at s that XML allows, 0 when there is none.
static int character(const unsigned char *s) {
  if (s[0] < 0x80) return s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' || s[0] == '\r';
  int n = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 0;
  if (s[0] >= 0xf0 && s[0] <= 0xf4) n = 4;
  for (int k = 1; k < n; k++)
    if ((s[k] & 0xc0) != 0x80) return 0;
  if (n < 3) return n;

  // overlong forms, surrogates, the two non-characters of the first plane, beyond U+10FFFF
  unsigned code = n == 3 ? s[0] & 0xfu : s[0] & 0x7u;
  for (int k = 1; k < n; k++) code = code << 6 | (s[k] & 0x3fu);
  if (code < (n == 3 ? 0x800u : 0x10000u) || code > 0x10ffff) return 0;
  if ((code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff) return 0;
  return n;
}

void rp_escape(pl_text *t, const char *s) {
  if (!s) return;
  const unsigned char *u = (const unsigned char *)s;
  while (*u) {
    int n = character(u);
    if (n == 0)
      rp_str(t, "\xef\xbf\xbd");
    else if (*u == '&')
      rp_str(t, "&amp;");
    else if (*u == '<')
      rp_str(t, "&lt;");
    else if (*u == '>')
      rp_str(t, "&gt;");
    else if (*u == '"')
      rp_str(t, "&quot;");
    else
      pl_text_put(t, (const char *)u, (size_t)n);
    u += n ? n : 1;
  }
}

double rp_width(const char *s, double size) {
  double em = 0;
  for (const unsigned char *u = (const unsigned char *)s; *u; u++) {
    if ((*u & 0xc0) == 0x80) continue;
    if (strchr(" .,:;|!'()[]ijlftrI/-", *u))
      em += 0.33;
    else if (strchr("mwMW%@", *u))
      em += 0.88;
    else if (*u >= 'A' && *u <= 'Z')
      em += 0.68;
    else
      em += *u >= 0xe2 ? 0.5 : 0.58;
  }
  return em * size * 1.04;
}

// ---- numbers for readers ----------------------------------------------------------------------

#define MINUS "\xe2\x88\x92"

// the decimal point of whatever locale the host has chosen becomes '.'
static void plain_point(char *s) {
  const char *point = localeconv()->decimal_point;
  size_t n = strlen(point);
  char *at = strstr(s, point);
  if (!at || strcmp(point, ".") == 0) return;
  *at = '.';
  memmove(at + 1, at + n, strlen(at + n) + 1);
}

void rp_fixed(char *out, size_t size, double v, int decimals) {
  char buf[64];
  snprintf(buf, sizeof buf, "%.*f", decimals, fabs(v));
  plain_point(buf);
  // nothing but zeros: no sign
  int negative = v < 0 && strspn(buf, "0.") < strlen(buf);
  snprintf(out, size, "%s%s", negative ? MINUS : "", buf);
}

void rp_power(char *out, size_t size, int e) {
  static const char *const sup[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                    "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                    "\xe2\x81\xb8", "\xe2\x81\xb9"};
  char digits[16];
  snprintf(digits, sizeof digits, "%d", abs(e));
  size_t n = (size_t)snprintf(out, size, "10%s", e < 0 ? "\xe2\x81\xbb" : "");
  for (char *d = digits; *d && n < size; d++)
    n += (size_t)snprintf(out + n, size - n, "%s", sup[*d - '0']);
}

void rp_general(char *out, size_t size, double v, int digits) {
  char buf[64], power[32] = "";
  snprintf(buf, sizeof buf, "%.*g", digits, fabs(v));
  plain_point(buf);
  char *e = isfinite(v) ? strchr(buf, 'e') : NULL;
  if (e) {
    rp_power(power, sizeof power, atoi(e + 1));
    *e = 0;
  }
  const char *sign = v < 0 ? MINUS : "";
  if (e && strcmp(buf, "1") == 0)
    snprintf(out, size, "%s%s", sign, power);
  else
    snprintf(out, size, "%s%s%s%s", sign, buf, e ? "\xc3\x97" : "", power);
}

void rp_shortest(char *out, size_t size, double v) {
  if (!isfinite(v)) {
    snprintf(out, size, "%s", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, size, "%.*g", digits, v);
    if (strtod(out, NULL) == v) break;
  }
  plain_point(out);
}

// ---- svg --------------------------------------------------------------------------------------

void rp_svg_open(pl_text *t, double w, double h, const char *title) {
  rp_str(t, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pl-figure\" viewBox=\"0 0 ");
  rp_num(t, w, 0);
  rp_str(t, " ");
  rp_num(t, h, 0);
  rp_str(t, "\" width=\"");
  rp_num(t, w, 0);
  rp_str(t, "\" height=\"");
  rp_num(t, h, 0);
  rp_str(t, "\" role=\"img\"");
  if (title && *title) {
    rp_str(t, " aria-label=\"");
    rp_escape(t, title);
    rp_str(t, "\"");
  }
  rp_str(t, " font-family=\"Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', "
            "sans-serif\">\n<rect class=\"pl-back\" width=\"100%\" height=\"100%\" "
            "fill=\"#fff\"/>\n");
}

static void label_open(pl_text *t, const char *cls, double size, char anchor) {
  pl_text_add(t, "<text class=\"%s\" fill=\"%s\" font-size=\"", cls,
              strcmp(cls, "pl-mute") == 0 ? RP_MUTE : RP_INK);
  rp_num(t, size, 1);
  rp_str(t, "\"");
  if (size > 14) rp_str(t, " font-weight=\"600\"");
  if (anchor != 's') pl_text_add(t, " text-anchor=\"%s\"", anchor == 'm' ? "middle" : "end");
}

void rp_label(pl_text *t, const char *cls, double x, double y, double size, char anchor,
              const char *s) {
  if (!s || !*s) return;
  label_open(t, cls, size, anchor);
  rp_str(t, " x=\"");
  rp_num(t, x, 1);
  rp_str(t, "\" y=\"");
  rp_num(t, y, 1);
  rp_str(t, "\">");
  rp_escape(t, s);
  rp_str(t, "</text>\n");
}

void rp_label_up(pl_text *t, const char *cls, double x, double y, double size, const char *s) {
  if (!s || !*s) return;
  label_open(t, cls, size, 'm');
  rp_str(t, " transform=\"translate(");
  rp_num(t, x, 1);
  rp_str(t, " ");
  rp_num(t, y, 1);
  rp_str(t, ") rotate(-90)\">");
  rp_escape(t, s);
  rp_str(t, "</text>\n");
}

pl_status rp_svg_close(pl_text *t, size_t start) {
  rp_str(t, "</svg>\n");
  if (!t->failed) return PL_OK;
  if (t->s) {
    t->n = start;
    t->s[start] = 0;
  }
  return PL_E_NOMEM;
}

pl_status pl_svg_write(pl_env *env, const char *path, const pl_text *svg) {
  if (svg->failed) return PL_E_NOMEM;
  if (!svg->s) return pl_fail_at(env, PL_E_ARG, path, 0, 0, NULL, "the picture is empty");
  pl_text all;
  pl_text_init(&all, env);
  rp_str(&all, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  pl_text_put(&all, svg->s, svg->n);
  pl_status s = all.failed ? PL_E_NOMEM : pl_file_write(env, path, all.s, all.n);
  pl_text_free(&all);
  return s;
}

// ---- pen --------------------------------------------------------------------------------------

rp_pen rp_pen_new(pl_text *t, int decimals) {
  return (rp_pen){.t = t, .decimals = decimals};
}

// a minus sign separates numbers by itself
static void put_second(rp_pen *p, long n) {
  if (n >= 0) rp_str(p->t, " ");
  put_grid(p->t, n, p->decimals);
}

void rp_move(rp_pen *p, double x, double y) {
  p->x = to_grid(x, p->decimals);
  p->y = to_grid(y, p->decimals);
  rp_str(p->t, "M");
  put_grid(p->t, p->x, p->decimals);
  put_second(p, p->y);
  p->command = 'M';
}

void rp_line(rp_pen *p, double x, double y) {
  long gx = to_grid(x, p->decimals), gy = to_grid(y, p->decimals);
  // the command letter is understood from the second line on
  if (p->command == 'l')
    put_second(p, gx - p->x);
  else {
    rp_str(p->t, "l");
    put_grid(p->t, gx - p->x, p->decimals);
  }
  put_second(p, gy - p->y);
  p->x = gx;
  p->y = gy;
  p->command = 'l';
}

void rp_dot(rp_pen *p, double x, double y) {
  rp_move(p, x, y);
  rp_str(p->t, "h0");
}

void rp_close(rp_pen *p) {
  rp_str(p->t, "z");
  p->command = 'z';
}

// ---- colours ----------------------------------------------------------------------------------

// after Okabe and Ito's set for all kinds of colour vision, with the light ones darkened for lines
const char *const rp_palette[RP_PALETTE] = {"#0072b2", "#d55e00", "#009e73", "#b4528f",
                                            "#e09a00", "#4aa6dc", "#6a4fb3", "#59636e"};

rp_rgb rp_mix(rp_rgb a, rp_rgb b, double t) {
  return (rp_rgb){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

// between stops at equal distances
static rp_rgb ramp(int n, const int *stop, double t) {
  double at = (n - 1) * fmin(fmax(t, 0), 1);
  int k = at >= n - 1 ? n - 2 : (int)at;
  rp_rgb c[2];
  for (int i = 0; i < 2; i++) {
    int v = stop[k + i];
    c[i] = (rp_rgb){(v >> 16) / 255.0, (v >> 8 & 255) / 255.0, (v & 255) / 255.0};
  }
  return rp_mix(c[0], c[1], at - k);
}

rp_rgb rp_viridis(double t) {
  static const int stop[11] = {0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c,
                               0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725};
  return ramp(11, stop, t);
}

rp_rgb rp_light(double t) {
  static const int stop[6] = {0xf1f2ee, 0xd3e6df, 0x9fd0cf, 0x63b0c4, 0x3487b3, 0x1f5b98};
  return ramp(6, stop, t);
}

// unlike anything of the map, and unlike each other for all kinds of colour vision
const rp_rgb rp_at_limit = {0.87, 0.20, 0.13}, rp_beyond = {1, 0.36, 0.84};

static int channel(double v) {
  return (int)lround(255 * fmin(fmax(v, 0), 1));
}

const char *rp_hex(char out[8], rp_rgb c) {
  static const char digit[] = "0123456789abcdef";
  int v[3] = {channel(c.r), channel(c.g), channel(c.b)};
  out[0] = '#';
  for (int i = 0; i < 3; i++) {
    out[1 + 2 * i] = digit[v[i] >> 4];
    out[2 + 2 * i] = digit[v[i] & 15];
  }
  out[7] = 0;
  return out;
}

void rp_base64(pl_text *t, const unsigned char *s, size_t n) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < n; i += 3) {
    unsigned v = (unsigned)s[i] << 16 | (i + 1 < n ? (unsigned)s[i + 1] << 8 : 0) |
                 (i + 2 < n ? (unsigned)s[i + 2] : 0);
    char out[4] = {digit[v >> 18], digit[v >> 12 & 63], i + 1 < n ? digit[v >> 6 & 63] : '=',
                   i + 2 < n ? digit[v & 63] : '='};
    pl_text_put(t, out, 4);
  }
}

void rp_json(pl_text *t, const char *s) {
  rp_str(t, "\"");
  for (; s && *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c < 0x20 || strchr("\"\\<>&", c))
      pl_text_add(t, "\\u%04x", c);
    else
      pl_text_put(t, s, 1);
  }
  rp_str(t, "\"");
}
