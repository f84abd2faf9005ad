// A first tour, once, of what is where.
import { useSignal } from '@preact/signals'
import { Dialog } from './dialog'
import { remember } from './keep'
import { sheet, show } from './state'

const steps = [
  {
    screen: 'gallery',
    title: 'Welcome to pliant studio',
    text: 'Everything here runs on your own machine. The gallery has complete scenes: a click copies one into your folder. You can also drop a scene or a mesh of your own.',
  },
  {
    screen: 'scene',
    title: 'A scene is a text',
    text: 'On the right the text, checked as you type; Ctrl-Space completes keys. On the left the model it describes. What you choose in the one is shown in the other, and nodes that you pick or brush become a set in the text.',
  },
  {
    screen: 'runs',
    title: 'Run and watch',
    text: 'Ctrl-Enter runs all analyses. Curves grow and motions play while they are computed, and you can stop at any time: what there is stays. Every plot zooms, tells its numbers and has a table behind it.',
  },
  {
    screen: 'validate',
    title: 'Can it be trusted?',
    text: 'The protocols of validation compare models with curves that are known to be right. Run one with a click. Press ? for all keys at any time.',
  },
]

export function Tour() {
  const at = useSignal(0)
  const step = steps[at.value]!
  const end = (): void => {
    remember('toured', 'yes')
    sheet.value = 'none'
    show('gallery')
  }
  const go = (k: number): void => {
    if (k >= steps.length) return end()
    at.value = k
    show(steps[k]!.screen)
  }
  return (
    <Dialog title="First tour" close={end} class="tour">
      <p class="count">
        {at.value + 1} of {steps.length}
      </p>
      <h2>{step.title}</h2>
      <p>{step.text}</p>
      <footer>
        <button class="plain" onClick={end}>
          Skip
        </button>
        <span class="gap" />
        {at.value > 0 && <button onClick={() => go(at.value - 1)}>Back</button>}
        <button class="primary" autofocus onClick={() => go(at.value + 1)}>
          {at.value + 1 < steps.length ? 'Next' : 'Begin'}
        </button>
      </footer>
    </Dialog>
  )
}
