// Scenes that are small enough to be walked through in seconds.

/** A mechanism in a plane: all that oscillates. */
export const leg = `pliant: 1                       # a hanging leg of two links, shaken at the hip
title: two-link leg
units: {length: mm, mass: g}
dimension: 2
parameters:
  m_foot: {value: 30, min: 5, max: 120}
  thigh: {value: 112, min: 90, max: 150}
  knee_b: {value: 0.65, min: 0.3, max: 1.0}
mechanism:
  joints: {hip: [0, 0], knee: [41.042, -104.21], toe: [-9.672, -212.968]}
  links:
    - {name: femur, joints: [hip, knee], length: $thigh, mass: 20, stiffness: 1e6 N/m}
    - {name: tibia, joints: [knee, toe], mass: 20, stiffness: 1e6 N/m}
  springs:
    - {name: knee_spring, from: femur@0.1, from_offset: -20, to: tibia@$knee_b, to_offset: -20, stiffness: 70.2 N/m, rest: 146}
masses:
  - {node: knee, mass: 40}
  - {node: toe, mass: $m_foot}
drives: [{nodes: [hip], translation: [0, 1]}]
gravity: [0, -9.81 m/s^2]
damping: {mass: 0.5 1/s, stiffness: 5e-5 s}
watch: {toe: toe}
analyses:
  - static: {steps: 5}
  - modes: {count: 2, about: static}
  - periodic: {frequency: 3 Hz, harmonics: 5, about: static}
  - response: {from: 2 Hz, to: 6 Hz, harmonics: 5, about: static}
`

/** What the page is to predict, by the command: the same motion with a foot of 33 g. */
export const predicted = `${leg.slice(0, leg.indexOf('analyses:'))}analyses:
  - static: {steps: 5}
  - explore: {about: static, frequency: 3 Hz, harmonics: 5, set: {m_foot: 33}}
`

/** A shell in space: statics and modes, and a transient that lasts for a second or two. */
export const strip = `pliant: 1                       # a thin strip, clamped at one end, shaken there
title: shaken strip
units: {length: mm}
materials: {pla: {young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}}
bodies:
  - {name: strip, shell: {bending: hinge, mesh: {grid: {size: [150, 20], cells: [26, 4]}}, material: pla, thickness: 0.8}}
sets: {root: strip where x < 6, tip: "strip nearest [150, 10, 0]"}
drives: [{nodes: root, translation: [0, 0, 2]}]
gravity: [0, 0, -9.81 m/s^2]
damping: {mass: 0.5 1/s, stiffness: 5e-5 s}
watch: {tip: tip}
analyses:
  - static: {}
  - modes: {count: 4, about: static}
  - transient: {about: static, frequency: 12 Hz, periods: 10, steps_per_period: 64}
output: {frames: 48}
`

/** One that nobody waits for. */
export const long = strip.replace('periods: 10', 'periods: 100000').replace('shaken strip', 'strip that is shaken for long')

/** Chainmail: how far it stretches in eight directions. */
export const mail = `pliant: 1                       # chainmail: how far it goes
title: chainmail of torus knots
interlocking:
  - name: mail
    torus-knot: {radius: 5.5 mm, winding: 2.7 mm, wire: 1.5 mm, pitch: 12.8333 mm}
analyses:
  - limits: {of: mail, directions: 8}
`
