// A plot that is looked into: hovered, zoomed, walked through by keys, read as a table, saved.
import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { splitLabel, told } from './axis'
import { DataTable } from './data_table'
import { saveText } from './download'
import { Icon } from './icons'
import { csv, savePng, saveSvg } from './plot_export'
import type { Legend } from './plot_export'
import { colourOf, dashOf, dotPath, dotSize, layPlot, linePath, nearestPoint, pixels, tickX, tickY, windowOf, zoomed } from './plot_frame'
import type { PlotFrame, PlotSeries, PlotSpec, Window } from './plot_frame'
import { complain } from './state'
import { useWidth } from './use_size'

export interface Cursor {
  s: number // series
  i: number // point of it
}

export interface PlotProps extends PlotSpec {
  name: string // of files
  caption?: string
  height?: number // px; none: by the width
  chosen?: Cursor | null // a point that is kept
  onHover?: (at: Cursor | null) => void
  onChoose?: (at: Cursor) => void
  children?: (f: PlotFrame) => ComponentChildren // drawn on top
}

// ---- drawing ------------------------------------------------------------------------------------

function Grid({ f }: { f: PlotFrame }) {
  let grid = ''
  let minor = ''
  let axis = `M${f.left} ${f.top}V${f.bottom}H${f.right}`
  for (const t of f.x.ticks) {
    const x = tickX(f, t.at).toFixed(1)
    grid += `M${x} ${f.bottom}V${f.top}`
    axis += `M${x} ${f.bottom}v5`
  }
  for (const t of f.y.ticks) {
    const y = tickY(f, t.at).toFixed(1)
    grid += `M${f.left} ${y}H${f.right}`
    axis += `M${f.left} ${y}h-5`
  }
  for (const m of f.x.minor) minor += `M${tickX(f, m).toFixed(1)} ${f.bottom}V${f.top}`
  for (const m of f.y.minor) minor += `M${f.left} ${tickY(f, m).toFixed(1)}H${f.right}`
  // y = 0 where it lies inside
  if (!f.y.log && f.y.offset === 0 && f.y.lo < 0 && f.y.hi > 0) axis += `M${f.left} ${tickY(f, 0).toFixed(1)}H${f.right}`
  return (
    <>
      <path class="grid minor" d={minor} />
      <path class="grid" d={grid} />
      <path class="axis" d={axis} />
    </>
  )
}

function Labels({ f }: { f: PlotFrame }) {
  return (
    <>
      {f.x.ticks.map((t) => (
        <text key={`x${t.at}`} class="tick" x={tickX(f, t.at)} y={f.bottom + 19} text-anchor="middle">
          {t.text}
        </text>
      ))}
      {f.y.ticks.map((t) => (
        <text key={`y${t.at}`} class="tick" x={f.left - 9} y={tickY(f, t.at) + 4.2} text-anchor="end">
          {t.text}
        </text>
      ))}
      <text class="label" x={(f.left + f.right) / 2} y={f.bottom + 39} text-anchor="middle">
        {f.x.label}
      </text>
      <text class="label" transform={`translate(15 ${(f.top + f.bottom) / 2}) rotate(-90)`} text-anchor="middle">
        {f.y.label}
      </text>
    </>
  )
}

function Line({ s, index, at, f }: { s: PlotSeries; index: number; at: Float64Array; f: PlotFrame }) {
  const paths = useMemo(() => {
    const n = at.length / 2
    const alone = n === 1
    return { line: s.points === 1 || alone ? '' : linePath(at), dots: s.points || alone ? dotPath(at, f) : '', n }
  }, [at])
  const tone = `s${colourOf(s, index)}`
  const size = dotSize(paths.n)
  return (
    <>
      {paths.line && <path class={`line ${tone}`} d={paths.line} stroke-width={paths.n > 5000 ? 1.2 : 1.9} stroke-dasharray={dashOf(s, index)} />}
      {paths.dots && size >= 4 && <path class="line rim" d={paths.dots} stroke-width={size + 2} />}
      {paths.dots && <path class={`line ${tone}`} d={paths.dots} stroke-width={size} />}
    </>
  )
}

