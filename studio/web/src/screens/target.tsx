import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { BeginMotion } from '../begin_motion'
import * as x from '../explore'
import { general } from '../format'
import { Icon } from '../icons'
import { path } from '../scene'
import { NumberField } from '../slider'
import { complain, connection, notify, show } from '../state'
import { TargetPad } from '../target_pad'
import * as t from '../target'

// ---- reach --------------------------------------------------------------------------------------

function ReachWords() {
  const r = t.reach.value
  if (!t.curve.value) return <p class="mute">Draw a closed curve around the present path, or begin with the path as it is, or with points.</p>
  if (!r) return <p class="mute">How far it is in reach cannot be told: this model has too many sensitivities for the page.</p>
  const left = `${general(100 * r.best, 2)} % of its size`
  const level = r.best < 0.1 ? 'good' : r.best < 0.35 ? 'fair' : 'poor'
  const words = {
    good: `Within reach: to first order ${left} remains.`,
    fair: `Perhaps within reach: to first order ${left} remains.`,
    poor: `Out of reach: even at the bounds of all parameters the first-order estimate stays ${left} away. A design may still come nearer.`,
  }[level]
  return (
    <div class={`reach ${level}`} role="status" data-best={r.best} data-now={r.now}>
      {level === 'poor' && <Icon name="alert" size={18} />}
      <p>
        {words} <small>The present path is {general(100 * r.now, 2)} % away.</small>
      </p>
    </div>
  )
}

function TryIt() {
  const r = t.reach.value
  const b = x.base.value
  if (!r || !b) return null
  const go = (): void => {
    x.values.value = b.explored.parameters.map((p, k) => p.value + r.change[k]!)
    show('explore')
  }
  return (
    <button class="small" onClick={go} title="Sets the sliders to the first-order estimate; commit there to see the true motion">
      <Icon name="explore" size={16} /> Nearest values to the sliders
    </button>
  )
}

// ---- what is drawn ------------------------------------------------------------------------------

function Import({ si }: { si: number }) {
  const input = useRef<HTMLInputElement>(null)
  const load = async (): Promise<void> => {
    const f = input.current?.files?.[0]
    if (f) t.takeFile(await f.text(), si)
    if (input.current) input.current.value = ''
  }
  return (
    <>
      <button class="small" onClick={() => input.current?.click()} title="A CSV file with columns as t_s, x_mm, y_mm">
        <Icon name="file" size={16} /> From a file …
      </button>
      <input ref={input} type="file" hidden accept=".csv,.txt" aria-label="a file with a closed curve" onChange={() => void load().catch(complain)} />
    </>
  )
}

function Shape({ unit }: { unit: { unit: string; si: number } }) {
  const c = t.change.value
  const set = (next: Partial<typeof c>): void => void (t.change.value = { ...c, ...next })
  return (
    <div class="shape" role="group" aria-label="place and size">
      <label class="line">
        <span>harmonics</span>
        <input type="range" min="1" max={t.most.value} step="1" value={Math.min(t.harmonics.value, t.most.value)} onInput={(e) => (t.harmonics.value = Number(e.currentTarget.value))} />
        <output>{Math.min(t.harmonics.value, t.most.value)}</output>
      </label>
      <label class="line">
        <span>size</span>
        <input type="range" min="0.2" max="3" step="0.01" value={c.scale} onInput={(e) => set({ scale: Number(e.currentTarget.value) })} />
        <output>×{general(c.scale, 3)}</output>
      </label>
      <label class="line">
        <span>turn</span>
        <input type="range" min="-180" max="180" step="1" value={(c.turn * 180) / Math.PI} onInput={(e) => set({ turn: (Number(e.currentTarget.value) * Math.PI) / 180 })} />
        <output>{general((c.turn * 180) / Math.PI, 3)}°</output>
      </label>
      <div class="line">
        <span>shift</span>
        <NumberField value={c.du / unit.si} label={`shift along ${'xyz'[t.plane.value[0]]} in ${unit.unit}`} take={(v) => set({ du: v * unit.si })} />
        <NumberField value={c.dv / unit.si} label={`shift along ${'xyz'[t.plane.value[1]]} in ${unit.unit}`} take={(v) => set({ dv: v * unit.si })} />
        <span class="unit">{unit.unit}</span>
      </div>
    </div>
  )
}

function Save() {
  const name = useSignal('')
  const busy = useSignal(false)
  const shown = name.value || `${t.watched.value?.name ?? 'node'}-target`
  const save = async (): Promise<void> => {
    busy.value = true
    try {
      const file = await t.save(shown)
      notify('note', `${file} is written, and an objective of the design in the text`)
      show('design')
    } catch (e) {
      complain(e)
    } finally {
      busy.value = false
    }
  }
  return (
    <div class="save">
      <label>
        <span>file</span>
        <input type="text" value={shown} aria-label="name of the file" onInput={(e) => (name.value = e.currentTarget.value)} />
        <span class="mute">.csv</span>
      </label>
      <button class="primary" disabled={!t.curve.value || busy.value || connection.status.value !== 'open'} onClick={() => void save()}>
        <Icon name="target" size={18} /> Make it a goal
      </button>
    </div>
  )
}

// ---- the screen ---------------------------------------------------------------------------------

