// The 3-D view beside a report: shapes, motions and films of a run, and what it computes just now.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { modelArrays, solidsArrays } from './arrays'
import { saveBlob } from './download'
import { general, seconds } from './format'
import { Icon } from './icons'
import type { Item } from './protocol'
import { connection, complain } from './state'
import { modelOf } from './runs'
import type { RunView } from './runs'
import { Looks } from './view_tools'
import { useViewer } from './use_viewer'
import type { ModelArrays } from './viewer/types'
import type { Viewer } from './viewer/viewer'
import type { Pose } from './viewer/camera'

export type StageItem = Extract<Item, { kind: 'shape' | 'orbit' | 'film' | 'picture' | 'solids' | 'body' }>

const kinds = new Set(['shape', 'orbit', 'film', 'picture', 'solids', 'body'])
export const isStage = (i: Item): i is StageItem => kinds.has(i.kind)

const words: Record<StageItem['kind'], string> = { shape: 'Shape', orbit: 'Periodic motion', film: 'Motion in time', picture: 'Picture', solids: 'Elements', body: 'Boundary' }

/** What an item is called beside others. */
export function stageTitle(i: StageItem): string {
  if (i.kind === 'film') return 'Motion in time'
  if (i.title) return i.title
  if (i.kind === 'picture' && i.colourLabel) return i.colourLabel
  return words[i.kind]
}

/** The item that is seen: the one chosen, or of the newest analysis. */
export function shownItem(run: RunView): number {
  const items = run.items.value
  if (run.shown.value >= 0) return run.shown.value
  let best = -1
  for (let k = items.length - 1; k >= 0; k--) {
    const i = items[k]!
    if (i.kind === 'begin' && best >= 0) break
    // a motion rather than the place where it ends
    if (isStage(i) && (best < 0 || i.kind === 'film')) best = k
  }
  return best
}

// ---- items in the view --------------------------------------------------------------------------

function size(x: Float32Array): number {
  const lo = [Infinity, Infinity, Infinity]
  const hi = [-Infinity, -Infinity, -Infinity]
  for (let k = 0; k < x.length; k++) {
    lo[k % 3] = Math.min(lo[k % 3]!, x[k]!)
    hi[k % 3] = Math.max(hi[k % 3]!, x[k]!)
  }
  return Math.hypot(...hi.map((h, c) => h - lo[c]!)) || 1
}

// a mode swings by a tenth of the model
function playMode(v: Viewer, x: Float32Array, mode: Float32Array): void {
  const swing = 0.1 * size(x)
  const c = new Float32Array(3 * x.length)
  for (let k = 0; k < x.length; k++) {
    c[3 * k] = x[k]!
    c[3 * k + 1] = swing * mode[k]!
  }
  v.setNote('the size of a mode is free')
  v.playOrbit(c, 1, Math.PI)
}

export type Draw = (v: Viewer) => void

/** Draws values on a model that the viewer shows. */
export async function pictureOf(m: ModelArrays, i: Extract<StageItem, { kind: 'picture' }>): Promise<Draw> {
  const [x, colour, face] = await Promise.all([i.x ? connection.floats(i.x) : m.x, i.colour ? connection.floats(i.colour) : null, i.face ? connection.floats(i.face) : null])
  const values = colour ?? (face && m.triangles && face.length === m.triangles.length / 3 ? face : null)
  return (v) => {
    v.setPositions(x)
    if (!values) return
    const [lo, hi] = i.lo < i.hi ? [i.lo, i.hi] : extent(values)
    v.setColour(values, lo, hi, i.colourLabel ?? '', { perFace: !colour, ...(i.limit > 0 ? { limit: i.limit } : {}) })
  }
}

async function shapeOf(i: Extract<StageItem, { kind: 'shape' }>): Promise<Draw> {
  const [x, mode] = await Promise.all([connection.floats(i.x), i.mode ? connection.floats(i.mode) : null])
  return (v) => {
    if (mode) playMode(v, x, mode)
    else {
      v.setPositions(x)
      v.showRest(true)
    }
  }
}

function extent(values: Float32Array): [number, number] {
  let lo = Infinity
  let hi = -Infinity
  for (const v of values) {
    if (v < lo) lo = v
    if (v > hi) hi = v
  }
  return lo < hi ? [lo, hi] : [lo - 1, lo + 1]
}

