// Arrows of drives, loads and gravity, and names of nodes, where they fall on the screen.
import type { Look } from './colours'
import type { Arrow, Drawing } from './overlay'
import { project } from './pick'
import type { Projection } from './pick'
import type { ModelArrays, Names } from './types'

const LENGTH = 46 // pixels
const MOST = 14 // arrows of one load
const APART = 24 // pixels

const dot = (a: readonly number[], b: readonly number[]): number => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!

function direction(p: Projection, d: readonly number[]): [number, number] {
  const size = Math.hypot(...d) || 1
  return [(LENGTH * dot(p.right, d)) / size, (-LENGTH * dot(p.up, d)) / size]
}

function pixel(p: Projection, x: ArrayLike<number>): [number, number] {
  const out = project(p, x, new Float32Array(3))
  return [out[0]!, out[1]!]
}

function middle(x: Float32Array, nodes: Int32Array): number[] {
  const sum = [0, 0, 0]
  for (const v of nodes) for (let c = 0; c < 3; c++) sum[c]! += x[3 * v + c]! / nodes.length
  return sum
}

export function glyphs(m: ModelArrays, x: Float32Array, p: Projection, look: Look, show: { drives: boolean; loads: boolean }): Arrow[] {
  const out: Arrow[] = []
  for (const d of show.drives ? m.drives ?? [] : []) {
    if (!d.axis || (d.nodes.length === 0 && !d.centre)) continue
    out.push({ at: pixel(p, d.centre ?? middle(x, d.nodes)), towards: direction(p, d.axis), tint: look.drive, turning: d.centre !== null })
  }
  for (const l of show.loads ? m.loads ?? [] : []) {
    if (!l.direction || l.nodes.length === 0) continue
    const every = Math.ceil(l.nodes.length / MOST)
    const towards = direction(p, l.direction)
    let last = [-99, -99]
    for (let k = every >> 1; k < l.nodes.length; k += every) {
      const v = 3 * l.nodes[k]!
      const [a, b] = pixel(p, x.subarray(v, v + 3))
      if (Math.hypot(a - last[0]!, b - last[1]!) < APART) continue
      last = [a, b]
      // heads are at the nodes
      out.push({ at: [a - towards[0], b - towards[1]], towards, tint: look.load, turning: false })
    }
  }
  const g = m.gravity
  if (g && Math.hypot(...g) > 0 && p.width > 320 && p.height > 200) {
    const [u, v] = direction(p, g)
    out.push({ at: [96 - u / 3.2, p.height - 40 - v / 3.2], towards: [u / 1.6, v / 1.6], tint: look.obstacle, turning: false, text: 'g' })
  }
  return out
}

export function labels(m: ModelArrays, x: Float32Array, p: Projection, names: Names, hovered: number | null): Drawing['names'] {
  const out: Drawing['names'] = []
  const taken = new Set<number>()
  const add = (v: number, text: string): void => {
    const at = pixel(p, x.subarray(3 * v, 3 * v + 3))
    // one name in a cell of the screen
    const cell = Math.round(at[0] / 44) * 4096 + Math.round(at[1] / 18)
    if (taken.has(cell) || at[0] < 0 || at[1] < 0 || at[0] > p.width || at[1] > p.height) return
    taken.add(cell)
    out.push({ at, text })
  }
  const watched = m.watched ?? []
  if (hovered !== null) add(hovered, watched.find((w) => w.node === hovered)?.name ?? `node ${hovered}`)
  if (names !== 'none') for (const w of watched) if (w.node !== hovered) add(w.node, w.name)
  if (names === 'all') for (let v = 0; v < x.length / 3; v++) if (v !== hovered) add(v, String(v))
  return out
}