function Begin() {
  return (
    <div class="page centre begin">
      <h2>Target</h2>
      <p class="mute">Draw the path that a watched node shall take; a design then looks for parameters that lead there. It begins with the steady motion of the scene.</p>
      {path.value ? (
        <BeginMotion icon="target" words={`Solve the motion of ${path.value.split('/').pop()}`} />
      ) : (
        <button class="primary" onClick={() => show('gallery')}>
          <Icon name="gallery" size={18} /> Gallery
        </button>
      )}
    </div>
  )
}

/** Where the plane is, along the axis across it. */
function Offset({ unit }: { unit: { unit: string; si: number } }) {
  const axis = 'xyz'[t.across.value]!
  const own = t.offsetWanted.value
  return (
    <div class="line">
      <span>at {axis}</span>
      <NumberField value={t.middle.value[t.across.value]! / unit.si} label={`place of the plane along ${axis} in ${unit.unit}`} take={(v) => (t.offsetWanted.value = v * unit.si)} />
      <span class="unit">{unit.unit}</span>
      {own === null ? (
        <span class="mute">as the path</span>
      ) : (
        <button class="plain small" onClick={() => (t.offsetWanted.value = null)}>
          as the path
        </button>
      )}
    </div>
  )
}

/** The points of the target, to be typed. */
function Points({ unit }: { unit: { unit: string; si: number } }) {
  const all = t.points.value
  if (all.length === 0) return null
  const names = t.plane.value.map((a) => 'xyz'[a]!)
  const set = (k: number, c: 0 | 1, v: number): void => t.setPoint(k, c === 0 ? [v * unit.si, all[k]![1]] : [all[k]![0], v * unit.si])
  return (
    <details class="points">
      <summary>{all.length} points</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">point</th>
            {names.map((n) => (
              <th scope="col" key={n}>
                {n} ({unit.unit})
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {all.map((p, k) => (
            <tr key={k}>
              <th scope="row">{k + 1}</th>
              {([0, 1] as const).map((c) => (
                <td key={c}>
                  <NumberField value={p[c] / unit.si} label={`${names[c]} of point ${k + 1} in ${unit.unit}`} take={(v) => set(k, c, v)} />
                </td>
              ))}
              <td>
                <button class="plain small" aria-label={`add a point behind ${k + 1}`} title="Add one behind" onClick={() => t.addPoint(k)}>
                  +
                </button>
                <button class="plain small" aria-label={`remove point ${k + 1}`} title="Remove it" disabled={all.length <= 3} onClick={() => t.dropPoint(k)}>
                  −
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

const planes = { auto: 'of its widest extents', xy: 'x y', xz: 'x z', yz: 'y z' } as const

function Source({ unit }: { unit: { unit: string; si: number } }) {
  const anew = (): void => void (t.raw.value = null)
  return (
    <section>
      <label class="line">
        <span>node</span>
        <select value={String(t.which.value)} onChange={(e) => ((t.which.value = Number(e.currentTarget.value)), (t.offsetWanted.value = null), anew())}>
          {x.base.value!.explored.watched.map((w, k) => (
            <option key={w.name} value={String(k)}>
              {w.name}
            </option>
          ))}
        </select>
      </label>
      {t.dim.value === 3 && (
        <label class="line">
          <span>plane</span>
          <select value={t.planeWanted.value} onChange={(e) => ((t.planeWanted.value = e.currentTarget.value as keyof typeof planes), (t.offsetWanted.value = null), anew())}>
            {Object.entries(planes).map(([key, words]) => (
              <option key={key} value={key}>
                {words}
              </option>
            ))}
          </select>
        </label>
      )}
      {t.dim.value === 3 && <Offset unit={unit} />}
      <div class="sources">
        <button class="small" onClick={t.takePresent}>
          Begin with the present path
        </button>
        <button class="small" onClick={t.takePoints} title="A few points that are dragged, moved with arrow keys, or typed">
          {t.curve.value ? 'Make it points' : 'Begin with points'}
        </button>
        <Import si={unit.si} />
        <button class="small" disabled={!t.raw.value} onClick={anew}>
          Clear
        </button>
      </div>
    </section>
  )
}

function Legend() {
  return (
    <p class="curve-legend">
      <span class="solved">present path</span>
      {t.raw.value?.from === 'hand' && <span class="drawn">drawn</span>}
      {t.curve.value && <span class="target">target, with {Math.min(t.harmonics.value, t.most.value)} harmonics; dots at equal times</span>}
      {t.nearest.value && <span class="predicted">nearest, to first order</span>}
    </p>
  )
}

export function TargetScreen() {
  if (!x.base.value || !t.present.value) return <Begin />
  const unit = x.model.value?.length ?? { unit: 'm', si: 1 }
  return (
    <div class="target-bench">
      <h2 class="unseen">Target</h2>
      <div class="target-draw">
        <TargetPad unit={unit} />
        <Legend />
      </div>
      <div class="target-side">
        <Source unit={unit} />
        {t.curve.value && (
          <section>
            <h3>Shape</h3>
            <Shape unit={unit} />
            <Points unit={unit} />
          </section>
        )}
        <section>
          <h3>Reach</h3>
          <ReachWords />
          <TryIt />
        </section>
        <section>
          <h3>Goal</h3>
          <p class="mute">Written as a file beside the scene, and as an objective of its design. Phase is free: the motion may run through it from any point.</p>
          <Save />
        </section>
      </div>
    </div>
  )
}
