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

/** The settings that have a usual value. They are those of the mock. */
export const defaultSettings: Omit<Settings, 'url' | 'key'> = {
  otherKey: undefined,
  readKey: undefined,
  writeKey: undefined,
  project: 'prj_5b1c2d3e4f506172',
  agentJob: 'aj_9c41d2e0b7a65f38',
  domain: 'docs.example.com',
  exportJob: undefined,
  seed: 1,
  maxRequests: 100,
  maxStarts: 3,
  timeoutMs: 10_000,
  maxWaitMs: 60_000,
  excluded: [],
}

/** The settings of a run; those that are left out have the defaults of the command. */
export type GivenSettings = Pick<Settings, 'url' | 'key'> & Partial<Settings>

export function fillSettings(given: GivenSettings): Settings {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaultSettings, ...(Object.fromEntries(set) as GivenSettings) }
}
