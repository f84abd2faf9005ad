// The model in 3-D beside its text: what is chosen in one shows in the other.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { modelArrays } from './arrays'
import { saveBlob } from './download'
import { general } from './format'
import { Icon } from './icons'
import type { IconName } from './icons'
import type { ArrayRef, Model } from './protocol'
import { change, mark, model, opened, path, picked, text } from './scene'
import type { Mark } from './scene'
import { addItem, entryOf, freeName, quote, readText, setNamed } from './scene_text'
import { selectorsOf } from './selectors'
import { complain, connection, notify } from './state'
import { useViewer } from './use_viewer'
import { Looks } from './view_tools'
import type { BrushHow } from './viewer/types'
import type { Viewer } from './viewer/viewer'
import type { Pose } from './viewer/camera'

// ---- what is marked -----------------------------------------------------------------------------

function nodesOf(m: Model, what: Mark): ArrayRef | null {
  const named = { body: m.bodies, set: m.sets, support: m.supports, drive: m.drives, load: m.loads }
  const list = what.kind in named ? named[what.kind as keyof typeof named] : null
  return list?.find((e) => what.name !== '' && e.name === what.name)?.nodes ?? list?.[what.index]?.nodes ?? null
}

async function markedNodes(m: Model, what: Mark | null): Promise<Int32Array> {
  const watched = what?.kind === 'watch' ? m.watched.find((w) => w.name === what.name) : null
  if (watched) return Int32Array.of(watched.node)
  const ref = what ? nodesOf(m, what) : null
  return ref ? connection.ints(ref) : new Int32Array(0)
}

// ---- sets from nodes ----------------------------------------------------------------------------

/** The unit that bare lengths of the text are in, and whether numbers must name it. */
function lengthUnit(m: Model): string {
  const units = entryOf(readText(text.peek()), 'units')?.value
  const own = units?.kind === 'map' ? entryOf(units, 'length')?.value?.text : units?.text === 'SI' || !units ? 'm' : units.text.split(/[-_]/)[0]
  return own === m.length.unit ? '' : m.length.unit
}

async function selectors(m: Model, nodes: Int32Array): Promise<string[] | null> {
  const groups = await Promise.all([
    ...m.bodies.map(async (b) => ({ name: b.name, nodes: await connection.ints(b.nodes), body: true })),
    ...m.sets.map(async (s) => ({ name: s.name, nodes: await connection.ints(s.nodes), body: false })),
  ])
  return selectorsOf(nodes, { x: await connection.floats(m.x), dim: m.dim, unit: lengthUnit(m), si: m.length.si, groups })
}

async function makeSet(name: string): Promise<void> {
  const m = model.peek()
  if (!m) return
  const list = await selectors(m, picked.peek())
  if (!list) {
    notify('warning', 'These nodes need too many boxes to be told apart', 'choose a region with straight sides, or fewer nodes')
    return
  }
  const value = list.length === 1 ? quote(list[0]!) : `[${list.map((s) => JSON.stringify(s)).join(', ')}]`
  change([setNamed(text.peek(), 'sets', name, value)])
  picked.value = new Int32Array(0)
  mark.value = { kind: 'set', index: m.sets.length, name }
}

async function watchNode(): Promise<void> {
  const m = model.peek()
  const list = m ? await selectors(m, picked.peek()) : null
  if (!list) return
  const name = freeName(text.peek(), 'watch', 'point')
  change([setNamed(text.peek(), 'watch', name, quote(list[0]!))])
  picked.value = new Int32Array(0)
}

async function fix(): Promise<void> {
  const m = model.peek()
  const list = m ? await selectors(m, picked.peek()) : null
  if (!list) return
  const root = entryOf(readText(text.peek()), 'fixed')?.value
  const items = list.map((s) => JSON.stringify(s)).join(', ')
  if (root && root.kind !== 'list') change([{ from: root.from, to: root.to, insert: `[${JSON.stringify(root.text)}, ${items}]` }])
  else change([addItem(text.peek(), 'fixed', items)])
  picked.value = new Int32Array(0)
}

