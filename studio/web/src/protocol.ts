// What the page and the server say to each other: studio/server/README.md has it in words.
// A request is {id, op, args}; its answer {id, reply} or {id, error}. The first one is `hello`.
// Having shown a live state the page says {op: 'shown'}, without an id; two may be on the way.

/** Numbers of the server, fetched by GET with the token: little-endian, of this type and shape. */
export interface ArrayRef {
  url: string // "/data/..."; never changes what it names
  type: 'f32' | 'i32' | 'u8'
  shape: number[]
}

export interface Problem {
  level: 'note' | 'warning' | 'error'
  file: string
  line: number // from 1; 0: unknown
  col: number
  text: string
  hint: string
}

export interface NamedNodes {
  name: string
  n: number
  nodes: ArrayRef // i32 [n]
}

export interface Parameter {
  name: string
  unit: string // that values are shown in
  factor: number // one such unit in SI
  value: number // SI, as are the following
  min: number | null
  max: number | null
}

/** Rigid elements where they are. */
export interface Solids {
  meshes: { x: ArrayRef; triangles: ArrayRef }[]
  of: ArrayRef // i32 [n][2] mesh and tone: 0 steel, 1 copper, 2 red
  poses: ArrayRef // f32 [n][12] place, rotation by rows
}

/** One cell of an interlocking material at rest, and the two vectors (m) that repeat it. */
export interface Material extends Solids {
  name: string
  lattice: number[][]
}

/** What the stretch of a sheet is held to, over the direction in its material: f32 [n][2] angle, length over length at rest. */
export interface ClothLimit {
  name: string // of the body
  text: string
  allowed: ArrayRef
  given: ArrayRef | null // as its file has it
}

/** A scene that was understood. Nodes are vertices of its mesh. Lengths are metres. */
export interface Model {
  rev: number
  title: string
  dim: number
  length: { unit: string; si: number } // that lengths are shown in
  nvert: number
  x: ArrayRef // f32 [nvert][3]
  triangles: ArrayRef // i32 [][3] surfaces of shells, planes and solids, outwards
  segments: ArrayRef // i32 [][2] rods, links, edges of chains
  edges: ArrayRef // i32 [][2] of cells, for the wire overlay
  points: ArrayRef // i32 [] vertices without cells, and joints
  bodies: (NamedNodes & { kind: string })[]
  sets: NamedNodes[]
  supports: (NamedNodes & { text: string })[]
  drives: (NamedNodes & { text: string; axis: number[] | null; centre: number[] | null })[]
  loads: (NamedNodes & { text: string; direction: number[] | null })[]
  // An end of a spring is between two nodes: part of the way from one to the other, and in two
  // dimensions so far (m) to the left of it. ends f32 [][2][3] at rest, nodes i32 [][2][2], at f32 [][2][2]
  springs: { ends: ArrayRef; nodes: ArrayRef; at: ArrayRef }
  obstacles: { name: string; lines: ArrayRef; velocity: number[] }[] // f32 [][2][3] at time 0; m/s
  solids: Solids | null // elements of interlocking materials
  materials: Material[]
  cloth: ClothLimit[]
  watched: { name: string; node: number }[]
  gravity: number[]
  analyses: { name: string; kind: string; line: number; text: string }[]
  parameters: Parameter[]
  describe: string // what `pliant check` prints
}

export interface CheckReply {
  rev: number
  problems: Problem[]
  model: Model | null // null: there are errors
}

