import { makeLayout } from './body'
import type { Layout } from './body'
import { aim, Rig } from './camera'
import type { Margins, Pose } from './camera'
import { looks } from './colours'
import type { Look } from './colours'
import { boxOf, cornersOf, diagonal, enlarged, grown } from './extent'
import type { Box } from './extent'
import { Flat } from './flat'
import { makeGlb } from './glb'
import { Input } from './input'
import { drawOverlay, barSize } from './overlay'
import type { Bar } from './overlay'
import { glyphs, labels } from './glyphs'
import { orbitAt, orbitPath } from './orbit'
import { nearest, nextNode, nodesWithin, project } from './pick'
import { Picture } from './picture'
import { Player } from './player'
import type { BrushHow, ColourOptions, FilmArrays, ModelArrays, Names, OrbitArrays, Preset, SolidsArrays, Theme, Tone, Vec3, ViewerOptions } from './types'
import type { Quality } from './stage'
import { zip } from './zip'

const SETTLE = 160 // ms after the last movement until the picture is drawn with care
const SAMPLES = 12 // moments of a motion that the camera takes in
const TRAIL = 192
const REACH = 14 // pixels around a node that pick it, unless told
const KEYS = 'Arrow keys turn, with Shift they move, with Control they go from node to node, with Shift as well they choose all between; plus and minus zoom; 0 shows all; 1, 2, 3, 4 look along x, y, z and from the side; 5 changes between parallel and perspective; Space plays.'

interface Colour {
  values: Float32Array
  perFace: boolean
  lo: number
  hi: number
  limit: number
  bar: Bar
}

const element = <K extends keyof HTMLElementTagNameMap>(name: K, style: Partial<CSSStyleDeclaration>): HTMLElementTagNameMap[K] => {
  const e = document.createElement(name)
  Object.assign(e.style, style)
  return e
}

/** A model in three dimensions that can be turned, played, coloured and picked from. */
export class Viewer {
  private static readonly all = new Set<Viewer>()
  private static perspective = false
  /** When its key is pressed. */
  static onPerspective = (on: boolean): void => Viewer.setPerspective(on)
  readonly box: HTMLDivElement
  readonly player = new Player()
  private readonly over: HTMLCanvasElement
  private picture: Picture | null = null
  private flat: Flat | null = null
  private readonly rig = new Rig()
  private readonly input: Input
  private layout: Layout | null = null
  private x = new Float32Array(0)
  private shown: Float32Array = new Float32Array(0) // the same, displacements enlarged
  private ghost: Float32Array | null = null
  private ghostOrbit: OrbitArrays | null = null
  private seen = new Float32Array(0)
  private colour: Colour | null = null
  private states: Float32Array[] = [] // that the camera takes in
  private moments: Float32Array[] = [] // the same, enlarged
  private earlier: Float32Array[] = [] // drawn faintly with the present one
  private extent: Box = { lo: [0, 0, 0], hi: [1, 1, 1] }
  private home: Pose | null = null
  private trailed: number[] = []
  private lines: Float32Array[] = []
  private arrived: Float32Array[] = []
  private onion = 0
  private names: Names = 'watched'
  private hovered: number | null = null
  private last: number | null = null // node that was picked
  private corner: number | null = null // where a box of keys has come to
  private exaggeration = 1
  private note = ''
  private overlays = { supports: true, drives: true, loads: true }
  private brushPath: number[] | null = null
  private seenOnly = false
  private ground: boolean
  private wire: boolean
  private theme: Theme
  private raf = 0
  private timer = 0
  private lively = 0
  private seenAt = true
  private overlayOld = true
  private overlayKey = ''
  private disposed = false
  private readonly stop = new AbortController()
  private readonly watchers: (ResizeObserver | IntersectionObserver)[] = []

