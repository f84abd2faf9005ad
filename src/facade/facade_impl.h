#ifndef FACADE_IMPL_H
#define FACADE_IMPL_H

// the library hides what is not said to be seen
#pragma GCC visibility push(default)
#include "pliant/facade.h"
#pragma GCC visibility pop
#include "pliant/job.h"

#include <stdatomic.h>

// ---- messages ---------------------------------------------------------------------------------

enum { MESSAGES_MAX = 100 }; // of a call or a thing, further ones are counted alone

typedef struct messages {
  int n, cap;
  pl_diag *list;
} messages;
// What pl_env.diag calls, with the messages as its ctx.
void messages_hear(void *ctx, const pl_diag *d);
void messages_free(messages *m);
// Those of the calling thread's last call that failed; NULL: memory ended.
messages *messages_of_thread(void);
// They become those of the thread; m is empty then. Returns s.
int messages_fail(messages *m, int s);
// A failure of the facade's own; returns its status.
int fail(int status, const char *hint, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// ---- handles ----------------------------------------------------------------------------------

typedef enum object_kind { OBJECT_GIVEN, OBJECT_SCENE, OBJECT_RESULT, OBJECT_COUNT } object_kind;

// What every kind begins with.
typedef struct object {
  object_kind kind;
  messages messages;
  void (*free)(struct object *o);
} object;

// Gives an object a handle; on failure it is freed.
int handle_put(object *o, int64_t *out);
// The object of a handle, for this call alone (whole) or beside other readers; give it back.
int handle_take(int64_t handle, object_kind kind, int whole, object **out);
void handle_give(int64_t handle);

// ---- objects ----------------------------------------------------------------------------------

// Words for types of cells, as the header has them.
extern const char *const cell_word[PL_CELL_COUNT];

// Something of the caller's that scenes name. They share it.
typedef struct given_thing {
  atomic_int users;
  pl_env env;
  char *name;
  enum { GIVEN_MESH, GIVEN_OBJECTIVE, GIVEN_LOAD } what;
  pl_mesh *mesh; // its X and cells are the caller's
  pl_objective_kind kind;
  char *unit;
  pl_facade_objective_function objective;
  pl_facade_load_function load;
  void *ctx;
  int slot;        // of a load: the number by which its elements find it
  atomic_int stop; // the function wants the run to stop
} given_thing;
// Kinds of elements of loads, for dimensions 1, 2 and 3, with one parameter, the slot.
extern const pl_elem_kind load_kind[3];
void load_release(const given_thing *g);
// One of that name; NULL: memory ended.
given_thing *given_create(const char *name);
void given_release(given_thing *g);
// Its handle; on failure it is released.
int given_put(given_thing *g, int64_t *out);

typedef struct given_object {
  object base;
  given_thing *given;
} given_object;

typedef struct scene_object {
  object base;
  pl_env env;
  pl_scene *scene;
  int ngiven;
  given_thing **given; // [ngiven]
  int nset;
  char **set; // [nset] overrides, for the record
  char *json; // made when it is asked for
  pl_text report, yaml, page;
} scene_object;

// An array of an item, in the result's arena.
typedef struct held {
  pl_facade_array a;
  struct held *next;
} held;

typedef struct item {
  pl_facade_item i;
  held *first, *last;
} item;

typedef struct result_object {
  object base;
  pl_env env;
  pl_arena *arena;
  pl_status failed; // sticky: memory ended
  pl_status status;
  const char *summary;
  int n, cap;
  item *item; // [n]
  // while it is run
  const scene_object *of;
  const pl_scene *scene;
  const pl_model *model;
  const pl_params *params;
  const char *analysis;
  const pl_facade_hooks *hooks;
  double told; // when progress was
  int motions; // those of curves are kept
  int stop;
  pl_state *state; // the latest of this analysis; NULL: none
} result_object;

// What the result keeps of a run, as a sink.
pl_sink result_sink(result_object *r);

// A copy in the arena, "" for NULL.
const char *keep_text(result_object *r, const char *s);
// An item; NULL: memory ended.
item *item_add(result_object *r, const char *kind, const char *name);
// Copies numbers; shape ends with 0.
void item_reals(result_object *r, item *i, const char *name, const char *unit, const double *x,
                int ndim, const int64_t *shape);
void item_ints(result_object *r, item *i, const char *name, const int *x, int ndim,
               const int64_t *shape);
// The same for numbers that are yet to be filled in; NULL: memory ended.
double *item_room(result_object *r, item *i, const char *name, const char *unit, int ndim,
                  const int64_t *shape);
struct json_t;
// The columns of a table.
void item_columns(result_object *r, item *i, const pl_table *t);
// Takes the JSON as the item's text.
void item_json(result_object *r, item *i, struct json_t *json);
// A word as JSON, whatever its bytes; NULL: an empty one.
struct json_t *json_word(const char *s);

// A C-contiguous array.
pl_facade_array dense(const char *name, const char *unit, int type, const void *data, int ndim,
                      const int64_t *shape);

#endif
