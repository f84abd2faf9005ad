// Periodic motions: x(t) = c0 + sum_k s_k sin(k w t) + c_k cos(k w t).

const basis = new Float64Array(2 * 256 + 1)

function fillBasis(H: number, phase: number): number {
  const n = 2 * H + 1
  basis[0] = 1
  for (let k = 1; k <= H; k++) {
    basis[2 * k - 1] = Math.sin(k * phase)
    basis[2 * k] = Math.cos(k * phase)
  }
  return n
}

/** All coordinates at a phase (rad). */
export function orbitAt(c: Float32Array, H: number, phase: number, out: Float32Array): void {
  const n = fillBasis(H, phase)
  const count = out.length
  for (let i = 0, at = 0; i < count; i++) {
    let sum = c[at]!
    for (let k = 1; k < n; k++) sum += c[at + k]! * basis[k]!
    out[i] = sum
    at += n
  }
}

/** The closed path of one node: [n+1][3], its last point the first. */
export function orbitPath(c: Float32Array, H: number, node: number, n: number): Float32Array {
  const per = 3 * (2 * H + 1)
  const one = c.subarray(node * per, (node + 1) * per)
  const path = new Float32Array(3 * (n + 1))
  for (let k = 0; k <= n; k++) orbitAt(one, H, (2 * Math.PI * (k % n)) / n, path.subarray(3 * k, 3 * k + 3))
  return path
}

/** Frames of a film by linear interpolation; `place` counts frames, from 0 to n - 1 (n when it is closed). */
export function filmAt(x: Float32Array, n: number, place: number, closed: boolean, out: Float32Array): void {
  const per = out.length
  const first = Math.min(Math.max(Math.floor(place), 0), n - 1)
  const next = first + 1 < n ? first + 1 : closed ? 0 : first
  const part = Math.min(Math.max(place - first, 0), 1)
  const a = first * per
  const b = next * per
  for (let i = 0; i < per; i++) {
    const from = x[a + i]!
    out[i] = from + part * (x[b + i]! - from)
  }
}

/** Where in a film a time falls, in frames. */
export function frameOf(time: Float32Array, t: number): number {
  let lo = 0
  let hi = time.length - 1
  if (hi < 1 || t <= time[0]!) return 0
  if (t >= time[hi]!) return hi
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1
    if (time[mid]! <= t) lo = mid
    else hi = mid
  }
  return lo + (t - time[lo]!) / (time[hi]! - time[lo]!)
}
