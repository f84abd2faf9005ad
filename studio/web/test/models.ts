// Models made up for tests of the viewer.
import type { FilmArrays, ModelArrays, OrbitArrays, SolidsArrays } from '../src/viewer/types'

const mm = { unit: 'mm', si: 1e-3 }

/** A sheet of 2 n n triangles. */
export function sheet(n: number, width = 0.4, depth = 0.3): ModelArrays {
  const x = new Float32Array(3 * (n + 1) * (n + 1))
  const triangles = new Int32Array(6 * n * n)
  for (let j = 0; j <= n; j++) for (let i = 0; i <= n; i++) x.set([(i / n) * width, (j / n) * depth, 0], 3 * (j * (n + 1) + i))
  for (let j = 0, t = 0; j < n; j++)
    for (let i = 0; i < n; i++, t += 6) {
      const a = j * (n + 1) + i
      const [b, c, d] = [a + 1, a + n + 1, a + n + 2]
      triangles.set((i + j) % 2 ? [a, b, c, b, d, c] : [a, b, d, a, d, c], t)
    }
  const root = Int32Array.from({ length: n + 1 }, (_, j) => j * (n + 1))
  const tip = (n + 1) * (n + 1) - 1
  return {
    title: 'sheet', dim: 3, length: mm, x, triangles, gravity: [0, 0, -9.81],
    supports: [{ name: 'root', nodes: root, text: 'clamped' }],
    watched: [{ name: 'tip', node: tip }],
    loads: [{ name: 'wind', nodes: Int32Array.from({ length: n + 1 }, (_, i) => n * (n + 1) + i), direction: [0, 0, 1] }],
  }
}

/** Bending and twist of a sheet, of two harmonics and more, all others zero. */
export function flapping(m: ModelArrays, H: number): OrbitArrays {
  const n = 2 * H + 1
  const c = new Float32Array(m.x.length * n)
  const width = Math.max(...Array.from(m.x).filter((_, i) => i % 3 === 0))
  for (let i = 0; i < m.x.length; i++) c[i * n] = m.x[i]!
  for (let v = 0; v < m.x.length / 3; v++) {
    const s = m.x[3 * v]! / width
    const y = m.x[3 * v + 1]! - 0.15
    const z = (3 * v + 2) * n
    c[z + 1] = 0.09 * s * s * width / 0.4
    if (H > 1) c[z + 4] = 0.25 * y * s
    c[3 * v * n] = m.x[3 * v]! * (1 - 0.01 * s)
    if (H > 1) c[3 * v * n + 4] = 0.008 * s * s
  }
  return { coefficients: c, harmonics: H, omega: 2 * Math.PI * 3.2 }
}

/** Rods in a lattice dome. */
export function network(rings = 7, around = 18): ModelArrays {
  const x: number[] = [0, 0, 0.3]
  const segments: number[] = []
  for (let r = 1; r <= rings; r++)
    for (let k = 0; k < around; k++) {
      const t = (r / rings) * 1.25
      const a = (2 * Math.PI * (k + 0.5 * (r % 2))) / around
      x.push(0.35 * Math.sin(t) * Math.cos(a), 0.35 * Math.sin(t) * Math.sin(a), 0.3 * Math.cos(t))
      const me = 1 + (r - 1) * around + k
      segments.push(me, 1 + (r - 1) * around + ((k + 1) % around))
      if (r === 1) segments.push(0, me)
      else {
        segments.push(me - around, me)
        segments.push(1 + (r - 2) * around + ((k + (r % 2 ? around - 1 : 1)) % around), me)
      }
    }
  const last = 1 + (rings - 1) * around
  return {
    title: 'rods', dim: 3, length: mm, x: Float32Array.from(x), segments: Int32Array.from(segments), gravity: [0, 0, -9.81],
    supports: [{ name: 'foot', nodes: Int32Array.from({ length: around }, (_, k) => last + k) }],
    watched: [{ name: 'crown', node: 0 }],
  }
}

/** The skin of a bracket of n cells a side, L-shaped: creases everywhere. */
export function solid(n = 12): ModelArrays {
  const number = new Map<string, number>()
  const x: number[] = []
  const triangles: number[] = []
  const edges: number[] = []
  const h = 0.1 / n
  const inside = (i: number, j: number, k: number): boolean => i >= 0 && j >= 0 && k >= 0 && i < 2 * n && j < n && k < 2 * n && (i < n / 2 || k < n / 2)
  const at = (i: number, j: number, k: number): number => {
    const key = `${i},${j},${k}`
    if (!number.has(key)) {
      number.set(key, x.length / 3)
      x.push(i * h, j * h, k * h)
    }
    return number.get(key)!
  }
  for (let i = 0; i < 2 * n; i++)
    for (let j = 0; j < n; j++)
      for (let k = 0; k < 2 * n; k++) {
        if (!inside(i, j, k)) continue
        const sides: [number, number, number][] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
        for (const [a, b, c] of sides) {
          if (inside(i + a, j + b, k + c)) continue
          const axis = a ? 0 : b ? 1 : 2
          const s = a + b + c > 0 ? 1 : 0
          const corner = (u: number, v: number): number => {
            const p = [i, j, k]
            p[axis]! += s
            p[(axis + 1) % 3]! += u
            p[(axis + 2) % 3]! += v
            return at(p[0]!, p[1]!, p[2]!)
          }
          const q = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]
          if (!s) q.reverse()
          triangles.push(q[0]!, q[1]!, q[2]!, q[0]!, q[2]!, q[3]!)
          edges.push(q[0]!, q[1]!, q[1]!, q[2]!, q[2]!, q[3]!, q[3]!, q[0]!)
        }
      }
  return { title: 'bracket', dim: 3, length: mm, x: Float32Array.from(x), triangles: Int32Array.from(triangles), edges: Int32Array.from(edges) }
}

