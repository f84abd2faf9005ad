#include "report_impl.h"
#include "pliant/version.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

struct pl_page {
  pl_env *env;
  char *title;
  int nheading, nsection;
  pl_text origin, key, notices, body, contents;
  int nmesh, mesh_cap;
  unsigned long (*mesh)[2]; // checksums of meshes that motions name
};

// pictures are drawn for white paper; on dark screens the classes below turn them
static const char style[] =
    ":root{color-scheme:light dark;--back:#fff;--ink:#20262d;--mute:#5b6570;--line:#dfe3e8;"
    "--soft:#f5f7f9;--link:#0b63a5;--warn:#8a5300;--warn-back:#fff6e5;--warn-line:#e09a00;"
    "--alarm:#a11212;--alarm-back:#fdecec;--alarm-line:#d02020}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--back);color:var(--ink);font:16px/1.6 Inter,system-ui,"
    "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'Liberation Sans',sans-serif;"
    "overflow-wrap:anywhere}\n"
    "main{max-width:52rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}\n"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 1.2rem;letter-spacing:-.01em}\n"
    "h2{font-size:1.35rem;line-height:1.3;margin:2.6rem 0 .8rem;padding-top:1rem;"
    "border-top:1px solid var(--line)}\n"
    "h3{font-size:1.1rem;margin:1.8rem 0 .5rem}\n"
    "h4,h5,h6{font-size:1rem;margin:1.4rem 0 .4rem}\n"
    "p{margin:.6rem 0;white-space:pre-line}\n"
    "a{color:var(--link)}\n"
    "nav ol{margin:0;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;"
    "font-size:.93rem}\n"
    "nav a{text-decoration:none}\nnav a:hover{text-decoration:underline}\n"
    ".origin{color:var(--mute);font-size:.85rem;margin:-.6rem 0 1rem}\n"
    ".key{margin:0 0 1.2rem;padding:.7rem 1rem .7rem "
    "2rem;background:var(--soft);border-radius:6px}\n"
    ".files a{display:inline-block;margin-right:.9rem}\n"
    "figure{margin:1.4rem 0;padding:0}\n"
    "figure svg{display:block;max-width:100%;height:auto;margin:0 auto;border-radius:6px}\n"
    "figcaption{margin:.5rem auto 0;max-width:44rem;text-align:center;color:var(--mute);"
    "font-size:.9rem;line-height:1.45}\n"
    ".scroll{overflow-x:auto;margin:1.1rem 0}\n"
    "table{border-collapse:collapse;font-size:.92rem;line-height:1.4}\n"
    "th,td{padding:.35rem .9rem .35rem 0;text-align:left;vertical-align:baseline;"
    "overflow-wrap:normal}\n"
    "th{font-weight:600;border-bottom:1.5px solid var(--mute);vertical-align:bottom}\n"
    "td{border-bottom:1px solid var(--line)}\n"
    ".n{text-align:right;font-variant-numeric:tabular-nums;padding-left:.9rem}\n"
    "td.n{white-space:nowrap}\n"
    ".warning{margin:1.1rem 0;padding:.7rem 1rem;border-left:4px solid var(--warn-line);"
    "border-radius:0 6px 6px 0;background:var(--warn-back);white-space:pre-line}\n"
    ".warning b{color:var(--warn);margin-right:.4em}\n"
    ".alarm{background:var(--alarm-back);border-left-color:var(--alarm-line)}\n"
    ".alarm b{color:var(--alarm)}\n"
    ".row{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(21rem,100%),1fr));"
    "gap:0 1.2rem;align-items:start;margin:1.4rem 0}\n.row figure{margin:.4rem 0}\n"
    "@media(min-width:80rem){.row{margin-left:-9rem;margin-right:-9rem}}\n"
    ".bar{display:block}\n.bar .t{fill:var(--line)}\n.bar .b{fill:none;stroke:var(--mute)}\n"
    ".bar .a{fill:var(--link)}\n.bar .m{stroke:var(--link);stroke-width:2}\n"
    "details{margin:1.1rem 0;border:1px solid var(--line);border-radius:6px}\n"
    "summary{cursor:pointer;padding:.45rem .9rem;color:var(--mute);font-size:.92rem}\n"
    "pre{margin:0;padding:.8rem .9rem;overflow-x:auto;border-top:1px solid var(--line);"
    "background:var(--soft);border-radius:0 0 6px 6px;font:13px/1.5 ui-monospace,SFMono-Regular,"
    "Menlo,Consolas,'Liberation Mono',monospace;tab-size:2}\n"
    "footer{margin-top:3.5rem;padding-top:.8rem;border-top:1px solid var(--line);"
    "color:var(--mute);font-size:.85rem}\n";

