// A browser that tells on its pages: what they ask for, what they complain of, how they look.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const web = join(dirname(fileURLToPath(import.meta.url)), '../../../studio/web')
const require = createRequire(join(web, 'package.json'))
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((p) => existsSync(p)) ?? ''

const flags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
]

/** Why there can be no browser; '': there can. */
export function missing() {
  if (!chromiumPath) return 'chromium is not installed (Debian package chromium)'
  if (!existsSync(join(web, 'node_modules/playwright-core'))) return 'playwright-core is not there: npm ci in studio/web'
  return ''
}

/** A browser with an empty profile. `faults` gathers what should not be. */
export async function openBrowser({ still = true } = {}) {
  const { chromium } = require('playwright-core')
  const profile = mkdtempSync(join(tmpdir(), 'studio-walk-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath, args: flags, headless: true,
    viewport: { width: 1280, height: 800 }, reducedMotion: still ? 'reduce' : 'no-preference', colorScheme: 'light',
  })
  // what the policy of the page forbids is told with its place
  await context.addInitScript(() => addEventListener('securitypolicyviolation', (e) => console.error(`${e.violatedDirective} forbids ${e.blockedURI}, ${e.sourceFile}:${e.lineNumber}`, e.target?.outerHTML?.slice(0, 200))))
  const faults = []
  const requests = []
  // these never leave the machine
  const stays = (url) => /^(blob:|data:|about:|file:)/.test(url) || new URL(url).hostname === '127.0.0.1'
  const heed = (url) => {
    requests.push(url)
    if (!stays(url)) faults.push(`a request leaves the machine: ${url}`)
  }
  await context.route('**/*', (route) => (stays(route.request().url()) ? route.continue() : route.abort()))
  context.on('request', (r) => heed(r.url()))
  context.on('page', (page) => {
    page.on('websocket', (s) => heed(s.url().replace(/^ws/, 'http')))
    page.on('console', (m) => {
      // of the software renderer, which reads what it drew
      if (/GPU stall due to ReadPixels/.test(m.text())) return
      if (m.type() === 'error' || m.type() === 'warning') faults.push(`console: ${m.text()} (${m.location().url})`)
    })
    page.on('pageerror', (e) => faults.push(`error of the page: ${e.stack ?? e.message}`))
    page.on('crash', () => faults.push('the page crashed'))
  })
  return {
    context, faults, requests, profile,
    async close() {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

// ---- looks --------------------------------------------------------------------------------------

const axe = () => readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** Serious and critical faults of accessibility, in words. */
export async function barriers(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe())
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
    return violations.map((v) => ({ id: v.id, impact: v.impact, nodes: v.nodes.map((n) => `${n.target.join(' ')}: ${n.any[0]?.message ?? n.failureSummary}`) }))
  })
  return found.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id} (${v.impact}): ${v.nodes.slice(0, 4).join('; ')}`)
}

export const sizes = { '1280': { width: 1280, height: 800 }, '1920': { width: 1920, height: 1080 }, '420': { width: 420, height: 800 } }
const looks = [['1280', 'light'], ['1280', 'dark'], ['1920', 'light'], ['420', 'light'], ['420', 'dark']]

// what sticks out of the window makes it scroll sideways
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Pictures of a screen in all sizes and colours, and its faults. */
export async function look(page, folder, name, faults, each = looks) {
  mkdirSync(folder, { recursive: true })
  for (const [size, theme] of each) {
    await page.setViewportSize(sizes[size])
    await page.emulateMedia({ colorScheme: theme })
    await settle(page)
    writeFileSync(join(folder, `${name}-${size}-${theme}.png`), await page.screenshot({ caret: 'initial' }))
    const wide = await overflow(page)
    if (wide > 0) faults.push(`${name}, ${size} wide: ${wide} pixels stick out`)
    if (size !== '1920') for (const b of await barriers(page)) faults.push(`${name}, ${size} ${theme}: ${b}`)
  }
  await page.setViewportSize(sizes['1280'])
  await page.emulateMedia({ colorScheme: 'light' })
  await settle(page)
}

/** Until transitions have ended and two frames are drawn. */
export async function settle(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise((r) => requestAnimationFrame(r))
    await frame()
    await Promise.all(document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity).map((a) => a.finished.catch(() => {})))
    await frame()
    await frame()
  })
}

/** Share of pixels that are not the commonest colour of a part of the page. */
export async function drawn(page, locator) {
  const shot = (await locator.screenshot({ caret: 'initial' })).toString('base64')
  return page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const c = canvas.getContext('2d')
    c.drawImage(image, 0, 0)
    const px = new Uint32Array(c.getImageData(0, 0, image.width, image.height).data.buffer)
    const count = new Map()
    for (const p of px) count.set(p, (count.get(p) ?? 0) + 1)
    return 1 - Math.max(...count.values()) / px.length
  }, shot)
}
