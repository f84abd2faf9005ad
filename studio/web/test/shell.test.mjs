// The page and its server, without either: messages go to a socket of this test.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

class Socket {
  static OPEN = 1
  static last = null
  readyState = 1
  sent = []
  constructor(url) {
    this.url = url
    Socket.last = this
  }
  send(text) {
    this.sent.push(JSON.parse(text))
  }
  close() {
    this.readyState = 3
    this.onclose?.()
  }
  say(message) {
    this.onmessage({ data: message instanceof ArrayBuffer ? message : JSON.stringify(message) })
  }
}
const fetched = []
Object.assign(globalThis, {
  WebSocket: Socket,
  location: { hash: '', host: '127.0.0.1:1', pathname: '/' },
  window: globalThis,
  requestAnimationFrame: (f) => f(),
  fetch: async (url, options) => {
    fetched.push([url, options.headers.Authorization])
    return { ok: true, arrayBuffer: async () => Float32Array.of(1, 2, 3, 4).buffer }
  },
})
const { load } = await import('./bundle.mjs')
const { Connection, connection, livePlots, readFrame, runs, Schema, sections, watchRuns } = await load('connection.ts', 'state.ts', 'runs.ts', 'schema.ts', 'sections.ts', 'live_tables.ts')

const settle = () => new Promise((r) => setTimeout(r, 0))
const hello = { version: '1', folder: '/x', scene: null, results: null, nonce: 'n', starters: [], analyses: [], protocols: [] }
watchRuns()

// answers what was asked, by operation, until nothing is asked any more
async function answer(socket, replies) {
  for (let k = 0; k < 20; k++) {
    await settle()
    for (const m of socket.sent.splice(0)) if (m.id && replies[m.op] !== undefined) socket.say({ id: m.id, reply: typeof replies[m.op] === 'function' ? replies[m.op](m.args) : replies[m.op] })
  }
}

const run = (state) => ({ run: 7, label: 'a', kind: 'scene', state, seconds: 0, model: 0, folder: null })
const item = (text) => ({ kind: 'said', said: 'text', text })
const told = () => runs.value[0].items.value.map((i) => i.text)

async function connect(replies) {
  connection.open()
  Socket.last.onopen()
  await answer(Socket.last, { hello, runs: { runs: [] }, schema: { paths: [] }, ...replies })
  return Socket.last
}

beforeEach(() => (runs.value = []))

test('the first message is a hello, and replies find their requests', async () => {
  const c = new Connection('secret')
  c.open()
  const s = Socket.last
  s.onopen()
  assert.deepEqual(s.sent[0], { id: 1, op: 'hello', args: { token: 'secret' } })
  s.say({ id: 1, reply: hello })
  await settle()
  assert.equal(c.status.value, 'open')
  const [a, b] = [c.request('schema', {}), c.request('runs', {})]
  s.say({ id: 3, reply: { runs: [] } })
  s.say({ id: 2, error: { code: 'busy', text: 'later', hint: 'wait' } })
  assert.deepEqual(await b, { runs: [] })
  await assert.rejects(a, { code: 'busy', message: 'later', hint: 'wait' })
  const lost = c.request('runs', {})
  s.close()
  await assert.rejects(lost, { code: 'lost' })
  assert.equal(c.status.value, 'lost')
  await assert.rejects(c.request('save', { path: 'a', text: 'x' }), { code: 'lost' })
})

test('a wrong token is told and not tried again', async () => {
  const c = new Connection('wrong')
  c.open()
  Socket.last.onopen()
  Socket.last.say({ id: 1, error: { code: 'bad-token', text: 'no', hint: '' } })
  await settle()
  assert.equal(c.status.value, 'refused')
})

test('too large a message is not sent', async () => {
  const s = await connect()
  s.sent.length = 0
  await assert.rejects(connection.request('save', { path: 'a.yaml', text: 'x'.repeat(1000001) }), { code: 'too-large' })
  assert.equal(s.sent.length, 0)
})

test('live states are read, and the server is told that they were shown', async () => {
  const s = await connect()
  const bytes = new ArrayBuffer(24 + 12)
  const head = new DataView(bytes)
  ;[0x50, 0x4c, 0x4e, 0x31].forEach((b, k) => head.setUint8(k, b))
  head.setUint32(4, 1, true)
  head.setUint32(8, 7, true)
  head.setUint32(12, 3, true)
  head.setFloat64(16, 0.25, true)
  head.setFloat32(28, 5, true)
  const seen = []
  connection.onFrame((f) => seen.push(f))
  s.sent.length = 0
  s.say(bytes)
  assert.deepEqual(seen, [{ run: 7, time: 0.25, x: Float32Array.of(0, 5, 0) }])
  assert.deepEqual(s.sent, [{ op: 'shown' }])
  assert.equal(readFrame(bytes.slice(0, 32)), null)
  assert.equal(readFrame(new ArrayBuffer(3)), null)
})

test('arrays are fetched once, with the token, and must have their size', async () => {
  const c = new Connection('secret')
  const ref = { url: '/data/a/1', type: 'f32', shape: [2, 2] }
  const [a, b] = await Promise.all([c.floats(ref), c.floats(ref)])
  assert.deepEqual([...a], [1, 2, 3, 4])
  assert.deepEqual(a, b)
  assert.deepEqual(fetched, [['/data/a/1', 'Bearer secret']])
  await assert.rejects(c.floats({ url: '/data/a/2', type: 'f32', shape: [5] }), /has 16 bytes, not 20/)
  assert.equal((await c.floats({ url: '/data/a/3', type: 'f32', shape: [0, 3] })).length, 0)
})

