import { computed, signal, useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { modelArrays } from '../arrays'
import { saveBlob } from '../download'
import { general, minus, seconds } from '../format'
import { Icon } from '../icons'
import { sections } from '../sections'
import { audit, centrePath, energies, forces, heights, isMotion, ledger, outcome, phaseAt, stagesOf, turns, upOf } from '../jumps'
import type { Columns, Line, Stage } from '../jumps'
import { Plot } from '../plot'
import { pixelX } from '../plot_frame'
import type { PlotFrame, PlotSeries } from '../plot_frame'
import type { Item, Model } from '../protocol'
import { cancelRun, current, ended, runs } from '../runs'
import type { RunView } from '../runs'
import { failed, model, path, runScene } from '../scene'
import { complain, connection, show } from '../state'
import { useViewer } from '../use_viewer'
import type { ModelArrays } from '../viewer/types'
import type { Viewer } from '../viewer/viewer'

type Of<K extends Item['kind']> = Extract<Item, { kind: K }>

// ---- motions that there are ---------------------------------------------------------------------

interface Motion {
  key: string
  view: RunView
  name: string
  label: string
}

const wanted = computed(() => (model.value?.analyses ?? []).filter((a) => a.kind === 'jump' || (a.kind === 'transient' && (model.value?.obstacles.length ?? 0) > 0)))

// transients count where something is touched
function touches(items: readonly Item[], tables: RunView['tables']['value'], name: string): boolean {
  const columns = items.flatMap((i) => (i.kind === 'table' && i.name === name ? [i.columns] : [])).concat(tables.filter((t) => t.name === name).map((t) => [...t.columns]))
  return columns.some((list) => list.some((c) => c.unit === 'N' && c.name.endsWith('_normal')))
}

/** The newest first. */
const motions = computed<readonly Motion[]>(() => {
  const out: Motion[] = []
  for (const view of runs.value) {
    const { run, label } = view.info.value
    for (const s of sections(view.items.value))
      if (s.kind === 'jump' || (s.kind === 'transient' && touches(view.items.value, view.tables.value, s.name))) out.unshift({ key: `${run}/${s.name}`, view, name: s.name, label: `${run} · ${label}${label.endsWith(s.name) ? '' : `: ${s.name}`}` })
  }
  return out
})

export const hasJumps = (): boolean => wanted.value.length > 0 || motions.value.length > 0

const pinned = signal('')
const chosen = computed(() => motions.value.find((m) => m.key === pinned.value) ?? motions.value[0] ?? null)

// ---- its table ----------------------------------------------------------------------------------

function itemOf<K extends 'table' | 'film'>(m: Motion, kind: K): Of<K> | null {
  const items = m.view.items.value
  const found = items.find((i) => i.kind === kind && (i.kind === 'table' ? i.name === m.name && isMotion(i.columns) : i.kind === 'film' && i.analysis === m.name))
  return (found as Of<K> | undefined) ?? null
}

/** All rows where it has ended, those so far where it goes on. */
function useTable(m: Motion | null): Columns | null {
  const item = m ? itemOf(m, 'table') : null
  const whole = useSignal<{ of: Item; table: Columns } | null>(null)
  useEffect(() => {
    let late = false
    if (item)
      connection.floats(item.data).then((data) => {
        const n = item.columns.length
        if (!late) whole.value = { of: item, table: { columns: item.columns, rows: item.rows, at: (r, c) => data[r * n + c]! } }
      }, complain)
    return () => void (late = true)
  }, [item])
  const live = m && !item ? m.view.tables.value.find((t) => t.name === m.name) : undefined
  const growing = useMemo<Columns | null>(() => (live && live.rows.length > 1 ? { columns: live.columns, rows: live.rows.length, at: (r, c) => live.rows[r]?.[c] ?? NaN } : null), [live])
  return item && whole.value?.of === item ? whole.value.table : growing
}

function useModel(m: Motion | null): { model: Model; arrays: ModelArrays } | null {
  const now = useSignal<{ model: Model; arrays: ModelArrays } | null>(null)
  const rev = m?.view.info.value.model ?? 0
  useEffect(() => {
    now.value = null
    if (rev <= 0) return
    let late = false
    const fetch = async (): Promise<void> => {
      const { model: of } = await connection.request('model', { rev })
      const arrays = await modelArrays(of)
      if (!late) now.value = { model: of, arrays }
    }
    fetch().catch(complain)
    return () => void (late = true)
  }, [rev])
  return now.value
}

// ---- plots over time ----------------------------------------------------------------------------

const time = signal(0) // s, that all plots and the view are at

function TimeLine({ f }: { f: PlotFrame }) {
  const x = pixelX(f, time.value)
  return Number.isFinite(x) ? <path data-live class="time-line" d={`M${x.toFixed(1)} ${f.top}V${f.bottom}`} /> : null
}

// names where there is room for them
function Bands({ f, stages, named }: { f: PlotFrame; stages: readonly Stage[]; named: boolean }) {
  let free = -Infinity
  return (
    <>
      {stages.map((s, k) => {
        const [x0, x1] = [pixelX(f, s.from), pixelX(f, s.to)]
        const fits = named && x1 - x0 > 7 * s.name.length && x0 > free
        if (fits) free = x0 + 7 * s.name.length
        return (
          <g key={k} class={`stage-band k${s.kind}`}>
            <rect x={x0} y={f.top} width={Math.max(x1 - x0, 0.5)} height={f.bottom - f.top} />
            <path d={`M${x0} ${f.top}V${f.bottom}`} />
            {fits && (
              <text class="tick haloed" x={x0 + 4} y={f.top + 12}>
                {s.name}
              </text>
            )}
          </g>
        )
      })}
    </>
  )
}

const stageWords = ['', 'on the ground before it leaves', 'in the air, by finite elements', 'in rigid flight', 'landing and bounces']

function StageLegend({ stages }: { stages: readonly Stage[] }) {
  const there = ([1, 2, 3, 4] as const).filter((k) => stages.some((s) => s.kind === k))
  if (there.length === 0) return null
  return (
    <p class="stage-legend">
      {there.map((k) => (
        <span key={k} class={`k${k}`}>
          {stageWords[k]}
        </span>
      ))}
    </p>
  )
}

function Over({ name, title, ylabel, series, stages, length, least, seek }: { name: string; title: string; ylabel: string; series: readonly PlotSeries[]; stages: readonly Stage[]; length?: string | null; least?: number; seek: (t: number) => void }) {
  if (series.length === 0) return null
  return (
    <Plot
      name={name} title={title} xlabel="time (s)" ylabel={ylabel} length={length ?? null} least={least ?? 0} height={206}
      series={series.length === 1 ? [{ ...series[0]!, name: null }] : series}
      onHover={(at) => at && seek(series[at.s]!.xy[2 * at.i]!)}
    >
      {(f) => (
        <>
          <Bands f={f} stages={stages} named />
          <TimeLine f={f} />
        </>
      )}
    </Plot>
  )
}

function Plots({ table, of, name, seek }: { table: Columns; of: Model | null; name: string; seek: (t: number) => void }) {
  const p = useMemo(() => {
    const up = upOf(of?.gravity ?? [], of?.dim ?? 3)
    return { stages: stagesOf(table), height: heights(table, up, (of?.watched ?? []).map((w) => w.name)), force: forces(table), energy: energies(table), turn: turns(table) }
  }, [table, of])
  const common = { stages: p.stages, seek }
  return (
    <>
      <StageLegend stages={p.stages} />
      <Over name={`${name}-height`} title={p.height.length === 1 ? `height, ${p.height[0]!.name}` : 'height'} ylabel="height (m)" series={p.height} length={of?.length.unit ?? 'm'} {...common} />
      <Over name={`${name}-force`} title={p.force.length === 1 ? `force of ${p.force[0]!.name}` : 'forces of obstacles'} ylabel="normal force (N)" series={p.force} {...common} />
      <Over name={`${name}-energy`} title="energy" ylabel="energy (J)" series={p.energy} {...common} />
      <Over name={`${name}-turn`} title="turns about the main axis" ylabel="turns" series={p.turn} least={0.01} {...common} />
    </>
  )
}

// ---- the view -----------------------------------------------------------------------------------

const rates = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1] // of true time

