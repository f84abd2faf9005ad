#include "scene_impl.h"

// Commented scenes for `pliant new KIND`; each runs as it is.

static const char oscillator[] =
    "pliant: 1                    # a driven Duffing oscillator\n"
    "title: Duffing oscillator\n"
    "dimension: 1                 # scalar unknowns\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 1 kg}]\n"
    "springs:                     # from the ground to the mass\n"
    "  - {nodes: [ground, m], stiffness: 1 N/m, cubic: 0.05 N/m^3, damping: 0.2 N.s/m}\n"
    "loads:                       # 0.1 N cos(omega t)\n"
    "  - {node: m, force: [0.1 N], harmonic: 1, phase: 90 deg}\n"
    "watch: {m: m}\n"
    "analyses:\n"
    "  - modes: {count: 1}\n"
    "  - transient: {frequency: 0.8 rad/s, periods: 40, steps_per_period: 128}\n";

static const char mechanism[] =
    "pliant: 1                    # a compliant leg of three links\n"
    "title: compliant leg\n"
    "units: {length: mm, mass: g} # of bare numbers\n"
    "dimension: 2\n"
    "parameters:                  # used as $name\n"
    "  m_foot: {value: 3, min: 0, max: 20}\n"
    "  thigh: {value: 60, min: 40, max: 80}\n"
    "mechanism:\n"
    "  joints: {hip: [0, 0], knee: [0, -60], ankle: [20, -110], toe: [50, -115]}\n"
    "  links:                     # nearly rigid\n"
    "    - {name: femur, joints: [hip, knee], length: $thigh}\n"
    "    - {name: tibia, joints: [knee, ankle]}\n"
    "    - {name: foot, joints: [ankle, toe]}\n"
    "  springs:                   # femur@0.5 is the middle of the femur\n"
    "    - {from: femur@0.5, to: tibia@0.8, stiffness: 70.2 N/m}\n"
    "    - {from: tibia@0.3, to: foot@0.6, stiffness: 16 N/m}\n"
    "    - {from: hip, to: tibia@0.5, stiffness: 20 N/m}\n"
    "masses:\n"
    "  - {nodes: [knee, ankle], mass: 5}\n"
    "  - {node: toe, mass: $m_foot}\n"
    "drives: [{nodes: [hip, knee], translation: [0, 1 mm]}]\n"
    "damping: {mass: 0.5 1/s, stiffness: 5e-5 s}\n"
    "watch: {toe: toe}\n"
    "analyses:\n"
    "  - modes: {count: 2}\n"
    "  - transient: {frequency: 3 Hz, periods: 5, steps_per_period: 200, ramp: 0.3 s}\n";

static const char shell[] =
    "pliant: 1                    # a thin strip, clamped at one end, under its weight\n"
    "title: clamped strip\n"
    "units: {length: mm}          # of bare numbers and of mesh files\n"
    "materials:\n"
    "  pla: {young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}\n"
    "bodies:\n"
    "  - name: strip\n"
    "    shell:\n"
    "      mesh: {grid: {size: [150, 20], cells: [26, 4]}}   # or the name of a file: wing.obj\n"
    "      material: pla\n"
    "      thickness: 0.8\n"
    "sets:\n"
    "  tip: strip nearest [150, 10, 0]\n"
    "fixed: {nodes: strip group left, clamp: yes}   # without clamp it is a hinge\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "watch: {tip: tip}\n"
    "analyses:\n"
    "  - static: {steps: 2}\n"
    "  - modes: {count: 4, about: static}\n";

