import { Command } from 'commander'
import { toLogReading } from '../analytics/envelopes/log-reading.ts'
import { checkFollowable } from '../analytics/follow/check-followable.ts'
import type { FollowOptions, FollowStatus } from '../analytics/follow/follow-log.ts'
import { defaultPacing } from '../analytics/follow/follow-pacing.ts'
import { describeUnread, isAllUnread } from '../analytics/follow/unread-log.ts'
import { getVisitedProjects, listProjectsByHost } from '../analytics/import/find-projects.ts'
import { sum } from '../analytics/import/import-tally.ts'
import type { VisitRecorder } from '../analytics/unique-visitors.ts'
import { escapeControls } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { graceSeconds, overlapHours, toLogName } from '../flags/follow-settings.ts'
import {
  bucketHelp,
  logHelp,
  logSettings,
  readLogFlags,
  readVisited,
  strict,
  strictHelp,
  visitedSettings,
} from '../flags/log-settings.ts'
import { addSettings, type FlagsOf, integer, type Settings } from '../flags/setting.ts'
import { nodeSettings } from '../flags/shared-settings.ts'
import type { Store } from '../store/store.ts'
import { getProject } from '../tenancy/get-project.ts'
import type { Project } from '../tenancy/project.ts'
import { followLog } from '../workers/follow-log.ts'
import { showCount } from './print.ts'
import { toMostLines } from './visits-import-summary.ts'
import { withExistingStore } from './with-store.ts'

const maxListedDomains = 5

const settings = {
  ...visitedSettings,
  ...logSettings,
  once: { flag: '--once', what: 'end when all lines are counted, for cron; the next run continues from there' },
  strict,
  graceSeconds,
  overlapHours,
  statusSeconds: {
    flag: '--status-seconds <number>',
    env: 'QUIRE_STATUS_SECONDS',
    what: 'interval of the status lines of --json',
    default: 10,
    read: integer(1, 86_400),
  },
  ...nodeSettings,
} as const satisfies Settings

type FollowFlags = FlagsOf<typeof settings>

