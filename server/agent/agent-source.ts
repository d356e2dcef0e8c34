import type { Awaitable } from '../base/awaitable.ts'

/**
 * How a change becomes a pull request. branch: it does not; agit: Forgejo and Gitea make one from a push to `refs/for/`; gitlab: GitLab
 * makes one from options of the push; github: one request to the API of GitHub.
 */
export const forges = ['branch', 'agit', 'gitlab', 'github'] as const
export type Forge = (typeof forges)[number]

/** The repository of the documentation of a project. */
export interface AgentSource {
  projectId: string
  /** https://, ssh:// or a path of this machine. It has no credential. */
  url: string
  /** Where people see the repository, with http or https, or at `noPageHost`: the `source.repository` of its jobs. */
  page: string
  /** The branch that changes are made for. */
  branch: string
  /** The folders that agents may read and change, without slashes at the ends. Empty = the whole repository. */
  folders: readonly string[]
  forge: Forge
  /** Whether pull requests are drafts. */
  isDraft: boolean
}

/** What opens the repository: a password or token for https, or a private key for ssh. */
export interface Credential {
  /** For https; most forges take any name beside a token. */
  user: string
  secret: string
}

/** The sources of projects. Their credentials are known only encrypted. */
export interface AgentSources {
  find(projectId: string): Awaitable<AgentSource | undefined>
  /** Creates or replaces it. `credential`: null = none, undefined = the stored one stays. */
  put(source: AgentSource, credential: Uint8Array | null | undefined): Awaitable<void>
  findCredential(projectId: string): Awaitable<Uint8Array | null>
  delete(projectId: string): Awaitable<boolean>
}

/** What a credential belongs to, where it is encrypted; see `SecretBox`. */
export function credentialOwner(projectId: string): string {
  return `agent-source ${projectId}`
}

export function writeCredential({ user, secret }: Credential): string {
  return JSON.stringify({ user, secret })
}

/** Reads what `writeCredential` wrote. */
export function parseCredential(text: string): Credential {
  return JSON.parse(text)
}
