import { escapeControls } from '../../base/escape-controls.ts'
import type { AgentSource } from '../agent-source.ts'
import { RunError } from '../run-end.ts'
import { askGit, GitError, type GitOutput, type GitSettings, removeSecrets, runGit } from './git.ts'
import { requestGithub } from './github.ts'
import { fetchRef, isRefused, type OpenedSource } from './open-source.ts'
import { checkLink, findRequestLink, readRemoteLines } from './remote-lines.ts'
import { checkBranch, checkSourceUrl, parseAddress } from './source-names.ts'
import { agentIdentity, type Change } from './take-change.ts'

export interface PublishOptions extends GitSettings {
  jobId: string
  /** What an earlier attempt pushed, or was about to push; null = nothing. */
  earlierCommit: string | null
  /** One line. */
  title: string
  body: string
  /** Default: derived from the address of the repository. */
  githubApi?: URL | undefined
  fetch?: typeof fetch | undefined
}

export interface PublishedChange {
  /** What `openSource` takes as `continueFrom`: a branch, or for AGit the reference of the pull request if it is known. */
  branch: string
  prLink: string | null
}

interface Push {
  source: AgentSource
  opened: OpenedSource
  change: Change
  /** `quire/JOBID` */
  branch: string
  url: string
}

/** Forgejo allows 255. */
const maxTitleCharacters = 240
/** git refuses lines over 64 kB in push options; most forges cut earlier. */
const maxBodyCharacters = 10_000
/** 50,000 references of pull requests. */
const maxListBytes = 4 << 20

/**
 * Pushes the commit and asks for a pull request. The branch and the topic are named by the job, so that the same or a later commit
 * of the job changes the same pull request.
 *
 * @throws {RunError} push_refused, with a sentence that a person can act on.
 */
export async function publishChange(
  source: AgentSource,
  opened: OpenedSource,
  change: Change,
  options: PublishOptions,
): Promise<PublishedChange> {
  const url = checkSourceUrl(source.url, { isHttpAllowed: true })
  const branch = checkBranch(`quire/${options.jobId}`)
  const push = { source, opened, change, branch, url }
  try {
    if (source.forge === 'agit') return await pushForReview(push, options)
    if (source.forge === 'gitlab') return await pushToGitlab(push, options)
    await pushBranch(push, [], options)
    return { branch, prLink: source.forge === 'github' ? await askGithub(push, options) : null }
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    throw new RunError('push_refused', describe(error, push, options), { cause: error })
  }
}

async function askGithub({ source, opened, branch, url }: Push, options: PublishOptions): Promise<string | null> {
  const repository = parseAddress(url)
  // The key of ssh opens no API.
  if (!repository || repository.protocol === 'ssh:') return null
  return requestGithub({
    ...{ repository, credential: options.credential, signal: options.signal },
    ...{ api: options.githubApi, fetch: options.fetch },
    ...{ head: branch, base: opened.branch, isDraft: source.isDraft },
    ...{ title: toTitle(options.title), body: options.body },
  })
}

/** GitLab: https://docs.gitlab.com/topics/git/commit/#push-options */
async function pushToGitlab(push: Push, options: PublishOptions): Promise<PublishedChange> {
  const { source, opened, branch } = push
  const pushOptions = [
    ...['merge_request.create', `merge_request.target=${opened.branch}`],
    `merge_request.title=${toTitle(options.title)}`,
    // A push option is one line. GitLab reads `\n` as a line break.
    `merge_request.description=${toLines(options.body).join('\\n')}`,
    ...(source.isDraft ? ['merge_request.draft'] : []),
  ]
  const lines = await pushBranch(push, pushOptions, options)
  return {
    branch,
    prLink: findRequestLink(lines) ?? (await findPublished(push, { prefix: 'refs/merge-requests' }, options)).link,
  }
}

