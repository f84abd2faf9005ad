// Makes the pictures of the documentation, docs/pictures/studio-*.png, with the real program:
//   node pictures.mjs PLIANT [NAME...]
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from '../client.mjs'
import { openBrowser, settle } from './browser.mjs'
import { badge, clickFile, goTo, openFile } from './person.mjs'
import { leg, mail } from './scenes.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const out = join(root, 'docs/pictures')
const home = mkdtempSync(join(tmpdir(), 'studio-pictures-'))
const folder = join(home, 'designs')

const most = 290e3 // bytes of a picture

// fewer shades, which take less room
async function coarser(page, png, step) {
  const text = await page.evaluate(async ([old, step]) => {
    const bytes = Uint8Array.from(atob(old), (c) => c.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const pen = canvas.getContext('2d')
    pen.drawImage(image, 0, 0)
    const px = pen.getImageData(0, 0, image.width, image.height)
    // but the colours of the page itself as they are
    const whole = new Uint32Array(px.data.buffer)
    const count = new Map()
    for (const p of whole) count.set(p, (count.get(p) ?? 0) + 1)
    const own = new Set([...count].sort((a, b) => b[1] - a[1]).slice(0, 32).map(([p]) => p))
    whole.forEach((p, k) => {
      if (!own.has(p)) for (let c = 4 * k; c < 4 * k + 3; c++) px.data[c] = Math.round(px.data[c] / step) * step
    })
    pen.putImageData(px, 0, 0)
    const out = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())
    return btoa(Array.from(out, (b) => String.fromCharCode(b)).join(''))
  }, [png.toString('base64'), step])
  return Buffer.from(text, 'base64')
}

async function shoot(page, name) {
  await page.evaluate(() => document.activeElement?.blur())
  await page.mouse.move(640, 0)
  await settle(page)
  const png = await page.screenshot({ caret: 'initial' })
  let kept = png
  for (let shades = 16; kept.length > most && shades >= 4; shades--) kept = await coarser(page, png, 255 / (shades - 1))
  writeFileSync(join(out, `studio-${name}.png`), kept)
  console.log(`${name} ${Math.round(kept.length / 1000)} kB`)
}

/** Sets the phase of what plays, once it plays. */
async function atPhase(page, name, phase) {
  const slider = page.getByRole('slider', { name, exact: true }).and(page.locator(':visible'))
  do await slider.fill(String(phase))
  while ((await settle(page), Number(await slider.inputValue()) !== phase))
}

async function gallery(page) {
  await goTo(page, 'Gallery')
  await page.waitForFunction(() => [...document.querySelectorAll('.card')].slice(0, 9).every((c) => c.querySelector('.there')))
  await shoot(page, 'gallery')
}

async function scene(page) {
  await openFile(page, /wing\.yaml/)
  await page.locator('.tree').getByRole('button', { name: /^root/ }).click()
  await shoot(page, 'scene')
}

async function run(page) {
  await openFile(page, /wing\.yaml/)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await badge(page).filter({ hasText: 'done' }).waitFor({ timeout: 300000 })
  await page.getByRole('button', { name: /^mode 2/ }).click()
  await atPhase(page, 'phase', 0.25)
  await page.locator('#run-modes').evaluate((e) => e.scrollIntoView())
  await shoot(page, 'run')
}

async function response(page) {
  await openFile(page, /two-link-leg\.yaml/)
  await goTo(page, 'Response')
  await page.getByRole('button', { name: 'Run response' }).click()
  await page.getByLabel('curve').locator('option:checked', { hasText: /two-link-leg/ }).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Run response' }).waitFor()
  await page.getByRole('button', { name: 'peak', exact: true }).click()
  await page.getByRole('button', { name: /Explore at/ }).waitFor()
  await atPhase(page, 'phase of the motion', 0.3)
  await shoot(page, 'response')
}

async function explore(page) {
  await clickFile(page, /three-link-leg\/scene\.yaml/)
  await page.getByText(/no problems|to note/).first().waitFor()
  await goTo(page, 'Explore')
  await page.getByRole('button', { name: /Explore scene/ }).click()
  await page.getByText('this motion is solved').waitFor({ timeout: 120000 })
  for (const [name, value] of [['m_toe', '18'], ['shank', '114']]) {
    await page.getByLabel(new RegExp(`^${name} in`)).fill(value)
    await page.getByLabel(new RegExp(`^${name} in`)).press('Enter')
  }
  await page.locator('.trust.good, .trust.fair, .trust.poor').waitFor()
  await atPhase(page, 'phase of the motion', 0.3)
  await shoot(page, 'explore')
}

async function design(page) {
  await goTo(page, 'Design')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('.explore-head .step').filter({ hasText: /has ended/ }).waitFor({ timeout: 300000 })
  await atPhase(page, 'phase of the motion', 0.3)
  await shoot(page, 'design')
}

async function validate(page) {
  await goTo(page, 'Validate')
  for (const model of ['rod', 'midedge', 'hinge']) {
    await page.getByRole('button', { name: `run ${model} of cantilever` }).click()
    await page.getByRole('button', { name: `look at ${model} of cantilever` }).waitFor({ timeout: 300000 })
  }
  await page.getByRole('button', { name: 'look at rod of cantilever' }).click()
  await shoot(page, 'validate')
}

async function materials(page) {
  await openFile(page, /mail\.yaml/)
  await goTo(page, 'Materials')
  await page.getByRole('button', { name: 'limits', exact: true }).click()
  await page.getByText('limits of stretch').first().waitFor()
  await page.getByRole('button', { name: 'limits', exact: true }).waitFor()
  await shoot(page, 'materials')
}

const pictures = { gallery, scene, run, response, explore, design, materials, validate }

mkdirSync(join(folder, 'meshes'), { recursive: true })
cpSync(join(root, 'scenes/demo.yaml'), join(folder, 'wing.yaml'))
cpSync(join(root, 'scenes/meshes/wing.obj'), join(folder, 'meshes/wing.obj'))
cpSync(join(root, 'gallery/three-link-leg'), join(folder, 'three-link-leg'), { recursive: true })
writeFileSync(join(folder, 'two-link-leg.yaml'), leg)
writeFileSync(join(folder, 'mail.yaml'), mail)
const server = await start(resolve(process.argv[2]), [], { cwd: folder })
const browser = await openBrowser()
const page = await browser.context.newPage()
page.setDefaultTimeout(60000)
try {
  await page.goto(server.address)
  await page.getByRole('dialog', { name: 'First tour' }).getByRole('button', { name: 'Skip' }).click()
  for (const [name, make] of Object.entries(pictures)) if (process.argv.length < 4 || process.argv.includes(name)) await make(page)
} finally {
  await browser.close()
  await server.stop()
  rmSync(home, { recursive: true, force: true })
}
