// The prediction of the page against double loops: node --test test/
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { Prediction, pathLength, motionDistance, trustOf } = await load('predict.ts')

let seed = 1
const random = () => ((seed = (seed * 48271) % 2147483647) / 2147483647) * 2 - 1
const numbers = (n, size) => Float32Array.from({ length: n }, () => size * random())

// in doubles, parameter by parameter
function plain(z, S, dx) {
  const out = Float64Array.from(z)
  for (let k = 0; k < dx.length; k++) for (let i = 0; i < z.length; i++) out[i] += dx[k] * S[k * z.length + i]
  return out
}

// of single precision alone: half a unit in the last place of what is stored
function same(got, want) {
  for (let i = 0; i < want.length; i++) {
    const ulp = 2 ** (Math.floor(Math.log2(Math.abs(want[i]) || 1e-30)) - 23)
    assert.ok(Math.abs(got[i] - want[i]) <= 0.51 * ulp, `${i}: ${got[i]} ${want[i]}`)
  }
}

test('equals a double loop, whatever changed last', () => {
  for (const np of [1, 2, 3, 4, 5, 7, 20]) {
    const n = 3 * 17 * 11
    const z = numbers(n, 0.3)
    const S = numbers(np * n, 5)
    const p = new Prediction(z, S, np)
    const dx = new Array(np).fill(0)
    same(p.at(dx), plain(z, S, dx))
    for (let round = 0; round < 40; round++) {
      if (round % 5 === 0) for (let k = 0; k < np; k++) dx[k] = 0.01 * random()
      else dx[round % 3 === 0 ? Math.floor(Math.abs(random()) * np * 0.999) : 0] = 0.01 * random()
      if (round === 30) dx.fill(0)
      same(p.at(dx), plain(z, S, dx))
    }
  }
})

test('goes with the size of the motion, not of the places', () => {
  // changes of 3 mm at 0.3 m from the origin
  const n = 3000
  const z = numbers(n, 0.3)
  const S = numbers(4 * n, 1)
  const dx = [1e-3, -1e-3, 2e-3, 5e-4]
  const p = new Prediction(z, S, 4)
  const got = p.at(dx)
  const want = plain(z, S, dx)
  let off = 0
  for (let i = 0; i < n; i++) off += (got[i] - want[i]) ** 2
  assert.ok(Math.sqrt(off / n) < 1e-8)
})

test('sensitivities of another motion are refused', () => {
  assert.throws(() => new Prediction(new Float32Array(9), new Float32Array(10), 1))
})

test('path length of a circle and of a line', () => {
  // x = r cos, y = r sin; and z = a sin 2 alone
  const H = 2
  const c = new Float32Array(2 * 3 * 5)
  c.set([1, 0, 0.5, 0, 0], 0)
  c.set([2, 0.5, 0, 0, 0], 5)
  c.set([3, 0, 0, 0.25, 0], 25)
  assert.ok(Math.abs(pathLength(c, H, 0) - Math.PI) < 1e-6)
  assert.ok(Math.abs(pathLength(c, H, 0, 2) - 2) < 1e-4)
  assert.ok(Math.abs(pathLength(c, H, 1) - 8 * 0.25) < 1e-4)
})

test('distance of motions', () => {
  const a = new Float32Array(2 * 3 * 3)
  const b = a.slice()
  b[0] = 3e-3 // mean of x of the first
  b[10] = 4e-3 // sine of x of the second
  assert.ok(Math.abs(motionDistance(a, b, 1) - Math.sqrt((9e-6 + 8e-6) / 2)) < 1e-9)
})

test('what trust means', () => {
  assert.deepEqual([undefined, null, 0.01, 0.1, 0.5].map(trustOf), ['unknown', 'poor', 'good', 'fair', 'poor'])
})

test('4,096 vertices and 20 parameters take a few milliseconds', (t) => {
  const n = 4096 * 3 * 11
  const z = numbers(n, 0.3)
  const S = numbers(20 * n, 1)
  const p = new Prediction(z, S, 20)
  const dx = new Array(20).fill(0)
  const time = (change) => {
    const all = []
    for (let round = 0; round < 30; round++) {
      change(round)
      const t0 = performance.now()
      p.at(dx)
      all.push(performance.now() - t0)
    }
    return all.sort((a, b) => a - b)[15]
  }
  const one = time((round) => (dx[3] = 1e-3 * round))
  const all = time(() => dx.forEach((_, k) => (dx[k] = 1e-3 * random())))
  t.diagnostic(`one slider ${one.toFixed(2)} ms, all at once ${all.toFixed(2)} ms`)
  assert.ok(one < 5 && all < 40)
})
