import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RefObject } from 'preact'

/** An element and its width as it changes. */
export function useWidth<E extends HTMLElement>(first: number): [RefObject<E | null>, number] {
  const own = useRef<E>(null)
  const width = useSignal(first)
  useLayoutEffect(() => {
    const take = (): void => {
      const w = own.current?.clientWidth ?? 0
      if (w > 0) width.value = w
    }
    take()
    const look = new ResizeObserver(take)
    look.observe(own.current!)
    return () => look.disconnect()
  }, [])
  return [own, width.value]
}
