// Response curves of runs, and motions of their points.
import { computed, effect, signal } from '@preact/signals'
import { modelArrays, orbitArrays } from './arrays'
import { isCurve, specialsOf, specialsSoFar } from './curves'
import type { Curve, SpecialPoint } from './curves'
import type { Item } from './protocol'
import { ended, runs } from './runs'
import type { RunView } from './runs'
import { editScene } from './edit_scene'
import { model as sceneModel, text } from './scene'
import { addItem, entryOf, find, nameOf, readText, setValue } from './scene_text'
import type { Edit, Entry } from './scene_text'
import { complain, connection, notify } from './state'
import type { ModelArrays, OrbitArrays } from './viewer/types'

export interface Choice {
  view: RunView
  run: number
  table: string // name of the analysis, too
  label: string
  live: boolean
}

/** Curves that there are, the newest first. */
export const choices = computed<readonly Choice[]>(() => {
  const out: Choice[] = []
  for (const view of runs.value) {
    const { run, label } = view.info.value
    const add = (table: string, live: boolean): void => void out.unshift({ view, run, table, live, label: `${run} · ${label}${label.endsWith(table) ? '' : `: ${table}`}` })
    for (const i of view.items.value) if (i.kind === 'table' && isCurve(i.columns)) add(i.name, false)
    for (const t of view.tables.value) if (isCurve(t.columns)) add(t.name, true)
  }
  return out
})

const pinned = signal('') // RUN/TABLE; '': the newest
const besides = signal('')
const keyOf = (c: Choice): string => `${c.run}/${c.table}`
export const chosen = computed(() => choices.value.find((c) => keyOf(c) === pinned.value) ?? choices.value[0] ?? null)
export const beside = computed(() => choices.value.find((c) => keyOf(c) === besides.value && c !== chosen.value) ?? null)
export const choose = (key: string): void => void (pinned.value = choices.value[0] && key === keyOf(choices.value[0]) ? '' : key)
export const chooseBeside = (key: string): void => void (besides.value = key)
export { keyOf as choiceKey }

// ---- their points -------------------------------------------------------------------------------

const loaded = signal<ReadonlyMap<string, Curve>>(new Map())

type TableItem = Extract<Item, { kind: 'table' }>

async function load(key: string, t: TableItem): Promise<void> {
  const data = await connection.floats(t.data)
  const n = t.columns.length
  const rows = Array.from({ length: t.rows }, (_, k) => data.subarray(k * n, (k + 1) * n))
  loaded.value = new Map([...loaded.value, [key, { columns: t.columns, rows }]])
}

function curveOf(c: Choice | null): Curve | null {
  if (!c) return null
  if (c.live) {
    const t = c.view.tables.value.find((l) => l.name === c.table)
    return t ? { columns: t.columns, rows: t.rows } : null
  }
  return loaded.value.get(keyOf(c)) ?? null
}

const asked = new Set<string>()
effect(() => {
  for (const c of [chosen.value, beside.value]) {
    const item = c && !c.live ? c.view.items.value.find((i): i is TableItem => i.kind === 'table' && i.name === c.table) : undefined
    if (!c || !item || asked.has(keyOf(c))) continue
    asked.add(keyOf(c))
    load(keyOf(c), item).catch((e: unknown) => (asked.delete(keyOf(c)), complain(e)))
  }
})

export const curve = computed(() => curveOf(chosen.value))

/** Rows of the table from one point that is here to the next. */
const every = computed(() => {
  const c = chosen.value
  return (c?.live && c.view.tables.value.find((l) => l.name === c.table)?.every) || 1
})
export const besideCurve = computed(() => curveOf(beside.value))

/** What stands out on the curve, for a column of it. */
export function specials(quantity: string): readonly SpecialPoint[] {
  const c = chosen.value
  if (!c || !curve.value) return []
  const name = c.table === 'response' ? 'special' : `${c.table}-special`
  const told = c.view.items.value.find((i) => i.kind === 'text' && i.name === name)
  return told?.kind === 'text' ? specialsOf(told.csv, quantity) : specialsSoFar(curve.value, quantity)
}

export const growing = computed(() => chosen.value !== null && !ended(chosen.value.view.info.value))

// ---- motions of points --------------------------------------------------------------------------

export interface PointMotion {
  row: number // that it belongs to, near the one that was asked for
  motion: OrbitArrays
}

export const arrays = signal<ModelArrays | null>(null)
export const unit = signal({ unit: 'm', si: 1 })
export const kept = signal<PointMotion | null>(null)
export const near = signal<PointMotion | null>(null)
let shownModel = 0

