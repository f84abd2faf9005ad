#ifndef PLIANT_FACADE_H
#define PLIANT_FACADE_H

// pliant for other languages: handles, plain C types and names alone, so that a foreign-function
// interface can read this header as it stands (below the guard: no macro, no conditional but that
// of C++). What is here stays: functions are added, none changes.
//
// Every function returns a status, 0 when all is well, and leaves its results through its last
// arguments. A handle is a number, not an address: one that was freed, that belongs to another kind
// of thing or that another thread is using is answered by a status. Strings are UTF-8; strings and
// arrays that are given out live until their handle is freed. Of a function that failed the calling
// thread can ask why (pl_facade_messages with handle 0).

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PL_FACADE_OK = 0,
  PL_FACADE_DOMAIN = 1,    // an element left its domain
  PL_FACADE_SINGULAR = 2,  // a matrix is singular
  PL_FACADE_CANCELLED = 3, // a callback asked to stop; what there is can be read
  PL_FACADE_UNSOLVED = 4,  // an analysis did not converge; what there is can be read
  PL_FACADE_NOMEM = -1,
  PL_FACADE_ARG = -2,      // a wrong argument
  PL_FACADE_INPUT = -3,    // a scene or mesh is wrong
  PL_FACADE_IO = -4,       // a file could not be read or written
  PL_FACADE_INTERNAL = -5, // our own bug
  PL_FACADE_FREED = -11,   // the handle was freed, or nobody was given it
  PL_FACADE_KIND = -12,    // the handle is of another kind
  PL_FACADE_BUSY = -13     // another call, of another thread or around this one, is using it
};

// ---- the library ------------------------------------------------------------------------------

// Version of this header, to compare with pl_facade_version of the library that is loaded: they
// fit when the library's is the same or larger.
enum { PL_FACADE_VERSION = 1 };
int pl_facade_version(void);
// "0.1.0", and the commit that it was built from or "".
const char *pl_facade_release(void);
const char *pl_facade_commit(void);
// Bytes of a struct of this header by its name, 0: there is none.
int64_t pl_facade_size(const char *name);
// A short name of a status.
const char *pl_facade_status_text(int status);
// Kernels of OpenBLAS that are in use, and those that are better on this processor, to be put into
// the environment as OPENBLAS_CORETYPE before it is loaded ("": it has the right ones).
const char *pl_facade_blas(void);
const char *pl_facade_blas_wanted(void);

// Gives a handle free. What it gave out is gone then.
int pl_facade_free(int64_t handle);
// Handles that are in use.
int64_t pl_facade_live(void);

// ---- messages ---------------------------------------------------------------------------------

enum { PL_FACADE_NOTE = 0, PL_FACADE_WARNING = 1, PL_FACADE_ERROR = 2 }; // levels

typedef struct pl_facade_message {
  int32_t level, status; // status: of errors
  int32_t line, column;  // 0: not known
  const char *file;      // "": none
  const char *text, *hint;
} pl_facade_message;

// Messages of a scene (of its reading) or a result (of its run), or, with handle 0, of the last
// call of this thread that failed: these stay until the next one fails.
int pl_facade_messages(int64_t handle, int64_t *n);
int pl_facade_message_at(int64_t handle, int64_t k, pl_facade_message *out);

// ---- meshes given as arrays -------------------------------------------------------------------

// A mesh for bodies with `mesh: {given: NAME}`. Arrays are not copied: they stay as they are until
// the handle and all scenes that were opened with it are freed.
// points [npoint][3], in the scene's unit of length or the body's mesh_units.
int pl_facade_mesh(const char *name, const double *points, int64_t npoint, int64_t *mesh);
// Cells of a type: seg2 tri3 quad4 tet4 hex8 seg3 tri6 quad8 tet10 hex20; vertices [ncell][k] from
// 0 in VTK's order, k as the type has them.
int pl_facade_mesh_cells(int64_t mesh, const char *type, const int32_t *vertices, int64_t ncell,
                         int64_t k);
