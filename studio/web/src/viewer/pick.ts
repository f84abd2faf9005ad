// Where points fall on the screen, and which of them are meant.
import type { Vec3 } from './types'

/** A view: pixel = middle + (rows of the axes times (x - target)) / perPixel, y downwards; with an eye larger where it is near. */
export interface Projection {
  right: Vec3
  up: Vec3
  towards: Vec3
  target: Vec3
  perPixel: number // at the target
  eye: number // m from the target; 0: parallel
  width: number
  height: number
}

/** Pixels and depths (pixels, larger is nearer) of positions: out [n][3]. */
export function project(p: Projection, x: ArrayLike<number>, out: Float32Array): Float32Array {
  const k = 1 / p.perPixel
  const [tx, ty, tz] = p.target
  for (let i = 0; i < out.length; i += 3) {
    const a = x[i]! - tx
    const b = x[i + 1]! - ty
    const c = x[i + 2]! - tz
    const depth = p.towards[0] * a + p.towards[1] * b + p.towards[2] * c
    // depths, too: triangles stay flat
    const s = p.eye > 0 ? (k * p.eye) / Math.max(p.eye - depth, 1e-3 * p.eye) : k
    out[i] = p.width / 2 + s * (p.right[0] * a + p.right[1] * b + p.right[2] * c)
    out[i + 1] = p.height / 2 - s * (p.up[0] * a + p.up[1] * b + p.up[2] * c)
    out[i + 2] = s * depth
  }
  return out
}

/** Is a projected node behind a triangle that it does not belong to? */
export function hidden(v: number, seen: Float32Array, tri: Int32Array): boolean {
  const x = seen[3 * v]!
  const y = seen[3 * v + 1]!
  const z = seen[3 * v + 2]!
  for (let t = 0; t < tri.length; t += 3) {
    if (tri[t] === v || tri[t + 1] === v || tri[t + 2] === v) continue
    const a = 3 * tri[t]!
    const b = 3 * tri[t + 1]!
    const c = 3 * tri[t + 2]!
    const [ax, ay, bx, by, cx, cy] = [seen[a]! - x, seen[a + 1]! - y, seen[b]! - x, seen[b + 1]! - y, seen[c]! - x, seen[c + 1]! - y]
    const u = bx * cy - by * cx
    const v_ = cx * ay - cy * ax
    const w = ax * by - ay * bx
    const area = u + v_ + w
    if (area === 0 || u * area < 0 || v_ * area < 0 || w * area < 0) continue
    // half a pixel of depth lets nodes through that touch
    if ((u * seen[a + 2]! + v_ * seen[b + 2]! + w * seen[c + 2]!) / area > z + 0.5) return true
  }
  return false
}

/** The visible node nearest to a pixel, at most `reach` pixels away; null: none. */
export function nearest(seen: Float32Array, tri: Int32Array, px: number, py: number, reach: number): number | null {
  const found: { v: number; far: number; z: number }[] = []
  for (let v = 0; v < seen.length / 3; v++) {
    const far = Math.hypot(seen[3 * v]! - px, seen[3 * v + 1]! - py)
    if (far <= reach) found.push({ v, far, z: seen[3 * v + 2]! })
  }
  // of nodes in one place the one in front
  found.sort((a, b) => (Math.abs(a.far - b.far) > 0.5 ? a.far - b.far : b.z - a.z))
  for (const { v } of found.slice(0, 40)) if (!hidden(v, seen, tri)) return v
  return null
}

/** The visible node that follows one in a direction (dx, dy) of the screen: of those within 45 degrees of it the nearest. */
export function nextNode(seen: Float32Array, tri: Int32Array, from: number, dx: number, dy: number): number | null {
  const found: { v: number; far: number }[] = []
  for (let v = 0; v < seen.length / 3; v++) {
    const x = seen[3 * v]! - seen[3 * from]!
    const y = seen[3 * v + 1]! - seen[3 * from + 1]!
    const along = dx * x + dy * y
    // half a pixel: nodes in one place are one
    if (along > 0.5 && Math.abs(dx * y - dy * x) <= along) found.push({ v, far: Math.hypot(x, y) })
  }
  found.sort((a, b) => a.far - b.far)
  for (const { v } of found.slice(0, 40)) if (!hidden(v, seen, tri)) return v
  return null
}

/** Is a point within a closed polygon [n][2]? */
export function within(polygon: ArrayLike<number>, x: number, y: number): boolean {
  let inside = false
  const n = polygon.length / 2
  for (let i = 0, j = n - 1; i < n; j = i++) {
    const yi = polygon[2 * i + 1]!
    const yj = polygon[2 * j + 1]!
    if (yi > y === yj > y) continue
    const cut = polygon[2 * i]! + ((y - yi) / (yj - yi)) * (polygon[2 * j]! - polygon[2 * i]!)
    if (x < cut) inside = !inside
  }
  return inside
}

/** Nodes within a polygon, through the model; with triangles only those that are seen. */
export function nodesWithin(seen: Float32Array, polygon: ArrayLike<number>, tri: Int32Array | null): Int32Array {
  const out: number[] = []
  for (let v = 0; v < seen.length / 3; v++)
    if (within(polygon, seen[3 * v]!, seen[3 * v + 1]!) && !(tri && hidden(v, seen, tri))) out.push(v)
  return Int32Array.from(out)
}

export const box = (a: [number, number], b: [number, number]): number[] => [a[0], a[1], b[0], a[1], b[0], b[1], a[0], b[1]]
