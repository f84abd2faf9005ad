// An exploration as this page has it: values of sliders, what they are predicted to do, and the
// motions that were solved.
import { computed, effect, signal } from '@preact/signals'
import { modelArrays, orbitArrays } from './arrays'
import { RequestError } from './connection'
import { pathLength, Prediction } from './predict'
import type { Explored, Item, Model } from './protocol'
import { ended, findRun, runs } from './runs'
import { path, text } from './scene'
import { complain, connection, notify } from './state'
import type { ModelArrays, OrbitArrays } from './viewer/types'

/** A solved motion and what is known of its surroundings. */
export interface Base {
  explored: Explored
  motion: OrbitArrays
  S: Float32Array | null // dz/dp, [parameter][coefficient]; null: the server predicts
  prediction: Prediction | null
}

export interface Guess {
  motion: OrbitArrays
  paths: number[] // m, of what is watched
}

export interface Snapshot {
  step: number
  values: number[]
  motion: OrbitArrays
  paths: number[]
}

export interface Work {
  run: number
  what: 'open' | 'commit' | 'undo'
}

export interface Range {
  lo: number
  hi: number
  log: boolean
}

export const session = signal(0) // 0: there is none
export const base = signal<Base | null>(null)
export const values = signal<readonly number[]>([])
export const ranges = signal<readonly Range[]>([])
export const guess = signal<Guess | null>(null) // null: at the solved motion
/** Estimated distance of the guess over the motion's size; undefined: not known yet, null: without bounds. */
export const trust = signal<number | null | undefined>(undefined)
export const work = signal<Work | null>(null)
export const why = signal<{ text: string; hint: string } | null>(null) // why the last step failed
export const arrays = signal<ModelArrays | null>(null)
export const model = signal<Model | null>(null)
export const snapshots = signal<{ A: Snapshot | null; B: Snapshot | null }>({ A: null, B: null })
/** What the last commit was predicted to lead to. */
export const last = signal<{ paths: number[]; motion: OrbitArrays } | null>(null)

const source = signal({ path: '', text: '' })
/** The scene is another one than that which is explored. */
export const outdated = computed(() => session.value > 0 && (source.value.path !== path.value || source.value.text !== text.value))

export const change = computed(() => {
  const b = base.value
  return b ? values.value.map((v, k) => v - b.explored.parameters[k]!.value) : []
})
export const moved = computed(() => change.value.some((d) => d !== 0))

// ---- begin and end ------------------------------------------------------------------------------

function forget(): void {
  session.value = 0
  base.value = guess.value = arrays.value = model.value = last.value = null
  snapshots.value = { A: null, B: null }
  trust.value = undefined
}

/** set: values that it moves to at once, as NAME=VALUE. */
export async function begin(frequency?: number, set: string[] = []): Promise<void> {
  const old = session.value
  forget()
  why.value = null
  source.value = { path: path.value, text: text.value }
  try {
    if (old) await connection.request('leave', { session: old }).catch(() => {})
    const got = await connection.request('explore', { ...source.value, ...(frequency ? { frequency } : {}), ...(set.length > 0 ? { set } : {}) })
    session.value = got.session
    work.value = { run: got.run, what: 'open' }
  } catch (e) {
    forget()
    complain(e)
  }
}

/** Ends the step that is under way. */
export async function stop(): Promise<void> {
  if (work.value) await connection.request('cancel', { run: work.value.run }).catch(complain)
}

// ---- what the server tells ----------------------------------------------------------------------

const rangeOf = (p: Explored['parameters'][number]): Range => {
  const size = Math.abs(p.value) || 1
  return { lo: p.min ?? (p.value > 0 ? 0.5 * p.value : p.value - size), hi: p.max ?? p.value + size, log: p.log }
}

let taking = 0

async function take(e: Explored, run: number): Promise<void> {
  const mine = ++taking
  const committed = work.value?.what === 'commit' ? sent : null
  const motion = await orbitArrays(e.orbit)
  const S = e.sensitivity ? await connection.floats(e.sensitivity) : null
  const rev = run ? findRun(run)?.info.value.model : undefined
  if (rev && model.value?.rev !== rev) {
    const got = await connection.request('model', { rev })
    model.value = got.model
    arrays.value = await modelArrays(got.model)
  }
  if (mine !== taking || e.session !== session.value) return
  const before = base.value
  last.value = committed?.guess ?? null
  base.value = { explored: e, motion, S, prediction: S && new Prediction(motion.coefficients, S, e.parameters.length) }
  // what was moved meanwhile stays where it is
  values.value = e.parameters.map((p, k) => {
    const now = values.value[k]
    return committed && now !== undefined && now !== committed.values[k] ? now : p.value
  })
  if (ranges.value.length !== e.parameters.length || !before) ranges.value = e.parameters.map(rangeOf)
  if (work.value?.run === run || !run) work.value = null
}

/** The last error among what a run told. */
function failure(items: readonly Item[]): { text: string; hint: string } | null {
  for (let k = items.length - 1; k >= 0; k--) {
    const item = items[k]!
    if (item.kind === 'message' && item.level === 'error') return { text: item.text, hint: item.hint }
  }
  return null
}

async function failed(w: Work, state: string): Promise<void> {
  const view = findRun(w.run)
  await view?.catchUp()
  if (work.value !== w) return
  const told = failure(view?.items.value ?? [])
  const fallback = { cancelled: 'stopped', unsolved: 'no motion was found', failed: 'it failed' }[state] ?? state
  why.value = told ?? { text: fallback, hint: '' }
  work.value = null
  if (w.what === 'open') forget()
}

