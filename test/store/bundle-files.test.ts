import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { publishBundle } from '../../server/export/jobs/publish-bundle.ts'
import { openBundleFiles } from '../../server/store/bundle-files.ts'
import { openLostFolder } from '../../server/store/lost-files.ts'
import { ForgetfulDisk } from '../support/forgetful-disk.ts'

const disk = vi.hoisted(() => {
  // The files of a worker share their modules, and those loaded before have the real disk.
  vi.resetModules()
  return { current: undefined as ForgetfulDisk | undefined }
})
vi.mock('node:fs/promises', async original => {
  const real = await original<typeof import('node:fs/promises')>()
  const open: typeof real.open = async (path, ...rest) => {
    const handle = await real.open(path, ...rest)
    const sync = handle.sync.bind(handle)
    handle.sync = async () => {
      await sync()
      disk.current?.sync(String(path))
    }
    return handle
  }
  return { ...real, open }
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-bundle-files-'))
  disk.current = new ForgetfulDisk(folder)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
afterAll(() => vi.resetModules())

const openBundles = () => openBundleFiles(join(folder, 'bundles'), openLostFolder(folder))

function writeArchive(content: string): string {
  const file = join(folder, 'archive.zip')
  writeFileSync(file, content)
  return file
}

const toBundle = (fileName: string, content: string) => ({
  fileName,
  sizeBytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})

test('a power cut when the job is completed loses neither the bytes nor the name of its bundle', async () => {
  const content = 'an archive'
  const bundle = toBundle('se_1-1.zip', content)
  let afterPowerCut: Map<string, string> | undefined
  const complete = () => {
    afterPowerCut = disk.current?.read('bundles')
    return true
  }
  const lease = { jobId: 'se_1', owner: 'test', token: 1 }
  const file = writeArchive(content)
  const exportJobs = { find: () => undefined }
  await publishBundle({ exportJobs, bundles: openBundles() }, { file, lease, bundle, complete })
  expect(afterPowerCut).toEqual(new Map([['se_1-1.zip', content]]))
})

test('a void lease leaves no bundle, and neither does a database that cannot be written', async () => {
  const bundles = openBundles()
  const content = 'an archive'
  const bundle = toBundle('se_1-1.zip', content)
  const lease = { jobId: 'se_1', owner: 'test', token: 1 }
  const publish = (complete: () => boolean, recorded = false) =>
    publishBundle(
      { exportJobs: { find: () => ({ bundle: recorded ? bundle : null }) as never }, bundles },
      { file: writeArchive(content), lease, bundle, complete },
    )
  const fail = () => {
    throw new Error('database is locked')
  }
  expect(await publish(() => false)).toBe(false)
  expect(readdirSync(join(folder, 'bundles'))).toEqual([])
  await expect(publish(fail)).rejects.toThrow('database is locked')
  expect(readdirSync(join(folder, 'bundles'))).toEqual([])
  // The database recorded the bundle, and then reported an error.
  expect(await publish(fail, true)).toBe(true)
  expect(await publish(() => false, true)).toBe(true)
  expect(readdirSync(join(folder, 'bundles'))).toEqual(['se_1-1.zip'])
})

test('a bundle never replaces another; a name that is lost twice gets a number', async () => {
  const bundles = openBundles()
  for (const content of ['first', 'second', 'third'])
    await bundles.publish(writeArchive(content), toBundle('se_1-1.zip', content))
  expect(readFileSync(join(folder, 'bundles', 'se_1-1.zip'), 'utf8')).toBe('third')
  expect(readdirSync(join(folder, 'lost')).sort()).toEqual(['se_1-1.zip', 'se_1-1.zip.2'])

  const lost = openLostFolder(folder)
  const items = await lost.list()
  expect(items.map(({ formerName }) => formerName)).toEqual(['se_1-1.zip', 'se_1-1.zip'])
  const second = toBundle('se_1-1.zip', 'second')
  expect(await bundles.recover('se_1-1.zip', second)).toBe(false)
  expect(await bundles.recover('se_1-1.zip.2', second)).toBe(true)
  expect(readFileSync(join(folder, 'bundles', 'se_1-1.zip'), 'utf8')).toBe('second')
  expect(await bundles.recover('se_1-1.zip', second)).toBe(false)
  const contents = readdirSync(join(folder, 'lost')).map(name => readFileSync(join(folder, 'lost', name), 'utf8'))
  expect(contents.sort()).toEqual(['first', 'third'])
})

test('an archive opens whole or in part, and a missing one rejects', async () => {
  const bundles = openBundles()
  await bundles.publish(writeArchive('an archive'), toBundle('se_1-1.zip', 'an archive'))
  expect(await text(await bundles.open('se_1-1.zip'))).toBe('an archive')
  expect(await text(await bundles.open('se_1-1.zip', { first: 3, last: 5 }))).toBe('arc')
  expect(await text(await bundles.open('se_1-1.zip', { first: 9, last: 9 }))).toBe('e')
  await expect(bundles.open('se_2-1.zip')).rejects.toThrow('ENOENT')
  await expect(bundles.open('../archive.zip')).rejects.toThrow('ENOENT')
  expect(await bundles.withFile('se_1-1.zip', async file => readFileSync(file, 'utf8'))).toBe('an archive')
})

test.skipIf(process.platform === 'win32')('a published bundle can be read only by the user of the server', async () => {
  const file = writeArchive('an archive')
  await openBundles().publish(file, toBundle('se_1-1.zip', 'an archive'))
  expect(statSync(join(folder, 'bundles')).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'bundles', 'se_1-1.zip')).mode & 0o777).toBe(0o600)
})

test.each(['../victim.txt', '..', '/etc/passwd', 'a/../../victim.txt', ''])(
  'a recorded name that leads out of the folder (%j) is a missing bundle, and removes nothing',
  async fileName => {
    writeFileSync(join(folder, 'victim.txt'), 'kept')
    const bundles = openBundles()
    const bundle = { fileName, sizeBytes: 4, sha256: createHash('sha256').update('kept').digest('hex') }
    expect(await bundles.check(bundle)).toBe('missing')
    expect(await bundles.verify(bundle)).toBe('missing')
    await bundles.remove(fileName)
    expect(readFileSync(join(folder, 'victim.txt'), 'utf8')).toBe('kept')
  },
)
