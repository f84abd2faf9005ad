// A target at hand: the curve that was drawn for a watched node, what it is smoothed to, and where
// it goes in the scene.
import { computed, signal } from '@preact/signals'
import { readCsv } from './curves'
import { editScene } from './edit_scene'
import { base, model } from './explore'
import { pathOf, planeOf } from './path_plot'
import { path, text } from './scene'
import { addItem, addItemAt, entryOf, quote, readText, setValue } from './scene_text'
import type { Edit, Value } from './scene_text'
import { connection } from './state'
import { pointsOf, reachOf, sampled, smoothed, targetCsv, transformed } from './target_curve'
import type { PlaneCurve, Point, Reach, Surroundings } from './target_curve'
import type { OrbitArrays } from './viewer/types'

export type Source = 'hand' | 'file' | 'path' | 'points'

export const which = signal(0) // of what is watched
export const planeWanted = signal<'auto' | 'xy' | 'xz' | 'yz'>('auto')
export const harmonics = signal(3)
export const raw = signal<{ points: readonly Point[]; times: readonly number[] | null; from: Source } | null>(null)
export const offsetWanted = signal<number | null>(null) // m, along the axis that the plane has not; null: where the motion is
export const change = signal({ scale: 1, turn: 0, du: 0, dv: 0 }) // turn: rad; m

export const watched = computed(() => {
  const list = base.value?.explored.watched ?? []
  return list[Math.min(which.value, list.length - 1)] ?? null
})

const planes = { xy: [0, 1], xz: [0, 2], yz: [1, 2] } as const

export const dim = computed(() => model.value?.dim ?? 3)

export const present = computed(() => (base.value && watched.value ? pathOf(base.value.motion, watched.value.node) : null))

export const plane = computed<readonly [number, number]>(() => {
  if (dim.value < 3) return [0, 1]
  return planeWanted.value === 'auto' ? (present.value ? planeOf([present.value]) : [0, 1]) : planes[planeWanted.value]
})

export const most = computed(() => Math.min(base.value?.motion.harmonics ?? 8, 16))

/** The points as they are turned, scaled and moved. */
const placed = computed<readonly Point[]>(() => {
  const { scale, turn, du, dv } = change.value
  return raw.value ? transformed(raw.value.points, scale, turn, du, dv) : []
})

export const curve = computed<PlaneCurve | null>(() => {
  const r = raw.value
  if (!r) return null
  return smoothed(placed.value, r.times, Math.min(harmonics.value, most.value))
})

const centre = computed(() => {
  const p = present.value
  const sum = [0, 0, 0]
  if (p) for (let i = 0; i < p.length; i++) sum[i % 3]! += p[i]! / (p.length / 3)
  return sum
})

/** The axis that the plane has not; -1: there is none. */
export const across = computed(() => (dim.value < 3 ? -1 : 3 - plane.value[0] - plane.value[1]))

/** Where that axis stays: as is wanted, or in the middle of the present motion. */
export const middle = computed(() => centre.value.map((v, a) => (a === across.value ? (offsetWanted.value ?? v) : v)))

// ---- reach --------------------------------------------------------------------------------------

const bounded = (p: { value: number; min: number | null; max: number | null; name: string }): [number, number] => {
  // a design turns parameters, not the frequency
  if (p.name === 'frequency') return [0, 0]
  const room = Math.abs(p.value) || 1
  return [(p.min ?? p.value - room) - p.value, (p.max ?? p.value + room) - p.value]
}

const surroundings = computed<Surroundings | null>(() => {
  const b = base.value
  const w = watched.value
  if (!b?.S || !w) return null
  const L = 2 * b.motion.harmonics + 1
  const n = b.motion.coefficients.length
  const axes = Array.from({ length: dim.value }, (_, c) => (3 * w.node + c) * L)
  const bounds = b.explored.parameters.map(bounded)
  return {
    z: axes.map((a) => Float64Array.from(b.motion.coefficients.subarray(a, a + L))),
    S: b.explored.parameters.map((_, k) => axes.map((a) => Float64Array.from(b.S!.subarray(k * n + a, k * n + a + L)))),
    least: bounds.map((r) => r[0]),
    most: bounds.map((r) => r[1]),
  }
})

export const reach = computed<Reach | null>(() => {
  const c = curve.value
  const s = surroundings.value
  if (!c || !s) return null
  const target = s.z.map((_, a) => (a === plane.value[0] ? c.u : a === plane.value[1] ? c.v : Float64Array.of(middle.value[a]!)))
  return reachOf(s, target)
})

/** The motion that is nearest to the target, to first order. */
export const nearest = computed<OrbitArrays | null>(() => {
  const b = base.value
  const s = surroundings.value
  const r = reach.value
  const w = watched.value
  if (!b || !s || !r || !w) return null
  const L = 2 * b.motion.harmonics + 1
  // of this node alone
  const c = new Float32Array(3 * L)
  s.z.forEach((z, a) => {
    for (let k = 0; k < L; k++) c[a * L + k] = z[k]! + r.change.reduce((sum, d, j) => sum + d * s.S[j]![a]![k]!, 0)
  })
  return { coefficients: c, harmonics: b.motion.harmonics, omega: b.motion.omega }
})

// ---- where it comes from ------------------------------------------------------------------------