/** A body in a space of three numbers, each brought to the same length. */
export async function bodyModel(i: Extract<StageItem, { kind: 'body' }>): Promise<ModelArrays> {
  const raw = await connection.floats(i.x)
  const most = [0, 0, 0]
  raw.forEach((v, k) => (most[k % 3] = Math.max(most[k % 3]!, Math.abs(v))))
  return { title: i.title, dim: 3, length: { unit: '', si: 1 }, x: raw.map((v, k) => v / (most[k % 3] || 1)), triangles: await connection.ints(i.triangles) }
}

/** What an item adds to the model, once its arrays are there. */
async function drawingOf(m: ModelArrays, i: StageItem): Promise<Draw> {
  if (i.kind === 'picture') return pictureOf(m, i)
  if (i.kind === 'shape') return shapeOf(i)
  if (i.kind === 'orbit') {
    const coefficients = await connection.floats(i.coefficients)
    return (v) => v.playOrbit(coefficients, i.harmonics, i.omega)
  }
  if (i.kind === 'solids') {
    const solids = await solidsArrays(i)
    return (v) => v.setSolids(solids)
  }
  if (i.kind === 'film') {
    const [time, x, face] = await Promise.all([connection.floats(i.time), connection.floats(i.x), i.face ? connection.floats(i.face) : null])
    return (v) => v.playFilm({ time, x, face })
  }
  return (v) => v.setNote(i.labels.map((l, k) => `${'xyz'[k]}: ${l}`).join('   '))
}

/** Shows an item, from where one looked if one turned the last. */
function useItem(viewer: Viewer | null, m: ModelArrays | null, item: StageItem | null, live: boolean): void {
  const home = useRef<string>('')
  useEffect(() => {
    if (!viewer || !m || live) return
    let late = false
    const show = async (): Promise<void> => {
      const [model, draw] = await Promise.all([item?.kind === 'body' ? bodyModel(item) : m, item ? drawingOf(m, item) : null])
      if (late) return
      const pose: Pose = viewer.pose
      const moved = home.current !== '' && JSON.stringify(pose) !== home.current
      viewer.setModel(model)
      viewer.setColour(null)
      viewer.setNote('')
      draw?.(viewer)
      home.current = JSON.stringify(viewer.pose)
      if (moved && item?.kind !== 'body') viewer.setPose(pose)
    }
    show().catch(complain)
    return () => void (late = true)
  }, [viewer, m, item, live])
}

// ---- controls -----------------------------------------------------------------------------------

const speeds = [0.1, 0.25, 0.5, 1, 2, 4]

interface Now {
  phase: number
  time: number
  playing: boolean
}

function Controls({ viewer, now, item }: { viewer: Viewer; now: Now; item: StageItem }) {
  const speed = useSignal(1)
  const trails = useSignal(false)
  const film = item.kind === 'film'
  const mode = item.kind === 'shape'
  const told = film ? `${general(now.time, 3)} s` : `${Math.round(360 * now.phase)}°`
  const slower = viewer.player.slower
  const rate = mode ? '' : slower > 1.05 ? `${general(slower, 2)} times slower` : slower < 0.95 ? `${general(1 / slower, 2)} times faster` : 'in true time'
  return (
    <div class="play-controls" role="group" aria-label="motion">
      <button class="plain" aria-label={now.playing ? 'pause' : 'play'} title={now.playing ? 'Pause (Space)' : 'Play (Space)'} onClick={() => (now.playing ? viewer.pause() : viewer.play())}>
        <Icon name={now.playing ? 'pause' : 'play'} size={18} fill={!now.playing} />
      </button>
      <input type="range" min="0" max="1" step="0.002" value={now.phase} aria-label={film ? 'time' : 'phase'} aria-valuetext={told} onInput={(e) => (viewer.pause(), viewer.setPhase(Number(e.currentTarget.value)))} />
      <span class="told">{told}</span>
      <select aria-label="speed" title={rate} value={String(speed.value)} onChange={(e) => ((speed.value = Number(e.currentTarget.value)), viewer.setSpeed(speed.value))}>
        {speeds.map((s) => (
          <option key={s} value={String(s)}>
            ×{s}
          </option>
        ))}
      </select>
      <button class="plain small" aria-pressed={trails.value} title="Paths of watched places" onClick={() => (trails.value = !trails.value, setTrails(viewer, trails.value))}>
        paths
      </button>
    </div>
  )
}

const watchedOf = new WeakMap<Viewer, number[]>()
const setTrails = (v: Viewer, on: boolean): void => v.setTrails(on ? (watchedOf.get(v) ?? []) : [])

