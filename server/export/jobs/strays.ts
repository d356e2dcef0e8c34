import { join } from 'node:path'
import { UnavailableError } from '../../base/unavailable-error.ts'
import type { BundleStore, JudgeBundle } from './bundle-store.ts'
import type { Bundle, ExportJob, ExportJobs } from './export-job.ts'
import { jobOfWorkFolder, listFolders } from './leftovers.ts'
import { jobOfBundle, type LostFolder, type LostItem } from './lost-folder.ts'

export interface StrayDeps {
  exportJobs: Pick<ExportJobs, 'find'>
  bundles: Pick<BundleStore, 'list' | 'setAside'>
  lost: Pick<LostFolder, 'take'>
  /** Folder of the work folders of all exports. */
  workFolder: string
  log: { warn(details: object, message: string): void }
}

/** How long an item lies in the lost folder before an operator may delete it. */
const minLostMs = 24 * 60 * 60 * 1000
const maxNamesInLog = 20

/**
 * Moves bundles and work folders that no job of the database names to the lost folder. Nothing is deleted, because the
 * database may be an older backup that does not know the newest jobs.
 */
export async function moveStrays(deps: StrayDeps): Promise<void> {
  const { exportJobs, bundles, lost, workFolder, log } = deps
  const moved: string[] = []
  const move = async (name: string, take: () => LostName) => {
    try {
      moved.push(await take())
    } catch (error) {
      log.warn({ err: error, name }, 'could not move what no export names to the lost folder; it stays where it is')
    }
  }
  for (const fileName of await bundles.list()) {
    const jobId = jobOfBundle(fileName)
    if (jobId === undefined || isNeeded(await exportJobs.find(jobId), fileName)) continue
    await move(fileName, () => bundles.setAside(fileName))
  }
  for (const name of await listFolders(workFolder)) {
    const jobId = jobOfWorkFolder(name)
    if (jobId === undefined || (await exportJobs.find(jobId))) continue
    await move(name, () => lost.take(join(workFolder, name)))
  }
  if (moved.length === 0) return
  log.warn(
    { moved: moved.length, names: moved.slice(0, maxNamesInLog) },
    'moved what no export names to the folder lost. If the database is an older backup, restore the newest one: the bundles ' +
      'then come back at the next start. To see them: npx quire lost list',
  )
}

type LostName = ReturnType<LostFolder['take']>

/** Moves bundles that a job names back from the lost folder, after the database that knows them was restored. */
export async function recoverLost(deps: {
  exportJobs: Pick<ExportJobs, 'find'>
  bundles: Pick<BundleStore, 'recover'>
  lost: Pick<LostFolder, 'list'>
  log: Record<'info' | 'warn', (details: object, message: string) => void>
}): Promise<void> {
  let recovered = 0
  const recover = async (name: string, bundle: Bundle) => {
    try {
      return await deps.bundles.recover(name, bundle)
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      deps.log.warn(
        { err: error, name },
        'could not move a bundle back from the folder lost; the next start tries again',
      )
      return false
    }
  }
  for (const { name, formerName } of await deps.lost.list()) {
    const jobId = jobOfBundle(formerName)
    const bundle = jobId === undefined ? undefined : (await deps.exportJobs.find(jobId))?.bundle
    if (bundle?.fileName === formerName && (await recover(name, bundle))) recovered += 1
  }
  if (recovered > 0) deps.log.info({ recovered }, 'moved bundles that exports name back from the folder lost')
}

/** Says what an item of the lost folder is. undefined = Quire did not put it there. */
export function describeLost({ formerName, isFolder }: LostItem): 'bundle' | 'work folder' | 'site cache' | undefined {
  if (!isFolder) return jobOfBundle(formerName) === undefined ? undefined : 'bundle'
  if (jobOfWorkFolder(formerName) !== undefined) return 'work folder'
  return /-[0-9a-f]{8}$/.test(formerName) ? 'site cache' : undefined
}

export interface LostJudge {
  exportJobs: Pick<ExportJobs, 'find'>
  bundles: Pick<BundleStore, 'check'>
  /** Whether a registered site has no other cache than the one with this name. */
  needsCache(name: string): boolean
  now: number
}

/** Why an item of the lost folder may not be deleted. 'recent' = it was lost less than 24 hours ago. */
export type WhyKept = 'foreign' | 'recent' | 'needed'

/**
 * Decides whether an item may be deleted: Quire put it there at least 24 hours ago, and a second look finds that the database
 * still does not need it.
 */
export async function whyKept(item: LostItem, judge: LostJudge): Promise<WhyKept | null> {
  const kind = describeLost(item)
  if (kind === undefined) return 'foreign'
  if (judge.now - item.lostAt < minLostMs) return 'recent'
  if (kind === 'site cache') return judge.needsCache(item.formerName) ? 'needed' : null
  const jobId = kind === 'bundle' ? jobOfBundle(item.formerName) : jobOfWorkFolder(item.formerName)
  const job = await judge.exportJobs.find(jobId ?? '')
  if (!job || !isNeeded(job, item.formerName)) return null
  // An item that was lost twice has a copy where it belongs.
  return job.bundle && (await judge.bundles.check(job.bundle)) === 'sound' ? null : 'needed'
}

/** Looks up the job of an archive, see `JudgeBundle`. */
export async function judgeBundle(exportJobs: Pick<ExportJobs, 'find'>, fileName: string): ReturnType<JudgeBundle> {
  const job = await exportJobs.find(jobOfBundle(fileName) ?? '')
  if (!job) return 'unknown'
  return isNeeded(job, fileName) ? 'needed' : 'superseded'
}

/** An open job is publishing a bundle, or will publish one. Its earlier bundles move when it has ended. */
function isNeeded(job: ExportJob | undefined, fileName: string): boolean {
  if (!job) return false
  return job.status === 'queued' || job.status === 'running' || job.bundle?.fileName === fileName
}
