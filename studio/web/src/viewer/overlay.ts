// What lies over the picture: colour bar, scale bar, axes, arrows, names, the brush.
import { atLimit, beyond, colourAt, css } from './colours'
import type { Look, RGB } from './colours'
import { number, scaleBar, ticks } from './numbers'
import type { MapName, Vec3 } from './types'

export interface Bar {
  lo: number
  hi: number
  label: string
  map: MapName
  limit: boolean // colours for what is at it and beyond
}

export interface Arrow {
  at: [number, number]
  towards: [number, number] // pixels; shorter than 6: it points at the viewer
  tint: RGB
  turning: boolean // an axis: with a sign of turning
  text?: string // at its root
}

export interface Drawing {
  width: number
  height: number
  look: Look
  axes: [Vec3, Vec3, Vec3] // right, up, towards
  flat: boolean
  perPixel: number // in the middle
  perspective: boolean
  unit: { unit: string; si: number } | undefined
  bar: Bar | null
  arrows: Arrow[]
  names: { at: [number, number]; text: string }[]
  notes: string[] // top left, one a line
  brush: number[] | null // polygon
  focus: boolean
}

type Pen = CanvasRenderingContext2D
const font = (size: number, weight = 400): string =>
  `${weight} ${size}px Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif`

// text with a rim in the colour of the background, readable over anything
function say(c: Pen, look: Look, text: string, x: number, y: number, colour: string): void {
  c.lineJoin = 'round'
  c.strokeStyle = look.back
  c.lineWidth = 3
  c.strokeText(text, x, y)
  c.fillStyle = colour
  c.fillText(text, x, y)
}

export function barSize(bar: Bar | null, width: number): number {
  return bar ? (width < 480 ? 62 : 78) + (bar.limit ? 8 : 0) : 0
}

function drawBar(c: Pen, d: Drawing, bar: Bar): void {
  const wide = 14
  const above = bar.limit ? 40 : 0
  const high = Math.min(Math.max(d.height * 0.48 - above, 80), 260)
  const x = d.width - barSize(bar, d.width) + 4
  const y = Math.max((d.height - high + above) / 2 - 10, 34 + above)
  const shade = c.createLinearGradient(0, y + high, 0, y)
  for (let k = 0; k <= 20; k++) shade.addColorStop(k / 20, css(colourAt(bar.map, k / 20)))
  c.fillStyle = shade
  c.fillRect(x, y, wide, high)
  c.strokeStyle = d.look.mute
  c.lineWidth = 1
  c.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1)
  // powers of ten that all ticks share stand once, with the label
  const most = Math.max(Math.abs(bar.lo), Math.abs(bar.hi))
  const power = most > 0 && (most >= 1e4 || most < 1e-2) ? Math.floor(Math.log10(most) + 1e-9) : 0
  const ten = 10 ** power
  c.font = font(12)
  c.textAlign = 'left'
  c.textBaseline = 'middle'
  c.strokeStyle = d.look.mute
  for (const t of ticks(bar.lo / ten, bar.hi / ten, Math.min(6, Math.floor(high / 32)))) {
    const at = y + high - ((t * ten - bar.lo) / (bar.hi - bar.lo || 1)) * high
    c.lineWidth = 1
    c.beginPath()
    c.moveTo(x + wide, at)
    c.lineTo(x + wide + 4, at)
    c.stroke()
    say(c, d.look, number(t), x + wide + 8, at, d.look.ink)
    c.strokeStyle = d.look.mute
  }
  if (bar.limit)
    [['at limit', atLimit, 20], ['beyond', beyond, 38]].forEach((row) => {
      const [text, colour, up] = row as [string, RGB, number]
      c.fillStyle = css(colour)
      c.fillRect(x, y - up, wide, wide)
      say(c, d.look, text, x + wide + 8, y - up + wide / 2, d.look.ink)
    })
  c.textAlign = 'right'
  c.textBaseline = 'alphabetic'
  const label = power ? `${bar.label}, ${number(ten)}` : bar.label
  say(c, d.look, label, d.width - 12, y - above - 12, d.look.ink)
}

function drawScale(c: Pen, d: Drawing): void {
  const bar = scaleBar(d.perPixel, Math.min(0.28 * d.width, 150), d.unit)
  if (!bar) return
  const x = d.width - 16 - bar.pixels
  const y = d.height - 16
  for (const [colour, wide] of [[d.look.back, 4.5], [d.look.mute, 1.5]] as const) {
    c.strokeStyle = colour
    c.lineWidth = wide
    c.lineCap = 'butt'
    c.beginPath()
    c.moveTo(x, y - 4)
    c.lineTo(x, y + 4)
    c.moveTo(x, y)
    c.lineTo(x + bar.pixels, y)
    c.moveTo(x + bar.pixels, y - 4)
    c.lineTo(x + bar.pixels, y + 4)
    c.stroke()
  }
  c.font = font(12)
  c.textAlign = 'center'
  c.textBaseline = 'alphabetic'
  // sizes are those of the depth about which the view turns
  say(c, d.look, d.perspective ? `${bar.text} in the middle` : bar.text, x + bar.pixels / 2, y - 8, d.look.mute)
}