  constructor(parent: HTMLElement, private readonly options: ViewerOptions = {}) {
    Viewer.all.add(this)
    this.rig.perspective = Viewer.perspective
    this.theme = options.theme ?? 'auto'
    this.wire = options.wire ?? true
    this.ground = options.ground ?? true
    this.box = element('div', { position: 'relative', width: '100%', height: '100%', overflow: 'hidden', outline: 'none', userSelect: 'none' })
    this.box.tabIndex = 0
    this.box.setAttribute('role', 'application')
    this.box.setAttribute('aria-label', `${options.label ?? '3-D view'}. ${KEYS}`)
    const layer: Partial<CSSStyleDeclaration> = { position: 'absolute', inset: '0', width: '100%', height: '100%', display: 'block' }
    const canvas = element('canvas', layer)
    this.over = element('canvas', { ...layer, pointerEvents: 'none' })
    this.box.append(canvas, this.over)
    parent.append(this.box)
    this.begin(canvas)
    this.input = new Input(this.box, this.hands(), (options.wheel ?? 'always') === 'always')
    this.watch()
  }

  // WebGL, or what is possible without
  private begin(canvas: HTMLCanvasElement): void {
    try {
      this.picture = new Picture(canvas)
      canvas.addEventListener('webglcontextlost', (e) => {
        e.preventDefault()
        if (!this.disposed) this.fallBack('The graphics of this browser have stopped')
      }, { signal: this.stop.signal })
    } catch {
      this.fallBack('This browser gives no WebGL')
    }
  }

  private fallBack(why: string): void {
    const old = this.box.firstElementChild as HTMLCanvasElement
    const canvas = old.cloneNode() as HTMLCanvasElement
    old.replaceWith(canvas)
    this.picture = null
    this.flat = new Flat(canvas)
    const font = '13px/1.45 system-ui, sans-serif'
    const says = element('p', { position: 'absolute', left: '14px', top: '34px', margin: '0', font, maxWidth: '34em' })
    says.setAttribute('role', 'status')
    says.textContent = `${why}, so the model is drawn by plain means: without shadow, and slowly where it is large. ` +
      'Other browsers, or hardware acceleration switched on in this one, show it in full.'
    says.style.color = this.look.mute
    this.box.append(says)
    this.ask()
  }

  private watch(): void {
    const { signal } = this.stop
    const resize = new ResizeObserver(() => this.resized())
    const visible = new IntersectionObserver((list) => {
      this.seenAt = list[list.length - 1]!.isIntersecting
      if (this.seenAt) this.ask()
      else this.player.pause()
    })
    resize.observe(this.box)
    visible.observe(this.box)
    this.watchers.push(resize, visible)
    for (const query of ['(prefers-color-scheme: dark)', '(resolution: 1dppx)'])
      matchMedia(query).addEventListener('change', () => this.setTheme(this.theme), { signal })
    document.addEventListener('visibilitychange', () => (document.hidden ? this.player.pause() : this.ask()), { signal })
    // fingers scroll the page up and down until the view has the focus, where it shares a page
    const shared = this.options.wheel === 'focused'
    this.box.style.touchAction = shared ? 'pan-y' : 'none'
    for (const name of ['focus', 'blur'])
      this.box.addEventListener(name, () => {
        if (shared) this.box.style.touchAction = name === 'focus' ? 'none' : 'pan-y'
        this.ask()
      }, { signal })
    this.resized()
    this.setTheme(this.theme)
  }

  private hands(): ConstructorParameters<typeof Input>[1] {
    const moved = <A extends unknown[]>(f: (...a: A) => void) => (...a: A): void => {
      f(...a)
      this.ask(true)
    }
    return {
      turn: moved((dx, dy) => this.rig.turn(dx, dy)),
      pan: moved((dx, dy) => this.rig.pan(dx, dy)),
      zoom: moved((f, x, y) => this.rig.zoom(f, x, y)),
      click: (x, y) => this.picked(this.nodeAt(x, y)),
      walk: (dx, dy, far) => this.walk(dx, dy, far),
      hover: (x, y) => this.hover(x, y),
      brushing: (p) => {
        this.brushPath = p
        this.ask()
      },
      brushed: (p, how) => this.brushed(p, how),
      preset: (p) => this.preset(p),
      toggle: () => (this.player.playing ? this.pause() : this.play()),
      step: (by) => this.step(by),
      perspective: () => Viewer.onPerspective(!this.rig.perspective),
      key: (e) => this.options.onKey?.(e),
    }
  }

  private get reduced(): boolean {
    return matchMedia('(prefers-reduced-motion: reduce)').matches
  }

