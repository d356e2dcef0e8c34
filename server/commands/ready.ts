import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { addressSettings } from '../flags/address-settings.ts'
import { addSettings, type FlagsOf, integer, type Settings } from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'
import { printJson } from './print.ts'

const maxWaitSeconds = 3600
const pauseMs = 500
const answerTimeoutMs = 5000

const settings = {
  host: {
    ...addressSettings.host,
    what: 'address that the server listens on; 0.0.0.0 and :: are asked on this machine',
  },
  port: { ...addressSettings.port, what: 'port that the server listens on' },
  wait: {
    flag: '--wait <seconds>',
    env: 'QUIRE_READY_WAIT',
    what: 'ask again until the server is ready, for at most this long',
    default: 0,
    read: integer(0, maxWaitSeconds),
  },
  json: shared.json,
} as const satisfies Settings

/** What `quire ready --json` prints: the answer of `/readyz`, or the reason why there is none. */
interface Readiness {
  url: string
  ready: boolean
  reason: string | null
}

export function readyCommand(): Command {
  const command = new Command('ready').description('ask the server or host on this machine whether it is ready')
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire ready
  npx quire ready --port 8080 --wait 60
  npx quire ready --json

It reads QUIRE_HOST and QUIRE_PORT as the server does, so it is the health check of the container images. It exits with 0
if the server is ready, and with 1 if it is not or does not answer.`,
    )
    .action(async ({ host, port, wait, json }: FlagsOf<typeof settings>) => {
      if (port === 0) throw new OperatorError('--port 0 is any free port. Give the one that the server has chosen.', 2)
      const url = `http://${toReachable(host)}:${port}/readyz`
      const endsAt = Date.now() + wait * 1000
      let readiness = await ask(url)
      while (!readiness.ready && Date.now() < endsAt) {
        await sleep(pauseMs)
        readiness = await ask(url)
      }
      if (json) printJson(readiness)
      else if (readiness.ready) console.log(`${url} says: ready`)
      if (!readiness.ready) throw new OperatorError(`${url} is not ready: ${readiness.reason}`)
    })
}

/** Returns the host of an address for a URL. A server that listens on all addresses is asked on the loopback interface. */
function toReachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

async function ask(url: string): Promise<Readiness> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs), redirect: 'error' })
    if (answer.ok) return { url, ready: true, reason: null }
    const body = (await answer.json().catch(() => ({}))) as { reason?: unknown }
    return { url, ready: false, reason: String(body.reason ?? `it answers ${answer.status}.`) }
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name: string }
    const why = name === 'TimeoutError' ? `no answer within ${answerTimeoutMs / 1000} seconds` : cause?.code
    return { url, ready: false, reason: `nothing answers there (${why ?? (error as Error).message}).` }
  }
}
