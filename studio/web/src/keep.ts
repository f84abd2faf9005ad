// What a page remembers from one visit to the next, where the browser allows it.

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`pliant-${name}`)
  } catch {
    return null
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`pliant-${name}`, value)
  } catch {
    // not allowed: it is forgotten
  }
}

/** What a tab keeps while it lives, its page loaded again included; null: nothing. */
export function recallTab(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(`pliant-${name}`) ?? 'null')
  } catch {
    return null
  }
}

export function rememberTab(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(`pliant-${name}`, JSON.stringify(value))
  } catch {
    // not allowed, or too large
  }
}