function drawAxes(c: Pen, d: Drawing): void {
  const r = 26
  const [x, y] = [40, d.height - 40]
  const [right, up, towards] = d.axes
  const order = [0, 1, 2].filter((k) => !d.flat || k < 2).sort((a, b) => towards[a]! - towards[b]!)
  c.font = font(12, 600)
  c.textAlign = 'center'
  c.textBaseline = 'middle'
  c.lineCap = 'round'
  for (const k of order) {
    const [u, v] = [right[k]!, -up[k]!]
    const size = Math.hypot(u, v)
    c.globalAlpha = towards[k]! < -0.05 ? 0.6 : 1
    c.strokeStyle = d.look.axes[k]!
    c.lineWidth = 2.2
    c.beginPath()
    c.moveTo(x, y)
    c.lineTo(x + r * u, y + r * v)
    c.stroke()
    if (size < 0.12) {
      // straight at the viewer or away
      c.fillStyle = d.look.axes[k]!
      c.beginPath()
      c.arc(x, y, 3.4, 0, 7)
      c.fill()
    }
    const f = size < 0.12 ? null : (r + 10) / Math.max(size, 0.55)
    say(c, d.look, 'xyz'[k]!, f === null ? x - 10 : x + f * u * Math.max(size, 0.55), f === null ? y + 10 : y + f * v * Math.max(size, 0.55), d.look.axes[k]!)
    c.globalAlpha = 1
  }
}

function head(c: Pen, x: number, y: number, u: number, v: number, size: number): void {
  c.beginPath()
  c.moveTo(x, y)
  c.lineTo(x - size * (u + 0.42 * v), y - size * (v - 0.42 * u))
  c.lineTo(x - size * (u - 0.42 * v), y - size * (v + 0.42 * u))
  c.closePath()
  c.fill()
}

function drawArrow(c: Pen, look: Look, a: Arrow): void {
  const [x, y] = a.at
  const [dx, dy] = a.towards
  const n = Math.hypot(dx, dy)
  const pass = (colour: string, wide: number): void => {
    c.strokeStyle = c.fillStyle = colour
    c.lineWidth = wide
    c.lineCap = 'round'
    if (n < 6 && a.turning) {
      // about the direction of view
      c.beginPath()
      c.arc(x, y, 15, -0.4, -4.6, true)
      c.stroke()
      const [hx, hy] = [x + 15 * Math.cos(-4.6), y + 15 * Math.sin(-4.6)]
      head(c, hx + 4, hy + 0.4, 1, 0.1, wide > 3 ? 10 : 8.5)
      return
    }
    if (n < 6) {
      c.beginPath()
      c.arc(x, y, 6, 0, 7)
      c.stroke()
      c.beginPath()
      c.arc(x, y, 2, 0, 7)
      c.fill()
      return
    }
    const [u, v] = [dx / n, dy / n]
    c.beginPath()
    c.moveTo(x, y)
    c.lineTo(x + dx - 7 * u, y + dy - 7 * v)
    c.stroke()
    head(c, x + dx, y + dy, u, v, wide > 3 ? 12 : 9.5)
    if (!a.turning) return
    // a ring about the axis, most of the way round
    const squeeze = 0.42
    const angle = Math.atan2(v, u) + Math.PI / 2
    const [mx, my] = [x + 0.55 * dx, y + 0.55 * dy]
    c.beginPath()
    c.ellipse(mx, my, 11, 11 * squeeze, angle, 0.5, 5.6)
    c.stroke()
    const t = 5.6
    const [ex, ey] = [11 * Math.cos(t), 11 * squeeze * Math.sin(t)]
    const [tx, ty] = [-Math.sin(t), squeeze * Math.cos(t)]
    const [ca, sa] = [Math.cos(angle), Math.sin(angle)]
    const m = Math.hypot(tx, ty)
    const [hu, hv] = [(ca * tx - sa * ty) / m, (sa * tx + ca * ty) / m]
    head(c, mx + ca * ex - sa * ey + 4 * hu, my + sa * ex + ca * ey + 4 * hv, hu, hv, wide > 3 ? 8.5 : 7)
  }
  pass(look.back, 5)
  pass(css(a.tint), 2.2)
  if (!a.text) return
  c.font = font(12, 600)
  c.textAlign = 'center'
  c.textBaseline = 'middle'
  say(c, look, a.text, x - (12 * dx) / (n || 1), y - (12 * dy) / (n || 1), css(a.tint))
}

function drawBrush(c: Pen, d: Drawing, p: number[]): void {
  c.beginPath()
  for (let k = 0; k < p.length; k += 2) c.lineTo(p[k]!, p[k + 1]!)
  c.closePath()
  c.fillStyle = css(d.look.drive)
  c.globalAlpha = 0.13
  c.fill()
  c.globalAlpha = 1
  c.strokeStyle = css(d.look.drive)
  c.lineWidth = 1.3
  c.setLineDash([5, 3])
  c.stroke()
  c.setLineDash([])
}

export function drawOverlay(c: Pen, d: Drawing): void {
  c.clearRect(0, 0, d.width, d.height)
  for (const a of d.arrows) drawArrow(c, d.look, a)
  if (d.bar) drawBar(c, d, d.bar)
  drawScale(c, d)
  if (d.height > 120 && d.width > 200) drawAxes(c, d)
  c.font = font(12, 500)
  c.textAlign = 'left'
  c.textBaseline = 'middle'
  for (const n of d.names) {
    const edge = n.at[0] > d.width - 110
    c.textAlign = edge ? 'right' : 'left'
    say(c, d.look, n.text, n.at[0] + (edge ? -10 : 10), n.at[1] - 9, d.look.ink)
  }
  c.textAlign = 'left'
  c.textBaseline = 'alphabetic'
  c.font = font(12.5, 500)
  // narrow views have their tools above them
  const top = d.width < 640 ? 62 : 24
  d.notes.forEach((text, k) => say(c, d.look, text, 14, top + 18 * k, d.look.mute))
  if (d.brush) drawBrush(c, d, d.brush)
  if (d.focus) {
    c.strokeStyle = css(d.look.drive)
    c.lineWidth = 2
    c.strokeRect(1, 1, d.width - 2, d.height - 2)
  }
}
