import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { CurvePlot } from '../curve_plot'
import type { Measured } from '../curve_plot'
import { columnOf, measuredOf, quantities, quantityWords } from '../curves'
import { begin } from '../explore'
import { general } from '../format'
import { Icon } from '../icons'
import { MotionView } from '../motion_view'
import * as r from '../response'
import { cancelRun, current, findRun } from '../runs'
import { failed, model, path, runScene } from '../scene'
import { NumberField } from '../slider'
import { complain, connection, show } from '../state'

async function run(): Promise<void> {
  const started = await runScene(r.analysis.value || undefined)
  if (started === null) return
  current.value = started
  r.choose('')
}

// ---- head ---------------------------------------------------------------------------------------

function Which() {
  const list = r.choices.value
  const now = r.chosen.value
  if (!now) return null
  return (
    <>
      <label>
        <span class="mute">curve</span>
        <select value={r.choiceKey(now)} onChange={(e) => r.choose(e.currentTarget.value)}>
          {list.map((c) => (
            <option key={r.choiceKey(c)} value={r.choiceKey(c)}>
              {c.label}
            </option>
          ))}
        </select>
      </label>
      {list.length > 1 && (
        <label>
          <span class="mute">beside</span>
          <select value={r.beside.value ? r.choiceKey(r.beside.value) : ''} onChange={(e) => r.chooseBeside(e.currentTarget.value)}>
            <option value="">none</option>
            {list
              .filter((c) => c !== now)
              .map((c) => (
                <option key={r.choiceKey(c)} value={r.choiceKey(c)}>
                  {c.label}
                </option>
              ))}
          </select>
        </label>
      )}
    </>
  )
}

function RunOne() {
  const now = r.chosen.value
  const busy = now && r.growing.value
  const can = path.value !== '' && !failed.value && r.analysis.value !== '' && connection.status.value === 'open'
  const progress = now && findRun(now.run)?.progress.value
  if (busy)
    return (
      <span class="working">
        <span class="meter" aria-hidden="true">
          <i style={{ width: `${Math.round(100 * Math.max(progress?.done ?? 0, 0.03))}%` }} />
        </span>
        <button class="small" onClick={() => void cancelRun(now.run)}>
          <Icon name="stop" size={14} fill /> Stop
        </button>
      </span>
    )
  return (
    <button class="primary small" disabled={!can} onClick={() => void run()}>
      <Icon name="play" size={14} fill /> Run {r.analysis.value || 'response'}
    </button>
  )
}

