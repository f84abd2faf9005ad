import { BufferAttribute, BufferGeometry, DoubleSide, GLSL3, LinearFilter, MaxEquation, CustomBlending, Mesh, NoBlending, OneFactor, OrthographicCamera, RawShaderMaterial, Scene, Vector2, Vector3, WebGLRenderTarget, Matrix4 } from 'three'
import type { IUniform, WebGLRenderer } from 'three'
import type { Body } from './body'
import type { Look } from './colours'
import { rgb } from './materials'
import { roundBelow } from './numbers'
import * as shader from './shaders'
import type { Vec3 } from './types'

const SIZE = 256

const screen = (): BufferGeometry => {
  const g = new BufferGeometry()
  g.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3))
  g.setIndex([0, 1, 2, 0, 2, 3])
  return g
}

function material(vertexShader: string, fragmentShader: string, uniforms: Record<string, IUniform>): RawShaderMaterial {
  return new RawShaderMaterial({ glslVersion: GLSL3, vertexShader, fragmentShader, uniforms, depthTest: false, depthWrite: false, blending: NoBlending, side: DoubleSide })
}

/** A plane below the model with lines at round distances and the soft shadow of what stands on it. */
export class Ground {
  readonly mesh: Mesh<BufferGeometry, RawShaderMaterial>
  shadows = true
  private readonly targets = [0, 1].map(() => new WebGLRenderTarget(SIZE, SIZE, { depthBuffer: false, minFilter: LinearFilter, magFilter: LinearFilter }))
  private readonly below = new OrthographicCamera()
  private readonly casters = new Scene()
  private readonly blurScene = new Scene()
  private readonly reach: IUniform<number> = { value: 1 }
  private readonly faces = material(shader.shadeVertex, shader.shadeFragment, { reach: this.reach })
  private readonly rods = material(shader.shadeLineVertex, shader.shadeFragment, { reach: this.reach, size: { value: new Vector2(SIZE, SIZE) }, thick: { value: 4 } })
  private readonly blur = material(shader.screenVertex, shader.blurFragment, { source: { value: null }, pace: { value: new Vector2() } })
  private readonly quad = new Mesh(screen(), this.blur)

  constructor(look: Look) {
    const m = material(shader.groundVertex, shader.groundFragment, {
      source: { value: this.targets[0]!.texture }, grid: { value: rgb(look.grid) }, dark: { value: look.shadow },
      pace: { value: 1 }, side: { value: 1 }, offset: { value: new Vector2() }, shadow: { value: 1 },
    })
    m.transparent = true
    m.blending = 1
    m.depthTest = true
    this.mesh = new Mesh(screen(), m)
    this.mesh.frustumCulled = false
    this.mesh.matrixAutoUpdate = false
    this.mesh.renderOrder = 4.5
    // the nearest to the ground counts
    for (const c of [this.faces, this.rods]) {
      c.blending = CustomBlending
      c.blendEquation = MaxEquation
      c.blendSrc = c.blendDst = OneFactor
    }
    this.quad.frustumCulled = false
    this.blurScene.add(this.quad)
  }

  setLook(look: Look): void {
    const u = this.mesh.material.uniforms
    u.grid!.value = rgb(look.grid)
    u.dark!.value = look.shadow
  }

  /** Below a box; `up` is one of the axes. */
  place(lo: Vec3, hi: Vec3, up: Vec3): void {
    const k = up.indexOf(1)
    const [i, j] = [(k + 1) % 3, (k + 2) % 3]
    const size = Math.hypot(...[0, 1, 2].map((c) => hi[c]! - lo[c]!)) || 1
    const side = 3.2 * size
    const pace = roundBelow(size / 3)
    const mid = [0, 1, 2].map((c) => (lo[c]! + hi[c]!) / 2)
    const centre = new Vector3()
    centre.setComponent(i, mid[i]!)
    centre.setComponent(j, mid[j]!)
    centre.setComponent(k, lo[k]! - 0.002 * size)
    const axes = [i, j, k].map((c) => new Vector3().setComponent(c, 1)) as [Vector3, Vector3, Vector3]
    this.mesh.matrix.makeBasis(...axes).setPosition(centre)
    this.mesh.matrixWorldNeedsUpdate = true
    const u = this.mesh.material.uniforms
    u.side!.value = side
    u.pace!.value = pace
    u.offset!.value.set(mid[i]! % pace, mid[j]! % pace)
    this.reach.value = 0.55 * size
    this.lookUp(centre, axes, side, size)
  }

  // from below the ground upwards: what is low is near
  private lookUp(centre: Vector3, [i, j, k]: [Vector3, Vector3, Vector3], side: number, size: number): void {
    const c = this.below
    c.left = c.bottom = -side / 2
    c.right = c.top = side / 2
    c.near = 0
    c.far = 2 * size
    c.updateProjectionMatrix()
    c.matrixAutoUpdate = false
    // seen mirrored, so that the texture lies on the ground as it is
    c.matrix.copy(new Matrix4().makeBasis(i, j, k.clone().negate())).setPosition(centre)
    c.matrixWorldNeedsUpdate = true
  }

  /** The shadow of a body anew. */
  cast(renderer: WebGLRenderer, body: Body): void {
    this.mesh.material.uniforms.shadow!.value = this.shadows ? 1 : 0
    if (!this.shadows) return
    this.casters.clear()
    if (body.face) {
      const m = new Mesh(body.geometry, this.faces)
      m.frustumCulled = false
      this.casters.add(m)
    }
    if (body.rods) {
      const m = new Mesh(body.rods.mesh.geometry, this.rods)
      m.frustumCulled = false
      this.casters.add(m)
    }
    const [a, b] = this.targets as [WebGLRenderTarget, WebGLRenderTarget]
    const before = renderer.getRenderTarget()
    renderer.setClearColor(0, 1)
    renderer.setRenderTarget(a)
    renderer.clear()
    renderer.render(this.casters, this.below)
    for (const [from, to, x, y] of [[a, b, 1, 0], [b, a, 0, 1]] as const) {
      this.blur.uniforms.source!.value = from.texture
      this.blur.uniforms.pace!.value.set(x / SIZE, y / SIZE)
      renderer.setRenderTarget(to)
      renderer.render(this.blurScene, this.below)
    }
    renderer.setRenderTarget(before)
  }

  dispose(): void {
    this.mesh.removeFromParent()
    for (const t of this.targets) t.dispose()
    for (const m of [this.faces, this.rods, this.blur, this.mesh.material]) m.dispose()
    this.mesh.geometry.dispose()
    this.quad.geometry.dispose()
  }
}
