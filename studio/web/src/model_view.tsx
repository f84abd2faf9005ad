// The model in 3-D.
import { model } from './scene'

export function ModelView() {
  const m = model.value
  return (
    <div class="viewer-place">
      {m && (
        <p class="mute">
          {m.title} · {m.nvert} nodes
        </p>
      )}
    </div>
  )
}
