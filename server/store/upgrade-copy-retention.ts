import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Stoppable } from '../base/background.ts'
import type { ClockCheck } from '../base/clock-check.ts'
import { dayMs } from '../base/day-ms.ts'
import { repeat } from '../base/timer.ts'
import { listUpgradeCopies } from './upgrade-copies.ts'

const everyMs = 6 * 60 * 60 * 1000

/** How long the server keeps the copies of databases that it upgraded. */
export const copyRetentionDays = 7

export interface CopyRetentionOptions {
  dataFolder: string
  clock: Pick<ClockCheck, 'isTrusted'>
  now(): number
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

/** Deletes old copies of upgraded databases, now and every few hours: they contain what was deleted since. */
export function startCopyRetention({ dataFolder, clock, now, log }: CopyRetentionOptions): Stoppable {
  async function deleteOld(): Promise<void> {
    const before = now() - copyRetentionDays * dayMs
    const old = listAllCopies(dataFolder).filter(({ madeAt }) => madeAt < before)
    if (old.length === 0 || !(await clock.isTrusted())) return
    for (const { path } of old) {
      rmSync(path, { force: true })
      log.info({ path }, 'deleted the copy of a database from before its upgrade')
    }
  }
  return repeat(everyMs, deleteOld, {
    startsNow: true,
    onError: err => log.error({ err }, 'could not delete old copies of databases; the next attempt follows in 6 hours'),
  })
}

/** Lists the copies of all databases of a data folder. */
export function listAllCopies(dataFolder: string): ReturnType<typeof listUpgradeCopies> {
  return [dataFolder, join(dataFolder, 'visits')].flatMap(listUpgradeCopies)
}
