// Plots as files: an SVG with its looks in it, the same as PNG, points as CSV.
import { saveBlob, saveText } from './download'

const looks = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'stroke-opacity', 'opacity', 'font-size', 'font-weight', 'text-anchor', 'clip-path']

function dress(from: Element, to: Element): void {
  const style = getComputedStyle(from)
  for (const name of looks) {
    const value = style.getPropertyValue(name)
    if (value && value !== 'none' && value !== 'normal' && name !== 'clip-path') to.setAttribute(name, value)
    if (value === 'none' && (name === 'fill' || name === 'stroke')) to.setAttribute(name, 'none')
  }
  to.removeAttribute('class')
  for (let k = 0; k < from.children.length; k++) dress(from.children[k]!, to.children[k]!)
}

export interface Legend {
  name: string
  colour: string
  dash: string | undefined
  dot: boolean
}

const space = 'http://www.w3.org/2000/svg'

function put(parent: Element, name: string, values: Record<string, string | number>, text = ''): void {
  const e = document.createElementNS(space, name)
  for (const [k, v] of Object.entries(values)) e.setAttribute(k, String(v))
  e.textContent = text
  parent.append(e)
}

/** The drawing with title and legend, which the page has as words beside it. */
function whole(svg: SVGSVGElement, title: string, legend: readonly Legend[]): { text: string; width: number; height: number } {
  const style = getComputedStyle(svg)
  const inner = svg.cloneNode(true) as SVGSVGElement
  dress(svg, inner)
  for (const e of inner.querySelectorAll('[data-live]')) e.remove()
  const width = svg.clientWidth
  const head = (title ? 30 : 6) + legend.length * 18
  const height = svg.clientHeight + head
  const out = document.createElementNS(space, 'svg')
  for (const [k, v] of Object.entries({ xmlns: space, width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': 'Helvetica, Arial, sans-serif' })) out.setAttribute(k, String(v))
  put(out, 'rect', { width, height, fill: style.getPropertyValue('--panel') || '#fff' })
  const ink = style.getPropertyValue('--ink') || '#000'
  if (title) put(out, 'text', { x: 16, y: 21, fill: ink, 'font-size': 15 }, title)
  legend.forEach((l, k) => {
    const y = (title ? 40 : 16) + 18 * k
    const line = { d: l.dot ? `M28 ${y}h0` : `M16 ${y}h24`, stroke: l.colour, 'stroke-width': l.dot ? 6.5 : 2, 'stroke-linecap': 'round', fill: 'none' }
    put(out, 'path', l.dash ? { ...line, 'stroke-dasharray': l.dash } : line)
    put(out, 'text', { x: 48, y: y + 4, fill: ink, 'font-size': 12 }, l.name)
  })
  inner.setAttribute('y', String(head))
  inner.setAttribute('width', String(width))
  inner.setAttribute('height', String(svg.clientHeight))
  out.append(inner)
  return { text: new XMLSerializer().serializeToString(out), width, height }
}

export const saveSvg = (svg: SVGSVGElement, name: string, title: string, legend: readonly Legend[]): void => saveText(whole(svg, title, legend).text, `${name}.svg`, 'image/svg+xml')

export async function savePng(svg: SVGSVGElement, name: string, title: string, legend: readonly Legend[]): Promise<void> {
  const { text, width, height } = whole(svg, title, legend)
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = 2 * width
    canvas.height = 2 * height
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done))
    if (blob) saveBlob(blob, `${name}.png`)
  } finally {
    URL.revokeObjectURL(url)
  }
}

const cell = (s: string): string => (/[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s)

// as many digits as numbers of 32 bits have
const digits = (v: number | undefined): string => (v === undefined || Number.isNaN(v) ? '' : String(Number(v.toPrecision(8))))

/** Columns of unequal lengths as CSV. */
export function csv(heads: readonly string[], columns: readonly ArrayLike<number>[]): string {
  const rows = Math.max(0, ...columns.map((c) => c.length))
  const lines = [heads.map(cell).join(',')]
  for (let k = 0; k < rows; k++) lines.push(columns.map((c) => digits(c[k])).join(','))
  return `${lines.join('\n')}\n`
}