test('items come in order; what was missed is asked for', async () => {
  const s = await connect()
  s.say({ event: 'run', run: run('running') })
  s.say({ event: 'item', run: 7, n: 0, item: item('a') })
  s.say({ event: 'item', run: 7, n: 3, item: item('d') })
  const all = ['a', 'b', 'c', 'd'].map(item)
  await answer(s, { items: ({ from }) => ({ items: all.slice(from) }), live: { tables: [], iterates: [] } })
  assert.deepEqual(told(), ['a', 'b', 'c', 'd'])
})

test('after a lost connection items are asked for from where it was', async () => {
  const s = await connect()
  s.say({ event: 'run', run: run('running') })
  s.say({ event: 'item', run: 7, n: 0, item: item('a') })
  s.close()
  const asked = []
  const all = ['a', 'b'].map(item)
  const items = ({ from }) => (asked.push(from), { items: all.slice(from) })
  await connect({ runs: { runs: [run('done')] }, items })
  assert.deepEqual(told(), ['a', 'b'])
  assert.deepEqual(asked, [1])
  assert.equal(runs.value[0].info.value.state, 'done')
})

test('rows replace and follow those before; a gap is filled', async () => {
  const s = await connect()
  const columns = [{ name: 'time', unit: 's' }, { name: 'tip_x', unit: 'm' }]
  const rows = (first, list) => s.say({ event: 'rows', run: 7, table: 't', columns, first, every: 1, rows: list })
  s.say({ event: 'run', run: run('running') })
  rows(0, [[0, 1], [1, 2]])
  rows(1, [[1, 3], [2, 4]])
  assert.deepEqual(runs.value[0].tables.value[0].rows, [[0, 1], [1, 3], [2, 4]])
  const data = { url: '/data/t', type: 'f32', shape: [2, 2] }
  rows(5, [[5, 9]])
  await answer(s, { items: { items: [] }, live: { tables: [{ kind: 'table', name: 'u', columns, rows: 2, every: 2, data }], iterates: [] } })
  assert.deepEqual(runs.value[0].tables.value[0].rows.length, 3)
  assert.deepEqual(runs.value[0].tables.value[1].rows, [[1, 2], [3, 4]])
  s.say({ event: 'item', run: 7, n: 0, item: { kind: 'table', name: 't', columns, rows: 2, data } })
  assert.deepEqual(runs.value[0].tables.value.map((t) => t.name), ['u'])
  s.say({ event: 'dropped', run: 7 })
  assert.deepEqual(runs.value, [])
})

test('a page that was too slow asks anew', async () => {
  const s = await connect()
  s.sent.length = 0
  s.say({ event: 'lost' })
  await settle()
  assert.ok(s.sent.some((m) => m.op === 'runs'))
})

test('items fall into their analyses', () => {
  const begin = (analysis) => ({ kind: 'begin', analysis, analysisKind: 'static' })
  const list = sections([item('x'), begin('a'), item('y'), { kind: 'end', analysis: 'a', status: 'done' }, begin('b'), item('z')])
  assert.deepEqual(list.map((l) => [l.name, l.status, l.from, l.to]), [['', 'done', 0, 1], ['a', 'done', 2, 3], ['b', null, 5, 6]])
})

test('keys of mappings that occur in several places', () => {
  const s = new Schema([['bodies[].shell', 'a shell'], ['bodies[].rod', 'a rod'], ['bodies[].shell.mesh', 'its mesh'], ['bodies[].shell.mesh.grid', 'a grid'], ['materials.NAME.young', 'stiff'], ['analyses.static.steps', 'n'], ['title', 'one line']])
  assert.deepEqual(s.under([]).map(([k]) => k), ['title'])
  assert.deepEqual(s.under(['bodies', 'rod', 'mesh']).map(([k]) => k), ['grid'])
  assert.deepEqual(s.under(['materials', 'pla']).map(([k]) => k), ['young'])
  assert.equal(s.text(['analyses', 'static', 'steps']), 'n')
  assert.equal(s.text(['nobody']), null)
})

test('what grows is drawn: responses by stability, histories by unit', () => {
  const columns = ['frequency', 'omega', 'stable', 'branch', 'tip_path'].map((name) => ({ name, unit: name === 'tip_path' ? 'm' : '' }))
  const rows = [[1, 0, 1, 0, 5], [2, 0, 1, 0, 6], [3, 0, 0, 0, 7], [2, 0, 0, 0, 8], [9, 0, 1, 1, 1], [10, 0, 1, 1, 2]]
  const [plot] = livePlots({ name: 'r', columns, rows, every: 1, changes: 1 })
  const runsOf = (xy) => Array.from(xy).map((v) => (Number.isNaN(v) ? '|' : v)).join(' ')
  assert.equal(runsOf(plot.series[0].xy), '| | 1 5 2 6 | | 9 1 10 2')
  assert.equal(runsOf(plot.series[1].xy), '| | 2 6 3 7 2 8')
  const time = livePlots({ name: 't', columns: [{ name: 'time', unit: 's' }, { name: 'tip_x', unit: 'm' }, { name: 'kinetic', unit: 'J' }], rows: [[0, 1, 2], [1, null, 3]], every: 1, changes: 1 })
  assert.deepEqual(time.map((p) => p.ylabel), ['place (m)', 'energy (J)'])
  assert.ok(Number.isNaN(time[0].series[0].xy[3]))
})
