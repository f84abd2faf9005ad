import { computed, signal } from '@preact/signals'
import { recall, remember } from './keep'

export type Theme = 'auto' | 'light' | 'dark'

const systemDark = matchMedia('(prefers-color-scheme: dark)')
const systemStill = matchMedia('(prefers-reduced-motion: reduce)')
const darkNow = signal(systemDark.matches)
systemDark.addEventListener('change', () => (darkNow.value = systemDark.matches))

const first = recall('theme')
export const theme = signal<Theme>(first === 'light' || first === 'dark' ? first : 'auto')
export const dark = computed(() => (theme.value === 'auto' ? darkNow.value : theme.value === 'dark'))

/** Nothing moves by itself. */
export const still = signal(systemStill.matches)
systemStill.addEventListener('change', () => (still.value = systemStill.matches))

/** The other of light and dark; the system's own choice counts again once both agree. */
export function toggleTheme(): void {
  const want = dark.value ? 'light' : 'dark'
  theme.value = want === (systemDark.matches ? 'dark' : 'light') ? 'auto' : want
  remember('theme', theme.value)
}

dark.subscribe((on) => {
  document.documentElement.dataset.theme = on ? 'dark' : 'light'
})
