// make_samples DIR: writes meshes in every output format into DIR, and beside each NAME.* a
// NAME.json with what they must hold, for readback.py and glb/check.mjs.
#include "mesh_tools.h"

#include <stdio.h>

typedef struct sample {
  pl_env env;
  const char *dir;
  char path[4096];
} sample;

static const char *path_of(sample *s, const char *name, const char *ending) {
  snprintf(s->path, sizeof s->path, "%s/%s.%s", s->dir, name, ending);
  return s->path;
}

static void must(sample *s, pl_status status) {
  if (status == PL_OK) return;
  fprintf(stderr, "make_samples: %s %s\n", s->env.error.text, s->env.error.hint);
  exit(1);
}

// ---- expectations -----------------------------------------------------------------------------

static void put_rows(FILE *f, int n, int width, const double *x) {
  fprintf(f, "[");
  for (int i = 0; i < n; i++) {
    fprintf(f, "%s%s", i ? ",\n" : "", width > 1 ? "[" : "");
    for (int d = 0; d < width; d++) fprintf(f, "%s%.17g", d ? "," : "", x[width * i + d]);
    if (width > 1) fprintf(f, "]");
  }
  fprintf(f, "]");
}

static void put_ints(FILE *f, int n, int width, const int *v) {
  fprintf(f, "[");
  for (int i = 0; i < n; i++) {
    fprintf(f, "%s%s", i ? "," : "", width > 1 ? "[" : "");
    for (int d = 0; d < width; d++) fprintf(f, "%s%d", d ? "," : "", v[width * i + d]);
    if (width > 1) fprintf(f, "]");
  }
  fprintf(f, "]");
}

static void put_name(FILE *f, const char *name) {
  fprintf(f, "\"");
  for (; *name; name++) fprintf(f, "%s%c", *name == '"' ? "\\" : "", *name);
  fprintf(f, "\"");
}

static FILE *open_expected(sample *s, const char *name, const pl_mesh *m, const double *x) {
  FILE *f = fopen(path_of(s, name, "json"), "w");
  if (!f) {
    fprintf(stderr, "make_samples: cannot write %s\n", s->path);
    exit(1);
  }
  fprintf(f, "{\"points\":");
  put_rows(f, m->nvert, 3, x);
  fprintf(f, ",\n\"cells\":{");
  for (int t = 0; t <= PL_HEX8; t++) {
    fprintf(f, "%s\"%s\":", t ? "," : "", pl_cell_name[t]);
    put_ints(f, m->cell[t].n, pl_cell_nvert[t], m->cell[t].v);
  }
  fprintf(f, "},\n\"sets\":{");
  for (int k = 0, n = 0; k < m->nset; k++) {
    if (m->set[k].type < 0) continue;
    fprintf(f, "%s\"%s\":", n++ ? "," : "", m->set[k].name);
    put_ints(f, m->set[k].n, 1, m->set[k].index);
  }
  fprintf(f, "}");
  return f;
}

// ---- meshes -----------------------------------------------------------------------------------

static int ncell(const pl_mesh *m) {
  int n = 0;
  for (int t = 0; t < PL_CELL_COUNT; t++) n += m->cell[t].n;
  return n;
}

// 1 where a set has an entry: sets of one name are one array
static void put_groups(FILE *f, const pl_mesh *m, int on_cells) {
  int count = on_cells ? ncell(m) : m->nvert;
  int *in = malloc(((size_t)count + 1) * sizeof *in);
  for (int k = 0; k < m->nset; k++) {
    int first;
    for (first = 0; first < k; first++)
      if (strcmp(m->set[first].name, m->set[k].name) == 0 && (m->set[first].type >= 0) == on_cells)
        break;
    if (first < k || (m->set[k].type >= 0) != on_cells) continue;
    memset(in, 0, ((size_t)count + 1) * sizeof *in);
    for (int i = k; i < m->nset; i++) {
      const pl_set *set = &m->set[i];
      if (strcmp(set->name, m->set[k].name) != 0 || (set->type >= 0) != on_cells) continue;
      int before = 0;
      for (int t = 0; t < set->type; t++) before += m->cell[t].n;
      for (int e = 0; e < set->n; e++) in[before + set->index[e]] = 1;
    }
    char name[300];
    snprintf(name, sizeof name, "group:%s", m->set[k].name);
    fprintf(f, ",");
    put_name(f, name);
    fprintf(f, ":");
    put_ints(f, count, 1, in);
  }
  free(in);
}

