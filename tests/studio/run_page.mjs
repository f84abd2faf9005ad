// One test file of the page: node run_page.mjs studio/web/test/NAME.test.mjs PLIANT. Leaves with 77, skipped, where
// npm has not installed what it needs.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [file, pliant] = process.argv.slice(2)
if (!existsSync(join(dirname(file), '../node_modules/esbuild'))) process.exit(77)
const { status } = spawnSync(process.execPath, ['--test', file], { stdio: 'inherit', env: { ...process.env, PLIANT: pliant } })
process.exit(status ?? 1)
