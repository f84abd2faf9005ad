// Walks through every screen of the studio with the real program, as a person would:
//   node walk.mjs PLIANT [PICTURES]
// Pictures of all screens, in sizes and colours, go to a folder. Ends with 77 where there is no browser.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { start } from '../client.mjs'
import { drawn, look, missing, openBrowser } from './browser.mjs'
import { leg, predicted, strip } from './scenes.mjs'

const why = missing()
if (why) {
  console.log(`left out: ${why}`)
  process.exit(77)
}
const pliant = resolve(process.argv[2])
const folder = mkdtempSync(join(tmpdir(), 'studio-walk-folder-'))
const pictures = resolve(process.argv[3] ?? join(folder, 'pictures'))
const command = (...args) => spawnSync(pliant, args, { cwd: folder, encoding: 'utf8' })
const summary = (results) => JSON.parse(readFileSync(join(folder, results, 'summary.json'), 'utf8'))
const analysis = (results, name) => summary(results).analyses.find((a) => a.name === name)
const near = (got, want, tolerance, what) => assert.ok(Math.abs(got - want) <= tolerance, `${what}: ${got} is not ${want}`)

// ---- what a person does -------------------------------------------------------------------------

const goTo = (page, name) => page.getByRole('navigation', { name: 'screens' }).getByRole('link', { name }).click()

async function openFile(page, name) {
  await goTo(page, 'Gallery')
  await page.locator('.files').getByRole('button', { name }).click()
  await page.getByText('no problems').waitFor()
}

/** Until the run at work has ended so, by what the server says. */
async function until(page, state) {
  await page.getByRole('button', { name: /^(running|\S+ \d+ %)/ }).waitFor({ state: 'detached' })
}

/** Puts another text in the place of a line. */
async function retype(page, line, text) {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+Home')
  for (let k = 1; k < line; k++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.press('Delete')
  await page.keyboard.type(text)
}

// ---- the walk -----------------------------------------------------------------------------------

async function tour({ page }) {
  const sheet = page.getByRole('dialog', { name: 'First tour' })
  await sheet.waitFor()
  while (await sheet.getByRole('button', { name: 'Next' }).count()) await sheet.getByRole('button', { name: 'Next' }).click()
  await sheet.getByRole('button', { name: 'Begin' }).click()
  await page.reload()
  await page.getByRole('heading', { name: 'Gallery' }).waitFor()
  assert.equal(await sheet.count(), 0, 'the tour comes once')
}

async function gallery({ page, faults }) {
  await page.getByRole('button', { name: /three-link leg/ }).waitFor()
  await look(page, pictures, 'gallery', faults)
  await page.getByLabel('search the gallery').fill('three-link')
  await page.getByRole('button', { name: /three-link leg/ }).click()
  await page.getByText('no problems').waitFor()
  assert.ok(existsSync(join(folder, 'three-link-leg/scene.yaml')), 'a card becomes files of the folder')
}

async function edit({ page, faults }) {
  await openFile(page, /leg\.yaml/)
  const lines = leg.split('\n')
  const wrong = lines.indexOf('dimension: 2') + 1
  await retype(page, wrong, 'dimension: 5')
  const problem = page.locator('.problems li.error').first()
  await problem.waitFor()
  assert.match(await problem.innerText(), new RegExp(`line ${wrong}\\b`), 'the problem is told at its line')
  assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled(), true, 'what has errors does not run')
  const told = command('check', 'leg.yaml', '--set', 'dimension=5')
  assert.notEqual(told.status, 0)
  await look(page, pictures, 'scene-error', faults)
  await retype(page, wrong, 'dimension: 2')
  await page.getByText('no problems').waitFor()
  await look(page, pictures, 'scene', faults)
}

// ---- response -----------------------------------------------------------------------------------

