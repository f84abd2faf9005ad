import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, LineSegments, Mesh, NormalBlending, Points } from 'three'
import type { RawShaderMaterial } from 'three'
import type { Look } from './colours'
import { arcLengths, Lines } from './lines'
import { lineMaterial, markMaterial, rgb, surfaceMaterial, unbounded, wireMaterial } from './materials'
import type { Shared } from './materials'
import { attach, coil, coilPoints, hang } from './springs'
import type { Attachment } from './springs'
import { makeSurface, spread, vertexNormals, withFaces } from './surface'
import type { Surface } from './surface'
import type { ModelArrays } from './types'

const FINE = 3000 // triangles from which on light is that of their vertices

/** What does not move of a model: shared by all of its motions on the screen. */
export interface Layout {
  model: ModelArrays
  nvert: number
  surface: Surface
  segments: Int32Array
  edges: Int32Array // of the wire overlay
  joints: Int32Array // ends of segments that are shown
  points: Int32Array
  springs: Attachment[]
  arcs: Float32Array // of sharp edges, then of segments
  grain: number // typical length of an edge, metres
}

function triangleEdges(tri: Int32Array, nvert: number): Int32Array {
  const seen = new Set<number>()
  const out: number[] = []
  for (let c = 0; c < tri.length; c++) {
    const a = tri[c]!
    const b = tri[c % 3 === 2 ? c - 2 : c + 1]!
    const key = Math.min(a, b) * nvert + Math.max(a, b)
    if (seen.has(key)) continue
    seen.add(key)
    out.push(a, b)
  }
  return Int32Array.from(out)
}

function meanLength(pairs: Int32Array, x: Float32Array): number {
  let sum = 0
  for (let k = 0; k < pairs.length; k += 2) {
    const [a, b] = [3 * pairs[k]!, 3 * pairs[k + 1]!]
    sum += Math.hypot(x[b]! - x[a]!, x[b + 1]! - x[a + 1]!, x[b + 2]! - x[a + 2]!)
  }
  return pairs.length > 0 ? (2 * sum) / pairs.length : 0
}

export function makeLayout(model: ModelArrays, crease: number): Layout {
  const nvert = model.x.length / 3
  const triangles = model.triangles ?? new Int32Array(0)
  const segments = model.segments ?? new Int32Array(0)
  const surface = makeSurface(nvert, model.x, triangles, crease)
  const both = new Int32Array(surface.sharp.length + segments.length)
  both.set(surface.sharp)
  both.set(segments, surface.sharp.length)
  const edges = model.edges && model.edges.length > 0 ? model.edges : triangleEdges(triangles, nvert)
  return {
    model,
    nvert,
    surface,
    segments,
    edges,
    grain: meanLength(edges, model.x),
    // chains of many short pieces look better without
    joints: model.joints ?? (segments.length <= 80 ? Int32Array.from(new Set(segments)) : new Int32Array(0)),
    points: model.points ?? new Int32Array(0),
    springs: attach(model),
    arcs: arcLengths(both, model.x),
  }
}

export type Style = 'main' | 'ghost' | 'skin'

/** One state of the model on the screen. */
export class Body {
  readonly group = new Group()
  surface: Surface
  readonly x: Float32Array // [nvert][3]
  geometry: BufferGeometry
  face: Mesh<BufferGeometry, RawShaderMaterial> | null = null
  rods: Lines | null = null
  private under: Mesh<BufferGeometry, RawShaderMaterial> | null = null // depths alone, below what is translucent
  private wire: LineSegments<BufferGeometry, RawShaderMaterial> | null = null
  private sharp: Lines | null = null
  private coils: Lines | null = null
  private thin: LineSegments<BufferGeometry, RawShaderMaterial> | null = null // rods a pixel wide, for renderers that are slow
  private rodsOld = false
  private wireOpacity = 0.2
  private marks: Points<BufferGeometry, RawShaderMaterial>[] = []

  constructor(readonly layout: Layout, private readonly shared: Shared, private readonly style: Style, look: Look, private opacity = 1) {
    this.surface = layout.surface
    this.x = layout.model.x.slice()
    this.geometry = this.makeGeometry()
    this.makeFaces()
    this.makeLines(look)
    if (style === 'main') this.makeMarks(look)
    this.setLook(look)
    this.moved()
  }

  private makeGeometry(): BufferGeometry {
    const n = this.surface.origin.length
    const g = unbounded(new BufferGeometry())
    for (const [name, size] of [['position', 3], ['normal', 3], ['value', 1]] as const) {
      const a = new BufferAttribute(new Float32Array(size * n), size)
      a.setUsage(DynamicDrawUsage)
      g.setAttribute(name, a)
    }
    g.setIndex(new BufferAttribute(this.surface.index, 1))
    return g
  }

