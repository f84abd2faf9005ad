import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icons'
import { keyOf, shortcuts } from './keys'
import { active, cancelRun, current } from './runs'
import { Dialog } from './dialog'
import { dirty, failed, leaving, model, path, runScene, save } from './scene'
import { screens } from './screens'
import type { Screen } from './screens'
import { connection, dismiss, folderName, notices, screen, sheet, show } from './state'
import { dark, toggleTheme } from './theme'
import { KeySheet } from './keys'
import { Tour } from './tour'

async function runAndShow(only?: string): Promise<void> {
  const run = await runScene(only)
  if (run === null) return
  current.value = run
  show('runs')
}

const statusText = { connecting: 'connecting', open: 'connected', lost: 'connection lost', refused: 'refused' }

function ConnectionState() {
  const status = connection.status.value
  return (
    <span class={`link-state ${status}`} role="status">
      <span class="dot" aria-hidden="true" />
      <span class="words">{statusText[status]}</span>
    </span>
  )
}

/** The run that is at work, in the bar of every screen. */
function Running() {
  const run = active.value
  if (!run) return null
  const p = run.progress.value
  const done = p ? Math.round(100 * p.done) : 0
  return (
    <button class="running" onClick={() => ((current.value = run.info.value.run), show('runs'))} title={p ? `${p.what}: ${p.text}` : run.info.value.label}>
      <span class="meter" aria-hidden="true">
        <i style={{ width: `${done}%` }} />
      </span>
      <span class="words">{p ? `${p.what} ${done} %` : 'running'}</span>
    </button>
  )
}

