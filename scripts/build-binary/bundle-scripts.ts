import { join, sep } from 'node:path'
import { type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { removeNpx } from '../package/commands-without-npx.ts'
import type { Target } from './targets.ts'

/** A program or thread of the binary. */
export interface BundledScripts {
  /** The texts by their names. The first one is run, and requires the others. */
  scripts: { name: string; code: string }[]
  /** The absolute paths of the files in them. */
  files: string[]
}

/**
 * Bundles a program of server/ with everything that it imports, as CommonJS: Node can keep the compiled code only of such scripts,
 * and starts threads from no others. The same sources give the same texts.
 *
 * @param file path from the top folder.
 * @param isSplit whether modules that are imported dynamically become scripts that are loaded when they are needed.
 * @throws {Error} when an import is not found.
 */
export async function bundleScripts(
  root: string,
  file: string,
  target: Target,
  { isSplit = false } = {},
): Promise<BundledScripts> {
  const bundle = await rolldown({
    input: join(root, file),
    platform: 'node',
    // V8 would compile the functions of all modules at once, also of those that a command does not load.
    optimization: { pifeForModuleWrappers: false },
    plugins: [addonFromBinary(root, target), commandsWithoutNpx(root), withoutSchemaOfOpenapi()],
    onLog(level, log) {
      // A missing package would otherwise be noticed only when its code runs.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
      if (level === 'warn' && !expected.has(log.code ?? '')) console.error(log.message)
    },
  })
  try {
    const chunks = (await bundle.generate({ ...output, codeSplitting: isSplit })).output
    const scripts = chunks.flatMap(chunk =>
      chunk.type === 'chunk' ? [{ name: chunk.fileName, code: toAscii(chunk.code) }] : [],
    )
    if (scripts.length < chunks.length) throw new Error(`${file} needs files that are not scripts.`)
    const files = chunks.flatMap(chunk => (chunk.type === 'chunk' ? chunk.moduleIds : []))
    return { scripts, files: files.filter(id => !id.startsWith('\0')) }
  } finally {
    await bundle.close()
  }
}

const output: OutputOptions = {
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  minify: true,
  // Errors and Express name functions and classes.
  keepNames: true,
  comments: false,
}

/**
 * Escapes what is not ASCII: V8 needs two bytes for each character of a text that contains characters beyond Latin-1. Rolldown
 * writes such characters only where an escape means the same.
 */
function toAscii(code: string): string {
  if (/String\.raw`[^`]*[\u0080-\uffff]/.test(code)) throw new Error('A raw text would change. Write it in ASCII.')
  return code.replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Warnings about packages that are as they are. */
const expected = new Set([
  'EVAL',
  'COMMONJS_VARIABLE_IN_ESM',
  'CIRCULAR_DEPENDENCY',
  'EMPTY_IMPORT_META',
  'PLUGIN_TIMINGS',
])

/** Loads the addon of better-sqlite3 with server/store/addon/load-addon.ts, when the first database is opened. */
function addonFromBinary(root: string, { addonModule }: Target): Plugin {
  const loader = JSON.stringify(join(root, 'server/store/addon/load-addon.ts'))
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

/**
 * Leaves out a class of express-openapi-validator that checks the document itself. Quire does not ask for that, but the validator
 * compiles the schema of OpenAPI all the same, which takes a quarter of the CPU time of a start.
 */
function withoutSchemaOfOpenapi(): Plugin {
  return {
    name: 'without the schema of OpenAPI',
    load(id) {
      if (!id.replaceAll('\\', '/').endsWith('express-openapi-validator/dist/framework/openapi.schema.validator.js'))
        return null
      return 'exports.OpenAPISchemaValidator = class OpenAPISchemaValidator {}'
    },
  }
}

/** See `removeNpx`. */
function commandsWithoutNpx(root: string): Plugin {
  return {
    name: 'commands without npx',
    transform(code, id) {
      if (!id.startsWith(join(root, 'server') + sep)) return null
      const changed = removeNpx(code)
      return changed === code ? null : { code: changed }
    },
  }
}
