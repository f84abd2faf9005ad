// What the screens share.
import { computed, signal } from '@preact/signals'
import { Connection, RequestError, takeToken } from './connection'
import { recall, remember } from './keep'

export const connection = new Connection(takeToken())
export const hello = connection.hello

// ---- screens ------------------------------------------------------------------------------------

const fromAddress = (): string => /^#\/([a-z]+)$/.exec(location.hash)?.[1] ?? ''

export const screen = signal(fromAddress() || recall('screen') || 'gallery')

export function show(id: string): void {
  screen.value = id
  if (fromAddress() !== id) history.pushState(null, '', `#/${id}`)
  remember('screen', id)
}

export function followAddress(): void {
  screen.value = fromAddress() || screen.value
}

// ---- notices ------------------------------------------------------------------------------------

export interface Notice {
  id: number
  level: 'note' | 'warning' | 'error'
  text: string
  hint: string
}

export const notices = signal<readonly Notice[]>([])
let noticeId = 0

export function notify(level: Notice['level'], text: string, hint = ''): void {
  const id = ++noticeId
  notices.value = [...notices.value.filter((n) => n.text !== text), { id, level, text, hint }].slice(-4)
  if (level !== 'error') setTimeout(() => dismiss(id), 6000)
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((n) => n.id !== id)
}

/** Tells why something did not work. */
export function complain(why: unknown): void {
  if (why instanceof RequestError) notify('error', why.message, why.hint)
  else notify('error', why instanceof Error ? why.message : String(why))
}

// ---- sheets over the page -----------------------------------------------------------------------

export const sheet = signal<'none' | 'keys' | 'tour'>('none')

export const folderName = computed(() => hello.value?.folder.split('/').filter(Boolean).pop() ?? '')
