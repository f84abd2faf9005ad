import { BufferAttribute, BufferGeometry, DynamicDrawUsage, InterleavedBuffer, InterleavedBufferAttribute, Mesh, StaticDrawUsage } from 'three'
import type { RawShaderMaterial } from 'three'
import { unbounded } from './materials'

const corner = [0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0] // end, side, 0

// four vertices a piece, as renderers without hardware are slow with instances
function quads(n: number): { position: Float32Array; index: Uint32Array } {
  const position = new Float32Array(12 * n)
  const index = new Uint32Array(6 * n)
  for (let k = 0; k < n; k++) {
    position.set(corner, 12 * k)
    index.set([0, 1, 2, 0, 2, 3].map((i) => 4 * k + i), 6 * k)
  }
  return { position, index }
}

/** Straight pieces of constant width on the screen. */
export class Lines {
  readonly mesh: Mesh<BufferGeometry, RawShaderMaterial>
  private readonly data: Float32Array // [n][4][2][3], both ends at each corner
  private readonly buffer: InterleavedBuffer
  private readonly values: BufferAttribute

  constructor(readonly n: number, material: RawShaderMaterial, moving: boolean, along?: Float32Array) {
    const g = unbounded(new BufferGeometry())
    const { position, index } = quads(n)
    this.data = new Float32Array(24 * n)
    this.buffer = new InterleavedBuffer(this.data, 6)
    this.buffer.setUsage(moving ? DynamicDrawUsage : StaticDrawUsage)
    this.values = new BufferAttribute(new Float32Array(8 * n), 2)
    const arc = new BufferAttribute(new Float32Array(8 * n), 2)
    if (along) for (let k = 0; k < 8 * n; k++) arc.array[k] = along[2 * (k >> 3) + (k & 1)]!
    g.setAttribute('position', new BufferAttribute(position, 3))
    g.setIndex(new BufferAttribute(index, 1))
    g.setAttribute('a', new InterleavedBufferAttribute(this.buffer, 3, 0))
    g.setAttribute('b', new InterleavedBufferAttribute(this.buffer, 3, 3))
    g.setAttribute('along', arc)
    g.setAttribute('values', this.values)
    this.mesh = new Mesh(g, material)
    this.mesh.frustumCulled = false
  }

  /** Ends from the vertices of pairs [n][2]. */
  join(pairs: ArrayLike<number>, x: Float32Array): void {
    const { data } = this
    for (let k = 0; k < this.n; k++) {
      const a = 3 * pairs[2 * k]!
      const b = 3 * pairs[2 * k + 1]!
      for (let to = 24 * k; to < 24 * k + 24; to += 6) {
        data[to] = x[a]!
        data[to + 1] = x[a + 1]!
        data[to + 2] = x[a + 2]!
        data[to + 3] = x[b]!
        data[to + 4] = x[b + 1]!
        data[to + 5] = x[b + 2]!
      }
    }
    this.buffer.needsUpdate = true
  }

  /** Ends one after the other, [n][2][3]. */
  put(ends: Float32Array): void {
    for (let k = 0; k < this.n; k++) for (let c = 0; c < 4; c++) this.data.set(ends.subarray(6 * k, 6 * k + 6), 24 * k + 6 * c)
    this.buffer.needsUpdate = true
  }

  /** A path of n + 1 points. */
  follow(path: Float32Array): void {
    for (let k = 0; k < this.n; k++) for (let c = 0; c < 4; c++) this.data.set(path.subarray(3 * k, 3 * k + 6), 24 * k + 6 * c)
    this.buffer.needsUpdate = true
  }

  colour(pairs: ArrayLike<number>, value: Float32Array | null): void {
    const out = this.values.array
    for (let k = 0; k < out.length; k++) out[k] = value ? value[pairs[2 * (k >> 3) + (k & 1)]!]! : NaN
    this.values.needsUpdate = true
  }

  dispose(): void {
    this.mesh.removeFromParent()
    this.mesh.geometry.dispose()
    this.mesh.material.dispose()
  }
}

/** Arc length at both ends of each of pairs [n][2] along the polylines that they form: dashes go on. */
export function arcLengths(pairs: Int32Array, x: Float32Array): Float32Array {
  const n = pairs.length / 2
  const out = new Float32Array(2 * n)
  const at = new Map<number, number[]>()
  for (let k = 0; k < 2 * n; k++) {
    const list = at.get(pairs[k]!)
    if (list) list.push(k >> 1)
    else at.set(pairs[k]!, [k >> 1])
  }
  const done = new Uint8Array(n)
  const walk = (v: number, e: number): void => {
    let arc = 0
    for (let next: number | undefined = e; next !== undefined; ) {
      const k: number = next
      done[k] = 1
      const flip = pairs[2 * k] !== v ? 1 : 0
      const w = pairs[2 * k + 1 - flip]!
      const length = Math.hypot(x[3 * w]! - x[3 * v]!, x[3 * w + 1]! - x[3 * v + 1]!, x[3 * w + 2]! - x[3 * v + 2]!)
      out[2 * k + flip] = arc
      out[2 * k + 1 - flip] = arc += length
      v = w
      next = at.get(v)!.find((other) => !done[other])
    }
  }
  // open ends first, then what is closed
  for (const [v, list] of at) if (list.length !== 2) for (const e of list) if (!done[e]) walk(v, e)
  for (let e = 0; e < n; e++) if (!done[e]) walk(pairs[2 * e]!, e)
  return out
}
