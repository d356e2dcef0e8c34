import { basename } from 'node:path'
import { Command } from 'commander'
import { hasCredentials, toHttpUrl } from '../agent/agent-job-fields.ts'
import { type AgentSource, credentialOwner, forges, writeCredential } from '../agent/agent-source.ts'
import { checkBranch, checkFolder, checkSourceUrl, parseAddress } from '../agent/change/source-names.ts'
import { noPageHost } from '../base/no-page-host.ts'
import { OperatorError } from '../base/operator-error.ts'
import { readGivenFile } from '../flags/read-given-file.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { webhookSettings } from '../flags/shared-settings.ts'
import { recordChange } from '../store/record-change.ts'
import { openSecretBox } from '../store/webhook-keys.ts'
import { getProject } from '../tenancy/get-project.ts'
import { printResult } from './print.ts'
import { withExistingStore } from './with-store.ts'

const project = { flag: '--project <id-or-name>', what: 'project of the repository (default: the only one)' } as const
const setSettings = {
  project,
  branch: { flag: '--branch <name>', what: 'branch that changes are made for', default: 'main' },
  folder: {
    flag: '--folder <path>',
    what: 'folder that agents may read and change; may be repeated',
    default: [] as string[],
    shownDefault: 'the whole repository',
    read: (text: string, before: string[]): string[] => [...before, text],
  },
  forge: {
    flag: '--forge <kind>',
    what: 'how a change becomes a pull request: branch (it does not), agit (Forgejo, Gitea), gitlab or github',
    choices: forges,
    default: 'branch',
  },
  draft: { flag: '--draft', what: 'make pull requests drafts' },
  pageUrl: {
    flag: '--page-url <url>',
    what: 'where people see the repository (default: from its address; none for a folder of this machine)',
  },
  credentialFile: {
    flag: '--credential-file <file>',
    what: 'file with a token, or a private key for ssh; it is stored encrypted (default: the stored one stays)',
  },
  user: { flag: '--user <name>', what: 'user of the token', default: 'quire' },
  forgetCredential: { flag: '--forget-credential', what: 'delete the stored credential' },
  ...webhookSettings,
} as const satisfies Settings
const projectSettings = { project, ...webhookSettings } as const satisfies Settings

const setHelp = `
Examples:
  npx quire agent-jobs repository set https://git.example.com/acme/docs.git --folder docs --forge agit --credential-file token.txt
  npx quire agent-jobs repository set git@git.example.com:acme/docs.git --forge gitlab --draft --credential-file id_ed25519`

const help = `${setHelp}
  npx quire agent-jobs repository show --json
  npx quire agent-jobs repository remove`

export function agentRepositoryCommand(): Command {
  const repository = new Command('repository')
    .description('the repository that agents of the server work on, one for each project')
    .addHelpText('after', help)
  addSettings(
    repository
      .command('set <url>')
      .description('set or replace it; what is not given gets its default')
      .addHelpText('after', setHelp),
    setSettings,
  ).action(setRepository)
  addSettings(repository.command('show').description('show it, without its credential'), projectSettings).action(show)
  addSettings(
    repository.command('remove').description('remove it with its credential; jobs stay'),
    projectSettings,
  ).action(remove)
  return repository
}

async function setRepository(url: string, flags: FlagsOf<typeof setSettings>): Promise<void> {
  const secret = flags.credentialFile === undefined ? undefined : readCredential(flags.credentialFile)
  if (secret !== undefined && flags.forgetCredential)
    throw new OperatorError('Give --credential-file or --forget-credential, not both.', 2)
  await withExistingStore(flags, async store => {
    const { id: projectId, organizationId } = await getProject(store, flags.project)
    const seal = (text: string) =>
      openSecretBox(flags.data, flags.webhookKeyFile).seal(credentialOwner(projectId), text)
    const sealed = secret === undefined ? undefined : seal(writeCredential({ user: flags.user, secret }))
    const isStored = (await store.agentSources.findCredential(projectId)) !== null
    const keepsCredential = isStored && secret === undefined && !flags.forgetCredential
    const source = { projectId, ...readSource(url, flags, secret === undefined && !keepsCredential) }
    if (keepsCredential) checkReceiver(await store.agentSources.find(projectId), source)
    const event = { action: 'agent-source.set', subject: projectId, organizationId, detail: source.page } as const
    await recordChange(store, event, ({ agentSources }) =>
      agentSources.put(source, flags.forgetCredential ? null : sealed),
    )
    const hasCredential = secret !== undefined || keepsCredential
    printResult(flags.json, toShown(source, hasCredential), `Agents work on ${describeSource(source, hasCredential)}.`)
  })
}

