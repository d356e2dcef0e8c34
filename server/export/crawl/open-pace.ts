import { isLocalHost } from '../../web/fetch/address.ts'
import { createPace, maxForOthers, type Pace } from '../../web/fetch/host-turns.ts'
import { type Crowd, type ExportOptions, obeysRobots } from '../model/options.ts'

/** Returns the share of one of `among` exports in something that an export alone may use as a whole; at least 1. */
export function divide(whole: number, among: number): number {
  return Math.max(1, Math.floor(whole / Math.max(1, among)))
}

/** Shares the requests to the host of the site with the exports of this host, and those to other hosts with all exports. */
export function openPace(options: ExportOptions, crowd: () => Crowd): Pace {
  const { connections } = options.limits
  const sharers = (host: string) => (host === options.origin.host ? crowd().onHost : crowd().exports)
  return createPace({
    maxRequests: host =>
      divide(isOwnHost(options, host) ? connections : Math.min(connections, maxForOthers), sharers(host)),
    exports: sharers,
  })
}

/** Returns whether a host belongs to the operator, who may send it as many requests as it answers. */
function isOwnHost(options: ExportOptions, host: string): boolean {
  if (isLocalHost(URL.parse(`http://${host}/`)?.hostname ?? '')) return true
  if (host === options.origin.host) return !obeysRobots(options)
  return options.alsoAllowed?.some(origin => origin.host === host) ?? false
}
