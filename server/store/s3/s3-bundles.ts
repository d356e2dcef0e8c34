import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BundleStore, JudgeBundle } from '../../export/jobs/bundle-store.ts'
import { jobOfBundle, type LostFolder } from '../../export/jobs/lost-folder.ts'
import { createBundleCheck, fileArchives, type NoteDamage, type ReportBundle } from '../bundle-check.ts'
import { isBundleName } from '../bundle-path.ts'
import type { S3Objects } from './s3-objects.ts'
import type { FileUpload } from './s3-uploads.ts'

/** Here is an empty object for each archive that is being removed. */
const removals = 'removals/'

/**
 * Stores bundles as objects in S3-compatible storage. An archive that no export names stays where it is: its name is unique, so
 * it is there again when a database that knows it is restored.
 */
export function openS3Bundles(
  objects: S3Objects,
  lost: Pick<LostFolder, 'pathOf' | 'take'>,
  report: ReportBundle = () => {},
  noteDamage: NoteDamage = () => {},
): BundleStore {
  const archives = createBundleCheck(
    {
      async find(name) {
        const found = isBundleName(name) ? await objects.find(name) : undefined
        return found && { ...found, identity: found.etag, lastingIdentity: found.etag }
      },
      read: name => objects.read(name),
    },
    report,
    noteDamage,
  )

  const publish: BundleStore['publish'] = (file, { fileName, sizeBytes, sha256 }, signal) =>
    publishObject(objects, { fileName, file, sizeBytes, sha256, signal })

  return {
    place: 'in the storage of the server',
    publish,
    check: bundle => archives.check(bundle.fileName, bundle),
    verify: bundle => archives.verify(bundle.fileName, bundle),
    open: (fileName, span) => objects.read(fileName, span),
    presign: (fileName, download, span) => objects.presign(fileName, { ...download, ...span }),
    withFile: (fileName, use) => useCopy(objects, fileName, use),
    async remove(fileName) {
      archives.forget(fileName)
      if (!isBundleName(fileName)) return
      await objects.delete(fileName)
      await objects.delete(removals + fileName)
    },
    async announceRemoval(fileName) {
      if (isBundleName(fileName)) await objects.mark(removals + fileName)
    },
    list: () => [],
    setAside: () => Promise.reject(new Error('Archives in S3 are not set aside.')),
    async recover(lostName, bundle) {
      const file = lost.pathOf(lostName)
      const silent = createBundleCheck(fileArchives, () => {})
      if ((await archives.check(bundle.fileName, bundle)) === 'sound') return false
      if ((await silent.verify(file, bundle)) !== 'sound') return false
      await publish(file, bundle)
      await rm(file)
      return true
    },
    removeAbandoned: (leftBefore, judge) => removeAbandoned(objects, leftBefore, judge),
  }
}

/** Also removes archives if uploads cannot be listed, which is a right that many keys lack. That error is thrown at the end. */
async function removeAbandoned(objects: S3Objects, leftBefore: number, judge: JudgeBundle): Promise<number> {
  const [ended] = await Promise.allSettled([objects.abortUploads(leftBefore, name => jobOfBundle(name) !== undefined)])
  const removed = await removeArchives(objects, leftBefore, judge)
  if (ended.status === 'rejected') throw ended.reason
  return ended.value + removed
}

async function removeArchives(objects: S3Objects, leftBefore: number, judge: JudgeBundle): Promise<number> {
  let removed = 0
  for await (const mark of objects.list(removals, leftBefore)) {
    const fileName = mark.slice(removals.length)
    if (jobOfBundle(fileName) === undefined) continue
    // A job that was not deleted after all keeps its bundle.
    if ((await judge(fileName)) !== 'needed') {
      await objects.delete(fileName)
      removed += 1
    }
    await objects.delete(mark)
  }
  for await (const fileName of objects.list('', leftBefore)) {
    // The database may be an older backup, so what it does not know stays.
    if (jobOfBundle(fileName) === undefined || (await judge(fileName)) !== 'superseded') continue
    await objects.delete(fileName)
    removed += 1
  }
  return removed
}

/** Does nothing if an attempt whose answer was lost has uploaded the file. */
async function publishObject(
  objects: S3Objects,
  { fileName, ...upload }: FileUpload & { fileName: string },
): Promise<void> {
  const before = await objects.find(fileName)
  if (before?.sizeBytes === upload.sizeBytes && before.sha256 === upload.sha256) return
  // It was written before a backup of the database was restored.
  if (before) await objects.copy(fileName, `lost/${fileName}-${before.etag.replaceAll(/\W/g, '')}`)
  await objects.write(fileName, upload)
}

/** Calls `use` with a copy on the disk, which is deleted afterwards. */
async function useCopy<T>(objects: S3Objects, fileName: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-bundle-'))
  try {
    const file = join(folder, fileName)
    await pipeline(await objects.read(fileName), createWriteStream(file, { mode: 0o600 }))
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
