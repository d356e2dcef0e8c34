import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startSite } from '../../support/export-site.ts'
import { useExtensionsServer } from '../../support/extensions-server.ts'
import { type RunningProgram, runProgram, startProgram } from '../../support/program.ts'
import { writePackageProgram } from '../package-program.ts'

const used = useExtensionsServer()
const program = writePackageProgram('spec/package/mock-server/quire-mock.mjs')
const folder = mkdtempSync(join(tmpdir(), 'quire-recording-'))
afterAll(() => {
  program.remove()
  rmSync(folder, { recursive: true })
})

async function start(...flags: string[]): Promise<RunningProgram & { url: string }> {
  const running = startProgram([program.file, '--port', '0', ...flags])
  return Object.assign(running, { url: await running.read(output => /Listening on (\S+)/.exec(output)?.[1] ?? '') })
}

interface Asked {
  method?: string
  path: string
  bearer?: string
  body?: string
  type?: string
}

async function ask(url: string, { method = 'GET', path, bearer, body, type = 'application/json' }: Asked) {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(bearer && { Authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'Content-Type': type }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  return { status: response.status, type: response.headers.get('Content-Type'), text }
}

test('records a server without secrets, and repeats its answers in their order', async () => {
  const file = join(folder, 'answers.jsonl')
  const site = await startSite(3)
  const { all, ingest } = used.keys
  await used.server.store.sites.insert({
    domain: 'docs.example.com',
    projectId: used.projectId,
    origin: site.url,
    createdAt: Date.now(),
  })
  const recorder = await start('--record', `${used.server.url}/`, '--to', file)
  const done: { asked: Asked; got: Awaited<ReturnType<typeof ask>> }[] = []
  const record = async (given: Asked) => {
    const asked = { bearer: all, ...given }
    const got = await ask(recorder.url, asked)
    done.push({ asked, got })
    return got.text.startsWith('{') ? (JSON.parse(got.text) as Record<string, string>) : {}
  }

  const job = { domain: 'docs.example.com', verify: 'static' }
  const { jobId } = await record({ method: 'POST', path: '/v1/static-export/jobs', body: JSON.stringify(job) })
  let status = ''
  while (status !== 'completed') {
    status = (await record({ path: `/v1/static-export/jobs/${jobId}` })).status ?? ''
    expect(status).not.toBe('failed')
    await new Promise(tick => setTimeout(tick, 50))
  }
  const { bundleUrl = '' } = await record({ method: 'POST', path: `/v1/static-export/jobs/${jobId}/bundle` })
  const link = new URL(bundleUrl)
  expect(link.origin).toBe(recorder.url)
  await record({ path: link.pathname + link.search, bearer: '' })
  const hook = { url: 'https://hooks.example.com/quire?token=secret-of-receiver' }
  const { id, secret = '' } = await record({ method: 'POST', path: '/quire/v1/webhooks', body: JSON.stringify(hook) })
  const rotated = await record({ method: 'POST', path: `/quire/v1/webhooks/${id}/secret` })
  await record({ path: '/quire/v1/webhooks' })
  const lines = '203.0.113.77 - - [26/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 9 "-" "Mozilla/5.0"\n'
  const visits = `/quire/v1/projects/${used.projectId}/visits?key=${ingest}`
  await record({ method: 'POST', path: visits, body: lines, type: 'text/plain', bearer: '' })
  await record({ path: '/quire/v1/webhooks', bearer: 'a-wrong-key-that-nobody-has' })
  expect(await recorder.end('SIGINT')).toBe(0)
  await site.close()
  expect(done.map(({ got }) => got.status).filter(code => code >= 400)).toEqual([401])

  const recorded = readFileSync(file, 'utf8')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const secrets = {
    all,
    ingest,
    secret,
    rotated: rotated.secret ?? '',
    signature: link.searchParams.get('signature') ?? '',
  }
  const others = { receiver: 'secret-of-receiver', wrong: 'a-wrong-key-that-nobody-has', visitor: '203.0.113.77' }
  for (const [name, value] of Object.entries({ ...secrets, ...others })) {
    expect(value, name).toMatch(/.{8}/)
    expect(recorded.includes(value), name).toBe(false)
    expect(recorder.output().includes(value), name).toBe(false)
  }
  expect(recorded).not.toContain(used.server.url)
  expect(recorded).not.toMatch(/"(authorization|set-cookie)"|signature=/i)

  const player = await start('--replay', file, '--quiet')
  for (const { asked, got } of done) {
    const again = await ask(player.url, { ...asked, bearer: 'any' })
    expect({ asked, ...again }).toEqual({ asked, ...got, text: shown(got.text, recorder.url, player.url) })
  }
  const last = await ask(player.url, { path: `/v1/static-export/jobs/${jobId}` })
  expect(JSON.parse(last.text)).toMatchObject({ status: 'completed' })
  const missing = await ask(player.url, { path: '/quire/v1/exports' })
  expect(JSON.parse(missing.text)).toMatchObject({
    error: expect.stringMatching(
      /^There is no recorded answer for GET \/quire\/v1\/exports\. Recorded are: POST \/v1\/static/,
    ),
    code: 'unknown_path',
    requestId: expect.any(String),
  })
  expect(missing.status).toBe(404)
  expect(await player.end('SIGINT')).toBe(0)
})

/** What the replay shows of an answer that the server gave. */
function shown(text: string, recorderUrl: string, playerUrl: string): string {
  return text
    .replaceAll(recorderUrl, playerUrl)
    .replace(/(\/bundles\/[^?"]+)\?[^"]+/, '$1')
    .replace(/whsec_[^"]+/, 'whsec_removed')
    .replace('secret-of-receiver', 'removed')
}

test('a header that no document names, and an answer of no operation, are passed on and not recorded', async () => {
  const upstream = createServer((req, res) => {
    res.setHeader('Set-Cookie', 'session=secret-cookie').setHeader('X-Verify', 'secret-header')
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ host: req.headers.host }))
  })
  await new Promise<void>(ready => upstream.listen(0, '127.0.0.1', ready))
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const file = join(folder, 'headers.jsonl')
  const recorder = await start('--record', `${origin}/base`, '--to', file, '--quiet')
  const answer = await fetch(`${recorder.url}/quire/v1/webhooks`)
  expect(answer.headers.get('Set-Cookie')).toBe('session=secret-cookie')
  expect(await answer.json()).toEqual({ host: new URL(origin).host })
  await fetch(`${recorder.url}/sign-in?token=abc`)
  upstream.closeAllConnections()
  upstream.close()
  const gone = await fetch(`${recorder.url}/quire/v1/webhooks`)
  expect({ status: gone.status, body: await gone.json() }).toMatchObject({
    status: 502,
    body: { error: `${origin}/base did not answer: ECONNREFUSED. Check --record.` },
  })
  await recorder.end('SIGINT')
  const [line = '', ...others] = readFileSync(file, 'utf8').trim().split('\n')
  expect(others).toEqual([])
  expect(JSON.parse(line)).toEqual({
    method: 'GET',
    path: '/quire/v1/webhooks',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ host: new URL(origin).host }),
  })
})

