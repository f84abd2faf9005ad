// What the files of the server share.
#ifndef STUDIO_IMPL_H
#define STUDIO_IMPL_H

#include "pliant/studio.h"

#include <jansson.h>
#include <stdint.h>

struct pl_scene;
struct pl_orbit;
struct pl_solids;
struct pl_model;
struct pl_params;

typedef struct pl_studio studio;

enum { TOKEN_SIZE = 33, MESSAGE_MAX = 1 << 20, FILE_MAX = 256 << 20 };

// Everything that one server holds. Parts fill their own pointer and are not looked into.
struct pl_studio {
  pl_env host;             // of who started it: for threads, by studio_env
  char *folder;            // absolute
  char *scene, *results;   // paths below folder, or NULL
  int folder_fd;           // what file_read and file_write begin at
  int threads, processors; // of jobs; of the machine
  int any_host;            // listens at all addresses
  char token[TOKEN_SIZE];  // who has it may do everything
  char nonce[TOKEN_SIZE];  // of style elements that the page may add
  char name[64];           // ADDRESS:PORT, as Host must say
  char address[PL_TEXT];   // with the token
  int stopping;            // atomic
  struct http *http;       // http.h
  struct store *store;     // data.c
  struct gallery *gallery; // gallery.c
  struct uploads *uploads; // upload.c
  struct clients *clients; // client.c
  struct worker *worker;   // dispatch.c
  struct runs *runs;       // each by its create and free in `parts` of server.c
  struct models *models;
  struct explorations *explorations;
  struct journal *journal;
};

// A studio that listens to nobody, for pl_studio_stop.
pl_status studio_make(pl_env *env, const pl_studio_opts *o, studio **out);
// An environment for the calling thread: silent, and what runs with it ends when the studio stops.
pl_env studio_env(studio *s);
int studio_stopping(studio *s);

// ---- arrays that pages fetch (data.c) -----------------------------------------------------------

typedef enum data_type { DATA_F32, DATA_I32, DATA_U8 } data_type;

// Bytes behind a URL that never changes what it names; counted, as they may be dropped while they
// are being sent.
typedef struct blob {
  size_t n;
  const char *type; // of its content
  unsigned char *bytes;
} blob;

pl_status data_create(studio *s);
void data_free(studio *s);
// Keeps a copy of values (numbers of `type`, in an array of rank up to 4) for group, e.g. "run/7",
// and returns its ArrayRef, or NULL where memory ends.
json_t *data_keep(studio *s, const char *group, data_type type, const void *values, int rank,
                  const size_t *shape);
// The same of doubles, as DATA_F32.
json_t *data_keep_real(studio *s, const char *group, const double *values, int rank,
                       const size_t *shape);
void data_drop(studio *s, const char *group);
// What a URL names, to be released; NULL: nothing.
const blob *data_find(studio *s, const char *url);
void data_release(studio *s, const blob *b);
size_t data_bytes(studio *s); // that are kept

// ---- to the pages (push.c) ----------------------------------------------------------------------

// Sends an event to all pages, in order, and frees it. From any thread; never waits for a page.
void push_event(studio *s, json_t *event);
// The same, and what was sent under this key and still waits is forgotten: the newest counts.
void push_latest(studio *s, const char *key, json_t *event);
// Positions [n] of a state at time t, as a binary message; the newest counts.
void push_frame(studio *s, int run, double t, int n, const float *values);

// ---- requests (dispatch.c) ----------------------------------------------------------------------

// Why a request is refused.
typedef struct failure {
  const char
      *code; // "not-found", "bad-request", "bad-scene", "busy", "not-converged", "io", "internal"
  char text[PL_TEXT], hint[PL_TEXT];
} failure;

// A request: the members of its reply, or NULL with the failure filled in. Slow ones run one after
// the other in a thread of their own, so that cancel never waits for them.
typedef struct operation {
  const char *name;
  json_t *(*run)(studio *s, const json_t *args, failure *f);
  int slow;
} operation;
extern const operation operations[];
extern const int operation_count;

