#ifndef GALLERY_H
#define GALLERY_H

#include "studio_impl.h"

// Writes a scene of the gallery and its files into NAME of the opened folder; what of it is there
// already stays as it is. 0: f says why not.
int gallery_copy(studio *s, const char *name, failure *f);
// The picture NAME.webp, valid until the studio stops; NULL: there is none.
const char *gallery_picture(studio *s, const char *path, size_t *n);

#endif
