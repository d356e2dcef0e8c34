import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { startCopyRetention } from '../../server/store/upgrade-copy-retention.ts'

const dayMs = 86_400_000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-copies-'))
  mkdirSync(join(folder, 'visits'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, ageDays: number): void {
  const file = join(folder, name)
  writeFileSync(file, 'copy')
  const at = (Date.now() - ageDays * dayMs) / 1000
  utimesSync(file, at, at)
}

async function retain(isTrusted: boolean): Promise<string[]> {
  const log = { info() {}, error: (details: object) => expect.fail(JSON.stringify(details)) }
  await startCopyRetention({
    dataFolder: folder,
    clock: { isTrusted: async () => isTrusted },
    now: Date.now,
    log,
  }).stop()
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}

test('copies are deleted after 7 days, and only if the clock is trusted', async () => {
  write('quire.db', 30)
  write('quire.db.schema-8', 8)
  write('quire.db.schema-9', 6)
  write('visits/prj_1.db.schema-4', 8)
  const all = ['quire.db', 'quire.db.schema-8', 'quire.db.schema-9', 'visits', 'visits/prj_1.db.schema-4']
  expect(await retain(false)).toEqual(all)
  expect(await retain(true)).toEqual(['quire.db', 'quire.db.schema-9', 'visits'])
})

test('deleting the visits of a project deletes their copies too', () => {
  const store = openStore(join(folder, 'data'))
  try {
    mkdirSync(join(folder, 'data', 'visits'))
    for (const name of ['prj_1', 'prj_10']) writeFileSync(join(folder, 'data', 'visits', `${name}.db.schema-4`), 'copy')
    store.visits.deleteFile('prj_1')
    expect(readdirSync(join(folder, 'data', 'visits'))).toEqual(['prj_10.db.schema-4'])
  } finally {
    store.close()
  }
})