  // draws with the same vertices by another list of them
  private sharing(index: ArrayLike<number>): BufferGeometry {
    const g = unbounded(new BufferGeometry())
    g.setAttribute('position', this.geometry.getAttribute('position'))
    g.setIndex(new BufferAttribute(Uint32Array.from(index), 1))
    return g
  }

  private makeFaces(): void {
    if (this.surface.ntri === 0) return
    const main = this.style === 'main'
    const fine = this.surface.ntri > FINE
    const material = surfaceMaterial(this.shared, !main, fine)
    this.face = new Mesh(this.geometry, material)
    this.face.frustumCulled = false
    this.face.renderOrder = main ? 0 : 5
    if (!main) {
      material.transparent = true
      material.blending = NormalBlending
      material.depthWrite = false
      // ahead of the colour pass nothing but depths: one layer shows
      const depth = surfaceMaterial(this.shared, true, fine)
      depth.colorWrite = false
      depth.transparent = true
      depth.polygonOffsetFactor = depth.polygonOffsetUnits = 1.5
      this.under = new Mesh(this.geometry, depth)
      this.under.frustumCulled = false
      this.under.renderOrder = 4
      if (this.style === 'ghost') this.group.add(this.under)
      material.uniforms.opacity!.value = (this.style === 'ghost' ? 0.34 : 0.12) * this.opacity
    }
    this.group.add(this.face)
    if (!main) return
    this.wire = new LineSegments(this.sharing(this.layout.edges), wireMaterial([0, 0, 0], 0.2))
    this.wire.frustumCulled = false
    this.wire.renderOrder = 1
    this.group.add(this.wire)
  }

  private makeLines(look: Look): void {
    const { layout, shared, style } = this
    const main = style === 'main'
    const nsharp = this.surface.sharp.length / 2
    const tint = main ? look.edge : style === 'ghost' ? look.ghost : look.skin
    const dash = style === 'ghost' ? 11 : 0
    // earlier moments lie behind, a prediction in front
    const order = main ? 2 : style === 'ghost' ? 6 : 1
    const opacity = main ? 1 : style === 'ghost' ? 0.95 : 0.55 * this.opacity
    if (nsharp > 0) {
      const drawn = { tint, width: main ? 1.3 : 1.6, opacity: main ? 0.85 : opacity, dash, bias: 4e-4 }
      this.sharp = new Lines(nsharp, lineMaterial(shared, drawn, false), true, layout.arcs.subarray(0, 2 * nsharp))
      this.sharp.mesh.renderOrder = order
      this.group.add(this.sharp.mesh)
    }
    const nseg = layout.segments.length / 2
    if (nseg > 0) {
      const width = nseg > 4000 ? 1.4 : nseg > 400 ? 2.2 : nseg > 40 ? 3.2 : 4.4
      const own = main
        ? { tint: look.rod, width, round: width > 4 ? 1 : 0.6, bias: 8e-4 }
        : { tint, width: 0.7 * width, opacity, dash, bias: 8e-4 }
      this.rods = new Lines(nseg, lineMaterial(shared, own, main), true, layout.arcs.subarray(2 * nsharp))
      this.rods.mesh.renderOrder = order
      this.group.add(this.rods.mesh)
    }
    if (layout.springs.length > 0) {
      const drawn = { tint: main ? look.spring : tint, width: 1.6, opacity, bias: 1e-3 }
      this.coils = new Lines(layout.springs.length * coilPoints, lineMaterial(shared, drawn, false), true)
      this.coils.mesh.renderOrder = order
      this.group.add(this.coils.mesh)
    }
  }

  private makeMarks(look: Look): void {
    const { layout } = this
    const add = (nodes: Int32Array, width: number, ring: number): void => {
      if (nodes.length === 0) return
      const drawn = { shape: ring > 0 ? 1 : 0, tint: ring > 0 ? look.rim : look.rod, rim: look.rod, ring, width } as const
      const p = new Points(this.sharing(nodes), markMaterial(this.shared, drawn))
      p.frustumCulled = false
      p.renderOrder = 3
      this.marks.push(p)
      this.group.add(p)
    }
    add(layout.joints, 8, 1.5)
    add(layout.points, 9, 0)
  }

