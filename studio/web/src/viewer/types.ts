// What the viewer is given: the Model message of protocol.ts with its arrays fetched.

/** Positions are [nvert][3]; all arrays are flat. Lengths are metres. Only x is needed. */
export interface ModelArrays {
  title?: string
  dim?: number
  length?: { unit: string; si: number } // that the scale bar is in
  x: Float32Array
  triangles?: Int32Array // [][3]
  segments?: Int32Array // [][2]
  edges?: Int32Array // [][2] of cells; none: those of the triangles
  points?: Int32Array
  joints?: Int32Array // ends of segments that show; none: all of them where there are few
  supports?: Named[]
  drives?: (Named & { axis: number[] | null; centre: number[] | null })[]
  loads?: (Named & { direction: number[] | null })[]
  springs?: Springs
  obstacles?: { name: string; lines: Float32Array; velocity?: number[] }[] // [][2][3] at time 0; m/s
  solids?: SolidsArrays | null
  watched?: { name: string; node: number }[]
  gravity?: number[]
}

/** Ends [][2][3] at rest; each between the nodes [][2][2], `at` [][2][2] the part of the way and the distance to the left. */
export interface Springs {
  ends: Float32Array
  nodes?: Int32Array // none: what is nearest at rest
  at?: Float32Array
}

export interface Named {
  name: string
  nodes: Int32Array
  text?: string
}

/** A periodic motion: f32 [nvert][3][2H+1], c0 s1 c1 s2 c2 ... */
export interface OrbitArrays {
  coefficients: Float32Array
  harmonics: number
  omega: number // rad/s
}

export interface FilmArrays {
  time: Float32Array // [n] s
  x: Float32Array // [n][nvert][3]
  face?: Float32Array | null // [n][triangles]
  closed?: boolean // the last frame leads on to the first
}

/** Many bodies of a few shapes. */
export interface SolidsArrays {
  meshes: { x: Float32Array; triangles: Int32Array }[]
  of: Int32Array // [n][2] mesh and tone: 0 steel, 1 copper, 2 red
  poses: Float32Array // [n][12] place, rotation by rows
}

export type Preset = 'home' | 'iso' | 'x' | 'y' | 'z' | 'fit'
export type MapName = 'viridis' | 'cividis' | 'light'
export type Theme = 'light' | 'dark' | 'auto'
export type Tone = 'pick' | 'select' | 'watch' | 'warn'
export type Names = 'none' | 'watched' | 'all'
export type Vec3 = [number, number, number]

export interface ColourOptions {
  map?: MapName
  perFace?: boolean // values are [triangles]
  limit?: number // values within 1 % of it stand out, and those beyond
}

/** What a box or a lasso does with what was chosen before. */
export type BrushHow = 'set' | 'add' | 'remove'

export interface ViewerOptions {
  theme?: Theme
  label?: string // what screen readers say
  wheel?: 'always' | 'focused' // focused: the page scrolls until the view has the focus
  wire?: boolean
  ground?: boolean
  crease?: number // degrees
  reach?: number // pixels around a node that pick it
  autoplay?: boolean // false, or motion is to be reduced: motions begin at rest
  onPick?: (node: number | null) => void
  onBrush?: (nodes: Int32Array, how: BrushHow) => void
  onTime?: (at: { phase: number; time: number; playing: boolean }) => void
  onKey?: (event: KeyboardEvent) => void // keys that the view has no use for
}
