import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import {
  describeSchedule,
  nextStart,
  parseRhythm,
  type Rhythm,
  type ScheduleOutcome,
  type SiteSchedule,
} from '../tenancy/site-schedule.ts'
import { changeSite, unknownSite } from './change-site.ts'
import { printResult, showInstant } from './print.ts'
import { withExistingStore } from './with-store.ts'

const settings = {
  every: {
    flag: '--every <hours>',
    what: 'start an export every N hours, such as 6h',
    conflicts: ['daily', 'weekly', 'off'],
    read: rhythmReader('every'),
  },
  daily: {
    flag: '--daily <time>',
    what: 'start an export each day at this time in UTC, such as 03:00',
    conflicts: ['weekly', 'off'],
    read: rhythmReader('daily'),
  },
  weekly: {
    flag: '--weekly <day@time>',
    what: 'start an export on this day of the week at this time in UTC, such as mon@03:00',
    conflicts: ['off'],
    read: rhythmReader('weekly'),
  },
  ifChanged: {
    flag: '--if-changed',
    what: 'start an export only if the site changed since the last one',
    conflicts: ['off'],
  },
  off: { flag: '--off', what: 'remove the schedule' },
  ...storeSettings,
} as const satisfies Settings

export function scheduleCommand(): Command {
  const command = new Command('schedule')
    .argument('<domain>')
    .description('set the export schedule; without a flag, show it and its last result')
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire sites schedule docs.example.com --daily 03:00 --if-changed
  npx quire sites schedule docs.example.com --weekly mon@03:00
  npx quire sites schedule docs.example.com --every 6h
  npx quire sites schedule docs.example.com
  npx quire sites schedule docs.example.com --off

A running server starts the exports, with the settings of the last completed export of the whole site.`,
    )
    .action(schedule)
}

async function schedule(
  domainText: string,
  { every, daily, weekly, ifChanged = false, off, json, ...flags }: FlagsOf<typeof settings>,
): Promise<void> {
  const domain = domainText.toLowerCase()
  const rhythm = every ?? daily ?? weekly
  if (ifChanged && !rhythm) throw new OperatorError('Give --every, --daily or --weekly too.', 2)
  if (off) {
    const event = { domain, detail: describeSchedule(null) }
    // Without a schedule, nothing changes, so the audit log gets no event.
    if (await findSchedule(flags, domain))
      await changeSite(flags, event, ({ siteSchedules }) => siteSchedules.delete(domain))
  } else if (rhythm) {
    const given = { rhythm, onlyIfChanged: ifChanged }
    await changeSite(flags, { domain, detail: describeSchedule(given) }, function* ({ sites, siteSchedules }) {
      if (!(yield* sites.find(domain))) return false
      yield* siteSchedules.put(domain, given, nextStart(rhythm, Date.now()))
      return true
    })
  }
  const found = await findSchedule(flags, domain)
  const shown = found && {
    ...found,
    rhythm: found.rhythm.text,
    fingerprint: undefined,
    outcome: found.outcome && { ...found.outcome, at: new Date(found.outcome.at).toISOString() },
  }
  printResult(json, { domain, schedule: shown ?? null }, describe(domain, found))
}

/** @throws {OperatorError} if the site is not registered. */
function findSchedule(flags: StoreFlags, domain: string): Promise<SiteSchedule | undefined> {
  return withExistingStore(flags, async store => {
    if (!(await store.sites.find(domain))) throw unknownSite(domain)
    return store.siteSchedules.find(domain)
  })
}

function describe(domain: string, schedule: SiteSchedule | undefined): string {
  if (!schedule) return `${domain} has no schedule: its exports are started by people and programs.`
  const { nextAt, outcome } = schedule
  const sentence = `${domain} has the ${describeSchedule(schedule)}. Next start: ${showInstant(nextAt)} UTC.`
  return outcome ? `${sentence}\nLast: ${describeOutcome(outcome, schedule.startedAt)}` : sentence
}

function describeOutcome({ kind, problem, at }: ScheduleOutcome, startedAt: number | null): string {
  const checked = `${showInstant(at)} UTC`
  if (kind === 'started') return `started an export, ${checked}.`
  if (kind === 'active') return `skipped, because an export of the site had not ended, ${checked}.`
  if (kind === 'refused') return `not started, ${checked}. ${problem}`
  return `not changed since ${startedAt === null ? 'the last export' : `${showInstant(startedAt)} UTC`}, checked ${checked}.`
}

function rhythmReader(kind: 'every' | 'daily' | 'weekly'): (text: string) => Rhythm {
  return text => {
    try {
      return parseRhythm(`${kind} ${text}`)
    } catch (error) {
      throw error instanceof OperatorError ? new OperatorError(`--${kind} ${error.message}`, 2) : error
    }
  }
}
