import type { MapName } from './types'

// Perceptually uniform from dark to light, for all kinds of colour vision; stops at equal distances.
const stops: Record<MapName, number[]> = {
  viridis: [0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725],
  cividis: [0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838],
  light: [0xf1f2ee, 0xd3e6df, 0x9fd0cf, 0x63b0c4, 0x3487b3, 0x1f5b98],
}

export const atLimit: RGB = [222, 51, 33]
export const beyond: RGB = [255, 92, 214]
export const noValue: RGB = [184, 189, 196]
export type RGB = [number, number, number] // 0..255

const channels = (hex: number): RGB => [hex >> 16, (hex >> 8) & 255, hex & 255]

/** The colour at t of 0..1. */
export function colourAt(map: MapName, t: number): RGB {
  const list = stops[map]
  const place = Math.min(Math.max(t, 0), 1) * (list.length - 1)
  const k = Math.min(Math.floor(place), list.length - 2)
  const a = channels(list[k]!)
  const b = channels(list[k + 1]!)
  return [0, 1, 2].map((c) => Math.round(a[c]! + (place - k) * (b[c]! - a[c]!))) as RGB
}

/** RGBA [n] for a texture. */
export function colourTable(map: MapName, n = 256): Uint8Array {
  const out = new Uint8Array(4 * n)
  for (let k = 0; k < n; k++) out.set([...colourAt(map, k / (n - 1)), 255], 4 * k)
  return out
}

export const css = (c: RGB): string => `rgb(${c.join(' ')})`

export interface Look {
  back: string
  ink: string
  mute: string
  line: string
  front: RGB // of surfaces, towards the light
  frontDark: RGB
  reverse: RGB // of backs of sheets
  reverseDark: RGB
  edge: RGB // borders and creases
  mesh: RGB // edges of cells
  wire: number // opacity
  rod: RGB
  spring: RGB
  obstacle: RGB
  ghost: RGB
  skin: RGB
  support: RGB
  drive: RGB
  load: RGB
  rim: RGB
  shadow: number // opacity
  grid: RGB
  axes: [string, string, string]
}

export const looks: Record<'light' | 'dark', Look> = {
  light: {
    back: '#ffffff', ink: '#20262d', mute: '#5b6570', line: '#dfe3e8',
    front: [224, 236, 248], frontDark: [88, 116, 146], reverse: [245, 236, 224], reverseDark: [126, 110, 96],
    edge: [27, 42, 58], mesh: [27, 42, 58], wire: 0.22, rod: [47, 74, 102], spring: [181, 101, 29], obstacle: [135, 147, 160],
    ghost: [224, 112, 0], skin: [90, 120, 150], support: [32, 38, 45], drive: [0, 114, 178], load: [160, 60, 140],
    rim: [255, 255, 255], shadow: 0.3, grid: [120, 132, 146], axes: ['#c0392b', '#24803c', '#2a66b8'],
  },
  dark: {
    back: '#15181c', ink: '#e4e8ec', mute: '#9aa5b1', line: '#30363d',
    front: [206, 221, 236], frontDark: [88, 110, 136], reverse: [224, 212, 196], reverseDark: [126, 112, 98],
    edge: [128, 147, 168], mesh: [6, 9, 12], wire: 0.34, rod: [169, 193, 218], spring: [230, 150, 70], obstacle: [122, 134, 147],
    ghost: [255, 150, 40], skin: [140, 170, 200], support: [228, 232, 236], drive: [86, 180, 233], load: [229, 140, 194],
    rim: [21, 24, 28], shadow: 0.55, grid: [150, 162, 176], axes: ['#ff8575', '#63c98a', '#7ab8ff'],
  },
}

export const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7a5fd0', '#5f6b78']
