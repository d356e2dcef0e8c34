import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLinkKeys, rotateLinkKey } from '../../../server/store/link-keys.ts'
import { openStore } from '../../../server/store/store.ts'
import { backup, data, folder, restore, restored, useBackupFolders } from './backup-folders.ts'
import {
  addExport,
  addVisitor,
  countVisitors,
  deleteExport,
  digest,
  findInconsistencies,
  listCompleted,
  openMain,
  projectId,
  readTree,
} from './data-folder.ts'

useBackupFolders()

test('a backup has the visitor keys of the periods, so visitors of a restored folder are recognised', async () => {
  const project = { id: 'prj_month', visitorSaltRotation: 'month', visitorRules: 2 } as const
  const find = async (folder: string) => {
    const store = openStore(folder)
    try {
      if (!(await store.projects.find(project.id))) {
        await store.projects.insert({ ...project, organizationId: 'org_1', name: '', createdAt: 1 })
      }
      return (await store.visits.openVisitorKeys()).find(project, 20_777)
    } finally {
      store.close()
    }
  }
  const key = await find(data)
  expect(key?.length).toBe(32)
  await backup('b.tar')
  await restore('b.tar')
  expect(await find(restored)).toEqual(key)
})

describe.each(['b.tar', 'b.tar.gz', 'b.tgz', 'b'])('as %s', name => {
  test('a backup that is restored has the rows, visits, bundles and keys, and no cache', async () => {
    const made = await backup(name)
    expect(made).toMatchObject({ path: join(folder, name), databases: 2, warnings: [] })
    const result = await restore(name)
    expect(result).toMatchObject({ dataFolder: restored, createdAt: '2026-11-22T00:00:00.000Z', quire: '0.1.0' })
    expect(readdirSync(restored).sort()).toEqual(
      ['bundles', 'link.key', 'lost', 'notes.txt', 'quire.db', 'visitor.key', 'visits'].sort(),
    )
    for (const path of ['link.key', 'visitor.key', 'bundles/se_1.zip', 'lost/se_9.zip', 'notes.txt']) {
      expect(readFileSync(join(restored, path)).equals(readFileSync(join(data, path))), path).toBe(true)
    }
    expect(findInconsistencies(restored)).toEqual([])
    const store = openStore(restored)
    expect(await store.agentJobs.find(projectId, 'aj_1')).toMatchObject({ status: 'active' })
    expect(await countVisitors(store)).toBe(1)
    expect(await store.exportJobs.find('se_1')).toMatchObject({ status: 'completed' })
    store.close()
  })

  test('what is written is private', async () => {
    await backup(name)
    const stats = statSync(join(folder, name))
    expect(stats.mode & 0o777).toBe(stats.isDirectory() ? 0o700 : 0o600)
    await restore(name)
    expect(statSync(restored).mode & 0o777).toBe(0o700)
    for (const [path, { mode, sha256 }] of readTree(restored))
      expect([path, mode]).toEqual([path, sha256 ? 0o600 : 0o700])
  })
})

test('the manifest has the versions, and the size and SHA-256 of each file', async () => {
  await backup('b')
  const manifest = JSON.parse(readFileSync(join(folder, 'b/manifest.json'), 'utf8'))
  expect(manifest).toMatchObject({
    format: 1,
    createdAt: '2026-11-22T00:00:00.000Z',
    quire: '0.1.0',
    node: process.version,
    sqlite: expect.stringMatching(/^3\./),
    schema: expect.any(Number),
  })
  const paths = [...readTree(join(folder, 'b'))].flatMap(([path, { sha256 }]) => (sha256 ? [path] : []))
  const listed = manifest.files.map((file: { path: string }) => file.path)
  expect(new Set([...listed, 'backup.json', 'manifest.json'])).toEqual(new Set(paths))
  for (const { path, sizeBytes, sha256 } of manifest.files) {
    const bytes = readFileSync(join(folder, 'b', path))
    expect([path, sizeBytes, sha256]).toEqual([path, bytes.length, digest(bytes)])
  }
})

test('a session that was ended after the backup does not come back, and links to sign in neither', async () => {
  const [ended, secret] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const now = Date.now()
  const session = { id: 'ses_1', personId: 'usr_1', createdAt: now, lastSeenAt: now, expiresAt: now + 60_000 }
  const store = openStore(data)
  await store.people.insert({ id: 'usr_1', organizationId: null, name: 'operator', createdAt: now })
  await store.sessions.insert({ ...session, address: '203.0.113.9' }, ended)
  await store.signInLinks.insert({ tokenSha256: secret, personId: 'usr_1', createdAt: now, expiresAt: now + 60_000 })
  store.close()
  await backup('b.tar')
  expect(await restore('b.tar')).toMatchObject({ endedSessions: 2 })
  const copy = openStore(restored)
  expect(await copy.sessions.find(ended, now)).toBeUndefined()
  expect(await copy.signInLinks.find(secret, now)).toBeUndefined()
  expect(await copy.people.list()).toMatchObject([{ id: 'usr_1' }])
  copy.close()
})

