import { spawn } from 'node:child_process'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { findFreePort } from '../find-free-port.ts'
import type { HostUnderTest } from './host-under-test.ts'

export const program = '/usr/sbin/nginx'

/**
 * Serves the files of a version with nginx as Debian configures it: one worker per core, sendfile, and gzip_static with the
 * same compressed files as the host.
 */
export async function startNginx(version: string, scratch: string): Promise<HostUnderTest> {
  const root = join(scratch, 'nginx')
  await cp(join(version, 'files'), join(root, 'html'), { recursive: true })
  const packed = join(version, 'gzip')
  for (const entry of await readdir(packed, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name).slice(packed.length)
      await cp(join(packed, path), join(root, 'html', `${path}.gz`))
    }
  await mkdir(join(root, 'temporary'))
  const port = await findFreePort()
  const file = join(root, 'nginx.conf')
  await writeFile(file, configure(root, port))
  const child = spawn(program, ['-p', root, '-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries += 1) {
    if (
      await fetch(url).then(
        answer => answer.ok,
        () => false,
      )
    )
      break
    if (tries > 100 || child.exitCode !== null) throw new OperatorError('nginx does not answer.')
    await pause(50)
  }
  return {
    name: 'nginx',
    url,
    pid: child.pid as number,
    close: () =>
      new Promise(done => {
        child.once('exit', () => done())
        child.kill('SIGTERM')
      }),
  }
}

function configure(root: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `  ${name}_temp_path ${join(root, 'temporary', name)};`,
  )
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes auto;
pid ${join(root, 'pid')};
events { worker_connections 768; }
http {
${temporary.join('\n')}
  include /etc/nginx/mime.types;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  access_log off;
  gzip_static on;
  server {
    listen 127.0.0.1:${port};
    root ${join(root, 'html')};
    location / { try_files $uri $uri.html $uri/index.html =404; }
  }
}
`
}
