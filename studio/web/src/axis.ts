// Axes with round ticks, units with prefixes, as src/report/axis.c has them.
import { fixed, general, power as powerOf, raise } from './format'

export interface Tick {
  at: number // in shown units
  text: string
}

/** A linear axis shows (value - offset) / 10^power, a logarithmic one log10(value / 10^power). */
export interface Axis {
  log: boolean
  power: number
  base: number // the part of power that the unit's prefix tells
  offset: number
  lo: number // < hi, in shown units
  hi: number
  ticks: Tick[]
  minor: number[]
  label: string
  unit: string // with its prefix, for read-outs
}

export interface Look {
  label: string // with its unit, "tip (m)"
  length: string | null // unit that metres are shown in; null: by the figures
  log: boolean
  whole: boolean // ticks at whole numbers only
  most: number // figures as large as this stand beside; 0: none
}

const tickMax = 32
const minorMax = 128

// ---- ranges -------------------------------------------------------------------------------------

function rangeLog(lo: number, hi: number, pad: number): [number, number] {
  if (lo > hi) return [0.1, 10]
  const a = Math.log10(lo)
  const b = Math.log10(hi)
  const more = b - a < 1e-9 ? 0.5 : pad * (b - a)
  return [10 ** (a - more), 10 ** (b + more)]
}

/** Widens a range of data to that of an axis; lo > hi: no data. */
export function widen(lo: number, hi: number, log: boolean, pad: number, zero: boolean): [number, number] {
  if (log) return rangeLog(lo, hi, pad)
  if (lo > hi) return [0, 1]
  const m = Math.max(Math.abs(lo), Math.abs(hi))
  if (m < 1e-300) return [-1, 1]
  // constant up to the rounding of 32 bits: a tenth on either side
  if ((hi - lo) / m < 2e-7) {
    const middle = (lo + hi) / 2
    return [middle - 0.1 * m, middle + 0.1 * m]
  }
  if (zero && lo > 0 && lo < 0.25 * hi) lo = 0
  if (zero && hi < 0 && hi > 0.25 * lo) hi = 0
  // an end at zero is a natural limit (energy, time): nothing beyond it
  const more = pad * (hi - lo)
  return [lo === 0 ? 0 : lo - more, hi === 0 ? 0 : hi + more]
}

/** The step 1, 2 or 5 x 10^k that gives at most `want` steps, and its places. */
export function roundStep(range: number, want: number): [step: number, places: number] {
  const raw = range / Math.max(want, 1)
  let e = Math.floor(Math.log10(raw))
  const m = raw / 10 ** e
  let round = m <= 1 + 1e-9 ? 1 : m <= 2 + 1e-9 ? 2 : m <= 5 + 1e-9 ? 5 : 10
  if (round > 5) {
    round = 1
    e++
  }
  return [e < 0 ? round / 10 ** -e : round * 10 ** e, Math.max(-e, 0)]
}

// ---- units --------------------------------------------------------------------------------------

// powers of ten that have a usual prefix
const scalable: [string, number, number][] = [
  ['m', -9, 3], ['s', -9, 0], ['N', -9, 9], ['Pa', -6, 12], ['J', -12, 9], ['W', -12, 9], ['Hz', -3, 9], ['V', -9, 6], ['A', -9, 3], ['rad', -6, 0],
]
const prefixes = ['p', 'n', 'µ', 'm', '', 'k', 'M', 'G', 'T']
const lengths: Record<string, number> = { km: 3, mm: -3, um: -6, nm: -9 }

/** "tip (m)" in two. */
export function splitLabel(label: string): [stem: string, unit: string] {
  const found = /^(.+?)\s*\(([^()]*)\)$/.exec(label)
  return found ? [found[1]!, found[2]!] : [label, '']
}

