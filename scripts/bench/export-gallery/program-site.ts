import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../../server/base/operator-error.ts'
import { makeOnce } from '../export/ready.ts'
import { runTool } from '../export/run-tool.ts'
import { writeFiles } from './npm-site.ts'
import type { GallerySite } from './site.ts'

/** A site that a program of Debian builds. */
export interface ProgramSite extends Omit<GallerySite, 'prepare'> {
  /** Packages to install if the program is missing. */
  packages: string[]
  /** Absolute path of the program. */
  program: string
  args: string[]
  /** Text of the files of the project, by path. */
  files(cacheFolder: string): Promise<Record<string, string>>
  /** The folder of the project with the built site. */
  out: string
}

const buildTimeoutMs = 300_000

export function programSite({ packages, program, args, files, out, ...site }: ProgramSite): GallerySite {
  return {
    ...site,
    async prepare(cacheFolder) {
      const contents = await files(cacheFolder)
      const folder = await makeOnce(cacheFolder, `gallery-${site.name}`, [packages, args, contents], async folder => {
        await installDebian(packages, program, folder)
        await writeFiles(folder, contents)
        // Programs of Python and Ruby read the locale to decode files.
        const env = { LC_ALL: 'C.UTF-8', PYENV_VERSION: 'system' }
        await runTool(program, args, { folder, log: 'build.log', timeoutMs: buildTimeoutMs, env })
      })
      return { folder: join(folder, out) }
    },
  }
}

/** @throws {OperatorError} when the program is missing and cannot be installed. */
async function installDebian(packages: readonly string[], program: string, folder: string): Promise<void> {
  if (existsSync(program)) return
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`
  if (!isDebianRoot) throw new OperatorError(`${program} is missing. Install it as root with: ${command}`)
  await runTool('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    folder,
    log: 'apt-get.log',
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  })
}
