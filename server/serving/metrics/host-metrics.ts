import { hostUpdates } from '../../base/measures.ts'
import type { ActiveVersions } from '../../host/active-versions.ts'
import type { MetricsRegistry } from './registry.ts'

/** Adds what only `quire host` has. */
export function addHostMetrics(
  metrics: MetricsRegistry,
  versions: Pick<ActiveVersions, 'currentVersion'>,
  wanted: string | null,
): void {
  metrics.gauge(
    {
      name: 'quire_host_version_info',
      help: 'The version that is served: its id, its label, and the label that the operator wants (empty = any).',
      labels: ['version', 'label', 'wanted'],
    },
    () => {
      const version = versions.currentVersion()
      return version ? [[{ version: version.id, label: version.label ?? '', wanted: wanted ?? '' }, 1]] : []
    },
  )
  const labels = ['outcome']
  const count = metrics.count({ name: 'quire_host_updates', help: 'Looks for a new bundle, by outcome.', labels })
  const lastAt = new Map<string, number>()
  hostUpdates.listen(outcome => {
    count({ outcome })
    lastAt.set(outcome, Date.now() / 1000)
  })
  metrics.gauge(
    { name: 'quire_host_update_timestamp_seconds', help: 'When the last look with this outcome ended.', labels },
    () => [...lastAt].map(([outcome, at]) => [{ outcome }, at]),
  )
}
