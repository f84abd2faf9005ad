// The viewer in a browser: node --test test/viewer-page.test.mjs (needs Chromium).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { browser, page } from './shots.mjs'
import { until } from './until.mjs'

const folder = mkdtempSync(join(tmpdir(), 'viewer-page-'))
let address, open, p
const faults = []

async function visit(what, media = {}) {
  await p.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', ...media })
  await p.goto(`${address}?${what}`)
  await p.waitForFunction(() => window.viewer && viewer.box.clientWidth > 0)
  await p.waitForTimeout(400)
}

before(async () => {
  address = await page(folder)
  open = await browser()
  p = await open.context.newPage()
  p.on('pageerror', (e) => faults.push(e.message))
  p.on('console', (m) => m.type() === 'error' && faults.push(m.text()))
  await p.setViewportSize({ width: 800, height: 600 })
})

after(async () => {
  await open.close()
  rmSync(folder, { recursive: true, force: true })
})

// colours of the picture that is saved, how many there are
const colours = async () => {
  const bytes = await p.evaluate(async () => {
    const b = await viewer.png(1)
    const bitmap = await createImageBitmap(b)
    const c = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    c.drawImage(bitmap, 0, 0)
    const d = new Uint32Array(c.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)
    return { width: bitmap.width, height: bitmap.height, n: new Set(d).size }
  })
  return bytes
}

test('pictures are saved at any scale', async () => {
  await visit('coloured')
  const one = await colours()
  assert.deepEqual([one.width, one.height], [800, 600])
  assert.ok(one.n > 500, `${one.n} colours`)
  const size = await p.evaluate(async () => (await createImageBitmap(await viewer.png(2.5))).width)
  assert.equal(size, 2000)
})

test('drags turn, with Shift they move, the wheel zooms about what is below it', async () => {
  await visit('plain')
  const was = await p.evaluate(() => viewer.pose)
  await p.mouse.move(400, 300)
  await p.mouse.down()
  await p.mouse.move(500, 340, { steps: 4 })
  await p.mouse.up()
  const turned = await p.evaluate(() => viewer.pose)
  assert.ok(Math.abs(turned.az - was.az) > 0.3 && Math.abs(turned.el - was.el) > 0.1)
  assert.deepEqual(turned.target, was.target)
  await p.keyboard.down('Shift')
  await p.mouse.down()
  await p.mouse.move(400, 300, { steps: 4 })
  await p.mouse.up()
  await p.keyboard.up('Shift')
  const moved = await p.evaluate(() => viewer.pose)
  assert.equal(moved.az, turned.az)
  assert.notDeepEqual(moved.target, turned.target)
  await p.mouse.wheel(0, -200)
  await until('the view is nearer', async () => (await p.evaluate(() => viewer.pose.half)) < moved.half)
})

test('keys turn, zoom, look along axes and fit', async () => {
  await visit('plain')
  const pose = () => p.evaluate(() => viewer.pose)
  await p.evaluate(() => viewer.box.focus())
  const was = await pose()
  await p.keyboard.press('ArrowLeft')
  assert.notEqual((await pose()).az, was.az)
  await p.keyboard.press('+')
  assert.ok((await pose()).half < was.half)
  await p.keyboard.press('3')
  assert.equal((await pose()).el, Math.PI / 2)
  await p.keyboard.press('1')
  assert.deepEqual([(await pose()).az, (await pose()).el], [0, 0])
  await p.keyboard.press('0')
  const home = await pose()
  assert.ok(Math.abs(home.half - was.half) < 1e-9 && Math.abs(home.az - was.az) < 1e-9)
})

test('keys go from node to node', async () => {
  await visit('plain')
  await p.evaluate(() => {
    window.walked = []
    viewer.options.onPick = (v) => walked.push(v)
    viewer.box.focus()
  })
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowUp']) await p.keyboard.press(`Control+${key}`)
  const at = await p.evaluate(() => walked.map((v) => [viewer.seen[3 * v], viewer.seen[3 * v + 1]]))
  assert.equal(at.length, 4)
  assert.ok(at[0][0] < at[1][0] && at[1][0] < at[2][0], 'to the right')
  assert.ok(at[3][1] < at[2][1], 'up')
})

