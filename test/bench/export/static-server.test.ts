import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFile, serveStatic } from '../../../scripts/bench/export/static-server.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-copies-'))
  for (const path of ['index.html', 'a/index.html', 'b.html', 'c d/e.html', 'style.css']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), path)
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['/', 'index.html'],
  ['/a/', 'a/index.html'],
  ['/a', 'a/index.html'],
  ['/b', 'b.html'],
  ['/b.html', 'b.html'],
  ['/c%20d/e', 'c d/e.html'],
  ['/b/', undefined],
  ['/nowhere', undefined],
  ['/%00', undefined],
  ['/%zz', undefined],
  ['/..%2f..%2fetc%2fpasswd', undefined],
  [`/${'x'.repeat(300)}`, undefined],
])('a static host answers %s from %s', (path, want) => {
  expect(findFile(folder, path)?.file).toBe(want && join(folder, want))
})

test('a host can redirect /a to /a/, and can answer unknown paths, except files, with the home page', async () => {
  const options = { redirectsFolders: true, isApp: true, prefix: '/docs/' }
  const server = await serveStatic(folder, options)
  try {
    const ask = (path: string) => fetch(new URL(path, server.root), { redirect: 'manual' })
    const moved = await ask('a')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/docs/a/'])
    expect(await (await ask('any/page')).text()).toBe('index.html')
    expect((await ask('any/file.js')).status).toBe(404)
    const styled = await ask('style.css')
    expect(styled.headers.get('content-type')).toBe('text/css')
    const etag = styled.headers.get('etag') ?? ''
    const again = await fetch(new URL('style.css', server.root), { headers: { 'If-None-Match': etag } })
    expect(again.status).toBe(304)
  } finally {
    await server.close()
  }
})
