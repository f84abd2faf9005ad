// A response curve: points are looked at and chosen, the range of frequencies is dragged.
import { scaleLinear, scaleLog } from 'd3-scale'
import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { columnOf, partsOf, quantityWords } from './curves'
import type { Curve, SpecialPoint } from './curves'
import { fixed, general } from './format'
import { useSize } from './path_plot'

export interface Measured {
  name: string
  points: { frequency: number; value: number }[]
}

export interface CurvePlotProps {
  curve: Curve
  beside: Curve | null // another run's
  quantity: string
  unit: { unit: string; si: number }
  log: boolean
  specials: readonly SpecialPoint[]
  measured: readonly Measured[]
  range: { from: number; to: number } | null // Hz, that can be dragged
  chosen: number // row, -1: none
  hover: (row: number) => void // -1: nothing
  choose: (row: number) => void
  drag: (range: { from: number; to: number }) => void
}

const margin = { left: 66, right: 18, top: 16, bottom: 40 }
const reach = 26 // pixels

interface Scales {
  x: (v: number) => number
  y: (v: number) => number
  back: (px: number) => number
  xTicks: number[]
  yTicks: number[]
}

function scalesOf(p: CurvePlotProps, width: number, height: number): Scales {
  const y = columnOf(p.curve, p.quantity)
  const points: [number, number][] = []
  for (const c of [p.curve, p.beside]) {
    const at = c ? columnOf(c, p.quantity) : -1
    if (c && at >= 0) for (const r of c.rows) points.push([r[0] ?? NaN, r[at] ?? NaN])
  }
  for (const m of p.measured) for (const q of m.points) points.push([q.frequency, q.value])
  const xs = points.map((q) => q[0]).filter(Number.isFinite)
  const ys = points.map((q) => q[1] / p.unit.si).filter((v) => Number.isFinite(v) && (!p.log || v > 0))
  if (p.range) xs.push(p.range.from, p.range.to)
  const [lo, hi] = [Math.min(...xs, Infinity), Math.max(...xs, -Infinity)]
  const room = lo < hi ? 0.03 * (hi - lo) : Math.abs(lo) * 0.1 || 1
  const x = scaleLinear(Number.isFinite(lo) ? [lo - room, hi + room] : [0, 1], [margin.left, width - margin.right])
  const span = [height - margin.bottom, margin.top]
  const most = Math.max(...ys, 1e-12)
  const least = Math.min(...ys, most)
  const v = p.log ? scaleLog([0.8 * least, 1.25 * most], span) : scaleLinear([0, 1.08 * (y >= 0 ? most : 1)], span)
  const yTicks = v.ticks(Math.max(3, height / 50)).filter((t) => !p.log || /^[125]/.test(String(t.toExponential())))
  return { x, y: (u) => v(Math.max(u, p.log ? 0.5 * least : -Infinity)), back: (px) => x.invert(px), xTicks: x.ticks(Math.max(3, width / 90)), yTicks }
}

function lineOf(c: Curve, rows: readonly number[], y: number, s: Scales, si: number): string {
  let d = ''
  let pen = 'M'
  for (const k of rows) {
    const v = c.rows[k]![y]
    if (v === null || v === undefined || !Number.isFinite(v)) {
      pen = 'M'
      continue
    }
    d += `${pen}${s.x(c.rows[k]![0]!).toFixed(1)} ${s.y(v / si).toFixed(1)}`
    pen = 'L'
  }
  return d
}

const glyphs: Record<string, string> = { peak: 'M-5 3L0 -5L5 3Z', fold: 'M-4 -4H4V4H-4Z' }

function Special({ s, scales, si }: { s: SpecialPoint; scales: Scales; si: number }) {
  return (
    <g class={`special ${s.kind === 'peak' || s.kind === 'fold' ? s.kind : 'other'}`} transform={`translate(${scales.x(s.frequency).toFixed(1)} ${scales.y(s.value / si).toFixed(1)})`}>
      <path d={glyphs[s.kind] ?? 'M0 -6L6 0L0 6L-6 0Z'} />
      <title>
        {s.kind} at {general(s.frequency, 5)} Hz
      </title>
    </g>
  )
}

