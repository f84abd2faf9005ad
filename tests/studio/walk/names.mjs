// Names of bodies, sets and files that would be script, were they taken for a part of the page:
//   node names.mjs PLIANT FOLDER
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { start } from '../client.mjs'
import { missing, openBrowser, settle } from './browser.mjs'
import { badge } from './person.mjs'

const [, , pliant, folder] = process.argv
const why = missing()
if (why) {
  console.log(`skipped: ${why}`)
  process.exit(77)
}
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const evil = (k) => `<img src=x onerror='window.fooled=${k}'><script>window.fooled=${k}</script>`
const quoted = (k) => JSON.stringify(evil(k))
// what a mesh brings along may be called anything; names in a scene may not, which is told with the name
const mesh = `o ${evil(1).replaceAll(' ', '/')}
v 0 0 0
v 0 0.1 0
v 0.1 0 0
v 0.1 0.1 0
v 0.2 0 0
v 0.2 0.1 0
g ${evil(2).replaceAll(' ', '/')}
f 1 3 2
f 2 3 4
f 3 5 4
f 4 5 6
`
writeFileSync(join(folder, 'names.obj'), mesh)
writeFileSync(join(folder, 'names.yaml'), `pliant: 1
title: ${quoted(3)}
materials: {pla: {young: 3 GPa, poisson: 0.36, density: 1240 kg/m^3}}
bodies: [{name: sheet, shell: {mesh: names.obj, material: pla, thickness: 0.001}}]
fixed: sheet where x < 0.15
analyses: [static: {}, modes: {count: 1}]
`)
writeFileSync(join(folder, 'wrong.yaml'), `pliant: 1
title: ${quoted(4)}
materials: {${quoted(5)}: {young: 3 GPa, poisson: 0.36, density: 1240 kg/m^3}}
bodies: [{name: ${quoted(6)}, shell: {mesh: names.obj, material: ${quoted(5)}, thickness: 0.001}}]
sets: {${quoted(7)}: ${quoted(7)}}
watch: {${quoted(8)}: ${quoted(8)}}
${quoted(9)}: ${quoted(9)}
analyses: [static: {name: ${quoted(10)}}]
`)
writeFileSync(join(folder, '<img src=x onerror=window.fooled=11>.yaml'), 'pliant: 1\n')

const server = await start(pliant, [], { cwd: folder })
const browser = await openBrowser()
await browser.context.addInitScript(() => {
  try {
    localStorage.setItem('pliant-toured', 'yes')
  } catch {
    // not yet at a page
  }
})
try {
  const page = await browser.context.newPage()
  page.setDefaultTimeout(60000)
  const whole = async (what) => {
    await settle(page)
    assert.deepEqual(
      await page.evaluate(() => [window.fooled ?? null, document.querySelectorAll('img[src="x"], body script:not([src])').length]),
      [null, 0],
      what,
    )
  }
  await page.goto(server.address)
  for (const name of ['names', 'wrong']) {
    await page.getByRole('navigation', { name: 'screens' }).getByRole('link', { name: 'Gallery' }).click()
    await page.locator('.files').getByRole('button', { name: new RegExp(`${name}\\.yaml`) }).click()
    await page.getByText('no problems').or(page.getByText(/to note|\d+ errors?/)).first().waitFor()
    await whole(`${name}: the scene`)
    // what has errors cannot be run
    if (name === 'names') {
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await badge(page).filter({ hasText: 'done' }).waitFor()
    }
    for (const screen of ['Runs', 'Response', 'Explore', 'Target', 'Design', 'Scene']) {
      await page.getByRole('navigation', { name: 'screens' }).getByRole('link', { name: screen }).click()
      await whole(`${name}: ${screen}`)
    }
    const text = await page.evaluate(() => document.body.innerText)
    assert.ok(text.includes('onerror='), `${name}: names are shown as they are`)
  }
  assert.deepEqual(browser.faults, [])
  console.log('names are words')
} finally {
  await browser.close()
  await server.stop()
}
