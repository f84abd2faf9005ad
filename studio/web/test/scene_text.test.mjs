import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { addItem, applyEdits, entriesAt, find, freeName, nameOf, quote, readText, setNamed, setValue, spotAt } = await load('scene_text.ts')

const wing = `pliant: 1                    # an insect wing
title: "wing: one"
units: {length: mm, mass: g}
bodies:
  - name: wing
    shell: {mesh: meshes/wing.obj, material: pla}
  - {name: rod, rod: {mesh: {line: {from: [0, 0, 0], to: [1, 0, 0]}}}}
sets:
  root: wing where x < 8   # clamped
  tip: wing nearest [180, 0, 0]
  # what follows
parameters: {m1: {value: 1}}
watch: {tip: tip}
analyses:
  - static: {}
  - modes: {count: 6, about: static}
`

test('entries have their places', () => {
  const root = readText(wing)
  const tip = find(root, ['sets', 'tip'])
  assert.equal(wing.slice(tip.from, tip.to), 'tip: wing nearest [180, 0, 0]')
  assert.equal(find(root, ['title']).value.text, 'wing: one')
  assert.equal(find(root, ['bodies', 'rod', 'rod', 'mesh', 'line', 'to', 0]).value.text, '1')
  assert.equal(nameOf(find(root, ['analyses', 1])), 'modes')
  assert.equal(find(root, ['analyses', 'modes', 'modes', 'count']).value.text, '6')
  assert.equal(find(root, ['sets', 'nobody']), null)
  assert.deepEqual(entriesAt(root, wing.indexOf('count')).map((e) => e.key), ['analyses', '', 'modes', 'count'])
})

test('no file is an empty map', () => {
  for (const text of ['', '# only this', '[', '- a', '{', ': :', '\t']) assert.equal(readText(text).kind, 'map')
})

test('a set joins those in a block, comments stay', () => {
  const out = applyEdits(wing, [setNamed(wing, 'sets', 'edge', quote('wing boundary'))])
  assert.equal(out, wing.replace('[180, 0, 0]\n', '[180, 0, 0]\n  edge: wing boundary\n'))
})

test('a set joins those in brackets', () => {
  const out = applyEdits(wing, [setNamed(wing, 'watch', 'root', 'root')])
  assert.ok(out.includes('watch: {tip: tip, root: root}\n'))
  const several = 'sets: {a: b,   # one\n       c: d}\n'
  assert.equal(applyEdits(several, [setNamed(several, 'sets', 'e', 'f')]), 'sets: {a: b,   # one\n       c: d, e: f}\n')
  assert.equal(applyEdits('sets: {}\n', [setNamed('sets: {}\n', 'sets', 'e', 'f')]), 'sets: {e: f}\n')
})

test('a set of the same name gets the new value', () => {
  const out = applyEdits(wing, [setNamed(wing, 'sets', 'root', quote('wing where x < 9'))])
  assert.equal(out, wing.replace('root: wing where x < 8 ', 'root: wing where x < 9 '))
})

test('a section that is not there stands where it usually does', () => {
  const bare = 'pliant: 1\nbodies:\n  - name: a  # it\nanalyses:\n  - static: {}\n'
  assert.equal(applyEdits(bare, [setNamed(bare, 'sets', 'e', 'all')]), 'pliant: 1\nbodies:\n  - name: a  # it\nsets:\n  e: all\nanalyses:\n  - static: {}\n')
  const empty = 'pliant: 1\nsets:\nwatch: {}\n'
  assert.equal(applyEdits(empty, [setNamed(empty, 'sets', 'e', 'all')]), 'pliant: 1\nsets:\n  e: all\nwatch: {}\n')
  assert.equal(applyEdits('pliant: 1', [setNamed('pliant: 1', 'sets', 'e', 'all')]), 'pliant: 1\nsets:\n  e: all')
  assert.equal(applyEdits('', [setNamed('', 'sets', 'e', 'all')]), 'sets:\n  e: all\n')
})

test('items join lists of either kind', () => {
  const out = applyEdits(wing, [addItem(wing, 'analyses', 'periodic: {frequency: 2 Hz}')])
  assert.ok(out.endsWith('about: static}\n  - periodic: {frequency: 2 Hz}\n'))
  const flow = 'masses: [{node: tip, mass: 1 g}]\n'
  assert.equal(applyEdits(flow, [addItem(flow, 'masses', '{node: root, mass: 2 g}')]), 'masses: [{node: tip, mass: 1 g}, {node: root, mass: 2 g}]\n')
  assert.ok(applyEdits(wing, [addItem(wing, 'loads', '{nodes: tip, force: [0, 0, 1 N]}')]).includes('loads:\n  - {nodes: tip, force: [0, 0, 1 N]}\nwatch'))
})

test('values are replaced, and nothing else', () => {
  assert.equal(applyEdits(wing, [setValue(wing, ['parameters', 'm1', 'value'], '2.5')]), wing.replace('value: 1', 'value: 2.5'))
  assert.equal(setValue(wing, ['parameters', 'm2', 'value'], '2'), null)
})

test('names are free', () => {
  assert.equal(freeName(wing, 'sets', 'set'), 'set')
  assert.equal(freeName(wing, 'sets', 'tip'), 'tip2')
})

test('texts that YAML would misread stand in quotes', () => {
  for (const [value, out] of [['tip', 'tip'], ['wing where x < 8', 'wing where x < 8'], ['a: b', '"a: b"'], ['yes', '"yes"'], ['say "no"', '"say \\"no\\""'], ['[0]', '"[0]"'], ['', '""'], ['-1', '"-1"'], ['a ', '"a "']])
    assert.equal(quote(value), out)
})

const spot = (text) => {
  const pos = text.indexOf('|')
  return spotAt(text.slice(0, pos) + text.slice(pos + 1), pos)
}

test('what is typed is known before it is whole', () => {
  assert.deepEqual({ ...spot('materials:\n  pla:\n    young: 1\n    poi|\n  b: {}'), from: 0 }, { keys: ['materials', 'pla'], key: true, from: 0, there: ['young'] })
  assert.deepEqual(spot('bodies:\n  - name: a\n    shell: {mesh: x, thi|}').keys, ['bodies', 'shell'])
  assert.deepEqual(spot('bodies:\n  - name: a\n    shell: {mesh: x, thi|}').there, ['mesh'])
  assert.deepEqual(spot('bodies:\n  - na|').keys, ['bodies'])
  assert.deepEqual(spot('pliant: 1\nti|').keys, [])
  assert.deepEqual(spot('pliant: 1\nti|').there, ['pliant'])
  const value = spot('bodies:\n  - name: a\n    shell: {material: p|}')
  assert.equal(value.key, false)
  assert.deepEqual(value.keys, ['bodies', 'shell', 'material'])
  assert.deepEqual(spot('watch: {tip: |}').keys, ['watch', 'tip'])
  assert.deepEqual(spot('analyses:\n  - sta|\n').keys, ['analyses'])
  assert.deepEqual(spot('analyses:\n  - modes:\n      co|\n').keys, ['analyses', 'modes'])
})
