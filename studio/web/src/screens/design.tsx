import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import * as d from '../design'
import { general } from '../format'
import { Icon } from '../icons'
import { MotionView } from '../motion_view'
import { PathPlot } from '../path_plot'
import type { PathLine } from '../path_plot'
import { Plot } from '../plot'
import type { Trace } from '../design'
import type { Iterate } from '../runs'
import { failed, path } from '../scene'
import { entryOf, readText } from '../scene_text'
import { text } from '../scene'
import { NumberField } from '../slider'
import { shortcuts } from '../keys'
import { connection, screen, show } from '../state'

// ---- what is wanted -----------------------------------------------------------------------------

function Terms() {
  const list = d.terms.value
  if (d.kind.value !== 'design') return null
  if (list.length === 0) return <p class="mute">This design has no objectives yet.</p>
  return (
    <table class="terms">
      <thead>
        <tr>
          <th scope="col">objective</th>
          <th scope="col">node</th>
          <th scope="col">weight</th>
        </tr>
      </thead>
      <tbody>
        {list.map((t) => (
          <tr key={t.index}>
            <th scope="row">
              {t.kind} <span class="mute">{t.value}</span>
            </th>
            <td class="mute">{t.node}</td>
            <td>
              <NumberField value={t.weight} label={`weight of ${t.kind} ${t.node}`} take={(v) => d.setWeight(t.index, v)} class="short" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

// ---- how it goes --------------------------------------------------------------------------------

const states: Record<string, string> = { queued: 'waits', running: 'runs', done: 'has ended', unsolved: 'has ended without a solution', cancelled: 'was stopped', failed: 'failed' }

function Buttons() {
  const view = d.view.value
  const can = path.value !== '' && !failed.value && d.name.value !== '' && connection.status.value === 'open'
  const info = view?.info.value
  const halted = info?.state === 'cancelled'
  return (
    <div class="steps">
      {d.running.value ? (
        <>
          <button onClick={() => void d.pause()} disabled={d.paused.value === info?.run} title="Stops at the next iterate; it can be gone on with">
            <Icon name="pause" size={16} /> Pause
          </button>
          <button onClick={() => void d.stop()}>
            <Icon name="stop" size={14} fill /> Stop
          </button>
        </>
      ) : (
        <>
          <button class={halted ? '' : 'primary'} disabled={!can} onClick={() => void d.start()} title="From the values of the scene">
            <Icon name="play" size={14} fill /> Start
          </button>
          {halted && info?.folder && (
            <button class="primary" disabled={d.newGoal.value && !can} onClick={() => void d.goOn()} title={d.newGoal.value ? 'From its last iterate, with the objectives and weights as they are now' : 'From where it was paused or stopped'}>
              <Icon name="play" size={14} fill /> {d.newGoal.value ? 'Go on with these weights' : 'Go on'}
            </button>
          )}
        </>
      )}
      <span class="mute step" role="status">
        {info ? (halted && d.paused.value === info.run ? 'paused' : (states[info.state] ?? info.state)) : ''}
        {d.iterates.value.length > 0 ? `, iterate ${d.iterates.value[d.iterates.value.length - 1]!.iteration}` : ''}
      </span>
    </div>
  )
}

function Which() {
  const list = d.choices.value
  if (list.length < 2 && d.names.value.length < 2) return null
  return (
    <div class="which">
      {d.names.value.length > 1 && (
        <label>
          <span class="mute">design</span>
          <select value={d.name.value} onChange={(e) => d.chooseName(e.currentTarget.value)}>
            {d.names.value.map((n) => (
              <option key={n} value={n}>
                {n}
              </option>
            ))}
          </select>
        </label>
      )}
      {list.length > 1 && (
        <label>
          <span class="mute">shown</span>
          <select value={String(d.view.value?.info.value.run ?? 0)} onChange={(e) => d.choose(Number(e.currentTarget.value))}>
            {list.map((r) => (
              <option key={r.info.value.run} value={String(r.info.value.run)}>
                {r.info.value.run} · {r.info.value.label}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}

// what is minimised, by the kind of an analysis
const minimised: Record<string, string> = { search: 'merit', 'fit-response': 'distance from the data', 'fit-damping': 'distance from the data', 'mail-design': 'missed limits, squared' }

function Convergence() {
  const list = d.iterates.value
  const xy = useMemo(() => Float64Array.from(list.flatMap((i) => [i.iteration, i.value ?? NaN])), [list])
  const best = useMemo(() => Float64Array.from(list.filter((i) => i.best).flatMap((i) => [i.iteration, i.value ?? NaN])), [list])
  if (list.length === 0) return <p class="mute">Its iterates are drawn here as they come.</p>
  return (
    <Plot
      name="convergence"
      title="What is minimised"
      xlabel="iteration"
      ylabel={minimised[list[0]!.analysisKind] ?? 'weighted sum'}
      logy={list.every((i) => i.value === null || i.value > 0)}
      series={best.length > 0 ? [{ name: 'all', xy, points: 1, colour: 0 }, { name: 'best so far', xy: best, points: 2, colour: 1 }] : [{ name: null, xy, points: 2, colour: 0 }]}
      height={190}
      chosen={{ s: 0, i: d.at.value }}
      onChoose={(c) => d.pick(c.s === 0 ? c.i : list.findIndex((i) => i.iteration === best[2 * c.i]))}
    />
  )
}

// ---- values -------------------------------------------------------------------------------------

const width = 104
const height = 24

function TraceRow({ t }: { t: Trace }) {
  const lo = t.min ?? Math.min(...t.values)
  const hi = t.max ?? Math.max(...t.values)
  const span = hi - lo || 1
  const n = Math.max(t.values.length - 1, 1)
  const x = (k: number): number => 2 + ((width - 4) * k) / n
  const y = (v: number): number => height - 3 - ((height - 6) * (v - lo)) / span
  const k = d.at.value
  const v = t.values[k] ?? NaN
  const touch = t.min !== null && v <= t.min + 1e-6 * span ? 'at its least' : t.max !== null && v >= t.max - 1e-6 * span ? 'at its most' : ''
  return (
    <tr>
      <th scope="row">{t.name}</th>
      <td>
        <svg class="trace" width={width} height={height} aria-hidden="true">
          <path class="bounds" d={`M0 2.5H${width}M0 ${height - 2.5}H${width}`} />
          <path class="line" d={t.values.map((u, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(u).toFixed(1)}`).join('')} />
          <circle cx={x(k)} cy={y(v)} r="3" />
        </svg>
      </td>
      <td class="value">
        {general(v / t.factor, 4)} <small>{t.unit}</small>
      </td>
      <td class={touch ? 'touch' : 'mute'}>{touch || (t.min !== null && t.max !== null ? `${general(t.min / t.factor, 3)} … ${general(t.max / t.factor, 3)}` : '')}</td>
    </tr>
  )
}

function Values() {
  const i = d.iterate.value
  if (!i) return null
  const last = d.at.value === d.iterates.value.length - 1
  return (
    <>
      <div class="loaded">
        <h3>
          Iterate {i.iteration} <small>{last ? 'the last one' : 'chosen'}</small>
        </h3>
        {!last && (
          <button class="plain small" onClick={() => d.pick(d.iterates.value.length - 1)}>
            to the last
          </button>
        )}
      </div>
      <div class="loads">
        <button class="small" onClick={() => d.writeValues(i)} title="Makes these values those of the scene's text">
          <Icon name="save" size={15} /> Into the scene
        </button>
        {i.orbits.length > 0 && (
          <button class="small" onClick={() => (void d.exploreAt(i), show('explore'))}>
            <Icon name="explore" size={15} /> Explore
          </button>
        )}
        <button class="small" disabled={d.running.value} onClick={() => void d.startFrom(i)} title="A design that begins here, with the weights as they are now">
          <Icon name="play" size={13} fill /> Start from here
        </button>
      </div>
      <table class="traces">
        <caption class="mute">{d.traces.value.some((t) => t.min !== null) ? 'values between their bounds' : 'values'}</caption>
        <tbody>
          {d.traces.value.map((t) => (
            <TraceRow key={t.name} t={t} />
          ))}
        </tbody>
      </table>
      <Reached i={i} />
    </>
  )
}

/** Figures that a search or a design of a material is about. */
function Reached({ i }: { i: Iterate }) {
  const all = Object.entries(i.figures)
  if (i.value === null) return <p class="mute">It failed: one of its figures is not there.</p>
  if (all.length === 0) return null
  return (
    <table class="traces">
      <caption class="mute">what it comes to</caption>
      <tbody>
        {all.map(([name, v]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="value">{v === null ? '' : general(v, 5)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

// ---- motions ------------------------------------------------------------------------------------

function Paths() {
  const now = d.motion.value
  const first = d.first.value
  const m = d.model.value
  if (!now || !m) return null
  const watch = entryOf(readText(text.value), 'watch')?.value
  const goalOf = (name: string): Float64Array | undefined => d.goals.value.get(entryOf(watch, name)?.value?.text ?? name) ?? d.goals.value.get(name)
  return (
    <div class="path-plots">
      {m.watched.slice(0, 3).map((w) => {
        const lines: PathLine[] = []
        if (first && first !== now && d.at.value > 0) lines.push({ name: 'initial', motion: first, style: 'before' })
        lines.push({ name: 'now', motion: now, style: 'solved' })
        const goal = goalOf(w.name)
        if (goal) lines.push({ name: 'target', motion: goal, style: 'target' })
        return <PathPlot key={w.name} node={w.node} lines={lines} unit={m.length} label={w.name} />
      })}
    </div>
  )
}

// ---- the screen ---------------------------------------------------------------------------------

function Begin() {
  return (
    <div class="page centre begin">
      <h2>Design</h2>
      {path.value ? (
        <>
          <p class="mute">This scene has no design. Draw a target for a watched node; it becomes an objective.</p>
          <button class="primary" onClick={() => show('target')}>
            <Icon name="target" size={18} /> Draw a target
          </button>
        </>
      ) : (
        <>
          <p class="mute">Open a scene with a design, for instance the three-link leg.</p>
          <button class="primary" onClick={() => show('gallery')}>
            <Icon name="gallery" size={18} /> Gallery
          </button>
        </>
      )}
    </div>
  )
}

const initial = computed(() => (d.at.value > 0 ? d.first.value : null))

export function DesignScreen() {
  if (d.name.value === '' && !d.view.value) return <Begin />
  const moved = d.at.value > 0
  return (
    <div class="explore-bench design-bench">
      <h2 class="unseen">Design</h2>
      <div class="explore-view">
        <MotionView label="motion of the design" model={d.arrays.value} motion={d.motion.value} ghost={initial} faded />
        <p class="view-legend" aria-hidden="true">
          {d.motion.value && <span class="solved">iterate {d.iterate.value?.iteration}</span>}
          {moved && d.first.value && <span class="before">initial</span>}
        </p>
      </div>
      <div class="explore-side">
        <div class="explore-head">
          <Which />
          <Terms />
          <Buttons />
        </div>
        <div class="explore-scroll">
          <Convergence />
          <Values />
        </div>
      </div>
      {d.motion.value && (
        <div class="explore-foot">
          <Paths />
          <p class="foot-legend">
            <span class="solved">now</span>
            {moved && <span class="before">initial</span>}
            {d.goals.value.size > 0 && <span class="target">target</span>}
          </p>
        </div>
      )}
    </div>
  )
}

const here = (act: () => void) => (): void => {
  if (screen.value === 'design') act()
}
shortcuts.push(
  { group: 'Design', key: 's', text: 'start, or go on', act: here(() => void (d.running.value ? undefined : d.view.value?.info.value.state === 'cancelled' ? d.goOn() : d.start())) },
  { group: 'Design', key: 'p', text: 'pause at the next iterate', act: here(() => void d.pause()) },
  { group: 'Design', key: '[', text: 'the iterate before', act: here(() => d.pick(Math.max(d.at.value - 1, 0))) },
  { group: 'Design', key: ']', text: 'the iterate behind', act: here(() => d.pick(Math.min(d.at.value + 1, d.iterates.value.length - 1))) },
)
