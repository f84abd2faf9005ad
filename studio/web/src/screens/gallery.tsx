import { effect, signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../icons'
import type { IconName } from '../icons'
import type { RequestMap } from '../protocol'
import { openRun } from '../runs'
import { openScene, openText, path } from '../scene'
import { complain, connection, folderName, hello, notify, screen, show } from '../state'
import { ago, bytes } from '../format'

type Card = RequestMap['gallery'][1]['cards'][number]
type File = RequestMap['files'][1]['files'][number]

const cards = signal<readonly Card[]>([])
const files = signal<readonly File[]>([])
const busy = signal('')

// scenes and results before what they are made of
const ranks = { scene: 0, results: 0, mesh: 1, data: 1 }

async function refresh(): Promise<void> {
  const got = await Promise.allSettled([connection.request('gallery', {}), connection.request('files', {})])
  if (got[0].status === 'fulfilled') cards.value = got[0].value.cards
  if (got[1].status === 'fulfilled') files.value = got[1].value.files.filter((f) => !/\.results\//.test(f.path)).sort((a, b) => ranks[a.kind] - ranks[b.kind] || b.time - a.time)
  for (const g of got) if (g.status === 'rejected') complain(g.reason)
}
effect(() => {
  if (screen.value === 'gallery' && connection.status.value === 'open') void refresh()
})

async function open(what: Parameters<typeof openScene>[0], name: string): Promise<void> {
  busy.value = name
  try {
    if (await openScene(what)) show('scene')
  } catch (e) {
    complain(e)
  } finally {
    busy.value = ''
  }
}

async function openResults(folder: string): Promise<void> {
  try {
    await openRun(folder)
    show('runs')
  } catch (e) {
    complain(e)
  }
}

// ---- cards --------------------------------------------------------------------------------------

/** A picture that is fetched with the token once the card is in sight. */
function Picture({ name }: { name: string }) {
  const picture = useRef<HTMLImageElement>(null)
  const there = useSignal(false)
  useEffect(() => {
    const own = picture.current!
    const load = async (): Promise<void> => {
      const reply = await connection.get(`/gallery/${encodeURIComponent(name)}.webp`)
      own.src = URL.createObjectURL(await reply.blob())
    }
    const look = new IntersectionObserver((seen) => {
      if (!seen.some((s) => s.isIntersecting)) return
      look.disconnect()
      load().catch(() => {})
    })
    look.observe(own)
    return () => {
      look.disconnect()
      URL.revokeObjectURL(own.src)
    }
  }, [name])
  return <img ref={picture} class={there.value ? 'there' : ''} alt="" onLoad={() => (there.value = true)} />
}

function Glyph({ name }: { name: string }) {
  return (
    <span class="glyph" aria-hidden="true">
      {name.slice(0, 1)}
    </span>
  )
}

function CardView({ card }: { card: Card }) {
  return (
    <button class="card" aria-busy={busy.value === card.name} onClick={() => void open({ gallery: card.name }, card.name)}>
      <span class="picture">{card.picture ? <Picture name={card.name} /> : <Glyph name={card.title || card.name} />}</span>
      <span class="title">{card.title || card.name}</span>
      <span class="name">{card.name}</span>
    </button>
  )
}

// ---- files --------------------------------------------------------------------------------------

const kinds: Record<File['kind'], { icon: IconName; name: string }> = {
  scene: { icon: 'file', name: 'scene' },
  results: { icon: 'results', name: 'results' },
  mesh: { icon: 'mesh', name: 'mesh' },
  data: { icon: 'data', name: 'data' },
}

const base = (p: string): string => p.split('/').pop() ?? p

async function openAsText(where: string, what: string): Promise<void> {
  if (await openText(where, what)) show('scene')
}

/** A scene around a mesh, for a start. */
function sceneOf(mesh: string): string {
  const name = base(mesh).replace(/\.[^.]*$/, '').replace(/[^A-Za-z0-9_-]/g, '_') || 'part'
  return `pliant: 1
title: ${name}
units: {length: mm, mass: g}
materials:
  plastic: {young: 2 GPa, poisson: 0.35, density: 1200 kg/m^3}
bodies:
  - name: ${/^[A-Za-z]/.test(name) ? name : `part_${name}`}
    shell: {mesh: ${base(mesh)}, material: plastic, thickness: 1}
gravity: [0, 0, -9.81 m/s^2]
analyses:
  - modes: {count: 6}
`
}

function FileRow({ file }: { file: File }) {
  const kind = kinds[file.kind]
  const act = (): void => {
    if (file.kind === 'scene') void open({ path: file.path }, file.path)
    else if (file.kind === 'results') void openResults(file.path)
    else if (file.kind === 'mesh') void openAsText(file.path.replace(/\.[^.]*$/, '.yaml'), sceneOf(file.path))
  }
  const inner = (
    <>
      <Icon name={kind.icon} size={18} />
      <span class="path">{file.path}</span>
      <span class="kind">{kind.name}</span>
      <span class="size">{file.kind === 'results' ? '' : bytes(file.bytes)}</span>
      <span class="time">{ago(file.time)}</span>
    </>
  )
  return <li class={file.path === path.value ? 'here' : ''}>{file.kind === 'data' ? <span class="row">{inner}</span> : <button class="row" onClick={act}>{inner}</button>}</li>
}

function Files() {
  const all = useSignal(false)
  const list = files.value
  const shown = all.value ? list : list.slice(0, 8)
  return (
    <section aria-labelledby="files-title">
      <h2 id="files-title">
        Files <small>in {folderName.value}</small>
      </h2>
      {list.length === 0 && <p class="mute">No scene, mesh or result is in this folder yet. Open a card, begin with a starter, or drop a file.</p>}
      <ul class="files">
        {shown.map((f) => (
          <FileRow key={f.path} file={f} />
        ))}
      </ul>
      {list.length > 8 && (
        <button class="plain link" onClick={() => (all.value = !all.value)}>
          {all.value ? 'fewer' : `all ${list.length}`}
        </button>
      )}
    </section>
  )
}

// ---- drop ---------------------------------------------------------------------------------------

const PIECE = 480000 // bytes that go into a message

/** Brings a file of any bytes into the folder, piece by piece. */
async function upload(file: globalThis.File): Promise<void> {
  let number = {}
  for (let at = 0; at === 0 || at < file.size; at += PIECE) {
    const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer())
    let text = ''
    for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192))
    const { upload } = await connection.request('upload', { path: file.name, at, total: file.size, base64: btoa(text), ...number })
    number = { upload }
  }
}