test.each([
  [['--to', 'x'], 2, /^--to needs --record\./],
  [['--record', 'http://127.0.0.1:9'], 2, /^--record needs a file\. Example: --to answers\.jsonl\n$/],
  [['--record', 'https://me:secret@q.example.com', '--to', 'x'], 2, /^--record must be a URL (?!.*secret)/],
  [['--replay', 'x', '--to', 'y'], 2, /^--replay excludes --record and --to\./],
  [['--replay', 'x', '--seed', '1'], 2, /^--seed has no effect with --replay\./],
  [['--record', 'http://127.0.0.1:9', '--to', '/no/such/folder/x'], 1, /^--to cannot be written: /],
  [['--replay', '/no/such/file'], 1, /^--replay cannot read its file: /],
])('%j is exit code %d, in one sentence', async (args, code, stderr) => {
  expect(await runProgram([program.file, ...args])).toEqual({ code, stdout: '', stderr: expect.stringMatching(stderr) })
})

test('a file that is no recording names the line', async () => {
  const file = join(folder, 'wrong.jsonl')
  writeFileSync(file, '{"method":"GET","path":"/","status":200,"headers":{},"body":""}\n{"method":1}\n')
  expect(await runProgram([program.file, '--replay', file])).toMatchObject({
    code: 1,
    stderr: `${file}:2 is not a recorded answer. Remove the line, or record again.\n`,
  })
})
