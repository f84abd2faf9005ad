// Jumps and other motions in time, as their tables tell them.
import type { PlotSeries } from './plot_frame'

export interface Columns {
  columns: readonly { name: string; unit: string }[]
  rows: number
  at: (row: number, column: number) => number
}

export const columnOf = (t: Pick<Columns, 'columns'>, name: string): number => t.columns.findIndex((c) => c.name === name)

/** Is it a table of a motion in time, with its energies? */
export const isMotion = (columns: Columns['columns']): boolean => columns[0]?.name === 'time' && columnOf({ columns }, 'kinetic') > 0

const stageNames = ['', 'launch', 'air', 'flight', 'landing'] as const

export interface Stage {
  kind: 1 | 2 | 3 | 4 // launch, air, flight, landing
  name: string
  from: number // s
  to: number
}

/** Parts of a jump; landings after the first are bounces. */
export function stagesOf(t: Columns): Stage[] {
  const c = columnOf(t, 'stage')
  const out: Stage[] = []
  let landings = 0
  for (let r = 0; c >= 0 && r < t.rows; r++) {
    const kind = t.at(r, c) as Stage['kind']
    const time = t.at(r, 0)
    const last = out[out.length - 1]
    if (last) last.to = time
    if (last?.kind === kind || !stageNames[kind]) continue
    if (kind === 4) landings++
    out.push({ kind, name: kind === 4 && landings > 1 ? `bounce ${landings - 1}` : stageNames[kind], from: time, to: time })
  }
  return out
}

const series = (t: Columns, name: string, f: (row: number) => number, colour: number): PlotSeries => {
  const xy = new Float64Array(2 * t.rows)
  for (let r = 0; r < t.rows; r++) {
    xy[2 * r] = t.at(r, 0)
    xy[2 * r + 1] = f(r)
  }
  return { name, xy, colour }
}

/** Up, against gravity; without one the last axis. */
export function upOf(gravity: readonly number[], dim: number): number[] {
  const g = Math.hypot(...gravity)
  if (g > 0) return gravity.map((c) => -c / g + 0)
  return dim < 3 ? [0, 1, 0] : [0, 0, 1]
}

const along = (t: Columns, columns: readonly number[], up: readonly number[]) => (r: number) => columns.reduce((sum, c, k) => sum + (c < 0 ? 0 : t.at(r, c) * up[k]!), 0)

const triple = (t: Columns, of: string): number[] => ['x', 'y', 'z'].map((c) => columnOf(t, `${of}_${c}`))

/** Heights of the centre of mass, or of watched places where that is not told. */
export function heights(t: Columns, up: readonly number[], watched: readonly string[]): PlotSeries[] {
  const centre = triple(t, 'centre')
  if (centre[0]! >= 0) return [series(t, 'centre of mass', along(t, centre, up), 0)]
  return watched.filter((w) => triple(t, w)[0]! >= 0).map((w, k) => series(t, w, along(t, triple(t, w), up), k))
}

/** Normal forces of obstacles. */
export function forces(t: Columns): PlotSeries[] {
  const list = t.columns.flatMap((c, k) => (c.unit === 'N' && c.name.endsWith('_normal') ? [k] : []))
  return list.map((c, k) => series(t, t.columns[c]!.name.replace(/_normal$/, '').replaceAll('_', ' '), (r) => t.at(r, c), k))
}

/** Energies as they change into each other; potential ones have the elastic in them. */
export function energies(t: Columns): PlotSeries[] {
  const [kinetic, elastic, potential, total, dissipated] = ['kinetic', 'elastic', 'potential', 'total', 'dissipated'].map((n) => columnOf(t, n)) as [number, number, number, number, number]
  const out: PlotSeries[] = []
  const add = (name: string, f: (r: number) => number, colour: number): void => void out.push(series(t, name, f, colour))
  if (kinetic >= 0) add('kinetic', (r) => t.at(r, kinetic), 0)
  if (elastic >= 0) add('elastic', (r) => t.at(r, elastic), 1)
  if (potential >= 0) add('of loads and weight', (r) => t.at(r, potential) - (elastic < 0 ? 0 : t.at(r, elastic)), 2)
  if (dissipated >= 0) add('lost', (r) => t.at(r, dissipated), 3)
  if (total >= 0) add('all but the lost', (r) => t.at(r, total), 7)
  return out
}

