import { resolve } from 'node:path'
import { Command } from 'commander'
import { defaultPacing } from '../analytics/follow/follow-pacing.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Signature } from '../base/signature.ts'
import {
  type HostFlags,
  type HostVisits,
  hostFolderSettings,
  hostSettings,
  readHostConfig,
} from '../flags/host-settings.ts'
import { addSettings, type FlagsOf } from '../flags/setting.ts'
import { rollBack } from '../host/rollback.ts'
import { describeFolder, type HostState } from '../host/versions/host-folder.ts'
import type { Version } from '../host/versions/version.ts'
import { getProject } from '../tenancy/get-project.ts'
import { createHostTerminal } from './host-terminal.ts'
import { openLog } from './open-log.ts'
import { printJson, printResult, printRows } from './print.ts'
import { closeOnSignal, startOrExplain } from './serve.ts'

const usualSettings = [
  ...(['bundle', 'data', 'version', 'sha256', 'trustedKey', 'watch', 'keepVersions', 'host', 'port'] as const),
  ...(['trustedProxies', 'accessLog', 'visitsData', 'project', 'mcp', 'logLevel', 'metricsAddress'] as const),
] as const

export function hostCommand(): Command {
  const command = new Command('host')
    .description('serve the site of a bundle, and keep serving it when its link has expired')
    .argument('[bundle]', 'a bundle: a file, or an http(s) link (default: the last version that was served)')
    .enablePositionalOptions()
  addSettings(command, hostSettings, usualSettings)
  command.addHelpText('after', help)
  command.addCommand(hostListCommand())
  command.addCommand(hostRollbackCommand())
  return command.action(async (bundle: string | undefined, flags: HostFlags) => {
    const config = readHostConfig(bundle, flags)
    const terminal = process.stdout.isTTY && config.logStyle === undefined ? createHostTerminal(process.stdout) : null
    // A person reads what the terminal shows, and warnings.
    const isQuiet = terminal !== null && command.getOptionValueSource('logLevel') === 'default'
    const log = await openLog({ ...config, logLevel: isQuiet ? 'warn' : config.logLevel })
    const stopping = new AbortController()
    const started = startOrExplain(async () => {
      const { startHost } = await import('../serving/host.ts')
      const follow = config.visits && (await findFollowed(config.visits, config.accessLog ?? ''))
      return startHost(config, { follow, terminal, signal: stopping.signal }, log)
    })
    closeOnSignal(started, () => stopping.abort(new OperatorError('The host was stopped.', 0)))
    const { url } = await started
    terminal?.listening(url)
  })
}

/** Finds the project of the visits. The log is counted by the same thread that a server follows logs with. */
async function findFollowed({ project, ...place }: HostVisits, file: string) {
  const { withExistingStore } = await import('./with-store.ts')
  const { id } = await withExistingStore({ ...place, data: place.dataFolder }, store => getProject(store, project))
  return { ...place, logs: [{ file, projectId: id }], graceMs: defaultPacing.graceMs, overlapMs: 0, log: {} }
}

const help = `
Examples:
  npx quire host docs.zip
  npx quire host docs.zip --port 9000 --data /var/lib/quire-host --access-log /var/log/nginx/docs.log
  npx quire host docs.zip --deployment client-hosted --features search,analytics=off
  npx quire host docs.zip --deployment client-hosted --feature-host playground=https://api.example.com
  npx quire host docs.zip --trusted-key quire-signing.pub.pem --watch 60
  npx quire host --watch 60 --bundle docs.zip

The command fetches the bundle, checks and unpacks it beside the earlier versions, and then switches to it in one step. If the
link has expired, the server is down or the bundle is bad, it goes on serving the last good version, also after a restart.
Without one, it ends with 1. SIGHUP asks for a new bundle at once. Give a link in QUIRE_HOST_BUNDLE, which does not appear in
the process list.

/_quire/feed.atom lists the versions that are kept, newest first, with the pages that each changed.
/healthz answers 200 while the process runs; /readyz answers 503 until a version is served, and with --version
or --sha256 until it is that version.
On a terminal, the command shows what it does, and logs warnings; --log-level info logs more. Else standard output has JSON
lines. Ctrl-C or SIGTERM finishes the requests in flight and stops the host.`

function hostListCommand(): Command {
  return addSettings(new Command('list').description('list the versions of a host, newest first'), hostFolderSettings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire host list
  npx quire host list --data /var/lib/quire-host --json

The state of a version is current, held (it was rolled back) or kept.`,
    )
    .action(async (flags: FlagsOf<typeof hostFolderSettings>) => {
      const folder = describeFolder(resolve(flags.data))
      const state = await folder.readState()
      const rows = (await folder.list()).map(version => describeVersion(version, state))
      if (flags.json) printJson(rows)
      else printRows(rows.map(toVersionRow), { empty: 'No version was unpacked yet.' })
    })
}

function hostRollbackCommand(): Command {
  return addSettings(
    new Command('rollback')
      .description('serve an earlier version again')
      .argument('[version]', 'id or label of a version (default: the one before the current one)'),
    hostFolderSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire host rollback
  npx quire host rollback 2.4 --data /var/lib/quire-host --json

A running host switches within a second. The newer versions are held: they are not served again when their bundle is offered
again. To serve one of them, name it.`,
    )
    .action(async (wanted: string | undefined, flags: FlagsOf<typeof hostFolderSettings>) => {
      const { from, to } = await rollBack(describeFolder(resolve(flags.data)), wanted)
      const name = to.label === null ? to.id : `${to.label} (${to.id})`
      printResult(flags.json, { from, to: to.id, label: to.label }, `The version ${name} is the current one.`)
    })
}

function describeVersion({ source, unpackedAt, signature, ...version }: Version, { current, held }: HostState) {
  const state = version.id === current ? 'current' : held.includes(version.id) ? 'held' : 'kept'
  const signed = signature === undefined ? null : (JSON.parse(signature) as Signature)
  return {
    ...version,
    source: source.name,
    unpackedAt,
    state,
    signedAt: signed?.signedAt ?? null,
    keyId: signed?.keyId ?? null,
  }
}

function toVersionRow({
  id,
  label,
  domain,
  pages,
  files,
  source,
  unpackedAt,
  state,
}: ReturnType<typeof describeVersion>) {
  return { id, version: label, state, domain, pages, files, source, unpackedAt }
}
