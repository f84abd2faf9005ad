// Numbers as a table, the first of them in sight.
import { useSignal } from '@preact/signals'
import { general } from './format'

export interface Column {
  name: string
  at: (row: number) => number
}

const step = 200

export function DataTable({ columns, rows, label }: { columns: readonly Column[]; rows: number; label: string }) {
  const most = useSignal(step)
  const shown = Math.min(rows, most.value)
  return (
    <div class="data-table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((c, k) => (
              <th key={k} scope="col" class="n">
                {c.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: shown }, (_, r) => (
            <tr key={r}>
              {columns.map((c, k) => (
                <td key={k} class="n">
                  {general(c.at(r), 6)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown < rows && (
        <button class="plain small link" onClick={() => (most.value += 5 * step)}>
          {rows - shown} more rows
        </button>
      )}
    </div>
  )
}