// ---- hands --------------------------------------------------------------------------------------

interface Drag {
  x0: number
  y0: number
  x1: number
  y1: number
  pan: Window | null // what was seen when moving began
}

interface Hands {
  f: PlotFrame
  all: readonly Float64Array[]
  visible: (s: number) => boolean
  seen: Signal<Window | null>
  cursor: Signal<Cursor | null>
  drag: Signal<Drag | null>
  props: PlotProps
}

const place = (e: MouseEvent): [number, number] => {
  const box = (e.currentTarget as Element).getBoundingClientRect()
  return [e.clientX - box.left, e.clientY - box.top]
}

function hover(h: Hands, at: Cursor | null): void {
  const now = h.cursor.peek()
  if (now?.s === at?.s && now?.i === at?.i) return
  h.cursor.value = at
  h.props.onHover?.(at)
}

const find = (h: Hands, x: number, y: number): Cursor | null => nearestPoint(h.all.map((p, s) => (h.visible(s) ? p : new Float64Array(0))), h.f, x, y, 60)

function pointers(h: Hands) {
  const { f, drag, seen } = h
  return {
    onPointerDown: (e: PointerEvent): void => {
      if (e.pointerType === 'touch' || e.button > 1) return
      const [x, y] = place(e)
      ;(e.currentTarget as Element).setPointerCapture(e.pointerId)
      const pan = e.shiftKey || e.button === 1 ? (seen.peek() ?? windowOf(f, f.left, f.bottom, f.right, f.top)) : null
      drag.value = { x0: x, y0: y, x1: x, y1: y, pan }
    },
    onPointerMove: (e: PointerEvent): void => {
      const [x, y] = place(e)
      const d = drag.peek()
      if (!d) return hover(h, find(h, x, y))
      drag.value = { ...d, x1: x, y1: y }
      if (d.pan) seen.value = windowOf(f, f.left - (x - d.x1), f.bottom - (y - d.y1), f.right - (x - d.x1), f.top - (y - d.y1))
    },
    onPointerUp: (e: PointerEvent): void => {
      const d = drag.peek()
      const [x, y] = place(e)
      drag.value = null
      const wide = d && Math.abs(x - d.x0) > 8 && Math.abs(y - d.y0) > 8
      if (d && !d.pan && wide) seen.value = windowOf(f, d.x0, d.y0, x, y)
      const at = find(h, x, y)
      if (e.pointerType === 'touch') hover(h, at)
      if (!wide && at && !d?.pan) h.props.onChoose?.(at)
    },
    onPointerLeave: (e: PointerEvent): void => void (e.pointerType === 'mouse' && !drag.peek() && hover(h, null)),
    onDblClick: (): void => void (seen.value = null),
  }
}

/** The next point of a curve, or the same place on the next curve. */
function walk(h: Hands, along: number, across: number): void {
  const now = h.cursor.peek()
  const open = h.all.map((_, s) => s).filter((s) => h.visible(s) && h.all[s]!.length > 0)
  if (open.length === 0) return
  if (!now || !open.includes(now.s)) return hover(h, { s: open[0]!, i: 0 })
  const s = open[(open.indexOf(now.s) + across + open.length) % open.length]!
  const n = h.all[s]!.length / 2
  if (s === now.s) return hover(h, { s, i: Math.min(Math.max(now.i + along, 0), n - 1) })
  const p = h.all[now.s]!
  const near = nearestPoint([h.all[s]!], h.f, p[2 * now.i]!, p[2 * now.i + 1]!, 1e9)
  hover(h, { s, i: near?.i ?? 0 })
}

