import { computed, signal } from '@preact/signals'
import { seconds, general } from '../format'
import { Icon } from '../icons'
import { Report } from '../items'
import type { Hello } from '../protocol'
import { ended, findRun, runs } from '../runs'
import type { RunView } from '../runs'
import { complain, connection, hello } from '../state'

interface Score {
  protocol: string
  model: string
  verdict: string // OK, KO, or none
  as_expected: boolean
  worst_error: number | null
  worst_at: number | null
  bar: number
  seconds: number
  quick: boolean
  run: number
}

const quick = signal(true)
const looked = signal(0) // number of the run beside the table
const asked = signal<ReadonlyMap<string, number>>(new Map()) // runs by protocol and model

const key = (protocol: string, model?: string): string => `${protocol}/${model ?? ''}`

// the newest score of every model
const scores = computed(() => {
  const out = new Map<string, Score>()
  for (const r of runs.value)
    for (const i of r.items.value) {
      if (i.kind !== 'figures' || i.analysis !== 'validation') continue
      const all = i.figures as { quick?: boolean; scores?: Omit<Score, 'quick' | 'run'>[] }
      for (const s of all.scores ?? []) out.set(key(s.protocol, s.model), { ...s, quick: all.quick ?? false, run: r.info.value.run })
    }
  return out
})

async function validate(protocol: string, model?: string): Promise<void> {
  try {
    const { run } = await connection.request('validate', { protocol, quick: quick.value, ...(model ? { model } : {}) })
    asked.value = new Map(asked.value).set(key(protocol, model), run)
    looked.value = run
  } catch (e) {
    complain(e)
  }
}

/** The run of a question that has not been answered yet. */
function atWork(protocol: string, model: string): RunView | null {
  for (const k of [key(protocol, model), key(protocol), key('all')]) {
    const run = findRun(asked.value.get(k) ?? 0)
    if (run && !ended(run.info.value)) return run
  }
  return null
}

function Verdict({ s, waits }: { s: Score | undefined; waits: RunView | null }) {
  if (waits) return <span class="verdict waits">{waits.info.value.state === 'running' ? 'at work' : 'waits'}</span>
  if (!s) return <span class="verdict none">not run</span>
  const ok = s.verdict === 'OK'
  const cls = s.as_expected ? (ok ? 'good' : 'meant') : 'bad'
  const word = ok || s.verdict === 'KO' ? s.verdict : 'not judged'
  return (
    <span class={`verdict ${cls}`} title={s.as_expected ? (ok ? 'passes' : 'fails, as it must: a negative control') : 'a surprise'}>
      {word}
      {!ok && s.as_expected && word === 'KO' ? ', as expected' : ''}
    </span>
  )
}

const percent = (v: number): string => `${general(100 * v, 3)} %`

function ModelRow({ protocol, model }: { protocol: string; model: string }) {
  const s = scores.value.get(key(protocol, model))
  const waits = atWork(protocol, model)
  return (
    <tr aria-current={s && s.run === looked.value ? 'true' : undefined}>
      <th scope="row">{model}</th>
      <td>
        <Verdict s={s} waits={waits} />
      </td>
      <td class="n">{s?.worst_error != null ? percent(s.worst_error) : ''}</td>
      <td class="n">{s ? percent(s.bar) : ''}</td>
      <td class="n">{s ? seconds(s.seconds) : ''}</td>
      <td class="acts">
        {s && (
          <button class="plain small" onClick={() => (looked.value = s.run)} aria-label={`look at ${model} of ${protocol}`}>
            Look
          </button>
        )}
        <button class="small" disabled={waits !== null} onClick={() => void validate(protocol, model)} aria-label={`run ${model} of ${protocol}`}>
          Run
        </button>
      </td>
    </tr>
  )
}

function Protocol({ p }: { p: Hello['protocols'][number] }) {
  return (
    <section class="protocol" aria-label={p.name}>
      <div class="section-head">
        <div>
          <h3>{p.name}</h3>
          <p class="mute">{p.text}</p>
        </div>
        <button class="small" onClick={() => void validate(p.name)} aria-label={`run all models of ${p.name}`}>
          <Icon name="play" size={14} fill /> All
        </button>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">model</th>
            <th scope="col">verdict</th>
            <th scope="col" class="n">
              worst error
            </th>
            <th scope="col" class="n">
              bar
            </th>
            <th scope="col" class="n">
              time
            </th>
            <th scope="col">
              <span class="unseen">what to do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {p.models.map((m) => (
            <ModelRow key={m} protocol={p.name} model={m} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Beside() {
  const run = findRun(looked.value)
  if (!run)
    return (
      <div class="report hint">
        <p class="mute">Run a model, and its points beside the curve that is right are shown here.</p>
      </div>
    )
  return (
    <article class="report" aria-label={run.info.value.label}>
      <h2>{run.info.value.label}</h2>
      {!ended(run.info.value) && <p class="mute">{run.progress.value?.text ?? 'at work …'}</p>}
      <Report run={run} />
    </article>
  )
}

function Tally() {
  const all = [...scores.value.values()]
  if (all.length === 0) return null
  const surprises = all.filter((s) => !s.as_expected).length
  return (
    <p class="tally">
      <span class={`lamp ${surprises ? 'bad' : 'good'}`} aria-hidden="true" /> {all.length} judged, {surprises === 0 ? 'all as expected' : `${surprises} not as expected`}
    </p>
  )
}

export function Validate() {
  const list = hello.value?.protocols ?? []
  return (
    <div class="validate-bench">
      <div class="protocols">
        <div class="section-head">
          <div>
            <h2>Validation</h2>
            <p class="mute">Models against curves that are known to be right.</p>
          </div>
          <label class="switch">
            <input type="checkbox" checked={!quick.value} onChange={(e) => (quick.value = !e.currentTarget.checked)} /> full
          </label>
          <button onClick={() => void validate('all')}>
            <Icon name="play" size={14} fill /> Run all
          </button>
        </div>
        <Tally />
        {list.map((p) => (
          <Protocol key={p.name} p={p} />
        ))}
      </div>
      <div class="run-document">
        <Beside />
      </div>
    </div>
  )
}