/** Flat: links in a chain with springs across, a floor, a crank. */
export function links(): ModelArrays {
  const x = [0, 0, 0, 0.06, 0.05, 0, 0.16, 0.05, 0, 0.22, 0.0, 0, 0.3, -0.02, 0, 0.11, 0.11, 0]
  return {
    title: 'linkage', dim: 2, length: mm, x: Float32Array.from(x), segments: Int32Array.from([0, 1, 1, 2, 2, 3, 3, 4, 1, 5, 5, 2]), points: Int32Array.from([4]),
    springs: { ends: Float32Array.from([0.03, 0.025, 0, 0.11, 0.05, 0, 0.11, 0.05, 0, 0.19, 0.025, 0]) },
    supports: [{ name: 'pin', nodes: Int32Array.from([0]) }],
    drives: [{ name: 'crank', nodes: Int32Array.from([0]), axis: [0, 0, 1], centre: [0, 0, 0] }],
    obstacles: [{ name: 'floor', lines: Float32Array.from([-0.05, -0.06, 0, 0.35, -0.06, 0]) }],
    watched: [{ name: 'foot', node: 4 }],
    gravity: [0, -9.81, 0],
  }
}

export function swinging(m: ModelArrays): OrbitArrays {
  const H = 3
  const n = 2 * H + 1
  const c = new Float32Array(m.x.length * n)
  for (let v = 0; v < m.x.length / 3; v++) {
    const [px, py] = [m.x[3 * v]!, m.x[3 * v + 1]!]
    for (let k = 0; k < 64; k++) {
      const phase = (2 * Math.PI * k) / 64
      const a = 0.35 * Math.sin(phase) + 0.5 * px * Math.cos(2 * phase)
      const q = [px * Math.cos(a) - py * Math.sin(a), px * Math.sin(a) + py * Math.cos(a)]
      for (let d = 0; d < 2; d++) {
        const at = (3 * v + d) * n
        c[at]! += q[d]! / 64
        for (let h = 1; h <= H; h++) {
          c[at + 2 * h - 1]! += (2 / 64) * Math.sin(h * phase) * q[d]!
          c[at + 2 * h]! += (2 / 64) * Math.cos(h * phase) * q[d]!
        }
      }
    }
  }
  return { coefficients: c, harmonics: H, omega: 2 * Math.PI }
}

/** A sheet that falls over a bump, as a film with one value a face. */
export function draping(m: ModelArrays, n: number): FilmArrays {
  const time = Float32Array.from({ length: n }, (_, k) => (0.8 * k) / (n - 1))
  const x = new Float32Array(n * m.x.length)
  const ntri = m.triangles!.length / 3
  const face = new Float32Array(n * ntri)
  for (let k = 0; k < n; k++) {
    const f = (k / (n - 1)) ** 2
    for (let v = 0; v < m.x.length / 3; v++) {
      const [a, b] = [m.x[3 * v]! - 0.2, m.x[3 * v + 1]! - 0.15]
      const r = Math.hypot(a, b)
      x.set([m.x[3 * v]!, m.x[3 * v + 1]!, -f * (0.5 * Math.max(0, r - 0.06) + 0.02 * Math.cos(6 * Math.atan2(b, a)) * Math.max(0, r - 0.08) / 0.1)], k * m.x.length + 3 * v)
    }
    for (let t = 0; t < ntri; t++) {
      const v = m.triangles![3 * t]!
      face[k * ntri + t] = f * 0.12 * Math.min(1.02, (Math.hypot(m.x[3 * v]! - 0.2, m.x[3 * v + 1]! - 0.15) / 0.2))
    }
  }
  return { time, x, face }
}

/** Rings in a square weave. */
export function mail(n: number): SolidsArrays {
  const [R, r, p, q] = [0.006, 0.0009, 28, 10]
  const x: number[] = []
  const triangles: number[] = []
  for (let i = 0; i < p; i++)
    for (let j = 0; j < q; j++) {
      const [a, b] = [(2 * Math.PI * i) / p, (2 * Math.PI * j) / q]
      x.push((R + r * Math.cos(b)) * Math.cos(a), (R + r * Math.cos(b)) * Math.sin(a), r * Math.sin(b))
      const [c, d, e, f] = [i * q + j, ((i + 1) % p) * q + j, ((i + 1) % p) * q + ((j + 1) % q), i * q + ((j + 1) % q)]
      triangles.push(c, d, e, c, e, f)
    }
  const count = n * n
  const out: SolidsArrays = {
    meshes: [{ x: Float32Array.from(x), triangles: Int32Array.from(triangles) }],
    of: new Int32Array(2 * count), poses: new Float32Array(12 * count),
  }
  for (let k = 0; k < count; k++) {
    const [i, j] = [k % n, Math.floor(k / n)]
    const u = (0.62 * (i % 2 ? 1 : -1))
    const [s, c] = [Math.sin(u), Math.cos(u)]
    out.poses.set([0.0086 * i, 0.0075 * j, 0.002 * Math.sin(i / 2) * Math.sin(j / 3), c, 0, s, 0, 1, 0, -s, 0, c], 12 * k)
    out.of[2 * k + 1] = j % 5 === 2 ? 1 : i === 3 && j === 3 ? 2 : 0
  }
  return out
}