// Returns NULL and fills f, for `return refuse(...)`.
json_t *refuse(failure *f, const char *code, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
// The same with the last error of env.
json_t *refuse_env(failure *f, const pl_env *env);
// Runs an operation by name, in the calling thread: the members of its reply, or NULL.
json_t *dispatch(studio *s, const char *op, const json_t *args, failure *f);
// A string among the members of a request; NULL: it is not there.
const char *arg_text(const json_t *args, const char *name);

// ---- files below the folder (files.c) -----------------------------------------------------------

// Reads and writes by a path relative to the folder that was opened; no link leads out of it.
// Return 1, or 0 with the failure filled in. Data end with a zero that is not counted: free(data).
int file_read(studio *s, const char *path, char **data, size_t *n, failure *f);
// Makes folders on the way. A failure leaves the old file in place.
int file_write(studio *s, const char *path, const void *data, size_t n, failure *f);

// ---- jobs (runs.c) ------------------------------------------------------------------------------

pl_status gallery_create(studio *s);
void gallery_free(studio *s);
pl_status upload_create(studio *s);
void upload_free(studio *s);
pl_status models_create(studio *s);
void models_free(studio *s);
// The thread of jobs; free cancels what runs and waits for it. Models must outlive it.
pl_status runs_create(studio *s);
void runs_free(studio *s);

// A job that waits, runs or has ended.
typedef struct job job;
// Work of a run, in the thread of jobs: messages and progress of env are the run's, and progress
// says when it is to stop. What it returns tells how it ended.
typedef pl_status run_fn(studio *s, job *r, pl_env *env, void *ctx);
// Queues work under a label and returns its number, or 0 where memory ends. kind: "scene",
// "validate", "explore" or "results". ctx is freed by `drop` (NULL: never) when the run is dropped,
// or at once on failure.
int runs_add(studio *s, const char *kind, const char *label, run_fn *fn, void *ctx,
             void (*drop)(void *ctx));
// The same of work that was asked for by an operation, which goes into studio.jsonl with the
// figures that its items tell, so that it can be done again: a text among the arguments as `text`,
// the number of an exploration as `session`.
int runs_add_asked(studio *s, const char *op, const json_t *args, const char *kind,
                   const char *label, run_fn *fn, void *ctx, void (*drop)(void *ctx));
// 1: what studio.jsonl tells is done again, and no files are written.
int journal_again(const studio *s);
pl_status journal_create(studio *s);
void journal_free(studio *s);

int run_number(const job *r);
// The group of data_keep for what belongs to a run and goes with it: "run/7".
const char *run_group(const job *r);
// Tells the next item and frees it, also when it is NULL: memory ended then.
void run_item(job *r, json_t *item);
// Makes the scene the model of the run, which the pages are told.
void run_shows(job *r, const struct pl_scene *scene);
// An array of the run, as data_keep.
json_t *run_array(job *r, data_type type, const void *values, int rank, const size_t *shape);
json_t *run_reals(job *r, const double *values, int rank, const size_t *shape);

// ---- parts of messages (parts.c) ----------------------------------------------------------------

json_t *part_number(double v);     // null where it is not finite
float part_float(double v);        // infinite where it is too large for one
json_t *part_words(const char *s); // what no page can misread; NULL: null
json_t *part_reals(int n, const double *v);
void part_set(json_t *object, const char *key, json_t *value); // NULL: null
// The Orbit of a motion of all vertices of a scene's mesh, its coefficients in a group.
json_t *part_orbit(studio *s, const char *group, const struct pl_scene *scene,
                   const struct pl_model *m, const struct pl_params *p, const struct pl_orbit *o,
                   const char *name, const char *title);
// Rigid elements where they are: members of an item `solids`.
json_t *part_solids(studio *s, const char *group, const struct pl_solids *all);
// Parameters as the scene shows them: Parameter[].
json_t *part_parameters(const struct pl_scene *scene, const struct pl_params *p);
// The Model of a scene, its arrays in the group "model/REV".
json_t *part_model(studio *s, pl_env *env, const struct pl_scene *scene, int rev);
// A number for a model that is new.
int next_revision(studio *s);

// Reads a scene from memory as the page has it: path relative to the folder, beyond which nothing
// is read. Messages go to env.
pl_status scene_of_text(pl_env *env, const studio *s, const char *path, const char *text, int nset,
                        const char *const *set, struct pl_scene **out);
// The folder in which such a scene looks for files, and its name in messages.
pl_status scene_place(pl_env *env, const studio *s, const char *path, const char *text,
                      char folder[2 * PL_TEXT], char name[2 * PL_TEXT]);
// Is it a path below the folder, without steps upwards?
int path_is_below(const char *path);

// ---- requests of jobs ---------------------------------------------------------------------------

#define JOB_OPERATIONS(X)                                                                          \
  X(gallery, "gallery", 0)                                                                         \
  X(schema, "schema", 0)                                                                           \
  X(check, "check", 1)                                                                             \
  X(validate, "validate", 0)                                                                       \
  X(results, "results", 1)                                                                         \
  X(model, "model", 0)                                                                             \
  X(run, "run", 0)                                                                                 \
  X(cancel, "cancel", 0)                                                                           \
  X(pause, "pause", 0)                                                                             \
  X(resume, "resume", 0)                                                                           \
  X(runs, "runs", 0)                                                                               \
  X(items, "items", 0)                                                                             \
  X(live, "live", 0)                                                                               \
  X(motion, "motion", 0)

// ---- explorations (explore.c) -------------------------------------------------------------------

// Runs hold on to them, so they outlive those.
pl_status explorations_create(studio *s);
void explorations_free(studio *s);

#define EXPLORE_OPERATIONS(X)                                                                      \
  X(explore, "explore", 0)                                                                         \
  X(explored, "explored", 0)                                                                       \
  X(predict, "predict", 1)                                                                         \
  X(direction, "direction", 0)                                                                     \
  X(commit, "commit", 0)                                                                           \
  X(undo, "undo", 0)                                                                               \
  X(leave, "leave", 0)

// Rows of the table of operations.
#define X(fn, name, slow) json_t *op_##fn(studio *s, const json_t *args, failure *f);
JOB_OPERATIONS(X)
EXPLORE_OPERATIONS(X)
#undef X

#endif