// A named set: of vertices where type is NULL or "", else of cells of that type, which must be
// there already. Indices are copied.
int pl_facade_mesh_set(int64_t mesh, const char *name, const char *type, const int32_t *index,
                       int64_t n);

// ---- objectives given as functions ------------------------------------------------------------

// A quantity of the motion of one node, above 0, for objectives `{given: NAME, goal: ..., node:
// ...}` of designs and explorations. z [dim][2 nharm + 1] are Fourier coefficients c0 s1 c1 ... of
// every axis, m, at the angular frequency omega, rad/s. *q is wanted, and where dz is not NULL its
// derivatives by z and (*domega) by omega, too. Returns 0; 1: there is none at this design, a
// shorter step is tried; else the run is to stop. Calls come one at a time.
typedef int (*pl_facade_objective_function)(void *ctx, int32_t dim, int32_t nharm, double omega,
                                            const double *z, double *q, double *dz, double *domega);
// unit: SI unit of the quantity, "": a number. It can be used until the handle and all scenes that
// were opened with it are freed.
int pl_facade_objective(const char *name, const char *unit, pl_facade_objective_function function,
                        void *ctx, int64_t *objective);

// ---- loads given as functions -----------------------------------------------------------------

// A force on every node of loads `{given: NAME, nodes: ...}`, of its place x[dim] (m), its velocity
// v[dim] (m/s, 0 in statics) and the load's strength: what the load gives as `strength` (1 unless
// told), by the load factor of statics, a harmonic or a file over time. force[dim] (N) is wanted,
// and where dx is not NULL its derivatives dx[dim][dim] and dv[dim][dim] (force by component of x
// and v) and ds[dim] by the strength, too: wrong ones make Newton's method slow, or fail. Returns
// 0; 1: there is no force at such a place, a shorter step is tried; else the run is to stop. Calls
// come one at a time, from any thread of the run.
typedef int (*pl_facade_load_function)(void *ctx, int32_t dim, const double *x, const double *v,
                                       double strength, double *force, double *dx, double *dv,
                                       double *ds);
// As pl_facade_objective. At most 256 of them can be there at a time.
int pl_facade_load(const char *name, pl_facade_load_function function, void *ctx, int64_t *load);

// ---- scenes -----------------------------------------------------------------------------------

// Opens a scene file with overrides `path=value` (`NAME=value` for a parameter) and with what its
// entries `given` name: handles of meshes, objectives and loads, in any order, which may be freed
// afterwards.
int pl_facade_open(const char *path, int64_t nset, const char *const *set, int64_t ngiven,
                   const int64_t *given, int64_t *scene);
// The same of size bytes of YAML or JSON. name stands in messages, files are looked for in folder.
int pl_facade_parse(const char *name, const char *folder, const char *text, int64_t size,
                    int64_t nset, const char *const *set, int64_t ngiven, const int64_t *given,
                    int64_t *scene);
// A scene once more with further overrides, on its own.
int pl_facade_again(int64_t scene, int64_t nset, const char *const *set, int64_t *other);
// What it is made of, as JSON: title, dimension, counts, parameters with units and bounds,
// analyses, named nodes, sets, bodies, probes.
int pl_facade_describe(int64_t scene, const char **json);
// The same in words, as `pliant check` has it.
int pl_facade_report(int64_t scene, const char **text);
// The scene as run, as YAML with the overrides in it.
int pl_facade_yaml(int64_t scene, const char **yaml);

// ---- arrays -----------------------------------------------------------------------------------

enum { PL_FACADE_NONE = 0, PL_FACADE_F64 = 1, PL_FACADE_I32 = 2 }; // types of numbers
enum { PL_FACADE_DIMENSIONS = 4 };                                 // of an array, at most

typedef struct pl_facade_array {
  const char *name, *unit; // SI unit, "": a number
  const void *data;        // to be read only
  int32_t type, ndim;
  int64_t shape[4], stride[4]; // stride: bytes from one to the next
} pl_facade_array;

