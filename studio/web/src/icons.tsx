// Line drawings of 20 by 20.

const paths = {
  gallery: 'M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z',
  scene: 'M10 2.5l6.5 3.7v7.6L10 17.5l-6.5-3.7V6.2zM3.5 6.2L10 10l6.5-3.8M10 10v7.5',
  runs: 'M3 16.5h14M5.5 13V9M10 13V4.5M14.5 13V7',
  explore: 'M3 5.5h6M13 5.5h4M3 10h2M9 10h8M3 14.5h8M15 14.5h2M11 3.7v3.6M7 8.2v3.6M13 12.7v3.6',
  validate: 'M3.5 10.5l4 4 9-9.5',
  play: 'M6 3.8v12.4l10-6.2z',
  stop: 'M5 5h10v10H5z',
  close: 'M5 5l10 10M15 5L5 15',
  sun: 'M10 6.8a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4zM10 2v2M10 16v2M2 10h2M16 10h2M4.3 4.3l1.5 1.5M14.2 14.2l1.5 1.5M15.7 4.3l-1.5 1.5M5.8 14.2l-1.5 1.5',
  moon: 'M16.5 11.8A7 7 0 0 1 8.2 3.5a7 7 0 1 0 8.3 8.3z',
  help: 'M7.3 7.5a2.7 2.7 0 1 1 4 2.4c-.9.5-1.3 1-1.3 2M10 14.8v.2',
  save: 'M4 3.5h9l3.5 3.5v9.5h-12.5zM7 3.5v4h5v-4M7 16.5v-5h6.5v5',
  table: 'M3 4h14v12H3zM3 8h14M3 12h14M8 4v12',
  curve: 'M3 16V4M3 16h14M5 13c3 0 3-7 6-7s3 4 6 1',
  download: 'M10 3v9M6.5 8.7L10 12.2l3.5-3.5M4 16.5h12',
  home: 'M4 10a6 6 0 1 0 2-4.5M6 2v3.7h3.7',
  file: 'M5 2.5h6.5L15.5 6.5v11H5zM11.5 2.5v4h4',
  mesh: 'M10 3l7 12.5H3zM6.5 9.3h7M10 15.5L6.5 9.3M10 15.5l3.5-6.2',
  data: 'M3.5 4.5h13v11h-13zM3.5 8.5h13M8 8.5v7',
  results: 'M3.5 16.5V3.5M3.5 16.5h13M6.5 13.5l3-4 2.5 2 4-6',
  folder: 'M2.5 5h5l1.5 2h8.5v9h-15z',
  chevron: 'M7.5 5l5 5-5 5',
  search: 'M8.5 3.5a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12.2 12.2l4.3 4.3',
  plus: 'M10 4v12M4 10h12',
  target: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 7.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  design: 'M3 15c3 0 3-9 6-9s2 7 4 7 2-3 4-3M15 4l2 2',
  response: 'M3 16c5 0 5-1 6-8 .5-4 1.5-4 2 0 1 6 2 8 6 8',
  picture: 'M3 4h14v12H3zM3 13.5l4-4 3 3 2.5-2.5 4.5 4',
  pause: 'M6.5 4.5v11M13.5 4.5v11',
  box: 'M3.5 3.5h3M8.5 3.5h3M13.5 3.5h3v3M16.5 8.5v3M16.5 13.5v3h-3M11.5 16.5h-3M6.5 16.5h-3v-3M3.5 11.5v-3M3.5 6.5v-3',
  lasso: 'M10 3.5c4 0 7 2 7 4.7s-3 4.8-7 4.8-7-2-7-4.8 3-4.7 7-4.7zM6 12.5c-1.5 1-1.5 3 .5 3.5',
  film: 'M3 4h14v12H3zM6.5 4v12M13.5 4v12M3 8h3.5M3 12h3.5M13.5 8H17M13.5 12H17',
  materials: 'M7.5 3.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12.5 8.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  jump: 'M3 16.5h14M4 13c2-10 8-12 12-3M16.6 5.7L16 10l-4-1.5',
  alert: 'M10 3.5l7.5 13h-15zM10 8.5v3.5M10 14.2v.1',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 20, fill = false }: { name: IconName; size?: number; fill?: boolean }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width={size} height={size} aria-hidden="true">
      <path d={paths[name]} fill={fill ? 'currentColor' : 'none'} stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  )
}