async function take(dropped: globalThis.File): Promise<void> {
  if (/\.ya?ml$/i.test(dropped.name)) {
    await openAsText(dropped.name, await dropped.text())
    return
  }
  await upload(dropped)
  notify('note', `${dropped.name} is in ${folderName.value} now`)
  await refresh()
  if (/\.(obj|stl|ply|msh|vtu|inp)$/i.test(dropped.name)) await openAsText(dropped.name.replace(/\.[^.]*$/, '.yaml'), sceneOf(dropped.name))
}

function DropZone() {
  const over = useSignal(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    let depth = 0
    const enter = (e: DragEvent): void => {
      if (!e.dataTransfer?.types.includes('Files')) return
      e.preventDefault()
      if (e.type === 'dragenter') depth++
      over.value = true
    }
    const leave = (): void => {
      if (--depth <= 0) over.value = false
    }
    const drop = (e: DragEvent): void => {
      depth = 0
      over.value = false
      if (!e.dataTransfer?.files.length) return
      e.preventDefault()
      for (const f of e.dataTransfer.files) take(f).catch(complain)
    }
    const all = [['dragenter', enter], ['dragover', enter], ['dragleave', leave], ['drop', drop]] as const
    for (const [name, f] of all) addEventListener(name, f as EventListener)
    return () => {
      for (const [name, f] of all) removeEventListener(name, f as EventListener)
    }
  }, [])
  const choose = (): void => {
    for (const f of input.current?.files ?? []) take(f).catch(complain)
    if (input.current) input.current.value = ''
  }
  return (
    <>
      <button class="drop" onClick={() => input.current?.click()}>
        <Icon name="plus" /> Drop a scene, mesh or table here, or choose one
      </button>
      <input ref={input} type="file" hidden multiple accept=".yaml,.yml,.csv,.obj,.stl,.ply,.msh,.vtu,.inp" aria-label="a file to open" onChange={choose} />
      {over.value && <div class="drop-over" aria-hidden="true">Drop to open</div>}
    </>
  )
}

// ---- the screen ---------------------------------------------------------------------------------

function Starters() {
  const list = hello.value?.starters ?? []
  if (list.length === 0) return null
  return (
    <section aria-labelledby="starters-title">
      <h2 id="starters-title">Begin with</h2>
      <ul class="starters">
        {list.map(([name, text]) => (
          <li key={name}>
            <button onClick={() => void open({ starter: name }, name)}>
              <b>{name}</b>
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Gallery() {
  const wanted = useSignal('')
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = cards.value.filter((c) => words.every((w) => `${c.title} ${c.name}`.toLowerCase().includes(w)))
  return (
    <div class="page">
      <div class="beside">
        <Files />
        <DropZone />
        <Starters />
      </div>
      <section class="cards-section" aria-labelledby="gallery-title">
        <div class="section-head">
          <h2 id="gallery-title">Gallery</h2>
          <label class="search">
            <Icon name="search" size={16} />
            <input type="search" placeholder="search" aria-label="search the gallery" value={wanted.value} onInput={(e) => (wanted.value = e.currentTarget.value)} />
          </label>
        </div>
        <div class="cards">
          {shown.map((c) => (
            <CardView key={c.name} card={c} />
          ))}
        </div>
        {shown.length === 0 && <p class="mute">{cards.value.length === 0 ? 'There is no gallery beside this program.' : 'No card has these words.'}</p>}
      </section>
    </div>
  )
}
