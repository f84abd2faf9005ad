// Where things of a model stand in the text of its scene.
import type { Problem } from './protocol'
import type { Mark } from './scene'
import { entriesAt, find, nameOf, readText } from './scene_text'
import type { Entry } from './scene_text'
import { schema } from './schema'

export interface Place {
  from: number
  to: number
}

/** The word at a column, counted in bytes from 1; 0: the whole line. */
export function placeOf(line: string, col: number): Place {
  const start = line.length - line.trimStart().length
  if (col < 1) return { from: start, to: line.length }
  let from = 0
  for (let bytes = 1; bytes < col && from < line.length; from++) {
    const code = line.charCodeAt(from)
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code >= 0xd800 && code < 0xe000 ? 2 : 3
  }
  const word = /^("[^"]*"|'[^']*'|[^\s,{}[\]#]+)/.exec(line.slice(from))
  return { from: Math.min(from, line.length), to: Math.min(from + (word ? word[0].length : 1), line.length) }
}

const sections: Record<string, string> = { body: 'bodies', set: 'sets', drive: 'drives', load: 'loads', parameter: 'parameters', analysis: 'analyses', watch: 'watch', support: 'fixed' }

/** Where a mark's entry stands. */
export function textPlace(text: string, m: Mark, problems: readonly Problem[]): Place | null {
  if (m.kind === 'problem') return problemPlace(text, problems[m.index])
  const root = readText(text)
  const section = find(root, [sections[m.kind]!])
  if (!section) return null
  const list = section.value?.entries ?? []
  const named = list.find((e) => nameOf(e) === m.name)
  // what has no name is told by its number, where the text has as many
  return trimmed(text, named ?? (section.value?.kind === 'list' ? list[m.index] : undefined) ?? section)
}

function trimmed(text: string, e: Entry): Place {
  return { from: e.from, to: e.from + text.slice(e.from, e.to).trimEnd().length }
}

export function problemPlace(text: string, p: Problem | undefined): Place | null {
  if (!p || p.line < 1) return null
  let from = 0
  for (let k = 1; k < p.line && from >= 0; k++) from = text.indexOf('\n', from) + 1 || -1
  if (from < 0) return null
  const end = text.indexOf('\n', from)
  const place = placeOf(text.slice(from, end < 0 ? text.length : end), p.col)
  return { from: from + place.from, to: from + place.to }
}

/** What the key at a position means. */
export function keyText(text: string, pos: number): { from: number; to: number; path: string; text: string } | null {
  const chain = entriesAt(readText(text), pos)
  const last = chain[chain.length - 1]
  if (!last?.key || pos < last.keyFrom || pos > last.keyTo) return null
  const keys = chain.map((e) => e.key).filter(Boolean)
  const told = schema.peek()?.text(keys)
  return told ? { from: last.keyFrom, to: last.keyTo, path: keys.join('.'), text: told } : null
}

/** The entry of a section that a position lies in, as a mark of the model. */
export function markAt(text: string, pos: number): Mark | null {
  const chain = entriesAt(readText(text), pos)
  const kind = Object.keys(sections).find((k) => sections[k] === chain[0]?.key) as Mark['kind'] | undefined
  const one = chain[1]
  if (!kind || !one) return null
  const index = chain[0]!.value?.entries.indexOf(one) ?? 0
  return { kind, index, name: nameOf(one) }
}

