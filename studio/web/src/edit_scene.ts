// Changes of the scene's text by screens that do not show it.
import { change, opened, text, wanted } from './scene'
import { applyEdits } from './scene_text'
import type { Edit } from './scene_text'

/** The editor makes the change where there is one, so that it can be undone there. */
export function editScene(edits: readonly (Edit | null)[]): boolean {
  const all = edits.filter((e): e is Edit => e !== null)
  if (all.length === 0) return false
  change(all)
  if (wanted.value !== null) {
    wanted.value = null
    text.value = applyEdits(text.value, all)
    opened.value++
  }
  return true
}