const rateFor = (duration: number): number => rates.find((r) => duration / r < 6) ?? 1

/** Plays at a part of true time. */
function setRate(v: Viewer, rate: number): void {
  const { shown, duration } = v.player
  if (duration > 0) v.setSpeed((rate * shown) / duration)
}

function PlayBar({ viewer: v, playing, phase, name }: { viewer: Viewer; playing: boolean; phase: number; name: string }) {
  const rate = useSignal(rateFor(v.player.duration))
  const trails = useSignal(false)
  const busy = useSignal(false)
  const frames = (): void => {
    busy.value = true
    v.frames(60).then((b) => saveBlob(b, `${name}-frames.zip`), complain).finally(() => (busy.value = false))
  }
  return (
    <div class="play-controls" role="group" aria-label="motion">
      <button class="plain" aria-label={playing ? 'pause' : 'play'} title={playing ? 'Pause (Space)' : 'Play (Space)'} onClick={() => (playing ? v.pause() : v.play())}>
        <Icon name={playing ? 'pause' : 'play'} size={18} fill={!playing} />
      </button>
      <input type="range" min="0" max="1" step="0.001" value={phase} aria-label="time" aria-valuetext={`${general(v.player.time, 4)} s`} onInput={(e) => (v.pause(), v.setPhase(Number(e.currentTarget.value)))} />
      <span class="told">{general(v.player.time, 4)} s</span>
      <select aria-label="speed" title="Of true time" value={String(rate.value)} onChange={(e) => ((rate.value = Number(e.currentTarget.value)), setRate(v, rate.value))}>
        {rates.map((r) => (
          <option key={r} value={String(r)}>
            {r === 1 ? 'true time' : `×${r}`}
          </option>
        ))}
      </select>
      <button class="plain small" aria-pressed={trails.value} title="Earlier moments, faintly" onClick={() => ((trails.value = !trails.value), v.setOnion(trails.value ? 9 : 0))}>
        moments
      </button>
      <button class="plain small" disabled={busy.value} title="Save 60 pictures for a film" aria-label="save pictures for a film" onClick={frames}>
        <Icon name="film" size={18} />
      </button>
    </div>
  )
}