// Arrays of a scene: "points" of its nodes [n][3] at rest, cells by type ("tri3", ...), "set:NAME",
// "body:NAME" (numbers of nodes). PL_FACADE_ARG: there is none of that name.
int pl_facade_scene_array(int64_t scene, const char *name, pl_facade_array *out);

// A page of HTML with a motion of the scene's mesh that is turned and played, all in it: frames
// [nframe][vertices][3], m, at times [nframe], s; with a period > 0 (s) they are spread evenly over
// it and time may be NULL. label and colour [vertices] (both may be NULL) colour it. The text lives
// until the next page of this scene.
int pl_facade_page(int64_t scene, const char *title, int64_t nframe, int64_t nvertex,
                   const double *frames, const double *time, double period, const char *label,
                   const double *colour, const char **html);

// ---- runs -------------------------------------------------------------------------------------

// Who looks on while a scene is run, called in the thread that runs it; functions may be NULL.
// What is returned tells whether to stop (non-zero): the run ends soon, with what there is. They
// may use any other handles.
typedef struct pl_facade_hooks {
  void *ctx;
  // At most every 50 ms: a loop tells how far it is, done from 0 to 1 or negative when not known.
  // what, text: "" for none; with both empty there is nothing to show.
  int (*progress)(void *ctx, const char *what, double done, const char *text);
  // A table has grown by the rows [nrow][ncol] from `first` on.
  int (*rows)(void *ctx, const char *table, int64_t first, int64_t nrow, int64_t ncol,
              const char *const *column, const double *rows);
} pl_facade_hooks;

// Runs the analyses of a scene. Options are `name=value`:
//   threads=N    0: as many as there are processors (the default)
//   only=NAME    this analysis and those that it starts from
//   folder=PATH  files are written there as `pliant run` does; none otherwise
//   resume=yes   from the checkpoints in the folder
//   checkpoint=S seconds between them
//   motions=yes  the motion of every point of a response or backbone is kept
// hooks may be NULL. A result is given for PL_FACADE_UNSOLVED and PL_FACADE_CANCELLED, too, and for
// errors where there is something (else 0).
int pl_facade_run(int64_t scene, int64_t noption, const char *const *option,
                  const pl_facade_hooks *hooks, int64_t *result);

// What the run returned.
int pl_facade_status(int64_t result, int *status);
// What summary.json holds: key figures of all analyses; "" where there is none.
int pl_facade_summary(int64_t result, const char **json);

// What a run has told, in its order. Kinds and their arrays (text: words of it, or JSON):
//   table   columns
//   said    text; name is key, heading, text, warning or alarm
//   text    text: CSV, with words in it
//   scene   text: YAML with the values that an analysis found
//   shape   x [vertices][3], q; mode [vertices][3] where it is one, of any size: an equilibrium or
//           a mode about it
//   state   x, q, v, a, t
//   orbit   series [nodes][dim][2H+1] of c0 s1 c1 ... (x = c0 + sum s_j sin j w t + c_j cos j w t),
//           omega, sub: a periodic motion
//   motion  the same with its row: the motion of a point of a table
//   film    time, x [n][vertices][3]: moments of a transient; face [n][triangles] with limits
//   picture x, colour or face: values on the mesh; text: their label
//   solids  x [n][3], rotation [n][3][3], mesh [n]: rigid elements in place
//   body    x, face
//   plot    x and y of every series; text: JSON of labels
//   polar   angle and stretch of every series
//   bars    text: JSON
//   chart   value; text: JSON of names
//   grid    text: JSON of rows of words
//   iterate x, value, iteration: a step of a design
typedef struct pl_facade_item {
  const char *kind, *name, *analysis; // "": none
  const char *title, *caption, *text;
  int64_t narray;
} pl_facade_item;
int pl_facade_items(int64_t result, int64_t *n);
int pl_facade_item_at(int64_t result, int64_t k, pl_facade_item *out);
int pl_facade_item_array(int64_t result, int64_t k, int64_t array, pl_facade_array *out);

#ifdef __cplusplus
}
#endif

#endif
