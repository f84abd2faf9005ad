#include "scene_impl.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- messages in the order of the file --------------------------------------------------------

static void collect(void *ctx, const pl_diag *d) {
  reader *r = ctx;
  if (d->level == PL_ERROR) r->nproblem++;
  if (d->status == PL_E_NOMEM) r->failed = PL_E_NOMEM;
  if (r->nstore == STORE_MAX) return;
  pl_diag *to = &r->store[r->nstore++];
  *to = *d;
  if (!to->file[0]) snprintf(to->file, sizeof to->file, "%s", r->file);
}

typedef struct ranked {
  const pl_diag *d;
  int rank, own; // as they came; own: of the scene file
} ranked;

static int compare_ranked(const void *a, const void *b) {
  const ranked *p = a, *q = b;
  if (p->own && q->own && p->d->line != q->d->line) return p->d->line - q->d->line;
  if (p->own && q->own && p->d->col != q->d->col) return p->d->col - q->d->col;
  if (p->own != q->own) return q->own - p->own;
  return p->rank - q->rank;
}

// tells all that was collected, in order, and keeps the warnings
static void flush(reader *r, pl_scene *s) {
  ranked list[STORE_MAX];
  int shown = 0;
  pl_diag *remark = scene_alloc(r, (size_t)r->nstore + 1, sizeof *remark);
  r->env->diag = r->diag;
  r->env->diag_ctx = r->diag_ctx;
  for (int k = 0; k < r->nstore; k++)
    list[k] = (ranked){&r->store[k], k, strcmp(r->store[k].file, r->file) == 0};
  qsort(list, (size_t)r->nstore, sizeof *list, compare_ranked);
  for (int k = 0; k < r->nstore && r->diag; k++) {
    if (list[k].d->level == PL_ERROR && ++shown > PROBLEMS_MAX) continue;
    r->diag(r->diag_ctx, list[k].d);
  }
  for (int k = 0; remark && k < r->nstore; k++)
    if (list[k].d->level == PL_WARNING) remark[s->nremark++] = *list[k].d;
  s->remark = remark;
  // the first problem is the one that stays
  for (int k = r->nstore - 1; k >= 0; k--)
    if (list[k].d->level == PL_ERROR) r->env->error = *list[k].d;
  if (r->nproblem > PROBLEMS_MAX)
    pl_report(r->env, PL_NOTE, r->file, 0, 0, NULL, "%d %s not shown", r->nproblem - PROBLEMS_MAX,
              pl_plural(r->nproblem - PROBLEMS_MAX, "more problem is", "more problems are"));
}

// ---- reading ----------------------------------------------------------------------------------

// what must be known before the rest can be read: format, units, dimension
static int read_head(reader *r) {
  const pl_node *root = r->root;
  if (root->kind != NODE_MAP) {
    problem(r, root, "the first line of a scene is 'pliant: 1'",
            "a scene must be a mapping of keys to values");
    return 0;
  }
  const pl_node *format = node_get(root, "pliant");
  if (!format)
    problem(r, root, "put it before everything else", "the first key must be 'pliant: 1'");
  else if (format->kind != NODE_SCALAR || strcmp(format->text, "1") != 0)
    problem(r, format, "this version reads format 1", "the format of the scene must be 1");
  else if (format != root->first && !format->origin)
    problem_key(r, format, "put it before everything else", "'pliant' must be the first key");
  read_units(r);
  r->b->dim = 3;
  const pl_node *dimension = node_get(root, "dimension");
  return !dimension || read_int(r, dimension, "dimension", 1, 3, &r->b->dim);
}

int path_within(const char *root, const char *path, char *real) {
  char top[PATH_MAX];
  if (!realpath(root, top) || !realpath(path, real)) return 0;
  size_t n = strlen(top);
  if (n > 1 && top[n - 1] == '/') n--;
  return strncmp(real, top, n) == 0 && (n == 1 || real[n] == '/' || real[n] == 0);
}

// files are looked for in another folder than the scene's
static pl_status enter_folder(reader *r, pl_scene *s) {
  char path[4096];
  const txt *to = &r->def.files;
  if (!to->at) return PL_OK;
  int here = to->s[0] == '/' || strcmp(r->folder, ".") == 0;
  int n = snprintf(path, sizeof path, "%s%s%s", here ? "" : r->folder, here ? "" : "/", to->s);
  struct stat st;
  if (!r->limit.no_files &&
      (n >= (int)sizeof path || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))) {
    problem(r, to->at, "it is relative to the scene's own folder",
            "files: there is no folder '%.60s'", to->s);
    return PL_E_INPUT;
  }
  char real[PATH_MAX];
  if (r->limit.root && !path_within(r->limit.root, path, real)) {
    problem(r, to->at, NULL, "files: '%.60s' is not within '%.200s', beyond which nothing is read",
            to->s, r->limit.root);
    return PL_E_INPUT;
  }
  s->folder = r->folder = scene_strdup(r, path, strlen(path));
  return r->failed;
}

