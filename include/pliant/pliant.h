#ifndef PLIANT_PLIANT_H
#define PLIANT_PLIANT_H

// Everything, for users of the library. The library's own files include layer headers.
#include "pliant/base.h"
#include "pliant/build.h"
#include "pliant/contact.h"
#include "pliant/design.h"
#include "pliant/element.h"
#include "pliant/facade.h"
#include "pliant/harmonic.h"
#include "pliant/interlock.h"
#include "pliant/job.h"
#include "pliant/limit.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/recover.h"
#include "pliant/report.h"
#include "pliant/scene.h"
#include "pliant/solve.h"
#include "pliant/sparse.h"
#include "pliant/studio.h"
#include "pliant/study.h"
#include "pliant/validate.h"
#include "pliant/version.h"

#endif
