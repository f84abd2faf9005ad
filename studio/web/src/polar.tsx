// Stretch, or another quantity, over the direction: zero strain is a circle of its own.
import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import type { RefObject } from 'preact'
import { roundStep } from './axis'
import { DataTable } from './data_table'
import { saveText } from './download'
import { fixed, general } from './format'
import { Icon } from './icons'
import { csv, savePng, saveSvg } from './plot_export'
import { complain } from './state'
import { useWidth } from './use_size'

export interface PolarSeries {
  name: string | null
  data: ArrayLike<number> // [n][2] angle (rad), length over length at rest
  error?: ArrayLike<number> | null // [n] half the lengths of error bars
  dashed: number
  points: number // 1: dots, 2: small faint ones that set no scale
  fill: boolean
  colour: number
}

export interface PolarSpec {
  title: string
  first: string | null // names of the axes at 0 and 90 degrees
  second: string | null
  unit: string | null // of another quantity; null: stretch
  series: readonly PolarSeries[]
}

export interface PolarPoint {
  s: number // series
  i: number // point of it
}

interface PolarProps extends PolarSpec {
  name: string
  caption?: string
  chosen?: PolarPoint | null // a point that is kept
  onChoose?: (at: PolarPoint) => void
}

const spokes = 12

interface Rose {
  x: number
  y: number
  radius: number
  width: number
  height: number
  centre: number // value in the middle
  rim: number
  step: number
  places: number
  empty: boolean
}

const n = (s: PolarSeries): number => s.data.length >> 1
const drawable = (s: PolarSeries, i: number): boolean => Number.isFinite(s.data[2 * i]!) && Number.isFinite(s.data[2 * i + 1]!)
// what its circles count: strain in percent, or the quantity itself
const valueOf = (p: PolarSpec, s: PolarSeries, i: number): number => (p.unit ? s.data[2 * i + 1]! : 100 * (s.data[2 * i + 1]! - 1))
const errorOf = (p: PolarSpec, s: PolarSeries, i: number): number => {
  const half = Math.max(s.error?.[i] ?? 0, 0)
  return p.unit ? half : 100 * half
}

function range(p: PolarSpec): { lo: number; hi: number } {
  let lo = Infinity
  let hi = -Infinity
  for (const s of p.series)
    for (let i = 0; s.points !== 2 && i < n(s); i++) {
      if (!drawable(s, i)) continue
      lo = Math.min(lo, valueOf(p, s, i) - errorOf(p, s, i))
      hi = Math.max(hi, valueOf(p, s, i) + errorOf(p, s, i))
    }
  return { lo, hi }
}

// round steps outwards from zero; a third of the radius lies below it, more when data do
function layRose(p: PolarSpec, width: number): Rose {
  const { lo, hi } = range(p)
  const empty = lo > hi
  const most = empty || hi < 1e-6 ? 1 : Math.min(hi, 1e8)
  const [step, places] = roundStep(most, 4)
  const rim = Math.ceil(most / step - 0.01) * step
  // no length at all is the lowest that there is
  const centre = p.unit ? Math.min(lo, 0) : Math.max(Math.min(-0.45 * rim, Math.min(lo, 0)), Math.max(-100, -2 * rim))
  const radius = Math.max(Math.min(width / 2 - 58, 190), 60)
  return { x: width / 2, y: radius + 26, radius, width, height: 2 * radius + 58, centre: empty ? -0.45 * rim : centre, rim, step, places, empty }
}

const radiusOf = (r: Rose, value: number): number => r.radius * Math.min(Math.max((value - r.centre) / (r.rim - r.centre), 0), 1.02)
const place = (r: Rose, angle: number, radius: number): [number, number] => [r.x + radius * Math.cos(angle), r.y - radius * Math.sin(angle)]
const at = ([x, y]: [number, number]): string => `${x.toFixed(1)} ${y.toFixed(1)}`
const pointOf = (r: Rose, p: PolarSpec, s: PolarSeries, i: number): [number, number] => place(r, s.data[2 * i]!, radiusOf(r, valueOf(p, s, i)))