// dark screens, phones, paper
static const char media[] =
    "@media screen and (prefers-color-scheme:dark){\n"
    ":root{--back:#15181c;--ink:#e4e8ec;--mute:#9aa5b1;--line:#30363d;--soft:#1c2025;"
    "--link:#6cb6ff;--warn:#f0b64d;--warn-back:#2c2414;--warn-line:#c98a12;"
    "--alarm:#ff8f8f;--alarm-back:#341618;--alarm-line:#d04040}\n"
    ".pl-figure .pl-back{fill:#15181c}\n"
    ".pl-figure .pl-ink{fill:#e4e8ec}\n.pl-figure .pl-mute{fill:#9aa5b1}\n"
    ".pl-figure .pl-grid{stroke:#2a3037}\n.pl-figure .pl-axis{stroke:#6b7580}\n"
    ".pl-figure .pl-tool{stroke:#9aa5b1}\n.pl-figure .pl-tool[fill^='#']{fill:#9aa5b1}\n"
    ".pl-figure .pl-rim{stroke:#15181c}\n.pl-figure .pl-ghost{stroke:#8793a0}\n"
    ".pl-figure .pl-seg{stroke:#a9c1da}\n.pl-figure .pl-lone{fill:#a9c1da}\n"
    ".pl-figure .pl-joint{fill:#15181c;stroke:#a9c1da}\n"
    ".pl-figure .pl-edge{stroke:#0a0d11}\n"
    ".pl-figure .pl-s0{stroke:#4aa8e8}\n.pl-figure .pl-s1{stroke:#ff8b45}\n"
    ".pl-figure .pl-s2{stroke:#2fc79c}\n.pl-figure .pl-s3{stroke:#e58cc2}\n"
    ".pl-figure .pl-s4{stroke:#f3bb3f}\n.pl-figure .pl-s5{stroke:#8fd0f7}\n"
    ".pl-figure .pl-s6{stroke:#ab97ee}\n.pl-figure .pl-s7{stroke:#aab4bf}\n}\n"
    // letters in figures stay large enough on a phone; the figure scrolls instead
    "@media screen and (max-width:40rem){main{padding:1.2rem .8rem 3rem}h1{font-size:1.5rem}"
    "figure{overflow-x:auto}figure svg{width:100%;min-width:30rem;margin:0}"
    ".row{grid-template-columns:minmax(0,1fr)}}\n"
    "@media print{main{max-width:none;padding:0}body{font-size:10.5pt}nav{display:none}"
    "figure,tr,.warning{break-inside:avoid}h2,h3{break-after:avoid}a{color:inherit}}\n";

pl_status pl_page_create(pl_env *env, const char *title, pl_page **out) {
  *out = NULL;
  pl_page *p = pl_alloc(env, 1, sizeof *p);
  if (!p) return PL_E_NOMEM;
  p->env = env;
  pl_text_init(&p->body, env);
  pl_text_init(&p->contents, env);
  pl_text_init(&p->origin, env);
  pl_text_init(&p->key, env);
  pl_text_init(&p->notices, env);
  p->title = pl_strdup(env, title ? title : "");
  if (!p->title) {
    pl_page_free(p);
    return PL_E_NOMEM;
  }
  *out = p;
  return PL_OK;
}

void pl_page_free(pl_page *p) {
  if (!p) return;
  pl_text_free(&p->body);
  pl_text_free(&p->contents);
  pl_text_free(&p->origin);
  pl_text_free(&p->key);
  pl_text_free(&p->notices);
  pl_free(p->env, p->mesh);
  pl_free(p->env, p->title);
  pl_free(p->env, p);
}

void pl_page_heading(pl_page *p, int level, const char *text) {
  // the page's title is the one of the first level
  if (level < 2) level = 2;
  if (level > 6) level = 6;
  int n = ++p->nheading;
  pl_text_add(&p->body, "<h%d id=\"s%d\">", level, n);
  rp_escape(&p->body, text);
  pl_text_add(&p->body, "</h%d>\n", level);
  if (level > 2) return;
  p->nsection++;
  pl_text_add(&p->contents, "<li><a href=\"#s%d\">", n);
  rp_escape(&p->contents, text);
  rp_str(&p->contents, "</a></li>\n");
}

// formatted text with its escapes
static void put_formatted(pl_page *p, pl_text *t, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  char *s = n >= 0 ? pl_alloc(p->env, (size_t)n + 1, 1) : NULL;
  if (s) {
    vsnprintf(s, (size_t)n + 1, fmt, again);
    rp_escape(t, s);
  } else
    t->failed = 1;
  va_end(again);
  pl_free(p->env, s);
}

