// The one connection to the server: requests with replies, events, live states, arrays by URL.
import { signal } from '@preact/signals'
import { recallTab, rememberTab } from './keep'
import type { ArrayRef, Failure, Hello, Op, RequestMap, ServerEvent } from './protocol'

/** Why a request was refused, as the server tells it; code "lost": the connection ended meanwhile. */
export class RequestError extends Error {
  constructor(
    readonly code: string,
    text: string,
    readonly hint = '',
  ) {
    super(text)
  }
}

/** A live state of a run. */
export interface Frame {
  run: number
  time: number // s
  x: Float32Array // [nvert][3]
}

export type Status = 'connecting' | 'open' | 'lost' | 'refused'

interface Pending {
  resolve: (reply: never) => void
  reject: (why: RequestError) => void
}

interface Cached {
  bytes: number
  data: Promise<ArrayBuffer>
}

const cacheBytes = 256e6
const headBytes = 24
const pauses = [300, 600, 1200, 2500, 5000] // ms before the next try

const sizes = { f32: 4, i32: 4, u8: 1 }

const messageMax = 1000000 // bytes that the server reads as one message

/** The token of the address, which forgets it; a page that is loaded again has it from its tab. */
export function takeToken(): string {
  const given = /^#([0-9A-Za-z_-]{16,})$/.exec(location.hash)?.[1]
  if (given) {
    rememberTab('token', given)
    history.replaceState(null, '', location.pathname)
  }
  const before = recallTab('token')
  return given ?? (typeof before === 'string' ? before : '')
}

/** A message of the server that holds a live state, or null. */
export function readFrame(data: ArrayBuffer): Frame | null {
  if (data.byteLength < headBytes) return null
  const head = new DataView(data)
  const count = head.getUint32(12, true)
  if (head.getUint32(0, false) !== 0x504c4e31 || head.getUint32(4, true) !== 1) return null
  if (data.byteLength !== headBytes + 4 * count) return null
  return { run: head.getUint32(8, true), time: head.getFloat64(16, true), x: new Float32Array(data, headBytes, count) }
}

export class Connection {
  readonly status = signal<Status>('connecting')
  readonly hello = signal<Hello | null>(null)
  readonly tries = signal(0) // to connect again
  readonly refusal = signal<RequestError | null>(null)
  private socket: WebSocket | null = null
  private next = 1
  private timer = 0
  private readonly pending = new Map<number, Pending>()
  private readonly listeners = new Set<(e: ServerEvent) => void>()
  private readonly watchers = new Set<(f: Frame) => void>()
  private readonly openers = new Set<(h: Hello) => void>()
  private readonly arrays = new Map<string, Cached>()
  private arrayBytes = 0

  constructor(private readonly token: string) {}

  /** Connects, and again whenever the connection is lost. */
  open(): void {
    clearTimeout(this.timer)
    this.refusal.value = null
    this.status.value = 'connecting'
    const socket = new WebSocket(`ws://${location.host}/socket`)
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => void this.greet()
    socket.onmessage = (e: MessageEvent<string | ArrayBuffer>) => this.take(e.data)
    socket.onclose = () => this.closed(socket)
    this.socket = socket
  }

  private async greet(): Promise<void> {
    try {
      const hello = await this.request('hello', { token: this.token })
      this.tries.value = 0
      this.hello.value = hello
      this.status.value = 'open'
      for (const f of this.openers) f(hello)
    } catch (e) {
      if (!(e instanceof RequestError) || e.code === 'lost') return
      this.refusal.value = e
      this.status.value = 'refused'
      this.socket?.close()
    }
  }

  private closed(socket: WebSocket): void {
    if (socket !== this.socket) return
    this.socket = null
    for (const p of this.pending.values()) p.reject(new RequestError('lost', 'the connection to the server was lost'))
    this.pending.clear()
    if (this.status.value === 'refused') return
    this.status.value = 'lost'
    const pause = pauses[Math.min(this.tries.value++, pauses.length - 1)]!
    this.timer = window.setTimeout(() => this.open(), pause)
  }

