// Where a target is drawn: over the present path, in its plane.
import { scaleLinear } from 'd3-scale'
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

export function TargetPad({ unit }: { unit: { unit: string; si: number } }) {
  const [own, { width, height }] = useSize({ width: 640, height: 480 })
  const zoom = useSignal(1)
  const hand = useSignal<Point[] | null>(null)
  const [a, b] = t.plane.value
  const path = t.present.value!
  const view = useMemo(() => viewOf(path, [a, b]), [path, a, b])
  const half = view.half / zoom.value
  const [w, h] = [width - margin.left - margin.right, height - margin.top - margin.bottom]
  const per = (2 * half) / Math.max(h, 10)
  const x = scaleLinear([view.u - (per * w) / 2, view.u + (per * w) / 2], [margin.left, margin.left + w])
  const y = scaleLinear([view.v - half, view.v + half], [margin.top + h, margin.top])
  const line = (points: readonly Point[], close: boolean): string => points.map(([u, v], k) => `${k ? 'L' : 'M'}${x(u).toFixed(1)} ${y(v).toFixed(1)}`).join('') + (close ? 'Z' : '')
  const plane = (p: Float64Array): Point[] => Array.from({ length: p.length / 3 }, (_, k) => [p[3 * k + a]!, p[3 * k + b]!] as const)
  const c = t.curve.value
  const target = c ? sampled(c, smooth) : null
  const near = t.nearest.value
  const place = (e: PointerEvent & { currentTarget: Element }): Point => {
    const box = e.currentTarget.getBoundingClientRect()
    return [x.invert(e.clientX - box.left), y.invert(e.clientY - box.top)]
  }
  const down = (e: PointerEvent & { currentTarget: Element }): void => {
    e.currentTarget.setPointerCapture(e.pointerId)
    hand.value = [place(e)]
  }
  const move = (e: PointerEvent & { currentTarget: Element }): void => {
    const all = hand.value
    if (!all) return
    const p = place(e)
    const last = all[all.length - 1]!
    if (Math.hypot(p[0] - last[0], p[1] - last[1]) > 2.5 * per) hand.value = [...all, p]
  }
  const up = (): void => {
    const all = hand.value
    hand.value = null
    if (all && all.length >= 8) t.take(all, null, 'hand')
  }
  const foot = height - margin.bottom
  const right = width - margin.right
  const inSi = (v: number): string => general(v / unit.si, 4)
  const ticks = (s: { domain: () => number[] }, n: number): number[] => scaleLinear()
      .domain(s.domain().map((v) => v / unit.si))
      .ticks(n).map((v) => v * unit.si)
  return (
    <div class="target-pad" ref={own}>
      <svg width={width} height={height} role="img" aria-label={`plane ${'xyz'[a]} ${'xyz'[b]}: the present path${c ? ' and the target' : '; draw a closed curve with the pointer, or begin with the present path'}`} onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={() => (hand.value = null)}>
        <rect class="ground" x={margin.left} y={margin.top} width={Math.max(w, 0)} height={Math.max(h, 0)} />
        {ticks(x, Math.max(2, w / 80)).map((v) => (
          <g key={`x${v}`}>
            <line class="grid" x1={x(v)} x2={x(v)} y1={margin.top} y2={foot} />
            <text x={x(v)} y={foot + 16} text-anchor="middle">
              {inSi(v)}
            </text>
          </g>
        ))}
        {ticks(y, Math.max(2, h / 50)).map((v) => (
          <g key={`y${v}`}>
            <line class="grid" x1={margin.left} x2={right} y1={y(v)} y2={y(v)} />
            <text x={margin.left - 7} y={y(v) + 4} text-anchor="end">
              {inSi(v)}
            </text>
          </g>
        ))}
        <path class="axis" d={`M${margin.left} ${margin.top}V${foot}H${right}`} />
        <text x={(margin.left + right) / 2} y={height - 6} text-anchor="middle">
          {'xyz'[a]} ({unit.unit})
        </text>
        <text transform={`translate(14 ${(margin.top + foot) / 2}) rotate(-90)`} text-anchor="middle">
          {'xyz'[b]} ({unit.unit})
        </text>
        <path class="path solved" d={line(plane(path), false)} />
        {t.raw.value?.from === 'hand' && !hand.value && <path class="path drawn" d={line(t.raw.value.points, true)} />}
        {near && <path class="path predicted" d={line(plane(pathOf(near, 0)), false)} />}
        {target && <path class="path target" d={line(target, true)} />}
        {target && Array.from({ length: dots }, (_, k) => target[(k * smooth) / dots]!).map(([u, v], k) => <circle key={k} class="beat" cx={x(u)} cy={y(v)} r={k === 0 ? 5 : 3} />)}
        {hand.value && <path class="path drawn" d={line(hand.value, true)} />}
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
