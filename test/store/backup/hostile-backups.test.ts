import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import { type Header, pack } from 'tar-stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeBackup } from '../../../server/store/backup/make-backup.ts'
import { restoreBackup } from '../../../server/store/backup/restore-backup.ts'
import { makeNewer } from '../../support/newer-database.ts'
import { digest, fillDataFolder, readTree } from './data-folder.ts'

let folder: string
let restored: string
/** A good backup as a folder, which the tests change. */
let good: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-hostile-backup-'))
  restored = join(folder, 'restored')
  good = join(folder, 'good')
  const data = join(folder, 'data')
  await fillDataFolder(data)
  await makeBackup({
    dataFolder: data,
    target: good,
    overwrite: false,
    isNoted: true,
    version: '0',
    now: Date.now,
    onProgress() {},
  })
  rmSync(data, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const restore = (source: string) => restoreBackup({ source, dataFolder: restored, onProgress() {} })

/** Nothing may be left behind or written elsewhere when a backup is refused. */
async function expectRefused(source: string, message: RegExp): Promise<void> {
  const before = readTree(folder)
  await expect(restore(source)).rejects.toThrow(message)
  expect(readTree(folder)).toEqual(before)
}

type Entry = { name: string; content?: string | Buffer; type?: Header['type']; linkname?: string }

/** The files of the good backup as entries of an archive, in the order of a backup. */
function listGood(): Entry[] {
  const manifest = JSON.parse(readFileSync(join(good, 'manifest.json'), 'utf8'))
  const names = ['backup.json', ...manifest.files.map(({ path }: { path: string }) => path), 'manifest.json']
  return names.map(name => ({ name, content: readFileSync(join(good, name)) }))
}

async function writeTar(entries: readonly Entry[]): Promise<string> {
  const archive = pack()
  const file = join(folder, 'hostile.tar')
  for (const { name, content = '', type = 'file', linkname = '' } of entries) {
    archive.entry({ name, type, ...(linkname && { linkname }) }, content)
  }
  archive.finalize()
  await pipeline(Readable.from(archive), createWriteStream(file))
  return file
}

test('the archive of these tests is restored when nothing is wrong with it', async () => {
  await restore(await writeTar(listGood()))
  expect(existsSync(join(restored, 'quire.db'))).toBe(true)
})

describe('an archive', () => {
  test.each<[string, Entry, RegExp]>([
    ['a path that leaves the folder', { name: '../escaped', content: 'x' }, /contains "\.\.\/escaped"/],
    ['a path that leaves it in the middle', { name: 'visits/../../escaped', content: 'x' }, /no backup of Quire has/],
    ['an absolute path', { name: join(tmpdir(), 'quire-escaped'), content: 'x' }, /no backup of Quire has/],
    ['a path with backslashes', { name: '..\\escaped', content: 'x' }, /no backup of Quire has/],
    ['a path of Windows', { name: 'C:/escaped', content: 'x' }, /no backup of Quire has/],
    ['a path with a line break', { name: 'a\nb', content: 'x' }, /contains "a\\nb"/],
    ['a journal that would change the database', { name: 'quire.db-journal', content: 'x' }, /no backup of Quire has/],
    ['a WAL', { name: 'quire.db-wal', content: 'x' }, /no backup of Quire has/],
    ['a cache', { name: 'sites/a/memory.db', content: 'x' }, /no backup of Quire has/],
    ['a symbolic link', { name: 'bundles/a.zip', type: 'symlink', linkname: '/etc/passwd' }, /is not a file/],
    ['a hard link', { name: 'bundles/a.zip', type: 'link', linkname: 'quire.db' }, /is not a file/],
    ['a device', { name: 'bundles/a.zip', type: 'character-device' }, /is not a file/],
    ['a named pipe', { name: 'bundles/a.zip', type: 'fifo' }, /is not a file/],
    ['a file below a file', { name: 'link.key/a', content: 'x' }, /two files at "link\.key\/a"/],
    ['a file twice', { name: 'link.key', content: 'x' }, /two files at "link\.key"/],
    ['a file that the manifest lacks', { name: 'extra', content: 'x' }, /"extra", which its manifest lacks/],
  ])('with %s is refused', async (_, entry, message) => {
    const entries = listGood()
    await expectRefused(await writeTar([...entries.slice(0, -1), entry, ...entries.slice(-1)]), message)
  })

  test.each<[string, (entries: Entry[]) => Entry[], RegExp]>([
    ['without its manifest', entries => entries.slice(0, -1), /its end is missing/],
    ['that begins with another file', entries => entries.slice(1), /is not a backup of Quire/],
    ['with files after the manifest', entries => [...entries, { name: 'late', content: 'x' }], /not a backup/],
    ['without a file', entries => entries.filter(({ name }) => name !== 'link.key'), /lacks "link\.key"/],
    ['of nothing', () => [], /its end is missing/],
  ])('%s is refused', async (_, change, message) => {
    await expectRefused(await writeTar(change(listGood())), message)
  })

  test('that is cut off anywhere is refused', async () => {
    const bytes = readFileSync(await writeTar(listGood()))
    for (const share of [0.01, 0.3, 0.6, 0.9, 0.95]) {
      const file = join(folder, 'cut.tar')
      writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length * share)))
      await expectRefused(file, /not complete|end is missing/)
    }
  })

  test.each([
    ['text', 'hello '.repeat(500)],
    ['a broken gzip', Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(2000, 7)])],
    ['an empty file', ''],
  ])('that is %s is refused', async (_, content) => {
    writeFileSync(join(folder, 'other.tar'), content)
    await expectRefused(join(folder, 'other.tar'), /backup/i)
  })
})

