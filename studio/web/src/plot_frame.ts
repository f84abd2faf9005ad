// Where things of a plot stand in pixels.
import { line } from 'd3-shape'
import { makeAxis, placeOn, valueAt, widen } from './axis'
import type { Axis, Look } from './axis'

export interface PlotSeries {
  name: string | null
  xy: ArrayLike<number> // [n][2]; a point that is no number breaks the line
  dashed?: number // 1 dashed, 2 dotted
  points?: number // 1 markers alone, 2 both
  colour?: number // of the palette, -1 or none: next
}

export interface PlotSpec {
  title: string
  xlabel: string
  ylabel: string
  logx?: boolean
  logy?: boolean
  equal?: boolean // the same scale on both axes
  length?: string | null // unit that metres are shown in
  least?: number // of the range of y: what varies less is rounding
  series: readonly PlotSeries[]
}

/** What is seen, in data units. */
export interface Window {
  x: [number, number]
  y: [number, number]
}

export interface PlotFrame {
  left: number
  right: number
  top: number
  bottom: number
  x: Axis
  y: Axis
  empty: boolean
}

export const palette = 8
export const colourOf = (s: PlotSeries, index: number): number => ((s.colour ?? -1) >= 0 ? s.colour! : index) % palette

// series beyond the palette repeat its colours in other dashes
export const dashOf = (s: PlotSeries, index: number): string | undefined => (s.dashed === 2 ? '1 5' : s.dashed ? '6 5' : (s.colour ?? -1) < 0 && index >= palette ? '1 4' : undefined)

const drawable = (v: number, log: boolean): boolean => Number.isFinite(v) && (!log || v > 0)

function wholeNumbers(p: PlotSpec, axis: 0 | 1): boolean {
  let seen = false
  if ((axis ? p.ylabel : p.xlabel).includes('(')) return false
  for (const s of p.series)
    for (let i = axis; i < s.xy.length; i += 2) {
      const v = s.xy[i]!
      if (Number.isFinite(v) && v !== Math.floor(v)) return false
      seen ||= Number.isFinite(v)
    }
  return seen
}

/** The range of all data, with room around it; empty: there is none. */
export function dataWindow(p: PlotSpec): { window: Window; empty: boolean } {
  const lo = [Infinity, Infinity]
  const hi = [-Infinity, -Infinity]
  const dots = p.series.some((s) => s.points)
  for (const s of p.series)
    for (let i = 0; i + 1 < s.xy.length; i += 2) {
      const x = s.xy[i]!
      const y = s.xy[i + 1]!
      if (!drawable(x, p.logx ?? false) || !drawable(y, p.logy ?? false)) continue
      lo[0] = Math.min(lo[0]!, x)
      hi[0] = Math.max(hi[0]!, x)
      lo[1] = Math.min(lo[1]!, y)
      hi[1] = Math.max(hi[1]!, y)
    }
  const x = widen(lo[0]!, hi[0]!, p.logx ?? false, dots || p.equal ? 0.04 : 0, false)
  // less than that is drawn as the straight line that it is
  const short = hi[1]! >= lo[1]! ? (p.least ?? 0) - (hi[1]! - lo[1]!) : 0
  const more = short > 0 ? short / 2 : 0
  const y = widen(lo[1]! - more, hi[1]! + more, p.logy ?? false, 0.05, !p.equal)
  return { window: { x, y }, empty: lo[0]! > hi[0]! }
}

function equalised(w: Window, width: number, height: number): Window {
  const spans = [w.x[1] - w.x[0], w.y[1] - w.y[0]] as const
  const per = Math.max(spans[0] / width, spans[1] / height)
  const about = ([lo, hi]: [number, number], pixels: number): [number, number] => [(lo + hi) / 2 - (per * pixels) / 2, (lo + hi) / 2 + (per * pixels) / 2]
  return { x: about(w.x, width), y: about(w.y, height) }
}

