// Where a target is drawn: over the present path, in its plane.
import { scaleLinear } from 'd3-scale'
import type { ScaleLinear } from 'd3-scale'
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { general } from './format'
import { Icon } from './icons'
import { pathOf, useSize } from './path_plot'
import { sampled } from './target_curve'
import type { Point } from './target_curve'
import * as t from './target'

const margin = { left: 66, right: 14, top: 14, bottom: 40 }
const smooth = 240
const dots = 24 // of equal times, which show the speed

interface View {
  u: number
  v: number
  half: number // of the height, m
}

// three times what the present path takes
function viewOf(path: Float64Array, plane: readonly [number, number]): View {
  const lo = [Infinity, Infinity]
  const hi = [-Infinity, -Infinity]
  for (let k = 0; k < path.length; k += 3)
    plane.forEach((a, j) => {
      lo[j] = Math.min(lo[j]!, path[k + a]!)
      hi[j] = Math.max(hi[j]!, path[k + a]!)
    })
  const size = Math.max(hi[0]! - lo[0]!, hi[1]! - lo[1]!, 1e-9)
  return { u: (lo[0]! + hi[0]!) / 2, v: (lo[1]! + hi[1]!) / 2, half: 1.1 * size }
}

interface Frame {
  x: ScaleLinear<number, number>
  y: ScaleLinear<number, number>
  per: number // m a pixel
  width: number
  height: number
}

// both axes alike
function frameOf(view: View, zoom: number, width: number, height: number): Frame {
  const half = view.half / zoom
  const [w, h] = [width - margin.left - margin.right, height - margin.top - margin.bottom]
  const per = (2 * half) / Math.max(h, 10)
  const x = scaleLinear([view.u - (per * w) / 2, view.u + (per * w) / 2], [margin.left, margin.left + w])
  const y = scaleLinear([view.v - half, view.v + half], [margin.top + h, margin.top])
  return { x, y, per, width, height }
}

const ticksOf = (s: ScaleLinear<number, number>, si: number, n: number): number[] =>
  scaleLinear()
    .domain(s.domain().map((v) => v / si))
    .ticks(Math.max(2, n))
    .map((v) => v * si)

function Axes({ f, unit, names }: { f: Frame; unit: { unit: string; si: number }; names: readonly [string, string] }) {
  const foot = f.height - margin.bottom
  const right = f.width - margin.right
  return (
    <>
      {ticksOf(f.x, unit.si, f.width / 80).map((v) => (
        <g key={`x${v}`}>
          <line class="grid" x1={f.x(v)} x2={f.x(v)} y1={margin.top} y2={foot} />
          <text x={f.x(v)} y={foot + 16} text-anchor="middle">
            {general(v / unit.si, 4)}
          </text>
        </g>
      ))}
      {ticksOf(f.y, unit.si, f.height / 50).map((v) => (
        <g key={`y${v}`}>
          <line class="grid" x1={margin.left} x2={right} y1={f.y(v)} y2={f.y(v)} />
          <text x={margin.left - 7} y={f.y(v) + 4} text-anchor="end">
            {general(v / unit.si, 4)}
          </text>
        </g>
      ))}
      <path class="axis" d={`M${margin.left} ${margin.top}V${foot}H${right}`} />
      <text x={(margin.left + right) / 2} y={f.height - 6} text-anchor="middle">
        {names[0]} ({unit.unit})
      </text>
      <text transform={`translate(14 ${(margin.top + foot) / 2}) rotate(-90)`} text-anchor="middle">
        {names[1]} ({unit.unit})
      </text>
    </>
  )
}

function Curves({ f, hand }: { f: Frame; hand: readonly Point[] | null }) {
  const [a, b] = t.plane.value
  const line = (points: readonly Point[], close: boolean): string => points.map(([u, v], k) => `${k ? 'L' : 'M'}${f.x(u).toFixed(1)} ${f.y(v).toFixed(1)}`).join('') + (close ? 'Z' : '')
  const inPlane = (p: Float64Array): Point[] => Array.from({ length: p.length / 3 }, (_, k) => [p[3 * k + a]!, p[3 * k + b]!] as const)
  const target = t.curve.value ? sampled(t.curve.value, smooth) : null
  const near = t.nearest.value
  const raw = t.raw.value
  return (
    <>
      <path class="path solved" d={line(inPlane(t.present.value!), false)} />
      {raw?.from === 'hand' && !hand && <path class="path drawn" d={line(raw.points, true)} />}
      {near && <path class="path predicted" d={line(inPlane(pathOf(near, 0)), false)} />}
      {target && <path class="path target" d={line(target, true)} />}
      {target && Array.from({ length: dots }, (_, k) => target[(k * smooth) / dots]!).map(([u, v], k) => <circle key={k} class="beat" cx={f.x(u)} cy={f.y(v)} r={k === 0 ? 5 : 3} />)}
      {hand && <path class="path drawn" d={line(hand, true)} />}
    </>
  )
}

export function TargetPad({ unit }: { unit: { unit: string; si: number } }) {
  const [own, { width, height }] = useSize({ width: 640, height: 480 })
  const zoom = useSignal(1)
  const hand = useSignal<Point[] | null>(null)
  const [a, b] = t.plane.value
  const path = t.present.value!
  const view = useMemo(() => viewOf(path, [a, b]), [path, a, b])
  const f = frameOf(view, zoom.value, width, height)
  const place = (e: PointerEvent & { currentTarget: Element }): Point => {
    const box = e.currentTarget.getBoundingClientRect()
    return [f.x.invert(e.clientX - box.left), f.y.invert(e.clientY - box.top)]
  }
  const down = (e: PointerEvent & { currentTarget: Element }): void => {
    e.currentTarget.setPointerCapture(e.pointerId)
    hand.value = [place(e)]
  }
  const move = (e: PointerEvent & { currentTarget: Element }): void => {
    const last = hand.value?.[hand.value.length - 1]
    if (!last) return
    const p = place(e)
    if (Math.hypot(p[0] - last[0], p[1] - last[1]) > 2.5 * f.per) hand.value = [...hand.value!, p]
  }
  const up = (): void => {
    const all = hand.value
    hand.value = null
    if (all && all.length >= 8) t.take(all, null, 'hand')
  }
  const names = ['xyz'[a]!, 'xyz'[b]!] as const
  const says = `plane ${names.join(' ')}: the present path${t.curve.value ? ' and the target' : '; draw a closed curve with the pointer, or begin with the present path'}`
  return (
    <div class="target-pad" ref={own}>
      <svg width={width} height={height} role="img" aria-label={says} onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={() => (hand.value = null)}>
        <Axes f={f} unit={unit} names={names} />
        <Curves f={f} hand={hand.value} />
      </svg>
      <div class="pad-tools">
        <button class="small" aria-label="closer" title="Closer" onClick={() => (zoom.value *= 1.4)}>
          +
        </button>
        <button class="small" aria-label="farther" title="Farther" onClick={() => (zoom.value /= 1.4)}>
          −
        </button>
        <button class="small" aria-label="as it was" title="As it was" onClick={() => (zoom.value = 1)}>
          <Icon name="home" size={15} />
        </button>
      </div>
    </div>
  )
}