// a copy of the scene elsewhere finds its files
static void remember_folder(reader *r) {
  char path[PATH_MAX];
  if (!r->nopened || !realpath(r->folder, path)) return;
  for (size_t i = 0, n = strlen(path), len; i < n; i += len) {
    len = pl_utf8_length(path + i, n - i);
    if (len > 0) continue;
    pl_report(r->env, PL_WARNING, r->file, 0, 0, "rename the folder",
              "the name of the scene's folder is not UTF-8: a copy of the scene will not find its "
              "files");
    return;
  }
  tree_set(r, "files", NODE_SCALAR, path);
}

// takes the searches out of the list of analyses
static void drop_searches(pl_node *root) {
  for (pl_node *list = root->first; list; list = list->next) {
    if (strcmp(list->key, "analyses") != 0 || list->kind != NODE_LIST) continue;
    pl_node *all = list->first;
    list->first = list->last = NULL;
    list->n = 0;
    for (pl_node *e = all, *next; e; e = next) {
      next = e->next;
      e->next = NULL;
      if (e->kind != NODE_MAP || !e->first || strcmp(e->first->key, "search") != 0)
        node_append(list, e);
    }
  }
}

// where the entries of a scene come from
typedef struct source {
  const char *name, *folder;
  const pl_node *root; // of another scene, without its searches; NULL: they are YAML
  const char *data;
  size_t size;
} source;

static pl_status read_entries(reader *r, const source *from, int nset, const char *const *set) {
  if (from->root)
    r->root = tree_copy(r, from->root);
  else
    PL_TRY(tree_parse(r, from->data, from->size, &r->root));
  if (!r->root) return r->failed ? r->failed : PL_E_INPUT;
  for (int k = 0; k < nset && !r->failed; k++)
    if (!r->explore || is_override(set[k])) tree_override(r, set[k]);
  if (from->root) drop_searches(r->root);
  return r->failed;
}

static pl_status read_scene(reader *r, const source *from, int nset, const char *const *set,
                            pl_scene *s) {
  PL_TRY(read_entries(r, from, nset, set));
  if (!read_head(r)) return PL_E_INPUT;
  s->length = r->scale.base[1];
  read_map(r, r->root, &map_root, &r->def);
  if (r->failed) return r->failed;
  PL_TRY(enter_folder(r, s));
  PL_TRY(build_scene(r, s));
  const char **file = scene_alloc(r, (size_t)r->nopened, sizeof *file);
  for (int k = 0; file && k < r->nopened; k++) file[k] = r->opened[k];
  s->file = file;
  s->nfile = file ? r->nopened : 0;
  remember_folder(r);
  return r->failed;
}

static void release(reader *r) {
  for (int k = 0; k < r->nbody; k++) pl_mesh_free(r->body[k].mesh);
  pl_arena_free(r->scratch);
  pl_free(r->env, r->store);
}

static const pl_scene_limits default_limits = {.yaml_nodes = 1000000, .nodes = 20000000};

// the list is needed as long as the scene
static pl_status keep_given(reader *r) {
  int n = r->limit.ngiven;
  pl_scene_given *list = scene_alloc(r, (size_t)n, sizeof *list);
  for (int k = 0; list && k < n; k++) {
    const pl_scene_given *g = &r->limit.given[k];
    list[k] = *g;
    list[k].name = scene_strdup(r, g->name, strlen(g->name));
  }
  r->limit.given = list;
  return r->failed;
}

