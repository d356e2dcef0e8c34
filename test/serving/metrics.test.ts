import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  browserStarts,
  endedExports,
  endedRequests,
  followedStates,
  hostUpdates,
  receivedLines,
} from '../../server/base/measures.ts'
import type { Version } from '../../server/host/versions/version.ts'
import { addHostMetrics } from '../../server/serving/metrics/host-metrics.ts'
import { createRegistry } from '../../server/serving/metrics/registry.ts'
import { noteBackup } from '../../server/store/backup/last-backup.ts'
import { waitFor } from '../support/export-site.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const page = readFileSync(join(import.meta.dirname, '../../server/docs/pages/monitor.md'), 'utf8')
const rules = readFileSync(join(import.meta.dirname, '../../server/deployment/monitoring/alerts.yml'), 'utf8')
const graphs = readFileSync(join(import.meta.dirname, '../../server/deployment/monitoring/grafana.json'), 'utf8')

/** The metrics that the documentation lists below a heading. */
function listDocumented(...headings: string[]): string[] {
  const parts = page.split(/^### /m).filter(part => headings.includes(part.split('\n', 1)[0] ?? ''))
  return parts.flatMap(part => [...part.matchAll(/^\| `(quire_\w+)`/gm)].map(([, name = '']) => name)).sort()
}

function listWritten(text: string): string[] {
  const types = [...text.matchAll(/^# TYPE (quire_\w+) (\w+)/gm)]
  return types.map(([, name, type]) => (type === 'counter' ? `${name}_total` : `${name}`)).sort()
}

/** The values of one metric, by its labels. */
function read(text: string, name: string): Record<string, number> {
  const lines = text.split('\n').flatMap(line => line.match(/^(\w+)(?:\{(.*)\})? (\S+)$/) ?? [])
  const values: Record<string, number> = {}
  for (let at = 0; at < lines.length; at += 4) {
    if (lines[at + 1] === name) values[lines[at + 2] ?? ''] = Number(lines[at + 3])
  }
  return values
}

const token = 'of-the-metrics'
let server: TestServer
let url: string

beforeAll(async () => {
  const settings = { metricsAddress: { host: '127.0.0.1', port: 0 }, metricsTokenFile: token }
  server = await startTestServer(settings as Parameters<typeof startTestServer>[0])
  url = server.logged.find(({ msg }) => msg === 'metrics')?.url as string
})

afterAll(() => server.dispose())

async function scrape(): Promise<string> {
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
  expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  return answer.text()
}

test('the documentation lists the metrics of a server', async () => {
  expect(listWritten(await scrape())).toEqual(listDocumented('Servers and hosts', 'Servers'))
})

// As 0, they would be times of 1970, and the alerts for an old backup and an expiring key would fire on a new server.
test('times that are not known are missing', async () => {
  const text = await scrape()
  expect(read(text, 'quire_last_backup_timestamp_seconds')).toEqual({})
  expect(read(text, 'quire_api_key_expiry_timestamp_seconds')).toEqual({})
  expect(read(text, 'quire_export_queue_age_seconds')).toEqual({ '': 0 })
})

test('the documentation lists the metrics of a host', async () => {
  const metrics = createRegistry()
  const version = { id: '0123456789abcdef', label: '2.0' } as Version
  addHostMetrics(metrics, { currentVersion: () => version }, '2.1')
  hostUpdates.tell('failed')
  const text = await metrics.write()
  expect(listWritten(text)).toEqual(listDocumented('Hosts'))
  expect(read(text, 'quire_host_version_info')).toEqual({
    'version="0123456789abcdef",label="2.0",wanted="2.1"': 1,
  })
  expect(read(text, 'quire_host_updates_total')).toEqual({ 'outcome="failed"': 1 })
})

test('alerts and graphs use only documented metrics', () => {
  const known = new Set(listDocumented('Servers and hosts', 'Servers', 'Hosts'))
  for (const text of [rules, graphs]) {
    const used = [...text.matchAll(/\bquire_\w+/g)].map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''))
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter(name => !known.has(name))).toEqual([])
  }
})

