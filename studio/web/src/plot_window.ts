// The part of a plot that is seen: zoomed about a place, moved, and brought to a point.

export type Span = readonly [number, number]

/** In data; null: all of it. */
export interface Seen {
  x: Span
  y: Span
}

/** How an axis runs: a scale of d3 or alike. */
export interface Run {
  domain: () => number[]
  range: () => number[]
  invert: (px: number) => number
}

const span = (s: Run, from: number, to: number): Span => [s.invert(from), s.invert(to)]

// about a pixel; in pixels, so that scales by ratios are zoomed alike
function about(s: Run, px: number, factor: number): Span {
  const [a, b] = s.range() as [number, number]
  return span(s, px + (a - px) * factor, px + (b - px) * factor)
}

/** Both axes, larger or smaller; factor below one: closer. */
export const zoomed = (x: Run, y: Run, px: number, py: number, factor: number): Seen => ({ x: about(x, px, factor), y: about(y, py, factor) })

export function panned(x: Run, y: Run, dx: number, dy: number): Seen {
  const [a, b] = x.range() as [number, number]
  const [c, d] = y.range() as [number, number]
  return { x: span(x, a - dx, b - dx), y: span(y, c - dy, d - dy) }
}

/** Moved so far that a place in pixels is seen; null: it is. */
export function towards(x: Run, y: Run, px: number, py: number): Seen | null {
  const by = (s: Run, p: number): number => {
    const [a, b] = [...s.range()].sort((u, v) => u - v) as [number, number]
    const room = 0.1 * (b - a)
    return p < a ? a + room - p : p > b ? b - room - p : 0
  }
  const [dx, dy] = [by(x, px), by(y, py)]
  return dx === 0 && dy === 0 ? null : panned(x, y, dx, dy)
}

/** What a turn of a wheel zooms by. */
export const wheelFactor = (e: WheelEvent): number => Math.exp(Math.min(Math.max(e.deltaY, -200), 200) * 0.002)
