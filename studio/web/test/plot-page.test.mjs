// Plots in a browser: node --test test/plot-page.test.mjs (needs Chromium).
import assert from 'node:assert/strict'
import { build } from 'esbuild'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { after, before, test } from 'node:test'
import { browser } from './shots.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'plot-page-'))
const faults = []
let open, p

before(async () => {
  await build({ entryPoints: [join(here, 'plots.tsx')], bundle: true, format: 'iife', target: 'es2022', jsx: 'automatic', jsxImportSource: 'preact', outfile: join(folder, 'plots.js'), logLevel: 'warning' })
  const style = `${readFileSync(join(folder, 'plots.css'), 'utf8')} body { overflow: auto }`
  writeFileSync(join(folder, 'plots.html'), `<!doctype html><html lang="en"><title>plots</title><style>${style}</style><main id="app"></main><script src="plots.js"></script></html>`)
  open = await browser()
  p = await open.context.newPage()
  p.on('pageerror', (e) => faults.push(e.message))
  p.on('console', (m) => m.type() === 'error' && faults.push(m.text()))
  await p.setViewportSize({ width: 700, height: 900 })
  await p.goto(pathToFileURL(join(folder, 'plots.html')).href)
  await p.waitForSelector('.plot-area svg')
})

after(async () => {
  await open.close()
  rmSync(folder, { recursive: true, force: true })
})

const plot = (name) => p.getByRole('figure', { name, exact: true })
const area = (name) => plot(name).locator('.plot-area')
const out = (name) => plot(name).locator('.read-out')
const ticks = (name) => plot(name).locator('text.tick').allTextContents()

async function saved(name, button) {
  const [download] = await Promise.all([p.waitForEvent('download'), plot(name).getByRole('button', { name: button, exact: true }).click()])
  const file = join(folder, download.suggestedFilename())
  await download.saveAs(file)
  return { name: download.suggestedFilename(), bytes: readFileSync(file) }
}

test('units get prefixes, unstable lines are dashed, captions stand below', async () => {
  assert.deepEqual(await plot('response').locator('text.label').allTextContents(), ['frequency (Hz)', 'tip (mm)'])
  assert.deepEqual(await plot('path').locator('text.label').allTextContents(), ['x (mm)', 'z (mm)'])
  assert.equal(await area('response').locator('path.line').nth(1).getAttribute('stroke-dasharray'), '6 5')
  assert.equal(await plot('response').locator('figcaption').textContent(), 'It folds back.')
})

test('a curve that folds back is one line', async () => {
  const d = await area('response').locator('path.line').first().getAttribute('d')
  const x = d.match(/[ML][\d.]+/g).map((s) => Number(s.slice(1)))
  assert.equal(d.match(/M/g).length, 1)
  assert.ok(x.some((v, k) => k > 0 && v < x[k - 1] - 0.1) && x.some((v, k) => k > 0 && v > x[k - 1] + 0.1))
})

test('long histories are thinned to what can be seen', async () => {
  const d = await area('history').locator('path.line').first().getAttribute('d')
  assert.ok(d.length < 40000, `${d.length} letters`)
  const y = d.match(/,([\d.]+)/g).map((s) => Number(s.slice(1)))
  assert.ok(Math.max(...y) - Math.min(...y) > 150, 'the extremes are there')
})

test('axes of equal scales are equal', async () => {
  const [w, h] = await area('path').locator('rect.ground').evaluate((e) => [e.width.baseVal.value, e.height.baseVal.value])
  const at = async (k) => plot('path').locator('text.tick').evaluateAll((all, anchor) => all.filter((e) => e.getAttribute('text-anchor') === anchor).map((e) => [Number(e.textContent.replace('−', '-')), Number(e.getAttribute(anchor === 'middle' ? 'x' : 'y'))]), k)
  const per = (list) => Math.abs((list[1][1] - list[0][1]) / (list[1][0] - list[0][0]))
  assert.ok(w > h)
  const [x, y] = [per(await at('middle')), per(await at('end'))]
  assert.ok(Math.abs(x / y - 1) < 1e-3, `${x} and ${y} pixels a millimetre`)
})

test('values without a logarithm are left out', async () => {
  assert.deepEqual((await ticks('errors')).slice(0, 3), ['1', '10', '100'])
  assert.equal(await plot('nothing').getByText('no data').count(), 1)
})

test('the pointer tells numbers, a click chooses', async () => {
  const b = await area('response').boundingBox()
  const dot = await area('response').locator('path.line.s1').evaluate((e) => e.getAttribute('d').match(/[\d.]+/g).map(Number))
  await p.mouse.move(b.x + dot[0] + 3, b.y + dot[1] + 2)
  assert.equal(await out('response').textContent(), 'peakfrequency 1.05 Hztip 18 mm')
  await p.mouse.click(b.x + dot[0] + 3, b.y + dot[1] + 2)
  assert.deepEqual(await p.evaluate(() => chosen), { s: 2, i: 0 })
  await p.mouse.move(2, 2)
  assert.equal(await out('response').count(), 0)
})

