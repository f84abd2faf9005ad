// Designs: what they want, how they go, and what came of them.
import { computed, effect, signal } from '@preact/signals'
import { modelArrays, orbitArrays } from './arrays'
import { readCsv } from './curves'
import { editScene } from './edit_scene'
import { begin } from './explore'
import type { Model } from './protocol'
import { current, ended, runs } from './runs'
import type { Iterate, RunView } from './runs'
import { model as sceneModel, path, text } from './scene'
import { entryOf, find, nameOf, readText, setValue } from './scene_text'
import type { Edit, Entry, Value } from './scene_text'
import { complain, connection, notify } from './state'
import { pointsOf } from './target_curve'
import type { ModelArrays, OrbitArrays } from './viewer/types'

// ---- what is wanted -----------------------------------------------------------------------------

export interface Term {
  index: number
  kind: string // trajectory, amplitude ...
  value: string // of that key
  node: string
  weight: number
}

const other = new Set(['node', 'nodes', 'weight', 'name', 'at', 'of', 'axes', 'from', 'to', 'harmonic', 'harmonics', 'measure', 'resample', 'means', 'phases', 'sharpness', 'exponent'])

/** Analyses that go step by step. */
const kinds = new Set(['design', 'search', 'fit-response', 'fit-damping', 'mail-design'])
const stepping = computed(() => (sceneModel.value?.analyses ?? []).filter((a) => kinds.has(a.kind)))

/** Names of the designs, searches and fits of the scene. */
export const names = computed(() => stepping.value.map((a) => a.name))
const wantedName = signal('')
export const name = computed(() => (names.value.includes(wantedName.value) ? wantedName.value : (names.value[0] ?? '')))
/** What the chosen one is; '': there is none. */
export const kind = computed(() => stepping.value.find((a) => a.name === name.value)?.kind ?? '')
export const chooseName = (n: string): void => void (wantedName.value = n)

interface Place {
  path: (string | number)[]
  own: Value | null
}

function designIn(root: Value): Place | null {
  if (kind.value !== 'design') return null
  const list = entryOf(root, 'analyses')?.value?.entries ?? []
  const all = list.flatMap((e, k) => (entryOf(e.value, 'design') ? [{ e, k }] : []))
  const designs = stepping.value.filter((a) => a.kind === 'design').map((a) => a.name)
  const found = all.find(({ e }) => nameOf(e) === name.value) ?? all[Math.max(designs.indexOf(name.value), 0)]
  return found ? { path: ['analyses', found.k, 'design'], own: entryOf(found.e.value, 'design')?.value ?? null } : null
}

function termOf(e: Entry, index: number): Term {
  const keys = e.value?.entries ?? []
  const main = keys.find((k) => !other.has(k.key)) ?? keys[0]
  const textOf = (key: string): string => entryOf(e.value, key)?.value?.text ?? ''
  const value = main?.value
  return {
    index,
    kind: main?.key ?? '',
    value: value?.kind === 'text' ? value.text : value ? '…' : '',
    node: textOf('node') || textOf('nodes') || textOf('of'),
    weight: Number(textOf('weight')) || 1,
  }
}

export const terms = computed<readonly Term[]>(() => {
  const list = entryOf(designIn(readText(text.value))?.own, 'objectives')?.value
  if (!list) return []
  return list.kind === 'list' ? list.entries.map(termOf) : [termOf({ key: '', keyFrom: 0, keyTo: 0, from: list.from, to: list.to, value: list }, 0)]
})

// the objectives as they are written
const goal = computed(() => {
  const list = entryOf(designIn(readText(text.value))?.own, 'objectives')?.value
  return list ? text.value.slice(list.from, list.to) : ''
})

/** Writes a weight into the text. */
export function setWeight(index: number, weight: number): void {
  if (!(weight > 0)) return
  const place = designIn(readText(text.value))
  if (!place) return
  const at = [...place.path, 'objectives', index]
  const known = setValue(text.value, [...at, 'weight'], String(weight))
  const item = find(readText(text.value), at)?.value
  const last = item?.entries[item.entries.length - 1]
  const indent = last ? ' '.repeat(last.from - text.value.lastIndexOf('\n', last.from - 1) - 1) : ''
  const added: Edit | null = !item || !last ? null : item.flow ? { from: last.to, to: last.to, insert: `, weight: ${weight}` } : { from: last.to, to: last.to, insert: `\n${indent}weight: ${weight}` }
  editScene([known ?? added])
}

// ---- how it goes --------------------------------------------------------------------------------

