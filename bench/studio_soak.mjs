// A long run with frames that pages look at: does memory grow, and what does a killed browser lose?
// node bench/studio_soak.mjs PLIANT [--minutes 60] [--warm 5] [--no-browser]
// CSV on standard output, a row every ten seconds; what it comes to on standard error, and exit code 1
// where memory grew by more than 10 MB after the warm-up or a result is missing.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { page as connect, pause, start } from '../tests/studio/client.mjs'
import { missing, openBrowser } from '../tests/studio/walk/browser.mjs'

const words = process.argv.slice(2)
const option = (name, value) => (words.includes(name) ? Number(words.splice(words.indexOf(name), 2)[1]) : value)
const minutes = option('--minutes', 60)
const warm = Math.min(option('--warm', 5), minutes / 2) // minutes
const alone = words.includes('--no-browser')
const pliant = resolve(words.find((w) => !w.startsWith('--')))
const why = alone ? '' : missing()
if (why) throw new Error(why)
const LIMIT = 10 // MB
const PERIOD = 10 // s between rows

// A sheet that is shaken at one edge, without an end: a row of its table every half second of the motion, so that
// what the run has to keep stays small beside what could leak.
const scene = `pliant: 1
title: a sheet that is shaken for long
units: {length: mm}
materials: {pla: {young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}}
bodies:
  - {name: sheet, shell: {bending: hinge, mesh: {grid: {size: [200, 200], cells: [20, 20]}}, material: pla, thickness: 1}}
sets: {root: sheet where x < 1}
drives: [{nodes: root, translation: [0, 0, 5]}]
damping: {mass: 0.5 1/s, stiffness: 5e-5 s}
watch: {corner: "sheet nearest [200, 200, 0]"}
analyses:
  - transient: {frequency: 10 Hz, periods: 1000000, steps_per_period: 64}
output: {frames: 40, every: 0.5 s}
`

const statusOf = (pid) => readFileSync(`/proc/${pid}/status`, 'utf8')
const memory = (pid) => Number(statusOf(pid).match(/VmRSS:\s+(\d+)/)[1]) / 1024 // MB
const count = (pid, what) => readdirSync(`/proc/${pid}/${what}`).length
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]

// processes of a browser, by the folder of its profile
const processesOf = (profile) =>
  readdirSync('/proc').filter((p) => {
    try {
      return /^\d+$/.test(p) && readFileSync(`/proc/${p}/cmdline`, 'utf8').includes(profile)
    } catch {
      return false // it has ended
    }
  })

/** A page that shows the run as it goes on; what it draws is counted. */
async function look(server) {
  const browser = await openBrowser({ still: false })
  for (const p of processesOf(browser.profile)) setPriority(Number(p), 15)
  await browser.context.addInitScript(() => {
    try {
      localStorage.setItem('pliant-toured', 'yes')
    } catch {
      // not yet at a page
    }
    window.states = 0
    const Native = WebSocket
    window.WebSocket = class extends Native {
      constructor(...args) {
        super(...args)
        this.addEventListener('message', (m) => typeof m.data !== 'string' && window.states++)
      }
    }
  })
  const page = await browser.context.newPage()
  page.setDefaultTimeout(120000)
  await page.setViewportSize({ width: 800, height: 600 })
  await page.goto(server.address)
  await page.getByRole('navigation', { name: 'screens' }).getByRole('link', { name: 'Runs' }).click()
  await page.locator('.live-lamp').waitFor()
  const tools = await browser.context.newCDPSession(page)
  await tools.send('Performance.enable')
  return {
    browser,
    async sample() {
      await tools.send('HeapProfiler.collectGarbage')
      const { metrics } = await tools.send('Performance.getMetrics')
      const of = (name) => metrics.find((m) => m.name === name).value
      return { heap: of('JSHeapUsedSize') / 2 ** 20, nodes: of('Nodes'), states: await page.evaluate(() => window.states) }
    },
  }
}

/** A page that looks on for a while and vanishes in the middle of a message. */
async function passerBy(server) {
  const client = await connect(server)
  let frames = 0
  for (let k = 0; k < 20; k++) {
    if (!(await client.wait((m) => Buffer.isBuffer(m), 2000))) break
    frames++
    client.messages.length = 0
    client.send({ op: 'shown' })
  }
  client.destroy()
  return frames
}

