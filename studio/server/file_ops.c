// Operations that only touch files: what is in the folder, opening, saving.
#include "files.h"
#include "gallery.h"
#include "operations.h"
#include "pliant/scene.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LISTED_MAX = 2000, LIST_DEPTH = 3 };

static const struct {
  const char *ending, *kind;
} kinds[] = {
    {".yaml", "scene"}, {".yml", "scene"}, {".obj", "mesh"},      {".msh", "mesh"},
    {".inp", "mesh"},   {".stl", "mesh"},  {".ply", "mesh"},      {".vtu", "mesh"},
    {".vti", "mesh"},   {".csv", "data"},  {".mtx", "data"},      {".svg", "data"},
    {".png", "data"},   {".uff", "data"},  {".material", "data"},
};

const char *file_kind(const char *name) {
  size_t n = strlen(name);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    size_t m = strlen(kinds[k].ending);
    if (n > m && strcasecmp(name + n - m, kinds[k].ending) == 0) return kinds[k].kind;
  }
  return NULL;
}

static void list_one(json_t *out, const char *path, const char *kind, const struct stat *st) {
  // names that are no text cannot be told to a page
  json_t *one = json_pack("{s:s, s:s, s:I, s:f}", "path", path, "kind", kind, "bytes",
                          (json_int_t)st->st_size, "time", (double)st->st_mtime);
  if (one) json_array_append_new(out, one);
}

// takes fd
static void list_folder(json_t *out, int fd, const char *path, int depth) {
  DIR *dir = fdopendir(fd);
  if (!dir) {
    close(fd);
    return;
  }
  for (struct dirent *e; json_array_size(out) < LISTED_MAX && (e = readdir(dir));) {
    char sub[PL_TEXT];
    struct stat st, summary;
    int length = snprintf(sub, sizeof sub, "%s%s%s", path, *path ? "/" : "", e->d_name);
    if (length >= (int)sizeof sub || e->d_name[0] == '.' || !path_good(sub) ||
        fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (S_ISREG(st.st_mode) && file_kind(e->d_name)) list_one(out, sub, file_kind(e->d_name), &st);
    if (!S_ISDIR(st.st_mode)) continue;
    int in = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (in < 0) continue;
    if (fstatat(in, "summary.json", &summary, AT_SYMLINK_NOFOLLOW) == 0) {
      list_one(out, sub, "results", &summary);
      close(in);
    } else if (depth < LIST_DEPTH && strcmp(e->d_name, "node_modules") != 0) {
      list_folder(out, in, sub, depth + 1);
    } else {
      close(in);
    }
  }
  closedir(dir);
}

json_t *op_files(studio *s, const json_t *args, failure *f) {
  (void)args;
  json_t *files = json_array();
  int fd = openat(s->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    json_decref(files);
    return refuse(f, "io", NULL, "cannot read the folder '%.200s'", s->folder);
  }
  list_folder(files, fd, "", 0);
  return json_pack("{s:s, s:o}", "folder", s->folder, "files", files);
}

// ---- opening ------------------------------------------------------------------------------------

static json_t *open_reply(const char *path, const char *text, size_t n, failure *f) {
  json_t *string = json_stringn(text, n);
  if (!string) return refuse(f, "bad-scene", "save it as UTF-8", "'%.200s' is no text", path);
  return json_pack("{s:s, s:o}", "path", path, "text", string);
}

static json_t *open_path(studio *s, const char *path, failure *f) {
  char *text;
  size_t n;
  if (!file_read(s, path, &text, &n, f)) return NULL;
  json_t *reply = open_reply(path, text, n, f);
  free(text);
  return reply;
}

// a copy that may be changed
static json_t *open_gallery(studio *s, const char *name, failure *f) {
  char path[PL_TEXT];
  snprintf(path, sizeof path, "%.255s/scene.yaml", name);
  return gallery_copy(s, name, f) ? open_path(s, path, f) : NULL;
}

// nothing is written before it is saved
static json_t *open_starter(studio *s, const char *name, failure *f) {
  for (int k = 0; k < pl_scene_starter_count; k++) {
    const pl_scene_starter *one = &pl_scene_starters[k];
    char path[PL_TEXT];
    if (strcmp(one->name, name) != 0) continue;
    snprintf(path, sizeof path, "%s.yaml", name);
    for (int i = 2; i < 1000 && file_exists(s, path); i++)
      snprintf(path, sizeof path, "%s-%d.yaml", name, i);
    return open_reply(path, one->yaml, strlen(one->yaml), f);
  }
  return refuse(f, "not-found", NULL, "there is no starter scene '%.60s'", name);
}

json_t *op_open(studio *s, const json_t *args, failure *f) {
  const char *path = arg_text(args, "path"), *gallery = arg_text(args, "gallery");
  const char *starter = arg_text(args, "starter");
  if (path) return open_path(s, path, f);
  if (gallery) return open_gallery(s, gallery, f);
  if (starter) return open_starter(s, starter, f);
  return refuse(f, "bad-request", NULL, "what to open is not told");
}

// ---- saving -------------------------------------------------------------------------------------

static int ends_with(const char *path, const char *ending) {
  size_t n = strlen(path), m = strlen(ending);
  return n > m && strcasecmp(path + n - m, ending) == 0;
}

json_t *op_save(studio *s, const json_t *args, failure *f) {
  const char *path = arg_text(args, "path"), *text = arg_text(args, "text");
  if (!path || !text) return refuse(f, "bad-request", NULL, "path and text are needed");
  if (!ends_with(path, ".yaml") && !ends_with(path, ".yml"))
    return refuse(f, "bad-request", "end the name in .yaml", "'%.200s' is no scene", path);
  if (!file_write(s, path, text, strlen(text), f)) return NULL;
  return json_pack("{s:I}", "bytes", (json_int_t)strlen(text));
}

json_t *op_write(studio *s, const json_t *args, failure *f) {
  const char *path = arg_text(args, "path"), *data = arg_text(args, "data");
  if (!path || !data) return refuse(f, "bad-request", NULL, "path and data are needed");
  if (!ends_with(path, ".csv"))
    return refuse(f, "bad-request", "end the name in .csv", "'%.200s' is no table", path);
  if (!file_write(s, path, data, strlen(data), f)) return NULL;
  return json_pack("{s:I}", "bytes", (json_int_t)strlen(data));
}
