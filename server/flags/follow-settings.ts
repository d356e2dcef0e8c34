import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { defaultPacing } from '../analytics/follow/follow-pacing.ts'
import { type FollowedLog, type FollowSettings, followPrefix } from '../analytics/follow/follow-settings.ts'
import { isBucketAddress } from '../analytics/import/log-bucket.ts'
import { parseLogsAddress } from '../store/s3/s3-logs.ts'
import { createLogSettings, type logSettings, readLogFlags } from './log-settings.ts'
import { type FlagsOf, integer, type Settings } from './setting.ts'

export const graceSeconds = {
  flag: '--grace-seconds <number>',
  env: 'QUIRE_FOLLOW_GRACE_SECONDS',
  what: 'how long a rotated log must stay unchanged before the next file is read',
  default: defaultPacing.graceMs / 1000,
  read: integer(0, 3600),
} as const

export const overlapHours = {
  flag: '--overlap-hours <number>',
  env: 'QUIRE_FOLLOW_OVERLAP_HOURS',
  what: 'for how long after the time in its key an object of a bucket may arrive (s3://)',
  default: 24,
  read: integer(0, 8760),
} as const

const prefixed = createLogSettings(followPrefix)

/** The settings of `serve` for following logs. */
export const followSettings = {
  followLog: {
    flag: '--follow-log <path=project>',
    env: 'QUIRE_FOLLOW_LOG',
    what: 'count the visits in a log while it is written and rotated, or in a bucket (s3://BUCKET/PREFIX=PROJECT); for several logs, repeat the flag or separate the logs with commas',
    read: addFollowedLogs,
  },
  followLogByHost: {
    flag: '--follow-log-by-host <path>',
    env: 'QUIRE_FOLLOW_LOG_BY_HOST',
    what: 'like --follow-log, for a log of several sites; each line counts for the project of its host',
    read: addFollowedByHost,
  },
  followOverlapHours: { ...overlapHours, flag: '--follow-overlap-hours <number>' },
  followGraceSeconds: { ...graceSeconds, flag: '--follow-grace-seconds <number>' },
  followFormat: prefixed.format,
  followEnvelope: prefixed.envelope,
  followJsonFields: prefixed.jsonFields,
  followTimezone: prefixed.timezone,
  followClientField: prefixed.clientField,
  followTrustedProxies: prefixed.trustedProxies,
  followMarkdownAsAi: prefixed.markdownAsAi,
  followAgentsFile: prefixed.agentsFile,
  followIpv6Prefix: prefixed.ipv6Prefix,
} as const satisfies Settings

/** @throws {OperatorError} when flags cannot be combined. */
export function readFollowFlags(flags: FlagsOf<typeof followSettings>): FollowSettings {
  const log: FlagsOf<typeof logSettings> = {}
  if (flags.followFormat !== undefined) log.format = flags.followFormat
  if (flags.followEnvelope !== undefined) log.envelope = flags.followEnvelope
  if (flags.followJsonFields !== undefined) log.jsonFields = flags.followJsonFields
  if (flags.followTimezone !== undefined) log.timezone = flags.followTimezone
  if (flags.followClientField !== undefined) log.clientField = flags.followClientField
  if (flags.followTrustedProxies !== undefined) log.trustedProxies = flags.followTrustedProxies
  if (flags.followMarkdownAsAi) log.markdownAsAi = true
  if (flags.followAgentsFile) log.agentsFile = flags.followAgentsFile
  if (flags.followIpv6Prefix !== undefined) log.ipv6Prefix = flags.followIpv6Prefix
  const logs = [...(flags.followLog ?? []), ...(flags.followLogByHost ?? [])]
  return {
    logs,
    graceMs: flags.followGraceSeconds * 1000,
    overlapMs: flags.followOverlapHours * 3_600_000,
    log: readLogFlags(log, followPrefix),
  }
}

/** Adds `PATH=PROJECT,...` to the logs given before. */
function addFollowedLogs(text: string, before: FollowedLog[] = []): FollowedLog[] {
  return text.split(',').reduce((logs, part) => {
    const [, path, projectId] = /^(.+)=([^=\s]+)$/.exec(part.trim()) ?? []
    if (path === undefined || projectId === undefined) {
      throw new InvalidArgumentError('Write PATH=PROJECT, such as /var/log/nginx/access.log=prj_0f3c9a1b2d4e5f60.')
    }
    return addLog(logs, { file: toLogName(path), projectId })
  }, before)
}

/** Adds `PATH,...` to the logs given before. */
function addFollowedByHost(text: string, before: FollowedLog[] = []): FollowedLog[] {
  return text.split(',').reduce((logs, part) => {
    if (part.trim() === '') throw new InvalidArgumentError('Write PATH, such as /var/log/caddy/access.log.')
    return addLog(logs, { file: toLogName(part.trim()) })
  }, before)
}

/**
 * Returns the name of a followed log: an absolute path, or the address of a bucket.
 *
 * @throws {OperatorError} when the address is wrong
 */
export function toLogName(log: string): string {
  if (!isBucketAddress(log)) return resolve(log)
  parseLogsAddress(log)
  return log
}

function addLog(logs: FollowedLog[], log: FollowedLog): FollowedLog[] {
  if (logs.some(({ file, projectId }) => file === log.file && projectId === log.projectId)) {
    throw new InvalidArgumentError(`${log.file} is given twice.`)
  }
  return [...logs, log]
}