interface Now {
  phase: number
  playing: boolean
}

// what drives it is let go of
const plain = (v: Viewer): void => v.setOverlays({ drives: false, loads: false })

function useFilm(v: Viewer | null, m: Motion, of: { arrays: ModelArrays } | null): { film: Of<'film'> | null; first: number; last: number } {
  const film = itemOf(m, 'film')
  const ends = useSignal({ first: 0, last: 0 })
  useEffect(() => {
    if (!v || !of || !film) return
    let late = false
    const play = async (): Promise<void> => {
      const [t, x] = await Promise.all([connection.floats(film.time), connection.floats(film.x)])
      if (late) return
      v.setModel(of.arrays)
      plain(v)
      v.playFilm({ time: t, x })
      setRate(v, rateFor(v.player.duration))
      ends.value = { first: t[0] ?? 0, last: t[t.length - 1] ?? 0 }
    }
    play().catch(complain)
    return () => void (late = true)
  }, [v, of, film])
  return { film, ...ends.value }
}

// states as they come, or the model before there are any
function useLive(v: Viewer | null, m: Motion, of: { arrays: ModelArrays } | null, film: boolean): boolean {
  const frame = m.view.frame.value
  const live = m.view.info.value.state === 'running' && !film && frame !== null
  useEffect(() => {
    if (!v || !of || film) return
    v.setModel(of.arrays)
    plain(v)
  }, [v, of, film])
  useEffect(() => {
    if (!v || !of || !live || frame.x.length !== of.arrays.x.length) return
    v.live(frame.x, frame.time)
    time.value = frame.time
  }, [v, of, live, frame])
  return live
}

function View({ m, of, table, seeker }: { m: Motion; of: { arrays: ModelArrays } | null; table: Columns | null; seeker: Signal<(t: number) => void> }) {
  const now = useSignal<Now>({ phase: 0, playing: false })
  const [own, v] = useViewer({
    label: 'the jump',
    onTime: (t) => {
      time.value = t.time
      now.value = { phase: t.phase, playing: t.playing }
    },
  })
  const { film, first, last } = useFilm(v, m, of)
  const live = useLive(v, m, of, film !== null)
  useEffect(() => {
    if (v && of && table) v.setLines([centrePath(table, 400)])
  }, [v, of, film, last, table])
  useEffect(() => {
    seeker.value = (t) => {
      time.value = t
      if (!v || !film) return
      v.pause()
      v.setPhase(phaseAt(t, first, last))
    }
  }, [v, film, first, last])
  return (
    <div class="jump-view">
      <div class="stage-place">
        <div class="viewer-place" ref={own} />
        {m.view.info.value.model <= 0 && ended(m.view.info.value) && <p class="page mute">The scene of this run could not be read, so that it is not shown.</p>}
        {live && <span class="live-lamp">live, {seconds(time.value)}</span>}
      </div>
      {v && film && last > first && <PlayBar key={m.key} viewer={v} playing={now.value.playing} phase={now.value.phase} name={m.name} />}
    </div>
  )
}

