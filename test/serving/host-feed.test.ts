import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHostFolder } from '../../server/host/versions/host-folder.ts'
import { createFeed } from '../../server/serving/host-feed.ts'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { fillHostFolder } from '../host/fill-host-folder.ts'
import { makeKeyPair, trust } from '../support/signing-keys.ts'

let path = ''
let server: RunningServer
let update: Parameters<typeof createFeed>[0]['config']['update']
const noted: unknown[] = []

beforeAll(async () => {
  path = mkdtempSync(join(tmpdir(), 'quire-feed-'))
  await fillHostFolder(path, ['1.0', '<2.0>'])
  const folder = await openHostFolder(path)
  server = await startServer((req, res) => {
    const parts = { config: { update }, folder, log: { warn() {}, error() {} } } as unknown as Parameters<
      typeof createFeed
    >[0]
    const note = (...[, , sentBytes]: unknown[]) => void noted.push(sentBytes)
    createFeed(parts, { note }, (_, site) => site.end('the site'))(req, res)
  })
})
afterAll(async () => {
  await server.close()
  rmSync(path, { recursive: true, force: true })
})

const ask = (headers: Record<string, string> = {}) => fetch(new URL('/_quire/feed.atom', server.origin), { headers })

test('the feed has the versions, newest first, with what changed since the one before', async () => {
  update = { trusted: null } as typeof update
  const response = await ask()
  const feed = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
  expect(feed).toContain('<id>tag:docs.example.com,2026:versions</id>')
  expect(feed.match(/<title>.*<\/title>/g)).toEqual([
    '<title>Versions of docs.example.com</title>',
    '<title>Version &lt;2.0&gt;</title>',
    '<title>Version 1.0</title>',
  ])
  expect(feed).toContain(
    '&lt;p&gt;Changed: 3&lt;/p&gt;&lt;ul&gt;&lt;li&gt;guide/p0 (guide/p0.html): sentences: 1 added, 1 removed',
  )
  expect(feed).toContain('There is no earlier version to compare it with.')
  const etag = response.headers.get('etag') ?? ''
  expect((await ask({ 'If-None-Match': etag })).status).toBe(304)
  expect(noted).toEqual([Buffer.byteLength(feed), 0])
})

test('versions that no trusted key signed are not in it', async () => {
  update = { trusted: trust(makeKeyPair()) } as typeof update
  expect(await (await ask()).text()).not.toContain('<entry>')
})

test('all other addresses are those of the site', async () => {
  expect(await (await fetch(new URL('/_quire/other', server.origin))).text()).toBe('the site')
})
