// Numbers as people read them.

const raised: Record<string, string> = { '-': '⁻', '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹' }

/** 10^e with superscripts. */
export const power = (e: number): string => `10${raise(String(e))}`
export const raise = (s: string): string => [...s].map((c) => raised[c] ?? c).join('')

/** A true minus sign. */
export const minus = (s: string): string => s.replace('-', '−')

/** Fixed places. */
export const fixed = (v: number, places: number): string => minus((Math.abs(v) < 0.5 * 10 ** -places ? 0 : v).toFixed(places))

/** Up to `digits` significant ones; 1.5 × 10⁻⁵ where it is very small or large. */
export function general(v: number, digits = 5): string {
  if (Number.isNaN(v)) return ''
  if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞'
  if (v === 0) return '0'
  const [mantissa, e] = v.toExponential(digits - 1).split('e') as [string, string]
  const exponent = Number(e)
  if (exponent >= -4 && exponent < Math.max(digits, 6)) return minus(String(Number(v.toPrecision(digits))))
  return `${minus(String(Number(mantissa)))}×${power(exponent)}`
}

export function bytes(n: number): string {
  if (n < 1000) return `${n} B`
  if (n < 1e6) return `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)} kB`
  return `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)} MB`
}

export function seconds(s: number): string {
  if (s < 0.01) return '0 s'
  if (s < 10) return `${Number(s.toPrecision(2))} s`
  if (s < 60) return `${Math.round(s)} s`
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`
  return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`
}

/** How long ago a time in seconds was. */
export function ago(time: number): string {
  const s = Date.now() / 1000 - time
  if (s < 60) return 'just now'
  if (s < 3600) return `${Math.round(s / 60)} min ago`
  if (s < 86400) return `${Math.round(s / 3600)} h ago`
  if (s < 30 * 86400) return `${Math.round(s / 86400)} d ago`
  return new Date(time * 1000).toISOString().slice(0, 10)
}
