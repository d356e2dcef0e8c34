import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openPagePool } from '../../../server/export/pool/page-pool.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-page-pool-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each<[string, number]>([
  ['a small page, in this thread', 10],
  ['a large page, in a thread of its own', 60_000],
])('what keeps a page from being kept is told by the code of the system: %s', async (_, words) => {
  writeFileSync(join(folder, 'file'), '')
  const features = { search: false, assistant: false, analytics: false, playground: false }
  const setup = { domain: 'docs.example.com', origin: 'https://docs.example.com/', features, removal: null }
  const pool = openPagePool({ ...setup, folder: join(folder, 'file/pages') })
  const bytes = Buffer.from(`<!doctype html><title>a</title><p>${'words '.repeat(words)}`)
  const task = { bytes, charset: null, url: 'https://docs.example.com/', isRendered: false, missing: null }
  try {
    await expect(pool.read(task)).rejects.toMatchObject({ code: 'ENOTDIR' })
  } finally {
    await pool.close()
  }
})
