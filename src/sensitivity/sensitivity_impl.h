#ifndef SENSITIVITY_IMPL_H
#define SENSITIVITY_IMPL_H

#include "pliant/sensitivity.h"

#include <jansson.h>

// sensitivity.csv and report.html in a folder.
pl_status sensitivity_files(const pl_scene *scene, const char *folder, pl_sensitivity *s);

#endif
