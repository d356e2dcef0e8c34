import { endedExports, receivedLines } from '../../base/measures.ts'
import { watchBrowser } from '../../export/jobs/browser-alarm.ts'
import { findLastBackup } from '../../store/backup/last-backup.ts'
import type { Parts } from '../parts.ts'
import type { MetricsRegistry } from './registry.ts'

/** Adds what only a server of the API or a runner has. Exports are those of all servers that share the database. */
export function addServerMetrics(metrics: MetricsRegistry, { store, workBoard, dataFolder, config }: Parts): void {
  metrics.gauge(
    { name: 'quire_exports', help: 'Exports that have not ended, by state.', labels: ['state'] },
    async () => {
      const { queued, running } = await store.exportJobs.countOpen(null)
      return [
        [{ state: 'queued' }, queued],
        [{ state: 'running' }, running],
      ]
    },
  )
  metrics.gauge(
    { name: 'quire_export_queue_age_seconds', help: 'How long the oldest queued export waits; 0 = none waits.' },
    async () => {
      const oldest = await store.exportJobs.findOldestQueued()
      return [[{}, oldest === undefined ? 0 : Math.max(0, Date.now() - oldest) / 1000]]
    },
  )
  metrics.gauge(
    { name: 'quire_export_pages_per_second', help: 'Pages a second of all exports of this process.' },
    () => [[{}, workBoard.sumPagesPerSecond()]],
  )
  metrics.gauge(
    { name: 'quire_api_key_expiry_timestamp_seconds', help: 'When the next API key expires; missing = none will.' },
    async () => {
      const next = await store.apiKeys.findNextExpiry(Date.now())
      return [[{}, next && next / 1000]]
    },
  )
  metrics.gauge(
    { name: 'quire_database_waiting', help: 'Calls that wait for a lock or a connection of the database.' },
    () => [[{}, store.countWaiting()]],
  )
  if (config.database === undefined) {
    metrics.gauge(
      { name: 'quire_last_backup_timestamp_seconds', help: 'When the last backup was made; missing = none is known.' },
      async () => {
        const at = await findLastBackup(dataFolder)
        return [[{}, at && at / 1000]]
      },
    )
  }
  addExports(metrics)
  addReceived(metrics)
}

function addExports(metrics: MetricsRegistry): void {
  const labels = ['result', 'reason']
  const time = metrics.time({
    name: 'quire_export_duration_seconds',
    help: 'Exports of this process that ended, by result and by the code of the error.',
    labels,
  })
  endedExports.listen(({ result, reason, seconds }) => time({ result, reason }, seconds))
  const whyNoBrowser = watchBrowser()
  metrics.gauge(
    {
      name: 'quire_browser_usable',
      help: '1 = there is a Chromium, and the last export that needed it could start it.',
    },
    () => [[{}, Number(whyNoBrowser() === undefined)]],
  )
}

function addReceived(metrics: MetricsRegistry): void {
  const count = metrics.count({
    name: 'quire_received_views',
    help: 'Page views of people and AI in lines that other programs sent.',
  })
  const refuse = metrics.count({
    name: 'quire_received_unreadable_lines',
    help: 'Sent lines that could not be read, by reason.',
    labels: ['reason'],
  })
  receivedLines.listen(({ counted, unreadable }) => {
    count({}, counted)
    for (const { reason, count: lines } of unreadable) refuse({ reason }, lines)
  })
}