export function take(points: readonly Point[], times: readonly number[] | null, from: Source): void {
  raw.value = { points, times, from }
  change.value = { scale: 1, turn: 0, du: 0, dv: 0 }
}

/** The path as it is, to be changed. */
export function takePresent(): void {
  const p = present.value
  if (!p) return
  const n = p.length / 3 - 1
  const points = Array.from({ length: n }, (_, k) => [p[3 * k + plane.value[0]]!, p[3 * k + plane.value[1]]!] as const)
  harmonics.value = most.value
  take(points, points.map((_, k) => k / n), 'path')
}

export function takeFile(content: string, fallback: number): void {
  const t = readCsv(content)
  const got = pointsOf(t.header, t.rows, plane.value, fallback)
  if (!got) throw new Error(`the file has no columns for ${'xyz'[plane.value[0]]} and ${'xyz'[plane.value[1]]}: name them as x_mm, y_mm`)
  harmonics.value = Math.min(most.value, 8)
  take(got.points, got.times, 'file')
}

// ---- points that are moved one by one -----------------------------------------------------------

const pointsAtFirst = 12

/** Those of the target, where it is made of them. */
export const points = computed<readonly Point[]>(() => (raw.value?.from === 'points' ? placed.value : []))

/** The target, or the present path, as a few points at equal times. */
export function takePoints(): void {
  if (!curve.value) takePresent()
  if (!curve.value) return
  const n = Math.max(pointsAtFirst, 2 * Math.min(harmonics.value, 5) + 2)
  harmonics.value = Math.min(harmonics.value, 5)
  const all = sampled(curve.value, n)
  take(all, all.map((_, k) => k / n), 'points')
}

const timesOf = (): readonly number[] => raw.value?.times ?? []

export function setPoint(k: number, to: Point): void {
  take(points.value.map((p, i) => (i === k ? to : p)), timesOf(), 'points')
}

/** Another one halfway to the next. */
export function addPoint(k: number): void {
  const all = points.value
  const [a, b] = [all[k]!, all[(k + 1) % all.length]!]
  const t = timesOf()
  const next = k + 1 < t.length ? t[k + 1]! : 1
  const put = <T>(list: readonly T[], v: T): T[] => [...list.slice(0, k + 1), v, ...list.slice(k + 1)]
  take(put(all, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] as const), put(t, (t[k]! + next) / 2), 'points')
}

export function dropPoint(k: number): void {
  if (points.value.length <= 3) return
  const without = <T>(list: readonly T[]): T[] => list.filter((_, i) => i !== k)
  const times = without(timesOf())
  // a period begins with its first point
  take(without(points.value), times.map((t) => t - times[0]!), 'points')
}

// ---- where it goes ------------------------------------------------------------------------------

/** How the scene tells the watched node. */
function selector(): string {
  const name = watched.value?.name ?? ''
  const entry = entryOf(entryOf(readText(text.value), 'watch')?.value, name)
  return entry?.value?.text ?? name
}

const folder = (): string => path.value.split('/').slice(0, -1).join('/')

interface Found {
  path: (string | number)[] // of its objectives
  objectives: Value | null
}

function designIn(root: Value): Found | null {
  const list = entryOf(root, 'analyses')?.value?.entries ?? []
  const k = list.findIndex((e) => e.value?.entries.some((i) => i.key === 'design'))
  if (k < 0) return null
  const own = entryOf(list[k]!.value, 'design')
  return { path: ['analyses', k, 'design', 'objectives'], objectives: entryOf(own?.value, 'objectives')?.value ?? null }
}

/** The changes that make the file a goal: of the design that there is, or of a new one. */
export function goalEdits(content: string, file: string, node: string, omega: number, harmonicsOfMotion: number): (Edit | null)[] {
  const found = designIn(readText(content))
  const item = `{trajectory: ${quote(file)}, node: ${quote(node)}}`
  if (!found) {
    const hz = Number((omega / (2 * Math.PI)).toPrecision(8))
    return [addItem(content, 'analyses', `design: {frequency: ${hz} Hz, harmonics: ${harmonicsOfMotion}, variables: all, objectives: [${item}]}`)]
  }
  // another target of the same node gives way
  const old = found.objectives?.entries.findIndex((e) => entryOf(e.value, 'trajectory') && entryOf(e.value, 'node')?.value?.text === node) ?? -1
  if (old >= 0) return [setValue(content, [...found.path, old, 'trajectory'], quote(file))]
  return [addItemAt(content, found.path, item)]
}

/** Writes the curve beside the scene and makes it an objective; returns the file's name. */
export async function save(name: string): Promise<string> {
  const c = curve.value
  const b = base.value
  if (!c || !b) throw new Error('there is no target yet')
  const file = `${name.replace(/\.csv$/i, '').replace(/[^\w.-]+/g, '-') || 'target'}.csv`
  const data = targetCsv(c, plane.value, dim.value, middle.value, b.motion.omega)
  await connection.request('write', { path: folder() ? `${folder()}/${file}` : file, data })
  const done = editScene(goalEdits(text.value, file, selector(), b.motion.omega, b.motion.harmonics))
  if (!done) throw new Error(`${file} is written, but the objectives of the design could not be found in the text`)
  return file
}
