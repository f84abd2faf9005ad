import { current, ended, runs } from '../runs'

export function RunsScreen() {
  return (
    <div class="page">
      <ul>
        {runs.value.map((r) => (
          <li key={r.info.value.run}>
            <button onClick={() => (current.value = r.info.value.run)}>
              {r.info.value.label} {ended(r.info.value) ? r.info.value.state : ''}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
