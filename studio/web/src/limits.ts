// Limits of interlocking materials: from tables of a run to the elements behind a limit.
import type { SolidsArrays } from './viewer/types'

export interface Table {
  columns: readonly { name: string; unit: string }[]
  rows: number
  data: ArrayLike<number> // [rows][columns]
}

/** Kinds of limits, by what their tables are called after the analysis. */
export const limitKinds = ['', '-bending', '-patch', '-boundary', '-patch-boundary'] as const
export type LimitKind = (typeof limitKinds)[number]

/** One limit: a row of its table, and of a pair the first (longest, up) or the second. */
export interface Spot {
  kind: LimitKind
  row: number
  side: 0 | 1
}

export const isBoundary = (k: LimitKind): boolean => k === '-boundary' || k === '-patch-boundary'
export const isDisk = (k: LimitKind): boolean => k === '-patch' || k === '-patch-boundary'

export const place = (t: Table, name: string): number => t.columns.findIndex((c) => c.name === name)

/** The value of a row; NaN where there is no such column or row. */
export function value(t: Table, row: number, name: string): number {
  const c = place(t, name)
  return c < 0 || row < 0 || row >= t.rows ? NaN : (t.data[row * t.columns.length + c] ?? NaN)
}

// rows of a limit in tables of states and contacts, which count limits from 1
function rowsOf(t: Table, s: Spot): number[] {
  const [row, side, n] = [place(t, 'row'), place(t, 'side'), t.columns.length]
  const out: number[] = []
  for (let r = 0; r < t.rows; r++) if (t.data[r * n + row] === s.row + 1 && t.data[r * n + side] === s.side) out.push(r)
  return out
}

// ---- elements -----------------------------------------------------------------------------------

/** Place and rotation by rows of a unit quaternion (w, x, y, z). */
export function poseOf(x: readonly number[], q: readonly number[]): number[] {
  const [w, a, b, c] = q as [number, number, number, number]
  return [
    ...x,
    1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b),
    2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a),
    2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b),
  ]
}

/** Poses [n][12] of all elements in a limit; none: they were not told. */
export function posesOf(states: Table, s: Spot): Float32Array {
  const rows = rowsOf(states, s)
  const out = new Float32Array(12 * rows.length)
  const of = (r: number, names: string[]): number[] => names.map((n) => value(states, r, n))
  rows.forEach((r, k) => out.set(poseOf(of(r, ['x', 'y', 'z']), of(r, ['qw', 'qx', 'qy', 'qz'])), 12 * k))
  return out
}

/** How a limit stretches the lattice: [[xx, xy], [xy, yy]]; null: a sheet that is bent. */
export function stretchOf(t: Table, s: Spot): number[][] | null {
  if (s.kind === '-boundary') {
    const [xx, yy, xy] = ['stretch_xx', 'stretch_yy', 'stretch_xy'].map((n) => value(t, s.row, n)) as [number, number, number]
    return [[xx, xy], [xy, yy]]
  }
  if (s.kind !== '') return null
  const a = (Math.PI / 180) * value(t, s.row, 'angle')
  const end = s.side === 0 ? 'max' : 'min'
  const along = 1 + value(t, s.row, `strain_${end}`)
  const across = 1 + value(t, s.row, `strain_across_${end}`)
  const [c, d] = [Math.cos(a), Math.sin(a)]
  const xy = (along - across) * c * d
  return [[along * c * c + across * d * d, xy], [xy, along * d * d + across * c * c]]
}

/** What repeats a larger cell of so many copies in the stretched sheet: two vectors. */
export function latticeOf(lattice: readonly (readonly number[])[], copies: number, U: readonly (readonly number[])[]): number[][] {
  return lattice.map((a) => U.map((row) => copies * (row[0]! * a[0]! + row[1]! * a[1]!)))
}

/** Elements of a limit, copper, with their images by two vectors, steel, all about it; null: no images. */
export function surround(cell: SolidsArrays, poses: Float32Array, by: readonly (readonly number[])[] | null): SolidsArrays {
  const n = poses.length / 12
  const nelem = cell.of.length / 2
  const far = by ? 1 : 0
  const images: [number, number][] = []
  for (let k = -far; k <= far; k++) for (let l = -far; l <= far; l++) images.push([k, l])
  const of = new Int32Array(2 * n * images.length)
  const all = new Float32Array(12 * n * images.length)
  images.forEach(([k, l], i) => {
    for (let e = 0; e < n; e++) {
      const at = i * n + e
      of[2 * at] = cell.of[2 * (e % nelem)]!
      of[2 * at + 1] = k === 0 && l === 0 && by ? 1 : 0
      all.set(poses.subarray(12 * e, 12 * e + 12), 12 * at)
      for (let c = 0; by && c < 2; c++) all[12 * at + c]! += k * by[0]![c]! + l * by[1]![c]!
    }
  })
  return { meshes: cell.meshes, of, poses: all }
}