describe('while the server works', () => {
  test('an export that is deleted after its row was copied is not in the backup', async () => {
    const main = openMain(data)
    addExport(data, 'se_2', 'soon gone', main)
    main.prepare("INSERT INTO idempotency_keys VALUES ('org_1', 'k', 'x', 'se_1', 1)").run()
    let isDeleted = false
    await backup('b', {
      onProgress({ path }) {
        // Visits are copied after the main database and before the bundles.
        if (isDeleted || !path.startsWith('visits/')) return
        isDeleted = true
        deleteExport(data, 'se_2', main)
      },
    })
    main.close()
    expect(isDeleted).toBe(true)
    await restore('b')
    expect(listCompleted(restored).map(({ jobId }) => jobId)).toEqual(['se_1'])
    expect(findInconsistencies(restored)).toEqual([])
  })

  test('a bundle that comes back from lost/ after the bundles were copied is in the backup', async () => {
    addExport(data, 'se_2', 'found again')
    renameSync(join(data, 'bundles/se_2.zip'), join(data, 'lost/se_2.zip'))
    const { warnings } = await backup('b.tar', {
      onProgress({ path }) {
        const lost = join(data, 'lost/se_2.zip')
        if (path.startsWith('bundles/') && existsSync(lost)) renameSync(lost, join(data, 'bundles/se_2.zip'))
      },
    })
    expect(warnings).toEqual([])
    await restore('b.tar')
    expect(findInconsistencies(restored)).toEqual([])
    expect(listCompleted(restored)).toHaveLength(2)
  })

  test('an export that is completed after its row was copied does not disturb', async () => {
    let isAdded = false
    const made = await backup('b.tar', {
      onProgress({ path }) {
        if (isAdded || !path.startsWith('visits/')) return
        isAdded = true
        addExport(data, 'se_3', 'late')
      },
    })
    expect([isAdded, made.warnings]).toEqual([true, []])
    await restore('b.tar')
    expect(listCompleted(restored).map(({ jobId }) => jobId)).toEqual(['se_1'])
  })

  test('a link key that is replaced meanwhile is in the backup, as the present or as an old one', async () => {
    const read = (dataFolder: string) => {
      const keys = openLinkKeys(dataFolder)
      return { current: keys.current().toString('hex'), old: keys.replaced().map(({ key }) => key.toString('hex')) }
    }
    const now = Date.now()
    await rotateLinkKey(data, now, () => now + 1_000_000)
    for (let event = 1, events = 1; event <= events; event++) {
      const before = read(data).current
      events = 0
      const onProgress = () => {
        events += 1
        if (events === event) void rotateLinkKey(data, now, () => now + 1_000_000)
      }
      await backup(`b${event}`, { onProgress })
      await restore(`b${event}`, join(folder, `restored-${event}`))
      const { current, old } = read(join(folder, `restored-${event}`))
      expect([current, ...old], `replaced at event ${event}`).toContain(before)
    }
  })

  test('the visits are never older than the read positions in the main database', async () => {
    const store = openStore(data)
    let isRecorded = false
    await backup('b', {
      async onProgress({ path }) {
        if (isRecorded || !path.startsWith('visits/')) return
        isRecorded = true
        // As a followed log of several sites: first the visits, then the position.
        await addVisitor(store, 2)
        await store.visits.recordLogPosition({ log: 'access.log', position: '2' })
      },
    })
    store.close()
    await restore('b')
    const copy = openStore(restored)
    const position = Number((await copy.visits.findLogPosition(undefined, 'access.log')) ?? 1)
    expect(await countVisitors(copy)).toBeGreaterThanOrEqual(position)
    expect(isRecorded).toBe(true)
    copy.close()
  })
})

test('links are left out with a warning, except a folder that was moved to another disk', async () => {
  const elsewhere = join(folder, 'disk')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'se_1.zip'), 'the bytes of a bundle')
  rmSync(join(data, 'bundles'), { recursive: true })
  symlinkSync(elsewhere, join(data, 'bundles'))
  symlinkSync('/etc/hostname', join(data, 'lost/link.zip'))
  symlinkSync(folder, join(data, 'up'))
  const made = await backup('b')
  expect(made.warnings.sort()).toEqual([
    expect.stringMatching(/^lost\/link\.zip is a link/),
    expect.stringMatching(/^up is a link/),
  ])
  await restore('b')
  expect(findInconsistencies(restored)).toEqual([])
})

test('a bundle that is missing or damaged in the data folder is a warning, and the rest is saved', async () => {
  addExport(data, 'se_2', 'will be missing')
  rmSync(join(data, 'bundles/se_2.zip'))
  writeFileSync(join(data, 'bundles/se_1.zip'), 'the bytes of A bundle')
  const { warnings } = await backup('b')
  expect(warnings).toEqual([
    'The bundle of se_1 is damaged in the data folder. Export the site again.',
    'The bundle of se_2 is missing in the data folder. Export the site again.',
  ])
  expect((await restore('b')).warnings).toEqual(warnings)
})
