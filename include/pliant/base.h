#ifndef PLIANT_BASE_H
#define PLIANT_BASE_H

#include "pliant/linkage.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

PL_DECLS_BEGIN

// ---- status -----------------------------------------------------------------------------------

// Zero: done. Negative: an error whose message stands in the environment. Positive: no message,
// the caller decides.
typedef enum pl_status {
  PL_OK = 0,
  PL_DOMAIN = 1,     // an element left its domain (inverted, zero length): shorten the step
  PL_SINGULAR = 2,   // a matrix is singular, or not positive definite where it must be
  PL_CANCELLED = 3,  // a progress callback asked to stop
  PL_UNSOLVED = 4,   // an iteration ended without converging; its info says why
  PL_E_NOMEM = -1,   // out of memory
  PL_E_ARG = -2,     // a caller broke the contract of a function
  PL_E_INPUT = -3,   // a scene or mesh is wrong
  PL_E_IO = -4,      // a file could not be read or written
  PL_E_INTERNAL = -5 // our own bug, or a library failed in an unforeseen way
} pl_status;

// Returns a short name for a status, e.g. "out of memory".
const char *pl_status_text(pl_status s);

// Returns from the calling function on anything but PL_OK; handle positive statuses before it.
#define PL_TRY(call)                                                                               \
  do {                                                                                             \
    pl_status pl_try_ = (call);                                                                    \
    if (pl_try_ != PL_OK) return pl_try_;                                                          \
  } while (0)

// For our own bugs only, in every build: prints and aborts. Bad input is never an assert.
#define PL_ASSERT(cond) ((cond) ? (void)0 : pl_assert_failed(#cond, __FILE__, __LINE__))
void pl_assert_failed(const char *cond, const char *file, int line) __attribute__((noreturn));

// ---- environment ------------------------------------------------------------------------------

typedef enum pl_level { PL_NOTE, PL_WARNING, PL_ERROR } pl_level;

enum { PL_TEXT = 512 }; // longest message, including its terminator

// One message to the user: `file:line:col: level: text` and a hint line. line and col 0: unknown.
typedef struct pl_diag {
  pl_level level;
  pl_status status;   // for errors
  char file[PL_TEXT]; // empty: no file
  int line, col;
  char text[PL_TEXT];
  char hint[PL_TEXT]; // empty: none
} pl_diag;

// What a long-running loop tells about itself.
typedef struct pl_progress {
  const char *what; // e.g. "transient"; NULL: nothing to show, may the work go on?
  double done;      // fraction 0..1, or negative: unknown
  const char *text; // e.g. "t = 0.31 s, step 310", may be NULL
} pl_progress;

// What the library needs from its host. Zero-initialise with pl_env_init, then change what you
// want. One environment belongs to one thread; it must outlive the objects made with it.
typedef struct pl_env {
  void *(*alloc)(void *ctx, void *old, size_t size); // realloc's contract; size 0 frees
  void *alloc_ctx;
  void (*diag)(void *ctx, const pl_diag *d); // messages; NULL: silent
  void *diag_ctx;
  int (*progress)(void *ctx, const pl_progress *p); // non-zero: cancel; NULL: never
  void *progress_ctx;
  void (*file)(void *ctx, const char *path); // called before a file is written; NULL: never
  void *file_ctx;
  pl_diag error; // the last error recorded by pl_fail
  int nerror;    // errors reported by pl_report and pl_fail since init
  long nalloc;   // calls that asked for memory, for tests and benches
} pl_env;

// Fills env with malloc, no messages and no progress.
void pl_env_init(pl_env *env);