// lines are closed unless something is missing
function curve(r: Rose, p: PolarSpec, s: PolarSeries): string {
  let d = ''
  let down = false
  let whole = true
  for (let i = 0; i < n(s); i++) {
    if (!drawable(s, i)) {
      down = whole = false
      continue
    }
    d += `${down ? 'L' : 'M'}${at(pointOf(r, p, s, i))}`
    down = true
  }
  return whole && d ? `${d}Z` : d
}

function dots(r: Rose, p: PolarSpec, s: PolarSeries): string {
  let d = ''
  for (let i = 0; i < n(s); i++) if (drawable(s, i) && !(s.points === 2 && valueOf(p, s, i) < r.centre)) d += `M${at(pointOf(r, p, s, i))}h0`
  return d
}

// from end to end, with caps across them
function errorBars(r: Rose, p: PolarSpec, s: PolarSeries): string {
  let d = ''
  for (let i = 0; i < n(s); i++) {
    const half = errorOf(p, s, i)
    if (!drawable(s, i) || !(half > 0)) continue
    const angle = s.data[2 * i]!
    const ends = [-half, half].map((e) => place(r, angle, radiusOf(r, valueOf(p, s, i) + e)))
    const across = [4 * Math.sin(angle), 4 * Math.cos(angle)] as const
    d += `M${at(ends[0]!)}L${at(ends[1]!)}`
    for (const [x, y] of ends) d += `M${at([x - across[0], y - across[1]])}L${at([x + across[0], y + across[1]])}`
  }
  return d
}

const tone = (s: PolarSeries, k: number): string => `s${(s.colour >= 0 ? s.colour : k) % 8}`
const dashes = [undefined, '6 5', '1 5']

function Series({ r, p, s, k }: { r: Rose; p: PolarSpec; s: PolarSeries; k: number }) {
  const cls = tone(s, k)
  const line = curve(r, p, s)
  return (
    <>
      {s.fill && <path class={`fill ${cls}`} d={line} />}
      {!s.points && <path class={`line ${cls}`} d={line} stroke-width="1.9" stroke-dasharray={dashes[s.dashed]} />}
      {s.error && <path class={`line ${cls}`} d={errorBars(r, p, s)} stroke-width="1.3" />}
      {s.points === 1 && <path class="line rim" d={dots(r, p, s)} stroke-width="8" />}
      {s.points > 0 && <path class={`line ${cls}`} d={dots(r, p, s)} stroke-width={s.points === 2 ? 2.4 : 6} stroke-opacity={s.points === 2 ? 0.3 : 1} />}
    </>
  )
}

function Backdrop({ r, p }: { r: Rose; p: PolarSpec }) {
  const rays = Array.from({ length: spokes }, (_, k) => (2 * Math.PI * k) / spokes)
  const from = Math.ceil(r.centre / r.step + 0.25)
  const circles = Array.from({ length: Math.max(Math.floor((r.rim / r.step) * (1 + 1e-9)) - from + 1, 0) }, (_, k) => from + k)
  return (
    <>
      <path class="grid" d={rays.map((a) => `M${at([r.x, r.y])}L${at(place(r, a, r.radius))}`).join('')} />
      {circles.map((k) => (
        <circle key={k} class={k === 0 ? 'axis' : 'grid'} cx={r.x} cy={r.y} r={radiusOf(r, k * r.step)} />
      ))}
      {rays.map((a, k) => {
        const name = k === 0 ? p.first : k === spokes / 4 ? p.second : null
        const side = Math.cos(a)
        const [x, y] = place(r, a, r.radius + 10)
        return (
          <text key={k} class={name ? 'label' : 'tick'} x={x} y={y + 4.2 - 4 * Math.sin(a)} text-anchor={side > 0.1 ? 'start' : side < -0.1 ? 'end' : 'middle'}>
            {name || `${(360 * k) / spokes}°`}
          </text>
        )
      })}
    </>
  )
}

// figures inside of their circles, between the spokes at 60 and 90 degrees
function Figures({ r, p }: { r: Rose; p: PolarSpec }) {
  const count = Math.floor((r.rim / r.step) * (1 + 1e-9)) + 1
  return (
    <>
      {Array.from({ length: count }, (_, k) => {
        const [x, y] = place(r, (75 * Math.PI) / 180, radiusOf(r, k * r.step) - 9)
        return (
          <text key={k} class="tick haloed" x={x} y={y + 4} text-anchor="middle">
            {k === 0 ? '0' : fixed(k * r.step, r.places)} {p.unit ?? '%'}
          </text>
        )
      })}
    </>
  )
}

