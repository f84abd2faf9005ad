// Runs node with what the page of the studio is made with: node run_page.mjs PLIANT ARGUMENT... Leaves with 77, skipped,
// where npm has not installed it.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const [pliant, ...args] = process.argv.slice(2)
if (!existsSync(new URL('../../studio/web/node_modules/esbuild', import.meta.url))) process.exit(77)
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, PLIANT: pliant } })
process.exit(status ?? 1)