/** The material at rest: so many cells along both vectors. */
export function atRest(cell: SolidsArrays, lattice: readonly (readonly number[])[], cells: number): SolidsArrays {
  const nelem = cell.of.length / 2
  const n = cells * cells * nelem
  const poses = new Float32Array(12 * n)
  const of = new Int32Array(2 * n)
  for (let i = 0; i < n; i++) {
    const [e, k] = [i % nelem, Math.floor(i / nelem)]
    poses.set(cell.poses.subarray(12 * e, 12 * e + 12), 12 * i)
    for (let c = 0; c < 2; c++) poses[12 * i + c]! += (k % cells) * lattice[0]![c]! + Math.floor(k / cells) * lattice[1]![c]!
    of[2 * i] = cell.of[2 * e]!
  }
  return { meshes: cell.meshes, of, poses }
}

// ---- contacts -----------------------------------------------------------------------------------

export interface Contact {
  elements: [number, number] // from 1
  cell: number[] // of the second, in vectors of the larger cell
  at: number[] // m
  normal: number[]
  force: number // by how much the limit grows with an overlap, per metre
  gap: number // m
}

/** Contacts that hold a limit, the strongest first. */
export function contactsOf(contacts: Table, s: Spot): Contact[] {
  const v = (r: number, ...names: string[]): number[] => names.map((n) => value(contacts, r, n))
  return rowsOf(contacts, s)
    .map((r): Contact => ({
      elements: v(r, 'first', 'second') as [number, number],
      cell: v(r, 'cell_a', 'cell_b').map((k) => k || 0),
      at: v(r, 'x', 'y', 'z'),
      normal: v(r, 'normal_x', 'normal_y', 'normal_z'),
      force: value(contacts, r, 'force'),
      gap: value(contacts, r, 'gap'),
    }))
    .sort((a, b) => b.force - a.force)
}

const sided = 8
const weak = 0.02 // of the largest force, that is left out

// a shaft and a head along a unit vector: rings of corners
function arrow(from: readonly number[], n: readonly number[], length: number, wide: number): number[] {
  const head = Math.max(length - 3 * wide, 0)
  const pick = Math.abs(n[0]!) < 0.6 ? [1, 0, 0] : [0, 1, 0]
  const cross = (a: readonly number[], b: readonly number[]): number[] => [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!]
  const e = cross(n, pick)
  const size = Math.hypot(...e)
  const u = e.map((c) => c / size)
  const w = cross(n, u)
  const out: number[] = []
  for (const [along, radius] of [[0, 0], [0, wide], [head, wide], [head, 2.4 * wide], [length, 0]] as const)
    for (let k = 0; k < sided; k++) {
      const a = (2 * Math.PI * k) / sided
      for (let c = 0; c < 3; c++) out.push(from[c]! + along * n[c]! + radius * (Math.cos(a) * u[c]! + Math.sin(a) * w[c]!))
    }
  return out
}

function arrowFaces(first: number): number[] {
  const out: number[] = []
  for (let r = 0; r < 4; r++)
    for (let k = 0; k < sided; k++) {
      const a = first + r * sided + k
      const b = first + r * sided + ((k + 1) % sided)
      out.push(a, b, b + sided, a, b + sided, a + sided)
    }
  return out
}

