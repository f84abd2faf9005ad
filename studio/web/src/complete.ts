// Completion of a scene's text: keys by the schema, names by what the scene itself has.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { entryOf, nameOf, readText, spotAt } from './scene_text'
import type { Spot, Value } from './scene_text'
import { schema } from './schema'
import { hello } from './state'

const namesIn = (root: Value, ...sections: string[]): string[] =>
  sections.flatMap((s) => (entryOf(root, s)?.value?.entries ?? []).map(nameOf)).filter(Boolean)

function keys(spot: Spot): Completion[] {
  const path = spot.keys
  const list = path.length === 1 && path[0] === 'analyses' ? (hello.peek()?.analyses ?? []) : (schema.peek()?.under(path) ?? [])
  return list
    .filter(([key]) => !spot.there.includes(key))
    .map(([key, told], k) => ({ label: key, apply: `${key}: `, detail: told.length < 60 ? told : `${told.slice(0, 58)}…`, info: told.length < 60 ? undefined : told, boost: -k / 100 }))
}

const selectors = new Set(['nodes', 'node', 'between', 'fixed', 'watch', 'sets', 'on', 'of', 'at', 'scope', 'body', 'bodies'])

function values(spot: Spot, root: Value): Completion[] {
  const key = spot.keys[spot.keys.length - 1] ?? ''
  const names = (list: string[], detail: string): Completion[] => list.map((label) => ({ label, detail }))
  if (key === 'material') return names(namesIn(root, 'materials'), 'material')
  if (key === 'about') return names([...namesIn(root, 'analyses'), 'rest'], 'analysis')
  if (!selectors.has(key) && !spot.keys.some((k) => k === 'sets' || k === 'watch' || k === 'fixed')) return []
  return [
    ...names(namesIn(root, 'sets'), 'set'),
    ...names(namesIn(root, 'bodies'), 'body'),
    ...names(namesIn(root, 'nodes'), 'node'),
    ...names(['all'], 'every node'),
    { label: 'where', detail: 'by coordinates', apply: 'where x < ' },
    { label: 'nearest', detail: 'to a point', apply: 'nearest [0, 0, 0]' },
    { label: 'box', detail: 'between two corners', apply: 'box [0, 0, 0] [1, 1, 1]' },
    { label: 'group', detail: 'of the mesh' },
    { label: 'boundary', detail: 'free edges, skin, ends' },
  ]
}

export function complete(context: CompletionContext): CompletionResult | null {
  const text = context.state.doc.toString()
  const line = context.state.doc.lineAt(context.pos)
  if (/(^|\s)#/.test(line.text.slice(0, context.pos - line.from))) return null
  const spot = spotAt(text, context.pos)
  if (!context.explicit && spot.from === context.pos) return null
  const root = readText(text)
  const parameter = text[spot.from] === '$'
  const options = parameter ? namesIn(root, 'parameters').map((p) => ({ label: `$${p}`, detail: 'parameter' })) : spot.key ? keys(spot) : values(spot, root)
  return options.length > 0 ? { from: spot.from, options, validFor: /^[\w$-]*$/ } : null
}
