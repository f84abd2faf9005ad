// Floquet multipliers of the points of a curve as a table.
#include "run_orbit.h"

#include "pliant/math.h"

#include <math.h>

pl_status multipliers_table(job *j, const pl_curve *c, pl_table **out) {
  static const char *const names[] = {"point", "frequency", "omega", "rank",
                                      "real",  "imag",      "size"};
  static const char *const units[] = {"", "Hz", "rad/s", "", "", "", ""};
  enum { COLUMNS = sizeof names / sizeof names[0] };
  PL_TRY(pl_table_create(j->env, COLUMNS, out));
  for (int k = 0; k < COLUMNS; k++) PL_TRY(pl_table_column(*out, k, names[k], units[k]));
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
