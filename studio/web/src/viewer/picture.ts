import { BufferAttribute, BufferGeometry, Points, Scene, Vector2 } from 'three'
import type { OrthographicCamera, RawShaderMaterial } from 'three'
import { Body } from './body'
import type { Layout } from './body'
import { looks, palette } from './colours'
import type { Look, RGB } from './colours'
import { Ground } from './ground'
import { Lines } from './lines'
import { lineMaterial, makeMap, makeShared, markMaterial, rgb, unbounded } from './materials'
import type { MarkLook } from './materials'
import { Solids } from './solids'
import { Stage } from './stage'
import type { Quality } from './stage'
import type { MapName, SolidsArrays, Tone, Vec3 } from './types'

type Marks = Points<BufferGeometry, RawShaderMaterial>

export const tint = (hex: string): RGB => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)) as RGB

const tones: Record<Tone, { shape: MarkLook['shape']; colour: string; width: number }> = {
  pick: { shape: 1, colour: '#d55e00', width: 12 },
  select: { shape: 1, colour: '#0072b2', width: 8 },
  watch: { shape: 1, colour: '#d55e00', width: 10 },
  warn: { shape: 3, colour: '#cc2a2a', width: 11 },
}

/** All that WebGL draws of a view. */
export class Picture {
  readonly stage: Stage
  readonly scene = new Scene()
  readonly shared = makeShared()
  body: Body | null = null
  ghost: Body | null = null
  skins: Body[] = []
  solids: Solids | null = null
  private look: Look = looks.light
  private faded = false
  private readonly ground: Ground
  private obstacles: { lines: Lines; velocity: number[] }[] = []
  private trails: Lines[] = []
  private marks = new Map<string, Marks>()
  private map: MapName = 'viridis'

  constructor(canvas: HTMLCanvasElement) {
    this.stage = new Stage(canvas)
    this.ground = new Ground(this.look)
    this.scene.add(this.ground.group)
  }

  setLook(look: Look): void {
    this.look = look
    this.ground.setLook(look)
    for (const b of [this.body, ...this.skins]) b?.setLook(look)
    this.ghost?.setLook(this.ghostLook)
    for (const o of this.obstacles) o.lines.mesh.material.uniforms.tint!.value = rgb(look.obstacle)
    for (const m of this.marks.values()) m.material.uniforms.rim!.value = rgb(look.rim)
    const supports = this.marks.get('support')
    if (supports) supports.material.uniforms.tint!.value = rgb(look.support)
  }

  setModel(layout: Layout): void {
    this.clear()
    this.body = new Body(layout, this.shared, 'main', this.look)
    this.scene.add(this.body.group)
    for (const o of layout.model.obstacles ?? []) {
      const lines = new Lines(o.lines.length / 6, lineMaterial(this.shared, { tint: this.look.obstacle, width: 1.2, opacity: 0.75 }, false), false)
      lines.put(o.lines)
      this.obstacles.push({ lines, velocity: o.velocity ?? [0, 0, 0] })
      this.scene.add(lines.mesh)
    }
    const held = new Set((layout.model.supports ?? []).flatMap((s) => [...s.nodes]))
    // obstacles have lines of their own
    this.ground.ruled = this.obstacles.length === 0
    this.setSolids(layout.model.solids ?? null)
    this.mark('support', Int32Array.from(held), held.size > 24
      ? { shape: 3, tint: this.look.support, rim: this.look.rim, ring: 0, width: 6, bias: 1e-2 }
      : { shape: 2, tint: this.look.support, rim: this.look.rim, ring: 1.2, width: 26, bias: 1e-2 })
  }

  /** Obstacles where they are at a time. */
  setTime(t: number): void {
    for (const { lines, velocity } of this.obstacles) lines.mesh.position.set(velocity[0]! * t, velocity[1]! * t, velocity[2]! * t)
  }

  setGhost(x: Float32Array | null): void {
    if (!this.body) return
    if (x && !this.ghost) {
      this.ghost = new Body(this.body.layout, this.shared, 'ghost', this.ghostLook)
      this.scene.add(this.ghost.group)
    }
    if (x && this.ghost) {
      this.ghost.x.set(x)
      this.ghost.moved()
    } else {
      this.ghost?.dispose()
      this.ghost = null
    }
  }

  private get ghostLook(): Look {
    return this.faded ? { ...this.look, ghost: this.look.skin } : this.look
  }

  fadeGhost(on: boolean): void {
    if (on === this.faded) return
    this.faded = on
    this.ghost?.setLook(this.ghostLook)
  }