test('a box zooms, a double click shows all, the wheel waits for the focus', async () => {
  const all = await ticks('response')
  const b = await area('response').boundingBox()
  await p.mouse.move(b.x + 200, b.y + 60)
  await p.mouse.down()
  await p.mouse.move(b.x + 300, b.y + 160, { steps: 3 })
  await p.mouse.up()
  const near = await ticks('response')
  assert.notDeepEqual(near, all)
  await area('response').locator('svg').dblclick({ position: { x: 300, y: 100 } })
  assert.deepEqual(await ticks('response'), all)
  await p.mouse.click(5, 5)
  await p.evaluate(() => document.activeElement.blur())
  await p.mouse.move(b.x + 200, b.y + 60)
  await p.mouse.wheel(0, 120)
  await p.waitForTimeout(100)
  assert.deepEqual(await ticks('response'), all)
  assert.ok((await p.evaluate(() => scrollY)) > 0)
  await p.evaluate(() => scrollTo(0, 0))
  await area('response').focus()
  await p.mouse.wheel(0, -200)
  await p.waitForTimeout(100)
  assert.notDeepEqual(await ticks('response'), all)
  await p.keyboard.press('0')
  assert.deepEqual(await ticks('response'), all)
})

test('keys walk along curves and from one to the next', async () => {
  await p.mouse.move(2, 2)
  await area('response').focus()
  await p.keyboard.press('ArrowRight')
  const first = await out('response').textContent()
  assert.match(first, /^stablefrequency 1 Hz/)
  await p.keyboard.press('ArrowRight')
  assert.notEqual(await out('response').textContent(), first)
  await p.keyboard.press('ArrowDown')
  assert.match(await out('response').textContent(), /^unstable/)
  await p.keyboard.press('Escape')
  assert.equal(await out('response').count(), 0)
})

test('curves can be hidden', async () => {
  const one = plot('history').getByRole('button', { name: 'a', exact: true })
  const lines = area('history').locator('path.line.s0')
  const n = await lines.count()
  await one.click()
  assert.equal(await one.getAttribute('aria-pressed'), 'false')
  assert.equal(await lines.count(), n - 1)
  await one.click()
})

test('tables stand behind, and what is saved is what is seen', async () => {
  await area('errors').focus()
  await p.keyboard.press('t')
  assert.deepEqual(await plot('errors').locator('th').allTextContents(), ['cells', 'error'])
  assert.deepEqual(await plot('errors').locator('td').allTextContents(), ['1', '1', '10', '0.01', '100', '0.0001', '0', '5'])
  await plot('errors').getByRole('button', { name: 'numbers' }).click()
  const csv = await saved('errors', 'csv')
  assert.equal(csv.name, 'log.csv')
  assert.equal(csv.bytes.toString(), 'cells,error\n1,1\n10,0.01\n100,0.0001\n0,5\n')
  const svg = (await saved('response', 'svg')).bytes.toString()
  assert.match(svg, /<text[^>]*>unstable<\/text>/)
  assert.doesNotMatch(svg, /class=|var\(/)
  const png = (await saved('response', 'png')).bytes
  assert.equal(png.subarray(1, 4).toString(), 'PNG')
  assert.ok(png.length > 8000, `${png.length} bytes`)
})

test('polar figures tell strains', async () => {
  assert.deepEqual(await plot('limits').locator('text.haloed').allTextContents(), ['0 %', '1 %', '2 %', '3 %', '4 %'])
  assert.equal(await plot('limits').locator('text.label').textContent(), 'warp')
  const svg = plot('limits').locator('svg[role=img]')
  await svg.scrollIntoViewIfNeeded()
  const [x, y] = await svg.locator('path.line.s1').last().evaluate((e) => e.getAttribute('d').match(/[\d.]+/g).map(Number))
  const b = await svg.boundingBox()
  await p.mouse.move(b.x + x, b.y + y)
  assert.equal(await out('limits').textContent(), 'measuredat 0°3.2485 %')
})

test('nothing is hidden from those who do not see it', async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  for (const colorScheme of ['light', 'dark']) {
    await p.emulateMedia({ colorScheme })
    await p.addScriptTag({ content: axe })
    const found = await p.evaluate(async () => (await axe.run(document, { rules: { 'page-has-heading-one': { enabled: false } } })).violations.map((v) => `${v.id}: ${v.nodes[0].html}`))
    assert.deepEqual(found, [])
  }
})

test('no faults were told', () => assert.deepEqual(faults, []))
