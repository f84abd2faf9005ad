// Paths of a node over a period, in the plane in which it moves most.
import { scaleLinear } from 'd3-scale'
import { Axes } from './axes'
import { phase } from './motion_view'
import { useSize } from './use_size'
import type { Size } from './use_size'
import { orbitAt } from './viewer/orbit'
import type { OrbitArrays } from './viewer/types'

const points = 181

/** [n][3], closed; m. */
export function pathOf(o: OrbitArrays, node: number, n = points): Float64Array {
  const L = 2 * o.harmonics + 1
  const one = o.coefficients.subarray(3 * node * L, 3 * (node + 1) * L)
  const at = new Float32Array(3)
  const path = new Float64Array(3 * n)
  for (let k = 0; k < n; k++) {
    orbitAt(one, o.harmonics, (2 * Math.PI * k) / (n - 1), at)
    path.set(at, 3 * k)
  }
  return path
}

function box(paths: readonly Float64Array[]): { lo: number[]; hi: number[] } {
  const lo = [Infinity, Infinity, Infinity]
  const hi = [-Infinity, -Infinity, -Infinity]
  for (const p of paths)
    for (let i = 0; i < p.length; i++) {
      lo[i % 3] = Math.min(lo[i % 3]!, p[i]!)
      hi[i % 3] = Math.max(hi[i % 3]!, p[i]!)
    }
  return { lo, hi }
}

/** The two axes along which paths reach farthest, in their order. */
export function planeOf(paths: readonly Float64Array[]): [number, number] {
  const { lo, hi } = box(paths)
  const by = [0, 1, 2].sort((a, b) => hi[b]! - lo[b]! - (hi[a]! - lo[a]!))
  const [a, b] = by.slice(0, 2).sort() as [number, number]
  return [a, b]
}

export interface PathLine {
  name: string
  motion: OrbitArrays | Float64Array // or its points, [n][3], closed
  style: 'solved' | 'predicted' | 'poor' | 'before' | 'target'
}

const margin = { left: 64, right: 12, top: 10, bottom: 38 }

interface Frame {
  x: (v: number) => number
  y: (v: number) => number
  xTicks: number[]
  yTicks: number[]
  xText: string
  yText: string
}

// both axes alike; a motion along a line is drawn over the phase
function frameOf(paths: readonly Float64Array[], plane: [number, number], { width, height }: Size, unit: { name: string; si: number }): { frame: Frame; line: boolean } {
  const { lo, hi } = box(paths)
  const w = width - margin.left - margin.right
  const h = height - margin.top - margin.bottom
  const [a, b] = plane
  const range = plane.map((c) => (hi[c]! - lo[c]!) / unit.si)
  const main = range[0]! >= range[1]! ? a : b
  const line = Math.min(...range) < 2e-3 * Math.max(...range)
  const middle = (c: number): number => (lo[c]! + hi[c]!) / 2 / unit.si
  if (line) {
    const half = Math.max(0.6 * Math.max(...range), 1e-9)
    const x = scaleLinear([0, 360], [margin.left, margin.left + w])
    const y = scaleLinear([middle(main) - half, middle(main) + half], [margin.top + h, margin.top])
    return { line, frame: { x, y, xTicks: [0, 90, 180, 270, 360], yTicks: y.ticks(Math.max(3, h / 34)), xText: 'phase (°)', yText: `${'xyz'[main]} (${unit.name})` } }
  }
  const per = Math.max(range[0]! / w, range[1]! / h, 1e-12) * 1.12
  const x = scaleLinear([middle(a) - (per * w) / 2, middle(a) + (per * w) / 2], [margin.left, margin.left + w])
  const y = scaleLinear([middle(b) - (per * h) / 2, middle(b) + (per * h) / 2], [margin.top + h, margin.top])
  return { line, frame: { x, y, xTicks: x.ticks(Math.max(2, w / 74)), yTicks: y.ticks(Math.max(2, h / 34)), xText: `${'xyz'[a]} (${unit.name})`, yText: `${'xyz'[b]} (${unit.name})` } }
}

function drawn(p: Float64Array, f: Frame, plane: [number, number], main: number | null, si: number): string {
  const n = p.length / 3
  let d = ''
  for (let k = 0; k < n; k++) {
    const x = main === null ? f.x(p[3 * k + plane[0]]! / si) : f.x((360 * k) / (n - 1))
    const y = f.y(p[3 * k + (main ?? plane[1])]! / si)
    d += `${k ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
  }
  return d
}

/** A dot on a path that goes with the motion. */
function Dot({ path, frame, plane, main, si, style }: { path: Float64Array; frame: Frame; plane: [number, number]; main: number | null; si: number; style: string }) {
  const n = path.length / 3 - 1
  const k = Math.round(phase.value * n) % n
  const x = main === null ? frame.x(path[3 * k + plane[0]]! / si) : frame.x((360 * k) / n)
  return <circle class={`dot ${style}`} cx={x} cy={frame.y(path[3 * k + (main ?? plane[1])]! / si)} r="4" />
}

export function PathPlot({ node, lines, unit, label }: { node: number; lines: readonly PathLine[]; unit: { unit: string; si: number }; label: string }) {
  const [own, size] = useSize({ width: 320, height: 220 })
  const paths = lines.map((l) => (l.motion instanceof Float64Array ? l.motion : pathOf(l.motion, node)))
  const plane = planeOf(paths)
  const { frame: f, line } = frameOf(paths, plane, size, { name: unit.unit, si: unit.si })
  const { lo, hi } = box(paths)
  const main = line ? (hi[plane[0]]! - lo[plane[0]]! >= hi[plane[1]]! - lo[plane[1]]! ? plane[0] : plane[1]) : null
  return (
    <figure class="path-plot">
      <figcaption>{label}</figcaption>
      <div class="plot-place" ref={own}>
        <svg width={size.width} height={size.height} role="img" aria-label={`${label}: ${lines.map((l) => l.name).join(', ')}`}>
          <Axes x={f.x} y={f.y} xTicks={f.xTicks} yTicks={f.yTicks} xText={f.xText} yText={f.yText} width={size.width} height={size.height} margin={margin} />
          {lines.map((l, k) => (
            <path key={l.name} class={`path ${l.style}`} d={drawn(paths[k]!, f, plane, main, unit.si)} />
          ))}
          {lines.map((l, k) => l.motion instanceof Float64Array ? null : (
            <Dot key={l.name} path={paths[k]!} frame={f} plane={plane} main={main} si={unit.si} style={l.style} />
          ))}
        </svg>
      </div>
    </figure>
  )
}
