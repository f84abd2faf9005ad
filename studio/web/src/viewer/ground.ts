import {
  BufferAttribute, BufferGeometry, CustomBlending, DoubleSide, GLSL3, Group, LinearFilter, LineSegments, Matrix4, MaxEquation, Mesh,
  NoBlending, NormalBlending, OneFactor, OrthographicCamera, RawShaderMaterial, Scene, Vector2, Vector3, WebGLRenderTarget,
} from 'three'
import type { IUniform, WebGLRenderer } from 'three'
import type { Body } from './body'
import type { Look } from './colours'
import { rgb } from './materials'
import { roundBelow } from './numbers'
import * as shader from './shaders'
import type { Solids } from './solids'
import type { Vec3 } from './types'

const SIZE = 128 // pixels of the shadow
const FAR = 1.6 // the grid reaches so many sizes of the model to each side

const square = (): BufferGeometry => {
  const g = new BufferGeometry()
  g.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3))
  g.setIndex([0, 1, 2, 0, 2, 3])
  return g
}

function material(vertexShader: string, fragmentShader: string, uniforms: Record<string, IUniform>): RawShaderMaterial {
  return new RawShaderMaterial({
    glslVersion: GLSL3, vertexShader, fragmentShader, uniforms,
    depthTest: false, depthWrite: false, blending: NoBlending, side: DoubleSide,
  })
}

function over(m: RawShaderMaterial): RawShaderMaterial {
  m.transparent = true
  m.blending = NormalBlending
  m.depthTest = true
  return m
}

/** A plane below the model with lines at round distances and the soft shadow of what stands on it. */
export class Ground {
  readonly group = new Group()
  ruled = true
  private readonly targets = [0, 1].map(() =>
    new WebGLRenderTarget(SIZE, SIZE, { depthBuffer: false, minFilter: LinearFilter, magFilter: LinearFilter }))
  private readonly plane: Mesh<BufferGeometry, RawShaderMaterial>
  private readonly grid: LineSegments<BufferGeometry, RawShaderMaterial>
  private readonly below = new OrthographicCamera()
  private readonly casters = new Scene()
  private readonly blurScene = new Scene()
  private readonly reach: IUniform<number> = { value: 1 }
  private readonly faces = material(shader.shadeVertex, shader.shadeFragment, { reach: this.reach })
  private readonly solids = material(shader.shadeSolidVertex, shader.shadeFragment, { reach: this.reach })
  private readonly rods = material(shader.shadeLineVertex, shader.shadeFragment, {
    reach: this.reach, size: { value: new Vector2(SIZE, SIZE) }, thick: { value: 2.5 },
  })
  private readonly blur = material(shader.screenVertex, shader.blurFragment, { source: { value: null }, pace: { value: new Vector2() } })
  private readonly quad = new Mesh(square(), this.blur)

  constructor(look: Look) {
    this.plane = new Mesh(square(), over(material(shader.groundVertex, shader.groundFragment, {
      source: { value: this.targets[0]!.texture }, dark: { value: look.shadow },
    })))
    this.grid = new LineSegments(new BufferGeometry(), over(material(shader.gridVertex, shader.gridFragment, { tint: { value: rgb(look.grid) } })))
    for (const m of [this.grid, this.plane]) {
      m.frustumCulled = false
      m.matrixAutoUpdate = false
      m.renderOrder = 0.5
      this.group.add(m)
    }
    // the nearest to the ground counts
    for (const c of [this.faces, this.rods, this.solids]) {
      c.blending = CustomBlending
      c.blendEquation = MaxEquation
      c.blendSrc = c.blendDst = OneFactor
    }
    this.quad.frustumCulled = false
    this.blurScene.add(this.quad)
  }

  setLook(look: Look): void {
    this.grid.material.uniforms.tint!.value = rgb(look.grid)
    this.plane.material.uniforms.dark!.value = look.shadow
  }

  /** Below a box; `up` is one of the axes. */
  place(lo: Vec3, hi: Vec3, up: Vec3): void {
    const k = up.indexOf(1)
    const [i, j] = [(k + 1) % 3, (k + 2) % 3]
    const size = Math.hypot(...[0, 1, 2].map((c) => hi[c]! - lo[c]!)) || 1
    const side = 1.3 * Math.max(hi[i]! - lo[i]!, hi[j]! - lo[j]!, 0.1 * size)
    const mid = [0, 1, 2].map((c) => (lo[c]! + hi[c]!) / 2)
    const centre = new Vector3()
    for (const c of [i, j]) centre.setComponent(c, mid[c]!)
    centre.setComponent(k, lo[k]! - 0.002 * size)
    const axes = [i, j, k].map((c) => new Vector3().setComponent(c, 1)) as [Vector3, Vector3, Vector3]
    const basis = new Matrix4().makeBasis(...axes).setPosition(centre)
    for (const [m, half] of [[this.plane, side / 2], [this.grid, FAR * size]] as const) {
      m.matrix.copy(basis).scale(new Vector3(half, half, 1))
      m.matrixWorldNeedsUpdate = true
    }
    this.rule(FAR * size, roundBelow(size / 3), mid[i]!, mid[j]!)
    this.reach.value = 0.55 * size
    this.lookUp(centre, axes, side, size)
  }

  // lines at multiples of `pace`, in units of the half side
  private rule(half: number, pace: number, u: number, v: number): void {
    const at: number[] = []
    for (const [mid, swap] of [[u, false], [v, true]] as const)
      for (let k = Math.ceil((mid - half) / pace); k * pace <= mid + half; k++) {
        const x = (k * pace - mid) / half
        const reach = Math.sqrt(Math.max(0, 1 - x * x))
        if (swap) at.push(-reach, x, 0, reach, x, 0)
        else at.push(x, -reach, 0, x, reach, 0)
      }
    this.grid.geometry.dispose()
    this.grid.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(at), 3))
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

  /** The shadow anew, or none. */
  cast(renderer: WebGLRenderer, body: Body | null, solids: Solids | null, shadows: boolean): void {
    this.plane.visible = shadows
    this.grid.visible = this.ruled
    if (!shadows) return
    this.casters.clear()
    const add = (g: BufferGeometry, m: RawShaderMaterial): void => {
      const caster = new Mesh(g, m)
      caster.frustumCulled = false
      this.casters.add(caster)
    }
    if (body?.face) add(body.geometry, this.faces)
    if (body?.rods) add(body.rods.mesh.geometry, this.rods)
    for (const s of solids?.group.children ?? []) add((s as Mesh).geometry, this.solids)
    const [a, b] = this.targets as [WebGLRenderTarget, WebGLRenderTarget]
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
    renderer.setRenderTarget(null)
  }

  dispose(): void {
    this.group.removeFromParent()
    for (const t of this.targets) t.dispose()
    for (const m of [this.faces, this.rods, this.solids, this.blur, this.plane.material, this.grid.material]) m.dispose()
    for (const g of [this.plane.geometry, this.grid.geometry, this.quad.geometry]) g.dispose()
  }
}