// an element that holds formatted text
static void put_element(pl_page *p, pl_text *t, const char *open, const char *close,
                        const char *fmt, va_list args) {
  rp_str(t, open);
  put_formatted(p, t, fmt, args);
  rp_str(t, close);
}

#define ELEMENT(name, where, open, close)                                                          \
  void name(pl_page *p, const char *fmt, ...) {                                                    \
    va_list args;                                                                                  \
    va_start(args, fmt);                                                                           \
    put_element(p, &p->where, open, close, fmt, args);                                             \
    va_end(args);                                                                                  \
  }
ELEMENT(pl_page_origin, origin, "<p class=\"origin\">", "</p>\n")
ELEMENT(pl_page_key, key, "<li>", "</li>\n")
ELEMENT(pl_page_text, body, "<p>", "</p>\n")
ELEMENT(pl_page_warning, body, "<div class=\"warning\" role=\"note\"><b>Warning</b> ", "</div>\n")
ELEMENT(pl_page_alarm, body,
        "<div class=\"warning alarm\" role=\"alert\"><b>Not to be trusted</b> ", "</div>\n")
ELEMENT(pl_page_top_warning, notices, "<div class=\"warning\" role=\"note\"><b>Warning</b> ",
        "</div>\n")
ELEMENT(pl_page_top_error, notices, "<div class=\"warning alarm\" role=\"alert\"><b>Error</b> ",
        "</div>\n")
#undef ELEMENT

void pl_page_row_begin(pl_page *p) {
  rp_str(&p->body, "<div class=\"row\">\n");
}

void pl_page_row_end(pl_page *p) {
  rp_str(&p->body, "</div>\n");
}

static void put_caption(pl_page *p, const char *caption) {
  if (!caption || !*caption) return;
  rp_str(&p->body, "<figcaption>");
  rp_escape(&p->body, caption);
  rp_str(&p->body, "</figcaption>\n");
}

void pl_page_figure(pl_page *p, const char *svg, const char *caption) {
  // a file's first line has no place inside a page
  if (svg && strncmp(svg, "<?xml", 5) == 0) svg = strstr(svg, "?>") ? strstr(svg, "?>") + 2 : svg;
  rp_str(&p->body, "<figure>\n");
  if (svg) rp_str(&p->body, svg);
  put_caption(p, caption);
  rp_str(&p->body, "</figure>\n");
}

// ---- motions ------------------------------------------------------------------------------------

// The script that unpacks the player and starts it. Without DecompressionStream pictures stay.
static const char starter[] =
    "<script>\n"
    "if (window.DecompressionStream) (async () => {\n"
    "  const text = document.getElementById('pl-player').textContent\n"
    "  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0))\n"
    "  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))\n"
    "  const script = document.createElement('script')\n"
    "  script.textContent = await new Response(stream).text()\n"
    "  document.head.append(script)\n"
    "})()\n"
    "</script>\n";

// Writes a mesh unless the page has it; name is what motions call it by.
static pl_status put_mesh(pl_page *p, const rp_played *played, char name[40]) {
  pl_text t;
  pl_text_init(&t, p->env);
  rp_played_mesh(played, &t);
  pl_status s = t.failed || !t.s ? PL_E_NOMEM : PL_OK;
  int k = 0;
  if (s == PL_OK) {
    const unsigned long sum[2] = {crc32(0, (const Bytef *)t.s, (uInt)t.n),
                                  adler32(1, (const Bytef *)t.s, (uInt)t.n)};
    snprintf(name, 40, "pl-mesh-%08lx%08lx", sum[0], sum[1]);
    while (k < p->nmesh && memcmp(p->mesh[k], sum, sizeof sum) != 0) k++;
    if (k == p->nmesh) s = pl_grow(p->env, &p->mesh, p->nmesh, &p->mesh_cap, sizeof *p->mesh);
    if (s == PL_OK && k == p->nmesh) {
      memcpy(p->mesh[p->nmesh++], sum, sizeof sum);
      pl_text_add(&p->body, "<script type=\"application/json\" id=\"%s\">", name);
      pl_text_put(&p->body, t.s, t.n);
      rp_str(&p->body, "</script>\n");
    }
  }
  pl_text_free(&t);
  return s;
}

