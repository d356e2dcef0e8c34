import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../server/base/operator-error.ts'
import type { ReleaseSource } from './source.ts'

const run = promisify(execFile)
const images = { host: 'quire', server: 'quire-server' }

/**
 * Builds both images of the binary for linux-x64 with podman, and writes them as OCI archives. They contain packages of Debian as they
 * are on the day of the build, so a later build gives other bytes.
 */
export async function buildImages({ root, version, commit, committedAt, repository }: ReleaseSource, output: string) {
  await run('podman', ['--version']).catch(() => {
    throw new OperatorError('The images need podman, which is not installed. Leave out --images.')
  })
  const values = [`VERSION=${version}`, `REVISION=${commit ?? 'unknown'}`, `SOURCE=${repository ?? 'unknown'}`]
  for (const [target, name] of Object.entries(images)) {
    console.error(`Building the image ${name} ...`)
    const tag = `localhost/${name}:${version}`
    const given = values.flatMap(value => ['--build-arg', value])
    const time = ['--timestamp', String(Math.floor(committedAt.getTime() / 1000))]
    const file = join(root, 'server/deployment/Containerfile')
    await run('podman', ['build', '--file', file, '--target', target, '--tag', tag, ...time, ...given, output])
    await run('podman', ['save', '--format', 'oci-archive', '--output', join(output, nameImage(name, version)), tag])
  }
}

function nameImage(name: string, version: string): string {
  return `${name}-image-${version}.tar`
}

/** Whether a file of a release is an image. */
export function isImage(name: string): boolean {
  return /-image-\d+\.\d+\.\d+\.tar$/.test(name)
}