export function visitsFollowCommand(): Command {
  const command = new Command('follow')
    .argument('<file>')
    .description('count the visits in a log while it is written and rotated, or in a bucket while objects arrive')
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits follow /var/log/nginx/access.log --project Documentation
  npx quire visits follow /var/log/caddy/access.log --by-host
  npx quire visits follow /var/log/nginx/access.log --project Documentation --json --status-seconds 2
  npx quire visits follow /var/log/nginx/access.log --project Documentation --once
  npx quire visits follow s3://my-logs/cloudfront/E2EXAMPLE. --project Documentation

The command reads the log from its beginning and then follows it. It stores its position with the counts. After a
restart or a crash, it continues with the next line. This also works if the log was rotated in the meantime (rename or
copytruncate; plain, .gz or .zst). The rotated file must be in the same folder. For files rotated before the first run,
use npx quire visits import. With --by-host, a site registered later counts from then on. Ctrl-C or SIGTERM ends the command.

For cron, use --once, and change to the folder of Quire first:
*/5 * * * * cd /opt/quire && npx quire visits follow /var/log/nginx/access.log --project Documentation --data /srv/quire --once

${strictHelp}
It needs --once: the new lines are read twice, and counted the second time. If there is a warning, the next run reads the same
lines again. Fewer than 100 new lines are not judged.

${bucketHelp}
A bucket is listed every minute. Objects that arrive later than --overlap-hours after the time in their key may be missed.

${logHelp}`,
    )
    .action(async (file: string, flags: FollowFlags) => {
      const projectId = readVisited(command, flags)
      if (command.getOptionValueSource('strict') === 'cli' && !flags.once) {
        throw new OperatorError('--strict needs --once: a command that does not end cannot judge its lines first.', 2)
      }
      await withExistingStore(flags, store => follow(store, file, projectId, flags))
    })
}

/** @param idOrName of the project; undefined = by host */
async function follow(store: Store, file: string, idOrName: string | undefined, flags: FollowFlags): Promise<void> {
  const project = idOrName === undefined ? undefined : await getProject(store, idOrName)
  const projects = project ?? (await getVisitedProjects(store, undefined))
  const reading = toLogReading(readLogFlags(flags))
  const status = flags.json ? createJsonStatus(file, project?.id) : createStatusLine(file)
  const startedAt = performance.now()
  const signal = abortOnSignal()
  try {
    await checkFollowable(file, { ...reading, projects })
    if (!flags.once && !flags.json) console.error(await describeFollowed(store, file, project))
    const options = {
      ...reading,
      file,
      projects: 'id' in projects ? projects : () => listProjectsByHost(store),
      signal,
      overlapMs: flags.overlapHours * 3_600_000,
      once: flags.once ?? false,
      pacing: { ...defaultPacing, graceMs: flags.graceSeconds * 1000 },
      warn: status.warn,
      onStatus: status.show,
      statusMs: flags.json ? flags.statusSeconds * 1000 : 1000,
    }
    const isStrict = flags.once === true && flags.strict === true
    if (isStrict) await refuseSuspicious(options, store.visits, status)
    const ended = await followLog({ ...options, visits: store.visits })
    status.end(ended, (performance.now() - startedAt) / 1000)
    if (flags.once && isAllUnread(ended.tally)) throw new OperatorError(describeUnread(file, ended.tally))
    if (isStrict && ended.suspicions.length > 0) {
      throw new OperatorError(`${file} changed while it was read, and its visits are recorded. Check the warnings.`)
    }
  } catch (error) {
    status.clear()
    throw explain(error)
  }
}

/**
 * Reads the new lines without recording anything.
 *
 * @throws {OperatorError} when their counts may be wrong.
 */
async function refuseSuspicious(
  options: Omit<FollowOptions, 'visits'> & { overlapMs: number },
  visits: VisitRecorder,
  status: StatusOutput,
): Promise<void> {
  const { onStatus: _, ...quiet } = options
  const { file } = options
  const startedAt = performance.now()
  const read = await followLog({ ...quiet, visits: withoutRecording(visits) })
  if (read.suspicions.length === 0 && !isAllUnread(read.tally)) return
  status.end(read, (performance.now() - startedAt) / 1000)
  if (isAllUnread(read.tally)) throw new OperatorError(describeUnread(file, read.tally))
  throw new OperatorError(`${file}: nothing was recorded, because of --strict. The next run reads the lines again.`)
}

/** Says which log is followed, for whom, and from where. @param project undefined = by host */
async function describeFollowed(store: Store, file: string, project: Project | undefined): Promise<string> {
  const log = toLogName(file)
  const whose = project
    ? `the project ${escapeControls(project.name)} (${project.id})`
    : `the sites ${await listDomains(store)}`
  const position = await store.visits.findLogPosition(project?.id, log)
  const where = position === undefined ? 'from the beginning' : 'from where the last run stopped'
  return `Following ${log} for ${whose}, ${where}. Ctrl-C ends it.`
}

async function listDomains(store: Store): Promise<string> {
  const domains = (await store.sites.list()).map(({ domain }) => domain)
  const more = domains.length - maxListedDomains
  return [...domains.slice(0, maxListedDomains), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Returns a signal that aborts on the first SIGINT or SIGTERM; a second one ends the process at once. */
function abortOnSignal(): AbortSignal {
  const stopping = new AbortController()
  const stop = () => {
    process.once('SIGINT', () => process.exit(1))
    process.once('SIGTERM', () => process.exit(1))
    stopping.abort()
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  return stopping.signal
}

function explain(error: unknown): unknown {
  // An error of the file system, such as a folder that cannot be read.
  return error instanceof Error && 'syscall' in error ? new OperatorError(error.message) : error
}

/** Reports the progress of a follower. */
interface StatusOutput {
  show(status: FollowStatus): void
  warn(message: string): void
  end(status: FollowStatus, seconds: number): void
  clear(): void
}

/**
 * Prints each status, and the last one, as a JSON line.
 *
 * @param project undefined = the log has several projects; then hosts without a registered site are listed
 */
function createJsonStatus(file: string, project: string | undefined): StatusOutput {
  const log = toLogName(file)
  const rate = createRate()
  const print = ({ tally, unknownHosts, aheadBytes, suspicions }: FollowStatus) => {
    const { lines, views, newVisitorDays, tooOldViews, filtered, malformed } = tally
    const counts = { lines, linesPerSecond: rate(lines), aheadBytes, pageViews: views, newVisitorDays, tooOldViews }
    const hosts = project === undefined ? { unknownHosts: toMostLines(unknownHosts) } : {}
    console.log(JSON.stringify({ log, project, ...counts, filtered, malformed, ...hosts, warnings: suspicions }))
  }
  return {
    show: print,
    warn: message => console.error(message),
    end: print,
    clear() {},
  }
}

/** Shows each status on standard error if that is a terminal, and prints the last one to standard output. */
function createStatusLine(file: string): StatusOutput {
  const rate = createRate()
  const isShown = process.stderr.isTTY
  const clear = () => {
    if (isShown) process.stderr.write('\r\x1b[K')
  }
  return {
    show({ tally, aheadBytes }) {
      if (!isShown) return
      const text = `${file}: ${showCount(tally.lines)} lines, ${showCount(rate(tally.lines))} lines/s${aheadBytes === undefined ? '' : `, ${showCount(aheadBytes)} bytes behind`}`
      process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
    },
    warn(message) {
      clear()
      console.error(message)
    },
    end({ tally: { lines, views, filtered, malformed, newVisitorDays }, unknownHosts }, seconds) {
      clear()
      const hosts = Object.keys(toMostLines(unknownHosts)).join(', ')
      console.log(
        `${showCount(lines)} ${lines === 1 ? 'line' : 'lines'} in ${seconds.toFixed(1)} s: page views human ${showCount(views.human)}, AI ${showCount(views.ai)}, ` +
          `neither ${showCount(views.neither)}; filtered ${showCount(sum(filtered))}, malformed ${showCount(sum(malformed))}; ` +
          `new visitor days ${showCount(newVisitorDays)}${hosts ? `; no site for ${hosts}` : ''}`,
      )
    },
    clear,
  }
}

/** Returns a function that gives the lines per second since its last call. */
function createRate(): (lines: number) => number {
  let before = { lines: 0, at: performance.now() }
  return lines => {
    const now = { lines, at: performance.now() }
    const perSecond = ((now.lines - before.lines) * 1000) / Math.max(1, now.at - before.at)
    before = now
    return Math.round(perSecond)
  }
}

type Visits = FollowOptions['visits']

/** Returns visits that can be read but records nothing, for a run that only judges the lines. */
function withoutRecording(visits: Visits): Visits {
  return {
    findLogPosition: (projectId, log) => visits.findLogPosition(projectId, log),
    openVisitorKey: () => visits.openVisitorKey(),
    openVisitorKeys: now => visits.openVisitorKeys(now),
    recordBatch: () => ({ newVisitorDays: 0, newViews: 0, tooOldViews: 0 }),
    recordLogPosition() {},
  }
}