/** Measured points from a file of the user's. */
function Import({ take }: { take: (m: Measured[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const load = async (): Promise<void> => {
    const all: Measured[] = []
    for (const f of input.current?.files ?? []) {
      const list = measuredOf(await f.text(), r.unit.value.si)
      all.push(...list.map((s) => ({ ...s, name: `${f.name}: ${s.name}` })))
    }
    if (input.current) input.current.value = ''
    if (all.length === 0) throw new Error('no column of frequencies with amplitudes was found: name them as frequency_Hz, tip_mm')
    take(all)
  }
  return (
    <>
      <button class="small" onClick={() => input.current?.click()} title="Lay measured points over the curve: a CSV file with columns as frequency_Hz, tip_mm">
        <Icon name="data" size={16} /> Measured …
      </button>
      <input ref={input} type="file" hidden multiple accept=".csv,.txt" aria-label="a file of measured points" onChange={() => void load().catch(complain)} />
    </>
  )
}

// ---- the point that is looked at ----------------------------------------------------------------

function Point({ quantity }: { quantity: string }) {
  const c = r.curve.value
  const point = r.near.value ?? r.kept.value
  const y = c ? columnOf(c, quantity) : -1
  const row = point && c ? c.rows[point.row] : undefined
  const kept = r.kept.value
  return (
    <div class="point">
      <p class="mute" role="status">
        {row && c && point
          ? `${point === kept ? 'kept' : 'looked at'}: ${general(row[0] ?? NaN, 5)} Hz, ${general((row[y] ?? NaN) / r.unit.value.si, 5)} ${r.unit.value.unit}, ${row[columnOf(c, 'stable')] === 0 ? 'unstable' : 'stable'}`
          : 'Point at the curve to see its motion, click to keep it.'}
      </p>
      {kept && (
        <button class="small" onClick={() => (void begin(r.omegaAt(kept.row)), show('explore'))}>
          <Icon name="explore" size={16} /> Explore at {general(r.omegaAt(kept.row) / (2 * Math.PI), 4)} Hz
        </button>
      )}
    </div>
  )
}

// ---- the screen ---------------------------------------------------------------------------------

function Begin() {
  const from = useSignal(1)
  const to = useSignal(10)
  return (
    <div class="page centre begin">
      <h2>Response</h2>
      {!path.value && (
        <>
          <p class="mute">Open a scene with a drive or a load that oscillates.</p>
          <button class="primary" onClick={() => show('gallery')}>
            <Icon name="gallery" size={18} /> Gallery
          </button>
        </>
      )}
      {path.value && r.analysis.value && (
        <>
          <p class="mute">
            The steady motion over the frequency of its drive, followed through folds. The curve is drawn while it is walked.
          </p>
          <RunOne />
        </>
      )}
      {path.value && !r.analysis.value && model.value && (
        <>
          <p class="mute">This scene has no response yet.</p>
          <div class="ask">
            from <NumberField value={from.value} label="from, in Hz" take={(v) => (from.value = Math.max(v, 1e-6))} /> to <NumberField value={to.value} label="to, in Hz" take={(v) => (to.value = Math.max(v, 1e-6))} /> Hz
            <button class="primary" disabled={failed.value || !(from.value < to.value)} onClick={() => r.addResponse(from.value, to.value)}>
              Add it to the scene
            </button>
          </div>
        </>
      )}
    </div>
  )
}

function Legend({ measured, clear }: { measured: readonly Measured[]; clear: () => void }) {
  return (
    <p class="curve-legend">
      <span class="stable">stable</span>
      <span class="unstable">unstable</span>
      {r.beside.value && <span class="beside">{r.beside.value.label}</span>}
      <span class="peak">peak</span>
      <span class="fold">fold</span>
      <span class="other">bifurcation</span>
      {measured.length > 0 && (
        <button class="plain small" onClick={clear}>
          measured: {measured.map((m) => m.name).join(', ')} <Icon name="close" size={12} />
        </button>
      )}
    </p>
  )
}

function Specials({ quantity }: { quantity: string }) {
  const list = r.specials(quantity)
  if (list.length === 0) return null
  return (
    <table class="specials">
      <caption class="mute">what stands out</caption>
      <thead>
        <tr>
          <th scope="col">kind</th>
          <th scope="col">Hz</th>
          <th scope="col">{r.unit.value.unit}</th>
        </tr>
      </thead>
      <tbody>
        {list.slice(0, 40).map((s, k) => (
          <tr key={k}>
            <th scope="row">
              <button class="plain small" onClick={() => void r.keep(Math.max(s.after, 0))}>
                {s.kind}
              </button>
            </th>
            <td data-frequency={s.frequency}>{general(s.frequency, 5)}</td>
            <td>{general(s.value / r.unit.value.si, 4)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function ResponseScreen() {
  const wanted = useSignal('')
  const log = useSignal(false)
  const measured = useSignal<readonly Measured[]>([])
  const c = r.curve.value
  if (!r.chosen.value || !c) return <Begin />
  const columns = quantities(c.columns)
  const quantity = columns.some((k) => k.name === wanted.value) ? wanted.value : (columns[0]?.name ?? '')
  const shown = r.near.value ?? r.kept.value
  return (
    <div class="response-bench">
      <h2 class="unseen">Response</h2>
      <div class="response-head">
        <Which />
        <label>
          <span class="mute">shown</span>
          <select value={quantity} onChange={(e) => (wanted.value = e.currentTarget.value)}>
            {columns.map((k) => (
              <option key={k.name} value={k.name}>
                {quantityWords(k.name)}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={log.value} onChange={(e) => (log.value = e.currentTarget.checked)} /> by ratios
        </label>
        <span class="gap" />
        <Import take={(m) => (measured.value = [...measured.value, ...m])} />
        <RunOne />
      </div>
      <div class="response-plot">
        <CurvePlot
          curve={c}
          beside={r.besideCurve.value}
          quantity={quantity}
          unit={r.unit.value}
          log={log.value}
          specials={r.specials(quantity)}
          measured={measured.value}
          range={r.range.value}
          chosen={r.kept.value?.row ?? -1}
          hover={(row) => void r.look(row)}
          choose={(row) => void r.keep(row)}
          drag={r.setRange}
        />
        <Legend measured={measured.value} clear={() => (measured.value = [])} />
      </div>
      <div class="response-side">
        <div class="response-view">
          <MotionView label="motion at a point of the response" model={r.arrays.value} motion={shown?.motion ?? null} />
        </div>
        <Point quantity={quantity} />
        <Specials quantity={quantity} />
      </div>
    </div>
  )
}
