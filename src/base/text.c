#include "pliant/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *pl_plural(long n, const char *one, const char *many) {
  return n == 1 ? one : many;
}

void pl_text_init(pl_text *t, pl_env *env) {
  *t = (pl_text){.env = env};
}

static int reserve(pl_text *t, size_t more) {
  if (t->failed) return 0;
  size_t want = t->n + more + 1;
  if (want <= t->cap) return 1;
  size_t cap = t->cap ? 2 * t->cap : 256;
  if (cap < want) cap = want;
  char *s = pl_realloc(t->env, t->s, cap, 1);
  if (!s) {
    t->failed = 1;
    return 0;
  }
  t->s = s;
  t->cap = cap;
  return 1;
}

void pl_text_put(pl_text *t, const char *s, size_t n) {
  if (!reserve(t, n)) return;
  memcpy(t->s + t->n, s, n);
  t->n += n;
  t->s[t->n] = 0;
}

void pl_text_add(pl_text *t, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  if (n < 0 || !reserve(t, (size_t)n)) return;
  va_start(args, fmt);
  vsnprintf(t->s + t->n, (size_t)n + 1, fmt, args);
  va_end(args);
  t->n += (size_t)n;
}

void pl_text_free(pl_text *t) {
  pl_free(t->env, t->s);
  *t = (pl_text){.env = t->env};
}

size_t pl_utf8_length(const char *text, size_t n) {
  const unsigned char *s = (const unsigned char *)text;
  if (n == 0) return 0;
  if (s[0] < 0x80) return 1;

  // the first byte gives the length, the others are 10xxxxxx
  size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if (s[0] < 0xc2 || s[0] > 0xf4 || len > n) return 0;
  for (size_t k = 1; k < len; k++)
    if ((s[k] & 0xc0) != 0x80) return 0;

  // overlong forms, surrogates, beyond U+10FFFF
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return len;
}

char *pl_printable(const char *s, char *out, size_t size) {
  size_t n = strlen(s), at = 0;
  for (size_t i = 0; i < n && at + 5 < size;) {
    size_t len = pl_utf8_length(s + i, n - i);
    unsigned char c = (unsigned char)s[i], next = (unsigned char)s[i + 1];
    // C1 controls are two bytes long
    int bad = len == 0 || (c < 0x20 && c != '\n') || c == 0x7f || (c == 0xc2 && next < 0xa0);
    if (bad)
      out[at++] = '?';
    else
      memcpy(out + at, s + i, len);
    at += bad ? 0 : len;
    i += len ? len : 1;
  }
  out[at] = 0;
  return out;
}

static pl_status io_fail(pl_env *env, const char *path, const char *verb) {
  const char *why = strerror(errno);
  return pl_fail_at(env, PL_E_IO, path, 0, 0, NULL, "cannot %s: %s", verb, why);
}

// what is there may still grow or shrink while it is read
static pl_status read_open(pl_env *env, int fd, const char *path, size_t expected, char **data,
                           size_t *size) {
  size_t n = 0;
  char *s = pl_realloc(env, NULL, expected + 1, 1);
  if (!s) return PL_E_NOMEM;
  while (n < expected) {
    ssize_t got = read(fd, s + n, expected - n);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      pl_free(env, s);
      return io_fail(env, path, "read");
    }
    if (got == 0) break;
    n += (size_t)got;
  }
  s[n] = 0;
  *data = s;
  *size = n;
  return PL_OK;
}

static pl_status read_regular(pl_env *env, int fd, const char *path, size_t limit, char **data,
                              size_t *size) {
  struct stat st;
  if (fstat(fd, &st) != 0) return io_fail(env, path, "read");
  if (S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    return io_fail(env, path, "read");
  }
  // pipes and devices may block for ever, or never end
  if (!S_ISREG(st.st_mode))
    return pl_fail_at(env, PL_E_IO, path, 0, 0, "write what it gives to a file first",
                      "cannot read: it is a pipe or a device, not a file");
  if ((uintmax_t)st.st_size > limit)
    return pl_fail_at(env, PL_E_INPUT, path, 0, 0, NULL, "larger than the limit of %zu bytes",
                      limit);
  return read_open(env, fd, path, (size_t)st.st_size, data, size);
}

pl_status pl_file_read(pl_env *env, const char *path, size_t limit, char **data, size_t *size) {
  *data = NULL;
  *size = 0;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return io_fail(env, path, "open");
  pl_status s = read_regular(env, fd, path, limit ? limit : (size_t)4 << 30, data, size);
  close(fd);
  return s;
}

// everything, or a reason in errno
static int write_all(int fd, const char *data, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    data += n;
    size -= (size_t)n;
  }
  return 0;
}

// the entry of a file in its folder; a system that cannot do this is no reason to fail
static void sync_folder(const char *path) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

