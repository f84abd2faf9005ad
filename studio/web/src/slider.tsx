// A slider for a value with a unit: its limits can be changed, and its scale may be logarithmic.
import { useSignal } from '@preact/signals'
import { general } from './format'
import type { Range } from './explore'

const steps = 1000

const toPlace = (v: number, r: Range): number => {
  const t = r.log ? Math.log(v / r.lo) / Math.log(r.hi / r.lo) : (v - r.lo) / (r.hi - r.lo)
  return Math.min(Math.max(Number.isFinite(t) ? t : 0, 0), 1)
}

const toValue = (t: number, r: Range): number => (r.log ? r.lo * (r.hi / r.lo) ** t : r.lo + t * (r.hi - r.lo))

/** A number that is taken when the field is left or Enter is pressed, and put back where it is none. */
export function NumberField({ value, label, take, digits = 5, class: cls }: { value: number; label: string; take: (v: number) => void; digits?: number; class?: string }) {
  const typed = useSignal<string | null>(null)
  const shown = general(value, digits).replace('−', '-')
  const done = (): void => {
    const v = Number((typed.value ?? '').replace(',', '.'))
    if (typed.value !== null && typed.value.trim() !== '' && Number.isFinite(v)) take(v)
    typed.value = null
  }
  return (
    <input
      type="text"
      inputMode="decimal"
      class={`number ${cls ?? ''}`}
      aria-label={label}
      value={typed.value ?? (/×/.test(shown) ? String(Number(value.toPrecision(digits))) : shown)}
      onFocus={(e) => e.currentTarget.select()}
      onInput={(e) => (typed.value = e.currentTarget.value)}
      onBlur={done}
      onKeyDown={(e) => {
        if (e.key === 'Enter') done()
        if (e.key === 'Escape') typed.value = null
      }}
    />
  )
}

export interface SliderProps {
  name: string
  unit: string
  factor: number // SI units in one of it
  value: number // SI, as all that follow
  mark: number // where it is solved
  range: Range
  least: number | null // bounds of the parameter
  most: number | null
  bar: number // -1..1: what it does to the path that is looked at
  barText: string
  change: (v: number) => void
  setRange: (r: Range) => void
}

export function Slider(p: SliderProps) {
  const open = useSignal(false)
  const { range: r, factor } = p
  const id = `slider-${p.name.replace(/\W/g, '-')}`
  const away = p.value !== p.mark
  const limit = (end: 'lo' | 'hi') => (v: number) => {
    const si = Math.min(Math.max(v * factor, p.least ?? -Infinity), p.most ?? Infinity)
    const next = { ...r, [end]: si }
    if (next.lo < next.hi) p.setRange({ ...next, log: next.log && next.lo > 0 })
  }
  return (
    <li class={`slider ${away ? 'away' : ''}`}>
      <div class="slider-head">
        <label for={id}>{p.name}</label>
        <span class="effect" title={p.barText}>
          <i class={p.bar < 0 ? 'less' : 'more'} style={{ width: `${50 * Math.abs(p.bar)}%` }} />
        </span>
        <NumberField value={p.value / factor} label={`${p.name} in ${p.unit || 'units of its own'}`} take={(v) => p.change(v * factor)} />
        <span class="unit">{p.unit}</span>
        <button class="plain small more" aria-expanded={open.value} aria-label={`limits of ${p.name}`} title="Limits" onClick={() => (open.value = !open.value)}>
          ⋯
        </button>
      </div>
      <div class="track">
        <span class="mark" style={{ '--at': toPlace(p.mark, r) }} aria-hidden="true" />
        <input
          id={id}
          type="range"
          min="0"
          max={steps}
          step="1"
          value={steps * toPlace(p.value, r)}
          aria-valuetext={`${general(p.value / factor, 5)} ${p.unit}`}
          onInput={(e) => p.change(toValue(Number(e.currentTarget.value) / steps, r))}
          onDblClick={() => p.change(p.mark)}
        />
      </div>
      {open.value && (
        <div class="limits">
          <NumberField value={r.lo / factor} label={`least ${p.name}`} take={limit('lo')} />
          <span class="mute">to</span>
          <NumberField value={r.hi / factor} label={`most ${p.name}`} take={limit('hi')} />
          <span class="unit">{p.unit}</span>
          <label class="check">
            <input type="checkbox" checked={r.log} disabled={r.lo <= 0} onChange={(e) => p.setRange({ ...r, log: e.currentTarget.checked })} /> by ratios
          </label>
          <button class="plain small" disabled={!away} onClick={() => p.change(p.mark)}>
            back
          </button>
        </div>
      )}
    </li>
  )
}