  private get look(): Look {
    const dark = this.theme === 'dark' || (this.theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
    return looks[dark ? 'dark' : 'light']
  }

  // ---- what is shown ------------------------------------------------------------------------------

  setModel(m: ModelArrays): void {
    const layout = makeLayout(m, this.options.crease ?? 40)
    this.layout = layout
    this.x = m.x.slice()
    this.shown = this.x
    this.earlier = []
    this.seen = new Float32Array(m.x.length)
    this.player.set(null, false)
    this.ghost = this.ghostOrbit = this.colour = this.hovered = null
    this.trailed = []
    this.lines = []
    this.onion = 0
    this.exaggeration = 1
    this.picture?.setModel(layout)
    this.picture?.highlight(Int32Array.from((m.watched ?? []).map((w) => w.node)), 'watch')
    const corners = this.corners()
    this.takeIn(corners ? [m.x, corners] : [m.x])
    this.aimHome()
    this.ask()
  }

  setPositions(x: Float32Array): void {
    this.x.set(x)
    const box = grown(this.extent, this.large(x))
    if (box) this.takeIn([...this.states, x.slice()])
    this.moved()
    this.ask()
  }

  /** A second state, in orange; null: none. */
  setGhost(x: Float32Array | null): void {
    this.ghostOrbit = null
    this.ghost = x ? x.slice() : null
    this.picture?.setGhost(x ? this.large(x) : null)
    this.ask()
  }

  /** The model as it was at rest, in orange. */
  showRest(on: boolean): void {
    this.setGhost(on ? (this.layout?.model.x ?? null) : null)
  }

  /** A second motion that goes along with the first. */
  setGhostOrbit(o: OrbitArrays | null): void {
    this.ghostOrbit = o
    if (!o) this.ghost = null
    else if (this.ghost?.length !== this.x.length) this.ghost = new Float32Array(this.x.length)
    if (!o) this.picture?.setGhost(null)
    this.ghostMoved()
    this.ask(true)
  }

  /** Takes the colour from the second state: it is not to be trusted. */
  fadeGhost(on: boolean): void {
    this.picture?.fadeGhost(on)
    this.ask()
  }

  playOrbit(coefficients: Float32Array, H: number, omega: number, options: { keep?: boolean } = {}): void {
    const source = { kind: 'orbit', coefficients, harmonics: H, omega } as const
    const { phase, playing } = this.player
    const going = options.keep && this.player.source?.kind === 'orbit'
    this.player.set(source, going ? playing : this.starts())
    if (going) this.player.phase = phase
    this.newMotion(!going)
  }

  playFilm(f: FilmArrays, options: { keep?: boolean } = {}): void {
    this.player.set({ kind: 'film', ...f }, this.starts())
    this.newMotion(!options.keep)
  }

  private starts(): boolean {
    return (this.options.autoplay ?? true) && !this.reduced
  }

  // another motion of the same model; the camera moves where it would not be seen
  private newMotion(fit: boolean): void {
    const n = SAMPLES
    const sets: Float32Array[] = []
    for (let k = 0; k < n; k++) {
      const x = new Float32Array(this.x.length)
      if (this.player.at(this.player.source?.kind === 'film' ? k / (n - 1) : k / n, x)) sets.push(x)
    }
    const fresh = this.atHome
    this.takeIn(sets)
    if (fit && fresh) this.aimHome()
    this.moved()
    this.retrace()
    this.skins()
    this.tell()
    this.ask()
  }

  /** A state of a running job. */
  live(x: Float32Array, t: number): void {
    if (this.player.source?.kind !== 'live') {
      this.player.set({ kind: 'live', time: t }, false)
      this.arrived = []
    }
    Object.assign(this.player.source!, { time: t })
    this.x.set(x)
    this.follow()
    if (this.trailed.length > 0) {
      this.arrived.push(x.slice())
      if (this.arrived.length > 600) this.arrived = this.arrived.filter((_, k) => k % 2 === 0)
      this.retrace()
    }
    this.moved()
    this.tell()
    this.ask(true)
  }

  // what leaves the picture while a job runs is taken in
  private follow(): void {
    const box = grown(this.extent, this.large(this.x))
    if (!box) return
    const { atHome } = this
    this.takeIn([...this.states.slice(0, 1), cornersOf(box)])
    if (!atHome) return
    this.home = this.rig.fitted(this.moments, this.room)
    this.rig.go(this.home, false)
  }

  /** Bodies of a few shapes, beside the model; the same ones elsewhere move without a turn of the camera. */
  setSolids(s: SolidsArrays | null): void {
    const had = this.picture?.solids !== null
    this.picture?.setSolids(s)
    const corners = this.corners()
    if (corners && !had) {
      this.takeIn([...this.states, corners])
      this.aimHome()
    }
    this.ask()
  }

  private corners(): Float32Array | null {
    const solids = this.picture?.solids
    return solids ? cornersOf(solids) : null
  }

  /** Earlier states [n][nvert][3], drawn faintly with the present one. */
  setMoments(x: Float32Array | null): void {
    this.onion = 0
    const n = this.x.length
    this.earlier = Array.from({ length: x && n ? x.length / n : 0 }, (_, k) => x!.slice(k * n, (k + 1) * n))
    this.skins()
    if (this.earlier.length > 0) this.takeIn([...this.earlier, this.x.slice()])
    this.ask()
  }

  setColour(values: Float32Array | null, lo = 0, hi = 1, label = '', options: ColourOptions = {}): void {
    const map = options.map ?? (options.limit ? 'light' : 'viridis')
    const atHome = this.atHome
    const perFace = options.perFace ?? false
    this.colour = values ? { values, perFace, lo, hi, limit: options.limit ?? 0, bar: { lo, hi, label, map, limit: !!options.limit } } : null
    this.picture?.setColour(values, lo, hi, map, perFace, options.limit ?? 0)
    // the bar needs room
    if (atHome) this.aimHome()
    this.overlayOld = true
    this.ask()
  }

  highlight(nodes: ArrayLike<number>, tone: Tone = 'select'): void {
    this.picture?.highlight(Int32Array.from(nodes), tone)
    this.ask()
  }

  setOverlays(o: Partial<{ supports: boolean; drives: boolean; loads: boolean }>): void {
    Object.assign(this.overlays, o)
    this.picture?.showMarks('support', this.overlays.supports)
    this.overlayOld = true
    this.ask()
  }

  setNames(n: Names): void {
    this.names = n
    this.overlayOld = true
    this.ask()
  }

  setWire(on: boolean): void {
    this.wire = on
    this.ask()
  }

  setGround(on: boolean): void {
    this.ground = on
    this.ask()
  }

  /** Displacements are shown so many times as large, and the picture says so. */
  setExaggeration(factor: number): void {
    if (factor === this.exaggeration) return
    const { atHome } = this
    this.exaggeration = factor
    this.takeIn(this.states)
    if (atHome) this.aimHome()
    this.moved()
    if (this.ghost && !this.ghostOrbit) this.picture?.setGhost(this.large(this.ghost))
    this.retrace()
    this.skins()
    this.overlayOld = true
    this.ask()
  }

  private large(x: Float32Array): Float32Array {
    return this.exaggeration === 1 || !this.layout ? x : enlarged(this.layout.model.x, x, this.exaggeration)
  }

  /** A line at the top left. */
  setNote(text: string): void {
    this.note = text
    this.overlayOld = true
    this.ask()
  }

  setTheme(t: Theme): void {
    this.theme = t
    this.box.style.background = this.look.back
    this.picture?.setLook(this.look)
    this.overlayOld = true
    this.ask()
  }

  // ---- motion -------------------------------------------------------------------------------------

  play(): void {
    if (this.player.duration <= 0) return
    if (this.player.phase >= 1) this.player.scrub(0)
    this.player.playing = true
    this.tell()
    this.ask(true)
  }

  pause(): void {
    this.player.playing = false
    this.player.pause()
    this.tell()
    this.ask()
  }

  setSpeed(s: number): void {
    this.player.speed = s
    this.tell()
  }

  setPhase(phase: number): void {
    this.player.scrub(phase)
    this.moved()
    this.tell()
    this.ask(true)
  }

  private step(by: number): void {
    this.player.playing = false
    this.setPhase(this.player.phase + by / 48)
  }

  private tell(): void {
    this.options.onTime?.({ phase: this.player.phase, time: this.player.time, playing: this.player.playing })
  }

  /** Paths of these nodes. */
  setTrails(nodes: number[]): void {
    this.trailed = [...nodes]
    this.arrived = []
    this.retrace()
    this.ask()
  }

  private retrace(): void {
    const s = this.player.source
    const paths = this.trailed.map((v) => {
      if (s?.kind === 'orbit') return orbitPath(s.coefficients, s.harmonics, v, TRAIL)
      const frames = s?.kind === 'film' ? s.time.length : this.arrived.length
      const path = new Float32Array(3 * frames)
      for (let k = 0; k < frames; k++) {
        const from = s?.kind === 'film' ? s.x.subarray(k * this.x.length) : this.arrived[k]!
        path.set(from.subarray(3 * v, 3 * v + 3), 3 * k)
      }
      return path
    })
    const rest = this.layout?.model.x
    if (rest && this.exaggeration !== 1)
      paths.forEach((path, k) => path.forEach((v, i) => {
        const from = rest[3 * this.trailed[k]! + (i % 3)]!
        path[i] = from + this.exaggeration * (v - from)
      }))
    this.picture?.setTrails([...this.lines, ...paths])
  }

  /** Lines [n][3] that stay where they are. */
  setLines(lines: Float32Array[]): void {
    this.lines = lines
    this.retrace()
    this.ask()
  }

  /** So many moments of the motion, faintly. */
  setOnion(n: number): void {
    this.onion = n
    this.skins()
    this.ask()
  }

  private skins(): void {
    const sets = this.earlier.map((x) => this.large(x))
    const film = this.player.source?.kind === 'film'
    for (let k = 0; k < this.onion; k++) {
      const x = new Float32Array(this.x.length)
      if (this.player.at(film ? k / Math.max(this.onion - 1, 1) : k / this.onion, x)) sets.push(this.large(x))
    }
    this.picture?.setSkins(sets)
  }

  // positions now, of all that moves
  private moved(): void {
    if (this.player.source && this.player.source.kind !== 'live') this.player.at(this.player.phase, this.x)
    const room = this.shown === this.x ? undefined : this.shown
    this.shown = this.exaggeration === 1 || !this.layout ? this.x : enlarged(this.layout.model.x, this.x, this.exaggeration, room)
    this.ghostMoved()
    this.picture?.setTime(this.player.time)
    const body = this.picture?.body
    if (body) {
      body.x.set(this.shown)
      body.moved()
    }
    const s = this.player.source
    if (s?.kind === 'film' && s.face && this.colour?.perFace) {
      const n = this.layout!.surface.ntri
      const k = Math.min(Math.round(this.player.frame()), s.time.length - 1)
      this.colour.values = s.face.subarray(k * n, (k + 1) * n)
      this.picture?.recolour(this.colour.values, true)
    }
    if (this.follows()) this.overlayOld = true
  }

  private ghostMoved(): void {
    if (!this.ghostOrbit || !this.ghost) return
    orbitAt(this.ghostOrbit.coefficients, this.ghostOrbit.harmonics, 2 * Math.PI * this.player.phase, this.ghost)
    this.picture?.setGhost(this.large(this.ghost))
  }

  // is something of the overlay tied to nodes?
  private follows(): boolean {
    const m = this.layout?.model
    return this.hovered !== null || (this.names !== 'none' && (this.names === 'all' || !!m?.watched?.length)) ||
      (this.overlays.drives && !!m?.drives?.length) || (this.overlays.loads && !!m?.loads?.length)
  }

  // ---- camera -------------------------------------------------------------------------------------

  private takeIn(states: Float32Array[]): void {
    this.states = states
    this.moments = states.map((x) => this.large(x))
    const box = boxOf(this.moments)
    if (!box) return
    this.extent = box
    // the ground is larger than what stands on it
    this.rig.around([0, 1, 2].map((k) => (box.lo[k]! + box.hi[k]!) / 2) as Vec3, 2.4 * diagonal(box))
    this.picture?.place(box.lo, box.hi, this.rig.up)
  }

  private get flatModel(): boolean {
    const m = this.layout?.model
    return m?.dim === 2 || (!!m && !(this.extent.hi[2] - this.extent.lo[2] > 1e-6 * diagonal(this.extent)) && !m.gravity?.[2])
  }

  private aimHome(): void {
    const g = this.layout?.model.gravity
    const up = this.layout?.model.dim === 2 || (g && Math.abs(g[1]!) > Math.abs(g[2]!)) ? 'y' : 'z'
    this.rig.setUp(up)
    const { az, el } = aim(this.extent.lo, this.extent.hi, this.flatModel, up)
    this.picture?.place(this.extent.lo, this.extent.hi, this.rig.up)
    this.home = this.rig.fitted(this.moments, this.room, { ...this.rig.pose, az, el })
    this.rig.go(this.home, false)
  }

  private get room(): Margins {
    const h = this.rig.height
    return { left: 24, right: 24 + barSize(this.colour?.bar ?? null, this.rig.width), top: h > 300 ? 58 : 50, bottom: h > 300 ? 64 : 40 }
  }

  // nobody has turned it
  private get atHome(): boolean {
    const [p, q] = [this.home, this.rig.pose]
    return p !== null && p.az === q.az && p.el === q.el && p.half === q.half && p.target.every((t, k) => t === q.target[k])
  }

  /** Looks along an axis, from the side, or at all of the model. */
  preset(p: Preset): void {
    const side: Record<Preset, { az: number; el: number }> = {
      home: aim(this.extent.lo, this.extent.hi, this.flatModel, this.rig.up[1] === 1 ? 'y' : 'z'),
      iso: { az: (-58 * Math.PI) / 180, el: (27 * Math.PI) / 180 },
      x: this.along(0), y: this.along(1), z: this.along(2),
      fit: { az: this.rig.pose.az, el: this.rig.pose.el },
    }
    const pose = this.rig.fitted([...this.moments, this.shown], this.room, { ...this.rig.pose, ...side[p] })
    if (p === 'home') this.home = pose
    this.rig.go(pose, !this.reduced)
    this.ask(true)
  }

  // so that the other axes point to the right and upwards where they can
  private along(axis: number): { az: number; el: number } {
    const table = this.rig.up[2] === 1
      ? [[0, 0], [-Math.PI / 2, 0], [-Math.PI / 2, Math.PI / 2]]
      : [[Math.PI / 2, 0], [0, Math.PI / 2], [0, 0]]
    return { az: table[axis]![0]!, el: table[axis]![1]! }
  }

  /** With an eye or parallel, in all views of a page. */
  static setPerspective(on: boolean): void {
    Viewer.perspective = on
    for (const v of Viewer.all) v.lookBy(on)
  }

  private lookBy(on: boolean): void {
    const { atHome } = this
    this.rig.perspective = on
    if (atHome && this.layout) this.aimHome()
    this.ask()
  }

  get pose(): Pose {
    return { ...this.rig.pose, target: [...this.rig.pose.target] }
  }

  setPose(p: Pose, smooth = false): void {
    this.rig.go(p, smooth && !this.reduced)
    this.ask(true)
  }

  // ---- nodes --------------------------------------------------------------------------------------

  /** The visible node nearest to a pixel of the box. */
  nodeAt(px: number, py: number): number | null {
    if (!this.layout) return null
    project(this.rig.projection(), this.shown, this.seen)
    return nearest(this.seen, this.layout.model.triangles ?? new Int32Array(0), px, py, this.options.reach ?? REACH)
  }

  private picked(v: number | null): void {
    this.last = v
    this.corner = null
    this.options.onPick?.(v)
  }

  // from the node that was picked last, or to the one in the middle; far: all in the box between both
  private walk(dx: number, dy: number, far: boolean): void {
    if (!this.layout || !this.options.onPick) return
    const tri = this.layout.model.triangles ?? new Int32Array(0)
    const last = far ? (this.corner ?? this.last) : this.last
    project(this.rig.projection(), this.shown, this.seen)
    const there = last !== null && 3 * last < this.seen.length
    const v = there ? nextNode(this.seen, tri, last, dx, dy) : nearest(this.seen, tri, this.rig.width / 2, this.rig.height / 2, Infinity)
    if (v === null) return
    this.hovered = v
    this.overlayOld = true
    if (far && there) this.boxTo(v)
    else this.picked(v)
    this.ask()
  }

  private boxTo(v: number): void {
    this.corner = v
    const at = [this.last!, v].map((n) => [this.seen[3 * n]!, this.seen[3 * n + 1]!] as const)
    const room = 3
    const [x0, x1] = [Math.min(at[0]![0], at[1]![0]) - room, Math.max(at[0]![0], at[1]![0]) + room]
    const [y0, y1] = [Math.min(at[0]![1], at[1]![1]) - room, Math.max(at[0]![1], at[1]![1]) + room]
    this.brushed([x0, y0, x1, y0, x1, y1, x0, y1], 'set')
  }

  /** Dragging draws a region instead of turning; null: it turns. It takes nodes through the model, or those seen alone. */
  setBrush(mode: 'box' | 'lasso' | null, seenOnly = false): void {
    this.input.brush = mode
    this.seenOnly = seenOnly
    this.box.style.cursor = mode ? 'crosshair' : ''
  }

  private brushed(polygon: number[], how: BrushHow): void {
    if (!this.layout) return
    project(this.rig.projection(), this.shown, this.seen)
    this.options.onBrush?.(nodesWithin(this.seen, polygon, this.seenOnly ? (this.layout.model.triangles ?? null) : null), how)
  }

  private hover(x: number, y: number): void {
    if (!this.options.onPick && this.names === 'none') return
    const v = x < 0 || this.player.playing ? null : this.nodeAt(x, y)
    if (v === this.hovered) return
    this.hovered = v
    this.box.style.cursor = this.input.brush ? 'crosshair' : v !== null && this.options.onPick ? 'pointer' : ''
    this.overlayOld = true
    this.ask()
  }

  // ---- drawing ------------------------------------------------------------------------------------

  private resized(): void {
    const { clientWidth: w, clientHeight: h } = this.box
    if (!w || !h) return
    const { atHome } = this
    this.rig.width = w
    this.rig.height = h
    if (atHome) this.aimHome()
    this.overlayOld = true
    this.ask()
  }

  // a frame as soon as the browser likes; none while nobody sees it
  private ask(moving = false): void {
    if (moving) this.lively = performance.now() + SETTLE
    if (this.raf || this.disposed || !this.seenAt) return
    this.raf = requestAnimationFrame((now) => this.frame(now))
  }

  private frame(now: number): void {
    this.raf = 0
    if (this.disposed) return
    const turning = this.rig.tick(now)
    const { playing } = this.player
    if (playing) {
      this.player.tick(now)
      this.moved()
      this.tell()
    }
    const moving = turning || playing || performance.now() < this.lively
    this.picture?.stage.pace(now, moving)
    this.draw(this.picture?.stage.quality(moving) ?? null)
    if (turning || playing) this.ask()
    else if (moving) {
      clearTimeout(this.timer)
      this.timer = window.setTimeout(() => this.ask(), SETTLE)
    }
  }

  private draw(q: Quality | null): void {
    const { rig, layout } = this
    if (layout && this.picture && q) {
      const ground = this.ground && !this.flatModel && rig.pose.el > 0.02
      this.picture.body?.showWire(this.wire && layout.edges.length / 2 <= q.wires, rig.perPixel)
      this.picture.draw(rig.apply(), q, rig, ground)
    } else if (layout && this.flat) {
      const colour = this.colour && { ...this.colour, map: this.colour.bar.map }
      const ghost = this.ghost && this.large(this.ghost)
      this.flat.draw(layout, this.shown, ghost, rig.projection(), this.look, colour, Math.min(devicePixelRatio || 1, 2))
    }
    const key = JSON.stringify([rig.pose, rig.perspective, rig.width, rig.height, this.brushPath?.length, document.activeElement === this.box])
    if (!this.overlayOld && key === this.overlayKey) return
    this.overlayKey = key
    this.overlayOld = false
    this.annotate(this.over, Math.min(devicePixelRatio || 1, 2))
  }

  private annotate(canvas: HTMLCanvasElement, ratio: number, forPaper = false): void {
    const { rig, layout } = this
    const c = canvas.getContext('2d')
    if (!c) return
    const [w, h] = [Math.round(rig.width * ratio), Math.round(rig.height * ratio)]
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h })
    c.setTransform(ratio, 0, 0, ratio, 0, 0)
    if (!layout) return c.clearRect(0, 0, rig.width, rig.height)
    const p = rig.projection()
    const notes = [this.note, this.exaggeration !== 1 ? `displacements drawn ${Number(this.exaggeration.toPrecision(3))} times as large` : '']
    drawOverlay(c, {
      width: rig.width, height: rig.height, look: this.look,
      axes: rig.basis(), flat: this.flatModel && Math.abs(rig.basis()[2][2]) > 0.999, perPixel: rig.perPixel, perspective: rig.perspective,
      unit: layout.model.length, bar: this.colour?.bar ?? null,
      arrows: glyphs(layout.model, this.shown, p, this.look, this.overlays),
      names: labels(layout.model, this.shown, p, this.names, this.hovered),
      notes: notes.filter((n) => n), brush: forPaper ? null : this.brushPath,
      focus: !forPaper && this.box.matches(':focus-visible'),
    })
  }

  // ---- files --------------------------------------------------------------------------------------

  private still(scale: number): HTMLCanvasElement {
    const out = document.createElement('canvas')
    this.draw({ ratio: scale, samples: 4, shadows: true, wires: Infinity, thick: Infinity })
    this.annotate(out, scale, true)
    const c = out.getContext('2d')!
    c.setTransform(1, 0, 0, 1, 0, 0)
    c.globalCompositeOperation = 'destination-over'
    c.drawImage(this.box.firstElementChild as HTMLCanvasElement, 0, 0, out.width, out.height)
    return out
  }

  /** The picture, `scale` device pixels a pixel. */
  async png(scale = 2): Promise<Blob> {
    const canvas = this.still(scale)
    this.ask()
    return new Promise((done, failed) => canvas.toBlob((b) => (b ? done(b) : failed(new Error('no picture could be made'))), 'image/png'))
  }

  /** A ZIP of n pictures of one period or of the whole film, frame-0000.png and on. */
  async frames(n: number, scale = 1, progress?: (done: number) => void): Promise<Blob> {
    const { phase, playing } = this.player
    const open = this.player.source?.kind === 'film' && !this.player.source.closed
    this.player.playing = false
    const files: { name: string; data: Uint8Array }[] = []
    try {
      for (let k = 0; k < n; k++) {
        this.player.scrub(open ? k / Math.max(n - 1, 1) : k / n)
        this.moved()
        const data = new Uint8Array(await (await this.png(scale)).arrayBuffer())
        files.push({ name: `frame-${String(k).padStart(4, '0')}.png`, data })
        progress?.((k + 1) / n)
      }
    } finally {
      this.player.phase = phase
      this.player.playing = playing
      this.moved()
      this.ask()
    }
    return new Blob([zip(files)], { type: 'application/zip' })
  }

  /** The model as it is seen, and its periodic motion, for viewers of glTF. */
  glb(): Blob {
    if (!this.layout) throw new Error('there is no model')
    const s = this.player.source
    const bytes = makeGlb({
      x: this.shown, rest: this.layout.model.x, factor: this.exaggeration, triangles: this.layout.model.triangles ?? new Int32Array(0), segments: this.layout.segments,
      colour: this.colour && !this.colour.perFace ? { ...this.colour, map: this.colour.bar.map } : null,
      orbit: s?.kind === 'orbit' ? s : null,
    })
    return new Blob([bytes], { type: 'model/gltf-binary' })
  }

  /** What drawing takes: for those who measure. */
  get statistics(): { rate: number; level: number; software: boolean } {
    const stage = this.picture?.stage
    return { rate: stage?.rate ?? 0, level: stage?.level ?? 0, software: stage?.software ?? true }
  }

  dispose(): void {
    this.disposed = true
    Viewer.all.delete(this)
    cancelAnimationFrame(this.raf)
    clearTimeout(this.timer)
    this.stop.abort()
    for (const w of this.watchers) w.disconnect()
    this.input.dispose()
    this.picture?.dispose()
    this.box.remove()
  }
}
