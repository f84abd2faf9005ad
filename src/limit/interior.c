// One iteration of the interior-point method, for any smooth part of the objective.
#include "program.h"

#include <string.h>

static double shorter(double step) {
  return fmin(1, 0.99 * step);
}

// the whole step along dx, if it ends all
static int ended(program *p, const smooth *f, multipliers z, const double *dx, double *a) {
  if (!f->ends || !f->ends(f->ctx, z, dx)) return 0;
  program_move(p, *a = 1, z == PREDICTED);
  return 1;
}

pl_status interior_step(program *p, const smooth *f, int correct, double gap, double least, int n,
                        double *dx, double *ddx, double *a) {
  PL_TRY(f->factorise(f->ctx));
  // solves of large sheets take as long again
  PL_TRY(pl_report_progress(p->env, NULL, -1, NULL));
  PL_TRY(f->direction(f->ctx, 1, dx));
  partial ahead = program_predict(p, dx);
  if (ended(p, f, PREDICTED, dx, a)) return PL_OK;
  // where limits bend by more than there is room, straight steps and their correction mean nothing:
  // look ahead only as far as they do
  double far = 1 / sqrt(fmax(1, 2 * ahead.rp)), step_length = fmin(far, ahead.step);
  p->second = far * far;
  double after = gap + step_length * (ahead.gap + step_length * ahead.rot);
  double ratio = fmin(fmax(after / gap, 0), 1);
  // bolder than Mehrotra's third power: the correction below makes up for it
  double centre = fmax(pow(ratio, 6), 1e-6),
         sigma_mu = fmax(centre * gap / program_ncone(p), least);
  program_correct(p, sigma_mu);
  PL_TRY(f->direction(f->ctx, 1, dx));
  *a = shorter(program_step(p, dx).step);
  if (ended(p, f, STEPPED, dx, a)) return PL_OK;
  int corrected = 0;
  if (correct && *a < 0.97) {
    program_gondzio(p, sigma_mu, fmin(1, 1.5 * *a + 0.3));
    PL_TRY(f->direction(f->ctx, 0, ddx));
    double longer = shorter(program_try(p, ddx).step);
    corrected = longer > *a;
    if (corrected) {
      *a = longer;
      for (int i = 0; i < n; i++) dx[i] += ddx[i];
    }
  }
  program_move(p, *a, corrected);
  return PL_OK;
}

// Slacks begin as far inside as the worst triangle is outside, multipliers at what brings a sheet
// of this size back: with less, strongly stretched states jam.
void interior_begin(program *p, const double *x, double further, int warm_start) {
  double worst = fmax(0, program_worst(p, x)), margin = fmax(worst, 0.01) * further;
  program_begin(p, x, margin, p->length * p->edge * (worst + 1e-3) * further, warm_start);
}

void interior_keep(const program *p, pl_warm_start *w) {
  const pl_sheet *s = p->sheet;
  for (int k = 0; k < s->nround; k++) {
    const round_cone *c = &p->round[p->round_at[k] / LANES];
    for (int e = 0; e < 3; e++) w->dual[3 * k + e] = c->z[e][p->round_at[k] % LANES];
  }
  for (int k = 0; k < s->nflat; k++)
    w->dual[3 * (s->nround + k)] = p->flat[p->flat_at[k] / LANES].z[p->flat_at[k] % LANES];
}

void interior_recall(program *p, const pl_warm_start *w) {
  const pl_sheet *s = p->sheet;
  for (int k = 0; k < s->nround; k++) {
    round_cone *c = &p->round[p->round_at[k] / LANES];
    for (int e = 0; e < 3; e++) c->z[e][p->round_at[k] % LANES] = w->dual[3 * k + e];
  }
  for (int k = 0; k < s->nflat; k++)
    p->flat[p->flat_at[k] / LANES].z[p->flat_at[k] % LANES] = w->dual[3 * (s->nround + k)];
}

// ---- results ------------------------------------------------------------------------------------

// triangles at their limit, and what barriers hold
static void count_active(const program *p, pl_project_info *info) {
  for (int i = 0; i < p->nt; i++) {
    int active = 0;
    for (int k = p->round_ptr[i]; k < p->round_ptr[i + 1]; k++) {
      const round_cone *c = &p->round[p->round_at[k] / LANES];
      int l = p->round_at[k] % LANES;
      double s[3] = {c->s[0][l], c->s[1][l], c->s[2][l]},
             z[3] = {c->z[0][l], c->z[1][l], c->z[2][l]};
      active |= (s[0] - cone_norm(s)) * p->length * p->edge < z[0] + cone_norm(z);
    }
    for (int k = p->flat_ptr[i]; k < p->flat_ptr[i + 1]; k++) {
      const flat_cone *c = &p->flat[p->flat_at[k] / LANES];
      int l = p->flat_at[k] % LANES;
      active |= c->s[l] * p->length * p->edge < c->z[l];
    }
    info->nactive += active;
  }
}

static void fill_walls(program *p, pl_project_info *info) {
  for (int i = 0; i < p->nwall; i++) {
    pl_contact_row *w = &p->wall[i];
    const wall_cone *c = &p->cone[i];
    double f = p->scale / p->edge, slack = c->s[0] - (c->size == 3 ? cone_norm(c->s) : 0);
    w->force[0] = f * c->z[0];
    w->force[1] = c->size == 3 ? f * w->mu * c->z[1] : 0;
    w->force[2] = c->size == 3 ? f * w->mu * c->z[2] : 0;
    int closed = slack * p->length * p->edge < c->z[0];
    // sliding: the tangential force is at the edge of its cone
    int slides = c->size == 3 &&
                 (c->z[0] - cone_norm(c->z)) < (c->s[0] - cone_norm(c->s)) + 1e-3 * c->z[0] &&
                 c->slip > 1e-7 * p->edge;
    w->status = !closed ? PL_OPEN : slides || w->mu <= 0 ? PL_SLIP : PL_STICK;
    if (!closed) memset(w->force, 0, sizeof w->force);
    info->nbarrier += closed;
  }
}

void program_results(program *p, pl_project_info *info) {
  count_active(p, info);
  fill_walls(p, info);
}
