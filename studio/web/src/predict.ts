// The motion to first order, z + S dx (harmonic-balance paper, eq. 23), of all coordinates at once.

/** S is [np][n] for n coefficients z, as the server sends them. */
export class Prediction {
  readonly motion: Float32Array // of the last call of `at`
  private readonly n: number
  private readonly dx: Float64Array
  private readonly held: Float64Array // all but the parameter that changed last
  private moving = -1

  constructor(
    private readonly z: Float32Array,
    private readonly S: Float32Array,
    readonly count: number,
  ) {
    this.n = z.length
    if (S.length !== count * this.n) throw new Error('sensitivities do not belong to this motion')
    this.dx = new Float64Array(count)
    this.held = new Float64Array(this.n)
    this.motion = z.slice()
  }

  /** The motion at a change of all parameters. It is cheap where one alone differs from the last call. */
  at(dx: ArrayLike<number>): Float32Array {
    let changed = -1
    let many = false
    for (let k = 0; k < this.count; k++) {
      if (dx[k] === this.dx[k]) continue
      many ||= changed >= 0
      changed = k
    }
    if (changed < 0 && this.moving >= 0) return this.motion
    for (let k = 0; k < this.count; k++) this.dx[k] = dx[k]!
    const moving = many || changed < 0 ? 0 : changed
    if (many || moving !== this.moving) this.hold(moving)
    this.moving = moving
    this.add(moving)
    return this.motion
  }

  // sums up all but one parameter, four in a pass
  private hold(but: number): void {
    const { z, S, n, held, dx } = this
    const list: number[] = []
    for (let k = 0; k < this.count; k++) if (k !== but && dx[k] !== 0) list.push(k)
    held.set(z)
    for (let at = 0; at < list.length; at += 4) {
      const [a, b, c, d] = [0, 1, 2, 3].map((j) => list[Math.min(at + j, list.length - 1)]! * n) as [number, number, number, number]
      const [pa, pb, pc, pd] = [0, 1, 2, 3].map((j) => (at + j < list.length ? dx[list[at + j]!]! : 0)) as [number, number, number, number]
      for (let i = 0; i < n; i++) held[i]! += pa * S[a + i]! + pb * S[b + i]! + pc * S[c + i]! + pd * S[d + i]!
    }
  }

  private add(k: number): void {
    const { S, n, held, motion } = this
    const p = this.dx[k] ?? 0
    const from = k * n
    if (this.count === 0) motion.set(this.z)
    else for (let i = 0; i < n; i++) motion[i] = held[i]! + p * S[from + i]!
  }
}

const samples = 1024 // phases of a period; a power of two
const cosine = Float64Array.from({ length: samples }, (_, s) => Math.cos((2 * Math.PI * s) / samples))
const quarter = samples / 4

/** Length of a node's path over a period (eq. 14), m. axes: bit c counts axis c, 0: all. */
export function pathLength(coefficients: Float32Array, H: number, node: number, axes = 0): number {
  const L = 2 * H + 1
  let sum = 0
  for (let s = 0; s < samples; s++) {
    let square = 0
    for (let c = 0; c < 3; c++) {
      if (axes !== 0 && !((axes >> c) & 1)) continue
      const at = (3 * node + c) * L
      let v = 0
      for (let k = 1; k <= H; k++) {
        const phase = (k * s) & (samples - 1)
        const sine = cosine[(phase - quarter) & (samples - 1)]!
        v += k * (coefficients[at + 2 * k - 1]! * cosine[phase]! - coefficients[at + 2 * k]! * sine)
      }
      square += v * v
    }
    sum += Math.sqrt(square)
  }
  return (2 * Math.PI * sum) / samples
}

/** Root mean square distance of two motions over all nodes and the period, as the library has it (m). */
export function motionDistance(a: Float32Array, b: Float32Array, H: number): number {
  const L = 2 * H + 1
  let sum = 0
  for (let i = 0; i < a.length; i++) {
    const d = a[i]! - b[i]!
    sum += (i % L === 0 ? 1 : 0.5) * d * d
  }
  return Math.sqrt((3 * L * sum) / Math.max(a.length, 1))
}

export type Trust = 'good' | 'fair' | 'poor' | 'unknown'

/** What an estimated distance over the motion's size means; null: none can be had. */
export function trustOf(distance: number | null | undefined): Trust {
  if (distance === undefined) return 'unknown'
  if (distance === null) return 'poor'
  return distance < 0.05 ? 'good' : distance < 0.2 ? 'fair' : 'poor'
}
