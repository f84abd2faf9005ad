// One view in the page, of the model that the address names: viewer.html?sheet.
import { Viewer } from '../src/viewer/viewer'
import type { ViewerOptions } from '../src/viewer/types'
import * as models from './models'

const parts = new URLSearchParams(location.search)
const which = [...parts.keys()][0] ?? 'sheet'
const options: ViewerOptions = {
  label: which,
  theme: (parts.get('theme') as 'light' | 'dark' | null) ?? 'auto',
  wheel: 'always',
  onPick: (node) => Object.assign(window, { picked: node }),
  onBrush: (nodes) => {
    Object.assign(window, { brushed: nodes.length })
    v.highlight(nodes, 'select')
  },
}
const v = new Viewer(document.querySelector('main')!, options)

const tip = (m: { watched?: { node: number }[] }): number[] => (m.watched ?? []).map((w) => w.node)

const shows: Record<string, () => void> = {
  sheet() {
    const m = models.sheet(Number(parts.get('n') ?? 100))
    v.setModel(m)
    const o = models.flapping(m, 5)
    v.playOrbit(o.coefficients, o.harmonics, o.omega)
    v.setTrails(tip(m))
  },
  coloured() {
    const m = models.sheet(100)
    v.setModel(m)
    const o = models.flapping(m, 5)
    v.playOrbit(o.coefficients, o.harmonics, o.omega)
    v.setPhase(0.2)
    v.setColour(Float32Array.from({ length: m.x.length / 3 }, (_, i) => 0.09 * (m.x[3 * i]! / 0.4) ** 2), 0, 0.09, 'amplitude (m)')
  },
  rods() {
    const m = models.network()
    v.setModel(m)
  },
  solid() {
    const m = models.solid()
    v.setModel(m)
    v.setColour(Float32Array.from({ length: m.x.length / 3 }, (_, i) => 2e6 * Math.hypot(m.x[3 * i]! - 0.05, m.x[3 * i + 2]! - 0.05)), 0, 3.6e5, 'stress (Pa)', { map: 'cividis' })
  },
  plain() {
    v.setModel(models.solid())
  },
  links() {
    const m = models.links()
    v.setModel(m)
    const o = models.swinging(m)
    v.playOrbit(o.coefficients, o.harmonics, o.omega)
    v.setTrails([4])
    v.setOnion(6)
  },
  ghost() {
    const m = models.sheet(40)
    v.setModel(m)
    const o = models.flapping(m, 5)
    v.playOrbit(o.coefficients, o.harmonics, o.omega)
    const g = models.flapping(m, 5)
    g.coefficients = g.coefficients.map((c, i) => (i % 11 ? 1.5 * c : c))
    v.setGhostOrbit(g)
    v.setPhase(0.22)
    v.pause()
  },
  drape() {
    const m = models.sheet(60)
    m.supports = []
    m.loads = []
    v.setModel(m)
    const f = models.draping(m, 40)
    v.setColour(f.face!.subarray(0, 7200), 0, 0.12, 'strain', { perFace: true, limit: 0.12 })
    v.playFilm(f)
    v.setPhase(0.97)
    v.pause()
  },
  mail() {
    v.setModel({ x: new Float32Array(0), length: { unit: 'mm', si: 1e-3 } })
    v.setSolids(models.mail(16))
  },
}
Object.assign(window, { viewer: v })
shows[which]!()
