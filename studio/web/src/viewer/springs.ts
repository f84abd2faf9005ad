// Springs between points of a model: where their ends hold, and their zigzags.
import type { ModelArrays } from './types'

/** An end at vertex a + s (b - a) + rest, the rest turning with a -> b. */
export interface End {
  a: number
  b: number
  s: number
  rest: [number, number, number]
  d: [number, number, number] // a -> b at rest
}
export interface Attachment {
  ends: [End, End]
  length: number // at rest
}

const at = (x: Float32Array, v: number, c: number): number => x[3 * v + c]!

// the nearest vertex or place on a segment
function holdOf(m: ModelArrays, p: Float32Array): End {
  const best = { far: Infinity, a: 0, b: 0, s: 0 }
  const tryAt = (a: number, b: number, s: number, slack: number): void => {
    let far = 0
    for (let c = 0; c < 3; c++) far += (at(m.x, a, c) + s * (at(m.x, b, c) - at(m.x, a, c)) - p[c]!) ** 2
    if (far < best.far * slack) Object.assign(best, { far, a, b, s })
  }
  const seg = m.segments ?? new Int32Array(0)
  for (let k = 0; k < seg.length; k += 2) {
    const [a, b] = [seg[k]!, seg[k + 1]!]
    let along = 0
    let size = 0
    for (let c = 0; c < 3; c++) {
      const d = at(m.x, b, c) - at(m.x, a, c)
      along += d * (p[c]! - at(m.x, a, c))
      size += d * d
    }
    tryAt(a, b, size > 0 ? Math.min(Math.max(along / size, 0), 1) : 0, 1)
  }
  for (let v = 0; v < m.x.length / 3; v++) tryAt(v, v, 0, seg.length > 0 ? 0.9 : 1)
  return endAt(m, best.a, best.b, best.s, p)
}

function endAt(m: ModelArrays, a: number, b: number, s: number, p: Float32Array): End {
  const d = [0, 1, 2].map((c) => at(m.x, b, c) - at(m.x, a, c)) as End['d']
  return { a, b, s, rest: [0, 1, 2].map((c) => p[c]! - at(m.x, a, c) - s * d[c]!) as End['rest'], d }
}

export function attach(m: ModelArrays): Attachment[] {
  const { ends, nodes, at: place } = m.springs ?? { ends: new Float32Array(0) }
  const hold = (k: number): End => {
    const p = ends.subarray(3 * k, 3 * k + 3)
    return nodes && place ? endAt(m, nodes[2 * k]!, nodes[2 * k + 1]!, place[2 * k]!, p) : holdOf(m, p)
  }
  const out: Attachment[] = []
  for (let k = 0; k < ends.length / 3; k += 2) {
    const length = Math.hypot(...[0, 1, 2].map((c) => ends[3 * k + 3 + c]! - ends[3 * k + c]!))
    out.push({ ends: [hold(k), hold(k + 1)], length })
  }
  return out
}

// r turned by the smallest rotation that takes the direction u to v
function turned(r: readonly number[], u: readonly number[], v: readonly number[]): number[] {
  const size = Math.hypot(...u) * Math.hypot(...v)
  if (!(size > 0)) return [...r]
  const w = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!].map((c) => c / size)
  const cosine = (u[0]! * v[0]! + u[1]! * v[1]! + u[2]! * v[2]!) / size
  const along = (w[0]! * r[0]! + w[1]! * r[1]! + w[2]! * r[2]!) / Math.max(1 + cosine, 1e-6)
  const cross = [w[1]! * r[2]! - w[2]! * r[1]!, w[2]! * r[0]! - w[0]! * r[2]!, w[0]! * r[1]! - w[1]! * r[0]!]
  return [0, 1, 2].map((c) => cosine * r[c]! + cross[c]! + along * w[c]!)
}

/** Where both ends are: [2][3]. */
export function hang(s: Attachment, x: Float32Array): number[] {
  return s.ends.flatMap((e) => {
    const d = [0, 1, 2].map((c) => at(x, e.b, c) - at(x, e.a, c))
    const rest = e.a === e.b ? e.rest : turned(e.rest, e.d, d)
    return [0, 1, 2].map((c) => at(x, e.a, c) + e.s * d[c]! + rest[c]!)
  })
}

export const coilPoints = 14 // pieces of a zigzag

/** Pieces of a zigzag between two points, so long at rest, into ends [coilPoints][2][3] from `to` on. */
export function coil(ends: number[], rest: number, out: Float32Array, to: number): void {
  const d = [0, 1, 2].map((c) => ends[3 + c]! - ends[c]!)
  const length = Math.hypot(...d)
  // aside: in the plane of x and y, or of x and z where it stands upright there
  let side = [-d[1]!, d[0]!, 0]
  if (Math.hypot(...side) < 0.1 * length) side = [1, 0, 0]
  const size = Math.hypot(...side) || 1
  const wide = 0.055 * (rest || length) // as wide as ever, however far it is drawn out
  const point = (k: number, c: number): number => {
    if (k === 0) return ends[c]!
    if (k === coilPoints) return ends[3 + c]!
    const f = 0.15 + (0.7 * (k - 1)) / (coilPoints - 2)
    const off = k === 1 || k === coilPoints - 1 ? 0 : k % 2 ? wide : -wide
    return ends[c]! + f * d[c]! + (off * side[c]!) / size
  }
  for (let k = 0; k < coilPoints; k++)
    for (let c = 0; c < 3; c++) {
      out[to + 6 * k + c] = point(k, c)
      out[to + 6 * k + 3 + c] = point(k + 1, c)
    }
}
