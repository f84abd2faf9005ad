// Boxes around positions, and displacements drawn larger than they are.
import type { Vec3 } from './types'

export interface Box {
  lo: Vec3
  hi: Vec3
}

/** Around all of some positions [n][3]; null: there are none. */
export function boxOf(sets: Float32Array[]): Box | null {
  const lo: Vec3 = [Infinity, Infinity, Infinity]
  const hi: Vec3 = [-Infinity, -Infinity, -Infinity]
  for (const x of sets)
    for (let i = 0; i < x.length; i++) {
      const v = x[i]!
      if (v < lo[i % 3]!) lo[i % 3] = v
      if (v > hi[i % 3]!) hi[i % 3] = v
    }
  return lo[0] <= hi[0] ? { lo, hi } : null
}

export const diagonal = ({ lo, hi }: Box): number => Math.hypot(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2])

/** Its eight corners. */
export function cornersOf({ lo, hi }: Box): Float32Array {
  const out = new Float32Array(24)
  for (let k = 0; k < 8; k++) for (let c = 0; c < 3; c++) out[3 * k + c] = ((k >> c) & 1 ? hi : lo)[c]!
  return out
}

/** The box with room on the sides where positions leave it; null: they do not. */
export function grown(b: Box, x: Float32Array): Box | null {
  const all = boxOf([x])
  if (!all) return null
  const room = 0.25 * diagonal(b)
  const lo = b.lo.map((v, c) => (all.lo[c]! < v ? all.lo[c]! - room : v)) as Vec3
  const hi = b.hi.map((v, c) => (all.hi[c]! > v ? all.hi[c]! + room : v)) as Vec3
  return lo.some((v, c) => v !== b.lo[c]) || hi.some((v, c) => v !== b.hi[c]) ? { lo, hi } : null
}

/** Displacements from `rest` so many times as large; what is no state of the model stays. */
export function enlarged(rest: Float32Array, x: Float32Array, factor: number, out: Float32Array = new Float32Array(x.length)): Float32Array {
  if (x.length !== rest.length) return x
  for (let i = 0; i < x.length; i++) out[i] = rest[i]! + factor * (x[i]! - rest[i]!)
  return out
}
