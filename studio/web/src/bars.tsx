// Signed bars with names, and values within their bounds.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { makeAxis, placeOn, told, widen } from './axis'
import { saveText } from './download'
import { general } from './format'
import { Icon } from './icons'
import { saveSvg } from './plot_export'
import { textWidth } from './plot_frame'
import type { Item } from './protocol'
import { useWidth } from './use_size'

type ChartItem = Extract<Item, { kind: 'chart' }>
type BarsItem = Extract<Item, { kind: 'bars' }>

const row = 22
const top = 6

function Drawing({ item, width, svg }: { item: ChartItem; width: number; svg: { current: SVGSVGElement | null } }) {
  const values = item.rows.map((r) => r.value).filter(Number.isFinite)
  const left = Math.min(Math.max(60, ...item.rows.map((r) => textWidth(r.name) + 20)), Math.min(260, width / 2))
  const [lo, hi] = widen(Math.min(0, ...values), Math.max(0, ...values), false, 0.04, true)
  const a = makeAxis(lo, hi, Math.max(Math.floor((width - left) / 80), 2), { label: item.label, length: item.length, log: false, whole: false, most: 0 })
  const bottom = top + row * item.rows.length
  const right = width - 20
  const x = (place: number): number => left + place * (right - left)
  const zero = x(placeOn(a, 0))
  return (
    <svg ref={svg} width={width} height={bottom + 46} role="img" aria-label={`${item.title}: ${item.rows.length} bars`}>
      {a.ticks.map((t) => {
        const at = x((t.at - a.lo) / (a.hi - a.lo))
        return (
          <g key={t.at}>
            <path class="grid" d={`M${at} ${top}V${bottom}`} />
            <text class="tick" x={at} y={bottom + 16} text-anchor="middle">
              {t.text}
            </text>
          </g>
        )
      })}
      {item.rows.map((r, k) => {
        const end = x(placeOn(a, r.value))
        const y = top + row * (k + 0.5)
        return (
          <g key={k}>
            <text class="tick name" x={left - 10} y={y + 4} text-anchor="end">
              {r.name}
            </text>
            {Number.isFinite(end) && (
              <rect class={`bar ${r.value < 0 ? 's1' : 's0'}`} rx="1.5" x={Math.min(zero, end)} width={Math.max(Math.abs(end - zero), 0.6)} y={y - row / 2 + 4} height={row - 8}>
                <title>{`${r.name}: ${told(a, r.value)}`}</title>
              </rect>
            )}
          </g>
        )
      })}
      <path class="axis" d={`M${zero} ${top}V${bottom}`} />
      <text class="label" x={(left + right) / 2} y={bottom + 36} text-anchor="middle">
        {a.label}
      </text>
    </svg>
  )
}

export function Chart({ item }: { item: ChartItem }) {
  const [own, width] = useWidth<HTMLDivElement>(600)
  const svg = useRef<SVGSVGElement>(null)
  const table = useSignal(false)
  const numbers = (): void => saveText(`name,value\n${item.rows.map((r) => `"${r.name.replaceAll('"', '""')}",${r.value}`).join('\n')}\n`, `${item.name}.csv`)
  return (
    <figure class="plot chart" aria-label={item.title || item.name}>
      <div class="plot-head">
        <p class="title">{item.title}</p>
        <div class="plot-tools">
          <button class="plain small" aria-pressed={table.value} aria-label="numbers" title="Numbers" onClick={() => (table.value = !table.value)}>
            <Icon name={table.value ? 'curve' : 'table'} size={16} />
          </button>
          <button class="plain small" title="Save the numbers" onClick={numbers}>
            csv
          </button>
          {!table.value && (
            <button class="plain small" title="Save as SVG" onClick={() => svg.current && saveSvg(svg.current, item.name, item.title, [])}>
              svg
            </button>
          )}
        </div>
      </div>
      <div class="plot-body" ref={own}>
        {table.value ? (
          <table class="names">
            <tbody>
              {item.rows.map((r, k) => (
                <tr key={k}>
                  <th scope="row">{r.name}</th>
                  <td class="n">{general(r.value, 6)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : (
          <Drawing item={item} width={width} svg={svg} />
        )}
      </div>
      {item.caption && <figcaption>{item.caption}</figcaption>}
    </figure>
  )
}

// ---- values within bounds -----------------------------------------------------------------------

function Track({ b }: { b: BarsItem['bars'][number] }) {
  const { lo, hi } = b
  if (lo === null || hi === null || !(lo < hi)) return null
  const place = (v: number): number => {
    const f = b.log && lo > 0 && v > 0 ? Math.log(v / lo) / Math.log(hi / lo) : (v - lo) / (hi - lo)
    return 6 + 138 * Math.min(Math.max(f, 0), 1)
  }
  const [x0, x1] = [place(b.before), place(b.after)]
  return (
    <svg class="track" width="150" height="16" aria-hidden="true">
      <rect x="6" y="6" width="138" height="4" rx="2" />
      <path d={`M${x0} 8H${x1}`} />
      <circle class="before" cx={x0} cy="8" r="3.5" />
      <circle class="after" cx={x1} cy="8" r="4.5" />
    </svg>
  )
}

export function Bars({ item }: { item: BarsItem }) {
  const notes = item.bars.some((b) => b.note)
  const cell = (v: number | null) => <td class="n">{v === null ? '' : general(v, 5)}</td>
  return (
    <div class="scroll" role="region" aria-label="values" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">value</th>
            <th scope="col">unit</th>
            <th scope="col" class="n">min</th>
            <th scope="col" class="n">before</th>
            <th scope="col" class="n">after</th>
            <th scope="col" class="n">max</th>
            <th scope="col">within bounds</th>
            {notes && <th scope="col">note</th>}
          </tr>
        </thead>
        <tbody>
          {item.bars.map((b, k) => (
            <tr key={k}>
              <th scope="row">{b.name}</th>
              <td>{b.unit}</td>
              {cell(b.lo)}
              {cell(b.before)}
              {cell(b.after)}
              {cell(b.hi)}
              <td>
                <Track b={b} />
              </td>
              {notes && <td>{b.note}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