async function response({ page, faults }) {
  await openFile(page, /leg\.yaml/)
  await goTo(page, 'Response')
  await page.getByRole('button', { name: 'Run response' }).click()
  const points = page.locator('.specials td[data-frequency]')
  await until(page, 'done')
  await points.first().waitFor()
  const special = analysis('leg.results', 'response').special.map((s) => s.frequency_Hz)
  const shown = await points.evaluateAll((all) => all.map((e) => Number(e.dataset.frequency)))
  for (const f of special) assert.ok(shown.some((g) => Math.abs(g - f) < 1e-5 * f), `${f} Hz stands in the table`)
  // a point in the middle of a branch
  const at = await page.locator('.response-plot path.line.stable').first().evaluate((e) => {
    const p = e.getPointAtLength(e.getTotalLength() / 2)
    const box = e.ownerSVGElement.getBoundingClientRect()
    return { x: box.left + p.x, y: box.top + p.y }
  })
  await page.mouse.move(at.x, at.y)
  await page.getByText(/looked at: .* Hz/).waitFor()
  await page.mouse.click(at.x, at.y)
  await page.getByRole('button', { name: /Explore at .* Hz/ }).waitFor()
  const view = page.locator('.response-view canvas').first()
  assert.ok((await drawn(page, view)) > 0.002, 'the motion of the point is drawn')
  await look(page, pictures, 'response', faults)
}

// ---- explore ------------------------------------------------------------------------------------

const solved = async (page) => Number(await page.locator('td.solved').first().getAttribute('data-solved'))

async function explore({ page, faults }) {
  writeFileSync(join(folder, 'predicted.yaml'), predicted)
  assert.equal(command('run', 'predicted.yaml', '-q').status, 0)
  const want = analysis('predicted.results', 'explore').amplitude.toe
  rmSync(join(folder, 'predicted.yaml'))
  await openFile(page, /leg\.yaml/)
  await goTo(page, 'Explore')
  await page.getByRole('button', { name: /Explore leg/ }).click()
  await page.getByText('this motion is solved').waitFor()
  near(await solved(page), want.before_m, 1e-6 * want.before_m, 'the motion at the start')
  const value = page.getByLabel('m_foot in g')
  await value.fill('33')
  await value.press('Enter')
  const cell = page.locator('td.predicted[data-predicted]:not([data-predicted=""])').first()
  await cell.waitFor()
  near(Number(await cell.getAttribute('data-predicted')), want.predicted_m, 1e-6 * want.before_m, 'the prediction')
  await page.locator('.trust.good, .trust.fair, .trust.poor').waitFor()
  await look(page, pictures, 'explore-predicted', faults)
  await page.getByRole('button', { name: 'Commit' }).click()
  await page.getByText('Step 1 is solved').waitFor()
  near(await solved(page), want.solved_m, 1e-6 * want.before_m, 'the motion that was solved')
  await look(page, pictures, 'explore-solved', faults)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('step 0', { exact: true }).waitFor()
  near(await solved(page), want.before_m, 1e-6 * want.before_m, 'the motion after undoing')
}

// ---- all of it ----------------------------------------------------------------------------------

const steps = { tour, gallery, edit, response, explore }

async function walk() {
  writeFileSync(join(folder, 'leg.yaml'), leg)
  writeFileSync(join(folder, 'strip.yaml'), strip)
  const server = await start(pliant, [], { cwd: folder })
  const browser = await openBrowser()
  const page = await browser.context.newPage()
  page.setDefaultTimeout(30000)
  const at = { page, server, browser, faults: browser.faults }
  try {
    await page.goto(server.address)
    for (const [name, step] of Object.entries(steps)) {
      const t0 = performance.now()
      await step(at).catch(async (e) => {
        await page.screenshot({ path: join(pictures, `failed-${name}.png`) }).catch(() => {})
        throw new Error(`${name}: ${e.message}`, { cause: e })
      })
      console.log(`${name.padEnd(12)} ${((performance.now() - t0) / 1000).toFixed(1)} s`)
    }
  } finally {
    await browser.close()
    await server.stop()
  }
  return browser.faults
}

let failed = 0
try {
  const faults = [...new Set(await walk())]
  for (const f of faults) console.log(`fault: ${f}`)
  failed = faults.length
} catch (e) {
  console.log(e.message, e.cause?.stack ?? e.stack)
  failed = 1
}
if (failed) console.log(`pictures are in ${pictures}`)
else if (!process.argv[3]) rmSync(folder, { recursive: true, force: true })
console.log(failed ? 'FAILED' : 'passed')
process.exitCode = failed ? 1 : 0