/**
 * Keeps a mistyped host from getting the stored credential.
 *
 * @throws {OperatorError} with exit code 2 if the credential would be sent to another host or port, or by another protocol.
 */
function checkReceiver(before: AgentSource | undefined, { url }: Pick<AgentSource, 'url'>): void {
  const [known, next] = [before?.url ?? '', url].map(describeReceiver)
  if (known === next) return
  throw new OperatorError(
    `The stored credential is for ${known}, and the new address is on ${next}. Correct the address, or give --credential-file or --forget-credential.`,
    2,
  )
}

/** Describes where git sends a credential. */
function describeReceiver(url: string): string {
  const address = parseAddress(url)
  if (!address) return 'this machine'
  const host = address.host.toLowerCase()
  // URL drops the usual port of http and https, and keeps that of ssh.
  return `${address.protocol}//${address.protocol === 'ssh:' ? host.replace(/:22$/, '') : host}`
}

function toShown(source: AgentSource, hasCredential: boolean): object {
  const hasPage = URL.parse(source.page)?.hostname !== noPageHost
  return { ...source, page: hasPage ? source.page : null, hasCredential }
}

/** What is set, in words: also what a command that set only some of it has reset. */
function describeSource({ url, branch, folders, forge, isDraft }: AgentSource, hasCredential: boolean): string {
  const where = folders.length === 0 ? 'all folders' : folders.join(', ')
  const rights = hasCredential ? 'with a credential' : 'without a credential'
  return `${url} (${branch}; ${where}; ${forge}${isDraft ? ', draft' : ''}; ${rights})`
}

/** @throws {OperatorError} with exit code 2 for what git or Quire would refuse. */
function readSource(
  url: string,
  flags: FlagsOf<typeof setSettings>,
  isHttpAllowed: boolean,
): Omit<AgentSource, 'projectId'> {
  try {
    return {
      url: checkSourceUrl(url, { isHttpAllowed }),
      page: readPage(url, flags.pageUrl),
      branch: checkBranch(flags.branch),
      folders: flags.folder.map(checkFolder),
      forge: flags.forge,
      isDraft: flags.draft ?? false,
    }
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(error.message, 2) : error
  }
}

function readPage(url: string, given: string | undefined): string {
  if (given !== undefined) {
    const page = hasCredentials(given) ? undefined : toHttpUrl(given)
    if (page !== undefined) return page
    throw new OperatorError(
      '--page-url must be an http(s) URL without credentials, such as https://git.example.com/acme/docs',
    )
  }
  const address = parseAddress(url)
  const path = (address?.pathname ?? `/${encodeURIComponent(basename(url))}`).replace(/\.git\/?$/, '')
  const protocol = address?.protocol === 'http:' ? 'http:' : 'https:'
  const host = address?.protocol === 'ssh:' ? address.hostname : (address?.host ?? noPageHost)
  return toHttpUrl(`${protocol}//${host}${path}`) ?? `${protocol}//${host}/`
}

function readCredential(file: string): string {
  const secret = readGivenFile(file, `--credential-file ${file}`)
  if (secret.trim() !== '' && secret.length <= 20_000) return secret.startsWith('-----BEGIN') ? secret : secret.trim()
  throw new OperatorError('--credential-file: the file must have a token or a private key.', 2)
}

async function show(flags: FlagsOf<typeof projectSettings>): Promise<void> {
  await withExistingStore(flags, async store => {
    const { id } = await getProject(store, flags.project)
    const source = await store.agentSources.find(id)
    if (!source) throw new OperatorError('The project has no repository for agents.')
    const hasCredential = (await store.agentSources.findCredential(id)) !== null
    printResult(flags.json, toShown(source, hasCredential), describeSource(source, hasCredential))
  })
}

async function remove(flags: FlagsOf<typeof projectSettings>): Promise<void> {
  await withExistingStore(flags, async store => {
    const { id, organizationId } = await getProject(store, flags.project)
    const event = { action: 'agent-source.removed', subject: id, organizationId } as const
    if (!(await recordChange(store, event, ({ agentSources }) => agentSources.delete(id))))
      throw new OperatorError('The project has no repository for agents.')
    printResult(flags.json, { projectId: id, isRemoved: true }, 'The repository is removed. Agents start no more jobs.')
  })
}