test('requests are counted by operation and status, and what is refused by its code', async () => {
  const { organizationId, projectId } = await createOrganization(server.store)
  const { key } = await createApiKey(server.store, organizationId)
  const visitors = `${server.url}/v1/analytics/${projectId}/visitors`
  await (await fetch(visitors, { headers: { Authorization: `Bearer ${key}` } })).text()
  await (await fetch(visitors)).text()
  const requests = await waitFor(async () => {
    const counts = read(await scrape(), 'quire_http_request_duration_seconds_count')
    return counts['operation="getUniqueVisitors",status="401"'] === undefined ? undefined : counts
  })
  expect(requests['operation="getUniqueVisitors",status="200"']).toBe(1)
  const text = await scrape()
  expect(read(text, 'quire_http_refused_total')).toEqual({ 'code="invalid_api_key"': 1 })
  expect(Object.values(read(text, 'quire_rate_limit_spent_total'))).toEqual([1])
})

test('followed logs and what other programs send tell what was counted, and what could not be read', async () => {
  const log = '/var/log/a "b".log'
  followedStates.tell({ log, lines: 3, views: 2, unreadable: { 'wrong-format': 1 }, aheadBytes: 7 })
  receivedLines.tell({ counted: 5, unreadable: [{ reason: 'bad-date', count: 2 }] })
  const text = await scrape()
  const label = 'log="/var/log/a \\"b\\".log"'
  expect(read(text, 'quire_followed_log_lines')).toEqual({ [label]: 3 })
  expect(read(text, 'quire_followed_log_unread_bytes')).toEqual({ [label]: 7 })
  expect(read(text, 'quire_followed_log_unreadable_lines')).toEqual({ [`${label},reason="wrong-format"`]: 1 })
  expect(read(text, 'quire_received_views_total')).toEqual({ '': 5 })
  expect(read(text, 'quire_received_unreadable_lines_total')).toEqual({ 'reason="bad-date"': 2 })
})

test('exports, the browser, keys and the backup have their state', async () => {
  const { organizationId } = await createOrganization(server.store)
  const expiresAt = Date.now() + 5000
  await createApiKey(server.store, organizationId, { expiresAt })
  await noteBackup(server.dataFolder, 1_700_000_000_000)
  endedExports.tell({ result: 'failed', reason: 'unreachable', seconds: 3 })
  browserStarts.tell(false)
  const text = await scrape()
  expect(read(text, 'quire_export_duration_seconds_count')).toEqual({ 'result="failed",reason="unreachable"': 1 })
  expect(read(text, 'quire_browser_usable')).toEqual({ '': 0 })
  expect(read(text, 'quire_api_key_expiry_timestamp_seconds')).toEqual({ '': expiresAt / 1000 })
  expect(read(text, 'quire_exports')).toEqual({ 'state="queued"': 0, 'state="running"': 0 })
  if (server.stores.flags.database === undefined)
    expect(read(text, 'quire_last_backup_timestamp_seconds')).toEqual({ '': 1_700_000_000 })
  browserStarts.tell(true)
})

test.each([
  ['/metrics', {}, 401],
  ['/metrics', { Authorization: 'Bearer wrong' }, 401],
  ['/metrics?x=1', { Authorization: `Bearer ${token}` }, 200],
  ['/', {}, 404],
])('%s with %j is answered %i', async (path, headers, status) => {
  expect((await fetch(new URL(path, url), { headers })).status).toBe(status)
})

test('the address of the API has no metrics, and a server without the setting measures nothing', async () => {
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
  expect(endedRequests.isHeard).toBe(true)
  const { openMetrics } = await import('../../server/serving/metrics/open-metrics.ts')
  const add = () => expect.unreachable()
  await openMetrics(null, {} as never, add)
})
