import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportJobs } from './export-job.ts'

/** Returns the name of the work folder for one attempt at a job. */
export function workFolderName(jobId: string, token: number): string {
  return `${jobId}-${token}`
}

/** Removes the work folders of killed attempts at this job. */
export async function removeLeftovers(folder: string, jobId: string): Promise<void> {
  for (const name of await listFolders(folder))
    if (jobOfWorkFolder(name) === jobId) await rm(join(folder, name), { recursive: true, force: true })
}

/**
 * Removes the work folders of jobs that have ended. Keeps those of open jobs, which are running or will resume, and those of
 * unknown jobs, see `moveStrays`.
 */
export async function sweepLeftovers(folder: string, exportJobs: Pick<ExportJobs, 'find'>): Promise<void> {
  for (const name of await listFolders(folder)) {
    const jobId = jobOfWorkFolder(name)
    if (jobId === undefined) continue
    const status = (await exportJobs.find(jobId))?.status
    if (status === 'completed' || status === 'failed') await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** Returns the id of the job that a work folder belongs to; undefined if it is not a work folder. */
export function jobOfWorkFolder(name: string): string | undefined {
  return /^(se_\w+)-\d+$/.exec(name)?.[1]
}

/** Lists folders. Omits symbolic links, because their targets do not belong to Quire. */
export async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
}
