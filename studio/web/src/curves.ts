// Response curves as tables tell them: their parts, and what stands out on them.

export interface Column {
  name: string
  unit: string
}

/** The rows of a table of a curve, by column. */
export interface Curve {
  columns: readonly Column[]
  rows: readonly ArrayLike<number | null>[]
}

export const columnOf = (c: Curve, name: string): number => c.columns.findIndex((k) => k.name === name)

/** Is it the table of a response or a backbone? */
export const isCurve = (columns: readonly Column[]): boolean => columns[0]?.name === 'frequency' && ['omega', 'stable', 'branch'].every((n) => columns.some((c) => c.name === n))

/** Columns that can be drawn over the frequency: lengths of watched places. */
export function quantities(columns: readonly Column[]): Column[] {
  return columns.filter((c) => c.unit === 'm' && /_(path|max|rms|h\d+)(_[xyz])?$/.test(c.name))
}

const measures: Record<string, string> = { path: 'path length', max: 'largest deviation', rms: 'root mean square' }

/** "tip: path length" of tip_path, "tip: harmonic 2 in x" of tip_h2_x. */
export function quantityWords(name: string): string {
  const found = /^(.*)_(path|max|rms|h(\d+))(?:_([xyz]))?$/.exec(name)
  if (!found) return name
  const what = measures[found[2]!] ?? `harmonic ${found[3]}`
  return `${found[1]}: ${what}${found[4] ? ` in ${found[4]}` : ''}`
}

export interface Part {
  stable: boolean
  points: number[] // rows
}

/** Lines of one kind of stability; unstable ones reach to the stable points beside them. */
export function partsOf(c: Curve): Part[] {
  const stable = columnOf(c, 'stable')
  const branch = columnOf(c, 'branch')
  const out: Part[] = []
  const lost = (k: number): boolean => c.rows[k]![stable] === 0
  for (let k = 0; k < c.rows.length; k++) {
    const apart = k === 0 || c.rows[k]![branch] !== c.rows[k - 1]![branch]
    const last = out[out.length - 1]
    if (!apart && last && last.stable === !lost(k)) {
      last.points.push(k)
      continue
    }
    const fresh: Part = { stable: !lost(k), points: [k] }
    // the dashed line joins the solid one
    if (!apart && last) {
      if (fresh.stable) last.points.push(k)
      else fresh.points.unshift(k - 1)
    }
    out.push(fresh)
  }
  return out
}

export interface SpecialPoint {
  kind: string
  frequency: number // Hz
  value: number // of the quantity that is drawn
  after: number // row behind which it lies
}

const number = (r: ArrayLike<number | null>, k: number): number => r[k] ?? NaN

/** Peaks and folds as far as the points tell, while the curve grows. */
export function specialsSoFar(c: Curve, quantity: string): SpecialPoint[] {
  const y = columnOf(c, quantity)
  const branch = columnOf(c, 'branch')
  const out: SpecialPoint[] = []
  for (let k = 1; k + 1 < c.rows.length && y >= 0; k++) {
    const [a, b, d] = [c.rows[k - 1]!, c.rows[k]!, c.rows[k + 1]!]
    if (a[branch] !== b[branch] || b[branch] !== d[branch]) continue
    const point = { frequency: number(b, 0), value: number(b, y), after: k }
    if ((number(b, 0) - number(a, 0)) * (number(d, 0) - number(b, 0)) < 0) out.push({ kind: 'fold', ...point })
    if (number(b, y) > number(a, y) && number(b, y) >= number(d, y)) out.push({ kind: 'peak', ...point })
  }
  return out
}

// an empty word is no number
const real = (word: string | undefined): number => (word ? Number(word) : NaN)

// ---- CSV ----------------------------------------------------------------------------------------

export interface Csv {
  header: string[]
  rows: string[][]
}

/** Rows of words; lines that begin with # are left out. */
export function readCsv(text: string): Csv {
  const lines = text.split(/\r?\n/).filter((l) => l.trim() !== '' && !l.startsWith('#'))
  const split = (l: string): string[] => l.split(l.includes(';') && !l.includes(',') ? ';' : ',').map((w) => w.trim().replace(/^"(.*)"$/, '$1'))
  const first = split(lines[0] ?? '')
  const named = first.some((w) => w !== '' && !Number.isFinite(Number(w)))
  return { header: named ? first : first.map((_, k) => `column ${k + 1}`), rows: lines.slice(named ? 1 : 0).map(split) }
}

/** The special points of a finished curve, of what is drawn: "tip_max_x" of the place "tip". */
export function specialsOf(csv: string, quantity: string): SpecialPoint[] {
  const t = readCsv(csv)
  const at = (name: string): number => t.header.indexOf(name)
  const [, place, measure] = /^(.*)_((?:path|max|rms|h\d+)(?:_[xyz])?)$/.exec(quantity) ?? ['', '', '']
  const y = at(`${measure}_m`)
  const watch = at('watch')
  return t.rows
    .filter((r) => watch < 0 || r[watch] === place)
    .map((r) => ({ kind: r[0]!, frequency: real(r[at('frequency_Hz')]), value: real(r[y]), after: real(r[at('after_point')]) }))
    .filter((s) => Number.isFinite(s.frequency) && Number.isFinite(s.value))
}

const lengths: Record<string, number> = { m: 1, cm: 1e-2, mm: 1e-3, um: 1e-6, 'µm': 1e-6, in: 0.0254 }
const frequencies: Record<string, number> = { Hz: 1, kHz: 1e3, 'rad/s': 1 / (2 * Math.PI), rad_s: 1 / (2 * Math.PI) }

const unitOf = (name: string, units: Record<string, number>): number | null => {
  const found = Object.keys(units).filter((u) => new RegExp(`(^|[_ ([])${u.replace('/', '\\/')}[)\\]]?$`).test(name))
  return found.length > 0 ? units[found.sort((a, b) => b.length - a.length)[0]!]! : null
}

/** Measured points: frequency in Hz, amplitude in m, by the units at the ends of column names. */
export function measuredOf(text: string, fallback: number): { name: string; points: { frequency: number; value: number }[] }[] {
  const t = readCsv(text)
  const x = Math.max(t.header.findIndex((h) => /freq|omega/i.test(h)), 0)
  const perHz = unitOf(t.header[x] ?? '', frequencies) ?? (/omega/i.test(t.header[x] ?? '') ? 1 / (2 * Math.PI) : 1)
  return t.header
    .map((name, k) => ({ name, k }))
    .filter(({ name, k }) => k !== x && !/phase|deg|error|deviation/i.test(name))
    .map(({ name, k }) => {
      const si = unitOf(name, lengths) ?? fallback
      const points = t.rows.map((r) => ({ frequency: real(r[x]) * perHz, value: real(r[k]) * si })).filter((p) => Number.isFinite(p.frequency) && Number.isFinite(p.value))
      return { name, points }
    })
    .filter((s) => s.points.length > 0)
}
