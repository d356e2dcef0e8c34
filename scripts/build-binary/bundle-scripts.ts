import { join, sep } from 'node:path'
import { type OutputOptions, type Plugin, rolldown } from 'rolldown'
import type { Target } from './targets.ts'

/** One script of the binary. */
export interface BundledScript {
  code: string
  /** The absolute paths of the files in it. */
  files: string[]
}

/**
 * Bundles a script of server/ with everything that it imports. The same sources give the same text.
 *
 * @param file path from the top folder.
 * @param format threads start only from CommonJS.
 * @throws {Error} when an import is not found.
 */
export async function bundleScript(
  root: string,
  file: string,
  format: 'esm' | 'cjs',
  target: Target,
): Promise<BundledScript> {
  const bundle = await rolldown({
    input: join(root, file),
    platform: 'node',
    plugins: [addonFromBinary(root, target), commandsWithoutNpx(root)],
    onLog(level, log) {
      // A missing package would otherwise be noticed only when its code runs.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
      if (level === 'warn' && !expected.has(log.code ?? '')) console.error(log.message)
    },
  })
  try {
    const [{ code, moduleIds }, ...others] = (await bundle.generate({ ...output, format })).output
    if (others.length > 0) throw new Error(`${file} must become one script.`)
    return { code, files: moduleIds.filter(id => !id.startsWith('\0')) }
  } finally {
    await bundle.close()
  }
}

const output: OutputOptions = {
  codeSplitting: false,
  minify: true,
  // Errors and Express name functions and classes.
  keepNames: true,
  comments: false,
}

/** Warnings about packages that are as they are. */
const expected = new Set([
  'EVAL',
  'COMMONJS_VARIABLE_IN_ESM',
  'CIRCULAR_DEPENDENCY',
  'EMPTY_IMPORT_META',
  'PLUGIN_TIMINGS',
])

/** Loads the addon of better-sqlite3 with server/addon/load-addon.ts, when the first database is opened. */
function addonFromBinary(root: string, { addonModule }: Target): Plugin {
  const loader = JSON.stringify(join(root, 'server/addon/load-addon.ts'))
  const virtual = '\0addon'
  return {
    name: 'addon from the binary',
    resolveId(id, importer) {
      if (id === 'better-sqlite3') return this.resolve(addonModule, importer)
      return id.endsWith('.node') ? virtual : null
    },
    load(id) {
      return id === virtual ? { moduleType: 'js', code: `module.exports = require(${loader}).loadAddon()` } : null
    },
  }
}

/** Help and messages name commands that can be pasted. In a clone that is `npx quire`, and here `quire`. */
function commandsWithoutNpx(root: string): Plugin {
  return {
    name: 'commands without npx',
    transform(code, id) {
      const isOurs = id.startsWith(join(root, 'server') + sep) && code.includes('npx quire')
      return isOurs ? { code: code.replaceAll('npx quire', 'quire') } : null
    },
  }
}