/** One thing that a job tells, in the order of its report. */
export type Item =
  | { kind: 'begin'; analysis: string; analysisKind: string }
  | { kind: 'end'; analysis: string; status: string }
  | { kind: 'said'; said: 'key' | 'heading' | 'text' | 'warning' | 'alarm'; text: string }
  | { kind: 'row' }
  | { kind: 'rowEnd' }
  | { kind: 'grid'; rows: string[][] }
  | {
      kind: 'bars'
      bars: { name: string; unit: string; note: string; lo: number | null; hi: number | null; before: number; after: number; log: boolean }[]
    }
  | {
      kind: 'plot'
      name: string
      caption: string
      title: string
      xlabel: string
      ylabel: string
      logx: boolean
      logy: boolean
      equal: boolean
      length: string | null
      series: { name: string | null; dashed: number; points: number; colour: number; xy: ArrayRef }[] // f32 [n][2]
    }
  | { kind: 'chart'; name: string; caption: string; title: string; label: string; length: string | null; rows: { name: string; value: number }[] }
  | {
      kind: 'polar'
      name: string
      caption: string
      title: string
      first: string | null
      second: string | null
      unit: string | null
      series: { name: string | null; dashed: number; points: number; fill: boolean; colour: number; data: ArrayRef; error: ArrayRef | null }[] // f32 [n][2] angle, stretch
    }
  | { kind: 'shape'; name: string; title: string; caption: string; x: ArrayRef; mode: ArrayRef | null } // f32 [nvert][3]; a mode's largest displacement is 1
  | Orbit
  | { kind: 'picture'; name: string; caption: string; title: string; colourLabel: string | null; x: ArrayRef | null; colour: ArrayRef | null; face: ArrayRef | null; lo: number; hi: number; limit: number; moments: ArrayRef | null } // limit > 0: of values; moments f32 [n][nvert][3]: earlier places, drawn like x
  | { kind: 'solids'; name: string; caption: string; title: string; meshes: Solids['meshes']; of: ArrayRef; poses: ArrayRef } // a Solids
  | { kind: 'body'; name: string; caption: string; title: string; labels: string[]; x: ArrayRef; triangles: ArrayRef } // in a space of three numbers, zero inside: f32 [][3], i32 [][3]
  | { kind: 'film'; analysis: string; time: ArrayRef; x: ArrayRef; face: ArrayRef | null } // f32 [n], [n][nvert][3]
  | { kind: 'table'; name: string; columns: { name: string; unit: string }[]; rows: number; data: ArrayRef } // f32 [rows][cols]
  | { kind: 'text'; name: string; csv: string }
  | { kind: 'scene'; name: string; yaml: string }
  | { kind: 'figures'; analysis: string; figures: Record<string, unknown> } // numbers as in summary.json
  | { kind: 'summary'; summary: Record<string, unknown> }
  | { kind: 'message'; level: 'note' | 'warning' | 'error'; text: string; hint: string }

/** A periodic motion: x(t) = c0 + sum_k s_k sin(k w t) + c_k cos(k w t) of every vertex. */
export interface Orbit {
  kind: 'orbit'
  name: string
  title: string
  omega: number // rad/s
  harmonics: number // H
  coefficients: ArrayRef // f32 [nvert][3][2H+1]: c0 s1 c1 s2 c2 ...
}

export type RunState = 'queued' | 'running' | 'done' | 'unsolved' | 'cancelled' | 'failed'

export interface Run {
  run: number
  label: string // "wing.yaml: response"
  kind: 'scene' | 'validate' | 'explore' | 'results'
  state: RunState
  seconds: number
  model: number // revision of its model; 0: none
  folder: string | null // where its files are
}

/** An exploration that waits for values. */
export interface Explored {
  session: number
  step: number // commits so far
  parameters: (Parameter & { log: boolean })[]
  omega: number
  orbit: Orbit
  /** dz/dp of every vertex coordinate: f32 [nparameter][nvert][3][2H+1]; null: larger than 64 MB, ask `predict` */
  sensitivity: ArrayRef | null
  watched: { name: string; node: number; axes: number; amplitude: number; gradient: number[] }[] // path length, m, along axes (bit c: axis c; 0: all)
  size: number // of the motion: root mean square distance from its mean, m
  predictionError: number | null // of the step that led here: distance over size
  fresh: boolean // the motion could not be followed, and was solved from rest
}

/** A step of a design or a fit, an evaluation of a search. */
export interface IterateTold {
  analysis: string
  analysisKind: string
  iteration: number
  value: number | null // null: it failed
  best: boolean // of a search: none so far is better
  values: Record<string, number | null>
  units: Record<string, string> // of values that are not in SI
  set: string[] // overrides of the scene that lead there; none: parameters have these values
  figures: Record<string, number | null> // what it comes to
  orbits: Orbit[]
}

