// The script that plays motions in a page, compiled in: cmake/StudioPage.cmake makes it.
#include "report_impl.h"

#ifdef PLAYER
__asm__(".section .rodata\n"
        ".balign 16\n"
        "pl_player:\n"
        ".incbin \"" PLAYER "\"\n"
        "pl_player_end:\n"
        ".byte 0\n"
        ".text\n");
extern const unsigned char begin[] __asm__("pl_player");
extern const unsigned char end[] __asm__("pl_player_end");

const unsigned char *rp_player(size_t *n) {
  *n = (size_t)(end - begin);
  // an empty file, gzipped: npm was not there
  return *n > 100 ? begin : NULL;
}
#else
const unsigned char *rp_player(size_t *n) {
  *n = 0;
  return NULL;
}
#endif
