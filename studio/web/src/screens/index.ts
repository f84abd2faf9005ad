import type { ComponentType } from 'preact'
import type { IconName } from '../icons'
import { DesignScreen } from './design'
import { ExploreScreen } from './explore'
import { Gallery } from './gallery'
import { hasJumps, JumpScreen } from './jump'
import { hasLimits, MaterialsScreen } from './materials'
import { ResponseScreen } from './response'
import { RunsScreen } from './runs'
import { SceneScreen } from './scene'
import { TargetScreen } from './target'
import { Validate } from './validate'

export interface Screen {
  id: string // of the address: #/ID
  name: string
  icon: IconName
  component: ComponentType
  when?: () => boolean // is there anything for it? None: always
}

/** In the order of the bar; Alt-1, Alt-2 ... show them. */
export const screens: readonly Screen[] = [
  { id: 'gallery', name: 'Gallery', icon: 'gallery', component: Gallery },
  { id: 'scene', name: 'Scene', icon: 'scene', component: SceneScreen },
  { id: 'response', name: 'Response', icon: 'response', component: ResponseScreen },
  { id: 'explore', name: 'Explore', icon: 'explore', component: ExploreScreen },
  { id: 'target', name: 'Target', icon: 'target', component: TargetScreen },
  { id: 'design', name: 'Design', icon: 'design', component: DesignScreen },
  { id: 'runs', name: 'Runs', icon: 'runs', component: RunsScreen },
  { id: 'validate', name: 'Validate', icon: 'validate', component: Validate },
  { id: 'materials', name: 'Materials', icon: 'materials', component: MaterialsScreen, when: hasLimits },
  { id: 'jump', name: 'Jump', icon: 'jump', component: JumpScreen, when: hasJumps },
]