export type ServerEvent =
  | { event: 'lost' } // events were left out, as this page could not keep up: ask anew for runs and items
  | { event: 'run'; run: Run }
  | { event: 'progress'; run: number; what: string; done: number; text: string; left: number | null } // left: s, estimated
  | { event: 'item'; run: number; n: number; item: Item } // n: from 0, without gaps
  | { event: 'rows'; run: number; table: string; columns: { name: string; unit: string }[]; first: number; every: number; rows: (number | null)[][] } // rows from `first` on: those that were there are replaced. Of long tables every second row is told, every fourth and so on
  | { event: 'explored'; run: number; explored: Explored }
  | ({ event: 'iterate'; run: number } & IterateTold)
  | { event: 'dropped'; run: number } // it was old, and nothing is kept of it

// Live states come as binary messages: a header of 24 bytes, little-endian: "PLN1", u32 kind (1: positions),
// u32 run, u32 count of floats, f64 time; then f32 [nvert][3].
export const FRAME_POSITIONS = 1

export interface RequestMap {
  hello: [{ token: string }, Hello]
  gallery: [Record<string, never>, { cards: { name: string; title: string; picture: boolean }[] }]
  files: [Record<string, never>, { folder: string; files: { path: string; kind: 'scene' | 'results' | 'mesh' | 'data'; bytes: number; time: number }[] }]
  open: [{ path: string } | { gallery: string } | { starter: string }, { path: string; text: string }]
  check: [{ path: string; text: string }, CheckReply]
  save: [{ path: string; text: string }, { bytes: number }]
  write: [{ path: string; data: string }, { bytes: number }] // a CSV file, beside the scene
  upload: [{ path: string; at: number; total: number; base64: string; upload?: number }, { bytes: number; upload: number }] // pieces of a mesh, table or drawing, from at 0 on; upload: as the first was answered
  schema: [Record<string, never>, { paths: [string, string][] }]
  run: [{ path: string; text: string; only?: string; set?: string[] }, { run: number }]
  validate: [{ protocol: string; model?: string; quick: boolean }, { run: number }]
  results: [{ path: string }, { run: number }] // opens a result folder as a run that has ended
  cancel: [{ run: number }, Record<string, never>]
  runs: [Record<string, never>, { runs: Run[] }]
  model: [{ rev: number }, { model: Model }] // of a run
  items: [{ run: number; from: number }, { items: Item[] }]
  live: [{ run: number }, { tables: (Item & { kind: 'table' } & { every: number })[]; iterates: (ServerEvent & { event: 'iterate' })[] }] // tables that still grow, all iterates
  motion: [{ run: number; table: string; row: number }, { row: number; orbit: Orbit | null }] // of a point of a curve, or of the nearest one that is kept
  explored: [{ session: number }, { explored: Explored }] // as it was told last
  leave: [{ session: number }, Record<string, never>]
  explore: [{ path: string; text: string; set?: string[]; frequency?: number; harmonics?: number }, { run: number; session: number }] // rad/s
  predict: [{ session: number; values: number[]; orbit?: boolean }, { trust: number | null; orbit: Orbit | null }] // orbit: also where the page has sensitivities
  direction: [{ session: number; watched: string; parameters: number[]; down?: boolean }, { change: number[] }] // along the gradient, or against it, of length one in scaled variables
  commit: [{ session: number; values: number[] }, { run: number }] // ends in an event `explored`
  undo: [{ session: number }, { run: number }]
  pause: [{ run: number }, Record<string, never>] // a design: stops at the next iterate, its checkpoint kept
  resume: [{ run: number }, { run: number }]
}

export interface Hello {
  version: string
  folder: string
  scene: string | null // opened at start
  results: string | null
  threads: number
  processors: number
  nonce: string // of style elements that the page adds
  starters: [string, string][]
  analyses: [string, string][]
  protocols: { name: string; text: string; models: string[] }[]
}

export type Op = keyof RequestMap
export interface Failure {
  code: string
  text: string
  hint: string
}
