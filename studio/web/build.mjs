// The page in four files, each also as .gz: app.js, app.css, index.html, icon.svg; and player.js, the script of
// reports that plays their motions.
//   node build.mjs [--out FOLDER] [--watch] [--plain]
import { build, context } from 'esbuild'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const here = dirname(fileURLToPath(import.meta.url))
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : null)
const out = option('--out') ?? join(here, 'dist')
const plain = process.argv.includes('--plain')
const target = 500 // kB of gzip in all
const playerTarget = 200

function press(name) {
  const bytes = readFileSync(join(out, name))
  const zip = gzipSync(bytes, { level: 9 })
  writeFileSync(join(out, `${name}.gz`), zip)
  console.log(`${name.padEnd(11)}${(bytes.length / 1000).toFixed(1).padStart(8)} kB${(zip.length / 1000).toFixed(1).padStart(8)} kB gzip`)
  return zip.length
}

function pack() {
  const names = ['app.js', 'app.css', 'index.html', 'icon.svg']
  let all = 0
  for (const name of ['index.html', 'icon.svg']) copyFileSync(join(here, 'src', name), join(out, name))
  for (const name of names) all += press(name)
  console.log(`together           ${(all / 1000).toFixed(1).padStart(8)} kB gzip`)
  if (!plain && all > target * 1000) console.log(`more than the ${target} kB that were meant`)
}

const common = {
  outdir: out,
  bundle: true,
  minify: !plain,
  sourcemap: plain ? 'inline' : false,
  target: ['chrome110', 'firefox115', 'safari16.4'],
  legalComments: 'eof', // licences ask for it
  logLevel: 'warning',
}
const after = (f) => [{ name: 'pack', setup: (b) => b.onEnd((r) => void (r.errors.length === 0 && f())) }]
const parts = [
  {
    ...common,
    entryPoints: { app: join(here, 'src/main.tsx') },
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: after(pack),
  },
  {
    ...common,
    entryPoints: { player: join(here, 'src/report/player.ts') },
    format: 'iife',
    loader: { '.css': 'text' },
    plugins: after(() => press('player.js') > playerTarget * 1000 && console.log(`more than the ${playerTarget} kB that were meant`)),
  },
]

mkdirSync(out, { recursive: true })
for (const options of parts) {
  if (process.argv.includes('--watch')) await (await context(options)).watch()
  else await build(options)
}
