import { expect, test } from 'vitest'
import type { FileOutcome } from '../../../server/export/model/resource.ts'
import { createSite } from '../../../server/export/model/site.ts'
import { createMissedFiles } from '../../../server/export/verify/missed-files.ts'
import { createPlace } from '../../../server/export/verify/places.ts'
import type { PageLook } from '../../../server/web/browser/page-look.ts'

const site = createSite('docs.example.com', new URL('https://docs.example.com/guide/'))
const file = (url: string): FileOutcome => ({
  state: 'file',
  resource: {
    ...{ key: url, url: new URL(url), kind: 'file', type: 'text/plain', charset: 'utf-8', file: 'x' },
    ...{ span: null, sizeBytes: 1, sha256: '', rendered: false, hasScripts: false },
  },
})

/** Records failed requests and fetches the files, of which `web` exist. Returns the requested addresses. */
async function run(failed: string[], web: string[], known: Record<string, FileOutcome> = {}) {
  const files = new Map(Object.entries(known))
  const scripted = new Set<string>()
  const asked = new Set<string>()
  const missed = createMissedFiles(
    { site, files, scripted },
    {
      needLoaded: url => void asked.add(url.href),
      needScripted(url) {
        if (site.own(url)) return
        asked.add(url.href)
        scripted.add(url.href)
      },
      async finish() {
        for (const url of asked)
          files.set(url, files.get(url) ?? (web.includes(url) ? file(url) : { state: 'missing', reason: 'status 404' }))
      },
    },
  )
  missed.note({ failed } as Pick<PageLook, 'failed'> as PageLook, createPlace('folder', '/bundle'))
  const written = new Map(Object.keys(known).map(key => [key, key]))
  const isIncomplete = await missed.fetch(written)
  return { asked: [...asked], isIncomplete, again: await missed.fetch(written) }
}

const atPlace = 'http://localhost/any/sub/folder/data/a.json'

test('a file that a page misses in a place is fetched from the site, and the bundle is incomplete', async () => {
  const asked = ['https://docs.example.com/data/a.json']
  expect(await run([atPlace], asked)).toEqual({ asked, isIncomplete: true, again: false })
})

test('a file that a script requests from the root of the host is fetched from the site', async () => {
  const { asked } = await run(['http://localhost/data/b.json#part'], [])
  expect(asked).toEqual(['https://docs.example.com/data/b.json'])
})

test('if the site does not have the file either, the bundle is complete', async () => {
  expect((await run([atPlace], [])).isIncomplete).toBe(false)
})

test('failed files are not retried', async () => {
  const known = { 'https://docs.example.com/data/a.json': { state: 'missing', reason: 'status 404' } } as const
  expect(await run([atPlace], [], known)).toEqual({ asked: [], isIncomplete: false, again: false })
})

test('a packed file of another host that no script was known to load makes the bundle incomplete', async () => {
  const url = 'https://cdn.example/a.js'
  expect(await run([url], [], { [url]: file(url) })).toMatchObject({ asked: [url], isIncomplete: true })
})

test('addresses other than http and https are ignored', async () => {
  expect((await run(['data:text/plain,a', 'blob:x'], [])).asked).toEqual([])
})
