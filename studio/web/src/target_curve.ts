// Closed curves that a node shall follow: smoothed to harmonics, and how near the first-order
// estimate comes to them.

/** Coordinates of one curve: coefficients c0 s1 c1 ... of each of two axes, m. */
export interface PlaneCurve {
  harmonics: number
  u: Float64Array
  v: Float64Array
}

export type Point = readonly [number, number]

/** Points at equal parts of the way round, or of the period where times are given (0..1, rising). */
function evenly(points: readonly Point[], times: readonly number[] | null, n: number): Point[] {
  const closed = [...points, points[0]!]
  const at = [0]
  for (let k = 1; k < closed.length; k++) {
    const [a, b] = [closed[k - 1]!, closed[k]!]
    const time = times ? (k < times.length ? times[k]! : times[0]! + 1) - times[k - 1]! : 0
    at.push(at[k - 1]! + (times ? Math.max(time, 1e-12) : Math.hypot(b[0] - a[0], b[1] - a[1])))
  }
  const whole = at[at.length - 1]!
  const out: Point[] = []
  for (let i = 0, k = 1; i < n; i++) {
    const s = (whole * i) / n
    while (k < at.length - 1 && at[k]! < s) k++
    const [a, b] = [closed[k - 1]!, closed[k]!]
    const step = at[k]! - at[k - 1]!
    const t = step > 0 ? (s - at[k - 1]!) / step : 0
    out.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])])
  }
  return out
}

const samples = 512

/** The closed curve through points with so many harmonics; null where there are too few of them. */
export function smoothed(points: readonly Point[], times: readonly number[] | null, harmonics: number): PlaneCurve | null {
  if (points.length < 3) return null
  const regular = times !== null && points.length > 2 * harmonics && times.every((t, k) => Math.abs(t - times[0]! - k / points.length) < 1e-4 / points.length)
  const even = regular ? points : evenly(points, times, samples)
  const n = even.length
  const L = 2 * harmonics + 1
  const fit = (c: 0 | 1): Float64Array => {
    const out = new Float64Array(L)
    even.forEach((p, i) => {
      out[0]! += p[c] / n
      for (let k = 1; k <= harmonics; k++) {
        const phase = (2 * Math.PI * k * i) / n
        out[2 * k - 1]! += (2 / n) * p[c] * Math.sin(phase)
        out[2 * k]! += (2 / n) * p[c] * Math.cos(phase)
      }
    })
    return out
  }
  const [u, v] = [fit(0), fit(1)]
  return [...u, ...v].every(Number.isFinite) ? { harmonics, u, v } : null
}

export function at(c: Float64Array | Float32Array, phase: number): number {
  let x = c[0]!
  for (let k = 1; 2 * k < c.length + 1 && 2 * k - 1 < c.length; k++) x += c[2 * k - 1]! * Math.sin(k * phase) + c[2 * k]! * Math.cos(k * phase)
  return x
}

/** n points at equal times, the first not repeated. */
export function sampled(c: PlaneCurve, n: number): Point[] {
  return Array.from({ length: n }, (_, k) => {
    const phase = (2 * Math.PI * k) / n
    return [at(c.u, phase), at(c.v, phase)] as const
  })
}

/** Turned, scaled and moved about its own middle. */
export function transformed(points: readonly Point[], scale: number, turn: number, du: number, dv: number): Point[] {
  const n = Math.max(points.length, 1)
  const mu = points.reduce((s, p) => s + p[0], 0) / n
  const mv = points.reduce((s, p) => s + p[1], 0) / n
  const [c, s] = [scale * Math.cos(turn), scale * Math.sin(turn)]
  return points.map(([u, v]) => [mu + du + c * (u - mu) - s * (v - mv), mv + dv + s * (u - mu) + c * (v - mv)] as const)
}

// ---- reach --------------------------------------------------------------------------------------

/** What is known of a node: coefficients of its coordinates and their derivatives by parameters. */
export interface Surroundings {
  z: Float64Array[] // [axis][2H+1]
  S: Float64Array[][] // [parameter][axis][2H+1]
  least: number[] // changes up to the bounds
  most: number[]
}

export interface Reach {
  now: number // root mean square distance over the target's own motion
  best: number // the least that the first-order estimate reaches within all bounds
  change: number[]
  phase: number // rad, by which the target is shifted
}

// coefficients of a target that begins later by a phase, in `length` of them
function shifted(c: Float64Array, phase: number, length: number): Float64Array {
  const out = new Float64Array(length)
  out[0] = c[0]!
  for (let k = 1; 2 * k < Math.min(length, c.length); k++) {
    const [s, co] = [c[2 * k - 1]!, c[2 * k]!]
    const [sn, cs] = [Math.sin(k * phase), Math.cos(k * phase)]
    out[2 * k - 1] = s * cs - co * sn
    out[2 * k] = s * sn + co * cs
  }
  return out
}

const weight = (k: number): number => (k === 0 ? 1 : Math.SQRT1_2)

