// Walks through every screen of the studio with the real program, as a person would:
//   node walk.mjs PLIANT [PICTURES [STEP...]]
// Pictures of all screens, in sizes and colours, go to a folder.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { start } from '../client.mjs'
import { drawn, look, missing, openBrowser } from './browser.mjs'
import { badge, clickFile, figures, goTo, openFile, plain, retype } from './person.mjs'
import { leg, long, mail, predicted, strip } from './scenes.mjs'

const why = missing()
if (why) {
  console.log(`the walk needs a browser: ${why}`)
  process.exit(1)
}
const pliant = resolve(process.argv[2])
const folder = mkdtempSync(join(tmpdir(), 'studio-walk-folder-'))
const pictures = resolve(process.argv[3] ?? join(folder, 'pictures'))
const command = (...args) => spawnSync(pliant, args, { cwd: folder, encoding: 'utf8' })
// pages have the figures of an analysis before the run has written its summary
function summary(results) {
  const path = join(folder, results, 'summary.json')
  for (let k = 0; k < 600 && !existsSync(path); k++) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  return JSON.parse(readFileSync(path, 'utf8'))
}
const analysis = (results, name) => summary(results).analyses.find((a) => a.name === name)
const near = (got, want, tolerance, what) => assert.ok(Math.abs(got - want) <= tolerance, `${what}: ${got} is not ${want}`)

/** CPU seconds of a process so far. */
function cpu(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
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
  // what is not saved is there still when the page is loaded again
  await page.reload()
  await problem.waitFor()
  await retype(page, wrong, 'dimension: 2')
  await page.getByText('no problems').waitFor()
  await look(page, pictures, 'scene', faults)
}

// ---- runs ---------------------------------------------------------------------------------------