function PolarTable({ p }: { p: PolarSpec }) {
  const columns = p.series.flatMap((s) => [
    { name: 'angle (°)', at: (i: number) => (i < n(s) ? (180 / Math.PI) * s.data[2 * i]! : NaN) },
    { name: `${s.name ?? 'value'} (${p.unit ?? 'stretch'})`, at: (i: number) => (i < n(s) ? s.data[2 * i + 1]! : NaN) },
  ])
  return <DataTable label={`numbers of ${p.title}`} columns={columns} rows={Math.max(0, ...p.series.map(n))} />
}

function Swatch({ s, k }: { s: PolarSeries; k: number }) {
  return (
    <svg width="20" height="12" aria-hidden="true">
      <path class={`line ${tone(s, k)}`} d={s.points ? 'M10 6h0' : 'M1 6H19'} stroke-width={s.points === 2 ? 3 : s.points ? 6 : 2} stroke-dasharray={s.points ? undefined : dashes[s.dashed]} />
    </svg>
  )
}

function Tools({ props, svg, table, toggle }: { props: PolarProps; svg: RefObject<SVGSVGElement | null>; table: boolean; toggle: () => void }) {
  const legend = () =>
    props.series.flatMap((s, k) => (s.name ? [{ name: s.name, colour: getComputedStyle(svg.current!).getPropertyValue(`--${tone(s, k)}`), dash: dashes[s.dashed], dot: s.points > 0 }] : []))
  const numbers = (): void => {
    const heads = props.series.flatMap((s) => ['angle_rad', s.name ?? 'value'])
    const columns = props.series.flatMap((s) => [0, 1].map((c) => Float64Array.from({ length: n(s) }, (_, i) => s.data[2 * i + c]!)))
    saveText(csv(heads, columns), `${props.name}.csv`)
  }
  return (
    <div class="plot-tools">
      <button class="plain small" aria-pressed={table} title="Numbers" aria-label="numbers" onClick={toggle}>
        <Icon name={table ? 'curve' : 'table'} size={16} />
      </button>
      <button class="plain small" title="Save the numbers" onClick={numbers}>
        csv
      </button>
      {!table && (
        <>
          <button class="plain small" title="Save as SVG" onClick={() => svg.current && saveSvg(svg.current, props.name, props.title, legend())}>
            svg
          </button>
          <button class="plain small" title="Save as PNG" onClick={() => svg.current && savePng(svg.current, props.name, props.title, legend()).catch(complain)}>
            png
          </button>
        </>
      )}
    </div>
  )
}

/** The point nearest to a pixel. */
function nearest(r: Rose, p: PolarSpec, px: number, py: number): PolarPoint | null {
  let best = 900
  let found: PolarPoint | null = null
  p.series.forEach((s, k) => {
    for (let i = 0; i < n(s); i++) {
      if (!drawable(s, i)) continue
      const [x, y] = pointOf(r, p, s, i)
      const d = (x - px) ** 2 + (y - py) ** 2
      if (d >= best) continue
      best = d
      found = { s: k, i }
    }
  })
  return found
}

/** The next point along a curve, or the same direction on the next curve. */
function step(p: PolarSpec, from: PolarPoint | null, along: number, across: number): PolarPoint | null {
  const lines = p.series.flatMap((s, k) => (n(s) > 0 && s.points !== 2 ? [k] : []))
  if (lines.length === 0) return null
  if (!from || !lines.includes(from.s)) return { s: lines[0]!, i: 0 }
  const now = p.series[from.s]!
  const s = lines[(lines.indexOf(from.s) + across + lines.length) % lines.length]!
  const next = p.series[s]!
  if (s === from.s) return { s, i: (from.i + along + n(now)) % n(now) }
  const apart = (i: number): number => 1 - Math.cos(next.data[2 * i]! - now.data[2 * from.i]!)
  let best = 0
  for (let i = 1; i < n(next); i++) if (apart(i) < apart(best)) best = i
  return { s, i: best }
}

