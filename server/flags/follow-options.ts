import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { type FollowedLog, type FollowSettings, followPrefix } from '../analytics/follow/follow-settings.ts'
import { type LogFlags, logOptions, readLogFlags } from './log-options.ts'
import { graceOption } from './options.ts'

/** The flags as commander hands them over. */
export interface FollowFlags {
  followLog?: FollowedLog[]
  followLogByHost?: FollowedLog[]
  followGraceSeconds: number
  followFormat?: string
  followJsonFields?: string
  followClientField?: string
  followTrustedProxies?: number
}

/** The flags that make a server follow logs. */
export function followOptions(): Option[] {
  return [
    new Option(
      '--follow-log <path=project>',
      'count the visits in a log while it is written and rotated; for several logs, repeat it or separate them by commas',
    )
      .env('QUIRE_FOLLOW_LOG')
      .argParser(addFollowedLogs),
    new Option('--follow-log-by-host <path>', 'the same; the host of each line decides which project it counts for')
      .env('QUIRE_FOLLOW_LOG_BY_HOST')
      .argParser(addFollowedByHost),
    graceOption('follow-grace-seconds'),
    ...logOptions(followPrefix),
  ]
}

/** @throws {OperatorError} when flags do not go together. */
export function readFollowFlags(flags: FollowFlags): FollowSettings {
  const log: LogFlags = {}
  if (flags.followFormat !== undefined) log.format = flags.followFormat
  if (flags.followJsonFields !== undefined) log.jsonFields = flags.followJsonFields
  if (flags.followClientField !== undefined) log.clientField = flags.followClientField
  if (flags.followTrustedProxies !== undefined) log.trustedProxies = flags.followTrustedProxies
  const logs = [...(flags.followLog ?? []), ...(flags.followLogByHost ?? [])]
  return { logs, graceMs: flags.followGraceSeconds * 1000, log: readLogFlags(log, followPrefix) }
}

/** Adds `PATH=PROJECT,...` to what was given before. */
function addFollowedLogs(text: string, before: FollowedLog[] = []): FollowedLog[] {
  return text.split(',').reduce((logs, part) => {
    const [, path, projectId] = /^\s*(.+)=([^=\s]+)\s*$/.exec(part) ?? []
    if (path === undefined || projectId === undefined) {
      throw new InvalidArgumentError('Write PATH=PROJECT, such as /var/log/nginx/access.log=prj_0f3c9a1b2d4e5f60.')
    }
    return addLog(logs, { file: resolve(path), projectId })
  }, before)
}

/** Adds `PATH,...` to what was given before. */
function addFollowedByHost(text: string, before: FollowedLog[] = []): FollowedLog[] {
  return text.split(',').reduce((logs, part) => {
    if (part.trim() === '') throw new InvalidArgumentError('Write PATH, such as /var/log/caddy/access.log.')
    return addLog(logs, { file: resolve(part.trim()) })
  }, before)
}

function addLog(logs: FollowedLog[], log: FollowedLog): FollowedLog[] {
  if (logs.some(({ file, projectId }) => file === log.file && projectId === log.projectId)) {
    throw new InvalidArgumentError(`${log.file} is there twice.`)
  }
  return [...logs, log]
}
