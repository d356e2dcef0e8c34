import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProxy } from './proxy-process.ts'

const path = '/usr/sbin/nginx'

/** Returns the path of nginx, or why there is none. */
export function findNginx(): { path: string } | { missing: string } {
  return existsSync(path) ? { path } : { missing: 'apt-get install nginx' }
}

/**
 * Starts nginx with the text of a file of /etc/nginx/conf.d, see `startProxy`.
 *
 * @param folder for its files.
 */
export function startNginx(text: string, folder: string, ask: () => Promise<unknown>): Promise<() => Promise<void>> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${join(folder, name)};`,
  )
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `${user} daemon off; pid ${join(folder, 'pid')}; events {}\nhttp {\n${temporary.join('\n')}\n${text}}\n`,
  )
  return startProxy([path, '-p', folder, '-c', file, '-e', 'stderr'], ask)
}
