import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
export const root = join(import.meta.dirname, '../..')

export interface InstalledPackage {
  /** The folder whose node_modules has the package. */
  folder: string
  tarball: string
  /** The SBOM of the tarball. */
  components: string
  /** Removes the folder and the tarball. */
  remove(): void
}

/** Packs quire-spec with the command of the project, which asks npm for the SBOM, and installs the tarball without the network. */
export async function installPackage(): Promise<InstalledPackage> {
  const work = mkdtempSync(join(tmpdir(), 'quire-package-'))
  const { stdout } = await run(process.execPath, ['scripts/pack-spec.ts', '--output', work, '--sbom'], { cwd: root })
  const [tarball = '', components = ''] = stdout.trim().split('\n')
  const folder = join(work, 'app')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{}')
  // Its dependencies come from the packages of the repository.
  const dependencies = ['openapi-fetch', 'openapi-typescript-helpers'].map(name => join(root, 'node_modules', name))
  const flags = ['--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', ...flags, tarball, ...dependencies], { cwd: folder, env: withoutPackages() })
  return { folder, tarball, components, remove: () => rmSync(work, { recursive: true, force: true }) }
}

/** The environment with the Node of the system, as in a shell: without the settings that npm passes to the scripts of a project. */
export function withoutPackages(): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'))
  const others = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  return { ...Object.fromEntries(others), PATH: path.join(delimiter) }
}
