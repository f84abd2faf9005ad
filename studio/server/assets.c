// The page and the gallery, compiled in: files that the build made, gzipped.
#include "server_impl.h"

#include <string.h>

// PAGE is the folder of the page's files, GALLERY the archive
#define FILE_IN(symbol, file)                                                                      \
  __asm__(".section .rodata\n"                                                                     \
          ".balign 16\n"                                                                           \
          "pl_studio_" symbol ":\n"                                                                \
          ".incbin \"" file "\"\n"                                                                 \
          "pl_studio_" symbol "_end:\n"                                                            \
          ".byte 0\n"                                                                              \
          ".text\n");
#define BYTES(symbol)                                                                              \
  extern const unsigned char symbol[] __asm__("pl_studio_" #symbol);                               \
  extern const unsigned char symbol##_end[] __asm__("pl_studio_" #symbol "_end");

FILE_IN("page", PAGE "/index.html.gz")
FILE_IN("script", PAGE "/app.js.gz")
FILE_IN("style", PAGE "/app.css.gz")
FILE_IN("icon", PAGE "/icon.svg.gz")
FILE_IN("scenes", GALLERY)
BYTES(page)
BYTES(script)
BYTES(style)
BYTES(icon)
BYTES(scenes)

static const asset assets[] = {
    {"/", "text/html; charset=utf-8", page, page_end},
    {"/app.js", "text/javascript; charset=utf-8", script, script_end},
    {"/app.css", "text/css; charset=utf-8", style, style_end},
    {"/icon.svg", "image/svg+xml", icon, icon_end},
};

const asset asset_gallery = {"", "application/x-tar", scenes, scenes_end};

const asset *asset_find(const char *path) {
  for (size_t k = 0; k < sizeof assets / sizeof assets[0]; k++)
    if (strcmp(assets[k].path, path) == 0) return &assets[k];
  return NULL;
}