test('a click picks the node in front, and a click beside the model none', async () => {
  await visit('plain')
  // the node that the screen shows at a corner of the model
  const at = await p.evaluate(() => {
    const m = viewer.layout.model
    let best = [0, -Infinity]
    const [, , d] = viewer.rig.basis()
    for (let v = 0; v < m.x.length / 3; v++) {
      const near = d[0] * m.x[3 * v] + d[1] * m.x[3 * v + 1] + d[2] * m.x[3 * v + 2]
      if (near > best[1]) best = [v, near]
    }
    const q = viewer.rig.projection()
    const s = [0, 1, 2].map((c) => m.x[3 * best[0] + c] - q.target[c])
    const dot = (a) => a[0] * s[0] + a[1] * s[1] + a[2] * s[2]
    return { node: best[0], x: q.width / 2 + dot(q.right) / q.perPixel, y: q.height / 2 - dot(q.up) / q.perPixel }
  })
  await p.mouse.click(at.x + 2, at.y - 1)
  assert.equal(await p.evaluate(() => picked), at.node)
  await p.mouse.click(4, 4)
  assert.equal(await p.evaluate(() => picked), null)
})

test('a box takes the nodes within', async () => {
  await visit('plain')
  await p.evaluate(() => viewer.setBrush('box'))
  await p.mouse.move(2, 2)
  await p.mouse.down()
  await p.mouse.move(796, 590, { steps: 3 })
  await p.mouse.up()
  const [got, all] = await p.evaluate(() => [brushed, viewer.layout.nvert])
  assert.equal(got, all)
  const before = await p.evaluate(() => viewer.pose.az)
  await p.evaluate(() => viewer.setBrush('lasso'))
  await p.mouse.move(2, 2)
  await p.mouse.down()
  for (const [x, y] of [[60, 2], [60, 60], [2, 60]]) await p.mouse.move(x, y)
  await p.mouse.up()
  assert.equal(await p.evaluate(() => brushed), 0)
  assert.equal(await p.evaluate(() => viewer.pose.az), before)
})

test('fingers turn and pinch', async () => {
  await visit('plain')
  const session = await open.context.newCDPSession(p)
  const touch = (type, ...points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) })
  const was = await p.evaluate(() => viewer.pose)
  await touch('touchStart', [300, 300])
  for (const x of [320, 350, 380]) await touch('touchMove', [x, 300])
  await touch('touchEnd')
  const turned = await p.evaluate(() => viewer.pose)
  assert.notEqual(turned.az, was.az)
  await touch('touchStart', [300, 300], [400, 300])
  for (const d of [20, 60, 100]) await touch('touchMove', [300 - d, 300], [400 + d, 300])
  await touch('touchEnd')
  const closer = await p.evaluate(() => viewer.pose)
  assert.equal(closer.az, turned.az)
  assert.ok(Math.abs(closer.half / was.half - 1 / 3) < 0.02, `${closer.half / was.half}`)
})

test('nothing is drawn while nothing moves, or nobody looks', async () => {
  await visit('sheet&n=20', { reducedMotion: 'no-preference' })
  const frames = (ms) => p.evaluate((ms) => new Promise((done) => {
    let n = 0
    const old = viewer.frame
    viewer.frame = function (now) { n++; old.call(this, now) }
    setTimeout(() => { delete viewer.frame; done(n) }, ms)
  }), ms)
  await until('frames', async () => (await frames(200)) > 2)
  await p.evaluate(() => viewer.pause())
  await until('no frames', async () => (await frames(500)) === 0)
  await p.evaluate(() => { viewer.play(); viewer.box.parentElement.style.display = 'none' })
  await until('no frames', async () => (await frames(500)) === 0)
  await p.evaluate(() => { viewer.box.parentElement.style.display = '' })
  await until('frames', async () => (await frames(200)) > 2)
})

