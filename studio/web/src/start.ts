// What happens once the page stands.
import { effect } from '@preact/signals'
import { recall } from './keep'
import { watchExplorations } from './explore'
import { openRun, watchRuns } from './runs'
import { dirty, keepScene, openKept, openScene, path } from './scene'
import { complain, connection, followAddress, sheet, show } from './state'

export function start(): void {
  watchRuns()
  watchExplorations()
  addEventListener('popstate', followAddress)
  addEventListener('beforeunload', (e) => {
    if (dirty.value) e.preventDefault()
  })
  let known = false
  connection.onOpen((h) => {
    if (known) return
    known = true
    const again = openKept()
    keepScene()
    if (h.scene && !again) openScene({ path: h.scene }).then(() => show('scene'), complain)
    if (h.results && !again) openRun(h.results).then(() => show('runs'), complain)
    if (!h.results && !recall('toured')) sheet.value = 'tour'
  })
  effect(() => {
    const name = path.value.split('/').pop()
    document.title = name ? `${dirty.value ? '• ' : ''}${name} · pliant studio` : 'pliant studio'
  })
  connection.open()
}
