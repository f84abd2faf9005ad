// Tables that still grow, as plots.
import { useMemo } from 'preact/hooks'
import { livePlots } from './live_tables'
import { Plot } from './plot'
import type { LiveTable } from './runs'

export function LivePlots({ table, length }: { table: LiveTable; length: string | null }) {
  const plots = useMemo(() => livePlots(table), [table])
  return (
    <div class="live">
      {plots.map((p, k) => (
        <Plot key={k} {...p} title={`${table.name} so far`} length={length} name={`${table.name}-live`} />
      ))}
    </div>
  )
}