  setSkins(sets: Float32Array[]): void {
    while (this.skins.length > sets.length) this.skins.pop()!.dispose()
    sets.forEach((x, k) => {
      if (!this.skins[k] && this.body) {
        this.skins[k] = new Body(this.body.layout, this.shared, 'skin', this.look, 1)
        this.scene.add(this.skins[k]!.group)
      }
      this.skins[k]!.x.set(x)
      this.skins[k]!.moved()
    })
  }

  /** Paths of nodes, [n][points][3] each; seen faintly through what is in front. */
  setTrails(paths: Float32Array[]): void {
    for (const t of this.trails) t.dispose()
    this.trails = []
    paths.forEach((path, k) => {
      const n = Math.max(path.length / 3 - 1, 0)
      for (const through of [true, false]) {
        const colour = tint(palette[(k + 1) % palette.length]!)
        const drawn = { tint: colour, width: 2.4, opacity: through ? 0.3 : 1, through, bias: 1e-3 }
        const line = new Lines(n, lineMaterial(this.shared, drawn, false), false)
        line.follow(path)
        line.mesh.renderOrder = through ? 7 : 3
        this.trails.push(line)
        this.scene.add(line.mesh)
      }
    })
  }

  highlight(nodes: Int32Array, tone: Tone): void {
    const t = tones[tone]
    const width = nodes.length > 2000 ? 4 : nodes.length > 200 ? 6 : t.width
    this.mark(tone, nodes, { shape: t.shape, tint: tint(t.colour), rim: this.look.rim, ring: width > 6 ? 1.5 : 0.8, width, bias: 2e-2 })
  }

  showMarks(name: string, on: boolean): void {
    const m = this.marks.get(name)
    if (m) m.visible = on
  }

  private mark(name: string, nodes: Int32Array, look: MarkLook): void {
    const old = this.marks.get(name)
    if (old) {
      old.removeFromParent()
      old.geometry.dispose()
      old.material.dispose()
      this.marks.delete(name)
    }
    if (nodes.length === 0 || !this.body) return
    const g = unbounded(new BufferGeometry())
    g.setAttribute('position', this.body.geometry.getAttribute('position'))
    g.setIndex(new BufferAttribute(Uint32Array.from(nodes), 1))
    const p = new Points(g, markMaterial(this.shared, look))
    p.frustumCulled = false
    p.renderOrder = 8
    this.marks.set(name, p)
    this.scene.add(p)
  }

  setColour(values: Float32Array | null, lo: number, hi: number, map: MapName, perFace: boolean, limit: number): void {
    const { shared } = this
    if (map !== this.map) {
      shared.map.value.dispose()
      shared.map.value = makeMap(map)
      this.map = map
    }
    shared.kind.value = values ? (perFace ? 2 : 1) : 0
    shared.range.value = new Vector2(lo, hi > lo ? 1 / (hi - lo) : 0)
    shared.limit.value = limit
    this.recolour(values, perFace)
  }

  recolour(values: Float32Array | null, perFace: boolean): void {
    const { body } = this
    if (!body) return
    const before = body.geometry
    body.colour(values, perFace)
    if (before === body.geometry) return
    for (const m of this.marks.values()) m.geometry.setAttribute('position', body.geometry.getAttribute('position'))
  }

  setSolids(s: SolidsArrays | null): void {
    this.solids?.dispose()
    this.solids = s ? new Solids(s) : null
    if (this.solids) this.scene.add(this.solids.group)
  }

  place(lo: Vec3, hi: Vec3, up: Vec3): void {
    this.ground.place(lo, hi, up)
  }

  draw(camera: OrthographicCamera, q: Quality, size: { width: number; height: number; perPixel: number }, ground: boolean): void {
    const { shared, stage } = this
    stage.resize(size.width, size.height)
    shared.ratio.value = q.ratio
    shared.size.value.set(Math.round(size.width * q.ratio), Math.round(size.height * q.ratio))
    shared.perPixel.value = size.perPixel
    const thick = shared.kind.value > 0 || (this.body?.layout.segments.length ?? 0) / 2 <= q.thick
    this.body?.showThick(thick)
    this.ghost?.showThick(thick)
    this.ground.group.visible = ground
    if (ground) this.ground.cast(stage.renderer, this.body, this.solids, q.shadows)
    stage.draw(this.scene, camera, this.look.back, q)
  }

  private clear(): void {
    for (const b of [this.body, this.ghost, ...this.skins]) b?.dispose()
    this.body = this.ghost = null
    this.skins = []
    for (const o of this.obstacles) o.lines.dispose()
    this.obstacles = []
    this.setTrails([])
    for (const m of this.marks.values()) {
      m.removeFromParent()
      m.geometry.dispose()
      m.material.dispose()
    }
    this.marks.clear()
    this.setSolids(null)
  }

  dispose(): void {
    this.clear()
    this.ground.dispose()
    this.shared.map.value.dispose()
    this.stage.dispose()
  }
}
