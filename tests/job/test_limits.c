#include "run_scene.h"

#include "pliant/report.h"

// Limits of interlocking materials, from a scene to its files.

static void run(pl_env *env, const char *folder, const char *text, pl_status want) {
  pl_text t;
  pl_text_init(&t, env);
  pl_text_add(&t, "pliant: 1\n%s", text);
  check_status(env, run_scene_at(env, folder, 0, &t), want);
  pl_text_free(&t);
}

static void figures(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-four",
      "interlocking: [{four-in-one: {}}]\nanalyses: [limits: {directions: 4, boundary: 1}]\n",
      PL_OK);
  check_close(summary_number(&env, "limits-four", "\"strain_max\": ", NULL), 0.145971, 2e-6);
  check_less(summary_number(&env, "limits-four", "\"bound\": ", NULL), 1e-4);
  check_close(summary_number(&env, "limits-four", "\"unsolved\": ", NULL), 0, 0);
  check_close(summary_number(&env, "limits-four", "\"past_rays\": ", NULL), 0, 0);
  // of the rays to all kinds of strains, none stretches it further along y than the limit
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "limits-four/limits-boundary.csv", &t));
  assert_int_equal(pl_table_rows(t), 12);
  const double *row = pl_table_data(t);
  for (int i = 0; i < 12; i++, row += pl_table_cols(t)) {
    double u = row[0], v = row[1], w = row[2];
    check_less(v * v + w * w, 1.145971 * 1.145971 + 1e-5);
    check_close(row[pl_table_find(t, "green_xx")], (u * u + w * w - 1) / 2, 1e-12);
    check_close(row[pl_table_find(t, "green_xy")], (u + v) * w / 2, 1e-12);
    check_less(row[pl_table_find(t, "bound")], 1e-4);
  }
  pl_table_free(t);
  // what a material is called, and units of its own
  run(&env, "limits-chain",
      "units: {length: cm}\ninterlocking: [{japanese: {}}, {name: links, chain: {radius: 8 mm, "
      "wire: "
      "0.2, pitch: 11 mm, beside: 4}}]\nanalyses: [limits: {of: links, directions: 1}]\n",
      PL_OK);
  check_close(summary_number(&env, "limits-chain", "\"strain_max\": ", NULL), 12.0 / 11 - 1, 1e-6);
}

// Solved once for each orbit, the figures are those of all directions solved.
static void symmetric(void **state) {
  (void)state;
  static const char *const folder[2] = {"limits-alone", "limits-symmetric"};
  const double *row[2];
  pl_table *t[2];
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < 2; k++) {
    char text[256];
    snprintf(text, sizeof text,
             "interlocking: [{torus-knot: {}}]\nanalyses: [limits: {directions: 12, boundary: 2, "
             "symmetry: %s}]\n",
             k ? "yes" : "no");
    run(&env, folder[k], text, PL_OK);
  }
  check_close(summary_number(&env, folder[0], "\"solved\": ", NULL), 24, 0);
  check_close(summary_number(&env, folder[1], "\"solved\": ", NULL), 12, 0);
  check_close(summary_number(&env, folder[1], "\"symmetries\": ", NULL), 8, 0);
  for (int file = 0; file < 2; file++) {
    for (int k = 0; k < 2; k++) {
      char path[256];
      snprintf(path, sizeof path, "%s/limits%s.csv", folder[k], file ? "-boundary" : "");
      check_ok(&env, pl_table_read(&env, path, &t[k]));
      row[k] = pl_table_data(t[k]);
    }
    int cols = 6, rows = pl_table_rows(t[0]);
    assert_int_equal(rows, file ? 42 : 12);
    for (int i = 0; i < rows; i++)
      for (int c = 0; c < cols; c++)
        check_close(row[1][i * pl_table_cols(t[1]) + c], row[0][i * pl_table_cols(t[0]) + c], 1e-6);
    for (int k = 0; k < 2; k++) pl_table_free(t[k]);
  }
}

// Drawn to a target, a net falls short of its limit in proportion to the stiffness.
static void as_in_the_paper(void **state) {
  (void)state;
  double short_[2], most = 0.8 / 13.6;
  pl_env env;
  pl_env_init(&env);
  for (int k = 0; k < 2; k++) {
    char text[256], folder[64];
    snprintf(folder, sizeof folder, "limits-paper-%d", k);
    snprintf(text, sizeof text,
             "interlocking: [{japanese: {}}]\nanalyses: [limits: {directions: 2, mode: paper, "
             "starts: 3, stiffness: %g, target: 0.4}]\n",
             k ? 1e-6 : 1e-5);
    run(&env, folder, text, PL_OK);
    short_[k] = most - summary_number(&env, folder, "\"strain_max\": ", NULL);
  }
  check_less(1e-7, short_[1]);
  check_close(short_[0] / short_[1], 10, 0.5);
}

