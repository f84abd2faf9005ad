import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { modelArrays, solidsArrays } from '../arrays'
import { general, minus } from '../format'
import { Icon } from '../icons'
import { useFloats } from '../items'
import { atRest, contactsOf, figuresOf, flatten, isBoundary, isDisk, latticeOf, posesOf, reachOf, sideOf, slice, stretchOf, surround, value, withForces } from '../limits'
import type { Contact, Figure, Spot } from '../limits'
import * as m from '../materials'
import type { Group, MaterialSet, SetPolar } from '../materials'
import { Plot } from '../plot'
import { Polar } from '../polar'
import type { PolarPoint, PolarSeries } from '../polar'
import type { Item, Material } from '../protocol'
import { active, cancelRun, current } from '../runs'
import { failed, model, path, runScene } from '../scene'
import { bodyModel, pictureOf, stageTitle } from '../stage'
import type { StageItem } from '../stage'
import { complain, connection, show } from '../state'
import { useViewer } from '../use_viewer'
import type { SolidsArrays } from '../viewer/types'

export const hasLimits = m.hasLimits

type Body = Extract<Item, { kind: 'body' }>

// ---- curves -------------------------------------------------------------------------------------

const titles: Record<Group, string> = { stretch: 'limits of stretch', play: 'play', bending: 'limits of bending', patch: 'limits of bending of a patch' }

interface Line {
  set: MaterialSet
  polar: SetPolar
  series: SetPolar['series'][number]
}

/** All curves of a group, those of one set in one colour where there are several. */
function linesOf(group: Group): Line[] {
  return m.shown.value.flatMap((set) => set.polars.filter((p) => p.group === group).flatMap((polar) => polar.series.map((series) => ({ set, polar, series }))))
}

function styled(list: readonly Line[], got: readonly (Float32Array | null)[], n: number): PolarSeries[] {
  const keys = [...new Set(list.map((l) => l.set.key))]
  const many = keys.length > 1
  return list.map(({ set, series }, k) => {
    const second = many && sideOf(series.name ?? '') === 1
    return {
      ...series,
      name: many ? `${set.view ? `${set.view.info.value.run} · ` : ''}${set.name}: ${series.name ?? ''}` : series.name,
      dashed: second ? 1 : series.dashed,
      fill: series.fill && !many,
      colour: many ? keys.indexOf(set.key) : series.colour,
      data: got[k]!,
      error: got[n + k] ?? null,
    }
  })
}

function spotAt(l: Line, i: number): Spot | null {
  const side = sideOf(l.series.name ?? '')
  // over a whole turn, as limits repeat after half of one
  const rows = l.set.tables.get(m.tableName(l.set, l.polar.kind ?? ''))?.rows ?? 0
  return side === null || l.polar.kind === null || rows === 0 ? null : { kind: l.polar.kind, row: i % rows, side }
}

function Curves({ group }: { group: Group }) {
  const list = linesOf(group)
  const got = useFloats([...list.map((l) => l.series.data), ...list.map((l) => l.series.error)])
  const series = useMemo(() => (got && got.length === 2 * list.length ? styled(list, got, list.length) : null), [got])
  const last = useSignal<PolarPoint | null>(null)
  if (list.length === 0 || !series) return null
  const one = list[0]!.polar
  const choose = (at: PolarPoint): void => {
    const l = list[at.s]!
    const spot = spotAt(l, at.i)
    last.value = at
    if (spot) m.spot.value = { set: l.set.key, spot }
  }
  const kept = last.value
  const now = kept && list[kept.s] ? spotAt(list[kept.s]!, kept.i) : null
  const same = now && m.spot.value?.set === list[kept!.s]!.set.key && JSON.stringify(now) === JSON.stringify(m.spot.value.spot)
  const hands = list.some((l) => spotAt(l, 0) !== null) ? { onChoose: choose } : {}
  return (
    <Polar name={`materials-${group}`} title={titles[group]} first={one.first} second={one.second} unit={one.unit} series={series} chosen={same ? kept : null} {...hands} />
  )
}

function Sets() {
  const list = m.sets.value
  return (
    <fieldset class="material-sets">
      <legend class="mute">laid over each other</legend>
      {list.map((s, k) => (
        <label key={s.key} class="check">
          <input type="checkbox" checked={m.isShown(s)} onChange={() => m.toggle(s)} />
          <span title={s.label}>{s.label}</span>
          {k === 0 && s.view && list.length > 1 && <small>newest</small>}
        </label>
      ))}
    </fieldset>
  )
}

