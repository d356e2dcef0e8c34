import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startThread } from '../../../server/assets.ts'
import { createQueue } from '../../../server/base/queue.ts'
import { openPagePool } from '../../../server/export/pages/page-pool.ts'

const features = { search: false, assistant: false, analytics: false, playground: false }
const setup = {
  domain: 'docs.example.com',
  origin: 'https://docs.example.com/',
  features,
  removal: null,
  freezesReferences: false,
}
const folder = mkdtempSync(join(tmpdir(), 'quire-page-pool-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each<[string, number]>([
  ['a small page, in the main thread', 10],
  ['a large page, in another thread', 60_000],
])('a failed write has the error code of the system: %s', async (_, words) => {
  writeFileSync(join(folder, 'file'), '')
  const pool = openPagePool({ ...setup, folder: join(folder, 'file/pages') }, startThread)
  const bytes = Buffer.from(`<!doctype html><title>a</title><p>${'words '.repeat(words)}`)
  const task = { bytes, charset: null, url: 'https://docs.example.com/', isRendered: false, missing: null }
  try {
    await expect(pool.read(task)).rejects.toMatchObject({ code: 'ENOTDIR' })
  } finally {
    await pool.close()
  }
})

test('the main thread and another thread share the pages', async () => {
  const pool = openPagePool({ ...setup, folder: join(folder, 'shared') }, startThread, { isAlone: true })
  const queue = createQueue(4)
  const bytes = Buffer.from(`<!doctype html><title>a</title>${'<p>some words'.repeat(2000)}`)
  const read = (page: number) =>
    pool.read({
      bytes,
      charset: null,
      url: `https://docs.example.com/${page}`,
      isRendered: false,
      missing: null,
    })
  try {
    // The thread can take pages only after it has started.
    await read(0)
    const pages = await Promise.all(Array.from({ length: 200 }, (_, page) => queue.add(() => read(page))))
    const shares = Object.values(Object.groupBy(pages, ({ span }) => span.file)).map(share => share?.length ?? 0)
    expect(shares).toHaveLength(2)
    expect(Math.min(...shares)).toBeGreaterThan(10)
  } finally {
    await pool.close()
  }
})
