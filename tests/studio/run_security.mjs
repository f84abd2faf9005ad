// Strangers, other pages, hostile frames, slow and vanished clients: each is refused or harmless.
//   node run_security.mjs PLIANT FOLDER [sanitized]
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Socket, connect, disconnect, frame, get, page, pause, raw, request, start } from './client.mjs'

const pliant = path.resolve(process.argv[2])
const work = path.resolve(process.argv[3])
const room = path.join(work, 'room')
fs.rmSync(work, { recursive: true, force: true })
fs.mkdirSync(room, { recursive: true })

// sanitizers keep what was freed
const spare = process.argv[4] === 'sanitized' ? 400 : 0 // MB
const memory = (pid) => Number(fs.readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024 // MB
const threads = (pid) => fs.readdirSync(`/proc/${pid}/task`).length

let server = null
const tests = []
const test = (name, run) => tests.push({ name, run })

/** The server answers as ever. */
async function alive() {
  const p = await page(server)
  assert.ok((await p.ask('files')).reply, 'files')
  p.destroy()
  assert.equal((await get(server, '/')).code, 200)
}

/** Says something first and expects the refusal with this code, and the end. */
async function refused(first, code, args = {}) {
  const s = await Socket.open(server)
  s.send(first)
  const answer = await s.wait((m) => m.error)
  assert.equal(answer?.error.code, code)
  for (const [k, v] of Object.entries(args)) assert.equal(answer[k], v)
  await s.closed
  assert.equal(s.code, 1008)
  assert.equal(s.messages.length, 0, 'nothing else is told')
}

test('tokens that are wrong', async () => {
  const t = server.token
  const wrong = [undefined, null, '', 'x', t.slice(1), `${t}0`, t.toUpperCase() === t ? `${t}a` : t.toUpperCase(), ` ${t}`, [t], { t }, 7,
    t.replace(/.$/, (c) => (c === '0' ? '1' : '0'))]
  for (const token of wrong) await refused({ id: 3, op: 'hello', args: { token } }, 'bad-token', { id: 3 })
  await refused({ id: 4, op: 'files', args: {} }, 'bad-token', { id: 4 })
  await refused({ id: 4, op: 'files', token: t, args: { token: t } }, 'bad-token')
  await refused('nonsense', 'bad-request')
  for (const token of [null, '', 'x', t.slice(1), `${t}0`]) assert.equal((await get(server, '/data/x/1', token)).code, 401)
  for (const field of [`Authorization: ${t}`, `Authorization: Basic ${t}`, `Authorization: bearer  ${t}`, `X: Bearer ${t}`])
    assert.equal((await request(server, '/data/x/1', { fields: [field] })).code, 401)
  assert.equal((await request(server, '/data/x/1', { fields: [`Authorization: Bearer ${t}`, 'Authorization: Bearer x'] })).code, 401)
  assert.equal((await request(server, `/data/x/1?token=${t}`)).code, 401)
  assert.equal((await get(server, '/data/x/1')).code, 404)
  assert.equal((await get(server, '/gallery/catapult.webp', 'x')).code, 401)
  assert.equal((await get(server, '/gallery/catapult.webp')).code, 200)
})

test('a socket that says nothing is closed', async () => {
  const begin = Date.now()
  const s = await Socket.open(server)
  await s.closed
  assert.ok(Date.now() - begin > 4000 && Date.now() - begin < 15000, `${Date.now() - begin} ms`)
})

test('other hosts and origins', async () => {
  const { name, port } = server
  const hosts = [null, '', 'localhost', `localhost:${port}`, 'evil.example', `evil.example:${port}`, `127.0.0.1`, `127.0.0.1:${port + 1}`,
    `${name}.evil.example`, `${name}@evil.example`, `127.1:${port}`, `[::1]:${port}`, `0.0.0.0:${port}`, `${name},${name}`]
  for (const host of hosts) {
    assert.equal((await request(server, '/', { host })).code, 421, `Host: ${host}`)
    assert.equal(await Socket.open(server, { host }), 421, `socket of ${host}`)
  }
  assert.equal((await request(server, '/', { fields: [`Host: ${name}`] })).code, 421, 'twice')
  const origins = ['', 'null', 'http://evil.example', `https://${name}`, `http://${name}.evil.example`, `http://${name}/`, `http://localhost:${port}`,
    `http://127.0.0.1`, `http://${name}@evil.example`, 'file://', name]
  for (const origin of origins) {
    assert.equal(await Socket.open(server, { origin }), 403, `Origin: ${origin}`)
    assert.equal((await request(server, '/', { fields: [`Origin: ${origin}`] })).code, 403, `Origin: ${origin}`)
    assert.equal((await request(server, '/data/x/1', { fields: [`Origin: ${origin}`, `Authorization: Bearer ${server.token}`] })).code, 403)
  }
  assert.equal(await Socket.open(server, { origin: null }), 403)
  assert.equal((await request(server, '/', { fields: [`Origin: http://${name}`] })).code, 200)
})

test('what every reply says to browsers', async () => {
  for (const [where, options] of [['/', {}], ['/app.js', {}], ['/app.css', {}], ['/none', {}], ['/data/x/1', {}], ['/', { host: 'evil.example' }]]) {
    const { head } = await request(server, where, options)
    assert.match(head, /\r\nX-Content-Type-Options: nosniff\r\n/)
    assert.match(head, /\r\nContent-Security-Policy: [^\r]*frame-ancestors 'none'/)
    assert.match(head, /\r\nCross-Origin-Resource-Policy: same-origin\r\n/)
    assert.match(head, /\r\nReferrer-Policy: no-referrer\r\n/)
    assert.doesNotMatch(head, /Access-Control|Set-Cookie|Server:|unsafe|\*/i)
    assert.ok(!head.includes(server.token))
  }
  const { head } = await request(server, '/')
  assert.match(head, /default-src 'self'; script-src 'self'; /)
})

test('other paths and methods', async () => {
  const paths = ['/..', '/../etc/passwd', '/%2e%2e/etc/passwd', '/..%2fetc/passwd', '//etc/passwd', '/etc/passwd', '/app.js/', '/app.js%00', '/./',
    '/index.html', '/room', '/favicon.ico', '/%', '/\\..\\', '/data', '/socket/', '/app.js/../../x']
  for (const p of paths) assert.equal((await request(server, p)).code, 404, p)
  for (const p of ['/gallery/', '/gallery/..', '/gallery/../../README.md', '/gallery/.webp', '/gallery/../catapult.webp', '/gallery/x/catapult.webp', '/data/', '/data/../../etc/passwd', '/data/%2e%2e', '/data/x/99999999999999999999999', '/data/x/-1'])
    assert.equal((await get(server, p)).code, 404, p)
  assert.equal((await request(server, '/socket', { fields: [`Origin: http://${server.name}`] })).code, 400, 'no handshake')
  assert.equal((await request(server, '/', { fields: ['Upgrade: websocket'] })).code, 400)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'PROPFIND', 'get'])
    assert.equal((await request(server, '/', { method })).code, 405, method)
  assert.equal((await request(server, '/', { method: 'POST', fields: ['Content-Length: 5'] })).code, 413)
  assert.equal((await request(server, '/', { fields: ['Transfer-Encoding: chunked'] })).code, 413)
  const whole = await request(server, '/', { method: 'HEAD' })
  assert.ok(whole.code === 200 && whole.body.length === 0)
  for (const line of ['CONNECT evil.example:80 HTTP/1.1', 'GET http://evil.example/ HTTP/1.1', 'GET * HTTP/1.1', 'GET /', 'GET / HTTP/9.9', ''])
    assert.ok([400, 0].includes((await raw(server, `${line}\r\nHost: ${server.name}\r\n\r\n`)).code), line)
  assert.equal((await request(server, `/${'a'.repeat(100000)}`)).code, 413)
  assert.equal((await request(server, '/', { fields: [`X: ${'a'.repeat(20000)}`] })).code, 413)
  assert.equal((await request(server, '/', { fields: Array(100).fill('X: a') })).code, 400)
  const bad = { fields: ['Connection: Upgrade', 'Upgrade: websocket', `Origin: http://${server.name}`] }
  for (const more of [[], ['Sec-WebSocket-Version: 13'], ['Sec-WebSocket-Version: 8', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
    ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: x']])
    assert.equal((await request(server, '/socket', { fields: [...bad.fields, ...more] })).code, 400)
})

test('files beyond the folder', async () => {
  fs.writeFileSync(path.join(work, 'secret.yaml'), 'secret')
  fs.symlinkSync('../secret.yaml', path.join(room, 'link.yaml'))
  fs.symlinkSync('..', path.join(room, 'up'))
  fs.symlinkSync('/etc', path.join(room, 'etc'))
  fs.mkdirSync(path.join(room, 'sub'))
  fs.writeFileSync(path.join(room, '.secret.yaml'), 'secret')
  const p = await page(server)
  const names = ['../secret.yaml', 'sub/../../secret.yaml', path.join(work, 'secret.yaml'), '/etc/passwd', 'link.yaml', 'up/secret.yaml', 'etc/passwd',
    '.secret.yaml', 'sub', '.', '..', '', '/', 'file:///etc/passwd', '~/x.yaml', '..\\secret.yaml', 'sub/./x.yaml', `${'a'.repeat(300)}.yaml`,
    `${'a/'.repeat(50)}x.yaml`, 'a\nb.yaml', '%2e%2e/secret.yaml']
  for (const name of names) {
    const answer = await p.ask('open', { path: name })
    assert.ok(answer.error, `open ${JSON.stringify(name)}: ${JSON.stringify(answer)}`)
    assert.ok(!JSON.stringify(answer).includes('root:'))
  }
  const outside = () => fs.readdirSync(work).sort().join()
  const before = outside()
  for (const name of ['../new.yaml', path.join(work, 'new.yaml'), 'up/new.yaml', 'link.yaml', 'etc/new.yaml', '.bashrc.yaml', 'sub/../../new.yaml', 'x.sh', 'sub',
    'summary.json', '.yaml', 'a\nb.yaml']) {
    assert.ok((await p.ask('save', { path: name, text: 'x' })).error, `save ${name}`)
    assert.ok((await p.ask('write', { path: name, data: 'x' })).error, `write ${name}`)
    // a link of another name
    const mesh = name === 'link.yaml' ? name : name.replace(/yaml$/, 'stl')
    assert.ok((await p.ask('upload', { path: mesh, at: 0, total: 1, base64: 'AA==' })).error, `upload ${mesh}`)
  }
  for (const name of ['../room', '..', '.', '/etc', 'etc', '', 'catapult/../..'])
    assert.ok((await p.ask('open', { gallery: name })).error, `gallery ${name}`)
  assert.equal(outside(), before)
  assert.equal(fs.readFileSync(path.join(work, 'secret.yaml'), 'utf8'), 'secret')
  const { files } = (await p.ask('files')).reply
  assert.deepEqual(files, [], 'links and hidden files are not listed')
  p.destroy()
  for (const name of ['link.yaml', 'up', 'etc', '.secret.yaml']) fs.unlinkSync(path.join(room, name))
})

test('scenes that name files beyond the folder', async () => {
  const mesh = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'
  fs.writeFileSync(path.join(work, 'secret.obj'), mesh)
  fs.writeFileSync(path.join(room, 'mine.obj'), mesh)
  fs.symlinkSync('../secret.obj', path.join(room, 'link.obj'))
  const p = await page(server)
  const check = async (file, scene) => {
    const text = `pliant: 1\nmaterials: {m: {young: 1 MPa, poisson: 0.3, density: 1000}}\nbodies: [{name: b, shell: {mesh: '${file}', material: m, thickness: 1 mm}}]\n`
    const answer = await p.ask('check', { path: scene, text })
    return answer.error ? [answer.error.code] : answer.reply.problems.filter((q) => q.level === 'error').map((q) => q.text)
  }
  assert.deepEqual((await check('mine.obj', 'x.yaml')).filter((t) => /not within|cannot open/.test(t)), [])
  for (const file of ['../secret.obj', path.join(work, 'secret.obj'), 'link.obj', '/etc/passwd', '/dev/zero', '/proc/self/environ', '../room/../secret.obj'])
    for (const scene of ['x.yaml', 'sub/x.yaml', '../x.yaml', '/x.yaml', '']) {
      const errors = await check(file, scene)
      assert.ok(errors.length > 0 && errors.every((t) => /is not within|cannot open|bad-request/.test(t)), `${file} in ${scene}: ${errors}`)
    }
  p.destroy()
  for (const name of ['mine.obj', 'link.obj']) fs.unlinkSync(path.join(room, name))
})

test('every operation with arguments that make no sense', async () => {
  const protocol = fs.readFileSync(path.join(import.meta.dirname, '../../studio/web/src/protocol.ts'), 'utf8')
  const map = protocol.slice(protocol.indexOf('interface RequestMap'), protocol.indexOf('interface Hello'))
  const ops = [...map.matchAll(/^ {2}(\w+): \[/gm)].map((m) => m[1])
  const names = [...new Set([...map.matchAll(/(\w+)\??: (?:string|number|boolean)/g)].map((m) => m[1]))]
  assert.ok(ops.length > 10 && names.length > 5)
  const values = [null, true, -1, 0, 1, 2 ** 31, 2 ** 53, -1e308, 1.5, '', 'x', '../../x', 'x.yaml', 'pliant: 1', 'x'.repeat(5000), '%s%n', [], [[]], [1, 2], ['x'],
    [null], {}, { x: 1 }, Array(5000).fill(0)]
  let p = await page(server)
  let k = 0
  for (const op of ops)
    for (let n = 0; n < 25; n++) {
      // numbers that share no factor: all pairs come by turns
      const args = Object.fromEntries(names.map((name, i) => [name, values[(k += 7 + i) % values.length]]).filter((_, i) => (k + i * n) % 5))
      const answer = await p.ask(op, args, 20000)
      assert.ok(answer && (answer.reply || answer.error), `${op} ${JSON.stringify(args).slice(0, 200)}`)
      if (answer.error) assert.ok(answer.error.code && answer.error.text && answer.error.code !== 'internal', `${op}: ${JSON.stringify(answer.error)}`)
    }
  p.destroy()
  for (const name of fs.readdirSync(room)) if (name !== 'sub') fs.rmSync(path.join(room, name), { recursive: true })
})

test('messages that are no requests', async () => {
  const p = await page(server)
  const bad = ['', '{', '[]', '7', 'null', '"x"', '{}', '{"id":1}', '{"op":7}', '{"id":"x","op":"files"}', '{"id":1e999,"op":"files"}',
    '{"id":1,"op":"files","args":7}', '{"id":1,"op":"files"}}', '['.repeat(100000), '{"a":'.repeat(1000), `{"op":"${'x'.repeat(500000)}`,
    '{"id":1,"id":2,"op":"files"}', '{"id":1,"op":"open","args":{"path":"a\\u0000b.yaml"}}', '\ufeff{"id":1,"op":"files"}']
  for (const text of bad) {
    p.send(text)
    const answer = await p.wait((m) => m.error)
    assert.equal(answer?.error.code, 'bad-request', text.slice(0, 40))
  }
  p.socket.write(frame(1, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])))
  assert.equal((await p.wait((m) => m.error))?.error.code, 'bad-request')
  for (const op of ['nonsense', '', '__proto__', 'op_hello', 'x'.repeat(100000), '<script>'])
    assert.equal((await p.ask(op)).error.code, 'bad-request')
  for (const args of [{ path: 7 }, { path: null }, { path: {} }, { path: [] }, {}, { starter: 7 }]) assert.ok((await p.ask('open', args)).error)
  assert.ok((await p.ask('files')).reply)
  p.destroy()
})

/** Sends bytes after hello and expects the end with this code. */
async function breaks(bytes, code, what) {
  const p = await page(server)
  p.socket.write(bytes)
  await Promise.race([p.closed, pause(8000)])
  assert.ok(p.over, `${what}: closed`)
  assert.equal(p.code, code, what)
}

test('frames that are broken or too large', async () => {
  const before = memory(server.pid)
  const text = Buffer.from('{"id":9,"op":"files"}')
  await breaks(frame(1, text, { masked: false }), 1002, 'not masked')
  for (const bits of [0x40, 0x20, 0x10, 0x70]) await breaks(frame(1, text, { bits }), 1002, `reserved bits ${bits}`)
  for (const code of [3, 4, 5, 6, 7, 11, 12, 15]) await breaks(frame(code, text), 1002, `code ${code}`)
  await breaks(frame(0, text), 1002, 'goes on with nothing')
  await breaks(Buffer.concat([frame(1, text, { last: false }), frame(1, text)]), 1002, 'a message within another')
  await breaks(frame(9, text, { last: false }), 1002, 'a ping in parts')
  await breaks(frame(9, Buffer.alloc(126)), 1002, 'a long ping')
  for (const length of [(1 << 20) + 1, 2 ** 31 - 1, 2 ** 32, 2 ** 52]) await breaks(frame(1, text, { length }), 1009, `${length} bytes`)
  const huge = Buffer.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
  await breaks(Buffer.concat([huge, Buffer.alloc(8)]), 1002, '2^64 bytes')
  const part = frame(0, Buffer.alloc(200000, 32), { last: false })
  await breaks(Buffer.concat([frame(1, text, { last: false }), ...Array(6).fill(part)]), 1009, 'too large in parts')
  await breaks(frame(2, text), 1008, 'binary')
  await breaks(frame(8, Buffer.from([3, 232])), 1000, 'the end')
  await breaks(frame(8), 1000, 'the end without a word')
  const p = await page(server)
  // the largest message there may be, in parts, with a ping between
  const large = Buffer.from(JSON.stringify({ id: 5, op: 'files', args: { x: 'x'.repeat(1000000) } }))
  p.socket.write(frame(1, large.subarray(0, 300000), { last: false }))
  p.socket.write(frame(9, 'are you there?'))
  for (let k = 300000; k < large.length; k += 100000) p.socket.write(frame(0, large.subarray(k, k + 100000), { last: k + 100000 >= large.length }))
  assert.ok(await p.wait((m) => m.pong === 'are you there?'))
  assert.ok((await p.wait((m) => m.id === 5))?.reply)
  p.destroy()
  assert.ok(memory(server.pid) - before < 100 + spare, 'memory')
})

test('1,000 requests of chance', async () => {
  let seed = 20
  const chance = (n) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return Math.floor((seed / 2 ** 32) * n)
  }
  const scramble = (bytes) => {
    const b = Buffer.from(bytes)
    for (let k = chance(6); k >= 0; k--) b[chance(b.length)] = chance(256)
    return chance(4) ? b : b.subarray(0, chance(b.length))
  }
  const good = [`GET / HTTP/1.1\r\nHost: ${server.name}\r\n\r\n`, `GET /data/x/1 HTTP/1.1\r\nHost: ${server.name}\r\nAuthorization: Bearer x\r\n\r\n`,
    `GET /socket HTTP/1.1\r\nHost: ${server.name}\r\nOrigin: http://${server.name}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n']
  const requests = ['{"id":7,"op":"open","args":{"path":"a/b.yaml"}}', '{"id":8,"op":"save","args":{"path":"chance.yaml","text":"a: 1\\n"}}',
    '{"id":9,"op":"files"}', '{"op":"shown"}', '{"id":1,"op":"open","args":{"starter":"shell"}}', '{"id":1,"op":"hello","args":{"token":"x"}}']
  for (let k = 0; k < 700; k += 20)
    await Promise.all(Array.from({ length: 20 }, () => {
      const bytes = chance(10) ? scramble(good[chance(good.length)]) : randomBytes(1 + chance(20000))
      const socket = connect(server)
      socket.write(bytes)
      socket.on('data', () => {})
      // some wait for an answer, others are gone at once
      return pause(chance(2) ? 20 : 0).then(() => socket.destroy())
    }))
  let p = await page(server)
  for (let k = 0; k < 300; k++) {
    if (p.over) p = await page(server)
    const text = requests[chance(requests.length)]
    p.socket.write(chance(3) ? frame(1, scramble(text)) : scramble(frame(1, text)))
    if (k % 10 === 0) await pause(5)
    p.messages.length = 0
  }
  p.destroy()
  await alive()
})

test('100 connections, and slow ones', async () => {
  const before = memory(server.pid)
  const p = await page(server)
  const idle = Array.from({ length: 100 }, () => connect(server))
  const slow = Array.from({ length: 50 }, () => connect(server))
  const timer = setInterval(() => slow.forEach((s) => s.writable && s.write('G')), 100)
  await pause(500)
  for (let k = 0; k < 10; k++) {
    const begin = Date.now()
    assert.equal((await get(server, '/')).code, 200)
    assert.ok(Date.now() - begin < 2000, `a page came after ${Date.now() - begin} ms`)
    assert.ok((await p.ask('files')).reply, 'and those that are open go on')
  }
  const sockets = await Promise.all(Array.from({ length: 100 }, () => Socket.open(server)))
  const q = await page(server)
  assert.ok((await q.ask('files')).reply)
  clearInterval(timer)
  assert.ok(threads(server.pid) < 300)
  for (const s of [...idle, ...slow]) s.destroy()
  for (const s of sockets) s.destroy?.()
  q.destroy()
  p.destroy()
  await pause(1500)
  assert.ok(memory(server.pid) - before < 100 + spare, `memory: ${before} ${memory(server.pid)} MB`)
  assert.ok(threads(server.pid) < 30, `${threads(server.pid)} threads are left`)
})

test('a page that asks and does not read', async () => {
  const before = memory(server.pid)
  for (let k = 0; k < 200; k++) fs.writeFileSync(path.join(room, `${'n'.repeat(100)}${k}.yaml`), '')
  const p = await page(server)
  const q = await page(server)
  p.socket.pause()
  // 100 MB of answers, were they all made
  for (let k = 0; k < 3000; k++) p.socket.write(frame(1, JSON.stringify({ id: k + 10, op: 'files' })))
  for (let k = 0; k < 5; k++) {
    assert.ok((await q.ask('files')).reply, 'others are answered')
    await pause(100)
  }
  assert.ok(memory(server.pid) - before < 50 + spare, `memory: ${before} ${memory(server.pid)} MB`)
  p.socket.resume()
  for (let k = 0; k < 3000; k++) assert.ok((await p.wait((m) => m.id === k + 10))?.reply, 'and all are there once it reads')
  p.destroy()
  q.destroy()
  for (const name of fs.readdirSync(room)) if (name.startsWith('nnn')) fs.unlinkSync(path.join(room, name))
})

test('pages that vanish in the middle', async () => {
  for (let k = 0; k < 40; k++) {
    const p = await page(server)
    const whole = frame(1, JSON.stringify({ id: 2, op: 'save', args: { path: 'half.yaml', text: 'x'.repeat(100000) } }))
    if (k % 4 === 0) p.socket.write(whole.subarray(0, 1 + k * 1000))
    if (k % 4 === 1) for (let i = 0; i < 50; i++) p.send({ id: i, op: 'files' })
    if (k % 4 === 2) p.socket.write(whole)
    if (k % 2) p.socket.resetAndDestroy()
    else p.destroy()
  }
  await pause(300)
  await alive()
  // whole or not at all
  const half = path.join(room, 'half.yaml')
  if (fs.existsSync(half)) assert.equal(fs.statSync(half).size, 100000)
  assert.deepEqual(fs.readdirSync(room).filter((n) => n.startsWith('.pliant')), [])
})

test('a page that vanishes in the middle of a run, of an upload', async () => {
  const scene = `pliant: 1
dimension: 1
nodes: {m: 0}
masses: [{node: m, mass: 1 kg}]
springs: [{nodes: [ground, m], stiffness: 100 N/m}]
loads: [{node: m, force: [1 N], harmonic: 1}]
watch: {m: m}
analyses: [transient: {frequency: 1 Hz, periods: 100, steps_per_period: 1000}]
`
  const p = await page(server)
  assert.ok((await p.ask('upload', { path: 'half.stl', at: 0, total: 1e6, base64: 'AAAA' })).reply)
  assert.ok((await p.ask('run', { path: 'left.yaml', text: scene })).reply)
  assert.ok(await p.wait((m) => m.event === 'rows'))
  p.socket.resetAndDestroy()
  const q = await page(server)
  const last = async () => (await q.ask('runs')).reply.runs.at(-1)
  for (let k = 0; k < 600 && ['queued', 'running'].includes((await last()).state); k++) await pause(100)
  assert.equal((await last()).state, 'done')
  const results = path.join(room, 'left.results')
  assert.equal(JSON.parse(fs.readFileSync(path.join(results, 'summary.json'), 'utf8')).status, 'done')
  assert.equal(fs.readFileSync(path.join(results, 'transient.csv'), 'utf8').trim().split('\n').length, 1 + 100001)
  assert.ok(!fs.existsSync(path.join(room, 'half.stl')))
  assert.ok((await q.ask('upload', { path: 'whole.csv', at: 0, total: 3, base64: 'YSwx' })).reply)
  assert.equal(fs.readFileSync(path.join(room, 'whole.csv'), 'utf8'), 'a,1')
  q.destroy()
})

test('four pages and no more', async () => {
  await pause(200)
  const pages = []
  for (let k = 0; k < 4; k++) pages.push(await page(server))
  await refused({ id: 1, op: 'hello', args: { token: server.token } }, 'busy')
  pages[2].destroy()
  await pause(200)
  await alive()
  for (const p of pages) p.destroy()
  await pause(200)
})

test('another user of this machine', async () => {
  const shown = (pid) => ['cmdline', 'comm', 'environ'].map((f) => fs.readFileSync(`/proc/${pid}/${f}`, 'latin1')).join()
  assert.ok(!shown(server.pid).includes(server.token))
  const p = await page(server)
  assert.ok((await p.ask('save', { path: 'mine.yaml', text: 'x' })).reply)
  assert.equal(fs.statSync(path.join(room, 'mine.yaml')).mode & 0o022, 0, 'others may not write')
  p.destroy()
  if (process.getuid() !== 0) return
  // who is nobody, without the token and without our files: a shell and what it can open
  const nobody = { uid: 65534, gid: 65534, cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] }
  const says = async (script) => {
    const child = spawn('/bin/bash', ['-c', script], nobody)
    let out = ''
    child.stdout.on('data', (d) => (out += d.toString('latin1')))
    await new Promise((r) => child.on('close', r))
    return out
  }
  const asks = (lines, after = '') => {
    const bytes = [...Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), ...Buffer.from(after, 'latin1')]
    const text = bytes.map((b) => `\\x${b.toString(16).padStart(2, '0')}`).join('')
    return says(`exec 3<>/dev/tcp/${server.host}/${server.port}; printf '${text}' >&3; timeout 10 cat <&3`)
  }
  const host = `Host: ${server.name}`
  assert.match(await asks(['GET / HTTP/1.1', host]), /^HTTP\/1.1 200 /, 'the port is open to all')
  assert.match(await asks(['GET /data/x/1 HTTP/1.1', host, `Authorization: Bearer ${'0'.repeat(32)}`]), /^HTTP\/1.1 401 /)
  const shake = ['GET /socket HTTP/1.1', host, `Origin: http://${server.name}`, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
  const hello = JSON.stringify({ id: 1, op: 'hello', args: { token: '0'.repeat(32) } })
  assert.match(await asks(shake, frame(1, hello).toString('latin1')), /bad-token/)
  const pid = server.pid
  assert.equal(await says(`cat /proc/${pid}/environ /proc/${pid}/mem /proc/${pid}/fd/* 2>/dev/null; kill -INT ${pid} 2>/dev/null && echo killed`), '', 'its memory and files are its own')
  await alive()
})

test('the browser gets the address by a file', async () => {
  const bin = path.join(work, 'bin')
  const run = path.join(work, 'run')
  fs.mkdirSync(bin)
  fs.mkdirSync(run)
  fs.writeFileSync(path.join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$@" >'${bin}/args'\ncp "$1" '${bin}/door'\nsleep 1\n`, { mode: 0o755 })
  const child = spawn(pliant, ['studio'], { cwd: room, env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':99', XDG_RUNTIME_DIR: run } })
  let out = ''
  child.stdout.on('data', (d) => (out += d))
  const ended = new Promise((r) => child.on('exit', r))
  for (let k = 0; k < 100 && !fs.existsSync(`${bin}/door`); k++) await pause(100)
  const token = out.match(/#([0-9a-f]{32})/)[1]
  const args = fs.readFileSync(`${bin}/args`, 'utf8').trim()
  assert.ok(args.startsWith(run) && !args.includes(token) && !args.includes('\n'))
  assert.equal(fs.statSync(args).mode & 0o777, 0o600)
  assert.ok(fs.readFileSync(`${bin}/door`, 'utf8').includes(token))
  child.kill('SIGINT')
  assert.equal(await ended, 0)
  assert.deepEqual(fs.readdirSync(run), [], 'it is gone with the server')
})

test('other addresses only when asked, with a warning', async () => {
  const other = await start(pliant, ['--bind', '0.0.0.0'], { cwd: room })
  const there = { ...other, host: '127.0.0.1' }
  const at = (host) => request(there, '/', { host })
  assert.equal((await at(`127.0.0.1:${other.port}`)).code, 200)
  assert.equal((await at(`192.168.1.7:${other.port}`)).code, 200)
  for (const host of [`evil.example:${other.port}`, `127.0.0.1:${other.port + 1}`, '127.0.0.1', `1.2.3:${other.port}`, `:${other.port}`])
    assert.equal((await at(host)).code, 421, host)
  assert.equal(await Socket.open(there, { host: `127.0.0.1:${other.port}`, origin: `http://192.168.1.7:${other.port}` }), 403)
  assert.equal(await other.stop('SIGTERM'), 0)
  assert.match(other.stderr(), /warning: the studio can be reached from other machines/)
  // by default nobody else gets in
  const [local] = fs.readFileSync('/proc/net/tcp', 'utf8').split('\n').filter((l) => l.includes(`:${server.port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`))
  assert.match(local, /0100007F:/)
})

// at most one at a time; the server is the same for all, and must end well
server = await start(pliant, [], { cwd: room })
let failed = 0
for (const { name, run } of tests) {
  const begin = Date.now()
  try {
    await run()
    await alive()
    console.log(`ok ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`)
  } catch (e) {
    failed++
    console.log(`not ok ${name}: ${e.stack}`)
  }
  disconnect()
}
const begin = Date.now()
assert.equal(await server.stop(), 0, server.stderr())
assert.ok(Date.now() - begin < 3000, 'it ends at once')
assert.doesNotMatch(server.stderr(), /ERROR|runtime error|Sanitizer/)
console.log(`${tests.length - failed} of ${tests.length} passed`)
process.exit(failed ? 1 : 0)
