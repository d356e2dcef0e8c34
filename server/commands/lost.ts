import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { createClockCheck } from '../base/clock-check.ts'
import { describeLost, type LostJudge, type WhyKept, whyKept } from '../export/jobs/strays.ts'
import { addSettings } from '../flags/setting.ts'
import { type BundlesFlags, bundlesSettings } from '../flags/shared-settings.ts'
import { openLostFolder } from '../store/lost-files.ts'
import { siteCacheName, siteCachesFolder } from '../store/site-cache/site-caches.ts'
import type { Store } from '../store/store.ts'
import { megabyte } from './export-summary.ts'
import { printJson, printRows, showCount } from './print.ts'
import { withBundles } from './with-bundles.ts'
import { withExistingStore } from './with-store.ts'

const reasons: Record<WhyKept | 'clock', string> = {
  recent: 'lost less than 24 hours ago',
  needed: 'the database knows it; the next start of the server moves it back',
  foreign: 'not from Quire',
  clock: 'the clock moved forward, or the server was off for most of a day; check the clock, and try again in 24 hours',
}

export function lostCommand(): Command {
  const lost = new Command('lost')
    .description('bundles, work folders and caches that the database does not know')
    .addHelpText(
      'after',
      `
Examples:
  npx quire lost list
  npx quire lost list --json
  npx quire lost delete

The server never deletes what its database does not know, because the database may be an older backup. It moves such files
to the folder lost in the data folder. When a database that knows them is restored, the next start moves them back.`,
    )
  addSettings(
    lost.command('list').description('list what is in the folder lost, oldest first'),
    bundlesSettings,
  ).action(async (flags: BundlesFlags) => {
    const rows = (await judgeAll(flags)).map(({ name, kind, sizeBytes, lostAt, kept }) => ({
      name,
      kind,
      sizeBytes,
      lostAt,
      deletable: kept === null,
      reason: kept,
    }))
    printRows(rows, {
      json: flags.json,
      empty: 'Nothing is lost.',
      toRow: ({ name, kind, sizeBytes, lostAt, reason }) => ({
        name,
        kind,
        MB: (sizeBytes / megabyte).toFixed(1),
        lostAt,
        kept: reason,
      }),
    })
  })
  addSettings(
    lost
      .command('delete')
      .description('delete what was lost at least 24 hours ago and is still unknown to the database'),
    bundlesSettings,
  ).action(deleteLost)
  return lost
}

async function deleteLost(flags: BundlesFlags): Promise<void> {
  const isTrusted = await withExistingStore(flags, ({ clockStates }) =>
    createClockCheck({ states: clockStates, now: Date.now, log: { warn() {} } }).isTrusted(),
  )
  const judged = await judgeAll(flags)
  const items = judged.map(item => (item.kept === null && !isTrusted ? { ...item, kept: 'clock' as const } : item))
  const lost = openLostFolder(flags.data)
  const deleted = items.filter(({ kept }) => kept === null)
  for (const { name } of deleted) await lost.delete(name)
  const kept = items.filter(({ kept }) => kept !== null)
  const sizeBytes = deleted.reduce((sum, item) => sum + item.sizeBytes, 0)
  if (flags.json) {
    printJson({
      deleted: deleted.map(({ name }) => name),
      sizeBytes,
      kept: kept.map(({ name, kept }) => ({ name, reason: kept })),
    })
    return
  }
  console.log(`Deleted: ${showCount(deleted.length)} (${showCount(sizeBytes)} bytes). Kept: ${showCount(kept.length)}.`)
  for (const { name, kept: reason } of kept) console.log(`  ${name}: ${reason && reasons[reason]}`)
}

/** Takes a second look at every item of the lost folder. */
async function judgeAll(flags: BundlesFlags) {
  return withExistingStore(flags, store => withBundles(flags, bundles => judgeEach(flags.data, store, bundles)))
}

async function judgeEach(dataFolder: string, store: Store, bundles: LostJudge['bundles']) {
  const lost = openLostFolder(dataFolder)
  const caches = new Set((await store.sites.list()).map(({ domain }) => siteCacheName(domain)))
  const judge: LostJudge = {
    exportJobs: store.exportJobs,
    bundles,
    needsCache: name => caches.has(name) && !existsSync(join(siteCachesFolder(dataFolder), name)),
    now: Date.now(),
  }
  const items = []
  for (const item of await lost.list()) {
    const kept = await whyKept(item, judge)
    const { name, lostAt } = item
    items.push({ name, kind: describeLost(item) ?? 'unknown', sizeBytes: await lost.measure(name), lostAt, kept })
  }
  return items
}