// ---- boundaries and sheets ----------------------------------------------------------------------

interface Seen {
  set: MaterialSet
  item: StageItem
}

const axisWords = (labels: readonly string[]): string[] => labels.map((l) => l.replace(/_(\w+)/, (_, s: string) => ` ${s}`))

interface Cut {
  axis: number
  part: number // -1..1 of the half width
}

function half(x: Float32Array): number[] {
  const out = [0, 0, 0]
  x.forEach((v, k) => (out[k % 3] = Math.max(out[k % 3]!, Math.abs(v))))
  return out
}

/** A boundary with a plane through it, or a sheet coloured by its limits. */
function SpaceView({ seen, cut }: { seen: Seen; cut: Cut | null }) {
  const { set, item } = seen
  const kind = m.boundaryKind(set, item)
  const [own, v] = useViewer({
    label: stageTitle(item),
    ground: item.kind !== 'body',
    reach: 60,
    onPick: (node) => {
      if (node !== null && kind !== null) m.spot.value = { set: set.key, spot: { kind, row: node, side: 0 } }
    },
  })
  useEffect(() => {
    if (v) fillSpace(v, set, item).catch(complain)
  }, [v, item])
  const here = m.spot.value
  const marked = here && here.set === set.key && here.spot.kind === kind ? here.spot.row : -1
  useEffect(() => v?.highlight(marked >= 0 ? [marked] : [], 'select'), [v, item, marked])
  useEffect(() => {
    if (v && item.kind === 'body') drawCut(v, item, cut).catch(complain)
  }, [v, item, cut?.axis, cut?.part])
  return <div class="viewer-place" ref={own} />
}

type ViewerOf = NonNullable<ReturnType<typeof useViewer>[1]>

async function fillSpace(v: ViewerOf, set: MaterialSet, item: StageItem): Promise<void> {
  if (item.kind === 'body') {
    v.setModel(await bodyModel(item))
    v.setNote(axisWords(item.labels).map((l, k) => `${'xyz'[k]}: ${l}`).join(', ') + ', each over its largest value')
  } else if (item.kind === 'picture' && set.view) {
    const { model: of } = await connection.request('model', { rev: set.view.info.peek().model })
    const arrays = await modelArrays(of)
    const draw = await pictureOf(arrays, item)
    // the camera takes in what is shown, not the sheet at rest
    v.setModel(item.x ? { ...arrays, x: await connection.floats(item.x) } : arrays)
    draw(v)
  }
}

// the boundary is drawn with all its numbers brought to one
async function drawCut(v: ViewerOf, item: Body, cut: Cut | null): Promise<void> {
  const [of, triangles] = await Promise.all([bodyModel(item), connection.ints(item.triangles)])
  v.setLines(cut ? slice(of.x, triangles, cut.axis, cut.part).map((l) => Float32Array.from(l.flat())) : [])
}

function CutPlot({ item, cut }: { item: Body; cut: Cut }) {
  const got = useFloats([item.x])
  const triangles = useSignal<Int32Array | null>(null)
  useEffect(() => void connection.ints(item.triangles).then((t) => (triangles.value = t), complain), [item])
  const x = got?.[0]
  const spec = useMemo(() => {
    if (!x || !triangles.value) return null
    const at = cut.part * half(x)[cut.axis]!
    return { at, xy: flatten(slice(x, triangles.value, cut.axis, at), cut.axis) }
  }, [x, triangles.value, cut.axis, cut.part])
  if (!spec) return null
  const [a, b] = [0, 1, 2].filter((c) => c !== cut.axis) as [number, number]
  const labels = axisWords(item.labels)
  return <Plot name={`${item.name}-slice`} title={`slice at ${labels[cut.axis]} = ${general(spec.at, 3)}`} xlabel={labels[a]!} ylabel={labels[b]!} equal height={250} series={[{ name: null, xy: spec.xy, colour: 1 }]} />
}

function CutControls({ item, cut, set }: { item: Body; cut: Cut | null; set: (c: Cut | null) => void }) {
  const labels = axisWords(item.labels)
  return (
    <div class="cut-controls" role="group" aria-label="slice">
      <label>
        <span class="mute">slice</span>
        <select value={cut ? String(cut.axis) : ''} onChange={(e) => set(e.currentTarget.value === '' ? null : { axis: Number(e.currentTarget.value), part: cut?.part ?? 0 })}>
          <option value="">none</option>
          {labels.map((l, k) => (
            <option key={k} value={String(k)}>
              {l}
            </option>
          ))}
        </select>
      </label>
      {cut && <input type="range" min="-0.98" max="0.98" step="0.02" value={cut.part} aria-label={`place of the slice along ${labels[cut.axis]}`} onInput={(e) => set({ ...cut, part: Number(e.currentTarget.value) })} />}
    </div>
  )
}

