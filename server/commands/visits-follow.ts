import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { VisitsNotWrittenError } from '../analytics/follow/batch-writer.ts'
import { checkFollowable } from '../analytics/follow/check-followable.ts'
import {
  defaultPacing,
  describeUnread,
  type FollowStatus,
  followAccessLog,
  isAllUnread,
} from '../analytics/follow/follow-log.ts'
import { LogFormatError } from '../analytics/formats/log-format.ts'
import { sum } from '../analytics/import/import-tally.ts'
import { LogFileError } from '../analytics/import/log-file.ts'
import { VisitorKeyError } from '../analytics/unique-visitors.ts'
import type { Store } from '../store/store.ts'
import { CommandError } from './command-error.ts'
import { getProject } from './get-project.ts'
import { integer } from './integer.ts'
import { addLogOptions, type LogFlags, logHelp, readLogFlags } from './log-options.ts'
import { dataOption, graceOption, jsonOption, projectOption } from './options.ts'
import { showCount } from './print.ts'
import { withExistingStore } from './with-store.ts'

interface FollowFlags extends LogFlags {
  project: string
  once?: boolean
  graceSeconds: number
  statusSeconds: number
  data: string
  json?: boolean
}

export function visitsFollowCommand(): Command {
  const command = new Command('follow')
    .argument('<file>')
    .description('count the visits in a log while it is written and rotated')
    .addOption(projectOption().makeOptionMandatory())
    .addOption(new Option('--once', 'end when all that is there is counted; the next run goes on there, for cron'))
  return addLogOptions(command)
    .addOption(graceOption())
    .addOption(
      new Option('--status-seconds <number>', 'how often --json prints where it is')
        .env('QUIRE_STATUS_SECONDS')
        .default(10)
        .argParser(integer(1, 86_400)),
    )
    .addOption(dataOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  quire visits follow /var/log/nginx/access.log --project prj_0f3c9a1b2d4e5f60
  quire visits follow /var/log/nginx/access.log --project prj_0f3c9a1b2d4e5f60 --json --status-seconds 60
  */5 * * * * quire visits follow /var/log/nginx/access.log --project prj_0f3c9a1b2d4e5f60 --data /srv/quire --once

It reads the log from its beginning, then what is added. Where it is, is kept with the counts: after a restart or a crash it
goes on with the next line, also in a file that was rotated away meanwhile, by rename or copytruncate, plain, .gz or
.zst, as long as that lies beside the log. What was rotated before the first run is for: quire visits import. Ctrl-C or SIGTERM
ends it.

${logHelp}`,
    )
    .action(async (file: string, flags: FollowFlags) => {
      await withExistingStore(flags.data, store => follow(store, file, flags))
    })
}

async function follow(store: Store, file: string, flags: FollowFlags): Promise<void> {
  const project = await getProject(store, flags.project)
  const settings = readLogFlags(flags)
  const status = flags.json ? createJsonStatus(file, project.id) : createStatusLine(file)
  const startedAt = performance.now()
  try {
    await checkFollowable(file, { ...settings, projects: project })
    const ended = await followAccessLog({
      ...settings,
      file,
      project,
      visits: store.visits,
      signal: abortOnSignal(),
      once: flags.once ?? false,
      pacing: { ...defaultPacing, graceMs: flags.graceSeconds * 1000 },
      warn: status.warn,
      onStatus: status.show,
      statusMs: flags.json ? flags.statusSeconds * 1000 : 1000,
    })
    status.end(ended, (performance.now() - startedAt) / 1000)
    if (flags.once && isAllUnread(ended.tally)) throw new CommandError(describeUnread(file, ended.tally))
  } catch (error) {
    status.clear()
    throw explain(error)
  }
}

/** Aborted by the first SIGINT or SIGTERM; a second one ends the process at once. */
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

interface StatusOutput {
  show(status: FollowStatus): void
  warn(message: string): void
  end(status: FollowStatus, seconds: number): void
  clear(): void
}

/** A JSON line each time, and one at the end. */
function createJsonStatus(file: string, project: string): StatusOutput {
  const log = resolve(file)
  const rate = createRate()
  const print = ({ tally, aheadBytes }: FollowStatus) => {
    const { lines, views, newVisitorDays, tooOldViews, filtered, malformed } = tally
    const linesPerSecond = rate(lines)
    console.log(
      JSON.stringify({
        log,
        project,
        lines,
        linesPerSecond,
        aheadBytes,
        pageViews: views,
        newVisitorDays,
        tooOldViews,
        filtered,
        malformed,
      }),
    )
  }
  return {
    show: print,
    warn: message => console.error(message),
    end: print,
    clear() {},
  }
}

/** A line on standard error that says where it is, where that is a terminal. */
function createStatusLine(file: string): StatusOutput {
  const rate = createRate()
  const isShown = process.stderr.isTTY
  const clear = () => {
    if (isShown) process.stderr.write('\r\x1b[K')
  }
  return {
    show({ tally, aheadBytes }) {
      if (!isShown) return
      const text = `${file}: ${showCount(tally.lines)} lines, ${showCount(rate(tally.lines))} lines/s, ${showCount(aheadBytes)} bytes behind`
      process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
    },
    warn(message) {
      clear()
      console.error(message)
    },
    end({ tally: { lines, views, filtered, malformed, newVisitorDays } }, seconds) {
      clear()
      console.log(
        `${showCount(lines)} ${lines === 1 ? 'line' : 'lines'} in ${seconds.toFixed(1)} s: page views human ${showCount(views.human)}, AI ${showCount(views.ai)}, ` +
          `neither ${showCount(views.neither)}; filtered ${showCount(sum(filtered))}, malformed ${showCount(sum(malformed))}; ` +
          `visitors not seen before on a day ${showCount(newVisitorDays)}`,
      )
    },
    clear,
  }
}

/** Lines a second since the last call. */
function createRate(): (lines: number) => number {
  let before = { lines: 0, at: performance.now() }
  return lines => {
    const now = { lines, at: performance.now() }
    const perSecond = ((now.lines - before.lines) * 1000) / Math.max(1, now.at - before.at)
    before = now
    return Math.round(perSecond)
  }
}

function explain(error: unknown): unknown {
  if (error instanceof LogFormatError) return new CommandError(error.message, 2)
  const isExplained =
    error instanceof LogFileError ||
    error instanceof VisitorKeyError ||
    error instanceof VisitsNotWrittenError ||
    // Of the file system: the folder of the log may not be read.
    (error instanceof Error && 'syscall' in error)
  return isExplained ? new CommandError(error.message) : error
}
