#include "check.h"
#include "pliant/report.h"

#include <stdlib.h>

#include "xml.h"

static const char *const file = "test_report_page.tmp.html";

static pl_status make(pl_env *env, void *ctx) {
  (void)ctx;
  pl_page *p = NULL;
  pl_status s = pl_page_create(env, "Strip <1> & \"2\"", &p);
  if (s != PL_OK) return s;
  const char *cells[] = {"name", "value", "a<b", "−1.5", "b", "12", "c", NULL};
  const char *beside[] = {"a b&c.csv", "film.glb"};
  pl_page_origin(p, "made <today>");
  pl_page_key(p, "tip moves by %d mm & more", 4);
  pl_page_files(p, 2, beside);
  pl_page_heading(p, 1, "One");
  pl_page_text(p, "%d%% of <it> \xff", 50);
  pl_page_warning(p, "mind %s", "the gap & more");
  pl_page_heading(p, 2, "Two");
  pl_page_grid(p, 4, 2, cells);
  pl_page_heading(p, 3, "Three");
  pl_page_code(p, "a: <b>\nc: d\n");
  pl_page_heading(p, 2, "Four & five");
  pl_page_heading(p, 9, "Deep");
  double x[] = {0, 1};
  pl_series line = {.name = "s", .n = 2, .x = x, .y = x, .colour = -1};
  pl_text svg;
  pl_text_init(&svg, env);
  s = pl_plot_svg(&svg, &(pl_plot){.title = "plot", .nseries = 1, .series = &line});
  if (s == PL_OK) pl_page_figure(p, svg.s, "A <caption>");
  pl_page_heading(p, 2, "Last");
  pl_page_top_error(p, "went wrong");
  pl_page_top_warning(p, "coarse & so");
  if (s == PL_OK) s = pl_page_write(p, file);
  pl_text_free(&svg);
  pl_page_free(p);
  return s;
}

static void whole_page(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  check_ok(&env, make(&env, NULL));
  char *html;
  size_t size;
  check_ok(&env, pl_file_read(&env, file, 0, &html, &size));
  const char *wrong = xml_wrong(html);
  if (wrong) fail_msg("not well-formed: %s", wrong);
  assert_non_null(strstr(html, "<title>Strip &lt;1&gt; &amp; &quot;2&quot;</title>"));
  assert_non_null(strstr(html, "50% of &lt;it&gt; \xef\xbf\xbd</p>"));
  assert_non_null(strstr(html, "mind the gap &amp; more</div>"));
  assert_non_null(strstr(html, "<td class=\"n\">−1.5</td>"));
  assert_non_null(strstr(html, "<td>a&lt;b</td>"));
  assert_non_null(strstr(html, "<summary>Show 2 lines</summary>"));
  assert_non_null(strstr(html, "<h6 id=\"s5\">Deep</h6>"));
  // four sections make a list of contents
  assert_int_equal(xml_count(html, "<li><a"), 4);
  assert_non_null(strstr(html, "href=\"#s4\">Four &amp; five</a>"));
  // nothing comes from outside: the only address is the name of the SVG language
  assert_int_equal(xml_count(html, "//"), xml_count(html, "http://www.w3.org/2000/svg"));
  assert_null(strstr(html, "url("));
  // key figures come before everything else
  const char *key = strstr(html, "<li>tip moves by 4 mm &amp; more</li>");
  assert_non_null(key);
  assert_true(key < strstr(html, "<nav>") && key > strstr(html, "made &lt;today&gt;"));
  assert_non_null(strstr(html, "<a href=\"a%20b%26c.csv\">a b&amp;c.csv</a>"));
  // so do warnings and errors of the whole page, whenever they came
  const char *error = strstr(html, "<b>Error</b> went wrong");
  const char *warning = strstr(html, "<b>Warning</b> coarse &amp; so");
  assert_true(error && error > key && error < strstr(html, "<nav>"));
  assert_true(warning && warning > key && warning < strstr(html, "<nav>"));
  assert_null(strstr(html, "<script"));
  pl_free(&env, html);
  remove(file);
}

static void failing_allocator(void **state) {
  (void)state;
  check_allocations(make, NULL);
  remove(file);
}

static void bad_folder(void **state) {
  (void)state;
  pl_env env;
  pl_env_init(&env);
  pl_page *p;
  check_ok(&env, pl_page_create(&env, "x", &p));
  check_status(&env, pl_page_write(p, "no/such/folder/x.html"), PL_E_IO);
  pl_page_free(p);
}

int test_page(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_page),
      cmocka_unit_test(failing_allocator),
      cmocka_unit_test(bad_folder),
  };
  return cmocka_run_group_tests_name("report.page", tests, NULL, NULL);
}
