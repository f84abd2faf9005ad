// Targets: smoothing, reach, files: node --test test/
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { pointsOf, reachOf, sampled, smoothed, targetCsv, transformed } = await load('target_curve.ts')

const near = (a, b, tol) => assert.ok(Math.abs(a - b) <= tol, `${a} ${b}`)

test('a circle is its first harmonic, however its points are spaced', () => {
  const points = [0, 0.1, 0.5, 0.7, 1.4, 2, 2.9, 3.3, 4, 4.4, 5, 5.9].map((a) => [1 + 2 * Math.cos(a), 3 + 2 * Math.sin(a)])
  const fine = Array.from({ length: 400 }, (_, k) => [1 + 2 * Math.cos((2 * Math.PI * k) / 400), 3 + 2 * Math.sin((2 * Math.PI * k) / 400)])
  const c = smoothed(fine, null, 3)
  near(c.u[0], 1, 1e-4)
  near(c.u[2], 2, 1e-3)
  near(c.v[1], 2, 1e-3)
  near(Math.hypot(c.u[3], c.u[4], c.v[5]), 0, 1e-3)
  // a polygon of few points is smaller, but no less round
  const rough = smoothed(points, null, 1)
  near(rough.u[2], 2, 0.15)
  assert.equal(smoothed(points.slice(0, 2), null, 1), null)
})

test('times count where they are given', () => {
  const t = Array.from({ length: 64 }, (_, k) => k / 64)
  const points = t.map((s) => [Math.sin(2 * Math.PI * s), Math.sin(4 * Math.PI * s)])
  const c = smoothed(points, t, 2)
  near(c.u[1], 1, 1e-12)
  near(c.v[3], 1, 1e-12)
  const back = sampled(c, 8)
  near(back[2][0], 1, 1e-12)
})

test('turned, scaled and moved about the middle', () => {
  const square = [[0, 0], [2, 0], [2, 2], [0, 2]]
  const got = transformed(square, 2, Math.PI / 2, 1, 0)
  near(got[0][0], 4, 1e-12)
  near(got[0][1], -1, 1e-12)
})

// a node whose motion is a circle of radius 1; p scales x, q moves y
const circle = {
  z: [Float64Array.from([0, 0, 1]), Float64Array.from([0, 1, 0])],
  S: [
    [Float64Array.from([0, 0, 1]), Float64Array.from([0, 0, 0])],
    [Float64Array.from([0, 0, 0]), Float64Array.from([1, 0, 0])],
  ],
  least: [-0.5, -1],
  most: [0.5, 1],
}

test('within reach, and beyond the bounds', () => {
  const within = reachOf(circle, [Float64Array.from([0, 0, 1.3]), Float64Array.from([0.4, 1, 0])])
  assert.ok(within.best < 1e-6 && within.now > 0.2)
  near(within.change[0], 0.3, 1e-6)
  near(within.change[1], 0.4, 1e-6)
  const beyond = reachOf(circle, [Float64Array.from([0, 0, 2]), Float64Array.from([0, 1, 0])])
  near(beyond.change[0], 0.5, 1e-6)
  near(beyond.best, (0.5 * Math.SQRT1_2) / Math.sqrt(2.5), 1e-6)
})

test('the phase of a target is free', () => {
  // the same circle, begun a quarter of a turn later
  const late = reachOf(circle, [Float64Array.from([0, -1, 0]), Float64Array.from([0, 0, 1])])
  assert.ok(late.now < 1e-9 && late.best < 1e-9)
})

test('files come back as they were', () => {
  const c = smoothed(Array.from({ length: 100 }, (_, k) => [0.1 + 0.02 * Math.cos((2 * Math.PI * k) / 100), 0.01 * Math.sin((2 * Math.PI * k) / 100)]), null, 2)
  const csv = targetCsv(c, [0, 2], 3, [7, 8, 9], 2 * Math.PI)
  const [head, ...rows] = csv.trim().split('\n').map((l) => l.split(','))
  assert.deepEqual(head, ['t_s', 'x_m', 'y_m', 'z_m'])
  assert.equal(rows.length, 64)
  assert.equal(Number(rows[5][2]), 8)
  const back = pointsOf(head, rows, [0, 2], 1e-3)
  assert.equal(back.points.length, 64)
  near(back.times[1], 1 / 64, 1e-9)
  const again = smoothed(back.points, back.times, 2)
  near(again.u[2], c.u[2], 1e-9)
  assert.equal(pointsOf(['a', 'b'], [], [0, 1], 1), null)
  // units of columns; a last point that repeats the first
  const mm = pointsOf(['x_mm', 'y'], [['0', '0'], ['1', '0'], ['1', '1'], ['0', '1'], ['0', '0']], [0, 1], 1)
  assert.deepEqual(mm.points[2], [0.001, 1])
  assert.equal(mm.points.length, 4)
})