static pl_status put_played(pl_page *p, const pl_moving *m) {
  rp_played played;
  char name[40];
  PL_TRY(rp_played_create(p->env, m, &played));
  pl_status s = put_mesh(p, &played, name);
  if (s == PL_OK) {
    rp_str(&p->body, "<script type=\"application/json\" class=\"pl-motion\">");
    s = rp_played_motion(&played, name, &p->body);
    rp_str(&p->body, "</script>\n");
  }
  rp_played_free(&played);
  return s;
}

pl_status pl_page_moving(pl_page *p, const pl_moving *m, const char *caption) {
  size_t n;
  rp_str(&p->body, "<figure>\n");
  PL_TRY(pl_moving_svg(&p->body, m));
  if (m->nframe > 1 && rp_player(&n)) PL_TRY(put_played(p, m));
  put_caption(p, caption);
  rp_str(&p->body, "</figure>\n");
  return PL_OK;
}

static void put_player(const pl_page *p, pl_text *out) {
  size_t n;
  const unsigned char *script = rp_player(&n);
  if (p->nmesh == 0 || !script) return;
  rp_str(out, "<script type=\"text/plain\" id=\"pl-player\">");
  rp_base64(out, script, n);
  rp_str(out, "</script>\n");
  rp_str(out, starter);
}

// ---- tables -------------------------------------------------------------------------------------

// 1 when all cells of a column below the header begin like numbers
static int is_numeric(int rows, int cols, const char *const *cells, int c) {
  int n = 0;
  for (int r = 1; r < rows; r++) {
    const char *s = cells[(size_t)r * (size_t)cols + c];
    if (!s || !*s) continue;
    if (strncmp(s, "\xe2\x88\x92", 3) == 0) s += 3;
    if (*s == '-' || *s == '+' || *s == '.') s++;
    if (!isdigit((unsigned char)*s) && strncmp(s, "nan", 3) != 0 && strncmp(s, "inf", 3) != 0)
      return 0;
    n++;
  }
  return n > 0;
}

void pl_page_grid(pl_page *p, int rows, int cols, const char *const *cells) {
  if (rows < 1 || cols < 1) return;
  char *numeric = pl_alloc(p->env, (size_t)cols, 1);
  if (!numeric) {
    p->body.failed = 1;
    return;
  }
  for (int c = 0; c < cols; c++) numeric[c] = (char)is_numeric(rows, cols, cells, c);
  rp_str(&p->body, "<div class=\"scroll\"><table>\n");
  for (int r = 0; r < rows; r++) {
    const char *tag = r == 0 ? "th" : "td";
    rp_str(&p->body, r == 0 ? "<thead><tr>" : r == 1 ? "<tbody>\n<tr>" : "<tr>");
    for (int c = 0; c < cols; c++) {
      pl_text_add(&p->body, "<%s%s>", tag, numeric[c] ? " class=\"n\"" : "");
      rp_escape(&p->body, cells[(size_t)r * (size_t)cols + c]);
      pl_text_add(&p->body, "</%s>", tag);
    }
    rp_str(&p->body, r == 0 ? "</tr></thead>\n" : "</tr>\n");
  }
  rp_str(&p->body, rows > 1 ? "</tbody></table></div>\n" : "</table></div>\n");
  pl_free(p->env, numeric);
}

// ---- bars -------------------------------------------------------------------------------------

enum { BAR_WIDTH = 150, BAR_HEIGHT = 16 };

// pixels from the left
static double bar_place(const pl_bar *b, double v) {
  double f = b->log && b->lo > 0 && v > 0 ? log(v / b->lo) / log(b->hi / b->lo)
                                          : (v - b->lo) / (b->hi - b->lo);
  return 6 + (BAR_WIDTH - 12) * fmin(fmax(f, 0), 1);
}

// a track between the bounds, a ring where it was, a dot where it is
static void put_bar(pl_text *t, const pl_bar *b) {
  if (!isfinite(b->lo) || !isfinite(b->hi) || !(b->lo < b->hi)) return;
  double x0 = bar_place(b, b->before), x1 = bar_place(b, b->after), y = BAR_HEIGHT / 2.0;
  pl_text_add(t,
              "<svg class=\"bar\" width=\"%d\" height=\"%d\"><rect class=\"t\" x=\"6\" y=\"6\" "
              "width=\"%d\" height=\"4\" rx=\"2\"/>",
              BAR_WIDTH, BAR_HEIGHT, BAR_WIDTH - 12);
  pl_text_add(t, "<line class=\"m\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x0, x1, y,
              y);
  pl_text_add(t, "<circle class=\"b\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>", x0, y);
  pl_text_add(t, "<circle class=\"a\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/></svg>", x1, y);
}

static void put_figure(pl_text *t, double v) {
  char text[64];
  rp_general(text, sizeof text, v, 5);
  pl_text_add(t, "<td class=\"n\">%s</td>", isfinite(v) ? text : "");
}

