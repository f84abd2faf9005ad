// The clock of what plays: an orbit, a film, or states as they arrive.
import { filmAt, frameOf, orbitAt } from './orbit'
import type { FilmArrays, OrbitArrays } from './types'

const REST = 0.6 // s that a film rests at its end

export type Source =
  | ({ kind: 'orbit' } & OrbitArrays)
  | ({ kind: 'film' } & FilmArrays)
  | { kind: 'live'; time: number }
  | null

export class Player {
  source: Source = null
  playing = false
  speed = 1
  phase = 0 // 0..1 of the orbit or the film
  private rest = 0
  private last = 0

  /** Seconds that it lasts, in the world. */
  get duration(): number {
    const s = this.source
    if (s?.kind === 'orbit') return (2 * Math.PI) / s.omega
    if (s?.kind === 'film') return s.time[s.time.length - 1]! - s.time[0]!
    return 0
  }

  /** Seconds that it lasts on the screen at speed one: long and short ones are brought to what eyes can follow. */
  get shown(): number {
    const most = this.source?.kind === 'film' ? 20 : 4
    const least = this.source?.kind === 'film' ? 2 : 1
    return Math.min(Math.max(this.duration, least), most)
  }

  /** How many times slower than in the world it is shown. */
  get slower(): number {
    const real = this.duration
    return real > 0 ? this.shown / real / this.speed : 1
  }

  get time(): number {
    const s = this.source
    if (s?.kind === 'live') return s.time
    return (s?.kind === 'film' ? s.time[0]! : 0) + this.phase * this.duration
  }

  set(source: Source, play: boolean): void {
    this.source = source
    this.phase = 0
    this.rest = 0
    this.last = 0
    this.playing = play && (source?.kind === 'orbit' || source?.kind === 'film')
  }

  scrub(phase: number): void {
    this.phase = this.source?.kind === 'film' && !this.source.closed ? Math.min(Math.max(phase, 0), 1) : phase - Math.floor(phase)
    this.rest = 0
  }

  /** On to `now` (ms). */
  tick(now: number): void {
    // a page that was hidden does not leap
    const dt = this.last > 0 ? Math.min((now - this.last) / 1000, 0.25) : 0
    this.last = now
    if (!this.playing || this.shown <= 0) return
    let next = this.phase + (dt * this.speed) / this.shown
    const open = this.source?.kind === 'film' && !this.source.closed
    if (open && next >= 1) {
      this.rest += dt
      next = this.rest > REST ? 0 : 1
      if (next === 0) this.rest = 0
    }
    this.phase = open ? next : next % 1
  }

  pause(): void {
    this.last = 0
  }

  /** Positions now; false: as they are. */
  at(phase: number, out: Float32Array): boolean {
    const s = this.source
    if (s?.kind === 'orbit') orbitAt(s.coefficients, s.harmonics, 2 * Math.PI * phase, out)
    else if (s?.kind === 'film') filmAt(s.x, s.time.length, this.frame(phase), !!s.closed, out)
    else return false
    return true
  }

  /** Place in a film, in frames. */
  frame(phase = this.phase): number {
    const s = this.source
    if (s?.kind !== 'film') return 0
    if (s.closed) return phase * s.time.length
    return frameOf(s.time, s.time[0]! + phase * this.duration)
  }
}
