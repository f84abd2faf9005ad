// Pointers, wheel and keys of a view.
import { box } from './pick'
import type { BrushHow, Preset } from './types'

export interface Hands {
  turn(dx: number, dy: number): void
  pan(dx: number, dy: number): void
  zoom(factor: number, x?: number, y?: number): void
  click(x: number, y: number): void
  hover(x: number, y: number): void
  brushing(polygon: number[] | null): void
  brushed(polygon: number[], how: BrushHow): void
  preset(p: Preset): void
  perspective(): void
  toggle(): void
  step(by: number): void
  walk(dx: number, dy: number, far: boolean): void // to the next node in a direction of the screen; far: a box from the first one
  key(e: KeyboardEvent): void
}

const NEAR = 4 // pixels that a click may move

export class Input {
  brush: 'box' | 'lasso' | null = null
  private readonly down = new Map<number, { x: number; y: number }>()
  private start: { x: number; y: number; button: number } | null = null
  private moved = false
  private path: number[] = []
  private readonly stop = new AbortController()

  constructor(private readonly box: HTMLElement, private readonly hands: Hands, private readonly wheelAlways: boolean) {
    const on = <K extends keyof HTMLElementEventMap>(name: K, f: (e: HTMLElementEventMap[K]) => void, passive = true): void =>
      box.addEventListener(name, f, { signal: this.stop.signal, passive })
    on('pointerdown', (e) => this.pressed(e))
    on('pointermove', (e) => this.dragged(e))
    on('pointerup', (e) => this.released(e))
    on('pointercancel', (e) => this.released(e))
    on('pointerleave', (e) => this.down.size === 0 && e.pointerType === 'mouse' && hands.hover(-1, -1))
    on('contextmenu', (e) => e.preventDefault(), false)
    on('wheel', (e) => this.wheel(e), false)
    on('dblclick', () => !this.brush && hands.preset('fit'))
    on('keydown', (e) => this.key(e), false)
  }

  private at(e: PointerEvent | WheelEvent): [number, number] {
    const r = this.box.getBoundingClientRect()
    return [e.clientX - r.left, e.clientY - r.top]
  }

  private pressed(e: PointerEvent): void {
    const [x, y] = this.at(e)
    // a finger that scrolls the page only passes by
    if (this.wheelAlways || e.pointerType !== 'touch') this.box.focus({ preventScroll: true })
    this.box.setPointerCapture(e.pointerId)
    this.down.set(e.pointerId, { x, y })
    this.start = { x, y, button: e.shiftKey && !this.brush ? 2 : e.button }
    this.moved = this.down.size > 1
    this.path = [x, y]
  }

  private dragged(e: PointerEvent): void {
    const [x, y] = this.at(e)
    const was = this.down.get(e.pointerId)
    if (!was || !this.start) {
      if (e.pointerType === 'mouse') this.hands.hover(x, y)
      return
    }
    const [dx, dy] = [x - was.x, y - was.y]
    if (!this.moved && Math.hypot(x - this.start.x, y - this.start.y) < NEAR) return
    this.moved = true
    if (this.down.size > 1) this.pinched(e.pointerId, x, y)
    else if (this.brush && this.start.button === 0) this.stroke(x, y)
    else if (this.start.button === 0) this.hands.turn(dx, dy)
    else this.hands.pan(dx, dy)
    this.down.set(e.pointerId, { x, y })
  }

  // two fingers: what is below them stays below them
  private pinched(id: number, x: number, y: number): void {
    const [a, b] = [...this.down.keys()]
    const other = this.down.get(id === a ? b! : a!)!
    const was = this.down.get(id)!
    const before = Math.hypot(was.x - other.x, was.y - other.y)
    const now = Math.hypot(x - other.x, y - other.y)
    if (before > 0 && now > 0) this.hands.zoom(before / now, (x + other.x) / 2, (y + other.y) / 2)
    this.hands.pan((x - was.x) / 2, (y - was.y) / 2)
  }

  private stroke(x: number, y: number): void {
    if (this.brush === 'box') this.path = box([this.start!.x, this.start!.y], [x, y])
    else this.path.push(x, y)
    this.hands.brushing(this.path)
  }

  private released(e: PointerEvent): void {
    if (!this.down.delete(e.pointerId) || this.down.size > 0) return
    if (this.brush && this.moved && e.type === 'pointerup' && this.path.length > 4) {
      this.hands.brushed(this.path, e.shiftKey ? 'add' : e.altKey ? 'remove' : 'set')
    } else if (!this.moved && this.start?.button === 0) {
      this.box.focus({ preventScroll: true })
      this.hands.click(this.start.x, this.start.y)
    }
    this.hands.brushing(null)
    this.start = null
  }

  private wheel(e: WheelEvent): void {
    if (!this.wheelAlways && !this.box.contains(document.activeElement)) return
    e.preventDefault()
    const lines = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1
    const [x, y] = this.at(e)
    this.hands.zoom(Math.exp(Math.min(Math.max(e.deltaY * lines, -240), 240) * 0.0016), x, y)
  }

  private key(e: KeyboardEvent): void {
    if (e.target !== this.box) return
    const { hands } = this
    const by = e.shiftKey ? 40 : 24
    const move = (dx: number, dy: number): void => (e.shiftKey ? hands.pan(dx, dy) : hands.turn(dx, dy))
    const table: Record<string, () => void> = {
      ArrowLeft: () => move(-by, 0), ArrowRight: () => move(by, 0), ArrowUp: () => move(0, -by), ArrowDown: () => move(0, by),
      '+': () => hands.zoom(0.85), '=': () => hands.zoom(0.85), '-': () => hands.zoom(1 / 0.85), _: () => hands.zoom(1 / 0.85),
      0: () => hands.preset('home'), f: () => hands.preset('fit'), 4: () => hands.preset('iso'),
      1: () => hands.preset('x'), 2: () => hands.preset('y'), 3: () => hands.preset('z'), 5: () => hands.perspective(),
      ' ': () => hands.toggle(), ',': () => hands.step(-1), '.': () => hands.step(1),
    }
    const walk = (dx: number, dy: number) => () => hands.walk(dx, dy, e.shiftKey)
    const walks: Record<string, () => void> = { ArrowLeft: walk(-1, 0), ArrowRight: walk(1, 0), ArrowUp: walk(0, -1), ArrowDown: walk(0, 1) }
    const f = e.metaKey || e.altKey ? undefined : (e.ctrlKey ? walks : table)[e.key]
    if (!f) return hands.key(e)
    f()
    e.preventDefault()
  }

  dispose(): void {
    this.stop.abort()
  }
}