static const char plane[] =
    "pliant: 1                    # a flat beam in two dimensions, pulled down at its end\n"
    "title: plane-stress beam\n"
    "units: {length: mm}\n"
    "dimension: 2\n"
    "materials:\n"
    "  rubber: {young: 2 MPa, poisson: 0.45, density: 1100 kg/m^3}\n"
    "bodies:\n"
    "  - name: beam\n"
    "    plane:\n"
    "      mesh: {grid: {size: [100, 10], cells: [120, 12], pattern: alternating}}\n"
    "      material: rubber\n"
    "      thickness: 5\n"
    "fixed: beam group left       # sides of a grid: left right bottom top\n"
    "loads:\n"
    "  - {nodes: beam group right, total: [0, -20 mN]}\n"
    "watch: {tip: 'beam nearest [100, 5]'}\n"
    "analyses:\n"
    "  - static: {steps: 5}\n"
    "  - modes: {count: 4}\n";

static const char solid[] =
    "pliant: 1                    # a soft block, bent by its own weight\n"
    "title: soft block\n"
    "units: {length: mm}\n"
    "materials:\n"
    "  silicone: {young: 0.5 MPa, poisson: 0.45, density: 1070 kg/m^3, law: neo-hookean}\n"
    "bodies:\n"
    "  - name: block\n"
    "    solid:\n"
    "      mesh: {box: {size: [80, 15, 15], cells: [16, 3, 3], cell: hex}}\n"
    "      material: silicone\n"
    "fixed: block group left\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "watch: {tip: 'block nearest [80, 7.5, 7.5]'}\n"
    "analyses:\n"
    "  - static: {steps: 4}\n"
    "  - modes: {count: 4, about: static}\n";

static const char design[] =
    "pliant: 1                    # a hanging leg, tuned so that its foot runs 20 mm a period at 3 "
    "Hz\n"
    "title: a tuned leg\n"
    "units: {length: mm, mass: g} # of bare numbers\n"
    "dimension: 2\n"
    "parameters:                  # used as $name; design moves them within their bounds\n"
    "  m_knee: {value: 20, min: 5, max: 60}\n"
    "  m_foot: {value: 20, min: 5, max: 60}\n"
    "  shin: {value: 80, min: 50, max: 120}\n"
    "mechanism:\n"
    "  joints: {hip: [0, 0], knee: [0, -60], foot: [0, -140]}\n"
    "  links:                     # nearly rigid\n"
    "    - {name: thigh, joints: [hip, knee]}\n"
    "    - {name: shank, joints: [knee, foot], length: $shin}\n"
    "  springs:                   # thigh@0.5 is the middle of the thigh\n"
    "    - {from: thigh@0.2, from_offset: 20, to: shank@0.5, to_offset: 20, stiffness: 70.2 N/m, "
    "damping: 0.3 N.s/m}\n"
    "masses:\n"
    "  - {node: knee, mass: $m_knee}\n"
    "  - {node: foot, mass: $m_foot}\n"
    "drives: [{nodes: [hip], translation: [2 mm, 0]}]\n"
    "gravity: [0, -9.81 m/s^2]\n"
    "damping: {mass: 1.5 1/s, stiffness: 5e-5 s}\n"
    "watch: {foot: foot}\n"
    "analyses:\n"
    "  - explore: {frequency: 3 Hz}   # what does each parameter do?\n"
    "  - design:                  # `pliant list objectives` tells what can be asked for\n"
    "      frequency: 3 Hz\n"
    "      variables: all\n"
    "      objectives: [{amplitude: 20, node: foot}]   # path a period\n"
    "      response: {from: 2 Hz, to: 4 Hz}   # before and after, in the report\n";

static const char rod[] =
    "pliant: 1                    # a bent wire with a bead, built in at one end and shaken there\n"
    "title: shaken wire\n"
    "units: {length: mm, mass: g}\n"
    "materials:\n"
    "  brass: {young: 100 GPa, poisson: 0.34, density: 8500 kg/m^3}\n"
    "bodies:\n"
    "  - name: wire\n"
    "    rod:                     # lines of a file (wire.obj), or made on the spot:\n"
    "      mesh: {points: {at: [[0, 0, 0], [0, 0, 100], [60, 0, 100]], segments: 8}}\n"
    "      material: brass\n"
    "      section: {round: 1.5}  # or {rectangle: [3, 1]}, {tube: [2, 1.5]}\n"
    "masses: [{nodes: wire group end, mass: 5}]\n"
    "drives:                      # clamp: the wire cannot turn there\n"
    "  - {nodes: wire group start, clamp: yes, translation: [2 mm, 0, 0]}\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "damping: {mass: 1 1/s, stiffness: 1e-4 s}\n"
    "watch: {bead: wire group end}\n"
    "analyses:\n"
    "  - static: {}\n"
    "  - modes: {count: 4, about: static}\n"
    "  - periodic: {frequency: 3 Hz, harmonics: 4}\n";

