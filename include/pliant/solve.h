#ifndef PLIANT_SOLVE_H
#define PLIANT_SOLVE_H

#include "pliant/contact.h"
#include "pliant/gradient.h"
#include "pliant/linkage.h"
#include "pliant/model.h"

PL_DECLS_BEGIN

typedef enum pl_stop {
  PL_STOP_CONVERGED,
  PL_STOP_MAX_ITER,
  PL_STOP_LINE_SEARCH, // no shorter step helps
  PL_STOP_SINGULAR,    // stiffness singular: free rigid modes or a mechanism
  PL_STOP_DOMAIN,      // elements leave their domain however short the step
  PL_STOP_STEP,        // the time or load step became too small
  PL_STOP_CANCELLED,
  PL_STOP_STEADY,   // transient: two successive periods agree
  PL_STOP_END,      // transient: the end time was reached; curves: their far end
  PL_STOP_BACK,     // curves: left the range where they began
  PL_STOP_CLOSED,   // curves: back at the start
  PL_STOP_POINTS,   // curves: as many points as were allowed
  PL_STOP_ROUNDING, // static: what is out of balance is above rtol, and is rounding
  PL_STOP_ENERGY,   // transient: the end time was reached, but energy came out of nothing
  PL_STOP_PACE,     // transient: it was reached, but by steps too long for the motion
  PL_STOP_INVERTED, // static: elements turn inside out however short the load step
  PL_STOP_REST,     // jump: the body is at rest
  PL_STOP_SLIDE     // static: a body slides under the full load whatever its place
} pl_stop;
const char *pl_stop_text(pl_stop s);

// ---- options by default -----------------------------------------------------------------------

// A function pl_NAME_defaults() that returns the options of an analysis by default, to change some.
#define PL_OPTS_DEFAULTS(name_)                                                                    \
  static inline pl_##name_##_opts pl_##name_##_defaults(void) {                                    \
    pl_##name_##_opts o;                                                                           \
    pl_opts_default(pl_##name_##_option_table, pl_##name_##_option_count, &o);                     \
    return o;                                                                                      \
  }

// ---- static -----------------------------------------------------------------------------------

#define PL_STATIC_OPTS(X, C)                                                                       \
  X(int, steps, 1, 1, 100000, "", "load steps from nothing to the full load")                      \
  X(int, max_iter, 1000, 1, 100000, "", "Newton iterations a load step")                           \
  X(double, rtol, 1e-10, 0, 1, "", "stop when the residual is below rtol times the forces")        \
  X(double, min_step, 1e-12, 0, 1, "", "shortest line-search step")                                \
  X(int, cuts, 12, 0, 60, "", "how often a failed load step is halved")                            \
  C(critical, 0, "no|yes", "locate loads at which the equilibrium changes stability")              \
  C(perturb, 0, "no|yes", "step off an unstable equilibrium along its softest mode")               \
  C(book, 1, "no|yes",                                                                             \
    "take load steps in parts whose energy book does not close, or in which nodes slide far")

