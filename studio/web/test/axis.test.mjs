import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { makeAxis, placeOn, told, valueAt, widen } = await load('axis.ts')
const look = (label, more = {}) => ({ label, length: null, log: false, whole: false, most: 0, ...more })
const texts = (a) => a.ticks.map((t) => t.text)

test('round ticks', () => {
  assert.deepEqual(texts(makeAxis(0, 10, 5, look('n'))), ['0', '2', '4', '6', '8', '10'])
  assert.deepEqual(texts(makeAxis(-0.35, 0.22, 4, look('u'))), ['−0.2', '0.0', '0.2'])
})

test('prefixes of units', () => {
  assert.equal(makeAxis(0, 0.02, 5, look('tip (m)')).label, 'tip (mm)')
  assert.equal(makeAxis(0, 3e9, 5, look('stress (Pa)')).label, 'stress (GPa)')
  assert.equal(makeAxis(0, 3e-6, 5, look('area (m^2)')).label, 'area (10⁻⁶ m²)')
  assert.equal(makeAxis(0, 2e-5, 5, look('ratio')).label, 'ratio (×10⁻⁶)')
  assert.equal(makeAxis(0, 0.02, 5, look('speed (m/s)')).label, 'speed (mm/s)')
  assert.equal(makeAxis(0, 0.5, 5, look('tip (m)', { length: 'mm' })).label, 'tip (mm)')
  assert.deepEqual(texts(makeAxis(0, 0.5, 5, look('tip (m)', { length: 'mm' }))), ['0', '100', '200', '300', '400', '500'])
})

test('what all figures share is taken off', () => {
  const a = makeAxis(1000.001, 1000.009, 4, look('f (Hz)'))
  assert.match(a.label, /^f − 1000 Hz/)
  assert.ok(Math.abs(valueAt(a, placeOn(a, 1000.004)) - 1000.004) < 1e-9)
})

test('logarithms', () => {
  const a = makeAxis(1e-3, 1e3, 7, look('x', { log: true }))
  assert.deepEqual(texts(a), ['0.001', '0.01', '0.1', '1', '10', '100', '1000'])
  assert.ok(Math.abs(placeOn(a, 1) - 0.5) < 1e-12)
  assert.ok(Number.isNaN(placeOn(a, -1)))
  assert.deepEqual(texts(makeAxis(1e-9, 1e3, 5, look('x', { log: true }))), ['10⁻⁹', '10⁻⁶', '10⁻³', '10⁰', '10³'])
  assert.ok(makeAxis(2, 3, 5, look('x', { log: true })).ticks.length > 2)
})

test('ranges', () => {
  assert.deepEqual(widen(1, 10, false, 0, true), [0, 10])
  assert.deepEqual(widen(5, 5, false, 0, false), [4.5, 5.5])
  assert.deepEqual(widen(0, 0, false, 0, false), [-1, 1])
  assert.deepEqual(widen(Infinity, -Infinity, false, 0, false), [0, 1])
})

test('read-outs have the unit of the axis', () => {
  const a = makeAxis(0, 0.02, 5, look('tip (m)'))
  assert.equal(told(a, 0.01234567), '12.346 mm')
})