static const char matrices[] =
    "pliant: 1                    # two masses from a textbook, as matrices\n"
    "title: two masses\n"
    "dimension: 1\n"
    "nodes: {a: 0, b: 0}\n"
    "matrices:                    # inline, or the names of Matrix Market files\n"
    "  dofs: [a, b]\n"
    "  mass: [[1, 0], [0, 1]]\n"
    "  damping: [[0.02, 0], [0, 0.02]]\n"
    "  stiffness: [[2, -1], [-1, 2]]\n"
    "potentials:                  # 0.125 J/m^4 a^4: a hardening spring\n"
    "  - {coefficient: 0.125, powers: {a: 4}}\n"
    "loads: [{node: a, force: [0.05 N], harmonic: 1}]\n"
    "watch: {a: a, b: b}\n"
    "analyses:\n"
    "  - modes: {count: 2}\n"
    "  - transient: {frequency: 0.9 rad/s, periods: 30}\n";

static const char contact[] =
    "pliant: 1                    # a soft block tumbles down a step onto the floor\n"
    "title: block on a step\n"
    "units: {length: mm}\n"
    "materials:\n"
    "  rubber: {young: 0.5 MPa, poisson: 0.3, density: 1000 kg/m^3, law: neo-hookean}\n"
    "bodies:\n"
    "  - name: block\n"
    "    solid:\n"
    "      mesh: {box: {size: [60, 40, 30], cells: [4, 3, 2]}}\n"
    "      translate: [0, 0, 50]\n"
    "      material: rubber\n"
    "obstacles:                   # rigid; plane, sphere, box or capsule\n"
    "  - {name: floor, plane: {normal: [0, 0, 1]}, friction: 0.5}\n"
    "  - {name: step, box: {centre: [-20, 20, 20], size: [80, 80, 40]}, friction: 0.2}\n"
    "contact: {nodes: block}      # nodes that feel them\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "damping: {stiffness: 1 ms}\n"
    "watch: {corner: 'block nearest [60, 0, 50]'}\n"
    "analyses:\n"
    "  - transient: {duration: 0.8 s, step: 2 ms, method: implicit-euler}\n";

static const char cloth[] =
    "pliant: 1                    # a soft sheet that stretches by 1 % at most, held at two "
    "corners\n"
    "title: hanging cloth\n"
    "materials:                   # as soft as it is when pulled lightly\n"
    "  cotton: {young: 50 kPa, poisson: 0.3, density: 300 kg/m^3}\n"
    "bodies:\n"
    "  - name: cloth\n"
    "    shell:\n"
    "      mesh: {grid: {size: [1 m, 1 m], cells: [10, 12]}}\n"
    "      material: cotton\n"
    "      thickness: 0.5 mm\n"
    "      limit: {stretch: 1 %}  # or {warp: 1 %, weft: 10 %}, {curve: measured.csv}\n"
    "sets:\n"
    "  pins: ['cloth nearest [0, 0, 0]', 'cloth nearest [1, 0, 0]']\n"
    "fixed: pins\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "watch: {corner: 'cloth nearest [0, 1, 0]'}\n"
    "analyses:\n"
    "  - drape: {}                # where it comes to rest\n"
    "  - transient: {duration: 0.6 s, step: 10 ms, method: bdf2-project}   # its first swing\n";

