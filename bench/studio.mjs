// What the studio takes: node bench/studio.mjs PLIANT [load card slider sheet live memory ...] [--minutes M]
// CSV on standard output: what, value, unit. Needs Debian's chromium for all but `live` and `memory`.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { page as connect, pause, start } from '../tests/studio/client.mjs'
import { missing, openBrowser } from '../tests/studio/walk/browser.mjs'

const pliant = resolve(process.argv[2])
const words = process.argv.slice(3)
const minutes = words.includes('--minutes') ? Number(words.splice(words.indexOf('--minutes'), 2)[1]) : 3
const folder = mkdtempSync(join(tmpdir(), 'studio-bench-'))
const say = (what, value, unit) => console.log(`${what},${Number(value.toPrecision(4))},${unit}`)
const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]

// ---- scenes -------------------------------------------------------------------------------------

/** 400 wires of ten vertices, clamped below and shaken there, with beads whose masses are parameters. */
function writeBrush() {
  const places = Array.from({ length: 400 }, (_, w) => [10 * Math.floor(w / 20), 10 * (w % 20)])
  const obj = places.flatMap(([x, y], w) => [...Array.from({ length: 10 }, (_, k) => `v ${x} ${y} ${10 * k}`), `l ${Array.from({ length: 10 }, (_, k) => 10 * w + k + 1).join(' ')}`])
  writeFileSync(join(folder, 'brush.obj'), `${obj.join('\n')}\n`)
  const beads = Array.from({ length: 20 }, (_, k) => k)
  writeFileSync(join(folder, 'brush.yaml'), `pliant: 1
title: brush with beads
units: {length: mm, mass: g}
materials: {brass: {young: 100 GPa, poisson: 0.34, density: 8500 kg/m^3}}
parameters:
${beads.map((k) => `  m${k}: {value: 1, min: 0.2, max: 3}`).join('\n')}
bodies:
  - {name: brush, rod: {mesh: brush.obj, material: brass, section: {round: 1.5}}}
sets: {roots: brush where z < 0.1}
masses:
${beads.map((k) => `  - {node: "brush nearest [${10 * k}, 0, 90]", mass: $m${k}}`).join('\n')}
drives: [{nodes: roots, clamp: yes, translation: [2 mm, 0, 0]}]
damping: {mass: 1 1/s, stiffness: 1e-4 s}
watch: {end: "brush nearest [0, 0, 90]"}
analyses:
  - explore: {frequency: 10 Hz, harmonics: 5}
`)
}

/** A sheet of two triangles a cell that is shaken at one edge. */
const sheet = (cells, periods, steps) => `pliant: 1
title: shaken sheet
units: {length: mm}
materials: {pla: {young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}}
bodies:
  - {name: sheet, shell: {bending: hinge, mesh: {grid: {size: [200, 200], cells: [${cells}, ${cells}]}}, material: pla, thickness: 1}}
sets: {root: sheet where x < 1}
drives: [{nodes: root, translation: [0, 0, 5]}]
damping: {mass: 0.5 1/s, stiffness: 5e-5 s}
watch: {corner: "sheet nearest [200, 200, 0]"}
analyses:
  - transient: {frequency: 10 Hz, periods: ${periods}, steps_per_period: ${steps}}
output: {frames: 40}
`

// ---- the server alone ---------------------------------------------------------------------------

const ticks = 100 // of /proc a second, on all of Debian's machines
const cpu = (pid) => {
  const f = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ')
  return (Number(f[11]) + Number(f[12])) / ticks
}
const memory = (pid) => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024 // MB

/** Answers frames as a page does. */
function watch(client) {
  let frames = 0
  let live = true
  const go = async () => {
    while (live && !client.over) {
      const m = await client.wait((x) => Buffer.isBuffer(x), 500)
      if (!m) continue
      frames++
      client.send({ op: 'shown' })
    }
  }
  const done = go()
  return { count: () => frames, stop: () => ((live = false), done) }
}

// CPU seconds of the server over a run, with a client that looks on or with nobody there
async function runOnce(server, text, looksOn) {
  const results = join(folder, 'sheet.results')
  rmSync(results, { recursive: true, force: true })
  const client = await connect(server)
  const before = cpu(server.pid)
  await client.ask('run', { path: 'sheet.yaml', text })
  const w = looksOn ? watch(client) : null
  if (!looksOn) client.destroy()
  while (!existsSync(join(results, 'report.html'))) await pause(50)
  await pause(200)
  if (w) await w.stop()
  client.destroy()
  return { spent: cpu(server.pid) - before, frames: w?.count() ?? 0 }
}

