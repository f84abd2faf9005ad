// The scene at hand: its text, what is wrong with it, its model.
import { computed, effect, signal } from '@preact/signals'
import { recallTab, rememberTab } from './keep'
import type { CheckReply, Model, Problem } from './protocol'
import { RequestError } from './connection'
import { complain, connection, notify } from './state'

export const path = signal('') // '': there is none
export const text = signal('')
export const saved = signal('')
export const dirty = computed(() => path.value !== '' && text.value !== saved.value)
export const problems = signal<readonly Problem[]>([])
export const model = signal<Model | null>(null) // of the last text without errors
export const modelStale = signal(false) // the text has errors since
export const checking = signal(false)
export const failed = computed(() => problems.value.some((p) => p.level === 'error'))

/** Counts openings: editors start anew with each. */
export const opened = signal(0)

/** What is told apart in the model, the tree and the text. */
export interface Mark {
  kind: 'body' | 'set' | 'support' | 'drive' | 'load' | 'parameter' | 'analysis' | 'watch' | 'problem'
  index: number
  name: string
}
export const mark = signal<Mark | null>(null)

/** Nodes that were picked or brushed in the model. */
export const picked = signal<Int32Array>(new Int32Array(0))

/** Changes of the text asked for from outside the editor, which carries them out. */
export interface Edit {
  from: number
  to: number
  insert: string
}
export const wanted = signal<{ edits: readonly Edit[]; show: { from: number; to: number } | null } | null>(null)

export function change(edits: readonly Edit[], show: { from: number; to: number } | null = null): void {
  wanted.value = { edits, show }
}

// ---- open and save ------------------------------------------------------------------------------

/** Asks what becomes of changes that are not saved; what answers is called with yes: go on. */
export const leaving = signal<((go: boolean) => void) | null>(null)

function mayLeave(): Promise<boolean> {
  if (!dirty.peek()) return Promise.resolve(true)
  return new Promise((answer) => {
    leaving.value = (go) => {
      leaving.value = null
      answer(go)
    }
  })
}

/** Opens a scene; false: the one at hand was kept. */
export async function openScene(which: { path: string } | { gallery: string } | { starter: string }): Promise<boolean> {
  if (!(await mayLeave())) return false
  const got = await connection.request('open', which)
  take(got.path, got.text, 'starter' in which ? '' : got.text)
  return true
}

function take(where: string, what: string, onDisk: string): void {
  path.value = where
  text.value = what
  saved.value = onDisk
  problems.value = []
  model.value = null
  mark.value = null
  picked.value = new Int32Array(0)
  opened.value++
}

// what is open, and not saved, outlives that the page is loaded again
interface Kept {
  path: string
  text: string
  saved: string
}

export function keepScene(): void {
  effect(() => rememberTab('scene', { path: path.value, text: text.value, saved: saved.value } satisfies Kept))
}

/** Opens what the page had open before it was loaded again; false: nothing. */
export function openKept(): boolean {
  const kept = recallTab('scene') as Kept | null
  if (!kept?.path) return false
  take(kept.path, kept.text, kept.saved)
  return true
}

/** A text that is no file yet. */
export async function openText(where: string, what: string): Promise<boolean> {
  if (!(await mayLeave())) return false
  take(where, what, '')
  return true
}

export async function save(): Promise<void> {
  if (!path.value) return
  const what = text.value
  try {
    await connection.request('save', { path: path.value, text: what })
    saved.value = what
    notify('note', `${path.value} is saved`)
  } catch (e) {
    complain(e)
  }
}

// ---- check --------------------------------------------------------------------------------------

const pause = 300 // ms after the last key
let asked = 0

async function check(where: string, what: string): Promise<void> {
  const mine = ++asked
  checking.value = true
  try {
    const reply = await connection.request('check', { path: where, text: what })
    if (mine === asked) apply(reply)
  } catch (e) {
    if (mine === asked && !(e instanceof RequestError && e.code === 'lost')) complain(e)
  } finally {
    if (mine === asked) checking.value = false
  }
}

function apply(reply: CheckReply): void {
  problems.value = reply.problems
  modelStale.value = reply.model === null
  if (reply.model && reply.model.rev !== model.value?.rev) model.value = reply.model
}

let timer = 0
let last = 0
effect(() => {
  const where = path.value
  const what = text.value
  const fresh = opened.value !== last
  last = opened.value
  if (!where || connection.status.value !== 'open') return
  clearTimeout(timer)
  timer = window.setTimeout(() => void check(where, what), fresh ? 0 : pause)
})

// ---- run ----------------------------------------------------------------------------------------

export async function runScene(only?: string): Promise<number | null> {
  if (!path.value) return null
  try {
    const args = { path: path.value, text: text.value }
    return (await connection.request('run', only ? { ...args, only } : args)).run
  } catch (e) {
    complain(e)
    return null
  }
}
