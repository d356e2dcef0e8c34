import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { main, runQuire, type ServeProcess, startServe } from '../support/process.ts'
import { startProgram } from '../support/program.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'

const testOnDisk = test.skipIf(!canMount())

const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const toLine = (page: number) =>
  `192.0.2.${page} - - [20/Nov/2026:10:00:00 +0000] "GET /p${page} HTTP/1.1" 200 9 "-" "${agent}"\n`

/** Starts a server whose standard output is a file. */
const runInShell = `
  const [main, data, log] = process.argv.slice(1)
  const output = require('node:fs').openSync(log, 'w')
  const args = [main, 'serve', '--port', '0', '--data', data, '--drain-seconds', '0']
  const server = require('node:child_process').spawn(process.execPath, args, { stdio: ['ignore', output, 'inherit'] })
  process.on('SIGTERM', () => server.kill('SIGTERM'))
  server.on('exit', code => process.exit(code ?? 1))`

let disk: SmallDisk
let server: ServeProcess
let projectId: string
let site: { url: string; close(): Promise<void> }
let headers: Record<string, string>
beforeEach(async ({ task }) => {
  if (task.mode === 'skip') return
  disk = mountSmallDisk(24) as SmallDisk
  site = await startSite(60, { delayMs: 50 })
  const store = openStore(dataFolder())
  const organization = await createOrganization(store)
  projectId = organization.projectId
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: 0 })
  const { key } = await createApiKey(store, organization.organizationId)
  store.close()
  const log = join(disk.folder, 'access.log')
  writeFileSync(log, Array.from({ length: 200 }, (_, page) => toLine(page)).join(''))
  const imported = await runQuire(['visits', 'import', log, '--project', projectId, '--data', dataFolder()])
  expect(imported.code, imported.stderr).toBe(0)
  headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  server = await startServe(['--data', dataFolder(), '--validate-responses', '--verify', 'static'])
})
afterEach(async ({ task }) => {
  if (task.mode === 'skip') return
  await server.end('SIGTERM')
  await site.close()
  disk.unmount()
})

const dataFolder = () => join(disk.folder, 'data')
const startExport = () =>
  send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body: '{"domain":"docs.example.com"}' })
const countVisitors = () => send(server.url, `/v1/analytics/${projectId}/visitors`, { headers })

testOnDisk(
  'on a full disk, writes are answered with 503 and words, and reads go on (needs the right to mount)',
  async () => {
    disk.fill()
    const { status, headers: answered, json } = await startExport()
    expect(status).toBe(503)
    expect(answered['retry-after']).toBe('60')
    expect(json).toMatchObject({
      error:
        'The disk of the server is full. Nothing was changed. Tell the operator of the server, or try again later.',
    })
    for (let i = 0; i < 3; i++) {
      const { status, text, json } = await countVisitors()
      expect(status, text).toBe(200)
      expect(json).toMatchObject({ totals: { total: 200 } })
    }
    expect((await send(server.url, '/v1/static-export/jobs/se_0000000000000000', { headers })).status).toBe(404)
    expect(await send(server.url, '/readyz')).toMatchObject({ status: 503 })
    await disk.free()
    // The reader on the full disk had the visits for itself, and gives them back.
    const more = join(disk.folder, 'more.log')
    writeFileSync(more, toLine(200))
    const { code, stderr } = await runQuire(['visits', 'import', more, '--project', projectId, '--data', dataFolder()])
    expect(code, stderr).toBe(0)
    expect((await countVisitors()).json).toMatchObject({ totals: { total: 201 } })
    expect((await startExport()).status).toBe(202)
    // The three requests that were counted in memory are spent, too.
    await waitFor(async () => ((await countVisitors()).headers.ratelimit?.includes('r=9') ? true : undefined))
    expect(Number(/r=(\d+)/.exec(String((await countVisitors()).headers.ratelimit))?.[1])).toBeLessThan(96)
  },
)

testOnDisk('a log on the full disk stops no request (needs the right to mount)', async () => {
  const log = join(disk.folder, 'serve.log')
  const shell = startProgram(['--eval', runInShell, main, join(disk.folder, 'data'), log])
  const url = await waitFor(async () => /"url":"([^"]+)"/.exec(await readFile(log, 'utf8').catch(() => ''))?.[1])
  disk.fill()
  // Each is a line in the log.
  for (let i = 0; i < 100; i++) expect((await send(url, '/healthz')).status).toBe(200)
  await disk.free()
  expect((await send(url, '/healthz', { headers: { 'X-Request-Id': 'after-the-disk-was-full' } })).status).toBe(200)
  await waitFor(async () => ((await readFile(log, 'utf8')).includes('after-the-disk-was-full') ? true : undefined))
  expect(await shell.end('SIGTERM')).toBe(0)
})

testOnDisk(
  'an export that meets a full disk waits, and is completed when there is room (needs the right to mount)',
  async () => {
    const { json } = await startExport()
    const find = async () => (await send(server.url, `/v1/static-export/jobs/${json.jobId}`, { headers })).json
    const early = await waitFor(async () => {
      const job = await find()
      return Number(job.pageCount) > 5 || job.status === 'failed' ? job : undefined
    })
    expect(early).toMatchObject({ status: 'running', error: null })
    disk.fill()
    await server.read(output => output.includes('the disk is full; the export continues when there is more room'))
    expect(await find()).toMatchObject({ status: 'running' })
    await disk.free()
    const ended = await waitFor(async () => {
      const job = await find()
      return job.status === 'completed' || job.status === 'failed' ? job : undefined
    })
    expect(ended).toMatchObject({ status: 'completed', pageCount: 60, error: null })
  },
)
