// Round numbers for bars and scales.

/** The largest 1, 2 or 5 times a power of ten that is at most `most`. */
export function roundBelow(most: number): number {
  if (!(most > 0) || !Number.isFinite(most)) return 0
  const power = Math.floor(Math.log10(most) + 1e-9)
  const ten = 10 ** power
  const m = most / ten
  return (m >= 5 - 1e-9 ? 5 : m >= 2 - 1e-9 ? 2 : 1) * ten
}

/** Round ticks within lo..hi, at most about `want` steps. */
export function ticks(lo: number, hi: number, want: number): number[] {
  const range = hi - lo
  if (!(range > 0) || !Number.isFinite(range)) return [lo]
  let step = roundBelow((range / want) * 1.0001)
  for (const m of [1, 2, 2.5, 5, 10]) {
    if (m === 2.5) continue
    if (range / (step * m) <= want + 1e-9) {
      step *= m
      break
    }
  }
  const out: number[] = []
  for (let k = Math.ceil(lo / step - 1e-6); k <= hi / step + 1e-6; k++) out.push(k === 0 ? 0 : k * step)
  return out
}

const raised: Record<string, string> = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' }

/** Up to `digits` significant digits, a true minus sign, powers of ten where zeros would be many. */
export function number(v: number, digits = 4): string {
  if (!Number.isFinite(v)) return '–'
  if (v === 0) return '0'
  const size = Math.abs(v)
  let text: string
  if (size >= 1e5 || size < 1e-3) {
    const [m, e] = v.toExponential(digits - 1).split('e') as [string, string]
    const power = String(Number(e)).replace(/./g, (c) => raised[c] ?? c)
    const mantissa = String(Number(m))
    text = mantissa === '1' ? `10${power}` : `${mantissa}×10${power}`
  } else text = String(Number(v.toPrecision(digits)))
  return text.replace('-', '−')
}

const units: [string, number][] = [['km', 1e3], ['m', 1], ['mm', 1e-3], ['µm', 1e-6], ['nm', 1e-9]]

/** A bar of round length, at most `most` pixels long: its pixels and its text. */
export function scaleBar(metresPerPixel: number, most: number, unit?: { unit: string; si: number }): { pixels: number; text: string } | null {
  const room = most * metresPerPixel
  if (!(room > 0) || !Number.isFinite(room)) return null
  const length = unit ? roundBelow(room / unit.si) * unit.si : roundBelow(room)
  let name = unit?.unit
  let si = unit?.si ?? 1
  if (name === undefined) [name, si] = units.find(([, f]) => length >= 0.999 * f) ?? units[units.length - 1]!
  return { pixels: length / metresPerPixel, text: `${number(length / si, 6)} ${name}` }
}
