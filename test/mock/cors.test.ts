import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startQuire } from '../support/process.ts'
import { type RunningProgram, startProgram } from '../support/program.ts'

const jobs = '/v1/static-export/jobs'
const visitors = '/v1/analytics/p/visitors'

let mock: RunningProgram
let url: string
let dataFolder: string
beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'quire-mock-'))
  mock = startProgram(['mock/main.ts', '--port', '0', '--quiet'])
  url = await mock.read(output => /Listening on (\S+)/.exec(output)?.[1])
})
afterAll(async () => {
  await mock.end('SIGINT')
  await rm(dataFolder, { recursive: true, force: true })
})

test('allows browsers of other origins', async () => {
  const asked = await fetch(url + jobs, {
    method: 'OPTIONS',
    headers: {
      Origin: 'http://app.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    },
  })
  expect(asked.status).toBe(204)
  expect(asked.headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
  const answered = await fetch(`${url}${jobs}/a`, {
    headers: { Authorization: 'Bearer any', Origin: 'http://app.example' },
  })
  expect(answered.headers.get('Access-Control-Allow-Origin')).toMatch(/^(\*|http:\/\/app\.example)$/)
})

test('says the same to scripts of an allowed origin as the server', async () => {
  const origin = 'http://app.example'
  const server = startQuire(['serve', '--port', '0', '--data', dataFolder, '--cors-origin', origin])
  const serverUrl = await server.read(output => /"url":"([^"]+)"/.exec(output)?.[1])
  const listHeaders = async (base: string, path: string, method: string, headers: Record<string, string>) => {
    const answer = await fetch(base + path, { method, headers: { Origin: origin, ...headers } })
    const cors = [...answer.headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary')
    return { status: answer.status, cors: Object.fromEntries(cors) }
  }
  const asked = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization,prefer' }
  try {
    for (const [path, method, headers] of [
      [jobs, 'OPTIONS', asked],
      [`${jobs}/a`, 'OPTIONS', asked],
      [visitors, 'OPTIONS', asked],
      ['/quire/v1/webhooks/a', 'OPTIONS', asked],
      ['/v3/nothing', 'OPTIONS', asked],
      [jobs, 'OPTIONS', {}],
      [visitors, 'GET', {}],
      ['/v3/nothing', 'GET', {}],
      [jobs, 'DELETE', {}],
    ] as const) {
      const said = await listHeaders(serverUrl, path, method, headers)
      expect(said.cors).toMatchObject({ 'access-control-allow-origin': origin })
      expect(await listHeaders(url, path, method, headers)).toEqual(said)
    }
  } finally {
    await server.end('SIGTERM')
  }
})

test('with --cors-origin, only scripts of that origin can read the answers', async () => {
  const strict = startProgram(['mock/main.ts', '--port', '0', '--quiet', '--cors-origin', 'http://app.example'])
  try {
    const strictUrl = await strict.read(output => /Listening on (\S+)/.exec(output)?.[1])
    const readable = async (origin: string) =>
      (await fetch(strictUrl + visitors, { headers: { Origin: origin } })).headers.get('Access-Control-Allow-Origin')
    expect(await readable('http://app.example')).toBe('http://app.example')
    expect(await readable('http://other.example')).toBeNull()
  } finally {
    await strict.end('SIGINT')
  }
})
