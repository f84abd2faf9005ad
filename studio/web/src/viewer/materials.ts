import {
  DataTexture, DoubleSide, GLSL3, LessEqualDepth, LinearFilter, NoBlending, NormalBlending, RawShaderMaterial, RGBAFormat, Sphere,
  Vector2, Vector3,
} from 'three'
import type { BufferGeometry, IUniform } from 'three'
import { atLimit, beyond, colourTable, noValue } from './colours'
import type { RGB } from './colours'
import type { MapName } from './types'
import * as shader from './shaders'

/** Uniforms that all materials of a view look at. */
export interface Shared {
  size: IUniform<Vector2> // of the picture, device pixels
  ratio: IUniform<number> // device pixels of a pixel
  perPixel: IUniform<number> // metres of a pixel
  map: IUniform<DataTexture>
  range: IUniform<Vector2>
  limit: IUniform<number>
  kind: IUniform<number> // of colours: 0 none, 1 by vertex, 2 by face
}

/** Nothing is looked up in a geometry that moves: all is drawn, in the order that is told. */
export function unbounded<G extends BufferGeometry>(g: G): G {
  g.boundingSphere = new Sphere()
  return g
}

export const rgb = (c: RGB): Vector3 => new Vector3(c[0] / 255, c[1] / 255, c[2] / 255)

export function makeMap(name: MapName): DataTexture {
  const t = new DataTexture(colourTable(name), 256, 1, RGBAFormat)
  t.magFilter = t.minFilter = LinearFilter
  t.needsUpdate = true
  return t
}

export function makeShared(): Shared {
  return {
    size: { value: new Vector2(1, 1) },
    ratio: { value: 1 },
    perPixel: { value: 1 },
    map: { value: makeMap('viridis') },
    range: { value: new Vector2(0, 1) },
    limit: { value: 0 },
    kind: { value: 0 },
  }
}

const fixed = (uniforms: Record<string, unknown>): Record<string, IUniform> =>
  Object.fromEntries(Object.entries(uniforms).map(([k, value]) => [k, { value }]))

export function surfaceMaterial(shared: Shared, plain: boolean, fine: boolean): RawShaderMaterial {
  const m = new RawShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: shader.surfaceVertex,
    fragmentShader: shader.surfaceFragment,
    defines: fine ? { FINE: 1 } : {},
    side: DoubleSide,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
    uniforms: {
      ...fixed({ front: new Vector3(), frontDark: new Vector3(), reverse: new Vector3(), reverseDark: new Vector3(), opacity: 1 }),
      ...fixed({ missing: rgb(noValue), near: rgb(atLimit), past: rgb(beyond) }),
      map: shared.map,
      range: shared.range,
      limit: shared.limit,
      kind: plain ? { value: 0 } : shared.kind,
    },
  })
  m.blending = NoBlending
  return m
}

export interface LineLook {
  tint: RGB
  width: number
  opacity?: number
  round?: number
  dash?: number
  bias?: number
  through?: boolean // seen through what is in front
}

export function lineMaterial(shared: Shared, look: LineLook, coloured: boolean): RawShaderMaterial {
  return new RawShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: shader.lineVertex,
    fragmentShader: shader.lineFragment,
    transparent: true,
    blending: NormalBlending,
    depthTest: !look.through,
    depthWrite: !look.through && (look.opacity ?? 1) === 1,
    depthFunc: LessEqualDepth,
    side: DoubleSide,
    uniforms: {
      ...fixed({
        tint: rgb(look.tint), thick: look.width, opacity: look.opacity ?? 1, round_: look.round ?? 0,
        dash: look.dash ?? 0, bias: look.bias ?? 0, missing: rgb(noValue),
      }),
      size: shared.size,
      ratio: shared.ratio,
      perPixel: shared.perPixel,
      map: shared.map,
      range: shared.range,
      kind: coloured ? shared.kind : { value: 0 },
    },
  })
}

export interface MarkLook {
  shape: 0 | 1 | 2 | 3 // ball, disc, triangle, diamond
  tint: RGB
  rim: RGB
  ring: number
  width: number
  opacity?: number
  bias?: number
  through?: boolean
}

export function markMaterial(shared: Shared, look: MarkLook): RawShaderMaterial {
  return new RawShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: shader.markVertex,
    fragmentShader: shader.markFragment,
    transparent: true,
    depthTest: !look.through,
    depthWrite: false,
    uniforms: {
      ...fixed({
        tint: rgb(look.tint), rim: rgb(look.rim), ring: look.ring, thick: look.width, opacity: look.opacity ?? 1,
        shape: look.shape, bias: look.bias ?? 2e-3,
      }),
      ratio: shared.ratio,
    },
  })
}

export function wireMaterial(tint: RGB, opacity: number): RawShaderMaterial {
  return new RawShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: shader.wireVertex,
    fragmentShader: shader.wireFragment,
    transparent: true,
    depthWrite: false,
    uniforms: fixed({ tint: rgb(tint), opacity, bias: 2e-4 }),
  })
}
