import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProxy } from './proxy-process.ts'

const path = '/usr/bin/caddy'

/** Returns the path of Caddy, or why there is none. */
export function findCaddy(): { path: string } | { missing: string } {
  return existsSync(path) ? { path } : { missing: 'apt-get install caddy' }
}

/** Options that leave the machine of the test as it is: no port for changes, no certificate of other servers, no file elsewhere. */
const testOptions = ['admin off', 'auto_https disable_redirects', 'skip_install_trust']

/**
 * Starts Caddy with the text of a Caddyfile that has a block of global options, see `startProxy`.
 *
 * @param folder for its files.
 */
export function startCaddy(text: string, folder: string, ask: () => Promise<unknown>): Promise<() => Promise<void>> {
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, text.replace(/^\{$/m, `{\n${testOptions.join('\n')}\ndefault_bind 127.0.0.1\n`))
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  return startProxy([path, 'run', '--adapter', 'caddyfile', '--config', file], ask, env)
}