function keys(h: Hands, table: Signal<boolean>): (e: KeyboardEvent) => void {
  const { f, seen } = h
  const middle = [(f.left + f.right) / 2, (f.top + f.bottom) / 2] as const
  const acts: Record<string, () => void> = {
    ArrowRight: () => walk(h, 1, 0),
    ArrowLeft: () => walk(h, -1, 0),
    ArrowUp: () => walk(h, 0, -1),
    ArrowDown: () => walk(h, 0, 1),
    PageUp: () => walk(h, -10, 0),
    PageDown: () => walk(h, 10, 0),
    Home: () => walk(h, -1e9, 0),
    End: () => walk(h, 1e9, 0),
    '+': () => void (seen.value = zoomed(f, ...middle, 0.7)),
    '=': () => void (seen.value = zoomed(f, ...middle, 0.7)),
    '-': () => void (seen.value = zoomed(f, ...middle, 1 / 0.7)),
    '0': () => void (seen.value = null),
    t: () => void (table.value = true),
    Enter: () => void (h.cursor.peek() && h.props.onChoose?.(h.cursor.peek()!)),
    Escape: () => hover(h, null),
  }
  return (e) => {
    const act = e.ctrlKey || e.metaKey || e.altKey ? undefined : acts[e.key]
    if (!act) return
    e.preventDefault()
    act()
  }
}

// the page scrolls until the plot has the focus
function useWheel(own: RefObject<SVGSVGElement | null>, h: Hands): void {
  const now = useRef(h)
  now.current = h
  useEffect(() => {
    const e = own.current
    if (!e) return
    const turn = (w: WheelEvent): void => {
      if (!w.ctrlKey && !e.parentElement?.matches(':focus')) return
      w.preventDefault()
      const box = e.getBoundingClientRect()
      now.current.seen.value = zoomed(now.current.f, w.clientX - box.left, w.clientY - box.top, Math.exp(Math.min(Math.max(w.deltaY, -200), 200) * 0.002))
    }
    e.addEventListener('wheel', turn, { passive: false })
    return () => e.removeEventListener('wheel', turn)
  }, [own.current])
}

// ---- read-out -----------------------------------------------------------------------------------

function ReadOut({ h, at, width }: { h: Hands; at: Cursor; width: number }) {
  const s = h.props.series[at.s]
  const p = h.all[at.s]
  if (!s || !p || !(at.i * 2 + 1 < p.length)) return null
  const x = p[2 * at.i]!
  const y = p[2 * at.i + 1]!
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null
  const style = { left: `${x}px`, top: `${y}px` }
  return (
    <div class={`read-out ${x > width / 2 ? 'left' : 'right'} ${y < 70 ? 'below' : ''}`} style={style} aria-live="polite">
      {s.name && <b>{s.name}</b>}
      <span>
        {splitLabel(h.props.xlabel)[0] || 'x'} {told(h.f.x, s.xy[2 * at.i]!)}
      </span>
      <span>
        {splitLabel(h.props.ylabel)[0] || 'y'} {told(h.f.y, s.xy[2 * at.i + 1]!)}
      </span>
    </div>
  )
}

function Ring({ at, all, kept }: { at: Cursor; all: readonly Float64Array[]; kept: boolean }) {
  const p = all[at.s]
  const x = p?.[2 * at.i]
  const y = p?.[2 * at.i + 1]
  if (x === undefined || y === undefined || !Number.isFinite(x + y)) return null
  return <circle data-live class={kept ? 'ring kept' : 'ring'} cx={x} cy={y} r={kept ? 6.5 : 5} />
}

// ---- beside the drawing -------------------------------------------------------------------------

/** A swatch as the line has it. */
function Swatch({ s, index }: { s: PlotSeries; index: number }) {
  const tone = `line s${colourOf(s, index)}`
  return (
    <svg width="24" height="12" aria-hidden="true">
      {s.points !== 1 && <path class={tone} d="M1 6H23" stroke-width="2" stroke-dasharray={dashOf(s, index)} />}
      {!!s.points && <path class={tone} d="M12 6h0" stroke-width="6.5" />}
    </svg>
  )
}