/** Forces on both elements of every contact that pushes; the longest reach across an element, which is so large. */
export function withForces(s: SolidsArrays, contacts: readonly Contact[], reach: number): SolidsArrays {
  const most = contacts[0]?.force ?? 0
  const pushing = contacts.filter((c) => c.force > weak * most)
  if (pushing.length === 0) return s
  const x: number[] = []
  const triangles: number[] = []
  for (const c of pushing)
    for (const side of [1, -1]) {
      triangles.push(...arrowFaces(x.length / 3))
      x.push(...arrow(c.at, c.normal.map((n) => side * n), reach * (0.4 + 0.8 * (c.force / most)), 0.045 * reach))
    }
  return {
    meshes: [...s.meshes, { x: Float32Array.from(x), triangles: Int32Array.from(triangles) }],
    of: Int32Array.from([...s.of, s.meshes.length, 2]),
    poses: Float32Array.from([...s.poses, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
  }
}

/** How far the largest of some shapes reaches from its middle. */
export function reachOf(s: SolidsArrays): number {
  let most = 0
  for (const m of s.meshes) for (const v of m.x) most = Math.max(most, Math.abs(v))
  return most
}

// ---- figures ------------------------------------------------------------------------------------

export interface Figure {
  name: string
  value: number
  unit: string // '%': of a strain; '?': yes or no; '#': a count
}

const told: Record<string, [string, string]> = {
  strain: ['along', '%'],
  strain_across: ['across', '%'],
  bound: ['may go on by, to first order', ''],
  contacts: ['contacts that push', '#'],
  spread: ['spread of ways', ''],
  certified: ['certified', '?'],
  open: ['nothing holds it', '?'],
  unbounded: ['nothing holds it', '?'],
  folds: ['folds', '?'],
  play: ['play', '%'],
}

// a name without its end, where it is of this side; null: it is of the other one
function bare(name: string, s: Spot): string | null {
  const ends = s.kind === '' ? ['_max', '_min'] : ['_up', '_down']
  for (const k of [0, 1]) if (name.endsWith(ends[k]!)) return k === s.side || isBoundary(s.kind) ? name.slice(0, -ends[k]!.length) : null
  return name
}

/** What the table tells of a limit. */
export function figuresOf(t: Table, s: Spot): Figure[] {
  return t.columns.flatMap((c) => {
    const name = bare(c.name, s)
    const v = value(t, s.row, c.name)
    if (name === null || !Number.isFinite(v)) return []
    const [words, unit] = told[name] ?? [name.replace(/_/g, ' '), c.unit]
    // the yes of a fault is told alone
    if (words === 'nothing holds it' && v === 0) return []
    return [{ name: words, value: v, unit: unit || c.unit }]
  })
}

// ---- boundaries ---------------------------------------------------------------------------------

/** Where a plane x[axis] = at cuts a closed surface: lines [][n][3], each closed. */
export function slice(x: ArrayLike<number>, triangles: ArrayLike<number>, axis: number, at: number): number[][][] {
  // between two vertices on either side; those on the plane count as above
  const above = (v: number): boolean => x[3 * v + axis]! >= at
  const point = (a: number, b: number): number[] => {
    const [p, q] = [x[3 * a + axis]!, x[3 * b + axis]!]
    const t = (at - p) / (q - p)
    return [0, 1, 2].map((c) => (c === axis ? at : x[3 * a + c]! + t * (x[3 * b + c]! - x[3 * a + c]!)))
  }
  const key = (a: number, b: number): string => (a < b ? `${a} ${b}` : `${b} ${a}`)
  const next = new Map<string, { to: string; at: number[] }>()
  for (let k = 0; k + 2 < triangles.length; k += 3) {
    const v = [triangles[k]!, triangles[k + 1]!, triangles[k + 2]!] as const
    const ends: Record<string, [number, number]> = {}
    for (let i = 0; i < 3; i++) {
      const [a, b] = [v[i]!, v[(i + 1) % 3]!]
      if (above(a) !== above(b)) ends[above(a) ? 'down' : 'up'] = [a, b]
    }
    // surfaces are outwards, so that one way round leads from triangle to triangle
    if (ends.down && ends.up) next.set(key(...ends.down), { to: key(...ends.up), at: point(...ends.down) })
  }
  const out: number[][][] = []
  while (next.size > 0) {
    const line: number[][] = []
    for (let k = next.keys().next().value; k !== undefined && next.has(k); ) {
      const here = next.get(k)!
      next.delete(k)
      line.push(here.at)
      k = here.to
    }
    if (line.length > 2) out.push([...line, line[0]!])
  }
  return out
}

/** Two of the three numbers of lines, as [n][2] with gaps between lines. */
export function flatten(lines: readonly number[][][], axis: number): Float64Array {
  const [a, b] = [0, 1, 2].filter((c) => c !== axis) as [number, number]
  return Float64Array.from(lines.flatMap((l) => [...l.flatMap((p) => [p[a]!, p[b]!]), NaN, NaN]))
}

/** Side of a limit by what its curve is called; null: no limits. */
export function sideOf(series: string): 0 | 1 | null {
  if (['longest', 'largest', 'up'].includes(series)) return 0
  return ['shortest', 'smallest', 'down'].includes(series) ? 1 : null
}
