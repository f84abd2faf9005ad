import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { RefObject } from 'preact'
import { dark } from './theme'
import type { ViewerOptions } from './viewer/types'
import { Viewer } from './viewer/viewer'

/** A viewer in an element, for as long as it is there; options are those of the first time, but for what listens. */
export function useViewer(options: ViewerOptions): [RefObject<HTMLDivElement | null>, Viewer | null] {
  const own = useRef<HTMLDivElement>(null)
  const viewer = useSignal<Viewer | null>(null)
  const now = useRef(options)
  now.current = options
  useEffect(() => {
    const v = new Viewer(own.current!, {
      ...options,
      theme: dark.peek() ? 'dark' : 'light',
      // what picks looks different
      ...(options.onPick ? { onPick: (node) => now.current.onPick?.(node) } : {}),
      ...(options.onBrush ? { onBrush: (nodes, how) => now.current.onBrush?.(nodes, how) } : {}),
      onTime: (t) => now.current.onTime?.(t),
    })
    viewer.value = v
    return () => v.dispose()
  }, [])
  const v = viewer.value
  useEffect(() => v?.setTheme(dark.value ? 'dark' : 'light'), [v, dark.value])
  return [own, v]
}