// Records an error, sends it to env->diag once, and returns its status: `return pl_fail(...)`.
pl_status pl_fail(pl_env *env, pl_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// The same with a place and a remedy. file and hint may be NULL; line and col 0 mean unknown.
pl_status pl_fail_at(pl_env *env, pl_status status, const char *file, int line, int col,
                     const char *hint, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

// Sends a warning or a note, or an error that does not end the pass (the caller counts nerror).
void pl_report(pl_env *env, pl_level level, const char *file, int line, int col, const char *hint,
               const char *fmt, ...) __attribute__((format(printf, 7, 8)));

// Tells progress; returns PL_CANCELLED when the host wants to stop.
pl_status pl_report_progress(pl_env *env, const char *what, double done, const char *text);

// Formats a diag as `file:line:col: level: text\n  hint: ...`, without a final newline.
void pl_diag_format(const pl_diag *d, char *out, size_t size);
// The same without its level.
void pl_diag_plain(const pl_diag *d, char *out, size_t size);

// ---- memory -----------------------------------------------------------------------------------

// Allocates count * size bytes, zeroed; NULL (and an error record) when memory ends or the product
// overflows. count 0 gives a valid pointer. Free with pl_free.
void *pl_alloc(pl_env *env, size_t count, size_t size);
// Grows or shrinks; new bytes are not zeroed. On failure returns NULL and leaves old alone.
void *pl_realloc(pl_env *env, void *old, size_t count, size_t size);
void pl_free(pl_env *env, void *p);
char *pl_strdup(pl_env *env, const char *s);
// Sets *out = a * b; returns non-zero on overflow.
int pl_mul_size(size_t a, size_t b, size_t *out);

// Could so many bytes be had now, beside what is there? Nothing is kept.
int pl_memory_available(size_t bytes);

// A growable array: pl_grow makes room for one more element; returns PL_E_NOMEM on failure.
// ptr is the address of the array pointer, cap of its capacity.
pl_status pl_grow(pl_env *env, void *ptr, int n, int *cap, size_t size);

// Scratch memory in chunks: grows as needed, released to a mark, freed all at once.
typedef struct pl_arena pl_arena;
typedef struct pl_arena_mark {
  void *chunk;
  size_t used;
} pl_arena_mark;
pl_status pl_arena_create(pl_env *env, size_t first, pl_arena **out);
void pl_arena_free(pl_arena *a);
// 64-byte aligned, not zeroed; NULL (and an error record) when memory ends.
void *pl_arena_alloc(pl_arena *a, size_t count, size_t size);
pl_arena_mark pl_arena_save(const pl_arena *a);
void pl_arena_release(pl_arena *a, pl_arena_mark mark);

// ---- threads ----------------------------------------------------------------------------------

// A fixed pool of threads, the caller is thread 0. A pool at work leaves further calls to callers.
typedef struct pl_threads pl_threads;
pl_status pl_threads_create(pl_env *env, int nthread, pl_threads **out);
void pl_threads_free(pl_threads *t);
int pl_threads_size(const pl_threads *t);
// Calls fn(ctx, i, thread) for every i in 0..n-1, in chunks of consecutive i, and waits for all.
// fn must not touch the environment. A NULL pool runs everything in the caller.
void pl_threads_run(pl_threads *t, int n, void (*fn)(void *ctx, int i, int thread), void *ctx);

// The thread that calls this gets no SIGINT, SIGTERM and SIGHUP: they go to the host's threads. All
// threads that the library makes begin with it.
void pl_leave_signals(void);

// ---- text -------------------------------------------------------------------------------------

// A growing string; check failed once at the end. Free with pl_text_free.
typedef struct pl_text {
  pl_env *env;
  char *s; // always terminated, or NULL while empty
  size_t n, cap;
  int failed; // memory ended somewhere on the way
} pl_text;
// The word for n things: `one` for 1, otherwise `many`.
const char *pl_plural(long n, const char *one, const char *many);
void pl_text_init(pl_text *t, pl_env *env);
void pl_text_add(pl_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pl_text_put(pl_text *t, const char *s, size_t n);
void pl_text_free(pl_text *t);

// Length of the well-formed UTF-8 character at s[n], 0: none.
size_t pl_utf8_length(const char *s, size_t n);
// A copy that a terminal or JSON can take: control characters (other than newlines) and bytes that
// are not UTF-8 become '?'. Cut where out ends.
char *pl_printable(const char *s, char *out, size_t size);

// Reads a whole regular file (at most limit bytes; 0: 4 GiB) with a terminating zero; caller frees
// with pl_free. Pipes, devices and folders are refused.
pl_status pl_file_read(pl_env *env, const char *path, size_t limit, char **data, size_t *size);
// Writes a whole file by way of a temporary one, so that a failure leaves the old one in place.
pl_status pl_file_write(pl_env *env, const char *path, const void *data, size_t size);
// The same, and waits until the disk has it: what was written is there after a loss of power, too.
pl_status pl_file_save(pl_env *env, const char *path, const void *data, size_t size);
// SHA-256 as `sha256sum` prints it, of memory and of a file (0: it cannot be read): for what others
// compare, such as the files of a run in summary.json. Else pl_hash.
void pl_sha256(const void *data, size_t size, char hex[65]);
int pl_sha256_file(const char *path, char hex[65]);
// Makes a folder and its parents.
pl_status pl_dir_make(pl_env *env, const char *path);

// The hash h, 0 at first, with n bytes more and n itself: for tables, and to tell whether data are
// those of before. A change within one of the words of eight bytes that they are taken in always
// changes it, others do but with a chance of 2^-64. All bits go into the low ones, which serve as
// an index. The same on every run, and on all machines for numbers of eight bytes. It does not
// withstand intent: pl_sha256 does.
uint64_t pl_hash(uint64_t h, const void *data, size_t n);

// Index of the name in names[n] closest to word in spelling, or -1 when none is close.
int pl_closest(const char *word, int n, const char *const *names);
// Hint "did you mean 'x'?  known: a b c" for a word among names, cut to size.
void pl_name_hint(const char *word, int n, const char *const *names, char *out, size_t size);

// The decimal number at the start of n bytes, whatever the host's locale; returns its length, 0 for
// none. No blanks before it; hexadecimal numbers, inf and nan are none.
size_t pl_number_scan(const char *s, size_t n, double *value);
// The same of all n bytes, where nan, inf and infinity are numbers too; 0: they are none.
int pl_number_word(const char *s, size_t n, double *value);

// The whole number below x, as far as an int holds it; NaN gives 0.
int pl_floor_int(double x);

// Seconds of a monotonic clock, and of this process's CPU time.
double pl_wall_time(void);
double pl_cpu_time(void);

// ---- options ----------------------------------------------------------------------------------

typedef enum pl_opt_type { PL_OPT_INT, PL_OPT_REAL, PL_OPT_CHOICE } pl_opt_type;

// One option of a solver, or one parameter of an element kind: makes structs, scene keys, range
// checks, --set paths and manual tables.
typedef struct pl_option {
  const char *name;
  pl_opt_type type;
  size_t offset;        // into the options struct; unused for element parameters
  double value, lo, hi; // default and range, SI; a choice is its index
  const char *unit;     // SI unit of the dimension, "" for a number, e.g. "m", "N/m", "rad/s"
  const char *text;     // one line for the manual
  const char *choices;  // PL_OPT_CHOICE: "newmark|implicit-euler|bdf2"
} pl_option;

// Fills an options struct with its defaults.
void pl_opts_default(const pl_option *table, int n, void *opts);
// Range check; fails with the option's name, value and range.
pl_status pl_opts_check(pl_env *env, const pl_option *table, int n, const void *opts);

// An option list is a macro LIST(X, C): numbers as X(type, name, value, lo, hi, unit, text) with
// type int or double, choices as C(name, value, "a|b|c", text) stored in an int ("no|yes" for a
// flag).
#define PL_OPT_KIND_int                                       PL_OPT_INT
#define PL_OPT_KIND_double                                    PL_OPT_REAL
#define PL_OPT_FIELD_X(type, name, value, lo, hi, unit, text) type name;
#define PL_OPT_FIELD_C(name, value, choices, text)            int name;
// Rows of a table of pl_option from the same list; OPT_STRUCT names the options struct.
#define PL_OPT_ROW_X(type_, name_, value_, lo_, hi_, unit_, text_)                                 \
  {.name = #name_,                                                                                 \
   .type = PL_OPT_KIND_##type_,                                                                    \
   .offset = offsetof(OPT_STRUCT, name_),                                                          \
   .value = value_,                                                                                \
   .lo = lo_,                                                                                      \
   .hi = hi_,                                                                                      \
   .unit = unit_,                                                                                  \
   .text = text_},
#define PL_OPT_ROW_C(name_, value_, choices_, text_)                                               \
  {.name = #name_,                                                                                 \
   .type = PL_OPT_CHOICE,                                                                          \
   .offset = offsetof(OPT_STRUCT, name_),                                                          \
   .value = value_,                                                                                \
   .lo = 0,                                                                                        \
   .hi = (double)sizeof(choices_),                                                                 \
   .unit = "",                                                                                     \
   .text = text_,                                                                                  \
   .choices = choices_},

// ---- keys ---------------------------------------------------------------------------------------

// Keys of scene files that kinds of obstacles and forms of limits bring with them.

enum { PL_KEY_MAX = 12 }; // of one kind

typedef enum pl_key_type {
  // values
  PL_KEY_NUMBER,
  PL_KEY_STRAIN, // a number that is warned about where it is no usual strain
  PL_KEY_INTEGER,
  PL_KEY_CHOICE, // the index
  PL_KEY_VECTOR, // three; a scene gives as many as it has dimensions, the others are zero
  // obstacles: fields of theirs
  PL_KEY_CENTRE,
  PL_KEY_ROTATION,
  PL_KEY_RADIUS,
  // obstacles: what `make` makes data of
  PL_KEY_FILE,      // name of a file
  PL_KEY_FILE_UNIT, // its unit of length
  PL_KEY_GRID,      // rows of numbers, or a file of them
  // limits
  PL_KEY_POLAR // file of a polar curve
} pl_key_type;

typedef struct pl_key {
  const char *name;
  pl_key_type type;
  int need;             // 1: must be given
  double value, lo, hi; // default (out of range: none) and range, SI; lo >= hi: any
  int lo_open;          // 1: > lo instead of >= lo
  const char *unit;     // SI unit of the dimension, "" for a number or a direction
  const char *choices;  // "a|b"
  const char *text;     // one line for the manual
} pl_key;

PL_DECLS_END

#endif