/** The prefix for 10^power before a unit; null: there is none. */
export function prefixFor(unit: string, power: number): string | null {
  if (Math.abs(power) > 12 || power % 3 !== 0) return null
  for (const [symbol, lo, hi] of scalable) {
    if (!unit.startsWith(symbol)) continue
    // "m/s" and "N.m" scale, "m^2" and "min" do not
    if (unit.length > symbol.length && !'/. *·'.includes(unit[symbol.length]!)) continue
    return power < lo || power > hi ? null : prefixes[power / 3 + 4]!
  }
  return null
}

const pagePower = (length: string, unit: string): number => (unit === 'm' ? (lengths[length] ?? 0) : 0)

const thirds = (m: number): number => Math.max(3 * Math.floor(Math.min(Math.log10(m), 308) / 3), -300)

/** Power of ten that makes numbers up to m readable, and the part of it that a prefix tells. */
export function choosePower(m: number, look: Look): { power: number; base: number } {
  const [, unit] = splitLabel(look.label)
  if (look.length) {
    const base = pagePower(look.length, unit)
    const own = m / 10 ** base
    return { base, power: own > 0 && (own < 2e-3 || own >= 1e5) ? base + thirds(own) : base }
  }
  if (m === 0 || (m >= 0.1 && m < 1e4)) return { power: 0, base: 0 }
  const e = thirds(m)
  const prefix = unit !== '' && prefixFor(unit, e) !== null
  return { power: prefix || m < 0.01 || m >= 1e5 ? e : 0, base: prefix ? e : 0 }
}

const raisePowers = (s: string): string => s.replace(/\^(-?\d+)/g, (_, e: string) => raise(e))

// "tip (m)" -> "tip (mm)", "area (m^2)" -> "area (10^-6 m^2)", with what was taken off
function finish(a: Axis, look: Look): Axis {
  const [stem, unit] = splitLabel(look.label)
  const prefix = unit && a.base !== 0 ? (prefixFor(unit, a.base) ?? '') : ''
  const power = a.power !== a.base ? powerOf(a.power - a.base) : ''
  const shownOffset = general(Math.abs(a.offset) / (look.length ? 10 ** a.base : 1), 15)
  const offset = a.offset === 0 ? '' : ` ${a.offset > 0 ? '−' : '+'} ${shownOffset}${unit ? ' ' : ''}${look.length ? prefix : ''}${unit}`
  a.unit = raisePowers(prefix + unit)
  if (unit) a.label = `${stem}${offset} (${power}${power ? ' ' : ''}${prefix}${unit})`
  else if (power) a.label = `${stem}${offset}${stem ? ' (' : ''}×${power}${stem ? ')' : ''}`
  else a.label = `${stem}${offset}`
  a.label = raisePowers(a.label)
  return a
}

// ---- linear -------------------------------------------------------------------------------------

const blank = (log: boolean): Axis => ({ log, power: 0, base: 0, offset: 0, lo: 0, hi: 1, ticks: [], minor: [], label: '', unit: '' })

function makeLinear(lo: number, hi: number, want: number, look: Look): Axis {
  const a = blank(false)
  let m = Math.max(Math.abs(lo), Math.abs(hi))
  const range = (hi - lo) / m
  // figures that all begin with the same four digits: take them off, say so in the label
  if (m > 0 && range < 1e-4) {
    const unit = 10 ** Math.ceil(Math.log10(range) + Math.log10(m))
    a.offset = unit > 0 ? Math.floor(lo / unit) * unit : 0
    m = Math.max(Math.abs(lo - a.offset), Math.abs(hi - a.offset))
  }
  Object.assign(a, choosePower(Math.max(m, look.most), look))
  const ten = 10 ** a.power
  a.lo = (lo - a.offset) / ten
  a.hi = (hi - a.offset) / ten
  let [step, places] = roundStep(a.hi - a.lo, want)
  if (look.whole && a.power === 0 && step < 1) [step, places] = [1, 0]
  const last = Math.floor(a.hi / step + 1e-6)
  for (let k = Math.ceil(a.lo / step - 1e-6); k <= last && a.ticks.length < tickMax; k++) a.ticks.push({ at: k * step, text: fixed(k * step, places) })
  return finish(a, look)
}

