import { BufferAttribute, DoubleSide, GLSL3, Group, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, RawShaderMaterial } from 'three'
import { unbounded } from './materials'
import * as shader from './shaders'
import { makeSurface, spread, vertexNormals } from './surface'
import type { SolidsArrays, Vec3 } from './types'

const tones: Vec3[] = [[0.66, 0.71, 0.77], [0.84, 0.56, 0.29], [0.79, 0.28, 0.25]] // steel, copper, red

/** Many bodies of a few shapes, each shape drawn at once. */
export class Solids {
  readonly group = new Group()
  readonly lo: Vec3 = [Infinity, Infinity, Infinity]
  readonly hi: Vec3 = [-Infinity, -Infinity, -Infinity]
  private readonly material = new RawShaderMaterial({
    glslVersion: GLSL3, vertexShader: shader.solidVertex, fragmentShader: shader.solidFragment, side: DoubleSide,
  })

  constructor(s: SolidsArrays) {
    const n = s.of.length / 2
    s.meshes.forEach((mesh, k) => {
      const list = Array.from({ length: n }, (_, i) => i).filter((i) => s.of[2 * i] === k)
      if (list.length > 0) this.add(mesh, s, list)
    })
  }

  private add(shape: SolidsArrays['meshes'][number], s: SolidsArrays, list: number[]): void {
    const surface = makeSurface(shape.x.length / 3, shape.x, shape.triangles, 40)
    const n = surface.origin.length
    const position = new Float32Array(3 * n)
    const normal = new Float32Array(3 * n)
    spread(surface, shape.x, position)
    vertexNormals(surface, position, normal)
    const g = unbounded(new InstancedBufferGeometry())
    g.setAttribute('position', new BufferAttribute(position, 3))
    g.setAttribute('normal', new BufferAttribute(normal, 3))
    g.setIndex(new BufferAttribute(surface.index, 1))
    g.instanceCount = list.length
    const each = (name: string, of: (i: number) => ArrayLike<number>): void => {
      const a = new Float32Array(3 * list.length)
      list.forEach((i, k) => a.set(of(i), 3 * k))
      g.setAttribute(name, new InstancedBufferAttribute(a, 3))
    }
    each('place', (i) => s.poses.subarray(12 * i, 12 * i + 3))
    for (let r = 0; r < 3; r++) each(`row${r}`, (i) => s.poses.subarray(12 * i + 3 + 3 * r, 12 * i + 6 + 3 * r))
    each('tint', (i) => tones[s.of[2 * i + 1]! % tones.length]!)
    this.measure(shape.x, s, list)
    const mesh = new Mesh(g, this.material)
    mesh.frustumCulled = false
    this.group.add(mesh)
  }

  private measure(x: Float32Array, s: SolidsArrays, list: number[]): void {
    let reach = 0
    for (let v = 0; v < x.length; v += 3) reach = Math.max(reach, Math.hypot(x[v]!, x[v + 1]!, x[v + 2]!))
    for (const i of list)
      for (let c = 0; c < 3; c++) {
        this.lo[c] = Math.min(this.lo[c]!, s.poses[12 * i + c]! - reach)
        this.hi[c] = Math.max(this.hi[c]!, s.poses[12 * i + c]! + reach)
      }
  }

  dispose(): void {
    this.group.removeFromParent()
    for (const m of this.group.children) (m as Mesh).geometry.dispose()
    this.material.dispose()
  }
}