/** A set of nodes in a box from one to another, without a pointer; the text is as it was afterwards. */
async function setByKeys(page) {
  await page.locator('.model-pane [role=application]').focus()
  await page.keyboard.press('5')
  await page.keyboard.press('Control+ArrowRight')
  const chosen = page.getByRole('form', { name: 'chosen nodes' })
  await chosen.getByText(/^node at/).waitFor()
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp']) await page.keyboard.press(`Control+Shift+${key}`)
  const n = Number((await chosen.getByText(/^\d+ nodes$/).innerText()).split(' ')[0])
  assert.ok(n > 3, `${n} nodes are in the box`)
  await page.keyboard.press('5')
  await chosen.getByLabel('name of the new set').fill('patch')
  await page.keyboard.press('Enter')
  await page.locator('.tree').getByText('patch').waitFor()
  await page.getByText('no problems').waitFor()
  assert.match(await page.locator('.cm-content').innerText(), /# a thin strip.*[\s\S]*patch: /, 'the set stands in the text, with its comments')
  await page.locator('.cm-content').press('Control+z')
  await page.locator('.tree').getByText('patch').waitFor({ state: 'detached' })
  await page.getByText('no problems').waitFor()
}

async function run({ page, faults }) {
  await openFile(page, /strip\.yaml/)
  const view = page.locator('.model-pane canvas').first()
  assert.ok((await drawn(page, view)) > 0.005, 'the model is drawn')
  await look(page, pictures, 'scene-shell', faults)
  await setByKeys(page)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await badge(page).filter({ hasText: 'done' }).waitFor()
  const want = analysis('strip.results', 'modes').frequency_Hz
  const got = await figures(page, 'modes', 'frequency_Hz')
  want.forEach((f, k) => near(got[k], f, 1e-5 * f, `mode ${k + 1}`))
  const sag = analysis('strip.results', 'static').potential_J
  near((await figures(page, 'static', 'potential_J'))[0], sag, 1e-5 * Math.abs(sag), 'energy of the static')
  await page.reload()
  await page.locator('.scene-name', { hasText: 'strip.yaml' }).waitFor()
  await badge(page).filter({ hasText: 'done' }).waitFor()
  near((await figures(page, 'modes', 'frequency_Hz'))[0], want[0], 1e-5 * want[0], 'the first mode after loading the page again')
  assert.ok((await drawn(page, page.locator('.run-stage canvas').first())) > 0.005, 'the motion of the transient is drawn')
  await look(page, pictures, 'run', faults)
}

/** A long run: seen on two pages, after one was loaded again, and stopped. */
async function cancel({ page, server, browser }) {
  writeFileSync(join(folder, 'long.yaml'), long)
  await page.reload()
  await openFile(page, /long\.yaml/)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  // states come while it runs
  const title = page.locator('.stage-head .title')
  await page.locator('.live-lamp').waitFor()
  const first = await title.innerText()
  await page.waitForFunction((t) => document.querySelector('.stage-head .title').innerText !== t, first)
  await page.reload()
  await page.locator('.live-lamp').waitFor()
  const other = await browser.context.newPage()
  await other.goto(server.address)
  await goTo(other, 'Runs')
  await other.locator('.live-lamp').waitFor()
  // in CPU seconds of the server, as others use the machine
  const before = cpu(server.pid)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await badge(page).filter({ hasText: 'stopped' }).waitFor()
  const seconds = cpu(server.pid) - before
  assert.ok(seconds < 2, `stopped after ${seconds} s`)
  await badge(other).filter({ hasText: 'stopped' }).waitFor()
  await other.close()
}

async function results({ page, faults }) {
  await clickFile(page, /before\.results/)
  await page.getByRole('heading', { name: /before/ }).waitFor()
  const want = analysis('before.results', 'periodic').max_strain
  near((await figures(page, 'periodic', 'max_strain'))[0], want, 1e-5 * want, 'a figure of a run of the command')
  await look(page, pictures, 'results', faults)
}

// ---- materials and jumps ------------------------------------------------------------------------

async function materials({ page, faults }) {
  writeFileSync(join(folder, 'mail.yaml'), mail)
  await page.reload()
  await openFile(page, /mail\.yaml/)
  await goTo(page, 'Materials')
  await page.getByRole('button', { name: 'limits', exact: true }).click()
  await page.getByText('limits of stretch').first().waitFor()
  const elements = page.locator('.elements canvas').first()
  await elements.waitFor()
  assert.ok((await drawn(page, elements)) > 0.05, 'elements of the material are drawn')
  await look(page, pictures, 'materials', faults)
}

async function jump({ page, faults }) {
  writeFileSync(join(folder, 'hop.yaml'), command('new', 'jump').stdout)
  await page.reload()
  await openFile(page, /hop\.yaml/)
  await goTo(page, 'Jump')
  await page.getByRole('button', { name: 'Run jump' }).click()
  // other motions have no rise
  const rise = page.locator('.jump-figures').getByRole('row', { name: /^rises by/ }).locator('td')
  await rise.waitFor()
  const want = 1000 * analysis('hop.results', 'jump').jump.rise_m
  const shown = await rise.innerText()
  near(plain(shown.split(' ')[0]), want, 1e-3 * want, 'height of the jump in mm')
  await look(page, pictures, 'jump', faults)
}

async function validate({ page, faults }) {
  await goTo(page, 'Validate')
  await page.getByRole('button', { name: 'run rod of cantilever' }).click()
  await page.getByText(/all as expected/).waitFor({ timeout: 120000 })
  await look(page, pictures, 'validate', faults)
}

async function keys({ page, faults }) {
  await page.keyboard.press('Alt+1')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await look(page, pictures, 'keys', faults)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' })
}

// ---- response -----------------------------------------------------------------------------------

const ticks = (page) => page.locator('.response-plot .axes').textContent()

/** Zooms by wheel and keys, moves by the pointer, and shows all again. */
async function lookInto(page) {
  const plot = page.locator('.response-plot svg[role=application]')
  const before = await ticks(page)
  const until = (text, same) => page.waitForFunction(([t, is]) => (document.querySelector('.response-plot .axes').textContent === t) === is, [text, same])
  const box = await plot.boundingBox()
  const middle = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(...middle)
  await page.mouse.wheel(0, -300)
  await until(before, false)
  const closer = await ticks(page)
  await page.mouse.down()
  await page.mouse.move(middle[0] + 80, middle[1] + 20, { steps: 4 })
  await page.mouse.up()
  await until(closer, false)
  await plot.focus()
  await page.keyboard.press('0')
  await until(before, true)
  await page.keyboard.press('+')
  await until(before, false)
  await page.mouse.dblclick(...middle)
  await until(before, true)
  // an end of the range by keys, written into the text
  const end = page.getByRole('slider', { name: 'where the response ends' })
  const was = await end.getAttribute('aria-valuetext')
  await end.focus()
  await page.keyboard.press('ArrowLeft')
  await page.waitForFunction((t) => document.querySelectorAll('.response-plot [role=slider]')[1].getAttribute('aria-valuetext') !== t, was)
  await page.keyboard.press('ArrowRight')
}

async function response({ page, faults }) {
  await openFile(page, /leg\.yaml/)
  await goTo(page, 'Response')
  await page.getByRole('button', { name: 'Run response' }).click()
  const points = page.locator('.specials td[data-frequency]')
  // of the run that was begun, not of the one before
  await page.getByLabel('curve').locator('option:checked', { hasText: /leg\.yaml/ }).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Run response' }).waitFor()
  await points.last().waitFor()
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
  await lookInto(page)
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

// ---- target and design --------------------------------------------------------------------------

/** A target without a pointer: points on the present path, one of which is moved. */
async function targetByKeys(page) {
  await page.getByRole('button', { name: 'Begin with points' }).press('Enter')
  const points = page.getByRole('button', { name: /^point \d+ at/ })
  await points.first().waitFor()
  const n = await points.count()
  const before = await points.first().getAttribute('aria-label')
  await points.first().focus()
  for (let k = 0; k < 3; k++) await page.keyboard.press('ArrowRight')
  await page.waitForFunction((t) => document.querySelector('.target-pad .handle').getAttribute('aria-label') !== t, before)
  await page.keyboard.press('Enter')
  await points.nth(n).waitFor()
  await page.keyboard.press('Delete')
  await points.nth(n).waitFor({ state: 'detached' })
  await page.locator('.points summary').press('Enter')
  const x = page.getByLabel(/^x of point 2 in/)
  await x.fill('-30')
  await x.press('Enter')
  await page.getByRole('button', { name: /^point 2 at −30,/ }).waitFor()
  await page.locator('.reach[data-best]').waitFor()
  await page.getByRole('button', { name: 'Clear' }).press('Enter')
  await points.first().waitFor({ state: 'detached' })
}

/** Draws a loop around the present path of the toe and makes it a goal. */
async function target({ page, faults }) {
  await goTo(page, 'Target')
  await targetByKeys(page)
  const pad = await page.locator('.target-pad svg').first().boundingBox()
  const now = await page.locator('.target-pad path.solved').boundingBox()
  const place = (k) => {
    const angle = (2 * Math.PI * k) / 48
    return [now.x + now.width / 2 + 0.12 * pad.height * Math.cos(angle), now.y + now.height / 2 + 0.3 * pad.height * Math.sin(angle)]
  }
  await page.mouse.move(...place(0))
  await page.mouse.down()
  for (let k = 1; k <= 48; k++) await page.mouse.move(...place(k))
  await page.mouse.up()
  await page.locator('.reach[data-best]').waitFor()
  await look(page, pictures, 'target', faults)
  await page.getByRole('button', { name: 'Make it a goal' }).click()
  await page.locator('.terms').getByText('trajectory').waitFor()
  assert.ok(existsSync(join(folder, 'toe-target.csv')), 'the goal is a file')
}

async function design({ page, faults }) {
  const start = page.getByRole('button', { name: 'Start', exact: true })
  await start.click()
  const state = page.locator('.explore-head .step')
  await page.locator('.traces').waitFor()
  const pause = page.getByRole('button', { name: 'Pause' })
  // small designs may end before anybody can pause them
  if (await pause.isVisible()) await pause.click({ timeout: 2000 }).catch(() => {})
  await state.filter({ hasText: /paused|has ended/ }).waitFor()
  const goOn = page.getByRole('button', { name: 'Go on' })
  if (await goOn.isVisible()) await goOn.click()
  await state.filter({ hasText: /has ended/ }).waitFor()
  const want = analysis('leg.results', 'design').variables
  for (const [name, v] of Object.entries(want)) {
    const [shown, unit] = (await page.locator('.traces').getByRole('row', { name: new RegExp(`^${name}\\b`) }).locator('td.value').innerText()).split(/\s+/)
    const si = { g: 1e-3, mm: 1e-3 }[unit] ?? 1
    near(si * plain(shown), v.after, 1e-3 * Math.abs(v.after), `${name} of the design`)
  }
  await look(page, pictures, 'design', faults)
  await page.getByRole('button', { name: 'Into the scene' }).click()
  await goTo(page, 'Scene')
  // the text has the value that was found
  await page.locator('.tree').getByText('30 g', { exact: true }).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+s')
  await page.getByText('leg.yaml is saved').waitFor()
  assert.match(readFileSync(join(folder, 'leg.yaml'), 'utf8'), /toe-target\.csv/, 'the goal stands in the file')
}

// ---- all of it ----------------------------------------------------------------------------------

const steps = { tour, gallery, edit, run, cancel, results, response, explore, target, design, materials, jump, validate, keys }

async function walk() {
  writeFileSync(join(folder, 'leg.yaml'), leg)
  writeFileSync(join(folder, 'strip.yaml'), strip)
  assert.equal(command('run', 'leg.yaml', '-q', '-o', 'before.results').status, 0)
  const server = await start(pliant, [], { cwd: folder })
  const browser = await openBrowser()
  const page = await browser.context.newPage()
  page.setDefaultTimeout(30000)
  const at = { page, server, browser, faults: browser.faults }
  try {
    await page.goto(server.address)
    for (const [name, step] of Object.entries(steps)) {
      if (process.argv.length > 4 && !process.argv.slice(4).includes(name)) continue
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
  const again = command('studio', '--replay', 'studio.jsonl')
  assert.equal(again.status, 0, `what was done is done again: ${again.stderr}`)
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
