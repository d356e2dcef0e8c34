import { statfs } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { readAsset } from '../../assets.ts'
import { endedRequests, type FollowedState, followedStates } from '../../base/measures.ts'
import type { MetricsRegistry, Reading } from './registry.ts'

/** Adds what every server has: its version, its requests, its disk, and the logs that it follows. */
export function addCommonMetrics(metrics: MetricsRegistry, dataFolder: string): void {
  const { version } = JSON.parse(readAsset('package.json'))
  metrics.gauge({ name: 'quire_build_info', help: 'The version of Quire.', labels: ['version'] }, () => [
    [{ version }, 1],
  ])
  metrics.gauge({ name: 'quire_disk_free_bytes', help: 'Free bytes of the disk with the data folder.' }, async () => {
    const { bavail, bsize } = await statfs(dataFolder)
    return [[{}, bavail * bsize]]
  })
  addRequests(metrics)
  addLogs(metrics)
}

/** Returns a listener that tells of its requests, for servers without operations. */
export function measureRequests(next: RequestListener): RequestListener {
  return (req: IncomingMessage, res: ServerResponse) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const status = res.writableFinished ? res.statusCode : 499
      const seconds = (performance.now() - startedAt) / 1000
      endedRequests.tell({ operation: undefined, status, seconds, code: undefined, budget: undefined })
    })
    next(req, res)
  }
}

function addRequests(metrics: MetricsRegistry): void {
  const time = metrics.time({
    name: 'quire_http_request_duration_seconds',
    help: 'Requests, from their first byte to the end of the answer. 499 = the client left.',
    labels: ['operation', 'status'],
  })
  const refuse = metrics.count({
    name: 'quire_http_refused',
    help: 'Requests that were answered with an error, by its code.',
    labels: ['code'],
  })
  const spend = metrics.count({
    name: 'quire_rate_limit_spent',
    help: 'Requests that were counted against a rate limit.',
    labels: ['limit'],
  })
  endedRequests.listen(({ operation = 'none', status, seconds, code, budget }) => {
    time({ operation, status }, seconds)
    if (code !== undefined) refuse({ code })
    if (budget !== undefined) spend({ limit: budget })
  })
}

function addLogs(metrics: MetricsRegistry): void {
  const logs = new Map<string, FollowedState & { changedAt: number }>()
  followedStates.listen(state => {
    const last = logs.get(state.log)
    const changedAt = last?.lines === state.lines ? last.changedAt : Date.now()
    logs.set(state.log, { ...state, changedAt })
  })
  const ofEach = (read: (state: FollowedState & { changedAt: number }) => number | undefined) => (): Reading[] =>
    [...logs.values()].map(state => [{ log: state.log }, read(state)])
  const labels = ['log']
  metrics.gauge(
    { name: 'quire_followed_log_unread_bytes', help: 'Bytes of a followed log that are not read yet.', labels },
    ofEach(({ aheadBytes }) => aheadBytes),
  )
  metrics.gauge(
    { name: 'quire_followed_log_last_line_timestamp_seconds', help: 'When the last line was read.', labels },
    ofEach(({ changedAt }) => changedAt / 1000),
  )
  metrics.gauge(
    { name: 'quire_followed_log_lines', help: 'Lines that were read since the log is followed.', labels },
    ofEach(({ lines }) => lines),
  )
  metrics.gauge(
    { name: 'quire_followed_log_views', help: 'Page views of people and AI that were counted since.', labels },
    ofEach(({ views }) => views),
  )
  metrics.gauge(
    {
      name: 'quire_followed_log_unreadable_lines',
      help: 'Lines that could not be read since, by reason.',
      labels: ['log', 'reason'],
    },
    () =>
      [...logs.values()].flatMap(({ log, unreadable }) =>
        Object.entries(unreadable).map(([reason, count]): Reading => [{ log, reason }, count]),
      ),
  )
}
