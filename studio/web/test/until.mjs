// Asks until the answer is yes; fails after half a minute, however busy the machine is.
import assert from 'node:assert/strict'

export async function until(what, ask) {
  for (const end = Date.now() + 30000; Date.now() < end; await new Promise((r) => setTimeout(r, 50))) if (await ask()) return
  assert.fail(`never: ${what}`)
}
