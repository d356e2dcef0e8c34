import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeOnce } from '../export/ready.ts'
import { runNpm } from '../export/run-tool.ts'

/** A project that npm installs and builds. */
export interface NpmProject {
  /** Packages with their exact versions. */
  dependencies: Record<string, string>
  /** Exact versions of packages that others depend on. */
  overrides?: Record<string, string>
  /** The kind of its scripts; absent = modules, null = each file tells it. */
  type?: 'commonjs' | null
  /** Text of its files, by path. */
  files: Record<string, string>
  /** Command of the script `build`; absent = nothing is built. */
  build?: string
  env?: Record<string, string>
}

const buildTimeoutMs = 900_000

/** Installs and builds a project once. Returns its folder. */
export function makeNpmProject(cacheFolder: string, name: string, project: NpmProject): Promise<string> {
  return makeOnce(cacheFolder, `gallery-${name}`, project, async folder => {
    const { dependencies, overrides = {}, type = 'module', files, build, env = {} } = project
    const scripts = build === undefined ? {} : { build }
    const kind = type === null ? {} : { type }
    const manifest = { name: 'docs', private: true, ...kind, scripts, dependencies, overrides }
    await writeFiles(folder, { 'package.json': JSON.stringify(manifest, undefined, 2), ...files })
    await runNpm(['install', '--legacy-peer-deps'], { folder, log: 'npm.log', timeoutMs: buildTimeoutMs })
    if (build === undefined) return
    const settings = { CI: '1', NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1', ...env }
    await runNpm(['run', 'build'], { folder, log: 'build.log', timeoutMs: buildTimeoutMs, env: settings })
  })
}

/** Writes files below a folder by path. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}
