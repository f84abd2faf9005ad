// A model that moves, with a second motion beside it and the means to play them.
import { effect, signal, useSignal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { general } from './format'
import { Icon } from './icons'
import { useViewer } from './use_viewer'
import type { ModelArrays, OrbitArrays } from './viewer/types'
import type { Viewer } from './viewer/viewer'

export interface MotionViewProps {
  label: string
  model: ModelArrays | null
  motion: OrbitArrays | null
  ghost?: ReadonlySignal<OrbitArrays | null> // may change with every picture
  faded?: boolean // the ghost is not to be trusted
  note?: string
  trails?: number[] // nodes
  onPick?: (node: number | null) => void
  small?: boolean
}

/** Phase 0..1 that plots follow, of the view that moved last. */
export const phase = signal(0)

const speeds = [0.1, 0.25, 0.5, 1, 2]

function Controls({ viewer, playing, at, small }: { viewer: Viewer; playing: boolean; at: number; small: boolean }) {
  const speed = useSignal(1)
  const slower = viewer.player.slower
  const told = slower > 1.05 ? `${general(slower, 2)} times slower` : slower < 0.95 ? `${general(1 / slower, 2)} times faster` : 'in true time'
  return (
    <div class="playbar" role="group" aria-label="motion">
      <button class="plain" onClick={() => (playing ? viewer.pause() : viewer.play())} aria-label={playing ? 'pause' : 'play'} title={playing ? 'Pause (Space)' : 'Play (Space)'}>
        <Icon name={playing ? 'pause' : 'play'} size={18} fill={!playing} />
      </button>
      <input type="range" min="0" max="1" step="0.005" value={at} aria-label="phase of the motion" aria-valuetext={`${Math.round(360 * at)} degrees`} onInput={(e) => (viewer.pause(), viewer.setPhase(Number(e.currentTarget.value)))} />
      {!small && (
        <label class="speed">
          <span class="mute">{told}</span>
          <select aria-label="speed" value={String(speed.value)} onChange={(e) => ((speed.value = Number(e.currentTarget.value)), viewer.setSpeed(speed.value))}>
            {speeds.map((s) => (
              <option key={s} value={String(s)}>
                ×{s}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}

export function MotionView(props: MotionViewProps) {
  const now = useSignal({ at: 0, playing: false })
  const shown = useRef<ModelArrays | null>(null)
  const onTime = (t: { phase: number; playing: boolean }): void => {
    phase.value = t.phase
    if (Math.abs(t.phase - now.peek().at) > 0.004 || t.playing !== now.peek().playing) now.value = { at: t.phase, playing: t.playing }
  }
  const [place, v] = useViewer({ label: props.label, onTime, ...(props.onPick ? { onPick: props.onPick } : {}) })
  useEffect(() => {
    if (!v || !props.model) return
    if (shown.current !== props.model) v.setModel(props.model)
    shown.current = props.model
    if (props.motion) v.playOrbit(props.motion.coefficients, props.motion.harmonics, props.motion.omega, { keep: true })
    if (props.trails) v.setTrails(props.trails)
  }, [v, props.model, props.motion])
  useEffect(() => {
    const { ghost } = props
    if (v && props.model && ghost) return effect(() => v.setGhostOrbit(ghost.value))
  }, [v, props.model, props.motion, props.ghost])
  useEffect(() => v?.fadeGhost(props.faded ?? false), [v, props.faded])
  useEffect(() => v?.setNote(props.note ?? ''), [v, props.note])
  return (
    <div class="motion-view">
      <div class="viewer-place" ref={place} />
      {v && props.motion && <Controls viewer={v} playing={now.value.playing} at={now.value.at} small={props.small ?? false} />}
    </div>
  )
}
