// Limits of interlocking materials, from tables to elements: node --test test/
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { atRest, contactsOf, figuresOf, flatten, latticeOf, poseOf, posesOf, slice, stretchOf, surround, value, withForces } = await load('limits.ts')

const table = (names, ...rows) => ({ columns: names.split(' ').map((n) => ({ name: n, unit: '' })), rows: rows.length, data: Float64Array.from(rows.flat()) })
const near = (got, want, what) => [...got].forEach((v, k) => assert.ok(Math.abs(v - want[k]) < 1e-6, `${what ?? ''} ${k}: ${v} is not ${want[k]}`))

const limits = table('angle strain_max strain_across_max strain_min strain_across_min play bound_max bound_min contacts_max contacts_min certified_max certified_min open_max open_min',
  [0, 0.06, -0.01, -0.1, 0.02, 0.18, 1e-5, 2e-5, 8, 4, 1, 0, 0, 0], [90, 0.2, 0, -0.3, 0, 0.7, 0, 0, 8, 4, 1, 1, 0, 1])

test('a quaternion as a rotation by rows', () => {
  const half = Math.SQRT1_2
  near(poseOf([1, 2, 3], [half, 0, 0, half]), [1, 2, 3, 0, -1, 0, 1, 0, 0, 0, 0, 1])
})

test('poses of a limit are those of its row and side', () => {
  const states = table('row side element x y z qw qx qy qz', [1, 0, 1, 0, 0, 0, 1, 0, 0, 0], [1, 1, 1, 5, 0, 0, 1, 0, 0, 0], [2, 0, 1, 7, 0, 0, 1, 0, 0, 0], [2, 0, 2, 8, 0, 0, 0, 1, 0, 0])
  near(posesOf(states, { kind: '', row: 1, side: 0 }), [7, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, -1])
  assert.equal(posesOf(states, { kind: '', row: 4, side: 0 }).length, 0)
})

test('the lattice is stretched along the direction and across it', () => {
  near(stretchOf(limits, { kind: '', row: 0, side: 0 }).flat(), [1.06, 0, 0, 0.99])
  near(stretchOf(limits, { kind: '', row: 1, side: 1 }).flat(), [1, 0, 0, 0.7])
  const boundary = table('stretch_xx stretch_yy stretch_xy', [1.1, 0.9, 0.05])
  const U = stretchOf(boundary, { kind: '-boundary', row: 0, side: 0 })
  near(latticeOf([[2, 0], [0, 3]], 2, U).flat(), [4.4, 0.2, 0.3, 5.4])
  assert.equal(stretchOf(limits, { kind: '-bending', row: 0, side: 0 }), null)
})

const cell = { meshes: [{ x: new Float32Array(9), triangles: Int32Array.of(0, 1, 2) }], of: Int32Array.of(0, 0), poses: Float32Array.from(poseOf([0, 0, 0], [1, 0, 0, 0])) }

test('images about a cell, in another tone', () => {
  const all = surround(cell, cell.poses, [[1, 0], [0.5, 2]])
  assert.equal(all.of.length, 18)
  assert.deepEqual([...all.of].filter((_, k) => k % 2 === 1), [0, 0, 0, 0, 1, 0, 0, 0, 0])
  near(all.poses.subarray(0, 3), [-1.5, -2, 0])
  assert.equal(surround(cell, cell.poses, null).of.length, 2)
  near(atRest(cell, [[1, 0], [0, 2]], 2).poses.subarray(36, 39), [1, 2, 0])
})

test('contacts by their force, and arrows both ways', () => {
  const t = table('row side first second x y z normal_x normal_y normal_z force gap', [1, 0, 1, 2, 0, 0, 0, 1, 0, 0, 1, 1e-9], [1, 0, 2, 3, 0, 0, 1, 0, 0, 1, 4, 1e-9], [1, 0, 3, 4, 0, 0, 0, 0, 1, 0, 0.01, 0])
  const list = contactsOf(t, { kind: '', row: 0, side: 0 })
  assert.deepEqual(list.map((c) => c.elements), [[2, 3], [1, 2], [3, 4]])
  const drawn = withForces(cell, list, 1)
  assert.equal(drawn.meshes[1].x.length / 3, 4 * 5 * 8) // the weakest is left out
  assert.deepEqual([...drawn.of], [0, 0, 1, 2])
  const z = drawn.meshes[1].x.filter((_, k) => k % 3 === 2)
  assert.ok(Math.max(...z) > 2.19 && Math.min(...z) < -0.19)
})

test('figures are those of the side', () => {
  const f = figuresOf(limits, { kind: '', row: 0, side: 1 })
  assert.deepEqual(f.map((e) => e.name), ['angle', 'along', 'across', 'play', 'may go on by, to first order', 'contacts that push', 'certified'])
  assert.equal(f[1].value, -0.1)
  assert.ok(figuresOf(limits, { kind: '', row: 1, side: 1 }).some((e) => e.name === 'nothing holds it'))
  assert.ok(Number.isNaN(value(limits, 7, 'angle')))
})

test('a plane through an octahedron', () => {
  const x = [1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1]
  const tri = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5]
  const lines = slice(x, tri, 2, 0.25)
  assert.equal(lines.length, 1)
  assert.equal(lines[0].length, 5)
  for (const p of lines[0]) assert.ok(Math.abs(Math.abs(p[0]) + Math.abs(p[1]) - 0.75) < 1e-12)
  assert.equal(slice(x, tri, 2, 0).length, 1) // through vertices
  assert.equal(slice(x, tri, 2, 2).length, 0)
  assert.equal(flatten(lines, 2).length, 12)
})
