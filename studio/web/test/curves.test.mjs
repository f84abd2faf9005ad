// Parts of curves, what stands out on them, measured points: node --test test/
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { isCurve, measuredOf, partsOf, quantities, quantityWords, readCsv, specialsOf, specialsSoFar } = await load('curves.ts')

const columns = ['frequency', 'omega', 'stable', 'harmonics', 'residual', 'branch', 'periods', 'tip_path', 'tip_phase1_x'].map((name) => ({ name, unit: name === 'tip_path' ? 'm' : '' }))
const row = (f, stable, branch, y) => [f, 2 * Math.PI * f, stable, 3, 0, branch, 1, y, 0]

// up, over the peak, back along the unstable part, up again; then another branch
const curve = {
  columns,
  rows: [row(1, 1, 0, 1), row(2, 1, 0, 3), row(3, 1, 0, 5), row(3.2, 0, 0, 4), row(3, 0, 0, 3), row(2.8, 0, 0, 2), row(3, 1, 0, 1), row(4, 1, 0, 0.5), row(2, 1, 1, 2), row(2.1, 1, 1, 2)],
}

test('lines are solid, dashed and apart', () => {
  assert.ok(isCurve(columns))
  assert.deepEqual(partsOf(curve), [
    { stable: true, points: [0, 1, 2] },
    { stable: false, points: [2, 3, 4, 5, 6] },
    { stable: true, points: [6, 7] },
    { stable: true, points: [8, 9] },
  ])
  assert.deepEqual(partsOf({ columns, rows: [] }), [])
  assert.deepEqual(quantities(columns).map((c) => c.name), ['tip_path'])
})

test('peaks and folds as they pass', () => {
  const found = specialsSoFar(curve, 'tip_path').map((s) => [s.kind, s.after])
  assert.deepEqual(found, [['peak', 2], ['fold', 3], ['fold', 5]])
})

test('special points of a place', () => {
  const csv = 'kind,after_point,frequency_Hz,omega_rad_s,watch,path_m,max_x_m\npeak,2,3.1,19,tip,0.5,0.2\nfold,3,3.2,20,tip,0.4,0.1\nfold,3,3.2,20,base,0.3,\n'
  assert.deepEqual(specialsOf(csv, 'tip_path'), [
    { kind: 'peak', frequency: 3.1, value: 0.5, after: 2 },
    { kind: 'fold', frequency: 3.2, value: 0.4, after: 3 },
  ])
  assert.deepEqual(specialsOf(csv, 'base_max_x'), [])
})

test('measured points in their units', () => {
  const [a, b] = measuredOf('# of the shaker\nfrequency_Hz,tip_mm,phase_deg,other\n1,2.5,0,7\n2,3.5,0,8\n', 1e-3)
  assert.deepEqual(a, { name: 'tip_mm', points: [{ frequency: 1, value: 0.0025 }, { frequency: 2, value: 0.0035 }] })
  assert.equal(b.points[0].value, 0.007)
  const plain = measuredOf('1;0.5\n2;0.25\n', 1)
  assert.deepEqual(plain[0].points, [{ frequency: 1, value: 0.5 }, { frequency: 2, value: 0.25 }])
  assert.ok(Math.abs(measuredOf('omega,x_um\n6.283185307179586,1\n', 1)[0].points[0].frequency - 1) < 1e-12)
  assert.deepEqual(readCsv('').rows, [])
})

test('words for columns', () => {
  assert.deepEqual(['hand_l_path', 'tip_max_x', 'tip_h2_y', 'energy'].map(quantityWords), ['hand_l: path length', 'tip: largest deviation in x', 'tip: harmonic 2 in y', 'energy'])
})
