// glTF 2.0 in one binary file: the mesh, its colours, and a periodic motion as morph targets whose
// weights are sines and cosines, so that any viewer plays it smoothly.
import { colourAt } from './colours'
import type { MapName, OrbitArrays } from './types'

export interface GlbInput {
  x: Float32Array
  rest: Float32Array // that displacements of the orbit are enlarged from
  factor: number
  triangles: Int32Array
  segments: Int32Array
  colour: { values: Float32Array; lo: number; hi: number; map: MapName } | null
  orbit: OrbitArrays | null
}

const FLOAT = 5126
const UINT = 5125

class Buffers {
  views: object[] = []
  accessors: object[] = []
  parts: Uint8Array[] = []
  size = 0

  add(a: Float32Array | Uint32Array, type: 'SCALAR' | 'VEC3', target?: number): number {
    const n = a.length / (type === 'VEC3' ? 3 : 1)
    const ends: { min?: number[]; max?: number[] } = {}
    if (a instanceof Float32Array) {
      const width = type === 'VEC3' ? 3 : 1
      ends.min = Array(width).fill(Infinity)
      ends.max = Array(width).fill(-Infinity)
      for (let i = 0; i < a.length; i++) {
        ends.min![i % width] = Math.min(ends.min![i % width]!, a[i]!)
        ends.max![i % width] = Math.max(ends.max![i % width]!, a[i]!)
      }
    }
    this.views.push({ buffer: 0, byteOffset: this.size, byteLength: a.byteLength, ...(target ? { target } : {}) })
    this.parts.push(new Uint8Array(a.buffer, a.byteOffset, a.byteLength))
    this.size += a.byteLength
    this.accessors.push({ bufferView: this.views.length - 1, componentType: a instanceof Float32Array ? FLOAT : UINT, count: n, type, ...ends })
    return this.accessors.length - 1
  }
}

// colours of glTF are linear
const linear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)

function vertexColours(c: NonNullable<GlbInput['colour']>): Float32Array {
  const out = new Float32Array(3 * c.values.length)
  c.values.forEach((v, i) => out.set(colourAt(c.map, (v - c.lo) / (c.hi - c.lo || 1)).map((b) => linear(b / 255)), 3 * i))
  return out
}

// coefficient k of all coordinates
function coefficient(g: GlbInput, o: OrbitArrays, k: number): Float32Array {
  const out = new Float32Array(g.x.length)
  const per = 2 * o.harmonics + 1
  for (let i = 0; i < out.length; i++) {
    const from = k === 0 ? g.rest[i]! : 0
    out[i] = from + g.factor * (o.coefficients[i * per + k]! - from)
  }
  return out
}

function animation(b: Buffers, o: OrbitArrays): object {
  const n = 16 * o.harmonics + 1
  const nt = 2 * o.harmonics
  const time = new Float32Array(n)
  const weight = new Float32Array(n * nt)
  for (let i = 0; i < n; i++) {
    const phase = (2 * Math.PI * i) / (n - 1)
    time[i] = phase / o.omega
    for (let k = 1; k <= o.harmonics; k++) {
      weight[i * nt + 2 * k - 2] = Math.sin(k * phase)
      weight[i * nt + 2 * k - 1] = Math.cos(k * phase)
    }
  }
  return { samplers: [{ input: b.add(time, 'SCALAR'), output: b.add(weight, 'SCALAR') }], channels: [{ sampler: 0, target: { node: 0, path: 'weights' } }] }
}

export function makeGlb(g: GlbInput): Uint8Array<ArrayBuffer> {
  const b = new Buffers()
  const position = b.add(g.orbit ? coefficient(g, g.orbit, 0) : g.x, 'VEC3', 34962)
  const attributes = { POSITION: position, ...(g.colour ? { COLOR_0: b.add(vertexColours(g.colour), 'VEC3', 34962) } : {}) }
  const targets: object[] = []
  if (g.orbit) for (let k = 1; k <= 2 * g.orbit.harmonics; k++) targets.push({ POSITION: b.add(coefficient(g, g.orbit, k), 'VEC3', 34962) })
  const shared = { attributes, material: 0, ...(targets.length > 0 ? { targets } : {}) }
  const primitives = []
  if (g.triangles.length > 0) primitives.push({ ...shared, indices: b.add(Uint32Array.from(g.triangles), 'SCALAR', 34963), mode: 4 })
  if (g.segments.length > 0) primitives.push({ ...shared, indices: b.add(Uint32Array.from(g.segments), 'SCALAR', 34963), mode: 1 })
  if (primitives.length === 0) primitives.push({ ...shared, mode: 0 })
  const animations = g.orbit ? [animation(b, g.orbit)] : undefined
  const json = {
    asset: { version: '2.0', generator: 'pliant' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    // z is up in the model, y in glTF
    nodes: [{ mesh: 0, rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] }],
    meshes: [{ primitives, ...(targets.length > 0 ? { weights: targets.map(() => 0) } : {}) }],
    materials: [{ doubleSided: true, pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.7, ...(g.colour ? {} : { baseColorFactor: [0.6, 0.72, 0.84, 1] }) } }],
    animations,
    accessors: b.accessors,
    bufferViews: b.views,
    buffers: [{ byteLength: b.size }],
  }
  return pack(JSON.stringify(json), b)
}

function pack(json: string, b: Buffers): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(json)
  const head = Math.ceil(text.length / 4) * 4
  const body = Math.ceil(b.size / 4) * 4
  const out = new Uint8Array(28 + head + body)
  const v = new DataView(out.buffer)
  const words = [0x46546c67, 2, out.length, head, 0x4e4f534a]
  words.forEach((w, k) => v.setUint32(4 * k, w, true))
  out.fill(32, 20, 20 + head)
  out.set(text, 20)
  v.setUint32(20 + head, body, true)
  v.setUint32(24 + head, 0x004e4942, true)
  let at = 28 + head
  for (const p of b.parts) {
    out.set(p, at)
    at += p.length
  }
  return out
}
