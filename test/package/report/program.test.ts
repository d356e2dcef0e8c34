import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { useExtensionsServer } from '../../support/extensions-server.ts'
import { writeReportProgram } from './report-program.ts'

const used = useExtensionsServer()
const program = writeReportProgram()
afterAll(() => program.remove())

/** Starts the program that the package installs, as a job with this id. */
function start(id: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program.file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      QUIRE_URL: used.server.url,
      QUIRE_PROJECT: used.projectId,
      QUIRE_API_KEY: used.keys.ingest,
      QUIRE_REPOSITORY: 'https://github.com/acme/docs',
      QUIRE_JOB_ID: id,
      ...env,
    },
  })
  let [out, error] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, out, error }))
  return { child, ended, out: () => out }
}

const findJob = async (id: string) => (await used.ask('GET', `/v2/agent/${used.projectId}/job/${id}`)).json

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('run passes %s on, and reports failed', async signal => {
  const script = `process.on('${signal}', () => { console.log('got it'); process.exit(9) })
    setTimeout(() => {}, 10_000); console.log('ready')`
  const { child, ended, out } = start(signal, ['run', '--', process.execPath, '-e', script])
  await expect.poll(out).toContain('ready')
  child.kill(signal)
  expect(await ended).toMatchObject({ code: 9, out: expect.stringContaining('got it'), error: '' })
  expect(await findJob(signal)).toMatchObject({ status: 'failed' })
})

test('a command that a signal ends counts as failed, with the exit code of a shell', async () => {
  const { child, ended, out } = start('killed', ['run', '--', 'sh', '-c', 'echo ready; exec sleep 10'])
  await expect.poll(out).toContain('ready')
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 143 })
  expect(await findJob('killed')).toMatchObject({ status: 'failed' })
})

test('the command starts while the server does not answer, and both reports arrive when it does', async () => {
  const statuses: string[] = []
  let isUp = false
  const server = createServer(async (req, res) => {
    const body = JSON.parse(Buffer.concat(await req.toArray()).toString()) as { status: string }
    if (isUp) statuses.push(body.status)
    res.writeHead(isUp ? 200 : 503, { 'Retry-After': '0' }).end(JSON.stringify({ error: 'busy', ...(isUp && body) }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const QUIRE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { ended, out } = start('slow', ['run', '--', 'echo', 'command ran'], { QUIRE_URL })
  await expect.poll(out).toContain('command ran')
  expect(statuses).toEqual([])
  isUp = true
  expect(await ended).toMatchObject({ code: 0, error: '' })
  expect(statuses).toEqual(['active', 'completed'])
  server.close()
})