/** An end of the range of frequencies: dragged, or moved with arrow keys. */
function Handle({ end, at, s, height, move, done }: { end: 'from' | 'to'; at: number; s: Scales; height: number; move: (v: number) => void; done: () => void }) {
  const own = useRef<SVGGElement>(null)
  const px = s.x(at)
  const place = (e: PointerEvent): number => s.back(e.clientX - own.current!.ownerSVGElement!.getBoundingClientRect().left)
  const step = (s.back(px + 4) - s.back(px)) || 0.01
  return (
    <g
      ref={own}
      class="handle"
      role="slider"
      tabIndex={0}
      aria-label={end === 'from' ? 'where the response begins' : 'where the response ends'}
      aria-valuenow={at}
      aria-valuetext={`${general(at, 4)} Hz`}
      onPointerDown={(e) => (e.stopPropagation(), own.current!.setPointerCapture(e.pointerId))}
      onPointerMove={(e) => own.current!.hasPointerCapture(e.pointerId) && move(Math.max(place(e), 1e-9))}
      onPointerUp={done}
      onKeyDown={(e) => {
        const by = e.key === 'ArrowLeft' ? -step : e.key === 'ArrowRight' ? step : 0
        if (!by) return
        e.preventDefault()
        e.stopPropagation()
        move(Math.max(at + by, 1e-9))
      }}
      onKeyUp={(e) => /^Arrow(Left|Right)$/.test(e.key) && done()}
    >
      <line x1={px} x2={px} y1={margin.top} y2={height - margin.bottom} />
      <rect x={px - 5} y={margin.top - 9} width="10" height="18" rx="3" />
      <rect class="grip" x={px - 11} y={margin.top} width="22" height={height - margin.top - margin.bottom + 12} />
    </g>
  )
}