static void write_vtu(sample *s, const char *name, const pl_mesh *m, const double *x) {
  int nc = ncell(m);
  double *scalar = malloc((size_t)m->nvert * sizeof *scalar);
  double *vector = malloc((size_t)m->nvert * 3 * sizeof *vector);
  double *cell = malloc((size_t)nc * sizeof *cell);
  for (int i = 0; i < m->nvert; i++) scalar[i] = sin(0.1 * i) / 3;
  for (int i = 0; i < 3 * m->nvert; i++) vector[i] = 1e-3 * cos(0.7 * i);
  for (int i = 0; i < nc; i++) cell[i] = 1 / (i + 3.0);
  const pl_field field[3] = {{"temperature", 0, 1, scalar},
                             {"strain <xx> & \"more\"", 1, 1, cell},
                             {"velocity", 0, 3, vector}};
  must(s, pl_mesh_write_vtu(m, x, 3, field, NULL, path_of(s, name, "vtu")));
  FILE *f = open_expected(s, name, m, x ? x : m->X);
  for (int on_cells = 0; on_cells < 2; on_cells++) {
    fprintf(f, ",\n\"%s\":{", on_cells ? "cell_data" : "point_data");
    for (int k = 0, n = 0; k < 3; k++) {
      if (field[k].on_cells != on_cells) continue;
      fprintf(f, "%s", n++ ? "," : "");
      put_name(f, field[k].name);
      fprintf(f, ":");
      put_rows(f, on_cells ? nc : m->nvert, field[k].ncomp, field[k].data);
    }
    put_groups(f, m, on_cells);
    fprintf(f, "}");
  }
  fprintf(f, "}\n");
  fclose(f);
  free(scalar);
  free(vector);
  free(cell);
}

static void write_all(sample *s, const char *name, pl_mesh *m, int type) {
  // sets of cells: two that overlap, and cells of none
  if (type >= 0) {
    int n = m->cell[type].n, *list = malloc((size_t)n * sizeof *list);
    for (int i = 0; i < n; i++) list[i] = i;
    must(s, pl_mesh_add_set(m, "early", type, n / 2, list));
    must(s, pl_mesh_add_set(m, "middle", type, n / 2, list + n / 4));
    free(list);
  }
  write_vtu(s, name, m, NULL);
  must(s, pl_mesh_write_obj(m, path_of(s, name, "obj")));
  must(s, pl_mesh_write_ply(m, path_of(s, name, "ply")));
  if (m->cell[PL_SEG2].n != ncell(m)) must(s, pl_mesh_write_stl(m, path_of(s, name, "stl")));
  pl_mesh_free(m);
}

static void write_meshes(sample *s) {
  pl_mesh *m, *b;
  const int n[3] = {3, 2, 4};
  const double l[3] = {0.3, 0.7, 1.1}, far[3] = {1, 2, 3};
  must(s, pl_gen_grid(&s->env, 5, 4, 1, 0.7, PL_EQUILATERAL, &m));
  write_all(s, "grid", m, PL_TRI3);
  must(s, pl_gen_grid(&s->env, 150, 150, 1.1, 1.3, PL_ALTERNATING, &m));
  write_all(s, "large", m, PL_TRI3);
  must(s, pl_gen_quads(&s->env, 5, 4, 1, 0.7, &m));
  write_all(s, "quads", m, PL_QUAD4);
  must(s, pl_gen_tet_box(&s->env, n, l, &m));
  write_all(s, "tets", m, PL_TET4);
  must(s, pl_gen_hex_box(&s->env, n, l, &m));
  write_all(s, "hexes", m, PL_HEX8);
  must(s, pl_gen_chain(&s->env, 6, l, far, &m));
  write_all(s, "chain", m, PL_SEG2);

  must(s, pl_gen_hex_box(&s->env, n, l, &m));
  for (int k = 0; k < 4; k++) {
    must(s, k == 0   ? pl_gen_chain(&s->env, 6, l, far, &b)
            : k == 1 ? pl_gen_disk(&s->env, 3, 1, &b)
            : k == 2 ? pl_gen_quads(&s->env, 2, 3, 1, 1, &b)
                     : pl_gen_tet_box(&s->env, n, l, &b));
    tool_shift(b, 2 * k + 2, 0, 0);
    tool_append(m, b);
    pl_mesh_free(b);
  }
  write_vtu(s, "mixed", m, NULL);
  pl_mesh_free(m);
}

