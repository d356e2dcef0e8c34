import { existsSync } from 'node:fs'

const path = '/usr/sbin/nginx'

/** Returns the path of nginx, or why there is none. */
export function findNginx(): { path: string } | { missing: string } {
  return existsSync(path) ? { path } : { missing: 'apt-get install nginx' }
}
