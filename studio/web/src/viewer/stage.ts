import {
  BufferAttribute, BufferGeometry, Color, ColorManagement, GLSL3, Mesh, NearestFilter, NoBlending, RawShaderMaterial, Scene,
  UnsignedByteType, WebGLRenderer, WebGLRenderTarget,
} from 'three'
import type { Camera } from 'three'
import * as shader from './shaders'

// all colours here are those of the screen
ColorManagement.enabled = false

/** How well is drawn. */
export interface Quality {
  ratio: number // device pixels of a pixel
  samples: number
  shadows: boolean
  wires: number // the most edges of cells
  thick: number // the most pieces of rods that are wider than a pixel
}

/** While things move, shadows go first, then smooth edges, then resolution. */
const levels: Quality[] = [
  { ratio: 2, samples: 4, shadows: true, wires: Infinity, thick: Infinity },
  { ratio: 2, samples: 4, shadows: false, wires: Infinity, thick: Infinity },
  { ratio: 1, samples: 4, shadows: false, wires: 40000, thick: Infinity },
  { ratio: 1, samples: 0, shadows: false, wires: 5000, thick: 2000 },
  { ratio: 0.75, samples: 0, shadows: false, wires: 0, thick: 1000 },
  { ratio: 0.5, samples: 0, shadows: false, wires: 0, thick: 500 },
]

const SLOW = 36 // ms between frames that call for less
const FAST = 20

/** The canvas, and how much is asked of it. */
export class Stage {
  readonly renderer: WebGLRenderer
  level = 0
  readonly software: boolean
  private target: WebGLRenderTarget | null = null
  private readonly copy: Mesh<BufferGeometry, RawShaderMaterial>
  private readonly copyScene = new Scene()
  private last = 0
  private mean = 0
  private count = 0
  private width = 1
  private height = 1

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: false, alpha: false, powerPreference: 'high-performance', stencil: false })
    this.renderer.autoClear = false
    const gl = this.renderer.getContext()
    const info = gl.getExtension('WEBGL_debug_renderer_info')
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : ''
    this.software = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name)
    if (this.software) this.level = 3
    const g = new BufferGeometry()
    g.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3))
    this.copy = new Mesh(g, new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: shader.screenVertex, fragmentShader: shader.copyFragment,
      uniforms: { source: { value: null } }, depthTest: false, depthWrite: false, blending: NoBlending,
    }))
    this.copy.frustumCulled = false
    this.copyScene.add(this.copy)
  }

  resize(width: number, height: number): void {
    this.width = Math.max(width, 1)
    this.height = Math.max(height, 1)
  }

  quality(moving: boolean): Quality {
    const own = Math.min(window.devicePixelRatio || 1, 2)
    if (!moving) return { ratio: own, samples: 4, shadows: true, wires: Infinity, thick: Infinity }
    const l = levels[this.level]!
    return { ...l, ratio: Math.min(l.ratio, own) }
  }

  /** Looks at how frames follow each other, and asks for less or more of the next. */
  pace(now: number, moving: boolean): void {
    if (!moving || this.last === 0) {
      this.last = moving ? now : 0
      this.count = 0
      return
    }
    const dt = now - this.last
    this.last = now
    if (dt > 500) return
    this.mean = this.count === 0 ? dt : 0.85 * this.mean + 0.15 * dt
    this.count++
    if (this.count > 12 && this.mean > SLOW && this.level < levels.length - 1) {
      this.level++
      this.count = 0
    } else if (this.count > 150 && this.mean < FAST && this.level > (this.software ? 3 : 0)) {
      this.level--
      this.count = 0
    }
  }

  /** Frames a second, lately. */
  get rate(): number {
    return this.mean > 0 ? 1000 / this.mean : 0
  }

  draw(scene: Scene, camera: Camera, back: string, q: Quality): void {
    const r = this.renderer
    const [w, h] = [Math.max(Math.round(this.width * q.ratio), 1), Math.max(Math.round(this.height * q.ratio), 1)]
    if (r.domElement.width !== w || r.domElement.height !== h) r.setSize(w, h, false)
    r.setClearColor(new Color(back), 1)
    if (q.samples === 0) {
      r.setRenderTarget(null)
      r.clear()
      r.render(scene, camera)
      return
    }
    if (!this.target || this.target.width !== w || this.target.height !== h) {
      this.target?.dispose()
      this.target = new WebGLRenderTarget(w, h, { samples: q.samples, type: UnsignedByteType, minFilter: NearestFilter, magFilter: NearestFilter })
    }
    r.setRenderTarget(this.target)
    r.clear()
    r.render(scene, camera)
    r.setRenderTarget(null)
    this.copy.material.uniforms.source!.value = this.target.texture
    r.render(this.copyScene, camera)
  }

  dispose(): void {
    this.target?.dispose()
    this.copy.geometry.dispose()
    this.copy.material.dispose()
    this.renderer.dispose()
    this.renderer.forceContextLoss()
  }
}
