import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { seconds } from '../format'
import { Icon } from '../icons'
import { Report } from '../items'
import { LivePlots } from '../live_plot'
import type { Run } from '../protocol'
import { cancelRun, current, ended, modelOf, resumeRun, runs, shownRun } from '../runs'
import type { RunView } from '../runs'
import { sections } from '../sections'
import { hasStage, Stage } from '../stage'
import { complain, show } from '../state'

const states: Record<Run['state'], string> = { queued: 'waits', running: 'at work', done: 'done', unsolved: 'not converged', cancelled: 'stopped', failed: 'failed' }

/** Seconds of a run, counted on while it works. */
function useClock(run: RunView): number {
  const info = run.info.value
  const tick = useSignal(0)
  const began = useSignal(performance.now())
  useEffect(() => {
    began.value = performance.now()
    if (info.state !== 'running') return
    const timer = setInterval(() => tick.value++, 500)
    return () => clearInterval(timer)
  }, [info])
  void tick.value
  return info.state === 'running' ? info.seconds + (performance.now() - began.value) / 1000 : info.seconds
}

function Lamp({ state }: { state: Run['state'] }) {
  return <span class={`lamp run-${state}`} aria-hidden="true" />
}

function Row({ run }: { run: RunView }) {
  const info = run.info.value
  const time = useClock(run)
  const p = run.progress.value
  return (
    <li>
      <button class="row" aria-current={shownRun.value === run ? 'true' : undefined} onClick={() => (current.value = info.run)}>
        <Lamp state={info.state} />
        <span class="label">{info.label}</span>
        <span class="state">
          {states[info.state]}
          {info.state !== 'queued' && info.kind !== 'results' ? `, ${seconds(time)}` : ''}
        </span>
        {info.state === 'running' && p && (
          <span class="meter" aria-hidden="true">
            <i style={{ width: `${Math.round(100 * p.done)}%` }} />
          </span>
        )}
      </button>
    </li>
  )
}

function List() {
  return (
    <aside class="run-list" aria-label="runs">
      <h2>Runs</h2>
      <ul>
        {[...runs.value].reverse().map((r) => (
          <Row key={r.info.value.run} run={r} />
        ))}
      </ul>
    </aside>
  )
}

function ProgressLine({ run }: { run: RunView }) {
  const p = run.progress.value
  const time = useClock(run)
  if (run.info.value.state !== 'running') return null
  const done = Math.round(100 * (p?.done ?? 0))
  return (
    <div class="progress-line">
      <div class="meter wide" role="progressbar" aria-label={p?.what ?? 'run'} aria-valuemin={0} aria-valuemax={100} aria-valuenow={done}>
        <i style={{ width: `${done}%` }} />
      </div>
      <p>
        <b>{p?.what ?? 'beginning'}</b> {p?.text} <span class="gap" />
        {seconds(time)}
        {p?.left != null && `, about ${seconds(p.left)} left`}
      </p>
    </div>
  )
}

function Head({ run }: { run: RunView }) {
  const info = run.info.value
  const resumable = info.kind === 'scene' && (info.state === 'cancelled' || info.state === 'unsolved' || info.state === 'failed')
  const parts = sections(run.items.value).filter((s) => s.name)
  return (
    <header class="run-head">
      <div class="line">
        <h2>{info.label}</h2>
        <span class={`badge run-${info.state}`}>{states[info.state]}</span>
        <span class="gap" />
        {!ended(info) && (
          <button onClick={() => void cancelRun(info.run)} title="Stop (Ctrl-.)">
            <Icon name="stop" size={16} /> Stop
          </button>
        )}
        {resumable && (
          <button onClick={() => void resumeRun(info.run)}>
            <Icon name="play" size={16} /> Go on
          </button>
        )}
      </div>
      <ProgressLine run={run} />
      {info.folder && ended(info) && <p class="mute folder">Files are in {info.folder}</p>}
      {parts.length > 1 && (
        <nav class="parts" aria-label="analyses">
          {parts.map((s) => (
            <a key={s.name} href={`#run-${s.name}`} onClick={(e) => (e.preventDefault(), document.getElementById(`run-${s.name}`)?.scrollIntoView())}>
              {s.name}
            </a>
          ))}
        </nav>
      )}
    </header>
  )
}

/** The unit that lengths of a run are shown in; null: by the figures. */
function useLength(run: RunView): string | null {
  const unit = useSignal<string | null>(null)
  const rev = run.info.value.model
  useEffect(() => {
    if (rev > 0) modelOf(rev).then((m) => (unit.value = m.length.unit), complain)
  }, [rev])
  return unit.value
}

function Document({ run }: { run: RunView }) {
  const info = run.info.value
  const length = useLength(run)
  return (
    <article class="report" aria-label={info.label}>
      <Head run={run} />
      {info.state === 'queued' && <p class="mute">It begins when the run before it has ended.</p>}
      {!ended(info) &&
        run.tables.value.map((t) => <LivePlots key={t.name} table={t} length={length} />)}
      <Report run={run} />
    </article>
  )
}

export function RunsScreen() {
  const run = shownRun.value
  if (!run)
    return (
      <div class="page centre">
        <h2>Nothing has run yet</h2>
        <p class="mute">Open a scene and press Run, or open a folder of results in the gallery.</p>
        <button class="primary" onClick={() => show('scene')}>
          <Icon name="scene" size={18} /> Scene
        </button>
      </div>
    )
  return (
    <div class={`runs-bench ${hasStage(run) ? '' : 'flat'}`}>
      <List />
      <div class="run-document">
        <Document key={run.info.value.run} run={run} />
      </div>
      {hasStage(run) && (
        <div class="run-stage">
          <Stage key={run.info.value.run} run={run} />
        </div>
      )}
    </div>
  )
}