// ---- figures ------------------------------------------------------------------------------------

function told(l: Line, length: Model['length'] | undefined): string {
  if (typeof l.value === 'boolean') return l.value ? 'yes' : 'no'
  if (typeof l.value === 'string') return minus(l.value)
  if (l.unit === 'm' && length) return `${general(l.value / length.si, 4)} ${length.unit}`
  return `${general(l.value, l.unit === 'J' ? 3 : 4)} ${l.unit}`.trim()
}

function Lines({ title, list, length }: { title: string; list: readonly Line[]; length?: Model['length'] | undefined }) {
  if (list.length === 0) return null
  return (
    <table class="jump-figures">
      <caption>{title}</caption>
      <tbody>
        {list.map((l) => (
          <tr key={l.name}>
            <th scope="row">{l.name}</th>
            <td>{told(l, length)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Figures({ m, of }: { m: Motion; of: Model | null }) {
  const item = m.view.items.value.find((i): i is Of<'figures'> => i.kind === 'figures' && i.analysis === m.name)
  if (!item) return null
  return (
    <div class="jump-foot" role="region" aria-label="figures of the jump" tabIndex={0}>
      <Lines title="outcome" list={outcome(item.figures)} length={of?.length} />
      <div>
        <Lines title="energy" list={ledger(item.figures)} />
        <Lines title="audit" list={audit(item.figures)} />
      </div>
    </div>
  )
}

// ---- the screen ---------------------------------------------------------------------------------

function RunOne() {
  const m = chosen.value
  const list = wanted.value
  if (m && !ended(m.view.info.value)) {
    const done = m.view.progress.value?.done ?? 0
    return (
      <span class="working">
        <span class="meter" aria-hidden="true">
          <i style={{ width: `${Math.round(100 * Math.max(done, 0.03))}%` }} />
        </span>
        <button class="small" onClick={() => void cancelRun(m.view.info.value.run)}>
          <Icon name="stop" size={14} fill /> Stop
        </button>
      </span>
    )
  }
  const can = path.value !== '' && !failed.value && connection.status.value === 'open'
  const run = async (name: string): Promise<void> => {
    const started = await runScene(name)
    if (started === null) return
    current.value = started
    pinned.value = ''
  }
  return (
    <>
      {list.map((a) => (
        <button key={a.name} class="primary small" disabled={!can} onClick={() => void run(a.name)}>
          <Icon name="play" size={13} fill /> Run {a.name}
        </button>
      ))}
    </>
  )
}

function Which() {
  const list = motions.value
  const m = chosen.value
  if (!m) return null
  return (
    <label>
      <span class="mute">motion</span>
      <select value={m.key} onChange={(e) => (pinned.value = e.currentTarget.value === list[0]?.key ? '' : e.currentTarget.value)}>
        {list.map((k) => (
          <option key={k.key} value={k.key}>
            {k.label}
          </option>
        ))}
      </select>
    </label>
  )
}

function Begin() {
  return (
    <div class="page centre begin">
      <h2>Jump</h2>
      {wanted.value.length > 0 ? (
        <>
          <p class="mute">Run it to see it leave the ground, fly and land: live, then as slowly as you like.</p>
          <div class="ask">
            <RunOne />
          </div>
        </>
      ) : (
        <>
          <p class="mute">Open a scene with a jump, for instance the flipper.</p>
          <button class="primary" onClick={() => show('gallery')}>
            <Icon name="gallery" size={18} /> Gallery
          </button>
        </>
      )}
    </div>
  )
}

export function JumpScreen() {
  const m = chosen.value
  const table = useTable(m)
  const of = useModel(m)
  const seeker = useSignal<(t: number) => void>(() => {})
  if (!m) return <Begin />
  return (
    <div class="jump-bench">
      <div class="response-head">
        <Which />
        <span class="gap" />
        <RunOne />
      </div>
      <View key={m.key} m={m} of={of} table={table} seeker={seeker} />
      <div class="jump-plots">
        {table ? <Plots table={table} of={of?.model ?? null} name={m.name} seek={(t) => seeker.peek()(t)} /> : <p class="mute">{ended(m.view.info.value) ? 'This run has no table of the motion.' : 'waits for the first steps …'}</p>}
      </div>
      <Figures m={m} of={of?.model ?? null} />
    </div>
  )
}