export function CurvePlot(p: CurvePlotProps) {
  const [own, { width, height }] = useSize({ width: 720, height: 420 })
  const at = useSignal(-1)
  const dragged = useSignal<{ from: number; to: number } | null>(null)
  const y = columnOf(p.curve, p.quantity)
  const { si } = p.unit
  const range = dragged.value ?? p.range
  const scales = useMemo(() => scalesOf(p, width, height), [p.curve, p.beside, p.quantity, p.unit, p.log, p.measured, p.range, width, height])
  const look = (row: number): void => {
    if (row === at.value) return
    at.value = row
    p.hover(row)
  }
  const nearest = (e: PointerEvent & { currentTarget: Element }): number => {
    const box = e.currentTarget.getBoundingClientRect()
    const [px, py] = [e.clientX - box.left, e.clientY - box.top]
    let best = -1
    let least = reach * reach
    p.curve.rows.forEach((r, k) => {
      const v = r[y]
      if (v === null || v === undefined) return
      const d = (scales.x(r[0]!) - px) ** 2 + (scales.y(v / si) - py) ** 2
      if (d < least) [least, best] = [d, k]
    })
    return best
  }
  const walk = (e: KeyboardEvent): void => {
    const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0
    const n = p.curve.rows.length
    if (n === 0) return
    if (by) {
      const start = at.value >= 0 ? at.value : p.chosen
      look(Math.min(Math.max(start < 0 ? (by > 0 ? 0 : n - 1) : start + by * (e.shiftKey ? 10 : 1), 0), n - 1))
    } else if (e.key === 'Enter' && at.value >= 0) p.choose(at.value)
    else if (e.key === 'Escape') look(-1)
    else return
    e.preventDefault()
  }
  const release = (): void => {
    const r = dragged.value
    dragged.value = null
    if (r) p.drag({ from: Math.min(r.from, r.to), to: Math.max(r.from, r.to) })
  }
  const shown = (k: number, cls: string) => {
    const r = k >= 0 ? p.curve.rows[k] : undefined
    return r && <circle class={cls} cx={scales.x(r[0]!)} cy={scales.y((r[y] ?? NaN) / si)} r={cls === 'chosen' ? 6 : 5} />
  }
  const told = at.value >= 0 ? p.curve.rows[at.value] : undefined
  const foot = height - margin.bottom
  return (
    <div class="curve-plot" ref={own}>
      <svg
        width={width}
        height={height}
        role="application"
        tabIndex={0}
        aria-label={`${quantityWords(p.quantity)} over frequency, ${p.curve.rows.length} points. Arrow keys go from point to point, Enter keeps one.`}
        onPointerMove={(e) => look(nearest(e))}
        onPointerLeave={() => look(-1)}
        onClick={(e) => {
          const k = nearest(e as unknown as PointerEvent & { currentTarget: Element })
          if (k >= 0) p.choose(k)
        }}
        onKeyDown={walk}
        onBlur={() => look(-1)}
      >
        {scales.xTicks.map((t) => (
          <g key={`x${t}`}>
            <line class="grid" x1={scales.x(t)} x2={scales.x(t)} y1={margin.top} y2={foot} />
            <text class="tick" x={scales.x(t)} y={foot + 16} text-anchor="middle">
              {general(t, 4)}
            </text>
          </g>
        ))}
        {scales.yTicks.map((t) => (
          <g key={`y${t}`}>
            <line class="grid" x1={margin.left} x2={width - margin.right} y1={scales.y(t)} y2={scales.y(t)} />
            <text class="tick" x={margin.left - 7} y={scales.y(t) + 4} text-anchor="end">
              {general(t, 4)}
            </text>
          </g>
        ))}
        <path class="axis" d={`M${margin.left} ${margin.top}V${foot}H${width - margin.right}`} />
        <text class="axis-text" x={(margin.left + width - margin.right) / 2} y={height - 5} text-anchor="middle">
          frequency (Hz)
        </text>
        <text class="axis-text" transform={`translate(14 ${(margin.top + foot) / 2}) rotate(-90)`} text-anchor="middle">
          {quantityWords(p.quantity)} ({p.unit.unit})
        </text>
        {range && (
          <rect class="range" x={scales.x(Math.min(range.from, range.to))} y={margin.top} width={Math.max(Math.abs(scales.x(range.to) - scales.x(range.from)), 0)} height={foot - margin.top} />
        )}
        {p.beside && columnOf(p.beside, p.quantity) >= 0 && partsOf(p.beside).map((part, k) => <path key={`b${k}`} class={`line beside ${part.stable ? '' : 'unstable'}`} d={lineOf(p.beside!, part.points, columnOf(p.beside!, p.quantity), scales, si)} />)}
        {y >= 0 && partsOf(p.curve).map((part, k) => <path key={k} class={`line ${part.stable ? 'stable' : 'unstable'}`} d={lineOf(p.curve, part.points, y, scales, si)} />)}
        {p.measured.map((m, j) => (
          <g key={m.name} class={`measured m${j % 4}`}>
            {m.points.map((q, k) => (
              <path key={k} d="M-3.5 0H3.5M0 -3.5V3.5" transform={`translate(${scales.x(q.frequency).toFixed(1)} ${scales.y(q.value / si).toFixed(1)})`} />
            ))}
          </g>
        ))}
        {p.specials.map((s, k) => (
          <Special key={k} s={s} scales={scales} si={si} />
        ))}
        {shown(p.chosen, 'chosen')}
        {shown(at.value, 'near')}
        {range && (
          <>
            <Handle end="from" at={range.from} s={scales} height={height} move={(from) => (dragged.value = { ...range, from })} done={release} />
            <Handle end="to" at={range.to} s={scales} height={height} move={(to) => (dragged.value = { ...range, to })} done={release} />
          </>
        )}
      </svg>
      <p class="readout" role="status">
        {dragged.value
          ? `from ${general(Math.min(dragged.value.from, dragged.value.to), 4)} to ${general(Math.max(dragged.value.from, dragged.value.to), 4)} Hz`
          : told
            ? `${fixed(told[0]!, 4)} Hz · ${general((told[y] ?? NaN) / si, 5)} ${p.unit.unit} · ${told[columnOf(p.curve, 'stable')] === 0 ? 'unstable' : 'stable'}`
            : ''}
      </p>
    </div>
  )
}