// Linked rings of 4-in-1 keep within 2 (R - r) of each other in all states without shear, and
// states of an angle are those of the one across it.
static void sweep(void **state) {
  (void)state;
  enum { RAYS = 16 };
  pl_env env;
  pl_table *t;
  pl_env_init(&env);
  run(&env, "limits-sweep",
      "interlocking: [{four-in-one: {}}]\nanalyses: [limits: {directions: 2, starts: 1, sweep: "
      "8}]\n",
      PL_OK);
  check_ok(&env, pl_table_read(&env, "limits-sweep/limits-sweep.csv", &t));
  assert_int_equal(pl_table_rows(t), 2 * RAYS);
  int along = pl_table_find(t, "strain_along"), across = pl_table_find(t, "strain_across");
  for (int i = 0; i < RAYS; i++) {
    const double *row = pl_table_data(t) + i * pl_table_cols(t);
    const double *same =
        pl_table_data(t) + (RAYS + (RAYS / 4 - i + RAYS) % RAYS) * pl_table_cols(t);
    double x = 6.1 * (1 + row[along]), y = 3 * (1 + row[across]);
    check_less(x * x + y * y, 7.5 * 7.5 + 1e-5);
    check_close(same[across], row[along], 1e-6);
    check_close(same[along], row[across], 1e-6);
  }
  pl_table_free(t);
}

// 4-in-1 told ring by ring, and a net of two kinds of elements.
static void own(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-own",
      "units: {length: mm}\ninterlocking:\n"
      "- own: {elements: [{pieces: [{ring: {radius: 4.9, wire: 1.15}}]}], cell: [{rotate: {axis: "
      "[1, "
      "0, 0], angle: -35 deg}}, {at: [6.1, -3, 0], rotate: {axis: [1, 0, 0], angle: 35 deg}}], a: "
      "[12.2, 0, 0], b: [0, 6, 0]}\n"
      "- name: net\n"
      "  own: {elements: [{name: flat, pieces: [{curve: {wire: 1, harmonics: [{cosine: [5, 0, 0], "
      "sine: [0, 5, 0]}]}}]}, {name: link, pieces: [{ring: {axis: [0, 2, 0], radius: 4, wire: "
      "0.8}}]}], cell: [{element: flat}, {element: link, at: [6.8, 0, 0]}, {element: link, at: [0, "
      "6.8, 0], rotate: {angle: 90 deg}}], a: [13.6, 0, 0], b: [0, 13.6, 0]}\n"
      "analyses: [limits: {directions: 2, starts: 1}, limits: {of: net, directions: 1, starts: "
      "2}]\n",
      PL_OK);
  check_close(summary_number(&env, "limits-own", "\"strain_max\": ", NULL), 0.145971, 2e-6);
  check_close(summary_number(&env, "limits-own", "\"net\"", "\"strain_max\": ", NULL), 0.8 / 13.6,
              1e-6);
}

