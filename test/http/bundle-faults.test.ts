import { existsSync } from 'node:fs'
import { chmod, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { checkDatabases } from '../../server/commands/doctor/check-databases.ts'
import { exportsCommand } from '../../server/commands/exports.ts'
import { send } from '../support/client.ts'
import { addCompletedJob, type CompletedJob } from '../support/completed-job.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { checkBundleRequests } from './bundle-requests.ts'

// What the server answers when the archive on the disk is not the one that was recorded.

let server: TestServer
let organizationId: string
let headers: Record<string, string>
beforeAll(async () => {
  server = await startTestServer()
  ;({ organizationId } = await createOrganization(server.store))
  headers = { Authorization: `Bearer ${(await createApiKey(server.store, organizationId)).key}` }
})
afterAll(() => server.dispose())

const addJob = (nameOf?: (jobId: string) => string) =>
  addCompletedJob(server.store, server.dataFolder, organizationId, nameOf)

const readJob = async (jobId: string) => (await send(server.url, `/v1/static-export/jobs/${jobId}`, { headers })).json

const askForLink = (jobId: string) =>
  send(server.url, `/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST', headers })

async function createLink(jobId: string): Promise<string> {
  const { status, json } = await askForLink(jobId)
  expect(status).toBe(200)
  return String(json.bundleUrl).slice(server.url.length)
}

/** The log lines about the archive of a job. */
const reports = ({ file }: CompletedJob) => server.logged.filter(line => line.file === file && line.level === 50)

test.each<[string, 'missing' | 'damaged', (job: CompletedJob) => Promise<void>]>([
  ['missing', 'missing', ({ file }) => rm(file)],
  ['cut', 'damaged', ({ file, content }) => truncate(file, content.length - 1)],
  ['empty', 'damaged', ({ file }) => truncate(file, 0)],
  ['longer', 'damaged', ({ file, content }) => writeFile(file, `${content}.`)],
])('a bundle that is %s is a 500, and its job says so', async (_, fault, spoil) => {
  const job = await addJob()
  const link = await createLink(job.jobId)
  expect(await readJob(job.jobId)).toMatchObject({ status: 'completed', error: null })
  await spoil(job)
  const error = expect.stringMatching(`^The bundle of this export is ${fault} on the disk of the server. Start another`)
  for (const request of [{}, { method: 'HEAD' }, { headers: { Range: 'bytes=0-3' } }]) {
    const answer = await send(server.url, link, request)
    expect(answer.status).toBe(500)
    expect(answer.headers).not.toHaveProperty('etag')
    if (request.method !== 'HEAD') expect(answer.json).toMatchObject({ error })
  }
  expect(await askForLink(job.jobId)).toMatchObject({ status: 500, json: { error } })
  expect(await readJob(job.jobId)).toMatchObject({ status: 'completed', error })
  expect(reports(job)).toEqual([
    expect.objectContaining({
      file: job.file,
      sizeBytes: job.content.length,
      msg: expect.stringContaining(`the bundle of an export is ${fault}; restore it from a backup`),
    }),
  ])

  await writeFile(job.file, job.content)
  expect(await send(server.url, link)).toMatchObject({ status: 200, text: job.content })
  expect(await readJob(job.jobId)).toMatchObject({ error: null })
})

test('a bundle with other bytes of the same size is a 500', async () => {
  const job = await addJob()
  const link = await createLink(job.jobId)
  await writeFile(job.file, job.content.replace('bundle', 'bungle'))
  for (let i = 0; i < 2; i += 1) {
    const answer = await send(server.url, link)
    expect(answer.status).toBe(500)
    expect(answer.headers).not.toHaveProperty('etag')
  }
  // Known from now on, so that no link is created.
  expect((await askForLink(job.jobId)).status).toBe(500)
  expect((await readJob(job.jobId)).error).toContain('damaged')
  expect(reports(job)).toHaveLength(1)
})

test('other processes know of damage that a download found, until the bundle is restored', async () => {
  const job = await addJob()
  // As the server publishes it; the next start would change another mode.
  await chmod(job.file, 0o600)
  const link = await createLink(job.jobId)
  await writeFile(job.file, job.content.replace('bundle', 'bungle'))
  const listed = async () => {
    const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    await exportsCommand().parseAsync(['list', '--json', ...server.commandFlags], { from: 'user' })
    const rows = JSON.parse(String(printed.mock.calls[0]?.[0]))
    printed.mockRestore()
    return rows.find(({ jobId }: { jobId: string }) => jobId === job.jobId).bundle
  }
  const findings = async () =>
    (await checkDatabases(server.dataFolder)).filter(
      ({ level, message }) => level === 'failure' && message.includes(job.jobId),
    )
  expect([await listed(), await findings()]).toEqual(['sound', []])
  expect((await send(server.url, link)).status).toBe(500)
  expect(await listed()).toBe('damaged')
  // It looks at the bundles of a data folder with a database.
  expect(await findings()).toHaveLength(server.stores.kind === 'SQLite' ? 1 : 0)
  await server.restart()
  expect((await readJob(job.jobId)).error).toContain('damaged')
  await writeFile(job.file, job.content)
  expect([await listed(), await findings()]).toEqual(['sound', []])
  expect((await send(server.url, link)).status).toBe(200)
  expect((await server.store.exportJobs.find(job.jobId))?.bundle).not.toHaveProperty('damage')
})

test('the bytes of a bundle are read once, and again when the file was replaced', async () => {
  const job = await addJob()
  const link = await createLink(job.jobId)
  expect((await send(server.url, link)).status).toBe(200)
  // The same size and time in the same file: a server that reads the bytes at each request would notice.
  const at = new Date('2026-11-20T10:00:00Z')
  await utimes(job.file, at, at)
  expect((await send(server.url, link)).status).toBe(200)
  await writeFile(job.file, job.content.replace('bundle', 'bungle'))
  await utimes(job.file, at, at)
  expect((await send(server.url, link)).status).toBe(200)
  await writeFile(`${job.file}.new`, job.content.replace('bundle', 'bungle'))
  await rename(`${job.file}.new`, job.file)
  expect((await send(server.url, link)).status).toBe(500)
})

test.each([
  ['an earlier version', (jobId: string) => `${jobId}.zip`],
  ['this version', (jobId: string) => `${jobId}-3.zip`],
])('a bundle with the name of %s has a link and a file name without the lease', async (_, nameOf) => {
  const job = await addJob(nameOf)
  expect(existsSync(job.file)).toBe(true)
  const link = await createLink(job.jobId)
  expect(link).toMatch(new RegExp(`^/bundles/${job.jobId}/${job.jobId}\\.zip\\?expires=`))
  const { status, headers } = await send(server.url, link)
  expect({ status, name: headers['content-disposition'] }).toEqual({
    status: 200,
    name: `attachment; filename="docs.example.com-${job.jobId}.zip"`,
  })
})

test('ranges, conditions and HEAD of a link are answered as RFC 9110 says', async () => {
  const job = await addJob()
  await checkBundleRequests(server.url, await createLink(job.jobId), job.content)
})
