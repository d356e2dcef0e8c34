import type { CheckName } from './checks.ts'

/** What the kit is told about the server. */
export interface Settings {
  /** Base URL, such as http://127.0.0.1:8787. */
  url: string
  key: string
  /** A key of another organization. */
  otherKey: string | undefined
  /** Keys of the organization with one scope only. */
  readKey: string | undefined
  writeKey: string | undefined
  project: string
  agentJob: string
  /** Domain of a registered site. */
  domain: string
  /** A completed export job; undefined = the one that the kit starts. */
  exportJob: string | undefined
  seed: number
  /** Generated requests for each operation; half of them are invalid. */
  maxRequests: number
  /** Exports that the generated requests start at most. */
  maxStarts: number
  timeoutMs: number
  /** The longest wait for an export to end, and for a link to expire. */
  maxWaitMs: number
  excluded: readonly CheckName[]
}
