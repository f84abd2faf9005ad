// Where a target is drawn: over the present path, in its plane.
import { scaleLinear } from 'd3-scale'
import type { ScaleLinear } from 'd3-scale'
import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { Axes, Closer } from './axes'
import { general } from './format'
import { pathOf } from './path_plot'
import { wheelFactor } from './plot_window'
import { sampled } from './target_curve'
import type { Point } from './target_curve'
import * as t from './target'
import { useSize } from './use_size'

const margin = { left: 66, right: 14, top: 14, bottom: 38 }
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

// in the unit that is shown
const ticksOf = (s: ScaleLinear<number, number>, si: number, n: number): number[] =>
  scaleLinear()
    .domain(s.domain().map((v) => v / si))
    .ticks(Math.max(2, n))

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

const arrows: Record<string, Point> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }

/** A point of the target: dragged, or moved with arrow keys. */
function Handle({ k, at, f, unit }: { k: number; at: Point; f: Frame; unit: { unit: string; si: number } }) {
  const own = useRef<SVGCircleElement>(null)
  const place = (e: PointerEvent): Point => {
    const box = own.current!.ownerSVGElement!.getBoundingClientRect()
    return [f.x.invert(e.clientX - box.left), f.y.invert(e.clientY - box.top)]
  }
  const keys = (e: KeyboardEvent): void => {
    const by = arrows[e.key]
    const step = f.per * (e.shiftKey ? 1 : 8)
    // where it is now: keys may come faster than pictures
    const now = t.points.value[k] ?? at
    if (by) t.setPoint(k, [now[0] + step * by[0], now[1] + step * by[1]])
    else if (e.key === 'Enter' || e.key === 'Insert') t.addPoint(k)
    else if (e.key === 'Delete' || e.key === 'Backspace') t.dropPoint(k)
    else return
    e.preventDefault()
    e.stopPropagation()
  }
  const shown = at.map((v) => general(v / unit.si, 4)).join(', ')
  return (
    <circle
      ref={own}
      class="handle"
      role="button"
      tabindex={0}
      aria-label={`point ${k + 1} at ${shown} ${unit.unit}: arrow keys move it, Enter adds one behind, Delete removes it`}
      cx={f.x(at[0])}
      cy={f.y(at[1])}
      r="6"
      onPointerDown={(e) => (e.stopPropagation(), own.current!.setPointerCapture(e.pointerId))}
      onPointerMove={(e) => own.current!.hasPointerCapture(e.pointerId) && t.setPoint(k, place(e))}
      onKeyDown={keys}
    />
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
  const keys = (e: KeyboardEvent): void => {
    const factor = { '+': 1.4, '=': 1.4, '-': 1 / 1.4, '0': 1 / zoom.value }[e.key]
    if (factor) zoom.value *= factor
  }
  const names = ['xyz'[a]!, 'xyz'[b]!] as const
  const says = `plane ${names.join(' ')}: the present path${t.curve.value ? ' and the target' : '; draw a closed curve with the pointer, or begin with points on the present path'}`
  const { si } = unit
  const wheel = (e: WheelEvent): void => {
    e.preventDefault()
    zoom.value /= wheelFactor(e)
  }
  return (
    <div class="target-pad" ref={own} onKeyDown={keys}>
      <svg width={width} height={height} role="group" aria-label={says} onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={() => (hand.value = null)} onWheel={wheel}>
        <Axes
          x={(v) => f.x(v * si)}
          y={(v) => f.y(v * si)}
          xTicks={ticksOf(f.x, si, width / 80)}
          yTicks={ticksOf(f.y, si, height / 50)}
          xText={`${names[0]} (${unit.unit})`}
          yText={`${names[1]} (${unit.unit})`}
          width={width}
          height={height}
          margin={margin}
        />
        <Curves f={f} hand={hand.value} />
        {!hand.value && t.points.value.map((p, k) => <Handle key={k} k={k} at={p} f={f} unit={unit} />)}
      </svg>
      <Closer zoom={(by) => (zoom.value /= by)} reset={() => (zoom.value = 1)} />
    </div>
  )
}
