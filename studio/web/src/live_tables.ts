// What is drawn of tables that still grow.
import type { PlotSeries, PlotSpec } from './plot_frame'
import type { LiveTable } from './runs'

const firsts = ['time', 'frequency', 'load_factor', 'iteration', 'point', 'step']
const quantities: Record<string, string> = { m: 'place', J: 'energy', N: 'force', Pa: 'stress', rad: 'angle', deg: 'angle', 'm/s': 'velocity', W: 'power' }
const seriesMax = 8

type Column = LiveTable['columns'][number]

const labelOf = (c: Column): string => (c.unit ? `${c.name.replaceAll('_', ' ')} (${c.unit})` : c.name.replaceAll('_', ' '))

const number = (v: number | null | undefined): number => v ?? NaN

// stable stretches solid, the others dashed; branches are lines of their own
function split(t: LiveTable, x: number, y: number, stable: number, branch: number): [Float64Array, Float64Array] {
  const out: [number[], number[]] = [[], []]
  let style = -1
  t.rows.forEach((r, k) => {
    const before = t.rows[k - 1]
    const same = before && (branch < 0 || before[branch] === r[branch])
    if (!before || !same) {
      style = -1
      return
    }
    const now = r[stable] === 1 && before[stable] === 1 ? 0 : 1
    if (now !== style) out[now]!.push(NaN, NaN, number(before[x]), number(before[y]))
    out[now]!.push(number(r[x]), number(r[y]))
    style = now
  })
  return [Float64Array.from(out[0]), Float64Array.from(out[1])]
}

function response(t: LiveTable, x: number, stable: number): PlotSpec[] {
  const branch = t.columns.findIndex((c) => c.name === 'branch')
  const paths = t.columns.flatMap((c, k) => (c.name.endsWith('_path') ? [k] : [])).slice(0, seriesMax)
  const series = paths.flatMap((y, k): PlotSeries[] => {
    const [solid, dashed] = split(t, x, y, stable, branch)
    const name = t.columns[y]!.name.replace(/_path$/, '')
    return [{ name, xy: solid, colour: k }, { name: dashed.length > 0 ? `${name}, unstable` : null, xy: dashed, colour: k, dashed: 1 }]
  })
  return series.length === 0 ? [] : [{ title: 'response', xlabel: labelOf(t.columns[x]!), ylabel: `path length a period (${t.columns[paths[0]!]!.unit})`, series }]
}

function histories(t: LiveTable, x: number): PlotSpec[] {
  const units = [...new Set(t.columns.filter((_, k) => k !== x).map((c) => c.unit))].filter(Boolean)
  const wanted = units.includes('m') ? ['m', ...units.filter((u) => u === 'J')] : units.slice(0, 2)
  const bare = t.columns.flatMap((c, k) => (k !== x && !c.unit ? [k] : []))
  const groups = wanted.length > 0 ? wanted.map((u) => ({ u, columns: t.columns.flatMap((c, k) => (k !== x && c.unit === u ? [k] : [])) })) : [{ u: '', columns: bare }]
  return groups.map(({ u, columns }) => ({
    title: '',
    xlabel: labelOf(t.columns[x]!),
    ylabel: u ? `${quantities[u] ?? 'value'} (${u})` : columns.length === 1 ? labelOf(t.columns[columns[0]!]!) : 'value',
    series: columns.slice(0, seriesMax).map((y) => ({ name: t.columns[y]!.name.replaceAll('_', ' '), xy: Float64Array.from(t.rows.flatMap((r) => [number(r[x]), number(r[y])])) })),
  }))
}

/** Plots of what a table has so far. */
export function livePlots(t: LiveTable): PlotSpec[] {
  const named = firsts.map((f) => t.columns.findIndex((c) => c.name === f)).find((k) => k >= 0)
  const x = named ?? 0
  const stable = t.columns.findIndex((c) => c.name === 'stable')
  if (t.columns.length < 2 || t.rows.length < 2) return []
  const plots = stable >= 0 ? response(t, x, stable) : []
  return plots.length > 0 ? plots : histories(t, x)
}
