import './style/base.css'
import './style/shell.css'
import './style/screens.css'
import './style/plot.css'
import './style/explore.css'
import './style/materials.css'
import './style/jump.css'
import { render } from 'preact'
import { App } from './app'
import { start } from './start'

render(<App />, document.getElementById('app')!)
start()
