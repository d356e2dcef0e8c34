import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { type RunningProgram, runProgram, startProgram } from '../../support/program.ts'
import { writePackageProgram } from '../package-program.ts'

const program = writePackageProgram('spec/package/mock-server/quire-mock.mjs')
afterAll(() => program.remove())

const readUrl = (running: RunningProgram) => running.read(output => /Listening on (\S+)/.exec(output)?.[1])
const bearer = { Authorization: 'Bearer any' }

test('serves a mock that moves, with its documents, its page and a line for each request', async () => {
  const flags = ['--port', '0', '--scenario', 'usual', '--step', '4', '--cors-origin', 'https://app.example.com']
  const running = startProgram([program.file, ...flags])
  const url = await readUrl(running)
  expect(running.stdout()).toContain(`Switch at ${url}/mock`)
  const jobs = `${url}/v1/static-export/jobs`
  const headers = { ...bearer, 'Content-Type': 'application/json', Origin: 'https://app.example.com' }
  const started = await fetch(jobs, { method: 'POST', headers, body: '{"domain":"docs.example.com"}' })
  expect(started.status).toBe(202)
  expect(started.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example.com')
  const { jobId } = (await started.json()) as { jobId: string }
  const states = new Set<string>()
  for (let i = 0; i < 5; i++) {
    const answer = await fetch(`${jobs}/${jobId}`, { headers: { ...bearer, Origin: 'https://other.example.com' } })
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull()
    states.add(((await answer.json()) as { status: string }).status)
  }
  expect([...states]).toEqual(['running', 'completed'])
  for (const name of ['openapi.json', 'openapi.yaml', 'quire/v1/openapi.json', 'mock']) {
    expect((await fetch(`${url}/${name}`)).status).toBe(200)
  }
  expect(running.stderr()).toContain(`202 POST /v1/static-export/jobs\n`)
  expect(await running.end('SIGINT')).toBe(0)
})

test('variables are flags, and --quiet prints no requests', async () => {
  const env = { QUIRE_MOCK_PORT: '0', QUIRE_MOCK_QUIET: '1', QUIRE_MOCK_SCENARIO: 'full-queue' }
  const running = startProgram([program.file], { env })
  const url = await readUrl(running)
  const headers = { ...bearer, 'Content-Type': 'application/json' }
  const body = '{"domain":"docs.example.com"}'
  expect((await fetch(`${url}/v1/static-export/jobs`, { method: 'POST', headers, body })).status).toBe(429)
  expect(await running.end('SIGTERM')).toBe(0)
  expect(running.stderr()).toBe('')
})

test('a port in use is exit code 1, with the remedy', async () => {
  const server = createServer()
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  expect(await runProgram([program.file, '--port', String(port)])).toEqual({
    code: 1,
    stdout: '',
    stderr: `Port ${port} is in use. Choose another: quire-mock --port 0\n`,
  })
  server.close()
})

test.each([
  [['--port', 'x'], /^--port must be a whole number from 0 to 65535\.\n$/],
  [['--prot', '1'], /^Unknown option '--prot'\. See: quire-mock --help\n$/],
  [['usual'], /^Unexpected argument 'usual'.*See: quire-mock --help\n$/],
  [['--cors-origin', 'app.example.com'], /^--cors-origin must be an origin/],
  [['--scenario', 'none'], /^There is no scenario none\. Choose one of: usual, .*\.\n$/],
  [['--step', '1', '--speed', '2'], /^--step and --speed exclude each other\./],
])('%j is exit code 2, in one sentence', async (args, stderr) => {
  expect(await runProgram([program.file, ...args])).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(stderr),
  })
})

test('--help lists the flags with their variables, and examples', async () => {
  const { code, stdout } = await runProgram([program.file, '--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/--cors-origin <url> .*\(env: QUIRE_MOCK_CORS_ORIGIN\)/)
  expect(stdout).toContain('quire-mock --scenario failing-exports --speed 10')
})
