// What a reader of a report sees: titles that say something new, scales from zero, no rounding.
#include "run_scene.h"

#define FOLDER "test_report.results"

static pl_env env;

static char *report_of(const char *text) {
  char *html;
  size_t size;
  pl_text t;
  pl_env_init(&env);
  pl_text_init(&t, &env);
  pl_text_add(&t, "%s", text);
  check_ok(&env, run_scene_at(&env, FOLDER, 0, &t));
  pl_text_free(&t);
  check_ok(&env, pl_file_read(&env, FOLDER "/report.html", 0, &html, &size));
  return html;
}

// no figure has the heading of its part for a title
static void check_titles(const char *html) {
  int n = 0;
  for (const char *at = html; (at = strstr(at, "<h2 id=")); at++, n++) {
    char want[128], *name = strchr(at, '>') + 1;
    snprintf(want, sizeof want, "%.*s</text>", (int)strcspn(name, "<"), name);
    for (const char *t = html; (t = strstr(t, "font-weight=\"600\"")); t++)
      if (strncmp(strchr(t, '>') + 1, want, strlen(want)) == 0)
        fail_msg("a figure repeats the heading %s", want);
  }
  assert_true(n > 3);
}

static void titles_of_cloth(void **state) {
  (void)state;
  char *html = report_of(
      "pliant: 1\nmaterials: {m: {young: 50 kPa, poisson: 0, density: 300}}\n"
      "bodies: [{name: b, shell: {mesh: {grid: {size: [0.2, 1], cells: [2, 6], pattern: "
      "alternating}}, rotate: {axis: [1, 0, 0], angle: -90 deg}, material: m, thickness: 1 mm, "
      "limit: {stretch: 1 %}}}]\nfixed: b group bottom\ngravity: [0, 0, -9.81]\n"
      "output: {vtu: no, glb: no}\n"
      "analyses: [drape, {transient: {about: drape, duration: 20 ms, step: 10 ms, method: "
      "project}}]\n");
  check_titles(html);
  pl_free(&env, html);
}

// a cube on its bottom: reactions are its weight, the rest is rounding
static void titles_and_reactions(void **state) {
  (void)state;
  char *html = report_of("pliant: 1\nmaterials: {m: {young: 1 MPa, poisson: 0.3, density: 1000}}\n"
                         "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: "
                         "{size: [0.1, 0.1, 0.1], cells: "
                         "[2, 2, 2]}}, material: m}}]\n"
                         "fixed: b group bottom\ngravity: [0, 0, -10]\ndamping: {mass: 1}\n"
                         "loads: [{nodes: b group top, total: [1 N, 0, 0], harmonic: 1}]\n"
                         "watch: {top: 'b nearest [0, 0, 0.1]'}\noutput: {vtu: no, glb: no}\n"
                         "analyses: [static, {modes: {count: 1}}, {periodic: {frequency: 1 Hz, "
                         "harmonics: 1}}]\n");
  check_titles(html);
  assert_non_null(strstr(html, ">0, 0, 10</td>"));
  assert_non_null(strstr(html, ">0, 0, 0</td>"));
  pl_free(&env, html);
}

// a block that moves as a whole has one colour on a scale from 0
static void scale_from_zero(void **state) {
  (void)state;
  char *html = report_of("pliant: 1\nmaterials: {m: {young: 1 MPa, density: 1000}}\n"
                         "bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: "
                         "{size: [0.1, 0.1, 0.1], cells: "
                         "[1, 1, 1]}}, material: m}}]\n"
                         "gravity: [0, 0, -10]\noutput: {vtu: no, glb: no}\n"
                         "analyses: [{transient: {duration: 0.2 s, step: 20 ms}}]\n");
  assert_non_null(strstr(html, "displacement (m"));
  assert_null(strstr(html, "displacement \xe2\x88\x92"));
  pl_free(&env, html);
}

int test_report(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(titles_of_cloth),
      cmocka_unit_test(titles_and_reactions),
      cmocka_unit_test(scale_from_zero),
  };
  return cmocka_run_group_tests_name("job.report", tests, NULL, NULL);
}
