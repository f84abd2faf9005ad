// Parts of plots that are looked into: node --test test/
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { panned, towards, zoomed } = await load('plot_window.ts')

// pixels 0..100 of a..b, as scales of d3 are
const run = (a, b, [p, q] = [0, 100], log = false) => ({
  domain: () => [a, b],
  range: () => [p, q],
  invert: (px) => (log ? a * (b / a) ** ((px - p) / (q - p)) : a + ((b - a) * (px - p)) / (q - p)),
})
const near = (got, want) => got.forEach((v, k) => assert.ok(Math.abs(v - want[k]) < 1e-9, `${got} ${want}`))

test('what is below the pointer stays there', () => {
  const x = run(0, 10)
  const y = run(0, 1, [100, 0])
  const seen = zoomed(x, y, 20, 50, 0.5)
  near(seen.x, [1, 6])
  near(seen.y, [0.25, 0.75])
  const back = zoomed(run(...seen.x), run(...seen.y, [100, 0]), 20, 50, 2)
  near(back.x, [0, 10])
})

test('scales by ratios are zoomed by ratios', () => near(zoomed(run(1, 1e4, [0, 100], true), run(0, 1), 50, 50, 0.5).x, [10, 1000]))

test('moved with the pointer, or to a point', () => {
  const [x, y] = [run(0, 10), run(0, 1, [100, 0])]
  near(panned(x, y, 10, 0).x, [-1, 9])
  near(panned(x, y, 0, 10).y, [0.1, 1.1])
  assert.equal(towards(x, y, 50, 50), null)
  const seen = towards(x, y, 150, 50)
  assert.ok(seen.x[0] < 15 && seen.x[1] > 15)
  near(seen.y, [0, 1])
})