static pl_status parse_into(reader *r, pl_scene *s, const source *from, int nset,
                            const char *const *set) {
  PL_TRY(pl_builder_create(r->env, 3, &s->impl->builder));
  r->b = s->impl->builder;
  r->b->node_limit = r->limit.nodes;
  r->b->problem = build_problem_at;
  r->b->ctx = r;
  PL_TRY(pl_arena_create(r->env, 4096, &r->scratch));
  s->path = r->file = scene_strdup(r, from->name, strlen(from->name));
  s->folder = r->folder = scene_strdup(r, from->folder, strlen(from->folder));
  if (r->limit.root) r->limit.root = scene_strdup(r, r->limit.root, strlen(r->limit.root));
  PL_TRY(keep_given(r));
  s->impl->limit = r->limit;
  r->store = pl_alloc(r->env, STORE_MAX, sizeof *r->store);
  if (r->failed || !r->store) return PL_E_NOMEM;
  r->diag = r->env->diag;
  r->diag_ctx = r->env->diag_ctx;
  r->env->diag = collect;
  r->env->diag_ctx = r;
  pl_status st = read_scene(r, from, nset, set, s);
  if (st == PL_OK && r->nproblem > 0) st = PL_E_INPUT;
  if (st == PL_E_INPUT && r->failed) st = r->failed;
  s->impl->root = r->root;
  s->impl->param = r->def.parameters.item;
  flush(r, s);
  return st == PL_OK ? r->failed : st;
}

static pl_status parse(pl_env *env, const source *from, int nset, const char *const *set,
                       const pl_scene_limits *limits, const pl_exploration *explore,
                       pl_scene **out) {
  *out = NULL;
  reader r = {.env = env, .limit = limits ? *limits : default_limits, .explore = explore};
  if (r.limit.yaml_nodes <= 0) r.limit.yaml_nodes = default_limits.yaml_nodes;
  if (r.limit.nodes <= 0) r.limit.nodes = default_limits.nodes;
  pl_scene *s = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  s->env = env;
  s->impl = pl_alloc(env, 1, sizeof *s->impl);
  pl_status st = s->impl ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) st = parse_into(&r, s, from, nset, set);
  release(&r);
  if (st == PL_OK)
    *out = s;
  else
    pl_scene_free(s);
  return st;
}

pl_status pl_scene_parse(pl_env *env, const char *name, const char *folder, const char *data,
                         size_t size, int nset, const char *const *set,
                         const pl_scene_limits *limits, pl_scene **out) {
  const source from = {name, folder, NULL, data, size};
  return parse(env, &from, nset, set, limits, NULL, out);
}

pl_status pl_scene_again(pl_env *env, const pl_scene *s, int nset, const char *const *set,
                         pl_scene **out) {
  const source from = {s->path, s->folder, s->impl->root, NULL, 0};
  return parse(env, &from, nset, set, &s->impl->limit, NULL, out);
}

enum { FILE_MAX = 1 << 28 };

static pl_status load(pl_env *env, const char *path, int nset, const char *const *set,
                      const pl_scene_limits *limits, const pl_exploration *explore,
                      pl_scene **out) {
  char *data, folder[4096], real[PATH_MAX];
  size_t size;
  *out = NULL;
  if (limits && limits->root && !path_within(limits->root, path, real))
    return pl_fail_at(env, PL_E_IO, path, 0, 0, NULL, "is not a file within '%.200s'",
                      limits->root);
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  if (slash == path) snprintf(folder, sizeof folder, "/");
  PL_TRY(pl_file_read(env, path, FILE_MAX, &data, &size));
  const source from = {path, folder, NULL, data, size};
  pl_status s = parse(env, &from, nset, set, limits, explore, out);
  pl_free(env, data);
  return s;
}

pl_status pl_scene_load(pl_env *env, const char *path, int nset, const char *const *set,
                        pl_scene **out) {
  return load(env, path, nset, set, NULL, NULL, out);
}

pl_status pl_scene_load_limited(pl_env *env, const char *path, int nset, const char *const *set,
                                const pl_scene_limits *limits, pl_scene **out) {
  return load(env, path, nset, set, limits, NULL, out);
}

pl_status pl_scene_load_explore(pl_env *env, const char *path, const pl_exploration *e,
                                const pl_scene_limits *limits, pl_scene **out) {
  *out = NULL;
  PL_TRY(check_exploration(env, e));
  return load(env, path, e->nset, e->set, limits, e, out);
}

pl_status pl_scene_parse_explore(pl_env *env, const char *name, const char *folder,
                                 const char *data, size_t size, const pl_exploration *e,
                                 const pl_scene_limits *limits, pl_scene **out) {
  const source from = {name, folder, NULL, data, size};
  *out = NULL;
  PL_TRY(check_exploration(env, e));
  return parse(env, &from, e->nset, e->set, limits, e, out);
}

const pl_builder *pl_scene_builder(const pl_scene *s) {
  return s->impl->builder;
}

