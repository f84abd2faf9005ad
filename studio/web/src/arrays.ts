// Models and motions with their arrays fetched, as the viewer takes them.
import type { Model, Orbit, Solids } from './protocol'
import { connection } from './state'
import type { ModelArrays, OrbitArrays, SolidsArrays } from './viewer/types'

async function load(m: Model): Promise<ModelArrays> {
  const [x, triangles, segments, edges, points] = await Promise.all([
    connection.floats(m.x),
    connection.ints(m.triangles),
    connection.ints(m.segments),
    connection.ints(m.edges),
    connection.ints(m.points),
  ])
  const nodes = <T extends { nodes: Model['x'] }>(list: readonly T[]) =>
    Promise.all(list.map(async (n) => ({ ...n, nodes: await connection.ints(n.nodes) })))
  const springs = { ends: await connection.floats(m.springs.ends), nodes: await connection.ints(m.springs.nodes), at: await connection.floats(m.springs.at) }
  const obstacles = await Promise.all(m.obstacles.map(async (o) => ({ ...o, lines: await connection.floats(o.lines) })))
  const [supports, drives, loads] = await Promise.all([nodes(m.supports), nodes(m.drives), nodes(m.loads)])
  const solids = m.solids ? await solidsArrays(m.solids) : null
  return {
    title: m.title, dim: m.dim, length: m.length, x, triangles, segments, edges, points,
    supports, drives, loads, springs, obstacles, solids, watched: m.watched, gravity: m.gravity,
  }
}

/** Rigid elements with their shapes. */
export async function solidsArrays(s: Solids): Promise<SolidsArrays> {
  const meshes = await Promise.all(s.meshes.map(async (m) => ({ x: await connection.floats(m.x), triangles: await connection.ints(m.triangles) })))
  return { meshes, of: await connection.ints(s.of), poses: await connection.floats(s.poses) }
}

const known = new Map<number, Promise<ModelArrays>>()

/** The arrays of a model, of which the last few are kept. */
export function modelArrays(m: Model): Promise<ModelArrays> {
  const there = known.get(m.rev)
  if (there) return there
  const loading = load(m)
  known.set(m.rev, loading)
  loading.catch(() => known.delete(m.rev))
  if (known.size > 4) known.delete(known.keys().next().value!)
  return loading
}

export async function orbitArrays(o: Orbit): Promise<OrbitArrays> {
  return { coefficients: await connection.floats(o.coefficients), harmonics: o.harmonics, omega: o.omega }
}