export const choices = computed<readonly RunView[]>(() => runs.value.filter((r) => r.iterates.value.length > 0).reverse())
const pinned = signal(0)
const started = signal(0) // a run of this page that has no iterate yet
export const view = computed(() => {
  const fresh = runs.value.find((r) => r.info.value.run === started.value)
  if (fresh && fresh.iterates.value.length === 0 && !ended(fresh.info.value)) return fresh
  return choices.value.find((r) => r.info.value.run === pinned.value) ?? choices.value[0] ?? fresh ?? null
})
export const choose = (run: number): void => void (pinned.value = run)
export const running = computed(() => view.value !== null && !ended(view.value.info.value))
export const paused = signal(0) // the run that was asked to pause

// runs that went on with earlier ones
const goesOn = signal<ReadonlyMap<number, number>>(new Map())

const iteratesOf = (v: RunView | undefined | null): readonly Iterate[] => {
  if (!v) return []
  const own = v.iterates.value
  const before = goesOn.value.get(v.info.value.run)
  const first = own[0]?.iteration ?? Infinity
  const older = before ? iteratesOf(runs.value.find((r) => r.info.value.run === before)).filter((i) => i.iteration < first) : []
  return older.length > 0 ? [...older, ...own] : own
}

export const iterates = computed<readonly Iterate[]>(() => iteratesOf(view.value))
const picked = signal(-1) // -1: the last one
export const at = computed(() => (picked.value >= 0 && picked.value < iterates.value.length ? picked.value : iterates.value.length - 1))
export const pick = (k: number): void => void (picked.value = k === iterates.value.length - 1 ? -1 : k)
export const iterate = computed<Iterate | null>(() => iterates.value[at.value] ?? null)

// objectives that runs of this page began with
const begunWith = signal<ReadonlyMap<number, string>>(new Map())

/** Objectives or weights that a halted design does not have yet. */
export const newGoal = computed(() => {
  const known = begunWith.value.get(view.value?.info.value.run ?? 0)
  return known !== undefined && known !== goal.value
})

async function launch(set: string[], only = name.value): Promise<void> {
  try {
    const wanted = goal.value
    const args = { path: path.value, text: text.value, only, ...(set.length > 0 ? { set } : {}) }
    const { run } = await connection.request('run', args)
    begunWith.value = new Map([...begunWith.value, [run, wanted]])
    started.value = pinned.value = current.value = run
    picked.value = -1
    paused.value = 0
  } catch (e) {
    complain(e)
  }
}

export const start = (): Promise<void> => launch([])

export async function pause(): Promise<void> {
  const run = view.value?.info.value.run
  if (!run) return
  paused.value = run
  await connection.request('pause', { run }).catch(complain)
}

export async function stop(): Promise<void> {
  const run = view.value?.info.value.run
  if (run) await connection.request('cancel', { run }).catch(complain)
}

/** On from where it was halted; with other objectives or weights it is a design that begins at its last iterate. */
export async function goOn(): Promise<void> {
  const run = view.value?.info.value.run
  if (!run) return
  const last = iterates.value[iterates.value.length - 1]
  if (newGoal.value && last) return startFrom(last)
  try {
    const got = await connection.request('resume', { run })
    goesOn.value = new Map([...goesOn.value, [got.run, run]])
    begunWith.value = new Map([...begunWith.value, [got.run, begunWith.value.get(run) ?? goal.value]])
    started.value = pinned.value = current.value = got.run
    picked.value = -1
    paused.value = 0
  } catch (e) {
    complain(e)
  }
}

// ---- values -------------------------------------------------------------------------------------

export interface Trace {
  name: string
  unit: string
  factor: number
  values: number[] // SI
  min: number | null
  max: number | null
}

export const traces = computed<readonly Trace[]>(() => {
  const list = iterates.value
  const known = new Map((model.value ?? sceneModel.value)?.parameters.map((p) => [p.name, p]))
  return Object.keys(list[0]?.values ?? {}).map((n) => {
    const p = known.get(n)
    const frequency = n.startsWith('frequency')
    const own = list[0]!.units[n]
    return {
      name: n,
      unit: own ?? p?.unit ?? (frequency ? 'Hz' : ''),
      factor: own !== undefined ? 1 : (p?.factor ?? (frequency ? 2 * Math.PI : 1)),
      values: list.map((i) => i.values[n] ?? NaN),
      min: own !== undefined ? null : (p?.min ?? null),
      max: own !== undefined ? null : (p?.max ?? null),
    }
  })
})

const words = (v: number, p: { unit: string; factor: number }): string => `${Number((v / p.factor).toPrecision(12))}${p.unit ? ` ${p.unit}` : ''}`

interface Override {
  path: string[]
  value: string
}