// A hole that several pieces make: a chain of frames, of four plates each, and rings. Taut, rings
// lie in the corners of frames: 2 ((3 - 0.3 - 0.5) sqrt 2 + 5). A stirrup of a plate and an open
// polyline holds rings, too, 2 (2 - 0.3 - 0.4) + 2 (3 - 0.4) apart.
static void frames(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-frames",
      "units: {length: mm}\nparameters: {plate: {value: 0.3}, R: {value: 5}}\ninterlocking:\n"
      "- own: {elements: [{name: frame, pieces: ["
      "{plate: {points: [[3.5, 3.5, 0], [-3.5, 3.5, 0], [-3, 3, 0], [3, 3, 0]], radius: $plate}}, "
      "{plate: {points: [[-3.5, 3.5, 0], [-3.5, -3.5, 0], [-3, -3, 0], [-3, 3, 0]], radius: "
      "$plate}}, "
      "{plate: {points: [[-3.5, -3.5, 0], [3.5, -3.5, 0], [3, -3, 0], [-3, -3, 0]], radius: "
      "$plate}}, "
      "{plate: {points: [[3.5, -3.5, 0], [3.5, 3.5, 0], [3, 3, 0], [3, -3, 0]], radius: "
      "$plate}}]}, "
      "{name: ring, pieces: [{ring: {radius: $R, wire: 0.5, axis: [0, 1, 0]}}]}], cell: [{element: "
      "frame}, {element: ring, at: [7, 0, 0]}], a: [14, 0, 0], b: [0, 30, 0]}\n"
      "- name: stirrups\n"
      "  own: {elements: [{name: stirrup, pieces: [{capsules: {points: [[-2, 2.5, 0], [-2, -2, 0], "
      "[2, -2, 0], [2, 2.5, 0]], radius: $plate}}, {plate: {points: [[-2.5, 2, -1], [2.5, 2, -1], "
      "[2.5, 2, 1], [-2.5, 2, 1]], radius: $plate}}]}, {name: ring, pieces: [{ring: {radius: 3, "
      "wire: "
      "0.4, axis: [0, 1, 0]}}]}], cell: [{element: stirrup}, {element: ring, at: [3.8, 0, 0]}], a: "
      "[7.6, 0, 0], b: [0, 20, 0]}\n"
      "analyses: [limits: {directions: 1, starts: 1, gradients: yes}, limits: {of: stirrups, "
      "directions: 1, "
      "starts: "
      "1}]\n",
      PL_OK);
  check_close(summary_number(&env, "limits-frames", "\"strain_max\": ", NULL),
              (4.4 * sqrt(2) + 10) / 14 - 1, 1e-5);
  check_close(summary_number(&env, "limits-frames", "\"strain_max\": {", "\"R_per_m\": ", NULL),
              2 / 14e-3, 1e-3);
  check_close(summary_number(&env, "limits-frames", "\"strain_max\": {", "\"plate_per_m\": ", NULL),
              -2 * sqrt(2) / 14e-3, 1e-3);
  double apart = summary_number(&env, "limits-frames", "\"stirrups\"", "\"strain_max\": ", NULL);
  check_less((2 * 1.3 + 2 * 2.6) / 7.6 - 1, apart);
  check_close(summary_number(&env, "limits-frames", "\"links_changed\": ", NULL), 0, 0);
}

// Beside a body, in one scene.
static void beside(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-beside",
      "dimension: 1\nnodes: {m: 0}\nmasses: [{node: m, mass: 1 kg}]\nsprings: [{nodes: [ground, "
      "m], "
      "stiffness: 4 N/m}]\ninterlocking: [{torus-knot: {}}]\nanalyses: [modes: {count: 1}, limits: "
      "{directions: 1}]\n",
      PL_OK);
  check_close(summary_number(&env, "limits-beside", "\"strain_max\": ", NULL), 0.03999, 1e-4);
}

// Limits of 4-in-1 that were "measured": along its rows, known in closed form, at an angle that is
// none of the others as computed there, and the play that follows from both strains.
static void measured(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  write_text(&env, "limits-two.csv",
             "theta_deg,eps_max,eps_max_sd,eps_min,eps_min_sd\n270,0.14,0.005,-0.2,0.01\n"
             "-170,0.2,0.001,-0.5,0.02\n");
  write_text(&env, "limits-play.csv", "angle_rad,play_percent\n1.5707963267948966,20\n");
  run(&env, "limits-measured",
      "interlocking: [{four-in-one: {}}]\nanalyses: [limits: {directions: 2, starts: 1, measured: "
      "[limits-two.csv, {file: "
      "limits-play.csv, name: hand, note: by hand}]}]\n",
      PL_OK);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "limits-measured/limits-measured.csv", &t));
  assert_int_equal(pl_table_rows(t), 3);
  const double *row = pl_table_data(t), *next = row + pl_table_cols(t),
               *last = next + pl_table_cols(t);
  int most = pl_table_find(t, "strain_max"), least = pl_table_find(t, "strain_min");
  int play = pl_table_find(t, "play"), seen = pl_table_find(t, "play_measured");
  double longest = 0.145971;
  check_close(row[most], longest, 2e-6);
  check_close(row[play], (row[most] - row[least]) / (1 + row[least]), 1e-12);
  check_close(row[seen], 0.34 / 0.8, 1e-12);
  // sqrt((0.005 / 0.8)^2 + (1.14 * 0.01 / 0.64)^2)
  check_close(row[pl_table_find(t, "play_sd")], 0.018877, 1e-6);
  check_close(next[pl_table_find(t, "angle")], 10, 1e-9);
  assert_true(isfinite(next[most]) && fabs(next[most] - longest) > 1e-5);
  check_close(last[seen], 0.2, 1e-12);
  check_close(last[play], row[play], 1e-12);
  const char *folder = "limits-measured", *file = "limits-two.csv";
  check_close(summary_number(&env, folder, file, "\"strain_max\"", "\"largest\": ", NULL),
              fmax(fabs(longest - 0.14), fabs(next[most] - 0.2)), 2e-6);
  check_close(summary_number(&env, folder, file, "\"within_two_deviations\": ", NULL), 1, 0);
  pl_table_free(t);
}

