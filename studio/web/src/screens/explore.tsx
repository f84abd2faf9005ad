import { computed, useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { BeginMotion, Failure, Progress } from '../begin_motion'
import { Compare } from '../compare'
import * as x from '../explore'
import { fixed, general } from '../format'
import { Icon } from '../icons'
import { shortcuts } from '../keys'
import { MotionView } from '../motion_view'
import { PathPlot } from '../path_plot'
import type { PathLine } from '../path_plot'
import { trustOf } from '../predict'
import { failed, model, path } from '../scene'
import { Slider } from '../slider'
import { screen, show } from '../state'

// ---- trust --------------------------------------------------------------------------------------

const percent = (v: number): string => (v < 0.001 ? 'less than 0.1 %' : `about ${general(100 * v, 2)} %`)

function trustWords(): { level: string; words: string } {
  const w = x.work.value
  if (w?.what === 'commit') return { level: 'unknown', words: 'solving the motion there …' }
  if (w?.what === 'undo') return { level: 'unknown', words: 'going back …' }
  if (!x.moved.value) return { level: 'solved', words: 'this motion is solved' }
  const t = x.trust.value
  const level = trustOf(t)
  if (level === 'unknown') return { level, words: 'predicted; how well is being estimated …' }
  const off = t === null || t === undefined || t > 2 ? 'the change is too large to predict' : `${percent(t)} of the motion off`
  return { level, words: { good: `good: ${off}`, fair: `rough: ${off}`, poor: `poor: ${off}. Commit to see the true motion.` }[level] }
}

/** How far a prediction can be believed: a needle over green, amber and red, and words. */
function TrustMeter() {
  const { level, words } = trustWords()
  const t = x.trust.value
  // by ratios, from 0.1 % to 100 %
  const place = t === null ? 1 : t === undefined ? 0 : Math.min(Math.max((Math.log10(Math.max(t, 1e-9)) + 3) / 3, 0), 1)
  const known = level !== 'unknown' && level !== 'solved'
  return (
    <div class={`trust ${level}`}>
      <span class="scale" aria-hidden="true">
        <i class="good" />
        <i class="fair" />
        <i class="poor" />
        {known && <b style={{ left: `${100 * place}%` }} />}
      </span>
      <span class="words" role="status">
        {words}
      </span>
    </div>
  )
}

// ---- what it does -------------------------------------------------------------------------------

function Amplitudes({ chosen, choose }: { chosen: number; choose: (k: number) => void }) {
  const b = x.base.value!
  const unit = x.model.value?.length ?? { unit: 'm', si: 1 }
  const guess = x.guess.value
  const last = x.last.value
  return (
    <table class="amplitudes">
      <caption class="mute">path length a period ({unit.unit})</caption>
      <thead>
        <tr>
          <th scope="col">watched</th>
          <th scope="col">solved</th>
          <th scope="col">predicted</th>
          <th scope="col">change</th>
          {last && <th scope="col">last prediction</th>}
        </tr>
      </thead>
      <tbody>
        {b.explored.watched.map((w, k) => {
          const p = guess?.paths[k]
          return (
            <tr key={w.name} class={k === chosen ? 'chosen' : ''}>
              <th scope="row">
                <button class="plain small" aria-pressed={k === chosen} onClick={() => choose(k)}>
                  {w.name}
                </button>
              </th>
              <td class="solved" data-solved={w.amplitude}>
                {general(w.amplitude / unit.si, 5)}
              </td>
              <td class="predicted" data-predicted={p ?? ''}>
                {p === undefined ? '' : general(p / unit.si, 5)}
              </td>
              <td>{p === undefined ? '' : `${p >= w.amplitude ? '+' : ''}${fixed(100 * (p / w.amplitude - 1), 1)} %`}</td>
              {last && <td class="mute">{general((last.paths[k] ?? 0) / unit.si, 5)}</td>}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function ErrorOfLast() {
  const b = x.base.value!
  const e = b.explored.predictionError
  if (e === null) return null
  return (
    <p class="mute told" role="status">
      Step {b.explored.step} is solved{b.explored.fresh ? ', from rest, as the motion could not be followed' : ''}: the prediction was{' '}
      <b data-error={e}>{general(100 * e, 2)} %</b> of the motion off.
    </p>
  )
}

function Plots({ chosen }: { chosen: number }) {
  const b = x.base.value!
  const unit = x.model.value?.length ?? { unit: 'm', si: 1 }
  const guess = x.guess.value
  const last = x.last.value
  const poor = trustOf(x.trust.value) === 'poor'
  const order = [chosen, ...b.explored.watched.map((_, k) => k).filter((k) => k !== chosen)].slice(0, 3)
  return (
    <div class="path-plots">
      {order.map((k) => {
        const w = b.explored.watched[k]!
        const lines: PathLine[] = [{ name: 'solved', motion: b.motion, style: 'solved' }]
        if (guess) lines.push({ name: 'predicted', motion: guess.motion, style: poor ? 'poor' : 'predicted' })
        else if (last) lines.push({ name: 'was predicted', motion: last.motion, style: 'before' })
        return <PathPlot key={w.name} node={w.node} lines={lines} unit={unit} label={w.name} />
      })}
    </div>
  )
}

// ---- sliders ------------------------------------------------------------------------------------

const rangeOf = (k: number): number => {
  const p = x.base.value!.explored.parameters[k]!
  const width = (p.max ?? Infinity) - (p.min ?? -Infinity)
  return Number.isFinite(width) ? width : Math.abs(p.value) || 1
}

/** Drawn anew where its own value changes. */
function OneSlider({ k, watched: w, effect, most }: { k: number; watched: x.Base['explored']['watched'][number] | undefined; effect: number; most: number }) {
  const p = x.base.value!.explored.parameters[k]!
  const value = useComputed(() => x.values.value[k])
  const unit = x.model.value?.length ?? { unit: 'm', si: 1 }
  return (
    <Slider
      name={p.name}
      unit={p.unit}
      factor={p.factor}
      value={value.value ?? p.value}
      mark={p.value}
      range={x.ranges.value[k]!}
      least={p.min}
      most={p.max}
      bar={effect / most}
      barText={`${w?.name ?? ''}: ${general(((w?.gradient[k] ?? 0) * p.factor) / unit.si, 3)} ${unit.unit}${p.unit ? ` per ${p.unit}` : ''}; times its range ${general(effect / unit.si, 3)} ${unit.unit}`}
      change={(v) => x.setValue(k, v)}
      setRange={(r) => x.setRange(k, r)}
    />
  )
}

function Sliders({ chosen }: { chosen: number }) {
  const b = x.base.value!
  const w = b.explored.watched[chosen]
  const effects = b.explored.parameters.map((_, k) => (w?.gradient[k] ?? 0) * rangeOf(k))
  const most = Math.max(...effects.map(Math.abs), 1e-300)
  const own = (p: { name: string }): number => (p.name === 'frequency' ? 0 : 1)
  const order = b.explored.parameters.map((p, k) => ({ p, k })).sort((a, c) => own(a.p) - own(c.p))
  return (
    <ul class="sliders">
      {order.map(({ p, k }) => (
        <OneSlider key={p.name} k={k} watched={w} effect={effects[k]!} most={most} />
      ))}
    </ul>
  )
}

/** Changes along the gradient of a path and against it, of the chosen parameters; null: not known yet. */
function useWays(b: x.Base, name: string, taken: readonly boolean[]): { up: number[]; down: number[] } | null {
  const ways = useSignal<{ up: number[]; down: number[] } | null>(null)
  useEffect(() => {
    let live = true
    ways.value = null
    const list = taken.flatMap((on, k) => (on ? [k] : []))
    if (list.length === 0 || !name) return
    void Promise.all([x.direction(name, list, false), x.direction(name, list, true)]).then(([up, down]) => {
      if (live && up && down) ways.value = { up, down }
    })
    return () => void (live = false)
  }, [b, name, taken.join()])
  return ways.value
}

/** One slider for several parameters: along the gradient of a watched path, or against it. */
function Compound({ chosen }: { chosen: number }) {
  const b = x.base.value!
  const taken = useSignal<readonly boolean[]>(b.explored.parameters.map((p) => p.name !== 'frequency'))
  const place = useSignal(0)
  const name = b.explored.watched[chosen]?.name ?? ''
  const ways = useWays(b, name, taken.value)
  const drag = (t: number): void => {
    const dx = t >= 0 ? ways?.up : ways?.down
    if (!dx) return
    place.value = t
    x.values.value = b.explored.parameters.map((p, k) => Math.min(Math.max(p.value + Math.abs(t) * dx[k]!, p.min ?? -Infinity), p.max ?? Infinity))
  }
  // all of them back where they were
  if (place.value !== 0 && !x.moved.value) place.value = 0
  return (
    <section class="compound" aria-label="along the gradient">
      <h3>
        Along the gradient <small>of {name}: more or less of its path at once</small>
      </h3>
      <div class="track">
        <span class="mark" style={{ '--at': 0.5 }} aria-hidden="true" />
        <input type="range" min="-0.5" max="0.5" step="0.001" value={place.value} disabled={!ways} aria-label={`less or more path of ${name}`} aria-valuetext={`${general(100 * place.value, 3)} % of the ranges`} onInput={(e) => drag(Number(e.currentTarget.value))} />
      </div>
      <details>
        <summary>
          of {taken.value.filter(Boolean).length} of {taken.value.length} parameters
        </summary>
        <div class="choices">
          {b.explored.parameters.map((p, k) => (
            <label class="check" key={p.name}>
              <input type="checkbox" checked={taken.value[k]} onChange={(e) => (taken.value = taken.value.map((on, i) => (i === k ? e.currentTarget.checked : on)))} /> {p.name}
            </label>
          ))}
        </div>
      </details>
    </section>
  )
}

// ---- steps --------------------------------------------------------------------------------------

function Steps() {
  const b = x.base.value!
  const busy = x.work.value !== null
  const poor = x.moved.value && trustOf(x.trust.value) === 'poor'
  return (
    <div class="steps">
      <button class={`primary ${poor ? 'offered' : ''}`} disabled={busy || !x.moved.value} onClick={() => void x.commit()} title="Solve the motion there (c)">
        Commit
      </button>
      <button disabled={busy || b.explored.step === 0} onClick={() => void x.undo()} title="Back to the last step (u)">
        Undo
      </button>
      <button disabled={busy || !x.moved.value} onClick={x.reset} title="All sliders back to the solved motion (r)">
        Reset
      </button>
      <span class="mute step">step {b.explored.step}</span>
    </div>
  )
}

function Outdated() {
  if (!x.outdated.value) return null
  return (
    <div class="outdated" role="status">
      <span>The scene has changed since.</span>
      <button class="small" disabled={failed.value || x.work.value !== null} onClick={() => void x.begin()}>
        Explore it anew
      </button>
    </div>
  )
}

// ---- the screen ---------------------------------------------------------------------------------

function Begin() {
  const m = model.value
  return (
    <div class="page centre begin">
      <h2>Explore</h2>
      {!path.value && (
        <>
          <p class="mute">Open a scene with parameters and a drive that oscillates, for instance the three-link leg.</p>
          <button class="primary" onClick={() => show('gallery')}>
            <Icon name="gallery" size={18} /> Gallery
          </button>
        </>
      )}
      {path.value && (
        <>
          <p class="mute">
            Move sliders of {m?.parameters.length ?? 0} {m?.parameters.length === 1 ? 'parameter' : 'parameters'} and see at once what the steady motion does, to first order; commit to see the true one.
          </p>
          <BeginMotion icon="explore" words={`Explore ${path.value.split('/').pop()}`} />
        </>
      )}
    </div>
  )
}

const ghost = computed(() => x.guess.value?.motion ?? x.last.value?.motion ?? null)
/** What the second motion of the view is; it changes seldom while a slider moves. */
const ghostIs = computed(() => (x.guess.value ? (trustOf(x.trust.value) === 'poor' ? 'poor' : 'predicted') : x.last.value ? 'before' : null))

function View() {
  const b = x.base.value!
  const is = ghostIs.value
  return (
    <div class="explore-view">
      <MotionView label="solved and predicted motion" model={x.arrays.value} motion={b.motion} ghost={ghost} faded={is === 'poor' || is === 'before'} trails={b.explored.watched.map((w) => w.node)} />
      <p class="view-legend" aria-hidden="true">
        <span class="solved">solved</span>
        {is && <span class={is}>{is === 'before' ? 'was predicted' : 'predicted'}</span>}
      </p>
    </div>
  )
}

// nothing here asks for what changes while a slider moves: its parts do
function Workbench() {
  const chosen = useSignal(0)
  const b = x.base.value!
  const k = Math.min(chosen.value, b.explored.watched.length - 1)
  return (
    <div class="explore-bench">
      <h2 class="unseen">Explore</h2>
      <View />
      <div class="explore-side">
        <Outdated />
        <div class="explore-head">
          <TrustMeter />
          <Steps />
          <Progress />
          <Failure />
        </div>
        <div class="explore-scroll">
          <Sliders chosen={k} />
          <Compound key={b.explored.session} chosen={k} />
        </div>
      </div>
      <div class="explore-foot">
        <Plots chosen={k} />
        <div class="explore-numbers">
          <Amplitudes chosen={k} choose={(to) => (chosen.value = to)} />
          <ErrorOfLast />
          <Compare />
        </div>
      </div>
    </div>
  )
}

export function ExploreScreen() {
  return x.base.value && x.session.value ? <Workbench /> : <Begin />
}

const here = (act: () => void) => (): void => {
  if (screen.value === 'explore') act()
}
shortcuts.push(
  { group: 'Explore', key: 'c', text: 'commit: solve the motion there', act: here(() => void x.commit()) },
  { group: 'Explore', key: 'u', text: 'undo the last commit', act: here(() => void x.undo()) },
  { group: 'Explore', key: 'r', text: 'sliders back to the solved motion', act: here(x.reset) },
  { group: 'Explore', key: 'a', text: 'keep this motion as A', act: here(() => x.keep('A')) },
  { group: 'Explore', key: 'b', text: 'keep this motion as B', act: here(() => x.keep('B')) },
)
