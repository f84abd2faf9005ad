import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { selectorsOf } = await load('selectors.ts')

// a sheet of 21 x 11 nodes, 2 mm apart, and a second one above it
const x = []
for (let s = 0; s < 2; s++) for (let j = 0; j < 11; j++) for (let i = 0; i < 21; i++) x.push(2e-3 * i, 2e-3 * j, s * 5e-3)
const at = Float32Array.from(x)
const lower = Int32Array.from({ length: 231 }, (_, k) => k)
const upper = lower.map((k) => k + 231)
const field = { x: at, dim: 3, unit: '', si: 1e-3, groups: [{ name: 'low', nodes: lower, body: true }, { name: 'high', nodes: upper, body: true }] }

// what the selectors choose, by the rules of the scene
function chosen(list) {
  const out = new Set()
  for (const s of list) {
    const [, name, rest] = /^(\w+)(?: (.*))?$/.exec(s)
    const scope = name === 'all' ? [...lower, ...upper] : field.groups.find((g) => g.name === name).nodes
    const numbers = (rest ?? '').match(/-?[\d.]+(e-?\d+)?/g)?.map(Number) ?? []
    const point = (n) => [0, 1, 2].map((c) => (at[3 * n + c] / 1e-3))
    if (!rest) for (const n of scope) out.add(n)
    else if (rest.startsWith('where')) {
      const [, axis, sign] = /where (\w) ([<>])/.exec(rest)
      for (const n of scope) if (sign === '<' ? point(n)['xyz'.indexOf(axis)] < numbers[0] : point(n)['xyz'.indexOf(axis)] > numbers[0]) out.add(n)
    } else if (rest.startsWith('box')) {
      for (const n of scope) if (point(n).every((v, c) => v >= numbers[c] && v <= numbers[c + 3])) out.add(n)
    } else {
      const distance = (n) => Math.hypot(...point(n).map((v, c) => v - numbers[c]))
      out.add([...scope].reduce((a, b) => (distance(b) < distance(a) ? b : a)))
    }
  }
  return [...out].sort((a, b) => a - b)
}

const check = (nodes, most) => {
  const list = selectorsOf(Int32Array.from(nodes), field)
  assert.ok(list, 'there is a selector')
  assert.deepEqual(chosen(list), [...nodes].sort((a, b) => a - b))
  assert.ok(list.length <= most, list.join('; '))
  return list
}

test('groups by their names', () => {
  assert.deepEqual(check(lower, 1), ['low'])
  assert.deepEqual(check([...lower, ...upper], 1), ['all'])
})

test('one node by a point', () => {
  for (const n of [0, 20, 115, 230, 231, 461]) check([n], 1)
  assert.deepEqual(check([20], 1), ['low nearest [40, 0, 0]'])
})

test('an edge by a plane, in short numbers', () => {
  assert.deepEqual(check(lower.filter((k) => k % 21 < 2), 1), ['low where x < 3'])
  assert.deepEqual(check(upper.filter((k) => (k - 231) % 21 > 18), 1), ['high where x > 37'])
})

test('a patch by a box', () => {
  const list = check(lower.filter((k) => k % 21 > 4 && k % 21 < 9 && k > 63 && k < 147), 1)
  assert.match(list[0], /^low box/)
})

test('an L by two boxes, a ring by a few', () => {
  check(lower.filter((k) => k % 21 < 3 || k < 42), 3)
  check(lower.filter((k) => Math.abs(Math.hypot((k % 21) - 10, Math.floor(k / 21) - 5) - 3) < 0.7), 16)
})

test('scattered nodes of both by boxes or points', () => {
  const nodes = [3, 77, 300, 411, 120]
  assert.deepEqual(selectorsOf(Int32Array.from(nodes), field).length, 5)
})

test('units stand where bare numbers are in another one', () => {
  assert.deepEqual(selectorsOf(Int32Array.from([20]), { ...field, unit: 'mm' }), ['low nearest [40 mm, 0, 0]'])
})