void pl_page_bars(pl_page *p, int n, const pl_bar *bar) {
  pl_text *t = &p->body;
  int notes = 0;
  for (int k = 0; k < n; k++) notes |= bar[k].note != NULL;
  rp_str(t, "<div class=\"scroll\"><table>\n<thead><tr><th></th><th>unit</th><th "
            "class=\"n\">min</th><th class=\"n\">before</th><th class=\"n\">after</th><th "
            "class=\"n\">max</th><th>within bounds</th>");
  rp_str(t, notes ? "<th></th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
  for (int k = 0; k < n; k++) {
    rp_str(t, "<tr><td>");
    rp_escape(t, bar[k].name);
    rp_str(t, "</td><td>");
    rp_escape(t, bar[k].unit);
    rp_str(t, "</td>");
    put_figure(t, bar[k].lo);
    put_figure(t, bar[k].before);
    put_figure(t, bar[k].after);
    put_figure(t, bar[k].hi);
    rp_str(t, "<td>");
    put_bar(t, &bar[k]);
    rp_str(t, "</td>");
    if (notes) rp_str(t, "<td>");
    if (notes && bar[k].note) rp_escape(t, bar[k].note);
    rp_str(t, notes ? "</td></tr>\n" : "</tr>\n");
  }
  rp_str(t, "</tbody></table></div>\n");
}

// a file's name as an address: all but plain letters by their codes
static void put_address(pl_text *t, const char *name) {
  for (const unsigned char *c = (const unsigned char *)name; *c; c++)
    if (isalnum(*c) || strchr("-._~/", *c))
      pl_text_add(t, "%c", *c);
    else
      pl_text_add(t, "%%%02X", *c);
}

void pl_page_files(pl_page *p, int n, const char *const *name) {
  rp_str(&p->body, "<p class=\"files\">");
  for (int k = 0; k < n; k++) {
    rp_str(&p->body, k > 0 ? " <a href=\"" : "<a href=\"");
    put_address(&p->body, name[k]);
    rp_str(&p->body, "\">");
    rp_escape(&p->body, name[k]);
    rp_str(&p->body, "</a>");
  }
  rp_str(&p->body, "</p>\n");
}

void pl_page_code(pl_page *p, const char *text) {
  size_t n = strlen(text);
  int lines = n > 0 && text[n - 1] != '\n';
  for (size_t k = 0; k < n; k++) lines += text[k] == '\n';
  pl_text_add(&p->body, "<details><summary>Show %d %s</summary><pre><code>", lines,
              pl_plural(lines, "line", "lines"));
  rp_escape(&p->body, text);
  rp_str(&p->body, "</code></pre></details>\n");
}

pl_status pl_page_html(pl_page *p, pl_text *out) {
  rp_str(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
              "<title>");
  rp_escape(out, p->title);
  rp_str(out, "</title>\n<style>\n");
  rp_str(out, style);
  rp_str(out, media);
  rp_str(out, "</style>\n</head>\n<body>\n<main>\n<h1>");
  rp_escape(out, p->title);
  rp_str(out, "</h1>\n");
  if (p->origin.s) pl_text_put(out, p->origin.s, p->origin.n);
  if (p->key.s) {
    rp_str(out, "<ul class=\"key\">\n");
    pl_text_put(out, p->key.s, p->key.n);
    rp_str(out, "</ul>\n");
  }
  if (p->notices.s) pl_text_put(out, p->notices.s, p->notices.n);
  // a list of contents is worth its room from four sections on
  if (p->nsection > 3 && p->contents.s) {
    rp_str(out, "<nav><ol>\n");
    pl_text_put(out, p->contents.s, p->contents.n);
    rp_str(out, "</ol></nav>\n");
  }
  if (p->body.s) pl_text_put(out, p->body.s, p->body.n);
  rp_str(out, "<footer>Made by pliant " PL_VERSION ". Everything is in this file.</footer>\n"
              "</main>\n");
  put_player(p, out);
  rp_str(out, "</body>\n</html>\n");
  int failed = p->body.failed || p->contents.failed || p->origin.failed || p->key.failed ||
               p->notices.failed || out->failed;
  return failed ? PL_E_NOMEM : PL_OK;
}

pl_status pl_page_write(pl_page *p, const char *path) {
  pl_text out;
  pl_text_init(&out, p->env);
  pl_status s = pl_page_html(p, &out);
  if (s == PL_OK) s = pl_file_write(p->env, path, out.s, out.n);
  pl_text_free(&out);
  return s;
}
