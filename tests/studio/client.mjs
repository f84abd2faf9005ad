// A client for tests that may misbehave: requests and WebSocket frames byte by byte.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'

/** Starts `pliant studio`; resolves when it has printed its address. */
export async function start(pliant, args = [], options = {}) {
  const child = spawn(pliant, ['studio', '--no-browser', ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let out = ''
  let err = ''
  child.stderr.on('data', (d) => (err += d))
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)))
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (d) => {
      out += d
      if (out.includes('\n')) resolve(out.split('\n')[0])
    })
    ended.then((code) => reject(new Error(`pliant studio ended with ${code}: ${err}`)))
  })
  const [, host, port, token] = address.match(/^http:\/\/([0-9.]+):(\d+)\/#([0-9a-f]{32})$/)
  return {
    pid: child.pid, address, host, port: Number(port), token, name: `${host}:${port}`, ended,
    stderr: () => err,
    async stop(signal = 'SIGINT') {
      child.kill(signal)
      return ended
    },
  }
}

const sockets = new Set()

export function connect(server) {
  const socket = net.connect(server.port, server.host)
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  socket.setNoDelay(true)
  socket.on('error', () => {})
  return socket
}

/** Ends all connections. */
export function disconnect() {
  for (const socket of sockets) socket.destroy()
}

/** Sends bytes and resolves with all that comes until the other side closes, or after some ms. */
export async function raw(server, bytes, ms = 15000) {
  const socket = connect(server)
  const parts = []
  socket.on('data', (d) => parts.push(d))
  socket.write(bytes)
  await Promise.race([once(socket, 'close'), new Promise((r) => setTimeout(r, ms).unref())])
  socket.destroy()
  const all = Buffer.concat(parts)
  const end = all.indexOf('\r\n\r\n')
  const head = all.subarray(0, end < 0 ? all.length : end).toString('latin1')
  return { code: Number(head.split(' ')[1] ?? 0), head, body: end < 0 ? Buffer.alloc(0) : all.subarray(end + 4) }
}

export function request(server, path, { method = 'GET', host = server.name, fields = [] } = {}, ms) {
  const lines = [`${method} ${path} HTTP/1.1`, ...(host === null ? [] : [`Host: ${host}`]), ...fields, '', '']
  return raw(server, lines.join('\r\n'), ms)
}

export function get(server, path, token = server.token) {
  return request(server, path, { fields: token ? [`Authorization: Bearer ${token}`] : [] })
}

/** One frame as a client sends it. */
export function frame(code, data = Buffer.alloc(0), { last = true, masked = true, bits = 0, length = null } = {}) {
  const bytes = Buffer.from(data)
  const n = length ?? bytes.length
  const head = n < 126 ? Buffer.alloc(2) : n < 65536 ? Buffer.alloc(4) : Buffer.alloc(10)
  head[0] = (last ? 128 : 0) | bits | code
  head[1] = (masked ? 128 : 0) | (n < 126 ? n : n < 65536 ? 126 : 127)
  if (head.length === 4) head.writeUInt16BE(n, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(n), 2)
  if (!masked) return Buffer.concat([head, bytes])
  const mask = randomBytes(4)
  return Buffer.concat([head, mask, bytes.map((b, k) => b ^ mask[k & 3])])
}

/** A WebSocket. `messages` holds what came: objects of text, Buffers of binary ones. */
export class Socket {
  constructor(socket) {
    this.socket = socket
    this.messages = []
    this.waiting = []
    this.rest = Buffer.alloc(0)
    this.code = 0 // of the close frame
    this.next = 1
    this.closed = once(socket, 'close').catch(() => {})
    this.over = false
    this.closed.then(() => {
      this.over = true
      this.notify()
    })
  }

  /** Resolves with a Socket, or with the refusal's status code. */
  static async open(server, { origin = `http://${server.name}`, host = server.name, path = '/socket', fields = [] } = {}) {
    const socket = connect(server)
    const lines = [`GET ${path} HTTP/1.1`, ...(host === null ? [] : [`Host: ${host}`]), 'Connection: Upgrade', 'Upgrade: websocket',
      'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      ...(origin === null ? [] : [`Origin: ${origin}`]), ...fields, '', '']
    socket.write(lines.join('\r\n'))
    const self = new Socket(socket)
    let head = Buffer.alloc(0)
    return new Promise((resolve) => {
      const take = (d) => {
        head = Buffer.concat([head, d])
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        socket.off('data', take)
        const code = Number(head.toString('latin1').split(' ')[1])
        if (code !== 101) {
          socket.destroy()
          resolve(code)
          return
        }
        socket.on('data', (more) => self.take(more))
        self.take(head.subarray(end + 4))
        resolve(self)
      }
      socket.on('data', take)
      self.closed.then(() => resolve(0))
    })
  }

  take(d) {
    this.rest = Buffer.concat([this.rest, d])
    for (;;) {
      const b = this.rest
      if (b.length < 2) break
      const n7 = b[1] & 127
      const at = n7 < 126 ? 2 : n7 === 126 ? 4 : 10
      if (b.length < at) break
      const n = n7 < 126 ? n7 : n7 === 126 ? b.readUInt16BE(2) : Number(b.readBigUInt64BE(2))
      if (b.length < at + n) break
      const data = b.subarray(at, at + n)
      const code = b[0] & 15
      if (code === 8) this.code = n >= 2 ? data.readUInt16BE(0) : 1005
      if (code === 1) this.messages.push(JSON.parse(data.toString('utf8')))
      if (code === 2) this.messages.push(Buffer.from(data))
      if (code === 9) this.socket.write(frame(10, data))
      if (code === 10) this.messages.push({ pong: data.toString() })
      this.rest = b.subarray(at + n)
    }
    this.notify()
  }

  notify() {
    for (const f of this.waiting.splice(0)) f()
  }

  send(json) {
    this.socket.write(frame(1, Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))))
  }

  /** The first message that is so, taken out; null: the socket closed, or nothing came within some ms. */
  async wait(is, ms = 10000) {
    const until = Date.now() + ms
    for (;;) {
      const k = this.messages.findIndex(is)
      if (k >= 0) return this.messages.splice(k, 1)[0]
      if (this.over || Date.now() >= until) return null
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, until - Date.now()))
        this.waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  /** The answer to a request. */
  async ask(op, args = {}, ms) {
    const id = this.next++
    this.send({ id, op, args })
    return this.wait((m) => m.id === id, ms)
  }

  destroy() {
    this.socket.destroy()
  }
}

/** A socket that has said hello. */
export async function page(server) {
  const s = await Socket.open(server)
  const hello = await s.ask('hello', { token: server.token })
  if (!hello?.reply) throw new Error(`no hello: ${JSON.stringify(hello)}`)
  s.hello = hello.reply
  return s
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