/** On from point to point of a boundary. */
function Rays({ seen: { set, item } }: { seen: Seen }) {
  const kind = m.boundaryKind(set, item)
  if (kind === null || item.kind !== 'body') return null
  const n = item.x.shape[0] ?? 0
  const here = m.spot.value
  const row = here?.set === set.key && here.spot.kind === kind ? here.spot.row : -1
  const go = (by: number): void => void (m.spot.value = { set: set.key, spot: { kind, row: row < 0 ? 0 : (row + by + n) % n, side: 0 } })
  return (
    <span class="rays" role="group" aria-label="points of the boundary">
      <button class="plain small" aria-label="point before" onClick={() => go(-1)}>
        ‹
      </button>
      <span class="told">{row < 0 ? `${n} points` : `${row + 1} of ${n}`}</span>
      <button class="plain small" aria-label="next point" onClick={() => go(1)}>
        ›
      </button>
    </span>
  )
}

// ---- elements behind a limit --------------------------------------------------------------------

interface Behind {
  solids: SolidsArrays | null // null: the model of the run is not there
  way: Float32Array | null // through the middle, along the direction of the limit
  contacts: Contact[]
  figures: Figure[]
  lacks: boolean // the elements in this limit were not told
}

async function materialOf(set: MaterialSet): Promise<Material | null> {
  const rev = set.view?.info.peek().model ?? 0
  if (rev <= 0) return null
  const { model: of } = await connection.request('model', { rev })
  return of.materials.find((k) => k.name === set.material) ?? of.materials[0] ?? null
}

async function behind(set: MaterialSet, s: Spot | null, forces: boolean): Promise<Behind> {
  const material = await materialOf(set)
  const [table, states, contacts] = await Promise.all((s ? ['', '-states', '-contacts'] : []).map((what) => m.tableOf(set, m.tableName(set, s!.kind, what))))
  const figures = s && table ? figuresOf(table, s) : []
  const list = s && contacts ? contactsOf(contacts, s) : []
  if (!material) return { solids: null, way: null, contacts: list, figures, lacks: false }
  const cell = await solidsArrays(material)
  const rest = { solids: atRest(cell, material.lattice, 3), way: null, contacts: list, figures, lacks: s !== null }
  if (!s || !table) return rest
  const poses = states ? posesOf(states, s) : new Float32Array(0)
  if (poses.length === 0) return rest
  const U = stretchOf(table, s)
  const copies = Math.round(Math.sqrt(poses.length / 12 / (cell.of.length / 2)))
  const all = surround(cell, poses, U && !isDisk(s.kind) ? latticeOf(material.lattice, copies, U) : null)
  return { solids: forces ? withForces(all, list, reachOf(cell)) : all, way: wayOf(all, value(table, s.row, 'angle')), contacts: list, figures, lacks: false }
}

// across all elements
function wayOf(all: SolidsArrays, degrees: number): Float32Array | null {
  if (!Number.isFinite(degrees)) return null
  const n = all.poses.length / 12
  const mid = [0, 1, 2].map((c) => Array.from({ length: n }, (_, i) => all.poses[12 * i + c]!).reduce((a, b) => a + b, 0) / n) as [number, number, number]
  let reach = 0
  for (let i = 0; i < n; i++) reach = Math.max(reach, Math.hypot(all.poses[12 * i]! - mid[0], all.poses[12 * i + 1]! - mid[1]))
  const a = (Math.PI / 180) * degrees
  const [x, y] = [1.35 * reach * Math.cos(a), 1.35 * reach * Math.sin(a)]
  return Float32Array.of(mid[0] - x, mid[1] - y, mid[2], mid[0] + x, mid[1] + y, mid[2])
}

const told = (f: Figure): string => {
  if (f.unit === '?') return f.value ? 'yes' : 'no'
  if (f.unit === '%') return `${general(100 * f.value, 4)} %`
  return f.unit === '#' || !f.unit ? general(f.value, 4) : `${general(f.value, 4)} ${f.unit === 'deg' ? '°' : f.unit}`
}

