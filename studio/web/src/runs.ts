// Runs as this page knows them: what they told, item by item, and what grows live.
import { computed, signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { Item, IterateTold, Model, Run, ServerEvent } from './protocol'
import type { Frame } from './connection'
import { complain, connection } from './state'

export interface Progress {
  what: string
  done: number // 0..1
  text: string
  left: number | null // s
}

/** A table that has not ended. */
export interface LiveTable {
  name: string
  columns: readonly { name: string; unit: string }[]
  rows: (number | null)[][] // grows in place
  every: number // of long tables: every second row, every fourth ...
  changes: number
}

export type Iterate = IterateTold

export class RunView {
  readonly info: Signal<Run>
  readonly items = signal<readonly Item[]>([])
  readonly progress = signal<Progress | null>(null)
  readonly tables = signal<readonly LiveTable[]>([])
  readonly frame = signal<Frame | null>(null)
  readonly iterates = signal<readonly Iterate[]>([])
  readonly shown = signal(-1) // number of the item that is seen in 3-D, -1: the newest
  private asking = false
  private again = false

  constructor(run: Run) {
    this.info = signal(run)
  }

  /** Fetches what has been told since. */
  async catchUp(): Promise<void> {
    this.again = true
    if (this.asking) return
    this.asking = true
    try {
      while (this.again) await this.ask()
    } catch (e) {
      if (connection.status.value === 'open') complain(e)
    } finally {
      this.asking = false
    }
  }

  private async ask(): Promise<void> {
    this.again = false
    const from = this.items.value.length
    const { items } = await connection.request('items', { run: this.info.value.run, from })
    if (items.length > 0) this.items.value = [...this.items.value, ...items]
    this.tables.value = this.tables.value.filter((t) => !items.some((i) => i.kind === 'table' && i.name === t.name))
    // iterates of designs are told there, also when they have ended
    if (!ended(this.info.value) || from === 0) await this.askLive()
  }

  private async askLive(): Promise<void> {
    const { tables, iterates } = await connection.request('live', { run: this.info.value.run })
    for (const t of tables) {
      const data = await connection.floats(t.data)
      const n = t.columns.length
      const rows = Array.from({ length: t.rows }, (_, k) => [...data.subarray(k * n, (k + 1) * n)])
      const known = this.tables.value.find((l) => l.name === t.name)
      if (!known || known.rows.length < rows.length) this.takeRows({ event: 'rows', run: this.info.value.run, table: t.name, columns: t.columns, first: 0, every: t.every, rows })
    }
    if (iterates.length > this.iterates.value.length) this.iterates.value = iterates
  }

  takeItem(n: number, item: Item): void {
    const have = this.items.value.length
    if (n === have && !this.asking) this.items.value = [...this.items.value, item]
    else if (n >= have) void this.catchUp()
    if (item.kind === 'table') this.tables.value = this.tables.value.filter((t) => t.name !== item.name)
  }

  takeRows(e: Extract<ServerEvent, { event: 'rows' }>): void {
    const known = this.tables.value.find((t) => t.name === e.table)
    const rows = known ? known.rows : []
    if (e.first > rows.length) {
      void this.catchUp()
      return
    }
    rows.length = e.first
    rows.push(...e.rows)
    const now = { name: e.table, columns: e.columns, rows, every: e.every, changes: (known?.changes ?? 0) + 1 }
    this.tables.value = known ? this.tables.value.map((t) => (t === known ? now : t)) : [...this.tables.value, now]
  }
}

export const runs = signal<readonly RunView[]>([])
export const current = signal(0) // number of the run that is looked at
export const currentRun = computed(() => runs.value.find((r) => r.info.value.run === current.value) ?? null)
export const shownRun = computed(() => currentRun.value ?? runs.value[runs.value.length - 1] ?? null)
export const active = computed(() => runs.value.find((r) => r.info.value.state === 'running') ?? null)

export const findRun = (run: number): RunView | null => runs.value.find((r) => r.info.value.run === run) ?? null

export const ended = (r: Run): boolean => r.state !== 'queued' && r.state !== 'running'

function keep(run: Run): RunView {
  const known = findRun(run.run)
  if (known) {
    known.info.value = run
    return known
  }
  const fresh = new RunView(run)
  runs.value = [...runs.value, fresh]
  return fresh
}

function take(e: ServerEvent): void {
  if (e.event === 'run') {
    const view = keep(e.run)
    if (ended(e.run)) view.progress.value = null
    return
  }
  if (e.event === 'dropped') {
    runs.value = runs.value.filter((r) => r.info.value.run !== e.run)
    return
  }
  if (e.event === 'lost') return
  const view = findRun(e.run)
  if (!view) return
  if (e.event === 'progress') view.progress.value = { what: e.what, done: e.done, text: e.text, left: e.left }
  else if (e.event === 'item') view.takeItem(e.n, e.item)
  else if (e.event === 'rows') view.takeRows(e)
  else if (e.event === 'iterate') view.iterates.value = [...view.iterates.value, e]
}

async function refresh(): Promise<void> {
  try {
    const got = await connection.request('runs', {})
    const there = new Set(got.runs.map((r) => r.run))
    runs.value = runs.value.filter((r) => there.has(r.info.value.run))
    await Promise.all(got.runs.map((r) => keep(r).catchUp()))
  } catch (e) {
    if (connection.status.value === 'open') complain(e)
  }
}

export function watchRuns(): void {
  connection.onEvent(take)
  connection.onFrame((f) => {
    const view = findRun(f.run)
    if (view) view.frame.value = f
  })
  connection.onOpen(() => void refresh())
}

/** A folder of results, as a run that has ended. */
export async function openRun(folder: string): Promise<void> {
  current.value = (await connection.request('results', { path: folder })).run
}

export async function cancelRun(run: number): Promise<void> {
  await connection.request('cancel', { run }).catch(complain)
}

export async function resumeRun(run: number): Promise<void> {
  try {
    current.value = (await connection.request('resume', { run })).run
  } catch (e) {
    complain(e)
  }
}

const models = new Map<number, Promise<Model>>()

/** The model of a run, by its revision. */
export function modelOf(rev: number): Promise<Model> {
  const known = models.get(rev)
  if (known) return known
  const asked = connection.request('model', { rev }).then((r) => r.model)
  models.set(rev, asked)
  asked.catch(() => models.delete(rev))
  return asked
}