// Of a chain with rings of radius R and wire r the pitch p becomes 2 (R - r).
static void gradients(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-gradients",
      "interlocking: [{chain: {radius: 8 mm, wire: 2 mm, pitch: 11 mm, beside: 40 mm}}]\n"
      "analyses: [limits: {directions: 1, gradients: yes}]\n",
      PL_OK);
  const char *folder = "limits-gradients", *side = "\"strain_max\": {";
  check_close(summary_number(&env, folder, side, "\"radius_per_m\": ", NULL), 2 / 11e-3, 1e-4);
  check_close(summary_number(&env, folder, side, "\"wire_per_m\": ", NULL), -2 / 11e-3, 1e-4);
  check_close(summary_number(&env, folder, side, "\"pitch_per_m\": ", NULL), -12 / (11 * 11e-3),
              1e-4);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "limits-gradients/limits-gradients.csv", &t));
  check_close(pl_table_data(t)[pl_table_find(t, "strain_max_by_radius")], 2 / 11e-3, 1e-4);
  check_less(pl_table_data(t)[pl_table_find(t, "strain_max_balance")], 1e-6);
  pl_table_free(t);
}

// Chains beside each other are not held together: that is told, and is no failure. Each other limit
// is certain.
static void unbounded(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-unbounded",
      "interlocking: [{chain: {}}]\nanalyses: [limits: {directions: 2, starts: 2}]\n", PL_OK);
  check_close(summary_number(&env, "limits-unbounded", "\"unbounded\": ", NULL), 2, 0);
  check_close(summary_number(&env, "limits-unbounded", "\"certified\": ", NULL), 2, 0);
  check_close(summary_number(&env, "limits-unbounded", "\"strain_max\": ", NULL), 6 / 5.5 - 1,
              1e-6);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "limits-unbounded/limits.csv", &t));
  const double *row = pl_table_data(t);
  check_close(row[pl_table_find(t, "certified_max")], 1, 0);
  row += pl_table_cols(t);
  assert_true(isinf(row[pl_table_find(t, "strain_max")]));
  check_close(row[pl_table_find(t, "certified_max")], 0, 0);
  pl_table_free(t);
}

// Chains and nets that are drawn on the bias close up across.
static void bias(void **state) {
  (void)state;
  static const char *const family[2] = {"chain", "link-net"};
  pl_env env;
  pl_env_init(&env);
  for (int f = 0; f < 2; f++) {
    char text[128], folder[64], path[96];
    pl_table *t;
    snprintf(folder, sizeof folder, "limits-bias-%d", f);
    snprintf(text, sizeof text,
             "interlocking: [{%s: {}}]\nanalyses: [limits: {directions: 4, starts: 1}]\n",
             family[f]);
    run(&env, folder, text, PL_OK);
    snprintf(path, sizeof path, "%s/limits.csv", folder);
    check_ok(&env, pl_table_read(&env, path, &t));
    int most = pl_table_find(t, "strain_max"), across = pl_table_find(t, "strain_across_max");
    int open = pl_table_find(t, "open_max"), least = pl_table_find(t, "strain_min");
    for (int i = 0; i < 4; i++) {
      const double *row = pl_table_data(t) + i * pl_table_cols(t);
      assert_true(isfinite(row[least]) && row[least] < 0);
      assert_true((row[open] != 0) == isinf(row[most]));
      if (i % 2) {
        check_close(row[open], PL_TAUT_SHRUNK, 0);
        check_close(row[across], -0.7, 1e-5);
      }
    }
    check_close(pl_table_data(t)[most], f ? 0.1 : 6 / 5.5 - 1, 1e-6);
    pl_table_free(t);
  }
}

// A net of loose rings crumples in ways that no ray from rest follows.
static void past_rays(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-past",
      "interlocking: [{japanese: {}}]\nanalyses: [limits: {directions: 7, boundary: 1}]\n", PL_OK);
  check_less(0, summary_number(&env, "limits-past", "\"past_rays\": ", NULL));
}

