// What a run told, in order, as a report.
import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Bars, Chart } from './bars'
import { DataTable } from './data_table'
import { saveText } from './download'
import { general } from './format'
import { Icon } from './icons'
import type { IconName } from './icons'
import { csv } from './plot_export'
import { Plot } from './plot'
import { Polar } from './polar'
import type { ArrayRef, Item } from './protocol'
import type { RunView } from './runs'
import { sections } from './sections'
import type { Section } from './sections'
import { openText } from './scene'
import { isStage, shownItem, stageTitle } from './stage'
import type { StageItem } from './stage'
import { complain, connection, show } from './state'

type Of<K extends Item['kind']> = Extract<Item, { kind: K }>

// ---- arrays -------------------------------------------------------------------------------------

/** Arrays once they are there. */
export function useFloats(refs: readonly (ArrayRef | null)[]): readonly (Float32Array | null)[] | null {
  const got = useSignal<readonly (Float32Array | null)[] | null>(null)
  const key = refs.map((r) => r?.url ?? '').join(' ')
  useEffect(() => {
    let late = false
    Promise.all(refs.map((r) => (r ? connection.floats(r) : null))).then((all) => {
      if (!late) got.value = all
    }, complain)
    return () => void (late = true)
  }, [key])
  return got.value
}

function Waiting({ title }: { title: string }) {
  return (
    <figure class="plot waiting" aria-busy="true">
      <div class="plot-head">
        <p class="title">{title}</p>
      </div>
    </figure>
  )
}

function PlotItem({ item }: { item: Of<'plot'> }) {
  const got = useFloats(item.series.map((s) => s.xy))
  const series = useMemo(() => (got ? item.series.map((s, k) => ({ ...s, xy: got[k]! })) : null), [got])
  return series ? <Plot {...item} series={series} /> : <Waiting title={item.title} />
}

function PolarItem({ item }: { item: Of<'polar'> }) {
  const got = useFloats([...item.series.map((s) => s.data), ...item.series.map((s) => s.error)])
  const n = item.series.length
  const series = useMemo(() => (got ? item.series.map((s, k) => ({ ...s, data: got[k]!, error: got[n + k] ?? null })) : null), [got])
  return series ? <Polar {...item} series={series} /> : <Waiting title={item.title} />
}

// ---- tables -------------------------------------------------------------------------------------

const numeric = (rows: readonly string[][], c: number): boolean => {
  const cells = rows.slice(1).map((r) => r[c] ?? '').filter(Boolean)
  return cells.length > 0 && cells.every((s) => /^[−+-]?(\.?\d|nan|inf)/.test(s))
}

