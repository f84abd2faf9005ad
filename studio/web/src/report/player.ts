// Motions of a report: each picture becomes a view that is turned and played, while it is on the screen.
import style from './player.css'
import { unpack } from './unpack'
import type { MeshText, MotionText } from './unpack'
import { number } from '../viewer/numbers'
import { Viewer } from '../viewer/viewer'
import type { Preset } from '../viewer/types'

const LIVE = 3 // views at a time: browsers give few of them what they draw with
const LEAVE = 1500 // ms out of sight

const make = <K extends keyof HTMLElementTagNameMap>(name: K, parent: Element, attributes: Record<string, string> = {}, text = ''): HTMLElementTagNameMap[K] => {
  const e = document.createElement(name)
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v)
  e.textContent = text
  parent.append(e)
  return e
}

// drawn, as fonts lack such signs
const icons = {
  play: 'M4 2.5v11l9.5-5.5z',
  pause: 'M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z',
  full: 'M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z',
  home: 'M8 1.8 15 8h-2v6H9.6v-4H6.4v4H3V8H1z',
}

function draw(button: HTMLElement, name: keyof typeof icons): void {
  button.innerHTML = `<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="${icons[name]}" fill="currentColor"/></svg>`
}

function json<T>(e: Element | null): T {
  return JSON.parse(e?.textContent ?? 'null') as T
}

const live: Film[] = []

class Film {
  private readonly place: HTMLDivElement
  private readonly bar: HTMLDivElement
  private readonly motion: MotionText
  private viewer: Viewer | null = null
  private box: HTMLDivElement | null = null
  private timer = 0
  private starting = false
  private readonly button: HTMLButtonElement
  private readonly slider: HTMLInputElement
  private readonly says: HTMLOutputElement
  private readonly speed: HTMLSelectElement

  constructor(private readonly figure: HTMLElement, svg: SVGElement, script: Element) {
    this.motion = json<MotionText>(script)
    this.place = document.createElement('div')
    svg.replaceWith(this.place)
    this.place.append(svg)
    this.bar = document.createElement('div')
    this.bar.className = 'pl-bar'
    this.bar.setAttribute('role', 'group')
    this.bar.setAttribute('aria-label', `Motion ${this.motion.title ?? ''}`.trim())
    this.place.after(this.bar)
    this.button = make('button', this.bar, { type: 'button' })
    this.slider = make('input', this.bar, { type: 'range', min: '0', max: '1', step: '0.001', value: '0', 'aria-label': 'Time' })
    this.says = make('output', this.bar)
    this.speed = make('select', this.bar, { 'aria-label': 'Speed' })
    for (const s of ['0.1', '0.25', '0.5', '1', '2']) make('option', this.speed, { value: s }, `${s}×`)
    this.speed.value = '1'
    this.furnish()
    this.height(svg)
    this.show({ phase: 0, playing: false })
    new IntersectionObserver((list) => this.seen(list[list.length - 1]!.intersectionRatio), { threshold: [0, 0.3] }).observe(this.place)
  }

  private furnish(): void {
    const { bar } = this
    this.button.onclick = () => void this.toggle()
    this.slider.oninput = () => {
      const phase = Number(this.slider.value)
      void this.with((v) => {
        v.pause()
        v.setPhase(phase)
      })
    }
    this.speed.onchange = () => void this.with((v) => v.setSpeed(Number(this.speed.value)))
    const views = make('span', bar, { class: 'pl-views', role: 'group', 'aria-label': 'Look' })
    const looks: [Preset, string][] = [['home', 'at all of it'], ['x', 'along x'], ['y', 'along y'], ['z', 'along z']]
    for (const [preset, label] of looks) {
      const b = make('button', views, { type: 'button', title: `Look ${label}`, 'aria-label': `Look ${label}` }, preset)
      if (preset === 'home') draw(b, 'home')
      b.onclick = () => void this.with((v) => v.preset(preset))
    }
    make('button', bar, { type: 'button', title: 'Save the picture', 'aria-label': 'Save the picture as PNG' }, 'PNG').onclick = () => void this.with((v) => this.save(v))
    if (!document.fullscreenEnabled) return
    const full = make('button', bar, { type: 'button', title: 'The whole screen', 'aria-label': 'The whole screen' })
    draw(full, 'full')
    full.onclick = () => void (document.fullscreenElement ? document.exitFullscreen() : this.figure.requestFullscreen())
    this.figure.addEventListener('fullscreenchange', () => this.figure.classList.toggle('pl-full', document.fullscreenElement === this.figure))
  }

