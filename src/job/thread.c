// A job in a thread of its own.
#include "pliant/job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct pl_job {
  pl_env host; // of who starts and waits
  pl_env env;  // the same for the job, with a progress that can be cancelled
  const pl_scene *scene;
  pl_job_opts opts;
  pl_job_result result;
  pl_status status;
  pthread_t thread;
  int started;
  atomic_int cancel;
};

static int progress(void *ctx, const pl_progress *p) {
  pl_job *j = ctx;
  if (atomic_load(&j->cancel)) return 1;
  return j->host.progress ? j->host.progress(j->host.progress_ctx, p) : 0;
}

pl_status pl_job_create(const pl_env *host, const pl_scene *scene, const pl_job_opts *opts,
                        pl_job **out) {
  pl_env env = *host;
  *out = NULL;
  pl_job *j = pl_alloc(&env, 1, sizeof *j);
  if (!j) return PL_E_NOMEM;
  j->host = j->env = env;
  j->env.progress = progress;
  j->env.progress_ctx = j;
  j->scene = scene;
  j->opts = *opts;
  *out = j;
  return PL_OK;
}

static void *run(void *ctx) {
  pl_job *j = ctx;
  pl_leave_signals();
  j->status = pl_job_run(&j->env, j->scene, &j->opts, &j->result);
  return NULL;
}

pl_status pl_job_start(pl_job *j) {
  if (j->started) return pl_fail(&j->host, PL_E_ARG, "the job was started already");
  if (pthread_create(&j->thread, NULL, run, j) != 0)
    return pl_fail(&j->host, PL_E_NOMEM, "a thread for the job could not be made");
  j->started = 1;
  return PL_OK;
}

void pl_job_cancel(pl_job *j) {
  atomic_store(&j->cancel, 1);
}

pl_status pl_job_wait(pl_job *j, pl_job_result *result) {
  if (!j->started) return pl_fail(&j->host, PL_E_ARG, "the job was not started");
  if (j->started == 1) pthread_join(j->thread, NULL);
  j->started = 2;
  if (result) *result = j->result;
  return j->status;
}

void pl_job_free(pl_job *j) {
  if (!j) return;
  if (j->started == 1) {
    pl_job_cancel(j);
    pl_job_wait(j, NULL);
  }
  pl_env env = j->host;
  pl_free(&env, j);
}