function Tools({ viewer, item, name }: { viewer: Viewer; item: StageItem | null; name: string }) {
  const grown = useSignal(1)
  const moves = item?.kind === 'film' || item?.kind === 'orbit' || (item?.kind === 'shape' && item.mode !== null)
  const busy = useSignal(false)
  const rest = useSignal(true)
  const still = item?.kind === 'shape' && item.mode === null
  useEffect(() => void (rest.value = true), [item])
  const frames = (): void => {
    busy.value = true
    viewer
      .frames(60)
      .then((b) => saveBlob(b, `${name}-frames.zip`), complain)
      .finally(() => (busy.value = false))
  }
  return (
    <div class="tools" role="toolbar" aria-label="view">
      <Looks viewer={viewer} />
      <i class="rule" />
      {still && (
        <button class="plain small" aria-pressed={rest.value} title="The model at rest, too" onClick={() => viewer.showRest((rest.value = !rest.value))}>
          rest
        </button>
      )}
      {item?.kind !== 'body' && (
        <select aria-label="how large displacements are shown" title="How large displacements are shown" value={String(grown.value)} onChange={(e) => ((grown.value = Number(e.currentTarget.value)), viewer.setExaggeration(grown.value))}>
          {[1, 2, 5, 10, 50, 100].map((k) => (
            <option key={k} value={String(k)}>
              {k === 1 ? 'true scale' : `×${k}`}
            </option>
          ))}
        </select>
      )}
      <button class="plain small" title="Save a picture" aria-label="save a picture" onClick={() => viewer.png().then((b) => saveBlob(b, `${name}.png`), complain)}>
        <Icon name="picture" size={18} />
      </button>
      {moves && (
        <button class="plain small" disabled={busy.value} title="Save 60 pictures for a film" aria-label="save pictures for a film" onClick={frames}>
          <Icon name="film" size={18} />
        </button>
      )}
      {item?.kind !== 'body' && (
        <button class="plain small" title="Save as GLB" onClick={() => saveBlob(viewer.glb(), `${name}.glb`)}>
          glb
        </button>
      )}
    </div>
  )
}

// ---- the stage ----------------------------------------------------------------------------------

function useArrays(run: RunView): ModelArrays | null {
  const arrays = useSignal<ModelArrays | null>(null)
  const rev = run.info.value.model
  useEffect(() => {
    arrays.value = null
    if (rev <= 0) return
    let late = false
    modelOf(rev)
      .then(modelArrays)
      .then((a) => {
        if (!late) arrays.value = a
      }, complain)
    return () => void (late = true)
  }, [run, rev])
  return arrays.value
}

/** Does a run have anything to be seen in space? */
export const hasStage = (run: RunView): boolean => run.info.value.model > 0 || run.items.value.some((i) => i.kind === 'body')

export function Stage({ run }: { run: RunView }) {
  const now = useSignal<Now>({ phase: 0, time: 0, playing: false })
  const arrays = useArrays(run)
  const [place, v] = useViewer({ label: 'Results', onTime: (t) => (now.value = t) })
  const at = shownItem(run)
  const found = run.items.value[at]
  const item = found && isStage(found) ? found : null
  // while it runs the newest state is seen, unless something else was chosen
  const frame = run.frame.value
  const live = run.info.value.state === 'running' && run.shown.value < 0 && frame !== null
  useItem(v, arrays, item, live)
  useEffect(() => {
    if (v && arrays) watchedOf.set(v, (arrays.watched ?? []).map((w) => w.node))
  }, [v, arrays])
  useEffect(() => {
    if (v && arrays && live) v.setModel(arrays)
  }, [v, arrays, live])
  useEffect(() => {
    if (v && arrays && live && frame.x.length === arrays.x.length) v.live(frame.x, frame.time)
  }, [v, arrays, live, frame])
  const moves = item && !live && (item.kind === 'film' || item.kind === 'orbit' || (item.kind === 'shape' && item.mode !== null))
  return (
    <div class="stage-view">
      <div class="stage-head">
        <span class="title">{live ? `Live, ${seconds(frame.time)}` : item ? stageTitle(item) : 'Model'}</span>
        {live && <span class="live-lamp" aria-hidden="true" />}
        {run.shown.value >= 0 && run.info.value.state === 'running' && (
          <button class="small" onClick={() => (run.shown.value = -1)}>
            Follow the run
          </button>
        )}
      </div>
      <div class="stage-place">
        <div class="viewer-place" ref={place} />
        {v && <Tools viewer={v} item={item} name={item && 'name' in item && item.name ? item.name : 'model'} />}
      </div>
      {v && moves && <Controls key={at} viewer={v} now={now.value} item={item} />}
    </div>
  )
}