function RunButton() {
  const open = useSignal(false)
  const menu = useRef<HTMLDivElement>(null)
  const analyses = model.value?.analyses ?? []
  const can = path.value !== '' && !failed.value && connection.status.value === 'open'
  useEffect(() => {
    if (open.value) menu.current?.querySelector('button')?.focus()
  }, [open.value])
  const close = (e: FocusEvent & { currentTarget: HTMLElement }): void => {
    if (!e.currentTarget.contains(e.relatedTarget as Node | null)) open.value = false
  }
  return (
    <div class="split" onBlurCapture={close} onKeyDown={(e) => e.key === 'Escape' && (open.value = false)}>
      <button class="primary" disabled={!can} onClick={() => void runAndShow()} title="Run all analyses (Ctrl-Enter)">
        <Icon name="play" size={16} fill /> Run
      </button>
      {analyses.length > 1 && (
        <button class="primary more" disabled={!can} aria-haspopup="menu" aria-expanded={open.value} aria-label="Run one analysis" onClick={() => (open.value = !open.value)}>
          <Icon name="chevron" size={14} />
        </button>
      )}
      {open.value && (
        <div class="menu" role="menu" ref={menu} onKeyDown={walkMenu}>
          {analyses.map((a) => (
            <button role="menuitem" key={a.name} onClick={() => ((open.value = false), void runAndShow(a.name))}>
              <b>{a.name}</b>
              <span>{a.text}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

function walkMenu(e: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0
  if (!step) return
  const all = [...e.currentTarget.querySelectorAll('button')]
  const at = all.indexOf(document.activeElement as HTMLButtonElement)
  all[(at + step + all.length) % all.length]?.focus()
  e.preventDefault()
}

function SceneName() {
  if (!path.value) return <span class="scene-name none">no scene is open</span>
  return (
    <span class="scene-name" title={path.value}>
      <span class="folder">{folderName.value} / </span>
      <span class="path">{path.value}</span>
      {dirty.value && (
        <button class="plain unsaved" onClick={() => void save()} title="Save (Ctrl-S)" aria-label="not saved: save">
          <span class="dot" aria-hidden="true" />
        </button>
      )}
    </span>
  )
}

function TopBar() {
  return (
    <header class="top">
      <span class="mark" aria-hidden="true">
        <svg viewBox="0 0 32 32" width="24" height="24">
          <path d="M6 21C10 21 9 9 16 9s6 14 10 14" fill="none" stroke="currentColor" stroke-width="3.2" stroke-linecap="round" />
          <circle cx="6" cy="21" r="3" fill="currentColor" />
        </svg>
      </span>
      <h1>pliant</h1>
      <SceneName />
      <span class="gap" />
      <Running />
      <RunButton />
      <ConnectionState />
      <button class="plain" onClick={toggleTheme} aria-label={dark.value ? 'light colours' : 'dark colours'} title={dark.value ? 'Light colours' : 'Dark colours'}>
        <Icon name={dark.value ? 'sun' : 'moon'} />
      </button>
      <button class="plain" onClick={() => (sheet.value = 'keys')} aria-label="keys and help" title="Keys and help (?)">
        <Icon name="help" />
      </button>
    </header>
  )
}

function Rail() {
  const own = useRef<HTMLElement>(null)
  // narrow windows have no room for all
  useEffect(() => own.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [screen.value])
  const there = screens.map((s) => !s.when || s.when() || screen.value === s.id)
  return (
    <nav class={`rail ${there.filter(Boolean).length > 8 ? 'many' : ''}`} aria-label="screens" ref={own}>
      {screens.map((s, k) => (!there[k] ? null : (
        <a key={s.id} href={`#/${s.id}`} aria-current={screen.value === s.id ? 'page' : undefined} title={`${s.name} (Alt-${(k + 1) % 10})`} onClick={(e) => (e.preventDefault(), show(s.id))}>
          <Icon name={s.icon} />
          <span>{s.name}</span>
        </a>
      )))}
    </nav>
  )
}

// a screen that was seen stays as it was left
function Stage() {
  const seen = useRef(new Set<string>())
  const now = screens.find((s) => s.id === screen.value) ?? screens[0]!
  seen.current.add(now.id)
  return (
    <main class="stage" id="stage">
      {screens
        .filter((s) => seen.current.has(s.id))
        .map((s) => (
          <ScreenFrame key={s.id} screen={s} shown={s === now} />
        ))}
    </main>
  )
}

function ScreenFrame({ screen: s, shown }: { screen: Screen; shown: boolean }) {
  const Component = s.component
  return (
    <div class={`screen ${s.id}`} hidden={!shown}>
      <Component />
    </div>
  )
}

function Notices() {
  return (
    <div class="notices" role="log" aria-live="polite" aria-label="notices">
      {notices.value.map((n) => (
        <div key={n.id} class={`notice ${n.level}`}>
          <p>
            {n.text}
            {n.hint && <small>{n.hint}</small>}
          </p>
          <button class="plain" aria-label="close the notice" onClick={() => dismiss(n.id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  )
}

/** Changes that are not saved, before another scene takes their place. */
function Leaving() {
  const answer = leaving.value
  if (!answer) return null
  const keep = async (): Promise<void> => {
    await save()
    answer(!dirty.value)
  }
  return (
    <Dialog title="Changes that are not saved" close={() => answer(false)} class="leaving">
      <h2>{path.value} has changes that are not saved</h2>
      <footer>
        <button onClick={() => answer(false)}>Stay</button>
        <span class="gap" />
        <button onClick={() => answer(true)}>Discard</button>
        <button class="primary" onClick={() => void keep()}>
          Save
        </button>
      </footer>
    </Dialog>
  )
}

/** What a page does that has lost its server. */
function Lost() {
  if (connection.tries.value < 2) return null
  return (
    <p class="lost" role="alert">
      The connection to <code>pliant studio</code> is lost; trying again. What runs goes on, and its results are kept.
    </p>
  )
}

function Refused() {
  const why = connection.refusal.value
  return (
    <main class="refused">
      <h1>This page may not talk to the server</h1>
      <p>{why?.message ?? 'The server refused.'}</p>
      <p class="mute">{why?.hint || 'Open the address that pliant studio printed, with its token.'}</p>
      <button class="primary" onClick={() => connection.open()}>
        Try again
      </button>
    </main>
  )
}

function onKey(e: KeyboardEvent): void {
  if (e.defaultPrevented) return
  const key = keyOf(e)
  const at = e.target as HTMLElement
  const typing = at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)
  const found = shortcuts.find((s) => s.key === key && s.act && (!typing || s.always))
  if (!found) return
  e.preventDefault()
  found.act!()
}

const globalKeys = [
  { key: 'Ctrl-s', text: 'save the scene', always: true, act: () => void save() },
  { key: 'Ctrl-Enter', text: 'run all analyses', always: true, act: () => void runAndShow() },
  { key: 'Ctrl-.', text: 'stop the run at work', always: true, act: () => active.value && void cancelRun(active.value.info.value.run) },
  ...screens.map((s, k) => ({ key: `Alt-${(k + 1) % 10}`, text: s.name, always: true, act: () => show(s.id) })),
  { key: '?', text: 'this sheet', act: () => (sheet.value = 'keys') },
  { key: 'd', text: 'light or dark', act: toggleTheme },
]
shortcuts.unshift(...globalKeys.map((k) => ({ ...k, group: 'Everywhere' })))

export function App() {
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  if (connection.status.value === 'refused') return <Refused />
  return (
    <div class="frame">
      <a class="skip" href="#stage" onClick={(e) => (e.preventDefault(), document.getElementById('stage')?.querySelector<HTMLElement>('.screen:not([hidden]) button, .screen:not([hidden]) a')?.focus())}>
        skip to the screen
      </a>
      <TopBar />
      <Rail />
      <Stage />
      <Lost />
      <Notices />
      <Leaving />
      {sheet.value === 'keys' && <KeySheet />}
      {sheet.value === 'tour' && <Tour />}
    </div>
  )
}
