import { BufferAttribute, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, InstancedInterleavedBuffer, InterleavedBufferAttribute, Mesh, StaticDrawUsage } from 'three'
import type { RawShaderMaterial } from 'three'

const quad = new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0])

/** Straight pieces of constant width on the screen. */
export class Lines {
  readonly mesh: Mesh<InstancedBufferGeometry, RawShaderMaterial>
  readonly ends: Float32Array // [n][2][3]
  private readonly buffer: InstancedInterleavedBuffer
  private readonly values: InstancedBufferAttribute

  constructor(readonly n: number, material: RawShaderMaterial, moving: boolean, along?: Float32Array) {
    const g = new InstancedBufferGeometry()
    this.ends = new Float32Array(6 * n)
    this.buffer = new InstancedInterleavedBuffer(this.ends, 6, 1)
    this.buffer.setUsage(moving ? DynamicDrawUsage : StaticDrawUsage)
    this.values = new InstancedBufferAttribute(new Float32Array(2 * n), 2)
    g.setAttribute('position', new BufferAttribute(quad, 3))
    g.setIndex([0, 1, 2, 0, 2, 3])
    g.setAttribute('a', new InterleavedBufferAttribute(this.buffer, 3, 0))
    g.setAttribute('b', new InterleavedBufferAttribute(this.buffer, 3, 3))
    g.setAttribute('along', new InstancedBufferAttribute(along ?? new Float32Array(2 * n), 2))
    g.setAttribute('values', this.values)
    g.instanceCount = n
    this.mesh = new Mesh(g, material)
    this.mesh.frustumCulled = false
  }

  /** Ends from the vertices of pairs [n][2]. */
  join(pairs: ArrayLike<number>, x: Float32Array): void {
    const { ends } = this
    for (let k = 0; k < 2 * this.n; k++) {
      const v = 3 * pairs[k]!
      ends[3 * k] = x[v]!
      ends[3 * k + 1] = x[v + 1]!
      ends[3 * k + 2] = x[v + 2]!
    }
    this.changed()
  }

  /** A path of n + 1 points. */
  follow(path: Float32Array): void {
    for (let k = 0; k < this.n; k++) this.ends.set(path.subarray(3 * k, 3 * k + 6), 6 * k)
    this.changed()
  }

  changed(): void {
    this.buffer.needsUpdate = true
  }

  colour(pairs: ArrayLike<number>, value: Float32Array | null): void {
    const out = this.values.array as Float32Array
    for (let k = 0; k < out.length; k++) out[k] = value ? value[pairs[k]!]! : NaN
    this.values.needsUpdate = true
  }

  show(n: number): void {
    this.mesh.geometry.instanceCount = Math.min(n, this.n)
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