// letters of 12 px, a little wide
export const textWidth = (s: string, size = 12): number => {
  let w = 0
  for (const c of s) w += /[ijl.,:;|!'()[\] ⁻¹]/.test(c) ? 0.34 : /[mwMW%×−+=]/.test(c) ? 0.85 : /[A-Z]/.test(c) ? 0.7 : 0.58
  return w * size
}

const widest = (a: Axis): number => Math.max(0, ...a.ticks.map((t) => textWidth(t.text)))

// as many ticks as their labels leave room for
function makeX(range: [number, number], width: number, look: Look): Axis {
  for (let want = Math.max(Math.floor(width / 64), 2); ; want--) {
    const a = makeAxis(range[0], range[1], want, look)
    if (want <= 2 || a.ticks.length * (widest(a) + 22) <= width) return a
  }
}

export function layPlot(p: PlotSpec, width: number, height: number, seen: Window | null): PlotFrame {
  const data = dataWindow(p)
  let w = seen ?? data.window
  const most = p.equal && !data.empty ? Math.max(...w.x.map(Math.abs), ...w.y.map(Math.abs)) : 0
  const look = (k: 0 | 1): Look => ({
    label: k ? p.ylabel : p.xlabel,
    length: p.length ?? null,
    log: (k ? p.logy : p.logx) ?? false,
    whole: wholeNumbers(p, k),
    most,
  })
  const top = 10
  const bottom = height - 46
  const wantY = Math.max(Math.floor((bottom - top) / 42), 2)
  let y = makeAxis(w.y[0], w.y[1], wantY, look(1))
  const left = (y.label ? 26 : 6) + Math.max(widest(y), 22) + 10 + (p.equal ? 10 : 0)
  const right = width - 14
  if (p.equal && !p.logx && !p.logy && !data.empty) {
    w = equalised(w, right - left, bottom - top)
    y = makeAxis(w.y[0], w.y[1], wantY, look(1))
  }
  return { left, right, top, bottom, x: makeX(w.x, right - left, look(0)), y, empty: data.empty }
}

export const pixelX = (f: PlotFrame, v: number): number => f.left + placeOn(f.x, v) * (f.right - f.left)
export const pixelY = (f: PlotFrame, v: number): number => f.bottom - placeOn(f.y, v) * (f.bottom - f.top)
export const tickX = (f: PlotFrame, at: number): number => f.left + ((at - f.x.lo) / (f.x.hi - f.x.lo)) * (f.right - f.left)
export const tickY = (f: PlotFrame, at: number): number => f.bottom - ((at - f.y.lo) / (f.y.hi - f.y.lo)) * (f.bottom - f.top)

/** The data under a pixel. */
export const dataAt = (f: PlotFrame, px: number, py: number): [number, number] => [valueAt(f.x, (px - f.left) / (f.right - f.left)), valueAt(f.y, (f.bottom - py) / (f.bottom - f.top))]

/** Pixels of all points, [n][2]; NaN where a point cannot be drawn. */
export function pixels(f: PlotFrame, s: PlotSeries): Float64Array {
  const out = new Float64Array(s.xy.length)
  for (let i = 0; i + 1 < out.length; i += 2) {
    out[i] = pixelX(f, s.xy[i]!)
    out[i + 1] = pixelY(f, s.xy[i + 1]!)
  }
  return out
}

type Point = [number, number]

const draw = line<Point>()
  .defined(([x, y]) => Number.isFinite(x) && Number.isFinite(y))
  .digits(1)

// in each column of pixels the first, lowest, highest and last point; for lines that go to the right
function columns(p: Float64Array): Point[] {
  const out: Point[] = []
  let k = 0
  while (k < p.length) {
    const column = Math.floor(p[k]!)
    let lo = k
    let hi = k
    let end = k
    for (; end < p.length && Math.floor(p[end]!) === column; end += 2) {
      if (p[end + 1]! < p[lo + 1]!) lo = end
      if (p[end + 1]! > p[hi + 1]!) hi = end
    }
    for (const i of [...new Set([k, Math.min(lo, hi), Math.max(lo, hi), end - 2])]) if (i >= k) out.push([p[i]!, p[i + 1]!])
    if (end === k) {
      out.push([NaN, NaN])
      end += 2
    }
    k = end
  }
  return out
}

function ascends(p: Float64Array): boolean {
  for (let i = 2; i < p.length; i += 2) if (!(p[i]! >= p[i - 2]!)) return false
  return true
}

// points that can be told from the one before
function apart(p: Float64Array): Point[] {
  const out: Point[] = []
  let x = NaN
  let y = NaN
  for (let i = 0; i + 1 < p.length; i += 2) {
    const near = Math.abs(p[i]! - x) < 0.4 && Math.abs(p[i + 1]! - y) < 0.4
    if (near && i + 2 < p.length) continue
    x = p[i]!
    y = p[i + 1]!
    out.push([x, y])
  }
  return out
}

/** Path data of a line, thinned to what can be seen. */
export function linePath(p: Float64Array): string {
  const long = p.length > 6000
  return draw(long && ascends(p) ? columns(p) : apart(p)) ?? ''
}

/** Path data of dots: lines of no length with round caps. */
export function dotPath(p: Float64Array, f: PlotFrame): string {
  const seen = new Set<number>()
  let d = ''
  for (let i = 0; i + 1 < p.length; i += 2) {
    const x = p[i]!
    const y = p[i + 1]!
    const inside = x >= f.left - 6 && x <= f.right + 6 && y >= f.top - 6 && y <= f.bottom + 6
    const key = Math.round(x) * 10000 + Math.round(y)
    if (!inside || seen.has(key)) continue
    seen.add(key)
    d += `M${x.toFixed(1)} ${y.toFixed(1)}h0`
  }
  return d
}

export const dotSize = (n: number): number => (n > 1000 ? 3 : n > 150 ? 4.5 : 6.5)

/** The point nearest to a pixel within reach. */
export function nearestPoint(all: readonly Float64Array[], f: PlotFrame, px: number, py: number, reach: number): { s: number; i: number } | null {
  let best = reach * reach
  let found: { s: number; i: number } | null = null
  all.forEach((p, s) => {
    for (let i = 0; i + 1 < p.length; i += 2) {
      const x = p[i]!
      if (x < f.left - 1 || x > f.right + 1) continue
      const d = (x - px) ** 2 + (p[i + 1]! - py) ** 2
      if (d >= best) continue
      best = d
      found = { s, i: i / 2 }
    }
  })
  return found
}

/** A window about a point of it, larger or smaller. */
export function zoomed(f: PlotFrame, px: number, py: number, factor: number): Window {
  const at = (from: number, to: number, p: number): [number, number] => [p + (from - p) * factor, p + (to - p) * factor]
  const [x0, x1] = at(f.left, f.right, px)
  const [y0, y1] = at(f.bottom, f.top, py)
  return windowOf(f, x0, y0, x1, y1)
}

/** The window between two corners in pixels. */
export function windowOf(f: PlotFrame, x0: number, y0: number, x1: number, y1: number): Window {
  const a = dataAt(f, Math.min(x0, x1), Math.max(y0, y1))
  const b = dataAt(f, Math.max(x0, x1), Math.min(y0, y1))
  return { x: [a[0], b[0]], y: [a[1], b[1]] }
}
