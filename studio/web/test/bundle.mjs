// TypeScript of the page as a module that node runs.
import { build } from 'esbuild'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const web = join(dirname(fileURLToPath(import.meta.url)), '..')

export async function load(...files) {
  const contents = files.map((f) => `export * from './src/${f}'`).join('\n')
  const out = await build({ stdin: { contents, resolveDir: web, loader: 'ts' }, bundle: true, write: false, format: 'esm', platform: 'node', logLevel: 'warning' })
  return import(`data:text/javascript;base64,${Buffer.from(out.outputFiles[0].contents).toString('base64')}`)
}
