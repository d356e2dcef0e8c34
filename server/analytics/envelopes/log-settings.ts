import type { OwnAgentList } from '../../tenancy/project.ts'
import type { Ipv6Prefix } from '../formats/address.ts'

/** Settings for reading a log, as plain data that can be passed to a thread. */
export interface LogSettings {
  /** Name of the format or a pattern, see `createPatternFormat`; missing = detected from the lines. */
  format?: string
  /** Name of the envelope, or `none`; missing = detected from the lines. */
  envelope?: string
  /** Input of `parseJsonFields`; only for the format `json`. */
  jsonFields?: string
  /** Of the dates of HAProxy, such as `Europe/Berlin`; missing = UTC. */
  timeZone?: string
  clientField?: string
  trustedProxies?: number
  ipv6Prefix?: Ipv6Prefix
  /** Whether a Markdown view by a program that no list names counts as AI; otherwise it counts as neither. */
  markdownAsAi?: boolean
  /** Asked before the built-in agents, in all projects of the log. */
  agents?: OwnAgentList
}
