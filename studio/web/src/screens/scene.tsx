import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Editor } from '../editor'
import { Icon } from '../icons'
import { ModelView } from '../model_view'
import { checking, dirty, failed, mark, model, modelStale, path, problems, save } from '../scene'
import type { Mark } from '../scene'
import { show } from '../state'
import { recall, remember } from '../keep'
import { general } from '../format'

// ---- the tree -----------------------------------------------------------------------------------

interface Row {
  mark: Mark
  title: string
  note: string
}

function same(a: Mark | null, b: Mark): boolean {
  return a?.kind === b.kind && a.index === b.index
}

function Branch({ title, rows }: { title: string; rows: readonly Row[] }) {
  if (rows.length === 0) return null
  return (
    <section>
      <h2>
        {title} <small>{rows.length}</small>
      </h2>
      <ul>
        {rows.map((r) => (
          <li key={`${r.mark.index}`}>
            <button class="row" aria-pressed={same(mark.value, r.mark)} onClick={() => (mark.value = same(mark.value, r.mark) ? null : r.mark)}>
              <span class="name">{r.title}</span>
              <span class="note">{r.note}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const nodes = (n: number): string => (n === 1 ? '1 node' : `${n} nodes`)

function Tree() {
  const m = model.value
  if (!m) return <p class="mute empty">{failed.value ? 'The model is shown once the text has no errors.' : checking.value ? 'Reading the scene …' : ''}</p>
  const rows = <T,>(kind: Mark['kind'], list: readonly T[], title: (x: T) => string, note: (x: T) => string): Row[] =>
    list.map((x, index) => ({ mark: { kind, index, name: (x as { name?: string }).name ?? '' }, title: title(x), note: note(x) }))
  return (
    <>
      <Branch title="Bodies" rows={rows('body', m.bodies, (b) => b.name, (b) => `${b.kind}, ${nodes(b.n)}`)} />
      <Branch title="Sets" rows={rows('set', m.sets, (s) => s.name, (s) => nodes(s.n))} />
      <Branch title="Supports" rows={rows('support', m.supports, (s) => s.name || s.text, (s) => (s.name ? s.text : nodes(s.n)))} />
      <Branch title="Drives" rows={rows('drive', m.drives, (d) => d.name || d.text, (d) => (d.name ? d.text : nodes(d.n)))} />
      <Branch title="Loads" rows={rows('load', m.loads, (l) => l.name || l.text, (l) => (l.name ? l.text : nodes(l.n)))} />
      <Branch title="Watched" rows={rows('watch', m.watched, (w) => w.name, () => '')} />
      <Branch title="Parameters" rows={rows('parameter', m.parameters, (p) => p.name, (p) => `${general(p.value / p.factor, 4)} ${p.unit}`)} />
      <Branch title="Analyses" rows={rows('analysis', m.analyses, (a) => a.name, (a) => a.text)} />
    </>
  )
}

// ---- problems -----------------------------------------------------------------------------------

const levels = { error: 'Error', warning: 'Warning', note: 'Note' }

function Problems() {
  const list = problems.value
  const errors = list.filter((p) => p.level === 'error').length
  const others = list.length - errors
  const words = [errors > 0 && `${errors} ${errors === 1 ? 'error' : 'errors'}`, others > 0 && `${others} to note`].filter(Boolean)
  const told = checking.value ? 'checking …' : words.join(', ') || 'no problems'
  return (
    <details class="problems" open={errors > 0}>
      <summary>
        <span class={`lamp ${errors > 0 ? 'bad' : list.length > 0 ? 'fair' : 'good'}`} aria-hidden="true" />
        <span role="status">{told}</span>
      </summary>
      <ol>
        {list.map((p, k) => (
          <li key={k} class={p.level}>
            <button class="row" onClick={() => (mark.value = { kind: 'problem', index: k, name: '' })}>
              <b>{levels[p.level]}</b>
              <span class="where">{p.line > 0 ? `line ${p.line}` : p.file}</span>
              <span class="what">
                {p.text}
                {p.hint && <small>{p.hint}</small>}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </details>
  )
}

// ---- panes --------------------------------------------------------------------------------------

/** A bar between two panes that is dragged, or moved with arrow keys. */
function Splitter({ value, change, label }: { value: number; change: (v: number) => void; label: string }) {
  const own = useRef<HTMLDivElement>(null)
  const drag = (e: PointerEvent): void => {
    const box = own.current!.parentElement!.getBoundingClientRect()
    change(Math.min(Math.max((box.right - e.clientX) / box.width, 0.2), 0.75))
  }
  return (
    <div
      ref={own}
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={20}
      aria-valuemax={75}
      aria-valuenow={Math.round(100 * value)}
      onPointerDown={(e) => (e.preventDefault(), own.current!.setPointerCapture(e.pointerId))}
      onPointerMove={(e) => own.current!.hasPointerCapture(e.pointerId) && drag(e)}
      onKeyDown={(e) => {
        const step = e.key === 'ArrowLeft' ? 0.03 : e.key === 'ArrowRight' ? -0.03 : 0
        if (step) change(Math.min(Math.max(value + step, 0.2), 0.75))
      }}
    />
  )
}

const tabs = ['Model', 'Text', 'Parts'] as const

function Tabs({ now, change }: { now: string; change: (t: string) => void }) {
  return (
    <div class="tabs" role="group" aria-label="what is shown">
      {tabs.map((t) => (
        <button key={t} aria-pressed={now === t} onClick={() => change(t)}>
          {t}
        </button>
      ))}
    </div>
  )
}

function Empty() {
  return (
    <div class="page centre">
      <h2>No scene is open</h2>
      <p class="mute">Choose one of the gallery, a file of the folder, or a starter.</p>
      <button class="primary" onClick={() => show('gallery')}>
        <Icon name="gallery" size={18} /> Gallery
      </button>
    </div>
  )
}

export function SceneScreen() {
  const share = useSignal(Number(recall('text-width')) || 0.46)
  const tab = useSignal<string>('Model')
  useEffect(() => {
    if (mark.value?.kind === 'problem') tab.value = 'Text'
  }, [mark.value])
  if (!path.value) return <Empty />
  const change = (v: number): void => {
    share.value = v
    remember('text-width', v.toFixed(3))
  }
  return (
    <div class={`workbench show-${tab.value.toLowerCase()}`} style={{ '--text': `${(100 * share.value).toFixed(1)}%` }}>
      <Tabs now={tab.value} change={(t) => (tab.value = t)} />
      <aside class="tree" aria-label="parts of the scene">
        <Tree />
      </aside>
      <div class={`model-pane ${modelStale.value ? 'stale' : ''}`}>
        <ModelView />
        {modelStale.value && model.value && <p class="stale-note">as it was before the errors</p>}
      </div>
      <Splitter value={share.value} change={change} label="width of the text" />
      <div class="text-pane">
        <div class="pane-head">
          <span class="file">{path.value.split('/').pop()}</span>
          <span class="mute">{dirty.value ? 'not saved' : ''}</span>
          <span class="gap" />
          <button class="plain small" disabled={!dirty.value} onClick={() => void save()}>
            <Icon name="save" size={16} /> Save
          </button>
        </div>
        <Editor />
        <Problems />
      </div>
    </div>
  )
}