const folder = mkdtempSync(join(tmpdir(), 'studio-soak-'))
const faults = []
writeFileSync(join(folder, 'sheet.yaml'), scene)
const server = await start(pliant, ['--threads', '1'], { cwd: folder })
setPriority(server.pid, 10)
let client = await connect(server)
const { run } = (await client.ask('run', { path: 'sheet.yaml', text: scene })).reply
client.destroy()
const seen = alone ? null : await look(server)

const rows = []
const t0 = performance.now()
console.log('minutes,server_MB,threads,files,page_heap_MB,page_nodes,states_shown,states_of_passers_by')
let passed = 0
for (let k = 0; k <= (60 / PERIOD) * minutes; k++) {
  await pause(Math.max(0, t0 + 1000 * PERIOD * k - performance.now()))
  if (k % 3 === 1) passed += await passerBy(server)
  const page = seen ? await seen.sample() : { heap: 0, nodes: 0, states: 0 }
  const row = [(performance.now() - t0) / 60000, memory(server.pid), count(server.pid, 'task'), count(server.pid, 'fd'), page.heap, page.nodes, page.states, passed]
  rows.push(row)
  console.log(row.map((v) => Number(v.toFixed(2))).join())
}

// the browser is killed; the run goes on, and what it has by then is written
if (seen) {
  for (const p of processesOf(seen.browser.profile)) {
    try {
      process.kill(Number(p), 'SIGKILL')
    } catch {
      // its parent's end was its own
    }
  }
  await pause(3000)
}
client = await connect(server)
const before = (await client.ask('runs')).reply.runs.find((r) => r.run === run)
if (before.state !== 'running') faults.push(`the run is ${before.state} after the browser was killed`)
const asked = performance.now()
await client.ask('cancel', { run })
const ended = await client.wait((m) => m.event === 'run' && m.run.run === run && m.run.state === 'cancelled', 60000)
if (!ended) faults.push('the run does not end')
const cancelled = performance.now() - asked
client.destroy()
const after = memory(server.pid)
await server.stop()

const results = join(folder, 'sheet.results')
const files = readdirSync(results)
for (const name of ['report.html', 'summary.json']) if (!files.includes(name)) faults.push(`${name} is missing`)
const summary = JSON.parse(readFileSync(join(results, 'summary.json'), 'utf8'))
if (summary.status !== 'cancelled') faults.push(`the summary says ${summary.status}`)
const table = files.find((f) => f.endsWith('.csv'))
const lines = table ? readFileSync(join(results, table), 'utf8').trim().split('\n').filter((l) => !l.startsWith('#')) : []
const times = lines.slice(1).map((l) => Number(l.split(',')[0]))
const gaps = times.slice(1, -1).filter((t, k) => Math.abs(t - times[k] - 0.5) > 0.02).length
if (times.length < 2 || gaps) faults.push(`the table has ${times.length} rows and ${gaps} gaps`)

const steady = rows.filter((r) => r[0] >= warm)
const growth = (c) => {
  const n = Math.max(1, Math.floor(steady.length / 10))
  return median(steady.slice(-n).map((r) => r[c])) - median(steady.slice(0, n).map((r) => r[c]))
}
const most = (c) => Math.max(...steady.map((r) => r[c])) - Math.min(...steady.map((r) => r[c]))
const tell = (c, name) => {
  console.error(`${name}: ${rows[0][c].toFixed(1)} MB at the start, ${steady[0][c].toFixed(1)} after ${warm} min, ${rows.at(-1)[c].toFixed(1)} at the end; from then on ${growth(c).toFixed(2)} MB more, ${most(c).toFixed(1)} MB between least and most`)
  if (growth(c) > LIMIT) faults.push(`memory of the ${name} grew by ${growth(c).toFixed(1)} MB`)
}
tell(1, 'server')
if (seen) tell(4, 'page')
console.error(`states shown: ${rows.at(-1)[6]}, to passers-by: ${rows.at(-1)[7]}; table of ${times.length} rows to ${times.at(-1)} s; cancelled in ${cancelled.toFixed(0)} ms; server after the run: ${after.toFixed(1)} MB`)
for (const f of faults) console.error(`FAULT: ${f}`)
if (seen) {
  await seen.browser.close().catch(() => {})
  rmSync(seen.browser.profile, { recursive: true, force: true })
}
rmSync(folder, { recursive: true, force: true })
process.exit(faults.length ? 1 : 0)
