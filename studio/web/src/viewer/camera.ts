import { Matrix4, OrthographicCamera } from 'three'
import { boxOf } from './extent'
import { project } from './pick'
import type { Projection } from './pick'
import type { Vec3 } from './types'

export interface Pose {
  az: number // rad about `up`
  el: number
  target: Vec3
  half: number // half the height of what is seen, metres
}

export interface Margins {
  left: number
  right: number
  top: number
  bottom: number
}

const SMOOTH = 380 // ms
const STEEP = 3.7 // distance of an eye over half of what it sees: 30 degrees
const turn = Math.PI * 2

/** A camera, parallel or with an eye, that turns about an upright axis. */
export class Rig {
  pose: Pose = { az: 0, el: 0, target: [0, 0, 0], half: 1 }
  width = 1 // pixels
  height = 1
  perspective = false
  readonly camera = new OrthographicCamera()
  private ball: { centre: Vec3; radius: number } = { centre: [0, 0, 0], radius: 1 } // around all that is drawn
  private frame: [Vec3, Vec3, Vec3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] // the last is up
  private from: Pose | null = null
  private to: Pose | null = null
  private start = 0

  setUp(axis: 'y' | 'z'): void {
    this.frame = axis === 'z' ? [[1, 0, 0], [0, 1, 0], [0, 0, 1]] : [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
  }

  get up(): Vec3 {
    return this.frame[2]
  }

  get perPixel(): number {
    return (2 * this.pose.half) / this.height
  }

  /** Right, up and towards the viewer. */
  basis({ az, el } = this.pose): [Vec3, Vec3, Vec3] {
    const [e1, e2, e3] = this.frame
    const mix = (a: number, b: number, c: number): Vec3 => [0, 1, 2].map((k) => a * e1[k]! + b * e2[k]! + c * e3[k]!) as Vec3
    const [ca, sa, ce, se] = [Math.cos(az), Math.sin(az), Math.cos(el), Math.sin(el)]
    return [mix(-sa, ca, 0), mix(-se * ca, -se * sa, ce), mix(ce * ca, ce * sa, se)]
  }

  projection(pose = this.pose): Projection {
    const [right, up, towards] = this.basis(pose)
    return { right, up, towards, target: pose.target, perPixel: (2 * pose.half) / this.height, eye: this.eye(pose), width: this.width, height: this.height }
  }

  /** What will be drawn. */
  around(centre: Vec3, radius: number): void {
    this.ball = { centre, radius }
  }

  private off(pose: Pose): number {
    return Math.hypot(...[0, 1, 2].map((c) => pose.target[c]! - this.ball.centre[c]!))
  }

  // outside of all, however near one looks
  private eye(pose: Pose): number {
    return this.perspective ? Math.max(STEEP * pose.half, 1.05 * (this.off(pose) + this.ball.radius)) : 0
  }

  turn(dx: number, dy: number): void {
    const k = Math.PI / Math.max(300, Math.min(this.width, this.height))
    this.to = null
    this.pose.az -= k * dx
    this.pose.el = Math.min(Math.max(this.pose.el + k * dy, -Math.PI / 2), Math.PI / 2)
  }

  pan(dx: number, dy: number): void {
    const [r, u] = this.basis()
    const k = this.perPixel
    this.to = null
    this.pose.target = [0, 1, 2].map((c) => this.pose.target[c]! - k * dx * r[c]! + k * dy * u[c]!) as Vec3
  }

  /** What is at a pixel stays there. */
  zoom(factor: number, px = this.width / 2, py = this.height / 2): void {
    const old = this.perPixel
    this.to = null
    this.pose.half *= factor
    const k = old - this.perPixel
    const [r, u] = this.basis()
    const [dx, dy] = [px - this.width / 2, this.height / 2 - py]
    this.pose.target = [0, 1, 2].map((c) => this.pose.target[c]! + k * (dx * r[c]! + dy * u[c]!)) as Vec3
  }

  /** The pose that shows all of some positions [n][3] from where `pose` looks. */
  fitted(sets: Float32Array[], room: Margins, pose: Pose = this.pose): Pose {
    const [r, u, d] = this.basis(pose)
    const lo = [Infinity, Infinity, Infinity]
    const hi = [-Infinity, -Infinity, -Infinity]
    for (const x of sets)
      for (let i = 0; i < x.length; i += 3)
        [r, u, d].forEach((axis, k) => {
          const v = axis[0]! * x[i]! + axis[1]! * x[i + 1]! + axis[2]! * x[i + 2]!
          if (v < lo[k]!) lo[k] = v
          if (v > hi[k]!) hi[k] = v
        })
    if (!(lo[0]! <= hi[0]!)) return pose
    const wide = Math.max(this.width - room.left - room.right, 40)
    const high = Math.max(this.height - room.top - room.bottom, 40)
    const perPixel = Math.max((hi[0]! - lo[0]!) / wide, (hi[1]! - lo[1]!) / high) || 2 / high
    const aside = (perPixel * (room.right - room.left)) / 2
    const above = (perPixel * (room.top - room.bottom)) / 2
    const mid = [(lo[0]! + hi[0]!) / 2 + aside, (lo[1]! + hi[1]!) / 2 + above, (lo[2]! + hi[2]!) / 2]
    const target = [0, 1, 2].map((c) => mid[0]! * r[c]! + mid[1]! * u[c]! + mid[2]! * d[c]!) as Vec3
    const fit = { ...pose, target, half: (perPixel * this.height) / 2 }
    return this.perspective ? this.refitted(fit, sets, room, wide, high) : fit
  }

  // what is near is larger: a few steps until all is within the room
  private refitted(pose: Pose, sets: Float32Array[], room: Margins, wide: number, high: number): Pose {
    const [r, u] = this.basis(pose)
    for (let k = 0; k < 4; k++) {
      const p = this.projection(pose)
      const seen = boxOf(sets.map((x) => project(p, x, new Float32Array(x.length))))!
      const scale = Math.max((seen.hi[0] - seen.lo[0]) / wide, (seen.hi[1] - seen.lo[1]) / high) || 1
      const dx = p.perPixel * ((seen.lo[0] + seen.hi[0]) / 2 - room.left - wide / 2)
      const dy = p.perPixel * (room.top + high / 2 - (seen.lo[1] + seen.hi[1]) / 2)
      pose = { ...pose, half: pose.half * scale, target: pose.target.map((t, c) => t + dx * r[c]! + dy * u[c]!) as Vec3 }
    }
    return pose
  }

  go(to: Pose, smooth: boolean): void {
    if (!smooth) {
      this.pose = { ...to }
      this.to = null
      return
    }
    // the short way round
    const az = this.pose.az + ((((to.az - this.pose.az + Math.PI) % turn) + turn) % turn) - Math.PI
    this.from = { ...this.pose }
    this.to = { ...to, az }
    this.start = 0
  }

  /** Moves on; returns false when it stands still. */
  tick(now: number): boolean {
    if (!this.to || !this.from) return false
    if (!this.start) this.start = now
    const t = Math.min((now - this.start) / SMOOTH, 1)
    const f = t < 0.5 ? 4 * t * t * t : 1 - (2 - 2 * t) ** 3 / 2
    const mix = (a: number, b: number): number => a + f * (b - a)
    const { from, to } = this
    this.pose = {
      az: mix(from.az, to.az),
      el: mix(from.el, to.el),
      half: from.half * (to.half / from.half) ** f,
      target: [0, 1, 2].map((c) => mix(from.target[c]!, to.target[c]!)) as Vec3,
    }
    if (t >= 1) this.to = null
    return t < 1
  }

  /** Depths around all of the ball. */
  apply(): OrthographicCamera {
    const { camera, pose } = this
    const [r, u, d] = this.basis()
    const reach = this.off(pose) + this.ball.radius * 1.05 + 1e-9
    const eye = this.eye(pose)
    const far = eye || reach
    camera.matrixAutoUpdate = false
    camera.matrix.copy(new Matrix4().set(
      r[0], u[0], d[0], pose.target[0] + far * d[0],
      r[1], u[1], d[1], pose.target[1] + far * d[1],
      r[2], u[2], d[2], pose.target[2] + far * d[2],
      0, 0, 0, 1,
    ))
    camera.matrixWorldNeedsUpdate = true
    const wide = (pose.half * this.width) / this.height
    camera.left = -wide
    camera.right = wide
    camera.top = pose.half
    camera.bottom = -pose.half
    camera.near = 0
    camera.far = 2 * far
    camera.updateProjectionMatrix()
    if (eye > 0) {
      const near = Math.max(eye - reach, 0.01 * eye)
      const k = near / eye
      camera.projectionMatrix.makePerspective(-wide * k, wide * k, pose.half * k, -pose.half * k, near, eye + reach)
      camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert()
    }
    return camera
  }
}

/** Where to look from so that the largest extents are seen; the same as in the pictures of reports. */
export function aim(lo: Vec3, hi: Vec3, flat: boolean, up: 'y' | 'z'): { az: number; el: number } {
  const e = [0, 1, 2].map((k) => hi[k]! - lo[k]!)
  // extents across, along and upwards
  const [a, b, c] = up === 'z' ? [e[0]!, e[1]!, e[2]!] : [e[2]!, e[0]!, e[1]!]
  const none = 1e-6 * Math.max(a, b, c)
  if (flat) return up === 'y' ? { az: 0, el: 0 } : { az: -Math.PI / 2, el: Math.PI / 2 }
  if (!(c > none)) return { az: -Math.PI / 3, el: 0.7 }
  if (b <= none) return { az: -Math.PI / 2, el: 0 }
  if (a <= none) return { az: 0, el: 0 }
  const angle = ((Math.min(a, b) < 0.35 * Math.max(a, b) ? 24 : 32) * Math.PI) / 180
  const el = ((c < 0.3 * Math.min(a, b) ? 34 : 21) * Math.PI) / 180
  return { az: b > a ? angle : angle - Math.PI / 2, el }
}