/**
 * AGit: a push to refs/for/TARGET is a pull request, and one with the same topic changes it.
 * https://forgejo.org/docs/latest/user/agit-support/
 */
async function pushForReview(push: Push, options: PublishOptions): Promise<PublishedChange> {
  const { source, opened, branch } = push
  const pushOptions = [
    `topic=${branch}`,
    `title=${source.isDraft ? 'WIP: ' : ''}${toTitle(options.title)}`,
    // A push option is one line. Forgejo and Gitea show descriptions as Markdown, which knows this line break.
    `description=${toLines(options.body).join('<br>')}`,
  ]
  const to = `refs/for/${opened.branch}`
  try {
    const output = await pushTo(push, { to, options: pushOptions }, options).catch(async error => {
      // A change that continues an earlier one is on top of it, and never needs force: something else is there. Without one,
      // the topic is from an earlier attempt of this job, or a person has added to it. AGit has no lease, so the server is asked
      // just before: what a person adds in between is lost.
      if (!needsForce(error) || opened.base !== opened.target || options.earlierCommit === null) throw error
      const earlier = await findPublished(push, { prefix: 'refs/pull', commit: options.earlierCommit }, options)
      if (earlier.reference === null) throw error
      return pushTo(push, { to, options: [...pushOptions, 'force-push=true'] }, options)
    })
    return await findReview(push, output, options)
  } catch (error) {
    // Gitea's answer to the commit that an earlier attempt has pushed.
    if (error instanceof GitError && /new commit is same with old commit/.test(`${error.message}${error.stdout}`))
      return findReview(push, undefined, options)
    if (!lacksPushOptions(error)) throw error
    // Not Forgejo or Gitea: refs/for/ would be a plain reference there.
    await pushBranch(push, [], options)
    return { branch, prLink: null }
  }
}

async function findReview(
  push: Push,
  output: GitOutput | undefined,
  options: PublishOptions,
): Promise<PublishedChange> {
  const link = output && findRequestLink(readRemoteLines(output.stderr))
  const reference = output && /\brefs\/pull\/\d{1,12}\/head\b/.exec(output.stdout.toString('utf8'))?.[0]
  if (link && reference) return { branch: reference, prLink: link }
  const found = await findPublished(push, { prefix: 'refs/pull' }, options)
  return { branch: reference ?? found.reference ?? push.branch, prLink: link ?? found.link }
}

function needsForce(error: unknown): boolean {
  return error instanceof GitError && /`force-push`/.test(`${error.message}${error.stdout}`)
}

function lacksPushOptions(error: unknown): boolean {
  return error instanceof GitError && /does not support push options/.test(error.message)
}

/** Finds the pull request whose head is the commit: forges print no address for a push that changed nothing. */
async function findPublished(
  { url, opened, change }: Push,
  { prefix, commit = change.commit }: { prefix: 'refs/pull' | 'refs/merge-requests'; commit?: string },
  options: PublishOptions,
): Promise<{ reference: string | null; link: string | null }> {
  const call = { url, maxOutputBytes: maxListBytes, mayCut: true }
  const { stdout } = await runGit(opened.bare, ['ls-remote', '--', url, `${prefix}/*/head`], options, call)
  const line = stdout
    .toString('utf8')
    .split('\n')
    .find(text => text.startsWith(`${commit}\t`))
  const reference = line?.split('\t')[1] ?? null
  const number = /^refs\/[a-z-]+\/(\d{1,12})\/head$/.exec(reference ?? '')?.[1]
  // The host of an ssh address may be another than that of the pages.
  if (number === undefined || !/^https?:/.test(url)) return { reference, link: null }
  const page = prefix === 'refs/pull' ? 'pulls' : '-/merge_requests'
  return { reference, link: checkLink(`${url.replace(/\/$|\.git\/?$/, '')}/${page}/${number}`) }
}

/**
 * Pushes to the branch of the job, and returns what the server printed. The branch may be new, at the pushed commit or one of its
 * ancestors, or at a commit of an earlier attempt. Anything else was pushed by a person, and stays.
 */