async function live() {
  writeFileSync(join(folder, 'sheet.yaml'), sheet(20, 2, 64))
  const server = await start(pliant, ['--threads', '1'], { cwd: folder })
  const text = readFileSync(join(folder, 'sheet.yaml'), 'utf8')
  const alone = []
  const watched = []
  await runOnce(server, text, false)
  for (let k = 0; k < 5; k++) {
    alone.push((await runOnce(server, text, false)).spent)
    const w = await runOnce(server, text, true)
    watched.push(w.spent)
    say(`live: frames of run ${k + 1}`, w.frames, '')
  }
  await server.stop()
  say('live: CPU of a transient, nobody looks on', middle(alone), 's')
  say('live: CPU of a transient, a page looks on', middle(watched), 's')
  say('live: share of live frames', 100 * (middle(watched) / middle(alone) - 1), '%')
}

/** One long transient with a page that looks on. */
async function steady() {
  writeFileSync(join(folder, 'sheet.yaml'), sheet(20, 1e6, 64))
  const server = await start(pliant, ['--threads', '1'], { cwd: folder })
  const client = await connect(server)
  const { run } = (await client.ask('run', { path: 'sheet.yaml', text: readFileSync(join(folder, 'sheet.yaml'), 'utf8') })).reply
  const w = watch(client)
  const all = []
  for (let k = 0; k <= 6 * minutes; k++) {
    await pause(k === 0 ? 5000 : 10000)
    client.messages.length = 0
    all.push(memory(server.pid))
    if (k % 6 === 0) say(`memory: after ${(k / 6).toFixed(0)} min and ${w.count()} frames`, all.at(-1), 'MB')
  }
  say('memory: growth', all.at(-1) - all[0], 'MB')
  const t0 = performance.now()
  await client.ask('cancel', { run })
  await client.wait((m) => m.event === 'run' && m.run.run === run && m.run.state === 'cancelled', 20000)
  say('cancel: until it has ended', performance.now() - t0, 'ms')
  await w.stop()
  client.destroy()
  await server.stop()
}

// ---- in the page --------------------------------------------------------------------------------

// when pictures are done: calls of WebGL of a frame, and a fence behind them that nobody waits for
const counter = () => {
  const drawn = []
  const fences = []
  let asked = 0 // the frame in which something was drawn last
  window.drawnAt = drawn
  const look = () => {
    while (fences.length && fences[0].gl.getSyncParameter(fences[0].sync, fences[0].gl.SYNC_STATUS) === fences[0].gl.SIGNALED) {
      fences[0].gl.deleteSync(fences.shift().sync)
      drawn.push(performance.now())
    }
    if (fences.length) setTimeout(look, 2)
  }
  for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced']) {
    const draw = WebGL2RenderingContext.prototype[name]
    WebGL2RenderingContext.prototype[name] = function (...a) {
      draw.apply(this, a)
      const frame = document.timeline.currentTime
      if (frame === asked) return
      asked = frame
      // when all of this frame's calls are made
      queueMicrotask(() => {
        fences.push({ gl: this, sync: this.fenceSync(this.SYNC_GPU_COMMANDS_COMPLETE, 0) })
        this.flush()
        if (fences.length === 1) setTimeout(look, 2)
      })
    }
  }
}

const skipTour = () => {
  try {
    localStorage.setItem('pliant-toured', 'yes')
  } catch {
    // not yet at a page
  }
}

async function inPage(what) {
  const server = await start(pliant, [], { cwd: folder })
  const browser = await openBrowser({ still: false })
  await browser.context.addInitScript(counter)
  await browser.context.addInitScript(skipTour)
  const page = await browser.context.newPage()
  page.setDefaultTimeout(120000)
  try {
    await what(page, server, browser)
  } finally {
    await browser.close()
    await server.stop()
  }
}

const goTo = (page, name) => page.getByRole('navigation', { name: 'screens' }).getByRole('link', { name }).click()

/** From asking for the page until its cards stand. */
async function load(page, server) {
  const all = []
  await page.addInitScript(() => {
    const look = () => (document.querySelector('.card') ? (window.loaded = performance.now()) : requestAnimationFrame(look))
    requestAnimationFrame(look)
  })
  for (let k = 0; k < 7; k++) {
    await page.goto(k === 0 ? server.address : `http://${server.name}/`)
    await page.waitForFunction(() => window.loaded)
    all.push(await page.evaluate(() => window.loaded))
  }
  say('load: first visit', all[0], 'ms')
  say('load: again', middle(all.slice(1)), 'ms')
}

