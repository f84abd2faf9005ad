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

/** The same, for this tab alone and until it is closed. */
export function recallHere(name: string): string | null {
  try {
    return sessionStorage.getItem(`pliant-${name}`)
  } catch {
    return null
  }
}

export function rememberHere(name: string, value: string): void {
  try {
    sessionStorage.setItem(`pliant-${name}`, value)
  } catch {
    // not allowed: it is forgotten
  }
}
