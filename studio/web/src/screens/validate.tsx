import { hello } from '../state'

export function Validate() {
  return (
    <div class="page">
      <ul>
        {hello.value?.protocols.map((p) => (
          <li key={p.name}>{p.text}</li>
        ))}
      </ul>
    </div>
  )
}
