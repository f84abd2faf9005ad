// Builds the test page of the viewer and takes pictures of it: node test/shots.mjs FOLDER [NAME...]
import { build } from 'esbuild'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

export const flags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
]

export async function page(folder) {
  const here = dirname(fileURLToPath(import.meta.url))
  mkdirSync(folder, { recursive: true })
  await build({ entryPoints: [join(here, 'viewer.ts')], bundle: true, minify: true, format: 'iife', target: 'es2022', outfile: join(folder, 'viewer.js'), logLevel: 'warning' })
  copyFileSync(join(here, 'viewer.html'), join(folder, 'viewer.html'))
  return pathToFileURL(join(folder, 'viewer.html')).href
}

export async function browser(more = []) {
  const profile = mkdtempSync(join(tmpdir(), 'viewer-'))
  const context = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args: [...flags, ...more], headless: true })
  return { context, close: async () => { await context.close(); rmSync(profile, { recursive: true, force: true }) } }
}

async function shoot(folder, names) {
  const address = await page(folder)
  const { context, close } = await browser()
  for (const name of names) {
    const [what, theme = 'light', size = '1280x800'] = name.split(':')
    const [width, height] = size.split('x').map(Number)
    const p = await context.newPage()
    p.on('console', (m) => console.log(name, m.type(), m.text()))
    p.on('pageerror', (e) => console.log(name, 'error', e.message))
    await p.setViewportSize({ width, height })
    await p.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await p.goto(`${address}?${what}`)
    await p.waitForTimeout(2500)
    await p.screenshot({ path: join(folder, `${name.replaceAll(':', '-')}.png`) })
    await p.close()
  }
  await close()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await shoot(process.argv[2], process.argv.slice(3))
