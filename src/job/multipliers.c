// Floquet multipliers of the points of a curve as a table.
#include "run_orbit.h"

#include "pliant/math.h"

#include <math.h>

pl_status multipliers_table(job *j, const pl_curve *c, pl_table **out) {
  static const table_column column[] = {{"point", ""}, {"frequency", "Hz"}, {"omega", "rad/s"},
                                        {"rank", ""},  {"real", ""},        {"imag", ""},
                                        {"size", ""}};
  enum { COLUMNS = sizeof column / sizeof column[0] };
  PL_TRY(job_table_open(j, COLUMNS, column, out));
  for (int i = 0; i < c->npoint; i++) {
    const pl_curve_point *p = &c->point[i];
    const pl_leading *l = &p->leading;
    for (int k = 0; k < l->n; k++) {
      double omega = orbit_drive(p->orbit);
      double row[COLUMNS] = {i, omega / (2 * PL_PI), omega, k + 1};
      row[4] = l->re[k];
      row[5] = l->im[k];
      row[6] = hypot(l->re[k], l->im[k]);
      PL_TRY(pl_table_row(*out, row));
    }
  }
  return PL_OK;
}