// the legend names what has a name and a point that is drawn
function isDrawn(s: PlotSeries): boolean {
  for (let i = 0; i + 1 < s.xy.length; i += 2) if (Number.isFinite(s.xy[i]!) && Number.isFinite(s.xy[i + 1]!)) return true
  return false
}
const named = (p: PlotSpec): number[] => p.series.flatMap((s, k) => (s.name && isDrawn(s) ? [k] : []))

function LegendRow({ p, hidden }: { p: PlotSpec; hidden: Signal<ReadonlySet<number>> }) {
  const list = named(p)
  if (list.length === 0) return null
  const toggle = (k: number): void => {
    const next = new Set(hidden.value)
    if (!next.delete(k)) next.add(k)
    hidden.value = next
  }
  return (
    <div class="plot-legend">
      {list.map((k) => (
        <button key={k} class="plain" aria-pressed={!hidden.value.has(k)} title={hidden.value.has(k) ? 'show' : 'hide'} onClick={() => toggle(k)}>
          <Swatch s={p.series[k]!} index={k} />
          {p.series[k]!.name}
        </button>
      ))}
    </div>
  )
}

/** Columns of all points; series with the same x share it. */
export function plotColumns(p: PlotSpec): { name: string; values: Float64Array }[] {
  const pick = (s: PlotSeries, c: number): Float64Array => Float64Array.from({ length: s.xy.length >> 1 }, (_, k) => s.xy[2 * k + c]!)
  const [xname, xunit] = splitLabel(p.xlabel)
  const [yname, yunit] = splitLabel(p.ylabel)
  const head = (name: string, unit: string): string => (unit ? `${name || 'value'} (${unit})` : name || 'value')
  const out: { name: string; values: Float64Array }[] = []
  let before: Float64Array | null = null
  for (const s of p.series) {
    const x = pick(s, 0)
    const same: boolean = before?.length === x.length && before.every((v, k) => v === x[k])
    if (!same) out.push({ name: head(xname || 'x', xunit), values: x })
    out.push({ name: head(s.name || yname || 'y', yunit), values: pick(s, 1) })
    before = x
  }
  return out
}

function PlotTable({ p }: { p: PlotSpec }) {
  const columns = useMemo(() => plotColumns(p), [p.series])
  const rows = Math.max(0, ...columns.map((c) => c.values.length))
  return <DataTable label={`numbers of ${p.title || 'the plot'}`} rows={rows} columns={columns.map((c) => ({ name: c.name, at: (r) => c.values[r] ?? NaN }))} />
}

function Tools({ props, svg, table, seen }: { props: PlotProps; svg: RefObject<SVGSVGElement | null>; table: Signal<boolean>; seen: Signal<Window | null> }) {
  const legend = (): Legend[] =>
    named(props).map((k) => {
      const s = props.series[k]!
      return { name: s.name!, colour: getComputedStyle(svg.current!).getPropertyValue(`--s${colourOf(s, k)}`), dash: dashOf(s, k), dot: s.points === 1 }
    })
  const points = (): void => {
    const columns = plotColumns(props)
    saveText(csv(columns.map((c) => c.name), columns.map((c) => c.values)), `${props.name}.csv`)
  }
  return (
    <div class="plot-tools">
      {seen.value && (
        <button class="plain small" title="All of it (0)" aria-label="show all of it" onClick={() => (seen.value = null)}>
          <Icon name="home" size={16} />
        </button>
      )}
      <button class="plain small" aria-pressed={table.value} title="Numbers (t)" aria-label="numbers" onClick={() => (table.value = !table.value)}>
        <Icon name={table.value ? 'curve' : 'table'} size={16} />
      </button>
      <button class="plain small" title="Save the numbers" onClick={points}>
        csv
      </button>
      {!table.value && (
        <>
          <button class="plain small" title="Save the plot as SVG" onClick={() => svg.current && saveSvg(svg.current, props.name, props.title, legend())}>
            svg
          </button>
          <button class="plain small" title="Save the plot as PNG" onClick={() => svg.current && savePng(svg.current, props.name, props.title, legend()).catch(complain)}>
            png
          </button>
        </>
      )}
    </div>
  )
}

