// How all views of the page look: parallel, as drawings are, or with an eye.
import { signal } from '@preact/signals'
import { recall, remember } from './keep'
import { Viewer } from './viewer/viewer'

export const perspective = signal(recall('perspective') === 'yes')

export function setPerspective(on: boolean): void {
  perspective.value = on
  remember('perspective', on ? 'yes' : 'no')
}

Viewer.onPerspective = setPerspective
perspective.subscribe((on) => Viewer.setPerspective(on))