function Figures({ list }: { list: readonly Figure[] }) {
  return (
    <dl class="spot-figures">
      {list.map((f) => (
        <div key={f.name}>
          <dt>{f.name}</dt>
          <dd>{told(f)}</dd>
        </div>
      ))}
    </dl>
  )
}

const contactsMax = 60

function Contacts({ list }: { list: readonly Contact[] }) {
  if (list.length === 0) return null
  return (
    <div class="scroll contacts" role="region" aria-label="contacts" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col" title="and the cell that the second one is in">
              elements
            </th>
            <th scope="col" class="n" title="force: by how much the limit grows with a metre of overlap">
              force (1/m)
            </th>
            <th scope="col" class="n" title="gap">
              gap (µm)
            </th>
          </tr>
        </thead>
        <tbody>
          {list.slice(0, contactsMax).map((c, k) => (
            <tr key={k}>
              <th scope="row">
                {c.elements[0]} – {c.elements[1]}
                {c.cell.some((k) => k !== 0) && <small> ({c.cell.map((k) => minus(String(k))).join(', ')})</small>}
              </th>
              <td class="n">{general(c.force, 4)}</td>
              <td class="n">{general(1e6 * c.gap, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.length > contactsMax && <p class="mute">{list.length - contactsMax} weaker ones are left out.</p>}
    </div>
  )
}

function sayWhere(set: MaterialSet, s: Spot | null, b: Behind | null): string {
  if (!s) return 'At rest. Choose a point of a curve, or of a boundary, to see the elements behind it.'
  const pair = s.kind === '' ? ['longest', 'shortest'] : ['bent up', 'bent down']
  const angle = b?.figures.find((f) => f.name === 'angle')?.value
  const where = isBoundary(s.kind) ? `ray ${s.row + 1} of the boundary` : angle === undefined ? pair[s.side] : `${pair[s.side]} along ${general(angle, 4)}°`
  return `${set.label}, ${where}`
}

function AskForStates({ set }: { set: MaterialSet }) {
  return (
    <div class="callout note" role="note">
      <b>Note</b>
      <span>
        This run did not keep where elements are in its limits, so they are shown at rest.
        {m.canAskForStates(set) && (
          <button class="small" onClick={() => void m.runWithStates(set.name)}>
            <Icon name="play" size={13} fill /> Run {set.name} with states
          </button>
        )}
      </span>
    </div>
  )
}

function useBehind(set: MaterialSet | null, s: Spot | null, forces: boolean): Behind | null {
  const now = useSignal<Behind | null>(null)
  useEffect(() => {
    let late = false
    if (!set) now.value = null
    else behind(set, s, forces).then((b) => late || (now.value = b), complain)
    return () => void (late = true)
  }, [set?.key, set?.tables.size, s?.kind, s?.row, s?.side, forces])
  return now.value
}

function Elements({ set, spot: s }: { set: MaterialSet; spot: Spot | null }) {
  const forces = useSignal(true)
  const b = useBehind(set, s, forces.value)
  const [own, v] = useViewer({ label: 'elements behind a limit' })
  const shape = b?.solids ? `${b.solids.of.length} ${b.solids.meshes.length > 1}` : ''
  const last = useSignal('')
  useEffect(() => {
    if (!v || !b?.solids) return
    if (last.peek() === shape) v.setSolids(b.solids)
    else {
      v.setModel({ dim: 3, length: { unit: 'mm', si: 1e-3 }, x: new Float32Array(0), solids: b.solids })
      // from above, as curves are drawn
      v.setPose({ ...v.pose, az: -Math.PI / 2, el: 1 })
      v.preset('fit')
    }
    v.setLines(b.way ? [b.way] : [])
    last.value = shape
  }, [v, b])
  return (
    <div class="elements">
      <div class="stage-head">
        <span class="title" role="status">
          {sayWhere(set, s, b)}
        </span>
        {b?.solids && b.contacts.length > 0 && (
          <label class="check">
            <input type="checkbox" checked={forces.value} onChange={(e) => (forces.value = e.currentTarget.checked)} /> forces
          </label>
        )}
      </div>
      {b?.lacks && <AskForStates set={set} />}
      <div class="behind">
        <div class="stage-place">
          <div class="viewer-place" ref={own} />
        </div>
        <div class="spot-side">
          {b && !b.solids && <p class="mute">The scene of this run could not be read, so that its elements are not shown.</p>}
          {b && b.figures.length > 0 ? <Figures list={b.figures} /> : <p class="mute">Nothing is chosen yet: click a curve, or go along it with the arrow keys.</p>}
          {b && <Contacts list={b.contacts} />}
        </div>
      </div>
    </div>
  )
}

// ---- the screen ---------------------------------------------------------------------------------

function RunOne() {
  const busy = active.value
  const list = m.analyses.value
  const can = path.value !== '' && !failed.value && connection.status.value === 'open'
  if (busy)
    return (
      <button class="small" onClick={() => void cancelRun(busy.info.value.run)}>
        <Icon name="stop" size={14} fill /> Stop {busy.progress.value ? `${busy.progress.value.what} ${Math.round(100 * busy.progress.value.done)} %` : 'the run'}
      </button>
    )
  const run = async (name: string): Promise<void> => {
    const started = await runScene(name)
    if (started !== null) current.value = started
  }
  return (
    <>
      {list.map((a) => (
        <button key={a.name} class="small" disabled={!can} onClick={() => void run(a.name)}>
          <Icon name="play" size={13} fill /> {a.name}
        </button>
      ))}
    </>
  )
}

function Begin() {
  return (
    <div class="page centre begin">
      <h2>Materials</h2>
      {m.analyses.value.length > 0 ? (
        <>
          <p class="mute">How far this material goes in every direction, and what holds it there.</p>
          <div class="ask">
            <RunOne />
          </div>
        </>
      ) : (
        <>
          <p class="mute">Open a scene with an interlocking material or with cloth that has a limit, for instance 4-in-1 chainmail.</p>
          <button class="primary" onClick={() => show('gallery')}>
            <Icon name="gallery" size={18} /> Gallery
          </button>
        </>
      )}
    </div>
  )
}

function useSeen(): [Seen[], Seen | null, (k: number) => void] {
  const list = m.shown.value.flatMap((set) => set.stage.map((item): Seen => ({ set, item })))
  const at = useSignal(0)
  return [list, list[Math.min(at.value, list.length - 1)] ?? null, (k) => (at.value = k)]
}

function Space({ list, seen, choose, cut, setCut }: { list: Seen[]; seen: Seen; choose: (k: number) => void; cut: Cut | null; setCut: (c: Cut | null) => void }) {
  const picture = seen.item.kind === 'picture' ? seen.item : null
  return (
    <div class="space">
      <div class="stage-head">
        <select aria-label="what is seen" value={String(list.findIndex((s) => s.item === seen.item))} onChange={(e) => choose(Number(e.currentTarget.value))}>
          {list.map((s, k) => (
            <option key={k} value={String(k)}>
              {stageTitle(s.item)} · {s.set.label}
            </option>
          ))}
        </select>
        {seen.item.kind === 'body' && <CutControls item={seen.item} cut={cut} set={setCut} />}
        {seen.item.kind === 'body' && <Rays seen={seen} />}
      </div>
      <div class="stage-place">
        <SpaceView key={seen.item.kind} seen={seen} cut={cut} />
      </div>
      {picture?.caption && <p class="mute caption">{picture.caption}</p>}
    </div>
  )
}

export function MaterialsScreen() {
  const [list, seen, choose] = useSeen()
  const cut = useSignal<Cut | null>({ axis: 2, part: 0 })
  if (m.sets.value.length === 0) return <Begin />
  const limits = m.spotSet.value ?? m.shown.value.find((s) => s.kind === 'limits') ?? null
  const s = limits && m.spotSet.value === limits ? m.spot.value!.spot : null
  const body = seen?.item.kind === 'body' ? seen.item : null
  return (
    <div class="materials-bench">
      <div class="materials-side">
        <div class="materials-head">
          <RunOne />
        </div>
        <Sets />
        <Curves group="stretch" />
        {body && cut.value && <CutPlot item={body} cut={cut.value} />}
        {(['bending', 'patch', 'play'] as const).map((g) => (
          <Curves key={g} group={g} />
        ))}
      </div>
      <div class="materials-view">
        {seen && <Space list={list} seen={seen} choose={choose} cut={cut.value} setCut={(c) => (cut.value = c)} />}
        {limits && <Elements key={limits.key} set={limits} spot={s} />}
        {!seen && !limits && <p class="page mute">{active.value ? 'The run is at work …' : model.value?.cloth.length ? 'Run the drape to see where the sheet is at its limits.' : 'Choose something to be shown.'}</p>}
      </div>
    </div>
  )
}
