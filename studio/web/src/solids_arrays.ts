import type { Solids } from './protocol'
import { connection } from './state'
import type { SolidsArrays } from './viewer/types'

/** Rigid elements as the viewer takes them. */
export async function solidsArrays(s: Solids): Promise<SolidsArrays> {
  const shapes = await Promise.all(s.meshes.map(async (m) => ({ x: await connection.floats(m.x), triangles: await connection.ints(m.triangles) })))
  const [of, poses] = await Promise.all([connection.ints(s.of), connection.floats(s.poses)])
  const n = of.length / 2
  const place = new Float32Array(3 * n)
  const turn = new Float32Array(9 * n)
  for (let k = 0; k < n; k++) {
    place.set(poses.subarray(12 * k, 12 * k + 3), 3 * k)
    turn.set(poses.subarray(12 * k + 3, 12 * k + 12), 9 * k)
  }
  return { shapes, shape: of.filter((_, k) => k % 2 === 0), tone: of.filter((_, k) => k % 2 === 1), place, turn }
}