static const char response[] =
    "pliant: 1                    # the frequency response of a stiffening spring\n"
    "title: frequency response\n"
    "dimension: 1                 # scalar unknowns\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 1 kg}]\n"
    "springs:\n"
    "  - {nodes: [ground, m], stiffness: 1 N/m, cubic: 0.05 N/m^3, damping: 0.1 N.s/m}\n"
    "loads:                       # 0.5 N sin(omega t); without `harmonic` a load is constant\n"
    "  - {node: m, force: [0.5 N], harmonic: 1}\n"
    "watch: {m: m}                # a direction of a node: {tip: tip.y}\n"
    "analyses:\n"
    "  - response:                # through folds, from one frequency to the other\n"
    "      from: 0.2 rad/s\n"
    "      to: 3 rad/s\n"
    "      peaks: max             # 0-peak; or path, rms, harmonic\n"
    "      harmonic_columns: 3    # amplitude and phase of harmonics 1 to 3\n"
    "  - periodic: {name: large, frequency: 1.2 rad/s, branch: upper}\n"
    "  - periodic: {name: small, frequency: 1.2 rad/s, branch: lower}\n";

static const char backbone[] =
    "pliant: 1                    # free motions of a stiffening spring, and its response\n"
    "title: backbone\n"
    "dimension: 1                 # scalar unknowns\n"
    "nodes: {m: 0}\n"
    "masses: [{node: m, mass: 1 kg}]\n"
    "springs:\n"
    "  - {nodes: [ground, m], stiffness: 1 N/m, cubic: 0.05 N/m^3, damping: 0.1 N.s/m}\n"
    "loads:\n"
    "  - {node: m, force: [0.5 N], harmonic: 1}\n"
    "watch: {m: m}\n"
    "analyses:\n"
    "  - backbone: {mode: 1, amplitude: 6 m}           # damping and loads are left out\n"
    "  - response: {from: 0.2 rad/s, to: 3 rad/s}      # drawn over the backbone\n";

static const char interlocking[] =
    "pliant: 1                    # chainmail: how far it goes, and a patch of it, by its elements "
    "and as a sheet\n"
    "title: chainmail of torus knots\n"
    "interlocking:                # a family, or elements of your own (docs/interlocking.md)\n"
    "  - name: mail\n"
    "    torus-knot: {radius: 5.5 mm, winding: 2.7 mm, wire: 1.5 mm, pitch: 12.8333 mm}\n"
    "patches:                     # elements that are held and loaded: the one in the middle is "
    "pulled down\n"
    "  - {name: square, of: mail, cells: [4, 4], held: {edge: rim}, loads: [{force: [0, 0, -0.5 "
    "N]}]}\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "analyses:\n"
    "  - limits:                  # of stretch and of bending: limits.csv, limits.material\n"
    "      of: mail\n"
    "      directions: 12\n"
    "      boundary: 3            # all directions of strain, which sheets of the material need\n"
    "      bending: yes\n"
    "  - native: {of: square}     # every element for itself\n"
    "  - macro: {of: square}      # as a sheet within the limits, beside the elements\n";

const pl_scene_starter pl_scene_starters[] = {
    {"oscillator", "a driven Duffing oscillator", oscillator},
    {"mechanism", "links, joints and springs in two dimensions", mechanism},
    {"shell", "a thin clamped strip under its weight", shell},
    {"plane", "a flat sheet in two dimensions", plane},
    {"solid", "a soft block", solid},
    {"design", "a leg whose masses and length are chosen for a motion", design},
    {"rod", "a bent wire, shaken at its end", rod},
    {"cloth", "a soft sheet with a limit of stretch, held at two corners", cloth},
    {"contact", "a soft block, a step and a floor, with friction", contact},
    {"response", "the frequency response of a stiffening spring, and both motions at one frequency",
     response},
    {"backbone", "free motions of growing amplitude, under a frequency response", backbone},
    {"interlocking", "chainmail: its limits, a patch of elements and the same as a sheet",
     interlocking},
    {"matrices", "textbook matrices with a nonlinear spring", matrices},
};
const int pl_scene_starter_count = COUNT(pl_scene_starters);
