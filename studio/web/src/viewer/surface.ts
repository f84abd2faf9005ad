// What is drawn of triangles: corners with normals of their own at creases, sharp edges, normals.

export interface Surface {
  ntri: number
  index: Uint32Array // [ntri][3] into `origin`
  origin: Uint32Array // vertex of the model of each that is drawn; the first nvert are the model's own
  sharp: Int32Array // [][2] boundaries and creases
  face: Uint32Array | null // [ntri] a vertex that no other triangle has last: it bears the face's value
  twin: Uint32Array // of the last of `origin`: vertices that they share the normal with
}

// corners [ntri][3] by vertex: first[v] .. first[v+1]
function cornersByVertex(nvert: number, tri: Int32Array): { first: Uint32Array; corner: Uint32Array } {
  const first = new Uint32Array(nvert + 1)
  for (const v of tri) first[v + 1]!++
  for (let v = 0; v < nvert; v++) first[v + 1]! += first[v]!
  const corner = new Uint32Array(tri.length)
  const next = first.slice()
  for (let c = 0; c < tri.length; c++) corner[next[tri[c]!]!++] = c
  return { first, corner }
}

const after = (c: number): number => (c % 3 === 2 ? c - 2 : c + 1)
const before = (c: number): number => (c % 3 === 0 ? c + 2 : c - 1)

/** Triangles wound alike across their common edges, so that a sheet has one front. */
export function windAlike(nvert: number, triangles: Int32Array): Int32Array {
  const tri = triangles.slice()
  const { first, corner } = cornersByVertex(nvert, tri)
  const ntri = tri.length / 3
  const seen = new Uint8Array(ntri)
  const stack: number[] = []
  // the one other triangle at an edge, or -1
  const beside = (t: number, a: number, b: number): number => {
    let found = -1
    for (let k = first[a]!; k < first[a + 1]!; k++) {
      const u = Math.floor(corner[k]! / 3)
      if (u === t || (tri[3 * u] !== b && tri[3 * u + 1] !== b && tri[3 * u + 2] !== b)) continue
      if (found >= 0) return -1
      found = u
    }
    return found
  }
  const runs = (t: number, a: number, b: number): boolean =>
    [0, 1, 2].some((k) => tri[3 * t + k] === a && tri[3 * t + ((k + 1) % 3)] === b)
  for (let start = 0; start < ntri; start++) {
    if (seen[start]) continue
    seen[start] = 1
    stack.push(start)
    while (stack.length > 0) {
      const t = stack.pop()!
      for (let k = 0; k < 3; k++) {
        const a = tri[3 * t + k]!
        const b = tri[3 * t + ((k + 1) % 3)]!
        const u = beside(t, a, b)
        if (u < 0 || seen[u]) continue
        seen[u] = 1
        if (runs(u, a, b)) [tri[3 * u + 1], tri[3 * u + 2]] = [tri[3 * u + 2]!, tri[3 * u + 1]!]
        stack.push(u)
      }
    }
  }
  return tri
}

/** Unnormalised normals of triangles. */
export function faceNormals(tri: ArrayLike<number>, x: Float32Array, out: Float32Array): void {
  for (let t = 0; t < tri.length; t += 3) {
    const a = 3 * tri[t]!
    const b = 3 * tri[t + 1]!
    const c = 3 * tri[t + 2]!
    const ux = x[b]! - x[a]!
    const uy = x[b + 1]! - x[a + 1]!
    const uz = x[b + 2]! - x[a + 2]!
    const vx = x[c]! - x[a]!
    const vy = x[c + 1]! - x[a + 1]!
    const vz = x[c + 2]! - x[a + 2]!
    out[t] = uy * vz - uz * vy
    out[t + 1] = uz * vx - ux * vz
    out[t + 2] = ux * vy - uy * vx
  }
}

// angle between triangles below the crease; those without area go along with all
function smooth(n: Float32Array, t: number, u: number, cosine: number): boolean {
  const a = 3 * t
  const b = 3 * u
  const dot = n[a]! * n[b]! + n[a + 1]! * n[b + 1]! + n[a + 2]! * n[b + 2]!
  const size = Math.hypot(n[a]!, n[a + 1]!, n[a + 2]!) * Math.hypot(n[b]!, n[b + 1]!, n[b + 2]!)
  return !(dot < cosine * size)
}

// corners of one vertex in groups that shade into each other; collects the sharp edges to larger vertices
function groupsAt(v: number, ring: Uint32Array, tri: Int32Array, n: Float32Array, cosine: number, group: Int32Array, sharp: number[]): void {
  const m = ring.length
  for (let i = 0; i < m; i++) group[i] = i
  const root = (i: number): number => {
    while (group[i] !== i) i = group[i]!
    return i
  }
  for (let i = 0; i < m; i++) {
    const c = ring[i]!
    for (const w of [tri[after(c)]!, tri[before(c)]!]) {
      let others = 0
      let apart = false
      let earlier = false
      for (let j = 0; j < m; j++) {
        const d = ring[j]!
        if (j === i || (tri[after(d)] !== w && tri[before(d)] !== w)) continue
        others++
        earlier ||= j < i
        if (smooth(n, Math.floor(c / 3), Math.floor(d / 3), cosine)) group[root(j)] = root(i)
        else apart = true
      }
      // each edge once: from its smaller vertex, by the first of its triangles
      if (v < w && !earlier && (others !== 1 || apart)) sharp.push(v, w)
    }
  }
  for (let i = 0; i < m; i++) group[i] = root(i)
}

