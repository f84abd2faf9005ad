// Two motions that were kept, side by side, and what differs.
import { useSignal } from '@preact/signals'
import { Dialog } from './dialog'
import * as x from './explore'
import type { Snapshot } from './explore'
import { fixed, general } from './format'
import { Icon } from './icons'
import { MotionView } from './motion_view'

const alike = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))
const relative = (a: number, b: number): string => (a === 0 ? '' : `${b >= a ? '+' : ''}${fixed(100 * (b / a - 1), 2)} %`)

function Differences({ A, B }: { A: Snapshot; B: Snapshot }) {
  const b = x.base.value!
  const unit = x.model.value?.length ?? { unit: 'm', si: 1 }
  const rows = b.explored.parameters.map((p, k) => ({ name: p.name, unit: p.unit, a: A.values[k]! / p.factor, b: B.values[k]! / p.factor, path: false }))
  const paths = b.explored.watched.map((w, k) => ({ name: `path of ${w.name}`, unit: unit.unit, a: A.paths[k]! / unit.si, b: B.paths[k]! / unit.si, path: true }))
  const changed = rows.filter((r) => !alike(r.a, r.b))
  const same = rows.length - changed.length
  return (
    <table class="differences">
      <caption class="mute">{same === rows.length ? 'all parameters are the same' : same > 0 ? `the other ${same === 1 ? 'parameter is' : `${same} parameters are`} the same` : ''}</caption>
      <thead>
        <tr>
          <th scope="col">of</th>
          <th scope="col">A</th>
          <th scope="col">B</th>
          <th scope="col">B to A</th>
        </tr>
      </thead>
      <tbody>
        {[...paths, ...changed].map((r) => (
          <tr key={r.name} class={r.path ? 'path' : ''}>
            <th scope="row">
              {r.name} <small>{r.unit}</small>
            </th>
            <td>{general(r.a, 5)}</td>
            <td>{general(r.b, 5)}</td>
            <td>{alike(r.a, r.b) ? 'same' : relative(r.a, r.b)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Side({ name, s }: { name: 'A' | 'B'; s: Snapshot }) {
  const nodes = x.base.value!.explored.watched.map((w) => w.node)
  return (
    <section class="kept" aria-label={`motion ${name}`}>
      <h3>
        {name} <small>step {s.step}</small>
      </h3>
      <MotionView label={`motion ${name}`} model={x.arrays.value} motion={s.motion} trails={nodes} small />
    </section>
  )
}

export function Compare() {
  const open = useSignal(false)
  const { A, B } = x.snapshots.value
  return (
    <div class="snapshots" role="group" aria-label="snapshots">
      {(['A', 'B'] as const).map((name) => (
        <span key={name} class="snapshot">
          <button class="small" onClick={() => x.keep(name)} title={`Keep the solved motion as ${name} (${name.toLowerCase()})`}>
            Keep {name}
          </button>
          <button class="plain small" disabled={!x.snapshots.value[name]} onClick={() => x.load(name)} title={`Sliders to the values of ${name}`}>
            {x.snapshots.value[name] ? `step ${x.snapshots.value[name]!.step} → sliders` : 'none yet'}
          </button>
        </span>
      ))}
      <button class="small" disabled={!A || !B} onClick={() => (open.value = true)}>
        Compare A and B
      </button>
      {open.value && A && B && (
        <Dialog title="A and B" close={() => (open.value = false)} class="compare">
          <header>
            <h2>A and B</h2>
            <button class="plain" aria-label="close" onClick={() => (open.value = false)}>
              <Icon name="close" />
            </button>
          </header>
          <div class="sides">
            <Side name="A" s={A} />
            <Side name="B" s={B} />
          </div>
          <Differences A={A} B={B} />
        </Dialog>
      )}
    </div>
  )
}
