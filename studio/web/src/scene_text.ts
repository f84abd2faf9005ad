// The text of a scene as a tree of entries with their places, and changes to it that leave all else,
// comments too, as it is.
import { yamlLanguage } from '@codemirror/lang-yaml'
import type { SyntaxNode } from '@lezer/common'

export interface Entry {
  key: string // of a mapping; '' of an item of a list
  keyFrom: number
  keyTo: number
  from: number
  to: number
  value: Value | null
}

export interface Value {
  kind: 'map' | 'list' | 'text'
  flow: boolean // in brackets
  from: number
  to: number
  entries: Entry[] // of maps and lists
  text: string // of text, without quotes
}

export interface Edit {
  from: number
  to: number
  insert: string
}

// ---- reading ------------------------------------------------------------------------------------

function plain(raw: string): string {
  const quote = raw[0]
  if (raw.length < 2 || raw[raw.length - 1] !== quote) return raw
  if (quote === "'") return raw.slice(1, -1).replaceAll("''", "'")
  if (quote === '"') return raw.slice(1, -1).replace(/\\(["\\/])/g, '$1')
  return raw
}

const valueNames = new Set(['BlockMapping', 'FlowMapping', 'BlockSequence', 'FlowSequence', 'Literal', 'QuotedLiteral', 'BlockLiteral'])

function valueIn(node: SyntaxNode, text: string): Value | null {
  for (let n = node.lastChild; n; n = n.prevSibling) if (valueNames.has(n.name)) return readValue(n, text)
  return null
}

function readPair(node: SyntaxNode, text: string): Entry {
  const key = node.getChild('Key')
  const keyFrom = key?.from ?? node.from
  const keyTo = key?.to ?? node.from
  return { key: plain(text.slice(keyFrom, keyTo)), keyFrom, keyTo, from: node.from, to: node.to, value: valueIn(node, text) }
}

function readItem(node: SyntaxNode, text: string): Entry {
  // a block item begins at its dash
  const dash = node.prevSibling?.name === '-' ? node.prevSibling : null
  const value = valueIn(node, text)
  const from = dash ? dash.from : (value?.from ?? node.from)
  return { key: '', keyFrom: from, keyTo: from, from, to: node.to, value }
}

function readValue(node: SyntaxNode, text: string): Value {
  const place = { from: node.from, to: node.to, text: '', entries: [] as Entry[] }
  const flow = node.name.startsWith('Flow')
  if (node.name.endsWith('Mapping')) {
    for (const p of node.getChildren('Pair')) place.entries.push(readPair(p, text))
    return { kind: 'map', flow, ...place }
  }
  if (node.name.endsWith('Sequence')) {
    for (const p of node.getChildren('Item')) place.entries.push(readItem(p, text))
    return { kind: 'list', flow, ...place }
  }
  return { kind: 'text', flow: false, ...place, text: plain(text.slice(node.from, node.to)) }
}

/** The whole file; a map without entries where it is none. */
export function readText(text: string): Value {
  const doc = yamlLanguage.parser.parse(text).topNode.getChild('Document')
  const root = doc ? valueIn(doc, text) : null
  return root?.kind === 'map' ? root : { kind: 'map', flow: false, from: 0, to: text.length, entries: [], text: '' }
}

export const entryOf = (v: Value | null | undefined, key: string): Entry | undefined => v?.entries.find((e) => e.key === key)

/** An entry by keys and, in lists, by numbers from 0 or by the name of an item. */
export function find(root: Value, path: readonly (string | number)[]): Entry | null {
  let at: Value | null = root
  let entry: Entry | null = null
  for (const step of path) {
    if (!at) return null
    const found: Entry | undefined = typeof step === 'number' ? at.entries[step] : at.kind === 'list' ? at.entries.find((e) => nameOf(e) === step) : entryOf(at, step)
    if (!found) return null
    entry = found
    at = found.value
  }
  return entry
}

/** What an item of a list is called: its `name`, or the key of the one pair in it. */
export function nameOf(e: Entry): string {
  if (e.key) return e.key
  const name = entryOf(e.value, 'name')?.value?.text
  if (name) return name
  const only = e.value?.kind === 'map' ? e.value.entries : []
  return only.length === 1 ? only[0]!.key : ''
}

/** The entries that a position lies in, outermost first. */
export function entriesAt(root: Value, pos: number): Entry[] {
  const out: Entry[] = []
  let at: Value | null = root
  while (at) {
    const inside: Entry | undefined = at.entries.find((e) => e.from <= pos && pos <= e.to)
    if (!inside) break
    out.push(inside)
    at = inside.value
  }
  return out
}

/** Keys on the way to a position, those of lists left out. */
export const keysAt = (root: Value, pos: number): string[] =>
  entriesAt(root, pos)
    .map((e) => e.key)
    .filter(Boolean)

export interface Spot {
  keys: string[] // of the mapping that is typed in, or of the value that is typed
  key: boolean // a key is typed, not a value
  from: number // of the word
  there: string[] // keys that the mapping has already
}

const word = /[\w$.-]*$/

/** What is being typed at a position, though the text around it is not whole yet. */
export function spotAt(text: string, pos: number): Spot {
  const line = text.slice(text.lastIndexOf('\n', pos - 1) + 1, pos)
  const from = pos - word.exec(line)![0].length
  const before = line.slice(0, line.length - (pos - from))
  const key = /^\s*(- +)*$|[{,]\s*$/.test(before) && !/^\s*[\w-]*:/.test(text.slice(pos, pos + 1))
  const rest = text.slice(pos)
  const tail = /^[\w-]*/.exec(rest)![0].length
  const colon = /^[\w-]*\s*:/.test(rest)
  // with a whole pair, or a whole value, in the place of the word the text can be read
  const insert = key ? (colon ? 'x' : 'x: x') : from < pos || tail > 0 ? text.slice(from, pos + tail) : 'x'
  const whole = text.slice(0, from) + insert + text.slice(pos + tail)
  const root = readText(whole)
  const chain = entriesAt(root, from)
  const keys = chain.map((e) => e.key).filter(Boolean)
  const last = chain[chain.length - 1]
  if (!key || last?.key !== 'x') return { keys, key: false, from, there: [] }
  const parent = [...chain].reverse().find((e) => e !== last && e.value?.kind === 'map')
  const map = parent?.value ?? root
  return { keys: keys.slice(0, -1), key: true, from, there: map.entries.filter((e) => e !== last).map((e) => e.key) }
}

// ---- writing ------------------------------------------------------------------------------------

/** A text as YAML: in quotes where it needs them, in brackets too. */
export function quote(value: string): string {
  const safe = /^[A-Za-z0-9$.(][^:#"'\n{}[\],&*!|>%@`]*$/.test(value) && !/\s$/.test(value)
  const word = /^(y|n|yes|no|on|off|true|false|null|~)$/i.test(value)
  return safe && !word ? value : `"${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`
}

const lineStart = (text: string, pos: number): number => text.lastIndexOf('\n', pos - 1) + 1

function lineEnd(text: string, pos: number): number {
  const end = text.indexOf('\n', pos)
  return end < 0 ? text.length : end
}

const indentAt = (text: string, pos: number): string => /^ */.exec(text.slice(lineStart(text, pos)))![0]

/** Puts lines behind an entry's last line, whatever comment stands there. */
function below(text: string, e: { to: number }, lines: string): Edit {
  const end = lineEnd(text, e.to)
  return { from: end, to: end, insert: `\n${lines}` }
}

// behind the last entry of brackets that have some
function inFlow(v: Value, insert: string): Edit {
  const last = v.entries[v.entries.length - 1]
  return last ? { from: last.to, to: last.to, insert: `, ${insert}` } : { from: v.from + 1, to: v.from + 1, insert }
}

/** Keys of a scene, in the order in which they usually stand. */
const order = [
  'pliant', 'title', 'files', 'units', 'dimension', 'parameters', 'materials', 'nodes', 'bodies', 'mechanism', 'weld', 'springs', 'stops', 'friction', 'tables',
  'masses', 'potentials', 'matrices', 'sets', 'fixed', 'drives', 'loads', 'tendons', 'foundations', 'joins', 'obstacles', 'contact', 'self_contact', 'interlocking',
  'patches', 'gravity', 'damping', 'initial', 'watch', 'output', 'analyses',
]

/** A new section, behind those that usually stand before it. */
function newSection(text: string, root: Value, name: string, lines: string): Edit {
  const place = order.indexOf(name)
  const before = root.entries.filter((e) => order.indexOf(e.key) >= 0 && order.indexOf(e.key) < place)
  const last = before[before.length - 1] ?? root.entries[0]
  if (last) return below(text, last, lines)
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  return { from: text.length, to: text.length, insert: `${gap}${lines}\n` }
}

/** Gives `section: {name: value}` an entry; one that is there gets the value. */
export function setNamed(text: string, section: string, name: string, value: string): Edit {
  const root = readText(text)
  const entry = entryOf(root, section)
  const pair = `${quote(name)}: ${value}`
  const known = entryOf(entry?.value, name)
  if (known) return replaceValue(known, value)
  if (!entry) return newSection(text, root, section, `${section}:\n  ${pair}`)
  const map = entry.value
  if (!map || map.kind !== 'map') return replaceValue(entry, `\n  ${pair}`)
  if (map.flow) return inFlow(map, pair)
  const last = map.entries[map.entries.length - 1]!
  return below(text, last, `${indentAt(text, last.from)}${pair}`)
}

function replaceValue(e: Entry, value: string): Edit {
  if (e.value) return { from: e.value.from, to: e.value.to, insert: value }
  return { from: e.to, to: e.to, insert: value.startsWith('\n') ? value : ` ${value}` }
}

/** Gives a list an item, e.g. `{node: tip, mass: 1 g}`. */
export function addItem(text: string, section: string, item: string): Edit {
  const root = readText(text)
  const entry = entryOf(root, section)
  if (!entry) return newSection(text, root, section, `${section}:\n  - ${item}`)
  const list = entry.value
  if (!list || list.kind !== 'list') return replaceValue(entry, `\n  - ${item}`)
  if (list.flow) return inFlow(list, item)
  const last = list.entries[list.entries.length - 1]!
  return below(text, last, `${indentAt(text, last.from)}- ${item}`)
}

/** The same of a list somewhere; null: there is none. */
export function addItemAt(text: string, path: readonly (string | number)[], item: string): Edit | null {
  const entry = find(readText(text), path)
  const list = entry?.value
  if (!entry || (list && list.kind !== 'list')) return null
  if (!list || list.entries.length === 0) return replaceValue(entry, ` [${item}]`.trimStart())
  if (list.flow) return inFlow(list, item)
  const last = list.entries[list.entries.length - 1]!
  return below(text, last, `${indentAt(text, last.from)}- ${item}`)
}

/** Puts a value in the place of another one; null: there is no such entry. */
export function setValue(text: string, path: readonly (string | number)[], value: string): Edit | null {
  const e = find(readText(text), path)
  return e ? replaceValue(e, value) : null
}

/** A name that the section has not yet. */
export function freeName(text: string, section: string, stem: string): string {
  const taken = new Set(entryOf(readText(text), section)?.value?.entries.map(nameOf))
  for (let k = 1; ; k++) if (!taken.has(k === 1 ? stem : `${stem}${k}`)) return k === 1 ? stem : `${stem}${k}`
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits].sort((a, b) => b.from - a.from).reduce((t, e) => t.slice(0, e.from) + e.insert + t.slice(e.to), text)
}
