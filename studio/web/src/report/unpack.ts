// What src/report/pack.c has packed: deflated arrays, bytes by their weight, differences.
import type { FilmArrays, ModelArrays, OrbitArrays } from '../viewer/types'

export interface MeshText {
  vertices: number
  triangles: number
  quads: number
  segments: number
  points: number
  marks: number
  joints: number
  springs: number
  flat: boolean
  data: string
}

export interface MotionText {
  mesh: string
  unit: string // "mm", or nothing
  title: string
  lines: number
  drift: boolean
  scale: number[] // lowest and highest along x, y, z: of all frames, or of each coefficient
  harmonics?: number
  omega?: number
  time?: number[]
  values?: { lo: number; hi: number; most: number; limit: number; label: string }
  data: string
}

export async function inflate(text: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Reads arrays one after the other. */
export class Reader {
  private at = 0

  constructor(private readonly bytes: Uint8Array) {}

  private words(n: number, size: number): Uint8Array {
    const out = new Uint8Array(n * size)
    for (let b = 0; b < size; b++) for (let i = 0; i < n; i++) out[size * i + b] = this.bytes[this.at + b * n + i]!
    this.at += n * size
    return out
  }

  ints(n: number): Int32Array {
    const out = new Int32Array(this.words(n, 4).buffer)
    for (let i = 1; i < n; i++) out[i]! += out[i - 1]!
    return out
  }

  floats(n: number): Float32Array {
    return new Float32Array(this.words(n, 4).buffer)
  }

  /** Planes of n numbers: differences from the one `stride` before, with `chain` from the plane before. */
  shorts(planes: number, n: number, stride: number, chain: boolean): Int16Array {
    const out = new Int16Array(this.words(planes * n, 2).buffer)
    for (let k = 0; k < planes; k++) {
      const from = k * n
      for (let i = stride; i < n; i++) out[from + i]! += out[from + i - stride]!
      if (chain && k > 0) for (let i = 0; i < n; i++) out[from + i]! += out[from + i - n]!
    }
    return out
  }
}

const units: Record<string, { unit: string; si: number }> = {
  m: { unit: 'm', si: 1 }, mm: { unit: 'mm', si: 1e-3 }, um: { unit: 'µm', si: 1e-6 },
}

// numbers of one plane from those of 16 bits; scale: lowest and highest along each axis
function spread(q: Int16Array, scale: number[], out: Float32Array, to: number, step: number): void {
  for (let i = 0; i < q.length; i++) {
    const lo = scale[2 * (i % 3)]!
    const hi = scale[2 * (i % 3) + 1]!
    out[to + i * step] = q[i] === -32768 ? NaN : (lo + hi) / 2 + (((hi - lo) / 2) * q[i]!) / 32767
  }
}

// triangles, those of quadrangles after the others, and the edges of all
function faces(tri: Int32Array, quad: Int32Array): { triangles: Int32Array; edges: Int32Array } {
  const triangles = new Int32Array(tri.length + quad.length * 1.5)
  triangles.set(tri)
  const edges: number[] = []
  const seen = new Set<number>()
  const edge = (a: number, b: number): void => {
    const key = Math.min(a, b) * 2 ** 26 + Math.max(a, b)
    if (seen.has(key)) return
    seen.add(key)
    edges.push(a, b)
  }
  for (const [list, corners] of [[tri, 3], [quad, 4]] as const)
    for (let k = 0; k < list.length; k++) edge(list[k]!, list[k % corners === corners - 1 ? k - corners + 1 : k + 1]!)
  for (let k = 0, to = tri.length; k < quad.length; k += 4, to += 6) {
    const [a, b, c, d] = quad.subarray(k, k + 4)
    triangles.set([a!, b!, c!, a!, c!, d!], to)
  }
  return { triangles, edges: Int32Array.from(edges) }
}

export interface Motion {
  model: ModelArrays
  marks: Int32Array
  orbit: OrbitArrays | null
  film: FilmArrays | null
  values: (NonNullable<MotionText['values']> & { first: Float32Array }) | null
}

// lines in groups that go the same way
function obstacles(r: Reader, m: MotionText): ModelArrays['obstacles'] {
  const lines = r.floats(6 * m.lines)
  const drift = m.drift ? r.floats(3 * m.lines) : null
  const seconds = m.time ? m.time[m.time.length - 1]! - m.time[0]! : 0
  const groups = new Map<string, { velocity: number[]; lines: number[] }>()
  for (let k = 0; k < m.lines; k++) {
    const velocity = [0, 1, 2].map((c) => (drift && seconds > 0 ? drift[3 * k + c]! / seconds : 0))
    const group = groups.get(velocity.join()) ?? { velocity, lines: [] }
    groups.set(velocity.join(), group)
    // where they would be at time 0
    for (let c = 0; c < 6; c++) group.lines.push(lines[6 * k + c]! - velocity[c % 3]! * (m.time?.[0] ?? 0))
  }
  return [...groups.values()].map((g) => ({ name: '', velocity: g.velocity, lines: Float32Array.from(g.lines) }))
}

function springs(n: number, r: Reader, x: Float32Array, flat: boolean): ModelArrays['springs'] {
  const nodes = r.ints(4 * n)
  const at = r.floats(4 * n)
  const ends = new Float32Array(6 * n)
  for (let k = 0; k < 2 * n; k++) {
    const [a, b] = [3 * nodes[2 * k]!, 3 * nodes[2 * k + 1]!]
    const d = [0, 1, 2].map((c) => x[b + c]! - x[a + c]!)
    const size = Math.hypot(...d)
    const off = flat && size > 0 ? at[2 * k + 1]! / size : 0
    for (let c = 0; c < 3; c++) ends[3 * k + c] = x[a + c]! + at[2 * k]! * d[c]! + off * [-d[1]!, d[0]!, 0][c]!
  }
  return { ends, nodes, at }
}

function orbitOf(m: MotionText, r: Reader, n: number): OrbitArrays {
  const harmonics = m.harmonics!
  const per = 2 * harmonics + 1
  const q = r.shorts(per, n, 3, false)
  const coefficients = new Float32Array(per * n)
  for (let k = 0; k < per; k++) spread(q.subarray(k * n, (k + 1) * n), m.scale.slice(6 * k, 6 * k + 6), coefficients, k, per)
  return { coefficients, harmonics, omega: m.omega! }
}

function filmOf(m: MotionText, r: Reader, n: number): FilmArrays {
  const count = m.time!.length
  const q = r.shorts(count, n, 3, true)
  const x = new Float32Array(count * n)
  for (let k = 0; k < count; k++) spread(q.subarray(k * n, (k + 1) * n), m.scale, x, k * n, 1)
  return { time: Float32Array.from(m.time!), x }
}

/** A motion of a report; files are texts of its scripts. */
export async function unpack(mesh: MeshText, m: MotionText): Promise<Motion> {
  const r = new Reader(await inflate(m.data))
  const lines = obstacles(r, m)
  const n = 3 * mesh.vertices
  const orbit = m.harmonics ? orbitOf(m, r, n) : null
  const film = m.time ? filmOf(m, r, n) : null
  const x = new Float32Array(n)
  if (film) x.set(film.x.subarray(0, n))
  else if (orbit) for (let i = 0; i < n; i++) x[i] = orbit.coefficients[i * (2 * orbit.harmonics + 1)]!
  const s = new Reader(await inflate(mesh.data))
  const tri = s.ints(3 * mesh.triangles)
  const { triangles, edges } = faces(tri, s.ints(4 * mesh.quads))
  const segments = s.ints(2 * mesh.segments)
  const points = s.ints(mesh.points)
  const marks = s.ints(mesh.marks)
  const joints = s.ints(mesh.joints)
  const held = springs(mesh.springs, s, x, mesh.flat)
  let values: Motion['values'] = null
  if (m.values && film) {
    // triangles of quadrangles have none
    const all = triangles.length / 3
    const q = r.shorts(film.time.length, mesh.triangles, 1, true)
    const face = new Float32Array(film.time.length * all).fill(NaN)
    const { lo, most } = m.values
    for (let i = 0; i < q.length; i++) {
      const to = Math.floor(i / mesh.triangles) * all + (i % mesh.triangles)
      if (q[i] !== -32768) face[to] = (lo + most) / 2 + (((most - lo) / 2) * q[i]!) / 32767
    }
    film.face = face
    values = { ...m.values, first: face.subarray(0, all) }
  }
  const model: ModelArrays = {
    title: m.title, dim: mesh.flat ? 2 : 3, x, triangles, edges, segments, points, joints, springs: held, obstacles: lines,
    ...(units[m.unit] ? { length: units[m.unit] } : {}),
  }
  return { model, marks, orbit, film, values }
}
