import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { indexBundle } from '../../../server/export/search/index-bundle.ts'
import { openDocsReader } from '../../../server/host/mcp/docs-reader.ts'
import type { DocsVersion } from '../../../server/host/mcp/docs-server.ts'
import { createMcpListener } from '../../../server/host/mcp/mcp-handler.ts'
import { type RunningServer, startServer } from '../../export/static-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-mcp-'))
const page = (title: string, text: string) => `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`
const files = {
  'index.html': page('Home', '<a href="guide/json.html">JSON</a>'),
  'guide/json.html': page('JSON', `Parse a JSON text. ${'word '.repeat(100)}`),
  'guide/ü x.html': page('Umlauts', 'Names of files'),
  'export-report.html': 'report',
  'old/index.htm': 'stub',
}
let versions: DocsVersion[]
let server: RunningServer
let client: Client
let ended: number[]
let now: number

function write(name: string, content: Record<string, string>): string {
  for (const [path, text] of Object.entries(content)) {
    mkdirSync(dirname(join(scratch, name, path)), { recursive: true })
    writeFileSync(join(scratch, name, path), text)
  }
  return join(scratch, name)
}

beforeAll(() => {
  const indexed = write('new', { ...files, 'guide/json.md': 'the twin' })
  const pages = ['guide/json.html', 'guide/ü x.html', 'index.html'].map(path => ({ path, charset: 'utf-8' }))
  indexBundle({ folder: indexed, pages })
  const about = { domain: 'docs.example.com' }
  versions = [
    { ...about, id: 'b', label: '2.0', reader: openDocsReader(indexed) },
    { ...about, id: 'a', label: null, reader: openDocsReader(write('old', files)) },
  ]
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

beforeEach(async () => {
  ended = []
  now = 0
  server = await startServer(
    createMcpListener({
      versions: async () => versions,
      programVersion: '1.2.3',
      origins: ['https://agent.example'],
      findClient: () => '192.0.2.1',
      now: () => now,
      onEnd: (_, res) => ended.push(res.statusCode),
      onError: error => expect.unreachable(String(error)),
    }),
  )
  client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.origin)))
})
afterEach(async () => {
  await client.close()
  await server.close()
})

async function call(name: string, given: Record<string, unknown>): Promise<[text: string, isError: boolean]> {
  const { content, isError = false } = await client.callTool({ name, arguments: given })
  return [(content as { text: string }[])[0]?.text ?? '', isError === true]
}

test('an agent learns what it reads, and that the tools change nothing', async () => {
  expect(client.getServerVersion()).toMatchObject({ title: 'Documentation of docs.example.com', version: '1.2.3' })
  const { tools } = await client.listTools()
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ['search', true],
    ['read_page', true],
    ['list_pages', true],
  ])
})

test.each([
  ['search', { query: 'How do I parse the JSON?' }, /^- guide\/json.html: JSON\n {2}Parse a JSON text/],
  ['search', { query: 'absent' }, /^No page has these words/],
  ['read_page', { page: 'guide/json.html' }, /^the twin$/],
  ['read_page', { page: 'https://docs.example.com/guide/json#x' }, /^the twin$/],
  ['read_page', { page: 'guide/ü x.md' }, /# Umlauts\n\nNames of files\n$/],
  ['read_page', { page: '' + '/' }, /\[JSON\]\(guide\/json.md\)/],
  [
    'read_page',
    { page: 'guide/json.html', version: 'a', limit: 100 },
    /\n\n\[100 of 5\d\d characters. The next part has offset 100.\]$/,
  ],
  ['list_pages', {}, /^- guide\/json.html: JSON\n- guide\/ü x.html: Umlauts\n- index.html: Home$/],
  [
    'list_pages',
    { folder: '/guide/', limit: 1, version: 'a' },
    /^- guide\/json.html: JSON\n\n1 of 2 pages. The next ones have offset 1.$/,
  ],
])('%s of %j answers %s', async (name, given, text) => {
  expect(await call(name, given)).toEqual([expect.stringMatching(text), false])
})

test.each([
  [
    'search',
    { query: 'json', version: 'a' },
    /no search index. Use list_pages, or export it again with --offline-search/,
  ],
  ['search', { query: 'json', version: '3' }, /There is no version 3. Known versions, the current one first: 2.0, a./],
  ['search', { query: '' }, /fewer than 1 character/],
  ['search', { quest: 'x' }, /query/],
  ['read_page', { page: 'none' }, /There is no page none. Find its path with search or list_pages/],
  ['read_page', { page: '../../secret' }, /There is no page/],
  ['read_page', { page: 'guide/json.html', offset: 5000 }, /has only 8 characters/],
  ['list_pages', { folder: 'none/' }, /No page has a path that begins with none/],
])('%s of %j says what to do instead: %s', async (name, given, text) => {
  expect(await call(name, given)).toEqual([expect.stringMatching(text), true])
})

test('a page of another origin is refused, unless the origin is allowed or local', async () => {
  const send = async (origin: string) =>
    (
      await fetch(new URL('/mcp', server.origin), {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: '{}',
      })
    ).status
  expect(await send('http://rebound.example:8080')).toBe(403)
  expect(await send('http://localhost.evil.example')).toBe(403)
  expect(await send('null')).toBe(403)
  expect([await send('https://agent.example'), await send('http://localhost:6274')]).not.toContain(403)
  expect(ended).toContain(403)
})

test('an address that asks too often is told when to come again', async () => {
  const send = () =>
    fetch(new URL('/mcp', server.origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
  for (let at = 0; at < 120; at += 1) await send()
  const refused = await send()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  now = 60_000
  expect((await send()).status).not.toBe(429)
})

test('a body that no call needs is refused', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(100_000) } })
  const { status } = await fetch(new URL('/mcp', server.origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body,
  })
  expect(status).toBe(413)
})
