import { Command } from 'commander'
import type { Logger } from 'pino'
import { OperatorError } from '../base/operator-error.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import type { Config } from '../config.ts'
import { readConfig, type ServeFlags, serveSettings } from '../flags/serve-settings.ts'
import { addSettings } from '../flags/setting.ts'
import type { ApiServer } from '../server.ts'
import type { RunningServer } from '../serving/running-server.ts'
import { openLog } from './open-log.ts'
import { createSignInLink, linkTerms, operatorName } from './sign-in-link.ts'

const usualSettings = [
  ...(['data', 'database', 'bundles', 'host', 'port', 'publicUrl', 'trustedProxies'] as const),
  ...(['exportRetentionDays', 'visitorRetentionDays', 'exportsAtOnce', 'allowNoSandbox'] as const),
  ...(['followLog', 'followLogByHost', 'dashboard', 'logLevel', 'metricsAddress'] as const),
] as const

export function serveCommand(): Command {
  const command = new Command('serve').description('serve the API and run exports').addHelpText(
    'after',
    `
Examples:
  npx quire serve
  npx quire serve --port 9000 --data /var/lib/quire --public-url https://api.example.com
  npx quire serve --export-retention-days 30
  npx quire serve --follow-log /var/log/nginx/access.log=Documentation
  npx quire serve --follow-log-by-host /var/log/caddy/access.log
  QUIRE_FOLLOW_LOG=/var/log/nginx/access.log=Documentation,/var/log/nginx/blog.log=Documentation npx quire serve
  QUIRE_PORT=9000 QUIRE_DATA=/var/lib/quire npx quire serve

Logs are on standard output: text on a terminal, else JSON lines. Ctrl-C or SIGTERM finishes the requests in flight and stops the server.
On a terminal, it prints a link for the operator to the dashboard, which ${linkTerms}.`,
  )
  return addSettings(command, serveSettings, usualSettings).action(async (flags: ServeFlags) => {
    const config = readConfig(flags)
    const log = await openLog(config)
    const started = startOrExplain(() => loadAndStart(config, log))
    closeOnSignal(started)
    const server = await started
    if (config.dashboard && config.role !== 'runner' && process.stderr.isTTY) await printSignInLink(server, config)
  })
}

/** Loads the server only now, so that the help and the refusal of a flag do not wait for it. */
export async function loadAndStart(config: Config, log: Logger): Promise<ApiServer> {
  const { startServer } = await import('../server.ts')
  return startServer(config, log)
}

/** Prints a link for the operator at the terminal. Nobody else can read it there, and no log has it. */
async function printSignInLink({ store, url }: ApiServer, { publicUrl }: Config): Promise<void> {
  try {
    const wish = { organizationId: null, name: operatorName, baseUrl: publicUrl ?? url }
    console.error(`Dashboard: ${(await createSignInLink(store, wish)).url} (${linkTerms})`)
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    console.error('Dashboard: the database is busy. For a link, run npx quire dashboard link')
  }
}

/** Converts common start errors to one line with the remedy. */
export async function startOrExplain<Server extends RunningServer>(start: () => Promise<Server>): Promise<Server> {
  try {
    return await start()
  } catch (error) {
    const { code, port, address, hostname } = error as NodeJS.ErrnoException & {
      port?: number
      address?: string
      /** Of an error of the resolver. */
      hostname?: string
    }
    if (code === 'EADDRINUSE') {
      throw new OperatorError(
        `Port ${port} is in use. Stop the program that uses it, or choose another port with --port.`,
      )
    }
    if (code === 'EACCES' && port !== undefined) {
      throw new OperatorError(`This user may not listen on port ${port}. Choose a port above 1023 with --port.`)
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new OperatorError(
        `${address ?? hostname ?? 'The address'} is not an address of this machine. Choose another with --host.`,
      )
    }
    throw error
  }
}

/**
 * Closes the server on the first SIGINT or SIGTERM; a second one ends the process at once. Call it while the server starts,
 * so that no signal comes too early.
 *
 * @param stopStarting ends a start that may take long.
 */
export function closeOnSignal(started: RunningServer | Promise<RunningServer>, stopStarting = () => {}): void {
  const close = async () => {
    stopStarting()
    process.once('SIGINT', () => process.exit(1))
    process.once('SIGTERM', () => process.exit(1))
    // A server that does not start ends the process by itself.
    const server = await Promise.resolve(started).catch(() => undefined)
    if (!server) return
    try {
      await server.close()
      process.exit(0)
    } catch (error) {
      console.error(error)
      process.exit(1)
    }
  }
  process.once('SIGINT', close)
  process.once('SIGTERM', close)
}