export function makeSurface(nvert: number, x: Float32Array, triangles: Int32Array, crease: number): Surface {
  const tri = windAlike(nvert, triangles)
  const ntri = tri.length / 3
  const normal = new Float32Array(tri.length)
  faceNormals(tri, x, normal)
  const { first, corner } = cornersByVertex(nvert, tri)
  const cosine = Math.cos((crease * Math.PI) / 180)
  const index = new Uint32Array(tri.length)
  const extra: number[] = []
  const sharp: number[] = []
  let group = new Int32Array(64)
  const made = new Map<number, number>()
  for (let v = 0; v < nvert; v++) {
    const ring = corner.subarray(first[v]!, first[v + 1]!)
    if (ring.length > group.length) group = new Int32Array(2 * ring.length)
    groupsAt(v, ring, tri, normal, cosine, group, sharp)
    made.clear()
    for (let i = 0; i < ring.length; i++) {
      const g = group[i]!
      let to = made.get(g)
      if (to === undefined) {
        to = made.size === 0 ? v : nvert + extra.push(v) - 1
        made.set(g, to)
      }
      index[ring[i]!] = to
    }
  }
  const origin = new Uint32Array(nvert + extra.length)
  for (let v = 0; v < nvert; v++) origin[v] = v
  origin.set(extra, nvert)
  return { ntri, index, origin, sharp: Int32Array.from(sharp), face: null, twin: new Uint32Array(0) }
}

/** The same with a last vertex of its own for every triangle, for one colour a face. */
export function withFaces(s: Surface): Surface {
  if (s.face) return s
  const index = s.index.slice()
  const taken = new Uint8Array(s.origin.length)
  const face = new Uint32Array(s.ntri)
  const extra: number[] = []
  const twin: number[] = []
  for (let t = 0; t < s.ntri; t++) {
    const [a, b, c] = [index[3 * t]!, index[3 * t + 1]!, index[3 * t + 2]!]
    const turned = !taken[c] ? [a, b, c] : !taken[a] ? [b, c, a] : !taken[b] ? [c, a, b] : null
    if (turned) index.set(turned, 3 * t)
    else {
      index[3 * t + 2] = s.origin.length + extra.push(s.origin[c]!) - 1
      twin.push(c)
    }
    face[t] = index[3 * t + 2]!
    if (turned) taken[face[t]!] = 1
  }
  const origin = new Uint32Array(s.origin.length + extra.length)
  origin.set(s.origin)
  origin.set(extra, s.origin.length)
  return { ...s, index, origin, face, twin: Uint32Array.from(twin) }
}

/** Positions of all that are drawn. */
export function spread(s: Surface, x: Float32Array, out: Float32Array): void {
  const { origin } = s
  for (let i = 0; i < origin.length; i++) {
    const v = 3 * origin[i]!
    out[3 * i] = x[v]!
    out[3 * i + 1] = x[v + 1]!
    out[3 * i + 2] = x[v + 2]!
  }
}

/** Unnormalised normals at all that are drawn, from their positions. */
export function vertexNormals(s: Surface, x: Float32Array, out: Float32Array): void {
  const { index, twin } = s
  const own = s.origin.length - twin.length
  out.fill(0)
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t]!
    const b = 3 * index[t + 1]!
    const last = index[t + 2]!
    const c = 3 * last
    const ax = x[a]!
    const ay = x[a + 1]!
    const az = x[a + 2]!
    const ux = x[b]! - ax
    const uy = x[b + 1]! - ay
    const uz = x[b + 2]! - az
    const vx = x[c]! - ax
    const vy = x[c + 1]! - ay
    const vz = x[c + 2]! - az
    const nx = uy * vz - uz * vy
    const ny = uz * vx - ux * vz
    const nz = ux * vy - uy * vx
    const d = last < own ? c : 3 * twin[last - own]!
    out[a]! += nx
    out[a + 1]! += ny
    out[a + 2]! += nz
    out[b]! += nx
    out[b + 1]! += ny
    out[b + 2]! += nz
    out[d]! += nx
    out[d + 1]! += ny
    out[d + 2]! += nz
  }
  for (let k = 0; k < twin.length; k++) {
    const from = 3 * twin[k]!
    const to = 3 * (own + k)
    out[to] = out[from]!
    out[to + 1] = out[from + 1]!
    out[to + 2] = out[from + 2]!
  }
}