/** How far it has turned about its main axis. */
export function turns(t: Columns): PlotSeries[] {
  const c = columnOf(t, 'angle')
  return c < 0 ? [] : [series(t, 'angle', (r) => t.at(r, c) / (2 * Math.PI), 6)]
}

/** Path [n][3] of the centre of mass, of so many points at most; empty: it is not told. */
export function centrePath(t: Columns, most: number): Float32Array {
  const centre = triple(t, 'centre')
  if (centre[0]! < 0 || t.rows < 2) return new Float32Array(0)
  const n = Math.min(t.rows, most)
  const out = new Float32Array(3 * n)
  for (let k = 0; k < n; k++) {
    const r = Math.round((k * (t.rows - 1)) / (n - 1))
    centre.forEach((c, d) => (out[3 * k + d] = c < 0 ? 0 : t.at(r, c)))
  }
  return out
}

/** Part 0..1 of the way from the first to the last moment. */
export const phaseAt = (time: number, first: number, last: number): number => (last > first ? Math.min(Math.max((time - first) / (last - first), 0), 1) : 0)

// ---- figures ------------------------------------------------------------------------------------

export interface Line {
  name: string
  value: string | number | boolean
  unit: string // m: a length; '': a count or words
}

type Json = Record<string, unknown>

const number = (o: Json | undefined, key: string): number | null => (typeof o?.[key] === 'number' ? (o[key] as number) : null)
const object = (o: Json | undefined, key: string): Json | undefined => (typeof o?.[key] === 'object' && o[key] !== null ? (o[key] as Json) : undefined)

function lines(list: readonly (readonly [string, string | number | boolean | null | undefined, string])[]): Line[] {
  return list.flatMap(([name, v, unit]) => (v === null || v === undefined ? [] : [{ name, value: v, unit }]))
}

/** What a jump came to. */
export function outcome(figures: Json): Line[] {
  const j = object(figures, 'jump')
  if (!j) return lines([['ends at', number(figures, 'time_s'), 's'], ['steps', number(figures, 'steps'), '']])
  const angle = number(j, 'angle_rad')
  const [takeoff, landing] = [object(j, 'takeoff'), object(j, 'landing')]
  const face = typeof j.face === 'string' ? `${j.face}${typeof j.face_start === 'string' ? ` (${j.face_start} at the start)` : ''}` : null
  return lines([
    ['rises by', number(j, 'rise_m'), 'm'],
    ['clears', number(j, 'clearance_m'), 'm'],
    ['distance', number(j, 'distance_m'), 'm'],
    ['turns', angle === null ? null : Math.round((1e6 * angle) / (2 * Math.PI)) / 1e6 + 0, ''],
    ['points up', face, ''],
    ['stands as it stood', typeof j.upright === 'boolean' ? j.upright : null, ''],
    ['bounces', number(j, 'bounces'), ''],
    ['leaves at', number(takeoff, 'speed_m_s'), 'm/s'],
    ['lands at', number(landing, 'speed_m_s'), 'm/s'],
    ['lands after', number(landing, 'time_s'), 's'],
    ['at rest', typeof j.at_rest === 'boolean' ? j.at_rest : null, ''],
  ])
}

/** Where the energy of a jump went, J. */
export function ledger(figures: Json): Line[] {
  const e = object(object(figures, 'jump'), 'energy')
  const list: [string, string, number][] = [
    ['at the start', 'start_J', 1], ['made by steps', 'made_J', 1], ['lost in contact', 'contact_J', -1], ['lost to damping', 'damping_J', -1], ['lost at hand-overs', 'handover_J', -1], ['at the end', 'end_J', 1],
  ]
  return e ? lines(list.map(([name, key, sign]) => [name, number(e, key) === null ? null : sign * number(e, key)!, 'J'])) : []
}

/** How far balances are kept. */
export function audit(figures: Json): Line[] {
  const made = number(figures, 'energy_made_most_J')
  const scale = number(figures, 'energy_scale_J')
  return lines([
    ['energy made, at most', made !== null && scale ? (100 * made) / scale : null, '%'],
    ['momentum error', number(figures, 'momentum_error'), ''],
    ['at hand-overs', number(object(figures, 'jump'), 'handover_momentum_error'), ''],
    ['unsound steps', number(figures, 'unsound_steps'), ''],
  ])
}
