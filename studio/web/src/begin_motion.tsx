// The steady motion that explorations and targets begin with: how it is asked for, how its solving goes.
import { useSignal } from '@preact/signals'
import * as x from './explore'
import { Icon } from './icons'
import type { IconName } from './icons'
import { findRun } from './runs'
import { failed } from './scene'
import { connection } from './state'

export function Progress() {
  const w = x.work.value
  const p = w && findRun(w.run)?.progress.value
  if (!w) return null
  return (
    <div class="working">
      <span class="meter" aria-hidden="true">
        <i style={{ width: `${Math.round(100 * Math.max(p?.done ?? 0, 0.03))}%` }} />
      </span>
      <span class="mute">{p ? `${p.what} ${p.text}` : 'waiting …'}</span>
      <button class="plain small" onClick={() => void x.stop()}>
        <Icon name="stop" size={14} fill /> Stop
      </button>
    </div>
  )
}

export function Failure() {
  const why = x.why.value
  if (!why) return null
  return (
    <div class="failure" role="alert">
      <Icon name="alert" size={18} />
      <p>
        {why.text}
        {why.hint && <small>{why.hint}</small>}
      </p>
      <button class="plain small" aria-label="close" onClick={() => (x.why.value = null)}>
        <Icon name="close" size={14} />
      </button>
    </div>
  )
}

export function BeginMotion({ icon, words }: { icon: IconName; words: string }) {
  const frequency = useSignal('')
  const opening = x.work.value?.what === 'open'
  const typed = Number(frequency.value.replace(',', '.'))
  const start = (): void => void x.begin(frequency.value.trim() && Number.isFinite(typed) ? 2 * Math.PI * typed : undefined)
  return (
    <>
      <div class="ask">
        <label>
          Frequency (Hz){' '}
          <input type="text" inputMode="decimal" value={frequency.value} placeholder="of the scene" onInput={(e) => (frequency.value = e.currentTarget.value)} onKeyDown={(e) => e.key === 'Enter' && start()} />
        </label>
        <button class="primary" disabled={opening || failed.value || connection.status.value !== 'open'} onClick={start}>
          <Icon name={icon} size={18} /> {words}
        </button>
      </div>
      <Progress />
      <Failure />
    </>
  )
}