  setLook(look: Look): void {
    const main = this.style === 'main'
    if (this.face) {
      const u = this.face.material.uniforms
      const tint = this.style === 'ghost' ? look.ghost : look.skin
      const dark = tint.map((c) => 0.72 * c) as typeof tint
      u.front!.value = rgb(main ? look.front : tint)
      u.frontDark!.value = rgb(main ? look.frontDark : dark)
      u.reverse!.value = rgb(main ? look.reverse : tint)
      u.reverseDark!.value = rgb(main ? look.reverseDark : dark)
    }
    const tint = this.style === 'ghost' ? look.ghost : look.skin
    if (this.wire) {
      this.wire.material.uniforms.tint!.value = rgb(look.mesh)
      this.wireOpacity = look.wire
    }
    const set = (lines: Lines | null, own: typeof tint): void => {
      if (lines) lines.mesh.material.uniforms.tint!.value = rgb(main ? own : tint)
    }
    set(this.sharp, look.edge)
    set(this.rods, look.rod)
    set(this.coils, look.spring)
    for (const m of this.marks) {
      const ring = m.material.uniforms.ring!.value > 0
      m.material.uniforms.tint!.value = rgb(ring ? look.rim : look.rod)
      m.material.uniforms.rim!.value = rgb(look.rod)
    }
  }

  /** After a change of x. */
  moved(): void {
    const { layout, surface, x } = this
    const position = this.geometry.getAttribute('position') as BufferAttribute
    spread(surface, x, position.array as Float32Array)
    position.needsUpdate = true
    if (this.face) {
      const normal = this.geometry.getAttribute('normal') as BufferAttribute
      vertexNormals(surface, position.array as Float32Array, normal.array as Float32Array)
      normal.needsUpdate = true
    }
    this.sharp?.join(layout.surface.sharp, x)
    if (this.thin?.visible) this.rodsOld = true
    else this.rods?.join(layout.segments, x)
    if (!this.coils) return
    const ends = new Float32Array(6 * coilPoints * layout.springs.length)
    layout.springs.forEach((s, k) => coil(hang(s, x), s.length, ends, 6 * coilPoints * k))
    this.coils.put(ends)
  }

  /** One value a vertex or, with perFace, a triangle; null: plain. */
  colour(values: Float32Array | null, perFace: boolean): void {
    if (perFace && values && !this.surface.face) this.relay(withFaces(this.surface))
    const value = this.geometry.getAttribute('value') as BufferAttribute
    const out = value.array as Float32Array
    const { origin, face } = this.surface
    if (values && perFace && face) for (let t = 0; t < face.length; t++) out[face[t]!] = values[t]!
    else if (values) for (let i = 0; i < origin.length; i++) out[i] = values[origin[i]!]!
    value.needsUpdate = true
    this.rods?.colour(this.layout.segments, perFace ? null : values)
  }

  // the vertices anew, for another surface of the same model
  private relay(surface: Surface): void {
    const old = this.geometry
    this.surface = surface
    this.geometry = this.makeGeometry()
    const position = this.geometry.getAttribute('position')
    if (this.face) this.face.geometry = this.geometry
    if (this.under) this.under.geometry = this.geometry
    this.wire?.geometry.setAttribute('position', position)
    this.thin?.geometry.setAttribute('position', position)
    for (const m of this.marks) m.geometry.setAttribute('position', position)
    old.dispose()
    this.moved()
  }

  /** Edges of cells, fainter where they are many; perPixel: metres. */
  showWire(on: boolean, perPixel: number): void {
    if (!this.wire) return
    const part = Math.min(Math.max((this.layout.grain / perPixel - 5) / 10, 0), 1)
    this.wire.visible = on && part > 0.05
    this.wire.material.uniforms.opacity!.value = this.wireOpacity * part
  }

  /** Rods as wide as they are meant, or a pixel. */
  showThick(on: boolean): void {
    const { rods } = this
    if (!rods || on === rods.mesh.visible) return
    if (!on && !this.thin) {
      this.thin = new LineSegments(this.sharing(this.layout.segments), wireMaterial([0, 0, 0], 0.95))
      this.thin.frustumCulled = false
      this.thin.renderOrder = rods.mesh.renderOrder
      this.thin.material.uniforms.tint = rods.mesh.material.uniforms.tint!
      this.group.add(this.thin)
    }
    rods.mesh.visible = on
    this.thin!.visible = !on
    if (on && this.rodsOld) rods.join(this.layout.segments, this.x)
    if (on) this.rodsOld = false
  }

  dispose(): void {
    this.group.removeFromParent()
    this.geometry.dispose()
    for (const m of [this.face, this.under, this.wire, this.thin, ...this.marks]) {
      m?.geometry.dispose()
      m?.material.dispose()
    }
    for (const l of [this.sharp, this.rods, this.coils]) l?.dispose()
  }
}
