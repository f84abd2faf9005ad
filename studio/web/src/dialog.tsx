import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A sheet over the page that keeps the focus and is left with Escape. */
export function Dialog({ title, close, class: cls, children }: { title: string; close: () => void; class?: string; children: ComponentChildren }) {
  const own = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const back = document.activeElement as HTMLElement | null
    own.current?.showModal()
    return () => back?.focus()
  }, [])
  return (
    <dialog ref={own} class={cls} aria-label={title} onCancel={(e) => (e.preventDefault(), close())} onClick={(e) => e.target === own.current && close()}>
      <div class="sheet">{children}</div>
    </dialog>
  )
}
