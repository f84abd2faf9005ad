// Limits of materials that this page knows of: of runs, and of the cloth of the scene at hand.
import { computed, signal } from '@preact/signals'
import { sections } from './sections'
import { isBoundary, limitKinds } from './limits'
import type { LimitKind, Spot, Table } from './limits'
import type { ArrayRef, Item, Model } from './protocol'
import { current, runs } from './runs'
import type { RunView } from './runs'
import { failed, model, path, text } from './scene'
import { isStage } from './stage'
import type { StageItem } from './stage'
import { complain, connection } from './state'

type Of<K extends Item['kind']> = Extract<Item, { kind: K }>
type TableItem = Of<'table'>

/** What may be laid over others. */
export interface MaterialSet {
  key: string
  label: string
  kind: 'limits' | 'cloth'
  name: string // of the analysis, or of the body
  view: RunView | null // null: of the scene at hand
  polars: readonly SetPolar[]
  stage: readonly StageItem[] // boundaries and pictures of sheets
  tables: ReadonlyMap<string, TableItem>
  material: string // of the elements; '': the first one
}

export type Group = 'stretch' | 'play' | 'bending' | 'patch'

export interface SetPolar {
  group: Group
  kind: LimitKind | null // of the limits that it shows; null: none that have elements
  first: string | null
  second: string | null
  unit: string | null
  caption: string
  series: readonly { name: string | null; dashed: number; points: number; fill: boolean; colour: number; data: ArrayRef; error: ArrayRef | null }[]
}

// ---- of runs ------------------------------------------------------------------------------------

function polarOf(p: Of<'polar'>, analysis: string): SetPolar {
  const end = p.name.startsWith(analysis) ? p.name.slice(analysis.length) : ''
  const kind = limitKinds.find((k) => k === end) ?? null
  const group: Group = end === '-play' ? 'play' : end === '-patch' ? 'patch' : p.unit ? 'bending' : 'stretch'
  return { ...p, group, kind: p.first ? null : kind }
}

const isSheet = (i: StageItem): boolean => i.kind === 'picture' && i.limit > 0

function setOf(view: RunView, name: string, kind: string, items: readonly Item[]): MaterialSet | null {
  const { run, label } = view.info.value
  const limits = kind === 'limits'
  const polars = items.flatMap((i) => (i.kind === 'polar' ? [polarOf(i, name)] : []))
  const stage = items.filter((i): i is StageItem => isStage(i) && ((limits && i.kind === 'body') || isSheet(i)))
  // one that has just begun leaves the others in their place
  if (polars.length === 0 && stage.length === 0) return null
  const figures = items.find((i): i is Of<'figures'> => i.kind === 'figures')?.figures
  const material = figures?.material
  return {
    key: `${run}/${name}`,
    label: label.endsWith(`: ${name}`) ? `${run} · ${label}` : `${run} · ${label}: ${name}`,
    kind: limits ? 'limits' : 'cloth',
    name, view, polars, stage,
    tables: new Map(items.flatMap((i) => (i.kind === 'table' ? [[i.name, i]] : []))),
    material: typeof material === 'string' ? material : '',
  }
}

function setsOf(view: RunView): MaterialSet[] {
  const items = view.items.value
  return sections(items).flatMap((s) => {
    const set = s.name ? setOf(view, s.name, s.kind, items.slice(s.from, s.to)) : null
    return set ? [set] : []
  })
}

// ---- of the scene -------------------------------------------------------------------------------

function clothOf(m: Model): MaterialSet[] {
  return m.cloth.map((c): MaterialSet => {
    const line = (name: string, data: ArrayRef, given: boolean) => ({ name, data, error: null, dashed: given ? 1 : 0, points: 0, fill: !given, colour: -1 })
    const series = [line('allowed', c.allowed, false), ...(c.given ? [line('given', c.given, true)] : [])]
    return {
      key: `scene/${c.name}`,
      label: `scene: ${c.name}, ${c.text}`,
      kind: 'cloth', name: c.name, view: null, stage: [], tables: new Map(), material: '',
      polars: [{ group: 'stretch', kind: null, first: 'warp', second: 'weft', unit: null, caption: '', series }],
    }
  })
}

/** The newest run first, then what the scene itself says. */
export const sets = computed<readonly MaterialSet[]>(() => [...[...runs.value].reverse().flatMap(setsOf), ...(model.value ? clothOf(model.value) : [])])

const limitAnalyses = computed(() => (model.value?.analyses ?? []).filter((a) => a.kind === 'limits'))
/** Analyses of the scene at hand that this screen is for. */
export const analyses = computed(() => (model.value?.analyses ?? []).filter((a) => a.kind === 'limits' || (a.kind === 'drape' && (model.value?.cloth.length ?? 0) > 0)))
export const hasLimits = (): boolean => sets.value.length > 0 || analyses.value.length > 0

// ---- what is shown ------------------------------------------------------------------------------

const chosen = signal<ReadonlyMap<string, boolean>>(new Map())

/** Those of the newest run, unless others were chosen. */
export const isShown = (s: MaterialSet): boolean => chosen.value.get(s.key) ?? s.view === sets.value[0]?.view
export const toggle = (s: MaterialSet): void => void (chosen.value = new Map([...chosen.value, [s.key, !isShown(s)]]))
export const shown = computed(() => sets.value.filter(isShown))

export const spot = signal<{ set: string; spot: Spot } | null>(null)
export const spotSet = computed(() => shown.value.find((s) => s.key === spot.value?.set) ?? null)

// ---- behind a limit -----------------------------------------------------------------------------

export const tableName = (s: MaterialSet, kind: LimitKind, what = ''): string => `${s.name}${kind}${what}`
export const hasStates = (s: MaterialSet, kind: LimitKind): boolean => s.tables.has(tableName(s, kind, '-states'))

/** A table with its numbers; null: there is none. */
export async function tableOf(s: MaterialSet, name: string): Promise<Table | null> {
  const t = s.tables.get(name)
  return t ? { columns: t.columns, rows: t.rows, data: await connection.floats(t.data) } : null
}

/** Kind of the limits whose boundary an item shows. */
export const boundaryKind = (s: MaterialSet, item: StageItem): LimitKind | null => {
  const name = 'name' in item ? item.name : ''
  return limitKinds.find((k) => isBoundary(k) && name === tableName(s, k)) ?? null
}

/** Can the analysis of a set be run once more with states? */
export const canAskForStates = (s: MaterialSet): boolean => path.value !== '' && !failed.value && limitAnalyses.value.some((a) => a.name === s.name)

export async function runWithStates(name: string): Promise<void> {
  try {
    const args = { path: path.value, text: text.value, only: name, set: [`analyses.${name}.states=yes`] }
    current.value = (await connection.request('run', args)).run
  } catch (e) {
    complain(e)
  }
}