// ---- logarithmic --------------------------------------------------------------------------------

function logTick(a: Axis, value: number, decade: number): void {
  const at = Math.log10(value) + decade
  if (a.ticks.length === tickMax || at < a.lo - 1e-9 || at > a.hi + 1e-9) return
  // plain figures while they are short for the whole axis
  const short = a.lo > -3.5 && a.hi < 4.5
  const text = short ? general(value * 10 ** decade, 6) : value === 1 ? powerOf(decade) : `${value}×${powerOf(decade)}`
  a.ticks.push({ at, text })
}

function logMinor(a: Axis, value: number, decade: number): void {
  const at = Math.log10(value) + decade
  if (a.minor.length < minorMax && at >= a.lo && at <= a.hi) a.minor.push(at)
}

// less than a decade without two of 1, 2, 5 in it: round values of the linear kind
function logNarrow(a: Axis, want: number): void {
  const e = Math.floor(a.lo)
  const lo = 10 ** (a.lo - e)
  const hi = 10 ** (a.hi - e)
  const [step, places] = roundStep(hi - lo, want)
  const short = e > -3 && e < 4
  a.ticks = []
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi * (1 + 1e-12) && a.ticks.length < tickMax; k++) {
    const text = short ? fixed(k * step * 10 ** e, Math.max(places - e, 0)) : `${fixed(k * step, places)}×${powerOf(e)}`
    a.ticks.push({ at: Math.log10(k * step) + e, text })
  }
}

function makeLog(lo: number, hi: number, want: number, look: Look): Axis {
  const a = blank(true)
  a.base = a.power = look.length ? pagePower(look.length, splitLabel(look.label)[1]) : 0
  a.lo = Math.max(Math.log10(lo) - a.power, -324)
  a.hi = Math.min(Math.log10(hi) - a.power, 309)
  const inside = Math.floor(a.hi) - Math.ceil(a.lo) + 1
  const needed = Math.max(Math.ceil(inside / Math.max(want, 1)), 1)
  // strides of many decades are round too
  const stride = [1, 2, 3, 5, 10, 20, 50, 100, 200].find((r) => r >= needed) ?? 200
  for (let d = Math.floor(a.lo); d <= Math.ceil(a.hi); d++) {
    if (d % stride === 0) logTick(a, 1, d)
    else if (stride <= 10) logMinor(a, 1, d)
    for (let k = 2; k <= 9; k++) {
      if (inside <= 2 && (k === 2 || k === 5)) logTick(a, k, d)
      else if (stride === 1 && inside <= 10) logMinor(a, k, d)
    }
  }
  if (a.ticks.length < 2) logNarrow(a, want)
  return finish(a, look)
}

// ---- both ---------------------------------------------------------------------------------------

export const makeAxis = (lo: number, hi: number, want: number, look: Look): Axis => (look.log ? makeLog(lo, hi, want, look) : makeLinear(lo, hi, want, look))

/** Place of a value: 0 at lo, 1 at hi; NaN when it cannot be shown. */
export function placeOn(a: Axis, v: number): number {
  if (!Number.isFinite(v) || (a.log && !(v > 0))) return NaN
  const shown = a.log ? Math.log10(v) - a.power : (v - a.offset) / 10 ** a.power
  return (shown - a.lo) / (a.hi - a.lo)
}

/** The value at a place. */
export function valueAt(a: Axis, place: number): number {
  const shown = a.lo + place * (a.hi - a.lo)
  return a.log ? 10 ** (shown + a.power) : shown * 10 ** a.power + a.offset
}

/** A value with its unit, for people. */
export function told(a: Axis, v: number, digits = 5): string {
  const text = general(v / 10 ** a.base, digits)
  return a.unit ? `${text} ${a.unit}` : text
}