async function pushBranch(push: Push, pushOptions: readonly string[], options: PublishOptions): Promise<string[]> {
  const { opened, branch, url } = push
  const to = `refs/heads/${branch}`
  const { stdout } = await runGit(opened.bare, ['ls-remote', '--', url, to], options, { url })
  // git also lists references that end so.
  const line = stdout
    .toString('utf8')
    .split('\n')
    .find(text => text.endsWith(`\t${to}`))
  // An empty lease: the branch must still not exist.
  const lease = line?.split('\t')[0] ?? ''
  if (lease !== '' && !(await mayReplace(push, lease, to, options))) throw moved(branch)
  try {
    return readRemoteLines((await pushTo(push, { to, lease, options: pushOptions }, options)).stderr)
  } catch (error) {
    if (!lacksPushOptions(error)) throw error
    await pushTo(push, { to, lease }, options)
    return []
  }
}

async function mayReplace({ opened, change, url }: Push, there: string, ref: string, options: PublishOptions) {
  if (there === change.commit || there === opened.base) return true
  const to = 'refs/quire/there'
  await fetchRef(opened.bare, { url, ref, to, depth: 1 }, options)
  const committer = await askGit(opened.bare, ['log', '-1', '--format=%ae %ce', to], options)
  if (committer === `${agentIdentity.email} ${agentIdentity.email}`) return true
  return runGit(opened.bare, ['merge-base', '--is-ancestor', to, change.commit], options).then(
    () => true,
    error => {
      if (error instanceof GitError && error.exitCode === 1) return false
      throw error
    },
  )
}

function moved(branch: string): RunError {
  return new RunError(
    'push_refused',
    `Someone else has pushed to the branch ${branch} of this job. It stays as it is: continue the job from it, or delete it and try again.`,
  )
}

function pushTo(
  { opened, change, url }: Push,
  { to, lease, options = [] }: { to: string; lease?: string; options?: readonly string[] },
  settings: GitSettings,
): Promise<GitOutput> {
  const args = ['push', '--porcelain', '--no-verify', '--recurse-submodules=no', '--no-signed']
  if (lease !== undefined) args.push(`--force-with-lease=${to}:${lease}`)
  args.push(...options.map(option => `--push-option=${option}`), '--', url, `${change.commit}:${to}`)
  return runGit(opened.bare, args, settings, { url })
}

function describe(error: GitError, { opened, branch }: Push, { credential }: GitSettings): string {
  const reason = readRejection(error.stdout)
  if (needsForce(error) || /^(?:fetch first|non-fast-forward|stale info)$/.test(reason)) return moved(branch).message
  if (reason !== '') {
    const said = readRemoteLines(error.stderr).filter(line => line !== '')
    return `The repository refused the push: ${escapeControls(removeSecrets([reason, ...said].join('; '), credential).slice(0, 500))}`
  }
  if (isRefused(error))
    return 'The repository refused the credential for the push. Store a credential that may write to it.'
  return `The change was not pushed for the branch ${opened.branch}. The log of the server has the reason.`
}

/** Reads the reason from `!<tab>COMMIT:REF<tab>[remote rejected] (reason)`. Servers write it. */
function readRejection(porcelain: string): string {
  const line = porcelain.split('\n').find(text => text.startsWith('!\t'))
  const summary = line?.split('\t')[2] ?? ''
  return summary.slice(summary.indexOf('(') + 1, -1)
}

function toTitle(text: string): string {
  const title = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  return title.length > maxTitleCharacters ? `${title.slice(0, maxTitleCharacters)}…` : title
}

function toLines(text: string): string[] {
  const lines = text.slice(0, maxBodyCharacters).split(/\r\n|[\n\r]/)
  return lines.map(line => line.replaceAll(/\p{Cc}/gu, ' ').trimEnd())
}
