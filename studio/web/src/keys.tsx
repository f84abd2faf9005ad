// Keys of the page and the sheet that tells them.
import { Dialog } from './dialog'
import { Icon } from './icons'
import { sheet } from './state'

export interface Shortcut {
  group: string
  key: string // "Ctrl-s", "?": Ctrl is Cmd on a Mac
  text: string
  always?: boolean // while one types, too
  act?: () => void // none: somebody else listens
}

/** Screens add theirs. */
export const shortcuts: Shortcut[] = [
  { group: 'Scene text', key: 'Ctrl-Space', text: 'complete keys and names' },
  { group: 'Scene text', key: 'F8', text: 'next problem' },
  { group: 'Scene text', key: 'Ctrl-f', text: 'search' },
  { group: 'Scene text', key: 'Ctrl-z', text: 'undo' },
  { group: 'Views', key: '← → ↑ ↓', text: 'turn; with Shift: move' },
  { group: 'Views', key: '+ −', text: 'zoom' },
  { group: 'Views', key: '0', text: 'all of it' },
  { group: 'Views', key: '1 2 3 4', text: 'along x, y, z, from the side' },
  { group: 'Views', key: '5', text: 'parallel or perspective' },
  { group: 'Views', key: 'Space', text: 'play' },
  { group: 'Views', key: 'Ctrl-← →', text: 'from node to node, where they can be chosen' },
  { group: 'Views', key: 'Ctrl-Shift-← →', text: 'all nodes in a box from the first one' },
  { group: 'Plots', key: '← →', text: 'from point to point' },
  { group: 'Plots', key: '↑ ↓', text: 'from curve to curve' },
  { group: 'Plots', key: '+ −', text: 'zoom' },
  { group: 'Plots', key: '0', text: 'all of it' },
  { group: 'Targets', key: 'Tab', text: 'from point to point' },
  { group: 'Targets', key: '← → ↑ ↓', text: 'move the point; with Shift: less' },
  { group: 'Targets', key: 'Enter', text: 'another point behind it' },
  { group: 'Targets', key: 'Delete', text: 'remove the point' },
  { group: 'Plots', key: 'Enter', text: 'choose the point' },
  { group: 'Plots', key: 't', text: 'the table behind it' },
]

export function keyOf(e: KeyboardEvent): string {
  const ctrl = e.ctrlKey || e.metaKey ? 'Ctrl-' : ''
  // what Alt makes of a digit depends on the keyboard
  const digit = e.altKey && /^Digit[0-9]$/.test(e.code) ? e.code.slice(5) : e.key
  return `${ctrl}${e.altKey ? 'Alt-' : ''}${digit}`
}

export function KeySheet() {
  const close = (): void => void (sheet.value = 'none')
  const groups = [...new Set(shortcuts.map((s) => s.group))]
  return (
    <Dialog title="Keys" close={close} class="keys">
      <header>
        <h2>Keys</h2>
        <button class="plain" aria-label="close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <div class="columns">
        {groups.map((g) => (
          <section key={g}>
            <h3>{g}</h3>
            <dl>
              {shortcuts
                .filter((s) => s.group === g)
                .map((s) => (
                  <div key={s.key}>
                    <dt>
                      {s.key.split(/(?<=.)-(?=.)/).map((k) => (
                        <kbd key={k}>{k}</kbd>
                      ))}
                    </dt>
                    <dd>{s.text}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <footer>
        <button onClick={() => (sheet.value = 'tour')}>Take the tour</button>
      </footer>
    </Dialog>
  )
}
