import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Finished, runProgram } from '../support/program.ts'
import { deployment } from './chart-values.ts'

/** The Debian packages with the programs that build and run images. */
export const containerPackages = ['buildah', 'podman', 'runc', 'mmdebstrap']

/** Why containers cannot run here; undefined = they can. */
export function whyNoContainers(packages: readonly string[] = containerPackages): string | undefined {
  const missing = packages.filter(name => !existsSync(`/usr/bin/${name}`) && !existsSync(`/usr/sbin/${name}`))
  if (missing.length > 0) return `needs ${missing.join(', ')} (apt-get install ${packages.join(' ')})`
  if (process.getuid?.() !== 0) return 'needs root'
  const { status, stderr } = spawnSync('podman', [...storage, 'info'])
  removeStorage()
  return status === 0 ? undefined : `podman does not work here: ${String(stderr).trim().split('\n').at(-1)}`
}

/** Apart from the images of the user. */
const storageFolder = join(tmpdir(), `quire-images-${process.pid}`)
const storage = ['--root', join(storageFolder, 'root'), '--runroot', join(storageFolder, 'run')]

/** Removes all images, containers and volumes of this process. */
export function removeStorage(): void {
  // A container that ends at this moment still has its file systems mounted.
  const mounted = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' ')[1] ?? '')
  for (const path of mounted.filter(each => each.startsWith(storageFolder)).reverse()) spawnSync('umount', ['-l', path])
  rmSync(storageFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}

/** The arguments of podman before its command. */
export const podmanFlags = [...storage, '--runtime', 'runc', '--cgroup-manager', 'cgroupfs']

/** Runs a program of containers until it ends. */
export async function runTool(program: 'buildah' | 'podman', ...args: string[]): Promise<Finished> {
  return runProgram([...(program === 'podman' ? podmanFlags : storage), ...args], { program })
}

/** Like `runTool`, and fails with the output of a program that fails. Returns what it printed. */
export async function useTool(program: 'buildah' | 'podman', ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runTool(program, ...args)
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}: ${stderr.slice(-2000)}`)
  return stdout.trim()
}

/** Makes a Debian as it is on the machine of the test, in place of the one of a registry, which the test cannot reach. */
export async function makeBase(folder: string, name: string): Promise<void> {
  const file = join(folder, 'base.tar')
  const excluded = ['man', 'doc', 'locale'].map(kind => `--dpkgopt=path-exclude=/usr/share/${kind}/*`)
  const mirror = 'http://deb.debian.org'
  const security = `deb ${mirror}/debian-security bookworm-security main`
  // As the images of Debian have them: no waiting for the disk, and no translations.
  const quick = ['--dpkgopt=force-unsafe-io', '--aptopt=Acquire::Languages "none"']
  const args = ['--variant=apt', ...excluded, ...quick, 'bookworm', file, `${mirror}/debian`, security]
  const { code, stderr } = await runProgram(args, { program: 'mmdebstrap' })
  if (code !== 0) throw new Error(`mmdebstrap ended with ${code}: ${stderr.slice(-2000)}`)
  await useTool('podman', 'import', '--quiet', file, name)
}

/** Builds an image of server/deployment/Containerfile. Returns its size in bytes. */
export async function buildImage(target: 'host' | 'server', context: string, base: string): Promise<number> {
  const name = `quire-test-${target}`
  const file = join(deployment, 'Containerfile')
  const given = ['BASE', 'VERSION', 'REVISION'].map((key, i) => `--build-arg=${key}=${[base, '1.2.3', 'abc'][i]}`)
  const how = ['--isolation=chroot', '--network=host', '--format=docker', ...given]
  await useTool('buildah', 'build', ...how, '--file', file, '--target', target, '--tag', name, context)
  return Number(await useTool('podman', 'image', 'inspect', '--format', '{{.Size}}', name))
}

/** The user of the image, and one that a platform such as OpenShift chooses. */
export const users = ['10001:0', '1000620000:0'] as const

/** Flags of a container as the charts run it: read-only, without capabilities and the right to get some. */
export function confine(user: string, ...more: string[]): string[] {
  const limits = ['--pids-limit=0', '--ulimit=nofile=20000:20000', '--ulimit=nproc=4000:4000', '--shm-size=256m']
  const locked = ['--read-only', '--cap-drop=all', '--security-opt=no-new-privileges']
  // Podman asks systemd to run the health check, which not every machine has.
  return ['--network=host', '--no-healthcheck', `--user=${user}`, ...limits, ...locked, ...more]
}

/** The flag for the profile that lets Chromium have its sandbox. */
export const ownProfile = `--security-opt=seccomp=${join(deployment, 'seccomp.json')}`
