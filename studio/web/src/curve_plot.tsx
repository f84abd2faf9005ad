// A response curve: points are looked at and chosen, the range of frequencies is dragged.
import { scaleLinear, scaleLog } from 'd3-scale'
import type { ScaleContinuousNumeric } from 'd3-scale'
import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { Axes, Closer } from './axes'
import { columnOf, partsOf, quantityWords } from './curves'
import type { Curve, SpecialPoint } from './curves'
import { fixed, general } from './format'
import { panned, towards, wheelFactor, zoomed } from './plot_window'
import type { Seen } from './plot_window'
import { useSize } from './use_size'

export interface Measured {
  name: string
  points: { frequency: number; value: number }[]
}

/** Frequencies, Hz. */
export interface Ends {
  from: number
  to: number
}

export interface CurvePlotProps {
  curve: Curve
  beside: Curve | null // another run's
  quantity: string
  unit: { unit: string; si: number }
  log: boolean
  specials: readonly SpecialPoint[]
  measured: readonly Measured[]
  range: Ends | null // that can be dragged
  chosen: number // row, -1: none
  hover: (row: number) => void // -1: nothing
  choose: (row: number) => void
  drag: (range: Ends) => void
}

const margin = { left: 66, right: 18, top: 16, bottom: 38 }
const reach = 26 // pixels

type Scale = ScaleContinuousNumeric<number, number>

interface Scales {
  run: { x: Scale; y: Scale }
  x: (v: number) => number
  y: (v: number) => number
  back: (px: number) => number
  xTicks: number[]
  yTicks: number[]
}

