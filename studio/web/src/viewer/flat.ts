// The model drawn without WebGL: faces from back to front, then lines.
import { colourAt, css } from './colours'
import type { Look } from './colours'
import type { Layout } from './body'
import { project } from './pick'
import type { Projection } from './pick'
import type { MapName } from './types'

const MOST = 8000 // faces that are filled; of more only the lines are drawn

export interface FlatColour {
  values: Float32Array
  perFace: boolean
  lo: number
  hi: number
  map: MapName
}

export class Flat {
  private seen = new Float32Array(0)

  constructor(private readonly canvas: HTMLCanvasElement) {}

  draw(layout: Layout, x: Float32Array, ghost: Float32Array | null, p: Projection, look: Look, colour: FlatColour | null, ratio: number): void {
    const c = this.canvas.getContext('2d')
    if (!c) return
    const [w, h] = [Math.round(p.width * ratio), Math.round(p.height * ratio)]
    if (this.canvas.width !== w || this.canvas.height !== h) Object.assign(this.canvas, { width: w, height: h })
    c.setTransform(ratio, 0, 0, ratio, 0, 0)
    c.fillStyle = look.back
    c.fillRect(0, 0, p.width, p.height)
    if (this.seen.length !== x.length) this.seen = new Float32Array(x.length)
    for (const o of layout.model.obstacles ?? []) {
      const ends = project(p, o.lines, new Float32Array(o.lines.length))
      this.lines(c, ends, null, css(look.obstacle), 1.4)
    }
    project(p, x, this.seen)
    const few = layout.surface.ntri <= MOST
    if (few) this.faces(c, layout, look, colour)
    if (!few) this.lines(c, this.seen, layout.edges, css(look.edge), 0.5)
    this.lines(c, this.seen, layout.segments, css(look.rod), 2.4)
    c.fillStyle = css(look.rod)
    for (const v of [...layout.points, ...layout.joints]) {
      c.beginPath()
      c.arc(this.seen[3 * v]!, this.seen[3 * v + 1]!, 4, 0, 7)
      c.fill()
    }
    if (!ghost) return
    project(p, ghost, this.seen)
    c.setLineDash([6, 4])
    this.lines(c, this.seen, layout.surface.sharp, css(look.ghost), 1.6)
    this.lines(c, this.seen, layout.segments, css(look.ghost), 2)
    c.setLineDash([])
  }

  private faces(c: CanvasRenderingContext2D, layout: Layout, look: Look, colour: FlatColour | null): void {
    const { seen } = this
    const { index, origin, ntri } = layout.surface
    const depth = new Float32Array(ntri)
    const at = (t: number, k: number): number => 3 * origin[index[3 * t + k]!]!
    for (let t = 0; t < ntri; t++) depth[t] = seen[at(t, 0) + 2]! + seen[at(t, 1) + 2]! + seen[at(t, 2) + 2]!
    const order = [...depth.keys()].sort((a, b) => depth[a]! - depth[b]!)
    for (const t of order) {
      const [i, j, k] = [at(t, 0), at(t, 1), at(t, 2)]
      c.beginPath()
      c.moveTo(seen[i]!, seen[i + 1]!)
      c.lineTo(seen[j]!, seen[j + 1]!)
      c.lineTo(seen[k]!, seen[k + 1]!)
      c.closePath()
      c.fillStyle = this.tone(t, [i, j, k], look, colour)
      c.strokeStyle = c.fillStyle // closes the seams
      c.lineWidth = 0.7
      c.fill()
      c.stroke()
    }
  }

  private tone(t: number, [i, j, k]: [number, number, number], look: Look, colour: FlatColour | null): string {
    const { seen } = this
    const u = [0, 1, 2].map((c) => (c === 1 ? -1 : 1) * (seen[j + c]! - seen[i + c]!))
    const v = [0, 1, 2].map((c) => (c === 1 ? -1 : 1) * (seen[k + c]! - seen[i + c]!))
    const n = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!]
    const size = Math.hypot(...n) || 1
    const back = n[2]! < 0
    const s = Math.max(0, ((back ? -1 : 1) * (-0.36 * n[0]! + 0.52 * n[1]! + 0.775 * n[2]!) / size + 0.4) / 1.4)
    if (colour) {
      const value = colour.perFace ? colour.values[t]! : (colour.values[i / 3]! + colour.values[j / 3]! + colour.values[k / 3]!) / 3
      const c = colourAt(colour.map, (value - colour.lo) / (colour.hi - colour.lo || 1))
      return css(c.map((part) => Math.min(255, Math.round(part * (0.7 + 0.37 * s)))) as never)
    }
    const [dark, light] = back ? [look.reverseDark, look.reverse] : [look.frontDark, look.front]
    return css(dark.map((d, c) => Math.round(d + s * (light[c]! - d))) as never)
  }

  private lines(c: CanvasRenderingContext2D, seen: Float32Array, pairs: Int32Array | null, colour: string, wide: number): void {
    c.strokeStyle = colour
    c.lineWidth = wide
    c.lineCap = 'round'
    c.beginPath()
    const n = pairs ? pairs.length : seen.length / 3
    for (let k = 0; k < n; k += 2) {
      const a = 3 * (pairs ? pairs[k]! : k)
      const b = 3 * (pairs ? pairs[k + 1]! : k + 1)
      c.moveTo(seen[a]!, seen[a + 1]!)
      c.lineTo(seen[b]!, seen[b + 1]!)
    }
    c.stroke()
  }
}
