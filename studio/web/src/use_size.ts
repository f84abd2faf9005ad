import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
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

export interface Size {
  width: number
  height: number
}

/** The size of an element as it changes. */
export function useSize(first: Size): [RefObject<HTMLDivElement | null>, Size] {
  const own = useRef<HTMLDivElement>(null)
  const size = useSignal(first)
  useEffect(() => {
    const look = new ResizeObserver((list) => {
      const { width, height } = list[list.length - 1]!.contentRect
      if (width > 0 && height > 0) size.value = { width, height }
    })
    look.observe(own.current!)
    return () => look.disconnect()
  }, [])
  return [own, size.value]
}
