// What the page predicts against what the library does, over the wire: node run_prediction.mjs PLIANT FOLDER
import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../../studio/web/test/bundle.mjs'
import { get, page, start } from './client.mjs'

const [, , pliant, folder] = process.argv
const gallery = new URL('../../gallery/', import.meta.url).pathname
const { Prediction, motionDistance, pathLength } = await load('predict.ts')

rmSync(folder, { recursive: true, force: true })
cpSync(join(gallery, 'three-link-leg'), join(folder, 'leg'), { recursive: true })
cpSync(join(gallery, 'fish'), join(folder, 'fish'), { recursive: true })
const server = await start(pliant, [], { cwd: folder })
const client = await page(server)

const floats = async (ref) => {
  const got = await get(server, ref.url)
  assert.equal(got.code, 200)
  return new Float32Array(got.body.buffer.slice(got.body.byteOffset, got.body.byteOffset + got.body.length))
}

async function ask(op, args) {
  const got = await client.ask(op, args, 60000)
  assert.ok(got?.reply, JSON.stringify(got?.error))
  return got.reply
}

async function explore(path) {
  const { run, session } = await ask('explore', { path, text: readFileSync(join(folder, path), 'utf8') })
  const event = await client.wait((m) => m.event === 'explored' && m.run === run, 120000)
  assert.ok(event, `${path} is explored`)
  return { session, ...event.explored }
}

// the change of the motion over the motion's size, and paths as the page tells them
async function compare(path, step) {
  const e = await explore(path)
  const z = await floats(e.orbit.coefficients)
  const S = await floats(e.sensitivity)
  const H = e.orbit.harmonics
  const prediction = new Prediction(z, S, e.parameters.length)
  const zero = new Float32Array(z.length)
  const nothing = new Prediction(zero, S, e.parameters.length)
  for (let k = -1; k < e.parameters.length; k++) {
    const dx = e.parameters.map((p, j) => (k === -1 || k === j ? step * ((p.max ?? 2 * p.value) - p.value) : 0))
    const { orbit, trust } = await ask('predict', { session: e.session, values: e.parameters.map((p, j) => p.value + dx[j]), orbit: true })
    assert.ok(trust !== null)
    const theirs = await floats(orbit.coefficients)
    const own = prediction.at(dx)
    // what is oscillating, and the change of all: places themselves are rounded to single precision
    const still = (c) => c.map((v, i) => (i % (2 * H + 1) === 0 ? 0 : v))
    assert.ok(motionDistance(still(own), still(theirs), H) <= 1e-6 * e.size, `${path}: parameter ${k}`)
    const round = 6e-8 * Math.max(...z.map(Math.abs))
    assert.ok(motionDistance(own, theirs, H) <= 1e-6 * e.size + round, `${path}: places, parameter ${k}`)
    const moved = motionDistance(nothing.at(dx), zero, H)
    const told = motionDistance(theirs, z, H)
    assert.ok(Math.abs(moved - told) <= 1e-6 * Math.max(e.size, told) + round)
    for (const w of e.watched) {
      const path = pathLength(own, H, w.node, w.axes)
      assert.ok(Math.abs(path - pathLength(theirs, H, w.node, w.axes)) <= 1e-6 * Math.max(path, e.size))
    }
  }
  for (const w of e.watched) {
    const own = pathLength(z, H, w.node, w.axes)
    assert.ok(Math.abs(own - w.amplitude) <= 2e-5 * w.amplitude, `${path}: path of ${w.name}, ${own} and ${w.amplitude}`)
  }
  console.log(`${path}: ${e.parameters.length} parameters, as the library predicts`)
}

try {
  await compare('leg/scene.yaml', 0.02)
  await compare('fish/scene.yaml', 0.05)
} finally {
  client.destroy()
  await server.stop()
}