async function fetchModel(rev: number): Promise<void> {
  shownModel = rev
  const got = await connection.request('model', { rev })
  unit.value = got.model.length
  arrays.value = await modelArrays(got.model)
}

effect(() => {
  const rev = chosen.value?.view.info.value.model ?? 0
  if (rev > 0 && rev !== shownModel) fetchModel(rev).catch(complain)
})

let last = ''
effect(() => {
  const key = chosen.value ? keyOf(chosen.value) : ''
  if (key === last) return
  last = key
  kept.value = near.value = null
})

async function motionOf(row: number): Promise<PointMotion | null> {
  const c = chosen.value
  if (!c) return null
  const each = every.value
  const got = await connection.request('motion', { run: c.run, table: c.table, row: row * each })
  return got.orbit ? { row: Math.round(got.row / each), motion: await orbitArrays(got.orbit) } : null
}

let hovered = -1
let busy = false

/** Shows the motion of the point that is looked at; -1: none is. */
export async function look(row: number): Promise<void> {
  hovered = row
  if (row < 0) near.value = null
  if (busy || row < 0) return
  busy = true
  try {
    // on to where the pointer is by now
    for (let at = -1; at !== hovered && hovered >= 0; ) {
      at = hovered
      const got = await motionOf(at)
      if (hovered >= 0) near.value = got
    }
  } catch {
    near.value = null
  } finally {
    busy = false
  }
}

export async function keep(row: number): Promise<void> {
  try {
    const got = await motionOf(row)
    kept.value = got
    if (!got) notify('note', 'no motion of this point was kept')
  } catch (e) {
    complain(e)
  }
}

/** Frequency of a point's drive, rad/s. */
export const omegaAt = (row: number): number => {
  const c = curve.value
  const at = c?.columns.findIndex((k) => k.name === 'omega') ?? -1
  return c && at >= 0 ? (c.rows[row]?.[at] ?? 0) : 0
}

// ---- the range in the text ----------------------------------------------------------------------

/** Name of the analysis whose range is edited: that of the curve, or the first response. */
export const analysis = computed(() => {
  const list = (sceneModel.value?.analyses ?? []).filter((a) => a.kind === 'response')
  return (list.find((a) => a.name === chosen.value?.table) ?? list[0])?.name ?? ''
})

/** The analysis's own entries in the text. */
function responseIn(root: ReturnType<typeof readText>, name: string): Entry | null {
  const list = entryOf(root, 'analyses')?.value
  const item = list?.entries.find((e) => nameOf(e) === name || e.value?.entries.some((k) => k.key === 'response' && name === 'response'))
  return item ? (entryOf(item.value, 'response') ?? null) : null
}

function hertz(word: string | undefined): number | null {
  const found = /^([-+.\deE]+)\s*(Hz|kHz|rad\/s)$/.exec(word ?? '')
  if (!found) return null
  return Number(found[1]) * { Hz: 1, kHz: 1e3, 'rad/s': 1 / (2 * Math.PI) }[found[2] as 'Hz']!
}

export const range = computed(() => {
  const e = responseIn(readText(text.value), analysis.value)
  const from = hertz(entryOf(e?.value, 'from')?.value?.text)
  const to = hertz(entryOf(e?.value, 'to')?.value?.text)
  return from !== null && to !== null ? { from, to } : null
})

const word = (v: number): string => `${Number(v.toPrecision(4))} Hz`

/** Writes the range that was dragged into the text; a sweep downwards stays one. */
export function setRange(r: { from: number; to: number }): void {
  const old = range.value
  const down = old !== null && old.from > old.to
  const ends = { from: word(down ? r.to : r.from), to: word(down ? r.from : r.to) }
  const root = readText(text.value)
  const list = entryOf(root, 'analyses')?.value
  const e = responseIn(root, analysis.value)
  const index = list?.entries.findIndex((i) => i.value?.entries.some((k) => k === e)) ?? -1
  const edits: (Edit | null)[] = (['from', 'to'] as const).map((end) => setValue(text.value, ['analyses', index, 'response', end], ends[end]))
  if (index < 0 || !find(root, ['analyses', index, 'response', 'from']) || !editScene(edits)) notify('warning', 'the range of this response is not written as from and to in the text')
}

/** A response where the scene has none. */
export function addResponse(from: number, to: number): void {
  editScene([addItem(text.value, 'analyses', `response: {from: ${word(from)}, to: ${word(to)}}`)])
}
