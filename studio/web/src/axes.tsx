// Axes of the plots that draw themselves: grid, numbers, words.
import { general } from './format'
import { Icon } from './icons'

export interface Margin {
  left: number
  right: number
  top: number
  bottom: number
}

export interface AxesProps {
  x: (v: number) => number // pixels
  y: (v: number) => number
  xTicks: readonly number[]
  yTicks: readonly number[]
  xText: string
  yText: string
  width: number
  height: number
  margin: Margin
}

export function Axes({ x, y, xTicks, yTicks, xText, yText, width, height, margin }: AxesProps) {
  const foot = height - margin.bottom
  const right = width - margin.right
  return (
    <g class="axes">
      {xTicks.map((t) => (
        <g key={`x${t}`}>
          <line class="grid" x1={x(t)} x2={x(t)} y1={margin.top} y2={foot} />
          <text x={x(t)} y={foot + 15} text-anchor="middle">
            {general(t, 4)}
          </text>
        </g>
      ))}
      {yTicks.map((t) => (
        <g key={`y${t}`}>
          <line class="grid" x1={margin.left} x2={right} y1={y(t)} y2={y(t)} />
          <text x={margin.left - 6} y={y(t) + 4} text-anchor="end">
            {general(t, 4)}
          </text>
        </g>
      ))}
      <path class="axis" d={`M${margin.left} ${margin.top}V${foot}H${right}`} />
      <text x={(margin.left + right) / 2} y={height - 5} text-anchor="middle">
        {xText}
      </text>
      <text transform={`translate(13 ${(margin.top + foot) / 2}) rotate(-90)`} text-anchor="middle">
        {yText}
      </text>
    </g>
  )
}

/** Buttons of a plot that is looked into. */
export function Closer({ zoom, reset }: { zoom: (factor: number) => void; reset: () => void }) {
  return (
    <div class="pad-tools">
      <button class="small" aria-label="closer" title="Closer (+)" onClick={() => zoom(0.7)}>
        +
      </button>
      <button class="small" aria-label="farther" title="Farther (-)" onClick={() => zoom(1 / 0.7)}>
        −
      </button>
      <button class="small" aria-label="all of it" title="All of it (0)" onClick={reset}>
        <Icon name="home" size={15} />
      </button>
    </div>
  )
}
