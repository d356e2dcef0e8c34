import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { type FollowedLog, type FollowSettings, followPrefix } from '../analytics/follow/follow-settings.ts'
import type { Ipv6Prefix } from '../analytics/formats/address.ts'
import { type LogFlags, logOptions, readLogFlags } from './log-options.ts'
import { graceOption } from './options.ts'

/** The parsed flags. */
export interface FollowFlags {
  followLog?: FollowedLog[]
  followLogByHost?: FollowedLog[]
  followGraceSeconds: number
  followFormat?: string
  followEnvelope?: string
  followJsonFields?: string
  followClientField?: string
  followTrustedProxies?: number
  followMarkdownAsAi?: boolean
  followIpv6Prefix?: Ipv6Prefix
}

/** The options of `serve` for following logs. */
export function followOptions(): Option[] {
  return [
    new Option(
      '--follow-log <path=project>',
      'count the visits in a log while it is written and rotated; for several logs, repeat the flag or separate the logs with commas',
    )
      .env('QUIRE_FOLLOW_LOG')
      .argParser(addFollowedLogs),
    new Option(
      '--follow-log-by-host <path>',
      'like --follow-log, for a log of several sites; each line counts for the project of its host',
    )
      .env('QUIRE_FOLLOW_LOG_BY_HOST')
      .argParser(addFollowedByHost),
    graceOption('follow-grace-seconds'),
    ...logOptions(followPrefix),
  ]
}

/** @throws {OperatorError} when flags cannot be combined. */
export function readFollowFlags(flags: FollowFlags): FollowSettings {
  const log: LogFlags = {}
  if (flags.followFormat !== undefined) log.format = flags.followFormat
  if (flags.followEnvelope !== undefined) log.envelope = flags.followEnvelope
  if (flags.followJsonFields !== undefined) log.jsonFields = flags.followJsonFields
  if (flags.followClientField !== undefined) log.clientField = flags.followClientField
  if (flags.followTrustedProxies !== undefined) log.trustedProxies = flags.followTrustedProxies
  if (flags.followMarkdownAsAi) log.markdownAsAi = true
  if (flags.followIpv6Prefix !== undefined) log.ipv6Prefix = flags.followIpv6Prefix
  const logs = [...(flags.followLog ?? []), ...(flags.followLogByHost ?? [])]
  return { logs, graceMs: flags.followGraceSeconds * 1000, log: readLogFlags(log, followPrefix) }
}

/** Adds `PATH=PROJECT,...` to the logs given before. */
function addFollowedLogs(text: string, before: FollowedLog[] = []): FollowedLog[] {
  return text.split(',').reduce((logs, part) => {
    const [, path, projectId] = /^\s*(.+)=([^=\s]+)\s*$/.exec(part) ?? []
    if (path === undefined || projectId === undefined) {
      throw new InvalidArgumentError('Write PATH=PROJECT, such as /var/log/nginx/access.log=prj_0f3c9a1b2d4e5f60.')
    }
    return addLog(logs, { file: resolve(path), projectId })
  }, before)
}

/** Adds `PATH,...` to the logs given before. */
function addFollowedByHost(text: string, before: FollowedLog[] = []): FollowedLog[] {
  return text.split(',').reduce((logs, part) => {
    if (part.trim() === '') throw new InvalidArgumentError('Write PATH, such as /var/log/caddy/access.log.')
    return addLog(logs, { file: resolve(part.trim()) })
  }, before)
}

function addLog(logs: FollowedLog[], log: FollowedLog): FollowedLog[] {
  if (logs.some(({ file, projectId }) => file === log.file && projectId === log.projectId)) {
    throw new InvalidArgumentError(`${log.file} is given twice.`)
  }
  return [...logs, log]
}