describe('a folder', () => {
  const rewriteManifest = (change: (manifest: { files: { path: string }[] }) => void) => {
    const manifest = JSON.parse(readFileSync(join(good, 'manifest.json'), 'utf8'))
    change(manifest)
    writeFileSync(join(good, 'manifest.json'), JSON.stringify(manifest))
  }

  test('with a changed byte is refused', async () => {
    const bytes = readFileSync(join(good, 'bundles/se_1.zip'))
    bytes[3] = (bytes[3] ?? 0) ^ 1
    writeFileSync(join(good, 'bundles/se_1.zip'), bytes)
    await expectRefused(good, /"bundles\/se_1\.zip" in the backup is damaged/)
  })

  test('with a manifest that names files elsewhere is refused', async () => {
    writeFileSync(join(folder, 'secret'), 'x')
    rewriteManifest(({ files }) => files.push({ ...files[0], path: '../secret' }))
    await expectRefused(good, /no backup of Quire has/)
  })

  test('with nonsense about bundles elsewhere is refused, and control characters in their place are escaped', async () => {
    for (const bad of [5, [], { place: 's3://docs' }, { place: 1, fileNames: [] }]) {
      rewriteManifest(manifest => Object.assign(manifest, { bundlesElsewhere: bad }))
      await expectRefused(good, /not a backup of Quire/)
    }
    rewriteManifest(manifest =>
      Object.assign(manifest, { bundlesElsewhere: { place: 's3://docs\u001b[2J', fileNames: ['se_1.zip'] } }),
    )
    const { bundlesElsewhere } = await restoreBackup({
      source: good,
      dataFolder: join(folder, 'shown'),
      onProgress() {},
    })
    expect(bundlesElsewhere).toEqual({ place: 's3://docs\\u001b[2J', bundles: 1 })
  })

  test('with links instead of files or folders is refused', async () => {
    rmSync(join(good, 'link.key'))
    symlinkSync('/etc/passwd', join(good, 'link.key'))
    await expectRefused(good, /link\.key is missing or not a file/)
    rmSync(join(good, 'link.key'))
    writeFileSync(join(good, 'link.key'), '')
    mkdirSync(join(folder, 'elsewhere'))
    rmSync(join(good, 'bundles'), { recursive: true })
    symlinkSync(join(folder, 'elsewhere'), join(good, 'bundles'))
    writeFileSync(join(folder, 'elsewhere/se_1.zip'), 'the bytes of a bundle')
    await expectRefused(good, /se_1\.zip is missing or not a file/)
  })

  test('without one of the two lists, or with nonsense in them, is refused', async () => {
    for (const name of ['backup.json', 'manifest.json']) {
      const text = readFileSync(join(good, name))
      for (const bad of ['{', 'null', '[]', '{"files":[{}]}', '{"files":[]}']) {
        writeFileSync(join(good, name), bad)
        await expectRefused(good, /not a backup of Quire/)
      }
      rmSync(join(good, name))
      await expectRefused(good, /not a backup of Quire/)
      writeFileSync(join(good, name), text)
    }
  })

  /** Changes a database and the digest that the manifest has for it. */
  const rewriteDatabase = (path: string, change: (file: string) => void) => {
    change(join(good, path))
    const bytes = readFileSync(join(good, path))
    rewriteManifest(({ files }) => {
      const file = files.find(file => file.path === path)
      Object.assign(file ?? {}, { sizeBytes: bytes.length, sha256: digest(bytes) })
    })
  }

  test('with a damaged database is refused, although its digest is right', async () => {
    rewriteDatabase('quire.db', file => {
      const bytes = readFileSync(file)
      bytes.fill(0xa5, 3 * 4096, 9 * 4096)
      writeFileSync(file, bytes)
    })
    await expectRefused(good, /quire\.db in the backup is damaged \(/)
  })

  test.each(['job_id', 'bundle_file'])(
    'whose database has a %s that leads out of the folder is refused',
    async column => {
      rewriteDatabase('quire.db', file => {
        const database = new Database(file)
        database.exec(`UPDATE export_jobs SET ${column} = '../../victim'`)
        database.close()
      })
      await expectRefused(good, /quire\.db in the backup names the file "\.\.\/\.\.\/victim"/)
    },
  )

  test.each(['quire.db', 'visits/prj_1.db'])('with a newer schema in %s is refused in words', async path => {
    rewriteDatabase(path, makeNewer)
    await expectRefused(good, /written by a newer Quire \(schema 9999, this one knows \d+\)\. Upgrade Quire/)
  })

  test.each([{ schema: 9999, oldestSchema: 9998 }, { format: 2 }])(
    'that was made by a newer Quire (%j) is refused at once',
    async change => {
      const about = JSON.parse(readFileSync(join(good, 'backup.json'), 'utf8'))
      writeFileSync(join(good, 'backup.json'), JSON.stringify({ ...about, ...change }))
      // Is not read any more.
      rmSync(join(good, 'quire.db'))
      await expectRefused(good, /made by a newer Quire .* Upgrade Quire/)
    },
  )
})

describe('the data folder', () => {
  test.each(['quire.db', 'bundles', '.hidden'])('with %s in it is not touched', async name => {
    mkdirSync(restored)
    writeFileSync(join(restored, name), 'mine')
    await expectRefused(good, new RegExp(`not empty: it holds ${name.replaceAll('.', '\\.')}\\. Move it away`))
  })

  test('may be there if it is empty', async () => {
    mkdirSync(restored)
    await restore(good)
    expect(readdirSync(restored)).toContain('quire.db')
  })

  test('is not created for a backup that is missing', async () => {
    await expectRefused(join(folder, 'nothing.tar'), /There is no backup .*nothing\.tar/)
  })

  test('that a killed restore left can be used again', async () => {
    const killed = join(restored, 'quire-restore-AbCd12')
    mkdirSync(join(killed, 'site'), { recursive: true })
    writeFileSync(join(killed, 'owner.lock'), '')
    writeFileSync(join(killed, 'site/quire.db'), 'half')
    await restore(good)
    expect(existsSync(killed)).toBe(false)
  })
})
