// What limits of interlocking materials leave for sheets of them, kept for macro.
#include "job_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

struct sheet_kept {
  int made;
  pl_sheet_material m;
  char why[PL_TEXT]; // there is none
};

static struct sheet_kept *slot(job *j, int index) {
  if (!j->sheets) j->sheets = pl_alloc(j->env, (size_t)j->scene->nanalysis, sizeof *j->sheets);
  return j->sheets ? &j->sheets[index] : NULL;
}

pl_status job_sheet_keep(job *j, int index, pl_sheet_material *m) {
  struct sheet_kept *k = slot(j, index);
  if (!k) {
    pl_sheet_material_free(j->env, m);
    return PL_E_NOMEM;
  }
  k->m = *m;
  k->made = 1;
  *m = (pl_sheet_material){0};
  return PL_OK;
}

pl_status job_sheet_lacks(job *j, int index, const char *fmt, ...) {
  struct sheet_kept *k = slot(j, index);
  va_list args;
  if (!k) return PL_E_NOMEM;
  va_start(args, fmt);
  vsnprintf(k->why, sizeof k->why, fmt, args);
  va_end(args);
  return PL_OK;
}

const pl_sheet_material *job_sheet_kept(const job *j, int index, const char **why) {
  *why = j->sheets ? j->sheets[index].why : "";
  return j->sheets && j->sheets[index].made ? &j->sheets[index].m : NULL;
}

pl_status job_sheet_resume(job *j, int macro) {
  const pl_analysis *a = &j->scene->analysis[macro];
  int limits = job_source(a);
  char path[PL_TEXT];
  pl_sheet_material m;
  if (!j->opts->resume || a->kind != PL_ANALYSIS_macro || limits < 0) return PL_OK;
  job_path(j, j->scene->analysis[limits].name, ".material", path);
  if (access(path, R_OK) != 0) return PL_OK;
  PL_TRY(pl_sheet_material_read(j->env, path, &m));
  const pl_mail *of = j->scene->mail[j->scene->patch[a->patch].mail].m;
  if (m.fingerprint == pl_mail_fingerprint(of)) return job_sheet_keep(j, limits, &m);
  pl_sheet_material_free(j->env, &m);
  return PL_OK;
}

void job_sheets_free(job *j) {
  for (int k = 0; j->sheets && k < j->scene->nanalysis; k++)
    pl_sheet_material_free(j->env, &j->sheets[k].m);
  pl_free(j->env, j->sheets);
  j->sheets = NULL;
}
