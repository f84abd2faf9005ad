// Files below the folder that was opened. Every step of a path is opened within the one before and
// no link is followed, so that no name, whatever changes meanwhile, leads out of it.
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 256, DEPTH_MAX = 16 };

static int fail_errno(failure *f, const char *what, const char *path, int error) {
  const char *hint = error == ELOOP || error == ENOTDIR ? "links are not followed" : NULL;
  refuse(f, error == ENOENT ? "not-found" : "io", hint, "%s '%.200s': %s", what, path,
         strerror(error));
  return 0;
}

// hidden names are left alone, too: none of them is a scene's
static int good_step(const char *s, size_t n) {
  if (n == 0 || n >= NAME_SIZE || s[0] == '.') return 0;
  for (size_t k = 0; k < n; k++)
    if ((unsigned char)s[k] < ' ' || s[k] == 127) return 0;
  return 1;
}

int path_good(const char *path) {
  int depth = 0;
  for (;; path++) {
    size_t n = strcspn(path, "/");
    if (!good_step(path, n) || ++depth > DEPTH_MAX) return 0;
    path += n;
    if (!*path) return 1;
  }
}

// The folder that holds path, and the name in it; make: folders that are missing. -1: failed.
static int open_parent(int root, const char *path, int make, char name[NAME_SIZE], failure *f) {
  if (!path_good(path)) {
    refuse(f, "bad-request", "names are relative to the folder that was opened",
           "no file may be called '%.200s'", path);
    return -1;
  }
  int at = fcntl(root, F_DUPFD_CLOEXEC, 0);
  for (const char *p = path; at >= 0; p++) {
    size_t n = strcspn(p, "/");
    memcpy(name, p, n);
    name[n] = 0;
    p += n;
    if (!*p) return at;
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int next = openat(at, name, flags);
    if (next < 0 && errno == ENOENT && make && mkdirat(at, name, 0777) == 0)
      next = openat(at, name, flags);
    int error = errno;
    close(at);
    at = next;
    errno = error;
  }
  fail_errno(f, "cannot open", path, errno);
  return -1;
}

// bytes of an open file
static int read_all(int fd, const char *path, char **data, size_t *n, failure *f) {
  struct stat st;
  if (fstat(fd, &st) != 0) return fail_errno(f, "cannot read", path, errno);
  if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX) {
    refuse(f, "io", NULL, "'%.200s' is %s", path,
           S_ISREG(st.st_mode) ? "larger than 256 MB" : "no file");
    return 0;
  }
  size_t size = (size_t)st.st_size, got = 0;
  char *bytes = malloc(size + 1);
  if (!bytes) {
    refuse(f, "internal", NULL, "out of memory");
    return 0;
  }
  while (got < size) {
    ssize_t k = read(fd, bytes + got, size - got);
    if (k < 0 && errno == EINTR) continue;
    if (k < 0) {
      free(bytes);
      return fail_errno(f, "cannot read", path, errno);
    }
    if (k == 0) break;
    got += (size_t)k;
  }
  bytes[got] = 0;
  *data = bytes;
  *n = got;
  return 1;
}

int file_read(studio *s, const char *path, char **data, size_t *n, failure *f) {
  char name[NAME_SIZE];
  int at = open_parent(s->folder_fd, path, 0, name, f);
  if (at < 0) return 0;
  // a pipe would be waited for
  int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  int error = errno;
  close(at);
  if (fd < 0) return fail_errno(f, "cannot open", path, error);
  int ok = read_all(fd, path, data, n, f);
  close(fd);
  return ok;
}

static int write_all(int fd, const char *data, size_t n) {
  while (n > 0) {
    ssize_t k = write(fd, data, n);
    if (k < 0 && errno == EINTR) continue;
    if (k < 0) return 0;
    data += k;
    n -= (size_t)k;
  }
  return fsync(fd) == 0;
}

// A file of its own in folder `at`, which then takes the name of the old one. Returns errno.
static int replace(int at, const char *name, const void *data, size_t n) {
  struct stat st;
  char other[48];
  unsigned long long random = 0;
  int old = fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
  if (old && !S_ISREG(st.st_mode)) return S_ISLNK(st.st_mode) ? ELOOP : EISDIR;
  secret_bytes(&random, sizeof random);
  snprintf(other, sizeof other, ".pliant-%016llx", random);
  int fd = openat(at, other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  int ok = (!old || fchmod(fd, st.st_mode & 0777) == 0) && write_all(fd, data, n);
  ok = close(fd) == 0 && ok && renameat(at, other, at, name) == 0;
  int error = ok ? 0 : errno;
  if (!ok) unlinkat(at, other, 0);
  return error;
}

int file_write(studio *s, const char *path, const void *data, size_t n, failure *f) {
  char name[NAME_SIZE];
  int at = open_parent(s->folder_fd, path, 1, name, f);
  if (at < 0) return 0;
  int error = replace(at, name, data, n);
  close(at);
  return error ? fail_errno(f, "cannot write", path, error) : 1;
}

int file_exists(studio *s, const char *path) {
  char name[NAME_SIZE];
  struct stat st;
  failure f;
  int at = open_parent(s->folder_fd, path, 0, name, &f);
  if (at < 0) return 0;
  int there = fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
  close(at);
  return there;
}