static void write_series(sample *s) {
  pl_mesh *m;
  must(s, pl_gen_disk(&s->env, 4, 1, &m));
  double *x = malloc((size_t)m->nvert * 3 * sizeof *x), time[3] = {0, 0.1, 1.0 / 3};
  const char *files[3] = {"step_0.vtu", "step_1.vtu", "step_2.vtu"};
  for (int k = 0; k < 3; k++) {
    char name[32];
    snprintf(name, sizeof name, "step_%d", k);
    memcpy(x, m->X, (size_t)m->nvert * 3 * sizeof *x);
    for (int i = 0; i < m->nvert; i++) x[3 * i + 2] = time[k] * cos(x[3 * i]);
    write_vtu(s, name, m, x);
  }
  must(s, pl_pvd_write(&s->env, path_of(s, "series", "pvd"), 3, time, files));
  free(x);
  pl_mesh_free(m);
}

// ---- animated ---------------------------------------------------------------------------------

static void write_glb(sample *s, const char *name, pl_mesh *m, int nframe, int nkey, int colours) {
  size_t n = 3 * (size_t)m->nvert;
  double *frame = malloc((n * (size_t)nframe + 1) * sizeof *frame);
  double *colour = malloc((size_t)m->nvert * sizeof *colour), time[65], weight[65 * 64];
  for (int k = 0; k < nframe; k++)
    for (int i = 0; i < m->nvert; i++)
      for (int d = 0; d < 3; d++)
        frame[n * (size_t)k + (size_t)(3 * i + d)] =
            0.2 * sin(2 * m->X[3 * i] + m->X[3 * i + 1] + k + d);
  for (int i = 0; i < m->nvert; i++) colour[i] = (double)i / (m->nvert - 1);
  for (int j = 0; j < nkey; j++) {
    time[j] = 2.0 * j / (nkey - 1);

    // two targets: sine and cosine; more: one frame after the other
    for (int k = 0; k < nframe; k++)
      weight[j * nframe + k] = nframe != 2 ? j == k
                               : k         ? cos(PL_PI * time[j])
                                           : sin(PL_PI * time[j]);
  }
  must(s, pl_glb_write(m, NULL, nframe, frame, nkey, time, weight, colours ? colour : NULL,
                       path_of(s, name, "glb")));
  FILE *f = open_expected(s, name, m, m->X);
  fprintf(f, ",\n\"colours\":%s,\"time\":", colours ? "true" : "false");
  put_rows(f, nkey, 1, time);
  fprintf(f, ",\n\"weight\":");
  put_rows(f, nframe ? nkey : 0, nframe, weight);
  fprintf(f, ",\n\"frames\":[");
  for (int k = 0; k < nframe; k++) {
    if (k) fprintf(f, ",");
    put_rows(f, m->nvert, 3, frame + n * (size_t)k);
  }
  fprintf(f, "]}\n");
  fclose(f);
  free(frame);
  free(colour);
  pl_mesh_free(m);
}

static void write_animations(sample *s) {
  pl_mesh *m, *b;
  const int n[3] = {3, 2, 4};
  const double l[3] = {0.3, 0.7, 1.1}, far[3] = {1, 2, 3};
  must(s, pl_gen_grid(&s->env, 8, 6, 1, 0.7, PL_CROSSED, &m));
  write_glb(s, "anim_grid", m, 2, 33, 1);
  must(s, pl_gen_hex_box(&s->env, n, l, &m));
  write_glb(s, "anim_hexes", m, 64, 64, 0);
  must(s, pl_gen_chain(&s->env, 6, l, far, &m));
  write_glb(s, "anim_chain", m, 3, 3, 1);
  must(s, pl_gen_tet_box(&s->env, n, l, &m));
  write_glb(s, "still_tets", m, 0, 0, 1);
  must(s, pl_gen_disk(&s->env, 3, 1, &m));
  must(s, pl_gen_chain(&s->env, 6, l, far, &b));
  tool_append(m, b);
  pl_mesh_free(b);
  write_glb(s, "anim_both", m, 2, 5, 0);
  must(s, pl_mesh_create(&s->env, "points", 5, &m));
  for (int i = 0; i < 15; i++) m->X[i] = cos(i);
  write_glb(s, "anim_points", m, 2, 5, 0);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: make_samples DIR\n");
    return 2;
  }
  static sample s;
  pl_env_init(&s.env);
  s.dir = argv[1];
  must(&s, pl_dir_make(&s.env, s.dir));
  write_meshes(&s);
  write_series(&s);
  write_animations(&s);
  return 0;
}