effect(() => {
  const w = work.value
  const view = w && runs.value.find((r) => r.info.value.run === w.run)
  const info = view?.info.value
  if (!w || !info || !ended(info)) return
  if (info.state !== 'done') void failed(w, info.state)
  else setTimeout(() => void fetchLate(w), 400)
})

// what was told before this page knew that it was its own
async function fetchLate(w: Work): Promise<void> {
  if (work.value !== w) return
  try {
    await take((await connection.request('explored', { session: session.value })).explored, w.run)
  } catch (e) {
    complain(e)
  }
}

export function watchExplorations(): void {
  connection.onEvent((e) => {
    if (e.event === 'explored' && e.explored.session === session.value) take(e.explored, e.run).catch(complain)
  })
  connection.onOpen(() => {
    if (session.value === 0 || work.value) return
    connection
      .request('explored', { session: session.value })
      .then((got) => take(got.explored, 0))
      .catch((e: unknown) => {
        if (e instanceof RequestError && e.code === 'not-found') forget()
      })
  })
}

// ---- steps --------------------------------------------------------------------------------------

let sent: { values: number[]; guess: Guess | null } | null = null

async function step(op: 'commit' | 'undo', what: Work['what']): Promise<void> {
  if (!base.value || work.value) return
  why.value = null
  const wanted = [...values.value]
  const g = guess.value
  // the page's own motion goes on to change
  sent = { values: wanted, guess: g && { paths: g.paths, motion: { ...g.motion, coefficients: g.motion.coefficients.slice() } } }
  try {
    const args = { session: session.value }
    const { run } = op === 'commit' ? await connection.request('commit', { ...args, values: wanted }) : await connection.request('undo', args)
    work.value = { run, what }
  } catch (e) {
    complain(e)
  }
}

export async function commit(): Promise<void> {
  if (moved.value) await step('commit', 'commit')
}

export async function undo(): Promise<void> {
  if ((base.value?.explored.step ?? 0) > 0) await step('undo', 'undo')
  else notify('note', 'there is no step to undo')
}

/** All sliders back to the solved motion. */
export function reset(): void {
  if (base.value) values.value = base.value.explored.parameters.map((p) => p.value)
}

export function setValue(k: number, v: number): void {
  const p = base.value?.explored.parameters[k]
  if (!p || !Number.isFinite(v)) return
  const within = Math.min(Math.max(v, p.min ?? -Infinity), p.max ?? Infinity)
  values.value = values.value.map((old, i) => (i === k ? within : old))
}

export function setRange(k: number, r: Range): void {
  ranges.value = ranges.value.map((old, i) => (i === k ? r : old))
}

/** What is remembered as A or B: the solved motion, with its values. */
export function keep(name: 'A' | 'B'): void {
  const b = base.value
  if (!b) return
  const now: Snapshot = {
    step: b.explored.step,
    values: b.explored.parameters.map((p) => p.value),
    motion: b.motion,
    paths: b.explored.watched.map((w) => w.amplitude),
  }
  snapshots.value = { ...snapshots.value, [name]: now }
}

export function load(name: 'A' | 'B'): void {
  const s = snapshots.value[name]
  if (s) values.value = [...s.values]
}

// ---- along the gradient -------------------------------------------------------------------------

/** Change of all parameters by which a watched path grows, or shrinks; null: it cannot be had now. */
export async function direction(watched: string, parameters: number[], down: boolean): Promise<number[] | null> {
  try {
    return (await connection.request('direction', { session: session.value, watched, parameters, down })).change
  } catch (e) {
    if (!(e instanceof RequestError && e.code === 'busy')) complain(e)
    return null
  }
}

// ---- predictions --------------------------------------------------------------------------------

function guessed(b: Base, motion: OrbitArrays): Guess {
  return { motion, paths: b.explored.watched.map((w) => pathLength(motion.coefficients, motion.harmonics, w.node, w.axes)) }
}

const omegaOf = (b: Base): number => {
  const k = b.explored.parameters.findIndex((p) => p.name === 'frequency')
  return k >= 0 ? values.value[k]! : b.explored.omega
}

let frame = 0

function predictSoon(): void {
  if (frame === 0) frame = requestAnimationFrame(predictNow)
}

function predictNow(): void {
  frame = 0
  const b = base.value
  if (!b) return
  if (!moved.value) {
    guess.value = null
    trust.value = undefined
    return
  }
  if (b.prediction) guess.value = guessed(b, { coefficients: b.prediction.at(change.value), harmonics: b.motion.harmonics, omega: omegaOf(b) })
  void ask()
}

let asking = false
let again = false

// one question at a time, and the newest values
async function ask(): Promise<void> {
  if (asking) {
    again = true
    return
  }
  asking = true
  const b = base.value!
  try {
    const got = await connection.request('predict', { session: session.value, values: [...values.value] })
    if (base.value === b && moved.value) {
      trust.value = got.trust
      if (got.orbit) guess.value = guessed(b, await orbitArrays(got.orbit))
    }
  } catch (e) {
    // while a step is under way, or after this exploration ended, there is no answer
    trust.value = undefined
    if (!(e instanceof RequestError)) complain(e)
  } finally {
    asking = false
    if (again && moved.value) void ask()
    again = false
  }
}

effect(() => {
  if (base.value && values.value.length > 0) predictSoon()
})