static pl_status put_file(pl_env *env, const char *path, const void *data, size_t size, int sync) {
  char tmp[4096];
  if (env->file) env->file(env->file_ctx, path);
  if (snprintf(tmp, sizeof tmp, "%s.tmp%ld", path, (long)getpid()) >= (int)sizeof tmp)
    return pl_fail_at(env, PL_E_IO, path, 0, 0, NULL, "path is too long");
  int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return io_fail(env, path, "write");
  int bad = write_all(fd, data, size) != 0, why = errno;
  // systems without fsync for a kind of file say EINVAL
  if (!bad && sync && fsync(fd) != 0 && errno != EINVAL) {
    bad = 1;
    why = errno;
  }
  if (close(fd) != 0 && !bad) {
    bad = 1;
    why = errno;
  }
  if (!bad && rename(tmp, path) != 0) {
    bad = 1;
    why = errno;
  }
  if (bad) {
    unlink(tmp);
    errno = why;
    return io_fail(env, path, "write");
  }
  if (sync) sync_folder(path);
  return PL_OK;
}

pl_status pl_file_write(pl_env *env, const char *path, const void *data, size_t size) {
  return put_file(env, path, data, size, 0);
}

pl_status pl_file_save(pl_env *env, const char *path, const void *data, size_t size) {
  return put_file(env, path, data, size, 1);
}

pl_status pl_dir_make(pl_env *env, const char *path) {
  char part[4096];
  if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
    return pl_fail_at(env, PL_E_IO, path, 0, 0, NULL, "path is too long");
  for (char *p = part + 1;; p++) {
    if (*p != '/' && *p != 0) continue;
    char keep = *p;
    *p = 0;
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return io_fail(env, part, "make the folder");
    *p = keep;
    if (!keep) break;
  }
  struct stat st;
  if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
    errno = ENOTDIR;
    return io_fail(env, path, "make the folder");
  }
  return PL_OK;
}

// Levenshtein distance with adjacent transpositions, on words of at most 63 letters
static int edit_distance(const char *a, const char *b) {
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > 63 || nb > 63) return 1000;
  int d[64][64];
  for (int i = 0; i <= na; i++) d[i][0] = i;
  for (int j = 0; j <= nb; j++) d[0][j] = j;
  for (int i = 1; i <= na; i++)
    for (int j = 1; j <= nb; j++) {
      int v = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < v) v = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < v) v = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < v)
        v = d[i - 2][j - 2] + 1;
      d[i][j] = v;
    }
  return d[na][nb];
}

int pl_closest(const char *word, int n, const char *const *names) {
  int best = -1, best_d = 1000;
  for (int k = 0; k < n; k++) {
    int d = edit_distance(word, names[k]);
    if (d < best_d) {
      best_d = d;
      best = k;
    }
  }
  int allowed = (int)strlen(word) / 3 + 1;
  return best_d <= allowed ? best : -1;
}

void pl_name_hint(const char *word, int n, const char *const *names, char *out, size_t size) {
  int best = pl_closest(word, n, names);
  size_t at = 0;
  out[0] = 0;
  if (best >= 0) at = (size_t)snprintf(out, size, "did you mean '%s'?  ", names[best]);
  if (at >= size) return;
  at += (size_t)snprintf(out + at, size - at, n ? "known:" : "there are none");
  for (int k = 0; k < n && at + 8 < size; k++) {
    if (at + strlen(names[k]) + 8 > size) {
      snprintf(out + at, size - at, " ...");
      return;
    }
    at += (size_t)snprintf(out + at, size - at, " %s", names[k]);
  }
}

static int in_decimal(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

size_t pl_number_scan(const char *s, size_t n, double *value) {
  char text[400], *end = text;
  size_t len = 0;
  for (; len < n && in_decimal(s[len]); len++) {
    if (len + 1 == sizeof text) return 0;
    text[len] = s[len];
  }
  text[len] = 0;

  // the C locale costs no memory
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!c) return 0;
  double x = strtod_l(text, &end, c);
  freelocale(c);
  if (end > text) *value = x;
  return (size_t)(end - text);
}

int pl_number_word(const char *s, size_t n, double *value) {
  static const struct {
    const char *name;
    double value;
  } named[] = {{"nan", NAN}, {"inf", INFINITY}, {"infinity", INFINITY}};
  if (n == 0) return 0;
  if (pl_number_scan(s, n, value) == n) return 1;
  size_t sign = *s == '-' || *s == '+';
  for (int k = 0; k < 3; k++)
    if (n == sign + strlen(named[k].name) && strncasecmp(s + sign, named[k].name, n - sign) == 0) {
      *value = *s == '-' ? -named[k].value : named[k].value;
      return 1;
    }
  return 0;
}

int pl_floor_int(double x) {
  double f = floor(x);
  if (isnan(f)) return 0;
  return f >= INT_MAX ? INT_MAX : f <= INT_MIN ? INT_MIN : (int)f;
}

double pl_wall_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double pl_cpu_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