function Chosen({ m }: { m: Model }) {
  const nodes = picked.value
  const name = useSignal('')
  const place = useSignal('')
  const one = nodes.length === 1 ? nodes[0]! : -1
  useEffect(() => {
    place.value = ''
    if (one < 0) return
    connection.floats(m.x).then((x) => {
      const at = [0, 1, 2].slice(0, m.dim).map((c) => general(x[3 * one + c]! / m.length.si, 5))
      place.value = `node at (${at.join(', ')}) ${m.length.unit}`
    }, complain)
  }, [one, m.rev])
  if (nodes.length === 0) return null
  const free = freeName(text.value, 'sets', 'set')
  const make = (e: Event): void => {
    e.preventDefault()
    const wanted = (name.value.trim() || free).replace(/[^\w-]/g, '_')
    makeSet(wanted).catch(complain)
    name.value = ''
  }
  return (
    <form class="chosen" aria-label="chosen nodes" onSubmit={make}>
      <span role="status">{one >= 0 ? place.value || '1 node' : `${nodes.length} nodes`}</span>
      <input type="text" aria-label="name of the new set" placeholder={free} value={name.value} size={9} onInput={(e) => (name.value = e.currentTarget.value)} />
      <button type="submit" class="primary small">
        Make a set
      </button>
      <button type="button" class="small" onClick={() => void fix().catch(complain)}>
        Fix
      </button>
      {one >= 0 && (
        <button type="button" class="small" onClick={() => void watchNode().catch(complain)}>
          Watch
        </button>
      )}
      <button type="button" class="plain small" aria-label="choose nothing" onClick={() => (picked.value = new Int32Array(0))}>
        <Icon name="close" size={16} />
      </button>
    </form>
  )
}

// ---- tools --------------------------------------------------------------------------------------

type Brush = 'box' | 'lasso' | null
const brushes: [Exclude<Brush, null>, IconName, string][] = [
  ['box', 'box', 'choose nodes in a box'],
  ['lasso', 'lasso', 'choose nodes with a lasso'],
]

export function stem(): string {
  return path.peek().split('/').pop()?.replace(/\.ya?ml$/, '') ?? 'model'
}

function Tools({ viewer, brush, setBrush }: { viewer: Viewer; brush: Brush; setBrush: (b: Brush) => void }) {
  const picture = (): void => void viewer.png().then((b) => saveBlob(b, `${stem()}.png`), complain)
  return (
    <div class="tools" role="toolbar" aria-label="view">
      <Looks viewer={viewer} />
      <i class="rule" />
      {brushes.map(([kind, icon, title]) => (
        <button key={kind} class="plain small" title={`${title}; Shift adds, Alt removes`} aria-label={title} aria-pressed={brush === kind} onClick={() => setBrush(brush === kind ? null : kind)}>
          <Icon name={icon} size={18} />
        </button>
      ))}
      <i class="rule" />
      <button class="plain small" title="Save a picture" aria-label="save a picture" onClick={picture}>
        <Icon name="picture" size={18} />
      </button>
      <button class="plain small" title="Save as GLB" onClick={() => saveBlob(viewer.glb(), `${stem()}.glb`)}>
        glb
      </button>
    </div>
  )
}

function brushed(nodes: Int32Array, how: BrushHow): void {
  const now = new Set(how === 'set' ? [] : picked.peek())
  for (const n of nodes)
    if (how === 'remove') now.delete(n)
    else now.add(n)
  picked.value = Int32Array.from(now).sort()
}

// ---- the view -----------------------------------------------------------------------------------

/** Shows a model as it was looked at before, when it is the same scene. */
function useModel(viewer: Viewer | null, m: Model | null): void {
  const last = useRef<{ home: Pose; opened: number } | null>(null)
  useEffect(() => {
    if (!viewer || !m) return
    let late = false
    const take = async (): Promise<void> => {
      const arrays = await modelArrays(m)
      if (late) return
      const pose = viewer.pose
      const before = last.current
      viewer.setModel(arrays)
      const home = viewer.pose
      const moved = before && before.opened === opened.peek() && JSON.stringify(pose) !== JSON.stringify(before.home)
      if (moved) viewer.setPose(pose)
      last.current = { home, opened: opened.peek() }
      await highlight(viewer, m)
    }
    take().catch(complain)
    return () => void (late = true)
  }, [viewer, m?.rev])
}

async function highlight(viewer: Viewer, m: Model): Promise<void> {
  const nodes = await markedNodes(m, mark.peek())
  if (model.peek()?.rev !== m.rev) return
  viewer.highlight(nodes, 'select')
  viewer.highlight(picked.peek(), 'pick')
}

export function ModelView() {
  const brush = useSignal<Brush>(null)
  const onPick = (node: number | null): void => void (picked.value = node === null ? new Int32Array(0) : Int32Array.of(node))
  const [place, v] = useViewer({ label: 'Model', onPick, onBrush: brushed })
  const m = model.value
  useModel(v, m)
  useEffect(() => {
    if (v && m) highlight(v, m).catch(complain)
  }, [v, m?.rev, mark.value, picked.value])
  const setBrush = (b: Brush): void => {
    brush.value = b
    v?.setBrush(b)
  }
  return (
    <>
      <div class="viewer-place" ref={place} />
      {v && m && <Tools viewer={v} brush={brush.value} setBrush={setBrush} />}
      {m && <Chosen m={m} />}
    </>
  )
}
