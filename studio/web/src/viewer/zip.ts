// ZIP files whose parts are stored as they are: pictures are compressed already.

const table = (() => {
  const t = new Uint32Array(256)
  for (let n = 0; n < 256; n++) {
    let c = n
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
    t[n] = c >>> 0
  }
  return t
})()

export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff
  for (let i = 0; i < bytes.length; i++) c = table[(c ^ bytes[i]!) & 255]! ^ (c >>> 8)
  return (c ^ 0xffffffff) >>> 0
}

// what the local header and the directory share, from "version needed" to "extra length"
function common(name: Uint8Array, data: Uint8Array, crc: number): Uint8Array {
  const v = new DataView(new ArrayBuffer(26))
  v.setUint16(0, 20, true)
  v.setUint16(2, 0x0800, true) // names are UTF-8
  v.setUint16(8, 0x21, true) // 1 January 1980, as days have no meaning here
  v.setUint32(10, crc, true)
  v.setUint32(14, data.length, true)
  v.setUint32(18, data.length, true)
  v.setUint16(22, name.length, true)
  return new Uint8Array(v.buffer)
}

function words(...values: [number, 2 | 4][]): Uint8Array {
  const v = new DataView(new ArrayBuffer(values.reduce((n, [, size]) => n + size, 0)))
  let at = 0
  for (const [value, size] of values) {
    if (size === 2) v.setUint16(at, value, true)
    else v.setUint32(at, value, true)
    at += size
  }
  return new Uint8Array(v.buffer)
}

export function zip(files: { name: string; data: Uint8Array }[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  const put = (list: Uint8Array[], ...more: Uint8Array[]) => list.push(...more)
  for (const { name, data } of files) {
    const text = new TextEncoder().encode(name)
    const both = common(text, data, crc32(data))
    put(directory, words([0x02014b50, 4], [20, 2]), both, words([0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), text)
    put(parts, words([0x04034b50, 4]), both, text, data)
    at += 30 + text.length + data.length
  }
  const size = directory.reduce((n, p) => n + p.length, 0)
  put(parts, ...directory, words([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]))
  const out = new Uint8Array(at + size + 22)
  let to = 0
  for (const p of parts) {
    out.set(p, to)
    to += p.length
  }
  return out
}