// Bending: limits and folds.
static void bending(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-bending",
      "interlocking: [{torus-knot: {}}, {four-in-one: {}}]\nanalyses: [limits: {directions: 2, "
      "starts: 1, bending: yes}, limits: {of: four-in-one, directions: 1, bending: yes}]\n",
      PL_OK);
  check_close(summary_number(&env, "limits-bending", "\"curvature_up_max\": ", NULL), 107.59, 0.1);
  check_close(summary_number(&env, "limits-bending", "\"folds\": ", NULL), 0, 0);
  check_close(summary_number(&env, "limits-bending", "\"four-in-one\"", "\"folds\": ", NULL), 2, 0);
  check_less(summary_number(&env, "limits-bending", "\"fold_radius\": ", NULL), 0.01);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "limits-bending/limits-bending.csv", &t));
  assert_int_equal(pl_table_rows(t), 2);
  const double *row = pl_table_data(t);
  check_close(row[pl_table_find(t, "curvature_down")], -107.59, 0.1);
  pl_table_free(t);
}

// Double curvature of a disk: along angles, and rays of all kinds.
static void patch(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  run(&env, "limits-patch",
      "interlocking: [{threefold: {height: 0.95 mm, arm_height: 0.95 mm}}]\nanalyses: [limits: "
      "{directions: 2, starts: 1, patch: 3, patch_boundary: 1}]\n",
      PL_OK);
  double most = summary_number(&env, "limits-patch", "\"patch_curvature_up_max\": ", NULL);
  check_close(summary_number(&env, "limits-patch", "\"patch_unsolved_rays\": ", NULL), 0, 0);
  pl_table *t;
  check_ok(&env, pl_table_read(&env, "limits-patch/limits-patch.csv", &t));
  assert_int_equal(pl_table_rows(t), 2);
  double largest = fmax(pl_table_data(t)[pl_table_find(t, "curvature_up")],
                        pl_table_data(t)[pl_table_cols(t) + pl_table_find(t, "curvature_up")]);
  check_close(largest, most, 1e-9);
  pl_table_free(t);
  check_ok(&env, pl_table_read(&env, "limits-patch/limits-patch-boundary.csv", &t));
  assert_int_equal(pl_table_rows(t), 12);
  assert_int_equal(pl_table_find(t, "curvature_xy"), 2);
  pl_table_free(t);
}

static int stop_later(void *ctx, const pl_progress *p) {
  (void)p;
  return --*(int *)ctx < 0;
}

static size_t file_size(pl_env *env, const char *path, char **text) {
  size_t n;
  check_ok(env, pl_file_read(env, path, 0, text, &n));
  return n;
}

// Stopped twice on the way and gone on with, the
// tables are those of a run without a stop, to the bit; another material is refused.
static void resumed(void **state) {
  (void)state;
  static const char *const file[] = {"limits.csv", "limits-boundary.csv", "limits-bending.csv"};
  static const int steps[2] = {60, 300};
  const char *text =
      "pliant: 1\ninterlocking: [{torus-knot: {}}]\nanalyses: [limits: {directions: 2, "
      "starts: 1, boundary: 1, bending: yes}]\n";
  const char *other = "pliant: 1\ninterlocking: [{torus-knot: {wire: 1.4 mm}}]\nanalyses: [limits: "
                      "{directions: 2, starts: 1, boundary: 1, bending: yes}]\n";
  pl_env env;
  pl_text t, u;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_init(&u, &env);
  pl_text_add(&t, "%s", text);
  pl_text_add(&u, "%s", other);
  check_ok(&env, run_scene_at(&env, "limits-whole", 0, &t));
  for (int k = 0; k < 2; k++) {
    int left = steps[k];
    env.progress = stop_later;
    env.progress_ctx = &left;
    check_status(&env, run_scene_at(&env, "limits-parts", k > 0, &t), PL_CANCELLED);
  }
  env.progress = NULL;
  check_status(&env, run_scene_at(&env, "limits-parts", 1, &u), PL_E_INPUT);
  check_ok(&env, run_scene_at(&env, "limits-parts", 1, &t));
  for (int k = 0; k < 3; k++) {
    char path[2][64], *data[2];
    size_t n[2];
    for (int i = 0; i < 2; i++) {
      snprintf(path[i], sizeof path[i], "limits-%s/%s", i ? "parts" : "whole", file[k]);
      n[i] = file_size(&env, path[i], &data[i]);
    }
    assert_true(n[0] == n[1] && memcmp(data[0], data[1], n[0]) == 0);
    for (int i = 0; i < 2; i++) pl_free(&env, data[i]);
  }
  pl_text_free(&t);
  pl_text_free(&u);
}