test('motions begin at rest where motion is to be reduced, and cameras leap', async () => {
  await visit('sheet&n=20')
  assert.equal(await p.evaluate(() => viewer.player.playing), false)
  await p.evaluate(() => viewer.preset('z'))
  assert.equal(await p.evaluate(() => viewer.pose.el), Math.PI / 2)
  await p.evaluate(() => viewer.box.focus())
  await p.keyboard.press(' ')
  assert.equal(await p.evaluate(() => viewer.player.playing), true)
  await visit('sheet&n=20', { reducedMotion: 'no-preference' })
  assert.equal(await p.evaluate(() => viewer.player.playing), true)
})

test('what is enlarged says so, and nodes are picked where they are drawn', async () => {
  await visit('sheet&n=10')
  await p.evaluate(() => { viewer.setPhase(0.1); viewer.setExaggeration(5) })
  await until('it is drawn', () => p.evaluate(() => `${viewer.picture.body.x.slice(-3)}` === `${viewer.shown.slice(-3)}`))
  const [x, shown, drawn] = await p.evaluate(() => [viewer.x, viewer.shown, viewer.picture.body.x].map((a) => [...a.slice(-3)]))
  const rest = await p.evaluate(() => [...viewer.layout.model.x.slice(-3)])
  rest.forEach((r, c) => assert.ok(Math.abs(shown[c] - r - 5 * (x[c] - r)) < 1e-5))
  assert.deepEqual(drawn, shown)
  await p.evaluate(() => viewer.setExaggeration(1))
  assert.deepEqual(await p.evaluate(() => [...viewer.shown.slice(-3)]), x)
})

test('frames of a period come as a ZIP of pictures', async () => {
  await visit('ghost')
  const bytes = await p.evaluate(async () => [...new Uint8Array(await (await viewer.frames(3)).arrayBuffer())])
  const path = join(folder, 'frames.zip')
  writeFileSync(path, Uint8Array.from(bytes))
  const names = execFileSync('python3', ['-c', 'import zipfile, sys; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), *z.namelist(), len({z.read(n) for n in z.namelist()}))', path]).toString().trim()
  assert.equal(names, 'None frame-0000.png frame-0001.png frame-0002.png 3')
})

test('what is thrown away frees the memory of the graphics', async () => {
  await visit('drape')
  const before = await p.evaluate(() => viewer.picture.stage.renderer.info.memory)
  assert.ok(before.geometries > 3)
  const left = await p.evaluate(() => {
    const { info } = viewer.picture.stage.renderer
    viewer.dispose()
    return { ...info.memory, children: document.querySelector('main').children.length }
  })
  assert.deepEqual([left.geometries, left.textures, left.children], [0, 0, 0])
})

test('models come and go without a trace', async () => {
  await visit('coloured')
  const memory = await p.evaluate(() => {
    const m = viewer.layout.model
    const once = () => {
      viewer.setModel(m)
      viewer.setTrails([3])
      viewer.setGhost(m.x)
      viewer.setColour(new Float32Array(m.triangles.length / 3), 0, 1, 'x', { perFace: true })
      viewer.draw(viewer.picture.stage.quality(false))
      return viewer.picture.stage.renderer.info.memory.geometries
    }
    const first = once()
    for (let k = 0; k < 4; k++) once()
    return [first, once()]
  })
  assert.equal(memory[0], memory[1])
})

test('the page has no errors', () => assert.deepEqual(faults, []))

test('without WebGL the model is drawn plainly, and the box says so', async () => {
  const plain = await browser(['--disable-3d-apis'])
  const q = await plain.context.newPage()
  try {
    await q.emulateMedia({ reducedMotion: 'reduce' })
    for (const what of ['solid', 'links', 'ghost', 'sheet']) {
      await q.goto(`${address}?${what}`)
      await q.locator('[role=status]', { hasText: 'no WebGL' }).waitFor()
      const n = await q.evaluate(() => {
        const c = document.querySelector('canvas')
        return new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size
      })
      assert.ok(n > 10, `${what}: ${n} colours`)
      if (process.env.SHOTS) await q.screenshot({ path: join(process.env.SHOTS, `plain-${what}.png`) })
    }
  } finally {
    await plain.close()
  }
})