const ways: Record<string, [number, number]> = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

function Drawing({ props, svg, width }: { props: PolarProps; svg: RefObject<SVGSVGElement | null>; width: number }) {
  const r = useMemo(() => layRose(props, width), [props.series, width])
  const over = useSignal<PolarPoint | null>(null)
  const find = (e: MouseEvent): PolarPoint | null => {
    const box = svg.current!.getBoundingClientRect()
    return nearest(r, props, e.clientX - box.left, e.clientY - box.top)
  }
  const walk = (e: KeyboardEvent): void => {
    const way = e.ctrlKey || e.metaKey || e.altKey ? undefined : ways[e.key]
    const to = way && step(props, props.chosen ?? null, ...way)
    if (!to) return
    e.preventDefault()
    props.onChoose?.(to)
  }
  const kept = props.chosen
  const keptSeries = kept ? props.series[kept.s] : undefined
  const keptAt = kept && keptSeries && kept.i < n(keptSeries) && drawable(keptSeries, kept.i) ? pointOf(r, props, keptSeries, kept.i) : null
  const says = `${props.title}: ${props.series.map((e) => e.name).filter(Boolean).join(', ')}`
  const hands = props.onChoose ? ({ tabIndex: 0, role: 'application', 'aria-roledescription': 'plot', 'aria-label': `${says}. Arrow keys go along a curve and from curve to curve.`, onKeyDown: walk } as const) : {}
  const c = over.value
  const s = c ? props.series[c.s] : undefined
  const spot = c && s ? pointOf(r, props, s, c.i) : null
  return (
    <div class="plot-area" {...hands}>
      <svg ref={svg} width={r.width} height={r.height} {...(props.onChoose ? { 'aria-hidden': true } : { role: 'img', 'aria-label': says })} onPointerMove={(e) => (over.value = find(e))} onPointerLeave={() => (over.value = null)} onClick={(e) => { const f = find(e); if (f) props.onChoose?.(f) }}>
        <Backdrop r={r} p={props} />
        {props.series.map((e, k) => (
          <Series key={k} r={r} p={props} s={e} k={k} />
        ))}
        <Figures r={r} p={props} />
        {keptAt && <circle data-live class="ring kept" cx={keptAt[0]} cy={keptAt[1]} r="6.5" />}
        {spot && <circle data-live class="ring" cx={spot[0]} cy={spot[1]} r="5" />}
        {r.empty && (
          <text class="tick" x={r.x} y={r.y + 4} text-anchor="middle">
            no data
          </text>
        )}
      </svg>
      {spot && s && c && (
        <div class={`read-out ${spot[0] > r.x ? 'left' : 'right'} ${spot[1] < 60 ? 'below' : ''}`} style={{ left: `${spot[0]}px`, top: `${spot[1]}px` }}>
          {s.name && <b>{s.name}</b>}
          <span>at {general((180 / Math.PI) * s.data[2 * c.i]!, 4)}°</span>
          <span>
            {general(valueOf(props, s, c.i), 5)} {props.unit ?? '%'}
          </span>
        </div>
      )}
    </div>
  )
}

export function Polar(props: PolarProps) {
  const [own, width] = useWidth<HTMLDivElement>(460)
  const svg = useRef<SVGSVGElement>(null)
  const table = useSignal(false)
  return (
    <figure class="plot polar" aria-label={props.title || props.name}>
      <div class="plot-head">
        <p class="title">{props.title}</p>
        <Tools props={props} svg={svg} table={table.value} toggle={() => (table.value = !table.value)} />
      </div>
      <div class="plot-legend words">
        {props.series.map((s, k) =>
          s.name ? (
            <span key={k}>
              <Swatch s={s} k={k} />
              {s.name}
            </span>
          ) : null,
        )}
      </div>
      <div class="plot-body" ref={own}>
        {table.value ? <PolarTable p={props} /> : <Drawing props={props} svg={svg} width={width} />}
      </div>
      {props.caption && <figcaption>{props.caption}</figcaption>}
    </figure>
  )
}