  // low pictures get room to be turned in
  private height(svg: SVGElement): void {
    const fit = (): void => {
      const { height } = svg.getBoundingClientRect()
      const width = this.place.clientWidth
      if (width > 0) this.place.style.height = `${Math.max(height, Math.min(0.62 * width, 420))}px`
    }
    this.place.style.position = 'relative'
    fit()
    addEventListener('resize', () => {
      this.place.style.height = ''
      fit()
    })
  }

  // begins when a good part of it is seen, ends some time after it has left
  private seen(part: number): void {
    clearTimeout(this.timer)
    if (part >= 0.3) void this.start()
    else if (part === 0) this.timer = window.setTimeout(() => this.end(), LEAVE)
  }

  private async start(): Promise<void> {
    if (this.viewer || this.starting) return
    this.starting = true
    const m = await unpack(json<MeshText>(document.getElementById(this.motion.mesh)), this.motion)
    this.starting = false
    while (live.length >= LIVE) live[0]!.end()
    live.push(this)
    this.place.classList.add('pl-play')
    this.box = make('div', this.place, { class: 'pl-live' })
    const v = new Viewer(this.box, { label: this.motion.title || 'Motion', wheel: 'focused', onTime: (at) => this.show(at) })
    this.viewer = v
    v.setModel(m.model)
    v.highlight(m.marks, 'watch')
    if (m.values) v.setColour(m.values.first, m.values.lo, m.values.hi, m.values.label, { perFace: true, limit: m.values.limit })
    v.setSpeed(Number(this.speed.value))
    if (m.orbit) v.playOrbit(m.orbit.coefficients, m.orbit.harmonics, m.orbit.omega)
    if (m.film) v.playFilm(m.film)
    const { slower } = v.player
    if (slower > 1.5) v.setNote(`shown ${number(slower, 2)} times slower`)
    if (slower < 0.67) v.setNote(`shown ${number(1 / slower, 2)} times faster`)
  }

  private end(): void {
    const at = live.indexOf(this)
    if (at >= 0) live.splice(at, 1)
    this.viewer?.dispose()
    this.viewer = null
    this.box?.remove()
    this.place.classList.remove('pl-play')
    this.show({ phase: 0, playing: false })
  }

  private async with(f: (v: Viewer) => void): Promise<void> {
    await this.start()
    if (this.viewer) f(this.viewer)
  }

  private async toggle(): Promise<void> {
    const began = this.viewer === null
    await this.with((v) => {
      if (v.player.playing && !began) v.pause()
      else v.play()
    })
  }

  private save(v: Viewer): void {
    void v.png(2).then((blob) => {
      const a = document.createElement('a')
      a.href = URL.createObjectURL(blob)
      a.download = `${(this.motion.title || 'motion').replace(/[^\w-]+/g, '-')}.png`
      a.click()
      setTimeout(() => URL.revokeObjectURL(a.href), 10000)
    })
  }

  private show(at: { phase: number; playing: boolean }): void {
    const { time, omega } = this.motion
    const [from, length] = time ? [time[0]!, time[time.length - 1]! - time[0]!] : [0, (2 * Math.PI) / omega!]
    const label = at.playing ? 'Pause' : 'Play'
    if (this.button.title !== label) {
      this.button.title = label
      this.button.setAttribute('aria-label', label)
      draw(this.button, at.playing ? 'pause' : 'play')
    }
    this.slider.value = String(at.phase)
    const t = from + at.phase * length
    const places = Math.max(0, 2 - Math.floor(Math.log10(length || 1)))
    const text = `${t.toFixed(Math.min(places, 9))} s`
    this.slider.setAttribute('aria-valuetext', text)
    this.says.textContent = text
  }
}

function begin(): void {
  const sheet = document.createElement('style')
  sheet.textContent = style
  document.head.append(sheet)
  for (const script of document.querySelectorAll('script.pl-motion')) {
    const figure = script.closest('figure')
    const svg = figure?.querySelector('svg')
    if (figure && svg) new Film(figure, svg, script)
  }
}

begin()
