// Plots of all kinds, to be looked into by plot-page.test.mjs.
import '../src/style/base.css'
import '../src/style/plot.css'
import '../src/style/bars.css'
import '../src/style/runs.css'
import { render } from 'preact'
import { Bars, Chart } from '../src/bars'
import { Plot } from '../src/plot'
import { Polar } from '../src/polar'
import '../src/theme'

// a response that folds back: x grows, turns, grows again
const fold = Float32Array.from({ length: 400 }, (_, k) => (k % 2 === 0 ? 1 + 4 * (k / 398) ** 3 - 4 * (k / 398) ** 2 + 1.2 * (k / 398) : 0.02 * (k / 399)))
const wave = (phase: number): Float32Array => Float32Array.from({ length: 40000 }, (_, k) => (k % 2 === 0 ? k / 40000 : Math.sin(k / 300 + phase)))
const circle = (r: number): Float32Array => Float32Array.from({ length: 200 }, (_, k) => (k % 2 === 0 ? (Math.PI * k) / 100 : 1 + r * (1 + 0.3 * Math.cos((2 * Math.PI * k) / 100))))

const told = window as unknown as { chosen: unknown }

function All() {
  return (
    <>
      <Plot name="fold" title="response" xlabel="frequency (Hz)" ylabel="tip (m)" series={[{ name: 'stable', xy: fold.subarray(0, 200), colour: 0 }, { name: 'unstable', xy: fold.subarray(198), dashed: 1, colour: 0 }, { name: 'peak', xy: [1.05, 0.018], points: 1, colour: 1 }]} caption="It folds back." onChoose={(at) => (told.chosen = at)} />
      <Plot name="wave" title="history" xlabel="time (s)" ylabel="energy (J)" series={[{ name: 'a', xy: wave(0) }, { name: 'b', xy: wave(1) }]} />
      <Plot name="log" title="errors" xlabel="cells" ylabel="error" logx logy series={[{ name: 'error', xy: [1, 1, 10, 1e-2, 100, 1e-4, 0, 5], points: 2 }]} />
      <Plot name="path" title="path" xlabel="x (m)" ylabel="z (m)" equal length="mm" series={[{ name: null, xy: Float32Array.from({ length: 126 }, (_, k) => (k % 2 === 0 ? 0.2 * Math.cos(k / 20) : 0.05 * Math.sin(k / 20))) }]} />
      <Plot name="none" title="nothing" xlabel="x" ylabel="y" series={[{ name: 'a', xy: [NaN, NaN] }]} />
      <Polar name="polar" title="limits" first="warp" second={null} unit={null} series={[{ name: 'longest', data: circle(0.02), dashed: 0, points: 0, fill: true, colour: 0 }, { name: 'measured', data: circle(0.025).subarray(0, 40), error: Float32Array.from({ length: 20 }, () => 0.003), dashed: 0, points: 1, fill: false, colour: 1 }]} />
      <Chart item={{ kind: 'chart', name: 'bars', caption: '', title: 'sensitivity', label: 'tip (m)', length: null, rows: [{ name: 'mass', value: 0.02 }, { name: 'spring', value: -0.01 }] }} />
      <Bars item={{ kind: 'bars', bars: [{ name: 'm1', unit: 'g', note: '', lo: 0, hi: 5, before: 1, after: 4.2, log: false }] }} />
    </>
  )
}

render(<All />, document.getElementById('app')!)
