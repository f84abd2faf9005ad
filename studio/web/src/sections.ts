import type { Item } from './protocol'

export interface Section {
  name: string // '': before and after all analyses
  kind: string
  status: string | null // null: it goes on
  from: number
  to: number // one past its last item
}

/** Parts of a list of items, analysis by analysis. */
export function sections(items: readonly Item[]): Section[] {
  const out: Section[] = []
  let open: Section | null = null
  items.forEach((item, k) => {
    if (item.kind === 'begin') {
      open = { name: item.analysis, kind: item.analysisKind, status: null, from: k + 1, to: k + 1 }
      out.push(open)
    } else if (item.kind === 'end') {
      if (open) open.status = item.status
      open = null
    } else if (open) open.to = k + 1
    else if (out.length > 0 && out[out.length - 1]!.name === '') out[out.length - 1]!.to = k + 1
    else out.push({ name: '', kind: '', status: 'done', from: k, to: k + 1 })
  })
  return out
}
