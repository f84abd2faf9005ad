// Reports in a browser, from file://: PLIANT=build/check/pliant node --test test/report-page.test.mjs (needs Chromium).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { after, before, test } from 'node:test'
import { browser } from './shots.mjs'
import { until } from './until.mjs'

const source = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const pliant = resolve(source, process.env.PLIANT ?? 'build/check/pliant')
const options = { skip: existsSync(pliant) ? false : `${pliant} is not there` }
const folder = mkdtempSync(join(tmpdir(), 'report-page-'))
const scene = `pliant: 1
units: {length: mm}
bodies: [{name: ball, rigid: {mesh: {sphere: {radius: 7, level: 1}}, mass: 3 g, translate: [0, 0, 20]}}]
obstacles: [{name: wall, plane: {through: [-30, 0, 0], normal: [1, 0, 0]}, velocity: [100 mm/s, 0, 0]}]
contact: {nodes: ball}
gravity: [0, 0, -9.81 m/s^2]
analyses:
${[1, 2, 3, 4, 5].map((k) => `  - transient: {name: fall${k}, duration: ${10 * k} ms, step: 1 ms}`).join('\n')}
output: {vtu: no, glb: no, frames: 8}
`
let address, open, p
const faults = []
const requests = []

before(async () => {
  if (options.skip) return
  writeFileSync(join(folder, 'scene.yaml'), scene)
  execFileSync(pliant, ['run', join(folder, 'scene.yaml'), '-o', join(folder, 'out')], { stdio: 'pipe' })
  address = pathToFileURL(join(folder, 'out/report.html')).href
  open = await browser()
})

after(async () => {
  await open?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function visit(media = {}) {
  await p?.close()
  p = await open.context.newPage()
  p.on('pageerror', (e) => faults.push(e.message))
  p.on('console', (m) => m.type() === 'error' && faults.push(m.text()))
  p.on('request', (r) => !/^(file|blob|data):/.test(r.url()) && requests.push(r.url()))
  await p.setViewportSize({ width: 900, height: 800 })
  await p.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference', ...media })
  await p.goto(address)
  await p.waitForFunction(() => document.querySelectorAll('.pl-bar').length === 5)
}

// the k-th motion in the middle of the window, with its view
async function look(k) {
  await p.evaluate((k) => document.querySelectorAll('.pl-bar')[k].parentElement.scrollIntoView({ block: 'center' }), k)
  const figure = p.locator('figure').filter({ has: p.locator('.pl-bar') }).nth(k)
  await figure.locator('.pl-live canvas').first().waitFor()
  return figure
}

const time = (figure) => figure.locator('output').textContent().then(parseFloat)

test('motions play when they are seen, and stop at a click', options, async () => {
  await visit()
  const f = await look(0)
  const before = await time(f)
  await until('time goes on', async () => (await time(f)) !== before)
  await f.getByRole('button', { name: 'Pause' }).click()
  await p.waitForTimeout(200)
  const still = await time(f)
  await p.waitForTimeout(400)
  assert.equal(await time(f), still)
})

test('they are turned, scrubbed and saved', options, async () => {
  await visit({ reducedMotion: 'reduce' })
  const f = await look(1)
  // motion is to be reduced: it waits
  assert.equal(await time(f), 0)
  await f.locator('input').fill('0.5')
  assert.ok(Math.abs((await time(f)) - 0.01) < 1e-3)
  const canvas = f.locator('.pl-live canvas').first()
  const shot = async () => (await canvas.screenshot()).toString('base64')
  await p.waitForTimeout(500)
  const was = await shot()
  const box = await canvas.boundingBox()
  await p.mouse.move(box.x + 200, box.y + 100)
  await p.mouse.down()
  await p.mouse.move(box.x + 300, box.y + 140, { steps: 4 })
  await p.mouse.up()
  await until('another picture', async () => (await shot()) !== was)
  const [download] = await Promise.all([p.waitForEvent('download'), f.getByRole('button', { name: 'Save the picture as PNG' }).click()])
  assert.match(download.suggestedFilename(), /\.png$/)
})

test('the wheel scrolls the page until a view has the focus', options, async () => {
  await visit({ reducedMotion: 'reduce' })
  const f = await look(2)
  const box = await f.locator('.pl-live').boundingBox()
  await p.mouse.move(box.x + 100, box.y + 100)
  const at = () => p.evaluate(() => scrollY)
  const first = await at()
  await p.mouse.wheel(0, -60)
  await until('the page scrolls', async () => (await at()) !== first)
  await f.locator('.pl-live [role=application]').focus()
  // until it has scrolled to its end
  let second = NaN
  await until('the page rests', async () => second === (second = await at()))
  await p.mouse.wheel(0, -60)
  await p.waitForTimeout(300)
  assert.equal(await at(), second)
})

test('few views live at a time', options, async () => {
  await visit()
  for (let k = 0; k < 5; k++) await look(k)
  assert.ok((await p.locator('.pl-live').count()) <= 3)
  // what is far away is a picture again
  await p.evaluate(() => scrollTo(0, 0))
  await until('far views are pictures', async () => (await p.locator('.pl-live').count()) <= 1)
})

test('on paper the pictures stand', options, async () => {
  await visit({ reducedMotion: 'reduce' })
  const f = await look(0)
  await p.emulateMedia({ media: 'print' })
  assert.equal(await f.locator('.pl-live').isVisible(), false)
  assert.equal(await f.locator('.pl-bar').isVisible(), false)
  assert.equal(await f.locator('svg').first().evaluate((e) => getComputedStyle(e).visibility), 'visible')
})

test('a narrow window shows all of the controls', options, async () => {
  await visit({ reducedMotion: 'reduce' })
  await p.setViewportSize({ width: 360, height: 700 })
  const f = await look(0)
  const wide = await p.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(wide <= 360, `${wide} pixels`)
  for (const b of await f.getByRole('button').all()) {
    const box = await b.boundingBox()
    assert.ok(box.x >= 0 && box.x + box.width <= 360)
  }
})

test('without scripts the pictures stand', options, async () => {
  const context = await open.context.browser()?.newContext({ javaScriptEnabled: false })
  if (!context) return
  const q = await context.newPage()
  await q.goto(address)
  assert.equal(await q.locator('figure').filter({ hasText: 'Motion from' }).locator('svg').first().isVisible(), true)
  await context.close()
})

test('nothing is fetched, and nothing goes wrong', options, () => {
  assert.deepEqual(requests, [])
  assert.deepEqual(faults, [])
})