// min |r - A x|^2 within bounds, by minimising along one variable after the other
function within(A: Float64Array[], r: Float64Array, least: readonly number[], most: readonly number[], rounds: number): number[] {
  const x = A.map(() => 0)
  const square = A.map((a) => a.reduce((s, v) => s + v * v, 0))
  const left = r.slice()
  for (let round = 0; round < rounds; round++) {
    let moved = 0
    for (let j = 0; j < A.length; j++) {
      if (!(square[j]! > 0)) continue
      const a = A[j]!
      let dot = 0
      for (let i = 0; i < left.length; i++) dot += a[i]! * left[i]!
      const next = Math.min(Math.max(x[j]! + dot / square[j]!, least[j]!), most[j]!)
      const d = next - x[j]!
      if (d === 0) continue
      x[j] = next
      for (let i = 0; i < left.length; i++) left[i]! -= d * a[i]!
      moved = Math.max(moved, Math.abs(d) * Math.sqrt(square[j]!))
    }
    if (moved < 1e-9 * Math.sqrt(r.reduce((s, v) => s + v * v, 1e-300))) break
  }
  return x
}

const norm = (r: Float64Array): number => Math.sqrt(r.reduce((s, v) => s + v * v, 0))

/** How near the node's motion comes to a target, at the best phase and within bounds, to first order. */
export function reachOf(node: Surroundings, target: readonly Float64Array[], phases = 48): Reach {
  const L = node.z[0]!.length
  const stack = (c: readonly Float64Array[]): Float64Array => Float64Array.from(c.flatMap((a) => [...a].map((v, k) => weight(k) * v)))
  const A = node.S.map(stack)
  const z = stack(node.z)
  const size = Math.sqrt(target.reduce((s, c) => s + c.reduce((t, v, k) => (k ? t + 0.5 * v * v : t), 0), 0)) || 1
  const residual = (phase: number): Float64Array => stack(target.map((c) => shifted(c, phase, L))).map((v, i) => v - z[i]!)
  const remains = (r: Float64Array, x: readonly number[]): number => {
    const left = r.slice()
    x.forEach((v, j) => v !== 0 && A[j]!.forEach((a, i) => (left[i]! -= v * a)))
    return norm(left) / size
  }
  const tries = Array.from({ length: phases }, (_, k) => {
    const phase = (2 * Math.PI * k) / phases
    const r = residual(phase)
    const x = within(A, r, node.least, node.most, 30)
    return { phase, now: norm(r) / size, best: remains(r, x) }
  })
  const now = Math.min(...tries.map((t) => t.now))
  const near = tries.reduce((a, b) => (b.best < a.best ? b : a))
  const r = residual(near.phase)
  const change = within(A, r, node.least, node.most, 2000)
  return { now, best: Math.min(remains(r, change), now), change, phase: near.phase }
}

// ---- files --------------------------------------------------------------------------------------

/** A target as CSV: n points of one period. axes: which the plane has; others stay at a place. */
export function targetCsv(c: PlaneCurve, axes: readonly [number, number], dim: number, middle: readonly number[], omega: number, n = 64): string {
  const names = ['x', 'y', 'z'].slice(0, dim).map((a) => `${a}_m`)
  const period = (2 * Math.PI) / omega
  const rows = sampled(c, Math.max(n, 4 * c.harmonics + 2)).map((p, k, all) => {
    const place = ['x', 'y', 'z'].slice(0, dim).map((_, a) => (a === axes[0] ? p[0] : a === axes[1] ? p[1] : middle[a]!))
    return [(k * period) / all.length, ...place].map((v) => v.toPrecision(9)).join(',')
  })
  return `${['t_s', ...names].join(',')}\n${rows.join('\n')}\n`
}

const units: Record<string, number> = { m: 1, cm: 1e-2, mm: 1e-3, um: 1e-6, in: 0.0254 }

/** Points of a file with columns as x_mm, y_mm and perhaps t_s; null: it has none. fallback: of columns without a unit, m. */
export function pointsOf(header: readonly string[], rows: readonly (readonly string[])[], axes: readonly [number, number], fallback: number): { points: Point[]; times: number[] | null } | null {
  const column = (axis: string): { k: number; si: number } | null => {
    const k = header.findIndex((h) => new RegExp(`(^|_)${axis}(_[a-z]+)?$`).test(h))
    return k < 0 ? null : { k, si: units[/_([a-z]+)$/.exec(header[k]!)?.[1] ?? ''] ?? fallback }
  }
  const [u, v] = axes.map((a) => column('xyz'[a]!))
  if (!u || !v) return null
  const time = header.findIndex((h) => /^(t|time)(_|$)/.test(h))
  const points = rows.map((r) => [Number(r[u.k]) * u.si, Number(r[v.k]) * v.si] as const).filter((p) => p.every(Number.isFinite))
  const last = points[points.length - 1]
  const repeats = points.length > 3 && last !== undefined && last[0] === points[0]![0] && last[1] === points[0]![1]
  const kept = repeats ? points.slice(0, -1) : points
  if (kept.length < 3) return null
  const t = time < 0 ? null : rows.map((r) => Number(r[time]))
  if (!t || !t.every((x, k) => Number.isFinite(x) && (k === 0 || x > t[k - 1]!)) || t.length !== points.length) return { points: kept, times: null }
  // the period ends where the first point comes again
  const step = (t[t.length - 1]! - t[0]!) / (t.length - 1)
  const period = repeats ? t[t.length - 1]! - t[0]! : t[t.length - 1]! - t[0]! + step
  return { points: kept, times: kept.map((_, k) => (t[k]! - t[0]!) / period) }
}
