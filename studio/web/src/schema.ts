// Keys of scenes with what they mean: for completion and for what is told under the pointer.
import { signal } from '@preact/signals'
import { connection } from './state'

export type Key = [name: string, text: string]

const bare = (path: string): string => path.replaceAll('[]', '')

/** Keys of every mapping by its path. Mappings that occur in several places are listed once. */
export class Schema {
  private readonly keys = new Map<string, Key[]>()

  constructor(paths: readonly [string, string][]) {
    for (const [path, text] of paths) {
      const p = bare(path)
      const dot = p.lastIndexOf('.')
      const parent = p.slice(0, Math.max(dot, 0))
      const list = this.keys.get(parent) ?? []
      list.push([p.slice(dot + 1), text])
      this.keys.set(parent, list)
    }
  }

  /** Keys of the mapping at a path of a scene, e.g. ["bodies", "rod", "mesh"]. */
  under(path: readonly string[]): readonly Key[] {
    if (path.length === 0) return this.keys.get('') ?? []
    const exact = this.match(path)
    if (exact) return exact
    // a mapping that is listed elsewhere: the one whose path ends alike
    for (let k = 1; k < path.length; k++) {
      const tail = path.slice(k)
      for (const [parent, list] of this.keys) {
        const steps = parent.split('.')
        if (steps.length > tail.length && same(steps.slice(-tail.length), tail)) return list
      }
    }
    return []
  }

  private match(path: readonly string[]): readonly Key[] | null {
    const direct = this.keys.get(path.join('.'))
    if (direct) return direct
    for (const [parent, list] of this.keys) if (same(parent.split('.'), path)) return list
    return null
  }

  /** What a key means; null: unknown. */
  text(path: readonly string[]): string | null {
    const name = path[path.length - 1]
    const found = this.under(path.slice(0, -1)).find(([key]) => key === name)
    return found ? found[1] : null
  }
}

function same(steps: readonly string[], path: readonly string[]): boolean {
  return steps.length === path.length && steps.every((s, k) => s === 'NAME' || s === path[k])
}

export const schema = signal<Schema | null>(null)

connection.onOpen(() => {
  if (!schema.value) connection.request('schema', {}).then((r) => (schema.value = new Schema(r.paths)), () => {})
})
