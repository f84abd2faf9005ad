// Pictures of the gallery's cards, gallery/NAME.webp: scenes as the studio shows them before they run, or, where
// that tells little, the pictures of docs/pictures/gallery/.
//   node pictures.mjs PLIANT [--results FOLDER] [NAME...]
// FOLDER: NAME.results of scenes that are shown after they have run, where there are some already.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { browser } from './test/shots.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const size = [480, 320]
const drawn = new Set(['chainmail-glove', 'chainmail-sheet', 'flipper', 'hanging-chain', 'jump-onto', 'jump-over', 'swing', 'toss'])
// sheets that lie flat before; where they are at their limits would be all that one sees of the drawn pictures
const ran = new Set(['cloth-on-sphere', 'drape-anisotropic', 'drape-isotropic', 'drape-orthotropic'])

// a picture as small as a card needs it
const shrink = ([type, data, [width, height]]) =>
  new Promise((done) => {
    const image = new Image()
    image.onload = () => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width, height })
      const c = canvas.getContext('2d')
      c.fillStyle = '#fff'
      c.fillRect(0, 0, width, height)
      const scale = Math.min(width / image.width, height / image.height)
      c.imageSmoothingQuality = 'high'
      c.drawImage(image, (width - scale * image.width) / 2, (height - scale * image.height) / 2, scale * image.width, scale * image.height)
      done(canvas.toDataURL('image/webp', 0.86))
    }
    image.src = `data:${type};base64,${data}`
  })

async function save(page, name, type, bytes) {
  const url = await page.evaluate(shrink, [type, bytes.toString('base64'), size])
  const out = Buffer.from(url.split(',')[1], 'base64')
  writeFileSync(join(here, 'gallery', `${name}.webp`), out)
  console.log(`${name.padEnd(20)} ${(out.length / 1000).toFixed(1)} kB`)
}

async function saved(page, folder) {
  const [got] = await Promise.all([page.waitForEvent('download'), page.getByLabel('save a picture').filter({ visible: true }).click()])
  const file = join(folder, 'picture.png')
  await got.saveAs(file)
  return readFileSync(file)
}

async function shown(page, name, folder) {
  await page.keyboard.press('Alt+1')
  await page.locator('.card', { has: page.locator(`.name:text-is("${name}")`) }).click()
  const there = (n) => document.querySelector('.scene-name')?.title.startsWith(`${n}/`) && document.querySelector('.model-pane .tools') && document.querySelector('.problems [role=status]').textContent !== 'checking …'
  await page.waitForFunction(there, name)
  await page.waitForTimeout(2000)
  return saved(page, folder)
}

// as it is at the end of its run
async function after(page, name, folder) {
  const results = `${name}.results`
  const there = earlier && existsSync(join(earlier, results))
  if (there) cpSync(join(earlier, results), join(folder, results), { recursive: true })
  else spawnSync(pliant, ['run', join(here, '../../gallery', name, 'scene.yaml'), '-q', '-o', results], { cwd: folder, stdio: 'inherit' })
  await page.setViewportSize({ width: 1500, height: 620 })
  await page.reload()
  await page.keyboard.press('Alt+1')
  await page.locator('.files').getByRole('button', { name: results }).click()
  await page.getByRole('heading', { name: results }).waitFor()
  const rest = page.getByRole('button', { name: 'rest', exact: true })
  const time = page.getByRole('slider', { name: 'time' })
  await rest.or(time).waitFor()
  if (await rest.count()) await rest.click()
  else await time.fill('1')
  await page.getByRole('button', { name: 'all of it' }).filter({ visible: true }).click()
  // what is seen leaves room for the sheet as it lay before
  await page.getByRole('application', { name: /^Results/ }).focus()
  for (let k = 0; k < 2 && (await rest.count()); k++) await page.keyboard.press('+')
  await page.waitForTimeout(2000)
  return saved(page, folder)
}

const words = process.argv.slice(3)
const earlier = words[0] === '--results' ? resolve(words.splice(0, 2)[1]) : ''
const pliant = resolve(process.argv[2])
const folder = mkdtempSync(join(tmpdir(), 'gallery-pictures-'))
const child = spawn(pliant, ['studio', '--no-browser'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
const address = await new Promise((done) => child.stdout.once('data', (d) => done(String(d).split('\n')[0])))
const open = await browser()
try {
  mkdirSync(join(here, 'gallery'), { recursive: true })
  const page = await open.context.newPage()
  page.setDefaultTimeout(120000)
  const plain = await open.context.newPage()
  await page.addInitScript(() => localStorage.setItem('pliant-toured', 'yes'))
  // the model alone fills a narrow window
  await page.setViewportSize({ width: 720 + 76, height: 480 + 95 })
  await page.goto(address)
  await page.waitForSelector('.card')
  const names = words.length > 0 ? words : await page.$$eval('.card .name', (all) => all.map((e) => e.textContent))
  for (const name of names)
    if (drawn.has(name)) await save(plain, name, 'image/svg+xml', readFileSync(join(here, '../../docs/pictures/gallery', `${name}.svg`)))
    else await save(plain, name, 'image/png', await (ran.has(name) ? after : shown)(page, name, folder))
} finally {
  await open.close()
  child.kill('SIGINT')
  rmSync(folder, { recursive: true, force: true })
}