function Grid({ rows }: { rows: string[][] }) {
  const head = rows[0] ?? []
  const right = head.map((_, c) => numeric(rows, c))
  return (
    <div class="scroll" role="region" aria-label={head.filter(Boolean).join(', ') || 'table'} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((h, c) => (
              <th key={c} scope="col" class={right[c] ? 'n' : ''}>
                {h}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(1).map((r, k) => (
            <tr key={k}>
              {head.map((_, c) => (
                <td key={c} class={right[c] ? 'n' : ''}>
                  {r[c]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Folded({ icon, title, note, save, children }: { icon: IconName; title: string; note: string; save?: () => void; children: () => ComponentChildren }) {
  const open = useSignal(false)
  return (
    <details class="folded" onToggle={(e) => (open.value = e.currentTarget.open)}>
      <summary>
        <Icon name={icon} size={16} />
        <span>{title}</span>
        <small>{note}</small>
      </summary>
      {open.value && (
        <div class="inside">
          {save && (
            <button class="small" onClick={save}>
              <Icon name="download" size={16} /> CSV
            </button>
          )}
          {children()}
        </div>
      )}
    </details>
  )
}

// heads of CSV files: a unit made a word
const unitWord = (unit: string): string => unit.replace(/\^/g, '').replace(/[^A-Za-z0-9]+/g, '_')
const columnHead = (c: { name: string; unit: string }): string => (c.unit ? `${c.name}_${unitWord(c.unit)}` : c.name)

function Rows({ item }: { item: Of<'table'> }) {
  const got = useFloats([item.data])?.[0]
  const n = item.columns.length
  if (!got) return <p class="mute">…</p>
  return <DataTable label={`table ${item.name}`} rows={item.rows} columns={item.columns.map((c, k) => ({ name: c.unit ? `${c.name} (${c.unit})` : c.name, at: (r) => got[r * n + k]! }))} />
}

function TableItem({ item }: { item: Of<'table'> }) {
  const save = (): void => {
    connection.floats(item.data).then((data) => {
      const n = item.columns.length
      const columns = item.columns.map((_, c) => Float64Array.from({ length: item.rows }, (_r, r) => data[r * n + c]!))
      saveText(csv(item.columns.map(columnHead), columns), `${item.name}.csv`)
    }, complain)
  }
  return (
    <Folded icon="table" title={item.name} note={`${item.rows} ${item.rows === 1 ? 'row' : 'rows'}, ${item.columns.length} columns`} save={save}>
      {() => <Rows item={item} />}
    </Folded>
  )
}

function TextItem({ item }: { item: Of<'text'> }) {
  const lines = item.csv.trim().split('\n')
  return (
    <Folded icon="table" title={item.name} note={`${lines.length - 1} rows`} save={() => saveText(item.csv, `${item.name}.csv`)}>
      {() => <Grid rows={lines.slice(0, 101).map((l) => l.split(','))} />}
    </Folded>
  )
}

function SceneItem({ item }: { item: Of<'scene'> }) {
  const open = (): void => {
    openText(`${item.name.replace(/\.ya?ml$/, '')}.yaml`, item.yaml).then((there) => there && show('scene'), complain)
  }
  return (
    <div class="found">
      <Icon name="file" size={18} />
      <span>Scene with the values that were found: {item.name}</span>
      <span class="gap" />
      <button class="small" onClick={open}>
        Open
      </button>
      <button class="small" onClick={() => saveText(item.yaml, `${item.name.replace(/\.ya?ml$/, '')}.yaml`, 'text/yaml')}>
        Save
      </button>
    </div>
  )
}

// ---- figures ------------------------------------------------------------------------------------

function told(v: unknown): string {
  if (typeof v === 'number') return general(v, 6)
  if (typeof v === 'boolean') return v ? 'yes' : 'no'
  if (v === null) return '–'
  if (Array.isArray(v)) return v.length > 12 ? `${v.slice(0, 12).map(told).join('  ')} … (${v.length})` : v.map(told).join('  ')
  if (typeof v === 'object') return Object.entries(v).map(([k, x]) => `${k}: ${told(x)}`).join(', ')
  return String(v)
}

function Figures({ title, figures }: { title: string; figures: Record<string, unknown> }) {
  const list = Object.entries(figures)
  return (
    <Folded icon="data" title={title} note={`${list.length} figures`}>
      {() => (
        <table class="figures">
          <tbody>
            {list.map(([k, v]) => (
              <tr key={k}>
                <th scope="row">{k}</th>
                <td>{told(v)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Folded>
  )
}

// ---- shapes and motions -------------------------------------------------------------------------

const stageIcons: Record<StageItem['kind'], IconName> = { shape: 'mesh', orbit: 'target', film: 'film', picture: 'picture', solids: 'scene', body: 'scene' }

function StageCard({ item, n, run }: { item: StageItem; n: number; run: RunView }) {
  const now = shownItem(run) === n
  return (
    <button class="stage-card" aria-pressed={now} onClick={() => (run.shown.value = n)}>
      <Icon name={item.kind === 'shape' && item.mode ? 'curve' : stageIcons[item.kind]} size={18} />
      <span>
        <b>{stageTitle(item)}</b>
        {'caption' in item && item.caption && <small>{item.caption}</small>}
      </span>
      <i>{now ? 'shown' : 'show'}</i>
    </button>
  )
}

// ---- one item -----------------------------------------------------------------------------------

function Callout({ level, text, hint }: { level: 'note' | 'warning' | 'error'; text: string; hint?: string }) {
  return (
    <div class={`callout ${level}`} role="note">
      <b>{level === 'error' ? 'Error' : level === 'warning' ? 'Warning' : 'Note'}</b>
      <span>
        {text}
        {hint && <small>{hint}</small>}
      </span>
    </div>
  )
}

function Said({ item }: { item: Of<'said'> }) {
  if (item.said === 'heading') return <h4 class="said">{item.text}</h4>
  if (item.said === 'warning') return <Callout level="warning" text={item.text} />
  if (item.said === 'alarm') return <Callout level="error" text={item.text} hint="not to be trusted" />
  return item.said === 'text' ? <p class="said">{item.text}</p> : null
}

function One({ item, n, run }: { item: Item; n: number; run: RunView }) {
  if (isStage(item)) return <StageCard item={item} n={n} run={run} />
  switch (item.kind) {
    case 'said':
      return <Said item={item} />
    case 'grid':
      return <Grid rows={item.rows} />
    case 'bars':
      return <Bars item={item} />
    case 'plot':
      return <PlotItem item={item} />
    case 'chart':
      return <Chart item={item} />
    case 'polar':
      return <PolarItem item={item} />
    case 'table':
      return <TableItem item={item} />
    case 'text':
      return <TextItem item={item} />
    case 'scene':
      return <SceneItem item={item} />
    case 'figures':
      return <Figures title="all figures" figures={item.figures} />
    case 'summary':
      return <Figures title="summary" figures={item.summary} />
    case 'message':
      return <Callout level={item.level} text={item.text} hint={item.hint} />
    default:
      return null
  }
}

// ---- the report ---------------------------------------------------------------------------------

const isData = (i: Item): boolean => i.kind === 'table' || i.kind === 'text' || i.kind === 'figures' || i.kind === 'summary'

/** Items from..to-1; those between `row` and `rowEnd` side by side, cards together, data last. */
function Flow({ run, from, to }: { run: RunView; from: number; to: number }) {
  const items = run.items.value
  const out: ComponentChildren[] = []
  const data: ComponentChildren[] = []
  const one = (k: number) => <One key={k} item={items[k]!} n={k} run={run} />
  for (let k = from; k < to; k++) {
    const item = items[k]!
    if (item.kind === 'row') {
      const begin = k
      while (k + 1 < to && items[k + 1]!.kind !== 'rowEnd') k++
      out.push(
        <div class="side-by-side" key={begin}>
          {Array.from({ length: k - begin }, (_, i) => one(begin + 1 + i))}
        </div>,
      )
    } else if (isStage(item)) {
      const begin = k
      while (k + 1 < to && isStage(items[k + 1]!)) k++
      out.push(
        <div class="stage-cards" key={begin}>
          {Array.from({ length: k - begin + 1 }, (_, i) => one(begin + i))}
        </div>,
      )
    } else (isData(item) ? data : out).push(one(k))
  }
  return (
    <>
      {out}
      {data.length > 0 && <div class="data">{data}</div>}
    </>
  )
}

function SectionView({ run, section }: { run: RunView; section: Section }) {
  const kind = section.kind && section.kind !== section.name ? section.kind : ''
  return (
    <section class={section.name ? 'analysis' : 'analysis loose'} id={section.name ? `run-${section.name}` : undefined}>
      {section.name && (
        <h3>
          {section.name} {kind && <small>{kind}</small>}
          {section.status === null ? <span class="badge at-work">at work</span> : section.status !== 'done' && <span class="badge bad">{section.status}</span>}
        </h3>
      )}
      <Flow run={run} from={section.from} to={section.to} />
    </section>
  )
}

const keysMax = 12
const allKeys = signal(false)

function Keys({ items }: { items: readonly Item[] }) {
  const keys = items.flatMap((i) => (i.kind === 'said' && i.said === 'key' ? [i.text] : []))
  if (keys.length === 0) return null
  const shown = allKeys.value ? keys : keys.slice(0, keysMax)
  return (
    <section class="key-figures" aria-label="key figures">
      <ul>
        {shown.map((k, i) => (
          <li key={i}>{keyLine(k)}</li>
        ))}
      </ul>
      {keys.length > keysMax && (
        <button class="plain small link" onClick={() => (allKeys.value = !allKeys.value)}>
          {allKeys.value ? 'fewer' : `all ${keys.length}`}
        </button>
      )}
    </section>
  )
}

// "static: stable equilibrium" with its first word set apart
function keyLine(text: string) {
  const found = /^([\w-]+): (.*)$/s.exec(text)
  return found ? (
    <>
      <b>{found[1]}</b> {found[2]}
    </>
  ) : (
    text
  )
}

export function Report({ run }: { run: RunView }) {
  const items = run.items.value
  const list = useMemo(() => sections(items), [items])
  return (
    <>
      <Keys items={items} />
      {list.map((s) => (
        <SectionView key={`${s.from}`} run={run} section={s} />
      ))}
    </>
  )
}
