// Jumps as their tables tell them: node --test test/
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { audit, centrePath, energies, forces, heights, isMotion, ledger, outcome, phaseAt, stagesOf, turns, upOf } = await load('jumps.ts')

const columns = ['time s', 'kinetic J', 'elastic J', 'potential J', 'total J', 'dissipated J', 'stage', 'centre_x m', 'centre_y m', 'centre_z m', 'angle rad', 'top_x m', 'top_y m', 'top_z m', 'floor_normal N', 'floor_friction N'].map((c) => ({ name: c.split(' ')[0], unit: c.split(' ')[1] ?? '' }))
const row = (time, stage, z) => [time, 1, 2, 5, 6, 0.5, stage, 0, 0, z, Math.PI, 0, 0, 10 * z, 3, 1]
const data = [row(0, 1, 0), row(1, 1, 1), row(2, 2, 2), row(3, 3, 3), row(4, 2, 2), row(5, 4, 1), row(6, 3, 2), row(7, 4, 1)]
const table = { columns, rows: data.length, at: (r, c) => data[r][c] }
const ys = (s) => [...s.xy].filter((_, k) => k % 2 === 1)

test('stages with their ends, and bounces', () => {
  assert.deepEqual(stagesOf(table).map((s) => [s.name, s.from, s.to]), [['launch', 0, 2], ['air', 2, 3], ['flight', 3, 4], ['air', 4, 5], ['landing', 5, 6], ['flight', 6, 7], ['bounce 1', 7, 7]])
  assert.deepEqual(stagesOf({ columns: columns.slice(0, 6), rows: 2, at: table.at }), [])
  assert.ok(isMotion(columns) && !isMotion(columns.slice(1)))
})

test('heights against gravity', () => {
  assert.deepEqual(upOf([0, 0, -9.81], 3), [0, 0, 1])
  assert.deepEqual(upOf([0, 0, 0], 2), [0, 1, 0])
  assert.deepEqual(ys(heights(table, [0, 0, 1], ['top'])[0]), [0, 1, 2, 3, 2, 1, 2, 1])
  const bare = { ...table, columns: columns.map((c) => ({ ...c, name: c.name.replace('centre', 'other') })) }
  const [top] = heights(bare, [0, 0, 1], ['nothing', 'top'])
  assert.equal(top.name, 'top')
  assert.equal(ys(top)[3], 30)
})

test('forces, energies, turns, path', () => {
  assert.deepEqual(forces(table).map((s) => s.name), ['floor'])
  const e = Object.fromEntries(energies(table).map((s) => [s.name, ys(s)[0]]))
  assert.deepEqual(e, { kinetic: 1, elastic: 2, 'of loads and weight': 3, lost: 0.5, 'all but the lost': 6 })
  assert.equal(ys(turns(table)[0])[0], 0.5)
  assert.deepEqual([...centrePath(table, 3)], [0, 0, 0, 0, 0, 2, 0, 0, 1])
  assert.deepEqual([phaseAt(3, 1, 5), phaseAt(9, 1, 5), phaseAt(1, 1, 1)], [0.5, 1, 0])
})

test('figures', () => {
  const figures = { energy_made_most_J: 1, energy_scale_J: 50, unsound_steps: 0, jump: { rise_m: 0.2, angle_rad: Math.PI, face: '-z', face_start: '+z', upright: false, bounces: 2, landing: { speed_m_s: 2 }, energy: { start_J: 1, contact_J: 0.25, damping_J: 0.5, handover_J: 0, made_J: 0, end_J: 0.25 } } }
  const all = Object.fromEntries(outcome(figures).map((l) => [l.name, l.value]))
  assert.deepEqual(all, { 'rises by': 0.2, turns: 0.5, 'points up': '-z (+z at the start)', 'stands as it stood': false, bounces: 2, 'lands at': 2 })
  const book = ledger(figures)
  assert.equal(book.slice(0, -1).reduce((sum, l) => sum + l.value, 0), book.at(-1).value)
  assert.deepEqual(audit(figures).map((l) => l.value), [2, 0])
  assert.deepEqual(outcome({ time_s: 2, steps: 7 }).map((l) => l.value), [2, 7])
  assert.deepEqual(ledger({}), [])
})