// seen: the part that is looked into
function scalesOf(p: CurvePlotProps, width: number, height: number, seen: Seen | null): Scales {
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
  const x = scaleLinear(seen?.x ?? (Number.isFinite(lo) ? [lo - room, hi + room] : [0, 1]), [margin.left, width - margin.right])
  const span = [height - margin.bottom, margin.top]
  const most = Math.max(...ys, 1e-12)
  const least = Math.min(...ys, most)
  const v: Scale = p.log ? scaleLog(seen?.y ?? [0.8 * least, 1.25 * most], span) : scaleLinear(seen?.y ?? [0, 1.08 * (y >= 0 ? most : 1)], span)
  const all = v.ticks(Math.max(3, height / 50))
  const round = p.log ? all.filter((t) => /^[125]/.test(String(t.toExponential()))) : all
  return {
    run: { x, y: v },
    x,
    y: (u) => v(Math.max(u, p.log ? 0.5 * least : -Infinity)),
    back: (px) => x.invert(px),
    xTicks: x.ticks(Math.max(3, width / 90)),
    yTicks: round.length > 1 ? round : all,
  }
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
      tabindex={0}
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

const plotOf = (e: { currentTarget: Element; clientX: number; clientY: number }): [number, number] => {
  const box = e.currentTarget.getBoundingClientRect()
  return [e.clientX - box.left, e.clientY - box.top]
}

/** The point of a curve nearest to a place in pixels; -1: none is near. */
function nearest(c: Curve, y: number, s: Scales, si: number, [px, py]: [number, number]): number {
  let best = -1
  let least = reach * reach
  c.rows.forEach((r, k) => {
    const v = r[y]
    if (v === null || v === undefined) return
    const d = (s.x(r[0]!) - px) ** 2 + (s.y(v / si) - py) ** 2
    if (d < least) [least, best] = [d, k]
  })
  return best
}

/** Where a key leads from a point, -1: to none; null: it is no key of the plot. */
function walked(e: KeyboardEvent, from: number, n: number): number | null {
  if (e.key === 'Escape') return -1
  const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0
  if (!by || n === 0) return null
  const to = from < 0 ? (by > 0 ? 0 : n - 1) : from + by * (e.shiftKey ? 10 : 1)
  return Math.min(Math.max(to, 0), n - 1)
}

function Lines({ c, quantity, s, si, class: cls = '' }: { c: Curve; quantity: string; s: Scales; si: number; class?: string }) {
  const y = columnOf(c, quantity)
  if (y < 0) return null
  return (
    <>
      {partsOf(c).map((part, k) => (
        <path key={k} class={`line ${cls} ${part.stable ? 'stable' : 'unstable'}`} d={lineOf(c, part.points, y, s, si)} />
      ))}
    </>
  )
}

function MeasuredPoints({ list, s, si }: { list: readonly Measured[]; s: Scales; si: number }) {
  return (
    <>
      {list.map((m, j) => (
        <g key={m.name} class={`measured m${j % 4}`}>
          {m.points.map((q, k) => (
            <path key={k} d="M-3.5 0H3.5M0 -3.5V3.5" transform={`translate(${s.x(q.frequency).toFixed(1)} ${s.y(q.value / si).toFixed(1)})`} />
          ))}
        </g>
      ))}
    </>
  )
}

/** The range of frequencies, whose ends are dragged. */
function RangeBand({ range, s, height, dragged, done }: { range: Ends; s: Scales; height: number; dragged: (r: Ends) => void; done: () => void }) {
  return (
    <>
      <rect class="range" x={s.x(Math.min(range.from, range.to))} y={margin.top} width={Math.abs(s.x(range.to) - s.x(range.from))} height={Math.max(height - margin.bottom - margin.top, 0)} />
      <Handle end="from" at={range.from} s={s} height={height} move={(from) => dragged({ ...range, from })} done={done} />
      <Handle end="to" at={range.to} s={s} height={height} move={(to) => dragged({ ...range, to })} done={done} />
    </>
  )
}

function Spot({ p, row, s, class: cls }: { p: CurvePlotProps; row: number; s: Scales; class: 'chosen' | 'near' }) {
  const r = row >= 0 ? p.curve.rows[row] : undefined
  const v = r?.[columnOf(p.curve, p.quantity)]
  if (!r || v === null || v === undefined) return null
  return <circle class={cls} cx={s.x(r[0]!)} cy={s.y(v / p.unit.si)} r={cls === 'chosen' ? 6 : 5} />
}

function ReadOut({ p, row, dragged }: { p: CurvePlotProps; row: number; dragged: Ends | null }) {
  const r = p.curve.rows[row]
  const words = dragged
    ? `from ${general(Math.min(dragged.from, dragged.to), 4)} to ${general(Math.max(dragged.from, dragged.to), 4)} Hz`
    : r
      ? `${fixed(r[0]!, 4)} Hz · ${general((r[columnOf(p.curve, p.quantity)] ?? NaN) / p.unit.si, 5)} ${p.unit.unit} · ${r[columnOf(p.curve, 'stable')] === 0 ? 'unstable' : 'stable'}`
      : ''
  return (
    <p class="readout" role="status">
      {words}
    </p>
  )
}

/** Wheel, pointer and keys that look into the plot. */
function useSeen(s: Scales, seen: Signal<Seen | null>) {
  const held = useRef<{ x: number; y: number; run: Scales['run']; far: boolean } | null>(null)
  const { x, y } = s.run
  const middle = [x.range(), y.range()].map((r) => (r[0]! + r[1]!) / 2) as [number, number]
  const zoom = (factor: number): void => void (seen.value = zoomed(x, y, ...middle, factor))
  const move = (dx: number, dy: number): void => void (seen.value = panned(x, y, dx, dy))
  const acts: Record<string, () => void> = {
    '+': () => zoom(0.7),
    '=': () => zoom(0.7),
    '-': () => zoom(1 / 0.7),
    '0': () => (seen.value = null),
    ArrowUp: () => move(0, 40),
    ArrowDown: () => move(0, -40),
    PageUp: () => move(80, 0),
    PageDown: () => move(-80, 0),
  }
  return {
    zoom,
    /** Was it a drag that ended just now? */
    dragged: (): boolean => held.current?.far ?? false,
    key: (e: KeyboardEvent): boolean => {
      const act = e.ctrlKey || e.metaKey || e.altKey ? undefined : acts[e.key]
      act?.()
      return !!act
    },
    wheel: (e: WheelEvent & { currentTarget: Element }): void => {
      e.preventDefault()
      seen.value = zoomed(x, y, ...plotOf(e), wheelFactor(e))
    },
    down: (e: PointerEvent & { currentTarget: Element }): void => {
      const [px, py] = plotOf(e)
      held.current = e.button === 0 ? { x: px, y: py, run: s.run, far: false } : null
    },
    /** Moves along; false: nothing is held. */
    drag: (e: PointerEvent & { currentTarget: Element }): boolean => {
      const h = held.current
      if (!h || e.buttons !== 1) return false
      const [px, py] = plotOf(e)
      if (!h.far && Math.hypot(px - h.x, py - h.y) < 5) return false
      if (!h.far) e.currentTarget.setPointerCapture(e.pointerId)
      h.far = true
      // from where it was taken hold of, as pictures lag behind
      seen.value = panned(h.run.x, h.run.y, px - h.x, py - h.y)
      return true
    },
  }
}

export function CurvePlot(p: CurvePlotProps) {
  const [own, { width, height }] = useSize({ width: 720, height: 420 })
  const at = useSignal(-1)
  const dragged = useSignal<Ends | null>(null)
  const y = columnOf(p.curve, p.quantity)
  const { si, unit } = p.unit
  const range = dragged.value ?? p.range
  const seen = useSignal<Seen | null>(null)
  const clip = useId()
  const s = useMemo(() => scalesOf(p, width, height, seen.value), [p.curve, p.beside, p.quantity, p.unit, p.log, p.measured, p.range, width, height, seen.value])
  const into = useSeen(s, seen)
  // what was looked into is another plot now
  useEffect(() => void (seen.value = null), [p.quantity, p.unit, p.log])
  const look = (row: number): void => {
    if (row === at.value) return
    at.value = row
    p.hover(row)
  }
  const keys = (e: KeyboardEvent): void => {
    const to = walked(e, at.value >= 0 ? at.value : p.chosen, p.curve.rows.length)
    if (to !== null) {
      look(to)
      const r = p.curve.rows[to]
      if (r && seen.value) seen.value = towards(s.run.x, s.run.y, s.x(r[0]!), s.y((r[y] ?? 0) / si)) ?? seen.value
    } else if (into.key(e)) e.stopPropagation()
    else if (e.key === 'Enter' && at.value >= 0) p.choose(at.value)
    else return
    e.preventDefault()
  }
  const click = (e: MouseEvent & { currentTarget: Element }): void => {
    const k = into.dragged() ? -1 : nearest(p.curve, y, s, si, plotOf(e))
    if (k >= 0) p.choose(k)
  }
  const release = (): void => {
    const r = dragged.value
    dragged.value = null
    if (r) p.drag({ from: Math.min(r.from, r.to), to: Math.max(r.from, r.to) })
  }
  const label = quantityWords(p.quantity)
  const says = `${label} over frequency, ${p.curve.rows.length} points. Left and right go from point to point, Enter keeps one; plus and minus zoom, up, down and the page keys move, 0 shows all.`
  const hover = (e: PointerEvent & { currentTarget: Element }): void => {
    if (!into.drag(e)) look(nearest(p.curve, y, s, si, plotOf(e)))
  }
  return (
    <div class="curve-plot" ref={own}>
      <svg
        width={width}
        height={height}
        role="application"
        tabindex={0}
        aria-label={says}
        onPointerDown={into.down}
        onPointerMove={hover}
        onPointerLeave={() => look(-1)}
        onClick={click}
        onDblClick={() => (seen.value = null)}
        onWheel={into.wheel}
        onKeyDown={keys}
        onBlur={() => look(-1)}
      >
        <clipPath id={clip}>
          <rect x={margin.left} y={0} width={Math.max(width - margin.left - margin.right, 0)} height={Math.max(height - margin.bottom, 0)} />
        </clipPath>
        <Axes {...s} xText="frequency (Hz)" yText={`${label} (${unit})`} width={width} height={height} margin={margin} />
        <g clip-path={`url(#${clip})`}>
          {p.beside && <Lines c={p.beside} quantity={p.quantity} s={s} si={si} class="beside" />}
          <Lines c={p.curve} quantity={p.quantity} s={s} si={si} />
          <MeasuredPoints list={p.measured} s={s} si={si} />
          {p.specials.map((q, k) => (
            <Special key={k} s={q} scales={s} si={si} />
          ))}
          <Spot p={p} row={p.chosen} s={s} class="chosen" />
          <Spot p={p} row={at.value} s={s} class="near" />
          {range && <RangeBand range={range} s={s} height={height} dragged={(r) => (dragged.value = r)} done={release} />}
        </g>
      </svg>
      <Closer zoom={into.zoom} reset={() => (seen.value = null)} />
      <ReadOut p={p} row={at.value} dragged={dragged.value} />
    </div>
  )
}
