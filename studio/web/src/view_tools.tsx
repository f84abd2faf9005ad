// Buttons of a 3-D view that are the same everywhere.
import { perspective, setPerspective } from './perspective'
import type { Viewer } from './viewer/viewer'

const views = [['home', 'all', 'all of it (0)'], ['x', 'x', 'along x (1)'], ['y', 'y', 'along y (2)'], ['z', 'z', 'along z (3)'], ['iso', 'side', 'from the side (4)']] as const

/** Where one looks from. */
export function Looks({ viewer }: { viewer: Viewer }) {
  return (
    <>
      {views.map(([preset, name, title]) => (
        <button key={preset} class="plain small" title={title} aria-label={title} onClick={() => viewer.preset(preset)}>
          {name}
        </button>
      ))}
      <button class="plain small" aria-pressed={perspective.value} title="perspective (5)" onClick={() => setPerspective(!perspective.value)}>
        persp
      </button>
    </>
  )
}
