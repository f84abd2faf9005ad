// Selectors of a scene that choose given nodes and no others.

export interface Field {
  x: ArrayLike<number> // [nvert][3] m
  dim: number
  unit: string // of lengths in the scene, '' where bare numbers are in it
  si: number // one of it, m
  groups: readonly { name: string; nodes: Int32Array; body: boolean }[]
}

const listMax = 6 // single points, told one by one
const partsMax = 60

interface Box {
  lo: number[]
  hi: number[]
}

/** A number in a list of the scene, with its unit where that is needed. */
const number = (v: number, f: Field): string => {
  const text = String(Number(v.toPrecision(7)))
  return f.unit && Number(text) !== 0 ? `${text} ${f.unit}` : text
}

const point = (v: readonly number[], f: Field): string => `[${v.slice(0, f.dim).map((c) => number(c, f)).join(', ')}]`

const coordinate = (f: Field, node: number, axis: number): number => f.x[3 * node + axis]! / f.si

function bounds(f: Field, nodes: ArrayLike<number>): Box {
  const lo = [Infinity, Infinity, Infinity]
  const hi = [-Infinity, -Infinity, -Infinity]
  for (let k = 0; k < nodes.length; k++)
    for (let c = 0; c < 3; c++) {
      const v = coordinate(f, nodes[k]!, c)
      lo[c] = Math.min(lo[c]!, v)
      hi[c] = Math.max(hi[c]!, v)
    }
  return { lo, hi }
}

const within = (f: Field, b: Box, node: number): boolean => {
  for (let c = 0; c < f.dim; c++) {
    const v = coordinate(f, node, c)
    if (v < b.lo[c]! || v > b.hi[c]!) return false
  }
  return true
}

const same = (a: ArrayLike<number>, b: ReadonlySet<number>): boolean => {
  if (a.length !== b.size) return false
  for (let k = 0; k < a.length; k++) if (!b.has(a[k]!)) return false
  return true
}

// the shortest number from a to b
function between(a: number, b: number): number {
  const middle = (a + b) / 2
  const step0 = 10 ** Math.ceil(Math.log10(Math.max(Math.abs(a), Math.abs(b), b - a)) + 1)
  for (let step = step0; step > 1e-9 * step0; step /= 10)
    for (const v of [Math.round(middle / step) * step, Math.round(middle / (step / 2)) * (step / 2)]) if (v > a && v < b) return Number(v.toPrecision(9))
  return middle
}

/** `x < 8`: one plane with all of them on one side and nobody else; null: there is none. */
function halfSpace(f: Field, chosen: ReadonlySet<number>, others: readonly number[]): string | null {
  const inside = bounds(f, [...chosen])
  const outside = bounds(f, others)
  let best: { gap: number; text: string } | null = null
  for (let c = 0; c < f.dim; c++) {
    const size = Math.max(inside.hi[c]!, outside.hi[c]!) - Math.min(inside.lo[c]!, outside.lo[c]!)
    for (const [a, b, sign] of [
      [inside.hi[c]!, outside.lo[c]!, '<'],
      [outside.hi[c]!, inside.lo[c]!, '>'],
    ] as const) {
      const gap = b - a
      if (gap > 1e-6 * size && (!best || gap > best.gap)) best = { gap, text: `where ${'xyz'[c]} ${sign} ${number(between(a, b), f)}` }
    }
  }
  return best?.text ?? null
}

/** Bounds in as few digits as still leave the others out; null: others lie inside in any case. */
function roundBox(f: Field, tight: Box, others: readonly number[], size: number): Box | null {
  const reach = (step: number): Box => ({ lo: tight.lo.map((v) => Math.floor(v / step - 1e-3) * step), hi: tight.hi.map((v) => Math.ceil(v / step + 1e-3) * step) })
  const near = others.filter((n) => within(f, reach(size), n))
  for (let step = 10 ** Math.floor(Math.log10(size)); step > 1e-6 * size; step /= 10) {
    const b = reach(step)
    if (!near.some((n) => within(f, b, n))) return b
  }
  return null
}

// where the row of nodes along an axis has a wide gap, or in its middle
function cutAt(f: Field, sorted: readonly number[], axis: number): number {
  let cut = sorted.length >> 1
  let widest = 0
  for (let k = 1; k < sorted.length; k++) {
    const gap = coordinate(f, sorted[k]!, axis) - coordinate(f, sorted[k - 1]!, axis)
    const central = 1 - Math.abs(2 * k - sorted.length) / sorted.length
    if (gap * (0.3 + central) <= widest) continue
    widest = gap * (0.3 + central)
    cut = k
  }
  return cut
}