typedef struct pl_static_opts {
  PL_STATIC_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_static_opts;
extern const pl_option pl_static_option_table[];
extern const int pl_static_option_count;
PL_OPTS_DEFAULTS(static)

typedef struct pl_critical {
  double scale; // load factor
  int nneg;     // negative eigenvalues beyond it
  int jump;     // 1: a limit point; no equilibrium lies near beyond it and the state jumped
} pl_critical;

// Where a load step left its path for another equilibrium, and the energy that no force took:
// negative when more is stored there than was put in.
enum { PL_JUMPS = 8 };
typedef struct pl_jump {
  double scale, released; // load factor, J
} pl_jump;

// A piece that only obstacles hold and that slides on one of them. On a flat face the loads along
// it are more than mu times those into it; elsewhere all of its contacts slip where the solver
// stopped.
typedef struct pl_slide {
  int found, node, obstacle; // a node of the piece
  double mu;                 // the most that its contacts have
  double needed;             // on a flat face: the least that could hold it; 0: not known
} pl_slide;

typedef struct pl_static_info {
  pl_stop reason;
  double scale; // load factor reached, 1 when done
  int nstep, iterations, factorisations, shifts;
  double residual;         // |r| over the size of the forces, at the end
  double energy;           // potential
  int stable;              // 1: all eigenvalues of K positive
  int nneg, nzero;         // inertia of K at the end; -1: not judged
  int ninverted;           // PL_STOP_INVERTED: elements that the load turns inside out
  int bad_group, bad_elem; // the first of them
  int ncritical;
  pl_critical critical[8];
  int booked;              // 1: all load steps stand in the energy book, see below
  double work, released;   // J; of loads and drives in all, by the book; in jumps and by perturb
  int in_parts, elsewhere; // load steps taken in parts; those that led elsewhere so
  int njump;               // all of them; the first ones are kept
  pl_jump jump[PL_JUMPS];
  pl_slide slide; // with contact, where no equilibrium was found
  // with contact, for pl_static_resumed: of a load step the next one's part, how often steps were
  // halved, the size of the model at the start in m
  double part;
  int cuts;
  double extent;
  double seconds;
} pl_static_info;

// Called at accepted load steps (and transient steps); non-zero stops cleanly.
typedef int (*pl_observe_fn)(void *ctx, const pl_state *s, const pl_clock *c, const pl_work *w);

// The energy book: on a path of equilibria the work of loads and drives is what elements store (and
// sliders lose). The work of a load step is the integral of the potential's derivative by the load
// factor, from its values and slopes at both ends (the tangent of the path, one solve with the
// stiffness). A step that leaves more open than the rule does on a smooth path either bends much or
// jumped to another equilibrium: it is taken in halves, to 1/1024 of it, and what is then open is a
// jump. The state stays that of the whole step when the parts lead there. There is no book with
// contact, nor of a first step from a state that is no equilibrium without load.

// A rigid motion that supports leave to a connected piece of a model. Springs to the ground and
// built-in directions count as if they held all.
typedef struct pl_loose {
  int found;             // 0: every piece is held
  int rotates;           // 1: only a turn is left; 0: the piece is held by nothing in one direction
  int node;              // one of the piece
  int dof;               // without a turn: its unknown that nothing holds
  double at[3], axis[3]; // the line about which it turns
  double moment;         // N m; of all loads at full strength about it, at rest
  int round;             // 1: that moment stays however far it turns: no equilibrium is ahead
} pl_loose;
// Looks for translations first, then for turns that loads drive: those of bodies alone, as links
// and rods are often meant to swing. q[nq] is where it begins.
pl_status pl_find_loose(const pl_model *m, const pl_params *p, pl_env *env, const double *q,
                        pl_loose *out);

// Minimises the potential by Newton with line search; a shift makes K positive definite where it is
// not. The state is the start and the result (also the last good load step on failure, PL_UNSOLVED
// or PL_CANCELLED). Free rigid modes are found and told (PL_E_INPUT with a hint to fix nodes).
// Here and in the analyses below options that are NULL are those by default, and an info that is
// NULL is not wanted.
pl_status pl_static(const pl_static_opts *o, const pl_model *m, const pl_params *p, pl_state *s,
                    pl_work *w, pl_observe_fn observe, void *ctx, pl_static_info *info);

// The same with contact (NULL: none) and exact Coulomb friction. Every load step is one increment:
// nodes that stick stay where they were after the last one, and friction opposes the displacement
// in the step. Obstacles stand where they are at the time of the state. Contacts may hold what
// would else be free; stable and nneg are of K with the contacts that press held. Critical loads
// and perturbation are refused.
pl_status pl_static_contact(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                            pl_contact *k, pl_state *s, pl_work *w, pl_observe_fn observe,
                            void *ctx, pl_static_info *info);

// The same from a state that supports held which are no more there: forces released[nq] stand for
// them and go away as the load factor goes from 0 to 1. pl_static_release_forces finds them: all
// that is out of balance in the free unknowns at a state under no load. There is no energy book.
pl_status pl_static_released(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                             pl_contact *k, const double *released, pl_state *s, pl_work *w,
                             pl_observe_fn observe, void *ctx, pl_static_info *info);
pl_status pl_static_release_forces(const pl_model *m, const pl_params *p, pl_state *s, pl_work *w,
                                   double *released);
// The same with contact from a load step on the way, with state, contacts and info as they were
// when it was observed: steps that follow have the same bits. from NULL: from the begin.
pl_status pl_static_resumed(const pl_static_opts *o, const pl_model *m, const pl_params *p,
                            pl_contact *k, const double *released, const pl_static_info *from,
                            pl_state *s, pl_work *w, pl_observe_fn observe, void *ctx,
                            pl_static_info *info);

// ---- path -------------------------------------------------------------------------------------

#define PL_LOAD_PATH_OPTS(X, C)                                                                    \
  X(double, to, 1, -1e9, 1e9, "", "load factor at which the path ends")                            \
  X(double, beyond, -1, -1e9, 1e9, "", "load factor on the other side at which it ends as well")   \
  X(double, step, 0.05, 1e-9, 1, "", "first step, as part of the way to the full load")            \
  X(double, max_step, 0.2, 1e-9, 10, "", "longest step, likewise, with the motion in it")          \
  X(double, min_step, 1e-7, 1e-15, 1, "", "shortest step")                                         \
  X(double, max_angle, 30, 1, 90, "deg", "turn of the path in one step, at most")                  \
  X(int, points, 1000, 2, 1000000, "", "points of the path, at most")                              \
  X(int, max_iter, 12, 2, 1000, "", "Newton iterations a point")                                   \
  X(double, rtol, 1e-9, 0, 1, "", "residual below rtol times the forces")                          \
  X(double, motion, 0, 0, 1e9, "m",                                                                \
    "motion that counts like the whole load in steps; 0: that of the first step, on branches at "  \
    "least a quarter of the model's extent")                                                       \
  X(int, branches, 0, 0, 64, "",                                                                   \
    "branch points of the first path at which others are followed, both ways")

typedef struct pl_load_path_opts {
  PL_LOAD_PATH_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_load_path_opts;
extern const pl_option pl_load_path_option_table[];
extern const int pl_load_path_option_count;

// Places on a path. Fold: the load factor turns back; branch point: others cross, as the count of
// negative eigenvalues changes; turn: a probed displacement turns back.
typedef enum pl_path_place { PL_PATH_BRANCH, PL_PATH_FOLD, PL_PATH_TURN } pl_path_place;
enum { PL_LOAD_PATH_SPECIALS = 64 };
typedef struct pl_load_path_special {
  int fold;     // pl_path_place
  int probe;    // of turns: which of the plan's
  int branch;   // of the path it lies on, 0: the first
  int after;    // number of the point before it on its path, from 0 on
  double scale; // load factor
  double arc;   // place on the path, see pl_load_path_info.arc
  int nneg;     // negative eigenvalues beyond it
} pl_load_path_special;

// A path that was followed.
enum { PL_LOAD_PATHS = 129 };
typedef struct pl_load_path_branch {
  int from;       // number of the branch point among the special ones, -1: the first path
  int npoint;     // with the one it began at
  pl_stop reason; // as that of the info
  double scale;   // load factor at its end
} pl_load_path_branch;

// What a path is followed in besides the load factor.
typedef struct pl_load_path_plan {
  // A design parameter whose value goes from that of the parameters to `value` as the factor goes
  // from 0 to 1, under the full loads; -1: the factor is that of loads and drives.
  int design;
  double value;
  int nprobe;
  const int *probe; // unknowns whose turns are looked for
  // told of special places with their states; NULL: nobody
  void (*special)(void *ctx, const pl_load_path_special *p, const pl_state *s);
} pl_load_path_plan;

typedef struct pl_load_path_info {
  pl_stop reason; // END: at `to`; BACK: at `beyond`; POINTS, STEP, SINGULAR, CANCELLED
  int npoint;     // the start included
  double scale;   // load factor of the last one
  double arc;     // length of the path so far: load factor and motion over that of the first step
  int nneg;       // negative eigenvalues at the last one
  int iterations, factorisations, rejected;
  double residual; // worst of all points, over the forces
  int nspecial;    // in all; so many are kept
  pl_load_path_special special[PL_LOAD_PATH_SPECIALS];
  int branch;  // the path under way: 0 the first, then those that branch off
  int nbranch; // paths in all
  pl_load_path_branch path[PL_LOAD_PATHS];
  double seconds;
} pl_load_path_info;

// Follows the equilibria from s (load factor 0) by pseudo-arclength in the factor on gravity,
// constant loads and constant drives, through folds. observe is called at every point, with forces
// in w, the factor in the clock's scale and info up to date; non-zero stops it. s ends at the last
// point of the first path. PL_UNSOLVED with what was done when it does not get to an end; contact
// is not known. With `branches` the paths that cross at branch points follow, each from there into
// one direction of the null vector of K to an end of the range, or as many points as are allowed;
// how the last of them ends does not count.
pl_status pl_load_path(const pl_load_path_opts *o, const pl_model *m, const pl_params *p,
                       pl_state *s, pl_work *w, pl_observe_fn observe, void *ctx,
                       pl_load_path_info *info);
// The same by a plan. info->scale is the factor; the clock's is 1 where a parameter is followed.
pl_status pl_load_path_planned(const pl_load_path_opts *o, const pl_load_path_plan *plan,
                               const pl_model *m, const pl_params *p, pl_state *s, pl_work *w,
                               pl_observe_fn observe, void *ctx, pl_load_path_info *info);

// ---- modes ------------------------------------------------------------------------------------

#define PL_MODES_OPTS(X, C) X(int, count, 6, 1, 1000, "", "modes to find, lowest first")

typedef struct pl_modes_opts {
  PL_MODES_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_modes_opts;
extern const pl_option pl_modes_option_table[];
extern const int pl_modes_option_count;
PL_OPTS_DEFAULTS(modes)

typedef struct pl_modes_info {
  int nfound, nrigid, nunstable; // rigid: frequency zero to rounding; unstable: omega^2 < 0
  double residual;
  double rounding; // about what rounding leaves open of the frequencies that are not zero, relative
  double seconds;
} pl_modes_info;

// Frequencies omega[count] (rad/s; negative: sqrt(-lambda) of an unstable mode) and shapes
// shape[count][nq] (NULL: not wanted; zero in driven unknowns), x' M x = 1, about a state. Zero
// mass everywhere: PL_E_INPUT.
pl_status pl_modes(const pl_modes_opts *o, const pl_model *m, const pl_params *p, const pl_state *s,
                   pl_work *w, double *omega, double *shape, pl_modes_info *info);

// ---- transient --------------------------------------------------------------------------------

// The methods beyond bdf2 keep limits of stretch: pl_limit_transient of limit.h knows them.
enum {
  PL_NEWMARK,
  PL_IMPLICIT_EULER,
  PL_BDF2,
  PL_PROJECT,
  PL_REFLECT,
  PL_BDF2_PROJECT,
  PL_BDF2_REFLECT,
  PL_COUPLED
};

#define PL_TRANSIENT_OPTS(X, C)                                                                    \
  C(method, 0, "newmark|implicit-euler|bdf2|project|reflect|bdf2-project|bdf2-reflect|coupled",    \
    "time stepping")                                                                               \
  X(double, duration, 0, 0, 1e9, "s", "simulated time; 0: periods")                                \
  X(double, step, 0, 0, 1e6, "s", "time step; 0: steps_per_period")                                \
  X(double, frequency, 0, 0, 1e9, "rad/s", "base frequency of drives and loads")                   \
  X(int, periods, 0, 0, 10000000, "", "simulated periods of the base frequency, at most")          \
  X(int, steps_per_period, 256, 4, 1000000, "", "time steps a period")                             \
  X(double, ramp, 0, 0, 1e9, "s",                                                                  \
    "harmonic drives and loads grow smoothly from nothing in this time")                           \
  X(double, steady, 0, 0, 1, "m",                                                                  \
    "stop when two successive periods differ by less (eq. 28); 0: never")                          \
  C(adaptive, 0, "no|yes", "adapt the step to the error estimate")                                 \
  X(double, tolerance, 1e-5, 0, 1, "", "adaptive: local error over the size of the motion")        \
  X(double, min_step, 0, 0, 1e6, "s", "adaptive: smallest step; 0: 1e-6 of the first")             \
  X(double, rtol, 1e-9, 0, 1, "", "Newton: residual below rtol times the forces")                  \
  X(int, max_iter, 30, 1, 1000, "", "Newton iterations a step")                                    \
  X(double, newmark_beta, 0.25, 0, 0.5, "", "Newmark's beta")                                      \
  X(double, newmark_gamma, 0.5, 0, 1, "", "Newmark's gamma")                                       \
  X(double, max_error, 0.1, 0, 1e9, "",                                                            \
    "errors of the steps in all, of the largest displacement, at most: more is not converged")     \
  C(impact, 0, "bbi|mass|moreau|none",                                                             \
    "newmark with obstacles: law for the velocity of contacts that are closed after a step")       \
  X(double, restitution, 0, 0, 1, "", "impact moreau: part of the approach that comes back")       \
  X(double, impact_step, 0, 0, 1e9, "",                                                            \
    "newmark with obstacles: step in an impact, of the time that sound takes through the body, "   \
    "at most; 0: the step that there is")

// What becomes of the velocity of contacts that are closed at the end of one of Newmark's steps.
// Coulomb's law once more, for velocities and the impulses of the whole step, places stay: closed
// contacts do not open again by themselves. Nothing is done by NONE: a contact that stays closed
// turns its velocity around in every step, and a mass without elements behind it bounces.
enum {
  PL_IMPACT_BBI,    // in the metric of the step; in that of the mass where it would add energy
  PL_IMPACT_MASS,   // in the metric of the mass, which cannot
  PL_IMPACT_MOREAU, // as the first, and the given part of the speed of approach comes back
  PL_IMPACT_NONE
};

typedef struct pl_transient_opts {
  PL_TRANSIENT_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_transient_opts;
extern const pl_option pl_transient_option_table[];
extern const int pl_transient_option_count;
PL_OPTS_DEFAULTS(transient)
// Those by default, for so long (s) in fixed steps (s).
static inline pl_transient_opts pl_transient_for(double duration, double step) {
  pl_transient_opts o = pl_transient_defaults();
  o.duration = duration;
  o.step = step;
  return o;
}

// Fixed time steps of a run, from 0: nstep of them, all of length step but for the last.
typedef struct pl_time_grid {
  double step, length, period; // s; period 0: no base frequency
  long nstep;
  double last; // s
} pl_time_grid;
// PL_E_INPUT: the options do not tell how long, or in what steps.
pl_status pl_time_grid_make(pl_env *env, const pl_transient_opts *o, pl_time_grid *out);

typedef struct pl_transient_info {
  pl_stop reason;
  double t;   // time reached
  long nstep; // accepted steps since the start, those before a resume included
  long rejected, iterations, factorisations;
  int nperiod;          // whole periods done
  double period_change; // e_p of eq. 28 between the last two periods, -1: not measured
  double residual;      // worst relative residual of an accepted step
  double energy_made;   // J; what the time steps made (negative: lost) in all, see below
  double energy_worst;  // J; the most that it was at any time, by size
  double energy_scale;  // J; largest energy of the motion: kinetic, and change of elastic energy
  double energy_time;   // s; when the energy first went beyond PL_ENERGY_WARN of the scale, -1
  double rule_lost;     // J; to a method that loses energy by design
  double contact_lost;  // J; to friction and impacts at obstacles
  double obstacle_work; // J; of obstacles that move
  double time_error;    // of the motion's peak: what the rule's errors sum up to, -1: not known
  // newmark with contact, where nothing else holds the model: change of momentum in a step besides
  // forces and impulses, over the larger of these and the momentum; -1: not known
  double momentum_error;
  long unsound;            // accepted steps that failed a check however short, see below
  double unsound_time;     // s; of the first of them
  int strayed;             // 1: that one went far from what its start foretold
  int settled;             // unknowns that began where the forces on them balance, see below
  int bad_group, bad_elem; // an element that did, or that was turned inside out; -1: none
  // pl_drape: energy_made is all that accepted steps raised the energy by
  double energy;      // J; potential at the end
  double energy_fall; // J; all that accepted steps lowered it by
  int refused;        // steps that would have raised it, done again shorter
  double rise;        // J; by how much the last of them would have
  double beyond;      // violation of limits where the descent began, 0: none
  // methods that keep limits of stretch (pl_limit_transient): the worst of all steps; pl_drape: at
  // the end
  double worst_violation, worst_between, worst_gap, worst_distance_rms;
  long nproject, niter, nunsolved, nlifted;
  long neased; // solves in which layers slid without friction, which did not settle otherwise
  double seconds_step, seconds_project;
  double scale;   // J; largest of the energies on the way, to judge losses by
  double seconds; // of the last call; all else is since the start, through stops and resumes
} pl_transient_info;

// Every step is checked. Its solution must not turn elements inside out that were not so before
// (kinds that have an inside), and must be a minimum of the step's potential: of several solutions
// of a long step one alone continues the motion. No edge of an element with mass may change by more
// than a quarter of its length beyond what velocities and accelerations at the start foretell,
// unless it changes by less at all (not asked with contact). When it is not so, or when the step
// makes more energy than a tenth of what moves, the minimum that lies downhill from the start of
// the step is taken; when that fails too, the step is halved, eight times at most. Energy that a
// step makes: the change of kinetic and elastic energy less the work of all other forces (loads,
// drives, damping, contact) by the rule of the method. Newmark's method with beta 1/4 and gamma 1/2
// makes none where forces are linear; the others lose energy by design, and only what they gain
// counts. Parts of the scale: beyond the first results are to be doubted, beyond the second the
// motion is not that of the model: the run stops (PL_UNSOLVED) unless it is near its begin, with
// PL_STOP_ENERGY as the reason.
#define PL_ENERGY_WARN 0.05
#define PL_ENERGY_FAIL 0.5
// Newmark and BDF2 without contact: the errors of the rule in places, by the change of acceleration
// in a step (modes too fast for the step taken out by the tangent), are summed by the mass; damping
// takes from the sum as it takes from the motion's energy. Beyond this part of the largest
// displacement steps are too long for the motion; beyond max_error the run is not converged
// (PL_STOP_PACE).
#define PL_TIME_ERROR_WARN 0.01

// Newmark and BDF2 without contact: an undamped unknown whose mass over stiffness is below 4e-6 of
// the step squared and 1e-6 of the largest in the model, and that begins out of balance, moves to
// where forces balance before the first step: it would get there in no time, and ring.

// ---- rigid bodies and jumps: what histories keep of them ----------------------------------------

// A body of finite elements that flies as a rigid one. World axes unless told otherwise.
typedef struct pl_flight {
  double t, mass;
  double centre[3], momentum[3], gravity[3]; // m, kg m/s, m/s^2
  double inertia[3];                         // kg m^2; principal moments, ascending
  double axes[9];                            // their axes in the reference shape, columns
  double rest[3];                            // centre of mass there
  double rot[4];                             // quaternion from principal axes to the world
  double spin[3];                            // kg m^2/s; angular momentum in principal axes
} pl_flight;

// What is left behind when a body becomes rigid, J, beside its kinetic energy as one.
typedef struct pl_flight_loss {
  double elastic, vibration, motion;
} pl_flight_loss;

#define PL_JUMP_OPTS(X, C)                                                                         \
  X(double, duration, 2, 0, 1e6, "s", "time limit; it ends sooner where the body is at rest")      \
  X(double, step, 1e-4, 0, 1e6, "s", "time step of all stages")                                    \
  C(rigid, 1, "no|yes", "flights as a rigid body; no: finite elements all the way")                \
  X(double, vibration, 1e-3, 0, 1, "",                                                             \
    "a body off the ground becomes rigid when its elastic energy and that of its vibration are "   \
    "below this part of its kinetic energy")                                                       \
  X(double, wait, 0.05, 0, 1e6, "s", "off the ground for this long, it becomes rigid even so")     \
  X(double, hop, 0.005, 0, 1e6, "s", "off the ground for less does not count as a flight")         \
  X(double, rest, 1e-5, 0, 1, "",                                                                  \
    "at rest: on the ground, with less than this part of its largest kinetic energy")              \
  X(double, rest_time, 0.02, 0, 1e6, "s", "for this long")                                         \
  X(double, rtol, 1e-9, 0, 1, "", "Newton: residual below rtol times the forces")                  \
  X(int, max_iter, 30, 1, 1000, "", "Newton iterations a step")                                    \
  C(impact, 0, "bbi|mass|moreau|none",                                                             \
    "law for the velocity of contacts that are closed after a step")                               \
  X(double, restitution, 0, 0, 1, "", "impact moreau: part of the approach that comes back")       \
  X(double, impact_step, 0, 0, 1e9, "",                                                            \
    "step in an impact, of the time that sound takes through the body, at most; 0: the step that " \
    "there is")

typedef struct pl_jump_opts {
  PL_JUMP_OPTS(PL_OPT_FIELD_X, PL_OPT_FIELD_C)
} pl_jump_opts;
extern const pl_option pl_jump_option_table[];
extern const int pl_jump_option_count;
PL_OPTS_DEFAULTS(jump)

enum { PL_JUMP_NONE, PL_JUMP_GROUND, PL_JUMP_AIR, PL_JUMP_RIGID }; // stages; none: no jump at all

// Where a jump stands. Moments in it are bodies; their mass is 0 where they did not come.
typedef struct pl_jump_state {
  int stage;
  int nhand;                      // hand-overs so far, to a rigid body and back
  int nflight;                    // flights
  int over;                       // 1: at rest
  pl_flight body;                 // the rigid body that fits the state best, or that it is
  pl_flight start, takeoff, left; // begin; where it first left the ground, and last
  pl_flight landing;              // where it first came down, a step before it touched the ground
  double rot[3];                  // rad; all small turns since the start added, world axes
  double scatter[9];              // sum of d d'/|d| over small turns d
  double landing_rotation[3];     // turn at the first landing
  double left_rotation[3];        // and where it left the ground last
  double up[3];                   // against gravity, or z
  double last_contact;            // s; when it last touched the ground
  double moving;                  // s; when it last moved too fast to be at rest, or flew
  double most;                    // J; largest kinetic energy
  double fastest;                 // J; largest kinetic energy as a rigid body since it left
  double energy;                  // J; kinetic and potential at the start
  double elastic;                 // J; elastic at the start
  double now[3];                  // J; kinetic, elastic, potential of the state
  double lost;                    // J; at hand-overs
  pl_flight_loss loss;            // at the last one to a rigid body
  double momentum;                // worst change of momenta at a hand-over, of their size
  double rise;                    // m; of the centre above the start, at most
  double low, high;               // m; lowest and highest node at the start, along up
  double clearance, top;          // m; largest height of the lowest node, and of the highest
} pl_jump_state;

// The energy book of a motion, J since its start; works are positive when they add energy.
typedef struct pl_ledger {
  double start;     // energy there; pl_transient: elastic energy
  double contact;   // work of all its forces on the model
  double obstacles; // pl_transient: work of obstacles that move, part of it
  // pl_limit_transient: works
  double limits, damping, drives;
  // pl_transient
  double lost;               // to damping, sliders and contact
  double rule;               // lost by the method
  double made, worst;        // energy made, the most of it by size
  double most, work;         // largest energy of the motion, work of changing forces by size
  double momentum;           // newmark: worst of a step that is not accounted for, -1: not known
  double error, drift, peak; // kg^1/2 m; sum of the rule's errors, most of it and of displacements
} pl_ledger;

// What a time stepper needs besides the state to go on as if it had never stopped.
typedef struct pl_history {
  int nq;
  double step, last_step; // current step, the one before
  double start;           // time at which the run began
  double error, size;     // adaptive: last error over the tolerance, largest motion so far (m)
  double change;          // steady check: e_p summed over the period under way
  double last_change;     // e_p of the last whole period, -1: not measured
  double *q1, *v1;        // [nq] previous step's state (BDF2); NULL when not needed
  double *spared;         // [nq] N, that accelerations of rigid bodies leave out; NULL: none
  double *period;         // [nsample][nq] last period (steady check); NULL when not needed
  int nsample;            // time steps a period when period is kept, else 0
  long nstep;             // accepted steps since the start
  pl_ledger ledger;
  pl_transient_info info; // at that step
  double impact_until;    // s; steps are short until then, as an impact is under way
  double impact_step;     // s; the step in which a node met an obstacle last, 0: none did
  pl_jump_state jump;     // pl_jump_run
  int late;               // steps to come in which damping by stiffness drives nothing (late.c)
  int halved;             // how often steps of the grid are halved from the start
  int halved_steps;       // until a longer one is tried again
  int halved_pause;       // that was last, 0: none was halved lately
  int nwarm_start;
  // [nwarm_start] where solves of limits begin (pl_limit_transient, pl_drape); NULL: none
  double *warm_start;
} pl_history;

// Steps from the state to the end, calling observe after every accepted step. A fixed step that
// fails is halved inside; the observer sees the grid only. history may be NULL; otherwise it is
// that of the step whenever the observer is called (for reading only) and at the end, and, when
// history->nstep > 0, continued from (resume): the numbers are the same
// as without the stop (duration and periods count from the first start). When stepping ends early
// (PL_CANCELLED, PL_UNSOLVED) state and history are those of the last good step. Unknowns without
// mass and damping are allowed when K holds them; a singular tangent (zero mass, nothing holding)
// is PL_E_INPUT naming the node.
pl_status pl_transient(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                       pl_state *s, pl_history *history, pl_work *w, pl_observe_fn observe,
                       void *ctx, pl_transient_info *info);
// The same with derivatives by parameters, of the steps as they are taken: g holds those of the
// start (pl_gradient_rest, pl_gradient_start) and, whenever the observer is called and at the end,
// those of s. A factorisation more a step, and a solution a direction. PL_E_INPUT: contact, steps
// that adapt or free rigid bodies, or a run to be gone on with.
pl_status pl_transient_gradient(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                                pl_gradient *g, pl_state *s, pl_history *history, pl_work *w,
                                pl_observe_fn observe, void *ctx, pl_transient_info *info);
// The same with contact (NULL: none) and exact Coulomb friction. No node of the contact enters an
// obstacle at the end of a step, and forces obey the law with the velocities there. Newmark: a
// state's acceleration leaves forces of contact out, as they act at the ends of steps only; impacts
// without damping give back what elements hold. A step whose law or motion is not solved is halved.
// The contact keeps the forces of the last accepted step.
pl_status pl_transient_contact(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                               pl_contact *k, pl_state *s, pl_history *history, pl_work *w,
                               pl_observe_fn observe, void *ctx, pl_transient_info *info);
void pl_history_free(pl_env *env, pl_history *h);

// ---- sound --------------------------------------------------------------------------------------

// Bodies of a model, which are nodes joined by elements, and how fast sound goes through them as
// through a bar: c = sqrt(E/rho) with E the modulus under tension along a direction, by the energy
// of uniform strains of the reference shape, so that every kind of solid has it. Shells and rods,
// which some of those strains do not stretch, have none.
typedef struct pl_sound {
  pl_env *env;
  int dim, nnode, nbody;
  int *body;         // [nnode]
  int *rigid;        // [nbody] 1: all of it keeps its shape, and impacts are not resolved
  double *mass;      // [nbody] kg
  double *stiffness; // [nbody][6][6] J, factor of the form of strains; [0] <= 0: not known
} pl_sound;
// w is scratch.
pl_status pl_sound_create(const pl_model *m, const pl_params *p, pl_work *w, pl_sound **out);
void pl_sound_free(pl_sound *k);
// m/s along n[dim], a unit vector; 0: not known.
double pl_sound_speed(const pl_sound *k, int body, const double *n);
// s; that sound takes through the body at q[nq] along n[dim]; 0: not known.
double pl_sound_time(const pl_sound *k, int body, const double *q, const double *n);
// out[dim]: velocity of the centre of mass of a body; M v is in mv[nq].
void pl_sound_mean(const pl_sound *k, int body, const double *mv, double *out);

// ---- flight -------------------------------------------------------------------------------------

// The rigid body with the momentum and angular momentum of a state, turned as fits it best by mass.
// lost may be NULL. PL_E_INPUT: nodes are held, or there are other unknowns than places in space.
// PL_DOMAIN: all mass lies on one line, which has no angle about it.
pl_status pl_flight_begin(const pl_model *m, const pl_params *p, const pl_state *s, pl_work *w,
                          pl_flight *k, pl_flight_loss *lost);
// The same of the nodes that are in[nnode], one body of several, with no mass in common with
// others; they must be free, and the rest need not be.
pl_status pl_flight_begin_part(const pl_model *m, const pl_params *p, const pl_state *s, pl_work *w,
                               const char *in, pl_flight *k);
// One step of length h under gravity: exact in the motion of the centre, in angular momentum and in
// the energy of the turn, of fourth order in its angle (order 2: the plain rule). Long steps are
// taken in parts.
void pl_flight_step(pl_flight *k, double h);
void pl_flight_step_order(pl_flight *k, double h, int order);
// Kinetic energy and that of height, J.
double pl_flight_energy(const pl_flight *k);
// The rotation R[3][3] from the reference shape, and how fast it turns, rad/s, world axes.
void pl_flight_rotation(const pl_flight *k, double *R);
void pl_flight_omega(const pl_flight *k, double *omega);
// Places and velocities of the nodes; accelerations are zero.
void pl_flight_state(const pl_model *m, const pl_params *p, const pl_flight *k, pl_state *s);
// Steps of length h until the next one would meet an obstacle (*meets = 1), or to the time `until`;
// the state is that of the flight then. c may be NULL; in: [nnode] nodes of the body, whose places
// alone change, NULL: all. PL_CANCELLED: the host wants to stop.
pl_status pl_flight_to_contact(const pl_model *m, const pl_params *p, pl_contact *c, pl_work *w,
                               const char *in, pl_flight *k, double h, double until, pl_state *s,
                               int *meets);

// ---- jumps --------------------------------------------------------------------------------------

// One free body in space from the state through launch, flights and landings until it rests on the
// ground or the time is over. On the ground and while it vibrates it is stepped as by
// pl_transient_contact with Newmark's method; in between it is the rigid body of the same momenta,
// up to one step before that meets an obstacle. history->jump tells where it stands; all else is
// as with pl_transient. PL_E_INPUT: nodes are held, there are other unknowns than places in
// space, or all mass lies on one line.
pl_status pl_jump_run(const pl_jump_opts *o, const pl_model *m, const pl_params *p, pl_contact *k,
                      pl_state *s, pl_history *history, pl_work *w, pl_observe_fn observe,
                      void *ctx, pl_transient_info *info);
// The options of its steps.
pl_transient_opts pl_jump_transient(const pl_jump_opts *o);
// The axis about which it turned most, unit, its largest component positive.
void pl_jump_axis(const pl_jump_state *k, double *axis);
// ---- methods of stepping ------------------------------------------------------------------------

// What a method is to the loop that all motions go through: one table of functions with the
// method's own data. NULL: there is nothing to do, but for attempt, accept and observe.
typedef struct pl_method {
  const char *name; // of the analysis, for messages and progress
  int halvings;     // of a step of the grid, at most
  // One step of length h to time t from the state, to a trial state of its own. PL_UNSOLVED: a
  // shorter one may do. level: how often the step was halved; of lengths that the method chooses 0.
  pl_status (*attempt)(void *ctx, double h, double t, int level);
  // How often a step of the grid that begins is halved from the start; NULL: it is tried whole.
  int (*halved)(void *ctx);
  // The trial becomes the state, and the history moves on.
  pl_status (*accept)(void *ctx, double h);
  // A step of the grid begins, which may be done in parts; it failed, and state, history and forces
  // of contact were put back to where it began.
  void (*save)(void *ctx);
  void (*restore)(void *ctx);
  // A step could not be solved however short; the state is that of its last part.
  void (*unsolved)(void *ctx);
  // A step is complete and counted: what belongs to the history besides.
  pl_status (*complete)(void *ctx);
  // Tells observers. PL_CANCELLED: they want to stop; PL_UNSOLVED: no use to go on; *stop = 1: the
  // end is reached.
  pl_status (*observe)(void *ctx, int *stop);
  // Lengths that the method chooses, beginning with the step of the history: is it over; the length
  // for one that is wanted, and where it ends; after one that failed a shorter one, 0: none; the
  // next one after an accepted one.
  pl_status (*over)(void *ctx, int *yes);
  double (*length)(void *ctx, double want, double *t);
  double (*shorter)(void *ctx, double h);
  double (*longer)(void *ctx, double h);
  // Text of its progress; returns the part that is done, < 0: not known.
  double (*progress)(void *ctx, char text[80]);
} pl_method;

// A motion under way.
typedef struct pl_motion {
  const pl_method *method;
  void *ctx; // of the method
  const pl_model *m;
  const pl_params *p;
  pl_env *env;
  pl_contact *contact;     // NULL: none. Forces are those of the last good step whenever it ends
  pl_state *s;             // the caller's: last accepted step
  pl_transient_info *info; // the caller's
  pl_history hist;         // at s; info is that of the last complete step
  double end;              // s
  // of the loop
  pl_history back;   // where the step of the grid began, with state and contact
  pl_state *grid;    //
  pl_contact was;    //
  pl_history *shown; // the caller's, shows hist when observers are called; NULL: none
  double last;       // wall time at which progress was told
} pl_motion;

// Fresh histories, or those of a run that is gone on with (given->nstep > 0; NULL: none), whose
// counts go to info. two: the method keeps the state before the last; spared: and what
// accelerations of rigid bodies leave out; nsample: steps of a period that is kept, 0: none. From
// here on *given shows the history. PL_E_INPUT: it does not fit.
pl_status pl_motion_open(pl_motion *k, pl_history *given, int two, int spared, int nsample);
// Steps of the grid, or those of the method (g NULL), to the end. Reason, time and number of steps
// go to info; when it ends early state, history and forces are those of the last good step, and
// counts are when it was cancelled.
pl_status pl_motion_run(pl_motion *k, const pl_time_grid *g);
// Gives the history back, unless the status is an error, and frees what is left.
void pl_motion_close(pl_motion *k, pl_history *history, pl_status status);
// Tells progress, at most twenty times a second.
pl_status pl_motion_progress(pl_motion *k);
// Fails with the element that is outside its domain where a motion begins, as w says.
pl_status pl_motion_fail_domain(const pl_model *m, const pl_work *w, const char *what);

// ---- one implicit solve, for time steps of other kinds ------------------------------------------

typedef struct pl_implicit pl_implicit;
// Of the options rtol, max_iter, frequency and ramp count. The options are copied; the model, its
// parameters and the work are used and must live as long.
pl_status pl_implicit_create(const pl_transient_opts *o, const pl_model *m, const pl_params *p,
                             pl_work *w, pl_implicit **out);
void pl_implicit_free(pl_implicit *k);
// Exactly so many Newton iterations in every solve from now on, converged or not; 0: as many as it
// takes.
void pl_implicit_exactly(pl_implicit *k, int iterations);
// The motion whose progress solves tell; they are silent without.
void pl_implicit_motion(pl_implicit *k, pl_motion *motion);
// The accelerations x->a of the free unknowns that balance all other forces at x, which stay in the
// work; unknowns without mass get none. PL_DOMAIN: an element is outside of its domain there.
pl_status pl_implicit_accelerate(pl_implicit *k, pl_state *x);
// Solves r(q, v, a) = 0 in the free unknowns at time t, with v = dv q + vc and a = da q + ac; dv
// and da > 0, vc[nq], ac[nq]. x is the start and the result; drives are set. Where the tangent is
// not positive definite the positive part of its elements stands for it, and the potential of the
// step falls with every iteration: sheets may wrinkle. iterations may be NULL. Allocates in the
// first call only. PL_UNSOLVED: no solution was found, x is somewhere.
pl_status pl_implicit_solve(pl_implicit *k, double t, double dv, double da, const double *vc,
                            const double *ac, pl_state *x, int *iterations);

PL_DECLS_END

#endif