  request<O extends Op>(op: O, args: RequestMap[O][0]): Promise<RequestMap[O][1]> {
    const id = this.next++
    return new Promise((resolve, reject) => {
      if (this.socket?.readyState !== WebSocket.OPEN) {
        reject(new RequestError('lost', 'there is no connection to the server', 'is `pliant studio` still running?'))
        return
      }
      const message = JSON.stringify({ id, op, args })
      if (new Blob([message]).size > messageMax) {
        reject(new RequestError('too-large', 'this is more than the server reads at once, 1 MB', 'copy the file into the folder by hand'))
        return
      }
      this.pending.set(id, { resolve: resolve as (reply: never) => void, reject })
      this.socket.send(message)
    })
  }

  private take(data: string | ArrayBuffer): void {
    if (typeof data !== 'string') {
      this.takeFrame(data)
      return
    }
    const message = JSON.parse(data) as { id?: number; reply?: unknown; error?: Failure } & Partial<ServerEvent>
    if (message.event) {
      // what this page knows of runs is fetched anew
      if (message.event === 'lost') for (const f of this.openers) f(this.hello.value!)
      else for (const f of this.listeners) f(message as ServerEvent)
      return
    }
    const p = this.pending.get(message.id ?? 0)
    this.pending.delete(message.id ?? 0)
    if (message.error) p?.reject(new RequestError(message.error.code, message.error.text, message.error.hint))
    else p?.resolve(message.reply as never)
  }

  // the server sends the next one when it is told that one has been shown
  private takeFrame(data: ArrayBuffer): void {
    const frame = readFrame(data)
    if (frame) for (const f of this.watchers) f(frame)
    requestAnimationFrame(() => {
      if (this.socket?.readyState === WebSocket.OPEN) this.socket.send('{"op":"shown"}')
    })
  }

  /** Called with every event; returns what ends that. */
  onEvent(f: (e: ServerEvent) => void): () => void {
    this.listeners.add(f)
    return () => void this.listeners.delete(f)
  }

  onFrame(f: (f: Frame) => void): () => void {
    this.watchers.add(f)
    return () => void this.watchers.delete(f)
  }

  /** Called whenever a connection stands, and when events were lost. */
  onOpen(f: (h: Hello) => void): () => void {
    this.openers.add(f)
    return () => void this.openers.delete(f)
  }

  /** What is behind a path of the server, asked for with the token. */
  async get(url: string): Promise<Response> {
    const reply = await fetch(url, { headers: { Authorization: `Bearer ${this.token}` } })
    if (!reply.ok) throw new RequestError('not-found', `${url} cannot be had (${reply.status})`)
    return reply
  }

  private bytes(ref: ArrayRef): Promise<ArrayBuffer> {
    const expected = ref.shape.reduce((n, k) => n * k, sizes[ref.type])
    const known = this.arrays.get(ref.url)
    if (known) {
      // last used, last dropped
      this.arrays.delete(ref.url)
      this.arrays.set(ref.url, known)
      return known.data
    }
    const data = this.load(ref.url, expected)
    this.arrays.set(ref.url, { bytes: expected, data })
    this.arrayBytes += expected
    data.catch(() => this.forget(ref.url))
    for (const url of this.arrays.keys()) {
      if (this.arrayBytes <= cacheBytes || url === ref.url) break
      this.forget(url)
    }
    return data
  }

  private async load(url: string, expected: number): Promise<ArrayBuffer> {
    const data = expected > 0 ? await (await this.get(url)).arrayBuffer() : new ArrayBuffer(0)
    if (data.byteLength !== expected) throw new RequestError('internal', `${url} has ${data.byteLength} bytes, not ${expected}`)
    return data
  }

  private forget(url: string): void {
    this.arrayBytes -= this.arrays.get(url)?.bytes ?? 0
    this.arrays.delete(url)
  }

  /** Numbers of the server; they are shared, so nobody may change them. */
  async floats(ref: ArrayRef): Promise<Float32Array> {
    return new Float32Array(await this.bytes(ref))
  }

  async ints(ref: ArrayRef): Promise<Int32Array> {
    return new Int32Array(await this.bytes(ref))
  }
}