/** Parts that have boxes of their own, cut in two along their longest side where they must be. */
function parts(f: Field, nodes: readonly number[], others: readonly number[], size: number, out: number[][]): boolean {
  const tight = bounds(f, nodes)
  if (roundBox(f, tight, others, size)) return out.push([...nodes]) <= partsMax
  if (nodes.length < 2) return false
  const spans = [0, 1, 2].slice(0, f.dim).map((c) => tight.hi[c]! - tight.lo[c]!)
  const axis = spans.indexOf(Math.max(...spans))
  const sorted = [...nodes].sort((a, c) => coordinate(f, a, axis) - coordinate(f, c, axis))
  const cut = cutAt(f, sorted, axis)
  const near = others.filter((n) => within(f, tight, n))
  return parts(f, sorted.slice(0, cut), near, size, out) && parts(f, sorted.slice(cut), near, size, out)
}

/** Joins parts whose common box holds nobody else. */
function joined(f: Field, list: number[][], others: readonly number[], size: number): number[][] {
  const out = [...list]
  for (let a = 0; a < out.length; a++)
    for (let b = a + 1; b < out.length; b++) {
      const both = [...out[a]!, ...out[b]!]
      if (!roundBox(f, bounds(f, both), others, size)) continue
      out[a] = both
      out.splice(b, 1)
      b = a
    }
  return out
}

/** Boxes that together hold the nodes and nobody else; null: too many. */
function boxes(f: Field, nodes: readonly number[], others: readonly number[], size: number): string[] | null {
  const list: number[][] = []
  if (!parts(f, nodes, others, size, list)) return null
  return joined(f, list, others, size).map((part) => {
    const b = roundBox(f, bounds(f, part), others, size)!
    return `box ${point(b.lo, f)} ${point(b.hi, f)}`
  })
}

function nearest(f: Field, node: number, scope: readonly number[], size: number): string | null {
  const at = [0, 1, 2].map((c) => coordinate(f, node, c))
  const distance = (p: readonly number[], n: number): number => Math.hypot(...p.map((v, c) => v - coordinate(f, n, c)))
  for (let step = 10 ** Math.floor(Math.log10(size)); step > 1e-7 * size; step /= 10) {
    const p = at.map((v) => Math.round(v / step) * step)
    const own = distance(p, node)
    if (own < 0.01 * size && !scope.some((n) => n !== node && distance(p, n) < own + 1e-3 * step)) return `nearest ${point(p, f)}`
  }
  return null
}

/** Selectors that together choose just these nodes; null: it would take too many. */
export function selectorsOf(nodes: ArrayLike<number>, f: Field): string[] | null {
  const chosen = new Set(Array.from(nodes))
  const nvert = f.x.length / 3
  if (chosen.size === 0) return null
  if (chosen.size === nvert) return ['all']
  const group = f.groups.find((g) => same(g.nodes, chosen))
  if (group) return [group.name]
  const body = f.groups.filter((g) => g.body).find((g) => chosen.size <= g.nodes.length && subset(chosen, g.nodes))
  const scope = body ? Array.from(body.nodes) : Array.from({ length: nvert }, (_, k) => k)
  const others = scope.filter((n) => !chosen.has(n))
  const named = (s: string): string => (body ? `${/^[\w-]+$/.test(body.name) ? body.name : `"${body.name}"`} ${s}` : s)
  const all = bounds(f, scope)
  const size = Math.max(...all.hi.map((v, c) => v - all.lo[c]!)) || 1
  const points = chosen.size <= listMax ? [...chosen].map((n) => nearest(f, n, scope, size)) : [null]
  if (chosen.size === 1 && points[0]) return [named(points[0])]
  const plane = halfSpace(f, chosen, others)
  if (plane) return [named(plane)]
  const boxed = boxes(f, [...chosen], others, size)
  if (points.every((p) => p !== null) && boxed?.length !== 1) return points.map((p) => named(p!))
  return boxed?.map(named) ?? null
}

function subset(chosen: ReadonlySet<number>, nodes: Int32Array): boolean {
  let n = 0
  for (let k = 0; k < nodes.length; k++) if (chosen.has(nodes[k]!)) n++
  return n === chosen.size
}