void pl_scene_free(pl_scene *s) {
  if (!s) return;
  pl_env *env = s->env;
  pl_params_free(s->params);
  pl_model_free(s->model);
  pl_mesh_free(s->mesh);
  const pl_builder *b = s->impl ? s->impl->builder : NULL;
  for (int k = 0; b && k < b->ngroup; k++) pl_star_free((void *)(uintptr_t)b->law[k]);
  for (int k = 0; b && k < b->nobstacle; k++) {
    const pl_obstacle *o = &b->obstacle[k];
    // made for this scene, and shared as const
    if (o->data && o->kind->free) o->kind->free((void *)(uintptr_t)o->data);
  }
  if (s->impl) pl_builder_free(s->impl->builder);
  pl_free(env, s->impl);
  pl_free(env, s);
}

// ---- asking -----------------------------------------------------------------------------------

void pl_scene_write(const pl_scene *s, pl_text *out) {
  pl_text_add(out, "# the scene as run\n");
  node_write(s->impl->root, out);
}

// value in SI, with its unit
static void put_value(pl_text *out, const param_def *p, double v) {
  char si[64];
  unit_si(&p->dim, si, sizeof si);
  pl_text_add(out, "%.17g%s%s", v, si[0] ? " " : "", si);
}

// `path=value` of parameter k; parameters of elements are written together, with the first
static void put_override(const pl_scene *s, int k, const double *design, pl_text *out) {
  const param_def *p = &s->impl->param[k];
  int changed = 0, n = p->nslot ? p->nslot : 1;
  if (p->nslot && p->slot > 0) return;
  for (int i = 0; i < n; i++) changed |= design[k + i] != p[i].v;
  if (!changed) return;
  if (p->nslot)
    pl_text_add(out, "%s=[", p->path);
  else
    pl_text_add(out, "parameters.%s.value=", p->name.s);
  for (int i = 0; i < n; i++) {
    if (i) pl_text_add(out, ", ");
    put_value(out, &p[i], design[k + i]);
  }
  if (p->nslot) pl_text_add(out, "]");
}

static pl_status write_changed(reader *r, const pl_scene *s, const double *design, int nset,
                               const char *const *set, int found, pl_text *out) {
  pl_text text;
  PL_TRY(pl_builder_create(r->env, 3, &r->b));
  pl_text_init(&text, r->env);
  r->root = tree_copy(r, s->impl->root);
  pl_status st = r->failed;
  for (int k = 0; st == PL_OK && design && k < pl_model_ndesign(s->model); k++) {
    text.n = 0;
    put_override(s, k, design, &text);
    if (text.failed) st = PL_E_NOMEM;
    if (st == PL_OK && text.n) tree_override(r, text.s);
  }
  for (int k = 0; st == PL_OK && k < nset; k++) tree_override(r, set[k]);
  pl_text_free(&text);
  if (st == PL_OK) st = r->failed;
  if (st == PL_OK && r->nproblem) st = PL_E_INPUT;
  if (st == PL_OK && found) drop_searches(r->root);
  if (st == PL_OK) node_write(r->root, out);
  return st;
}

static pl_status write_with(const pl_scene *s, const double *design, int nset,
                            const char *const *set, int found, pl_text *out) {
  reader r = {.env = s->env, .file = s->path, .folder = s->folder, .limit = default_limits};
  pl_status st = write_changed(&r, s, design, nset, set, found, out);
  pl_builder_free(r.b);
  return st;
}

pl_status pl_scene_write_design(const pl_scene *s, const double *design, int nset,
                                const char *const *set, pl_text *out) {
  return write_with(s, design, nset, set, 0, out);
}

pl_status pl_scene_write_found(const pl_scene *s, int nset, const char *const *set, pl_text *out) {
  return write_with(s, NULL, nset, set, 1, out);
}

int pl_scene_find_set(const pl_scene *s, const char *name) {
  for (int k = 0; k < s->nset; k++)
    if (strcmp(s->set[k].name, name) == 0) return k;
  return -1;
}

int pl_scene_find_analysis(const pl_scene *s, const char *name) {
  for (int k = 0; k < s->nanalysis; k++)
    if (strcmp(s->analysis[k].name, name) == 0) return k;
  return -1;
}

int pl_scene_find_node(const pl_scene *s, const char *name) {
  for (int i = 0; i < pl_model_nnode(s->model); i++) {
    const char *at = pl_model_node_name(s->model, i);
    if (at && strcmp(at, name) == 0) return i;
  }
  return -1;
}