// ---- the plot -----------------------------------------------------------------------------------

function Drawing({ props, width, hidden, seen, table, svg }: { props: PlotProps; width: number; hidden: ReadonlySet<number>; seen: Signal<Window | null>; table: Signal<boolean>; svg: RefObject<SVGSVGElement | null> }) {
  const height = props.height ?? Math.round(Math.min(Math.max(0.56 * width, 230), 420))
  const clip = useId()
  const cursor = useSignal<Cursor | null>(null)
  const drag = useSignal<Drag | null>(null)
  const { f, all } = useMemo(() => {
    const frame = layPlot(props, width, height, seen.value)
    return { f: frame, all: props.series.map((s) => pixels(frame, s)) }
  }, [props.series, props.xlabel, props.ylabel, props.logx, props.logy, width, height, seen.value])
  const visible = (s: number): boolean => !hidden.has(s)
  const h: Hands = { f, all, visible, seen, cursor, drag, props }
  useWheel(svg, h)
  const d = drag.value
  const says = `${props.title || 'plot'}: ${f.y.label || 'y'} over ${f.x.label || 'x'}, ${props.series.length === 1 ? 'one curve' : `${props.series.length} curves`}. Arrow keys go from point to point, t shows the numbers.`
  return (
    <div class="plot-area" tabIndex={0} role="application" aria-roledescription="plot" aria-label={says} onKeyDown={keys(h, table)}>
      <svg ref={svg} width={width} height={height} aria-hidden="true" {...pointers(h)}>
        <clipPath id={clip}>
          <rect x={f.left - 1} y={f.top - 4} width={Math.max(f.right - f.left + 2, 0)} height={Math.max(f.bottom - f.top + 5, 0)} />
        </clipPath>
        <rect class="ground" x={f.left} y={f.top} width={Math.max(f.right - f.left, 0)} height={Math.max(f.bottom - f.top, 0)} />
        <Grid f={f} />
        <Labels f={f} />
        <g clip-path={`url(#${clip})`}>
          {props.series.map((s, k) => visible(k) && <Line key={k} s={s} index={k} at={all[k]!} f={f} />)}
          {props.children?.(f)}
        </g>
        {f.empty && (
          <text class="tick" x={(f.left + f.right) / 2} y={(f.top + f.bottom) / 2} text-anchor="middle">
            {props.logx || props.logy ? 'no positive data' : 'no data'}
          </text>
        )}
        {props.chosen && <Ring at={props.chosen} all={all} kept />}
        {cursor.value && <Ring at={cursor.value} all={all} kept={false} />}
        {d && !d.pan && <rect data-live class="zoom-box" x={Math.min(d.x0, d.x1)} y={Math.min(d.y0, d.y1)} width={Math.abs(d.x1 - d.x0)} height={Math.abs(d.y1 - d.y0)} />}
      </svg>
      {cursor.value && <ReadOut h={h} at={cursor.value} width={width} />}
    </div>
  )
}

export function Plot(props: PlotProps) {
  const [own, width] = useWidth<HTMLDivElement>(600)
  const svg = useRef<SVGSVGElement>(null)
  const seen = useSignal<Window | null>(null)
  const table = useSignal(false)
  const hidden = useSignal<ReadonlySet<number>>(new Set())
  return (
    <figure class="plot" aria-label={props.title || props.name}>
      <div class="plot-head">
        <p class="title">{props.title}</p>
        <Tools props={props} svg={svg} table={table} seen={seen} />
      </div>
      {!table.value && <LegendRow p={props} hidden={hidden} />}
      <div class="plot-body" ref={own}>
        {table.value ? <PlotTable p={props} /> : <Drawing props={props} width={width} hidden={hidden.value} seen={seen} table={table} svg={svg} />}
      </div>
      {props.caption && <figcaption>{props.caption}</figcaption>}
    </figure>
  )
}