const damping: Record<string, [string, string]> = { alpha: ['mass', '1/s'], beta: ['stiffness', 's'] }

/** What leads to an iterate: parameters.m.value=40 g. */
function overrides(i: Iterate): Override[] {
  if (i.set.length > 0)
    return i.set.map((s) => {
      const at = s.indexOf('=')
      return { path: s.slice(0, at).split('.'), value: s.slice(at + 1) }
    })
  const root = readText(text.value)
  const own = Object.entries(damping).flatMap(([n, [key, unit]]) => (i.values[n] == null ? [] : [{ path: ['damping', key], value: words(i.values[n], { unit, factor: 1 }) }]))
  return own.concat(parameterOverrides(i, root))
}

function parameterOverrides(i: Iterate, root: Value): Override[] {
  return (sceneModel.value?.parameters ?? []).flatMap((p) => {
    const v = i.values[p.name]
    const entry = find(root, ['parameters', p.name])
    if (v == null || !entry) return []
    const inner = entry.value?.kind === 'map' ? ['value'] : []
    return [{ path: ['parameters', p.name, ...inner], value: words(v, p) }]
  })
}

/** Makes the values of an iterate those of the scene's text. */
export function writeValues(i: Iterate): void {
  const steps = (o: Override): (string | number)[] => o.path.map((s) => (/^\d+$/.test(s) ? Number(s) : s))
  const edits = overrides(i).map((o) => setValue(text.value, steps(o), o.value))
  editScene(edits)
  if (edits.includes(null)) notify('note', 'the text does not have all of these values; the scene that the run writes has them')
}

/** A design that begins at an iterate, with the objectives as the text has them now. */
export const startFrom = (i: Iterate): Promise<void> => launch(
    overrides(i).map((o) => `${o.path.join('.')}=${o.value}`),
    i.analysis,
  )

/** Explores the scene at an iterate's values. */
export async function exploreAt(i: Iterate): Promise<void> {
  const known = new Map(sceneModel.value?.parameters.map((p) => [p.name, p]))
  const set = Object.entries(i.values).flatMap(([n, v]) => {
    const p = known.get(n)
    return p && v !== null ? [`${n}=${words(v, p)}`] : []
  })
  await begin(i.orbits[0]?.omega, set)
}

// ---- motions ------------------------------------------------------------------------------------

export const model = signal<Model | null>(null)
export const arrays = signal<ModelArrays | null>(null)
export const motion = signal<OrbitArrays | null>(null)
export const first = signal<OrbitArrays | null>(null)
let shownModel = 0

// of the run that is shown, or of the scene before there is one
effect(() => {
  const scene = sceneModel.value
  const rev = view.value?.info.value.model ?? 0
  const want = rev > 0 ? rev : (scene?.rev ?? 0)
  if (want === 0 || want === shownModel) return
  shownModel = want
  const load = async (): Promise<void> => {
    const m = rev > 0 ? (await connection.request('model', { rev })).model : scene!
    arrays.value = await modelArrays(m)
    model.value = m
  }
  load().catch(complain)
})

let turn = 0
effect(() => {
  const now = iterate.value?.orbits[0]
  const begun = iterates.value[0]?.orbits[0]
  const mine = ++turn
  if (!now || !begun) {
    motion.value = first.value = null
    return
  }
  Promise.all([orbitArrays(now), orbitArrays(begun)])
    .then(([a, b]) => {
      if (mine === turn) [motion.value, first.value] = [a, b]
    })
    .catch(complain)
})

/** Goals of nodes that are files beside the scene: points in a plane, by the node's selector. */
export const goals = signal<ReadonlyMap<string, Float64Array>>(new Map())

effect(() => {
  const wanted = terms.value.filter((t) => t.kind === 'trajectory' && /\.csv$/i.test(t.value))
  const folder = path.value.split('/').slice(0, -1).join('/')
  const load = async (): Promise<void> => {
    const out = new Map<string, Float64Array>()
    for (const t of wanted) {
      const got = await connection.request('open', { path: folder ? `${folder}/${t.value}` : t.value })
      const table = readCsv(got.text)
      const si = sceneModel.value?.length.si ?? 1
      const flat = pointsOf(table.header, table.rows, [0, 1], si)
      const deep = pointsOf(table.header, table.rows, [0, 2], si)
      if (!flat) continue
      const closed = [...flat.points.keys(), 0]
      out.set(t.node, Float64Array.from(closed.flatMap((k) => [flat.points[k]![0], flat.points[k]![1], deep?.points[k]?.[1] ?? 0])))
    }
    goals.value = out
  }
  if (wanted.length > 0 && connection.status.value === 'open') load().catch(() => {})
  else goals.value = new Map()
})