// Strain and curvature together take something of both limits; each limit has its state, contacts
// whose forces hold it, and a closed surface.
static void together(void **state) {
  (void)state;
  const char *folder = "limits-joint";
  pl_env env;
  pl_table *t;
  pl_env_init(&env);
  run(&env, folder,
      "interlocking: [{threefold: {height: 0.95 mm, arm_height: 0.95 mm}}]\nanalyses: [limits: "
      "{directions: 1, starts: 1, patch: 3, joint: 1, states: yes, boundary: 1}]\n",
      PL_OK);
  check_ok(&env, pl_table_read(&env, "limits-joint/limits-joint.csv", &t));
  assert_int_equal(pl_table_rows(t), 4);
  int part = pl_table_find(t, "fraction"), alone = pl_table_find(t, "fraction_strain_alone");
  for (int i = 0; i < 4; i++) {
    const double *row = pl_table_data(t) + i * pl_table_cols(t);
    check_less(0.5, row[part]);
    check_less(row[part], 0.95);
    check_close(row[alone], 1, 0.05);
    check_close(row[pl_table_find(t, "certified")], 1, 0);
  }
  // up and down are the same upside down
  check_close(pl_table_data(t)[part], pl_table_data(t)[2 * pl_table_cols(t) + part], 1e-4);
  pl_table_free(t);
  check_close(summary_number(&env, folder, "\"joint_links_changed\": ", NULL), 0, 0);
  check_less(0, summary_number(&env, folder, "\"joint_verified_gap\": ", NULL));
  check_close(summary_number(&env, folder, "\"open_edges\": ", NULL), 0, 0);
  check_close(summary_number(&env, folder, "\"inward_triangles\": ", NULL), 0, 0);
  check_ok(&env, pl_table_read(&env, "limits-joint/limits-states.csv", &t));
  assert_int_equal(pl_table_rows(t), 2); // one element, the longest and the shortest
  check_close(pl_table_data(t)[pl_table_cols(t) + pl_table_find(t, "side")], 1, 0);
  pl_table_free(t);
  check_ok(&env, pl_table_read(&env, "limits-joint/limits-boundary-contacts.csv", &t));
  check_less(12, pl_table_rows(t));
  pl_table_free(t);
}

// A chain of polygons falls short of 2 (R - r), the less the finer they are, which is told; by its
// keys it has no derivatives.
static void refined(void **state) {
  (void)state;
  pl_env env;
  pl_table *t;
  pl_env_init(&env);
  run(&env, "limits-facets",
      "interlocking: [{chain: {}, facets: {segments: 8, points: 6, turn: 0.5}}]\nanalyses: "
      "[limits: "
      "{directions: 1, starts: 1, refine: 1}]\n",
      PL_OK);
  check_ok(&env, pl_table_read(&env, "limits-facets/limits-refine.csv", &t));
  assert_int_equal(pl_table_rows(t), 3);
  int most = pl_table_find(t, "strain_max"), cols = pl_table_cols(t);
  const double *row = pl_table_data(t), limit = 6 / 5.5 - 1;
  check_close(row[2 * cols + most], limit, 1e-6);
  check_less(row[most], row[cols + most]);
  check_less(row[cols + most], limit + 1e-7);
  check_close(summary_number(&env, "limits-facets", "\"bias\": ", NULL), limit - row[most], 1e-6);
  pl_table_free(t);
}

int test_limits(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(figures),         cmocka_unit_test(own),
                                     cmocka_unit_test(frames),          cmocka_unit_test(beside),
                                     cmocka_unit_test(measured),        cmocka_unit_test(gradients),
                                     cmocka_unit_test(bending),         cmocka_unit_test(patch),
                                     cmocka_unit_test(unbounded),       cmocka_unit_test(bias),
                                     cmocka_unit_test(past_rays),       cmocka_unit_test(symmetric),
                                     cmocka_unit_test(as_in_the_paper), cmocka_unit_test(sweep),
                                     cmocka_unit_test(resumed),         cmocka_unit_test(together),
                                     cmocka_unit_test(refined)};
  return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
