import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { addAgentJob, fillDataFolder, findInconsistencies, projectId } from '../store/backup/data-folder.ts'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { runQuire, type ServeProcess, startQuire, startServe } from '../support/process.ts'
import { backUpAndCompare, startLoad } from './backup-under-load.ts'

test('a backup of a running server with 500 writes a second has every acknowledged row, and its parts agree', async () => {
  const loaded = await startLoad()
  try {
    const restored = join(loaded.folder, 'restored')
    const { problems, writes } = await backUpAndCompare(loaded, 'b.tar', restored)
    expect(problems).toEqual([])
    expect(writes).toBeGreaterThan(0)
    expect(await send(loaded.server.url, '/readyz')).toMatchObject({ status: 200 })
    const server = await startServe(['--data', restored])
    expect(await send(server.url, '/readyz')).toMatchObject({ status: 200 })
    await server.end('SIGKILL')
  } finally {
    await loaded.dispose()
  }
})

describe('with a small data folder', () => {
  let folder: string
  let data: string
  let server: ServeProcess | undefined

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-backup-e2e-'))
    data = join(folder, 'data')
    await fillDataFolder(data)
  })
  afterEach(async () => {
    await server?.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  test('a copy of quire.db alone, which the documentation warns of, lacks acknowledged rows', async () => {
    const store = openStore(data)
    for (let i = 0; i < 50; i++) await addAgentJob(store, `aj_wal_${i}`)
    const copied = join(folder, 'copied')
    mkdirSync(copied)
    copyFileSync(join(data, 'quire.db'), join(copied, 'quire.db'))
    await runQuire(['backup', join(folder, 'b'), '--data', data])
    store.close()
    await runQuire(['restore', join(folder, 'b'), '--data', join(folder, 'restored')])
    const count = async (from: string) => {
      const opened = openStore(from)
      const jobs = await opened.agentJobs.list(projectId)
      opened.close()
      return jobs.length
    }
    expect(await count(join(folder, 'restored'))).toBe(51)
    expect(await count(copied)).toBeLessThan(51)
  })

  test('a folder that a server uses is not restored into, even if someone emptied it', async () => {
    await runQuire(['backup', join(folder, 'b.tar'), '--data', data])
    server = await startServe(['--data', data])
    const restore = () => runQuire(['restore', join(folder, 'b.tar'), '--data', data])
    const refused = {
      code: 1,
      stderr: `Process ${server.child.pid} uses ${data}. Stop the server, and restore again.\n`,
    }
    expect(await restore()).toMatchObject(refused)
    rmSync(data, { recursive: true })
    expect(await restore()).toMatchObject(refused)
    expect(existsSync(data)).toBe(false)
    await server.end('SIGKILL')
    expect(await restore()).toMatchObject({ code: 0 })
    expect(findInconsistencies(data)).toEqual([])
  })

  test('a backup that is killed leaves nothing under its name, and the next one removes what it left', async () => {
    const listScratch = () => readdirSync(folder).filter(name => name.startsWith('quire-backup-'))
    // Large enough that the signal comes before the end.
    writeFileSync(join(data, 'bundles/large'), Buffer.alloc(200_000_000))
    const backup = startQuire(['backup', join(folder, 'b.tar'), '--data', data])
    await waitFor(async () => (listScratch().length > 0 ? true : undefined))
    await backup.end('SIGKILL')
    expect(existsSync(join(folder, 'b.tar'))).toBe(false)
    rmSync(join(data, 'bundles/large'))
    expect(await runQuire(['backup', join(folder, 'b.tar'), '--data', data])).toMatchObject({ code: 0 })
    expect(listScratch()).toEqual([])
  })
})