/** From the click on a card until its model is drawn. */
async function card(page, server) {
  await page.goto(server.address)
  for (const name of ['three-link-leg', 'cloth-on-sphere', 'wings', 'tower', 'chainmail-sheet']) {
    await goTo(page, 'Gallery')
    const found = page.locator('.card').filter({ has: page.locator('.name', { hasText: new RegExp(`^${name}$`) }) })
    await found.waitFor()
    const ms = await found.evaluate(async (e, name) => {
      const frame = () => new Promise((r) => requestAnimationFrame(r))
      const clicked = performance.now()
      e.click()
      // its parts stand in the list when the view has it
      while (!document.querySelector('.scene-name').innerText.includes(name) || !document.querySelector('.tree section')) await frame()
      const known = performance.now()
      while (!window.drawnAt.some((t) => t >= known)) await frame()
      return window.drawnAt.find((t) => t >= known) - clicked
    }, name)
    say(`card: ${name}, from the click to its model`, ms, 'ms')
    await page.getByText('no problems').or(page.getByText(/to note/)).first().waitFor()
  }
}

// CPU seconds of a browser's processes of a kind: renderer, gpu-process
function cpuOf(profile, kind) {
  let sum = 0
  for (const pid of readdirSync('/proc').filter((p) => /^\d+$/.test(p)))
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (words.includes(profile) && words.includes(`--type=${kind}`)) sum += cpu(pid)
    } catch {
      // it has ended
    }
  return sum
}

/** Pictures a second over some seconds, and the CPU time that one takes. */
async function rate(page, profile, what) {
  const spent = () => ['renderer', 'gpu-process'].map((kind) => cpuOf(profile, kind))
  await page.evaluate(() => (window.drawnAt.length = 0))
  const before = spent()
  await pause(8000)
  const after = spent()
  const n = await page.evaluate(() => window.drawnAt.length)
  say(`${what}`, n / 8, 'pictures/s')
  say(`${what}: CPU of the page`, (1000 * (after[0] - before[0])) / n, 'ms a picture')
  say(`${what}: CPU of the software renderer`, (1000 * (after[1] - before[1])) / n, 'ms a picture')
}

/** 20,000 triangles that flap, in the viewer alone. */
async function sheetPlays(page, server, browser) {
  const viewer = await import('../studio/web/test/shots.mjs')
  await page.goto(await viewer.page(join(folder, 'viewer')))
  await page.waitForFunction(() => window.drawnAt.length > 30, null, { timeout: 120000 })
  await rate(page, browser.profile, 'sheet: 20,000 triangles at 1280x800')
}

async function slider(page, server, browser) {
  writeBrush()
  await page.goto(server.address)
  await page.locator('.files').getByRole('button', { name: /brush\.yaml/ }).click()
  await page.getByText('no problems').or(page.getByText(/0 errors/)).first().waitFor()
  await goTo(page, 'Explore')
  await page.getByRole('button', { name: /Explore brush/ }).click()
  await page.getByText('this motion is solved').waitFor()
  const stop = page.getByRole('button', { name: 'pause', exact: true })
  await stop.click()
  await page.getByRole('button', { name: 'play', exact: true }).waitFor()
  for (const [what, sliders] of [['one slider', ['m0']], ['two in turns', ['m0', 'm7']]]) {
    // a new value with every frame
    await page.evaluate((names) => {
      let k = 0
      window.moving = true
      const step = () => {
        const e = document.getElementById(`slider-${names[k % names.length]}`)
        e.value = String(400 + (k++ % 60))
        e.dispatchEvent(new Event('input', { bubbles: true }))
        if (window.moving) requestAnimationFrame(step)
      }
      step()
    }, sliders)
    await pause(1000)
    await rate(page, browser.profile, `slider: ${what} of 20, 4,000 vertices`)
    await page.evaluate(() => (window.moving = false))
  }
}

const parts = { load: () => inPage(load), card: () => inPage(card), slider: () => inPage(slider), sheet: () => inPage(sheetPlays), live, memory: steady }
const wanted = words.length ? words : Object.keys(parts)
const why = missing()
console.log('what,value,unit')
for (const name of wanted) {
  if (why && !['live', 'memory'].includes(name)) console.error(`left out: ${name}: ${why}`)
  else await parts[name]()
}
rmSync(folder, { recursive: true, force: true })
